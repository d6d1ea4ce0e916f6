"""Attention weights at each recorded moment of training."""

from collections.abc import Sequence

import torch
from torch import Tensor

from ..layers.model import attend, embed
from ..ops.weight_names import Weights, layer_of
from ..setup.setup import Setup
from ..text.text import token_ids
from ..trace.record import TraceBuilder
from ..training.training import Trained
from ..weights.sources.trained import fit_positions, fit_table
from . import induction


def find_weight_history(setup: Setup, result: Trained) -> Tensor:
    """Return the weights of the setup's sentence at each moment of its training: (moment, head,
    query, key).

    Words outside the training set keep their random rows.
    """
    return torch.stack(
        [_looks(setup, result.weights | moment.weights) for moment in result.moments]
    )


def join_layers(setup: Setup, result: Trained, row: Sequence[str]) -> Tensor:
    """Return the weights of all layers on one row of letters, for a stack trained on repeating
    letters: (moment, layer, head, query, key).

    Empty, (0,), if the stack is too large for its moments to keep all weights.
    """
    looks = [
        [record.value("weights") for record in induction.through(setup, moment.weights, row)]
        for moment in result.whole_moments
    ]
    return torch.stack([torch.stack(layers) for layers in looks]) if looks else torch.empty(0)


def _looks(setup: Setup, of_language: Weights) -> Tensor:
    """Return the seven steps' weights with these parameters: (head, query, key)."""
    own = of_language | layer_of(of_language, 1)  # for a whole stack, layer 1's weights
    own["embedding_table"] = fit_table(setup, own["embedding_table"])
    if "positions" in own:
        own["positions"] = fit_positions(setup, own["positions"], len(setup.tokens))
    record = TraceBuilder()
    embed(setup, own, record, token_ids(setup.tokens, setup.vocabulary))
    attend(setup, own, record, setup.mask_function(len(setup.tokens)))
    return record.value("weights")
