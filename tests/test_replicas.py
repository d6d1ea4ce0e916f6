"""compose.yaml: what it says, and what its balancer does when a replica leaves or dies. Processes
stand for containers."""

import asyncio
import gzip
import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack

import pytest
from helpers import ROOT
from playwright.sync_api import expect

from pages.shared.room.hall import MOST_BEGUN
from tests.benchmarks.balancer import (
    COMPOSE,
    Address,
    balancing,
    configuration,
    embedded,
    find_haproxy,
    replica,
)
from tests.benchmarks.classroom import Window, find_redis, redis_server
from tests.benchmarks.pages import APP
from tests.benchmarks.replicas import a_death
from tests.benchmarks.roaming import Roaming
from tests.benchmarks.server import Server, serving
from tests.test_browser import cell, open_page

needs_haproxy = pytest.mark.skipif(
    find_haproxy() is None, reason="no HAProxy on this machine: install the package haproxy"
)


def test_compose_names_what_it_must():
    """Port, health, stickiness, websockets, another try elsewhere: all there, and the same as in
    the container."""
    compose, balancer = COMPOSE.read_text(encoding="utf-8"), embedded("haproxy.cfg")
    for line in (
        "option httpchk GET /_stcore/health",
        "cookie replica insert indirect nocache httponly dynamic",
        "timeout tunnel 1h",
        "option redispatch 1",
        "bind :8501",
    ):
        assert f"    {line}\n" in balancer, line
    assert '- "8501:8501"' in compose
    assert "EXPOSE 8501" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "server-template replica 1-16 explorer:8501 resolvers docker" in balancer
    # Compose would put a variable's value in the place of a dollar and a name.
    assert "$" not in compose


def test_replicas_share_their_classes():
    """Each explorer is told of the Redis that is started before it, which nobody outside
    reaches."""
    services = COMPOSE.read_text(encoding="utf-8").split("\nconfigs:")[0]
    explorer, shared = services.split("\n  redis:\n")
    assert "      ATTENTION_REDIS: redis://redis:6379/0\n" in explorer
    assert "    depends_on:\n      redis:\n        condition: service_healthy\n" in explorer
    redis = shared.split("\n\n")[0]
    assert "ports:" not in redis and "volumes:" not in redis


def test_every_container_says_how_it_is_and_is_bounded():
    """Each has a health check, a bound on its memory, and an image by its full version: what starts
    today starts next year."""
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    services = COMPOSE.read_text(encoding="utf-8").split("\nvolumes:")[0]
    _, explorer, redis, balancer = re.split(r"^  \w+:$", services, flags=re.MULTILINE)
    assert "HEALTHCHECK" in dockerfile and all("healthcheck:" in each for each in (redis, balancer))
    assert all("mem_limit:" in each for each in (explorer, redis, balancer))
    images = re.findall(r"^(?:FROM|    image:) (\S+)", f"{dockerfile}\n{services}", re.MULTILINE)
    assert len(images) == 3 and all(re.search(r":\d+\.\d+\.\d+", image) for image in images)
    assert "- models:/models" in explorer and "ENV ATTENTION_MODELS=/models" in dockerfile


@pytest.mark.skipif(
    find_redis() is None, reason="no Redis on this machine: install the package redis-server"
)
def test_the_shared_redis_writes_nothing_to_disk():
    """Started as compose.yaml starts it: it neither saves nor logs what it has; of too much, what
    is over soonest goes."""
    with redis_server() as running:
        said = running.client.config_get("save", "appendonly", "maxmemory", "maxmemory-policy")
    assert said == {
        "save": "",
        "appendonly": "no",
        "maxmemory": str(64 * 2**20),
        "maxmemory-policy": "volatile-ttl",
    }


