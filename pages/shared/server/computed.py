"""Cached results of core for a setup, shared by all visitors. No Streamlit here."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor

from core import Setup
from core.analysis import (
    attribution,
    head_targets,
    induction,
    outputs,
    shuffle,
    std,
    training_history,
)
from core.analysis.sampled_scores import sample
from core.forward import batch, classifier, encoder, masked_lm, next_word, trace
from core.ops.weight_names import Weights
from core.reference import reference
from core.setup import constraints
from core.trace.record import TraceBuilder
from core.training import classification, tasks, training_store
from core.training.training import Trained
from core.weights import weights
from pages.shared.server.cache import Cache

# A click changes the selection and no numbers, so results are reused. Large ones are few: a stack
# of six layers at the largest setup takes 20 MB. `kept` bounds the total.
MAX_TRACES, MAX_STACKS = 32, 3
MAX_LAYERS = 6 * MAX_STACKS

Compute = TypeVar("Compute", bound=Callable)


def cache_results(most: int) -> Callable[[Compute], Compute]:
    """Cache the last `most` results, computed without gradients (not for training)."""
    return lambda compute: Cache(torch.inference_mode()(compute), most)


def cache_of_training(
    part: str, most: int = MAX_TRACES
) -> Callable[[Callable], Callable[..., Any]]:
    """Cache the last `most` results for a setup and its training, which callers leave out.

    The training is looked up here: as an argument, this cache would keep it after `training_store`
    drops it.
    """
    return lambda compute: Cache(
        lambda setup, *more: compute(setup, training_store.get(setup, part), *more), most
    )


# ---------- one sentence ----------

traced = cache_results(MAX_TRACES)(trace.run)
embedded = cache_results(MAX_TRACES)(
    trace.compute_embedding
)  # for a page with a stack but not the seven steps
projections = cache_results(MAX_STACKS)(
    partial(weights.projections, alone=True)
)  # for self-attention, one or several sentences
_weight = cache_results(MAX_TRACES)(weights.get_weight)
edits_that_do_not_fit = cache_results(MAX_TRACES)(weights.edits_that_do_not_fit)
sampled_scores = cache_results(MAX_TRACES)(sample)


def find_unedited(setup: Setup, name: str) -> Tensor | None:
    """Return the weight of this name before its edits, None without edits of it."""
    is_edited = any(edit.name == name for edit in setup.changes)
    return _weight(replace(setup, edits=""), name) if is_edited else None


@cache_results(MAX_TRACES)
def compute_weights(setup: Setup) -> trace.Trace:
    """Compute the sentence with self-attention up to its weights, for pages that need no more."""
    return trace.compute_weights(setup, projections(setup))


@cache_results(MAX_TRACES)
def spreads(setup: Setup) -> list[std.Spread]:
    """Measure the spread of scores and weights for growing d_k."""
    of = traced(setup)
    return std.measure(setup, of.value("x"), of.value("memory_x") if setup.memory else None)


@cache_results(8 * MAX_TRACES)
def check_entry(setup: Setup, name: str) -> reference.Check:
    """Compare one entry with PyTorch's own function on the same weights."""
    return reference.check(traced(setup), name)


# ---------- all sentences at once ----------

classified = cache_results(MAX_STACKS)(classifier.classify)
sentence_vectors = cache_results(MAX_TRACES)(outputs.sentence_vectors)


@cache_results(MAX_STACKS)
def batch_weighed(setup: Setup) -> batch.Batch:
    """Compute all sentences at once, up to their weights."""
    return batch.compute_weights(setup, projections(setup))


@cache_results(MAX_STACKS)
def compute_batch(setup: Setup) -> batch.Batch:
    """Compute all sentences at once, up to the output."""
    return batch.compute_output(batch_weighed(setup), projections(setup))


@cache_results(MAX_TRACES)
def batch_checked(setup: Setup) -> reference.Check:
    """Compare the weights of the whole batch with PyTorch's."""
    weighed = batch_weighed(setup)
    return reference.check_batch(weighed.trace, weighed.may_attend)


@cache_results(8 * MAX_TRACES)
def classes_checked(setup: Setup, sentence: int) -> reference.Check:
    """Compare the classifier's answer to one sentence (from 0) with PyTorch's on that sentence
    alone."""
    answer = classified(setup)
    of_words = answer.batch.trace.value("x")[sentence][answer.batch.is_word[sentence]]
    return reference.check_classes(answer.sentence(sentence), answer.weights, of_words)


# ---------- a stack ----------


@cache_results(MAX_LAYERS)
def layer_weights(setup: Setup, n: int) -> Weights:
    """Return the weights of one layer of the stack (from 1)."""
    return weights.layer(setup, n)


def layer(setup: Setup, n: int) -> trace.Trace:
    """Return the trace of one layer of the stack (from 1), without computing those above."""
    return (_layer if setup.real is None else _layer_of_a_model)(setup, n)


def _made(setup: Setup, n: int) -> trace.Trace:
    below = _layer if setup.real is None else _layer_in_short
    x = embedded(setup).value("x") if n == 1 else below(setup, n - 1).value("out")
    (made,) = encoder.stack(setup, (layer_weights(setup, n),), x, _may_attend(setup))
    return made


_layer = cache_results(MAX_LAYERS)(_made)
# A pretrained model has many layers: of each, only what is asked of the whole stack is cached, a
# tenth of a trace, and a few traces whole. Its weights are not cached.
OF_A_STACK = {*attribution.USED, "x", "out"}
_layer_of_a_model = cache_results(MAX_STACKS)(_made)
_layer_in_short = cache_results(2 * constraints.MAX_LAYERS)(
    lambda setup, n: _made(setup, n).only(OF_A_STACK)
)


