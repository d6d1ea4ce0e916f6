"""The same tensors computed by PyTorch's own functions, for comparison with ours.

None of these calls our step functions.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from threading import Lock
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call

from ..ops.weight_names import Weights
from ..setup.setup import Setup
from ..trace.origin import Copy
from ..trace.record import Trace
from .checks import largest, largest_difference

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "swiglu": F.silu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
}
# The first distance of each row of half of T5's table.
FIRST_DISTANCES = (*range(9), 12, 16, 23, 32, 46, 64, 91)


@dataclass(frozen=True)
class Check:
    """A PyTorch function's name, and how far our numbers differ from its result.

    `largest` is the largest absolute difference, `size` PyTorch's largest absolute value.
    """

    function: str
    largest: float
    size: float

    @property
    def relative(self) -> float:
        """The largest difference relative to the largest number."""
        return self.largest / self.size if self.size else self.largest

    @classmethod
    def of(cls, function: str, ours: Tensor, theirs: Tensor) -> "Check":
        """Compare our numbers with those of PyTorch's function."""
        return cls(function, largest_difference(ours, theirs), largest(theirs))


# ---------- comparisons ----------


def check(trace: Trace, name: str) -> Check:
    """Compare one entry with PyTorch. Raises KeyError if there is no PyTorch function for it."""
    entry = trace[name]
    if entry.call is None and isinstance(entry.origin, Copy):
        return check(trace, entry.origin.source)
    if entry.call is None or entry.call.step is None or entry.call.step.reference is None:
        raise KeyError(name)
    function, theirs = entry.call.step.reference(trace, name)
    return Check.of(function, trace.value(name), theirs)


def check_layer(trace: Trace, may_attend: Tensor) -> Check:
    """Compare one block's output with PyTorch, without rows that may attend to nothing.

    `trace` is one layer of a stack, of a sentence or a batch, `may_attend` its mask.
    """
    setup, x = trace.setup, trace.value("x")
    if _fits_module(trace) and setup.norm_kind == "layer" and setup.activation != "swiglu":
        function, theirs = "nn.TransformerEncoderLayer", _encoder_layer(trace, may_attend)
    else:
        function = f"F.scaled_dot_product_attention, F.{setup.norm_kind}_norm and F.linear"
        own = {name: entry.value for name, entry in trace.items()}
        theirs = _block(setup, own, x, may_attend)
    rows = may_attend.any(dim=-1)
    return Check.of(function, trace.value("out")[rows], theirs[rows])


def check_batch(trace: Trace, may_attend: Tensor) -> Check:
    """Compare a batch's weights with PyTorch, without rows that may attend to nothing."""
    q, k = _queries_and_keys(trace)
    bias = _relative(_optional(trace, "distances"), q)
    theirs = _weights(trace.setup, q, k, may_attend.unsqueeze(-3), bias)
    nowhere = ~may_attend.any(dim=-1)[:, None, :, None]
    both = (numbers.masked_fill(nowhere, 0) for numbers in (trace.value("weights"), theirs))
    return Check.of("F.scaled_dot_product_attention", *both)


def check_classes(trace: Trace, layers: Sequence[Weights], x: Tensor) -> Check:
    """Compare one sentence's log-probabilities with PyTorch's for that sentence without padding.

    `trace` is the classifier's for that sentence, `layers` the weights of the stack below, x
    (token, d_model) the sentence's embedding.
    """
    setup = trace.setup
    for layer in layers:
        x = _block(setup, layer, x, mask(setup, len(x)))
    logits = F.linear(x.mean(dim=0), trace.value("w_c").T, _optional(trace, "b_c"))
    function = (
        f"`F.scaled_dot_product_attention`, `F.{setup.norm_kind}_norm`, `F.linear`, `F.log_softmax`"
    )
    return Check.of(function, trace.value("log_probabilities")[0], F.log_softmax(logits, dim=0))


def check_next_word(trace: Trace) -> Check:
    """Compare the next word's probabilities (word,) with PyTorch's, after top-k and top-p."""
    theirs = word_shares(trace, word_logits(trace))
    return Check.of("F.linear and F.softmax", trace.value("probabilities"), theirs)


