"""Training a whole stack to predict what comes next: in the small language, or in repeating
letters.

All weights are trained together: table, positions, every block, and the unembedding if it is a
separate matrix. A sentence of nine words gives eight predictions at once, since the causal mask
hides later words. The loss is their mean; for letters, over the positions where the next letter can
be known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from ..ops import classes
from ..ops.weight_names import Weights
from ..setup.setup import Setup
from ..text import language
from ..trace.record import TraceBuilder
from . import init, objectives
from .training import BATCH, MAX_STEPS, Objective

TASKS = ("next", "repeat")
# A row of letters: as many different ones as its period, repeated.
LENGTH, PERIODS = 16, (3, 8)
# weights; moments of larger stacks keep layer 1's attention only
MAX_WATCHED = 100_000
LEARNED = BATCH * MAX_STEPS  # rows, enough to hardly ever repeat


@dataclass(frozen=True, eq=False)
class Examples:
    """The examples, as ids of `words`: ids (example, token), and `known` (example, token − 1):
    where the next one can be known.

    `learned` and `unseen` are the indices of the training and test examples: (example,).
    """

    words: tuple[str, ...]
    ids: Tensor
    known: Tensor
    learned: Tensor
    unseen: Tensor


def examples(setup: Setup) -> Examples:
    """Return the task's examples: all sentences of the language, or rows of letters from the
    seed."""
    return _letters(setup.seed) if setup.task == "repeat" else _sentences(setup.seed)


def _sentences(seed: int) -> Examples:
    learned, unseen = objectives.split_examples(seed)
    anywhere = torch.ones(len(objectives.IDS), language.LENGTH - 1, dtype=torch.bool)
    return Examples(language.WORDS, objectives.IDS, anywhere, learned, unseen)


@lru_cache(maxsize=4)
def _letters(seed: int) -> Examples:
    ids, periods = letters(init.own_seed(seed, "letters"), LEARNED + objectives.UNSEEN)
    which = torch.unique(ids, dim=0, return_inverse=True)[1]  # rows with short periods repeat
    unseen = torch.arange(LEARNED, len(ids))
    learned = (~torch.isin(which[:LEARNED], which[LEARNED:])).nonzero()[:, 0]
    return Examples(language.LETTERS, ids, begun_again(periods), learned, unseen)


def letters(seed: int, count: int) -> tuple[Tensor, Tensor]:
    """Return this many rows of repeating letters: ids (example, token), and each row's period
    (example,).

    >>> ids, periods = letters(seed=1, count=2)
    >>> bool((ids[0, periods[0]:] == ids[0, :-periods[0]]).all())
    True
    """
    source = init.generator(seed)
    order = torch.rand(count, len(language.LETTERS), generator=source).argsort(
        dim=1
    )  # each row's letters, all different
    periods = torch.randint(PERIODS[0], PERIODS[1] + 1, (count,), generator=source)
    return order.gather(1, torch.arange(LENGTH) % periods[:, None]), periods


def begun_again(periods: Tensor) -> Tensor:
    """Return where a letter has occurred before, so that the next can be known: (example,) →
    (example, token − 1).

    >>> begun_again(torch.tensor([8]))[0].int().tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1]
    """
    return torch.arange(LENGTH - 1) >= periods[:, None]


def start_on_examples(setup: Setup) -> Setup:
    """Return the setup at the start of training: Xavier initialisation, on the task's words, with a
    causal mask."""
    return objectives.drawn_on(setup, language.WORDS_OF[setup.task])


def lesson(setup: Setup) -> Objective:
    """Return the training of all weights on the mean cross-entropy over the positions where the
    next token can be known."""
    own, given = start_on_examples(setup), examples(setup)
    start = objectives.table(own, given.ids.shape[1] - 1) | objectives.layers(own, own.layers)
    if own.unembedding == "own":
        start["unembedding"] = objectives.readout(own.seed, len(own.vocabulary), own.d_model)

    def loss(weights: Mapping[str, Tensor], some: Tensor, batch: Tensor | None = None) -> Tensor:
        places = given.known[some if batch is None else batch].sum()
        return surprises(own, weights, given.ids[some])[given.known[some]].sum() / places

    def accuracy(weights: Mapping[str, Tensor], places: Tensor) -> dict[str, float]:
        return {setup.task: right(own, weights, given, places)}

    watched = tuple(start)
    if sum(weight.numel() for weight in start.values()) > MAX_WATCHED:
        watched = tuple(
            name
            for name in (*objectives.WATCHED, *(f"layer1.{name}" for name in objectives.WATCHED))
            if name in start
        )
    size = multiplications(setup)
    steps = min(setup.steps_taken, max(1, objectives.BUDGET // size))
    asked = given.unseen[
        : max(1, min(objectives.UNSEEN, objectives.BUDGET // 10 // (size // (3 * BATCH))))
    ]
    seed = init.own_seed(setup.seed, "batches")
    at_once = objectives.fit_batch_size(own, own.layers, given.ids.shape[1])
    return Objective(
        objectives.double(start),
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
) -> tuple[Tensor, list[TraceBuilder]]:
    """Return each word's logit at each position of some examples (example, token): (example, token,
    word). With `keep`, each layer's record too."""
    used = dict(weights)
    if "positions" in used:
        used["positions"] = used["positions"][: ids.shape[-1]]
    out, records = objectives.forward(setup, used, ids, setup.layers, keep)
    return out @ get_unembedding(weights), records


def get_unembedding(weights: Mapping[str, Tensor]) -> Tensor:
    """Return the unembedding: (d_model, word). If tied, it is the table (word, d_model) transposed:
    Press and Wolf 2017."""
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
    """Return the accuracy of next-word prediction where the next can be known; in the language,
    everywhere."""
    found = []
    for some in places.split(BATCH):
        ids = given.ids[some]
        is_right = logits(setup, weights, ids[:, :-1])[0].argmax(dim=-1) == ids[:, 1:]
        found.append(is_right[given.known[some]])
    return torch.cat(found).double().mean().item()


def multiplications(setup: Setup) -> int:
    """Return the approximate multiplications in one training step."""
    tokens = (LENGTH if setup.task == "repeat" else language.LENGTH) - 1
    to_words = 3 * BATCH * tokens * setup.d_model * len(language.WORDS_OF[setup.task])
    return objectives.multiplications(setup, setup.layers, tokens) + to_words


def measure_by_place(setup: Setup, weights: Weights, places: Tensor | None = None) -> Tensor:
    """Return the mean cross-entropy at each position but the last, in nats, over the given examples
    or all of the language: (token − 1,). Its mean is the loss, and e to that is the perplexity."""
    own, ids = start_on_examples(setup), examples(setup).ids
    asked = ids if places is None else ids[places]
    with torch.no_grad():
        return torch.cat([surprises(own, weights, some) for some in asked.split(BATCH)]).mean(dim=0)
