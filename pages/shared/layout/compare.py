"""A pinned setup beside the present one: a page's main tensors of both and their difference."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import torch
from torch import Tensor

from core import Setup
from core.analysis import compare
from core.board import colours
from core.forward import masked_lm, next_word
from core.forward.trace import Trace
from core.reference.checks import largest
from core.trace.record import Entry
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import compare as claims
from pages.shared.layout import opened_pair
from pages.shared.link.focus import Focus, most_of
from pages.shared.link.pages import Page
from pages.shared.server import computed, run
from pages.shared.text import elements, words

OF_PROJECTION = {"queries": ("q",), "keys": ("k",), "values": ("v",)}
MAX_WRITTEN = 1000  # largest vocabulary whose probabilities are written out


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two setups: its trace, and the shown sentence, layer and head (from 1)."""

    setup: Setup
    trace: Trace
    places: Mapping[str, int]


def show(at_temperatures: bool = False) -> None:
    """Draw "Held and present" if another setup is pinned. On Next word, setups that differ only in
    temperature are drawn beside their button (`at_temperatures`)."""
    page, focus = run.now().page, run.focus()
    if (
        focus.held in (None, run.setup())
        or not page.main
        or not _can(page, focus.held, run.setup())
    ):
        return
    of_temperatures = (
        page.main_of == "word"
        and replace(focus.held, word_temperature=run.setup().word_temperature) == run.setup()
    )
    if of_temperatures != at_temperatures:
        return
    sides = focus.held, run.setup()
    held, present = (_side(page.main_of, setup, focus) for setup in sides)
    names = main(page, focus)
    with elements.container(border=True, key="compare"):
        elements.header("Held and present", anchor=False)
        elements.text(claims.fields_apart(sides))
        along = [
            f"layer{focus.layer}.{name}" if page.main_of == "stack" else name for name in names
        ]
        how = claims.describe_matching(_match(page.main_of, *sides), _have_same_words(*sides))
        elements.text(claims.numbers_apart(_pairs(page.main_of, *sides), along, how))
        for name in names:
            _three(name, held, present, focus)


def halves() -> bool:
    """Draw both setups, half the screen each, in the lecture beat of the main tensor; return
    whether this is that beat."""
    page, focus = run.now().page, run.focus()
    if (
        focus.held is None
        or lecture.current_beat() != page.main_beat
        or not _can(page, focus.held, run.setup())
    ):
        return False
    name = main(page, focus)[-1]
    held, present = (_side(page.main_of, setup, focus) for setup in (focus.held, run.setup()))
    with lecture.large():
        elements.text(claims.fields_apart((held.setup, present.setup)))
    _board(name, _matrices(name, held, present), present, focus, across=2)
    return True


def _can(page: Page, *sides: Setup) -> bool:
    """Return whether both setups have the page's tensors; some have no next word."""
    return page.main_of != "word" or not any(map(masked_lm.explain_no_word, sides))


def main(page: Page, focus: Focus) -> tuple[str, ...]:
    """Return the names of the compared entries; on Projection, those of the selected matrix."""
    return OF_PROJECTION[focus.matrix] if page.path == "projection" else page.main


@lru_cache(maxsize=computed.MAX_TRACES)
def _pairs(of: str, held: Setup, present: Setup) -> tuple[compare.Pair, ...]:
    return compare.compare(
        _derivation(of, held), _derivation(of, present), _match(of, held, present)
    )


def _match(of: str, held: Setup, present: Setup) -> dict[str, compare.Places]:
    """Match the words of two setups; those of a batch's sentences are compared by place."""
    return {} if of == "batch" else compare.match_words(held, present, of != "sentence")


def _have_same_words(held: Setup, present: Setup) -> bool:
    return (held.sentences, held.memory_tokens) == (present.sentences, present.memory_tokens)


