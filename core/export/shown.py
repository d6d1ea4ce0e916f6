"""How an exported script shows a tensor, and holds it against what its page showed. These functions
stand in the script."""

import torch
from torch import Tensor

from ..written import number

MOST = 8  # rows and columns that are printed


def table(value: Tensor) -> str:
    """The numbers as the pages print them: of several heads the first's, of a large matrix the
    first rows and columns.

    >>> table(torch.tensor([[0.5, -2.0]]))
    '   0.5000   −2.0000'
    """
    matrix = value[0] if value.ndim == 3 else value.reshape(-1, value.shape[-1])
    rows = matrix[:MOST, :MOST].tolist()
    return "\n".join(
        " ".join(f"{v if isinstance(v, int) else number(v):>9}" for v in row) for row in rows
    )


def near(one: str, other: str) -> bool:
    """Whether two tables hold the same numbers, but for what another machine may round otherwise.

    >>> near("0.5000 −∞", "0.5001 −∞"), near("0.5000", "0.5100")
    (True, False)
    """
    ours, theirs = (
        [float(v) for v in numbers.translate({0x2212: "-", 0x221E: "inf", 0x2C: ""}).split()]
        for numbers in (one, other)
    )
    return len(ours) == len(theirs) and torch.allclose(
        torch.tensor(ours), torch.tensor(theirs), rtol=1e-4, atol=1e-4
    )


def check(name: str, value: Tensor, axes: str, page: str) -> None:
    """Print a tensor, and hold it against what its page showed, to the last digit but for rounding.

    Raises:
        AssertionError: the numbers are others; names the tensor and says what the page shows.
    """
    sizes = ", ".join(
        f"{axis} {size}" for axis, size in zip(axes.split(), value.shape, strict=True)
    )
    print(f"{name} ({sizes})\n{table(value)}\n")
    assert table(value) == page.removeprefix("\n") or near(table(value), page), (
        f"{name}: the page shows{page}"
    )
