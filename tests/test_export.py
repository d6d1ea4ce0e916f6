"""What a reader takes home: scripts and notebooks that need nothing of this project, and hold every
tensor against its page."""

import io
import json
import os
import random
import re
import subprocess
import sys
import zipfile
from dataclasses import replace

import nbformat
import numpy as np
import pytest
import torch
from helpers import derived
from nbclient import NotebookClient
from strategies import HEADS, PRIMES, WORDS

from core import Setup, run
from core.export import derivation, has_file, link
from core.export.sections import LATER, SECTIONS
from core.export.traces import list_traces
from core.setup.setup import CHOICES
from pages.shared import share
from pages.shared.link.pages import PAGES
from pages.shared.share import files

SIZES = {"d_k": 5, "d_v": 3, "d_ff": 7, "positions": "learned", "bias": "on"}
EDITED = Setup(
    text="the cat the mat",
    heads=5,
    mask="causal",
    edits="w_q.1=w_k.2,w_v.*.2=-1,positions.1.2=7,embedding_table.2=0,b_o=0.5,w_c=0,layer2.w_1.2=1",
    others="a cat sat on the mat\ndogs",
    padding="left",
    dropout=0.3,
    **SIZES,
)
TRAINED = Setup(
    text="the cat drank the zyzzyva",
    init="trained",
    steps=3,
    others="one more word zyzzyva than there were before in it",
    **SIZES,
)
# Runs the script of each folder by itself.
RUN_ALL = """
import contextlib, pathlib, runpy, sys
for folder in sorted(pathlib.Path().resolve().iterdir()):
    with contextlib.chdir(folder):
        runpy.run_path("attention.py")
assert not {"core", "pages", "attention_explorer"} & set(sys.modules)
"""
CROSS = Setup(text="the cat sat", memory="a quick dog saw the cat", d_model=22, d_k=3, d_v=13)


def drawn(seed: int) -> Setup:
    """A setup of any kind whose weights are drawn, of distinct prime sizes, with other
    sentences."""
    chance = random.Random(seed)
    d_model, d_k, d_v = chance.sample(PRIMES, 3)
    values = {
        name: chance.choice([option for option in options if option != "trained"])
        for name, options in CHOICES.items()
    }
    text, *others = (" ".join(chance.choices(WORDS, k=chance.randint(1, 9))) for _ in range(3))
    sizes = {"d_model": d_model, "d_k": d_k, "d_v": d_v, "heads": chance.choice(HEADS)}
    more = {"sizes": "free", "dropout": chance.choice((0.0, 0.3))}
    return Setup(**(values | sizes | more | {"text": text, "others": "\n".join(others)}))


SETUPS = [
    *map(drawn, range(5)),
    CROSS,
    replace(CROSS, positions="learned", edits="positions.6.1=5"),
    replace(CROSS, positions="rotary", heads=4, kv_heads=2),
    Setup(text="the cat sat", others="a dog", padding="left", positions="alibi", mask="causal"),
    EDITED,
    Setup(layers=2, layer=2, norm="pre"),
    TRAINED,
    replace(TRAINED, task="next", mask="causal", unembedding="own", edits="unembedding.1=0"),
    Setup(text="naïve $x$ \u65e5 it's"),
]


def test_scripts_run_away_from_this_project_and_their_checks_hold(tmp_path):
    """In an empty folder, with the file beside it where there is one, each script ends well; where
    all weights are drawn there is none."""
    for place, setup in enumerate(SETUPS):
        folder = tmp_path / str(place)
        folder.mkdir()
        file = next(each for each in files.FILES if each.label == "Script").of(setup)
        made = file.make(setup, "https://example.org/")
        assert has_file(setup) == file.name.endswith(".zip") == bool(derivation(setup).file)
        if has_file(setup):
            zipfile.ZipFile(io.BytesIO(made)).extractall(folder)
        else:
            (folder / file.name).write_bytes(made)
    command = [sys.executable, "-I", "-c", RUN_ALL]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("setup", [*SETUPS[:3], EDITED, TRAINED])
