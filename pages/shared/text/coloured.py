"""Syntax highlighting on the server: Streamlit's own loads 1.5 MB of scripts for three hundred
languages."""

import builtins
import keyword
import re
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from io import StringIO
from itertools import accumulate
from tokenize import TokenInfo, generate_tokens, tok_name

import streamlit as st

from core.board import colours

CONSTANTS = ("True", "False", "None")
MARKS = set("()[]{},:;.")


def code(text: str, language: str | None = "python") -> None:
    """Draw a code box with a copy button."""
    st.html(box(text, language))


def box(text: str, language: str | None) -> str:
    """Return the box as HTML."""
    written = python(text) if language == "python" else escape(text, quote=False)
    columns = max(map(len, text.splitlines()), default=1)
    return (
        '<div class="ab-code"><button type="button" class="ab-copy">Copy</button><span'
        f' role="status"></span><pre style="--columns:{columns}"><code>{written}</code></pre></div>'
    )


@lru_cache(maxsize=256)  # cached, since formulas change beside the same code
def python(text: str) -> str:
    """Return Python source as HTML, each coloured token in a span with its kind as class.

    >>> python("a < 1")
    'a <span class="operator">&lt;</span> <span class="number">1</span>'
    """
    begins = [
        0,
        *accumulate(map(len, StringIO(text))),
    ]  # start offsets of the lines
    made, written = [], 0
    for kind, token in _coloured(text):
        (line, column), (last_line, last_column) = token.start, token.end
        begin, end = begins[line - 1] + column, begins[last_line - 1] + last_column
        made.append(escape(text[written:begin], quote=False))
        made.append(f'<span class="{kind}">{escape(text[begin:end], quote=False)}</span>')
        written = end
    return "".join(made) + escape(text[written:], quote=False)


def _coloured(text: str) -> Iterator[tuple[str, TokenInfo]]:
    """Yield the coloured tokens with their kinds."""
    before, tensors = "", set(re.findall(r"\b(\w+): Tensor\b", text))
    for token in generate_tokens(StringIO(text).readline):
        if kind := _kind(token, before, tensors):
            yield kind, token
        before = token.string


def _kind(token: TokenInfo, before: str, tensors: set[str]) -> str | None:
    """Return a token's kind if it is coloured; `before` is the previous token, `tensors` the Tensor
    arguments."""
    name = tok_name[token.type]
    if name == "NAME":
        return _kind_of_name(token.string, before, tensors)
    if name == "OP":
        return "mark" if set(token.string) <= MARKS else "operator"
    if name.startswith("FSTRING"):  # from Python 3.12 on, in parts
        return "string"
    return name.lower() if name in ("STRING", "NUMBER", "COMMENT") else None


def _kind_of_name(name: str, before: str, tensors: set[str]) -> str | None:
    if before in ("def", "class"):
        return "name"
    if name in tensors & colours.OF.keys() and before != ".":
        return f"ab-{colours.get_role(name)}"
    if name in CONSTANTS:
        return "number"
    known = keyword.iskeyword(name) or (hasattr(builtins, name) and before != ".")
    return "keyword" if known else None
