"""Grade a pasted solution: every cell at its typed decimals, and usual mistakes by name."""

from importlib import import_module
from typing import Any

__all__ = ["Report", "grade", "grade_text"]
_WHERE = {"Report": "report", "grade": "grading", "grade_text": "grading"}  # which use a setup


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_WHERE[name]}", __name__), name)
