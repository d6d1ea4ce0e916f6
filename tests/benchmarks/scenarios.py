"""What is measured: each scenario takes about how many seconds it may go on, and prints what came
of it."""

import asyncio
import itertools
import os
import random
import re
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from urllib.parse import parse_qsl

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.benchmarks.classroom import Window
from tests.benchmarks.load import PATHS, crowd, spread
from tests.benchmarks.measure import (
    USUAL,
    Held,
    Load,
    bare_rate,
    burst,
    held,
    most,
    processor_seconds,
    row,
    viewers_of,
    watching_memory,
)
from tests.benchmarks.server import APP, BARE, Server, serving
from tests.benchmarks.viewer import Answer, Viewer
from tests.strategies import LARGEST

# ---------- pages ----------


def new_seeds() -> Iterator[dict[str, int]]:
    """Acts after which every number is new."""
    return ({"seed": seed} for seed in itertools.count(1000))


def other_words() -> Iterator[dict[str, int]]:
    """Acts that only move what is looked at: six words, and a prime step, so that neighbouring acts
    of one viewer differ."""
    return ({"query": 1 + k * 5 % 6} for k in itertools.count())


async def _by_turns(setup: dict[str, object], seconds: float) -> dict[str, tuple[Load, Load, Load]]:
    """Each page for so many seconds: the bare page, new seeds and clicks in turn."""
    found = {}
    with serving(APP) as app, serving(BARE) as bare:
        async with viewers_of(bare) as idle:
            for path in PATHS:
                loads, acts = (Load(), Load(), Load()), (new_seeds(), other_words())
                until = time.monotonic() + seconds
                async with viewers_of(app, path, **setup) as viewers:
                    while not loads[0].rates or time.monotonic() < until:
                        await burst(bare, idle, loads[0], itertools.repeat({}))
                        for load, act in zip(loads[1:], acts, strict=True):
                            await burst(app, viewers, load, act, setup=setup)
                found[path or "overview"] = loads
    return found


def cost(seconds: float) -> None:
    """A rerun of each page beside a bare page's, by default and at the largest setup: processor
    time, and reruns a second of eight viewers without a pause."""
    for kind, setup in (("default", {}), ("largest", LARGEST)):
        found = asyncio.run(_by_turns(setup, seconds / 2 / len(PATHS)))
        print(f"{kind:<12}  bare ms   seed  click   seed × bare  click × bare  rate, 1/×  errors")
        for page, (bare, seed, click) in found.items():
            costs = "".join(f"{each.cost:>9.1f}" for each in (bare, seed, click))
            times = f"{seed.times(bare):>12.1f}{click.times(bare):>14.1f}"
            errors = len(seed.errors + click.errors)
            print(f"{page:<12}{costs}{times}{bare.rate / click.rate:>11.1f}{errors:>8}")
        dearest = max(found, key=lambda page: found[page][2].times(found[page][0]))
        times = found[dearest][2].times(found[dearest][0])
        row(f"a click, {kind}, × bare", f"{times:.1f} ({dearest})", times, 12)


# ---------- a class of a hundred ----------

PEOPLE = 100


async def _first_page(server: Server) -> Held:
    async with Viewer(server.port) as viewer:
        await viewer.run()
    return held(server)


def lesson(seconds: float) -> None:
    """Each of a hundred acts once in two seconds, on a random page with a random change."""
    with serving(APP) as app, serving(BARE) as bare:
        start, rate = asyncio.run(_first_page(app)), asyncio.run(bare_rate(bare))
        used = processor_seconds(app)
        with watching_memory(app) as seen:
            outcome = crowd(app.port, PEOPLE, seconds)
        busy = (processor_seconds(app) - used) / seconds
        rate = max(rate, asyncio.run(bare_rate(bare)))
    print(f"{outcome}; the server used {busy:.2f} cores; bare page {rate:.0f} reruns a second")
    tail = outcome.percentile(0.95) * 1e3
    row("95th percentile, ms", f"{tail:.0f}", tail, 200 * USUAL / rate)
    row("wrong or lost", f"{outcome.lost} lost", outcome.lost + len(outcome.errors), 0)
    row("memory, MB", f"{most(seen)} (after a first page {start})", most(seen).whole, 550)


