"""What a whole stack learns that is to say what comes next: of the small language, or of letters
that begin again.

Everything learns together: table, positions, every block, and the unembedding where it is a matrix
of its own. A sentence of nine words is eight lessons at once, since under a causal mask no place
sees what follows it. The loss is their mean; of letters, that of those places where the next can be
known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from . import classes, draws, language, lessons
from .names import Weights
from .record import Record
from .setup import Setup
from .training import BATCH, MAX_STEPS, Lesson

TASKS = ("next", "repeat")
# A row of letters: different ones, as many as the period says, then the same again and again.
LENGTH, PERIODS = 16, (3, 8)
# weights; of a larger stack the moments of training keep those alone that layer 1 looks with
MAX_WATCHED = 100_000
LEARNED = BATCH * MAX_STEPS  # rows, so that hardly any comes twice


@dataclass(frozen=True, eq=False)
class Examples:
    """What is learned from, in ids of `words`: ids (example, token), and `known` (example, token −
    1): where the next can be known.

    `learned` and `unseen` are places of the examples that training may see and of those that it
    never sees: (example,).
    """

    words: tuple[str, ...]
    ids: Tensor
    known: Tensor
    learned: Tensor
    unseen: Tensor


def examples(setup: Setup) -> Examples:
    """Return those of the setup's task: all sentences of the language, or rows of letters that its
    seed draws."""
    return _letters(setup.seed) if setup.task == "repeat" else _sentences(setup.seed)


def _sentences(seed: int) -> Examples:
    learned, unseen = lessons.split_examples(seed)
    anywhere = torch.ones(len(lessons.IDS), language.LENGTH - 1, dtype=torch.bool)
    return Examples(language.WORDS, lessons.IDS, anywhere, learned, unseen)


@lru_cache(maxsize=4)
def _letters(seed: int) -> Examples:
    ids, periods = letters(draws.own_seed(seed, "letters"), LEARNED + lessons.UNSEEN)
    which = torch.unique(ids, dim=0, return_inverse=True)[1]  # short periods come more than once
    unseen = torch.arange(LEARNED, len(ids))
    learned = (~torch.isin(which[:LEARNED], which[LEARNED:])).nonzero()[:, 0]
    return Examples(language.LETTERS, ids, begun_again(periods), learned, unseen)


def letters(seed: int, count: int) -> tuple[Tensor, Tensor]:
    """Return so many rows of letters that begin again: ids (example, token), and after how many
    places each does (example,).

    >>> ids, periods = letters(seed=1, count=2)
    >>> bool((ids[0, periods[0]:] == ids[0, :-periods[0]]).all())
    True
    """
    source = draws.generator(seed)
    order = torch.rand(count, len(language.LETTERS), generator=source).argsort(
        dim=1
    )  # each row's letters, no two alike
    periods = torch.randint(PERIODS[0], PERIODS[1] + 1, (count,), generator=source)
    return order.gather(1, torch.arange(LENGTH) % periods[:, None]), periods


def begun_again(periods: Tensor) -> Tensor:
    """Return where a letter has come before, so that the next can be known: (example,) → (example,
    token − 1).

    >>> begun_again(torch.tensor([8]))[0].int().tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1]
    """
    return torch.arange(LENGTH - 1) >= periods[:, None]


def start_on_examples(setup: Setup) -> Setup:
    """Return the setup that training starts from: drawn as Glorot and Bengio do, on the words that
    are learned, under a causal mask."""
    return lessons.drawn_on(setup, language.WORDS_OF[setup.task])


def lesson(setup: Setup) -> Lesson:
    """Return the lesson whose loss is the mean cross-entropy over the places where the next can be
    known, from the table to the unembedding."""
    own, given = start_on_examples(setup), examples(setup)
    start = lessons.table(own, given.ids.shape[1] - 1) | lessons.layers(own, own.layers)
    if own.unembedding == "own":
        start["unembedding"] = lessons.readout(own.seed, len(own.vocabulary), own.d_model)

    def loss(weights: Mapping[str, Tensor], some: Tensor, batch: Tensor | None = None) -> Tensor:
        places = given.known[some if batch is None else batch].sum()
        return surprises(own, weights, given.ids[some])[given.known[some]].sum() / places

    def accuracy(weights: Mapping[str, Tensor], places: Tensor) -> dict[str, float]:
        return {setup.task: right(own, weights, given, places)}

    watched = tuple(start)
    if sum(weight.numel() for weight in start.values()) > MAX_WATCHED:
        watched = tuple(
            name
            for name in (*lessons.WATCHED, *(f"layer1.{name}" for name in lessons.WATCHED))
            if name in start
        )
    size = multiplications(setup)
    steps = min(setup.steps_taken, max(1, lessons.BUDGET // size))
    asked = given.unseen[
        : max(1, min(lessons.UNSEEN, lessons.BUDGET // 10 // (size // (3 * BATCH))))
    ]
    seed = draws.own_seed(setup.seed, "batches")
    at_once = lessons.fit_batch_size(own, own.layers, given.ids.shape[1])
    return Lesson(
        lessons.double(start),
        {},
        given.learned,
        asked,
        loss,
        accuracy,
        seed,
        steps,
        watched,
        at_once=at_once,
    )


def logits(
    setup: Setup, weights: Mapping[str, Tensor], ids: Tensor, keep: bool = False
) -> tuple[Tensor, list[Record]]:
    """A number for each word, at each place of some examples (example, token): (example, token,
    word). With `keep`, each layer's record too."""
    used = dict(weights)
    if "positions" in used:
        used["positions"] = used["positions"][: ids.shape[-1]]
    out, records = lessons.forward(setup, used, ids, setup.layers, keep)
    return out @ get_unembedding(weights), records


