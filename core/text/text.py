"""From a sentence to tokens, to a vocabulary, to ids.

A *grapheme* is what users see as one character: a letter with its accents, an emoji with its skin
tone, a flag. All cuts are between graphemes, so that no token contains half a letter.

Pages process the same sentence several times, so the last 256 sentences of at most 400 characters
are cached.
"""

import unicodedata
from functools import lru_cache

import torch
from torch import Tensor

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
ZERO_WIDTH_JOINER = "\u200d"
VISIBLE_SPACE, VISIBLE_SPACES = "␣", {"\n": "↵", "\t": "⇥"}
# Punctuation allowed inside a word, including Hebrew's and Catalan's.
INSIDE = frozenset("'’‘＇׳״-‐‑־.·_")


def words(text: str) -> tuple[str, ...]:
    """Split at white space and punctuation, which is dropped; punctuation inside a word is kept.

    That is a single apostrophe, hyphen, point or underscore with a letter, a digit or a symbol on
    either side, and a comma between two digits. Capitals stay; symbols such as + and € are not
    punctuation.

    >>> words("Life is short, eat dessert first")
    ('Life', 'is', 'short', 'eat', 'dessert', 'first')
    >>> words("It's well-known: 3.14/pi")
    ("It's", 'well-known', '3.14', 'pi')
    """
    return tuple(word for chunk in text.split() for word in cut_at_punctuation(chunk))


remembered_words = lru_cache(maxsize=256)(words)


