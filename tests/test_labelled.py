"""Labelled sentences: how they are read, what is said of bad ones, what a classifier learns from
them, and its page."""

import dataclasses
import re
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from helpers import app, boards, controls, elements, numbers, panel
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect

from core import (
    classification,
    classifier,
    encoder,
    files,
    labelled,
    reference,
    training_store,
    weights,
)
from core.labelled import read, read_file
from core.sentences import MOST_TOKENS
from core.setup import CHOICES, Setup
from core.text import SPLITTERS
from pages.shared.link import parse_link
from pages.shared.said.claims import classifier as claims
from pages.shared.said.words import number
from pages.shared.server import computed

LEARNS = Setup(init="trained")
PAGE = "pages/12_classifier.py"
# Primes all over: three labels, sizes that differ, few steps.
WORDS = ("cat", "dog is", "fox it is now", "cow")
OWN = "\n".join(f"{label}: the {word} {label}" for label in ("red", "old", "new") for word in WORDS)
PRIMES = replace(
    LEARNS,
    d_model=7,
    d_k=3,
    d_v=5,
    heads=2,
    layers=3,
    d_ff=11,
    bias="on",
    positions="learned",
    steps=13,
    labelled=OWN,
)


def said(at) -> str:
    return "\n".join(
        e.value for e in elements(at.main) if e.type in ("markdown", "text", "caption", "header")
    )


# ---------- reading ----------


def test_lines_and_tables_say_the_same():
    """A table with its columns in either order, with commas or semicolons, holds what the lines
    hold."""
    lines = read("good: the soup, was hot\nbad: it: was cold", "words")
    assert (lines.labels, lines.sentences, lines.answers) == (
        ("bad", "good"),
        ("the soup, was hot", "it: was cold"),
        (1, 0),
    )
    for table in (
        'label,text\ngood,"the soup, was hot"\nbad,it: was cold',
        'Text,id,LABEL\n"the soup, was hot",1,good\n\nit: was cold,2,bad',
        "text;label\r\nthe soup, was hot;good\r\nit: was cold;bad\r\n",
    ):
        assert read(table, "words") == lines
        assert read_file(b"\xef\xbb\xbf" + table.encode(), "words")[0] == lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("good: a\ngood: b", "All sentences have the same label, good"),
        ("no colon here\nnor here", "no colon between label and sentence: line 1 and 1 more"),
        ("a: \n: b\n?!", "There is no labelled sentence"),
        (
            "\n".join(f"label{k}: word" for k in range(1000)),
            "There are 1,000 labels; a classifier can tell up to 10",
        ),
        ("label,text\ngood", "fewer columns than in the header: row 1"),
        ("label,text\ngood," + "x" * 200_000, "no CSV, or a row is too long"),
    ],
)
def test_what_cannot_be_learned_from_is_told(text, message):
    """In words, and the built-in sentences stand in its place."""
    reading = read(text, "words")
    assert any(message in told for told in reading.messages), reading.messages
    assert reading.messages[-1] == "The built-in sentences are used instead."
    assert reading.built_in
    assert reading.sentences == labelled.built_in("words").sentences


def test_what_is_left_out_is_told():
    """The rest is used: a line without a colon or a word, a repetition, a long sentence, too many
    rows, too many words."""
    reading = read("good: a\nnothing\nbad: ?!\ngood: a\nbad: " + "w " * 40, "words")
    assert reading.sentences == ("a", ("w " * MOST_TOKENS).strip())
    assert [told.split(":")[1] for told in reading.messages] == [
        " line 2.",
        " sentence 2.",
        " sentence 3.",
        " sentence 4.",
    ]
    many = read("\n".join(f"{'ab'[k % 2]}: w{k % 7} v{k}" for k in range(3000)), "words")
    assert len(many.sentences) == labelled.MOST_ROWS
    assert "Only the first 2,000 sentences" in many.messages[0]
    rich = read(
        "\n".join(
            f"{'ab'[k % 2]}: " + " ".join(f"w{k}_{j}" for j in range(31)) for k in range(500)
        ),
        "words",
    )
    assert (
        len({word for sentence in rich.sentences for word in sentence.split()})
        <= labelled.MOST_WORDS
    )
    assert "different words fit" in rich.messages[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x89PNG\r\n\x1a\n\xff\xfe", "no text in UTF-8"),
        (b"a: b\0c", "stand for no letter"),
        (b" \n", "empty"),
        (b"good: x\n" * 200_000, "can be read"),
        ("größe: tür".encode("latin-1"), "UTF-8"),
    ],
)
def test_a_file_that_is_none_is_told(content, message):
    """Bytes of any kind: a sentence, no error, and nothing is kept."""
    reading, name = read_file(content, "words")
    assert message in reading.messages[0]
    assert (reading.built_in, name) == (True, "")


