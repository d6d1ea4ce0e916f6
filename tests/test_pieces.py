"""A real model's text: its ids are the source, and what stands on the screen is a picture of
them."""

import re
import threading
from dataclasses import asdict
from html import unescape
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest
import tokenizers
import torch
import transformers
from helpers import ROOT, app, boards, derived, elements, numbers, panel, serving
from playwright.sync_api import expect

from core import Setup, run
from core.analysis import attribution, shuffle
from core.board.long_axes import select_pictured
from core.forward import next_word
from core.forward.encoder import encode
from pages.shared.link import read_link
from pages.shared.panel import describe_field
from pages.shared.server import computed
from pages.shared.server.cache import bytes_in
from pages.shared.share import files
from tests.test_pages import said
from tests.test_pretrained import checkpoint, kind, models  # noqa: F401

PAGE = "pages/11_next.py"
TEXTS = (
    *("the cat sat on the mat", "the naïve dog", "the cat\nsat\n", "2 + 2 = 4\n3 + 5 =", "\tthe"),
    *("日", "the  two spaces ", "a\u00a0b", "on <|endoftext|> on", "?!"),
)


def with_added(folder) -> None:
    """The folder's tokenizer with pieces that have the letters of others, as GPT-NeoX has them."""
    file = str(folder / "tokenizer.json")
    own = tokenizers.Tokenizer.from_file(file)
    own.add_tokens([" cat", "  "])
    own.save(file)


@pytest.fixture
def small(models):  # noqa: F811
    """A small random GPT-2, in whose table there are rows for pieces added later."""
    folder = checkpoint(models / "small", "gpt2", vocab_size=286, n_positions=64)
    with_added(folder)
    return folder


def acts(at) -> dict[str, dict[str, str]]:
    """What each link below the board sets."""
    assert not at.exception
    (board,) = (each for each in boards(at) if "acts" in each)
    return {
        act["label"]: {
            name: value for name, (value,) in parse_qs(act["sets"], keep_blank_values=True).items()
        }
        for act in board["acts"]
        if act["href"]
    }


@torch.no_grad()
def test_going_on_is_what_the_library_generates(small):
    """Eight pieces after ten texts, with line breaks, tabs, parts of letters and added pieces among
    them, are the ids that the library's own `generate` gives in float64; so are the logits, and a
    link restores them."""
    model = kind("gpt2").from_pretrained(small, dtype=torch.float64).eval()
    own = transformers.PreTrainedTokenizerFast(tokenizer_file=str(small / "tokenizer.json"))
    for text in TEXTS:
        setup, told = Setup.nearest({"init": "real", "text": text, "choose": "greedy"})
        ids = own(text, return_tensors="pt")["input_ids"]
        assert (told, setup.piece_ids) == ([], tuple(ids[0].tolist())), text
        said = next_word.predict(setup).value("logits")
        assert (said - model(ids).logits[0, -1]).abs().max() < 1e-4, text
        theirs = model.generate(ids, max_new_tokens=8, do_sample=False, eos_token_id=None)
        longer = next_word.go_on(setup, 8)
        assert longer.piece_ids == tuple(theirs[0].tolist()), text
        assert read_link(urlencode(longer.as_link())).setup == longer
        assert Setup(**asdict(longer)) == longer


def test_every_piece_can_be_put_behind_and_taken_back(small):
    """Whatever a piece spells, the text then has its id and no other, its row of the table, and a
    name that no other piece has; one less is the text as it was."""
    setup = Setup(text="the cat", init="real")
    every = setup.real.tokenizer.every
    assert len(set(every)) == 286
    for piece in range(286):
        longer, told = next_word.write_pieces(setup, (*setup.piece_ids, piece))
        assert (longer.piece_ids, told) == ((*setup.piece_ids, piece), []), every[piece]
        assert setup.real.tokenizer.ids(longer.tokens).tolist() == [*longer.piece_ids]
        assert Setup.nearest(longer.as_link()) == (longer, [])
        shorter, _ = next_word.write_pieces(longer, longer.piece_ids[:-1])
        assert shorter == setup


