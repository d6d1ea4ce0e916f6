"""Tensors by name, each with its axes and the function that computed it, as data."""

from collections.abc import Callable, Container, ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from torch import Tensor

from ..ops.weight_names import full
from ..setup.setup import Setup
from ..text.text import labels
from .cell import Origin
from .optional import load_library
from .origin import Copy
from .step import Call, Step

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Picture:
    """What a notebook shows: a board that needs no server, and a line of text in its place."""

    html: str
    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.text}


class Shown:
    """What shows itself in a notebook. `board` and `library` stand above: the package puts their
    functions in here."""

    draw: ClassVar[Callable[..., Picture]]
    plot: ClassVar[Callable[..., Any]]

    def _repr_html_(self) -> str:
        return type(self).draw(self).html

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return type(self).draw(self)._repr_mimebundle_()


@dataclass(frozen=True)
class Entry(Shown):
    """One tensor: its name and symbol, its numbers, its axes, and the origin of its cells.

    `origin` is None for weights: they are not computed from other entries. `call` is the function
    that computed all cells at once; None for weights, ids and copies. What a page adds by
    `Trace.also` only has a call.

    A real model's weights may be 16-bit floats: these are `stored`, and `value` converts them to
    float32 each time. The matrix of all its pieces is too large for that: select its columns first.
    """

    name: str
    symbol: str
    stored: Tensor
    dims: tuple[str, ...]
    origin: Origin | None = None
    call: Call | None = None
    # the trace's words along axes, and the entries that this one was computed from
    whose: "Trace | None" = field(default=None, repr=False, compare=False)

    @property
    def value(self) -> Tensor:
        """The numbers."""
        return self.stored if "word" in self.dims else full(self.stored)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the entries that it is computed from."""
        if self.call is not None:
            return self.call.inputs
        return (self.origin.source,) if isinstance(self.origin, Copy) else ()

    def matrix(self, at: Mapping[str, int]) -> tuple[Tensor, tuple[str, ...]]:
        """Return the numbers as rows and columns, and the names of these two axes, at one index
        along each further axis: {"head": 1}, from 0.

        An index for an axis that the entry does not have is ignored. An entry with one axis is a
        single row, whose row axis has no name.

        >>> import torch
        >>> Entry("b_q", "b_q", torch.tensor([[1, 2], [3, 4]]), ("head", "d_k")).matrix(
        ...     {"head": 1, "sentence": 0}
        ... )
        (tensor([[3, 4]]), ('', 'd_k'))
        """
        value, dims = self.value, self.dims
        for axis, place in at.items():
            if axis in dims:
                k = dims.index(axis)
                value, dims = value.select(k, place), dims[:k] + dims[k + 1 :]
        return (value, dims) if value.ndim == 2 else (value[None], ("", *dims))

    @property
    def around(self) -> "Trace":
        """The trace of this entry and those it was computed from."""
        assert self.whose is not None
        return replace(self.whose, _entries={**self.whose, self.name: self})

    def show(self, head: int = 0) -> Picture:
        """Return the board of one head (from 0), where each cell opens with its terms."""
        return type(self).draw(self, head)

    def chart(self) -> Any:
        """Return an Altair chart: a heatmap for each head, to change or to save."""
        return type(self).plot(self)

    def frame(self, head: int = 0, tidy: bool = False) -> "pd.DataFrame":
        """Return the numbers as a DataFrame labelled with words; of an entry with heads, those of
        one (from 0). For a batch, select a sentence first. tidy: all numbers, one a row, each with
        its place along every axis.

        >>> from ..setup.setup import Setup
        >>> from ..forward.trace import run
        >>> trace = run(Setup(text="the cat the", d_model=2))
        >>> trace["weights"].frame(head=1).round(2)  # doctest: +NORMALIZE_WHITESPACE
        key    the₁   cat  the₃
        query
        the₁   0.38  0.25  0.38
        cat    0.33  0.34  0.33
        the₃   0.38  0.25  0.38
        """
        pd = load_library("pandas")

        own = self.whose

        def along(axis: str, size: int) -> Any:
            words = () if own is None else own.words_along(axis)
            return pd.Index(words or range(1, size + 1), name=axis or None)

        if tidy:
            places = pd.MultiIndex.from_product(map(along, self.dims, self.value.shape))
            return pd.DataFrame({self.name: self.value.flatten().numpy()}, places).reset_index()
        value, dims = self.matrix({"head": head} if own is None else own.places(head))
        if value.ndim > 2:
            raise ValueError(f"{self.name} has more than two axes: {', '.join(self.dims)}")
        rows, columns = map(along, dims, value.shape)
        return pd.DataFrame(value.numpy(), rows if dims[0] else [self.name], columns)


@dataclass(frozen=True, eq=False)
class Trace(Shown, Mapping[str, Entry]):
    """Read-only mapping from name to entry, in the order of the derivation."""

    setup: Setup
    _entries: dict[str, Entry] = field(default_factory=dict, repr=False)
    _tokens: tuple[str, ...] | None = None  # if not the setup's first sentence
    _words: tuple[str, ...] | None = None  # if not the setup's vocabulary
    memory_tokens: tuple[str, ...] = ()  # in cross-attention

    def __post_init__(self) -> None:
        """Link each new entry to this trace's words and to the entries it was computed from."""
        for entry in self._entries.values():
            if entry.whose is None:
                own = replace(self, _entries={})
                made_of = {name: self._entries.get(name) for name in entry.inputs}
                own._entries.update({name: each for name, each in made_of.items() if each})
                object.__setattr__(entry, "whose", own)

    def show(self, name: str = "weights", head: int = 0) -> Picture:
        """Return the board of one entry and head (from 0), where each cell opens with its terms."""
        return self[name].show(head)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The sentence's tokens; for a sentence of a batch, with padding."""
        return self.setup.tokens if self._tokens is None else self._tokens

    @property
    def key_tokens(self) -> tuple[str, ...]:
        """The tokens of keys, values and columns of scores: the memory's, or the sentence's own."""
        return self.memory_tokens or self.tokens

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Each different token once, sorted; for a real model's next word, all its pieces."""
        return self.setup.vocabulary if self._words is None else self._words

    def words_along(self, axis: str) -> tuple[str, ...]:
        """Return the words along an axis, with unique labels; empty for an axis of numbers."""
        if axis in ("token", "query"):
            return labels(self.tokens)
        if axis in ("key", "memory"):
            return labels(self.key_tokens)
        return labels(self.vocabulary) if axis == "word" else ()

    def value(self, name: str) -> Tensor:
        """Return the numbers of one entry."""
        return self._entries[name].value

    @property
    def taken_in(self) -> str:
        """The entry that queries are computed from: x, or with pre-norm in a layer, x normed."""
        return self.made_of("q")

    @property
    def asked(self) -> str:
        """The entry that keys and values are computed from: the same, or memory_x in
        cross-attention."""
        return self.made_of("k")

    def made_of(self, name: str) -> str:
        """Return the first input of an entry such as q, k or v; "x" if it was not computed."""
        call = self._entries[name].call
        return "x" if call is None else call.inputs[0]

    def stages(self, last: str) -> tuple[str, ...]:
        """Return the chain of entries with the same axes that ends at this one, each computed from
        the one before. Copies are left out.

        >>> from ..setup.setup import Setup
        >>> from ..forward.trace import run
        >>> run(Setup(mask="causal")).stages("weights"), run(Setup()).stages("weights")
        (('scores', 'scaled', 'masked', 'weights'), ('scores', 'scaled', 'weights'))
        """
        found, entry = [last], self._entries[last]
        while entry.inputs and self._entries[entry.inputs[0]].dims == entry.dims:
            entry = self._entries[entry.inputs[0]]
            found += [] if isinstance(entry.origin, Copy) else [entry.name]
        return tuple(reversed(found))

    def instead(self, name: str, value: Tensor) -> "Trace":
        """Return a trace with other numbers in one entry and all that depends on it recomputed.

        >>> from ..setup.setup import Setup
        >>> from ..forward.trace import run
        >>> trace = run(Setup(text="a b"))
        >>> trace.instead("scores", 0 * trace.value("scores")).value("weights")[0].tolist()
        [[0.5, 0.5], [0.5, 0.5]]
        """
        made, changed = dict(self._entries), {name}
        made[name] = replace(made[name], stored=value, whose=None)
        for each, entry in self._entries.items():
            if each not in changed and changed.intersection(entry.inputs):
                source = made[entry.inputs[0]].value
                again = entry.call.again(made) if entry.call else source
                made[each] = replace(entry, stored=again, whose=None)
                changed.add(each)
        return replace(self, _entries=made)

    def head_index(self, name: str, head: int) -> tuple[int, ...]:
        """Return the index of one head (from 0) in an entry: the head's own, or its group's, or
        empty if the entry has no heads.

        >>> from ..setup.setup import Setup
        >>> from ..forward.trace import run
        >>> trace = run(Setup(heads=6, kv_heads=2))
        >>> trace.head_index("q", 4), trace.head_index("k", 4), trace.head_index("x", 4)
        ((4,), (1,), ())
        """
        place = self.places(head).get(self._entries[name].dims[0])
        return () if place is None else (place,)

    @property
    def compared(self) -> tuple[str, str]:
        """The names of the queries and keys used in the scores: plain, normed or rotated."""
        return self.setup.compared

    def places(self, head: int) -> dict[str, int]:
        """Return one head (from 0) as an index along each axis of heads."""
        return {"head": head, "kv_head": head // self.setup.group}

    def select_head(self, name: str, head: int) -> Tensor:
        """Return the numbers of an entry that one head (from 0) uses."""
        return self.value(name)[self.head_index(name, head)]

    def at(self, places: Mapping[str, int], *names: str) -> "Trace":
        """Return only these entries, as matrices at one index along each further axis, to show a
        step of one head: {"head": 1}.

        They have no origin: open their cells in the full trace. Raises KeyError if an entry is
        missing.

        >>> from ..setup.setup import Setup
        >>> from ..forward.trace import run
        >>> run(Setup(heads=3)).at({"head": 2}, "scores")["scores"].dims
        ('query', 'key')
        """
        whole = [self._entries[name] for name in names]
        parts = {
            entry.name: Entry(entry.name, entry.symbol, *entry.matrix(places), call=entry.call)
            for entry in whole
        }
        return replace(self, _entries=parts)

    def only(self, names: Container[str]) -> "Trace":
        """Return the trace with only these of its entries, as far as it has them; they keep no
        other in memory."""
        kept = {name: replace(each, whose=None) for name, each in self.items() if name in names}
        return replace(self, _entries=kept)

    def also(
        self, name: str, dims: str, function: Callable[..., Tensor], *inputs: str, **settings: Any
    ) -> "Trace":
        """Return the trace with one more entry, `function` of existing ones, to show more of a
        step.

        `dims` names its axes, as in `TraceBuilder.apply`. It is not part of the forward path, so it
        has no symbol or origin. Raises KeyError if an input is missing.

        >>> from ..ops.attention import shift
        >>> from ..setup.setup import Setup
        >>> from ..forward.trace import run
        >>> run(Setup()).also("shifted", "head query key", shift, "masked")["shifted"].call.inputs
        ('masked',)
        """
        call = Call(function, inputs, settings)
        value = call.again(self._entries)
        entry = Entry(name, name, value, _axes(dims, value.ndim), call=call)
        return replace(self, _entries=self._entries | {name: entry})

    def rounded(self, decimals: int) -> "Trace":
        """Return the trace as computed by hand: each number is rounded and computed from those.

        >>> from ..setup.setup import Setup
        >>> from ..forward.trace import run
        >>> trace = run(Setup(d_model=2, d_k=2)).rounded(1)
        >>> (trace.value("q")[0] @ trace.value("k_t")[0]).allclose(
        ...     trace.value("scores")[0], atol=0.051
        ... )
        True
        """
        made: dict[str, Entry] = {}
        for name, entry in self._entries.items():
            value = entry.value if entry.call is None else entry.call.again(made)
            if value.is_floating_point():
                value = value.round(decimals=decimals)
            made[name] = replace(entry, stored=value, whose=None)
        return replace(self, _entries=made)

    def values(self) -> ValuesView[Entry]:
        """Return the entries; faster than the mapping's own method, which looks up each."""
        return self._entries.values()

    def items(self) -> ItemsView[str, Entry]:
        """Return the entries with their names."""
        return self._entries.items()

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class TraceBuilder:
    """Entries by name, while they are computed. A value with one axis more than its names is a
    batch. With `values_only` they have no calls and origins, which take a third of a small stack's
    time."""

    def __init__(
        self, entries: Mapping[str, Entry] | None = None, values_only: bool = False
    ) -> None:
        self.entries: dict[str, Entry] = dict(entries or {})
        self.values_only = values_only

    def value(self, name: str) -> Tensor:
        """Return the numbers of one entry."""
        return self.entries[name].value

    def has(self, name: str) -> bool:
        """Return whether there is such an entry."""
        return name in self.entries

    def keep(
        self,
        name: str,
        symbol: str,
        value: Tensor,
        dims: str,
        origin: Origin | None = None,
    ) -> Tensor:
        """Record an existing tensor under its name, with axes named in `dims`, and return it."""
        self.entries[name] = Entry(name, symbol, value, _axes(dims, value.ndim), origin)
        return value

    def apply(self, step: Step, *inputs: str, **settings: Any) -> Tensor:
        """Compute a step from existing entries, and record the tensor with its call and origin.

        `settings` are the function's other arguments. Raises KeyError if an input is missing.
        """
        value = step.function(*map(self.value, inputs), **settings)
        made = (
            (None, None)
            if self.values_only
            else (step.origin(*inputs, **settings), Call(step.function, inputs, settings, step))
        )
        self.entries[step.name] = Entry(
            step.name, step.symbol, value, _axes(step.axes, value.ndim), *made
        )
        return value


@lru_cache(maxsize=256)
def _axes(dims: str, count: int) -> tuple[str, ...]:
    """Return the names of this many axes; one more than there are names is the batch's."""
    axes = tuple(dims.split())
    return axes if count == len(axes) else ("sentence", *axes)
