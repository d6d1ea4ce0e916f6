"""What exercises and predictions should say, made of PyTorch's numbers
(`core.reference.reference`)."""

import itertools
import math
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor

from core import Setup, run
from core.forward import batch, encoder, next_word
from core.forward.trace import Trace
from core.quiz.answers import Span
from core.quiz.question import Question
from core.reference import reference
from core.text.text import labels

KINDS = {"queries": "q", "keys": "k", "values": "v"}


def with_numbers(trace: Trace, name: str, value: Tensor) -> Trace:
    """The same trace, but for one entry's numbers."""
    return Trace(trace.setup, dict(trace) | {name: replace(trace[name], stored=value)})


def theirs(trace: Trace, name: str) -> Tensor:
    """PyTorch's numbers of an entry."""
    return trace[name].call.step.reference(trace, name)[1].double()


def may_attend(setup: Setup, tokens: int, keys: int = 0) -> Tensor:
    """Who may look at whom: (query, key), or (1,) where everybody may."""
    found = reference.mask(setup, tokens, keys)
    return torch.ones(1, dtype=torch.bool) if found is None else found


def at_every_place(trace: Trace) -> Tensor:
    """The logits after each word of the sentence, all at once, as a model learns them: (token,
    word)."""
    encoded, read = trace.value("encoded"), trace.setup.real
    return (
        next_word.logits(encoded, trace.value("unembedding"))
        if read is None
        else read.unembed(read.top(encoded))
    )


def alibi(setup: Setup, tokens: int) -> Tensor:
    """ALiBi's bias (head, query, key), its slopes as the authors' published code has them; 0 where
    positions are others."""

    def slopes(n: int) -> list[float]:
        if math.log2(n).is_integer():
            start = 2 ** (-(2 ** -(math.log2(n) - 3)))
            return [start * start**k for k in range(n)]
        below = 2 ** math.floor(math.log2(n))
        return slopes(below) + slopes(2 * below)[0::2][: n - below]

    apart = [[abs(i - j) for j in range(tokens)] for i in range(tokens)]
    bias = torch.tensor(slopes(setup.heads), dtype=torch.float64)[:, None, None]
    return -bias * torch.tensor(apart) * (setup.positions == "alibi")


def smaller(tokens: tuple[str, ...], token: str) -> int:
    """How many different tokens sort before this one."""
    return len({other for other in tokens if other < token})


class Asked:
    """The place that is asked about, and the numbers that it is asked of."""

    def __init__(self, setup: Setup, **fields: int) -> None:
        self.fields, self.setup, self.trace = fields, setup, run(setup)
        places = (fields.get(name, 1) - 1 for name in ("head", "query", "key", "column"))
        self.head, self.i, self.j, self.column = places
        self.kv_head = self.head // setup.group
        self.root = 1 if setup.scale == "none" else setup.d_k**0.5


# ---------- exercises ----------


def worked_out(setup: Setup, exercise: Question) -> float:
    """The number that an exercise asks for, at the place that it opens, by PyTorch."""
    path, at = exercise.opens.path, exercise.opens.fields
    if path in ("vocabulary", "embedding"):
        setup = replace(setup, layer=1)
    o = Asked(setup, **at)
    if path == "vocabulary":
        return smaller((*setup.tokens, *setup.memory_tokens), setup.tokens[o.i])
    if path == "next":
        said = next_word.predict(setup)
        logits = reference.word_logits(said)
        numbers = logits if "logits[" in exercise.asks else reference.word_shares(said, logits)
        return numbers[next_word.likeliest(said)[o.column]].item()
    of_others = {"masks": _in_a_batch, "block": _in_a_block, "projection": _projected}
    if path in of_others:
        return of_others[path](o, exercise)
    name = {"embedding": "embedded", "heads": "output"}.get(path, path)
    numbers = theirs(o.trace, name)
    if path == "embedding" and setup.adds_positions:
        numbers = numbers + o.trace.value("positions")
    row = numbers[o.head, o.i] if numbers.dim() == 3 else numbers[o.i]
    return row[o.j if path in ("scores", "weights") else o.column].item()


