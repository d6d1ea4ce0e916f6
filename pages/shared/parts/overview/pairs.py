"""Pairs of setups worth a look: each a link that holds one beside the other, with one question. No
Streamlit here."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.setup import Setup
from pages.shared.link import held, write_link


@dataclass(frozen=True)
class Pair:
    """What both setups change in the reader's own, what one of them is held with, and the page to
    look at them."""

    title: str
    question: str
    path: str
    both: dict[str, Any]
    held: dict[str, Any]
    present: dict[str, Any]


PAIRS = (
    Pair(
        "With and without √d_k",
        "Which row changes most, and what do its scores have that others lack?",
        "weights",
        {"temperature": 1.0},
        {"scale": "sqrt"},
        {"scale": "none"},
    ),
    Pair(
        "Seed 1 and seed 2",
        "Nothing but the seed differs. What could you say of the first that is still true of the"
        " second?",
        "weights",
        {},
        {"seed": 1},
        {"seed": 2},
    ),
    Pair(
        "All words and only those before",
        "The last row does not change at all. Why not?",
        "weights",
        {},
        {"mask": "none"},
        {"mask": "causal"},
    ),
    Pair(
        "Narrow and wide heads",
        "Wide heads have three times as many weights here. Does the output have more numbers"
        " for it?",
        "heads",
        {"d_model": 12, "heads": 3, "out": "d_model", "projections": "learned"},
        {"sizes": "narrow"},
        {"sizes": "wide"},
    ),
    Pair(
        "Without positions and with them, shuffled",
        "Below, the words are shuffled: in which of the two does each result just move along with"
        " its word?",
        "encoder",
        {"shuffle": 1, "mask": "none"},
        {"positions": "none"},
        {"positions": "sinusoidal"},
    ),
    Pair(
        "Drawn and trained",
        "Could you tell from these weights alone which ones were trained, and by what?",
        "weights",
        {"projections": "learned"},
        {"init": "xavier"},
        {"init": "trained"},
    ),
    Pair(
        "Post-norm and pre-norm",
        "The weights are the same. In which of the two do a word's numbers keep growing from layer"
        " to layer?",
        "block",
        {},
        {"norm": "post"},
        {"norm": "pre"},
    ),
)


@lru_cache(maxsize=32)
def links(setup: Setup) -> tuple[tuple[Pair, str], ...]:
    """Return each pair with its link, relative to the app's root, in the reader's own setup
    otherwise."""
    found = []
    for pair in PAIRS:
        both = setup.as_link() | pair.both
        before, now = (Setup.nearest(both | changes)[0] for changes in (pair.held, pair.present))
        found.append(
            (pair, f"./{pair.path}?{write_link(now.as_link() | {'vs': held.write(before)})}")
        )
    return tuple(found)
