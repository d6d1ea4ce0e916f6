"""What a classifier learns from labelled sentences: table, positions, every block and W_c, from
nothing.

A fifth of the sentences is held out: it is only ever asked about. All of it runs through the same
steps as the pages do.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor

from . import attention, classes, draws, labelled, lessons, masks
from .labelled import Reading
from .lessons import BUDGET, blocks, double, layers, multiplications
from .model import embed
from .names import Weights
from .record import Record
from .sentences import MOST_TOKENS
from .setup import Setup
from .text import SPLITTERS, token_ids, vocabulary
from .training import BATCH, Lesson

HELD_OUT = 5  # one of so many
MOST_NUMBERS = 12_000_000  # that the sentences of one step may make on their way
NOT = "not"


@dataclass(frozen=True, eq=False)
class Examples:
    """Labelled sentences as tensors, filled up on the right.

    Attributes:
        reading: their words and labels.
        words: the vocabulary, sorted.
        ids: (sentence, token); a place without a word has id 0, and no word looks at it.
        is_word: (sentence, token), True = a word.
        answers: the place of the right label: (sentence,).
    """

    reading: Reading
    words: tuple[str, ...]
    ids: Tensor
    is_word: Tensor
    answers: Tensor

    def of(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Return ids and `is_word` of some of them, no longer than the longest of these."""
        is_word = self.is_word[places]
        longest = int(is_word.sum(dim=1).max())
        return self.ids[places, :longest], is_word[:, :longest]


def examples(setup: Setup) -> Examples:
    """Return the sentences that a setup learns from."""
    return _examples(labelled.read(setup.labelled, setup.split), setup.split)


@lru_cache(maxsize=4)
def _examples(reading: Reading, split: str) -> Examples:
    tokens = [SPLITTERS[split](sentence) for sentence in reading.sentences]
    words = vocabulary(tuple(token for sentence in tokens for token in sentence))
    lengths = torch.tensor([len(sentence) for sentence in tokens])
    is_word = torch.arange(int(lengths.max())) < lengths[:, None]
    ids = torch.zeros(is_word.shape, dtype=torch.int64)
    ids[is_word] = token_ids(tuple(token for sentence in tokens for token in sentence), words)
    return Examples(reading, words, ids, is_word, torch.tensor(reading.answers))


