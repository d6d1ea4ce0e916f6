"""What comes next, learned by a whole stack: the language's own floor, the lesson, and that every
page has its weights."""

import dataclasses
import json
import math
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from helpers import app

from core import (
    encoder,
    film,
    language,
    lessons,
    next_word,
    tasks,
    trace,
    training,
    training_store,
    weights,
)
from core.setup import Setup
from pages.shared.link.pages import PAGES
from pages.shared.panel import reasons
from pages.shared.said.claims import overview
from pages.shared.said.claims import trained as claims

SENTENCE = "the cat drank the milk because it was thirsty"
NEXT = Setup(
    text=SENTENCE,
    init="trained",
    task="next",
    positions="sinusoidal",
    layers=1,
    heads=2,
    d_k=8,
    d_v=8,
)
PRIMES = replace(
    NEXT,
    d_model=7,
    d_k=3,
    d_v=5,
    heads=2,
    d_ff=11,
    layers=2,
    bias="on",
    positions="learned",
    steps=11,
)
REPEAT = replace(PRIMES, text="a b c d a b", task="repeat")
FLOOR = (
    2 / 3 * math.log(9) + 1 / 3 * math.log(18),
    2 / 3 * math.log(4) + 1 / 3 * math.log(2),
    0,
    math.log(6),
    0,
    0,
    0,
    math.log(8),
)


def test_the_floor_by_hand():
    """First one of six animals, twice as often as one of six foods; then one of four verbs or of
    two; one of six of the other kind; and one of eight adjectives. All else is certain. The mean is
    0.932 nats a word."""
    assert language.floor() == pytest.approx(FLOOR, abs=1e-12)
    assert sum(language.floor()) / 8 == pytest.approx(0.932, abs=5e-4)
    assert language.going_on(("the", "milk")) == {"warmed": 0.5, "saved": 0.5}
    assert sum(language.going_on(("the",)).values()) == pytest.approx(1)
    assert language.going_on(("the",))["cat"] == pytest.approx(
        2 * language.going_on(("the",))["milk"]
    )
    assert language.going_on(("the", "zebra")) == language.going_on(tuple(SENTENCE.split())) == {}


def test_the_floor_by_the_chain_rule():
    """Shannon's other way to it: what a beginning of n + 1 words is uncertain about, less what one
    of n words is."""
    uncertain = []
    for length in range(1, language.LENGTH + 1):
        counts = Counter(example.tokens[:length] for example in language.EXAMPLES).values()
        uncertain.append(
            -sum(
                count / len(language.EXAMPLES) * math.log(count / len(language.EXAMPLES))
                for count in counts
            )
        )
    by_chain = [after - before for before, after in pairwise(uncertain)]
    assert language.floor() == pytest.approx(by_chain, abs=1e-12)


def test_nothing_gets_below_the_floor():
    """On the whole language no model's mean surprise is below the language's own, at any place: not
    one trained on all of it either. One layer comes within 0.03 nats of it, on sentences that it
    never saw too, which have a floor of their own."""
    result = training_store.get(NEXT, "stack")
    everywhere = tasks.by_place(NEXT, result.weights)
    assert all(
        ours >= least - 1e-6
        for ours, least in zip(everywhere.tolist(), language.floor(), strict=True)
    )
    unseen = tasks.examples(NEXT).unseen
    asked = tasks.by_place(NEXT, result.weights, unseen).mean().item()
    own = [language.surprise(language.EXAMPLES[row].tokens) for row in unseen.tolist()]
    assert everywhere.mean().item() - sum(language.floor()) / 8 < 0.03
    assert asked - sum(map(sum, own)) / len(own) / 8 < 0.03


