"""What a classifier learns from 160 labelled sentences: table, positions, every block and W_c.

A fifth of the sentences is held out: it is only ever asked about. All of it runs through the same
steps as the pages do.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor

from . import attention, classes, draws, lessons, masks
from .lessons import BUDGET, blocks, double, layers, multiplications
from .model import embed
from .names import Weights
from .record import Record
from .sentences import MAX_TOKENS
from .setup import Setup
from .text import token_ids, vocabulary, words
from .training import BATCH, Lesson

LABELS = ("bad", "good")
GOOD, BAD = ("good", "great", "nice", "fine"), ("bad", "awful", "poor", "dull")
PLAIN = ("the {} was {}", "the {} was {} today", "the {} was very {}")
NEGATED = ("the {} was not {}", "the {} was not {} today")
NOT = "not"


def make_examples() -> tuple[tuple[str, str], ...]:
    """Return labels and sentences on four subjects. *not* turns what they say, so it has to be
    looked at.

    >>> len(make_examples()), make_examples()[3]
    (160, ('bad', 'the soup was not good'))
    """
    pairs = []
    for thing, word in product(("soup", "film", "room", "train"), GOOD + BAD):
        says, other = ("good", "bad") if word in GOOD else ("bad", "good")
        pairs += [(says, line.format(thing, word)) for line in PLAIN]
        pairs += [(other, line.format(thing, word)) for line in NEGATED]
    return tuple(pairs)


SENTENCES = tuple(words(sentence) for _, sentence in make_examples())
WORDS = vocabulary(tuple(word for sentence in SENTENCES for word in sentence))
ANSWERS = torch.tensor([LABELS.index(label) for label, _ in make_examples()])
HELD_OUT = len(SENTENCES) // 5
_LENGTHS = torch.tensor([len(sentence) for sentence in SENTENCES])
LONGEST = int(_LENGTHS.max())
# (sentence, token): True = a word. A place without one has id 0, and no word looks at it.
IS_WORD = torch.arange(LONGEST) < _LENGTHS[:, None]
IDS = torch.zeros(IS_WORD.shape, dtype=torch.int64)
IDS[IS_WORD] = token_ids(tuple(word for sentence in SENTENCES for word in sentence), WORDS)


def split_examples(seed: int) -> tuple[Tensor, Tensor]:
    """Return places of the sentences to learn from and of those held out, a fifth."""
    generator = draws.generator(draws.own_seed(seed, "labelled"))
    order = torch.randperm(len(SENTENCES), generator=generator)
    return order[HELD_OUT:], order[:HELD_OUT]


def lesson(setup: Setup) -> Lesson:
    """Return the lesson whose loss is the cross-entropy on the label."""
    learned, held_out = split_examples(setup.seed)
    at_once = lessons.fit_batch_size(setup, setup.layers, LONGEST)

    def scores(weights: Mapping[str, Tensor], places: Tensor) -> Tensor:
        out, _ = encode(setup, weights, IDS[places], IS_WORD[places], keep=False)
        return logits(weights, out, IS_WORD[places])

    def loss(weights: Mapping[str, Tensor], some: Tensor, batch: Tensor | None = None) -> Tensor:
        given, count = scores(weights, some), len(some if batch is None else batch)
        return F.cross_entropy(given, ANSWERS[some], reduction="sum") / count

    def accuracy(weights: Mapping[str, Tensor], places: Tensor) -> dict[str, float]:
        right = [
            scores(weights, part).argmax(dim=-1) == ANSWERS[part] for part in places.split(at_once)
        ]
        return {"label": torch.cat(right).double().mean().item()}

    return Lesson(
        double(_start(setup)),
        {},
        learned,
        held_out,
        loss,
        accuracy,
        draws.own_seed(setup.seed, "labelled batches"),
        min(setup.steps_taken, max(1, BUDGET // multiplications_of_a_step(setup))),
        at_once=at_once,
    )


def multiplications_of_a_step(setup: Setup) -> int:
    """Return how many numbers one step multiplies, about."""
    return multiplications(setup, setup.layers, LONGEST, BATCH)


def encode(
    setup: Setup, weights: Mapping[str, Tensor], ids: Tensor, is_word: Tensor, keep: bool = True
) -> tuple[Tensor, list[Record]]:
    """Return what the stack hands on for sentences (sentence, token): (sentence, token, d_model),
    and a record for each layer.

    Without `keep` the layers leave no records.
    """
    x = embed(setup, dict(weights), Record(), ids, is_word)
    may_attend = masks.make_padding_mask(is_word) & masks.make_mask(setup, ids.shape[-1])
    return blocks(setup, weights, setup.layers, x, may_attend, keep)


def logits(weights: Mapping[str, Tensor], encoded: Tensor, is_word: Tensor) -> Tensor:
    """A score for each label: (sentence, class)."""
    return attention.project(
        classes.mean_over_words(encoded, is_word), weights["w_c"], weights.get("b_c")
    )


@dataclass(frozen=True, eq=False)
class Judged:
    """What a trained classifier says of the sentences "learned" and "held out".

    Attributes:
        places: of these sentences among all: (sentence,).
        shares: the probability of each label: (sentence, class).
    """

    places: Mapping[str, Tensor]
    shares: Mapping[str, Tensor]

    def right(self, part: str) -> Tensor:
        """Return which of them got their own label: (sentence,)."""
        return self.shares[part].argmax(dim=-1) == ANSWERS[self.places[part]]

    def most_frequent(self, part: str) -> int:
        """Return how many have the label that most of them have."""
        return int(ANSWERS[self.places[part]].bincount().max())


def judge(setup: Setup, weights: Mapping[str, Tensor]) -> Judged:
    """Ask about the sentences that it learned from, and about those held out."""
    places = dict(zip(("learned", "held out"), split_examples(setup.seed), strict=True))
    shares = {part: _shares(setup, weights, of) for part, of in places.items()}
    return Judged(places, shares)


def _shares(setup: Setup, weights: Mapping[str, Tensor], places: Tensor) -> Tensor:
    """Return the probability of each label for some of the sentences: (sentence, class)."""
    given = []
    for part in places.split(BATCH):
        out, _ = encode(setup, weights, IDS[part], IS_WORD[part], keep=False)
        given.append(logits(weights, out, IS_WORD[part]))
    return classes.probabilities(classes.log_softmax(torch.cat(given)))


def looks_at_not(setup: Setup, weights: Mapping[str, Tensor]) -> tuple[Tensor, int]:
    """Return how much of its attention the word after *not* gives to it, in each layer and head, on
    average over the sentences held out that have one: (layer, head). And how many these are."""
    _, held_out = split_examples(setup.seed)
    with_not = held_out[(IDS[held_out] == WORDS.index(NOT)).any(dim=1)]
    _, records = encode(setup, weights, IDS[with_not], IS_WORD[with_not])
    at = (IDS[with_not] == WORDS.index(NOT)).int().argmax(dim=1)
    each = [record.value("weights")[torch.arange(len(at)), :, at + 1, at] for record in records]
    return torch.stack(each).mean(dim=1), len(with_not)


def _start(setup: Setup) -> Weights:
    """Draw what learns as Glorot and Bengio do; the table's rows as those of words that are drawn,
    a row for each place of a sentence."""
    drawn = replace(setup, init="xavier", classes=len(LABELS))
    table = draws.rows_apart(setup.seed, "labelled words", len(WORDS), setup.d_model)
    learned = (
        {"positions": draws.positions(drawn, MAX_TOKENS)} if setup.positions == "learned" else {}
    )
    return (
        {"embedding_table": table} | learned | layers(drawn, setup.layers) | draws.classifier(drawn)
    )
