"""Model families as a table: what their config.json and tensors are called, what their config class
takes where config.json says nothing, and what they compute.

Devlin et al. 2019; Liu et al. 2019; Conneau et al. 2020; Sanh et al. 2019; Clark et al. 2020; Song
et al. 2020; Radford et al. 2019; Touvron et al. 2023; Yang et al. 2025.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .checkpoint import Tensors, Unreadable

# Activations by their names in config.json.
ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
}
GATED = {"silu": "swiglu", "swish": "swiglu"}  # with a gated feed-forward part


Config = dict[str, tuple[str, Any]]


@dataclass(frozen=True)
class Family:
    """A model family.

    `config` are our sizes by their names in config.json, with their config class's defaults, None
    if it computes one; `usual` are further defaults, and `only` the values that are computed here.
    Tensors: `inputs` of X; of block n, at `block`, the matrices `linear` and `norms`; `top`, the
    norm after the last block; `filled`, the masked-language-model head's product, norm and bias;
    `head`, the unembedding.

    `biases` are the matrices that always have a bias, `asked` those that config.json decides.
    `fused`: W_q, W_k and W_v are one matrix, stored as (in, out). `first` is the first position's
    row, or the name in config.json of the row before it. `fills` is the activation of the
    masked-language-model head, if not the model's own. `tokenizer` is its class in the library,
    unless tokenizer_config.json says another; `has_one_tokenizer`: even then.
    """

    norm: str
    norm_kind: str
    mask: str
    positions: str
    config: Config
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
    has_one_tokenizer: bool = False


def _with(config: Config, **usual: Any) -> Config:
    """Return the sizes with other defaults."""
    return {name: (theirs, usual.get(name, value)) for name, (theirs, value) in config.items()}


BERT = Family(
    norm="post",
    norm_kind="layer",
    mask="none",
    positions="learned",
    config={
        "words": ("vocab_size", 30522),
        "places": ("max_position_embeddings", 512),
        "parts": ("type_vocab_size", 2),
        "d_model": ("hidden_size", 768),
        "heads": ("num_attention_heads", 12),
        "layers": ("num_hidden_layers", 12),
        "d_ff": ("intermediate_size", 3072),
        "epsilon": ("layer_norm_eps", 1e-12),
        "activation": ("hidden_act", "gelu"),
    },
    usual={"tie_word_embeddings": True},
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
    config=_with(BERT.config, words=50265),
    usual={**BERT.usual, "pad_token_id": 1},
    head="lm_head.decoder.weight",
    filled=("lm_head.dense", "lm_head.layer_norm", "lm_head.bias"),
    fills="gelu",
    first="pad_token_id",
    tokenizer="RobertaTokenizer",
)
XLM_ROBERTA = replace(ROBERTA, config=BERT.config, tokenizer="")
ELECTRA = replace(
    BERT,
    config=_with(BERT.config, d_model=256, heads=4, d_ff=1024) | {"table": ("embedding_size", 128)},
    inputs=BERT.inputs | {"in": "embeddings_project"},
    head="generator_lm_head.weight",
    filled=(
        "generator_predictions.dense",
        "generator_predictions.LayerNorm",
        "generator_lm_head.bias",
    ),
    fills="gelu",
)
# BERT without segments.
ONE_PART = {name: value for name, value in BERT.config.items() if name != "parts"}
INPUTS = {name: theirs for name, theirs in BERT.inputs.items() if name != "part"}
MPNET = replace(
    ROBERTA,
    config=_with(ONE_PART, words=30527),
    usual=BERT.usual,
    only={"relative_attention_num_buckets": 32},
    inputs=INPUTS | {"distances": "encoder.relative_attention_bias"},
    linear=BERT.linear | {each: f"attention.attn.{each}" for each in "qkvo"},
    norms=BERT.norms | {"1": "attention.LayerNorm"},
    first=2,
    tokenizer="MPNetTokenizer",
)
DISTILBERT = replace(
    BERT,
    config={
        "words": ("vocab_size", 30522),
        "places": ("max_position_embeddings", 512),
        "d_model": ("dim", 768),
        "heads": ("n_heads", 12),
        "layers": ("n_layers", 6),
        "d_ff": ("hidden_dim", 3072),
        "activation": ("activation", "gelu"),
    },
    only={},
    inputs=INPUTS,
    block="transformer.layer",
    linear={each: f"attention.{each}_lin" for each in "qkv"}
    | {"o": "attention.out_lin", "1": "ffn.lin1", "2": "ffn.lin2"},
    norms={"1": "sa_layer_norm", "2": "output_layer_norm"},
    head="vocab_projector.weight",
    filled=("vocab_transform", "vocab_layer_norm", "vocab_projector.bias"),
    tokenizer="DistilBertTokenizer",
)
GPT2 = Family(
    norm="pre",
    norm_kind="layer",
    mask="causal",
    positions="learned",
    config={
        "words": ("vocab_size", 50257),
        "places": ("n_positions", 1024),
        "d_model": ("n_embd", 768),
        "heads": ("n_head", 12),
        "layers": ("n_layer", 12),
        "d_ff": ("n_inner", None),
        "epsilon": ("layer_norm_epsilon", 1e-5),
        "activation": ("activation_function", "gelu_new"),
    },
    usual={"tie_word_embeddings": True},
    only={"scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False},
    inputs={"embedding_table": "wte", "positions": "wpe"},
    block="h",
    linear=dict.fromkeys("qkv", "attn.c_attn")
    | {"o": "attn.c_proj", "1": "mlp.c_fc", "2": "mlp.c_proj"},
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
    config=_with(ONE_PART, words=32000, places=2048, d_model=4096, heads=32, layers=32, d_ff=11008)
    | {
        "epsilon": ("rms_norm_eps", 1e-6),
        "activation": ("hidden_act", "silu"),
        "kv_heads": ("num_key_value_heads", None),
        "d_k": ("head_dim", None),
    },
    usual={"tie_word_embeddings": False},
    activations=GATED,
    inputs={"embedding_table": "embed_tokens"},
    block="layers",
    linear={each: f"self_attn.{each}_proj" for each in "qkvo"}
    | {"gate": "mlp.gate_proj", "1": "mlp.up_proj", "2": "mlp.down_proj"},
    norms={"1": "input_layernorm", "2": "post_attention_layernorm"},
    top="norm",
    head="lm_head.weight",
    biases="",
    asked={"attention_bias": "qkvo", "mlp_bias": "g12"},
)
MISTRAL = replace(
    LLAMA,
    config=_with(LLAMA.config, places=131072, kv_heads=8, d_ff=14336),
    usual={**LLAMA.usual, "sliding_window": 4096},
    asked={},
    has_one_tokenizer=True,
)
QWEN2 = replace(
    LLAMA,
    config=_with(LLAMA.config, words=151936, places=32768, kv_heads=32, d_ff=22016),
    usual={**LLAMA.usual, "use_sliding_window": False, "max_window_layers": 28},
    biases="qkv",
    asked={},
    tokenizer="Qwen2Tokenizer",
    has_one_tokenizer=True,
)
QWEN3 = replace(
    QWEN2,
    config=_with(QWEN2.config, d_k=128),
    norms=LLAMA.norms | {each: f"self_attn.{each}_norm" for each in "qk"},
    biases="",
    asked={"attention_bias": "qkvo"},
    has_one_tokenizer=False,
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
NAMES = (
    "BERT, RoBERTa, XLM-RoBERTa, DistilBERT, ELECTRA, MPNet, GPT-2, Llama, Mistral, Qwen2, Qwen3"
)
TITLES = dict(zip(FAMILIES, NAMES.split(", "), strict=True))
# Suffixes that identify a family if config.json does not. Families with Llama's names differ too
# much to guess.
TOLD_BY = {
    "gpt2": "h.0.attn.c_attn.weight",
    "distilbert": "transformer.layer.0.attention.q_lin.weight",
    "bert": "encoder.layer.0.attention.self.query.weight",
}


def find_family(config: Mapping[str, Any], tensors: Tensors | None, name: str) -> Family:
    """Return the family that config.json names, or else that of the tensors' names, where these are
    clear: RoBERTa has BERT's, and one segment. Raises Unreadable for any other."""
    kind = config.get("model_type")
    if kind is None and tensors:
        kind = next((family for family, end in TOLD_BY.items() if tensors.has(end)), None)
        kind = None if kind == "bert" and config.get("type_vocab_size") != 2 else kind
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise Unreadable(f"{name} is of the family {kind!r}; what is computed here is {NAMES}.")
    return FAMILIES[kind]
