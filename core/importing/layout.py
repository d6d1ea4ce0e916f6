"""Which way matrices lie, and how heads stand in them: laid as X W, a word a row, one matrix for
each head. What fits several ways is asked."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch

from ..fields.nested import flat, shape, transpose
from .matrices import Entry
from .names import QKV, WEIGHTS, symbol
from .questions import InvalidInput, Question, Questions

ROWS, STORED, COLUMNS, MIXED = "X W", "X W^T", "W X", "X^T W"
ORIENTATIONS = {
    ROWS: "a word is a row, and X W is meant",
    STORED: "a word is a row, and the matrices are stored as (out, in), so that X W^T is meant",
    COLUMNS: "a word is a column, and W X is meant",
    MIXED: "a word is a column, and X^T W is meant",
}
OF_QKV = {"rows": "a word is a row", "columns": "a word is a column"}
IN_COLUMNS = (COLUMNS, MIXED, "columns")
MAX_HEADS = 20
HIDDEN = -1000  # what is added to a score, and hides it, is at most this
_TURNED = {
    STORED: WEIGHTS,
    COLUMNS: ("x", "memory_x", *WEIGHTS),
    MIXED: ("x", "memory_x"),
    "columns": QKV,
}
_W_FIRST = re.compile(
    r"\bW[_^]?\{?[QqKkVv]\}?\s*[·*@×]?\s*[xX](?![A-Za-z])|\bW_?[QqKkVv](?:\.T\b|\^T|ᵀ)"
)
_HEADS = re.compile(r"(?i)\bheads?\b|multi-?head|n_?heads?")
Parts = dict[str, Any]  # a matrix for each head; X and the other sentence are one matrix


class Layout:
    """Lays the parts of a text, as it says itself that they lie: by its own Q, K and V beside X, by
    rows that are words, vectors written as columns, W before X, names that a library stores; and by
    how many heads it speaks of."""

    def __init__(
        self, entries: Sequence[Entry], text: str, heads: str | None, questions: Questions
    ) -> None:
        self.entries, self.text, self.questions = entries, text, questions
        self.stored = [entry.name for entry in entries if entry.stored]
        is_unsure = self.stored or _HEADS.search(text)  # it speaks of heads, and not of how many
        self.heads = heads or (None if is_unsure else "1")

    def lay(self, parts: Parts) -> tuple[Parts, str]:
        """Return the parts as `AXES` has them, and which way they lay: the only one
        that fits, or in which the text's own Q, K and V come out, the usual one, or what is
        answered."""
        says = OF_QKV if "q" in parts else ORIENTATIONS if "w_q" in parts else {ROWS: ""}
        rows = [entry for entry in self.entries if entry.name in (("x",) if "x" in parts else QKV)]
        if any(len(one.shape) < 2 or len(one.words) == one.shape[-2] for one in rows):
            says = {how: said for how, said in says.items() if how not in IN_COLUMNS}
        laid = {how: _turn(parts, _TURNED.get(how, ())) for how in says}
        possible = [how for how in says if _fit(laid[how])]
        if not possible:
            names = [name for name in ("x", *WEIGHTS, *QKV) if name in parts]
            sides = {name: shape(parts[name])[-2:] for name in names}
            listed = ", ".join(f"{symbol(name)} ({a} × {b})" for name, (a, b) in sides.items())
            raise InvalidInput(f"{listed} do not fit together, whichever way they lie.")
        own = self._find_own() if "w_q" in parts else {}
        for is_likely in (
            lambda how: how == STORED or not self.stored,
            lambda how: _make(laid[how], how, own, by_value=False),
            lambda how: _make(laid[how], how, own, by_value=True),
        ):
            possible = [how for how in possible if is_likely(how)] or possible
        how = self._ask_way({how: says[how] for how in possible})
        is_turned = how in (STORED, COLUMNS, "columns") or "w_o" in self.stored
        return self._lay_output(self._split_heads(laid[how]), is_turned), how

    def _find_own(self) -> dict[str, list[list[str]]]:
        """Return the text's own Q, K and V, whole and written once."""
        of = {name: [one for one in self.entries if one.name == name] for name in QKV}
        whole = {name: alike[0].numbers for name, alike in of.items() if len(alike) == 1}
        return {
            name: rows for name, rows in whole.items() if len(shape(rows)) == 2 and all(flat(rows))
        }

    def _ask_way(self, possible: Mapping[str, str]) -> str:
        """Return the only way, or the usual one, which can be answered otherwise; else it is
        asked."""
        first = next(iter(possible))
        if len(possible) == 1 and "orientation" not in self.questions.answers:
            if first not in (ROWS, "rows"):
                says = f"Which way it lies: {possible[first]}; nothing else fits."
                self.questions.messages.append(says)
            return first
        x = [entry.shape for entry in self.entries if entry.name == "x"]
        has_vectors = len(x) > 1 and all(size[1:] == (1,) for size in x)
        usual = STORED if has_vectors and STORED in possible else ROWS
        is_sure = usual in possible and not _W_FIRST.search(self.text)
        default = first if len(possible) == 1 or first == "rows" else usual if is_sure else None
        asks = f"Which way do the matrices lie? Either {'; or '.join(possible.values())}."
        question = Question("orientation", asks, tuple(possible), default, first)
        return self.questions.ask(question) or first

    # ---------- heads ----------

    def _split_heads(self, parts: Parts) -> Parts:
        """Cut matrices in which the heads stand side by side, and biases with them."""
        widths = {name: len(parts[name][0][0]) for name in (*WEIGHTS, *QKV) if name in parts}
        is_one_each = widths and all(len(parts[name]) == 1 for name in widths)
        heads = self._ask_heads(widths.values()) if is_one_each else 1
        cut: Parts = {}
        for name, width in widths.items():
            size = width // heads
            if heads > 1:
                starts = range(0, width, size)
                cut[name] = [[row[i : i + size] for row in parts[name][0]] for i in starts]
            bias = name.replace("w_", "b_")
            if bias != name and bias in parts:
                row = parts[bias]
                cut[bias] = [row[i : i + size] for i in range(0, len(row), size)]
        return parts | cut

    def _ask_heads(self, widths: Iterable[int]) -> int:
        most = math.gcd(*widths)
        options = tuple(str(n) for n in range(1, min(most, MAX_HEADS) + 1) if most % n == 0)
        answer = self.questions.answers.get("heads", "1")
        if len(options) > 1:
            default = self.heads if self.heads in options else "1" if self.heads else None
            says = "How many heads stand side by side?"
            answer = self.questions.ask(Question("heads", says, options, default, "1")) or "1"
        elif answer != "1":
            says = f"The matrices cannot be cut into {answer[:9]} heads:"
            raise ValueError(f"{says} {', '.join(map(str, widths))} columns wide.")
        return int(answer)

    def _lay_output(self, parts: Parts, is_turned: bool) -> Parts:
        """Lay W_o as (head·d_v, out): the heads' pieces below one another."""
        if "w_o" not in parts:
            return parts
        pieces, values = parts["w_o"], parts.get("w_v") or parts.get("v") or [parts["x"]]
        heads = max([len(parts[name]) for name in (*WEIGHTS, *QKV) if name in parts], default=1)
        width = len(values[0][0]) * (1 if len(pieces) > 1 else heads)
        about = [len(one[0]) == width and (is_turned or len(one) != width) for one in pieces]
        if any(about):
            why = "it is stored as (out, in)" if is_turned else "nothing else fits"
            self.questions.messages.append(f"W_o is turned: {why}.")
        laid = [transpose(one) if turns else one for one, turns in zip(pieces, about, strict=True)]
        return parts | {"w_o": [row for one in laid for row in one]}


