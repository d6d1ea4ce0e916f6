"""The tensors of a model by our names: where a checkpoint has them, and how they become ours.

A tensor is transposed or split as a view, without a copy. Matrices are stored as (out, in); GPT-2's
as (in, out) like ours, with W_q, W_k and W_v of all heads in one. Rotary families' W_q and W_k need
another column order, which copies them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from .families import Family
from .sizes import Sizes


@dataclass(frozen=True)
class Stored:
    """A tensor of a checkpoint: its name, its shape, and the conversion to ours."""

    name: str
    shape: tuple[int, ...]
    ours: Callable[[Tensor], Tensor] = lambda stored: stored


def list_around(family: Family, s: Sizes) -> dict[str, Stored]:
    """Return the tensors of X and of the norm after the last block, as far as the family has them:
    embedding_table (word, width), positions (place, width), part (part, width), gain_0 and shift_0
    (width,); if the table is narrower, w_in (width, d_model) and b_in project to X; gain_top and
    shift_top (d_model,)."""
    names = family.inputs
    found = {"embedding_table": Stored(f"{names['embedding_table']}.weight", (s.words, s.width))}
    if "positions" in names:
        found["positions"] = Stored(
            f"{names['positions']}.weight",
            (s.first + s.places, s.width),
            lambda rows: rows[s.first :],
        )
    if "part" in names:
        found["part"] = Stored(f"{names['part']}.weight", (s.parts, s.width))
    if "0" in names:
        found |= _norm(family, "0", names["0"], s.width)
    if s.table:
        found["w_in"] = Stored(f"{names['in']}.weight", (s.d_model, s.width), lambda w: w.T)
        found["b_in"] = Stored(f"{names['in']}.bias", (s.d_model,))
    return found | (_norm(family, "top", family.top, s.d_model) if family.top else {})


def list_layer(family: Family, s: Sizes, n: int) -> dict[str, Stored]:
    """Return the tensors of block n, from 1: the weights of `block.WEIGHTS` and `model.project` by
    name."""
    at = f"{family.block}.{n - 1}."
    found: dict[str, Stored] = {}
    for name, theirs in family.linear.items():
        found |= _matrix(family, s, name, at + theirs)
    for which, theirs in family.norms.items():
        size = s.d_k if which in "qk" else s.d_model
        found |= _norm(family, which, at + theirs, size)
    if "distances" in family.inputs:  # the same in each block
        found["distances"] = Stored(f"{family.inputs['distances']}.weight", (32, s.heads))
    return found


def list_filling(family: Family, s: Sizes) -> dict[str, Stored]:
    """Return the masked-language-model head, without the unembedding: w_fill (d_model, width),
    b_fill, gain_fill and shift_fill (width,), b_word (word,). Empty for a family without one."""
    if not family.filled:
        return {}
    dense, norm, bias = family.filled
    return {
        "w_fill": Stored(f"{dense}.weight", (s.width, s.d_model), lambda w: w.T),
        "b_fill": Stored(f"{dense}.bias", (s.width,)),
        **_norm(family, "fill", norm, s.width),
        "b_word": Stored(bias, (s.words,)),
    }


def _matrix(family: Family, s: Sizes, name: str, theirs: str) -> dict[str, Stored]:
    """Return a matrix, (in, out), or W_q, W_k or W_v of all heads, (head, d_model, size), and its
    bias if it has one."""
    of_heads, heads = name in "qkv", s.kv_heads if name in "kv" else s.heads
    given = {"o": s.heads * s.d_k, "2": s.d_ff}.get(name, s.d_model)
    made = heads * s.d_k if of_heads else s.d_model if name in "o2" else s.d_ff
    is_third = of_heads and family.fused
    stored = 3 * made if is_third else made

    def ours(rows: Tensor) -> Tensor:
        rows = rows.chunk(3)["qkv".index(name)] if is_third else rows
        rows = rows.unflatten(0, (heads, -1)) if of_heads else rows
        return pair_rows(rows) if family.positions == "rotary" and name in "qk" else rows

    shape = (given, stored) if family.fused else (stored, given)
    w = Stored(f"{theirs}.weight", shape, lambda w: ours(w.T if family.fused else w).mT)
    b = {f"b_{name}": Stored(f"{theirs}.bias", (stored,), ours)} if name[0] in s.biases else {}
    return {f"w_{name}": w} | b


def _norm(family: Family, which: str, theirs: str, size: int) -> dict[str, Stored]:
    """Return the gain of a norm, and the shift of a layer norm."""
    ours = (lambda gain: pair_rows(gain[None])[0]) if which in "qk" else (lambda gain: gain)
    gain = {f"gain_{which}": Stored(f"{theirs}.weight", (size,), ours)}
    shift = {f"shift_{which}": Stored(f"{theirs}.bias", (size,))}
    return gain | (shift if family.norm_kind == "layer" else {})


def pair_rows(rows: Tensor) -> Tensor:
    """Reorder a head's rows, (head, d_k, …), so that the two numbers that rotate together are
    adjacent, as in `attention.rotate`: Llama pairs number i with i + d_k/2. Scores do not depend on
    an order that queries and keys share."""
    return rows.unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)
