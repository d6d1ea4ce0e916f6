"""Weights that are drawn from seeds."""

from torch import Tensor

from .. import draws
from ..names import Weights
from .source import Source


class Drawn(Source):
    """Draw each weight as `draws` does."""

    is_drawn = True

    def table(self) -> Tensor:
        return draws.draw_embedding_table(self.setup)

    def positions(self, tokens: int) -> Tensor:
        return draws.positions(self.setup, tokens)

    def attention(self, n: int) -> Weights:
        return draws.projections(self.setup) if n == 1 else super().attention(n)

    def layer(self, n: int) -> Weights:
        return draws.layer(self.setup, n)

    def classifier(self) -> Weights:
        return draws.classifier(self.setup)

    def unembedding(self) -> Tensor:
        return draws.draw_unembedding(self.setup, len(self.words))
