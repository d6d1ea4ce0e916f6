"""Parse a model's sizes from config.json, strictly: anything not understood is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..fields.sentences import MAX_PIECES
from .checkpoint import Unreadable, read_json
from .families import Family, find_family
from .folders import CONFIGS, name_of

# What most families call these sizes; if config.json has such a name, it counts.
ALSO = {
    "d_model": "hidden_size",
    "heads": "num_attention_heads",
    "layers": "num_hidden_layers",
    "places": "max_position_embeddings",
}
STRETCH = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")


@dataclass(frozen=True)
class Sizes:
    """A model's sizes: `words` are the rows of its table, `places` of its positions, `parts` of its
    segments. `kv_heads` is the number of heads with keys and values; `rotary` are the settings of
    `embedding.rotary_angles`. `biases` lists the matrices with a bias: letters of q, k, v, o, g
    (the gate), 1, 2. `first` is the first position's row. `table` is the table's width, 0 for
    d_model. `mask` is the model's own."""

    words: int
    places: int
    d_model: int
    heads: int
    layers: int
    d_ff: int
    d_k: int
    kv_heads: int
    activation: str
    epsilon: float
    biases: str
    mask: str
    rotary: dict[str, Any] = field(default_factory=dict)
    parts: int = 1
    first: int = 0
    table: int = 0

    @property
    def width(self) -> int:
        """The length of a row of the table."""
        return self.table or self.d_model


def read_config(folder: Path) -> dict[str, Any]:
    """Return what config.json says. Raises Unreadable for a quantized model."""
    there = (folder / name for name in CONFIGS if (folder / name).is_file())
    config = read_json(next(there, folder / CONFIGS[0]))
    if quantized := config.get("quantization_config"):
        kind = quantized.get("quant_method") if isinstance(quantized, dict) else None
        raise Unreadable(
            f"{name_of(folder)} is quantized{f' ({kind})' if kind else ''}: its matrices are packed"
            " into fewer bits. What is read is the model before that."
        )
    return config


def check_config(folder: Path) -> None:
    """Raise Unreadable if config.json alone shows that the model cannot be read."""
    config = read_config(folder)
    if config.get("model_type") is not None:
        read_sizes(config, find_family(config, None, name_of(folder)))


def read_sizes(config: Mapping[str, Any], family: Family) -> Sizes:
    """Return the sizes that config.json says, or its family's own.

    Raises:
        Unreadable: a value is invalid, or is not computed here.
    """
    usual = family.usual | {theirs: value for theirs, value in family.config.values() if value}
    said = usual | {name: value for name, value in config.items() if value is not None}
    _must_be(said, **family.only)
    _refuse_window(said, family)
    sizes = _counts(config, said, family)
    turns = family.positions == "rotary"
    if turns and sizes["d_k"] % 2:
        raise _wrong("head_dim", sizes["d_k"], "; only pairs of numbers can be turned")
    asked = (letters for name, letters in family.asked.items() if said.get(name))
    return Sizes(
        **sizes,
        activation=_activation(said, family),
        epsilon=_epsilon(said, family),
        biases=family.biases + "".join(asked),
        mask=family.mask if config.get("is_causal", True) else "none",
        rotary=_rotary(said) if turns else {},
    )