HOSTILE = st.text(max_size=60) | st.lists(
    st.tuples(
        st.text(max_size=8),
        st.sampled_from([":", ",", ";", '"', ": ", "\t", "label,text\n", "\r", "\n"]),
        st.text(max_size=20),
    )
).map(lambda parts: "\n".join("".join(part) for part in parts))


@given(HOSTILE, st.sampled_from(CHOICES["split"]))
def test_any_text_is_read(text, split):
    """Whatever is typed or uploaded, what comes out can be learned from: two to ten labels, and
    each sentence is one of a setup."""
    for reading in (read(text, split), read_file(text.encode(errors="surrogatepass"), split)[0]):
        assert 2 <= len(reading.labels) <= 10
        assert {*reading.answers} == {*range(len(reading.labels))}
        for sentence in reading.sentences[:9]:
            assert 1 <= len(SPLITTERS[split](Setup(text=sentence, split=split).text)) <= MOST_TOKENS


@given(st.binary(max_size=80))
def test_any_bytes_are_read(content):
    """No file raises."""
    assert len(read_file(content, "words")[0].labels) >= 2


@given(HOSTILE | st.text(min_size=1400, max_size=1700))
def test_what_was_typed_stays(text):
    """The field takes a text as it stands, faults and all, up to what fits into a link."""
    setup, told = Setup.nearest({"labelled": text})
    assert Setup.nearest(setup.as_link()) == (setup, [])
    if not told and text.isascii() and text.isprintable():
        assert setup.labelled == (text if text.strip() else "")
    assert len(setup.labelled) <= labelled.MOST_LETTERS


def test_files_are_bounded_and_named_by_what_they_hold(monkeypatch):
    """The same text has the same name, on any server; what nobody asked for longest goes first."""
    monkeypatch.setattr(files, "_texts", type(files._texts)())
    monkeypatch.setattr(files, "MOST_BYTES", 25)
    first, second = files.keep("a: 1234567"), files.keep("b: 1234567")
    assert first == "file fa25dbffb13c8bf6"
    assert files.keep("b: 1234567") == second
    files.find(first)
    third = files.keep("c: 1234567")
    assert [files.find(name) is not None for name in (first, second, third)] == [True, False, True]
    assert labelled.in_force(second, "words") == ""


# ---------- learning ----------


