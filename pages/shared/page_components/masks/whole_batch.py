"""The tensors of a batch, by name."""

from core import Setup
from pages.shared.server import computed
from pages.shared.text import elements, words


def tables(setup: Setup) -> None:
    """Draw every tensor of the batch with its axes and shape."""
    of_all = [
        entry
        for entry in computed.compute_batch(setup).trace.values()
        if entry.dims[0] == "sentence"
    ]
    columns = {
        "name": [entry.name for entry in of_all],
        "axes": [", ".join(entry.dims) for entry in of_all],
        "shape": [words.times(entry.value.shape) for entry in of_all],
    }
    elements.table(columns, alt="Every tensor of the batch with its axes and shape.")