PLACES = [
    *(("scores", f"lecture=on&beat={beat}") for beat in range(2, 6)),
    *(("weights", "lecture=on&beat=2"), ("scores", "query=3&key=4"), ("scores", "query=4&key=1")),
    *(("context", "query=4&key=1"), ("heads", "query=4"), ("scores", "d_k=5&query=4")),
    *(("projection", "d_k=5"), ("block", ""), ("encoder", ""), ("scores", "text=the+cat+the+mat")),
]


async def _follower(port: int, room: str) -> dict[tuple[str, str], float]:
    """Go where the class goes; return when each place was on screen."""
    seen = {}
    async with Viewer(port) as viewer, Window(port) as window:
        window.patience = 3600.0
        told = await window.come(room)
        while told["is"] != "end":
            await viewer.run(told["page"], **dict(parse_qsl(told["link"])))
            seen[told["page"], told["link"]] = time.monotonic()
            told = await window.hear("room", "end")
    return seen


async def _lecture(server: Server, seconds: float) -> tuple[float, list[float]]:
    """Return processor seconds a second while all sit still, and the seconds until each act was on
    each screen."""
    async with Window(server.port) as lecturer:
        lecturer.patience = 3600.0
        await lecturer.lead(link="lecture=on")
        class_ = [(server.port, lecturer.room)] * PEOPLE
        followers = asyncio.create_task(asyncio.to_thread(spread, _follower, class_))
        await lecturer.hear("followers", followers=PEOPLE)
        await asyncio.sleep(2)
        used, acted = processor_seconds(server), {}
        await asyncio.sleep(seconds)
        used = (processor_seconds(server) - used) / seconds
        for place in PLACES:
            acted[place] = time.monotonic()
            await lecturer.say("at", page=place[0], link=place[1])
            await asyncio.sleep(3)
        await lecturer.say("end")
        seen = await followers
    return used, [each[place] - acted[place] for each in seen for place in PLACES if place in each]


def follow(seconds: float) -> None:
    """A hundred follow a lecturer: what it costs to sit still, and how long an act takes to be on
    all screens."""
    with serving(APP) as app, serving(BARE) as bare:
        rate = asyncio.run(bare_rate(bare))
        used, times = asyncio.run(_lecture(app, seconds))
        rate = max(rate, asyncio.run(bare_rate(bare)))
    used *= 1e3 / PEOPLE
    row("a follower who sits still, processor ms a second", f"{used:.2f}", used, 2)
    tail = sorted(times)[int(0.95 * len(times))]
    median = f"median {statistics.median(times):.2f}, {len(PLACES) * PEOPLE - len(times)} never"
    row("an act on a screen, 95th percentile, s", f"{tail:.2f} ({median})", tail, USUAL / rate)


# ---------- memory ----------

SMALL = {"d_model": 16, "d_k": 8, "d_v": 8, "heads": 2, "layers": 2, "steps": 40}
MIDDLE = {"d_model": 32, "d_k": 16, "d_v": 16, "heads": 4, "layers": 3, "steps": 200}
LARGE = {"d_model": 64, "d_k": 64, "d_v": 64, "heads": 20, "layers": 6}
TRAINED = ("scores", "weights", "heads", "block", "encoder", "next", "classifier", "training")
KINDS = {"drawn": 60, "small": 20, "middle": 8, "large": 4}
WORDS = "the cat drank milk because it was thirsty and slept on a warm chair in sun"


