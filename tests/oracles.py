"""What exercises and predictions should say, made of PyTorch's numbers (`core.reference`)."""

import re
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor

from core import attribution, batch, encoder, next_word, reference
from core.answers import Span
from core.question import Question
from core.setup import Setup
from core.text import labels, quoted
from core.trace import Trace, run

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


def smaller(tokens: tuple[str, ...], token: str) -> int:
    """How many different tokens sort before this one."""
    return len({other for other in tokens if other < token})


class Asked:
    """The place that an exercise opens, or this one, and the numbers that it is asked of."""

    def __init__(self, setup: Setup, exercise: Question | None = None, **fields: int) -> None:
        self.fields = exercise.opens.fields if exercise else fields
        self.asks, name = (exercise.asks, exercise.name) if exercise else ("", "")
        if name.startswith(("embedding", "training")):
            setup = replace(setup, layer=1)
        if name.startswith(("next", "masks")):  # no other sentence is asked there
            setup = replace(setup, memory="")
        self.setup, self.trace = setup, run(setup)
        places = (self.fields.get(name, 1) - 1 for name in ("head", "query", "key", "column"))
        self.head, self.i, self.j, self.column = places
        self.kv_head = self.head // (setup.heads // (setup.kv_heads or setup.heads))
        self.cell = self.head, self.i, self.j
        self.root = 1 if setup.scale == "none" else setup.d_k**0.5
        self.words = [quoted(label) for label in labels(setup.memory_tokens or setup.tokens)]

    def weights(self, scores: Tensor) -> Tensor:
        """What attention of this head makes of scores (query, key), in double precision."""
        scaled = scores / (self.root * self.setup.temperature)
        allowed = may_attend(self.setup, len(scores), len(self.setup.memory_tokens))
        return F.softmax(scaled.masked_fill(~allowed, -torch.inf), dim=-1)

    def layer(self, name: str) -> Tensor:
        """An entry of the block that is asked about."""
        return encoder.encode(self.setup)[self.fields["layer"] - 1].value(name).double()

    def of_word(self, numbers: Tensor) -> float:
        """The number of the word which the exercise names."""
        asks = self.asks.translate({0x2068: None, 0x2069: None})
        name = re.search(r"“(.+?)”|logits\[(.+?)\] is a sum", asks)
        return numbers[self.setup.vocabulary.index(name[1] or name[2])].item()

    def next_shares(self) -> Tensor:
        predicted = next_word.predict(self.setup)
        return reference.word_shares(predicted, reference.word_logits(predicted))

    def apart(self) -> attribution.Attribution:
        """The two likeliest words' logits taken apart, which test_attribution holds."""
        logits = next_word.predict(self.setup).value("logits")
        first, second = logits.argsort(descending=True, stable=True)[:2].tolist()
        return attribution.take_apart(self.setup, first, second)


# ---------- exercises that ask for a number ----------


def _projected(o: Asked) -> float:
    """The cell of Q, K or V, turned where the exercise says so, or one term of its sum."""
    kind = KINDS[o.fields["matrix"]]
    head, place = (o.head, o.i) if kind == "q" else (o.kv_head, o.j)
    if term := re.search(r"term (\d+) of that sum", o.asks):
        inner, x = int(term[1]) - 1, o.trace.value(o.trace.made_of(kind))
        return (x[place, inner] * o.trace.value(f"w_{kind}")[head, inner, o.column]).item()
    vectors = theirs(o.trace, kind)[head]
    if o.asks.endswith("turned?"):
        vectors = reference.compared(o.setup, vectors, None)
    return vectors[place, o.column].item()


def _keys_of_a_place(o: Asked) -> int:
    """How many keys are open, counted in the sentence as the question shows it."""
    shown = o.asks.split("\n")[1].split("  ")
    place = int(re.search(r"at place (\d+)", o.asks)[1]) - 1
    is_key = [token != "[pad]" or o.setup.padding == "unmasked" for token in shown]
    allowed = may_attend(o.setup, len(shown)).expand(len(shown), -1)
    return int((allowed[place] & torch.tensor(is_key)).sum())


def _column_of_concat(o: Asked) -> int:
    inner, head = map(int, re.search(r"number (\d+) of head (\d+)", o.asks).groups())
    return (head - 1) * o.setup.d_v + inner


def _normed(o: Asked) -> float:
    source = o.layer("resid_mid" if o.setup.norm == "post" else "x")
    if o.setup.norm_kind == "rms":
        return F.rms_norm(source, source.shape[-1:], eps=1e-5)[o.i, o.column].item()
    return F.layer_norm(source, source.shape[-1:])[o.i, o.column].item()


def _activated(o: Asked) -> float:
    bend, is_gated = reference.ACTIVATIONS[o.setup.activation], o.setup.activation == "swiglu"
    up = o.layer("ffn_hidden")
    return (bend(o.layer("ffn_gate")) * up if is_gated else bend(up))[o.i, o.column].item()


def _all_words(o: Asked) -> set[str]:
    return {*o.setup.tokens, *o.setup.memory_tokens}


