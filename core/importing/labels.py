"""Where the name of a matrix stands: directly before it, in its line or the nearest above, alone or
in a chain, `W_Q = W_K =`, a list, `Q, K, V =`, or what several lines print."""

import re

from .names import SOLUTIONS, Name, parse_name

LONGEST = 200  # letters of one line that are read for a name
_PRINT = re.compile(r"^\s*(?:System\.out\.)?print(?:ln|f)?!?\s*\((.*?)\)?;?\s*$")
_PRINTS = re.compile(  # several, on lines of their own or with ; between
    r"(?:^|(?<=[;\n]))(?:[ \t>]*print\(\w+[^()\n]*(?:\([^()\n]*\)\s*)?\)[ \t]*[;\n]\s*){2,}$"
)
_LISTED = re.compile(r"\s*(?:let|const|var)?\s*\(?([^=()]{3,80}?)\)?\s*(?:=|:=|<-|←)[\s(\[]*")
_SEPARATORS = re.compile(r"(<-|←|:=|==|=>|=|:|→|->|⇒|≈|\\approx|\\to\b|\\rightarrow\b)")
_SAYS = re.compile(
    r"\s(?:is|are|be|equals?|equal to|as|gives|becomes)\s*(?:then|thus)?\s*$", re.IGNORECASE
)
_AROUND = " \t\n\"'`([{,.;*#>|&-%/)]}!$"
_NUMERIC = re.compile(r"[-+]?[\d./√\\fracsqt{}\s]*[*@·×⋅+/-]?$|[-+*@·×⋅/]|\\cdot|\\times")
_ORDINARY = re.compile(
    "words|tokens|data|inputs?|result|step|head|sentence|attention|out|output|value|key|[ceosp]"
)


def find_names_before(label: str) -> tuple[tuple[Name, ...], bool]:
    """Return the names directly before a matrix, several in `W_Q = W_K = [[…`, and whether a number
    or a sign stands in between, so that the matrix is a part of a calculation.

    >>> [name.name for name in find_names_before("the query matrix is W_Q = ")[0]]
    ['w_q']
    >>> find_names_before("Q = 0.5 * ")
    ((), True)
    """
    line, own = _nearest(label)
    sides = _SEPARATORS.split(line)
    parts = [part.strip() for part in sides[::2]]
    if _is_factor(parts[-1], own):
        return (), True
    named_sides = [k for k, part in enumerate(parts) if part.strip(_AROUND)] or [0]
    last = named_sides[-1]
    whole_only = last == len(parts) - 1 and not _SAYS.search(parts[last] + " ")
    found = _parse_side(_SAYS.sub("", parts[last] + " "), whole_only)
    if found is None:
        return (), False
    names = [found]
    is_whole = _parse_side(parts[last], True) is not None
    for k in reversed(named_sides[:-1] if is_whole else []):
        other = _parse_side(parts[k], True)
        if sides[2 * k + 1] == ":" or not other or not other.plain or other.name in SOLUTIONS:
            break
        if not found.plain:  # q_1 = x_1 W_Q says which row it is
            return ((other if other.name == found.name else found),), False
        names.insert(0, other)
    return tuple({name.name: name for name in names}.values()), False


def _nearest(label: str) -> tuple[str, bool]:
    """Return the end of the line that may name a matrix, behind the last bracket that is open and
    the last comma, and whether it is the matrix's own line."""
    *above, line = label.split("\n")
    if not (own := not is_empty(line)):
        lines = (one for one in reversed(above) if not is_empty(one))
        line = next((one for one in lines if one.count("|") < 2 and one.count("\t") < 2), "")
    line = match[1] if (match := _PRINT.match(line)) else line
    line, depth = line.replace("**", " ")[-LONGEST:], 0
    for i in range(len(line) - 1, -1, -1):
        sign, behind = line[i], line[i + 1 :]
        if sign in "([{" and depth:
            depth -= 1
        elif (sign in "([{" and behind.strip()) or (
            sign in ",;" and not depth and not is_empty(behind)
        ):
            return behind, own
        depth += sign in ")]}"
    return line, own


def _is_factor(side: str, own: bool) -> bool:
    """Return whether a number or a sign between a name and a matrix makes it part of a product."""
    if not own:
        return bool(re.fullmatch(r"\s*[\d.e+-]+\s*[*×]\s*", side))  # MATLAB's 1.0e+03 *
    if not side.strip(_AROUND):
        return bool(re.search(r"[-+*@·×⋅/]\s*[(\[]?$", side))
    return bool(_NUMERIC.fullmatch(side) and re.search(r"[\d*@·×⋅+/-]", side))


def is_empty(label: str) -> bool:
    """Return whether no word stands between two matrices."""
    return not re.search(r"\w", label)


def find_listed_names(label: str) -> tuple[Name, ...]:
    """Return the names of a line such as `Q, K, V =`, or of several lines that print them; none
    where it is no such line."""
    if printed := _PRINTS.search(label):
        names = [parse_name(one) for one in re.findall(r"print\((\w+)", printed[0])]
        return tuple(name or Name("") for name in names)
    match = _LISTED.fullmatch(label.rpartition("\n")[2])
    found = [parse_name(part) for part in match[1].split(",")] if match else []
    return tuple(name for name in found if name) if len(found) > 1 and all(found) else ()


def _parse_side(side: str, whole_only: bool) -> Name | None:
    """Read one side of an equation or a heading: as a whole, then its last words."""
    side = side.strip(_AROUND if "(" not in side else " \t\"'`*#>|&")
    shorter = re.sub(r"\s*\([^()]*\)\s*:?$", "", side)
    for whole in (side, shorter, re.sub(r"^(?:Step|Head)\s*\d+[.:)]?\s*", "", shorter)):
        if found := parse_name(whole) or parse_name(whole.strip(_AROUND)):
            return found
    words = [] if whole_only else shorter.split()
    for length in (3, 2, 1):
        tail, before = (
            [word.strip(_AROUND) for word in words[-length:]],
            words[-length - 1 : -length],
        )
        lone = length == 1 and tail and (tail[0] == "A" or _ORDINARY.fullmatch(tail[0].lower()))
        if len(tail) < length or lone or (before and before[0][-1] in "*@·×⋅+/-"):
            continue
        if found := parse_name(" ".join(tail)):
            return found
    return None


def may_be_a_word(word: str) -> bool:
    """Return whether a matrix's name is rather a word of the sentence, beside one of its rows."""
    return word in ("a", "I") or bool(_ORDINARY.fullmatch(word.lower()))
