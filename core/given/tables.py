"""One line of a table read: a word or a few, then numbers with anything usual between them; and
columns that only count."""

from dataclasses import dataclass, replace

from .brackets import decimal_comma, first_word
from .lexing import Piece
from .naming import may_be_a_token, named


@dataclass(frozen=True)
class Row:
    """What one line of a table holds; several rows where semicolons end them. `named` says that a
    matrix's name stands before it."""

    rows: list[list[str]]
    first: Piece
    last: Piece
    word: str = ""
    named: bool = False
    pointed: bool = False
    broken: Piece | None = None  # what is no number


def row_of(line: list[Piece], width: int) -> Row | None:
    """Read one line of a table: a word or a few, then numbers. None where it is no such line.
    `width`: how long the row above is."""
    if line and all(piece.kind == "number" for piece in line):
        return Row(
            [[piece.text for piece in line]],
            line[0],
            line[-1],
            pointed=any(piece.pointed for piece in line),
        )
    said = ""
    end = len(line)
    while end and line[end - 1].kind in ("comment", "rowend"):
        end -= 1
        said = first_word(line[end].text) if line[end].kind == "comment" else said
    line = line[:end]
    kinds = [piece.kind for piece in line]
    start = next((i for i, kind in enumerate(kinds) if kind in ("number", "broken")), None)
    if start is None or {"open", "close", "begin", "end"} & set(kinds):
        return None
    before, body = [piece for piece in line[:start] if piece.kind != "pipe"], line[start:]
    words = [piece for piece in before if piece.kind in ("word", "string", "command")]
    signs = {"equals", "colon", "arrow", "pipe", "comma"} & set(kinds)
    if len(words) > 3 or {"semi", "rowend", "other", "ellipsis"} & {piece.kind for piece in before}:
        return None
    colon = (
        bool(words)
        and any(piece.kind == "colon" for piece in before)
        and named(words[-1].text) is not None
    )
    colon = colon and not (width and may_be_a_token(words[-1].text))
    has_name = colon or any(piece.kind == "equals" for piece in before)
    word = said or (words[-1].text if words and not has_name else "")
    row = Row([], body[0], body[-1], word, has_name, any(piece.pointed for piece in body))
    odd = [
        piece
        for piece in body
        if piece.kind not in ("number", "comma", "semi", "pipe", "amp", "rowend")
    ]
    if odd:
        return (
            replace(row, rows=[[piece.text for piece in body]], broken=odd[0])
            if _was_meant(body, odd, width)
            else None
        )
    if len(body) == 1 and words and not signs:
        return None
    return replace(row, rows=_decimal_commas(body) or _cells(body))


def _was_meant(body: list[Piece], odd: list[Piece], width: int) -> bool:
    """Return whether a line with something else than numbers was meant as a row: it is as long as
    the one above, or nearly whole."""
    numbers = len([piece for piece in body if piece.kind == "number"])
    signless = len(body) == 1 and body[0].text.count("?") > 1
    missing = all(piece.kind in ("broken", "ellipsis") for piece in odd) and numbers > 1
    return signless or missing or (width > 1 and numbers > 0 and numbers + len(odd) == width)


def _cells(body: list[Piece]) -> list[list[str]]:
    """Return the numbers of a line, in rows where semicolons end them; one number between each of
    them is one row."""
    rows: list[list[str]] = [[]]
    for piece in body:
        if piece.kind == "number":
            rows[-1].append(piece.text)
        elif piece.kind == "semi" and rows[-1]:
            rows.append([])
    rows = [row for row in rows if row]
    return [[row[0] for row in rows]] if all(len(row) == 1 for row in rows) else rows


def _decimal_commas(body: list[Piece]) -> list[list[str]] | None:
    """Return the numbers of a line in which a comma stands for the decimal point, and tabs or
    semicolons between them; else None."""
    glued = [
        i
        for i in range(1, len(body) - 1)
        if body[i].kind == "comma" and not body[i].spaced and not body[i + 1].spaced
    ]
    apart = any(
        piece.kind == "semi" or (piece.kind == "number" and piece.spaced) for piece in body[1:]
    )
    if not glued or not apart or len(glued) != sum(piece.kind == "comma" for piece in body):
        return None
    cells, k = [], 0
    while k < len(body):
        decimal = decimal_comma(body, k)
        if decimal is None and k + 1 in glued:
            return None
        if body[k].kind == "number":
            cells.append(decimal.text if decimal else body[k].text)
        k += 3 if decimal else 1
    return [cells]


def without_index(
    rows: list[list[str]], words: dict[int, str], before: str
) -> tuple[list[list[str]], dict[int, str]]:
    """Leave out a first row that counts the columns and a first column that counts the rows, as
    tables are printed."""
    head, rest = rows[0], rows[1:]
    widths = {len(row) for row in rest}
    if (
        len(rest) > 1
        and widths == {len(head) + 1}
        and _counts(head)
        and _counts([row[0] for row in rest])
    ):
        return [row[1:] for row in rest], {}
    if (
        rest
        and widths == {len(head)}
        and _counts(head)
        and 0 not in words
        and len(words) == len(rest)
    ):
        return rest, {i - 1: word for i, word in words.items()}
    names = before.rstrip().rpartition("\n")[2].split()
    if (
        len(names) > 1
        and len(rest) > 0
        and widths | {len(head)} == {len(names) + 1}
        and _counts([row[0] for row in rows])
    ):
        return [row[1:] for row in rows], words
    return rows, words


def _counts(numbers: list[str]) -> bool:
    """Return whether numbers count, from 0 or from 1."""
    return any(numbers == [str(i + start) for i in range(len(numbers))] for start in (0, 1))


def is_rule(line: list[Piece]) -> bool:
    """Return whether a line only draws a table: |---|---|."""
    written = {letter for piece in line for letter in piece.text}
    return bool(line) and written <= set("|-:+=") and "-" in written
