"""A model's own tokenizer: a sentence is cut into the pieces that the model knows, and each is
shown as what it is.

BERT's pieces stand as they do in its vocabulary: `[CLS]`, `un`, `##able`. GPT-2's hold the bytes of
a text, a letter for each byte, and are shown as that text: ` cat` begins with its space, and part
of a letter is told by its bytes, `<E6>`. A vocabulary that writes `▁` for a space, as Llama's
first, is shown with spaces too.
"""

import json
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .tensors import Unreadable, library, read_json, refuse_pointer

FILE, SAID, SPACE = "tokenizer.json", "tokenizer_config.json", "▁"
MASKS = ("[MASK]", "<mask>")
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>")


def _letters() -> dict[int, str]:
    """Return the letter that GPT-2's vocabulary has for each byte: the byte's own where it can be
    printed, or else one from 256 on."""
    printed = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = [byte for byte in range(256) if byte not in printed]
    return {byte: chr(byte) for byte in printed} | {
        byte: chr(256 + place) for place, byte in enumerate(others)
    }


LETTERS = _letters()
BYTES = {letter: byte for byte, letter in LETTERS.items()}


def _load_tokenizer_json(folder: Path, words: int) -> Any:
    """Return the tokenizer of `tokenizer.json`. Pieces that somebody added and that no row of the
    model stands for are left out: the same letters are then cut like any others."""
    tokenizer = library("tokenizers").Tokenizer.from_file(str(folder / FILE))
    if len(tokenizer.get_vocab(with_added_tokens=True)) <= words:
        return tokenizer
    said = read_json(folder / FILE)
    return library("tokenizers").Tokenizer.from_str(
        json.dumps(
            said | {"added_tokens": [each for each in said["added_tokens"] if each["id"] < words]}
        )
    )


def _load_vocab_txt(folder: Path, _: int) -> Any:
    """Return BERT's tokenizer of its vocabulary, a piece a line."""
    said = read_json(folder / SAID) if (folder / SAID).is_file() else {}
    made = library("tokenizers").BertWordPieceTokenizer(
        str(folder / "vocab.txt"),
        lowercase=said.get("do_lower_case", True),
        strip_accents=said.get("strip_accents"),
    )
    return library("tokenizers").Tokenizer.from_str(made.to_str())


def _load_vocab_and_merges(folder: Path, _: int) -> Any:
    """Return the tokenizer of bytes that GPT-2 has, and with `<s>` and `</s>` around a sentence
    RoBERTa's."""
    tokenizers = library("tokenizers")
    made = tokenizers.ByteLevelBPETokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
    special = [piece for piece in SPECIAL if made.token_to_id(piece) is not None]
    made.add_special_tokens(special)
    if {"<s>", "</s>"} <= {*special}:
        first, last = ((piece, made.token_to_id(piece)) for piece in ("<s>", "</s>"))
        made.post_processor = tokenizers.processors.RobertaProcessing(last, first)
    return library("tokenizers").Tokenizer.from_str(made.to_str())


# What a tokenizer is made of, the first that a folder has, and how.
MADE_OF: dict[tuple[str, ...], Callable[[Path, int], Any]] = {
    (FILE,): _load_tokenizer_json,
    ("vocab.txt",): _load_vocab_txt,
    ("vocab.json", "merges.txt"): _load_vocab_and_merges,
}


class Tokenizer:
    """Cuts sentences; finds the ids of pieces.

    Raises:
        Unreadable: there is no tokenizer in the folder, or a piece has no row. A row without a
        piece is left alone.
    """

    def __init__(self, folder: Path, words: int) -> None:
        file = next(
            (file for file in MADE_OF if all((folder / name).is_file() for name in file)), None
        )
        if file is None:
            raise Unreadable(
                f"There is no {', no '.join(' with '.join(file) for file in MADE_OF)} in"
                f" {folder.name}."
            )
        where = f"{' with '.join(file)} in {folder.name}"
        for name in file:
            refuse_pointer(folder / name)
        try:
            self._own = MADE_OF[file](folder, words)
        except Exception as error:  # the library has no class for it
            raise Unreadable(f"{where} cannot be read: {str(error).rstrip('.')}.") from None
        self._words = words
        if (size := max(self._own.get_vocab().values(), default=-1) + 1) > words:
            raise Unreadable(
                f"{where} knows {size:,} pieces, and the model has rows for {words:,}."
            )
        self._own.no_padding()
        self._own.no_truncation()
        self._is_of_bytes = "ByteLevel" in repr(self._own.decoder)
        alone, marked = (
            self._own.encode("a", add_special_tokens=special).tokens for special in (False, True)
        )
        before = marked.index(alone[0]) if alone else 0
        self.around = (
            before,
            len(marked) - len(alone) - before,
        )  # how many tokens it puts before and after a sentence

    def pieces(self, text: str) -> tuple[str, ...]:
        """Return a sentence, cut up, with what the model puts around it."""
        return tuple(map(self._shown, self._own.encode(text).tokens))

    def truncate(self, text: str, most: int) -> str:
        """Return as many of a sentence's first words as make no more than so many pieces; of a
        longer word, its first letters."""
        while text and len(self.pieces(text)) > most:
            text = text.rpartition(" ")[0] or text[:-1]
        return text

    def ids(self, pieces: Sequence[str]) -> Tensor:
        """Return the model's own number of each piece: (token,), int64. Each must be one that the
        model knows."""
        return torch.tensor([self._ids(piece)[0] for piece in pieces], dtype=torch.int64)

    def named(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the pieces that have these numbers, as they are shown."""
        pieces = [self._own.id_to_token(place) for place in ids]
        return tuple(
            f"[row {place}]" if piece is None else self._shown(piece)
            for place, piece in zip(ids, pieces, strict=True)
        )

    @cached_property
    def every(self) -> tuple[str, ...]:
        """All pieces that the model has a row for, by their number, as they are shown; a row that
        no piece has by its number."""
        return self.named(range(self._words))

    @cached_property
    def mask(self) -> str:
        """The piece that covers a word; "" where the model has none."""
        return next((piece for piece in MASKS if self.knows(piece)), "")

    def knows(self, piece: str) -> bool:
        """Return whether the model has such a piece."""
        return bool(self._ids(piece))

    def _ids(self, piece: str) -> list[int]:
        names = (to_bytes_text(piece) if self._is_of_bytes else piece.replace(" ", SPACE), piece)
        return [place for name in names if (place := self._own.token_to_id(name)) is not None]

    def _shown(self, piece: str) -> str:
        return shown(piece) if self._is_of_bytes else piece.replace(SPACE, " ")


def shown(piece: str) -> str:
    """Return GPT-2's piece as text; its bytes where they are only part of a letter, and as it is
    stored what is no text at all.

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


def to_bytes_text(text: str) -> str:
    """Return the way back: a letter for each byte.

    >>> to_bytes_text(" cat"), to_bytes_text("café"), to_bytes_text("<F0><9F>")
    ('Ġcat', 'cafÃ©', 'ðŁ')
    """
    given = (
        bytes.fromhex(re.sub("[<>]", "", text))
        if re.fullmatch(r"(<[\dA-F]{2}>)+", text)
        else text.encode()
    )
    return "".join(LETTERS[byte] for byte in given)
