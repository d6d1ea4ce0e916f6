"""Waiting for a training: it is shown, it can be stopped, it is given up and taken up again, and
nobody trains twice."""

import base64
import gc
import re
import threading
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers import app, boards, middle, panel, ready
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from core import exercises, film, training_store
from core.presets import EXAMPLE
from core.setup import DEFAULTS, Setup
from core.training import Trained, Training
from pages.shared.frame import training_queue
from pages.shared.link.focus import Focus
from pages.shared.server import computed, run
from tests.test_pages import said

SMALL = Setup(
    init="trained", d_model=7, d_k=3, d_v=5, heads=2, layers=2, d_ff=11, steps=20, seed=71
)


class Reader:
    """In place of the view: notes what is shown, and leaves after so many looks."""

    def __init__(self, leaves_after: int | None = None) -> None:
        self.waited, self.seen, self.leaves_after = [], [], leaves_after

    def waits(self, ahead: list[training_queue.Ticket]) -> None:
        self.waited.append(len({ticket.wanted for ticket in ahead}))

    def shows(self, run: Training, part: str) -> None:
        if self.leaves_after is not None and len(self.seen) >= self.leaves_after:
            raise KeyboardInterrupt  # like Streamlit's own, no Exception
        self.seen.append((part, len(run.losses)))


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    """Each test begins with nothing trained, and looks at every step."""
    for kept in ("_results", "_unfinished"):
        monkeypatch.setattr(training_store, kept, type(getattr(training_store, kept))())
    monkeypatch.setattr(training_queue, "LOOK", 0.0)


def train(reader: Reader, setup: Setup, *parts: str) -> None:
    """What the frame does, without the page that follows."""
    for part in parts:
        training_queue.wait(reader, setup, part, due(setup, part))


def due(setup: Setup, part: str) -> float:
    """When it is due, of who comes now."""
    return training_queue.time.monotonic() + training_queue.patience(setup, part)


def test_the_next_word_is_trained_under_a_causal_mask():
    """The page trains what it shows: whoever says what comes next may not look ahead, whatever the
    setup's mask is."""
    for task, part in (("questions", "attention"), ("next", "attention")):
        asked = replace(SMALL, task=task)
        wanted = training_queue.jobs("next", asked, Focus())
        assert [setup.mask for setup, _ in wanted] == ["causal"] * len(wanted) and wanted[0][
            1
        ] == part
        for setup, each in wanted:
            training_store.get(setup, each)
        assert training_queue.jobs("next", asked, Focus()) == []
        with pytest.MonkeyPatch.context() as patch:
            patch.delattr(training_store, "begin")  # nothing is left to train
            computed.predicted(asked)


def test_what_a_page_needs_is_trained_in_order():
    """A stack stands on attention alone: that comes first, and when both are there nothing is left
    to do."""
    assert training_queue.jobs("block", SMALL, Focus()) == [(SMALL, "attention"), (SMALL, "stack")]
    assert training_queue.jobs("block", replace(SMALL, init="normal"), Focus()) == []
    reader = Reader()
    train(reader, SMALL, "stack")
    assert list(dict.fromkeys(part for part, _ in reader.seen)) == ["attention", "stack"]
    assert (
        training_queue.jobs("block", SMALL, Focus())
        == training_queue.jobs("scores", SMALL, Focus())
        == []
    )


def test_who_comes_back_goes_on_where_it_stopped():
    """A reader who left in the middle, or stopped it, finds the steps that were made; the numbers
    are those of one go."""
    with pytest.raises(KeyboardInterrupt):
        train(Reader(leaves_after=7), SMALL, "attention")
    assert not training_queue._queue
    assert training_store.missing(SMALL, "attention") == "attention"
    stopped = replace(SMALL, steps=13)
    back = Reader()
    train(back, stopped, "attention")
    assert back.seen[0] == ("attention", 9)  # the eighth was made, and not seen any more
    result, in_one_go = (
        training_store.get(stopped, "attention"),
        training_store.begin(stopped, "attention"),
    )
    while not in_one_go.over:
        in_one_go.step()
    assert result.losses == in_one_go.result().losses
    assert (
        [moment.step for moment in result.moments]
        == [moment.step for moment in in_one_go.moments]
        == [0, 10, 13]
    )
    assert all(
        (weight == in_one_go.result().weights[name]).all()
        for name, weight in result.weights.items()
    )