def test_the_health_check_finds_its_interpreter():
    """Docker starts it with the image's path and without its entry point, which alone would know
    where Python is."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith('    CMD ["python", "-c",') for line in lines)
    assert any(
        line.startswith("FROM mambaorg/micromamba:2.") for line in lines
    )  # which has its environments in /opt/conda
    assert "ENV PATH=/opt/conda/bin:$PATH" in lines


def test_a_replica_runs_the_containers_command():
    """compose.yaml repeats the image's command behind its own: both start the same server."""
    command = re.search(
        r"^CMD (\[.*\])$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE
    )[1]
    listed = COMPOSE.read_text(encoding="utf-8").split("command:\n")[1].split("configs:")[0]
    ours = [line.strip().removeprefix("- ") for line in listed.splitlines() if line.strip()]
    assert ours[:2] == ["python", "/replica.py"]
    assert [part for option in ours[2:] for part in option.split("=", 1)] == json.loads(command)


def test_a_replica_is_stopped_after_it_was_drained():
    """Compose waits longer than a replica goes on for, and the balancer asks the agent where it
    listens."""
    lines = embedded("replica.py")
    drain, agent = (
        int(re.search(rf"^{name} = (\d+)", lines, re.MULTILINE)[1]) for name in ("DRAIN", "AGENT")
    )
    grace = int(re.search(r"stop_grace_period: (\d+)s", COMPOSE.read_text(encoding="utf-8"))[1])
    assert grace >= drain + 10
    assert f"agent-check agent-port {agent} " in embedded("haproxy.cfg")


@needs_haproxy
def test_the_balancer_takes_its_configuration(tmp_path):
    """HAProxy itself has nothing to say against it."""
    path = tmp_path / "haproxy.cfg"
    path.write_text(configuration(8501, [Address(1), Address(2)]), encoding="utf-8")
    checked = subprocess.run(
        [find_haproxy(), "-c", "-f", str(path)], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    assert "WARNING" not in checked.stderr


async def _begin(port: int, many: int, **window: Callable[[int], str]) -> int:
    """How many of so many windows are let begin a class, all at once; what each of them has of its
    own is made of its number."""
    async with AsyncExitStack() as stack:
        made = [Window(port, **{name: of(k) for name, of in window.items()}) for k in range(many)]
        told = [await (await stack.enter_async_context(each)).lead() for each in made]
    return sum(each["is"] == "room" for each in told)


@needs_haproxy
@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere a machine has one address of its own"
)
@pytest.mark.parametrize("trusted", [True, False])
def test_where_a_visitor_comes_from_says_the_balancer(trusted):
    """As compose.yaml starts it a replica believes its balancer, which says where a visitor comes
    from whatever he says himself: what one address may take it takes alone. Of a proxy that
    FORWARDED_ALLOW_IPS does not name nothing is believed, nor of visitors."""
    asked = re.search(
        r'^      FORWARDED_ALLOW_IPS: "(.*?)"', COMPOSE.read_text(encoding="utf-8"), re.MULTILINE
    )[1]
    own = {"FORWARDED_ALLOW_IPS": asked if trusted else "192.0.2.1"}
    many, says = MOST_BEGUN + 4, "X-Forwarded-For"

    async def lesson(server: int, front: int) -> tuple[int, ...]:
        elsewhere = await _begin(front, many, source=lambda k: f"127.0.1.{k + 1}")
        lies = await _begin(
            front, many, **{"source": lambda k: "127.0.2.1", says: lambda k: f"10.0.0.{k}"}
        )
        return (
            elsewhere,
            lies,
            0 if trusted else await _begin(server, many, **{says: lambda k: f"10.0.1.{k}"}),
        )

    with (
        serving(APP, environment=own) as server,
        balancing(Address(server.port)) as front,
        ThreadPoolExecutor(1) as thread,
    ):
        elsewhere, lies, directly = thread.submit(
            asyncio.run, lesson(server.port, front.port)
        ).result()
    assert (elsewhere == many) == trusted
    assert lies <= MOST_BEGUN and directly <= MOST_BEGUN


@needs_haproxy
def test_scripts_are_compressed_on_their_way(server):
    """Through the balancer a script is less than half as long as the server sends it, and the same
    once it is read."""
    page = urllib.request.urlopen(server.url).read().decode()
    script = re.search(r'src="\./(static/js/index[^"]+\.js)"', page)[1]
    with balancing(Address(server.port)) as front:
        asked = urllib.request.Request(f"{front.url}/{script}", headers={"Accept-Encoding": "gzip"})
        sent = urllib.request.urlopen(asked).read()
    whole = urllib.request.urlopen(f"{server.url}/{script}").read()
    assert gzip.decompress(sent) == whole
    assert len(sent) < len(whole) / 2


