"""Two setups side by side: what is compared, how the link holds the other one, what pages say and
show, hold and let go."""

import math
import re
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
import torch
from helpers import address, app, boards, elements, numbers, unfold
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect
from strategies import setups

from core import batch, compare, training_store
from core.cell import Cell, Ref, Term
from core.encoder import encode
from core.origin import Product, Softmax
from core.record import Entry
from core.setup import DEFAULTS, Setup
from core.trace import run
from pages.shared import link
from pages.shared.frame import opened_pair, training_queue
from pages.shared.link import focus, held
from pages.shared.link.beats import BEATS
from pages.shared.link.focus import Focus
from pages.shared.link.pages import PAGES, find
from pages.shared.parts.overview import pairs
from pages.shared.said.claims import compare as claims
from pages.shared.said.claims.compare import called
from pages.shared.said.words import number
from tests.test_browser import cell as cell_on_screen


def entry(name: str, *rows: list[float], dims: tuple[str, ...] = ("token", "d_k")) -> Entry:
    """A tensor by hand."""
    return Entry(name, name, torch.tensor(rows), dims)


def derivation(*made: Entry) -> dict[str, Entry]:
    """A derivation by hand."""
    return {each.name: each for each in made}


# ---------- core ----------


def test_two_derivations_by_hand():
    """Equal, other numbers, other shapes, and a tensor that only one of them has: each is said as
    it is, in its order."""
    before = derivation(
        entry("a", [1.0, 2.0]),
        entry("gone", [1.0]),
        entry("b", [1.0, 2.0], [3.0, 4.0]),
        entry("c", [1.0, 2.0]),
    )
    now = derivation(
        entry("a", [1.0, 2.0]),
        entry("b", [1.0, 2.5], [3.0, 0.0]),
        entry("new", [1.0]),
        entry("c", [1.0, 2.0, 3.0]),
    )
    found = compare.compare(before, now)
    assert [pair.name for pair in found] == ["a", "gone", "b", "new", "c"]
    same, gone, apart, new, shapes = found
    assert (same.same, same.largest, same.first) == (True, 0.0, None)
    assert (apart.same, apart.largest, apart.first, apart.numbers) == (
        False,
        4.0,
        (0, 1),
        (2.0, 2.5),
    )
    assert (gone.held, gone.present, new.held, new.present[0]) == (
        (("token", 1), ("d_k", 1)),
        None,
        None,
        ("token", 1),
    )
    assert (shapes.largest, shapes.axes_apart()) == (None, (("d_k", 2, 3),))
    assert compare.first_apart(found) is gone
    assert compare.first_apart(found[:1]) is None


def test_what_a_mask_puts_is_the_same_in_both():
    """−∞ beside −∞ is no difference, beside a number it is an infinite one."""
    before, now = torch.tensor([-torch.inf, -torch.inf, 1.0]), torch.tensor([-torch.inf, 2.0, 1.0])
    assert compare.difference(before, now).tolist() == [0.0, math.inf, 0.0]


@pytest.mark.parametrize(
    ("changes", "first", "fields"),
    [
        ({"scale": "none"}, "scaled", None),
        ({"seed": 2}, "embedding_table", None),
        ({"mask": "causal"}, "masked", None),
        ({"d_k": 3, "seed": 123}, "w_q", ("d_k",)),
        ({"heads": 2, "d_k": 3}, "w_q", ("heads", "d_k")),
        ({"d_v": 5}, "w_q", None),  # the second head is drawn after the first one's W_v
        ({"d_model": 5}, "embedding_table", ("d_model",)),
        ({"out": "d_model"}, "w_o", ("out",)),
        ({"text": "a b"}, "ids", ("text",)),
        ({"bias": "on"}, "b_q", ()),
        ({"positions": "sinusoidal"}, "positions", ()),
        ({"edits": "w_q.1.2.3=5"}, "w_q", None),
        ({"layers": 3}, None, None),
    ],
)
def test_where_two_setups_part(changes, first, fields):
    """Known by hand for each kind of choice: the first tensor that is not the same, and which field
    gave it another shape."""
    before, now = Setup(**changes), Setup()
    pair = compare.first_apart(compare.compare(run(before), run(now)))
    assert (pair.name if pair else None) == first
    if fields is not None:
        assert pair.largest is None
        assert compare.why(pair, before, now, batch=False) == fields