def test_many_readers_of_one_link_train_once(monkeypatch):
    """Nine readers open the same link at once: one trains, the others wait for it and say how many
    are ahead."""
    begun, readers = [], [Reader() for _ in range(9)]
    begin = training_store.begin
    monkeypatch.setattr(
        training_store, "begin", lambda *given: begun.append(given) or begin(*given)
    )
    monkeypatch.setattr(training_queue, "LOOK", 0.001)
    threads = [
        threading.Thread(target=train, args=(reader, SMALL, "attention")) for reader in readers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(begun) == 1
    assert not training_queue._queue
    assert Counter(ahead for reader in readers for ahead in reader.waited).keys() == {
        1
    }  # nine readers, one training


def test_who_waits_is_told_how_long(monkeypatch):
    """What is left of each training that comes first, of one that several want once, at the speed
    that was measured lately; what was made already does not count."""
    monkeypatch.setattr(training_queue, "_speed", [1000.0])
    one, same, other = (
        training_queue.Ticket(wanted, 0.0, left)
        for wanted, left in (("a", 40_000.0), ("a", 31_000.0), ("b", 500.0))
    )
    assert training_queue.waiting([]) == "Training begins."
    assert (
        training_queue.waiting([one, same]) == "Waiting: 1 training comes first, about 40 seconds."
    )
    assert (
        training_queue.waiting([one, same, other])
        == "Waiting: 2 trainings come first, about 40 seconds."
    )
    assert (
        training_queue.waiting([one, other]) == "Waiting: 2 trainings come first, about 50 seconds."
    )
    assert [training_queue.about(seconds) for seconds in (0, 50, 51, 61)] == [
        "about 10 seconds",
        "about 50 seconds",
        "about 1 minute",
        "about 2 minutes",
    ]
    left: list[float] = []
    monkeypatch.setattr(
        Reader, "shows", lambda reader, run, part: left.append(training_queue._queue[0].left)
    )
    train(Reader(), SMALL, "attention")
    all_of_it = training_store.multiplications(SMALL, "attention")
    assert left == pytest.approx([all_of_it * (1 - made / 20) for made in range(1, 20)])
    assert training_queue._speed != [1000.0]


def test_who_waits_for_what_is_there_goes_in_at_once():
    """The training that others still wait for is no reason to wait for one's own, which somebody
    has handed in meanwhile."""
    other, reader = (
        training_queue.Ticket(training_store.key(replace(SMALL, seed=2), "attention"), due=0.0),
        Reader(),
    )
    training_queue._queue.append(other)
    try:
        waits = threading.Thread(target=train, args=(reader, SMALL, "attention"))
        waits.start()
        while not reader.waited:
            pass
        training_store.get(SMALL, "attention")
        waits.join(timeout=30)
        assert not waits.is_alive()
    finally:
        training_queue._queue.remove(other)
    assert not reader.seen


def waits_and_is_overtaken(went_on):
    """A script whose reader does something else while it waits."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    from pages.shared.server.inside import end_if_overtaken, held_back

    with held_back():
        end_if_overtaken()
    end_if_overtaken()
    went_on.append("waits")
    get_script_run_ctx().script_requests.request_stop()
    end_if_overtaken()
    went_on.append("waits on")


def test_who_waits_and_leaves_gives_up_the_place():
    """Nothing is shown while as many are ahead as before, and still a reader who left is
    noticed."""
    went_on: list[str] = []
    AppTest.from_function(waits_and_is_overtaken, args=(went_on,)).run()
    assert went_on == ["waits"]


def test_a_step_waits_for_pages_and_not_for_ever(monkeypatch):
    """While another visitor's page is under way no step begins, until it ends or has held training
    up for long enough."""
    monkeypatch.setattr(run.inside, "held_back", nullcontext)
    with run.one_at_a_time():
        run.let_runs_go_first(0.001)
        steps = threading.Thread(target=run.let_runs_go_first, args=(3600,))
        steps.start()
        while not run._no_run._waiters:
            assert steps.is_alive()
        assert steps.is_alive()
    steps.join(timeout=30)
    assert not steps.is_alive()


def test_what_was_left_is_bounded(monkeypatch):
    """Readers who leave cannot fill the server with half of a training each: these take so many
    bytes, or there is one alone."""
    with pytest.raises(KeyboardInterrupt):
        train(Reader(leaves_after=1), SMALL, "attention")
    (one,) = training_store._unfinished.values()
    assert one.bytes >= 3 * sum(weight.nbytes for weight in one.weights.values())
    for most, stay in ((2.5 * one.bytes, 2), (1, 1)):
        monkeypatch.setattr(training_store, "MOST_UNFINISHED_BYTES", most)
        for seed in range(5):
            with pytest.raises(KeyboardInterrupt):
                train(Reader(leaves_after=1), replace(SMALL, seed=seed), "attention")
        assert len(training_store._unfinished) == stay


def test_what_was_overtaken_stays(monkeypatch):
    """What somebody waits for is not lost when another training is put aside, as far as there is
    room; what was left is."""
    monkeypatch.setattr(training_store, "MOST_UNFINISHED_BYTES", 1)
    begun = [training_store.begin(replace(SMALL, seed=seed), "attention") for seed in range(4)]

    def aside(seed: int, *awaited: training_store.Key) -> training_store.Key:
        return training_store.put_aside(
            replace(SMALL, seed=seed), "attention", begun[seed], awaited
        )

    first = aside(0)
    second = aside(1, first)
    assert [*training_store._unfinished] == [first, second]
    monkeypatch.setattr(training_store, "MOST_AWAITED_BYTES", 2.5 * begun[0].bytes)
    third = aside(2, first, second)
    assert [*training_store._unfinished] == [second, third]
    assert [aside(3)] == [*training_store._unfinished]


class Leads(Reader):
    """A reader of a large training, beside whom another comes after the third look."""

    def __init__(self, other: threading.Thread) -> None:
        super().__init__()
        self.other = other

    def shows(self, run: Training, part: str) -> None:
        super().shows(run, part)
        if len(self.seen) == 3:
            self.other.start()
            while len(training_queue._queue) < 2:
                assert self.other.is_alive()


def test_small_trainings_go_before_large_ones(monkeypatch):
    """A small training that comes while a large one is on its way is made first, and the large one
    then goes on where it was."""
    monkeypatch.setattr(
        training_queue, "A_SECOND", training_store.multiplications(SMALL, "attention")
    )
    large, done = replace(SMALL, steps=60, seed=2), []
    small = threading.Thread(
        target=lambda: (train(Reader(), SMALL, "attention"), done.append(len(leads.seen)))
    )
    leads = Leads(small)
    train(leads, large, "attention")
    small.join(timeout=30)
    assert done[0] < 10
    assert leads.waited == [1] * len(leads.waited) != []
    assert [steps for _, steps in leads.seen] == list(range(1, 60))  # none twice: it was put aside


def test_one_that_is_overtaken_is_awaited(monkeypatch):
    """What is put aside where another came first is told apart from what was left: its place stands
    on the ticket."""
    tickets = []
    monkeypatch.setattr(
        training_store, "put_aside", lambda *given: tickets.append(given[3]) or "its place"
    )
    with pytest.raises(KeyboardInterrupt):
        train(Reader(leaves_after=1), SMALL, "attention")
    waits = training_queue.Ticket(
        training_store.key(SMALL, "stack"), float("inf"), aside="where it was"
    )
    training_queue._queue.append(waits)
    with pytest.raises(KeyboardInterrupt):
        train(Reader(leaves_after=1), SMALL, "attention")
    training_queue._queue.remove(waits)
    assert tickets == [[None], ["where it was", None]]


def test_nobody_is_overtaken_for_ever(monkeypatch):
    """Small trainings go first as long as a large one has not waited for so many times as long as
    it takes."""
    clock = [1000.0]
    monkeypatch.setattr(training_queue.time, "monotonic", lambda: clock[0])
    large = replace(SMALL, d_model=64, d_k=64, d_v=64, heads=20, steps=600)
    takes = training_store.multiplications(large, "attention") / training_queue.A_SECOND

    def queued(setup: Setup):
        return training_queue._queued(setup, "attention", due(setup, "attention"))

    with queued(large) as first, queued(SMALL) as second:
        assert training_queue.before(first) == [second]
        clock[0] += training_queue.PATIENCE * takes
        with queued(replace(SMALL, seed=2)) as third:
            assert training_queue.before(third) == [second, first]
        assert training_queue.before(first) == [second]
    assert not training_queue._queue


def test_who_needs_several_trainings_waits_from_when_he_came(monkeypatch):
    """Each of them is due when all before it and it could have been made, however late the first
    one was."""
    clock, dues = [1000.0], []
    monkeypatch.setattr(training_queue.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(training_queue.st, "rerun", lambda: None)

    def wait(view, setup, part, due):
        dues.append(due)
        clock[0] += 500

    monkeypatch.setattr(training_queue, "wait", wait)
    training_queue.work(Reader(), [(SMALL, "attention"), (SMALL, "stack")])
    each = [training_queue.patience(SMALL, part) for part in ("attention", "stack")]
    assert dues == pytest.approx([1000 + each[0], 1000 + sum(each)])


def test_all_train_in_one_thread(monkeypatch):
    """Torch keeps memory for each thread that it computed in: whoever waits, steps are made in the
    one training thread, where torch has one thread."""
    made, step = set(), Training.step
    monkeypatch.setattr(
        Training,
        "step",
        lambda run: made.add((threading.get_ident(), torch.get_num_threads())) or step(run),
    )
    threads = [
        threading.Thread(target=train, args=(Reader(), replace(SMALL, seed=seed), "attention"))
        for seed in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ((where, count),) = made
    assert where not in (threading.get_ident(), *(thread.ident for thread in threads))
    assert count == 1


def test_memory_is_taken_again_in_training_alone(monkeypatch):
    """What is freed stays for the next step, while there are steps; else tensors are given back one
    by one, after an error too."""
    asked = []
    monkeypatch.setattr(
        training_queue, "_ask_glibc", lambda function, *given: asked.append((function, *given))
    )
    train(Reader(), SMALL, "attention")
    in_training, elsewhere = (
        ("mallopt", training_queue.M_MMAP_THRESHOLD, 2**power) for power in (22, 17)
    )
    assert {*asked[::2]} == {in_training} and {*asked[1::2]} == {elsewhere}
    with pytest.raises(ZeroDivisionError):
        training_queue._in_training(lambda: 1 / 0)
    assert asked[-2:] == [in_training, elsewhere] and len(asked) % 2 == 0


def test_what_fails_in_training_is_told_to_who_waits(monkeypatch):
    """An error in the training thread ends the reader's run as any other does, and nobody waits for
    it for ever."""
    monkeypatch.setattr(Training, "step", lambda run: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(Reader(), SMALL, "attention")
    assert not training_queue._queue


def test_the_page_follows():
    """From the entry point: a link with trained weights ends on its page, with the weights of
    training."""
    shown = app(
        "pages/4_scores.py",
        init="trained",
        d_model="7",
        d_k="3",
        d_v="5",
        heads="2",
        steps="20",
        seed="71",
    )
    assert not shown.exception
    assert "Scores" in shown.title[0].value
    assert training_store.missing(SMALL, "attention") is None


DRAWN = (
    {"steps": 40},
    {
        "d_model": 7,
        "heads": 20,
        "projections": "none",
        "text": "a b c d e f g h i j k l",
        "query": 12,
        "key": 11,
        "row": 7,
        "column": 9,
        "edits": "embedding_table=0",
    },
)


@pytest.mark.parametrize("link", DRAWN)
def test_drawn_weights_are_not_trained_unasked(link):
    """Whatever sizes, words and places their reader has, the page shows the preset's training,
    which all readers share, asks its exercises of it, says so, and has one link to train these
    sizes. Only its steps are no choice of theirs."""
    at = app("pages/13_training.py", exercise="training.2", **link)
    assert not at.exception
    assert set(training_store._results) == {training_store.key(EXAMPLE, "attention")}
    (shown,) = (board for board in boards(at) if board["view"] == "film")
    moments = np.frombuffer(base64.b64decode(shown["moments"]), np.float32)
    assert np.array_equal(
        moments, film.film(EXAMPLE, training_store.get(EXAMPLE, "attention")).flatten().numpy()
    )
    (matrix,) = shown["matrices"]
    assert (matrix["rows"][shown["chosen"][0]], matrix["columns"][shown["chosen"][1]]) == (
        "thirsty",
        "cat",
    )
    assert "clickable" not in matrix  # its ninth word may be none of the reader's
    assert "training of the preset **Trained**" in said(at)
    assert said(at).count("[Train your own sizes](training?") == 1
    assert said(at).count("init=trained") == 3  # and two to what else can be learned
    assert "steps" in panel(at)["says"]["off"]
    own = Setup(**{name: value for name, value in link.items() if name in DEFAULTS})
    assert exercises.make("training.2", own).asks in said(at)


def test_a_result_is_kept_by_one_place_alone(monkeypatch):
    """What was computed of a training does not hold on to it: once it gives way to others, its
    bytes are free."""
    monkeypatch.setattr(training_store, "MOST_BYTES", 1)
    others = [each for each in gc.get_objects() if type(each) is Trained]  # of other tests
    for seed in (2, 3, 5):
        own = replace(SMALL, steps=1, seed=seed)
        for compute in (computed.answered, computed.filmed, computed.roles_of):
            compute(own)
        (kept,) = training_store._results.values()
    gc.collect()
    assert [each for each in gc.get_objects() if type(each) is Trained and each not in others] == [
        kept
    ]


@pytest.mark.browser
def test_acts_count_while_it_trains(page, server):
    """A page chosen, and at once Stop, while a large model learns: the page is that one, with the
    steps that were made, though the Stop that was pressed is gone by the time that the hand lets
    go."""
    large = "init=trained&heads=20&d_model=64&d_k=64&d_v=64&steps=600"
    page.goto(f"{server.url}/weights?{large}")
    page.wait_for_selector("html[data-acts]", state="attached")
    at = middle(page, ".ab-stop")
    page.evaluate("addEventListener('pointerdown', ({ target }) => { window.met = target; }, true)")
    page.locator(".ab-bar").get_by_role("link", name="Context").click()
    page.mouse.move(*at)
    page.mouse.down()
    while not page.evaluate(
        "met.matches('.ab-stop')"
    ):  # for a moment there is none: the page is being turned
        page.mouse.up()
        page.mouse.move(*middle(page, ".ab-stop"))
        page.mouse.down()
    page.wait_for_function("() => !met.checkVisibility()")
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"/context\?.*\bsteps=(?!600)\d+$"))
    ready(page)
    assert page.locator("h1").inner_text().endswith("Context")
