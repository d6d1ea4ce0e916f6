"""axe-core on every page: nothing serious in what the project made.

Light on a desktop and dark on a phone with every run; with LOOKS=all in the environment the other two looks too.
"""

import os

import pytest
from axe_playwright_python.sync_playwright import Axe

from pages.shared.steps import STEPS
from tests.test_browser import open_page
from tests.test_lecture import open_lecture

pytestmark = pytest.mark.browser

# What Streamlit draws itself, by rule: regions that scroll on a narrow screen and cannot be reached by keyboard.
STREAMLITS_OWN = {"scrollable-region-focusable": (".katex-display", "pre", ".stTable")}
DESKTOP, PHONE = (1440, 900), (390, 844)
LOOKS = [("light", DESKTOP), ("dark", PHONE)]
if os.environ.get("LOOKS") == "all":
    LOOKS += [("dark", DESKTOP), ("light", PHONE)]


def serious(page) -> list[tuple[str, str]]:
    """What axe calls serious or critical, Streamlit's own apart."""
    return [
        (violation["id"], node["html"][:200])
        for violation in Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
        if not any(own in str(node["target"]) for own in STREAMLITS_OWN.get(violation["id"], ()))
    ]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.path or "overview")
@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look[0]} {'phone' if look[1] == PHONE else 'desktop'}")
def test_no_serious_violation(window_of, step, look):
    """Contrast, names, roles, keyboard: what axe calls serious or critical does not occur, tables unfolded or not."""
    scheme, (width, height) = look
    page = window_of(step.path, width, height, scheme)
    unfold = page.locator(".ab-tables:not([open]) summary")
    if unfold.count():
        unfold.first.click()
    assert serious(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_violation_in_a_lecture(browser_of, server, scheme):
    """The projected beat, an exercise, the speaker's window, the links to hand on, the glossary: as accessible as the pages."""
    page = browser_of(1280, 720, scheme).new_page()
    found = {}
    for link in ("scores?lecture=on", "scores?lecture=on&beat=4", "scores?lecture=on&beat=11", "weights?notes=on&beat=11"):
        open_lecture(page, server, link)
        found[link] = serious(page)
    open_page(page, server, "scores?vs=seed:2")
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Copy link: This view").wait_for()
    found["share"] = serious(page)
    page.keyboard.press("Escape")
    page.locator(".ab-words a").last.click()
    page.get_by_role("dialog", name="Words and symbols").wait_for()
    found["glossary"] = serious(page)
    page.close()
    assert not any(found.values()), found
