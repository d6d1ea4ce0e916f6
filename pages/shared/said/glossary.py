"""The glossary: each symbol and term of the pages in plain words, and the page that makes it. No
Streamlit here.

The entries stand in `glossary.toml`. A browser is sent them once, with the scripts, and draws them
(`browser/glossary.js`).
"""

import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from pages.shared.link.pages import PAGES
from pages.shared.said import roles

FILE = Path(__file__).parent / "glossary.toml"


@dataclass(frozen=True)
class Entry:
    """One line of the glossary. `name` has what it explains, with commas between; `page` is a
    page's path, `role` that of a symbol."""

    name: str
    says: str
    page: str
    role: str


def entries(text: str) -> tuple[Entry, ...]:
    """Return the entries of a file, in its order. Raises ValueError where a page does not exist."""
    tables = tomllib.loads(text)
    role_of = {name: role for role, names in tables.pop("roles").items() for name in names}
    paths = {page.path or "overview": page.path for page in PAGES}
    if unknown := set(tables) - set(paths):
        raise ValueError(f"{FILE.name}: there is no page {min(unknown)!r}")
    return tuple(
        Entry(name, says, paths[page], role_of.get(name, roles.NONE))
        for page, table in tables.items()
        for name, says in table.items()
    )


ENTRIES = entries(FILE.read_text(encoding="utf-8"))


def to_data() -> list[dict[str, str]]:
    """Return the entries as a browser is sent them."""
    return [asdict(entry) for entry in ENTRIES]
