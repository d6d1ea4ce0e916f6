"""The link: a flat line of parameters ↔ setup and focus. No Streamlit here."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

from core import setup as core_setup
from core.presets import PRESETS
from core.setup import Setup
from pages.shared import focus
from pages.shared.fields import CONTROLS, in_panel
from pages.shared.focus import Focus

DEFAULTS: dict[str, Any] = core_setup.DEFAULTS | focus.DEFAULTS
MOST_LETTERS = 64_000  # of a link that is read; a browser's own limit is of that size

READERS_OWN = ("text", "split", "seed", "others")
FOLLOWED = tuple(name for name in focus.RANGES if name in CONTROLS)  # the places that a reader can go to


@dataclass(frozen=True)
class View:
    """What a link amounts to: the nearest setup and focus, and what had to be changed, in words.

    `query` is the link put right; `in_force` what counts where it is not the default, by name.
    """

    setup: Setup
    focus: Focus
    told: tuple[str, ...]
    query: str
    in_force: Mapping[str, str]


def parse(query: str) -> dict[str, str]:
    """The parameters of a link. One that stands there more than once counts as its last; `hide` adds up."""
    pairs = parse_qsl(query[:MOST_LETTERS], keep_blank_values=True, errors="replace", max_num_fields=None)
    hidden = [value for name, value in pairs if name == "hide" and value]
    return dict(pairs) | ({"hide": ",".join(hidden)} if hidden else {})


def write(link: Mapping[str, str]) -> str:
    """The parameters as a link carries them."""
    return urlencode(link, safe=",")


def text(value: Any) -> str:
    """A widget's value as a link carries it."""
    return ",".join(value) if isinstance(value, list | tuple) else str(value)


USUAL = {name: text(value) for name, value in DEFAULTS.items()}  # what a link leaves out


@lru_cache(maxsize=512)
def read(query: str) -> View:
    """Setup and focus of a link. Whoever moves a slider back and forth asks for the same ones again."""
    link = parse(query)
    setup, told = Setup.nearest({name: value for name, value in link.items() if name not in focus.DEFAULTS})
    looked_at, more = Focus.nearest(link, setup)
    values = {name: getattr(setup if name in core_setup.DEFAULTS else looked_at, name) for name in DEFAULTS}
    in_force = {name: text(value) for name, value in values.items() if value != DEFAULTS[name]}
    return View(setup, looked_at, (*told, *more), write(setup.as_link() | looked_at.as_link(setup)), in_force)


def preset_changes(name: str) -> dict[str, str | None]:
    """What choosing a preset changes in a link, None being taken out; the reader's own sentence and seed stay."""
    preset = PRESETS[name]
    kept = set(READERS_OWN) - preset.keys()
    changed = {field: preset.get(field) for field in (*core_setup.DEFAULTS, *FOLLOWED) if field not in kept}
    return {field: None if value in (None, DEFAULTS[field]) else text(value) for field, value in changed.items()}


def preset_of(setup: Setup) -> str | None:
    """The preset whose choices are all in force, if there is one."""
    for name, preset in PRESETS.items():
        wanted = _preset_setup(name)
        if all(getattr(setup, field) == getattr(wanted, field) for field in DECISIVE | preset.keys()):
            return name
    return None


# The setup's part that the sidebar shows on every page, but for what is the reader's own.
DECISIVE = {*in_panel("sizes_panel"), *in_panel("choices_panel")} - {*READERS_OWN}


@lru_cache
def _preset_setup(name: str) -> Setup:
    return Setup(**PRESETS[name])
