"""A real model's weights under our names, read from a folder in Hugging Face's layout.

`ATTENTION_MODELS` names a model's folder, or one with several in it; the default is the user's
cache. It gives what `draws` and `training_store` give otherwise, so the same steps compute with it.
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from torch import Tensor

from ..ops.norms import layer_norm_with_gain, rms_norm_with_gain
from ..ops.weight_names import Weights, full
from .checkpoint import Tensors, Unreadable, read_json
from .conversion import Stored
from .families import FAMILIES, Family, Sizes, family_of
from .tokenizer import Tokenizer

__all__ = [
    "Pretrained",
    "Sizes",
    "Unreadable",
    "find",
    "is_itself_a_model",
    "is_readable",
    "names",
    "root",
]

FOLDER = "ATTENTION_MODELS"
CONFIGS, PAD, SEPARATES = ("config.json", "bert_config.json"), "[PAD]", "[SEP]"
ROWS_AT_ONCE = 4096  # table rows converted to float32 at once


class Pretrained:
    """A model in a folder. Names and shapes are checked at once; numbers are read when needed.

    Raises:
        Unreadable: a file is missing or broken, the family is not supported, or a tensor is missing
        or has another shape.
    """

    name: str
    family: Family
    sizes: Sizes

    def __init__(self, folder: Path) -> None:
        config = read_json(
            next(
                (folder / name for name in CONFIGS if (folder / name).is_file()),
                folder / CONFIGS[0],
            )
        )
        kind = config.get("model_type")
        self._tensors = Tensors(folder)
        if kind is None:
            kind = family_of(config, self._tensors)
        if not isinstance(kind, str) or kind not in FAMILIES:
            raise Unreadable(
                f"{folder.name} is of the family {kind!r}; what is computed here is"
                f" {', '.join(FAMILIES)}."
            )
        self.name, self.family = folder.name, FAMILIES[kind]
        self.sizes = self.family.sizes(config)
        self._around = self.family.embedding(self.sizes) | self.family.top(self.sizes)
        self._prefix = self._tensors.prefix(self._around["embedding_table"].name)
        self._check()
        self._head = self._own_head(config)
        self.tokenizer = Tokenizer(folder, self.sizes.words)
        self.licence = _licence(folder)
        self._layers: dict[int, Weights] = {}

    @property
    def decides(self) -> dict[str, Any]:
        """The setup fields that the model determines."""
        sizes, family = self.sizes, self.family
        return {
            name: getattr(sizes, name)
            for name in ("d_model", "heads", "layers", "d_ff", "activation", "d_k")
        } | {
            "d_v": sizes.d_k,
            "sizes": "narrow" if sizes.d_k * sizes.heads == sizes.d_model else "free",
            "projections": "learned",
            "out": "d_model",
            "bias": "on" if sizes.biases else "off",
            "norm": family.norm,
            "norm_kind": family.norm_kind,
            "kv_heads": sizes.kv_heads if sizes.kv_heads < sizes.heads else 0,
            "unembedding": "own" if self._head else "tied",
        }

    @property
    def usual(self) -> dict[str, str]:
        """The model's own values of the fields that users may override as a what-if."""
        return {"positions": self.family.positions, "scale": "sqrt", "mask": self.family.mask}

    @property
    def is_of_sentences(self) -> bool:
        """Whether the model is bidirectional and used for sentence vectors, rather than next-word
        prediction."""
        return self.family.mask == "none"

    def _check(self) -> None:
        layers = (self.family.layer(self.sizes, n) for n in range(1, self.sizes.layers + 1))
        for part in chain([self._around], layers):  # lazily: config.json may claim a billion layers
            for stored in part.values():
                self._tensors.check(self._prefix + stored.name, stored.shape)

    def _own_head(self, config: Mapping[str, Any]) -> str:
        """Return the name of a separate unembedding, or "" if the table serves as one. It counts if
        the checkpoint has it and it differs from the table, unless config.json ties them."""
        name, shape = self.family.head, (self.sizes.words, self.sizes.width)
        tied = config.get("tie_word_embeddings")
        if tied or (name not in self._tensors and (tied is None or self.is_of_sentences)):
            return ""
        self._tensors.check(name, shape)
        return (
            ""
            if torch.equal(self._tensors[name], self._stored(self._around["embedding_table"]))
            else name
        )

    def embedding_table(self, pieces: tuple[str, ...]) -> Tensor:
        """Return the table's rows for these pieces, reading no others: (word, d_model)."""
        return self._stored(self._around["embedding_table"])[self.tokenizer.ids(pieces)].float()

    def padding(self) -> Tensor:
        """Return the padding row, (1, d_model): the model's own, or zeros if it has none. It is
        masked."""
        is_there = self.tokenizer.knows(PAD)
        return self.embedding_table((PAD,)) if is_there else torch.zeros(1, self.sizes.width)

    def positions(self, tokens: int) -> Tensor:
        """Return the learned positions: (token, d_model)."""
        return self._read(self._around["positions"])[:tokens]

    @cached_property
    def around(self) -> Weights:
        """The other weights of X and those of the top norm, as far as the family has them: gain_0,
        shift_0, gain_top, shift_top, each (d_model,)."""
        return {
            name: self._read(one)
            for name, one in self._around.items()
            if name not in ("embedding_table", "positions", "part")
        }

    def parts(self, tokens: Sequence[str]) -> Weights:
        """Return part (token, d_model), if the model has segment embeddings: the first row up to
        the first [SEP], then the second."""
        if "part" not in self._around:
            return {}
        before = list(tokens).index(SEPARATES) + 1 if SEPARATES in tokens else len(tokens)
        of_each = [0] * before + [min(1, self.sizes.parts - 1)] * (len(tokens) - before)
        return {"part": self._read(self._around["part"])[of_each]}

    @property
    def fills(self) -> bool:
        """Whether the folder has a masked-language-model head and the tokenizer a mask token."""
        filling = self.family.filling(self.sizes)
        return bool(filling and self.tokenizer.mask) and all(
            one.name in self._tensors for one in filling.values()
        )

    @cached_property
    def filling(self) -> Weights:
        """The masked-language-model head: w_fill (d_model, width), b_fill, gain_fill, shift_fill
        (width,), b_word (word,). Raises Unreadable if part of it is missing."""
        stored = self.family.filling(self.sizes)
        own = self._head.removesuffix("weight") + "bias"
        if self._head and own in self._tensors:  # a matrix of its own has its own bias too
            stored["b_word"] = replace(stored["b_word"], name=own)
        for one in stored.values():
            self._tensors.check(one.name, one.shape)
        return {name: one.ours(self._tensors[one.name]).float() for name, one in stored.items()}

    def layer(self, n: int) -> Weights:
        """Return block n, from 1, by our names: w_q (head, d_model, d_k), b_q (head, d_k), w_o
        (head·d_v, d_model), gain_1 (d_model,) … 16-bit floats stay as in the file; convert them
        with `full`."""
        if n not in self._layers:
            self._layers[n] = {
                name: one.ours(self._stored(one))
                for name, one in self.family.layer(self.sizes, n).items()
            }
        return self._layers[n]

    def top(self, out: Tensor) -> Tensor:
        """Apply the top norm, if the family has one, to the last layer's output, (token,
        d_model)."""
        if "gain_top" not in self.around:
            return out
        gain, epsilon = self.around["gain_top"], self.sizes.epsilon
        if self.family.norm_kind == "rms":
            return rms_norm_with_gain(out, gain, epsilon)
        return layer_norm_with_gain(out, gain, self.around["shift_top"], epsilon)

    @property
    def unembedding(self) -> Tensor:
        """The transposed table or a separate matrix, as stored: (d_model, word)."""
        return (
            self._tensors[self._head]
            if self._head
            else self._stored(self._around["embedding_table"])
        ).T

    def unembed(self, top: Tensor) -> Tensor:
        """Return the logit of each piece of the vocabulary: (token, d_model) → (token, word). It
        uses the table, Press and Wolf 2017, or a separate matrix, some rows at a time."""
        return torch.cat(
            [top @ full(columns) for columns in self.unembedding.split(ROWS_AT_ONCE, dim=1)], dim=-1
        )

    def unembed_at_mask(self, top: Tensor) -> Tensor:
        """Return the logits at [MASK], with a bias for each piece: (width,) → (word,)."""
        return self.unembed(top) + self.filling["b_word"]

    def _read(self, stored: Stored) -> Tensor:
        return stored.ours(self._stored(stored)).float()

    def _stored(self, stored: Stored) -> Tensor:
        return self._tensors[self._prefix + stored.name]


