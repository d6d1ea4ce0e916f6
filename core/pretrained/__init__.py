"""A real model's weights under our names, read from a folder in Hugging Face's layout.

`ATTENTION_MODELS` names a model's folder, or one with several in it; the default is the user's
cache. It gives what `draws` and `training_store` give otherwise, so the same steps compute with it.
"""

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

from ..names import Weights, full
from ..norms import layer_norm_with_gain, rms_norm_with_gain
from .families import FAMILIES, Family, Sizes, family_of
from .folders import (
    CONFIGS,
    FOLDER,
    Fingerprint,
    fingerprint,
    is_itself_a_model,
    list_folders,
    match,
    name_of,
    names_in,
    root,
)
from .stored import Stored
from .tensors import Tensors, Unreadable, read_json
from .tokens import Tokenizer

__all__ = [
    "Pretrained",
    "Sizes",
    "Unreadable",
    "check_config",
    "explain_refusal",
    "find",
    "is_itself_a_model",
    "names",
    "root",
]

PAD, SEPARATES = "[PAD]", "[SEP]"
LISTED = 8  # names in a message
ROWS_AT_ONCE = 4096  # table rows converted to float32 at once


class Pretrained:
    """A model in a folder. Names and shapes are checked at once; numbers are read when needed.

    Raises:
        Unreadable: a file is missing or broken, the family is not supported, or a tensor is missing
        or has another shape.
    """

    name: str
    kind: str  # the family's name in config.json
    family: Family
    sizes: Sizes

    def __init__(self, folder: Path) -> None:
        if names_in(folder) is None:
            raise Unreadable(f"This server may not read the folder {name_of(folder)}.")
        config = _read_config(folder)
        self.name, self._tensors = name_of(folder), Tensors(folder)
        self.kind, self.family = _choose_family(self.name, config, self._tensors)
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

    @property
    def size(self) -> int:
        """The bytes of the files with its tensors."""
        return self._tensors.size

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


def check_config(folder: Path) -> None:
    """Raise Unreadable if config.json alone shows that the model cannot be read."""
    config = _read_config(folder)
    if config.get("model_type") is not None:
        _choose_family(name_of(folder), config)[1].sizes(config)


def _read_config(folder: Path) -> dict[str, Any]:
    found = (folder / name for name in CONFIGS if (folder / name).is_file())
    return read_json(next(found, folder / CONFIGS[0]))


def _choose_family(
    name: str, config: Mapping[str, Any], tensors: Tensors | None = None
) -> tuple[str, Family]:
    """Return the family that config.json names, or that the tensors identify, and its name."""
    kind = config.get("model_type")
    if kind is None and tensors:
        kind = family_of(config, tensors)
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise Unreadable(
            f"{name} is of the family {kind!r}; what is computed here is {', '.join(FAMILIES)}."
        )
    return kind, FAMILIES[kind]


def names() -> tuple[str, ...]:
    """Return the available models; `find` checks whether one can be read."""
    return tuple(list_folders())


def find(name: str = "") -> Pretrained:
    """Return the model of this name, by default the first that can be read, loaded once for all
    users.

    Raises:
        Unreadable: it is not here, or it cannot be read.
    """
    folders = list_folders()
    if not folders:
        raise Unreadable(f"There is no model here; the folder that {FOLDER} names may have one.")
    if not name and (first := _find_first(list(folders.values()))):
        return first
    named = match(name or next(iter(folders)), folders)
    if named is None:
        more = f" and {len(folders) - LISTED} more" if len(folders) > LISTED else ""
        raise Unreadable(
            f"There is no {name} here; there is {', '.join([*folders][:LISTED])}{more}."
        )
    return _load(folders[named])


def _find_first(folders: Sequence[Path]) -> Pretrained | None:
    """Return the first model that can be read. It stays the first when others come, since results
    of it are cached without its name."""
    before = _first.get(root())
    for folder in [before] if before and before in folders else folders:
        with suppress(Unreadable):
            _first[root()] = folder
            return _load(folder)
    return None


def explain_refusal(name: str = "") -> str:
    """Return why no model of this name can be read, or none at all if none is named; "" if one
    can."""
    try:
        find(name)
    except Unreadable as error:
        return str(error)
    return ""


def _load(folder: Path) -> Pretrained:
    """Return the folder's model; one that was refused is read again once its files change."""
    with _one_reader:
        if folder not in _read:
            files, refused = fingerprint(folder), _refused.get(folder)
            if refused and refused[0] == files:
                raise Unreadable(refused[1])
            try:
                _read[folder] = Pretrained(folder)
            except Unreadable as error:
                _refused[folder] = (files, str(error))
                raise
    return _read[folder]


def _licence(folder: Path) -> str:
    """Return the licence in the front matter of the model's README.md; empty if there is none."""
    try:
        readme = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.match(r"---\n(?:.*\n)*?license: *([\w.-]+)", readme)
    return found[1] if found else ""


_read: dict[Path, Pretrained] = {}
_refused: dict[Path, tuple[Fingerprint, str]] = {}
_first: dict[Path, Path] = {}
_one_reader = Lock()
