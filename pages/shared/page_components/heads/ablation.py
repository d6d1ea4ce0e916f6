"""Ablation of each head: how far the output moves without it."""

from collections.abc import Sequence

from torch import Tensor

from core.analysis import contributions
from pages.shared.text import elements, words
from pages.shared.text.tables import Columns


def show(parts: Tensor, output: Tensor, names: Sequence[str], query: int) -> None:
    """Draw a row for each head of `parts` (head, query, out), for the selected `query` (from 0)."""
    elements.plain_table(_table(parts, output, names, query))
    elements.caption(
        "A head that is off leaves out its contribution: the output moves as far as that is long."
    )


def _table(parts: Tensor, output: Tensor, names: Sequence[str], query: int) -> Columns:
    moves, length = contributions.measure_moves(parts), output[query].norm().item()
    furthest = moves.argmax(dim=1).tolist()
    own = moves[:, query].tolist()
    return {
        "off": [f"head {k}" for k in range(1, len(parts) + 1)],
        f"{words.quote(names[query])} moves by": [words.number(move) for move in own],
        "times its length": [words.number(move / length) if length else "–" for move in own],
        "moves furthest": [
            f"{words.quote(names[k])}, by {words.number(row[k].item())}"
            for k, row in zip(furthest, moves, strict=True)
        ],
    }
