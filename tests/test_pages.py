"""Every page from the entry point: what it shows, what it links, what it does with bad links."""

import base64
import gc
import inspect
import math
import re
from pathlib import Path

import numpy as np
import pytest
from helpers import (
    ROOT,
    app,
    boards,
    change,
    codes,
    controls,
    elements,
    numbers,
    panel,
    unfolded,
)
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df

from core import Setup, run
from core.analysis import training_history
from core.fields.fields import Choice, Number
from core.forward.classifier import classify
from core.forward.encoder import encode
from core.forward.trace import Trace
from core.notebooks import MISTAKES
from core.setup.presets import TRAINED
from core.text.written import read
from core.training import training_store
from pages.shared.layout import show
from pages.shared.link import PRESETS, layout, parse_link
from pages.shared.link.fields import CONTROLS, FIELDS
from pages.shared.link.pages import PAGES
from pages.shared.page_components.notebooks import notebooks
from pages.shared.panel import constants
from pages.shared.server import cache
from pages.shared.text import words
from pages.shared.text.elements import table

FILES = [
    step.file for step in PAGES if step.path != "model"
]  # that one has its own tests: it needs a model


def said(at) -> str:
    """All text that a page shows as such."""
    kinds = ("markdown", "text", "caption", "title", "header", "latex")
    return "\n".join([*(e.value for e in elements(at.main) if e.type in kinds), *codes(at)])


@pytest.mark.parametrize(
    ("page", "name", "matrix"),
    [
        ("pages/2_embedding.py", "x", "embedded"),
        ("pages/4_scores.py", "scores", "scores"),
        ("pages/7_heads.py", "concat", "concat"),
    ],
)
def test_the_numbers_on_the_page_are_the_traces(page, name, matrix):
    """What the browser is given to draw is the tensor that was computed, to the last bit."""
    setup = Setup(text="the cat the mat", d_model=5, d_k=7, d_v=11, heads=2, init="normal")
    value = run(setup).value(name)
    value = value[1] if name not in ("x", "concat") else value
    at = app(page, head=2, part="side by side", **setup.as_link())  # of W_q too, one row
    drawn = [m for board in boards(at) for m in board["matrices"] if m["name"] == matrix]
    assert any(m["n"] == len(value) and np.array_equal(numbers(m), value.numpy()) for m in drawn)


@pytest.mark.parametrize(
    ("page", "name", "row"),
    [("5_weights", "weights", 2), ("3_projection", "q", 2), ("3_projection", "v", 0)],
)
def test_a_row_that_stands_alone_is_the_followed_words(page, name, row):
    """The row of the word that asks, and keys and values of the one that is asked."""
    at = app(f"pages/{page}.py", query=3, key=1, head=2)
    alone = [m for board in boards(at) for m in board.get("matrices", ()) if m["n"] == 1]
    (drawn,) = (matrix for matrix in alone if matrix["name"] == name)
    assert np.array_equal(numbers(drawn)[0], run(Setup()).value(name)[1, row].numpy())


def test_the_chosen_cell_adds_up():
    """N4's ω₂₅ is 11.1466, a sum of 24 terms; its z₂₁, −1.5993, stands with all its terms, a
    weight times a value each."""
    assert "ω[is, dessert] = 11.1466, the sum of the products: 24 terms." in said(
        app("pages/4_scores.py", open="full")
    )
    at = app("pages/6_context.py", open="full")
    table = written(at.dataframe[0])
    assert list(table.columns) == ["key", "α", "v", "term", "sum so far"]
    terms = {name: [read(text) for text in table[name]] for name in table.columns[1:]}
    added = sum(weight * value for weight, value in zip(terms["α"], terms["v"], strict=True))
    assert len(terms["α"]) == 6 and math.isclose(added, -1.5993, abs_tol=2e-3)
    assert terms["sum so far"][-1] == read("−1.5993")


def written(frame):
    """A table as it is shown; its value is what is copied."""
    return convert_arrow_bytes_to_pandas_df(frame.proto.arrow_data.styler.display_values)


def test_a_table_of_up_to_twenty_rows_is_whole(monkeypatch):
    """A wheel that turns over it would turn the rows below, not the page."""
    heights = []
    monkeypatch.setattr("streamlit.dataframe", lambda *_, height, **__: heights.append(height))
    for rows in (20, 21):
        table({"row": range(rows)}, alt="")
    assert heights == ["content", "auto"]


