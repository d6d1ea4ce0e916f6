"""What can be taken home of a setup, as files: bytes and names, nothing is drawn."""

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import safetensors.torch

from core import export
from core.export import derived
from core.setup import Setup
from core.trace import Entry
from pages.shared.said import tables


@dataclass(frozen=True)
class File:
    """One file: what a button says of it, its name, its kind, and what makes it of a setup and the
    explorer's address; of one that `asks`, of a word to explain and another, too."""

    label: str
    name: str
    mime: str
    make: Callable[..., bytes]
    asks: bool = False


def as_notebook(setup: Setup, address: str, word: str = "", instead: str = "") -> bytes:
    """Return the derivation as a notebook."""
    return export.notebook(setup, address, word, instead).encode()


def as_script(setup: Setup, address: str, word: str = "", instead: str = "") -> bytes:
    """Return the derivation as a script."""
    return export.script(setup, address, word, instead).encode()


def as_safetensors(setup: Setup, address: str) -> bytes:
    """Return every tensor by name. The header's metadata names each one's axes, and the link of the
    setup."""
    entries = _kept(setup)
    # The format has no two tensors that share their numbers, as K and its transpose do here.
    values = {name: entry.value.clone().contiguous() for name, entry in entries.items()}
    return safetensors.torch.save(
        values, metadata=_axes(entries) | {"link": export.link(setup, "", address)}
    )


def as_npz(setup: Setup, address: str) -> bytes:
    """Return every tensor by name, as NumPy reads it; the entry `axes` names each one's axes and
    the link, as JSON."""
    entries, file = _kept(setup), io.BytesIO()
    about = json.dumps(_axes(entries) | {"link": export.link(setup, "", address)})
    np.savez_compressed(
        file, **{name: entry.value.numpy() for name, entry in entries.items()}, axes=np.array(about)
    )
    return file.getvalue()


def as_tables(setup: Setup, address: str) -> bytes:
    """Return every tensor as a table with its labels, a CSV each in one archive; of tensors with
    heads one for each head."""
    file = io.BytesIO()
    # At level 1 the largest setup's archive takes a quarter of the time of the usual level, and has
    # a fourteenth more bytes.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for named in derived.named_traces(setup):
            for name, content in _tables(named):
                archive.writestr(f"{name}.csv", content)
    return file.getvalue()


def _tables(named: derived.NamedTrace) -> Iterator[tuple[str, bytes]]:
    """Yield a trace's tables with their names; what belongs to all sentences stands in one."""
    of_all = named.prefix in ("batch.", "next_word.", "classifier.")
    for full, entry in derived.to_keep(named).items():
        if of_all or entry.dims[0] == "sentence":
            yield full, tables.as_long_csv(entry)
            continue
        for head in _heads(entry):
            yield (
                full if head is None else f"{full}.head{head + 1}",
                tables.as_csv(tables.labelled(entry, head or 0)),
            )


def _kept(setup: Setup) -> dict[str, Entry]:
    return {
        name: entry
        for named in derived.named_traces(setup)
        for name, entry in derived.to_keep(named).items()
    }


def _axes(entries: Mapping[str, Entry]) -> dict[str, str]:
    return {name: " ".join(entry.dims) for name, entry in entries.items()}


def _heads(entry: Entry) -> list[int | None]:
    """Return the heads that have a table each, from 0; of an entry whose own two axes make one,
    None."""
    return list(range(len(entry.value))) if entry.value.ndim == 3 else [None]


NUMPY = File("Tensors · NumPy", "attention.npz", "application/octet-stream", as_npz)
FILES = (
    File("Notebook", "attention.ipynb", "application/x-ipynb+json", as_notebook, asks=True),
    File("Script", "attention.py", "text/x-python", as_script, asks=True),
    File(
        "Tensors · safetensors", "attention.safetensors", "application/octet-stream", as_safetensors
    ),
    NUMPY,
    File("Tables · CSV", "attention-tables.zip", "application/zip", as_tables),
)
