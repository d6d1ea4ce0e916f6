"""Apply a user's edits to the weights of any source."""

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor

from ...ops.weight_names import OF_THE_STEPS, PROJECTED, Weights
from ...setup.edits import put_in
from .weight_source import WeightSource


class Edited:
    """A source's weights with the user's edits applied."""

    def __init__(self, source: WeightSource) -> None:
        self.source, self.setup = source, source.setup
        self.words, self.around, self.mask = source.words, source.around, source.mask

    def table(self) -> Tensor:
        """Return a row for each of `words`: (word, d_model)."""
        return self._edited({"embedding_table": self.source.table()})["embedding_table"]

    def table_of_batch(self, further_words: tuple[str, ...]) -> Tensor:
        """Return the table with rows for words only in further sentences appended, padding last:
        (word, d_model)."""
        return torch.cat([self.table(), self.source.further_words(further_words)])

    def positions(self, tokens: int) -> Tensor:
        """Return learned positions: (token, d_model)."""
        return self._edited({"positions": self.source.positions(tokens)})["positions"]

    def x(self, tokens: Sequence[str]) -> Weights:
        """Return `x` (token, d_model) if it is given instead of computed; else empty."""
        rows = self.source.x(tokens)
        return {} if rows is None else {"x": rows}

    def embedding(self, tokens: Sequence[str]) -> Weights:
        """Return the weights that X is computed from, as in `weights.get_embedding`."""
        setup = self.setup
        if given := self.x(tokens):
            return given | ({"memory_x": self.x(setup.memory_tokens)["x"]} if setup.memory else {})
        made_of = {"embedding_table": self.table()}
        if setup.positions == "learned":  # positions count from each sentence's first word
            rows = self.positions(max(len(tokens), len(setup.memory_tokens)))
            made_of["positions"] = rows[: len(tokens)]
            if setup.memory:
                made_of["memory_positions"] = rows[: len(setup.memory_tokens)]
        return made_of | self.around(tokens)

    def may_attend(self, tokens: int) -> Tensor:
        """Return the mask of a sentence of this many tokens: (query, key)."""
        return self.mask()(tokens)

    def mask_in_steps(self) -> partial[Tensor]:
        """Return the mask function of the seven steps, with the number of keys bound in
        cross-attention."""
        keys = len(self.setup.memory_tokens)
        return partial(self.mask(), keys=keys) if keys else self.mask()

    def may_attend_in_steps(self) -> Tensor:
        """Return the mask of the seven steps: (query, key)."""
        return self.mask_in_steps()(len(self.setup.tokens))

    def attention(self, alone: bool = False) -> Weights:
        """Return the attention weights of the seven steps, in the setup's layer; with `alone`, for
        self-attention only."""
        n = self.setup.layer
        return self._edited(
            self._given_at_once(self.source.attention(n), n, alone), "" if n == 1 else f"layer{n}."
        )

    def layer(self, n: int) -> Weights:
        """Return one block of the stack. The weights that layer 1 shares with the seven steps have
        the edits of those."""
        of_layer = self._given_at_once(self.source.layer(n), n, alone=True)
        of_steps = {
            name: of_layer[name]
            for name in (*OF_THE_STEPS, *PROJECTED)
            if name in of_layer and n == 1
        }
        others = {name: weight for name, weight in of_layer.items() if name not in of_steps}
        return of_layer | self._edited(of_steps) | self._edited(others, f"layer{n}.")

    def layers(self) -> tuple[Weights, ...]:
        """Return every block of the stack, from the lowest."""
        return tuple(self.layer(n) for n in range(1, self.setup.layers + 1))

    def classifier(self) -> Weights:
        """Return w_c (d_model, class), and b_c (class) if biases are on."""
        return self._edited(self.source.classifier())

    def unembedding(self) -> Tensor:
        """Return the unembedding, if it is a separate matrix: (d_model, word)."""
        return self._edited({"unembedding": self.source.unembedding()})["unembedding"]

    def _given_at_once(self, weights: Weights, n: int, alone: bool) -> Weights:
        """Return layer n's weights, with given queries, keys or values in place of the weights for
        them. Self-attention ignores keys and values given for cross-attention."""
        given = self.source.projected(n)
        if alone and given and given["q"].shape[-2] != given["k"].shape[-2]:
            return weights
        return {name: weight for name, weight in weights.items() if name[2:] not in given} | given

    def _edited(self, weights: Weights, prefix: str = "") -> Weights:
        return (
            put_in(weights, self.setup.changes, prefix)
            if self.source.is_edited and self.setup.edits
            else weights
        )