def test_ids_count_as_long_as_the_text_is_their_picture(small):
    """A text that is changed is cut anew, whatever ids a link has beside it; ids that say nothing
    else than the text leave it; another kind of weights has none."""
    setup = Setup(text="the cat", init="real")
    letters = setup.real.tokenizer.ids([*"the cat"]).tolist()
    spelled, _ = next_word.write_pieces(setup, tuple(letters))
    assert (spelled.text, len(spelled.tokens)) == ("the cat", 7)
    for changes in ({"text": "the cats"}, {"init": "uniform"}, {"pieces": "999-1"}):
        other, told = Setup.nearest(spelled.as_link() | changes)
        assert (other.pieces, told) == ("", []), changes
    assert Setup.nearest(setup.as_link() | {"pieces": "-".join(map(str, setup.piece_ids))}) == (
        setup,
        [],
    )
    _, (told,) = Setup.nearest({"pieces": "1,2"})
    assert told == "pieces: '1,2' is not ids of pieces with hyphens between, like 504-3139."


def test_the_links_of_next_word_lead_to_these_ids(small):
    """One piece, twenty more and one back, as the page links to them, are those of the library."""
    link = {"init": "real", "text": "the naïve dog", "choose": "greedy"}
    setup = Setup(**link)
    longer = next_word.append_next(setup, next_word.predict(setup))[0]
    at = app(PAGE, **link)
    assert Setup.nearest(link | acts(at)["One piece"])[0] == longer
    there = acts(app(PAGE, **link | acts(at)["One piece"]))
    assert Setup.nearest(link | there["Take one back"])[0] == setup


def test_another_piece_is_chosen_by_its_id(small):
    """Each piece that is offered is the one that the sum is then of, though others have its
    letters, with or without a space; the piece itself leaves its logit alone, and a word of an
    older link is found by how it is spelled."""
    link = {"init": "real", "text": "the cat sat on", "open": "why"}
    setup = Setup(text=link["text"], init="real")
    trace = next_word.predict(setup)
    place, *others = next_word.likeliest(trace)
    for instead in ("", "id:280", "id:281", f"id:{place}"):
        sets = offers(app(PAGE, **link, instead=instead))
        wished = [each for each in (280, 281) if instead == f"id:{each}" and each not in others[:5]]
        assert [value for value, _ in sets] == [
            f"id:{each}" for each in (*others[:5], *wished, place)
        ]
        (chosen,) = (value for value, is_chosen in sets if is_chosen)
        assert chosen == (instead or f"id:{others[0]}")
        other = attribution.other_word(trace, place, chosen)
        assert other == (None if chosen == f"id:{place}" else int(chosen[3:]))
    spelled = {name: attribution.other_word(trace, place, name) for name in ("cat", "id:999")}
    assert spelled == {"cat": trace.vocabulary.index(" cat"), "id:999": others[0]}
    assert trace.vocabulary[280:283] == (" cat [row 280]", "  ", "[row 282]")


def offers(at) -> list[tuple[str, bool]]:
    """Which piece each of the offers sets, and whether it is the chosen one."""
    (nav,) = (
        each.proto.body
        for each in elements(at.main)
        if each.type == "html" and "its logit alone" in each.proto.body
    )
    found = re.findall(r'data-sets="([^"]+)"( aria-current="true")?', unescape(nav))
    return [(parse_qs(sets)["instead"][0], bool(is_chosen)) for sets, is_chosen in found]


def test_a_line_break_is_read_and_seen(small):
    """It is a piece of its own, in numbers, link and sentence; words drawn at random have none, and
    the page of a model reads it from a link that does not name one."""
    text = "the cat\nsat\t"
    assert Setup(text=text, init="real").piece_ids == tuple(gpt2_ids(small, text))
    at = app(PAGE, init="real", text=text)
    (board,) = (each for each in boards(at) if "acts" in each)
    assert "↵" in "".join(board["tokens"]) and read_link(panel(at)["link"]).setup.text == text
    assert read_link(urlencode({"text": text})).setup.text == "the cat sat "
    pictures, *_ = boards(app("pages/15_model.py", text=text))
    assert "↵" in "".join(pictures["matrices"][0]["rows"])
    field = describe_field("text")
    assert field["most"] == 1600 and "Shift + Enter begins a line" in field["title"]
    layers = encode(Setup(text=text, init="real"))
    assert layers[0].value("x").shape[0] == len(gpt2_ids(small, text))


def gpt2_ids(folder, text: str) -> list[int]:
    return tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text).ids


