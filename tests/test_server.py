"""The running server: a small class, broken viewers, lost servers, a cold link, and nothing that
leaves the machine."""

import asyncio
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from helpers import ROOT

from core import Setup, run
from core.fields.sentences import MAX_CHARACTERS, MAX_OTHERS, MAX_PIECES, MAX_SENTENCES, MAX_TOKENS
from core.forward import batch
from core.forward.classifier import classify
from core.forward.encoder import encode
from core.setup.setup import RANGES
from core.text import text
from pages.shared.link import PRESETS
from pages.shared.server import cache
from tests.benchmarks.server import free_port
from tests.benchmarks.viewer import Viewer
from tests.strategies import LARGEST


def in_a_thread(lesson):
    """What this coroutine returns. In a thread of its own: Playwright keeps an event loop in the
    main thread of a worker that has had a browser."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, lesson).result()


def test_broken_and_busy_viewers_do_not_block_others(server):
    """Viewers who leave in mid-run, one who floods and ten tabs: another still gets right
    answers."""

    async def lesson() -> None:
        for _ in range(15):
            async with Viewer(server.port) as leaver:
                await leaver.send("weights", d_k=5)
        async with Viewer(server.port) as flood, Viewer(server.port) as other:
            for k in range(60):
                await flood.send("heads", d_k=1 + k % 64)
            tabs = [Viewer(server.port) for _ in range(10)]
            answers = await asyncio.gather(*(_one_answer(tab) for tab in tabs))
            answers.append(await asyncio.wait_for(other.run("scores", d_k=7), 30))
            last = await asyncio.wait_for(flood.run("scores", d_k=9), 30)
        assert [a.errors for a in [*answers, last]] == [[]] * 12

    in_a_thread(lesson())


async def _one_answer(tab: Viewer):
    async with tab as viewer:
        return await asyncio.wait_for(viewer.run("context"), 30)


def test_the_last_act_of_a_quick_hand_is_answered(server):
    """Of acts that come quicker than their answers the last one is answered, page and link, and
    nothing of those before it is."""

    async def lesson() -> list[tuple[str, str]]:
        heard = []
        async with Viewer(server.port) as viewer:
            await viewer.run("scores")
            for k in range(8):
                await viewer.send("weights", d_k=10 + k)
            answer = await viewer.run("context", d_k=5)
            heard.append((answer.panel["page"], answer.panel["link"]))
            while heard[-1] != ("context", "d_k=5"):
                answer = await asyncio.wait_for(viewer.heard(), 30)
                heard.append((answer.panel["page"], answer.panel["link"]))
        return heard

    assert len(in_a_thread(lesson())) < 9  # some were passed over


def test_a_lost_server_is_asked_again(server):
    """A browser whose server is gone asks another for the address as it is, and the first answer is
    for that address."""

    async def lesson():
        async with Viewer(server.port) as viewer:
            await viewer.run("scores", seed=7)
            await viewer.socket.close()
            await viewer.connect()
            viewer.page, viewer.link = "weights", "d_k=5"
            return await viewer.again()

    panel = in_a_thread(lesson()).panel
    assert (panel["page"], panel["link"]) == ("weights", "d_k=5")


def test_what_is_out_of_range_is_put_right_once(server):
    """The link that a reader arrives with becomes the nearest that is valid, and the browser learns
    which it was; what courses, mails and frames add to a link stays in it and is no error."""

    async def lesson():
        async with Viewer(server.port) as viewer:
            return await viewer.run(
                "scores", d_k=999, utm_source="course", fbclid="x"
            ), await viewer.run("scores", d_k=999)

    first, second = in_a_thread(lesson())
    assert first.panel["arrived"] == "d_k=999&utm_source=course&fbclid=x"
    assert first.panel["link"] == "utm_source=course&fbclid=x&d_k=64"
    assert second.panel["arrived"] is None
    assert second.panel["link"] == "d_k=999"
    for answer in (first, second):
        assert sum("d_k: '999' became 64" in sentence for sentence in answer.shown) == 1
        assert not any("utm" in sentence for sentence in answer.shown)


@pytest.mark.parametrize("path", ["scores", "bring"])
def test_large_messages_are_sent_once(server, path):
    """Of what is large and did not change, a browser that has it is sent the hash alone."""

    async def lesson():
        async with Viewer(server.port) as viewer:
            return await viewer.run(path), await viewer.run(path)

    first, second = in_a_thread(lesson())
    assert first.picture == second.picture
    assert second.size < first.size - 200_000  # the scripts


@pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="only Linux says what a process has open"
)
def test_visitors_do_not_make_the_server_watch_files(server):
    """Started as anybody starts it, the server does not look through all modules and folders for
    each new visitor."""

    async def visits() -> None:
        async with Viewer(server.port) as viewer:
            await viewer.run("scores")

    in_a_thread(visits())
    opened = Path(f"/proc/{server.process.pid}/fd")
    assert not any(
        "inotify" in os.readlink(descriptor)
        for descriptor in opened.iterdir()
        if descriptor.is_symlink()
    )


def test_protections_stay_on():
    """Cross-site protections are on, statistics off, and details of errors are not for visitors."""
    command = [sys.executable, "-m", "streamlit", "config", "show"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    settings = {}
    for line in shown.splitlines():
        if "=" in line:
            name, value = line.lstrip("# ").split("=", 1)
            settings[name.strip()] = value.strip()
    assert settings["enableXsrfProtection"] == "true"
    assert settings["enableCORS"] == "true"
    assert settings["gatherUsageStats"] == "false"
    assert settings["showErrorDetails"] == '"none"'


def test_an_error_says_nothing_of_the_inside(tmp_path):
    """When something breaks, a visitor is sent a plain sentence: no path, no version, no trace. The
    log has it all."""
    broken = tmp_path / "broken.py"
    broken.write_text(
        "import streamlit as st\nst.title('broken')\nraise RuntimeError('secret of /etc/passwd')\n"
    )
    port = free_port()
    options = ("--server.headless", "true", "--server.port", str(port))
    command = [sys.executable, "-m", "streamlit", "run", str(broken), *options]
    log = (tmp_path / "log").open("w+")
    process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
    try:
        (seen,) = in_a_thread(_sent_exceptions(port))
    finally:
        process.terminate()
        process.wait(10)
    assert "error" in seen
    for inside in ("/", "secret", "RuntimeError", "Traceback", "1.6", ".py"):
        assert inside not in seen
    log.seek(0)
    assert "secret of /etc/passwd" in log.read()


async def _sent_exceptions(port: int) -> list:
    """The exceptions that a server on this port sends to its first visitor, once it answers."""
    viewer = Viewer(port)
    for _ in range(600):
        try:
            await viewer.connect()
            break
        except OSError:
            await asyncio.sleep(0.1)
    answer = await viewer.run()
    await viewer.socket.close()
    return answer.errors


def test_what_is_kept_is_bounded_in_bytes(monkeypatch):
    """Of all functions together the latest results stay, as many as their bytes allow; those of one
    setup stay together."""
    monkeypatch.setattr(cache, "_functions", [])
    small, wide = (
        cache.Cache(lambda seed, k, size=size: torch.zeros(size), 9) for size in (250, 1000)
    )
    monkeypatch.setattr(cache, "MAX_BYTES", 10_000)
    for seed in range(7):
        assert [len(compute(seed, 0)) for compute in (small, wide)] == [250, 1000]
    assert {*small.results} == {*wide.results} == {(5, 0), (6, 0)}
    small(5, 0)
    small(7, 0)
    wide(7, 0)
    assert {*small.results} == {(5, 0), (7, 0)} and {*wide.results} == {(6, 0), (7, 0)}
    for k in range(9):
        wide(8, k)
    assert {*wide.results} == {(8, k) for k in range(9)} and not small.results
    assert (wide.computed, wide.bytes) == (17, 36_000)
    wide(8, 9)
    assert len(wide.results) == 9 and (8, 0) not in wide.results


MAX = """
d_model=64 d_k=64 d_v=64 heads=20 temperature=1000.0 seed=2147483647 dropout=0.9
dropout_seed=2147483647 layers=6 d_ff=256 classes=10 shuffle=999 steps=600 layer=48
word_temperature=10.0 top_k=64 top_p=1.0 draw_seed=2147483647 window=31 kv_heads=20 trained_for=600
"""


def test_what_a_visitor_can_ask_for_is_bounded():
    """The largest setup that core lets through has known sizes, whatever widgets allow."""
    assert (MAX_CHARACTERS, MAX_TOKENS, MAX_SENTENCES, MAX_OTHERS) == (400, 32, 8, 1000)
    assert MAX_PIECES == 128
    assert MAX.split() == [f"{name}={high}" for name, (_, high) in RANGES.items()]
    memory = " ".join(f"m{k}" for k in range(32))
    largest = Setup(**LARGEST | {"positions": "learned", "memory": memory})

    def held(*traces) -> int:
        values = {id(entry.value): entry.value for trace in traces for entry in trace.values()}
        return sum(value.numel() * value.element_size() for value in values.values())

    assert held(run(largest)) < 3_000_000
    assert held(*encode(largest)) < 20_000_000
    assert held(batch.run(largest).trace) < 12_500_000
    assert held(classify(largest).trace) < 100_000
    assert text.remembered_words.cache_info().maxsize == 256
    for preset in PRESETS.values():
        Setup(**preset)
