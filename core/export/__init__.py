"""The derivation to take home: plain PyTorch that needs nothing of this project, with the reader's
own numbers.

`cells` puts it together of the trace's own calls (`Entry.call`), so a function stands there as it
stands in core.
"""

import json
from typing import Any

from ..setup import Setup
from .cells import cells, link
from .sections import SECTIONS, formula

__all__ = ["SECTIONS", "formula", "link", "notebook", "script"]


def script(setup: Setup, address: str = "", word: str = "", instead: str = "") -> str:
    """Write a Python script that derives every tensor of `derived.named_traces(setup)`, prints it
    and holds it against the pages'.

    After it ran, a variable of each entry's name holds its tensor, `layer1.q` of `layer1`. It needs
    torch alone. `address` is where the explorer stands: links lead to the page that each step came
    from. Where a next word is said, it takes the logit of `word` apart, less that of `instead`, as
    the page does: without them of the likeliest word, less the next.
    """
    parts = [
        _as_comment(cell.text) if cell.kind == "markdown" else f"# %%\n{cell.text}"
        for cell in cells(setup, address, word, instead)
    ]
    return "\n\n\n".join(parts) + "\n"


def _as_comment(markdown: str) -> str:
    """Return markdown between cells of code, as editors know it in a script."""
    return "\n".join(["# %% [markdown]", *(f"# {line}".rstrip() for line in markdown.split("\n"))])


def notebook(setup: Setup, address: str = "", word: str = "", instead: str = "") -> str:
    """Return the same as a notebook, as text: nbformat 4.5."""
    made: list[dict[str, Any]] = [
        {"id": f"cell-{k}", "cell_type": cell.kind, "metadata": {}, "source": cell.text}
        | ({"execution_count": None, "outputs": []} if cell.kind == "code" else {})
        for k, cell in enumerate(cells(setup, address, word, instead))
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": made},
        ensure_ascii=False,
        indent=1,
    )
