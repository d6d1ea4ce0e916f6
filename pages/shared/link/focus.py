"""The focus: selected pair, head, cell and lecture beat. It changes no numbers. No Streamlit
here."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core import Setup
from core.fields.fields import (
    Choice,
    Field,
    Name,
    Number,
    choice,
    declare,
    describe_changes,
    last,
    list_fields,
    nearest,
    select_kind,
    whole,
)
from core.fields.sentences import MAX_PIECES, MAX_SENTENCES, Word
from core.notebooks import MISTAKES, WITHOUT_MISTAKES
from core.quiz import exercises
from core.setup import setup as core_setup
from core.setup.constraints import MAX_LAYERS
from core.text import language
from pages.shared.link import pinned as held_setup
from pages.shared.link.pasted_text import PastedText
from pages.shared.link.pinned import Held

STAGES = (
    "output",
    "resid_mid",
    "normed_1",
    "normed_2",
    "ffn_hidden",
    "ffn_activated",
    "ffn_out",
    "resid_post",
    "out",
    "ffn_gate",
    "ffn_opened",
)


@dataclass(frozen=True)
class Focus:
    """The selection. Positions, heads and columns count from 1.

    Places (pair, head, sentence, layer) are clamped to the setup, with a message if chosen (none
    for a word). `hide`: controls hidden from whoever opens the link. `beat`: set by a lecture's
    keys. `vs`: the pinned setup, written by the browser. `seven`: the layer on the seven pages, the
    first or the chosen one (always for a pretrained model). `fetch`: download this model of the
    host's list; `attempt`: for which time. `sheet`: a worksheet in place of the page. `share`:
    Share is open. `open`: unfolded parts. `pasted`: the user's text; `answers`: to its questions
    (`heads:2;orientation:W X`); `checked`: the solution's step and head with the opened cell
    (`weights.1`) at `row` and `column`. `instead`: compared with the next word (default: the most
    probable other; itself: none). `do`: assigned exercises. `exercise`, `variation`: the open one.
    """

    query: int = whole(
        2,
        (1, MAX_PIECES),
        "Query word",
        "The query's word, counted from 1: its row is followed on every page. Clicking a cell"
        " sets it too.",
    )
    key: int = whole(5, (1, MAX_PIECES), "Key word", "The key's word.")
    head: int = whole(
        1, (1, 20), "Show head", "The head whose matrices are shown.", panel=("sentence", 4)
    )
    sentence: int = whole(
        1,
        (1, MAX_SENTENCES),
        "Sentence in the batch",
        "The sentence of the batch whose matrices are shown large.",
    )
    layer: int = whole(1, (1, MAX_LAYERS), "Layer", "The block whose tensors are shown.")
    column: int = whole(
        1,
        (1, 20 * 64),
        "Column",
        "Which number of a word's vector is written out. Where a matrix has fewer columns, its"
        " last one is taken instead.",
        panel=("more", 14),
    )
    matrix: str = choice(("queries", "keys", "values"), "Which of the three")
    way: str = choice(("all at once", "one token"), "Computed")
    part: str = choice(("each head", "side by side", "mixed by W_o"), "Part of this page")
    d_q: int = whole(
        7,
        (1, 64),
        "d_q, a size for the queries alone",
        "How many numbers a query would have, were that not the keys' d_k.",
    )
    stage: str = choice(STAGES, "Stage to open below", default="resid_mid")
    mistake: str = choice(
        (*(mistake.key for mistake in MISTAKES), *WITHOUT_MISTAKES),
        "Mistake",
        default="N4 softmax and size",
    )
    form: str = choice(
        ("as written", "first fault alone", "second fault alone", "repaired"), "The code"
    )
    ending: str = choice(
        (*language.FITS_ANIMALS, *language.FITS_FOODS), "The cat drank the milk because it was …"
    )
    lecture: str = choice(
        ("off", "on"),
        "Lecture mode",
        "One idea at a time, in large type; → and Space go on, ← goes back, Home to the page's"
        " first, Esc leaves.",
        panel=("lecture", 2),
    )
    route: str = choice(
        ("whole", "story", "why"),
        "Route",
        "story: the beats that a newcomer is told, at once; with one idea at a time they are"
        " larger. why: from the next word to one product of a query and a key, from the page Next"
        " word.",
        panel=("lecture", 3),
    )
    notes: str = choice(
        ("off", "on"),
        "Speaker's notes",
        "What to say and to ask: for a second window, which goes along with the projected one.",
        panel=("lecture", 4),
    )
    special: str = choice(
        ("shown", "hidden"),
        "Special pieces",
        "A model's own pieces around a text, like [CLS], [SEP] and <s>, to which many heads give"
        " most. hidden: the others stand alone, with the weights that they have.",
    )
    units: str = choice(
        ("pieces", "words"),
        "A row of the map",
        "words: weights onto a word's pieces are added up, and those of its pieces averaged.",
    )
    beat: int = whole(1, (1, 20))
    row: int = whole(1, (1, 64))
    vs: str = declare(Held(held_setup.NOTHING))
    sheet: str = choice(("off", "on"))
    share: str = choice(("off", "on"))
    fetch: str = declare(Name(""))
    attempt: int = whole(1, (1, 999))
    seven: str = choice(("first", "chosen"))
    open: tuple[str, ...] = declare(Field(()))
    hide: tuple[str, ...] = declare(
        Field(
            (),
            "Controls to hide",
            "They keep their values and go from the screen of whoever opens this link.",
            panel=("lecture", 5),
        )
    )
    exercise: str = choice(("none", *exercises.NAMES))
    variation: int = whole(1, (1, 99))
    do: tuple[str, ...] = declare(
        Field(
            (),
            "Exercises to do",
            "Whoever opens this link is set these alone, without a way to their solutions.",
            panel=("lecture", 6),
        )
    )
    pasted: str = declare(
        PastedText(
            "",
            "Matrices, and your solution",
            "As they stand in a notebook, a page, a PDF or a spreadsheet. What is a solution's step"
            " is checked. They are in the link, so whoever has it can read them.",
        )
    )
    answers: str = declare(PastedText(""))
    checked: str = declare(Name(""))
    instead: str = declare(
        Word(
            "",
            "Another word",
            "Any word of the vocabulary: why the one above was said, and not this one. id:260 is"
            " a real model's piece with this number.",
        )
    )

    @property
    def lecturing(self) -> bool:
        """Return whether one beat at a time is shown: lecture, speaker's notes or story."""
        return "on" in (self.lecture, self.notes) or self.route == "story"

    @property
    def held(self) -> Setup | None:
        """Return the pinned setup, if any."""
        return held_setup.read(self.vs)

    def column_of(self, columns: int) -> int:
        """Return the opened cell's column from 0, clamped to this many columns."""
        return min(self.column, columns) - 1

    def as_link(self, setup: Setup) -> dict[str, str]:
        """Return the fields that differ from the default, as in a link; `nearest` reads it back."""
        usual = DEFAULTS | {
            name: min(DEFAULTS[name], most) for name, most in most_of(setup).items()
        }
        unusual = {
            name: getattr(self, name) for name in DEFAULTS if getattr(self, name) != usual[name]
        }
        return {
            name: ",".join(value) if name in NAMED else str(value)
            for name, value in unusual.items()
        }

    @classmethod
    def nearest(cls, wishes: Mapping[str, Any], setup: Setup) -> tuple["Focus", list[str]]:
        """Return the nearest focus in this setup, and messages about corrections; none for a word
        beyond a shortened sentence."""
        wishes, gone = _without_gone_exercises(wishes)
        values, changed = nearest(_BY_THEMSELVES, wishes)
        messages = describe_changes(changed) + gone
        for name, most in most_of(setup).items():
            if values[name] > most and values[name] != DEFAULTS[name] and name not in WORDS:
                messages.append(
                    f"{name}: {values[name]} became {most}, since {_reason(name, most)}."
                )
            values[name] = min(values[name], most)
        messages += [f"{name}: {what} is gone." for name, what in GONE.items() if name in wishes]
        values |= {
            name: _nearest_names(name, wishes[name], messages) if name in wishes else ()
            for name in NAMED
        }
        return cls(**values), messages


