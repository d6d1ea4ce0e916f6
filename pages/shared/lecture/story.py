"""The story: twelve of the lecture's beats in few words, with one animation each.

Its texts are `story` in `pages/shared/link/beats`, its figures in `scenes.py`.
"""

from html import escape

from core.ops import attention
from core.text.text import labels
from core.text.written import brief
from pages.shared import board
from pages.shared.lecture.scenes import SCENES, Pair, after_division
from pages.shared.lecture.screen import now
from pages.shared.link.beats import STORY
from pages.shared.link.pages import find
from pages.shared.server import run
from pages.shared.text import elements, words

OVER = "route=whole&amp;beat=1&amp;lecture=off&amp;notes=off"  # ends the story
# The link on from the last beat.
END = (
    f'<a rel="next" data-sets="{OVER}" data-grows="own" href="./vocabulary">Now your own'
    " sentence</a>"
)


def way_out(path: str) -> str:
    """Return the link from a beat to the full page."""
    return f'<a data-sets="{OVER}" data-grows="1" href="./{path}">To the workshop</a>'


def tells() -> bool:
    """Return whether the beat on screen belongs to the story."""
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
    said = beat.story.replace("{asks}", words.quote(asks)).replace(
        "{asked}", words.quote(pair.asked)
    )
    elements.html(f'<p class="ab-story-scene-words">{escape(said)}</p>')
    matrices = scene.pop("matrices", ())
    # the largest zoom, and the fraction of the screen
    large, of_screen = (1.5, 0.52) if focus.lecture == "on" else (1, 0.6)
    key = f"board_told_{at + 1}"
    board.story_scene(*matrices, key=key, max_zoom=large, of_screen=of_screen, **scene)


def strip(pair: Pair, at: int) -> None:
    """Draw the facts known at this beat of the story (from 0)."""
    beads = known(pair, at)
    told = [
        f"{bead.label}: {', '.join(text for _, text in bead.shown) or 'numbers'}"
        for bead in beads
        if bead.known
    ]
    board.story_numbers(
        names=labels(pair.trace.tokens),
        keys=labels(pair.trace.key_tokens),
        chosen=(pair.query, pair.key),
        beads=beads,
        key="board_known",
        alt=f"{words.quote(pair.asks)} asks {words.quote(pair.asked)}. Known so far: "
        + ("; ".join(told) or "nothing yet")
        + ".",
    )


def known(pair: Pair, at: int) -> list[board.Bead]:
    """Return the beads on the arc, each with its value once the story has shown it."""
    trace, i, j = pair.trace, pair.query, pair.key
    sources = trace.made_of("q"), trace.made_of("k")
    asks, asked = (made if at >= 3 + k else sources[k] for k, made in enumerate(trace.compared))
    later = after_division(trace)
    score, *scaled = (
        brief(pair.select_query_row(name)[j].item()) for name in ("scores", "scaled", *later)
    )
    symbols = (trace[name].symbol for name in later)
    shares = pair.select_query_row("weights")
    brings = attention.weighted_values(shares[None], trace.select_head("v", pair.head))[
        0, j : j + 1
    ]
    numbers, dims = board.number_labels(trace.setup.d_v), ("key", "d_v")
    brought = board.Matrix("share", brings, [""], numbers, dims, "v", wide=True)
    ids = [(role, str(each)) for role, each in zip("qk", pair.ids, strict=True)]
    weight = words.percent(shares[j].item())
    # label, known from, shown by, value
    held = (
        ("ids", 1, 1, {"shown": ids}),
        ("rows" if at < 3 else "q and k", 2, 2, {"rows": [pair.row(asks, i), pair.row(asked, j)]}),
        ("q · k", 5, 5, {"shown": [("scores", score)]}),
        (", ".join(["÷ √d_k", *symbols]), 7, 7, {"shown": [("scores", each) for each in scaled]}),
        ("weight", 9, 8, {"shown": [("weights", weight)]}),  # predicted first
        ("brings", 10, 10, {"rows": [brought]}),
        ("heads make", 11, 11, {"rows": [pair.row("output", i)]}),
    )
    return [
        board.Bead(
            label=label, page=page, beat=beat, known=at >= since, **(holds if at >= since else {})
        )
        for label, since, told, holds in held
        for page, beat in [STORY[told]]
    ]
