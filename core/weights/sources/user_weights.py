"""Numbers that the user gives: X or a table, projections, or queries, keys and values directly.
Everything else is sampled."""

from dataclasses import replace

import torch
from torch import Tensor

from ...fields.user_matrices import UserMatrices as Numbers
from ...ops.weight_names import OF_THE_STEPS, PROJECTED, Weights
from ...setup.setup import Setup
from ...training import init
from .weight_source import WeightSource

NAMES = (*OF_THE_STEPS, "w_o", "b_o")


class UserWeights(WeightSource):
    """Use the given numbers in float32, and Xavier initialisation for the rest."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        assert setup.numbers is not None
        self.numbers: Numbers = setup.numbers
        self.rest = replace(setup, init="xavier", given="", mask="none")

    @property
    def shapes_like(self) -> Setup:
        return self.setup

    def table(self) -> Tensor:
        """Return each word's given row, of a table or of X; sampled if Q, K and V are given
        directly."""
        numbers, setup = self.numbers, self.setup
        if numbers.projected:
            return init.draw_embedding_table(self.rest)
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
        return init.positions(self.rest, tokens)

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
            init.layer(self.rest, 1) if self.numbers.projected and self.numbers.asks_another else {}
        )  # in self-attention
        return {name: drawn[name] for name in OF_THE_STEPS if name in drawn} | self._given()

    def _given(self) -> Weights:
        """Return the given weights, with zero biases for them if biases are on."""
        given = {name: self.numbers.tensor(name) for name in NAMES if getattr(self.numbers, name)}
        missing = {
            name: torch.zeros(bias.shape)
            for name, bias in self._zeros(given).items()
            if name not in given
        }
        return given | missing

    def layer(self, n: int) -> Weights:
        """Return one block; in the first, given weights replace sampled ones, W_o only if it
        projects to d_model."""
        drawn = init.layer(self.rest, n)
        if n > 1:
            return drawn
        given = self._given()
        back = "w_o" in given and given["w_o"].shape[-1] == self.setup.d_model
        return drawn | {
            name: weight for name, weight in given.items() if back or name not in ("w_o", "b_o")
        }

    def classifier(self) -> Weights:
        return init.classifier(self.rest)

    def unembedding(self) -> Tensor:
        return init.draw_unembedding(self.rest, len(self.words))

    def _zeros(self, given: Weights) -> Weights:
        """Return a tensor of each bias's shape, if biases are on: a bias that is not given is 0."""
        if self.setup.bias == "off":
            return {}
        return {
            f"b_{name[2:]}": weight[:, 0] if weight.dim() == 3 else weight[0]
            for name, weight in given.items()
            if name[0] == "w"
        }
