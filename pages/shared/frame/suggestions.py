"""Edits of weights that are ready to be made: a link to each, and a sentence on what to look at."""

import html
from collections.abc import Callable
from dataclasses import dataclass, replace

from core.edits import MOST_EDITS, Edit, read
from core.setup import Setup
from core.trace import Trace
from pages.shared.frame import lecture, show
from pages.shared.link import parse_link, write_link
from pages.shared.said import elements
from pages.shared.server import computed, run


@dataclass(frozen=True)
class Suggestion:
    """Edits with a name (`w_q=0,b_q=0`), and what there is to see, said of the trace without them
    and of the one with them."""

    name: str
    edits: str
    says: Callable[[Trace, Trace], str]


def with_bias(setup: Setup, weight: str, bias: str) -> str:
    """Return the edits of a weight, and where the setup has biases, those of its bias too."""
    return f"{weight},{bias}" if setup.bias == "on" else weight


def queries_like_keys(setup: Setup) -> str:
    """Return the edits that make W_q of each head the W_k that it works with."""
    if setup.group == 1:
        return with_bias(setup, "w_q=w_k", "b_q=b_k")
    places = [(head + 1, head // setup.group + 1) for head in range(setup.heads)]
    kinds = "wb" if setup.bias == "on" else "w"
    return ",".join(
        f"{kind}_q.{head}={kind}_k.{kv_head}" for head, kv_head in places for kind in kinds
    )


def offer(
    setup: Setup,
    key: str,
    *offered: Suggestion,
    asks: str = "weights are changed by hand?",
    otherwise: str = "",
) -> None:
    """Offer edits, folded away: what is folded is not computed. The fold's name ends with what one
    `asks`; `otherwise` says what is missing where there are none.

    Not in a lecture, and not where nothing is learned.
    """
    if lecture.on() or setup.projections == "none":
        return
    fold = elements.fold(f"What happens if {asks}", f"suggestions_{key}")
    if not fold:
        return
    with fold:
        for suggestion in offered:
            _draw(setup, suggestion)
        if not offered:
            elements.markdown(otherwise)


def _draw(setup: Setup, suggestion: Suggestion) -> None:
    without, with_it = _both(setup, read(suggestion.edits))
    if with_it is None:
        elements.markdown(
            f"{suggestion.name}: there are {MOST_EDITS} edits already, and there can be no more."
        )
        return
    is_made = with_it == setup
    # The link as it stands, for whoever opens it elsewhere. A click makes the change in the link as
    # it is then.
    parameters = parse_link(run.now().link) | {"edits": (without if is_made else with_it).edits}
    link = write_link(
        {name: value for name, value in parameters.items() if name != "edits" or value}
    )
    changes = (
        ",".join(f"{edit.target}=" for edit in read(suggestion.edits))
        if is_made
        else suggestion.edits
    )
    label = f"undo {suggestion.name}" if is_made else suggestion.name
    elements.html(
        f'<a class="ab-ready" href="?{html.escape(link)}"'
        f' data-edits="{html.escape(changes)}">{html.escape(label)}</a>'
    )
    show.plain(suggestion.says(computed.traced(without), computed.traced(with_it)))


def _both(setup: Setup, changes: tuple[Edit, ...]) -> tuple[Setup, Setup | None]:
    """Return the setup without these edits and with them, as last ones where they are not made yet;
    None where they are too many."""
    targets = {edit.target for edit in changes}
    others = tuple(edit for edit in setup.changes if edit.target not in targets)
    without = replace(setup, edits=",".join(map(str, others)))
    if set(changes) <= set(setup.changes):
        return without, setup
    if len(others) + len(changes) > MOST_EDITS:
        return without, None
    return without, replace(setup, edits=",".join(map(str, (*others, *changes))))
