"""The page at hand as one file that needs no server: the browser writes it, of what it shows and of
the scripts that it is given."""

import json
from functools import cache
from pathlib import Path

from pages.shared.browser.scripts import script, styles
from pages.shared.browser.themes import themes
from pages.shared.said import elements

HERE = Path(__file__).parent
_file = elements.component("attention_page_file", js=script("frame/share/page_file"))


def show(path: str, address: str) -> None:
    """Draw a button that saves the page; `address` is where the living one is."""
    name = f"attention-{path or 'overview'}.html"
    _file(
        key="page_file",
        data=json.dumps(
            {"css": _css(), "script": _script(), "address": address, "name": name}
        ).encode(),
    )


@cache
def _script() -> str:
    """Return the boards' scripts, and what mounts each of them."""
    return script("frame/share/standing")


@cache
def _css() -> str:
    """Return the explorer's styles, Streamlit's colours in both themes, and what else a page of
    text needs."""
    light, dark = (
        ";".join(f"{name}:{_value(value)}" for name, value in colours.items())
        for colours in themes().values()
    )
    return (
        f":root{{color-scheme:light dark;{light}}}@media"
        f" (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{styles()}\n"
        + (HERE / "standing.css").read_text(encoding="utf-8")
    )


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
