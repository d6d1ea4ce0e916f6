"""What core computed for a setup, kept for a while for all visitors. No Streamlit here."""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import torch
from torch import Tensor

from core import (
    adam,
    batch,
    classification,
    classifier,
    encoder,
    film,
    gradient,
    masks,
    purpose,
    reference,
    roles,
    sampled,
    shuffle,
    spread,
    study,
    trace,
    training_store,
    weights,
)
from core.edits import Edit
from core.names import Weights
from core.setup import Setup

# What was computed is kept for a while: a click changes what is looked at and no number, and the same setup is the same
# trace. Few of what is large: a stack of six layers at the largest setup takes 20 MB.
MOST_TRACES, MOST_STACKS = 32, 3
MOST_LAYERS = 6 * MOST_STACKS

Compute = TypeVar("Compute", bound=Callable)


def cached(most: int) -> Callable[[Compute], Compute]:
    """Keep the last `most` results that were asked for. Not for what is trained: torch prepares for no gradient here."""
    return lambda compute: lru_cache(maxsize=most)(torch.inference_mode()(compute))


@cached(MOST_TRACES)
def traced(setup: Setup) -> trace.Trace:
    """Everything computed of one sentence."""
    return trace.run(setup)


@cached(MOST_TRACES)
def edits_that_do_not_fit(setup: Setup) -> dict[Edit, str]:
    """The edits of weights that do not count, each with the reason."""
    return weights.edits_that_do_not_fit(setup)


def edits_that_fit(setup: Setup) -> tuple[Edit, ...]:
    """The edits of weights that count, in the order in which they are put in."""
    return tuple(edit for edit in setup.changes if edit not in edits_that_do_not_fit(setup)) if setup.changes else ()


@cached(MOST_TRACES)
def embedded(setup: Setup) -> trace.Trace:
    """The sentence up to x: all that a page needs which shows a stack and not the seven steps."""
    return trace.embedded(setup)


@cached(MOST_STACKS)
def projections(setup: Setup) -> Weights:
    """The weights of attention alone."""
    return weights.projections(setup)


@cached(MOST_TRACES)
def weighed(setup: Setup) -> trace.Trace:
    """The sentence by itself up to its weights: all that a page needs which goes no further."""
    return trace.weighed(setup, projections(setup))


@cached(MOST_STACKS)
def batch_weighed(setup: Setup) -> batch.Batch:
    """All sentences at once, up to their weights."""
    return batch.weighed(setup, projections(setup))


@cached(MOST_STACKS)
def batched(setup: Setup) -> batch.Batch:
    """Everything computed of all sentences at once."""
    return batch.to_the_output(batch_weighed(setup), projections(setup))


@cached(MOST_LAYERS)
def layer_weights(setup: Setup, n: int) -> Weights:
    """The weights of one layer of the stack, from 1."""
    return weights.layer(setup, n)


@cached(MOST_LAYERS)
def layer(setup: Setup, n: int) -> trace.Trace:
    """What one layer of the stack, from 1, made of the sentence. Those above it are neither drawn nor computed."""
    x = embedded(setup).value("x") if n == 1 else layer(setup, n - 1).value("out")
    (made,) = encoder.stack(setup, (layer_weights(setup, n),), x, _may_attend(setup))
    return made


def stacked(setup: Setup) -> tuple[tuple[Weights, ...], tuple[trace.Trace, ...]]:
    """The weights of every layer, and what each layer made of the sentence."""
    each = range(1, setup.layers + 1)
    return tuple(layer_weights(setup, n) for n in each), tuple(layer(setup, n) for n in each)


def _may_attend(setup: Setup) -> Tensor:
    """Who may look at whom in the sentence: (query, key)."""
    return masks.of(setup, len(setup.tokens))


@cached(MOST_TRACES)
def handed_on(setup: Setup) -> dict[str, list[Tensor]]:
    """What each layer hands on (token, d_model) with post-norm and with pre-norm, from the same weights."""
    of_layers, layers = stacked(setup)
    return encoder.under_both_norms(setup, of_layers, layers, _may_attend(setup))


@cached(8 * MOST_TRACES)
def layer_checked(setup: Setup, n: int) -> reference.Check:
    """How far one layer of the stack, from 1, is from PyTorch's on the same input and weights."""
    return reference.check_layer(layer(setup, n), _may_attend(setup))


