"""The page Next word: its shares are the model's, its links append what was drawn, and beside it
stands what the language says."""

import base64
import re
from html import unescape
from urllib.parse import parse_qs

import numpy as np
import pytest
import torch
from helpers import address, app, boards, change, controls, elements, numbers
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect
from strategies import setups

from core import Setup, run
from core.analysis import attribution
from core.forward import next_word
from core.forward.encoder import encode
from core.text import language
from core.text.written import number
from pages.shared.captions import attribution as claims
from pages.shared.link import read_link
from pages.shared.text.charts import waterfall
from tests.test_pages import charts

PAGE = "pages/11_next.py"
# Trained for a few steps: what is said of it must be true of any model.
SIZES = {"heads": 1, "d_model": 5, "d_k": 3, "d_v": 2, "layers": 1, "d_ff": 7}
LEARNS = {"init": "trained", "task": "next", "steps": 3, **SIZES}


def stage(at) -> dict:
    """What the board with the bars was given."""
    assert not at.exception
    return next(board for board in boards(at) if board["view"] == "next_word")


def trained(**parameters):
    """The page with trained weights, after the training queue."""
    at = app(PAGE, **(LEARNS | parameters))
    while any("Training" in title.value for title in at.title):
        at = at.run()
    return at


def acts(given: dict) -> dict[str, str]:
    """The text that each link sets, by what it says, of those that are there."""
    return {act["label"]: parse_qs(act["sets"])["text"][0] for act in given["acts"] if act["href"]}


@settings(max_examples=15)
@given(setups())
def test_the_bars_are_the_models_shares(setup):
    """Each row has its word's share, the rest what is left; the strip's pieces add up to 1, and the
    number lies in the drawn one."""
    trace, drawn = next_word.predict(setup), stage(app(PAGE, **setup.as_link()))
    shares = trace.value("probabilities")
    rows = [row for row in drawn["rows"] if not row["rest"]]
    assert len(rows) == min(len(shares), next_word.MAX_SHOWN + (len(rows) > next_word.MAX_SHOWN))
    logits = trace.value("logits").argsort(descending=True, stable=True).tolist()
    for row, place in zip(rows[: next_word.MAX_SHOWN], logits, strict=False):
        assert row["share"] == shares[place].item()
    (chosen,) = (row for row in rows if row["drawn"])
    assert chosen["share"] == shares[int(trace.value("chosen")[0])].item()
    assert abs(sum(part["share"] for part in drawn["parts"]) - 1) < 1e-5
    if drawn["number"] is not None:
        before = 0.0
        for part in drawn["parts"]:
            if part["drawn"]:
                assert before - 1e-5 <= drawn["number"] <= before + part["share"] + 1e-5
            before += part["share"]


@settings(max_examples=8)
@given(setups(), st.booleans())
def test_the_links_append_and_take_back(setup, greedy):
    """One word is the drawn one at the end, several are those that come one by one, and one less is
    the sentence without its last."""
    setup = Setup(**(vars(setup) | {"choose": "greedy" if greedy else "drawn"}))
    there = acts(stage(app(PAGE, **setup.as_link())))
    word = next_word.next_of(next_word.predict(setup))
    assert there["One word"] == next_word.append_word(setup, word)[0].text
    longer = next_word.go_on(setup, 8)
    assert there[f"{len(longer.tokens) - len(setup.tokens)} words more"] == longer.text
    if len(setup.tokens) > 1:
        assert there["Take one back"].split() == setup.text.split()[:-1]
    else:
        assert "Take one back" not in there


def test_a_full_sentence_takes_no_more():
    """Where there is no room for another word, no link says so; one can still be taken back."""
    assert acts(stage(app(PAGE, text=" ".join("abcd" * 8)))).keys() == {"Take one back"}


