"""The repeated-letters task: the shown row, its two places, and the measurements."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from torch import Tensor

from core import Setup
from core.analysis import induction
from core.text.text import labels
from core.training import training_store
from core.training.training import Trained
from pages.shared import board
from pages.shared.link import write_link
from pages.shared.link.focus import Focus
from pages.shared.page_components.training import curves
from pages.shared.server import background, computed

MEASURED = "This is being measured. It takes a few seconds, once for all visitors."
Head = tuple[int, int]  # layer and head from 0


@dataclass(frozen=True)
class Letters:
    """The shown setup, selection and training."""

    setup: Setup
    focus: Focus
    result: Trained

    @cached_property
    def alone(self) -> Setup:
        """Return the setup without its sentence, for measurements over many rows."""
        return training_store.key(self.setup, "stack")[1]

    @cached_property
    def row(self) -> tuple[str, ...]:
        """Return the shown row of letters."""
        return induction.own_row(self.setup)

    @property
    def is_readers(self) -> bool:
        """Return whether it is the user's own sentence."""
        return self.row == self.setup.tokens

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return a label for each place of the row."""
        return labels(self.row)

    @cached_property
    def query(self) -> int:
        """Return the query from 0: the user's if its letter came before, or else the last such
        place."""
        asked = self.focus.query - 1
        if self.is_readers and induction.place_after(self.row, asked) is not None:
            return asked
        return last_known(self.row)

    @cached_property
    def key(self) -> int:
        """Return the place (from 0) after the previous occurrence of the query's letter."""
        return induction.place_after(self.row, self.query) or 0

    @cached_property
    def found(self) -> induction.Measured:
        """Return the heads' attention at the end of training."""
        return computed.measured(self.alone)

    @cached_property
    def course(self) -> dict[int, induction.Measured] | None:
        """Return the same at each moment, None while it is being measured."""
        return background.ask(computed.course, self.alone)

    @property
    def goes_through_two(self) -> bool:
        """Return whether a score goes through two layers."""
        below, above = self.found.pair
        return below[0] < above[0] and self.setup.projections == "learned"

    @property
    def with_row(self) -> Setup:
        """Return the setup with this row as its sentence."""
        return self.setup if self.is_readers else replace(self.setup, text=" ".join(self.row))

    def link(self, path: str, at: tuple[int, int] | None = None, **changes: object) -> str:
        """Return a link to a page with this setup, or to a head's steps at the two places."""
        places = (
            {
                "seven": "chosen",
                "layer": at[0] + 1,
                "head": at[1] + 1,
                "query": self.query + 1,
                "key": self.key + 1,
            }
            if at
            else {}
        )
        return f"{path}?{write_link(self.with_row.as_link() | places | changes)}"


def last_known(row: Sequence[str]) -> int:
    """Return the last place (from 0) whose letter came before."""
    return max(k for k in range(len(row)) if induction.place_after(row, k) is not None)


def name_of(at: Head) -> str:
    """Return a head in words."""
    return f"layer {at[0] + 1}, head {at[1] + 1}"


def looks(letters: Letters, weights: Tensor, at: Head, made: str) -> board.Matrix:
    """Return one head of weights (layer, head, query, key) on the row."""
    clickable = letters.is_readers
    return curves.looks(weights[at], letters.names, name_of(at), made=made, clickable=clickable)
