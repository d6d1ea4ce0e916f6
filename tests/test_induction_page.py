"""Training's page where a stack learned what comes next: an induction head seen to appear, and
named."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers import app, boards, change, elements, numbers
from hypothesis import given
from hypothesis import strategies as st

from core import Setup
from core.analysis import induction, training_history
from core.forward import encoder
from core.text import language
from core.text.written import read
from core.training import tasks, training_store
from pages.shared.layout import training_queue
from pages.shared.link import read_link
from pages.shared.link.beats import BEATS
from pages.shared.link.focus import Focus
from pages.shared.page_components.training.curves import TRAININGS
from pages.shared.text.words import number, percent
from tests.test_lecture import content
from tests.test_pages import charts, said

PAGE = "pages/13_training.py"
ROW, PLACES = "d b k a d b k", {"query": 7, "key": 4}
SIZES = {"layers": 2, "heads": 2, "d_k": 8, "d_v": 8, "positions": "sinusoidal"}
LEARNED = Setup(
    text=ROW, init="trained", task="repeat", **SIZES, unembedding="own", steps=300, layer=2
)
FEW = replace(LEARNED, steps=20, layer=1)
OF_PRIMES = {"d_model": 7, "d_k": 3, "d_v": 5, "heads": 3, "d_ff": 11, "steps": 7}
PRIMES = replace(FEW, **OF_PRIMES, bias="on", positions="learned", unembedding="tied")
# One layer without projections; three, and words for a row; too large for a film.
SETUPS = [
    replace(FEW, projections="none", layers=1, positions="none", steps=1),
    replace(PRIMES, layers=3, norm="pre", text="hello"),
    replace(FEW, heads=20, d_model=32, d_k=32, d_v=32, steps=1),
]


def page(**more):
    """The page of letters, with few steps unless others are given."""
    return app(PAGE, **FEW.as_link() | PLACES | more)


def linked(words: str, at) -> Setup:
    """What the link of these words in the page's text opens."""
    view = read_link(re.search(rf"\[{words}\]\(training\?(.*?)\)", said(at))[1])
    assert not view.messages
    return view.setup


@pytest.fixture(scope="module")
def learned():
    return training_store.get(LEARNED, "stack")


# ---------- core ----------


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=9), st.data())
def test_the_place_after_the_last_time(row, data):
    """Read backwards, the row has the letter next where the place after it is one further on; a
    letter that is new has none."""
    at = data.draw(st.integers(0, len(row) - 1))
    behind = row[:at][::-1]
    expected = at - behind.index(row[at]) if row[at] in behind else None
    assert induction.place_after(row, at) == expected


@pytest.mark.parametrize(
    "setup", [PRIMES, replace(PRIMES, unembedding="own", projections="none", bias="off")]
)
def test_a_row_through_the_stack_is_that_of_the_pages(setup):
    """Every layer's tensors are those that the pages have; so are the film's last moment, and keys
    after another letter."""
    setup = replace(setup, text="c a f c a")
    result, there = training_store.get(setup, "stack"), encoder.encode(setup)
    through = induction.through(setup, result.weights, setup.tokens)
    for record, layer in zip(through, there, strict=True):
        for name in ("k", "scores", "weights", "out"):
            assert torch.allclose(record.value(name), layer.value(name), atol=1e-5)
    moments = training_history.join_layers(setup, result, setup.tokens)
    assert moments.shape == (len(result.moments), setup.layers, setup.heads, 5, 5)
    last = torch.stack([layer.value("weights") for layer in there])
    assert torch.allclose(moments[-1], last, atol=1e-5)
    expected = torch.zeros(setup.layers, setup.heads)
    others = [letter for letter in language.LETTERS if letter != "a"]
    for letter in others:
        other = encoder.encode(replace(setup, text=f"c {letter} f c a"))
        for n in range(setup.layers):
            keys, moved = (layers[n].value("k")[:, 2] for layers in (there, other))
            expected[n] += (moved - keys).norm(dim=-1) / keys.norm(dim=-1) / len(others)
    found = induction.keys_moved(setup, result.weights, setup.tokens, 2)
    assert torch.allclose(found, expected, atol=1e-4)
    assert not found[0].any() and found[1].all()


