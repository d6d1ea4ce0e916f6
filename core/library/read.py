"""Read a model: every layer and head of it on a text, computed by our own steps."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor

from .. import pretrained
from ..forward.encoder import encode
from ..forward.masked_lm import dense
from ..layers.block import ACTIVATIONS
from ..ops.norms import layer_norm_with_gain
from ..pretrained import Pretrained, Unreadable
from ..pretrained.families import find_family
from ..pretrained.folders import GIVEN, name_of
from ..setup.setup import Setup
from .layers import BARE, Layers, attention

_kept: list[TemporaryDirectory[str]] = []  # models of this process, removed as it ends


def read(model: Any, tokenizer: Any = None, text: str = "The cat drank the milk.") -> Layers:
    """Return a trace of every layer of a model on a text.

    `model` is a model of Transformers with its `tokenizer`, or a folder, or the name of one in
    `ATTENTION_MODELS` or the Hub's cache (owner/name). A model in memory is saved to a temporary
    folder and also run itself: `note` has the largest differences. Of a family that is not computed
    here the weights alone are given. Raises ValueError; says why.
    """
    if isinstance(model, str | Path):
        name = _find(str(model))
        return Layers(encode(Setup(init="real", model=name, text=text)), f"Read from {name}.")
    if tokenizer is None:
        raise ValueError("A model in memory needs its tokenizer: read(model, tokenizer, text).")
    kept = TemporaryDirectory(prefix="attention-explorer-")
    try:
        name = _save(model, tokenizer, Path(kept.name))
        setup = Setup(init="real", model=name, text=text)
    except Unreadable as error:
        kept.cleanup()
        given = tokenizer(text, return_tensors="pt")
        tokens = tokenizer.convert_ids_to_tokens(given["input_ids"][0])
        return attention(_run(model, **given).attentions, tokens, note=f"{error} {BARE}")
    _kept.append(kept)
    layers, theirs = encode(setup), _run(model, input_ids=torch.tensor([setup.token_ids]))
    assert setup.real is not None
    return Layers(layers, _compare(setup.real, layers, theirs))


def _find(named: str) -> str:
    """Return the name of a model that a folder or a name means."""
    folder = Path(named).expanduser()
    if not folder.is_dir():
        return pretrained.find(named).name
    name = name_of(folder.resolve())
    if pretrained.list_folders().get(name) != folder.resolve():
        name = str(folder.resolve())
        GIVEN[name] = folder.resolve()
    return name


def _save(model: Any, tokenizer: Any, folder: Path) -> str:
    """Save a model where it can be read, and return its name. Raises Unreadable if it cannot be
    read, before it is saved if its family is not known."""
    config = model.config.to_dict()
    named = config.get("_name_or_path") or getattr(model, "name_or_path", "") or "model"
    name = f"{Path(named).name} in memory {len(_kept) + 1}"
    find_family(config, None, name)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    Pretrained(folder).check_numbers()
    GIVEN[name] = folder
    return name


@contextmanager
def _eager(model: Any) -> Iterator[None]:
    """Let a model return its attention weights, without dropout, and leave it as it was."""
    kind, was_training = model.config._attn_implementation, model.training
    model.set_attn_implementation("eager")
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.set_attn_implementation(kind)
        model.train(was_training)


def _run(model: Any, **given: Tensor) -> Any:
    """Return what the model itself computes. Raises ValueError if it gives no attention weights."""
    with _eager(model):
        given = {name: each.to(model.device) for name, each in given.items()}
        found = model(**given, output_attentions=True, output_hidden_states=True)
    if not found.get("attentions"):
        raise ValueError(f"{type(model).__name__} returns no attention weights of its own.")
    return found


def _get_logits(model: Pretrained, top: Tensor) -> Tensor:
    """Return each token's logits, (token, word): next words, or what a masked model would fill
    in."""
    if not model.looks_ahead:
        return model.unembed(top)
    own, kind = model.filling, model.family.fills or model.sizes.activation
    raised = ACTIVATIONS[kind](dense(top, own["w_fill"], own["b_fill"]))
    normed = layer_norm_with_gain(raised, own["gain_fill"], own["shift_fill"], model.sizes.epsilon)
    return model.unembed_at_mask(normed)


def _compare(model: Pretrained, layers: tuple, theirs: Any) -> str:
    """Return the largest differences from the model's own numbers, in a sentence."""
    top = model.top(layers[-1].value("out"))
    pairs = {
        "attention": [
            (one.value("weights"), own[0])
            for one, own in zip(layers, theirs.attentions, strict=True)
        ],
        "last layer": [(top, theirs.hidden_states[-1][0])],
    }
    of_words = "logits" in theirs and theirs.logits.shape[-1] == model.sizes.words
    if of_words and (model.fills or not model.looks_ahead):
        pairs["logits"] = [(_get_logits(model, top), theirs.logits[0])]
    largest = {
        name: max((ours - own.float().cpu()).abs().max().item() for ours, own in each)
        for name, each in pairs.items()
    }
    said = ", ".join(f"{name} {size:.1g}" for name, size in largest.items())
    return f"Largest differences from the model's own numbers: {said}."
