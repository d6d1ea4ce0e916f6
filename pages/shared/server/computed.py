"""What core computed for a setup, kept for a while for all visitors. No Streamlit here."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor

from core import (
    attribution,
    batch,
    classification,
    classifier,
    encoder,
    filling,
    film,
    induction,
    next_word,
    purpose,
    reference,
    roles,
    sampled,
    shuffle,
    spread,
    tasks,
    ties,
    trace,
    training_store,
    weights,
)
from core.edits import Edit
from core.names import Weights
from core.record import Record
from core.setup import Setup
from core.training import Trained
from pages.shared.server.kept import Kept

# What was computed is kept for a while: a click changes what is looked at and no number, and the
# same setup is the same trace. Few of what is large: a stack of six layers at the largest setup
# takes 20 MB. `kept` bounds all of them together.
MOST_TRACES, MOST_STACKS = 32, 3
MOST_LAYERS = 6 * MOST_STACKS

Compute = TypeVar("Compute", bound=Callable)


def cached(most: int) -> Callable[[Compute], Compute]:
    """Keep the last `most` results that were asked for. Not for what is trained: torch prepares for
    no gradient here."""
    return lambda compute: Kept(torch.inference_mode()(compute), most)


def of_trained(part: str, most: int = MOST_TRACES) -> Callable[[Callable], Callable[..., Any]]:
    """Keep the last `most` results of what takes a setup and what was trained for it; whoever asks
    leaves the second out.

    It is looked up here. If it were asked with it, this cache would keep it in memory after
    `training_store` has dropped it.
    """
    return lambda compute: Kept(
        lambda setup, *more: compute(setup, training_store.get(setup, part), *more), most
    )


# ---------- one sentence ----------

traced = cached(MOST_TRACES)(trace.run)
embedded = cached(MOST_TRACES)(
    trace.embedded
)  # for a page that shows a stack and not the seven steps
projections = cached(MOST_STACKS)(
    partial(weights.projections, alone=True)
)  # of a sentence, or several, that ask themselves
edits_that_do_not_fit = cached(MOST_TRACES)(weights.edits_that_do_not_fit)
sampled_scores = cached(MOST_TRACES)(sampled.sample)


def edits_that_fit(setup: Setup) -> tuple[Edit, ...]:
    """Return the edits of weights that count, in the order in which they are put in."""
    return (
        tuple(edit for edit in setup.changes if edit not in edits_that_do_not_fit(setup))
        if setup.changes
        else ()
    )


@cached(MOST_TRACES)
def weighed(setup: Setup) -> trace.Trace:
    """Compute the sentence by itself up to its weights: all that a page needs which goes no
    further."""
    return trace.weighed(setup, projections(setup))


@cached(MOST_TRACES)
def spreads(setup: Setup) -> list[spread.Spread]:
    """Measure how scores and weights spread as d_k grows."""
    of = traced(setup)
    return spread.measure(setup, of.value("x"), of.value("memory_x") if setup.memory else None)


@cached(8 * MOST_TRACES)
def checked(setup: Setup, name: str) -> reference.Check:
    """Compare one entry with PyTorch's own function on the same weights."""
    return reference.check(traced(setup), name)


# ---------- all sentences at once ----------

classified = cached(MOST_STACKS)(classifier.classify)
sentence_vectors = cached(MOST_TRACES)(purpose.sentence_vectors)


@cached(MOST_STACKS)
def batch_weighed(setup: Setup) -> batch.Batch:
    """Compute all sentences at once, up to their weights."""
    return batch.weighed(setup, projections(setup))


@cached(MOST_STACKS)
def batched(setup: Setup) -> batch.Batch:
    """Compute all sentences at once, up to the output."""
    return batch.to_the_output(batch_weighed(setup), projections(setup))


@cached(MOST_TRACES)
def batch_checked(setup: Setup) -> reference.Check:
    """Compare the weights of the whole batch with PyTorch's."""
    weighed = batch_weighed(setup)
    return reference.check_batch(weighed.trace, weighed.may_attend)


@cached(8 * MOST_TRACES)
def classes_checked(setup: Setup, sentence: int) -> reference.Check:
    """Compare the classifier's answer to one sentence, from 0, with PyTorch's to it alone."""
    answer = classified(setup)
    of_words = answer.batch.trace.value("x")[sentence][answer.batch.is_word[sentence]]
    return reference.check_classes(answer.sentence(sentence), answer.weights, of_words)


# ---------- a stack ----------


@cached(MOST_LAYERS)
def layer_weights(setup: Setup, n: int) -> Weights:
    """Return the weights of one layer of the stack, from 1."""
    return weights.layer(setup, n)


def layer(setup: Setup, n: int) -> trace.Trace:
    """Compute what one layer of the stack, from 1, made of the sentence. Those above it are neither
    drawn nor computed."""
    return (_layer if setup.real is None else _layer_of_a_model)(setup, n)


def _made(setup: Setup, n: int) -> trace.Trace:
    x = embedded(setup).value("x") if n == 1 else layer(setup, n - 1).value("out")
    (made,) = encoder.stack(setup, (layer_weights(setup, n),), x, _may_attend(setup))
    return made