def test_whose_row_it_is():
    """The reader's letters where one comes again and training has places for all; else a row that
    training never saw, which comes to its end where it has begun again: the page says so, and
    offers it as the reader's."""
    for text, own in ((ROW, True), ("a b c", False), ("a b " * 8, False), ("a m a", False)):
        setup = replace(FEW, text=text.strip())
        assert (induction.own_row(setup) == setup.tokens) == own
    row = induction.own_row(replace(FEW, text="the cat"))
    assert (len(row), row[:3]) == (7, row[4:])
    given = tasks.examples(FEW)
    begins = {tuple(given.words[k] for k in ids[:7]) for ids in given.ids[given.learned].tolist()}
    assert row not in begins
    at = page(text="the cat")
    assert (offered := linked("Make it your sentence", at)).tokens == row
    assert "Make it your sentence" not in said(change(at, **offered.as_link()))


def off(layer: int, head: int) -> Setup:
    """The setup with a head switched off by a reader's edits: its rows of W_o are 0, and of layer 1
    those of the seven steps too."""
    rows = f"{head * LEARNED.d_v + 1}-{(head + 1) * LEARNED.d_v}"
    names = (f"layer{layer + 1}.w_o", *(("w_o",) if layer == 0 else ()))
    return replace(LEARNED, edits=",".join(f"{name}.{rows}=0" for name in names))


def test_switching_off_is_an_edit(learned):
    """Measured with the edits that a reader makes, each head that is off leaves the same as
    switched off by itself; without edits the weights are those that training left."""
    unchanged = induction.get_weights(LEARNED)
    assert unchanged.keys() == learned.weights.keys()
    assert all(torch.equal(unchanged[name], learned.weights[name]) for name in unchanged)
    for at in ((0, 0), (1, 1)):
        alone = induction.measure(LEARNED, learned.weights, at)
        by_edits = induction.measure(LEARNED, induction.get_weights(off(*at)))
        assert (by_edits.loss, by_edits.accuracy) == (alone.loss, alone.accuracy)
        assert torch.equal(by_edits.scores, alone.scores)


# ---------- the page ----------


def test_an_induction_head_appears(learned):
    """The film has both heads' weights at every moment and three curves, and a click in it follows
    the upper head; both are named, and with edits that switch one off the page says what is
    left."""
    at = app(PAGE, **LEARNED.as_link() | PLACES, open="roles")
    assert not at.exception
    (drawn,) = (board for board in boards(at) if board["view"] == "training_history")
    found = induction.measure(LEARNED, learned.weights)
    course = dict(induction.course(LEARNED, learned))
    below, above = found.pair
    moments = training_history.join_layers(LEARNED, learned, LEARNED.tokens)
    expected = torch.stack([moments[:, *below], moments[:, *above]], dim=1)
    sent = {"values": drawn["moments"], "n": len(moments), "m": 2 * 7 * 7}
    assert np.array_equal(numbers(sent), expected.flatten(1).numpy())
    right = [one.accuracy for one in course.values()]
    assert right[0] < 0.2 and right[-1] > 0.95
    opens = [
        {"seven": "chosen", "layer": k, "head": m + 1} for k, (_, m) in enumerate(found.pair, 1)
    ]
    assert list(drawn["chooses"]["by_matrix"].values()) == opens
    assert drawn["found"][1].startswith("both heads there at step")
    assert "previous-token head" in said(at) and "induction head" in said(at)
    without = induction.measure(LEARNED, learned.weights, below)
    told = f"**With your edits {percent(without.accuracy, decimals=1)}** are right"
    assert told in said(app(PAGE, **off(*below).as_link()))
    assert without.accuracy < found.accuracy - 0.1


