"""The story: some of the lecture's beats in few words, with one animation each.

Its texts are `story` in `pages/shared/link/beats`, its figures in `scenes.py`.
"""

from html import escape

from core.ops import attention
from core.text.text import labels
from core.text.written import brief
from pages.shared import board
from pages.shared.lecture.scenes import SCENES, Pair, after_division
from pages.shared.lecture.screen import now
from pages.shared.link.beats import STORY, place_of
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
    projected = at_beat("projection", "row"), at_beat("projection", "all")
    names = list(trace.compared) if at >= projected[1] else [trace.compared[0], trace.made_of("k")]
    if at < projected[0]:
        names[0] = trace.made_of("q")
    if at < at_beat("embedding", "positions"):
        names = ["embedded", "memory_embedded" if trace.setup.memory else "embedded"]
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
    rows = {"rows": [pair.row(name, place) for name, place in zip(names, (i, j), strict=True)]}
    told = "rows" if at < projected[0] else "q and k"
    divided = {"shown": [("scores", each) for each in scaled]}
    # label, the beat that shows it, value
    held = (
        ("ids", ("vocabulary", "words"), {"shown": ids}),
        (told, ("embedding", "lookup"), rows),
        ("q · k", ("scores", "sum"), {"shown": [("scores", score)]}),
        (", ".join(["÷ √d_k", *symbols]), ("weights", "scaled"), divided),
        ("weight", ("weights", "shares"), {"shown": [("weights", weight)]}),
        ("brings", ("context", "mixture"), {"rows": [brought]}),
        ("heads make", ("heads", "parts"), {"rows": [pair.row("output", i)]}),
    )
    beads = []
    for label, shown_by, holds in held:
        since = at_beat(*shown_by)
        known = at >= since + (label == "weight")  # which is predicted first
        page, beat = STORY[since]
        beads.append(
            board.Bead(label=label, page=page, beat=beat, known=known, **(holds if known else {}))
        )
    return beads


def at_beat(path: str, name: str) -> int:
    """Return the place of a beat in the story, from 0."""
    return STORY.index(place_of(path, name))
