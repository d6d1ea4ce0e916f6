"""What a file of Share holds of a setup: X and weights or Q, K and V, a mask, and the link that
says the words and the scale."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

import torch
from torch import Tensor

from ..setup.setup import Setup
from ..text.exact_decimals import normalize_number
from .archives import Stored
from .names import BIASES, QKV, WEIGHTS
from .questions import InvalidInput

NAMES = ("x", "memory_x", *WEIGHTS, *BIASES[:3], *QKV, "w_o", "b_o")
# What a norm, norms of heads, places and a mask make of them.
CHANGED = ("normed_1", "q_normed", "k_normed", "q_rotated", "k_rotated", "masked")


@dataclass(frozen=True)
class Shared:
    """The parts of one attention, what the file calls them, its mask, its words, what its scores
    are divided by, and what to say."""

    parts: dict[str, Tensor]
    said: dict[str, str]
    mask: dict[str, tuple[tuple[str, ...], ...]]
    tokens: tuple[str, ...]
    scale: str
    messages: tuple[str, ...]


def read_shared(stored: Mapping[str, Stored], link: str) -> Shared:
    """Return the attention of a file that Share wrote. Raises InvalidInput if it is not whole."""
    parts = {name: stored[name].tensor() for name in (*NAMES, *CHANGED) if name in stored}
    if not {"x", "q", "k", "v"} <= set(parts):
        raise InvalidInput("The file is not whole: X, Q, K and V are in each that Share writes.")
    messages = []
    made = "w_q" in parts or torch.equal(
        parts["q"][0], parts["x"]
    )  # without projections X is all three
    if "normed_1" in parts:
        parts["x"] = parts["normed_1"]
        messages.append("X is what the norm before attention makes of it: normed_1.")
    ends = {"normed": "normed", "rotated": "turned by their places"}
    if became := [end for end in ends if f"q_{end}" in parts]:
        parts, made = parts | {name: parts[f"{name}_{became[-1]}"] for name in "qk"}, False
        how = " and ".join(ends[end] for end in became)
        messages.append(f"Q and K were {how}: they are given so, without what made them.")
    kept = {"w_o", "b_o"} | ({"x", "memory_x", *WEIGHTS, *BIASES[:3]} if made else {*QKV})
    of_layer = {name: parts[name] for name in NAMES if name in parts and name in kept}
    said = {name: name for name in of_layer}
    mask: dict[str, tuple[tuple[str, ...], ...]] = {}
    hidden = parts["masked"].isneginf().any(dim=0) if "masked" in parts else torch.zeros(1)
    if hidden.any():
        said["mask"] = "masked"
        mask["mask"] = tuple(tuple("10"[cell] for cell in row) for row in hidden.tolist())
    setup, _ = Setup.nearest(dict(parse_qsl(urlsplit(link).query)))
    if setup.scale == "fourth-root":
        messages.append(
            "Q and K were each divided by the fourth root of d_k: here scores are divided by √d_k."
        )
    scale = "none" if setup.scale == "none" else "sqrt"
    if setup.temperature != 1:
        scale = normalize_number(
            round(setup.temperature * (1 if scale == "none" else math.sqrt(setup.d_k)), 6)
        )
    return Shared(of_layer, said, mask, setup.tokens, scale, tuple(messages))
