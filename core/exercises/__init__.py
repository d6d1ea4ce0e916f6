"""Exercises made of a reader's own setup: three for each page, their answers and what usual slips give."""

from collections.abc import Callable, Mapping

from ..setup import Setup
from . import block, context, embedding, heads, masks, projection, scores, training, vocabulary, weights
from .draft import Draft, Sources
from .exercise import Exercise, Opens, Slip, Span, Unposed, written
from .verdict import Verdict, judge

Maker = Callable[[Draft], Exercise | Unposed]

# By page, in their order: scores.2 is the second of scores.
MAKERS: Mapping[str, tuple[Maker, ...]] = {
    "vocabulary": (vocabulary.an_id, vocabulary.a_new_word, vocabulary.what_leaves_ids_alone),
    "embedding": (embedding.a_row, embedding.a_wave, embedding.parameters),
    "projection": (projection.a_product, projection.a_sum, projection.a_shape),
    "scores": (scores.a_score, scores.rows_and_columns, scores.a_longer_key),
    "weights": (weights.a_scaled_score, weights.a_weight, weights.what_moves_weights),
    "context": (context.an_entry, context.who_gives_most, context.a_larger_value),
    "heads": (heads.the_shape_of_concat, heads.a_column_of_concat, heads.parameters),
    "masks": (masks.how_many_keys, masks.a_shape, masks.a_causal_weight),
    "block": (block.a_residual, block.a_norm, block.an_activation),
    "training": (training.a_loss, training.a_running_mean, training.which_way),
}


def of_page(path: str) -> tuple[str, ...]:
    """The names of a page's exercises."""
    return tuple(f"{path}.{place}" for place in range(1, len(MAKERS.get(path, ())) + 1))


NAMES = tuple(name for path in MAKERS for name in of_page(path))


def make(name: str, setup: Setup, variation: int = 1, sources: Sources | None = None) -> Exercise | Unposed:
    """The exercise of this name for a setup; other variations ask for other places. Raises KeyError for another name.

    What is `trained` is trained now, if that was not done lately.
    """
    path, _, place = name.partition(".")
    return MAKERS[path][int(place) - 1](Draft(name, setup, variation, sources or Sources()))


__all__ = [
    "MAKERS", "NAMES", "Exercise", "Opens", "Slip", "Sources", "Span", "Unposed", "Verdict", "judge", "make", "of_page",
    "written",
]  # fmt: skip