def check_filled(trace: Trace) -> Check:
    """Compare the probabilities at [MASK] (word,) with PyTorch's, from the row there, after top-k
    and top-p."""
    row = F.linear(trace.value("last"), trace.value("w_fill").T, trace.value("b_fill"))
    row = ACTIVATIONS[trace["activated"].symbol.removesuffix("(H)")](row)
    gain, shift = trace.value("gain_fill"), trace.value("shift_fill")
    row = F.layer_norm(row, row.shape, gain, shift, trace.setup.epsilon)
    logits = F.linear(row, trace.value("unembedding").T.float(), trace.value("b_word"))
    function = "F.linear, F.gelu, F.layer_norm and F.softmax"
    return Check.of(function, trace.value("probabilities"), word_shares(trace, logits))


def check_summands(trace: Trace, added_up: float, word: int, instead: int | None = None) -> Check:
    """Compare the sum of a logit's summands, or of the difference to another word's, with PyTorch's
    logits."""
    own, *other = word_logits(trace, [word, *([] if instead is None else [instead])])
    return Check.of("F.linear", torch.tensor([added_up]), (own - sum(other)).view(1))


def word_logits(trace: Trace, places: slice | list[int] = slice(None)) -> Tensor:
    """Return the logits of the words at these indices: (word,)."""
    last = trace.value("last")
    if "normed_top" in trace:
        last = _norm(trace.setup, last, _optional(trace, "gain_top"), _optional(trace, "shift_top"))
    return F.linear(last, trace.value("unembedding")[:, places].T.float())


def word_shares(trace: Trace, logits: Tensor) -> Tensor:
    """Return the probabilities of words (word,) from these logits, after top-k and top-p."""
    may_not_come = trace.value("top_p") == -torch.inf
    tempered = (logits / trace.setup.word_temperature).masked_fill(may_not_come, -torch.inf)
    return F.softmax(tempered, dim=0)


# ---------- the steps: given a trace and an entry's name, PyTorch's function and its numbers ------


def look_up(trace: Trace, name: str) -> tuple[str, Tensor]:
    """Look the rows up in the table."""
    table, ids = _inputs(trace, name)
    return "F.embedding", F.embedding(ids, table)


def project_with_torch(trace: Trace, name: str) -> tuple[str, Tensor]:
    """Project to queries, keys or values, head by head."""
    x, *learned = _inputs(trace, name)
    if not learned:
        return "the input itself", x[None]
    w, *b = learned
    biases = b[0] if b else [None] * len(w)
    return "F.linear", torch.stack([F.linear(x, m.T, c) for m, c in zip(w, biases, strict=True)])


def norm_with_torch(trace: Trace, name: str) -> tuple[str, Tensor]:
    """Norm the queries or the keys of every head."""
    vectors, gain = _inputs(trace, name)
    return "F.rms_norm", F.rms_norm(vectors, gain.shape, gain, trace.setup.epsilon)


def scores(trace: Trace, _: str) -> tuple[str, Tensor]:
    """Multiply the queries, rotated if the setup rotates, with the keys of their group."""
    q, k = _queries_and_keys(trace)
    by_group = torch.einsum("gsqd,gkd->gsqk", q.unflatten(0, (len(k), -1)), k)
    return "torch.einsum", by_group.flatten(0, 1)


def weights(trace: Trace, _: str) -> tuple[str, Tensor]:
    """Mix an identity matrix as values, which gives the weights."""
    q, k = _queries_and_keys(trace)
    bias = _relative(_optional(trace, "distances"), q)
    return "F.scaled_dot_product_attention", _weights(trace.setup, q, k, _mask_of(trace), bias)


def context(trace: Trace, _: str) -> tuple[str, Tensor]:
    """Mix the values."""
    q, k = _queries_and_keys(trace)
    values = trace.value("v").expand(len(k), -1, -1)
    bias = _relative(_optional(trace, "distances"), q)
    mixed = _mix(trace.setup, q, k, values, _mask_of(trace), bias)
    return "F.scaled_dot_product_attention", mixed


def concat(trace: Trace, name: str) -> tuple[str, Tensor]:
    """Mix the values, and concatenate the heads."""
    function, mixed = context(trace, name)
    return function, torch.cat(list(mixed), dim=-1)


def output(trace: Trace, name: str) -> tuple[str, Tensor]:
    """Compute the output by PyTorch's module if it supports the setup, else by functions."""
    if _fits_module(trace):
        return "nn.MultiheadAttention", _multihead_attention(trace)
    function, heads = concat(trace, name)
    output = F.linear(heads, trace.value("w_o").T, _optional(trace, "b_o"))
    return f"{function}, then F.linear", output