FIELDS = list_fields(Focus)
DEFAULTS: dict[str, Any] = {name: field.default for name, field in FIELDS.items()}
WORDS = ("query", "key")  # places of words
# Removed link names: fields and folded parts.
GONE: dict[str, str] = {
    "sort": "the order of the table of heads",
    "study": "the choice of a study on Training",
    "split": "a choice of characters as tokens",
    "labelled": "a classifier's training on sentences of your own",
    "example": "the list of labelled sentences",
}
GONE_PARTS: dict[str, str] = {
    "frames": "A board of this page in a frame",
    "fold_rest": "Where do the other words look?",
    "fold_pairs": "Seven pairs of setups",
    "fold_stretch": "What does W make of a circle?",
    "stream": "What are the layers above given?",
    "fold_likeness": "Are the words more alike afterwards?",
    "one_head_more": "What changes with one head more?",
    "suggestions_weights": "What happens if a matrix is changed by hand?",
    "suggestions_context": "What happens if a matrix is changed by hand?",
    "suggestions_heads": "What happens if a head is switched off?",
    "cell_encoder": "The chosen attention weight in full",
    "lessons": "One sentence, many lessons",
    "floor": "Why can no model do better?",
    "cache_code": "The code that keeps keys and values",
    "cache_not": "When can nothing be kept?",
    "gradient_words": "Where does its gradient come from?",
    "slides": "Slides",
    "page_file": "This page as one file",
    "cache": "What does one word more cost?",
    "own_sentences": "Your own labelled sentences",
    "labelled_sentences": "All sentences that it learns from",
    "learned": "What it has learned",
}
# Removed exercises, each with the page's one in its place.
GONE_EXERCISES = {
    f"{name.partition('.')[0]}.{number}": name
    for name in exercises.NAMES
    if name.endswith(".1")
    for number in range(2, 7)
}
CHOICES: dict[str, tuple[str, ...]] = {
    name: field.options for name, field in select_kind(Choice, FIELDS).items()
}
RANGES: dict[str, tuple[int, int]] = {
    name: (field.low, field.high) for name, field in select_kind(Number, FIELDS).items()
}
# What a link can hide: every widget's key, in the panel and on pages.
HIDEABLE = (
    *(name for name, field in core_setup.FIELDS.items() if field.label),
    *(name for name, field in FIELDS.items() if field.label and name != "hide"),
    "hold",
    "preset",
    "reset",
    "share",
    "hiding",
)
# Comma-separated fields and their allowed names; `open` accepts any short one (`A_FOLD`).
NAMED: dict[str, tuple[str, ...]] = {"hide": HIDEABLE, "do": exercises.NAMES, "open": ()}
_BY_THEMSELVES = {name: field for name, field in FIELDS.items() if name not in NAMED}
A_FOLD, MAX_OPEN = re.compile(r"[a-z][a-z0-9_]{0,39}"), 20