# A model that is read has many layers, and its weights are no part of what is kept.
_layer, _layer_of_a_model = cached(MOST_LAYERS)(_made), cached(2 * ties.MOST_LAYERS)(_made)


def stacked(setup: Setup) -> tuple[tuple[Weights, ...], tuple[trace.Trace, ...]]:
    """Return the weights of every layer, and what each layer made of the sentence."""
    each = range(1, setup.layers + 1)
    return tuple(layer_weights(setup, n) for n in each), tuple(layer(setup, n) for n in each)


def _may_attend(setup: Setup) -> Tensor:
    """Return who may look at whom in the sentence: (query, key)."""
    return weights.may_attend(setup, len(setup.tokens))


@cached(MOST_TRACES)
def handed_on(setup: Setup) -> dict[str, list[Tensor]]:
    """Compute what each layer hands on (token, d_model) with post-norm and with pre-norm, from the
    same weights."""
    of_layers, layers = stacked(setup)
    return encoder.under_both_norms(setup, of_layers, layers, _may_attend(setup))


@cached(8 * MOST_TRACES)
def layer_checked(setup: Setup, n: int) -> reference.Check:
    """Compare one layer of the stack, from 1, with PyTorch's on the same input and weights."""
    return reference.check_layer(layer(setup, n), _may_attend(setup))


@cached(MOST_STACKS)
def shuffled(setup: Setup) -> shuffle.Shuffled:
    """Make the experiment with the words in another order."""
    of_layers, layers = stacked(setup)
    return shuffle.shuffle(
        setup, of_layers, embedded(setup).value("embedded"), layers[-1].value("out")
    )


# ---------- the next word ----------

predicted = said = cached(MOST_TRACES)(
    filling.say
)  # the next word; of a model that looks both ways the one at [MASK]
filled_checked = cached(8 * MOST_TRACES)(lambda setup: reference.check_filled(said(setup)))
gone_on = cached(MOST_TRACES)(next_word.go_on)
next_piece = cached(MOST_TRACES)(purpose.next_piece)
lens = cached(MOST_TRACES)(attribution.lens)


@cached(MOST_TRACES)
def taken_apart(setup: Setup, word: int, instead: int | None) -> attribution.Attribution:
    """Return what a logit is the sum of; `setup` is in force where a next word is said."""
    return attribution.of_run(
        embedded(setup), stacked(setup)[1], attribution.column(setup, word, instead)
    )


@cached(8 * MOST_TRACES)
def without_head(
    setup: Setup, layer: int, head: int, word: int, instead: int | None
) -> tuple[float, list[float]]:
    """Compute the same logit, or difference, with one head off, layer and head from 0, and the
    shares that the words then have."""
    of_layers, layers = stacked(setup)
    out = attribution.out_without(setup, of_layers[layer:], layers[layer].value("x"), head)
    asked, shares = (
        [word] if instead is None else [word, instead],
        next_word.said_after(setup, out).value("probabilities"),
    )
    return attribution.said_of(setup, out, attribution.column(setup, *asked)), shares[
        asked
    ].tolist()


@cached(8 * MOST_TRACES)
def next_word_checked(setup: Setup) -> reference.Check:
    """Compare the shares of the next word with PyTorch's."""
    return reference.check_next_word(predicted(setup))


# ---------- what was trained ----------

filmed = of_trained("attention", MOST_STACKS)(film.film)
roles_of = of_trained("attention", MOST_STACKS)(roles.of_attention)
judged = of_trained("labelled", MOST_STACKS)(
    lambda setup, result: classification.judge(setup, result.weights)
)
looks_at_not = of_trained("labelled", MOST_STACKS)(
    lambda setup, result: classification.looks_at_not(setup, result.weights)
)

# ---------- a stack that learned to say the next word, or letters that begin again ----------

surprises = of_trained("stack")(lambda setup, result: tasks.by_place(setup, result.weights))
# The first two are the same whatever the sentence: whoever asks leaves it out.
measured = of_trained("stack")(lambda setup, result: induction.measure(setup, result.weights))
measured_with_edits = Kept(
    lambda setup: induction.measure(setup, induction.edited(setup)), MOST_TRACES
)


@of_trained("stack", MOST_STACKS)
def filmed_layers(setup: Setup, result: Trained) -> Tensor:
    """Return whom the letters of the setup's row look at, in all layers at each moment: (moment,
    layer, head, query, key)."""
    return film.of_all_layers(setup, result, induction.own_row(setup))


@of_trained("stack")
def in_a_row(setup: Setup, result: Trained, without: tuple[int, int] | None = None) -> list[Record]:
    """Take the setup's row of letters through the stack, a record for each layer; `without` one
    head, from 0."""
    own = result.weights
    used = own if without is None else induction.switched_off(own, *without, heads=setup.heads)
    return induction.through(setup, used, induction.own_row(setup))


@of_trained("stack")
def keys_moved(setup: Setup, result: Trained, place: int) -> Tensor:
    """Return how far each head's key of a place moves when another letter stands before it: (layer,
    head)."""
    return induction.keys_moved(setup, result.weights, induction.own_row(setup), place)


def course(setup: Setup) -> dict[int, induction.Measured]:
    """Measure the stack at each moment of training, by the number of steps: it takes seconds."""
    return dict(induction.course(setup, training_store.get(setup, "stack")))
