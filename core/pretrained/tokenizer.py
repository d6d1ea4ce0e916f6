"""A model's own tokenizer: split a sentence into the model's pieces, shown as readable text.

BERT's pieces are shown as in its vocabulary: `[CLS]`, `un`, `##able`. GPT-2's encode bytes, a
letter for each byte, and are shown as text: ` cat` begins with its space, and part of a letter is
shown by its bytes, `<E6>`. A vocabulary with `▁` for a space, as in the first Llama, is shown with
spaces too.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .checkpoint import Unreadable, library, read_json, refuse_pointer
from .folders import name_of

FILE, SAID, SPACE = "tokenizer.json", "tokenizer_config.json", "▁"
MASKS = ("[MASK]", "<mask>")


@dataclass(frozen=True)
class Kind:
    """A class of tokenizers in the library: the files of its vocabulary, its special pieces, two of
    which it may put around a sentence, and the pattern of its words, if not GPT-2's."""

    files: tuple[str, ...]
    special: Mapping[str, str]
    around: tuple[str, ...] = ("cls_token", "sep_token")
    pattern: str = ""


NAMES = ("unk_token", "cls_token", "sep_token", "mask_token", "pad_token")
OF_WORDS, OF_BYTES = ("vocab.txt",), ("vocab.json", "merges.txt")
BERT = Kind(OF_WORDS, dict(zip(NAMES, ("[UNK]", "[CLS]", "[SEP]", "[MASK]", "[PAD]"), strict=True)))
ROBERTA = Kind(OF_BYTES, dict(zip(NAMES, ("<unk>", "<s>", "</s>", "<mask>", "<pad>"), strict=True)))
END = dict.fromkeys(("unk_token", "bos_token", "eos_token"), "<|endoftext|>")
QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
KINDS = {
    "BertTokenizer": BERT,
    "DistilBertTokenizer": BERT,
    "ElectraTokenizer": BERT,
    "MPNetTokenizer": Kind(OF_WORDS, {**ROBERTA.special, "unk_token": "[UNK]"}),
    "RobertaTokenizer": ROBERTA,
    "GPT2Tokenizer": Kind(OF_BYTES, END, ()),
    "Qwen2Tokenizer": Kind(OF_BYTES, END, (), QWEN),
}


def _letters() -> dict[int, str]:
    """Return GPT-2's letter for each byte: the byte's own if printable, else one from 256 on."""
    printed = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = [byte for byte in range(256) if byte not in printed]
    return {byte: chr(byte) for byte in printed} | {
        byte: chr(256 + place) for place, byte in enumerate(others)
    }


LETTERS = _letters()
BYTES = {letter: byte for byte, letter in LETTERS.items()}


def _load(folder: Path, words: int, usual: str) -> Any:
    """Load a folder's tokenizer from `tokenizer.json` or its class's vocabulary, with what
    tokenizer_config.json says. `usual` is the class that counts if nothing says another."""
    said = read_json(folder / SAID) if (folder / SAID).is_file() else {}
    kind = KINDS.get(str(said.get("tokenizer_class") or usual).removesuffix("Fast"))
    files = kind.files if kind else ()
    if (folder / FILE).is_file():
        own = _load_tokenizer_json(folder, words)
    elif kind and all((folder / file).is_file() for file in files):
        own = _load_vocabulary(folder, kind, said)
    else:
        instead = f" and no {' with '.join(files)}" if files else ""
        raise Unreadable(f"There is no {FILE}{instead} in {name_of(folder)}.")
    if kind and type(own.model).__name__ == ("WordPiece" if files == OF_WORDS else "BPE"):
        _apply_config(own, kind, said)
    return own


def _load_tokenizer_json(folder: Path, words: int) -> Any:
    """Load `tokenizer.json`. Added pieces without a row in the model are dropped, and their text is
    split as usual."""
    refuse_pointer(folder / FILE)
    tokenizer = library("tokenizers").Tokenizer.from_file(str(folder / FILE))
    if len(tokenizer.get_vocab(with_added_tokens=True)) <= words:
        return tokenizer
    said = read_json(folder / FILE)
    return library("tokenizers").Tokenizer.from_str(
        json.dumps(
            said | {"added_tokens": [each for each in said["added_tokens"] if each["id"] < words]}
        )
    )


def _load_vocabulary(folder: Path, kind: Kind, said: Mapping[str, Any]) -> Any:
    """Load BERT's vocabulary, one piece a line, or GPT-2's, pieces with ids and the pairs that are
    put together."""
    tokenizers = library("tokenizers")
    for name in kind.files:
        refuse_pointer(folder / name)
    files = [str(folder / name) for name in kind.files]
    if kind.files == OF_WORDS:
        unknown = _content(_name_special(kind, said)["unk_token"])
        return tokenizers.Tokenizer(
            tokenizers.models.WordPiece.from_file(*files, unk_token=unknown)
        )
    own = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(*files))
    own.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel()
    own.decoder = tokenizers.decoders.ByteLevel()
    return own


