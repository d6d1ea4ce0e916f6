"""Each head of a model that was read, switched off in turn: how much of the model's answer hangs on
it.

Michel, Levy and Neubig 2019, "Are Sixteen Heads Really Better than One?", section 3.
"""

import torch
from torch import Tensor

from . import encoder, weights
from .names import Weights
from .purpose import model_of
from .setup import Setup
from .trace import compute_embedding


def zero_head_rows(of_layer: Weights, head: int, heads: int) -> Weights:
    """Return a layer's weights with a head's rows of w_o (head·d_v, d_model) at 0: it still looks,
    and nobody hears of it.

    >>> zero_head_rows({"w_o": torch.ones(4, 1)}, head=1, heads=2)["w_o"].tolist()
    [[1.0], [1.0], [0.0], [0.0]]
    """
    w_o = of_layer["w_o"].clone()
    w_o.chunk(heads)[head].zero_()
    return of_layer | {"w_o": w_o}


def answer(setup: Setup, out: Tensor) -> Tensor:
    """Return what the model's use is made of, (d_model,): the mean of its rows (token, d_model), or
    the last: what comes next."""
    model = model_of(setup)
    top = model.top(out)
    return top.mean(dim=-2) if model.is_of_sentences else top[..., -1, :]


def measure_ablations(setup: Setup) -> Tensor:
    """Return how far the answer moves without each head, as a share of its length: (layer,
    head)."""
    layers, may_attend = weights.layers(setup), weights.may_attend(setup, len(setup.tokens))
    x = compute_embedding(setup).value("x")
    handed = [x, *encoder.compute_outputs(setup, layers, x, may_attend)]
    whole = answer(setup, handed[-1])
    rows = []
    for n, of_layer in enumerate(layers):
        changed = [(zero_head_rows(of_layer, head, setup.heads),) for head in range(setup.heads)]
        outs = torch.stack([encoder.result(setup, each, handed[n], may_attend) for each in changed])
        if n + 1 < len(layers):  # through those above all heads go at once
            outs = encoder.result(
                setup, layers[n + 1 :], outs, may_attend.expand(len(outs), -1, -1)
            )
        rows.append((answer(setup, outs) - whole).norm(dim=-1) / whole.norm())
    return torch.stack(rows)
