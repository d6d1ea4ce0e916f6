"""The story: sixteen beats, few words, a strip whose numbers are the trace's, three guesses by a
press; what a first visit sees."""

import re

import numpy as np
import pytest
from helpers import ANSWERED, app, boards, elements, numbers, unfold
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect
from strategies import setups

from core import run
from core.ops.attention import weighted_values
from core.setup.presets import STORY as TOLD
from core.text.written import brief
from pages.shared.lecture import scenes, story
from pages.shared.link import PRESETS, parse_link, read_link, write_link
from pages.shared.link.beats import BEATS, STORY
from pages.shared.link.pages import OVERVIEW, SEVEN, find
from pages.shared.page_components.overview import opening
from pages.shared.text import words
from tests.test_pages import said

PAIR = {"query": 9, "key": 2, "head": 2}
BEATS_TOLD = len(STORY)
# Which beats ask, from 1, and what of.
QUESTIONS = {1: "arc", 10: "bars", 11: "bars"}


def told(k: int, **link: object):
    """The story's beat k, from 1, of the trained sentence, or of another setup."""
    path, beat = STORY[k - 1]
    return app(find(path).file, **(link or TOLD.as_link() | PAIR), route="story", beat=beat)


def test_its_beats_go_through_the_seven_steps():
    """Each of the seven steps is told, in their order, after the opening; each beat in 25 words at
    most, with a scene of its own."""
    assert len(STORY) == 16
    assert list(dict.fromkeys(path for path, _ in STORY)) == [
        page.path for page in (OVERVIEW, *SEVEN)
    ]
    assert {(path, BEATS[path][beat - 1].name) for path, beat in STORY} == set(scenes.SCENES)
    for path, beat in STORY:
        text = BEATS[path][beat - 1].story
        assert 5 <= len(text.split()) <= 25, text
        assert set(re.findall(r"\{(\w+)\}", text)) <= {"asks", "asked"}


def test_a_beat_has_one_scene_and_three_ask():
    """A strip, a line of words, one scene; three ask, and what tells their answer stands neither in
    the words nor in the strip."""
    for k in range(1, BEATS_TOLD + 1):
        at = told(k)
        assert not at.exception
        strip, scene = boards(at)
        assert (strip["view"], scene["view"]) == ("story_numbers", "story_scene")
        assert (k in QUESTIONS) == ("asked" in scene)
        if k in QUESTIONS:
            assert scene["scene"] == QUESTIONS[k]
        body = "".join(e.proto.body for e in elements(at.main) if e.type == "html")
        (text,) = re.findall(r'<p class="ab-story-scene-words"[^>]*>(.*?)</p>', body)
        assert "{" not in text and len(text.split()) <= 25
        assert f"{k} / {BEATS_TOLD}" in body
        assert ("To the workshop" in body) == (k < BEATS_TOLD)  # the last link leads there
        if k == 10:
            assert "weight" not in [bead["label"] for bead in strip["beads"] if bead["known"]]


def test_what_the_undivided_scores_give_is_drawn():
    """Of the same weights, as its sentence says: not of others, trained without the division."""
    bars = boards(told(11))[1]["bars"]
    scores = run(TOLD).value("scores")[1, 8]
    np.testing.assert_allclose(numbers({"n": 2, "m": 9, "values": bars})[1], scores.softmax(-1))


def test_what_is_said_is_what_is_drawn():
    """Bars and words have one number; the place is added to the word's row; the scores stand below
    the shares that are asked for; a value is shown before it is weighted, and two heads before they
    are mixed."""
    drawn = {k: boards(told(k))[1] for k in (4, 10, 11, 12, 14)}
    row, place, x = (numbers(each)[0] for each in drawn[4]["matrices"])
    np.testing.assert_allclose(row + place, x, rtol=1e-6)
    trace = run(TOLD)
    scaled = trace.value("scaled")[1, 8].tolist()
    assert drawn[10]["under"] == [brief(score) for score in scaled]
    after = numbers({"n": 2, "m": 9, "values": drawn[11]["bars"]}).max(axis=1)
    assert all(words.percent(share) in drawn[11]["said"] for share in after.tolist())
    assert np.array_equal(numbers(drawn[12]["matrices"][-1])[0], trace.value("v")[1, 1].numpy())
    assert drawn[14]["titles"] == ["head 2", "head 1"]
    assert "“cat”" in drawn[14]["said"] and "“milk”" in drawn[14]["said"]


def test_the_strip_fills_in_and_leads_back():
    """What was known stays known, all is known in the end, and each part leads to the beat that
    told it."""
    strips = [boards(told(k))[0]["beads"] for k in range(1, BEATS_TOLD + 1)]
    counts = [sum(bead["known"] for bead in strip) for strip in strips]
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (0, 7)
    for k, strip in enumerate(strips):
        for bead in strip:
            assert (bead["page"], bead["beat"]) in STORY
            if bead["known"]:
                assert STORY.index((bead["page"], bead["beat"])) <= k
            else:
                assert not bead.get("shown") and not bead.get("rows")


