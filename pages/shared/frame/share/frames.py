"""The boards of the page at hand, each with the line that shows it in a frame elsewhere: `frameOf`
in `browser/alone.js` writes it."""

from pathlib import Path

from pages.shared.browser.scripts import script
from pages.shared.said import elements

HERE = Path(__file__).parent
_frames = elements.component(
    "attention_frames",
    js=script("frame/share/frames"),
    css=(HERE / "share.css").read_text(encoding="utf-8"),
)


def show() -> None:
    """Draw a row for each board: what it shows, the line, and a button that copies it."""
    _frames(key="frames", data=b"")
