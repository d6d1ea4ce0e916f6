"""compose.yaml: what it says, and what its balancer does when a replica leaves. Processes stand for
containers."""

import asyncio
import gzip
import json
import re
import subprocess
import urllib.request
from contextlib import ExitStack

import pytest

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
from tests.benchmarks.server import APP, ROOT, Server, serving
from tests.benchmarks.viewer import Viewer
from tests.test_server import in_a_thread

needs_haproxy = pytest.mark.skipif(
    find_haproxy() is None, reason="no HAProxy on this machine: install the package haproxy"
)
TEXT = COMPOSE.read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.skipif(find_redis() is None, reason="no Redis: install the package redis-server")
def test_the_shared_redis_writes_nothing_to_disk():
    """Started as compose.yaml starts it: it neither saves nor logs what it has; of too much, what
    is over soonest goes."""
    with redis_server() as running:
        said = running.client.config_get("save", "appendonly", "maxmemory", "maxmemory-policy")
    bound = {"maxmemory": str(64 * 2**20), "maxmemory-policy": "volatile-ttl"}
    assert said == {"save": "", "appendonly": "no"} | bound


def test_a_replica_runs_the_containers_command_until_it_was_drained():
    """compose.yaml repeats the image's command behind its own: both start the same server. Compose
    waits longer than a replica goes on for, and the balancer asks the agent where it listens."""
    command = json.loads(re.search(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)[1])
    listed = TEXT.split("command:\n")[1].split("configs:")[0].split()
    assert [each for each in listed if each != "-"][:2] == ["python", "/replica.py"]
    assert [part for each in listed[4:] if each != "-" for part in each.split("=")] == command
    own = embedded("replica.py")
    drain, agent = (
        int(re.search(rf"^{name} = (\d+)", own, re.M)[1]) for name in ("DRAIN", "AGENT")
    )
    assert int(re.search(r"stop_grace_period: (\d+)s", TEXT)[1]) >= drain + 10
    assert f"agent-check agent-port {agent} " in embedded("haproxy.cfg")


@needs_haproxy
def test_the_balancer_takes_its_configuration(tmp_path):
    """HAProxy itself has nothing to say against it."""
    path = tmp_path / "haproxy.cfg"
    path.write_text(configuration(8501, Address(1), Address(2)), encoding="utf-8")
    command = [find_haproxy(), "-c", "-f", str(path)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0 and "WARNING" not in checked.stderr, checked.stderr


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
def test_a_drained_replica_keeps_its_viewers_and_takes_no_new_ones(server):
    """Told to stop, a replica answers its viewers to the end; new ones go to the other, and so do
    its own when it is gone, each to what its link says."""

    async def arrive(port: int) -> str:
        async with Viewer(port) as viewer:
            return viewer.home

    async def lesson(leaving: Server, serves, port: int) -> None:
        async with Viewer(port) as one, Viewer(port) as two:
            homes, answers = {one.home, two.home}, []
            for setup in ({"d_k": 5}, {"d_k": 5, "query": 3}, {"d_k": 5}):
                answers.append([await each.stay("scores", **setup) for each in (one, two)])
                if len(answers) == 1:
                    leaving.process.terminate()
                    newcomers = homes
                    while len(newcomers) > 1:  # the balancer asks the agents every second
                        await asyncio.sleep(0.5)
                        newcomers = {await arrive(port) for _ in range(4)}
                elif len(answers) == 2:
                    assert one.moves + two.moves == 0
                    serves.kill()  # its time is up
                    await asyncio.to_thread(leaving.process.wait, 60)
            assert one.moves + two.moves == 1
            assert len(homes) == 2 and {one.home, two.home} == newcomers
        assert [answer.errors for pair in answers for answer in pair] == [[]] * 6
        before, still, after = ({answer.picture for answer in pair} for pair in answers)
        assert before == after != still and len(before) == len(still) == 1

    with replica(600) as (leaving, first, serves), balancing(first, Address(server.port)) as front:
        in_a_thread(lesson(leaving, serves, front.port))


@needs_haproxy
@pytest.mark.skipif(find_redis() is None, reason="no Redis: install the package redis-server")
def test_a_class_outlives_one_of_two_servers():
    """Two servers behind the balancer, which share the class through Redis. In the middle of a vote
    the lecturer's server is killed: all come in again by the other, and nobody's class or answer is
    lost."""

    async def lesson(dies: Server, stays: Server, port: int) -> None:
        there, here = ({"Cookie": f"replica={name_of(each)}"} for each in (dies, stays))

        def on(home: dict[str, str]) -> Window:
            return Window(port, additional_headers=home)

        async with on(there) as lecturer, on(here) as near, on(there) as far:
            room = (await lecturer.lead())["code"]
            for each in (near, far):
                await each.come(room)
            await lecturer.hear("followers", followers=2)
            await lecturer.ask("cell", "scores")
            await near.hear("room")
            await near.answer(1, "11.1466")
            await lecturer.hear("answers", answers=1)
            dies.process.kill()
            for each in (lecturer, far):
                await each.closed()
            async with on(there) as again, on(there) as back:
                back.who = far.who
                assert (await again.come(room, lecturer.key, known=lecturer.id))["leads"]
                assert (await back.come(room))["asked"]["number"] == 1
                await back.answer(1, "2.2753")
                await again.say("show")
                assert (await near.hear("room"))["asked"]["shown"]
                assert (await again.result())["of"] == 2

    with ExitStack() as stack:
        own = {"ATTENTION_REDIS": stack.enter_context(redis_server()).url}
        dies, stays = (stack.enter_context(serving(APP, environment=own)) for _ in range(2))
        front = stack.enter_context(balancing(Address(dies.port), Address(stays.port)))
        in_a_thread(lesson(dies, stays, front.port))


def name_of(server: Server) -> str:
    """What the balancer's cookie calls this server, made from its address alone."""
    with balancing(Address(server.port)) as front:
        cookie = urllib.request.urlopen(front.url).headers["Set-Cookie"]
    return cookie.partition(";")[0].removeprefix("replica=")
