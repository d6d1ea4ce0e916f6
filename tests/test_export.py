"""What a reader takes home: scripts and notebooks that need torch alone, and make every tensor
again to the last bit."""

import ast
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
import pandas as pd
import pytest
import safetensors
import safetensors.torch
import torch
from nbclient import NotebookClient
from strategies import HEADS, PRIMES, WORDS

from core import attribution, next_word
from core.export import derived, link, notebook, script
from core.export.sections import LATER, SECTIONS
from core.record import Entry
from core.setup import CHOICES, Setup
from core.text import words
from core.trace import run
from core.written import number
from pages.shared.frame import share
from pages.shared.frame.share import files
from pages.shared.link import read_link
from pages.shared.link.pages import PAGES

EDITED = Setup(
    text="the cat the mat",
    d_model=5,
    d_k=5,
    d_v=3,
    heads=5,
    mask="causal",
    bias="on",
    positions="learned",
    seed=7,
    edits=(
        "w_q.1=w_k.2,w_k.2.3=0.25,w_v.*.2=-1,w_q.*.2=w_q.3.*,w_q.4=identity,positions.1.2=7,embedding_table.2=0,b_o=0.5,"
        "w_q.9=1,positions=embedding_table,embedding_table=identity,layer1.w_o=0,w_c=0,b_q.1=b_k.1,w_q.4.5.5=-12.5,"
        "w_o.4-6=0,w_v.2-3.*.1-1=0.5,w_k.1-2=w_q.4-5,w_o.6-4=9,w_q.3-9=1,layer2.w_q.1=layer2.w_k.2,layer1.w_1.2=0.25,layer1.w_q=0,"
        "layer2.w_2.*.3=7,layer1.b_1.2=-3,layer3.w_o=0,b_c.1=4,w_c.2=w_c.3,positions.5=-1,layer2.b_q=layer2.b_k"
    ),
    others="a cat sat on the mat\ndogs",
    padding="left",
    dropout=0.3,
    d_ff=7,
)
TRAINED = Setup(
    text="the cat drank the zyzzyva",
    init="trained",
    steps=3,
    d_model=5,
    d_k=3,
    d_v=2,
    heads=2,
    positions="learned",
    bias="on",
    others="one more word zyzzyva than there were before in it",
    d_ff=7,
)
CROSS = Setup(
    text="the cat sat there quietly",
    memory="a quick dog saw the cat run",
    d_model=22,
    d_k=3,
    d_v=13,
    heads=2,
    init="xavier",
)
# The tensors of a script by name, those that stand in another variable (`layer1.q`) too.
TENSORS = """
import torch
from types import SimpleNamespace
def tensors(names, before=""):
    found = {}
    for name, value in list(names.items()):
        if isinstance(value, torch.Tensor):
            found[before + name] = value
        elif isinstance(value, SimpleNamespace):
            found |= tensors(vars(value), f"{before}{name}.")
    return found
"""
# Runs each script in a namespace of its own, and keeps what its tensors became.
RUN_ALL = f"""{TENSORS}
import sys
from pathlib import Path
for path in sorted(Path().glob("*.py")):
    names = {{}}
    exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), names)
    torch.save(tensors(names), path.with_suffix(".pt"))
ours = ("core", "pages", "attention_explorer", "numpy.testing")
assert not [name for name in sys.modules if name.split(".")[0] in ours]
"""


def drawn(seed: int) -> Setup:
    """A setup of any kind, of distinct prime sizes."""
    chance = random.Random(seed)
    d_model, d_k, d_v = chance.sample(PRIMES, 3)
    values = {
        name: chance.choice([option for option in options if option != "trained"])
        for name, options in CHOICES.items()
    }
    text = " ".join(chance.choices(WORDS, k=chance.randint(1, 9)))
    sizes = {
        "d_model": d_model,
        "d_k": d_k,
        "d_v": d_v,
        "heads": chance.choice(HEADS),
        "sizes": "free",
    }
    temperature = chance.choice((0.1, 0.7, 1.0, 10.0))
    others = "\n".join(
        " ".join(chance.choices(WORDS, k=chance.randint(1, 9))) for _ in range(chance.randint(0, 2))
    )
    stack = {
        "layers": chance.randint(1, 2),
        "d_ff": chance.randint(1, 4 * d_model),
        "classes": chance.randint(2, 5),
    }
    batch = {
        "others": others,
        "dropout": chance.choice((0.0, 0.3)),
        "dropout_seed": chance.randrange(2**31),
    }
    own = {"text": text, "temperature": temperature, "seed": chance.randrange(2**31)}
    return Setup(**(values | sizes | stack | batch | own))


