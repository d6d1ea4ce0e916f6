"""Sentences become tokens, a vocabulary and ids; nothing a reader would call one character is
cut."""

import unicodedata

import regex
from hypothesis import example, given
from hypothesis import strategies as st

from core.text import text

EMOJI = "👩‍👩‍👧 👍🏽 🇫🇷 🇩🇪 #️⃣ ❤️‍🔥 🏴󠁧󠁢󠁳󠁣󠁴󠁿"


CUT = {
    "Life is short, eat dessert first": ("Life", "is", "short", "eat", "dessert", "first"),
    "don't stop—ever!": ("don't", "stop", "ever"),
    "l’eau, rock'n'roll": ("l’eau", "rock'n'roll"),
    "‘quoted’ 'tis dogs' -a- well-known": ("quoted", "tis", "dogs", "a", "well-known"),
    "and/or wait...what 10,000 one,two": ("and", "or", "wait", "what", "10,000", "one", "two"),
    "e.g. snake_case co\u00adoperate": ("e.g", "snake_case", "cooperate"),
    "צה״ל בית־ספר שלום": ("צה״ל", "בית־ספר", "שלום"),
    "¿Qué pasa?  «cafe\u0301»": ("Qué", "pasa", "cafe\u0301"),
    "日本\u3000語": ("日本", "語"),
    EMOJI: tuple(EMOJI.split()),
    "a\u200bb \ufeff": ("ab",),
    "… --- !!!": (),
    "": (),
}


def test_words():
    """Punctuation cuts and is dropped, but for what stands inside a word; accents and emoji stay
    whole. A vocabulary is sorted, its places are the ids (N4's)."""
    assert {sentence: text.words(sentence) for sentence in CUT} == CUT
    vocabulary = text.vocabulary(tokens := text.words(next(iter(CUT))))
    assert vocabulary == ("Life", "dessert", "eat", "first", "is", "short")
    assert text.token_ids(tokens, vocabulary).tolist() == [0, 4, 5, 2, 1, 3]


MIXED = st.lists(st.sampled_from("aé1'’-.,/_ \u200b!€"), max_size=20).map("".join)


@given(st.text(max_size=40) | MIXED)
def test_nothing_but_punctuation_is_dropped(sentence):
    """Letters, digits and symbols all stay, in their order; no word is empty, begins or ends with
    punctuation."""

    def kinds(given):
        return [unicodedata.category(c) for c in given]

    def lasting(given):
        kept = zip(given, kinds(given), strict=True)
        return [c for c, kind in kept if not (c.isspace() or kind[0] == "P" or kind == "Cf")]

    tokens = text.words(sentence)
    if not any(kind[0] == "M" for kind in kinds(sentence)):
        assert lasting("".join(tokens)) == lasting(sentence)
        assert not any(kind[0] == "P" for token in tokens for kind in kinds(token[0] + token[-1]))
    assert all(tokens)
    assert text.words(" ".join(tokens)) == tokens


ORDINARY = st.characters(categories=("Lu", "Ll", "Lo", "Mn", "Nd", "Po", "Zs"), max_codepoint=0x5FF)
PIECES = st.sampled_from(
    [*EMOJI.split(), "a", "é", "e\u0301", "🇫", "한", "\u1112\u1161\u11ab", "각", "\r", " ", "!"]
)


@given(st.text(ORDINARY, max_size=20) | st.lists(PIECES, max_size=8).map("".join))
@example(" \u0300")
@example("\u2028\u0300\r\u0300")
def test_graphemes_agree_with_unicode(sentence):
    r"""Our cuts are those of `regex`'s \X, which follows Unicode's annex."""
    plain = "".join(
        c for c in sentence if unicodedata.category(c) != "Cf" or c == "\u200d" or ord(c) > 0xE0000
    )
    plain = regex.sub(r"\p{Grapheme_Cluster_Break=Prepend}", "", plain)
    assert text.graphemes(plain) == regex.findall(r"\X", plain)


LIKE = st.sampled_from(["the", "the₂", "the₃", "cat", "x" * 30, "x" * 31, " "])


@given(st.lists(LIKE, min_size=1, max_size=12))
def test_no_two_labels_are_alike(tokens):
    """Axes and tables are keyed by label: a word that occurs twice, or was shortened, is still
    two."""
    assert len(set(text.labels(tuple(tokens)))) == len(tokens)


@given(st.text(max_size=900))
@example("/".join("a" * 40))
def test_fit_keeps_both_limits_and_the_beginning(sentence):
    """Whatever comes in, a piece without a space too, what is kept is short enough and starts as
    the sentence does."""
    fitted = text.fit(sentence, 400, 32)
    tokens, whole = text.words(fitted), text.words(sentence)
    assert len(fitted) <= 400
    assert min(len(whole), 32) >= len(tokens)
    if len(whole) <= 32 and len(sentence) <= 400:
        assert fitted == sentence
    assert whole[: max(len(tokens) - 1, 0)] == tokens[:-1]
    assert len(tokens) == 32 or len(sentence) > 400 or len(whole) == len(tokens)


@given(st.text(max_size=60))
def test_clean_leaves_nothing_that_cannot_be_encoded_or_shown(sentence):
    """No control character, no lone surrogate, no direction override gets through."""
    cleaned = text.clean(sentence + "\x00\x1b\ud800\u202e\n")
    cleaned.encode("utf-8")
    assert not any(text.is_unshowable(c) for c in cleaned)
