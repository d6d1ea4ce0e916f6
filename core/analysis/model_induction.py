"""Measure induction heads of a pretrained model: on random pieces that repeat, as `induction` does
it on letters."""

import re
from functools import lru_cache, reduce
from itertools import product
from random import Random

import torch
from torch import Tensor

from ..forward import next_word
from ..layers import block, model
from ..setup.setup import Setup
from ..trace.record import TraceBuilder
from ..weights import weights
from .ablation import zero_head_rows
from .induction import JOBS, Measured, Row, center, judge, measure_layer, thresholds
from .outputs import model_of

# Rows, their length, and their range of periods.
OF_PIECES, PIECES, AGAIN = 16, 24, (6, 11)
A_WORD = re.compile(" [A-Za-z]{2,}")  # a piece that begins a word


@lru_cache(maxsize=2)
def rows_of_pieces(setup: Setup) -> Row:
    """Return rows of distinct random pieces of the setup's model, repeated, so that only the
    repetition predicts the next piece. Ids are the model's; if it has few whole words, all pieces
    are used."""
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
    """Measure the setup's model alone on `rows_of_pieces`, `without` heads (layer, head from 0).

    Raises:
        ValueError: it does not predict the next word.
    """
    plain = next_word.resolve_setup(Setup(text="a", init="real", model=setup.model))
    asked, own = rows_of_pieces(plain), model_of(plain)
    there, ids = asked.ids.unique(return_inverse=True)
    made_of = weights.get_embedding(plain, ("",) * ids.shape[1])
    x = model.embed(
        plain,
        made_of | {"embedding_table": own.embedding_table(own.tokenizer.named(there.tolist()))},
        TraceBuilder(values_only=True),
        ids,
    )
    may_attend, layers = weights.may_attend(plain, ids.shape[1]), []
    gain = own.around.get("gain_top", torch.ones(plain.d_model))
    for n, of_layer in enumerate(weights.layers(plain)):
        record, heads = TraceBuilder(), [head for layer, head in without if layer == n]
        used = reduce(lambda weights, head: zero_head_rows(weights, head, plain), heads, of_layer)
        x = block.run(plain, used, x, may_attend, record)
        layers.append(
            measure_layer(record, asked, lambda rows: own.unembed(center(rows, plain) * gain))
        )
    return judge(asked, own.unembed(own.top(x[asked.known])), layers)


def select_heads(found: Measured, least: Tensor) -> tuple[tuple[int, int], ...]:
    """Return the induction heads, by layer and head from 0."""
    return tuple(at for at, job in found.names(least).items() if job == JOBS[1])


def off_together(setup: Setup) -> tuple[Measured, ...]:
    """Return the model's measurement, that without its induction heads, and that without as many
    random heads that have no job; only the first if there are too few of either."""
    whole, least = measure_model(setup), thresholds(rows_of_pieces(setup))
    off, named = select_heads(whole, least), whole.names(least)
    layers, heads = map(range, whole.scores.shape[1:])
    others = {*product(layers, heads)} - {*named, *whole.only_looks(least)}
    if not off or len(others) < len(off):
        return (whole,)
    return (
        whole,
        measure_model(setup, off),
        measure_model(setup, tuple(Random(1).sample(sorted(others), len(off)))),
    )
