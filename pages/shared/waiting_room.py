"""Training while a reader waits for it: one at a time in the process, live on screen, and given up when nobody waits.

The frame draws a `View` in place of the page. When that was sent, `work` takes the steps in the same thread, outside of
`runtime.one_run`, so that other visitors' pages are drawn meanwhile. Wherever something is shown Streamlit ends the thread
if the reader did something else or left; what was begun is kept for whoever asks for the same next.
"""

import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pyarrow as pa
import streamlit as st

from core import study, training_store
from core.presets import EXAMPLE, whose_training
from core.setup import DEFAULTS, Setup
from core.training import Training
from pages.shared import charts, compare, elements, runtime, state
from pages.shared.focus import Focus
from pages.shared.link import parse_link, write_link

Job = tuple[Setup, str]
LOOK = 0.2  # seconds between two looks at the screen
MOST_HELD_UP = 0.1  # seconds that a step waits for other visitors' pages: where they never end, ten steps a second are made
MOST_BEGUN = 2
_begun: OrderedDict[training_store.Key, Training] = OrderedDict()


@dataclass(frozen=True, eq=False)
class Ticket:
    """A place in the queue, and what it is for."""

    wanted: training_store.Key


_queue: list[Ticket] = []  # who trains, and who waits for their turn, in their order


# The parts of a model that a page shows; the seven steps and all others show attention alone.
PARTS = {
    "block": ("attention", "stack"),
    "encoder": ("attention", "stack"),
    "classifier": ("labelled",),
    "notebooks": (),
}
LIKE = "sentences like *the cat drank the milk because it was thirsty*"
NAMES = {"attention": "Attention learns", "stack": "The stack learns", "labelled": "The classifier learns"}


def jobs(path: str, setup: Setup, focus: Focus) -> list[Job]:
    """What is still to be trained before this page can be drawn, in that order: the setup, then the one held beside it."""
    shown = (setup, focus.held if path in compare.MAIN else None)
    wanted = [(own, part) for own in shown if own and own.init == "trained" for part in PARTS.get(path, ("attention",))]
    if path == "":
        wanted.append((EXAMPLE, "attention"))  # the sentence that the overview opens on
    elif path == "training":
        wanted = study.jobs(whose_training(setup), focus.study)
    return [(own, part) for own, part in wanted if training_store.missing(own, part)]


class View:
    """What a waiting reader sees: how far it is, the loss so far, and the way to stop. Made in place of the page."""

    def __init__(self, wanted: Sequence[Job]) -> None:
        # What stood there before would be faded and stay until the training ends.
        elements.html('<style>.stMain [data-stale="true"] { display: none; }</style>')
        elements.title("Training", anchor=False)
        of_labels = any(part == "labelled" for _, part in wanted)
        elements.markdown(
            f"The weights learn, step by step, from {'labelled sentences' if of_labels else LIKE}. The page follows as soon as they "
            "have."
        )
        self._bar, self._stop, self._chart = st.empty(), st.empty(), st.empty()
        self._shown = 0  # steps, when they were last shown
        self._ahead: int | None = None
        self.waits(_trainings(_queue))

    def waits(self, ahead: int) -> None:
        """So many trainings come first. Said once: a whole class that waits looks here all the time."""
        if ahead == self._ahead:
            runtime.end_if_overtaken()
            return
        self._ahead = ahead
        others = "" if not ahead else f"Waiting: {ahead} {'training comes' if ahead == 1 else 'trainings come'} first."
        self._bar.progress(0.0, others or "Training begins.")

    def shows(self, training: Training, part: str) -> None:
        """How far it is. Whoever stops it gets the steps that will have been made when that is heard."""
        steps, most = len(training.losses), training.lesson.steps
        name = NAMES.get(part, "A model learns")
        self._bar.progress(steps / most, f"{name}: step {steps} of {most}, loss {training.losses[-1]:.3f}.")
        stop, self._shown = min(2 * steps - self._shown, most), steps
        stopped = write_link(parse_link(state.memory().link) | {"steps": str(stop)})
        self._stop.html(f'<a class="ab-stop" href="?{stopped}">Stop after {stop} steps</a>')
        table = pa.table({"step": range(1, steps + 1), "loss": training.losses})
        self._chart.vega_lite_chart(table, charts.loss(most))


def work(view: View, wanted: Sequence[Job]) -> None:
    """Train what is missing, then draw the page."""
    for setup, part in wanted:
        with _turn(view, setup, part):
            while (missing := training_store.missing(setup, part)) is not None:
                _train(view, setup, missing)
    st.rerun()


@contextmanager
def _turn(view: View, setup: Setup, part: str) -> Iterator[None]:
    """Wait until nobody is ahead, or until somebody who was has trained the same."""
    ticket = Ticket(training_store.key(setup, part))
    _queue.append(ticket)
    try:
        while training_store.missing(setup, part) and (ahead := _queue[: _queue.index(ticket)]):
            view.waits(_trainings(ahead))
            time.sleep(LOOK)
        yield
    finally:
        _queue.remove(ticket)


def _trainings(ahead: Sequence[Ticket]) -> int:
    """How many these wait for: several of them may want the same."""
    return len({ticket.wanted for ticket in ahead})


def _train(view: View, setup: Setup, part: str) -> None:
    """All steps that are left. Only the first of the queue is here, so nobody else touches what was begun."""
    key = training_store.key(replace(setup, steps=DEFAULTS["steps"]), part)
    training = training_store.begin(setup, part, _begun.pop(key, None))
    shown = 0.0
    try:
        while not training.over:
            runtime.let_runs_go_first(MOST_HELD_UP)
            training.step()
            if time.monotonic() - shown > LOOK:
                view.shows(training, part)
                shown = time.monotonic()
        training_store.keep(setup, part, training.result())
    finally:
        if not training.over:
            _begun[key] = training
            while len(_begun) > MOST_BEGUN:
                _begun.popitem(last=False)
