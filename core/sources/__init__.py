"""Sources of weights, one class each, with the interface in `source`, used by `weights`."""

from .. import draws
from ..setup import Setup
from .drawn import Drawn
from .edited import Edited
from .given import Given
from .read import Read
from .source import Source
from .trained import Trained

__all__ = ["SOURCES", "Edited", "Source", "source"]

SOURCES: dict[str, type[Source]] = {
    **dict.fromkeys(draws.WEIGHTS, Drawn),
    "trained": Trained,
    "real": Read,
    "given": Given,
}


def source(setup: Setup) -> Source:
    """Return the source of this setup's weights."""
    return SOURCES[setup.init](setup)
