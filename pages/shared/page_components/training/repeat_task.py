"""The training page for the repeated-letters task: two heads learn to find the next letter.

Slow measurements run in the background; the page is first drawn without them.
"""

import torch

from core import Setup
from core.analysis import induction, training_history
from core.text import language
from core.text.text import labels
from core.text.written import count
from core.training import tasks
from core.training.training import Trained
from pages.shared import board, lecture
from pages.shared.captions import induction as claims
from pages.shared.captions import training as of_training
from pages.shared.layout import show
from pages.shared.layout.page import Parts
from pages.shared.link.focus import Focus
from pages.shared.page_components.training import curves, two_heads
from pages.shared.page_components.training.letter_row import (
    MEASURED,
    Head,
    Letters,
    last_known,
    looks,
    name_of,
)
from pages.shared.server import computed
from pages.shared.text import elements, words


def parts(page: Parts, given: Setup, setup: Setup, focus: Focus, result: Trained) -> None:
    """Register the parts in order. `given` is the setup with its edits."""
    of = Letters(setup, focus, result)
    page.part("question", in_lecture=True)(lambda: draw_question(of))
    page.figure("film")(lambda: draw_film(of))
    page.part("loss")(lambda: draw_course(of, given))
    if of.goes_through_two:
        page.closer("full", in_lecture=False)(lambda: two_heads.through_both_layers(of))
    page.closer("task", "task", title="What is to be learned")(lambda: draw_task(of))
    page.closer("roles", "roles", title="What each head came to do")(
        lambda: two_heads.draw_names(of)
    )
    page.part("why")(lambda: explain_two_layers(of))
    page.part("ask", "answer", in_lecture=True)(lambda: your_turn(of))
    page.closer("tables", in_lecture=False)(lambda: every_moment(of))


def draw_question(of: Letters) -> None:
    board.words(
        names=of.names,
        said="What comes next?",
        query=of.query,
        key="board_question",
        alt=f"{' '.join(of.row)} ?",
    )


def draw_task(of: Letters) -> None:
    given = tasks.examples(of.setup)
    rows = [
        " ".join(given.words[k] for k in given.ids[at].tolist()) for at in given.unseen[:4].tolist()
    ]
    with lecture.large():
        elements.markdown("  \n".join(rows))
        elements.markdown(
            f"Rows of {tasks.LENGTH} letters that begin again after {tasks.PERIODS[0]} to"
            f" {tasks.PERIODS[1]} places. Training may see {len(given.learned):,};"
            f" {len(given.unseen):,} others are only asked. What counts is the next letter where a"
            " letter has come before."
        )


def draw_course(of: Letters, given: Setup) -> None:
    """Describe what was learned and when, and draw the loss and accuracy."""
    show.heading("How it went")
    said = learned = claims.describe_learning(of.found)
    if given.edits:
        said += f" {claims.describe_edits(computed.measured_with_edits(given))}"
    if of.setup.layers == 1:
        said += f" [Two layers and {induction.EXAMPLE.steps} steps do]({curves.way('repeat')})."
    if of.course and not lecture.is_on():
        said += f" {claims.course(of.course, of.found.pair)}"
    with lecture.large():
        elements.markdown(said)
    right = [moment.accuracy["repeat"] for moment in of.result.moments]
    told = of_training.loss(of.result), learned
    curves.curves(of.result, {"the next letter": right}, told)


def explain_two_layers(of: Letters) -> None:
    moved = computed.keys_moved(of.setup, of.key)
    show.why("Why can one layer not find it?", claims.keys(of.row, of.key, moved))


