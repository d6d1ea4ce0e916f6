"""What `import attention_explorer` gives in a notebook."""

import re
from html import unescape

import nbformat
import pytest
import torch
from nbclient import NotebookClient
from test_pretrained import checkpoint, kind, models  # noqa: F401 (a fixture)

import core as ae
from core import Setup, pretrained, run
from core.forward import batch
from core.forward.classifier import classify
from core.forward.encoder import encode
from pages.shared.link import read_link
from tests.seven_steps import FILE, make_notebook

SMALL = Setup(text="the cat drank the milk", d_model=4, d_k=3, d_v=3, heads=2)
SETUPS = [
    SMALL,
    Setup(mask="causal", positions="rotary", heads=4, kv_heads=2, bias="on", scale="fourth-root"),
    Setup(memory="a quick dog", projections="none", dropout=0.2, d_model=6),
]


@pytest.mark.parametrize("setup", SETUPS)
def test_every_entry_shows_itself(setup):
    """Each has a board of a bounded size, or says in a sentence why it has none, with a line of
    text beside it for whoever has no browser."""
    for trace in (run(setup), *encode(setup), classify(setup).trace):
        for name, entry in trace.items():
            shown = entry._repr_mimebundle_()
            assert shown["text/plain"].startswith(f"{name} ("), name
            assert len(shown["text/html"]) < (50_000 if setup == SMALL else 80_000), name
        html = trace._repr_html_()
        assert ("weights" in trace) == ("<script>" in html)


def test_what_has_no_board_says_so():
    """An entry with a further axis says how one of it is chosen, and so does a head that is not
    there."""
    trace = batch.run(Setup(others="a mat")).trace
    assert "Choose one sentence first: trace.at({'sentence': 0}, 'scores')." in unescape(
        trace["scores"]._repr_html_()
    )
    assert "<script>" in trace.at({"sentence": 0, "head": 1}, "scores")["scores"]._repr_html_()
    with pytest.raises(ValueError, match="head=2: weights has heads from 0 to 1"):
        run(Setup(heads=2)).show("weights", head=2)


def test_a_tidy_frame_has_one_number_a_row():
    """Each number stands once, beside its place along every axis."""
    trace = run(SETUPS[0])
    table = trace["weights"].frame(tidy=True)
    assert list(table.columns) == ["head", "query", "key", "weights"]
    assert table["weights"].tolist() == trace.value("weights").flatten().tolist()
    assert table.iloc[26].tolist()[:3] == [2, "the₁", "cat"]


def test_a_chart_has_every_number():
    """Altair's chart has a heatmap for each head, with all numbers and the words on its axes; −∞
    has no colour."""
    trace = run(SETUPS[0])
    chart = trace["weights"].chart().to_dict()
    assert chart["facet"]["field"] == "head"
    assert [each["weights"] for each in chart["data"]["values"]] == trace.value(
        "weights"
    ).flatten().tolist()
    assert "facet" not in trace["ids"].chart().to_dict()
    masked = run(Setup(mask="causal"))["masked"].chart().to_dict()["data"]["values"]
    assert masked[1]["masked"] is None


def test_a_link_leads_to_the_same_numbers():
    """The app reads the setup from it that the trace was computed from, the default one too."""
    for setup in (Setup(), *SETUPS):
        address, _, link = ae.link(run(setup)).partition("?")
        assert address.endswith("/weights") and read_link(link).setup == setup


SHARES = torch.softmax(torch.arange(54.0).sin().reshape(2, 3, 3, 3), dim=-1)


