"""The files of this folder that a browser loads, scripts and styles each joined in the order below.

Streamlit loads a component's script as a module: the files share what they declare, and nothing else on a page sees it.
"""

from pathlib import Path

HERE = Path(__file__).parent
VIEWS = ("product", "matrices", "terms", "stream", "flow", "words", "vocabulary", "map", "film", "worksheet")
MOTIONS = ("product", "vocabulary", "lookup", "softmax", "values", "rows", "concat", "block", "shuffle")
SCRIPTS = (
    *("dom", "numbers", "text", "colours", "matrix", "labels", "picture", "sheet", "editing", "pointing", "motion", "player", "blend"),
    *(f"motion/{motion}" for motion in MOTIONS),
    *(f"views/{view}" for view in VIEWS),
    *("bar", "print", "mount"),
)
STYLES = ("page", "bar", "sheet", "motion", "picture", "editing", "views", "print")


def script(*names: str) -> str:
    """The source of these scripts, one after the other."""
    return _joined(names, "js")


def styles() -> str:
    """All styles, for the whole page."""
    return _joined(STYLES, "css")


def _joined(names: tuple[str, ...], kind: str) -> str:
    return "\n".join((HERE / f"{name}.{kind}").read_text(encoding="utf-8") for name in names)
