"""What a source of weights is asked. It answers for one setup; edits come later, the same over all
(`edited`)."""

from collections.abc import Sequence
from functools import partial

from torch import Tensor

from .. import draws, masks
from ..names import OF_THE_STEPS, Weights
from ..setup import Setup


class Source:
    """Where the weights of a setup come from.

    A source has to answer `table`, `positions`, `layer`, `classifier` and `unembedding`; to all
    else there is an answer that fits where weights are simply drawn.
    """

    is_edited = True  # whether a reader's edits are about these weights
    is_drawn = False  # whether an exported script draws them again, or is given the numbers

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    @property
    def words(self) -> tuple[str, ...]:
        """The words that the table has a row for, in their order."""
        return self.setup.vocabulary

    @property
    def shapes_like(self) -> Setup:
        """A setup whose weights have the same names and shapes, and are had at once."""
        return self.setup

    @property
    def class_names(self) -> tuple[str, ...]:
        """What the classifier's classes are called."""
        return tuple(f"class {k}" for k in range(1, self.setup.classes + 1))

    @property
    def below_classifier(self) -> "Source":
        """The source of table, positions and layers that the classifier stands on."""
        return self

    def table(self) -> Tensor:
        """Return a row for each of `words`: (word, d_model)."""
        raise NotImplementedError

    def further_words(self, words: tuple[str, ...]) -> Tensor:
        """Return a row for each word that only further sentences have, padding last: (word,
        d_model)."""
        return draws.rows_apart(self.setup.seed, "further words", len(words), self.setup.d_model)

    def positions(self, tokens: int) -> Tensor:
        """Return a learned row for each place: (token, d_model)."""
        raise NotImplementedError

    def x(self, tokens: Sequence[str]) -> Tensor | None:
        """Return X, a row for each of these tokens, (token, d_model), where it is given; None where
        table and positions make it."""
        return None

    def projected(self, n: int) -> Weights:
        """Return `q`, `k` (head, token, d_k) and `v` (head, token, d_v) of layer n where they are
        given; nothing where weights make them. In the seven steps k and v may be of another
        sentence; a block's asks itself, and makes its own then."""
        return {}

    def mask(self) -> partial[Tensor]:
        """Return the function that says who may look at whom, (query, key), given all but how many
        tokens there are."""
        return masks.function(self.setup)

    def around(self, tokens: Sequence[str]) -> Weights:
        """Return what else X of these tokens is made of, and the norm at the top: `part`, a row for
        each of them, `gain_0`, `shift_0`, `gain_top`, `shift_top`."""
        return {}

    def attention(self, n: int) -> Weights:
        """Return what the seven steps attend with where they are those of layer n, with gain and
        shift of the norms there."""
        of_layer = self.layer(n)
        before = ("gain_1", "shift_1") if self.setup.norm == "pre" else ()
        return {
            name: of_layer[name]
            for name in (*OF_THE_STEPS, "gain_q", "gain_k", "w_o", "b_o", *before)
            if name in of_layer
        }

    def layer(self, n: int) -> Weights:
        """Return block n of the stack, from 1: attention back to d_model, and the feed-forward
        part."""
        raise NotImplementedError

    def classifier(self) -> Weights:
        """Return `w_c` (d_model, class) and `b_c` (class); nothing where there is no classifier."""
        raise NotImplementedError

    def unembedding(self) -> Tensor:
        """Return the matrix of its own that leads to a number for each word: (d_model, word)."""
        raise NotImplementedError
