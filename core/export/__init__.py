"""The derivation to take home: plain PyTorch that needs nothing of this project, with the reader's
own numbers.

`writer` puts it together of the trace's own calls (`Entry.call`), so a function stands there as it
stands in core.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from .. import weights
from ..setup import Setup
from .sections import SECTIONS, formula, link
from .writer import FILE, READ, Part, Writer

__all__ = ["FILE", "SECTIONS", "Derivation", "derivation", "formula", "has_file", "link"]


@dataclass(frozen=True)
class Derivation:
    """What is taken home: parts of text and code, and the tensors for a file beside them, which
    nothing in the code makes."""

    parts: tuple[Part, ...]
    file: Mapping[str, Tensor]

    @property
    def script(self) -> str:
        """A Python script; its text stands in comments."""
        told = (
            "\n".join(f"# {line}".rstrip() for line in part.text.split("\n")) for part in self.parts
        )
        return (
            "\n\n\n".join(
                f"# %% [markdown]\n{text}\n\n\n# %%\n{part.code}"
                for text, part in zip(told, self.parts, strict=True)
            )
            + "\n"
        )

    @property
    def notebook(self) -> str:
        """The same as a notebook, as text: nbformat 4.5."""
        cells: list[dict[str, Any]] = []
        for part in self.parts:
            text = {"cell_type": "markdown", "metadata": {}, "source": part.text}
            code = {"cell_type": "code", "metadata": {}, "source": part.code}
            cells += [text, code | {"execution_count": None, "outputs": []}]
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
        cells = [{"id": f"cell-{k}"} | cell for k, cell in enumerate(cells)]
        made = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
        return json.dumps(made, ensure_ascii=False, indent=1)


def derivation(setup: Setup, address: str = "") -> Derivation:
    """Return the derivation of every tensor of `traces.named_traces(setup)`, each held against its
    page. `address` is where the explorer stands: links lead to the page that each step came from.
    """
    writer = Writer(setup)
    first, *others = writer.parts(address)
    if writer.file:
        first = Part(first.text, f"{first.code}\n\n\n{READ}")
    return Derivation((first, *others), writer.file)


def has_file(setup: Setup) -> bool:
    """Return whether some of its tensors stand in a file beside the script: weights that are
    edited, trained, given or read, or what layers below hand on."""
    return not weights.is_drawn(setup) or bool(setup.changes) or setup.layer > 1
