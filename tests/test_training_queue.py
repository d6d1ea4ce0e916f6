"""Waiting for a training: it is shown, it can be stopped, it is given up and taken up again, and
nobody trains twice."""

import base64
import re
import threading
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers import app, boards, change, middle, numbers, panel, ready
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from core import Setup
from core.analysis import training_history
from core.quiz import exercises
from core.setup.presets import EXAMPLE
from core.setup.setup import DEFAULTS
from core.training import training_store
from core.training.training import Training
from pages.shared.layout import training_queue
from pages.shared.link.focus import Focus
from pages.shared.server import computed, run
from tests.test_pages import said

SIZES = {"d_model": 7, "d_k": 3, "d_v": 5, "heads": 2, "steps": 20, "seed": 71}
SMALL = Setup(init="trained", **SIZES, layers=2, d_ff=11)


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
    monkeypatch.setattr(training_queue, "_queue", [])
    monkeypatch.setattr(training_queue, "LOOK", 0.0)


def train(reader: Reader, setup: Setup, part: str = "attention") -> None:
    """What the frame does, without the page that follows."""
    training_queue.work(reader, [(setup, part)])


def leaves(setup: Setup, after: int = 1) -> None:
    """A reader leaves in the middle."""
    with pytest.raises(KeyboardInterrupt):
        train(Reader(leaves_after=after), setup)
    assert not training_queue._queue


def in_threads(*readers: tuple[Reader, Setup]) -> list[threading.Thread]:
    """Readers who come at once."""
    threads = [threading.Thread(target=train, args=one) for one in readers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads) and not training_queue._queue
    return threads


def test_the_next_word_is_trained_under_a_causal_mask():
    """The page trains what it shows: whoever says what comes next may not look ahead, whatever the
    setup's mask is; the page then has nothing left to train."""
    for task in ("questions", "next"):
        asked = replace(SMALL, task=task)
        wanted = training_queue.list_jobs("next", asked, Focus())
        assert {setup.mask for setup, _ in wanted} == {"causal"} and wanted[0][1] == "attention"
        for setup, part in wanted:
            training_store.get(setup, part)
        assert training_queue.list_jobs("next", asked, Focus()) == []
        with pytest.MonkeyPatch.context() as patch:
            patch.delattr(training_store, "begin")  # nothing is left to train
            computed.predicted(asked)


def test_what_a_page_needs_is_trained_in_order():
    """A stack stands on attention alone: that comes first, and when both are there nothing is left
    to do; the page follows by itself."""
    assert training_queue.list_jobs("block", SMALL, Focus()) == [
        (SMALL, "attention"),
        (SMALL, "stack"),
    ]
    assert training_queue.list_jobs("block", replace(SMALL, init="normal"), Focus()) == []
    train(reader := Reader(), SMALL, "stack")
    assert list(dict.fromkeys(part for part, _ in reader.seen)) == ["attention", "stack"]
    assert not [
        job for at in ("block", "scores") for job in training_queue.list_jobs(at, SMALL, Focus())
    ]
    other = SIZES | {"seed": 73}
    shown = app("pages/4_scores.py", init="trained", **other)
    assert not shown.exception and "Scores" in shown.title[0].value
    assert training_store.find_missing(replace(SMALL, seed=73), "attention") is None


def test_who_does_not_wait_sees_the_weights_as_they_start():
    """They need no training, on any page; the slider leads on to its end."""
    own = SIZES | {"seed": 79}
    start = replace(SMALL, seed=79, trained_for=0)
    assert training_queue.list_jobs("scores", start, Focus()) == [(start, "attention")]
    assert not app("pages/4_scores.py", init="trained", trained_for=0, **own).exception
    assert not training_store.moments(start, "attention")


