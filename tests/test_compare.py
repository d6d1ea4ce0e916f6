"""Two setups side by side: what is compared, how the link holds the other one, what pages say and
show, hold and let go."""

import math
import re
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
import torch
from helpers import address, app, boards, change, numbers, unfold
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect
from strategies import setups

from core import Setup, run
from core.analysis import compare
from core.forward import batch
from core.forward.encoder import encode
from core.setup.setup import DEFAULTS
from core.trace.cell import Cell, Ref, Term
from core.trace.origin import Product, Softmax
from core.trace.record import Entry
from core.training import training_store
from pages.shared import link
from pages.shared.captions import compare as claims
from pages.shared.layout import opened_pair, training_queue
from pages.shared.link import pinned
from pages.shared.link.beats import BEATS
from pages.shared.link.focus import Focus
from pages.shared.link.pages import PAGES
from pages.shared.text.words import number
from tests.test_browser import cell as cell_on_screen
from tests.test_pages import said


def derivation(**made: list) -> dict[str, Entry]:
    """A derivation by hand."""
    dims = ("token", "d_k")
    return {name: Entry(name, name, torch.tensor(rows), dims) for name, rows in made.items()}


# ---------- core ----------


def test_two_derivations_by_hand():
    """Equal, other numbers, other shapes, a tensor that only one of them has: each is said as it
    is, in its order; −∞ beside −∞ is no difference, beside a number an infinite one."""
    before = derivation(a=[[1.0, 2]], gone=[[1.0]], b=[[1.0, 2], [3, 4]], c=[[1.0, 2]])
    now = derivation(a=[[1.0, 2]], b=[[1.0, 2.5], [3, 0]], new=[[1.0]], c=[[1.0, 2, 3]])
    found = compare.compare(before, now)
    assert [pair.name for pair in found] == ["a", "gone", "b", "new", "c"]
    same, gone, apart, new, shapes = found
    assert (same.same, same.largest) == (True, 0.0)
    assert (apart.same, apart.largest) == (False, 4.0)
    assert (gone.held, gone.present) == ((("token", 1), ("d_k", 1)), None)
    assert (new.held, new.present[0]) == (None, ("token", 1))
    assert (shapes.largest, shapes.held[1], shapes.present[1]) == (None, ("d_k", 2), ("d_k", 3))
    assert compare.first_apart(found) is gone and compare.first_apart(found[:1]) is None
    masked = torch.tensor([-torch.inf, -torch.inf, 1.0]), torch.tensor([-torch.inf, 2.0, 1.0])
    assert compare.difference(*masked).tolist() == [0.0, math.inf, 0.0]


def test_a_word_is_compared_with_the_same_word():
    """Without positions the words of a sentence in another order get the same numbers; of other
    words only those are compared that both have; ids are counted, not subtracted. Without a common
    word places are compared, and that is said."""
    man, dog = Setup(text="man bites dog"), Setup(text="dog bites man")
    found = compare.compare(run(man), run(dog), compare.match_words(man, dog))
    assert all(pair.same or pair.largest < 1e-5 for pair in found)
    page, held = "pages/4_scores.py", {"vs": "text:man bites dog"}
    at = app(page, text="dog bites man", **held)
    assert "each word with the same word" in said(at)
    assert np.abs(numbers(compared(at)[0][2])).max() < 1e-5
    assert not [each for board in boards(at) for each in board["matrices"] if "held" in each]
    third = numbers(compared(app(page, text="dog sees man now", **held))[0][2])
    rows, columns = [0, 2], [0, 2]
    assert np.isfinite(third[np.ix_(rows, columns)]).all() and np.isfinite(third).sum() == 4
    told = said(app("pages/1_vocabulary.py", text="dog bites man", vs="text:one two three"))
    assert "place by place" in told
    told = said(app("pages/1_vocabulary.py", text="dog bites man", vs="text:dog bites"))
    assert "ids in 0 of 2 places" in told and "ids by" not in told


WHERE = [  # a choice, the first tensor that is not the same
    ({"scale": "none"}, "scaled"),
    ({"seed": 2}, "embedding_table"),
    ({"mask": "causal"}, "masked"),
    ({"heads": 2, "d_k": 3, "seed": 123}, "w_q"),
    ({"d_v": 5}, "w_q"),  # the second head is drawn after the first one's W_v
    ({"d_model": 5}, "embedding_table"),
    ({"out": "d_model"}, "w_o"),
    ({"text": "a b"}, "ids"),
    ({"bias": "on"}, "b_q"),
    ({"edits": "w_q.1.2.3=5"}, "w_q"),
    ({"layers": 3}, None),
]


