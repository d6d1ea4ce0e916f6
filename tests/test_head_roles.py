"""What heads do, measured: the marks are right, and a head has a name only where it earned it on
sentences that gave it none."""

import torch

from core.analysis.head_roles import (
    JOBS,
    RELATIONS,
    Case,
    add_up_pieces,
    cases,
    half_of,
    judge,
    units,
)
from core.text import annotated
from core.text.annotated import Marked, sentences

NOUNS = {*annotated.MEN, *annotated.WOMEN, *annotated.ANIMALS, *annotated.FOODS}
ADJECTIVES = {*annotated.OF_PEOPLE, *annotated.OF_THINGS}
VERBS = {*annotated.MET, *annotated.ATE}


def test_every_mark_is_right():
    """Of each relation, the two words are what its name says, and nothing but adjectives (or a
    determiner with them) is between."""
    kinds = {
        "determiner → noun": ({"the", "this", "that", "my", "your"}, NOUNS),
        "adjective → noun": (ADJECTIVES, NOUNS),
        "verb → object": (VERBS, NOUNS),
        "object → verb": (NOUNS, VERBS),
    }
    for sentence in sentences():
        words = sentence.words
        for name, query, key in sentence.marks:
            between = set(words[min(query, key) + 1 : max(query, key)])
            if name in kinds:
                asks, asked = kinds[name]
                assert words[query] in asks and words[key] in asked
                if name.endswith("→ noun"):
                    assert between <= ADJECTIVES
                else:
                    assert (query < key) == (name == "verb → object")
                    assert not between & (NOUNS | VERBS)
            else:
                of_pronoun = {"he": annotated.MEN, "she": annotated.WOMEN}
                fits = annotated.ANIMALS if words[-1] in annotated.FITS_ANIMALS else annotated.FOODS
                assert words[key] in of_pronoun.get(words[query], fits)
                assert len({*words} & {*of_pronoun.get(words[query], fits)}) == 1, (
                    "nobody else could be meant"
                )


def test_both_halves_are_alike():
    """Two hundred different sentences, and each relation as often asked in one half as in the
    other, within a quarter."""
    assert len({sentence.text for sentence in sentences()}) == 200
    counts = torch.zeros(2, len(RELATIONS))
    for k, sentence in enumerate(sentences()):
        for name, *_ in sentence.marks:
            counts[half_of(k), RELATIONS.index(name)] += 1
    assert torch.allclose(counts[0], counts[1], rtol=0.25)


def looks(queries: int, *heads: dict[int, int]) -> torch.Tensor:
    """Weights (1, head, query, key) of a sentence: the largest where a head has it for a query, on
    the first piece elsewhere."""
    made = torch.full((1, len(heads), queries, queries), 0.1)
    made[..., 0] = 0.2
    for head, of_head in enumerate(heads):
        for query, key in of_head.items():
            made[0, head, query, key] = 0.7
    return made


def test_a_name_is_earned_on_other_sentences():
    """A head that looks one back is named so; one that finds the noun at any distance too; one that
    does so only in the half that names it is not, and neither is one that is no better than the
    best fixed distance."""
    asked, shown = [], []
    for k in range(8):
        # One to four places on, in each half: a fixed distance is right in a quarter.
        noun = 2 + k // 4 + 2 * (k % 2)
        of_places = (Case("the word before", q, q - 1) for q in range(2, 6))
        asked.append([Case("determiner → noun", 1, noun), *of_places])
        before = {query: query - 1 for query in range(2, 6)}
        shown.append(looks(6, before, {1: noun}, {1: noun} if half_of(k) == 0 else {1: 1}, {1: 2}))
    found = judge(asked, shown)
    names = [found.names(0, head) for head in range(4)]
    assert names == [("the word before",), ("determiner → noun",), (), ()]
    job = JOBS.index("determiner → noun")
    assert found.fixed[:, job].tolist() == [0.25, 0.25]
    assert found.shares[:, job, 0, 1:3].tolist() == [[1, 1], [1, 0]]


