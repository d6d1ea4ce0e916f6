"""What is looked at: a pair of words, a head, a cell, a beat of a lecture. It decides no number. No Streamlit here."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from core import setup as core_setup
from core.fields import last, nearest_choice, nearest_number
from core.notebooks import MISTAKES
from core.setup import MOST_SENTENCES, MOST_TOKENS, Setup

STAGES = ("output", "added", "normed", "normed_2", "hidden", "bent", "fed", "added_2", "out")
CHOICES: dict[str, tuple[str, ...]] = {
    "matrix": ("queries", "keys", "values"),
    "way": ("all at once", "one token"),
    "stage": STAGES,
    "mistake": tuple(mistake.key for mistake in MISTAKES),
    "form": ("as written", "first fault alone", "second fault alone", "repaired"),
    "lecture": ("off", "on"),
    "notes": ("off", "on"),
}
RANGES: dict[str, tuple[int, int]] = {
    "query": (1, MOST_TOKENS),
    "key": (1, MOST_TOKENS),
    "head": (1, 20),
    "sentence": (1, MOST_SENTENCES),
    "layer": (1, 6),
    "column": (1, 20 * 64),
    "beat": (1, 20),
}


@dataclass(frozen=True)
class Focus:
    """What is looked at. Positions, heads and columns count from 1, as a reader does.

    What is followed by default (pair of words, head, sentence, layer) gives way where there is less to follow.
    `hide` names the controls that a lecturer takes off the screen.
    """

    query: int = 2
    key: int = 5
    head: int = 1
    sentence: int = 1
    layer: int = 1
    column: int = 1
    matrix: str = "queries"
    way: str = "all at once"
    stage: str = "added"
    mistake: str = "N4 softmax and size"
    form: str = "as written"
    lecture: str = "off"
    notes: str = "off"
    beat: int = 1
    hide: tuple[str, ...] = ()

    @property
    def lecturing(self) -> bool:
        """Whether one idea at a time is on screen, for a class. The speaker's notes belong to that."""
        return "on" in (self.lecture, self.notes)

    def column_of(self, columns: int) -> int:
        """The column of the opened cell, counted from 0, within a matrix of so many: past its end, its last."""
        return min(self.column, columns) - 1

    def as_query(self, setup: Setup) -> dict[str, str]:
        """What differs from the default, as a link carries it; `nearest` reads it back."""
        usual = DEFAULTS | {name: min(DEFAULTS[name], most) for name, most in most_of(setup).items()}
        kept = {name: getattr(self, name) for name in DEFAULTS if getattr(self, name) != usual[name]}
        return {name: ",".join(value) if name == "hide" else str(value) for name, value in kept.items()}

    @classmethod
    def nearest(cls, wishes: Mapping[str, Any], setup: Setup) -> tuple["Focus", list[str]]:
        """What can be looked at in this setup, nearest to any mapping, and what had to be changed, in words."""
        told: list[str] = []
        values: dict[str, Any] = {
            name: nearest_choice(name, wishes.get(name, DEFAULTS[name]), options, DEFAULTS[name], told)
            for name, options in CHOICES.items()
        }
        for name, limits in RANGES.items():
            values[name] = nearest_number(name, wishes.get(name, DEFAULTS[name]), limits, DEFAULTS[name], told)
        for name, most in most_of(setup).items():
            if values[name] > most and values[name] != DEFAULTS[name]:
                told.append(f"{name}: {values[name]} became {most}, since {_reason(name, most)}.")
            values[name] = min(values[name], most)
        values["hide"] = _nearest_hide(wishes.get("hide", ""), told)
        return cls(**values), told


DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Focus)}
# What a lecturer may take off the screen: every widget of the sidebar and of the pages, by its key.
HIDEABLE = (*core_setup.DEFAULTS, *(name for name in DEFAULTS if name not in ("beat", "hide")), "preset", "reset", "share", "hiding")


def most_of(setup: Setup) -> dict[str, int]:
    """How far each place can be followed in this setup."""
    tokens = len(setup.tokens)
    return {
        "query": tokens, "key": tokens, "head": setup.heads, "sentence": len(setup.sentences), "layer": setup.layers,
    }  # fmt: skip


def _reason(name: str, most: int) -> str:
    what = {"query": "token", "key": "token"}.get(name, name)
    return f"there is 1 {what}" if most == 1 else f"there are {most} {what}s"


def _nearest_hide(asked: Any, told: list[str]) -> tuple[str, ...]:
    names = str(last(asked)).split(",") if asked else []
    known = tuple(dict.fromkeys(name for name in names if name in HIDEABLE))
    if set(known) != set(names):
        told.append(f"hide: expected names of controls with commas between; {', '.join(known) or 'none'} remained.")
    return known
