"""What a board is given: a matrix says what is unusual about it, an entry brings its labels, a
product knows its axes."""

import re
from dataclasses import fields

import numpy as np
import pytest
import torch
from helpers import app, boards, numbers

from core import Setup, run
from core.board import next_word, views
from core.board.packed import pack
from core.board.scripts import WEB
from core.board.view import View
from core.forward import batch
from core.forward.classifier import classify
from core.ops import attention
from core.text.text import labels
from pages.shared import board
from pages.shared.board import entries

LONGER = {"text": "a b", "others": "c d e f g", "sentence": "1", "dropout": "0.25"}


def test_a_matrix_says_what_is_unusual_about_it():
    """What is as usual is not sent, so that a page costs few bytes; what is set arrives as the
    scripts call it."""
    given = ("m", torch.ones(2, 3), "ab", "123", ("query", "d_k"))
    usual = board.Matrix(*given).packed()
    assert usual == {
        **{"name": "m", "title": "m", "shape": "2 × 3 (query, d_k)", "role": "x"},
        **{"values": pack(torch.ones(2, 3)), "n": 2, "m": 3},
        **{"rows": ["a", "b"], "columns": ["1", "2", "3"]},
    }
    same = {"scale": "plain", "top": 5, "clickable": True, "frame": (0, 1, 0, 3), "blocks": [2]}
    unusual = board.Matrix(*given, "v", "M", sums=True, hide_columns=True, **same).packed()
    own = {"role": "v", "title": "M", "sums": pack(torch.tensor([3.0, 3.0])), "hideColumns": True}
    assert unusual == usual | same | own


def test_an_option_that_does_not_exist_is_refused():
    """A slip in an option's name is an error, not a picture without it."""
    with pytest.raises(TypeError, match="clickabel"):
        entries.matrix(run(Setup()), "scores", 0, clickabel=True)


def test_row_sums_are_those_of_the_rows_that_are_shown():
    """The sum behind a row is the sum of that row, also where few of the matrix's rows are
    shown."""
    trace = run(Setup(text="the cat the mat", d_model=5, d_k=3, d_v=7, heads=2, mask="causal"))
    shown = entries.matrix(trace, "scores", 1, rows=slice(1, 3), sums=True)
    expected = trace.value("scores")[1, 1:3].sum(dim=-1)
    assert shown.packed()["sums"] == pack(expected)
    assert list(shown.rows) == list(labels(trace.tokens)[1:3])


def test_an_entry_of_a_batch_has_its_own_sentences_words():
    """Each sentence's matrices carry that sentence's words and padding, whichever is chosen, in
    batch and classifier."""
    setup = Setup(text="a b", others="c d e f g")
    padded = ["a", "b", "[pad]₃", "[pad]₄", "[pad]₅"]
    for k, words in enumerate((padded, list("cdefg"))):
        shown = entries.matrix(batch.run(setup).sentence(k), "weights", 0)
        assert (list(shown.rows), list(shown.columns)) == (words, words)
        assert list(entries.matrix(classify(setup).sentence(k), "token_logits").rows) == words
    made = {
        m["name"]: m
        for b in boards(app("pages/8_masks.py", open="others_masks", **LONGER))
        for m in b["matrices"]
    }
    first = made["weights 1"]
    assert first["rows"] == first["columns"] == made["mask 1"]["columns"] == padded
    assert made["weights 2"]["rows"] == list("cdefg")
    weights = batch.run(Setup(text="a b", others="c d e f g", dropout=0.25)).trace.value("weights")
    assert np.array_equal(numbers(made["weights 2"]), weights[1, 0].numpy())


def test_a_step_looked_into_is_labelled_and_signed_like_any_other():
    """What a page adds to a trace has its words along its axes and the function and inputs that
    made it; the trace stays."""
    trace = run(Setup(text="the cat the mat", d_model=5, d_k=3, d_v=7, heads=2, mask="causal"))
    study = trace.also("shares", "head query key", attention.softmax, "scaled")
    shown = entries.matrix(
        study, "shares", 1, rows=slice(1, 3), columns=slice(2, 4), role="weights"
    )
    expected = torch.nn.functional.softmax(trace.value("scaled")[1], dim=-1)[1:3, 2:4]
    torch.testing.assert_close(shown.values, expected)
    words = labels(trace.tokens)
    assert (tuple(shown.rows), tuple(shown.columns)) == (words[1:3], words[2:4])
    assert (shown.axes, shown.scale, shown.top) == (("query", "key"), "sequential", 1)
    assert "attention.softmax(scaled)" in shown.made
    assert "shares" not in trace
    with pytest.raises(KeyError, match="scled"):
        trace.also("shares", "head query key", attention.softmax, "scled")


def test_an_entry_with_more_axes_is_shown_at_one_place_along_the_others():
    """Of a batch one sentence, of all queries one: what is left keeps its names, whichever axes
    were chosen along."""
    whole = batch.run(Setup(text="a b", others="c d e f g", d_model=5, d_k=3, d_v=7, heads=2)).trace
    shown = entries.matrix(whole, "weights", 1, at={"sentence": 1})
    assert torch.equal(shown.values, whole.value("weights")[1, 1])
    assert shown.axes == ("query", "key")
    shown = entries.matrix(whole, "context", at={"sentence": 1, "query": 3})
    assert torch.equal(shown.values, whole.value("context")[1, :, 3])
    assert shown.axes == ("head", "d_v")
    assert list(shown.rows) == ["head 1", "head 2"]


