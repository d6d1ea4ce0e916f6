"""Usual slips, each told once: the step it belongs to, a function that makes that step with the
slip, and a sentence. Exercises name them of one number, the check of a solution of whole
matrices."""

import math
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from . import attention, block, heads
from .grading.working import FROM, ORDER, Start, meet, project, step

Of = Mapping[str, Tensor]  # what the steps give without a slip, by name
Make = Callable[[Start, Of], Tensor | None]
Groups = list[tuple[float, ...]]  # the factors of each term of a sum
BASES = ("2", "3", "10", "2.7", "2.72")  # that are taken for e


@dataclass(frozen=True)
class Slip:
    """One way to make a step wrong: a short name, and what is said of it to whom it happened."""

    step: str
    key: str
    says: str
    make: Make


def ways(start: Start, of: Of, name: str, written: Container[str]) -> Iterator[tuple[Slip, Tensor]]:
    """Return each slip that may have made this step, and what it gives: one of the step itself, or
    of one before it that nobody wrote.

    `of` are the steps as they are without a slip, those of `written` from the hand that is checked.
    """
    reach = _unwritten(name, written)
    for slip in OF_A_MATRIX:
        if slip.step not in reach:
            continue
        made = slip.make(start, of)
        if made is None or made.shape != of[slip.step].shape:
            continue
        result = _onwards(start, of, slip.step, made, name, written)
        if not result.isnan().any():
            yield slip, result


def around(step: str, of: Of) -> Iterator[tuple[Slip, Tensor]]:
    """Return each slip of another step than a solution's, and what it gives."""
    nowhere = Start({}, 1.0, torch.ones((), dtype=torch.bool))
    for slip in AROUND:
        if slip.step == step and (made := slip.make(nowhere, of)) is not None:
            yield slip, made


def _unwritten(name: str, written: Container[str]) -> set[str]:
    """Return the step and those before it whose result was not written down on the way to it."""
    reach, ahead = {name}, list(FROM[name])
    while ahead:
        earlier = ahead.pop()
        if earlier not in written and earlier not in reach:
            reach.add(earlier)
            ahead += FROM[earlier]
    return reach


def _onwards(
    start: Start, of: Of, at: str, made: Tensor, name: str, written: Container[str]
) -> Tensor:
    """Return the step `name` where the step `at` is what a slip made of it."""
    changed = {**of, at: made}
    for later in ORDER[ORDER.index(at) + 1 : ORDER.index(name) + 1]:
        if later == name or later not in written:
            changed[later] = step(start, later, changed)
    return changed[name]


# ---------- how the seven steps go wrong ----------


def _turned(name: str) -> Make:
    def make(start: Start, of: Of) -> Tensor | None:
        w = start.given.get(f"w_{name}")
        if w is None or w.shape[-1] != w.shape[-2]:
            return None
        of_memory = name in "kv" and "memory_x" in start.given
        x = start.given["memory_x" if of_memory else "x"]
        return attention.project(x, attention.transpose(w), start.given.get(f"b_{name}"))

    return make


def _weight_first(name: str) -> Make:
    def make(start: Start, of: Of) -> Tensor | None:
        w = start.given.get(f"w_{name}")
        if w is None or w.shape[-1] != of[name].shape[-2] or w.shape[-2] != of[name].shape[-2]:
            return None
        return w @ start.given["memory_x" if name in "kv" and "memory_x" in start.given else "x"]

    return make


def _by_the_matrix_of(name: str, other: str) -> Make:
    return lambda start, of: (
        project(start, name, f"w_{other}") if f"w_{other}" in start.given else of[other]
    )


def _rows_alone(name: str) -> Make:
    def make(start: Start, of: Of) -> Tensor | None:
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

    def make(start: Start, of: Of) -> Tensor | None:
        q, k = (heads.share(of[name], of["q"].shape[0]) for name in (first, second))
        fit = q.shape[:2] == of["q"].shape[:2] and k.shape[1] == of["k"].shape[1]
        return meet(start, q, k) if fit and q.shape[-1] == k.shape[-1] else None

    return make


def _keys_not_turned(start: Start, of: Of) -> Tensor | None:
    k = heads.share(of["k"], of["q"].shape[0])
    return of["q"] @ k if of["q"].shape[-1] == k.shape[-2] else None


def _scaled_by(power: int) -> Make:
    """Return the scores times a power of what should divide them."""
    return lambda start, of: of["scores"] * start.divisor**power


def _over(*sizes: str) -> Make:
    """Return the scores divided by the root of these sizes' product."""
    return lambda start, of: of["scores"] / math.prod(start.sizes[size] for size in sizes) ** 0.5


