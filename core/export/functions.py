"""The functions in an exported script: core's functions in order of dependency, and the check of a
tensor against its page."""

import re
from collections.abc import Callable, Iterable, Iterator
from inspect import isfunction

import torch
from torch import Tensor

from ..ops import attention, heads
from .code_listing import source

# Renamed to avoid clashes with tensors and other functions, since a script is a single module.
NAMES: dict[Callable, str] = {heads.project: "project_heads", attention.scores: "score"}


def get_name(function: Callable) -> str:
    """Return the function's name in the script."""
    return NAMES.get(function, function.__name__)


def get_code(function: Callable) -> str:
    """Return the function's code in the script."""
    code = source(function).replace(f"def {function.__name__}(", f"def {get_name(function)}(", 1)
    return re.sub(r"\b(?:attention|heads)\.(\w+\()", r"\1", code)


def add_helpers(functions: Iterable[Callable]) -> Iterator[Callable]:
    """Yield each function after those that it calls in its own module or in `attention`; some may
    repeat.

    >>> [each.__name__ for each in add_helpers([attention.softmax_or_zeros])]
    ['shift', 'softmax', 'softmax_or_zeros']
    """
    for function in functions:
        yield from add_helpers(find_calls(function))
        yield function


def first(value: Tensor) -> Tensor:
    """Return the part of a tensor that is printed: the first head, at most eight rows and columns.

    >>> first(torch.arange(20).reshape(2, 1, 10)).tolist()
    [[0, 1, 2, 3, 4, 5, 6, 7]]
    """
    rows = value[None] if value.ndim == 1 else value.reshape(-1, *value.shape[-2:])[0]
    return rows[:8, :8]


def check(name: str, value: Tensor, page: list[list[float]]) -> None:
    """Print a tensor and check its numbers against those shown on its page.

    Raises:
        AssertionError: the numbers differ; names the tensor.
    """
    print(f"{name} {tuple(value.shape)}\n{first(value)}\n")
    torch.testing.assert_close(
        first(value).double(),
        torch.tensor(page, dtype=torch.float64),
        rtol=1e-4,
        atol=1e-4,
        msg=lambda why: f"{name}: the page shows others. {why}",
    )


def find_calls(function: Callable) -> list[Callable]:
    """Return the functions named in a function's code, which may include itself if it calls a
    tensor's method of the same name."""
    names, module = function.__code__.co_names, function.__module__
    found = [function.__globals__.get(name) for name in names]
    others = [each for each in (attention, heads) if each in map(function.__globals__.get, names)]
    found += [getattr(other, name, None) for other in others for name in names]
    near = (module, *(other.__name__ for other in (attention, *others)))
    return [
        each
        for each in found
        if isfunction(each) and each is not function and each.__module__ in near
    ]
