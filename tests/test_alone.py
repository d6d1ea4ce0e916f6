"""What travels: one board in a frame of another site's page, a page as one file that needs no
server."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers import open_page
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
# Each board's matrices as the browser holds them: name and numbers.
CELLS = """() => [...document.querySelectorAll(".ab-host")].map(
  ({ drawing }) => JSON.stringify((drawing.matrices ?? []).map(({ name, values }) => [name,
    values]))
)"""


@pytest.fixture
def elsewhere():
    """Another site: whatever is asked of it, it answers with the page that stands in
    `elsewhere.html`."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(site.html.encode())

        def log_message(self, *_) -> None:
            pass

    site = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    site.html = ""
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield site
    site.shutdown()
    site.server_close()


def test_a_board_in_a_frame_of_another_site(page, server, elsewhere):
    """The line that a board's menu gives shows that board there and nothing else of the page, as
    high as the frame; a cell that is pointed at answers, and a click goes on to another cell. A way
    leads to the whole page."""
    open_page(page, server, "scores?d_k=5")
    page.locator(".st-key-board_scores .ab-menu summary").first.click()
    page.locator(".st-key-board_scores").get_by_text("In a frame").click()
    elsewhere.html = page.locator(".ab-frame-line code").inner_text()
    assert "embed=board_scores" in elsewhere.html
    page.goto(f"http://localhost:{elsewhere.server_port}/")
    frame = page.frame_locator("iframe")
    board = frame.locator(".st-key-board_scores .ab-svg").first
    expect(board).to_be_visible()
    expect(frame.locator("html[data-alone]")).to_have_count(1)
    expect(frame.locator("h1")).to_be_hidden()
    expect(frame.locator(".ab-panel")).to_be_hidden()
    frame.locator("[data-name=scores] image").first.click(position={"x": 8, "y": 8})
    expect(frame.get_by_role("link", name="Open the page")).to_have_attribute(
        "href", re.compile(r"/scores\?d_k=5&query=1&key=1$")
    )


