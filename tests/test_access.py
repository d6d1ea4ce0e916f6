"""axe-core on every page: nothing serious in what the project made.

With every run all of axe's rules once a page, light on a desktop, with a sentence and sizes that
give each kind of part but few cells: axe looks at every cell for itself. With LOOKS=all in the
environment all rules on all pages in all four looks, with the sizes that readers find.
"""

import os
from collections.abc import Sequence

import pytest
from axe_playwright_python.sync_playwright import Axe
from helpers import follow
from playwright.sync_api import expect

from pages.shared.link.pages import PAGES

pytestmark = pytest.mark.browser

# What Streamlit draws itself, by rule: regions that scroll on a narrow screen and cannot be reached
# by keyboard.
STREAMLITS_OWN = {"scrollable-region-focusable": (".katex-display", ".stTable")}
DESKTOP, PHONE = (1440, 900), (390, 844)
LOOKS = [("light", DESKTOP)]
if ALL := os.environ.get("LOOKS") == "all":
    LOOKS += [("dark", DESKTOP), ("light", PHONE), ("dark", PHONE)]
COLOURS = ["color-contrast"]  # of axe's rules the one that another scheme can break
SMALL = "" if ALL else "?text=a+b+b&d_model=3&d_k=2&d_v=2&heads=2&layers=2"


# The same on each page, so one page's are enough: the sidebar and the bar.
FRAME = ("[data-testid=stSidebar]", ".ab-bar")
SIDEWAYS = (
    "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth -"
    " m.clientWidth; }"
)


def serious(
    page, rules: list[str] | None = None, without: Sequence[str] = (), within: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """What axe calls serious or critical, Streamlit's own apart; by these rules, or by all, within
    some parts or without them."""
    context = {
        "exclude": [[part] for part in without],
        "include": [[part] for part in within or ["html"]],
    }
    options = {"resultTypes": ["violations"]} | ({"runOnly": rules} if rules else {})
    return [
        (violation["id"], node["html"][:200])
        for violation in Axe().run(page, context=context, options=options).response["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
        if not any(own in str(node["target"]) for own in STREAMLITS_OWN.get(violation["id"], ()))
    ]


@pytest.mark.parametrize("step", PAGES, ids=lambda step: step.path or "overview")
@pytest.mark.parametrize(
    "look", LOOKS, ids=lambda look: f"{look[0]} {'phone' if look[1] == PHONE else 'desktop'}"
)
def test_no_serious_violation(window_of, step, look):
    """Contrast, names, roles, keyboard: what axe calls serious or critical does not occur, tables
    unfolded or not. At 390 pixels only wide matrices scroll sideways, inside their own frame."""
    scheme, (width, height) = look
    page = window_of(step.path + SMALL, width, height, scheme)
    if (width, height) == PHONE:
        assert page.evaluate(SIDEWAYS) <= 1
    unfold = page.locator(".ab-tables:not([open]) summary")
    # Tables look alike on all pages: in the dark, those of one are enough.
    if unfold.count():
        page.locator(".ab-menu:has(.ab-tables) > summary").first.click()
        unfold.first.click()
    without = () if step.path == "scores" or ALL else FRAME
    assert serious(page, None, without) == []


def unfold_the_panel(page, is_open: bool) -> None:
    """All that the panel folds away, and what each control means."""
    page.locator(".ab-panel details").evaluate_all(
        "(all, open) => all.forEach((each) => { each.open = open; })", is_open
    )


def test_no_serious_violation_in_a_lecture(window_of):
    """The projected beat, an exercise, the speaker's window, the links to hand on, all of the
    panel, the glossary: as accessible as the pages."""
    found = {}

    def look_at(page, name: str, without: Sequence[str] = ()) -> None:
        for scheme, rules in (("light", None), ("dark", None if ALL else COLOURS)):
            page.emulate_media(color_scheme=scheme)
            expect(page.locator("[data-testid=stApp]")).to_have_css("color-scheme", scheme)
            found[name, scheme] = serious(page, rules, without)

    for link in ("scores?lecture=on&beat=11", "weights?notes=on&beat=11"):
        page = window_of(f"{link}&{SMALL[1:]}", 1280, 720)
        page.wait_for_selector(".st-key-lecture_foot p")
        look_at(page, link)
    page = window_of(f"scores?vs=seed:2&{SMALL[1:]}", 1280, 720)
    page.get_by_role("button", name="Share or download").click()
    page.get_by_role("button", name="Copy link: This view").wait_for()
    unfold_the_panel(page, True)
    look_at(page, "share, and all of the panel")
    unfold_the_panel(page, False)
    page.keyboard.press("Escape")
    page.locator(".ab-words a").last.click()
    page.get_by_role("dialog", name="Words and symbols").wait_for()
    look_at(page, "glossary", () if ALL else ("[data-testid=stMain]", *FRAME))
    page.keyboard.press("Escape")
    assert not any(found.values()), found


def test_in_focus_does_not_look_selected(window_of):
    """The selected choice has another ground; what is in focus only a line around it, which on a
    board runs beside its labels."""
    page = window_of("heads", *DESKTOP)
    page.keyboard.press("Tab")
    selected, focused, neither = page.locator("label:has([name=ab-part])").all()
    focused.locator("input").focus()
    grounds = [
        each.evaluate("(each) => getComputedStyle(each).backgroundColor")
        for each in (selected, focused, neither)
    ]
    assert grounds[0] != grounds[1] == grounds[2]
    board = page.locator(".ab-svg")
    board.focus()
    expect(board).to_have_css("outline-style", "none")
    expect(page.locator(".ab-host:has(> .ab-svg)")).to_have_css("outline-style", "solid")


# What may have the focus: on which page, and which of them.
IN_FOCUS = {
    "a link in a text": ("next", ".stMain a[data-sets^='word_temperature']", 1),
    "a head": ("", ".ab-head", 1),
    "a button": ("embedding", ".ab-play", 0),
    "a fold": ("scores", ".st-key-board_fan summary", 0),
}


@pytest.mark.parametrize("kind", IN_FOCUS)
def test_an_answer_leaves_the_focus_where_it_is(window_of, kind):
    """Who works by keyboard is not thrown back to the page's top by new numbers: what had the focus
    has it, drawn anew or not."""
    path, selector, place = IN_FOCUS[kind]
    page = window_of(f"{path}?d_k=5", *DESKTOP)
    part = page.locator(selector).nth(place)
    page.keyboard.press("Tab")
    part.focus()
    part.evaluate("(part) => { part.dataset.was = 'here'; }")
    follow(page, f"{path}?text=eat+dessert+first")
    expect(page.locator("[data-was]")).to_have_count(0)
    expect(part).to_be_focused()
