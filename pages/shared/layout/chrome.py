"""The frame of every page: header, source files, questions and footer."""

import tomllib
from functools import cache
from html import escape
from pathlib import Path

from core import Setup
from core.text.text import isolate, labels
from core.training import training_store
from pages.shared import lecture
from pages.shared.captions import common, real_model
from pages.shared.link import parse_link, write_link
from pages.shared.link.pages import OVERVIEW, ROW, SEVEN, Page, number
from pages.shared.server import computed, run
from pages.shared.text import elements
from pages.shared.text.words import percent, quote, short_percent

QUESTIONS = Path(__file__).parents[1] / "text" / "questions.toml"


def header(page: Page) -> None:
    """Draw the page's title, sentence and possible actions. The overview has its own title."""
    setup = run.setup()
    sentence = common.headline(page.path, setup)
    if lecture.is_on():
        lecture.header(page, sentence)
    elif page is not OVERVIEW:
        with elements.container(
            key="page_head"
        ):  # on one line if possible, to keep the figure high on the screen
            elements.title(page.heading, anchor=False)
            if page in ROW and page.path != "model":
                arc(page)
            elements.markdown(f"{sentence} {common.act(page.path, setup)}".rstrip())
            describe_changes(setup)
            describe_files(setup)
            explain_alone(page.path, setup)


def arc(page: Page) -> None:
    """Draw the selected pair and its weight as one line, filled as far as this step; nothing before
    that weight is trained."""
    setup, focus = run.setup(), run.view().focus
    if setup.init == "trained" and training_store.find_missing(setup, "attention"):
        return
    trace = computed.traced(setup)
    asks, asked = labels(trace.tokens)[focus.query - 1], labels(trace.key_tokens)[focus.key - 1]
    share = trace.value("weights")[focus.head - 1, focus.query - 1, focus.key - 1].item()
    done = min(number(page), len(SEVEN)) / len(SEVEN)
    said = f"{quote(asks)} gives {percent(share)} of its attention to {quote(asked)}"
    elements.html(
        f'<p class="ab-pair" role="img" aria-label="{escape(said)}" title="Head {focus.head}: what'
        f' the whole way leads to"><b class="ab-q">{escape(isolate(asks))}</b><i'
        f' class="ab-weights" style="--done:{done:.0%}" aria-hidden="true"></i><b'
        f' class="ab-k">{escape(isolate(asked))}</b> {escape(short_percent(share))}</p>'
    )


def explain_alone(path: str, setup: Setup) -> None:
    """Explain that a page beyond the seven steps shows the sentence without the second one."""
    if setup.memory and (said := common.explain_alone(path)):
        elements.caption(said)


def describe_changes(setup: Setup) -> None:
    """Describe what differs from the pretrained model, with a link back to it."""
    if changed := real_model.list_changes(setup):
        kept_in_link = {
            name: said
            for name, said in parse_link(run.now().link).items()
            if name not in real_model.WHAT_IFS
        }
        whole, said = escape(write_link(kept_in_link)), escape(". ".join(changed))
        elements.html(
            f'<p class="ab-what-if">What if? {said}. <a href="?{whole}" target="_self">As the model'
            " has it</a></p>"
        )


def describe_files(setup: Setup) -> None:
    """Say what a reader of a pretrained model's numbers must know of its files."""
    for note in setup.real.notes if setup.real else ():
        elements.html(f'<p class="ab-what-if">{escape(note)}</p>')


def draw_source_files(file: str) -> str:
    """Return the source files of a page's numbers, folded, as HTML."""
    return (
        '<details class="ab-sources"><summary>Where these numbers are made</summary><p>Below a'
        " picture stands what made the numbers that you point at, over an unfolded table what made"
        " those in it: function, inputs, file and line. The terms of a cell are made by"
        " <code>core/trace/origin.py</code>, what rounding does to them is found by"
        " <code>pages/shared/text/tables.py</code>. The page puts all of it in its order:"
        f" <code>{file}</code>.</p></details>"
    )


def has_questions(page: Page) -> bool:
    """Return whether the page has questions."""
    return bool(run.now().questions or _questions().get(page.path))


def questions(page: Page) -> None:
    """Draw the page's questions with their answers."""
    asked = [
        *run.now().questions,
        *((each["asks"], each["answer"]) for each in _questions().get(page.path, ())),
    ]
    elements.markdown(
        "\n\n".join(f"**{question}**\n\n{answer.strip()}" for question, answer in asked)
    )


@cache
def _questions() -> dict[str, list[dict[str, str]]]:
    return tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))


def footer(page: Page) -> None:
    """Draw links to the previous and next page, also for the arrow keys."""
    if lecture.is_on():
        lecture.footer(page)
        return
    at = ROW.index(page) if page in ROW else None
    left, right = (
        ('<small aria-hidden="true">←</small>', ""),
        ("", '<small aria-hidden="true">→</small>'),
    )
    before, after = 'rel="prev" data-step="-1"', 'rel="next" data-step="1"'
    # a page outside the navigation row links to its start
    sides = ((0, before, left),) if at is None else ((at - 1, before, left), (at + 1, after, right))
    links = [
        f'<a {kind} href="./{ROW[k].path}">{signs[0]}{ROW[k].title}{signs[1]}</a>'
        for k, kind, signs in sides
        if 0 <= k < len(ROW)
    ]
    words_and_symbols = '<p class="ab-words"><a href="#glossary">Words and symbols</a></p>'
    ways = f'<nav class="ab-steps" aria-label="Pages before and after">{"".join(links)}</nav>'
    elements.html(words_and_symbols + ways)
