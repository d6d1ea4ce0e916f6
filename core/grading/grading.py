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
from ..importing.parsing import Reading, parse
from ..importing.solution import STEPS, Pasted, place_steps
from ..setup.setup import Setup
from ..text.written import number
from .derivation import Derivation, derive
from .diagnosis import Wrong, diagnose
from .report import (
    FOLLOWS,
    RIGHT,
    ROUNDED,
    VERDICTS,
    WRONG,
    Diagnosis,
    Report,
    describe_place,
    paragraph,
)
from .typed import FEWEST_DECIMALS, Typed, near, read_typed, rename_masked

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
    steps, messages = place_steps(named, right.sizes, tokens or found.tokens, columns=False)
    if any(one.turned for one in steps.values()):  # a word may be a column there
        turned, others = place_steps(named, right.sizes, tokens or found.tokens, columns=True)
        if len(turned) >= len(steps) and not any(one.turned for one in turned.values()):
            steps, messages = turned, others
    says = "a matrix has no name, so it is not checked; write α = before it, or what it is."
    unnamed = [f"Line {each.line}: {says}" for each in found.entries if not each.name]
    messages = [*found.messages, *messages, *unnamed]
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
        self.typed = self._match_numbers(rename_masked(pasted))
        self.own: Mapping[str, Tensor] = right.values  # with what was written put in
        self.derived: dict[str, Tensor] = {}  # what follows from what was written before
        self.codes: dict[str, Tensor] = {}  # the place of each cell's verdict among all
        self.slips: dict[str, Diagnosis] = {}

    def report(self) -> Report:
        for name, typed in self.typed.items():
            self.derived[name] = self.own[name]
            self._check(name)
            own = torch.where(typed.numbers.isnan(), self.own[name], typed.numbers)
            self.own = self.right.follow(self.own, {name: own}, "output")
        astray = {name: self._astray(name) for name in self.codes}
        wrong = {name: self._describe_wrong(name) for name in self.codes if self._has(name, WRONG)}
        verdicts = {name: _verdicts(codes.tolist()) for name, codes in self.codes.items()}
        said = [*paragraph(verdicts, self.slips, astray, wrong), *self.messages]
        return Report(
            verdicts,
            self.slips,
            {name: self.right.values[name].tolist() for name in self.codes},
            {name: typed.pasted for name, typed in self.typed.items()},
            tuple(self.messages),
            " ".join(said),
        )

    def _match_numbers(self, pasted: Mapping[str, Pasted]) -> dict[str, Typed]:
        """Take a step that holds the right numbers of one that comes after it for that one, and say
        so."""
        found = dict(pasted)
        for name, one in pasted.items():
            later = (step for step in STEPS if step != name and name in self.right.unwritten(step))
            other = next((step for step in later if self._holds(one, step)), None)
            if other and not self._holds(one, name):
                self.messages.append(
                    f"Line {one.line}: what is called {symbol(name)} are the numbers of"
                    f" {symbol(other)}, and right as such{GOES_FURTHER.get(name, '')}."
                )
                del found[name]
                found.setdefault(other, replace(one, name=other))
        values = self.right.values
        return {name: read_typed(found[name], values[name]) for name in STEPS if name in found}

    def _holds(self, one: Pasted, name: str) -> bool:
        """Return whether these are the right numbers of a step, to the last decimal."""
        right = self.right.values[name]
        if len(one.cells) < right.numel() or len(next(iter(one.cells))) != right.ndim:
            return False
        if max(one.cells) != tuple(size - 1 for size in right.shape):
            return False
        typed = read_typed(one, right)
        room = self.right.precise * _size(right) + 0.5 * typed.unit
        return bool(near(typed.numbers, right, room).all())

    # ---------- cells ----------

    def _check(self, name: str) -> None:
        """Give each cell of a step its verdict, and find the slip that explains them."""
        typed, right, derived = self.typed[name], self.right.values[name], self.derived[name]
        numbers, unit = typed.numbers, typed.unit
        half = 0.5 * 10.0 ** -max(FEWEST_DECIMALS, typed.decimals)
        off_by = {earlier: self._off_by(earlier) for earlier in self.codes}
        off = self.right.rounding(name, self.right.values, off_by, half)
        halves = {earlier: 0.5 * self.typed[earlier].unit for earlier in self.codes}
        off_own = self.right.rounding(name, self.own, halves, half)
        slack, single = self.right.precise * _size(right), SINGLE * _size(right)
        is_astray = torch.tensor(bool(self._astray(name)))
        apart = ~near(derived, right, unit + off) & is_astray
        room = unit + off_own + single
        is_rounded = near(numbers, right, unit + off + slack + single) | typed.is_coarse(right)
        codes = torch.full(right.shape, VERDICTS.index(WRONG))
        for code, holds in (  # the last one that holds counts
            (FOLLOWS, near(numbers, derived, room + slack) & is_astray),
            (ROUNDED, is_rounded),
            (FOLLOWS, apart & near(numbers, derived, unit + slack)),
            (RIGHT, near(numbers, right, 0.5 * unit + slack)),
            ("", numbers.isnan()),
        ):
            codes[holds] = VERDICTS.index(code)
        written = frozenset(self.codes)
        self.codes[name] = codes
        slip = None
        if self._has(name, WRONG):
            wrong = codes == VERDICTS.index(WRONG)
            slip = diagnose(Wrong(self.right, typed, derived, room, wrong, self.own, written))
        elif self._has(name, ROUNDED):
            slip = self._diagnose_one_decimal(name)
        self.slips |= {name: slip} if slip else {}

    def _has(self, name: str, *verdicts: str) -> bool:
        return any((self.codes[name] == VERDICTS.index(one)).any() for one in verdicts)

    def _off_by(self, earlier: str) -> Tensor:
        """Return how far what was written in an earlier step is off, at least half a unit of its
        last place, where it is not wrong."""
        typed = self.typed[earlier]
        apart = (typed.numbers - self.right.values[earlier]).abs()
        is_rounded = self.codes[earlier] == VERDICTS.index(ROUNDED)
        return torch.where(is_rounded, torch.maximum(0.5 * typed.unit, apart), 0.5 * typed.unit)

    def _find_written_before(self, name: str) -> list[str]:
        """Return the nearest steps before this one that were written, and those before them that
        are not written whole."""
        found: dict[str, None] = {}
        for earlier in self.right.earlier(name):
            found |= {earlier: None} if earlier in self.codes else {}
            if earlier not in self.codes or self._has(earlier, ""):
                found |= dict.fromkeys(self._find_written_before(earlier))
        return list(found)

    def _astray(self, name: str) -> list[str]:
        """Return those of them that hold an error."""
        before = self._find_written_before(name)
        return [earlier for earlier in before if self._has(earlier, WRONG, FOLLOWS)]

    def _diagnose_one_decimal(self, name: str) -> Diagnosis | None:
        """Name the step that was written with one decimal only, where the next one shows it."""
        for earlier in self._find_written_before(name):
            if self.typed[earlier].decimals == 1 and self._has(earlier, ROUNDED):
                says = f"{symbol(earlier)} is rounded to one decimal before the next step"
                return Diagnosis(name, "rounded", says)
        return None

    def _describe_wrong(self, name: str) -> str:
        cells = self.typed[name].pasted.cells
        wrong = [place for place in cells if VERDICTS[self.codes[name][place]] == WRONG]
        several = f"{len(wrong)} of {len(cells)} cells are" if len(wrong) > 1 else "one cell is"
        expected = number(float(self.derived[name][wrong[0]]))
        written = cells[wrong[0]].replace("-", "−").replace("inf", "∞")
        return (
            f"{symbol(name)}: {several} wrong; in {describe_place(wrong[0])} stands {written}, and"
            f" {expected} is right."
        )


def _size(right: Tensor) -> Tensor:
    return right.abs().nan_to_num(posinf=0.0, neginf=0.0).clamp(min=1.0)


def _verdicts(codes: Any) -> Any:
    return tuple(map(_verdicts, codes)) if isinstance(codes, list) else VERDICTS[codes]