def test_who_has_waited_long_enough_gets_the_page(monkeypatch):
    """With the matrices as they start, which it says, at the address that asks for trained ones;
    so does who would wait too long. Once they have learned the same link shows those."""
    link = {"init": "trained", **SIZES | {"seed": 83}}
    monkeypatch.setattr(training_queue, "PATIENCE", -1)
    at = app("pages/9_block.py", **link)
    assert not at.exception and "Block" in at.title[0].value
    assert "shows the matrices as they start" in said(at)
    assert "trained_for" not in panel(at)["link"]
    find = lambda at: numbers(boards(at)[0]["matrices"][-1])  # noqa: E731
    assert np.array_equal(find(at), find(app("pages/9_block.py", **link, trained_for=0)))
    monkeypatch.setattr(training_queue, "PATIENCE", 120)
    assert "shows the matrices as they start" in said(change(at))  # for good: no page goes away
    training_queue.work(Reader(), training_queue.list_jobs("block", Setup(**link), Focus()))
    start = find(at)
    assert "as they start" not in said(change(at)) and not np.array_equal(find(at), start)
    ahead, promise = [training_queue.Ticket("a", 150.0)], training_queue.Promise()
    for speed, ends in ((2.0, False), (1.0, True), (2.0, True)):
        monkeypatch.setattr(training_queue, "_speed", [speed])
        assert promise.ends(ahead) is ends


@pytest.mark.parametrize(
    ("page", "task", "start"),
    (
        ("13_training", "questions", "training of the preset Trained"),
        ("13_training", "next", "training of the preset Trained"),
        ("0_overview", "questions", "matrices as they start"),
    ),
)
def test_what_shows_a_training_has_the_presets_meanwhile(monkeypatch, page, task, start):
    """The page Training has nothing to show of matrices as they start, whatever they are to learn,
    and the overview needs the preset's: that short one alone is waited for."""
    monkeypatch.setattr(training_queue, "PATIENCE", -1)
    own = {"init": "trained", "d_model": 64, "heads": 8, "layers": 3, "task": task}
    at = app(f"pages/{page}.py", **own)
    assert not at.exception and f"This page shows the {start}" in said(at)
    assert training_store.find_missing(EXAMPLE, "attention") is None
    assert not training_store.moments(Setup(**own), "attention")
    assert "Your matrices are drawn" not in said(at) and "init=trained" in panel(at)["link"]


def learns_beside(jobs, promise):
    """A script with what stands above a page whose matrices learn."""
    from pages.shared.layout import training_queue

    training_queue._learn_beside(jobs, promise, "the matrices as they start")


def test_what_learned_beside_a_page_is_shown_by_a_press():
    """The page above which it learned stays until its reader asks for another."""
    jobs = [(replace(SMALL, seed=89), "attention")]
    at = AppTest.from_function(learns_beside, args=(jobs, training_queue.Promise())).run()
    assert training_store.find_missing(*jobs[0]) is None
    assert [button.label for button in at.button] == ["Show what they have learned"]
    runs = at.button[0].click().run()
    assert not runs.exception


def test_who_comes_back_goes_on_where_it_stopped(monkeypatch):
    """A reader who left in the middle, or stopped it, finds the steps that were made; the numbers
    are those of one go."""
    leaves(SMALL, after=7)
    assert training_store.find_missing(SMALL, "attention") == "attention"
    stopped, back = replace(SMALL, steps=13), Reader()
    left: list[float] = []
    step = training_queue._some_steps
    look = lambda *own: left.append(training_queue._queue[0].left) or step(*own)  # noqa: E731
    monkeypatch.setattr(training_queue, "_some_steps", look)
    train(back, stopped)
    # what was made before counts for nobody's wait or speed
    assert left[0] == training_queue.measure_work(stopped, "attention") * (1 - 8 / 13)
    assert back.seen[0] == ("attention", 9)  # the eighth was made, and not seen any more
    result, again = (
        training_store.get(stopped, "attention"),
        training_store.begin(stopped, "attention"),
    )
    while not again.over:
        again.step()
    assert result.losses == again.result().losses
    assert [moment.step for moment in result.moments] == [0, 10, 13]
    for name, weight in again.result().weights.items():
        assert torch.equal(weight, result.weights[name])


