"""Sentences become tokens, a vocabulary and ids; nothing a reader would call one character is
cut."""

import unicodedata

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from core import text

EMOJI = "👩‍👩‍👧 👍🏽 🇫🇷 🇩🇪 #️⃣ ❤️‍🔥 🏴󠁧󠁢󠁳󠁣󠁴󠁿"


def test_the_notebooks_sentence():
    """N4's tokens, vocabulary and ids, as it prints them."""
    tokens = text.words("Life is short, eat dessert first")
    vocabulary = text.vocabulary(tokens)
    assert vocabulary == ("Life", "dessert", "eat", "first", "is", "short")
    assert text.token_ids(tokens, vocabulary).tolist() == [0, 4, 5, 2, 1, 3]


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("don't stop—ever!", ("don't", "stop", "ever")),
        ("l’eau, o’clock, rock'n'roll", ("l’eau", "o’clock", "rock'n'roll")),
        ("‘quoted’ 'tis dogs' -a- well-known", ("quoted", "tis", "dogs", "a", "well-known")),
        (
            "and/or wait...what 10,000 one,two e.g. snake_case",
            (*("and", "or", "wait", "what", "10,000"), *("one", "two", "e.g", "snake_case")),
        ),
        ("co\u00adoperate", ("cooperate",)),
        ("צה״ל בית־ספר", ("צה״ל", "בית־ספר")),
        ("¿Qué pasa?  «Nada»", ("Qué", "pasa", "Nada")),
        ("cafe\u0301 naïve", ("cafe\u0301", "naïve")),
        ("שלום עולם", ("שלום", "עולם")),
        ("日本\u3000語", ("日本", "語")),
        (EMOJI, tuple(EMOJI.split())),
        ("a\u200bb \ufeff", ("ab",)),
        ("… --- !!!", ()),
        ("", ()),
    ],
)
def test_words(sentence, tokens):
    """Punctuation cuts and is dropped, but for what stands inside a word; accents and emoji stay
    whole."""
    assert text.words(sentence) == tokens


@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from("aé1'’-.,/_ \u200b!€"), max_size=20).map("".join)
)
def test_nothing_but_punctuation_is_dropped(sentence):
    """Letters, digits and symbols all stay, in their order; no word is empty, begins or ends with
    punctuation."""

    def lasting(given):
        return [
            c
            for c in given
            if not (
                c.isspace() or unicodedata.category(c)[0] == "P" or unicodedata.category(c) == "Cf"
            )
        ]

    tokens = text.words(sentence)
    if not any(unicodedata.category(c)[0] == "M" for c in sentence):
        assert lasting("".join(tokens)) == lasting(sentence)
        assert not any(
            unicodedata.category(c)[0] == "P" for token in tokens for c in (token[0], token[-1])
        )
    assert all(tokens)
    assert text.words(" ".join(tokens)) == tokens


def test_a_piece_of_too_many_words_is_cut_too():
    """Forty words without a space between them: the first 32 stay."""
    assert text.words(text.fit("/".join("a" * 40), "words", 400, 32)) == ("a",) * 32


def test_characters_are_graphemes():
    """In characters mode an accent or an emoji is one token with its letter, and spaces count."""
    assert text.characters("e\u0301 👍🏽🇫🇷") == ("e\u0301", " ", "👍🏽", "🇫🇷")
    assert len(text.characters("Life is short, eat dessert first")) == 32


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


@given(
    st.lists(
        st.sampled_from(["the", "the₂", "the₃", "cat", "x" * 30, "x" * 31, " "]),
        min_size=1,
        max_size=12,
    )
)
def test_no_two_labels_are_alike(tokens):
    """Axes and tables are keyed by label: a word that occurs twice, or was shortened, is still
    two."""
    labels = text.labels(tuple(tokens))
    assert len(set(labels)) == len(tokens)


@given(st.text(max_size=900), st.sampled_from(["words", "characters"]))
def test_fit_keeps_both_limits_and_the_beginning(sentence, split):
    """Whatever comes in, what is kept is short enough and starts as the sentence does."""
    fitted = text.fit(sentence, split, 400, 32)
    tokens = text.SPLITTERS[split](fitted)
    assert len(fitted) <= 400
    assert len(tokens) <= 32
    if len(text.SPLITTERS[split](sentence)) <= 32 and len(sentence) <= 400:
        assert fitted == sentence
    whole = text.SPLITTERS[split](sentence)
    assert whole[: max(len(tokens) - 1, 0)] == tokens[:-1]


@given(st.text(max_size=60))
def test_clean_leaves_nothing_that_cannot_be_encoded_or_shown(sentence):
    """No control character, no lone surrogate, no direction override gets through."""
    cleaned = text.clean(sentence + "\x00\x1b\ud800\u202e\n")
    cleaned.encode("utf-8")
    assert not any(text.is_unshowable(c) for c in cleaned)
