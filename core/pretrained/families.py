"""Model families as a table: what their config.json and tensors are called, what their config class
takes where config.json says nothing, and what they compute.

Devlin et al. 2019; Liu et al. 2019; Conneau et al. 2020; Sanh et al. 2019; Clark et al. 2020; Song
et al. 2020; Radford et al. 2019; Touvron et al. 2023; Yang et al. 2025.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .checkpoint import Tensors

# Activations by their names in config.json.
ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
}
GATED = {"silu": "swiglu", "swish": "swiglu"}  # with a gated feed-forward part


@dataclass(frozen=True)
class Family:
    """A model family.

    `sizes` are our sizes by their names in config.json, `usual` its config class's defaults, and
    `only` the values that are computed here. Tensors: `inputs` of X; of block n, at `block`, the
    matrices `linear` and `norms`; `top`, the norm after the last block; `filled`, the
    masked-language-model head's product, norm and bias; `head`, the unembedding.

    `biases` are the matrices that always have a bias, `asked` those that config.json decides.
    `fused`: W_q, W_k and W_v are one matrix, stored as (in, out). `first` is the first position's
    row, or the name in config.json of the row before it. `fills` is the activation of the
    masked-language-model head, if not the model's own. `tokenizer` is its class in the library.
    """

    norm: str
    norm_kind: str
    mask: str
    positions: str
    sizes: dict[str, str]
    usual: dict[str, Any]
    inputs: dict[str, str]
    block: str
    linear: dict[str, str]
    norms: dict[str, str]
    head: str
    only: dict[str, Any] = field(default_factory=dict)
    activations: dict[str, str] = field(default_factory=lambda: ACTIVATIONS)
    top: str = ""
    filled: tuple[str, ...] = ()
    fills: str = ""
    biases: str = "qkvo12"
    asked: dict[str, str] = field(default_factory=dict)
    fused: bool = False
    first: str | int = 0
    tokenizer: str = ""


BERT = Family(
    norm="post",
    norm_kind="layer",
    mask="none",
    positions="learned",
    sizes={
        "words": "vocab_size",
        "places": "max_position_embeddings",
        "parts": "type_vocab_size",
        "d_model": "hidden_size",
        "heads": "num_attention_heads",
        "layers": "num_hidden_layers",
        "d_ff": "intermediate_size",
        "epsilon": "layer_norm_eps",
        "activation": "hidden_act",
    },
    usual={
        "vocab_size": 30522,
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
        "hidden_size": 768,
        "num_attention_heads": 12,
        "num_hidden_layers": 12,
        "intermediate_size": 3072,
        "layer_norm_eps": 1e-12,
        "hidden_act": "gelu",
        "tie_word_embeddings": True,
    },
    only={"position_embedding_type": "absolute", "is_decoder": False},
    inputs={
        "embedding_table": "embeddings.word_embeddings",
        "positions": "embeddings.position_embeddings",
        "part": "embeddings.token_type_embeddings",
        "0": "embeddings.LayerNorm",
    },
    block="encoder.layer",
    linear={
        "q": "attention.self.query",
        "k": "attention.self.key",
        "v": "attention.self.value",
        "o": "attention.output.dense",
        "1": "intermediate.dense",
        "2": "output.dense",
    },
    norms={"1": "attention.output.LayerNorm", "2": "output.LayerNorm"},
    head="cls.predictions.decoder.weight",
    filled=(
        "cls.predictions.transform.dense",
        "cls.predictions.transform.LayerNorm",
        "cls.predictions.bias",
    ),
    tokenizer="BertTokenizer",
)
ROBERTA = replace(
    BERT,
    usual={**BERT.usual, "vocab_size": 50265, "pad_token_id": 1},
    head="lm_head.decoder.weight",
    filled=("lm_head.dense", "lm_head.layer_norm", "lm_head.bias"),
    fills="gelu",
    first="pad_token_id",
    tokenizer="RobertaTokenizer",
)
XLM_ROBERTA = replace(ROBERTA, usual={**BERT.usual, "pad_token_id": 1}, tokenizer="")
MPNET = replace(
    BERT,
    sizes={name: theirs for name, theirs in BERT.sizes.items() if name != "parts"},
    usual={name: value for name, value in BERT.usual.items() if name != "type_vocab_size"}
    | {"vocab_size": 30527, "relative_attention_num_buckets": 32},
    only={"relative_attention_num_buckets": 32},
    inputs={name: theirs for name, theirs in BERT.inputs.items() if name != "part"}
    | {"distances": "encoder.relative_attention_bias"},
    linear=BERT.linear | {each: f"attention.attn.{each}" for each in "qkvo"},
    norms=BERT.norms | {"1": "attention.LayerNorm"},
    head=ROBERTA.head,
    filled=ROBERTA.filled,
    fills="gelu",
    first=2,
    tokenizer="MPNetTokenizer",
)
ELECTRA = replace(
    BERT,
    sizes=BERT.sizes | {"table": "embedding_size"},
    usual={
        **BERT.usual,
        "embedding_size": 128,
        "hidden_size": 256,
        "num_attention_heads": 4,
        "intermediate_size": 1024,
    },
    inputs=BERT.inputs | {"in": "embeddings_project"},
    head="generator_lm_head.weight",
    filled=(
        "generator_predictions.dense",
        "generator_predictions.LayerNorm",
        "generator_lm_head.bias",
    ),
    fills="gelu",
)
DISTILBERT = replace(
    MPNET,
    sizes={
        "words": "vocab_size",
        "places": "max_position_embeddings",
        "d_model": "dim",
        "heads": "n_heads",
        "layers": "n_layers",
        "d_ff": "hidden_dim",
        "activation": "activation",
    },
    usual={
        "vocab_size": 30522,
        "max_position_embeddings": 512,
        "dim": 768,
        "n_heads": 12,
        "n_layers": 6,
        "hidden_dim": 3072,
        "activation": "gelu",
        "tie_word_embeddings": True,
    },
    only={},
    inputs={name: theirs for name, theirs in BERT.inputs.items() if name != "part"},
    block="transformer.layer",
    linear={each: f"attention.{each}_lin" for each in "qkv"}
    | {"o": "attention.out_lin", "1": "ffn.lin1", "2": "ffn.lin2"},
    norms={"1": "sa_layer_norm", "2": "output_layer_norm"},
    head="vocab_projector.weight",
    filled=("vocab_transform", "vocab_layer_norm", "vocab_projector.bias"),
    fills="",
    first=0,
    tokenizer="DistilBertTokenizer",
)
GPT2 = Family(
    norm="pre",
    norm_kind="layer",
    mask="causal",
    positions="learned",
    sizes={
        "words": "vocab_size",
        "places": "n_positions",
        "d_model": "n_embd",
        "heads": "n_head",
        "layers": "n_layer",
        "d_ff": "n_inner",
        "epsilon": "layer_norm_epsilon",
        "activation": "activation_function",
    },
    usual={
        "vocab_size": 50257,
        "n_positions": 1024,
        "n_embd": 768,
        "n_head": 12,
        "n_layer": 12,
        "layer_norm_epsilon": 1e-5,
        "activation_function": "gelu_new",
        "tie_word_embeddings": True,
    },
    only={"scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False},
    inputs={"embedding_table": "wte", "positions": "wpe"},
    block="h",
    linear={
        **dict.fromkeys("qkv", "attn.c_attn"),
        "o": "attn.c_proj",
        "1": "mlp.c_fc",
        "2": "mlp.c_proj",
    },
    norms={"1": "ln_1", "2": "ln_2"},
    top="ln_f",
    head="lm_head.weight",
    fused=True,
    tokenizer="GPT2Tokenizer",
)
LLAMA = Family(
    norm="pre",
    norm_kind="rms",
    mask="causal",
    positions="rotary",
    sizes={name: theirs for name, theirs in BERT.sizes.items() if name != "parts"}
    | {"kv_heads": "num_key_value_heads", "d_k": "head_dim", "epsilon": "rms_norm_eps"},
    usual={
        "vocab_size": 32000,
        "max_position_embeddings": 2048,
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "intermediate_size": 11008,
        "rms_norm_eps": 1e-6,
        "hidden_act": "silu",
        "tie_word_embeddings": False,
    },
    activations=GATED,
    inputs={"embedding_table": "embed_tokens"},
    block="layers",
    linear={
        **{each: f"self_attn.{each}_proj" for each in "qkvo"},
        "gate": "mlp.gate_proj",
        "1": "mlp.up_proj",
        "2": "mlp.down_proj",
    },
    norms={"1": "input_layernorm", "2": "post_attention_layernorm"},
    top="norm",
    head="lm_head.weight",
    biases="",
    asked={"attention_bias": "qkvo", "mlp_bias": "g12"},
)
MISTRAL = replace(
    LLAMA,
    usual={
        **LLAMA.usual,
        "max_position_embeddings": 131072,
        "num_key_value_heads": 8,
        "intermediate_size": 14336,
        "sliding_window": 4096,
    },
    asked={},
)
QWEN2 = replace(
    LLAMA,
    usual={
        **LLAMA.usual,
        "vocab_size": 151936,
        "max_position_embeddings": 32768,
        "num_key_value_heads": 32,
        "intermediate_size": 22016,
        "use_sliding_window": False,
        "max_window_layers": 28,
    },
    biases="qkv",
    asked={},
    tokenizer="Qwen2Tokenizer",
)
QWEN3 = replace(
    QWEN2,
    usual={**QWEN2.usual, "head_dim": 128},
    norms=LLAMA.norms | {each: f"self_attn.{each}_norm" for each in "qk"},
    biases="",
    asked={"attention_bias": "qkvo"},
)
# By their names in config.json.
FAMILIES = {
    "bert": BERT,
    "roberta": ROBERTA,
    "xlm-roberta": XLM_ROBERTA,
    "distilbert": DISTILBERT,
    "electra": ELECTRA,
    "mpnet": MPNET,
    "gpt2": GPT2,
    "llama": LLAMA,
    "mistral": MISTRAL,
    "qwen2": QWEN2,
    "qwen3": QWEN3,
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
