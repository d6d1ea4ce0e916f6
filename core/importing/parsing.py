"""A pasted text read: what is sure of its matrices, and what is asked. Nothing is evaluated, and
nothing that cannot be read stops the rest."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..setup import Setup
from .layout import Layout
from .matrices import Entry, find_matrices
from .names import BIASES, QKV, SOLUTIONS, WEIGHTS, named, symbol
from .nested import flat, shape, transposed
from .opening import opened
from .questions import Asked, Question, Unfit
from .solution import STEPS, Pasted, placed
from .values import AXES, SCALES, Given, numbers_of

HIDDEN = -1000  # what is added to a score, and hides it, is at most this
MASKS = ("none", "causal")
ANY_TIME = ("scale", "mask", "heads")  # what may be answered without being asked
NOTHING = "nothing"
GIVEN = ("x", *WEIGHTS, "w_o", *QKV, "memory_x", "mask")
WHAT = (*GIVEN[:8], "scores", "scaled", "weights", "context", "output", "mask", NOTHING)
ONE_WORD = "one word"
CELLS = "cells_"  # what the answers are called that are a matrix's own numbers
_OF_KEYS = ("memory_x", "k", "v")  # whose rows are words that are asked
_WITH_WORDS = ("x", "q", "weights", "scores", "scaled", "context", "output", "k", "v")
_LEFT = re.compile(
    r"\bW[_^]?\{?[QqKkVv]\}?\s*[·*@×]?\s*[xX](?![A-Za-z])|\bW_?[QqKkVv](?:\.T\b|\^T|ᵀ)"
)


@dataclass(frozen=True)
class Found:
    """One matrix of the text: what it is, its numbers as they were typed, in which line it begins,
    and why it was taken for that.

    Given ones lie as `values.AXES` has them. Of a solution's step there may be some rows or heads
    alone: the others are "".
    """

    name: str
    shape: tuple[int, ...]
    numbers: Any
    line: int
    why: str


@dataclass(frozen=True)
class Reading:
    """What was read of a text: its matrices by name, the words of its rows, what is open, and
    sentences with their line; `left_out` says why nothing can be made of it."""

    text: str = field(repr=False, default="")
    matrices: dict[str, Found] = field(default_factory=dict)
    tokens: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    messages: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    solution: dict[str, Pasted] = field(repr=False, default_factory=dict)
    others: tuple[str, ...] = ()  # the words that are asked, where these are another sentence's
    entries: tuple[Entry, ...] = field(repr=False, default=())  # what has no name yet
    # Given matrices by name as they lie in the text, heads apart; a cell that is no number is "".
    typed: dict[str, list[list[list[str]]]] = field(repr=False, default_factory=dict)

    def answered(self, **answers: object) -> "Reading":
        """Return the reading of the same text with these questions answered by name. Raises
        ValueError with a sentence."""
        return parse(self.text, **(self.answers | answers))

    @property
    def open(self) -> tuple[Question, ...]:
        """The questions that must be answered before anything can be made of the text."""
        return tuple(
            question
            for question in self.questions
            if question.needed and question.default is None and question.name not in self.answers
        )

    def given(self, **answers: object) -> Given:
        """Return what is given in the text. Raises ValueError with a sentence where something is
        open or missing.

        Beside the questions, `scale` ("sqrt", "none" or a number) and `mask` ("none", "causal") can
        be answered.

        >>> parse("Q: 1 0; 0 1\\nK: 1 0; 0 1\\nV: 1 2; 3 4").given(scale="none").to_text()
        'q 1,0_0,1 k 1,0_0,1 v 1,2_3,4 scale none'
        """
        reading = self.answered(**answers) if answers else self
        if reading.open:
            question = reading.open[0]
            ways = " or ".join(map(repr, question.answers))
            raise ValueError(f"{question.says} Answer {question.name}{ways and ': '}{ways}.")
        if reading.left_out:
            raise ValueError(reading.left_out[0])
        parts = {
            name: found.numbers
            for name, found in reading.matrices.items()
            if name in AXES and name not in reading.solution
        }
        return Given(**parts, mask=_mask_of(reading), scale=reading.settings.get("scale", "sqrt"))

    def setup(self, **answers: object) -> Setup:
        """Return the setup whose numbers are those of the text. Raises ValueError as `given` does,
        and where the steps have no place for them.

        >>> parse("Q: 1 0; 0 1\\nK: 1 0; 0 1\\nV: 1 2; 3 4").setup(mask="causal").mask
        'given'
        """
        return self.opened(**answers)[0]

    def opened(self, **answers: object) -> tuple[Setup, list[str]]:
        """Return that setup, and in words what had to be changed for it."""
        reading = self.answered(**answers) if answers else self
        return opened(reading.given(), reading.tokens, reading.others)


def _mask_of(reading: Reading) -> Any:
    of = reading.matrices
    if "mask" in of:
        return [[cell == "1" for cell in row] for row in of["mask"].numbers]
    pair = next((pair for pair in (("x", "memory_x"), ("q", "k")) if pair[0] in of), None)
    if reading.settings.get("mask") != "causal" or pair is None:
        return ()
    queries, keys = (of[name if name in of else pair[0]].shape[-2] for name in pair)
    return [[key <= query for key in range(keys)] for query in range(queries)]


def parse(text: str, **answers: object) -> Reading:
    """Return what stands in a text of at most 200 kB: matrices in any usual notation, each with the
    name beside it; what has none is asked.

    `answers` are those to questions of an earlier reading, by name. Garbage makes a sentence in
    `messages`, never an exception; an answer that fits no question raises ValueError.

    >>> reading = parse("please → [1, 0]\\nstudy → [0, 2]\\nW_q = [[1, 0], [0, 1]]", line_1="x")
    >>> reading.tokens, reading.matrices["x"].numbers
    (('please', 'study'), (('1', '0'), ('0', '2')))
    """
    given = {name: str(value) for name, value in answers.items()}
    return _Reader(text if isinstance(text, str) else "", given).reading()


class _Reader:
    def __init__(self, text: str, answers: dict[str, str]) -> None:
        self.text, self.asked = text, Asked(answers)
        self.found = find_matrices(text, "decimal" if answers.get("commas") == "decimal" else "")
        self.settings = {**self.found.settings, **_settings(answers)}
        self.entries = list(self.found.entries)
        self.matrices: dict[str, Found] = {}
        self.solution: dict[str, Pasted] = {}
        self.left_out: list[str] = []
        self.others: tuple[str, ...] = ()
        self.typed: dict[str, list[list[list[str]]]] = {}
        self.layout = Layout(self.asked, {}, {})

    def reading(self) -> Reading:
        asked = self.asked
        asked.messages += self.found.messages
        self._ask_commas()
        self.entries = [part for entry in self.entries for part in self._parts(entry)]
        unnamed = self._name_the_unnamed()
        try:
            self._resolve()
        except Unfit as unfit:
            self.left_out.append(str(unfit))
        known = {*asked.questions, *ANY_TIME}
        unknown = sorted(
            set(asked.answers) - known - {one for one in asked.answers if is_of_cells(one)}
        )
        if unknown:
            listed = ", ".join(asked.questions) or "none"
            raise ValueError(
                f"“{unknown[0][:40]}” is no question of this text. Open are: {listed}."
            )
        return Reading(
            self.text,
            self.matrices,
            self._tokens(),
            tuple(asked.questions.values()),
            tuple(dict.fromkeys((*self.left_out, *asked.messages))),
            tuple(self.left_out),
            self.settings,
            asked.answers,
            self.solution,
            self.others,
            tuple(unnamed),
            self.typed,
        )

    # ---------- what is what ----------

    def _ask_commas(self) -> None:
        either = next((entry for entry in self.entries if entry.either), None)
        if either or "commas" in self.asked.answers:
            line = either.line if either else 1
            says = f"Line {line}: is 0,5 one number (decimal), or two numbers with a comma between?"
            self.asked.ask("commas", says, ("decimal", "two numbers"), None, "two numbers")

    def _parts(self, entry: Entry) -> Iterable[Entry]:
        """Cut what a library keeps in one matrix, W_q above W_k above W_v, or side by side, into
        the three."""
        if entry.name not in ("w_qkv", "b_qkv"):
            return [entry]
        below = entry.name == "b_qkv" or entry.stored or entry.shape[0] == 3 * entry.shape[-1]
        whole = entry.numbers if below else transposed(entry.numbers)
        if len(whole) % 3:
            said = entry.said[:40]
            self.asked.messages.append(
                f"Line {entry.line}: “{said}” cannot be cut into three for Q, K and V."
            )
            return []
        size = len(whole) // 3
        parts = [whole[i * size : (i + 1) * size] for i in range(3)]
        return [
            replace(
                entry,
                name=f"{entry.name[0]}_{letter}",
                numbers=part if below else transposed(part),
                stored=below and entry.name == "w_qkv",
            )
            for letter, part in zip("qkv", parts, strict=True)
        ]

    def has(self, *names: str) -> bool:
        """Return whether each of these names has a matrix."""
        there = {entry.name for entry in self.entries} | self._typed()
        return all(name in there for name in names)

    def _typed(self) -> set[str]:
        """Return the names of which somebody typed the numbers into a grid."""
        keys = (key.removeprefix(CELLS) for key in self.asked.answers if key.startswith(CELLS))
        return {key.partition(".")[0] for key in keys}

    def _name_the_unnamed(self) -> list[Entry]:
        """Ask what each matrix without a name is, and return those of which nobody has said it."""
        self._words_with_rows()
        whole = self.has("x", *WEIGHTS) or self.has(*QKV)
        asked, seen = [], set[str]()
        for k, entry in enumerate(self.entries):
            if entry.name:
                continue
            name = f"line_{entry.line}"
            name = f"{name}.{k}" if name in seen else name
            seen.add(name)
            size = " × ".join(map(str, entry.shape))
            says = f"Line {entry.line}: what is this, {size}?"
            answer = self.asked.ask(name, says, WHAT, None, self._guess(entry), not whole)
            if answer is None:
                asked.append(entry)
            elif answer != NOTHING:
                self.entries[k] = replace(entry, name=answer)
        self.entries = [entry for entry in self.entries if entry.name]
        return asked

    def _words_with_rows(self) -> None:
        """Take for X what has a word beside each of its rows, where X alone is missing."""
        worded = [
            k
            for k, entry in enumerate(self.entries)
            if not entry.name and len(entry.shape) == 2 and len(entry.words) == entry.shape[0]
            if not any(map(named, entry.words))
        ]
        alone = len(self.entries) == 1
        if len(worded) == 1 and (alone or self.has(*WEIGHTS)) and not self.has("x"):
            entry = self.entries[worded[0]]
            if alone or any(entry.shape[1] in other.shape for other in self._of("w_q")):
                said = ", ".join(entry.words[:3])
                self.entries[worded[0]] = replace(entry, name="x", said=said)

    def _guess(self, entry: Entry) -> str:
        """Return what a matrix most likely is: the first that is missing, else a step by its
        look."""
        projected = self.has("q") or self.has("k") or self.has("v")
        wanted = QKV if projected and not any(map(self.has, WEIGHTS)) else ("x", *WEIGHTS)
        if missing := next((name for name in wanted if not self.has(name)), None):
            return missing
        rows = entry.numbers if len(entry.shape) == 2 else entry.numbers[0]
        try:
            sums = [sum(map(float, row)) for row in rows]
        except (ValueError, TypeError):
            return "scores"
        if all(abs(one - 1) < 0.06 for one in sums):
            return "weights"
        return "scores" if entry.shape[-1] == entry.shape[-2] else "context"

    # ---------- put together ----------

    def _resolve(self) -> None:
        """Lay the given matrices as `AXES` has them, then put the mask and the steps of a solution
        beside them."""
        made = self.has("x", *WEIGHTS)
        whole = not made and self.has(*QKV)
        names = [*WEIGHTS, *BIASES[:3]] if made else list(QKV) if whole else []
        names += ["w_o", "b_o", *(() if whole else ("x", "memory_x"))]
        self._repeated((*names, "mask"))
        parts = {name: self._gathered(name) for name in names if self.has(name)}
        alone = [name for name in ("x", *WEIGHTS) if whole and self.has(name)]
        if alone:
            said = " and ".join(symbol(name) for name in alone)
            self.asked.messages.append(f"Q, K and V are taken as they stand: {said} is left alone.")
        if not made and not whole:
            self._say_what_is_missing()
            if not parts or any(map(self.has, (*WEIGHTS, *QKV))):
                return self._show(("x", *WEIGHTS, *QKV, "w_o"))
        open_cells = [name for name in self.asked.questions if name.startswith(CELLS)]
        if set(open_cells) - set(self.asked.answers):
            return None
        self._one_row(parts, made)
        self.layout = Layout(self.asked, parts, self._hints(parts, made))
        if made:
            self.layout.weights()
        elif whole:
            self.layout.qkv()
        elif "w_o" in parts:
            parts["w_o"] = parts["w_o"][0]
        for name, numbers in parts.items():
            self._keep(name, numbers)
        sizes = self._sizes(parts)
        asks_another = "memory" in sizes and not self.layout.columns
        self.others = self._words(_OF_KEYS) if asks_another else ()
        self._one_word(sizes)
        self._lay_mask(sizes)
        self._solve(sizes, made)
        return None

    def _say_what_is_missing(self) -> None:
        """Say what has to stand beside what is there; X alone is attention without projections."""
        weights = [name for name in WEIGHTS if self.has(name)]
        projected = [name for name in QKV if self.has(name)]
        if not weights and not projected and self.has("x"):
            return
        if weights or self.has("x"):
            missing = [name for name in ("x", *WEIGHTS) if not self.has(name)]
        else:
            missing = [name for name in QKV if not self.has(name)]
        says = "No matrix was found: numbers in brackets, or rows of numbers below one another."
        if self.entries or self.asked.questions:
            are = "is" if len(missing) == 1 else "are"
            says = f"{', '.join(map(symbol, missing))} {are} missing."
        if (self.entries and len(missing) > 3) or (not weights and not projected and self.entries):
            says = "Nothing can be made of it alone: X with its matrices is missing, or Q, K and V."
        self.left_out += self.found.messages[:1] or [says]
        self.asked.messages.append(says)

    def _show(self, names: Iterable[str]) -> None:
        """Keep what was read of a whole that is not there yet."""
        for name in names:
            try:
                numbers = self._gathered(name) if self.has(name) else None
            except Unfit as unfit:
                self.asked.messages.append(str(unfit))
                continue
            if numbers:
                self._keep(name, numbers[0] if name == "w_o" else numbers)

    def _of(self, name: str) -> list[Entry]:
        """Return what has this name, heads in their order."""
        there = [entry for entry in self.entries if entry.name == name]
        return sorted(there, key=lambda entry: self._count(entry) or 0)

    def _count(self, entry: Entry) -> int | None:
        """Return the number of a head: the entry's own, or that of the heading above it, where
        headings tell its like apart."""
        if entry.number is not None or len(entry.shape) == 1:
            return entry.number
        heads = {other.head for other in self.entries if other.name == entry.name}
        return entry.head if len(heads) > 1 else None

    def _repeated(self, names: Iterable[str]) -> None:
        """Ask which one counts where one name has different numbers; the same ones are one."""
        if all(map(self.has, WEIGHTS)) and self._are_heads():
            return
        for name in names:
            rows = [entry for entry in self._of(name) if len(entry.shape) == 1]
            whole = [entry for entry in self._of(name) if len(entry.shape) > 1]
            if name not in BIASES and whole and rows and self._says_the_same(rows, whole):
                self._drop(rows)
            elif name not in BIASES and whole and rows:
                self._choose(name, [rows, whole])
            for group in self._alike(name):
                self._choose(name, [[entry] for entry in group])

    def _alike(self, name: str) -> list[list[Entry]]:
        groups: dict[int | None, list[Entry]] = {}
        for entry in self._of(name):
            if len(entry.shape) > 1 or name in BIASES or entry.number is not None:
                groups.setdefault(self._count(entry), []).append(entry)
        return [group for group in groups.values() if len(group) > 1]

    def _says_the_same(self, rows: Sequence[Entry], whole: Sequence[Entry]) -> bool:
        of = [_values(row) for one in whole for row in _rows_of(one)]
        return all(_values(row.numbers) in of for row in rows)

    def _choose(self, name: str, groups: Sequence[Sequence[Entry]]) -> None:
        different = [
            group
            for k, group in enumerate(groups)
            if all(_values(group[0].numbers) != _values(other[0].numbers) for other in groups[:k])
        ]
        chosen = different[0]
        if len(different) > 1:
            says = f"{symbol(name)} stands there {len(different)} times, with different numbers:"
            lines = [f"line {group[0].line}" for group in different]
            answer = self.asked.ask(name, f"{says} which one?", lines, None, lines[0])
            chosen = different[lines.index(answer) if answer else 0]
        self._drop(entry for group in groups if group is not chosen for entry in group)

    def _drop(self, entries: Iterable[Entry]) -> None:
        gone = list(map(id, entries))
        self.entries = [entry for entry in self.entries if id(entry) not in gone]

    def _are_heads(self) -> bool:
        """Return whether W_q, W_k and W_v stand there as many times each, without numbers, and are
        one for each head, in their order; which is asked."""
        of = {name: self._of(name) for name in WEIGHTS}
        times = {len(entries) for entries in of.values()}
        plain = all(self._count(entry) is None for entries in of.values() for entry in entries)
        alike = all(len({entry.shape for entry in entries}) == 1 for entries in of.values())
        many = min(times)
        if len(times) > 1 or many < 2 or not plain or not alike:
            return False
        if all(len({_values(entry.numbers) for entry in entries}) == 1 for entries in of.values()):
            return False  # printed again
        says = f"W_q, W_k and W_v stand there {many} times each: one for each head, or which one?"
        answers = ("heads", "the first", "the last")
        answer = self.asked.ask("repeated", says, answers, None, "heads")
        for entries in of.values():
            self._drop(
                entries[1:]
                if answer == "the first"
                else entries[:-1]
                if answer == "the last"
                else []
            )
        if answer in ("heads", None):
            counts = {id(entry): n for entries in of.values() for n, entry in enumerate(entries, 1)}
            self.entries = [
                replace(entry, number=counts.get(id(entry), entry.number)) for entry in self.entries
            ]
        return answer in ("heads", None)

    def _gathered(self, name: str) -> Any:
        """Return what has this name: matrices by head; of X, the other sentence and a mask the
        matrix itself, of a bias its row. What was typed into a grid stands for the text's."""
        of_name = self._of(name)
        if name in BIASES:
            return [number for entry in of_name for number in flat(entry.numbers)]
        rows = self._rows_alone(of_name, name) or self._vectors(name)
        matrices = [rows] if rows else [one for entry in of_name for one in _matrices(entry)]
        for k in range(max(1, len(matrices))):
            key = name if len(matrices) < 2 else f"{name}.{k + 1}"
            typed = self.asked.answers.get(CELLS + key)
            bad = flat(matrices[k]).count("") if matrices else 0
            if bad:
                line = of_name[min(k, len(of_name) - 1)].line
                cells = "a cell that is" if bad == 1 else f"{bad} cells that are"
                says = f"Line {line}: {symbol(name)} has {cells} no number: fill it in."
                self.asked.ask(CELLS + key, says, (), None)
            if typed is not None:
                matrices[k : k + 1] = [_typed_cells(typed)]
        self.typed[name] = list(matrices)
        if len({shape(matrix) for matrix in matrices}) > 1 or any(
            len(shape(matrix)) != 2 for matrix in matrices
        ):
            raise Unfit(f"{symbol(name)} is no matrix, or its heads have not one shape.")
        single = name in ("x", "memory_x", "mask")
        if single and len(matrices) > 1:
            raise Unfit(f"{symbol(name)} holds {len(matrices)} matrices: bring one sentence's.")
        if any(number.endswith("inf") for number in flat(matrices)) and name != "mask":
            raise Unfit(f"Line {of_name[0].line}: {symbol(name)} holds ∞, which only a mask may.")
        return matrices[0] if single else matrices

    def _rows_alone(self, of_name: Sequence[Entry], name: str) -> list[list[str]]:
        """Return the rows of what is written a row at a time: x_1, x_2; [] where it is not."""
        if not of_name or any(len(entry.shape) != 1 for entry in of_name):
            return []
        if len({entry.shape for entry in of_name}) > 1:
            raise Unfit(f"The rows of {symbol(name)} are not of one length.")
        numbers = [entry.number for entry in of_name]
        counted = [number for number in numbers if number is not None]
        if (
            len(of_name) > 1
            and counted
            and counted != list(range(counted[0], counted[0] + len(numbers)))
        ):
            there = ", ".join(map(str, counted))
            raise Unfit(f"Of {symbol(name)} there are the rows {there}: one is missing.")
        if name in WEIGHTS and len(of_name) > 1:
            says = "is written row by row: write it as one matrix."
            raise Unfit(f"Line {of_name[0].line}: {symbol(name)} {says}")
        return [entry.numbers for entry in of_name]

    def _vectors(self, name: str) -> list[list[str]]:
        """Return the rows of what is written as a matrix of one row, or of one column, for each
        word: of X, or of Q, K and V all alike; [] where it is not."""
        alike = QKV if name in QKV else (name,) if name in ("x", "memory_x") else ()
        entries = [entry for other in alike for entry in self._of(other)]
        if len(entries) <= len(alike) or any(
            len(entry.shape) != 2 or min(entry.shape) > 1 for entry in entries
        ):
            return []
        q, k, v = map(self._of, QKV)
        if name in QKV and (len({max(entry.shape) for entry in q + k}) > 1 or len(k) != len(v)):
            return []  # these are heads, of one row or of one column
        of_name = self._of(name)
        alike_shapes = len({entry.shape for entry in of_name}) == 1
        return [flat(entry.numbers) for entry in of_name] if alike_shapes else []

    def _one_row(self, parts: dict[str, Any], made: bool) -> None:
        """Ask whether X, or Q, K and V, that come to one row, are one word, or rows written on."""
        names = ["x"] if made or "q" not in parts else list(QKV)
        matrices = [
            parts[name] if name == "x" else parts[name][0] for name in names if name in parts
        ]
        if not matrices or any(len(matrix) != 1 for matrix in matrices) or "memory_x" in parts:
            return
        widths = [len(matrix[0]) for matrix in matrices]
        ways = [n for n in range(2, min(widths) + 1) if all(width % n == 0 for width in widths)]
        said = " and ".join(map(symbol, names)) if len(names) < 3 else "Q, K and V"
        come = "comes" if len(names) == 1 else "come"
        says = f"{said} {come} to one row of {widths[0]} numbers: is it one word?"
        options = (ONE_WORD, *(f"{n} rows" for n in ways))
        answer = self.asked.ask(
            "rows", says, options, None, f"{ways[0]} rows" if ways else ONE_WORD
        )
        if answer and answer != ONE_WORD:
            many = int(answer.split()[0])
            for name, matrix in zip(names, matrices, strict=True):
                size = len(matrix[0]) // many
                cut = [matrix[0][i * size : (i + 1) * size] for i in range(many)]
                parts[name] = cut if name == "x" else [cut]

    def _one_word(self, sizes: Mapping[str, int]) -> None:
        if sizes.get("token") == 1 == sizes.get("key") and "rows" not in self.asked.questions:
            says = "What was read comes to one word that looks at itself alone: is it so?"
            self.asked.ask("rows", says, (ONE_WORD,), None, ONE_WORD)

    def _hints(self, parts: Mapping[str, Any], made: bool) -> dict[str, Any]:
        """Return what the text itself says of how its matrices lie."""
        worded = ("x",) if made else QKV
        hints: dict[str, Any] = {
            "worded": any(
                len(entry.shape) > 1 and len(entry.words) == entry.shape[-2]
                for name in worded
                for entry in self._of(name)
            ),
            "vectors": len(self._of("x")) > 1 and all(e.shape[1:] == (1,) for e in self._of("x")),
            "left": bool(_LEFT.search(self.text)),
            "stored": tuple(entry.name for entry in self.entries if entry.stored),
            "heads": self.settings.get("heads", ""),
            "many": any(entry.stored for entry in self.entries)
            or bool(re.search(r"(?i)\bheads?\b|multi-?head|n_?heads?", self.text)),
        }
        for name in QKV if made else ():
            own = self._of(name)
            if len(own) == 1 and len(own[0].shape) == 2 and "" not in flat(own[0].numbers):
                hints[name] = own[0].numbers
        return hints

    def _keep(self, name: str, numbers: Any) -> None:
        of_name = self._of(name)
        kept = _frozen(numbers)
        line = of_name[0].line if of_name else 0
        why = of_name[0].why if of_name else "typed into the grid"
        how = "" if name in BIASES else self.layout.how
        self.matrices[name] = Found(name, shape(kept), kept, line, why + how)

    def _sizes(self, parts: Mapping[str, Any]) -> dict[str, int]:
        """Return how long every axis is; {} where the given matrices do not fit together, which is
        said."""
        if not parts or self.left_out:
            return {}
        try:
            return Given(**parts).sizes
        except ValueError as error:
            self.left_out.append(str(error))
            return {}

    # ---------- words, mask, solution ----------

    def _words(self, names: Sequence[str] = _WITH_WORDS) -> tuple[str, ...]:
        """Return the words beside the rows of X or Q, else of another step; or of the first of
        these names that has some."""
        for name in names:
            of_name = self._of(name)
            for entry in of_name:
                if len(entry.shape) > 1 and entry.words:
                    return entry.words
            words = tuple(entry.word or "".join(entry.words[:1]) for entry in of_name)
            if name in ("x", "q") and of_name and all(words) and len(of_name[0].shape) == 1:
                return words
        return ()

    def _tokens(self) -> tuple[str, ...]:
        names = [name for name in _WITH_WORDS if not (self.others and name in _OF_KEYS)]
        return self.found.tokens or (() if self.layout.columns else self._words(names))

    def _lay_mask(self, sizes: Mapping[str, int]) -> None:
        """Take a mask of 1 and 0, or of what is added to the scores, as 1 where a query may look;
        ask what 1 means if both can be."""
        if not self.has("mask"):
            if re.search(r"(?i)\bcausal\b|\btri[lu]\b", self.text) and "mask" not in self.settings:
                self.asked.messages.append("The text speaks of a causal mask: none is set here.")
            return
        if "token" not in sizes:
            return
        mask, entry = self._gathered("mask"), self._of("mask")[0]
        expected = (sizes["token"], sizes["key"])
        mask = mask * sizes["token"] if shape(mask) == (1, sizes["key"]) else mask
        if shape(mask) != expected:
            written, wanted = (" × ".join(map(str, one)) for one in (shape(mask), expected))
            self.asked.messages.append(
                f"The mask is {written}, and {wanted} was expected: a row for each query, a column"
                " for each key. It is left alone."
            )
            return
        values = [[float(cell) for cell in row] for row in mask]
        flags = {value for row in values for value in row}
        if min(flags) <= HIDDEN:
            seen = [[value > HIDDEN for value in row] for row in values]
        elif flags <= {0.0, 1.0}:
            seen = self._seen([[value == 1 for value in row] for row in values], entry.line)
        else:
            raise Unfit(
                f"Line {entry.line}: a mask is of 1 and 0, or of 0 and −∞; this one holds other"
                " numbers."
            )
        kept = tuple(tuple("01"[cell] for cell in row) for row in seen)
        self.matrices["mask"] = Found("mask", expected, kept, entry.line, entry.why)

    def _seen(self, ones: list[list[bool]], line: int) -> list[list[bool]]:
        """Return where a query may look: where 1 stands, or where it does not; asked, where both
        could be."""
        seen, hidden = all(map(any, ones)), not any(map(all, ones))
        answer: str | None = "hidden" if hidden and not seen else "seen"
        if seen == hidden:
            says = (
                f"Line {line}: does 1 in the mask mean that a query may look there (seen), or that"
                " it may not (hidden)?"
            )
            answer = self.asked.ask("mask_means", says, ("seen", "hidden"), None, "seen")
        return [[cell == (answer != "hidden") for cell in row] for row in ones]

    def _solve(self, sizes: Mapping[str, int], made: bool) -> None:
        """Put the steps of a solution to their places."""
        steps = [
            entry
            for entry in self.entries
            if (entry.name in SOLUTIONS or (made and entry.name in QKV))
        ]
        whole = [entry for entry in steps if "" not in flat(entry.numbers)]
        for entry in steps:
            if entry not in whole:
                says = f"{symbol(entry.name)} has a cell that is no number; it is not checked."
                self.asked.messages.append(f"Line {entry.line}: {says}")
        if not whole or "token" not in sizes:
            return
        self.solution, messages = placed(whole, sizes, self._tokens(), self.layout.columns)
        self.asked.messages += messages
        for name, pasted in self.solution.items():
            numbers = _filled(pasted, tuple(sizes[axis] for axis in STEPS[name]))
            self.matrices[name] = Found(name, shape(numbers), numbers, pasted.line, pasted.why)


