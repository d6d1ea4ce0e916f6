"""What a host reads, and whether the app works as a host runs it: with the settings that it forces,
and cold."""

import re
import tomllib

import psutil
import torch
from helpers import ROOT

from tests.benchmarks import load
from tests.benchmarks.load import crowd
from tests.benchmarks.server import serving

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
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["app"][1:], *extras["notebook"]]
    assert extras["app"][0] == "attention-explorer[notebook]"
    ours = pinned("\n".join(f'"{line}",' for line in asked))
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    theirs = pinned(text)
    assert len(ours) == len(asked)
    for name in set(ours) - {"torch"}:
        assert theirs[name] == ours[name], name
    assert theirs["pytorch-cpu"] == ours["torch"].rsplit(".", 1)[0] + ".*"
    python = tuple(map(int, theirs["python"].split(".")))
    assert python >= tuple(map(int, project["requires-python"].removeprefix(">=").split(".")))
    assert "://" not in text


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
