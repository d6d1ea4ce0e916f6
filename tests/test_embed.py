"""What travels: one board in a frame of another site's page."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
import streamlit as st
import torch
from helpers import app, elements, open_page
from playwright.sync_api import expect

from core import Setup, attention, run
from pages.shared.layout import upload
from tests.test_browser import cell as cell_on_screen


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


@pytest.mark.browser
def test_a_board_in_a_frame_of_another_site(page, server, elsewhere):
    """The line of a board's menu shows the board there and nothing else of the page, which asks
    nothing first, with a way to all of it. On a slide that is scaled as a whole, what is pointed at
    is the cell under the pointer, the board performs, and a click goes on to another cell. A key
    that the board does not need is the slides' around it, which hear of it as reveal.js has it;
    whoever goes to the board by Tab has its arrows. A name that no board has is told."""
    open_page(page, server, "scores?d_k=5")
    page.locator(".st-key-board_scores .ab-menu summary").first.click()
    page.locator(".st-key-board_scores").get_by_text("In a frame").click()
    line = page.locator(".ab-frame-line code").inner_text()
    heard = "window.heard = []; addEventListener('message', ({ data }) => heard.push(data))"
    elsewhere.html = (
        f'<script>{heard}</script><div style="transform: scale(1.37); transform-origin: 30px'
        f' 10px">{line}</div>'
    )
    # so that nothing was answered yet
    page.add_init_script("try { localStorage.clear(); } catch { /* not a page of ours yet */ }")
    page.goto(f"http://localhost:{elsewhere.server_port}/")
    frame = page.frame_locator("iframe")
    expect(frame.locator(".st-key-board_scores .ab-svg").first).to_be_visible()
    expect(frame.locator("html[data-alone][data-answered=true]")).to_have_count(1)
    for hidden in ("h1", ".ab-panel", ".st-key-predict_scores"):
        expect(frame.locator(hidden).first).to_be_hidden()
    assert frame.locator(".ab-covers > *").count() == 0
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
    assert "/scores?" in inside.evaluate("location.href")
    page.mouse.click(*pointed("[data-name=scores] .ab-numbers text:nth-child(2)"))
    inside.wait_for_function(
        "() => location.search.includes('key=2') && window.attentionBoard.address.isAnswered()"
    )
    way = frame.get_by_role("link", name="Open the page")
    expect(way).to_have_attribute("href", re.compile(r"/scores\?d_k=5&query=1&key=2$"))
    # Space would press the button that had the focus
    inside.evaluate("document.activeElement.blur()")
    before = page.evaluate("heard.length")
    for key in ("PageDown", "PageUp", "Space", "ArrowRight", "Home"):
        page.keyboard.press(key)
    inside.evaluate("() => document.querySelector('.st-key-board_scores .ab-svg').focus()")
    for key in ("ArrowDown", "ArrowRight", "PageDown"):
        page.keyboard.press(key)
    page.wait_for_function(f"heard.length >= {before} + 5")
    said = [json.loads(each)["method"] for each in page.evaluate(f"heard.slice({before})")]
    assert said == ["next", "prev", "next", "next", "next"]
    page.goto(f"{server.url}/scores?embed=board_nowhere")
    expect(page.locator(".ab-alone-foot")).to_contain_text("This page has no board_nowhere.")


def test_a_file_in_a_frame(monkeypatch):
    """Where the browser brings no cookie along, as in another site's frame, no file would be taken:
    the page says so, and leads to itself without the frame; elsewhere a file can be given."""
    link = {"layers": 1}
    asked = {"get_option": st.get_option, "file_uploader": st.file_uploader}
    for cookies, count in (({}, 0), ({upload.COOKIE: "a"}, 1)):
        context = SimpleNamespace(url="http://here", cookies=cookies)
        monkeypatch.setattr(upload, "st", SimpleNamespace(context=context, **asked))
        at = app("pages/16_bring.py", **link)
        assert not at.exception
        assert len(at.get("file_uploader")) == count
        ways = [e for e in elements(at.main) if "Open this page by itself" in str(e.proto)]
        assert len(ways) == 1 - count
        assert all("layers=1" in str(way.proto) and "_blank" in str(way.proto) for way in ways)


@pytest.mark.browser
def test_a_board_as_one_text_needs_no_server(page, tmp_path):
    """Opened from a file, nothing is asked of anybody: a cell that is pointed at is said, one that
    is clicked is followed, and the board performs. Of several outputs each keeps its own; a weight
    that is clicked opens its row, a head of a map its weights; the colours are those of the page's
    text, also when it changes."""
    trace = run(Setup(d_k=3, d_v=5, heads=2))
    scores = trace.value("scores")[1]
    file = tmp_path / "board.html"
    outputs = trace.show("scores", head=1).html + trace["weights"]._repr_html_()
    bare = torch.tensor([[[0.25, 0.75], [1, 0]], [[0, 1], [0.5, 0.5]]])
    outputs += attention(bare, ["a", "cat"])._repr_html_()
    file.write_text(f"<!doctype html>{outputs}", encoding="utf-8")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    board = page.locator(".ab-host").first
    page.mouse.move(*cell_on_screen(page, "scores", 3, 2))
    expect(board.locator(".ab-readout")).to_contain_text(f"{scores[3, 2]:.4f}".lstrip("-"))
    page.mouse.click(*cell_on_screen(page, "scores", 3, 2))
    page.mouse.move(0, 0)
    expect(board.locator(".ab-readout")).to_contain_text("ω[eat, short]")
    board.get_by_role("button", name="Play").click()
    expect(board.locator(".ab-player")).to_be_visible()
    page.mouse.click(*cell_on_screen(page, "head 2", 1, 3))
    row = page.locator(".ab-host", has=page.locator("[data-name=exp]"))
    expect(row.locator(".ab-readout")).to_contain_text(
        f"α {trace.value('weights')[1, 1, 3]:.4f}   (eat)"
    )
    page.mouse.click(*cell_on_screen(page, "1·2", 1, 0))
    last = page.locator(".ab-host").last
    expect(last.locator(".ab-readout")).to_contain_text("head 2: “cat” gives 50% of its attention")
    place = page.locator(".ab-standalone").first
    expect(place).to_have_attribute("data-mode", "light")
    page.evaluate("() => { document.body.style.color = '#eeeeee'; }")
    expect(place).to_have_attribute("data-mode", "dark")
    expect(board).to_have_css("color", "rgb(232, 237, 242)")
    assert asked == [file.as_uri()]
