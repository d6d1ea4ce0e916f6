"""The one source of weights: whatever computes with one asks for it here. They are drawn, trained or read, and then edited.

The first layer of a stack attends with the weights of the seven steps; each further one has its own, and so has everything
else in a stack. Where a setup's seven steps are those of a further layer, they attend with that one's.
"""

from dataclasses import replace
from functools import lru_cache

import torch
from torch import Tensor

from . import classification, draws, lessons, training_store
from .edits import Edit, put_in, why_not
from .model import Weights
from .setup import Setup


def attention(setup: Setup) -> Weights:
    """What the seven steps need: `embedding` and `projections`."""
    return embedding(setup) | projections(setup)


def embedding(setup: Setup) -> Weights:
    """What X is made of: embedding_table (word, d_model), and learned positions (token, d_model) where there are any, with
    memory_positions (memory, d_model) where another sentence is asked. Of a model that is read, what `Pretrained.around` gives too."""
    return {"embedding_table": embedding_table(setup)} | _learned_positions(setup) | around(setup)


def _learned_positions(setup: Setup) -> Weights:
    """Both sentences count from their own first word, and share the rows."""
    if setup.positions != "learned":
        return {}
    rows = positions(setup, setup.most_places)
    of_memory = {"memory_positions": rows[: len(setup.memory_tokens)]} if setup.memory else {}
    return {"positions": rows[: len(setup.tokens)]} | of_memory


def around(setup: Setup) -> Weights:
    """What a model that is read has besides: part, and the first norm's gain_0 and shift_0, each (d_model,)."""
    return {} if setup.real is None else setup.real.around


def embedding_table(setup: Setup) -> Tensor:
    """A row for each word of the vocabulary: (word, d_model). Words that training never saw keep a row that was drawn."""
    return _edited(setup, {"embedding_table": _table(setup)})["embedding_table"]


def _table(setup: Setup) -> Tensor:
    if setup.real is not None:
        return setup.real.embedding_table(setup.vocabulary)
    if setup.init != "trained":
        return draws.embedding_table(setup)
    return fitted_table(setup, training_store.get(setup, "attention").weights["embedding_table"])


def fitted_table(setup: Setup, of_language: Tensor) -> Tensor:
    """The language's rows (word, d_model) where the setup's vocabulary has these words, a drawn one for each other word."""
    rows = torch.empty(len(setup.vocabulary), setup.d_model)
    was_seen = torch.tensor([word in setup.known for word in setup.vocabulary])
    rows[was_seen] = of_language  # both are sorted
    further = torch.tensor(setup.only_in_memory)
    unseen = ~was_seen & ~further
    rows[unseen] = lessons.SMALLER * draws.unseen_words(setup, int(unseen.sum()))
    rows[further] = lessons.SMALLER * draws.memory_words(setup, int(further.sum()))
    return rows


def unseen(setup: Setup) -> tuple[str, ...]:
    """The words that training never saw, of the sentence and of its memory, each once; none where nothing was trained."""
    return tuple(word for word in setup.vocabulary if word not in setup.known) if setup.init == "trained" else ()


def projections(setup: Setup) -> Weights:
    """W_q and W_k (head, d_model, d_k), W_v (head, d_model, d_v), W_o (head·d_v, out), and where biases are on b_q and b_k
    (head, d_k), b_v (head, d_v), b_o (out). Empty for a setup without projections. They are those of the setup's layer, with the
    gain and shift of a norm before them where a model that is read has one there."""
    names = (*lessons.OF_THE_STEPS, "w_o", "b_o")
    if setup.layer > 1 or setup.real is not None:
        before = ("gain_1", "shift_1") if setup.norm == "pre" else ()
        of_layer, prefix = _layer(setup, setup.layer), "" if setup.layer == 1 else f"layer{setup.layer}."
        return _edited(setup, {name: of_layer[name] for name in (*names, *before) if name in of_layer}, prefix)
    if setup.init != "trained":
        return _edited(setup, draws.projections(setup))
    weights = training_store.get(setup, "attention").weights
    if setup.learns_words:
        weights = lessons.layer_of(weights, 1)
    return _edited(setup, {name: weights[name] for name in names if name in weights})


