"""An induction head, measured: in rows of letters that begin again, which head looks at the place
before, and which at the place after the last time that its letter came. Two layers find the next
letter so; Olsson et al. 2022, "In-context Learning and Induction Heads".

A head of the first layer looks at the place before, so that each place knows the letter before it.
A head of the second looks for the place that has its own letter before it: that is the place after
the last time, and the letter there comes next.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import product
from random import Random

import torch
from torch import Tensor

from . import block, classes, language, model, next_word, tasks, weights
from .names import Weights
from .purpose import model_of
from .record import Numbers, Record
from .setup import Setup
from .switched_off import zero_head_rows
from .text import token_ids
from .training import Trained
from .weights import get_embedding_table, get_unembedding, positions
from .weights import layer as layer_weights

ASKED = 200  # rows that training never saw
JOBS = ("the place before", "the place after the last time")
# A setup that learns it, whose sentence is such a row.
EXAMPLE = Setup(
    text="d b k a d b k",
    init="trained",
    task="repeat",
    positions="sinusoidal",
    unembedding="own",
    layers=2,
    heads=2,
    d_k=8,
    d_v=8,
    steps=600,
)
# a head has the name of a job from this on above what it would have without finding anything
MARGIN = 0.15


@dataclass(frozen=True, eq=False)
class Row:
    """The rows that are asked about: ids (row, token), without the last letter of each, and the
    last letters' own places.

    `next_ids` (row, token) is which letter comes next, `after_last` (row, token) the place after
    the last time that a place's letter came, and `known` (row, token) says where it has come
    before.
    """

    ids: Tensor
    next_ids: Tensor
    after_last: Tensor
    known: Tensor


@dataclass(frozen=True, eq=False)
class Measured:
    """How a stack does on the rows: `loss` in nats and `accuracy` where the next letter can be
    known, and of each head the mean weight on the place before and on the place after the last
    time: `scores` (job, layer, head)."""

    loss: float
    accuracy: float
    scores: Tensor

    @property
    def pair(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The heads that come nearest to both jobs, by layer and head from 0: that of the second
        job above the first layer, and that of the first job below it. In a single layer there is no
        below."""
        layers, heads = self.scores.shape[1:]
        above = int(layers > 1)
        finds = divmod(int(self.scores[1, above:].argmax()) + above * heads, heads)
        below = self.scores[0, : finds[0] or 1]
        return divmod(int(below.argmax()), heads), finds

    def names(self, thresholds: Tensor) -> dict[tuple[int, int], str]:
        """Return what heads do, by layer and head from 0: the jobs in which a score reaches its
        threshold (job,). Most do none."""
        found: dict[tuple[int, int], str] = {}
        for job, layer, head in (self.scores >= thresholds[:, None, None]).nonzero().tolist():
            found.setdefault((layer, head), JOBS[job])
        return found


@lru_cache(maxsize=4)
def rows(seed: int) -> Row:
    """Return the first 200 of the rows that training with this seed never sees."""
    given = tasks.examples(Setup(init="trained", task="repeat", seed=seed))
    places = given.unseen[:ASKED]
    ids, known = given.ids[places], given.known[places]
    periods = known.int().argmax(dim=1)
    after_last = (torch.arange(ids.shape[1] - 1) - periods[:, None] + 1).clamp(min=0)
    return Row(ids[:, :-1], ids[:, 1:], after_last, known)


def measure(
    setup: Setup, weights: Mapping[str, Tensor], without: tuple[int, int] | None = None
) -> Measured:
    """Return how a stack does that has learned `task="repeat"`, by its weights; `without` one head,
    by layer and head from 0."""
    asked, own = rows(setup.seed), tasks.start_on_examples(setup)
    used = weights if without is None else ablate_head(weights, *without, heads=setup.heads)
    with torch.no_grad():
        given, records = tasks.logits(own, used, asked.ids, keep=True)
    at, answers = given[asked.known], asked.next_ids[asked.known]
    loss = classes.cross_entropy(at, answers).mean().item()
    accuracy = (at.argmax(dim=-1) == answers).double().mean().item()
    return Measured(
        loss,
        accuracy,
        torch.stack([_scores(record.value("weights"), asked) for record in records], dim=1),
    )


