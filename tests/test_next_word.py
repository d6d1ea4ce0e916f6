"""The next word: every step from the last row to one word, and the sentence that grows by it."""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import WORDS, setups

from core import Setup
from core.fields.sentences import MAX_TOKENS
from core.forward import next_word, producers
from core.forward.encoder import encode
from core.forward.trace import compute_embedding
from core.ops import masks
from core.reference import reference
from core.text import language
from core.training.init import next_number
from core.weights import weights

# Sizes that are distinct primes, and every choice other than the default.
SIZES = {"d_model": 7, "d_k": 3, "d_v": 5, "heads": 2, "d_ff": 11}
CHOICES = {"word_temperature": 0.7, "top_k": 4, "top_p": 0.85}
OTHERS = {"init": "xavier", "positions": "sinusoidal"}
CHOOSY = Setup(text="the cat sat on the mat", **SIZES, **OTHERS, **CHOICES)
NAMES = {
    "encoded": ("token", "d_model"),
    "last": ("d_model",),
    "embedding_table": ("word", "d_model"),
    "unembedding": ("d_model", "word"),
    "logits": ("word",),
    "tempered": ("word",),
    "top_k": ("word",),
    "top_p": ("word",),
    "probabilities": ("word",),
    "ends": ("word",),
    "number": ("draw",),
    "chosen": ("draw",),
}
SHARES = st.lists(st.integers(0, 9), min_size=1, max_size=11).filter(any)


def logits_of(row: list[float]) -> torch.Tensor:
    return torch.tensor(row, dtype=torch.float32)


def test_names_and_axes_are_a_contract():
    """Pages and whoever imports core rely on these names, in this order, with these axes; words as
    the vocabulary has them."""
    trace = next_word.predict(CHOOSY)
    assert {name: entry.dims for name, entry in trace.items()} == NAMES
    assert list(trace) == list(NAMES)
    sizes = {"token": 6, "d_model": 7, "word": 5, "draw": 1}
    for name, entry in trace.items():
        assert tuple(entry.value.shape) == tuple(sizes[axis] for axis in entry.dims), name
    assert trace.vocabulary == CHOOSY.vocabulary
    assert {*NAMES} - {*next_word.predict(replace(CHOOSY, choose="greedy"))} == {"number"}
    own = next_word.predict(replace(CHOOSY, unembedding="own"))
    assert {*NAMES} - {*own} == {"embedding_table"}


@given(setups(top_k=0, top_p=1.0))
def test_shares_are_pytorchs(setup):
    """From the stack's last row to the shares by F.linear and F.softmax, with the table for weights
    or a matrix of its own."""
    trace = next_word.predict(setup)
    causal = replace(setup, memory="", mask="causal-window" if "window" in setup.mask else "causal")
    out = encode(causal)[-1].value("out")
    words = (
        weights.get_embedding_table(causal)
        if setup.unembedding == "tied"
        else weights.get_unembedding(causal).T
    )
    theirs = F.linear(out[-1], words)
    size = theirs.abs().max().item()
    assert torch.allclose(trace.value("logits"), theirs, rtol=1e-4, atol=1e-5 * size)
    assert torch.allclose(
        trace.value("probabilities"),
        F.softmax(trace.value("logits") / setup.word_temperature, dim=-1),
        atol=1e-6,
    )


@settings(max_examples=30)
@given(setups())
def test_no_word_looks_ahead(setup):
    """Whatever the setup's mask is, the next word is said under a causal one, and the trace says
    so: a sentence's first words hand on the same whether or not others follow."""
    trace = next_word.predict(setup)
    causal = replace(setup, memory="", mask="causal-window" if "window" in setup.mask else "causal")
    assert trace.setup == causal
    assert torch.equal(trace.value("logits"), next_word.predict(causal).value("logits"))
    x = compute_embedding(causal).value("x")
    first = encode(causal, x[:1])[-1].value("out")
    whole = trace.value("encoded")
    assert torch.allclose(first[0], whole[0], rtol=1e-3, atol=1e-4 * whole.abs().max().item())
    assert masks.causal(2).tolist() == [[True, False], [True, True]]


@pytest.mark.parametrize("choose", ["drawn", "greedy"])
@pytest.mark.parametrize("unembedding", ["tied", "own"])
@pytest.mark.parametrize(
    "changed", [{}, {"top_k": 0, "top_p": 1.0}, {"top_k": 1}, {"top_p": 0.01}, {"text": "cat"}]
)
def test_every_cell_follows_from_its_origin(choose, unembedding, changed):
    """Opened anywhere, the terms of a cell give its value, and they are among the inputs of the
    function that made all of them."""
    trace = next_word.predict(replace(CHOOSY, choose=choose, unembedding=unembedding, **changed))
    for name, entry in trace.items():
        made = producers.maker(trace, name)
        assert made is not None, name
        if entry.call is not None:
            assert torch.equal(entry.call.again(trace), entry.value), name
            assert made.function is entry.call.function
        if entry.origin is None:
            continue
        for index in torch.ones(entry.value.shape).nonzero().tolist():
            at = tuple(index)
            cell, stands = entry.origin.recompute(trace, at), entry.value[at].item()
            assert cell.value == stands or math.isclose(
                cell.value, stands, rel_tol=1e-5, abs_tol=1e-6
            ), (name, at)
            assert entry.origin.open(trace, at).value == stands
            refs = {ref.name for term in cell.terms for ref in term.factors}
            assert entry.call is None or refs <= set(entry.call.inputs), name
            for term in cell.terms:
                assert all(
                    trace.value(ref.name)[ref.index].item() == ref.value for ref in term.factors
                )


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=11), st.integers(1, 12))
def test_top_k_by_sorting(row, k):
    """By Python's own sort: the k largest stay, of equal ones the earlier."""
    kept = sorted(range(len(row)), key=lambda place: (-row[place], place))[:k]
    expected = [value if place in kept else -math.inf for place, value in enumerate(row)]
    assert next_word.keep_top_k(logits_of(row), k).tolist() == expected


