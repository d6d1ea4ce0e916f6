"""Exercises made of a reader's own setup: some for each page, their answers and what usual slips
give."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..question import Question, Unposed
from ..setup import Setup
from . import (
    attribution,
    block,
    context,
    embedding,
    heads,
    masks,
    next_word,
    projection,
    scores,
    training,
    vocabulary,
    weights,
)
from .draft import Draft, Sources

Maker = Callable[[Draft], Question | Unposed]

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
    "next": (
        next_word.a_logit,
        next_word.a_share,
        next_word.a_word,
        attribution.what_a_head_brings,
        attribution.what_brings_most,
        attribution.what_is_left,
    ),
    "training": (training.a_loss,),
}


def of_page(path: str) -> tuple[str, ...]:
    """Return the names of a page's exercises."""
    return tuple(f"{path}.{place}" for place in range(1, len(MAKERS.get(path, ())) + 1))


OF_THE_FIRST = (
    "embedding",
    "training",
)  # pages whose X is the embedded sentence, whatever layer the seven steps are of
NAMES = tuple(name for path in MAKERS for name in of_page(path))
ATTEMPTS = 6  # to ask something else than the variation before


def make(
    name: str, setup: Setup, variation: int = 1, sources: Sources | None = None
) -> Question | Unposed:
    """Make the exercise of this name for a setup; other variations ask for other places. Raises
    KeyError for another name.

    Of two variations that follow one another the second asks something else, where there is
    something else to ask. What is `trained` is trained now, if that was not done lately.
    """
    path, _, place = name.partition(".")
    maker, sources = MAKERS[path][int(place) - 1], sources or Sources()
    if path in OF_THE_FIRST:
        setup = replace(setup, layer=1)

    def picked(variation: int, attempt: int = 0) -> Question | Unposed:
        return maker(Draft(name, setup, variation, sources, attempt))

    made = picked(variation)
    if variation == 1 or not _asks_the_same(made, picked(variation - 1)):
        return made
    attempts = (picked(variation, attempt) for attempt in range(1, ATTEMPTS + 1))
    others = [other for other in attempts if not _asks_the_same(made, other)]
    if not others:
        return made  # there is nothing to pick
    around = [make(name, setup, variation - 1, sources), picked(variation + 1)]
    return next(
        (other for other in others if not any(_asks_the_same(other, each) for each in around)),
        others[0],
    )


# Who asks for a cell that is chosen, by page; where a page shows several things, by what it shows
# too. Concat has the numbers of z.
OF_CELLS: Mapping[str, tuple[str, Maker]] = {
    "embedding": ("embedding.1", embedding.a_row),
    "projection": ("projection.2", projection.a_sum),
    "scores": ("scores.1", scores.a_score),
    "weights": ("weights.2", weights.a_weight),
    "context": ("context.1", context.an_entry),
    "heads each head": ("weights.2", weights.a_weight),
    "heads side by side": ("context.1", context.an_entry),
    "heads mixed by W_o": ("heads.output", heads.an_output),
    "block resid_mid": ("block.1", block.a_residual),
    "block normed_1": ("block.2", block.a_norm),
    "block ffn_activated": ("block.3", block.an_activation),
}
SHOWS = {"heads": "part", "block": "stage"}  # the field that says what a page shows


def of_cell(
    path: str, setup: Setup, places: Mapping[str, str | int], sources: Sources | None = None
) -> Question | Unposed:
    """Make the exercise that asks for one cell of a page: the one that a link's fields choose, and
    none that is drawn.

    Args:
        path: the page: projection (q, k or v, turned where positions turn it), scores (ω), weights
        (α), context (z), heads (α, z or
            y, by its part), embedding (the row that is looked up), block (by its stage). Of another
            page, Unposed.
        setup: what the cell is computed of. places: the fields of a link, by name: head, query,
        key, column and layer from 1; matrix, part and stage in words. What an
            exercise `opens` has those of its own page. Past the last place the last is taken; one
            that is not given is picked.
        sources: where what is computed comes from.
    """
    what = f"{path} {places.get(SHOWS[path], '')}" if path in SHOWS else path
    if what not in OF_CELLS:
        return Unposed(
            path, "No exercise asks for a cell of this figure: open a cell of another one."
        )
    name, maker = OF_CELLS[what]
    return maker(Draft(name, setup, 1, sources or Sources(), chosen=places))


def _asks_the_same(one: Question | Unposed, other: Question | Unposed) -> bool:
    if isinstance(one, Unposed) or isinstance(other, Unposed):
        return one == other
    return one.asks == other.asks and sorted(one.options) == sorted(other.options)