def vocabulary(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return each different token once, sorted by code point: capitals before small letters.

    >>> vocabulary(("the", "cat", "the", "Dog"))
    ('Dog', 'cat', 'the')
    """
    return tuple(sorted(set(tokens)))


def token_ids(tokens: tuple[str, ...], vocabulary: tuple[str, ...]) -> Tensor:
    """Return each token's index in the vocabulary: (token,), int64, from 0.

    >>> token_ids(("the", "cat", "the"), ("cat", "the")).tolist()
    [1, 0, 1]
    """
    place = {word: index for index, word in enumerate(vocabulary)}
    return torch.tensor([place[token] for token in tokens], dtype=torch.int64)


@lru_cache(maxsize=64)
def labels(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return a unique label for each token, with its position if the word repeats.

    >>> labels(("the", "cat", "the"))
    ('the₁', 'cat', 'the₃')
    """
    short = [shorten(token) for token in tokens]
    named = [
        label + (str(position).translate(SUBSCRIPTS) if short.count(label) > 1 else "")
        for position, label in enumerate(short, start=1)
    ]
    # A user may type `the₂` beside two plain `the`: then the position is spelled out.
    return tuple(
        f"{label} ({position})" if named.count(label) > 1 else label
        for position, label in enumerate(named, start=1)
    )


def shorten(token: str, longest: int = 14) -> str:
    """Return a token as an axis label: spaces and line breaks made visible, long tokens cut between
    graphemes.

    >>> shorten("honorificabilitudinitatibus"), shorten("\\n a")
    ('honorificabil…', '↵␣a')
    """
    pieces = [_picture(grapheme) for grapheme in graphemes(token)]
    return "".join(pieces if len(pieces) <= longest else [*pieces[: longest - 1], "…"])


def _picture(grapheme: str) -> str:
    if grapheme.isspace():
        return VISIBLE_SPACES.get(grapheme, VISIBLE_SPACE)
    if all(unicodedata.category(character) == "Cf" for character in grapheme):
        return f"U+{ord(grapheme[0]):04X}"
    return grapheme[:12]  # a letter with hundreds of accents would cover the page


def isolate(word: str) -> str:
    """Return a user's word for use in our text; right-to-left words get invisible marks, which keep
    them from reversing the text beside them. board/web/text.js does the same.

    >>> isolate("cat"), isolate("קלב") == "\u2068קלב\u2069"
    ('cat', True)
    """
    if word.isascii():
        return word
    is_right_to_left = any(
        unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in word
    )
    return f"\u2068{word}\u2069" if is_right_to_left else word


def quote(word: str) -> str:
    """Return a user's word in quotation marks.

    >>> quote("cat")
    '“cat”'
    """
    return f"“{isolate(word)}”"


# The symbols of a tensor's cells in formulas, if they differ from its name in the code.
SYMBOLS = {
    "embedding_table": "E",
    "embedded": "E[ids]",
    "positions": "P",
    "w_q": "W_q",
    "w_k": "W_k",
    "w_v": "W_v",
    "w_o": "W_o",
    "w_c": "W_c",
    "k_t": "Kᵀ",
    "scores": "ω",
    "scaled": "ω′",
    "alibi": "B",
    "distances": "D",
    "relative": "B_r",
    "biased": "ω⁺",
    "masked": "ω″",
    "weights": "α",
    "dropped": "α",
    "context": "z",
    "angles": "θ",
    "q_normed": "q_n",
    "k_normed": "k_n",
    "q_rotated": "q_r",
    "k_rotated": "k_r",
    "gain_q": "γ_q",
    "gain_k": "γ_k",
    "memory_ids": "ids_M",
    "memory_embedded": "E[ids_M]",
    "memory_positions": "P_M",
    "memory_x": "M",
    "memory_angles": "θ_M",
    "output": "y",
    "pooled": "mean",
    "token_logits": "logits",
    "log_probabilities": "log p",
    "probabilities": "p",
}


def cell(tensor: str, *places: str | int) -> str:
    """Return a cell's name: the tensor's symbol and its indices, as words or numbers.

    >>> cell("scores", "the", "cat"), cell("q", "the", 3)
    ('ω[the, cat]', 'q[the, 3]')
    """
    return f"{SYMBOLS.get(tensor, tensor)}[{', '.join(isolate(str(place)) for place in places)}]"


@lru_cache(maxsize=256)
def clean(text: str) -> str:
    """Return the text without unprintable characters: control characters, lone surrogates,
    direction overrides."""
    return "".join(" " if c.isspace() else c for c in text if c.isspace() or not is_unshowable(c))


def clean_lines(text: str) -> str:
    """Return the text without unprintable characters, but with its line breaks, tabs and spaces as
    they are; each line break is a single one.

    >>> clean_lines("a\\r\\n\\tb\\x00")
    'a\\n\\tb'
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in lines if c in "\n\t" or not is_unshowable(c))


def is_unshowable(character: str) -> bool:
    """Return whether this code point is unprintable and would affect the text around it."""
    direction = "\u202a" <= character <= "\u202e" or "\u2066" <= character <= "\u2069"
    return direction or unicodedata.category(character) in ("Cc", "Cs")


def cut(text: str, most: int) -> str:
    """Return the longest beginning of a text of at most this many characters, cut between
    graphemes."""
    if len(text) <= most:
        return text
    kept, length = [], 0
    for grapheme in graphemes(text):
        length += len(grapheme)
        if length > most:
            break
        kept.append(grapheme)
    # A single grapheme beyond the limit has hundreds of accents: cut those.
    return "".join(kept) or text[:most]


def fit(text: str, most_characters: int, most_words: int) -> str:
    """Return the longest beginning of a text within both limits, cut between graphemes and
    words."""
    text = cut(text, most_characters)
    if len(remembered_words(text)) <= most_words:
        return text
    chunks: list[str] = []
    count = 0
    for chunk in text.split():
        more = words(chunk)
        if count + len(more) > most_words:
            chunks += more[: most_words - count]
            break
        count += len(more)
        chunks.append(chunk)
    return " ".join(chunks)


def graphemes(text: str) -> list[str]:
    """Split a text into graphemes (after Unicode's UAX #29, extended clusters).

    >>> graphemes("e\\u0301a") == ["e\\u0301", "a"]
    True
    """
    clusters: list[str] = []
    for character in text:
        if clusters and _continues(clusters[-1], character):
            clusters[-1] += character
        else:
            clusters.append(character)
    return clusters


def _continues(cluster: str, character: str) -> bool:
    if unicodedata.category(cluster[-1]) in (
        "Cc",
        "Zl",
        "Zp",
    ):  # a space can have an accent, a line break cannot
        return False
    if unicodedata.category(character) in ("Mn", "Mc", "Me") or character in (
        ZERO_WIDTH_JOINER,
        "\u200c",
    ):
        return True
    if "\U0001f3fb" <= character <= "\U0001f3ff" or "\U000e0020" <= character <= "\U000e007f":
        return True  # skin tones, and the tags in a region's flag
    if cluster[-1] == ZERO_WIDTH_JOINER:
        return unicodedata.category(character) == "So"
    if _is_flag_letter(character):
        return len(cluster) == 1 and _is_flag_letter(cluster)
    return _joins_hangul(cluster[-1], character)


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _joins_hangul(before: str, after: str) -> bool:
    """Return whether these are consecutive parts of a Korean syllable written as separate
    characters."""
    if "\u1100" <= before <= "\u115f":
        return "\u1100" <= after <= "\u11a7" or "\uac00" <= after <= "\ud7a3"
    if "\u1160" <= before <= "\u11a7" or "\uac00" <= before <= "\ud7a3":
        return "\u1160" <= after <= "\u11ff"
    return "\u11a8" <= before <= "\u11ff" and "\u11a8" <= after <= "\u11ff"


def cut_at_punctuation(chunk: str) -> list[str]:
    """Return the words in a text without white space; punctuation is dropped unless it is inside a
    word.

    >>> cut_at_punctuation("short,eat")
    ['short', 'eat']
    """
    pieces = [g for g in graphemes(chunk) if not _is_invisible(g)]
    words = [""]
    for place, piece in enumerate(pieces):
        if not _is_punctuation(piece) or _is_inside(pieces, place):
            words[-1] += piece
        elif words[-1]:
            words.append("")
    return [word for word in words if word]


def _is_inside(pieces: list[str], place: int) -> bool:
    """Return whether this punctuation is inside a word, between two word characters."""
    if not 0 < place < len(pieces) - 1:
        return False
    before, after = pieces[place - 1], pieces[place + 1]
    if pieces[place] == ",":
        return before.isdecimal() and after.isdecimal()
    return pieces[place] in INSIDE and not (_is_punctuation(before) or _is_punctuation(after))


def _is_punctuation(grapheme: str) -> bool:
    """Return whether it consists of punctuation; `#️⃣` is an emoji."""
    return all(
        unicodedata.category(character)[0] == "P"
        for character in grapheme
        if not _is_format(character)
    )


def _is_invisible(grapheme: str) -> bool:
    """Return whether it is invisible, such as a soft hyphen."""
    return all(_is_format(character) for character in grapheme)


def _is_format(character: str) -> bool:
    return unicodedata.category(character) == "Cf"
