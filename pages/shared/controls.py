"""Widgets of setup and focus. Each is bound to the link under the name of its field, and shows what is in force."""

from collections.abc import Sequence
from typing import Any

from core import setup as core_setup
from core.setup import CHOICES, RANGES
from pages.shared import elements, focus, link, state

HELP = {
    "d_model": "How many numbers stand for one word.",
    "d_k": "How many numbers a query and a key have. They are multiplied with each other, so both have the same.",
    "d_v": "How many numbers a value has. Values are only added up, so this is free of d_k.",
    "heads": "How many times attention runs beside itself, each with weights of its own.",
    "out": "What W_o maps back to: d_v, as the notebook does, or d_model, as the paper does, so that it can be added "
    "to the input.",
    "init": "How the weights are drawn: between 0 and 1, from a normal distribution, or Glorot's (Xavier's) uniform.",
    "scale": "√d_k once on the scores; d_k^¼ on queries and on keys before they meet, which keeps the numbers in between "
    "smaller; or not at all.",
    "seed": "Where the random numbers start. The same seed gives the same weights, always and everywhere.",
    "query": "The word that asks, counted from 1: its row is followed on every page. Clicking a cell sets it too.",
    "key": "The word that is asked.",
    "head": "The head whose matrices are shown.",
    "column": "Which number of a word's vector is written out. Past a matrix's end, its last column is.",
    "positions": "A row of numbers for each place in the sentence, added to the word's: waves as in the paper, or random.",
    "bias": "A number added to every column of the projections and of the output.",
    "temperature": "The scaled scores are divided by it: small is sharp, large is even.",
    "mask": "causal: a word may look only at itself and at what came before it.",
    "sizes": "narrow: d_k = d_v = d_model / heads, where that is whole. wide: d_k = d_v = d_model. free: as you like.",
    "others": "Further sentences, one a line, up to seven. With the first they are a batch.",
    "sentence": "The sentence of the batch whose matrices are shown large.",
    "padding": "Where short sentences are filled up, and whether a mask hides that.",
    "dropout": "The share of weights struck out at random while a model is trained.",
    "dropout_seed": "Which weights dropout strikes out: another number, others.",
    "layers": "How many blocks stand on top of one another.",
    "layer": "The block whose tensors are shown.",
    "norm": "post: add, then bring to mean 0 and spread 1, as in the paper. pre: bring to mean 0 and spread 1 on the way in.",
    "activation": "relu keeps what is positive; gelu lets go of the rest gradually.",
    "d_ff": "How many numbers the feed-forward part has for each word in between; up to 4 · d_model.",
    "classes": "How many classes the classifier tells apart.",
    "shuffle": "Which order the words are put into; 0 leaves them as they are.",
    "lecture": "Large type, one idea on screen; → and Space go on, ← goes back, Home to the page's first.",
    "notes": "What to say and to ask: for a second window, which goes along with the projected one.",
    "hide": "They keep their values and go from the screen of whoever opens this link.",
    "projections": "none: queries, keys and values are the embeddings themselves; there is nothing to learn.",
}
_ALL_CHOICES = CHOICES | focus.CHOICES
_ALL_RANGES = RANGES | focus.RANGES


def in_force(name: str) -> Any:
    """The value of a field that counts in this run."""
    return getattr(state.setup() if name in core_setup.DEFAULTS else state.focus(), name)


def choice(name: str, label: str, options: Sequence[str] | None = None, disabled: bool = False) -> str:
    """One of a few. An option that is not offered gives way to the default, or to the first."""
    options, wanted, default = list(options or _ALL_CHOICES[name]), in_force(name), link.DEFAULTS[name]
    if wanted not in options:
        wanted = default if default in options else options[0]
    elements.segmented_control(
        label, options, default=default, key=name, bind="query-params", required=True, disabled=disabled,
        help=HELP.get(name), width="stretch", fresh=state.settle(name, wanted),
    )  # fmt: skip
    return wanted


def choose(name: str, label: str, options: Sequence[str]) -> str:
    """One of many."""
    wanted = in_force(name)
    elements.selectbox(label, list(options), key=name, bind="query-params", fresh=state.settle(name, wanted))
    return wanted


def slider(name: str, label: str | None = None, disabled: bool = False) -> None:
    """A number from a range."""
    low, high = _ALL_RANGES[name]
    step = 0.1 if name in core_setup.FRACTIONS else 1
    elements.slider(
        label or name, low, high, link.DEFAULTS[name], step, key=name, bind="query-params", disabled=disabled,
        help=HELP.get(name), fresh=state.settle(name, in_force(name)),
    )  # fmt: skip


def number(name: str, label: str) -> None:
    """A number from a range too wide to slide."""
    fresh = state.settle(name, in_force(name))
    low, high = _ALL_RANGES[name]
    elements.number_input(label, low, high, link.DEFAULTS[name], key=name, bind="query-params", help=HELP[name], fresh=fresh)


def hidden(label: str) -> None:
    """The controls that the link takes off the screen."""
    fresh = state.settle("hide", list(state.focus().hide))
    elements.multiselect(label, focus.HIDEABLE, key="hide", bind="query-params", help=HELP["hide"], fresh=fresh)


def typed(name: str) -> str:
    """A text as its reader typed it: what of it does not fit is told and not taken away."""
    return link.parse(state.memory().query).get(name, core_setup.DEFAULTS[name])
