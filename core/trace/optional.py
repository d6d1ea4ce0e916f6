"""Libraries that are large, and needed for frames and charts alone."""

from importlib import import_module
from typing import Any


def load_library(name: str) -> Any:
    """Return an imported library. Raises ValueError if it is not installed: says how to get it.

    >>> load_library("a_library_that_is_none")
    Traceback (most recent call last):
    ...
    ValueError: This needs a_library_that_is_none: pip install 'attention-explorer[notebook]'.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise ValueError(
            f"This needs {name}: pip install 'attention-explorer[notebook]'."
        ) from None
