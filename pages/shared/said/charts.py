"""Chart specifications: authored with Altair once in the life of a process, then plain dictionaries.

Data goes beside them. No colour is written into a specification where the theme has one.
"""

from functools import cache
from typing import Any

import altair as alt
import pandas as pd

Spec = dict[str, Any]
BRIEF = "replace(format(datum.value, '~s'), 'G', 'B')"  # 10k, 1M, 1B


def _finish(chart: alt.TopLevelMixin) -> Spec:
    spec = chart.to_dict(validate=False)
    for generated in ("datasets", "data", "$schema"):
        spec.pop(generated, None)
    return spec


def _data() -> pd.DataFrame:
    return pd.DataFrame()


@cache
def over_steps(title: str, share: bool) -> Spec:
    """Return a chart of a curve over the steps of training, for a projector; one for each kind, of shares or of numbers from 0 on.

    Fields: step, kind, value.
    """
    y = alt.Y(
        "value:Q", title=title, scale=alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=True), axis=alt.Axis(tickCount=4)
    )
    kind = alt.Color("kind:N", title=None, legend=alt.Legend(orient="top", symbolType="stroke"))
    chart = (
        alt.Chart(_data())
        .mark_line()
        .encode(
            x=alt.X("step:Q", title="steps made", axis=alt.Axis(grid=False, tickCount=6)),
            y=y,
            color=kind,
            strokeDash=alt.StrokeDash("kind:N", title=None),
            tooltip=["kind:N", "step:Q", alt.Tooltip("value:Q", format=".4f", title=title)],
        )
    )
    fonts = {"labelFontSize": 18, "titleFontSize": 18}
    return _finish(chart.properties(height=380).configure(axis=fonts, legend=fonts))


@cache
def over_d_k(title: str, scale: str, large: bool = False) -> Spec:
    """Return a chart of a curve over d_k for each kind, and a line at the reader's own d_k. Fields: d_k, kind, value, mine.

    `large` is for a projector.
    """
    scales = {"log": alt.Scale(type="log"), "share": alt.Scale(domain=[0, 1]), "slope": alt.Scale(domain=[0, 0.25])}
    ticks = alt.Axis(values=[1, 4, 16, 64, 512], grid=False)
    x = alt.X("d_k:Q", scale=alt.Scale(type="log", base=2), title="d_k", axis=ticks)
    base = alt.Chart(_data()).encode(x=x)
    line = base.mark_line().encode(
        y=alt.Y("value:Q", title=title, scale=scales[scale], axis=alt.Axis(tickCount=4)),
        color=alt.Color("kind:N", title=None, legend=alt.Legend(orient="top", direction="vertical", symbolType="stroke")),
        strokeDash=alt.StrokeDash("kind:N", title=None),
        tooltip=["kind:N", "d_k:Q", alt.Tooltip("value:Q", format=".4f", title=title)],
    )
    return _with_mine(base, line, "your d_k", large)


@cache
def over_length(title: str, is_log: bool, large: bool = False) -> Spec:
    """Return a chart of a curve over sentences' length for each kind, and a line at the reader's. Fields: words, kind, value, mine.

    `large` is for a projector.
    """
    x_scale, y_scale = (alt.Scale(type="log") if is_log else alt.Scale(zero=True) for _ in "xy")
    x = alt.X("words:Q", scale=x_scale, title="words", axis=alt.Axis(grid=False, tickCount=4))
    base = alt.Chart(_data()).encode(x=x)
    line = base.mark_line().encode(
        y=alt.Y("value:Q", title=title, scale=y_scale, axis=alt.Axis(tickCount=4, labelExpr=BRIEF)),
        color=alt.Color(
            "kind:N", title=None, sort=None, legend=alt.Legend(orient="top", direction="vertical", symbolType="stroke")
        ),
        strokeDash=alt.StrokeDash("kind:N", title=None, sort=None),
        tooltip=["kind:N", "words:Q", alt.Tooltip("value:Q", format=",", title=title)],
    )
    return _with_mine(base, line, "your sentence", large)


def _with_mine(base: alt.Chart, line: alt.Chart, whose: str, large: bool) -> Spec:
    """Return a chart of curves, and across them a line at the reader's own place; larger for a projector."""
    mine = base.mark_rule(strokeWidth=1.5).encode(x="mine:Q", color=alt.datum(whose))
    return _sized(alt.layer(line, mine), 280, large)


@cache
def histogram(without: str, with_it: str, large: bool = False) -> Spec:
    """Return a chart of how many of each kind lie between two numbers: `without` as bars in grey, `with_it` as an outline in ink.

    Fields: from, to, count, kind. `large` is for a projector.
    """
    colours = alt.Scale(domain=[with_it, without])  # the theme's first two are ink and grey
    base = alt.Chart(_data()).encode(
        x=alt.X("from:Q", title="score", axis=alt.Axis(grid=False, tickCount=6)),
        y=alt.Y("count:Q", title="how many scores", stack=None, axis=alt.Axis(tickCount=4)),
        color=alt.Color("kind:N", title=None, scale=colours, legend=alt.Legend(orient="top")),
        tooltip=["kind:N", "count:Q", alt.Tooltip("from:Q", format=".4f"), alt.Tooltip("to:Q", format=".4f")],
    )
    bars = base.transform_filter(alt.datum.kind == without).mark_bar(binSpacing=0)
    bars = bars.encode(x2="to:Q", y2=alt.datum(0))
    outline = base.transform_filter(alt.datum.kind == with_it).mark_line(interpolate="step-after", strokeWidth=2)
    return _sized(alt.layer(bars, outline), 300, large)


def _sized(chart: alt.LayerChart, height: int, large: bool) -> Spec:
    """Return the chart that high, or larger for a projector."""
    fonts = {"labelFontSize": 18, "titleFontSize": 18}
    return _finish(chart.properties(height=430).configure(axis=fonts, legend=fonts) if large else chart.properties(height=height))


@cache
def loss(steps: int) -> Spec:
    """Return a chart of the loss at each step of training. Fields: step, loss."""
    x = alt.X("step:Q", scale=alt.Scale(domain=[0, steps]), axis=alt.Axis(grid=False, format="d"))
    line = alt.Chart(_data()).mark_line(strokeWidth=2).encode(x=x, y=alt.Y("loss:Q", axis=alt.Axis(tickCount=4)))
    return _finish(line.encode(tooltip=["step:Q", alt.Tooltip("loss:Q", format=".4f")]).properties(height=230))
