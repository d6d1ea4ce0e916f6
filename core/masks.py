"""Who may look at whom. True means: may attend."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from .setup import Setup


def everyone(tokens: int, keys: int | None = None) -> Tensor:
    """Each query may look at every key: (query, key), all True. Without `keys` there are as many as
    queries.

    >>> everyone(2).tolist(), everyone(1, keys=3).tolist()
    ([[True, True], [True, True]], [[True, True, True]])
    """
    return torch.ones(tokens, tokens if keys is None else keys, dtype=torch.bool)


def causal(tokens: int) -> Tensor:
    """A query may look at itself and at what came before: (query, key).

    >>> causal(2).tolist()
    [[True, False], [True, True]]
    """
    return torch.ones(tokens, tokens, dtype=torch.bool).tril()


def window(tokens: int, most: int) -> Tensor:
    """A query may look at what is at most so many places away, itself included: (query, key).

    Beltagy, Peters and Cohan 2020, section 3.1.

    >>> window(3, most=1).tolist()
    [[True, True, False], [True, True, True], [False, True, True]]
    """
    place = torch.arange(tokens)
    return (place[:, None] - place).abs() <= most


def causal_window(tokens: int, most: int) -> Tensor:
    """The same, and never at what comes later: (query, key).

    >>> causal_window(3, most=1).tolist()
    [[True, False, False], [True, True, False], [False, True, True]]
    """
    return causal(tokens) & window(tokens, most)


def make_given_mask(
    tokens: int, rows: tuple[tuple[bool, ...], ...], keys: int | None = None
) -> Tensor:
    """A query may look where the rows that were given say so: (query, key). Past them, in a longer
    sentence, it may look everywhere. `keys` is how many words another sentence has, which is asked;
    rows that are about such a one say nothing of a sentence alone.

    >>> make_given_mask(2, rows=((True, False), (True, True))).tolist()
    [[True, False], [True, True]]
    """
    whole = everyone(tokens, keys)
    if keys is not None or len(rows) == len(rows[0]):
        said = torch.tensor(rows)[:tokens, : whole.shape[1]]
        whole[: len(said), : said.shape[1]] = said
    return whole


def make_padding_mask(is_word: Tensor) -> Tensor:
    """No query may look at padding: (sentence, token), True = a word → (sentence, query, key).

    >>> make_padding_mask(torch.tensor([[True, False]])).tolist()
    [[[True, False], [True, False]]]
    """
    return is_word[..., None, :].expand(*is_word.shape, is_word.shape[-1])


def summand(may_attend: Tensor) -> Tensor:
    """Return the mask as what is added to the scores, of the same shape: 0 where a query may look,
    −∞ elsewhere.

    >>> summand(causal(2)).tolist()
    [[0.0, -inf], [0.0, 0.0]]
    """
    return torch.zeros(may_attend.shape).masked_fill(~may_attend, -torch.inf)


MASKS: dict[str, Callable[..., Tensor]] = {
    "none": everyone,
    "causal": causal,
    "window": window,
    "causal-window": causal_window,
    "given": make_given_mask,
}


def function(setup: Setup) -> partial[Tensor]:
    """Return the function of the setup's mask, given all but how many tokens there are."""
    if setup.numbers is not None and setup.mask == "given":
        return partial(make_given_mask, rows=setup.numbers.mask)
    return partial(MASKS[setup.mask], **({"most": setup.window} if setup.has_window else {}))


def make_mask(setup: Setup, tokens: int) -> Tensor:
    """Return who may look at whom in a sentence of so many tokens, by the setup's mask: (query,
    key). A source of weights may know better: `weights.may_attend`."""
    return function(setup)(tokens)
