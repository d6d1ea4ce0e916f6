"""Weights trained here, on the small language, on letters or on labelled sentences."""

from dataclasses import replace
from functools import cached_property

import torch
from torch import Tensor

from ...ops.weight_names import OF_THE_STEPS, Weights, layer_of
from ...setup.setup import Setup
from ...training import classification, init, objectives, training_store
from .weight_source import WeightSource


class Trained(WeightSource):
    """Use trained weights; those of words outside the training set are sampled."""

    @property
    def shapes_like(self) -> Setup:
        return replace(self.setup, init="xavier", classes=len(self.class_names))

    @property
    def class_names(self) -> tuple[str, ...]:
        return classification.LABELS

    @property
    def below_classifier(self) -> "WeightSource":
        return BelowClassifier(self.setup)

    @cached_property
    def _of_attention(self) -> Weights:
        """The weights that attention alone learned; if a whole stack was trained, all of its
        weights."""
        return training_store.get(self.setup, "attention").weights

    def table(self) -> Tensor:
        return fit_table(self.setup, self._of_attention["embedding_table"])

    def further_words(self, words: tuple[str, ...]) -> Tensor:
        return objectives.SMALLER * super().further_words(words)

    def positions(self, tokens: int) -> Tensor:
        if self.setup.positions != "learned":
            return init.positions(self.setup, tokens)
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
        """Return the readout at the word `it`, or the next-word unembedding. Words outside the
        training set have a random column."""
        name = "unembedding" if self.setup.learns_words else "w_u"
        columns = init.draw_unembedding(self.setup, len(self.words)).clone()
        columns[:, _was_seen(self.setup)] = training_store.get(self.setup, "stack").weights[
            name
        ]  # both are sorted
        return columns


class BelowClassifier(WeightSource):
    """Use the weights trained on labelled sentences, which have their own words and no edits."""

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
    """Return the trained rows (word, d_model) for the vocabulary's known words, and random ones for
    others."""
    rows, was_seen, further = (
        torch.empty(len(setup.vocabulary), setup.d_model),
        _was_seen(setup),
        torch.tensor(setup.only_in_memory),
    )
    rows[was_seen] = of_language  # both are sorted
    unseen = ~was_seen & ~further
    rows[unseen] = objectives.SMALLER * init.rows_apart(
        setup.seed, "unseen words", int(unseen.sum()), setup.d_model
    )
    rows[further] = objectives.SMALLER * init.rows_apart(
        setup.seed, "memory words", int(further.sum()), setup.d_model
    )
    return rows


def _was_seen(setup: Setup) -> Tensor:
    """Return whether each word of the vocabulary is in the training set: (word,)."""
    return torch.tensor([word in setup.known for word in setup.vocabulary])


def fit_positions(setup: Setup, of_language: Tensor, tokens: int) -> Tensor:
    """Return this many of the trained positions (place, d_model), and random ones beyond them."""
    drawn = init.positions(setup, tokens)
    return torch.cat([of_language[:tokens], objectives.SMALLER * drawn[len(of_language) :]])
