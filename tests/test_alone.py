"""What travels: one board in a frame of another site's page, a page as one file that needs no server."""

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
  ({ drawing }) => JSON.stringify((drawing.matrices ?? []).map(({ name, values }) => [name, values]))
)"""


@pytest.fixture
def elsewhere():
    """Another site: whatever is asked of it, it answers with the page that stands in `elsewhere.html`."""

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
    """The line that a board's menu gives shows that board there and nothing else of the page, as high as the frame; a cell that is
    pointed at answers, and a click goes on to another cell. A way leads to the whole page."""
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


def test_a_board_that_is_not_on_the_page(page, server):
    """A name that no board has is told, and the way to the page is there."""
    open_page(page, server, "scores?embed=board_nowhere")
    expect(page.locator(".ab-alone-foot")).to_contain_text("This page has no board_nowhere.")
    expect(page.locator("h1")).to_be_hidden()


@pytest.mark.parametrize("path", ["scores?d_k=5", "weights?", "?text=<b>x</b> y"])
def test_a_page_as_one_file(page, server, chromium, tmp_path, path):
    """Saved and opened with no network at all, its boards have the page's numbers, light and dark; it asks for nothing, is small, and
    a screen reader finds nothing amiss. What a reader typed stays text."""
    open_page(page, server, f"{path}&share=on&open=page_file")
    told = page.locator(".ab-svg").first.get_attribute("aria-label")
    drawn = page.evaluate(CELLS)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save this page as a file").click()
    file = tmp_path / "page.html"
    saved.value.save_as(file)
    assert file.stat().st_size < 1_000_000
    for scheme in ("light", "dark"):
        alone = chromium.new_context(color_scheme=scheme, offline=True).new_page()
        asked, failed = [], []
        alone.on("request", lambda request, asked=asked: asked.append(request.url))
        alone.on("pageerror", lambda error, failed=failed: failed.append(error))
        alone.goto(file.as_uri())
        expect(alone.locator(".ab-svg").first).to_have_attribute("aria-label", told)
        assert alone.evaluate(CELLS) == drawn
        assert (len(asked), failed, alone.locator("main b", has_text=re.compile("^x$")).count()) == (1, [], 0)
        expect(alone.get_by_role("link", name="The living page")).to_have_attribute("href", re.compile(re.escape(server.url)))
        violations = Axe().run(alone, options={"runOnly": ["wcag2a", "wcag2aa"]}).response["violations"]
        assert [
            (each["id"], each["nodes"][0]["html"][:200]) for each in violations if each["impact"] in ("serious", "critical")
        ] == []
        alone.context.close()
