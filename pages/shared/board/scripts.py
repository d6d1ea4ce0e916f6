"""The files of this folder that a browser loads, scripts and styles each joined in the order below.

Streamlit loads a component's script as a module: the files share what they declare, and nothing else on a page sees it.
"""

from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).parent
SCRIPTS = (
    *("dom", "numbers", "text", "colours", "matrix", "labels", "picture", "sheet", "editing", "pointing"),
    *("motion", "player", "blend", "motion/product", "motion/vocabulary", "motion/lookup"),
    *("motion/softmax", "motion/values", "motion/rows", "motion/concat", "motion/block", "motion/shuffle", "motion/machine"),
    "motion/tower",
    *("views/product", "views/matrices", "views/terms", "views/stream", "views/flow", "views/words", "views/vocabulary"),
    *("views/plan", "views/machine", "views/tower", "views/film", "views/worksheet"),
    *("views/plane", "views/fan", "views/points", "views/mixtures", "views/stretch"),
    *(
        "bar",
        "table",
        "running_sum",
        "glossary",
        "copying",
        "pressing",
        "keeping",
        "print",
        "../panel/panel",
        "../address",
        "mount",
    ),
)
STYLES = ("page", "bar", "glossary", "code", "sheet", "motion", "picture", "editing", "views", "plane", "print", "../panel/panel")


def script(*names: str) -> str:
    """The source of these scripts, one after the other."""
    return _joined(names, "js")


def styles() -> str:
    """All styles, for the whole page."""
    return _joined(STYLES, "css")


def _joined(names: Iterable[str], kind: str) -> str:
    return "\n".join((HERE / f"{name}.{kind}").read_text(encoding="utf-8") for name in names)
