"""A catalogue of usual mistakes: the step each belongs to, a function that computes the step with
the mistake, and a sentence. Exercises use them for single numbers, grading for whole matrices."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

import torch
from torch import Tensor

from ..layers import block
from ..ops import attention, heads
from ..ops.attention import transpose
from ..setup.setup import Setup
from ..trace.record import Trace
from .derivation import Derivation

Of = Mapping[str, Tensor]  # the steps' results without a mistake, by name
Make = Callable[[Derivation, Of], Tensor]
# Replacements for a step's inputs: another entry, or a function of the input.
Taken = Mapping[str, str | Callable[[Tensor], Tensor]]
Groups = list[tuple[float, ...]]  # the factors of each term of a sum
NOWHERE = Derivation(Trace(Setup()))  # for mistakes that need no derivation
BASES = ("2", "3", "10", "2.7", "2.72")  # used instead of e


@dataclass(frozen=True)
class Misconception:
    """One mistake in a step: a short name, and its explanation for the user."""

    step: str
    key: str
    says: str
    make: Make


def ways(
    right: Derivation, of: Of, name: str, written: Collection[str]
) -> Iterator[tuple[Misconception, Tensor]]:
    """Yield each mistake that may explain this step, with its result: a mistake in the step itself,
    or in an earlier step that was not written out.

    `of` are the steps without a mistake, those in `written` as submitted.
    """
    for step in right.unwritten(name, written):
        for slip, made in _slips(right, of, step):
            result = right.follow(of, {step: made}, name, written)[name]
            if not result.isnan().any():
                yield slip, result


def pairs(
    right: Derivation, of: Of, name: str, written: Collection[str]
) -> Iterator[tuple[Misconception, Misconception, Tensor]]:
    """Yield each pair of mistakes, in one step and a later one, that may explain this step."""
    reach = right.unwritten(name, written)
    for k, step in enumerate(reach):
        for first, made in _slips(right, of, step):
            for later in reach[k + 1 :]:
                with_first = right.follow(of, {step: made}, later, written)
                for second, result in ways(right, with_first, name, {*written, *reach} - {later}):
                    if second.step == later:
                        yield first, second, result


def find_other_slips(step: str, of: Of) -> Iterator[tuple[Misconception, Tensor]]:
    """Yield each mistake of a step that is not part of a solution, with its result."""
    for slip in AROUND:
        if slip.step == step:
            with suppress(KeyError):
                yield slip, slip.make(NOWHERE, of)


def _slips(right: Derivation, of: Of, step: str) -> Iterator[tuple[Misconception, Tensor]]:
    """Yield a step's mistakes with their results, except those whose inputs are missing or do not
    fit."""
    for slip in OF_A_MATRIX:
        if slip.step == step:
            with suppress(KeyError, RuntimeError):
                made = slip.make(right, of)
                if made.shape == of[step].shape and not made.isnan().any():
                    yield slip, made


# ---------- mistakes in the seven steps ----------


def _taking(step: str, taken: Taken) -> Make:
    """Return a mistake that replaces inputs of a step, or the step itself."""

    def take(of: Of, name: str, other: str | Callable[[Tensor], Tensor]) -> Tensor:
        if callable(other):
            return other(of[name])
        return heads.share(of[other], max(len(of[name]), len(of[other])))

    return lambda right, of: right.follow(
        of, {name: take(of, name, other) for name, other in taken.items()}, step
    )[step]


def _to_one_decimal(numbers: Tensor) -> Tensor:
    return numbers.round(decimals=1)


def _by_the_matrix_of(name: str, other: str) -> Make:
    """Return a mistake that uses another weight matrix and its bias."""
    return lambda right, of: right.follow(
        of,
        {f"{kind}_{name}": of[f"{kind}_{other}"] for kind in "wb" if f"{kind}_{other}" in of},
        name,
    )[name]


def _weight_first(name: str) -> Make:
    return lambda right, of: of[f"w_{name}"] @ of[right.source(name)]


def _rows_alone(name: str) -> Make:
    return lambda right, of: of[f"w_{name}"][..., : of[name].shape[-2], :]


def _scaled_by(power: int) -> Make:
    """Return a mistake that multiplies the scores by a power of the divisor."""
    return lambda right, of: of["scores"] * right.divisor**power


def _over(*sizes: str) -> Make:
    """Return a mistake that divides the scores by the root of these sizes' product."""
    return lambda right, of: of["scores"] / math.prod(right.sizes[size] for size in sizes) ** 0.5


