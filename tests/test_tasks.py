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

import pytest
import torch
import torch.nn.functional as F
from helpers import ROOT, app

from core import Setup
from core.analysis import training_history
from core.forward import encoder, next_word, trace
from core.text import language
from core.training import tasks, training_store
from core.weights import weights
from pages.shared.link.pages import find
from pages.shared.panel import reasons

SENTENCE = "the cat drank the milk because it was thirsty"
SIZES = {"heads": 2, "d_k": 8, "d_v": 8, "layers": 1, "positions": "sinusoidal"}
NEXT = Setup(text=SENTENCE, init="trained", task="next", **SIZES)
OF_PRIMES = {"d_model": 7, "d_k": 3, "d_v": 5, "d_ff": 11, "layers": 2, "steps": 11}
PRIMES = replace(NEXT, **OF_PRIMES, bias="on", positions="learned")
REPEAT = replace(PRIMES, text="a b c d a b", task="repeat")
OWN = replace(PRIMES, unembedding="own")
FIRST = 2 / 3 * math.log(9) + 1 / 3 * math.log(18)
VERB = 2 / 3 * math.log(4) + 1 / 3 * math.log(2)
FLOOR = (FIRST, VERB, 0, math.log(6), 0, 0, 0, math.log(8))


def test_the_floor_by_hand_and_by_the_chain_rule():
    """First one of six animals, twice as often as one of six foods; then one of four verbs or of
    two; one of six of the other kind; one of eight adjectives: 0.932 nats a word. Shannon's other
    way is what a beginning of n + 1 words is uncertain about, less what one of n words is."""
    assert language.floor() == pytest.approx(FLOOR, abs=1e-12)
    assert sum(FLOOR) / 8 == pytest.approx(0.932, abs=5e-4)
    uncertain, many = [], len(language.EXAMPLES)
    for length in range(1, language.LENGTH + 1):
        counts = Counter(example.tokens[:length] for example in language.EXAMPLES).values()
        uncertain.append(-sum(count / many * math.log(count / many) for count in counts))
    by_chain = [after - before for before, after in pairwise(uncertain)]
    assert language.floor() == pytest.approx(by_chain, abs=1e-12)
    assert language.list_next_words(("the", "milk")) == {"warmed": 0.5, "saved": 0.5}
    first = language.list_next_words(("the",))
    assert sum(first.values()) == pytest.approx(1)
    assert first["cat"] == pytest.approx(2 * first["milk"])
    assert (
        language.list_next_words(("the", "zebra"))
        == language.list_next_words(tuple(SENTENCE.split()))
        == {}
    )


def test_nothing_gets_below_the_floor():
    """On the whole language no model's mean surprise is below the language's own, at any place: not
    one trained on all of it either. One layer comes within 0.05 nats of it, on sentences that it
    never saw too, which have a floor of their own."""
    setup = replace(NEXT, steps=150)
    learned = training_store.get(setup, "stack").weights
    everywhere = tasks.measure_by_place(setup, learned)
    assert (everywhere - torch.tensor(language.floor()) >= -1e-6).all()
    unseen = tasks.examples(setup).unseen
    asked = tasks.measure_by_place(setup, learned, unseen).mean().item()
    own = [language.surprise(language.EXAMPLES[row].tokens) for row in unseen.tolist()]
    assert everywhere.mean().item() - sum(language.floor()) / 8 < 0.05
    assert asked - sum(map(sum, own)) / len(own) / 8 < 0.05


def test_all_places_at_once_are_the_lessons_one_by_one():
    """A causal mask makes eight lessons of a sentence: each beginning, put through the pages by
    itself, is as surprised by the word that follows it as the whole sentence is there."""
    tokens = SENTENCE.split()
    row = torch.tensor([language.row_of(SENTENCE)])
    together = tasks.measure_by_place(PRIMES, training_store.get(PRIMES, "stack").weights, row)
    for length in range(1, language.LENGTH):
        alone = next_word.predict(replace(PRIMES, text=" ".join(tokens[:length])))
        answer = torch.tensor(alone.vocabulary.index(tokens[length]))
        assert F.cross_entropy(alone.value("logits"), answer).item() == pytest.approx(
            together[length - 1].item(), abs=1e-4
        )


