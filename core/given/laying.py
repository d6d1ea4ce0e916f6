"""Which way matrices lie, and how heads stand in them: laid as X W, a word a row, one matrix for
each head."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .desk import QKV, WEIGHTS, Desk, Unfit, symbol
from .entries import Entry
from .nested import flat, shape, transposed

ROWS, STORED, COLUMNS, MIXED = "X W", "X W^T", "W X", "X^T W"
ORIENTATIONS = {
    ROWS: "a word is a row, and X W is meant",
    STORED: "a word is a row, and the matrices are stored as (out, in), so that X W^T is meant",
    COLUMNS: "a word is a column, and W X is meant",
    MIXED: "a word is a column, and X^T W is meant",
}
LAID = {"rows": "a word is a row", "columns": "a word is a column"}
MOST_HEADS = 20
STEPS_OF_HEADS = ("scores", "scaled", "masked", "weights", "context")


def gathered(desk: Desk, name: str) -> Any:
    """Return what has this name: matrices by head for projections, Q, K, V and W_o; else the rows,
    or the row, itself."""
    of_name = desk.of(name)
    if name in ("b_q", "b_k", "b_v", "b_o"):
        return [number for entry in of_name for number in flat(entry.numbers)]
    single = name not in (*WEIGHTS, *QKV, "w_o")
    rows = _rows_alone(of_name, name) or _vectors(desk, name)
    matrices = [rows] if rows else _matrices(of_name)
    if len({shape(matrix) for matrix in matrices}) > 1 or any(
        len(shape(matrix)) != 2 for matrix in matrices
    ):
        raise Unfit(f"{symbol(name)} is no matrix, or its heads have not one shape.")
    if single and len(matrices) > 1:
        raise Unfit(f"{symbol(name)} holds {len(matrices)} matrices: bring one sentence's.")
    return matrices[0] if single else matrices


def _rows_alone(of_name: Sequence[Entry], name: str) -> list[list[str]]:
    """Return the rows of what is written a row at a time: x_1, x_2; [] where it is not."""
    words = name in ("x", "memory_x", "mask", *QKV)
    if words and all(len(entry.shape) == 1 for entry in of_name):
        if len({entry.shape for entry in of_name}) > 1:
            raise Unfit(f"The rows of {symbol(name)} are not of one length.")
        return [entry.numbers for entry in of_name]
    return []


def _vectors(desk: Desk, name: str) -> list[list[str]]:
    """Return the rows of what is written as a matrix of one row, or of one column, for each word:
    of X, or of Q, K and V all alike; [] where it is not."""
    alike = QKV if name in QKV else (name,) if name in ("x", "memory_x") else ()
    entries = [entry for other in alike for entry in desk.of(other)]
    of_name = desk.of(name)
    if len(entries) <= len(alike) or any(
        len(entry.shape) != 2 or min(entry.shape) > 1 for entry in entries
    ):
        return []
    q, k, v = map(desk.of, QKV)
    if name in QKV and (len({max(entry.shape) for entry in q + k}) > 1 or len(k) != len(v)):
        return []  # these are heads, of one row or of one column
    return (
        [flat(entry.numbers) for entry in of_name]
        if len({entry.shape for entry in of_name}) == 1
        else []
    )


def _matrices(of_name: Sequence[Entry]) -> list[Any]:
    matrices: list[Any] = []
    for entry in of_name:
        numbers = entry.numbers
        while len(shape(numbers)) > 3 and len(numbers) == 1:
            numbers = numbers[0]
        matrices += (
            numbers
            if len(shape(numbers)) == 3
            else [numbers if len(shape(numbers)) > 1 else [numbers]]
        )
    return matrices


class Laying:
    """Lays what is given: matrices by name come in as they were found, and are left in `parts` as
    `values.AXES` has them.

    `columns` says whether the words are columns in the text, `how` what is to be said of it at each
    matrix. Raises Unfit.
    """

    def __init__(self, desk: Desk, parts: dict[str, Any], heads: str) -> None:
        self.desk, self.parts, self.heads = desk, parts, heads
        self.columns, self.how = False, ""

    # ---------- X with its projections ----------

    def weights(self) -> None:
        """Lay X and its projections, with their biases and W_o."""
        there = [name for name in WEIGHTS if name in self.parts]
        how = self._way(there)
        self.columns = how in (COLUMNS, MIXED)
        if how != ROWS:
            self.how = f"; {ORIENTATIONS[how]}, so it is turned to X W"
        if self.columns:
            self.parts |= {
                name: transposed(self.parts[name])
                for name in ("x", "memory_x")
                if name in self.parts
            }
        if how in (STORED, COLUMNS):
            self.parts |= {
                name: [transposed(matrix) for matrix in self.parts[name]] for name in there
            }
        self._split_heads(there)
        self._output("w_v", turned=how in (STORED, COLUMNS))

    def _way(self, there: Sequence[str]) -> str:
        """Return which way X and its projections lie: the only way that fits, or what is meant, or
        asked."""
        source = "x" if "x" in self.parts else "table"
        rows, width = shape(self.parts[source])
        sides = {name: shape(self.parts[name][0]) for name in there}
        out = {
            how: {name: side[1 - inner] for name, side in sides.items()}
            for how, (inner, size) in {
                ROWS: (0, width),
                STORED: (1, width),
                COLUMNS: (1, rows),
                MIXED: (0, rows),
            }.items()
            if all(side[inner] == size for side in sides.values())
            and (size is width or source == "x")
        }
        possible = [
            how
            for how, widths in out.items()
            if widths.get("w_q", 0) == widths.get("w_k", widths.get("w_q", 0))
        ]
        worded = any(len(entry.words) == rows for entry in self.desk.of(source))
        for fits in (
            lambda how: how in (ROWS, STORED) or not worded,
            lambda how: all(self._fits_bias(name, size) for name, size in out[how].items()),
            lambda how: self._fits_steps(rows if how in (ROWS, STORED) else width),
            lambda how: (
                how == STORED
                or not any(entry.stored for entry in self.desk.entries if entry.name in WEIGHTS)
            ),
        ):
            possible = [how for how in possible if fits(how)] or possible
        if not possible and self._unstacked(there, width):
            possible = [ROWS]
        if not possible:
            worst = next(
                (name for name in there if width not in sides[name] and rows not in sides[name]),
                there[0],
            )
            side = " × ".join(map(str, sides[worst]))
            raise Unfit(
                f"{symbol(worst)} ({side}) does not fit {symbol(source)} ({rows} × {width}),"
                " whichever way they lie."
            )
        words = self.desk.of(source)
        each_a_column = len(words) > 1 and all(
            len(entry.shape) == 2 and entry.shape[1] == 1 for entry in words
        )
        return self._orientation(
            possible, ORIENTATIONS, STORED if each_a_column and STORED in possible else ROWS
        )  # W x is meant

    def _fits_bias(self, name: str, size: int) -> bool:
        """Return whether the bias of a projection, if there is one, is as long as what it makes,
        for one head or several."""
        bias = len(self.parts.get(name.replace("w", "b"), ()))
        return not bias or bias % size == 0 or size % bias == 0

    def _fits_steps(self, words: int) -> bool:
        """Return whether the scores and weights beside it, if there are any, have as many rows and
        columns as there are words."""
        sides = [
            entry.shape[-2:]
            for entry in self.desk.entries
            if entry.name in STEPS_OF_HEADS[:4] and len(entry.shape) > 1
        ]
        square = [side[0] for side in sides if side[0] == side[1]]
        return not square or square[0] == words or self.desk.has("memory_x")

    def _unstacked(self, there: Sequence[str], width: int) -> bool:
        """Cut matrices in which heads stand below one another, and return whether they were
        such."""
        heights = {len(self.parts[name][0]) for name in there if len(self.parts[name]) == 1}
        if len(heights) != 1 or max(heights) % width or max(heights) == width:
            return False
        for name in there:
            whole = self.parts[name][0]
            self.parts[name] = [whole[i : i + width] for i in range(0, len(whole), width)]
        many = max(heights) // width
        self.desk.messages.append(
            f"W_q, W_k and W_v hold {many} heads below one another, {width} rows each."
        )
        return True

    def _orientation(self, possible: Sequence[str], says: Mapping[str, str], usual: str) -> str:
        """Return which way it lies: the only one that fits, or the usual one, which can be turned;
        else it is asked."""
        if len(possible) == 1:
            if possible[0] != usual:
                self.desk.messages.append(
                    f"Which way it lies: {says[possible[0]]}; nothing else fits."
                )
            if "orientation" in self.desk.answers:
                self.desk.ask(
                    "orientation", "Which way do the matrices lie?", possible, possible[0]
                )
            return possible[0]
        default = usual if usual in possible else None
        ways = "; or ".join(says[how] for how in possible)
        answer = self.desk.ask(
            "orientation", f"Which way do the matrices lie? Either {ways}.", possible, default
        )
        if default and answer == default:
            self.how = f"; {says[default]}, and it can be turned"
            self.desk.messages.append(f"Several ways fit: {says[default]}. It can be turned.")
        return answer or possible[0]

    # ---------- heads ----------

    def _split_heads(self, names: Sequence[str]) -> None:
        """Cut matrices in which the heads stand side by side, by as many as the text says, or a
        reader; and biases with them."""
        widths = [len(self.parts[name][0][0]) for name in names]
        heads = (
            self._asked_heads(widths) if all(len(self.parts[name]) == 1 for name in names) else 1
        )
        for name, width in zip(names, widths, strict=True):
            if heads > 1:
                size = width // heads
                self.parts[name] = [
                    [row[i : i + size] for row in self.parts[name][0]]
                    for i in range(0, width, size)
                ]
            bias = name.replace("w", "b")
            if bias in self.parts and bias != name:
                size = len(self.parts[name][0][0])
                self.parts[bias] = [
                    self.parts[bias][i : i + size] for i in range(0, len(self.parts[bias]), size)
                ]

    def _asked_heads(self, widths: Sequence[int]) -> int:
        most = math.gcd(*widths)
        options = [str(n) for n in range(1, min(most, MOST_HEADS) + 1) if most % n == 0]
        said = self.heads or self._heads_of_steps()
        if len(options) > 1:
            answer = self.desk.ask(
                "heads",
                "How many heads stand side by side?",
                options,
                said if said in options else "1",
            )
            return int(answer or 1)
        asked = self.desk.answers.get("heads", "1")
        if asked != "1":
            raise ValueError(
                f"The matrices cannot be cut into {asked[:9]} heads: {', '.join(map(str, widths))}"
                " columns wide."
            )
        return 1

    def _heads_of_steps(self) -> str:
        """Return how many heads the steps beside it have, as far as one shows it."""
        steps = [entry for entry in self.desk.entries if entry.name in STEPS_OF_HEADS]
        stacked = next((entry.shape[0] for entry in steps if len(entry.shape) == 3), 1)
        numbers = {self.desk.count(entry) for entry in steps if len(entry.shape) == 2}
        return str(stacked if stacked > 1 or None in numbers else len(numbers))

    def _output(self, of: str, turned: bool) -> None:
        """Lay W_o as (head·d_v, out): the heads' pieces below one another."""
        if "w_o" not in self.parts:
            return
        pieces = self.parts["w_o"]
        heads = max(len(self.parts[name]) for name in (*WEIGHTS, *QKV) if name in self.parts)
        width = (
            len(self.parts[of][0][0]) * (1 if len(pieces) > 1 else heads) if of in self.parts else 0
        )
        turned = turned or any(entry.stored for entry in self.desk.of("w_o"))
        rows = []
        for piece in pieces:
            fits, fits_turned = len(piece) == width, len(piece[0]) == width
            about = fits_turned and (turned or not fits)
            rows += transposed(piece) if about else piece
            if about:
                self.desk.messages.append(
                    "W_o is turned:"
                    f" {'it is stored as (out, in)' if turned else 'nothing else fits'}."
                )
        self.parts["w_o"] = rows

    # ---------- Q, K and V at once ----------

    def qkv(self) -> None:
        """Lay Q, K and V, with W_o."""
        q, k, v = (shape(self.parts[name][0]) for name in QKV)
        fits = {"rows": q[1] == k[1] and k[0] == v[0], "columns": q[0] == k[0] and k[1] == v[1]}
        possible = [how for how, fit in fits.items() if fit]
        if not possible:
            sides = ", ".join(
                f"{symbol(name)} ({' × '.join(map(str, side))})"
                for name, side in zip(QKV, (q, k, v), strict=True)
            )
            raise Unfit(f"{sides} do not fit together, whichever way they lie.")
        if fits["rows"] and any(
            len(entry.words) == entry.shape[-2]
            for name in QKV
            for entry in self.desk.of(name)
            if len(entry.shape) > 1
        ):
            possible = ["rows"]
        self.columns = self._orientation(possible, LAID, "rows") == "columns"
        if self.columns:
            self.how = "; a word is a column, so it is turned"
            self.parts |= {
                name: [transposed(matrix) for matrix in self.parts[name]] for name in QKV
            }
        self._split_heads(QKV)
        self._output("v", turned=self.columns)
