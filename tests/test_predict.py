"""“Predict, then see”: what is asked before a step is seen, its truth by other ways, and what the browser makes of a guess."""

import json
import re

import pytest
import torch
import torch.nn.functional as F
from helpers import PATIENCE, app, components, follow, ready
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect

from core import predictions
from core.predictions import MAKERS, ask
from core.setup import Setup
from core.text import labels
from core.trace import Trace, run
from core.written import number
from pages.shared.link.pages import find
from tests.oracles import turned
from tests.strategies import setups
from tests.test_access import SIDEWAYS, serious

PATHS = {"scores": "scores", "weights": "weights", "root": "weights", "context": "context", "heads": "heads"}
PRIME = Setup(text="the cat saw the mat", d_model=11, d_k=5, d_v=7, heads=3, seed=13)


@st.composite
def places(draw):
    """A setup's trace, a head and a query in it."""
    trace = run(draw(setups()))
    heads = len(trace.value("weights"))
    return trace, draw(st.integers(0, heads - 1)), draw(st.integers(0, len(trace.tokens) - 1))


def seen_by(trace: Trace, query: int) -> list[int]:
    """Whom a word may look at, by the words' order alone."""
    setup, places = trace.setup, range(len(trace.tokens))
    if setup.memory:
        return [*range(len(setup.memory.split()))]
    causal, window = setup.mask.startswith("causal"), setup.mask.endswith("window")
    return [k for k in places if not (causal and k > query) and not (window and abs(k - query) > setup.window)]


def values_by_another_way(name: str, trace: Trace, head: int, query: int) -> torch.Tensor:
    """The numbers behind a question, in double precision and by PyTorch's own functions."""
    kv_head = head * (trace.setup.kv_heads or trace.setup.heads) // trace.setup.heads
    q, k, v = (trace.value(each)[place].double() for each, place in zip("qkv", (head, kv_head, kv_head), strict=True))
    seen = seen_by(trace, query)
    setup = trace.setup
    raw = torch.einsum("p,jp->j", turned(setup, q)[query], turned(setup, k))
    shares = F.softmax(raw[seen] / setup.temperature / (1 if setup.scale == "none" else setup.d_k**0.5), dim=0)
    if name == "scores":
        return raw
    if name == "weights":
        return shares
    if name == "context":
        return torch.stack([torch.linalg.vector_norm(share * v[j]) for share, j in zip(shares, seen, strict=True)])
    concat, w_o = trace.value("concat")[query].double(), trace.value("w_o").double()
    whole, moved = concat @ w_o, []
    for k in range(setup.heads):
        without = w_o.clone()
        without[k * setup.d_v : (k + 1) * setup.d_v] = 0
        moved.append((whole - concat @ without).norm())
    return torch.stack(moved)


@pytest.mark.parametrize("name", ["scores", "weights", "context", "heads"])
@given(place=places())
def test_the_truth_is_the_computations(name, place):
    """In every setup the numbers are those that PyTorch finds another way, those called right are the largest, and no other is."""
    trace, head, query = place
    asked = ask(name, trace, head, query)
    if name == "heads" and trace.setup.projections == "none":
        assert asked is None
        return
    wanted = values_by_another_way(name, trace, head, query)
    assert (asked is None) == (len(wanted) < 2)
    if asked is None:
        return
    found = torch.tensor([value for _, value in asked.bars], dtype=torch.float64)
    near = 1e-3 * max(1, wanted.abs().max().item())
    assert torch.allclose(found, wanted, rtol=1e-3, atol=near)
    top = wanted.max().item()
    assert all(wanted[k] > top - near for k in asked.right)
    assert int(wanted.argmax()) in asked.right or wanted.max() - wanted[asked.right[0]] < near
    assert {number(found[k].item()) for k in asked.right} == {number(found.max().item())}
    assert not {number(found[k].item()) for k in range(len(found)) if k not in asked.right} & {number(found.max().item())}


@given(place=places())
def test_without_the_root_the_largest_weight_never_falls(place):
    """By PyTorch's softmax of the undivided scores: larger, or as it prints the same. The answer says both numbers."""
    trace, head, query = place
    asked, seen, setup = ask("root", trace, head, query), seen_by(trace, query), trace.setup
    assert (asked is None) == (len(seen) < 2)
    if asked is None:
        return
    raw = trace.value("scores")[head, query, seen].double() / setup.temperature
    after, before = F.softmax(raw, dim=0).max().item(), F.softmax(raw / setup.d_k**0.5, dim=0).max().item()
    (_, found_before), (_, found_after) = asked.bars
    assert abs(found_before - before) < 1e-4
    assert abs(found_after - after) < 1e-4
    if after - before > 2e-4:
        assert (asked.right, asked.choices[0]) == ((0,), "Yes, larger")
    assert 2 not in asked.right
    assert all(number(found) in asked.says[0] or number(found) == "1.0000" for _, found in asked.bars)