def own_row(setup: Setup) -> tuple[str, ...]:
    """Return the setup's sentence where it is such a row: letters of the alphabet, no more than
    training has places for, and one that came before. Else one that training never saw, up to where
    it has begun again; of those with a period of four the first."""
    tokens = setup.tokens
    is_row = (
        len(tokens) < tasks.LENGTH
        and set(tokens) <= {*language.LETTERS}
        and len(set(tokens)) < len(tokens)
    )
    if is_row:
        return tokens
    asked = rows(setup.seed)
    periods = asked.known.int().argmax(dim=1)
    at = int((periods - 4).abs().argmin())
    return tuple(language.LETTERS[k] for k in asked.ids[at, : 2 * int(periods[at]) - 1].tolist())


def place_after(tokens: Sequence[str], place: int) -> int | None:
    """Return the place after the last time that this place's token came before it, from 0; None
    where it did not.

    >>> place_after("dbkadbk", 6), place_after("dbkadbk", 3)
    (3, None)
    """
    before = [k for k in range(place) if tokens[k] == tokens[place]]
    return before[-1] + 1 if before else None


def through(setup: Setup, weights: Mapping[str, Tensor], row: Sequence[str]) -> list[Record]:
    """Return every tensor on the way of one row of letters through a stack that has learned them, a
    record for each layer."""
    with torch.no_grad():
        return tasks.logits(
            tasks.start_on_examples(setup),
            weights,
            token_ids(tuple(row), language.LETTERS),
            keep=True,
        )[1]


def keys_moved(
    setup: Setup, weights: Mapping[str, Tensor], row: Sequence[str], place: int
) -> Tensor:
    """Return how far each head's key of a place moves, as a share of its length, when another
    letter stands before it; the mean over all other letters: (layer, head). In the first layer
    nothing moves: a key there is made of the place's own row of X alone."""
    others = [letter for letter in language.LETTERS if letter != row[place - 1]]
    keys = [
        _keys(setup, weights, [*row[: place - 1], letter, *row[place:]])[:, :, place]
        for letter in (row[place - 1], *others)
    ]
    moved = torch.stack([(other - keys[0]).norm(dim=-1) for other in keys[1:]]).mean(dim=0)
    return moved / keys[0].norm(dim=-1)


def _keys(setup: Setup, weights: Mapping[str, Tensor], row: Sequence[str]) -> Tensor:
    """Return the keys of one row: (layer, head, token, d_k)."""
    return torch.stack([record.value("k") for record in through(setup, weights, row)])


def ablate_head(weights: Mapping[str, Tensor], layer: int, head: int, heads: int) -> Weights:
    """Return the same weights, but that nobody hears of one head: its rows of the layer's W_o are
    0. Both are counted from 0. KeyError without projections: then there is no W_o."""
    name = f"layer{layer + 1}.w_o"
    return {**weights, name: zero_head_rows({"w_o": weights[name]}, head, heads)["w_o"]}


def get_weights(setup: Setup) -> Weights:
    """Return all weights of the stack as the pages have them, with the setup's edits, by the names
    that training gives them."""
    own = replace(setup, text=" ".join(language.LETTERS), layer=1)
    every = {
        f"layer{n}.{name}": weight
        for n in range(1, own.layers + 1)
        for name, weight in layer_weights(own, n).items()
    }
    every["embedding_table"] = get_embedding_table(own)
    if own.positions == "learned":
        every["positions"] = positions(own, tasks.LENGTH - 1)
    if own.unembedding == "own":
        every["unembedding"] = get_unembedding(own)
    return every


def course(setup: Setup, result: Trained) -> Iterator[tuple[int, Measured]]:
    """Yield how the stack does at each moment of training, by the number of steps: when the loss
    falls, both scores rise. Nothing of a stack that is so large that its moments do not keep all
    weights."""
    for moment in result.moments:
        if moment.weights.keys() == result.weights.keys():
            yield moment.step, measure(setup, moment.weights)


def thresholds(seed: int) -> Tensor:
    """Return from which score on a head has a name: (job,). It is the margin above what a head has
    that looks at all places before alike, and above the best that looks at a fixed distance."""
    return chance_scores(rows(seed)) + MARGIN


def chance_scores(asked: Row) -> Tensor:
    """Return both scores without finding anything: the place before by looking at all alike, the
    place after the last time by always looking equally far back, at the distance that is right most
    often: (job,)."""
    tokens = asked.ids.shape[1]
    alike = (1 / torch.arange(2, tokens + 1)).mean()
    distances = (torch.arange(tokens) - asked.after_last)[asked.known]
    return torch.stack([alike, distances.bincount().max() / len(distances)])


# ---------- the same two scores, of a model that was read ----------

