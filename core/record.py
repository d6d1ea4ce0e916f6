"""Tensors by name, each with its axes and with what made it: data, nothing is decided here."""

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from torch import Tensor

from .cell import Origin
from .names import HALVES, full
from .origin import Copy
from .setup import Setup
from .step import Call, Step
from .text import labels

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Entry:
    """One tensor: its name and symbol, its numbers, what its axes are, and how a cell is made.

    `origin` is None for weights, drawn or trained: there is nothing further back. `call` is the
    function that made all cells at once; None for what was drawn, counted or taken over as it is.
    What a page adds by `Trace.also` has a call alone.

    A model that is read may have its weights in halves, numbers of 16 bits: so they are `stored`,
    and `value` makes float32 of them whenever it is asked for. The matrix of all its pieces is too
    large for that: of it, take the columns first.
    """

    name: str
    symbol: str
    stored: Tensor
    dims: tuple[str, ...]
    origin: Origin | None = None
    call: Call | None = None
    whose: "Trace | None" = field(default=None, repr=False, compare=False)  # its words, no entries

    @property
    def value(self) -> Tensor:
        """Its numbers."""
        is_read_in_halves = self.stored.dtype in HALVES and "word" not in self.dims
        return self.stored.float() if is_read_in_halves else self.stored

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the entries that it is made of."""
        if self.call is not None:
            return self.call.inputs
        return (self.origin.source,) if isinstance(self.origin, Copy) else ()

    def matrix(self, at: Mapping[str, int]) -> tuple[Tensor, tuple[str, ...]]:
        """Return its numbers as rows and columns, and what these count, at one place along each
        further axis: {"head": 1}, from 0.

        A place along an axis that it does not have changes nothing. What has one axis is a single
        row, which counts nothing.

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

    def frame(self, head: int = 0) -> "pd.DataFrame":
        """Return its numbers as a DataFrame with the words on its axes; of an entry with heads,
        those of one (from 0). Of a batch, take one sentence first.

        >>> from .setup import Setup
        >>> from .trace import run
        >>> trace = run(Setup(text="the cat the", d_model=2))
        >>> trace["weights"].frame(head=1).round(2)  # doctest: +NORMALIZE_WHITESPACE
        key    the₁   cat  the₃
        query
        the₁   0.38  0.25  0.38
        cat    0.33  0.34  0.33
        the₃   0.38  0.25  0.38
        """
        import pandas as pd  # forty megabytes: for who wants a frame

        own = self.whose
        value, dims = self.matrix({"head": head} if own is None else own.places(head))
        if value.ndim > 2:
            raise ValueError(f"{self.name} has more than two axes: {', '.join(self.dims)}")
        rows, columns = (
            pd.Index(words or range(1, size + 1), name=axis or None)
            for axis, size in zip(dims, value.shape, strict=True)
            for words in [() if own is None else own.words_along(axis)]
        )
        return pd.DataFrame(value.numpy(), rows if dims[0] else [self.name], columns)