def test_all_places_at_once_are_the_lessons_one_by_one():
    """A causal mask makes eight lessons of a sentence: each beginning, put through the pages by
    itself, is as surprised by the word that follows it as the whole sentence is there."""
    tokens = SENTENCE.split()
    row = torch.tensor([language.row_of(SENTENCE)])
    together = tasks.by_place(PRIMES, training_store.get(PRIMES, "stack").weights, row)
    for length in range(1, language.LENGTH):
        alone = next_word.predict(replace(PRIMES, text=" ".join(tokens[:length])))
        answer = torch.tensor(alone.vocabulary.index(tokens[length]))
        assert F.cross_entropy(alone.value("logits"), answer).item() == pytest.approx(
            together[length - 1].item(), abs=1e-4
        )


@pytest.mark.parametrize(
    "setup", [PRIMES, REPEAT, replace(PRIMES, unembedding="own")], ids=["next", "repeat", "own"]
)
def test_the_loss_by_pytorch(setup):
    """In float64 by PyTorch's modules alone: nn.Embedding, a causal
    nn.functional.scaled_dot_product_attention, F.layer_norm, F.linear and F.cross_entropy."""
    lesson, given, examples = tasks.lesson(setup), tasks.examples(setup), torch.arange(3, 900, 37)
    w = lesson.start
    ids, answers = given.ids[examples, :-1], given.ids[examples, 1:]
    x = torch.nn.Embedding.from_pretrained(w["embedding_table"])(ids) + w["positions"]
    for n in (1, 2):
        q, k, v = (
            torch.einsum("std,hdk->shtk", x, w[f"layer{n}.w_{i}"]) + w[f"layer{n}.b_{i}"][:, None]
            for i in "qkv"
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        x = F.layer_norm(x + F.linear(mixed, w[f"layer{n}.w_o"].T, w[f"layer{n}.b_o"]), (7,))
        hidden = F.relu(F.linear(x, w[f"layer{n}.w_1"].T, w[f"layer{n}.b_1"]))
        x = F.layer_norm(x + F.linear(hidden, w[f"layer{n}.w_2"].T, w[f"layer{n}.b_2"]), (7,))
    logits = F.linear(x, w["unembedding"].T if setup.unembedding == "own" else w["embedding_table"])
    counts = given.known[examples]
    assert counts.all() == (setup.task == "next")
    assert lesson.loss(w, examples).item() == pytest.approx(
        F.cross_entropy(logits[counts], answers[counts]).item(), abs=1e-12
    )
    right = (logits.argmax(dim=-1) == answers)[counts].double().mean().item()
    assert lesson.accuracy(w, examples) == {setup.task: pytest.approx(right, abs=1e-12)}


@pytest.mark.parametrize(
    "setup", [PRIMES, replace(REPEAT, unembedding="own")], ids=["next", "repeat"]
)
def test_the_gradient_is_the_slope_of_the_loss(setup):
    """Against finite differences, from the table through both layers to the unembedding: move one
    weight a little, and the loss moves by that times its gradient."""
    lesson, examples, small = tasks.lesson(setup), torch.arange(40), 1e-6
    learning = {name: weight.clone().requires_grad_() for name, weight in lesson.start.items()}
    gradients = dict(
        zip(
            learning,
            torch.autograd.grad(lesson.loss(learning, examples), list(learning.values())),
            strict=True,
        )
    )
    for name, weight in lesson.start.items():
        index = tuple(size // 2 for size in weight.shape)
        moved = []
        for sign in (1, -1):
            nearby = weight.clone()
            nearby[index] += sign * small
            moved.append(lesson.loss(lesson.start | {name: nearby}, examples).item())
        assert gradients[name][index].item() == pytest.approx(
            (moved[0] - moved[1]) / (2 * small), rel=1e-4, abs=1e-8
        ), name


@pytest.mark.parametrize(
    "setup", [PRIMES, REPEAT, replace(PRIMES, unembedding="own")], ids=["next", "repeat", "own"]
)
def test_every_page_has_the_stacks_weights(setup):
    """The seven steps are the first layer of the stack that learned, and block, encoder and next
    word have all of it."""
    learned = training_store.get(setup, "stack").weights
    assert training_store.get(setup, "attention").weights is learned
    steps, layers = trace.run(setup), encoder.encode(setup)
    assert torch.equal(steps.value("w_q"), learned["layer1.w_q"])
    assert torch.equal(steps.value("w_o"), learned["layer1.w_o"])
    assert torch.equal(steps.value("output"), layers[0].value("output"))
    assert torch.equal(layers[1].value("w_1"), learned["layer2.w_1"])
    known = [setup.vocabulary.index(word) for word in setup.known]
    assert torch.equal(steps.value("embedding_table")[known], learned["embedding_table"])
    asked = next_word.predict(setup)
    assert torch.equal(asked.value("encoded"), layers[-1].value("out"))
    expected = (
        learned["unembedding"] if setup.unembedding == "own" else learned["embedding_table"].T
    )
    assert torch.equal(asked.value("unembedding")[:, known], expected)
    assert torch.allclose(
        film.film(setup, training_store.get(setup, "stack"))[-1], steps.value("weights"), atol=1e-6
    )


def test_words_that_were_never_seen_have_drawn_numbers():
    """Among letters, words of the language are strangers, and the other way round; their rows and
    columns are drawn, the same for however many steps."""
    for setup, strangers in (
        (replace(REPEAT, text="a cat b", unembedding="own"), ("cat",)),
        (replace(PRIMES, text="a cat"), ("a",)),
    ):
        assert weights.unseen(setup) == strangers
        place = setup.vocabulary.index(strangers[0])
        other = replace(setup, steps=2)
        assert torch.equal(
            weights.embedding_table(setup)[place], weights.embedding_table(other)[place]
        )
        if setup.unembedding == "own":
            assert torch.equal(
                weights.unembedding(setup)[:, place], weights.unembedding(other)[:, place]
            )
        assert not torch.equal(weights.embedding_table(setup), weights.embedding_table(other))
    assert REPEAT.vocabulary == language.LETTERS


def test_what_was_asked_is_what_answers_with_a_matrix_of_its_own():
    """Trained on questions, the unembedding of its own is what turned the row of `it` into the noun
    that is meant."""
    setup = replace(
        NEXT,
        task="questions",
        unembedding="own",
        layers=2,
        text="the cat drank the milk because it",
    )
    learned = training_store.get(replace(setup, mask="causal"), "stack").weights["w_u"]
    assert torch.equal(next_word.predict(setup).value("unembedding"), learned)


def test_a_task_ties_what_it_is_learned_under():
    """Whoever learns what comes next may not look ahead, and each layer hands on as many numbers as
    it takes in; drawn weights and questions leave both free."""
    free = {"mask": "none", "out": "d_v"}
    for task in ("next", "repeat"):
        setup = Setup(init="trained", task=task, **free)
        assert (setup.mask, setup.out, setup.tied) == (
            "causal",
            "d_model",
            {"mask": "causal", "out": "d_model", "memory": ""},
        )
        assert Setup(init="xavier", task=task, **free).tied == {}
        assert Setup.nearest(setup.as_link()) == (setup, [])
    assert Setup(init="trained", task="questions", **free).tied == {}
    assert Setup(init="trained", task="next", sizes="wide").tied.keys() == {
        "d_k",
        "d_v",
        "mask",
        "out",
        "memory",
    }


DRAWING = {
    "choose": "greedy",
    "word_temperature": 0.5,
    "top_k": 3,
    "top_p": 0.5,
    "draw_seed": 9,
    "text": "a b",
}


@pytest.mark.parametrize(
    "part", ["attention", "stack", "it 0", "it 1", "it 2", "labelled", *tasks.TASKS]
)
def test_how_words_are_drawn_trains_nothing_anew(part):
    """Fields that only choose among the shares leave every training the same one; so does the
    unembedding where none is learned."""
    of_questions = replace(NEXT, task="questions")
    setup = NEXT if part not in tasks.TASKS else replace(NEXT, task=part)
    assert training_store.key(setup, part) == training_store.key(replace(setup, **DRAWING), part)
    asked = "stack" if part in tasks.TASKS else part
    assert training_store.key(of_questions, asked) == training_store.key(
        replace(of_questions, unembedding="own"), asked
    )


def test_a_task_is_a_training_of_its_own():
    """Questions, next and repeat are three; the seven steps and the stack of a task are one, and
    nothing goes before it."""
    keys = {
        training_store.key(replace(NEXT, task=task), "stack")
        for task in ("questions", *tasks.TASKS)
    }
    assert len(keys) == 3
    assert training_store.key(NEXT, "attention") == training_store.key(NEXT, "stack")
    assert training_store.key(NEXT, "stack") != training_store.key(
        replace(NEXT, unembedding="own"), "stack"
    )
    assert training_store.missing(replace(NEXT, seed=977), "stack") == "next"
    for changed in ({}, {"task": "next"}):
        assert training_store.key(
            replace(NEXT, task="questions", mask="causal", out="d_model"), "it 1"
        ) == training_store.key(replace(NEXT, **changed), "it 1")


def test_the_budget_bounds_the_largest():
    """However large, neither lesson takes more multiplications than the budget."""
    largest = replace(NEXT, heads=20, d_model=64, d_k=64, d_v=64, d_ff=256, layers=6, steps=600)
    for setup in (largest, replace(largest, task="repeat")):
        lesson = tasks.lesson(setup)
        assert lesson.steps * tasks.multiplications(setup) <= lessons.BUDGET
        assert 1 <= lesson.steps < 600
        assert training_store.multiplications(setup, "stack") <= lessons.BUDGET
        watched = sum(lesson.start[name].numel() * 4 for name in lesson.watched)
        assert 0 < watched <= training.MOST_BYTES / 4
    assert {*tasks.lesson(NEXT).watched} == {*tasks.lesson(NEXT).start}


def test_two_processes_train_the_same_digits():
    """A link brings the same numbers everywhere, whatever is learned: another process, which uses
    two threads, has them to the last digit."""
    lessons = [
        (PRIMES, "stack"),
        (REPEAT, "stack"),
        (replace(PRIMES, task="questions"), "attention"),
    ]
    code = (
        "import json, torch; torch.set_num_threads(2); from core import training_store; from"
        " core.setup import Setup\nfor setup, part in"
        f" {[(dataclasses.asdict(setup), part) for setup, part in lessons]!r}:\n    made ="
        " training_store.get(Setup(**setup), part).weights\n    print(json.dumps({name:"
        " weight.flatten().tolist() for name, weight in made.items()}))"
    )
    root = Path(__file__).parents[1]
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    for (setup, part), theirs in zip(lessons, answer.stdout.splitlines(), strict=True):
        ours = training_store.get(setup, part).weights
        assert json.loads(theirs) == {
            name: weight.flatten().tolist() for name, weight in ours.items()
        }


READS_A_TRAINING = ("", "embedding", "projection", "block", "encoder", "training")


@pytest.mark.parametrize("task", tasks.TASKS)
def test_pages_say_what_was_learned(task):
    """Every page that speaks of a training stands, whatever was learned; what is said of it is of
    this task, and the panel says why the mask is out of use."""
    setup = Setup(
        init="trained", task=task, steps=3, heads=1, d_k=4, d_v=4, layers=1, text="the cat a b a"
    )
    result = training_store.get(setup, "stack")
    for said in (
        claims.stack_learned(setup, result),
        overview.mean_something(setup, result),
        claims.attention_learned(setup, result),
    ):
        assert {
            "next": "next word of a small language",
            "repeat": "next letter in rows of letters",
        }[task] in said
        assert f"{result.asked:,}" in said
    assert reasons(setup)["mask"] == "whoever learns what comes next may not look ahead"
    for step in PAGES:
        if step.path in READS_A_TRAINING:
            at = app(step.file, **setup.as_link())
            while any("Training" in title.value for title in at.title) and step.path != "training":
                at = at.run()
            assert not at.exception, step.path
            assert not at.error, step.path