def _turn(parts: Parts, names: Iterable[str]) -> Parts:
    return {name: transpose(part) if name in names else part for name, part in parts.items()}


def _fit(parts: Parts) -> bool:
    """Return whether X has a place in W_q, W_k and W_v, a query for each key, a key for each
    value."""
    if "w_q" in parts:
        width = len(parts["x"][0])
        fits = all(len(parts[name][0]) == width for name in WEIGHTS)
        return fits and len(parts["w_q"][0][0]) == len(parts["w_k"][0][0])
    if "q" in parts:
        q, k, v = (shape(parts[name][0]) for name in QKV)
        return q[1] == k[1] and k[0] == v[0]
    return True


def _make(laid: Parts, how: str, own: Mapping[str, Any], by_value: bool) -> bool:
    """Return whether X and its projections make the text's own Q, K and V: of their shapes, or of
    their numbers, at the decimals that were written."""
    if by_value and (len(own) < 2 or any(len(laid[f"w_{name}"]) > 1 for name in own)):
        return True  # by one alone, or by one of many heads, nobody can tell
    for name, written in own.items():
        x, w, expected = (
            torch.tensor([[float(number) for number in row] for row in rows], dtype=torch.double)
            for rows in (laid["x"], laid[f"w_{name}"][0], written)
        )
        made, expected = x @ w, expected.T if how in IN_COLUMNS else expected
        if made.shape != expected.shape:
            return False
        decimals = max(len(number.partition(".")[2]) for number in flat(written))
        if by_value and (made - expected).abs().max() > 0.51 * 10.0**-decimals:
            return False
    return True


# ---------- a mask ----------


def lay_mask(
    mask: list[list[str]], size: tuple[int, int], line: int, questions: Questions
) -> tuple[tuple[str, ...], ...]:
    """Return a mask of 1 and 0, or of what is added to the scores, as 1 where a query may look; ()
    where its shape is another. What 1 means is asked if both can be."""
    mask = mask * size[0] if shape(mask) == (1, size[1]) else mask
    if shape(mask) != size:
        written, wanted = (" × ".join(map(str, one)) for one in (shape(mask), size))
        questions.messages.append(
            f"Line {line}: the mask is {written}, and {wanted} was expected: a row for each query,"
            " a column for each key. It is left alone."
        )
        return ()
    values = [[float(cell) for cell in row] for row in mask]
    found = {value for row in values for value in row}
    if min(found) <= HIDDEN:
        may = [[value > HIDDEN for value in row] for row in values]
    elif found <= {0.0, 1.0}:
        seen = float(_ask_meaning(values, line, questions) != "hidden")
        may = [[value == seen for value in row] for row in values]
    else:
        says = "a mask is of 1 and 0, or of 0 and −∞; this one holds other numbers."
        raise InvalidInput(f"Line {line}: {says}")
    return tuple(tuple("01"[one] for one in row) for row in may)


def _ask_meaning(ones: list[list[float]], line: int, questions: Questions) -> str | None:
    """Return what 1 means: each query has something to look at."""
    can_be_seen, can_be_hidden = all(map(any, ones)), not any(map(all, ones))
    if can_be_seen != can_be_hidden:
        return "seen" if can_be_seen else "hidden"
    says = f"Line {line}: does 1 in the mask mean that a query may look there (seen), or may not?"
    return questions.ask(Question("mask_means", says, ("seen", "hidden"), None, "seen"))
