"""A layer that somebody trained comes in as it is: what PyTorch computes with it, the steps compute
too; a hostile file is a sentence.

The oracles are nn.MultiheadAttention and scaled_dot_product_attention, and for Share's files the
setup that they were made of.
"""

import io
import json
import os
import pickle
import re
import struct
import subprocess
import sys
import zipfile
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
import safetensors.torch
import torch
from helpers import ROOT
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from torch import nn

from core import Setup, importing, run
from core.importing.archives import MAX_BYTES
from core.text.exact_decimals import exact
from pages.shared.page_components.bring.result import IN_A_NOTEBOOK
from pages.shared.share.files import make_npz

SUFFIXES = ("pt", "npz", "safetensors")
TOKENS = ("the", "cat", "sat", "there", "too")


def saved(state, suffix: str) -> bytes:
    """A state dict as a file of this kind."""
    file = io.BytesIO()
    if suffix in ("pt", "pth"):
        torch.save(state, file)
    elif suffix == "npz":
        np.savez_compressed(file, **{name: value.detach().numpy() for name, value in state.items()})
    else:
        return safetensors.torch.save(
            {name: value.detach().contiguous() for name, value in state.items()}
        )
    return file.getvalue()


def layer_of(sizes=(14, 2), bias=True, seed=0, **more) -> nn.MultiheadAttention:
    torch.manual_seed(seed)
    mha = nn.MultiheadAttention(*sizes, bias=bias, batch_first=True, **more)
    for parameter in mha.parameters():
        nn.init.normal_(parameter)
    return mha


def close(trace, output, weights) -> bool:
    return torch.allclose(trace.value("output"), output, atol=1e-4) and torch.allclose(
        trace.value("weights"), weights, atol=1e-5
    )


@drawn(st.floats(width=32, allow_nan=False, min_value=-1e9, max_value=1e9))
def test_every_float32_has_a_decimal_that_comes_back_to_the_bit(number):
    """A zero's sign alone is not kept."""
    back = torch.tensor(float(exact(number)), dtype=torch.float32)
    assert struct.pack("f", back) == struct.pack("f", number + 0.0 if number else 0.0)


@settings(max_examples=10, deadline=None)
@drawn(
    st.sampled_from(((14, 2), (15, 3), (7, 1), (10, 5))),
    st.booleans(),
    st.sampled_from(("pt", "npz", "safetensors")),
    st.booleans(),
)
def test_an_attention_of_pytorch_gives_what_pytorch_gives(sizes, bias, suffix, causal):
    """From the module and from each kind of file, with and without biases: the weights of each
    head, and the output."""
    mha = layer_of(sizes, bias)
    x = torch.randn(1, 5, sizes[0])
    hidden = torch.ones(5, 5).triu(1).bool() if causal else None
    output, weights = mha(x, x, x, attn_mask=hidden, average_attn_weights=False)
    mask = "causal" if causal else "none"
    setup = importing.read_module(mha, x, TOKENS, mask=mask)
    assert setup.tokens == TOKENS
    assert close(run(setup), output[0], weights[0])
    layer = importing.read_file(
        f"layer.{suffix}", saved(mha.state_dict(), suffix), x[0], TOKENS, mask=mask, heads=sizes[1]
    )
    assert layer.setup() == setup
    for name, matrix in zip(("w_q", "w_k", "w_v"), mha.in_proj_weight.chunk(3), strict=True):
        assert torch.equal(setup.numbers.tensor(name).transpose(0, 1).flatten(1), matrix.T)


@pytest.mark.parametrize(
    ("kdim", "vdim"), ((14, 14), (11, 11), (5, 5), (11, 13), (14, 3), (30, 34))
)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_keys_and_values_of_another_width_give_what_pytorch_gives(kdim, vdim, suffix):
    """kdim and vdim, from the module and from a file: another sentence is asked, whose rows hold
    what both are made of."""
    mha = layer_of(kdim=kdim, vdim=vdim)
    x, k, v = torch.randn(5, 14) / 9, torch.randn(7, kdim) / 9, torch.randn(7, vdim) / 9
    memory = torch.cat((k, v), dim=1) if kdim != vdim else k
    output, weights = mha(x, k, v if kdim != vdim else k, average_attn_weights=False)
    setup = importing.read_module(mha, x, TOKENS, memory=memory)
    assert close(run(setup), output, weights)
    layer = importing.read_file(
        f"layer.{suffix}", saved(mha.state_dict(), suffix), x, TOKENS, memory=memory, heads=2
    )
    assert layer.setup() == setup
    with pytest.raises(ValueError, match=r"memory|does not fit"):
        importing.read_module(mha, x, memory=torch.randn(7, 29))
    with_x = {"x": torch.randn(5, 14), **mha.state_dict()}
    assert (kdim == 14 == vdim) or "two lengths" in importing.read_file(
        "a.pt", saved(with_x, "pt"), heads=2
    ).left_out[0]


