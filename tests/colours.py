"""The colours of cells as people with the three common colour deficiencies see them.

`python -m tests.colours` draws `assets/colours.svg`; the tests hold what the picture shows.
"""

import tomllib

import numpy as np
from colorspacious import cspace_convert, deltaE

from tests.benchmarks.server import ROOT

KINDS = {
    "usual": None,
    "protanopia": "protanomaly",
    "deuteranopia": "deuteranomaly",
    "tritanopia": "tritanomaly",
}
RANGES = {"diverging": "chartDivergingColors", "sequential": "chartSequentialColors"}
MODES = ("light", "dark")


def colours(mode: str, name: str) -> list[str]:
    """A range of the theme, ten colours."""
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))[
        "theme"
    ]
    return theme[mode][RANGES[name]]


def rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255


def seen(colour: str, kind: str) -> np.ndarray:
    """What somebody with this deficiency sees (Machado, Oliveira and Fernandes 2009, full
    severity), as sRGB from 0 to 1."""
    if KINDS[kind] is None:
        return rgb(colour)
    space = {"name": "sRGB1+CVD", "cvd_type": KINDS[kind], "severity": 100}
    return np.clip(cspace_convert(rgb(colour), space, "sRGB1"), 0, 1)


def lightness(colour: str, kind: str) -> float:
    return float(cspace_convert(seen(colour, kind), "sRGB1", "CIELab")[0])


def apart(one: str, other: str, kind: str) -> float:
    """How different two colours look, CAM02-UCS; from about 10 on nobody takes one for the
    other."""
    return float(deltaE(seen(one, kind), seen(other, kind), input_space="sRGB1"))


def luminance(colour: str) -> float:
    parts = np.array(
        [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in rgb(colour)]
    )
    return float(parts @ (0.2126, 0.7152, 0.0722))


def contrast(one: str, other: str) -> float:
    """Between 1 and 21 (Web Content Accessibility Guidelines); text needs 4.5."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def main() -> None:
    parts, y = [], 0
    for mode in MODES:
        background = colours(mode, "sequential")[0]
        ink = "#16202b" if mode == "light" else "#e8edf2"
        parts.append(
            f'<rect x="0" y="{y}" width="760" height="{46 + 34 * len(KINDS)}" fill="{background}"/>'
        )
        for column, name in enumerate(RANGES):
            x = 110 + column * 330
            parts.append(
                f'<text x="{x}" y="{y + 26}" fill="{ink}" font-weight="bold">{name}, {mode}</text>'
            )
            for row, kind in enumerate(KINDS):
                top = y + 38 + row * 34
                if not column:
                    parts.append(
                        f'<text x="100" y="{top + 18}" fill="{ink}" text-anchor="end">{kind}</text>'
                    )
                for place, colour in enumerate(colours(mode, name)):
                    fill = "#" + "".join(f"{round(v * 255):02x}" for v in seen(colour, kind))
                    parts.append(
                        f'<rect x="{x + place * 30}" y="{top}" width="30" height="26"'
                        f' fill="{fill}"/>'
                    )
        y += 46 + 34 * len(KINDS)
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {y}" font-family="sans-serif"'
        ' font-size="13">'
    )
    (ROOT / "assets" / "colours.svg").write_text(
        picture + "".join(parts) + "</svg>\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
