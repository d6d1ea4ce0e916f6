"""The functions of core in an exported script: as they stand there, under one name each."""

from collections.abc import Callable
from inspect import isfunction

from .. import attention, draws
from ..source import source

# In core a module tells apart what has the name of a tensor, or of another function. A script is one module.
NAMES: dict[Callable, str] = {
    attention.scores: "score",
    draws.embedding_table: "draw_table",
    draws.positions: "draw_positions",
}


def called(function: Callable) -> str:
    """Its name in the script."""
    return NAMES.get(function, function.__name__)


def defined(function: Callable) -> str:
    """Its code, under that name."""
    code = source(function).replace(f"def {function.__name__}(", f"def {called(function)}(", 1)
    return code.replace("setup: Setup", "setup: SimpleNamespace")


def with_helpers(function: Callable) -> tuple[Callable, ...]:
    """The functions of its own module that it calls, and last itself.

    >>> [each.__name__ for each in with_helpers(attention.softmax)]
    ['shift', 'softmax']
    """
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    return (*(each for each in named if isfunction(each) and each.__module__ == function.__module__), function)
