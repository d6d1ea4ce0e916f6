"""Numbers that people bring: read from text, from files and from layers, held exactly, checked as a teacher checks them."""

from importlib import import_module
from typing import Any

from .reading import Reading, read
from .values import Given

__all__ = ["Given", "Reading", "check", "link", "of_file", "of_module", "read"]
_LATER = {
    "check": "checking",
    "link": "module",
    "of_file": "layer",
    "of_module": "module",
}  # these use a setup, which uses this package


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LATER[name]}", __name__), name)
