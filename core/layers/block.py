"""The other parts of a transformer block: residual connections, layer norm and the feed-forward
part.

Vaswani et al. 2017, sections 3.1, 3.3 and 5.4. All functions accept leading axes.
"""

from collections.abc import Mapping
from functools import partial

import torch
from torch import Tensor

from ..ops import attention
from ..ops.weight_names import Weights
from ..setup.setup import Setup
from ..trace.block_origin import Activation, Times
from ..trace.origin import Product
from ..trace.record import TraceBuilder
from ..trace.step import Step
from .model import attend, normalise
from .steps import ROWS, describe_sum


def add(residual: Tensor, change: Tensor) -> Tensor:
    """Add a sublayer's output to the residual stream: (token, d_model) both.

    >>> add(torch.tensor([[1., 2.]]), torch.tensor([[0.5, -2.]])).tolist()
    [[1.5, 0.0]]
    """
    return residual + change


def spreads(rows: Mapping[str, Tensor]) -> dict[str, tuple[float, float]]:
    """Return the mean and standard deviation of one token's row (d_model,) at each stage.

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
    """Set negative numbers to 0: (token, d_ff).

    >>> relu(torch.tensor([[2., -3.]])).tolist()
    [[2.0, 0.0]]
    """
    return hidden.clamp(min=0)


def gelu(hidden: Tensor) -> Tensor:
    """Multiply each number by the standard normal distribution function at it: (token, d_ff).

    Hendrycks and Gimpel 2016.

    >>> gelu(torch.tensor([[0., 10., -10.]])).tolist()
    [[0.0, 10.0, -0.0]]
    """
    return hidden * 0.5 * (1 + torch.erf(hidden / 2**0.5))


def gelu_tanh(hidden: Tensor) -> Tensor:
    """Approximate GELU by a faster formula, the one GPT-2 uses: (token, d_ff).

    Hendrycks and Gimpel 2016, section 2.

    >>> gelu_tanh(torch.tensor([[0., 10., -10.]])).tolist()
    [[0.0, 10.0, -0.0]]
    """
    return hidden * 0.5 * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (hidden + 0.044715 * hidden**3)))


def silu(gate: Tensor) -> Tensor:
    """Multiply each number by its sigmoid, 1 / (1 + e^−x): (token, d_ff). Hendrycks and Gimpel
    2016, section 2.

    >>> silu(torch.tensor([[0., 10., -10.]])).round(decimals=3).tolist()
    [[0.0, 10.0, -0.0]]
    """
    return gate * torch.sigmoid(gate)


def gate(opened: Tensor, hidden: Tensor) -> Tensor:
    """Multiply the hidden numbers by the activated gate, elementwise: (token, d_ff) both.

    SwiGLU, where the gate's activation is silu: Shazeer 2020, equation 5.

    >>> gate(torch.tensor([[0., 2.]]), torch.tensor([[5., 3.]])).tolist()
    [[0.0, 6.0]]
    """
    return opened * hidden


ACTIVATIONS = {
    "relu": relu,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "swiglu": silu,
}  # swiglu's is applied to its gate
WIDE = "token d_ff"
HIDDEN = Step(attention.project, Product, "ffn_hidden", "H", WIDE)
OPENED = Step(silu, partial(Activation, kind="silu"), "ffn_opened", "silu(G)", WIDE)
ACTIVATED = {
    kind: Step(function, partial(Activation, kind=kind), "ffn_activated", f"{kind}(H)", WIDE)
    for kind, function in ACTIVATIONS.items()
} | {"swiglu": Step(gate, Times, "ffn_activated", "silu(G) · H", WIDE)}
ADDED = Step(add, describe_sum, "resid_mid", "X + Y", ROWS)
# The feed-forward part's weights, with biases if it has any: symbol and axes.
WEIGHTS = {
    "w_gate": ("W_gate", "d_model d_ff"),
    "b_gate": ("b_gate", "d_ff"),
    "w_1": ("W_1", "d_model d_ff"),
    "b_1": ("b_1", "d_ff"),
    "w_2": ("W_2", "d_ff d_model"),
    "b_2": ("b_2", "d_model"),
}


def feed_forward(setup: Setup, weights: Weights, record: TraceBuilder, source: str) -> Tensor:
    """Apply the feed-forward part to each token: project to d_ff, activate, project back to
    d_model.

    With `swiglu`, a second projection to d_ff is activated and multiplies the first.
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


def run(
    setup: Setup, weights: Weights, x: Tensor, may_attend: Tensor, record: TraceBuilder
) -> Tensor:
    """Run one block on x and return `out`; every intermediate tensor is recorded.

    Post-norm, as in the paper: add, then norm. Pre-norm (Xiong et al. 2020): norm the input of each
    part, so the residual stream is only added to. `resid_mid` is the stream after attention;
    `normed_1` and `normed_2` are the norms in order. With post-norm, `resid_post` is the stream
    after the feed-forward part and `out` its norm; with pre-norm that stream is `out`.
    """
    after = {"normed_1": "1", "normed_2": "2", "out": "2"}  # the norm that computes each entry
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