def _inputs(trace: Trace, name: str) -> list[Tensor]:
    call = trace[name].call
    assert call is not None
    return [trace.value(each) for each in call.inputs]


def _optional(trace: Trace, name: str) -> Tensor | None:
    entry = trace.get(name)
    return None if entry is None else entry.value


def _queries_and_keys(trace: Trace) -> tuple[Tensor, Tensor]:
    """Return queries and keys as used in the scores, normed and rotated."""
    q, k = (
        prepare_for_scores(trace.setup, trace.value(n), _optional(trace, f"gain_{n}")) for n in "qk"
    )
    return q, k


def _mask_of(trace: Trace) -> Tensor | None:
    return mask(trace.setup, trace.value("q").shape[-2], len(trace.setup.memory_tokens))


# ---------- attention, and a block around it ----------


def mask(setup: Setup, tokens: int, keys: int = 0) -> Tensor | None:
    """Return the setup's mask, a band around the diagonal or as given: (query, key). None if all is
    allowed. `keys` is the memory's number of tokens in cross-attention."""
    if setup.mask == "none":
        return None
    if setup.numbers is not None and setup.mask == "given":
        rows = torch.tensor(setup.numbers.mask)
        if not keys and len(rows) != rows.shape[1]:  # it is for cross-attention
            return None
        more = (0, (keys or tokens) - rows.shape[1], 0, tokens - len(rows))
        return F.pad(rows, more, value=True)
    below = setup.window if setup.has_window else tokens
    above = 0 if setup.is_causal else setup.window
    return torch.ones(tokens, tokens, dtype=torch.bool).triu(-below).tril(above)


def prepare_for_scores(setup: Setup, vectors: Tensor, gain: Tensor | None) -> Tensor:
    """Return queries or keys (…, token, d_k) as used in the scores: normed with their gain (d_k,),
    if any, and rotated, each pair as a complex number.

    Su et al. 2021, equation 12. Every sentence counts from the first position, padding included:
    the scores are the same.
    """
    if gain is not None:
        vectors = F.rms_norm(vectors, gain.shape, gain, setup.epsilon)
    if not setup.turns:
        return vectors
    paired, tokens = setup.d_k - setup.d_k % 2, vectors.shape[-2]
    base, stretch = float(setup.rotary["base"]), setup.rotary.get("stretch")
    speeds = base ** (-torch.arange(0, paired, 2, dtype=torch.float64) / paired)
    if stretch:
        speeds = _stretch(speeds, *stretch)
    angles = torch.outer(torch.arange(tokens, dtype=torch.float64), speeds)
    pairs = vectors[..., :paired].double().unflatten(-1, (-1, 2)).contiguous()
    turned = torch.view_as_complex(pairs) * torch.polar(torch.ones_like(angles), angles)
    in_pairs = torch.view_as_real(turned).flatten(-2).to(vectors.dtype)
    return torch.cat([in_pairs, vectors[..., paired:]], dim=-1)


def _stretch(speeds: Tensor, factor: float, low: float, high: float, places: float) -> Tensor:
    """Return the speeds of rotary positions, as Llama 3 has them: slow ones divided by the factor,
    those in the middle interpolated."""
    wavelengths = 2 * math.pi / speeds
    smooth = (places / wavelengths - low) / (high - low)
    between = torch.lerp(speeds / factor, speeds, smooth)
    slow, fast = wavelengths > places / low, wavelengths < places / high
    return torch.where(slow, speeds / factor, torch.where(fast, speeds, between))


def _mix(
    setup: Setup, q: Tensor, k: Tensor, v: Tensor, may_attend: Tensor | None, bias: Tensor | None
) -> Tensor:
    """Compute attention: q (…, head, query, d_k), k (…, kv_head, key, d_k), v (…, kv_head, key,
    size), may_attend (…, query, key), bias (head, query, key) → (…, head, query, size)."""
    factor = (1.0 if setup.scale == "none" else setup.d_k**-0.5) / setup.temperature
    if setup.lowers_scores:
        bias = _alibi(setup, q) + (0.0 if bias is None else bias)
    seen = bias if may_attend is None or bias is None else bias.where(may_attend, -torch.inf)
    seen = may_attend if seen is None else seen
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=seen, scale=factor, enable_gqa=setup.group > 1
    )


