"""A film of training: whom the words of a sentence look at, at each moment."""

import torch
from torch import Tensor

from . import lessons, masks, weights
from .model import Weights, attend, embed
from .record import Record
from .setup import Setup
from .text import token_ids
from .training import Trained


def film(setup: Setup, result: Trained) -> Tensor:
    """The weights of the setup's sentence at each moment of its training: (moment, head, query, key).

    Words that training never saw have the row that was drawn for them, in all moments.
    """
    return torch.stack([_looks(setup, result.weights | moment.weights) for moment in result.moments])


def _looks(setup: Setup, of_language: Weights) -> Tensor:
    """What the seven steps give with these weights: (head, query, key)."""
    own = of_language | lessons.layer_of(of_language, 1)  # of a whole stack, layer 1 looks
    own["embedding_table"] = weights.fitted_table(setup, own["embedding_table"])
    if "positions" in own:
        own["positions"] = weights.fitted_positions(setup, own["positions"], len(setup.tokens))
    record = Record()
    embed(setup, own, record, token_ids(setup.tokens, setup.vocabulary))
    attend(setup, own, record, masks.of(setup, len(setup.tokens)))
    return record.value("weights")
