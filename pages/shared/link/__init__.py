"""The link: the address's parameters ↔ setup and focus. No Streamlit here."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

from core import Setup, pretrained
from core.setup import setup as core_setup
from core.setup.presets import FOLLOWED, PRESETS
from pages.shared.link import focus, layout
from pages.shared.link.fields import CONTROLS, FIELDS
from pages.shared.link.focus import Focus

DEFAULTS: dict[str, Any] = core_setup.DEFAULTS | focus.DEFAULTS
MAX_LETTERS = 64_000  # of a link that is read; a browser's own limit is similar

# Parameters added by frames, mail, search engines or courses; they are kept.
FOREIGN = re.compile(
    r"embed|embed_options|(utm|mc|pk|mtm|hsa)_\w+|_hs\w+|\w?clid|\w+clid|igshid|si|ref|lti_\w+",
    re.IGNORECASE,
)

PLACES = tuple(name for name in focus.RANGES if name in CONTROLS)  # the places a user can select


@dataclass(frozen=True)
class LinkState:
    """A parsed link: the nearest setup and focus, and messages about corrections.

    `in_force` has the values that differ from their defaults, by name; `foreign` the parameters of
    other sites.
    """

    setup: Setup
    focus: Focus
    messages: tuple[str, ...]
    in_force: Mapping[str, str]
    foreign: Mapping[str, str]

    @cached_property
    def link(self) -> str:
        """Return the corrected link."""
        return write_link(
            dict(self.foreign) | self.setup.as_link() | self.focus.as_link(self.setup)
        )


def parse_link(link: str) -> dict[str, str]:
    """Return the parameters of a link. The last of repeated ones counts; only names in `hide` and
    `do` are collected."""
    pairs = parse_qsl(
        link[:MAX_LETTERS], keep_blank_values=True, errors="replace", max_num_fields=None
    )
    named = {
        field: ",".join(value for name, value in pairs if name == field and value)
        for field in focus.NAMED
    }
    return dict(pairs) | {field: names for field, names in named.items() if names}


def write_link(parameters: Mapping[str, object] | Iterable[tuple[str, object]]) -> str:
    """Return the link with these parameters."""
    return urlencode(
        tuple(parameters.items() if isinstance(parameters, Mapping) else parameters), safe=","
    )


def as_parameter(value: Any) -> str:
    """Return a widget's value as a link parameter."""
    return ",".join(value) if isinstance(value, list | tuple) else str(value)


DEFAULT_PARAMETERS = {
    name: as_parameter(value) for name, value in DEFAULTS.items()
}  # omitted from a link


def read_link(link: str) -> LinkState:
    """Return a link's setup and focus; cached, since sliders repeat links, as long as the same
    models are here."""
    return _read_link(link, pretrained.names() if "real" in link else ())


@lru_cache(maxsize=512)
def _read_link(link: str, _: tuple[str, ...]) -> LinkState:
    all_parameters = parse_link(link)
    foreign = {name: value for name, value in all_parameters.items() if FOREIGN.fullmatch(name)}
    parameters = {name: value for name, value in all_parameters.items() if name not in foreign}
    setup, setup_messages = Setup.nearest(
        {
            name: value
            for name, value in parameters.items()
            if name not in focus.DEFAULTS and name not in focus.GONE
        }
    )
    looked_at, focus_messages = Focus.nearest(parameters, setup)
    if setup.real or looked_at.seven == "chosen":  # the layer of the seven steps
        setup = replace(setup, layer=looked_at.layer)
        looked_at, focus_messages = Focus.nearest(
            parameters, setup
        )  # above the first layer there is no second sentence
    values = {
        name: getattr(looked_at if name in focus.DEFAULTS else setup, name) for name in DEFAULTS
    }
    in_force = {
        name: as_parameter(value) for name, value in values.items() if value != DEFAULTS[name]
    }
    return LinkState(setup, looked_at, (*setup_messages, *focus_messages), in_force, foreign)


def at_head(setup: Setup, layer: int, head: int, key: int) -> dict[str, object]:
    """Return the link fields that show a head of the stack on the seven pages, from the last word
    to a `key` (arguments from 0), with the stack's mask and W_o and no second sentence."""
    at = {"layer": layer + 1, "head": head + 1, "query": len(setup.tokens), "key": key + 1}
    return at | in_the_stack(setup)


def in_the_stack(setup: Setup) -> dict[str, object]:
    """Return the fields that make the seven steps the stack's."""
    return {"mask": setup.mask, "memory": "", "seven": "chosen"} | (
        {} if setup.real else {"out": "d_model"}
    )


def preset_changes(name: str) -> dict[str, str | None]:
    """Return a preset's changes to a link. None removes a parameter; the user's sentence and seed
    stay."""
    preset, followed = PRESETS[name], FOLLOWED.get(name, {})
    values = {
        field: preset.get(field)
        for field in (*core_setup.DEFAULTS, *PLACES)
        if field in preset or not FIELDS[field].is_readers_own
    } | followed
    return {
        field: None if value in (None, DEFAULTS[field]) else as_parameter(value)
        for field, value in values.items()
    }


# The overview without a link.
STORY_LINK = write_link({name: value for name, value in preset_changes("Trained").items() if value})


def preset_of(setup: Setup) -> str | None:
    """Return the preset that matches the setup, None if there is none or weights are edited."""
    if setup.edits:
        return None
    for name, preset in PRESETS.items():
        of_preset = _preset_setup(name)
        if all(
            getattr(setup, field) == getattr(of_preset, field)
            for field in PRESET_FIELDS | preset.keys()
        ):
            return name
    return None


# The fields that distinguish presets: those in the panel, without the user's own.
PRESET_FIELDS = {
    name for name, field in core_setup.FIELDS.items() if field.panel and not field.is_readers_own
}


def reset_changes() -> dict[str, None]:
    """Return the parameters removed by "Reset everything": all but a lecture's and foreign ones."""
    return dict.fromkeys(name for name in DEFAULTS if name not in layout.OF_A_LECTURE)


@lru_cache
def _preset_setup(name: str) -> Setup:
    return Setup(**PRESETS[name])
