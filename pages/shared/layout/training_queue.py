"""The queue for training: the smallest job first, each with live progress.

The frame draws a `Progress` in place of the page, then `work` waits in the same thread, outside a
run, so that other visitors' pages are drawn. Nobody waits longer than `PATIENCE`: then the page
shows the matrices as they start, and `_learn_beside` goes on above it. Training steps run in the
process's one training thread. Each progress update lets Streamlit end the thread of a user who left
or clicked elsewhere; the partial training is stored for the next request.
"""

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition

import streamlit as st

from core import Setup
from core.forward import next_word
from core.setup.presets import EXAMPLE, whose_training
from core.setup.setup import DEFAULTS
from core.text.written import count
from core.training import training_store
from core.training.training import Training
from pages.shared.link import parse_link, write_link
from pages.shared.link.focus import Focus
from pages.shared.link.pages import ATTENTION, STACK, Page, find
from pages.shared.server import run
from pages.shared.text import elements, tables, words

Job = tuple[Setup, str]
LOOK = 0.2  # seconds between two updates
PATIENCE = 120.0  # seconds that a page waits for its training
MARGIN = 1.3  # pages drawn meanwhile take time too
# seconds that a step waits for other pages: if they never end, ten steps a second are computed
MAX_HELD_UP = 0.1
A_SECOND = 2_000_000_000  # multiplications on a slow core that others use too
A_STEP = 24_000_000  # what a step takes besides, as multiplications
AROUND = 60  # steps that would take as long as what is done before the first and after the last


# One thread for all trainings, since each thread keeps its own memory.
_trainer = ThreadPoolExecutor(1, "training", initializer=run.one_thread_for_torch)


@dataclass(eq=False)
class Ticket:
    """A place in the queue: the job, its remaining work in multiplications, that of the jobs that
    its visitor needs after it, and when the visitor came."""

    wanted: training_store.Key
    left: float
    later: float = 0
    came: float = 0
    number: int = field(default_factory=itertools.count().__next__)

    @property
    def rank(self) -> tuple[float, float, int]:
        """Return what decides who is first: less work left, or equal and earlier."""
        return self.left + self.later, self.came, self.number


_queue: list[Ticket] = []  # those training or waiting, in order of arrival
# multiplications a second when it was slow of late, pages and updates included
_speed = [float(A_SECOND)]
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


def list_jobs(path: str, setup: Setup, focus: Focus) -> list[Job]:
    """Return what must be trained before a page is drawn, in order: for the setup, then for the
    pinned one."""
    page = find(path)
    shown = (setup, focus.held if page.main else None)
    if page.main_of == "word":  # next words need a causal mask, which is trained separately
        shown = tuple(
            own and own.init == "trained" and next_word.resolve_setup(own) for own in shown
        )
    wanted = [
        (at, part)
        for own in shown
        if own and own.init == "trained"
        for part in parts(page, own)
        # First attention (or its task) in full: its saved moments are the slider's. The weights as
        # they start need no training.
        for at in ((own.to_the_end, own) if part == "attention" and own.trained_for else (own,))
    ]
    if path == "":
        wanted.append((EXAMPLE, "attention"))  # the overview's first sentence
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
    """Return the parts of a trained model that the page shows; above layer 1 the steps need the
    stack."""
    return STACK if page.trains == ATTENTION and setup.layer > 1 else page.trains


def begin() -> "Progress | None":
    """Draw what is shown while a page's matrices learn; return None if the page is drawn now. Who
    has waited long enough, or would, gets it with the matrices as they start."""
    page, known = run.now().page, run.get_promises()
    jobs = list_jobs(page.path, run.setup(), run.focus())
    promise = next((known[job] for job in jobs if job in known), None) or Promise()
    known.clear()
    known.update(dict.fromkeys(jobs, promise))
    if not jobs:
        return None
    start = run.read(page, write_start(page, run.now().link))
    of_start = list_jobs(page.path, start.setup, start.focus)  # the preset's, or of no steps
    needs, at_start = (
        sum(training_store.multiplications(*job) for job in each) for each in (jobs, of_start)
    )
    can_start = 2 * at_start < needs
    if not (can_start and promise.ends(before(_make_ticket(jobs, promise.came)))):
        return Progress(jobs, promise, can_start)
    if of_start:
        return Progress(of_start, Promise() if at_start else AtOnce(), False)
    run.show(start)
    _learn_beside(jobs, promise, name_start(page))
    return None


def write_start(page: Page, link: str) -> str:
    """Return the link with the matrices as they start, of the page Training with drawn ones, and
    nothing pinned beside them."""
    parameters = {name: value for name, value in parse_link(link).items() if name != "vs"}
    is_training = page.path == "training"
    return write_link(
        parameters | ({"init": DEFAULTS["init"]} if is_training else {"trained_for": "0"})
    )


