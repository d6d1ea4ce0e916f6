"""Weights changed by hand on screen: what can be edited, what is marked, what the pages say of
it."""

import math
from dataclasses import replace

from helpers import app, boards, change, elements, numbers, panel, unfolded

from core import Setup, run
from core.setup.edits import read
from pages.shared.board import entries
from pages.shared.captions.edits import describe_edited_matrix, describe_edits
from pages.shared.server import computed
from pages.shared.text.edits import says

LINK = {"text": "the cat saw the dog", "d_model": 7, "d_k": 3, "d_v": 5, "heads": 2}
LINK |= {"init": "normal", "bias": "on", "positions": "learned"}
PRIMES = Setup(**LINK)


def of(edits: str) -> Setup:
    return replace(PRIMES, edits=edits)


def test_an_edit_in_words():
    """An edit is listed as the boards call what it changes, rows of the table by their words."""
    for edit, expected in (
        ("w_q.1=w_k.2", "W_q, head 1 = W_k, head 2"),
        ("w_v.*.3=0", "W_v[3, all], every head = 0"),
        ("w_q.2.2-3.1=1", "W_q[2 to 3, 1], head 2 = 1"),
        ("b_o.3-4=0", "b_o[3 to 4] = 0"),
        ("embedding_table.1=embedding_table.2", "E[cat, all] = E[dog, all]"),
        ("layer2.w_1.3.4=1", "W_1[3, 4], layer 2 = 1"),
    ):
        assert says(read(edit)[0], PRIMES) == expected


def test_weights_can_be_edited_and_nothing_else():
    """Every matrix of weights knows what the link calls its cells, also where few of its rows are
    shown; a computed one does not."""
    trace = run(PRIMES)
    assert {
        name for name in trace if name[:2] != "b_" and entries.matrix(trace, name, 1).editable
    } == {"embedding_table", "positions", "w_q", "w_k", "w_v", "w_o"}
    part = entries.matrix(trace, "w_o", rows=slice(5, 10)).packed()["editable"]
    assert (part["first"], part["rows"]) == (5, "6-10")
    of_no_weight = entries.matrix(run(of("w_o=0")), "w_o").part([0], None)
    assert of_no_weight.top == trace.value("w_o").abs().max()
    waves = run(Setup(positions="sinusoidal"))
    assert entries.matrix(waves, "positions").editable is None


def matrices(at) -> list[dict]:
    """All matrices of all boards on a page."""
    return [matrix for board in boards(at) for matrix in board.get("matrices", [])]


def test_every_weight_of_a_layer_can_be_edited():
    """On the block, once they are unfolded: what the boards call their cells is what counts as an
    edit of this very layer, it is marked, and the numbers before it decide the colours. Folded,
    they cost nothing."""
    at = app("pages/9_block.py", **LINK, layer=2, head=2)
    assert not [matrix for matrix in matrices(at) if "editable" in matrix]
    unfolded(at, "layer_weights")
    before = {m["name"]: m for m in matrices(at) if "editable" in m}
    targets = {name: m["editable"]["target"] for name, m in before.items()}
    of_heads = {f"{kind}_{name}": f"layer2.{kind}_{name}.2" for kind in "wb" for name in "qkv"}
    others = {name: f"layer2.{name}" for name in ("w_o", "b_o", "w_1", "b_1", "w_2", "b_2")}
    assert targets == of_heads | others
    edited = of(",".join(f"{target}=0.5" for target in targets.values()))
    assert computed.edits_that_do_not_fit(edited) == {}
    change(at, edits=edited.edits)
    shown = [matrix for matrix in matrices(at) if "editable" in matrix]
    assert len(shown) == 12
    assert all((numbers(matrix) == 0.5).all() and matrix["marks"] for matrix in shown)
    assert all(matrix["unedited"] == before[matrix["name"]]["values"] for matrix in shown)


def test_computed_numbers_keep_the_scale_of_the_unedited_ones():
    """One outlier in W_q does not fade every other query and score, as if they had changed."""
    for step, name in (("3_projection", "q"), ("4_scores", "scores")):
        at = app(f"pages/{step}.py", **LINK)
        before = [abs(numbers(m)).max() for m in matrices(at) if m["name"] == name]
        change(at, edits="w_q.*.1.1=900")
        tops = [m["top"] for m in matrices(at) if m["name"] == name]
        assert tops and all(map(math.isclose, tops, before))


def test_the_list_of_edits():
    """The panel is given every edit in words, with the reason where it waits."""
    at = app("pages/4_scores.py", edits="w_q.1.3.5=0.7,w_q.1.20.5=1")
    assert panel(at)["says"]["edits"] == [
        {"target": "w_q.1.3.5", "says": "W_q[3, 5], head 1 = 0.7", "waits": ""},
        {
            "target": "w_q.1.20.5",
            "says": "W_q[20, 5], head 1 = 1",
            "waits": "w_q has 16 where w_q.1.20.5 asks for 20",
        },
    ]


def test_every_page_draws_edited_weights():
    """All pages compute with edits, each kind of them, and mark what they show of them."""
    edit = (
        "w_q.1=w_k.1,w_k.*.2=0,w_o.1-3.2=5,w_c.2=1,embedding_table.1=0,layer2.w_1.1.1=4,w_v.1.99=0,"
        "b_q=1"
    )
    for step, opened, marked in (
        ("2_embedding", "", {"embedding_table"}),
        ("3_projection", "", {"w_q", "w_k"}),
        ("7_heads", "own_part", {"w_o"}),
        ("8_masks", "", set()),
        ("9_block", "", set()),
        ("10_encoder", "", set()),
        ("12_classifier", "full", {"w_c"}),
    ):
        at = app(f"pages/{step}.py", edits=edit, bias="on", part="mixed by W_o", open=opened)
        assert not at.exception
        assert {matrix["name"] for matrix in matrices(at) if "marks" in matrix} == marked, step


def test_what_is_said_of_edited_weights_is_true():
    """How weights were drawn, and that they were edited: said of the matrix that is meant."""
    assert (
        describe_edits(PRIMES)
        == describe_edits(of("w_q.1.9.9=1"))
        == describe_edits(of("w_o=0"), but=("w_o",))
        == ""
    )
    other, head = (entries.matrix(run(of("w_q.2=0")), "w_q", k) for k in range(2))
    assert describe_edits(of("w_o=0")) == describe_edited_matrix(head) != ""
    assert describe_edited_matrix(other) == ""
    at = app("pages/3_projection.py", edits="w_q.1.1.1=0.5", open="full")
    said = [e.value for e in elements(at.main) if e.type in ("caption", "markdown")]
    assert "edited by hand" in next(text for text in said if "is drawn from the seed" in text)
    at = app("pages/2_embedding.py", init="uniform", open="full")  # a rule of W_q, not of the table
    assert any("The table is drawn from the seed, normal." in e.value for e in at.main.caption)