def test_a_word_is_looked_for_among_the_words():
    """A head that gives most to a piece that is no word, and the rest to the right one, finds the
    word; its place is that piece."""
    expected = {"determiner → noun": 1, "the first piece": 1, "the word before": 0}
    asked = [Case(job, *at) for job, at in zip(expected, ((1, 3), (1, 0), (3, 2)), strict=True)]
    weights = torch.full((1, 1, 5, 5), 0.0)
    weights[..., 0], weights[0, 0, 1, 3] = 0.8, 0.2
    found = judge([asked] * 4, [weights] * 4)
    for job, share in expected.items():
        assert found.shares[:, JOBS.index(job), 0, 0].tolist() == [share] * 2, job


def test_a_word_that_was_cut_up_is_one_word():
    """A relation holds where the largest share lies on the pieces of the word sought, taken
    together, though another piece has more than each of them; what several pieces of a word that
    asks give is averaged. Of pieces that do not spell the words nothing is asked."""
    sentence = Marked(
        ("my", "thirsty", "caterpillar", "slept"),
        (("determiner → noun", 0, 2), ("adjective → noun", 1, 2)),
    )
    pieces = ["[CLS]", "my", "thirst", "##y", "cat", "##er", "##pillar", "slept", "[SEP]"]
    asked = cases(sentence, pieces)
    assert Case("determiner → noun", 1, 3) in asked and Case("the last piece", 4, 5) in asked
    weights = torch.zeros(1, 1, 9, 9)
    # The noun has 0.4 of it, the adjective 0.35.
    weights[..., 1, :] = torch.tensor([0.0, 0, 0.2, 0.15, 0.15, 0.15, 0.1, 0.25, 0])
    # One half of the adjective looks back, the other at the noun: 0.6 on the mean.
    weights[..., 2, :] = torch.tensor([0.0, 0.6, 0, 0, 0.1, 0.1, 0.1, 0.1, 0])
    weights[..., 3, :] = torch.tensor([0.0, 0.0, 0, 0, 0.9, 0.0, 0.0, 0.1, 0])
    shares = add_up_pieces(weights, units(sentence.words, pieces))
    found = judge([asked] * 4, [shares] * 4)
    assert [found.shares[0, JOBS.index(name), 0, 0].item() for name in RELATIONS[:2]] == [1, 1]
    assert torch.allclose(shares[0, 0, 2, :5], torch.tensor([0, 0.3, 0, 0.6, 0.1]))
    for unread in (["[CLS]", "my", "[UNK]", *pieces[4:]], pieces[:-2]):
        assert not cases(sentence, unread) and not units(sentence.words, unread)


def test_what_comes_later_is_not_asked():
    """Of a model that looks at nothing ahead: no word that comes later, and the first piece is a
    place, as [CLS] is, be it a word. A head that gives most to it, and the rest to the verb, finds
    the verb."""
    sentence = next(each for each in sentences() if each.words[1] in NOUNS)
    asked = cases(sentence, sentence.words, is_causal=True)
    places = {"the word before", "itself", "the first piece"}
    assert {case.job for case in asked} == places | {"object → verb", "pronoun → who is meant"}
    assert all((case.key == 0) == (case.job == "the first piece") for case in asked)
    behind_a_piece = cases(sentence, ["<s>", *sentence.words], is_causal=True)
    assert Case("itself", 1, 1) in behind_a_piece
    assert all(case.key <= case.query for case in (*asked, *behind_a_piece))
    (case,) = (case for case in asked if case.job == "object → verb")
    weights = torch.zeros(1, 1, len(sentence.words), len(sentence.words))
    weights[..., 0], weights[0, 0, case.query, case.key] = 0.8, 0.2
    found = judge([asked] * 4, [weights] * 4)
    assert found.shares[:, JOBS.index("object → verb"), 0, 0].tolist() == [1, 1]
    assert "the word after" not in found.asked and "itself" in found.asked


def test_a_model_of_whole_words_is_measured_as_ever():
    """Where no word is cut up, words are pieces: each looks where it did, to the last bit; without
    a piece before them the first word is the first."""
    sentence, weights = sentences()[0], torch.rand(2, 3, 9, 9)
    assert torch.equal(add_up_pieces(weights, [range(k, k + 1) for k in range(9)]), weights)
    assert (
        len(units(sentence.words, ["[CLS]", *sentence.words, "[SEP]"])) == len(sentence.words) + 2
    )
    assert max(case.key for case in cases(sentence, sentence.words)) < len(sentence.words)
