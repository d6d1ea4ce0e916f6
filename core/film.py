"""A film of training: whom the words of a sentence look at, at each moment."""

from collections.abc import Sequence

import torch
from torch import Tensor

from . import induction, masks
from .model import attend, embed
from .names import Weights, layer_of
from .record import Record
from .setup import Setup
from .sources.trained import fit_positions, fit_table
from .text import token_ids
from .training import Trained


def film(setup: Setup, result: Trained) -> Tensor:
    """Return the weights of the setup's sentence at each moment of its training: (moment, head,
    query, key).

    Words that training never saw have the row that was drawn for them, in all moments.
    """
    return torch.stack(
        [_looks(setup, result.weights | moment.weights) for moment in result.moments]
    )


def join_layers(setup: Setup, result: Trained, row: Sequence[str]) -> Tensor:
    """Return all layers' weights in one row of letters, of a stack that learned those that begin
    again: (moment, layer, head, query, key).

    Nothing, (0,), of a stack that is so large that its moments do not keep all weights.
    """
    whole = [
        moment.weights
        for moment in result.moments
        if moment.weights.keys() == result.weights.keys()
    ]
    looks = [
        [record.value("weights") for record in induction.through(setup, weights, row)]
        for weights in whole
    ]
    return torch.stack([torch.stack(layers) for layers in looks]) if looks else torch.empty(0)


def _looks(setup: Setup, of_language: Weights) -> Tensor:
    """Return what the seven steps give with these weights: (head, query, key)."""
    own = of_language | layer_of(of_language, 1)  # of a whole stack, layer 1 looks
    own["embedding_table"] = fit_table(setup, own["embedding_table"])
    if "positions" in own:
        own["positions"] = fit_positions(setup, own["positions"], len(setup.tokens))
    record = Record()
    embed(setup, own, record, token_ids(setup.tokens, setup.vocabulary))
    attend(setup, own, record, masks.make_mask(setup, len(setup.tokens)))
    return record.value("weights")
