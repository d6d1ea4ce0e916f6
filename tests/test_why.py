"""The route `why`: from the next word to one product of a query and a key, across the
pages in an order of their own."""

import re

import pytest
from helpers import app, boards, elements, numbers, panel
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect
from strategies import setups

from core import Setup
from core import run as traced
from core.analysis import attribution
from core.forward import next_word
from core.setup.presets import WARMED
from pages.shared import share
from pages.shared.link import at_head, parse_link, read_link, write_link
from pages.shared.link.beats import BEATS, WHY
from pages.shared.link.pages import find
from pages.shared.server import computed, run
from tests.test_lecture import FITS
from tests.test_pages import charts, said
from tests.test_pretrained import checkpoint, models  # noqa: F401

TOY = WARMED | {"instead": "soup"}
PLACES = ("layer", "head", "query", "key")
LLAMA_SAYS = {"init": "real", "text": "the cat sat on the"}


def on(k: int, **link: object):
    """The route's beat k, from 1, in a lecture."""
    path, beat = WHY[k - 1]
    return app(find(path).file, **{"lecture": "on", "route": "why", "beat": beat} | (link or TOY))


def follows(at) -> tuple[int, ...]:
    """What a page follows, as its link says after the run."""
    focus = read_link(panel(at)["link"]).focus
    return tuple(getattr(focus, name) for name in PLACES)


def down(setup: Setup, instead: str = "") -> dict[str, str]:
    """What the route follows, found anew: the head and the word that bring most to the likeliest
    word, as a link holds them."""
    trace = next_word.predict(setup)
    word = int(trace.value("logits").argmax())
    apart = attribution.take_apart(setup, word, attribution.other_word(trace, word, instead))
    layer, head, token = (apart.heads.abs() == apart.heads.abs().max()).nonzero()[0].tolist()
    return {name: str(value) for name, value in at_head(trace.setup, layer, head, token).items()}


def test_twelve_beats_go_down_and_up_again():
    """From the bars of the next word to the head, through the four pages on which it is made, and
    back: each beat once, with a title and notes of its own where another page's would speak of
    something else."""
    assert len(WHY) == len({*WHY}) == 12
    below = ["weights", "scores", "scores", "context", "heads"]
    assert [path for path, _ in WHY] == ["next"] * 5 + below + ["next"] * 2
    for path, number in WHY:
        beat = BEATS[path][number - 1]
        assert path == "next" or beat.of("why") != beat
        own = beat.of("why")
        assert all(20 < len(text) < 420 for text in (own.say, own.ask + " " * 20, own.wrong))
        assert "?" in own.ask


@pytest.mark.parametrize("link", [TOY, {"seed": "3", "layers": "3"}], ids=["toy", "drawn"])
def test_each_beat_is_one_thing_in_few_words(link):
    """Its title, one figure or the table, and 25 words at most; all of them follow the head that
    brings most to the word."""
    setup = read_link(write_link(link)).setup
    for k, (path, number) in enumerate(WHY, start=1):
        at = on(k, **link)
        assert not at.exception
        title = BEATS[path][number - 1].of("why").title
        assert [each.value for each in at.header] == [title]
        spoken = " ".join([title, *(each.value for each in (*at.text, *at.caption, *at.markdown))])
        assert len(re.findall(r"[^\W\d_]{2,}", spoken)) <= 25, spoken
        table = "ab-why-largest" in "".join(
            each.proto.body for each in elements(at.main) if each.type == "html"
        )
        assert len(boards(at)) + len(charts(at)) + table == 1, (path, number)
        expected = down(setup, str(link.get("instead", "")))
        assert follows(at) == tuple(int(expected[name]) for name in PLACES)


def test_the_seven_pages_show_that_head():
    """α, its score, the products and the head's part are those that the summand was made of: of the
    stack that says the word."""
    apart = attribution.take_apart(
        Setup(**WARMED),
        *(next_word.predict(Setup(**WARMED)).vocabulary.index(w) for w in ("bird", "soup")),
    )
    most = apart.by_a_head()
    assert (most.layer, most.head, most.token) == (0, 1, 1)
    shown = {
        k: [matrix for board in boards(on(k)) for matrix in board["matrices"]] for k in (6, 7, 8)
    }
    trace = traced(read_link(panel(on(6))["link"]).setup)
    assert numbers(shown[6][-1])[0] == pytest.approx(trace.value("weights")[1, -1], abs=1e-6)
    assert numbers(shown[7][-1])[-1, 1] == pytest.approx(
        trace.value("scores")[1, -1, 1].item(), abs=1e-5
    )
    products = trace.value("q")[1, -1] * trace.value("k")[1, 1]
    assert numbers(shown[8][-1])[0] == pytest.approx(products, abs=1e-5)
    largest = int(products.abs().argmax())
    assert f"The largest of 8 is number {largest + 1}: " in said(on(8))


def test_what_the_head_is_worth_is_said():
    """The total, the largest part, and what becomes of both words with the head off: each as `core`
    has it."""
    setup = Setup(**WARMED)
    trace = next_word.predict(setup)
    places = [trace.vocabulary.index(word) for word in ("bird", "soup")]
    apart = attribution.take_apart(setup, *places)
    assert f"The logit of “bird” less that of “soup” is {apart.total:.4f}." in said(on(2))
    assert f"reading “milk”: {apart.by_a_head().value:.4f}. The sum is {apart.total:.4f}." in said(
        on(5)
    )
    before = trace.value("probabilities")[places]
    after = computed.compute_without_head(trace.setup, 0, 1, *places)[1]
    (off,) = (board for board in boards(on(11)))
    assert numbers(off["matrices"][0]).flatten().tolist() == pytest.approx(
        [*before.tolist(), *after], abs=1e-6
    )


