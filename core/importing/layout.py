"""Which way matrices lie, and how heads stand in them: laid as X W, a word a row, one matrix for
each head. What fits several ways is asked."""

import math
from collections.abc import Iterable, Mapping, Sequence
from operator import mul
from typing import Any

from .names import QKV, WEIGHTS, symbol
from .nested import shape, transposed
from .questions import Asked, Unfit

ROWS, STORED, COLUMNS, MIXED = "X W", "X W^T", "W X", "X^T W"
ORIENTATIONS = {
    ROWS: "a word is a row, and X W is meant",
    STORED: "a word is a row, and the matrices are stored as (out, in), so that X W^T is meant",
    COLUMNS: "a word is a column, and W X is meant",
    MIXED: "a word is a column, and X^T W is meant",
}
LAID = {"rows": "a word is a row", "columns": "a word is a column"}
MOST_HEADS = 20
Parts = dict[str, Any]  # a matrix for each head; X and the other sentence are one matrix


class Layout:
    """Lays what was gathered as `values.AXES` has it, and says how it lay.

    `hints` are what the text itself says of it: its own "q", "k" and "v", whether rows have words
    ("worded"), are written as columns ("vectors"), W before X ("left"), what is "stored" as (out,
    in), how many "heads", and whether it speaks of some ("many").
    """

    def __init__(self, asked: Asked, parts: Parts, hints: Mapping[str, Any]) -> None:
        self.asked, self.parts, self.hints = asked, parts, hints
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
            self._turn(name for name in ("x", "memory_x") if name in self.parts)
        if how in (STORED, COLUMNS):
            self.parts |= {name: [transposed(one) for one in self.parts[name]] for name in there}
        self._split_heads(there)
        self._output("w_v", turned=how in (STORED, COLUMNS))

    def _turn(self, names: Iterable[str]) -> None:
        self.parts |= {name: transposed(self.parts[name]) for name in list(names)}

    def _way(self, there: Sequence[str]) -> str:
        """Return which way X and its projections lie: the only one that fits, the one in which the
        text's own Q, K and V come out, X W as usual, or what is answered."""
        rows, width = shape(self.parts["x"])
        sides = {name: shape(self.parts[name][0]) for name in there}
        inner = {ROWS: (0, width), STORED: (1, width), COLUMNS: (1, rows), MIXED: (0, rows)}
        out = {
            how: {name: side[1 - axis] for name, side in sides.items()}
            for how, (axis, size) in inner.items()
            if all(side[axis] == size for side in sides.values())
        }
        possible = [how for how, sizes in out.items() if sizes["w_q"] == sizes["w_k"]]
        for fits in (
            lambda how: how in (ROWS, STORED) or not self.hints.get("worded"),
            lambda how: all(self._fits_bias(name, size) for name, size in out[how].items()),
            lambda how: how == STORED or not self.hints.get("stored"),
            lambda how: self._gives(how, there, by_value=False),
            lambda how: self._gives(how, there, by_value=True),
        ):
            possible = [how for how in possible if fits(how)] or possible
        if not possible:
            worst = next((n for n in there if not {width, rows} & set(sides[n])), there[0])
            side = " × ".join(map(str, sides[worst]))
            raise Unfit(
                f"{symbol(worst)} ({side}) does not fit X ({rows} × {width}), whichever way they"
                " lie."
            )
        usual = STORED if self.hints.get("vectors") and STORED in possible else ROWS
        sure = usual in possible and not self.hints.get("left")
        return self._orientation(possible, ORIENTATIONS, usual if sure else None)

    def _fits_bias(self, name: str, size: int) -> bool:
        bias = len(self.parts.get(name.replace("w", "b"), ()))
        return not bias or bias % size == 0 or size % bias == 0

    def _gives(self, how: str, there: Sequence[str], by_value: bool) -> bool:
        """Return whether the text's own Q, K and V come out this way: by their shapes, or where at
        least two stand there by their numbers."""
        own = [(name, self.hints[name[2:]]) for name in there if self.hints.get(name[2:])]
        own = [one for one in own if len(shape(one[1])) == 2]
        if not own or (by_value and (len(own) < 2 or any(len(self.parts[n]) > 1 for n, _ in own))):
            return True
        x = self.parts["x"] if how in (ROWS, STORED) else transposed(self.parts["x"])
        for name, written in own:
            w = self.parts[name][0]
            made = _product(x, w if how in (ROWS, MIXED) else transposed(w))
            as_rows = written if how in (ROWS, STORED) else transposed(written)
            if shape(made) != shape(as_rows) or (by_value and not _near(made, as_rows)):
                return False
        return True

    def _orientation(
        self, possible: Sequence[str], says: Mapping[str, str], default: str | None
    ) -> str:
        """Return which way it lies: the only one that fits, or the usual one, which can be turned;
        else it is asked."""
        if len(possible) == 1 and "orientation" not in self.asked.answers:
            if possible[0] not in (ROWS, "rows"):
                self.asked.messages.append(
                    f"Which way it lies: {says[possible[0]]}; nothing else fits."
                )
            return possible[0]
        ways = "; or ".join(says[how] for how in possible)
        default = possible[0] if len(possible) == 1 else default
        asks = f"Which way do the matrices lie? Either {ways}."
        answer = self.asked.ask("orientation", asks, possible, default, possible[0])
        if default and answer == default:
            self.how = f"; {says[default]}, and it can be turned"
        return answer or possible[0]

    # ---------- heads ----------

    def _split_heads(self, names: Sequence[str]) -> None:
        """Cut matrices in which the heads stand side by side, and biases with them."""
        widths = [len(self.parts[name][0][0]) for name in names]
        alone = all(len(self.parts[name]) == 1 for name in names)
        heads = self._asked_heads(widths) if alone else 1
        for name, width in zip(names, widths, strict=True):
            size = width // heads
            if heads > 1:
                starts = range(0, width, size)
                self.parts[name] = [
                    [row[i : i + size] for row in self.parts[name][0]] for i in starts
                ]
            bias = name.replace("w", "b")
            if bias in self.parts and bias != name:
                flat = self.parts[bias]
                self.parts[bias] = [flat[i : i + size] for i in range(0, len(flat), size)]

    def _asked_heads(self, widths: Sequence[int]) -> int:
        most, said = math.gcd(*widths), self.hints.get("heads", "")
        options = [str(n) for n in range(1, min(most, MOST_HEADS) + 1) if most % n == 0]
        if len(options) > 1:
            default = said if said in options else None if self.hints.get("many") else "1"
            says = "How many heads stand side by side?"
            return int(self.asked.ask("heads", says, options, default, options[0]) or 1)
        asked = self.asked.answers.get("heads", "1")
        if asked != "1":
            raise ValueError(
                f"The matrices cannot be cut into {asked[:9]} heads: {', '.join(map(str, widths))}"
                " columns wide."
            )
        return 1

    def _output(self, of: str, turned: bool) -> None:
        """Lay W_o as (head·d_v, out): the heads' pieces below one another."""
        if "w_o" not in self.parts:
            return
        pieces = self.parts["w_o"]
        heads = max(len(self.parts[name]) for name in (*WEIGHTS, *QKV) if name in self.parts)
        width = len(self.parts[of][0][0]) * (1 if len(pieces) > 1 else heads)
        turned = turned or "w_o" in self.hints.get("stored", ())
        rows = []
        for piece in pieces:
            fits, fits_turned = len(piece) == width, len(piece[0]) == width
            about = fits_turned and (turned or not fits)
            rows += transposed(piece) if about else piece
            if about:
                why = "it is stored as (out, in)" if turned else "nothing else fits"
                self.asked.messages.append(f"W_o is turned: {why}.")
        self.parts["w_o"] = rows

    # ---------- Q, K and V at once ----------

    def qkv(self) -> None:
        """Lay Q, K and V, with W_o."""
        q, k, v = (shape(self.parts[name][0]) for name in QKV)
        fits = {"rows": q[1] == k[1] and k[0] == v[0], "columns": q[0] == k[0] and k[1] == v[1]}
        possible = [how for how, fit in fits.items() if fit]
        if not possible:
            sizes = zip(QKV, (q, k, v), strict=True)
            sides = ", ".join(f"{symbol(name)} ({' × '.join(map(str, s))})" for name, s in sizes)
            raise Unfit(f"{sides} do not fit together, whichever way they lie.")
        if fits["rows"] and self.hints.get("worded"):
            possible = ["rows"]
        default = "rows" if fits["rows"] else None
        self.columns = self._orientation(possible, LAID, default) == "columns"
        if self.columns:
            self.how = "; a word is a column, so it is turned"
            self.parts |= {name: [transposed(one) for one in self.parts[name]] for name in QKV}
        self._split_heads(QKV)
        self._output("v", turned=self.columns)


def _product(x: Any, w: Any) -> list[list[float]]:
    columns = [[float(one) for one in column] for column in zip(*w, strict=True)]
    rows = [[float(one) for one in row] for row in x]
    return [[sum(map(mul, row, column)) for column in columns] for row in rows]


def _near(made: Sequence[Sequence[float]], written: Sequence[Sequence[str]]) -> bool:
    """Return whether numbers are those that were written, at their decimals."""
    decimals = max(len(one.partition(".")[2]) for row in written for one in row)
    room = 0.51 * 10.0**-decimals
    pairs = zip(made, written, strict=True)
    return all(
        abs(a - float(b)) <= room for one, other in pairs for a, b in zip(one, other, strict=True)
    )
