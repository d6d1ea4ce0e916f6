"""Lay out one cell's numbers as an exercise: the text, and the rule that computes the cell."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from ..forward.trace import Trace
from ..grading.misconceptions import OF_A_SUM
from ..text.text import cell as named
from ..text.text import isolate, quote, shorten
from ..text.written import count, equals, number, write_after_sign
from ..trace.block_origin import Activation, Normalise, RootMeanSquare, Times, say_epsilon
from ..trace.cell import Cell, Index
from ..trace.origin import Copy, PlaceInVocabulary, Product, Softmax, Sum

OF_HEADS = ("head", "kv_head")
OF_THE_TRACE = ("resid_", "normed_", "ffn_", "last", "unembedding")  # symbols differ by setup
SCALES = {"sqrt": "√d_k", "fourth-root": "⁴√d_k on queries and keys", "none": "off"}
MAX_LISTED = 8  # numbers of a row shown in a question


@dataclass(frozen=True)
class Place:
    """One cell of an entry."""

    trace: Trace
    name: str
    index: Index

    @property
    def called(self) -> str:
        """The cell's name as the pages write it."""
        return write_cell_name(self.trace, self.name, self.index)

    @property
    def token(self) -> str:
        """The quoted word of the cell's row."""
        return quote(self.trace.words_along("token")[self.index[0]])

    @property
    def cell(self) -> Cell:
        """The cell, written out."""
        origin = self.trace[self.name].origin
        assert origin is not None
        return origin.open(self.trace, self.index)

    @property
    def value(self) -> float:
        """The cell's number."""
        return self.trace.value(self.name)[self.index].item()

    def of(self, name: str) -> Tensor:
        """Return an entry's numbers in double precision."""
        return self.trace.value(name).double()


def write_cell_name(trace: Trace, name: str, index: Index) -> str:
    """Return a cell's name as the pages write it, without its head: q[is, 3]."""
    dims = zip(trace[name].dims, index, strict=True)
    symbol = trace[name].symbol.replace("^⊤", "ᵀ") if name.startswith(OF_THE_TRACE) else name
    symbol = f"({symbol})" if " " in symbol else symbol
    return named(symbol, *(_word(trace, dim, at) for dim, at in dims if dim not in OF_HEADS))


def _word(trace: Trace, dim: str, at: int) -> str | int:
    if dim == "word":
        return shorten(trace.vocabulary[at])
    return trace.words_along(dim)[at] if trace.words_along(dim) else at + 1


@dataclass(frozen=True)
class CellExercise:
    """The text about a cell, the numbers to compute with, and the rule that computes the cell.

    `how` describes the computation. `step` has the cell's usual mistakes in the catalogue, which
    need the trace's entries and `added`; `of_a_sum` are the mistakes of the rule itself.
    """

    lines: Sequence[str]
    given: Sequence[float]
    rule: Callable[..., float]
    how: str
    step: str = ""
    added: Mapping[str, Tensor] = field(default_factory=dict)
    of_a_sum: Sequence[tuple[str, Callable[..., float]]] = ()


def is_made(trace: Trace, name: str) -> bool:
    """Return whether an entry's cells can be asked for."""
    if name == "x":
        return isinstance(trace["x"].origin, Copy | Sum) and "embedding_table" in trace
    return name in trace and type(trace[name].origin) in _LAYOUTS


def lay_out(place: Place) -> CellExercise:
    """Lay out a computed cell."""
    origin = place.trace[place.name].origin
    return _lay_out_lookup(place) if place.name == "x" else _LAYOUTS[type(origin)](place)


# ---------- layouts by origin ----------


def _lay_out_vocabulary(place: Place) -> CellExercise:
    line = "The vocabulary holds each different word once, sorted, A to Z before a to z."
    return CellExercise([line], [], float, "Its place in the vocabulary, counted from 0", "ids")


