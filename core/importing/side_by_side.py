"""Matrices whose rows stand beside one another, `Q = 1 0   K = 0 1` above `0 1   1 1`, as on a
sheet of paper, or in a spreadsheet under one line of names."""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from .names import parse_name

_OPENS, _CLOSES = "[(|⎡⎢⎣⎛⎜⎝│", "])|⎤⎥⎦⎞⎟⎠│"
_NUMBER = re.compile(r"[-+]?[0-9.∞][^\s;\[\]()|=:⎡-⎦⎛-⎠│]{0,24}")
_BETWEEN = re.compile(rf"[{re.escape(_CLOSES)}][\s,]{{0,40}}[{re.escape(_OPENS)}]")
_AROUND = frozenset(_OPENS + _CLOSES + " \t,")
_NAME = re.compile(r"([^\W\d_][^\s=:,;\[\]|]{0,24})[ \t]{0,4}(?:[=:](?![=:])|(?=\s|$))")
_ART = re.compile("[⎡-⎦⎛-⎠]")
_LONGEST = 2_000  # letters of a line that is looked at


def one_after_the_other(text: str) -> str:
    """Return the text with such matrices written one after the other, in the line of their names;
    no line is added or lost.

    >>> print(one_after_the_other("Q = 1 0   K = 2 1\\n    0 1       1 3\\nNow"))
    Q = [1 0; 0 1], K = [2 1; 1 3]
    <BLANKLINE>
    Now
    """
    lines = text.split("\n")
    for i, line in enumerate(lines):
        names = list(_NAME.finditer(line)) if len(line) < _LONGEST else []
        own = _own_rows(line, names)
        if own is None or (len(names) == 1 and not re.search(r"[⎡-⎦⎛-⎠]|\|\s*$", line)):
            continue
        first = last = i
        while first and _ART.search(lines[first - 1]) and _is_rows(lines[first - 1]):
            first -= 1
        if not any(own) and last + 2 < len(lines) and not lines[last + 1].strip():
            last += 1
        while last + 1 < len(lines) and _is_rows(lines[last + 1]):
            last += 1
        widths = [len(row.split()) for row in own]
        starts = [name.start() for name in names]
        rows = [own if k == i else _cut(lines[k], starts, widths) for k in range(first, last + 1)]
        columns = [[row for row in column if row] for column in zip(*rows, strict=True)]
        even = all(len({len(row.split()) for row in column}) == 1 for column in columns)
        if first == last or not even:
            continue
        lines[first : last + 1] = [""] * len(rows)
        lines[i] = ", ".join(
            f"{name[1]} = [{'; '.join(column)}]"
            for name, column in zip(names, columns, strict=True)
        )
    return "\n".join(lines)


def _own_rows(line: str, names: Sequence[re.Match[str]]) -> list[str] | None:
    """Return the row of numbers behind each name of a line, "" for none; None where the line holds
    anything else."""
    if (
        not names
        or line[: names[0].start()].strip()
        or not all(parse_name(name[1]) for name in names)
    ):
        return None
    ends = [*(name.start() for name in names[1:]), len(line)]
    parts = [line[name.end() : end] for name, end in zip(names, ends, strict=True)]
    if len(names) > 1 and not any(part.strip() for part in parts):
        one_name = parse_name(line.strip())  # “Attention weights”, of one matrix
        return None if one_name and one_name.plain else [""] * len(names)
    if not all(_is_rows(part) and not _BETWEEN.search(part) for part in parts):
        return None
    return [_numbers(part) for part in parts]


def _is_rows(line: str) -> bool:
    rest = _NUMBER.sub("", line) if len(line) < _LONGEST else line
    return rest != line and set(rest.rstrip(" ;")) <= _AROUND


def _numbers(part: str) -> str:
    return " ".join(number.rstrip(",") for number in _NUMBER.findall(part))


def _cut(line: str, starts: Sequence[int], widths: Sequence[int]) -> list[str]:
    """Return what of a line belongs to each name: by its brackets, by empty cells of a spreadsheet
    or wide gaps, as many numbers as above, all alike, or what stands below it."""
    for parts in (
        _BETWEEN.split(line),
        re.split(r"\t\s*\t", line.strip("\t")),
        re.split(r"\s{2,}", line.strip()),
    ):
        if len(parts) == len(starts) > 1:
            return [_numbers(part) for part in parts]
    found = list(_NUMBER.finditer(line))
    sizes = list(widths) if any(widths) else [len(found) // len(starts)] * len(starts)
    if len(found) == sum(sizes):
        return [
            _numbers(" ".join(match[0] for match in found[end - size : end]))
            for end, size in zip(accumulate(sizes), sizes, strict=True)
        ]
    edges = [0, *starts[1:], len(line) + 1]
    return [
        _numbers(" ".join(match[0] for match in found if a <= match.start() < b))
        for a, b in pairwise(edges)
    ]