@needs_haproxy
def test_nobody_loses_a_setup_when_a_server_dies(server):
    """One of two servers is killed under ten viewers: all have an answer after it, and see what
    their link says."""
    # In a thread of its own: Playwright keeps an event loop in the main thread of a worker that has
    # had a browser.
    with serving(APP) as dies, ThreadPoolExecutor(max_workers=1) as thread:
        lesson = thread.submit(a_death, dies, server, viewers=10, seconds=6).result()
    assert sum(lesson.spread) == 10
    assert len(lesson.spread) == 2
    assert lesson.moved in lesson.spread
    assert len(lesson.first_after()) == 10
    assert lesson.errors() == []
    assert lesson.lost == []


@needs_haproxy
def test_a_drained_replica_keeps_its_viewers_and_takes_no_new_ones(server):
    """Told to stop, a replica answers its viewers to the end; new ones go to the other, and so do
    its own when it is gone."""

    async def lesson() -> None:
        with (
            replica(600) as (leaving, first, serves),
            balancing(first, Address(server.port)) as front,
        ):
            async with Roaming(front.port) as one, Roaming(front.port) as two:
                homes = {one.replica, two.replica}
                before = [await viewer.act("scores", {"d_k": 5}) for viewer in (one, two)]
                leaving.process.terminate()
                newcomers = await _settled(front.port)
                still = [
                    await viewer.act("scores", {"d_k": 5, "query": 3}) for viewer in (one, two)
                ]
                assert one.moves + two.moves == 0
                serves.terminate()  # its time is up
                await asyncio.to_thread(leaving.process.wait, 60)
                after = [await viewer.act("scores", {"d_k": 5}) for viewer in (one, two)]
                assert one.moves + two.moves == 1
        assert len(homes) == 2
        assert len(newcomers) == 1
        assert {one.replica, two.replica} == newcomers
        assert [answer.errors for answer in (*before, *still, *after)] == [[]] * 6
        assert {answer.picture for answer in (*before, *after)} == {before[0].picture}
        assert {answer.picture for answer in still} == {still[0].picture} != {before[0].picture}

    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(asyncio.run, lesson()).result()


async def _settled(port: int) -> set[str]:
    """Where new viewers go, once the balancer has heard from the agents: it asks every second."""
    for _ in range(30):
        newcomers = {await _arrive(port) for _ in range(4)}
        if len(newcomers) == 1:
            break
        await asyncio.sleep(0.5)
    return newcomers


async def _arrive(port: int) -> str:
    async with Roaming(port) as viewer:
        await viewer.run("vocabulary")
        return viewer.replica


def name_of(server: Server) -> str:
    """What the balancer's cookie calls this server, made from its address alone."""
    with balancing(Address(server.port)) as front:
        return (
            urllib.request.urlopen(front.url)
            .headers["Set-Cookie"]
            .partition(";")[0]
            .removeprefix("replica=")
        )


@pytest.mark.browser
@needs_haproxy
def test_a_click_after_a_server_died_counts(page, server):
    """A browser whose server is gone finds the other by itself, shows what it showed, and the next
    click on a cell is heard."""
    with serving(APP) as dies, balancing(Address(dies.port), Address(server.port)) as front:
        page.context.add_cookies([{"name": "replica", "value": name_of(dies), "url": front.url}])
        open_page(page, front, "scores?d_k=5&query=3&key=2")
        with page.expect_websocket(timeout=30_000):
            dies.process.kill()
            dies.process.wait()
        page.wait_for_timeout(1_000)
        expect(page.get_by_text("“short” asks, “is” is asked.")).to_be_visible()
        page.mouse.click(*cell(page, "scores", 4, 0))
        expect(page.get_by_text("“dessert” asks, “Life” is asked.")).to_be_visible()
        expect(page).to_have_url(re.compile("d_k=5&query=5&key=1$"))
