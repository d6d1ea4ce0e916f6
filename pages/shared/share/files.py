"""The files to download for a setup: names and bytes; nothing is drawn."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np
import safetensors.torch
from torch import Tensor

from core import Setup, export
from core.export.traces import list_traces


@dataclass(frozen=True)
class File:
    """One file: its label, name and type, and the function of setup and address that makes it."""

    label: str
    name: str
    mime: str
    make: Callable[[Setup, str], bytes]

    def of(self, setup: Setup) -> "File":
        """Return the file for this setup: a zip if a script or notebook needs a weights file."""
        if self is NUMPY or not export.has_file(setup):
            return self
        name = PurePath(self.name)
        return replace(self, name=f"{name.stem}-{name.suffix[1:]}.zip", mime="application/zip")


def make_notebook(setup: Setup, address: str) -> bytes:
    """Return the derivation as a notebook, zipped with its weights file if it has one."""
    derivation = export.derivation(setup, address)
    return _zip("attention.ipynb", derivation.notebook, setup, derivation.file)


def make_script(setup: Setup, address: str) -> bytes:
    """Return the derivation as a script, zipped with its weights file if it has one."""
    derivation = export.derivation(setup, address)
    return _zip("attention.py", derivation.script, setup, derivation.file)


def _zip(name: str, text: str, setup: Setup, weights: Mapping[str, Tensor]) -> bytes:
    if not export.has_file(setup):
        return text.encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
        archive.writestr(export.FILE, safetensors.torch.save(dict(weights)))
    return file.getvalue()


def make_npz(setup: Setup, address: str) -> bytes:
    """Return every tensor by name as an npz; its entry `axes` has each tensor's axes and the link,
    as JSON."""
    entries = {name: entry for named in list_traces(setup) for name, entry in named.kept().items()}
    axes = {name: " ".join(entry.dims) for name, entry in entries.items()}
    about = json.dumps(axes | {"link": export.link(setup, "", address)})
    values = {name: entry.value.numpy() for name, entry in entries.items()}
    file = io.BytesIO()
    np.savez_compressed(file, **values, axes=np.array(about))
    return file.getvalue()


NUMPY = File("Tensors · NumPy", "attention.npz", "application/octet-stream", make_npz)
FILES = (
    File("Notebook", "attention.ipynb", "application/x-ipynb+json", make_notebook),
    File("Script", "attention.py", "text/x-python", make_script),
    NUMPY,
)
