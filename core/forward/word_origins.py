"""Origins of the cells in next-word prediction: top-k, top-p, cumulative probabilities and the
selected word."""

import math
from dataclasses import dataclass

from ..text.written import number
from ..trace.cell import Cell, Index, Origin, Term, Values, float32, ref_of, single


def rank_places(row: list[float]) -> list[int]:
    """Return the indices of the numbers from largest to smallest; ties keep their order.

    >>> rank_places([1.0, 3.0, 3.0])
    [1, 2, 0]
    """
    return sorted(range(len(row)), key=lambda place: -row[place])


@dataclass(frozen=True)
class LastRow(Origin):
    """The same column of an entry's last row."""

    source: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        ref = ref_of(trace, self.source, (len(trace.value(self.source)) - 1, *index))
        return single(ref, "the last word's row, taken over as it is")


@dataclass(frozen=True)
class Row(Origin):
    """The same column of an entry's row at one position."""

    source: str
    place: int

    def recompute(self, trace: Values, index: Index) -> Cell:
        ref = ref_of(trace, self.source, (self.place, *index))
        return single(ref, f"row {self.place + 1}, taken over as it is")


@dataclass(frozen=True)
class TopK(Origin):
    """The same cell of another entry if it is among the k largest, else −∞."""

    source: str
    k: int

    def recompute(self, trace: Values, index: Index) -> Cell:
        ref = ref_of(trace, self.source, index)
        rank = rank_places(trace.value(self.source).tolist()).index(index[0]) + 1
        said, stays = f"number {rank} by size, and {self.k} may come", rank <= self.k
        return single(
            ref, f"{said}: {'unchanged' if stays else '−∞'}", None if stays else -math.inf
        )


@dataclass(frozen=True)
class TopP(Origin):
    """The same cell of another entry if the more likely words have a total below p, else −∞."""

    source: str
    p: float

    def recompute(self, trace: Values, index: Index) -> Cell:
        ref, row = ref_of(trace, self.source, index), trace.value(self.source).tolist()
        order, largest = rank_places(row), max(row)
        likelier = order[: order.index(index[0])]
        before = math.fsum(math.exp(row[place] - largest) for place in likelier) / math.fsum(
            math.exp(v - largest) for v in row
        )
        said = f"the likelier words have {number(before)} together"
        if before < self.p:
            return single(ref, f"{said}, less than p = {self.p:g}: unchanged")
        return single(ref, f"{said}, and p = {self.p:g} is reached: −∞", -math.inf)


@dataclass(frozen=True)
class Ends(Origin):
    """The probabilities of a word and of all more likely ones, added up."""

    source: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        order = rank_places(trace.value(self.source).tolist())
        refs = [
            ref_of(trace, self.source, (place,)) for place in order[: order.index(index[0]) + 1]
        ]
        terms = tuple(Term((ref,), ref.value) for ref in refs)
        return Cell(
            terms,
            sum(term.value for term in terms),
            "its own share and those of all likelier words",
        )


@dataclass(frozen=True)
class Fallen(Origin):
    """The index of the word whose interval of cumulative probability contains the number."""

    source: str
    number: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        drawn, row = ref_of(trace, self.number, index), trace.value(self.source).tolist()
        end, total = 0.0, math.fsum(row)
        for place in rank_places(row):
            start, end = end, end + row[place]
            if end > drawn.value * total:
                break
        rule = f"{number(drawn.value)} falls into its bar, from {number(start)} to {number(end)}"
        share = ref_of(trace, self.source, (place,))
        return Cell(
            (Term((drawn,), drawn.value), Term((share,), float32(share.value))), place, rule
        )


@dataclass(frozen=True)
class Largest(Origin):
    """The index of the most likely word."""

    source: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        place = rank_places(trace.value(self.source).tolist())[0]
        share = ref_of(trace, self.source, (place,))
        return single(share, "the word with the largest share", place)
