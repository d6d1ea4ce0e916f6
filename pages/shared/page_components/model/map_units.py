"""What a row of the map of heads stands for: a piece or a word; special pieces may be left out."""

from collections.abc import Sequence
from dataclasses import replace

from core import Setup
from core.analysis.head_roles import add_up_pieces
from core.text.text import labels
from pages.shared import board
from pages.shared.link.focus import Focus

Unit = Sequence[int]  # the tokens of a row, from 0


def list_special(setup: Setup) -> list[int]:
    """Return the places of a pretrained model's special pieces, from 0; none if there is nothing
    else."""
    found = setup.real.tokenizer.find_special(setup.token_ids) if setup.real else []
    return found if len(found) < len(setup.tokens) else []


def list_kept(setup: Setup, focus: Focus) -> list[int]:
    """Return the places of the tokens that are shown, from 0."""
    hidden = list_special(setup) if focus.special == "hidden" else []
    return [place for place in range(len(setup.tokens)) if place not in hidden]


def list_words(setup: Setup) -> list[range]:
    """Return the tokens of each word of a pretrained model's text."""
    return setup.real.tokenizer.group_words(setup.token_ids) if setup.real else []


def list_units(setup: Setup, focus: Focus) -> list[Unit]:
    """Return the tokens of each row of the map."""
    kept = list_kept(setup, focus)
    if focus.units == "words":
        return [word for word in list_words(setup) if word[0] in kept]
    return [[place] for place in kept]


def name_units(setup: Setup, units: Sequence[Unit]) -> tuple[str, ...]:
    """Return a label for each row of the map."""
    spelled = (
        "".join(setup.tokens[place].removeprefix("##" * (place > unit[0])) for place in unit)
        for unit in units
    )
    return labels(tuple(each.strip() or each for each in spelled))


def place_among(units: Sequence[Unit], place: int) -> int:
    """Return the row of the map in which a token is; the first if it is left out."""
    return next((k for k, unit in enumerate(units) if place in unit), 0)


def regroup(matrix: board.Matrix, units: Sequence[Unit], names: Sequence[str]) -> board.Matrix:
    """Return a head's picture with these rows and columns."""
    if len(units) == len(matrix.rows):
        return matrix
    frame = matrix.frame and (0, len(units), 0, len(units))
    values = add_up_pieces(matrix.values, units)
    return replace(matrix, values=values, rows=names, columns=names, frame=frame)
