"""The same numbers by another way, for tests of several files: by PyTorch's own functions, in
double precision."""

import math
import re
from dataclasses import replace
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core import attribution, batch, encoder, next_word, weights
from core.answers import Span
from core.question import Question
from core.setup import Setup
from core.text import labels, quoted
from core.trace import run


def turned(setup: Setup, vectors: Tensor) -> Tensor:
    """Queries or keys (…, token, d_k) after rotary positions in float64: one matrix for each place,
    with a small rotation for each pair of numbers on its diagonal. Su et al. 2021, equation 15."""
    vectors = vectors.double()
    if setup.positions != "rotary":
        return vectors
    size, tokens = vectors.shape[-1], vectors.shape[-2]
    paired, turns = size - size % 2, torch.eye(size, dtype=torch.float64).repeat(tokens, 1, 1)
    for place in range(tokens):
        for i in range(0, paired, 2):
            angle = place * 10000 ** (-i / paired)
            turns[place, i : i + 2, i : i + 2] = torch.tensor(
                [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]],
                dtype=torch.float64,
            )
    return (turns @ vectors.unsqueeze(-1)).squeeze(-1)


# ---------- what is asked ----------


class Ours:
    """What PyTorch makes of the places that an exercise opens, or of these."""

    def __init__(self, setup: Setup, exercise: Question | None = None, **fields: int) -> None:
        name, self.asks, self.fields = (
            (exercise.name, exercise.asks, exercise.opens.fields) if exercise else ("", "", fields)
        )
        self.setup = (
            replace(setup, layer=1) if name.startswith(("embedding", "training")) else setup
        )
        if name.startswith("next"):  # no other sentence is asked there
            self.setup = replace(setup, memory="")
        self.head, self.i, self.j, self.column = (
            self.fields.get(f, 1) - 1 for f in ("head", "query", "key", "column")
        )

    def x(self, kind: str = "q") -> Tensor:
        """What attention takes in; a further layer may norm it first. Keys and values are another
        sentence's, where one is asked."""
        x = (
            run(self.setup)
            .value("memory_x" if self.setup.memory and kind in "kv" else "x")
            .double()
        )
        if self.setup.layer == 1 or self.setup.norm == "post":
            return x
        norm = F.layer_norm if self.setup.norm_kind == "layer" else F.rms_norm
        return norm(x, x.shape[-1:], eps=self.setup.epsilon)

    def project(self, kind: str) -> Tensor:
        if self.setup.projections == "none":
            return self.x(kind)
        own, head = (
            weights.projections(self.setup),
            kv_place(self.setup, self.head) if kind != "q" else self.head,
        )
        bias = own[f"b_{kind}"][head].double() if self.setup.bias == "on" else None
        return F.linear(self.x(kind), own[f"w_{kind}"][head].double().T, bias)

    def scores(self) -> Tensor:
        return torch.einsum("id,jd->ij", *(turned(self.setup, self.project(kind)) for kind in "qk"))

    def factor(self) -> float:
        root = 1 if self.setup.scale == "none" else self.setup.d_k**0.5
        return 1 / (root * self.setup.temperature)

    def weights(self, scores: Tensor | None = None, causal: bool | None = None) -> Tensor:
        scores = (self.scores() if scores is None else scores) * self.factor()
        closed = (
            closed_to(len(scores), self.setup, scores.shape[1])
            if causal is None
            else torch.ones_like(scores).triu(1).bool()
        )
        scores = (
            scores - torch.where(closed, math.inf, 0.0)
            if closed.any() and causal is not False
            else scores
        )
        return F.softmax(scores, dim=-1)

    def layer(self) -> encoder.Trace:
        return encoder.encode(self.setup)[self.fields["layer"] - 1]


def by_itself(ours: Ours) -> Ours:
    """The sentence as the page Masks shows it: it asks itself. What a memory has drawn for its
    words counts nowhere."""
    ours.setup = replace(ours.setup, memory="")
    return ours