def draw_film(of: Letters) -> None:
    """Draw both heads on one row at each moment of training."""
    moments, result, pair = computed.compute_film(of.setup), of.result, of.found.pair
    if not len(moments):
        draw_end(of)
        if not lecture.is_on():
            draw_below_film(of)
        return
    shown, made = (
        list(dict.fromkeys(pair)),
        words.made(training_history.join_layers, "setup", "result", "row"),
    )
    losses = zip(result.moments, curves.losses_then(result), strict=True)
    least = induction.thresholds(induction.rows(of.setup.seed))
    says = [
        claims.moment(
            moment.step, loss, (of.course or {}).get(moment.step), moment.accuracy["repeat"], pair
        )
        for moment, loss in losses
    ]
    board.training_history(
        *(looks(of, moments[-1], at, made) for at in shown),
        before=[looks(of, moments[0], at, made) for at in shown],
        moments=torch.stack([moments[:, *at] for at in shown], dim=1),
        steps=[moment.step for moment in result.moments],
        says=says,
        found=claims.there_since(of.course, pair, least) if of.course else None,
        key="board_film",
        chosen=find_chosen(of),
        chooses=chooses(shown),
        main=len(shown) - 1,
        of_screen=0.78,
        alt=(
            f"{count(len(moments), 'moment')} of training: loss, what was right, and two heads'"
            f" weights. At the end: {says[-1]}"
        ),
    )
    if not lecture.is_on():
        draw_below_film(of)


def draw_below_film(of: Letters) -> None:
    show.plain(claims.puzzle(of.row, of.query))
    if not of.is_readers:
        elements.markdown(
            "Training never saw this row. [Make it your"
            f" sentence]({of.link('training', of.found.pair[1])})."
        )


def draw_end(of: Letters) -> None:
    """Draw only the end, for a stack too large to save moments for a film."""
    shown, records = list(dict.fromkeys(of.found.pair)), computed.compute_row(of.setup)
    weights, made = (
        torch.stack([one.value("weights") for one in records]),
        words.made(induction.through, "setup", "weights", "row"),
    )
    elements.markdown(
        "A stack of this size keeps only some of its numbers at each moment, so there is no film."
        " This is the end:"
    )
    board.matrices(
        *(looks(of, weights, at, made) for at in shown),
        key="board_end",
        across=2,
        chosen=find_chosen(of),
        chooses=chooses(shown),
        main=len(shown) - 1,
        max_width=46,
        alt=f"Weights of {count(len(shown), 'head')} at the end, on {' '.join(of.row)}.",
    )


def find_chosen(of: Letters) -> tuple[int, int]:
    """Return the selected cell."""
    return (of.focus.query - 1, of.focus.key - 1) if of.is_readers else (of.query, of.key)


def chooses(shown: list[Head]) -> dict:
    """Return what a click sets: it selects the head on the seven pages too."""
    of_heads = {
        name_of(at): {"seven": "chosen", "layer": at[0] + 1, "head": at[1] + 1} for at in shown
    }
    return board.choice(of_heads, query="row", key="column")


def your_turn(of: Letters) -> None:
    """Draw another row as a question; the next beat shows the answer."""
    row = tuple(language.LETTERS[k] for k in induction.rows(of.setup.seed).ids[1].tolist())
    at = last_known(row)
    asks = f"What comes after {words.quote(row[at])}, and at which place do you look?"
    said = claims.puzzle(row, at).partition("? ")[2] if lecture.current_beat() == "answer" else asks
    board.words(
        names=labels(row), said=said, query=at, key="board_turn", alt=f"{' '.join(row)}. {said}"
    )


def every_moment(of: Letters) -> None:
    """Draw the numbers of every moment."""
    if of.course is None:
        show.plain(MEASURED)
        return
    found = list(of.course.values())
    columns = {
        "steps made": list(of.course),
        "loss": [one.loss for one in found],
        "right": [one.accuracy for one in found],
    }
    for k, (at, job) in enumerate(zip(of.found.pair, induction.JOBS, strict=True)):
        columns[f"{claims.head(at)} on {job}"] = [one.scores[k, *at].item() for one in found]
    elements.table(
        columns,
        alt="Loss, right letters, both heads at every moment.",
    )
