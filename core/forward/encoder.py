"""A stack of blocks: each block's output is the next block's input."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from ..layers import block
from ..ops.weight_names import Weights
from ..setup.setup import Setup
from ..trace.record import Trace, TraceBuilder
from ..weights import weights
from .trace import compute_embedding


def stack(
    setup: Setup, weights: tuple[Weights, ...], x: Tensor, may_attend: Tensor
) -> tuple[Trace, ...]:
    """Run x through the blocks in order.

    x (token, d_model) with may_attend (query, key), or a batch (sentence, token, d_model) with
    (sentence, query, key). Returns one trace a layer, from input `x` to output `out`.
    """
    traces = []
    for layer in weights:
        record = TraceBuilder()
        x = block.run(setup, layer, x, may_attend, record)
        traces.append(Trace(setup, record.entries))
    return tuple(traces)


def result(setup: Setup, weights: tuple[Weights, ...], x: Tensor, may_attend: Tensor) -> Tensor:
    """Return the last layer's output, without recording intermediate tensors."""
    return compute_outputs(setup, weights, x, may_attend)[-1]


def compute_outputs(
    setup: Setup, weights: tuple[Weights, ...], x: Tensor, may_attend: Tensor
) -> list[Tensor]:
    """Return each layer's output, without recording intermediate tensors."""
    outs = []
    for layer in weights:
        x = block.run(setup, layer, x, may_attend, TraceBuilder(values_only=True))
        outs.append(x)
    return outs


def encode(setup: Setup, x: Tensor | None = None) -> tuple[Trace, ...]:
    """Return a trace of every layer of the setup's stack on its sentence, or on `x` (token,
    d_model)."""
    if x is None:
        x = compute_embedding(setup).value("x")
    return stack(setup, weights.layers(setup), x, weights.may_attend(setup, x.shape[-2]))


def compare_norms(
    setup: Setup, weights: tuple[Weights, ...], layers: tuple[Trace, ...], may_attend: Tensor
) -> dict[str, list[Tensor]]:
    """Return each layer's output (token, d_model) with post-norm and with pre-norm, from the same
    weights.

    `layers` is the stack's trace with the setup's own norm, so only the other is computed;
    `may_attend` is (query, key).
    """
    outs = {setup.norm: [layer.value("out") for layer in layers]}
    other = replace(setup, norm="pre" if setup.norm == "post" else "post")
    outs[other.norm] = compute_outputs(other, weights, layers[0].value("x"), may_attend)
    return {norm: outs[norm] for norm in ("post", "pre")}


def standard_deviations(outs: Mapping[str, Sequence[Tensor]]) -> Tensor:
    """Return the standard deviation over all numbers (token, d_model) of each layer's output, for
    each norm: (norm, layer).

    >>> standard_deviations(
    ...     {"post": [torch.tensor([[1.0, 3.0]])], "pre": [torch.tensor([[0.0, 4.0]])]}
    ... ).tolist()
    [[1.0], [2.0]]
    """
    return torch.stack(
        [torch.stack(list(of_norm)).std(dim=(1, 2), correction=0) for of_norm in outs.values()]
    )