def test_the_language_stands_beside_the_model():
    """After “the milk” the language's own shares are one half for two words, and both are named;
    the way to the end is nine words."""
    given = stage(at := trained(text="the milk"))
    own = {row["word"]: row["language"] for row in given["rows"] if not row["rest"]}
    known = dict.fromkeys(("saved", "warmed"), 0.5)
    assert all(share == known.get(word, 0) for word, share in own.items())
    assert abs(sum(row["language"] for row in given["rows"]) - 1) < 1e-6
    texts = [e.value for e in elements(at.main) if e.type == "text"]
    assert "In what was learned, 2 words can come next. Likeliest: “saved” and “warmed”." in texts
    assert len(acts(given)["To the end"].split()) == language.LENGTH
    whole = stage(change(at, text="the cat drank the milk because it was sour"))
    assert "To the end" not in acts(whole)
    assert not whole["compared"]
    assert not stage(app(PAGE, text="the milk"))["compared"]  # drawn weights have not learned it


def test_temperatures_stand_side_by_side():
    """One link holds temperature 0.1 beside 3: both rows are the shares of their own setup, for the
    same words, below the heading where that is pressed; what else is held stands above the
    figure."""
    at = app(PAGE, word_temperature=3, vs="word_temperature:0.1")
    heads = [each.value for each in at.header]
    assert heads.index("Held and present") == heads.index("From the logits to the shares") + 1
    assert app(PAGE, vs="word_temperature:0.1,seed:3").header[0].value == "Held and present"
    held, present, _ = next(
        board["matrices"] for board in boards(at) if "held and present, and" in board["alt"]
    )
    for shown, temperature in ((held, 0.1), (present, 3.0)):
        trace = next_word.predict(Setup(word_temperature=temperature))
        own = dict(zip(trace.vocabulary, trace.value("probabilities").tolist(), strict=True))
        assert np.allclose(numbers(shown)[0], [own[word] for word in shown["columns"]], atol=1e-7)
    assert numbers(held).max() > numbers(present).max()


@pytest.mark.parametrize("task", ["questions", "repeat"])
def test_what_was_learned_is_said(task):
    """Who learned questions never learned what comes next, and who learned letters knows them once
    they have begun again."""
    at = trained(task=task, text="a b c a")
    said = "\n".join(e.value for e in elements(at.main) if e.type == "text")
    if task == "questions":
        assert "never learned what comes next" in said
        assert not stage(at)["compared"]
    else:
        assert "1 word can come next. Likeliest: “b”." in said
        (known,) = (row for row in stage(at)["rows"] if row["language"])
        assert (known["word"], known["language"]) == ("b", 1.0)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"norm": "pre", "layer": 2, "head": 3, "column": 2, "mask": "window"},
        {"memory": "a b c", "kv_heads": 1, "positions": "rotary", "unembedding": "own"},
    ],
)
def test_why_this_word(changed):
    """The fold has what each head and each word brings, the ten largest summands, each a link to
    its head, and what becomes of the word without it."""
    at = app(PAGE, open="why", **changed)
    assert not at.exception
    given = {
        board["matrices"][0]["name"]: board for board in boards(at) if board["view"] == "matrices"
    }
    setup = Setup.nearest(changed)[0]
    column, layer, head = (changed.get(name, 1) - 1 for name in ("column", "layer", "head"))
    ranked = next_word.likeliest(next_word.predict(setup))
    place = ranked.pop(column)
    apart = attribution.take_apart(setup, place, ranked[0])
    brings, by_word = (numbers(given[name]["matrices"][0]) for name in ("brings", "by_word"))
    assert np.allclose(brings, apart.heads.sum(dim=-1).T, atol=1e-5)
    of_words = [apart.heads.sum(dim=(0, 1)).tolist(), apart.heads[layer, head].tolist()]
    assert np.allclose(by_word, of_words, atol=1e-5)
    assert given["brings"]["chosen"] == [head, layer]
    assert "'reverse'" not in str(waterfall())  # the signs' colours are those of every page
    assert "background" in waterfall()["layer"][0]["mark"]["color"]["expr"]  # seen in the dark
    (fall,) = (each for each in charts(at) if "brings" in each)
    layers = apart.sum_by_layer()[1].flatten()
    assert np.allclose(fall["brings"][1 : 1 + len(layers)], layers, atol=1e-5)
    assert list(fall["from"][1:]) == list(fall["to"][:-1])
    assert fall["to"].iloc[-1] == pytest.approx(apart.total, abs=1e-4)
    html = [e.proto.body for e in elements(at.main) if e.type == "html"]
    (table,) = (body for body in html if "ab-why-largest" in body)
    largest = apart.ranked()[:10]
    assert re.findall("<td>([^<]+)</td></tr>", table) == [number(each.value) for each in largest]
    linked = [read_link(unescape(link)) for link in re.findall(r'\./weights\?([^"]+)"', table)]
    assert [(v.setup.layer - 1, v.focus.head - 1, v.focus.key - 1) for v in linked] == [
        each[2:] for each in largest if each.name == "head"
    ]
    told = "\n".join(e.value for e in elements(at.main) if e.type == "text")
    logits = attribution.ablate_head(setup, layer, head).value("logits").tolist()
    without = logits[place] - logits[ranked[0]]
    assert f"{claims.really(apart, layer, head, without)} Without it: “" in told