# The middle of the first of these in the frame; where the frame is in the page around it, and how
# large that shows it.
WITHIN = """(selector) => {
  const box = document.querySelector(selector).getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""
FRAME = """() => {
  const frame = document.querySelector("iframe"), box = frame.getBoundingClientRect();
  return [box.x, box.y, box.width / frame.offsetWidth];
}"""


def test_a_board_on_a_slide(page, server, elsewhere):
    """A slide is scaled as a whole, by a transform. What is pointed at there is the cell under the
    pointer, a board performs, and a key of a remote that the board does not need is the slides'
    around it, after a click on a cell too: the board stays, and they hear of it as reveal.js has
    it. Whoever goes to the board by Tab has its arrows."""
    heard = "window.heard = []; addEventListener('message', ({ data }) => heard.push(data))"
    line = (
        f'<iframe src="{server.url}/scores?d_k=5&amp;embed=board_scores" width="700" height="500"'
        ' style="border:0"></iframe>'
    )
    elsewhere.html = (
        f'<script>{heard}</script><div style="transform: scale(1.37); transform-origin: 30px'
        f' 10px">{line}</div>'
    )
    page.goto(f"http://localhost:{elsewhere.server_port}/")
    frame = page.frame_locator("iframe")
    expect(frame.locator(".st-key-board_scores .ab-svg").first).to_be_visible()
    inside = page.frames[1]

    def pointed(selector: str) -> tuple[float, float]:
        (x, y, scale), (across, down) = page.evaluate(FRAME), inside.evaluate(WITHIN, selector)
        return x + scale * across, y + scale * down

    page.mouse.move(*pointed("[data-name=k_t] .ab-numbers text:nth-child(3)"))
    expect(frame.locator(".st-key-board_scores .ab-readout")).to_contain_text("[1, short]")
    page.mouse.click(*pointed(".ab-play"))
    expect(frame.locator(".ab-player")).to_be_visible()
    frame.get_by_role("button", name="Close").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("heard.includes(JSON.stringify({ method: 'next' }))")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("heard.includes(JSON.stringify({ method: 'prev' }))")
    assert "/scores?" in inside.evaluate("location.href")
    page.mouse.click(*pointed("[data-name=scores] .ab-numbers text:nth-child(2)"))
    inside.wait_for_function(
        "() => location.search.includes('key=2') && window.attentionAddress.isAnswered()"
    )
    inside.evaluate(
        "document.activeElement.blur()"
    )  # Space would press the button that had the focus
    before = page.evaluate("heard.length")
    for key in ("PageDown", "PageUp", "Space", "ArrowRight", "Home"):
        page.keyboard.press(key)
    inside.evaluate("() => document.querySelector('.st-key-board_scores .ab-svg').focus()")
    for key in ("ArrowDown", "ArrowRight", "PageDown"):
        page.keyboard.press(key)
    page.wait_for_function(f"heard.length >= {before} + 5")
    said = [json.loads(each)["method"] for each in page.evaluate(f"heard.slice({before})")]
    assert said == ["next", "prev", "next", "next", "next"]


def test_a_file_in_a_frame(page, server, elsewhere):
    """Where the browser brings no cookie along, as in another site's frame, no file would be taken:
    the page says so, and leads to itself without the frame, where a file can be given."""
    link = "init=trained&layers=1&steps=2&open=own_sentences"
    elsewhere.html = (
        f'<iframe src="{server.url}/classifier?{link}&amp;embed=true" width="900"'
        ' height="700"></iframe>'
    )
    page.goto(f"http://localhost:{elsewhere.server_port}/")
    frame = page.frame_locator("iframe")
    expect(frame.get_by_text("A file is sent only from a page by itself")).to_be_visible()
    expect(frame.get_by_test_id("stFileUploader")).to_have_count(0)
    with page.expect_popup() as opened:
        frame.get_by_role("link", name="Open this page by itself").click()
    expect(opened.value).to_have_url(f"{server.url}/classifier?{link}")
    expect(opened.value.get_by_test_id("stFileUploader")).to_be_visible()


def test_a_board_alone_asks_nothing_first(page, server):
    """What a page asks before it shows has no place in a frame of one board: nothing there is
    covered, even where nothing was answered yet."""
    page.add_init_script("localStorage.clear()")
    page.goto(f"{server.url}/scores?embed=board_scores")
    expect(page.locator("html[data-answered=true]")).to_have_count(1)
    expect(page.locator(".st-key-board_scores .ab-svg").first).to_be_visible()
    expect(page.locator(".st-key-predict_scores")).to_have_css("display", "none")
    assert page.locator(".ab-covers > *").count() == 0


def test_share_lists_the_frames_of_a_page(visit):
    """A row for each board that is in sight, with the line that the board's own menu has; what is
    open in Share is not in it. A board more has a row more."""
    page = visit("scores?d_k=5&share=on&open=frames")
    lines, boards = page.locator(".frames input"), page.locator("[class*=st-key-board_] .ab-host")
    expect(lines).to_have_count(boards.count())
    listed = [line.input_value() for line in lines.all()]
    assert all("share" not in line and "open" not in line for line in listed)
    page.locator(".st-key-board_fan .ab-menu summary").first.click()
    page.locator(".st-key-board_fan").get_by_text("In a frame").click()
    (fan,) = [line for line in listed if "board_fan" in line]
    assert page.locator(".ab-frame-line code").inner_text() == fan
    expect(lines).to_have_count(0)  # a press outside closes Share
    page.evaluate(
        "window.attentionAddress.act({ held: window.attentionAddress.held(), d_k: 3, share: 'on',"
        " open: 'frames' })"
    )
    expect(lines.first).to_have_value(re.compile("d_k=3"))
    expect(lines).to_have_count(boards.count())


def test_a_board_that_is_not_on_the_page(page, server):
    """A name that no board has is told, and the way to the page is there."""
    page.goto(f"{server.url}/scores?embed=board_nowhere")
    expect(page.locator(".ab-alone-foot")).to_contain_text("This page has no board_nowhere.")
    expect(page.locator("h1")).to_be_hidden()


@pytest.fixture(scope="module")
def offline(chromium):
    """A browser without any network."""
    context = chromium.new_context(offline=True)
    yield context
    context.close()


def saved(page, folder):
    """The file that Share makes of the page."""
    with page.expect_download() as file:
        page.get_by_role("button", name="Save this page as a file").click()
    file.value.save_as(folder / "page.html")
    return folder / "page.html"


@pytest.mark.parametrize(
    "path, unfolded, charts",
    [("scores?d_k=5", "", 0), ("weights?", ",fold_variance", 1), ("?text=<b>x</b> y", "", 0)],
)
def test_a_page_as_one_file(visit, server, offline, tmp_path, path, unfolded, charts):
    """Saved and opened with no network at all, its boards have the page's numbers, and its charts
    are there, light and dark; it asks for nothing, is small, and a screen reader finds nothing
    amiss. What a reader typed stays text."""
    page = visit(f"{path}&share=on&open=page_file{unfolded}")
    expect(page.locator(".stVegaLiteChart :is(canvas, svg).marks")).to_have_count(charts)
    told = page.locator(".ab-svg").first.get_attribute("aria-label")
    drawn = page.evaluate(CELLS)
    file = saved(page, tmp_path)
    assert file.stat().st_size < 1_000_000
    for scheme in ("light", "dark"):
        alone = offline.new_page()
        alone.emulate_media(color_scheme=scheme)
        asked, failed = [], []
        alone.on("request", lambda request, asked=asked: asked.append(request.url))
        alone.on("pageerror", lambda error, failed=failed: failed.append(error))
        alone.goto(file.as_uri())
        expect(alone.locator(".ab-svg").first).to_have_attribute("aria-label", told)
        assert alone.evaluate(CELLS) == drawn
        assert (
            alone.evaluate("[...document.images].filter((chart) => chart.naturalWidth > 99).length")
            == charts
        )
        assert not re.search(
            r"check Checked|_arrow_|chevron", alone.locator("main").text_content()
        )  # no icon by its name
        assert (
            alone.locator("h3", has_text="Why √d_k, and not d_k?").count() == charts
        )  # what is unfolded has its heading
        assert (
            len(asked),
            failed,
            alone.locator("main b", has_text=re.compile("^x$")).count(),
        ) == (1, [], 0)
        expect(alone.get_by_role("link", name="The living page")).to_have_attribute(
            "href", re.compile(re.escape(server.url))
        )
        rules = ["wcag2a", "wcag2aa"] if scheme == "light" else ["color-contrast"]
        violations = Axe().run(alone, options={"runOnly": rules}).response["violations"]
        assert [
            (each["id"], each["nodes"][0]["html"][:200])
            for each in violations
            if each["impact"] in ("serious", "critical")
        ] == []
        alone.close()


def test_a_saved_page_plays_and_keeps_what_is_clicked(visit, offline, tmp_path):
    """With no network, each Play on each page that can move begins, and a cell that is chosen by
    Enter stays chosen."""
    alone, failed = offline.new_page(), []
    alone.on("pageerror", lambda error: failed.append(str(error)))
    boards = (
        "vocabulary embedding projection scores weights context heads?part=mixed+by+W_o block"
        " encoder"
    )
    for path in boards.split():
        page = visit(f"{path}{'&' if '?' in path else '?'}share=on&open=page_file")
        alone.goto(saved(page, tmp_path).as_uri())
        plays = alone.get_by_role("button", name="Play", exact=True)
        assert plays.count(), path
        plays.first.click()
        expect(alone.locator(".ab-moving .ab-motion > *").first).to_be_attached()
        if path == "scores":
            board = alone.locator(".ab-svg").first
            for key in ("ArrowDown", "ArrowLeft", "Enter"):
                board.press(key)
            alone.locator("h1").click()
            expect(alone.locator(".ab-readout").first).to_contain_text("ω[short, eat]")
    alone.close()
    assert not failed