def test_only_fields_that_decide_a_shape_explain_it():
    """An output of d_v numbers has nothing to do with d_model, and only of a batch do further
    sentences decide a length."""
    before, now = Setup(d_model=5, d_v=7, others="a b c d e f g\na", text="a b"), Setup()
    outputs = next(pair for pair in compare.compare(run(before), run(now)) if pair.name == "output")
    assert compare.why(outputs, before, now, batch=False) == ("text", "d_v")
    batches = compare.compare(batch.run(before).trace, batch.run(now).trace)
    assert set(compare.why(batches[0], before, now, batch=True)) == {"text", "others"}


def test_stacks_are_one_derivation():
    """Through a stack the layers stand behind one another: another norm is the same up to the first
    layer's first norm."""
    before, now = Setup(out="d_model"), Setup(out="d_model", layers=3)
    stacks = [compare.derivation(run(setup), encode(setup)) for setup in (before, now)]
    assert [name for name in stacks[0] if "." not in name][-1] == "x"
    pair = compare.first_apart(compare.compare(*stacks))
    assert (pair.name, pair.held) == ("layer3.w_1", None)


PAIRS = st.tuples(setups(), setups())


@settings(max_examples=60)
@given(PAIRS, st.sampled_from(list(DEFAULTS)))
def test_what_is_said_is_true_of_every_pair(both, kept):
    """Over drawn pairs: nothing before the named tensor differs, the named one does, by what is
    said; shapes are explained by fields that differ."""
    now = both[1]
    before, _ = Setup.nearest(now.as_link() | {kept: both[0].as_link().get(kept, DEFAULTS[kept])})
    for held_setup in (before, both[0]):
        for is_batch, derived in ((False, run), (True, lambda setup: batch.run(setup).trace)):
            first, second = derived(held_setup), derived(now)
            found = compare.compare(first, second)
            said = claims.numbers_apart(found, ("weights", "output"), (held_setup, now))
            check_sentence(said, first, second, [pair.name for pair in found])
            for pair in found:
                if pair.axes_apart():
                    assert compare.why(pair, held_setup, now, is_batch), pair
        assert all(
            name in claims.fields_apart((held_setup, now))
            for name in DEFAULTS
            if getattr(held_setup, name) != getattr(now, name)
        )


def test_edits_that_differ_are_named():
    """Two setups with one edit each differ in which, not in how many; those that both have are left
    out."""
    held, present = Setup(edits="w_q.1.1.1=5,w_k=0"), Setup(edits="w_q.1.1.1=6,w_k=0")
    said = claims.fields_apart((held, present))
    assert (
        said
        == "One choice differs: edits: w_q.1.1.1=5 in the held setup alone and w_q.1.1.1=6 in the"
        " present setup alone."
    )
    assert claims.fields_apart((Setup(), present)).endswith(
        "edits: w_q.1.1.1=6, w_k=0 in the present setup alone."
    )
    assert "in another order" in claims.fields_apart(
        (Setup(edits="w_q=0,w_k=0"), Setup(edits="w_k=0,w_q=0"))
    )
    many = Setup(edits=",".join(f"w_q.1.1.{k}=0" for k in range(1, 9)))
    assert "w_q.1.1.3=0 and 5 more in the present" in claims.fields_apart((Setup(), many))
    assert (
        claims.fields_apart((Setup(), Setup(seed=7, scale="none")))
        == "2 choices differ: scale is sqrt in the held setup and none in the present one; seed is"
        " 123 in the held setup and 7 in the present one."
    )


def test_weights_keep_their_colour_while_held():
    """α is a share: held beside another it has the colours of shares, not those of signed
    numbers."""
    at = app("pages/5_weights.py", vs="scale:none")
    held_one, present, apart = next(
        board["matrices"] for board in boards(at) if "held and present, and" in board["alt"]
    )
    assert held_one["scale"] == present["scale"] == "sequential"
    assert not apart.get("scale")