@cached(MOST_STACKS)
def shuffled(setup: Setup) -> shuffle.Shuffled:
    """The experiment with the words in another order."""
    of_layers, layers = stacked(setup)
    return shuffle.shuffle(setup, of_layers, embedded(setup).value("embedded"), layers[-1].value("out"))


# These take the setup and look the result of training up themselves. If they took the result, this cache would keep it in memory
# after `training_store` has dropped it.
@lru_cache(maxsize=MOST_STACKS)
def filmed(setup: Setup) -> Tensor:
    """Who looks at whom in the sentence at each moment of its training: (moment, head, query, key)."""
    return film.film(setup, training_store.get(setup, "attention"))


@lru_cache(maxsize=MOST_STACKS)
def gradient_of(setup: Setup) -> tuple[gradient.QueryGradient, reference.Check]:
    """The gradient of W_q at the step that training opened, where it opened one, and how far autograd's is from it."""
    opened = training_store.get(setup, "attention").opened
    assert opened is not None
    found = gradient.of_queries(setup, opened.weights, opened.examples)
    return found, reference.check_gradient(setup, opened, found.value)


@lru_cache(maxsize=MOST_STACKS)
def step_of_queries(setup: Setup) -> adam.AdamStep[Tensor]:
    """Adam's step for all weights of W_q (head, d_model, d_k), where training opened one."""
    opened = training_store.get(setup, "attention").opened
    assert opened is not None
    w_q, first, second = (of["w_q"] for of in (opened.weights, opened.first, opened.second))
    return adam.adam_step(w_q, gradient_of(setup)[0].value, first, second, opened.step)


@lru_cache(maxsize=MOST_STACKS)
def roles_of(setup: Setup) -> dict[str, list[roles.Look]]:
    """What each head looks at in unseen sentences, by question."""
    return roles.of_attention(setup, training_store.get(setup, "attention"))


@lru_cache(maxsize=MOST_TRACES)
def answered(setup: Setup) -> dict[str, study.Right]:
    """How many of the unseen sentences attention alone answers right."""
    return study.answers(setup, training_store.get(setup, "attention"))


@cached(MOST_TRACES)
def sentence_vectors(setup: Setup) -> Tensor:
    """What a model that is read makes of each sentence: (sentence, d_model)."""
    return purpose.sentence_vectors(setup)


@cached(MOST_TRACES)
def next_piece(setup: Setup) -> Tensor:
    """What a model that is read expects after the sentence: the share of each piece (word,)."""
    return purpose.next_piece(setup)


@cached(MOST_STACKS)
def classified(setup: Setup) -> classifier.Classified:
    """The classifier's answer to all sentences."""
    return classifier.classify(setup)


@cached(MOST_STACKS)
def judged(setup: Setup) -> classification.Judged:
    """What the trained classifier says of the labelled sentences."""
    return classification.judge(setup, training_store.get(setup, "labelled").weights)


@cached(MOST_STACKS)
def looks_at_not(setup: Setup) -> tuple[Tensor, int]:
    """How much of its attention the word after *not* gives to it, in each layer and head, and in how many sentences."""
    return classification.looks_at_not(setup, training_store.get(setup, "labelled").weights)


@cached(MOST_STACKS)
def classifier_layers(setup: Setup) -> tuple[trace.Trace, ...]:
    """What each layer below the classifier made of the sentence."""
    one = classified(setup)
    return encoder.stack(setup, one.weights, one.batch.trace.value("x")[0], one.batch.may_attend[0])


@cached(MOST_TRACES)
def spreads(setup: Setup) -> list[spread.Spread]:
    """How scores and weights spread as d_k grows."""
    of = traced(setup)
    return spread.measure(setup, of.value("x"), of.value("memory_x") if setup.memory else None)


@cached(MOST_TRACES)
def sampled_scores(setup: Setup) -> sampled.Sample:
    """2,000 scores of drawn words, and the products that they add up."""
    return sampled.sample(setup)


@cached(8 * MOST_TRACES)
def checked(setup: Setup, name: str) -> reference.Check:
    """How far one entry is from PyTorch's own function on the same weights."""
    return reference.check(traced(setup), name)


@cached(MOST_TRACES)
def batch_checked(setup: Setup) -> reference.Check:
    """How far the weights of the whole batch are from PyTorch's."""
    return reference.check_batch(batch_weighed(setup))


@cached(8 * MOST_TRACES)
def classes_checked(setup: Setup, sentence: int) -> reference.Check:
    """How far the classifier's answer to one sentence, from 0, is from PyTorch's to it alone."""
    return reference.check_classes(classified(setup), sentence)
