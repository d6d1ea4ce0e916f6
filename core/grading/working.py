"""The right steps from what is given, in double precision by core's own functions; the same from
somebody's own numbers, or with a slip put in; and how far numbers may be off that were rounded on
the way."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from .. import attention, heads, masks, norms, weights
from ..importing.values import Given
from ..setup import Setup
from ..trace import Trace, run

Numbers = dict[str, Tensor]
ORDER = ("q", "k", "v", "scores", "scaled", "masked", "weights", "context", "concat", "output")
FROM = {
    "q": (),
    "k": (),
    "v": (),
    "scores": ("q", "k"),
    "scaled": ("scores",),
    "masked": ("scaled",),
    "weights": ("masked",),
    "context": ("weights", "v"),
    "concat": ("context",),
    "output": ("concat",),
}


def as_it_is(vectors: Tensor) -> Tensor:
    """Return what is not turned by its place."""
    return vectors


@dataclass(frozen=True)
class Start:
    """Where a solution starts: what is given, in double precision, by name; what scores are divided
    by; who may look at whom.

    Queries and keys go through `turn_q` and `turn_k` before they meet, which norm and turn them
    where the setup does, and else do nothing. `precise` says how far, of its size, a right number
    may be off.
    """

    given: Mapping[str, Tensor]
    divisor: float
    may_attend: Tensor
    turn_q: Callable[[Tensor], Tensor] = field(default=as_it_is)
    turn_k: Callable[[Tensor], Tensor] = field(default=as_it_is)
    precise: float = 1e-9

    @property
    def sizes(self) -> dict[str, int]:
        """How long each axis is."""
        q, v = project(self, "q"), project(self, "v")
        sizes = {
            "head": q.shape[0],
            "token": q.shape[1],
            "d_k": q.shape[2],
            "kv_head": v.shape[0],
            "key": v.shape[1],
            "d_v": v.shape[2],
        }
        wide = sizes["head"] * sizes["d_v"]
        model = self.given["x"].shape[-1] if "x" in self.given else wide
        return sizes | {
            "head·d_v": wide,
            "out": self.given["w_o"].shape[-1] if "w_o" in self.given else wide,
            "d_model": model,
        }


def start_of(source: Given | Setup | Trace) -> Start:
    """Return where a solution starts, of numbers that are given, of a setup, or of what ran. Raises
    ValueError for a bare table."""
    if isinstance(source, Given):
        if "token" not in source.sizes:
            raise ValueError("A table says no sentence: bring X, a row for each word of it.")
        given = {name: source.tensor(name, torch.float64) for name in source.names}
        sizes = source.sizes
        open_to_all = masks.everyone(sizes["token"], sizes["key"])
        return Start(given, source.divisor, source.tensor("mask") if source.mask else open_to_all)
    if isinstance(source, Setup):
        source = run(source)
    setup = source.setup
    names = ("x", "memory_x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "w_o", "b_o")
    given = {name: source.value(name).double() for name in names if name in source}
    if "normed_1" in source:
        given["x"] = source.value("normed_1").double()
    divisor = setup.temperature * (1.0 if setup.scale == "none" else setup.d_k**0.5)
    turn = {}
    if setup.turns:
        angles = source.value("angles").double()
        of_keys = source.value("memory_angles").double() if "memory_angles" in source else angles
        turn = {
            "turn_q": lambda q: attention.rotate(q, angles),
            "turn_k": lambda k: attention.rotate(k, of_keys),
        }
    if setup.norms_heads:
        ways = {
            name: _normed_first(source, name, turn.get(f"turn_{name}", as_it_is)) for name in "qk"
        }
        turn = {f"turn_{name}": way for name, way in ways.items()}
    if "w_q" not in given and "q" in source:
        given |= {name: source.value(name).double() for name in "qkv"}
    return Start(given, divisor, weights.may_attend_in_steps(setup), precise=3e-6, **turn)


def _normed_first(
    source: Trace, name: str, turn: Callable[[Tensor], Tensor]
) -> Callable[[Tensor], Tensor]:
    gain, epsilon = source.value(f"gain_{name}").double(), source.setup.epsilon
    return lambda vectors: turn(norms.rms_norm_with_gain(vectors, gain, epsilon))


# ---------- the steps ----------


def project(start: Start, name: str, w: str = "") -> Tensor:
    """Return queries, keys or values: those that are given, else what their matrix makes of the
    input; (head, token, size)."""
    given = start.given
    if name in given:
        return given[name]
    x = given["memory_x"] if name in "kv" and "memory_x" in given else given["x"]
    weight = w or f"w_{name}"
    if weight not in given:
        return heads.as_one_head(x)
    return attention.project(x, given[weight], given.get(weight.replace("w", "b")))


def meet(start: Start, q: Tensor, k: Tensor) -> Tensor:
    """Return the score of each query (head, token, d_k) with each key (kv_head, key, d_k)."""
    return heads.scores_in_groups(start.turn_q(q), attention.transpose(start.turn_k(k)))


def _output(start: Start, of: Mapping[str, Tensor]) -> Tensor:
    given = start.given
    return (
        heads.combine(of["concat"], given["w_o"], given.get("b_o"))
        if "w_o" in given
        else of["concat"]
    )


_STEPS: dict[str, Callable[[Start, Mapping[str, Tensor]], Tensor]] = {
    "q": lambda start, of: project(start, "q"),
    "k": lambda start, of: project(start, "k"),
    "v": lambda start, of: project(start, "v"),
    "scores": lambda start, of: meet(start, of["q"], of["k"]),
    "scaled": lambda start, of: attention.temper(of["scores"], start.divisor),
    "masked": lambda start, of: attention.mask(of["scaled"], start.may_attend),
    "weights": lambda start, of: attention.softmax_or_zeros(of["masked"]),
    "context": lambda start, of: heads.mix_in_groups(of["weights"], of["v"]),
    "concat": lambda start, of: heads.concatenate(of["context"]),
    "output": _output,
}


def step(start: Start, name: str, of: Mapping[str, Tensor]) -> Tensor:
    """Return one step made of those before it."""
    return _STEPS[name](start, of)


def worked(start: Start, own: Mapping[str, Tensor] | None = None) -> Numbers:
    """Return every step by name; those in `own` are taken as they are, and what comes after is made
    of them."""
    made: Numbers = {}
    for name in ORDER:
        made[name] = own[name] if own and name in own else step(start, name, made)
    return made


# ---------- rounded on the way ----------


def allowed(
    start: Start, of: Mapping[str, Tensor], units: Mapping[str, Tensor], half: float
) -> Numbers:
    """Return how far each number may be off its step's result, where those before it are rounded.

    `units` are half a unit of the last place of the steps that were written down; the others are
    rounded to `half`.
    """
    off: Numbers = {}
    for name in ORDER:
        before = {}
        for earlier in FROM[name]:
            exact = earlier in start.given  # Q, K and V that are given are not rounded by anybody
            before[earlier] = off[earlier] if exact else units.get(earlier, off[earlier] + half)
        off[name] = (
            _OFF[name](start, of, before, half) if name in _OFF else torch.zeros_like(of[name])
        )
    return off


def _off_scores(
    start: Start, of: Mapping[str, Tensor], before: Mapping[str, Tensor], half: float
) -> Tensor:
    many = of["q"].shape[-3]
    turned = {"q": start.turn_q(of["q"]), "k": start.turn_k(of["k"])}
    # A norm makes rows longer or shorter, and so what they are off by.
    longer = {
        name: each.norm(dim=-1, keepdim=True) / of[name].norm(dim=-1, keepdim=True).clamp(min=1e-9)
        for name, each in turned.items()
    }
    q, k = turned["q"].abs(), heads.share(attention.transpose(turned["k"]), many).abs()
    off_q, off_k = (
        before["q"] * longer["q"],
        heads.share(attention.transpose(before["k"] * longer["k"]), many),
    )
    return off_q @ k + q @ off_k + off_q @ off_k


def _off_scaled(
    start: Start, of: Mapping[str, Tensor], before: Mapping[str, Tensor], half: float
) -> Tensor:
    of_root = (
        0.0 if start.divisor.is_integer() else min(0.05, half / start.divisor)
    )  # √3 is 1.73 to many
    return before["scores"] / start.divisor + of["scaled"].abs() * of_root


def _off_weights(
    start: Start, of: Mapping[str, Tensor], before: Mapping[str, Tensor], half: float
) -> Tensor:
    weights, masked = of["weights"], of["masked"]
    off = before["masked"].amax(dim=-1, keepdim=True).clamp(max=20)
    total = masked.exp().sum(dim=-1, keepdim=True).clamp(min=0.05)
    of_powers = half * (1 + weights * weights.shape[-1]) / total
    # At worst its own score is off one way and all others the other way: w to 1 − w is then e^(2
    # off) times as much, or as little.
    most = torch.exp(2 * off)
    up, down = (
        weights * most / (weights * most + 1 - weights),
        weights / (weights + (1 - weights) * most),
    )
    return (torch.maximum(up - weights, weights - down) + of_powers).clamp(max=1)


def _off_context(
    start: Start, of: Mapping[str, Tensor], before: Mapping[str, Tensor], half: float
) -> Tensor:
    weights, off = of["weights"], before["weights"]
    v, off_v = (heads.share(one, weights.shape[-3]) for one in (of["v"].abs(), before["v"]))
    return off @ v + weights.abs() @ off_v + off @ off_v


_OFF: dict[str, Callable[[Start, Mapping[str, Tensor], Mapping[str, Tensor], float], Tensor]] = {
    "scores": _off_scores,
    "scaled": _off_scaled,
    "masked": lambda start, of, before, half: (before["scaled"] - half).clamp(
        min=0
    ),  # nobody rounds them once more
    "weights": _off_weights,
    "context": _off_context,
    "concat": lambda start, of, before, half: heads.concatenate(before["context"]),
    "output": lambda start, of, before, half: (
        before["concat"] @ start.given["w_o"].abs() if "w_o" in start.given else before["concat"]
    ),
}
