"""A real model's weights under our names, read from a folder in Hugging Face's layout."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ..ops.norms import layer_norm_with_gain, rms_norm_with_gain
from ..ops.weight_names import Weights, full
from .checkpoint import Tensors, Unreadable
from .conversion import Stored, list_around, list_filling, list_layer
from .families import Family, find_family
from .folders import name_of, names_in, read_licence
from .sizes import Sizes, read_config, read_sizes
from .tokenizer import Tokenizer

PAD, SEPARATES = "[PAD]", "[SEP]"
ROWS_AT_ONCE = 4096  # table rows converted to float32 at once
MOST_NAMED = 6  # of the tensors that nothing reads
# What the library computes itself, and parts on top of a model that no page shows.
ASIDE = re.compile(
    r"(.*\.)?(position_ids|token_type_ids|inv_freq|attn\.(masked_)?bias"
    r"|(pooler|seq_relationship|discriminator_predictions)\..*)"
)


class Pretrained:
    """A model in a folder. Names and shapes are checked at once; numbers are read when needed, from
    the mapped files.

    Raises:
        Unreadable: a file is missing or broken, the family is not supported, or a tensor is missing
        or has another shape.
    """

    name: str
    family: Family
    sizes: Sizes
    _are_numbers = False

    def __init__(self, folder: Path, again: bool = False) -> None:
        self._again = again  # after other files of this name
        if names_in(folder) is None:
            raise Unreadable(f"This server may not read the folder {name_of(folder)}.")
        self.name, self._tensors = name_of(folder), Tensors(folder)
        config = read_config(folder)
        self.family = find_family(config, self._tensors, self.name)
        self.sizes = read_sizes(config, self.family)
        around = list_around(self.family, self.sizes)
        first = list_layer(self.family, self.sizes, 1)
        self._prefix = self._tensors.prefix(around["embedding_table"].name, first["w_q"].name)
        self._around = self._with_prefix(around)
        self._find_head(config)
        for one in chain(self._around.values(), self._list_layers()):
            self._tensors.check(one.name, one.shape)
        self.tokenizer = Tokenizer(
            folder, self.sizes.words, self.family.tokenizer, self.family.has_one_tokenizer
        )
        if (taken := len(self.tokenizer.add_special(()))) >= self.sizes.places:
            raise Unreadable(
                f"{self.name} has {self.sizes.places} places, and its tokenizer takes {taken} of"
                " them: there is none for a word."
            )
        if self.unplaced in self.tokenizer.pieces(""):
            raise Unreadable(
                f"{self.unplaced} is what {self.name} pads sentences with, and its tokenizer puts"
                " it around each: it has no place of its own."
            )
        self.licence = read_licence(folder)
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
        return {"positions": self.family.positions, "scale": "sqrt", "mask": self.sizes.mask}

    @property
    def looks_ahead(self) -> bool:
        """Whether the model is bidirectional."""
        return self.sizes.mask == "none"

    @property
    def is_of_sentences(self) -> bool:
        """Whether the model is used for sentence vectors rather than next-word prediction: it looks
        ahead, or its folder has no matrix for words."""
        return self.looks_ahead or not self._has_head

    @property
    def unplaced(self) -> str:
        """The piece that has no place of its own, where places are counted behind its row: the
        padding; "" if each has one."""
        return self.tokenizer.every[self.sizes.first - 1] if self.sizes.first else ""

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """The names of the tensors that nothing reads, except known parts on top of a model."""
        read = {one.name for one in self._list_read()}
        return tuple(
            sorted(name for name in self._tensors if name not in read and not ASIDE.fullmatch(name))
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of its numbers must know, in sentences."""
        more = len(self.unread) - MOST_NAMED
        names = ", ".join(name[:99] for name in self.unread[:MOST_NAMED])
        unread = (
            f"{self.name} has tensors that nothing here reads, so it may compute otherwise than is"
            f" shown: {names}{f' and {more} more' if more > 0 else ''}."
        )
        anew = f"{self.name} was saved anew, and is read anew."
        return (unread,) * bool(names) + (anew,) * self._again

    def check_numbers(self) -> None:
        """Raise Unreadable if a tensor holds NaN or ∞. They are looked through once."""
        if not self._are_numbers:
            for one in self._list_read():
                self._tensors.check_numbers(one.name)
            self._are_numbers = True

    def _find_head(self, config: Mapping[str, Any]) -> None:
        """Find the unembedding. It is a separate matrix if the checkpoint has one that differs from
        the table, even if config.json ties them; if it has no table, the matrix serves as both."""
        table, shape = self._around["embedding_table"], (self.sizes.words, self.sizes.width)
        head = Stored(self._under(self.family.head), shape)
        self._head, is_there = "", head.name in self._tensors
        tied = config.get("tie_word_embeddings", self.family.usual["tie_word_embeddings"])
        self._has_head = bool(is_there or tied)
        if is_there and tied and table.name not in self._tensors:
            self._around["embedding_table"] = head
        elif is_there:
            self._tensors.check(head.name, shape)
            self._tensors.check(table.name, shape)
            same = torch.equal(self._tensors[head.name], self._tensors[table.name])
            self._head = "" if same else head.name

    def _list_layers(self) -> Iterator[Stored]:
        """Yield every tensor of the blocks, lazily: config.json may claim a billion of them."""
        for n in range(1, self.sizes.layers + 1):
            yield from self._list_layer(n).values()

    def _list_layer(self, n: int) -> dict[str, Stored]:
        return self._with_prefix(list_layer(self.family, self.sizes, n))

    def _list_read(self) -> Iterator[Stored]:
        """Yield every tensor of the checkpoint that is read."""
        yield from self._around.values()
        yield from self._list_layers()
        names = [self._under(self.family.head), self._under(self._head_bias)]
        names += [one.name for one in self._filling.values()] if self.fills else []
        yield from (Stored(name, ()) for name in names if name in self._tensors)

    def _under(self, name: str) -> str:
        return self._tensors.under(self._prefix, name)

    @property
    def _head_bias(self) -> str:
        return self.family.head.removesuffix("weight") + "bias"

    def _with_prefix(self, stored: Mapping[str, Stored]) -> dict[str, Stored]:
        return {name: replace(one, name=self._prefix + one.name) for name, one in stored.items()}

    def embedding_table(self, pieces: tuple[str, ...]) -> Tensor:
        """Return the table's rows for these pieces, reading no others: (word, d_model)."""
        return self._tensors[self._around["embedding_table"].name][
            self.tokenizer.ids(pieces)
        ].float()

    def padding(self) -> Tensor:
        """Return the padding row, (1, d_model): the model's own, or zeros if it has none. It is
        masked."""
        is_there = self.tokenizer.knows(PAD)
        return self.embedding_table((PAD,)) if is_there else torch.zeros(1, self.sizes.width)

    def positions(self, tokens: int) -> Tensor:
        """Return the learned positions: (token, d_model)."""
        one = self._around["positions"]
        return one.ours(self._tensors[one.name])[:tokens].clone().float()

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
        return {"part": self._tensors[self._around["part"].name][of_each].float()}

    @property
    def fills(self) -> bool:
        """Whether the folder has a masked-language-model head and the tokenizer a mask token."""
        stored = self._filling.values()
        has_all = bool(stored) and all(one.name in self._tensors for one in stored)
        return has_all and self._has_head and bool(self.tokenizer.mask)

    @cached_property
    def _filling(self) -> dict[str, Stored]:
        stored = {
            name: replace(one, name=self._under(one.name))
            for name, one in list_filling(self.family, self.sizes).items()
        }
        if stored and self._under(self._head_bias) in self._tensors:  # beside its copy
            stored["b_word"] = replace(stored["b_word"], name=self._under(self._head_bias))
        return stored

    @cached_property
    def filling(self) -> Weights:
        """The masked-language-model head: w_fill (d_model, width), b_fill, gain_fill, shift_fill
        (width,), b_word (word,). Raises Unreadable if part of it is missing."""
        for one in self._filling.values():
            self._tensors.check(one.name, one.shape)
        return {name: self._read(one) for name, one in self._filling.items()}

    def layer(self, n: int) -> Weights:
        """Return block n, from 1, by our names: w_q (head, d_model, d_k), b_q (head, d_k), w_o
        (head·d_v, d_model), gain_1 (d_model,) … 16-bit floats stay as in the file; convert them
        with `full`."""
        self._tensors.refuse_outdated()
        if n not in self._layers:
            self._layers[n] = {
                name: one.ours(self._tensors[one.name]) for name, one in self._list_layer(n).items()
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
        return self._tensors[self._head or self._around["embedding_table"].name].T

    def unembed(self, top: Tensor) -> Tensor:
        """Return the logit of each piece of the vocabulary: (token, d_model) → (token, word). It
        uses the table, Press and Wolf 2017, or a separate matrix, some rows at a time."""
        return torch.cat(
            [top @ full(columns) for columns in self.unembedding.split(ROWS_AT_ONCE, dim=1)], dim=-1
        )

    def unembed_at_mask(self, top: Tensor) -> Tensor:
        """Return the logits at [MASK], with a bias for each piece: (width,) → (word,)."""
        return self.unembed(top) + self.filling["b_word"]

    def _read(self, one: Stored) -> Tensor:
        """Return a copy of a tensor, by our convention and in float32."""
        return one.ours(self._tensors[one.name]).clone().float()