def _act(draw: random.Random) -> tuple[str, str, dict[str, object]]:
    """Return what kind of act it is, the page and the link."""
    kinds = KINDS | ({"real": 8} if "ATTENTION_MODELS" in os.environ else {})
    (kind,) = draw.choices([*kinds], [*kinds.values()])
    link = {"text": " ".join(draw.choices(WORDS.split(), k=draw.randint(3, 20)))}
    if kind == "drawn":
        return kind, draw.choice(PATHS), link | {"seed": draw.randint(1, 99)}
    if kind == "real":
        page = draw.choice(("model", "weights", "heads", "scores"))
        return kind, page, link | {"init": "real", "layer": draw.randint(1, 6)}
    size = {"small": SMALL, "middle": MIDDLE, "large": LARGE}[kind]
    link |= {"init": "trained", "seed": draw.randint(1, 9)}
    return kind, draw.choice(TRAINED), link | size


async def _visit(port: int, number: int, until: float) -> list[tuple[str, float]]:
    """Act every few seconds; return how long each kind of act took."""
    draw, waits = random.Random(number), []
    async with Viewer(port) as viewer:
        while time.monotonic() < until:
            (kind, page, link), start = _act(draw), time.monotonic()
            try:
                await asyncio.wait_for(viewer.run(page, **link), 120)
            except TimeoutError:  # goes on, as a reader does
                await viewer.socket.close()
                await viewer.connect()
            waits.append((kind, time.monotonic() - start))
            await asyncio.sleep(draw.expovariate(1 / 4))
    return waits


def visitors(seconds: float) -> None:
    """Forty visitors who train models of all sizes, and read with a real one where
    ATTENTION_MODELS names some: what the server holds, how long they wait. The acts are the same
    each time."""
    with serving(APP) as server, watching_memory(server) as seen:
        until = time.monotonic() + seconds
        each = spread(_visit, [(server.port, k, until) for k in range(40)])
        waits = list(itertools.chain(*each))
        middle = Held(*map(statistics.median, zip(*seen, strict=True)))
        print(f"half of the time {middle}; at most {most(seen)}; at the end {held(server)}")
    for kind in dict.fromkeys(kind for kind, _ in sorted(waits)):
        of = sorted(wait for each, wait in waits if each == kind)
        late = sum(wait >= 120 for wait in of)
        tail = f"half in {of[len(of) // 2]:.1f} s, 19 of 20 in {of[len(of) * 19 // 20]:.1f}"
        print(f"{kind}: {len(of)} acts, {tail}, {late} gave up")