def test_tables_write_numbers_by_the_rule():
    """The chosen cell's terms and a step's unfolded tables: real minus signs, four decimals, −∞,
    and powers of ten. Over each stands what made it."""
    at = app("pages/5_weights.py", mask="causal", open="tables_weights")
    made = run(Setup(mask="causal"))["scaled"].call
    assert (
        f"`attention.scale(scores, d_k={made.settings['d_k']}, temperature=1)`:"
        f" {words.list_files(made.function)}" in said(at)
    )
    scores, _, masked, weights = map(written, at.dataframe)
    of_context = app("pages/6_context.py", open="full").dataframe[0]
    terms, v = written(of_context), list(written(of_context)["v"])
    assert of_context.value["v"].to_list() == run(Setup()).value("v")[0, :, 0].tolist()  # copied
    assert v == [words.number(value) for value in run(Setup()).value("v")[0, :, 0].tolist()]
    texts = [
        text
        for frame in (scores, masked, weights)
        for name in frame.columns
        for text in frame[name]
    ]
    texts += [text for name in terms.columns[1:] for text in terms[name]]
    assert all(re.fullmatch(r"−?(\d+\.\d{4}|∞)|≈ 0", text) for text in texts)
    assert any(text.startswith("−") for text in v)
    assert masked["first"].to_list()[0] == "−∞"


def test_a_word_that_occurs_twice_is_two_tokens():
    """One id, two positions, and both have names of their own on every axis."""
    at = app("pages/1_vocabulary.py", text="the cat the mat", query=3)
    assert "“the₃” stands at positions 1, 3: one id, 2 tokens." in said(at)
    assert boards(at)[0]["ids"] == [2, 0, 2, 1]
    scores = boards(app("pages/4_scores.py", text="the cat the mat"))[0]["matrices"][2]
    assert scores["rows"] == ["the₁", "cat", "the₃", "mat"]


def test_the_code_shown_is_the_code_that_ran():
    """The source on a page is the function that the trace says made its tensors, word for word but
    for its worked example, and its place is named, beside it."""
    shown = {
        "pages/2_embedding.py": ("embedded", "positions", "x"),
        "pages/3_projection.py": ("q", "k", "v"),
        "pages/4_scores.py": ("scores",),
        "pages/5_weights.py": ("scaled", "masked", "weights"),
        "pages/6_context.py": ("context",),
        "pages/7_heads.py": ("concat", "output"),
    }
    choices = {"bias": "on", "positions": "sinusoidal", "scale": "fourth-root", "mask": "causal"}
    trace = run(Setup(**choices))
    for page, names in shown.items():
        functions = [trace[name].call.function for name in names]
        at = app(page, part="mixed by W_o", open="formula", **choices)
        code = "\n".join(codes(at))
        for function in functions:
            file, line = (
                Path(inspect.getsourcefile(function)).relative_to(ROOT),
                inspect.getsourcelines(function)[1],
            )
            assert re.search(rf"Code: .*`{file}`, lines? ([\d, ]+, )?{line}\b", said(at)), function
            assert words.list_files(function) == f"`{file}`, line {line}"
            assert show.source(function) in code
            last = inspect.getsource(function).rstrip().split("\n")[-1]
            assert last in show.source(function)
            assert ">>>" not in show.source(function)


def test_sizes_that_do_not_fit_are_refused():
    """Unfolded, the size that the link gives to queries alone meets d_k: PyTorch's own error, and
    what it would take."""
    for d_q, fits in ((5, False), (7, True)):
        at = app("pages/3_projection.py", d_k=7, d_q=d_q)
        assert "d_q" not in controls(at)
        assert not unfolded(at, "misfit").exception
        assert controls(at)["d_q"]["value"] == str(d_q)
        refused = [box for box in codes(at) if "cannot be multiplied" in box]
        assert refused == (
            []
            if fits
            else ["RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x5 and 7x6)"]
        )
        assert ("It fits" in said(at)) == fits


def test_where_narrow_cannot_be_the_panel_says_why():
    """3 heads do not divide 16: the panel says so, and narrow, if a link asks for it all the same,
    stays free and is told; 4 do."""
    at = app("pages/4_scores.py")
    assert panel(at)["says"]["off_options"] == {"sizes": {"narrow": "3 does not divide 16"}}
    assert not change(at, sizes="narrow").exception
    assert panel(at)["says"]["values"]["sizes"] == "free"
    assert "3 does not divide 16; the sizes are free instead" in said(at)
    assert panel(app("pages/4_scores.py", heads=4))["says"]["off_options"] == {}


