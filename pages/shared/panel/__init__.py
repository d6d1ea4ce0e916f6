"""The panel: the setup's controls, drawn by one component (`panel.js`) from the fields and the
address.

Controls show the address and have no value on the server, which only sends what the address lacks:
disabled controls with their values, the sentence's words, corrections.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from core import Setup, pretrained
from core.fields.fields import Choice, Number
from core.fields.sentences import Lines, Passage, Sentence, Word
from core.importing.matrices import MAX_BYTES
from core.quiz import exercises
from core.setup import setup as core_setup
from core.setup.edits import DECIMALS, LARGEST, MAX_EDITS
from core.text.text import isolate, labels
from pages.shared import link
from pages.shared.link import focus, layout, parse_link, read_link
from pages.shared.link.beats import ROUTES
from pages.shared.link.fields import CONTROLS, FIELDS
from pages.shared.link.model_link import select_model
from pages.shared.link.pages import PAGES, find
from pages.shared.link.pasted_text import PastedText
from pages.shared.server import run
from pages.shared.text import edits, elements, glossary

LOGO = Path(__file__).parents[3] / "assets" / "logo.svg"
# embedded, since a file would be reloaded on each page
ICON = f"data:image/svg+xml;base64,{b64encode(LOGO.read_bytes()).decode()}"
OF_A_MODEL = "the model's"
TEXTS = (Sentence, Lines, PastedText, Word)  # kinds of fields
NEW_LINE = "Shift + Enter begins a line, which a real model reads."
# a text field takes what a real model's text may have
FIELDS_TO_TYPE = FIELDS | {"text": core_setup.FIELDS_OF_A_MODEL["text"]}
WIDEST_SLIDER = 1000  # a wider range is a text field
_panel = elements.component("attention_panel", "attentionPanel")
_control = elements.component("attention_control", "attentionControl")
_controls = elements.component("attention_controls", "attentionControls")


# ---------- sent once ----------


def constants() -> dict[str, Any]:
    """Return the pages, fields and presets for the browser's scripts, the same for all visitors."""
    return {
        "pages": [
            {
                "path": page.path,
                "menu": page.menu,
                "numbered": page.is_numbered,
                "group": page.group,
                "in_row": page.in_row,
                "glyph": asdict(page.glyph),
                "wire": page.wire,
                "controls": page.controls,
                "predictions": [asdict(each) for each in page.predictions],
            }
            for page in PAGES
        ],
        "routes": ROUTES,
        "fields": {name: describe_field(name) for name in CONTROLS},
        "defaults": link.DEFAULT_PARAMETERS,
        "groups": [
            {
                "names": group.names,
                "title": group.title,
                "key": group.key,
                "opens_on": group.opens_on,
            }
            for group in layout.GROUPS
        ],
        "for_teachers": layout.FOR_TEACHERS,
        "presets": {
            name: {"changes": link.preset_changes(name), "teaches": layout.TEACHES[name]}
            for name in link.PRESETS
        },
        "edits": {"most": MAX_EDITS, "largest": LARGEST, "decimals": DECIMALS},
        "setup": list(core_setup.DEFAULTS),
        "glossary": glossary.ENTRIES,
        "reset": link.reset_changes(),
    }


def describe_field(name: str) -> dict[str, Any]:
    """Return a field as the browser draws it: kind, label, help and allowed values."""
    field = FIELDS_TO_TYPE[name]
    said = {"label": field.label, "help": field.help}
    match field:
        case Choice(options=options, unlisted=unlisted):
            return said | {
                "kind": "choice",
                "options": (*options, *unlisted),
                "unlisted": unlisted,
            }
        case Number(low=low, high=high):
            slides = field.slides_to or high
            step = 1 if field.type is int else low or 0.1
            is_wide = slides - low >= WIDEST_SLIDER
            return (
                said
                | {"kind": "number", "low": low, "high": high, "step": step}
                | ({} if is_wide else {"slides": slides})
            )
        case Passage():
            return said | {"kind": "text", "most": field.most, "rows": 1, "title": NEW_LINE}
        case Sentence() | Word():
            return said | {"kind": "text", "most": field.most, "rows": 1}
        case Lines() | PastedText():
            pasted = {"longest": MAX_BYTES} if isinstance(field, PastedText) else {}
            return said | {"kind": "text", "most": field.most, "rows": 3} | pasted
        case _:
            names = {option: name_option(name, option) for option in focus.NAMED[name]}
            return said | {"kind": "choice", "many": True, "options": [*names], "names": names}


