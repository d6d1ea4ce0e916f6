"""Published examples to open, with the mistakes in their printed numbers."""

import html
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pages.shared.layout import show
from pages.shared.text import elements

FILE = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class Example:
    """An example: its text, its source, the wrong steps, and a description."""

    name: str
    title: str
    source: str
    url: str
    wrong: tuple[str, ...]
    says: str
    text: str


@cache
def examples() -> tuple[Example, ...]:
    """Return all examples, the page's own first."""
    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))["example"]
    return tuple(
        Example(**row | {"wrong": tuple(row["wrong"]), "text": row["text"].strip()}) for row in rows
    )


def link_of(example: Example) -> Mapping[str, str]:
    """Return the link fields that open an example."""
    return {"pasted": example.text, "answers": "", "checked": ""}


def try_one(said: str) -> None:
    """Draw the link to the page's own example, which has a mistake."""
    elements.html(f'<p class="ab-way">{_way(examples()[0], html.escape(said))}</p>')


def draw_all() -> None:
    """Draw the other examples as a list of links."""
    rows = [
        f"<li>{_titled(example)} <small>{_source(example)}."
        f" {html.escape(example.says)}</small></li>"
        for example in examples()[1:]
    ]
    elements.html(f'<ul class="ab-shelf">{"".join(rows)}</ul>')


def _titled(example: Example) -> str:
    return _way(example, f"<b>{html.escape(example.title)}</b>")


def _way(example: Example, said: str) -> str:
    return show.link_here(said, link_of(example))


def _source(example: Example) -> str:
    said = html.escape(example.source)
    return (
        f'<a href="{html.escape(example.url)}" rel="noopener">{said}</a>'
        if example.url
        else said[:1].upper() + said[1:]
    )
