"""A pasted text in one notation: signs, constructors of libraries, LaTeX, R and YAML rewritten as
brackets, comments apart. Lines keep their numbers. Nothing is evaluated."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

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
_ASSIGNED = re.compile(r"[\s>]*[\w.^{}()\\]*[^\W\d][\w.^{}()]*\s*")  # what <- gives a value to
_SHOWS = re.compile(r"\[\s*\[|(?:tensor|array)\(\s*\[|=>\s*\[")


@dataclass(frozen=True)
class Plain:
    """A text in one notation, and the word that a comment says at the end of a line."""

    text: str
    words: dict[int, str] = field(default_factory=dict)


def plain(text: str) -> Plain:
    """Return the text in one notation, line by line.

    >>> plain("Q ← np.array([[1, −2],  # cat").text, plain("Q = [1,  # cat").words
    ('Q ← ([[1, -2],  ', {0: 'cat'})
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_SIGNS)
    text = re.sub(rf"(?<=\d){_INVISIBLE}(?=\d)", GLUED, text)
    text = unicodedata.normalize("NFKC", re.sub(_INVISIBLE, "", text)).replace("⁄", "/")
    words: dict[int, str] = {}
    lines = _remove_line_numbers(text.split("\n"))
    prompts = any(line.lstrip().startswith(">>>") for line in lines)
    for i, line in enumerate(lines):
        bare = _PROMPT.sub("", line)
        bare = _GOES_ON.sub(" ", bare) if prompts else bare
        if match := _LEADING.match(bare):
            bare = " " * match.end() + bare[match.end() :]
        lines[i], word = _remove_comment(bare)
        words |= {i: word} if word else {}
    text = "\n".join(lines)
    for pattern, instead in _REWRITTEN:
        text = pattern.sub(_keep_lines(instead), text)
    return Plain(text, words)