NAMINGS = {
    "notebooks": "W_query W_key W_value out_proj",
    "llama": "q_proj k_proj v_proj o_proj",
    "diffusers": "to_q to_k to_v to_out.0",
    "annotated": "linear_q linear_k linear_v linear_out",
    "lectures": "query key value proj",
    "short": "wq wk wv wo",
    "bert": "attention.self.query attention.self.key attention.self.value attention.output.dense",
    "words": "queries keys values unifyheads",
}


@pytest.mark.parametrize("naming", NAMINGS)
def test_linears_are_read_under_the_names_that_people_give_them(naming):
    """Queries of 3 heads, keys and values of one, d_k 5, d_v 2, and a way back to 11 numbers; each
    size is another prime."""
    torch.manual_seed(1)
    outs = {"q": 15, "k": 5, "v": 2}
    linears = [nn.Linear(7, out, bias=name != "k") for name, out in outs.items()] + [
        nn.Linear(6, 11)
    ]
    names = NAMINGS[naming].split()
    state = {
        f"block.{name}.{key}": value
        for name, one in zip(names, linears, strict=True)
        for key, value in one.state_dict().items()
    }
    x = torch.randn(13, 7)
    q, k, v = (
        one(x).unflatten(-1, (-1, size)).transpose(0, 1)
        for one, size in zip(linears, (5, 5, 2), strict=False)
    )
    context = nn.functional.scaled_dot_product_attention(
        q, k.expand(3, -1, -1), v.expand(3, -1, -1)
    )
    layer = importing.read_file(
        "layer.pth", saved({"model": state, "norm.weight": torch.ones(7)}, "pth"), x
    )
    assert layer.questions == (), layer.messages
    assert any("norm" in message for message in layer.messages)
    trace = run(layer.setup())
    assert torch.allclose(trace.value("context"), context, atol=1e-5)
    assert torch.allclose(
        trace.value("output"), linears[3](context.transpose(0, 1).flatten(1)), atol=1e-5
    )


def test_heads_of_their_own_modules_and_matrices_without_a_linear_are_read():
    """A list of heads, as lectures write it; and parameters W for x @ W, of which a square one may
    lie either way and is asked."""
    torch.manual_seed(2)
    x = torch.randn(5, 7)
    state = {
        f"heads.{h}.{name}.weight": torch.randn(3, 7)
        for h in range(11)
        for name in ("key", "query", "value")
    }
    layer = importing.read_file("heads.safetensors", saved(state, "safetensors"), x)
    assert layer.matrices["w_q"].shape == (11, 7, 3)
    assert torch.equal(layer.given().tensor("w_k")[10], state["heads.10.key.weight"].T)
    bare = {"W_q": torch.randn(7, 3), "W_k": torch.randn(7, 3), "W_v": torch.randn(7, 3), "x": x}
    assert torch.equal(
        importing.read_file("bare.npz", saved(bare, "npz")).given().tensor("w_q")[0], bare["W_q"]
    )
    turned = {name: value.T if name != "x" else x for name, value in bare.items()}
    assert torch.equal(
        importing.read_file("bare.npz", saved(turned, "npz")).given().tensor("w_q")[0], bare["W_q"]
    )
    square = bare | {name: torch.randn(7, 7) for name in ("W_q", "W_k", "W_v")}
    layer = importing.read_file("square.npz", saved(square, "npz"))
    question = next(question for question in layer.questions if question.name == "orientation")
    other = layer.answered(orientation=question.answers[1])
    assert torch.equal(layer.given().tensor("w_q")[0], square["W_q"])
    assert torch.equal(other.given().tensor("w_q")[0], square["W_q"].T)