def kv_place(setup: Setup, head: int) -> int:
    """Whose keys and values a head works with: heads share them out in groups, one after the
    other."""
    kv_heads = setup.kv_heads or setup.heads
    return [place for place in range(kv_heads) for _ in range(setup.heads // kv_heads)][head]


def closed_to(tokens: int, setup: Setup, keys: int | None = None) -> Tensor:
    """Where the setup's mask lets no query look, cut out of a square of ones: (query, key). Of
    another sentence, nowhere."""
    closed = torch.zeros(tokens, keys or tokens, dtype=torch.bool)
    if "causal" in setup.mask:
        closed |= torch.ones(tokens, tokens).triu(1).bool()
    if "window" in setup.mask:
        closed |= (
            torch.ones(tokens, tokens).triu(setup.window + 1).bool()
            | torch.ones(tokens, tokens).tril(-setup.window - 1).bool()
        )
    return closed


def smaller(tokens: tuple[str, ...], token: str) -> int:
    """How many different tokens sort before this one."""
    return len({other for other in tokens if other < token})


def keys_of_a_place(ours: Ours) -> int:
    """Counted place by place, from the sentence as the question shows it."""
    shown, place = (
        ours.asks.split("\n")[1].split("  "),
        int(re.search(r"at place (\d+)", ours.asks)[1]) - 1,
    )
    counts = [
        k for k, token in enumerate(shown) if token != "[pad]" or ours.setup.padding == "unmasked"
    ]
    return sum(not closed_to(len(shown), ours.setup)[place, k] for k in counts)


def column_of_concat(ours: Ours) -> int:
    """Heads side by side, each number known by its head and place."""
    inner, head = map(int, re.search(r"number (\d+) of head (\d+)", ours.asks).groups())
    side_by_side = torch.cat(
        [1000 * k + torch.arange(1, ours.setup.d_v + 1) for k in range(1, ours.setup.heads + 1)]
    )
    return side_by_side.tolist().index(1000 * head + inner) + 1


def projected(ours: Ours) -> float:
    """The cell of Q, K or V that the exercise opens, turned where it says so, or one term of its
    sum."""
    kind = {"queries": "q", "keys": "k", "values": "v"}[ours.fields["matrix"]]
    place = ours.i if kind == "q" else ours.j
    term = re.search(r"term (\d+) of that sum", ours.asks)
    if ours.asks.endswith("turned?"):
        return turned(ours.setup, ours.project(kind))[place, ours.column].item()
    if term is None:
        return ours.project(kind)[place, ours.column].item()
    inner = int(term[1]) - 1
    w = weights.projections(ours.setup)[f"w_{kind}"][
        ours.head if kind == "q" else kv_place(ours.setup, ours.head)
    ].double()
    return (ours.x(kind)[place, inner] * w[inner, ours.column]).item()


def attended(ours: Ours) -> Tensor:
    """PyTorch's own attention on one head."""
    q, k, v = (ours.project(kind)[None] for kind in "qkv")
    q, k = turned(ours.setup, q), turned(ours.setup, k)
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=~closed_to(q.shape[1], ours.setup, k.shape[1]), scale=ours.factor()
    )[0]


def grown(ours: Ours) -> float:
    """How much the context grows when one value does."""
    v = ours.project("v")
    more = v.clone()
    more[ours.j, ours.column] += 1
    return ((ours.weights() @ more) - (ours.weights() @ v))[ours.i, ours.column].item()


def normed(ours: Ours) -> float:
    source = ours.layer().value("resid_mid" if ours.setup.norm == "post" else "x")
    norm = F.layer_norm if ours.setup.norm_kind == "layer" else partial(F.rms_norm, eps=1e-5)
    return norm(source.double(), (ours.setup.d_model,))[ours.i, ours.column].item()


def activated(ours: Ours) -> float:
    if ours.setup.activation == "swiglu":
        gate, hidden = (
            ours.layer().value(name)[ours.i, ours.column].double()
            for name in ("ffn_gate", "ffn_hidden")
        )
        return (F.silu(gate) * hidden).item()
    function = {"relu": F.relu, "gelu": F.gelu}[ours.setup.activation]
    return function(ours.layer().value("ffn_hidden").double())[ours.i, ours.column].item()


def next_logits(ours: Ours) -> Tensor:
    """The logits of the next word (word,), by PyTorch's product, of what a stack under a causal
    mask hands on."""
    setup = replace(
        ours.setup,
        memory="",
        layer=1,
        mask="causal-window" if "window" in ours.setup.mask else "causal",
    )
    z = encoder.encode(setup)[-1].value("out")[-1].double()
    table = weights.embedding_table(setup).double()
    return F.linear(
        z, table if setup.unembedding == "tied" else weights.unembedding(setup).T.double()
    )


def next_shares(ours: Ours) -> Tensor:
    """The shares of the next word, in double precision; what top-k and top-p leave is the trace's
    own, which test_next_word holds."""
    left = next_word.predict(ours.setup).value("top_p").isfinite()
    return F.softmax(
        (next_logits(ours) / ours.setup.word_temperature).masked_fill(~left, -math.inf), dim=0
    )


def of_next(ours: Ours, numbers: Tensor) -> float:
    """That of the word which the exercise names."""
    name = re.search(
        r"“(.+?)”|logits\[(.+?)\] is a sum", ours.asks.translate({0x2068: None, 0x2069: None})
    )
    return numbers[ours.setup.vocabulary.index(name[1] or name[2])].item()


def apart(ours: Ours) -> attribution.Attribution:
    """The two likeliest words' logits taken apart, which test_attribution holds."""
    first, second = (
        next_word.predict(ours.setup)
        .value("logits")
        .argsort(descending=True, stable=True)[:2]
        .tolist()
    )
    return attribution.take_apart(ours.setup, first, second)


ORACLES = {
    "vocabulary.1": lambda o: smaller(
        (*o.setup.tokens, *o.setup.memory_tokens), o.setup.tokens[o.i]
    ),
    "vocabulary.2": lambda o: smaller(
        (*o.setup.tokens, *o.setup.memory_tokens, re.search("“(.+?)” is added", o.asks)[1]),
        o.setup.tokens[o.i],
    ),
    "embedding.1": lambda o: F.embedding(
        run(o.setup).value("ids"), weights.embedding_table(o.setup)
    )[o.i, o.column].item(),
    "embedding.2": lambda o: (
        run(replace(o.setup, positions="sinusoidal")).value("x")[o.i, o.column].item()
    ),
    "embedding.3": lambda o: nn.Embedding(
        len({*o.setup.tokens, *o.setup.memory_tokens}), o.setup.d_model
    ).weight.numel(),
    "projection.1": projected,
    "projection.2": projected,
    "projection.3": lambda o: tuple(
        o.project({"queries": "q", "keys": "k", "values": "v"}[o.fields["matrix"]]).shape
    ),
    "scores.1": lambda o: o.scores()[o.i, o.j].item(),
    "scores.2": lambda o: o.scores()[o.i, o.j].item(),
    "scores.3": lambda o: (
        turned(o.setup, o.project("q"))[o.i] @ turned(o.setup, 2 * o.project("k"))[o.j]
    ).item(),
    "weights.1": lambda o: (o.scores()[o.i, o.j] * o.factor()).item(),
    "weights.2": lambda o: o.weights()[o.i, o.j].item(),
    "context.1": lambda o: attended(o)[o.i, o.column].item(),
    "context.3": grown,
    "heads.1": lambda o: tuple(torch.cat([attended(o)] * o.setup.heads, dim=-1).shape),
    "heads.2": column_of_concat,
    "heads.3": lambda o: sum(
        w.numel() for name, w in weights.projections(o.setup).items() if name.startswith("w_")
    ),
    "masks.1": keys_of_a_place,
    "masks.2": lambda o: tuple(batch.run(o.setup).trace.value("weights").shape),
    "masks.3": lambda o: by_itself(o).weights(causal=True)[o.i, o.j].item(),
    "block.1": lambda o: sum(
        o.layer().value(name)[o.i, o.column].double().item() for name in ("x", "output")
    ),
    "block.2": normed,
    "block.3": activated,
    "next.1": lambda o: of_next(o, next_logits(o)),
    "next.2": lambda o: of_next(o, next_shares(o)),
    "next.4": lambda o: apart(o).heads[o.fields["layer"] - 1, o.head, o.j].item(),
    "next.6": lambda o: apart(o).total - apart(o).heads[o.fields["layer"] - 1, o.head].sum().item(),
}
CHOICES = ("vocabulary.3", "weights.3", "context.2", "next.3", "next.5")


def predicted(name: str, setup: Setup, head: int, query: int) -> tuple[Tensor, list[int]]:
    """The numbers behind a prediction, and the places of the words that may be looked at."""
    ours = Ours(setup, head=head + 1, query=query + 1)
    raw, shares = ours.scores()[query], ours.weights()[query]
    seen = (~closed_to(len(setup.tokens), setup, len(raw)))[query].nonzero()[:, 0].tolist()
    if name == "heads":
        w_o, concat = (
            weights.projections(setup)["w_o"].double(),
            run(setup).value("concat")[query].double(),
        )
        parts = [
            concat[k : k + setup.d_v] @ w_o[k : k + setup.d_v]
            for k in range(0, len(concat), setup.d_v)
        ]
        return torch.stack([part.norm() for part in parts]), seen
    if name == "root":
        raw = raw[seen] / setup.temperature
        return torch.stack(
            [F.softmax(each, dim=0).max() for each in (raw / setup.d_k**0.5, raw)]
        ), seen
    return {
        "scores": raw,
        "weights": shares[seen],
        "context": (shares[:, None] * ours.project("v")).norm(dim=1)[seen],
    }[name], seen


def agrees(answer: object, ours: object, size: float) -> bool:
    """Equal; numbers with decimals as far as float32 goes, whose terms may be of that size."""
    if not isinstance(answer, Span):
        return answer == ours
    room = 1e-4 + 1e-5 * max(size, abs(ours))
    return answer.low - room <= ours <= answer.high + room


def holds(exercise: Question, setup: Setup, option: str) -> bool:  # noqa: PLR0911 (an oracle for each)
    """Whether this option is a right answer."""
    ours, tokens = Ours(setup, exercise), (*setup.tokens, *setup.memory_tokens)
    if exercise.name == "vocabulary.3":
        words, backwards = sorted(set(tokens)), tokens[::-1]
        after = {"The s": sorted(set(backwards)), "The v": words[::-1], "A new": ["", *words]}[
            option[:5]
        ]
        return all(after.index(word) == words.index(word) for word in words)
    if exercise.name == "next.3":
        shares, order = next_shares(ours).sort(descending=True, stable=True)
        drawn = float(re.search(r"The number (0\.\d+) is drawn", exercise.asks)[1])
        place = order[torch.searchsorted(shares.cumsum(0), drawn, right=True)].item()
        return option == quoted(ours.setup.vocabulary[place])
    if exercise.name == "next.5":
        heads, names = apart(ours).heads, [quoted(label) for label in labels(ours.setup.tokens)]

        def brings(option: str) -> float:
            layer, head, word = re.fullmatch(
                r"layer (\d+), head (\d+), reading (.+)", option
            ).groups()
            return heads[int(layer) - 1, int(head) - 1, names.index(word)].abs().item()

        return brings(option) >= max(map(brings, exercise.options))
    row = ours.weights()[ours.i]
    if exercise.name == "context.2":
        place = [quoted(label) for label in labels(setup.memory_tokens or setup.tokens)].index(
            option
        )
        parts = (row * ours.project("v")[:, ours.column]).abs()
        return bool(parts[place] >= parts.max())
    if "temperature" in exercise.asks:
        warmer = Ours(replace(setup, temperature=min(2 * setup.temperature, 10)), exercise)
        if setup.temperature > 5:
            return option == exercise.options[exercise.answer]
        after = warmer.weights()[warmer.i]
        words = [quoted(label) for label in labels(setup.memory_tokens or setup.tokens)]
        return option in words and bool(after[words.index(option)] > row[words.index(option)])
    scores = ours.scores() * ours.factor()
    changed = {"5 is added to every": scores + 5, "Every number of the": 2 * scores}.get(
        option[:19]
    )
    if changed is None:
        changed = scores.clone()
        changed[ours.i, ours.j] += 5
    return bool((ours.weights(changed / ours.factor())[ours.i] - row).abs().max() < 1e-4)
