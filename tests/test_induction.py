"""Induction heads: rows of letters that begin again, what heads do in them, and what is lost
without one."""

import re
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qsl

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from helpers import app, boards, elements, numbers

from core import Setup
from core.analysis import induction, model_induction
from core.forward import encoder
from core.text import language
from core.training import tasks, training_store
from core.weights import weights
from pages.shared.captions import induction as claims

SIZES = {"layers": 2, "heads": 2, "d_k": 8, "d_v": 8, "positions": "sinusoidal"}
REPEAT = Setup(
    text="d b k a d b k", init="trained", task="repeat", **SIZES, unembedding="own", steps=300
)
OF_PRIMES = {"d_model": 7, "d_k": 3, "d_v": 5, "heads": 3, "d_ff": 11, "steps": 7}
PRIMES = replace(REPEAT, **OF_PRIMES, bias="on", positions="learned", unembedding="tied")


@pytest.fixture(scope="module")
def learned():
    return training_store.get(REPEAT, "stack")


def test_rows_begin_again():
    """Every row has three to eight different letters, then the same again; where one has come
    before, the next is the one after it."""
    given = tasks.examples(REPEAT)
    rows = given.ids.tolist()
    assert len(rows) == 600 * 32 + 1000
    learned, unseen = (
        {tuple(rows[place]) for place in places.tolist()}
        for places in (given.learned, given.unseen)
    )
    assert not learned & unseen
    assert len(given.unseen) == 1000
    assert len(given.learned) > 16_000
    assert {*map(tuple, rows)} == learned | unseen
    periods = set()
    for row, known in zip(rows[::7], given.known.tolist()[::7], strict=True):
        period = next(n for n in range(1, 16) if row[n:] == row[:-n])
        periods.add(period)
        assert len(set(row[:period])) == period
        assert known == [row[place] in row[:place] for place in range(15)]
    assert periods == {3, 4, 5, 6, 7, 8}


def test_the_places_that_are_asked_about():
    """By looking back letter by letter: the place after the last time that a letter came holds the
    letter that comes next."""
    asked = induction.rows(7)
    for ids, next_ids, after, known in zip(
        *(part.tolist() for part in vars(asked).values()), strict=True
    ):
        for place, letter in enumerate(ids):
            before = [k for k in range(place) if ids[k] == letter]
            assert known[place] == bool(before)
            if before:
                assert after[place] == before[-1] + 1
                assert ids[after[place]] == next_ids[place]


def test_scores_are_counted_one_by_one():
    """Each row by itself through the pages, place after place: the mean weight on the place before,
    and after the last time."""
    own, asked = training_store.get(PRIMES, "stack").weights, induction.rows(PRIMES.seed)
    found = induction.measure(PRIMES, own)
    assert found.scores.shape == (2, 2, 3)
    sums, counts, surprise, right = torch.zeros(2, 2, 3), torch.zeros(2), 0.0, 0
    for row in range(induction.ASKED):
        letters = " ".join(language.LETTERS[k] for k in asked.ids[row].tolist())
        layers = encoder.encode(replace(PRIMES, text=letters))
        looks = torch.stack([layer.value("weights") for layer in layers])
        logits = F.linear(layers[-1].value("out"), own["embedding_table"])
        for place in range(15):
            if place:
                sums[0] += looks[:, :, place, place - 1]
                counts[0] += 1
            if asked.known[row, place]:
                sums[1] += looks[:, :, place, asked.after_last[row, place]]
                counts[1] += 1
                answer = asked.next_ids[row, place]
                surprise += F.cross_entropy(logits[place], answer).item()
                right += int(logits[place].argmax() == answer)
    assert torch.allclose(found.scores, sums / counts[:, None, None], atol=1e-5)
    assert found.loss == pytest.approx(surprise / counts[1].item(), abs=1e-4)
    assert found.accuracy == pytest.approx(right / counts[1].item(), abs=1e-9)


def test_two_layers_find_the_next_letter(learned):
    """At least 98 % of the letters that can be known in rows that were never seen; a head of layer
    1 looks at the place before, and one of layer 2 at the place after the last time."""
    assert learned.accuracy["repeat"] >= 0.98
    found = induction.measure(REPEAT, learned.weights)
    assert found.accuracy >= 0.98
    names = found.names(induction.thresholds(induction.rows(REPEAT.seed)))
    assert induction.JOBS[0] in {job for (layer, _), job in names.items() if layer == 0}
    assert induction.JOBS[1] in {job for (layer, _), job in names.items() if layer == 1}
    assert induction.JOBS[1] not in {job for (layer, _), job in names.items() if layer == 0}