def learned_and_held_out(answers: Tensor, seed: int) -> tuple[Tensor, Tensor]:
    """Return places of the sentences to learn from and of those held out, a fifth; of each label at
    least one is learned from."""
    order = torch.randperm(
        len(answers), generator=draws.generator(draws.own_seed(seed, "labelled"))
    ).tolist()
    left = answers.bincount().tolist()
    wanted, held_out = max(1, len(answers) // HELD_OUT), list[int]()
    for place in order:
        label = int(answers[place])
        if len(held_out) < wanted and left[label] > 1:
            held_out.append(place)
            left[label] -= 1
    learned = [place for place in order if place not in {*held_out}]
    return torch.tensor(learned), torch.tensor(held_out, dtype=torch.int64)


def asked(setup: Setup) -> tuple[Tensor, Tensor]:
    """Return, of the sentences learned from and of those held out, the first that can be asked
    about in the time that there is."""
    own = examples(setup)
    each = multiplications(setup, setup.layers, own.ids.shape[1], 1) // 3  # forward only
    most = max(1, BUDGET // 4 // each)
    learned, held_out = learned_and_held_out(own.answers, setup.seed)
    return learned[:most], held_out[:most]


def lesson(setup: Setup) -> Lesson:
    """Return the lesson whose loss is the cross-entropy on the label, in batches of 32; of fewer
    where so many would take too much memory."""
    own = examples(setup)
    learned, _ = learned_and_held_out(own.answers, setup.seed)
    at_once = lessons.at_once(setup, setup.layers, own.ids.shape[1])

    def scores(weights: Mapping[str, Tensor], places: Tensor) -> Tensor:
        out, _ = encode(setup, weights, *own.of(places), keep=False)
        return logits(weights, out, own.of(places)[1])

    def loss(weights: Mapping[str, Tensor], some: Tensor, batch: Tensor | None = None) -> Tensor:
        given = scores(weights, some)
        return F.cross_entropy(given, own.answers[some], reduction="sum") / len(
            some if batch is None else batch
        )

    def accuracy(weights: Mapping[str, Tensor], places: Tensor) -> dict[str, float]:
        if not len(places):
            return {}
        right = [
            scores(weights, part).argmax(dim=-1) == own.answers[part]
            for part in places.split(at_once)
        ]
        return {"label": torch.cat(right).double().mean().item()}

    steps = min(setup.steps_taken, max(1, BUDGET // multiplications_of_a_step(setup)))
    return Lesson(
        double(_start(setup, own)),
        {},
        learned,
        asked(setup)[1],
        loss,
        accuracy,
        draws.own_seed(setup.seed, "labelled batches"),
        steps,
        batch=_in_a_batch(setup, own),
        at_once=at_once,
    )


def multiplications_of_a_step(setup: Setup) -> int:
    """Return how many numbers one step multiplies, about."""
    own = examples(setup)
    return multiplications(setup, setup.layers, own.ids.shape[1], _in_a_batch(setup, own))


def _in_a_batch(setup: Setup, own: Examples) -> int:
    """Return how many sentences one step learns from."""
    return max(
        1, min(BATCH, MOST_NUMBERS // lessons.numbers(setup, setup.layers, own.ids.shape[1]))
    )


def encode(
    setup: Setup, weights: Mapping[str, Tensor], ids: Tensor, is_word: Tensor, keep: bool = True
) -> tuple[Tensor, list[Record]]:
    """Return what the stack hands on for sentences (sentence, token): (sentence, token, d_model),
    and a record for each layer.

    Without `keep` the layers leave no records.
    """
    x = embed(setup, dict(weights), Record(), ids, is_word)
    may_attend = masks.padding(is_word) & masks.of(setup, ids.shape[-1])
    return blocks(setup, weights, setup.layers, x, may_attend, keep)


def logits(weights: Mapping[str, Tensor], encoded: Tensor, is_word: Tensor) -> Tensor:
    """A score for each label: (sentence, class)."""
    return attention.project(
        classes.mean_over_words(encoded, is_word), weights["w_c"], weights.get("b_c")
    )


@dataclass(frozen=True, eq=False)
class Judged:
    """What a trained classifier says of the sentences that it learned from and of those that were
    held out.

    Attributes:
        reading: the sentences with their labels. learned: places of the first that it learned from
        (sentence,), as many as there is time to ask about. held_out: places of the first that were
        held out. shares: by these two names, the probability of each label: (sentence, class).
    """

    reading: Reading
    learned: Tensor
    held_out: Tensor
    shares: Mapping[str, Tensor]

    def places(self, part: str) -> Tensor:
        """Return the places of "learned" or "held out"."""
        return self.held_out if part == "held out" else self.learned

    def right(self, part: str) -> Tensor:
        """Return which of them got their own label: (sentence,)."""
        return (
            self.shares[part].argmax(dim=-1)
            == torch.tensor(self.reading.answers)[self.places(part)]
        )

    def confusion(self, part: str) -> Tensor:
        """Return how many sentences of each label got which: (label, answer)."""
        counts = torch.zeros(len(self.reading.labels), len(self.reading.labels))
        own = torch.tensor(self.reading.answers)[self.places(part)]
        return counts.index_put(
            (own, self.shares[part].argmax(dim=-1)), torch.ones(len(own)), accumulate=True
        )

    def listed(self, part: str, most: int, fewest: int) -> list[int]:
        """Return which of them to show, by their row in `shares`: up to `most` that got another
        label, filled up to `fewest` with right ones, of which those with a *not* come first."""
        right, places = self.right(part).tolist(), self.places(part).tolist()
        order = sorted(
            range(len(right)),
            key=lambda k: (right[k], NOT not in self.reading.sentences[places[k]].split()),
        )
        return order[: max(fewest, min(most, right.count(False)))]


def judge(setup: Setup, weights: Mapping[str, Tensor]) -> Judged:
    """Ask about the sentences that it learned from, and about those held out."""
    learned, held_out = asked(setup)
    given = {
        "learned": _shares(setup, weights, learned),
        "held out": _shares(setup, weights, held_out),
    }
    return Judged(examples(setup).reading, learned, held_out, given)


def _shares(setup: Setup, weights: Mapping[str, Tensor], places: Tensor) -> Tensor:
    """Return the probability of each label for some of the sentences: (sentence, class)."""
    own = examples(setup)
    given = [torch.empty(0, len(own.reading.labels))]
    for part in places.split(BATCH) if len(places) else ():
        ids, is_word = own.of(part)
        given.append(logits(weights, encode(setup, weights, ids, is_word, keep=False)[0], is_word))
    return classes.probabilities(classes.log_softmax(torch.cat(given)))


def looks_at_not(setup: Setup, weights: Mapping[str, Tensor]) -> tuple[Tensor, int]:
    """Return how much of its attention the word after *not* gives to it, in each layer and head, on
    average over the sentences held out that have one: (layer, head). And how many these are; where
    there is none, the tensor is empty."""
    own = examples(setup)
    _, held_out = asked(setup)
    if NOT not in own.words:
        return torch.empty(0), 0
    with_not = [
        place for place in held_out.tolist() if NOT in own.reading.sentences[place].split()[:-1]
    ]
    if not with_not:
        return torch.empty(0), 0
    ids, is_word = own.of(torch.tensor(with_not))
    _, records = encode(setup, weights, ids, is_word)
    at = (ids == own.words.index(NOT)).int().argmax(dim=1)
    each = [record.value("weights")[torch.arange(len(at)), :, at + 1, at] for record in records]
    return torch.stack(each).mean(dim=1), len(with_not)


def _start(setup: Setup, own: Examples) -> Weights:
    """Draw what learns as Glorot and Bengio do; the table's rows as those of words that are drawn,
    a row for each place of a sentence."""
    drawn = replace(setup, init="xavier", classes=len(own.reading.labels))
    table = draws.rows_apart(setup.seed, "labelled words", len(own.words), setup.d_model)
    learned = (
        {"positions": draws.positions(drawn, MOST_TOKENS)} if setup.positions == "learned" else {}
    )
    return (
        {"embedding_table": table} | learned | layers(drawn, setup.layers) | draws.classifier(drawn)
    )
