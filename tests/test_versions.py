"""The explorer runs on each version of Streamlit that is allowed: `python -m tests.versions` runs
this file on all of them, with all pages; a run without VERSIONS in the environment tries every
fourth."""

import os
import re

import pytest
from helpers import ANSWERED, address
from playwright.sync_api import expect

from core.board.scripts import WEB
from pages.shared.link.pages import PAGES

pytestmark = pytest.mark.browser


def test_what_our_scripts_know_of_streamlits_page(visit):
    """Each name in `streamlit_page.js` and `streamlit_page.css` is on a page: what is told beside
    it is what would be missed."""
    script, sheet = ((WEB / f"streamlit_page.{kind}").read_text("utf-8") for kind in ("js", "css"))
    known = dict(re.findall(r'^export const (\w+) = "([^"]+)"', script, re.M))
    known |= {name: name for name in re.findall(r"\[data-testid=\w+\]|\.st[A-Z]\w+", sheet)}
    known.pop("[data-testid=stStatusWidget]")  # is there while an answer is on its way
    of_weights = "weights?open=fold_variance", "weights?open=tables"
    for link in ("training?steps=5&init=trained", *of_weights, "bring", "heads", "notebooks"):
        page = visit(link)
        known = {
            name: selector for name, selector in known.items() if not page.locator(selector).count()
        }
    page.get_by_test_id("stSidebar").hover()  # its button is in sight under the pointer alone
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    page.get_by_test_id("stExpandSidebarButton").click()  # is there while the setup is folded
    known.pop("[data-testid=stExpandSidebarButton]")
    assert known == {}


@pytest.mark.parametrize(
    "step",
    PAGES if os.environ.get("VERSIONS") else PAGES[4:5],
    ids=lambda step: step.path or "overview",
)
def test_every_page_an_act_and_back(visit, step):
    """Each page opens from its link, an act by the panel and one by the page change it, Back and
    Forward go between them."""
    page = visit(f"{step.path}?d_v=5")
    title = page.locator(".stMain h1").first
    expect(title).to_contain_text(step.title if step.path else "Attention explorer")
    page.get_by_role("slider", name="d_k", exact=True).press("ArrowRight")
    page.wait_for_function(ANSWERED)
    assert address(page).endswith(f"/{step.path}?d_v=5&d_k=25")
    other = next(each for each in PAGES if each is not step)
    page.locator(f".ab-bar a[data-page='{other.path}']").click()
    page.wait_for_function(ANSWERED)
    expect(title).to_contain_text(other.title if other.path else "Attention explorer")
    for _ in range(2):
        page.go_back()
    page.wait_for_function(ANSWERED)
    assert address(page).endswith(f"/{step.path}?d_v=5")
    expect(title).to_contain_text(step.title if step.path else "Attention explorer")
    expect(page.get_by_role("slider", name="d_k", exact=True)).to_have_value("24")
    page.go_forward()
    page.wait_for_function(ANSWERED)
    expect(page.get_by_role("slider", name="d_k", exact=True)).to_have_value("25")
    expect(page.locator("[data-testid=stException]")).to_have_count(0)
