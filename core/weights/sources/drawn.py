"""Randomly initialised weights."""

from torch import Tensor

from ...ops.weight_names import Weights
from ...training import init
from .weight_source import WeightSource


class Drawn(WeightSource):
    """Sample each weight by `draws`."""

    is_drawn = True

    def table(self) -> Tensor:
        return init.draw_embedding_table(self.setup)

    def positions(self, tokens: int) -> Tensor:
        return init.positions(self.setup, tokens)

    def attention(self, n: int) -> Weights:
        return init.projections(self.setup) if n == 1 else super().attention(n)

    def layer(self, n: int) -> Weights:
        return init.layer(self.setup, n)

    def classifier(self) -> Weights:
        return init.classifier(self.setup)

    def unembedding(self) -> Tensor:
        return init.draw_unembedding(self.setup, len(self.words))
