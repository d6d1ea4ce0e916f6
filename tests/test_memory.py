"""A second sentence that is asked: queries of one, keys and values of the other, against PyTorch's
own functions."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from strategies import setups
from torch import nn

from core import compare, encoder, predictions, reference, training_store, weights
from core.presets import PRESETS
from core.setup import Setup
from core.trace import embedded, run
from pages.shared.link.pages import LATER as LATER_PAGES
from pages.shared.link.pages import OVERVIEW
from pages.shared.link.pages import SEVEN as SEVEN_STEPS
from tests.helpers import app, boards, change

FIVE, SEVEN = "the cat sat there quietly", "a quick dog saw the cat run"
CROSS = Setup(text=FIVE, memory=SEVEN, d_model=22, d_k=3, d_v=13, heads=2, init="xavier")


def test_multihead_attention_with_keys_and_values_of_another_sequence():
    """The output is what PyTorch's module makes of one sentence as query and the other as key and
    value."""
    setup = replace(CROSS, sizes="narrow", out="d_model", bias="on", positions="sinusoidal")
    trace = run(setup)
    module = nn.MultiheadAttention(22, 2, batch_first=True)
    with torch.no_grad():
        rows = torch.cat([torch.cat(list(trace.value(f"w_{name}")), dim=1).T for name in "qkv"])
        module.in_proj_weight.copy_(rows)
        module.in_proj_bias.copy_(torch.cat([trace.value(f"b_{name}").flatten() for name in "qkv"]))
        module.out_proj.weight.copy_(trace.value("w_o").T)
        module.out_proj.bias.copy_(trace.value("b_o"))
        memory = trace.value("memory_x")
        output, looks = module(trace.value("x"), memory, memory, average_attn_weights=False)
    assert looks.shape == (2, 5, 7)
    torch.testing.assert_close(trace.value("weights"), looks, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(trace.value("output"), output, atol=1e-5, rtol=1e-4)


@given(setups(layer=1, memory=SEVEN) | setups(layer=1, memory=SEVEN, projections="none"))
def test_scaled_dot_product_attention_with_other_keys(setup):
    """The context of any setup with a memory is PyTorch's of the same q, k and v, turned ones and
    shared ones too."""
    trace = run(setup)
    q, k = (trace.value(name) for name in trace.compared)
    scale = (1 if setup.scale == "none" else setup.d_k**-0.5) / setup.temperature
    v = trace.value("v")
    theirs = F.scaled_dot_product_attention(
        q.double(), k.double(), v.double(), scale=scale, enable_gqa=setup.group > 1
    )
    size = max(v.abs().max().item(), 1.0)
    assert trace.value("weights").shape == (setup.heads, len(setup.tokens), 7)
    # Scores of thousands have few decimals left in float32, and a softmax feels them.
    room = 1e-4 + 1e-6 * trace.value("masked").abs().max().item()
    assert (trace.value("context") - theirs).abs().max().item() < room * size
    for name in (
        "embedded",
        "memory_embedded",
        "q",
        "k",
        "v",
        "scores",
        "weights",
        "context",
        "output",
    ):
        assert reference.check(trace, name).relative < max(room, 1e-4), name


@given(setups(layer=1))
def test_a_memory_leaves_the_sentence_as_it_is(setup):
    """X and the queries are the same numbers with a memory and without, and so is every stack on
    the sentence."""
    alone, asks = (run(replace(setup, mask="none", memory=memory)) for memory in ("", SEVEN))
    for name in ("x", "w_q", "w_k", "q"):
        assert name not in alone or torch.equal(alone.value(name), asks.value(name)), name
    small = replace(alone.setup, d_ff=1, layers=1)
    stacks = [
        encoder.encode(replace(small, memory=memory))[0].value("out") for memory in ("", SEVEN)
    ]
    assert torch.equal(*stacks)


def test_asked_by_itself_it_is_self_attention():
    """A sentence that asks the same sentence gives what self-attention gives, number for number,
    however positions are told."""
    for positions in ("none", "sinusoidal", "learned", "rotary"):
        alone = replace(CROSS, memory="", positions=positions)
        same = run(replace(alone, memory=alone.text))
        assert torch.equal(run(alone).value("output"), same.value("output")), positions


def test_each_sentence_counts_from_its_own_first_word():
    """The first word of either sentence has the first place's row, drawn or of waves, and rotary
    positions turn it by nothing."""
    for positions in ("sinusoidal", "learned"):
        trace = run(replace(CROSS, positions=positions))
        ours, theirs = trace.value("positions"), trace.value("memory_positions")
        assert (len(ours), len(theirs)) == (5, 7)
        assert torch.equal(ours, theirs[:5])
    trace = run(replace(CROSS, positions="rotary"))
    assert torch.equal(trace.value("k")[:, 0], trace.value("k_rotated")[:, 0])
    assert not torch.equal(trace.value("k")[:, 1], trace.value("k_rotated")[:, 1])


def test_keys_are_named_after_the_memory():
    """Whoever names the columns of scores finds the words that are asked, and those of a stack are
    the sentence's own."""
    trace = run(CROSS)
    assert trace.key_tokens == tuple(SEVEN.split())
    assert trace.at({"head": 0}, "scores").key_tokens == trace.key_tokens
    assert (trace.taken_in, trace.asked) == ("x", "memory_x")
    assert encoder.encode(CROSS)[0].key_tokens == trace.tokens == tuple(FIVE.split())
    assert "memory_x" in embedded(CROSS)


