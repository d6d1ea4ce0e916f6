"""What the training's page shows of heads and studies, as sentences and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from torch import Tensor

from core import induction, lessons, roles, study, training, training_store
from core.adam import RATE, AdamStep
from core.presets import EXAMPLE, SENTENCE
from core.roles import Look
from core.setup import Setup
from core.text import labels
from core.written import behind_a_sign
from pages.shared import board, panel
from pages.shared.board import entries
from pages.shared.frame import lecture, show
from pages.shared.link import write_link
from pages.shared.said import charts, elements, words
from pages.shared.said.claims import training as claims
from pages.shared.said.tables import Columns
from pages.shared.server import computed, run


def link(to: Setup, **looked_at: Any) -> str:
    """Return the training's page with another setup; what is looked at stays as it is, but for
    these."""
    return f"training?{write_link(to.as_link() | replace(run.focus(), **looked_at).as_link(to))}"


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


def of_questions() -> None:
    """Return whether a lecture is in a beat that is about the training on questions alone."""
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
    kept = {
        name: value
        for name, value in run.focus().as_link(to).items()
        if name in ("lecture", "route", "notes", "beat", "hide")
    }
    return f"training?{write_link(to.as_link() | places | kept)}"


@lru_cache(maxsize=computed.MOST_STACKS)
def moments_in_words(setup: Setup) -> tuple[str, ...]:
    """Return how things stood at each moment of a training: kept as long as the film that they go
    with."""
    result = training_store.get(setup, "attention")
    losses, asked = losses_then(result), min(training.MOST_ASKED, result.asked)
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
        charts.over_steps(title, share, end, large=lecture.on()),
        key=f"training_{'share' if share else 'loss'}",
        alt=f"{title.capitalize()}, over the steps of training. {alt}",
    )


def adams_rule(step: AdamStep, first: float, second: float, t: int) -> Columns:
    """Return one weight's step `t`, line by line: `first` and `second` are the means of g and of g²
    before it."""
    number, power = words.number, words.raised(t)
    lines = {
        "g": ("∂L/∂w", f"{number(1000 * step.gradient)} · 10⁻³"),
        "m": (
            f"0.9 · {behind_a_sign(1000 * first)} · 10⁻³ + 0.1 · g",
            f"{number(1000 * step.first)} · 10⁻³",
        ),
        "v": (
            f"0.999 · {number(1e6 * second)} · 10⁻⁶ + 0.001 · g²",
            f"{number(1e6 * step.second)} · 10⁻⁶",
        ),
        "m̂": (f"m / (1 − 0.9{power})", f"{number(1000 * step.first_corrected)} · 10⁻³"),
        "v̂": (f"v / (1 − 0.999{power})", f"{number(1e6 * step.second_corrected)} · 10⁻⁶"),
        "change": (f"−{RATE:g} · m̂ / (√v̂ + ε)", number(step.after - step.before)),
        "w after": (f"{number(step.before)} + change", number(step.after)),
    }
    how, written = (list(column) for column in zip(*lines.values(), strict=True))
    return {"name": list(lines), "how": how, "number": written}


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


def chosen(setup: Setup, now: str) -> None:
    """Draw the ways to another study, and the one that is chosen."""
    titles = {
        "nothing": "none",
        "layers for “it”": "it",
        "one thing less": "breaks",
        "other seeds": "seeds",
    }
    with elements.container(key="study"):  # so that a link can hide it
        panel.tabs(
            "Each trains a few models more, which takes seconds",
            {title: {"study": name} for title, name in titles.items()},
            next(title for title, name in titles.items() if name == now),
            visible=True,
        )
    if now == "it":
        the_word_it(setup)
    elif now == "breaks":
        what_breaks_it(setup)
    elif now == "seeds":
        other_seeds(setup)


def other_seeds(setup: Setup) -> None:
    """Draw what each head came to do after three draws of the first weights, side by side."""
    found = {of.seed: computed.roles_of(of) for of in study.of_seeds(setup)}
    elements.markdown(claims.of_seeds(found))
    table: dict[str, list[str]] = {"head": [f"head {k}" for k in range(1, setup.heads + 1)]}
    for seed, at in found.items():
        for question, title in {"adjective": "noun", "verb": "subject"}.items():
            table[f"seed {seed}: {title}"] = [str(look.times) for look in at[question]]
    elements.table(
        table,
        alt="How often each head's largest weight is on the right word, for three seeds.",
    )
    elements.caption(
        f"Of {roles.ASKED} sentences that training never saw: at the adjective, how often the"
        " largest weight is on its noun; at the verb, on its subject."
    )


def the_word_it(setup: Setup) -> None:
    """Draw stacks of no, one and two layers, trained from nothing on the question at the word
    `it`."""
    counts = study.by_depth(setup)
    elements.markdown(claims.depth(setup, counts))
    elements.table(
        {
            "layers": [str(depth) for depth in study.DEPTHS],
            "right at “it”": [claims.right(count) for count in counts],
        },
        alt="How many unseen sentences none, one and two layers answer right.",
    )
    two = training_store.get(setup, "it 2")
    at = roles.of_it(setup, two, 2)
    each = [{word: of_heads[k] for word, of_heads in at.items()} for k in range(setup.heads)]
    said = [claims.role_of_it(k, of_head) for k, of_head in enumerate(each, start=1)]
    elements.markdown("In the second of two layers, at the word *it*:  \n" + "  \n".join(said))
    table_of_looks(
        each, {"animal": "animal", "food": "food", "noun": "noun meant", "adjective": "adjective"}
    )
    own = roles.it_in(setup, two, 2)
    if own is not None:
        it_in_the_sentence(setup, own)
    elements.markdown(
        f"[A setup in which two heads found two jobs]({link(study.TWO_JOBS, study='it')}): seed"
        f" {study.TWO_JOBS.seed}, two heads. In its sentence one head takes *it* to the milk, the"
        " other to the cat. Over many sentences they do not, as the table there shows."
    )


def it_in_the_sentence(setup: Setup, own: Tensor) -> None:
    """Draw the row of `it` in each head of the second layer (head, key), in the reader's
    sentence."""
    names = labels(setup.tokens)
    heads = [f"head {k}" for k in range(1, setup.heads + 1)]
    looks = [words.attention("it", row, names) for row in own.tolist()]
    show.plain(f"In {words.quoted(setup.text)}:")
    board.matrices(
        board.Matrix(
            "it",
            own,
            heads,
            names,
            ("head", "key"),
            "weights",
            "α of “it”, layer 2",
            **entries.SHARES,
            sums=True,
            symbol="α",
            made=words.made(roles.it_in, "setup", "result", "depth"),
        ),
        key="board_it",
        stacked=True,
        max_width=80,
        alt="Weights of the word it in layer 2. "
        + " ".join(map(" ".join, zip(heads, looks, strict=True))),
    )


def what_breaks_it(setup: Setup) -> None:
    """Draw the same training with one thing taken away at a time."""
    counts = {name: computed.answered(to) for name, to in study.variants(setup).items()}
    elements.plain_table(
        {
            "setup": [f"[{name}]({link(to)})" for name, to in study.variants(setup).items()],
            "right at the adjective": [claims.right(of["adjective"]) for of in counts.values()],
            "right at the verb": [claims.right(of["verb"]) for of in counts.values()],
        }
    )
    usual = counts.pop("as it is")
    elements.markdown(
        "\n".join(
            f"- **{name}**: {claims.broken(name, study.variants(setup)[name], of, usual)}"
            for name, of in counts.items()
        )
    )
