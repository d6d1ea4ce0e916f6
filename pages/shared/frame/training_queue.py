"""Where a reader waits for a training: the smallest comes first, and each is live on screen.

The frame draws a `Progress` in place of the page. When that was sent, `work` waits in the same
thread, outside of a run, so that other visitors' pages are drawn meanwhile. Whose turn it is has
steps taken in the process's one training thread. Wherever something is shown Streamlit ends the
reader's thread if the reader did something else or left; what was trained so far is put aside for
whoever asks for the same next.
"""

import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition

import streamlit as st

from core import next_word, training_store
from core.presets import EXAMPLE, whose_training
from core.setup import Setup
from core.training import Training
from core.written import count
from pages.shared.link import parse_link, write_link
from pages.shared.link.focus import Focus
from pages.shared.link.pages import ATTENTION, STACK, Page, find
from pages.shared.said import elements, tables, words
from pages.shared.server import run

Job = tuple[Setup, str]
LOOK = 0.2  # seconds between two looks at the screen
# seconds that a step waits for other visitors' pages: where they never end, ten steps a second are
# made
MAX_HELD_UP = 0.1
A_SECOND = 3_000_000_000  # multiplications, on a slow core


# Memory is kept for each thread that computed: there is one for all trainings, whoever waits for
# them.
_trainer = ThreadPoolExecutor(1, "training", initializer=run.one_thread_for_torch)


@dataclass(eq=False)
class Ticket:
    """A reader's place in the queue: what it is for, and how many multiplications are left."""

    wanted: training_store.Key
    left: float


_queue: list[Ticket] = []  # who trains, and who waits for their turn, as they came
_speed = [float(A_SECOND)]  # multiplications a second, as lately measured
_moved = Condition()


LIKE = "sentences like *the cat drank the milk because it was thirsty*"
FROM = {
    "labelled": "labelled sentences",
    "repeat": "rows of letters that begin again, like *a b c d a b c d*",
}
NAMES = {
    "attention": "Attention learns",
    "stack": "The stack learns",
    "labelled": "The classifier learns",
    "next": "The stack learns the next word",
    "repeat": "The stack learns the next letter",
}


def jobs(path: str, setup: Setup, focus: Focus) -> list[Job]:
    """Return what is still to be trained before a page can be drawn, in that order: the setup, then
    the one held beside it."""
    page = find(path)
    shown = (setup, focus.held if page.main else None)
    if (
        page.main_of == "word"
    ):  # whoever says what comes next does not look ahead: that learns on its own
        shown = tuple(
            own and own.init == "trained" and next_word.resolve_setup(own) for own in shown
        )
    wanted = [
        (at, part)
        for own in shown
        if own and own.init == "trained"
        for part in parts(page, own)
        # Attention, or the task in its place, to its end first: there the moments are kept that a
        # slider goes through.
        for at in ((own.to_the_end, own) if part == "attention" else (own,))
    ]
    if path == "":
        wanted.append((EXAMPLE, "attention"))  # the sentence that the overview opens on
    elif path == "training":
        wanted = (
            [(setup.to_the_end, "stack")]
            if setup.learns_words
            else [(whose_training(setup), "attention")]
        )
    return [
        (own, part) for own, part in dict.fromkeys(wanted) if training_store.find_missing(own, part)
    ]


def parts(page: Page, setup: Setup) -> tuple[str, ...]:
    """Return the parts of a trained model that this page shows: of a further layer the seven steps
    are the stack's."""
    return STACK if page.trains == ATTENTION and setup.layer > 1 else page.trains


