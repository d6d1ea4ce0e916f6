"""What a host reads, and whether the app works under the settings that a host forces."""

import re
import tomllib

import psutil
import pytest
from conftest import ROOT, follow
from playwright.sync_api import expect

from tests.benchmarks import load
from tests.benchmarks.load import crowd
from tests.benchmarks.server import serving
from tests.test_browser import cell, open_page

# Streamlit Community Cloud runs every app with these, whatever the app's own file says.
FORCED = (
    *("--client.showErrorDetails", "false"),
    *("--server.enableXsrfProtection", "true"),
    *("--browser.gatherUsageStats", "true"),
)
MEGABYTES = 690  # what it gives an app at least


def pinned(lines: str) -> dict[str, str]:
    """Package → version as written, from lines like `- name~=1.2` or `"name[extra]~=1.2",`."""
    found = re.findall(r"""^\s*(?:-\s+|")([a-z_-]+)(?:\[[a-z]+\])?(?:~=|=)?([0-9][0-9.*]*)?"?,?\s*$""", lines, re.MULTILINE)
    return dict(found)


def test_the_hosts_versions_are_the_projects():
    """environment.yml asks for what pyproject.toml asks for: the same packages, the same versions, a Python that fits."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ours = pinned("\n".join(f'"{line}",' for line in project["dependencies"]))
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    theirs = pinned(text)
    assert set(ours) == {"torch", "streamlit", "altair", "pandas", "numpy", "segno", "safetensors"}
    for name in set(ours) - {"torch"}:
        assert theirs[name] == ours[name], name
    assert theirs["pytorch-cpu"] == ours["torch"].rsplit(".", 1)[0] + ".*"
    python = tuple(map(int, theirs["python"].split(".")))
    assert python >= tuple(map(int, project["requires-python"].removeprefix(">=").split(".")))
    assert "://" not in text


@pytest.mark.browser
def test_it_works_under_a_hosts_forced_settings(page, monkeypatch):
    """With the settings that Community Cloud forces: the first visitor of a fresh process sees the overview at /; pages, links
    and clicks as ever, and room left in its memory."""
    with serving(ROOT / "streamlit_app.py", *FORCED) as hosted:
        open_page(page, hosted, "")
        expect(page.locator("h1")).to_have_text("Attention explorer")
        follow(page, "scores?d_k=5")
        page.mouse.click(*cell(page, "scores", 5, 0))
        expect(page.get_by_text("“first” asks, “Life” is asked.")).to_be_visible()
        follow(page, "encoder?layers=6")
        expect(page.get_by_test_id("stException")).to_have_count(0)
        monkeypatch.setattr(load, "PATIENCE", 120)  # seconds; an answer is to come, however busy the machine
        outcome = crowd(hosted.port, viewers=5, seconds=3, pause=1.0)
        assert (outcome.errors, outcome.lost) == ([], 0)
        assert psutil.Process(hosted.process.pid).memory_info().rss < MEGABYTES * 1e6