@given(place=places())
def test_every_answer_has_its_sentence(place):
    """As many sentences as choices, each a sentence, the words that a causal mask hides among no choices but those of scores."""
    trace, head, query = place
    names = labels(tuple(trace.setup.memory.split()) or trace.tokens)
    for name in MAKERS:
        asked = ask(name, trace, head, query)
        if asked is None:
            continue
        assert len(asked.says) == len(asked.choices) >= 2
        assert asked.asks.endswith("?")
        assert all(says.endswith(".") and "nan" not in says for says in asked.says)
        if name in ("weights", "context"):
            assert list(asked.choices) == [names[k] for k in seen_by(trace, query)]


def test_repeated_words_are_right_alike():
    """Two equal words have equal keys: both are right, and named as two."""
    trace = run(Setup(text="a b a", positions="none", heads=1, d_model=5, d_k=3, d_v=7, seed=2))
    values = [value for _, value in ask("scores", trace, 0, 0).bars]
    assert values[0] == values[2]
    right = [ask("scores", trace, 0, query) for query in range(3)]
    assert all(asked.right in ((0, 2), (1,)) for asked in right)
    assert any("“a₁” and “a₃” fit best" in asked.says[0] for asked in right)


def test_a_weight_is_no_pull():
    """Where the longest part is not the largest weight's, the answer says so, with the weight's own number."""
    of_seeds = (run(Setup(text="the cat saw a mat", d_model=7, d_k=3, d_v=5, heads=1, seed=seed)) for seed in range(40))
    told = 0
    for trace in of_seeds:
        asked = ask("context", trace, 0, 1)
        weights = trace.value("weights")[0, 1]
        heaviest = int(weights.argmax())
        assert ("a weight alone is no pull" in asked.says[0]) == (heaviest not in asked.right)
        if heaviest not in asked.right:
            told += 1
            assert number(weights[heaviest].item()) in asked.says[0]
    assert told


def test_many_words_are_chosen_and_not_dragged():
    """Past a dozen, shares are not guessed one by one."""
    many = run(Setup(text=" ".join(f"w{k}" for k in range(predictions.MOST_BARS + 1)), d_model=5, d_k=3, d_v=7))
    assert ask("weights", many, 0, 0).kind == "choice"
    assert ask("weights", run(PRIME), 0, 0).kind == "shares"


# ---------- on the pages ----------


def asked_on(name: str, **parameters: object) -> list[dict]:
    """The questions that a page sends to the browser."""
    more = {"part": "mixed by W_o"} if name == "heads" else {}
    places = components(app(find(PATHS[name]).file, **more, **parameters).main, "attention_prediction")
    return [sent for sent in places if "asks" in sent]


@pytest.mark.parametrize("name", MAKERS)
def test_a_page_sends_what_core_says(name):
    """Question, choices, truth and a sentence for each answer, each number as a reader meets it."""
    (sent,) = [each for each in asked_on(name) if each["name"] == name]
    asked = ask(name, run(Setup()), 0, 1)
    assert (sent["asks"], sent["choices"], sent["says"]) == (asked.asks, list(asked.choices), list(asked.says))
    assert sent["right"] == list(asked.right)
    assert sent["bars"] == [[label, value, number(value)] for label, value in asked.bars]


@pytest.mark.parametrize(
    "parameters", [{"lecture": "on"}, {"do": "scores.1"}, {"sheet": "on"}, {"vs": "seed:2"}, {"text": "one"}]
)
def test_nothing_is_asked_where_it_would_be_in_the_way(parameters):
    """In no lecture, on no worksheet, where a teacher sets exercises, where results stand above, nor of a single word."""
    for name in ("scores", "weights", "context"):
        assert not asked_on(name, **parameters)
    if "text" not in parameters:
        assert not asked_on("heads", **parameters)


def test_a_character_is_not_called_a_word():
    """Questions say what the tokens are."""
    (sent,) = asked_on("scores", split="characters", text="abc")
    assert "which character's key" in sent["asks"]


# ---------- in a browser ----------


