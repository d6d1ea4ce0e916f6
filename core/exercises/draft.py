"""The draft of an exercise: a reader's setup, what was computed of it, and places picked in it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random

from torch import Tensor

from .. import batch, encoder, filling, trace, training_store
from ..answers import Answer, Kind, fixed
from ..batch import Batch
from ..cell import Cell, Index, Ref
from ..question import Opens, Question, Slip, told_apart
from ..setup import Setup
from ..text import cell, labels, quoted
from ..trace import Trace

MOST_LISTED = 8  # numbers in a question
MOST_HEADS = 3  # whose numbers are told from the right head's
OF_HEADS = ("head", "kv_head")
CLEAR = 0.001  # how much two numbers that are compared must differ


@dataclass(frozen=True)
class Sources:
    """Where what is computed comes from: a page hands in what it has already."""

    trace: Callable[[Setup], Trace] = trace.run
    batch: Callable[[Setup], Batch] = batch.run
    stack: Callable[[Setup], tuple[Trace, ...]] = encoder.encode
    said: Callable[[Setup], Trace] = filling.say  # up to the word that is said, at [MASK] or next


@dataclass(frozen=True, eq=False)
class Draft:
    """One exercise in the making. The same name, setup and variation pick the same places, always
    and everywhere.

    A further attempt picks others, where a variation would ask what the one before it asked. A
    place that is `chosen`, by a link's field, is not picked.
    """

    name: str
    setup: Setup
    variation: int
    sources: Sources
    attempt: int = 0
    chosen: Mapping[str, str | int] = field(default_factory=dict)
    random: Random = field(init=False)

    def __post_init__(self) -> None:
        seed = (
            f"{self.name} {self.variation} {sorted(self.setup.as_link().items())}"
            + f" {self.attempt}" * (self.attempt > 0)
        )
        object.__setattr__(self, "random", Random(seed))

    @cached_property
    def trace(self) -> Trace:
        """Everything computed of the sentence."""
        return self.sources.trace(self.setup)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """A name for each token."""
        return labels(self.setup.tokens)

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """A name for each token that is asked."""
        return (
            self.labels
            if self.path == "masks"
            else labels(self.setup.memory_tokens or self.setup.tokens)
        )

    @property
    def path(self) -> str:
        """The page that the exercise belongs to."""
        return self.name.partition(".")[0]

    def pick(self, count: int, axis: str = "") -> int:
        """Pick one of so many places, from 0: the one that is chosen on this axis, the last where
        there are fewer."""
        place = self.chosen.get(axis)
        return (
            min(max(place, 1), count) - 1
            if isinstance(place, int)
            else self.random.randrange(count)
        )

    def pick_of(self, name: str, *axes: str) -> list[int]:
        """Pick a place in an entry, on each of these axes of it."""
        return [
            self.pick(size, axis) for size, axis in zip(self.value(name).shape, axes, strict=True)
        ]

    def value(self, name: str) -> Tensor:
        """Return the numbers of one entry."""
        return self.trace.value(name)

    def word(self, place: int) -> str:
        """Return the token at this place (from 0), quoted."""
        return quoted(self.labels[place])

    def key_word(self, place: int) -> str:
        """Return the token that is asked at this place (from 0), quoted."""
        return quoted(self.asked[place])

    def words(self, numbers: Sequence[str]) -> str:
        """Return the tokens that a row is about, each with what belongs to it: Life 0.1234, is
        0.5678."""
        return ", ".join(
            f"{label} {number}" for label, number in zip(self.asked, numbers, strict=False)
        )

    def cell(self, name: str, *index: int) -> str:
        """Return the name of one cell of an entry as the pages write it, its head apart: q[is,
        3]."""
        dims = [dim for dim in self.trace[name].dims if dim not in OF_HEADS]
        places = [self._place(dim, at) for dim, at in zip(dims, index, strict=True)]
        return cell(name, *places)

    def opened(self, name: str, index: Index) -> Cell:
        """Return one cell of an entry that was computed, written out."""
        origin = self.trace[name].origin
        if origin is None:
            raise KeyError(f"{name} was drawn: there is nothing to open")
        return origin.open(self.trace, index)

    def of_head(self, name: str, head: int) -> Tensor:
        """Return the numbers of one entry that a head, from 0, works with."""
        return self.trace.of_head(name, head)

    def factor(self, ref: Ref) -> str:
        """Return the name of a number that went into a cell."""
        return self.cell(
            ref.name, *ref.index[1 if self.trace[ref.name].dims[0] in OF_HEADS else 0 :]
        )

    def _place(self, axis: str, at: int) -> str | int:
        if axis in ("token", "query", "key", "memory"):
            return (self.asked if axis in ("key", "memory") else self.labels)[at]
        return labels(self.trace.vocabulary)[at] if axis == "word" else at + 1

    def at(self, **places: int) -> Opens:
        """Return where this exercise's page shows these places, from 0."""
        return Opens(self.path, {name: place + 1 for name, place in places.items()})

    def changed(self, opens: Opens, **fields: str) -> Opens:
        """Return the same with other choices; where these change more than what is asked, the
        answer stands nowhere.

        Trained weights would learn anew under another mask, the layers below a further one would
        hand on something else, and without a memory an edit of a row of the table would be about
        another word. What given numbers say of the words, the mask or a memory stays.
        """
        new = {name for name, value in fields.items() if str(getattr(self.setup, name)) != value}
        learns = self.setup.init == "trained" and not new <= {*training_store.OF_NO_LESSON}
        of_numbers = learns or (self.setup.layer > 1 and new - {"text"})
        of_rows = "memory" in new and any(
            edit.name == "embedding_table" for edit in self.setup.changes
        )
        settled, told = Setup.nearest(self.setup.as_link() | fields)
        stays = bool(told) or any(
            str(getattr(settled, name)) != value for name, value in fields.items()
        )
        changed = (
            {**opens.fields, **fields} if new or self.setup.init != "trained" else opens.fields
        )
        return Opens(opens.path, changed, not of_rows and not of_numbers and not stays)

    def of_other_heads(
        self, name: str, head: int, index: tuple[int, ...], **places: int
    ) -> list[Slip]:
        """Return the same cell of an entry in other heads, from 0: whoever opens the page meets
        head 1."""
        tensor = self.value(name)
        return [
            Slip(
                f"head {other + 1} is taken: head {head + 1} is asked",
                fixed(tensor[(other, *index)].item()),
                Opens(
                    self.path,
                    {"head": other + 1, **{axis: place + 1 for axis, place in places.items()}},
                ),
            )
            for other in [other for other in range(len(tensor)) if other != head][:MOST_HEADS]
        ]

    def exercise(
        self,
        asks: str,
        kind: Kind,
        answer: Answer,
        slips: Sequence[Slip],
        hints: Sequence[str],
        solution: str,
        opens: Opens,
    ) -> Question:
        """Return the question that was made, without the slips that give the answer. No slip's
        number stands where the answer does."""
        moved = tuple(replace(slip, opens=None) if slip.opens == opens else slip for slip in slips)
        told = told_apart(answer, moved)
        return Question(
            self.name, kind, asks, (answer,), told, solution, hints=tuple(hints), opens=opens
        )

    def choice(
        self,
        asks: str,
        right: str,
        wrong: Sequence[tuple[str, str]],
        hints: Sequence[str],
        solution: str,
        opens: Opens,
    ) -> Question:
        """Return a choice between the right option and wrong ones, each of these with the reply to
        whoever takes it."""
        options = [(right, ""), *wrong]
        self.random.shuffle(options)
        texts = tuple(option for option, _ in options)
        answer = texts.index(right)
        slips = tuple(
            Slip(reply, place) for place, (_, reply) in enumerate(options) if place != answer
        )
        return Question(
            self.name, "choice", asks, (answer,), slips, solution, texts, tuple(hints), opens
        )