def test_gpt_2s_joint_matrix_is_cut_either_way_it_lies():
    """As a Linear, (3 · d_model, d_model), and as a Conv1D, (d_model, 3 · d_model), whose other
    matrix lies likewise."""
    torch.manual_seed(3)
    joint, back, x = torch.randn(21, 7), torch.randn(7, 7), torch.randn(5, 7)
    linear = {"attn.c_attn.weight": joint, "attn.c_proj.weight": back}
    conv = {name: value.T.contiguous() for name, value in linear.items()}
    one, other = (
        importing.read_file("a.safetensors", saved(state, "safetensors"), x, heads=7).given()
        for state in (linear, conv)
    )
    assert one == other
    assert torch.equal(one.tensor("w_o"), back.T)


def test_a_whole_layer_gives_its_attention_and_says_what_is_left_out():
    """An encoder of three layers: which one is asked; heads are asked too, and must be answered; a
    setup of them is exact."""
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(14, 2, 17, batch_first=True), 3)
    layer = importing.read_file("encoder.pt", saved(encoder.state_dict(), "pt"), torch.randn(5, 14))
    assert [question.name for question in layer.questions] == ["layer", "heads"]
    assert [question.name for question in layer.open] == ["heads"]
    assert all(
        name in " ".join(layer.messages) for name in ("linear1", "linear2", "norm1", "norm2")
    )
    with pytest.raises(ValueError, match="How many heads"):
        layer.given()
    answered = layer.answered(layer="layers.1.self_attn", heads=2)
    weight = encoder.layers[1].self_attn.in_proj_weight[:14]
    assert torch.equal(answered.given().tensor("w_q").transpose(0, 1).flatten(1), weight.T)
    for wrong in (
        {"heads": 3},
        {"layer": "none"},
        {"colour": 1},
        {"mask": "striped"},
        {"scale": "-1"},
    ):
        with pytest.raises(ValueError):
            layer.answered(**wrong)
    one = encoder.layers[0]
    assert importing.read_module(one, torch.randn(5, 14)).heads == 2
    with pytest.raises(ValueError, match="several"):
        importing.read_module(encoder, torch.randn(5, 14))


SHARED = {
    "one that looks back, at a temperature": Setup(
        bias="on", kv_heads=1, heads=2, mask="causal", d_k=5, d_v=3
    ),
    "another sentence": Setup(memory="dogs run far", scale="none", heads=2),
    "without projections": Setup(projections="none", text="a rose is a rose"),
    "rotary": Setup(positions="rotary", d_k=6),
    "a further layer": Setup(norm="pre", layers=2, layer=2, mask="window"),
    "given": Setup(init="given", given="q 1,0_0,0.10 k 1,0_0.3,1 v 1,2,3_3,4,5", text="two words"),
    "given too": Setup(
        init="given",
        given="x 1,0_0,0.10_3,2 w_q 1_2~3_4 w_k 1_2~3_5 w_v 1,0_7,2~3,4_1,1 b_q 1_2",
        text="b a b2",
    ),
}


@pytest.mark.parametrize("setup", SHARED.values(), ids=SHARED)
def test_what_share_exports_comes_back_to_the_bit(setup):
    """Words, mask, matrices, weights and output of the setup that it was made of."""
    back = importing.read_file("attention.npz", make_npz(setup, "https://example.org")).setup()
    old, new = run(setup), run(back)
    assert back.tokens == setup.tokens
    of_words = (
        () if setup.turns else ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "q", "k", "v", "masked")
    )
    for name in (*of_words, "weights", "context", "output", "w_o", "b_o"):
        assert (name in old) == (name in new), name
        assert name not in old or torch.equal(old.value(name), new.value(name)), name


def test_a_scale_and_a_temperature_come_back_with_the_file():
    """What scores are divided by: 3 alone, and √d_k times 2."""
    layer = importing.read_file("a.npz", make_npz(Setup(scale="none", temperature=3), ""))
    assert layer.given().divisor == 3
    layer = importing.read_file("a.npz", make_npz(Setup(temperature=2, d_k=25), ""))
    assert layer.given().divisor == pytest.approx(10)


def state_of(names: str, size: int = 12) -> dict[str, torch.Tensor]:
    """The weights of Linears by these names; one that ends in × 3 holds three."""
    torch.manual_seed(4)
    widths = {
        name.removesuffix("×3"): size * (3 if name.endswith("×3") else 1) for name in names.split()
    }
    return {
        f"{name}.{kind}": value
        for name, out in widths.items()
        for kind, value in nn.Linear(size, out).state_dict().items()
    }


