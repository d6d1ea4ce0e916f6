"""Where a page's numbers are made: read from the page's own file, so that no list can be wrong. No Streamlit here."""

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from core.source import parse, places
from pages.shared import claims, computed, words

ROOT = Path(__file__).parents[2]
CLAIMS = claims.__name__
SHARED = CLAIMS.rpartition(".")[0]
COMPUTED = "pages/shared/computed.py"
# What every page uses, and is no part of any.
COMMON = {f"pages/shared/{name}.py" for name in ("computed", "controls", "entries", "link", "show", "state", "tables", "words")}
# They name, write and read: no number is made there.
NO_NUMBERS = tuple(
    f"core.{name}" for name in ["edits", "labelled", "language", "notebooks", "presets", "source", "text", "written"]
)

Places = dict[str, list[tuple[str, int]]]


@cache
def said_by(file: str) -> Places:
    """The functions that say something with numbers on the page of this file: in which file each stands, and on which line.

    >>> list(said_by("pages/4_scores.py"))
    ['pages/shared/claims/common.py', 'pages/shared/claims/geometry.py']
    """
    return _placed(function for function in _of_page(file) if function.__module__.startswith((CLAIMS, words.__name__)))


@cache
def computed_by(file: str) -> Places:
    """The same of core's functions that the page and its parts call themselves, or `computed` for them.

    >>> list(computed_by("pages/4_scores.py"))
    ['core/attention.py', 'core/geometry.py']
    """
    return _placed(function for function in _of_page(file) if function.__module__.startswith("core."))


def _placed(functions: Iterable[Callable]) -> Places:
    """The functions by their file, in its order."""
    found: Places = {}
    for function in functions:
        for place, (line,) in places(function).items():
            found.setdefault(place, []).append((function.__name__, line))
    return {place: sorted(found[place], key=lambda named: named[1]) for place in sorted(found)}


@cache
def _of_page(file: str) -> frozenset[Callable]:
    """Those that the page's file names, its parts in `pages/shared` and what it asks `computed` for."""
    parts = (f"{module.replace('.', '/')}.py" for module in _imported(file) if module.rpartition(".")[0] == SHARED)
    files = (file, *(part for part in parts if (ROOT / part).exists() and part not in COMMON))
    named = {thing for each in files for functions in _named_in(each).values() for thing in functions}
    asked = {thing.__name__ for thing in named if thing.__module__ == computed.__name__}
    named |= {thing for name in asked for thing in _named_in(COMPUTED).get(name, ())}
    return frozenset(thing for thing in named if _makes_numbers(thing))


def _makes_numbers(function: Callable) -> bool:
    module = function.__module__
    return function is words.attention or (module.startswith((CLAIMS, "core.")) and not module.startswith(NO_NUMBERS))


@cache
def _imported(file: str) -> tuple[str, ...]:
    """What a file imports of the project: `pages.shared.words`."""
    return tuple(_imports(_parsed(file)).values())


@cache
def _named_in(file: str) -> dict[str, tuple[Callable, ...]]:
    """The functions of the project that stand in a file, by the function that they stand in; outside of all by no name.

    Kept for every page that has the file as a part, without the code: that would be megabytes.
    """
    tree, found = _parsed(file), {}
    imported = _imports(tree)
    for node in tree.body:
        name = node.name if isinstance(node, ast.FunctionDef) else ""
        found[name] = (*found.get(name, ()), *_named(node, imported))
    return found


def _parsed(file: str) -> ast.Module:
    return parse((ROOT / file).read_text(encoding="utf-8"))


def _imports(tree: ast.Module) -> dict[str, str]:
    """What the code calls that which it imports, and what it is: `words`, `pages.shared.words`."""
    froms = (node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module)
    return {name.asname or name.name: f"{node.module}.{name.name}" for node in froms for name in node.names}


def _named(tree: ast.AST, imported: dict[str, str]) -> Iterator[Callable]:
    """The functions of the project that stand somewhere in this code by their imported names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported:
            thing = _found(f"{imported[node.value.id]}.{node.attr}")
        elif isinstance(node, ast.Name) and node.id in imported:
            thing = _found(imported[node.id])
        else:
            continue
        if inspect.isfunction(inspect.unwrap(thing)):
            yield thing


def _found(dotted: str) -> Any:
    """What has this name, where it is a module's own: `core.attention.scale`."""
    module, _, name = dotted.rpartition(".")
    return getattr(_module(module), name, None) if module.startswith(("core", "pages")) else None


@cache
def _module(dotted: str) -> ModuleType | None:
    """Nothing where it is a class. Kept: Python looks through every folder to find that there is no such module."""
    try:
        return import_module(dotted)
    except ModuleNotFoundError:
        return None
