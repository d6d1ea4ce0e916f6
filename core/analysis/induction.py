"""Measure induction heads: in rows of letters that repeat, which head attends to the previous
token, and which to the token after the current letter's last occurrence, and copies it; Olsson et
al. 2022, "In-context Learning and Induction Heads".

A head in the first layer attends to the previous token, so each position knows the letter before
it. A head in the second layer finds the position whose previous letter is the current one: the
letter there is the next one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import torch
from torch import Tensor

from ..ops import classes
from ..ops.heads import contributions, share
from ..ops.weight_names import Weights, full
from ..setup.setup import Setup
from ..text import language
from ..text.text import token_ids
from ..trace.record import TraceBuilder
from ..training import tasks
from ..training.training import Trained
from ..weights.weights import get_embedding_table, get_unembedding, positions
from ..weights.weights import layer as layer_weights
from .ablation import zero_head_rows

ASKED = 200  # test rows
JOBS = ("the place before", "the place after the last time")
# A setup that learns it; its sentence is such a row.
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
# a head gets a job's name this far above chance
MARGIN = 0.15
# an induction head also copies: in this share of cases, its token is among the top words
COPIED, TOP = 0.5, 0.01


@dataclass(frozen=True, eq=False)
class Row:
    """The test rows: ids (row, token), without each row's last letter.

    `next_ids` (row, token) is the next letter at each position, `after_last` (row, token) the
    position after the letter's last occurrence, and `known` (row, token) whether the next letter
    can be known.
    """

    ids: Tensor
    next_ids: Tensor
    after_last: Tensor
    known: Tensor


@dataclass(frozen=True, eq=False)
class Measured:
    """A stack's results on the rows: `loss` in nats and `accuracy` where the next letter can be
    known, and each head's mean weight on the previous position and on the position after the last
    occurrence: `scores` (job, layer, head). `copies` (layer, head) is how often a head that looks
    there would copy the token (`measure_copying`), NaN where that was not asked."""

    loss: float
    accuracy: float
    scores: Tensor
    copies: Tensor

    @property
    def pair(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The best head for each job, by layer and head from 0: for the second job above the first
        layer, and for the first job below that head; with a single layer, both in it."""
        layers, heads = self.scores.shape[1:]
        above = int(layers > 1)
        finds = divmod(int(self.scores[1, above:].argmax()) + above * heads, heads)
        below = self.scores[0, : finds[0] or 1]
        return divmod(int(below.argmax()), heads), finds

    def names(self, thresholds: Tensor) -> dict[tuple[int, int], str]:
        """Return each head's job, by layer and head from 0, if its score reaches the job's
        threshold (job,), and for the second job if it copies too."""
        found: dict[tuple[int, int], str] = {}
        does = self.scores >= thresholds[:, None, None]
        does[1] &= self.copies >= COPIED
        for job, layer, head in does.nonzero().tolist():
            found.setdefault((layer, head), JOBS[job])
        return found

    def only_looks(self, thresholds: Tensor) -> list[tuple[int, int]]:
        """Return the heads whose weights do the second job, but which do not copy what they find,
        by layer and head from 0."""
        looks = (self.scores[1] >= thresholds[1]) & ~(self.copies >= COPIED)
        return [(layer, head) for layer, head in looks.nonzero().tolist()]


@lru_cache(maxsize=4)
def rows(seed: int) -> Row:
    """Return the first 200 test rows for training with this seed."""
    given = tasks.examples(Setup(init="trained", task="repeat", seed=seed))
    places = given.unseen[:ASKED]
    ids, known = given.ids[places], given.known[places]
    periods = known.int().argmax(dim=1)
    after_last = (torch.arange(ids.shape[1] - 1) - periods[:, None] + 1).clamp(min=0)
    return Row(ids[:, :-1], ids[:, 1:], after_last, known)


def measure(
    setup: Setup, weights: Mapping[str, Tensor], without: tuple[int, int] | None = None
) -> Measured:
    """Measure a stack trained with `task="repeat"` by its weights, `without` one head (layer and
    head from 0)."""
    asked, own = rows(setup.seed), tasks.start_on_examples(setup)
    used = weights if without is None else ablate_head(weights, *without, setup)
    with torch.no_grad():
        given, records = tasks.logits(own, used, asked.ids, keep=True)
    unembedding = tasks.get_unembedding(used)

    def unembed(rows: Tensor) -> Tensor:
        return (center(rows, own) if own.norm == "post" else rows) @ unembedding

    layers = [measure_layer(record, asked, unembed) for record in records]
    return judge(asked, given[asked.known], layers)


def measure_layer(
    record: TraceBuilder, asked: Row, unembed: Callable[[Tensor], Tensor]
) -> tuple[Tensor, Tensor]:
    """Return a layer's scores (job, head) and copies (head,), as `Measured` has them. A vocabulary
    may be large: only heads that look there are asked whether they copy."""
    scores = measure_weights(record.value("weights"), asked)
    looks, copies = scores[1] >= thresholds(asked)[1], torch.full_like(scores[1], torch.nan)
    if looks.any():
        written, answers = find_written(record, asked)[looks], asked.next_ids[asked.known]
        copies[looks] = measure_copying(written, unembed, answers)
    return scores, copies