def name_start(page: Page) -> str:
    """Return what a page shows while its matrices learn."""
    if page.path == "training":
        return "the training of the preset Trained"
    return "the matrices as they start"


@st.fragment(run_every=1)
def _learn_beside(jobs: Sequence[Job], promise: "Promise", start: str) -> None:
    """Train above the page, in runs of its own; then a button leads to what was learned."""
    elements.markdown(f":material/info: This page shows {start}, until your matrices have learned.")
    bar = Bar(promise)
    if run.is_drawing():
        bar.waits(before(_make_ticket(jobs, promise.came)))
        return
    work(bar, jobs, promise.came)
    bar.clear()
    if st.button("Show what they have learned"):
        st.rerun()


class Bar:
    """One line on who comes first, or how far a training is."""

    def __init__(self, promise: "Promise") -> None:
        self._bar, self._says, self._promise = st.empty(), "", promise
        self.clear = self._bar.empty

    def waits(self, ahead: Sequence[Ticket]) -> bool:
        """Tell who comes first, and return whether the text changed: a whole waiting class polls
        this."""
        says = self._promise.describe_wait(ahead)
        if says == self._says:
            run.end_if_overtaken()
            return False
        self._says = says
        self._bar.progress(0.0, says)
        return True

    def shows(self, training: Training, part: str) -> None:
        """Tell the step and the loss."""
        steps, most = len(training.losses), training.lesson.steps
        name, loss = NAMES.get(part, "A model learns"), words.number(training.losses[-1])
        self._bar.progress(steps / most, f"{name}: step {steps} of {most}, loss {loss}.")
        self._says = ""


class Progress(Bar):
    """The progress shown in place of the page: steps, loss, and links to stop or to go on."""

    def __init__(self, wanted: Sequence[Job], promise: "Promise", can_start: bool) -> None:
        with st.container(key="training_view"):  # the style sheet hides the old page beside it
            elements.title("Training", anchor=False)
        from_what = next((FROM[part] for _, part in wanted if part in FROM), LIKE)
        elements.markdown(
            f"The matrices learn, step by step, from {from_what}. The page follows as soon as they"
            " have."
        )
        super().__init__(promise)
        self._stop, self._chart, self._way = (st.empty() for _ in range(3))
        self._wanted, self._can_start = wanted, can_start
        self._own = {training_store.key(*job) for job in wanted}
        page, self._link = run.now().page, run.now().link
        self._start = (
            f'<p class="ab-way"><a href="?{write_start(page, self._link)}">Go on without waiting,'
            f" with {name_start(page)}</a></p>"
        )
        # The overview's training is shorter than importing pandas and Altair.
        self._is_short = page.path == ""
        self._shown = 0  # steps at the last update
        self.waits(before(_make_ticket(wanted, promise.came)))

    def work(self) -> None:
        """Train, then draw the page."""
        work(self, self._wanted, self._promise.came)
        st.rerun()

    def waits(self, ahead: Sequence[Ticket]) -> bool:
        """Tell who comes first, with a way on without them."""
        self._end_in_time(ahead)
        if changed := super().waits(ahead):
            # Not where Stop stands: a hand may be on its way there.
            others = {ticket.wanted for ticket in ahead} - self._own
            self._way.html(self._start if others and self._can_start else "<p></p>")
        return changed

    def shows(self, training: Training, part: str) -> None:
        """Show the progress. The stop link allows for the steps until it is received."""
        super().shows(training, part)
        self._end_in_time(())
        steps, most = len(training.losses), training.lesson.steps
        stop, self._shown = min(2 * steps - self._shown, most), steps
        stopped = write_link(parse_link(self._link) | {"steps": str(stop)})
        self._stop.html(f'<a class="ab-stop" href="?{stopped}">Stop after {stop} steps</a>')
        if self._is_short:
            return
        from pages.shared.text import charts

        rows = {"step": range(1, steps + 1), "value": training.losses, "kind": "loss"}
        self._chart.vega_lite_chart(
            tables.frame(rows), charts.make_steps_chart("loss", False, most)
        )

    def _end_in_time(self, ahead: Sequence[Ticket]) -> None:
        if self._can_start and self._promise.ends(ahead):
            st.rerun()


def work(view: Bar, wanted: Sequence[Job], came: float = 0) -> None:
    """Wait until these are trained, in order, here or by another ticket."""
    for k, (setup, part) in enumerate(wanted):
        with _queued(_make_ticket(wanted[k:], came)) as ticket:
            while (missing := training_store.find_missing(setup, part)) is not None:
                if ahead := before(ticket):
                    view.waits(ahead)
                    with _moved:  # until a job is done, or this user may have left
                        _moved.wait(LOOK)
                else:
                    _train(view, ticket, setup, missing)


def _make_ticket(wanted: Sequence[Job], came: float) -> Ticket:
    left, *later = (measure_work(*job) for job in wanted)
    return Ticket(training_store.key(*wanted[0]), left, sum(later), came)


