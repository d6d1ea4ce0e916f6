"""N3: one attention layer, derived twice: token by token, and all at once."""

from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor

from ..forward.trace import run
from ..ops import attention, heads
from ..setup import presets
from ..setup.setup import Setup
from ..text.written import short
from ..training import init
from ..weights.weights import projections
from .figure import Figure
from .inputs import attend_to, letters
from .mistake import Outcome
from .notebook import Notebook

NOTEBOOK = Notebook("N3")


@cache
def two_ways() -> tuple[Tensor, Tensor, Tensor]:
    """Run N3's layer all at once and token by token; return both outputs, (10, 20, 4), and the
    weights."""
    x = torch.randn(10, 20, 4, generator=init.generator(0))
    setup = Setup(text=letters(20), **presets.N3)
    trace = attend_to(setup, x)
    layer = projections(setup)
    w_q, w_k, w_v = (layer[f"w_{name}"][0] for name in "qkv")
    b_q, b_k, b_v = (layer[f"b_{name}"][0] for name in "qkv")
    rows = []
    for sentence in x:
        keys, values = attention.project(sentence, w_k, b_k), attention.project(sentence, w_v, b_v)
        for token in sentence:
            query = attention.project(token[None], w_q, b_q)
            scores = attention.scale(attention.scores(query, attention.transpose(keys)), d_k=2)
            rows.append(attention.mix(attention.softmax(scores), values))
    one_by_one = heads.combine(torch.cat(rows), layer["w_o"], layer["b_o"]).view(10, 20, 4)
    return trace["output"].value, one_by_one, trace["weights"].value[:, 0]


@NOTEBOOK.system("layer", page="projection", link=presets.N3 | {"way": "one token"})
def _layer_figures() -> tuple[Figure, ...]:
    at_once, one_by_one, weights = two_ways()
    return (
        Figure("output, all at once", at_once, (10, 20, 4)),
        Figure("output, token by token", one_by_one, (10, 20, 4)),
        Figure("weights", weights, (10, 20, 20)),
    )


# ---------- mistakes ----------


def values_from_queries(x: Tensor, w_q: Tensor, w_v: Tensor) -> Tensor:
    """Compute V = X W_q, as in the formula."""
    return attention.project(x, w_q)


def values_from_values(x: Tensor, w_q: Tensor, w_v: Tensor) -> Tensor:
    """Compute V = X W_v, as in the code beside it."""
    return attention.project(x, w_v)


@cache
def _layer() -> tuple[Tensor, dict[str, Tensor]]:
    """Return N3's layer on five words: x (token, 4) and its weights."""
    setup = Setup(text=letters(5), **presets.N3)
    return run(setup).value("x"), projections(setup)


@NOTEBOOK.mistake("N3 values", values_from_queries, values_from_values)
def _values_outcome(faults: frozenset[str]) -> Outcome:
    x, layer = _layer()
    w_q, w_v = layer["w_q"][0], layer["w_v"][0]
    v = (values_from_queries if faults else values_from_values)(x, w_q, w_v)
    apart = (v - attention.project(x, w_q)).abs().max().item()
    return Outcome(
        apart > 0, f"values and queries differ by at most {short(apart, 4)}", v, ("token", "d_v")
    )


def query_by_formula(x: Tensor, w_q: Tensor, b_q: Tensor) -> Tensor:
    """Compute Q = X W_q: the formula has no bias."""
    return attention.project(x, w_q)


def query_with_bias(x: Tensor, w_q: Tensor, b_q: Tensor) -> Tensor:
    """Compute Q = X W_q + b_q, as in the code."""
    return attention.project(x, w_q, b_q)


@NOTEBOOK.mistake("N3 bias", query_by_formula, query_with_bias)
def _bias_outcome(faults: frozenset[str]) -> Outcome:
    x, layer = _layer()
    w_q, b_q = layer["w_q"][0], layer["b_q"][0]
    q = (query_by_formula if faults else query_with_bias)(x, w_q, b_q)
    apart = (q - F.linear(x, w_q.T, b_q)).abs().max().item()
    return Outcome(
        apart < 1e-6, f"formula and layer differ by at most {short(apart, 4)}", q, ("token", "d_k")
    )


def value_weights_of_keys(d_model: int, d_k: int, d_v: int) -> Tensor:
    """Give the values the keys' size, ignoring d_v."""
    return init.xavier(init.generator(3), d_model, d_k)


def value_weights_of_their_own(d_model: int, d_k: int, d_v: int) -> Tensor:
    """Give the values their own size d_v: they are only summed."""
    return init.xavier(init.generator(3), d_model, d_v)


@NOTEBOOK.mistake("N3 size", value_weights_of_keys, value_weights_of_their_own)
def _size_outcome(faults: frozenset[str]) -> Outcome:
    x, layer = _layer()
    w_v = (value_weights_of_keys if faults else value_weights_of_their_own)(4, 2, 7)
    q, k = (attention.project(x, layer[f"w_{name}"][0]) for name in "qk")
    weights = attention.softmax(attention.scale(attention.scores(q, attention.transpose(k)), d_k=2))
    context = attention.mix(weights, attention.project(x, w_v))
    measured = f"asked for d_k = 2 and d_v = 7, the context has {context.shape[1]} numbers a word"
    return Outcome(context.shape[1] == 7, measured, context, ("query", "d_v"))
