"""Numbers that people bring: read from text, held exactly, and checked as a teacher checks them (`checking.check`)."""

from .reading import Reading, read
from .values import Given

__all__ = ["Given", "Reading", "read"]
