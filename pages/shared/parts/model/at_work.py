"""What the heads of a model do, as a legend and a list in which each head opens."""

from collections.abc import Callable
from html import escape

from core import jobs
from core.jobs import RELATIONS, Jobs
from core.pretrained import Pretrained
from core.setup import Setup
from pages.shared.frame import show
from pages.shared.said import elements, words
from pages.shared.said.claims import real as claims
from pages.shared.server import background

ToHead = Callable[[int, int], str]  # a link to a head, both from 0
AGAIN = 2  # seconds until a page that waits is drawn with the layers that are done by then
_done: dict[
    Pretrained, tuple[int, int]
] = {}  # how many layers of a model have been measured, and of how many
_found: dict[Pretrained, Jobs] = {}


def found(model: Pretrained, name: str) -> Jobs | None:
    """Return what the heads of the model of this name do; None while it is being measured, once for
    all visitors."""
    return _found.get(model) or background.ask(_measure, model, name, again_in=AGAIN)


def _measure(model: Pretrained, name: str) -> Jobs:
    _found[model] = jobs.measure(
        Setup(text="a", init="real", model=name), lambda done, of: _done.update({model: (done, of)})
    )
    return _found[model]


def describe_progress(model: Pretrained) -> str:
    """Say that it is being measured, and how far that is."""
    done, of = _done.get(model, (0, 0))
    told = f": {done} of {of} layers are done" if of else ""
    return f"What each head does is being measured on 200 sentences, once for all visitors{told}."


def legend(found: Jobs) -> None:
    """Draw what the frames of the heads' pictures mean, sign and colour, and how many there are of
    each."""
    counts = claims.count_kinds(found)
    items = "".join(
        f'<span class="ab-is-{claims.colour(kind)}"><i>{sign}</i> {escape(kind)}:'
        f" {counts[kind]}</span>"
        for kind, sign in claims.SIGNS_OF_KINDS.items()
        if counts[kind]
    )
    once = "<span>A head that does several counts for each, and has the frame of the first.</span>"
    elements.html(
        '<p class="ab-kinds"><span>Over 200 sentences, a head most often looks'
        f" at</span>{items}{once}</p>"
    )


def relations(found: Jobs, to_head: ToHead) -> None:
    """Draw the heads that find a word, each beside the best fixed distance."""
    items = "".join(
        f"<li>{to_head(below, k)} {escape(claims.right(found, job, below, k))}.</li>"
        for job, below, k in claims.found(found)
    )
    items = items or "<li>No head finds a word often enough for a name.</li>"
    elements.html(f'<ul class="ab-pairs">{items}</ul>')


def draw_head_roles(found: Jobs, layer: int, head: int) -> None:
    """Draw each job of one head in numbers, both from 0."""
    rows = [
        (job, claims.get_score(found, job, layer, head), claims.get_fixed_score(found, job))
        for job in found.asked
    ]
    columns = {
        "largest weight on": [job for job, _, _ in rows],
        "how often": [words.short_percent(share) for _, share, _ in rows],
        "fixed distance": [
            words.short_percent(fixed) if job in RELATIONS else "–" for job, _, fixed in rows
        ],
    }
    elements.table(
        columns,
        dict.fromkeys(list(columns)[1:], show.RIGHT),
        alt=f"What layer {layer + 1}, head {head + 1} looks at, how often",
    )
