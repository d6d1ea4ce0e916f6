"""Exercises made of a reader's own setup: three for each page, their answers and what usual slips give."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..setup import Setup
from . import block, context, embedding, heads, masks, next_word, projection, scores, training, vocabulary, weights
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
    "next": (next_word.a_logit, next_word.a_share, next_word.a_word),
    "training": (training.a_loss, training.a_running_mean, training.which_way),
}


def of_page(path: str) -> tuple[str, ...]:
    """The names of a page's exercises."""
    return tuple(f"{path}.{place}" for place in range(1, len(MAKERS.get(path, ())) + 1))


OF_THE_FIRST = ("embedding", "training")  # pages whose X is the embedded sentence, whatever layer the seven steps are of
NAMES = tuple(name for path in MAKERS for name in of_page(path))


ATTEMPTS = 6


def make(name: str, setup: Setup, variation: int = 1, sources: Sources | None = None) -> Exercise | Unposed:
    """The exercise of this name for a setup; other variations ask for other places. Raises KeyError for another name.

    Of two variations that follow one another the second asks something else, where there is something else to ask.
    What is `trained` is trained now, if that was not done lately.
    """
    path, _, place = name.partition(".")
    maker, sources = MAKERS[path][int(place) - 1], sources or Sources()
    if path in OF_THE_FIRST:
        setup = replace(setup, layer=1)

    def picked(variation: int, attempt: int = 0) -> Exercise | Unposed:
        return maker(Draft(name, setup, variation, sources, attempt))

    made = picked(variation)
    if variation == 1 or not _asks_the_same(made, picked(variation - 1)):
        return made
    attempts = (picked(variation, attempt) for attempt in range(1, ATTEMPTS + 1))
    others = [other for other in attempts if not _asks_the_same(made, other)]
    if not others:
        return made  # there is nothing to pick
    around = [make(name, setup, variation - 1, sources), picked(variation + 1)]
    return next((other for other in others if not any(_asks_the_same(other, each) for each in around)), others[0])


def _asks_the_same(one: Exercise | Unposed, other: Exercise | Unposed) -> bool:
    if isinstance(one, Unposed) or isinstance(other, Unposed):
        return one == other
    return one.question == other.question and sorted(one.options) == sorted(other.options)


__all__ = [
    "MAKERS", "NAMES", "Exercise", "Opens", "Slip", "Sources", "Span", "Unposed", "Verdict", "judge", "make", "of_page",
    "written",
]  # fmt: skip
