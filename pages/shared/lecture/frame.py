"""The frame of a beat: title, speaker's notes, links back and on, and the keyboard script."""

from collections.abc import Sequence
from html import escape

from core.text.text import labels
from pages.shared.lecture import story
from pages.shared.lecture.parts import large, question
from pages.shared.lecture.screen import is_on, now
from pages.shared.link.beats import BEATS, ROUTES, Place, beside, route
from pages.shared.link.pages import PAGES, Page, find
from pages.shared.server import run
from pages.shared.text import elements
from pages.shared.web.scripts import style

_keys = elements.component(
    "attention_lecture", "attentionLecture", css=style("web/lecture/lecture")
)


def begin() -> None:
    """Send the lecture's script, if a lecture is on. Called once by the entry point, before the
    page."""
    if is_on():
        with elements.container(key="lecturing"):
            _keys(key="lecture_keys", data=b"")


def header(page: Page, sentence: str) -> None:
    """Draw the page's name, the beat's title (unless the story shows it) and the speaker's notes.
    The beat `question` also shows the page's `sentence` and the selected words."""
    _, beat = now(page.path)
    told = story.tells()
    if not told:
        with elements.container(key="beat"):
            elements.title(page.heading, anchor=False)
            elements.header(beat.title, anchor=False)
    if run.focus().notes == "on":
        notes(page.path)
    if told or beat.name != "question":
        return
    with large():
        elements.markdown(sentence)
    if page.follows:
        setup, focus = run.setup(), run.focus()
        key = focus.key - 1 if page.follows == "pair" else None
        asked = labels(setup.memory_tokens) if setup.memory else None
        question(labels(setup.tokens), focus.query - 1, key, asked)


def notes(path: str) -> None:
    """Draw what to say, what to ask and the usual wrong answer, in the speaker's window."""
    number, beat = now(path)
    _, after = beside(path, number, run.focus().route)
    there = after in _those(path)
    then = "the end"
    if after:
        then = _title(after) if there else f"page {find(after[0]).title}"
    with elements.container(border=True, key="speaker"):
        left, right = elements.columns(2, gap="large")
        left.markdown(f"**Say.** {beat.say}")
        right.markdown(f"**Ask.** {beat.ask}\n\n**Usual wrong answer.** {beat.wrong}")
        k, of = _count(path, number)
        elements.caption(f"Beat {k} of {of}. Next: {then}")


def _title(place: Place) -> str:
    return BEATS[place[0]][place[1] - 1].of(run.focus().route).title


def _those(path: str) -> Sequence[Place]:
    """Return the beats that are counted together: a page's, or all of a route across pages."""
    kind = run.focus().route
    threaded = kind != "whole" and path in {page for page, _ in ROUTES[kind]}
    return ROUTES[kind] if threaded else [(path, number) for number in route(path, kind)]


def _count(path: str, number: int) -> tuple[int, int]:
    """Return the beat's number among these, and how many there are."""
    those = _those(path)
    return those.index((path, number)) + 1, len(those)


def footer(page: Page) -> None:
    """Draw the links back and on, across pages too. The story also links to the full app."""
    path, told = page.path, story.tells()
    number, _ = now(path)
    sides = zip(("Back", "Next"), beside(path, number, run.focus().route), strict=True)
    before, after = (
        "" if to is None else word if told or to[0] == path else find(to[0]).title
        for word, to in sides
    )
    k, of = _count(path, number)
    share = _link(path, 'data-sets="share=on"', "Share")
    begin_class = _link(path, 'data-class="begin"', "Begin a class")
    on = _link(path, 'rel="next" data-step="1"', after and f"{after} ›")
    end = _link(path, 'data-sets="lecture=off&amp;notes=off"', "End")
    links = (
        (story.way_out(path) if k < of else "") if told else end + share + begin_class,
        _link(path, 'rel="prev" data-step="-1"', before and f"‹ {before}"),
        _link(path, 'data-step="first"', "First" if k > 1 and not told else ""),
        f'<label class="ab-beats"><p>{k} / {of}</p>{jump(path, number)}</label>',
        story.END if told and k == of else on,
    )
    kind = " ab-story-scene-foot" if told else ""
    with elements.container(key="lecture_foot"):
        elements.html(f'<nav class="ab-steps{kind}" aria-label="Beats">{"".join(links)}</nav>')


def _link(path: str, kind: str, text: str) -> str:
    return text and f'<a {kind} href="./{path}">{text}</a>'


def jump(path: str, number: int) -> str:
    """Return the list behind the count of beats: these beats, and every other page's first."""
    those = _those(path)
    here = [(*place, f"{k} · {_title(place)}") for k, place in enumerate(those, start=1)]
    pages = {page for page, _ in those}
    others = [
        (page.path, route(page.path, run.focus().route)[0], page.menu)
        for page in PAGES
        if page.path not in pages
    ]
    label = "This route" if len(pages) > 1 else find(path).menu
    options = "".join(
        f'<optgroup label="{escape(group)}">'
        + "".join(
            f'<option value="{page}:{place}"'
            f"{' selected' if (page, place) == (path, number) else ''}>{escape(title)}</option>"
            for page, place, title in choices
        )
        + "</optgroup>"
        for group, choices in ((label, here), ("Other pages", others))
    )
    return f'<select aria-label="Go to a beat" title="Go to a beat (G)">{options}</select>'
