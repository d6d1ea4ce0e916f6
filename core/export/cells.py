"""The derivation as cells, text and code in turn, in the order of the pages."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from torch import Tensor

from .. import masks, text, written
from ..origin import Copy
from ..record import Entry, Trace
from ..setup import Setup
from ..source import assigned, source
from ..trace import run
from . import given, sections, shown
from .functions import called, defined, with_helpers

IMPORTS = """import math
import random
from decimal import ROUND_HALF_UP, Context, Decimal
from types import SimpleNamespace

import torch
from torch import Generator, Tensor

torch.set_num_threads(1)  # as the pages count: several threads may add up in another order"""


@dataclass(frozen=True)
class Cell:
    """A piece of the export: markdown, or Python."""

    kind: str  # "markdown" or "code", as notebooks call them
    text: str


def cells(setup: Setup, address: str) -> list[Cell]:
    """All of it; `address` is where the explorer stands, without a page."""
    trace = run(setup)
    made = [Cell("markdown", _begin(setup, address)), Cell("code", _tools()), Cell("code", given.words(setup))]
    drawn = given.weights(setup, trace)
    if drawn:
        edited = " Some are then changed by hand." if setup.edits else ""
        made += [Cell("markdown", f"## The weights\n\nThey are drawn from seeds, in this order.{edited}"), Cell("code", drawn)]
    written_out: set[Callable] = set()
    for section in sections.SECTIONS:
        entries = section.entries(trace)
        made.append(Cell("markdown", _told(trace, section, entries, link(setup, section.path, address))))
        made += [Cell("code", _derived(trace, entry, written_out)) for entry in entries]
    return made


def link(setup: Setup, path: str, address: str) -> str:
    """The link of a page with this setup; relative where no address is known.

    >>> link(Setup(d_k=5), "scores", "https://example.org/app/")
    'https://example.org/app/scores?d_k=5'
    """
    base = quote(address.rstrip("/"), safe=":/[]%") or "."
    parameters = urlencode(setup.as_link(), safe=",")
    return f"{base}/{path}" + (f"?{parameters}" if parameters else "")


def _begin(setup: Setup, address: str) -> str:
    trained = "Its weights were trained, have four decimals and stand here as they are. " if setup.init == "trained" else ""
    return (
        "# Self-attention, step by step\n\nEverything from the words to the output in plain PyTorch, with the numbers of "
        f"[this setup]({link(setup, '', address)}). {trained}Each cell prints its numbers as the page does, of several heads the "
        f"first's and of a large matrix the first {shown.MOST} rows and columns, and holds them against what the page showed. "
        "When all have run, each tensor stands in a variable of its own name."
    )


def _tools() -> str:
    """What the cells print and compare with."""
    constants = assigned(written, "FOUR_DECIMALS", "SMALL", "_exact") + "\n" + assigned(shown, "MOST")
    functions = map(source, (written.number, shown.table, shown.near, shown.check))
    return "\n\n\n".join([f"{IMPORTS}\n\n{constants}", *functions])


def _told(trace: Trace, section: sections.Section, entries: list[Entry], address: str) -> str:
    formulas = [formula for entry in entries if (formula := sections.formula(trace, entry))]
    lines = [f"## {section.title}", section.sentence, *(f"$${formula}$$" for formula in formulas), f"[This page]({address})"]
    return "\n\n".join(lines)


def _derived(trace: Trace, entry: Entry, written_out: set[Callable]) -> str:
    """One entry: the functions that it is the first to need, the line that makes it, and the check."""
    functions, expression = _made(trace, entry)
    new = [function for function in functions if function not in written_out]
    written_out.update(new)
    axes = " ".join(entry.dims)
    lines = f'{entry.name} = {expression}\ncheck("{entry.name}", {entry.name}, "{axes}", """\n{shown.table(entry.value)}""")'
    return "\n\n\n".join([*map(defined, new), lines])


def _made(trace: Trace, entry: Entry) -> tuple[tuple[Callable, ...], str]:
    """The functions that make an entry, and the expression that calls them."""
    if entry.call is not None:
        mask = masks.MASKS[trace.setup.mask]
        by_hand = any(isinstance(value, Tensor) for value in entry.call.settings.values())
        settings = {
            name: f"{mask.__name__}(len(tokens))" if isinstance(value, Tensor) else repr(value)
            for name, value in entry.call.settings.items()
        }
        arguments = [*entry.call.inputs, *(f"{name}={value}" for name, value in settings.items())]
        functions = (*([mask] if by_hand else []), *with_helpers(entry.call.function))
        return functions, f"{called(entry.call.function)}({', '.join(arguments)})"
    if isinstance(entry.origin, Copy):
        return (), entry.origin.source
    if entry.name == "ids":
        return (text.token_ids,), "token_ids(tokens, vocabulary)"
    return (), given.weight(trace.setup, entry)