def _before_mask(right: Derivation, of: Of) -> Tensor:
    return of[right.inputs("masked")[0]]


def _mask_with_zeros(right: Derivation, of: Of) -> Tensor:
    return torch.where(right.may_attend, _before_mask(right, of), 0.0)


def _mask_with(may: Callable[[Tensor], Tensor]) -> Make:
    return lambda right, of: attention.mask(_before_mask(right, of), may(right.may_attend))


def _inverted(may_attend: Tensor) -> Tensor:
    return may_attend if may_attend.all() else ~may_attend


def _in_base(base: float) -> Make:
    return lambda right, of: right.make("weights", {"masked": of["masked"] * math.log(base)})


def _down(right: Derivation, of: Of) -> Tensor:
    masked = transpose(of["masked"])
    return transpose(attention.softmax_or_zeros(masked))


def _over_all(right: Derivation, of: Of) -> Tensor:
    masked = of["masked"]
    flat = attention.softmax_or_zeros(masked.flatten(-2).unsqueeze(-2))
    return flat.squeeze(-2).unflatten(-1, masked.shape[-2:])


def _masked_after(right: Derivation, of: Of) -> Tensor:
    return torch.where(right.may_attend, attention.softmax(_before_mask(right, of)), 0.0)


def _shares(right: Derivation, of: Of) -> Tensor:
    seen = _mask_with_zeros(right, of)
    return seen / seen.sum(dim=-1, keepdim=True)


def _scaled_after(right: Derivation, of: Of) -> Tensor:
    masked = attention.mask(of["scores"], right.may_attend)
    return attention.softmax_or_zeros(masked) / right.divisor


def _input(right: Derivation, of: Of) -> Tensor:
    x = heads.add_head_axis(of[right.source("v")])
    return right.follow(of, {"v": x}, "context")["context"]


def _in_another_order(right: Derivation, of: Of) -> Tensor:
    return heads.concatenate(of["context"].flip(-3))


def _interleaved(right: Derivation, of: Of) -> Tensor:
    return of["context"].movedim(-3, -1).flatten(-2)


# ---------- mistakes in further steps ----------


def _apply(names: str, way: Callable[..., Tensor]) -> Make:
    """Return a mistake that applies a function to these steps."""
    return lambda right, of: way(*(of[name] for name in names.split()))


def _is(name: str) -> Make:
    """Return a mistake that uses another step in place of this one."""
    return lambda right, of: of[name]


def _place_of(of: Of) -> Tensor:
    return torch.arange(len(of["ids"]))


def _places(right: Derivation, of: Of) -> Tensor:
    return _place_of(of)


def _twice_listed(right: Derivation, of: Of) -> Tensor:
    """Return ids from a vocabulary that lists a word as often as it occurs."""
    ids, counts = of["ids"].unique(return_counts=True)
    return of["ids"] + ((of["ids"][:, None] > ids) * (counts - 1)).sum(dim=-1)


def _row(of_ids: Callable[[Of], Tensor]) -> Make:
    """Return a mistake that computes X with other rows of the table; NaN if there is no such
    row."""

    def make(right: Derivation, of: Of) -> Tensor:
        table, rows = of["embedding_table"], of_ids(of).long()
        there = (rows >= 0) & (rows < len(table))
        found = table[rows.clamp(0, len(table) - 1)] + of["x"] - of["embedded"]
        return torch.where(there[:, None], found, torch.nan)

    return make


