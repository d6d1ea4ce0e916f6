"""A step on paper, for class by pencil: the row of the followed word is left blank, and a second sheet has the answers.

It stands in place of the page where the link says `sheet=on`.
"""

from dataclasses import replace
from html import escape

from core.export import SECTIONS, formula
from core.export.sections import Section
from core.origin import Copy
from core.text import labels
from core.trace import Entry, Trace
from pages.shared import board
from pages.shared.board import entries
from pages.shared.link import parse_link, write_link
from pages.shared.link.steps import find
from pages.shared.said import elements, words
from pages.shared.server import run

MOST_COLUMNS = 24  # of numbers that can still be read on paper


def on() -> bool:
    """Whether this run draws a worksheet."""
    return run.focus().sheet == "on"


def section_of(path: str) -> Section | None:
    """What the worksheet of this page is of; None where it has none."""
    return next((section for section in SECTIONS if section.path == path), None)


def show(path: str) -> None:
    """The worksheet of a page, which must be one of the seven steps; the others have none, and say so."""
    trace, focus = run.trace(), run.focus()
    section = section_of(path)
    elements.title(f"{find(path).menu.replace(' ', ' · ', 1)}: worksheet", anchor=False)
    if section is None:
        elements.markdown("The seven steps have worksheets; this page has none.")
    else:
        made = [entry for entry in section.entries(trace) if is_made(entry)]
        followed = words.quoted(labels(trace.tokens)[focus.query - 1])
        elements.markdown(section.sentence)
        for entry in (entry for entry in section.entries(trace) if entry in made or is_copy(entry, made)):
            latex = formula(trace, entry)
            if latex:
                elements.latex(latex)
        elements.text(
            f"Head {focus.head}. What belongs to {followed} is left blank: fill it in. The answers are on the second sheet."
        )
        if any(size > MOST_COLUMNS for name in given(trace, made) for size in trace.value(name).shape[-1:]):
            elements.caption(
                f"More than {MOST_COLUMNS} numbers side by side are small on paper: the preset “Small · class” has few."
            )
        draw(trace, made, focus.head - 1, focus.query - 1)
    link = write_link({name: value for name, value in parse_link(run.now().link).items() if name != "sheet"})
    elements.html(f'<a class="ab-stop" href="?{escape(link)}">Back to the page</a>')


def is_made(entry: Entry) -> bool:
    """Whether it can be filled in: it is made of others, and not taken over as it is."""
    return entry.call is not None or entry.name == "ids"


def is_copy(entry: Entry, made: list[Entry]) -> bool:
    """Whether it is the same as one of these that are filled in: the scores without a mask are the scaled ones."""
    return isinstance(entry.origin, Copy) and entry.origin.source in {other.name for other in made}


def given(trace: Trace, made: list[Entry]) -> list[str]:
    """What these are made of, each once, in order; what is filled in before is none of it, nor what is the same as that."""
    names = [name for entry in made if entry.call for name in entry.call.inputs]
    asked = {entry.name for entry in made}
    return [name for name in dict.fromkeys(names) if name not in asked and not is_copy(trace[name], made)]


def draw(trace: Trace, made: list[Entry], head: int, query: int) -> None:
    """The matrices that are given, and those in which the row of this token (from 0) is asked for; of heads the one."""
    board.worksheet(
        [matrix(trace, trace[name], head) for name in given(trace, made)],
        [matrix(trace, entry, head, blank=query) for entry in made],
        key="board_worksheet",
        alt="Tables to be filled in, and below them the same tables with the answers.",
    )


def matrix(trace: Trace, entry: Entry, head: int, blank: int | None = None) -> board.Matrix:
    """An entry as a table; `blank` is the token (from 0) whose cells are asked for: a row, of keys laid down a column."""
    shown = entries.matrix(trace, entry.name, head)
    n, m = shown.values.shape
    frame = None
    if blank is not None:
        frame = (blank, blank + 1, 0, m) if shown.axes[0] in ("token", "query") else (0, n, blank, blank + 1)
    return replace(shown, frame=frame, whole=not shown.values.is_floating_point())
