"""What a transformer block adds to attention: residual connections, layer norm, the feed-forward part.

Vaswani et al. 2017, sections 3.1, 3.3 and 5.4. Every function takes any leading axes and leaves them alone.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from core import attention
from core.origin import Activation, Normalise, Product, Sum
from core.setup import Setup
from core.trace import Keep, attend

EPSILON = 1e-5


def add(stream: Tensor, change: Tensor) -> Tensor:
    """Keep what was there and add what was found, number by number: (token, d_model) both.

    >>> add(torch.tensor([[1., 2.]]), torch.tensor([[0.5, -2.]])).tolist()
    [[1.5, 0.0]]
    """
    return stream + change


def layer_norm(x: Tensor) -> Tensor:
    """Bring each token's row to mean 0 and standard deviation 1: (token, d_model).

    A trained model has a gain and a shift for each column after this; before training they are 1 and 0.
    Ba, Kiros and Hinton 2016.

    >>> layer_norm(torch.tensor([[1., 3.]])).round(decimals=3).tolist()
    [[-1.0, 1.0]]
    """
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(variance + EPSILON)  # a row of equal numbers has no spread to divide by


def spreads(rows: Mapping[str, Tensor]) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation of one token's row (d_model,) at each stage: what the norm brings to 0 and 1.

    >>> spreads({"x": torch.tensor([1., 3.]), "out": torch.tensor([5., 5.])})
    {'x': (2.0, 1.0), 'out': (5.0, 0.0)}
    """
    deviations, means = torch.std_mean(torch.stack(list(rows.values())), dim=-1, correction=0)
    return dict(zip(rows, zip(means.tolist(), deviations.tolist(), strict=True), strict=True))


def relu(hidden: Tensor) -> Tensor:
    """Keep what is positive, put 0 for the rest: (token, d_ff).

    >>> relu(torch.tensor([[2., -3.]])).tolist()
    [[2.0, 0.0]]
    """
    return hidden.clamp(min=0)


def gelu(hidden: Tensor) -> Tensor:
    """Multiply each number by the share of a normal distribution below it: (token, d_ff).

    Hendrycks and Gimpel 2016.

    >>> gelu(torch.tensor([[0., 10., -10.]])).tolist()
    [[0.0, 10.0, -0.0]]
    """
    return hidden * 0.5 * (1 + torch.erf(hidden / 2**0.5))


ACTIVATIONS = {"relu": relu, "gelu": gelu}
# What the feed-forward part has, the biases where there are any: symbol and axes.
WEIGHTS = {
    "w_1": ("W_1", "d_model d_ff"), "b_1": ("b_1", "d_ff"), "w_2": ("W_2", "d_ff d_model"), "b_2": ("b_2", "d_model"),
}  # fmt: skip


def feed(setup: Setup, drawn: dict[str, Tensor], x: Tensor, keep: Keep, source: str) -> Tensor:
    """The feed-forward part, on each token by itself: up to d_ff, bent, and back to d_model."""
    tokens = "token d_ff"
    hidden = attention.project(x, drawn["w_1"], drawn.get("b_1"))
    keep("hidden", "H", hidden, tokens, Product(source, "w_1", bias="b_1" if "b_1" in drawn else None))
    bent = ACTIVATIONS[setup.activation](hidden)
    keep("bent", f"{setup.activation}(H)", bent, tokens, Activation("hidden", setup.activation))
    fed = attention.project(bent, drawn["w_2"], drawn.get("b_2"))
    origin = Product("bent", "w_2", bias="b_2" if "b_2" in drawn else None)
    return keep("fed", "F", fed, "token d_model", origin)


def run(setup: Setup, drawn: dict[str, Tensor], x: Tensor, allowed: Tensor, keep: Keep) -> Tensor:
    """One block from its input to its output, each stage kept.

    Post-norm, as in the paper: add, then norm. Pre-norm (Xiong et al. 2020): norm on the way into each part,
    so that the stream itself is only ever added to.
    """
    rows = "token d_model"
    keep("x", "X", x, rows)
    for name, (symbol, axes) in WEIGHTS.items():
        if name in drawn:
            keep(name, symbol, drawn[name], axes)

    def norm(name: str, value: Tensor, source: str) -> Tensor:
        return keep(name, "norm", layer_norm(value), rows, Normalise(source, EPSILON))

    if setup.norm == "post":
        output = attend(setup, drawn, x, keep, allowed)
        added = keep("added", "X + Y", add(x, output), rows, Sum(("x", "output")))
        normed = norm("normed", added, "added")
        fed = feed(setup, drawn, normed, keep, "normed")
        both = keep("added_2", "N + F", add(normed, fed), rows, Sum(("normed", "fed")))
        return norm("out", both, "added_2")
    output = attend(setup, drawn, norm("normed", x, "x"), keep, allowed, source="normed")
    added = keep("added", "X + Y", add(x, output), rows, Sum(("x", "output")))
    fed = feed(setup, drawn, norm("normed_2", added, "added"), keep, "normed_2")
    return keep("out", "X + Y + F", add(added, fed), rows, Sum(("added", "fed")))
