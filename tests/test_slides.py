"""Slides: every beat on a page of its own, 16:9, with all that a lecture's screen shows, nothing
cut, and the trace's numbers."""

import re
from urllib.parse import urlencode

import pytest
from helpers import address, open_page, place, steps
from playwright.sync_api import expect

from core.encoder import encode
from core.setup import Setup
from core.written import brief
from pages.shared.frame.share import slides
from pages.shared.link.beats import BEATS, WHY
from pages.shared.link.pages import PAGES

COUNTED = "window.printed = 0; window.print = () => { window.top.printed += 1; };"
TITLES = (
    "() => [...document.querySelectorAll('.ab-slide')].map((slide) =>"
    " slide.querySelector('h2').innerText)"
)
# What reaches over the edge of its slide, or of the picture of it above notes.
CUT = """() => [...document.querySelectorAll(".ab-slide-box")].flatMap((box) => {
  const edge = box.getBoundingClientRect(), over = ({ left, right, top, bottom, width, height }) =>
    width > 1 && height > 1
    && (left < edge.left - 1 || right > edge.right + 1
      || top < edge.top - 1 || bottom > edge.bottom + 1);
  const each = [...box.querySelectorAll(
    ":is(h1, h2, p, pre, td, li, svg, .katex-html, .ab-host, [data-testid=stText])")];
  const cut = each.filter((part) => part.checkVisibility() && over(part.getBoundingClientRect()));
  return cut.map((part) => part.outerHTML.slice(0, 200));
})"""
CONTROLS = (
    "button:not(.ab-next-rows *), select, input, textarea, iframe, [contenteditable], .ab-menu,"
    " .ab-steps, .ab-bar"
)


def pages_of(pdf: bytes) -> list[tuple[float, float]]:
    """Width and height of a PDF's pages, in points."""
    sizes = re.findall(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)\s*\]", pdf)
    assert len(sizes) == len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))
    return [(float(wide), float(high)) for wide, high in sizes]


@pytest.mark.browser
def test_the_slides_of_a_page(page, server):
    """One slide a beat, in order, dark on white in a dark theme too, without controls, nothing cut,
    the speaker's notes below, the trace's numbers in the cells and what a reader typed as text; as
    a PDF a page each, 16:9. The print dialog is asked for once, and the reader is where they were,
    with nothing more to go back to. A second window, with the speaker's notes, stays at its beat
    while slides go through all of them."""
    notes = page.context.new_page()
    open_page(notes, server, "scores?notes=on&beat=2")
    at = address(notes)
    notes.evaluate(
        "window.moved = 0; addEventListener('attention-moved', () => { window.moved += 1; })"
    )
    page.bring_to_front()
    page.emulate_media(color_scheme="dark")
    page.add_init_script(COUNTED)
    link = {"d_model": 7, "d_k": 5, "heads": 2, "text": "<b>x</b> y z"}
    open_page(page, server, f"scores?{urlencode(link)}&share=on&open=slides")
    page.get_by_label("With the speaker’s notes").set_checked(True)
    before = place(page)
    page.get_by_role("button", name="Make slides").click()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open the slides").click()
    printed = opened.value
    printed.wait_for_load_state()
    assert steps(page, before) == 0 and "lecture" not in address(page)
    assert (address(notes), notes.evaluate("window.moved")) == (at, 0)
    notes.close()
    setup = Setup(**link)
    beats = [beat.of(setup) for beat in BEATS["scores"]]
    expect(page.locator(".ab-slides [role=status]")).to_have_text(f"{len(beats)} slides.")
    page.wait_for_function("window.printed === 1")
    printed.emulate_media(media="print")
    assert printed.evaluate(TITLES) == [beat.title for beat in beats]
    assert printed.evaluate(CUT) == []
    assert printed.locator(CONTROLS).count() == 0
    ink = printed.evaluate("getComputedStyle(document.querySelector('.ab-screen h2')).color")
    assert max(map(int, re.findall(r"\d+", ink))) < 60  # dark
    said = [text.replace("\n", " ") for text in printed.locator(".ab-notes p").all_inner_texts()]
    assert said == [each for beat in beats for each in (beat.say, beat.ask, beat.wrong)]
    assert printed.locator("b", has_text=re.compile("^x$")).count() == 0
    slide = printed.locator(".ab-slide").nth([beat.name for beat in beats].index("matrix"))
    shown = slide.locator("[data-name=scores] .ab-numbers text").all_text_contents()
    scores = encode(setup)[0].value("scores")[0]
    assert shown == [brief(score) for score in scores.flatten().tolist()]
    assert pages_of(printed.pdf(prefer_css_page_size=True)) == [(1152, 648)] * len(beats)
    printed.close()


def test_what_can_be_had_as_slides():
    """A page's own beats, the seven steps on both routes, and all pages: each beat once, in the
    lecture's order."""
    of_page, seven, short, down, everything = slides.decks("heads").values()
    assert of_page == [("heads", number) for number in range(1, len(BEATS["heads"]) + 1)]
    assert seven == [
        (step.path, n) for step in PAGES[:8] for n in range(1, len(BEATS[step.path]) + 1)
    ]
    assert short == [(path, n) for path, n in seven if BEATS[path][n - 1].short]
    assert down == list(WHY)
    whys = [slides.beats(path, Setup())[k - 1].get("why") for path, k in down if path != "next"]
    assert all(whys)
    assert everything[: len(seven)] == seven and len(set(everything)) == len(everything)