@pytest.mark.parametrize("changed", [{}, {"norm": "pre"}, {"norm": "pre", "layer": 2, "head": 3}])
def test_the_way_to_the_followed_head(changed):
    """The seven pages show weights, values and W_o whose product it is; where a first layer has no
    norm there, that is said."""
    setup, at = Setup.nearest(changed)[0], app(PAGE, open="why", **changed)
    html = [e.proto.body for e in elements(at.main) if e.type == "html"]
    (way,) = (body for body in html if "./context?" in body)
    view = read_link(unescape(re.search(r'\./context\?([^"]+)', way)[1]))
    assert not view.messages
    layer, head = changed.get("layer", 1), changed.get("head", 1)
    seen = view.focus.query, view.focus.head, view.setup.layer
    assert seen == (len(setup.tokens), head, layer)
    there, here = run(view.setup), encode(next_word.resolve_setup(setup))[layer - 1]
    is_other = setup.norm == "pre" and layer == 1
    assert ("its numbers are others" in way) == is_other
    for name in () if is_other else ("weights", "v", "w_o"):
        assert torch.allclose(there.value(name), here.value(name), rtol=1e-4, atol=1e-5), name


def test_the_other_word_is_chosen():
    """The other word is offered, typed, or none at all, and stands in the link by itself: the sum
    is then of those two."""
    setup = Setup()
    trace = next_word.predict(setup)
    first, second, third, *_ = next_word.likeliest(trace)
    for wish, instead in (
        ("", second),
        (trace.vocabulary[third], third),
        (trace.vocabulary[first], None),
        ("nowhere", second),
    ):
        at = app(PAGE, open="why", instead=wish)
        (fall,) = (each for each in charts(at) if "brings" in each)
        assert fall["to"].iloc[-1] == pytest.approx(
            attribution.take_apart(setup, first, instead).total, abs=1e-5
        )
        assert "options" not in controls(at)["instead"]
        told = [e.value for e in elements(at.main) if e.type == "text"]
        assert any("no “nowhere”" in each for each in told) == (wish == "nowhere")


def test_a_chosen_word_beyond_the_likeliest_is_explained_too():
    """Its bar, the last one, opens why it is that word; where another is explained, that is said
    beside it. Beside a held setup it has a column of its own."""
    words = " ".join(f"w{k}" for k in range(1, 31))
    drawn_from = (Setup(text=words, word_temperature=10.0, draw_seed=seed) for seed in range(50))
    traces = (next_word.predict(setup) for setup in drawn_from)
    trace = next(each for each in traces if len(next_word.shown(each)) > next_word.MAX_SHOWN)
    setup = Setup(text=words, word_temperature=10.0, draw_seed=trace.setup.draw_seed)
    link, column = setup.as_link(), next_word.MAX_SHOWN + 1
    drawn = stage(app(PAGE, **link))
    place = [row["drawn"] for row in drawn["rows"]].index(True)
    assert drawn["chooses"]["fields"]["column"][1][0][place] == column
    first, other = app(PAGE, **link, open="why"), app(PAGE, **link, open="why", column=column)
    for at, is_said in ((first, True), (other, False)):
        told = " ".join(e.value for e in elements(at.main) if e.type == "text")
        assert ("Explained is" in told) == is_said
    (fall,) = (each for each in charts(other) if "brings" in each)
    chosen, likeliest = int(trace.value("chosen")[0]), next_word.likeliest(trace)[0]
    total = attribution.take_apart(setup, chosen, likeliest).total
    assert fall["to"].iloc[-1] == pytest.approx(total, abs=1e-5)
    at = app(PAGE, **link, column=column, vs="seed:5")
    (beside,) = (board for board in boards(at) if board.get("linked") == "values")
    assert beside["chosen"] == [0, column - 1]
    assert beside["matrices"][1]["columns"][-1] == next_word.next_of(trace)


