"""An entry as an Altair chart: a heatmap for each head, in the colours of its role."""

from math import isfinite
from typing import Any

from ..board.colours import COLOURS, get_role
from ..board.themes import CONFIGURED
from ..trace.optional import load_library
from ..trace.record import Entry


def plot(entry: Entry) -> Any:
    """Return an Altair chart to change or to save: words on both axes, further axes side by side.

    >>> from ..forward.trace import run
    >>> from ..setup.setup import Setup
    >>> run(Setup(text="a cat", heads=2))["weights"].chart().to_dict()["facet"]["field"]
    'head'
    """
    alt = load_library("altair")

    name, light, role = entry.name, CONFIGURED["light"], get_role(entry.name)
    *further, down, along = ("", *entry.dims)[-max(2, len(entry.dims)) :]
    rows = [
        row | {name: row[name] if isfinite(row[name]) else None}
        for row in entry.frame(tidy=True).to_dict("records")
    ]
    top = max((abs(row[name]) for row in rows if row[name] is not None), default=0) or 1
    kind, ends = ("Sequential", [0, 1]) if role == "weights" else ("Diverging", [-top, top])
    scale = alt.Scale(domain=ends, range=light[f"chart{kind}Colors"], interpolate="rgb")
    chart = (
        alt.Chart(alt.Data(values=rows))  # a frame would be limited to 5,000 rows
        .mark_rect()
        .encode(
            x=alt.X(f"{along}:O", sort=None),
            color=alt.Color(f"{name}:Q", scale=scale, title=entry.symbol),
            tooltip=[*(f"{axis}:N" for axis in entry.dims), f"{name}:Q"],
            **({"y": alt.Y(f"{down}:O", sort=None)} if down else {}),
        )
    )
    title = alt.TitleParams(entry.symbol, color=str(light[f"{COLOURS[role][0]}TextColor"]))
    if further:
        return chart.facet(f"{further[0]}:O", title=title)
    return chart.properties(title=title)