def check_sentence(said: str, first, second, order: list[str]) -> None:
    """Every part of the sentence, computed anew with numpy."""
    equal = [
        name
        for name in order
        if name in first
        and name in second
        and np.array_equal(first.value(name), second.value(name))
    ]
    by_name = {called(name): name for name in order}
    assert len(by_name) == len(order)  # no two tensors are called the same
    if said.startswith("No number differs"):
        assert equal == order
        return
    part = next(k for k, name in enumerate(order) if name not in equal)
    start, *clauses = said.removesuffix(".").split("; ")
    match = re.match(
        r"(?:Everything before (.+?) is the same|They part at the first tensor)$", start
    )
    assert (by_name[match[1]] if match[1] else order[0]) == order[part]
    first_number = clauses.pop(0) if clauses[0].startswith("there the first") else None
    check_first_number(first_number, first.get(order[part]), second.get(order[part]))
    for clause in clauses:
        if alone := re.match(r"only the (held|present) setup has (.+)$", clause):
            assert (by_name[alone[2]] in first, by_name[alone[2]] in second) == (
                alone[1] == "held",
                alone[1] == "present",
            )
            continue
        said_of, verb, rest = re.match(r"(.+?) (differs?|is|are|has|have) (.*)", clause).groups()
        name = by_name[said_of]
        if verb.startswith("differ"):
            with np.errstate(invalid="ignore"):
                apart = np.abs(second.value(name).numpy() - first.value(name).numpy())
            assert rest == f"by up to {number(float(np.nanmax(apart)))}"
        elif rest == "the same":
            assert name in equal
        else:
            assert (
                rest.startswith("other shapes")
                and first.value(name).shape != second.value(name).shape
            )
    first_said = re.match(
        r"(?:only the \w+ setup has (.+)|(.+?) (?:differs?|is|are|has|have) .*)$", clauses[0]
    )
    assert by_name[first_said[1] or first_said[2]] == order[part]


def check_first_number(said: str | None, held, present) -> None:
    """No number before the place that is said differs, in the order of the places, and the two that
    stand there are said."""
    if held is None or present is None or held.value.shape != present.value.shape:
        assert said is None
        return
    values = [entry.value.numpy().ravel() for entry in (held, present)]
    at = int(np.flatnonzero(values[0] != values[1])[0])
    place = [k + 1 for k in np.unravel_index(at, held.value.shape)]
    assert re.search(r", at (.*), is ", said)[1] == ", ".join(
        f"{axis} {k}" for axis, k in zip(held.dims, place, strict=True)
    )
    whole = not held.value.is_floating_point()
    before, now = (
        str(numbers_of[at]) if whole else number(float(numbers_of[at])) for numbers_of in values
    )
    assert (
        f"is {before} in both as printed" in said
        if before == now
        else said.endswith(f"is {before} held and {now} present")
    )


# ---------- the link ----------


@given(
    setups(),
    setups(),
    st.sampled_from(("", "a, b", "a~1b, c~0", "x:y,seed:7", "~,~", "<b>, &amp;")),
)
def test_the_link_holds_another_setup(present, other, text):
    """What is held is read back as it was, with nothing to tell, whatever stands in a text; and it
    does not move with the rest."""
    other = Setup.nearest(other.as_link() | ({"text": text} if text else {}))[0]
    of_layer = {"seven": "chosen"} if present.layer > 1 else {}
    view = link.read_link(link.write_link(present.as_link() | of_layer | {"vs": held.write(other)}))
    assert (view.setup, view.focus.held, view.messages) == (present, other, ())
    assert link.read_link(view.link).focus.held == other
    assert link.read_link(link.write_link({"vs": held.write(other)})).focus.held == other


def test_the_default_can_be_held():
    """All defaults need a word of their own: nothing at all is nothing held."""
    assert (held.write(Setup()), held.read("default"), held.read("")) == ("default", Setup(), None)
    assert link.read_link("").focus.held is None


@pytest.mark.parametrize(
    ("vs", "setup", "message"),
    [
        ("seed:2,scale:none", Setup(seed=2, scale="none"), ""),
        ("seed:nan", Setup(), "vs: seed: 'nan' is not a number; it became 123."),
        ("d_k:1e400", Setup(d_k=64), "vs: d_k: '1e400' became 64"),
        ("seed:2,sofa:3", Setup(seed=2), "vs: 'sofa' is not a setting and was left out."),
        ("<script>alert(1)</script>", None, "names no field of a setup; nothing is held"),
        ("query:3", None, "nothing is held"),
        ("seed:2,vs:seed:3", Setup(seed=2), "'vs' is not a setting"),
        (",,,", None, "nothing is held"),
        ("text:" + "x " * 9000, None, ""),
    ],
)
def test_a_hostile_setup_is_told(vs, setup, message):
    """What cannot be held is said in short lines, and the rest is held."""
    view = link.read_link(link.write_link({"vs": vs, "d_v": 5}))
    assert view.setup == Setup(d_v=5)
    if setup is not None or message:
        assert view.focus.held == setup
    assert any(message in line for line in view.messages) if message else True
    assert all(len(line) < 400 for line in view.messages)


