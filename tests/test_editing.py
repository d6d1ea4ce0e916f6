"""Weights changed by hand on screen: what can be edited, what is marked, what the pages say of
it."""

from dataclasses import replace

import pytest
import torch
from helpers import app, boards, change, elements, numbers, panel, unfolded
from hypothesis import given, settings
from strategies import setups

from core import contributions, edits, heads
from core.edits import read
from core.setup import Setup
from core.trace import run
from pages.shared.board import entries
from pages.shared.frame import suggestions
from pages.shared.link import preset_changes
from pages.shared.panel import constants
from pages.shared.said.claims.edits import edited, edited_matrix, even, head_off, of_embeddings
from pages.shared.said.edits import says
from pages.shared.server import computed

PRIMES = Setup(
    text="the cat saw the dog",
    d_model=7,
    d_k=3,
    d_v=5,
    heads=2,
    init="normal",
    bias="on",
    positions="learned",
)


def of(edits: str) -> Setup:
    return replace(PRIMES, edits=edits)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("w_q.1.3.2=-0.7", "W_q[3, 2], head 1 = −0.7"),
        ("w_q=0", "W_q = 0"),
        ("w_q=w_k", "W_q = W_k"),
        ("w_q.1=w_k.2", "W_q, head 1 = W_k, head 2"),
        ("w_v.*.3=0", "row 3 of W_v, every head = 0"),
        ("w_q.1.*.2=0", "column 2 of W_q, head 1 = 0"),
        ("w_q.2.2-3.1=1", "rows 2 to 3, column 1 of W_q, head 2 = 1"),
        ("w_v=identity", "W_v = identity"),
        ("b_q.1.3=1", "b_q[3], head 1 = 1"),
        ("b_o.3-4=0", "columns 3 to 4 of b_o = 0"),
        ("embedding_table.4.3=1", "E[the, 3] = 1"),
        ("embedding_table.1=embedding_table.2", "row cat of E = row dog of E"),
        ("embedding_table.9=0", "row 9 of E = 0"),
        ("positions.2.3=1", "P[2, 3] = 1"),
        ("w_o.6-10=0", "rows 6 to 10 of W_o = 0"),
        ("layer2.w_q.1.3=0", "row 3 of W_q, head 1, layer 2 = 0"),
        ("layer2.w_1.3.4=1", "W_1[3, 4], layer 2 = 1"),
    ],
)
def test_an_edit_in_words(edit, expected):
    """An edit is listed as the boards call what it changes, rows of the table by their words."""
    assert says(read(edit)[0], PRIMES) == expected


def test_weights_can_be_edited_and_nothing_else():
    """Every matrix of weights knows what the link calls its cells, also where few of its rows are
    shown; a computed one does not."""
    trace = run(PRIMES)
    names = [name for name in trace if name not in ("ids", "b_q", "b_k", "b_v", "b_o")]
    found = {name: entries.matrix(trace, name, 1).editable for name in names}
    assert {name: (e.target, e.title, e.behind) for name, e in found.items() if e} == {
        "embedding_table": ("embedding_table", "E", ""),
        "positions": ("positions", "P", ""),
        "w_q": ("w_q.2", "W_q", ", head 2"),
        "w_k": ("w_k.2", "W_k", ", head 2"),
        "w_v": ("w_v.2", "W_v", ", head 2"),
        "w_o": ("w_o", "W_o", ""),
    }
    part = entries.matrix(trace, "w_o", rows=slice(5, 10)).packed()["editable"]
    assert (part["first"], part["rows"]) == (5, "6-10")
    assert entries.matrix(trace, "w_o", rows=slice(5, 6)).editable.rows == "6"
    assert found["w_q"].rows == "*"
    waves = run(Setup(positions="sinusoidal"))
    assert entries.matrix(waves, "positions").editable is None


@pytest.mark.parametrize("layer", [1, 2])
def test_every_weight_of_a_layer_can_be_edited(layer):
    """On the block, once they are unfolded: what the boards call their cells is what counts as an
    edit of this very layer, and it is marked. Folded, they cost nothing."""
    link = {
        name: getattr(PRIMES, name)
        for name in ("text", "d_model", "d_k", "d_v", "heads", "init", "bias", "positions")
    }
    at = app("pages/9_block.py", **link, layer=layer, head=2)
    assert not [board for board in boards(at) for m in board.get("matrices", []) if "editable" in m]
    unfolded(at, "layer_weights")
    targets = {
        m["name"]: m["editable"]["target"]
        for board in boards(at)
        for m in board.get("matrices", [])
        if "editable" in m
    }
    own = f"layer{layer}."
    steps = "" if layer == 1 else own
    looks = {f"b_{name}": f"{steps}b_{name}.2" for name in "qkv"}
    looks |= {f"w_{name}": f"{steps}w_{name}.2" for name in "qkv"} if layer > 1 else {}
    assert targets == looks | {
        name: own + name for name in ("w_o", "b_o", "w_1", "b_1", "w_2", "b_2")
    }
    edited = replace(PRIMES, edits=",".join(f"{target}=0.5" for target in targets.values()))
    assert computed.edits_that_do_not_fit(edited) == {}
    change(at, edits=edited.edits)
    shown = {
        m["name"]: m for board in boards(at) for m in board.get("matrices", []) if "editable" in m
    }
    assert all((numbers(m) == 0.5).all() and m["marks"] for m in shown.values())


