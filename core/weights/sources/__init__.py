"""Sources of weights, one class each, with the interface in `weight_source`, used by `weights`."""

from ...setup.setup import Setup
from ...training import init
from .drawn import Drawn
from .edited import Edited
from .pretrained_weights import Read
from .trained import Trained
from .user_weights import UserWeights
from .weight_source import WeightSource

__all__ = ["SOURCES", "Edited", "WeightSource", "source"]

SOURCES: dict[str, type[WeightSource]] = {
    **dict.fromkeys(init.WEIGHTS, Drawn),
    "trained": Trained,
    "real": Read,
    "given": UserWeights,
}


def source(setup: Setup) -> WeightSource:
    """Return the source of this setup's weights."""
    return SOURCES[setup.init](setup)
