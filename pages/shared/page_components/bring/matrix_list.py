"""The parsed matrices in the order of the steps, with one select for each question; and the text
with names at its lines."""

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import torch

from core.board import colours
from core.fields.nested import flat, shape
from core.importing.matrices import Entry
from core.importing.names import symbol
from core.importing.naming import ORDER
from core.importing.parsing import TURN
from core.importing.questions import Question
from core.text.text import labels
from pages.shared import board, lecture
from pages.shared.layout import show
from pages.shared.page_components.bring.result import ANSWERS, Looked, write_answers
from pages.shared.text import elements, words

LARGEST_SIDE = 32  # of a drawn matrix
MOST_PROJECTED = 2  # matrices with their numbers in a lecture; the rest in a line each
FEWEST_LINES, MAX_LINES = 15, 60  # lines of a text edited with names in the margin
MAX_SHOWN = 400  # lines of a text from a file
SAID = {"orientation": "Which way do they lie?", "heads": "How many heads side by side?"}
OF_WORDS = ("x", "q", "k", "v", "mask")  # their rows are words


# ---------- the text ----------


def draw_names(text: str, looked: Looked) -> None:
    """Draw line numbers and names in the margin of the edited text."""
    lines = text.split("\n")
    if len(lines) <= MAX_LINES:
        blank = [""] * max(len(lines), FEWEST_LINES)
        _draw_lines(_starts(looked), lines, blank)


def draw_text(text: str, looked: Looked) -> None:
    """Draw a text with line numbers and names."""
    lines = text.split("\n")[:MAX_SHOWN]
    _draw_lines(_starts(looked), lines, lines)


def _starts(looked: Looked) -> dict[int, list[str]]:
    """Return the names of the matrices that start on each line, "" for unnamed ones."""
    starts: dict[int, list[str]] = {}
    for entry in (*looked.reading.named, *looked.reading.entries):
        starts.setdefault(entry.line, []).append(entry.name)
    return starts


def _draw_lines(
    starts: Mapping[int, list[str]], lines: Sequence[str], shown: Sequence[str]
) -> None:
    rows, begun = [], 0
    for number, line in enumerate(shown, start=1):
        content = lines[number - 1] if number <= len(lines) else ""
        goes_on = bool(begun) and any(map(str.isdigit, content))
        begun = number if number in starts else begun if goes_on else 0
        tags = "".join(_tag(name) for name in dict.fromkeys(starts.get(number, ())))
        of = f' data-line="{begun}"' if begun else ""
        rows.append(f"<li{of}><span>{tags}</span>{html.escape(line)}</li>")
    elements.html(f'<ol class="ab-lines">{"".join(rows)}</ol>')


def _tag(name: str) -> str:
    called = html.escape(symbol(name)) if name else "?"
    return f'<b class="ab-{colours.get_role(name) if name else colours.NONE}">{called}</b>'


# ---------- the list ----------


def draw(looked: Looked) -> None:
    """Draw what was left out, general questions, a card for each matrix, and messages."""
    reading = looked.reading
    if reading.left_out:
        show.plain("\n".join(reading.left_out))
    of_lines = [one for one in looked.questions if one.name.startswith("line_")]
    _draw_questions([one for one in looked.questions if one not in of_lines], looked)
    with elements.container(key="read_list"):
        for k, card in enumerate(_cards(looked, of_lines)):
            _draw_card(card, looked, with_numbers=k < MOST_PROJECTED or not lecture.is_on())
    messages = dict.fromkeys((*reading.messages, *looked.told))
    if left := [message for message in messages if message not in reading.left_out]:
        show.plain("\n".join(left))


@dataclass(frozen=True)
class Card:
    """A matrix in the list: its position among the steps, name ("" if unknown), entry in the text,
    and question."""

    place: int
    name: str
    entry: Entry | None = None
    question: Question | None = None

    @property
    def key(self) -> str:
        """Return a unique name."""
        return self.name or (self.question.name if self.question else "")


def _cards(looked: Looked, questions: Sequence[Question]) -> list[Card]:
    """Return the cards in the order of the steps, each with its question."""
    reading = looked.reading
    places = {name: place for place, name in enumerate(ORDER)}
    last = len(places)
    unanswered = [one for one in questions if one.name not in reading.answers]
    cards = [
        Card(places.get(question.guess, last), "", entry, question)
        for entry, question in zip(reading.entries, unanswered, strict=True)
    ]
    answered = [one for one in questions if one not in unanswered]
    entries: dict[str, Entry | None] = dict.fromkeys(looked.given)
    entries |= {entry.name: entry for entry in reversed(reading.named)}
    for name, entry in entries.items():
        own = next((one for one in answered if reading.answers[one.name] == name), None)
        cards.append(Card(places.get(name, last), name, entry, own))
    shown = [card.question for card in cards]
    cards += [Card(last + 1, "", None, one) for one in answered if one not in shown]
    return sorted(cards, key=lambda card: card.place)


