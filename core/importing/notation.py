"""A pasted text made plain: one kind of sign for each meaning, comments apart, the constructors of
all languages in one notation. Its lines stay as they are numbered. Nothing is evaluated."""

import ast
import math
import operator
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from ..text.exact_decimals import normalize_number

_SIGNS = str.maketrans(
    dict.fromkeys("−–—﹣－", "-")
    | dict.fromkeys("ᵀ⊤", "^T")
    | {"²": "^2", "\v": "\n", "\f": "\n", "\u2028": "\n", "\u2029": "\n"}
    | dict.fromkeys("\u00a0\u2007\u2009\u202f`$", " ")
)
_INVISIBLE = "[\u200b\u200c\u200d\u2060\ufeff\u00ad]+"
GLUED = "¦"  # where nothing that is seen parts two digits
_LINE_NUMBER = re.compile(r"\s*(\d{1,4})(?=[\s\[A-Za-z_]|$)")
_NUMBERED_NAME = re.compile(r"\s*\d+\s*[A-Za-z_]\w*\s*(?:[=:←]|<-)")
_PROMPT = re.compile(r"^\s*(?:>>>|#>|julia>|ghci>|In\s?\[\d*\]:|Out\s?\[\d*\][:=]|>(?=\s))\s?")
_GOES_ON = re.compile(r"^\s*\.\.\.:?\s(?=\s*\S)")
_LEADING = re.compile(r"^\s*(?:#+|//+|%+|--+(?=\s)|/\*+|;;+)(?![\w|-]*\|)\s?")
_TRAILING = re.compile(
    r"(?:(?<=[\s\]),;\d}])(?:#|//|--(?=\s)|/\*)|(?<=[\s\]),;\\])%|(?<=[\]),\d}])\s*(?:←|<-))"
)
_SWITCHED_OFF = re.compile(r"^\s*[A-Za-z]")
_ASSIGNED = re.compile(r"[\s>]*[\w.^{}()\\]*[^\W\d][\w.^{}()]*\s*")  # what <- gives a value to
_SHOWS = re.compile(r"\[\s*\[|(?:tensor|array)\(\s*\[|=>\s*\[")
_REMOVED = re.compile(
    r"Parameter containing:|<tf\.(?:Tensor|Variable)[^\n]{0,80}?numpy=|\bOrderedDict\("
    r"|,?\s?(?:dtype=[\w.]+|device='[\w:]+'|requires_grad=\w+|grad_fn=<\w+>)"
    r"|\\(?:begin|end)\{(?:aligned|align|equation|gathered|split)\*?\}|\\hline|\\phantom\{-?\}"
    r"|\\(?:left|right|[bB]igg?[lr]?)(?![a-z])\.?|\\[,;:!>]|\\q?quad\b"
    r"|(?m:^\s*\[\d{1,4},\](?=\s))|(?m:^(?:\s*\[,\d{1,4}\])+\s*$)"
)
_LATEX = re.compile(
    r"\\(begin|end)\s*\{(?:[bpvBV]?matrix|smallmatrix|array)\*?\}(?:\[[a-z]\])?(?:\{[lcr|@\s]{0,40}\})?"
)
_SCALAR = re.compile(
    r"\b(?:np\.|numpy\.|torch\.|jnp\.|tf\.)?(?:float|int|double|mpf|Decimal|bfloat)\d*\(['\"]?(-?[\d.eE+-]+)['\"]?\)"
)
_QUOTED = re.compile(r"(['\"])([-+\d.eE\s,]+;[-+\d.eE\s,;]+)\1")
_PAIR = re.compile(
    r"\(\s*['\"]([\w.]{1,80})['\"],\s*(?=(?:torch\.)?(?:tensor|nn\.Parameter|Parameter)\b)"
)
_EYE = re.compile(r"\b(?:np\.|numpy\.|torch\.|jnp\.|tf\.)?(?:eye|identity)\(\s*([1-9]\d?)\s*\)")
_R_MATRIX = re.compile(r"\bmatrix\(\s*c\(([^()]{1,9000})\)([^()]{0,80})\)")
_R_VECTOR = re.compile(r"\bc\(([^()\[\]]*)\)")


@dataclass(frozen=True)
class Plain:
    """A text made plain, the word that a comment says at the end of a line, the lines that are
    comments themselves, and what could not be made out."""

    text: str
    words: dict[int, str] = field(default_factory=dict)
    comments: frozenset[int] = frozenset()


