"""Training: weights are moved, one small step after the other, so that the loss becomes less.

The steps are Adam's (Kingma and Ba 2015, algorithm 1), the gradients autograd's. All of it is
computed in float64 and the weights that come out are rounded to four decimals: what the last bits
of another machine do differently is rounded away, and what is printed is what is used.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from .adam import adam_step
from .choices import MAX_STEPS
from .draws import generator
from .names import Weights

BATCH = 32
DECIMALS = 4
EVERY = 10  # steps from one moment to the next
MAX_BYTES = 4_000_000  # of all moments together; where they take more, there are fewer
MAX_ASKED = 100  # of the unseen examples, at each moment
# weights that Adam's rule is applied to: so many numbers more, ten times, stay in a processor's
# cache
AT_ONCE = 12_000


@dataclass(frozen=True, eq=False)
class Lesson:
    """What is to be learned, and from where.

    Attributes:
        start: the weights that learn, as they begin, float64. held: weights that are used and stay
        as they are, float64. examples: places of the examples that may be seen: (example,). loss:
        of weights by name and examples' places: one number. Of some of a batch, what they bring to
        the loss of the whole batch,
            which then is named too.
        unseen: places of the examples that are never learned from, to be asked about: (example,).
        accuracy: of weights by name and examples' places: the share of right answers, for each
        question. seed: decides which examples come when. steps: how many. watched: names of the
        weights that the moments keep. batch: how many examples one step learns from. at_once: how
        many of them go through the model together, so that they do not take too much memory.
    """

    start: Weights
    held: Weights
    examples: Tensor
    unseen: Tensor
    loss: Callable[..., Tensor]
    accuracy: Callable[[Mapping[str, Tensor], Tensor], dict[str, float]]
    seed: int
    steps: int
    watched: tuple[str, ...] = ()
    batch: int = BATCH
    at_once: int = BATCH


@dataclass(frozen=True, eq=False)
class Moment:
    """How things stood after so many steps: the share of right answers, and the weights that are
    watched, rounded."""

    step: int
    accuracy: dict[str, float]
    weights: Weights


@dataclass(frozen=True, eq=False)
class Trained:
    """What came out: weights by name (float32, four decimals), a loss for each step, and the
    moments.

    `accuracy` is the share of right answers to so many examples (`asked`) that were never seen, for
    each question. `wanted` is how many steps were asked for; there are fewer losses where the
    budget ended before.
    """

    weights: Weights
    losses: tuple[float, ...]
    accuracy: dict[str, float]
    asked: int
    moments: tuple[Moment, ...]
    wanted: int

    @property
    def bytes(self) -> int:
        """How much memory it takes, in bytes."""
        return bytes_of(self.weights) + bytes_looked_at(self.moments)

    @property
    def whole_moments(self) -> tuple[Moment, ...]:
        """The moments that keep all weights."""
        return tuple(
            moment for moment in self.moments if moment.weights.keys() == self.weights.keys()
        )

    def after(self, steps: int) -> "Trained | None":
        """Return the training as it stood after so many steps; None where no moment kept that. One
        that ended before is itself.

        The weights are those that a training of so many steps leaves. Fewer sentences were asked
        about.
        """
        if steps >= len(self.losses):
            return self if len(self.losses) < self.wanted or steps == self.wanted else None
        for moment in self.whole_moments:
            if moment.step == steps:
                before = self.moments[: self.moments.index(moment) + 1]
                asked = min(self.asked, MAX_ASKED)
                return Trained(
                    moment.weights,
                    self.losses[:steps],
                    moment.accuracy,
                    asked,
                    before,
                    steps,
                )
        return None


def bytes_of(weights: Weights) -> int:
    """Return how much memory these take, in bytes."""
    return sum(weight.nbytes for weight in weights.values())


def bytes_looked_at(moments: Iterable[Moment]) -> int:
    """Return the same of what is kept of a training's course."""
    return sum(bytes_of(moment.weights) for moment in moments)


def take_step(
    lesson: Lesson, weights: Weights, means: tuple[Tensor, Tensor], batch: Tensor, step: int
) -> tuple[float, Tensor]:
    """The loss of a batch, and every weight a little against its own gradient: all of them one
    after the other, as one row.

    `means` are Adam's two so far, as long as that row, and are brought up to date; `step` counts
    from 1.
    """
    learning, loss = (
        {name: weight.detach().requires_grad_() for name, weight in weights.items()},
        0.0,
    )
    for some in batch.split(lesson.at_once):
        of_some = lesson.loss(learning | lesson.held, some, batch)
        of_some.backward()  # adds to the gradients
        loss += of_some.item()
    gradient = flatten(
        torch.zeros_like(weight) if weight.grad is None else weight.grad
        for weight in learning.values()
    )
    learning.clear()  # the gradients stand in the row
    row = flatten(weights.values())
    for part, of_loss, first, second in zip(
        *(each.split(AT_ONCE) for each in (row, gradient, *means)), strict=True
    ):
        part[:], first[:], second[:] = adam_step(part, of_loss, first, second, step)
    return loss, row


