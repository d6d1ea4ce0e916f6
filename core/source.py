"""The code of core as a reader meets it: as it stands, without the worked examples in its docstrings."""

import ast
import inspect
from collections.abc import Callable
from functools import cache
from textwrap import dedent
from types import ModuleType


@cache
def source(function: Callable, brief: bool = False) -> str:
    """A function's code as it stands in `core`, without the worked example in its docstring; `brief` omits the docstring."""
    lines = dedent(inspect.getsource(function)).rstrip().split("\n")
    if brief and function.__doc__:
        first = next(k for k, line in enumerate(lines) if line.lstrip().startswith('"""'))
        length = (
            1 if lines[first].count('"""') == 2 else 1 + next(k for k, line in enumerate(lines[first + 1 :], 1) if '"""' in line)
        )
        lines = lines[:first] + lines[first + length :]
    shortened: list[str] = []
    skipping = False
    for line in lines:
        if line.lstrip().startswith(">>>"):
            skipping = True
        if line.strip() == '"""':
            skipping = False
            while shortened and not shortened[-1].strip():
                shortened.pop()
            shortened[-1] += '"""'
            continue
        if not skipping:
            shortened.append(line)
    return "\n".join(shortened)


def files(*functions: Callable) -> list[str]:
    """In which files these functions stand, each once, in their order.

    >>> files(source, assigned)
    ['core/source.py']
    """
    return list(dict.fromkeys(f"{function.__module__.replace('.', '/')}.py" for function in functions))


@cache
def assigned(module: ModuleType, *names: str) -> str:
    """The lines of a module that give these names their values, in their order there."""
    text = inspect.getsource(module)
    lines = text.split("\n")
    found = [node for node in ast.parse(text).body if isinstance(node, ast.Assign) and _targets(node) & set(names)]
    return "\n".join("\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in found)


def _targets(node: ast.Assign) -> set[str]:
    """The names that a line gives values to."""
    return {part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)}
