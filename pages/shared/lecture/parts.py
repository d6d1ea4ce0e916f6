"""Drawn only in a lecture: the question, a cell's terms beat by beat, and large text."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

import torch

from core.board import colours
from core.text.written import count, write_after_sign
from core.trace.cell import Cell
from pages.shared import board
from pages.shared.board import entries
from pages.shared.lecture.screen import current_beat, is_on, shows
from pages.shared.text import elements, words


def large(key: str = "large") -> AbstractContextManager:
    """Return a container for text, large in a lecture."""
    return elements.container(key=key) if is_on() else nullcontext()


def question(
    names: Sequence[str], query: int, key: int | None = None, asked: Sequence[str] | None = None
) -> None:
    """Draw the beat `question`: the sentence in large type with the selected words (from 0).
    `asked` are a second sentence's words, for the key."""
    if current_beat() != "question":
        return
    said = f"We follow {words.quote(names[query])}"
    if asked and key is not None:
        said += f", with the key {words.quote(asked[key])} of another sentence."
        key = None
    else:
        said += "." if key in (None, query) else f" and {words.quote(names[key])}."
    alt = f"{' '.join(names)}. {said}"
    board.words(names=names, said=said, query=query, asked=key, key="board_question", alt=alt)


def terms(
    cell: Cell, factors: Sequence[tuple[str, str]], name: str, labels: Sequence[str], key: str
) -> None:
    """Draw the beats `vectors`, `products` and `sum` of one cell.

    `factors` are the two vectors' titles and roles; a bias, a term of one factor, is shown with the
    sum.
    """
    if not shows("vectors", "products", "sum"):
        return
    beat = current_beat()
    rows = 2 if beat == "vectors" else 3
    draw_terms(cell, factors, name, labels, key, rows=rows, with_sum=beat == "sum")


def draw_terms(
    cell: Cell,
    factors: Sequence[tuple[str, str]],
    name: str,
    labels: Sequence[str],
    key: str,
    *,
    rows: int = 3,
    with_sum: bool = True,
) -> None:
    """Draw a cell that is a sum of products: the first `rows` of two vectors and their products,
    and the sum. A long sum shows its largest terms."""
    pairs = [term for term in cell.terms if len(term.factors) == 2]
    products = torch.tensor([term.value for term in pairs])
    if len(pairs) > board.SEEN_WHOLE:
        shown = board.largest(products)
        pairs, labels = [pairs[k] for k in shown], [labels[k] for k in shown]
    every = [
        (title, role, [term.factors[k].value for term in pairs])
        for k, (title, role) in enumerate(factors)
    ] + [("product", colours.NONE, [term.value for term in pairs])]
    bias = "".join(
        f" + bias {write_after_sign(term.value)}" for term in cell.terms if len(term.factors) == 1
    )
    total = f"sum{bias} {words.equals(cell.value)} = {name}" if with_sum else ""
    if others := len(products) - len(pairs):
        these = sum(term.value for term in pairs)
        rest = words.number(products.sum().item() - these)
        total = (
            f"these {len(pairs)}: {words.number(these)}, {others} others: {rest}, {total}"
            if with_sum
            else f"the {len(pairs)} largest of {len(products)} terms"
        )
    matrices = [
        board.Matrix(
            title,
            torch.tensor([values]),
            [title],
            labels[: len(pairs)],
            ("", "term"),
            role,
            **(entries.SHARES if role == "weights" else {}),
        )
        for title, role, values in every[:rows]
    ]
    titles = "; ".join(title for title, *_ in every[:rows])
    alt = f"{count(len(pairs), 'term')} of {name}: {titles}. {total}"
    board.terms(*matrices, of=len(every), total=total, key=key, alt=alt)