def _counts(config: Mapping[str, Any], said: Mapping[str, Any], family: Family) -> dict[str, int]:
    """Return the sizes that are whole numbers."""
    names = {
        ours: ALSO[ours] if ALSO.get(ours) in config else theirs
        for ours, (theirs, usual) in family.config.items()
        if ours not in ("epsilon", "activation") and (usual or theirs in said)
    }
    sizes = {ours: _count(said, theirs) for ours, theirs in names.items()}
    d_model, heads = sizes["d_model"], sizes["heads"]
    if sizes.get("table") == d_model:
        del sizes["table"]
    sizes.setdefault("d_ff", 4 * d_model)
    if config.get("num_key_value_heads", 0) is None:  # null is not the family's own
        sizes.pop("kv_heads", None)
    if heads % sizes.setdefault("kv_heads", heads):
        raise Unreadable(
            f"config.json has {heads} heads, and they cannot share {sizes['kv_heads']} of keys and"
            " values."
        )
    if "d_k" not in sizes and d_model % heads:
        raise Unreadable(
            f"config.json has {heads} heads, and they cannot share a d_model of {d_model}."
        )
    sizes.setdefault("d_k", d_model // heads)
    return sizes | _places(said, family, sizes["places"])


def _places(said: Mapping[str, Any], family: Family, rows: int) -> dict[str, int]:
    """Return the first position's row, and how many follow."""
    first = family.first
    if isinstance(first, str):
        pad = said[first]
        if type(pad) is not int or pad < 0:
            raise _wrong(first, pad, ", where a row's number belongs")
        first = pad + 1
    if first >= rows:
        raise _wrong("max_position_embeddings", rows, f", and the first of them is row {first}")
    return {"first": first, "places": rows - first}


def _activation(said: Mapping[str, Any], family: Family) -> str:
    name, _ = family.config["activation"]
    kind = said[name]
    if not isinstance(kind, str) or kind not in family.activations:
        raise _wrong(name, kind, f"; what is computed is {', '.join(family.activations)}")
    return family.activations[kind]


def _epsilon(said: Mapping[str, Any], family: Family) -> float:
    name, usual = family.config.get("epsilon", ("", 1e-12))
    small = said.get(name, usual)
    if not isinstance(small, float) or not 0 < small < 1:
        raise _wrong(name, small, ", where a number between 0 and 1 belongs")
    return small


def _rotary(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of `embedding.rotary_angles`."""
    rope = said.get("rope_scaling") or said.get("rope_parameters") or {}
    kind = rope.get("rope_type", rope.get("type", "default")) if isinstance(rope, Mapping) else rope
    if kind not in ("default", "llama3"):
        raise _wrong("rope_type", kind, "; what is computed is 'default' and 'llama3'")
    base = _number({"rope_theta": said.get("rope_theta", 10000), **rope}, "rope_theta")
    if kind == "default":
        return {"base": base}
    _must_be({**said, **rope}, partial_rotary_factor=1.0)
    places = {STRETCH[3]: said["max_position_embeddings"], **rope}
    stretch = tuple(_number(places, name) for name in STRETCH)
    if not stretch[1] < stretch[2]:
        belongs = f", where a number above low_freq_factor, {stretch[1]}, belongs"
        raise _wrong("high_freq_factor", stretch[2], belongs)
    return {"base": base, "stretch": stretch}


def _number(said: Mapping[str, Any], name: str) -> float:
    """Return a positive number, whole numbers as such."""
    value: Any = said.get(name)
    if type(value) not in (int, float) or not 0 < value < 2**53:
        raise _wrong(name, value, ", where a positive number belongs")
    return int(value) if value == int(value) else float(value)


def _refuse_window(said: Mapping[str, Any], family: Family) -> None:
    """Raise Unreadable if some layer looks back less far than a sentence may be long."""
    window, usual = said.get("sliding_window", MAX_PIECES), family.usual
    has_window = "sliding_window" in usual  # Mistral's
    if "use_sliding_window" in usual:  # Qwen's upper layers, or those that config.json names
        layers = said.get("layer_types") or [
            "sliding_attention" * (said["num_hidden_layers"] > said["max_window_layers"])
        ]
        has_window = said["use_sliding_window"] and "sliding_attention" in layers
    if has_window and (type(window) is not int or window < MAX_PIECES):
        why = f"; a window of less than {MAX_PIECES} is not computed here"
        raise _wrong("sliding_window", window, why)


def _count(config: Mapping[str, Any], name: str) -> int:
    said = config.get(name)
    if type(said) is not int or said < 1:
        raise _wrong(name, said, ", where a whole number from 1 belongs")
    return said


def _must_be(config: Mapping[str, Any], **usual: Any) -> None:
    """Raise Unreadable if the config differs from these values. A missing key counts as equal."""
    for name, value in usual.items():
        if config.get(name, value) != value:
            raise _wrong(name, config[name], f"; only {value!r} is computed here")


def _wrong(name: str, value: Any, why: str) -> Unreadable:
    return Unreadable(f"config.json says {name}: {value!r}{why}.")
