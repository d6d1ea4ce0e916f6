"""A printed worksheet for a step: tables with blanks for the selected word, and a second sheet with
answers.

It replaces the page for `sheet=on`, with the same sentence in small sizes if the setup is too
large. Numbers have two decimals and are computed from rounded numbers, so that a calculation by
hand gives the answers.
"""

from dataclasses import replace
from html import escape

from core import Setup
from core.export import SECTIONS, formula
from core.export.sections import Section
from core.setup.presets import PRESETS
from core.text.text import labels
from core.trace.origin import Concat, Copy, Transpose
from core.trace.record import Entry, Trace
from pages.shared.board import entries
from pages.shared.link import parse_link, write_link
from pages.shared.link.pages import find
from pages.shared.server import computed, run
from pages.shared.text import elements, words

DECIMALS = 2
MAX_TERMS, MAX_WORDS = 10, 10  # the most terms of a sum, and words, for a calculation by hand
# The fields kept from a setup that is too large.
KEPT = ("text", "memory", "seed", "positions", "mask", "window", "scale", "bias")
ROWS = ("token", "memory", "query")  # axes with one row for each word


def on() -> bool:
    """Return whether this run draws a worksheet."""
    return run.focus().sheet == "on"


def section_of(path: str) -> Section | None:
    """Return the worksheet's section of this page, None if it has none."""
    return next((section for section in SECTIONS if section.path == path), None)


def by_hand(setup: Setup) -> Setup:
    """Return the setup if it is small enough, or else its sentence, or the beginning of it, in the
    sizes of “Small · class”."""
    kept = {name: value for name, value in setup.as_link().items() if name in KEPT}
    small = Setup.nearest(kept | PRESETS["Small · class"])[0]
    is_small = max(setup.d_model, setup.d_k, setup.heads * setup.d_v) <= MAX_TERMS
    is_short = max(len(setup.tokens), len(setup.memory_tokens)) <= MAX_WORDS
    if is_small and is_short:
        return setup
    text, memory = (
        " ".join(tokens[:MAX_WORDS]) if len(tokens) > MAX_WORDS else own
        for tokens, own in ((small.tokens, small.text), (small.memory_tokens, small.memory))
    )
    return replace(small, text=text, memory=memory)


def show(path: str) -> None:
    """Draw the worksheet of a step's page; other pages show that they have none."""
    section, setup, focus = section_of(path), by_hand(run.setup()), run.focus()
    link = {name: value for name, value in parse_link(run.now().link).items() if name != "sheet"}
    to_print = (
        '<button type="button" class="ab-ready" data-print>Print</button> ' if section else ""
    )
    elements.html(
        f'<p class="ab-sheet-ways">{to_print}<a class="ab-stop" href="?{escape(write_link(link))}">'
        "Back to the page</a></p>"
    )
    elements.title(f"{find(path).menu.replace(' ', ' · ', 1)}: worksheet", anchor=False)
    if section is None:
        elements.markdown("The seven steps have worksheets; this page has none.")
        return
    elements.markdown(section.sentence)
    trace = computed.traced(setup).rounded(DECIMALS)
    head, query = min(focus.head, setup.heads) - 1, min(focus.query, len(setup.tokens)) - 1
    asked = asked_for(section, trace)
    with elements.container(key="sheet_formulas"):
        for latex in (formula(trace, entry) for entry in section.entries(trace)):
            if latex:
                elements.latex(latex)
    of_head = f"Head {head + 1}. " if any(entry.dims[0] in words.HEADS for entry in asked) else ""
    elements.text(
        f"{of_head}What belongs to {words.quote(labels(trace.tokens)[query])} is left blank: fill"
        " it in. Use two decimals. The answers are on the second sheet."
    )
    if setup != run.setup():
        cut = f", and the first {MAX_WORDS} words" if len(run.setup().tokens) > MAX_WORDS else ""
        elements.caption(
            "The page’s own sizes are too large to be done by hand: these are smaller, with"
            f" matrices of their own{cut}."
        )
    elements.html(sheets(trace, asked, head, query))


def asked_for(section: Section, trace: Trace) -> list[Entry]:
    """Return the entries to fill in: computed ones, without copies, transposes and concatenations
    (unless these are all)."""
    made = [entry for entry in section.entries(trace) if entry.call or entry.name.endswith("ids")]
    return [
        entry for entry in made if not isinstance(entry.origin, Concat | Copy | Transpose)
    ] or made


def sheets(trace: Trace, asked: list[Entry], head: int, query: int) -> str:
    """Return both sheets as HTML: the given entries, the asked ones with blanks, and the
    answers."""
    names = dict.fromkeys(name for entry in asked if entry.call for name in entry.call.inputs)
    given = [trace[name] for name in names if not _is_asked(trace[name], asked)]
    of_one = any(entry.dims[0] in words.HEADS for entry in asked)
    heads = [head] if of_one else range(trace.setup.heads)
    tables = [
        _table(trace, entry, each)
        for entry in given
        for each in (heads if entry.dims[0] in words.HEADS else [head])
    ]
    task = tables + [_table(trace, entry, head, query, "") for entry in asked]
    answers = [_table(trace, entry, head, query) for entry in asked]
    return (
        f'<div class="ab-sheet">{"".join(task)}</div><div class="ab-sheet ab-answers">'
        f"<h2>Answers</h2>{''.join(answers)}</div>"
    )


def _is_asked(entry: Entry, asked: list[Entry]) -> bool:
    """Return whether the entry is asked for, directly or as a copy: without a mask ω″ equals ω′."""
    names = {other.name for other in asked}
    return entry.name in names or (isinstance(entry.origin, Copy) and entry.origin.source in names)


def _table(
    trace: Trace, entry: Entry, head: int, query: int | None = None, blank: str | None = None
) -> str:
    """Return one head's matrix as a table. The token `query`'s row (or column, if transposed) is
    marked and shows `blank`."""
    matrix = entries.matrix(trace, entry.name, head)
    if query is not None and "memory" in entry.dims:
        query = min(query, len(trace.memory_tokens) - 1)
    down = entry.value.ndim > 1 and entry.dims[-2] in ROWS
    lines = []
    for i, (label, row) in enumerate(zip(matrix.rows, matrix.values.tolist(), strict=True)):
        cells = ""
        for j, value in enumerate(row):
            if query == (i if down else j):
                cells += f'<td class="ab-blank">{written(value) if blank is None else blank}</td>'
            else:
                cells += f"<td>{written(value)}</td>"
        lines.append(f'<tr><th scope="row">{escape(label)}</th>{cells}</tr>')
    columns = "".join(f'<th scope="col">{escape(label)}</th>' for label in matrix.columns)
    of_head = f", head {head + 1}" if entry.dims[0] in words.HEADS else ""
    return (
        f"<table><caption>{escape(f'{matrix.title}{of_head}, {matrix.shape}')}</caption>"
        f"<thead><tr><td></td>{columns}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )


def written(value: float) -> str:
    """Return a number as written in a table.

    >>> written(3), written(-0.5), written(-float("inf"))
    ('3', '−0.50', '−∞')
    """
    text = f"{value}" if isinstance(value, int) else f"{value:.{DECIMALS}f}"
    return text.replace("-", "−").replace("inf", "∞")