PARTS = {
    "hold": "Hold",
    "preset": "Setups",
    "reset": "Reset everything",
    "share": "Share",
    "hiding": FIELDS["hide"].label,
}


def name_option(name: str, option: str) -> str:
    """Return an exercise by its question, or a control by its label.

    >>> name_option("do", "scores.1"), name_option("hide", "d_k")
    ('Scores: a number to work out', 'd_k')
    """
    if name == "hide":
        return PARTS.get(option) or FIELDS_TO_TYPE[option].label
    path, _, kind = option.partition(".")
    asks = exercises.CHOICES[path]["asks"] if kind == "choice" else "a number to work out"
    return f"{find(path).title}: {asks}"


# ---------- sent with each run ----------


def show() -> None:
    """Draw the panel and send this run's data. Called last in the entry point, when the page is
    drawn."""
    shown = run.now()
    hide = "".join(
        f".st-key-{'hide' if name == 'hiding' else name}," for name in shown.view.focus.hide
    )
    learned = (said_of_a_model if shown.page.path == "model" else said)(shown.link)
    says = learned | {"models": bool(pretrained.names())}  # one may come while the server runs
    answer = {"page": shown.page.path, "link": shown.link, "arrived": shown.arrived, "says": says}
    with st.sidebar:
        if shown.view.focus.lecture == "on":  # the lecture's screen has no room for them
            draw_figure_controls()
        _panel(key="panel", data=json.dumps(answer).encode())
        if hide:  # names of controls only, never a visitor's text
            elements.html(f"<style>{hide[:-1]} {{ display: none !important; }}</style>")


def said(parameters: str, address: str | None = None) -> dict[str, Any]:
    """Return the data that a link lacks, by its names in the panel, beside an `address` if that is
    another."""
    return _said(parameters, parameters if address is None else address, pretrained.names())


@lru_cache(maxsize=512)
def _said(parameters: str, address: str, _: tuple[str, ...]) -> dict[str, Any]:
    view, shown = read_link(parameters), parse_link(address)
    setup, typed = view.setup, link.DEFAULT_PARAMETERS | shown
    in_force = link.DEFAULT_PARAMETERS | view.in_force
    has_layers = setup.layer > 1 or (setup.init in ("trained", "real") and setup.layers > 1)
    not_narrow = f"{setup.heads} does not divide {setup.d_model}"
    return {
        "values": {
            name: in_force[name]
            for name in CONTROLS
            if not isinstance(FIELDS[name], TEXTS) and in_force[name] != typed[name]
        },
        "off": reasons(setup),
        "off_options": {"sizes": {"narrow": not_narrow}} if setup.d_model % setup.heads else {},
        "most": focus.most_of(setup),
        "words": [isolate(label) for label in labels(setup.tokens)],
        "asked": [isolate(label) for label in labels(setup.memory_tokens)],
        "usual": setup.usual,
        "layers": setup.layers if has_layers else 0,
        "preset": link.preset_of(setup),
        "edits": edits.list_edits(setup) if setup.changes else [],
        "adds": {},
    }


def said_of_a_model(address: str) -> dict[str, Any]:
    """Return the same for the page Real model; each act of its panel adds the model to the
    address."""
    read = select_model(address)
    shown = said(read, address)
    if read_link(read).setup.real is None:
        return shown
    selected, typed = (link.DEFAULT_PARAMETERS | parse_link(each) for each in (read, address))
    return shown | {
        "off": shown["off"] | {"init": "this page reads a real model"},
        "adds": {name: value for name, value in selected.items() if typed.get(name) != value},
    }