def test_a_link_with_a_preset_shows_it_as_chosen():
    """The preset that a link amounts to is marked from the first run on."""
    assert panel(app(**PRESETS["Small · class"]))["says"]["preset"] == "Small · class"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"d_k": "999"}, "d_k: '999' became 64"),
        ({"text": "..!", "query": "40"}, "no word in it"),
        ({"matrix": "sofa", "nonsense": "1"}, "'nonsense' is not a setting"),
    ],
)
def test_a_bad_link_is_mended_and_told(bad, message):
    """The nearest setup is shown with a message, which stays while the mended link does and no
    longer, and that link is right."""
    at = app("pages/4_scores.py", **bad)
    assert not at.exception
    assert message in said(at)
    assert boards(at)
    assert parse_link(panel(at)["arrived"]) == bad
    mended = parse_link(panel(at)["link"])
    assert message in said(change(at, **(dict.fromkeys(bad) | mended)))
    assert message not in said(change(at, seed=9))
    again = app("pages/4_scores.py", **mended)
    assert (message in said(again), panel(again)["arrived"]) == (False, None)


BY_A_PAGE_ALONE = {
    *("matrix", "way", "part", "mistake", "form"),
    *("d_q", "pasted", "trained_for", "instead", "special", "units"),  # at times
    *("stage", "ending"),  # as links that say what they are, and within the sentence that it ends
}
WITHOUT_A_LABEL = """
edits model row exercise variation vs sheet beat share fetch attempt seven open given answers
checked pieces
"""


def test_every_field_has_its_control():
    """Each field with a label stands in the panel, on all pages or some, or on a page of its own,
    and the browser is given its name, help, range or options as they are declared. The others are
    set by a click, a key or a link."""
    everywhere = (*layout.CONTROLS, "query", "key")
    somewhere = {name for page in PAGES for name in page.controls}
    assert len(set(everywhere)) == len(everywhere)
    assert {*CONTROLS} == {*everywhere, *somewhere, *BY_A_PAGE_ALONE}
    assert FIELDS.keys() - {*CONTROLS} == {*WITHOUT_A_LABEL.split()}
    assert layout.TEACHES.keys() == PRESETS.keys()
    fields = constants()["fields"]
    for name in CONTROLS:
        given, field = fields[name], FIELDS[name]
        assert (given["label"], given["help"]) == (field.label, field.help)
        assert field.help or name in {"text", *BY_A_PAGE_ALONE}
        if isinstance(field, Number) and "low" in given:
            assert (given["low"], given["high"]) == (field.low, field.high)
            for value in (given["high"], field.default):  # both are on a step of the slider
                steps = (value - given["low"]) / given["step"]
                assert math.isclose(steps, round(steps))
        elif isinstance(field, Choice):
            assert set(given["options"]) <= {*field.options, *field.unlisted}


STAGES = {"output": "y", "normed_1": "N", "ffn_activated": "relu(H)"}


@pytest.mark.parametrize(("name", "called"), STAGES.items())
def test_every_stage_of_the_block_can_be_opened(name, called):
    """Each stage's chosen cell is written out, by the name in the formula, with the number that
    stands in the layer's trace."""
    setup = Setup(d_model=5, d_ff=7, bias="on")
    at = app("pages/9_block.py", stage=name, d_model=5, d_ff=7, bias="on", column=3, open="full")
    value = encode(setup)[0].value(name)[1, 2].item()
    assert f"{called}[is, 3] = {words.number(value)}" in said(at)
    (stream,) = (board for board in boards(at) if board["view"] == "residual_stream")
    assert stream["matrices"][stream["main"]]["name"] == name
    assert stream["chooses"]["fields"] == {"column": "column"}
    assert all(opens == {"stage": stage} for stage, opens in stream["chooses"]["by_matrix"].items())


