"""What the training's page shows of a training's course and of heads, whatever is learned."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from core import induction, lessons, roles, training, training_store
from core.adam import RATE
from core.presets import EXAMPLE, SENTENCE
from core.roles import Look
from core.setup import Setup
from pages.shared.frame import lecture
from pages.shared.link import write_link
from pages.shared.link.layout import OF_A_LECTURE
from pages.shared.said import charts, elements, words
from pages.shared.said.claims import training as claims
from pages.shared.server import computed, run


def link(to: Setup) -> str:
    """Return the training's page with another setup; what is looked at stays as it is."""
    return f"training?{write_link(to.as_link() | run.focus().as_link(to))}"


# A step, as formulas, and what its letters are.
ADAM = (
    rf"w \leftarrow w - {RATE:g} \cdot \frac{{\hat m}}{{\sqrt{{\hat v}} + ε}}",
    r"\hat m = \frac{m}{1 - 0.9^t} \qquad \hat v = \frac{v}{1 - 0.999^t}",
    r"m \leftarrow 0.9\,m + 0.1\,g",
    r"v \leftarrow 0.999\,v + 0.001\,g^2",
)
OF_ADAM = (
    "**g** = ∂L/∂w, the gradient, is how much it grows if the weight does. $m$ and $v$ are running"
    " means of g and g², ε = 10⁻⁸ (Adam, Kingma and Ba 2015)."
)
# What else can be learned, each as a setup that learns it, and the places to look at.
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
    """Draw the ways to what else can be learned."""
    task = given.task if given.learns_words else "questions"
    ways = [f"[{said}]({_way(*way)})" for other, (said, *way) in TRAININGS.items() if other != task]
    elements.markdown(f"A stack can learn something else: {' or '.join(ways)}.")


def explain_questions() -> None:
    """Say, in a beat that is about the training on questions alone, where that is."""
    _, *way = TRAININGS["questions"]
    with lecture.large():
        elements.markdown(
            f"This beat is about another training, that on questions: [go there]({_way(*way)})."
        )


def way(task: str) -> str:
    """Return the way to this page with the setup that learns this."""
    _, *to = TRAININGS[task]
    return _way(*to)


def _way(to: Setup, places: Mapping[str, int]) -> str:
    """Return the way to this page, and what is on screen of a lecture, with a training's own setup
    and places."""
    kept = {name: value for name, value in run.focus().as_link(to).items() if name in OF_A_LECTURE}
    return f"training?{write_link(to.as_link() | places | kept)}"


@lru_cache(maxsize=computed.MAX_STACKS)
def moments_in_words(setup: Setup) -> tuple[str, ...]:
    """Return how things stood at each moment of a training: kept as long as the film that they go
    with."""
    result = training_store.get(setup, "attention")
    losses, asked = losses_then(result), min(training.MAX_ASKED, result.asked)
    return tuple(
        claims.moment(m.step, loss, m.accuracy, asked)
        for m, loss in zip(result.moments, losses, strict=True)
    )


def losses_then(result: training.Trained) -> list[float]:
    """Return the loss of the last step before each moment; before the first step, that with which
    it begins."""
    return [result.losses[max(moment.step, 1) - 1] for moment in result.moments]


def right_answers(result: training.Trained) -> dict[str, list[float]]:
    """Return the share of unseen sentences that was right at each moment, by the question."""
    return {
        f"at the {q}": [moment.accuracy[q] for moment in result.moments]
        for q in lessons.OF_ATTENTION
    }


def curves(
    result: training.Trained,
    right: Mapping[str, Sequence[float]],
    said: tuple[str, str],
    title: str = "right",
    floor: float | None = None,
) -> None:
    """Draw two charts over the steps of training: the loss, beside the least that there can be,
    and what was right at each moment. `said` is what each shows, in words."""
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


def table_of_looks(each: Sequence[Mapping[str, Look]], columns: Mapping[str, str]) -> None:
    """Draw how often each head's largest weight is on these words, and the mean weight; a row for
    each head."""
    table = {"head": [f"head {k}" for k in range(1, len(each) + 1)]}
    for word, title in columns.items():
        table[f"{title}, of {roles.ASKED}"] = [str(of_head[word].times) for of_head in each]
        table[f"{title}, mean"] = [words.number(of_head[word].mean) for of_head in each]
    elements.table(
        table,
        alt="How often each head's largest weight is on which word, and its mean weight there.",
    )
    elements.caption(
        f"Of {roles.ASKED}: in so many sentences that training never saw, the head's largest weight"
        " is there. Mean: the weight there on average."
    )