def reasons(setup: Setup) -> dict[str, str]:
    """Return the disabled controls with the reason; of several, the last below."""
    learned, further = setup.learns_words, setup.layer > 1 and not setup.real
    makers = setup.real is not None
    ties = (
        (True, f"heads are {setup.sizes}"),
        (setup.projections == "none", "no projections: one head, of d_model"),
        (bool(setup.real), OF_A_MODEL),
        (setup.numbers is not None, "the given numbers have it so"),
    )
    tie = [reason for holds, reason in ties if holds][-1]
    untrained = "these matrices are not trained here"
    rules = (
        *((True, name, tie) for name in setup.tied),
        (learned, "out", "each layer hands on what the next takes in"),
        (
            learned and "mask" in setup.tied,
            "mask",
            "whoever learns what comes next may not look ahead",
        ),
        (setup.projections == "none", "sizes", "there are no heads without projections"),
        (bool(setup.memory), "mask", "no place of one sentence comes before one of the other"),
        (learned, "memory", "what comes next is learned of one sentence"),
        (further, "memory", "a further layer has the keys of its own sentence"),
        (further, "out", "what a layer hands on has d_model numbers"),
        (not setup.has_window, "window", "this mask has no window"),
        (setup.init == "trained", "classes", "as many classes as labels"),
        (
            setup.init != "trained",
            "steps",
            f"{untrained}; the preset's own training is shown",
        ),
        (setup.init != "trained", "task", "its makers trained it" if makers else untrained),
        (setup.choose == "greedy", "draw_seed", "greedy draws nothing"),
    )
    return {name: reason for holds, name, reason in rules if holds}


# ---------- a page's own controls ----------


def control(name: str, options: Sequence[str] | None = None, **look: Any) -> Any:
    """Draw a control on the page and return its value; `options` limits a field's choices.

    A value outside them becomes the default, or the first option. `look` changes the drawing:
    another `kind`, or a text's `rows` and `hint`.
    """
    view = run.view()
    value = getattr(view.setup if name in core_setup.DEFAULTS else view.focus, name)
    if options:
        look["options"] = options
        if value not in options:
            value = FIELDS[name].default if FIELDS[name].default in options else options[0]
    if not isinstance(FIELDS[name], TEXTS):
        look["value"] = link.as_parameter(value)
    _control(key=name, data=json.dumps({"name": name} | look).encode())
    return value


def draw_figure_controls() -> None:
    """Draw the page's own controls, named in its row."""
    if names := run.now().page.controls:
        _controls(key="page_controls", data=json.dumps(names).encode())


def tabs(label: str, sets: dict[str, dict[str, str]], current: str, visible: bool = False) -> None:
    """Draw a choice as links, from titles to the link fields they set.

    `current` is the active title. `visible` shows the label to all, not only to screen readers.
    """
    parameters = parse_link(run.now().link)
    links = []
    for title, set_by_it in sets.items():
        href, data = (escape(urlencode(given)) for given in (parameters | set_by_it, set_by_it))
        marked = ' aria-current="true"' if title == current else ""
        links.append(f'<a href="?{href}" data-sets="{data}"{marked}>{escape(title)}</a>')
    text = f"<span>{label}</span>" if visible else ""
    elements.html(f'<nav class="ab-tabs" aria-label="{label}">{text}{"".join(links)}</nav>')


def messages() -> None:
    """Show the corrections of the link as plain text, since they may quote a visitor."""
    changes = run.now().messages
    if changes:
        with elements.container(border=True, key="changes"):
            elements.markdown(
                ":material/info: **Not everything in the link or the settings could be used as it"
                " was.**"
            )
            for change in changes:
                elements.text(change)