def judge(asked: Row, given: Tensor, layers: Sequence[tuple[Tensor, Tensor]]) -> Measured:
    """Return a stack's results from the logits where the next letter can be known, (case, word),
    and each layer's scores and copies."""
    answers = asked.next_ids[asked.known]
    loss = classes.cross_entropy(given, answers).mean().item()
    accuracy = (given.argmax(dim=-1) == answers).double().mean().item()
    scores, copies = zip(*layers, strict=True)
    return Measured(loss, accuracy, torch.stack(scores, dim=1), torch.stack(copies))


def find_written(record: TraceBuilder, asked: Row) -> Tensor:
    """Return what each head would add to the residual stream if it looked only at the position
    after the last occurrence, v · W_o there, for each position that can be known: (head, case,
    d_model)."""
    v, (row, _) = record.value("v"), asked.known.nonzero(as_tuple=True)
    v = v[row, :, asked.after_last[asked.known]].movedim(0, 1)
    if not record.has("w_o"):
        return v
    w_o = full(record.value("w_o"))
    return contributions(share(v, record.value("weights").shape[1]), w_o)


def measure_copying(written: Tensor, unembed: Callable[[Tensor], Tensor], tokens: Tensor) -> Tensor:
    """Return how often the token at which a head looks is among the 1 % of words, at least one,
    whose logit the head raises most: `written` (head, case, d_model), tokens (case,) → (head,).
    Olsson et al. 2022, "Copying".

    >>> measure_copying(
    ...     torch.tensor([[[3.0, 1.0], [0.0, 1.0]]]), lambda rows: rows, torch.tensor([0, 0])
    ... ).tolist()
    [0.5]
    """
    found = []
    for of_head in written:
        raised = unembed(of_head)
        rank = (raised >= raised.gather(-1, tokens[:, None])).sum(dim=-1)
        found.append((rank <= max(1, TOP * raised.shape[-1])).float().mean())
    return torch.stack(found)


def center(rows: Tensor, setup: Setup) -> Tensor:
    """Return rows (case, d_model) as a norm without its scale hands them on: less each row's mean,
    or as they are for an RMS norm."""
    return rows if setup.norm_kind == "rms" else rows - rows.mean(dim=-1, keepdim=True)


def own_row(setup: Setup) -> tuple[str, ...]:
    """Return the setup's sentence if it is a valid row (letters of the alphabet, at most as many as
    trained positions, one repeated), else the start of the first test row of period four."""
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
    """Return the position after the last earlier occurrence of this position's token, from 0; None
    if there is none.

    >>> place_after("dbkadbk", 6), place_after("dbkadbk", 3)
    (3, None)
    """
    before = [k for k in range(place) if tokens[k] == tokens[place]]
    return before[-1] + 1 if before else None


def through(setup: Setup, weights: Mapping[str, Tensor], row: Sequence[str]) -> list[TraceBuilder]:
    """Return every tensor of one row of letters in a trained stack, a record for each layer."""
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
    """Return how far each head's key at a position moves, relative to its length, when the previous
    letter changes, averaged over all other letters: (layer, head). It is 0 in the first layer,
    where a key depends only on its own row of X."""
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


def ablate_head(weights: Mapping[str, Tensor], layer: int, head: int, setup: Setup) -> Weights:
    """Return the weights with one head ablated: its rows of the layer's W_o are 0. Layer and head
    count from 0. KeyError without projections, where there is no W_o."""
    name = f"layer{layer + 1}.w_o"
    return {**weights, name: zero_head_rows({"w_o": weights[name]}, head, setup)["w_o"]}


def get_weights(setup: Setup) -> Weights:
    """Return all weights of the stack as used on the pages, with the setup's edits, by their names
    in training."""
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
    """Yield the number of steps and the measurement at each moment of training. Empty if the stack
    is too large for its moments to keep all weights."""
    for moment in result.moments:
        if moment.weights.keys() == result.weights.keys():
            yield moment.step, measure(setup, moment.weights)


def thresholds(asked: Row) -> Tensor:
    """Return the score from which a head gets a job's name: (job,), the margin above
    `chance_scores`."""
    return chance_scores(asked) + MARGIN


def chance_scores(asked: Row) -> Tensor:
    """Return the best scores without content: uniform attention for the previous position, and for
    the position after the last occurrence the fixed distance that is right most often: (job,)."""
    tokens = asked.ids.shape[1]
    alike = (1 / torch.arange(2, tokens + 1)).mean()
    distances = (torch.arange(tokens) - asked.after_last)[asked.known]
    return torch.stack([alike, distances.bincount().max() / len(distances)])


def measure_weights(weights: Tensor, asked: Row) -> Tensor:
    """Return each head's mean weight for both jobs, from weights (row, head, query, key): (job,
    head)."""
    before = weights.diagonal(-1, -2, -1).mean(dim=(0, 2))
    there = asked.after_last[:, None, :, None].expand(-1, weights.shape[1], -1, 1)
    at = weights.gather(-1, there)[..., 0] * asked.known[:, None]
    return torch.stack([before, at.sum(dim=(0, 2)) / asked.known.sum()])
