"""Model families: their config.json, and how their tensors map to ours.

A tensor is transposed or split as a view, without a copy. BERT's and Llama's matrices are (out,
in); GPT-2's are (in, out) like ours, with W_q, W_k and W_v of all heads in one. Llama's W_q and W_k
need another column order, which copies them. Devlin et al. 2019; Radford et al. 2019; Touvron et
al. 2023; Yang et al. 2025.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from torch import Tensor

from ..fields.sentences import MAX_TOKENS
from .checkpoint import Tensors, Unreadable
from .conversion import (
    Stored,
    gain_of,
    gains_of_heads,
    linear,
    norm_of,
    pair_rows,
    read_masked_lm,
    split_heads,
)
from .sizes import GATED, Sizes, base_of, count_of, must_be, sizes_of


class Family(Protocol):
    """The interface of a model family."""

    norm: str
    norm_kind: str
    mask: str
    positions: str
    # the unembedding, if it is not the table
    head: str
    # the activation of the masked-language-model head; "": the model's own
    fills: str

    def sizes(self, config: Mapping[str, Any]) -> Sizes:
        """Parse config.json. Raises Unreadable if something is missing or not supported."""

    def embedding(self, s: Sizes) -> dict[str, Stored]:
        """Return the tensors of X: embedding_table (word, d_model), learned positions (place,
        d_model), and for BERT part (part, d_model), gain_0 and shift_0 (d_model,). ELECTRA's may
        all be narrower; then w_in (width, d_model) and b_in project them to X."""

    def layer(self, s: Sizes, n: int) -> dict[str, Stored]:
        """Return block n, from 1: the weights of `block.WEIGHTS` and `model.project` by name."""

    def top(self, s: Sizes) -> dict[str, Stored]:
        """Return the norm after the last block, if any: gain_top and, for a layer norm, shift_top
        (d_model,)."""

    def filling(self, s: Sizes) -> dict[str, Stored]:
        """Return the masked-language-model head: w_fill (d_model, width), b_fill, gain_fill and
        shift_fill (width,), b_word (word,). Empty for families that predict the next word."""


class Bert:
    """Post-norm, bidirectional, with segment embeddings. `counts_on`: RoBERTa's positions begin
    after the padding row. `filled`: the names of the masked-language-model head's product, norm and
    bias."""

    norm, norm_kind, mask, positions, fills, counts_on = (
        "post",
        "layer",
        "none",
        "learned",
        "",
        False,
    )
    head = "cls.predictions.decoder.weight"
    filled = (
        "cls.predictions.transform.dense",
        "cls.predictions.transform.LayerNorm",
        "cls.predictions.bias",
    )

    def sizes(self, config: Mapping[str, Any]) -> Sizes:
        said = {"layer_norm_eps": 1e-12, "pad_token_id": 1} | dict(config)
        must_be(said, position_embedding_type="absolute", is_decoder=False)
        sizes = sizes_of(
            said,
            words="vocab_size",
            places="max_position_embeddings",
            parts="type_vocab_size",
            d_model="hidden_size",
            heads="num_attention_heads",
            layers="num_hidden_layers",
            d_ff="intermediate_size",
            epsilon="layer_norm_eps",
            activation="hidden_act",
        )
        first = count_of(said, "pad_token_id") + 1 if self.counts_on else 0
        if first >= sizes.places:
            raise Unreadable(
                f"config.json says max_position_embeddings: {sizes.places}, and the first of them"
                f" is row {first}."
            )
        return replace(sizes, first=first, places=sizes.places - first)

    def embedding(self, s: Sizes) -> dict[str, Stored]:
        return {
            "embedding_table": Stored("embeddings.word_embeddings.weight", (s.words, s.width)),
            "positions": Stored(
                "embeddings.position_embeddings.weight",
                (s.first + s.places, s.width),
                lambda rows: rows[s.first :],
            ),
            "part": Stored("embeddings.token_type_embeddings.weight", (s.parts, s.width)),
            **norm_of("0", "embeddings.LayerNorm", s.width),
        }

    def layer(self, s: Sizes, n: int) -> dict[str, Stored]:
        at = f"encoder.layer.{n - 1}."
        return {
            **split_heads(s, "q", f"{at}attention.self.query"),
            **split_heads(s, "k", f"{at}attention.self.key"),
            **split_heads(s, "v", f"{at}attention.self.value"),
            **linear(s, "o", f"{at}attention.output.dense", s.d_model, s.d_model),
            **norm_of("1", f"{at}attention.output.LayerNorm", s.d_model),
            **linear(s, "1", f"{at}intermediate.dense", s.d_ff, s.d_model),
            **linear(s, "2", f"{at}output.dense", s.d_model, s.d_ff),
            **norm_of("2", f"{at}output.LayerNorm", s.d_model),
        }

    def top(self, s: Sizes) -> dict[str, Stored]:
        return {}

    def filling(self, s: Sizes) -> dict[str, Stored]:
        return read_masked_lm(s, *self.filled)


class Roberta(Bert):
    """BERT, trained longer, on one text at a time. Liu et al. 2019."""

    counts_on, fills, head = True, "gelu", "lm_head.decoder.weight"
    filled = ("lm_head.dense", "lm_head.layer_norm", "lm_head.bias")


class Electra(Bert):
    """BERT, trained to detect words replaced by a generator, which is a masked language model.
    Clark et al. 2020."""

    fills, head = "gelu", "generator_lm_head.weight"
    filled = (
        "generator_predictions.dense",
        "generator_predictions.LayerNorm",
        "generator_lm_head.bias",
    )

    def sizes(self, config: Mapping[str, Any]) -> Sizes:
        sizes = super().sizes(config)
        width = count_of({"embedding_size": 128} | dict(config), "embedding_size")
        return replace(sizes, table=0 if width == sizes.d_model else width)

    def embedding(self, s: Sizes) -> dict[str, Stored]:
        project = "embeddings_project"
        w_in = {
            "w_in": Stored(f"{project}.weight", (s.d_model, s.width), lambda w: w.T),
            "b_in": Stored(f"{project}.bias", (s.d_model,)),
        }
        return super().embedding(s) | (w_in if s.table else {})


class DistilBert:
    """BERT with half of the layers and no segment embeddings. Sanh et al. 2019."""

    norm, norm_kind, mask, positions, fills, head = (
        "post",
        "layer",
        "none",
        "learned",
        "",
        "vocab_projector.weight",
    )

    def sizes(self, config: Mapping[str, Any]) -> Sizes:
        return sizes_of(
            {"epsilon": 1e-12, "parts": 1} | dict(config),
            words="vocab_size",
            places="max_position_embeddings",
            parts="parts",
            d_model="dim",
            heads="n_heads",
            layers="n_layers",
            d_ff="hidden_dim",
            epsilon="epsilon",
            activation="activation",
        )

    def embedding(self, s: Sizes) -> dict[str, Stored]:
        return {
            "embedding_table": Stored("embeddings.word_embeddings.weight", (s.words, s.d_model)),
            "positions": Stored("embeddings.position_embeddings.weight", (s.places, s.d_model)),
            **norm_of("0", "embeddings.LayerNorm", s.d_model),
        }

    def layer(self, s: Sizes, n: int) -> dict[str, Stored]:
        at = f"transformer.layer.{n - 1}."
        return {
            **{
                name: one
                for letter in "qkv"
                for name, one in split_heads(s, letter, f"{at}attention.{letter}_lin").items()
            },
            **linear(s, "o", f"{at}attention.out_lin", s.d_model, s.d_model),
            **norm_of("1", f"{at}sa_layer_norm", s.d_model),
            **linear(s, "1", f"{at}ffn.lin1", s.d_ff, s.d_model),
            **linear(s, "2", f"{at}ffn.lin2", s.d_model, s.d_ff),
            **norm_of("2", f"{at}output_layer_norm", s.d_model),
        }

    def top(self, s: Sizes) -> dict[str, Stored]:
        return {}

    def filling(self, s: Sizes) -> dict[str, Stored]:
        return read_masked_lm(s, "vocab_transform", "vocab_layer_norm", "vocab_projector.bias")


class Gpt2:
    """Pre-norm and causal, with a norm after the last block."""

    norm, norm_kind, mask, positions, fills, head = (
        "pre",
        "layer",
        "causal",
        "learned",
        "",
        "lm_head.weight",
    )

    def sizes(self, config: Mapping[str, Any]) -> Sizes:
        must_be(config, scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False)
        usual = {
            "n_inner": 4 * count_of(config, "n_embd"),
            "parts": 1,
        }  # n_inner is null for the default
        return sizes_of(
            usual | {name: said for name, said in config.items() if said is not None},
            words="vocab_size",
            places="n_positions",
            parts="parts",
            d_model="n_embd",
            heads="n_head",
            layers="n_layer",
            d_ff="n_inner",
            epsilon="layer_norm_epsilon",
            activation="activation_function",
        )

    def embedding(self, s: Sizes) -> dict[str, Stored]:
        return {
            "embedding_table": Stored("wte.weight", (s.words, s.d_model)),
            "positions": Stored("wpe.weight", (s.places, s.d_model)),
        }

    def layer(self, s: Sizes, n: int) -> dict[str, Stored]:
        at = f"h.{n - 1}."

        def both(name: str, theirs: str, shape: tuple[int, int]) -> dict[str, Stored]:
            return {
                f"w_{name}": Stored(f"{at}{theirs}.weight", shape),
                f"b_{name}": Stored(f"{at}{theirs}.bias", shape[1:]),
            }

        def third(name: str) -> dict[str, Stored]:
            """Return W_q, W_k or W_v: a third of the columns, split into heads."""
            place, shape = "qkv".index(name), (s.d_model, 3 * s.d_model)

            def cut(w: Tensor) -> Tensor:
                return w.chunk(3, dim=-1)[place].unflatten(-1, (s.heads, -1)).movedim(-2, 0)

            c_attn = f"{at}attn.c_attn"
            return {
                f"w_{name}": Stored(f"{c_attn}.weight", shape, cut),
                f"b_{name}": Stored(f"{c_attn}.bias", shape[1:], cut),
            }

        return {
            **norm_of("1", f"{at}ln_1", s.d_model),
            **third("q"),
            **third("k"),
            **third("v"),
            **both("o", "attn.c_proj", (s.d_model, s.d_model)),
            **norm_of("2", f"{at}ln_2", s.d_model),
            **both("1", "mlp.c_fc", (s.d_model, s.d_ff)),
            **both("2", "mlp.c_proj", (s.d_ff, s.d_model)),
        }

    def top(self, s: Sizes) -> dict[str, Stored]:
        return norm_of("top", "ln_f", s.d_model)

    def filling(self, s: Sizes) -> dict[str, Stored]:
        return {}


@dataclass(frozen=True)
class Llama:
    """Pre-norm with RMS norm, rotary positions, grouped keys and values, and a gated feed-forward
    part. `always` are the biases that the family has regardless of config.json. `norms_heads`: each
    head's queries and keys are normed with a gain. `d_k` is a head's size if config.json has none;
    0 means an equal share of d_model."""

    always: str = ""
    norms_heads: bool = False
    d_k: int = 0

    norm, norm_kind, mask, positions, fills, head = (
        "pre",
        "rms",
        "causal",
        "rotary",
        "",
        "lm_head.weight",
    )

    def sizes(self, config: Mapping[str, Any]) -> Sizes:
        said = {name: value for name, value in config.items() if value is not None}
        must_be(said, pretraining_tp=1, partial_rotary_factor=1.0)
        window = (
            said.get("sliding_window", MAX_TOKENS)
            if said.get("use_sliding_window", True)
            else MAX_TOKENS
        )
        if type(window) is not int or window < MAX_TOKENS:
            raise Unreadable(
                f"config.json says sliding_window: {window!r}; a window of less than {MAX_TOKENS}"
                " is not computed here."
            )
        if said.get("head_dim", 2) % 2:
            raise Unreadable(
                f"config.json says head_dim: {said['head_dim']!r}; only pairs of numbers can be"
                " turned."
            )
        biases = (
            self.always
            + ("qkvo" if said.get("attention_bias") else "")
            + ("g12" if said.get("mlp_bias") else "")
        )
        usual = {"num_key_value_heads": said.get("num_attention_heads"), "parts": 1}
        usual |= {"head_dim": self.d_k} if self.d_k else {}
        return sizes_of(
            usual | said,
            words="vocab_size",
            places="max_position_embeddings",
            parts="parts",
            d_model="hidden_size",
            heads="num_attention_heads",
            layers="num_hidden_layers",
            d_ff="intermediate_size",
            kv_heads="num_key_value_heads",
            d_k="head_dim",
            epsilon="rms_norm_eps",
            activation="hidden_act",
            activations=GATED,
            base=base_of(said),
            biases=biases,
            norms_heads=self.norms_heads,
        )

    def embedding(self, s: Sizes) -> dict[str, Stored]:
        return {"embedding_table": Stored("embed_tokens.weight", (s.words, s.d_model))}

    def layer(self, s: Sizes, n: int) -> dict[str, Stored]:
        at = f"layers.{n - 1}."
        return {
            **gain_of("1", f"{at}input_layernorm", s.d_model),
            **split_heads(s, "q", f"{at}self_attn.q_proj", pair_rows),
            **split_heads(s, "k", f"{at}self_attn.k_proj", pair_rows),
            **split_heads(s, "v", f"{at}self_attn.v_proj"),
            **(gains_of_heads(s, f"{at}self_attn") if s.norms_heads else {}),
            **linear(s, "o", f"{at}self_attn.o_proj", s.d_model, s.heads * s.d_k),
            **gain_of("2", f"{at}post_attention_layernorm", s.d_model),
            **linear(s, "gate", f"{at}mlp.gate_proj", s.d_ff, s.d_model),
            **linear(s, "1", f"{at}mlp.up_proj", s.d_ff, s.d_model),
            **linear(s, "2", f"{at}mlp.down_proj", s.d_model, s.d_ff),
        }

    def top(self, s: Sizes) -> dict[str, Stored]:
        return gain_of("top", "norm", s.d_model)

    def filling(self, s: Sizes) -> dict[str, Stored]:
        return {}


# By their names in config.json.
FAMILIES: dict[str, Family] = {
    "bert": Bert(),
    "roberta": Roberta(),
    "distilbert": DistilBert(),
    "electra": Electra(),
    "gpt2": Gpt2(),
    "llama": Llama(),
    "mistral": Llama(),
    "qwen2": Llama(always="qkv"),
    "qwen3": Llama(norms_heads=True, d_k=128),
}
# Suffixes that identify a family if config.json does not. Families with Llama's names differ too
# much to guess.
TOLD_BY = {
    "gpt2": "h.0.attn.c_attn.weight",
    "distilbert": "transformer.layer.0.attention.q_lin.weight",
    "bert": "encoder.layer.0.attention.self.query.weight",
}


def family_of(config: Mapping[str, Any], tensors: Tensors) -> str | None:
    """Return the family identified by a checkpoint's tensors; None if unclear: RoBERTa has BERT's
    names, and one segment."""
    found = next((family for family, end in TOLD_BY.items() if tensors.has(end)), None)
    return None if found == "bert" and config.get("type_vocab_size") != 2 else found
