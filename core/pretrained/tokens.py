"""A model's own tokenizer: a sentence is cut into the pieces that the model knows, and each is shown as what it is.

BERT's pieces stand as they do in its vocabulary: `[CLS]`, `un`, `##able`. GPT-2's hold the bytes of a text, a letter for each
byte, and are shown as that text: ` cat` begins with its space. So it does where a vocabulary writes `▁` for a space, as Llama's first.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from .tensors import Unreadable, library

FILE, SPACE = "tokenizer.json", "▁"


def _letters() -> dict[int, str]:
    """Return the letter that GPT-2's vocabulary has for each byte: the byte's own where it can be printed, or else one from 256 on."""
    printed = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = [byte for byte in range(256) if byte not in printed]
    return {byte: chr(byte) for byte in printed} | {byte: chr(256 + place) for place, byte in enumerate(others)}


LETTERS = _letters()
BYTES = {letter: byte for byte, letter in LETTERS.items()}


class Tokenizer:
    """Cuts sentences; finds the ids of pieces.

    Raises:
        Unreadable: there is no tokenizer in the folder, or not as many pieces as the model has rows.
    """

    def __init__(self, folder: Path, words: int) -> None:
        tokenizers = library("tokenizers")
        if not (folder / FILE).is_file():
            raise Unreadable(f"There is no {FILE} in {folder.name}.")
        try:
            self._own = tokenizers.Tokenizer.from_file(str(folder / FILE))
        except Exception as error:  # the library has no class for it
            raise Unreadable(f"{FILE} in {folder.name} cannot be read: {error}.") from None
        if (size := self._own.get_vocab_size()) != words:
            raise Unreadable(f"{FILE} in {folder.name} knows {size:,} pieces, and the model has rows for {words:,}.")
        self._own.no_padding()
        self._own.no_truncation()
        self._is_of_bytes = "ByteLevel" in repr(self._own.decoder)
        alone, marked = (self._own.encode("a", add_special_tokens=special).tokens for special in (False, True))
        before = marked.index(alone[0]) if alone else 0
        self.around = before, len(marked) - len(alone) - before  # how many tokens it puts before and after a sentence

    def pieces(self, text: str) -> tuple[str, ...]:
        """Return a sentence, cut up, with what the model puts around it."""
        return tuple(map(self._shown, self._own.encode(text).tokens))

    def beginning(self, text: str, most: int) -> str:
        """Return as many of a sentence's first words as make no more than so many pieces; of a longer word, its first letters."""
        while text and len(self.pieces(text)) > most:
            text = text.rpartition(" ")[0] or text[:-1]
        return text

    def ids(self, pieces: Sequence[str]) -> Tensor:
        """Return the model's own number of each piece: (token,), int64. Each must be one that the model knows."""
        return torch.tensor([self._ids(piece)[0] for piece in pieces], dtype=torch.int64)

    def named(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the pieces that have these numbers, as they are shown."""
        return tuple(self._shown(self._own.id_to_token(place)) for place in ids)

    @cached_property
    def every(self) -> tuple[str, ...]:
        """All pieces that the model knows, by their number, as they are shown."""
        return self.named(range(self._own.get_vocab_size()))

    def knows(self, piece: str) -> bool:
        """Return whether the model has such a piece."""
        return bool(self._ids(piece))

    def _ids(self, piece: str) -> list[int]:
        names = (stored(piece) if self._is_of_bytes else piece.replace(" ", SPACE), piece)
        return [place for name in names if (place := self._own.token_to_id(name)) is not None]

    def _shown(self, piece: str) -> str:
        return shown(piece) if self._is_of_bytes else piece.replace(SPACE, " ")


def shown(piece: str) -> str:
    """Return GPT-2's piece as text; as it is stored where its bytes are only part of a letter, or it is no text at all.

    >>> shown("Ġcat"), shown("cafÃ©"), shown("<|endoftext|>"), shown("ðŁ")
    (' cat', 'café', '<|endoftext|>', 'ðŁ')
    """
    try:
        return bytes(BYTES[letter] for letter in piece).decode()
    except (KeyError, UnicodeDecodeError):
        return piece


def stored(text: str) -> str:
    """Return the way back: a letter for each byte.

    >>> stored(" cat"), stored("café")
    ('Ġcat', 'cafÃ©')
    """
    return "".join(LETTERS[byte] for byte in text.encode())