def test_where_two_setups_part():
    """Known by hand for each kind of choice: the first tensor that is not the same; through a stack
    the layers stand behind one another."""
    now = Setup()
    for changes, first in WHERE:
        before = Setup(**changes)
        pair = compare.first_apart(compare.compare(run(before), run(now)))
        assert (pair.name if pair else None) == first, changes
    both = Setup(out="d_model"), Setup(out="d_model", layers=3)
    stacks = [compare.derivation(run(setup), encode(setup)) for setup in both]
    pair = compare.first_apart(compare.compare(*stacks))
    assert (pair.name, pair.held) == ("layer3.w_1", None)


@settings(max_examples=15)
@given(setups(), setups(), st.sampled_from(list(DEFAULTS)))
def test_what_differs_is_found(other, now, kept):
    """Over drawn pairs, of a batch too, by NumPy: all before the first difference is the same, that
    one is not, by so much. Every field that differs is named."""
    near, _ = Setup.nearest(now.as_link() | {kept: other.as_link().get(kept, DEFAULTS[kept])})
    for before in (near, other):
        for derived in (run, lambda setup: batch.run(setup).trace):
            first, second = derived(before), derived(now)
            found = compare.compare(first, second)
            for pair in found:
                there = [
                    trace.value(pair.name).numpy()
                    for trace in (first, second)
                    if pair.name in trace
                ]
                assert pair.same == (len(there) == 2 and np.array_equal(*there)), pair
                if pair.largest is not None:
                    with np.errstate(invalid="ignore"):
                        apart = np.nan_to_num(np.abs(there[1] - there[0]), posinf=math.inf)
                    assert pair.largest == pytest.approx(apart.max())
            assert compare.first_apart(found) is next((p for p in found if not p.same), None)
        told = claims.fields_apart((before, now))
        for name in DEFAULTS:
            assert getattr(before, name) == getattr(now, name) or name in told


# ---------- the link ----------


TEXTS = st.sampled_from(("", "a, b", "a~1b, c~0", "x:y,seed:7", "~,~", "<b>, &amp;"))


@given(setups(), setups(), TEXTS)
def test_the_link_holds_another_setup(present, other, text):
    """What is held is read back as it was, with nothing to tell, whatever stands in a text; and it
    does not move with the rest."""
    other = Setup.nearest(other.as_link() | ({"text": text} if text else {}))[0]
    of_layer = {"seven": "chosen"} if present.layer > 1 else {}
    view = link.read_link(
        link.write_link(present.as_link() | of_layer | {"vs": pinned.write(other)})
    )
    assert (view.setup, view.focus.held, view.messages) == (present, other, ())
    for again in (view.link, link.write_link({"vs": pinned.write(other)})):
        assert link.read_link(again).focus.held == other


@pytest.mark.parametrize(
    ("vs", "setup", "message"),
    [
        ("seed:2,scale:none", Setup(seed=2, scale="none"), ""),
        ("d_k:1e400", Setup(d_k=64), "vs: d_k: '1e400' became 64"),
        ("seed:2,sofa:3", Setup(seed=2), "vs: 'sofa' is not a setting and was left out."),
        ("<script>alert(1)</script>", None, "names no field of a setup; nothing is held"),
        ("seed:2,vs:seed:3", Setup(seed=2), "'vs' is not a setting"),
        ("default", Setup(), ""),
        ("", None, ""),
    ],
)
def test_a_hostile_setup_is_told(vs, setup, message):
    """What cannot be held is said in short lines, and the rest is held."""
    view = link.read_link(link.write_link({"vs": vs, "d_v": 5}))
    assert (view.setup, view.focus.held) == (Setup(d_v=5), setup)
    assert any(message in line for line in view.messages) if message else view.messages == ()
    assert all(len(line) < 400 for line in view.messages)


FIELDS = st.lists(st.tuples(st.sampled_from([*DEFAULTS, "x", ""]), st.text(max_size=9)))


