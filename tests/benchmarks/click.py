"""From a click on a cell until the new picture is painted, in a real browser.

    python -m tests.benchmarks.click [clicks, 20 by default]

The clock is the page's own: it starts with the pointer and stops with the frame after the sentence
under the matrix says who asks whom anew.
"""

from playwright.sync_api import Page, sync_playwright

from tests.benchmarks.pages import APP
from tests.benchmarks.server import serving
from tests.helpers import ASKED_NOTHING, FLAGS, find_chromium

WORDS = 6  # of the default sentence
WARM = 3  # clicks before those that count
STOPWATCH = """() => {
  const said = () => [...document.querySelectorAll("[data-testid=stText]")]
    .map((text) => text.textContent).find((text) => / asks, .* is asked\\./.test(text));
  let began = null, before = null;
  window.addEventListener("pointerdown", () => { began = performance.now(); before = said(); },
    true);
  new MutationObserver(() => {
    const now = said();
    if (began === null || !now || now === before) return;
    const start = began;
    began = null;
    // A frame's callbacks run just before it is painted, and a message posted there arrives just
    // after.
    const painted = new MessageChannel();
    painted.port1.onmessage = () => window.found(performance.now() - start);
    requestAnimationFrame(() => painted.port2.postMessage(0));
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
# Told, not asked for: who asks in every frame makes the browser draw them all.
NEXT = """() => {
  window.painted = new Promise((found, lost) => { window.found = found; setTimeout(lost, 30_000,
    "no other picture"); });
}"""
PLACE = """([row, column]) => {
  const picture = document.querySelector("[data-name='scores'] image");
  picture.scrollIntoView({ block: "center" });
  const box = picture.getBoundingClientRect();
  return [box.x + (column + 0.5) * box.width / Number(picture.dataset.columns),
          box.y + (row + 0.5) * box.height / Number(picture.dataset.rows)];
}"""


def _clicks(page: Page, count: int) -> list[float]:
    """Click on cells in turn, each once the last one's picture is there. Milliseconds."""
    page.evaluate(STOPWATCH)
    times = []
    for k in range(count + WARM):
        page.evaluate(NEXT)
        page.mouse.click(*page.evaluate(PLACE, [k % WORDS, (k // WORDS + k) % WORDS]))
        times.append(page.evaluate("window.painted"))
        page.wait_for_timeout(300)
    return times[WARM:]


def measure(count: int = 20) -> list[float]:
    """One viewer on the page of scores, in milliseconds by click."""
    with serving(APP) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(ASKED_NOTHING)
        page.goto(f"{server.url}/scores")
        page.wait_for_selector("html[data-acts]", state="attached")
        page.wait_for_selector("[data-name='scores'] image")
        page.wait_for_timeout(1_000)
        times = _clicks(page, count)
        browser.close()
    return times


def median(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]