@dataclass(frozen=True, eq=False)
class Trace(Mapping[str, Entry]):
    """Read-only mapping from name to entry, in the order of the derivation."""

    setup: Setup
    _entries: dict[str, Entry] = field(default_factory=dict, repr=False)
    _tokens: tuple[str, ...] | None = None  # where it is not the setup's first sentence
    _words: tuple[str, ...] | None = None  # where they are not the setup's vocabulary
    memory_tokens: tuple[str, ...] = ()  # the sentence that is asked, where it is another

    def __post_init__(self) -> None:
        """Tell each entry that is new whose words stand along its axes."""
        new = [entry for entry in self._entries.values() if entry.whose is None]
        own = replace(self, _entries={}) if new else None
        for entry in new:
            object.__setattr__(entry, "whose", own)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The sentence, cut up; one of a batch with its padding."""
        return self.setup.tokens if self._tokens is None else self._tokens

    @property
    def key_tokens(self) -> tuple[str, ...]:
        """The tokens that are asked, to which keys, values and columns of scores belong: the
        memory's, or the sentence's own."""
        return self.memory_tokens or self.tokens

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Each different token once, sorted; of what a model that is read may say next, all its
        pieces."""
        return self.setup.vocabulary if self._words is None else self._words

    def words_along(self, axis: str) -> tuple[str, ...]:
        """Return the words that stand along an axis, each with a name of its own; none along one
        that counts."""
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
        """The entry that queries are made of: x, or x normed where a layer has its norm before
        attention."""
        return self.made_of("q")

    @property
    def asked(self) -> str:
        """The entry that keys and values are made of: the same, or memory_x where another sentence
        is asked."""
        return self.made_of("k")

    def made_of(self, name: str) -> str:
        """Return the entry that q, k or v is made of, or what is made of these."""
        call = self._entries[name].call
        return "x" if call is None else call.inputs[0]

    def stages(self, last: str) -> tuple[str, ...]:
        """Return the entries of the same axes that lead up to one, each made of the one before it.
        What is only a copy is left out.

        >>> from .setup import Setup
        >>> from .trace import run
        >>> run(Setup(mask="causal")).stages("weights"), run(Setup()).stages("weights")
        (('scores', 'scaled', 'masked', 'weights'), ('scores', 'scaled', 'weights'))
        """
        found, entry = [last], self._entries[last]
        while entry.inputs and self._entries[entry.inputs[0]].dims == entry.dims:
            entry = self._entries[entry.inputs[0]]
            found += [] if isinstance(entry.origin, Copy) else [entry.name]
        return tuple(reversed(found))

    def instead(self, name: str, value: Tensor) -> "Trace":
        """Return the same with other numbers in one entry, and all that is made of it made again.

        >>> from .setup import Setup
        >>> from .trace import run
        >>> trace = run(Setup(text="a b"))
        >>> trace.instead("scores", 0 * trace.value("scores")).value("weights")[0].tolist()
        [[0.5, 0.5], [0.5, 0.5]]
        """
        made, changed = dict(self._entries), {name}
        made[name] = replace(made[name], stored=value)
        for each, entry in self._entries.items():
            if each not in changed and changed.intersection(entry.inputs):
                source = made[entry.inputs[0]].value
                again = entry.call.again(made) if entry.call else source
                made[each] = replace(entry, stored=again)
                changed.add(each)
        return replace(self, _entries=made)

    def head_index(self, name: str, head: int) -> tuple[int, ...]:
        """Return where the numbers of one head (from 0) begin in an entry: at its own place, at
        that of its group where the group shares them, nowhere where heads have none of their own.

        >>> from .setup import Setup
        >>> from .trace import run
        >>> trace = run(Setup(heads=6, kv_heads=2))
        >>> trace.head_index("q", 4), trace.head_index("k", 4), trace.head_index("x", 4)
        ((4,), (1,), ())
        """
        place = self.places(head).get(self._entries[name].dims[0])
        return () if place is None else (place,)

    @property
    def compared(self) -> tuple[str, str]:
        """The names of the queries and the keys that scores are made of: as they are, normed or
        turned."""
        return self.setup.compared

    def places(self, head: int) -> dict[str, int]:
        """Return one head (from 0) along each axis that tells heads apart."""
        return {"head": head, "kv_head": head // self.setup.group}

    def select_head(self, name: str, head: int) -> Tensor:
        """Return the numbers of an entry that one head (from 0) works with."""
        return self.value(name)[self.head_index(name, head)]

    def at(self, places: Mapping[str, int], *names: str) -> "Trace":
        """Return these entries alone, as matrices at one place along each further axis, to look
        into a step of one head: {"head": 1}.

        Their cells are opened in the whole trace: here they have no origin. Raises KeyError where
        an entry is not there.

        >>> from .setup import Setup
        >>> from .trace import run
        >>> run(Setup(heads=3)).at({"head": 2}, "scores")["scores"].dims
        ('query', 'key')
        """
        whole = [self._entries[name] for name in names]
        parts = {
            entry.name: Entry(entry.name, entry.symbol, *entry.matrix(places), call=entry.call)
            for entry in whole
        }
        return replace(self, _entries=parts)

    def also(
        self, name: str, dims: str, function: Callable[..., Tensor], *inputs: str, **settings: Any
    ) -> "Trace":
        """Return the same with one entry more, for whoever looks into a step: what `function` makes
        of entries that are there.

        Its axes are named in `dims`, as for `Record.apply`. The forward path goes on without it, so
        it has neither a symbol of its own nor an origin that opens its cells. Raises KeyError where
        an input is not there.

        >>> from .attention import shift
        >>> from .setup import Setup
        >>> from .trace import run
        >>> run(Setup()).also("shifted", "head query key", shift, "masked")["shifted"].call.inputs
        ('masked',)
        """
        call = Call(function, inputs, settings)
        value = call.again(self._entries)
        entry = Entry(name, name, value, _axes(dims, value.ndim), call=call)
        return replace(self, _entries=self._entries | {name: entry})

    def rounded(self, decimals: int) -> "Trace":
        """Return the same as it is made by hand: each number is rounded, and made of rounded ones.

        >>> from .setup import Setup
        >>> from .trace import run
        >>> trace = run(Setup(d_model=2, d_k=2)).rounded(1)
        >>> (trace.value("q")[0] @ trace.value("k_t")[0]).allclose(
        ...     trace.value("scores")[0], atol=0.051
        ... )
        True
        """
        made: dict[str, Entry] = {}
        for name, entry in self._entries.items():
            value = entry.value if entry.call is None else entry.call.again(made)
            made[name] = replace(
                entry, stored=value.round(decimals=decimals) if value.is_floating_point() else value
            )
        return replace(self, _entries=made)

    def values(self) -> ValuesView[Entry]:
        """Return the entries; a mapping's own would look up one after the other."""
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


class Record:
    """Entries as they are made, one from the other, by name. A value with one axis more than its
    names is a batch."""

    def __init__(self, entries: Mapping[str, Entry] | None = None) -> None:
        self.entries: dict[str, Entry] = dict(entries or {})

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
        """Keep a tensor that is there already under its name, its axes named in `dims`, and hand it
        on."""
        self.entries[name] = Entry(name, symbol, value, _axes(dims, value.ndim), origin)
        return value

    def apply(self, step: Step, *inputs: str, **settings: Any) -> Tensor:
        """Make a tensor by a step from entries that are there, and keep it with what made it.

        `settings` are the function's other arguments. Raises KeyError where an input is not there
        yet.
        """
        value = step.function(*(self.entries[name].value for name in inputs), **settings)
        self.entries[step.name] = Entry(
            step.name,
            step.symbol,
            value,
            _axes(step.axes, value.ndim),
            step.origin(*inputs, **settings),
            Call(step.function, inputs, settings, step),
        )
        return value


class Numbers(Record):
    """The same steps, where nobody asks afterwards what made a tensor: to keep that takes a third
    of a small stack's time."""

    def __init__(self) -> None:
        self.numbers: dict[str, Tensor] = {}

    def value(self, name: str) -> Tensor:
        """Return the numbers of one step."""
        return full(self.numbers[name])

    def has(self, name: str) -> bool:
        """Return whether there are numbers of that step."""
        return name in self.numbers

    def keep(
        self,
        name: str,
        symbol: str,
        value: Tensor,
        dims: str,
        origin: Origin | None = None,
    ) -> Tensor:
        """Keep the numbers alone, and hand them on."""
        self.numbers[name] = value
        return value

    def apply(self, step: Step, *inputs: str, **settings: Any) -> Tensor:
        """Make the numbers of one step from those that are there. Raises KeyError where an input is
        not there yet."""
        return self.keep(
            step.name, step.symbol, step.function(*map(self.value, inputs), **settings), step.axes
        )


@lru_cache(maxsize=256)
def _axes(dims: str, count: int) -> tuple[str, ...]:
    """Return the names of so many axes; one more than there are names is the batch's."""
    axes = tuple(dims.split())
    return axes if count == len(axes) else ("sentence", *axes)