Q_K_V_O = "q_proj k_proj v_proj o_proj"


@pytest.mark.parametrize(
    ("names", "asked"),
    [
        (Q_K_V_O, ["heads"]),
        ("q_proj k_proj v_proj", ["heads"]),
        ("attn.qkv×3 attn.proj", ["heads", "order"]),
        ("query_key_value×3 dense", ["heads", "order"]),
        ("linears.0 linears.1 linears.2 linears.3", ["heads"]),
        ("w_qs w_ks w_vs fc", ["w_o", "heads"]),
        ("query key value proj out", ["w_o", "heads"]),
        ("wq wk wv dense", ["heads"]),
        ("self.query self.key self.value output.dense", ["heads"]),
        (
            "layer.0.SelfAttention.q layer.0.SelfAttention.k layer.0.SelfAttention.v",
            ["heads", "scale"],
        ),
    ],
)
def test_what_a_state_dict_does_not_say_is_asked(names, asked):
    """Heads, how they stand in one matrix, W_o of a loose name, and whether scores are divided:
    never taken in silence."""
    layer = importing.read_file("a.pt", saved(state_of(names), "pt"), torch.randn(5, 12))
    opened = [question.name for question in layer.open]
    opened += [question.name for question in layer.answered(heads=3).open]
    assert list(dict.fromkeys(opened)) == asked, layer.messages
    assert "A file does not hold" in " ".join(layer.messages)


@pytest.mark.parametrize(
    ("beside", "says"),
    [
        ("rotary_emb.inv_freq", "RoPE"),
        ("q_norm.weight", "norms queries or keys"),
        ("relative_position_bias_table", "how far apart"),
        ("slopes", "how far apart"),
        ("sinks", "belongs to no word"),
        ("logit_scale", "learned"),
        ("lora_A.weight", "a way of its own"),
        ("talking_heads", "a way of its own"),
    ],
)
def test_a_tensor_that_changes_attention_is_refused_by_its_name(beside, says):
    """In the attention, and where the whole model has it once; a stranger's name is asked, and a
    block's other layers are left out."""
    x = torch.randn(5, 12)
    state = {f"layers.1.attn.{name}": value for name, value in state_of(Q_K_V_O).items()}
    for place in ("layers.0.attn.", "layers.1.attn.", ""):
        other = state | {place + beside: torch.ones(3)}
        (message,) = importing.read_file("a.pt", saved(other, "pt"), x, heads=3).left_out
        assert beside in message and says in message
    around = state | {f"layers.1.mlp.{beside}": torch.ones(3), "layers.1.norm1.weight": x[0]}
    assert importing.read_file("a.pt", saved(around, "pt"), x, heads=3).given()
    strange = state | {"layers.1.attn.rho": torch.ones(3)}
    layer = importing.read_file("a.pt", saved(strange, "pt"), x, heads=3)
    assert [(question.name, "rho" in question.says) for question in layer.open] == [
        ("left_out", True)
    ]
    assert layer.answered(left_out=layer.open[0].answers[0]).given()


def test_a_mask_and_a_scale_in_a_file_are_asked():
    """A triangle may be a mask, and a number may divide scores or be multiplied with them; one that
    is √d_k says nothing new."""
    state, x = state_of(Q_K_V_O), torch.randn(5, 12)
    more = {"tril": torch.ones(8, 8).tril(), "temperature": torch.tensor(4.0)}
    layer = importing.read_file("a.pt", saved(state | more, "pt"), x, heads=3)
    assert {question.name: question.answers for question in layer.open} == {
        "mask": ("causal", "none"),
        "scale": ("sqrt", "4", "0.25"),
    }
    answered = layer.answered(mask="causal", scale="4")
    assert [question.answers for question in answered.questions] == [
        question.answers for question in layer.questions
    ]
    given = answered.given()
    assert given.divisor == 4 and given.mask[0] == (True, *(False,) * 4)
    usual = importing.read_file(
        "a.pt", saved(state | {"scale": torch.tensor(0.5)}, "pt"), x, heads=3
    )
    assert not usual.open and usual.given().divisor == 2