def test_many_readers_of_one_link_train_once(monkeypatch):
    """Of nine readers who open one link at once, one trains, the others wait for it and say how
    many are ahead. Steps are made in the one training thread, where torch has one thread, also of
    other links: torch keeps memory for each thread that it computed in."""
    begun, made, begin, step = [], set(), training_store.begin, Training.step

    def steps(run: Training) -> None:
        made.add((threading.get_ident(), torch.get_num_threads()))
        step(run)

    monkeypatch.setattr(Training, "step", steps)
    monkeypatch.setattr(training_store, "begin", lambda *own: begun.append(own) or begin(*own))
    monkeypatch.setattr(training_queue, "LOOK", 0.001)
    readers = [Reader() for _ in range(9)]
    threads = in_threads(*((reader, SMALL) for reader in readers))
    assert len(begun) == 1
    assert {ahead for reader in readers for ahead in reader.waited} == {1}  # one training
    threads += in_threads(*((Reader(), replace(SMALL, seed=seed)) for seed in range(3)))
    ((where, count),) = made
    assert where not in (threading.get_ident(), *(thread.ident for thread in threads))
    assert count == 1


def test_who_waits_is_told_how_long(monkeypatch):
    """What is left of each training that comes first, of one that several want once, at the speed
    that was measured lately; what was made already does not count."""
    monkeypatch.setattr(training_queue, "_speed", [1000.0])
    one, same, other = (
        training_queue.Ticket(wanted, left)
        for wanted, left in (("a", 37_000.0), ("a", 30_100.0), ("b", 500.0))
    )
    for ahead, line in (
        ([], "Training begins."),
        ([one, same], "Waiting: 1 training comes first, about 40 seconds."),
        ([one, same, other], "Waiting: 2 trainings come first, about 40 seconds."),
        ([one, other], "Waiting: 2 trainings come first, about 50 seconds."),
        ([replace(other, later=14_000.0)], "Waiting: 1 training comes first, about 20 seconds."),
    ):
        assert training_queue.Promise().describe_wait(ahead) == line
    first = training_queue.Ticket("c", 500.0, came=1.0)
    monkeypatch.setattr(training_queue, "_queue", [again := replace(first, came=2.0), first])
    assert training_queue.before(again) == [first]  # who came first, whatever was asked again
    training_queue._queue.clear()
    told = training_queue.Promise()
    more, less = replace(same, left=35_000.0), replace(same, left=20_000.0)
    busy, between = (
        f", longer than expected: {why}."
        for why in ("the server is busy", "shorter ones came in between")
    )
    for later, ahead, end in (
        (0, [same], "about 40 seconds."),
        (0, [more], "about 40 seconds."),  # as was told, while that may still be
        (9, [more, other], f"about 50 seconds{between}"),
        (0, [same, other], "about 40 seconds."),
        (0, [less], "about 30 seconds."),
        (29, [less], f"about 30 seconds{busy}"),
        (0, [less], f"about 30 seconds{busy}"),  # for long enough to be read
        (0, [other], "about 10 seconds."),
    ):
        told.at -= later
        assert told.describe_wait(ahead).endswith(end)
    said = [training_queue.about(training_queue.round_up(each)) for each in (0, 50, 51, 61)]
    assert said == ["about 10 seconds", "about 50 seconds", "about 1 minute", "about 2 minutes"]
    left: list[float] = []
    look = lambda *_: left.append(training_queue._queue[0].left)  # noqa: E731
    monkeypatch.setattr(Reader, "shows", look)
    train(Reader(), SMALL)
    all_of_it = training_queue.measure_work(SMALL, "attention")
    assert left == pytest.approx([all_of_it * (1 - made / 20) for made in range(1, 20)])
    assert training_queue._speed != [1000.0]


