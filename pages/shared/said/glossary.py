"""The glossary: each symbol and term of the pages in plain words, and the page that makes it. No
Streamlit here.

The entries stand in `glossary.toml`. A browser is sent them once, with the scripts, and draws them
(`board/glossary.js`).
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

    group: str
    name: str
    says: str
    page: str
    role: str = roles.NONE

    def __post_init__(self) -> None:
        if not any(page.path == self.page for page in PAGES):
            raise ValueError(f"{FILE.name}, {self.name}: there is no page {self.page!r}")


# In the order of the file.
ENTRIES = tuple(
    Entry(**entry) for entry in tomllib.loads(FILE.read_text(encoding="utf-8"))["entry"]
)


def as_data() -> list[dict[str, str]]:
    """Return the entries as a browser is sent them."""
    return [asdict(entry) for entry in ENTRIES]
