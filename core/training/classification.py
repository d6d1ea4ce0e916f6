"""A classifier trained on 160 labelled sentences: table, positions, every block and W_c.

A fifth of the sentences is held out for testing. All of it uses the same steps as the pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor

from ..fields.sentences import MAX_TOKENS
from ..layers.model import embed
from ..ops import attention, classes, masks
from ..ops.weight_names import Weights
from ..setup.setup import Setup
from ..text.text import token_ids, vocabulary, words
from ..trace.record import TraceBuilder
from . import init, objectives
from .objectives import BUDGET, blocks, double, layers, multiplications
from .training import BATCH, Objective

LABELS = ("bad", "good")
GOOD, BAD = ("good", "great", "nice", "fine"), ("bad", "awful", "poor", "dull")
PLAIN = ("the {} was {}", "the {} was {} today", "the {} was very {}")
NEGATED = ("the {} was not {}", "the {} was not {} today")
NOT = "not"


def make_examples() -> tuple[tuple[str, str], ...]:
    """Return labels and sentences on four subjects. *not* reverses a sentence's label, so the model
    has to attend to it.

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
# (sentence, token): True = a word. Padding has id 0 and is masked.
IS_WORD = torch.arange(LONGEST) < _LENGTHS[:, None]
IDS = torch.zeros(IS_WORD.shape, dtype=torch.int64)
IDS[IS_WORD] = token_ids(tuple(word for sentence in SENTENCES for word in sentence), WORDS)


def split_examples(seed: int) -> tuple[Tensor, Tensor]:
    """Return the indices of the training sentences and of the held-out fifth."""
    generator = init.generator(init.own_seed(seed, "labelled"))
    order = torch.randperm(len(SENTENCES), generator=generator)
    return order[HELD_OUT:], order[:HELD_OUT]


def lesson(setup: Setup) -> Objective:
    """Return the training whose loss is the cross-entropy of the label."""
    learned, held_out = split_examples(setup.seed)
    at_once = objectives.fit_batch_size(setup, setup.layers, LONGEST)

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

    return Objective(
        double(_start(setup)),
        {},
        learned,
        held_out,
        loss,
        accuracy,
        init.own_seed(setup.seed, "labelled batches"),
        min(setup.steps_taken, max(1, BUDGET // multiplications_of_a_step(setup))),
        at_once=at_once,
    )


def multiplications_of_a_step(setup: Setup) -> int:
    """Return the approximate number of multiplications in one training step."""
    return multiplications(setup, setup.layers, LONGEST, BATCH)


def encode(
    setup: Setup, weights: Mapping[str, Tensor], ids: Tensor, is_word: Tensor, keep: bool = True
) -> tuple[Tensor, list[TraceBuilder]]:
    """Return the stack's output for sentences (sentence, token): (sentence, token, d_model), and a
    record for each layer.

    Without `keep`, no records are returned.
    """
    x = embed(setup, dict(weights), TraceBuilder(), ids, is_word)
    may_attend = masks.make_padding_mask(is_word) & setup.mask_function(ids.shape[-1])
    return blocks(setup, weights, setup.layers, x, may_attend, keep)


def logits(weights: Mapping[str, Tensor], encoded: Tensor, is_word: Tensor) -> Tensor:
    """Return a logit for each label: (sentence, class)."""
    return attention.project(
        classes.mean_over_words(encoded, is_word), weights["w_c"], weights.get("b_c")
    )


@dataclass(frozen=True, eq=False)
class Judged:
    """A trained classifier's predictions on the sentences "learned" and "held out".

    Attributes:
        places: the indices of these sentences: (sentence,).
        shares: the probability of each label: (sentence, class).
    """

    places: Mapping[str, Tensor]
    shares: Mapping[str, Tensor]

    def right(self, part: str) -> Tensor:
        """Return which sentences are classified correctly: (sentence,)."""
        return self.shares[part].argmax(dim=-1) == ANSWERS[self.places[part]]

    def most_frequent(self, part: str) -> int:
        """Return the size of the majority class."""
        return int(ANSWERS[self.places[part]].bincount().max())


def judge(setup: Setup, weights: Mapping[str, Tensor]) -> Judged:
    """Classify the training sentences and the held-out ones."""
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
    """Return the mean attention weight from the word after *not* to *not*, for each layer and head,
    over the held-out sentences that have one: (layer, head); and their number."""
    _, held_out = split_examples(setup.seed)
    with_not = held_out[(IDS[held_out] == WORDS.index(NOT)).any(dim=1)]
    _, records = encode(setup, weights, IDS[with_not], IS_WORD[with_not])
    at = (IDS[with_not] == WORDS.index(NOT)).int().argmax(dim=1)
    each = [record.value("weights")[torch.arange(len(at)), :, at + 1, at] for record in records]
    return torch.stack(each).mean(dim=1), len(with_not)


def _start(setup: Setup) -> Weights:
    """Initialise the weights as Glorot and Bengio do; the table has normal rows from its own seed,
    learned positions a row for each position of a sentence."""
    drawn = replace(setup, init="xavier", classes=len(LABELS))
    table = init.rows_apart(setup.seed, "labelled words", len(WORDS), setup.d_model)
    learned = (
        {"positions": init.positions(drawn, MAX_TOKENS)} if setup.positions == "learned" else {}
    )
    return (
        {"embedding_table": table} | learned | layers(drawn, setup.layers) | init.classifier(drawn)
    )
