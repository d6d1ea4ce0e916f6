"""A step on paper, for class by pencil: one side of A4 on which what belongs to the followed word
is left blank, and a second sheet with the answers.

It stands in place of the page where the link says `sheet=on`, of that setup where a hand can do it,
else of the same sentence in small sizes. Every number has two decimals, and is made of such
numbers: whoever computes by hand finds the answers.
"""

from html import escape

from core.export import SECTIONS, formula
from core.export.sections import Section
from core.origin import Concat
from core.presets import PRESETS
from core.setup import Setup
from core.text import labels
from pages.shared import board
from pages.shared.board import paper
from pages.shared.frame.worksheet.tables import is_copy, is_made, sheets
from pages.shared.link import parse_link, write_link
from pages.shared.link.pages import find
from pages.shared.said import elements, words
from pages.shared.server import computed, run

# How high title and sentences are; each formula; a sentence's second line; and what says that it is
# of another setup.
HEAD, FORMULA, SECOND_LINE, OTHER = 170, 40, 26, 66
DECIMALS = 2
MOST_TERMS, MOST_WORDS = 10, 8  # of a sum, and of all words, that a hand can do
WORDS = ("text", "memory")
KEPT = (
    *WORDS,
    "seed",
    "positions",
    "mask",
    "window",
    "scale",
    "bias",
)  # of a setup whose sizes are too large


def on() -> bool:
    """Return whether this run draws a worksheet."""
    return run.focus().sheet == "on"


def section_of(path: str) -> Section | None:
    """Return what the worksheet of this page is of; None where it has none."""
    return next((section for section in SECTIONS if section.path == path), None)


def by_hand(setup: Setup) -> Setup:
    """Return the setup if its sums can be done by hand, else the same sentence in the sizes of
    “Small · class”; one that is too long gives way to the first sentence of all."""
    is_long = len(setup.tokens) + (len(setup.memory_tokens) if setup.memory else 0) > MOST_WORDS
    if max(setup.d_model, setup.d_k, setup.heads * setup.d_v) <= MOST_TERMS and not is_long:
        return setup
    kept = {
        name: value
        for name, value in setup.as_link().items()
        if name in KEPT and not (is_long and name in WORDS)
    }
    return Setup.nearest(kept | PRESETS["Small · class"])[0]


def show(path: str) -> None:
    """Draw the worksheet of a page, which must be one of the seven steps; the others have none, and
    say so."""
    section = section_of(path)
    link = write_link(
        {name: value for name, value in parse_link(run.now().link).items() if name != "sheet"}
    )
    to_print = (
        ""
        if section is None
        else '<button type="button" class="ab-ready" data-print>Print</button> '
    )
    elements.html(
        f'<p class="ab-sheet-ways">{to_print}<a class="ab-stop" href="?{escape(link)}">Back to the'
        " page</a></p>"
    )
    elements.title(f"{find(path).menu.replace(' ', ' · ', 1)}: worksheet", anchor=False)
    if section is None:
        elements.markdown("The seven steps have worksheets; this page has none.")
        return
    elements.markdown(section.sentence)
    draw(section)


def draw(section: Section) -> None:
    """Draw formulas, what is asked for, and the largest tables that fit: at the latest those of a
    setup that always has some."""
    setup = by_hand(run.setup())
    if not draw_of(section, setup):
        draw_of(section, by_hand(Setup()))


def draw_of(section: Section, setup: Setup) -> bool:
    """Draw the sheet of one setup; return whether its tables fit on one, else draw nothing."""
    trace, focus = computed.traced(setup).rounded(DECIMALS), run.focus()
    head, query = min(focus.head, setup.heads) - 1, min(focus.query, len(setup.tokens)) - 1
    entries_of = section.entries(trace)
    made = [entry for entry in entries_of if is_made(entry)] or [
        entry for entry in entries_of if entry.call
    ]  # a head without W_o
    shown = [
        entry
        for entry in entries_of
        if entry in made or is_copy(entry, made) or isinstance(entry.origin, Concat)
    ]
    formulas = [latex for entry in shown if (latex := formula(trace, entry))]
    room = (
        paper.HEIGHT - HEAD - FORMULA * len(formulas) - SECOND_LINE * (len(section.sentence) > 85)
    )
    possible = sheets(trace, made, head, query)
    sheet = next(
        (each for each in possible if each.height <= room - OTHER * (setup != run.setup())), None
    )
    if sheet is None:
        return False
    with elements.container(key="sheet_formulas"):
        for latex in formulas:
            elements.latex(latex)
    of_head = f"Head {head + 1}. " if any(entry.dims[0] in words.HEADS for entry in made) else ""
    followed = words.quoted(labels(trace.tokens)[query])
    elements.text(
        f"{of_head}{what_is_asked(sheet.first, followed)} Use two decimals. The answers are on the"
        " second sheet."
    )
    if setup != run.setup():
        elements.caption(
            "The page’s own sizes are too large to be done by hand: these are smaller, with weights"
            " of their own."
        )
    board.worksheet(
        given=sheet.given,
        asked=sheet.asked,
        key="board_worksheet",
        alt="Tables to be filled in, and below them the same tables with the answers.",
    )
    return True


def what_is_asked(first: int | None, followed: str) -> str:
    """Say what is left blank of this token: of its vectors the first so many numbers, None for
    all."""
    if first is None:
        return f"What belongs to {followed} is left blank: fill it in."
    if first == 1:
        return f"Of each vector of {followed} the first number is left blank: fill it in."
    return f"Of each vector of {followed} the first {first} numbers are left blank: fill them in."
