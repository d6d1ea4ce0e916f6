"""What is shown of a training: the film, and what heads came to do."""

from dataclasses import replace

import pytest
import torch

from core import Setup
from core.analysis import head_targets, training_history
from core.forward import trace
from core.text import language
from core.training import objectives, training_store

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
    moments = training_history.find_weight_history(setup, result)
    assert moments.shape == (len(result.moments), setup.heads, tokens, tokens)
    assert torch.allclose(moments[-1], trace.run(setup).value("weights"), atol=1e-6)
    assert not torch.allclose(moments[0], moments[-1], atol=1e-4)


def test_the_film_begins_before_the_first_step():
    """Its first moment comes from the weights that training starts from, computed here by
    PyTorch."""
    result, start = training_store.get(PRIMES, "attention"), objectives.attention(PRIMES).start
    ids = [language.WORDS.index(word) for word in PRIMES.tokens]
    x = start["embedding_table"][ids] + start["positions"]
    q, k = (x @ start[f"w_{name}"] + start[f"b_{name}"][:, None] for name in "qk")
    value = torch.eye(len(ids)).double().expand(PRIMES.heads, -1, -1)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, value)
    # moments keep four decimals
    assert torch.allclose(
        training_history.find_weight_history(PRIMES, result)[0].double(), expected, atol=1e-3
    )


def test_where_the_words_stand():
    """By hand: the milk warmed the cat because it was tired."""
    tokens = ("the", "milk", "warmed", "the", "cat", "because", "it", "was", "tired")
    row = [example.tokens for example in language.EXAMPLES].index(tokens)
    stands = {
        word: head_targets.places(torch.tensor([row]), word).item() for word in ("noun", "subject")
    }
    assert stands == {"noun": 4, "subject": 1}


def test_a_role_is_counted_over_unseen_sentences():
    """One head at small sizes does both after 150 steps; what is counted agrees with each
    sentence's own weights, one after the other."""
    setup = replace(LEARNS, positions="sinusoidal", steps=150)
    found, asked = head_targets.measure_attention(setup, training_store.get(setup, "attention")), []
    for row in head_targets.select_examples(setup).tolist():
        example = language.EXAMPLES[row]
        own = trace.run(replace(setup, text=" ".join(example.tokens))).value("weights")
        asked.append(own[0, 8, example.tokens.index(example.noun)].item())
    assert set(head_targets.select_examples(setup).tolist()) <= set(
        objectives.split_examples(setup.seed)[1].tolist()
    )
    assert found["adjective"][0].times == found["verb"][0].times == head_targets.ASKED == len(asked)
    assert found["adjective"][0].mean == pytest.approx(sum(asked) / len(asked), abs=1e-6)
