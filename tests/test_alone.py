"""One board by itself, in a frame of another site's page."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from helpers import open_page
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


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
