"""A mistake in a notebook, its result, and how it is measured.

Each is rewritten in a faulty and a repaired form, a short function that a page prints;
`Mistake.run` calls it and measures one invariant, which must hold for any numbers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from torch import Tensor

from ..text.written import short


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result: whether the invariant holds, its measured value, and a matrix to display.

    `error` is Python's error message if the form cannot run; then there is no matrix.
    """

    holds: bool
    measured: str
    matrix: Tensor | None = None
    axes: tuple[str, str] = ("", "")
    error: str = ""

    @property
    def sentence(self) -> str:
        """The result as a sentence's beginning; a symbol keeps its case, since Ω is not ω."""
        said = self.error or self.measured
        return said[0].upper() + said[1:] if said[0].isascii() else said


@dataclass(frozen=True)
class Mistake:
    """One mistake: where it is, what the notebook says, why it was not noticed, and the repair.

    `key` is its name in links. `faults` names its switches; `run` takes those that are on. `forms`
    are the functions to print, the faulty ones first. `alone` says why a single fault would
    not be noticed, if the reason is another.
    """

    key: str
    notebook: str
    title: str
    written: str
    invariant: str
    unnoticed: str
    repair: str
    run: Callable[[frozenset[str]], Outcome]
    forms: tuple[Callable, ...]
    faults: tuple[str, ...] = ("fault",)
    alone: Mapping[str, str] = field(default_factory=dict, hash=False)

    def explain_unnoticed(self, on: frozenset[str]) -> str:
        """Return why these faults were not noticed; empty if none is on."""
        if len(on) == 1:
            return self.alone.get(*on, self.unnoticed)
        return self.unnoticed if on else ""


def attempt(work: Callable[[], Outcome]) -> Outcome:
    """Run it and return its outcome, or Python's error message."""
    try:
        return work()
    except (RuntimeError, NameError, TypeError, SyntaxError, IndexError, ValueError) as error:
        said = f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"
        return Outcome(False, "it does not run", error=said)


def describe_range(values: Tensor) -> str:
    """Return the smallest and the largest value as text."""
    low, high = short(values.min().item(), 4), short(values.max().item(), 4)
    return low if low == high else f"{low} to {high}"
