"""What stands around a beat: its title, the speaker's notes, the way back and on, and the script that folds the setup away."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from core.text import labels
from pages.shared.browser.scripts import script
from pages.shared.frame.lecture import story
from pages.shared.frame.lecture.parts import large, question
from pages.shared.frame.lecture.screen import now, on
from pages.shared.link.beats import BEATS, route
from pages.shared.link.pages import PAGES, Page, find, number
from pages.shared.said import elements
from pages.shared.server import run

HERE = Path(__file__).parent
_keys = elements.component(
    "attention_lecture",
    js=script("frame/lecture/lecture"),
    css=(HERE / "lecture.css").read_text(encoding="utf-8"),
)


def begin() -> None:
    """Send the lecture's own script, where there is one. Call once, in the entry point, before the page."""
    if on():
        with elements.container(key="lecturing"):
            _keys(key="lecture_keys", data=b"")


def header(page: Page, sentence: str) -> None:
    """Draw the page's name in small type, the beat's title in large; the beat `question` also has the page's `sentence` and, as its
    row says, the words that are followed."""
    if story.tells():  # which has a head of its own
        if run.focus().notes == "on":
            notes(page.path)
        return
    _, beat = now(page.path)
    with elements.container(key="beat"):
        elements.title(page.heading, anchor=False)
        elements.header(beat.title, anchor=False)
    if run.focus().notes == "on":
        notes(page.path)
    if beat.name != "question":
        return
    with large():
        elements.markdown(sentence)
    if page.follows:
        setup, focus = run.setup(), run.focus()
        key = focus.key - 1 if page.follows == "pair" else None
        question(labels(setup.tokens), focus.query - 1, key, labels(setup.memory_tokens) if setup.memory else None)


def notes(path: str) -> None:
    """Draw what to say, what to ask and the usual wrong answer; in the speaker's own window."""
    beat_number, beat = now(path)
    with elements.container(border=True, key="speaker"):
        left, right = elements.columns(2, gap="large")
        left.markdown(f"**Say.** {beat.say}")
        right.markdown(f"**Ask.** {beat.ask}\n\n**Usual wrong answer.** {beat.wrong}")
        on_short = " On the short route." if beat.short else ""
        elements.caption(f"Beat {beat_number} of {len(BEATS[path])}.{on_short} Next: {_after(path, beat_number)}")


def _after(path: str, beat_number: int) -> str:
    later = [other for other in route(path, run.focus().route) if other > beat_number]
    if later:
        return BEATS[path][later[0] - 1].of(run.setup()).title
    at = number(find(path)) + 1
    return f"page {PAGES[at].title}" if at < len(PAGES) else "the end"


def footer(page: Page) -> None:
    """Draw the ways back and on, by key or click; after the last beat comes the next page, before the first the page before's last."""
    path, at = page.path, number(page)
    beat_number, _ = now(path)
    if story.tells():
        with elements.container(key="lecture_foot"):
            elements.html(story.ways(path, beat_number))
        return
    beats = route(path, run.focus().route)
    before = "Back" if beat_number > beats[0] else PAGES[at - 1].title if at else ""
    after = "Next" if beat_number < beats[-1] else PAGES[at + 1].title if at + 1 < len(PAGES) else ""
    where = f"{sum(other <= beat_number for other in beats)} / {len(beats)}"
    links = (
        ('data-sets="share=on"', "Share"),
        ('data-class="begin"', "Begin a class"),
        ('rel="prev" data-step="-1"', before and f"‹ {before}"),
        ('data-step="first"', "First" if beat_number > 1 else ""),
        ("", f'<label class="ab-beats"><p>{where}</p>{jump(path, beats, beat_number)}</label>'),
        ('rel="next" data-step="1"', after and f"{after} ›"),
    )
    items = "".join(f'<a {kind} href="./{path}">{text}</a>' if kind else text for kind, text in links if text)
    with elements.container(key="lecture_foot"):
        elements.html(f'<nav class="ab-steps" aria-label="Beats">{items}</nav>')


def jump(path: str, beats: Sequence[int], beat_number: int) -> str:
    """Return a list that lies over the count of beats: this page's by their titles, and the first of each other page."""
    here = [(path, number, f"{k} · {BEATS[path][number - 1].of(run.setup()).title}") for k, number in enumerate(beats, start=1)]
    pages = [(page.path, route(page.path, run.focus().route)[0], page.menu) for page in PAGES if page.path != path]
    groups = ((find(path).menu, here), ("Other pages", pages))
    options = "".join(
        f'<optgroup label="{escape(label)}">'
        + "".join(
            f'<option value="{page}:{number}"{" selected" if (page, number) == (path, beat_number) else ""}>{escape(title)}</option>'
            for page, number, title in group
        )
        + "</optgroup>"
        for label, group in groups
    )
    return f'<select aria-label="Go to a beat" title="Go to a beat (G)">{options}</select>'
