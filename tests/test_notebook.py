"""What `import attention_explorer` gives in a notebook."""

from html import unescape

import pytest

from core import Setup, run
from core.forward import batch
from core.forward.classifier import classify
from core.forward.encoder import encode

SMALL = Setup(text="the cat drank the milk", d_model=4, d_k=3, d_v=3, heads=2)
SETUPS = [
    SMALL,
    Setup(mask="causal", positions="rotary", heads=4, kv_heads=2, bias="on", scale="fourth-root"),
    Setup(memory="a quick dog", projections="none", dropout=0.2, d_model=6),
]


@pytest.mark.parametrize("setup", SETUPS)
def test_every_entry_shows_itself(setup):
    """Each has a board of a bounded size, or says in a sentence why it has none, with a line of
    text beside it for whoever has no browser."""
    for trace in (run(setup), *encode(setup), classify(setup).trace):
        for name, entry in trace.items():
            shown = entry._repr_mimebundle_()
            assert shown["text/plain"].startswith(f"{name} ("), name
            assert len(shown["text/html"]) < (50_000 if setup == SMALL else 80_000), name
        html = trace._repr_html_()
        assert ("weights" in trace) == ("<script>" in html)


def test_what_has_no_board_says_so():
    """An entry with a further axis says how one of it is chosen, and so does a head that is not
    there."""
    trace = batch.run(Setup(others="a mat")).trace
    assert "Choose one sentence first: trace.at({'sentence': 0}, 'scores')." in unescape(
        trace["scores"]._repr_html_()
    )
    assert "<script>" in trace.at({"sentence": 0, "head": 1}, "scores")["scores"]._repr_html_()
    with pytest.raises(ValueError, match="head=2: weights has heads from 0 to 1"):
        run(Setup(heads=2)).show("weights", head=2)


def test_a_tidy_frame_has_one_number_a_row():
    """Each number stands once, beside its place along every axis."""
    trace = run(SETUPS[0])
    table = trace["weights"].frame(tidy=True)
    assert list(table.columns) == ["head", "query", "key", "weights"]
    assert table["weights"].tolist() == trace.value("weights").flatten().tolist()
    assert table.iloc[26].tolist()[:3] == [2, "the₁", "cat"]
