"""An entry as an Altair chart: a heatmap for each head, in the colours of its role."""

from math import isfinite
from typing import Any

from ..board.colours import COLOURS, get_role
from ..board.themes import CONFIGURED
from ..trace.record import Entry


def plot(entry: Entry) -> Any:
    """Return an Altair chart to change or to save: words on both axes, further axes side by side.

    >>> from ..forward.trace import run
    >>> from ..setup.setup import Setup
    >>> run(Setup(text="a cat", heads=2))["weights"].chart().to_dict()["facet"]["field"]
    'head'
    """
    import altair as alt  # as pandas, imported only when needed

    table, light, role = entry.frame(tidy=True), CONFIGURED["light"], get_role(entry.name)
    *further, down, along = ("", *entry.dims)[-max(2, len(entry.dims)) :]
    sizes = [abs(v) for v in entry.value.flatten().tolist() if isfinite(v)]
    top = max(sizes, default=0) or 1
    scale = (
        alt.Scale(domain=[0, 1], range=light["chartSequentialColors"], interpolate="rgb")
        if role == "weights"
        else alt.Scale(domain=[-top, top], range=light["chartDivergingColors"], interpolate="rgb")
    )
    chart = (
        alt.Chart(table)
        .mark_rect()
        .encode(
            x=alt.X(f"{along}:O", sort=None),
            color=alt.Color(f"{entry.name}:Q", scale=scale, title=entry.symbol),
            tooltip=list(table.columns),
            **({"y": alt.Y(f"{down}:O", sort=None)} if down else {}),
        )
    )
    title = alt.TitleParams(entry.symbol, color=str(light[f"{COLOURS[role][0]}TextColor"]))
    if further:
        return chart.facet(f"{further[0]}:O", title=title)
    return chart.properties(title=title)
