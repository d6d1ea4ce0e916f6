"""What the tensors of an attention are called: by PyTorch, by other libraries, by people."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from .archives import Stored
from .names import LETTERS, QKV, WEIGHTS
from .questions import InvalidInput

# What stands at the end of a key, and what it is called here. All others are alike: a letter or its
# word, with something before and behind it, as in W_query, q_proj, to_q, fc_q, linear_q.
_UNITS = {
    "w_q": r"linears\.0",  # of the Annotated Transformer
    "w_k": r"linears\.1",
    "w_v": r"linears\.2",
    "w_o": (
        r"linears\.3|attention_output|c_proj|proj|projection|dense|output\.dense|to_out\.0"
        r"|unify_?heads|combine_?heads"
    ),
    "maybe_w_o": r"fc|lin|linear|final(?:_?(?:linear|layer|proj))?",
    "w_qkv": r"in_proj|c_attn",
}
_WORDS = LETTERS | {
    "qkv": r"(?:q|query)_?(?:k|key)_?(?:v|value)",
    "kv": r"(?:k|key)_?(?:v|value)",
    "x": r"x|e|inputs?|tokens?|embeddings?|hidden_states",
}
_BEFORE = r"(?:w|weights?|to|fc|lin(?:ear)?|proj(?:ection)?)_?"
_BEHIND = r"(?:_?(?:w|weights|proj(?:ection)?|lin(?:ear)?|layer|dense|matrix|transform))+"
_KEY = re.compile(
    r"(?P<prefix>(?:.*?\.)??)(?:self\.|(?<=attention\.)attention\.)?"
    r"(?:\w*heads?[._](?P<head>\d{1,2})\.)?(?P<path>(?:"
    + "|".join(f"(?P<{name}>{unit})" for name, unit in _UNITS.items())
    + rf"|(?P<b>b_?)?(?P<before>{_BEFORE})?(?:"
    + "|".join(f"(?P<{name}>{word})" for name, word in _WORDS.items())
    + rf")(?P<behind>{_BEHIND})?(?:[._]?(?P<number>\d{{1,2}}))?))"
    r"(?:[._](?P<kind>weight|kernel|bias))?"
)


@dataclass(frozen=True)
class Named:
    """One tensor of an attention: what it is called here and in the file, of which part and head,
    whether it is a Linear's "weight", a "kernel", a "bias", or stands alone."""

    name: str
    key: str
    path: str
    head: int
    kind: str
    stored: Stored


Tensors = dict[str, list[Named]]  # of one attention, by name; several are heads


def find_layers(stored: Mapping[str, Stored]) -> tuple[dict[str, Tensors], dict[str, Stored]]:
    """Return the attentions that are whole by what stands before their tensors, and all else by
    key."""
    layers: dict[str, Tensors] = {}
    others = {}
    for key, one in stored.items():
        prefix, named = _name(key, one)
        if named:
            layers.setdefault(prefix, {}).setdefault(named.name, []).append(named)
        else:
            others[key] = one
    for prefix in [prefix for prefix, layer in layers.items() if not _is_whole(layer)]:
        others |= {one.key: one.stored for part in layers.pop(prefix).values() for one in part}
    return layers, others


def _is_whole(layer: Tensors) -> bool:
    needed = ({"w_qkv"}, {"w_q", "w_kv"}, set(WEIGHTS), set(QKV))
    return any(layer.keys() >= names for names in needed)


def _name(key: str, stored: Stored) -> tuple[str, Named | None]:
    """Return what stands before a tensor's own name, and what it is; None where it is of no
    attention.

    >>> one = Stored((2, 2), lambda: None)
    >>> [_name(key, one)[1].name for key in ("attn.W_query", "in_proj_bias", "heads.0.key.weight")]
    ['w_q', 'b_qkv', 'w_k']
    """
    match = _KEY.fullmatch(key[:200].lower().replace("/", ".").removesuffix(":0"))
    if not match:
        return "", None
    said = match.groupdict()
    unit = next((name for name in _UNITS if said[name]), "")
    word = next((name for name in _WORDS if said[name]), "")
    if said["kind"] or (word and (said["before"] or said["behind"])):
        name = unit or f"w_{word}"
    else:  # a letter alone is the queries themselves
        name = f"w_{word}" if said["b"] else word if word in (*QKV, "x") else ""
    if name in ("", "w_x"):
        return "", None
    if said["kind"] == "bias" or said["b"]:
        name = name.replace("w_", "b_")
    head = int(said["head"] or said["number"] or 0)
    path = said["path"].removesuffix(said["number"] or "").rstrip("._")
    prefix = key[: len(said["prefix"])].replace("/", ".")
    return prefix, Named(name, key, path, head, said["kind"] or "", stored)


def heads_of(tensors: Tensors, name: str) -> list[Named]:
    """Return the tensors of one name in the order of their heads. Raises InvalidInput for
    two of the same head."""
    heads = sorted(tensors.get(name, []), key=lambda one: one.head)
    for one, next_one in pairwise(heads):
        if one.head == next_one.head:
            raise InvalidInput(
                f"“{one.key[:60]}” and “{next_one.key[:60]}” would be the same matrix of one"
                " attention: bring one layer alone."
            )
    return heads
