"""The same tensors from PyTorch's own functions, to hold ours against.

None of these calls our step functions: each goes another way to the same numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call

from . import lessons, masks, pytorch_parts
from .agreement import largest_difference, size
from .batch import Batch
from .classifier import Classified
from .setup import Setup
from .trace import Trace
from .training import Opened


@dataclass(frozen=True)
class Check:
    """PyTorch's function by name, and how far our numbers are from its numbers.

    `largest` is the largest absolute difference, `size` how large the largest number is that PyTorch gives.
    """

    function: str
    largest: float
    size: float

    @property
    def relative(self) -> float:
        """The largest difference in units of the largest number."""
        return self.largest / self.size if self.size else self.largest


def _check(function: str, ours: Tensor, theirs: Tensor) -> Check:
    return Check(function, largest_difference(ours, theirs), size(theirs))


def check(trace: Trace, name: str) -> Check:
    """Compare one entry with PyTorch. Raises KeyError where PyTorch has nothing to compare with."""
    function, theirs = REFERENCES[name](trace)
    return _check(function, trace.value(name), theirs)


def _embedded(trace: Trace) -> tuple[str, Tensor]:
    return "F.embedding", F.embedding(trace.value("ids"), trace.value("embedding_table"))


def _projected(name: str) -> Callable[[Trace], tuple[str, Tensor]]:
    def project(trace: Trace) -> tuple[str, Tensor]:
        x = trace.value(trace.made_of(name))
        if f"w_{name}" not in trace:
            return "the input itself", x[None]
        w, b = trace.value(f"w_{name}"), trace.get(f"b_{name}")
        biases = [None] * len(w) if b is None else b.value
        return "F.linear", torch.stack([F.linear(x, m.T, c) for m, c in zip(w, biases, strict=True)])

    return project


def _scores(trace: Trace) -> tuple[str, Tensor]:
    q, k = (pytorch_parts.turned(trace.setup, trace.value(name)) for name in "qk")
    return "torch.einsum", torch.einsum("gsqd,gkd->gsqk", q.unflatten(0, (len(k), -1)), k).flatten(0, 1)


def _weights(trace: Trace) -> tuple[str, Tensor]:
    """With the identity as values, what attention mixes is the weights themselves."""
    tokens = len(trace.key_tokens)
    return "F.scaled_dot_product_attention", _attention(trace, _identity(tokens, trace.value("k").shape[-1]))[..., :tokens]


def _identity(tokens: int, d_k: int) -> Tensor:
    """Values that leave the weights as they are, (token, d_k) with columns of 0 behind: values as wide as keys take PyTorch's
    quick way. Where there are more tokens than that, (token, token)."""
    return torch.eye(tokens, max(tokens, d_k))


def _context(trace: Trace) -> tuple[str, Tensor]:
    return "F.scaled_dot_product_attention", _attention(trace, trace.value("v"))


def _attention(trace: Trace, values: Tensor) -> Tensor:
    setup, q, k = trace.setup, trace.value("q"), trace.value("k")
    return pytorch_parts.attention(setup, q, k, values.expand(len(k), -1, -1), pytorch_parts.band(setup, q.shape[-2]))


def _output(trace: Trace) -> tuple[str, Tensor]:
    if fits_multihead_attention(trace):
        return "nn.MultiheadAttention", _multihead_attention(trace)
    concat = torch.cat(list(_attention(trace, trace.value("v"))), dim=-1)
    if "w_o" not in trace:
        return "F.scaled_dot_product_attention", concat
    b_o = trace.get("b_o")
    output = F.linear(concat, trace.value("w_o").T, None if b_o is None else b_o.value)
    return "F.scaled_dot_product_attention, then F.linear", output


def fits_multihead_attention(trace: Trace) -> bool:
    """PyTorch's module only has narrow heads, one way of scaling, and goes back to d_model."""
    setup = trace.setup
    narrow = setup.d_k == setup.d_v and setup.d_k * setup.heads == setup.d_model
    plain = setup.scale != "none" and setup.temperature == 1.0
    return (
        "w_q" in trace
        and narrow
        and plain
        and setup.group == 1
        and not setup.turns
        and trace.value("output").shape[-1] == setup.d_model
    )


