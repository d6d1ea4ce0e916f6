"""Widgets of setup and focus, drawn from the declarations of their fields.

Each is bound to the link's parameter of the same name, and shows the value in force.
"""

import html
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from core import setup as core_setup
from core.fields import Choice, Number
from core.labelled import Labelled
from core.sentences import Lines, Sentence
from core.text import isolated, labels
from pages.shared import board, elements, focus, state
from pages.shared.fields import CONTROLS, FIELDS
from pages.shared.link import parse_link

WORDS = ("query", "key")  # places in the sentence, each shown with its word
WIDEST_SLIDER = 1000  # a range wider than this many numbers is typed into


def draw(name: str, disabled: bool = False) -> None:
    """The control of a field, as suits its kind."""
    if name in WORDS:
        word(name)
        return
    match FIELDS[name]:
        case Choice():
            choice(name, disabled=disabled)
        case Number(low=low, high=high) if high - low < WIDEST_SLIDER:
            slider(name, disabled)
        case Number():
            number(name, disabled)
        case Sentence():
            sentence(name)
        case Lines() | Labelled():
            lines(name)
        case _:
            names(name)


def in_force(name: str) -> Any:
    """The value of a field that counts in this run."""
    return getattr(state.setup() if name in core_setup.DEFAULTS else state.focus(), name)


def choice(name: str, options: Sequence[str] | None = None, label: str | None = None, disabled: bool = False) -> str:
    """One of a few. An option that is not offered gives way to the default, or to the first.

    Without `options` all of the field's are offered; `label` may say more than the declared one.
    """
    field, control = FIELDS[name], CONTROLS[name]
    options, value, default = list(options or field.options), in_force(name), field.default
    if value not in options:
        value = default if default in options else options[0]
    elements.segmented_control(
        label or control.label, options, default=default, key=name, bind="query-params", required=True, disabled=disabled,
        help=control.help, width="stretch", fresh=state.settle(name, value, default),
    )  # fmt: skip
    return value


def choose(name: str, options: Sequence[str] | None = None) -> str:
    """One of many; without `options` all of the field's. The one in force must be among them."""
    value, options = in_force(name), list(options or FIELDS[name].options)
    elements.selectbox(CONTROLS[name].label, options, key=name, bind="query-params", fresh=state.settle(name, value))
    return value


def tabs(label: str, sets: Mapping[str, Mapping[str, str]], current: str, told: bool = False) -> None:
    """One of a few as links, each by its title: what it sets in the link can have another name than what a reader reads.

    `current` is the title of the one in force. `told`: the label is for all to see, not for a screen reader alone.
    """
    parameters = parse_link(state.memory().link)
    links = []
    for title, set_by_it in sets.items():
        href, data = (html.escape(urlencode(given)) for given in (parameters | set_by_it, set_by_it))
        marked = ' aria-current="true"' if title == current else ""
        links.append(f'<a href="?{href}" data-sets="{data}"{marked}>{html.escape(title)}</a>')
    text = f"<span>{label}</span>" if told else ""
    elements.html_of_setup(f'<nav class="ab-tabs" aria-label="{label}">{text}{"".join(links)}</nav>')


def word(name: str) -> None:
    """A place in the sentence, chosen by its word. It is no widget of Streamlit's: what those show is what the link holds."""
    control = CONTROLS[name]
    named = [f"{place} · {isolated(label)}" for place, label in enumerate(labels(state.setup().tokens), start=1)]
    board.word(name, control.label, control.help or "", named, in_force(name))


def slider(name: str, disabled: bool = False) -> None:
    """A number from a range."""
    field, control = FIELDS[name], CONTROLS[name]
    elements.slider(
        control.label, field.low, field.high, field.default, 1 if field.type is int else 0.1, key=name, bind="query-params",
        disabled=disabled, help=control.help, fresh=state.settle(name, in_force(name), field.default),
    )  # fmt: skip


def number(name: str, disabled: bool = False) -> None:
    """A number from a range too wide to slide."""
    field, control = FIELDS[name], CONTROLS[name]
    elements.number_input(
        control.label, field.low, field.high, field.default, key=name, bind="query-params", disabled=disabled,
        help=control.help, fresh=state.settle(name, in_force(name), field.default),
    )  # fmt: skip


def sentence(name: str) -> None:
    """One line of text."""
    field, control = FIELDS[name], CONTROLS[name]
    fresh = state.settle(name, typed_text(name)[: field.most], field.default)
    elements.text_input(
        control.label, field.default, key=name, max_chars=field.most, bind="query-params", help=control.help, fresh=fresh
    )


def lines(name: str, height: int = 90, placeholder: str | None = None) -> None:
    """Several lines of text."""
    field, control = FIELDS[name], CONTROLS[name]
    fresh = state.settle(name, typed_text(name)[: field.most], field.default)
    elements.text_area(
        control.label, field.default, key=name, max_chars=field.most, bind="query-params", help=control.help, height=height,
        placeholder=placeholder, fresh=fresh,
    )  # fmt: skip


def names(name: str) -> None:
    """Several names: of controls that the link hides, of exercises that it sets."""
    control, fresh = CONTROLS[name], state.settle(name, list(in_force(name)))
    elements.multiselect(control.label, focus.NAMED[name], key=name, bind="query-params", help=control.help, fresh=fresh)


def typed_text(name: str) -> str:
    """A text as its reader typed it. What is too much stays in the field; a message says that it does not count."""
    return parse_link(state.memory().link).get(name, FIELDS[name].default)