@settings(max_examples=25)
@given(setups(), st.integers(0, 99), st.integers(0, 99), st.integers(0, 19))
def test_the_strips_numbers_are_the_traces(setup, query, key, head):
    """Ids, rows, score, scaled score, weight, what it brings and what the heads make: each is an
    entry's, for any setup and pair."""
    trace = run(setup)
    i, j, head = query % len(trace.tokens), key % len(trace.key_tokens), head % setup.heads
    ids, rows, score, scaled, weight, brings, made = story.known(
        scenes.Pair(trace, head, i, j), BEATS_TOLD - 1
    )
    asked = trace.value("memory_ids" if setup.memory else "ids")
    assert [text for _, text in ids.shown] == [
        str(trace.value("ids")[i].item()),
        str(asked[j].item()),
    ]
    names = trace.compared
    for row, name, place in zip(rows.rows, names, (i, j), strict=True):
        assert np.array_equal(
            numbers(row.packed())[0], trace.select_head(name, head)[place].numpy(), equal_nan=True
        )
    before_mask = trace.stages(trace["masked"].inputs[0])
    after = before_mask[before_mask.index("scaled") :]
    for bead, entries in ((score, ("scores",)), (scaled, after)):
        values = [brief(trace.value(name)[head, i, j].item()) for name in entries]
        assert [text for _, text in bead.shown] == values
    share = trace.value("weights")[head, i]
    assert [text for _, text in weight.shown] == [words.percent(share[j].item())]
    brought = weighted_values(share[None], trace.select_head("v", head))[0, j]
    assert np.array_equal(numbers(brings.rows[0].packed())[0], brought.numpy())
    assert np.array_equal(numbers(made.rows[0].packed())[0], trace.value("output")[i].numpy())


@pytest.mark.parametrize("preset", ["No matrices · N0"])
def test_a_preset_can_be_told(preset):
    """A link can name the story with any setup: each scene stands."""
    for k in range(1, BEATS_TOLD + 1):
        at = told(k, **{"seed": 3, **PRESETS[preset]})
        assert not at.exception, (preset, k)
        assert [board["view"] for board in boards(at)] == ["story_numbers", "story_scene"]


def test_a_lecture_tells_the_same_at_a_projectors_size():
    """One script: with `lecture=on` the words, the strip and the scene are the same, drawn
    larger."""
    path, beat = STORY[7]
    link = TOLD.as_link() | PAIR | {"route": "story", "beat": beat}
    alone, projected = (
        boards(app(find(path).file, **link, lecture=lecture)) for lecture in ("off", "on")
    )
    assert alone[0] == projected[0]
    sizes = ("maxZoom", "ofScreen", "lecture")
    assert [projected[1].pop(size) for size in sizes] == [1.5, 0.52, 0.52]
    assert [alone[1].pop(size) for size in sizes] == [1, 0.6, 0.6]
    assert alone[1] == projected[1]
    assert BEATS[path][beat - 1].say in said(app(find(path).file, **link, notes="on"))


def test_the_opening_begins_it_and_its_end_leads_to_the_words():
    """“How does it know?” is a link to the first beat of the pair on screen; the last leads to
    Vocabulary, out of the story."""
    for look in opening.looks():
        view = read_link(look.packed()["link"])
        assert (view.setup, view.focus.route, view.messages) == (look.setup, "story", ())
        assert ("", view.focus.beat) == STORY[0]
    last = "".join(e.proto.body for e in elements(told(BEATS_TOLD).main) if e.type == "html")
    sets = parse_link(
        re.search(r'data-sets="([^"]*)" data-grows="own" href="./vocabulary"', last)[1].replace(
            "&amp;", "&"
        )
    )
    after = read_link(
        write_link(TOLD.as_link() | {"route": "story", "beat": "7", "lecture": "on"} | sets)
    )
    assert (after.setup, after.focus.lecturing, "beat" in after.in_force) == (TOLD, False, False)


# ---------- in a browser ----------


# How far the button is moved by what it plays.
MOVED_BY_AGAIN = """() => {
  const again = document.querySelector(".ab-story-scene-again");
  const { y } = again.getBoundingClientRect();
  again.click();
  return again.getBoundingClientRect().y - y;
}"""


def expect_again_stays(page) -> None:
    """Upright, the button stays under the finger."""
    size = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_selector(".ab-story-scene[width^='3'][data-state=told]")
    assert page.evaluate(MOVED_BY_AGAIN) == 0
    page.set_viewport_size(size)


