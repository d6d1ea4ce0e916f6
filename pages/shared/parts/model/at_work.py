"""What the heads of a model do, as a legend, a list and a table that can be sorted. All of it is
HTML: each head opens."""

from collections.abc import Callable
from html import escape

from core import jobs
from core.jobs import KEYS, RELATIONS, Jobs
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


def how_far(model: Pretrained) -> str:
    """Say that it is being measured, and how far that is."""
    done, of = _done.get(model, (0, 0))
    told = f": {done} of {of} layers are done" if of else ""
    return f"What each head does is being measured on 200 sentences, once for all visitors{told}."


def legend(found: Jobs) -> None:
    """Draw what the frames of the heads' pictures mean, sign and colour, and how many there are of
    each."""
    counts = claims.of_kinds(found)
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
        f"<li>{to_head(below, k)} {escape(claims.DOES[job])}: right in"
        f" {words.percent(claims.of(found, job, below, k))} of the cases. A guess at a fixed"
        f" distance is right in {words.percent(claims.fixed_of(found, job))}.</li>"
        for job, below, k in claims.found(found)
    )
    items = items or "<li>No head finds a word often enough for a name.</li>"
    elements.html(f'<ul class="ab-pairs">{items}</ul>')


def places(found: Jobs, to_head: ToHead) -> None:
    """Draw the heads that look at a place."""
    items = "".join(
        f"<li><details><summary>{len(at)} {'head' if len(at) == 1 else 'heads'} most often"
        f" {'looks' if len(at) == 1 else 'look'} at"
        f" {escape(place)}</summary>{', '.join(to_head(*each) for each in at)}</details></li>"
        for place, at in claims.at_places(found).items()
        if at
    )
    elements.html(f'<ul class="ab-pairs">{items}</ul>')


def table(found: Jobs, by: str, to_head: ToHead, sorted_by: Callable[[str, str], str]) -> None:
    """Return every head in a line: how often its largest weight is where each job has it.

    `sorted_by` makes a link of a column's title and its name; the table goes `by` one of them.
    """
    asked = {key: job for key, job in KEYS.items() if job in found.asked}
    titles = {"head": "head"} | asked | {"better": "better than a fixed distance"}
    orders = {"head": "ascending"} | dict.fromkeys((*asked, "better"), "descending")
    heads = "".join(
        f'<th scope="col"{f""" aria-sort="{orders[key]}" """ if key == by else ""}>'
        f"{sorted_by(title, key)}</th>"
        for key, title in titles.items()
    )
    fixed = "".join(
        f"<td>{words.percent(claims.fixed_of(found, job)) if job in RELATIONS else '–'}</td>"
        for job in found.asked
    )
    lines = "".join(_line(found, to_head, *head) for head in claims.in_order(found, by))
    elements.html(
        '<div class="ab-jobs" role="region" tabindex="0" aria-label="What every head does, how'
        f' often"><table><thead><tr>{heads}</tr></thead><tbody><tr><th'
        f' scope="row">fixed</th>{fixed}<td></td></tr>{lines}</tbody></table></div>'
    )


def _line(found: Jobs, to_head: ToHead, layer: int, head: int) -> str:
    """Return one head's line: each share, bold where it gives a name."""
    names = found.names(layer, head)
    cells = "".join(_cell(claims.of(found, job, layer, head), job in names) for job in found.asked)
    relation, _ = claims.better(found, layer, head)
    points = _points(claims.of(found, relation, layer, head)) - _points(
        claims.fixed_of(found, relation)
    )
    sign = "+" if points > 0 else "−" if points < 0 else ""
    more = f"{sign}{abs(points)} <small>{escape(relation)}</small>"
    return f'<tr><th scope="row">{to_head(layer, head)}</th>{cells}<td>{more}</td></tr>'


def _points(share: float) -> int:
    """Return the share as it is printed, so that what stands side by side can be subtracted."""
    return int(f"{100 * share:.0f}")


def _cell(share: float, is_name: bool) -> str:
    text = words.short_percent(share)
    return (
        '<td style="--share:'
        f' {round(100 * share)}%">{f"<b>{escape(text)}</b>" if is_name else escape(text)}</td>'
    )


def measured(found: Jobs, layer: int, head: int) -> None:
    """Draw each job of one head in numbers, both from 0."""
    rows = [
        (job, claims.of(found, job, layer, head), claims.fixed_of(found, job))
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
