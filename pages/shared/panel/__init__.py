"""The panel: every choice of the setup, drawn by one component of our own (`panel.js`) from what
fields declare and the address.

Its controls have no value that a server could write: they show what the address says. The server
adds what the address does not say: which controls a choice has tied, and to what; the sentence's
words; what was corrected.
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

from core import pretrained
from core import setup as core_setup
from core.edits import DECIMALS, LARGEST, MOST_EDITS
from core.fields import Choice, Number
from core.sentences import Lines, Sentence, Word
from core.setup import DEFAULTS, Setup
from core.text import isolated, labels
from pages.shared import link
from pages.shared.link import focus, layout, parse_link, read_link, write_link
from pages.shared.link.beats import ROUTES
from pages.shared.link.brought import Brought
from pages.shared.link.fields import CONTROLS, FIELDS
from pages.shared.link.pages import PAGES
from pages.shared.said import edits, elements, glossary
from pages.shared.server import run

LOGO = Path(__file__).parents[3] / "assets" / "logo.svg"
# a file would be read anew for each page
ICON = f"data:image/svg+xml;base64,{b64encode(LOGO.read_bytes()).decode()}"
OF_A_MODEL = "the model's"
WIDEST_SLIDER = 1000  # a range wider than this many numbers is typed into
_panel = elements.component("attention_panel", "attentionPanel")
_control = elements.component("attention_control", "attentionControl")
_controls = elements.component("attention_controls", "attentionControls")


# ---------- sent once ----------


def constants() -> dict[str, Any]:
    """Return what the browser's scripts need to know of pages, fields and presets: the same for all
    visitors."""
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
        "fields": {name: declared(name) for name in CONTROLS},
        "defaults": link.DEFAULT_PARAMETERS,
        "layout": {
            name: getattr(layout, name.upper())
            for name in (
                "sentence",
                "sizes",
                "choices",
                "followed",
                "lecture",
                "derived",
                "for_teachers",
            )
        },
        "presets": {
            name: {"changes": link.preset_changes(name), "teaches": layout.TEACHES[name]}
            for name in link.PRESETS
        },
        "edits": {"most": MOST_EDITS, "largest": LARGEST, "decimals": DECIMALS},
        "setup": list(core_setup.DEFAULTS),
        "glossary": glossary.as_data(),
        "reset": link.reset_changes(),
    }


def declared(name: str) -> dict[str, Any]:
    """Return a field as the browser draws it: its kind, label, help, and what it may hold."""
    field, control = FIELDS[name], CONTROLS[name]
    said = {"label": control.label, "help": control.help or ""}
    match field:
        case Choice():
            return said | {
                "kind": "choice",
                "options": (*field.options, *field.unlisted),
                "unlisted": field.unlisted,
            }
        case Number(low=low, high=high):
            if (
                name == "layer"
            ):  # a model that is read may have more, and then dots in place of a slider
                high = core_setup.RANGES["layers"][1]
            slides = layout.SLIDES_TO.get(name, high)
            kind = "range" if slides - low < WIDEST_SLIDER else "number"
            return said | {
                "kind": kind,
                "low": low,
                "high": high,
                "slides": slides,
                "step": 1 if field.type is int else _step(low, slides, field.default),
            }
        case Sentence() | Lines() | Brought() | Word():
            kind = (
                "text"
                if isinstance(field, Sentence | Word)
                else "pasted"
                if isinstance(field, Brought)
                else "lines"
            )
            return said | {"kind": kind, "most": field.most}
        case _:
            return said | {"kind": "names", "options": focus.NAMED[name]}


def _step(*values: float) -> float:
    """Return the step of a slider that can stand at each of these values: tenths, or where they are
    finer hundredths."""
    return 0.1 if all(abs(round(value, 1) - value) < 1e-9 for value in values) else 0.01


# ---------- sent with each run ----------


def show() -> None:
    """Draw the panel, and send the browser what it learns of this run. Last in the entry point:
    what it answers is drawn by then."""
    shown = run.now()
    hide = "".join(
        f".st-key-{'hide' if name == 'hiding' else name}," for name in shown.view.focus.hide
    )
    learned = (said_of_a_model if shown.page.path == "model" else said)(shown.link)
    says = learned | {"models": bool(pretrained.names())}  # one may come while the server runs
    answer = {"page": shown.page.path, "link": shown.link, "arrived": shown.arrived, "says": says}
    with st.sidebar:
        if shown.view.focus.lecture == "on":  # whose screen has no room for them
            at_the_figure()
        _panel(key="panel", data=json.dumps(answer).encode())
        if hide:  # the names are our own, never a visitor's text
            elements.html(f"<style>{hide[:-1]} {{ display: none !important; }}</style>")


@lru_cache(maxsize=512)
def said(parameters: str) -> dict[str, Any]:
    """Return what a link does not say by itself, under the names that the panel shows it by."""
    view = read_link(parameters)
    setup, looked_at, typed = view.setup, view.focus, parse_link(parameters)
    in_force = {name: view.in_force.get(name, link.DEFAULT_PARAMETERS[name]) for name in CONTROLS}
    texts = [
        name
        for name, field in FIELDS.items()
        if isinstance(field, Sentence | Lines | Brought | Word)
    ]
    return {
        "values": {
            name: value
            for name, value in in_force.items()
            if name not in texts and value != typed.get(name, link.DEFAULT_PARAMETERS[name])
        },
        "off": reasons(setup),
        "off_options": (
            {"sizes": {"narrow": _why_not_narrow(setup)}} if setup.d_model % setup.heads else {}
        ),
        "words": [isolated(label) for label in labels(setup.tokens)],
        "asked": [isolated(label) for label in labels(setup.memory_tokens)],
        "usual": setup.usual,
        "heads": setup.heads,
        "layers": (
            setup.layers
            if setup.layer > 1 or (setup.init in ("trained", "real") and setup.layers > 1)
            else 0
        ),
        "preset": link.preset_of(setup),
        "edits": edits.listed(setup) if setup.changes else [],
        "held": _apart(looked_at.held, setup) if looked_at.held else None,
    }


def said_of_a_model(parameters: str) -> dict[str, Any]:
    """Return the same where a model reads the sentence, whatever else is chosen: what is the
    model's is out of use."""
    own, read = said(parameters), said(write_link(parse_link(parameters) | {"init": "real"}))
    its = {name for name, why in read["off"].items() if why == OF_A_MODEL}
    values = {name: value for name, value in own["values"].items() if name not in its}
    values |= {name: value for name, value in read["values"].items() if name in its}
    return own | {"values": values, "off": own["off"] | dict.fromkeys(its, OF_A_MODEL)}


