"""A model's own tokenizer: split a sentence into the model's pieces, shown as readable text.

BERT's pieces are shown as in its vocabulary: `[CLS]`, `un`, `##able`. GPT-2's encode bytes, a
letter for each byte, and are shown as text: ` cat` begins with its space, and part of a letter is
shown by its bytes, `<E6>`. A vocabulary with `▁` for a space, as in the first Llama, is shown with
spaces too.
"""

import json
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .folders import name_of
from .tensors import Unreadable, library, read_json, refuse_pointer

FILE, SAID, SPACE = "tokenizer.json", "tokenizer_config.json", "▁"
MASKS = ("[MASK]", "<mask>")
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>")


def _letters() -> dict[int, str]:
    """Return GPT-2's letter for each byte: the byte's own if printable, else one from 256 on."""
    printed = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = [byte for byte in range(256) if byte not in printed]
    return {byte: chr(byte) for byte in printed} | {
        byte: chr(256 + place) for place, byte in enumerate(others)
    }


LETTERS = _letters()
BYTES = {letter: byte for byte, letter in LETTERS.items()}


def _load_tokenizer_json(folder: Path, words: int) -> Any:
    """Load `tokenizer.json`. Added pieces without a row in the model are dropped, and their text is
    split as usual."""
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
    """Load BERT's tokenizer from its vocabulary, one piece a line."""
    said = read_json(folder / SAID) if (folder / SAID).is_file() else {}
    made = library("tokenizers").BertWordPieceTokenizer(
        str(folder / "vocab.txt"),
        lowercase=said.get("do_lower_case", True),
        strip_accents=said.get("strip_accents"),
    )
    return library("tokenizers").Tokenizer.from_str(made.to_str())


def _load_vocab_and_merges(folder: Path, _: int) -> Any:
    """Load GPT-2's byte-level tokenizer, or RoBERTa's, which puts `<s>` and `</s>` around a
    sentence."""
    tokenizers = library("tokenizers")
    made = tokenizers.ByteLevelBPETokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
    special = [piece for piece in SPECIAL if made.token_to_id(piece) is not None]
    made.add_special_tokens(special)
    if {"<s>", "</s>"} <= {*special}:
        first, last = ((piece, made.token_to_id(piece)) for piece in ("<s>", "</s>"))
        made.post_processor = tokenizers.processors.RobertaProcessing(last, first)
    return library("tokenizers").Tokenizer.from_str(made.to_str())


# The files of a tokenizer and how to load them; the first match is used.
MADE_OF: dict[tuple[str, ...], Callable[[Path, int], Any]] = {
    (FILE,): _load_tokenizer_json,
    ("vocab.txt",): _load_vocab_txt,
    ("vocab.json", "merges.txt"): _load_vocab_and_merges,
}


class Tokenizer:
    """Splits sentences into pieces, and maps pieces to ids.

    Raises:
        Unreadable: there is no tokenizer in the folder, or a piece has no row. Rows without a piece
        are ignored.
    """

    def __init__(self, folder: Path, words: int) -> None:
        file = next(
            (file for file in MADE_OF if all((folder / name).is_file() for name in file)), None
        )
        if file is None:
            raise Unreadable(
                f"There is no {', no '.join(' with '.join(file) for file in MADE_OF)} in"
                f" {name_of(folder)}."
            )
        where = f"{' with '.join(file)} in {name_of(folder)}"
        for name in file:
            refuse_pointer(folder / name)
        try:
            self._own = MADE_OF[file](folder, words)
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
        alone, marked = (
            self._own.encode("a", add_special_tokens=special).tokens for special in (False, True)
        )
        before = marked.index(alone[0]) if alone else 0
        self.around = (
            before,
            len(marked) - len(alone) - before,
        )  # the number of special tokens before and after

    def pieces(self, text: str) -> tuple[str, ...]:
        """Split a sentence into pieces, including the model's special pieces."""
        return tuple(map(self._shown, self._own.encode(text).tokens))

    def truncate(self, text: str, most: int) -> str:
        """Return the longest beginning of a sentence, in words, with at most this many pieces; of a
        single longer word, its first letters."""
        while text and len(self.pieces(text)) > most:
            text = text.rpartition(" ")[0] or text[:-1]
        return text

    def ids(self, pieces: Sequence[str]) -> Tensor:
        """Return the model's id of each piece: (token,), int64. All must be known."""
        return torch.tensor([self._ids(piece)[0] for piece in pieces], dtype=torch.int64)

    def named(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the pieces with these ids, as shown."""
        pieces = [self._own.id_to_token(place) for place in ids]
        return tuple(
            f"[row {place}]" if piece is None else self._shown(piece)
            for place, piece in zip(ids, pieces, strict=True)
        )

    @cached_property
    def every(self) -> tuple[str, ...]:
        """All pieces by id, as shown; rows without a piece are shown by their number."""
        return self.named(range(self._words))

    @cached_property
    def mask(self) -> str:
        """The mask token; "" if the model has none."""
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


def to_bytes_text(text: str) -> str:
    """Return GPT-2's letter for each byte, the inverse of `shown`.

    >>> to_bytes_text(" cat"), to_bytes_text("café"), to_bytes_text("<F0><9F>")
    ('Ġcat', 'cafÃ©', 'ðŁ')
    """
    given = (
        bytes.fromhex(re.sub("[<>]", "", text))
        if re.fullmatch(r"(<[\dA-F]{2}>)+", text)
        else text.encode()
    )
    return "".join(LETTERS[byte] for byte in given)
