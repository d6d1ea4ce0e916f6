"""A pasted text read: which matrices it holds, which way they lie, what is open. Nothing is
evaluated, and nothing is read half."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..setup import Setup
from .choosing import in_the_order_of_words, name_the_unnamed, one_of_each_name, split_joint
from .desk import BIASES, OF_KEYS, QKV, WEIGHTS, WITH_WORDS, Desk, Question, Unfit, symbol
from .entries import Entry, Text, holds_infinity, taken
from .laying import Laying, gathered
from .naming import SOLUTIONS
from .nested import shape
from .opening import opened
from .solution import STEPS, Pasted, placed
from .values import AXES, SCALES, Given

HIDDEN = -1000  # what is added to a score, and hides it, is at most this
MASKS = ("none", "causal")
ANY_TIME = ("scale", "mask", "heads")  # what may be answered without being asked


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
    sentences with their line."""

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
    others: tuple[
        str, ...
    ] = ()  # the words of the rows that are asked, where these are another sentence's

    def answered(self, **answers: object) -> "Reading":
        """Return the reading of the same text with these questions answered by name. Raises
        ValueError with a sentence."""
        return read(self.text, **(self.answers | answers))

    @property
    def open(self) -> tuple[Question, ...]:
        """The questions that must be answered before anything can be made of the text."""
        return tuple(
            question
            for question in self.questions
            if question.default is None and question.name not in self.answers
        )

    def given(self, **answers: object) -> Given:
        """Return what is given in the text. Raises ValueError with a sentence where something is
        open, missing or left out.

        Beside the questions, `scale` ("sqrt", "none" or a number) and `mask` ("none", "causal") can
        be answered.

        >>> read("Q: 1 0; 0 1\\nK: 1 0; 0 1\\nV: 1 2; 3 4").given(scale="none").to_text()
        'q 1,0_0,1 k 1,0_0,1 v 1,2_3,4 scale none'
        """
        reading = self.answered(**answers) if answers else self
        if reading.left_out:
            raise ValueError(reading.left_out[0])
        if reading.open:
            question = reading.open[0]
            raise ValueError(
                f"{question.says} Answer {question.name}:"
                f" {' or '.join(map(repr, question.answers))}."
            )
        parts = {
            name: found.numbers
            for name, found in reading.matrices.items()
            if name in AXES and name not in reading.solution
        }
        mask = _mask_numbers(reading)
        return Given(
            **parts, words=reading.words, mask=mask, scale=reading.settings.get("scale", "sqrt")
        )

    def setup(self, **answers: object) -> Setup:
        """Return the setup whose numbers are those of the text. Raises ValueError as `given` does,
        and where the steps have no place for them.

        >>> read("Q: 1 0; 0 1\\nK: 1 0; 0 1\\nV: 1 2; 3 4").setup(mask="causal").mask
        'given'
        """
        return self.opened(**answers)[0]

    def opened(self, **answers: object) -> tuple[Setup, list[str]]:
        """Return that setup, and in words what had to be changed for it."""
        reading = self.answered(**answers) if answers else self
        return opened(reading.given(), reading.tokens, reading.others)


def _mask_numbers(reading: Reading) -> Any:
    if "mask" in reading.matrices:
        return [[cell == "1" for cell in row] for row in reading.matrices["mask"].numbers]
    if reading.settings.get("mask") != "causal":
        return ()
    of = reading.matrices
    pair = next((pair for pair in (("x", "memory_x"), ("q", "k")) if pair[0] in of), None)
    if pair is None:
        return ()
    queries, keys = (of[name if name in of else pair[0]].shape[-2] for name in pair)
    return [[key <= query for key in range(keys)] for query in range(queries)]


def read(text: str, **answers: object) -> Reading:
    """Return what stands in a text of at most 200 kB: matrices in any usual notation, with their
    names.

    `answers` are those to questions of an earlier reading, by name. Garbage makes a sentence in
    `messages`, never an exception; an answer that fits no question raises ValueError.

    >>> reading = read("please → [1, 0]\\nstudy → [0, 2]\\nW_q = [[1, 0], [0, 1]]")
    >>> reading.tokens, reading.matrices["x"].numbers
    (('please', 'study'), (('1', '0'), ('0', '2')))
    """
    given = {name: str(value) for name, value in answers.items()}
    return _Reader(taken(text), text if isinstance(text, str) else "", given).reading()


