"""The source code of core as shown to users, with only the first paragraph of each docstring."""

import ast
import inspect
import threading
from collections.abc import Callable
from functools import cache
from textwrap import dedent
from types import ModuleType

_one_parser = threading.Lock()


def parse(text: str) -> ast.Module:
    """Return code as a tree, as `ast.parse` does, but one thread at a time: two at once have made
    Python 3.11 raise SystemError."""
    with _one_parser:
        return ast.parse(text)


@cache
def source(function: Callable, brief: bool = False) -> str:
    """Return a function's source code, with the first paragraph of its docstring; `brief` omits
    that too."""
    lines = dedent(inspect.getsource(function)).rstrip().split("\n")
    if not function.__doc__:
        return "\n".join(lines)
    written = parse("\n".join(lines)).body[0].body[0]  # type: ignore[attr-defined]
    before, said, after = (
        lines[: written.lineno - 1],
        lines[written.lineno - 1 : written.end_lineno],
        lines[written.end_lineno :],
    )
    if brief:
        return "\n".join(before + after)
    if "" in said:
        said = said[: said.index("")]
        said[-1] += '"""'
    return "\n".join(before + said + after)


def places(*functions: Callable) -> dict[str, list[int]]:
    """Return the files of these functions and their line numbers, in order.

    >>> list(places(source, list_assignments))
    ['core/export/code_listing.py']
    """
    found: dict[str, list[int]] = {}
    for function in functions:
        file = f"{function.__module__.replace('.', '/')}.py"
        found.setdefault(file, []).append(_first_line(function))
    return found


def _first_line(function: Callable) -> int:
    """Return a function's first line, including decorators, without `inspect`, which reads and
    parses the whole file."""
    return inspect.unwrap(function).__code__.co_firstlineno


@cache
def list_assignments(module: ModuleType, *names: str) -> str:
    """Return the lines of a module that assign these names, in order."""
    text = inspect.getsource(module)
    lines = text.split("\n")
    found = [
        node
        for node in parse(text).body
        if isinstance(node, ast.Assign) and _targets(node) & set(names)
    ]
    return "\n".join("\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in found)


def _targets(node: ast.Assign) -> set[str]:
    """Return the names that a line assigns."""
    return {
        name.id
        for target in node.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    }
