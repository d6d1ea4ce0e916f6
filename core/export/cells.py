"""The derivation as cells, text and code in turn, in the order of the pages."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urlencode

from .. import filling, next_word, norms, written
from ..record import Entry
from ..setup import Setup
from ..source import assigned, source
from . import at_mask, derived, formulas, given, sections, shown, stand_in, summands
from .derived import NamedTrace
from .expressions import Made, made
from .functions import defined, with_helpers
from .opening import opening

IMPORTS = """import base64
import math
import random
import zlib
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from types import SimpleNamespace
from typing import Any

import torch
from torch import Generator, Tensor

torch.set_num_threads(1)  # as the pages count: several threads may add up in another order"""


@dataclass(frozen=True)
class NotebookCell:
    """A piece of the export: markdown, or Python."""

    kind: str  # "markdown" or "code", as notebooks call them
    text: str


def cells(setup: Setup, address: str, word: str = "", instead: str = "") -> Iterator[NotebookCell]:
    """Yield all of it; `address` is where the explorer stands, without a page, and why `word`
    rather than `instead` is told."""
    yield NotebookCell("markdown", _begin(setup, address))
    yield NotebookCell("code", _tools())
    yield NotebookCell("code", given.words(setup))
    drawn = given.drawn(setup)
    if drawn:
        edited = " Some are then changed by hand." if setup.edits else ""
        yield NotebookCell(
            "markdown", f"## The weights\n\nThey are drawn from seeds, in this order.{edited}"
        )
        yield NotebookCell("code", drawn)
    code = Code(set(given.DRAWS) if drawn else set())
    (steps,) = derived.seven_steps(setup)
    for section in sections.SECTIONS:
        entries = section.entries(steps.trace)
        made_of = [
            formula for entry in entries if (formula := sections.formula(steps.trace, entry))
        ]
        yield _introduced(section, made_of, link(setup, section.path, address))
        yield from (code.cell(steps, [entry]) for entry in entries)
    if setup.real and setup.norm == "pre" and not next_word.why_not(setup):
        (section,) = (each for each in sections.LATER if each.path == "next")
        yield _introduced(
            section, formulas.following(setup)[1:], link(setup, section.path, address)
        )
        yield NotebookCell("markdown", summands.ABOUT + summands.OF_A_MODEL)
        yield code.lines(summands.made_of_a_model(setup, word, instead))
    if setup.real and not filling.why_not(setup):
        (section,) = (each for each in sections.LATER if each.path == "next")
        yield _introduced(
            replace(section, title="[MASK]", sentence=at_mask.ABOUT),
            formulas.at_mask(setup),
            link(setup, "next", address),
        )
        named = NamedTrace("mask.", filling.fill(setup))
        yield from code.all_cells(at_mask.to_the_logits(named))
        yield code.lines(at_mask.made(named))
    for section in () if derived.has_steps_alone(setup) else sections.LATER:
        if section.path == "next" and not derived.says_a_word(setup):
            continue
        yield _introduced(
            section, formulas.formulas(section.path, setup), link(setup, section.path, address)
        )
        for named in derived.AFTER_THE_STEPS[section.path](setup):
            yield from code.all_cells(named)
            if named.prefix == "next_word.":
                yield NotebookCell("markdown", summands.ABOUT)
                yield code.lines(summands.made(named, word, instead))


def link(setup: Setup, path: str, address: str) -> str:
    """Return the link of a page with this setup; relative where no address is known.

    >>> link(Setup(d_k=5), "scores", "https://example.org/app/")
    'https://example.org/app/scores?d_k=5'
    """
    base = quote(address.rstrip("/"), safe=":/[]%") or "."
    parameters = urlencode(setup.as_link(), safe=",")
    return f"{base}/{path}" + (f"?{parameters}" if parameters else "")