def compute_stack(setup: Setup) -> tuple[tuple[Weights, ...], tuple[trace.Trace, ...]]:
    """Return the weights and the trace of every layer; of a pretrained model's traces only the
    entries OF_A_STACK."""
    each = range(1, setup.layers + 1)
    get_layer = _layer if setup.real is None else _layer_in_short
    return tuple(layer_weights(setup, n) for n in each), tuple(get_layer(setup, n) for n in each)


def compute_layers(setup: Setup) -> tuple[trace.Trace, ...]:
    """Return the whole trace of every layer."""
    return tuple(layer(setup, n) for n in range(1, setup.layers + 1))


def _may_attend(setup: Setup) -> Tensor:
    """Return the mask of the sentence (query, key), True for allowed pairs."""
    return weights.may_attend(setup, len(setup.tokens))


@cache_results(MAX_TRACES)
def compute_outputs(setup: Setup) -> dict[str, list[Tensor]]:
    """Return each layer's output (token, d_model) with post-norm and with pre-norm, from the same
    weights."""
    of_layers, layers = compute_stack(setup)
    return encoder.compare_norms(setup, of_layers, layers, _may_attend(setup))


@cache_results(8 * MAX_TRACES)
def layer_checked(setup: Setup, n: int) -> reference.Check:
    """Compare one layer of the stack (from 1) with PyTorch's on the same input and weights."""
    return reference.check_layer(layer(setup, n), _may_attend(setup))


@cache_results(MAX_STACKS)
def compute_shuffle(setup: Setup) -> shuffle.Shuffled:
    """Compute the stack on shuffled words."""
    of_layers, layers = compute_stack(setup)
    return shuffle.shuffle(
        setup, of_layers, embedded(setup).value("embedded"), layers[-1].value("out")
    )


# ---------- the next word ----------

predicted = said = cache_results(MAX_TRACES)(
    masked_lm.say
)  # the next word, or for a bidirectional model the one at [MASK]
filled_checked = cache_results(8 * MAX_TRACES)(lambda setup: reference.check_filled(said(setup)))
gone_on = cache_results(MAX_TRACES)(next_word.go_on)
lens = cache_results(MAX_TRACES)(attribution.lens)


@cache_results(MAX_TRACES)
def compute_attribution(setup: Setup, word: int, instead: int | None) -> attribution.Attribution:
    """Return a logit's attribution; `setup` must predict a next word."""
    return attribution.attribute_run(
        embedded(setup), compute_stack(setup)[1], attribution.column(setup, word, instead)
    )


@cache_results(8 * MAX_TRACES)
def compute_without_head(
    setup: Setup, layer: int, head: int, word: int, instead: int | None
) -> tuple[float, list[float]]:
    """Return the same logit (or difference) without one head (layer and head from 0), and the
    words' new probabilities."""
    left, asked = attribution.ablate_head(setup, layer, head), [word]
    asked += [] if instead is None else [instead]
    of_words = left.value("logits").double()[asked]
    return (of_words[0] - of_words[1:].sum()).item(), left.value("probabilities")[asked].tolist()


@cache_results(8 * MAX_TRACES)
def next_word_checked(setup: Setup) -> reference.Check:
    """Compare the next word's probabilities with PyTorch's."""
    return reference.check_next_word(predicted(setup))


# ---------- trained weights ----------

filmed = cache_of_training("attention", MAX_STACKS)(training_history.find_weight_history)
roles_of = cache_of_training("attention", MAX_STACKS)(head_targets.measure_attention)
judged = cache_of_training("labelled", MAX_STACKS)(
    lambda setup, result: classification.judge(setup, result.weights)
)
looks_at_not = cache_of_training("labelled", MAX_STACKS)(
    lambda setup, result: classification.looks_at_not(setup, result.weights)
)

# ---------- a stack trained on the next word or on repeated letters ----------

surprises = cache_of_training("stack")(
    lambda setup, result: tasks.measure_by_place(setup, result.weights)
)
# The first two do not depend on the sentence, so callers omit it.
measured = cache_of_training("stack")(
    lambda setup, result: induction.measure(setup, result.weights)
)
measured_with_edits = Cache(
    lambda setup: induction.measure(setup, induction.get_weights(setup)), MAX_TRACES
)


@cache_of_training("stack", MAX_STACKS)
def compute_film(setup: Setup, result: Trained) -> Tensor:
    """Return the attention of the setup's row of letters at each moment: (moment, layer, head,
    query, key)."""
    return training_history.join_layers(setup, result, induction.own_row(setup))


@cache_of_training("stack")
def compute_row(
    setup: Setup, result: Trained, without: tuple[int, int] | None = None
) -> list[TraceBuilder]:
    """Return each layer's record for the setup's row of letters, `without` one head (from 0)."""
    own = result.weights
    used = own if without is None else induction.ablate_head(own, *without, setup=setup)
    return induction.through(setup, used, induction.own_row(setup))


@cache_of_training("stack")
def keys_moved(setup: Setup, result: Trained, place: int) -> Tensor:
    """Return how far each head's key of a place moves if the letter before it changes: (layer,
    head)."""
    return induction.keys_moved(setup, result.weights, induction.own_row(setup), place)


def course(setup: Setup) -> dict[int, induction.Measured]:
    """Measure the stack at each moment of training, by step; takes seconds."""
    return dict(induction.course(setup, training_store.get(setup, "stack")))
