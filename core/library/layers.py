"""The attention of any model: one trace a layer, shown as a map of all heads."""

from collections.abc import Iterable, Sequence
from html import escape
from math import isqrt
from typing import Any

import torch
from torch import Tensor

from ..board.entries import SHARES
from ..board.html import render_html
from ..board.long_axes import PICTURED
from ..board.packed import Matrix
from ..board.views import Pictures
from ..setup.setup import Setup
from ..text.text import quote
from ..text.written import count
from ..trace.record import Entry, Picture, Shown, Trace

MOST = 60_000  # numbers of a map
BARE = "These are attention weights alone: there are no numbers beneath that could be opened."


class Layers(Shown, tuple[Trace, ...]):
    """One trace a layer, and a `note` on where they come from. A notebook shows the map of their
    heads, where a click opens one; `layers[2]["weights"]` shows a layer."""

    note: str

    def __new__(cls, layers: Iterable[Trace], note: str) -> "Layers":
        made = super().__new__(cls, layers)
        made.note = note
        return made

    def __repr__(self) -> str:
        heads = ", ".join(str(n) for n in dict.fromkeys(len(one.value("weights")) for one in self))
        words = quote(" ".join(self[0].tokens))
        return f"{count(len(self), 'layer')}, {heads} heads each, on {words}. {self.note}"


def attention(
    weights: Any, tokens: Sequence[str], key_tokens: Sequence[str] = (), note: str = BARE
) -> Layers:
    """Return the bare attention weights of whatever model, to look at: (query, key), (head, query,
    key) or (layer, head, query, key), or a list of tensors, one a layer, as Transformers gives
    them. `key_tokens`: the words of the keys, if they are others. Raises ValueError; says why.

    >>> layers = attention(torch.tensor([[1.0, 0.0], [0.5, 0.5]]), ["a", "cat"])
    >>> layers[0]["weights"].frame()  # doctest: +NORMALIZE_WHITESPACE
    key      a  cat
    query
    a      1.0  0.0
    cat    0.5  0.5
    """
    of_layers = [_check(layer, len(tokens), len(key_tokens or tokens)) for layer in _split(weights)]
    memory = tuple(map(str, key_tokens))
    return Layers(
        [
            Trace(
                Setup(),
                {"weights": Entry("weights", "α", each, ("head", "query", "key"))},
                tuple(map(str, tokens)),
                memory_tokens=memory,
            )
            for each in of_layers
        ],
        note,
    )


def make_map(layers: Layers, head: int = 0) -> Pictures:
    """Return small pictures of all heads, the one at `head` (from 0) chosen; of a long text its
    beginning."""
    weights = [one.value("weights") for one in layers]
    (n, m), several = weights[0].shape[1:], max(map(len, weights))
    shown = min(PICTURED, isqrt(MOST // sum(map(len, weights))))
    names, keys = (layers[0].words_along(axis)[:shown] for axis in ("query", "key"))
    alt = repr(layers)
    if max(n, m) > shown:
        alt += f" The map has the first {shown} of {max(n, m)} words."
    pictures = [
        Matrix(
            *(f"{k}·{j}", of_head[:shown, :shown], names, keys, ("query", "key"), "weights"),
            bare=True,
            clickable=True,
            **SHARES,
        )
        for k, layer in enumerate(weights, start=1)
        for j, of_head in enumerate(layer, start=1)
    ]
    return Pictures(
        matrices=pictures,
        across=several,
        main=head,
        chosen=(len(names) - 1, 0),
        max_cell=max(2, 66 // len(names)),
        of_screen=0.7,
        alt=alt,
    )


def draw_map(layers: Layers, head: int = 0) -> Picture:
    """Return the map of all heads, where a click opens one."""
    shown = make_map(layers, head)
    html = render_html(shown, text=shown.alt, opens={})
    return Picture(f"{html}<p>{escape(shown.alt)}</p>", shown.alt)


Layers.draw = staticmethod(draw_map)


def _split(weights: Any) -> list[Tensor]:
    """Return (head, query, key) of each layer; a batch of one sentence is taken as the sentence."""
    if isinstance(weights, list | tuple) and all(hasattr(each, "shape") for each in weights):
        layers = [torch.as_tensor(each) for each in weights]
    else:
        whole = torch.as_tensor(weights)
        layers = list(whole[(None,) * (4 - whole.ndim)])
    layers = [each[0] if each.ndim == 4 and len(each) == 1 else each for each in layers]
    return [each[None] if each.ndim == 2 else each for each in layers]


def _check(layer: Tensor, queries: int, keys: int) -> Tensor:
    """Return a layer's weights as float32. Raises ValueError if they are none of these tokens."""
    if layer.ndim != 3 or layer.shape[1:] != (queries, keys):
        raise ValueError(
            f"A layer's weights are {' × '.join(map(str, layer.shape))}, and the tokens make them"
            f" heads × {queries} × {keys}: a row for each query, a column for each key."
        )
    layer = layer.detach().float().cpu()
    if not ((layer >= 0) & (layer <= 1.001)).all():
        raise ValueError("Attention weights are shares from 0 to 1, and some of these are not.")
    return layer.clamp(max=1)
