"""A checkpoint's tensors and their conversion to ours, alone or together: a matrix with its bias, a
norm's weights."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from .sizes import Sizes


@dataclass(frozen=True)
class Stored:
    """A tensor of a checkpoint: its name, its shape, and the conversion to ours."""

    name: str
    shape: tuple[int, ...]
    ours: Callable[[Tensor], Tensor] = lambda stored: stored


def linear(s: Sizes, name: str, theirs: str, rows: int, columns: int) -> dict[str, Stored]:
    """Return a matrix stored as (out, in), and its bias if the family has one."""
    w = {f"w_{name}": Stored(f"{theirs}.weight", (rows, columns), lambda w: w.T)}
    return w | ({f"b_{name}": Stored(f"{theirs}.bias", (rows,))} if name[0] in s.biases else {})


def split_heads(
    s: Sizes, name: str, theirs: str, order: Callable[[Tensor], Tensor] = lambda rows: rows
) -> dict[str, Stored]:
    """Return W_q, W_k or W_v of all heads, stored as (out, in), and its bias."""
    heads = s.heads if name == "q" else s.kv_heads
    rows = heads * s.d_k
    w = Stored(
        f"{theirs}.weight",
        (rows, s.d_model),
        lambda w: order(w.unflatten(0, (heads, -1))).transpose(1, 2),
    )
    b = Stored(f"{theirs}.bias", (rows,), lambda b: order(b.unflatten(0, (heads, -1))))
    return {f"w_{name}": w} | ({f"b_{name}": b} if name in s.biases else {})


def pair_rows(rows: Tensor) -> Tensor:
    """Reorder a head's rows, (head, d_k, …), so that the two numbers that rotate together are
    adjacent, as in `attention.rotate`: Llama pairs number i with i + d_k/2. Scores do not depend on
    an order that queries and keys share."""
    return rows.unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)


def gains_of_heads(s: Sizes, theirs: str) -> dict[str, Stored]:
    """Return the gains of the norms of queries and keys, in the order of `pair_rows`."""

    def in_pairs(gain: Tensor) -> Tensor:
        return pair_rows(gain[None])[0]

    return {
        f"gain_{name}": Stored(f"{theirs}.{name}_norm.weight", (s.d_k,), in_pairs) for name in "qk"
    }


def read_masked_lm(s: Sizes, dense: str, norm: str, bias: str) -> dict[str, Stored]:
    """Return the masked-language-model head, without the matrix shared with the table."""
    return {
        "w_fill": Stored(f"{dense}.weight", (s.width, s.d_model), lambda w: w.T),
        "b_fill": Stored(f"{dense}.bias", (s.width,)),
        **norm_of("fill", norm, s.width),
        "b_word": Stored(bias, (s.words,)),
    }


def norm_of(which: str, theirs: str, size: int) -> dict[str, Stored]:
    """Return gain and shift of a layer norm."""
    return gain_of(which, theirs, size) | {f"shift_{which}": Stored(f"{theirs}.bias", (size,))}


def gain_of(which: str, theirs: str, size: int) -> dict[str, Stored]:
    """Return the gain of a norm."""
    return {f"gain_{which}": Stored(f"{theirs}.weight", (size,))}
