"""Setup: strict at the door, lenient by its one side entrance, and its own link."""

import dataclasses
import math
import re
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import setups

from core import Setup
from core.setup.setup import CHOICES, DEFAULTS, RANGES

SENTENCE = "Life is short, eat dessert first"
CONTRACT = """
d_model=16 d_k=24 d_v=28 heads=3 sizes=free projections=learned out=d_v init=uniform bias=off
positions=none scale=sqrt temperature=1.0 mask=none seed=123 padding=right dropout=0.0
dropout_seed=1 layers=2 norm=post activation=relu d_ff=64 classes=2 shuffle=1 steps=300 edits=
model= layer=1 task=questions unembedding=tied choose=drawn word_temperature=1.0 top_k=0 top_p=1.0
draw_seed=1 window=2 kv_heads=0 norm_kind=layer memory= given= trained_for=600 pieces=
"""


def test_names_and_defaults_are_a_public_contract():
    """Links in the world rely on these names and defaults: whoever changes one must change this
    test."""
    contract = dict(line.split("=") for line in CONTRACT.split())
    contract |= {"text": SENTENCE, "others": "Life is short\neat dessert"}
    declared = {field.name: str(field.default) for field in dataclasses.fields(Setup)}
    assert declared == contract
    assert {name: str(value) for name, value in vars(Setup()).items()} == contract
    assert Setup.nearest(contract) == (Setup(), [])  # every default is in its range


def test_it_is_frozen():
    """Nobody can change a number on screen except by making another setup."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        Setup().d_k = 3


WRONG = [
    *(
        (name, value)
        for name in ("d_model", "d_k", "d_v")
        for value in (0, 65, -1, 2.5, "5", None, True, math.nan)
    ),
    *(("heads", value) for value in (0, 21, 1e9, "3")),
    *(("temperature", value) for value in (0.05, 1000.5, math.nan, math.inf, "1", None)),
    *(("kv_heads", value) for value in (-1, 2, 21, 1.0, "1", None)),
    *(("window", value) for value in (0, 32, 1.5, "2", None)),
    *(("trained_for", value) for value in (-1, 601, 1.5, "0", None)),
    *(("seed", value) for value in (-1, 2**31, 0.5)),
    *(("top_k", value) for value in (-1, 65, 2.5, None)),
    *(("top_p", value) for value in (0.0, 1.5, math.nan)),
    *((name, value) for name in CHOICES for value in ("bogus", "", None, 1, ["none"])),
    *(("d_ff", value) for value in (0, 65, 257)),
    *(("dropout", value) for value in (-0.1, 0.95, math.nan, "0.5", None)),
    *(
        ("others", value)
        for value in ("a\n", "a\n..", "a\tb", "a\x00", "a\n" * 7 + "a", "x" * 1001)
    ),
    *(("memory", value) for value in ("...", "x" * 401, "a b " * 17, None, 3, "a\x00b")),
    *(("text", value) for value in ("", "  ", "...", "x" * 401, "a b " * 17, None, 3, "\ud800")),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_the_constructor_refuses_and_says_what(name, value):
    """The message names the field, the value and what is expected."""
    with pytest.raises(ValueError, match=name) as refused:
        Setup(**{name: value})
    assert "expected" in str(refused.value)


def test_sizes_are_tied():
    """Narrow and wide set d_k and d_v from d_model, whatever they were given as; none leaves one
    head."""
    narrow = Setup(d_model=15, sizes="narrow")
    assert (narrow.d_k, narrow.d_v) == (5, 5)
    wide = Setup(sizes="wide")
    assert (wide.d_k, wide.d_v) == (16, 16)
    none = Setup(projections="none")
    assert (none.heads, none.d_k, none.d_v, none.out_size) == (1, 16, 16, 16)
    with pytest.raises(ValueError, match=r"sizes.*3 does not divide 16"):
        Setup(sizes="narrow")


@given(setups() | setups(projections="none"))
def test_the_link_is_the_state(setup):
    """A setup's own link, read leniently, is that setup, with nothing to tell."""
    assert Setup.nearest(setup.as_link()) == (setup, [])


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=30),
    st.sampled_from(
        ["nan", "inf", "-inf", "1e999", "0x10", "٣", "9" * 400, "<b>", "$x$", "\x00", "\ud800"]
    ),
    st.lists(st.text(max_size=5), max_size=3),
    st.binary(max_size=5),
)
CHOSEN = st.sampled_from([option for options in CHOICES.values() for option in options])


@given(st.dictionaries(st.sampled_from([*DEFAULTS, "foo", "<script>"]), ANYTHING | CHOSEN))
def test_any_mapping_has_a_nearest_setup(wishes):
    """No mapping raises; what comes back is strict-valid, and a change is always told in words."""
    setup, told = Setup.nearest(wishes)
    assert Setup(**dataclasses.asdict(setup)) == setup
    assert all(isinstance(line, str) and len(line) < 400 for line in told)
    for name in RANGES:
        tied = name in ("heads", "d_k", "d_v", "kv_heads") and (setup.sizes, setup.projections) != (
            "free",
            "learned",
        )
        if (
            name in wishes
            and isinstance(wishes[name], int)
            and not tied
            and wishes[name] != getattr(setup, name)
        ):
            gave_way = name == "d_ff" and wishes[name] == DEFAULTS[name]
            assert gave_way or any(line.startswith(f"{name}:") for line in told)


