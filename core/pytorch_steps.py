"""The steps of attention from PyTorch's own functions: another way to the same numbers."""

from collections.abc import Iterator
from functools import lru_cache
from threading import Lock

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call

from . import pytorch_parts
from .record import Trace


def embedded(trace: Trace, name: str) -> tuple[str, Tensor]:
    """Look the rows up."""
    table, ids = _inputs(trace, name)
    return "F.embedding", F.embedding(ids, table)


def projected(trace: Trace, name: str) -> tuple[str, Tensor]:
    """Make queries, keys or values head by head."""
    x, *learned = _inputs(trace, name)
    if not learned:
        return "the input itself", x[None]
    w, *b = learned
    biases = b[0] if b else [None] * len(w)
    return "F.linear", torch.stack([F.linear(x, m.T, c) for m, c in zip(w, biases, strict=True)])


def _inputs(trace: Trace, name: str) -> list[Tensor]:
    call = trace[name].call
    assert call is not None
    return [trace.value(each) for each in call.inputs]


def normed(trace: Trace, name: str) -> tuple[str, Tensor]:
    """Norm the queries or the keys of every head."""
    vectors, gain = _inputs(trace, name)
    return "F.rms_norm", pytorch_parts.normed(trace.setup, vectors, gain)


def queries_and_keys(trace: Trace) -> Iterator[Tensor]:
    """Yield them before positions turn them, normed by PyTorch where the trace has gains for
    that."""
    for name in "qk":
        gain = trace.value(f"gain_{name}") if f"gain_{name}" in trace else None
        yield pytorch_parts.normed(trace.setup, trace.value(name), gain)


def scores(trace: Trace, _: str) -> tuple[str, Tensor]:
    """Multiply queries, turned where positions turn them, with the keys that their group has."""
    q, k = (pytorch_parts.turned(trace.setup, vectors) for vectors in queries_and_keys(trace))
    return "torch.einsum", torch.einsum("gsqd,gkd->gsqk", q.unflatten(0, (len(k), -1)), k).flatten(
        0, 1
    )


def weights(trace: Trace, _: str) -> tuple[str, Tensor]:
    """Mix the identity: with it as values, what attention mixes is the weights themselves."""
    tokens = len(trace.key_tokens)
    return "F.scaled_dot_product_attention", _attention(
        trace, identity(tokens, trace.value("k").shape[-1])
    )[..., :tokens]


def identity(tokens: int, d_k: int) -> Tensor:
    """Return values that leave the weights as they are, (token, d_k) with columns of 0 behind:
    values as wide as keys take PyTorch's quick way. Where there are more tokens than that, (token,
    token)."""
    return torch.eye(tokens, max(tokens, d_k))


def context(trace: Trace, _: str) -> tuple[str, Tensor]:
    """Mix the values."""
    return "F.scaled_dot_product_attention", _attention(trace, trace.value("v"))


def _attention(trace: Trace, values: Tensor) -> Tensor:
    setup, (q, k) = trace.setup, queries_and_keys(trace)
    return pytorch_parts.attention(
        setup, q, k, values.expand(len(k), -1, -1), pytorch_parts.band(setup, q.shape[-2])
    )


def concat(trace: Trace, _: str) -> tuple[str, Tensor]:
    """Mix the values, and put the heads side by side."""
    return "F.scaled_dot_product_attention", torch.cat(
        list(_attention(trace, trace.value("v"))), dim=-1
    )


def output(trace: Trace, name: str) -> tuple[str, Tensor]:
    """Do all of it in PyTorch's module where that can, or else one function after the other."""
    if fits_multihead_attention(trace):
        return "nn.MultiheadAttention", _multihead_attention(trace)
    function, heads = concat(trace, name)
    b_o = trace.get("b_o")
    output = F.linear(heads, trace.value("w_o").T, None if b_o is None else b_o.value)
    return f"{function}, then F.linear", output


def fits_multihead_attention(trace: Trace) -> bool:
    """Return whether PyTorch's module can do it: that only has narrow heads, one way of scaling,
    and goes back to d_model."""
    setup = trace.setup
    narrow = setup.d_k == setup.d_v and setup.d_k * setup.heads == setup.d_model
    plain = setup.scale != "none" and setup.temperature == 1.0
    return (
        all(f"w_{name}" in trace for name in "qkv")
        and narrow
        and plain
        and setup.group == 1
        and not setup.turns
        and not setup.norms_heads
        and trace.value("output").shape[-1] == setup.d_model
    )


one_call = Lock()  # while a module is called, it holds the weights that it was given


def _multihead_attention(trace: Trace) -> Tensor:
    setup = trace.setup
    module = _empty_attention(setup.d_model, setup.heads, bias="b_q" in trace)
    x, asked = trace.value(trace.taken_in), trace.value(trace.asked)
    # PyTorch's masks say the opposite of ours: True = may not attend.
    allowed = pytorch_parts.band(setup, len(x))
    hidden = None if allowed is None else ~allowed
    with one_call, torch.no_grad():
        return functional_call(
            module,
            attention_weights(trace),
            (x, asked, asked),
            {"attn_mask": hidden, "need_weights": False},
        )[0]


@lru_cache(maxsize=8)
def _empty_attention(d_model: int, heads: int, bias: bool) -> nn.Module:
    """Return PyTorch's attention in the same way."""
    return nn.MultiheadAttention(d_model, heads, bias=bias, device="meta")


def attention_weights(trace: Trace) -> dict[str, Tensor]:
    """Return our weights by the names of PyTorch's module: its heads stand below one another in one
    matrix.

    The modules are made on the device "meta", without numbers, and called with ours in their place.
    To fill them would draw what is not used, and `skip_init`, which does not, imports a computer
    algebra system: half a second in which nobody on the server gets an answer.
    """
    side_by_side = [torch.cat(list(trace.value(f"w_{name}")), dim=-1).T for name in "qkv"]
    weights = {"in_proj_weight": torch.cat(side_by_side), "out_proj.weight": trace.value("w_o").T}
    if "b_q" in trace:
        weights["in_proj_bias"] = torch.cat([trace.value(f"b_{name}").flatten() for name in "qkv"])
        weights["out_proj.bias"] = trace.value("b_o")
    return weights
