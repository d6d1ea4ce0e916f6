"""From given numbers to a setup: a source of weights, with the words and the scale that stand
beside them."""

from ..fields.matrices_field import to_field_value
from ..fields.user_matrices import UserMatrices
from ..setup.constraints import DRAWN_INSTEAD
from ..setup.setup import Setup
from ..text import text


def make_setup(
    given: UserMatrices, tokens: tuple[str, ...] = (), others: tuple[str, ...] = ()
) -> tuple[Setup, list[str]]:
    """Return the setup of these numbers, with these words for its rows and for those that it asks,
    and what had to be changed, in words. Raises ValueError with a sentence where the steps have no
    place for them.

    >>> given = UserMatrices(q=[[1]], k=[[1]], v=[[1]], scale="none")
    >>> make_setup(given)[0].scale
    'none'
    """
    wishes = {
        "init": "given",
        "given": to_field_value(given),
        "text": _sentence(tokens, given),
        "memory": "",
    }
    if given.asks_another:
        wishes["memory"] = " ".join(
            _names(others, given.sizes["memory"], "key" if given.projected else "other")
        )
    if given.scale != "sqrt":
        wishes |= {"scale": "none"} | (
            {} if given.scale == "none" else {"temperature": given.scale}
        )
    setup, messages = Setup.nearest(wishes)
    if setup.init != "given":
        raise ValueError(messages[0].removeprefix("init: ").removesuffix(DRAWN_INSTEAD))
    return setup, messages


def _sentence(tokens: tuple[str, ...], given: UserMatrices) -> str:
    """Return a word for each row: the one that stands beside it, without what is no part of a word;
    else its number."""
    if given.table:
        return " ".join(given.words[:8])
    names = _names(
        tokens, given.sizes["token"], "query" if given.projected and given.asks_another else "word"
    )
    return " ".join(given.told_apart("x", names, {}) if given.x else names)


def _names(tokens: tuple[str, ...], many: int, kind: str) -> list[str]:
    """Return a word for each of so many rows: its token's first, else what it is, with its
    number."""
    words = [next(iter(text.words(token)), "") for token in tokens] or [""] * many
    return [word or f"{kind}{k}" for k, word in enumerate(words, start=1)]
