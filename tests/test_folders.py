"""Folders of models: which are found and what they are called, what the page Real model lists, and
links that name them."""

import os
import re
from html import unescape
from pathlib import Path

import pytest
import torch
from helpers import app, boards, derived, elements, panel
from test_pretrained import checkpoint, models  # noqa: F401 (a fixture)

from core import Setup, pretrained
from core.forward.encoder import encode
from core.pretrained import folders, hub, summary
from pages.shared.link import pinned, read_link, write_link
from pages.shared.link.model_link import select_model

PAGE = "pages/15_model.py"
COMMITS = ("0123456789" * 4, "abcdef0123" * 4)
STRANGE = (
    "C++ & co",
    "it's [new](now), really",
    "100 % *mine* #1",
    "日本 <b>",
    "a=b?c;d:e~1",
    'say "hi"',
    "back\\slash",
    'three """',
)


def html(at) -> str:
    return "".join(e.proto.body for e in elements(at.main) if e.type == "html")


def cached(cache: Path, commit: str = COMMITS[0], family: str = "bert") -> Path:
    """A snapshot as the Hub's library keeps it: links to files that are named by their hash."""
    repository = cache / "models--owner--small"
    (repository / "blobs").mkdir(parents=True, exist_ok=True)
    folder = checkpoint(repository / "snapshots" / commit, family)
    for file in folder.iterdir():
        blob = repository / "blobs" / f"{commit[:3]}{abs(hash(file.name)):x}"
        file.rename(blob).touch()
        file.symlink_to(f"../../blobs/{blob.name}")
    (repository / "refs").mkdir(exist_ok=True)
    (repository / "refs" / "main").write_text(commit)
    return folder


def test_the_hubs_cache_is_read(tmp_path, monkeypatch):
    """Whoever has a model in the Hub's cache never fetches it again: it is found there, also
    offline, under owner/name and not under a hash; of two revisions the one that is `main`."""
    cache = tmp_path / "huggingface" / "hub"
    cached(cache, COMMITS[1], "gpt2")
    first = cached(cache)
    (cache / "datasets--owner--texts" / "snapshots").mkdir(parents=True)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    ways = [("HF_HOME", cache.parent), ("HF_HUB_CACHE", cache), ("XDG_CACHE_HOME", tmp_path)]
    ways += [(pretrained.FOLDER, folder) for folder in (cache, cache.parent, first)]
    for variable, named in ways:
        with monkeypatch.context() as patched:
            for name in (pretrained.FOLDER, "HF_HOME", "HF_HUB_CACHE"):
                patched.delenv(name, raising=False)
            patched.setenv(variable, str(named))
            assert pretrained.names() == ("owner/small",), variable
            for model in ("", "owner/small", "small"):
                setup = Setup(text="the cat", init="real", model=model)
                assert setup.real.name == "owner/small" and setup.mask == "none"
    monkeypatch.setenv(pretrained.FOLDER, str(cache))
    assert len(encode(setup)) == 3
    monkeypatch.setenv(hub.LIST, "owner/small")
    assert "Fetch" not in html(app(PAGE))
    (first / "tokenizer.json").unlink()
    assert "in owner/small." in summary.summarize("owner/small").refused


def test_a_link_in_the_folder_and_a_home_are_followed(models, monkeypatch):  # noqa: F811
    """`~` is the user's home; a folder that is a link has the link's name, and a link to nothing is
    no model."""
    elsewhere = checkpoint(models.parent / "elsewhere", "bert")
    (models / "linked").symlink_to(elsewhere)
    (models / "gone").symlink_to(models.parent / "nothing")
    (models / "round").symlink_to("round")
    monkeypatch.setenv("HOME", str(models.parent))
    for named, names in {"~/models": ("linked",), "~/models/linked": ("linked",)}.items():
        monkeypatch.setenv(pretrained.FOLDER, named)
        assert [name for name in pretrained.names() if name != "round"] == [*names]
        assert Setup(text="the cat", init="real").real.name == "linked"


@pytest.mark.parametrize("name", STRANGE)
def test_any_folders_name_stands_in_a_link(name, models):  # noqa: F811
    """Spaces, +, &, brackets, quotes, commas: the link leads to that model, so does the list, a
    pinned setup has it, and the script to take home runs."""
    checkpoint(models / name, "bert")
    checkpoint(models / "a", "bert")
    setup = Setup(text="the cat", init="real", model=name)
    assert read_link(write_link(setup.as_link())).setup == setup and setup.real.name == name
    assert pinned.read(pinned.write(setup)) == setup and "weights" in derived(setup)
    listed = unescape(html(app(PAGE, init="real", model="a")))
    chosen = (read_link(href).setup for href in re.findall(r'href="\?(.*?)" target', listed))
    assert name in {setup.real.name for setup in chosen if setup.init == "real"}
    at = app(PAGE, init="real", model=name)
    assert not at.exception and f"{name}: 3 layers of 7 heads" in unescape(html(at))