def flatten(tensors: Iterable[Tensor]) -> Tensor:
    """Return all numbers of some tensors, one after the other: (number,)."""
    return torch.cat([tensor.flatten() for tensor in tensors])


def out_of_row(row: Tensor, like: Weights) -> Weights:
    """Return the other way: weights with the names and shapes of others, from all their numbers in
    a row.

    >>> out_of_row(torch.arange(3), {"a": torch.zeros(1, 2), "b": torch.zeros(1)})
    {'a': tensor([[0, 1]]), 'b': tensor([2])}
    """
    parts = row.split([weight.numel() for weight in like.values()])
    return {
        name: part.view_as(weight) for (name, weight), part in zip(like.items(), parts, strict=True)
    }


@dataclass(eq=False)
class Training:
    """One training on its way. `step` until it is `over`; `result` may be taken at any time."""

    lesson: Lesson
    wanted: int
    losses: list[float] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.weights = dict(self.lesson.start)
        count = sum(weight.numel() for weight in self.weights.values())
        self._means = (
            torch.zeros(count, dtype=torch.float64),
            torch.zeros(count, dtype=torch.float64),
        )
        self._order = generator(self.lesson.seed)
        size = sum(self._used[name].numel() * 4 for name in self.lesson.watched)
        self._every = EVERY * math.ceil(size * MAX_STEPS / EVERY / MAX_BYTES) if size else EVERY
        self._keep_moment()
        self.lesson = _drop_start(self.lesson)

    @property
    def bytes(self) -> int:
        """How much memory it takes, in bytes."""
        # the two means are as long
        return 3 * bytes_of(self.weights) + bytes_looked_at(self.moments)

    @property
    def over(self) -> bool:
        """Whether all steps were made."""
        return len(self.losses) >= self.lesson.steps

    def go_on(self, lesson: Lesson, wanted: int) -> None:
        """Take the same lesson with another number of steps, at least as many as were made."""
        self.lesson, self.wanted = _drop_start(lesson), wanted
        if self.over and self.moments[-1].step < len(self.losses):
            self._keep_moment()

    def step(self) -> None:
        """Take one step: a batch, its loss, the gradients, and every weight a little against its
        own."""
        batch, count = self._next_batch(), len(self.losses) + 1
        loss, row = take_step(self.lesson, self.weights, self._means, batch, count)
        self.weights = out_of_row(row, self.weights)
        self.losses.append(loss)
        if len(self.losses) % self._every == 0 or self.over:
            self._keep_moment()

    def result(self) -> Trained:
        """Return the weights as they are now, rounded, and how it went."""
        weights = self.rounded(self.weights)
        used = {name: weight.double() for name, weight in weights.items()} | self.lesson.held
        with torch.no_grad():
            accuracy = self.lesson.accuracy(used, self.lesson.unseen)
        return Trained(
            weights,
            tuple(self.losses),
            accuracy,
            len(self.lesson.unseen),
            tuple(self.moments),
            self.wanted,
        )

    @staticmethod
    def rounded(weights: Mapping[str, Tensor]) -> Weights:
        """Return weights as they are printed and used: float32, four decimals."""
        return {name: weight.round(decimals=DECIMALS).float() for name, weight in weights.items()}

    @property
    def _used(self) -> Weights:
        return self.weights | self.lesson.held

    def _next_batch(self) -> Tensor:
        drawn = torch.randint(len(self.lesson.examples), (BATCH,), generator=self._order)
        return self.lesson.examples[drawn[: self.lesson.batch]]

    def _keep_moment(self) -> None:
        watched = self.rounded({name: self._used[name] for name in self.lesson.watched})
        with torch.no_grad():
            accuracy = self.lesson.accuracy(self._used, self.lesson.unseen[:MAX_ASKED])
        self.moments.append(Moment(len(self.losses), accuracy, watched))


def _drop_start(lesson: Lesson) -> Lesson:
    """Drop what a lesson began with, once it has begun: as many numbers as learn."""
    return replace(lesson, start={})
