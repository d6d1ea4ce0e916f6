"""A solution checked as a teacher does it: every cell at the decimals it was written with, what
follows from an earlier error marked once, and usual slips named where they give all that is
wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from ..fields.user_matrices import UserMatrices
from ..forward.trace import Trace
from ..importing.matrices import find_matrices
from ..importing.names import symbol
from ..importing.nested import flat
from ..importing.parsing import Reading, parse
from ..importing.solution import STEPS, Pasted, Place, place_steps
from ..setup.setup import Setup
from ..text.written import number
from .derivation import Derivation, derive
from .diagnosis import Wrong, diagnose
from .report import FOLLOWS, RIGHT, ROUNDED, WRONG, Diagnosis, Report, describe_place, paragraph
from .typed import FEWEST_DECIMALS, coarse, most_decimals, near, rename_masked, to_tensor, units

SINGLE = 2e-6  # how far, of its size, a number may be off that was computed in single precision
GOES_FURTHER = {"scores": "; scores are before the division"}  # a word on a name


def grade(source: UserMatrices | Setup | Trace, text: str, tokens: Sequence[str] = ()) -> Report:
    """Check what stands in a text, or in a text with what is given beside it, against a setup or
    numbers that are given.

    Raises ValueError where nothing can be computed of what is given; never for what the text holds.

    >>> report = grade(
    ...     UserMatrices(x=[[1, 0], [0, 1]], scale="none"),
    ...     "scores = [[1, 0], [0, 1]], alpha = [[0.73, 0.27], [0.4, 0.73]]",
    ... )
    >>> report.verdicts["weights"]
    ((('right', 'right'), ('wrong', 'right')),)
    """
    right = derive(source)
    if isinstance(source, Setup | Trace):
        tokens = tokens or (source.setup if isinstance(source, Trace) else source).tokens
    pasted, messages = _steps(text, right, tokens)
    return _Checker(right, pasted, messages).report()


def grade_text(text: str, **answers: object) -> Report:
    """Check a text that holds both, what is given and the steps made of it. Raises ValueError where
    something is open or missing."""
    return grade_reading(parse(text, **answers))


def grade_reading(reading: Reading) -> Report:
    """Check the solution that was read beside what is given. Raises ValueError where something is
    open or missing."""
    told = [m for m in reading.messages if "not checked" in m or "of which word" in m]
    return _Checker(derive(reading.given()), reading.solution, told).report()


def _steps(
    text: str, right: Derivation, tokens: Sequence[str]
) -> tuple[dict[str, Pasted], list[str]]:
    """Return the steps of a solution in a text. What is no step is what was given, and left
    alone."""
    found = find_matrices(text)
    named = [each for each in found.entries if each.name in STEPS and right.inputs(each.name)]
    entries = [each for each in named if "" not in flat(each.numbers)]
    steps, messages = place_steps(entries, right.sizes, tokens or found.tokens, columns=False)
    if any(one.turned for one in steps.values()):  # a word may be a column there
        turned, others = place_steps(entries, right.sizes, tokens or found.tokens, columns=True)
        if len(turned) >= len(steps) and not any(one.turned for one in turned.values()):
            steps, messages = turned, others
    messages = [*found.messages, *messages]
    for each in named:
        if each not in entries:
            says = f"{symbol(each.name)} has a cell that is no number; it is not checked."
            messages.append(f"Line {each.line}: {says}")
    for each in found.entries:
        if not each.name:
            messages.append(
                f"Line {each.line}: a matrix has no name, so it is not checked; write α = before"
                " it, or what it is."
            )
    if not steps and not messages:
        messages.append(
            "Nothing to check was found: write what a matrix is before it, such as scores =, alpha"
            " = or Z =."
        )
    return steps, messages


class _Checker:
    def __init__(
        self, right: Derivation, pasted: Mapping[str, Pasted], messages: Sequence[str]
    ) -> None:
        self.right, self.messages = right, list(messages)
        self.pasted = self._match_numbers(rename_masked(pasted))
        self.typed = {name: to_tensor(one, right.values[name]) for name, one in self.pasted.items()}
        self.units = {name: units(one, right.values[name]) for name, one in self.pasted.items()}
        self.own: Mapping[str, Tensor] = right.values  # with what was written put in
        self.derived: dict[str, Tensor] = {}  # what follows from what was written before
        self.codes: dict[str, dict[Place, str]] = {}
        self.slips: dict[str, Diagnosis] = {}

    def report(self) -> Report:
        values = self.right.values
        for name in self.pasted:
            self.derived[name] = self.own[name]
            self._check(name)
            own = torch.where(self.typed[name].isnan(), self.own[name], self.typed[name])
            self.own = self.right.follow(self.own, {name: own}, "output")
        verdicts = {
            name: _nest(codes, tuple(values[name].shape)) for name, codes in self.codes.items()
        }
        right = {name: values[name].tolist() for name in self.codes}
        pasted, said = dict(self.pasted), self._describe()
        return Report(verdicts, self.slips, right, pasted, tuple(self.messages), said)

    def _match_numbers(self, pasted: Mapping[str, Pasted]) -> dict[str, Pasted]:
        """Take a step that holds the right numbers of one that comes after it for that one, and say
        so."""
        found = dict(pasted)
        for name, one in pasted.items():
            for other in STEPS:
                if self._holds(one, name) or not self._holds(one, other):
                    continue
                if name in self.right.unwritten(other):
                    self.messages.append(
                        f"Line {one.line}: what is called {symbol(name)} are the numbers of"
                        f" {symbol(other)}, and right as such{GOES_FURTHER.get(name, '')}."
                    )
                    del found[name]
                    found.setdefault(other, replace(one, name=other))
                    break
        return {name: found[name] for name in STEPS if name in found}

    def _holds(self, one: Pasted, name: str) -> bool:
        """Return whether these are the right numbers of a step, to the last decimal."""
        right = self.right.values[name]
        if len(one.cells) < right.numel() or len(next(iter(one.cells))) != right.ndim:
            return False
        if max(one.cells) != tuple(size - 1 for size in right.shape):
            return False
        return bool(
            near(to_tensor(one, right), right, self._slack(right) + 0.5 * units(one, right)).all()
        )

    def _slack(self, right: Tensor) -> Tensor:
        return self.right.precise * _size(right)

    # ---------- cells ----------

    def _check(self, name: str) -> None:
        typed, right, derived, unit = (
            self.typed[name],
            self.right.values[name],
            self.derived[name],
            self.units[name],
        )
        half = 0.5 * 10.0 ** -max(FEWEST_DECIMALS, most_decimals(self.pasted[name]))
        off_by = {earlier: self._off_by(earlier) for earlier in self.codes}
        off = self.right.rounding(name, self.right.values, off_by, half)
        halves = {earlier: 0.5 * self.units[earlier] for earlier in self.codes}
        off_own = self.right.rounding(name, self.own, halves, half)
        slack, single = self._slack(right), SINGLE * _size(right)
        astray = bool(self._astray(name))
        apart = ~near(derived, right, unit + off) & astray
        room = unit + off_own + single
        codes = [
            (RIGHT, near(typed, right, 0.5 * unit + slack)),
            (FOLLOWS, apart & near(typed, derived, unit + slack)),
            (
                ROUNDED,
                near(typed, right, unit + off + slack + single) | coarse(self.pasted[name], right),
            ),
            (FOLLOWS, near(typed, derived, room + slack) & astray),
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
            written = frozenset(self.codes) - {name}
            step = Wrong(
                self.right, self.pasted[name], typed, derived, unit, room, wrong, self.own, written
            )
            slip = diagnose(step)
        elif ROUNDED in self.codes[name].values():
            slip = self._diagnose_one_decimal(name)
        else:
            slip = None
        self.slips |= {name: slip} if slip else {}

    def _off_by(self, earlier: str) -> Tensor:
        """Return how far what was written in an earlier step is off, at least half a unit of its
        last place, where it is not wrong."""
        off = 0.5 * self.units[earlier]
        apart = (self.typed[earlier] - self.right.values[earlier]).abs()
        for place, code in self.codes[earlier].items():
            if code == ROUNDED:
                off[place] = torch.maximum(off[place], apart[place])
        return off

    def _find_written_before(self, name: str) -> list[str]:
        """Return the nearest steps before this one that were written, and those before them that
        are not written whole."""
        found: dict[str, None] = {}
        for earlier in self.right.earlier(name):
            found |= {earlier: None} if earlier in self.codes else {}
            if len(self.codes.get(earlier, ())) < self.right.values[earlier].numel():
                found |= dict.fromkeys(self._find_written_before(earlier))
        return list(found)

    def _astray(self, name: str) -> list[str]:
        """Return those of them that hold an error."""
        return [
            earlier
            for earlier in self._find_written_before(name)
            if {WRONG, FOLLOWS} & set(self.codes[earlier].values())
        ]

    def _diagnose_one_decimal(self, name: str) -> Diagnosis | None:
        """Name the step that was written with one decimal only, where the next one shows it."""
        for earlier in self._find_written_before(name):
            if most_decimals(self.pasted[earlier]) == 1 and ROUNDED in self.codes[earlier].values():
                says = f"{symbol(earlier)} is rounded to one decimal before the next step"
                return Diagnosis(name, "rounded", says)
        return None

    # ---------- in words ----------

    def _describe(self) -> str:
        astray = {name: self._astray(name) for name in self.codes}
        wrong = {
            name: self._describe_wrong(name)
            for name, codes in self.codes.items()
            if WRONG in codes.values()
        }
        return " ".join([*paragraph(self.codes, self.slips, astray, wrong), *self.messages])

    def _describe_wrong(self, name: str) -> str:
        codes = self.codes[name]
        wrong = [place for place, code in codes.items() if code == WRONG]
        several = (
            f"{len(wrong)} of {len(codes)} cells are wrong"
            if len(wrong) > 1
            else "one cell is wrong"
        )
        expected = number(float(self.derived[name][wrong[0]]))
        written = self.pasted[name].cells[wrong[0]].replace("-", "−").replace("inf", "∞")
        return (
            f"{symbol(name)}: {several}; in {describe_place(wrong[0])} stands {written}, and"
            f" {expected} is right."
        )


def _size(right: Tensor) -> Tensor:
    return right.abs().nan_to_num(posinf=0.0, neginf=0.0).clamp(min=1.0)


def _nest(codes: Mapping[Place, str], size: tuple[int, ...], before: Place = ()) -> Any:
    if len(before) == len(size):
        return codes.get(before, "")
    return tuple(_nest(codes, size, (*before, i)) for i in range(size[len(before)]))
