"""A pasted text read: what is sure of its matrices, and what is asked. Nothing is evaluated, and
nothing that cannot be read stops the rest."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..fields.nested import flat, shape, transpose
from ..fields.user_matrices import AXES, UserMatrices
from ..setup.setup import Setup
from .gathering import (
    CELLS,
    SINGLE,
    check_matrices,
    choose_repeated,
    entries_of,
    flatten_vectors,
    gather,
    words_of,
)
from .layout import (
    IN_COLUMNS,
    OF_QKV,
    ORIENTATIONS,
    ROWS,
    Layout,
    Parts,
    lay_mask,
)
from .matrices import Entry, find_matrices
from .names import BIASES, QKV, SOLUTIONS, WEIGHTS, symbol
from .naming import name_entries, say_what_is_missing, split_joint
from .opening import make_setup
from .questions import InvalidInput, Question, Questions
from .solution import STEPS, Pasted, place_steps

MASKS = ("none", "causal")
ANY_TIME = ("scale", "mask", "heads")  # what may be answered without being asked
TURN = "turn_"  # what the answers are called by which a matrix is turned
_OF_KEYS = ("memory_x", "k", "v")  # whose rows are words that are asked
_WITH_WORDS = ("x", "q", "weights", "scores", "scaled", "context", "output", "k", "v")
_CAUSAL = re.compile(r"(?i)\bcausal\b|\btri[lu]\b")


@dataclass(frozen=True)
class Found:
    """One matrix of the text: what it is, its numbers as they were typed, in which line it begins,
    and why it was taken for that.

    Given ones lie as `AXES` has them. Of a solution's step there may be some rows or heads
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
    named: tuple[Entry, ...] = field(repr=False, default=())  # all that have a name, as they lie
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

    def given(self, **answers: object) -> UserMatrices:
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
        parts = {name: found.numbers for name, found in reading.matrices.items() if name in AXES}
        return UserMatrices(
            **parts, mask=_mask_of(reading), scale=reading.settings.get("scale", "sqrt")
        )

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
        return make_setup(reading.given(), reading.tokens, reading.others)


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
    return _Parser(text if isinstance(text, str) else "", given).reading()


def is_of_matrix(answer: str) -> bool:
    """Return whether an answer holds the numbers of a matrix, or turns it: cells_w_q, cells_w_q.2,
    turn_w_q."""
    name, _, head = answer.removeprefix(CELLS).partition(".")
    if answer.startswith(CELLS):
        return name in AXES and (not head or head.isdecimal())
    return answer.startswith(TURN) and answer.removeprefix(TURN) in (*AXES, *STEPS, "mask")


def settings_of(answers: Mapping[str, str]) -> dict[str, str]:
    """Return what is answered of the scale and the mask. Raises ValueError for what is neither."""
    settings = {name: answers[name] for name in ("scale", "mask") if name in answers}
    if settings.get("mask", "none") not in MASKS:
        says = "is no mask: none or causal is, or a matrix in the text."
        raise ValueError(f"“{settings['mask'][:40]}” {says}")
    if "scale" in settings:
        settings["scale"] = UserMatrices(x=(("1",),), scale=settings["scale"]).scale
    return settings


