"""Training's page where a stack learned what comes next: an induction head seen to appear, named,
switched off."""

import re
from dataclasses import replace
from urllib.parse import urlsplit

import numpy as np
import pytest
import torch
from helpers import address, app, boards, change, elements, numbers
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect

from core import encoder, film, induction, language, tasks, training_store
from core.setup import Setup
from core.written import read
from pages.shared.frame import training_queue
from pages.shared.link import read_link, write_link
from pages.shared.link.beats import BEATS
from pages.shared.link.focus import Focus
from pages.shared.parts.training.studies import TRAININGS
from pages.shared.said.claims import induction as claims
from pages.shared.said.words import number, percent
from pages.shared.server import computed
from tests.test_browser import cell
from tests.test_induction import PRIMES, REPEAT
from tests.test_lecture import content
from tests.test_pages import said

FEW = replace(REPEAT, text="d b k a d b k", steps=20)
PLACES = {"query": 7, "key": 4}
# Two layers, one, three; none that was learned; small; without projections; other norms, positions
# and unembeddings.
SETUPS = [
    FEW,
    replace(FEW, layers=1),
    replace(FEW, layers=3, heads=3, d_model=5, d_k=2, d_v=3, norm="pre", bias="on", steps=3),
    replace(FEW, projections="none"),
    replace(FEW, projections="none", layers=1, steps=1),
    replace(PRIMES, text="hello"),
    replace(FEW, d_model=2, heads=1, positions="none", scale="none", steps=11),
]


def page(**more):
    """The page of letters, with few steps unless others are given."""
    return app("pages/13_training.py", **FEW.as_link() | PLACES | more)


@pytest.fixture(scope="module")
def learned():
    return training_store.get(REPEAT, "stack")


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
    result = training_store.get(setup, "stack")
    pages_have = encoder.encode(setup)
    for record, layer in zip(
        induction.through(setup, result.weights, setup.tokens), pages_have, strict=True
    ):
        for name in ("k", "scores", "weights", "out"):
            assert torch.allclose(record.value(name), layer.value(name), atol=1e-5)
    moments = film.of_all_layers(setup, result, setup.tokens)
    assert moments.shape == (len(result.moments), setup.layers, setup.heads, 5, 5)
    assert torch.allclose(
        moments[-1], torch.stack([layer.value("weights") for layer in pages_have]), atol=1e-5
    )
    expected = torch.zeros(setup.layers, setup.heads)
    others = [letter for letter in language.LETTERS if letter != "a"]
    for letter in others:
        other = encoder.encode(replace(setup, text=f"c {letter} f c a"))
        for n in range(setup.layers):
            keys, moved = (layers[n].value("k")[:, 2] for layers in (pages_have, other))
            expected[n] += (moved - keys).norm(dim=-1) / keys.norm(dim=-1) / len(others)
    found = induction.keys_moved(setup, result.weights, setup.tokens, 2)
    assert torch.allclose(found, expected, atol=1e-4)
    assert not found[0].any()
    assert found[1].all()


def test_whose_row_it_is():
    """The reader's letters where one comes again and training has places for all; else a row that
    training never saw, which comes to its end where it has begun again."""
    for text, own in {
        "d b k a d b k": True,
        "a a": True,
        "a b c": False,
        "the cat": False,
        "a b " * 8: False,
        "a m a": False,
    }.items():
        setup = replace(FEW, text=text.strip())
        assert (induction.own_row(setup) == setup.tokens) == own
    assert induction.own_row(replace(FEW, text="dbkadbk", split="characters")) == tuple("dbkadbk")
    row = induction.own_row(replace(FEW, text="the cat"))
    assert (len(row), row[:3]) == (7, row[4:])
    given = tasks.examples(FEW)
    begins = {tuple(given.words[k] for k in ids[:7]) for ids in given.ids[given.learned].tolist()}
    assert row not in begins


def test_switching_off_is_an_edit(learned):
    """Measured with the edits that a reader makes, each head that is off leaves the same as
    switched off by itself; without edits the weights are those that training left."""
    setup = replace(REPEAT, text="the cat", layer=2)
    unchanged = induction.edited(setup)
    assert unchanged.keys() == learned.weights.keys()
    assert all(torch.equal(unchanged[name], learned.weights[name]) for name in unchanged)
    for at, alone in induction.without_each(REPEAT, learned.weights):
        by_edits = induction.measure(REPEAT, induction.edited(induction.off(setup, *at)))
        assert (by_edits.loss, by_edits.accuracy) == (alone.loss, alone.accuracy)
        assert torch.equal(by_edits.scores, alone.scores)
    learned_places = replace(PRIMES, text="a")
    assert (
        induction.edited(learned_places).keys()
        == training_store.get(learned_places, "stack").weights.keys()
    )


