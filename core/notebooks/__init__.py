"""The five teaching notebooks, N0 to N4: a module and a TOML file for each.

A module has its notebook's systems with their own settings, what they printed beside what comes out
here, and its mistakes, each in a faulty and a repaired form; the TOML file beside it has the prose
about them. Nothing here depends on a reader's setup, so figures are computed once. A notebook that
prints numbers without a seed can only be compared by shape; where one prints nothing, or does not
run, that is said.
"""

from . import n0, n1, n2, n3, n4
from .figure import System
from .mistake import Mistake

ABOUT: dict[str, str] = {
    module.PROSE.notebook: module.PROSE.builds for module in (n0, n1, n2, n3, n4)
}
SYSTEMS: tuple[System, ...] = (*n0.SYSTEMS, *n1.SYSTEMS, *n2.SYSTEMS, *n3.SYSTEMS, *n4.SYSTEMS)
# N4's stand first, for its derivation is the seven steps that a reader has just seen. N1 has none.
MISTAKES: tuple[Mistake, ...] = (*n4.MISTAKES, *n0.MISTAKES, *n2.MISTAKES, *n3.MISTAKES)
# Notebooks in which no mistake was found: by these names they are looked at where the others have a
# mistake's key.
WITHOUT_MISTAKES: tuple[str, ...] = tuple(
    name for name in ABOUT if all(mistake.notebook != name for mistake in MISTAKES)
)


def list_mistakes(name: str) -> tuple[Mistake, ...]:
    """Return the mistakes of one notebook, such as N4; none where none was found."""
    return tuple(mistake for mistake in MISTAKES if mistake.notebook == name)


def find(key: str) -> Mistake:
    """Return the mistake with this key. Raises KeyError where there is none."""
    return {mistake.key: mistake for mistake in MISTAKES}[key]