def _derivation(of: str, setup: Setup) -> Mapping[str, Entry]:
    """Return the entries in order: of the seven steps, the batch, the stack or the next word."""
    if of == "batch":
        return computed.compute_batch(setup).trace
    if of == "word":
        return computed.said(setup)
    steps = computed.traced(setup)
    return compare.derivation(steps, computed.compute_layers(setup)) if of == "stack" else steps


def _side(of: str, setup: Setup, focus: Focus) -> Side:
    places = {
        name: min(getattr(focus, name), most_of(setup)[name])
        for name in ("sentence", "layer", "head")
    }
    if of == "batch":
        return Side(setup, computed.compute_batch(setup).sentence(places["sentence"] - 1), places)
    if of == "word":
        return Side(setup, computed.said(setup), {"head": places["head"]})
    del places["sentence"]
    if of == "stack":
        return Side(setup, computed.layer(setup, places["layer"]), places)
    del places["layer"]
    return Side(setup, computed.traced(setup), places)


def _three(name: str, held: Side, present: Side, focus: Focus) -> None:
    """Draw the pinned and the present matrix and their difference on one scale, and write out the
    chosen cell."""
    before, after = shown = _matrices(name, held, present)
    missing = _find_missing_place(held, present, name)
    matched = _match(run.now().page.main_of, held.setup, present.setup)
    apart = None if missing else subtract(before, after, matched)
    if apart is not None:
        of_both = words.made(compare.difference, "held", "present")
        look = {"role": colours.NONE, "scale": "diverging", "top": after.top}
        shown = (
            *shown,
            replace(
                after,
                name="difference",
                symbol="",
                values=apart,
                title="present − held",
                made=of_both,
                **look,
            ),
        )
    _board(name, shown, present, focus, across=3)
    if len(shown) == 2:
        elements.text(claims.no_difference((before.values.shape, after.values.shape), missing))
    chosen = _find_chosen(after, focus)
    if name == "probabilities" and not _both_have(after.columns[chosen[1]], held, present):
        return
    opened_pair.show(
        name,
        (held.trace, _index(held, name, _find_there(chosen, after, matched))),
        (present.trace, _index(present, name, chosen)),
    )


def subtract(
    before: board.Matrix, after: board.Matrix, matched: Mapping[str, compare.Places]
) -> Tensor | None:
    """Return present − held, each word with the same word, NaN where held has none; None if shapes
    differ."""
    places = {axis: both for axis, both in matched.items() if axis in after.axes and both[0]}
    held, present = (
        compare.take_places(each.values, after.axes, {axis: p[k] for axis, p in places.items()})
        for k, each in enumerate((before, after))
    )
    if held.shape != present.shape:
        return None
    apart = torch.full(after.values.shape, math.nan)
    rows, columns = (
        torch.tensor(places[axis][1]) if axis in places else torch.arange(size)
        for axis, size in zip(after.axes, after.values.shape, strict=True)
    )
    apart[rows[:, None], columns] = compare.difference(held, present).to(apart.dtype)
    return apart


def _find_there(
    chosen: tuple[int, int], matrix: board.Matrix, matched: Mapping[str, compare.Places]
) -> tuple[int, int]:
    """Return the place of the chosen cell's words in the held setup, the same place if it has
    none."""
    there = [dict(zip(*reversed(matched.get(axis, ([], []))), strict=True)) for axis in matrix.axes]
    return there[0].get(chosen[0], chosen[0]), there[1].get(chosen[1], chosen[1])


def _board(
    name: str, shown: Sequence[board.Matrix], present: Side, focus: Focus, across: int
) -> None:
    """Draw matrices side by side, the present one second; a click selects the same cell in all."""
    row, column = _fields(shown[1])
    one_row = name == "probabilities"  # of words: one above the other
    board.matrices(
        *shown,
        key=f"board_compare_{name}",
        across=1 if one_row else across,
        stacked=one_row,
        linked="values",
        main=1,
        chosen=_find_chosen(shown[1], focus),
        chooses=board.choice(
            {}, most_of(present.setup), **({row: "row"} if row else {}), **{column: "column"}
        ),
        max_width=84 if one_row else 52,
        alt=f"{name}, held and present" + (", and their difference." if len(shown) == 3 else "."),
    )