def _draw_card(card: Card, looked: Looked, with_numbers: bool) -> None:
    """Draw a matrix: line, question, orientation and numbers; a solution's step shows name and
    shape only, since it is checked below."""
    name, entry = card.name, card.entry
    found = looked.reading.matrices.get(name)
    numbers = found.numbers if found else entry.numbers if entry and not name else ()
    is_whole = bool(numbers) and "" not in flat(numbers)
    is_drawn = with_numbers and is_whole and max(shape(numbers)) <= LARGEST_SIDE
    said = [] if is_drawn or not name else [_tag(name)]
    if not is_drawn and (found or entry):
        size = tuple(found.shape if found else entry.shape if entry else ())
        said.append(words.times(size[1:] if len(size) == 3 and size[0] == 1 else size))
    if entry:
        quoted = f" “{entry.said[:24]}”" if entry.said else ""
        said.append(f"<small>line {entry.line}{html.escape(quoted)}</small>")
    elif found or card.question:
        why = found.why if found else card.question.says if card.question else ""
        said.append(f"<small>{html.escape(why.partition(': what')[0])}</small>")
    if entry and name:
        said.append(_link_transpose(name, looked))
    asked = _select(card.question, looked) if card.question else ""
    of = f' data-line="{entry.line}"' if entry else ""
    with elements.container(key=f"entry_{card.key}"):
        elements.html(f'<div class="ab-entry"{of}><p>{" ".join(said)}</p>{asked}</div>')
        if is_drawn:
            called = name or f"line {entry.line if entry else ''}"
            _draw_board(card.key, called, numbers, looked.reading.tokens)


def _link_transpose(name: str, looked: Looked) -> str:
    """Return the link that transposes a matrix, or undoes it."""
    answers, key = looked.reading.answers, TURN + name
    others = {each: answer for each, answer in answers.items() if each != key}
    if key in answers:
        return _link(others, "transpose back")
    return _link(others | {key: "yes"}, "transpose")


def _draw_board(key: str, name: str, numbers: Sequence, tokens: Sequence[str]) -> None:
    board.matrices(
        *_matrices(name, numbers, tokens),
        key=f"board_read_{key}",
        across=2,
        main=0,
        chooses=board.choice(),
        min_width=22,
        max_width=44,
        max_height=20,
        of_screen=0.3,
        alt=f"{symbol(name)}, {words.times(shape(numbers))}, as it was read.",
    )


def _matrices(name: str, numbers: Sequence, tokens: Sequence[str]) -> list[board.Matrix]:
    """Return a board matrix for each head; a vector is one row."""
    value = torch.tensor(to_floats(numbers))
    value = value[None] if value.ndim == 1 else value
    lead = value if value.ndim == 3 else value[None]
    rows = lead.shape[1]
    of_words = name in OF_WORDS and len(tokens) == rows
    names = list(labels(tuple(tokens))) if of_words else board.number_labels(rows)
    return [
        board.Matrix(
            f"{name}.{head}",
            part,
            names,
            board.number_labels(part.shape[1]),
            ("token" if of_words else "row", "column"),
            colours.get_role(name),
            f"{symbol(name)}, head {head}" if len(lead) > 1 else symbol(name),
            symbol=symbol(name),
            whole=name == "mask",
            scale="plain" if name == "mask" else "diverging",
        )
        for head, part in enumerate(lead, start=1)
    ]


def to_floats(numbers: Sequence) -> list:
    """Return typed numbers as floats."""
    return [to_floats(part) if isinstance(part, tuple | list) else float(part) for part in numbers]


# ---------- questions ----------


def _draw_questions(questions: Iterable[Question], looked: Looked) -> None:
    """Draw each question as a select, and a link that accepts all guesses."""
    rows = []
    for question in questions:
        if question.answers:
            rows.append(_select(question, looked))
        else:
            show.plain(question.says)  # numbers, typed into the grid
    guesses = {one.name: one.guess for one in looked.reading.open if one.guess}
    if len(guesses) > 1:
        listed = ", ".join(_called(name, guess) for name, guess in guesses.items())
        answers = {**looked.reading.answers, **guesses}
        rows.insert(0, f"<p>{_link(answers, f'Yes to all: {listed}')}</p>")
    if rows:
        elements.html(f'<div class="ab-questions">{"".join(rows)}</div>')


def _select(question: Question, looked: Looked) -> str:
    """Return a question as a select of its answers. An open one shows its guess and a link to
    accept it."""
    answers, current = looked.reading.answers, looked.answer(question)
    chosen = question.guess if current is None else current
    options = "".join(
        f'<option value="{html.escape(urlencode(_sets({**answers, question.name: answer})))}"'
        f"{' selected' if answer == chosen else ''}>{html.escape(_called(question.name, answer))}"
        "</option>"
        for answer in question.answers
    )
    is_of_line = question.name.startswith("line_")
    says = "What is this?" if is_of_line else SAID.get(question.name, question.says)
    yes = ""
    if current is None and chosen:
        said = f"Yes, {_called(question.name, chosen)}"
        yes = " " + _link({**answers, question.name: chosen}, said)
    is_open = " ab-open" if current is None else ""
    return (
        f'<p class="ab-question{is_open}"><label>{html.escape(says)} <select data-sets>{options}'
        f"</select></label>{yes}</p>"
    )


def _called(question: str, answer: str) -> str:
    return "nothing" if (question, answer) == ("scale", "none") else ANSWERS.get(answer, answer)


def _sets(answers: Mapping[str, str]) -> dict[str, str]:
    return {"answers": write_answers(answers)}


def _link(answers: Mapping[str, str], said: str) -> str:
    return show.link_here(html.escape(said), _sets(answers))