def _relative(distances: Tensor | None, q: Tensor) -> Tensor | None:
    """Return the biases for distances, (head, query, key), by the first distance of each row of the
    table (distance, head)."""
    if distances is None:
        return None
    firsts, places = torch.tensor(FIRST_DISTANCES), torch.arange(q.shape[-2])
    ahead = places - places[:, None]
    rows = torch.bucketize(ahead.abs(), firsts, right=True) - 1 + len(firsts) * (ahead > 0)
    return F.embedding(rows, distances).permute(2, 0, 1)


def _alibi(setup: Setup, q: Tensor) -> Tensor:
    """Return ALiBi's bias: (head, query, key)."""
    power, places = 2.0 ** math.floor(math.log2(setup.heads)), torch.arange(q.shape[-2])
    ratios = torch.exp2(torch.tensor([-8.0 / power, -4.0 / power], dtype=torch.float64))
    powers = torch.arange(1, 2 * setup.heads + 1)
    slopes = torch.cat([ratios[0] ** powers[: int(power)], ratios[1] ** powers[::2]])
    apart = torch.cdist(places[:, None].double(), places[:, None].double(), p=1)
    bias = torch.einsum("h,qk->hqk", -slopes[: setup.heads], apart).to(q.dtype)
    return bias[0] if setup.heads == 1 else bias  # there may be no head axis


def _weights(
    setup: Setup, q: Tensor, k: Tensor, may_attend: Tensor | None, bias: Tensor | None
) -> Tensor:
    """Return attention over an identity matrix as values: (…, head, query, key). It is padded with
    columns of 0 to the width of the keys, since PyTorch's fast path needs equal widths."""
    tokens, d_k = k.shape[-2:]
    identity = torch.eye(tokens, max(tokens, d_k)).expand(*k.shape[:-2], -1, -1)
    return _mix(setup, q, k, identity, may_attend, bias)[..., :tokens]


def _norm(setup: Setup, x: Tensor, gain: Tensor | None, shift: Tensor | None) -> Tensor:
    if setup.norm_kind == "rms":
        return F.rms_norm(x, x.shape[-1:], gain, setup.epsilon)
    return F.layer_norm(x, x.shape[-1:], gain, shift, setup.epsilon)


def _block(setup: Setup, own: Mapping[str, Tensor], x: Tensor, may_attend: Tensor | None) -> Tensor:
    """Run x (…, token, d_model) through one block with its weights by name."""

    def norm(value: Tensor, name: str) -> Tensor:
        return _norm(setup, value, own.get(f"gain_{name}"), own.get(f"shift_{name}"))

    def linear(value: Tensor, name: str) -> Tensor:
        return F.linear(value, own[f"w_{name}"].T, own.get(f"b_{name}"))

    def by_head(value: Tensor, name: str) -> Tensor:
        if f"w_{name}" not in own:
            return own[name]
        w, bias = own[f"w_{name}"], own.get(f"b_{name}")
        below_one_another = w.transpose(1, 2).flatten(0, 1)
        side_by_side = F.linear(value, below_one_another, None if bias is None else bias.flatten())
        return side_by_side.unflatten(-1, (len(w), -1)).transpose(-3, -2)

    def attend(value: Tensor) -> Tensor:
        if setup.projections == "none":
            q = prepare_for_scores(setup, value, None)
            return _mix(setup, q, q, value, may_attend, None)
        q, k, v = (by_head(value, name) for name in "qkv")
        q, k = (
            prepare_for_scores(setup, q, own.get("gain_q")),
            prepare_for_scores(setup, k, own.get("gain_k")),
        )
        mixed = _mix(
            setup,
            q,
            k,
            v,
            None if may_attend is None else may_attend.unsqueeze(-3),
            _relative(own.get("distances"), q),
        )
        return linear(mixed.transpose(-3, -2).flatten(-2), "o")

    def feed(value: Tensor) -> Tensor:
        bend, up = ACTIVATIONS[setup.activation], linear(value, "1")
        bent = bend(linear(value, "gate")) * up if setup.activation == "swiglu" else bend(up)
        return linear(bent, "2")

    if setup.norm == "post":
        normed_1 = norm(x + attend(x), "1")
        return norm(normed_1 + feed(normed_1), "2")
    resid_mid = x + attend(norm(x, "1"))
    return resid_mid + feed(norm(resid_mid, "2"))


