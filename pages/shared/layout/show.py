"""The parts of every step page, in the order of the page."""

import html
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

import streamlit as st

from core import Setup
from core.export.code_listing import source
from core.forward.trace import Trace
from core.text.written import count
from core.trace.cell import Cell, Index, Origin
from core.trace.origin import Mean, Product, Sum
from pages.shared import lecture
from pages.shared.link import parse_link, write_link
from pages.shared.server import computed, run
from pages.shared.text import coloured, elements, tables, words

RIGHT = st.column_config.TextColumn(alignment="right")  # shares as text


def formula_and_code(
    latex: str, *functions: Callable, symbols: str, weights: Callable | None = None
) -> None:
    """Draw the formula with this setup's shapes beside the source of its functions, in the beat
    `code`.

    `symbols` explains each new letter. `weights` is the function that computed the weights if
    another page explains it: it is named, not shown.
    """
    if not lecture.shows("code"):
        return
    _formula_and_code(latex, functions, symbols, weights, lecture.is_on())


def _formula_and_code(
    latex: str, functions: Sequence[Callable], symbols: str, weights: Callable | None, large: bool
) -> None:
    with st.container(
        key="formula"
    ):  # two columns by the style sheet: st.columns would be three messages
        st.latex(latex)
        if functions:
            code = "\n\n".join(source(function, brief=large) for function in functions)
            coloured.code(code)
    if large:
        st.markdown(symbols)
    else:
        code_in = f" Code: {words.list_files(*functions)}." if functions else ""
        of_weights = f" The weights α: {words.list_files(weights)}." if weights else ""
        st.caption(f"{symbols}{code_in}{of_weights}")


def heading(text: str) -> None:
    """Draw a section's heading. In a lecture the beat has one."""
    if not lecture.is_on():
        elements.header(text, anchor=False)


def plain(text: str) -> None:
    """Draw a line that may quote the user's words: as text, never as markdown."""
    elements.text(text)


def link_here(said: str, sets: Mapping[str, str]) -> str:
    """Return a link that sets these fields of the present one, as HTML; `said` is HTML too."""
    href, data = (
        html.escape(write_link(each)) for each in (parse_link(run.now().link) | sets, sets)
    )
    return f'<a href="?{href}" data-sets="{data}">{said}</a>'


def beside(key: str) -> AbstractContextManager:
    """Return a container with two columns; one column on a phone and in a lecture."""
    return nullcontext() if lecture.is_on() else elements.container(key=f"beside_{key}")


def cell_sum(cell: Cell, name: str, axis: str, labels: Sequence[str], key: str) -> None:
    """Draw one cell written out: terms as bars (if more than two) and numbers, running sum and
    rounding.

    `labels` name the terms along `axis`, all different.
    """
    cell_line(cell, name)
    with beside(key):
        if len(cell.terms) > 2:
            cell_chart(cell, name, axis, labels, key)
        cell_terms(cell, name, axis, labels)


def cell_line(cell: Cell, name: str) -> None:
    """Draw a cell that is a sum: value, count of terms and rounding."""
    count = len(cell.terms)
    terms_are = f"{cell.rule}: {count} {'term' if count == 1 else 'terms'}."
    plain(f"{name} {words.equals(cell.value)}, {terms_are} {rounding_note(cell)}".rstrip())


def cell_chart(cell: Cell, name: str, axis: str, labels: Sequence[str], key: str) -> None:
    """Draw a cell's terms as bars, with the running sum."""
    from pages.shared.text import charts

    terms = tables.terms(cell, labels)
    largest = max(range(len(cell.terms)), key=lambda k: abs(cell.terms[k].value))
    elements.chart(
        {
            "place": range(len(cell.terms)),
            "label": terms["label"],
            "term": terms["term"],
            "sum": terms["sum so far"],
        },
        charts.make_running_sum_chart(axis, large=lecture.is_on()),
        key=key,
        alt=(
            f"Bars: the terms along {axis}. The line is the sum so far. The {len(cell.terms)} terms"
            f" of {name} with the sum so far. The largest is"
            f" {words.number(cell.terms[largest].value)}, at {terms['label'][largest]}."
        ),
    )


def cell_terms(cell: Cell, name: str, axis: str, labels: Sequence[str]) -> None:
    """Draw a cell's terms as a sortable table."""
    terms = tables.terms(cell, labels)
    numbers = {each: values for each, values in terms.items() if each != "label"}
    elements.table(
        {axis: terms["label"]} | numbers,
        alt=f"Of {name}: {count(len(cell.terms), 'term')}, and the sum so far.",
    )


def cell_of(
    origin: Origin, cell: Cell, name: str, labels: Sequence[str], axis: str, key: str
) -> None:
    """Draw a cell of any entry: a sum with all its terms, anything else as a sentence."""
    if isinstance(origin, Product | Sum | Mean):
        cell_sum(cell, name, axis, labels, key)
    else:
        plain(
            f"{name} {words.equals(cell.value)}: {words.number(cell.terms[0].factors[0].value)},"
            f" {cell.rule}."
        )


