"""Attention masks. True means: may attend."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor


def everyone(tokens: int, keys: int | None = None) -> Tensor:
    """Return a mask where each query may attend to every key: (query, key), all True. `keys`
    defaults to the number of queries.

    >>> everyone(2).tolist(), everyone(1, keys=3).tolist()
    ([[True, True], [True, True]], [[True, True, True]])
    """
    return torch.ones(tokens, tokens if keys is None else keys, dtype=torch.bool)


def causal(tokens: int) -> Tensor:
    """Return a mask where a query may attend to itself and to earlier tokens: (query, key).

    >>> causal(2).tolist()
    [[True, False], [True, True]]
    """
    return torch.ones(tokens, tokens, dtype=torch.bool).tril()


def window(tokens: int, most: int) -> Tensor:
    """Return a mask where a query may attend at most `most` positions away: (query, key).

    Beltagy, Peters and Cohan 2020, section 3.1.

    >>> window(3, most=1).tolist()
    [[True, True, False], [True, True, True], [False, True, True]]
    """
    place = torch.arange(tokens)
    return (place[:, None] - place).abs() <= most


def causal_window(tokens: int, most: int) -> Tensor:
    """Return the window mask without later tokens: (query, key).

    >>> causal_window(3, most=1).tolist()
    [[True, False, False], [True, True, False], [False, True, True]]
    """
    return causal(tokens) & window(tokens, most)


def make_given_mask(
    tokens: int, rows: tuple[tuple[bool, ...], ...], keys: int | None = None
) -> Tensor:
    """Return a mask with the user's rows: (query, key); beyond these rows, everything may be
    attended to. `keys` is the memory's number of tokens in cross-attention; rows given for
    cross-attention are ignored in self-attention.

    >>> make_given_mask(2, rows=((True, False), (True, True))).tolist()
    [[True, False], [True, True]]
    """
    whole = everyone(tokens, keys)
    if keys is not None or len(rows) == len(rows[0]):
        said = torch.tensor(rows)[:tokens, : whole.shape[1]]
        whole[: len(said), : said.shape[1]] = said
    return whole


def make_padding_mask(is_word: Tensor) -> Tensor:
    """Hide padding from all queries: (sentence, token), True = a word → (sentence, query, key).

    >>> make_padding_mask(torch.tensor([[True, False]])).tolist()
    [[[True, False], [True, False]]]
    """
    return is_word[..., None, :].expand(*is_word.shape, is_word.shape[-1])


def summand(may_attend: Tensor) -> Tensor:
    """Return the mask as a tensor to add to the scores, of the same shape: 0 where attention is
    allowed, −∞ elsewhere.

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


def function(
    mask: str, window: int, rows: tuple[tuple[bool, ...], ...] | None = None
) -> partial[Tensor]:
    """Return the function of a mask by its name, given all but how many tokens there are: `window`
    counts for the masks that have one, `rows` for those that are given.

    >>> function("causal", window=1)(2).tolist()
    [[True, False], [True, True]]
    """
    if mask == "given" and rows is not None:
        return partial(MASKS[mask], rows=rows)
    return partial(MASKS[mask], **({"most": window} if mask.endswith("window") else {}))
