"""A model's own tokenizer: split a sentence into the model's pieces, shown as readable text.

BERT's pieces are shown as in its vocabulary: `[CLS]`, `un`, `##able`. GPT-2's encode bytes, a
letter for each byte, and are shown as text: ` cat` begins with its space, and part of a letter is
shown by its bytes, `<E6>`. A vocabulary with `▁` for a space, as in the first Llama, is shown with
spaces too.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import torch
from torch import Tensor

from ..text.text import clean_lines
from .checkpoint import Unreadable
from .folders import name_of
from .tokenizer_files import load

SPACE, MASKS = "▁", ("[MASK]", "<mask>")


# GPT-2's letter for each byte: the byte's own if it is printed, or else one from 256 on.
PRINTED = (*range(33, 127), *range(161, 173), *range(174, 256))
BYTES = {chr(byte): byte for byte in PRINTED}
BYTES |= {chr(256 + k): byte for k, byte in enumerate(sorted({*range(256)} - {*PRINTED}))}


class Tokenizer:
    """Splits sentences into pieces, and maps pieces to ids.

    Raises:
        Unreadable: there is no tokenizer in the folder, or a piece has no row. Rows without a piece
        are ignored.
    """

    def __init__(self, folder: Path, words: int, usual: str = "", always: bool = False) -> None:
        where = f"The tokenizer in {name_of(folder)}"
        try:
            self._own = load(folder, words, usual, always)
        except Unreadable:
            raise
        except Exception as error:  # the library has no common class for its errors
            raise Unreadable(f"{where} cannot be read: {str(error).rstrip('.')}.") from None
        self._words = words
        if (size := max(self._own.get_vocab().values(), default=-1) + 1) > words:
            raise Unreadable(
                f"{where} knows {size:,} pieces, and the model has rows for {words:,}."
            )
        self._own.no_padding()
        self._own.no_truncation()
        self._is_of_bytes = "ByteLevel" in repr(self._own.decoder)
        self._added = self._own.get_added_tokens_decoder()
        self._has_spaces = SPACE in f"{self._own.decoder!r}{self._own.pre_tokenizer!r}"
        self._has_word_pieces = type(self._own.model).__name__ == "WordPiece"
        alone, marked = self.encode("a"), self._own.encode("a").ids
        at = marked.index(alone[0]) if alone else 0
        # the ids of the special pieces before and after each sentence
        self.before, self.after = marked[:at], marked[at + len(alone) :]

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the ids of a sentence's pieces, without the model's special pieces around it."""
        return tuple(self._own.encode(text, add_special_tokens=False).ids)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text that these ids spell, for the screen: part of a letter is �, and control
        characters are left out, so `encode` may return other ids."""
        return clean_lines(self._own.decode(list(ids), skip_special_tokens=False))

    def add_special(self, ids: Sequence[int]) -> tuple[int, ...]:
        """Return the ids with those of the model's special pieces around them."""
        return (*self.before, *ids, *self.after)

    def pieces(self, text: str) -> tuple[str, ...]:
        """Split a sentence into pieces, including the model's special pieces."""
        return self.named(self.add_special(self.encode(text)))

    def find_special(self, ids: Sequence[int]) -> list[int]:
        """Return the places of special pieces such as [CLS] and <s> among these ids, from 0; a mask
        token stands for a word and is none."""
        return [
            place
            for place, each in enumerate(ids)
            if each in self._added and self._added[each].special and self.every[each] != self.mask
        ]

    def group_words(self, ids: Sequence[int]) -> list[range]:
        """Return the places of each word's pieces, from 0: a word begins after white space, and
        punctuation and special pieces are words of their own."""
        special, names = self.find_special(ids), self.named(ids)
        starts = [
            place
            for place in range(len(ids))
            if place == 0
            or {place - 1, place} & {*special}
            or self._begins_word(names[place], names[place - 1])
        ]
        return [range(*each) for each in pairwise([*starts, len(ids)])]

    def _begins_word(self, piece: str, before: str) -> bool:
        if self._has_word_pieces:
            return not piece.startswith("##")
        ends = piece[:1].isspace() or before[-1:].isspace()
        return ends or not (any(map(str.isalnum, piece)) and any(map(str.isalnum, before)))

    def truncate(self, text: str, most: int) -> str:
        """Return the longest beginning of a sentence, in words, with at most this many pieces, not
        counting special ones; of a single longer word, its first letters."""
        while len(places := self._own.encode(text, add_special_tokens=False).offsets) > most:
            start = places[most][0]  # of the first piece too many
            whole_words = re.match(r"(?s)(.*\S)\s", text[: start + 1])
            text = whole_words[1] if whole_words else text[:start]
        return text

    def ids(self, pieces: Sequence[str]) -> Tensor:
        """Return the model's id of each piece: (token,), int64. All must be known."""
        return torch.tensor([self._places[piece] for piece in pieces], dtype=torch.int64)

    def named(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the pieces with these ids, as shown."""
        return tuple(self.every[place] for place in ids)

    @cached_property
    def every(self) -> tuple[str, ...]:
        """All pieces by id, as shown; rows without a piece are shown by their number."""
        return tuple(self._places)

    @cached_property
    def _places(self) -> dict[str, int]:
        """Each piece's id. One that would be shown as another has its number behind it, so that
        each leads back to its own id."""
        places = dict[str, int]()
        for place in range(self._words):
            piece, row = self._own.id_to_token(place), f"[row {place}]"
            name = row if piece is None else piece if place in self._added else self._shown(piece)
            while name in places:
                name = f"{name} {row}"
            places[name] = place
        return places

    @cached_property
    def mask(self) -> str:
        """The mask token; "" if the model has none."""
        return next((piece for piece in MASKS if self.knows(piece)), "")

    def knows(self, piece: str) -> bool:
        """Return whether the model has such a piece."""
        return piece in self._places

    def _shown(self, piece: str) -> str:
        if self._is_of_bytes:
            return shown(piece)
        return piece.replace(SPACE, " ") if self._has_spaces else piece


def shown(piece: str) -> str:
    """Return GPT-2's piece as text; as bytes if it is part of a letter, and unchanged if it is not
    text.

    >>> shown("Ġcat"), shown("cafÃ©"), shown("<|endoftext|>"), shown("ðŁ")
    (' cat', 'café', '<|endoftext|>', '<F0><9F>')
    """
    try:
        given = bytes(BYTES[letter] for letter in piece)
    except KeyError:
        return piece
    try:
        return given.decode()
    except UnicodeDecodeError:
        return "".join(f"<{byte:02X}>" for byte in given)
