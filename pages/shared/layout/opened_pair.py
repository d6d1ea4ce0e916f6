"""One cell of two traces written out, term under term."""

import math

import torch

from core.board import colours
from core.forward.trace import Trace
from core.text.text import labels
from core.text.written import count
from core.trace.cell import Cell, Index
from core.trace.origin import Softmax
from pages.shared import board
from pages.shared.text import elements, tables, words

Place = tuple[Trace, Index]


def show(name: str, held: Place, present: Place) -> None:
    """Write the cell out for both setups, with the terms of both if there are several."""
    sides = {"held": held, "present": present}
    cells = {said: _open(trace, name, index) for said, (trace, index) in sides.items()}
    lines = (
        f"In the {said} setup {_cell(name, trace, index)} is"
        f" {_number(trace, name, index)}{_made(cell)}."
        for (said, (trace, index)), cell in zip(sides.items(), cells.values(), strict=True)
    )
    elements.text("\n".join(lines))
    if all(cell is not None and len(cell.terms) > 1 for cell in cells.values()):
        both = {
            said: terms(cell, sides[said][0][name].origin) for said, cell in cells.items() if cell
        }
        same_words = (held[0].tokens, held[0].key_tokens) == (
            present[0].tokens,
            present[0].key_tokens,
        )
        _terms(name, both, _words(present[0], cells["present"]) if same_words else {})


def _made(cell: Cell | None) -> str:
    """Describe how the cell follows from its terms, "" for an initialised weight."""
    if cell is None:
        return ""
    return (
        f", the sum of {count(len(cell.terms), 'term')}"
        if cell.rule == "their sum"
        else f": {cell.rule}"
    )


def terms(cell: Cell, origin: object) -> dict[str, float]:
    """Return each term by its label, then their sum: the cell, or a softmax's denominator."""
    names = [*tables.term_labels(cell), "bias"][: len(cell.terms)]
    total = (
        math.fsum(term.value for term in cell.terms) if isinstance(origin, Softmax) else cell.value
    )
    return dict(zip(names, (term.value for term in cell.terms), strict=True)) | {"sum": total}


def align_terms(
    held: dict[str, float], present: dict[str, float]
) -> tuple[list[str], torch.Tensor]:
    """Return the labels of both (sum last) and their terms (2, label), NaN for a missing term."""
    names = [*dict.fromkeys(label for label in (*held, *present) if label not in ("bias", "sum"))]
    names += [label for label in ("bias", "sum") if label in held | present]
    return names, torch.tensor(
        [[side.get(label, math.nan) for label in names] for side in (held, present)]
    )


def _terms(name: str, sides: dict[str, dict[str, float]], names: dict[str, str]) -> None:
    numbers, both = align_terms(*sides.values())
    board.matrices(
        board.Matrix(
            "terms",
            torch.cat([both, both[1:] - both[:1]]),
            [*sides, "difference"],
            [names.get(label, label) for label in numbers],
            ("setup", "term"),
            colours.NONE,
            "terms and sum",
            top=both[:, :-1].nan_to_num().abs().max().item(),
            blocks=(len(numbers) - 1,),
            wide=not names,
        ),
        key=f"board_compare_{name}_terms",
        stacked=True,
        max_width=60,
        alt=(
            f"The terms of the chosen cell of {name} in both setups, one above the other, and their"
            " sums."
        ),
    )


def _words(trace: Trace, cell: Cell | None) -> dict[str, str]:
    """Return the word of each term's number, if the terms run over a sentence or the vocabulary."""
    last = cell.terms[0].factors[0].name if cell else ""
    if last and trace[last].dims[-1] == "word":
        return dict(
            zip(board.number_labels(len(trace.vocabulary)), labels(trace.vocabulary), strict=True)
        )
    if not last or trace[last].dims[-1] not in ("key", "memory", "token"):
        return {}
    names = labels(trace.tokens if trace[last].dims[-1] == "token" else trace.key_tokens)
    return dict(zip(board.number_labels(len(names)), names, strict=True))


def _open(trace: Trace, name: str, index: Index) -> Cell | None:
    """Return the cell's terms, None for an initialised weight."""
    origin = trace[name].origin
    return origin.open(trace, index) if origin is not None else None


def _cell(name: str, trace: Trace, index: Index) -> str:
    axes = trace[name].dims[-len(index) :]
    places = [
        words.axis_labels(trace, axis, size)[at]
        for axis, size, at in zip(axes, trace.value(name).shape, index, strict=True)
    ]
    return words.cell(
        name, *(place for axis, place in zip(axes, places, strict=True) if axis not in words.HEADS)
    )


def _number(trace: Trace, name: str, index: Index) -> str:
    value = trace.value(name)[index]
    return words.number(value.item()) if value.is_floating_point() else str(value.item())
