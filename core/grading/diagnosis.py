"""Why a step is wrong: slips of the catalogue that make what was written, as far as its decimals
can tell them from chance; else what happened in a single cell."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

import torch
from torch import Tensor

from ..importing.solution import Place
from ..text.written import number
from ..trace.origin import Product
from .derivation import Derivation, Numbers
from .misconceptions import pairs, ways
from .report import Diagnosis, describe_place, ordinal
from .typed import FEWEST_DECIMALS, Typed, near

CLEAR = 0.01  # how likely chance may be where a slip is named plainly
TERMS = ((-1.0, "is left out"), (-2.0, "has the other sign"), (1.0, "is counted twice"))
Tried = tuple[Diagnosis, Tensor]  # a slip and what it makes


@dataclass(frozen=True)
class Wrong:
    """A step with wrong cells: what was typed, what follows from the steps before it, how much room
    rounding on the way gives, and which cells are wrong.

    `own` are all entries with what was written put in, `written` the names of those steps.
    """

    right: Derivation
    typed: Typed
    derived: Tensor
    room: Tensor
    cells: Tensor
    own: Numbers
    written: frozenset[str]

    @property
    def name(self) -> str:
        """The step's name."""
        return self.typed.pasted.name

    @property
    def places(self) -> list[Place]:
        """Where the wrong cells are."""
        return [place for place in self.typed.pasted.cells if self.cells[place]]


def diagnose(step: Wrong) -> Diagnosis | None:
    """Return what explains all wrong cells of a step; two slips only where one does not."""
    bases = ({**step.own, step.name: step.derived}, step.right.values)
    tried = [_sign(step)]
    for base in bases:
        of_base = ways(step.right, base, step.name, step.written)
        tried += [(Diagnosis(step.name, slip.key, slip.says), made) for slip, made in of_base]
    fitting = _find_fitting(step, tried)
    if not fitting:
        for first, second, made in pairs(step.right, bases[0], step.name, step.written):
            key, says = f"{first.key}, {second.key}", f"{first.says}, and {second.says}"
            tried.append((Diagnosis(step.name, key, says), made))
        fitting = _find_fitting(step, tried)
    if fitting:
        return _combine(chance(step, [made for _, made in tried], _width(step, fitting)), fitting)
    return _diagnose_cell(step) or _diagnose_rounding(step)


def _sign(step: Wrong) -> Tried:
    """Return that the signs of the wrong cells alone are wrong; a cell near zero is right with
    either sign."""
    places = step.places
    where = describe_place(places[0]) if len(places) == 1 else f"{len(places)} cells"
    made = torch.copysign(step.derived, step.typed.numbers)
    return Diagnosis(step.name, "sign", f"the sign of {where} is wrong"), made


# ---------- which slips explain it ----------


def _find_fitting(step: Wrong, tried: Iterable[Tried]) -> list[Tried]:
    """Return those that make every cell of the rows with wrong cells, or of all rows where one cell
    is wrong; the nearest first."""
    found: dict[str, tuple[bool, Tried]] = {}
    rows = step.cells.any(dim=-1, keepdim=True) | (step.cells.sum() == 1)
    for slip, made in tried:
        is_turned = slip.key == "transposed" and step.room.shape == step.room.mT.shape
        room = torch.maximum(step.room, step.room.mT) if is_turned else step.room
        makes = near(step.typed.numbers, made, room) | step.typed.numbers.isnan() | ~rows
        apart = (step.typed.numbers - made).abs()
        nearer = (step.typed.numbers == made) | (apart < (made - step.derived).abs())
        if makes.all() and nearer[step.cells].all():
            is_loose = not bool(near(step.typed.numbers, made, step.typed.unit)[step.cells].all())
            found[slip.says] = min(
                found.get(slip.says, (True, (slip, made))),
                (is_loose, (slip, made)),
                key=lambda each: each[0],
            )
    return [each for _, each in sorted(found.values(), key=lambda each: each[0])]


def _width(step: Wrong, fitting: Sequence[Tried]) -> Tensor:
    """Return how near the nearest is: to half a unit of the last place, a unit, or all the room."""
    cells, typed, (_, made) = step.cells, step.typed.numbers, fitting[0]
    unit = step.typed.unit if step.typed.decimals else torch.ones_like(step.typed.unit)
    for width in (0.5 * unit, unit):
        if near(typed, made, 1.001 * width)[cells].all():
            return width
    return torch.maximum(unit, step.room)