def plain(text: str) -> Plain:
    """Return the text in one notation, line by line.

    >>> plain("Q ← [[1, −2],  # cat").text, plain("Q = [1,  # cat").words
    ('Q ← [[1, -2],  ', {0: 'cat'})
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_SIGNS)
    text = re.sub(rf"(?<=\d){_INVISIBLE}(?=\d)", GLUED, text)
    text = unicodedata.normalize("NFKC", re.sub(_INVISIBLE, "", text)).replace("⁄", "/")
    words: dict[int, str] = {}
    comments: set[int] = set()
    lines = _remove_line_numbers(text.split("\n"))
    prompts = any(line.lstrip().startswith(">>>") for line in lines)
    for i, line in enumerate(lines):
        bare = _PROMPT.sub("", line)
        bare = _GOES_ON.sub(" ", bare) if prompts else bare
        if match := _LEADING.match(bare):
            bare = " " * match.end() + bare[match.end() :]
            comments |= {i} if _SWITCHED_OFF.match(bare) else set()
        lines[i], word = _remove_comment(bare)
        words |= {i: word} if word else {}
    text = "\n".join(_dashes(lines))
    text = re.sub(r"(?<=\d)\{,\}(?=\d)", ".", text)  # LaTeX's decimal comma
    text = _LATEX.sub(lambda match: "⟦" if match[1] == "begin" else "⟧", text)
    for pattern, instead in _REWRITTEN:
        text = pattern.sub(_same_lines(instead), text)
    return Plain(text, words, frozenset(comments))


def _remove_line_numbers(lines: list[str]) -> list[str]:
    """Return the lines without the numbers of a listing: they count up, and behind one stands a
    name with its sign.

    >>> _remove_line_numbers(["1 Q =", "2 3 1", "3 0 2"])
    ['  Q =', '  3 1', '  0 2']
    """
    matches = [_LINE_NUMBER.match(line) for line in lines]
    numbers = [int(match[1]) if match else -1 for match in matches]
    starts = [i for i, number in enumerate(numbers) if not i or number != numbers[i - 1] + 1]
    for start, end in pairwise([*starts, len(lines)]):
        if end - start > 2 and any(map(_NUMBERED_NAME.match, lines[start:end])):
            for i in range(start, end):
                lines[i] = _LINE_NUMBER.sub(lambda match: " " * len(match[0]), lines[i], count=1)
    return lines


def _remove_comment(line: str) -> tuple[str, str]:
    """Return a line without the comment at its end, and that one's first word; a comment that shows
    a matrix stays."""
    sign = _TRAILING.search(line)
    before = line[: sign.start()] if sign else ""
    if not sign or not before.strip() or before[-1] == ":" or _ASSIGNED.fullmatch(before):
        return line, ""
    said = line[sign.end() :]
    if _SHOWS.search(said):
        return before + " " * len(sign[0]) + said, ""
    return before, first_word(said)


def first_word(comment: str) -> str:
    """Return the word that a comment beside a row begins with.

    >>> first_word(" Your  (x^1)"), first_word(" token 1: cat")
    ('Your', 'cat')
    """
    said = re.sub(
        r"^(?:token|word|row|position|pos)?\s{0,3}\d{0,3}\s{0,3}[:=–-]\s{0,3}",
        "",
        comment.lstrip("#/% \t*-")[:80],
        flags=re.IGNORECASE,
    )
    found = (word.strip("\"',.:;()*/") for word in said.split() if any(map(str.isalnum, word)))
    return next(found, "")


def _dashes(lines: list[str]) -> list[str]:
    """Write YAML's lists of lists as brackets, `- - 2` and `- 0` below it, or `- [2, 0]`."""
    i = 0
    while i < len(lines):
        lines[i] = re.sub(r"^(\s*)-\s+(?=[\[(])", r"\1  ", lines[i])
        if not re.match(r"\s*-\s+-\s+[-\d.]+\s*$", lines[i]):
            i += 1
            continue
        first, rows = i, list[list[str]]()
        while i < len(lines) and (cell := re.match(r"\s*(-\s+)?-\s+([-\d.]+)\s*$", lines[i])):
            rows += [[]] if cell[1] else []
            rows[-1].append(cell[2])
            lines[i] = ""
            i += 1
        lines[first] = to_brackets(rows)
    return lines


def to_brackets(rows: list[list[str]]) -> str:
    """Return rows as nested brackets."""
    return "[" + ", ".join(f"[{', '.join(row)}]" for row in rows) + "]"


