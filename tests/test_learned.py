"""What is shown of a training: the film, what heads came to do, what breaks it, and the gradient
beside autograd's."""

from dataclasses import replace

import pytest
import torch

from core import film, gradient, language, lessons, reference, roles, study, trace, training_store
from core.setup import Setup

SENTENCE = "the cat drank the milk because it was thirsty"
SIZES = {"d_model": 7, "d_k": 3, "d_v": 5, "heads": 2, "steps": 11}
PRIMES = Setup(text=SENTENCE, init="trained", **SIZES, bias="on", positions="learned")
LEARNS = Setup(text=SENTENCE, init="trained", heads=1, d_k=8, d_v=8)
NEVER_SEEN = "the zebra drank one cup of milk because it was so very thirsty"


@pytest.mark.parametrize(
    "changed",
    [{}, {"text": NEVER_SEEN, "mask": "causal", "scale": "none"}, {"projections": "none"}],
)
def test_the_film_ends_with_what_the_pages_show(changed):
    """Its last moment is the page's own weights: for words never seen, places past the ninth, a
    mask, and without projections."""
    setup = replace(PRIMES, **changed)
    result, tokens = training_store.get(setup, "attention"), len(setup.tokens)
    moments = film.film(setup, result)
    assert moments.shape == (len(result.moments), setup.heads, tokens, tokens)
    assert torch.allclose(moments[-1], trace.run(setup).value("weights"), atol=1e-6)
    assert not torch.allclose(moments[0], moments[-1], atol=1e-4)


def test_the_film_begins_before_the_first_step():
    """Its first moment comes from the weights that training starts from, computed here by
    PyTorch."""
    result, start = training_store.get(PRIMES, "attention"), lessons.attention(PRIMES).start
    ids = [language.WORDS.index(word) for word in PRIMES.tokens]
    x = start["embedding_table"][ids] + start["positions"]
    q, k = (x @ start[f"w_{name}"] + start[f"b_{name}"][:, None] for name in "qk")
    value = torch.eye(len(ids)).double().expand(PRIMES.heads, -1, -1)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, value)
    # moments keep four decimals
    assert torch.allclose(film.film(PRIMES, result)[0].double(), expected, atol=1e-3)


def test_where_the_words_stand():
    """By hand: the milk warmed the cat because it was tired."""
    tokens = ("the", "milk", "warmed", "the", "cat", "because", "it", "was", "tired")
    row = [example.tokens for example in language.EXAMPLES].index(tokens)
    stands = {
        word: roles.places(torch.tensor([row]), word).item()
        for word in ("noun", "subject", "animal", "food", "adjective")
    }
    assert stands == {"noun": 4, "subject": 1, "animal": 4, "food": 1, "adjective": 8}


def test_a_role_is_counted_over_unseen_sentences():
    """One head at small sizes does both after 150 steps; what is counted agrees with each
    sentence's own weights, one after the other."""
    setup = replace(LEARNS, positions="sinusoidal", steps=150)
    found, asked = roles.of_attention(setup, training_store.get(setup, "attention")), []
    for row in roles.asked(setup).tolist():
        example = language.EXAMPLES[row]
        own = trace.run(replace(setup, text=" ".join(example.tokens))).value("weights")
        asked.append(own[0, 8, example.tokens.index(example.noun)].item())
    assert set(roles.asked(setup).tolist()) <= set(
        lessons.learned_and_unseen(setup.seed)[1].tolist()
    )
    assert found["adjective"][0].times == found["verb"][0].times == roles.ASKED == len(asked)
    assert found["adjective"][0].mean == pytest.approx(sum(asked) / len(asked), abs=1e-6)


def test_only_sentences_of_the_language_have_a_row_of_it():
    """`it_in` gives nothing for a sentence with another word or of another length: the stack was
    not trained on such."""
    result = training_store.get(PRIMES, "it 2")
    row = roles.it_in(PRIMES, result, 2)
    assert row.shape == (2, 9)
    assert torch.allclose(row.sum(dim=-1), torch.ones(2))
    for text in ("the zebra drank the milk because it was thirsty", "it was thirsty"):
        assert roles.it_in(replace(PRIMES, text=text), result, 2) is None


def test_one_thing_is_taken_away_at_a_time():
    """Each variant differs from the setup in what its name says, and what is gone already cannot be
    taken away."""
    names = ("as it is", "without positions", "d_k = 1", "without scaling", "causal mask")
    assert tuple(study.variants(PRIMES)) == names
    assert study.variants(replace(PRIMES, sizes="narrow", d_model=8))["d_k = 1"].d_k == 1
    bare = replace(PRIMES, positions="none", d_k=1, scale="none", mask="causal")
    assert study.variants(bare) == {"as it is": bare}
    assert study.jobs(PRIMES, "none") == [(PRIMES, "attention")]
    assert [part for _, part in study.jobs(PRIMES, "it")] == ["attention", "it 0", "it 1", "it 2"]
    assert [part for _, part in study.jobs(PRIMES, "breaks")] == ["attention"] * 5
    seeds = [setup.seed for setup, _ in study.jobs(replace(PRIMES, seed=2**31 - 1), "seeds")]
    assert seeds == [2**31 - 1, 0, 1]


def test_without_positions_only_verbs_that_take_either_noun_suffer():
    """At most half of the sentences whose order decides can be right; where only the animal comes
    first, all are."""
    setup = replace(LEARNS, positions="none", steps=300)
    found = study.answers(setup, training_store.get(setup, "attention"))
    either, animal = found["either first"], found["animal first"]
    assert found["verb"].right == either.right + animal.right
    assert either.of + animal.of == lessons.UNSEEN
    assert animal.right == animal.of and either.right < 0.6 * either.of


def test_a_wrong_gradient_would_be_seen():
    """Against autograd the gradient is right to the last bits, and one that is off by a thousandth
    is not."""
    opened = training_store.get(PRIMES, "attention").opened
    ours = gradient.of_queries(PRIMES, opened.weights, opened.examples).value
    lesson = lessons.attention(PRIMES)
    assert reference.check_gradient(lesson, opened, ours).relative < 1e-12
    assert reference.check_gradient(lesson, opened, ours + 1e-3).largest == pytest.approx(
        1e-3, rel=1e-6
    )