def test_a_long_text_is_cut_and_what_is_cut_is_said(models):  # noqa: F811
    """Of more than 128 pieces the first ones are read, and a message says so. A small picture
    shows 64 of them, with the followed pair, and says which; its numbers, of which those above the
    diagonal are not sent, are the weights, and so are those of the head that stands large."""
    checkpoint(models / "small", "gpt2", n_positions=150)
    text, at = "the cat sat on the mat. " * 30, (90, 70)
    setup, (told,) = Setup.nearest({"init": "real", "text": text})
    assert len(setup.tokens) == 128 and text.startswith(setup.text)
    assert "only the beginning is used; up to 128 tokens of small" in told
    shown = select_pictured(128, at)
    assert (shown[0], shown[-1]) == (64, 127)
    places = {"query": at[0] + 1, "key": at[1] + 1, "layer": 2, "head": 3}
    layers = encode(setup)
    for page in ("pages/15_model.py", "pages/10_encoder.py"):
        given = app(page, **setup.as_link(), **places)
        pictures, large, *_ = boards(given)
        assert pictures["chosen"] == [at[0] - 64, at[1] - 64]
        assert "64 of 128 tokens, from place 65 to 128" in said(given)
        for k, picture in enumerate(pictures["matrices"]):
            weights = layers[k // 7].value("weights")[k % 7][64:, 64:]
            assert np.abs(numbers(picture) - weights.numpy()).max() < 1 / 65535
            assert picture["triangle"]
            assert picture["cut"]["columns"] == shown
        expected = layers[1].value("weights")[2].numpy()
        (matrix,) = (each for each in large["matrices"] if numbers(each).shape == expected.shape)
        assert np.array_equal(numbers(matrix), expected)


def test_shuffled_words_are_computed_once_and_behind_the_page(models, monkeypatch):  # noqa: F811
    """A model's many layers on the words in another order: the page does not wait for them, and
    another layer is looked at with the same ones."""
    checkpoint(models / "small", "gpt2")
    compute, threads = shuffle.shuffle, []

    def note(*inputs):
        threads.append(threading.current_thread().name)
        return compute(*inputs)

    monkeypatch.setattr(shuffle, "shuffle", note)
    for layer in (1, 2):
        assert "The largest move" in said(
            app("pages/10_encoder.py", init="real", layer=layer, text="the cat on the dog sat")
        )
    assert [name.partition("_")[0] for name in threads] == ["background"]


def test_of_a_stack_only_what_is_asked_for_is_kept(models):  # noqa: F811
    """What the pages take from all layers at once is a trace's own numbers, in a third of its
    bytes; one layer is there in full."""
    checkpoint(models / "small", "gpt2")
    setup = Setup(text="on the dog sat the cat", init="real")
    _, layers = computed.compute_stack(setup)
    for n, (short, whole) in enumerate(zip(layers, encode(setup), strict=True), start=1):
        assert {*short} == {*whole} & computed.OF_A_STACK
        assert all(
            torch.allclose(short.value(name), whole.value(name), atol=1e-6) for name in short
        )
        assert {*computed.layer(setup, n)} == {*whole}
        assert 3 * bytes_in(short, is_read=True) < bytes_in(whole, is_read=True)


def test_the_classifier_leads_to_the_next_word(small):
    """A model that says what comes next has no classes: its page says so, and leads there."""
    at = app("pages/12_classifier.py", init="real", text="the cat")
    assert not at.exception and "small has no classes" in boards(at)[0]["nothing"]
    assert any("./next?" in e.proto.body for e in elements(at.main) if e.type == "html")


def test_each_file_of_share_is_made_for_a_model(small):
    """Notebook, script and tensors are there for a model, which has no classifier; the script that
    is taken home comes to the pages' numbers, of the ids that stand there."""
    setup = Setup(text="the cat\nsat", init="real", layer=2)
    setup, _ = next_word.write_pieces(setup, (*setup.piece_ids, 200, 281))
    for file in files.FILES:
        assert file.of(setup).make(setup, "https://example.org/"), file.label
    assert torch.allclose(derived(setup)["output"], run(setup).value("output"), atol=1e-4)


@pytest.mark.browser
def test_a_file_that_fails_says_why(small, page):
    """Where the model's file goes away while Share is open, its press says that, not only that
    something failed."""
    with serving(ROOT / "streamlit_app.py") as own:
        page.goto(f"{own.url}/next?init=real&text=the+cat&share=on")
        button = page.get_by_role("button", name="Tensors · NumPy", exact=True)
        button.wait_for()
        (small / "model.safetensors").write_bytes(b"cut short")
        button.click()
        expect(page.get_by_text("Tensors · NumPy could not be made:")).to_be_visible()