def _lay_out_lookup(place: Place) -> CellExercise:
    """Lay out the table's rows around the word's own, and what is added to it."""
    (token, column), table = place.index, place.of("embedding_table")
    row = int(place.of("ids")[token])
    rows = sorted({k for k in (row - 1, row, row + 1, token) if 0 <= k < len(table)})
    value, more = table[row, column].item(), (place.of("x") - place.of("embedded"))[place.index]
    lines = [
        (
            f"{place.token} is token {token + 1} of the sentence and has id {row}. These rows of"
            f" the table, counted from 0, have in column {column + 1}:"
        ),
        *(f"row {k}: {number(table[k, column].item())}" for k in rows),
    ]
    if isinstance(place.trace["x"].origin, Sum):
        lines.append(f"Its position adds {number(more.item())}.")
    how = "The row of its id, and what is added to it"
    return CellExercise(lines, [value, more.item()], lambda row, more: row + more, how, "x")


def _product(place: Place) -> CellExercise:
    """Lay out a sum of products: its two largest terms, and the sum of the others."""
    cell = place.cell
    largest = sorted(range(len(cell.terms)), key=lambda k: -abs(cell.terms[k].value))[:2]
    shown = [cell.terms[k] for k in sorted(largest)]
    others = len(cell.terms) - len(shown)
    rest = cell.value - sum(term.value for term in shown) if others else 0.0

    def of(way: Callable[..., float]) -> Callable[..., float]:
        def rule(rest: float, *factors: float) -> float:
            left = iter(factors)
            return way(rest, [tuple(next(left) for _ in term.factors) for term in shown])

        return rule

    lines = [f"A sum of {count(len(cell.terms), 'term')}."]
    lines[0] += f" {others} of them make {number(rest)}. The rest:" if others else " They are:"
    for term in shown:
        first, *more = (ref.value for ref in term.factors)
        names = " · ".join(
            write_cell_name(place.trace, ref.name, ref.index) for ref in term.factors
        )
        lines.append(f"{names} = {' · '.join([number(first), *map(write_after_sign, more)])}")
    return CellExercise(
        lines,
        [rest, *(ref.value for term in shown for ref in term.factors)],
        of(lambda rest, terms: rest + sum(map(math.prod, terms))),
        "The factors of each term are multiplied, and all terms added up",
        place.name,
        of_a_sum=[(says, of(way)) for says, way in OF_A_SUM],
    )


def _sum(place: Place) -> CellExercise:
    refs = [term.factors[0] for term in place.cell.terms]
    lines = [
        f"{write_cell_name(place.trace, ref.name, ref.index)} {equals(ref.value)}" for ref in refs
    ]
    how = "What was there stays, and what was found is added"
    return CellExercise(lines, [ref.value for ref in refs], lambda *of: sum(of), how, place.name)


def _softmax(place: Place) -> CellExercise:
    """Lay out a row of scores or logits before scaling, masking and softmax."""
    trace, setup, (*lead, own) = place.trace, place.trace.setup, place.index
    if place.name == "probabilities":
        raw, ready, whose = "logits", "top_p", "The logits of words are:"
        divisor = setup.word_temperature
        told = f"The temperature is {divisor:g}."
    else:
        ready, (raw,) = "masked", trace["masked"].inputs
        divisor, told = 1.0, "They are divided already."
        if raw == "scaled":
            raw = "scores"
            divisor = setup.temperature * (1.0 if setup.scale == "none" else math.sqrt(setup.d_k))
            scale, temperature = SCALES[setup.scale], f"{setup.temperature:g}"
            told = f"d_k = {setup.d_k}; scaling: {scale}; temperature {temperature}."
        asks = quote(str(_word(trace, "query", lead[-1])))
        whose = f"In {trace[raw].symbol} the row of {asks} has:"
    row = place.of(raw)[tuple(lead)].tolist()
    seen = place.of(ready)[tuple(lead)].isfinite().tolist()
    order = sorted(range(len(row)), key=lambda k: (k != own, not seen[k], -row[k]))
    listed = sorted(order if len(row) <= MAX_LISTED else order[: MAX_LISTED - 1])
    others = torch.tensor([row[k] / divisor for k in order if k not in listed and seen[k]])
    counted = [k for k in listed if seen[k]]
    given = [row[k] for k in counted]
    numbers = [
        f"{isolate(str(_word(trace, trace[raw].dims[-1], k)))} {number(row[k])}"
        f"{'' if seen[k] else ' (hidden)'}"
        for k in listed
    ]
    lines = [f"{whose} {', '.join(numbers)}."]
    how = f"Each is divided by {number(divisor)}, and e raised to it"
    how = "e is raised to each" if divisor == 1 else how
    if len(others):
        given.append(divisor * others.double().logsumexp(0).item())
        lines.append(
            f"In place of {count(len(others), 'other word')}, take one with {number(given[-1])}: it"
            " counts as much."
        )
    return CellExercise(
        [*lines, told],
        given,
        lambda *row: (
            _share([value / divisor for value in row], counted.index(own)) if seen[own] else 0.0
        ),
        f"{how}; its own share of their sum",
        place.name,
    )