@given(SHARES, st.integers(1, 99))
def test_top_p_by_trying_every_number_of_words(parts, percent):
    """In whole numbers, where nothing is rounded: of the likeliest n words for every n, the first n
    whose shares reach p."""
    whole = sum(parts)
    order = sorted(range(len(parts)), key=lambda place: (-parts[place], place))
    tried = (
        n
        for n in range(1, len(parts) + 1)
        if 100 * sum(parts[place] for place in order[:n]) >= percent * whole
    )
    kept = order[: next(tried)]
    exact = (
        100 * sum(parts[place] for place in kept) == percent * whole
    )  # a tie with p itself, which rounding decides
    found = next_word.keep_top_p(
        logits_of([math.log(part) if part else -math.inf for part in parts]), percent / 100
    )
    places = found.isfinite().nonzero().flatten().tolist()
    assert places == sorted(place for place in kept if parts[place]) or exact


@given(SHARES)
def test_each_word_is_drawn_as_often_as_its_share_says(parts):
    """Of numbers evenly spread from 0 to below 1, as many fall into each bar as it is long; none
    into one of no length."""
    shares = torch.tensor(parts, dtype=torch.float32) / sum(parts)
    numbers = (torch.arange(1000) + 0.5) / 1000
    times = next_word.draw(shares, numbers).bincount(minlength=len(parts))
    assert (times / 1000 - shares).abs().max() <= 0.0011
    edges = torch.tensor([0.0, 1 - 2**-24])
    assert all(parts[place] for place in next_word.draw(shares, edges).tolist())
    assert all(parts[place] or not count for place, count in enumerate(times.tolist()))


@given(SHARES, st.floats(0, 1, exclude_max=True, width=32))
def test_the_number_lies_in_the_bar_that_is_shown(parts, u):
    """The word that is drawn is the one whose bar, from its end less its share to its end, the
    number falls into."""
    shares = torch.tensor(parts, dtype=torch.float32) / sum(parts)
    place = next_word.draw(shares, torch.tensor([u])).item()
    end = next_word.ends(shares)[place].item()
    assert end - shares[place].item() - 1e-6 <= u < end + 1e-6


@given(setups())
def test_greedy_is_the_largest(setup):
    """The word with the largest share, whatever temperature, top-k and top-p leave of the
    others."""
    greedy = replace(setup, choose="greedy", top_k=2, top_p=0.5)
    trace = next_word.predict(greedy)
    assert next_word.next_of(trace) == trace.vocabulary[int(trace.value("logits").argmax())]


def test_again_draws_anew_and_back_brings_the_same():
    """The number hangs on the draw seed and on how many words there are, and on nothing else of the
    setup."""
    numbers = {
        n: next_number(replace(CHOOSY, text=" ".join(["a"] * n))).item() for n in range(1, 9)
    }
    assert len(set(numbers.values())) == 8
    assert all(0 <= u < 1 for u in numbers.values())
    other = replace(CHOOSY, text="b c d", seed=5, init="normal", d_model=3, top_k=1)
    assert next_number(other).item() == numbers[3]
    assert next_number(replace(other, draw_seed=2)).item() != numbers[3]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=MAX_TOKENS), st.sampled_from(WORDS))
def test_a_word_is_appended_as_long_as_there_is_room(words, word):
    """The sentence grows by one token and nothing else changes; a full one stays as it is, and the
    reader is told."""
    setup = Setup(text=" ".join(words), d_k=5, top_k=3)
    longer, told = next_word.append_word(setup, word)
    if len(words) == MAX_TOKENS:
        assert longer == setup
        assert any("32 words" in sentence for sentence in told)
    else:
        assert (longer.tokens, told) == ((*setup.tokens, word), [])
        assert replace(longer, text=setup.text) == setup


def test_going_on_is_one_word_after_the_other():
    """Several words at once are those that come one by one, and they stop where there is no room
    for more."""
    setup = CHOOSY
    for _ in range(4):
        setup, _ = next_word.append_next(setup, next_word.predict(setup))
    assert next_word.go_on(CHOOSY, most=4) == setup
    full = replace(CHOOSY, text=" ".join(["a b"] * 15))
    assert len(next_word.go_on(full, most=8).tokens) == MAX_TOKENS


def test_the_shares_are_held_against_pytorch():
    """The check that the page prints is small where the shares are right, and large where one of
    them is moved."""
    trace = next_word.predict(CHOOSY)
    assert reference.check_next_word(trace).largest < 1e-5
    trace.value("probabilities")[0] += 0.25
    assert reference.check_next_word(trace).largest > 0.2


def test_a_row_that_begins_again_is_known_from_its_second_round_on():
    """After as many letters as there are different ones, the next is the one that followed before;
    of other rows nothing is known."""
    for period in range(3, 9):
        row = tuple("abcdefghijkl"[k % period] for k in range(16))
        for length in range(1, 16):
            known = language.predict_repeated_letter(row[:length])
            assert known == ({row[length]: 1.0} if length > period else {}), (period, length)
    assert language.predict_repeated_letter(("a", "b", "a", "c")) == {}
