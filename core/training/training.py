"""Training: minimise the loss by gradient descent.

The steps are Adam's (Kingma and Ba 2015, algorithm 1), the gradients autograd's. Training is in
float64 and the weights are rounded to four decimals: this removes differences between machines in
the last bits, and the printed weights are exactly the ones used.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from ..ops.weight_names import Weights
from ..setup.choices import MAX_STEPS
from .adam import adam_step
from .init import generator

BATCH = 32
DECIMALS = 4
EVERY = 10  # steps between moments
MAX_BYTES = 4_000_000  # of all moments; above this there are fewer
MAX_ASKED = 100  # test examples at each moment
# weights updated together: their temporary tensors fit into the processor's cache
AT_ONCE = 12_000


@dataclass(frozen=True, eq=False)
class Objective:
    """What to train, on which examples.

    Attributes:
        start: the initial values of the trained weights, float64. held: weights that are used but
        not trained, float64. examples: the indices of the training examples: (example,). loss: a
        function of weights by name and example indices: one number; for a part of a batch, given
        the batch as well, the part's summand of the batch's loss. unseen: the indices of the test
        examples: (example,). accuracy: a function of weights by name and example indices: the
        accuracy for each question. seed: determines the order of the examples. steps: the number of
        steps. watched: the names of the weights that the moments keep. batch: the examples in one
        step. at_once: how many of them go through the model together, to limit memory.
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
    """The state after some steps: the accuracy, and the watched weights, rounded."""

    step: int
    accuracy: dict[str, float]
    weights: Weights


@dataclass(frozen=True, eq=False)
class Trained:
    """A result: weights by name (float32, four decimals), the loss of each step, and the moments.

    `accuracy` is the accuracy on `asked` test examples, for each question. `wanted` is the
    requested number of steps; there are fewer losses if the budget was exhausted.
    """

    weights: Weights
    losses: tuple[float, ...]
    accuracy: dict[str, float]
    asked: int
    moments: tuple[Moment, ...]
    wanted: int

    @property
    def bytes(self) -> int:
        """Its memory, in bytes."""
        return bytes_of(self.weights) + bytes_looked_at(self.moments)

    @property
    def whole_moments(self) -> tuple[Moment, ...]:
        """The moments that keep all weights."""
        return tuple(
            moment for moment in self.moments if moment.weights.keys() == self.weights.keys()
        )

    def after(self, steps: int) -> "Trained | None":
        """Return the training as it was after this many steps; None if no moment kept that. A
        training that ended earlier is returned as it is.

        The weights equal those of a training of this many steps. The accuracy is of fewer
        sentences.
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
    """Return the memory of these weights, in bytes."""
    return sum(weight.nbytes for weight in weights.values())


def bytes_looked_at(moments: Iterable[Moment]) -> int:
    """Return the memory of these moments, in bytes."""
    return sum(bytes_of(moment.weights) for moment in moments)


def take_step(
    lesson: Objective, weights: Weights, means: tuple[Tensor, Tensor], batch: Tensor, step: int
) -> tuple[float, Tensor]:
    """Return a batch's loss, and all weights after one Adam step, flattened into one row.

    `means` are Adam's two running means, flattened in the same way and updated in place; `step`
    counts from 1.
    """
    learning, loss = (
        {name: weight.detach().requires_grad_() for name, weight in weights.items()},
        0.0,
    )
    for some in batch.split(lesson.at_once):
        of_some = lesson.loss(learning | lesson.held, some, batch)
        of_some.backward()  # accumulates the gradients
        loss += of_some.item()
    gradient = flatten(
        torch.zeros_like(weight) if weight.grad is None else weight.grad
        for weight in learning.values()
    )
    learning.clear()  # the gradients are in the row
    row = flatten(weights.values())
    for part, of_loss, first, second in zip(
        *(each.split(AT_ONCE) for each in (row, gradient, *means)), strict=True
    ):
        part[:], first[:], second[:] = adam_step(part, of_loss, first, second, step)
    return loss, row


def flatten(tensors: Iterable[Tensor]) -> Tensor:
    """Return all numbers of some tensors as one row: (number,)."""
    return torch.cat([tensor.flatten() for tensor in tensors])


def out_of_row(row: Tensor, like: Weights) -> Weights:
    """Return the inverse of `flatten`: weights with the names and shapes of `like`.

    >>> out_of_row(torch.arange(3), {"a": torch.zeros(1, 2), "b": torch.zeros(1)})
    {'a': tensor([[0, 1]]), 'b': tensor([2])}
    """
    parts = row.split([weight.numel() for weight in like.values()])
    return {
        name: part.view_as(weight) for (name, weight), part in zip(like.items(), parts, strict=True)
    }


@dataclass(eq=False)
class Training:
    """A training in progress. Call `step` until it is `over`; `result` is available at any time."""

    lesson: Objective
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
        """Its memory, in bytes."""
        # the two means have the same size
        return 3 * bytes_of(self.weights) + bytes_looked_at(self.moments)

    @property
    def over(self) -> bool:
        """Whether all steps are done."""
        return len(self.losses) >= self.lesson.steps

    def go_on(self, lesson: Objective, wanted: int) -> None:
        """Continue with another number of steps, at least as many as were done."""
        self.lesson, self.wanted = _drop_start(lesson), wanted
        if self.over and self.moments[-1].step < len(self.losses):
            self._keep_moment()

    def step(self) -> None:
        """Take one step: compute a batch's loss and gradients, and update every weight."""
        batch, count = self._next_batch(), len(self.losses) + 1
        loss, row = take_step(self.lesson, self.weights, self._means, batch, count)
        self.weights = out_of_row(row, self.weights)
        self.losses.append(loss)
        if len(self.losses) % self._every == 0 or self.over:
            self._keep_moment()

    def result(self) -> Trained:
        """Return the current weights, rounded, with losses, accuracy and moments."""
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
        """Return weights as printed and used: float32, four decimals."""
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


def _drop_start(lesson: Objective) -> Objective:
    """Return the lesson without its initial weights, to free memory after the start."""
    return replace(lesson, start={})
