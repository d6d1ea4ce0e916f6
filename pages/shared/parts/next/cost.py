"""What a new word costs, with keys and values kept and without, and how the saving grows with the
sentence."""

from core import cache
from core.setup import Setup
from pages.shared.frame import show
from pages.shared.said import elements
from pages.shared.said.claims import cache as claims
from pages.shared.said.claims import common

LENGTHS = (1, 10, 100)  # words of a sentence, beside the reader's and the length that is told


def draw(setup: Setup) -> None:
    """Say what the last word of a long sentence costs, and list the multiplications of the last of
    so many words."""
    say = common.in_tokens(setup)
    elements.markdown(say(claims.saving(setup)))
    far = claims.far(setup)
    lengths = sorted({*(n for n in LENGTHS if n < far), len(setup.tokens), far})
    columns = {
        say("words"): [f"{n:,}" for n in lengths],
        "multiplications without the cache": [
            f"{cache.without_cache(setup, n):,}" for n in lengths
        ],
        "with it": [f"{cache.with_cache(setup, n):,}" for n in lengths],
        "numbers kept": [f"{cache.numbers_kept(setup, n):,}" for n in lengths],
    }
    elements.table(
        columns,
        dict.fromkeys(columns, show.RIGHT),
        alt=say("What the last word of a sentence costs, by how many words it has."),
    )
