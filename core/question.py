"""What is asked of a class, an answer in the one spelling that is kept of it, and what the answers come to: how many are right, and
which slips the others made."""

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from .exercises import Exercise, Opens, Slip, judge
from .exercises.answers import LONGEST, UnreadableError, parse, spelled
from .exercises.exercise import LETTERS, Kind, written
from .predictions import Prediction
from .written import number

OTHERS, UNEXPLAINED = "other answers", "no usual slip gives them"
MOST_GIVEN = 5  # different answers that a group lists
# What makes a formula of a cell in a spreadsheet (OWASP, CSV Injection).
BEGINS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


@dataclass(frozen=True)
class Question:
    """What a class is asked: an exercise, or a prediction, which is a choice. `asks` is plain text in lines, and may quote a
    reader's words; so may the `options` of a choice."""

    asks: str
    kind: Kind
    options: tuple[str, ...]
    source: Exercise | Prediction


@dataclass(frozen=True)
class Group:
    """Answers that are alike.

    Attributes:
        answer: the number as the pages write it, an option's text, or `OTHERS`.
        count: how many gave it.
        right: whether it is right.
        says: of a number, the slip, going on after “This is what comes out if”; several that give it are counted (1), (2). Empty
            where it is right. Of an option, a sentence of its own; empty for an exercise's right one.
        opens: where that number stands.
        given: of numbers, those given most often, with their own digits, and how many gave each.
    """

    answer: str
    count: int
    right: bool
    says: str
    opens: Opens | None = None
    given: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Tally:
    """All answers to a question.

    Attributes:
        of: how many there are.
        groups: the right answer, then slips, the most frequent first, then the others. Of a choice all options in their order.
        solution: what is told once it may be seen.
        opens: where the answer stands; a prediction is asked where it stands.
        bars: of a prediction, the computed numbers, each with its label.
    """

    of: int
    groups: tuple[Group, ...]
    solution: str
    opens: Opens | None
    bars: tuple[tuple[str, float], ...] = ()


def of(source: Exercise | Prediction) -> Question:
    """The question that this asks a class. Shares are not guessed one by one: the largest is chosen."""
    if isinstance(source, Exercise):
        return Question(source.question, source.kind, source.options, source)
    asks = source.asks_one or source.asks
    return Question(asks[0].upper() + asks[1:], "choice", source.choices, source)


def read(kind: Kind, options: int, text: object) -> str:
    """The answer in the one spelling that is kept of it, at most `LONGEST` characters. Raises UnreadableError with a sentence for
    the reader, which quotes nothing of theirs.

    A number keeps the decimals that were typed. Of a choice among so many options the place is typed and kept, from 0.

    >>> read("number", 0, " −.4300"), read("whole", 0, "1,296"), read("shape", 0, "(6, 16)"), read("choice", 3, "2")
    ('-0.4300', '1296', '6x16', '2')
    """
    if not isinstance(text, str):
        raise UnreadableError("is no text.")
    if any(character.isdecimal() and not character.isascii() for character in text):
        raise UnreadableError("has digits other than 0 to 9.")
    try:
        kept = _kept(kind, options, text)
    except UnreadableError as error:
        raise UnreadableError(error.says) from None
    if len(kept) > LONGEST:
        raise UnreadableError("has more digits than any answer here.")
    return kept


def _kept(kind: Kind, options: int, text: str) -> str:
    meant = parse(kind, text)
    if kind == "number":
        try:
            digits = Decimal(spelled(text))
        except InvalidOperation:
            raise UnreadableError("has a larger exponent than any number here.") from None
        return str(digits.copy_abs() if digits.is_zero() else digits).lower().replace("e+", "e")
    if isinstance(meant, tuple):
        return "x".join(map(str, meant))
    if kind == "choice" and meant not in [str(place) for place in range(options)]:
        raise UnreadableError("is none of the options.")
    return str(meant)


def tally(question: Question, answers: Iterable[object]) -> Tally:
    """What these answers come to, each as `read` returned it. What is none, or none to this question, is left out."""
    counts = Counter(answer for answer in answers if isinstance(answer, str) and _is_kept(question, answer))
    source = question.source
    if isinstance(source, Prediction):
        groups = tuple(
            Group(option, counts[str(place)], place in source.right, source.says[place])
            for place, option in enumerate(source.choices)
        )
        return Tally(counts.total(), groups, source.says[source.right[0]], None, source.bars)
    groups = _of_options(source, counts) if source.kind == "choice" else _of_numbers(source, counts)
    return Tally(counts.total(), groups, source.solution, source.opens)


def _is_kept(question: Question, answer: str) -> bool:
    try:
        return read(question.kind, len(question.options), answer) == answer
    except UnreadableError:
        return False


def _of_options(exercise: Exercise, counts: Mapping[str, int]) -> tuple[Group, ...]:
    slips = {slip.gives: slip for slip in exercise.slips}
    right = Slip("", exercise.answer, exercise.opens)
    return tuple(
        Group(option, counts[str(place)], letter == exercise.answer, told.says, told.opens)
        for place, (letter, option) in enumerate(zip(LETTERS, exercise.options, strict=False))
        for told in [slips.get(letter, right)]
    )


