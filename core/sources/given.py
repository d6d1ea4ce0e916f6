"""Numbers that a reader gives: X or a table, projections, or queries, keys and values at once. What
is not given is drawn."""

from dataclasses import replace

import torch
from torch import Tensor

from .. import draws
from ..importing.values import UserMatrices as Numbers
from ..names import OF_THE_STEPS, PROJECTED, Weights
from ..setup import Setup
from .source import Source

NAMES = (*OF_THE_STEPS, "w_o", "b_o")


class Given(Source):
    """Take what is given as it was typed, in float32; draw the rest as Glorot (Xavier) does."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        assert setup.numbers is not None
        self.numbers: Numbers = setup.numbers
        self.rest = replace(setup, init="xavier", given="", mask="none")

    @property
    def shapes_like(self) -> Setup:
        return self.setup

    def table(self) -> Tensor:
        """Return the row of each word as it was given, of a table or of X; drawn where Q, K and V
        are given at once."""
        numbers, setup = self.numbers, self.setup
        if numbers.projected:
            return draws.draw_embedding_table(self.rest)
        rows = (
            dict(zip(numbers.words, numbers.tensor("table"), strict=True)) if numbers.table else {}
        )
        for name, tokens in {"x": setup.tokens, "memory_x": setup.memory_tokens}.items():
            rows |= (
                dict(zip(tokens, numbers.tensor(name), strict=True))
                if tokens and getattr(numbers, name)
                else {}
            )
        return torch.stack([rows[word] for word in self.words])

    def positions(self, tokens: int) -> Tensor:
        return draws.positions(self.rest, tokens)

    def projected(self, n: int) -> Weights:
        return (
            {name: self.numbers.tensor(name) for name in PROJECTED}
            if self.numbers.projected and n == 1
            else {}
        )

    def attention(self, n: int) -> Weights:
        if n > 1:
            return super().attention(n)
        drawn = (
            draws.layer(self.rest, 1)
            if self.numbers.projected and self.numbers.asks_another
            else {}
        )  # for a sentence alone
        return {name: drawn[name] for name in OF_THE_STEPS if name in drawn} | self._given()

    def _given(self) -> Weights:
        """Return the weights that are given, and a bias of zeros beside each where biases are
        on."""
        given = {name: self.numbers.tensor(name) for name in NAMES if getattr(self.numbers, name)}
        missing = {
            name: torch.zeros(bias.shape)
            for name, bias in self._zeros(given).items()
            if name not in given
        }
        return given | missing

    def layer(self, n: int) -> Weights:
        """Return one block; in the first one what is given stands in place of what is drawn, W_o
        where it leads back to d_model."""
        drawn = draws.layer(self.rest, n)
        if n > 1:
            return drawn
        given = self._given()
        back = "w_o" in given and given["w_o"].shape[-1] == self.setup.d_model
        return drawn | {
            name: weight for name, weight in given.items() if back or name not in ("w_o", "b_o")
        }

    def classifier(self) -> Weights:
        return draws.classifier(self.rest)

    def unembedding(self) -> Tensor:
        return draws.draw_unembedding(self.rest, len(self.words))

    def _zeros(self, given: Weights) -> Weights:
        """Return a bias for each weight, where biases are on: what was not given adds nothing."""
        if self.setup.bias == "off":
            return {}
        return {
            f"b_{name[2:]}": weight[:, 0] if weight.dim() == 3 else weight[0]
            for name, weight in given.items()
            if name[0] == "w"
        }