@given(st.text(max_size=60) | FIELDS.map(lambda all: ",".join(f"{n}:{v}" for n, v in all)))
def test_any_setup_to_hold_is_read(vs):
    """No text raises; what is held is a setup, told again in the same words, in silence."""
    looked_at, messages = Focus.nearest({"vs": vs}, Setup())
    assert all(0 < len(line) < 400 and "\n" not in line for line in messages)
    assert Focus.nearest({"vs": looked_at.vs}, Setup()) == (looked_at, [])
    assert (looked_at.held is None) == (looked_at.vs == "")


# ---------- the pages ----------


def compared(at) -> list[list[dict]]:
    """The matrices of each board that holds two setups beside each other."""
    assert not at.exception
    return [board["matrices"] for board in boards(at) if "held and present" in board["alt"]]


@pytest.mark.parametrize("step", [page for page in PAGES if page.main], ids=lambda step: step.path)
def test_a_page_shows_both_and_their_difference(step):
    """Held, present and difference are the numbers of two computations; all three are coloured to
    the same largest number. On other sizes, where there is no difference, it says why; without a
    held setup there is nothing of it."""
    at = app(step.file, vs="seed:7", norm="pre")
    assert "Held and present" in said(at)
    first, second, apart = next(each for each in compared(at) if len(each) == 3)
    assert np.array_equal(numbers(apart), numbers(second) - numbers(first))
    assert first.get("top") == second.get("top") == apart.get("top")
    assert first["title"].endswith(", held") and second["title"].endswith(", present")
    vs = "d_k:3,heads:2,layers:1,text:the cat,positions:learned,bias:on,d_v:3"
    at = app(step.file, vs=vs, head=3, layer=2, query=6, key=6, column=20)
    why = ("only what has one shape can be subtracted", "there is no difference.")
    alone = [len(matrices) for matrices in compared(at)].count(2)
    assert alone == sum(said(at).count(each) for each in why)
    change(at, vs=None)
    assert not compared(at) and "Held and present" not in said(at)


def test_the_numbers_are_those_of_two_computations():
    """The held matrix is what the held setup computes by itself, the present one what the page
    shows; α has the colours of shares. A lecture has both halves alone in the main board's beat;
    head 3 of two is no head, and that is said."""
    at = app("pages/5_weights.py", vs="scale:none", head=2)
    first, second, apart = compared(at)[0]
    assert np.array_equal(numbers(first), run(Setup(scale="none")).value("weights")[1].numpy())
    assert np.array_equal(numbers(second), run(Setup()).value("weights")[1].numpy())
    assert first["scale"] == second["scale"] == "sequential" and not apart.get("scale")
    assert "The first that differs is ω′." in said(at)
    (board,) = boards(app("pages/4_scores.py", vs="seed:7", lecture="on", beat=6))
    assert [matrix["title"] for matrix in board["matrices"]] == ["ω, held", "ω, present"]
    others = [app("pages/4_scores.py", lecture="on", beat=2, vs=vs) for vs in ("seed:7", "")]
    assert boards(others[0]) == boards(others[1])
    at = app("pages/4_scores.py", vs="heads:2", head=3)
    assert "The held setup has no head 3" in said(at) and len(compared(at)[0]) == 2
    beats = {page.path: {beat.name for beat in BEATS[page.path]} for page in PAGES}
    assert all(page.main_beat in beats[page.path] for page in PAGES if page.main and page.path)


def test_a_held_number_is_a_ghost_in_the_figure():
    """Each matrix of a figure, a row between scores and weights or a layer's too, has the held
    numbers, where they have its shape and are others; none has its own, or those of a head that the
    held setup lacks."""
    other, layers = run(Setup(seed=7)), encode(Setup(seed=7))
    masked = other.value("masked")[0, 1]
    shifted = masked - masked.max()
    for page, name, of in (
        ("4_scores", "scores", other.value("scores")[0]),
        ("5_weights", "exp", shifted.exp()),
        ("10_encoder", "weights", layers[1].value("weights")[0]),
        ("9_block", "out", layers[1].value("out")),
    ):
        for vs, has in (("seed:7", True), ("heads:1,layers:1", False), ("", False)):
            at = app(f"pages/{page}.py", vs=vs, layer=2, head=1 if has else 2)
            drawn = [board for board in boards(at) if "held and present" not in board["alt"]]
            sent = [each for board in drawn for each in board.get("matrices", ())]
            mine = [each for each in sent if each["name"] == name and "held" in each]
            assert bool(mine) == has, (page, name, vs)
            whole = np.atleast_2d(of.numpy())
            for each in mine:
                ghost = numbers({**each, "values": each["held"]})
                assert np.array_equal(ghost, whole if ghost.shape == whole.shape else whole[1:2])


