"""The same tensors from PyTorch's own functions, to hold ours against.

None of these calls our step functions: each goes another way to the same numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.setup import Setup
from core.trace import Trace


@dataclass(frozen=True)
class Check:
    """PyTorch's function by name, and how far our numbers are from its numbers.

    `largest` is the largest absolute difference, `relative` the same in units of the largest
    number that PyTorch gives.
    """

    function: str
    largest: float
    relative: float


def check(trace: Trace, name: str) -> Check:
    """Compare one entry with PyTorch. Raises KeyError where PyTorch has nothing to compare with."""
    function, theirs = REFERENCES[name](trace)
    largest = (trace.value(name) - theirs).abs().max().item()
    size = theirs.abs().max().item()
    return Check(function, largest, largest / size if size else largest)


def _embedded(trace: Trace) -> tuple[str, Tensor]:
    return "F.embedding", F.embedding(trace.value("ids"), trace.value("embedding_table"))


def _projected(name: str) -> Callable[[Trace], tuple[str, Tensor]]:
    def project(trace: Trace) -> tuple[str, Tensor]:
        x = trace.value("x")
        if f"w_{name}" not in trace:
            return "the input itself", x[None]
        w, b = trace.value(f"w_{name}"), trace.get(f"b_{name}")
        biases = [None] * len(w) if b is None else b.value
        return "F.linear", torch.stack([F.linear(x, m.T, c) for m, c in zip(w, biases, strict=True)])

    return project


def _scores(trace: Trace) -> tuple[str, Tensor]:
    return "torch.einsum", torch.einsum("hqd,hkd->hqk", trace.value("q"), trace.value("k"))


def _weights(trace: Trace) -> tuple[str, Tensor]:
    """With the identity as values, what attention mixes is the weights themselves."""
    return "F.scaled_dot_product_attention", _attention(trace, torch.eye(len(trace.tokens)))


def _context(trace: Trace) -> tuple[str, Tensor]:
    return "F.scaled_dot_product_attention", _attention(trace, trace.value("v"))


def _attention(trace: Trace, values: Tensor) -> Tensor:
    setup, q = trace.setup, trace.value("q")
    factor = 1.0 if setup.scale == "none" else setup.d_k**-0.5
    return F.scaled_dot_product_attention(
        q,
        trace.value("k"),
        values.expand(len(q), -1, -1),
        is_causal=setup.mask == "causal",
        scale=factor / setup.temperature,
    )


def _output(trace: Trace) -> tuple[str, Tensor]:
    if fits_multihead_attention(trace.setup):
        return "nn.MultiheadAttention", _multihead_attention(trace)
    concat = torch.cat(list(_attention(trace, trace.value("v"))), dim=-1)
    if "w_o" not in trace:
        return "F.scaled_dot_product_attention", concat
    b_o = trace.get("b_o")
    output = F.linear(concat, trace.value("w_o").T, None if b_o is None else b_o.value)
    return "F.scaled_dot_product_attention, then F.linear", output


def fits_multihead_attention(setup: Setup) -> bool:
    """PyTorch's module only has narrow heads, one way of scaling, and goes back to d_model."""
    narrow = setup.d_k == setup.d_v and setup.d_k * setup.heads == setup.d_model
    plain = setup.scale != "none" and setup.temperature == 1.0
    return setup.projections == "learned" and narrow and plain and setup.out_size == setup.d_model


def _multihead_attention(trace: Trace) -> Tensor:
    setup, biased = trace.setup, "b_q" in trace
    module = nn.utils.skip_init(nn.MultiheadAttention, setup.d_model, setup.heads, bias=biased)
    side_by_side = [torch.cat(list(trace.value(f"w_{name}")), dim=-1).T for name in "qkv"]
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat(side_by_side))
        module.out_proj.weight.copy_(trace.value("w_o").T)
        if biased:
            module.in_proj_bias.copy_(torch.cat([trace.value(f"b_{name}").flatten() for name in "qkv"]))
            module.out_proj.bias.copy_(trace.value("b_o"))
        x, tokens = trace.value("x"), len(trace.tokens)
        # PyTorch's masks say the opposite of ours: True = may not attend.
        hidden = torch.ones(tokens, tokens, dtype=torch.bool).triu(1) if setup.mask == "causal" else None
        return module(x, x, x, attn_mask=hidden, need_weights=False)[0]


REFERENCES: dict[str, Callable[[Trace], tuple[str, Tensor]]] = {
    "embedded": _embedded,
    "q": _projected("q"),
    "k": _projected("k"),
    "v": _projected("v"),
    "scores": _scores,
    "weights": _weights,
    "context": _context,
    "output": _output,
}
