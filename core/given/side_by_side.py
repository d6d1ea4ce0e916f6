"""Matrices whose rows stand beside one another, `Q = 1 0   K = 0 1` above `0 1   1 1`, as on a
sheet of paper or copied from one."""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from .naming import named

_OPENS, _CLOSES = "[(|⎡⎢⎣⎛⎜⎝│", "])|⎤⎥⎦⎞⎟⎠│"
_NUMBER = re.compile(r"[-+]?[0-9.∞][^\s,;\[\]()|=:⎡-⎦⎛-⎠│]{0,24}")
_BETWEEN = re.compile(rf"[{re.escape(_CLOSES)}][\s,]{{0,40}}[{re.escape(_OPENS)}]")
_AROUND = frozenset(_OPENS + _CLOSES + " \t,")
_NAMED = re.compile(r"([^\W\d_][^\s=:,;\[\]|]{0,24})\s{0,4}(?:=|:)(?!=)")
_ART = re.compile("[⎡-⎦⎛-⎠]")
_LONGEST = 2_000  # letters of a line that is looked at


def one_after_the_other(text: str) -> str:
    """Return the text with such matrices written one after the other, in the line of their names;
    no line is added or lost.

    >>> print(one_after_the_other("Q = 1 0   K = 2 1\\n    0 1       1 3\\nNow"))
    Q = [1 0; 0 1] K = [2 1; 1 3]
    <BLANKLINE>
    Now
    """
    lines = text.split("\n")
    for i, line in enumerate(lines):
        parts = _named_parts(line)
        if not parts or (len(parts) == 1 and not _ART.search(line)):
            continue
        names, starts, own = zip(*parts, strict=True)
        first = last = i
        while first and _ART.search(lines[first - 1]) and _is_rows(lines[first - 1]):
            first -= 1
        while last + 1 < len(lines) and _is_rows(lines[last + 1]):
            last += 1
        if first < last:
            widths = [len(row.split()) for row in own]
            rows = [
                own if k == i else _cut(lines[k], starts, widths) for k in range(first, last + 1)
            ]
            matrices = ("; ".join(filter(None, column)) for column in zip(*rows, strict=True))
            lines[first : last + 1] = [""] * len(rows)
            lines[i] = " ".join(
                f"{name} [{matrix}]" for name, matrix in zip(names, matrices, strict=True)
            )
    return "\n".join(lines)


def _named_parts(line: str) -> list[tuple[str, int, str]]:
    """Return the names of a line, where each begins, and the one row of numbers behind it; none
    where it holds anything else."""
    names = list(_NAMED.finditer(line)) if len(line) < _LONGEST else []
    if not names or line[: names[0].start()].strip() or not all(named(match[1]) for match in names):
        return []
    ends = [*(match.start() for match in names[1:]), len(line)]
    parts = [line[match.end() : end] for match, end in zip(names, ends, strict=True)]
    if not all(_is_rows(part) and not _BETWEEN.search(part) for part in parts):
        return []
    return [
        (match[0], match.start(), _numbers(part)) for match, part in zip(names, parts, strict=True)
    ]


def _is_rows(line: str) -> bool:
    rest = _NUMBER.sub("", line) if len(line) < _LONGEST else line
    return rest != line and set(rest.rstrip(" ;")) <= _AROUND


def _numbers(part: str) -> str:
    return " ".join(_NUMBER.findall(part))


def _cut(line: str, starts: Sequence[int], widths: Sequence[int]) -> list[str]:
    """Return what of a line belongs to each name: by its brackets, else as many numbers as above,
    else what stands below it."""
    parts = [_numbers(part) for part in _BETWEEN.split(line)]
    if len(parts) == len(starts):
        return parts
    found = list(_NUMBER.finditer(line))
    if len(found) == sum(widths):
        ends = list(accumulate(widths))
        return [
            " ".join(match[0] for match in found[end - width : end])
            for end, width in zip(ends, widths, strict=True)
        ]
    edges = [0, *starts[1:], len(line) + 1]
    return [
        " ".join(match[0] for match in found if a <= match.start() < b) for a, b in pairwise(edges)
    ]