def is_of_cells(answer: str) -> bool:
    """Return whether an answer holds the numbers of a matrix: cells_w_q, cells_w_q.2."""
    name, _, head = answer.removeprefix(CELLS).partition(".")
    return answer.startswith(CELLS) and name in GIVEN and (not head or head.isdecimal())


def _settings(answers: Mapping[str, str]) -> dict[str, str]:
    """Return what is answered of the scale and the mask. Raises ValueError for what is neither."""
    scale, mask = answers.get("scale"), answers.get("mask")
    if scale is not None and scale not in SCALES:
        scale = Given(x=(("1",),), scale=scale).scale
    if mask is not None and mask not in MASKS:
        raise ValueError(f"“{mask[:40]}” is no mask: none or causal is, or a matrix in the text.")
    return {name: value for name, value in (("scale", scale), ("mask", mask)) if value is not None}


def _typed_cells(written: str) -> list[list[str]]:
    """Return a matrix of a link, rows with _ between, as lists. Raises Unfit with a sentence."""
    try:
        return [list(row) for row in Given(x=numbers_of("x", written)).x]
    except ValueError as error:
        raise Unfit(str(error)) from None


def _values(numbers: Any) -> tuple[Any, ...]:
    """Return what says the same as numbers that are written in another way."""
    return (*shape(numbers), *(float(one) if one else None for one in flat(numbers)))


def _rows_of(entry: Entry) -> list[Any]:
    return [row for matrix in _matrices(entry) for row in matrix]


def _matrices(entry: Entry) -> list[Any]:
    """Return the matrices of an entry, those of a batch of one too."""
    numbers = entry.numbers
    while len(shape(numbers)) > 3 and len(numbers) == 1:
        numbers = numbers[0]
    deep = len(shape(numbers))
    return [numbers] if deep == 2 else [[numbers]] if deep == 1 else list(numbers)


def _filled(pasted: Pasted, size: tuple[int, ...], before: tuple[int, ...] = ()) -> Any:
    """Return a step's cells as nested tuples, "" where none was written."""
    if len(before) == len(size):
        return pasted.cells.get(before, "")
    return tuple(_filled(pasted, size, (*before, i)) for i in range(size[len(before)]))


def _frozen(numbers: Any) -> Any:
    return tuple(_frozen(part) for part in numbers) if isinstance(numbers, list) else numbers
