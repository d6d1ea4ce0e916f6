"""The whole computation once, with every intermediate tensor kept by name: what `core.model` runs and `core.record` keeps."""

from .model import run
from .record import Entry, Trace

__all__ = ["Entry", "Trace", "run"]
