"""A stack of blocks: what one hands on, the next takes in."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from . import block, weights
from .names import Weights
from .record import Numbers, Record, Trace
from .setup import Setup
from .trace import compute_embedding


def stack(
    setup: Setup, weights: tuple[Weights, ...], x: Tensor, may_attend: Tensor
) -> tuple[Trace, ...]:
    """Put x through one block after the other: each takes in what the one below hands on.

    x (token, d_model) with may_attend (query, key), or a batch (sentence, token, d_model) with
    (sentence, query, key). One trace a layer: its input `x`, its result `out`.
    """
    traces = []
    for layer in weights:
        record = Record()
        x = block.run(setup, layer, x, may_attend, record)
        traces.append(Trace(setup, record.entries))
    return tuple(traces)


def result(setup: Setup, weights: tuple[Weights, ...], x: Tensor, may_attend: Tensor) -> Tensor:
    """Return what comes out at the top; nothing else is kept."""
    return compute_outputs(setup, weights, x, may_attend)[-1]


def compute_outputs(
    setup: Setup, weights: tuple[Weights, ...], x: Tensor, may_attend: Tensor
) -> list[Tensor]:
    """Return what each layer hands on; nothing else is kept."""
    outs = []
    for layer in weights:
        x = block.run(setup, layer, x, may_attend, Numbers())
        outs.append(x)
    return outs


def encode(setup: Setup, x: Tensor | None = None) -> tuple[Trace, ...]:
    """Return every layer of the setup's stack on one sentence: its own, unless `x` (token, d_model)
    is given."""
    if x is None:
        x = compute_embedding(setup).value("x")
    return stack(setup, weights.layers(setup), x, weights.may_attend(setup, x.shape[-2]))


def compare_norms(
    setup: Setup, weights: tuple[Weights, ...], layers: tuple[Trace, ...], may_attend: Tensor
) -> dict[str, list[Tensor]]:
    """Return what each layer hands on (token, d_model) with post-norm and with pre-norm, from the
    same weights.

    `layers` is the stack under the setup's own norm, which is not computed again; `may_attend` is
    (query, key).
    """
    outs = {setup.norm: [layer.value("out") for layer in layers]}
    other = replace(setup, norm="pre" if setup.norm == "post" else "post")
    outs[other.norm] = compute_outputs(other, weights, layers[0].value("x"), may_attend)
    return {norm: outs[norm] for norm in ("post", "pre")}


def standard_deviations(outs: Mapping[str, Sequence[Tensor]]) -> Tensor:
    """Return the standard deviation of all numbers (token, d_model) that a layer hands on, for each
    norm: (norm, layer).

    >>> standard_deviations(
    ...     {"post": [torch.tensor([[1.0, 3.0]])], "pre": [torch.tensor([[0.0, 4.0]])]}
    ... ).tolist()
    [[1.0], [2.0]]
    """
    return torch.stack(
        [torch.stack(list(of_norm)).std(dim=(1, 2), correction=0) for of_norm in outs.values()]
    )
