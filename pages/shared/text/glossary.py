"""The glossary: each symbol and term in plain words, with the page that computes it. No Streamlit
here.

The entries in `glossary.toml` are sent once with the scripts and drawn by `web/glossary.js`.
"""

import tomllib
from pathlib import Path

from core.board import colours
from pages.shared.link.pages import PAGES


def _read() -> tuple[dict[str, str], ...]:
    """Return the entries in the file's order, as data for the browser: `name` has its terms with
    commas between, `page` is a path, `role` a symbol's role."""
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    role_of = {name: role for role, names in tables.pop("roles").items() for name in names}
    paths = {page.path or "overview": page.path for page in PAGES}
    return tuple(
        {
            "name": name,
            "says": says,
            "page": paths[page],
            "role": role_of.get(name, colours.NONE),
        }
        for page, table in tables.items()
        for name, says in table.items()
    )


ENTRIES = _read()