@given(st.lists(st.integers(0, 4), min_size=2, max_size=60), st.integers(0, 99))
def test_each_label_is_learned_from(answers, seed):
    """A fifth is held out, none is on both sides, and no label is held out as a whole."""
    kinds = sorted({*answers})
    places = torch.tensor([kinds.index(answer) for answer in answers])
    learned, held_out = classification.learned_and_held_out(places, seed)
    assert sorted([*learned.tolist(), *held_out.tolist()]) == list(range(len(answers)))
    assert {*places[learned].tolist()} == {*range(len(kinds))}
    assert len(held_out) == min(max(1, len(answers) // 5), len(answers) - len(kinds))
    assert torch.equal(learned, classification.learned_and_held_out(places, seed)[0])


@pytest.mark.parametrize(
    "changed", [{}, {"layers": 1, "positions": "sinusoidal", "norm": "pre", "seed": 321}]
)
def test_it_learns_the_built_in_sentences(changed):
    """At the default sizes at least 95 % of those held out; a bag of words could not, since *not*
    turns every adjective."""
    result = training_store.get(replace(LEARNS, **changed), "labelled")
    assert result.accuracy["label"] >= 0.95
    assert result.losses[-1] < 0.1 < result.losses[0]


def test_a_bag_of_words_cannot_learn_them():
    """The built-in sentences need attention: the best sum of a number for each word gets a quarter
    of their labels wrong."""
    own = classification.examples(LEARNS)
    counts = torch.stack(
        [
            ids[is_word].bincount(minlength=len(own.words))
            for ids, is_word in zip(own.ids, own.is_word, strict=True)
        ]
    )
    best = torch.linalg.lstsq(
        counts.double(), F.one_hot(own.answers).double(), driver="gelsd"
    ).solution
    assert ((counts.double() @ best).argmax(dim=1) == own.answers).double().mean().item() < 0.75


def test_every_weight_comes_from_training():
    """Table, positions, layers and W_c of the classifier are those that were trained; words it
    never saw keep a drawn row."""
    setup = replace(PRIMES, text="the cat zebra", others="fox it is now old")
    result, answer = training_store.get(setup, "labelled").weights, classifier.classify(setup)
    assert weights.class_names(setup) == ("new", "old", "red")
    assert torch.equal(answer.trace.value("w_c"), result["w_c"])
    assert answer.trace.value("w_c").shape == (7, 3)
    assert torch.equal(answer.weights[2]["w_1"], result["layer3.w_1"])
    assert torch.equal(answer.batch.trace.value("positions")[1], result["positions"][:5])
    known = weights.below_classifier(setup).words
    cat = answer.batch.trace.value("embedded")[0, 1]
    assert torch.equal(cat, result["embedding_table"][known.index("cat")])
    assert "zebra" not in known


@pytest.mark.parametrize(
    "changed",
    [{}, {"mask": "causal", "norm": "pre"}, {"projections": "none", "positions": "sinusoidal"}],
)
def test_the_trained_classifier_by_pytorch(changed):
    """Sentences of the set by themselves: PyTorch gives the same log-probabilities, and so does
    asking about all at once."""
    setup = replace(PRIMES, **changed)
    judged = classification.judge(setup, training_store.get(setup, "labelled").weights)
    parts = [
        (part, row, place)
        for part in judged.shares
        for row, place in enumerate(judged.places(part).tolist())
    ]
    for part, row, place in parts:
        answer = classifier.classify(
            replace(setup, text=judged.reading.sentences[place], others="cow")
        )
        of_words = answer.batch.trace.value("x")[0][answer.batch.is_word[0]]
        found = reference.check_classes(answer.sentence(0), answer.weights, of_words)
        assert found.largest < 1e-4
        shares = answer.trace.value("log_probabilities")[0].exp()
        assert torch.allclose(shares, judged.shares[part][row], atol=1e-5)


def test_counts_by_hand():
    """Right, confusion and the list, from shares that were written down."""
    reading = labelled.Reading(("a", "b"), ("w", "x", "y", "z not v"), (0, 1, 1, 0), (), False)
    shares = {
        "held out": torch.tensor([[0.9, 0.1], [0.7, 0.3], [0.8, 0.2]]),
        "learned": torch.tensor([[0.2, 0.8]]),
    }
    judged = classification.Judged(reading, torch.tensor([2]), torch.tensor([0, 1, 3]), shares)
    assert judged.right("held out").tolist() == [True, False, True]
    assert judged.confusion("held out").tolist() == [[2, 0], [1, 0]]
    assert judged.listed("held out", 20, 3) == [1, 2, 0]  # the wrong one, then the one with a not
    assert judged.listed("held out", 20, 1) == [1]


def test_what_not_gets_is_the_mean_of_the_maps():
    """By each sentence's own map, one after the other, without padding."""
    looks, count = computed.looks_at_not(LEARNS)
    judged, sums = computed.judged(LEARNS), torch.zeros(2, 3)
    texts = [judged.reading.sentences[place] for place in judged.held_out.tolist()]
    texts = [text for text in texts if " not " in text]
    for text in texts:
        for n, layer in enumerate(
            computed.classifier_layers(replace(LEARNS, text=text, others=""))
        ):
            at = text.split().index("not")
            sums[n] += layer.value("weights")[:, at + 1, at]
    assert count == len(texts) > 0
    assert torch.allclose(looks, sums / count, atol=1e-5)


@pytest.mark.parametrize(
    "changed",
    [
        {"text": "a b", "others": "c"},
        {"classes": 7, "padding": "left", "out": "d_model"},
        {"labelled": "x"},
    ],
)
def test_what_decides_nothing_trains_nothing_anew(changed):
    """What is asked about, and sentences that cannot be learned from, leave the training the same
    one."""
    assert training_store.key(LEARNS, "labelled") == training_store.key(
        replace(LEARNS, **changed), "labelled"
    )
    assert training_store.key(LEARNS, "labelled") != training_store.key(
        replace(LEARNS, labelled=OWN), "labelled"
    )
    assert training_store.key(LEARNS, "attention") == training_store.key(
        replace(LEARNS, labelled=OWN), "attention"
    )


# ---------- the page ----------


def test_the_page_offers_training():
    """With drawn weights the page says that nothing is trained, and a link trains it; the reader's
    own setup stays."""
    at = app(PAGE, d_k=5, others="a b")
    assert "It is not trained" in said(at)
    link = next(
        e.proto.body for e in elements(at.main) if e.type == "html" and "Train it" in e.proto.body
    )
    assert "init=trained" in link
    assert "d_k=5" in link
    assert not any(area.key == "labelled" for area in at.text_area)


def test_the_page_shows_what_was_learned():
    """Accuracy, the sentences and the chosen one's attention are those of core, under the labels'
    names."""
    at = app(PAGE, **PRIMES.as_link(), example=2, layer=3, head=2)
    assert not at.exception
    judged, drawn = computed.judged(PRIMES), matrices(at)
    assert drawn["log_probabilities"]["columns"] == ["new", "old", "red"]
    row = judged.listed("held out", 20, 8)[1]
    sentence = judged.reading.sentences[judged.held_out[row]]
    expected = encoder_weights(replace(PRIMES, text=sentence, others=""), 3, 2)
    assert torch.equal(torch.tensor(numbers(drawn["weights"])), expected)
    assert "**It is trained.**" in said(at)
    assert "not trained" not in said(at)
    assert f"Of the {len(judged.held_out)} sentences held out" in said(at)
    assert panel(at)["says"]["off"]["classes"] == "as many classes as labels"


def test_answers_by_label_are_shown_where_some_are_wrong():
    """The confusion matrix has core's counts under the labels' names; where all is right the
    sentence has said it."""
    few = replace(PRIMES, steps=1)
    wrong, right = (matrices(app(PAGE, **setup.as_link())) for setup in (few, PRIMES))
    assert (
        numbers(wrong["confusion"]).tolist() == computed.judged(few).confusion("held out").tolist()
    )
    assert wrong["confusion"]["columns"] == ["new", "old", "red"]
    assert computed.judged(PRIMES).right("held out").all()
    assert "confusion" not in right


def matrices(at) -> dict[str, dict]:
    return {matrix["name"]: matrix for board in boards(at) for matrix in board.get("matrices", [])}


def encoder_weights(setup: Setup, layer: int, head: int) -> torch.Tensor:
    answer = classifier.classify(setup)
    layers = encoder.stack(
        setup, answer.weights, answer.batch.trace.value("x")[0], answer.batch.may_attend[0]
    )
    return layers[layer - 1].value("weights")[head - 1]


BAD = {
    "one label": ("good: a\ngood: b", "All sentences have the same label"),
    "nonsense": ("asdf <b>x</b>", "no colon between label and sentence"),
    "colons only": (":::", "There is no labelled sentence"),
    "eleven labels": ("\n".join(f"l{k}: w" for k in range(11)), "There are 11 labels"),
    "no file": ("file 0123456789abcdef", "The link cannot hold a file"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_bad_sentences_on_the_page(text, message):
    """What is wrong is told, the built-in sentences are learned from instead, and what was typed
    stays in the box."""
    at = app(PAGE, init="trained", labelled=text, steps=2, layers=1)
    assert not at.exception
    assert message in said(at)
    assert "The built-in sentences are used instead." in said(at)
    assert "labelled" in controls(at)
    assert parse_link(panel(at)["link"])["labelled"] == text
    assert "Of the 32 sentences held out" in said(at)


def test_two_sentences_are_enough():
    """With one sentence of each label nothing is held out, and the page says so."""
    at = app(PAGE, init="trained", labelled="a: x y\nb: z", steps=3, layers=1)
    assert not at.exception
    assert "No sentence is held out" in said(at)
    assert "Sentences learned:" in said(at)


def test_an_uploaded_file_is_read_and_offered():
    """Its link names the file, and with it the page learns from the file; a file that is none is
    told."""
    at = app(PAGE, init="trained", steps=2, layers=1, open="own_sentences")
    uploader = at.get("file_uploader")[0]
    rows = "label,text\n" + "\n".join(f"{'hot' if k % 2 else 'cold'},tea {k}" for k in range(30))
    uploader.set_value(("own.csv", rows.encode(), "text/csv")).run()
    assert not at.exception
    assert "The file has 30 sentences and 2 labels." in said(at)
    name = files.keep(rows)
    link = next(
        e.proto.body for e in elements(at.main) if e.type == "html" and "Learn from" in e.proto.body
    )
    assert name.replace(" ", "+") in link
    at = app(PAGE, init="trained", steps=2, layers=1, labelled=name)
    assert "Of the 6 sentences held out" in said(at)
    at.get("file_uploader")[0].set_value(("x.csv", b"\x89PNG\xff", "text/csv")).run()
    assert not at.exception
    assert "no text in UTF-8" in said(at)


@pytest.mark.browser
def test_a_file_is_chosen_and_learned_from(window_of):
    """A file chosen in the browser is read, and one click on what is then offered trains the
    classifier on it, by a link that names it."""
    page = window_of(
        "classifier?init=trained&steps=2&layers=1&heads=1&d_model=4&d_k=2&d_v=2&d_ff=8"
    )
    rows = "label,text\n" + "\n".join(f"{'hot' if k % 2 else 'cold'},tea {k}" for k in range(30))
    chosen = {"name": "own.csv", "mimeType": "text/csv", "buffer": rows.encode()}
    page.get_by_text("Your own labelled sentences, typed or as a file").click()
    page.locator(".st-key-labelled_file input[type=file]").set_input_files(chosen)
    expect(page.get_by_text("The file has 30 sentences and 2 labels.")).to_be_visible()
    page.get_by_role("link", name="Learn from this file").click()
    expect(page.get_by_text("Of the 6 sentences held out").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]labelled=file"))


def test_the_link_brings_the_same_training():
    """Typed sentences are in the link; from it alone come the same sentences and the same
    digits."""
    setup, told = Setup.nearest(PRIMES.as_link())
    assert (setup, told) == (PRIMES, [])
    before = training_store.get(PRIMES, "labelled")
    training_store._results.clear()
    after = training_store.get(setup, "labelled")
    assert before is not after
    assert before.losses == after.losses
    assert all(torch.equal(weight, after.weights[name]) for name, weight in before.weights.items())
    assert dataclasses.asdict(setup)["labelled"] == OWN


def test_what_is_said_of_the_training():
    """Steps, losses, a budget that ended early, edits that do not count, and shares that are all or
    none are told as they are."""
    result = training_store.get(PRIMES, "labelled")
    told = claims.labels_learned(PRIMES, result)
    assert (
        told == f"After 13 steps, the loss went from {number(result.losses[0])} to"
        f" {number(result.losses[-1])}."
    )
    assert "600 were asked for" in claims.labels_learned(PRIMES, replace(result, wanted=600))
    edited = replace(PRIMES, edits="w_c.2.3=5")
    assert "only W_c and b_c count" in claims.labels_learned(edited, result)
    assert classifier.classify(edited).trace.value("w_c")[1, 2] == 5
    assert torch.equal(
        computed.judged(edited).shares["held out"], computed.judged(PRIMES).shares["held out"]
    )
    reading = labelled.Reading(("a", "b"), ("w", "x", "y"), (0, 0, 1), (), False)
    shares = {
        "held out": torch.tensor([[0.9, 0.1], [0.6, 0.4]]),
        "learned": torch.tensor([[0.7, 0.3]]),
    }
    judged = classification.Judged(reading, torch.tensor([2]), torch.tensor([0, 1]), shares)
    assert (
        claims.accuracy(judged)
        == "Of the 2 sentences held out, from which it never learned, it gets all right. Of the 1"
        " sentence that it learned from it gets none right. Always answering with the most"
        " frequent label among the sentences held out would get 2 right."
    )


def test_what_is_said_of_not():
    """The largest of all layers and heads, and nothing where no sentence has a *not*; the even
    share only without a mask."""
    looks = torch.tensor([[0.1, 0.7], [0.2, 0.3]])
    told = claims.not_gets(looks, 5, LEARNS)
    assert "In the 5 sentences" in told
    assert "70% of its attention on average in layer 1, head 2" in told
    assert "Spread evenly" in told
    assert "Spread evenly" not in claims.not_gets(looks, 1, replace(LEARNS, mask="causal"))
    assert claims.not_gets(torch.empty(0), 0, LEARNS) == ""
    assert {
        len(sentence.split())
        for sentence in labelled.built_in("words").sentences
        if " not " in sentence
    } == {5, 6}
    assert classification.looks_at_not(replace(LEARNS, split="characters", steps=1), {})[1] == 0