# ---------- what is said ----------


@pytest.mark.parametrize("setup", SETUPS)
def test_what_is_said_is_what_was_measured(setup):
    """Shares, losses and mean weights in each sentence are those of the tensors; names only from
    `least` on, and the pair is one above the other wherever there are two layers."""
    result, least = training_store.get(setup, "stack"), induction.thresholds(setup.seed)
    found, row = induction.measure(setup, result.weights), induction.own_row(setup)
    below, above = found.pair
    assert (below[0] < above[0]) == (setup.layers > 1)
    assert found.scores[1, *above] == found.scores[1, int(setup.layers > 1) :].max()
    told = claims.learned(found)
    assert percent(found.accuracy, decimals=1) in told
    assert ("has not learned" in told) == (found.accuracy < 0.9)
    for job, line in enumerate(claims.names(found, induction.thresholds(setup.seed))):
        named = [at for at, name in found.names(least).items() if name == induction.JOBS[job]]
        assert line.startswith("No head") == (not named)
        assert all(
            claims.head(at) in line and number(found.scores[job, *at].item()) in line
            for at in named
        )
        assert number(induction.chance_scores(induction.rows(setup.seed))[job].item()) in line
    without = dict(induction.without_each(setup, result.weights))
    if without:
        line, fewest = claims.off(found, without), min(one.accuracy for one in without.values())
        assert percent(found.accuracy, decimals=1) in line
        assert ("no fewer" in line) == (fewest >= found.accuracy)
        assert "no fewer" in line or percent(fewest, decimals=1) in line
    at = max(k for k in range(len(row)) if induction.place_after(row, k) is not None)
    key = induction.place_after(row, at)
    moved = induction.keys_moved(setup, result.weights, row, key)
    assert not moved[0].any()  # "to the last digit"
    assert ("There is no second layer" in claims.keys(row, key, moved)) == (setup.layers == 1)
    assert row[key] in claims.puzzle(row, at)


@pytest.mark.parametrize("setup", SETUPS)
def test_the_course_is_told_as_it_was(setup):
    """From the steps that are named on, so many are right at every moment; the film's mark stands
    where both scores are enough to the end."""
    result = training_store.get(setup, "stack")
    course = dict(induction.course(setup, result))
    pair, least = course[max(course)].pair, induction.thresholds(setup.seed)
    line = claims.course(course, pair)
    for share, pattern in ((0.5, r"right from step (\d+)"), (0.9, r"nine in ten from step (\d+)")):
        stays = [
            step
            for step in course
            if all(one.accuracy >= share for at, one in course.items() if at >= step)
        ]
        step = re.search(pattern, line)
        assert (step is None) == (not stays)
        assert step is None or int(step[1]) == min(stays)
    for moment in (min(course), max(course)):
        assert all(
            number(course[moment].scores[job, *at].item()) in line for job, at in enumerate(pair)
        )
    mark = claims.there_since(course, pair, least)
    there = [
        all(one.scores[job, *at] >= least[job] for job, at in enumerate(pair))
        for one in course.values()
    ]
    assert (mark is None) == (not there[-1] or all(there))
    assert mark is None or (all(there[mark[0] :]) and not there[mark[0] - 1])


def test_one_score_with_a_head_and_without_it(learned):
    """Both scores and weights that the page tells are those that pages have of the setup, and of it
    with the head off by edits."""
    setup = replace(REPEAT, text="d b k a d b k")
    below, above = induction.measure(setup, learned.weights).pair
    at = app("pages/13_training.py", **setup.as_link() | PLACES)
    line = next(e.value for e in elements(at.main) if e.type == "text" and "score is" in e.value)
    told = [read(n).__float__() for n in re.findall(r"−?\d+\.\d{4}", line)]
    layers = [encoder.encode(each)[above[0]] for each in (setup, induction.off(setup, *below))]
    scores, weights = (
        [layer.value(name)[above[1], 6, 3].item() for layer in layers]
        for name in ("scores", "weights")
    )
    assert told == pytest.approx([*scores, weights[1], weights[0]], abs=1e-3)
    opened = next(
        e.proto.body
        for e in elements(at.main)
        if e.type == "html" and "Open this score" in e.proto.body
    )
    links = [
        read_link(link.replace("&amp;", "&")) for link in re.findall(r'\./scores\?([^"]+)', opened)
    ]
    opened_at = [
        (each.setup.layer, each.focus.head, each.focus.query, each.focus.key) for each in links
    ]
    assert opened_at == [(above[0] + 1, above[1] + 1, 7, 4)]