def test_masks_say_what_they_do():
    """Unmasked padding is told with its share; left padding under a causal mask tells its empty
    rows; dropout is drawn."""
    assert "padding is **0%** of its attention" in said(app("pages/8_masks.py", open="padding"))
    page = {"page": "pages/8_masks.py", "open": "padding"}
    assert "**0%**" not in said(app(**page, padding="unmasked"))
    assert "rows may look nowhere" in said(app(**page, padding="left", mask="causal"))
    at = app(**page, dropout="0.5", sentence="2")
    apart = re.search(
        r"in the batch (?:agree to \*\*(\d+) decimals\*\* \(the largest|are \*\*equal to the"
        r" last bit\*\*)",
        said(at),
    )
    assert int(apart[1] or 9) >= 4  # which of the two is the processor's affair
    at = app("pages/8_masks.py", dropout="0.5", open="dropout")
    drawn = {
        m["name"]: numbers(m)
        for board in boards(at)
        if board["view"] == "matrices"
        for m in board["matrices"]
    }
    assert np.allclose(drawn["weights"].sum(axis=1), 1, atol=1e-6)
    assert not np.allclose(drawn["dropped"].sum(axis=1), 1, atol=1e-2)


def test_masks_are_drawn_before_and_after():
    """Between ω′ and α stands the mask, −∞ in padding's columns and 0 elsewhere, of the sentence
    that the slider says; the causal part is what mask="causal" computes, whatever the setup's
    mask; and there is an example of dropout where its rate is 0, the one that this rate would
    give."""
    at = app("pages/8_masks.py", mask="none", head=2, others="eat dessert", query=3, open="padding")
    drawn = {m["name"]: numbers(m) for board in boards(at) for m in board["matrices"]}
    assert np.array_equal(drawn["mask 1"], np.zeros((6, 6))) and "mask 2" not in drawn
    assert "In sentence 1 every place is open; in sentence 2 some are not." in said(at)
    at = change(at, sentence=2)
    drawn = {m["name"]: numbers(m) for board in boards(at) for m in board["matrices"]}
    assert np.array_equal(drawn["mask 2"], np.tile([0.0] * 2 + [-np.inf] * 4, (6, 1)))
    assert "scaled 1" not in drawn
    assert np.array_equal(drawn["mask"], np.tri(6))
    assert np.array_equal(drawn["before"], run(Setup()).value("weights")[1])
    assert np.array_equal(drawn["after"], run(Setup(mask="causal")).value("weights")[1])
    none, half = (
        app("pages/8_masks.py", open="dropout", **rate) for rate in ({}, {"dropout": 0.5})
    )
    dropped = [
        next(numbers(m) for b in boards(at) for m in b["matrices"] if m["name"] == "dropped")
        for at in (none, half)
    ]
    assert np.array_equal(*dropped)
    assert ["An example: dropout is off" in said(at) for at in (none, half)] == [True, False]


def test_the_classifier_shows_the_traces_probabilities():
    """What is drawn as log-probabilities is what was computed for these sentences, each and each
    class by its number, and they say that nothing is trained."""
    link = {"others": "eat\ndessert first is", "classes": 3}
    at = app("pages/12_classifier.py", open="says", **link)
    drawn = next(
        m
        for board in boards(at)
        for m in board.get("matrices", ())
        if m["name"] == "log_probabilities"
    )
    made = classify(Setup(others="eat\ndessert first is", classes=3))
    assert np.array_equal(numbers(drawn), made.trace.value("log_probabilities").numpy())
    assert drawn["rows"] == ["sentence 1", "sentence 2", "sentence 3"]
    assert drawn["columns"] == ["class 1", "class 2", "class 3"]
    assert "It is not trained" in said(at)
    at = app("pages/12_classifier.py", open="full", **link)
    assert re.search(r"e to the power of it is (more than |less than )?\d?\d\.\d%\.", said(at))


def test_pages_with_trained_weights_say_so():
    """What training never saw is named and marked, and what of a stack was held is told."""
    small = TRAINED | {"text": "the zebra drank milk", "steps": 5, "bias": "on"}
    vocabulary, embedding = (app(page, **small) for page in FILES[1:3])
    assert "Training never saw “zebra”" in said(vocabulary)
    (chips,) = boards(vocabulary)
    assert [chips["entries"][k] for k in chips["unseen"]] == ["zebra"]
    table = next(
        m
        for board in boards(embedding)
        for m in board["matrices"]
        if m["name"] == "embedding_table"
    )
    assert [row for row in table["rows"] if "*" in row or "•" in row] == [
        "• 6 drank",
        "• 14 milk",
        "• 22 the",
        "• 28 zebra *",
    ]
    assert "moved in 5 steps of training" in said(
        app("pages/3_projection.py", open="full", **small)
    )
    assert all(
        "all else of the stack was trained on top" in said(app(page, open="questions", **small))
        for page in ("pages/9_block.py", "pages/10_encoder.py")
    )