@settings(max_examples=20)
@given(setups(), st.integers(1, 99))
def test_any_setup_finds_its_head(setup, column):
    """A link gains a head, the last word and another, of the stack in force, once; where no word is
    said it gains nothing."""
    view = read_link(
        write_link(setup.as_link() | {"route": "why", "lecture": "on", "column": column})
    )
    if view.setup.init == "trained":
        return  # which waits until it has learned
    followed = run._find_largest_head(view)
    if next_word.explain_refusal(view.setup) or view.focus.seven == "chosen":
        assert followed == {}
        return
    after = read_link(write_link(parse_link(view.link) | followed))
    assert (
        not run._find_largest_head(after)
        and after.setup.mask == next_word.resolve_setup(view.setup).mask
    )
    assert [getattr(after.focus, name) for name in PLACES] == [followed[name] for name in PLACES]


def test_a_head_that_is_chosen_stays():
    """Whoever clicks another head on the way goes on with that one; and where the word is still
    learned, nothing is decided yet."""
    other = {"seven": "chosen", "head": "1", "query": "4", "key": "3"}
    chosen = on(6, **TOY | other | {"mask": "causal", "out": "d_model"})
    assert follows(chosen) == (1, 1, 4, 3)
    untrained, unseen = TOY | {"route": "why", "lecture": "on", "seed": 77}, {"route": "why"}
    assert all(
        run._find_largest_head(read_link(write_link(link))) == {} for link in (untrained, unseen)
    )


def test_the_notes_count_the_twelve():
    """The speaker hears the beat's own notes there, which of twelve it is, and what comes on the
    next page."""
    path, number = WHY[5]
    notes = said(app(find(path).file, **TOY, notes="on", route="why", beat=number))
    own = BEATS[path][number - 1].of("why")
    assert all(text in notes for text in (own.say, own.ask, own.wrong))
    assert f"Beat 6 of 12. Next: {BEATS['scores'][WHY[6][1] - 1].of('why').title}" in notes
    assert "Next: the end" in said(
        app("pages/11_next.py", **TOY, notes="on", route="why", beat=WHY[-1][1])
    )
    off_it = app(
        "pages/1_vocabulary.py", lecture="on", route="why"
    )  # a page by which it does not go has its own
    assert off_it.header[0].value == BEATS["vocabulary"][0].title


def test_share_offers_it_of_what_says_a_word(models):  # noqa: F811
    """On Next word from the first beat: of the present setup where that has learned what comes
    next, or else of a model that is here, or of the small language."""

    def offered(**link):
        link = {name: str(value) for name, value in link.items()}
        page, _, query = share.links("https://example.org", "", link)[share.WHY].partition("?")
        return page, parse_link(query)

    page, link = offered(d_k=5)
    assert page == "https://example.org/next"
    assert link == {name: str(value) for name, value in TOY.items()} | {
        "lecture": "on",
        "route": "why",
        "beat": str(WHY[0][1]),
    }
    own = WARMED | {"text": "the fox saved", "seven": "chosen", "head": 2}
    assert offered(**own)[1].get("text") == "the fox saved" and "head" not in offered(**own)[1]
    checkpoint(models / "bert", "bert")
    assert offered()[1]["init"] == "trained"
    checkpoint(models / "small", "llama")
    assert (offered()[1]["model"], offered()[1]["text"], offered()[1]["instead"]) == (
        "small",
        "The capital of France is",
        "London",
    )


def test_a_real_model_goes_the_same_way(models):  # noqa: F811
    """On a model of Llama's family too each beat has its figure and follows one head of one
    layer."""
    checkpoint(models / "small", "llama")
    expected = down(Setup(**LLAMA_SAYS))
    for k in (1, 4, 6, 11):
        at = on(k, **LLAMA_SAYS)
        assert not at.exception and len(boards(at)) + len(charts(at)) == 1
        assert follows(at) == tuple(int(expected[name]) for name in PLACES)


@pytest.mark.browser
def test_it_is_walked_by_keyboard(window_of):
    """→ goes through the twelve over the pages and back, each fits on a projector's screen; Esc
    leaves."""
    path, beat = WHY[0]
    page = window_of(
        f"{path}?{write_link(TOY | {'lecture': 'on', 'route': 'why', 'beat': beat})}", 1366, 768
    )
    for k, (path, number) in enumerate(WHY, start=1):
        if k > 1:
            page.keyboard.press("ArrowRight" if k % 2 else " ")
        title = BEATS[path][number - 1].of("why").title
        page.wait_for_function(FITS, arg=[title, f"{k} / 12", 15])
        expect(page).to_have_url(re.compile(rf"/{path}\?.*key=2.*seven=chosen"))
    page.keyboard.press("ArrowRight")  # the end
    expect(page.locator(".st-key-lecture_foot p").first).to_have_text("12 / 12")
    for path, number in reversed(WHY[8:11]):
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".st-key-beat h2")).to_have_text(
            BEATS[path][number - 1].of("why").title
        )
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile(rf"/next\?.*beat={WHY[0][1]}\b"))
    page.keyboard.press("Escape")
    expect(page.locator(".ab-panel")).to_be_visible()
