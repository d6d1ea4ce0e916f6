"""The link: setup and focus written and read back, whatever it holds; old links keep their
meaning."""

import dataclasses
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FUZZ, focuses, setups

from core import Setup
from core.setup.setup import CHOICES
from core.setup.setup import DEFAULTS as SETUP
from pages.shared.link import (
    DEFAULTS,
    PRESETS,
    focus,
    parse_link,
    preset_changes,
    preset_of,
    read_link,
    write_link,
)
from pages.shared.link.focus import Focus, most_of

OF_SEVERAL_WORDS = {
    **{"way": "all at once", "part": "each head"},
    **{"mistake": "N4 softmax and size", "form": "as written"},
}
CONTRACT = """
query=2 key=5 head=1 sentence=1 layer=1 column=1 matrix=queries d_q=7 stage=resid_mid
ending=thirsty row=1 lecture=off route=whole notes=off beat=1 vs= sheet=off share=off fetch=
attempt=1 seven=first open=() hide=() exercise=none variation=1 do=() pasted= answers=
checked= instead=
"""


def test_names_and_defaults_are_a_public_contract():
    """Links in the world rely on these names and defaults. No name belongs to setup and focus both,
    but for the layer: of a model that is read, the one that is looked at is the one whose steps are
    computed."""
    contract = OF_SEVERAL_WORDS | dict(each.split("=") for each in CONTRACT.split())
    assert {name: str(value) for name, value in vars(Focus()).items()} == contract
    assert set(contract) & set(SETUP) == {"layer"}


@given(st.data())
def test_the_link_is_the_state(data):
    """What a link is written from is what it is read to, with nothing to tell, and written again it
    is the same."""
    setup = data.draw(setups())
    looked_at = data.draw(focuses(setup))
    link = write_link(setup.as_link() | looked_at.as_link(setup))
    view = read_link(link)
    assert (view.setup, view.focus, view.messages) == (setup, looked_at, ())
    assert parse_link(view.link) == parse_link(link)


WITHOUT_BLANKS = """
nan -inf 1e400 999 -1 0 2.5 none on narrow words <script>alert(1)</script> **b** [a](http://x) `x`
$\\frac{1}{0}$ {{7*7}} ../../etc/passwd %00 %ff%fe &&== javascript:alert(1) datum.term \u202eabc
👩‍👩‍👧 שלום seed,<b>,d_k ٣ ９
"""
HOSTILE_TEXTS = [*WITHOUT_BLANKS.split(), "", "a" * 900, "x " * 300]
HOSTILE = st.one_of(
    st.text(max_size=20),
    st.sampled_from(HOSTILE_TEXTS),
    st.sampled_from(
        [option for options in (CHOICES | focus.CHOICES).values() for option in options]
    ),
    st.integers(-5, 70).map(str),
)
NAMES = st.sampled_from([*DEFAULTS, "embed", "utm", "<b>", ""])


@settings(max_examples=300 * FUZZ)
@given(st.lists(st.tuples(NAMES, HOSTILE | st.just("\ud800")), max_size=8))
def test_any_link_is_read(pairs):
    """No link raises; what comes back is valid, told in plain short lines, and its own link means
    the same, in silence."""
    view = read_link(urlencode(pairs, errors="surrogatepass"))
    assert Setup(**dataclasses.asdict(view.setup)) == view.setup
    assert all(1 <= getattr(view.focus, name) <= most for name, most in most_of(view.setup).items())
    assert all(0 < len(line) < 400 and "\n" not in line for line in view.messages)
    again = read_link(view.link)
    assert (again.setup, again.focus, again.messages) == (view.setup, view.focus, ())


@given(st.text(max_size=300))
def test_any_address_is_read(link):
    """An address that is no list of parameters at all is read too: what it means, its own link
    means, in silence."""
    view = read_link(link)
    again = read_link(view.link)
    assert (again.setup, again.focus, again.messages) == (view.setup, view.focus, ())