@pytest.mark.parametrize(
    "changed",
    [{}, {"layers": 1, "mask": "window"}, {"norm": "pre", "layers": 3, "memory": "a"}],
)
def test_what_each_layer_would_say(changed):
    """Each cell of the fold is the likeliest word there and its share, marked where the last row's
    own word first is."""
    at = app(PAGE, open="lens", **changed)
    sent = [matrix for board in boards(at) for matrix in board.get("matrices", ())]
    (lens,) = (matrix for matrix in sent if matrix["name"] == "lens")
    setup = Setup.nearest(changed)[0]
    found, vocabulary = attribution.lens(setup), next_word.predict(setup).vocabulary
    assert np.allclose(numbers(lens), found.shares, atol=1e-6)
    assert lens["texts"] == [vocabulary[place] for place in found.words.flatten().tolist()]
    marks = np.frombuffer(base64.b64decode(lens["marks"]), dtype=np.uint8)
    marks = marks.reshape(lens["n"], lens["m"])
    assert marks.argmax(axis=0).tolist() == found.first.tolist()
    assert marks.sum(axis=0).tolist() == [1] * lens["m"]


def test_one_word_and_back(visit):
    """Enter appends the word and Back takes it away; the link keeps the focus, so that it can be
    pressed again."""
    page = visit("next?text=a+b+c&choose=greedy")
    word = next_word.next_of(next_word.predict(Setup(text="a b c", choose="greedy")))
    sentence = page.locator(".ab-next-sentence")
    expect(sentence).to_have_text(f"a b c {word}")
    page.evaluate("window.pressed = document.querySelector('.ab-next-first')")
    page.get_by_role("link", name="One word").focus()
    page.keyboard.press("Enter")
    expect(sentence.locator("span")).to_have_text(["a", "b", "c", word])
    assert "text=a+b+c+" in address(page)
    assert page.evaluate("window.pressed === document.activeElement")
    page.keyboard.press("Enter")
    expect(sentence.locator("span")).to_have_count(5)
    page.go_back()
    expect(sentence.locator("span")).to_have_count(4)
    page.go_back()
    expect(sentence).to_have_text(f"a b c {word}")
    rows = page.locator(".ab-next-rows button")
    rows.nth(1).click()
    expect(rows.nth(1)).to_have_attribute("aria-pressed", "true")
    assert "column=2" in address(page)


def test_two_sentences_are_held_side_by_side():
    """What each head brings to the same in the held sentence stands beside it, with the head that
    differs most; where the held setup lacks a word, that is said."""
    one, other = "the cat sat on the mat", "the mat sat on the cat"
    at = app(PAGE, open="why", text=one, vs=f"text:{other}", instead="on")
    sent = [matrix for board in boards(at) for matrix in board.get("matrices", ())]
    (held,) = (matrix for matrix in sent if matrix["name"] == "held")
    trace = next_word.predict(Setup(text=one))
    word = next_word.likeliest(trace)[0]
    instead = next_word.place_of(trace, "on") if trace.vocabulary[word] != "on" else None
    here, there = (attribution.take_apart(Setup(text=text), word, instead) for text in (one, other))
    assert np.allclose(numbers(held).T, there.heads.sum(dim=-1), atol=1e-5)
    told = "\n".join(e.value for e in elements(at.main) if e.type == "text")
    assert claims.explain_held(there.total, here.total) in told
    apart = (here.heads - there.heads).sum(dim=-1).abs()
    layer, head = divmod(int(apart.argmax()), Setup().heads)
    then, now = (number(each.heads[layer, head].sum().item()) for each in (there, here))
    assert f"by layer {layer + 1}, head {head + 1}: {then} held, {now} here." in told
    at = app(PAGE, open="why", text=one, vs="text:a b")
    assert not at.exception
    assert any("does not know" in e.value for e in elements(at.main) if e.type == "text")
