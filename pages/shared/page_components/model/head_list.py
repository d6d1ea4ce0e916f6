"""The roles of a pretrained model's heads: a legend, and a list of links to heads."""

from html import escape

from core import Setup
from core.analysis import head_roles
from core.analysis.head_roles import RELATIONS, Jobs
from core.pretrained import Pretrained
from pages.shared.captions import real_model as claims
from pages.shared.layout import show
from pages.shared.page_components.model.models import LinkTo
from pages.shared.server import background
from pages.shared.text import elements, words

BETWEEN = "\u00a0·\u00a0"  # a head's layer and its number
AGAIN = 2  # seconds until a waiting page is redrawn
_done: dict[Pretrained, tuple[int, int]] = {}  # measured layers of a model, and all its layers
_found: dict[Pretrained, Jobs] = {}


def found(model: Pretrained, name: str) -> Jobs | None:
    """Return the roles of this model's heads; None while they are measured, once for all
    visitors."""
    return _found.get(model) or background.ask(_measure, model, name, again_in=AGAIN)


def _measure(model: Pretrained, name: str) -> Jobs:
    _found[model] = head_roles.measure(
        Setup(text="a", init="real", model=name), lambda done, of: _done.update({model: (done, of)})
    )
    return _found[model]


def describe_progress(model: Pretrained) -> str:
    """Describe the progress of the measurement."""
    done, of = _done.get(model, (0, 0))
    told = f": {done} of {of} layers are done" if of else ""
    return f"What each head does is being measured on 200 sentences, once for all visitors{told}."


def legend(found: Jobs) -> None:
    """Draw the legend of the pictures' signs, with the count of heads of each kind."""
    counts = claims.count_kinds(found)
    items = "".join(
        f"<span><i>{sign}</i> {escape(kind)}: {counts[kind]}</span>"
        for kind, sign in claims.SIGNS_OF_KINDS.items()
        if counts[kind]
    )
    once = "<span>A head that does several counts for each, and has the sign of the first.</span>"
    elements.html(
        '<p class="ab-kinds"><span>Over 200 sentences, a head most often looks'
        f" at</span>{items}{once}</p>"
    )


def relations(found: Jobs, link_to: LinkTo) -> None:
    """Draw the heads that find a related word, each beside the best fixed distance."""
    items = "".join(
        f"<li>{link_to(f'{below + 1}{BETWEEN}{k + 1}', layer=below + 1, head=k + 1)}"
        f" {escape(claims.right(found, job, below, k))}.</li>"
        for job, below, k in claims.found(found)
    )
    items = items or "<li>No head finds a word often enough for a name.</li>"
    elements.html(f'<ul class="ab-pairs">{items}</ul>')


def draw_head_roles(found: Jobs, layer: int, head: int) -> None:
    """Draw the scores of one head (layer and head from 0) for every role."""
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
