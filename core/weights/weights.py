"""The single access point for weights: sampled, trained, given or read, and then edited.

`sources` provides them. The first layer of a stack shares the attention weights of the seven steps;
everything else in a stack has its own. If the seven steps show a further layer, they use its
weights.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import torch
from torch import Tensor

from ..ops.weight_names import OF_THE_STEPS, PROJECTED, Weights
from ..setup.edits import Edit, explain_refusal
from ..setup.setup import Setup
from .sources import Edited, source


def get_source(setup: Setup) -> Edited:
    """Return the source of the setup's weights, with its edits."""
    return Edited(source(setup))


def below_classifier(setup: Setup) -> Edited:
    """Return the source of the weights below the classifier: the setup's own, or those trained on
    labelled sentences."""
    return Edited(source(setup).below_classifier)


def attention(setup: Setup) -> Weights:
    """Return the weights of the seven steps: `get_embedding` and `projections`."""
    return get_embedding(setup) | projections(setup)


def get_embedding(setup: Setup, tokens: Sequence[str] | None = None) -> Weights:
    """Return the weights of X: embedding_table (word, d_model), and learned positions (token,
    d_model) if there are any, with memory_positions (memory, d_model) in cross-attention. For a
    real model, also those of `get_input_weights`. If X is given, only x (token, d_model), and
    memory_x (memory, d_model). `tokens` default to the setup's sentence."""
    return get_source(setup).embedding(setup.tokens if tokens is None else tokens)


def get_input_weights(setup: Setup) -> Weights:
    """Return a real model's other input weights: part (token, d_model), and the first norm's gain_0
    and shift_0 (d_model,); if its table is narrower, so are these, and w_in (width, d_model) and
    b_in (d_model,) project to X."""
    return source(setup).around(setup.tokens)


def may_attend(setup: Setup, tokens: int) -> Tensor:
    """Return the mask of a sentence of this many tokens: (query, key)."""
    return get_source(setup).may_attend(tokens)


def may_attend_in_steps(setup: Setup) -> Tensor:
    """Return the mask of the seven steps: (query, key). Keys are the memory's tokens if there is
    one."""
    return get_source(setup).may_attend_in_steps()


def get_embedding_table(setup: Setup) -> Tensor:
    """Return a row for each word of the vocabulary: (word, d_model); random for words outside the
    training set."""
    return get_source(setup).table()


def list_unseen_words(setup: Setup) -> tuple[str, ...]:
    """Return the words of the sentence and its memory that are not in the training set; empty if
    nothing was trained."""
    return (
        tuple(word for word in setup.vocabulary if word not in setup.known) if setup.known else ()
    )


def projections(setup: Setup, alone: bool = False) -> Weights:
    """Return W_q and W_k (head, d_model, d_k), W_v (head, d_model, d_v), W_o (head·d_v, out), and
    if biases are on, b_q and b_k (head, d_k), b_v (head, d_v), b_o (out), of the setup's layer.
    Empty for a setup without projections. A real model may add a preceding norm's gain and shift,
    and gain_q and gain_k (d_k,). Given q and k (head, token, d_k) or v (head, token, d_v) replace
    the weights for them; with `alone`, those for cross-attention are ignored."""
    return get_source(setup).attention(alone)


def positions(setup: Setup, tokens: int) -> Tensor:
    """Return learned positions: (token, d_model). Beyond the longest training sentence they are
    random."""
    return get_source(setup).positions(tokens)


def layer(setup: Setup, n: int) -> Weights:
    """Return one block of the stack, from 1: attention back to d_model (`projections`) and the
    feed-forward part: w_1 (d_model, d_ff) and w_2 (d_ff, d_model), with b_1 (d_ff) and b_2
    (d_model) if biases are on."""
    return get_source(setup).layer(n)


def layers(setup: Setup) -> tuple[Weights, ...]:
    """Return every block of the stack, from the lowest."""
    return get_source(setup).layers()


def get_masked_lm_weights(setup: Setup) -> Weights:
    """Return a real model's masked-language-model head: w_fill (d_model, width), b_fill,
    gain_fill, shift_fill (width,), b_word (word,). Empty if it has none."""
    return setup.real.filling if setup.real is not None and setup.real.fills else {}


def classifier(setup: Setup) -> Weights:
    """Return w_c (d_model, class), and b_c (class) if biases are on. Trained weights have a class
    for each label. Empty for a real model, which has no classifier."""
    return get_source(setup).classifier()


def class_names(setup: Setup) -> tuple[str, ...]:
    """Return the names of the classes: numbered, or the labels of a trained classifier."""
    return source(setup).class_names


def get_unembedding(setup: Setup) -> Tensor:
    """Return the unembedding, if it is a separate matrix: (d_model, word)."""
    return get_source(setup).unembedding()


def get_weight(setup: Setup, name: str) -> Tensor:
    """Return one weight by its name in an edit, such as `w_q` or `layer2.w_q`."""
    own, (layer, _, short) = get_source(replace(setup, layer=1)), name.rpartition(".")
    if short in ("w_c", "b_c"):
        return own.classifier()[short]
    if short == "unembedding":
        return own.unembedding()
    if short in ("embedding_table", "positions"):
        return own.embedding(setup.tokens)[short]
    return (own.layer(int(layer.removeprefix("layer"))) if layer else own.attention())[short]


def is_drawn(setup: Setup) -> bool:
    """Return whether `draws` samples the weights, so that an export can too."""
    return source(setup).is_drawn


def name_weights(setup: Setup) -> Weights:
    """Return every weight of the setup by a unique name, except rows of further sentences' words.

    A layer's names begin with layer1., layer2. and so on. Weights that layer 1 shares with the
    seven steps appear once, under the short name, whatever the setup's layer is.
    """
    setup = replace(setup, layer=1)
    every = attention(setup) | classifier(setup)
    for of_memory in ("memory_positions", "memory_x"):
        every.pop(of_memory, None)
    if "positions" in every:  # all that an edit may name
        every["positions"] = positions(setup, setup.most_places)
    if setup.unembedding == "own" and setup.real is None:
        every["unembedding"] = get_unembedding(
            setup.alone
        )  # next-word prediction has no cross-attention
    shared = (*OF_THE_STEPS, *PROJECTED)
    for n, weights in enumerate(layers(setup), start=1):
        every |= {
            f"layer{n}.{name}": w for name, w in weights.items() if n > 1 or name not in shared
        }
    return every


def edits_that_do_not_fit(setup: Setup) -> dict[Edit, str]:
    """Return the edits that do not apply in this setup, with the reasons; they are kept for setups
    where they do."""
    table = torch.empty(len(setup.vocabulary), setup.d_model, device="meta")
    shapes = _shapes(replace(source(setup).shapes_like, edits="")) | {"embedding_table": table}
    reasons = {edit: explain_refusal(edit, shapes) for edit in setup.changes}
    return {edit: reason for edit, reason in reasons.items() if reason is not None}


@lru_cache(maxsize=8)
def _shapes(setup: Setup) -> Weights:
    """Return every weight without its numbers. Cached, since sampling the largest setup's takes a
    fifth of a second at every edit."""
    return {name: weight.to("meta") for name, weight in name_weights(setup).items()}
