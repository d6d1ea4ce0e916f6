"""Which head of a real model looks at what: measured, and named only where it holds."""

import pytest
import torch
from test_pretrained import MINILM, checkpoint, minilm, models, theirs, with_minilm  # noqa: F401

from core import grammar, heads_at_work, pretrained
from core.heads_at_work import Shares
from core.language import ANIMALS, FITS_ANIMALS, FITS_FOODS, FOODS

transformers = pytest.importorskip("transformers", reason="what models are held against")
DETERMINER, ADJECTIVE, VERB, PRONOUN = grammar.RELATIONS


def test_marks_lead_from_word_to_word():
    """A determiner and an adjective to their noun, a verb to its object, the pronoun to what its adjective fits."""
    for which in (0, 1):
        for sentence in grammar.half(which):
            said = {name: [(sentence.words[a], sentence.words[b]) for a, b in pairs] for name, pairs in sentence.marks.items()}
            assert all(a in ("the", "some") and b in ANIMALS + FOODS for a, b in said[DETERMINER])
            adjectives = {word for each in (*grammar.OF_ANIMALS, *grammar.OF_FOODS) for word in each}
            assert all(a in adjectives and b in ANIMALS + FOODS for a, b in said[ADJECTIVE])
            ((verb, thing),) = said[VERB]
            assert verb in grammar.VERBS[which] and thing in FOODS
            ((pronoun, meant),) = said[PRONOUN]
            assert pronoun == "it"
            assert (meant in ANIMALS) == (sentence.words[-1] in FITS_ANIMALS) == (sentence.words[-1] not in FITS_FOODS)


def test_the_halves_share_no_noun_and_no_fixed_distance_knows_better():
    """What holds in the other half is not the same words again, and each relation stands at several distances."""
    first, second = ({word for sentence in grammar.half(which) for word in sentence.words} for which in (0, 1))
    assert not first & second & {*ANIMALS, *FOODS, *grammar.VERBS[0], *grammar.VERBS[1]}
    assert first & second >= {*FITS_ANIMALS, *FITS_FOODS, "the", "some", "it"}
    for which in (0, 1):
        assert len(grammar.half(which)) > 50
        assert all(heads_at_work.best_fixed(grammar.half(which), relation) < 0.7 for relation in grammar.RELATIONS)


@torch.no_grad()
def test_minilms_heads_look_where_bertmodel_says(with_minilm):  # noqa: F811
    """In sentences whose words are a piece each, the largest weights counted in BertModel's own attention."""
    model, ours = theirs(minilm(), transformers.BertModel), pretrained.find(MINILM)
    whole = [each for each in grammar.half(0) if len(ours.tokenizer.pieces(" ".join(each.words))) == len(each.words) + 2]
    sentences = whole[:12]
    assert len(sentences) == 12
    found, hits = heads_at_work.shares(ours, sentences), {name: [] for name in (VERB, PRONOUN, "[SEP]", "the word before")}
    for sentence in sentences:
        ids = ours.tokenizer.ids(("[CLS]", *sentence.words, "[SEP]"))[None]
        largest = torch.cat(model(input_ids=ids, output_attentions=True).attentions).argmax(dim=-1)
        for name in (VERB, PRONOUN):
            ((a, b),) = sentence.marks[name]
            hits[name].append(largest[..., [a + 1]] == b + 1)
        own = torch.arange(1, len(sentence.words) + 1)
        hits["[SEP]"].append(largest[..., own] == len(sentence.words) + 1)
        hits["the word before"].append(largest[..., own] == own - 1)
    for name, each in hits.items():
        assert torch.equal(found.of_heads[name], torch.cat(each, dim=-1).double().mean(dim=-1)), name


def test_minilm_has_heads_at_work(with_minilm):  # noqa: F811
    """One head of its first layer looks at the word before, one of its fourth leads determiners to their nouns."""
    work = heads_at_work.of_model(pretrained.find(MINILM))
    assert "the word before" in work.jobs[0][2]
    assert DETERMINER in work.jobs[3][1]
    assert work.shares.of_heads[DETERMINER][3, 1] > work.shares.fixed[DETERMINER] + 0.4
    for layer, heads in enumerate(work.jobs):
        for head, jobs in enumerate(heads):
            for name in set(jobs) & work.shares.fixed.keys():
                assert work.shares.of_heads[name][layer, head] >= work.shares.fixed[name] + heads_at_work.MARGIN


def shares_of(**found: float) -> Shares:
    """Of a single head; underscores stand for spaces, and each relation's best fixed distance finds half."""
    every = dict.fromkeys((*grammar.RELATIONS, "the word before"), 0.0) | {name.replace("_", " "): x for name, x in found.items()}
    return Shares({name: torch.tensor([[x]]) for name, x in every.items()}, dict.fromkeys(grammar.RELATIONS, 0.5))


def test_a_job_is_named_only_where_it_holds():
    """Above the best fixed distance by a margin, in both halves; a place only where no relation stands out."""
    good, lucky, plain = shares_of(verb_to_object=0.8), shares_of(verb_to_object=0.55), shares_of(the_word_before=0.9)
    both = shares_of(verb_to_object=0.8, the_word_before=0.9)
    assert heads_at_work.jobs(good, good, (0, 0)) == (VERB,)
    assert heads_at_work.jobs(good, lucky, (0, 0)) == heads_at_work.jobs(lucky, good, (0, 0)) == ()
    assert heads_at_work.jobs(plain, plain, (0, 0)) == ("the word before",)
    assert heads_at_work.jobs(both, both, (0, 0)) == (VERB,)


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_words_in_pieces_count_as_words(family, models):  # noqa: F811
    """A random model of either family, whose pieces are small: every word of a sentence has one place, and so has what stands
    around it; a model that looks back only never looks ahead."""
    checkpoint(models / "small", family, **({"max_position_embeddings": 60} if family == "bert" else {"n_positions": 60}))
    model = pretrained.find()
    words = ("the", "cats", "sat")
    numbers = model.tokenizer.words_of(" ".join(words))
    assert [n for n in numbers if n is not None] == sorted(n for n in numbers if n is not None)
    assert {n for n in numbers if n is not None} == {0, 1, 2}
    largest, around = heads_at_work.largest_by_word(model, words)
    assert around == ({"[CLS]": 0, "[SEP]": 4} if family == "bert" else {})
    assert largest.shape == (3, 7, 5 if family == "bert" else 3)
    if family == "gpt2":
        assert (largest <= torch.arange(3)).all()