class Own(nn.Module):
    """A layer as people write it in a notebook, with a way of its own somewhere."""

    def __init__(self, names=Q_K_V_O, factor=0.5, causal=False, by_heads=False, turn=None, **more):
        super().__init__()
        self.names, self.num_heads = names.split(), 3
        self.hidden = (factor, causal, by_heads, turn)
        for name in self.names:
            setattr(self, name.removesuffix("×3"), nn.Linear(12, 36 if name.endswith("×3") else 12))
        for name, value in more.items():
            setattr(self, name, value)
        for parameter in self.parameters():
            nn.init.normal_(parameter)

    def forward(self, x):
        factor, causal, by_heads, turn = self.hidden
        made = torch.cat(
            [getattr(self, name.removesuffix("×3"))(x) for name in self.names[:-1]], -1
        )
        made = made.unflatten(-1, (3, 3, 4))  # (…, token, head or part, part or head, 4)
        q, k, v = (one.transpose(-3, -2) for one in made.unbind(-2 if by_heads else -3))
        if turn:
            q, k = turn(q), turn(k)
        scores = q @ k.mT * factor
        if causal:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), -torch.inf)
        context = nn.functional.dropout(scores.softmax(-1), 0.5, self.training) @ v
        return getattr(self, self.names[-1])(context.transpose(-3, -2).flatten(-2))


@pytest.mark.parametrize(
    "own",
    [
        {},
        {"factor": 1},
        {"factor": 12**-0.5},
        {"factor": 0.05, "scale": 0.05},
        {"factor": 0.25, "temperature": torch.tensor(4.0)},
        {"causal": True},
        {"names": "qkv×3 proj"},
        {"names": "qkv×3 proj", "by_heads": True, "causal": True},
        {"names": "w_qs w_ks w_vs fc", "rotary": nn.Identity()},
    ],
    ids=str,
)
def test_a_module_is_run_and_read_so_that_the_steps_give_the_same(own):
    """Its scale, its mask and the order in its joint matrix are found; what it was, it stays."""
    module, x = Own(**own).train(), torch.randn(5, 12)
    before = torch.get_rng_state()
    trace = run(importing.read_module(module, x))
    assert torch.equal(torch.get_rng_state(), before)
    assert module.training and all(not part._forward_hooks for part in module.modules())
    assert torch.allclose(trace.value("output"), module.eval()(x), atol=1e-3)


def test_a_module_that_does_more_than_its_matrices_is_refused_or_warned_of():
    """What it gives is compared; where it cannot be run its names count, and a warning says so."""
    x = torch.randn(5, 12)
    turned = Own(turn=lambda q: q * torch.arange(1, q.shape[-2] + 1)[:, None])
    with pytest.raises(ValueError, match="other numbers than the steps do"):
        importing.read_module(turned, x)
    assert importing.read_module(turned, x, compare=False).heads == 3
    turned.rotary = nn.Identity()
    with pytest.raises(ValueError, match=r"rotary.*RoPE"):
        importing.read_module(turned, x)
    broken = Own()
    broken.forward = lambda x, *, table: x / table
    with pytest.warns(UserWarning, match="could not be run"):
        assert importing.read_module(broken, x).heads == 3
    broken.is_causal = True
    with pytest.raises(ValueError, match="is_causal"):
        importing.read_module(broken, x)


@pytest.mark.parametrize(
    ("pattern", "out"), [("mha/{}/{}:0", "attention_output"), ("{}.{}", "out")]
)
def test_kernels_of_keras_and_flax_have_their_heads_in_the_middle(pattern, out):
    """(d_model, head, d_k) and (head, d_v, d_model), with biases, as PyTorch's own attention."""
    mha, x, file = layer_of((12, 3)), torch.randn(5, 12), io.BytesIO()
    weights = [*mha.in_proj_weight.chunk(3), *mha.in_proj_bias.chunk(3)]
    w_q, w_k, w_v, b_q, b_k, b_v = (
        one.detach().T.unflatten(-1, (3, 4)) if one.dim() == 2 else one.detach().view(3, 4)
        for one in weights
    )
    w_o = mha.out_proj.weight.detach().T.unflatten(0, (3, 4))
    arrays = {"query": (w_q, b_q), "key": (w_k, b_k), "value": (w_v, b_v)}
    arrays[out] = (w_o, mha.out_proj.bias.detach())
    np.savez(
        file,
        **{
            pattern.format(name, kind): one.numpy()
            for name, pair in arrays.items()
            for kind, one in zip(("kernel", "bias"), pair, strict=True)
        },
    )
    trace = run(importing.read_file("a.npz", file.getvalue(), x).setup())
    assert close(trace, *mha(x, x, x, average_attn_weights=False))
    lens = {
        f"{kind}_{name[0].upper() if name != out else 'O'}": one.transpose(0, 1)
        if kind == "W" and name != out
        else one
        for name, pair in arrays.items()
        for kind, one in zip("Wb", pair, strict=True)
    }
    trace = run(importing.read_file("a.pt", saved(lens, "pt"), x).setup())
    assert close(trace, *mha(x, x, x, average_attn_weights=False))