@settings(max_examples=300)
@given(
    st.text(max_size=60)
    | st.lists(st.tuples(st.sampled_from([*DEFAULTS, "x", ""]), st.text(max_size=9))).map(
        lambda fields: ",".join(f"{name}:{value}" for name, value in fields)
    )
)
def test_any_setup_to_hold_is_read(vs):
    """No text raises; what is held is a setup, told again in the same words, in silence."""
    looked_at, messages = Focus.nearest({"vs": vs}, Setup())
    assert all(0 < len(line) < 400 and "\n" not in line for line in messages)
    assert Focus.nearest({"vs": looked_at.vs}, Setup()) == (looked_at, [])
    assert (looked_at.held is None) == (looked_at.vs == "")


def test_a_link_with_much_on_both_sides_stays_short():
    """Two setups with a long sentence and twelve edits each are fewer than 2,000 characters."""
    edits = ",".join(f"w_q.1.{k}.{k % 16 + 1}=0.7" for k in range(1, 13))
    both = Setup(text="the cat drank the milk " * 3 + "twice", edits=edits)
    assert len(link.write_link(both.as_link() | {"vs": held.write(both)})) < 2000


# ---------- the pages ----------


def said(at) -> str:
    """What the page says as plain text."""
    return "\n".join(
        element.value for element in elements(at.main) if element.type in ("text", "header")
    )


COMPARED = [step for step in PAGES if step.main]


@pytest.mark.parametrize("step", COMPARED, ids=lambda step: step.path or "overview")
def test_a_page_shows_both_and_their_difference(step):
    """Held, present and difference are the numbers of two computations; all three are coloured to
    the same largest number."""
    at = app(step.file, vs="seed:7", norm="pre")
    assert not at.exception
    assert "Held and present" in said(at)
    first, second, apart = next(
        board["matrices"] for board in boards(at) if "held and present, and" in board["alt"]
    )
    assert np.array_equal(numbers(apart), numbers(second) - numbers(first))
    assert first.get("top") == second.get("top") == apart.get("top")
    assert first["title"].endswith(", held") and second["title"].endswith(", present")


def test_the_numbers_are_those_of_two_computations():
    """The held matrix is what the held setup computes by itself, the present one what the page
    shows."""
    at = app("pages/5_weights.py", vs="scale:none", head=2)
    first, second, _ = next(
        board["matrices"] for board in boards(at) if "held and present, and" in board["alt"]
    )
    assert np.array_equal(numbers(first), run(Setup(scale="none")).value("weights")[1].numpy())
    assert np.array_equal(numbers(second), run(Setup()).value("weights")[1].numpy())
    assert (
        "Everything before the scaled scores ω′ is the same; there the first number that differs,"
        " at head 1, query 1, key 1, is " in said(at)
    )


@pytest.mark.parametrize("vs", ["seed:7", "d_k:3", ""])
def test_a_held_number_is_a_ghost_in_the_figure(vs):
    """Each matrix of the figure has the held numbers too, where they have its shape and are others;
    none has its own."""
    of = Setup(**{"seed": {"seed": 7}, "d_k": {"d_k": 3}}.get(vs.partition(":")[0], {}))
    (product,) = [
        board
        for board in boards(app("pages/4_scores.py", vs=vs, head=2))
        if board["view"] == "product"
    ]
    for matrix in product["matrices"]:
        held = run(of).value(matrix["name"])[1]
        if vs and held.shape == (matrix["n"], matrix["m"]):
            assert np.array_equal(numbers({**matrix, "values": matrix["held"]}), held.numpy())
        else:
            assert "held" not in matrix


def test_ghosts_stand_in_the_softmaxs_steps_and_in_layers():
    """Of numbers that the seven steps do not have, too: the row between scores and weights, and
    what a layer made; none for a head or a layer that the held setup lacks."""
    masked, block = run(Setup(seed=7)).value("masked")[0, 1], encode(Setup(seed=7))[1]
    between = {"shifted": masked - masked.max(), "exp": (masked - masked.max()).exp()}
    layers = {"weights": block.value("weights")[0], "out": block.value("out")}
    for page, name, of in (
        ("5_weights", "shifted", between),
        ("5_weights", "exp", between),
        ("10_encoder", "weights", layers),
        ("9_block", "out", layers),
    ):
        for vs, has in (("seed:7", True), ("heads:1,layers:1", False)):
            at = app(f"pages/{page}.py", vs=vs, layer=2, head=1 if has else 2)
            sent = [
                each
                for board in boards(at)
                if "held and present" not in board["alt"]
                for each in board.get("matrices", ())
            ]
            ghosts = [
                numbers({**each, "values": each["held"]})
                for each in sent
                if each["name"] == name and "held" in each
            ]
            assert bool(ghosts) == has
            whole = np.atleast_2d(of[name].numpy())
            assert all(
                np.array_equal(each, whole if each.shape == whole.shape else whole[1:2])
                for each in ghosts
            )