def _keep_lines(instead: str | Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
    """Return what replaces a match, with as many line breaks as the match has."""

    def replace(match: re.Match[str]) -> str:
        made = match.expand(instead) if isinstance(instead, str) else instead(match)
        return made + "\n" * (match[0].count("\n") - made.count("\n"))

    return replace


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


# ---------- other notations, as brackets ----------


def _brackets(rows: list[list[str]]) -> str:
    return "[" + ", ".join(f"[{', '.join(row)}]" for row in rows) + "]"


def _latex(match: re.Match[str]) -> str:
    """Write a matrix of LaTeX as [a, b; c, d]."""
    body = re.sub(r"(?<=\d),(?=\d)", ".", re.sub(r"\\(?:hline|text|mathrm|mathbf)\b", "", match[1]))
    body = re.sub(r"\\\\(?:\[[^\]\n]*\])?|\\cr\b", ";", body.replace(",", " ").replace("&", ", "))
    body = body.strip("; \n")
    return f"[{body}]" if ";" in body else f"[[{body}]]"


def _r_matrix(match: re.Match[str]) -> str:
    """Write R's matrix(c(…), nrow=2, byrow=TRUE) as brackets; it counts down the columns."""
    cells, rest = [cell.strip() for cell in match[1].split(",")], match[2].replace(" ", "")
    high, wide = re.search(r"nrow=(\d{1,3})|^,(\d{1,3})", rest), re.search(r"ncol=(\d{1,3})", rest)
    rows = int(high[1] or high[2]) if high else len(cells) // max(1, int(wide[1])) if wide else 0
    if rows < 1 or len(cells) % rows:
        return re.sub(r"\d", "?", match[0])
    wide_ = len(cells) // rows
    by_row = [cells[k : k + wide_] for k in range(0, len(cells), wide_)]
    return _brackets(by_row if "byrow=T" in rest else [cells[k::rows] for k in range(rows)])


def _identity(match: re.Match[str]) -> str:
    n = int(match[1])
    return _brackets([[str(int(a == b)) for b in range(n)] for a in range(n)])


def _yaml(match: re.Match[str]) -> str:
    """Write a list of lists, `- - 2` and `- 0` below it, as brackets."""
    rows = re.split(r"(?m)^\s*- +(?=- )", match[0])[1:]
    return _brackets([re.findall(r"- +(\S+)", row) for row in rows]) + "\n"


_OF_LIBRARY = r"(?:\b(?:np|numpy|torch|tf|jnp|nn|sp|sympy|mx|cp|math)\.)?"
_REWRITTEN: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern, re.MULTILINE), instead)
    for pattern, instead in (
        # what stands around numbers and says nothing of them
        (
            r"Parameter containing:|<tf\.(?:Tensor|Variable)[^\n]{0,80}?numpy=|\bOrderedDict\("
            r"|,?\s?(?:dtype=[\w.]+|device='[\w:]+'|requires_grad=\w+|grad_fn=<\w+>)"
            r"|\\(?:begin|end)\{(?:aligned|align|equation|gathered|split)\*?\}|\\phantom\{-?\}"
            r"|\\(?:left|right|[bB]igg?[lr]?)(?![a-z])\.?|\\q?quad\b|\\displaystyle"
            r"|\\[,;:!>]|(?<!\\)\\[\[\]()]"
            r"|^\s*\[\d{1,4},\](?=\s)|^(?:\s*\[,\d{1,4}\])+\s*$",
            " ",
        ),
        (r"\b\d+×\d+ [A-Z]\w*\{[^}\n]*\}:\s*$", " "),  # Julia's 2×2 Matrix{Float64}:
        (r"(?<=\d)\{,\}(?=\d)", "."),  # LaTeX's decimal comma
        (
            r"\\begin\s*\{(?:[bpvBV]?matrix|smallmatrix|array)\*?\}(?:\[[a-z]\])?(?:\{[lcr|@\s]{0,40}\})?"
            r"((?:(?!\\begin|\\end)[\s\S])*?)\\end\s*\{(?:[bpvBV]?matrix|smallmatrix|array)\*?\}",
            _latex,
        ),
        # calls and types
        (
            r"\(\s*['\"]([\w.]{1,80})['\"],\s*(?=(?:torch\.)?(?:tensor|nn\.Parameter|Parameter)\b)",
            r" \1: ",
        ),
        (
            _OF_LIBRARY
            + r"\b(?:float|int|double|mpf|Decimal|bfloat)\d*\(['\"]?(-?[\d.eE+-]+)['\"]?\)",
            r"\1",
        ),
        (r"(['\"])([-+\d.eE\s,]+;[-+\d.eE\s,;]+)\1", r"[\2]"),  # np.matrix('1 0; 0 1')
        (_OF_LIBRARY + r"\b(?:eye|identity)\(\s*([1-9]|[12]\d)\s*\)", _identity),
        (r"\bmatrix\(\s*c\(([^()]{1,9000})\)([^()]{0,80})\)", _r_matrix),
        (r"\bc\(([^()\[\]]*)\)", r"[\1]"),
        (r"\bcbind\(((?:\s*\[[^\[\]]*\],?){1,99})\)", r"[\1].T"),
        (
            _OF_LIBRARY
            + r"\b(?:array|tensor|Tensor|FloatTensor|Parameter|constant|asarray|Variable|matrix|mat"
            r"|Matrix|Array|as_tensor|list|convert_to_tensor|rbind|new|vec|Vector|of)\d?!?(?=\s*[(\[{<])"
            r"|\bfromLists?\b|\b(?:Float|Int)\d+(?=\s*\[)|<\w[\w\s,<>:]{0,30}>(?=\s*[\[(])"
            r"|:\s*(?:&?\[[^=\n]{0,40}\]|[\w.]+(?:<[^=\n]*>|(?:\[[^=\n]{0,9}\])+))(?=\s*=)"
            r"|(?<=\w)(?:\[\d{0,3}\]){1,3}(?=\s*=\s*\{)|\b(?:float|double|int|f32|f64)(?:\[\d{0,3}\])+(?=\s*[{\w])"
            r"|(?<==)(?:\s*\[\d*\]){1,3}\w+(?=\s*\{)",
            "",
        ),
        (
            r"(?<!\w)(?:\w+\.)*(?:shape|(?:fig)?[sS]ize|zeros|ones|randn?|a?range|Linear|Conv1D|dim|axis)"
            r"\s*=?\s*[(\[]+[\d,\s]*[)\]]+",
            " ",
        ),
        (r"(=[ \t]*[A-Za-z]\w{0,20}[ \t]+)\[[\d\s,]+\]", r"\1"),  # Q = X  [3, 4]: its shape
        # rows and lists of lists
        (
            r"^(?:[^\[\]\n=]*=\s*\[\[[^\[\]\n]*\],?[ \t]*){2,}\n"
            r"(?:(?:[ \t]*\[[^\[\]\n]*\]{1,2},?)+[ \t]*(?:\n|\Z))+",
            lambda match: match[0].replace("[[", "[").replace("]]", "]"),
        ),
        (r"^(\s*)- +(?=[\[(])", r"\1  "),
        (r"(?:^\s*- +- +[-\d.]+ *\n(?:^\s*- +[-\d.]+ *(?:\n|\Z))*)+", _yaml),
    )
)