def test_a_variable_of_each_name_holds_its_tensor(setup):
    """After it ran, every tensor of every page is there, `layer1.q` in `layer1`."""
    names = derived(setup)
    for named in list_traces(setup):
        for name, entry in named.trace.items():
            first, *rest = (named.prefix + name).split(".")
            value = names[first]
            for each in rest:
                value = getattr(value, each)
            assert torch.allclose(value, entry.value, atol=1e-5), (named.prefix + name, setup)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("scores", "return q @ k_t", "return q @ k_t + 0.01"),
        ("weights", "exp.sum(dim=-1", "exp.sum(dim=-2"),
        ("batch.q", "batch.q = project_heads(batch.x", "batch.q = project_heads(1.01 * batch.x"),
    ],
)
def test_a_mistake_fails_the_step_that_it_is_made_in(name, old, new):
    """A changed line stops right there, and says which tensor it is."""
    script = derivation(Setup()).script
    assert script.count(old) == 1
    with pytest.raises(AssertionError, match=f"^{name}: the page shows others"):
        exec(compile(script.replace(old, new), "script", "exec"), {})


def test_a_notebook_runs(tmp_path):
    """It is valid, and runs from first to last cell away from this project."""
    made = nbformat.reads(derivation(Setup()).notebook, as_version=4)
    nbformat.validate(made)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    NotebookClient(made, resources={"metadata": {"path": str(tmp_path)}}).execute(env=environment)
    printed = "".join(
        output.text for cell in made.cells if cell.cell_type == "code" for output in cell.outputs
    )
    assert "\nclassifier.log_probabilities (" in printed


def test_each_section_is_a_page_with_its_link():
    """Each has its page's name, the link of this very setup, and its tensors."""
    setup = Setup(text="the (cat) the mat", d_k=5)
    pages = [(step.path, step.menu) for step in PAGES[1:13]]
    assert [(section.path, section.title) for section in (*SECTIONS, *LATER)] == pages
    made = derivation(setup, "https://example.org/app/")
    for text, path in ((text, path) for text in (made.script, made.notebook) for path, _ in pages):
        assert f"](https://example.org/app/{path}?text=the+%28cat%29+the+mat&d_k=5)" in text
    assert link(setup, "scores", "") == "./scores?text=the+%28cat%29+the+mat&d_k=5"
    assert "\n" not in link(setup, "scores", "x\nimport os  # ")
    trace = run(setup)
    assert list(trace) == [entry.name for section in SECTIONS for entry in section.entries(trace)]


def test_a_readers_words_stay_data():
    """What was typed stands in the code's strings alone: nothing of it is read as markup or as
    code."""
    typed = "it's-not <img src=x> `b` $c$"
    setup = Setup(text=typed)
    parts = derivation(setup).parts
    told = [re.sub(r"\]\([^ )]*\)", "]", part.text) for part in parts]
    assert not [text for text in told if "it's-not" in text or "<" in text]
    assert any(repr(list(setup.tokens)) in part.code for part in parts)


@pytest.mark.parametrize("setup", [SETUPS[4], TRAINED], ids=["drawn", "trained"])
def test_tensors_keep_names_axes_and_shapes(setup):
    """NumPy's file holds every tensor to the last bit, says what its axes are, and which setup they
    are of."""
    entries = {name: entry for named in list_traces(setup) for name, entry in named.kept().items()}
    made = np.load(io.BytesIO(files.make_npz(setup, "https://example.org/")), allow_pickle=False)
    arrays = dict(made)
    axes = {name: " ".join(entry.dims) for name, entry in entries.items()}
    assert json.loads(str(arrays.pop("axes"))) == axes | {
        "link": link(setup, "", "https://example.org")
    }
    assert set(arrays) == set(entries) >= {"scores", "batch.scores", "layer1.w_2"}
    assert all(np.array_equal(arrays[name], entry.value.numpy()) for name, entry in entries.items())


def test_nothing_is_made_before_it_is_asked_for(monkeypatch):
    """The buttons are given functions: the dialog costs the same for the largest setup as for the
    smallest."""
    given = []
    monkeypatch.setattr(
        share.st, "download_button", lambda label, data, *rest, **named: given.append((label, data))
    )
    share._take_home(Setup(d_k=5), "")
    assert [label for label, _ in given] == [file.label for file in files.FILES]
    assert dict(given)["Script"]() == derivation(Setup(d_k=5)).script.encode()


@pytest.mark.browser
def test_a_notebook_is_downloaded_from_share(visit, server):
    """One press brings the notebook of the page's setup, with links back to this very server."""
    page = visit("scores?d_k=5&text=the+cat")
    page.get_by_role("button", name="Share or download").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Notebook", exact=True).click()
    assert download.value.suggested_filename == "attention.ipynb"
    expected = derivation(Setup(text="the cat", d_k=5), server.url + "/").notebook
    assert download.value.path().read_text(encoding="utf-8") == expected
