"""A block from PyTorch's own functions, which none of our steps calls: another way to the same
numbers."""

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from .setup import Setup

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "swiglu": F.silu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
}


def band(setup: Setup, tokens: int) -> Tensor | None:
    """Return where the setup's mask lets a query look, a band around the diagonal or as it is
    given: (query, key). None where it looks everywhere."""
    if setup.mask == "none":
        return None
    if setup.numbers is not None and setup.mask == "given":
        rows, keys = torch.tensor(setup.numbers.mask), len(setup.memory_tokens) or tokens
        is_of_another = (
            not setup.memory and len(rows) != rows.shape[1]
        )  # and this sentence is alone
        return (
            None
            if is_of_another
            else F.pad(rows, (0, keys - rows.shape[1], 0, tokens - len(rows)), value=True)
        )
    below, above = (
        (setup.window if setup.has_window else tokens),
        (0 if setup.is_causal else setup.window),
    )
    return torch.ones(tokens, tokens, dtype=torch.bool).triu(-below).tril(above)


def factor(setup: Setup) -> float:
    """Return what PyTorch multiplies the scores with."""
    return (1.0 if setup.scale == "none" else setup.d_k**-0.5) / setup.temperature


def attention(setup: Setup, q: Tensor, k: Tensor, v: Tensor, may_attend: Tensor | None) -> Tensor:
    """Return what PyTorch's attention mixes: q (…, head, query, d_k), k (…, kv_head, key, d_k), v
    (…, kv_head, key, size), may_attend (…, query, key) → (…, head, query, size)."""
    q, k = turned(setup, q), turned(setup, k)
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=may_attend, scale=factor(setup), enable_gqa=setup.group > 1
    )


def normed(setup: Setup, vectors: Tensor, gain: Tensor | None) -> Tensor:
    """Norm queries or keys (…, token, d_k) with their gain (d_k,), where there is one."""
    return vectors if gain is None else F.rms_norm(vectors, gain.shape, gain, setup.epsilon)


def turned(setup: Setup, vectors: Tensor) -> Tensor:
    """Turn queries or keys (…, token, d_k) as rotary positions do, each pair as a complex number
    that is turned.

    Su et al. 2021, equation 12. Every sentence counts from the first place, be there padding:
    scores are the same.
    """
    if not setup.turns:
        return vectors
    paired, tokens = setup.d_k - setup.d_k % 2, vectors.shape[-2]
    speeds = float(setup.rotary_base) ** (-torch.arange(0, paired, 2, dtype=torch.float64) / paired)
    angles = torch.outer(torch.arange(tokens, dtype=torch.float64), speeds)
    pairs = torch.view_as_complex(
        vectors[..., :paired].double().unflatten(-1, (-1, 2)).contiguous()
    )
    both = torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)
    return torch.cat([both.to(vectors.dtype), vectors[..., paired:]], dim=-1)


def layer(setup: Setup, entries: dict[str, Tensor], may_attend: Tensor) -> Tensor:
    """Compute one block by PyTorch's functions: `entries` is its input `x` and its weights by
    name."""
    x = entries["x"]

    def norm(value: Tensor, name: str) -> Tensor:
        gain, shift = entries.get(f"gain_{name}"), entries.get(f"shift_{name}")
        if setup.norm_kind == "rms":
            return F.rms_norm(value, (setup.d_model,), gain, setup.epsilon)
        return F.layer_norm(value, (setup.d_model,), gain, shift, setup.epsilon)

    def linear(value: Tensor, name: str) -> Tensor:
        return F.linear(value, entries[f"w_{name}"].T, entries.get(f"b_{name}"))

    def by_head(value: Tensor, name: str) -> Tensor:
        w, bias = entries[f"w_{name}"], entries.get(f"b_{name}")
        below_one_another = F.linear(
            value, w.transpose(1, 2).flatten(0, 1), None if bias is None else bias.flatten()
        )
        return below_one_another.unflatten(-1, (len(w), -1)).transpose(-3, -2)

    def attend(value: Tensor) -> Tensor:
        if setup.projections == "none":
            return attention(setup, value, value, value, may_attend)
        q, k, v = (
            by_head(value, name) if f"w_{name}" in entries else entries[name] for name in "qkv"
        )
        q, k = normed(setup, q, entries.get("gain_q")), normed(setup, k, entries.get("gain_k"))
        mixed = attention(setup, q, k, v, may_attend.unsqueeze(-3))
        return linear(mixed.transpose(-3, -2).flatten(-2), "o")

    def feed(value: Tensor) -> Tensor:
        bend, up = ACTIVATIONS[setup.activation], linear(value, "1")
        return linear(
            bend(linear(value, "gate")) * up if setup.activation == "swiglu" else bend(up), "2"
        )

    if setup.norm == "post":
        normed_1 = norm(x + attend(x), "1")
        return norm(normed_1 + feed(normed_1), "2")
    resid_mid = x + attend(norm(x, "1"))
    return resid_mid + feed(norm(resid_mid, "2"))
