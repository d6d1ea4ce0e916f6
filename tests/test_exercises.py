"""Exercises: every answer is computed another way, every slip is recognised by its number, and nothing typed is lost."""

import itertools
import math
import os
import re
from dataclasses import replace
from functools import cache, partial

import pytest
import torch
import torch.nn.functional as F
from core.exercises.answers import UnreadableError, number, shape, whole
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import turned
from strategies import setups
from torch import Tensor, nn

from core import batch, encoder, exercises, next_word, training_store, weights
from core.exercises import NAMES, Exercise, Span, Unposed, judge, make
from core.setup import Setup
from core.text import labels, quoted
from core.trace import run
from core.training import OPENED, out_of_row
from core.written import number as written

OF_STEPS = [name for name in NAMES if not name.startswith("training")]
TIMES = int(os.environ.get("FUZZ", "1"))
VARIATIONS = st.integers(1, 99)


class Ours:
    """What PyTorch makes of the places that an exercise opens, from the weights alone and in double precision."""

    def __init__(self, setup: Setup, exercise: Exercise) -> None:
        self.setup = replace(setup, layer=1) if exercise.name.startswith(("embedding", "training")) else setup
        if exercise.name.startswith("next"):  # no other sentence is asked there
            self.setup = replace(setup, memory="")
        self.question, self.fields = exercise.question, exercise.opens.fields
        self.head, self.i, self.j, self.column = (self.fields.get(f, 1) - 1 for f in ("head", "query", "key", "column"))

    def x(self, kind: str = "q") -> Tensor:
        """What attention takes in; a further layer may norm it first. Keys and values are another sentence's, where one is asked."""
        x = run(self.setup).value("memory_x" if self.setup.memory and kind in "kv" else "x").double()
        if self.setup.layer == 1 or self.setup.norm == "post":
            return x
        norm = F.layer_norm if self.setup.norm_kind == "layer" else F.rms_norm
        return norm(x, x.shape[-1:], eps=self.setup.epsilon)

    def project(self, kind: str) -> Tensor:
        if self.setup.projections == "none":
            return self.x(kind)
        own, head = weights.projections(self.setup), kv_place(self.setup, self.head) if kind != "q" else self.head
        bias = own[f"b_{kind}"][head].double() if self.setup.bias == "on" else None
        return F.linear(self.x(kind), own[f"w_{kind}"][head].double().T, bias)

    def scores(self) -> Tensor:
        return torch.einsum("id,jd->ij", *(turned(self.setup, self.project(kind)) for kind in "qk"))

    def factor(self) -> float:
        root = 1 if self.setup.scale == "none" else self.setup.d_k**0.5
        return 1 / (root * self.setup.temperature)

    def weights(self, scores: Tensor | None = None, causal: bool | None = None) -> Tensor:
        scores = (self.scores() if scores is None else scores) * self.factor()
        closed = closed_to(len(scores), self.setup, scores.shape[1]) if causal is None else torch.ones_like(scores).triu(1).bool()
        scores = scores - torch.where(closed, math.inf, 0.0) if closed.any() and causal is not False else scores
        return F.softmax(scores, dim=-1)

    def layer(self) -> encoder.Trace:
        return encoder.encode(self.setup)[self.fields["layer"] - 1]


def by_itself(ours: Ours) -> Ours:
    """The sentence as the page Masks shows it: it asks itself. What a memory has drawn for its words counts nowhere."""
    ours.setup = replace(ours.setup, memory="")
    return ours


