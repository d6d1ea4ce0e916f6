"""Why this word: the summands of a logit are what they are said to be, and they add up to it."""

from dataclasses import replace
from random import Random

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import at_every_place
from strategies import given_numbers, setups

from core import Setup
from core.analysis import attribution
from core.analysis.attribution import Attribution
from core.forward import encoder, next_word
from core.forward.trace import compute_embedding
from core.layers import model
from core.reference import reference
from core.text.text import token_ids
from core.trace.record import Trace, TraceBuilder
from core.weights import weights

SIZES = {"d_model": 7, "d_k": 3, "d_v": 5, "heads": 2, "d_ff": 11, "layers": 3}
SMALL = Setup(text="the cat sat on the mat", init="xavier", bias="on", **SIZES)


def doubled(values: dict) -> dict:
    return {name: value.double() for name, value in values.items()}


def run_in_float64(setup: Setup) -> tuple[Trace, tuple[Trace, ...]]:
    """The setup's stack with each of its weights as a float64: nothing that float32 rounds is
    left."""
    record = TraceBuilder()
    x = model.embed(
        setup,
        doubled(weights.get_embedding(setup)),
        record,
        token_ids(setup.tokens, setup.vocabulary),
    )
    of_layers = tuple(doubled(layer) for layer in weights.layers(setup))
    layers = encoder.stack(setup, of_layers, x.double(), weights.may_attend(setup, len(x)))
    return Trace(setup, record.entries), layers


def frozen(
    row: torch.Tensor, of: torch.Tensor, setup: Setup, gain=1.0, shift=0.0, kept=1.0
) -> torch.Tensor:
    """A norm of a row with the spread of another."""
    if setup.norm_kind == "rms":
        return row / (of.square().mean() + setup.epsilon).sqrt() * gain + kept * shift
    variance = ((of - of.mean()) ** 2).mean()
    return (row - row.mean()) / (variance + setup.epsilon).sqrt() * gain + kept * shift