# ---------- what has no place, and what is meant to harm ----------


def test_what_the_steps_have_no_place_for_is_said():
    """Keys of another width, keys of no word, numbers that are none, sizes over the explorer's;
    each in one sentence."""
    x = torch.randn(5, 14)
    for mha, says in (
        (layer_of(kdim=11, vdim=13), "kdim.*24 numbers a word"),
        (layer_of(add_bias_kv=True), "add_bias_kv"),
        (layer_of((66, 11)), "at most 64 fit"),
        (layer_of((512, 8)), "larger than any"),
    ):
        (message,) = importing.read_file("a.pt", saved(mha.state_dict(), "pt"), x).left_out
        assert re.search(says, message)
        with pytest.raises(ValueError, match=says):
            importing.read_module(mha, x)
    with pytest.raises(ValueError, match="add_zero_attn"):
        importing.read_module(layer_of(add_zero_attn=True), x)
    with pytest.raises(ValueError, match="does not fit"):
        importing.read_module(layer_of(), torch.randn(5, 13))
    bad = layer_of().state_dict() | {"out_proj.bias": torch.full((14,), torch.nan)}
    assert "no number" in importing.read_file("a.pt", saved(bad, "pt"), x, heads=2).left_out[0]
    assert (
        "No attention"
        in importing.read_file("a.pt", saved(nn.Linear(2, 3).state_dict(), "pt")).left_out[0]
    )
    for wrong in (None, torch.randn(2, 5, 14), torch.randn(14)):
        with pytest.raises(ValueError, match="x "):
            importing.read_module(layer_of(), wrong)
    double = {"x": x.double() / 3} | {f"W_{name}": torch.randn(14, 3) for name in "qkv"}
    assert "rounded to float32" in " ".join(
        importing.read_file("a.pt", saved(double, "pt")).messages
    )


def npy(said: str, numbers: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + len(said).to_bytes(2, "little") + said.encode() + numbers


def zipped(*members, kind=zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", kind) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def bomb(shape: str, megabytes: int = 64) -> bytes:
    """Zeros, packed to a thousandth, where queries should be."""
    said = npy(f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape})}}")
    return zipped(
        ("w_q.npy", said + bytes(megabytes * 2**20)), ("w_k.npy", said), ("w_v.npy", said)
    )


class Calls:
    def __reduce__(self):
        return print, ("called",)


def hostile() -> dict[str, bytes]:
    """Files by name, each one made to harm or simply broken."""
    header = json.dumps(
        {f"w_{n}": {"dtype": "F32", "shape": [7, 5], "data_offsets": [0, 2**41]} for n in "qkv"}
    ).encode()
    pickled = pickle.dumps(Calls(), 2)
    million = b"\x80\x02cbuiltins\nbytearray\nJ\x00\x00\x00\x7f\x85R."
    deep = b"[" * 10**6
    stored = zipfile.ZIP_STORED
    return {
        "bomb.npz": bomb("4096, 4096"),
        "lie.npz": bomb("7, 5"),
        "wide.npz": bomb("1099511627000,", 0),
        "object.npz": zipped(("w_q.npy", npy("{'descr': '|O'}"))),
        "members.npz": zipped(*((f"{k}", "") for k in range(20_000))),
        "lzma.npz": zipped(("w_q.npy", "x"), kind=zipfile.ZIP_LZMA),
        "code.npz": zipped(("w_q.npy", npy("__import__('os').abort()"))),
        "text.npz": b"no archive",
        "empty.npz": b"",
        "nothing.npz": zipped(
            ("axes.npy", npy("{'descr': '<U3', 'fortran_order': False, 'shape': ()}"))
        ),
        "nothing.pt": saved({"epoch": 3}, "pt"),
        "header.safetensors": (2 * 10**9).to_bytes(8, "little") + b"{",
        "offsets.safetensors": len(header).to_bytes(8, "little") + header,
        "deep.safetensors": len(deep).to_bytes(8, "little") + deep,
        "list.safetensors": b"\2" + bytes(7) + b"[]",
        "short.safetensors": b"\1",
        "pickle.pt": pickled,
        "within.pt": zipped(("a/data.pkl", pickled), kind=stored),
        "bytes.pt": zipped(("a/data.pkl", million), kind=stored),
        "packed.pt": zipped(("a/data.pkl", bytes(64 * 2**20))),
        "module.pth": saved(nn.Linear(2, 2), "pt"),
        "tensor.pt": saved(torch.ones(3), "pt"),
        "layer.onnx": b"x",
        "layer": b"x",
        "large.pt": bytes(MAX_BYTES + 1),
    }