def test_one_layer_cannot():
    """A place of a single layer does not know the letter before it when it is looked for: about
    half of the letters at most, and no head at the place after the last time."""
    setup = replace(REPEAT, layers=1)
    found = induction.measure(setup, training_store.get(setup, "stack").weights)
    assert found.accuracy < 0.6
    assert (
        induction.JOBS[1]
        not in found.names(induction.thresholds(induction.rows(setup.seed))).values()
    )


def test_without_the_head_that_brings_the_letter_before_nothing_finds_it(learned):
    """Switched off in turn, each is as the pages have it with that head's rows of W_o at 0; without
    both heads of layer 1 that look at the place before, layer 2 no longer finds the place after the
    last time."""
    whole = induction.measure(REPEAT, learned.weights)
    places = [(layer, head) for layer in (0, 1) for head in (0, 1)]
    without = [induction.measure(REPEAT, learned.weights, at) for at in places]
    assert min(one.accuracy for one in without) < whole.accuracy - 0.1
    neither = learned.weights
    for head in (0, 1):
        neither = induction.ablate_head(neither, 0, head, REPEAT)
    assert neither["layer1.w_o"].count_nonzero() == 0
    assert torch.equal(neither["layer2.w_o"], learned.weights["layer2.w_o"])
    broken = induction.measure(REPEAT, neither)
    assert broken.accuracy < 0.6
    assert broken.scores[1, 1].max() < whole.scores[1, 1].max() - 0.2
    by_hand = replace(REPEAT, edits="layer1.w_o=0,w_o=0")
    assert torch.equal(weights.layer(by_hand, 1)["w_o"], neither["layer1.w_o"])
    assert torch.equal(weights.projections(by_hand)["w_o"], neither["layer1.w_o"])


def test_the_course_ends_with_what_came_out(learned):
    """From the start, where the loss is above what guessing among twelve letters costs, to the
    weights of the pages."""
    course = dict(induction.course(REPEAT, learned))
    assert (min(course), max(course)) == (0, 300)
    last, whole = course[300], induction.measure(REPEAT, learned.weights)
    assert (last.loss, last.accuracy) == (whole.loss, whole.accuracy)
    assert torch.equal(last.scores, whole.scores)
    assert course[0].loss > 2 > last.loss
    assert course[0].accuracy < 0.3 < last.accuracy


def test_a_name_needs_more_than_looking_without_finding():
    """By hand: looking at all places before alike gives 1/2, 1/3 … 1/15 to the one before; always
    equally far back is right at the commonest of six distances alone. A head has a name from 0.15
    above on."""
    asked = induction.rows(3)
    alike, fixed = induction.chance_scores(asked).tolist()
    assert alike == pytest.approx(sum(1 / n for n in range(2, 16)) / 14)
    far = [
        place - after
        for places, known in zip(asked.after_last.tolist(), asked.known.tolist(), strict=True)
        for place, (after, is_known) in enumerate(zip(places, known, strict=True))
        if is_known
    ]
    assert set(far) == {2, 3, 4, 5, 6, 7}
    assert fixed == pytest.approx(max(far.count(distance) for distance in set(far)) / len(far))
    least = induction.thresholds(asked)
    assert least.tolist() == pytest.approx([alike + 0.15, fixed + 0.15])
    scores = torch.tensor([[[alike + 0.14, alike + 0.16]], [[fixed + 0.16, fixed + 0.14]]])
    found = induction.Measured(0.0, 1.0, scores, torch.tensor([[0.5, 1.0]]))
    assert found.names(least) == {(0, 1): induction.JOBS[0], (0, 0): induction.JOBS[1]}
    assert not found.only_looks(least)
    for copies in (0.49, torch.nan):
        found = replace(found, copies=torch.tensor([[copies, 1.0]]))
        assert found.names(least) == {(0, 1): induction.JOBS[0]}
        assert found.only_looks(least) == [(0, 0)]


@torch.no_grad()
def test_copying_is_what_a_heads_values_raise(small, monkeypatch):
    """Case after case in float64, by the library's own weights: the value at the place after the
    last time, through the head's rows of W_o, less its mean, by the top norm's gain and the table,
    has its own token among the two largest of 280. Where nobody looks, nobody is asked."""
    setup, _ = Setup.nearest({"text": "the cat", "init": "real"})
    asked, model = model_induction.rows_of_pieces(setup), small.double().transformer
    assert model_induction.measure_model(setup).copies.isnan().any()
    monkeypatch.setattr(induction, "MARGIN", -1.0)
    states = small(input_ids=asked.ids, output_hidden_states=True).hidden_states
    expected = torch.zeros(3, 7)
    for layer, block in enumerate(model.h):
        v = block.attn.c_attn(block.ln_1(states[layer])).chunk(3, dim=-1)[2]
        for head in range(7):
            own = slice(2 * head, 2 * head + 2)
            for row, place in (cases := asked.known.nonzero().tolist()):
                there = asked.after_last[row, place]
                written = v[row, there, own] @ block.attn.c_proj.weight[own]
                raised = model.wte.weight @ ((written - written.mean()) * model.ln_f.weight)
                token = asked.ids[row, there]
                expected[layer, head] += int(token in raised.topk(2).indices) / len(cases)
    assert torch.allclose(model_induction.measure_model(setup).copies, expected, atol=1e-3)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A folder with a small random model that says what comes next, and the library's own of it."""
    read = pytest.importorskip(
        "test_pretrained",
        reason="small models are made by the library that people have theirs from",
    )
    monkeypatch.setenv("ATTENTION_MODELS", str(tmp_path))
    return read.theirs(
        read.checkpoint(tmp_path / "small", "gpt2"), read.transformers.GPT2LMHeadModel
    )


