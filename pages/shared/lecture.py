"""In front of a class: one idea at a time, larger, by keyboard; outside a lecture everything is on the page."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import streamlit as st
import torch

from core.origin import Cell
from pages.shared import board, elements, state, words
from pages.shared.beats import BEATS, Beat
from pages.shared.steps import STEPS, find, number

HERE = Path(__file__).parent
_keys = st.components.v2.component(
    "attention_lecture",
    js=(HERE / "lecture.js").read_text(encoding="utf-8"),
    css=(HERE / "lecture.css").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def begin(path: str) -> None:
    """The lecture's own script, where there is one. Call once, in the entry point, before the page."""
    if on():
        with elements.container(key="lecturing"):
            _keys(key="lecture_keys")


def on() -> bool:
    """Whether there is one beat on screen only."""
    return state.focus().lecturing


def shown() -> str | None:
    """The name of the beat that is on screen; None where all are."""
    return now(state.memory().page)[1].name if on() else None


def shows(*names: str) -> bool:
    """Whether one of these beats is on screen; outside a lecture all are."""
    return not on() or shown() in names


def now(path: str) -> tuple[int, Beat]:
    """The beat on screen and its place, from 1."""
    place = min(state.focus().beat, len(BEATS[path]))
    return place, BEATS[path][place - 1]


def header(path: str, sentence: str) -> None:
    """The page in small type, the beat in large; what happens on the page where its question is asked."""
    _, beat = now(path)
    with elements.container(key="beat"):
        elements.title(find(path).menu.replace(" ", " · ", 1), anchor=False)
        elements.header(beat.title, anchor=False)
    if state.focus().notes == "on":
        notes(path)
    if beat.name == "question":
        with large():
            elements.markdown(sentence)


def question(names: Sequence[str], query: int, key: int | None = None) -> None:
    """Where a lecture asks its page's question: the sentence in large type, and which of its words are followed (from 0)."""
    if shown() != "question":
        return
    said = f"We follow {words.quoted(names[query])}" + ("." if key in (None, query) else f" and {words.quoted(names[key])}.")
    board.show(
        {"view": "words", "words": list(names), "query": query, "key": key, "said": said, "alt": " ".join(names) + ". " + said},
        "board_question",
    )


def large(key: str = "large") -> AbstractContextManager:
    """A place for sentences: in a lecture a few large lines, else as they are."""
    return elements.container(key=key) if on() else nullcontext()


def notes(path: str) -> None:
    """What the speaker says, asks and hears; in the speaker's own window."""
    place, beat = now(path)
    with elements.container(border=True, key="speaker"):
        said, asked = elements.columns(2, gap="large")
        said.markdown(f"**Say.** {beat.say}")
        asked.markdown(f"**Ask.** {beat.ask}\n\n**Usual wrong answer.** {beat.wrong}")
        elements.caption(f"Beat {place} of {len(BEATS[path])}. Next: {_after(path, place)}")


def _after(path: str, place: int) -> str:
    if place < len(BEATS[path]):
        return BEATS[path][place].title
    at = number(find(path)) + 1
    return f"page {STEPS[at].title}" if at < len(STEPS) else "the end"


def terms(cell: Cell, factors: Sequence[tuple[str, str]], name: str, labels: Sequence[str], key: str) -> None:
    """The beats `vectors`, `products`, `sum`: two vectors, what each pair of numbers makes, and what they add up to.

    `factors` are title and role of both vectors; a bias, which has one factor only, is named with the sum.
    """
    if not shows("vectors", "products", "sum"):
        return
    pairs = [term for term in cell.terms if len(term.factors) == 2]
    count = {"vectors": 2, "products": 3}.get(shown() or "", 3)
    rows = [
        (title, role, [term.factors[k].value for term in pairs]) for k, (title, role) in enumerate(factors)
    ] + [("product", "result", [term.value for term in pairs])]
    added = "".join(f" + bias {words.number(term.value)}" for term in cell.terms if len(term.factors) == 1)
    total = f"sum{added} = {words.number(cell.value)} = {name}" if shown() == "sum" else ""
    board.show(
        {
            "view": "terms",
            "of": len(rows),
            "sum": total,
            "alt": f"{len(pairs)} terms of {name}: " + "; ".join(title for title, *_ in rows[:count]) + f". {total}",
            "matrices": [
                board.matrix(
                    title, torch.tensor([values]), [title], list(labels)[: len(pairs)], ("", "term"), role, sign=sign,
                    **({"scale": "sequential", "top": 1} if role == "weights" else {}),
                )
                for sign, (title, role, values) in zip(("", "× ", "= "), rows[:count], strict=False)
            ],
        },
        key,
    )


def footer(path: str) -> None:
    """Back and on, by key or by click; past the last beat is the next page, before the first the last of the one before."""
    at, (place, _) = number(find(path)), now(path)
    count = len(BEATS[path])
    before = "Back" if place > 1 else STEPS[at - 1].title if at else ""
    after = "On" if place < count else STEPS[at + 1].title if at + 1 < len(STEPS) else ""
    links = (
        ('rel="prev" data-step="-1"', before),
        ('data-step="first"', "First" if place > 1 else ""),
        ("", f"{place} / {count}"),
        ('rel="next" data-step="1"', after),
    )
    made = "".join(
        f'<a {kind} href="./{path}">{text}</a>' if kind else f"<p>{text}</p>" for kind, text in links if text
    )
    with elements.container(key="lecture_foot"):
        elements.html(f'<nav class="ab-steps" aria-label="Beats">{made}</nav>')
