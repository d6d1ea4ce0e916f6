"""A pasted text read: which matrices it holds, which way they lie, what is open. Nothing is evaluated, and nothing is read half."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .entries import Entry, Text, holds_infinity, taken, transposed
from .finding import flat, shape
from .naming import SOLUTIONS
from .solution import STEPS, Pasted, placed
from .values import AXES, SCALES, Given

ROWS, STORED, COLUMNS, MIXED = "X W", "X W^T", "W X", "X^T W"
ORIENTATIONS = {
    ROWS: "a word is a row, and X W is meant",
    STORED: "a word is a row, and the matrices are stored as (out, in), so that X W^T is meant",
    COLUMNS: "a word is a column, and W X is meant",
    MIXED: "a word is a column, and X^T W is meant",
}
_LAID = {"rows": "a word is a row", "columns": "a word is a column"}
_WEIGHTS, _QKV = ("w_q", "w_k", "w_v"), ("q", "k", "v")
_GIVEN = ("x", "memory_x", "table", *_WEIGHTS, "b_q", "b_k", "b_v", "w_o", "b_o")
SYMBOLS = {
    "x": "X", "memory_x": "the other sentence", "table": "the table", "w_q": "W_q", "w_k": "W_k", "w_v": "W_v", "w_o": "W_o",
    "q": "Q", "k": "K", "v": "V", "mask": "the mask", "scores": "ω", "scaled": "ω′", "masked": "ω″", "weights": "α", "context": "Z",
    "output": "Y",
}  # fmt: skip
HIDDEN = -1000  # what is added to a score, and hides it, is at most this


@dataclass(frozen=True)
class Found:
    """One matrix of the text: what it is, its numbers as they were typed, in which line it begins, and why it was taken for that.

    Given ones lie as `values.AXES` has them. Of a solution's step there may be some rows or heads alone: the others are "".
    """

    name: str
    shape: tuple[int, ...]
    numbers: Any
    line: int
    why: str


@dataclass(frozen=True)
class Question:
    """What the text leaves open: the answers that fit, and the one that is taken if nobody says otherwise, where there is one."""

    name: str
    says: str
    answers: tuple[str, ...]
    default: str | None = None


@dataclass(frozen=True)
class Reading:
    """What was read of a text: its matrices by name, the words of its rows, what is open, and sentences with their line."""

    text: str = field(repr=False, default="")
    matrices: dict[str, Found] = field(default_factory=dict)
    tokens: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    messages: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    solution: dict[str, Pasted] = field(repr=False, default_factory=dict)
    words: tuple[str, ...] = ()  # of a table's rows

    def answered(self, **answers: object) -> "Reading":
        """Return the reading of the same text with these questions answered by name. Raises ValueError with a sentence."""
        return read(self.text, **(self.answers | answers))

    @property
    def open(self) -> tuple[Question, ...]:
        """The questions that must be answered before anything can be made of the text."""
        return tuple(question for question in self.questions if question.default is None)

    def given(self, **answers: object) -> Given:
        """Return what is given in the text. Raises ValueError with a sentence where something is open, missing or left out.

        Beside the questions, `scale` ("sqrt", "none" or a number) and `mask` ("none", "causal") can be answered.

        >>> read("X = [[1, 0], [0, 2]]\\nW_q = W_k = W_v = [[1, 1], [0, 1]]").open
        ()
        """
        reading = self.answered(**answers) if answers else self
        if reading.left_out:
            raise ValueError(reading.left_out[0])
        if reading.open:
            question = reading.open[0]
            raise ValueError(f"{question.says} Answer {question.name}: {' or '.join(map(repr, question.answers))}.")
        parts = {name: found.numbers for name, found in reading.matrices.items() if name in AXES and name not in reading.solution}
        mask = _mask_numbers(reading)
        return Given(**parts, words=reading.words, mask=mask, scale=reading.settings.get("scale", "sqrt"))


def _mask_numbers(reading: Reading) -> Any:
    if "mask" in reading.matrices:
        return [[cell == "1" for cell in row] for row in reading.matrices["mask"].numbers]
    if reading.settings.get("mask") != "causal":
        return ()
    source = next((reading.matrices[name] for name in ("x", "q") if name in reading.matrices), None)
    tokens = source.shape[-2] if source else 0
    return [[key <= query for key in range(tokens)] for query in range(tokens)]


def read(text: str, **answers: object) -> Reading:
    """Return what stands in a text of at most 200 kB: matrices in any usual notation, with their names.

    `answers` are those to questions of an earlier reading, by name. Garbage makes a sentence in `messages`, never an exception;
    an answer that fits no question raises ValueError.

    >>> reading = read("please → [1, 0]\\nstudy → [0, 2]\\nW_q = [[1, 0], [0, 1]]")
    >>> reading.tokens, reading.matrices["x"].numbers
    (('please', 'study'), (('1', '0'), ('0', '2')))
    """
    return _Reader(
        taken(text), text if isinstance(text, str) else "", {name: str(value) for name, value in answers.items()}
    ).reading()


class _Reader:
    def __init__(self, found: Text, text: str, answers: dict[str, str]) -> None:
        self.found, self.text, self.answers = found, text, answers
        self.questions: dict[str, Question] = {}
        self.messages: list[str] = []
        self.matrices: dict[str, Found] = {}
        self.entries: list[Entry] = []
        self.columns = False
        self.how_laid = ""  # what is said of it at each matrix

    def reading(self) -> Reading:
        left_out = list(self.found.messages)
        settings = dict(self.found.settings)
        solution: dict[str, Pasted] = {}
        words: tuple[str, ...] = ()
        try:
            settings |= self._settings()
            self.entries = [entry for entry in _split_joint(self.found.entries, self.messages) if self._finite(entry, left_out)]
            self._name_the_unnamed()
            self._one_of_each_name()
            solution, words = self._resolve(settings)
        except _Unfit as unfit:
            left_out.append(str(unfit))
        unknown = set(self.answers) - set(self.questions) - {"scale", "mask", "heads"}
        if unknown:
            raise ValueError(
                f"“{sorted(unknown)[0]}” is no question of this text. Open are: {', '.join(self.questions) or 'none'}."
            )
        if not self.found.entries and not left_out:
            left_out.append("No matrix was found: numbers in brackets, or rows of numbers below one another, are read.")
        tokens = self._tokens()
        return Reading(
            self.text, self.matrices, tokens, tuple(q for q in self.questions.values()), (*left_out, *self.messages), tuple(left_out),
            settings, self.answers, solution, words,
        )  # fmt: skip

    # ---------- what is asked ----------

    def _ask(self, name: str, says: str, answers: Sequence[str], default: str | None) -> str | None:
        """Put a question, and return the answer that was given, else its default."""
        self.questions[name] = Question(name, says, tuple(answers), default)
        answer = self.answers.get(name)
        if answer is None:
            return default
        if answer not in answers:
            raise ValueError(f"“{answer[:40]}” is no answer to {name}: {' or '.join(answers)} is.")
        return answer

    def _settings(self) -> dict[str, str]:
        settings = {}
        scale = self.answers.get("scale")
        if scale is not None:
            if scale not in SCALES:
                Given(x=(("1",),), scale=scale)  # refuses what is no number
            settings["scale"] = scale
        mask = self.answers.get("mask")
        if mask is not None:
            if mask not in ("none", "causal"):
                raise ValueError(f"“{mask[:40]}” is no mask: none or causal is, or a matrix in the text.")
            settings["mask"] = mask
        return settings

    def _finite(self, entry: Entry, left_out: list[str]) -> bool:
        if holds_infinity(entry) and entry.name not in ("mask", "masked", "scaled", ""):
            left_out.append(f"Line {entry.line}: {_symbol(entry.name)} holds ∞, which only a mask may.")
            return False
        return True

    def _name_the_unnamed(self) -> None:
        """Take what has no name for what is missing, if only one thing is; else ask."""
        missing = self._missing()
        nameless = [entry for entry in self.entries if not entry.name]
        for entry in nameless:
            if missing and missing[0] in _QKV and len(nameless) == 1 and not self._named(*_QKV):
                missing = ["x"]
            fitting = [name for name in missing if len(entry.shape) == 2 or name not in ("x", "mask")]
            default = fitting[0] if fitting else None
            single = (len(nameless) == 1 and missing[:1] == ["x"]) or (len(missing) == 1 and len(nameless) == 1)
            if single and default and self._named(*_WEIGHTS, *_QKV):
                self._rename(entry, default, f"line {entry.line} has no name, and {_symbol(default)} is the one that is missing")
                missing = missing[1:]
                continue
            size = " × ".join(map(str, entry.shape))
            says = f"Line {entry.line}: what is this matrix, {size}?"
            answers = [*dict.fromkeys([*fitting, "x", *_WEIGHTS, *_QKV, "w_o", "mask", *SOLUTIONS, "nothing"])]
            answer = self._ask(f"line_{entry.line}", says, answers, default or "nothing")
            missing = [name for name in missing if name != answer]
            if answer == "nothing":
                self.entries = [other for other in self.entries if other is not entry]
            elif answer:
                self._rename(entry, answer, f"line {entry.line} has no name; as {_symbol(answer)} it comes next")

    def _missing(self) -> list[str]:
        """Return what would make the text whole, in the order in which people write it."""
        if self._named(*_QKV) and not self._named("x", "table", *_WEIGHTS):
            return [name for name in _QKV if not self._named(name)]
        if not self._named("x", "table", *_WEIGHTS) and len([entry for entry in self.entries if not entry.name]) == 3:
            return list(_QKV)
        return [name for name in ("x", *_WEIGHTS) if not self._named(name) and not (name == "x" and self._named("table"))]

    def _named(self, *names: str) -> bool:
        return any(entry.name in names for entry in self.entries)

    def _rename(self, entry: Entry, name: str, why: str) -> None:
        self._change(entry, name=name, said=entry.said or f"\0{why}")

    def _change(self, entry: Entry, **changes: Any) -> None:
        self.entries = [replace(other, **changes) if other is entry else other for other in self.entries]

    def _one_of_each_name(self) -> None:
        """Ask which one counts where the text gives one name to two different matrices."""
        groups: dict[tuple[str, int | None], list[Entry]] = defaultdict(list)
        for entry in self.entries:
            if entry.name not in SOLUTIONS and not (len(entry.shape) == 1 and entry.name in ("x", *_QKV)):
                groups[entry.name, self._count(entry)].append(entry)
        self._several_heads(groups)
        for (name, _), same in groups.items():
            different = [entry for i, entry in enumerate(same) if all(_values(entry) != _values(other) for other in same[:i])]
            chosen = different[:1]
            if len(different) > 1:
                lines = [f"line {entry.line}" for entry in different]
                answer = self._ask(
                    name, f"{_symbol(name)} stands there {len(different)} times, with different numbers: which one?", lines, None
                )
                chosen = [entry for entry in different if f"line {entry.line}" == answer] or different[:1]
            for entry in same:
                if entry is not chosen[0]:
                    self.entries = [other for other in self.entries if other is not entry]

    def _several_heads(self, groups: dict[tuple[str, int | None], list[Entry]]) -> None:
        """Number W_q, W_k and W_v that stand there as many times each, without numbers: one for each head, in their order."""
        times = {len(groups[name, None]) for name in _WEIGHTS}
        shapes = [{entry.shape for entry in groups[name, None]} for name in _WEIGHTS]
        if len(times) > 1 or min(times) < 2 or any(len(of_name) > 1 for of_name in shapes):
            return
        if all(len({_values(entry) for entry in groups[name, None]}) == 1 for name in _WEIGHTS):
            return  # printed again
        many = min(times)
        self.messages.append(f"W_q, W_k and W_v stand there {many} times each: they are taken for {many} heads, in this order.")
        for name in _WEIGHTS:
            for number, entry in enumerate(groups.pop((name, None)), start=1):
                self._change(entry, number=number)

    def _count(self, entry: Entry) -> int | None:
        """Return the number of a head: the entry's own, or that of the heading above it, where headings tell its like apart."""
        if entry.number is not None or len(entry.shape) == 1:
            return entry.number
        heads = {other.head for other in self.entries if other.name == entry.name}
        return entry.head if len(heads) > 1 else None

    # ---------- what it is ----------

    def _resolve(self, settings: dict[str, str]) -> tuple[dict[str, Pasted], tuple[str, ...]]:
        """Lay the given matrices as `AXES` has them, then put the steps of a solution beside them."""
        made = self._named("x", "table") and self._named(*_WEIGHTS)
        parts = {name: self._heads(name) for name in (*_GIVEN, "mask", *(() if made else _QKV)) if self._named(name)}
        words: tuple[str, ...] = ()
        if "table" in parts:
            words = next((entry.words for entry in self.entries if entry.name == "table"), ())
            if "x" in parts or not words:
                name = "x" if "x" not in parts else ""
                self.messages.append(
                    "The table's rows have no words: they are taken for X."
                    if name
                    else "X is there too: the table is left alone."
                )
                table = parts.pop("table")
                parts |= {name: table} if name else {}
                words = ()
        if not made and "x" in parts and all(name in parts for name in _QKV):
            self.messages.append("Q, K and V stand there, and nothing that makes them of X: X is left alone.")
            del parts["x"]
        if made:
            self._lay_weights(parts, settings)
        elif all(name in parts for name in _QKV):
            self._lay_qkv(parts, settings)
        elif any(name in parts for name in _WEIGHTS) and any(name in parts for name in _QKV):
            raise _Unfit("There is a part of X, W_q, W_k, W_v and a part of Q, K, V: neither is whole.")
        for name, numbers in parts.items():
            if name != "mask":
                self._keep(name, numbers)
        sizes = self._sizes(parts)
        if "mask" in parts and sizes:
            self._lay_mask(parts["mask"], sizes)
        elif sizes and "token" in sizes and sizes["token"] == sizes["key"] and "mask" not in self.answers:
            settings.setdefault("mask", "none")
        return self._solution(sizes, made), words

    def _sizes(self, parts: Mapping[str, Any]) -> dict[str, int]:
        """Return how long every axis is, as far as the given matrices fit together; {} where they do not, or are not whole."""
        try:
            wholes = {name: numbers for name, numbers in parts.items() if name != "mask"}
            words = tuple(str(i) for i in range(len(wholes.get("table", ()))))
            return Given(**wholes, words=words).sizes
        except (ValueError, KeyError) as error:
            if parts:
                self.messages.append(str(error))
            return {}

    def _solution(self, sizes: Mapping[str, int], made: bool) -> dict[str, Pasted]:
        steps = [entry for entry in self.entries if entry.name in SOLUTIONS or (made and entry.name in _QKV)]
        if not steps or "token" not in sizes:
            return {}
        found, messages = placed(steps, sizes, self._tokens(), self.columns)
        self.messages += messages
        for name, pasted in found.items():
            numbers = _filled(pasted, tuple(sizes[axis] for axis in STEPS[name]))
            self.matrices[name] = Found(name, shape_of(numbers), numbers, pasted.line, pasted.why)
        return found

    def _keep(self, name: str, numbers: Any) -> None:
        of_name = [entry for entry in self.entries if entry.name == name]
        entry = of_name[0] if of_name else next(entry for entry in self.entries if entry.name == "table")
        why = entry.said[1:] if entry.said.startswith("\0") else entry.why
        laid = "" if name in ("b_q", "b_k", "b_v", "b_o") else self.how_laid
        kept = _frozen(numbers)
        self.matrices[name] = Found(name, shape_of(kept), kept, entry.line, f"{why}{laid}")

    def _heads(self, name: str) -> list[Any]:
        """Return what has this name: matrices by head for projections, Q, K, V and W_o; else the rows, or the row, itself."""
        of_name = [entry for entry in self.entries if entry.name == name]
        if name in ("b_q", "b_k", "b_v", "b_o"):
            return [number for entry in self._by_number(of_name) for number in flat(entry.numbers)]
        single = name not in (*_WEIGHTS, *_QKV, "w_o")
        rows = self._rows_alone(of_name, name)
        matrices = [rows] if rows else self._matrices(of_name)
        if len({shape(matrix) for matrix in matrices}) > 1 or any(len(shape(matrix)) != 2 for matrix in matrices):
            raise _Unfit(f"{_symbol(name)} is no matrix, or its heads have not one shape.")
        if single and len(matrices) > 1:
            raise _Unfit(f"{_symbol(name)} holds {len(matrices)} matrices: bring one sentence's.")
        return matrices[0] if single else matrices

    def _by_number(self, of_name: Sequence[Entry]) -> list[Entry]:
        return sorted(of_name, key=lambda entry: self._count(entry) or 0)

    def _rows_alone(self, of_name: Sequence[Entry], name: str) -> list[list[str]]:
        """Return the rows of what is written a row at a time: x_1, x_2; [] where it is not."""
        words = name in ("x", "memory_x", "mask", *_QKV)
        if words and all(len(entry.shape) == 1 for entry in of_name):
            if len({entry.shape for entry in of_name}) > 1:
                raise _Unfit(f"The rows of {_symbol(name)} are not of one length.")
            return [entry.numbers for entry in self._by_number(of_name)]
        if name in ("x", "memory_x") and len(of_name) > 1 and all(entry.shape == (1, of_name[0].shape[-1]) for entry in of_name):
            return [row for entry in self._by_number(of_name) for row in entry.numbers]
        return []

    def _matrices(self, of_name: Sequence[Entry]) -> list[Any]:
        matrices: list[Any] = []
        for entry in self._by_number(of_name):
            numbers = entry.numbers
            while len(shape(numbers)) > 3 and len(numbers) == 1:
                numbers = numbers[0]
            matrices += numbers if len(shape(numbers)) == 3 else [numbers]
        return matrices

    # ---------- which way it lies ----------

    def _lay_weights(self, parts: dict[str, Any], settings: dict[str, str]) -> None:
        source = "x" if "x" in parts else "table"
        x = parts[source]
        there = [name for name in _WEIGHTS if name in parts]
        rows, width = shape(x)
        sides = {name: shape(parts[name][0]) for name in there}
        stored = any(entry.stored for entry in self.entries if entry.name in _WEIGHTS)
        fits = {
            ROWS: all(side[0] == width for side in sides.values()),
            STORED: all(side[1] == width for side in sides.values()),
            COLUMNS: source == "x" and all(side[1] == rows for side in sides.values()),
            MIXED: source == "x" and all(side[0] == rows for side in sides.values()),
        }
        out = {how: {name: side[how in (ROWS, MIXED)] for name, side in sides.items()} for how in fits}
        possible = [
            how
            for how, fit in fits.items()
            if fit and ("w_q" not in out[how] or "w_k" not in out[how] or out[how]["w_q"] == out[how]["w_k"])
        ]
        labelled = next((entry.words for entry in self.entries if entry.name == source and entry.words), ())
        if len(labelled) == rows:
            possible = [how for how in possible if how in (ROWS, STORED)] or possible
        possible = self._fitting_biases(possible, out, parts) or possible
        possible = self._fitting_solution(possible, rows, width) or possible
        if stored and STORED in possible:
            possible = [STORED]
        stacked = all(side[0] % width == 0 and side[0] > width for side in sides.values())
        if not possible and stacked and all(len(parts[name]) == 1 for name in there):
            for name in there:
                whole = parts[name][0]
                parts[name] = [whole[i : i + width] for i in range(0, len(whole), width)]
            self.messages.append(f"W_q, W_k and W_v hold {len(parts[there[0]])} heads below one another, {width} rows each.")
            possible = [ROWS]
        if not possible:
            worst = next((name for name in there if width not in sides[name] and rows not in sides[name]), there[0])
            side = " × ".join(map(str, sides[worst]))
            raise _Unfit(f"{_symbol(worst)} ({side}) does not fit {_symbol(source)} ({rows} × {width}), whichever way they lie.")
        how = self._orientation(possible, {name: ORIENTATIONS[name] for name in possible}, ROWS)
        self.columns = how in (COLUMNS, MIXED)
        if how != ROWS:
            self.how_laid = f"; {ORIENTATIONS[how]}, so it is turned to X W"
        if self.columns:
            parts |= {name: transposed(parts[name]) for name in ("x", "memory_x") if name in parts}
        if how in (STORED, COLUMNS):
            parts |= {name: [transposed(matrix) for matrix in parts[name]] for name in there}
        self._split_heads(parts, there)
        self._lay_output(parts, "w_v", turned=how in (STORED, COLUMNS))

    def _fitting_biases(self, possible: list[str], out: Mapping[str, Mapping[str, int]], parts: Mapping[str, Any]) -> list[str]:
        def fits(how: str) -> bool:
            return all(
                len(parts[bias]) % out[how][w] == 0 or out[how][w] % len(parts[bias]) == 0
                for bias, w in zip(("b_q", "b_k", "b_v"), _WEIGHTS, strict=True)
                if bias in parts and w in out[how]
            )

        return [how for how in possible if fits(how)]

    def _fitting_solution(self, possible: list[str], rows: int, width: int) -> list[str]:
        """Return those that fit the shapes of the steps beside them: as many rows of scores as there are words."""
        sides = [
            entry.shape[-2:] for entry in self.entries if entry.name in ("scores", "scaled", "weights") and len(entry.shape) > 1
        ]
        square = [side[0] for side in sides if side[0] == side[1]]
        if not square or self._named("memory_x") or rows == width:
            return possible
        return [how for how in possible if (rows if how in (ROWS, STORED) else width) == square[0]]

    def _orientation(self, possible: list[str], says: Mapping[str, str], usual: str) -> str:
        """Return which way it lies: the only one that fits, the usual one where several do, which can be turned, or what is asked."""
        if len(possible) == 1:
            if possible[0] != usual:
                self.messages.append(f"Which way it lies: {says[possible[0]]}; nothing else fits.")
            if "orientation" in self.answers:
                self._ask("orientation", "Which way do the matrices lie?", possible, possible[0])
            return possible[0]
        default = usual if usual in possible else None
        ways = "; or ".join(says[how] for how in possible)
        answer = self._ask("orientation", f"Which way do the matrices lie? Either {ways}.", possible, default)
        if default and answer == default:
            self.how_laid = f"; {says[default]}, and it can be turned"
            self.messages.append(f"Several ways fit: {says[default]}. It can be turned.")
        return answer or possible[0]

    def _split_heads(self, parts: dict[str, Any], names: Sequence[str]) -> None:
        """Cut matrices in which the heads stand side by side, by as many as the text says, or a reader; and biases with them."""
        counts = {len(parts[name]) for name in names}
        widths = [len(parts[name][0][0]) for name in names]
        heads = max(counts)
        if heads == 1:
            most = math.gcd(*widths)
            options = [str(n) for n in range(1, min(most, 20) + 1) if most % n == 0]
            said = self.found.settings.get("heads", self._heads_of_steps(names, widths) or "1")
            if len(options) > 1:
                says = "How many heads stand side by side?"
                heads = int(self._ask("heads", says, options, said if said in options else "1") or 1)
                if heads > 1:
                    for name in names:
                        size = len(parts[name][0][0]) // heads
                        parts[name] = [[row[i : i + size] for row in parts[name][0]] for i in range(0, heads * size, size)]
            elif "heads" in self.answers and self.answers["heads"] != "1":
                raise ValueError(
                    f"The matrices cannot be cut into {self.answers['heads'][:9]} heads: {', '.join(map(str, widths))} columns wide."
                )
        for name in names:
            bias = name.replace("w", "b")
            if bias in parts and name.startswith("w"):
                size = len(parts[name][0][0])
                parts[bias] = [parts[bias][i : i + size] for i in range(0, len(parts[bias]), size)]

    def _heads_of_steps(self, names: Sequence[str], widths: Sequence[int]) -> str:
        """Return how many heads the steps beside it have, as far as one shows it."""
        for entry in self.entries:
            if (
                entry.name in ("scores", "scaled", "masked", "weights", "context")
                and len(entry.shape) == 3
                and entry.shape[0] > 1
            ):
                return str(entry.shape[0])
        heads = {
            self._count(entry)
            for entry in self.entries
            if entry.name in ("scores", "scaled", "masked", "weights", "context") and len(entry.shape) == 2
        }
        return str(len(heads)) if None not in heads and len(heads) > 1 else ""

    def _lay_output(self, parts: dict[str, Any], of: str, turned: bool) -> None:
        """Lay W_o as (head·d_v, out)."""
        if "w_o" not in parts:
            return
        pieces = parts["w_o"]
        if of not in parts:
            parts["w_o"] = pieces[0]
            return
        heads = max(len(parts[name]) for name in parts if name in (*_WEIGHTS, *_QKV))
        width = heads * len(parts[of][0][0])
        turned = turned or any(entry.stored for entry in self.entries if entry.name == "w_o")
        if len(pieces) > 1:
            size = width // heads
            pieces = [transposed(piece) if len(piece) != size and len(piece[0]) == size else piece for piece in pieces]
            parts["w_o"] = [row for piece in pieces for row in piece]
            return
        matrix = pieces[0]
        fits, fits_turned = len(matrix) == width, len(matrix[0]) == width
        if fits_turned and (turned or not fits):
            self.messages.append("W_o is turned: it is stored as (out, in)." if turned else "W_o fits turned only, so it is.")
            matrix = transposed(matrix)
        parts["w_o"] = matrix

    def _lay_qkv(self, parts: dict[str, Any], settings: dict[str, str]) -> None:
        q, k, v = (shape(parts[name][0]) for name in _QKV)
        fits = {"rows": q[1] == k[1] and k[0] == v[0], "columns": q[0] == k[0] and k[1] == v[1]}
        possible = [how for how, fit in fits.items() if fit]
        if (
            any(entry.words and len(entry.words) == entry.shape[-2] for entry in self.entries if entry.name in _QKV)
            and "rows" in possible
        ):
            possible = ["rows"]
        if not possible:
            sides = ", ".join(
                f"{_symbol(name)} ({' × '.join(map(str, side))})" for name, side in zip(_QKV, (q, k, v), strict=True)
            )
            raise _Unfit(f"{sides} do not fit together, whichever way they lie.")
        how = self._orientation(possible, _LAID, "rows")
        if how == "columns":
            self.columns = True
            self.how_laid = "; a word is a column, so it is turned"
            parts |= {name: [transposed(matrix) for matrix in parts[name]] for name in _QKV}
        self._split_heads(parts, _QKV)
        self._lay_output(parts, "v", turned=how == "columns")

    def _lay_mask(self, mask: list[Any], sizes: Mapping[str, int]) -> None:
        """Take a mask of 1 and 0, or of what is added to the scores, as 1 where a query may look; ask what 1 means if both can be."""
        if "token" not in sizes:
            return
        rows, width = shape(mask)
        tokens, keys = sizes["token"], sizes["key"]
        if (rows, width) == (1, keys) and tokens != 1:
            mask = mask * tokens
        elif (rows, width) != (tokens, keys):
            raise _Unfit(
                f"The mask is {rows} × {width}, and {tokens} × {keys} was expected: a row for each query, a column for each key."
            )
        values = [[-math.inf if cell == "-inf" else math.inf if cell == "inf" else float(cell) for cell in row] for row in mask]
        flags = {value for row in values for value in row}
        entry = next(entry for entry in self.entries if entry.name == "mask")
        if any(value <= HIDDEN for value in flags):
            seen = [[value > HIDDEN for value in row] for row in values]
        elif flags <= {0.0, 1.0}:
            seen = [[value == 1 for value in row] for row in values]
            can = {"seen": all(map(any, seen)), "hidden": all(not all(row) for row in seen)}
            names = [name for name, possible in can.items() if possible] or list(can)
            answer = names[0]
            if len(names) > 1:
                says = (
                    f"Line {entry.line}: does 1 in the mask mean that a query may look there (seen), or that it may not (hidden)?"
                )
                answer = self._ask("mask_means", says, ("seen", "hidden"), None) or "seen"
            if answer == "hidden":
                seen = [[not cell for cell in row] for row in seen]
        else:
            raise _Unfit(f"Line {entry.line}: a mask is of 1 and 0, or of 0 and −∞; this one holds other numbers.")
        kept = tuple(tuple("01"[cell] for cell in row) for row in seen)
        self.matrices["mask"] = Found("mask", (tokens, keys), kept, entry.line, entry.why)

    def _tokens(self) -> tuple[str, ...]:
        """Return the words of the rows: those beside X or Q, else beside another step's, else those of a line of words."""
        if self.found.tokens:
            return self.found.tokens
        for name in ("x", "q", "weights", "scores", "scaled", "context", "output", "k", "v"):
            for entry in self.entries:
                if entry.name == name and len(entry.shape) > 1 and entry.words and not self.columns:
                    return entry.words
        words = tuple(
            entry.word or (entry.words[0] if entry.words else "")
            for entry in self.entries
            if entry.name == "x" and len(entry.shape) == 1
        )
        return words if words and all(words) else ()


