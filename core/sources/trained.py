"""Weights that were trained, here, on the small language, on letters or on labelled sentences."""

from dataclasses import replace
from functools import cached_property

import torch
from torch import Tensor

from .. import classification, draws, lessons, training_store
from ..names import OF_THE_STEPS, Weights, layer_of
from ..setup import Setup
from .source import Source


class Trained(Source):
    """Take each weight from what training made of it; what training never saw is drawn."""

    @property
    def shapes_like(self) -> Setup:
        return replace(self.setup, init="xavier", classes=len(self.class_names))

    @property
    def class_names(self) -> tuple[str, ...]:
        return classification.LABELS

    @property
    def below_classifier(self) -> "Source":
        return BelowClassifier(self.setup)

    @cached_property
    def _of_attention(self) -> Weights:
        """What attention alone learned; where a whole stack learned what comes next, all of
        that."""
        return training_store.get(self.setup, "attention").weights

    def table(self) -> Tensor:
        return fit_table(self.setup, self._of_attention["embedding_table"])

    def further_words(self, words: tuple[str, ...]) -> Tensor:
        return lessons.SMALLER * super().further_words(words)

    def positions(self, tokens: int) -> Tensor:
        if self.setup.positions != "learned":
            return draws.positions(self.setup, tokens)
        return fit_positions(self.setup, self._of_attention["positions"], tokens)

    def attention(self, n: int) -> Weights:
        if n > 1:
            return super().attention(n)
        learned = layer_of(self._of_attention, 1) if self.setup.learns_words else self._of_attention
        return {name: learned[name] for name in (*OF_THE_STEPS, "w_o", "b_o") if name in learned}

    def layer(self, n: int) -> Weights:
        of_layer = layer_of(training_store.get(self.setup, "stack").weights, n)
        looks = self._of_attention if n == 1 else {}
        return of_layer | {name: looks[name] for name in OF_THE_STEPS if name in looks}

    def classifier(self) -> Weights:
        learned = training_store.get(self.setup, "labelled").weights
        return {name: learned[name] for name in ("w_c", "b_c") if name in learned}

    def unembedding(self) -> Tensor:
        """Return what answered questions at the word `it`, or said the next word. Words that
        training never saw have a drawn column."""
        name = "unembedding" if self.setup.learns_words else "w_u"
        columns = draws.draw_unembedding(self.setup, len(self.words)).clone()
        columns[:, _was_seen(self.setup)] = training_store.get(self.setup, "stack").weights[
            name
        ]  # both are sorted
        return columns


class BelowClassifier(Source):
    """Take each weight from what learned of labelled sentences: it has words of its own, and no
    edit is about it."""

    is_edited = False

    @property
    def words(self) -> tuple[str, ...]:
        return classification.WORDS

    @cached_property
    def _learned(self) -> Weights:
        return training_store.get(self.setup, "labelled").weights

    def table(self) -> Tensor:
        return self._learned["embedding_table"]

    def positions(self, tokens: int) -> Tensor:
        return self._learned["positions"][:tokens]

    def layer(self, n: int) -> Weights:
        return layer_of(self._learned, n)


def fit_table(setup: Setup, of_language: Tensor) -> Tensor:
    """Return the language's rows (word, d_model) where the setup's vocabulary has these words, a
    drawn one for each other word."""
    rows, was_seen, further = (
        torch.empty(len(setup.vocabulary), setup.d_model),
        _was_seen(setup),
        torch.tensor(setup.only_in_memory),
    )
    rows[was_seen] = of_language  # both are sorted
    unseen = ~was_seen & ~further
    rows[unseen] = lessons.SMALLER * draws.rows_apart(
        setup.seed, "unseen words", int(unseen.sum()), setup.d_model
    )
    rows[further] = lessons.SMALLER * draws.rows_apart(
        setup.seed, "memory words", int(further.sum()), setup.d_model
    )
    return rows


def _was_seen(setup: Setup) -> Tensor:
    """Return for each word of the vocabulary whether training saw it: (word,)."""
    return torch.tensor([word in setup.known for word in setup.vocabulary])


def fit_positions(setup: Setup, of_language: Tensor, tokens: int) -> Tensor:
    """Return as many of the rows that were learned (place, d_model) as there are tokens; past the
    last of them they are drawn."""
    drawn = draws.positions(setup, tokens)
    return torch.cat([of_language[:tokens], lessons.SMALLER * drawn[len(of_language) :]])
