"""Weights read from a real model's files."""

from collections.abc import Sequence

import torch
from torch import Tensor

from ...ops.weight_names import Weights
from ...pretrained import Pretrained
from ...setup.setup import Setup
from .weight_source import WeightSource


class Read(WeightSource):
    """Read each weight of the setup's model. It has no classifier, and its unembedding is its
    table."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        assert setup.real is not None
        self.model: Pretrained = setup.real

    def table(self) -> Tensor:
        return self.model.embedding_table(self.words)

    def further_words(self, words: tuple[str, ...]) -> Tensor:
        return torch.cat([self.model.embedding_table(words[:-1]), self.model.padding()])

    def positions(self, tokens: int) -> Tensor:
        return self.model.positions(tokens)

    def around(self, tokens: Sequence[str]) -> Weights:
        return self.model.around | self.model.parts(tokens)

    def layer(self, n: int) -> Weights:
        return self.model.layer(n)

    def classifier(self) -> Weights:
        return {}
