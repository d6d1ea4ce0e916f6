"""Charts in Altair: each is built once per process, as the dictionary sent to Streamlit beside its
data.

Importing this imports Altair (half a second, thirty megabytes), so pages import it where they draw.
Colours come from the theme where it has one.
"""

from functools import cache
from typing import Any

# Import pandas fully before Altair, which takes it from `sys.modules` even if another thread has
# only begun to import it.
import pandas  # noqa: F401  isort:skip
import altair as alt

from core.board.themes import CONFIGURED

Spec = dict[str, Any]
DIVERGING = alt.Scale(range="diverging", domainMid=0)
EDGE = {"stroke": "gray", "strokeWidth": 0.6}  # makes a bar near zero visible
# The theme's grey in place of Streamlit's own, which has 3.8 : 1 on white; text needs 4.5 : 1.
GREY = alt.ExprRef(
    "luminance(background) > 0.5 ? '{light[grayTextColor]}' : '{dark[grayTextColor]}'".format_map(
        CONFIGURED
    )
)
LINES = alt.Legend(orient="top", direction="vertical", symbolType="stroke")


@cache
def make_steps_chart(title: str, share: bool, steps: int, large: bool = False) -> Spec:
    """Return a curve over the training steps for each kind, of shares or of numbers from 0 on.
    Fields: step, kind, value.

    `large` is for a projector.
    """
    scale = alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=True)
    axis = alt.Axis(grid=False, tickCount=6, format="d")
    x = alt.X("step:Q", title="steps made", scale=alt.Scale(domain=[0, steps]), axis=axis)
    y = alt.Y("value:Q", title=title, scale=scale, axis=alt.Axis(tickCount=4))
    told = ["step:Q", alt.Tooltip("value:Q", format=".4f", title=title)]
    legend = alt.Legend(orient="top", symbolType="stroke")
    return _set_size(_curves(x, y, told, legend=legend), 300, large)


@cache
def make_d_k_chart(title: str, scale: str, large: bool = False) -> Spec:
    """Return a curve over d_k for each kind, and a line at the setup's d_k. Fields: d_k, kind,
    value, mine."""
    scales = {
        "log": alt.Scale(type="log"),
        "share": alt.Scale(domain=[0, 1]),
        "slope": alt.Scale(domain=[0, 0.25]),
    }
    axis = alt.Axis(values=[1, 4, 16, 64, 512], grid=False)
    x = alt.X("d_k:Q", title="d_k", scale=alt.Scale(type="log", base=2), axis=axis)
    y = alt.Y("value:Q", title=title, scale=scales[scale], axis=alt.Axis(tickCount=4))
    told = ["d_k:Q", alt.Tooltip("value:Q", format=".4f", title=title)]
    return _set_size(_curves(x, y, told, legend=LINES) + _mine("your d_k"), 280, large)


@cache
def histogram(without: str, with_it: str, large: bool = False) -> Spec:
    """Return a histogram of two kinds: `without` as grey bars, `with_it` as an outline. Fields:
    from, to, count, kind."""
    colours = alt.Scale(domain=[with_it, without])  # the theme's first two are ink and grey
    counts = alt.Chart().encode(
        x=alt.X("from:Q", title="score", axis=alt.Axis(grid=False, tickCount=6)),
        y=alt.Y("count:Q", title="how many scores", stack=None, axis=alt.Axis(tickCount=4)),
        color=alt.Color("kind:N", title=None, scale=colours, legend=alt.Legend(orient="top")),
        tooltip=[
            "kind:N",
            "count:Q",
            alt.Tooltip("from:Q", format=".4f"),
            alt.Tooltip("to:Q", format=".4f"),
        ],
    )
    bars = counts.mark_bar(binSpacing=0).encode(x2="to", y2=alt.datum(0))
    outline = counts.mark_line(interpolate="step-after", strokeWidth=2)
    only = alt.FieldEqualPredicate
    return _set_size(
        bars.transform_filter(only(field="kind", equal=without))
        + outline.transform_filter(only(field="kind", equal=with_it)),
        300,
        large,
    )


@cache
def make_running_sum_chart(axis: str, large: bool = False) -> Spec:
    """Return a cell's terms along an axis as bars, and their running sum as steps. Fields: place,
    label, term, sum."""
    terms = alt.Chart().encode(
        x=alt.X(
            "label:N",
            title=axis,
            sort=alt.SortField("place"),
            axis=alt.Axis(labelAngle=0, labelOverlap=True, labelLimit=110),
        ),
        tooltip=[
            alt.Tooltip("label:N", title=axis),
            alt.Tooltip("term:Q", format=".4f"),
            alt.Tooltip("sum:Q", title="sum so far", format=".4f"),
        ],
    )
    bars = terms.mark_bar(**EDGE).encode(
        y=alt.Y("term:Q", title="term, sum so far", axis=alt.Axis(tickCount=6)),
        color=alt.Color("term:Q", scale=DIVERGING, legend=None),
    )
    sums = terms.mark_line(interpolate="step", point=alt.OverlayMarkDef(size=36)).encode(y="sum:Q")
    return _set_size(bars + sums, 280, large)


@cache
def waterfall(large: bool = False) -> Spec:
    """Return a waterfall chart of a sum: each bar starts where the previous one ends. Fields:
    place, part, from, to, brings, told."""
    zero = alt.Chart().mark_rule(strokeDash=[3, 3], color=GREY).encode(y=alt.datum(0))
    bars = (
        alt.Chart()
        .mark_bar(**EDGE)
        .encode(
            x=alt.X(
                "part:N",
                title=None,
                sort=alt.SortField("place"),
                axis=alt.Axis(labelAngle=0, labelOverlap=True, labelLimit=200),
            ),
            y=alt.Y(
                "from:Q",
                title="sum so far",
                scale=alt.Scale(nice=True),
                axis=alt.Axis(tickCount=5),
            ),
            y2="to",
            color=alt.Color("brings:Q", scale=DIVERGING, legend=None),
            tooltip=[alt.Tooltip("told:N", title="part"), alt.Tooltip("brings:Q", format=".4f")],
        )
    )
    return _set_size(zero + bars, 280, large)


def _curves(x: alt.X, y: alt.Y, tooltip: list[Any], **how: Any) -> alt.LayerChart:
    """Return a curve for each kind by colour and dashes; the point nearest to the pointer has a
    tooltip."""
    lines = (
        alt.Chart()
        .mark_line()
        .encode(
            x,
            y,
            alt.Color("kind:N", title=None, **how),
            alt.StrokeDash("kind:N", title=None, **how),
        )
    )
    near = alt.selection_point(name="near", on="pointerover", nearest=True, empty=False)
    dots = lines.mark_point(filled=True, size=60, aria=False).encode(
        opacity=alt.when(near).then(alt.value(1)).otherwise(alt.value(0)),
        tooltip=["kind:N", *tooltip],
    )
    return lines + dots.add_params(near)


def _mine(whose: str) -> alt.Chart:
    """Return a vertical line at the setup's own value."""
    return alt.Chart().mark_rule(strokeWidth=1.5).encode(x="mine:Q", color=alt.datum(whose))


def _set_size(chart: alt.LayerChart, height: int, large: bool) -> Spec:
    """Return the chart as a dictionary with this height; larger for a projector."""
    chart = chart.properties(data=alt.NamedData("rows"), height=430 if large else height)
    font = {"labelFontSize": 20, "titleFontSize": 20} if large else {}
    font |= {"labelColor": GREY, "titleColor": GREY}
    chart = chart.configure_axis(**font).configure_legend(**font)
    spec = chart.to_dict()
    del spec["data"]  # passed separately
    return spec