@contextmanager
def _queued(ticket: Ticket) -> Iterator[Ticket]:
    _queue.append(ticket)
    try:
        yield ticket
    finally:
        with _moved:
            _queue.remove(ticket)
            _moved.notify_all()


def before(ticket: Ticket) -> list[Ticket]:
    """Return the tickets that come first."""
    return [each for each in list(_queue) if each.rank < ticket.rank]


@dataclass
class Promise:
    """A visitor's wait: since when, whether it has ended, and what was told: how many seconds from
    when, how many trainings come first, and why it was longer than expected."""

    came: float = field(default_factory=time.monotonic)
    has_ended: bool = False
    told: float = math.inf
    at: float = 0
    count: int = 0
    why: str = ""

    def ends(self, ahead: Sequence[Ticket]) -> bool:
        """Return whether the visitor has waited long enough, or would until these are done; then
        for good."""
        waited = time.monotonic() - self.came
        self.has_ended |= waited + MARGIN * sum(_count_left(ahead)) / _speed[0] > PATIENCE
        return self.has_ended

    def describe_wait(self, ahead: Sequence[Ticket]) -> str:
        """Return the count of different trainings ahead and how long they take, with what their
        visitors need after them. It gets less, until what was told cannot be kept: then why."""
        left = _count_left(ahead)
        if not left:
            return "Training begins."
        now, least = time.monotonic(), sum(left) / _speed[0]
        seconds = round_up(MARGIN * least)
        if seconds < self.told:
            self.why = ""
        elif now + least > self.at + self.told:
            came = len(left) > self.count
            reason = "shorter ones came in between" if came else "the server is busy"
            self.why = f", longer than expected: {reason}"
        if seconds < self.told or now + least > self.at + self.told:
            self.told, self.at, self.count = seconds, now, len(left)
        comes = "comes" if len(left) == 1 else "come"
        told = f"{about(int(self.told))}{self.why}"
        return f"Waiting: {count(len(left), 'training')} {comes} first, {told}."


class AtOnce(Promise):
    """Of matrices as they start, for which nobody waits."""

    def describe_wait(self, ahead: Sequence[Ticket]) -> str:
        return "The matrices are drawn."


def _count_left(ahead: Sequence[Ticket]) -> list[float]:
    """Return the multiplications of each different training, with those that follow it."""
    left: dict[training_store.Key, float] = {}
    for ticket in ahead:
        least = left.get(ticket.wanted, math.inf)
        left[ticket.wanted] = min(ticket.left + ticket.later, least)
    return [*left.values()]


def round_up(seconds: float) -> int:
    """Return a duration in whole tens of seconds, from a minute on in whole minutes."""
    tens = max(10, 10 * math.ceil(seconds / 10))
    return tens if tens < 60 else 60 * math.ceil(seconds / 60)


def about(seconds: int) -> str:
    """Return a rounded duration as text."""
    if seconds < 60:
        return f"about {seconds} seconds"
    return f"about {count(seconds // 60, 'minute')}"


def _train(view: Bar, ticket: Ticket, setup: Setup, part: str) -> None:
    """Take the remaining steps, or those until a smaller job arrives."""
    training = _trainer.submit(training_store.begin, setup, part).result()
    whole = measure_work(setup, part)
    ticket.left = _measure_left(training, whole)  # of one taken up again, less
    began = time.monotonic()
    try:
        while not (training.over or before(ticket)):
            _trainer.submit(_some_steps, training).result()
            left = _measure_left(training, whole)
            made, ticket.left = ticket.left - left, left
            if not training.over:  # the result stays even if the user leaves now
                view.shows(training, part)
            began, took = time.monotonic(), time.monotonic() - began
            if took > 0:
                note_speed(made, took)
        if training.over:
            training_store.keep(setup, part, _trainer.submit(training.result).result())
    finally:
        if not training.over:
            training_store.put_aside(setup, part, training)


def note_speed(made: float, took: float) -> None:
    """Follow what is slower in seconds, what is faster later: rather too long than too short."""
    faster = made / took - _speed[0]
    _speed[0] += faster * min(took / (15 if faster > 0 else 5), 1)


def measure_work(setup: Setup, part: str) -> float:
    """Return what a whole training takes: a small one mostly its steps, and some to begin and end
    it."""
    return training_store.multiplications(setup, part) + A_STEP * (AROUND + setup.steps_taken)


def _measure_left(training: Training, whole: float) -> float:
    """Return the work that a training still takes, of this in all."""
    return whole * (1 - len(training.losses) / max(training.lesson.steps, 1))


def _some_steps(training: Training) -> None:
    """Take at least one step, and as many as fit between two updates."""
    began = time.monotonic()
    while True:
        run.let_runs_go_first(MAX_HELD_UP)
        training.step()
        if training.over or time.monotonic() >= began + LOOK:
            break