def test_what_ties_it():
    """A memory opens every mask; a further layer, and weights that learned what comes next, have
    none."""
    assert replace(CROSS, mask="causal-window").mask == "none"
    assert replace(CROSS, layers=3, layer=2).memory == ""
    learned = replace(CROSS, init="trained", task="next")
    assert (learned.memory, learned.mask) == ("", "causal")
    assert Setup.nearest({"memory": SEVEN, "mask": "causal"}) == (Setup(memory=SEVEN), [])


@pytest.mark.parametrize("typed", ["", " ", "\u2003"])
def test_nothing_is_allowed(typed):
    """Empty or blank, the sentence asks itself, and no message says a word."""
    assert Setup.nearest({"memory": typed}) == (Setup(), [])


def test_it_is_cut_as_the_sentence_is():
    """A long memory is used up to 32 tokens, one without a word not at all, and the messages say
    so."""
    setup, (message,) = Setup.nearest({"memory": "word " * 40})
    assert len(setup.memory_tokens) == 32
    assert message.startswith("memory: only its beginning is used")
    setup, (message,) = Setup.nearest({"memory": "?!"})
    assert setup.memory == ""
    assert "the sentence asks itself" in message
    with pytest.raises(ValueError, match="memory="):
        Setup(memory="?!")


def test_edits_of_places_past_the_sentence_count_in_the_memory():
    """Learned rows are one table for both sentences: a change of the seventh place shows where only
    the memory has seven."""
    setup = replace(CROSS, positions="learned")
    changed = run(replace(setup, edits="positions.7.1=5"))
    assert not weights.edits_that_do_not_fit(changed.setup)
    assert changed.value("memory_positions")[6, 0] == 5


def test_no_training_looks_at_it():
    """Weights are trained once, whatever sentence is asked, and words that training never saw come
    behind what it learned."""
    setup = Setup(init="trained", steps=1, seed=2323)  # no other test trains it
    rows = [
        dict(
            zip(
                (one := replace(setup, memory=memory)).vocabulary,
                weights.embedding_table(one),
                strict=True,
            )
        )
        for memory in (SEVEN, "")
    ]
    assert all(torch.equal(row, rows[0][word]) for word, row in rows[1].items())
    assert training_store.key(setup, "attention") == training_store.key(
        replace(setup, memory=SEVEN), "attention"
    )


@settings(max_examples=30)
@given(setups(layer=1, memory=SEVEN))
def test_guesses_are_among_the_words_that_are_asked(setup):
    """What a reader can answer before a step is seen are the memory's words."""
    asked = predictions.ask("scores", run(setup), 0, 0)
    assert asked is not None
    assert asked.options == tuple(SEVEN.split())


SEVEN_PAGES = [page.file for page in (OVERVIEW, *SEVEN_STEPS)]
LATER = [step for step in LATER_PAGES if step.path not in ("notebooks", "model", "bring")]
FOLDS = (
    "formula",
    "tables_vocabulary",
    "tables_embedding",
    "tables_projection",
    "tables_scores",
    "tables_weights",
    "tables_context",
    "tables_heads",
    "fold_cell",
    "fold_brought",
    "fold_mixture",
    "fold_likeness",
    "fold_stretch",
    "misfit",
    "fold_curves",
    "stream",
    "suggestions_weights",
    "suggestions_context",
    "suggestions_heads",
    "heads_off",
    "one_head_more",
)
WORDS = {"text": FIVE, "memory": SEVEN}


@pytest.mark.parametrize("page", SEVEN_PAGES)
@pytest.mark.parametrize(
    "link",
    [
        {},
        {"projections": "none"},
        {"positions": "rotary", "kv_heads": 1},
        {"init": "trained", "positions": "learned"},
    ],
)
def test_the_seven_pages_show_both_sentences(page, link):
    """Every page and each of its folds draws with n × m of everything, and each of the three on
    Projection."""
    at = app(page, **WORDS, query=5, key=7, **link)
    for matrix in ("queries", "keys", "values") if "projection" in page else ("queries",):
        assert not change(at, matrix=matrix, open=",".join(FOLDS)).exception
        assert all(board["alt"] for board in boards(at))


@pytest.mark.parametrize("step", LATER, ids=lambda step: step.path)
def test_later_pages_say_that_the_sentence_stands_by_itself(step):
    """Beyond the seven steps nothing asks the other sentence, and the page's head says so."""
    at = app(step.file, **WORDS, query=5, key=7, init="trained", steps=3)
    assert not at.exception
    said = [caption.value for caption in at.main.caption]
    assert any("here the sentence stands by itself" in each for each in said)


def test_trained_weights_find_the_noun_in_the_other_sentence():
    """In the preset an adjective looks at the noun that it fits, across: thirsty at the cat, and
    fresh at the milk."""
    preset = Setup(**PRESETS["Who looks across"])
    for adjective, noun in (("thirsty", "cat"), ("fresh", "milk")):
        trace = run(replace(preset, text=f"it was {adjective}"))
        row = trace.value("weights")[0, -1]
        assert trace.key_tokens[int(row.argmax())] == noun
        assert row.max() > 0.7


def test_held_beside_self_attention():
    """Against the same sentence that asks itself, X and the queries are the same, and shapes differ
    by the memory."""
    held = replace(CROSS, memory="")
    pairs = {pair.name: pair for pair in compare.compare(run(held), run(CROSS))}
    assert compare.first_apart(list(pairs.values())).name == "ids"  # places in a longer vocabulary
    assert pairs["x"].same
    assert pairs["q"].same
    assert pairs["memory_x"].held is None
    assert compare.why(pairs["scores"], held, CROSS, batch=False) == ("memory",)
    assert "memory" in compare.why(pairs["k"], held, CROSS, batch=False)