def check_gradient(setup: Setup, opened: Opened, ours: Tensor) -> Check:
    """Compare the gradient of W_q (head, d_model, d_k) at an opened step of training with autograd's, on the same batch."""
    w_q = opened.weights["w_q"].clone().requires_grad_()
    loss = lessons.attention(setup).loss(opened.weights | {"w_q": w_q}, opened.examples)
    (theirs,) = torch.autograd.grad(loss, w_q)
    return _check("torch.autograd", ours, theirs)


def check_layer(trace: Trace, may_attend: Tensor) -> Check:
    """Compare one block's result with PyTorch; rows that may look nowhere have nothing to compare with.

    `trace` is one layer of a stack, of one sentence or of a batch, `may_attend` its mask.
    """
    if fits_multihead_attention(trace) and trace.setup.norm_kind == "layer" and trace.setup.activation != "swiglu":
        function, theirs = "nn.TransformerEncoderLayer", _encoder_layer(trace, may_attend)
    else:
        function, theirs = (
            f"F.scaled_dot_product_attention, F.{trace.setup.norm_kind}_norm and F.linear",
            pytorch_parts.layer(trace.setup, _values(trace), may_attend),
        )
    rows = may_attend.any(dim=-1)
    return _check(function, trace.value("out")[rows], theirs[rows])


def check_batch(batch: Batch) -> Check:
    """Compare a batch's weights with PyTorch; rows that may look nowhere have nothing to compare with."""
    trace, may_attend = batch.trace, batch.may_attend
    q, k, tokens = trace.value("q"), trace.value("k"), may_attend.shape[-1]
    values = _identity(tokens, k.shape[-1]).expand(*k.shape[:2], -1, -1)
    theirs = pytorch_parts.attention(trace.setup, q, k, values, may_attend.unsqueeze(-3))
    nowhere = ~may_attend.any(dim=-1)[:, None, :, None]
    both = (weights.masked_fill(nowhere, 0) for weights in (trace.value("weights"), theirs[..., :tokens]))
    return _check("F.scaled_dot_product_attention", *both)


def check_classes(answer: Classified, sentence: int) -> Check:
    """Compare one sentence's log-probabilities with PyTorch's for it alone, without padding."""
    w, bias = answer.trace.value("w_c"), answer.trace.get("b_c")
    out = answer.batch.trace.value("x")[sentence][answer.batch.is_word[sentence]]
    may_attend = masks.of(answer.trace.setup, len(out))
    for layer in answer.weights:
        out = pytorch_parts.layer(answer.trace.setup, layer | {"x": out}, may_attend)
    logits = F.linear(out.mean(dim=0), w.T, None if bias is None else bias.value)
    function = f"`F.scaled_dot_product_attention`, `F.{answer.trace.setup.norm_kind}_norm`, `F.linear`, `F.log_softmax`"
    return _check(function, answer.trace.value("log_probabilities")[sentence], F.log_softmax(logits, dim=0))


def check_next_word(trace: Trace) -> Check:
    """Compare the shares of the next word (word,) with PyTorch's, among the words that may come."""
    last, model = trace.value("last"), trace.setup.real
    if model is not None and "normed_top" in trace:
        gain, shift = (model.around[name] for name in ("gain_top", "shift_top"))
        last = F.layer_norm(last, last.shape, gain, shift, model.sizes.epsilon)
    logits = F.linear(last, trace.value("unembedding").T.float()) / trace.setup.word_temperature
    theirs = F.softmax(logits.masked_fill(trace.value("top_p") == -torch.inf, -torch.inf), dim=0)
    return _check("F.linear and F.softmax", trace.value("probabilities"), theirs)


