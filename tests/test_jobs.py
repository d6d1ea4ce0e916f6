"""What heads do, measured: the marks are right, and a head has a name only where it earned it on sentences that gave it none."""

import torch

from core import marked
from core.jobs import JOBS, RELATIONS, Case, cases, half_of, judge
from core.marked import sentences

NOUNS = {*marked.MEN, *marked.WOMEN, *marked.ANIMALS, *marked.FOODS}
ADJECTIVES = {*marked.OF_PEOPLE, *marked.OF_THINGS}
VERBS = {*marked.MET, *marked.ATE}


def test_every_mark_is_right():
    """Of each relation, the two words are what its name says, and nothing but adjectives (or a determiner with them) is between."""
    for sentence in sentences():
        words = sentence.words
        for name, query, key in sentence.marks:
            between = set(words[min(query, key) + 1 : max(query, key)])
            if name == "determiner → noun":
                assert words[query] in ("the", "this", "that", "my", "your") and words[key] in NOUNS and between <= ADJECTIVES
            elif name == "adjective → noun":
                assert words[query] in ADJECTIVES and words[key] in NOUNS and between <= ADJECTIVES
            elif name == "verb → object":
                assert words[query] in VERBS and words[key] in NOUNS and query < key and not between & (NOUNS | VERBS)
            elif name == "object → verb":
                assert words[query] in NOUNS and words[key] in VERBS and key < query and not between & (NOUNS | VERBS)
            else:
                of_pronoun = {"he": marked.MEN, "she": marked.WOMEN}
                fits = marked.ANIMALS if words[-1] in marked.FITS_ANIMALS else marked.FOODS
                assert words[key] in of_pronoun.get(words[query], fits)
                assert len({*words} & {*of_pronoun.get(words[query], fits)}) == 1, "nobody else could be meant"


def test_both_halves_are_alike():
    """Two hundred different sentences, and each relation as often asked in one half as in the other, within a quarter."""
    assert len({sentence.text for sentence in sentences()}) == 200
    counts = torch.zeros(2, len(RELATIONS))
    for k, sentence in enumerate(sentences()):
        for name, *_ in sentence.marks:
            counts[half_of(k), RELATIONS.index(name)] += 1
    assert torch.allclose(counts[0], counts[1], rtol=0.25)


def looks(queries: int, *heads: dict[int, int]) -> torch.Tensor:
    """Weights (1, head, query, key) of a sentence: the largest where a head has it for a query, on the first piece elsewhere."""
    made = torch.full((1, len(heads), queries, queries), 0.1)
    made[..., 0] = 0.2
    for head, of_head in enumerate(heads):
        for query, key in of_head.items():
            made[0, head, query, key] = 0.7
    return made


def test_a_name_is_earned_on_other_sentences():
    """A head that looks one back is named so; one that finds the noun at any distance too; one that does so only in the half that
    names it is not, and neither is one that is no better than the best fixed distance."""
    asked, shown = [], []
    for k in range(8):
        noun = 2 + k // 4 + 2 * (k % 2)  # one to four places on, in each half: a fixed distance is right in a quarter
        asked.append([Case("determiner → noun", 1, noun), *(Case("the word before", q, q - 1) for q in range(2, 6))])
        before = {query: query - 1 for query in range(2, 6)}
        shown.append(looks(6, before, {1: noun}, {1: noun} if half_of(k) == 0 else {1: 1}, {1: 2}))
    found = judge(asked, shown)
    assert [found.names(0, head) for head in range(4)] == [("the word before",), ("determiner → noun",), (), ()]
    job = JOBS.index("determiner → noun")
    assert found.fixed[:, job].tolist() == [0.25, 0.25]
    assert found.shares[:, job, 0, 1:3].tolist() == [[1, 1], [1, 0]]


def test_a_word_is_looked_for_among_the_words():
    """A head that gives most to a piece that is no word, and the rest to the right one, finds the word; its place is that piece."""
    asked = [[Case("determiner → noun", 1, 3), Case("the word before", 3, 2), Case("the first piece", 1, 0)]] * 4
    weights = torch.full((1, 1, 5, 5), 0.0)
    weights[..., 0], weights[0, 0, 1, 3] = 0.8, 0.2
    found = judge(asked, [weights] * 4)
    assert found.shares[:, JOBS.index("determiner → noun"), 0, 0].tolist() == [1, 1]
    assert found.shares[:, JOBS.index("the first piece"), 0, 0].tolist() == [1, 1]
    assert found.shares[:, JOBS.index("the word before"), 0, 0].tolist() == [0, 0]


def test_words_of_several_pieces_are_not_judged():
    """Where a word was cut up, nobody knows which piece it is: the sentence has no case."""
    sentence = sentences()[0]
    assert cases(sentence, ["[CLS]", *sentence.words, "[SEP]"])
    assert not cases(sentence, ["[CLS]", *sentence.words[:-1], "thirst", "##y", "[SEP]"])
    assert max(case.key for case in cases(sentence, sentence.words)) < len(sentence.words)
