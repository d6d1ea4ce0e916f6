"""The one source of weights: whatever computes with one asks for it here. They are drawn, trained
or read, and then edited.

Where they come from, `sources` knows. The first layer of a stack attends with the weights of the
seven steps; each further one has its own, and so has everything else in a stack. Where a setup's
seven steps are those of a further layer, they attend with that one's.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import torch
from torch import Tensor

from .edits import Edit, explain_refusal
from .names import OF_THE_STEPS, PROJECTED, Weights
from .setup import Setup
from .sources import Edited, source


def get_source(setup: Setup) -> Edited:
    """Return what answers for the setup's weights, its edits put in."""
    return Edited(source(setup))


def below_classifier(setup: Setup) -> Edited:
    """Return what answers for the weights below the classifier: the setup's own, or what learned
    from labelled sentences."""
    return Edited(source(setup).below_classifier)


def attention(setup: Setup) -> Weights:
    """Return what the seven steps need: `get_embedding` and `projections`."""
    return get_embedding(setup) | projections(setup)


def get_embedding(setup: Setup, tokens: Sequence[str] | None = None) -> Weights:
    """Return what X is made of: embedding_table (word, d_model), and learned positions (token,
    d_model) where there are any, with memory_positions (memory, d_model) where another sentence is
    asked. Of a model that is read, what `get_input_weights` returns too. Where X is given at once
    it is x (token, d_model) alone, with memory_x (memory, d_model). `tokens` are the setup's
    sentence, or another.
    """
    return get_source(setup).embedding(setup.tokens if tokens is None else tokens)


def get_input_weights(setup: Setup) -> Weights:
    """Return what a model that is read has besides: part (token, d_model), and the first norm's
    gain_0 and shift_0 (d_model,); where its table is narrower, so are these, and w_in (width,
    d_model) and b_in (d_model,) make X."""
    return source(setup).around(setup.tokens)


def may_attend(setup: Setup, tokens: int) -> Tensor:
    """Return who may look at whom in a sentence of so many tokens: (query, key)."""
    return get_source(setup).may_attend(tokens)


def may_attend_in_steps(setup: Setup) -> Tensor:
    """Return who may look at whom in the seven steps: (query, key). Keys are the memory's tokens
    where there is one."""
    return get_source(setup).may_attend_in_steps()


def get_embedding_table(setup: Setup) -> Tensor:
    """Return a row for each word of the vocabulary: (word, d_model). Words that training never saw
    keep a row that was drawn."""
    return get_source(setup).table()


def list_unseen_words(setup: Setup) -> tuple[str, ...]:
    """Return the words that training never saw, of the sentence and of its memory, each once; none
    where nothing was trained."""
    return (
        tuple(word for word in setup.vocabulary if word not in setup.known) if setup.known else ()
    )


def projections(setup: Setup, alone: bool = False) -> Weights:
    """Return W_q and W_k (head, d_model, d_k), W_v (head, d_model, d_v), W_o (head·d_v, out), and
    where biases are on b_q and b_k (head, d_k), b_v (head, d_v), b_o (out). Empty for a setup
    without projections. They are those of the setup's layer, with the gain and shift of a norm
    before them where a model that is read has one there, and gain_q and gain_k (d_k,) where it
    norms queries and keys. Where queries, keys or values are given at once, q and k (head, token,
    d_k) or v (head, token, d_v) stand in place of the weights that would make them; where the
    sentence is to be `alone`, not those of another one."""
    return get_source(setup).attention(alone)


def positions(setup: Setup, tokens: int) -> Tensor:
    """Return a learned row for each place: (token, d_model). Past the longest sentence of training
    they are drawn."""
    return get_source(setup).positions(tokens)


def layer(setup: Setup, n: int) -> Weights:
    """Return one block of the stack, counted from 1: attention back to d_model (`projections`) and
    the feed-forward part: w_1 (d_model, d_ff) and w_2 (d_ff, d_model), with b_1 (d_ff) and b_2
    (d_model) where biases are on."""
    return get_source(setup).layer(n)


def layers(setup: Setup) -> tuple[Weights, ...]:
    """Return every block of the stack, from the lowest."""
    return get_source(setup).layers()


def get_masked_lm_weights(setup: Setup) -> Weights:
    """Return what a model that is read has to say which piece would stand at [MASK]: w_fill
    (d_model, d_model), b_fill, gain_fill, shift_fill (d_model,), b_word (word,). Nothing where it
    has no such part."""
    return setup.real.filling if setup.real is not None and setup.real.fills else {}


def classifier(setup: Setup) -> Weights:
    """Return w_c (d_model, class), and b_c (class) where biases are on. Trained, there are as many
    classes as labels. Empty for a model that is read: it has no classifier."""
    return get_source(setup).classifier()


def class_names(setup: Setup) -> tuple[str, ...]:
    """Return what the classes are called: by number, and where labelled sentences were learned from
    by their labels."""
    return source(setup).class_names


def get_unembedding(setup: Setup) -> Tensor:
    """Return the unembedding where it is a matrix of its own, from the last row to a number for
    each word: (d_model, word)."""
    return get_source(setup).unembedding()


def is_drawn(setup: Setup) -> bool:
    """Return whether `draws` makes the weights, so that an exported script can draw them again."""
    return source(setup).is_drawn


def name_weights(setup: Setup) -> Weights:
    """Return every weight of the setup under a name of its own, but for the rows of further
    sentences' words.

    The seven steps' and the classifier's have the names they have everywhere; a layer's begin with
    layer1., layer2. and so on. What layer 1 has in common with the seven steps stands there once,
    under the short name, whatever layer the setup's are.
    """
    setup = replace(setup, layer=1)
    every = attention(setup) | classifier(setup)
    for of_memory in ("memory_positions", "memory_x"):
        every.pop(of_memory, None)
    if "positions" in every:  # all that an edit may name: the longer sentence's
        every["positions"] = positions(setup, setup.most_places)
    if setup.unembedding == "own" and setup.real is None:
        every["unembedding"] = get_unembedding(
            setup.alone
        )  # where words are said, no other sentence is asked
    shared = (*OF_THE_STEPS, *PROJECTED)
    for n, weights in enumerate(layers(setup), start=1):
        every |= {
            f"layer{n}.{name}": w for name, w in weights.items() if n > 1 or name not in shared
        }
    return every


def edits_that_do_not_fit(setup: Setup) -> dict[Edit, str]:
    """Return the edits that do not count in this setup, each with the reason: they wait for one in
    which they fit."""
    table = torch.empty(len(setup.vocabulary), setup.d_model, device="meta")
    shapes = _shapes(replace(source(setup).shapes_like, edits="")) | {"embedding_table": table}
    reasons = {edit: explain_refusal(edit, shapes) for edit in setup.changes}
    return {edit: reason for edit, reason in reasons.items() if reason is not None}


@lru_cache(maxsize=8)
def _shapes(setup: Setup) -> Weights:
    """Return every weight without its numbers. Kept: to draw the largest setup's takes a fifth of a
    second, at every edit."""
    return {name: weight.to("meta") for name, weight in name_weights(setup).items()}
