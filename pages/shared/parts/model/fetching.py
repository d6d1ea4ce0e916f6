"""The model from the hub, where a server has none and a reader asks for it: once for all visitors, with how far it is."""

from core.pretrained import hub
from pages.shared import panel
from pages.shared.link import read_link

MB = 1_000_000
_come = 0  # bytes


def fetch() -> bool:
    """Put it where models are looked for. True; raises Unreadable where that cannot be done."""
    hub.download(_report)
    read_link.cache_clear()  # links that named a model were read without one
    panel.said.cache_clear()
    return True


def _report(come: int) -> None:
    global _come  # noqa: PLW0603 (one download at a time)
    _come = come


def how_far() -> str:
    """Return how far it is, as a reader reads it."""
    return f"{hub.NAME} is being fetched: {_come / MB:.0f} of {hub.BYTES / MB:.0f} MB have come."