class Progress:
    """What a waiting reader sees: how far it is, the loss so far, and the way to stop. Made in
    place of the page."""

    def __init__(self, wanted: Sequence[Job]) -> None:
        with st.container(
            key="training_view"
        ):  # beside which a style sheet hides what stood there before
            elements.title("Training", anchor=False)
        from_what = next((FROM[part] for _, part in wanted if part in FROM), LIKE)
        elements.markdown(
            f"The weights learn, step by step, from {from_what}. The page follows as soon as they"
            " have."
        )
        self._bar, self._stop, self._chart = st.empty(), st.empty(), st.empty()
        self._link = run.now().link
        # The overview's is over in the second that pandas and Altair take to be imported.
        self._is_short = run.now().page.path == ""
        self._shown = 0  # steps, when they were last shown
        self._says = ""
        self.waits(_queue)

    def waits(self, ahead: Sequence[Ticket]) -> None:
        """These come first. Said once, in few steps: a whole class that waits looks here all the
        time."""
        says = waiting(ahead)
        if says == self._says:
            run.end_if_overtaken()
            return
        self._says = says
        self._bar.progress(0.0, says)

    def shows(self, training: Training, part: str) -> None:
        """Show how far it is. Whoever stops it gets the steps that will have been made when that is
        heard."""
        steps, most = len(training.losses), training.lesson.steps
        name = NAMES.get(part, "A model learns")
        self._bar.progress(
            steps / most,
            f"{name}: step {steps} of {most}, loss {words.number(training.losses[-1])}.",
        )
        self._says = ""
        stop, self._shown = min(2 * steps - self._shown, most), steps
        stopped = write_link(parse_link(self._link) | {"steps": str(stop)})
        self._stop.html(f'<a class="ab-stop" href="?{stopped}">Stop after {stop} steps</a>')
        if self._is_short:
            return
        from pages.shared.said import charts

        rows = {"step": range(1, steps + 1), "value": training.losses, "kind": "loss"}
        self._chart.vega_lite_chart(
            tables.frame(rows), charts.make_steps_chart("loss", False, most)
        )


def work(view: Progress, wanted: Sequence[Job]) -> None:
    """Train what is missing, then draw the page."""
    for setup, part in wanted:
        wait(view, setup, part)
    st.rerun()


def wait(view: Progress, setup: Setup, part: str) -> None:
    """Wait until this part of the model is trained, by whoever's turn it is."""
    with _queued(setup, part) as ticket:
        while (missing := training_store.find_missing(setup, part)) is not None:
            if ahead := before(ticket):
                view.waits(ahead)
                with _moved:  # till somebody is done, or this reader may have left
                    _moved.wait(LOOK)
            else:
                _train(view, ticket, setup, missing)


@contextmanager
def _queued(setup: Setup, part: str) -> Iterator[Ticket]:
    ticket = Ticket(training_store.key(setup, part), training_store.multiplications(setup, part))
    _queue.append(ticket)
    try:
        yield ticket
    finally:
        with _moved:
            _queue.remove(ticket)
            _moved.notify_all()


def before(ticket: Ticket) -> list[Ticket]:
    """Return whose turn comes first: of whom less is left, and of two equals who came first."""
    order = sorted(_queue, key=lambda each: each.left)
    return order[: order.index(ticket)]


def waiting(ahead: Sequence[Ticket]) -> str:
    """Return what is said to who waits for these: how many trainings they are, of which several may
    want the same, and about how long they take."""
    left = {}
    for ticket in ahead:
        left[ticket.wanted] = min(ticket.left, left.get(ticket.wanted, ticket.left))
    if not left:
        return "Training begins."
    comes = "comes" if len(left) == 1 else "come"
    return (
        f"Waiting: {count(len(left), 'training')} {comes} first,"
        f" {about(sum(left.values()) / _speed[0])}."
    )


def about(seconds: float) -> str:
    """Return a time as one who waits is told it."""
    if seconds <= 50:
        return f"about {max(10, 10 * math.ceil(seconds / 10))} seconds"
    return f"about {count(math.ceil(seconds / 60), 'minute')}"


def _train(view: Progress, ticket: Ticket, setup: Setup, part: str) -> None:
    """Take all steps that are left, or those until somebody comes first."""
    training = _trainer.submit(training_store.begin, setup, part).result()
    whole = training_store.multiplications(setup, part)
    try:
        while not (training.over or before(ticket)):
            _trainer.submit(_some_steps, training, whole).result()
            ticket.left = whole * (1 - len(training.losses) / max(training.lesson.steps, 1))
            if not training.over:  # whoever leaves now leaves a result behind
                view.shows(training, part)
        if training.over:
            training_store.keep(setup, part, _trainer.submit(training.result).result())
    finally:
        if not training.over:
            training_store.put_aside(setup, part, training)


def _some_steps(training: Training, whole: float) -> None:
    """Take as many steps as are made between two looks at the screen; one at least."""
    began, before = time.monotonic(), len(training.losses)
    while True:
        run.let_runs_go_first(MAX_HELD_UP)
        training.step()
        now = time.monotonic()
        if training.over or now >= began + LOOK:
            break
    made = whole * (len(training.losses) - before) / max(training.lesson.steps, 1)
    if now > began:
        _speed[0] += (made / (now - began) - _speed[0]) / 10