class _Parser:
    """Names the matrices of a text, gathers them by name, lays them out, and puts the mask and the
    steps of a solution beside them."""

    def __init__(self, text: str, answers: dict[str, str]) -> None:
        self.text, self.questions = text, Questions(answers)
        self.found = find_matrices(text)
        self.settings = self.found.settings | settings_of(answers)
        cells = (name.removeprefix(CELLS) for name in answers if name.startswith(CELLS))
        self.typed_names = {name.partition(".")[0] for name in cells}
        self.entries: list[Entry] = []
        self.matrices: dict[str, Found] = {}
        self.typed: dict[str, list[Any]] = {}
        self.solution: dict[str, Pasted] = {}
        self.left_out: list[str] = []
        self.others: tuple[str, ...] = ()
        self.in_columns = False

    def reading(self) -> Reading:
        questions = self.questions
        questions.messages += self.found.messages
        parts = [part for one in self.found.entries for part in split_joint(one, questions)]
        named, unnamed = name_entries(parts, self.typed_names, questions)
        self.entries = [
            replace(entry, numbers=transpose(entry.numbers), words=())
            if TURN + entry.name in questions.answers and len(entry.shape) > 1
            else entry
            for entry in named
        ]
        try:
            self._read_given()
        except InvalidInput as unfit:
            self.left_out.append(str(unfit))
            self._keep_as_typed()
        questions.refuse_unknown((*ANY_TIME, *filter(is_of_matrix, questions.answers)))
        return Reading(
            text=self.text,
            matrices=self.matrices,
            tokens=self._tokens(),
            questions=tuple(questions.asked.values()),
            messages=tuple(dict.fromkeys((*self.left_out, *questions.messages))),
            left_out=tuple(self.left_out),
            settings=self.settings,
            answers=questions.answers,
            solution=self.solution,
            others=self.others,
            named=tuple(self.entries),
            entries=tuple(unnamed),
            typed=self.typed,
        )

    def _read_given(self) -> None:
        """Gather and lay out what is given, then read the mask and the solution beside it."""
        there = {entry.name for entry in self.entries} | self.typed_names
        is_made = there >= {"x", *WEIGHTS}
        is_projected = not is_made and there >= {*QKV}
        of_x, of_qkv = ("x", "memory_x", *WEIGHTS), () if is_made else QKV
        wanted = (*(() if is_projected else of_x), *of_qkv, *(BIASES[:3] if is_made else ()))
        names = tuple(name for name in (*wanted, "w_o", "b_o") if name in there)
        for name in (*names, "mask"):
            self.entries = choose_repeated(self.entries, name, self.questions)
        heads = self.settings.get("heads")
        layout = Layout(self.entries, self.text, heads, self.questions)
        vectors = flatten_vectors(self.entries)
        for name in names:
            self.typed[name] = gather(vectors, name, self.questions)
        if is_projected and (alone := [symbol(name) for name in ("x", *WEIGHTS) if name in there]):
            said = f"{' and '.join(alone)} is left alone."
            self.questions.messages.append(f"Q, K and V are taken as they stand: {said}")
        unread = [said for said in self.found.messages if names == ("x",) and "W_" in said]
        if missing := say_what_is_missing(there, bool(self.questions.asked)):
            self.questions.messages.append(missing)
        if missing or unread:
            raise InvalidInput((*unread, *self.found.messages, missing)[0])
        asked = {name for name in self.questions.asked if name.startswith(CELLS)}
        if asked <= self.questions.answers.keys():
            self._lay_out(layout)
        else:
            self._keep_as_typed()

    def _lay_out(self, layout: Layout) -> None:
        for name, matrices in self.typed.items():
            if name not in BIASES:
                check_matrices(matrices, name, self._line(name))
        parts: Parts = {
            name: flat(matrices) if name in BIASES else matrices[0] if name in SINGLE else matrices
            for name, matrices in self.typed.items()
        }
        laid, how = layout.lay(parts)
        self.in_columns = how in IN_COLUMNS
        for name, numbers in laid.items():
            way = "" if how in (ROWS, "rows") else f"; {(ORIENTATIONS | OF_QKV)[how]}"
            self._keep(name, numbers, "" if name in BIASES else way)
        try:
            sizes = UserMatrices(**laid).sizes
        except ValueError as error:
            self.left_out.append(str(error))
            return
        if "memory" in sizes and not self.in_columns:
            self.others = words_of(self.entries, _OF_KEYS)
        if sizes["token"] == 1 == sizes["key"]:
            says = "This is one word that looks at itself alone; rows of more stand on more lines."
            self.questions.ask(Question("rows", says, ("one word",), None, "one word"))
        self._read_mask((sizes["token"], sizes["key"]))
        self._read_solution(sizes)

    # ---------- kept ----------

    def _line(self, name: str) -> int:
        return next((entry.line for entry in entries_of(self.entries, name)), 0)

    def _keep(self, name: str, numbers: Any, way: str = "") -> None:
        there = entries_of(self.entries, name)
        why = there[0].why if there else "typed into the grid"
        kept = _frozen(numbers)
        self.matrices[name] = Found(name, shape(kept), kept, self._line(name), why + way)

    def _keep_as_typed(self) -> None:
        """Keep what was gathered of a whole that is not there yet, or does not fit."""
        for name, matrices in self.typed.items():
            if name not in self.matrices and matrices and len({*map(shape, matrices)}) == 1:
                self._keep(name, matrices[0] if len(matrices) == 1 else matrices)

    def _tokens(self) -> tuple[str, ...]:
        names = [name for name in _WITH_WORDS if not (self.others and name in _OF_KEYS)]
        return self.found.tokens or (() if self.in_columns else words_of(self.entries, names))

    # ---------- beside what is given ----------

    def _read_mask(self, size: tuple[int, int]) -> None:
        there = entries_of(self.entries, "mask")
        if not there:
            if _CAUSAL.search(self.text) and "mask" not in self.settings:
                says = "The text speaks of a causal mask: none is set here."
                self.questions.messages.append(says)
            return
        matrices = gather(self.entries, "mask", self.questions)
        check_matrices(matrices, "mask", there[0].line)
        if kept := lay_mask(matrices[0], size, there[0].line, self.questions):
            self.matrices["mask"] = Found("mask", size, kept, there[0].line, there[0].why)

    def _read_solution(self, sizes: Mapping[str, int]) -> None:
        """Put the steps of a solution to their places."""
        steps = [
            entry
            for entry in self.entries
            if entry.name in SOLUTIONS or (entry.name in QKV and entry.name not in self.matrices)
        ]
        self.solution, messages = place_steps(steps, sizes, self._tokens(), self.in_columns)
        self.questions.messages += messages


def _frozen(numbers: Any) -> Any:
    return tuple(_frozen(part) for part in numbers) if isinstance(numbers, list) else numbers
