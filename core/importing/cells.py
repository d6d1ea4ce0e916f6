"""The cells of a bracket or a line, and the number that one says."""

import ast
import math
import operator
import re
from collections.abc import Callable, Sequence

from ..text.exact_decimals import normalize_number

Cells = list[list[str]]
LONGEST_CELL = 80
_DECIMAL = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?")
_INFINITE = re.compile(r"([-+]?)(?:inf|infinity|∞|\\infty)", re.IGNORECASE)
_SUFFIX = re.compile(r"(?<=[\d.])(?:_?f(?:32|64)|f|d|L)$")
_TRUTH = {"true": "1", "false": "0"}


class UnreadableError(ValueError):
    """Why a bracket or a line is no matrix."""


def split_cells(body: str, kind: str) -> Cells:
    """Return the rows of a text in a bracket of this kind ("" for a line), each with its cells'
    texts. Raises UnreadableError where its commas may be decimal ones, or part cells.

    >>> split_cells("1 0; 0 1", "["), split_cells("0,5; 0,1", "(")
    ([['1', '0'], ['0', '1']], [['0.5', '0.1']])
    """
    parts = [part.strip() for part in re.split(r";|\\\\", body) if part.strip()]
    if is_decimal := _has_decimal_commas(parts, kind):
        parts = [re.sub(r"(?<=\d),(?=\d)", ".", part) for part in parts]
    lines = [line.strip() for line in body.split("\n") if line.strip()]
    if len(parts) == 1 and len(lines) > 1 and not any("," in line[-1] for line in lines):
        parts = lines
    rows = [_split_row(part) for part in parts]
    if (is_decimal or kind in ("", "(")) and len(rows) > 1 and all(len(row) == 1 for row in rows):
        return [[row[0] for row in rows]]
    return rows


def _split_row(row: str) -> list[str]:
    for separator in ("|", "\t", ","):
        if separator in row:
            whole = row.strip("| ").rstrip(",")
            cells = [one.strip() for one in whole.split(separator)]
            return [one for one in cells if one] if separator == "\t" else cells
    return [row] if cell(row) is not None or "=" in row else row.split()


def _has_decimal_commas(parts: Sequence[str], kind: str) -> bool:
    """Return whether commas are decimal ones."""
    commas = [part.count(",") for part in parts]
    glued = sum(len(re.findall(r"(?<=\d),(?=\d)", part)) for part in parts)
    pieces = [piece for part in parts for piece in part.split()]
    if not sum(commas) or glued != sum(commas) or any(piece.count(",") > 1 for piece in pieces):
        return False
    if any(re.search(r"\d\.|\.\d", part) for part in parts):
        return False
    if len(parts) < 2 or len(pieces) > len(parts):  # 0,5 1,2 or with tabs
        return len(pieces) > len(parts)
    if kind not in ("", "(") and 0 not in commas:
        raise UnreadableError("is 0,5 one number? Write 0.5, or a space behind each comma.")
    return True


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


_AS_PYTHON = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        *(
            (r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))"),
            (r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)"),
        )
        * 3,
        (r"\b(?:np|math|torch)\.", ""),
        (r"\^", "**"),
        (r"\{", "("),
        (r"\}", ")"),
        (r"√\s*(\d+\.?\d*)", r"sqrt(\1)"),
        (r"√\s*(?=\()", "sqrt"),
        (r"[·×⋅]|\\cdot|\\times", "*"),
        (r"(?<=[\d)])\s*(?=sqrt|\()", "*"),
    )
)


def _calculate(bare: str) -> float | None:
    """Return what a sum, product, fraction or root of numbers comes to; None for anything else."""
    written = bare
    for pattern, instead in _AS_PYTHON:
        written = pattern.sub(instead, written)
    is_number = re.fullmatch(r"(?:sqrt|[-+*/().\d\s])+", written)
    if not is_number or re.search(r"[\d.]\s+[-+]?[\d.]", written):
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