class _Unfit(ValueError):
    """What was read cannot be put together. The message is for the reader."""


def _symbol(name: str) -> str:
    return SYMBOLS.get(name, name or "a matrix")


def _values(entry: Entry) -> tuple[float, ...]:
    return (*entry.shape, *map(float, flat(entry.numbers)))


def _split_joint(found: Sequence[Entry], messages: list[str]) -> list[Entry]:
    """Cut what a library keeps in one matrix, W_q above W_k above W_v, or side by side, into the three."""
    parted: list[Entry] = []
    for entry in found:
        if entry.name not in ("w_qkv", "b_qkv"):
            parted.append(entry)
            continue
        below = entry.name == "b_qkv" or entry.stored or entry.shape[0] == 3 * entry.shape[-1]
        whole = entry.numbers if below else transposed(entry.numbers)
        if len(whole) % 3:
            messages.append(f"Line {entry.line}: “{entry.said[:40]}” cannot be cut into three for Q, K and V.")
            continue
        size = len(whole) // 3
        for i, letter in enumerate("qkv"):
            part = whole[i * size : (i + 1) * size]
            numbers = part if below else transposed(part)
            parted.append(
                replace(entry, name=f"{entry.name[0]}_{letter}", numbers=numbers, stored=below and entry.name == "w_qkv")
            )
    return parted


def _filled(pasted: Pasted, size: tuple[int, ...], before: tuple[int, ...] = ()) -> Any:
    """Return a step's cells as nested tuples, "" where none was written."""
    if len(before) == len(size):
        return pasted.cells.get(before, "")
    return tuple(_filled(pasted, size, (*before, i)) for i in range(size[len(before)]))


def _frozen(numbers: Any) -> Any:
    return tuple(_frozen(part) for part in numbers) if isinstance(numbers, list) else numbers


def shape_of(numbers: Any) -> tuple[int, ...]:
    """Return how long nested tuples are."""
    return (len(numbers), *shape_of(numbers[0])) if isinstance(numbers, tuple) and numbers else ()
