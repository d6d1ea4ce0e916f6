"""What several steps ask: a cell that is a sum of products, of which a reader works out the last
few."""

import math
from collections.abc import Callable, Sequence

from ..answers import Span, worked
from ..cell import Cell, Term
from ..question import Slip
from ..written import behind_a_sign, count, number
from .draft import Draft

Groups = list[tuple[float, ...]]  # the factors of each term


def rest_of(cell: Cell, shown: Sequence[Term]) -> float:
    """Return what all the other terms add up to."""
    return cell.value - sum(term.value for term in shown) if len(shown) < len(cell.terms) else 0.0


def question(draft: Draft, name: str, cell: Cell, shown: Sequence[Term]) -> str:
    """Ask what is left to work out of the cell of this name."""
    terms = "\n".join(f"{_named(draft, term)} = {_factors(term)}" for term in shown)
    others = len(cell.terms) - len(shown)
    rest = (
        f"{others} of them make {number(rest_of(cell, shown))}. The rest:"
        if others
        else "They are:"
    )
    return f"{name} is a sum of {count(len(cell.terms), 'term')}. {rest}\n{terms}\nWhat is {name}?"


def _named(draft: Draft, term: Term) -> str:
    return " · ".join(map(draft.factor, term.factors))


def _factors(term: Term) -> str:
    first, *others = term.factors
    return " · ".join([number(first.value), *(behind_a_sign(ref.value) for ref in others)])


def answer(cell: Cell, shown: Sequence[Term]) -> Span:
    """Return the whole sum, as it stands in the tensor and as the printed numbers make it."""
    return _of(
        cell, shown, lambda rest, groups: rest + sum(map(math.prod, groups)), exact=cell.value
    )


def slips(cell: Cell, shown: Sequence[Term]) -> list[Slip]:
    """Return what goes wrong with any such sum."""
    ways: dict[str, Callable[[float, Groups], float]] = {
        "the factors are added instead of multiplied": lambda rest, groups: (
            rest + sum(map(sum, groups))
        ),
        "the sign of what is missing is lost": lambda rest, groups: (
            rest - sum(map(math.prod, groups))
        ),
        "the sum of all the others is left out": lambda _, groups: sum(map(math.prod, groups)),
        "the missing terms are left out": lambda rest, _: rest,
        "the first factor of each term is left out": lambda rest, groups: (
            rest + sum(group[-1] for group in groups)
        ),
        "the second factor of each term is left out": lambda rest, groups: (
            rest + sum(group[0] for group in groups)
        ),
    }
    if len(shown) > 1:
        ways["the last term is left out"] = lambda rest, groups: (
            rest + sum(map(math.prod, groups[:-1]))
        )
    return [Slip(says, _of(cell, shown, way)) for says, way in ways.items()]


def _of(
    cell: Cell,
    shown: Sequence[Term],
    way: Callable[[float, Groups], float],
    exact: float | None = None,
) -> Span:
    factors = [ref.value for term in shown for ref in term.factors]

    def rule(rest: float, *factors: float) -> float:
        left = iter(factors)
        return way(rest, [tuple(next(left) for _ in term.factors) for term in shown])

    return worked(rule, rest_of(cell, shown), *factors, exact=exact)
