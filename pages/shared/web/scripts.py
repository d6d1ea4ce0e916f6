"""The files for the browser: styles joined in the order below, scripts in the order of their
imports (`core.board.scripts`)."""

from pathlib import Path

from core.board import colours
from core.board.scripts import VIEWS, WEB, join_modules

SHARED = Path(__file__).parents[1]
STYLES = (
    WEB / "base",
    *(f"web/{name}" for name in ("page", "bar", "glossary", "code")),
    *(
        WEB / name
        for name in (
            "marks",
            "canvas",
            "motion",
            "editing",
            "views",
            "next_word",
            "story_scene",
            "streamlit_page",
        )
    ),
    "web/panel/panel",
    "web/questions/questions",
    "web/classroom/classroom",
    "web/print",
)


def script(name: str, *, with_views: bool = False) -> str:
    """Return a module's script with its imports; `name` is its path in pages/shared without the
    suffix. Boards need the views too."""
    return join_modules(SHARED / f"{name}.js", *(VIEWS if with_views else ()))


def style(name: str | Path) -> str:
    """Return a style sheet, named by its path in pages/shared without the suffix."""
    return (SHARED / f"{name}.css").read_text(encoding="utf-8")


def styles() -> str:
    """Return all styles of the page."""
    return "\n".join((*map(style, STYLES), colours.styles()))