ORACLES = {
    "vocabulary.1": lambda o: smaller(_all_words(o), o.setup.tokens[o.i]),
    "vocabulary.2": lambda o: smaller(
        _all_words(o) | {re.search("“(.+?)” is added", o.asks)[1]}, o.setup.tokens[o.i]
    ),
    "embedding.1": lambda o: theirs(o.trace, "embedded")[o.i, o.column].item(),
    "embedding.2": lambda o: (
        run(replace(o.setup, positions="sinusoidal")).value("x")[o.i, o.column].item()
    ),
    "embedding.3": lambda o: len(_all_words(o)) * o.setup.d_model,
    "projection.1": _projected,
    "projection.2": _projected,
    "projection.3": lambda o: tuple(theirs(o.trace, KINDS[o.fields["matrix"]]).shape[1:]),
    "scores.1": lambda o: theirs(o.trace, "scores")[o.cell].item(),
    "scores.2": lambda o: theirs(o.trace, "scores")[o.cell].item(),
    "scores.3": lambda o: 2 * theirs(o.trace, "scores")[o.cell].item(),
    "weights.1": lambda o: (
        theirs(o.trace, "scores")[o.cell].item() / (o.root * o.setup.temperature)
    ),
    "weights.2": lambda o: theirs(o.trace, "weights")[o.cell].item(),
    "context.1": lambda o: theirs(o.trace, "context")[o.head, o.i, o.column].item(),
    "context.3": lambda o: theirs(o.trace, "weights")[o.cell].item(),
    "heads.1": lambda o: tuple(theirs(o.trace, "concat").shape),
    "heads.2": _column_of_concat,
    "heads.3": lambda o: sum(o.trace.value(f"w_{name}").numel() for name in "qkvo"),
    "heads.output": lambda o: theirs(o.trace, "output")[o.i, o.column].item(),
    "masks.1": _keys_of_a_place,
    "masks.2": lambda o: tuple(batch.run(o.setup).trace.value("weights").shape),
    "masks.3": lambda o: theirs(replace(o.trace, setup=replace(o.setup, mask="causal")), "weights")[
        o.cell
    ].item(),
    "block.1": lambda o: (o.layer("x") + o.layer("output"))[o.i, o.column].item(),
    "block.2": _normed,
    "block.3": _activated,
    "next.1": lambda o: o.of_word(reference.word_logits(next_word.predict(o.setup))),
    "next.2": lambda o: o.of_word(o.next_shares()),
    "next.4": lambda o: o.apart().heads[o.fields["layer"] - 1, o.head, o.j].item(),
    "next.6": lambda o: (
        o.apart().total - o.apart().heads[o.fields["layer"] - 1, o.head].sum().item()
    ),
}


def agrees(answer: object, number: object, size: float) -> bool:
    """Equal; numbers with decimals as far as float32 goes, whose terms may be of that size."""
    if not isinstance(answer, Span):
        return answer == number
    room = 1e-4 + 1e-5 * max(size, abs(number))
    return answer.low - room <= number <= answer.high + room


# ---------- exercises that ask for a choice: the options that are right ----------


def _leave_ids_alone(o: Asked, options: tuple[str, ...]) -> list[str]:
    words = sorted(_all_words(o))
    after = {"The s": words, "The v": words[::-1], "A new": ["", *words]}
    return [option for option in options if after[option[:5]] == words]


def _moves_weights(o: Asked, options: tuple[str, ...]) -> list[str]:
    scores = theirs(o.trace, "scores")[o.head]
    row = o.weights(scores)[o.i]
    if "temperature" in o.asks:
        after = o.weights(scores / 2)[o.i]
        return [each for each in options if each in o.words and _at(o, after - row, each) > 0]
    one_more = scores.clone()
    one_more[o.i, o.j] += 5 * o.root * o.setup.temperature
    changed = {"5 is added to every": scores + 5, "Every number of the": 2 * scores}
    found = [o.weights(changed.get(each[:19], one_more))[o.i] for each in options]
    return [
        each for each, new in zip(options, found, strict=True) if (new - row).abs().max() < 1e-4
    ]


def _at(o: Asked, numbers: Tensor, word: str) -> float:
    return numbers[o.words.index(word)].item()


def _gives_most(o: Asked, options: tuple[str, ...]) -> list[str]:
    v = theirs(o.trace, "v")[o.kv_head, :, o.column]
    parts = (theirs(o.trace, "weights")[o.head, o.i] * v).abs()
    return [option for option in options if _at(o, parts, option) >= parts.max()]


def _drawn(o: Asked, options: tuple[str, ...]) -> list[str]:
    shares, order = o.next_shares().double().sort(descending=True, stable=True)
    drawn = float(re.search(r"The number (0\.\d+) is drawn", o.asks)[1])
    place = order[torch.searchsorted(shares.cumsum(0), drawn, right=True)].item()
    return [option for option in options if option == quoted(o.setup.vocabulary[place])]


def _brings_most(o: Asked, options: tuple[str, ...]) -> list[str]:
    heads, brings = o.apart().heads, {}
    for option in options:
        layer, head, word = re.fullmatch(r"layer (\d+), head (\d+), reading (.+)", option).groups()
        brings[option] = abs(heads[int(layer) - 1, int(head) - 1, o.words.index(word)].item())
    return [option for option in options if brings[option] >= max(brings.values())]


CHOICES = {
    "vocabulary.3": _leave_ids_alone,
    "weights.3": _moves_weights,
    "context.2": _gives_most,
    "next.3": _drawn,
    "next.5": _brings_most,
}


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
        raw = raw[seen] / o.setup.temperature
        with_and_without = (F.softmax(raw / root, dim=0).max() for root in (o.setup.d_k**0.5, 1))
        return torch.stack([*with_and_without]), seen
    parts = shares[:, None] * theirs(trace, "v")[o.kv_head]
    return {"scores": raw, "weights": shares[seen], "context": parts.norm(dim=1)[seen]}[name], seen
