"""The overview's opening scene: its arc is the trained model's for every ending, it swings, and its
pair is followed on every page."""

import re
from dataclasses import replace
from urllib.parse import urlencode

import numpy as np
import pytest
from helpers import ANSWERED, app, boards, elements, numbers, panel
from playwright.sync_api import expect

from core import Setup, run
from core.board.themes import CONFIGURED
from core.setup.presets import SENTENCE, STORY_HEAD, TRAINED
from core.setup.presets import STORY as STORY_SETUP
from core.text import language
from pages.shared.link import preset_changes, read_link
from pages.shared.link.beats import STORY
from pages.shared.link.fields import FIELDS
from pages.shared.text import words
from tests.test_pages import said

MEANT = dict.fromkeys(language.FITS_ANIMALS, "cat") | dict.fromkeys(language.FITS_FOODS, "milk")
LABEL = "The cat drank the milk because it was …"


def row(ending: str):
    """What the last word gives to each, computed here."""
    return run(replace(STORY_SETUP, text=f"{SENTENCE} {ending}")).value("weights")[STORY_HEAD, -1]


def scene(at) -> dict:
    """What the scene was given to draw."""
    (found,) = (board for board in boards(at) if board["view"] == "opening")
    return found


@pytest.mark.parametrize("ending", FIELDS["ending"].options)
def test_the_scene_is_what_the_trained_model_gives(ending):
    """Whatever the reader's own setup: the arc leads to the noun that the ending fits, with the
    share that the last word gives it, in picture, sentence and alternative; the way on tells the
    story of that very setup and pair."""
    shown = scene(app(ending=ending, d_k=5))
    assert [*map(str.lower, shown["words"]), ending] == f"{SENTENCE} {ending}".split()
    (k,) = shown["chosen"]
    told, weights = shown["endings"][k], row(ending)
    share = weights.max().item()
    assert told["word"] == ending
    assert shown["words"][told["key"]] == MEANT[ending]
    assert told["key"] == int(weights.argmax())
    assert told["share"] == share
    assert (
        told["said"]
        == shown["alt"]
        == f"“{ending}” gives {words.percent(share)} of its attention to “{MEANT[ending]}”."
    )
    assert told["alt"] == f"An arc from “{ending}” to “{MEANT[ending]}”: {words.percent(share)}."
    view = read_link(told["link"])
    setup = replace(STORY_SETUP, text=f"{SENTENCE} {ending}")
    assert (view.setup, view.messages, view.focus.ending) == (setup, (), ending)
    assert (view.focus.query, view.focus.key, view.focus.head) == (
        9,
        told["key"] + 1,
        STORY_HEAD + 1,
    )
    assert (view.focus.route, view.focus.beat) == ("story", STORY[0][1])


@pytest.mark.parametrize("ending", FIELDS["ending"].options)
def test_rows_differ_and_the_last_words_share_is_plain(ending):
    """The newcomer's weights teach: in one head the noun gets most of the last word's attention,
    not all, in the other less; and the words look at several others."""
    weights = run(replace(STORY_SETUP, text=f"{SENTENCE} {ending}")).value("weights")
    noun = weights[STORY_HEAD, -1].argmax()
    assert 0.7 < weights[STORY_HEAD, -1, noun] < 0.99
    assert weights[1 - STORY_HEAD, -1, noun] < 0.6
    most = [int(row.argmax()) for row in weights[STORY_HEAD]]
    assert len({*most}) >= 3


def test_every_ending_is_sent_at_once():
    """The browser need not wait for the server: whichever is chosen, the same of all of them is
    there."""
    first, other = (scene(app(ending=ending)) for ending in ("thirsty", "sour"))
    assert [each["word"] for each in first["endings"]] == list(FIELDS["ending"].options)
    assert first["endings"] == other["endings"]
    assert {name for name in first if first[name] != other[name]} == {"chosen", "alt"}


@pytest.mark.parametrize(
    "link", ["", "d_k=3&heads=2&seed=5&mask=causal&edits=w_q%3D0&query=4&head=2&layer=2&steps=9"]
)
def test_the_way_on_sets_what_its_link_says(link):
    """A click changes the reader's link, and keeps a lecture's; what it comes to is what the link
    of its own says."""
    shown = scene(app(ending="warm"))
    told = shown["endings"][shown["chosen"][0]]
    before = dict(read_link(link).in_force)
    after = read_link(urlencode(before | shown["sets"] | told["sets"]))
    alone = read_link(told["link"])
    assert (after.setup, after.focus) == (alone.setup, alone.focus)


def test_trained_follows_the_pair():
    """The preset asks the last word, and the noun that it looks at is asked: on every page, in
    numbers that mean something."""
    changes = preset_changes("Trained")
    view = read_link(
        urlencode({name: value for name, value in changes.items() if value is not None})
    )
    assert view.setup == Setup(**TRAINED)
    weights = run(view.setup).value("weights")[STORY_HEAD, -1]
    assert (view.focus.query, view.focus.key) == (len(weights), int(weights.argmax()) + 1)
    assert changes["ending"] is None
    assert view.focus.ending == "thirsty"
    at = app("pages/5_weights.py", **view.in_force)
    assert f"gives {words.percent(weights.max().item())} of its attention to “cat”" in said(at)
    assert scene(app(**view.in_force))["chosen"] == [0]


