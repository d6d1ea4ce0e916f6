"""axe-core on every page, light on a desktop and dark on a phone: nothing serious in what the project made."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from pages.shared.steps import STEPS
from tests.test_browser import open_page

pytestmark = pytest.mark.browser

# What Streamlit draws itself, by rule: regions that scroll on a narrow screen and cannot be reached by keyboard.
STREAMLITS_OWN = {"scrollable-region-focusable": (".katex-display", "pre", ".stTable")}
LOOKS = {"light desktop": ("light", 1440, 900), "dark phone": ("dark", 390, 844)}


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.path or "overview")
@pytest.mark.parametrize("look", LOOKS)
def test_no_serious_violation(chromium, server, step, look):
    """Contrast, names, roles, keyboard: what axe calls serious or critical does not occur, Streamlit's own apart."""
    scheme, width, height = LOOKS[look]
    context = chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": height})
    page = context.new_page()
    open_page(page, server, step.path)
    found = Axe().run(page).response["violations"]
    context.close()
    serious = [
        (violation["id"], node["html"][:200])
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
        if not any(own in str(node["target"]) for own in STREAMLITS_OWN.get(violation["id"], ()))
    ]
    assert serious == []