class Waiter(Viewer):
    """A visitor whose page is to be trained: what is told of the wait, and when."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.told: list[tuple[float, str]] = []
        self.has_learned = False

    def _note(self, forward: ForwardMsg, answer: Answer) -> None:
        super()._note(forward, answer)
        element = forward.delta.new_element
        if element.progress.text:
            self.told.append((time.monotonic(), element.progress.text))
        self.has_learned |= element.button.label == "Show what they have learned"


@dataclass
class Waited:
    """What a visitor met: seconds until the page came and until it had learned, and what was told
    of the wait: seconds, whether with a reason for more, and the seconds that it was then."""

    page: float
    learned: float
    told: list[tuple[float, bool, float]]


async def _wait(port: int, page: str, link: dict[str, object]) -> Waited:
    """Open a page whose matrices are to learn, and stay until they have."""
    async with Waiter(port) as viewer:
        start = time.monotonic()
        await viewer.run(page, **link)
        shown = time.monotonic()
        while viewer.fragment and not viewer.has_learned:
            await viewer.draw_fragment()
        learned = time.monotonic()
    told, until = [], learned
    for at, says in reversed(viewer.told):
        if found := re.search(r"about (\d+) (second|minute)s?(.*)\.", says):
            told.append((int(found[1]) * UNITS[found[2]], found[3] != "", until - at))
        elif "drawn" not in says:  # it has begun
            until = at
    return Waited(shown - start, learned - start, told[::-1])


UNITS = {"second": 1, "minute": 60}
RUSH = {"init": "trained", "d_model": 64, "heads": 8, "layers": 6}


def rush(seconds: float) -> None:
    """Twelve visitors at once train a model each for Block: what each is told of the wait, and what
    it is."""
    with serving(APP) as server:
        links = [(server.port, "block", RUSH | {"seed": seed}) for seed in range(1, 13)]
        found = spread(_wait, links)
    short = unsaid = more = count = 0
    for each in sorted(found, key=lambda each: each.learned):
        rises = [b for a, b in itertools.pairwise(each.told) if b[0] > a[0]]
        more += len(rises)
        unsaid += sum(not why for _, why, _ in rises)
        short += sum(told < waited for told, _, waited in each.told)
        count += len(each.told)
        told = ", ".join(f"{told:.0f}{'+' * why} ({waited:.0f})" for told, why, waited in each.told)
        print(f"page {each.page:.0f} s, learned {each.learned:.0f} s; told (waited): {told}")
    row("estimates shorter than the wait", f"{short} of {count}", short, 0)
    row("rises without a reason", f"{unsaid} of {more}", unsaid, 0)


async def _on_every_page(server: Server, seconds: float, **link: str) -> tuple[Held, Held]:
    """Open each page, and click on another head; return what the server holds then, and at most
    since, in which it is measured behind the page what each head does."""
    with watching_memory(server) as seen:
        async with Viewer(server.port) as viewer:
            for path in PATHS:
                used = processor_seconds(server)
                answers = [await viewer.run(path, **link, head=head) for head in (1, 2)]
                assert not any(answer.errors for answer in answers), answers[0].errors
                cold, head = (answer.seconds for answer in answers)
                cpu = processor_seconds(server) - used
                print(
                    f"{path or 'overview':<12} cold {cold:.2f} s, head {head:.2f} s, cpu {cpu:.2f}"
                )
            await asyncio.sleep(seconds)
        return held(server), most(seen)


def real(seconds: float) -> None:
    """Every page open on a real model of ATTENTION_MODELS, and on none: memory and times."""
    assert "ATTENTION_MODELS" in os.environ, "ATTENTION_MODELS names a folder of models"
    link, own = {"text": "The capital of France is"}, []
    with TemporaryDirectory() as nothing:
        for more, models in (({}, {"ATTENTION_MODELS": nothing}), ({"init": "real"}, {})):
            with serving(APP, environment=models) as server:
                _, peak = asyncio.run(_on_every_page(server, seconds, **link, **more))
                own.append(peak.own)
    row("own memory more than without, MB", f"{own[1] - own[0]:.0f}", own[1] - own[0], 250)


FIRST_PAGES = {
    "overview": ("", {}),
    "next word": ("next", {}),
    "why": ("next", {"open": "why"}),
    "model": ("model", {}),
}


async def _first(server: Server, page: str, **link: str) -> tuple[Held, Held]:
    """Open one page of a fresh server, and act on it a few times; return what it held at most and
    holds at the end."""
    with watching_memory(server) as seen:
        async with Viewer(server.port) as viewer:
            for query in (1, 2, 3):
                answer = await viewer.run(page, **link, query=query)
                assert not answer.errors, answer.errors
    return most(seen), held(server)


def first(seconds: float) -> None:
    """A fresh server's own memory by which page comes first, on a real model of
    ATTENTION_MODELS."""
    assert "ATTENTION_MODELS" in os.environ, "ATTENTION_MODELS names a folder of models"
    link = {"text": "The capital of France is", "init": "real"}
    for name, (page, more) in FIRST_PAGES.items():
        with serving(APP) as server:
            peak, at_the_end = asyncio.run(_first(server, page, **link, **more))
        figure = f"{peak.own:.0f} at most, {at_the_end.own:.0f} then"
        row(f"own memory of {name} first, MB", figure, peak.own, 450)