def get_unembedding(weights: Mapping[str, Tensor]) -> Tensor:
    """Return what turns the last row into a number for each word: (d_model, word). Tied, it is the
    table (word, d_model) turned: Press and Wolf 2017."""
    return (
        weights["unembedding"]
        if "unembedding" in weights
        else weights["embedding_table"].transpose(0, 1)
    )


def surprises(setup: Setup, weights: Mapping[str, Tensor], ids: Tensor) -> Tensor:
    """Return the cross-entropy of each next word, in nats: ids (example, token) → (example, token −
    1)."""
    given, _ = logits(setup, weights, ids[:, :-1])
    return classes.cross_entropy(given, ids[:, 1:])


def right(setup: Setup, weights: Mapping[str, Tensor], given: Examples, places: Tensor) -> float:
    """Return the share of next words that got the largest number, of those that can be known; of
    the language, of all."""
    found = []
    for some in places.split(BATCH):
        ids = given.ids[some]
        is_right = logits(setup, weights, ids[:, :-1])[0].argmax(dim=-1) == ids[:, 1:]
        found.append(is_right[given.known[some]])
    return torch.cat(found).double().mean().item()


def multiplications(setup: Setup) -> int:
    """Return how many numbers one step multiplies, about."""
    tokens = (LENGTH if setup.task == "repeat" else language.LENGTH) - 1
    to_words = 3 * BATCH * tokens * setup.d_model * len(language.WORDS_OF[setup.task])
    return lessons.multiplications(setup, setup.layers, tokens) + to_words


def measure_by_place(setup: Setup, weights: Weights, places: Tensor | None = None) -> Tensor:
    """Return the mean cross-entropy at each place but the last, in nats, of all examples of the
    language unless some are given: (token − 1,). The mean of it is the loss; e to that is the
    perplexity, among how many words it is as if one had to guess."""
    own, ids = start_on_examples(setup), examples(setup).ids
    asked = ids if places is None else ids[places]
    with torch.no_grad():
        return torch.cat([surprises(own, weights, some) for some in asked.split(BATCH)]).mean(dim=0)