def _projected(o: Asked, exercise: Question) -> float:
    kind = KINDS[o.fields["matrix"]]
    place = (o.head, o.i) if kind == "q" else (o.kv_head, o.j)
    return theirs(o.trace, kind)[(*place, o.column)].item()


def _in_a_batch(o: Asked, exercise: Question) -> float:
    """A weight of a batch, from its scores, of the words that the question names."""
    whole, which = batch.run(o.setup), o.fields["sentence"] - 1
    words = labels(whole.tokens[which])
    named = exercise.asks.split("α[")[-1].removesuffix("]?")
    places = itertools.product(range(len(words)), repeat=2)
    named = named.translate({0x2068: None, 0x2069: None})
    ((i, j),) = [(i, j) for i, j in places if f"{words[i]}, {words[j]}" == named]
    row = whole.trace.value("scores")[which, o.head, i].double() / o.root / o.setup.temperature
    row = row + alibi(o.setup, len(words))[o.head, i]
    seen = may_attend(o.setup, len(words)).expand(len(words), -1)[i]
    seen = seen & (whole.is_word[which] | (o.setup.padding == "unmasked"))
    return F.softmax(row.masked_fill(~seen, -torch.inf), dim=0)[j].item()


def _in_a_block(o: Asked, exercise: Question) -> float:
    layer = encoder.encode(o.setup)[o.fields["layer"] - 1]
    of = {name: layer.value(name).double() for name in layer}
    size = of["x"].shape[-1:]
    match o.fields["stage"]:
        case "resid_mid":
            made = of["x"] + of["output"]
        case "normed_1":
            norm = F.rms_norm if o.setup.norm_kind == "rms" else F.layer_norm
            made = norm(of["resid_mid" if o.setup.norm == "post" else "x"], size, eps=1e-5)
        case _:
            bend, is_gated = reference.ACTIVATIONS[o.setup.activation], "ffn_gate" in of
            up = of["ffn_hidden"]
            made = bend(of["ffn_gate"]) * up if is_gated else bend(up)
    return made[o.i, o.column].item()


def agrees(answer: object, number: float, size: float) -> bool:
    """Equal; numbers with decimals as far as float32 goes, whose terms may be of that size."""
    if not isinstance(answer, Span):
        return answer == number
    room = 1e-4 + 1e-5 * max(size, abs(number))
    return answer.low - room <= number <= answer.high + room


# ---------- predictions ----------


def predicted(name: str, trace: Trace, head: int, query: int) -> tuple[Tensor, list[int]]:
    """The numbers behind a prediction, and the places of the words that may be looked at."""
    o = Asked(trace.setup, head=head + 1, query=query + 1)
    raw, shares = (theirs(trace, entry)[head, query] for entry in ("scores", "weights"))
    allowed = may_attend(o.setup, len(trace.tokens), len(o.setup.memory_tokens))
    seen = allowed.expand(len(trace.tokens), len(raw))[query].nonzero()[:, 0].tolist()
    if name == "heads":
        w_o, concat = trace.value("w_o").double(), theirs(trace, "concat")[query]
        parts = zip(concat.split(o.setup.d_v), w_o.split(o.setup.d_v), strict=True)
        return torch.stack([(part @ rows).norm() for part, rows in parts]), seen
    if name == "root":
        raw, bias = raw[seen] / o.setup.temperature, 0.0
        if not o.setup.memory:
            bias = alibi(o.setup, len(trace.tokens))[head, query, seen]
        both = (raw / root + bias for root in (o.setup.d_k**0.5, 1))
        with_and_without = (F.softmax(each, dim=0).max() for each in both)
        return torch.stack([*with_and_without]), seen
    parts = shares[:, None] * theirs(trace, "v")[o.kv_head]
    return {"scores": raw, "weights": shares[seen], "context": parts.norm(dim=1)[seen]}[name], seen