def kv_place(setup: Setup, head: int) -> int:
    """Whose keys and values a head works with: heads share them out in groups, one after the other."""
    kv_heads = setup.kv_heads or setup.heads
    return [place for place in range(kv_heads) for _ in range(setup.heads // kv_heads)][head]


def closed_to(tokens: int, setup: Setup, keys: int | None = None) -> Tensor:
    """Where the setup's mask lets no query look, cut out of a square of ones: (query, key). Of another sentence, nowhere."""
    closed = torch.zeros(tokens, keys or tokens, dtype=torch.bool)
    if "causal" in setup.mask:
        closed |= torch.ones(tokens, tokens).triu(1).bool()
    if "window" in setup.mask:
        closed |= (
            torch.ones(tokens, tokens).triu(setup.window + 1).bool() | torch.ones(tokens, tokens).tril(-setup.window - 1).bool()
        )
    return closed


def smaller(tokens: tuple[str, ...], token: str) -> int:
    """How many different tokens sort before this one."""
    return len({other for other in tokens if other < token})


def keys_of_a_place(ours: Ours) -> int:
    """Counted place by place, from the sentence as the question shows it."""
    shown, place = ours.question.split("\n")[1].split("  "), int(re.search(r"at place (\d+)", ours.question)[1]) - 1
    counts = [k for k, token in enumerate(shown) if token != "[pad]" or ours.setup.padding == "unmasked"]
    return sum(not closed_to(len(shown), ours.setup)[place, k] for k in counts)


def column_of_concat(ours: Ours) -> int:
    """Heads side by side, each number known by its head and place."""
    inner, head = map(int, re.search(r"number (\d+) of head (\d+)", ours.question).groups())
    side_by_side = torch.cat([1000 * k + torch.arange(1, ours.setup.d_v + 1) for k in range(1, ours.setup.heads + 1)])
    return side_by_side.tolist().index(1000 * head + inner) + 1


def projected(ours: Ours) -> float:
    """The cell of Q, K or V that the exercise opens, turned where it says so, or one term of its sum."""
    kind = {"queries": "q", "keys": "k", "values": "v"}[ours.fields["matrix"]]
    place = ours.i if kind == "q" else ours.j
    term = re.search(r"term (\d+) of that sum", ours.question)
    if ours.question.endswith("turned?"):
        return turned(ours.setup, ours.project(kind))[place, ours.column].item()
    if term is None:
        return ours.project(kind)[place, ours.column].item()
    inner = int(term[1]) - 1
    w = weights.projections(ours.setup)[f"w_{kind}"][ours.head if kind == "q" else kv_place(ours.setup, ours.head)].double()
    return (ours.x(kind)[place, inner] * w[inner, ours.column]).item()


def attended(ours: Ours) -> Tensor:
    """PyTorch's own attention on one head."""
    q, k, v = (ours.project(kind)[None] for kind in "qkv")
    q, k = turned(ours.setup, q), turned(ours.setup, k)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=~closed_to(q.shape[1], ours.setup, k.shape[1]), scale=ours.factor())[
        0
    ]


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
        gate, hidden = (ours.layer().value(name)[ours.i, ours.column].double() for name in ("ffn_gate", "ffn_hidden"))
        return (F.silu(gate) * hidden).item()
    function = {"relu": F.relu, "gelu": F.gelu}[ours.setup.activation]
    return function(ours.layer().value("ffn_hidden").double())[ours.i, ours.column].item()


def next_logits(ours: Ours) -> Tensor:
    """The logits of the next word (word,), by PyTorch's product, of what a stack under a causal mask hands on."""
    setup = replace(ours.setup, memory="", layer=1, mask="causal-window" if "window" in ours.setup.mask else "causal")
    z = encoder.encode(setup)[-1].value("out")[-1].double()
    table = weights.embedding_table(setup).double()
    return F.linear(z, table if setup.unembedding == "tied" else weights.unembedding(setup).T.double())


def next_shares(ours: Ours) -> Tensor:
    """The shares of the next word, in double precision; what top-k and top-p leave is the trace's own, which test_next_word holds."""
    left = next_word.predict(ours.setup).value("top_p").isfinite()
    return F.softmax((next_logits(ours) / ours.setup.word_temperature).masked_fill(~left, -math.inf), dim=0)


def of_next(ours: Ours, numbers: Tensor) -> float:
    """That of the word which the exercise names."""
    name = re.search(r"“(.+?)”|logits\[(.+?)\] is a sum", ours.question.translate({0x2068: None, 0x2069: None}))
    return numbers[ours.setup.vocabulary.index(name[1] or name[2])].item()


ORACLES = {
    "vocabulary.1": lambda o: smaller((*o.setup.tokens, *o.setup.memory_tokens), o.setup.tokens[o.i]),
    "vocabulary.2": lambda o: smaller(
        (*o.setup.tokens, *o.setup.memory_tokens, re.search("“(.+?)” is added", o.question)[1]), o.setup.tokens[o.i]
    ),
    "embedding.1": lambda o: F.embedding(run(o.setup).value("ids"), weights.embedding_table(o.setup))[o.i, o.column].item(),
    "embedding.2": lambda o: run(replace(o.setup, positions="sinusoidal")).value("x")[o.i, o.column].item(),
    "embedding.3": lambda o: nn.Embedding(len({*o.setup.tokens, *o.setup.memory_tokens}), o.setup.d_model).weight.numel(),
    "projection.1": projected,
    "projection.2": projected,
    "projection.3": lambda o: tuple(o.project({"queries": "q", "keys": "k", "values": "v"}[o.fields["matrix"]]).shape),
    "scores.1": lambda o: o.scores()[o.i, o.j].item(),
    "scores.2": lambda o: o.scores()[o.i, o.j].item(),
    "scores.3": lambda o: (turned(o.setup, o.project("q"))[o.i] @ turned(o.setup, 2 * o.project("k"))[o.j]).item(),
    "weights.1": lambda o: (o.scores()[o.i, o.j] * o.factor()).item(),
    "weights.2": lambda o: o.weights()[o.i, o.j].item(),
    "context.1": lambda o: attended(o)[o.i, o.column].item(),
    "context.3": grown,
    "heads.1": lambda o: tuple(torch.cat([attended(o)] * o.setup.heads, dim=-1).shape),
    "heads.2": column_of_concat,
    "heads.3": lambda o: sum(w.numel() for name, w in weights.projections(o.setup).items() if name.startswith("w_")),
    "masks.1": keys_of_a_place,
    "masks.2": lambda o: tuple(batch.run(o.setup).trace.value("weights").shape),
    "masks.3": lambda o: by_itself(o).weights(causal=True)[o.i, o.j].item(),
    "block.1": lambda o: sum(o.layer().value(name)[o.i, o.column].double().item() for name in ("x", "output")),
    "block.2": normed,
    "block.3": activated,
    "next.1": lambda o: of_next(o, next_logits(o)),
    "next.2": lambda o: of_next(o, next_shares(o)),
}  # fmt: skip
CHOICES = ("vocabulary.3", "weights.3", "context.2", "next.3")


def agrees(answer: object, ours: object, size: float) -> bool:
    """Equal; numbers with decimals as far as float32 goes, whose terms may be of that size."""
    if not isinstance(answer, Span):
        return answer == ours
    room = 1e-4 + 1e-5 * max(size, abs(ours))
    return answer.low - room <= ours <= answer.high + room


def made(name: str, setup: Setup, variation: int) -> Exercise | None:
    exercise = make(name, setup, variation)
    if isinstance(exercise, Unposed):
        assert exercise.why.endswith((".", "10."))
        return None
    return exercise


def test_every_page_has_three():
    """Thirty-three in all, and every one has an oracle in these tests."""
    assert len(NAMES) == 33
    assert {name.partition(".")[0]: len(exercises.of_page(name.partition(".")[0])) for name in NAMES} == dict.fromkeys(
        exercises.MAKERS, 3
    )
    assert {*ORACLES, *CHOICES, *exercises.of_page("training")} == set(NAMES)


def test_a_turned_number_is_asked_for():
    """Under rotary positions both numbers of a pair are asked for, as a matrix for each place turns them; the last number of an odd
    size is in no pair, and is asked for as it is."""
    setup = replace(SMALL, positions="rotary", d_k=5, init="xavier")
    of_setup = [made("projection.2", setup, variation) for variation in range(1, 61)]
    turned_ones = [one for one in of_setup if one and one.question.endswith("turned?")]
    assert {one.opens.fields["column"] % 2 for one in turned_ones} == {0, 1}
    assert all(one.opens.fields["column"] < 5 for one in turned_ones)
    for one in turned_ones:
        assert agrees(one.answer, projected(Ours(setup, one)), 1)


@pytest.mark.parametrize("name", ORACLES)
@settings(max_examples=20 * TIMES)
@given(setups(), VARIATIONS)
def test_the_answer_is_pytorchs(name, setup, variation):
    """Computed another way, from the weights and the places that the exercise opens, the answer is the same."""
    exercise = made(name, setup, variation)
    if exercise:
        trace = run(setup)
        size = max(trace.value(entry).abs().max().item() for entry in ("scores", "context", "x"))
        ours = ORACLES[name](Ours(setup, exercise))
        # A weight moves by as much as its score is off.
        exact = size if name not in ("weights.2", "masks.3", "context.3") else size * Ours(setup, exercise).factor()
        if name.startswith("next"):
            exact = max(size, next_word.predict(setup).value("tempered").abs().max().item())
        assert agrees(exercise.answer, ours, exact), (exercise.question, exercise.answer, ours)


@settings(max_examples=40 * TIMES)
@given(setups(), VARIATIONS)
def test_one_option_alone_is_right(setup, variation):
    """Of the options of each choice, exactly one does what is asked, tried out by PyTorch."""
    for name in CHOICES:
        exercise = made(name, setup, variation)
        if exercise:
            right = [letter for letter, option in zip("ABC", exercise.options, strict=False) if holds(exercise, setup, option)]
            assert right == [exercise.answer], (exercise.question, exercise.options)
            assert len(set(exercise.options)) == len(exercise.options) >= 2


def holds(exercise: Exercise, setup: Setup, option: str) -> bool:
    """Whether this option is a right answer."""
    ours, tokens = Ours(setup, exercise), (*setup.tokens, *setup.memory_tokens)
    if exercise.name == "vocabulary.3":
        words, backwards = sorted(set(tokens)), tokens[::-1]
        after = {"The s": sorted(set(backwards)), "The v": words[::-1], "A new": ["", *words]}[option[:5]]
        return all(after.index(word) == words.index(word) for word in words)
    if exercise.name == "next.3":
        shares, order = next_shares(ours).sort(descending=True, stable=True)
        drawn = float(re.search(r"The number (0\.\d+) is drawn", exercise.question)[1])
        place = order[torch.searchsorted(shares.cumsum(0), drawn, right=True)].item()
        return option == quoted(ours.setup.vocabulary[place])
    row = ours.weights()[ours.i]
    if exercise.name == "context.2":
        place = [quoted(label) for label in labels(setup.memory_tokens or setup.tokens)].index(option)
        parts = (row * ours.project("v")[:, ours.column]).abs()
        return bool(parts[place] >= parts.max())
    if "temperature" in exercise.question:
        warmer = Ours(replace(setup, temperature=min(2 * setup.temperature, 10)), exercise)
        if setup.temperature > 5:
            return option == exercise.options["ABC".index(exercise.answer)]
        after = warmer.weights()[warmer.i]
        words = [quoted(label) for label in labels(setup.memory_tokens or setup.tokens)]
        return option in words and bool(after[words.index(option)] > row[words.index(option)])
    scores = ours.scores() * ours.factor()
    changed = {"5 is added to every": scores + 5, "Every number of the": 2 * scores}.get(option[:19])
    if changed is None:
        changed = scores.clone()
        changed[ours.i, ours.j] += 5
    return bool((ours.weights(changed / ours.factor())[ours.i] - row).abs().max() < 1e-4)


def typed(answer: object) -> str:
    """An answer as a reader would type what is printed."""
    if isinstance(answer, Span):
        return written((answer.low + answer.high) / 2)
    return exercises.written(answer)


@settings(max_examples=20 * TIMES)
@given(setups(), VARIATIONS)
def test_every_slip_is_told_and_never_right(setup, variation):
    """Typed as printed, the answer is right, from the tensors and from the printed numbers; what a slip gives is not, and the
    slip is named."""
    for name in OF_STEPS:
        exercise = made(name, setup, variation)
        if exercise is None:
            continue
        assert judge(exercise, typed(exercise.answer)).right
        assert judge(exercise, exercises.written(exercise.answer)).right
        if isinstance(exercise.answer, Span):
            assert all(judge(exercise, written(end)).right for end in (exercise.answer.low, exercise.answer.high))
        for slip in exercise.slips:
            verdict = judge(exercise, typed(slip.gives))
            assert verdict.right is False, (name, exercise.question, slip)
            assert slip in verdict.slips, (name, slip, verdict)
            assert slip.says in verdict.says
        assert 2 <= len(exercise.hints) <= 3


@pytest.mark.parametrize("name", OF_STEPS)
def test_the_first_setup_has_them_all(name):
    """With the setup that every reader begins with, each exercise is posed, again and again, and has slips to make."""
    asked = [make(name, Setup(), variation) for variation in range(1, 21)]
    assert all(isinstance(exercise, Exercise) and exercise.slips for exercise in asked)
    assert asked == [make(name, Setup(), variation) for variation in range(1, 21)]
    if name not in ("vocabulary.3", "embedding.3", "heads.1", "heads.3", "masks.2"):  # these have nothing to pick
        assert len({exercise.question for exercise in asked}) > 2


def test_by_hand():
    """Score 9.0697 = 9.8764 − 2.0545 · 0.6600 + 0.2024 · 2.7132, and what each slip makes of the same numbers."""
    exercise = make("scores.1", Setup())
    assert "22 of them make 9.8764" in exercise.question
    assert judge(exercise, "9.0697").right
    for answer, slip in {
        "24.3095": "query and key are exchanged",
        "1.8514": "the score is scaled already",
        "5.5663": "the factors are added",
        "-0.8068": "the sum of all the others is left out",
        "9.07": "rounded or cut to 2 decimals",
        "9.0677": "numbers on the way are rounded",
        "-9.0697": "the sign is turned round",
    }.items():
        verdict = judge(exercise, answer)
        assert verdict.right is False
        assert slip in verdict.says, (answer, verdict.says)
    assert "No usual slip" in judge(exercise, "77").says


def test_a_sentence_of_all_words_is_no_error():
    """Where the sentence has every word that could be added, vocabulary.2 says so in place of an error."""
    for setup in (
        Setup(text="Ants and bread five milk now often slow today water yes"),
        Setup(text="ABMQabcdfgjkmpquvwxyz0123456789", split="characters"),
    ):
        assert "has every word already" in make("vocabulary.2", setup).why


def test_a_vocabulary_with_the_words_of_training_has_slips_of_its_own():
    """With trained weights the language's words count, also for who lists a repeated word twice."""
    setup = Setup(text="we saw cat and cat and then we ran", init="trained")
    for variation in range(1, 30):
        exercise = make("vocabulary.1", setup, variation)
        token = setup.tokens[exercise.opens.fields["query"] - 1]
        gives = {slip.says.partition(":")[0]: slip.gives for slip in exercise.slips}
        twice = sum(word < token for word in [*setup.tokens, *(set(setup.vocabulary) - set(setup.tokens))])
        assert gives.get("a word that occurs twice is listed twice", exercise.answer) == twice
        assert gives.get("the words of training are left out", exercise.answer) == smaller(setup.tokens, token)


@given(setups(), VARIATIONS)
def test_slips_in_counting_keys_are_of_this_mask(setup, variation):
    """masks.1 names a mask as left out only where it is on, and padding as hidden only where it is."""
    says = " ".join(slip.says for slip in make("masks.1", setup, variation).slips)
    causal, hidden, window = "causal" in setup.mask, setup.padding != "unmasked", "window" in setup.mask
    for phrase, may in (
        ("the causal mask is left out", causal),
        ("the causal mask alone", causal and hidden),
        ("later words are counted", causal),
        ("a causal mask is taken: here there is none", not causal),
        ("padding is counted: a mask hides it", hidden and (window or not causal)),
        ("the window", window),
        ("with padding unmasked", not hidden),
    ):
        assert may or phrase not in says, (setup, says)


@pytest.mark.parametrize("name", ["weights.1", "weights.2"])
def test_a_wrong_divisor_is_told_beside_the_right_rule(name):
    """Where scaling is off, no slip says that √d_k is right; where it is on, none says that it is off."""
    for scale, wrong in (("none", "it is √d_k"), ("sqrt", "scaling is off"), ("fourth-root", "scaling is off")):
        for variation in range(1, 6):
            slips = make(name, Setup(scale=scale, temperature=2.0), variation).slips
            assert slips
            assert not any(wrong in slip.says for slip in slips)
    off = make(name, Setup(scale="none", init="xavier")).slips
    assert any("√d_k: scaling is off" in slip.says for slip in off)


@pytest.mark.parametrize("name", OF_STEPS)
def test_another_like_this_is_another(name):
    """No variation asks what the one before it asked, where there is anything to pick."""
    asked = [make(name, Setup(), variation).question for variation in range(1, 31)]
    if len(set(asked)) > 3:
        assert all(one != following for one, following in itertools.pairwise(asked))


SHOWN = {"scores": ("scores",), "weights": ("scores", "scaled", "masked", "weights"), "context": ("context",)}


@settings(max_examples=15 * TIMES)
@given(setups(), VARIATIONS)
def test_a_slips_place_has_its_number_and_not_the_answer(setup, variation):
    """“Where that number stands” never leads to the answer's own cell, and on the seven steps the number does stand there."""
    for name in OF_STEPS:
        exercise = made(name, setup, variation)
        for slip in exercise.slips if exercise else ():
            assert slip.opens != exercise.opens, (name, slip)
            if slip.opens and slip.opens.path in SHOWN and isinstance(slip.gives, Span):
                at, entries = slip.opens.fields, SHOWN[slip.opens.path]
                if "key" in at and slip.opens.path == "context":
                    entries = ("weights",)  # that page has them too
                last = at["key"] if "key" in at else at["column"]
                there = [run(setup).value(entry)[at["head"] - 1, at["query"] - 1, last - 1].item() for entry in entries]
                assert any(slip.gives.holds(value) for value in there if math.isfinite(value)), (name, slip, there)


@pytest.mark.parametrize(
    ("name", "setup", "stands"),
    [
        ("masks.3", Setup(), True),
        ("masks.3", Setup(memory="the dog saw"), True),
        ("masks.3", Setup(memory="a dog", edits="embedding_table.3=0"), False),
        ("masks.3", Setup(layers=2, layer=2), False),
        ("masks.3", Setup(layers=2, layer=2, mask="causal"), True),
        ("masks.3", Setup(init="trained", steps=1, mask="window", window=1), False),
        ("masks.3", Setup(init="trained", steps=1, mask="causal"), True),
        ("masks.3", Setup(init="trained", steps=1, memory="cat", text="the cat saw the dog"), False),
        ("embedding.2", Setup(), True),
        ("embedding.2", Setup(init="trained", steps=1), False),
    ],
)
def test_show_me_leads_to_the_answer_or_nowhere(name, setup, stands):
    """A link with other choices shows the number that was asked for; where these change more than that, there is no link."""
    for variation in range(1, 5):
        exercise = make(name, setup, variation)
        assert exercise.opens.stands == stands
        if stands:
            at = {field: place - 1 for field, place in exercise.opens.fields.items() if isinstance(place, int)}
            shown, _ = Setup.nearest(setup.as_link() | {k: v for k, v in exercise.opens.fields.items() if isinstance(v, str)})
            place = [at[axis] for axis in ("head", "query", "key", "column") if axis in at]
            assert exercise.answer.holds(run(shown).value("weights" if name == "masks.3" else "x")[tuple(place)].item())


@pytest.mark.parametrize("activation", ["relu", "gelu", "swiglu"])
def test_a_slip_of_the_block_opens_its_own_number(activation):
    """What a slip of block.1 to block.3 gives stands where its link leads: a gate times a number is no gate."""
    setup = Setup(activation=activation, out="d_model")
    for name in ("block.1", "block.2", "block.3"):
        for slip in (slip for variation in range(1, 5) for slip in make(name, setup, variation).slips if slip.opens):
            at = slip.opens.fields
            shown = encoder.encode(setup)[at["layer"] - 1].value(at["stage"])[at["query"] - 1, at["column"] - 1].item()
            assert slip.gives.holds(shown), slip


def test_a_spread_is_the_rows_own():
    """block.2 calls a number the spread only where it is the row's standard deviation as printed, and not √ε."""
    for setup in (Setup(), Setup(norm="pre"), Setup(norm="pre", edits="embedding_table=2"), Setup(d_model=1, out="d_model")):
        for variation in range(1, 6):
            exercise = make("block.2", setup, variation)
            layer = encoder.encode(setup)[exercise.opens.fields["layer"] - 1]
            rows = layer.value("resid_mid" if setup.norm == "post" else "x").double()
            spread = rows[exercise.opens.fields["query"] - 1].std(correction=0).item()
            told = re.search(r"standard deviation\) ([\d.,]+)\. What", exercise.question)
            assert (told[1] == written(spread)) if told else "variance + ε" in exercise.question
            assert told or not any("spread" in text for text in (*exercise.hints, *(slip.says for slip in exercise.slips)))


def test_an_exponent_counts_among_the_decimals():
    """An answer typed as 5e-1 has one decimal, and is not judged as a whole number."""
    exercise = Exercise("x.1", "?", "number", Span(0.4917, 0.4917, 0.4917), (), ("",), "", make("scores.1", Setup()).opens)
    assert "whole number" not in judge(exercise, "5e-1").says
    assert "1 decimal;" in judge(exercise, "5e-1").says
    assert "to 2 decimals" in judge(exercise, "4.9E−1").says


def test_a_number_of_another_head_is_told():
    """Whoever reads head 1 where another head is asked for is told so."""
    for name, entry in (("scores.1", "scores"), ("scores.2", "scores"), ("weights.1", "scaled"), ("context.1", "context")):
        told = False
        for variation in range(1, 12):
            exercise = make(name, Setup(), variation)
            at = exercise.opens.fields
            if at["head"] > 1:
                ours = run(Setup()).value(entry)[0, at["query"] - 1, at["column" if entry == "context" else "key"] - 1].item()
                assert f"head 1 is taken: head {at['head']} is asked" in judge(exercise, written(ours)).says
                told = True
        assert told


def test_slips_that_give_one_number_are_told_one_by_one():
    """Two slips with one number stand apart, each with its own reason."""
    slips = tuple(exercises.Slip(says, 3) for says in ("it runs down: it runs along", "row and column are exchanged"))
    exercise = Exercise("x.1", "?", "whole", 4, slips, ("",), "", make("scores.1", Setup()).opens)
    assert judge(exercise, "3").says == (
        "Two slips give this number: (1) it runs down: it runs along; (2) row and column are exchanged. Which of them was it?"
    )


def test_slips_of_one_number_are_both_told():
    """Where two slips give the same number, the reply names both and asks which it was."""
    exercise = make("masks.3", Setup())
    both = [slip for slip in exercise.slips if slip.gives == exercise.slips[0].gives]
    says = judge(exercise, typed(both[0].gives)).says
    assert len(both) == 2
    assert all(slip.says in says for slip in both)
    assert "Which of them was it?" in says


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("−0.5", -0.5),
        ("1,5", 1.5),
        (" 0.5 ", 0.5),
        ("- 0.5", -0.5),
        ("−\u00a00.5", -0.5),
        (".5", 0.5),
        ("+2.", 2.0),
        ("1.2e−5", 1.2e-5),
        ("٣", 3.0),
    ],
)
def test_numbers_are_read_leniently(text, value):
    """What a reader means by it, with a comma, a real minus sign, or blanks around it."""
    assert number(text) == value


