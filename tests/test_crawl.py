"""What holds on every page: each is opened once in each of these setups, and all of it is looked
at."""

import re

import pytest
from helpers import ROOT, app, boards, elements

from pages.shared.link import PRESETS
from tests.test_glossary import NAMES, symbols
from tests.test_pages import FILES, LARGEST, finite, said

NASTY = "a`b $x^2$ <b>c</b> |d| ~~e~~"
MARKUP = {"text": NASTY, "others": f"{NASTY}\n{NASTY}", "sentence": 2}
HEBREW = {"text": "כלב רץ אל הבית", "others": "חתול ישן\nsome words", "query": 2, "key": 3}
SETUPS = {
    "default": {},
    "no weights": PRESETS["No weights · N0"],
    "trained": PRESETS["Trained"],
    "llama": PRESETS["As in Llama"],
    "all else": {
        "bias": "on",
        "positions": "learned",
        "mask": "causal",
        "norm": "pre",
        "activation": "gelu",
        "split": "characters",
    },
    "largest": LARGEST,
    "from right to left": HEBREW,
    "its letters": HEBREW | {"split": "characters", "mask": "causal"},
    **{
        f"markup {query}, {key}": MARKUP | {"query": query, "key": key}
        for query, key in ((2, 3), (3, 2))
    },
}


def matrices(at) -> list[dict]:
    """All matrices on the page's boards."""
    return [matrix for board in boards(at) for matrix in board.get("matrices", [])]


def is_whole(at) -> None:
    """A page has its title, a main view that is described, only finite numbers, no error, and
    nothing to say of the link."""
    assert not at.exception
    assert len(at.title) == 1
    assert boards(at)
    assert all(board["alt"] for board in boards(at))
    assert finite(at)
    assert "Not everything in the link" not in said(at)


def says_where_its_numbers_are_made(page: str, at) -> None:
    """Of each matrix the page says in which line of which file the function stands that made it."""
    for matrix in matrices(at):
        if "made" not in matrix:  # a reader's own numbers, which nothing here made
            assert page == "pages/16_bring.py"
            continue
        if matrix["made"].startswith("what the block is given"):
            assert (page, matrix["name"]) == ("pages/9_block.py", "x")
            continue
        function, file, line = re.search(
            r"made by \w+\.(\w+)\([^:]*\): (\S+), line (\d+)$", matrix["made"]
        ).groups()
        around = (
            (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1 : int(line) + 2]
        )
        assert any(line.lstrip().startswith(f"def {function}(") for line in around), matrix["name"]


def has_its_symbols_in_the_glossary(at) -> None:
    """A letter that a formula writes is explained in the glossary: by itself, or with the subscript
    that makes it another."""
    for formula in at.latex:
        for base, index in symbols(formula.value):
            assert base in NAMES or f"{base}_{index}" in NAMES, (base, index, formula.value)


def has_violet_for_attention_alone(at) -> None:
    """Of all matrices those in violet are attention weights: by their name, symbol or title."""
    stations = [
        station.get("matrix") or {} for board in boards(at) for station in board.get("stations", ())
    ]
    for each in (*matrices(at), *stations):
        if each.get("scale") == "sequential" or each.get("role") == "weights":
            assert (
                each["name"] == "weights"
                or each.get("symbol") == "α"
                or each["title"].startswith(("α", "softmax(ω"))
            ), each


def has_a_users_text_as_text(at) -> None:
    """Words with markup in them reach only what shows plain text."""
    for e in elements(at.main):
        if e.type in ("markdown", "latex", "caption", "title", "header"):
            assert "x^2" not in e.value
            assert "<b" not in e.value


def sets_words_from_right_to_left_apart(at, there_are_some: bool) -> None:
    """In plain text, in a cell's name or quoted, a Hebrew word stands between the characters that
    isolate it; no other does."""
    texts = [e.value for e in elements(at.main) if e.type == "text"] + [
        m["title"] for m in matrices(at) if "title" in m
    ]
    for text in texts:
        assert not re.search("[א-ת]", re.sub("\u2068[^\u2069]*\u2069", "", text)), text
    assert there_are_some or "\u2068" not in said(at)


@pytest.mark.parametrize("page", FILES)
@pytest.mark.parametrize("setup", SETUPS)
def test_what_holds_on_every_page(page, setup):
    """Each line below says what: of every page in every setup, of a usual setup also that no board
    shows a part of its matrices."""
    at = app(page, **SETUPS[setup])
    is_whole(at)
    says_where_its_numbers_are_made(page, at)
    has_its_symbols_in_the_glossary(at)
    has_violet_for_attention_alone(at)
    has_a_users_text_as_text(at)
    sets_words_from_right_to_left_apart(at, there_are_some="כלב" in SETUPS[setup].get("text", ""))
    assert setup == "largest" or not any(matrix.get("long") for matrix in matrices(at))


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_opens(preset):
    """Each preset has the overview, a step, the block and the classifier, whole."""
    for page in (FILES[0], FILES[5], FILES[9], FILES[12]):
        is_whole(app(page, **PRESETS[preset]))


def test_the_looks_find_what_they_look_for():
    """There is something to find: α is drawn in violet, and the chosen pair's words are set apart
    in its name."""
    at = app("pages/5_weights.py")
    assert any(
        each["title"] == "α = exp / row sum" and each["scale"] == "sequential"
        for each in matrices(at)
    )
    at = app("pages/4_scores.py", **HEBREW)
    assert "ω[\u2068רץ\u2069, \u2068אל\u2069]" in said(at)
    assert "“\u2068רץ\u2069” asks, “\u2068אל\u2069” is asked." in said(at)
