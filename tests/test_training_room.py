"""Waiting for a training: it is shown, it can be stopped, it is given up and taken up again, and nobody trains twice."""

import re
import threading
from dataclasses import replace

import pytest
from conftest import app, ready

from core import trained
from core.setup import Setup
from core.training import Training
from pages.shared import training
from pages.shared.focus import Focus

SMALL = Setup(init="trained", d_model=7, d_k=3, d_v=5, heads=2, layers=2, d_ff=11, steps=20, seed=71)


class Reader:
    """In place of the view: notes what is shown, and leaves after so many looks."""

    def __init__(self, leaves_after: int | None = None) -> None:
        self.waited, self.seen, self.leaves_after = [], [], leaves_after

    def waits(self, ahead: int) -> None:
        self.waited.append(ahead)

    def shows(self, run: Training, part: str) -> None:
        if self.leaves_after is not None and len(self.seen) >= self.leaves_after:
            raise KeyboardInterrupt  # like Streamlit's own, no Exception
        self.seen.append((part, len(run.losses)))


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    """Each test begins with nothing trained, and looks at every step."""
    monkeypatch.setattr(trained, "_results", type(trained._results)())
    monkeypatch.setattr(training, "_begun", type(training._begun)())
    monkeypatch.setattr(training, "LOOK", 0.0)


def train(reader: Reader, setup: Setup, *parts: str) -> None:
    """What the frame does, without the page that follows."""
    for part in parts:
        with training._turn(reader):
            while (missing := trained.missing(setup, part)) is not None:
                training._train(reader, setup, missing)


def test_what_a_page_needs_is_trained_in_order():
    """A stack stands on attention alone: that comes first, and when both are there nothing is left to do."""
    assert training.jobs("block", SMALL, Focus()) == [(SMALL, "attention"), (SMALL, "stack")]
    assert training.jobs("block", replace(SMALL, init="normal"), Focus()) == []
    reader = Reader()
    train(reader, SMALL, "stack")
    assert list(dict.fromkeys(part for part, _ in reader.seen)) == ["attention", "stack"]
    assert training.jobs("block", SMALL, Focus()) == training.jobs("scores", SMALL, Focus()) == []


def test_who_comes_back_goes_on_where_it_stopped():
    """A reader who left in the middle, or stopped it, finds the steps that were made; the numbers are those of one go."""
    with pytest.raises(KeyboardInterrupt):
        train(Reader(leaves_after=7), SMALL, "attention")
    assert not training._queue
    assert trained.missing(SMALL, "attention") == "attention"
    stopped = replace(SMALL, steps=13)
    back = Reader()
    train(back, stopped, "attention")
    assert back.seen[0] == ("attention", 9)  # the eighth was made, and not seen any more
    result, in_one_go = trained.get(stopped, "attention"), trained.begin(stopped, "attention")
    while not in_one_go.over:
        in_one_go.step()
    assert result.losses == in_one_go.result().losses
    assert [moment.step for moment in result.moments] == [moment.step for moment in in_one_go.moments] == [0, 10, 13]
    assert all((weight == in_one_go.result().weights[name]).all() for name, weight in result.weights.items())


def test_many_readers_of_one_link_train_once(monkeypatch):
    """Nine readers open the same link at once: one trains, the others wait for it and say how many are ahead."""
    begun, readers = [], [Reader() for _ in range(9)]
    begin = trained.begin
    monkeypatch.setattr(trained, "begin", lambda *given: begun.append(given) or begin(*given))
    monkeypatch.setattr(training, "LOOK", 0.001)
    threads = [threading.Thread(target=train, args=(reader, SMALL, "attention")) for reader in readers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(begun) == 1
    assert not training._queue
    assert max(ahead for reader in readers for ahead in reader.waited) >= 1


def test_what_was_begun_is_bounded():
    """Readers who leave cannot fill the server with half of a training each."""
    for seed in range(5):
        with pytest.raises(KeyboardInterrupt):
            train(Reader(leaves_after=1), replace(SMALL, seed=seed), "attention")
    assert len(training._begun) == training.MOST_BEGUN


def test_the_page_follows():
    """From the entry point: a link with trained weights ends on its page, with the weights of training."""
    shown = app("pages/4_scores.py", init="trained", d_model="7", d_k="3", d_v="5", heads="2", steps="20", seed="71")
    assert not shown.exception
    assert "Scores" in shown.title[0].value
    assert trained.missing(SMALL, "attention") is None


@pytest.mark.browser
def test_acts_count_while_it_trains(page, server):
    """A page chosen, and then Stop, while a large model learns: the page is that one, with the steps that were made."""
    large = "init=trained&heads=20&d_model=64&d_k=64&d_v=64&steps=600"
    page.goto(f"{server.url}/weights?{large}")
    stop = page.locator(".ab-stop")
    stop.wait_for()
    page.wait_for_selector("html[data-acts]", state="attached")
    page.locator(".ab-bar").get_by_role("link", name="Context").click()
    page.wait_for_url(re.compile(r"/context\?"))
    stop.wait_for()
    stop.click()
    ready(page)
    assert page.locator("h1").inner_text().endswith("Context")
    assert re.search(r"/context\?.*\bsteps=\d{1,2}$", page.url), page.url
