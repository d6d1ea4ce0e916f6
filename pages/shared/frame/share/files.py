"""What can be taken home of a setup, as files: bytes and names, nothing is drawn."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
import safetensors.torch

from core import export
from core.export.traces import named_traces
from core.setup import Setup


@dataclass(frozen=True)
class File:
    """One file: what a button says of it, its name, its kind, and what makes it of a setup and the
    explorer's address."""

    label: str
    name: str
    mime: str
    make: Callable[[Setup, str], bytes]

    def of(self, setup: Setup) -> "File":
        """Return the file as it is of this setup: a script or notebook that reads weights from a
        file beside it is a zip of both."""
        if self is NUMPY or not export.has_file(setup):
            return self
        name = PurePath(self.name)
        zipped = f"{name.stem}-{name.suffix[1:]}.zip"
        return File(self.label, zipped, "application/zip", self.zipped)

    def zipped(self, setup: Setup, address: str) -> bytes:
        """Return it with the weights that it reads, in one archive."""
        weights = safetensors.torch.save(dict(export.derivation(setup, address).file))
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(self.name, self.make(setup, address))
            archive.writestr(export.FILE, weights)
        return file.getvalue()


def as_notebook(setup: Setup, address: str) -> bytes:
    """Return the derivation as a notebook."""
    return export.derivation(setup, address).notebook.encode()


def as_script(setup: Setup, address: str) -> bytes:
    """Return the derivation as a script."""
    return export.derivation(setup, address).script.encode()


def as_npz(setup: Setup, address: str) -> bytes:
    """Return every tensor by name, as NumPy reads it; the entry `axes` names each one's axes and
    the link, as JSON."""
    entries = {name: entry for named in named_traces(setup) for name, entry in named.kept().items()}
    axes = {name: " ".join(entry.dims) for name, entry in entries.items()}
    about = json.dumps(axes | {"link": export.link(setup, "", address)})
    values = {name: entry.value.numpy() for name, entry in entries.items()}
    file = io.BytesIO()
    np.savez_compressed(file, **values, axes=np.array(about))
    return file.getvalue()


NUMPY = File("Tensors · NumPy", "attention.npz", "application/octet-stream", as_npz)
FILES = (
    File("Notebook", "attention.ipynb", "application/x-ipynb+json", as_notebook),
    File("Script", "attention.py", "text/x-python", as_script),
    NUMPY,
)
