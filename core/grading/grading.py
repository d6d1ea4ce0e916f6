"""A solution checked as a teacher does it: every cell at the decimals it was written with, what
follows from an earlier error marked once, and usual slips named where they give all that is
wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from ..importing.matrices import find_matrices
from ..importing.names import symbol
from ..importing.parsing import Reading, parse
from ..importing.solution import Pasted, Place, placed
from ..importing.values import Given
from ..setup import Setup
from ..slips import Slip, ways
from ..trace import Trace
from ..written import number
from .report import FOLLOWS, RIGHT, ROUNDED, WRONG, Diagnosis, Report, at, ordinal, paragraph
from .typed import coarse, most_decimals, typed, units, with_masked
from .working import FROM, ORDER, Start, allowed, start_of, step, worked

FEWEST_DECIMALS = 2  # that may be rounded to on the way; with fewer, that is a slip
SINGLE = 2e-6  # how far, of its size, a number may be off that was computed in single precision


def grade(source: Given | Setup | Trace, text: str, tokens: Sequence[str] = ()) -> Report:
    """Check what stands in a text, or in a text with what is given beside it, against a setup or
    numbers that are given.

    Raises ValueError where nothing can be computed of what is given; never for what the text holds.

    >>> report = grade(
    ...     Given(x=[[1, 0], [0, 1]], scale="none"),
    ...     "scores = [[1, 0], [0, 1]], alpha = [[0.73, 0.27], [0.4, 0.73]]",
    ... )
    >>> report.verdicts["weights"]
    ((('right', 'right'), ('wrong', 'right')),)
    """
    start = start_of(source)
    if isinstance(source, Setup | Trace):
        tokens = tokens or (source.setup if isinstance(source, Trace) else source).tokens
    pasted, messages = _steps(text, start, tokens)
    return _Checker(start, pasted, messages).report()


def grade_text(text: str, **answers: object) -> Report:
    """Check a text that holds both, what is given and the steps made of it. Raises ValueError where
    something is open or missing."""
    return grade_reading(parse(text, **answers))


def grade_reading(reading: Reading) -> Report:
    """Check the solution that was read beside what is given. Raises ValueError where something is
    open or missing."""
    given = reading.given()
    return _Checker(
        start_of(given),
        reading.solution,
        [m for m in reading.messages if "not checked" in m or "of which word" in m],
    ).report()


def _steps(text: str, start: Start, tokens: Sequence[str]) -> tuple[dict[str, Pasted], list[str]]:
    """Return the steps of a solution in a text. What is no step is what was given, and left
    alone."""
    found = find_matrices(text)
    sizes = start.sizes
    projected = "q" in start.given
    entries = [
        entry
        for entry in found.entries
        if entry.name in ORDER and not (projected and entry.name in "qkv")
    ]
    nameless = [entry for entry in found.entries if not entry.name]
    steps, messages = placed(entries, sizes, tokens or found.tokens, columns=False)
    if any(one.turned for one in steps.values()):  # a word may be a column there
        turned, others = placed(entries, sizes, tokens or found.tokens, columns=True)
        if len(turned) >= len(steps) and not any(one.turned for one in turned.values()):
            steps, messages = turned, others
    messages = [*found.messages, *messages]
    for entry in nameless:
        messages.append(
            f"Line {entry.line}: a matrix has no name, so it is not checked; write α = before it,"
            " or what it is."
        )
    if not steps and not messages:
        messages.append(
            "Nothing to check was found: write what a matrix is before it, such as scores =, alpha"
            " = or Z =."
        )
    return steps, messages


class _Checker:
    def __init__(self, start: Start, pasted: Mapping[str, Pasted], messages: Sequence[str]) -> None:
        self.start, self.messages = start, tuple(messages)
        self.pasted = with_masked(pasted)
        self.right = worked(start)
        self.typed = {name: typed(one, self.right[name]) for name, one in self.pasted.items()}
        self.units = {name: units(one, self.right[name]) for name, one in self.pasted.items()}
        self.own: dict[str, Tensor] = {}  # with what was written put in
        self.derived: dict[str, Tensor] = {}  # what follows from what was written before
        self.codes: dict[str, dict[Place, str]] = {}
        self.slips: dict[str, Diagnosis] = {}

    def report(self) -> Report:
        for name in ORDER:
            self.derived[name] = self.own[name] = step(self.start, name, self.own)
            if name in self.pasted:
                self._check(name)
                written = ~self.typed[name].isnan()
                self.own[name] = torch.where(written, self.typed[name], self.own[name])
        verdicts = {
            name: _nested(codes, tuple(self.right[name].shape))
            for name, codes in self.codes.items()
        }
        right = {name: self.right[name].tolist() for name in self.codes}
        return Report(
            verdicts, self.slips, right, dict(self.pasted), self.messages, self._in_words()
        )

    # ---------- cells ----------

    def _check(self, name: str) -> None:
        typed, right, derived, unit = (
            self.typed[name],
            self.right[name],
            self.derived[name],
            self.units[name],
        )
        half = 0.5 * 10.0 ** -max(FEWEST_DECIMALS, most_decimals(self.pasted[name]))
        off = allowed(
            self.start, self.right, {earlier: self._off_by(earlier) for earlier in self.codes}, half
        )[name]
        own = {**self.right, **self.own, name: derived}
        off_own = allowed(
            self.start, own, {earlier: 0.5 * self.units[earlier] for earlier in self.codes}, half
        )[name]
        size = right.abs().nan_to_num(posinf=0.0, neginf=0.0).clamp(min=1.0)
        slack, single = self.start.precise * size, SINGLE * size
        astray = bool(self._astray(name))
        apart = (
            ~_near(derived, right, unit + off)
            if astray
            else torch.zeros_like(typed, dtype=torch.bool)
        )
        codes = [
            (RIGHT, _near(typed, right, 0.5 * unit + slack)),
            (FOLLOWS, apart & _near(typed, derived, unit + slack)),
            (
                ROUNDED,
                _near(typed, right, unit + off + slack + single) | coarse(self.pasted[name], right),
            ),
            (FOLLOWS, _near(typed, derived, unit + off_own + slack + single) & astray),
            (WRONG, torch.ones_like(typed, dtype=torch.bool)),
        ]
        self.codes[name] = {
            place: next(code for code, holds in codes if holds[place])
            for place in self.pasted[name].cells
        }
        wrong = torch.zeros_like(typed, dtype=torch.bool)
        for place, code in self.codes[name].items():
            wrong[place] = code == WRONG
        if wrong.any():
            self._diagnose(name, wrong, unit + off_own + single)
        elif ROUNDED in self.codes[name].values():
            self._diagnose_rounding(name)

    def _off_by(self, earlier: str) -> Tensor:
        """Return how far what was written in an earlier step is off, at least half a unit of its
        last place, where it is not wrong."""
        off = 0.5 * self.units[earlier]
        for place, code in self.codes[earlier].items():
            if code == ROUNDED:
                off[place] = max(
                    float(off[place]),
                    abs(float(self.typed[earlier][place]) - float(self.right[earlier][place])),
                )
        return off

    def _written_before(self, name: str) -> list[str]:
        """Return the nearest steps before this one that were written, and those before them that
        are not written whole."""
        found: list[str] = []
        ahead = list(FROM[name])
        while ahead:
            earlier = ahead.pop(0)
            found += [earlier] if earlier in self.codes and earlier not in found else []
            if earlier not in self.codes or len(self.codes[earlier]) < self.right[earlier].numel():
                ahead += FROM[earlier]
        return found

    def _astray(self, name: str) -> list[str]:
        """Return those of them that hold an error."""
        return [
            earlier
            for earlier in self._written_before(name)
            if {WRONG, FOLLOWS} & set(self.codes[earlier].values())
        ]

    # ---------- slips ----------

    def _diagnose(self, name: str, wrong: Tensor, room: Tensor) -> None:
        typed, unit, derived = self.typed[name], self.units[name], self.derived[name]
        bases: tuple[Mapping[str, Tensor], ...] = (self.own, self.right)
        written = {earlier: self.typed[earlier] for earlier in self.codes if earlier != name}
        is_one_of_many = int(wrong.sum()) == 1 < len(self.codes[name])
        matching: list[tuple[int, Slip]] = []
        for base in bases:
            for slip, result in ways(
                self.start, {**self.right, **base, name: derived}, name, written
            ):
                is_turned = slip.key == "transposed" and room.shape == room.mT.shape
                gives = _near(typed, result, torch.maximum(room, room.mT) if is_turned else room)
                written_so = gives | typed.isnan()
                meant = (
                    written_so if is_one_of_many else gives[wrong]
                )  # all else may be right by another way
                if any(other is slip for _, other in matching) or not meant.all():
                    continue
                nearer = (typed == result) | ((typed - result).abs() < (result - derived).abs())
                if nearer[wrong].all():
                    exact = bool(_near(typed, result, unit)[wrong].all())
                    matching.append((2 * (not exact) + (not bool(written_so.all())), slip))
        matching.sort(key=lambda one: one[0])
        places = [place for place in self.pasted[name].cells if wrong[place]]
        named = [Diagnosis(name, slip.key, slip.says) for _, slip in matching] + self._sign(
            name, places, room
        )
        of_cell = [] if named else self._of_cell(name, places, room) + self._coarse(name, wrong)
        if named or of_cell:
            first, *others = named or of_cell
            self.slips[name] = replace(first, also=tuple(others))

    def _diagnose_rounding(self, name: str) -> None:
        """Name the step that was written with one decimal only, where the next one shows it."""
        for earlier in self._written_before(name):
            if most_decimals(self.pasted[earlier]) == 1 and ROUNDED in self.codes[earlier].values():
                self.slips[name] = Diagnosis(
                    name,
                    "rounded",
                    f"{symbol(earlier)} is rounded to one decimal before the next step",
                )

    def _sign(self, name: str, wrong: Sequence[Place], room: Tensor) -> list[Diagnosis]:
        """Return that signs are wrong, if nothing else is."""
        if any(
            abs(float(self.typed[name][p] + self.derived[name][p])) > float(room[p]) for p in wrong
        ):
            return []
        where = at(wrong[0]) if len(wrong) == 1 else f"{len(wrong)} cells"
        return [Diagnosis(name, "sign", f"the sign of {where} is wrong")]

    def _coarse(self, name: str, wrong: Tensor) -> list[Diagnosis]:
        """Return to how many decimals somebody may have rounded on the way, where that alone may
        make several cells so wrong."""
        apart, own = (
            (self.typed[name] - self.derived[name]).abs()[wrong],
            {**self.right, **self.own, name: self.derived[name]},
        )
        for places in range(most_decimals(self.pasted[name]) - 1, FEWEST_DECIMALS - 1, -1):
            if (
                len(apart) > 1
                and (apart <= allowed(self.start, own, {}, 0.5 * 10.0**-places)[name][wrong]).all()
            ):
                says = (
                    f"{len(apart)} cells are off by no more than rounding to {places} decimals on"
                    " the way makes"
                )
                return [Diagnosis(name, "coarse", says)]
        return []

    def _of_cell(self, name: str, wrong: Sequence[Place], rooms: Tensor) -> list[Diagnosis]:
        """Return a slip of a single cell: a term left out, taken twice or with the other sign, or
        its arithmetic."""
        if len(wrong) > 1 or len(self.codes[name]) < 2:
            return []
        typed, derived = self.typed[name], self.derived[name]
        place = wrong[0]
        value, is_right, room = float(typed[place]), float(derived[place]), float(rooms[place])
        for i, term in enumerate(self._terms(name, place), start=1):
            for factor, says in (
                (-1.0, "is left out"),
                (-2.0, "has the other sign"),
                (1.0, "is counted twice"),
            ):
                if abs(term) > 2 * room and abs(value - is_right - factor * term) <= room:
                    return [
                        Diagnosis(
                            name,
                            "term",
                            f"in {at(place)} the {ordinal(i)} term, {number(term)}, {says}",
                        )
                    ]
        written = self.pasted[name].cells[place]
        says = (
            f"{at(place)} alone is wrong: {written} stands there, and {number(is_right)} is right"
        )
        return [Diagnosis(name, "arithmetic", says)]

    def _terms(self, name: str, place: Place) -> list[float]:
        """Return the products that add up to one cell, as far as a step is a product of
        matrices."""
        of, given = self.own, self.start.given
        try:
            match name:
                case "q" | "k" | "v":
                    x = given["memory_x"] if name in "kv" and "memory_x" in given else given["x"]
                    return (x[place[1]] * given[f"w_{name}"][place[0], :, place[2]]).tolist()
                case "scores":
                    group = of["q"].shape[0] // of["k"].shape[0]
                    q, k = self.start.turn_q(of["q"]), self.start.turn_k(of["k"])
                    return (q[place[0], place[1]] * k[place[0] // group, place[2]]).tolist()
                case "context":
                    group = of["weights"].shape[0] // of["v"].shape[0]
                    return (
                        of["weights"][place[0], place[1]] * of["v"][place[0] // group, :, place[2]]
                    ).tolist()
                case "output":
                    return (of["concat"][place[0]] * given["w_o"][:, place[1]]).tolist()
        except KeyError:  # it is given, or made without such a matrix
            pass
        return []

    def _in_words(self) -> str:
        astray = {name: self._astray(name) for name in self.codes}
        wrong = {
            name: self._of_wrong(name)
            for name, codes in self.codes.items()
            if WRONG in codes.values()
        }
        return " ".join([*paragraph(self.codes, self.slips, astray, wrong), *self.messages])

    def _of_wrong(self, name: str) -> str:
        codes = self.codes[name]
        wrong = [place for place, code in codes.items() if code == WRONG]
        several = (
            f"{len(wrong)} of {len(codes)} cells are wrong"
            if len(wrong) > 1
            else "one cell is wrong"
        )
        expected, written = (
            number(float(self.derived[name][wrong[0]])),
            self.pasted[name].cells[wrong[0]],
        )
        as_here = written.replace("-", "−").replace("inf", "∞")
        return (
            f"{symbol(name)}: {several}; in {at(wrong[0])} stands {as_here}, and {expected} is"
            " right."
        )


def _near(values: Tensor, others: Tensor, room: Tensor) -> Tensor:
    return (values == others) | ((values - others).abs() <= room)


def _nested(codes: Mapping[Place, str], size: tuple[int, ...], before: Place = ()) -> Any:
    if len(before) == len(size):
        return codes.get(before, "")
    return tuple(_nested(codes, size, (*before, i)) for i in range(size[len(before)]))
