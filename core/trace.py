"""The whole computation once, with every intermediate tensor kept by name.

This is the only forward path: what the pages explain is what ran.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from torch import Tensor

from core import attention, embedding, heads, masks, parameters
from core.origin import (
    Concat,
    Copy,
    Dropout,
    Lookup,
    Mask,
    Origin,
    Place,
    Product,
    Scale,
    Sinusoid,
    Softmax,
    Sum,
    Transpose,
)
from core.setup import Setup
from core.text import token_ids


@dataclass(frozen=True)
class Entry:
    """One tensor: its name and symbol, its numbers, what its axes are, and how a cell is made.

    `origin` is None for what was drawn at random: there is nothing further back.
    """

    name: str
    symbol: str
    value: Tensor
    dims: tuple[str, ...]
    origin: Origin | None = None


@dataclass(frozen=True, eq=False)
class Trace(Mapping[str, Entry]):
    """Read-only mapping from name to entry, in the order of the derivation."""

    setup: Setup
    _entries: dict[str, Entry] = field(default_factory=dict, repr=False)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The sentence, cut up."""
        return self.setup.tokens

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Each different token once, sorted."""
        return self.setup.vocabulary

    def value(self, name: str) -> Tensor:
        """The numbers of one entry."""
        return self._entries[name].value

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class Keep(Protocol):
    """Keeps a tensor under its name and hands it on."""

    def __call__(self, name: str, symbol: str, value: Tensor, dims: str, origin: Origin | None = None) -> Tensor: ...


def keeper(made: dict[str, Entry]) -> Keep:
    """Keeps what it is given in `made`. A value with one axis more than its names is a batch."""

    def keep(name: str, symbol: str, value: Tensor, dims: str, origin: Origin | None = None) -> Tensor:
        axes = tuple(dims.split())
        made[name] = Entry(name, symbol, value, axes if value.ndim == len(axes) else ("sentence", *axes), origin)
        return value

    return keep


def run(setup: Setup) -> Trace:
    """Compute everything from the words to the output.

    The same setup gives the same numbers in every process on the same kind of machine, with the same number of threads.
    """
    made: dict[str, Entry] = {}
    keep = keeper(made)
    drawn = parameters.draw(setup)
    x = _embed(setup, drawn, keep)
    attend(setup, drawn, x, keep, masks.MASKS[setup.mask](len(setup.tokens)))
    return Trace(setup, made)


def attend(setup: Setup, drawn: dict[str, Tensor], x: Tensor, keep: Keep, allowed: Tensor, source: str = "x") -> Tensor:
    """Multi-head attention from the input to the output, each step kept: the one path of every page.

    `x` is (token, d_model), or (sentence, token, d_model) for a batch; `allowed` is (query, key), for a
    batch (sentence, query, key). `source` names the entry that `x` is. A `kept` among the weights
    switches dropout on.
    """
    q, k, v = _project(setup, drawn, x, keep, source)
    context = _mix(setup, drawn, q, k, v, allowed, keep)
    return _combine(setup, drawn, context, keep)


def _embed(setup, drawn, keep) -> Tensor:
    ids = keep("ids", "i", token_ids(setup.tokens, setup.vocabulary), "token", Place())
    table = keep("embedding_table", "E", drawn["embedding_table"], "word d_model")
    embedded = keep("embedded", "E_i", embedding.embed(table, ids), "token d_model", Lookup("embedding_table", "ids"))
    if setup.positions == "none":
        return keep("x", "X", embedded, "token d_model", Copy("embedded"))
    if setup.positions == "sinusoidal":
        waves = embedding.sinusoidal(len(setup.tokens), setup.d_model)
        positions = keep("positions", "P", waves, "token d_model", Sinusoid(setup.d_model))
    else:
        positions = keep("positions", "P", drawn["positions"], "token d_model")
    x = embedding.add_positions(embedded, positions)
    return keep("x", "X", x, "token d_model", Sum(("embedded", "positions")))


def _project(setup, drawn, x, keep, source) -> tuple[Tensor, Tensor, Tensor]:
    if setup.projections == "none":
        return tuple(
            keep(name, name.upper(), x.unsqueeze(-3), f"head token {size}", Copy(source))
            for name, size in (("q", "d_k"), ("k", "d_k"), ("v", "d_v"))
        )
    sizes = {"q": "d_k", "k": "d_k", "v": "d_v"}
    for name, size in sizes.items():
        keep(f"w_{name}", f"W_{name}", drawn[f"w_{name}"], f"head d_model {size}")
    if setup.bias == "on":
        for name, size in sizes.items():
            keep(f"b_{name}", f"b_{name}", drawn[f"b_{name}"], f"head {size}")
    projected = []
    for name, size in sizes.items():
        w, b = drawn[f"w_{name}"], drawn.get(f"b_{name}")
        value = _project_heads(x, w, b)
        origin = Product(source, f"w_{name}", bias=None if b is None else f"b_{name}")
        projected.append(keep(name, name.upper(), value, f"head token {size}", origin))
    return tuple(projected)


def _project_heads(x: Tensor, w: Tensor, b: Tensor | None) -> Tensor:
    """Each head's projection of every word: (head, token, size), of a batch (sentence, head, token, size).

    A batch goes through one matrix in which the heads stand side by side, a word being projected by itself: head
    by head takes twice as long.
    """
    if x.ndim == 2:
        return attention.project(x, w, None if b is None else b[:, None, :])
    side_by_side = w.transpose(0, 1).flatten(1)
    projected = attention.project(x, side_by_side, None if b is None else b.flatten())
    return projected.unflatten(-1, (len(w), -1)).transpose(1, 2)


def _mix(setup, drawn, q, k, v, allowed, keep) -> Tensor:
    pairs = "head query key"
    k_t = keep("k_t", "K^⊤", attention.transpose(k), "head d_k token", Transpose("k"))
    raw = keep("scores", "ω", attention.scores(q, k_t), pairs, Product("q", "k_t"))
    scaled, origin = _scale(setup, q, k_t, raw)
    keep("scaled", "ω′", scaled, pairs, origin)
    if bool(allowed.all()):
        masked = keep("masked", "ω″", scaled, pairs, Copy("scaled"))
    else:
        origin = Mask("scaled", as_tuples(allowed))
        masked = keep("masked", "ω″", attention.mask(scaled, allowed.unsqueeze(-3)), pairs, origin)
    weights = keep("weights", "α", attention.softmax(masked), pairs, Softmax("masked"))
    used = "weights"
    if "kept" in drawn:
        used, kept = "dropped", drawn["kept"]
        origin = Dropout("weights", as_tuples(kept), setup.dropout)
        weights = keep(used, "α, dropout", attention.dropout(weights, kept, setup.dropout), pairs, origin)
    return keep("context", "Z", attention.mix(weights, v), "head query d_v", Product(used, "v"))


def as_tuples(flags: Tensor) -> tuple:
    """A tensor of True and False as nested tuples, which cannot be changed."""

    def frozen(nested: list, axes: int) -> tuple:
        return tuple(nested) if axes == 1 else tuple(frozen(part, axes - 1) for part in nested)

    return frozen(flags.tolist(), flags.ndim)


def _scale(setup, q, k_t, raw) -> tuple[Tensor, Origin]:
    if setup.scale == "fourth-root":
        scaled = attention.scale_both_sides(q, k_t, setup.d_k, setup.temperature)
        return scaled, Product("q", "k_t", divisor=setup.d_k**0.25, temperature=setup.temperature)
    if setup.scale == "none":
        return attention.temper(raw, setup.temperature), Scale("scores", setup.temperature)
    return attention.scale(raw, setup.d_k, setup.temperature), Scale("scores", setup.d_k**0.5 * setup.temperature)


def _combine(setup, drawn, context, keep) -> Tensor:
    concat = heads.concatenate(context)
    keep("concat", "[Z_1…Z_h]", concat, "query head·d_v", Concat("context", setup.d_v))
    if setup.projections == "none":
        return keep("output", "Y", concat, "query out", Copy("concat"))
    w_o = keep("w_o", "W_o", drawn["w_o"], "head·d_v out")
    b_o = keep("b_o", "b_o", drawn["b_o"], "out") if setup.bias == "on" else None
    origin = Product("concat", "w_o", bias=None if b_o is None else "b_o")
    return keep("output", "Y", heads.combine(concat, w_o, b_o), "query out", origin)