def largest() -> dict[str, torch.Tensor]:
    """As many numbers as have a place."""
    torch.manual_seed(7)
    made = {f"w_{name}": torch.randn(20, 64, 64) for name in "qkv"} | {
        f"b_{name}": torch.randn(20, 64) for name in "qkv"
    }
    return made | {"x": torch.randn(32, 64), "w_o": torch.randn(1280, 64)}


def test_a_hostile_file_is_one_sentence_and_takes_little_memory():
    """In a process of its own, whose memory at its highest is measured: 50 MB more than before at
    most, for all of them, and for the largest layer as well."""
    code = """
import test_importing_layer as here
from core import importing
files = here.hostile()
small = here.saved(here.layer_of().state_dict(), "pt")
importing.read_file("a.pt", small, here.torch.ones(2, 14), heads=2).setup()
largest = here.saved(here.largest(), "safetensors")
def highest():
    status = open("/proc/self/status")
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024
def begin():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the highest so far is forgotten
    return highest()
before = begin()
for name, data in files.items():
    layer = importing.read_file(name, data)
    assert len(layer.left_out) == 1 and layer.left_out == layer.messages, (name, layer)
    assert not layer.matrices, (name, layer)
    print(name, highest() - before, layer.left_out[0], sep="\\t")
before = begin()
assert importing.read_file("largest.safetensors", largest).setup().heads == 20
print("largest", highest() - before, "read.", sep="\\t")
"""
    paths = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=paths,
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(lines) > 20
    assert "called" not in done.stdout
    for name, megabytes, sentence in lines:
        assert int(megabytes) < 50, (name, megabytes)
        assert sentence[-1] in ".…", (name, sentence)


@settings(max_examples=60, deadline=None)
@drawn(st.sampled_from(SUFFIXES), st.data())
def test_a_file_with_any_bytes_changed_is_never_a_traceback(suffix, data):
    """It is read, or a sentence says why not."""
    whole = bytearray(saved(layer_of((6, 2)).state_dict(), suffix))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.sampled_from((len(whole), len(whole) // 2, len(whole) - 1)))
    layer = importing.read_file(f"a.{suffix}", bytes(whole[:end]))
    assert layer.matrices or layer.left_out


def test_a_link_holds_a_small_layer_and_says_so_of_a_larger_one():
    """The link opens the same setup; numbers that are kept in this process alone get the sentence
    that helps."""
    setup = importing.read_module(layer_of((3, 1)), torch.randn(5, 3), TOKENS)
    link = importing.link(setup, "http://localhost:8501")
    assert link.startswith("http://localhost:8501/?")
    assert Setup.nearest(dict(parse_qsl(urlsplit(link).query))) == (setup, [])
    with pytest.raises(ValueError, match="save them"):
        importing.link(importing.read_module(layer_of((30, 2)), torch.randn(5, 30)))


def test_the_public_names_are_there():
    """As somebody in a notebook writes them: the page's own lines run."""
    here = {
        "text": "Q: 1 0; 0 1\nK: 1 0; 0 1\nV: 1 2; 3 4",
        "mha": layer_of((3, 1)),
        "x": torch.randn(3, 3),
        "print": lambda *_: None,
    }
    exec(IN_A_NOTEBOOK.replace("from attention_explorer", "from core"), here)
    assert here["report"].verdicts["weights"][0][0] and here["setup"].tokens == (
        "the",
        "cat",
        "sat",
    )
    assert importing.parse(here["text"]).setup(mask="causal", scale=3).numbers.divisor == 3
    assert all(callable(getattr(importing, name)) for name in importing.__all__)
    assert importing.parse("X = [[1, 0], [0, 1]]").matrices["x"].shape == (2, 2)
    with pytest.raises(AttributeError):
        _ = importing.nothing
