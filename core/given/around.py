"""What is done with a matrix where it stands: it is turned about, a part of a calculation, or what
comes out of one.

A part is never taken for the whole: `Q = 0.5 * [[2, 4]]` is left out, and `Q = [[1, 0]] [[2], [4]]
= [[2]]` is its last matrix.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from .finding import Block, Fault
from .naming import TURN, named, plain
from .nested import transposed

_PART = "it is a part of a calculation there: write down what comes out."
_DECIMAL = r"[0-9]{1,9}(?:\.[0-9]{0,9})?(?:e[+-]?[0-9]{1,3})?"
_ROOT = r"(?:√|\\sqrt|(?:np\.|math\.|torch\.)?sqrt)[\w.{}_]{1,12}"
_FRACTION = (
    rf"(?:{_DECIMAL}/(?:{_DECIMAL}|{_ROOT})|"
    rf"\\[dt]?frac\{{[^{{}}]{{1,20}}\}}\{{(?:{_ROOT}|[^{{}}]{{1,20}})\}})"
)
_TIMES = r"(?:\*|@|·|×|⋅|\\cdot|\\times)"
_EQUALS = re.compile(r"<-|:=|==|=|≈|\\approx")
_FACTOR = re.compile(
    rf"[-+]?(?:{_DECIMAL}{_TIMES}|{_FRACTION}{_TIMES}?)|[-+]|.{{0,30}}softmax\}}?"
)  # between = and a matrix
_OF_ALL = re.compile(rf"\s*{_DECIMAL}\s*\*\s*")  # MATLAB's 1.0e+03 *, above the rows
_CLOSED = re.compile(r"(?:\s|[)\]$]|\\right(?![a-z])[)\].]?)*")  # what may close around a matrix
_TURNED = re.compile(TURN)
_GOES_ON = re.compile(rf"\s*(?:(?:{_TIMES}|/|\+|-)\s*(?:[0-9.\\√(\[]|np\.|math\.|torch\.|sqrt)|@)")
_OTHER = re.compile(r"[(\[\\]$")  # another one follows
_BRACKETS = re.compile(r"\\(?:left|right|[bB]ig[lr]?)(?![a-z])\.?|[\s()\[\]$]")
_OPERATOR = re.compile(
    rf"[-+]?(?:{_DECIMAL}|{_FRACTION})?{_TIMES}?[-+]?(?:{_DECIMAL}|{_FRACTION})?{_TIMES}?"
)
_COMES_OUT = re.compile(
    rf"(?:(?:/|{_TIMES})?(?:{_DECIMAL}|{_FRACTION}|{_ROOT}))?&?(?:=|≈|\\approx)"
)


def settled(text: str, blocks: Sequence[Block]) -> tuple[list[Block], list[Fault]]:
    """Return the matrices of a cleaned text that are what their names say, and why others are left
    out."""
    kept: list[Block] = []
    faults: list[Fault] = []
    for formula in _formulas(text, blocks):
        block, behind = replace(formula[-1], before=formula[0].before), _behind(text, formula[-1])
        turned = _TURNED.match(behind)
        if turned and len(block.shape) > 1:
            block, behind = (
                replace(block, numbers=transposed(block.numbers), words=()),
                behind[turned.end() :],
            )
        goes_on = _GOES_ON.match(behind)
        if not (goes_on or (len(formula) == 1 and _has_a_factor(block))) or not named(block.before):
            kept.append(block)
        elif not (
            goes_on and len(block.shape) == 1 and _OTHER.search(goes_on[0])
        ):  # q · k is written out for its reader alone
            faults.append(Fault(block.line, _PART))
    return kept, faults


def _behind(text: str, block: Block) -> str:
    """Return the rest of the line behind a matrix and the brackets around it; "" for one in
    quotes."""
    line = text[block.end : block.end + 80].partition("\n")[0]
    is_quoted = text[max(0, block.start - 1) : block.start] in ("'", '"')
    return "" if is_quoted else line[_CLOSED.match(line).end() :]  # type: ignore[union-attr]


def _has_a_factor(block: Block) -> bool:
    above, _, line = plain(block.before).rpartition("\n")
    if not line.strip() and _OF_ALL.fullmatch(above.rstrip().rpartition("\n")[2]):
        return True
    *_, sides = _EQUALS.split(line)[1:] or [""]
    return bool(_FACTOR.fullmatch(_BRACKETS.sub("", sides)))


def _formulas(text: str, blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Return each matrix by itself, and those of one calculation together where it says what comes
    out: that is the last."""
    at = 0
    while at < len(blocks):
        end, result = at + 1, at
        while end < len(blocks) and (link := _link(text[blocks[end - 1].end : blocks[end].start])):
            result = end if link == "comes out" else result
            end += 1
        yield list(blocks[at : result + 1])
        at = result + 1
        while at < end and _link(text[blocks[at - 1].end : blocks[at].start]) == "operator":
            at += 1


def _link(gap: str) -> str:
    """Return how what stands between two matrices makes them one calculation; "" where it does
    not."""
    bare = _BRACKETS.sub("", gap)
    if gap.count("\n") < 2 and _COMES_OUT.fullmatch(bare):
        return "comes out"
    if "\n" in gap or "[" in gap or not _OPERATOR.fullmatch(bare):
        return ""
    return "operator" if bare and not bare[-1].isdigit() else "beside"
