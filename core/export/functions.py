"""The functions of core in an exported script: as they stand there, under one name each."""

from collections.abc import Callable

from .. import attention, draws, heads
from ..source import source

# In core a module tells apart what has the name of a tensor, or of another function. A script is one module.
NAMES: dict[Callable, str] = {
    heads.project: "project_heads",
    attention.scores: "score",
    draws.embedding_table: "draw_table",
    draws.positions: "draw_positions",
}
HELPERS: dict[Callable, Callable] = {heads.project: attention.project, attention.softmax: attention.shift}


def called(function: Callable) -> str:
    """Its name in the script."""
    return NAMES.get(function, function.__name__)


def defined(function: Callable) -> str:
    """Its code, after that of the function that it calls."""
    code = source(function).replace(f"def {function.__name__}(", f"def {called(function)}(", 1)
    code = code.replace("setup: Setup", "setup: SimpleNamespace").replace("attention.project(", "project(")
    return f"{source(HELPERS[function])}\n\n\n{code}" if function in HELPERS else code
