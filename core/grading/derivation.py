"""The steps that a solution is checked against: those of the one forward path, in double precision,
each of which can be made again from other numbers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from ..fields.user_matrices import UserMatrices
from ..forward.trace import attend_with, run
from ..importing.solution import STEPS
from ..layers import steps
from ..ops.weight_names import PROJECTED
from ..setup.setup import Setup
from ..trace.origin import Concat, Copy, Mask, Scale, Softmax, Transpose
from ..trace.record import Entry, Trace, TraceBuilder

Numbers = Mapping[str, Tensor]  # entries' tensors by name
TAKEN_OVER = (Copy, Mask, Concat, Transpose)  # makes numbers that nobody rounds once more
MAX_SAMPLES, FEWEST_SAMPLES = 64, 8  # ways to round that are tried
MAX_NUMBERS = 2_000_000  # of the weights of all samples
LARGE = 1e6  # a power of e beside which rounding is nothing
SMALLEST_SUM = 0.05  # of a row of powers of e that is rounded to as many decimals as others


def derive(source: UserMatrices | Setup | Trace) -> "Derivation":
    """Return the steps of numbers that are given, of a setup, or of what ran. Raises ValueError for
    a bare table."""
    if isinstance(source, UserMatrices):
        return Derivation(_attend(source))
    return Derivation(_to_double(run(source) if isinstance(source, Setup) else source), 3e-6)


@dataclass(frozen=True)
class Derivation:
    """All entries of a trace in double precision, and how each is made again of others.

    `precise` says how far, of its size, a right number may be off.
    """

    trace: Trace
    precise: float = 1e-9

    @cached_property
    def values(self) -> Numbers:
        """The right numbers of every entry."""
        return {name: entry.value for name, entry in self.trace.items()}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How long each axis of a solution's steps is."""
        found = {}
        if self.inputs("q"):  # where queries are given, nothing says what they were made of
            found["d_model"] = self.values[self.source("q")].shape[-1]
        for name, axes in STEPS.items():
            found |= zip(axes, self.values[name].shape, strict=True)
        return found

    @property
    def divisor(self) -> float:
        """What scores are divided by."""
        origin = self.trace["scaled"].origin
        assert isinstance(origin, Scale)
        return origin.divisor

    @property
    def may_attend(self) -> Tensor:
        """Where each query may look: (query, key)."""
        return self.values["masked"][0].isfinite()

    @property
    def samples(self) -> int:
        """How many ways to round are tried: fewer where there are many numbers."""
        many = MAX_NUMBERS // self.values["weights"].numel()
        return min(MAX_SAMPLES, max(FEWEST_SAMPLES, many))

    def source(self, name: str) -> str:
        """Return the entry whose rows queries, keys or values are made of."""
        return self.trace.made_of(name)

    def inputs(self, name: str) -> tuple[str, ...]:
        """Return the entries that one is made of; none for what is given."""
        return self.trace[name].inputs

    def earlier(self, name: str) -> list[str]:
        """Return the nearest steps of a solution that a step is made of: q and k of scores."""
        found: dict[str, None] = {}
        for each in self.inputs(name):
            found |= dict.fromkeys([each] if each in STEPS else self.earlier(each))
        return list(found)

    def unwritten(self, name: str, written: Collection[str] = ()) -> list[str]:
        """Return a step and those before it that were not written down on the way to it, in their
        order."""
        reach, ahead = {name}, self.earlier(name)
        while ahead:
            step = ahead.pop()
            if step not in written and step not in reach:
                reach.add(step)
                ahead += self.earlier(step)
        return [step for step in STEPS if step in reach]

    def make(self, name: str, of: Numbers) -> Tensor:
        """Make one entry again of others. A query that may look nowhere has weights of 0."""
        inputs, call = [of[each] for each in self.inputs(name)], self.trace[name].call
        made = inputs[0] if call is None else call.function(*inputs, **call.settings)
        return made.nan_to_num(0.0) if isinstance(self.trace[name].origin, Softmax) else made

    def follow(
        self, of: Numbers, changed: Numbers, last: str, written: Collection[str] = ()
    ) -> dict[str, Tensor]:
        """Return the entries with some changed, and what is made of these made again, up to the
        `last`. What was `written` before that stays."""
        values, new = {**of, **changed}, set(changed)
        for name in self.trace:
            stays = name in changed or (name in written and name != last)
            if not stays and new.intersection(self.inputs(name)):
                values[name] = self.make(name, values)
                new.add(name)
            if name == last:
                break
        return values

    def rounding(self, last: str, of: Numbers, written: Numbers, half: float) -> Tensor:
        """Return how far a step may be off where numbers are rounded on the way to it.

        All of them are put off one way or the other, at random and many times, and the steps made
        of such numbers. A step that was `written` is off by so much, and any other by `half`.
        """
        values, rounded = dict(of), _Rounded(half, self.samples)
        for name, entry in self.trace.items():
            if name in written and name != last:
                values[name] = rounded.put_off(of[name], of[name], written[name])
            elif self.inputs(name):
                made = self.make(name, {**values, **rounded.inside(entry, values)})
                values[name] = made = made * rounded.root(entry)
                if name == last:
                    off = (made - self.make(name, of)).abs().nan_to_num(0.0)
                    return off.broadcast_to((self.samples, *of[name].shape)).amax(dim=0)
                if not isinstance(entry.origin, TAKEN_OVER):
                    values[name] = rounded.put_off(made, of[name], half)
        return torch.zeros_like(of[last])