def _zeroed(start: Start, of: Of) -> Tensor:
    return torch.where(start.may_attend, of["scaled"], 0.0)


def _masked(may: Callable[[Tensor], Tensor]) -> Make:
    def make(start: Start, of: Of) -> Tensor | None:
        other = may(start.may_attend)
        masked = other.shape == start.may_attend.shape and not start.may_attend.all()
        return attention.mask(of["scaled"], other) if masked else None

    return make


def _in_base(base: float) -> Make:
    return lambda start, of: attention.softmax_or_zeros(of["masked"] * math.log(base))


def _down(masked: Tensor) -> Tensor:
    return attention.transpose(attention.softmax_or_zeros(attention.transpose(masked)))


def _over_all(masked: Tensor) -> Tensor:
    flat = attention.softmax_or_zeros(masked.flatten(-2).unsqueeze(-2))
    return flat.squeeze(-2).unflatten(-1, masked.shape[-2:])


def _masked_after(start: Start, of: Of) -> Tensor:
    return torch.where(start.may_attend, attention.softmax(of["scaled"]), 0.0)


def _shares(start: Start, of: Of) -> Tensor:
    seen = _zeroed(start, of)
    return seen / seen.sum(dim=-1, keepdim=True)


def _scaled_after(start: Start, of: Of) -> Tensor:
    masked = attention.mask(of["scores"], start.may_attend)
    return attention.softmax_or_zeros(masked) / start.divisor


def _mixed(weights: str, values: str) -> Make:
    """Return the context of other weights, or of other values."""

    def make(start: Start, of: Of) -> Tensor | None:
        mixes = attention.transpose(of["weights"]) if weights == "turned" else of[weights]
        mixed = start.given.get("memory_x", start.given.get("x")) if values == "x" else of[values]
        if mixed is None or mixes.shape[-1] != mixed.shape[-2] or mixes.isinf().any():
            return None
        return mixes @ (mixed if values == "x" else heads.share(mixed, mixes.shape[-3]))

    return make


def _rounded(name: str, *rounded: str) -> Make:
    """Return a step made of others that are rounded to one decimal first."""

    def make(start: Start, of: Of) -> Tensor:
        coarse = {earlier: of[earlier].round(decimals=1) for earlier in rounded}
        return step(start, name, {**of, **coarse})

    return make


def _in_another_order(context: Tensor) -> Tensor:
    return heads.concatenate(context.flip(-3))


def _interleaved(context: Tensor) -> Tensor:
    return context.movedim(-3, -1).flatten(-2)


def _without_w_o(start: Start, of: Of) -> Tensor | None:
    return of["concat"] if "w_o" in start.given else None


def _by_w_o(turned: bool = False, bias: bool = True) -> Make:
    def make(start: Start, of: Of) -> Tensor | None:
        w, b = start.given.get("w_o"), start.given.get("b_o")
        if w is None or (turned and w.shape[0] != w.shape[1]) or (not bias and b is None):
            return None
        return heads.combine(of["concat"], w.T if turned else w, b if bias else None)

    return make


# ---------- how the further steps go wrong ----------


def _of(names: str, way: Callable[..., Tensor]) -> Make:
    """Return what a way makes of these steps."""
    return lambda start, of: way(*(of[name] for name in names.split()))


def _is(name: str) -> Make:
    """Return another step in this one's place."""
    return lambda start, of: of[name]


def _place_of(of: Of) -> Tensor:
    return torch.arange(len(of["ids"]))


def _places(start: Start, of: Of) -> Tensor:
    return _place_of(of)


def _twice_listed(start: Start, of: Of) -> Tensor:
    """Return ids in a list that has a repeated word as often as it occurs."""
    ids, counts = of["ids"].unique(return_counts=True)
    return of["ids"] + ((of["ids"][:, None] > ids) * (counts - 1)).sum(dim=-1)


def _row(of_ids: Callable[[Of], Tensor]) -> Make:
    """Return X where other rows of the table are looked up than those of the words' ids; no number
    where the table has no such row."""

    def make(start: Start, of: Of) -> Tensor:
        table, rows = of["embedding_table"], of_ids(of).long()
        there = (rows >= 0) & (rows < len(table))
        found = table[rows.clamp(0, len(table) - 1)] + of["x"] - of["embedded"]
        return torch.where(there[:, None], found, torch.nan)

    return make