# ---------- PyTorch's modules ----------


def _fits_module(trace: Trace) -> bool:
    """Return whether nn.MultiheadAttention supports the setup: narrow heads only, standard scaling,
    and output d_model."""
    setup = trace.setup
    narrow = setup.d_k == setup.d_v and setup.d_k * setup.heads == setup.d_model
    plain = setup.scale != "none" and setup.temperature == 1.0
    return (
        all(f"w_{name}" in trace for name in "qkv")
        and narrow
        and plain
        and setup.group == 1
        and not setup.turns
        and not setup.lowers_scores
        and not setup.norms_heads
        and "distances" not in trace
        and trace.value("output").shape[-1] == setup.d_model
    )


def _multihead_attention(trace: Trace) -> Tensor:
    setup, may_attend = trace.setup, _mask_of(trace)
    x, asked = trace.value(trace.taken_in), trace.value(trace.asked)
    module = _empty(nn.MultiheadAttention, setup.d_model, setup.heads, bias="b_q" in trace)
    # PyTorch's masks are inverted: True = may not attend.
    hidden = None if may_attend is None else ~may_attend
    own = _attention_weights(trace)
    return _call(module, own, x, asked, asked, attn_mask=hidden, need_weights=False)[0]


def _encoder_layer(trace: Trace, may_attend: Tensor) -> Tensor:
    setup, x = trace.setup, trace.value("x")
    module = _empty(
        nn.TransformerEncoderLayer,
        setup.d_model,
        setup.heads,
        dim_feedforward=setup.d_ff,
        dropout=0.0,
        activation=ACTIVATIONS[setup.activation],
        layer_norm_eps=setup.epsilon,
        batch_first=True,
        norm_first=setup.norm == "pre",
        bias="b_q" in trace,
    )
    batched, hidden = (x, ~may_attend) if x.ndim == 3 else (x[None], ~may_attend[None])
    hidden = hidden.repeat_interleave(setup.heads, dim=0)
    return _call(module, layer_weights(trace), batched, src_mask=hidden).reshape(x.shape)


@lru_cache(maxsize=16)
def _empty(kind: type[nn.Module], *sizes: int, **options: Any) -> nn.Module:
    """Return a PyTorch module on the device "meta", without numbers: they are passed in each call,
    so one module serves all.

    Initialising it would sample numbers that are not used, and `skip_init`, which does not, imports
    a computer algebra system, which blocks the server for half a second.
    """
    return kind(*sizes, device="meta", **options).eval()


_one_call = Lock()  # a module holds its weights during a call


def _call(module: nn.Module, own: Weights, *inputs: Tensor, **options: Any) -> Any:
    with _one_call, torch.no_grad():
        return functional_call(module, own, inputs, options)


def _attention_weights(trace: Trace) -> Weights:
    """Return our weights under the names of nn.MultiheadAttention, which stacks the heads in one
    matrix."""
    side_by_side = [torch.cat(list(trace.value(f"w_{name}")), dim=-1).T for name in "qkv"]
    own = {"in_proj_weight": torch.cat(side_by_side), "out_proj.weight": trace.value("w_o").T}
    if "b_q" in trace:
        own["in_proj_bias"] = torch.cat([trace.value(f"b_{name}").flatten() for name in "qkv"])
        own["out_proj.bias"] = trace.value("b_o")
    return own


def layer_weights(trace: Trace) -> Weights:
    """Return our weights of a block under the names of nn.TransformerEncoderLayer. Its layer norms
    have a gain and a bias, as ours do only for real models."""
    own = {f"self_attn.{name}": value for name, value in _attention_weights(trace).items()}
    for name in "12":
        own[f"linear{name}.weight"] = trace.value(f"w_{name}").T
        gain, shift = _optional(trace, f"gain_{name}"), _optional(trace, f"shift_{name}")
        own[f"norm{name}.weight"] = torch.ones(trace.setup.d_model) if gain is None else gain
        if "b_q" in trace:
            own[f"linear{name}.bias"] = trace.value(f"b_{name}")
            own[f"norm{name}.bias"] = torch.zeros(trace.setup.d_model) if shift is None else shift
    return own