SETUPS = [
    *(drawn(seed) for seed in range(24)),
    CROSS,
    replace(CROSS, positions="learned", edits="positions.7.1=5"),
    replace(CROSS, positions="rotary", heads=4, kv_heads=2),
    EDITED,
    TRAINED,
    replace(TRAINED, edits="w_q.1.2.3=0.125,w_k=w_q,layer2.w_1=0,w_c.1=2"),
    replace(TRAINED, projections="none", positions="sinusoidal", bias="off"),
    replace(
        TRAINED, task="next", mask="causal", unembedding="own", edits="layer1.w_o=0,unembedding.1=0"
    ),
    replace(EDITED, edits="unembedding.2=1,w_q.1=w_k.2", unembedding="own"),
    Setup(text='a\'\\"""{}$ # %%\\n<b>'),
]


def assert_same(made: dict[str, torch.Tensor], setup: Setup) -> None:
    """Every entry of every page is there under its name, equal to the last bit."""
    for named in derived.named_traces(setup):
        for name, entry in named.trace.items():
            assert torch.equal(made[named.prefix + name], entry.value), (named.prefix + name, setup)


def kept(setup: Setup) -> dict[str, Entry]:
    """What a file holds of a setup."""
    return {
        name: entry
        for named in derived.named_traces(setup)
        for name, entry in derived.to_keep(named).items()
    }


