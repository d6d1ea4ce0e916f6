"""What an exported script is given: words, sizes and weights.

Drawn weights are drawn again there, and edited again; trained ones are written out as they are, edits and all.
"""

from collections.abc import Callable

import torch  # noqa: F401 (the worked examples use it)
from torch import Tensor

from .. import draws, text
from ..cell import float32
from ..edits import Edit, why_not
from ..record import Entry, Trace
from ..setup import Setup
from ..source import assigned
from .functions import called, defined

# What the draws look at.
FIELDS = ("seed", "init", "bias", "projections", "d_model", "d_k", "d_v", "heads", "out_size")
DRAWS: tuple[Callable, ...] = (
    draws.generator, draws.own_seed, draws.uniform, draws.normal, draws.xavier, draws.embedding_table, draws.positions,
    draws.generator_of_weights, draws.matrices, draws.biases, draws.projections,
)  # fmt: skip


def words(setup: Setup) -> str:
    """The tokens and the vocabulary, as code."""
    own = text.vocabulary(setup.tokens) == setup.vocabulary
    vocabulary = "sorted(set(tokens))" if own else repr(list(setup.vocabulary))
    return f"tokens = {list(setup.tokens)!r}\nvocabulary = {vocabulary}"


def weights(setup: Setup, trace: Trace) -> str | None:
    """How the weights are drawn and edited, as code; None where they were trained, and stand where they are used."""
    if setup.init == "trained":
        return None
    fields = ", ".join(f"{name}={getattr(setup, name)!r}" for name in FIELDS)
    functions = [*map(defined, DRAWS), assigned(draws, "WEIGHTS", "BIASES")]
    drawn = f'drawn = {{"embedding_table": {called(draws.embedding_table)}(setup)}} | projections(setup)'
    if setup.positions == "learned":
        drawn += f'\ndrawn["positions"] = {called(draws.positions)}(setup, len(tokens))'
    return "\n\n\n".join(
        [*functions, f"setup = SimpleNamespace({fields}, vocabulary=vocabulary)\n" + "\n".join([drawn, *_edits(setup, trace)])]
    )


def _edits(setup: Setup, trace: Trace) -> list[str]:
    """A line for each edit that counts. One weight is copied from another where both are drawn together."""
    alone = ("embedding_table", "positions")
    together = {name: entry.value for name, entry in trace.items() if name not in alone and entry.origin is None}
    lines = []
    for edit in setup.changes:
        drawn = {edit.name: trace.value(edit.name)} if edit.name in alone and edit.name in trace else together
        if edit.name in drawn and why_not(edit, drawn) is None:
            lines.append(_edit(edit))
    return lines


def _edit(edit: Edit) -> str:
    """One edit as a line of code.

    >>> _edit(Edit("w_q.1.*.5", "0.7"))
    'drawn["w_q"][0, :, 4] = 0.7'
    """
    cells = _cells(edit.target)
    if edit.value == "identity":
        return f"{cells} = torch.eye({cells}.shape[-1])"
    return f"{cells} = {_cells(edit.value)}.clone()" if edit.value[0].isalpha() else f"{cells} = {edit.value}"


def _cells(target: str) -> str:
    """The cells that an edit names, as Python does."""
    name, *places = target.split(".")
    return f'drawn["{name}"][{", ".join(map(_place, places)) or ":"}]'


def _place(place: str) -> str:
    """Edits count from 1, mean both ends, and have * for all.

    >>> _place("4"), _place("4-6"), _place("4-4"), _place("*")
    ('3', '3:6', '3', ':')
    """
    if place == "*":
        return ":"
    first, _, end = place.partition("-")
    return str(int(first) - 1) if end in ("", first) else f"{int(first) - 1}:{int(end)}"


def weight(setup: Setup, entry: Entry) -> str:
    """One weight, as an expression."""
    return literal(entry.value) if setup.init == "trained" else f'drawn["{entry.name}"]'


def literal(value: Tensor) -> str:
    """A tensor as an expression that makes it again to the last bit, a row of numbers on each line.

    >>> print(literal(torch.tensor([[0.5, -0.0301], [1 / 3, 2.0]])))
    torch.tensor([[
    0.5, -0.0301], [
    0.333333343, 2.0]])
    """
    return f"torch.tensor({_nested(value.tolist())})"


def _nested(part: list | float) -> str:
    if isinstance(part, float):
        return _number(part)
    inner = ", ".join(_nested(each) for each in part)
    return f"[{inner}]" if isinstance(part[0], list) else f"[\n{inner}]"


def _number(value: float) -> str:
    four_decimals = f"{value:.4f}"
    if float32(float(four_decimals)) != value:
        return f"{value:.9g}"
    return four_decimals.rstrip("0") + ("0" if four_decimals.endswith(".0000") else "")