def _matrices(name: str, held: Side, present: Side) -> tuple[board.Matrix, board.Matrix]:
    """Return the pinned and the present matrix with one colour scale."""
    if name == "probabilities":
        shown = [present.trace.vocabulary[place] for place in next_word.shown(present.trace)]
        return _shares(held, shown, ", held"), _shares(present, shown, ", present")
    top = largest(*(_values(side, name) for side in (held, present)))
    return _matrix(held, name, ", held", top), _matrix(present, name, ", present", top)


def _values(side: Side, name: str) -> Tensor:
    """Return the shown matrix; a vector becomes one row."""
    return side.trace[name].matrix(side.trace.places(side.places["head"] - 1))[0]


def _find_missing_place(held: Side, present: Side, name: str) -> str:
    """Return the shown head, sentence or layer that the pinned setup lacks, "" if none."""
    with_heads = present.trace[name].dims[0] in words.HEADS
    apart = (axis for axis in present.places if held.places[axis] != present.places[axis])
    return next(
        (f"{axis} {present.places[axis]}" for axis in apart if axis != "head" or with_heads), ""
    )


def _matrix(side: Side, name: str, said: str, top: float) -> board.Matrix:
    entry = side.trace[name]
    title = entries.TITLES.get(name, name) + said
    if entry.value.ndim == 1:
        return entries.matrix(
            side.trace, name, title=title, whole=True, clickable=True, top=top, held=None
        )
    head = side.places["head"] - 1
    look = {"wide": entry.dims[-1] not in ("query", "key"), "clickable": True, "held": None}
    if name != "weights":  # weights have a fixed scale
        look |= {"scale": "diverging", "top": top}
    return entries.matrix(side.trace, name, head, title, **look)


def _shares(side: Side, shown: Sequence[str], said: str) -> board.Matrix:
    """Return these words' probabilities as next word, NaN for a word not in the vocabulary."""
    shares = dict(
        zip(side.trace.vocabulary, side.trace.value("probabilities").tolist(), strict=True)
    )
    return board.Matrix(
        "probabilities",
        torch.tensor([[shares.get(word, math.nan) for word in shown]]),
        [""],
        shown,
        ("", "word"),
        colours.get_role("probabilities"),
        entries.TITLES["probabilities"] + said,
        clickable=True,
        symbol="p",
        made=words.made_by(side.trace, "probabilities"),
        **entries.SHARES_IN_GREY,
    )


def _both_have(word: str, *sides: Side) -> bool:
    """Return whether both sides can write the word's probability out; large vocabularies cannot."""
    return all(
        word in side.trace.vocabulary and len(side.trace.vocabulary) <= MAX_WRITTEN
        for side in sides
    )


def _fields(matrix: board.Matrix) -> tuple[str | None, str]:
    """Return the focus fields that a matrix's rows and columns set."""
    rows, columns = matrix.axes
    if not rows:
        return None, "column" if columns == "word" else "query"
    return "key" if matrix.name in ("k", "v") else "query", "key" if columns == "key" else "column"


def _find_chosen(matrix: board.Matrix, focus: Focus) -> tuple[int, int]:
    row, column = (getattr(focus, field) - 1 if field else 0 for field in _fields(matrix))
    n, m = matrix.values.shape
    return min(row, n - 1), min(column, m - 1)


def _index(side: Side, name: str, chosen: tuple[int, int]) -> tuple[int, ...]:
    """Return the chosen cell's index in the entry, or the nearest one."""
    if name == "probabilities":
        present = computed.said(run.setup())
        return (
            side.trace.vocabulary.index(present.vocabulary[next_word.shown(present)[chosen[1]]]),
        )
    entry, (n, m) = side.trace[name], _values(side, name).shape
    row, column = min(chosen[0], n - 1), min(chosen[1], m - 1)
    if entry.value.ndim == 1:
        return (column,)
    return (*side.trace.head_index(name, side.places["head"] - 1), row, column)