@pytest.mark.parametrize(
    ("read", "text", "told"),
    [
        (number, "", "is not a number"),
        (number, "1,234", "can mean two numbers"),
        (number, "1e400", "larger than any number"),
        (number, "nan", "is not a number"),
        (number, "∞", "is not a number"),
        (number, "1/2", "is a fraction"),
        (number, "34%", "in percent"),
        (number, "1_0", "is not a number"),
        (number, "0.5 0.6", "is not a number"),
        (number, "<b>0.5</b>", "is not a number"),
        (whole, "2.5", "has decimals"),
        (whole, "1e400", "larger than any number"),
        (shape, "6", None),
        (shape, "6 ×", "is not a shape"),
        (shape, "-6 × 2", "is not a shape"),
        (shape, "six by two", "is not a shape"),
    ],
)
def test_what_cannot_be_read_is_told(read, text, told):
    """In words, with what was typed, and without an error page."""
    if told is None:
        assert read(text) == (6,)
        return
    with pytest.raises(UnreadableError, match=told):
        read(text)


@given(st.text(max_size=90), st.sampled_from(OF_STEPS))
def test_anything_may_be_typed(text, name):
    """Whatever it is, the verdict is a plain short sentence."""
    verdict = judge(make(name, Setup()), text)
    assert len(verdict.says) < 600
    assert "\n" not in verdict.says


