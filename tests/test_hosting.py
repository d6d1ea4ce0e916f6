"""What a host reads, and whether the app works as a host runs it: with the settings that it forces,
cold, and killed."""

import os
import re
import signal
import subprocess
import sys
import tomllib

import psutil
import pytest
import torch
from helpers import ROOT, follow, open_page, ready
from playwright.sync_api import expect

from tests.benchmarks import load
from tests.benchmarks.load import crowd
from tests.benchmarks.server import launch, serving, stop
from tests.test_browser import cell

# Streamlit Community Cloud runs every app with these, whatever the app's own file says.
FORCED = (
    *("--client.showErrorDetails", "false"),
    *("--server.enableXsrfProtection", "true"),
    *("--browser.gatherUsageStats", "true"),
)
MEGABYTES = 690  # what it gives an app at least


def pinned(lines: str) -> dict[str, str]:
    """Package → version as written, from lines like `- name~=1.2` or `"name[extra]~=1.2",`."""
    found = re.findall(
        r"""^\s*(?:-\s+|")([a-z_-]+)(?:\[[a-z]+\])?(?:~=|=)?([0-9>][0-9.*,<=]*|>=[0-9.,<]*)?"?,?\s*$""",
        lines,
        re.MULTILINE,
    )
    return dict(found)


def test_the_hosts_versions_are_the_projects():
    """environment.yml asks for what pyproject.toml asks for: the same packages, the same versions,
    a Python that fits."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ours = pinned("\n".join(f'"{line}",' for line in project["dependencies"]))
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    theirs = pinned(text)
    assert set(ours) == {
        "torch",
        "streamlit",
        "pandas",
        "altair",
        "numpy",
        "segno",
        "safetensors",
        "redis",
        "tokenizers",
        "huggingface_hub",
    }
    for name in set(ours) - {"torch"}:
        assert theirs[name] == ours[name], name
    assert theirs["pytorch-cpu"] == ours["torch"].rsplit(".", 1)[0] + ".*"
    python = tuple(map(int, theirs["python"].split(".")))
    assert python >= tuple(map(int, project["requires-python"].removeprefix(">=").split(".")))
    assert "://" not in text


FIRST_PAGES = """
import sys
from helpers import app
for page, tab in (("0_overview", ""), ("4_scores", "full")):
    assert not app(f"pages/{page}.py", open=tab).exception
    print("pandas" in sys.modules, "altair" in sys.modules)
"""


def test_pandas_and_altair_wait_until_they_are_needed():
    """The overview has no chart: a server that shows it alone has none of the seventy megabytes
    that both take. They come with the first chart, a cell's running sum."""
    path = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    command, own = [sys.executable, "-c", FIRST_PAGES], os.environ | {"PYTHONPATH": path}
    ran = subprocess.run(command, check=True, capture_output=True, text=True, env=own)
    assert ran.stdout.split("\n")[:2] == ["False False", "True True"]


def test_a_small_class_on_a_cold_server(monkeypatch):
    """Ten viewers who are all there in the first second, and then act: every answer comes, however
    busy the machine, none has an error, and the host's memory suffices."""
    monkeypatch.setattr(load, "PATIENCE", 120)  # seconds
    with serving(ROOT / "streamlit_app.py", *FORCED) as own:
        outcome = crowd(own.port, viewers=10, seconds=3, pause=0.5)
        assert (outcome.errors, outcome.lost, len(outcome.seconds)) == ([], 0, 60)
        # a build for graphics cards takes 300 MB more; a host of that size has the other
        if torch.version.cuda is None:
            assert psutil.Process(own.process.pid).memory_info().rss < MEGABYTES * 1e6


@pytest.mark.browser
def test_a_killed_server_comes_back_with_the_same_setup(page):
    """The first visitor of a fresh process sees the overview at /, and pages, links and clicks work
    as ever. SIGKILL while a page is open, and the link alone brings the same numbers from another
    process, to its first visitor, and no dialog."""
    first = launch(ROOT / "streamlit_app.py", *FORCED)
    try:
        open_page(page, first, "")
        expect(page.locator("h1")).to_have_text(["Attention explorer"])
        follow(page, "scores?d_k=5&text=the+cat+the+mat&seed=7&heads=2&head=2&mask=causal&query=2")
        expect(page.locator(".ab-pair")).to_have_text(re.compile("cat.*mat"))
        expect(page).to_have_url(
            re.compile(
                r"/scores\?d_k=5&text=the\+cat\+the\+mat&seed=7&heads=2&head=2&mask=causal&query=2$"
            )
        )
        page.mouse.click(*cell(page, "scores", 2, 1))
        expect(page.locator(".ab-pair")).to_have_text(re.compile("the₃.*cat"))
        texts = page.locator(".st-key-board_scores .ab-readout").all_inner_texts()
        assert any("ω[the₃, cat]" in line for line in texts)
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait()
        second = launch(ROOT / "streamlit_app.py", *FORCED, port=first.port)
    finally:
        first.process.kill()
    try:
        expect(page.get_by_test_id("stConnectionStatus")).to_have_count(0, timeout=60_000)
        page.reload()
        ready(page)
        expect(page.locator("h1")).to_have_text(["4 · Scores"])
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator(".ab-pair")).to_have_text(re.compile("the₃.*cat"))
        assert page.locator(".st-key-board_scores .ab-readout").all_inner_texts() == texts
    finally:
        stop(second)