def reasons(setup: Setup) -> dict[str, str]:
    """Return the controls that are out of use, each with the reason."""
    by_what = (
        "no projections: one head, of d_model"
        if setup.projections == "none"
        else f"heads are {setup.sizes}"
    )
    if setup.real:
        by_what = OF_A_MODEL
    if setup.numbers is not None:
        by_what = "the given numbers have it so"
    off = dict.fromkeys(setup.tied, by_what)
    if setup.learns_words:
        off["out"] = "each layer hands on what the next takes in"
    if setup.learns_words and "mask" in setup.tied:
        off["mask"] = "whoever learns what comes next may not look ahead"
    if setup.projections == "none":
        off["sizes"] = "there are no heads without projections"
    if setup.memory:
        off["mask"] = "no place of one sentence comes before one of the other"
    if setup.learns_words:
        off["memory"] = "what comes next is learned of one sentence"
    if setup.layer > 1 and not setup.real:
        off["memory"] = "a further layer asks its own sentence"
        off["out"] = "what a layer hands on has d_model numbers"
    if not setup.has_window:
        off["window"] = "this mask has no window"
    if setup.init == "trained":
        off["classes"] = "as many classes as labels"
    else:
        off["steps"] = "these weights are not trained here; the preset's own training is shown"
        off["task"] = (
            "these weights are not trained here" if setup.real is None else "its makers trained it"
        )
    if setup.choose == "greedy":
        off["draw_seed"] = "greedy draws nothing"
    return off


def _why_not_narrow(setup: Setup) -> str:
    return f"{setup.heads} does not divide {setup.d_model}"


def _apart(held: Setup, present: Setup) -> list[tuple[str, str, str]]:
    """Return the choices that differ: the name, and what it is on both sides."""
    values = ((name, str(getattr(held, name)), str(getattr(present, name))) for name in DEFAULTS)
    return [each for each in values if each[1] != each[2]]


# ---------- a page's own controls ----------


def control(name: str, options: Sequence[str] | None = None, **look: Any) -> Any:
    """Draw a control on the page, and return the value in force. Without `options` all of the
    field's are offered.

    One that is not offered gives way to the default, or to the first. `look` is how it is drawn:
    another `kind`, as "select", or of a text of several lines `rows` and `hint`.
    """
    view = run.view()
    value = getattr(view.setup if name in core_setup.DEFAULTS else view.focus, name)
    if options and value not in options:
        value = FIELDS[name].default if FIELDS[name].default in options else options[0]
    asked = {"name": name, "options": options} | look
    text = isinstance(FIELDS[name], Lines | Brought)
    _control(
        key=name,
        data=json.dumps(asked | ({} if text else {"value": link.as_parameter(value)})).encode(),
    )
    return value


def at_the_figure() -> None:
    """Draw the controls that this page has more than the others, as its row names them."""
    if names := run.now().page.controls:
        _controls(key="page_controls", data=json.dumps(names).encode())


def tabs(label: str, sets: dict[str, dict[str, str]], current: str, visible: bool = False) -> None:
    """Draw a choice of a few as links, each by its title: what it sets in the link can have another
    name than what a reader reads.

    `current` is the title of the one in force. `visible`: the label is for all to see, not for a
    screen reader alone.
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
    """Draw what of the link could not be used as it was, as plain text: it may quote what a visitor
    typed."""
    changes = run.now().messages
    if changes:
        with elements.container(border=True, key="changes"):
            elements.markdown(
                ":material/info: **Not everything in the link or the settings could be used as it"
                " was.**"
            )
            for change in changes:
                elements.text(change)
