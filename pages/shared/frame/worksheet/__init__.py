"""A step on paper, for class by pencil: one side of A4 on which what belongs to the followed word is left blank, and a second sheet
with the answers.

It stands in place of the page where the link says `sheet=on`.
"""

from html import escape

from core.export import SECTIONS, formula
from core.export.sections import Section
from core.text import labels
from pages.shared import board
from pages.shared.board import paper
from pages.shared.frame.worksheet.tables import is_copy, is_made, sheets
from pages.shared.link import parse_link, write_link
from pages.shared.link.pages import find
from pages.shared.said import elements, words
from pages.shared.server import run

# How high title and sentences are; each formula; a sentence's second line; and what says that only a part is asked for.
HEAD, FORMULA, SECOND_LINE, PART = 170, 40, 26, 66


def on() -> bool:
    """Return whether this run draws a worksheet."""
    return run.focus().sheet == "on"


def section_of(path: str) -> Section | None:
    """Return what the worksheet of this page is of; None where it has none."""
    return next((section for section in SECTIONS if section.path == path), None)


def show(path: str) -> None:
    """Draw the worksheet of a page, which must be one of the seven steps; the others have none, and say so."""
    section = section_of(path)
    elements.title(f"{find(path).menu.replace(' ', ' · ', 1)}: worksheet", anchor=False)
    if section is None:
        elements.markdown("The seven steps have worksheets; this page has none.")
    else:
        elements.markdown(section.sentence)
        draw(section)
    link = write_link({name: value for name, value in parse_link(run.now().link).items() if name != "sheet"})
    elements.html(f'<a class="ab-stop" href="?{escape(link)}">Back to the page</a>')


def draw(section: Section) -> None:
    """Draw formulas, what is asked for, and the largest tables that fit; where none do, what would."""
    trace, focus = run.trace(), run.focus()
    made = [entry for entry in section.entries(trace) if is_made(entry)]
    shown = [entry for entry in section.entries(trace) if entry in made or is_copy(entry, made)]
    formulas = [latex for entry in shown if (latex := formula(trace, entry))]
    with elements.container(key="sheet_formulas"):
        for latex in formulas:
            elements.latex(latex)
    room = paper.HEIGHT - HEAD - FORMULA * len(formulas) - SECOND_LINE * (len(section.sentence) > 85)
    possible = sheets(trace, made, focus.head - 1, focus.query - 1)
    sheet = next((each for each in possible if each.height <= room - PART * (each.first is not None)), None)
    if sheet is None:
        elements.text(
            "At these sizes a single number takes more than one side of paper. The preset “Small · class” fits; so do smaller "
            "d_k and d_v, and fewer heads."
        )
        return
    of_head = f"Head {focus.head}. " if any(entry.dims[0] in words.HEADS for entry in made) else ""
    followed = words.quoted(labels(trace.tokens)[focus.query - 1])
    elements.text(f"{of_head}{what_is_asked(sheet.first, followed)} The answers are on the second sheet.")
    if sheet.first is not None:
        elements.caption("More do not fit on one side. The preset “Small · class” is small enough for all of them.")
    board.worksheet(
        given=sheet.given,
        asked=sheet.asked,
        key="board_worksheet",
        alt="Tables to be filled in, and below them the same tables with the answers.",
    )


def what_is_asked(first: int | None, followed: str) -> str:
    """Say what is left blank of this token: of its vectors the first so many numbers, None for all."""
    if first is None:
        return f"What belongs to {followed} is left blank: fill it in."
    if first == 1:
        return f"Of each vector of {followed} the first number is left blank: fill it in."
    return f"Of each vector of {followed} the first {first} numbers are left blank: fill them in."