def _encoder_layer(trace: Trace, may_attend: Tensor) -> Tensor:
    setup, x = trace.setup, trace.value("x")
    is_pre = setup.norm == "pre"
    form = {"norm_first": is_pre, "bias": "b_q" in trace}
    module = _empty_layer(setup.d_model, setup.heads, setup.d_ff, setup.activation, setup.epsilon, **form)
    batched, hidden = (x, ~may_attend) if x.ndim == 3 else (x[None], ~may_attend[None])
    hidden = hidden.repeat_interleave(setup.heads, dim=0)
    with _one_call, torch.no_grad():
        return functional_call(module, _layer_weights(trace), (batched,), {"src_mask": hidden}).reshape(x.shape)


_one_call = Lock()  # while a module is called, it holds the weights that it was given


@lru_cache(maxsize=8)
def _empty_layer(d_model: int, heads: int, d_ff: int, activation: str, epsilon: float, **form: bool) -> nn.Module:
    """PyTorch's block on the device "meta", without numbers: they are given when it is called, so one serves for all."""
    module = nn.TransformerEncoderLayer(
        d_model, heads, d_ff, dropout=0.0, activation=pytorch_parts.ACTIVATIONS[activation], layer_norm_eps=epsilon, batch_first=True,
        device="meta", **form,
    )  # fmt: skip
    return module.eval()


def _layer_weights(trace: Trace) -> dict[str, Tensor]:
    """Our weights of a block by the names of PyTorch's module. Its layer norms have a gain and a bias; ours have them where a
    model was read."""
    weights = {f"self_attn.{name}": value for name, value in _attention_weights(trace).items()}
    for name in "12":
        weights[f"linear{name}.weight"] = trace.value(f"w_{name}").T
        gain, shift = trace.get(f"gain_{name}"), trace.get(f"shift_{name}")
        weights[f"norm{name}.weight"] = torch.ones(trace.setup.d_model) if gain is None else gain.value
        if "b_q" in trace:
            weights[f"linear{name}.bias"] = trace.value(f"b_{name}")
            weights[f"norm{name}.bias"] = torch.zeros(trace.setup.d_model) if shift is None else shift.value
    return weights


def _values(trace: Trace) -> dict[str, Tensor]:
    return {name: entry.value for name, entry in trace.items()}


def _multihead_attention(trace: Trace) -> Tensor:
    setup = trace.setup
    module = _empty_attention(setup.d_model, setup.heads, bias="b_q" in trace)
    x, asked = trace.value(trace.taken_in), trace.value(trace.asked)
    # PyTorch's masks say the opposite of ours: True = may not attend.
    allowed = pytorch_parts.band(setup, len(x))
    hidden = None if allowed is None else ~allowed
    with _one_call, torch.no_grad():
        return functional_call(
            module, _attention_weights(trace), (x, asked, asked), {"attn_mask": hidden, "need_weights": False}
        )[0]


@lru_cache(maxsize=8)
def _empty_attention(d_model: int, heads: int, bias: bool) -> nn.Module:
    """PyTorch's attention in the same way."""
    return nn.MultiheadAttention(d_model, heads, bias=bias, device="meta")


def _attention_weights(trace: Trace) -> dict[str, Tensor]:
    """Our weights by the names of PyTorch's module: its heads stand below one another in one matrix.

    The modules are made on the device "meta", without numbers, and called with ours in their place. To fill them would
    draw what is not used, and `skip_init`, which does not, imports a computer algebra system: half a second in which
    nobody on the server gets an answer.
    """
    side_by_side = [torch.cat(list(trace.value(f"w_{name}")), dim=-1).T for name in "qkv"]
    weights = {"in_proj_weight": torch.cat(side_by_side), "out_proj.weight": trace.value("w_o").T}
    if "b_q" in trace:
        weights["in_proj_bias"] = torch.cat([trace.value(f"b_{name}").flatten() for name in "qkv"])
        weights["out_proj.bias"] = trace.value("b_o")
    return weights


REFERENCES: dict[str, Callable[[Trace], tuple[str, Tensor]]] = {
    "embedded": _embedded,
    "q": _projected("q"),
    "k": _projected("k"),
    "v": _projected("v"),
    "scores": _scores,
    "weights": _weights,
    "context": _context,
    "output": _output,
}
