"""What the tensors of a file are called: by PyTorch, by people, by other libraries."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from .archives import Stored
from .names import BIASES, QKV, WEIGHTS, named

_KEY = re.compile(r"((?:.*?\.)??)(?:heads?\.(\d{1,2})\.)?([^.]+?)([._]weight|[._]bias|)")
_ALSO_W_O = ("proj", "c_proj", "to_out")
_ONE_PART = {
    "to_out.0.": "to_out.",
    "output.dense.": "output_dense.",
    ".self.": ".",
}  # of diffusers, of BERT


@dataclass(frozen=True)
class Named:
    """One tensor of an attention: its key in the file, of which head, and whether it is a
    Linear's."""

    key: str
    head: int
    is_linear: bool
    stored: Stored


def layers_of(stored: Mapping[str, Stored]) -> tuple[dict[str, dict[str, list[Named]]], list[str]]:
    """Return the attentions that are whole, each with its tensors by name and head, and the keys of
    all else."""
    layers: dict[str, dict[str, list[Named]]] = {}
    others = []
    for key, one in stored.items():
        short = reduce(lambda text, pair: text.replace(*pair), _ONE_PART.items(), key[:200])
        match = _KEY.fullmatch(short)
        name = _name(match[3], match[4]) if match else ""
        if not match or not name:
            others.append(key)
            continue
        layers.setdefault(match[1], {}).setdefault(name, []).append(
            Named(key, int(match[2] or 0), bool(match[4]), one)
        )
    whole = {
        prefix: {name: sorted(heads, key=lambda one: one.head) for name, heads in layer.items()}
        for prefix, layer in layers.items()
        if "w_qkv" in layer or layer.keys() >= set(WEIGHTS) or layer.keys() >= set(QKV)
    }
    others += [
        one.key
        for prefix in layers.keys() - whole.keys()
        for heads in layers[prefix].values()
        for one in heads
    ]
    return whole, others


def _name(unit: str, kind: str) -> str:
    """Return what a tensor is called here, by the last part of its key, and whether that is a
    weight or a bias; "" for any other.

    >>> _name("W_query", ".weight"), _name("in_proj", "_bias"), _name("proj", ".weight"), _name(
    ...     "W_q", ""
    ... ), _name("norm1", ".bias")
    ('w_q', 'b_qkv', 'w_o', 'w_q', '')
    """
    if unit in ("bias_k", "bias_v"):
        return unit
    said = named(f"{re.sub('^(to|fc)_', '', unit)}.weight" if kind else unit)
    name = "w_o" if kind and unit in _ALSO_W_O else said.name if said else ""
    known = (*WEIGHTS, "w_qkv", "w_o", *(() if kind else (*BIASES, "b_qkv", "x", *QKV)))
    return (
        name.replace("w_", "b_")
        if kind[1:] == "bias" and name in known
        else name
        if name in known
        else ""
    )
