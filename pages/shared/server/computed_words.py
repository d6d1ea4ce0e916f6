"""What core computed of next words, and of stacks that learned to say them, kept as in `computed`. No Streamlit here."""

from functools import lru_cache

from torch import Tensor

from core import (
    film,
    grown,
    induction,
    next_word,
    reference,
    tasks,
    trace,
    training_store,
)
from core.record import Record
from core.setup import Setup
from pages.shared.server.computed import MOST_STACKS, MOST_TRACES, cached


@cached(2)
def one_more(setup: Setup, word: str, gone: int = 0) -> grown.Grown:
    """The sentence beside the same with one word more, and without `gone` of its first ones."""
    return grown.grown(setup, word, gone)


@cached(MOST_TRACES)
def stepped(setup: Setup, word: str) -> tuple[float, int]:
    """How far the new word's result by itself is from that of the whole sentence's way, and how many numbers are kept then."""
    kept, out, whole = grown.stepped(one_more(setup, word))
    return (out - whole).abs().max().item(), kept.numbers


@lru_cache(maxsize=MOST_STACKS)
def filmed_layers(setup: Setup) -> Tensor:
    """Whom the letters of the setup's row look at, in all layers at each moment: (moment, layer, head, query, key)."""
    return film.of_all_layers(setup, training_store.get(setup, "stack"), induction.own_row(setup))


@lru_cache(maxsize=MOST_TRACES)
def in_a_row(setup: Setup, without: tuple[int, int] | None = None) -> list[Record]:
    """The setup's row of letters through the stack that learned them, a record for each layer; `without` one head, from 0."""
    own = training_store.get(setup, "stack").weights
    used = own if without is None else induction.switched_off(own, *without, heads=setup.heads)
    return induction.through(setup, used, induction.own_row(setup))


@lru_cache(maxsize=MOST_TRACES)
def keys_moved(setup: Setup, place: int) -> Tensor:
    """How far each head's key of a place moves when another letter stands before it: (layer, head)."""
    return induction.keys_moved(setup, training_store.get(setup, "stack").weights, induction.own_row(setup), place)


# These three are the same whatever the sentence: whoever asks leaves it out.
@lru_cache(maxsize=MOST_TRACES)
def measured(setup: Setup) -> induction.Measured:
    """How a stack does that learned letters that begin again, and what its heads look at."""
    return induction.measure(setup, training_store.get(setup, "stack").weights)


@lru_cache(maxsize=MOST_TRACES)
def measured_with_edits(setup: Setup) -> induction.Measured:
    """The same with the setup's edits."""
    return induction.measure(setup, induction.edited(setup))


def course(setup: Setup) -> dict[int, induction.Measured]:
    """The same at each moment of training, by the number of steps: it takes seconds."""
    return dict(induction.course(setup, training_store.get(setup, "stack")))


def without_each(setup: Setup) -> dict[tuple[int, int], induction.Measured]:
    """The same without each head in turn, by layer and head from 0: it takes a while where there are many."""
    return dict(induction.without_each(setup, training_store.get(setup, "stack").weights))


@lru_cache(maxsize=MOST_TRACES)
def surprises(setup: Setup) -> Tensor:
    """The mean cross-entropy of each next word of the language, in nats: (token - 1,)."""
    return tasks.by_place(setup, training_store.get(setup, "stack").weights)


@cached(MOST_TRACES)
def predicted(setup: Setup) -> trace.Trace:
    """Every step from what the stack hands on to one word more."""
    return next_word.predict(setup)


@cached(MOST_TRACES)
def gone_on(setup: Setup, most: int) -> list[str]:
    """The words that come one after another, so many at most."""
    return next_word.go_on(setup, most)


@cached(MOST_TRACES)
def at_every_place(setup: Setup) -> Tensor:
    """The logits after each word of the sentence: (token, word)."""
    return next_word.at_every_place(predicted(setup))


@lru_cache(maxsize=MOST_TRACES)
def loss_by_place(setup: Setup) -> Tensor:
    """The mean cross-entropy of the small language's sentences at each place, in nats: (token − 1,)."""
    return tasks.by_place(setup, training_store.get(setup, setup.task).weights)


@cached(8 * MOST_TRACES)
def next_word_checked(setup: Setup) -> reference.Check:
    """How far the shares of the next word are from PyTorch's."""
    return reference.check_next_word(predicted(setup))