def _normed(rule: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Make:
    """Return what a rule makes of rows, their means and what divides them; gain and shift stay."""

    def make(start: Start, of: Of) -> Tensor:
        rows = of["rows"]
        made = rule(rows, rows.mean(dim=-1, keepdim=True), of["divisor"])
        return made * of["gain"] + of["shift"]

    return make


# ---------- the catalogue ----------


def _in(step: str, *ways: tuple[str, str, Make]) -> tuple[Slip, ...]:
    return tuple(Slip(step, *way) for way in ways)


def _in_projection(name: str) -> tuple[Slip, ...]:
    def taken(other: str) -> str:
        return f"this is what W_{other} makes: {other.upper()} is taken for {name.upper()}"

    others = [other for other in "qkv" if other != name]
    return _in(
        name,
        ("turned", f"you multiply by W_{name} turned about, W_{name}^⊤", _turned(name)),
        ("w first", f"W_{name} X is computed in place of X W_{name}", _weight_first(name)),
        *((f"w_{other}", taken(other), _by_the_matrix_of(name, other)) for other in others),
        ("rows", f"these are rows of W_{name} itself: X is left out", _rows_alone(name)),
        ("bias", f"b_{name} is left out", _without_bias(name)),
        ("transposed", ABOUT, _flipped(name)),
    )


ABOUT = "it is turned about: rows and columns are exchanged"
OF_A_MATRIX: tuple[Slip, ...] = (
    *(slip for name in "qkv" for slip in _in_projection(name)),
    *_in(
        "scores",
        ("exchanged", "queries and keys are exchanged: K Q^⊤ for Q K^⊤", _flipped("scores")),
        ("v", "V is taken for K", _meet("q", "v")),
        ("qq", "Q is multiplied with itself: Q is taken for K", _meet("q", "q")),
        ("kk", "K is multiplied with itself: K is taken for Q", _meet("k", "k")),
        ("unturned", "Q K is computed in place of Q K^⊤", _keys_not_turned),
        ("scaled", "they are divided already, which is the next step", _scaled_by(-1)),
        ("rounded", "Q and K are rounded to one decimal first", _rounded("scores", "q", "k")),
    ),
    *_in(
        "scaled",
        ("unscaled", "the scores are not scaled", _scaled_by(0)),
        ("d_k", "you divide by d_k", _over("d_k", "d_k")),
        ("root", "you divide by √d_k, and here something else divides", _over("d_k")),
        ("d_v", "you divide by √d_v", _over("d_v")),
        ("wide", "you divide by √(heads · d_k), all heads' width", _over("head", "d_k")),
        ("d_model", "you divide by √d_model", _over("d_model")),
        ("tokens", "you divide by the root of the number of words", _over("key")),
        ("times", "you multiply by what should divide", _scaled_by(1)),
        ("transposed", ABOUT, _flipped("scaled")),
    ),
    *_in(
        "masked",
        ("unmasked", "the mask is left out", _is("scaled")),
        ("zero", "hidden scores become 0 in place of −∞", _zeroed),
        ("mask turned", "the mask is turned about, key for query", _masked(attention.transpose)),
        ("mask inverted", "the mask hides what may be seen", _masked(torch.logical_not)),
    ),
    *_in(
        "weights",
        ("columns", "your softmax runs down the columns", _of("masked", _down)),
        ("all", "your softmax runs over the whole matrix", _of("masked", _over_all)),
        ("transposed", ABOUT, _flipped("weights")),
        ("after", "the mask comes after the softmax, so rows no longer sum to 1", _masked_after),
        ("powers", "e to it is not yet divided by the row's sum", _of("masked", torch.exp)),
        ("shares", "each score is divided by its row's sum, without e to its power", _shares),
        ("scaled after", "you divide after the softmax in place of before", _scaled_after),
        *((f"base {base}", f"e is taken for {base}", _in_base(float(base))) for base in BASES),
        ("rounded", "ω′ is rounded to one decimal first", _rounded("weights", "masked")),
    ),
    *_in(
        "context",
        ("turned", "α^⊤ V is computed in place of α V", _mixed("turned", "v")),
        ("k", "K is taken for V", _mixed("weights", "k")),
        ("q", "Q is taken for V", _mixed("weights", "q")),
        ("x", "X is taken for V", _mixed("weights", "x")),
        ("scaled", "scaled scores mix the values, without a softmax", _mixed("scaled", "v")),
        ("scores", "scores mix the values, not scaled, without a softmax", _mixed("scores", "v")),
        ("rounded", "α is rounded to one decimal first", _rounded("context", "weights")),
        ("transposed", ABOUT, _flipped("context")),
    ),
    *_in(
        "concat",
        ("order", "the heads stand in another order", _of("context", _in_another_order)),
        ("interleaved", "the heads' numbers alternate", _of("context", _interleaved)),
    ),
    *_in(
        "output",
        ("turned", "you multiply by W_o turned about, W_o^⊤", _by_w_o(turned=True)),
        ("w_o", "W_o is left out", _without_w_o),
        ("bias", "b_o is left out", _by_w_o(bias=False)),
        ("rounded", "the heads' results are rounded to one decimal", _rounded("output", "concat")),
    ),
)
AROUND: tuple[Slip, ...] = (
    *_in(
        "ids",
        ("from 1", "ids are counted from 1: the code counts from 0", _of("ids", lambda i: i + 1)),
        ("place", "places in the sentence are counted, not in the vocabulary", _places),
        ("twice", "a word that occurs twice is listed twice", _twice_listed),
    ),
    *_in(
        "x",
        ("from 1", "rows are counted from 1: ids count from 0", _row(lambda of: of["ids"] - 1)),
        ("place", "the word's place picks the row: its id does", _row(_place_of)),
        ("positions", "the position is left out", _is("embedded")),
    ),
    *_in(
        "resid_mid",
        ("input", "the residual connection is left out", _is("output")),
        ("found", "what attention found is left out", _is("x")),
        ("less", "what attention found is taken away", _of("x output", torch.sub)),
        ("times", "the two are multiplied", _of("x output", torch.mul)),
    ),
    *_in(
        "layer_norm",
        ("mean", "the mean is not taken away", _normed(lambda v, m, s: v / s)),
        ("undivided", "it is not divided by the spread", _normed(lambda v, m, s: v - m)),
        ("square", "it is divided by the variance", _normed(lambda v, m, s: (v - m) / s**2)),
        ("order", "the mean is taken away after dividing", _normed(lambda v, m, s: v / s - m)),
    ),
    *_in(
        "rms_norm",
        ("mean", "the mean is taken away: here it stays", _normed(lambda v, m, s: (v - m) / s)),
        ("undivided", "it is not divided by the root", _normed(lambda v, m, s: v)),
        ("square", "it is divided by the mean square", _normed(lambda v, m, s: v / s**2)),
    ),
    *_in(
        "activation",
        ("linear", "it is let through as it is", _is("ffn_hidden")),
        ("sign", "its sign is dropped", _of("ffn_hidden", torch.abs)),
        ("relu", "relu is taken", _of("ffn_hidden", block.relu)),
        ("gelu", "gelu is taken", _of("ffn_hidden", block.gelu)),
    ),
    *_in(
        "gate",
        (
            "added",
            "the two are added: the gate multiplies",
            _of("ffn_opened ffn_hidden", torch.add),
        ),
        ("gate", "the gate alone is given", _is("ffn_opened")),
        ("linear", "it is let through as it is", _is("ffn_hidden")),
    ),
    *_in("logits", ("tempered", "it is divided by T already", _is("tempered"))),
    *_in(
        "probabilities",
        ("temperature", "the temperature is left out", _of("logits", attention.softmax)),
        ("cut", "words that may not come are counted too", _of("tempered", attention.softmax)),
        ("powers", "e to it is not yet divided by the sum", _of("top_p", torch.exp)),
        ("shares", "e is left out, only the sum divides", _of("tempered", lambda t: t / t.sum())),
    ),
    *_in(
        "share",
        (
            "whole",
            "the loss is not halved: two questions share it",
            _of("loss", lambda x: (-x).exp()),
        ),
        (
            "sign",
            "the sign is lost: a loss is −ln of a share",
            _of("loss", lambda x: (x / 2).exp()),
        ),
        ("base 2", "e is taken for 2", _of("loss", lambda x: 2 ** (-x / 2))),
        ("loss", "the loss of one question is given", _of("loss", lambda x: x / 2)),
    ),
)
# What goes wrong with any sum of products whose last terms are left to work out: what the rest of
# it makes, and the factors of each term.
OF_A_SUM: tuple[tuple[str, Callable[[float, Groups], float]], ...] = (
    ("the factors are added instead of multiplied", lambda rest, of: rest + sum(map(sum, of))),
    ("the sign of what is missing is lost", lambda rest, of: rest - sum(map(math.prod, of))),
    ("the sum of all the others is left out", lambda rest, of: sum(map(math.prod, of))),
    ("the missing terms are left out", lambda rest, of: rest),
    ("the last term is left out", lambda rest, of: rest + sum(map(math.prod, of[:-1]))),
)
