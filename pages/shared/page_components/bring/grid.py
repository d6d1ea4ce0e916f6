"""Numbers typed or pasted into a grid, to correct the parsed matrices or to enter new ones."""

import streamlit as st

from core.importing.names import QKV, WEIGHTS, symbol
from core.importing.parsing import CELLS
from pages.shared.layout import show
from pages.shared.page_components.bring.result import Looked, write_answers
from pages.shared.text import elements

SIZES = {"words": 3, "d_model": 4, "d_k": 2, "d_v": 2}
MAX = 12  # of a chosen size
KINDS = {"X with W_q, W_k and W_v": ("x", *WEIGHTS), "Q, K and V": QKV}


def draw(looked: Looked) -> None:
    """Draw a grid for each given matrix, or for chosen sizes if there is none, and a link that
    applies the changes."""
    fold = elements.fold("Type or change the numbers in a grid", "grid")
    if fold is None:
        return
    with fold:
        there = _read(looked)
        grids = there or _empty()
        typed = {key: _edited(key, rows) for key, rows in grids.items()}
        changed = {key: rows for key, rows in typed.items() if rows != _text(there.get(key, []))}
        answers = looked.reading.answers | {CELLS + key: rows for key, rows in changed.items()}
        way = show.link_here("Take these numbers", {"answers": write_answers(answers)})
        elements.html(f'<p class="ab-way">{way}</p>')


def _read(looked: Looked) -> dict[str, list[list[str]]]:
    """Return the rows of each given matrix by head, as in the text."""
    return {
        name if len(pieces) == 1 else f"{name}.{k}": rows
        for name, pieces in looked.reading.typed.items()
        for k, rows in enumerate(pieces, start=1)
    }


def _empty() -> dict[str, list[list[str]]]:
    """Ask for the sizes and return matrices of zeros."""
    names = KINDS[st.radio("What is there", list(KINDS), horizontal=True, key="grid_kind")]
    wanted = [name for name in SIZES if name != "d_model" or "x" in names]
    sizes = {
        name: int(place.number_input(name, 1, MAX, SIZES[name], key=f"grid_{name}"))
        for name, place in zip(wanted, st.columns(len(wanted)), strict=True)
    }
    rows = {name: "d_model" if name in WEIGHTS else "words" for name in names}
    columns = {name: "d_v" if name[-1] == "v" else "d_k" for name in names} | {"x": "d_model"}
    return {
        name: [["0"] * sizes[columns[name]] for _ in range(sizes[rows[name]])] for name in names
    }


def _edited(key: str, rows: list[list[str]]) -> str:
    """Draw one grid (it accepts a paste from a spreadsheet) and return its rows as text for the
    link."""
    name, _, head = key.partition(".")
    elements.caption(symbol(name) + (f", head {head}" if head else ""))
    table = {str(k): list(column) for k, column in enumerate(zip(*rows, strict=True), start=1)}
    size = f"{len(rows)}x{len(rows[0])}"
    shown = st.data_editor(table, key=f"grid_{key}_{size}", hide_index=True)
    return _text([list(map(str, row)) for row in zip(*shown.values(), strict=True)])


def _text(rows: list[list[str]]) -> str:
    return "_".join(",".join(cell.strip().replace(",", ".") or "0" for cell in row) for row in rows)
