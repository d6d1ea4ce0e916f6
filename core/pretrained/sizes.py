"""How large a checkpoint says that its model is, in config.json: read strictly, since what is not
understood is not computed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .tensors import Unreadable

# What config.json calls an activation, and what `block` does.
ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
}
GATED = {"silu": "swiglu", "swish": "swiglu"}  # the same of a feed-forward part with a gate


@dataclass(frozen=True)
class Sizes:
    """How large a model is: `words` are the rows of its table, `places` those of its positions,
    `parts` of a text those that it tells apart. `kv_heads` heads have keys and values, for all;
    `base` is that of rotary positions. `biases` says which matrices have one: letters of q, k, v,
    o, g (the gate), 1, 2. `first` is the row that the first place has. `table` is how wide that of
    words is, 0: as wide as the model. `norms_heads`: queries and keys of each head are normed."""

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
        """How many numbers a row of the table has."""
        return self.table or self.d_model


def base_of(config: Mapping[str, Any]) -> int:
    """Return what rotary positions count with. Raises Unreadable where they are turned otherwise
    than by place / base^(2i/d_k)."""
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
    """Refuse a model that is built otherwise than its family is computed here. What is not said is
    as usual."""
    for name, value in usual.items():
        if config.get(name, value) != value:
            raise Unreadable(
                f"config.json says {name}: {config[name]!r}; only {value!r} is computed here."
            )