def chance(step: Wrong, tried: Sequence[Tensor], width: Tensor) -> float:
    """Return how likely made-up numbers in the place of the wrong ones, with as many decimals, are
    what one of those that were tried gives.

    They are taken to lie anywhere between the smallest and the largest number of the step; rows or
    columns that sum to 1 leave their last number no choice.
    """
    cells, typed = step.cells, step.typed.numbers
    numbers = torch.cat([typed.flatten(), step.derived.flatten()])
    numbers = numbers[numbers.isfinite()]
    low, high = numbers.min(), numbers.max()
    axis = next((axis for axis in (-1, -2) if _sums_to_one(typed, axis, width)), None)
    if axis is not None:
        low, high = torch.zeros(()), torch.ones(())
    each = (2 * width / (high - low)).nan_to_num(1.0, posinf=1.0).clamp(max=1)
    each = torch.where(typed.isfinite() & step.derived.isfinite(), each, 0.5)
    logs = torch.where(cells, each.log(), 0.0)
    if axis is not None:
        many = cells.sum(dim=axis, keepdim=True)
        logs = logs * (many - 1).clamp(min=0) / many.clamp(min=1)
    different = set()
    for made in tried:
        inside = ((made >= low - width) & (made <= high + width) | made.isinf())[cells].all()
        fits = axis is None or _sums_to_one(made, axis, width)
        if inside and fits and not near(made, step.derived, width)[cells].all():
            different.add(tuple((made / (2 * width))[cells].round().tolist()))
    return len(different) * float(logs.sum().exp())


def _sums_to_one(numbers: Tensor, axis: int, width: Tensor) -> bool:
    """Return whether all that was written along an axis sums to 1, but for rounding."""
    return bool(((numbers.sum(dim=axis) - 1).abs() <= width.sum(dim=axis) + 1e-9).all())


def _combine(likely: float, fitting: Sequence[Tried]) -> Diagnosis:
    (first, _), *others = fitting
    return replace(first, also=tuple(slip for slip, _ in others), sure=likely < CLEAR)


# ---------- what happened in a cell ----------


def _diagnose_cell(step: Wrong) -> Diagnosis | None:
    """Return what happened in a single cell: a term left out, taken twice or with the other sign,
    or its arithmetic."""
    if len(step.places) > 1 or len(step.typed.pasted.cells) < 2:
        return None
    place = step.places[0]
    apart = float(step.typed.numbers[place] - step.derived[place])
    room, is_right = float(step.room[place]), float(step.derived[place])
    for i, term in enumerate(_terms(step, place), start=1):
        for factor, says in TERMS:
            if abs(term) > 2 * room and abs(apart - factor * term) <= room:
                told = f"in {describe_place(place)} the {ordinal(i)} term, {number(term)}, {says}"
                return Diagnosis(step.name, "term", told)
    told = f"{step.typed.pasted.cells[place]} stands there, and {number(is_right)} is right"
    return Diagnosis(step.name, "arithmetic", f"{describe_place(place)} alone is wrong: {told}")


def _terms(step: Wrong, place: Place) -> list[float]:
    """Return the products that add up to one cell, if the step is a product of matrices."""
    trace = step.right.trace
    origin = trace[step.name].origin
    if not isinstance(origin, Product):
        return []
    own = {name: replace(entry, stored=step.own[name]) for name, entry in trace.items()}
    cell = origin.recompute(replace(trace, _entries=own), place)
    return [prod(factor.value for factor in term.factors) for term in cell.terms]


def _diagnose_rounding(step: Wrong) -> Diagnosis | None:
    """Return to how many decimals somebody may have rounded on the way, where that alone may make
    several cells so wrong."""
    apart = (step.typed.numbers - step.derived).abs()[step.cells]
    for places in range(step.typed.decimals - 1, FEWEST_DECIMALS - 1, -1):
        off = step.right.rounding(step.name, step.own, {}, 0.5 * 10.0**-places)[step.cells]
        if len(apart) > 1 and (apart <= off).all():
            says = f"{len(apart)} cells are off by no more than rounding to {places} decimals"
            return Diagnosis(step.name, "coarse", f"{says} on the way makes")
    return None