def _begin(setup: Setup, address: str) -> str:
    so_far = (
        f" for {setup.steps_taken} of {setup.steps} steps" if setup.to_the_end is not setup else ""
    )
    trained = (
        f"Its weights were trained{so_far}, have four decimals and stand here as they are. "
        if setup.init == "trained"
        else ""
    )
    if setup.memory:
        return (
            "# Cross-attention, step by step\n\nThe seven steps from two sentences to the output,"
            f" in plain PyTorch, with the numbers of [this setup]({link(setup, '', address)}): the"
            f" first sentence asks, the other is asked. {trained}Each cell prints its numbers as"
            " the page does, of several heads the first's and of a large matrix the first"
            f" {shown.MOST} rows and columns, and holds them against what the page showed."
        )
    if setup.real or setup.layer > 1:
        whose = (
            f"of {setup.real.name}, in plain PyTorch, with the model's own weights"
            if setup.real
            else "in plain PyTorch"
        )
        return (
            f"# Self-attention, step by step\n\nThe seven steps of layer {setup.layer} {whose}, on"
            f" the sentence of [this setup]({link(setup, '', address)}). {trained}Each cell prints"
            " its numbers as the page does, of several heads the first's and of a large matrix the"
            f" first {shown.MOST} rows and columns, and holds them against what the page showed."
        )
    return (
        "# Self-attention, step by step\n\nEverything from the words to the output, and on through"
        " masks, block, encoder, next word and classifier, in plain PyTorch, with the numbers of"
        f" [this setup]({link(setup, '', address)}). {trained}Each cell prints its numbers as the"
        " page does, of several sentences or heads the first's and of a large matrix the first"
        f" {shown.MOST} rows and columns, and holds them against what the page showed. When all"
        " have run, each tensor stands in a variable of its own name: `scores` is the seven"
        " steps', `batch.scores` that of all sentences, `layer2.scores` that of the second block,"
        " `next_word.logits` the next word's, `why.heads` what each head brings to it,"
        " `classifier.logits` the classifier's."
    )


def _tools() -> str:
    """Return what the cells print and compare with."""
    constants = "\n".join(
        [
            assigned(written, "FOUR_DECIMALS", "SMALL", "_exact"),
            assigned(shown, "MOST"),
            assigned(norms, "EPSILON"),
        ]
    )
    functions = map(
        source,
        (written.number, shown.table, shown.near, shown.check, stand_in.Setup, stand_in.replace),
    )
    return "\n\n\n".join([f"{IMPORTS}\n\n{constants}", *functions])


def _introduced(section: sections.Section, made_of: Iterable[str], address: str) -> NotebookCell:
    lines = [
        f"## {section.title}",
        section.sentence,
        *(f"$${formula}$$" for formula in made_of),
        f"[This page]({address})",
    ]
    return NotebookCell("markdown", "\n\n".join(lines))


@dataclass
class Code:
    """Cells of code, one after the other: each function stands in the first that needs it."""

    written_out: set[Callable] = field(default_factory=set)

    def all_cells(self, named: NamedTrace) -> Iterator[NotebookCell]:
        """Yield a batch and the first block as a cell for each step, what repeats these as a cell
        for each layer."""
        first = opening(named)
        if first:
            yield self.lines(first)
        not_written: list[Entry] = []
        for entry in named.trace.values():
            not_written.append(entry)
            if entry.call is not None and named.prefix in (
                "batch.",
                "layer1.",
                "next_word.",
                "mask.",
            ):
                yield self.cell(named, not_written)
                not_written = []
        if not_written:
            yield self.cell(named, not_written)

    def lines(self, made: Made) -> NotebookCell:
        """Return these lines, after the functions that they are the first to need."""
        return NotebookCell("code", self._after_functions([made]))

    def cell(self, named: NamedTrace, entries: Iterable[Entry]) -> NotebookCell:
        """Return a line for each entry, with its check, after the functions that they are the first
        to need."""
        lines = [made(named, entry) for entry in entries]
        written = [
            Made(_line(named, entry, line.expression), line.functions)
            for entry, line in zip(entries, lines, strict=True)
        ]
        return NotebookCell("code", self._after_functions(written))

    def _after_functions(self, lines: list[Made]) -> str:
        needed = dict.fromkeys(
            with_helpers(function for line in lines for function in line.functions)
        )
        new = [function for function in needed if function not in self.written_out]
        self.written_out.update(new)
        return "\n\n\n".join([*map(defined, new), "\n".join(line.expression for line in lines)])


def _line(named: NamedTrace, entry: Entry, expression: str) -> str:
    """Return a line of code that gives an entry its tensor. What has been shown under another name
    is not shown again, and of the classifier's layers, which are like those of the stack, only what
    they hand on."""
    name = named.prefix + entry.name
    line = f"{name} = {expression}"
    again = named.prefix and expression.replace(".", "").isidentifier()
    if again or (named.prefix.startswith(("classifier.layer", "causal")) and entry.name != "out"):
        return line
    return (
        f'{line}\ncheck("{name}", {name}, "{" ".join(entry.dims)}",'
        f' """\n{shown.table(entry.value)}""")'
    )