def _share(row: Sequence[float], own: int) -> float:
    """Return the softmax at one index of a row."""
    largest = max(row)
    return math.exp(row[own] - largest) / sum(math.exp(value - largest) for value in row)


def _norm(place: Place) -> CellExercise:
    origin = place.trace[place.name].origin
    assert isinstance(origin, Normalise | RootMeanSquare)
    is_rms, (token, column) = isinstance(origin, RootMeanSquare), place.index
    rows = place.of(origin.source)
    means = rows.mean(dim=-1, keepdim=True)
    squares = (rows if is_rms else rows - means).square().mean(dim=-1, keepdim=True)
    roots, shift = (squares + origin.epsilon).sqrt(), getattr(origin, "shift", None)
    gains = place.of(origin.gain) if origin.gain else torch.ones(rows.shape[-1])
    shifts = place.of(shift) if shift else torch.zeros(rows.shape[-1])
    numbers = (rows[place.index], means[token], roots[token], gains[column], shifts[column])
    given = [each.item() for each in numbers]
    value, mean, root, gain, more = map(number, given)
    lines = [
        f"{write_cell_name(place.trace, origin.source, place.index)} = {value}. The mean of its row"
        f" is {mean}; the root of the row's {'mean square' if is_rms else 'variance'}, with ε ="
        f" {say_epsilon(origin.epsilon)} added before, is {root}."
    ]
    lines += [f"It has a gain of {gain} and a shift of {more}."] if origin.gain else []
    return CellExercise(
        lines,
        given,
        lambda v, m, s, g, b: (v if is_rms else v - m) / s * g + b,
        "Divided by the root" if is_rms else "Less the mean, then divided by the root",
        "rms_norm" if is_rms else "layer_norm",
        {"rows": rows, "divisor": roots, "gain": gains, "shift": shifts},
    )


def _activation(place: Place) -> CellExercise:
    origin = place.trace[place.name].origin
    assert isinstance(origin, Activation)
    value = place.of(origin.source)[place.index].item()
    lines = [
        f"{write_cell_name(place.trace, origin.source, place.index)} {equals(value)}, and the"
        f" activation is {origin.kind}."
    ]
    if origin.kind == "relu":
        how = "relu keeps what is positive, and puts 0 for the rest"
        return CellExercise(lines, [value], lambda v: max(v, 0.0), how, "activation")
    below = place.of(place.name)[place.index].item() / value if value else 0.5
    lines.append(f"The share of a normal distribution below it is {number(below)}.")
    how = f"{origin.kind} multiplies the number by that share"
    return CellExercise(lines, [value, below], lambda v, b: v * b, how, "activation")


def _gate(place: Place) -> CellExercise:
    refs = place.cell.terms[0].factors
    lines = [
        f"{write_cell_name(place.trace, ref.name, ref.index)} {equals(ref.value)}" for ref in refs
    ]
    how = "The number times what its gate lets through"
    return CellExercise(lines, [ref.value for ref in refs], lambda g, h: g * h, how, "gate")


_LAYOUTS: Mapping[type, Callable[[Place], CellExercise]] = {
    PlaceInVocabulary: _lay_out_vocabulary,
    Product: _product,
    Sum: _sum,
    Softmax: _softmax,
    Normalise: _norm,
    RootMeanSquare: _norm,
    Activation: _activation,
    Times: _gate,
}