def test_scripts_make_every_tensor_again(tmp_path):
    """Away from this project, the script of any setup ends with every tensor of the trace, to the
    last bit."""
    for place, setup in enumerate(SETUPS):
        (tmp_path / f"{place:02}.py").write_text(script(setup), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-I", "-c", RUN_ALL],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    for place, setup in enumerate(SETUPS):
        assert_same(torch.load(tmp_path / f"{place:02}.pt"), setup)


def test_notebooks_run_and_say_every_number(tmp_path):
    """Notebooks are valid, run from first to last cell away from this project, and say the numbers
    of every step."""
    made = nbformat.reads(notebook(TRAINED, "https://example.org"), as_version=4)
    nbformat.validate(made)
    made.cells.append(
        nbformat.v4.new_code_cell(f"{TENSORS}\ntorch.save(tensors(globals()), 'made.pt')")
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    NotebookClient(made, resources={"metadata": {"path": str(tmp_path)}}).execute(env=environment)
    printed = "\n" + "".join(
        output.text for cell in made.cells if cell.cell_type == "code" for output in cell.outputs
    )
    assert_same(torch.load(tmp_path / "made.pt"), TRAINED)
    for entry in (
        *run(TRAINED),
        "batch.weights",
        "layer1.out",
        "layer2.out",
        "classifier.layer2.out",
        "classifier.logits",
    ):
        assert printed.count(f"\n{entry} (") == 1, entry


MISTAKES = {
    "scores": ("q @ k_t", "q @ k_t + 0.01"),
    "scaled": ("/ (d_k**0.5", "/ (d_k"),
    "weights": ("exp.sum(dim=-1", "exp.sum(dim=-2"),
    "why.by_head": (
        "return weights * of_heads.squeeze(-1)",
        "return weights * of_heads.squeeze(-1) + 0.01",
    ),
}


WHY = {
    "edited": (EDITED, "cat", "mat"),
    "trained": (replace(TRAINED, task="next", mask="causal"), "", ""),
    "alone": (
        Setup(text="the cat sat", layers=2, norm="pre", norm_kind="rms", window=1, mask="window"),
        "cat",
        "cat",
    ),
}


@pytest.mark.parametrize(("setup", "word", "instead"), WHY.values(), ids=WHY)
def test_the_script_takes_the_readers_own_word_apart(setup, word, instead):
    """What each head and all else brings to the word that was asked about is the page's, and its
    total stands in the script as the page writes it."""
    names: dict = {}
    text = script(setup, word=word, instead=instead)
    exec(compile(text, "script", "exec"), names)
    said = next_word.predict(setup)
    likeliest = said.value("logits").argsort(descending=True, stable=True).tolist()
    place, other = (
        said.vocabulary.index(each) if each else at
        for each, at in zip((word, instead), likeliest, strict=False)
    )
    apart, why = (
        attribution.take_apart(setup, place, None if other == place else other),
        names["why"],
    )
    assert (why.heads - apart.heads).abs().max() < 1e-9 and (
        why.fed - apart.feed_forward
    ).abs().max() < 1e-9
    others = {name: value.item() for name, value in why.others.items()}
    assert others == pytest.approx(dict(apart.others), abs=1e-9)
    assert (
        f'check("why.total", why.total.reshape(1), "logit", """\n{number(apart.total):>9}""")'
        in text
    )


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_fails_the_step_that_it_is_made_in(name):
    """Each step holds its numbers against the page's: a changed line stops right there, and says
    which tensor it is."""
    text, (old, new) = script(Setup()), MISTAKES[name]
    assert text.count(old) == 1
    with pytest.raises(AssertionError, match=f"^{name}: the page shows"):
        exec(compile(text.replace(old, new), "script", "exec"), {})


def test_sections_are_the_pages():
    """Each section has its page's name and address, and the seven steps' hold every tensor, in the
    trace's order, each on its page."""
    pages = [(step.path, step.menu) for step in PAGES[1:13]]
    assert [(section.path, section.title) for section in (*SECTIONS, *LATER)] == pages
    for setup in SETUPS[:40]:
        trace = run(setup)
        assert list(trace) == [
            entry.name for section in SECTIONS for entry in section.entries(trace)
        ]
        made = {
            section.path: {entry.name for entry in section.entries(trace)} for section in SECTIONS
        }
        assert {"scores"} <= made["scores"] <= {"k_t", "scores"}
        assert made["weights"] == {"scaled", "masked", "weights"}
        assert {"concat", "output"} <= made["heads"] <= {"concat", "w_o", "b_o", "output"}


def test_every_step_has_the_link_of_its_page():
    """Script and notebook lead back to each page with this very setup, wherever the explorer
    stands."""
    setup = Setup(text="the (cat) the mat", d_k=5)
    for text in (
        script(setup, "https://example.org/app/"),
        notebook(setup, "https://example.org/app/"),
    ):
        for section in (*SECTIONS, *LATER):
            assert (
                f"](https://example.org/app/{section.path}?text=the+%28cat%29+the+mat&d_k=5)"
                in text
            )
    assert link(setup, "scores", "") == "./scores?text=the+%28cat%29+the+mat&d_k=5"
    assert "\n" not in link(setup, "scores", "x\nimport os  # ")


def test_only_torch_is_needed():
    """Nothing is imported but torch and the standard library."""
    nodes = ast.walk(ast.parse(script(Setup())))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {
        node.module
        for node in ast.walk(ast.parse(script(Setup())))
        if isinstance(node, ast.ImportFrom)
    }
    assert {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names) == {"torch"}


def test_a_readers_words_stay_data():
    """What was typed stands in the code's strings alone, and nothing of it is read as markup or as
    code."""
    typed = "<img src=x> `b` $c$"
    cells = json.loads(notebook(Setup(text=typed)))["cells"]
    told = [
        re.sub(r"\]\([^ )]*\)", "]", cell["source"])
        for cell in cells
        if cell["cell_type"] == "markdown"
    ]
    assert not [text for text in told if "img" in text or "`b`" in text or "<" in text]
    assert any(
        repr(list(words(typed))) in cell["source"] for cell in cells if cell["cell_type"] == "code"
    )


@pytest.mark.parametrize(
    "setup",
    [SETUPS[5], Setup(projections="none", mask="causal"), TRAINED],
    ids=["drawn", "plain", "trained"],
)
def test_tensors_keep_names_axes_and_shapes(setup, tmp_path):
    """Both files hold every tensor to the last bit, say what its axes are, and which setup they are
    of."""
    entries, url = kept(setup), link(setup, "", "https://example.org")
    axes = {name: " ".join(entry.dims) for name, entry in entries.items()}
    (tmp_path / "all.safetensors").write_bytes(files.as_safetensors(setup, "https://example.org/"))
    with safetensors.safe_open(tmp_path / "all.safetensors", "pt") as opened:
        assert opened.metadata() == axes | {"link": url}
        assert set(opened.keys()) == set(entries)
        assert all(
            torch.equal(opened.get_tensor(name), entry.value) for name, entry in entries.items()
        )
    arrays = dict(
        np.load(io.BytesIO(files.as_npz(setup, "https://example.org/")), allow_pickle=False)
    )
    assert json.loads(str(arrays.pop("axes"))) == axes | {"link": url}
    assert (
        set(arrays)
        == set(entries)
        >= {"scores", "batch.scores", "layer1.w_2", "classifier.encoded", "classifier.layer1.w_1"}
    )
    assert all(np.array_equal(arrays[name], entry.value.numpy()) for name, entry in entries.items())


def test_tables_hold_numbers_that_a_spreadsheet_reads():
    """A table for each matrix, labelled, its numbers exact: with a plain minus sign and no digit
    cut."""
    setup = Setup(text="the cat the mat", d_model=5, d_k=3, d_v=7, heads=2, mask="causal")
    archive = zipfile.ZipFile(io.BytesIO(files.as_tables(setup, "")))
    trace = run(setup)
    for_each_head = {
        name: (
            entry.dims[0] == "head"
            and entry.value.ndim == 3
            and not re.match(r"(batch|classifier)\.[a-z_]+$", name)
        )
        for name, entry in kept(setup).items()
    }
    assert len(archive.namelist()) == sum(2 if several else 1 for several in for_each_head.values())
    masked = pd.read_csv(archive.open("masked.head2.csv"))
    assert list(masked.columns[1:]) == list(masked["query"]) == ["the₁", "cat", "the₃", "mat"]
    assert np.array_equal(masked.iloc[:, 1:].to_numpy(np.float32), trace.value("masked")[1].numpy())
    assert pd.read_csv(archive.open("ids.csv")).iloc[0, 1:].tolist() == trace.value("ids").tolist()
    above = pd.read_csv(archive.open("layer2.masked.head2.csv"))
    assert list(above.columns) == list(masked.columns)
    assert np.array_equal(
        above.iloc[:, 1:].to_numpy(np.float32), kept(setup)["layer2.masked"].value[1].numpy()
    )
    batch = pd.read_csv(archive.open("batch.masked.csv"))
    assert list(batch.columns) == ["sentence", "head", "query", "key 1", "key 2", "key 3", "key 4"]
    third = batch.query("sentence == 3 and head == 2")
    assert third["query"].tolist() == [1, 2, 3, 4]
    assert np.array_equal(
        third.iloc[:, 3:].to_numpy(np.float32), kept(setup)["batch.masked"].value[2, 1].numpy()
    )


def test_nothing_is_made_before_it_is_asked_for(monkeypatch):
    """The buttons are given functions: the dialog costs the same for the largest setup as for the
    smallest. Script and notebook of the page of the next word are told which word it explains
    there."""
    given = []
    monkeypatch.setattr(
        share.st, "download_button", lambda label, data, *rest, **named: given.append((label, data))
    )
    present, held, labels = Setup(d_k=5), Setup(d_k=3), [file.label for file in files.FILES]
    share._take_home(present, held, "https://example.org/")
    assert [label for label, _ in given] == [*labels, *(f"{label} · held" for label in labels)]
    assert all(callable(data) for _, data in given)
    assert dict(given)["Script"]() == script(present, "https://example.org/").encode()
    assert dict(given)["Script · held"]() == script(held, "https://example.org/").encode()
    view = read_link("text=the+cat+the+mat&column=2&instead=cat")
    second = next_word.predict(view.setup).vocabulary[
        next_word.likeliest(next_word.predict(view.setup))[1]
    ]
    assert [share._asked(path, view) for path in ("next", "scores")] == [(second, "cat"), ("", "")]
    given.clear()
    share._take_home(view.setup, None, "", (second, "cat"))
    assert (
        dict(given)["Script"]()
        == script(view.setup, "", second, "cat").encode()
        != script(view.setup).encode()
    )
    for other in (None, present):  # nothing is held, or what is there anyway
        given.clear()
        share._take_home(present, other, "https://example.org/")
        assert [label for label, _ in given] == labels


@pytest.mark.browser
def test_a_notebook_is_downloaded_from_share(visit, server):
    """From a page with a setup of its own, one press brings the notebook of that setup, with links
    back to this very server; another one that of the setup which is held, under a name of its
    own."""
    page = visit("scores?d_k=5&text=the+cat&vs=seed:2")
    page.get_by_role("button", name="Share or download").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Notebook", exact=True).click()
    assert download.value.suggested_filename == "attention.ipynb"
    expected = notebook(Setup(text="the cat", d_k=5), server.url + "/")
    assert download.value.path().read_text(encoding="utf-8") == expected
    with page.expect_download() as download:
        page.get_by_role("button", name="Notebook · held", exact=True).click()
    assert download.value.suggested_filename == "attention-held.ipynb"
    assert download.value.path().read_text(encoding="utf-8") == notebook(
        Setup(seed=2), server.url + "/"
    )
    page.keyboard.press("Escape")


def test_a_word_is_no_formula_in_a_spreadsheet():
    """A word that begins with = or + stands in the tables behind an apostrophe: opened as a sheet,
    it computes nothing."""
    setup = Setup(text="=1+1 +cmd cat", d_model=3, d_k=2, d_v=2, heads=1)
    with zipfile.ZipFile(io.BytesIO(files.as_tables(setup, "http://localhost"))) as archive:
        cells = [
            cell
            for name in archive.namelist()
            for cell in re.split(r"[,\n]", archive.read(name).decode())
        ]
    cells = [cell.strip('"') for cell in cells]
    assert "'=1+1" in cells
    assert "'+cmd" in cells
    assert not any(cell.startswith(("=", "+")) for cell in cells)


def test_rows_that_are_looked_up_have_one_name():
    """The export calls the rows of the table as the pages do: E[ids]."""
    trace = run(Setup())
    assert trace["embedded"].symbol == "E[ids]"
    assert "E_i" not in notebook(Setup(), "http://localhost")