class _Reader:
    def __init__(self, found: Text, text: str, answers: dict[str, str]) -> None:
        self.found, self.text = found, text
        self.desk = Desk((), answers)
        self.settings = {**found.settings, **_settings(answers)}
        self.matrices: dict[str, Found] = {}
        self.solution: dict[str, Pasted] = {}
        self.words: tuple[str, ...] = ()  # of a table
        self.others: tuple[str, ...] = ()
        self.asks_another = False
        self.left_out = list(found.messages)
        self.laying = Laying(self.desk, {}, "")

    def reading(self) -> Reading:
        desk = self.desk
        try:
            desk.entries = [
                entry
                for entry in split_joint(self.found.entries, desk.messages)
                if self._is_finite(entry)
            ]
            name_the_unnamed(desk)
            one_of_each_name(desk)
            in_the_order_of_words(desk, self.found.tokens or desk.words())
            self._resolve()
        except Unfit as unfit:
            self.left_out.append(str(unfit))
        unknown = sorted(set(desk.answers) - set(desk.questions) - set(ANY_TIME))
        if unknown:
            raise ValueError(
                f"“{unknown[0][:40]}” is no question of this text. Open are:"
                f" {', '.join(desk.questions) or 'none'}."
            )
        if not (self.matrices or desk.questions or desk.messages or self.left_out):
            none = (
                "No matrix was found: numbers in brackets, or rows of numbers below one another,"
                " are read."
            )
            alone = (
                "Nothing can be made of it alone: X with its matrices is missing, or Q, K and V."
            )
            self.left_out.append(alone if self.found.entries else none)
        return Reading(
            self.text,
            self.matrices,
            self._tokens(),
            tuple(desk.questions.values()),
            (*self.left_out, *desk.messages),
            tuple(self.left_out),
            self.settings,
            desk.answers,
            self.solution,
            self.words,
            self.others,
        )

    def _tokens(self) -> tuple[str, ...]:
        names = [name for name in WITH_WORDS if not (self.asks_another and name in OF_KEYS)]
        return self.found.tokens or (() if self.laying.columns else self.desk.words(names))

    def _is_finite(self, entry: Entry) -> bool:
        infinite = holds_infinity(entry) and entry.name not in ("mask", "masked", "scaled", "")
        if infinite:
            self.left_out.append(
                f"Line {entry.line}: {symbol(entry.name)} holds ∞, which only a mask may."
            )
        return not infinite

    def _resolve(self) -> None:
        """Lay the given matrices as `AXES` has them, then put the mask and the steps of a solution
        beside them."""
        desk = self.desk
        made = desk.has("x", "table") and desk.has(*WEIGHTS)
        names = ("x", "memory_x", "table", *WEIGHTS, *BIASES, "w_o", *(() if made else QKV))
        parts = {name: gathered(desk, name) for name in names if desk.has(name)}
        self._lay_table(parts)
        whole = all(name in parts for name in QKV)
        if whole and "x" in parts:
            desk.messages.append(
                "Q, K and V stand there, and nothing that makes them of X: X is left alone."
            )
            del parts["x"]
        if (
            not made
            and not whole
            and any(name in parts for name in WEIGHTS)
            and any(name in parts for name in QKV)
        ):
            raise Unfit(
                "There is a part of X, W_q, W_k, W_v and a part of Q, K, V: neither is whole."
            )
        self.laying = Laying(desk, parts, self.found.settings.get("heads", ""))
        if made:
            self.laying.weights()
        elif whole:
            self.laying.qkv()
        elif "w_o" in parts:
            parts["w_o"] = parts["w_o"][0]
        for name, numbers in parts.items():
            self._keep(name, numbers)
        sizes = self._sizes(parts)
        self.asks_another = "memory" in sizes
        self.others = (
            self.desk.words(OF_KEYS) if self.asks_another and not self.laying.columns else ()
        )
        self._lay_mask(sizes)
        self._solve(sizes, made)

    def _lay_table(self, parts: dict[str, Any]) -> None:
        """Keep a table with the words of its rows; without words, or beside X, it is none."""
        if "table" not in parts:
            return
        self.words = next((entry.words for entry in self.desk.of("table")), ())
        if "x" in parts:
            self.desk.messages.append("X is there too: the table is left alone.")
            del parts["table"]
        elif not self.words:
            self.desk.messages.append("The table's rows have no words: they are taken for X.")
            for entry in self.desk.of("table"):
                self.desk.change(entry, name="x")
            parts["x"] = parts.pop("table")
        self.words = self.words if "table" in parts else ()

    def _keep(self, name: str, numbers: Any) -> None:
        entry = self.desk.of(name)[0]
        why = entry.said[1:] if entry.said.startswith("\0") else entry.why
        kept = _frozen(numbers)
        self.matrices[name] = Found(
            name, shape(kept), kept, entry.line, why + ("" if name in BIASES else self.laying.how)
        )

    def _sizes(self, parts: Mapping[str, Any]) -> dict[str, int]:
        """Return how long every axis is; {} where the given matrices do not fit together, or are
        not whole, which is said."""
        try:
            return Given(**parts, words=self.words).sizes
        except ValueError as error:
            if parts:
                self.desk.messages.append(str(error))
            return {}

    def _lay_mask(self, sizes: Mapping[str, int]) -> None:
        """Take a mask of 1 and 0, or of what is added to the scores, as 1 where a query may look;
        ask what 1 means if both can be."""
        if not self.desk.has("mask") or "token" not in sizes:
            return
        mask = gathered(self.desk, "mask")
        expected = (sizes["token"], sizes["key"])
        if shape(mask) == (1, sizes["key"]):
            mask = mask * sizes["token"]
        if shape(mask) != expected:
            written, wanted = (" × ".join(map(str, one)) for one in (shape(mask), expected))
            raise Unfit(
                f"The mask is {written}, and {wanted} was expected: a row for each query, a column"
                " for each key."
            )
        entry = self.desk.of("mask")[0]
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
            answer = self.desk.ask("mask_means", says, ("seen", "hidden"), None)
        return [[cell == (answer != "hidden") for cell in row] for row in ones]

    def _solve(self, sizes: Mapping[str, int], made: bool) -> None:
        """Put the steps of a solution to their places."""
        steps = [
            entry
            for entry in self.desk.entries
            if entry.name in SOLUTIONS or (made and entry.name in QKV)
        ]
        if steps and "token" not in sizes:
            step = symbol(steps[0].name)
            self.desk.messages.append(
                f"{step} stands there, and nothing that it is made of: bring X and its matrices, or"
                " Q, K and V."
            )
            return
        self.solution, messages = placed(steps, sizes, self._tokens(), self.laying.columns)
        self.desk.messages += messages
        for name, pasted in self.solution.items():
            numbers = _filled(pasted, tuple(sizes[axis] for axis in STEPS[name]))
            self.matrices[name] = Found(name, shape(numbers), numbers, pasted.line, pasted.why)


def _settings(answers: Mapping[str, str]) -> dict[str, str]:
    """Return what is answered of the scale and the mask. Raises ValueError for what is neither."""
    scale, mask = answers.get("scale"), answers.get("mask")
    if scale is not None and scale not in SCALES:
        scale = Given(x=(("1",),), scale=scale).scale
    if mask is not None and mask not in MASKS:
        raise ValueError(f"“{mask[:40]}” is no mask: none or causal is, or a matrix in the text.")
    return {name: value for name, value in (("scale", scale), ("mask", mask)) if value is not None}


def _filled(pasted: Pasted, size: tuple[int, ...], before: tuple[int, ...] = ()) -> Any:
    """Return a step's cells as nested tuples, "" where none was written."""
    if len(before) == len(size):
        return pasted.cells.get(before, "")
    return tuple(_filled(pasted, size, (*before, i)) for i in range(size[len(before)]))


def _frozen(numbers: Any) -> Any:
    return tuple(_frozen(part) for part in numbers) if isinstance(numbers, list) else numbers