def _same_lines(instead: Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
    return lambda match: instead(match) + "\n" * match[0].count("\n")


def _rewrite_r_matrix(match: re.Match[str]) -> str:
    """Write R's matrix(c(…), nrow=2, byrow=TRUE) as brackets; it counts down the columns."""
    cells, rest = [cell.strip() for cell in match[1].split(",")], match[2].replace(" ", "")
    high, wide = re.search(r"nrow=(\d{1,3})|^,(\d{1,3})", rest), re.search(r"ncol=(\d{1,3})", rest)
    rows = int(high[1] or high[2]) if high else len(cells) // max(1, int(wide[1])) if wide else 0
    if rows < 1 or len(cells) % rows:
        return re.sub(r"\d", "?", match[0])
    wide_ = len(cells) // rows
    by_row = [cells[k : k + wide_] for k in range(0, len(cells), wide_)]
    return to_brackets(by_row if "byrow=T" in rest else [cells[k::rows] for k in range(rows)])


def _identity(match: re.Match[str]) -> str:
    n = int(match[1])
    return (
        to_brackets([[str(int(a == b)) for b in range(n)] for a in range(n)])
        if n < 33
        else match[0]
    )


_REWRITTEN: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_REMOVED, lambda match: " "),
    (_PAIR, lambda match: f" {match[1]}: "),
    (_SCALAR, lambda match: match[1]),
    (_QUOTED, lambda match: f"[{match[2]}]"),
    (_EYE, _identity),
    (_R_MATRIX, _rewrite_r_matrix),
    (_R_VECTOR, lambda match: f"[{match[1]}]"),
)


# ---------- a cell ----------

_DECIMAL = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?")
_INFINITE = re.compile(r"([-+]?)(?:inf|infinity|∞|\\infty)", re.IGNORECASE)
_SUFFIX = re.compile(r"(?<=[\d.])(?:_?f(?:32|64)|f|d|L)$")
_TRUTH = {"true": "1", "false": "0"}
LONGEST_CELL = 80


def cell(written: str) -> str | None:
    """Return the number of a cell as it is kept: as it was typed, or what a fraction, a root or a
    small calculation comes to; behind the last equals sign, where there is one. None for any other.

    >>> cell("1/2"), cell("2·1 + 0·3 = 2"), cell("√3/2"), cell("01"), cell("two")
    ('0.5', '2', '0.866025404', None, None)
    """
    bare = _SUFFIX.sub("", re.split(r"=|≈|\\approx", written)[-1].strip().strip("*~\"' "))
    bare = _TRUTH.get(bare.lower(), bare)
    if not bare or len(bare) > LONGEST_CELL or re.match(r"[-+]?0\d", bare):
        return None  # 01 is two cells that have run together
    if match := _INFINITE.fullmatch(bare):
        return "-inf" if match[1] == "-" else "inf"
    if not _DECIMAL.fullmatch(bare):
        value = _calculate(bare) if re.search(r"\d", bare) else None
        bare = "" if value is None else f"{value:.9g}"
    try:
        return normalize_number(bare.removeprefix("+"))
    except ValueError:
        return None


def _calculate(bare: str) -> float | None:
    """Return what a sum, product, fraction or root of numbers comes to; None for anything else."""
    written = re.sub(r"\\[dt]?frac", r"\\frac", bare)
    for _ in range(3):
        written = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", written)
        written = re.sub(r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)", written)
    written = re.sub(r"\b(?:np|math|torch)\.", "", written).replace("^", "**").replace("{", "(")
    written = re.sub(r"√\s*(\d+\.?\d*|(?=\())", r"sqrt(\1)", written.replace("}", ")"))
    written = written.replace("sqrt()(", "sqrt(")
    written = re.sub(r"[·×⋅]|\\cdot|\\times", "*", written)
    written = re.sub(r"(?<=[\d)])\s*(?=sqrt|\()", "*", written)
    if not re.fullmatch(r"(?:sqrt|[-+*/().\d\s])+", written) or re.search(
        r"[\d.]\s+[-+]?[\d.]", written
    ):
        return None
    try:
        value = _evaluate(ast.parse(written.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None
    return value if math.isfinite(value) else None


_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _evaluate(node: ast.AST) -> float:
    match node:
        case ast.Constant(int() | float() as value):
            return float(value)
        case ast.UnaryOp(sign, of):
            return -_evaluate(of) if isinstance(sign, ast.USub) else _evaluate(of)
        case ast.BinOp(left, ast.Pow(), ast.Constant(2)):
            return _evaluate(left) ** 2
        case ast.BinOp(left, sign, right) if type(sign) in _OPERATORS:
            return _OPERATORS[type(sign)](_evaluate(left), _evaluate(right))
        case ast.Call(ast.Name("sqrt"), [of]):
            return math.sqrt(_evaluate(of))
    raise ValueError(node)