def test_a_product_gives_words_the_room_to_be_read():
    """Rows of the left, what both share, columns of the right: each is known as words or as a
    dimension's numbers."""
    (product,) = (b for b in boards(app("pages/4_scores.py")) if b["view"] == "product")
    assert product["axes"] == ["words", "dims", "words"]


def test_of_a_long_axis_a_part_is_shown():
    """Of a dimension of more than 128 numbers the block with the chosen one, of a long sum its
    largest terms, each with its number in the whole; the chosen cell stays what it is."""
    torch.manual_seed(0)
    left, right = torch.randn(3, 384), torch.randn(384, 200)
    asked = board.Matrix("a", left, list("xyz"), board.number_labels(384), ("token", "d_ff"))
    weights = board.Matrix(
        "b", right, board.number_labels(384), board.number_labels(200), ("d_ff", "d_out")
    )
    result = board.Matrix(
        "c", left @ right, list("xyz"), board.number_labels(200), ("token", "d_out")
    )
    seen = views.Product(alt="", chosen=(1, 57), matrices=(asked, weights, result))
    first, second, last = seen.matrices
    terms = (left[1] * right[:, 57]).abs()
    assert [int(k) - 1 for k in first.columns] == sorted(terms.topk(40).indices.tolist())
    assert first.columns == second.rows and seen.others == 344
    assert (last.columns[0], last.columns[-1], seen.chosen) == ("41", "80", (1, 17))
    assert (
        last.values[seen.chosen] == result.values[1, 57] and last.top == result.values.abs().max()
    )
    assert last.shape == "3 × 200 (token, d_out), 3 × 40 shown"
    assert first.packed()["cut"]["size"] == (3, 384)
    words = board.Matrix("w", torch.zeros(200, 128), ["w"] * 200, ["1"] * 128, ("word", "d_model"))
    assert "cut" not in views.Matrices(alt="", matrices=[words]).matrices[0].packed()


SCRIPTS_OF = {file.stem: file.read_text(encoding="utf-8") for file in (WEB / "views").glob("*.js")}
BESIDE = {str(file): file.read_text(encoding="utf-8") for file in WEB.rglob("*.js")}
BY_EVERY_BOARD = {"view", "lecture", "chooses"}  # `show` adds them
BY_COLUMNS = {"pairs", "group"}  # matrices.js does, where many heads or layers are laid in columns
VIEWS = [view for kind in View.__subclasses__() for view in (kind.__subclasses__() or [kind])]


def names(kind: type) -> set[str]:
    """What a dataclass's fields are called in the browser."""
    return {re.sub("_(.)", lambda found: found[1].upper(), field.name) for field in fields(kind)}


def reads(text: str, of: str = "data|drawing") -> set[str]:
    """What a script takes from its data: what it names behind it, and what functions and
    declarations take apart."""
    apart = re.findall(r"function \w+\((.*)\)|\(([^()]*)\) =>|(?:const|let) ({[^{}]*}) = ", text)
    within = re.findall(r"{([^{}]*)}", " ".join(map("".join, apart)))
    return {*re.findall(rf"\b(?:{of})\??\.(\w+)", text), *re.findall(r"\w+", " ".join(within))}


def helpers_of(text: str) -> str:
    """The scripts that declare a function or a number that this one names."""
    own = set(re.findall(r"\w+", text))
    declared = re.compile(r"^(?:export )?(?:function|const) (\w+)", re.MULTILINE)
    return "".join(other for other in BESIDE.values() if own & set(declared.findall(other)))


def test_a_view_and_its_script_name_the_same():
    """What Python sends is read by that view's script, or by one that it calls; what it reads of
    the data is sent."""
    by_every_board = reads(BESIDE[str(WEB / "board.js")])
    for view in VIEWS:
        own = SCRIPTS_OF[view.script]
        assert names(view) - {"ofScreen"} <= reads(own + helpers_of(own)) | by_every_board, view
        sent = set.union(*(names(other) for other in VIEWS if other.script == view.script))
        read = set(re.findall(r"\bdata\.(\w+)", own))
        assert read <= sent | BY_EVERY_BOARD | BY_COLUMNS, view


def test_what_performs_reads_what_is_sent():
    """What is played, too, reads nothing of the data that no view sends; what stands in a board is
    read by some script."""
    played = "".join(text for name, text in BESIDE.items() if "scripts" in name)
    assert set(re.findall(r"\bdata\.(\w+)", played)) <= set.union(*map(names, VIEWS))
    everything = reads("".join(BESIDE.values()), "matrix|editable|station|other|row")
    of_board = (board.Matrix, board.Editable, board.Station, board.OtherHead)
    for kind in (*of_board, next_word.Row, next_word.Part, next_word.Act):
        assert names(kind) - {"axes", "shown"} <= everything, kind
