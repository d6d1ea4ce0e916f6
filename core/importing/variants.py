"""What a layer may do beside softmax(Q K^⊤ / √d_k) V, as its tensors' names say: what the steps
have no place for is refused; a mask, a scale and what is not known are asked."""

import re
from collections.abc import Iterator, Mapping

from .archives import Stored
from .projections import Ask
from .questions import InvalidInput

WITHOUT = "without it"
_NO_PLACE = "the steps have no place for it"
_GIVE_QKV = ": bring Q, K and V as they are after that, in a file with q, k and v"


REFUSED = {
    r"rotary|rope|inv_freq|freqs|(cos|sin)_cache|^forward.position_emb": (
        f"turns queries and keys by their places (RoPE); {_NO_PLACE}{_GIVE_QKV}"
    ),
    r"^(q|k|qk|query|key)_?(layer_?)?(norm|ln)|^(norm|ln)_(q|k)": (
        f"norms queries or keys before they meet; {_NO_PLACE}{_GIVE_QKV}"
    ),
    r"rel_|relative|alibi|slopes|distance|attention_biases|cpb|pos(ition)?_bias|^r_|^r$": (
        f"adds to the scores how far apart two words are; {_NO_PLACE}"
    ),
    r"sinks?$|^null_|^mem_|^bias_[kv]$|zero_attn|prefix_": (
        f"(as add_bias_kv, add_zero_attn, a sink) adds a key that belongs to no word; {_NO_PLACE}"
    ),
    r"talk|head_mix|reattn|softmax_w|^lambda|gat(e|ing)|^g_proj|lora_": (
        f"changes scores, weights or values in a way of its own; {_NO_PLACE}"
    ),
    r"logit_scale|^tau$": f"scales scores by a number that was learned; {_NO_PLACE}",
    r"^(q?zeros|weight_scale(_inv)?|scb|g_idx|qweight)$": "says that the weights are packed",
}
MASK = re.compile(r"^(?!masked_bias$).*(mask|tril|triu|causal)")
SCALE = re.compile(r"^(softmax_)?(scale|scaling|temperature|norm_factor|divisor|sqrt_\w+)$")
# Parts of a block around its attention, which do not change it.
AROUND = re.compile(
    r"norm|^ln|mlp|^ffn?|feed_?forward|^fc\d|linear\d|intermediate|emb|^wte|^wpe|head$|classif|pool"
    r"|drop|cls_|position_ids|gamma|^ls\d|masked_bias|ignore|num_batches|output$|^dense|^net$"
)
UNSCALED = re.compile(r"(SelfAttention|EncDecAttention|attn\.attention)\.$")  # T5, GPT-Neo


def check_variants(
    prefix: str, others: Mapping[str, Stored], attributes: Mapping[str, Stored], ask: Ask
) -> None:
    """Ask whether the layer at `prefix` has a mask, where something tells of one, and whether what
    is not known may be left out. Raises InvalidInput for what the steps have no place for.

    `others` are the tensors that are read as no part of an attention, `attributes` what else a
    module says of itself: both by key.
    """
    masks = []
    for key, part, stored in _parts_of(prefix, {**others, **attributes}):
        for name, does in REFUSED.items():
            if re.search(name, part):
                raise InvalidInput(f"{key[:60]} {does}.")
        if SCALE.search(part) and max(stored.shape, default=1) > 1:
            raise InvalidInput(f"{key[:60]} scales each head by a number of its own; {_NO_PLACE}.")
        if MASK.search(part) or (part == "bias" and len(stored.shape) > 1):
            masks.append(key)
    if unknown := [key for key in others if key not in masks and _is_unknown(prefix, key)]:
        says = (
            f"{unknown[0][:60]} is in the layer, and no step reads it. If it changes what comes of"
            " attention, the numbers here would be others: go on without it?"
        )
        ask("left_out", says, (WITHOUT,), None)
    if masks:
        says = f"{masks[0][:60]} tells of a mask: may a word look only at what came before it?"
        ask("mask", says, ("causal", "none"), None)


def check_scale(prefix: str, others: Mapping[str, Stored], d_k: int, ask: Ask) -> None:
    """Ask what scores are divided by, where the layer holds a number for it that is not √d_k."""
    usual = d_k**0.5
    for key, part, stored in _parts_of(prefix, others):
        if not SCALE.search(part) or max(stored.shape, default=1) > 1:
            continue
        number = float(stored.tensor())
        either = (number, 1 / number if number else 0.0)  # divided by it, or multiplied with it
        if not any(abs(usual - one) < 1e-3 * usual for one in either):
            ways = ("sqrt", *(f"{one:.6g}" for one in either if one > 0))
            says = (
                f"{key[:60]} is {number:.6g}, and √d_k {usual:.6g}: what are scores divided by?"
                " Its inverse, where they are multiplied with it."
            )
            ask("scale", says, tuple(dict.fromkeys(ways)), None)
    if UNSCALED.search(prefix):
        says = f"{prefix[-40:-1]} may be T5's or GPT-Neo's, which do not divide scores. Is it so?"
        ask("scale", says, ("none", "sqrt"), None)


def _parts_of(prefix: str, keys: Mapping[str, Stored]) -> Iterator[tuple[str, str, Stored]]:
    """Yield the parts of each key that belongs to a layer: it is in the layer, or in what the layer
    is in; layers of a stack, which differ by a number, are alike."""
    own = _alike(prefix)
    for key, stored in keys.items():
        parts = key.replace("/", ".").split(".")
        for place, part in enumerate(parts):
            owner = _alike("".join(f"{one}." for one in parts[:place]))
            if own.startswith(owner) or owner.startswith(own):
                yield key, part.lower(), stored
            if AROUND.search(part.lower()):
                break


def _alike(prefix: str) -> str:
    return re.sub(r"\d+", "0", prefix)


def _is_unknown(prefix: str, key: str) -> bool:
    """Return whether a tensor is in the layer, and is none of those that stand around attention."""
    inside = key.replace("/", ".")
    if not inside.startswith(prefix):
        return False
    parts = inside[len(prefix) :].lower().split(".")
    return not any(AROUND.search(part) or SCALE.search(part) for part in parts)
