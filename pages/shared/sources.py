"""Where a page's sentences get their numbers: read from the page's own file, so that the list cannot be wrong. No Streamlit here."""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from core.source import places
from pages.shared import claims, words

ROOT = Path(__file__).parents[2]
CLAIMS = claims.__name__
SHARED = CLAIMS.rpartition(".")[0]


@cache
def said_by(file: str) -> dict[str, list[tuple[str, int]]]:
    """The functions that say something with numbers on the page of this file, by their own file, each with its line.

    They are those of `claims` that the page and its parts name, and `words.attention`.

    >>> list(said_by("pages/4_scores.py"))
    ['pages/shared/claims/common.py', 'pages/shared/claims/geometry.py']
    """
    found: dict[str, list[tuple[str, int]]] = {}
    for function in sorted(set(_functions(file)), key=lambda function: (function.__module__, function.__name__)):
        for place, (line,) in places(function).items():
            found.setdefault(place, []).append((function.__name__, line))
    return found


def _functions(file: str) -> Iterator[Callable]:
    """Those that the page names, and its parts in `pages/shared` that say something by `claims` themselves."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    modules = _imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = modules.get(node.value.id, "")
            function = getattr(import_module(module), node.attr, None) if module.startswith((CLAIMS, words.__name__)) else None
            if getattr(function, "__module__", "").startswith(CLAIMS) or function is words.attention:
                yield function
    if file.startswith(SHARED.replace(".", "/")):
        return
    for module in modules.values():
        part = f"{module.replace('.', '/')}.py"
        if not module.startswith(CLAIMS) and (ROOT / part).exists():
            yield from _functions(part)


def _imported(tree: ast.AST) -> dict[str, str]:
    """What a file calls the modules of `pages.shared`, and what they are."""
    froms = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(SHARED))
    return {name.asname or name.name: f"{node.module}.{name.name}" for node in froms for name in node.names}