@pytest.fixture(scope="module")
def asking(chromium, server):
    """A window of a reader who comes for the first time."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(server.url)
    ready(page)
    yield page
    context.close()
    assert errors == []


@pytest.fixture
def first(asking):
    """At a link for the first time."""

    def at(link: str):
        follow(asking, "")
        asking.evaluate("localStorage.clear()")
        follow(asking, link)
        return asking

    return at


def question(page, name: str):
    return page.locator(f".st-key-predict_{name} .ab-predict")


def is_covered(page, board: str, matrix: str) -> bool:
    """Whether a matrix shows nothing of its numbers, and nothing of its board can be reached."""
    cells = page.locator(f".st-key-{board} [data-name={matrix}] .ab-cells")
    hidden = cells.evaluate("(cells) => getComputedStyle(cells).visibility === 'hidden'")
    assert hidden == page.locator(f".st-key-{board}").evaluate("(board) => board.inert")
    return hidden


@pytest.mark.browser
def test_a_click_answers(first):
    """The scores are covered until a word is chosen; then the sentence, every number, and the guess as a ghost. Asked once."""
    page, asked = first("scores"), ask("scores", run(Setup()), 0, 1)
    box = question(page, "scores")
    expect(box).to_contain_text("Before you look: In head 1, which word's key will fit the query of “is” best?")
    assert is_covered(page, "board_scores", "scores")
    assert not page.locator(".st-key-board_scores [data-name=q] .ab-cells").evaluate(
        "(q) => getComputedStyle(q).visibility === 'hidden'"
    )
    box.get_by_role("button", name="Life").click()
    expect(box.get_by_role("status")).to_have_text(f"✗ No. {asked.says[0]}")
    assert not is_covered(page, "board_scores", "scores")
    expect(box.locator("li")).to_have_count(6)
    expect(box.locator("li").nth(0)).to_contain_text("(your guess)")
    expect(box.locator("li b")).to_have_count(1)
    for line, (label, value) in zip(box.locator("li").all(), asked.bars, strict=True):
        expect(line).to_contain_text(label)
        expect(line).to_contain_text(number(value))
    follow(page, "scores?query=3")  # the truth goes along with the numbers, the guess does not
    expect(box.get_by_role("status")).to_have_text(ask("scores", run(Setup()), 0, 2).says[0].partition(" For ")[0])
    expect(box.locator("li b")).to_have_count(0)
    follow(page, "scores?query=1&head=2")
    assert not is_covered(page, "board_scores", "scores")
    box.get_by_role("button", name="Ask me of these numbers").press("Enter")
    assert is_covered(page, "board_scores", "scores")
    expect(box).to_contain_text("In head 2, which word's key will fit the query of “Life” best?")


@pytest.mark.browser
def test_shares_are_dragged(first):
    """By keyboard as by pointer: the others give way, together they stay all of it, and each stays as a ghost beside the truth."""
    page, asked = first("weights"), ask("weights", run(Setup()), 0, 1)
    box = question(page, "weights")
    bars = box.get_by_role("slider")
    expect(bars).to_have_count(6)
    assert is_covered(page, "board_weights_row", "weights")
    assert not page.locator(".st-key-board_weights_row [data-name=scaled] .ab-cells").evaluate(
        "(cells) => getComputedStyle(cells).visibility === 'hidden'"
    )
    said = page.locator(".st-key-answer_weights", has_text="gives 49% of its attention")
    assert "blur" in said.evaluate("(text) => getComputedStyle(text).filter")
    expect(bars.nth(4)).to_have_accessible_name(re.compile("dessert"))
    told = [int(bar.get_attribute("aria-valuetext")[:-1]) for bar in bars.all()]
    assert sum(told) == 100 and {*told} == {16, 17}  # six equal ones
    bars.nth(4).fill("0.6")
    shares = [float(bar.input_value()) for bar in bars.all()]
    assert abs(sum(shares) - 1) < 0.05
    assert shares[0] == pytest.approx(0.08, abs=0.011)
    bars.nth(4).press("ArrowRight")
    expect(bars.nth(4)).to_have_attribute("aria-valuetext", "61%")
    box.get_by_role("button", name="See", exact=True).click()
    expect(box.get_by_role("status")).to_have_text(f"✓ Right. {asked.says[4]}")
    expect(box.locator("li").nth(4)).to_contain_text(f"{number(asked.bars[4][1])} (you: 61%)")
    assert box.locator("li b").count() == 6
    assert not is_covered(page, "board_weights_row", "weights")


@pytest.mark.browser
def test_up_or_down_without_the_root(first):
    """A page's second question covers its own figure, whether the first is answered or not."""
    page, asked = first("weights"), ask("root", run(Setup()), 0, 1)
    box = question(page, "root")
    expect(box).to_be_visible()
    assert page.evaluate("document.documentElement.dataset.asking.split(' ').sort().join()") == "root,weights"
    question(page, "weights").get_by_role("button", name="Skip").click()
    assert page.evaluate("document.documentElement.dataset.asking") == "root"
    assert page.locator(".st-key-board_unscaled").evaluate("(board) => board.inert")
    box.get_by_role("button", name="No, smaller").click()
    expect(box.get_by_role("status")).to_have_text(f"✗ No. {asked.says[2]}")
    assert not page.evaluate("document.documentElement.dataset.asking")
    assert not page.locator(".st-key-board_unscaled").evaluate("(board) => board.inert")


