"""Export a derivation as plain PyTorch that does not need this project, with the user's own
numbers.

`writer` builds it from the trace's calls (`Entry.call`), so functions appear as they are in core.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from ..setup.setup import Setup
from ..weights import weights
from .sections import SECTIONS, formula, link
from .writer import FILE, READ, Part, Writer

__all__ = ["FILE", "SECTIONS", "Derivation", "derivation", "formula", "has_file", "link"]


@dataclass(frozen=True)
class Derivation:
    """An exported derivation: parts of text and code, and a file of the tensors that the code
    cannot compute."""

    parts: tuple[Part, ...]
    file: Mapping[str, Tensor]

    @property
    def script(self) -> str:
        """The export as a Python script, with its text as comments."""
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
        """The export as a notebook, as text: nbformat 4.5."""
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
    """Export every tensor of `traces.list_traces(setup)`, each checked against its page's numbers.
    `address` is the explorer's URL, for links to the page of each step."""
    writer = Writer(setup)
    first, *others = writer.parts(address)
    if writer.file:
        first = Part(first.text, f"{first.code}\n\n\n{READ}")
    return Derivation((first, *others), writer.file)


def has_file(setup: Setup) -> bool:
    """Return whether the export needs a file of tensors: edited, trained, given or read weights, or
    the output of the layers below."""
    return not weights.is_drawn(setup) or bool(setup.changes) or setup.layer > 1
