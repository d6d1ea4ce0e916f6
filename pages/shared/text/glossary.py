"""The glossary: each symbol and term in plain words, with the page that computes it. No Streamlit
here.

The entries in `glossary.toml` are sent once with the scripts and drawn by `web/glossary.js`.
"""

import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from core.board import colours
from pages.shared.link.pages import PAGES

FILE = Path(__file__).parent / "glossary.toml"


@dataclass(frozen=True)
class Entry:
    """One entry. `name` has its terms, separated by commas; `page` is a path, `role` a symbol's
    role."""

    name: str
    says: str
    page: str
    role: str


def entries(text: str) -> tuple[Entry, ...]:
    """Return the entries of a file in order. Raises ValueError for a page that does not exist."""
    tables = tomllib.loads(text)
    role_of = {name: role for role, names in tables.pop("roles").items() for name in names}
    paths = {page.path or "overview": page.path for page in PAGES}
    if unknown := set(tables) - set(paths):
        raise ValueError(f"{FILE.name}: there is no page {min(unknown)!r}")
    return tuple(
        Entry(name, says, paths[page], role_of.get(name, colours.NONE))
        for page, table in tables.items()
        for name, says in table.items()
    )


ENTRIES = entries(FILE.read_text(encoding="utf-8"))


def to_data() -> list[dict[str, str]]:
    """Return the entries as data for the browser."""
    return [asdict(entry) for entry in ENTRIES]
