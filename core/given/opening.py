"""From given numbers to a setup: a source of weights, with the words and the scale that stand beside them."""

from .. import text
from ..setup import Setup
from ..ties import DRAWN_INSTEAD
from .field import kept
from .values import Given


def opened(given: Given, tokens: tuple[str, ...] = ()) -> tuple[Setup, list[str]]:
    """Return the setup of these numbers, with these words for its rows, and what had to be changed, in words. Raises ValueError with a
    sentence where the steps have no place for them.

    >>> opened(Given(q=[[1, 0], [0, 1]], k=[[1, 0], [0, 1]], v=[[1, 2], [3, 4]], scale="none"))[0].scale
    'none'
    """
    wishes = {"init": "given", "given": kept(given), "text": _sentence(tokens, given), "split": "words", "memory": ""}
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