@pytest.mark.parametrize("setup", [PRIMES, REPEAT, OWN], ids=["next", "repeat", "own"])
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


def test_the_gradient_is_the_slope_of_the_loss():
    """Against finite differences, from the table through both layers to the unembedding: move one
    weight a little, and the loss moves by that times its gradient."""
    lesson, examples, small = tasks.lesson(OWN), torch.arange(40), 1e-6
    learning = {name: weight.clone().requires_grad_() for name, weight in lesson.start.items()}
    gradients = torch.autograd.grad(lesson.loss(learning, examples), list(learning.values()))
    for (name, weight), gradient in zip(lesson.start.items(), gradients, strict=True):
        index = tuple(size // 2 for size in weight.shape)
        moved = []
        for sign in (1, -1):
            nearby = weight.clone()
            nearby[index] += sign * small
            moved.append(lesson.loss(lesson.start | {name: nearby}, examples).item())
        slope = (moved[0] - moved[1]) / (2 * small)
        assert gradient[index].item() == pytest.approx(slope, rel=1e-4, abs=1e-8), name


@pytest.mark.parametrize("setup", [PRIMES, REPEAT, OWN], ids=["next", "repeat", "own"])
def test_every_page_has_the_stacks_weights(setup):
    """The seven steps are the first layer of the stack that learned, and block, encoder and next
    word have all of it."""
    result = training_store.get(setup, "stack")
    learned = result.weights
    assert training_store.get(setup, "attention").weights is learned
    steps, layers, asked = trace.run(setup), encoder.encode(setup), next_word.predict(setup)
    known = [setup.vocabulary.index(word) for word in setup.known]
    unembedding = learned["unembedding" if setup is OWN else "embedding_table"]
    for shown, expected in (
        (steps.value("w_q"), learned["layer1.w_q"]),
        (steps.value("w_o"), learned["layer1.w_o"]),
        (steps.value("output"), layers[0].value("output")),
        (layers[1].value("w_1"), learned["layer2.w_1"]),
        (steps.value("embedding_table")[known], learned["embedding_table"]),
        (asked.value("encoded"), layers[-1].value("out")),
        (asked.value("unembedding")[:, known], unembedding if setup is OWN else unembedding.T),
    ):
        assert torch.equal(shown, expected)
    assert torch.allclose(
        training_history.find_weight_history(setup, result)[-1], steps.value("weights"), atol=1e-6
    )


def test_words_that_were_never_seen_have_drawn_numbers():
    """Among letters, words of the language are strangers, and the other way round; their rows and
    columns are drawn, the same for however many steps."""
    for setup, stranger in (
        (replace(REPEAT, text="a cat b", unembedding="own"), "cat"),
        (replace(PRIMES, text="a cat"), "a"),
    ):
        assert weights.list_unseen_words(setup) == (stranger,)
        place, other = setup.vocabulary.index(stranger), replace(setup, steps=2)
        tables = [weights.get_embedding_table(each) for each in (setup, other)]
        assert torch.equal(*(table[place] for table in tables)) and not torch.equal(*tables)
        if setup.unembedding == "own":
            columns = [weights.get_unembedding(each)[:, place] for each in (setup, other)]
            assert torch.equal(*columns)
    assert REPEAT.vocabulary == language.LETTERS


def test_what_was_asked_is_what_answers_with_a_matrix_of_its_own():
    """Trained on questions, the unembedding of its own is what turned the row of `it` into the noun
    that is meant."""
    text = "the cat drank the milk because it"
    setup = replace(NEXT, task="questions", unembedding="own", steps=3, text=text)
    learned = training_store.get(replace(setup, mask="causal"), "stack").weights["w_u"]
    assert torch.equal(next_word.predict(setup).value("unembedding"), learned)


def test_a_task_ties_what_it_is_learned_under():
    """Whoever learns what comes next may not look ahead, and each layer hands on as many numbers as
    it takes in; drawn weights and questions leave both free."""
    free = {"mask": "none", "out": "d_v"}
    ties = {"mask": "causal", "out": "d_model", "memory": ""}
    for task in tasks.TASKS:
        setup = Setup(init="trained", task=task, **free)
        assert (setup.mask, setup.out, setup.tied) == ("causal", "d_model", ties)
        assert Setup(init="xavier", task=task, **free).tied == {}
        assert Setup.nearest(setup.as_link()) == (setup, [])
    assert Setup(init="trained", task="questions", **free).tied == {}
    assert Setup(init="trained", task="next", sizes="wide").tied.keys() == {"d_k", "d_v", *ties}


def test_what_is_trained_anew_and_what_is_not():
    """Fields that only choose among the shares leave every training the same one, as does the
    unembedding where none is learned; questions, next and repeat are three, each with one for the
    seven steps and the stack."""
    key, asks = training_store.key, replace(NEXT, task="questions")
    choose = {"choose": "greedy", "word_temperature": 0.5, "top_k": 3, "top_p": 0.5}
    for part in ("attention", "stack", "labelled", *tasks.TASKS):
        setup = replace(NEXT, task=part) if part in tasks.TASKS else NEXT
        drawn = replace(setup, **choose, draw_seed=9, text="a b")
        assert key(setup, part) == key(drawn, part)
        asked = "stack" if part in tasks.TASKS else part
        assert key(asks, asked) == key(replace(asks, unembedding="own"), asked)
    every = ("questions", *tasks.TASKS)
    assert len({key(replace(NEXT, task=task), "stack") for task in every}) == 3
    assert key(NEXT, "attention") == key(NEXT, "stack")
    assert key(NEXT, "stack") != key(replace(NEXT, unembedding="own"), "stack")
    assert training_store.find_missing(replace(NEXT, seed=977), "stack") == "next"


def test_two_processes_have_the_same_digits():
    """A link brings the same numbers everywhere, whatever is drawn or learned: another process,
    which uses two threads and torch's own generator, has them to the last digit."""
    asks, drawn = replace(PRIMES, task="questions"), Setup(bias="on", positions="learned")
    wanted = [(replace(REPEAT, steps=5), "stack"), (asks, "attention")]
    links = [(dataclasses.asdict(setup), part) for setup, part in wanted]
    code = f"""if True:
        import json, torch
        torch.set_num_threads(2)
        torch.rand(7)
        from core.training import training_store
        from core import Setup
        from core import run
        print(json.dumps(run(Setup(**{drawn.as_link()!r})).value("output").flatten().tolist()))
        for setup, part in {links!r}:
            made = training_store.get(Setup(**setup), part).weights
            print(json.dumps({{name: weight.flatten().tolist() for name, weight in made.items()}}))
    """
    started = [sys.executable, "-c", code]
    answer = subprocess.run(started, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    of_drawn, *of_trained = map(json.loads, answer.splitlines())
    assert of_drawn == trace.run(drawn).value("output").flatten().tolist()
    for (setup, part), theirs in zip(wanted, of_trained, strict=True):
        ours = training_store.get(setup, part).weights.items()
        assert theirs == {name: weight.flatten().tolist() for name, weight in ours}


@pytest.mark.parametrize("task", tasks.TASKS)
def test_pages_that_speak_of_a_training_stand(task):
    """Whatever was learned, with few steps; the panel says why the mask is out of use."""
    small = {"steps": 3, "heads": 1, "d_k": 4, "d_v": 4, "layers": 1}
    setup = Setup(init="trained", task=task, **small, text="the cat a b a")
    assert reasons(setup)["mask"] == "whoever learns what comes next may not look ahead"
    training_store.get(setup, "stack")
    for path in ("", "embedding", "projection", "block", "encoder", "training"):
        at = app(find(path).file, **setup.as_link())
        assert not at.exception and not at.error, path
