"""The same tensors from PyTorch's own functions, to hold ours against.

None of these calls our step functions: each goes another way to the same numbers.
"""

from dataclasses import dataclass
from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call

from . import lessons, pytorch_parts, weights
from .agreement import largest, largest_difference
from .batch import Batch
from .classifier import Classified
from .origin import Copy
from .pytorch_steps import (
    attention_weights,
    fits_multihead_attention,
    identity,
    one_call,
    queries_and_keys,
)
from .setup import Setup
from .trace import Trace
from .training import Opened


@dataclass(frozen=True)
class Check:
    """PyTorch's function by name, and how far our numbers are from its numbers.

    `largest` is the largest absolute difference, `size` how large the largest number is that
    PyTorch gives.
    """

    function: str
    largest: float
    size: float

    @property
    def relative(self) -> float:
        """The largest difference in units of the largest number."""
        return self.largest / self.size if self.size else self.largest

    @classmethod
    def of(cls, function: str, ours: Tensor, theirs: Tensor) -> "Check":
        """Compare our numbers with those of PyTorch's function."""
        return cls(function, largest_difference(ours, theirs), largest(theirs))


def check(trace: Trace, name: str) -> Check:
    """Compare one entry with PyTorch. Raises KeyError where PyTorch has nothing to compare with."""
    entry = trace[name]
    if entry.call is None and isinstance(entry.origin, Copy):
        return check(trace, entry.origin.source)
    if entry.call is None or entry.call.step is None or entry.call.step.reference is None:
        raise KeyError(name)
    function, theirs = entry.call.step.reference(trace, name)
    return Check.of(function, trace.value(name), theirs)


def check_gradient(setup: Setup, opened: Opened, ours: Tensor) -> Check:
    """Compare the gradient of W_q (head, d_model, d_k) at an opened step of training with
    autograd's, on the same batch."""
    w_q = opened.weights["w_q"].clone().requires_grad_()
    loss = lessons.attention(setup).loss(opened.weights | {"w_q": w_q}, opened.examples)
    (theirs,) = torch.autograd.grad(loss, w_q)
    return Check.of("torch.autograd", ours, theirs)


def check_layer(trace: Trace, may_attend: Tensor) -> Check:
    """Compare one block's result with PyTorch; rows that may look nowhere have nothing to compare
    with.

    `trace` is one layer of a stack, of one sentence or of a batch, `may_attend` its mask.
    """
    if (
        fits_multihead_attention(trace)
        and trace.setup.norm_kind == "layer"
        and trace.setup.activation != "swiglu"
    ):
        function, theirs = "nn.TransformerEncoderLayer", _encoder_layer(trace, may_attend)
    else:
        function, theirs = (
            f"F.scaled_dot_product_attention, F.{trace.setup.norm_kind}_norm and F.linear",
            pytorch_parts.layer(trace.setup, _values(trace), may_attend),
        )
    rows = may_attend.any(dim=-1)
    return Check.of(function, trace.value("out")[rows], theirs[rows])


def check_batch(batch: Batch) -> Check:
    """Compare a batch's weights with PyTorch; rows that may look nowhere have nothing to compare
    with."""
    trace, may_attend = batch.trace, batch.may_attend
    (q, k), tokens = queries_and_keys(trace), may_attend.shape[-1]
    values = identity(tokens, k.shape[-1]).expand(*k.shape[:2], -1, -1)
    theirs = pytorch_parts.attention(trace.setup, q, k, values, may_attend.unsqueeze(-3))
    nowhere = ~may_attend.any(dim=-1)[:, None, :, None]
    both = (ours.masked_fill(nowhere, 0) for ours in (trace.value("weights"), theirs[..., :tokens]))
    return Check.of("F.scaled_dot_product_attention", *both)


def check_classes(answer: Classified, sentence: int) -> Check:
    """Compare one sentence's log-probabilities with PyTorch's for it alone, without padding."""
    w, bias = answer.trace.value("w_c"), answer.trace.get("b_c")
    out = answer.batch.trace.value("x")[sentence][answer.batch.is_word[sentence]]
    may_attend = weights.may_attend(answer.trace.setup, len(out))
    for layer in answer.weights:
        out = pytorch_parts.layer(answer.trace.setup, layer | {"x": out}, may_attend)
    logits = F.linear(out.mean(dim=0), w.T, None if bias is None else bias.value)
    function = (
        f"`F.scaled_dot_product_attention`, `F.{answer.trace.setup.norm_kind}_norm`, `F.linear`,"
        " `F.log_softmax`"
    )
    return Check.of(
        function, answer.trace.value("log_probabilities")[sentence], F.log_softmax(logits, dim=0)
    )