# ---------- the page ----------


def test_an_induction_head_appears_and_is_switched_off(learned):
    """The film has both heads' weights at every moment and three curves; both are named, and with
    the link that switches one off the page says what is left, as the matrix does."""
    setup = replace(REPEAT, text="d b k a d b k")
    at = app("pages/13_training.py", **setup.as_link() | PLACES)
    assert not at.exception
    drawn = {board["view"]: board for board in boards(at)}
    found, course = (
        induction.measure(setup, learned.weights),
        dict(induction.course(setup, learned)),
    )
    below, above = found.pair
    moments = film.of_all_layers(setup, learned, setup.tokens)
    expected = torch.stack([moments[:, *below], moments[:, *above]], dim=1)
    sent = numbers({"values": drawn["film"]["moments"], "n": len(moments), "m": 2 * 7 * 7})
    assert np.array_equal(sent, expected.flatten(1).numpy())
    right, *scores = (line["shares"] for line in drawn["film"]["right"])
    assert right == [one.accuracy for one in course.values()]
    assert scores == [
        [one.scores[job, *at].item() for one in course.values()]
        for job, at in enumerate(found.pair)
    ]
    assert right[0] < 0.2 and right[-1] > 0.98
    assert drawn["film"]["found"][1].startswith("both heads there at step")
    told = said(at)
    assert "previous-token head" in told and "induction head" in told and "No head is" not in told
    for job, name in enumerate(("α on the place before, mean", "α after the last time, mean")):
        matrix = next(m for board in boards(at) for m in board["matrices"] if m["name"] == name)
        assert numbers(matrix) == pytest.approx(found.scores[job].numpy())
    off = re.search(rf"\[head {claims.head(below)}\]\(training\?(.*?)\)", told)[1]
    without = induction.measure(setup, learned.weights, below)
    again = app("pages/13_training.py", **read_link(off).setup.as_link())
    assert f"**With your edits {percent(without.accuracy, decimals=1)}** are right" in said(again)
    assert without.accuracy < found.accuracy - 0.1


def test_one_layer_is_told_why():
    """With a single layer it stands first why it cannot, no score goes through two, and a link
    leads to two layers that do."""
    at = page(layers=1)
    headings = [header.value for header in at.header]
    assert headings[0] == "Why can one layer not find it?"
    assert "One score, through both layers" not in headings
    assert "There is no second layer." in said(at)
    link = re.search(r"\[Two layers and 600 steps do\]\(training\?(.*?)\)", said(at))[1]
    assert read_link(link).setup == induction.EXAMPLE
    assert not read_link(link).messages


@pytest.mark.parametrize(
    "setup", [*SETUPS, replace(FEW, heads=20, layers=6, d_model=64, d_k=64, d_v=64, steps=1)]
)
def test_the_page_stands_with_every_setup(setup):
    """No error with other sizes, rows and choices; also of a stack whose moments keep too little
    for a film."""
    at = app("pages/13_training.py", **setup.as_link(), open="tables_training")
    assert not at.exception and not at.error
    large = setup.heads == 20
    assert [board["view"] for board in boards(at)].count("film") == (not large)
    assert ("there is no film" in said(at)) == large
    assert "nan" not in said(at)


TASK = {
    "repeat": FEW,
    "one layer": replace(FEW, layers=1),
    "next": Setup(
        text="the cat drank", init="trained", task="next", heads=2, d_k=4, d_v=4, layers=1, steps=11
    ),
}


