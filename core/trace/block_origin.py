"""The origins of cells computed by a norm or the feed-forward part; see `origin` for the others."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from ..text.written import number, round_as_printed
from .cell import Cell, Index, Origin, Term, Values, float32, ref_of, single


def _say_rounded(value: float, rule: Callable[..., float], *given: float) -> str:
    """Return a note with the result from the printed numbers if it is printed differently."""
    as_printed = number(rule(*map(round_as_printed, given)))
    return (
        ""
        if as_printed == number(value)
        else f" (with these numbers as printed {as_printed}: rounding)"
    )


def say_epsilon(epsilon: float) -> str:
    """Return a norm's ε, the one number that is written with a negative power of ten."""
    return f"{epsilon:g}".replace("e-0", "e−").replace("-", "−")


@dataclass(frozen=True)
class Normalise(Origin):
    """A row's number minus the row's mean, divided by its standard deviation, with gain and shift
    if any.

    Ba, Kiros and Hinton 2016.
    """

    source: str
    epsilon: float
    gain: str | None = None
    shift: str | None = None

    def recompute(self, trace: Values, index: Index) -> Cell:
        ref = ref_of(trace, self.source, index)
        row = trace.value(self.source)[index[:-1]].tolist()
        mean = sum(row) / len(row)
        variance = sum((v - mean) ** 2 for v in row) / len(row)
        spread = (variance + self.epsilon) ** 0.5
        normed = (ref.value - mean) / spread
        # For nearly equal numbers ε dominates, so the divisor is not the standard deviation.
        is_spread = number(spread) == number(variance**0.5)
        what = (
            "its standard deviation"
            if is_spread
            else f"the root of its variance + ε, with ε = {say_epsilon(self.epsilon)},"
        )
        rule = f"less the row's mean {number(mean)}, divided by {what} {number(spread)}"
        rule += _say_rounded(normed, lambda v, m, s: (v - m) / s, ref.value, mean, spread)
        if self.gain is None or self.shift is None:
            return single(ref, rule, normed)
        gain, shift = (ref_of(trace, name, index[-1:]) for name in (self.gain, self.shift))
        terms = (Term((ref, gain), float32(normed * gain.value)), Term((shift,), shift.value))
        rule += f"; times the gain {number(gain.value)}, plus the shift {number(shift.value)}"
        return Cell(terms, normed * gain.value + shift.value, rule)


@dataclass(frozen=True)
class RootMeanSquare(Origin):
    """A row's number divided by the row's root mean square, with a gain if any. Zhang and Sennrich
    2019."""

    source: str
    epsilon: float
    gain: str | None = None

    def recompute(self, trace: Values, index: Index) -> Cell:
        ref = ref_of(trace, self.source, index)
        row = trace.value(self.source)[index[:-1]].tolist()
        mean_square = sum(v**2 for v in row) / len(row)
        root = (mean_square + self.epsilon) ** 0.5
        what = (
            ""
            if number(root) == number(mean_square**0.5)
            else f" + ε, with ε = {say_epsilon(self.epsilon)}"
        )
        rule = f"divided by the root of the row's mean square{what}, {number(root)}"
        normed = ref.value / root
        rule += _say_rounded(normed, lambda v, s: v / s, ref.value, root)
        if self.gain is None:
            return single(ref, rule, normed)
        gain = ref_of(trace, self.gain, index[-1:])
        product = float32(normed * gain.value)
        return Cell(
            (Term((ref, gain), product),), product, f"{rule}; times the gain {number(gain.value)}"
        )


@dataclass(frozen=True)
class Activation(Origin):
    """The same cell of another entry through an activation function: `kind` is relu, gelu,
    gelu_tanh or silu."""

    source: str
    kind: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        ref = ref_of(trace, self.source, index)
        if self.kind == "relu":
            return single(ref, "kept if positive, else 0", max(ref.value, 0.0))
        if self.kind == "silu":
            share = 0.5 * (1 + math.tanh(ref.value / 2))  # the sigmoid, without overflow
            rule = f"times {number(share)}, which is 1 / (1 + e to minus it)"
            return single(ref, rule, ref.value * share)
        bent = ref.value + 0.044715 * ref.value**3
        of_one = (
            math.erf(ref.value / 2**0.5)
            if self.kind == "gelu"
            else math.tanh((2 / math.pi) ** 0.5 * bent)
        )
        share, about = 0.5 * (1 + of_one), "" if self.kind == "gelu" else "about "
        rule = f"times {number(share)}, {about}the share of a normal distribution below it"
        return single(ref, rule, ref.value * share)


@dataclass(frozen=True)
class Times(Origin):
    """The product of the same cell in two entries, gate and source. Shazeer 2020."""

    gate: str
    source: str

    def recompute(self, trace: Values, index: Index) -> Cell:
        gate, source = (ref_of(trace, name, index) for name in (self.gate, self.source))
        product = float32(gate.value * source.value)
        return Cell((Term((gate, source), product),), product, "their product")
