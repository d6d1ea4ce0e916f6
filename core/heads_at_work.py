"""What the heads of a real model look at, measured on sentences of which it is known what belongs to what.

Clark et al., *What Does BERT Look At?* (2019), sections 3 and 4: a head has a job where its largest weight is on the right word more
often than any one fixed distance would be. Here also in sentences that it was not chosen by.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor

from .encoder import encode
from .grammar import RELATIONS, Marked, half
from .pretrained import Pretrained
from .setup import Setup

MARGIN = 0.15  # by so much of all cases the right word is found more often than by the best fixed distance
MOSTLY = 0.6  # in so many of all cases a head looks at a place that it is called by
DISTANCES = {"the word before": -1, "the word after": 1, "the word itself": 0}


@dataclass(frozen=True, eq=False)
class Shares:
    """In how many of all cases a head's largest weight is there, as a share: (layer, head) for each place and each relation.

    `fixed` is the share that the best fixed distance has, for each relation.
    """

    of_heads: dict[str, Tensor]
    fixed: dict[str, float]


@dataclass(frozen=True, eq=False)
class Work:
    """What was measured in sentences that no job was chosen by, and each head's jobs there, layer by layer; few heads have any."""

    shares: Shares
    jobs: tuple[tuple[tuple[str, ...], ...], ...]


@lru_cache(maxsize=4)
def of_model(model: Pretrained) -> Work:
    """All heads of a model; some seconds the first time."""
    chosen_by, others = shares(model, half(0)), shares(model, half(1))
    layers, heads = range(model.sizes.layers), range(model.sizes.heads)
    return Work(others, tuple(tuple(jobs(chosen_by, others, (layer, head)) for head in heads) for layer in layers))


def jobs(chosen_by: Shares, others: Shares, head: tuple[int, int]) -> tuple[str, ...]:
    """The relations in which a head stands out, or else the place that it mostly looks at; in both kinds of sentences. `head` is
    its layer and its place there, from 0."""

    def stands_out(name: str) -> bool:
        least = [each.fixed[name] + MARGIN if name in each.fixed else MOSTLY for each in (chosen_by, others)]
        found = [each.of_heads[name][head].item() for each in (chosen_by, others)]
        return all(share >= enough for share, enough in zip(found, least, strict=True))

    standing_out = tuple(filter(stands_out, chosen_by.of_heads))
    return tuple(name for name in standing_out if name in RELATIONS) or standing_out


def shares(model: Pretrained, sentences: Sequence[Marked]) -> Shares:
    """Where the heads of a model look in these sentences."""
    hits: dict[str, list[Tensor]] = {}
    for sentence in sentences:
        largest, around = largest_by_word(model, sentence.words)
        own = torch.arange(len(sentence.words)) + (0 in around.values())
        right = {name: (own, own + distance) for name, distance in DISTANCES.items()}
        right |= {name: (own, torch.full_like(own, place)) for name, place in around.items()}
        right |= {name: (own[[a for a, _ in pairs]], own[[b for _, b in pairs]]) for name, pairs in sentence.marks.items()}
        for name, (asking, asked) in right.items():
            hits.setdefault(name, []).append(largest[..., asking] == asked)
    of_heads = {name: torch.cat(found, dim=-1).double().mean(dim=-1) for name, found in hits.items()}
    return Shares(of_heads, {name: best_fixed(sentences, name) for name in RELATIONS})


def largest_by_word(model: Pretrained, words: Sequence[str]) -> tuple[Tensor, dict[str, int]]:
    """The word that each head gives most to, (layer, head, word), and the places of what the model puts around them, by name.
    Places count words and these, from 0."""
    setup = Setup(text=" ".join(words), init="real", model=model.name)
    numbers = model.tokenizer.words_of(setup.text)
    first = int(numbers[0] is None)
    places = [first + n if n is not None else (first + len(words)) * (piece > 0) for piece, n in enumerate(numbers)]
    weights = torch.stack([layer.value("weights") for layer in encode(setup)])
    around = {setup.tokens[piece]: places[piece] for piece, n in enumerate(numbers) if n is None}
    return by_word(weights, torch.tensor(places)).argmax(dim=-1), around


def by_word(weights: Tensor, words: Tensor) -> Tensor:
    """What a word's pieces give on average to all pieces of a word: (query, key) → (word, word); `words` (token,) says which word
    a piece belongs to. Clark et al. 2019, section 4.1.

    >>> by_word(torch.tensor([[1., 0., 0.], [0., 0.5, 0.5], [0.5, 0.5, 0.]]), torch.tensor([0, 1, 1])).tolist()
    [[1.0, 0.0], [0.25, 0.75]]
    """
    belongs = F.one_hot(words).to(weights.dtype)
    return (belongs / belongs.sum(dim=0)).T @ weights @ belongs


def best_fixed(sentences: Sequence[Marked], relation: str) -> float:
    """How often one distance leads to the right word, the best one there is.

    >>> from .grammar import marked
    >>> best_fixed([marked(("the", "cat"), "drank", ("milk",), "because it was", "fresh")], RELATIONS[3])
    1.0
    """
    distances = Counter(asked - asking for sentence in sentences for asking, asked in sentence.marks[relation])
    return max(distances.values()) / distances.total()
