"""The five teaching notebooks, N0 to N4: a module and a TOML file for each.

A module has its notebook's systems with their settings, the printed numbers beside ours, and its
mistakes, each in a faulty and a repaired form; the TOML file has the prose. Nothing here depends on
a user's setup, so figures are computed once. Numbers printed without a seed are compared by shape
only; where a notebook prints nothing, or does not run, the prose says so.
"""

from . import n0, n1, n2, n3, n4
from .figure import System
from .mistake import Mistake

ABOUT: dict[str, str] = {
    module.NOTEBOOK.name: module.NOTEBOOK.told["builds"] for module in (n0, n1, n2, n3, n4)
}
SYSTEMS: tuple[System, ...] = tuple(
    system for module in (n0, n1, n2, n3, n4) for system in module.NOTEBOOK.systems
)
# N4's come first, since its derivation is the seven steps. N1 has none.
MISTAKES: tuple[Mistake, ...] = tuple(
    mistake for module in (n4, n0, n2, n3) for mistake in module.NOTEBOOK.mistakes
)
# Notebooks without a known mistake; their name replaces a mistake's key.
WITHOUT_MISTAKES: tuple[str, ...] = tuple(
    name for name in ABOUT if all(mistake.notebook != name for mistake in MISTAKES)
)


def list_mistakes(name: str) -> tuple[Mistake, ...]:
    """Return the mistakes of one notebook, such as N4."""
    return tuple(mistake for mistake in MISTAKES if mistake.notebook == name)


def find(key: str) -> Mistake:
    """Return the mistake with this key. Raises KeyError if there is none."""
    return {mistake.key: mistake for mistake in MISTAKES}[key]
