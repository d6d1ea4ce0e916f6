"""A second sentence that is asked: queries of one, keys and values of the other. `test_pytorch`
holds it against PyTorch's own functions, `test_trace` its names and sizes."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from strategies import setups

from core import Setup, run
from core.forward import encoder
from core.setup.presets import PRESETS, STORY_HEAD
from core.training import training_store
from core.weights import weights
from tests.helpers import app

FIVE, OTHER = "the cat sat there quietly", "a quick dog saw the cat run"
CROSS = Setup(text=FIVE, memory=OTHER, d_model=22, d_k=3, d_v=13, heads=2, init="xavier")


@settings(max_examples=60)
@given(setups(layer=1))
def test_a_memory_leaves_the_sentence_as_it_is(setup):
    """X and the queries are the same numbers with a memory and without, and so is every stack on
    the sentence."""
    alone, asks = (run(replace(setup, mask="none", memory=memory)) for memory in ("", OTHER))
    for name in ("x", "w_q", "w_k", "q"):
        assert name not in alone or torch.equal(alone.value(name), asks.value(name)), name
    small = (replace(trace.setup, d_ff=1, layers=1) for trace in (alone, asks))
    assert torch.equal(*(encoder.encode(setup)[0].value("out") for setup in small))


def test_asked_by_itself_it_is_self_attention():
    """A sentence that asks the same sentence gives what self-attention gives, number for number,
    however positions are told."""
    for positions in ("none", "sinusoidal", "learned", "rotary"):
        alone = replace(CROSS, memory="", positions=positions)
        same = run(replace(alone, memory=alone.text))
        assert torch.equal(run(alone).value("output"), same.value("output")), positions


def test_each_sentence_counts_from_its_own_first_word():
    """The first word of either sentence has the first place's row, and rotary positions turn it by
    nothing. An edit of the seventh place counts where only the memory has seven."""
    for positions in ("sinusoidal", "learned"):
        trace = run(replace(CROSS, positions=positions))
        assert torch.equal(trace.value("positions"), trace.value("memory_positions")[:5])
    keys, turned = (run(replace(CROSS, positions="rotary")).value(n) for n in ("k", "k_rotated"))
    assert torch.equal(keys[:, 0], turned[:, 0])
    assert not torch.equal(keys[:, 1], turned[:, 1])
    changed = run(replace(CROSS, positions="learned", edits="positions.7.1=5"))
    assert not weights.edits_that_do_not_fit(changed.setup)
    assert changed.value("memory_positions")[6, 0] == 5


def test_keys_are_named_after_the_memory():
    """Whoever names the columns of scores finds the words that are asked, and those of a stack are
    the sentence's own."""
    trace = run(CROSS)
    assert trace.key_tokens == tuple(OTHER.split())
    assert trace.at({"head": 0}, "scores").key_tokens == trace.key_tokens
    assert (trace.taken_in, trace.asked) == ("x", "memory_x")
    assert encoder.encode(CROSS)[0].key_tokens == trace.tokens == tuple(FIVE.split())


def test_what_ties_it():
    """A memory opens every mask; a further layer, and weights that learned what comes next, have
    none."""
    assert replace(CROSS, mask="causal-window").mask == "none"
    assert replace(CROSS, layers=3, layer=2).memory == ""
    learned = replace(CROSS, init="trained", task="next")
    assert (learned.memory, learned.mask) == ("", "causal")
    assert Setup.nearest({"memory": OTHER, "mask": "causal"}) == (Setup(memory=OTHER), [])


def test_it_is_cut_as_the_sentence_is():
    """A long memory is used up to 32 tokens, one without a word not at all, and the messages say
    so. Empty or blank, the sentence asks itself without a word."""
    setup, (message,) = Setup.nearest({"memory": "word " * 40})
    assert len(setup.memory_tokens) == 32
    assert message.startswith("memory: only its beginning is used")
    setup, (message,) = Setup.nearest({"memory": "?!"})
    assert (setup.memory, "the sentence asks itself" in message) == ("", True)
    with pytest.raises(ValueError, match="memory="):
        Setup(memory="?!")
    for typed in ("", " ", "\u2003"):
        assert Setup.nearest({"memory": typed}) == (Setup(), [])


def test_no_training_looks_at_it():
    """Weights are trained once, whatever sentence is asked, and words that training never saw come
    behind what it learned."""
    alone = Setup(init="trained", steps=1, seed=2323)  # no other test trains it
    asks = replace(alone, memory=OTHER)
    table, more = (weights.get_embedding_table(setup) for setup in (alone, asks))
    places = [asks.vocabulary.index(word) for word in alone.vocabulary]
    assert torch.equal(more[places], table)
    assert training_store.key(alone, "attention") == training_store.key(asks, "attention")


@pytest.mark.parametrize("page", ["9_block", "11_next"])
def test_later_pages_say_that_the_sentence_stands_by_itself(page):
    """Beyond the seven steps nothing asks the other sentence, and the page's head says so."""
    at = app(f"pages/{page}.py", text=FIVE, memory=OTHER, query=5, key=7)
    assert not at.exception
    said = [caption.value for caption in at.main.caption]
    assert any("here the sentence stands by itself" in each for each in said)


def test_trained_weights_find_the_noun_in_the_other_sentence():
    """In the preset an adjective looks at the noun that it fits, across: thirsty at the cat, and
    fresh at the milk."""
    preset = Setup(**PRESETS["Who looks across"])
    for adjective, noun in (("thirsty", "cat"), ("fresh", "milk")):
        trace = run(replace(preset, text=f"it was {adjective}"))
        row = trace.value("weights")[STORY_HEAD, -1]
        assert trace.key_tokens[int(row.argmax())] == noun
        assert row.max() > 0.7


def test_a_bias_by_distance_asks_no_other_sentence():
    """Places of two sentences are no distance apart: under ALiBi the sentence asks itself."""
    setup, told = Setup.nearest({"positions": "alibi", "memory": "the dog"})
    assert (setup.positions, setup.memory, told) == ("alibi", "", [])
    assert setup.tied["memory"] == "" and "memory" not in setup.as_link()
