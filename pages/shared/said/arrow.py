"""Tables as Arrow keeps them, made of plain columns.

Arrow's own `pa.table` asks of each list whether it is one of pandas' columns, and imports pandas
for that: fifty megabytes that nothing here needs.
"""

from array import array
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa

Table = pa.Table


def table(columns: Mapping[str, Sequence[Any] | np.ndarray]) -> Table:
    """Return these columns by name, of words, of whole numbers or of numbers, where None may stand
    for one that is missing.

    >>> table({"word": ["cat", None], "id": range(2)}).to_pydict()
    {'word': ['cat', None], 'id': [0, 1]}
    """
    return Table.from_arrays([_column(column) for column in columns.values()], names=[*columns])


def _column(values: Sequence[Any] | np.ndarray) -> pa.Array:
    if isinstance(values, np.ndarray):
        kind, buffer = pa.from_numpy_dtype(values.dtype), pa.py_buffer(np.ascontiguousarray(values))
        return pa.Array.from_buffers(kind, len(values), [None, buffer])
    there = [value for value in values if value is not None]
    bits = sum(1 << place for place, value in enumerate(values) if value is not None)
    valid = (
        None
        if len(there) == len(values)
        else pa.py_buffer(bits.to_bytes(len(values) // 8 + 1, "little"))
    )
    if all(isinstance(value, str) for value in there):
        written = [(value or "").encode() for value in values]
        ends = array("i", accumulate(map(len, written), initial=0))
        return pa.StringArray.from_buffers(
            len(values), pa.py_buffer(ends), pa.py_buffer(b"".join(written)), valid
        )
    code, kind = (
        ("q", pa.int64()) if all(isinstance(value, int) for value in there) else ("d", pa.float64())
    )
    numbers = array(code, (0 if value is None else value for value in values))
    return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(numbers)])
