"""What a transformer block adds to attention: residual connections, layer norm, the feed-forward
part.

Vaswani et al. 2017, sections 3.1, 3.3 and 5.4. Every function takes any leading axes and leaves
them alone.
"""

from collections.abc import Mapping
from functools import partial

import torch
from torch import Tensor

from . import attention
from .block_origin import Activation, Times
from .model import attend, normalise
from .names import Weights
from .origin import Product
from .record import Record
from .setup import Setup
from .step import Step
from .steps import ROWS, describe_sum


def add(residual: Tensor, change: Tensor) -> Tensor:
    """Keep what was there and add what was found, number by number: (token, d_model) both.

    >>> add(torch.tensor([[1., 2.]]), torch.tensor([[0.5, -2.]])).tolist()
    [[1.5, 0.0]]
    """
    return residual + change


def spreads(rows: Mapping[str, Tensor]) -> dict[str, tuple[float, float]]:
    """Return mean and standard deviation of one token's row (d_model,) at each stage: what the norm
    brings to 0 and 1.

    >>> spreads({"x": torch.tensor([1., 3.]), "out": torch.tensor([5., 5.])})
    {'x': (2.0, 1.0), 'out': (5.0, 0.0)}
    """
    standard_deviations, means = torch.std_mean(
        torch.stack(list(rows.values())), dim=-1, correction=0
    )
    return dict(
        zip(rows, zip(means.tolist(), standard_deviations.tolist(), strict=True), strict=True)
    )


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


def gelu_tanh(hidden: Tensor) -> Tensor:
    """The same by a formula that is quicker and nearly exact, which GPT-2 learned with: (token,
    d_ff).

    Hendrycks and Gimpel 2016, section 2.

    >>> gelu_tanh(torch.tensor([[0., 10., -10.]])).tolist()
    [[0.0, 10.0, -0.0]]
    """
    return hidden * 0.5 * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (hidden + 0.044715 * hidden**3)))


def silu(gate: Tensor) -> Tensor:
    """Multiply each number by 1 / (1 + e^−x), its own share: (token, d_ff). Hendrycks and Gimpel
    2016, section 2.

    >>> silu(torch.tensor([[0., 10., -10.]])).round(decimals=3).tolist()
    [[0.0, 10.0, -0.0]]
    """
    return gate * torch.sigmoid(gate)


def let_through(opened: Tensor, hidden: Tensor) -> Tensor:
    """Multiply what is hidden by what the gate lets through, number by number: (token, d_ff) both.

    SwiGLU, where the gate's activation is silu: Shazeer 2020, equation 5.

    >>> let_through(torch.tensor([[0., 2.]]), torch.tensor([[5., 3.]])).tolist()
    [[0.0, 6.0]]
    """
    return opened * hidden


ACTIVATIONS = {
    "relu": relu,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "swiglu": silu,
}  # of swiglu, that of its gate
WIDE = "token d_ff"
HIDDEN = Step(attention.project, Product, "ffn_hidden", "H", WIDE)
OPENED = Step(silu, partial(Activation, kind="silu"), "ffn_opened", "silu(G)", WIDE)
ACTIVATED = {
    kind: Step(function, partial(Activation, kind=kind), "ffn_activated", f"{kind}(H)", WIDE)
    for kind, function in ACTIVATIONS.items()
} | {"swiglu": Step(let_through, Times, "ffn_activated", "silu(G) · H", WIDE)}
ADDED = Step(add, describe_sum, "resid_mid", "X + Y", ROWS)
# What the feed-forward part has, the biases where there are any: symbol and axes.
WEIGHTS = {
    "w_gate": ("W_gate", "d_model d_ff"),
    "b_gate": ("b_gate", "d_ff"),
    "w_1": ("W_1", "d_model d_ff"),
    "b_1": ("b_1", "d_ff"),
    "w_2": ("W_2", "d_ff d_model"),
    "b_2": ("b_2", "d_model"),
}


def feed_forward(setup: Setup, weights: Weights, record: Record, source: str) -> Tensor:
    """Put each token by itself through the feed-forward part: up to d_ff, through the activation,
    and back to d_model.

    With `swiglu` a second product up to d_ff goes through the activation, and what was there is
    multiplied by it.
    """

    def linear(step: Step, source: str, name: str) -> Tensor:
        return record.apply(
            step, source, *(each for each in (f"w_{name}", f"b_{name}") if each in weights)
        )

    linear(HIDDEN, source, "1")
    inputs: tuple[str, ...] = ("ffn_hidden",)
    if setup.activation == "swiglu":
        linear(HIDDEN.named("ffn_gate", "G", WIDE), source, "gate")
        record.apply(OPENED, "ffn_gate")
        inputs = ("ffn_opened", *inputs)
    record.apply(ACTIVATED[setup.activation], *inputs)
    return linear(HIDDEN.named("ffn_out", "F", ROWS), "ffn_activated", "2")


def run(setup: Setup, weights: Weights, x: Tensor, may_attend: Tensor, record: Record) -> Tensor:
    """Take x through one block to its result `out`, each stage kept.

    Post-norm, as in the paper: add, then norm. Pre-norm (Xiong et al. 2020): norm on the way into
    each part, so that the residual stream itself is only ever added to. `resid_mid` is the stream
    after attention's part was added, `normed_1` and `normed_2` are the norms in their order. After
    the feed-forward part's the stream is `resid_post` where a norm follows, which makes `out` of it
    (post-norm); with pre-norm nothing follows, and it is `out` itself.
    """
    after = {"normed_1": "1", "normed_2": "2", "out": "2"}  # which norm of the block makes an entry
    record.keep("x", "X", x, ROWS)
    for name, (symbol, axes) in WEIGHTS.items():
        if name in weights:
            record.keep(name, symbol, weights[name], axes)

    def norm(name: str, source: str) -> Tensor:
        return normalise(setup, weights, record, name, source, after[name])

    def add_up(name: str, symbol: str, *parts: str) -> Tensor:
        return record.apply(ADDED.named(name, symbol, ROWS), *parts)

    if setup.norm == "post":
        attend(setup, weights, record, may_attend)
        add_up("resid_mid", "X + Y", "x", "output")
        norm("normed_1", "resid_mid")
        feed_forward(setup, weights, record, "normed_1")
        add_up("resid_post", "N + F", "normed_1", "ffn_out")
        return norm("out", "resid_post")
    norm("normed_1", "x")
    attend(setup, weights, record, may_attend, source="normed_1")
    add_up("resid_mid", "X + Y", "x", "output")
    norm("normed_2", "resid_mid")
    feed_forward(setup, weights, record, "normed_2")
    return add_up("out", "X + Y + F", "resid_mid", "ffn_out")