FORTY = {
    "text": "the cat drank the milk because it was thirsty",
    "init": "trained",
    "positions": "sinusoidal",
    "heads": 1,
    "d_k": 8,
    "d_v": 8,
    "steps": 40,
}


def charts(at):
    """The columns that each chart of a page was given."""
    drawn = [each for each in elements(at.main) if each.type == "vega_lite_chart"]
    return [convert_arrow_bytes_to_pandas_df(each.proto.data.data) for each in drawn]


def test_training_is_that_of_the_setup():
    """The page's film and curves are those of this setup's own training."""
    at = app("pages/13_training.py", **FORTY)
    drawn = {board["view"]: board for board in boards(at)}
    result = training_store.get(Setup(**FORTY), "attention")
    expected = training_history.find_weight_history(Setup(**FORTY), result)
    assert np.array_equal(
        np.frombuffer(base64.b64decode(drawn["training_history"]["moments"]), np.float32),
        expected.flatten().numpy(),
    )
    assert drawn["training_history"]["steps"] == [moment.step for moment in result.moments]
    assert len(drawn["training_history"]["says"]) == len(drawn["training_history"]["steps"])
    losses, right = (each for each in charts(at) if "step" in each)
    assert list(losses["value"]) == list(result.losses)
    for question in ("adjective", "verb"):
        drawn_line = right[right["kind"] == f"at the {question}"]["value"]
        assert list(drawn_line) == [moment.accuracy[question] for moment in result.moments]
    assert drawn["training_history"]["says"][-1].startswith("After 40 steps")
    assert "drawn, not trained" not in said(at)


@pytest.mark.parametrize("mistake", MISTAKES[::6], ids=lambda m: m.key)
def test_a_mistake_can_be_switched_on_and_repaired(mistake):
    """By link: as written the page says that its invariant does not hold, repaired that it does;
    each fault alone too."""
    for form in notebooks.forms(mistake):
        at = app("pages/14_notebooks.py", mistake=mistake.key, form=form)
        assert not at.exception
        outcome = mistake.run(notebooks.faults(form, mistake))
        assert ("It holds" in said(at)) == outcome.holds == (form == "repaired")
        assert (outcome.error or outcome.measured)[1:] in said(at)


def test_published_stands_beside_here():
    """The page carries the picked notebook's printed numbers, ours and the difference; the
    vocabularies once they are unfolded. A notebook without mistakes can be picked too."""
    at = app("pages/14_notebooks.py")
    assert any("11.1466" in t.value.astype(str).to_string() for t in at.table)
    assert any(
        "dimension_reduce" in t.value.astype(str).to_string()
        for t in unfolded(at, "vocabularies").table
    )
    n0, n1 = (app("pages/14_notebooks.py", mistake=name) for name in ("N0 view", "N1"))
    assert any(
        "3.8774" in t and "3.8773" in t for t in (t.value.astype(str).to_string() for t in n0.table)
    )
    assert "In N1 no mistake was found" in said(n1)
    assert "mistake" not in controls(n1)


def test_as_written_stands_beside_repaired():
    """Both matrices of a mistake are drawn whichever form is chosen, and exactly the cells that
    differ are marked."""
    for form in ("as written", "repaired"):
        at = app("pages/14_notebooks.py", mistake="N0 mask", form=form)
        (board,) = boards(at)
        written, repaired = map(numbers, board["matrices"])
        assert np.triu(written, 1).any() and not np.triu(repaired, 1).any()
        for matrix in board["matrices"]:
            marked = np.frombuffer(base64.b64decode(matrix["marks"]), dtype=np.uint8).reshape(6, 6)
            assert np.array_equal(marked == 1, abs(written - repaired) > 1e-4)
        assert [bool(matrix.get("frame")) for matrix in board["matrices"]] == [
            form == "as written",
            form == "repaired",
        ]
        assert f"{marked.sum()} of 36 cells differ" in said(at)


def test_a_walk_through_all_pages():
    """The setup, the pair and the head hold on all pages; and what the session holds on to
    (callbacks, too) has no trace of any page in it."""

    def traces() -> int:
        for cached in cache._functions:
            cached.forget()  # the process's, and bounded
        gc.collect()
        return sum(type(thing) is Trace for thing in gc.get_objects())

    before = traces()
    link = {"d_k": "5", "heads": "7", "query": "3", "head": "6"}
    at = app("pages/4_scores.py", **link)
    for page in FILES[1:]:
        at.switch_page(page).run()
        assert not at.exception
        assert parse_link(panel(at)["link"]) == link
    assert traces() == before
