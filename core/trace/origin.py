"""Origins: how each cell is computed, as data, to write it out and to recompute it.

`origin.open(trace, index)` opens a cell of the origin's entry. The result names each number used by
its entry and index, so that a page can print it, point at it or trace it further back.

An opened cell's value is the number stored in the tensor, so a cell is the same wherever it is
printed. `origin.recompute(trace, index)` instead adds up the terms in double precision, which may
differ from the tensor's float32 in the last printed digit.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from ..ops.embedding import relative_bias, slow_down
from ..text.written import number
from .cell import Cell, Index, Origin, Ref, Term, Values, float32, ref_of, single


@dataclass(frozen=True)
class PlaceInVocabulary(Origin):
    """The token's index in the vocabulary, from 0; of the sentence's token, or the memory's."""

    of_memory: bool = False

    def recompute(self, trace: Values, index: Index) -> Cell:
        tokens = trace.memory_tokens if self.of_memory else trace.tokens
        place = trace.vocabulary.index(tokens[index[0]])
        return Cell((), place, "the token's place in the sorted vocabulary, counted from 0")


@dataclass(frozen=True)
class Lookup(Origin):
    """Row `ids[token]` of a table."""

    table: str
    ids: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        row = int(trace.value(self.ids)[index[0]])
        return single(ref_of(trace, self.table, (row, index[1])), "read off the table")


