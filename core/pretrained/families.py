"""Two families of models: what their config.json says, and which of their tensors is which of ours.

A tensor of theirs is turned or cut to be one of ours, as a view: no number is copied. BERT's matrices stand (out, in); GPT-2's
stand as ours do, W_q, W_k and W_v of all heads in one. Devlin et al. 2019; Radford et al. 2019.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from torch import Tensor

from .tensors import Unreadable

# What config.json calls an activation, and what `block` does.
ACTIVATIONS = {"gelu": "gelu", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "relu": "relu"}


@dataclass(frozen=True)
class Sizes:
    """How large a model is: `words` are the rows of its table, `places` those of its positions, `parts` of a text those that it
    tells apart. Each head has an equal share of d_model."""

    words: int
    places: int
    parts: int
    d_model: int
    heads: int
    layers: int
    d_ff: int
    epsilon: float
    activation: str


@dataclass(frozen=True)
class Stored:
    """A tensor of a checkpoint: its name there, its shape, and what makes it one of ours."""

    name: str
    shape: tuple[int, ...]
    ours: Callable[[Tensor], Tensor] = lambda stored: stored


class Family(Protocol):
    """What the models of a family have in common."""

    norm: str
    mask: str

    def sizes(self, config: Mapping[str, Any]) -> Sizes:
        """Return what config.json says. Raises Unreadable where it says too little, or something that is not computed here."""

    def embedding(self, s: Sizes) -> dict[str, Stored]:
        """Return what X is made of: embedding_table (word, d_model), positions (place, d_model), and for BERT part (d_model,), gain_0
        and shift_0 (d_model,)."""

    def layer(self, s: Sizes, n: int) -> dict[str, Stored]:
        """Return block n, from 1: `block.WEIGHTS` and `model.project`'s by their names."""

    def top(self, s: Sizes) -> dict[str, Stored]:
        """Return the norm after the last block, where there is one: gain_top and shift_top (d_model,)."""


class Bert:
    """Post-norm, and every word looks at every word. Of two texts, a row says which one a word is in: here always the first."""

    norm, mask = "post", "none"

    def sizes(self, config: Mapping[str, Any]) -> Sizes:
        _must_be(config, position_embedding_type="absolute", is_decoder=False)
        return _sizes(
            config, words="vocab_size", places="max_position_embeddings", parts="type_vocab_size", d_model="hidden_size",
            heads="num_attention_heads", layers="num_hidden_layers", d_ff="intermediate_size", epsilon="layer_norm_eps",
            activation="hidden_act",
        )  # fmt: skip

    def embedding(self, s: Sizes) -> dict[str, Stored]:
        return {
            "embedding_table": Stored("embeddings.word_embeddings.weight", (s.words, s.d_model)),
            "positions": Stored("embeddings.position_embeddings.weight", (s.places, s.d_model)),
            "part": Stored("embeddings.token_type_embeddings.weight", (s.parts, s.d_model), lambda parts: parts[0]),
            **_norm("0", "embeddings.LayerNorm", s),
        }

    def layer(self, s: Sizes, n: int) -> dict[str, Stored]:
        at, square = f"encoder.layer.{n - 1}.", (s.d_model, s.d_model)

        def linear(name: str, theirs: str, shape: tuple[int, int]) -> dict[str, Stored]:
            turned = Stored(f"{at}{theirs}.weight", shape, lambda w: w.T)
            return {f"w_{name}": turned, f"b_{name}": Stored(f"{at}{theirs}.bias", shape[:1])}

        def by_head(name: str, theirs: str) -> dict[str, Stored]:
            w = Stored(f"{at}{theirs}.weight", square, lambda w: w.unflatten(0, (s.heads, -1)).transpose(1, 2))
            return {
                f"w_{name}": w,
                f"b_{name}": Stored(f"{at}{theirs}.bias", square[:1], lambda b: b.unflatten(0, (s.heads, -1))),
            }

        return {
            **by_head("q", "attention.self.query"),
            **by_head("k", "attention.self.key"),
            **by_head("v", "attention.self.value"),
            **linear("o", "attention.output.dense", square),
            **_norm("1", f"{at}attention.output.LayerNorm", s),
            **linear("1", "intermediate.dense", (s.d_ff, s.d_model)),
            **linear("2", "output.dense", (s.d_model, s.d_ff)),
            **_norm("2", f"{at}output.LayerNorm", s),
        }

    def top(self, s: Sizes) -> dict[str, Stored]:
        return {}