def words(setup: Setup, further_words: tuple[str, ...]) -> Tensor:
    """The table of a batch: the sentence's own words, then those that it does not have, padding last: (word, d_model)."""
    if setup.real is not None:
        return torch.cat([embedding_table(setup), setup.real.embedding_table(further_words[:-1]), setup.real.padding()])
    further = draws.further_words(setup, len(further_words))
    return torch.cat([embedding_table(setup), further if setup.init != "trained" else lessons.SMALLER * further])


def positions(setup: Setup, tokens: int) -> Tensor:
    """A learned row for each place: (token, d_model). Past the longest sentence of training they are drawn."""
    return _edited(setup, {"positions": _positions(setup, tokens)})["positions"]


def _positions(setup: Setup, tokens: int) -> Tensor:
    if setup.real is not None:
        return setup.real.positions(tokens)
    if setup.init != "trained" or setup.positions != "learned":
        return draws.positions(setup, tokens)
    return fitted_positions(setup, training_store.get(setup, "attention").weights["positions"], tokens)


def fitted_positions(setup: Setup, of_language: Tensor, tokens: int) -> Tensor:
    """The rows that were learned (place, d_model), as many as there are tokens; past the last of them they are drawn."""
    drawn = draws.positions(setup, tokens)
    return torch.cat([of_language[:tokens], lessons.SMALLER * drawn[len(of_language) :]])


def layer(setup: Setup, n: int) -> Weights:
    """One block of the stack, counted from 1: attention back to d_model (`projections`) and the feed-forward part: w_1
    (d_model, d_ff) and w_2 (d_ff, d_model), with b_1 (d_ff) and b_2 (d_model) where biases are on."""
    of_layer = _layer(setup, n)
    of_steps = {name: of_layer[name] for name in lessons.OF_THE_STEPS if name in of_layer and n == 1}
    return (
        of_layer
        | _edited(setup, of_steps)
        | _edited(setup, {k: v for k, v in of_layer.items() if k not in of_steps}, f"layer{n}.")
    )


def _layer(setup: Setup, n: int) -> Weights:
    if setup.real is not None:
        return setup.real.layer(n)
    if setup.init != "trained":
        return draws.layer(setup, n)
    of_layer = lessons.layer_of(training_store.get(setup, "stack").weights, n)
    if n == 1:
        below = training_store.get(setup, "attention").weights
        of_layer |= {name: below[name] for name in lessons.OF_THE_STEPS if name in below}
    return of_layer


def layers(setup: Setup) -> tuple[Weights, ...]:
    """Every block of the stack, from the lowest."""
    return tuple(layer(setup, n) for n in range(1, setup.layers + 1))


def classifier(setup: Setup) -> Weights:
    """w_c (d_model, class), and b_c (class) where biases are on. Trained, there are as many classes as labels. Empty for a model
    that is read: it has no classifier."""
    if setup.real is not None:
        return {}
    if setup.init != "trained":
        return _edited(setup, draws.classifier(setup))
    weights = training_store.get(setup, "labelled").weights
    return _edited(setup, {name: weights[name] for name in ("w_c", "b_c") if name in weights})


def class_count(setup: Setup) -> int:
    """How many classes the classifier tells apart; trained, as many as there are labels."""
    return setup.classes if setup.init != "trained" else len(classification.examples(setup).reading.labels)


def classifier_layers(setup: Setup) -> tuple[Weights, ...]:
    """Every block below the classifier: those of the stack, or those that learned from labelled sentences."""
    if setup.init != "trained":
        return layers(setup)
    weights = training_store.get(setup, "labelled").weights
    return tuple(lessons.layer_of(weights, n) for n in range(1, setup.layers + 1))


