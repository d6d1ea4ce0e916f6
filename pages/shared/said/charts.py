"""Chart specifications: Vega-Lite's own dictionaries, made once in the life of a process.

Data goes beside them. No colour is written into a specification where the theme has one. Altair
would write the same; it and what it imports take sixty megabytes.
"""

from functools import cache
from typing import Any

Spec = dict[str, Any]
BRIEF = "replace(format(datum.value, '~s'), 'G', 'B')"  # 10k, 1M, 1B
LARGE = {
    name: {"labelFontSize": 18, "titleFontSize": 18} for name in ("axis", "legend")
}  # for a projector
VIEW = {"view": {"continuousHeight": 300, "continuousWidth": 300}}
LINES = {"orient": "top", "direction": "vertical", "symbolType": "stroke"}


@cache
def over_steps(title: str, share: bool) -> Spec:
    """Return a chart of a curve over the steps of training, for a projector; one for each kind, of
    shares or of numbers from 0 on.

    Fields: step, kind, value.
    """
    x = _number("step", title="steps made", axis={"grid": False, "tickCount": 6})
    y = _number(
        "value",
        title=title,
        scale={"domain": [0, 1]} if share else {"zero": True},
        axis={"tickCount": 4},
    )
    curves = _curves(x, y, ".4f", {"orient": "top", "symbolType": "stroke"})
    return _sized(curves, 380, fonts=True)


@cache
def over_d_k(title: str, scale: str, large: bool = False) -> Spec:
    """Return a chart of a curve over d_k for each kind, and a line at the reader's own d_k. Fields:
    d_k, kind, value, mine.

    `large` is for a projector.
    """
    scales = {"log": {"type": "log"}, "share": {"domain": [0, 1]}, "slope": {"domain": [0, 0.25]}}
    axis = {"values": [1, 4, 16, 64, 512], "grid": False}
    x = _number("d_k", title="d_k", scale={"type": "log", "base": 2}, axis=axis)
    y = _number("value", title=title, scale=scales[scale], axis={"tickCount": 4})
    return _with_mine(_curves(x, y, ".4f", LINES), "your d_k", large)


@cache
def over_length(title: str, is_log: bool, large: bool = False) -> Spec:
    """Return a chart of a curve over sentences' length for each kind, and a line at the reader's.
    Fields: words, kind, value, mine.

    `large` is for a projector.
    """
    scale = {"type": "log"} if is_log else {"zero": True}
    x = _number("words", title="words", scale=scale, axis={"grid": False, "tickCount": 4})
    y = _number("value", title=title, scale=scale, axis={"tickCount": 4, "labelExpr": BRIEF})
    return _with_mine(_curves(x, y, ",", LINES, sort=None), "your sentence", large)


@cache
def histogram(without: str, with_it: str, large: bool = False) -> Spec:
    """Return a chart of how many of each kind lie between two numbers: `without` as bars in grey,
    `with_it` as an outline in ink.

    Fields: from, to, count, kind. `large` is for a projector.
    """
    colours = {"domain": [with_it, without]}  # the theme's first two are ink and grey
    encoding = {
        "x": _number("from", title="score", axis={"grid": False, "tickCount": 6}),
        "y": _number("count", title="how many scores", stack=None, axis={"tickCount": 4}),
        "color": _kind(title=None, scale=colours, legend={"orient": "top"}),
        "tooltip": [
            _kind(),
            _number("count"),
            _number("from", format=".4f"),
            _number("to", format=".4f"),
        ],
    }
    to_the_axis = {"x2": {"field": "to"}, "y2": {"datum": 0}}
    bars = {"mark": {"type": "bar", "binSpacing": 0}, "encoding": encoding | to_the_axis} | _only(
        without
    )
    outline = {
        "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
        "encoding": encoding,
    } | _only(with_it)
    return _layers(bars, outline, 300, large)


@cache
def loss(steps: int) -> Spec:
    """Return a chart of the loss at each step of training. Fields: step, loss."""
    encoding = {
        "x": _number("step", scale={"domain": [0, steps]}, axis={"grid": False, "format": "d"}),
        "y": _number("loss", axis={"tickCount": 4}),
        "tooltip": [_number("step"), _number("loss", format=".4f")],
    }
    return _sized({"mark": {"type": "line", "strokeWidth": 2}, "encoding": encoding}, 230)


def _number(field: str, **how: Any) -> Spec:
    return {"field": field, "type": "quantitative"} | how


def _kind(**how: Any) -> Spec:
    return {"field": "kind", "type": "nominal"} | how


def _curves(x: Spec, y: Spec, digits: str, legend: Spec, **order: Any) -> Spec:
    """Return a curve for each kind, told apart by colour and by dashes."""
    tooltip = [_kind(), _number(x["field"]), _number("value", format=digits, title=y["title"])]
    encoding = {
        "x": x,
        "y": y,
        "color": _kind(title=None, legend=legend, **order),
        "strokeDash": _kind(title=None, **order),
    }
    return {"mark": {"type": "line"}, "encoding": encoding | {"tooltip": tooltip}}


def _with_mine(curves: Spec, whose: str, large: bool) -> Spec:
    """Return a chart of curves, and across them a line at the reader's own place; larger for a
    projector."""
    encoding = {"x": _number("mine"), "color": {"datum": whose}}
    return _layers(
        curves, {"mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": encoding}, 280, large
    )


def _only(kind: str) -> Spec:
    return {"transform": [{"filter": {"field": "kind", "equal": kind}}]}


def _layers(below: Spec, above: Spec, height: int, large: bool) -> Spec:
    """Return both in one chart, that high, or larger for a projector."""
    return _sized({"layer": [below, above]}, 430 if large else height, fonts=large)


def _sized(chart: Spec, height: int, fonts: bool = False) -> Spec:
    return chart | {"height": height, "config": VIEW | (LARGE if fonts else {})}
