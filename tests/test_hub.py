"""Fetching a model, from a hub of our own on this machine that is slow, breaks off or refuses."""

import errno
import hashlib
import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from helpers import app, boards, elements
from test_pretrained import (
    MINILM,
    as_bin,
    checkpoint,
    minilm,
    models,  # noqa: F401 (a fixture)
    said,
    without_json,
)

from core import Setup, pretrained
from core.forward.encoder import encode
from core.pretrained import Unreadable, hub, summary, transfer
from pages.shared.page_components.model import fetching
from pages.shared.server import background

COMMIT = "0123456789" * 4
PAGE = "pages/15_model.py"


class Hub(BaseHTTPRequestHandler):
    """Speaks the hub's addresses: a repository's files, and each of them, of a folder. It remembers
    what it was asked for. `refuses` has a status for paths that end so; `breaks_at` is the byte of
    the tensors at which it goes away, or, where it `hangs`, falls silent until `wakes`."""

    folder: Path
    asked: list[str]
    refuses: dict[str, int]
    breaks_at: int | None = None
    hangs = False
    goes_on = True
    wakes: threading.Event

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.asked.append(f"{path.rpartition('/')[2]} {self.headers.get('Range', '')}".strip())
        for end, status in self.refuses.items():
            if path.endswith(end):
                self.send_response(status)
                self.send_header("Retry-After", "60")
                self.send_header("Content-Length", "0")
                return self.end_headers()
        if path.startswith("/api/"):
            return self._answer(json.dumps({"sha": COMMIT, "siblings": self._siblings()}).encode())
        self._answer((self.folder / path.rpartition("/")[2]).read_bytes())

    def _siblings(self) -> list[dict]:
        def describe(file: Path) -> dict:
            content = file.read_bytes()
            large = {"lfs": {"sha256": hashlib.sha256(content).hexdigest()}}
            return {"rfilename": file.name, "size": len(content)} | (
                {} if file.suffix in (".json", ".txt") else large
            )

        return [describe(file) for file in self.folder.iterdir()]

    def _answer(self, content: bytes) -> None:
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", "")) if self.goes_on else 0
        start = int(wanted[1]) if wanted else 0
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(content) - start))
        if self.goes_on:
            self.send_header("Accept-Ranges", "bytes")
        if wanted:
            told = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self.send_header("Content-Range", told)
        self.end_headers()
        breaks = self.breaks_at if re.search(r"\.(safetensors|bin)$", self.path) else None
        self.wfile.write(content[start:breaks])
        if breaks and self.hangs:
            self.wfile.flush()
            self.wakes.wait(30)

    def log_message(self, *_) -> None:
        pass


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A hub that has a small model, which the host lists."""
    folder = checkpoint(tmp_path / "on the hub", "bert")
    (folder / "onnx.bin").write_bytes(b"not needed")
    own = {"folder": folder, "asked": [], "refuses": {}, "wakes": threading.Event()}
    handler = type("Handler", (Hub,), own)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv(hub.LIST, f"owner/small@{COMMIT}, owner/moving")
    monkeypatch.setattr(fetching, "_downloads", {})
    yield handler
    handler.wakes.set()
    server.shutdown()
    server.server_close()


def folders(of: Path) -> list[str]:
    """The models in a folder, with what has come in part."""
    return sorted(str(f.parent.relative_to(of)) for f in of.rglob("config.json"))


def refusal(name: str = "small") -> str:
    with pytest.raises(Unreadable) as refused:
        hub.download(name)
    return str(refused.value)


def html(at) -> str:
    return "".join(e.proto.body for e in elements(at.main) if e.type == "html")


def wait_for(is_so) -> None:
    until = time.monotonic() + 20
    while not is_so() and time.monotonic() < until:
        threading.Event().wait(0.01)
    assert is_so()


def test_a_model_is_fetched_once_for_all(served, models):  # noqa: F811
    """Four visitors at once: each file comes once, of the revision that the host names, config.json
    first and the tensors last; nothing of what is not needed, and then it is there for everybody.
    Of another repository the newest revision comes."""
    heard: list[tuple[int, int]] = []
    with ThreadPoolExecutor(4) as threads:
        report = lambda *told: heard.append(told)  # noqa: E731
        got = [*threads.map(lambda _: hub.download("small", report), range(4))]
    assert got == [models / "small"] * 4
    files = ["config.json", "tokenizer.json", "model.safetensors"]
    assert served.asked == [COMMIT, *files]
    size = sum((models / "small" / file).stat().st_size for file in files)
    assert heard == sorted(heard) and heard[-1] == (size, size)
    assert (models / "small" / "model.safetensors").stat().st_mode & 0o777 == 0o444  # it is mapped
    assert pretrained.names() == ("small",) and [*models.glob(f"{hub.PARTS}/*/")] == []
    assert {file.name for file in (models / "small").iterdir()} == {*files}
    assert len(encode(Setup(text="the cat", init="real"))) == 3
    assert hub.download("moving") == models / "moving" and "main" in served.asked


@pytest.mark.parametrize(("family", "files"), [("bert", "vocab.txt"), ("gpt2", "merges.txt")])
def test_fetched_is_what_can_be_read(family, files, served, models):  # noqa: F811
    """The smallest models for teaching have pytorch_model.bin, vocab.txt or vocab.json with
    merges.txt; they come, and are read. So do shards."""
    served.folder = checkpoint(models.parent / f"{family} on the hub", family)
    without_json(served.folder)
    as_bin(served.folder)
    folder = hub.download("small")
    assert {files, "pytorch_model.bin", "config.json"} <= {file.name for file in folder.iterdir()}
    assert summary.summarize("small").family == family
    served.folder = checkpoint(models.parent / f"{family} in shards", family, shard="3KB")
    shards = {*hub.download("moving").glob("*.safetensors")}
    assert len(shards) > 1 and summary.summarize("moving").family == family


@pytest.mark.parametrize("hangs", [False, True])
def test_what_broke_off_goes_on(hangs, served, models, monkeypatch):  # noqa: F811
    """The line breaks, or falls silent, in the middle of the tensors: a sentence, no model, and the
    next attempt asks for the rest alone, if the hub can; one that cannot sends all again, and none
    of it is promised."""
    whole = (served.folder / "model.safetensors").read_bytes()
    half = len(whole) // 2
    served.breaks_at, served.hangs = half, hangs
    monkeypatch.setattr(transfer, "SILENCE", 0.3)
    why = refusal()
    assert ("silent" if hangs else "the line broke off") in why
    assert "0.0 MB of it are kept; the next attempt goes on there." in why
    assert pretrained.names() == ()
    served.breaks_at = None
    heard = []
    hub.download("small", lambda *told: heard.append(told[0]))
    assert served.asked[-1] == f"model.safetensors bytes={half}-"
    assert heard[0] >= half and (models / "small" / "model.safetensors").read_bytes() == whole
    served.breaks_at, served.goes_on = half, False
    assert "kept" not in refusal("moving")
    served.breaks_at = None
    hub.download("moving")
    assert served.asked[-1] == "model.safetensors"


def test_a_refusal_is_said_as_what_it_is(served, models):  # noqa: F811
    """Each status has its sentence, at the repository or at its tensors; none names a folder or a
    path, and nothing is left that is called a model."""
    sentences = {
        401: "has no owner/small with the revision 0123456789",
        403: "shows owner/small with the revision",
        404: "that it shows to everybody",
        429: "has been asked too often from here. It wants 60 seconds of patience.",
        500: "is out of order (500)",
        503: "is out of order (503). It wants 60 seconds of patience.",
    }
    for at in (COMMIT, "model.safetensors"):
        for status, sentence in sentences.items():
            served.refuses.update({at: status})
            why = refusal()
            assert why.startswith("small could not be fetched: the Hub ") and sentence in why
            assert str(models) not in why and hub.PARTS not in why and "kept" not in why
        served.refuses.clear()
    assert pretrained.names() == ()
    hub.download("small")


def test_what_is_not_the_model_is_not_kept(served, models, monkeypatch):  # noqa: F811
    """Another hash, a family that cannot be read (its tensors are not asked for), a repository
    without tensors, one that is not listed, no answer, no network: a sentence, and no model
    behind."""
    with monkeypatch.context() as patched:
        other = hub.Offered("owner/small", COMMIT, sha256="0" * 64)
        patched.setattr(hub, "KNOWN", {"small": other})
        patched.delenv(hub.LIST)
        assert "is not small: its hash is another. Nothing was kept." in refusal()
    siblings = Hub._siblings
    wrong = {"lfs": {"sha256": "0" * 64}}
    monkeypatch.setattr(Hub, "_siblings", lambda hub: [each | wrong for each in siblings(hub)])
    assert "its hash is another. Nothing was kept." in refusal()
    monkeypatch.setattr(Hub, "_siblings", siblings)
    served.asked.clear()
    said(served.folder, model_type="t5")
    assert re.search(r"^small is of the family 't5'.*Nothing was kept\.$", refusal())
    said(served.folder, model_type="bert", hidden_act="silu")
    assert "hidden_act" in refusal() and "model.safetensors" not in served.asked
    for name in ("other", "owner/small", "../small", MINILM, ""):
        asked = len(served.asked)
        assert "not among the models that this server fetches: small, moving" in refusal(name)
        assert len(served.asked) == asked
    (served.folder / "model.safetensors").unlink()
    assert "owner/small has no model.safetensors, no model.safetensors.index.json" in refusal()
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert refusal() == ("small could not be fetched: the Hub does not answer. Is there a network?")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "fetches offline (HF_HUB_OFFLINE): there are none" in refusal()
    assert folders(models) == []


def test_a_disk_without_room_is_said(served, models, monkeypatch):  # noqa: F811
    """A disk that is full before or while it comes, or cannot be written: a sentence without a
    path, and what came is gone."""
    room = type("Usage", (), {"free": 100})
    with monkeypatch.context() as patched:
        patched.setattr(hub.shutil, "disk_usage", lambda _: room)
        assert "MB, and the server's disk has 0.0 MB left. Nothing was kept." in refusal()
    part = models / hub.PARTS / COMMIT / "small"
    part.mkdir(parents=True)
    (part / "model.safetensors").symlink_to("/dev/full")
    assert refusal().endswith("there is no room for it on the server's disk. Nothing was kept.")
    assert folders(models) == []
    with monkeypatch.context() as patched:
        read_only = OSError(errno.EROFS, "Read-only file system", str(models))
        patched.setattr(Path, "mkdir", lambda *_, **__: (_ for _ in ()).throw(read_only))
        assert refusal().endswith("its folder cannot be written: read-only file system.")
    (models / "file").touch()
    monkeypatch.setenv(pretrained.FOLDER, str(models / "file"))
    assert "cannot be written: not a directory" in refusal()


def test_a_failed_fetch_takes_nothing_away(served, models):  # noqa: F811
    """The hub asks for patience: the models that are here stay on the page, with the reason below
    them and nothing said of trained weights; a reload asks nobody, the next click does."""
    checkpoint(models / "here", "bert")
    served.refuses[COMMIT] = 429

    def ask(**link: object):
        at = app(PAGE, text="a failed fetch", model="here", init="real", fetch="small", **link)
        while "is being" in html(at) + "".join(each.value for each in at.text):
            at = at.run()
        return at

    for asked in (1, 1):
        at = ask()
        shown = " ".join(each.value for each in at.main.text)
        assert len(boards(at)[0]["matrices"]) == 21 and "asked too often from here" in shown
        every = shown + " ".join(each.value for each in (*at.main.markdown, *at.main.caption))
        assert not re.search("Trained weights|There is no|has none", every + html(at))
        assert served.asked == [COMMIT] * asked
    assert "fetch=small&amp;attempt=2" in html(at) or "attempt=2" in html(at)
    served.refuses.clear()
    at = ask(attempt=2)
    assert "small: 3 layers of 7 heads" in html(at) and not at.exception


def test_one_slow_fetch_holds_up_nobody(served, models, monkeypatch):  # noqa: F811
    """While the hub is silent in the middle of one model, what a page computes beside its runs is
    computed, another model comes, and progress is said in megabytes of one decimal, with the memory
    that it will take where there is little."""
    checkpoint(models / "here", "bert")
    served.breaks_at, served.hangs = 1_000, True
    with background.collect_requests():
        assert fetching.follow("small", 1).startswith("small is being")
        wait_for(lambda: "MB" in fetching.describe_progress("small"))
        assert re.fullmatch(
            r"small is being fetched: 0\.0 of 0\.0 MB have come\.", fetching.follow("small", 1)
        )
        monkeypatch.setattr(summary, "measure_free_memory", lambda: 1000)
        assert "It takes less than 0.1 MB of memory, and" in fetching.follow("small", 1)
        background.ask(len, "computed beside it")
        wait_for(lambda: background.ask(len, "computed beside it"))
        served.breaks_at = None
        fetching.follow("moving", 1)
        wait_for(lambda: not fetching.follow("moving", 1))
        assert fetching.follow("small", 1).startswith("small is being")
    served.wakes.set()


def test_what_may_be_fetched_is_the_hosts_list(models, monkeypatch):  # noqa: F811
    """Without a list, three by name, each with the memory that it takes where there is little;
    else what it says, a known one with its revision, and nothing where it is empty; nothing either
    where the folder of models is itself one."""
    monkeypatch.delenv(hub.LIST, raising=False)
    assert [*hub.list_offered()] == [MINILM, "SmolLM2-135M", "distilgpt2"]
    for one in hub.list_offered().values():
        assert len(one.revision) == 40 and len(one.sha256) == 64 and one.licence
        assert "and 9.0 MB are free: it would be slow" in fetching.describe_offer(one, 9_000_000)
    wrong, named = "distilgpt2 ../x, a/b/c", ("distilbert/distilgpt2@main", "owner/name@v1.0")
    for wish, offered in {
        f"{wrong} {named[1]},{named[0]}": [hub.Offered(*each.split("@")) for each in named],
        f"sentence-transformers/{MINILM}": [hub.KNOWN[MINILM]],
        "": [],
    }.items():
        monkeypatch.setenv(hub.LIST, wish)
        assert [*hub.list_offered().values()] == offered
    monkeypatch.delenv(hub.LIST)
    monkeypatch.setenv(pretrained.FOLDER, str(checkpoint(models / "small", "bert")))
    assert hub.list_offered() == {}


def test_the_packaged_model_is_the_hubs():
    """What the tests read has the hash that a download must have."""
    content = (minilm() / "model.safetensors").read_bytes()
    assert round(len(content) / 1e6) == hub.KNOWN[MINILM].megabytes
    assert hashlib.sha256(content).hexdigest() == hub.KNOWN[MINILM].sha256
