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


# Which of its page's exercises asks for a cell that is chosen; on the page of the block that hangs on the stage.
OF_CELLS = {"embedding": 1, "projection": 2, "scores": 1, "weights": 2, "context": 1}
OF_STAGES = {"resid_mid": 1, "normed_1": 2, "ffn_activated": 3}


def of_cell(path: str, setup: Setup, places: Mapping[str, str | int], sources: Sources | None = None) -> Exercise | Unposed:
    """The exercise that asks for one cell of a page, the one that a link's fields choose.

    Args:
        path: the page: projection (Q, K or V, turned where positions turn it), scores (ω), weights (α), context (z), embedding
            (the row that is looked up), block (what the stage has). Of another page, Unposed.
        setup: what the cell is computed of.
        places: fields of the page's link by name: head, query, key, column, layer from 1, matrix and stage by name. What an
            exercise has in `opens` is such a mapping. Past the last place the last is taken; a place that is not given is picked.
        sources: where what is computed comes from.
    """
    place = OF_STAGES.get(str(places.get("stage"))) if path == "block" else OF_CELLS.get(path)
    if place is None:
        of_what = "stage: open X + Y, its norm or the activation" if path == "block" else "page's cells"
        return Unposed(path, f"No exercise asks for this {of_what}.")
    setup = replace(setup, layer=1) if path in OF_THE_FIRST else setup
    return MAKERS[path][place - 1](Draft(f"{path}.{place}", setup, 1, sources or Sources(), chosen=places))


def _asks_the_same(one: Exercise | Unposed, other: Exercise | Unposed) -> bool:
    if isinstance(one, Unposed) or isinstance(other, Unposed):
        return one == other
    return one.question == other.question and sorted(one.options) == sorted(other.options)


__all__ = [
    "MAKERS", "NAMES", "Exercise", "Opens", "Slip", "Sources", "Span", "Unposed", "Verdict", "judge", "make", "of_cell",
    "of_page", "written",
]  # fmt: skip
