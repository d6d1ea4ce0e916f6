"""A pasted text cut into pieces: numbers, words, brackets, what separates them; each with its line
and place. Nothing is evaluated.

Every pattern here reads a character once, so that a text of any kind costs its length.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from .exact import spelled
from .side_by_side import one_after_the_other

INFINITE = {"inf": "inf", "infinity": "inf", "∞": "inf", "infty": "inf"}
TRUTH = {"true": "1", "false": "0"}
CLOSES = {"(": ")", "[": "]", "{": "}"}
_BLANKS = "\u00a0\u2007\u2009\u202f\u200b\ufeff`$⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠│"
_SIGNS, _NOTHING = (
    str.maketrans(dict.fromkeys("−–—﹣－", "-")),
    str.maketrans(dict.fromkeys(_BLANKS, " ")),
)
_KINDS = r"\{(?:[bpvBV]?matrix|smallmatrix|array)\*?\}"
_ARRAY = rf"\\begin\s{{0,3}}{_KINDS}(?:\s{{0,3}}\[[a-z]\])?(?:\s{{0,3}}\{{[lcr|@\s]{{0,99}}\}})?"
_ROOT = r"\\sqrt\{[^{}\n]{0,40}\}"
_SHAPE = re.compile(r"[(\[]\s?[0-9]{1,4}\s?[x×]\s?[0-9]{1,4}\s?[)\]]")  # Q (2 × 3)
_PAIR = re.compile(  # OrderedDict([('bias', tensor(
    r"(?:\bOrderedDict\()?\[?\((?P<name>[\"'][\w.]{1,80}[\"']),(?=\s{1,20}(?:Parameter"
    r" containing:|torch|np|tensor|array)\b)"
)
_COMMENT = re.compile(r"#|//")
_SWITCHED_OFF = re.compile(
    r"[\s#/]{0,9}[\w.]{1,40}\s{0,3}=(?![=>])"
)  # code that is none any more: # X = [[
_PIECES = re.compile(
    rf"(?P<begin>{_ARRAY})"
    rf"|(?P<end>\\end\s{{0,3}}{_KINDS})"
    r"|(?P<around>\\(?:begin|end)\s{0,3}\{[a-z]{1,20}\*?\}|\\(?:left|right|hline|quad|qquad|displaystyle|[bB]ig[lr]?)(?![a-z])"
    r"|\\phantom\{-?\}|\\[,;:!>\s])"
    r"|(?P<rowend>\\\\(?:\[-?[0-9.]{1,8}[a-z]{2}\])?|\\cr\b|\\newline\b)"
    r"|(?P<ellipsis>\.\.\.\.*|…|⋯|⋮|⋱|\\[cvld]?dots\b)"
    r"|(?P<comment>(?:\#|//|(?<![\w.\\])%)[^\n]*)"
    r"|(?P<string>\"[^\"\n]{0,80}\"|(?<![\w\])])'[^'\n]{0,80}')"
    r"|(?P<arrow>->|=>|→|⇒|↦|\\to\b|\\rightarrow\b|\\mapsto\b)"
    r"|(?P<equals><-|←|:=|==|=|\\equiv\b|≈|\\approx\b)"
    r"|(?P<infinite>[+-]?(?:\\infty\b|∞))"
    r"|(?P<newline>\n)|(?P<space>[^\S\n]+)"
    r"|(?P<open>[\[({])|(?P<close>[\])}])|(?P<comma>,)|(?P<semi>;)|(?P<pipe>\||\\vert\b)|(?P<amp>&)|(?P<colon>:)"
    rf"|(?P<command>{_ROOT}|\\[dt]?frac\{{[^{{}}\n]{{0,60}}\}}\{{(?:{_ROOT}|[^{{}}\n]){{0,60}}\}}|\\[A-Za-z]+)"
    r"|(?P<chunk>(?:[^\s\[\](){},;|&=:\"…→⇒←≈\\#-]|-(?!>))+)"
    r"|(?P<other>.)"
)


class Piece(NamedTuple):
    """One piece: what kind it is, how it is written (a number in the one spelling that is kept),
    where it stands.

    `spaced` says whether white space comes before it, `pointed` whether a number ends in its point,
    as numpy prints whole ones.
    """

    kind: str
    text: str
    line: int
    start: int
    end: int
    spaced: bool = False
    pointed: bool = False
    written: str = ""  # a number as it stands there


def cleaned(text: str) -> str:
    """Return the text with one kind of line end, minus signs and spaces as code has them, and no
    shapes, line numbers or R's margins.

    >>> cleaned("1 X\\n2 1 0\\n3 0 −1\\n")
    '  X\\n  1 0\\n  0 -1\\n'
    """
    plain = (
        text.replace("\r\n", "\n")
        .replace("\r", "\n")
        .replace("\v", "\n")
        .replace("\f", "\n")
        .translate(_SIGNS)
    )
    plain = one_after_the_other(_without_pairs(_with_outputs(plain))).translate(_NOTHING)
    plain = re.sub(
        r"\[[0-9]{0,4},[0-9]{0,4}\]",
        lambda match: match[0] if match[0][1] != "," and match[0][-2] != "," else " ",
        plain,
    )
    plain = re.sub(r"(?<=[0-9])\{,\}(?=[0-9])", ".", plain)  # LaTeX's decimal comma
    return _without_line_numbers(_SHAPE.sub(lambda match: " " * len(match[0]), plain))


def _without_pairs(text: str) -> str:
    """Write a name and its tensor, as OrderedDict and lists of parameters are printed, as a
    dictionary has them: 'bias': tensor("""
    return _PAIR.sub(
        lambda match: " " * (match.start("name") - match.start()) + f"{match['name']}:", text
    )


def _with_outputs(text: str) -> str:
    """Take the comment sign from a matrix that a comment shows as what comes out: `# tensor([[1.,
    0.],` and the lines below it."""
    lines, opened = text.split("\n"), 0
    for i, line in enumerate(lines):
        sign = _COMMENT.search(line)
        before, shown = (line[: sign.start()], line[sign.end() :]) if sign else (line, "")
        goes_on = opened > 0 and not before.strip()
        if goes_on or ("[[" in shown and not _SWITCHED_OFF.match(shown)):
            lines[i] = f"{before} {shown}"
            opened = opened * goes_on + shown.count("[") - shown.count("]")
        else:
            opened = 0
    return "\n".join(lines)


def _without_line_numbers(text: str) -> str:
    """Blank out numbers that count the lines, where each line has one and some line is more than a
    row of numbers."""
    lines = text.split("\n")
    numbered = [
        (i, re.match(r"\s{0,8}([0-9]{1,5})[.:|)]?(?=\s)", line))
        for i, line in enumerate(lines)
        if line.strip()
    ]
    counts = [int(match[1]) for _, match in numbered if match]
    if (
        len(numbered) < 3
        or len(counts) < len(numbered)
        or any(b - a != 1 for a, b in pairwise(counts))
    ):
        return text
    if not any(re.search(r"[A-Za-z\[]", lines[i]) for i, _ in numbered):
        return text
    for i, match in numbered:
        if match:
            lines[i] = " " * match.end() + lines[i][match.end() :]
    return "\n".join(lines)


def pieces(text: str) -> Iterator[Piece]:
    """Return the pieces of a cleaned text, in their order; spaces are only told of by what follows
    them."""
    line, spaced = 1, True
    for match in _PIECES.finditer(text):
        kind, written = match.lastgroup or "other", match[0]
        if kind in ("space", "around"):
            spaced = True
            continue
        if kind == "newline":
            yield Piece(kind, written, line, match.start(), match.end(), spaced)
            line, spaced = line + 1, True
            continue
        if kind == "chunk":
            yield _of_chunk(written, line, match.start(), match.end(), spaced)
        elif kind == "string":
            inner = _of_chunk(written[1:-1].strip(), line, match.start(), match.end(), spaced)
            yield (
                inner
                if inner.kind == "number"
                else Piece(kind, written[1:-1], line, match.start(), match.end(), spaced)
            )
        elif kind == "infinite":
            yield Piece(
                "number",
                "-inf" if written.startswith("-") else "inf",
                line,
                match.start(),
                match.end(),
                spaced,
            )
        else:
            yield Piece(kind, written, line, match.start(), match.end(), spaced)
        spaced = False


def _of_chunk(written: str, line: int, start: int, end: int, spaced: bool) -> Piece:
    """Tell whether a run of characters is a number, a word, or neither."""
    bare = written.strip("*").strip("~")
    sign, rest = ("-", bare[1:]) if bare.startswith("-") else ("", bare.removeprefix("+"))
    if rest.lower() in INFINITE:
        return Piece("number", f"{sign}inf", line, start, end, spaced)
    if bare.lower() in TRUTH:
        return Piece("number", TRUTH[bare.lower()], line, start, end, spaced)
    if not any(character.isdecimal() for character in bare):
        return Piece(
            "word" if any(map(str.isalpha, bare)) else "other", written, line, start, end, spaced
        )
    try:
        return Piece("number", spelled(bare), line, start, end, spaced, bare.endswith("."), bare)
    except ValueError:
        first = bare.lstrip("+-_^'")[:1]
        return Piece("word" if first.isalpha() else "broken", written, line, start, end, spaced)