@dataclass(frozen=True)
class Sinusoid(Origin):
    """The paper's sine or cosine for a position and a column."""

    d_model: int

    def recompute(self, trace: Values, index: Index) -> Cell:
        position, column = index
        angle = position / 10000 ** (2 * (column // 2) / self.d_model)
        wave = "sin" if column % 2 == 0 else "cos"
        power = 2 * (column // 2)
        rule = f"{wave}({position} / 10000^({power}/{self.d_model}))"
        return Cell((), math.sin(angle) if wave == "sin" else math.cos(angle), rule)


@dataclass(frozen=True)
class Angle(Origin):
    """The rotary angle of a pair at a position; `size` is the length of a query, and `stretch` is
    that of `embedding.slow_down`. Su et al. 2021."""

    size: int
    base: float
    stretch: tuple[float, ...] | None = None

    def recompute(self, trace: Values, index: Index) -> Cell:
        position, pair = index
        paired = self.size - self.size % 2
        angle = position / self.base ** (2 * pair / paired)
        rule = f"{position} / {self.base}^({2 * pair}/{paired})"
        if self.stretch is None:
            return Cell((), angle, rule)
        share = slow_down(self.size, self.base, *self.stretch)[pair].item()
        rule += f" · {number(share)}, the share of its speed that the pair keeps"
        return Cell((), angle * share, rule)


@dataclass(frozen=True)
class Distance(Origin):
    """Minus the head's slope times the distance between query and key: Press et al. 2022."""

    slopes: tuple[float, ...]

    def recompute(self, trace: Values, index: Index) -> Cell:
        head, query, key = index
        slope, apart = self.slopes[head], abs(query - key)
        rule = f"−{number(slope)} · {apart}, the head's slope times how many places apart they are"
        return Cell((), slope * -apart, rule)


@dataclass(frozen=True)
class Relative(Origin):
    """A cell of a table with a row for each distance of a key from its query. Raffel et al.
    2020."""

    table: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        head, query, key = index
        table = trace.value(self.table)
        rows = torch.arange(len(table), dtype=torch.float32)[:, None]
        row = int(relative_bias(rows, max(query, key) + 1)[0, query, key])
        where = f"{abs(key - query)} {'behind' if key > query else 'before'} its query"
        return single(
            ref_of(trace, self.table, (row, head)), f"read off the table, for a key {where}"
        )


@dataclass(frozen=True)
class Rotation(Origin):
    """A number of a pair rotated by an angle: Su et al. 2021, equation 34. The last number of an
    odd size is unchanged."""

    source: str
    angles: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        *lead, token, column = index
        pair, is_second = divmod(column, 2)
        if pair >= trace.value(self.angles).shape[-1]:
            return single(ref_of(trace, self.source, index), "in no pair, so it is not turned")
        angle = trace.value(self.angles)[token, pair].item()
        first, second = (ref_of(trace, self.source, (*lead, token, 2 * pair + k)) for k in range(2))
        cos, sin = math.cos(angle), math.sin(angle)
        turned = (
            (first.value * sin, second.value * cos)
            if is_second
            else (first.value * cos, -second.value * sin)
        )
        terms = tuple(
            Term((ref,), float32(part)) for ref, part in zip((first, second), turned, strict=True)
        )
        how = ("sin", "+", "cos") if is_second else ("cos", "−", "sin")
        rule = (
            f"pair {pair + 1} turned by {number(angle)}: the first times {how[0]} {how[1]} the"
            f" second times {how[2]}"
        )
        return Cell(terms, sum(turned), rule)


@dataclass(frozen=True)
class Copy(Origin):
    """The same cell of another entry, which may lack the leading axes."""

    source: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        axes = trace.value(self.source).ndim
        return single(ref_of(trace, self.source, index[-axes:]), "taken over as it is")


@dataclass(frozen=True)
class Sum(Origin):
    """The sum of the same cell in several entries."""

    sources: tuple[str, ...]

    def recompute(self, trace: Values, index: Index) -> Cell:
        refs = [ref_of(trace, name, index) for name in self.sources]
        return Cell(
            tuple(Term((ref,), ref.value) for ref in refs), sum(r.value for r in refs), "their sum"
        )


@dataclass(frozen=True)
class Transpose(Origin):
    """The cell with row and column exchanged."""

    source: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        *lead, row, column = index
        return single(ref_of(trace, self.source, (*lead, column, row)), "row and column exchanged")


@dataclass(frozen=True)
class Product(Origin):
    """A row of the left times a column of the right, plus a bias if any. A left side that is a
    single row has no row axis.

    Either side may lack the other's leading axes (x serves every head). `divisor` divides each
    factor and `temperature` the sum, for scaling on both sides. Several heads may share one right
    side.
    """

    left: str
    right: str
    bias: str | None = None
    divisor: float = 1.0
    temperature: float = 1.0

    def recompute(self, trace: Values, index: Index) -> Cell:
        *rows, column = index
        left, right, lead = trace.value(self.left), trace.value(self.right), rows[:-1]
        row, right_lead = rows[len(rows) - left.ndim + 1 :], lead[len(lead) - right.ndim + 2 :]
        group = (
            len(left) // len(right) if left.ndim == right.ndim == 3 else 1
        )  # heads that share one right side
        right_lead = [place // group for place in right_lead]  # the head, at most one axis
        # Both vectors at once: element by element takes as long as the rest of the page.
        of_row, of_column = left[tuple(row)].tolist(), right[tuple(right_lead)][:, column].tolist()
        terms = []
        for inner, (x, y) in enumerate(zip(of_row, of_column, strict=True)):
            a = Ref(self.left, (*row, inner), x)
            b = Ref(self.right, (*right_lead, inner, column), y)
            terms.append(Term((a, b), float32((x / self.divisor) * (y / self.divisor))))
        if self.bias is not None:
            axes = trace.value(self.bias).ndim
            bias = ref_of(trace, self.bias, (*lead, column)[-axes:])
            terms.append(Term((bias,), bias.value))
        return Cell(tuple(terms), sum(t.value for t in terms) / self.temperature, self._rule())

    def _rule(self) -> str:
        rule = "the sum of the products"
        if self.divisor != 1.0:
            rule += f", each factor divided by {self.divisor:.4g} first"
        return (
            rule
            if self.temperature == 1.0
            else f"{rule}, divided by the temperature {self.temperature:g}"
        )


@dataclass(frozen=True)
class Scale(Origin):
    """The same cell of another entry, divided by a number."""

    source: str
    divisor: float

    def recompute(self, trace: Values, index: Index) -> Cell:
        ref = ref_of(trace, self.source, index)
        return single(ref, f"divided by {self.divisor:.6g}", ref.value / self.divisor)


# The mask stays a tensor: converting it to tuples takes as long as the rest of attention.
@dataclass(frozen=True, eq=False)
class Mask(Origin):
    """The same cell of another entry if the query may attend there, else −∞; `may_attend` is
    (query, key)."""

    source: str
    may_attend: Tensor

    def recompute(self, trace: Values, index: Index) -> Cell:
        ref = ref_of(trace, self.source, index)
        if self.may_attend[index[-2:]]:
            return single(ref, "the query may look here: unchanged")
        return single(ref, "the query may not look here: −∞", -math.inf)


@dataclass(frozen=True)
class Softmax(Origin):
    """e to the cell, as a share of e to every cell of its row. The terms are the row's shares."""

    source: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        *lead, column = index
        refs = [
            ref_of(trace, self.source, (*lead, j))
            for j in range(trace.value(self.source).shape[-1])
        ]
        largest = max(ref.value for ref in refs)
        if largest == -math.inf:
            return Cell(
                tuple(Term((ref,), 0.0) for ref in refs), 0.0, "0, since the query may look nowhere"
            )
        terms = tuple(Term((ref,), float32(math.exp(ref.value - largest))) for ref in refs)
        value = terms[column].value / sum(term.value for term in terms)
        return Cell(terms, value, "its own exponential divided by the row's sum")


@dataclass(frozen=True, eq=False)
class Dropout(Origin):
    """The same cell of another entry, set to 0 or scaled up; `dropout_mask` is (head, query,
    key)."""

    source: str
    dropout_mask: Tensor
    rate: float

    def recompute(self, trace: Values, index: Index) -> Cell:
        ref = ref_of(trace, self.source, index)
        if not self.dropout_mask[index]:
            return single(ref, "struck out by dropout", 0.0)
        return single(ref, f"divided by {1 - self.rate:g}", ref.value / (1 - self.rate))


@dataclass(frozen=True)
class Mean(Origin):
    """The mean of a column over the rows that are words, according to `is_word`."""

    source: str
    is_word: tuple[bool, ...]

    def recompute(self, trace: Values, index: Index) -> Cell:
        column = index[-1]
        refs = [
            ref_of(trace, self.source, (row, column))
            for row, counts in enumerate(self.is_word)
            if counts
        ]
        terms = tuple(Term((ref,), float32(ref.value / len(refs))) for ref in refs)
        count = len(refs)
        rule = (
            "the mean of 1 row, which is that row"
            if count == 1
            else f"the mean of {count} rows: each divided by {count}"
        )
        return Cell(terms, sum(t.value for t in terms), rule)


@dataclass(frozen=True)
class LogSoftmax(Origin):
    """The cell minus the logarithm of the sum of e to every cell of its row."""

    source: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        row = trace.value(self.source)[index[:-1]].tolist()
        largest = max(row)
        total = largest + math.log(sum(math.exp(v - largest) for v in row))
        ref = ref_of(trace, self.source, index)
        rule = f"less {number(total)}, the logarithm of the row's sum of exponentials"
        return single(ref, rule, ref.value - total)


@dataclass(frozen=True)
class Concat(Origin):
    """The cell of one of the concatenated heads."""

    source: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        row, column = index
        head, inner = divmod(column, trace.value(self.source).shape[-1])
        return single(
            ref_of(trace, self.source, (head, row, inner)), f"column {inner + 1} of head {head + 1}"
        )