def _apply_config(own: Any, kind: Kind, said: Mapping[str, Any]) -> None:
    """Apply what tokenizer_config.json says, or the class's default, also against tokenizer.json:
    the library does."""
    tokenizers = library("tokenizers")
    if kind.files == OF_WORDS:
        own.normalizer = tokenizers.normalizers.BertNormalizer(
            lowercase=said.get("do_lower_case", True),
            strip_accents=said.get("strip_accents"),
            handle_chinese_chars=said.get("tokenize_chinese_chars", True),
        )
        own.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    elif "ByteLevel" in repr(own.pre_tokenizer):
        own.pre_tokenizer = _split_words(kind.pattern, bool(said.get("add_prefix_space")))
        own.normalizer = tokenizers.normalizers.NFC() if kind.pattern else own.normalizer
    named = _name_special(kind, said)
    own.add_special_tokens(
        [
            _added(each)
            for each in (*named.values(), *said.get("added_tokens_decoder", {}).values())
            if own.token_to_id(_content(each)) is not None
        ]
    )
    if own.post_processor is None:
        first, last = kind.around or (
            "bos_token" * bool(said.get("add_bos_token")),
            "eos_token" * bool(said.get("add_eos_token")),
        )
        _put_around(own, _content(named.get(first, "")), _content(named.get(last, "")))


def _split_words(pattern: str, prefix: bool) -> Any:
    """Return what splits a text into words and encodes their bytes, perhaps with a space first."""
    split, regex = library("tokenizers").pre_tokenizers, library("tokenizers").Regex
    if not pattern:
        return split.ByteLevel(add_prefix_space=prefix)
    return split.Sequence(
        [
            split.Split(regex(pattern), "isolated"),
            split.ByteLevel(add_prefix_space=prefix, use_regex=False),
        ]
    )


def _put_around(own: Any, first: str, last: str) -> None:
    """Put these pieces around each sentence, as far as the vocabulary has them."""
    first, last = (piece if own.token_to_id(piece) is not None else "" for piece in (first, last))
    own.post_processor = library("tokenizers").processors.TemplateProcessing(
        single=f"{first} $A {last}".split(),
        special_tokens=[(piece, own.token_to_id(piece)) for piece in {first, last} if piece],
    )


def _name_special(kind: Kind, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the class's special pieces, as tokenizer_config.json names them."""
    return {name: said.get(name) or usual for name, usual in kind.special.items()}


def _content(piece: Any) -> str:
    return str(piece["content"] if isinstance(piece, Mapping) else piece)


def _added(piece: Any) -> Any:
    """Return a special piece as the library has it: with or without the space beside it."""
    given = piece if isinstance(piece, Mapping) else {}
    options = {name: given[name] for name in ("lstrip", "rstrip", "normalized") if name in given}
    return library("tokenizers").AddedToken(_content(piece), special=True, **options)


class Tokenizer:
    """Splits sentences into pieces, and maps pieces to ids.

    Raises:
        Unreadable: there is no tokenizer in the folder, or a piece has no row. Rows without a piece
        are ignored.
    """

    def __init__(self, folder: Path, words: int, usual: str = "") -> None:
        where = f"The tokenizer in {name_of(folder)}"
        try:
            self._own = _load(folder, words, usual)
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
        self._has_spaces = SPACE in f"{self._own.decoder!r}{self._own.pre_tokenizer!r}"
        alone, marked = (
            self._own.encode("a", add_special_tokens=special).ids for special in (False, True)
        )
        before = marked.index(alone[0]) if alone else 0
        self.around = (
            before,
            len(marked) - len(alone) - before,
        )  # the number of special tokens before and after

    def pieces(self, text: str) -> tuple[str, ...]:
        """Split a sentence into pieces, including the model's special pieces."""
        return self.named(self._own.encode(text).ids)

    def truncate(self, text: str, most: int) -> str:
        """Return the longest beginning of a sentence, in words, with at most this many pieces; of a
        single longer word, its first letters."""
        while text and len(self.pieces(text)) > most:
            text = text.rpartition(" ")[0] or text[:-1]
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
        added, places = self._own.get_added_tokens_decoder(), dict[str, int]()
        for place in range(self._words):
            piece, row = self._own.id_to_token(place), f"[row {place}]"
            name = row if piece is None else piece if place in added else self._shown(piece)
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
