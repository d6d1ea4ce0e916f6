"""An exercise as two beats of a lecture: `ask` has the question, `answer` what comes out, with its
terms where it is a sum."""

from collections.abc import Sequence
from dataclasses import dataclass

from core import exercises
from core.cell import Cell
from core.question import Opens, Question, Unposed
from core.text import labels
from core.trace import Trace
from pages.shared import board
from pages.shared.frame import lecture
from pages.shared.frame.questions.posed import in_lines, in_play_on, posed, ways
from pages.shared.link.beats import BEATS
from pages.shared.said import elements, words
from pages.shared.server import computed, run

# Where a link sets exercises, whoever opens it has no way to the solutions, and may still switch a
# lecture or its notes on.
KEPT = "The teacher keeps the answer: this link sets exercises without their solutions."
KINDS = {"queries": "q", "keys": "k", "values": "v"}


def show(path: str) -> None:
    """Draw the beat of the two that is on screen; nothing in the others."""
    if not lecture.shows("ask", "answer"):
        return
    name, exercise = _chosen(path)
    if isinstance(exercise, Unposed):
        with elements.container(key="exercise_ask"):
            elements.text(exercise.why)
    else:
        _draw(exercise)
    _others(path, name)


def _offered(path: str) -> list[str]:
    """Return the page's exercises: those that a link sets, all where it sets none of them."""
    return in_play_on(path) or list(exercises.of_page(path))


def _chosen(path: str) -> tuple[str, Question | Unposed]:
    """Return the exercise that the link opens, else the first that this setup has."""
    setup, focus, names = run.setup(), run.focus(), _offered(path)
    made = [
        (name, posed(name, setup, focus.variation))
        for name in ([focus.exercise] if focus.exercise in names else names)
    ]
    return next((pair for pair in made if isinstance(pair[1], Question)), made[0])


def _draw(exercise: Question) -> None:
    if run.focus().do:
        _draw_without_answer(exercise)
        return
    answer = exercise.printed(exercise.answer)
    if run.focus().notes == "on":
        slips = [f"{exercise.printed(slip.gives)}: {slip.says}" for slip in exercise.slips]
        elements.text("\n".join([f"The answer is {answer}. Usual slips give:", *slips]))
    is_asked = lecture.shows("ask") or not exercise.opens
    summed = None if is_asked else _sum(computed.traced(run.setup()), exercise.opens)
    # Beside many terms there is room for the line that asks; else the answer comes under the
    # question as it stood.
    with elements.container(key="exercise_recalled" if summed else "exercise_ask"):
        elements.text(in_lines(exercise, last_line=summed is not None))
    if lecture.shows("answer"):
        with elements.container(key="exercise_answer"):
            elements.markdown(f"**{answer}**")
            elements.text(exercise.solution)
    if summed:
        lecture.written_out(
            summed.cell, summed.factors, summed.name, summed.labels, "terms_exercise", of_screen=0.5
        )


def _draw_without_answer(exercise: Question) -> None:
    with elements.container(key="exercise_ask"):
        elements.text(in_lines(exercise))
    if lecture.shows("answer") or run.focus().notes == "on":
        with elements.container(key="exercise_answer"):
            elements.text(KEPT)


@dataclass(frozen=True)
class Summed:
    """A cell that is a sum of products, as a lecture writes it out: title and role of both factors,
    a label for each term."""

    cell: Cell
    name: str
    factors: tuple[tuple[str, str], tuple[str, str]]
    labels: Sequence[str]


def _sum(trace: Trace, opens: Opens) -> Summed | None:
    """Return the cell that the answer can be read from; None where that is no sum of products."""
    at = {field: place - 1 for field, place in opens.fields.items() if isinstance(place, int)}
    names, asked = labels(trace.tokens), labels(trace.key_tokens)
    match opens.path:
        case "projection":
            tensor = KINDS[str(opens.fields["matrix"])]
            row, column = at["query" if tensor == "q" else "key"], at["column"]
            names = names if tensor == "q" else asked
            factors = (
                (f"x, {words.isolated(names[row])}", "x"),
                (f"W_{tensor}, column {column + 1}", tensor),
            )
        case "scores":
            tensor, row, column = "scores", at["query"], at["key"]
            factors = (
                (f"q, {words.isolated(names[row])}", "q"),
                (f"k, {words.isolated(asked[column])}", "k"),
            )
        case "context":
            tensor, row, column = "context", at["query"], at["column"]
            factors = (
                (f"α, row {words.isolated(names[row])}", "weights"),
                (f"V, column {column + 1}", "v"),
            )
        case _:
            return None
    cell = trace[tensor].origin.open(trace, (*trace.head_index(tensor, at["head"]), row, column))
    name = words.cell(tensor, names[row], asked[column] if tensor == "scores" else column + 1)
    return Summed(
        cell, name, factors, asked if tensor == "context" else board.numbered(len(cell.terms))
    )


def _others(path: str, name: str) -> None:
    """Draw the way to the page's question, and to the same exercise with another cell; each begins
    with its question."""
    ask = next(number for number, beat in enumerate(BEATS[path], start=1) if beat.name == "ask")
    links = ways(_offered(path), name, run.focus().variation, f"&amp;beat={ask}")
    elements.html(f'<nav class="ab-steps ab-others" aria-label="Exercises">{"".join(links)}</nav>')