@pytest.mark.parametrize(
    ("link", "field", "value", "message"),
    [
        ("query=9&text=Hi", "query", 1, ""),
        ("head=3&projections=none", "head", 1, "there is 1 head."),
        ("sentence=5", "sentence", 3, "there are 3 sentences"),
        ("column=-3", "column", 1, "column: '-3' became 1"),
        ("sort=better", "column", 1, "sort: the order of the table of heads is gone."),
        ("open=fold_pairs,formula", "open", ("formula",), "“Seven pairs of setups” is no longer"),
        ("matrix=sofa", "matrix", "queries", "'sofa' is not one of queries, keys, values"),
        ("hide=seed,nothing", "hide", ("seed",), "hide: expected names of controls with commas"),
        ("hide=seed&hide=d_k", "hide", ("seed", "d_k"), ""),
        ("exercise=scores.9", "exercise", "none", "'scores.9' is not one of none, vocabulary.1,"),
        ("exercise=scores.3", "exercise", "scores.1", "asked in place of scores.3."),
        (
            "do=weights.2,next.4",
            "do",
            ("weights.1", "next.1"),
            "asked in place of weights.2, next.4.",
        ),
        ("open=formula,%3Cb%3E", "open", ("formula",), "open: expected names of parts that unfold"),
        ("query=3&query=4", "query", 4, ""),
    ],
)
def test_what_cannot_be_looked_at_is_told(link, field, value, message):
    """The nearest place, and a sentence a reader can understand."""
    view = read_link(link)
    assert getattr(view.focus, field) == value
    assert any(message in line for line in view.messages) if message else not view.messages


@pytest.mark.parametrize("link", ["embed=true&embed_options=dark_theme", "lti_hint=7&ref=a"])
def test_what_others_add_to_a_link_stays(link):
    """What a frame, a mail or a course adds is none of ours: nothing is said of it, and the view's
    own link keeps it."""
    view = read_link(f"{link}&d_k=3")
    assert (view.setup.d_k, view.messages) == (3, ())
    assert parse_link(view.link) == parse_link(f"{link}&d_k=3")


OLD = """
text=the+cat+the+mat&d_k=3&heads=2&head=2&query=3
seed=7&heads=2&head=2&mask=causal&column=3
layers=3&layer=2&stage=ffn_out
lecture=on&beat=4&padding=left
mistake=N0+mask&form=repaired
dropout=0.5&dropout_seed=3&sentence=2&padding=left
others=eat%0Adessert+first+is&classes=3
"""


@pytest.mark.parametrize("link", OLD.split())
def test_old_links_keep_their_meaning(link):
    """Links that were handed on before setup and focus were two."""
    view = read_link(link)
    assert not view.messages
    read = vars(view.setup) | vars(view.focus)
    assert {name: str(read[name]) for name in parse_link(link)} == parse_link(link)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_changes_what_it_says(name):
    """Applied to any link, a preset's own choices are in force; the reader's sentence and seed
    stay, but for the preset that is a sentence; places go back to the first ones, but for the
    preset that follows a pair of words."""
    before = parse_link("text=a+b+c&seed=7&d_k=3&mask=causal&query=3&layers=4&stage=ffn_out")
    changes = preset_changes(name)
    after = before | {field: value for field, value in changes.items() if value is not None}
    after = {field: value for field, value in after.items() if changes.get(field, "") is not None}
    view = read_link(write_link(after))
    assert preset_of(view.setup) == name
    assert (
        preset_of(dataclasses.replace(view.setup, edits="w_q=0")) is None
    )  # they are put in, or wait: it is not the preset any more
    assert view.setup.seed == PRESETS[name].get("seed", 7)
    assert view.setup.text == PRESETS[name].get("text", "a b c")
    chosen = {"Trained": (9, 2), "Who looks across": (3, 2)}
    followed = chosen[name] if name in chosen else (2, min(5, len(view.setup.tokens)))
    assert (view.focus.query, view.focus.key, view.focus.stage, view.setup.layers) == (
        *followed,
        "ffn_out",
        2,
    )
    assert not view.messages