def _of_numbers(exercise: Exercise, counts: Mapping[str, int]) -> tuple[Group, ...]:
    """Answers of which the same is to be said are one group."""
    right: Counter[str] = Counter()
    others: Counter[str] = Counter()
    slipped: dict[str, tuple[tuple[Slip, ...], Counter[str]]] = {}
    for given, count in sorted(counts.items()):
        verdict = judge(exercise, given)
        if verdict.right:
            alike = right
        else:
            _, alike = slipped.setdefault(_named(verdict.slips), (verdict.slips, Counter())) if verdict.slips else ((), others)
        alike[given] += count
    groups = [_slipped(exercise, says, *alike) for says, alike in slipped.items()]
    return (
        Group(written(exercise.answer), right.total(), True, "", exercise.opens, _most(right)),
        *sorted(groups, key=lambda group: -group.count),
        *([Group(OTHERS, others.total(), False, UNEXPLAINED, None, _most(others))] if others else []),
    )


def _slipped(exercise: Exercise, says: str, slips: tuple[Slip, ...], alike: Counter[str]) -> Group:
    """What a slip gives is a number of its own; rounding and a wrong sign have none, and what was given most stands for them. Of
    several slips one is shown whose number stands somewhere."""
    own, most = [slip for slip in slips if slip in exercise.slips], _most(alike)
    if not own:
        return Group(most[0][0], alike.total(), False, says, None, most)
    shown = next((slip for slip in own if slip.opens), own[0])
    return Group(written(shown.gives), alike.total(), False, says, shown.opens, most)


def _named(slips: Sequence[Slip]) -> str:
    """The slips that give one number.

    >>> _named([Slip("it is not scaled", 3)]), _named([Slip("it is not scaled", 3), Slip("it is halved", 3)])
    ('it is not scaled', '(1) it is not scaled; (2) it is halved')
    """
    if len(slips) == 1:
        return slips[0].says
    return "; ".join(f"({place}) {slip.says}" for place, slip in enumerate(slips, start=1))


def _most(alike: Counter[str]) -> tuple[tuple[str, int], ...]:
    """Those given most often, as the pages write signs and shapes."""
    return tuple((given.replace("-", "−").replace("x", " × "), count) for given, count in alike.most_common(MOST_GIVEN))


def as_data(tally: Tally) -> dict[str, Any]:
    """The tally as JSON has it: of a bar its label, its number for drawing (None where it is not finite), and as it is written."""
    bars = [[label, value if math.isfinite(value) else None, number(value)] for label, value in tally.bars]
    groups = [_group(group) for group in tally.groups]
    return {"of": tally.of, "groups": groups, "solution": tally.solution, "opens": _place(tally.opens), "bars": bars}


def _group(group: Group) -> dict[str, Any]:
    given = [list(each) for each in group.given]
    said = {"answer": group.answer, "count": group.count, "right": group.right, "says": group.says}
    return said | {"opens": _place(group.opens), "given": given}


def _place(opens: Opens | None) -> dict[str, Any] | None:
    return {"path": opens.path, "fields": dict(opens.fields)} if opens and opens.stands else None


def in_rows(question: Question, tallies: Sequence[Tally]) -> list[dict[str, Any]]:
    """The groups of all votes as JSON has them, a row each, with a count for each vote. A vote after a discussion stands beside the
    one before it (Mazur, *Peer Instruction*, 1997)."""
    rows: dict[tuple[str, bool, str], list[Group]] = {}
    for vote, each in enumerate(tallies):
        for group in each.groups:
            key = (group.answer if question.options else "", group.right, group.says)
            none = [replace(group, count=0, given=()) for _ in tallies]
            rows.setdefault(key, none)[vote] = group
    table = list(rows.values())
    if not question.options:  # of options the order says nothing
        table.sort(key=lambda row: (not row[0].right, row[0].answer == OTHERS, -sum(group.count for group in row)))
    return [_row(row) for row in table]


def _row(row: Sequence[Group]) -> dict[str, Any]:
    given = sum((Counter(dict(group.given)) for group in row), Counter[str]())
    first = replace(row[0], given=tuple(given.most_common(MOST_GIVEN)))
    return _group(first) | {"counts": [group.count for group in row]}


def as_csv(question: Question, tallies: Sequence[Tally]) -> str:
    """The result as a table to take home: a row for each group, a column of counts for each vote. Of a spreadsheet's formulas nothing
    is left but their text."""
    file = io.StringIO()
    writer = csv.writer(file)
    votes = [f"vote {vote}" for vote in range(1, len(tallies) + 1)]
    writer.writerow(["question", "answer", "right", "what it is", "given most often", *votes])
    for row in in_rows(question, tallies):
        told = "; ".join(f"{each} ({count})" for each, count in row["given"])
        cells = [" ".join(question.asks.split("\n")), row["answer"], "yes" if row["right"] else "no", row["says"], told]
        writer.writerow([*map(_no_formula, cells), *row["counts"]])
    return file.getvalue()


def _no_formula(cell: str) -> str:
    """
    >>> _no_formula("=1+1"), _no_formula("cat")
    ("'=1+1", 'cat')
    """
    return f"'{cell}" if cell.startswith(BEGINS_A_FORMULA) else cell
