"""All heads of a model on one sentence: weights on one word, attention sinks, and one pair in one
head."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from core.analysis import ablation, contributions
from core.forward.trace import Trace
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import context as of_context
from pages.shared.captions import real_model as claims
from pages.shared.layout import show
from pages.shared.text import words

Layers = Sequence[Trace]
MOST_PROJECTED = 8  # layers, each a line of pictures seen from the last row


def stack_layers(layers: Layers, name: str) -> Tensor:
    """Return an entry of all layers: (layer, head, …)."""
    return torch.stack([layer.value(name) for layer in layers])


def list_shown(layers: int, chosen: int) -> list[int]:
    """Return the layers to draw, from 0: all, in a lecture those of `pick_evenly`."""
    return pick_evenly(layers, chosen) if lecture.is_on() else list(range(layers))


def pick_evenly(layers: int, chosen: int) -> list[int]:
    """Return the layers that a projector has room for, evenly spaced, with the chosen and the last.

    >>> pick_evenly(6, 1), pick_evenly(30, 2)
    ([0, 1, 2, 3, 4, 5], [0, 2, 5, 10, 15, 20, 25, 29])
    """
    if layers <= MOST_PROJECTED:
        return list(range(layers))
    every = math.ceil(layers / (MOST_PROJECTED - 2))
    return sorted({*range(0, layers, every), chosen, layers - 1})


def draw_pair(
    layers: Layers, i: int, j: int, names: Sequence[str], chosen: tuple[int, int]
) -> None:
    """Draw every head's weight from one word to the other; `chosen` is a layer and a head."""
    shares = stack_layers(layers, "weights")[:, :, i, j]
    order = shares.flatten().argsort(descending=True)[:3].tolist()
    heads = shares.shape[1]
    told = ", ".join(
        f"{k // heads + 1} · {k % heads + 1} gives {words.percent(shares.flatten()[k].item())}"
        for k in order
    )
    pair = f"{words.quote(names[i])} gives to {words.quote(names[j])}"
    said = (
        f"Of what {pair}, the most: {told}."
        if shares.max() > 0
        else f"All that {pair} is 0: it may not look there."
    )
    show.plain(said)
    board.matrices(
        entries.by_head(
            "weights",
            shares,
            f"α[{names[i]}, {names[j]}] in every head",
            "weights",
            symbol="α",
            clickable=True,
            made=entries.matrix(layers[0], "weights", 0).made,
            **entries.SHARES,
        ),
        key="board_pair",
        chosen=chosen,
        chooses=board.choice(layer="row", head="column", init="real"),
        max_width=66,
        of_screen=0.6,
        alt=said,
    )


def row_in_all(
    layers: Layers, i: int, j: int, names: Sequence[str], chosen: tuple[int, int]
) -> None:
    """Draw one word's weights in every head: a picture for each layer, a line for each head."""
    shown = list_shown(len(layers), chosen[0])
    board.matrices(
        *(
            entries.matrix(
                layers[k],
                "weights",
                title=f"α, layer {k + 1}",
                at={"query": i},
                called=f"layer {k + 1}",
                symbol="α",
                clickable=True,
            )
            for k in shown
        ),
        key="board_row",
        across=3,
        main=shown.index(chosen[0]),
        chosen=(chosen[1], j),
        chooses=board.choice(
            {f"layer {k + 1}": {"layer": k + 1} for k in shown},
            head="row",
            key="column",
            init="real",
        ),
        of_screen=0.7,
        min_width=9,
        max_width=26,
        min_height=8,
        max_height=14,
        alt=(
            f"What {words.quote(names[i])} looks at in {len(shown)} layers of"
            f" {layers[0].setup.heads} heads."
        ),
    )


def shares_of_keys(layer: Trace) -> tuple[Tensor, Tensor]:
    """Return each key's share of a layer's attention and of its contributions, both (head, key)."""
    weights = layer.value("weights")
    lengths = contributions.compute_norms(weights, layer.value("v"), layer.value("w_o"))
    return contributions.average_over_queries(weights), contributions.average_over_queries(lengths)


def brings(layer: Trace, head: int, names: Sequence[str]) -> str:
    """Describe the token with one head's largest mean weight, and its contribution."""
    weights, brought = (shares[head].tolist() for shares in shares_of_keys(layer))
    return f"Over the whole sentence {of_context.brings(weights, brought, names)}"


def sinks(layers: Layers, names: Sequence[str], chosen: tuple[int, int]) -> None:
    """Draw every head's weight on the first or last token, whichever has more, and its
    contribution."""
    looked_at, brought = (
        torch.stack(both) for both in zip(*map(shares_of_keys, layers), strict=True)
    )
    ends = (0, len(names) - 1)
    place = max(ends, key=lambda k: looked_at[..., k].mean().item())
    of_weights, of_brought = looked_at[..., place], brought[..., place]
    said = claims.sinks(
        names[place], of_weights.mean().item(), of_brought.mean().item(), of_weights.numel()
    )
    show.plain(said)
    on = f"α on {words.quote(names[place])}, mean"
    board.matrices(
        *(
            entries.by_head(
                name,
                values,
                title,
                role,
                symbol=symbol,
                clickable=True,
                made=words.made(contributions.average_over_queries, name),
                **scale,
            )
            for name, values, title, role, symbol, scale in (
                ("weights", of_weights, on, "weights", "α", entries.SHARES),
                ("brought", of_brought, "brings", "output", "brings", entries.SHARES_IN_GREY),
            )
        ),
        key="board_sinks",
        across=2,
        linked="values",
        chosen=chosen,
        chooses=board.choice(layer="row", head="column", init="real"),
        max_width=38,
        of_screen=0.6,
        alt=said,
    )


def draw_ablations(moved: Tensor, what: str, chosen: tuple[int, int]) -> None:
    """Draw how far the model's output moves without each head (layer, head), relative to its
    length."""
    said = claims.matter(moved, what)
    show.plain(said)
    board.matrices(
        entries.by_head(
            "moved",
            moved,
            "share of its length that the answer moves by, without this head",
            "output",
            scale="plain",
            clickable=True,
            made=words.made(ablation.measure_ablations, "setup"),
            symbol="moved",
        ),
        key="board_off",
        chosen=chosen,
        chooses=board.choice(layer="row", head="column", init="real"),
        max_width=66,
        of_screen=0.6,
        alt=f"How far {what} moves without each of {moved.numel()} heads. {said}",
    )


def score(layer: Trace, head: int, i: int, j: int, names: Sequence[str]) -> None:
    """Draw one score written out: the products of query and key."""
    cell = layer["scores"].origin.open(layer, (head, i, j))
    name = words.cell("scores", names[i], names[j])
    factors = (
        (f"Q, row {words.isolate(names[i])}", "q"),
        (f"K, row {words.isolate(names[j])}", "k"),
    )
    lecture.draw_terms(cell, factors, name, board.number_labels(len(cell.terms)), "terms_score")


def softmax(layer: Trace, head: int, i: int, j: int, names: Sequence[str]) -> None:
    """Draw one word's scores and the weights below them."""
    row = slice(i, i + 1)
    weights = layer.value("weights")[head, i]
    board.matrices(
        entries.matrix(layer, layer.stages("weights")[-2], head, rows=row),
        entries.matrix(layer, "weights", head, rows=row, sums=True, hide_columns=True),
        key="board_softmax",
        stacked=True,
        linked="column",
        main=1,
        chosen=(0, j),
        max_width=66,
        of_screen=0.5,
        alt=words.attention(names[i], weights.tolist(), names),
    )