def two_added(cell: Cell, name: str, titles: Sequence[str]) -> None:
    """Draw a cell that is the sum of two others, on one line."""
    first, second = (words.number(term.value) for term in cell.terms)
    sign, size = ("−", second[1:]) if second.startswith("−") else ("+", second)
    terms = f"{first} ({titles[0]}) {sign} {size} ({titles[1]})"
    plain(f"{name} {words.equals(cell.value)} = {terms}. {rounding_note(cell)}".rstrip())


def one_line(trace: Trace, name: str, index: Index, called: str) -> None:
    """Draw a cell on one line: its value and how it is computed."""
    entry = trace[name]
    cell = entry.origin.open(trace, index)
    refs = [term.factors[0] for term in cell.terms] if isinstance(entry.origin, Sum) else []
    added = " and ".join(f"{words.number(ref.value)} ({trace[ref.name].symbol})" for ref in refs)
    how = f"the sum of {added}" if added else cell.rule
    plain(f"{called} {words.equals(cell.value)}: {how}.")


def share(cell: Cell, name: str, term: int) -> None:
    """Draw a cell of a softmax: its exponential divided by its row's sum."""
    total = sum(each.value for each in cell.terms)
    if total == 0:
        plain(f"{name} = 0: {cell.rule}.")
        return
    plain(
        f"{name} {words.equals(cell.terms[term].value)} / {words.number(total)}"
        f" {words.equals(cell.value)}: {cell.rule}."
    )


def rounding_note(cell: Cell) -> str:
    """Return how far the sum of the printed terms is from the printed value, "" if equal."""
    difference = tables.find_rounding(cell)
    if difference == 0:
        return ""
    return (
        f"As printed, they add up to {words.number(abs(difference))}"
        f" {'more' if difference > 0 else 'less'}: rounding."
    )


def why(question: str, answer: str, beat: str = "why") -> None:
    """Add a question to the page's Questions; in a lecture it is a beat of its own."""
    if not lecture.is_on():
        run.now().questions.append((question, answer))
    elif lecture.shows(beat):
        with lecture.large():
            elements.markdown(answer)


def folded(title: str, key: str, draw: Callable[[], None]) -> None:
    """Draw a folded part only when it is unfolded; in a lecture it is open."""
    if lecture.is_on():
        draw()
    elif fold := elements.fold(title, key):
        with fold:
            draw()


def table(trace: Trace, names: Sequence[str]) -> None:
    """Draw these entries as tables, for the selected head."""
    for name in names:
        entry = trace[name]
        head = run.focus().head - 1 if entry.dims[0] in words.HEADS else None
        axes, of_head = (
            " × ".join(entry.dims),
            f"; here head {head + 1}" if head is not None else "",
        )
        sizes = f"{words.times(entry.value.shape)} ({axes}){of_head}"
        elements.markdown(f"`{name}`: {sizes}; {words.made_by(trace, name)}")
        elements.table(
            tables.label_columns(entry, head or 0),
            alt=f"{name}, {words.shape(entry)}",
            hide_index=False,
        )


def check(trace: Trace, *names: str) -> None:
    """Compare these entries with PyTorch's own functions on the same weights."""
    if lecture.is_on():
        return
    clauses = []
    for name in names:
        result = computed.check_entry(trace.setup, name)
        clauses.append(
            f"`{name}` and {_in_code(result.function)} {difference(result.largest, result.size)}"
        )
    check_line("; ".join(clauses))


def check_batch(setup: Setup) -> None:
    """Compare a batch's weights with PyTorch's, including the padding mask."""
    result = computed.batch_checked(setup)
    check_line(
        f"`weights` of the whole batch and {_in_code(result.function)}"
        f" {difference(result.largest, result.size)}"
    )


def check_layer(setup: Setup, layer: int) -> None:
    """Compare one block's output with PyTorch's on the same input and weights; `layer` from 1."""
    result = computed.layer_checked(setup, layer)
    check_line(
        f"`out` of this layer and {_in_code(result.function)}"
        f" {difference(result.largest, result.size)}"
    )


def _in_code(functions: str) -> str:
    """Format the function names in a sentence as code.

    >>> _in_code("F.layer_norm and F.linear")
    '`F.layer_norm` and `F.linear`'
    """
    return re.sub(r"\w+\.\w+", r"`\g<0>`", functions)


def check_line(what: str) -> None:
    """Draw a comparison with PyTorch at a page's end."""
    if lecture.is_on():
        return
    checked(f" against PyTorch: {what}.")


def checked(what: str) -> None:
    """Draw a check of this run, in small type."""
    elements.caption(f":material/check: Checked just now{what}")


def difference(largest: float, size: float) -> str:
    """Describe how far two results differ, beside their largest number."""
    if not largest:
        return "are **equal to the last bit**"
    decimals = math.floor(-math.log10(2 * largest))
    said = (
        f"agree to **{count(decimals, 'decimal')}**"
        if decimals > 0
        else f"differ by at most **{words.number(largest)}**"
    )
    return f"{said} (the largest number is {words.number(size)} in size)"
