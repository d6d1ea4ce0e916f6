"""Aggregate a class's answers: how many are right, and which mistakes the others show."""

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..text import written
from ..text.written import number
from .answers import UnreadableError, read
from .question import Opens, Question, WrongResult, judge, name_slips

OTHERS, UNEXPLAINED = "other answers", "no usual slip gives them"
COLUMNS = (
    *("number", "place", "question", "answer", "right"),
    *("what it is", "given most often", "count"),
)
MAX_GIVEN = 5  # different answers listed in a group


@dataclass(frozen=True)
class Group:
    """Equivalent answers.

    Attributes:
        answer: the number as the pages print it, an option's text, or `OTHERS`. count: how many
        gave it. right: whether it is right. says: for a number, the mistake, continuing “This is
        what comes out if”; several are numbered (1), (2). Empty if right. For an option, its
        explanation, if any. opens: where the right answer is shown. given: for numbers, the most
        frequent spellings with their counts.
    """

    answer: str
    count: int
    right: bool
    says: str
    opens: Opens | None = None
    given: tuple[tuple[str, int], ...] = ()


def group_answers(question: Question, answers: Iterable[object]) -> tuple[Group, ...]:
    """Group answers, each as `read` returned it: the right ones, then mistakes, most frequent
    first, then the others; for a choice, all options in order. Invalid answers are dropped."""
    counts = Counter(
        answer for answer in answers if isinstance(answer, str) and _is_kept(question, answer)
    )
    return (
        _group_options(question, counts) if question.options else _group_numbers(question, counts)
    )


def _is_kept(question: Question, answer: str) -> bool:
    try:
        return read(question.kind, len(question.options), answer) == answer
    except UnreadableError:
        return False


def _group_options(question: Question, counts: Mapping[str, int]) -> tuple[Group, ...]:
    told = {slip.gives: slip.says for slip in question.slips}
    return tuple(
        Group(
            option,
            counts[str(place)],
            right,
            told.get(place, ""),
            question.opens if right else None,
        )
        for place, option in enumerate(question.options)
        for right in [place in question.answers]
    )


def _group_numbers(question: Question, counts: Mapping[str, int]) -> tuple[Group, ...]:
    """Group the numbers with the same verdict."""
    right: Counter[str] = Counter()
    others: Counter[str] = Counter()
    slipped: dict[str, tuple[tuple[WrongResult, ...], Counter[str]]] = {}
    for given, count in sorted(counts.items()):
        verdict = judge(question, given)
        if verdict.right:
            alike = right
        else:
            _, alike = (
                slipped.setdefault(name_slips(verdict.slips), (verdict.slips, Counter()))
                if verdict.slips
                else ((), others)
            )
        alike[given] += count
    groups = [_group_slips(question, says, *alike) for says, alike in slipped.items()]
    return (
        Group(
            question.printed(question.answer), right.total(), True, "", question.opens, _most(right)
        ),
        *sorted(groups, key=lambda group: -group.count),
        *(
            [Group(OTHERS, others.total(), False, UNEXPLAINED, None, _most(others))]
            if others
            else []
        ),
    )


def _group_slips(
    question: Question, says: str, slips: tuple[WrongResult, ...], alike: Counter[str]
) -> Group:
    """Return the group of these mistakes. It is labelled with a mistake's own result; rounding and
    a wrong sign have none, so the most frequent answer is used."""
    own, most = [slip for slip in slips if slip in question.slips], _most(alike)
    answer = question.printed(own[0].gives) if own else most[0][0]
    return Group(answer, alike.total(), False, says, None, most)


def _most(alike: Counter[str]) -> tuple[tuple[str, int], ...]:
    """Return the most frequent answers, with the pages' minus sign."""
    return tuple((given.replace("-", "−"), count) for given, count in alike.most_common(MAX_GIVEN))


def to_data(question: Question, groups: Sequence[Group]) -> dict[str, Any]:
    """Return a vote's result for JSON, with the solution."""
    return {
        "of": sum(group.count for group in groups),
        "groups": [_group(group) for group in groups],
        "solution": question.solution,
        "bars": bars(question),
    }


def bars(question: Question) -> list[list[Any]]:
    """Return each bar for JSON: its label, its number (None if not finite), and its printed
    number."""
    return [
        [label, value if math.isfinite(value) else None, number(value)]
        for label, value in question.bars
    ]


def _group(group: Group) -> dict[str, Any]:
    given = [list(each) for each in group.given]
    said = {"answer": group.answer, "count": group.count, "right": group.right, "says": group.says}
    return said | {"opens": _place(group.opens), "given": given}


def _place(opens: Opens | None) -> dict[str, Any] | None:
    return {"path": opens.path, "fields": dict(opens.fields)} if opens else None


def to_csv(results: Iterable[Mapping[str, Any]]) -> str:
    """Return results as one CSV table, a row for each group of each question. A result is what
    `to_data` returned, with the question's `number`, `place` and text (`asks`). Spreadsheet
    formulas are escaped."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for result in results:
        for group in result.get("groups", ()):
            cells = [
                result["place"],
                " ".join(result["asks"].split("\n")),
                group["answer"],
                "yes" if group["right"] else "no",
                group["says"],
                "; ".join(f"{each} ({count})" for each, count in group["given"]),
            ]
            writer.writerow([result["number"], *map(written.escape_formula, cells), group["count"]])
    return file.getvalue()