@pytest.mark.parametrize("step", PAGES, ids=lambda step: step.path or "overview")
def test_nothing_held_shows_nothing(step):
    """Without a held setup no page has the part, nor its boards."""
    at = app(step.file)
    assert "Held and present" not in said(at)
    assert not any("held and present" in board["alt"] for board in boards(at))


@pytest.mark.parametrize(
    "vs", ["d_k:3,heads:2,layers:1", "text:the cat,positions:learned,bias:on", "projections:none"]
)
@pytest.mark.parametrize("step", COMPARED, ids=lambda step: step.path or "overview")
def test_other_shapes_stand_side_by_side(step, vs):
    """No page fails on a setup of other sizes, one place more or fewer; where there is no
    difference the page says why."""
    at = app(step.file, vs=vs, head=3, layer=2, query=6, key=6, column=20)
    assert not at.exception
    shown = [len(board["matrices"]) for board in boards(at) if "held and present" in board["alt"]]
    assert shown.count(2) == said(at).count("only what has one shape can be subtracted") + said(
        at
    ).count("there is no difference.")


def test_a_place_that_the_held_setup_lacks():
    """Head 3 of two is no head: the last one stands there, is not subtracted, and that is said."""
    at = app("pages/4_scores.py", vs="heads:2", head=3)
    assert "The held setup has no head 3" in said(at)
    assert [
        len(board["matrices"]) for board in boards(at) if "held and present" in board["alt"]
    ] == [2]


def cell(*values: float) -> Cell:
    """A sum by hand, each term the product of a number and 1."""
    terms = tuple(
        Term((Ref("q", (0, k), v), Ref("k_t", (k, 0), 1.0)), v) for k, v in enumerate(values)
    )
    return Cell(terms, sum(values), "their sum")


def test_terms_stand_under_each_other():
    """Two sums by hand, one with a term more: the same number under the same, nothing where one has
    none, sums at the end."""
    origin = Product("q", "k_t")
    labels, both = opened_pair.aligned(
        opened_pair.terms(cell(1.0, 2.0), origin), opened_pair.terms(cell(3.0, 4.0, 5.0), origin)
    )
    assert labels == ["1", "2", "3", "sum"]
    assert both[1].tolist() == [3.0, 4.0, 5.0, 12.0]
    assert both[0, [0, 1, 3]].tolist() == [1.0, 2.0, 3.0]
    assert both[0, 2].isnan()


def test_a_share_is_a_share_of_its_row():
    """Under the exponentials of a weight stands their sum, which it is divided by, not the
    weight."""
    assert opened_pair.terms(cell(1.0, 2.0), Softmax("masked"))["sum"] == 3.0


def test_a_lecture_has_two_halves():
    """In the beat of the main board a class sees held and present alone, in large; other beats are
    as they were."""
    at = app("pages/4_scores.py", vs="seed:7", lecture="on", beat=6)
    (board,) = boards(at)
    assert [matrix["title"] for matrix in board["matrices"]] == ["ω, held", "ω, present"]
    assert board["lecture"]
    before = app("pages/4_scores.py", lecture="on", beat=2)
    assert boards(app("pages/4_scores.py", vs="seed:7", lecture="on", beat=2)) == boards(before)


def test_the_beats_of_the_halves_exist():
    """Each page's beat for the halves is one of its beats."""
    assert all(
        page.main_beat in {beat.name for beat in BEATS[page.path]}
        for page in PAGES
        if page.main and page.path
    )


def test_a_held_setup_is_trained_too():
    """A page waits for the training of the held setup as for its own, and after it."""
    own = Setup(init="trained", d_model=7, d_k=3, d_v=5, heads=2, steps=20, seed=83)
    other = Setup(init="trained", d_model=7, d_k=3, d_v=5, heads=2, steps=20, seed=89)
    assert training_store.missing(other, "attention")
    assert training_queue.jobs("scores", own, Focus(vs=held.write(other))) == [
        (own, "attention"),
        (other, "attention"),
    ]
    assert training_queue.jobs("scores", Setup(), Focus(vs=held.write(other))) == [
        (other, "attention")
    ]
    assert training_queue.jobs("scores", Setup(), Focus(vs="seed:2")) == []