def test_edited_cells_are_marked():
    """Those that an edit is about and that are shown; none by an edit that waits, and nothing is
    sent where there is none."""
    trace = run(of("w_q.2.3.1=1,w_q.1=0,w_o.7.*=0,w_q.2.7.9=1"))
    flags = entries.matrix(trace, "w_q", 1).marks
    assert flags.nonzero().tolist() == [[2, 0]]
    assert entries.matrix(trace, "w_q", 0).marks.all()
    assert entries.matrix(trace, "w_o", rows=slice(5, 10)).marks.nonzero()[
        :, 0
    ].unique().tolist() == [1]
    assert "marks" not in entries.matrix(trace, "w_o", rows=slice(0, 5)).packed()
    assert "marks" not in entries.matrix(run(PRIMES), "w_q", 0).packed()
    assert set(entries.matrix(run(PRIMES), "w_q", 0).packed()["editable"]) == {
        "target",
        "title",
        "behind",
        "first",
        "rows",
        "vector",
    }


def test_the_list_of_edits():
    """The panel is given every edit in words, with the reason where it waits; without edits
    none."""
    at = app("pages/4_scores.py", edits="w_q.1.3.5=0.7,w_q.1.20.5=1")
    assert panel(at)["says"]["edits"] == [
        {"target": "w_q.1.3.5", "says": "W_q[3, 5], head 1 = 0.7", "waits": ""},
        {
            "target": "w_q.1.20.5",
            "says": "W_q[20, 5], head 1 = 1",
            "waits": "w_q has 16 where w_q.1.20.5 asks for 20",
        },
    ]
    assert panel(app("pages/4_scores.py"))["says"]["edits"] == []


def test_presets_and_reset_clear_edits():
    """Whoever starts anew starts without edits."""
    sent = constants()
    assert sent["reset"]["edits"] is None
    assert all(
        preset["changes"]["edits"] is preset_changes(name)["edits"] is None
        for name, preset in sent["presets"].items()
    )
    assert sent["edits"] == {
        "most": edits.MOST_EDITS,
        "largest": edits.LARGEST,
        "decimals": edits.DECIMALS,
    }


def test_claims_of_random_weights_know_of_edits():
    """Where a page says how its weights were drawn, it says that some were edited: of the matrix
    that is meant, no other."""
    assert edited(PRIMES) == edited(of("w_q.1.9.9=1")) == edited(of("w_o=0"), but=("w_o",)) == ""
    assert edited(of("w_o=0")) == edited_matrix(run(of("w_q.2=0")), "w_q", 1) != ""
    assert edited_matrix(run(of("w_q.2=0")), "w_q", 0) == ""
    edit = "w_q.1.1.1=0.5"
    for page, sentence in (
        ("3_projection", "is drawn from the seed, uniform; training would change it."),
        ("0_overview", "The matrices here are drawn at random"),
        ("7_heads", "these are drawn at random."),
        ("12_classifier", "**It is not trained.**"),
    ):
        for at, expected in (
            (app(f"pages/{page}.py"), 0),
            (app(f"pages/{page}.py", edits=edit), 1),
        ):
            said = [
                e.value
                for e in elements(at.main)
                if e.type in ("caption", "markdown") and sentence in e.value
            ]
            assert [text.count("edited by hand") for text in said] == [expected], page
    at = app("pages/5_weights.py", edits=edit, open="fold_curves")
    assert "Without edits of the projections. " in str([caption.value for caption in at.caption])


@pytest.mark.parametrize(
    ("edits", "begins"),
    [
        ("w_q=0,w_q.1.1.1=5", ("Later edits", "In head 2 queries are 0, and so is every score, ")),
        (
            "w_q=0,b_q=0",
            ("Queries are 0, and so is every score, ", "Queries are 0, and so is every score, "),
        ),
        (
            "w_q=0,b_q=0,b_q.2.1=3",
            ("In head 1 queries are 0, and so is every score, ", "Later edits"),
        ),
    ],
)
def test_queries_are_called_zero_where_they_are(edits, begins):
    """A later edit may fill W_q again: the sentence is about the head on screen, and about what it
    has."""
    trace = run(of(edits) if "b_q" in edits else replace(PRIMES, bias="off", edits=edits))
    for head, begin in enumerate(begins):
        said = even(trace, head, 1, torch.ones(5, dtype=torch.bool))
        assert said.startswith(begin)
        assert (not trace.value("q")[head, 1].any()) == ("queries are 0" in said.lower())


