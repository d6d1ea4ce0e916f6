"""The files that a browser loads, scripts and styles each joined in the order below.

Streamlit loads a component's script as a module: the files share what they declare, and nothing else on a page sees it.
"""

from collections.abc import Iterable
from pathlib import Path

from pages.shared.said import roles

SHARED = Path(__file__).parents[1]
BOARD = (
    *("dom", "numbers", "text", "colours", "matrix", "labels", "picture", "menu", "sheet", "editing", "tip", "lit", "pointing"),
    *("windowed", "motion", "player", "blend", "motion/product", "motion/turn", "motion/vocabulary", "motion/lookup"),
    *("motion/softmax", "motion/values", "motion/rows", "motion/concat", "motion/block", "motion/shuffle", "motion/machine"),
    "motion/tower",
    *("views/product", "views/matrices", "views/terms", "views/stream", "views/flow", "views/words", "views/vocabulary"),
    "views/opening",
    "views/next",
    *("views/plan", "views/machine", "views/tower", "views/film", "views/worksheet"),
    *("views/plane", "views/fan", "views/points", "views/mixtures", "views/stretch"),
    *("table", "running_sum"),
)
BROWSER = ("bar", "flight", "glossary", "copying", "code", "pressing", "keeping", "alone", "print")
SCRIPTS = (
    *(f"board/{name}" for name in BOARD),
    *(f"browser/{name}" for name in BROWSER),
    "panel/panel",
    "browser/address",
    *(f"room/{name}" for name in ("line", "question", "result", "bar")),
    "board/mount",
)
STYLES = (
    *("browser/page", "browser/bar", "browser/glossary", "browser/code"),
    *("board/sheet", "board/motion", "board/picture", "board/editing", "board/views", "board/next", "board/plane"),
    "board/windowed",
    *("browser/print", "panel/panel", "room/room"),
)


def script(*names: str) -> str:
    """The source of these scripts, one after the other."""
    return _joined(names, "js")


def styles() -> str:
    """All styles, for the whole page."""
    return "\n".join((_joined(STYLES, "css"), roles.styles()))


def _joined(names: Iterable[str], kind: str) -> str:
    return "\n".join((SHARED / f"{name}.{kind}").read_text(encoding="utf-8") for name in names)