@pytest.mark.browser
@pytest.mark.parametrize("path", ["scores", "weights", "context"])
def test_a_question_covers_its_own_figure_alone(first, path):
    """Below the figure nothing is veiled while a question is open: neither the formula, nor a sentence, nor another drawing."""
    page = first(path)
    expect(question(page, path)).to_contain_text("Before you look")
    question_of = {"weights": ["board_weights_row", "board_unscaled"]}.get(path, [f"board_{path}"])
    keys = "(all) => all.map((each) => each.className.match(/st-key-(\\S+)/)[1])"
    assert page.locator("[data-veiled]").evaluate_all(keys) == question_of
    below = page.evaluate(
        """() => [...document.querySelectorAll('.st-key-formula ~ .stElementContainer > .stText, .st-key-board_fan .ab-svg,'
        + ' .st-key-terms_scores, .st-key-board_mixtures .ab-svg')].map((e) => getComputedStyle(e).filter)"""
    )
    assert set(below) <= {"none"}


@pytest.mark.browser
def test_skip_and_off_for_good(first):
    """One press goes past a question, another past all of them, for as long as this browser lasts; one brings them back."""
    page = first("context")
    question(page, "context").get_by_role("button", name="Skip").click()
    expect(question(page, "context")).to_have_text("Ask me before I see")
    assert not is_covered(page, "board_context", "context")
    follow(page, "scores")
    assert is_covered(page, "board_scores", "scores")
    question(page, "scores").get_by_role("button", name="Don't ask again").click()
    assert not is_covered(page, "board_scores", "scores")
    page.reload()
    ready(page)
    for path, board, matrix in (("scores", "board_scores", "scores"), ("weights", "board_weights_row", "weights")):
        follow(page, path)
        expect(question(page, path)).to_have_text("Ask me before I see")
        assert not is_covered(page, board, matrix)
    question(page, "weights").get_by_role("button", name="Ask me before I see").press("Enter")
    expect(question(page, "weights").get_by_role("slider").first).to_be_focused()
    assert is_covered(page, "board_weights_row", "weights")
    follow(page, "context")  # skipped once: not asked again
    assert not is_covered(page, "board_context", "context")
    kept = json.loads(page.evaluate("localStorage['attention-predicted']"))
    assert kept == ["context"]


@pytest.mark.browser
def test_a_lecture_asks_nothing(first):
    """Neither there nor on paper anything is covered."""
    page = first("scores?lecture=on&beat=4")
    expect(page.locator(".ab-predict")).to_have_count(0)
    assert not page.evaluate("document.documentElement.dataset.asking")
    follow(page, "scores")
    assert is_covered(page, "board_scores", "scores")
    page.emulate_media(media="print")
    cells = page.locator(".st-key-board_scores [data-name=scores] .ab-cells")
    expect(cells).to_have_css("visibility", "visible")
    expect(question(page, "scores")).to_be_hidden()
    page.emulate_media(media="screen")
    follow(page, "scores?text=one")
    expect(page.locator(".st-key-predict_scores")).to_be_hidden()
    follow(page, "scores")
    expect(question(page, "scores").get_by_role("button", name="Skip")).to_be_visible()


@pytest.mark.browser
def test_who_reaches_for_what_is_covered_is_shown_the_question(first):
    """A press on the board does nothing but point at what is asked."""
    page = first("scores")
    page.locator(".st-key-board_scores .ab-play").click(force=True)
    expect(question(page, "scores")).to_have_class(re.compile("ab-predict-here"))
    expect(page.locator(".ab-player")).to_have_count(0)
    question(page, "scores").get_by_role("button", name="Skip").click()
    expect(question(page, "scores")).not_to_have_class(re.compile("ab-predict-here"))
    page.locator(".st-key-board_scores .ab-play").click()
    expect(page.locator(".ab-player")).to_have_count(1)
    assert "ab-predict-here" not in question(page, "scores").get_attribute("class")


@pytest.mark.browser
@pytest.mark.parametrize("name", MAKERS)
def test_words_are_text_and_all_is_accessible(first, name):
    """Markup in a word stays text; axe finds nothing serious while it is asked, nor once it is told; nothing scrolls sideways."""
    link = "text=<b>x</b>+قلب+cat&d_model=3&d_k=2&d_v=2&heads=2" + ("&part=mixed+by+W_o" if name == "heads" else "")
    page = first(f"{PATHS[name]}?{link}")
    box = question(page, name)
    for scheme, width in (("light", 1440), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        assert serious(page) == []
        assert page.evaluate(SIDEWAYS) <= 1
        (box.get_by_role("button", name="See", exact=True) if name == "weights" else box.get_by_role("button").first).click()
        expect(box.get_by_role("status")).not_to_be_empty()
        assert box.locator("b, script").evaluate_all("(all) => all.every((each) => !each.textContent)")
        assert serious(page) == []
        box.get_by_role("button", name="Ask again").click()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="light")