def expect_ways_back(page) -> None:
    """From the seventh beat a part of the strip leads back, and so does a key."""
    page.locator(".ab-bead a", has_text="ids").click()
    expect(page).to_have_url(re.compile(r"/vocabulary\?"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"/scores\?"))
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"/projection\?"))
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"/scores\?"))


@pytest.mark.browser
def test_a_newcomer_is_told_all(page, server):
    """From `/` by button, key and hand: no panel at first; on a phone on its side, too, the way in
    is in view and each figure whole above the links; three beats are answered by a press on the
    figure; → and ← and Space turn the beats, a part of the strip leads back; after
    the last the workshop is there, and the sentence is marked to be typed over."""
    page.add_init_script(
        "if (!sessionStorage.begun) { sessionStorage.begun = 1;"
        " localStorage.removeItem('attention-grown'); }"
    )
    desk = page.viewport_size
    page.set_viewport_size({"width": 844, "height": 390})
    page.goto(server.url)
    told_words, figure = page.locator(".ab-story-scene-words"), page.locator(".ab-story-scene")
    expect(page.locator("html")).to_have_attribute("data-grown", "0")
    expect(page.locator(".ab-panel")).to_be_hidden()
    expect(page.get_by_role("link", name="To the workshop")).to_be_visible()
    expect(page.get_by_text("The whole computation as one machine")).to_be_hidden()
    way = page.get_by_role("link", name="How does it know?")
    expect(way).to_be_in_viewport(ratio=1)
    way.click()
    expect(told_words).to_contain_text("Press the one that it will look at")
    for k, (path, beat) in enumerate(STORY, start=1):
        there = rf".*beat={beat}\b" if beat > 1 else "(?!.*beat=)"
        expect(page).to_have_url(re.compile(rf"/{path}\?{there}"))
        expect(page.locator(".st-key-lecture_foot p")).to_have_text(f"{k} / {BEATS_TOLD}")
        page.wait_for_function(ANSWERED)
        if k == 1:
            expect(figure).to_have_attribute("data-state", "asks")
            page.locator(".ab-story-scene-word", has_text="milk").click()
            expect(page.locator(".ab-story-scene-said")).to_contain_text("Yes. “sour” gives")
        elif k == 10:
            page.get_by_role("button", name="cat").focus()
            page.keyboard.press("Enter")
            expect(page.locator(".ab-story-scene-said")).to_contain_text("Yes.")
        elif k == 11:
            page.get_by_role("button", name="Down").click()
            expect(page.locator(".ab-story-scene-said")).to_contain_text(
                "Not quite. The largest share is more than 99% without √d_k, 87% with it."
            )
        expect(figure).to_have_attribute("data-state", "told")
        box, foot = figure.bounding_box(), page.locator(".st-key-lecture_foot").bounding_box()
        assert box["y"] + box["height"] <= foot["y"], k
        page.emulate_media(
            reduced_motion="reduce" if k >= 3 else "no-preference"
        )  # three scenes as they move
        if k == 2:
            expect_again_stays(page)
        if k == 7:
            expect_ways_back(page)
        if k < BEATS_TOLD:
            page.keyboard.press(" " if k % 2 else "ArrowRight")
    page.set_viewport_size(desk)
    page.keyboard.press("ArrowRight")  # as does “Now your own sentence”
    expect(page).to_have_url(re.compile(r"/vocabulary\?(?!.*route=)"))
    panel = page.locator(".ab-panel")
    expect(panel.get_by_role("textbox", name="Sentence")).to_be_focused()
    expect(page.locator("html")).to_have_attribute("data-grown", "1")


@pytest.mark.browser
def test_on_the_opening_another_word_moves_the_arc_alone(page, server):
    """Choosing another last word brings no workshop, and nothing else moves; the way to it does.
    There N4's setup, which needs no link elsewhere, stays what was chosen."""
    page.add_init_script("localStorage.removeItem('attention-grown')")
    page.goto(server.url)
    ending = page.locator(".ab-opening-ending")
    expect(page).to_have_url(re.compile(r"\?.*trained_for="))  # the story's own link
    before = ending.bounding_box()
    ending.select_option("fresh")
    expect(page.locator(".ab-opening-said")).to_contain_text("“milk”")
    page.wait_for_function(ANSWERED)
    expect(page.locator("html")).to_have_attribute("data-grown", "0")
    assert ending.bounding_box() == before
    page.get_by_role("link", name="To the workshop").click()
    expect(page.locator(".ab-panel")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-grown", "1")
    unfold(page)
    page.locator("[data-preset='Notebook N4']").click()
    expect(page.locator(".st-key-board_overview .ab-readout")).to_contain_text("dessert] = 0.4917")
    expect(page).to_have_url(re.compile(r"/\?text=Life"))
