"""How time and bytes of a rerun grow with tokens and with heads; prints them and draws assets/growth.svg.

python -m tests.benchmarks.growth
"""

import asyncio
import statistics

import altair as alt
import pandas as pd

from tests.benchmarks.server import ROOT, serving
from tests.benchmarks.viewer import Viewer

TOKENS = (2, 4, 8, 16, 32)
HEADS = (1, 2, 4, 8, 16)
PAGES = ("scores", "weights", "heads")


def cases() -> list[tuple[str, int, dict[str, object]]]:
    tokens = [("tokens", n, {"text": " ".join(f"word{k}" for k in range(n))}) for n in TOKENS]
    return tokens + [("heads", n, {"heads": n}) for n in HEADS]


async def measure(reruns: int = 15) -> pd.DataFrame:
    """Medians for three pages, one thing growing at a time, the rest at its default."""
    rows = []
    with serving(ROOT / "streamlit_app.py") as app:
        for page in PAGES:
            for grows, count, setup in cases():
                async with Viewer(app.port) as viewer:
                    await viewer.run(page, **setup)
                    runs = [await viewer.run(page, **setup, seed=k + 1) for k in range(reruns)]
                size = sorted(run.size for run in runs)[reruns // 2]
                rows.append((page, grows, count, statistics.median(run.seconds for run in runs) * 1e3, size / 1000))
    return pd.DataFrame(rows, columns=["page", "grows", "count", "ms", "kB"])


def draw(measured: pd.DataFrame) -> None:
    base = alt.Chart(measured).encode(
        x=alt.X("count:Q", scale=alt.Scale(type="log", base=2), title=None),
        color=alt.Color("page:N", scale=alt.Scale(range=["#8a5a00", "#6435b8", "#1f7d79"])),
    )
    panels = [
        base.transform_filter(alt.datum.grows == grows)
        .mark_line(point=True)
        .encode(y=alt.Y(f"{value}:Q", title=f"{value} a rerun"))
        .properties(title=f"{value} over the number of {grows}", width=260, height=170)
        for value in ("ms", "kB")
        for grows in ("tokens", "heads")
    ]
    chart = alt.vconcat(alt.hconcat(*panels[:2]), alt.hconcat(*panels[2:])).configure(background="white")
    chart.save(str(ROOT / "assets" / "growth.svg"))


def main() -> None:
    measured = asyncio.run(measure())
    print(measured.pivot(index=["grows", "count"], columns="page", values=["ms", "kB"]).round(1).to_string())
    draw(measured)


if __name__ == "__main__":
    main()
