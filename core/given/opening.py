"""From what was read to a setup: given numbers as a source of weights, with the words and the scale that stand beside them."""

from .. import text
from ..setup import Setup
from ..ties import DRAWN_INSTEAD
from .field import kept
from .reading import Reading
from .values import Given


def opened(reading: Reading) -> tuple[Setup, list[str]]:
    """Return the setup whose numbers are those of a text, and in words what had to be changed. Raises ValueError with a sentence where
    something is open or missing, or where the steps have no place for it.

    >>> from .reading import read
    >>> opened(read("Q: 1 0; 0 1\\nK: 1 0; 0 1\\nV: 1 2; 3 4\\nscale: none"))[0].scale
    'none'
    """
    given = reading.given()
    wishes = {"init": "given", "given": kept(given), "text": _sentence(reading.tokens, given), "split": "words", "memory": ""}
    if given.memory_x:
        wishes["memory"] = " ".join(f"other{k}" for k in range(1, len(given.memory_x) + 1))
    if given.scale != "sqrt":
        wishes |= {"scale": "none"} | ({} if given.scale == "none" else {"temperature": given.scale})
    setup, messages = Setup.nearest(wishes)
    if setup.init != "given":
        raise ValueError(messages[0].removeprefix("init: ").removesuffix(DRAWN_INSTEAD))
    return setup, messages


def _sentence(tokens: tuple[str, ...], given: Given) -> str:
    """Return a word for each row: the one that stands beside it, without what is no part of a word; else its number."""
    if given.table:
        return " ".join(given.words[:8])
    names = [next(iter(text.words(token)), "") for token in tokens] or [""] * given.sizes["token"]
    names = [name or f"word{k}" for k, name in enumerate(names, start=1)]
    return " ".join(given.told_apart("x", names, {}) if given.x else names)