def _normed(rule: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Make:
    """Return a mistake in a norm: a rule for rows, means and divisors; gain and shift stay."""

    def make(right: Derivation, of: Of) -> Tensor:
        rows = of["rows"]
        made = rule(rows, rows.mean(dim=-1, keepdim=True), of["divisor"])
        return made * of["gain"] + of["shift"]

    return make


# ---------- the catalogue ----------


def _list_for(step: str, *ways: tuple[str, str, Make | Taken]) -> tuple[Misconception, ...]:
    return tuple(
        Misconception(step, key, says, make if callable(make) else _taking(step, make))
        for key, says, make in ways
    )


def _list_for_projection(name: str) -> tuple[Misconception, ...]:
    def taken(other: str) -> str:
        return f"this is what W_{other} makes: {other.upper()} is taken for {name.upper()}"

    others = [other for other in "qkv" if other != name]
    return _list_for(
        name,
        ("turned", f"you multiply by W_{name} turned about, W_{name}^⊤", {f"w_{name}": transpose}),
        ("w first", f"W_{name} X is computed in place of X W_{name}", _weight_first(name)),
        *((f"w_{other}", taken(other), _by_the_matrix_of(name, other)) for other in others),
        ("rows", f"these are rows of W_{name} itself: X is left out", _rows_alone(name)),
        ("bias", f"b_{name} is left out", {f"b_{name}": torch.zeros_like}),
        ("transposed", ABOUT, {name: transpose}),
    )


ABOUT = "it is turned about: rows and columns are exchanged"
OF_A_MATRIX: tuple[Misconception, ...] = (
    *(slip for name in "qkv" for slip in _list_for_projection(name)),
    *_list_for(
        "scores",
        ("exchanged", "queries and keys are exchanged: K Q^⊤ for Q K^⊤", {"scores": transpose}),
        ("v", "V is taken for K", {"k": "v"}),
        ("qq", "Q is multiplied with itself: Q is taken for K", {"k": "q"}),
        ("kk", "K is multiplied with itself: K is taken for Q", {"q": "k"}),
        ("unturned", "Q K is computed in place of Q K^⊤", {"k_t": "k"}),
        ("scaled", "they are divided already, which is the next step", _scaled_by(-1)),
        (
            "rounded",
            "Q and K are rounded to one decimal first",
            {"q": _to_one_decimal, "k": _to_one_decimal},
        ),
    ),
    *_list_for(
        "scaled",
        ("unscaled", "the scores are not scaled", _scaled_by(0)),
        ("d_k", "you divide by d_k", _over("d_k", "d_k")),
        ("root", "you divide by √d_k, and here something else divides", _over("d_k")),
        ("d_v", "you divide by √d_v", _over("d_v")),
        ("wide", "you divide by √(heads · d_k), all heads' width", _over("head", "d_k")),
        ("d_model", "you divide by √d_model", _over("d_model")),
        ("tokens", "you divide by the root of the number of words", _over("key")),
        ("times", "you multiply by what should divide", _scaled_by(1)),
        ("transposed", ABOUT, {"scaled": transpose}),
    ),
    *_list_for(
        "masked",
        ("unmasked", "the mask is left out", _before_mask),
        ("zero", "hidden scores become 0 in place of −∞", _mask_with_zeros),
        ("mask turned", "the mask is turned about, key for query", _mask_with(transpose)),
        ("mask inverted", "the mask hides what may be seen", _mask_with(_inverted)),
    ),
    *_list_for(
        "weights",
        ("columns", "your softmax runs down the columns", _down),
        ("all", "your softmax runs over the whole matrix", _over_all),
        ("transposed", ABOUT, {"weights": transpose}),
        ("after", "the mask comes after the softmax, so rows no longer sum to 1", _masked_after),
        ("powers", "e to it is not yet divided by the row's sum", _apply("masked", torch.exp)),
        ("shares", "each score is divided by its row's sum, without e to its power", _shares),
        ("scaled after", "you divide after the softmax in place of before", _scaled_after),
        *((f"base {base}", f"e is taken for {base}", _in_base(float(base))) for base in BASES),
        ("rounded", "ω′ is rounded to one decimal first", {"masked": _to_one_decimal}),
    ),
    *_list_for(
        "context",
        ("turned", "α^⊤ V is computed in place of α V", {"weights": transpose}),
        ("k", "K is taken for V", {"v": "k"}),
        ("q", "Q is taken for V", {"v": "q"}),
        ("x", "X is taken for V", _input),
        ("scaled", "scaled scores mix the values, without a softmax", {"weights": "scaled"}),
        ("scores", "scores mix the values, not scaled, without a softmax", {"weights": "scores"}),
        ("rounded", "α is rounded to one decimal first", {"weights": _to_one_decimal}),
        ("transposed", ABOUT, {"context": transpose}),
    ),
    *_list_for(
        "concat",
        ("order", "the heads stand in another order", _in_another_order),
        ("interleaved", "the heads' numbers alternate", _interleaved),
    ),
    *_list_for(
        "output",
        ("turned", "you multiply by W_o turned about, W_o^⊤", {"w_o": transpose}),
        ("w_o", "W_o is left out", _is("concat")),
        ("bias", "b_o is left out", {"b_o": torch.zeros_like}),
        ("rounded", "the heads' results are rounded to one decimal", {"concat": _to_one_decimal}),
    ),
)
AROUND: tuple[Misconception, ...] = (
    *_list_for(
        "ids",
        (
            "from 1",
            "ids are counted from 1: the code counts from 0",
            _apply("ids", lambda i: i + 1),
        ),
        ("place", "places in the sentence are counted, not in the vocabulary", _places),
        ("twice", "a word that occurs twice is listed twice", _twice_listed),
    ),
    *_list_for(
        "x",
        ("from 1", "rows are counted from 1: ids count from 0", _row(lambda of: of["ids"] - 1)),
        ("place", "the word's place picks the row: its id does", _row(_place_of)),
        ("positions", "the position is left out", _is("embedded")),
    ),
    *_list_for(
        "resid_mid",
        ("input", "the residual connection is left out", _is("output")),
        ("found", "what attention found is left out", _is("x")),
        ("less", "what attention found is taken away", _apply("x output", torch.sub)),
        ("times", "the two are multiplied", _apply("x output", torch.mul)),
    ),
    *_list_for(
        "layer_norm",
        ("mean", "the mean is not taken away", _normed(lambda v, m, s: v / s)),
        ("undivided", "it is not divided by the spread", _normed(lambda v, m, s: v - m)),
        ("square", "it is divided by the variance", _normed(lambda v, m, s: (v - m) / s**2)),
        ("order", "the mean is taken away after dividing", _normed(lambda v, m, s: v / s - m)),
    ),
    *_list_for(
        "rms_norm",
        ("mean", "the mean is taken away: here it stays", _normed(lambda v, m, s: (v - m) / s)),
        ("undivided", "it is not divided by the root", _normed(lambda v, m, s: v)),
        ("square", "it is divided by the mean square", _normed(lambda v, m, s: v / s**2)),
    ),
    *_list_for(
        "activation",
        ("linear", "it is let through as it is", _is("ffn_hidden")),
        ("sign", "its sign is dropped", _apply("ffn_hidden", torch.abs)),
        ("relu", "relu is taken", _apply("ffn_hidden", block.relu)),
        ("gelu", "gelu is taken", _apply("ffn_hidden", block.gelu)),
    ),
    *_list_for(
        "gate",
        (
            "added",
            "the two are added: the gate multiplies",
            _apply("ffn_opened ffn_hidden", torch.add),
        ),
        ("gate", "the gate alone is given", _is("ffn_opened")),
        ("linear", "it is let through as it is", _is("ffn_hidden")),
    ),
    *_list_for("logits", ("tempered", "it is divided by T already", _is("tempered"))),
    *_list_for(
        "probabilities",
        ("temperature", "the temperature is left out", _apply("logits", attention.softmax)),
        ("cut", "words that may not come are counted too", _apply("tempered", attention.softmax)),
        ("powers", "e to it is not yet divided by the sum", _apply("top_p", torch.exp)),
        (
            "shares",
            "e is left out, only the sum divides",
            _apply("tempered", lambda t: t / t.sum()),
        ),
    ),
    *_list_for(
        "share",
        (
            "whole",
            "the loss is not halved: two questions share it",
            _apply("loss", lambda x: (-x).exp()),
        ),
        (
            "sign",
            "the sign is lost: a loss is −ln of a share",
            _apply("loss", lambda x: (x / 2).exp()),
        ),
        ("base 2", "e is taken for 2", _apply("loss", lambda x: 2 ** (-x / 2))),
        ("loss", "the loss of one question is given", _apply("loss", lambda x: x / 2)),
    ),
)
# Mistakes in a sum of products whose last terms are left to compute, given the sum of the rest and
# each term's factors.
OF_A_SUM: tuple[tuple[str, Callable[[float, Groups], float]], ...] = (
    ("the factors are added instead of multiplied", lambda rest, of: rest + sum(map(sum, of))),
    ("the sign of what is missing is lost", lambda rest, of: rest - sum(map(math.prod, of))),
    ("the sum of all the others is left out", lambda rest, of: sum(map(math.prod, of))),
    ("the missing terms are left out", lambda rest, of: rest),
    ("the last term is left out", lambda rest, of: rest + sum(map(math.prod, of[:-1]))),
)
