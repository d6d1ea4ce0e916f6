"""Parse a model's sizes from config.json, strictly: anything not understood is refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .checkpoint import Unreadable

# Activations by their names in config.json.
ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
}
GATED = {"silu": "swiglu", "swish": "swiglu"}  # with a gated feed-forward part


@dataclass(frozen=True)
class Sizes:
    """A model's sizes: `words` are the rows of its table, `places` of its positions, `parts` of its
    segments. `kv_heads` is the number of heads with keys and values; `base` is that of rotary
    positions. `biases` lists the matrices with a bias: letters of q, k, v, o, g (the gate), 1, 2.
    `first` is the first position's row. `table` is the table's width, 0 for d_model. `norms_heads`:
    each head's queries and keys are normed."""

    words: int
    places: int
    parts: int
    d_model: int
    heads: int
    layers: int
    d_ff: int
    epsilon: float
    activation: str
    kv_heads: int
    d_k: int
    base: int = 10000
    biases: str = "qkvo12"
    first: int = 0
    table: int = 0
    norms_heads: bool = False

    @property
    def width(self) -> int:
        """The length of a row of the table."""
        return self.table or self.d_model


def base_of(config: Mapping[str, Any]) -> int:
    """Return the base of rotary positions. Raises Unreadable if the angles are not position /
    base^(2i/d_k)."""
    said = config.get("rope_parameters") or config.get("rope_scaling") or {}
    kind = said.get("rope_type", said.get("type", "default")) if isinstance(said, Mapping) else said
    if kind != "default":
        raise Unreadable(f"config.json says rope_type: {kind!r}; only 'default' is computed here.")
    must_be(said, partial_rotary_factor=1.0)
    base = said.get("rope_theta", config.get("rope_theta", 10000))
    if type(base) not in (int, float) or not 1 < base < 2**53 or base != int(base):
        raise Unreadable(
            f"config.json says rope_theta: {base!r}, where a whole number from 2 belongs."
        )
    return int(base)


def sizes_of(
    config: Mapping[str, Any],
    *,
    epsilon: str,
    activation: str,
    activations: Mapping[str, str] = ACTIVATIONS,
    base: int = 10000,
    biases: str = "qkvo12",
    norms_heads: bool = False,
    **names: str,
) -> Sizes:
    sizes = {
        ours: count_of(config, theirs)
        for ours, theirs in names.items()
        if ours != "d_k" or theirs in config
    }
    if "d_k" not in sizes:  # each head has an equal share of d_model
        sizes["d_k"], rest = divmod(sizes["d_model"], sizes["heads"])
        if rest:
            raise Unreadable(
                f"config.json has {sizes['heads']} heads, and they cannot share a d_model of"
                f" {sizes['d_model']}."
            )
    if sizes["heads"] % sizes.setdefault("kv_heads", sizes["heads"]):
        raise Unreadable(
            f"config.json has {sizes['heads']} heads, and they cannot share {sizes['kv_heads']} of"
            " keys and values."
        )
    small, kind = config.get(epsilon), config.get(activation)
    if not isinstance(small, float) or not 0 < small < 1:
        raise Unreadable(
            f"config.json says {epsilon}: {small!r}, where a number between 0 and 1 belongs."
        )
    if not isinstance(kind, str) or kind not in activations:
        raise Unreadable(
            f"config.json says {activation}: {kind!r}; what is computed is"
            f" {', '.join(activations)}."
        )
    return Sizes(
        **sizes,
        epsilon=small,
        activation=activations[kind],
        base=base,
        biases=biases,
        norms_heads=norms_heads,
    )


def count_of(config: Mapping[str, Any], name: str) -> int:
    said = config.get(name)
    if type(said) is not int or said < 1:
        raise Unreadable(f"config.json says {name}: {said!r}, where a whole number from 1 belongs.")
    return said


def must_be(config: Mapping[str, Any], **usual: Any) -> None:
    """Raise Unreadable if the config differs from these values. A missing key counts as equal."""
    for name, value in usual.items():
        if config.get(name, value) != value:
            raise Unreadable(
                f"config.json says {name}: {config[name]!r}; only {value!r} is computed here."
            )