@given(
    st.dictionaries(
        st.sampled_from([*DEFAULTS]), ANYTHING | CHOSEN | st.integers(0, 80), max_size=3
    )
)
def test_both_ways_in_have_one_set_of_rules(wishes):
    """The constructor refuses exactly what `nearest` would change, told or in silence, and makes
    the same of the rest."""
    setup, told = Setup.nearest(wishes)
    try:
        made = Setup(**wishes)
    except ValueError:
        assert told or any(
            repr(getattr(setup, name)) != repr(value)
            for name, value in wishes.items()
            if name not in setup.tied
        )
    else:
        assert (made, told) == (setup, [])


@pytest.mark.parametrize(
    ("name", "value"),
    [("d_k", "5"), ("d_k", 5.0), ("text", "a\tb"), ("others", " a"), ("d_ff", 65)],
)
def test_a_silent_change_is_refused_too(name, value):
    """What a link may hold and nobody need be told of is still no value of the field for whoever
    writes code."""
    with pytest.raises(ValueError, match=f"{name}=.*expected"):
        Setup(**{name: value})


@pytest.mark.parametrize(
    ("wishes", "field", "value", "told"),
    [
        ({"d_k": "999"}, "d_k", 64, "d_k: '999' became 64"),
        ({"d_k": "-inf"}, "d_k", 1, "became 1"),
        ({"temperature": "nan"}, "temperature", 1.0, "is not a number"),
        ({"scale": "cube"}, "scale", "sqrt", "'cube' is not one of sqrt, fourth-root, none"),
        ({"sizes": "narrow"}, "sizes", "free", "3 does not divide 16"),
        ({"text": "?!…"}, "text", SENTENCE, "there is no word in it"),
        ({"text": "a\x00b"}, "text", "ab", "control characters"),
        ({"text": "w " * 5000}, "text", "w " * 31 + "w", "32 words"),
        ({"text": "x" * 500}, "text", "x" * 400, "used, 1 word; up to 32 words fit"),
        ({"others": "a\r\n\n ?! \nb"}, "others", "a\nb", "a line needs a word"),
        ({"others": "w\n" * 40}, "others", "\n".join("w" * 7), "7 further sentences"),
        ({"others": "x" * 99_999}, "others", "x" * 400, "1000 characters"),
        ({"others": "?!"}, "others", "", "others: no further sentence is used; up to 7"),
        ({"others": "a \ud800cat\u202e"}, "others", "a cat", "control characters were taken out."),
        ({"d_model": 2}, "d_ff", 8, ""),
        ({"foo": "1"}, "seed", 123, "'foo' is not a setting"),
    ],
)
def test_nearest_says_what_it_changed(wishes, field, value, told):
    """The nearest value, and a sentence a reader can understand."""
    setup, changes = Setup.nearest(wishes)
    assert getattr(setup, field) == value
    assert any(told in change for change in changes) or (not told and not changes)


IN_FORCE = """
layer=99 | layer: '99' is not used: layer is 2, since the setup has 2 layers.
d_k=99&sizes=wide | d_k: '99' is not used: d_k is 16, as wide head sizes have it.
heads=40&projections=none | heads: '40' is not used: heads is 1, since without projections there is
kv_heads=99&heads=4 | kv_heads: '99' is not used: kv_heads is 4, since it has to divide the number
d_ff=x&d_model=4 | d_ff: 'x' is not used: d_ff is 16, since it is at most 4 · d_model = 16.
d_ff=100 | d_ff: 100 became 64, since the feed-forward part has at most 4 · d_model = 64 numbers.
"""


@pytest.mark.parametrize("line", IN_FORCE.strip().split("\n"))
def test_messages_name_what_is_in_force(line):
    """Where another choice decides a number, the message names that number, and not the one that
    would fit by itself."""
    wishes, _, told = line.partition(" | ")
    _, (message,) = Setup.nearest(dict(parse_qsl(wishes)))
    assert message.startswith(told)


@given(
    st.dictionaries(
        st.sampled_from(sorted(RANGES)), st.one_of(st.integers(-9, 999), st.just("x")).map(str)
    ),
    st.sampled_from(CHOICES["sizes"]),
    st.sampled_from(CHOICES["projections"]),
)
def test_every_message_about_a_number_names_it_as_it_is(wishes, sizes, projections):
    """Whatever is asked for together, a message about a number holds the number that counts."""
    setup, messages = Setup.nearest({**wishes, "sizes": sizes, "projections": projections})
    for message in messages:
        name, _, said = message.partition(": ")
        if name in RANGES:
            assert re.search(
                rf"(became|is|sets it to) {re.escape(str(getattr(setup, name)))}\b", said
            ), message