def test_what_later_edits_fill_again_is_not_called_off():
    """Rows of W_o, or a W_v, that a later edit changes again: the sentence says so, and not that
    they are 0 or the identity."""
    before = run(PRIMES)
    assert head_off(before, run(of("w_o.1-5=0")), 0, 1).startswith(
        "The head's context no longer reaches the output."
    )
    assert head_off(before, run(of("w_o.1-5=0,w_o.2.1=3")), 0, 1).startswith("Later edits fill")
    square = Setup(d_model=5, d_k=3, d_v=5, heads=2, edits="w_v=identity,w_v.2.1.1=4")
    assert of_embeddings(run(square), 0).startswith("A value is then the word's own row of X")
    assert of_embeddings(run(square), 1).startswith("Later edits change W_v")


def test_ready_edits_are_links():
    """Each is a link to the present view with its edits added, or taken out where they are made;
    folded away, nothing is computed."""

    def links(page: str, key: str, **parameters) -> list[str]:
        at = app(page, open=f"suggestions_{key}", **parameters)
        return [
            e.proto.body
            for e in elements(at.main)
            if e.type == "html" and "data-edits" in e.proto.body
        ]

    zero, same = links("pages/5_weights.py", "weights", d_k=3, edits="w_k.1.1.1=2")
    assert (
        'href="?open=suggestions_weights&amp;d_k=3&amp;edits=w_k.1.1.1%3D2,w_q%3D0"'
        ' data-edits="w_q=0">W_q = 0<' in zero
    )
    assert 'data-edits="w_q=w_k">W_q = W_k<' in same
    (undo,) = links("pages/7_heads.py", "heads", head=2, edits="w_o.29-56=0")
    assert (
        'href="?open=suggestions_heads&amp;head=2" data-edits="w_o.29-56=">undo Head 2 off: its'
        " rows of W_o = 0<" in undo
    )
    assert links("pages/6_context.py", "context") == []
    assert (
        'data-edits="w_v=identity,b_v=0">'
        in links("pages/6_context.py", "context", sizes="wide", bias="on")[0]
    )
    assert links("pages/5_weights.py", "weights", projections="none") == []
    full = ",".join(f"w_k.1.{row}.{column}=1" for row in range(1, 9) for column in range(1, 9))
    assert links("pages/5_weights.py", "weights", edits=full) == []
    computed.traced.forget()
    app("pages/5_weights.py")
    assert computed.traced.computed == 1
    assert suggestions.with_bias(PRIMES, "w_q=0", "b_q=0") == "w_q=0,b_q=0"


def test_every_page_draws_edited_weights():
    """All pages compute with edits, each kind of them, and agree with PyTorch as they do
    without."""
    edit = (
        "w_q.1=w_k.1,w_k.*.2=0,w_o.1-3.2=5,w_c.2=1,embedding_table.1=0,layer2.w_1.1.1=4,w_v.1.99=0,"
        "b_q=1"
    )
    for step in (
        "2_embedding",
        "3_projection",
        "5_weights",
        "7_heads",
        "8_masks",
        "9_block",
        "10_encoder",
        "12_classifier",
    ):
        at = app(f"pages/{step}.py", edits=edit, bias="on", part="mixed by W_o")
        assert not at.exception
        marked = {
            m["name"] for board in boards(at) for m in board.get("matrices", []) if "marks" in m
        }
        assert marked == {
            "2_embedding": {"embedding_table"},
            "3_projection": {"w_q"},
            "7_heads": {"w_o"},
            "12_classifier": {"w_c"},
        }.get(step, set())


@settings(max_examples=40)
@given(setups())
def test_each_head_off_moves_the_output_so_far(setup):
    """Where a head's rows of W_o are set to 0, each word's output moves as far as the table of all
    heads says."""
    if setup.projections == "none":
        return
    trace = run(setup)
    study = trace.also("contribution", "head query out", heads.contributions, "context", "w_o")
    moves = contributions.moves(study.value("contribution"))
    concat, w_o, output = (trace.value(name) for name in ("concat", "w_o", "output"))
    for head in range(setup.heads):
        off = w_o.clone()
        off[head * setup.d_v : (head + 1) * setup.d_v] = 0
        b_o = trace.value("b_o") if "b_o" in trace else None
        apart = (output - heads.combine(concat, off, b_o)).norm(dim=-1)
        assert torch.allclose(moves[head], apart, rtol=1e-4, atol=1e-5 * output.abs().max().item())


def test_the_table_has_every_head_switched_off():
    """Unfolded, it has a row for each head, of which that of head 1 is what the edit offered beside
    it does."""
    at = app("pages/7_heads.py", open="heads_off")
    table = next(t.value for t in at.table if "off" in t.value)
    assert list(table["off"]) == ["head 1", "head 2", "head 3"]
    said = head_off(run(Setup()), run(Setup(edits="w_o.1-28=0")), 0, 1)
    assert f"The output of “is” moves by {table.iloc[0, 1]}." in said