@pytest.mark.parametrize(
    "setup",
    [Setup(), Setup(text="a, b c", d_model=5, heads=7, projections="none", scale="none", d_ff=20)],
)
def test_ready_pairs_are_what_they_say(setup):
    """Each pair opens a page that compares, keeps the reader's sentence on both sides, and differs
    in what its title says."""
    found = pairs.links(setup)
    assert len(found) == len(pairs.PAIRS) == 7
    for pair, link_to in found:
        path, _, query = link_to.removeprefix("./").partition("?")
        view = link.read_link(query)
        assert find(path).main
        assert not view.messages
        assert view.setup.text == view.focus.held.text == setup.text
        apart = {
            name for name in DEFAULTS if getattr(view.setup, name) != getattr(view.focus.held, name)
        }
        assert apart - {"d_k", "d_v"} == {*pair.present}
        assert focus.DEFAULTS.keys() & dict(parse_qsl(query)).keys() == {"vs"}


def test_the_causal_pairs_last_row_stays():
    """What a ready pair's question says: a mask of what comes after leaves the last word's row
    alone."""
    before, now = run(Setup()), run(Setup(mask="causal"))
    assert torch.equal(before.value("weights")[:, -1], now.value("weights")[:, -1])


def test_wide_heads_have_three_times_as_many_weights():
    """What a ready pair's question says of three heads, W_o included; the output has as many
    numbers."""
    narrow, wide = (
        run(Setup(d_model=12, heads=3, out="d_model", sizes=sizes)) for sizes in ("narrow", "wide")
    )
    count = lambda trace: sum(trace.value(f"w_{name}").numel() for name in "qkvo")  # noqa: E731
    assert count(wide) == 3 * count(narrow)
    assert narrow.value("output").shape == wide.value("output").shape


# ---------- in a browser ----------


@pytest.mark.browser
def test_hold_change_the_seed_and_go_back(visit):
    """What is held stays while the seed changes; each of it is one step that Back undoes; Let go
    lets go."""
    page = visit("weights?text=eat,+drink~&d_v=7")
    expect(page.get_by_role("button", name="Let go")).to_be_hidden()
    page.get_by_role("button", name="Hold this setup").click()
    expect(page.get_by_text("Held. Change something, and see what follows.")).to_be_visible()
    expect(page.get_by_role("heading", name="Held and present")).to_have_count(0)
    unfold(page)
    page.locator(".st-key-seed input").fill("7")
    page.keyboard.press("Enter")
    expect(
        page.get_by_text(
            "One choice differs: seed is 123 in the held setup and 7 in the present one."
        )
    ).to_be_visible()
    assert dict(parse_qsl(urlsplit(address(page)).query)) == {
        "text": "eat, drink~",
        "d_v": "7",
        "seed": "7",
        "vs": "text:eat~1 drink~0,d_v:7",
    }
    expect(page.locator(".st-key-board_weights_row .ab-held-cells")).to_have_count(5)
    page.go_back()
    expect(page.get_by_text("Held. Change something, and see what follows.")).to_be_visible()
    expect(page.get_by_role("heading", name="Held and present")).to_have_count(0)
    page.go_back()
    expect(page.get_by_role("button", name="Let go")).to_be_hidden()
    page.go_forward()
    expect(page.get_by_text("Held. Change something, and see what follows.")).to_be_visible()
    page.get_by_role("button", name="Let go").click()
    expect(page.get_by_role("button", name="Let go")).to_be_hidden()


@pytest.mark.browser
def test_pointing_at_one_lights_all_three(visit):
    """The cell that is pointed at is lit and said in all three matrices; a click on the difference
    follows it."""
    page = visit("scores?vs=seed:7")
    page.mouse.move(*cell_on_screen(page, "difference", 2, 3))
    board = page.locator(".st-key-compare .ab-host").first
    expect(board.locator(".ab-over rect")).to_have_count(3)
    held_value, value = (run(Setup(seed=seed)).value("scores")[0, 2, 3] for seed in (7, 123))
    expect(board.locator(".ab-readout")).to_have_text(
        f"ω[short, eat], held = {number(held_value.item())}\n"
        f"ω[short, eat], present = {number(value.item())}\n"
        f"present − held: difference[short, eat] = {number((value - held_value).item())}"
    )
    page.mouse.click(*cell_on_screen(page, "difference", 2, 3))
    expect(page.get_by_text("“short” asks, “eat” is asked.")).to_be_visible()