SMALL = Setup(init="trained", d_model=7, d_k=3, d_v=5, heads=2, steps=20, seed=71)


@cache
def after_the_opened_step() -> tuple[Tensor, Tensor, Tensor, list[float]]:
    """W_q before and after step 10 of a training, Adam's running mean after it, in thousandths, and all losses."""
    training = training_store.begin(SMALL, "attention")
    while len(training.losses) < OPENED - 1:
        training.step()
    before = training.weights["w_q"]
    training.step()
    mean, after = 1000 * out_of_row(training._means[0], training.weights)["w_q"], training.weights["w_q"]
    while not training.over:
        training.step()
    return before, after, mean, training.losses


@pytest.mark.parametrize("variation", range(1, 8))
def test_training_is_asked_about_as_it_ran(variation):
    """Loss, running mean and direction are those of PyTorch's Adam, made anew step by step."""
    before, after, mean, losses = after_the_opened_step()
    loss, running, way = (make(f"training.{k}", SMALL, variation) for k in (1, 2, 3))
    step = int(re.search(r"In step (\d+)", loss.question)[1])
    share = loss.answer.low
    assert math.isclose(F.nll_loss(torch.tensor([[share]]).log(), torch.tensor([0])).item() * 2, losses[step - 1], abs_tol=1e-3)
    place = tuple(running.opens.fields[field] - 1 for field in ("head", "row", "column"))
    assert running.answer.holds(mean[place].item())
    place = tuple(way.opens.fields[field] - 1 for field in ("head", "row", "column"))
    moved = "larger" if after[place] > before[place] else "smaller"
    assert way.options["ABC".index(way.answer)] == f"It becomes {moved}."
    for exercise in (loss, running, way):
        assert judge(exercise, typed(exercise.answer)).right
        assert all(slip in judge(exercise, typed(slip.gives)).slips for slip in exercise.slips)


def test_no_step_without_ten():
    """A training of fewer steps, or without W_q, opens none: the exercise says so and asks nothing."""
    for setup in (replace(SMALL, steps=3), replace(SMALL, projections="none")):
        assert isinstance(make("training.2", setup), Unposed)
        assert isinstance(make("training.3", setup), Unposed)
