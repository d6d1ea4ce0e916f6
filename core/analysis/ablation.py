"""Ablate each head of a real model in turn, and measure how much its answer changes.

Michel, Levy and Neubig 2019, "Are Sixteen Heads Really Better than One?", section 3.
"""

import torch
from torch import Tensor

from ..forward import encoder
from ..forward.trace import compute_embedding
from ..ops.weight_names import Weights
from ..setup.setup import Setup
from ..weights import weights
from .outputs import model_of


def zero_head_rows(of_layer: Weights, head: int, setup: Setup) -> Weights:
    """Return a layer's weights with one head's rows of w_o (head·d_v, d_model) set to 0, which
    ablates it; the only head may have had no w_o.

    >>> zero_head_rows({"w_o": torch.ones(4, 1)}, head=1, setup=Setup(heads=2))["w_o"].tolist()
    [[1.0], [1.0], [0.0], [0.0]]
    """
    w_o = of_layer.get("w_o", torch.zeros(setup.d_model, setup.d_model)).clone()
    w_o.chunk(setup.heads)[head].zero_()
    return of_layer | {"w_o": w_o}


def answer(setup: Setup, out: Tensor) -> Tensor:
    """Return the vector that the model's use depends on, (d_model,): the mean of its rows (token,
    d_model), or the last row for next-word prediction."""
    model = model_of(setup)
    top = model.top(out)
    return top.mean(dim=-2) if model.is_of_sentences else top[..., -1, :]


def measure_ablations(setup: Setup) -> Tensor:
    """Return how far the answer moves without each head, relative to its length: (layer, head)."""
    layers, may_attend = weights.layers(setup), weights.may_attend(setup, len(setup.tokens))
    x = compute_embedding(setup).value("x")
    handed = [x, *encoder.compute_outputs(setup, layers, x, may_attend)]
    whole = answer(setup, handed[-1])
    rows = []
    for n, of_layer in enumerate(layers):
        changed = [(zero_head_rows(of_layer, head, setup),) for head in range(setup.heads)]
        outs = torch.stack([encoder.result(setup, each, handed[n], may_attend) for each in changed])
        if n + 1 < len(layers):  # all ablations go through the layers above as a batch
            outs = encoder.result(
                setup, layers[n + 1 :], outs, may_attend.expand(len(outs), -1, -1)
            )
        rows.append((answer(setup, outs) - whole).norm(dim=-1) / whole.norm())
    return torch.stack(rows)