def test_one_score_with_a_head_and_without_it(learned):
    """Both scores and weights that the page tells are those that pages have of the setup, and of it
    with the head off by edits; the way there opens this very score."""
    below, above = induction.measure(LEARNED, learned.weights).pair
    at = app(PAGE, **LEARNED.as_link() | PLACES, open="full")
    line = next(e.value for e in elements(at.main) if e.type == "text" and "score is" in e.value)
    told = [float(read(n)) for n in re.findall(r"−?\d+\.\d{4}", line)]
    both = [encoder.encode(each)[above[0]] for each in (LEARNED, off(*below))]
    scores, weights = (
        [layer.value(name)[above[1], 6, 3].item() for layer in both]
        for name in ("scores", "weights")
    )
    assert told == pytest.approx(scores, abs=1e-3)
    assert line.endswith(f"weight {percent(weights[1])} in place of {percent(weights[0])}.")
    bodies = [e.proto.body for e in elements(at.main) if e.type == "html"]
    opened = next(body for body in bodies if "Open this score" in body)
    way = read_link(re.search(r'\./scores\?([^"]+)', opened)[1].replace("&amp;", "&"))
    assert (way.setup.layer, way.focus.head) == (above[0] + 1, above[1] + 1)
    assert (way.focus.query, way.focus.key) == (7, 4)


@pytest.mark.parametrize("setup", SETUPS)
def test_the_page_stands_with_every_setup(setup):
    """No error with other sizes, rows and choices; a stack whose moments keep too little has no
    film; a single layer has a way to two that can."""
    at = app(PAGE, **setup.as_link(), open="tables_training")
    assert not at.exception and not at.error
    large = setup.heads == 20
    assert [board["view"] for board in boards(at)].count("training_history") == (not large)
    assert ("there is no film" in said(at)) == large
    assert "nan" not in said(at)
    assert setup.layers > 1 or linked("Two layers and 600 steps do", at) == induction.EXAMPLE


NEXT = Setup(text="the cat drank", init="trained", task="next", heads=2, layers=1, steps=11)


@pytest.mark.parametrize("setup", [FEW, NEXT], ids=["repeat", "next"])
def test_each_beat_has_something_of_what_was_learned(setup):
    """Every beat has its title, something to show, and notes of its length; those of
    letters all differ."""
    seen = []
    for place, beat in enumerate(BEATS["training"], start=1):
        at, own = app(PAGE, lecture="on", beat=place, **setup.as_link()), beat
        assert not at.exception
        assert [header.value for header in at.header] == [own.title]
        assert all(20 < len(text) < 420 for text in (own.say, own.ask + " " * 20, own.wrong))
        seen.append(content(at))
        assert seen[-1] and (setup is NEXT or seen[-1] not in seen[:-1]), beat.name


def test_the_next_words_loss_beside_its_floor():
    """Loss and floor are the language's: over all sentences, and at each word; the loss has
    its floor as a line. The queue trains this stack, and nothing of the questions."""
    assert training_queue.list_jobs("training", replace(NEXT, seed=31), Focus())[0][1] == "stack"
    at = app(PAGE, **NEXT.as_link(), open="places")
    each = tasks.measure_by_place(NEXT, training_store.get(NEXT, "stack").weights)
    assert f"its loss is **{number(each.double().mean().item())}** nats" in said(at)
    (loss, _) = (each for each in charts(at) if "step" in each)
    floor = loss[loss["kind"] == "the least"]["value"]
    assert list(floor) == pytest.approx([sum(language.floor()) / 8] * 2)
    assert list(at.table[0].value["loss, nats"]) == [number(nats) for nats in each.tolist()]
    assert list(at.table[0].value["the least"]) == [number(nats) for nats in language.floor()]


def test_each_training_leads_to_the_others():
    """On each of the three pages stand links to the other two, and each opens what it says."""
    for task, (_, setup, _) in TRAININGS.items():
        told = said(app(PAGE, **setup.as_link() | {"steps": 2}))
        for other, (words, to, places) in TRAININGS.items():
            link = re.search(rf"\[{words}\]\(training\?(.*?)\)", told)
            assert (link is None) == (other == task)
            if link:
                view = read_link(link[1])
                assert (view.setup, view.messages) == (to, ())
                assert [getattr(view.focus, name) for name in places] == [*places.values()]