class Gpt2:
    """Pre-norm, and a word looks at itself and at what came before. A norm stands after the last block too."""

    norm, mask = "pre", "causal"

    def sizes(self, config: Mapping[str, Any]) -> Sizes:
        _must_be(config, scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False, tie_word_embeddings=True)
        usual = {"n_inner": 4 * _count(config, "n_embd"), "parts": 1}  # n_inner is null where it is the usual
        return _sizes(
            usual | {name: said for name, said in config.items() if said is not None}, words="vocab_size", places="n_positions",
            parts="parts", d_model="n_embd", heads="n_head", layers="n_layer", d_ff="n_inner", epsilon="layer_norm_epsilon",
            activation="activation_function",
        )  # fmt: skip

    def embedding(self, s: Sizes) -> dict[str, Stored]:
        return {
            "embedding_table": Stored("wte.weight", (s.words, s.d_model)),
            "positions": Stored("wpe.weight", (s.places, s.d_model)),
        }

    def layer(self, s: Sizes, n: int) -> dict[str, Stored]:
        at = f"h.{n - 1}."

        def linear(name: str, theirs: str, shape: tuple[int, int]) -> dict[str, Stored]:
            return {f"w_{name}": Stored(f"{at}{theirs}.weight", shape), f"b_{name}": Stored(f"{at}{theirs}.bias", shape[1:])}

        def third(name: str) -> dict[str, Stored]:
            """Return W_q, W_k or W_v: a third of the columns, and of these each head its share."""
            place, shape = "qkv".index(name), (s.d_model, 3 * s.d_model)

            def cut(w: Tensor) -> Tensor:
                return w.chunk(3, dim=-1)[place].unflatten(-1, (s.heads, -1)).movedim(-2, 0)

            c_attn = f"{at}attn.c_attn"
            return {f"w_{name}": Stored(f"{c_attn}.weight", shape, cut), f"b_{name}": Stored(f"{c_attn}.bias", shape[1:], cut)}

        return {
            **_norm("1", f"{at}ln_1", s),
            **third("q"), **third("k"), **third("v"),
            **linear("o", "attn.c_proj", (s.d_model, s.d_model)),
            **_norm("2", f"{at}ln_2", s),
            **linear("1", "mlp.c_fc", (s.d_model, s.d_ff)),
            **linear("2", "mlp.c_proj", (s.d_ff, s.d_model)),
        }  # fmt: skip

    def top(self, s: Sizes) -> dict[str, Stored]:
        return _norm("top", "ln_f", s)


FAMILIES: dict[str, Family] = {"bert": Bert(), "gpt2": Gpt2()}  # by what config.json calls them


def _norm(which: str, theirs: str, s: Sizes) -> dict[str, Stored]:
    """Return gain and shift of a layer norm."""
    return {f"{ours}_{which}": Stored(f"{theirs}.{name}", (s.d_model,)) for ours, name in (("gain", "weight"), ("shift", "bias"))}


def _sizes(config: Mapping[str, Any], *, epsilon: str, activation: str, **names: str) -> Sizes:
    sizes = {ours: _count(config, theirs) for ours, theirs in names.items()}
    if sizes["d_model"] % sizes["heads"]:
        raise Unreadable(f"config.json has {sizes['heads']} heads, and they cannot share a d_model of {sizes['d_model']}.")
    small, kind = config.get(epsilon), config.get(activation)
    if not isinstance(small, float) or not 0 < small < 1:
        raise Unreadable(f"config.json says {epsilon}: {small!r}, where a number between 0 and 1 belongs.")
    if not isinstance(kind, str) or kind not in ACTIVATIONS:
        raise Unreadable(f"config.json says {activation}: {kind!r}; what is computed is {', '.join(ACTIVATIONS)}.")
    return Sizes(**sizes, epsilon=small, activation=ACTIVATIONS[kind])


def _count(config: Mapping[str, Any], name: str) -> int:
    said = config.get(name)
    if type(said) is not int or said < 1:
        raise Unreadable(f"config.json says {name}: {said!r}, where a whole number from 1 belongs.")
    return said


def _must_be(config: Mapping[str, Any], **usual: Any) -> None:
    """Refuse a model that is built otherwise than its family is computed here. What is not said is as usual."""
    for name, value in usual.items():
        if config.get(name, value) != value:
            raise Unreadable(f"config.json says {name}: {config[name]!r}; only {value!r} is computed here.")