def names() -> tuple[str, ...]:
    """Return the available models, sorted; `find` checks whether one can be read."""
    return tuple(_folders())


def find(name: str = "") -> Pretrained:
    """Return the model of this name, by default the first, loaded once for all users.

    Raises:
        Unreadable: it is not here, or it cannot be read.
    """
    folders = _folders()
    if not folders:
        raise Unreadable(f"There is no model here; the folder that {FOLDER} names may have one.")
    folder = folders.get(name) if name else next(iter(folders.values()))
    if folder is None:
        raise Unreadable(f"There is no {name} here; there is {', '.join(folders)}.")
    with _one_reader:
        if folder not in _read:
            _read[folder] = Pretrained(folder)
    return _read[folder]


def is_readable(name: str = "") -> bool:
    """Return whether `find` succeeds for this name, or for the first model if none is named."""
    with suppress(Unreadable):
        return bool(find(name))
    return False


def _licence(folder: Path) -> str:
    """Return the licence in the front matter of the model's README.md; empty if there is none."""
    try:
        readme = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.match(r"---\n(?:.*\n)*?license: *([\w.-]+)", readme)
    return found[1] if found else ""


_read: dict[Path, Pretrained] = {}
_one_reader = Lock()


def root() -> Path:
    """Return the folder where models are looked up and downloaded to."""
    named = os.environ.get(FOLDER)
    return Path(named).resolve() if named else Path.home() / ".cache" / "attention-explorer"


def _folders() -> dict[str, Path]:
    """Return the folders with a model, by name; empty if they cannot be read."""
    here = root()
    try:
        found = (
            [here]
            if _has_model(here)
            else sorted(below for below in here.iterdir() if _has_model(below))
        )
    except OSError:
        return {}
    return {folder.name: folder for folder in found if not folder.name.startswith(".")}


def is_itself_a_model() -> bool:
    """Return whether the folder of models is itself a model, so that none can be added."""
    return _has_model(root())


def _has_model(folder: Path) -> bool:
    return any((folder / name).is_file() for name in CONFIGS)
