"""What stands around a beat: its title, the speaker's notes, the way back and on, and the script
that folds the setup away."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from core.text import labels
from pages.shared.browser.scripts import script
from pages.shared.frame.lecture import story
from pages.shared.frame.lecture.parts import large, question
from pages.shared.frame.lecture.screen import now, on
from pages.shared.link.beats import BEATS, ROUTES, Place, beside, route
from pages.shared.link.pages import PAGES, Page, find
from pages.shared.said import elements
from pages.shared.server import run

HERE = Path(__file__).parent
_keys = elements.component(
    "attention_lecture",
    js=script("frame/lecture/lecture"),
    css=(HERE / "lecture.css").read_text(encoding="utf-8"),
)


def begin() -> None:
    """Send the lecture's own script, where there is one. Call once, in the entry point, before the
    page."""
    if on():
        with elements.container(key="lecturing"):
            _keys(key="lecture_keys", data=b"")


def header(page: Page, sentence: str) -> None:
    """Draw the page's name in small type, the beat's title in large; the beat `question` also has
    the page's `sentence` and, as its row says, the words that are followed."""
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
        question(
            labels(setup.tokens),
            focus.query - 1,
            key,
            labels(setup.memory_tokens) if setup.memory else None,
        )


def notes(path: str) -> None:
    """Draw what to say, what to ask and the usual wrong answer; in the speaker's own window."""
    beat_number, beat = now(path)
    with elements.container(border=True, key="speaker"):
        left, right = elements.columns(2, gap="large")
        left.markdown(f"**Say.** {beat.say}")
        right.markdown(f"**Ask.** {beat.ask}\n\n**Usual wrong answer.** {beat.wrong}")
        threaded = _on_a_thread(path)
        k, of = _count(path, beat_number) if threaded else (beat_number, len(BEATS[path]))
        elements.caption(f"Beat {k} of {of}. Next: {_after(path, beat_number)}")


def _after(path: str, beat_number: int) -> str:
    _, after = beside(path, beat_number, run.focus().route)
    if after is None:
        return "the end"
    return (
        _title(after) if after[0] == path or _on_a_thread(path) else f"page {find(after[0]).title}"
    )


def _title(place: Place) -> str:
    return BEATS[place[0]][place[1] - 1].of(run.focus().route).title


def _on_a_thread(path: str) -> bool:
    """Whether the route goes from page to page by single beats, and they are counted over all of
    them."""
    return run.focus().route == "why" and path in {page for page, _ in ROUTES["why"]}


def _those(path: str) -> Sequence[Place]:
    """Return the beats that are counted together: a page's, or all of a route that goes from page
    to page."""
    kind = run.focus().route
    return ROUTES[kind] if _on_a_thread(path) else [(path, number) for number in route(path, kind)]


def _count(path: str, beat_number: int) -> tuple[int, int]:
    """Return the how manieth of those the beat is, and how many they are."""
    those = _those(path)
    return those.index((path, beat_number)) + 1, len(those)


def footer(page: Page) -> None:
    """Draw the ways back and on, by key or click; after the last beat comes the next page, before
    the first the page before's last."""
    path = page.path
    beat_number, _ = now(path)
    if story.tells():
        with elements.container(key="lecture_foot"):
            elements.html(story.ways(path, beat_number))
        return
    sides = zip(("Back", "Next"), beside(path, beat_number, run.focus().route), strict=True)
    before, after = (
        "" if to is None else word if to[0] == path else find(to[0]).title for word, to in sides
    )
    k, of = _count(path, beat_number)
    links = (
        ('data-sets="share=on"', "Share"),
        ('data-class="begin"', "Begin a class"),
        ('rel="prev" data-step="-1"', before and f"‹ {before}"),
        ('data-step="first"', "First" if k > 1 else ""),
        ("", f'<label class="ab-beats"><p>{k} / {of}</p>{jump(path, beat_number)}</label>'),
        ('rel="next" data-step="1"', after and f"{after} ›"),
    )
    items = "".join(
        f'<a {kind} href="./{path}">{text}</a>' if kind else text for kind, text in links if text
    )
    with elements.container(key="lecture_foot"):
        elements.html(f'<nav class="ab-steps" aria-label="Beats">{items}</nav>')


def jump(path: str, beat_number: int) -> str:
    """Return a list that lies over the count of beats: those that are counted by their titles, and
    the first of each other page."""
    those = _those(path)
    here = [(*place, f"{k} · {_title(place)}") for k, place in enumerate(those, start=1)]
    others = [page for page in PAGES if page.path not in {page for page, _ in those}]
    pages = [(page.path, route(page.path, run.focus().route)[0], page.menu) for page in others]
    groups = (
        ("This route" if _on_a_thread(path) else find(path).menu, here),
        ("Other pages", pages),
    )
    options = "".join(
        f'<optgroup label="{escape(label)}">'
        + "".join(
            f'<option value="{page}:{number}"'
            f"{' selected' if (page, number) == (path, beat_number) else ''}>"
            f"{escape(title)}</option>"
            for page, number, title in group
        )
        + "</optgroup>"
        for label, group in groups
    )
    return f'<select aria-label="Go to a beat" title="Go to a beat (G)">{options}</select>'
