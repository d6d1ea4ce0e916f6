"""The interface of a source of weights for one setup. Edits are applied later (`edited`)."""

from collections.abc import Sequence
from functools import partial

from torch import Tensor

from ...ops.weight_names import OF_THE_STEPS, Weights
from ...setup.setup import Setup
from ...training import init


class WeightSource:
    """A source of a setup's weights.

    Subclasses must define `table`, `positions`, `layer`, `classifier` and `unembedding`; the
    defaults of the others suit randomly initialised weights.
    """

    is_edited = True  # whether edits apply to these weights
    is_drawn = False  # whether an export samples them rather than loading them

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the table's rows, in order."""
        return self.setup.vocabulary

    @property
    def shapes_like(self) -> Setup:
        """A setup whose weights have the same names and shapes, and are available at once."""
        return self.setup

    @property
    def class_names(self) -> tuple[str, ...]:
        """The names of the classifier's classes."""
        return tuple(f"class {k}" for k in range(1, self.setup.classes + 1))

    @property
    def below_classifier(self) -> "WeightSource":
        """The source of table, positions and layers below the classifier."""
        return self

    def table(self) -> Tensor:
        """Return a row for each of `words`: (word, d_model)."""
        raise NotImplementedError

    def further_words(self, words: tuple[str, ...]) -> Tensor:
        """Return a row for each word that only further sentences have, padding last: (word,
        d_model)."""
        return init.rows_apart(self.setup.seed, "further words", len(words), self.setup.d_model)

    def positions(self, tokens: int) -> Tensor:
        """Return learned positions: (token, d_model)."""
        raise NotImplementedError

    def x(self, tokens: Sequence[str]) -> Tensor | None:
        """Return X of these tokens, (token, d_model), if it is given; None if it is computed."""
        return None

    def projected(self, n: int) -> Weights:
        """Return `q`, `k` (head, token, d_k) and `v` (head, token, d_v) of layer n if they are
        given; else empty. In the seven steps, k and v may be the memory's; then the stack's block
        computes its own."""
        return {}

    def mask(self) -> partial[Tensor]:
        """Return the mask function, (query, key), with everything bound but the number of
        tokens."""
        return self.setup.mask_function

    def around(self, tokens: Sequence[str]) -> Weights:
        """Return the other weights of X and those of the top norm: `part`, a row for each of these
        tokens, `gain_0`, `shift_0`, `gain_top`, `shift_top`."""
        return {}

    def attention(self, n: int) -> Weights:
        """Return the attention weights of the seven steps in layer n, with gain and shift of the
        norms there."""
        of_layer = self.layer(n)
        before = ("gain_1", "shift_1") if self.setup.norm == "pre" else ()
        return {
            name: of_layer[name]
            for name in (*OF_THE_STEPS, "gain_q", "gain_k", "distances", "w_o", "b_o", *before)
            if name in of_layer
        }

    def layer(self, n: int) -> Weights:
        """Return block n of the stack, from 1: attention back to d_model, and the feed-forward
        part."""
        raise NotImplementedError

    def classifier(self) -> Weights:
        """Return `w_c` (d_model, class) and `b_c` (class); empty if there is no classifier."""
        raise NotImplementedError

    def unembedding(self) -> Tensor:
        """Return the separate unembedding: (d_model, word)."""
        raise NotImplementedError