def check_next_word(trace: Trace) -> Check:
    """Compare the shares of the next word (word,) with PyTorch's, among the words that may come."""
    logits = _logits(trace, slice(None)) / trace.setup.word_temperature
    theirs = F.softmax(logits.masked_fill(trace.value("top_p") == -torch.inf, -torch.inf), dim=0)
    return Check.of("F.linear and F.softmax", trace.value("probabilities"), theirs)


def check_filled(trace: Trace) -> Check:
    """Compare the shares of the pieces at [MASK] (word,) with PyTorch's, from the row there, among
    the pieces that may come."""
    row = F.linear(trace.value("last"), trace.value("w_fill").T, trace.value("b_fill"))
    name = {"gelu": "none", "gelu_tanh": "tanh"}.get(trace["activated"].symbol.removesuffix("(H)"))
    row = F.relu(row) if name is None else F.gelu(row, approximate=name)
    row = F.layer_norm(
        row, row.shape, trace.value("gain_fill"), trace.value("shift_fill"), trace.setup.epsilon
    )
    logits = (
        F.linear(row, trace.value("unembedding").T.float(), trace.value("b_word"))
        / trace.setup.word_temperature
    )
    theirs = F.softmax(logits.masked_fill(trace.value("top_p") == -torch.inf, -torch.inf), dim=0)
    return Check.of(
        "F.linear, F.gelu, F.layer_norm and F.softmax", trace.value("probabilities"), theirs
    )


def check_summands(trace: Trace, added_up: float, word: int, instead: int | None = None) -> Check:
    """Compare what the summands of a word's logit add up to, or of the word less another, with
    PyTorch's logits."""
    own, *other = _logits(trace, [word, *([] if instead is None else [instead])])
    return Check.of("F.linear", torch.tensor([added_up]), (own - sum(other)).view(1))


def _logits(trace: Trace, places: slice | list[int]) -> Tensor:
    """Return the logits of the words at these places by PyTorch: (word,)."""
    last = trace.value("last")
    if "normed_top" in trace:
        gain, epsilon = trace.value("gain_top"), trace.setup.epsilon
        is_rms = trace.setup.norm_kind == "rms"
        last = (
            F.rms_norm(last, last.shape, gain, epsilon)
            if is_rms
            else F.layer_norm(last, last.shape, gain, trace.value("shift_top"), epsilon)
        )
    return F.linear(last, trace.value("unembedding")[:, places].T.float())


def _encoder_layer(trace: Trace, may_attend: Tensor) -> Tensor:
    setup, x = trace.setup, trace.value("x")
    is_pre = setup.norm == "pre"
    form = {"norm_first": is_pre, "bias": "b_q" in trace}
    module = _empty_layer(
        setup.d_model, setup.heads, setup.d_ff, setup.activation, setup.epsilon, **form
    )
    batched, hidden = (x, ~may_attend) if x.ndim == 3 else (x[None], ~may_attend[None])
    hidden = hidden.repeat_interleave(setup.heads, dim=0)
    with one_call, torch.no_grad():
        return functional_call(
            module, _layer_weights(trace), (batched,), {"src_mask": hidden}
        ).reshape(x.shape)


@lru_cache(maxsize=8)
def _empty_layer(
    d_model: int, heads: int, d_ff: int, activation: str, epsilon: float, **form: bool
) -> nn.Module:
    """Return PyTorch's block on the device "meta", without numbers: they are given when it is
    called, so one serves for all."""
    module = nn.TransformerEncoderLayer(
        d_model,
        heads,
        d_ff,
        dropout=0.0,
        activation=pytorch_parts.ACTIVATIONS[activation],
        layer_norm_eps=epsilon,
        batch_first=True,
        device="meta",
        **form,
    )
    return module.eval()


def _layer_weights(trace: Trace) -> dict[str, Tensor]:
    """Return our weights of a block by the names of PyTorch's module. Its layer norms have a gain
    and a bias; ours have them where a model was read."""
    weights = {f"self_attn.{name}": value for name, value in attention_weights(trace).items()}
    for name in "12":
        weights[f"linear{name}.weight"] = trace.value(f"w_{name}").T
        gain, shift = trace.get(f"gain_{name}"), trace.get(f"shift_{name}")
        weights[f"norm{name}.weight"] = (
            torch.ones(trace.setup.d_model) if gain is None else gain.value
        )
        if "b_q" in trace:
            weights[f"linear{name}.bias"] = trace.value(f"b_{name}")
            weights[f"norm{name}.bias"] = (
                torch.zeros(trace.setup.d_model) if shift is None else shift.value
            )
    return weights


def _values(trace: Trace) -> dict[str, Tensor]:
    return {name: entry.value for name, entry in trace.items()}