def test_who_comes_without_a_link_gets_the_storys_setup():
    """The address is given the story's setup before anything is drawn from it: the scene, the
    reader's own pictures and the machine are of one sentence and one model."""
    at = app()
    assert panel(at)["arrived"] == ""
    view = read_link(panel(at)["link"])
    assert view.setup == STORY_SETUP and not view.messages
    assert [board["view"] for board in boards(at)] == ["opening", "flow", "matrices", "pipeline"]
    drawn = numbers(boards(at)[2]["matrices"][0])
    assert np.array_equal(drawn, run(STORY_SETUP).value("weights")[STORY_HEAD].numpy())
    assert "Not everything in the link" not in said(at)


def test_an_ending_that_a_lecturer_hides_cannot_be_changed():
    """It stands in the sentence as a word; a class has no way out of its lecture."""
    assert (scene(app())["fixed"], scene(app(hide="ending"))["fixed"]) == (False, True)
    assert "way" not in scene(app(lecture="on", beat=2))


def test_the_pages_outside_the_row_are_in_sight():
    """The overview leads to Bring your own and Notebooks with the setup, outside any fold."""
    ways = "".join(e.proto.body for e in elements(app(d_k=5).main) if e.type == "html")
    for path in ("bring", "notebooks"):
        assert f'href="./{path}?d_k=5"' in ways


# ---------- in a browser ----------


def arc(page) -> tuple[list[float], str]:
    """Where the arc begins and ends, and the share beside it."""
    drawn = page.locator(".ab-arc-line").get_attribute("d")
    return [float(each) for each in re.findall(r"[\d.]+", drawn)], page.locator(
        ".ab-arc-share"
    ).text_content()


def middle_of(page, word: str) -> float:
    """The middle of a word of the sentence, from the drawing's left edge."""
    box, drawing = (
        page.get_by_text(word, exact=True).first.bounding_box(),
        page.locator(".ab-arc").bounding_box(),
    )
    return box["x"] + box["width"] / 2 - drawing["x"]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("width", "height", "scheme"), [(1366, 768, "light"), (1440, 900, "dark"), (390, 844, "dark")]
)
def test_the_first_screen_has_all_of_the_scene(window_of, width, height, scheme):
    """Words, arc, share, sentence and button are on it, in large type, and nothing leads
    sideways."""
    page = window_of("", width, height, scheme)
    for part in (
        ".ab-opening-words",
        ".ab-arc",
        ".ab-arc-share",
        ".ab-opening-said",
        ".ab-opening-way",
    ):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    expect(page.locator(".ab-opening-words")).to_have_css("font-size", "28px")
    last = page.get_by_role("combobox", name=LABEL).bounding_box()
    assert last["x"] + last["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.browser
def test_the_ending_is_a_word_of_its_sentence(person, server):
    """On a touch screen too it is as large as the other words, and has a query's colour."""
    page = person(is_phone=True)
    page.goto(server.url)
    ending = page.get_by_role("combobox", name=LABEL)
    expect(ending).to_have_css("font-size", "28px")
    blue = bytes.fromhex(CONFIGURED["light"]["blueTextColor"][1:])
    expect(ending).to_have_css("color", f"rgb{(*blue,)}")


@pytest.mark.browser
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_arc_swings_with_the_ending(visit, motion):
    """From cat to milk at once where a reader wants no motion, over positions between otherwise;
    its share and its alternative follow, Back swings it back, and the button begins the story of
    that pair."""
    page = visit("?d_k=5")
    page.emulate_media(reduced_motion=motion)
    try:
        picture, ending = page.locator(".ab-arc"), page.get_by_role("combobox", name=LABEL)
        expect(picture).to_have_attribute("aria-label", re.compile("“thirsty”.*“cat”"))
        expect(picture).to_have_role("img")
        assert abs(arc(page)[0][-2] - middle_of(page, "cat")) < 2
        ending.select_option("fresh")
        expect(picture).to_have_attribute("aria-label", re.compile("“fresh”.*“milk”"))
        assert arc(page)[1] == f"{words.percent(row('fresh').max().item())}"
        expect(page.locator(".ab-opening-said")).to_have_text(
            re.compile("^“fresh” gives .* to “milk”.$")
        )
        expect(page).to_have_url(re.compile(r"\?(?=.*d_k=5)(?=.*ending=fresh)"))
        page.wait_for_function(ANSWERED)
        page.go_back()
        expect(ending).to_have_value("thirsty")
        expect(page.locator(".ab-opening-said")).to_contain_text("“cat”")
        page.get_by_role("link", name="How does it know?").click()
        expect(page.locator(".ab-story-scene-words")).to_contain_text("“sour” asks")
        expect(page).to_have_url(
            re.compile(
                r"/\?(?=.*init=trained)(?=.*query=9)(?=.*key=2)(?=.*was\+thirsty)(?=.*route=story)"
            )
        )
    finally:
        page.emulate_media(reduced_motion="no-preference")
