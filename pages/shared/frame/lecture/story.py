"""The story: twelve beats of the lecture in another dress. A strip of what is known, few words, and
one thing that moves.

Its words stand with the beats (`story` in `pages/shared/link/beats`); its scenes are in
`scenes.py`.
"""

from html import escape

from core import attention
from core.text import labels
from core.written import brief
from pages.shared import board
from pages.shared.frame.lecture.scenes import SCENES, Pair
from pages.shared.frame.lecture.screen import now
from pages.shared.link.beats import STORY
from pages.shared.link.pages import find
from pages.shared.said import elements, words
from pages.shared.server import run

OVER = "route=whole&beat=1&lecture=off&notes=off"  # what ends the story


def tells() -> bool:
    """Whether the beat on screen is one of the story's, told as such."""
    here = run.now()
    return run.focus().route == "story" and (here.page.path, now(here.page.path)[0]) in STORY


def show() -> None:
    """Draw the beat on screen: strip, words, scene."""
    path, focus = run.now().page.path, run.focus()
    place, beat = now(path)
    pair = Pair(run.trace(), focus.head - 1, focus.query - 1, focus.key - 1)
    at = STORY.index((path, place))
    strip(pair, at)
    with elements.container(key="projected" if focus.lecture == "on" else "told"):
        elements.title(find(path).heading, anchor=False)
    scene = SCENES[path, beat.name](pair)
    asks = scene.pop("asks", pair.asks)
    said = beat.story.replace("{asks}", words.quoted(asks)).replace(
        "{asked}", words.quoted(pair.asked)
    )
    elements.html(f'<p class="ab-told-words">{escape(said)}</p>')
    matrices = scene.pop("matrices", ())
    large, of_screen = (
        (1.5, 0.52) if focus.lecture == "on" else (1, 0.6)
    )  # how much larger at most, and of the screen
    board.told(*matrices, key=f"board_told_{at + 1}", max_zoom=large, of_screen=of_screen, **scene)


# ---------- the strip ----------


def strip(pair: Pair, at: int) -> None:
    """Draw what is known at this place of the story, from 0."""
    beads = known(pair, at)
    told = [
        f"{bead.label}: {', '.join(text for _, text in bead.shown) or 'numbers'}"
        for bead in beads
        if bead.known
    ]
    board.known(
        names=labels(pair.trace.tokens),
        keys=labels(pair.trace.key_tokens),
        chosen=(pair.query, pair.key),
        beads=beads,
        key="board_known",
        alt=f"{words.quoted(pair.asks)} asks {words.quoted(pair.asked)}. Known so far: "
        + ("; ".join(told) or "nothing yet")
        + ".",
    )


def known(pair: Pair, at: int) -> list[board.Bead]:
    """Return the parts of the arc, each with what it holds once the story has told it, by its place
    there (from 0)."""
    trace, i, j = pair.trace, pair.query, pair.key
    ids, key_ids = trace.value("ids"), trace.value("memory_ids" if trace.setup.memory else "ids")
    asks, asked = trace.compared
    share = pair.of_query("weights")[j].item()
    rows = [pair.row(trace.made_of("q"), i), pair.row(trace.made_of("k"), j)]
    if at >= 3:
        rows[0] = pair.row(asks, i)
    if at >= 4:
        rows[1] = pair.row(asked, j)
    score, scaled = (brief(pair.of_query(name)[j].item()) for name in ("scores", "scaled"))
    brought = board.Matrix(
        "share",
        attention.weighted_values(pair.of_query("weights")[None], trace.of_head("v", pair.head))[
            0, j : j + 1
        ],
        [""],
        board.numbered(trace.setup.d_v),
        ("key", "d_v"),
        "v",
        wide=True,
    )
    held = (
        ("ids", 1, {"shown": [("q", str(ids[i].item())), ("k", str(key_ids[j].item()))]}),
        ("rows" if at < 3 else "q and k", 2, {"rows": rows}),
        ("q · k", 5, {"shown": [("scores", score)]}),
        ("÷ √d_k", 7, {"shown": [("scores", scaled)]}),
        ("weight", 9, {"shown": [("weights", words.percent(share))]}),
        ("brings", 10, {"rows": [brought]}),
        ("heads make", 11, {"rows": [pair.row("output", i)]}),
    )
    told_at = {9: 8}  # the weight is guessed first, and known from the beat after
    return [
        board.Bead(
            label=label,
            page=STORY[told_at.get(place, place)][0],
            beat=STORY[told_at.get(place, place)][1],
            known=at >= place,
            **(holds if at >= place else {}),
        )
        for label, place, holds in held
    ]


# ---------- the way on ----------


def ways(path: str, place: int) -> str:
    """Return the foot of a beat: back, a dot for each of the twelve, and on."""
    at = STORY.index((path, place))
    current, past = ' aria-current="step"', ' class="ab-told-past"'
    dots = "".join(
        f'<a href="./{page}" data-sets="beat={number}" aria-label="Beat {k} of {len(STORY)}:'
        f' {find(page).title}"'
        f"{current if k - 1 == at else past if k - 1 < at else ''}></a>"
        for k, (page, number) in enumerate(STORY, start=1)
    )
    back = (
        '<a class="ab-told-back" rel="prev" data-step="-1" href="./">Back</a>'
        if at
        else "<span></span>"
    )
    on = f'<a class="ab-told-next" rel="next" data-step="1" href="./{path}">Next</a>'
    leave = (
        f'<a class="ab-told-leave" data-sets="{escape(OVER)}" data-grows="1" href="./{path}">To the'
        " workshop</a>"
    )
    if at == len(STORY) - 1:
        on = (
            f'<a class="ab-told-next" data-sets="{escape(OVER)}" data-grows="own"'
            ' href="./vocabulary">Now your own sentence</a>'
        )
        leave = "<span></span>"
    return (
        f'<nav class="ab-steps ab-told-foot" aria-label="The story">{leave}{back}<div'
        f' class="ab-told-dots">{dots}</div>{on}</nav>'
    )
