"""The map of a real model's heads by words, and without special pieces."""

import numpy as np
import pytest
from helpers import app, boards, numbers

from core import Setup
from core.forward.encoder import encode
from pages.shared.page_components.model import head_list
from tests.test_pages import said
from tests.test_pretrained import checkpoint, models  # noqa: F401

PAGE = "pages/15_model.py"
TEXT = "the unbelievable cats sat."
PIECES = ["[CLS]", "the", "un", "##believ", "##able", "cat", "##s", "sat", ".", "[SEP]"]
WORDS = [[0], [1], [2, 3, 4], [5, 6], [7], [8], [9]]


@pytest.fixture
def bert(models, monkeypatch):  # noqa: F811
    """A small random BERT; what its heads do is not asked here."""
    checkpoint(models / "small", "bert")
    monkeypatch.setattr(head_list, "found", lambda *_: None)
    return Setup(text=TEXT, init="real")


def by_hand(weights: np.ndarray, rows: list[list[int]]) -> np.ndarray:
    """Weights onto a word's pieces are added up, those of its pieces averaged."""
    return np.array(
        [
            [np.mean([sum(weights[i, j] for j in keys) for i in queries]) for keys in rows]
            for queries in rows
        ]
    )


@pytest.mark.parametrize(
    ("link", "rows", "names"),
    [
        ({}, [[k] for k in range(10)], PIECES),
        ({"units": "words"}, WORDS, ["[CLS]", "the", "unbelievable", "cats", "sat", ".", "[SEP]"]),
        ({"special": "hidden"}, [[k] for k in range(1, 9)], PIECES[1:-1]),
        (
            {"special": "hidden", "units": "words"},
            WORDS[1:-1],
            ["the", "unbelievable", "cats", "sat", "."],
        ),
    ],
)
def test_the_map_has_these_rows(bert, link, rows, names):
    """Each picture has the head's weights, added up word by word where that is asked for, without
    a new scale where pieces are left out; the head that stands large has pieces, without those,
    and a click on it means the same piece."""
    layers = encode(bert)
    at = app(PAGE, text=TEXT, init="real", layer=2, head=3, query=4, key=6, **link)
    assert not at.exception
    pictures, large, *_ = boards(at)
    assert pictures["matrices"][0]["rows"] == names
    for k, picture in enumerate(pictures["matrices"]):
        weights = layers[k // 7].value("weights")[k % 7].numpy()
        assert np.abs(numbers(picture) - by_hand(weights, rows)).max() < 2e-5
    chosen = [next(k for k, row in enumerate(rows) if place in row) for place in (3, 5)]
    assert pictures["chosen"] == chosen
    (shown,), left = large["matrices"], [0, 9] if "special" in link else []
    kept = [place for place in range(10) if place not in left]
    weights = layers[1].value("weights")[2].numpy()
    assert np.allclose(numbers(shown), weights[kept][:, kept], atol=1e-6)
    assert [kept[place] for place in large["chosen"]] == [3, 5]
    assert shown.get("cut", {}).get("rows", list(range(10))) == kept
    held = weights[:, left].sum(axis=1)
    told = f"{held[3]:.0%} of what “##believ” gives goes there, and {held.mean():.0%} of a row on"
    assert (told in said(at)) == bool(left)


def test_words_are_those_that_a_reader_sees(models):  # noqa: F811
    """Of pieces that spell bytes a word begins after white space; punctuation and special pieces
    are by themselves, and each piece is in one word. A switch is there where it has a use."""
    checkpoint(models / "gpt2", "gpt2")
    for text, words in (
        ("the naïve cat", ["the", " naïve", " cat"]),
        ("sat\nthe mat.", ["sat", "\n", "the", " mat", "."]),
        ("on<|endoftext|>on", ["on", "<|endoftext|>", "on"]),
    ):
        setup = Setup(text=text, init="real")
        own, ids = setup.real.tokenizer, setup.token_ids
        grouped = own.group_words(ids)
        assert [place for word in grouped for place in word] == [*range(len(ids))]
        assert [own.decode([ids[place] for place in word]) for word in grouped] == words
    special = [setup.tokens[place] for place in own.find_special(ids)]
    assert special == ["<|endoftext|>"]


def test_the_arcs_leave_special_pieces_out_too(bert):
    """The lines of the overview are those among the other pieces, and each sentence says what the
    left out ones hold."""
    weights = encode(bert)[0].value("weights")[0].numpy()
    link = {"text": TEXT, "init": "real", "lecture": "on", "beat": 3, "query": 4}
    for special in ("shown", "hidden"):
        at = app("pages/0_overview.py", **link, special=special)
        (flow,) = (board for board in boards(at) if "says" in board)
        places = range(1, 9) if special == "hidden" else range(10)
        drawn = numbers(flow["matrices"][0])
        assert np.allclose(drawn, weights[places][:, places], atol=1e-6)
        assert flow["chosen"][0] == [*places].index(3) and len(flow["says"]) == len(places)
        assert ("Left out are special pieces" in flow["says"][0]) == (special == "hidden")
