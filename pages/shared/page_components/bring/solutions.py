"""Several solutions in one table: the result of each step, and the count of each usual mistake."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

from core import Setup
from core.fields.user_matrices import UserMatrices
from core.grading.grading import grade
from core.grading.report import FOLLOWS, ROUNDED, WRONG, Report
from core.importing.matrices import MAX_BYTES
from core.importing.names import symbol
from core.importing.solution import STEPS
from core.text.text import clean
from core.text.written import count, escape_formula
from pages.shared.layout import show
from pages.shared.page_components.bring.result import Looked
from pages.shared.text import elements, tables

MAX = 200
NAMES, TEXTS = ("name", "student", "id"), ("text", "solution", "answer")


@dataclass(frozen=True)
class Solution:
    """One person's solution. The name is used only in the table."""

    name: str
    text: str


def read(files: Sequence[tuple[str, str]]) -> list[Solution]:
    """Return the solutions in these files (name, text): rows of a table, or several files; [] for a
    single text."""
    found: list[Solution] = []
    for name, text in files:
        rows = _rows(text)
        found += rows or (
            [Solution(_named(name.rpartition(".")[0] or name), text)] if len(files) > 1 else []
        )
    return found[:MAX]


def _rows(text: str) -> list[Solution]:
    """Return the rows of a table with a name and a text column, [] for anything else.

    >>> _rows("text,name\\nZ = [[1]],Ann")
    [Solution(name='Ann', text='Z = [[1]]')]
    """
    head = text.partition("\n")[0].lower()
    delimiter = max(",;\t", key=head.count)
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    except csv.Error:
        return []
    columns = [column.strip().lower() for column in rows[0]] if rows else []
    named, texts = (
        [k for k, column in enumerate(columns) if column in known] for known in (NAMES, TEXTS)
    )
    if not named or not texts:
        return []
    at, there = named[0], texts[0]
    return [
        Solution(_named(row[at]), row[there])
        for row in rows[1:]
        if len(row) > max(at, there) and row[there].strip()
    ]


def _named(name: str) -> str:
    return clean(name).strip()[:60] or "–"


@lru_cache(maxsize=2 * MAX)
def _report(source: UserMatrices | Setup, text: str, tokens: tuple[str, ...]) -> Report:
    return grade(source, text, tokens)


def draw(solutions: Sequence[Solution], looked: Looked, setup: Setup) -> None:
    """Check all solutions against the pasted numbers, or else the panel's setup, and draw the
    table."""
    show.heading(count(len(solutions), "solution"))
    source: UserMatrices | Setup = setup
    if looked.given:
        try:
            source = looked.reading.given()
        except ValueError as error:
            show.plain(str(error))
            return
    against = (
        "the numbers that are pasted above"
        if looked.given
        else "the setup in the panel, since nothing is pasted above"
    )
    elements.markdown(
        f"Checked against {against}. Names stand in this table alone, and are kept nowhere."
    )
    reports = [_report(source, one.text[:MAX_BYTES], looked.reading.tokens) for one in solutions]
    steps = [step for step in STEPS if any(step in report.verdicts for report in reports)]
    table = {"name": [one.name for one in solutions]}
    table |= {symbol(step): [said(report, step) for report in reports] for step in steps}
    table["in words"] = [str(report) for report in reports]
    alright = sum(report.all_right for report in reports)
    elements.table(
        table,
        alt=(
            f"{count(len(solutions), 'solution')}, {alright} of them right in all that was written."
        ),
    )
    slips: dict[str, int] = {}
    for report in reports:
        for slip in filter(lambda slip: slip.sure, report.slips.values()):
            key = (
                f"{symbol(slip.step)}: {slip.says}"
                if slip.key not in OF_ONE_CELL
                else f"{symbol(slip.step)}: a slip in single cells"
            )
            slips[key] = slips.get(key, 0) + 1
    lines = [f"{count(alright, 'solution')} right in all that was written."]
    lines += [
        f"{number} × {says}" for says, number in sorted(slips.items(), key=lambda each: -each[1])
    ]
    show.plain("\n".join(lines))
    st.download_button(
        "Download as CSV",
        tables.to_csv(tables.frame(table).map(escape_formula), index=False),
        "solutions.csv",
        "text/csv",
        on_click="ignore",
        key="solutions_csv",
    )


OF_ONE_CELL = ("sign", "term", "arithmetic")


def said(report: Report, step: str) -> str:
    """Return a step's result in a few words, "" if it was not written."""
    if step not in report.verdicts:
        return ""
    wrong = report.count(step, WRONG)
    if wrong and step in report.slips and report.slips[step].sure:
        return report.slips[step].key
    if wrong:
        return f"{wrong} wrong"
    return (
        "follows"
        if report.count(step, FOLLOWS)
        else "≈ right"
        if report.count(step, ROUNDED)
        else "right"
    )