@pytest.mark.parametrize(
    "given",
    [SHARES, SHARES.numpy(), SHARES.tolist(), [each[None] for each in SHARES], tuple(SHARES)],
)
def test_bare_weights_are_taken_however_they_are_given(given):
    """One tensor, an array, nested lists, or one tensor a layer with or without a batch."""
    layers = ae.attention(given, ["a", "b", "a"])
    assert torch.equal(torch.stack([one.value("weights") for one in layers]), SHARES)
    assert layers[1]["weights"].frame(head=2).loc["b", "a₃"] == SHARES[1, 2, 1, 2].item()
    assert "<script>" in layers._repr_html_() and "alone" in repr(layers)
    assert "<script>" in layers[0]["weights"]._repr_html_()
    with pytest.raises(ValueError, match="come from no setup"):
        ae.link(layers[0])


def test_what_are_no_weights_is_refused():
    """Another size than the tokens', and numbers that are no shares, are told."""
    assert len(ae.attention(SHARES[0, 0], "abc")[0].value("weights")) == 1
    with pytest.raises(ValueError, match="3 × 3 × 3, and the tokens make them heads × 2 × 2"):
        ae.attention(SHARES, "ab")
    with pytest.raises(ValueError, match="shares from 0 to 1"):
        ae.attention(SHARES * 5, "abc")
    many = ae.attention(torch.eye(90).expand(20, 10, 90, 90), 90 * "a")._repr_html_()
    assert "first 17 of 90 words" in many and len(many) < 250_000


@pytest.mark.parametrize(("family", "what"), [("bert", "ForMaskedLM"), ("gpt2", "LMHeadModel")])
def test_a_model_in_memory_is_read(models, family, what):  # noqa: F811 (a fixture)
    """Every layer and head is computed by our own steps, held against the model's own numbers, and
    the model is left as it was; its folder is read too."""
    transformers = pytest.importorskip("transformers")
    folder = checkpoint(models / "small", family, what=what)
    model = kind(family, what).from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model.train()
    layers = ae.read(model, tokenizer, "the cat sat")
    assert model.training and model.config._attn_implementation == "sdpa"
    differences = [float(each) for each in re.findall(r" (\S+?e-\d+|0)\b", layers.note)]
    assert len(differences) == 3 and max(differences) < 1e-5, layers.note
    for named in ("small", folder):
        (again, *_) = ae.read(named, text="the cat sat")
        assert torch.equal(again.value("weights"), layers[0].value("weights"))
    with pytest.raises(ValueError, match="not in a folder of the app"):
        ae.link(layers[0])
    with pytest.raises(ValueError, match="needs its tokenizer"):
        ae.read(model)


def test_a_family_that_is_not_computed_gives_its_weights(models):  # noqa: F811 (a fixture)
    """Of another family the model's own weights are shown, and it is said what cannot be opened."""
    transformers = pytest.importorskip("transformers")
    folder = checkpoint(models / "small", "gpt2")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    config = transformers.GPTNeoConfig(
        vocab_size=len(tokenizer),
        hidden_size=8,
        num_layers=2,
        num_heads=2,
        intermediate_size=9,
        attention_types=[[["global"], 2]],
    )
    layers = ae.read(transformers.GPTNeoModel(config), tokenizer, "the cat sat")
    assert "gpt_neo" in layers.note and "no numbers beneath" in layers.note
    assert len(layers) == 2 and {*layers[0]} == {"weights"}
    assert pretrained.names() == ("small",)  # the app lists no model that is in memory


def test_the_notebook_of_the_seven_steps():
    """The one in assets is what its cells make, with its figures in it: each step shows itself."""
    made, kept = make_notebook(), nbformat.read(FILE, nbformat.NO_CONVERT)
    NotebookClient(made, timeout=300).execute()
    for new, old in zip(made.cells, kept.cells, strict=True):
        assert new.source == old.source
        outputs = [
            [each["data"]["text/plain"] for each in cell.get("outputs", ())] for cell in (new, old)
        ]
        assert outputs[0] == outputs[1], new.source
    shown = [each for cell in made.cells for each in cell.get("outputs", ())]
    assert sum("<script>" in each["data"].get("text/html", "") for each in shown) == 7
    assert all(len(each["data"].get("text/html", "")) < 50_000 for each in shown)