@pytest.mark.parametrize("setup", TASK.values(), ids=TASK)
def test_each_beat_has_something_of_what_was_learned(setup):
    """Every beat has this task's own title, something to show, and notes of its length; those of
    letters all differ."""
    seen = []
    for place, beat in enumerate(BEATS["training"], start=1):
        at = app("pages/13_training.py", lecture="on", beat=place, **setup.as_link())
        assert not at.exception
        own = beat.of(setup)
        assert [header.value for header in at.header] == [own.title]
        assert all(20 < len(text) < 420 for text in (own.say, own.ask + " " * 20, own.wrong))
        seen.append(content(at))
        assert seen[-1], beat.name
    assert setup.task == "next" or all(
        one != other for k, one in enumerate(seen) for other in seen[:k]
    )


def test_the_next_words_loss_beside_its_floor():
    """Loss and floor are the language's: over all sentences, and at each word; the film has the
    floor as a line."""
    setup = TASK["next"]
    at = app("pages/13_training.py", **setup.as_link())
    each = tasks.by_place(setup, training_store.get(setup, "stack").weights)
    assert f"its loss is **{number(each.double().mean().item())}** nats" in said(at)
    assert f"less than **{number(sum(language.floor()) / 8)}**" in said(at)
    (drawn,) = boards(at)
    assert drawn["floor"] == pytest.approx(sum(language.floor()) / 8)
    assert list(at.table[0].value["loss, nats"]) == [number(nats) for nats in each.tolist()]
    assert list(at.table[0].value["the least"]) == [number(nats) for nats in language.floor()]
    way = next(
        e.proto.body for e in elements(at.main) if e.type == "html" and "./next?" in e.proto.body
    )
    assert read_link(re.search(r'\./next\?([^"]+)', way)[1].replace("&amp;", "&")).setup == setup


def test_each_training_leads_to_the_others():
    """On each of the three pages stand links to the other two, and each opens what it says."""
    for task, (_, setup, _) in TRAININGS.items():
        few = setup.as_link() | {"steps": 2}
        told = said(app("pages/13_training.py", **few))
        for other, (words, to, places) in TRAININGS.items():
            link = re.search(rf"\[{words}\]\(training\?(.*?)\)", told)
            assert (link is None) == (other == task)
            if link:
                opened = read_link(link[1])
                assert (opened.setup, opened.focus.query, opened.focus.key, opened.messages) == (
                    to,
                    *places.values(),
                    (),
                )


def test_the_page_waits_for_its_own_training():
    """The training queue trains the stack that the page shows, and nothing of the questions."""
    setup = replace(FEW, seed=31)
    assert training_queue.jobs("training", setup, Focus()) == [(setup, "stack")]
    assert [
        part
        for _, part in training_queue.jobs("training", replace(setup, task="questions"), Focus())
    ] == ["attention"]


def test_a_row_that_is_not_the_readers():
    """A sentence of words is no row: the page shows one of its own, says so, and offers it as the
    reader's."""
    at = page(text="hello")
    link = re.search(r"\[Make it your sentence\]\(training\?(.*?)\)", said(at))[1]
    row = induction.own_row(replace(FEW, text="hello"))
    assert read_link(link).setup.tokens == row
    own = change(at, **read_link(link).setup.as_link())
    assert "Make it your sentence" not in said(own)
    assert computed.measured(replace(FEW, text="hello")).scores.equal(computed.measured(FEW).scores)


# ---------- in a browser ----------


def test_the_film_of_two_heads_in_a_browser(visit):
    """Three curves have three strokes; a click in the upper head's picture follows these two
    letters, and the seven pages are that head's steps then."""
    window = visit(f"training?{write_link(FEW.as_link() | PLACES)}")
    expect(window.locator(".st-key-board_film svg text", has_text="after last")).to_have_text(
        re.compile("right.*before.*after last")
    )
    strokes = window.locator(".ab-film-done")
    expect(strokes).to_have_count(4)  # the loss, and three below it
    assert len({strokes.nth(k).get_attribute("stroke-dasharray") for k in (1, 2, 3)}) == 3
    above = induction.measure(FEW, training_store.get(FEW, "stack").weights).pair[1]
    window.mouse.click(*cell(window, f"layer {above[0] + 1}, head {above[1] + 1}", 5, 2))
    window.wait_for_function("location.search.includes('seven=chosen')")
    opened = read_link(urlsplit(address(window)).query)
    assert (opened.setup.layer, opened.focus.head, opened.focus.query, opened.focus.key) == (
        above[0] + 1,
        above[1] + 1,
        6,
        3,
    )