def most_of(setup: Setup) -> dict[str, int]:
    """Return the largest value of each place in this setup."""
    tokens, asked = len(setup.tokens), len(setup.memory_tokens or setup.tokens)
    return {
        "query": tokens,
        "key": asked,
        "head": setup.heads,
        "sentence": len(setup.sentences),
        "layer": setup.layers,
    }


def _reason(name: str, most: int) -> str:
    what = {"query": "token", "key": "token"}.get(name, name)
    return f"there is 1 {what}" if most == 1 else f"there are {most} {what}s"


def _without_gone_exercises(wishes: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the wishes with removed exercises replaced by the page's one, and messages."""
    kept, messages = dict(wishes), []
    for field in [each for each in ("exercise", "do") if each in wishes]:
        names = str(last(wishes[field])).split(",")
        gone = [name for name in names if name in GONE_EXERCISES]
        if gone:
            kept[field] = ",".join(GONE_EXERCISES.get(name, name) for name in names)
            messages.append(
                f"{field}: a page has one exercise now, asked in place of {', '.join(gone)}."
            )
    return kept, messages


def _nearest_names(field: str, wish: Any, messages: list[str]) -> tuple[str, ...]:
    names = str(last(wish)).split(",") if wish else []
    if field == "open":
        gone = [name for name in names if name in GONE_PARTS]
        messages += [f"“{GONE_PARTS[name]}” is no longer part of the page." for name in gone]
        names = [name for name in names if name not in gone]
    is_known = A_FOLD.fullmatch if field == "open" else NAMED[field].__contains__
    known = tuple(dict.fromkeys(name for name in names if is_known(name)))[
        : MAX_OPEN if field == "open" else None
    ]
    if set(known) != set(names):
        what = {"hide": "controls", "do": "exercises", "open": "parts that unfold"}[field]
        messages.append(
            f"{field}: expected names of {what} with commas between; {', '.join(known) or 'none'}"
            " remained."
        )
    return known
