"""Usual slips for whole matrices: each makes a step another way, and is named where that gives what
somebody wrote."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from .. import attention, heads
from .working import FROM, ORDER, Start, meet, project, step

Make = Callable[[Start, Mapping[str, Tensor]], Tensor | None]
BASES = {"2": "2", "3": "3", "10": "10", "2.7": "2.7", "2.72": "2.72"}


@dataclass(frozen=True)
class Slip:
    """One way to make a step wrong: a short name, and what is said of it to whom it happened."""

    step: str
    key: str
    says: str
    make: Make


def _turned(name: str) -> Make:
    def make(start: Start, of: Mapping[str, Tensor]) -> Tensor | None:
        w = start.given.get(f"w_{name}")
        if w is None or w.shape[-1] != w.shape[-2]:
            return None
        x = (
            start.given["memory_x"]
            if name in "kv" and "memory_x" in start.given
            else start.given["x"]
        )
        return attention.project(x, attention.transpose(w), start.given.get(f"b_{name}"))

    return make


def _by_the_matrix_of(name: str, other: str) -> Make:
    return lambda start, of: (
        project(start, name, f"w_{other}") if f"w_{other}" in start.given else of[other]
    )


def _rows_alone(name: str) -> Make:
    def make(start: Start, of: Mapping[str, Tensor]) -> Tensor | None:
        w, tokens = start.given.get(f"w_{name}"), of[name].shape[-2]
        return w[..., :tokens, :] if w is not None and w.shape[-2] >= tokens else None

    return make


def _without_bias(name: str) -> Make:
    return lambda start, of: (
        of[name] - start.given[f"b_{name}"].unsqueeze(-2) if f"b_{name}" in start.given else None
    )


def _flipped(name: str) -> Make:
    return lambda start, of: attention.transpose(of[name])


def _meet(first: str, second: str) -> Make:
    """Return scores of other vectors than queries with keys."""

    def make(start: Start, of: Mapping[str, Tensor]) -> Tensor | None:
        q, k = (heads.share(of[name], of["q"].shape[0]) for name in (first, second))
        return meet(start, q, k) if q.shape[-1] == k.shape[-1] else None

    return make


def _keys_not_turned(start: Start, of: Mapping[str, Tensor]) -> Tensor | None:
    k = heads.share(of["k"], of["q"].shape[0])
    return of["q"] @ k if of["q"].shape[-1] == k.shape[-2] else None


def _over(divisor: Callable[[Mapping[str, int]], float]) -> Make:
    return lambda start, of: of["scores"] / divisor(start.sizes)


def _in_base(base: float) -> Make:
    return lambda start, of: attention.softmax_or_zeros(of["masked"] * math.log(base))


def _down(start: Start, of: Mapping[str, Tensor]) -> Tensor:
    return attention.transpose(attention.softmax_or_zeros(attention.transpose(of["masked"])))


def _over_all(start: Start, of: Mapping[str, Tensor]) -> Tensor:
    return (
        attention.softmax_or_zeros(of["masked"].flatten(-2).unsqueeze(-2))
        .squeeze(-2)
        .unflatten(-1, of["masked"].shape[-2:])
    )


def _shares(start: Start, of: Mapping[str, Tensor]) -> Tensor:
    seen = torch.where(start.may_attend, of["scaled"], 0.0)
    return seen / seen.sum(dim=-1, keepdim=True)


def _masked_by(may: Callable[[Tensor], Tensor]) -> Make:
    def make(start: Start, of: Mapping[str, Tensor]) -> Tensor | None:
        other = may(start.may_attend)
        masked = other.shape == start.may_attend.shape and not start.may_attend.all()
        return attention.mask(of["scaled"], other) if masked else None

    return make


def _mixed(weights: str, values: str) -> Make:
    """Return the context of other weights, or of other values."""

    def make(start: Start, of: Mapping[str, Tensor]) -> Tensor | None:
        mixes = attention.transpose(of["weights"]) if weights == "turned" else of[weights]
        mixed = start.given.get("memory_x", start.given.get("x")) if values == "x" else of[values]
        if mixed is None or mixes.shape[-1] != mixed.shape[-2] or mixes.isinf().any():
            return None
        return mixes @ (mixed if values == "x" else heads.share(mixed, mixes.shape[-3]))

    return make


def _rounded(name: str, *rounded: str) -> Make:
    """Return a step made of others that are rounded to one decimal first."""

    def make(start: Start, of: Mapping[str, Tensor]) -> Tensor:
        return step(
            start, name, {**of, **{earlier: of[earlier].round(decimals=1) for earlier in rounded}}
        )

    return make


def _heads_in_another_order(start: Start, of: Mapping[str, Tensor]) -> Tensor:
    return heads.concatenate(of["context"].flip(-3))


def _heads_interleaved(start: Start, of: Mapping[str, Tensor]) -> Tensor:
    return of["context"].movedim(-3, -1).flatten(-2)


def _by_w_o(turned: bool, bias: bool) -> Make:
    def make(start: Start, of: Mapping[str, Tensor]) -> Tensor | None:
        w, b = start.given.get("w_o"), start.given.get("b_o")
        if w is None or (turned and w.shape[0] != w.shape[1]) or (not bias and b is None):
            return None
        return heads.combine(of["concat"], w.T if turned else w, b if bias else None)

    return make


_PROJECTIONS = [
    slip
    for name in "qkv"
    for slip in (
        Slip(name, "turned", f"you multiply by W_{name} turned about, W_{name}^⊤", _turned(name)),
        *(
            Slip(
                name,
                f"w_{other}",
                f"this is what W_{other} makes: {other.upper()} is taken for {name.upper()}",
                _by_the_matrix_of(name, other),
            )
            for other in "qkv"
            if other != name
        ),
        Slip(name, "rows", f"these are rows of W_{name} itself: X is left out", _rows_alone(name)),
        Slip(name, "bias", f"b_{name} is left out", _without_bias(name)),
        Slip(
            name, "transposed", "it is turned about: rows and columns are exchanged", _flipped(name)
        ),
    )
]
SLIPS: tuple[Slip, ...] = (
    *_PROJECTIONS,
    Slip(
        "scores",
        "exchanged",
        "K Q^⊤ is computed in place of Q K^⊤: queries and keys are exchanged",
        _flipped("scores"),
    ),
    Slip("scores", "v", "V is taken for K", _meet("q", "v")),
    Slip("scores", "qq", "Q is multiplied with itself: Q is taken for K", _meet("q", "q")),
    Slip("scores", "kk", "K is multiplied with itself: K is taken for Q", _meet("k", "k")),
    Slip("scores", "unturned", "Q K is computed in place of Q K^⊤", _keys_not_turned),
    Slip(
        "scores",
        "scaled",
        "they are divided already, which is the next step",
        lambda start, of: of["scores"] / start.divisor,
    ),
    Slip(
        "scores",
        "rounded",
        "Q and K are rounded to one decimal before the product",
        _rounded("scores", "q", "k"),
    ),
    Slip("scaled", "unscaled", "the scores are not scaled", lambda start, of: of["scores"]),
    Slip("scaled", "d_k", "you divide by d_k", _over(lambda sizes: sizes["d_k"])),
    Slip(
        "scaled",
        "root",
        "you divide by √d_k, and here something else divides",
        _over(lambda sizes: math.sqrt(sizes["d_k"])),
    ),
    Slip("scaled", "d_v", "you divide by √d_v", _over(lambda sizes: math.sqrt(sizes["d_v"]))),
    Slip(
        "scaled",
        "wide",
        "you divide by the root of all heads' width, √(heads · d_k)",
        _over(lambda sizes: math.sqrt(sizes["head"] * sizes["d_k"])),
    ),
    Slip(
        "scaled",
        "d_model",
        "you divide by √d_model",
        _over(lambda sizes: math.sqrt(sizes["d_model"])),
    ),
    Slip(
        "scaled",
        "tokens",
        "you divide by the root of the number of words",
        _over(lambda sizes: math.sqrt(sizes["key"])),
    ),
    Slip(
        "scaled",
        "times",
        "you multiply by what should divide",
        lambda start, of: of["scores"] * start.divisor,
    ),
    Slip(
        "scaled",
        "transposed",
        "it is turned about: rows and columns are exchanged",
        _flipped("scaled"),
    ),
    Slip("masked", "unmasked", "the mask is left out", lambda start, of: of["scaled"]),
    Slip(
        "masked",
        "zero",
        "hidden scores become 0 in place of −∞",
        lambda start, of: torch.where(start.may_attend, of["scaled"], 0.0),
    ),
    Slip(
        "masked",
        "mask turned",
        "the mask is turned about: keys and queries are exchanged",
        _masked_by(attention.transpose),
    ),
    Slip(
        "masked",
        "mask inverted",
        "the mask is the wrong way round: what may be seen is hidden",
        _masked_by(torch.logical_not),
    ),
    Slip("weights", "columns", "your softmax runs down the columns", _down),
    Slip("weights", "all", "your softmax runs over the whole matrix", _over_all),
    Slip(
        "weights",
        "transposed",
        "it is turned about: rows and columns are exchanged",
        _flipped("weights"),
    ),
    Slip(
        "weights",
        "after",
        "the mask comes after the softmax, so rows no longer sum to 1",
        lambda start, of: torch.where(start.may_attend, attention.softmax(of["scaled"]), 0.0),
    ),
    Slip(
        "weights",
        "powers",
        "these are the powers of e, not yet divided by their row's sum",
        lambda start, of: of["masked"].exp(),
    ),
    Slip(
        "weights",
        "shares",
        "each score is divided by its row's sum, without e to its power",
        _shares,
    ),
    Slip(
        "weights",
        "scaled after",
        "you divide after the softmax in place of before",
        lambda start, of: (
            attention.softmax_or_zeros(attention.mask(of["scores"], start.may_attend))
            / start.divisor
        ),
    ),
    *(
        Slip("weights", f"base {base}", f"e is taken for {says}", _in_base(float(base)))
        for base, says in BASES.items()
    ),
    Slip(
        "weights",
        "rounded",
        "the scaled scores are rounded to one decimal before the softmax",
        _rounded("weights", "masked"),
    ),
    Slip("context", "turned", "α^⊤ V is computed in place of α V", _mixed("turned", "v")),
    Slip("context", "k", "K is taken for V", _mixed("weights", "k")),
    Slip("context", "q", "Q is taken for V", _mixed("weights", "q")),
    Slip("context", "x", "X is taken for V", _mixed("weights", "x")),
    Slip(
        "context",
        "scaled",
        "the scaled scores mix the values, without a softmax",
        _mixed("scaled", "v"),
    ),
    Slip(
        "context",
        "scores",
        "the scores mix the values, neither scaled nor through a softmax",
        _mixed("scores", "v"),
    ),
    Slip(
        "context",
        "rounded",
        "α is rounded to one decimal before the product",
        _rounded("context", "weights"),
    ),
    Slip(
        "context",
        "transposed",
        "it is turned about: rows and columns are exchanged",
        _flipped("context"),
    ),
    Slip("concat", "order", "the heads stand in another order", _heads_in_another_order),
    Slip(
        "concat",
        "interleaved",
        "the heads' numbers alternate in place of standing side by side",
        _heads_interleaved,
    ),
    Slip(
        "output",
        "turned",
        "you multiply by W_o turned about, W_o^⊤",
        _by_w_o(turned=True, bias=True),
    ),
    Slip(
        "output",
        "w_o",
        "W_o is left out",
        lambda start, of: of["concat"] if "w_o" in start.given else None,
    ),
    Slip("output", "bias", "b_o is left out", _by_w_o(turned=False, bias=False)),
    Slip(
        "output",
        "rounded",
        "the heads' results are rounded to one decimal before the product",
        _rounded("output", "concat"),
    ),
)


def ways(
    start: Start, of: Mapping[str, Tensor], name: str, written: Mapping[str, Tensor]
) -> Iterator[tuple[Slip, Tensor]]:
    """Return each slip that may have made this step, and what it gives: one of the step itself, or
    of one before it that nobody wrote.

    `of` are the steps as they are without a slip, those of `written` from the hand that is checked.
    """
    reach = _unwritten(name, written)
    for slip in SLIPS:
        if slip.step not in reach:
            continue
        made = slip.make(start, of)
        if made is None or made.shape != of[slip.step].shape:
            continue
        result = _onwards(start, of, slip.step, made, name, written)
        if not result.isnan().any():
            yield slip, result


def _unwritten(name: str, written: Mapping[str, Tensor]) -> set[str]:
    """Return the step and those before it whose result was not written down on the way to it."""
    reach, ahead = {name}, list(FROM[name])
    while ahead:
        earlier = ahead.pop()
        if earlier not in written and earlier not in reach:
            reach.add(earlier)
            ahead += FROM[earlier]
    return reach


def _onwards(
    start: Start,
    of: Mapping[str, Tensor],
    at: str,
    made: Tensor,
    name: str,
    written: Mapping[str, Tensor],
) -> Tensor:
    """Return the step `name` where the step `at` is what a slip made of it."""
    changed = {**of, at: made}
    for later in ORDER[ORDER.index(at) + 1 : ORDER.index(name) + 1]:
        if later == name or later not in written:
            changed[later] = step(start, later, changed)
    return changed[name]
