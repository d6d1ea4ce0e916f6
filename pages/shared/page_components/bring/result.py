"""A pasted text's result: the parsed matrices, their setup, and the checked solution. No Streamlit
here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

from core import Setup
from core.fields import files
from core.fields.user_matrices import AXES, SCALES
from core.grading.grading import grade, grade_reading
from core.grading.report import Report
from core.importing.layer import read_file
from core.importing.matrices import find_matrices
from core.importing.names import SYMBOLS
from core.importing.parsing import MASKS, Reading, is_of_matrix, parse
from core.importing.questions import Question
from core.importing.solution import STEPS

SAYS = {"scale": "Scores are divided by", "mask": "Mask"}
ANSWERS = {  # as shown; all others unchanged
    "sqrt": "√d_k",
    "X W": "a row is a word: X W",
    "W X": "a column is a word: W X",
    "X W^T": "a row is a word: X Wᵀ",
    "X^T W": "a column is a word: Xᵀ W",
    "rows": "a row is a word",
    "columns": "a column is a word",
    "seen": "1 may be looked at",
    "hidden": "1 is hidden",
    "1": "one",
    **SYMBOLS,
}

IN_A_NOTEBOOK = """from attention_explorer import grading, importing

reading = importing.parse(text)            # .matrices, .tokens, .questions, .messages
setup = reading.setup(mask="causal")  # what is open is answered by its name
report = grading.grade(setup, "alpha = [[1, 0], [0.3, 0.7]]")
print(report)                         # .verdicts by cell, .slips

# a layer: nn.MultiheadAttention, or your own with Linears for q, k, v, o
setup = importing.read_module(mha, x, tokens=["the", "cat", "sat"])
print(importing.link(setup, "http://localhost:8501"))"""


@dataclass(frozen=True)
class Looked:
    """The result of a text. `why_not` explains why there is no setup.

    `of_panel`: the text has only steps, which were checked against the panel's setup.
    """

    reading: Reading
    setup: Setup | None
    told: tuple[str, ...]
    why_not: str
    report: Report | None
    of_panel: bool = False

    @property
    def questions(self) -> tuple[Question, ...]:
        """Return the questions: the parser's and, once the text can be computed, scale and mask."""
        if not self.given:
            return self.reading.questions
        answers = (*SCALES, *({self.reading.settings.get("scale", "sqrt")} - set(SCALES)))
        scale = Question("scale", SAYS["scale"], answers, "sqrt")
        mask = Question("mask", SAYS["mask"], MASKS, "none")
        asked = {question.name for question in self.reading.questions} | {*self.reading.matrices}
        usual = (question for question in (scale, mask) if question.name not in asked)
        return (*self.reading.questions, *usual)

    def answer(self, question: Question) -> str | None:
        """Return the current answer, None if it is open."""
        said = {**self.reading.settings, **self.reading.answers}
        return said.get(question.name, question.default)

    @property
    def given(self) -> tuple[str, ...]:
        """Return the names of the matrices that are not steps of a solution."""
        return tuple(
            name
            for name in self.reading.matrices
            if name in (*AXES, "mask") and name not in self.reading.solution
        )


def text_of(pasted: str) -> str:
    """Return the text in a link or stored under its name, "" if it is no longer stored.

    >>> text_of("Q: 1 0")
    'Q: 1 0'
    """
    return (files.find(pasted) or "") if files.REFERENCE.fullmatch(pasted) else pasted


def parse_answers(answers: str) -> dict[str, str]:
    """Return the answers by question.

    >>> parse_answers("heads:2;orientation:W X")
    {'heads': '2', 'orientation': 'W X'}
    """
    return dict(each.split(":", 1) for each in answers.split(";") if ":" in each)  # type: ignore[misc]


def write_answers(answers: Mapping[str, str]) -> str:
    """Return answers as a link parameter."""
    return ";".join(f"{name}:{answer}" for name, answer in answers.items())


@lru_cache(maxsize=32)
def look(text: str, answers: str, panel: Setup) -> Looked:
    """Parse a text with those answers that are valid, and check its solution."""
    reading = _answered(partial(parse, text), parse_answers(answers))
    setup, told, why_not = _opened(reading)
    report = None
    of_panel = _holds_steps(text) and not Looked(reading, setup, told, why_not, None).given
    try:
        if of_panel:
            report, why_not = grade(panel, text), ""
        elif reading.solution:
            report = grade_reading(reading)
    except ValueError as error:
        why_not = why_not or str(error)
    return Looked(reading, setup, told, why_not, report, of_panel)


def _holds_steps(text: str) -> bool:
    """Return whether the text names a step of a solution."""
    return any(entry.name in STEPS for entry in find_matrices(text).entries)


def look_at_layer(name: str, data: bytes, beside: Looked, answers: str) -> Looked:
    """Read the attention layer in a file, with the pasted sentence if the file has none."""
    x, memory = (beside.reading.matrices.get(each) for each in ("x", "memory_x"))
    tokens = beside.reading.tokens if x else ()
    given = partial(
        read_file, name, data, x.numbers if x else (), tokens, memory.numbers if memory else ()
    )
    wished = {
        key: answer for key, answer in parse_answers(answers).items() if not is_of_matrix(key)
    }
    reading = _answered(given, wished)
    return Looked(reading, *_opened(reading), None)


def _opened(reading: Reading) -> tuple[Setup | None, tuple[str, ...], str]:
    """Return the setup, the messages about changes, and why there is none."""
    try:
        setup, messages = reading.opened()
    except ValueError as error:
        return None, (), str(error)
    return setup, tuple(messages), ""


def _answered(given: Callable[..., Reading], wished: Mapping[str, str]) -> Reading:
    """Return the reading with the valid answers; each may lead to a new question."""
    typed = {name: numbers for name, numbers in wished.items() if is_of_matrix(name)}
    reading, answers = given(**typed), dict[str, str]()
    for _ in wished:
        names = {"scale": SCALES, "mask": MASKS}
        names |= {question.name: question.answers for question in reading.questions}
        fitting = {name: wished[name] for name in names if wished.get(name) in names[name]}
        if fitting == answers:
            break
        reading, answers = given(**fitting, **typed), fitting
    return reading