def classifier_vocabulary(setup: Setup) -> tuple[str, ...]:
    """The words that the classifier's table begins with: the sentence's own, or those of the labelled sentences."""
    return setup.vocabulary if setup.init != "trained" else classification.examples(setup).words


def classifier_words(setup: Setup, further_words: tuple[str, ...]) -> Tensor:
    """The classifier's table: `classifier_vocabulary`, then the words that it does not have, padding last: (word, d_model)."""
    if setup.init != "trained":
        return words(setup, further_words)
    further = draws.further_words(setup, len(further_words))
    return torch.cat([training_store.get(setup, "labelled").weights["embedding_table"], further])


def classifier_positions(setup: Setup, tokens: int) -> Tensor:
    """The classifier's learned row for each place: (token, d_model)."""
    return (
        positions(setup, tokens)
        if setup.init != "trained"
        else training_store.get(setup, "labelled").weights["positions"][:tokens]
    )


def unembedding(setup: Setup) -> Tensor:
    """Where the unembedding is a matrix of its own, from the last row to a number for each word of the vocabulary: (d_model, word).
    Trained on questions, it is what answered them at the word `it`. Words that training never saw have a column that was drawn."""
    if setup.init != "trained":
        return _edited(setup, {"unembedding": draws.unembedding(setup, len(setup.vocabulary))})["unembedding"]
    learned = training_store.get(setup, "stack").weights["unembedding" if setup.learns_words else "w_u"]
    return _edited(setup, {"unembedding": fitted_columns(setup, learned)})["unembedding"]


def fitted_columns(setup: Setup, learned: Tensor) -> Tensor:
    """The columns that were learned (d_model, word) where the setup's vocabulary has these words, a drawn one for each other."""
    columns = draws.unembedding(setup, len(setup.vocabulary)).clone()
    columns[:, [word in setup.known for word in setup.vocabulary]] = learned  # both are sorted
    return columns


def named(setup: Setup) -> Weights:
    """Every weight of the setup under a name of its own, but for the rows of further sentences' words (`words`).

    The seven steps' and the classifier's have the names they have everywhere; a layer's begin with layer1., layer2. and
    so on. What layer 1 has in common with the seven steps stands there once, under the short name, whatever layer the setup's are.
    """
    setup = replace(setup, layer=1)
    every = attention(setup) | classifier(setup)
    every.pop("memory_positions", None)
    if "positions" in every:  # all that an edit may name: the longer sentence's
        every["positions"] = positions(setup, setup.most_places)
    if setup.unembedding == "own":
        every["unembedding"] = unembedding(replace(setup, memory=""))  # where words are said, no other sentence is asked
    for n, weights in enumerate(layers(setup), start=1):
        every |= {f"layer{n}.{name}": w for name, w in weights.items() if n > 1 or name not in lessons.OF_THE_STEPS}
    return every


def edits_that_do_not_fit(setup: Setup) -> dict[Edit, str]:
    """The edits that do not count in this setup, each with the reason: they wait for one in which they fit."""
    drawn = replace(setup, init="real" if setup.real else "xavier", edits="", classes=class_count(setup))
    table = torch.empty(len(setup.vocabulary), setup.d_model, device="meta")
    shapes = _shapes(drawn) | {"embedding_table": table}
    reasons = {edit: why_not(edit, shapes) for edit in setup.changes}
    return {edit: reason for edit, reason in reasons.items() if reason is not None}


@lru_cache(maxsize=8)
def _shapes(setup: Setup) -> Weights:
    """Every weight without its numbers. Kept: to draw the largest setup's takes a fifth of a second, at every edit."""
    return {name: weight.to("meta") for name, weight in named(setup).items()}


def _edited(setup: Setup, weights: Weights, prefix: str = "") -> Weights:
    return put_in(weights, setup.changes, prefix) if setup.changes else weights