def test_the_first_model_stays_the_first(models):  # noqa: F811
    """When another comes that stands before it in the alphabet, a link without a name is still
    answered by the same model."""
    checkpoint(models / "second", "gpt2")
    link = {"text": "it came later", "init": "real"}
    assert not app(PAGE, **link).exception
    checkpoint(models / "first", "bert")
    at = app(PAGE, **link)
    assert not at.exception and "second: 3 layers of 7 heads" in html(at)


def test_a_large_model_is_read_only_if_it_is_named(models, monkeypatch):  # noqa: F811
    """Whoever has a model of many gigabytes in the cache is not shown it for want of a name; the
    list says what it takes of the memory, and whether the server has it."""
    checkpoint(models / "a large one", "gpt2", n_layer=5)
    checkpoint(models / "small", "gpt2")
    files = (each.stat().st_size for each in (models / "small").iterdir())
    monkeypatch.setattr(folders, "LARGE", sum(files) + 1)
    link = {"text": "a large one", "init": "real"}
    assert Setup(**link).real.name == "small"
    assert Setup(**link, model="a large one").real.name == "a large one"
    needed = summary.summarize("a large one").memory
    assert needed == (models / "a large one" / "model.safetensors").stat().st_size
    monkeypatch.setattr(summary, "measure_free_memory", lambda: needed - 1)
    at = app(PAGE, **link)
    while "is being read" in html(at):
        at = at.run()
    row = re.findall(r"<tr.*?</tr>", html(at))[1]
    assert "a large one" in row and "takes less than 0.1 MB of memory, and less than" in row
    assert "it would be slow, or end the server" in row


def test_the_page_lists_models_and_why_not(models, monkeypatch):  # noqa: F811
    """Each folder stands there with family, sizes and what it predicts; one that cannot be read,
    first by the alphabet, with its reason; it hides no other, and a click chooses another."""
    for name, family in (("bert", "bert"), ("gpt", "gpt2"), ("aaa", "bert"), ("aab", "bert")):
        checkpoint(models / name, family)
    checkpoint(models / "fills", "bert", what="ForMaskedLM")
    (models / "aab" / "model.safetensors").write_bytes(b"")
    listed = os.listdir

    def list_allowed(folder):
        if Path(folder).name == "aaa":
            raise PermissionError(13, "Permission denied", str(folder))
        return listed(folder)

    monkeypatch.setattr(os, "listdir", list_allowed)
    assert pretrained.names() == ("aaa", "aab", "bert", "fills", "gpt")
    assert Setup(text="the cat", init="real").real.name == "bert"
    at = app(PAGE, text="the cat")
    while "is being read" in html(at):
        at = at.run()
    rows = re.findall(r"<tr(.*?)</tr>", html(at))[1:]
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
    size = "less than 0.1 MB"
    assert [one[1:] for one in cells[:3]] == [
        ["BERT", "3 layers × 7 heads", cells[0][3], "sentence vector"],
        ["BERT", "3 layers × 7 heads", cells[1][3], "covered word"],
        ["GPT-2", "3 layers × 7 heads", size, "next word"],
    ]
    assert [one[0] for one in cells[3:]] == ["aaa", "aab"]
    assert "may not read the folder aaa" in cells[3][1]
    assert "model.safetensors in aab is no safetensors file" in cells[4][1]
    assert "aria-current" in rows[0] and "aria-current" not in rows[1]
    (href,) = re.findall(r'href="\?([^"]*)"', cells[2][0])
    assert read_link(unescape(href)).setup.real.name == "gpt"
    of_one = boards(app(PAGE, init="real", model="aab", text="the cat"))[0]
    assert "aab is no safetensors file" in of_one["nothing"]


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_the_panel_is_the_models_with_and_without_it_in_the_link(family, models):  # noqa: F811
    """A link to the page without `init=real` has the panel of one with it: the model's heads,
    layers and pieces, with the same words chosen; its first act adds the model to the address."""
    checkpoint(models / f"panel {family}", family)
    text = f"the cat the cat {family}"  # results are cached by the text, and the first model's name
    link = {"text": text, "query": 4, "key": 2, "heads": 2, "edits": "w_q=0"}
    without = panel(app(PAGE, **link))["says"]
    read = select_model(write_link(link))
    view = read_link(read)
    words = [view.setup.tokens[k - 1].strip() for k in (view.focus.query, view.focus.key)]
    assert words == ["cat", "cat"] and view.focus.query > view.focus.key
    unchosen = read_link(select_model(write_link({"text": text}))).focus
    assert (unchosen.query > unchosen.key) is (family == "gpt2")  # a causal query sees no later key
    own = panel(app(PAGE, **dict(pair.split("=") for pair in read.replace("+", " ").split("&"))))
    own = own["says"]
    for name in ("off", "most", "words", "usual", "layers"):
        assert without[name] == own[name], name
    assert (without["most"]["head"], without["values"]["heads"]) == (7, "7")
    assert without["values"]["init"] == "real" and "init" in without["off"]
    added = write_link(link | without["adds"])
    assert read_link(added).focus.query == view.focus.query and not own["adds"]
    assert torch.equal(
        encode(read_link(added).setup)[0].value("w_q"), encode(view.setup)[0].value("w_q")
    )
