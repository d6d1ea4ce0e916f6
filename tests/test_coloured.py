"""Code in its box: coloured by kind, and otherwise as it stands."""

import re
from html import unescape

from helpers import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.shared.text import coloured


def without_colours(markup: str) -> str:
    return unescape(re.sub("</?span[^>]*>", "", markup))


def test_colours_change_no_letter():
    """Of every step, the markup without its spans is the file, and what was `<` or `&`
    cannot become markup."""
    for file in (ROOT / "core").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        markup = coloured.python(text)
        assert without_colours(markup) == text, file
        assert set(re.findall("<([a-z]+)", markup)) <= {"span"}, file


def test_each_kind_by_hand():
    """A word is coloured by what it is where it stands: a name where it is defined, a builtin
    unless it is somebody's own."""
    text = (
        'def max(x):  # a max\n    """Say max."""\n    return x.max() if None else len("<b>") @'
        " -1.5\n"
    )
    found = [
        (kind, unescape(part))
        for kind, part in re.findall('<span class="([a-z]+)">(.*?)</span>', coloured.python(text))
    ]
    told = (
        'keyword def, name max, comment # a max, string """Say max.""", keyword return,'
        ' keyword if, number None, keyword else, keyword len, string "<b>", operator @, operator -,'
        " number 1.5"
    )
    assert ", ".join(f"{kind} {part}" for kind, part in found if kind != "mark") == told


def test_a_tensor_has_its_roles_colour():
    """An argument that is a tensor is coloured by its role wherever it stands; the same name for
    something else is not."""
    text = "def mix(weights: Tensor, v: Tensor) -> Tensor:\n    return weights @ v + self.v\n"
    assert (
        re.findall('<span class="ab-([a-z]+)">(.*?)</span>', coloured.python(text))
        == [("weights", "weights"), ("v", "v")] * 2
    )
    assert "ab-" not in coloured.python(
        "def step(weights: Weights) -> Weights:\n    return weights\n"
    )


def test_a_line_ends_where_python_ends_it():
    """Of the letters that end a line elsewhere, none does in code: what follows them is coloured in
    its own place."""
    text = 'a = "\x0c \x1e \x85 \u2028"\nreturn a\n'
    markup = coloured.python(text)
    assert without_colours(markup) == text
    assert '<span class="keyword">return</span> a' in markup


@settings(max_examples=10)
@given(st.text())
def test_other_text_stays_text(text):
    """A box of sentences shows whatever is typed, and nothing of it becomes markup."""
    inside = (
        coloured.box(text, language=None).partition("<code>")[2].removesuffix("</code></pre></div>")
    )
    assert "<" not in inside and ">" not in inside
    assert unescape(inside) == text
