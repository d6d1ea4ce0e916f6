"""What can be taken home of a setup's seven steps, as files. No Streamlit here."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import safetensors.torch

from core import export
from core.setup import Setup
from core.trace import Entry, Trace
from pages.shared import computed, tables


@dataclass(frozen=True)
class File:
    """One file: what a button says of it, its name, its kind, and what makes it of a setup and the explorer's address."""

    label: str
    name: str
    mime: str
    make: Callable[[Setup, str], bytes]


def as_notebook(setup: Setup, address: str) -> bytes:
    """The derivation as a notebook."""
    return export.notebook(setup, address).encode()


def as_script(setup: Setup, address: str) -> bytes:
    """The derivation as a script."""
    return export.script(setup, address).encode()


def as_safetensors(setup: Setup, address: str) -> bytes:
    """Every tensor by name. The header's metadata names each one's axes, and the link of the setup."""
    trace = computed.traced(setup)
    # The format has no two tensors that share their numbers, as K and its transpose do here.
    values = {name: entry.value.clone().contiguous() for name, entry in trace.items()}
    return safetensors.torch.save(values, metadata=_axes(trace) | {"link": export.link(setup, "", address)})


def as_npz(setup: Setup, address: str) -> bytes:
    """Every tensor by name, as NumPy reads it; the entry `axes` names each one's axes and the link, as JSON."""
    trace, file = computed.traced(setup), io.BytesIO()
    about = json.dumps(_axes(trace) | {"link": export.link(setup, "", address)})
    np.savez_compressed(file, **{name: entry.value.numpy() for name, entry in trace.items()}, axes=np.array(about))
    return file.getvalue()


def as_tables(setup: Setup, address: str) -> bytes:
    """Every tensor as a table with its labels, a CSV each in one archive; of tensors with heads one for each head."""
    trace, file = computed.traced(setup), io.BytesIO()
    # At level 1 the largest setup's archive takes a quarter of the time of the usual level, and has a fourteenth more bytes.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, head in [(entry.name, head) for entry in trace.values() for head in _heads(entry)]:
            suffix = "" if head is None else f".head{head + 1}"
            archive.writestr(f"{name}{suffix}.csv", tables.as_csv(trace, name, head))
    return file.getvalue()


def _axes(trace: Trace) -> dict[str, str]:
    return {name: " ".join(entry.dims) for name, entry in trace.items()}


def _heads(entry: Entry) -> list[int | None]:
    """The heads that have a table each, from 0; of an entry whose own two axes make one, None."""
    return list(range(len(entry.value))) if entry.value.ndim == 3 else [None]


FILES = (
    File("Notebook", "attention.ipynb", "application/x-ipynb+json", as_notebook),
    File("Script", "attention.py", "text/x-python", as_script),
    File("Tensors · safetensors", "attention.safetensors", "application/octet-stream", as_safetensors),
    File("Tensors · NumPy", "attention.npz", "application/octet-stream", as_npz),
    File("Tables · CSV", "attention-tables.zip", "application/zip", as_tables),
)
