"""The drawer “Look closer”: tabs below the figure. Only the open tab is drawn; the link stores it
(`open=formula`) for every page."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from urllib.parse import quote_plus

from core.notebooks import find
from core.notebooks.mistake import Mistake
from core.quiz.exercises import list_names
from pages.shared import panel
from pages.shared.layout import chrome, exercises
from pages.shared.layout.questions.posed import list_exercises
from pages.shared.server import run
from pages.shared.text import elements

# The tabs of most pages, around a page's own.
FIRST = {"formula": "Formula and code", "full": "The cell in full"}
LAST = {
    "tables": "Every number",
    "check": "Check",
    "exercises": "Do it yourself",
    "questions": "Questions",
}
# Older links' names of the tabs.
BEFORE = {
    "tables_": "tables",
    "cell_": "full",
    "fold_cell": "full",
    "others_masks": "padding",
}

Draw = Callable[[], None]


def show(tabs: Sequence[tuple[str, str, Draw]]) -> None:
    """Draw the row of tabs and the open tab. `tabs` are keys, titles and drawing functions; those
    with one key share a tab."""
    of_each = {key: [draw for other, _, draw in tabs if other == key] for key, _, _ in tabs}
    titles = FIRST | {key: title for key, title, _ in tabs if title} | LAST
    page = run.now().page
    if list_exercises(page.path):
        of_each["exercises"] = [exercises.show]
    if chrome.has_questions(page):
        of_each["questions"] = [lambda: chrome.questions(page)]
    titles = {key: title for key, title in titles.items() if key in of_each}
    if not titles:
        return
    is_open = find_open_tab(titles)
    elements.html(_row(titles, is_open))
    if is_open:
        with elements.container(border=True, key=f"closer_{is_open}"):
            if is_open == page.controls_in:
                panel.draw_figure_controls()
            for draw in of_each[is_open]:
                draw()
            if is_open == "formula":
                elements.html(chrome.draw_source_files(page.file))
            if is_open == "check" and page.mistake:
                elements.html(_mistake(find(page.mistake)))


def find_open_tab(titles: Mapping[str, str]) -> str | None:
    """Return the open tab: the last one named in the link, or else the exercises if the link sets
    any or names one of this page."""
    for name in reversed(run.focus().open):
        if (tab := _tab(name)) in titles:
            return tab
    names = list_names(run.now().page.path)
    asked = run.focus().do or run.focus().exercise in names
    return "exercises" if asked and "exercises" in titles else None


def _tab(name: str) -> str:
    """Return the tab of a part named in a link."""
    return next((now for old, now in BEFORE.items() if name.startswith(old)), name)


def _mistake(mistake: Mistake) -> str:
    return (
        f'<p>Notebook {mistake.notebook} slips here: <a href="./notebooks"'
        f' data-sets="mistake={quote_plus(mistake.key)}">{escape(mistake.title)}</a>.</p>'
    )


def _row(titles: Mapping[str, str], is_open: str | None) -> str:
    old_names = [name for name in run.focus().open if _tab(name) in titles]
    alone = ",".join([*titles, *old_names])
    closes = ' data-closes="exercise"' if run.focus().exercise != "none" else ""
    buttons = "".join(
        f'<button type="button" data-fold="{key}" data-alone="{alone}"{closes}'
        f' aria-expanded="{str(key == is_open).lower()}" aria-keyshortcuts="{number}"'
        f' title="On the figure: {number}">{escape(title)}</button>'
        for number, (key, title) in enumerate(titles.items(), start=1)
    )
    return f'<nav class="ab-closer" aria-label="Look closer"><b>Look closer</b>{buttons}</nav>'
