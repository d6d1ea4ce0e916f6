"""Parts of the training page for every task: curves, heads, and links to the other tasks."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from torch import Tensor

from core import Setup
from core.analysis import head_targets, induction, training_history
from core.analysis.head_targets import Look
from core.setup.presets import EXAMPLE, SENTENCE
from core.training import objectives, training, training_store
from core.training.adam import RATE
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import training as claims
from pages.shared.link import write_link
from pages.shared.link.layout import OF_A_LECTURE
from pages.shared.server import computed, run
from pages.shared.text import charts, elements, words


def link(to: Setup) -> str:
    """Return a link to this page with another setup and the same selection."""
    return f"training?{write_link(to.as_link() | run.focus().as_link(to))}"


FILMED = words.made(training_history.find_weight_history, "setup", "result")
# One Adam step as formulas, and its symbols.
ADAM = (
    rf"w \leftarrow w - {RATE:g} \cdot \frac{{\hat m}}{{\sqrt{{\hat v}} + ε}}",
    r"\hat m = \frac{m}{1 - 0.9^t} \qquad \hat v = \frac{v}{1 - 0.999^t}",
    r"m \leftarrow 0.9\,m + 0.1\,g",
    r"v \leftarrow 0.999\,v + 0.001\,g^2",
)
OF_ADAM = (
    "**g** = ∂L/∂w, the gradient, is how much it grows if $w$ does. $m$ and $v$ are running"
    " means of g and g², ε = 10⁻⁸ (Adam, Kingma and Ba 2015)."
)
# The other tasks' setups and selections.
NEXT = Setup(
    text=SENTENCE,
    init="trained",
    task="next",
    positions="sinusoidal",
    layers=1,
    heads=2,
    d_k=8,
    d_v=8,
)
TRAININGS: dict[str, tuple[str, Setup, dict[str, int]]] = {
    "questions": ("which noun is meant", EXAMPLE, {"query": 9, "key": 2}),
    "next": ("the next word", NEXT, {"query": 8, "key": 2}),
    "repeat": ("letters that begin again", induction.EXAMPLE, {"query": 7, "key": 4}),
}


def other_trainings(given: Setup) -> None:
    """Draw links to the other tasks."""
    task = given.task if given.learns_words else "questions"
    ways = [f"[{said}]({_way(*way)})" for other, (said, *way) in TRAININGS.items() if other != task]
    elements.markdown(f"A stack can learn something else: {' or '.join(ways)}.")


def explain_questions() -> None:
    """Link to the questions task from a beat about it."""
    _, *way = TRAININGS["questions"]
    with lecture.large():
        elements.markdown(
            f"This beat is about another training, that on questions: [go there]({_way(*way)})."
        )


def way(task: str) -> str:
    """Return a link to this page with the setup of this task."""
    _, *to = TRAININGS[task]
    return _way(*to)


def _way(to: Setup, places: Mapping[str, int]) -> str:
    """Return a link to this page with a setup and selection; a lecture continues."""
    kept = {name: value for name, value in run.focus().as_link(to).items() if name in OF_A_LECTURE}
    return f"training?{write_link(to.as_link() | places | kept)}"


@lru_cache(maxsize=computed.MAX_STACKS)
def moments_in_words(setup: Setup) -> tuple[str, ...]:
    """Return a description of each moment of training."""
    result = training_store.get(setup, "attention")
    losses, asked = losses_then(result), min(training.MAX_ASKED, result.asked)
    return tuple(
        claims.moment(m.step, loss, m.accuracy, asked)
        for m, loss in zip(result.moments, losses, strict=True)
    )


def losses_then(result: training.Trained) -> list[float]:
    """Return the loss of the last step before each moment; at first, the initial loss."""
    return [result.losses[max(moment.step, 1) - 1] for moment in result.moments]


def right_answers(result: training.Trained) -> dict[str, list[float]]:
    """Return the accuracy on unseen sentences at each moment, by question."""
    return {
        f"at the {q}": [moment.accuracy[q] for moment in result.moments]
        for q in objectives.OF_ATTENTION
    }


def curves(
    result: training.Trained,
    right: Mapping[str, Sequence[float]],
    said: tuple[str, str],
    title: str = "right",
    floor: float | None = None,
) -> None:
    """Draw loss (with its lower bound) and accuracy over the training steps. `said` describes each
    chart."""
    end = len(result.losses)
    loss = {"loss": list(enumerate(result.losses, start=1))}
    if floor is not None:
        loss["the least"] = [(1, floor), (end, floor)]
    after = [moment.step for moment in result.moments]
    shares = {name: list(zip(after, line, strict=True)) for name, line in right.items()}
    columns = elements.columns(2)
    for column, named, lines, told in zip(
        columns, ("loss", title), (loss, shares), said, strict=True
    ):
        with column:
            _curve(named, lines is shares, lines, told, end)


def _curve(
    title: str, share: bool, lines: Mapping[str, Sequence[tuple[int, float]]], alt: str, end: int
) -> None:
    points = [(kind, step, value) for kind, line in lines.items() for step, value in line]
    kinds, steps, values = zip(*points, strict=True)
    elements.chart(
        {"kind": kinds, "step": steps, "value": values},
        charts.make_steps_chart(title, share, end, large=lecture.is_on()),
        key=f"training_{'share' if share else 'loss'}",
        alt=f"{title.capitalize()}, over the steps of training. {alt}",
    )


def looks(
    weights: Tensor,
    names: Sequence[str],
    head: str,
    when: str = "",
    made: str = FILMED,
    clickable: bool = True,
) -> board.Matrix:
    """Return one head's weights on a sentence (query, key), at one moment of training."""
    return board.Matrix(
        head,
        weights,
        names,
        names,
        ("query", "key"),
        "weights",
        ", ".join(filter(None, ("α", head, when))),
        **entries.SHARES,
        clickable=clickable,
        symbol="α",
        made=made,
    )


def table_of_looks(each: Sequence[Mapping[str, Look]], columns: Mapping[str, str]) -> None:
    """Draw a row for each head: how often its largest weight is on these words, and the mean
    weight."""
    table = {"head": [f"head {k}" for k in range(1, len(each) + 1)]}
    for word, title in columns.items():
        table[f"{title}, of {head_targets.ASKED}"] = [of_head[word].times for of_head in each]
        table[f"{title}, mean"] = [of_head[word].mean for of_head in each]
    elements.table(
        table,
        alt="How often each head's largest weight is on which word, and its mean weight there.",
    )
    elements.caption(
        f"Of {head_targets.ASKED}: in so many sentences that training never saw, the head's"
        " largest weight"
        " is there. Mean: the weight there on average."
    )