def test_an_estimate_is_rather_too_long(monkeypatch):
    """It follows the slower of late; what many small steps take is no measure of few large ones."""
    monkeypatch.setattr(training_queue, "_speed", [1000.0])
    for measured in (2000.0, 500.0) * 20:
        training_queue.note_speed(measured, 1)
    assert 500 < training_queue._speed[0] < 1000
    large = replace(SMALL, d_model=64, heads=8, layers=6, steps=300)
    for setup, is_mostly_steps in ((SMALL, True), (large, False)):
        rest = training_store.multiplications(setup, "stack")
        assert (training_queue.measure_work(setup, "stack") > 2 * rest) is is_mostly_steps


def waits_and_is_overtaken(went_on):
    """A script whose reader does something else while it waits."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    from pages.shared.server.run import end_if_overtaken

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
    monkeypatch.setattr(run.streamlit_internals, "held_back", nullcontext)
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
    leaves(SMALL)
    (one,) = training_store._unfinished.values()
    assert one.bytes >= 3 * sum(weight.nbytes for weight in one.weights.values())
    for most, stay in ((2.5 * one.bytes, 2), (1, 1)):
        monkeypatch.setattr(training_store, "MAX_UNFINISHED_BYTES", most)
        for seed in range(5):
            leaves(replace(SMALL, seed=seed))
        assert len(training_store._unfinished) == stay


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


def test_small_trainings_go_before_large_ones():
    """A small training that comes while a large one is on its way is made first, and the large one
    then goes on where it was."""
    done: list[int] = []
    small = threading.Thread(target=lambda: (train(Reader(), SMALL), done.append(len(leads.seen))))
    leads = Leads(small)
    train(leads, replace(SMALL, steps=60, seed=2))
    small.join(timeout=30)
    assert done[0] < 10
    assert leads.waited == [1] * len(leads.waited) != []
    assert [steps for _, steps in leads.seen] == list(range(1, 60))  # none twice: it was put aside


def test_what_fails_in_training_is_told_to_who_waits():
    """An error in the training thread ends the reader's run as any other does, nobody waits for it
    for ever, and the next training is made."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(Training, "step", lambda run: 1 / 0)
        train(Reader(), SMALL)
    assert not training_queue._queue
    train(Reader(), SMALL)
    assert training_store.find_missing(SMALL, "attention") is None


LARGE = {"d_model": 7, "heads": 20, "projections": "none", "text": "a b c d e f g h i j k l"}
DRAWN = (
    {"steps": 40},
    LARGE | {"query": 12, "key": 11, "row": 7, "column": 9, "edits": "embedding_table=0"},
)


@pytest.mark.parametrize("link", DRAWN)
def test_drawn_weights_are_not_trained_unasked(link):
    """Whatever sizes, words and places their reader has, the page shows the preset's training,
    which all readers share, asks its exercises of it, says so, and has one link to train these
    sizes. Only its steps are no choice of theirs."""
    at = app("pages/13_training.py", exercise="training.1", **link)
    assert not at.exception
    assert set(training_store._results) == {training_store.key(EXAMPLE, "attention")}
    (shown,) = (board for board in boards(at) if board["view"] == "training_history")
    moments = np.frombuffer(base64.b64decode(shown["moments"]), np.float32)
    expected = training_history.find_weight_history(
        EXAMPLE, training_store.get(EXAMPLE, "attention")
    )
    assert np.array_equal(moments, expected.flatten().numpy())
    matrix, (row, column) = shown["matrices"][shown["main"]], shown["chosen"]
    assert (matrix["rows"][row], matrix["columns"][column]) == ("thirsty", "cat")
    assert "clickable" not in matrix  # its ninth word may be none of the reader's
    assert "training of the preset **Trained**" in said(at)
    assert said(at).count("[Train your own sizes](training?") == 1
    assert said(at).count("init=trained") == 3  # and two to what else can be learned
    assert "steps" in panel(at)["says"]["off"]
    own = Setup(**{name: value for name, value in link.items() if name in DEFAULTS})
    assert exercises.make("training.1", own).asks in said(at)


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