OF_PIECES, PIECES, AGAIN = (
    16,
    24,
    (6, 11),
)  # rows, how long each is, and after how many pieces it begins again
A_WORD = re.compile(" [A-Za-z]{2,}")  # a piece that is a word's beginning, or all of it


@lru_cache(maxsize=2)
def rows_of_pieces(setup: Setup) -> Row:
    """Return rows of random pieces of the model that the setup reads, different ones, then the same
    again: they have no meaning that could say what comes next. Ids are the model's own; where it
    has few words, of all its pieces."""
    own = model_of(setup)
    random, tokens = Random(1), min(PIECES, own.sizes.places)
    words = [k for k, piece in enumerate(own.tokenizer.every) if A_WORD.fullmatch(piece)]
    drawn_from = words if len(words) >= AGAIN[1] else range(len(own.tokenizer.every))
    periods = torch.tensor([AGAIN[0] + k % (AGAIN[1] - AGAIN[0] + 1) for k in range(OF_PIECES)])
    drawn = [random.sample(drawn_from, period) for period in periods.tolist()]
    ids = torch.tensor([[row[k % len(row)] for k in range(tokens)] for row in drawn])
    places = torch.arange(tokens - 1)
    return Row(
        ids[:, :-1],
        ids[:, 1:],
        (places - periods[:, None] + 1).clamp(min=0),
        places >= periods[:, None],
    )


@torch.inference_mode()
def measure_model(setup: Setup, without: tuple[tuple[int, int], ...] = ()) -> Measured:
    """Return how the model that the setup reads does on such rows, as it is; `without` heads, by
    layer and head from 0.

    Raises:
        ValueError: it was not made to say what comes next.
    """
    plain = next_word.resolve_setup(Setup(text="a", init="real", model=setup.model))
    asked, own = rows_of_pieces(plain), model_of(plain)
    there, ids = asked.ids.unique(return_inverse=True)
    made_of = weights.get_embedding(plain, ("",) * ids.shape[1])
    x = model.embed(
        plain,
        made_of | {"embedding_table": own.embedding_table(own.tokenizer.named(there.tolist()))},
        Numbers(),
        ids,
    )
    may_attend, scores = weights.may_attend(plain, ids.shape[1]), []
    for n, of_layer in enumerate(weights.layers(plain)):
        record, heads = Record(), [head for layer, head in without if layer == n]
        used = reduce(
            lambda weights, head: zero_head_rows(weights, head, plain.heads), heads, of_layer
        )
        x = block.run(plain, used, x, may_attend, record)
        scores.append(_scores(record.value("weights"), asked))
    answers = asked.next_ids[asked.known]
    given = own.unembed(own.top(x[asked.known]))
    accuracy = (given.argmax(dim=-1) == answers).double().mean().item()
    return Measured(
        classes.cross_entropy(given, answers).mean().item(), accuracy, torch.stack(scores, dim=1)
    )


def least_of_model(setup: Setup) -> Tensor:
    """Return from which score on a head of the model has a name, as `thresholds` does: (job,)."""
    return chance_scores(rows_of_pieces(setup)) + MARGIN


def select_heads(found: Measured, least: Tensor) -> tuple[tuple[int, int], ...]:
    """Return the heads that look for the place after the last time, by layer and head from 0."""
    return tuple(at for at, job in found.names(least).items() if job == JOBS[1])


def off_together(setup: Setup) -> tuple[Measured, ...]:
    """Return how the model does, how without all of those heads, and how without as many of no
    name, drawn; only the first where there are none of either."""
    whole, least = measure_model(setup), least_of_model(setup)
    off, named = select_heads(whole, least), whole.names(least)
    layers, heads = map(range, whole.scores.shape[1:])
    others = [at for at in product(layers, heads) if at not in named]
    if not off or len(others) < len(off):
        return (whole,)
    return (
        whole,
        measure_model(setup, off),
        measure_model(setup, tuple(Random(1).sample(others, len(off)))),
    )


def _scores(weights: Tensor, asked: Row) -> Tensor:
    """Return each head's mean weight on both places, weights (row, head, query, key): (job,
    head)."""
    before = weights.diagonal(-1, -2, -1).mean(dim=(0, 2))
    there = asked.after_last[:, None, :, None].expand(-1, weights.shape[1], -1, 1)
    at = weights.gather(-1, there)[..., 0] * asked.known[:, None]
    return torch.stack([before, at.sum(dim=(0, 2)) / asked.known.sum()])