def linearised(
    bottom: Trace, layers: tuple[Trace, ...], column: torch.Tensor, kept: dict[str, torch.Tensor]
) -> torch.Tensor:
    """The logit from below upwards: each summand as it was, times how much of it is kept, each norm
    with the spread that it had."""
    setup = bottom.setup
    row = torch.zeros_like(column)
    for name in ("embedded", "positions", "part") if "embedded" in bottom else ("x",):
        if name in bottom:
            row = row + kept[name] * bottom.value(name)[-1].double()
    around = doubled(setup.real.around) if setup.real else {}
    if "summed" in bottom:
        row = frozen(
            row,
            bottom.value("summed")[-1].double(),
            setup,
            around["gain_0"],
            around["shift_0"],
            kept["shift_0"],
        )
    for n, layer in enumerate(layers):
        own = {
            name: entry.value.double()
            for name, entry in layer.items()
            if entry.value.is_floating_point()
        }
        (heads, _, tokens), width = own["weights"].shape, own["v"].shape[-1]
        for head in range(heads):
            v = own["v"][head * len(own["v"]) // heads]
            back = (
                own["w_o"][head * width : (head + 1) * width]
                if "w_o" in own
                else torch.eye(width).double()
            )
            for token in range(tokens):
                row = row + kept["heads"][n, head, token] * own["weights"][head, -1, token] * (
                    v[token] @ back
                )
        row = row + (kept[f"layer{n + 1}.b_o"] * own["b_o"] if "b_o" in own else 0)
        if setup.norm == "post":
            row = normed(row, own, "resid_mid", "1", n, setup, kept)
        fed = F.linear(own["ffn_activated"][-1], own["w_2"].T)
        row = (
            row
            + kept["feed_forward"][n] * fed
            + (kept[f"layer{n + 1}.b_2"] * own["b_2"] if "b_2" in own else 0)
        )
        if setup.norm == "post":
            row = normed(row, own, "resid_post", "2", n, setup, kept)
    if "gain_top" in around:
        last, shift = layers[-1].value("out")[-1].double(), around.get("shift_top", 0.0)
        row = frozen(row, last, setup, around["gain_top"], shift, kept.get("shift_top", 0.0))
    return row @ column


def normed(
    row, own: dict, source: str, which: str, n: int, setup: Setup, kept: dict
) -> torch.Tensor:
    gain, shift = own.get(f"gain_{which}", 1.0), own.get(f"shift_{which}", 0.0)
    return frozen(
        row, own[source][-1], setup, gain, shift, kept.get(f"layer{n + 1}.shift_{which}", 1.0)
    )


def is_what_is_said(setup: Setup, pick: int) -> None:
    """In float64 the summands add up to the logit within 1e-9 of what they have together, and each
    is the derivative by how much of it is kept, which autograd finds in a stack that is computed
    from below."""
    random = Random(pick)
    causal = next_word.resolve_setup(setup)
    words = len(next_word.predict(causal).value("logits"))
    word, instead = random.randrange(words), random.choice((None, random.randrange(words)))
    bottom, layers = run_in_float64(causal)
    column = attribution.column(causal, word, instead)
    found = attribution.attribute_run(bottom, layers, column)
    size = 1 + sum(abs(each.value) for each in found.ranked())
    assert abs(found.total - found.added_up) < 1e-9 * size
    below, of_layers, top = found.sum_by_layer()
    assert abs(found.total - below - of_layers.sum().item() - top) < 1e-9 * size
    kept = {
        "heads": torch.ones(found.heads.shape),
        "feed_forward": torch.ones(found.feed_forward.shape),
    }
    kept |= {name: torch.ones(()) for name in found.others}
    kept = {name: value.double().requires_grad_() for name, value in kept.items()}
    logit = linearised(bottom, layers, column, kept)
    assert abs(logit.item() - found.total) < 1e-9 * size
    of_each = dict(zip(kept, torch.autograd.grad(logit, list(kept.values())), strict=True))
    ours = {"heads": found.heads, "feed_forward": found.feed_forward, **found.others}
    for name, derivative in of_each.items():
        assert (
            torch.as_tensor(ours[name], dtype=torch.float64) - derivative
        ).abs().max() < 1e-9 * size, name


@settings(max_examples=40)
@given(setups(), st.integers(0, 2**16))
def test_each_summand_is_what_it_brings(setup, pick):
    """Over setups of every field: layer and rms norm, pre and post, positions, kv_heads, masks,
    biases, swiglu, tied and own."""
    is_what_is_said(setup, pick)


@settings(max_examples=25)
@given(st.integers(0, 2**16))
def test_it_holds_of_given_numbers(seed):
    """The same where X, a table or projections were pasted, as far as they say a next word."""
    setup, _ = Setup.nearest(
        {
            "init": "given",
            "given": given_numbers(Random(seed)),
            "text": "",
            "norm": "pre",
            "bias": "on",
        }
    )
    if not next_word.explain_refusal(setup):
        is_what_is_said(setup, seed)


OF_FAMILIES = {
    "gpt2": {"embedded", "positions", "layer2.b_o", "layer3.b_2", "shift_top"},
    "llama": {"embedded"},
    "bert": {"embedded", "positions", "layer2.b_o", "part", "shift_0", "layer3.shift_2"},
}


@pytest.mark.parametrize("family", OF_FAMILIES)
def test_it_holds_of_a_model_that_was_read(family, tmp_path, monkeypatch):
    """The same with gains and shifts or gains alone, the norm at the top, shared keys, an own head,
    and, of BERT's family if it were asked, the part of a text. What its last layer would say is
    what it says, and a head of it is switched off as by an edit."""
    read = pytest.importorskip(
        "test_pretrained",
        reason="small models are made by the library that people have theirs from",
    )
    monkeypatch.setenv("ATTENTION_MODELS", str(tmp_path))
    monkeypatch.setattr(next_word, "explain_refusal", lambda setup: "")
    read.checkpoint(tmp_path / "small", family)
    setup = Setup(text="the cat sat on the mat", init="real")
    is_what_is_said(setup, 5)
    assert {*attribution.take_apart(setup, 3).others} >= OF_FAMILIES[family]
    says = at_every_place(next_word.predict(setup)).argmax(dim=-1)
    assert torch.equal(attribution.lens(setup).words[-1], says)
    off = replace(setup, edits=f"layer2.w_o.{setup.d_v + 1}-{2 * setup.d_v}=0")
    logit = next_word.predict(off).value("logits")[3].item()
    without = attribution.ablate_head(setup, 1, 1).value("logits")[3].item()
    assert without == pytest.approx(logit, abs=1e-4)


@settings(max_examples=15)
@given(setups(), st.integers(0, 2**16))
def test_they_add_up_to_the_logit_on_the_page(setup, pick):
    """In the usual run the sum is the logit of the page Next word, or the difference of two, within
    what float32 rounds."""
    logits = next_word.predict(setup).value("logits").double()
    word, instead = Random(pick).randrange(len(logits)), Random(pick + 1).choice((None, 0))
    found = attribution.take_apart(setup, word, instead)
    stands = logits[word] - (0 if instead is None else logits[instead])
    size = 1 + sum(abs(each.value) for each in found.ranked())
    assert abs(found.added_up - stands) < 1e-4 * size
    assert abs(found.total - stands) < 1e-5 * (1 + logits.abs().max())
    check = reference.check_summands(next_word.predict(setup), found.added_up, word, instead)
    assert check.largest < 1e-4 * size
    assert check.size == pytest.approx(abs(stands.item()), abs=1e-4 * size)
    wrong = found.added_up + size
    check = reference.check_summands(next_word.predict(setup), wrong, word, instead)
    assert check.largest > 0.9 * size
    shape = (setup.layers, setup.heads, len(setup.tokens))
    assert found.heads.shape == shape
    assert found.feed_forward.shape == shape[:1]


def test_the_way_up_has_each_summand_at_its_layer():
    """Biases and shifts count with the part before them, what is below the first layer together,
    the norm at the top by itself."""
    others = {"embedded": 1.0, "positions": 2.0, "shift_0": 4.0, "layer1.b_o": 8.0}
    others |= {"layer2.shift_1": 16.0, "layer2.b_2": 32.0, "layer1.shift_2": 64.0}
    others["shift_top"] = 128.0
    found = Attribution(0.0, torch.ones(2, 3, 2), torch.tensor([0.25, 0.5]), others)
    below, of_layers, top = found.sum_by_layer()
    assert (below, of_layers.tolist(), top) == (7.0, [[14.0, 64.25], [22.0, 32.5]], 128.0)


def test_each_summand_is_named_once_by_its_size():
    """All summands, each at its own place, the largest first, whichever sign it has."""
    heads, fed = torch.arange(12.0).view(2, 3, 2) - 6, torch.tensor([20.0, -30.0])
    ranked = Attribution(0.0, heads, fed, {"embedded": 5.5}).ranked()
    sizes = [abs(each.value) for each in ranked]
    assert sizes == sorted(sizes, reverse=True)
    assert len({each[1:] for each in ranked}) == 15
    largest = [(-30.0, "feed_forward", 1, -1, -1), (20.0, "feed_forward", 0, -1, -1)]
    assert ranked[:3] == [*largest, (-6.0, "head", 0, 0, 0)]
    assert (5.5, "embedded", -1, -1, -1) in ranked


@pytest.mark.parametrize(
    "changed", [{}, {"norm": "pre"}, {"projections": "none"}, {"unembedding": "own", "kv_heads": 1}]
)
def test_a_stack_cut_off_says_what_the_lens_says(changed):
    """After each layer the lens has what a stack of so few layers says, at each place, with its
    share and that of the last layer's own word; below the first it asks X itself. The first place
    of the answer is the first layer that says it."""
    setup = replace(SMALL, **changed)
    found, whole = attribution.lens(setup), next_word.predict(setup)
    answer = at_every_place(whole).argmax(dim=-1)
    of_x = compute_embedding(next_word.resolve_setup(setup)).value("x") @ whole.value("unembedding")
    for layers in range(4):
        says = at_every_place(next_word.predict(replace(setup, layers=layers))) if layers else of_x
        shares = torch.softmax(says, dim=-1)
        assert torch.allclose(found.shares[layers], shares.amax(dim=-1), atol=1e-5)
        of_answer, of_word = (
            shares.gather(-1, words[:, None])[:, 0] for words in (answer, found.words[layers])
        )
        assert torch.allclose(found.of_answer[layers], of_answer, atol=1e-5)
        assert torch.allclose(found.shares[layers], of_word, atol=1e-5)
    for token, first in enumerate(found.first.tolist()):
        says = found.words[:, token].tolist()
        assert says[first] == says[-1] and says[-1] not in says[:first]


@pytest.mark.parametrize(
    "changed", [{}, {"norm": "pre", "norm_kind": "rms"}, {"kv_heads": 1, "bias": "off"}]
)
def test_a_head_that_is_off_changes_the_logit_as_an_edit_does(changed):
    """With a head off the logit is that of the setup whose rows of W_o are edited to 0, in
    whichever layer."""
    setup = replace(SMALL, **changed)
    for layer, head in ((0, 1), (2, 0)):
        rows = f"{head * setup.d_v + 1}-{(head + 1) * setup.d_v}"
        logits = next_word.predict(replace(setup, edits=f"layer{layer + 1}.w_o.{rows}=0")).value(
            "logits"
        )
        without = attribution.ablate_head(setup, layer, head).value("logits")
        assert torch.allclose(without, logits, atol=1e-5)


@pytest.mark.parametrize("projections", ["learned", "none"])
def test_with_nothing_above_it_a_head_brings_what_is_missed(projections):
    """Where neither a norm nor a part stands above a head, the logit without it is the logit less
    what it brings by each word."""
    setup = replace(SMALL, norm="pre", layers=1, edits="layer1.w_2=0", projections=projections)
    found = attribution.take_apart(setup, 2, 1)
    for head in range(setup.heads):
        left = found.total - found.heads[0, head].sum().item()
        without = attribution.ablate_head(setup, 0, head).value("logits")
        assert (without[2] - without[1]).item() == pytest.approx(left, abs=1e-5)
    assert found.feed_forward.abs().max() < 1e-12


def test_where_no_next_word_is_said_nothing_is_taken_apart():
    """Q, K and V that are given leave no word after these: why is said, and nothing is computed."""
    seeds = (
        Setup.nearest({"init": "given", "given": given_numbers(Random(k)), "text": ""})[0]
        for k in range(60)
    )
    setup = next(each for each in seeds if next_word.explain_refusal(each))
    for ask in (
        lambda: attribution.take_apart(setup, 0),
        lambda: attribution.lens(setup),
        lambda: attribution.ablate_head(setup, 0, 0),
    ):
        with pytest.raises(ValueError, match="given"):
            ask()
