"""Training: the language, what is learned of it, and that the same link gives the same digits."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from core import Setup
from core.forward import batch, encoder, trace
from core.setup.presets import EXAMPLE
from core.text import language
from core.training import init, objectives, training, training_store
from core.weights import weights

SENTENCE = "the cat drank the milk because it was thirsty"
LEARNS = Setup(text=SENTENCE, init="trained", positions="sinusoidal")
SMALL = replace(LEARNS, heads=1, d_k=8, d_v=8)
PRIMES = replace(LEARNS, d_model=7, d_k=3, d_v=5, heads=2, bias="on", positions="learned", steps=11)


def looks(setup: Setup, adjective: str, noun: str, first: str = "the cat drank the milk") -> float:
    """How much of its attention the adjective at the end gives to a noun, in the head that gives
    most."""
    there = trace.run(replace(setup, text=f"{first} because it was {adjective}"))
    return there.value("weights")[:, -1, there.tokens.index(noun)].max().item()


def test_the_language_has_a_thousand_sentences_to_spare():
    """Every sentence is there once, and what training sees and what it is asked about have nothing
    in common."""
    assert len({example.tokens for example in language.EXAMPLES}) == 6 * 6 * 8 * 6
    learned, unseen = objectives.split_examples(5)
    assert len(unseen) == 1000
    assert sorted([*learned.tolist(), *unseen.tolist()]) == list(range(len(language.EXAMPLES)))
    assert not torch.equal(unseen, objectives.split_examples(6)[1])


def test_the_answers_are_those_that_a_reader_gives():
    """By hand: it was thirsty, so the cat; it was fresh, so the milk; and the milk warms where it
    comes first."""
    answers = {" ".join(example.tokens): example for example in language.EXAMPLES}
    assert answers[SENTENCE].noun == "cat"
    assert answers["the cat drank the milk because it was fresh"].noun == "milk"
    warmed = answers["the milk warmed the cat because it was tired"]
    assert (warmed.noun, warmed.subject) == ("cat", "milk")
    row = [example.tokens for example in language.EXAMPLES].index(warmed.tokens)
    assert [language.WORDS[i] for i in objectives.IDS[row]] == list(warmed.tokens)
    assert language.WORDS[objectives.ANSWERS["verb"][row]] == "milk"
    assert all(
        warmed.tokens[place] in ("warmed", "it", "tired") for place in language.PLACES.values()
    )


def test_attention_learns_who_is_meant():
    """At the default sizes at least 99 % of 1,000 unseen sentences are answered, and one head looks
    where a reader would."""
    assert all(share >= 0.99 for share in training_store.get(LEARNS, "attention").accuracy.values())
    assert training_store.get(SMALL, "attention").accuracy == {"adjective": 1.0, "verb": 1.0}
    assert looks(SMALL, "thirsty", "cat") > 0.9
    assert looks(SMALL, "fresh", "milk") > 0.9
    assert looks(SMALL, "thirsty", "cat", "the milk warmed the cat") > 0.9


def test_a_stack_learns_what_it_means():
    """At the word `it`, which says nothing by itself, two layers answer at least 99 % of the unseen
    sentences."""
    assert training_store.get(replace(LEARNS, layers=2), "stack").accuracy["it"] >= 0.99


def test_without_positions_the_two_orders_are_one():
    """`warmed` and `saved` take either noun first: without positions half of these cannot be told
    at the verb."""
    accuracy = training_store.get(replace(LEARNS, positions="none"), "attention").accuracy
    assert accuracy["adjective"] >= 0.99
    assert 0.6 < accuracy["verb"] < 0.75


def test_under_a_causal_mask_it_cannot_know():
    """The adjective stands after `it`: a stack that may not look ahead can only guess, and
    attention at the end need not."""
    causal = replace(LEARNS, mask="causal", heads=2, d_k=8, d_v=8, steps=150)
    assert training_store.get(causal, "attention").accuracy["adjective"] >= 0.99
    assert training_store.get(causal, "stack").accuracy["it"] < 0.6


def test_a_word_that_was_never_seen_keeps_its_row():
    """Its row is drawn, the language's rows are those of training, wherever they stand in the
    vocabulary."""
    setup = replace(SMALL, text="the zebra drank milk")
    assert weights.list_unseen_words(setup) == ("zebra",)
    assert weights.list_unseen_words(replace(setup, init="normal")) == ()
    table, of_language = weights.get_embedding_table(setup), weights.get_embedding_table(SMALL)
    for word in ("the", "drank", "milk", "warm"):
        assert torch.equal(
            table[setup.vocabulary.index(word)], of_language[SMALL.vocabulary.index(word)]
        )
    assert SMALL.vocabulary == language.WORDS
    drawn = table[setup.vocabulary.index("zebra")]
    assert torch.equal(
        drawn, weights.get_embedding_table(replace(setup, steps=1))[setup.vocabulary.index("zebra")]
    )


def test_every_page_has_the_trained_weights():
    """Seven steps, batch and stack use one table and one W_q: those of training."""
    result = training_store.get(PRIMES, "attention").weights
    own = trace.run(PRIMES)
    assert torch.equal(own.value("w_q"), result["w_q"])
    assert torch.equal(own.value("positions")[:9], result["positions"])
    assert torch.equal(batch.run(PRIMES).trace.value("w_o"), result["w_o"])
    layers = encoder.encode(replace(PRIMES, layers=2))
    assert torch.equal(layers[0].value("w_q"), result["w_q"])
    assert torch.equal(layers[0].value("x"), own.value("x"))
    assert torch.equal(
        layers[1].value("w_1"), training_store.get(PRIMES, "stack").weights["layer2.w_1"]
    )


def test_weights_are_what_is_printed():
    """Four decimals, float32: nothing stands behind what a reader sees."""
    for weight in training_store.get(PRIMES, "attention").weights.values():
        assert weight.dtype == torch.float32
        assert torch.equal(weight, (weight.double() * 10_000).round().div(10_000).float())


def test_what_decides_nothing_trains_nothing_anew():
    """Another sentence, and what only stacks or classifiers have, leave attention's training the
    same one."""
    key, more = training_store.key, {"dropout": 0.5, "layers": 3, "d_ff": 5, "classes": 7}
    other = replace(LEARNS, text="a b", others="c", **more)
    assert key(LEARNS, "attention") == key(other, "attention")
    assert key(LEARNS, "attention") != key(replace(LEARNS, seed=124), "attention")
    assert key(LEARNS, "stack") != key(replace(LEARNS, norm="pre"), "stack")


@pytest.fixture
def nothing_kept(monkeypatch):
    monkeypatch.setattr(training_store, "_results", type(training_store._results)())


@pytest.mark.parametrize(
    "setup",
    [replace(PRIMES, steps=30), replace(PRIMES, steps=30, task="next", layers=1)],
    ids=["questions", "next"],
)
@pytest.mark.parametrize("steps", [0, 20])
def test_a_moment_is_a_training_that_stopped_there(setup, steps, nothing_kept):
    """The weights at each kept moment, to the last digit, are those of a training of so many steps
    and no more; and nothing is trained for it that the whole training has passed through."""
    stopped = training_store.get(replace(setup, trained_for=steps), "attention")
    assert len(stopped.losses) == stopped.wanted == steps
    training_store._results.clear()
    whole = training_store.get(setup, "attention")
    assert training_store.moments(replace(setup, trained_for=steps), "attention") == (0, 10, 20, 30)
    moment = training_store.get(replace(setup, trained_for=steps), "attention")
    assert list(training_store._results.values()) == [whole]
    assert moment.losses == stopped.losses
    assert moment.weights.keys() == stopped.weights.keys()
    assert all(
        torch.equal(weight, stopped.weights[name]) for name, weight in moment.weights.items()
    )
    seven = trace.run(replace(setup, trained_for=steps)) if setup.task == "questions" else None
    assert seven is None or torch.equal(seven.value("w_q"), stopped.weights["w_q"])


def test_before_the_first_step_weights_are_as_they_were_drawn():
    """Step 0 is the drawn table and Glorot's matrices, on the language's words, those of the
    queries and keys half as large, with four decimals; whoever trained for as many steps as there
    are, or more, has the end."""
    drawn, own = trace.run(replace(PRIMES, trained_for=0)), objectives.start_on_language(PRIMES)
    projections = init.projections(own)
    for name, by in (("w_q", 0.5), ("w_k", 0.5), ("w_v", 1.0), ("w_o", 1.0)):
        assert torch.equal(
            drawn.value(name), (by * projections[name].double()).round(decimals=4).float()
        )
    ids = [language.WORDS.index(word) for word in PRIMES.tokens]
    table = (0.5 * init.draw_embedding_table(own).double()).round(decimals=4).float()[ids]
    assert torch.equal(drawn.value("embedding_table")[drawn.value("ids")], table)
    end = trace.run(PRIMES).value("w_q")
    assert torch.equal(trace.run(replace(PRIMES, trained_for=11)).value("w_q"), end)
    assert not torch.equal(trace.run(replace(PRIMES, trained_for=10)).value("w_q"), end)


def test_what_no_moment_kept_is_trained_for_so_many_steps(nothing_kept):
    """Between two moments, and in a stack on the seven steps, whose moments keep no weights, so
    many steps are made: as a setup of so many steps has it."""
    setup = replace(PRIMES, steps=30, layers=2)
    training_store.get(setup, "stack")
    for name in ("attention", "stack"):
        assert training_store.find_missing(replace(setup, trained_for=7), name) == "attention"
    between, short = (
        training_store.get(given, "stack")
        for given in (replace(setup, trained_for=7), replace(setup, steps=7))
    )
    assert between is short
    assert len(between.losses) == 7
    assert training_store.moments(setup, "stack") == (30,)


def test_a_training_that_ended_by_itself_is_the_same_for_more_steps(nothing_kept, monkeypatch):
    """Where the budget allows five steps, all that ask for more have those, and the slider ends
    there."""
    monkeypatch.setattr(objectives, "BUDGET", 5 * objectives.multiplications(PRIMES, None))
    whole = training_store.get(PRIMES, "attention")
    assert (len(whole.losses), whole.wanted) == (5, 11)
    assert training_store.get(replace(PRIMES, trained_for=8), "attention") is whole
    assert training_store.moments(PRIMES, "attention") == (0, 5)


def test_who_needs_no_gradients_can_ask_too():
    """A page computes without gradients, and may be the first to ask for weights that are to be
    trained."""
    short = replace(PRIMES, seed=29, steps=3, layers=2)
    with torch.inference_mode():
        there = encoder.encode(short)
        result = training_store.get(short, "stack")
    assert len(result.losses) == 3
    assert not any(weight.is_inference() for weight in result.weights.values())
    assert torch.equal(there[-1].value("out"), encoder.encode(short)[-1].value("out"))


def test_results_are_let_go_when_there_are_too_many(nothing_kept, monkeypatch):
    """What nobody asked for longest goes first, and all take no more bytes than the bound; the
    newest stays whatever its size, and so does what every visitor begins with."""
    example = training_store.get(EXAMPLE, "attention")
    few = [replace(PRIMES, seed=seed, steps=1) for seed in range(1, 8)]
    other = training_store.get(few[0], "attention")
    for most, stay in ((example.bytes + 2 * other.bytes, few[-2:]), (1, few[-1:])):
        monkeypatch.setattr(training_store, "MAX_BYTES", most)
        for setup in few:
            training_store.get(setup, "attention")
        missing = [training_store.find_missing(setup, "attention") for setup in (*few, EXAMPLE)]
        assert missing == ["attention"] * (7 - len(stay)) + [None] * (len(stay) + 1)


LESSONS = [("attention", {}), ("stack", {}), ("labelled", {}), ("stack", {"task": "next"})]


@pytest.mark.parametrize(("name", "changed"), LESSONS)
def test_a_batch_in_parts_is_the_batch(name, changed):
    """Five examples at a time bring the loss and the step that all of a batch bring together."""
    lesson, made = training_store.lesson_of(replace(PRIMES, **changed), name), []
    for at_once in (32, 5):
        made.append(training.Training(replace(lesson, at_once=at_once), 2))
        made[-1].step()
    whole, parts = made
    assert whole.losses == pytest.approx(parts.losses, rel=1e-12)
    for each, weight in whole.weights.items():
        assert torch.allclose(weight, parts.weights[each], atol=1e-9)


@pytest.mark.parametrize(("name", "changed"), LESSONS)
def test_the_largest_is_bounded(name, changed):
    """At the largest sizes there are fewer steps, and what goes through together keeps sixty
    megabytes at most for its gradients."""
    sizes = {"d_model": 64, "d_k": 64, "d_v": 64, "heads": 20, "layers": 6, "d_ff": 256}
    largest = replace(LEARNS, **(sizes | {"bias": "on", "steps": 600} | changed))
    with pytest.MonkeyPatch.context() as patch:  # attention below is as it begins
        below = lambda setup, name: training.Training(objectives.attention(setup), 1).result()  # noqa: E731
        patch.setattr(training_store, "get", below)
        lesson = training_store.lesson_of(largest, name)
    assert 0 < lesson.steps < 600
    assert training_store.multiplications(largest, name) <= objectives.BUDGET
    watched = sum(lesson.start[each].numel() * 4 for each in lesson.watched)
    assert watched <= training.MAX_BYTES / 2  # of two moments, its start and its end
    with torch.autograd.graph.saved_tensors_hooks(hold := Held(), lambda kept: kept):
        learning = {each: weight.requires_grad_() for each, weight in lesson.start.items()}
        lesson.loss(learning | lesson.held, lesson.examples[: lesson.at_once])
    assert sum(hold.sizes.values()) < 60_000_000


class Held:
    """Counts the bytes that a computation keeps for its gradients, each tensor once."""

    def __init__(self):
        self.sizes: dict[int, int] = {}

    def __call__(self, tensor):
        self.sizes[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor


def test_steps_are_those_of_pytorchs_adam(monkeypatch):
    """Eleven steps of ours, on eleven weights at a time, and of torch.optim.Adam, from the same
    start with the same batches, lead to the same weights."""
    monkeypatch.setattr(training, "AT_ONCE", 11)
    lesson = objectives.attention(PRIMES)
    run = training.Training(lesson, PRIMES.steps)
    theirs = {name: weight.clone().requires_grad_() for name, weight in lesson.start.items()}
    optimizer = torch.optim.Adam(theirs.values(), lr=0.01)
    batches = training.Training(lesson, PRIMES.steps)
    for _ in range(11):
        run.step()
        optimizer.zero_grad()
        lesson.loss(theirs | lesson.held, batches._next_batch()).backward()
        optimizer.step()
    for name, weight in theirs.items():
        assert (run.weights[name] - weight).abs().max() < 1e-9, name


def test_the_loss_is_the_surprise_about_both_answers():
    """Minus the logarithm of the share that the right word got, at the adjective and at the verb,
    on average."""
    lesson, examples = objectives.attention(PRIMES), torch.arange(3, 1700, 101)
    out, _ = objectives.forward(
        objectives.start_on_language(PRIMES), lesson.start, objectives.IDS[examples], None
    )
    expected = 0.0
    for question in ("adjective", "verb"):
        logs = F.log_softmax(out[:, language.PLACES[question]] @ lesson.start["w_u"], dim=-1)
        expected -= logs.gather(1, objectives.ANSWERS[question][examples][:, None]).mean().item()
    assert lesson.loss(lesson.start, examples).item() == pytest.approx(expected, abs=1e-12)