@torch.no_grad()
def test_a_model_that_was_read_is_asked_the_same(small):
    """Random pieces begin again, and scores, accuracy and loss are those that the model's own
    library gives, with all heads and without some; a head is off where its rows of W_o are 0."""
    setup, _ = Setup.nearest({"text": "the cat", "init": "real"})
    asked = model_induction.rows_of_pieces(setup)
    for ids, nexts, after, known in zip(
        asked.ids, asked.next_ids, asked.after_last, asked.known, strict=True
    ):
        row = [*ids.tolist(), int(nexts[-1])]
        period = next(k for k in range(1, len(row)) if row[k] == row[0])
        assert period in range(6, 12) and len(set(row[:period])) == period
        assert known.tolist() == [k >= period for k in range(len(ids))]
        assert all(row[after[k]] == row[k + 1] and after[k] <= k for k in range(period, len(ids)))
    off = ((0, 2), (2, 1), (2, 6))
    for without in ((), off):
        found = model_induction.measure_model(setup, without)
        for layer, head in without:
            small.transformer.h[layer].attn.c_proj.weight[2 * head : 2 * head + 2] = 0
        theirs = small(input_ids=asked.ids, output_attentions=True)
        given, answers = theirs.logits[asked.known], asked.next_ids[asked.known]
        assert found.loss == pytest.approx(F.cross_entropy(given, answers).item(), rel=1e-4)
        assert found.accuracy == pytest.approx(
            (given.argmax(-1) == answers).double().mean().item(), abs=0.02
        )
        looks = torch.stack(theirs.attentions)
        for layer, head in ((0, 0), (1, 3), (2, 6)):
            before = [
                looks[layer, row, head, k, k - 1]
                for row in range(len(asked.ids))
                for k in range(1, asked.ids.shape[1])
            ]
            again = [
                looks[layer, row, head, k, asked.after_last[row, k]]
                for row, k in asked.known.nonzero().tolist()
            ]
            scores = [found.scores[job, layer, head].item() for job in (0, 1)]
            assert scores == pytest.approx(
                [torch.stack(each).mean().item() for each in (before, again)], abs=1e-5
            )


def test_the_pages_of_such_a_model_stand(small, monkeypatch):
    """On its page its heads are looked for, with what is right without them; on Next word it says
    why, and what each layer would."""
    monkeypatch.setattr(induction, "MARGIN", -0.2)  # of random heads none has a name
    at = app("pages/15_model.py", init="real", open="fold_repeated", text="the cat sat")
    assert not at.exception
    while any("are being read" in each.value for each in at.text):
        at = at.run()
    setup, _ = Setup.nearest({"text": "the cat sat", "init": "real"})
    found = model_induction.off_together(setup)
    least = induction.thresholds(model_induction.rows_of_pieces(setup))
    assert claims.describe_model(
        "small", found, len(model_induction.select_heads(found[0], least)), 16
    ) in [each.value for each in at.text]
    (board,) = (each for each in boards(at) if each["matrices"][0]["name"] == "job0")
    assert np.allclose([numbers(each).T for each in board["matrices"]], found[0].scores, atol=1e-6)
    (way,) = (
        e.proto.body for e in elements(at.main) if e.type == "html" and "./next?" in e.proto.body
    )
    link = dict(parse_qsl(unescape(re.search(r'\./next\?([^"]+)', way)[1])))
    for tab, name in (("why", "brings"), ("lens", "lens")):
        at = app("pages/11_next.py", **link | {"open": tab})
        assert not at.exception
        while any("is being asked" in each.value for each in at.text):
            at = at.run()
        (rows,) = (each["rows"] for each in boards(at) if each["view"] == "next_word")
        assert len([row for row in rows if not row["rest"]]) in (20, 21)
        assert name in {b["matrices"][0]["name"] for b in boards(at) if "matrices" in b}
