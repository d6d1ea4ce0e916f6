"""An exercise as two lecture beats: `ask` has the question, `answer` the solution."""

from core.quiz import exercises
from core.quiz.question import Question, Unavailable
from pages.shared import lecture
from pages.shared.layout.questions.posed import list_exercises, make_exercise, split_lines, ways
from pages.shared.link.beats import BEATS
from pages.shared.server import run
from pages.shared.text import elements

# Links that set exercises give no solutions, even if a lecture or its notes are switched on.
KEPT = "The teacher keeps the answer: this link sets exercises without their solutions."


def show(path: str) -> None:
    """Draw the exercise's beat on screen, if it is one."""
    if not lecture.shows("ask", "answer"):
        return
    name, exercise = _find_exercise(path)
    if isinstance(exercise, Unavailable):
        with elements.container(key="exercise_ask"):
            elements.text(exercise.why)
    else:
        _draw(exercise)
    _others(path, name)


def _list_exercises(path: str) -> list[str]:
    """Return the page's exercises: those the link sets, or else all."""
    return list_exercises(path) or list(exercises.list_names(path))


def _find_exercise(path: str) -> tuple[str, Question | Unavailable]:
    """Return the exercise in the link, or else the first that this setup allows."""
    setup, focus, names = run.setup(), run.focus(), _list_exercises(path)
    made = [
        (name, make_exercise(name, setup, focus.variation))
        for name in ([focus.exercise] if focus.exercise in names else names)
    ]
    return next((pair for pair in made if isinstance(pair[1], Question)), made[0])


def _draw(exercise: Question) -> None:
    with elements.container(key="exercise_ask"):
        elements.text(split_lines(exercise))
    answer, notes = exercise.printed(exercise.answer), run.focus().notes == "on"
    if run.focus().do:
        if lecture.shows("answer") or notes:
            with elements.container(key="exercise_answer"):
                elements.text(KEPT)
        return
    if lecture.shows("answer"):
        with elements.container(key="exercise_answer"):
            elements.markdown(f"**{answer}**")
            elements.text(exercise.solution)
    if notes:
        slips = [f"{exercise.printed(slip.gives)}: {slip.says}" for slip in exercise.slips]
        elements.text("\n".join([f"The answer is {answer}. Usual slips give:", *slips]))


def _others(path: str, name: str) -> None:
    """Draw links to the page's question and to the same exercise with another cell."""
    ask = next(number for number, beat in enumerate(BEATS[path], start=1) if beat.name == "ask")
    links = ways(_list_exercises(path), name, run.focus().variation, f"&amp;beat={ask}")
    elements.html(f'<nav class="ab-steps ab-others" aria-label="Exercises">{"".join(links)}</nav>')