class _Rounded:
    """Puts numbers off as rounding may do: many tensors in place of one, along a first axis of
    their own."""

    def __init__(self, half: float, samples: int) -> None:
        self.half, self.samples, self.random = half, samples, torch.Generator().manual_seed(0)

    def put_off(self, value: Tensor, like: Tensor, by: Tensor | float) -> Tensor:
        """Return a tensor, or many like one, with each number so much larger or smaller."""
        return value + by * (
            2.0 * torch.randint(2, (self.samples, *like.shape), generator=self.random) - 1
        )

    def inside(self, entry: Entry, values: Numbers) -> Numbers:
        """Return what goes into a softmax so that its powers of e are put off."""
        if not isinstance(entry.origin, Softmax):
            return {}
        masked = values[entry.origin.source]
        powers = masked.exp()
        share = (powers.sum(dim=-1, keepdim=True) / SMALLEST_SUM).clamp(max=1)
        by = torch.where(powers > 0, self.half * share, 0.0)
        put_off = self.put_off(powers, powers[-1] if powers.ndim > 3 else powers, by)
        logs = put_off.clamp(min=0).log()
        return {entry.origin.source: torch.where(powers < LARGE, logs, masked)}

    def root(self, entry: Entry) -> Tensor | float:
        """Return by what scaled scores are off where √3 is 1.73."""
        if not isinstance(entry.origin, Scale) or float(entry.origin.divisor).is_integer():
            return 1.0
        by = min(0.05, self.half / entry.origin.divisor)
        return self.put_off(torch.ones(()), torch.ones(1, 1, 1), by)


# ---------- in double precision ----------


def _attend(given: UserMatrices) -> Trace:
    """Return attention with numbers that are given."""
    if "token" not in given.sizes:
        raise ValueError("A table says no sentence: bring X, a row for each word of it.")
    sizes, weights = given.sizes, {name: given.tensor(name, torch.float64) for name in given.names}
    everyone = torch.ones(sizes["token"], sizes["key"], dtype=torch.bool)
    return attend_with(weights, given.tensor("mask") if given.mask else everyone, given.divisor)


def _to_double(trace: Trace) -> Trace:
    """Return what a trace holds of attention, made again in double precision of what goes in."""
    whole, leaves = Derivation(trace), {trace.made_of(name) for name in PROJECTED}
    needed = {*STEPS, *leaves}
    for name in reversed(list(trace)):
        needed.update(whole.inputs(name) if name in needed - leaves else ())
    entries = {name: _entry_to_double(entry) for name, entry in trace.items() if name in needed}
    entries |= {name: replace(entries[name], call=None, origin=None) for name in leaves}
    if trace.setup.scale == "fourth-root":  # by hand scores are divided, once
        record, setup = TraceBuilder(entries), trace.setup
        size = {"d_k": setup.d_k, "temperature": setup.temperature}
        record.apply(steps.SCALED["sqrt"], "scores", **size)
        entries = record.entries
    first = Derivation(replace(trace, _entries=entries))
    given = {each for name in PROJECTED for each in first.inputs(name) or (name,)}
    made = first.follow(first.values, {name: first.values[name] for name in given}, "output")
    return replace(
        trace, _entries={name: replace(each, stored=made[name]) for name, each in entries.items()}
    )


def _entry_to_double(entry: Entry) -> Entry:
    value = entry.value
    return replace(entry, stored=value.double() if value.is_floating_point() else value)