def cell(*values: float) -> Cell:
    """A sum by hand, each term the product of a number and 1."""
    terms = [Term((Ref("q", (0, k), v), Ref("k_t", (k, 0), 1.0)), v) for k, v in enumerate(values)]
    return Cell(tuple(terms), sum(values), "their sum")


def test_terms_stand_under_each_other():
    """Two sums by hand, one with a term more: the same number under the same, nothing where one has
    none, sums at the end. Under the exponentials of a weight stands their sum, not the weight."""
    product = Product("q", "k_t")
    sums = [opened_pair.terms(each, product) for each in (cell(1.0, 2.0), cell(3.0, 4.0, 5.0))]
    labels, both = opened_pair.align_terms(*sums)
    assert labels == ["1", "2", "3", "sum"]
    assert both[1].tolist() == [3.0, 4.0, 5.0, 12.0]
    assert both[0, [0, 1, 3]].tolist() == [1.0, 2.0, 3.0] and both[0, 2].isnan()
    assert opened_pair.terms(cell(1.0, 2.0), Softmax("masked"))["sum"] == 3.0


def test_a_held_setup_is_trained_too():
    """A page waits for the training of the held setup as for its own, and after it."""
    sizes = {"d_model": 7, "d_k": 3, "d_v": 5, "heads": 2, "steps": 20}
    own, other = (Setup(init="trained", **sizes, seed=seed) for seed in (83, 89))
    assert training_store.find_missing(other, "attention")
    for setup, vs, wanted in (
        (own, pinned.write(other), [(own, "attention"), (other, "attention")]),
        (Setup(), pinned.write(other), [(other, "attention")]),
        (Setup(), "seed:2", []),
    ):
        assert training_queue.list_jobs("scores", setup, Focus(vs=vs)) == wanted


# ---------- in a browser ----------


@pytest.mark.browser
def test_hold_change_the_seed_and_go_back(visit):
    """What is held stays while the seed changes; each of it is one step that Back undoes; the cell
    that is pointed at is lit and said in all three matrices, and a click on the difference follows
    it; Let go lets go."""
    page = visit("scores?text=eat,+drink+now~&d_v=7")
    let_go, told = page.get_by_role("button", name="Let go"), page.get_by_text("Held. Change some")
    expect(let_go).to_be_hidden()
    page.get_by_role("button", name="Hold this setup").click()
    expect(told).to_be_visible()
    unfold(page)
    page.locator(".st-key-seed input").fill("7")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Held → present: seed 123 → 7.")).to_be_visible()
    own = {"text": "eat, drink now~", "d_v": "7"}
    link = own | {"seed": "7", "vs": "text:eat~1 drink now~0,d_v:7"}
    assert dict(parse_qsl(urlsplit(address(page)).query)) == link
    page.mouse.move(*cell_on_screen(page, "difference", 2, 1))
    board = page.locator(".st-key-compare .ab-host").first
    expect(board.locator(".ab-over rect")).to_have_count(3)
    setup = Setup.nearest(own)[0]
    before, now = (
        run(Setup.nearest(own | {"seed": seed})[0]).value("scores")[0, 2, 1] for seed in (123, 7)
    )
    asks, asked = setup.tokens[2], setup.tokens[1]
    expect(board.locator(".ab-readout")).to_have_text(
        f"ω[{asks}, {asked}], held = {number(before.item())}\n"
        f"ω[{asks}, {asked}], present = {number(now.item())}\n"
        f"present − held: difference[{asks}, {asked}] = {number((now - before).item())}"
    )
    page.mouse.click(*cell_on_screen(page, "difference", 2, 1))
    expect(page.locator(".ab-pair")).to_have_text(re.compile(f"{asks}.*{asked}"))
    page.go_back()
    page.go_back()
    expect(told).to_be_visible()
    expect(page.get_by_role("heading", name="Held and present")).to_have_count(0)
    page.go_back()
    expect(let_go).to_be_hidden()
    page.go_forward()
    let_go.click()
    expect(let_go).to_be_hidden()
