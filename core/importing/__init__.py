"""Parse the user's matrices from text, files and layers."""

from importlib import import_module
from typing import Any

__all__ = ["Reading", "UserMatrices", "link", "parse", "read_file", "read_module"]
_WHERE = {
    "UserMatrices": ".fields.user_matrices",
    "Reading": "parsing",
    "parse": "parsing",
    "read_file": "layer",
    "link": "module",
    "read_module": "module",
}  # all but the first use a setup, which uses this package


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_WHERE[name]}", __name__), name)
