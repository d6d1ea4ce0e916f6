"""A GGUF file is unpacked: written here by hand, and read by Hugging Face's own library."""

import json
import re
import struct
from pathlib import Path

import pytest
import torch
import transformers
from test_pretrained import LLAMA, apart, gpt2_tokenizer, models  # noqa: F401 (a fixture)

from core import Setup
from core.forward import next_word
from core.pretrained import Unreadable, gguf

ROOT = Path(__file__).parents[1]
SIZES = LLAMA | {"hidden_size": 64, "intermediate_size": 32, "num_hidden_layers": 2}
SIZES |= {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16}


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def field(name: str, kind: int, value) -> bytes:
    """A name and its value; kind 9 is a list of texts, or of whole numbers."""
    if kind == 8:
        said = text(value)
    elif kind == 9:
        of = 8 if isinstance(value[0], str) else 5
        each = (text(one) if of == 8 else struct.pack("<i", one) for one in value)
        said = struct.pack("<IQ", of, len(value)) + b"".join(each)
    else:
        said = struct.pack({4: "<I", 6: "<f"}[kind], value)
    return text(name) + struct.pack("<I", kind) + said


def pack(tensor: torch.Tensor, kind: int) -> tuple[bytes, torch.Tensor]:
    """A tensor's blocks, and the numbers that they stand for, one by one in double precision."""
    if kind == 0:
        return tensor.numpy().tobytes(), tensor
    blocks, numbers = [], []
    for row in tensor.view(-1, 32).tolist():
        low, high = min(row), max(row)
        if kind == 8:
            (d,) = struct.unpack("<e", struct.pack("<e", max(-low, high) / 127))
            q = [round(x / d) for x in row]
            blocks.append(struct.pack("<e32b", d, *q))
            numbers.append([d * each for each in q])
        else:
            d, m = struct.unpack("<ee", struct.pack("<ee", (high - low) / 15, low))
            q = [min(15, max(0, round((x - m) / d))) for x in row]
            halves = [a | b << 4 for a, b in zip(q[:16], q[16:], strict=True)]
            blocks.append(struct.pack("<ee16B", d, m, *halves))
            numbers.append([d * each + m for each in q])
    return b"".join(blocks), torch.tensor(numbers, dtype=torch.float64).float().view(tensor.shape)


def write(path: Path, kind: str = "smollm") -> transformers.LlamaForCausalLM:
    """A file with a small random model; the model with the same numbers."""
    own = gpt2_tokenizer()
    vocabulary = sorted(own.get_vocab(), key=own.get_vocab().get)
    merges = [" ".join(pair) for pair in json.loads(own.to_str())["model"]["merges"]]
    torch.manual_seed(5)
    sizes = SIZES | {"vocab_size": len(vocabulary), "tie_word_embeddings": True}
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes)).eval()
    theirs = {of: name for name, of in gguf.TENSORS.items()}
    heads, data = [], b""
    for name, tensor in dict(model.named_parameters()).items():
        *block, short = re.split(r"layers\.\d+\.", name[len("model.") : -len(".weight")])
        at = f"blk.{name.split('.')[2]}." if block else ""
        of = 0 if tensor.dim() == 1 else 8 if "embed" in name else 3
        rows = tensor.detach()
        if pairs := {"q": 4, "k": 2}.get(short[10:11] if "self_attn" in short else ""):
            rows = rows.unflatten(0, (pairs, 2, -1)).transpose(1, 2).flatten(0, 2)
        packed, numbers = pack(rows.contiguous(), of)
        if pairs:
            numbers = numbers.unflatten(0, (pairs, -1, 2)).transpose(1, 2).flatten(0, 2)
        tensor.data.copy_(numbers)
        dims = rows.shape[::-1]
        heads.append(
            text(f"{at}{theirs[short]}.weight")
            + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, of, len(data))
        )
        data += packed + bytes(-len(packed) % 32)
    config = model.config
    said = [
        field("general.architecture", 8, "llama"),
        field("general.license", 8, "mit"),
        field("tokenizer.ggml.pre", 8, kind),
        field("tokenizer.ggml.tokens", 9, vocabulary),
        field("tokenizer.ggml.token_type", 9, [3] + [1] * (len(vocabulary) - 1)),
        field("tokenizer.ggml.merges", 9, merges),
        *(
            field(f"llama.{theirs}", 6 if ours in ("rms_norm_eps", "rope_theta") else 4, value)
            for ours, theirs in gguf.SIZES.items()
            if (value := getattr(config, ours, None) or config.rope_parameters["rope_theta"])
        ),
    ]
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(heads), len(said)) + b"".join([*said, *heads])
    path.write_bytes(head + bytes(-len(head) % 32) + data)
    return model


@torch.no_grad()
def test_its_numbers_are_the_files(models):  # noqa: F811
    """Blocks of four and of eight bits, made here one by one, and heads whose pairs stand side by
    side: the logits of the folder are those of the library's model with the same numbers."""
    model = write(models.parent / "small.Q4_1.gguf")
    for _ in range(2):  # once more, over files that are protected
        gguf.unpack(models.parent / "small.Q4_1.gguf", models / "small")
    setup = Setup(text="the naïve cat 12", init="real", model="small")
    assert setup.real.licence == "mit" and "".join(setup.tokens) == "the naïve cat 12"
    assert [piece.strip() for piece in setup.tokens[-2:]] == ["1", "2"]
    ids = setup.real.tokenizer.ids(setup.tokens)[None]
    assert apart(next_word.predict(setup).value("logits"), model(ids).logits[0, -1]) < 1e-4


def test_what_it_is_not_made_for_is_refused(tmp_path):
    """Another tokenizer, or another kind of blocks: a sentence, and no folder."""
    write(tmp_path / "other.gguf", kind="qwen2")
    with pytest.raises(Unreadable, match="gguf is llama with qwen2"):
        gguf.unpack(tmp_path / "other.gguf", tmp_path / "small")
    write(tmp_path / "kinds.gguf")
    content = (tmp_path / "kinds.gguf").read_bytes()
    head = text("output_norm.weight") + struct.pack("<IQ", 1, 64)
    changed = content.replace(head + struct.pack("<I", 0), head + struct.pack("<I", 12))
    (tmp_path / "kinds.gguf").write_bytes(changed)
    with pytest.raises(Unreadable, match="kind 12; what is read is F32, Q4_1 and Q8_0"):
        gguf.unpack(tmp_path / "kinds.gguf", tmp_path / "small")
    assert not (tmp_path / "small").exists()


def test_the_readme_has_the_command():
    """What brings a model without a hub stands in the README as on the page."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8").replace(".venv/bin/", "")
    assert gguf.INSTALL in readme
