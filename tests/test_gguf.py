"""A GGUF file is unpacked: made by the format's own library, and read by Hugging Face's."""

import json
from pathlib import Path

import pytest
import torch
import transformers
from test_pretrained import LLAMA, apart, gpt2_tokenizer, models  # noqa: F401 (a fixture)

from core import Setup
from core.forward import next_word
from core.pretrained import Unreadable
from core.pretrained import gguf as ours

gguf = pytest.importorskip("gguf", reason="what files are made with, and read")
ROOT = Path(__file__).parents[1]
SIZES = LLAMA | {"hidden_size": 64, "intermediate_size": 32, "num_hidden_layers": 2}
SIZES |= {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16}


def write(path: Path, pre: str = "smollm") -> transformers.LlamaForCausalLM:
    """A file with a small random model, its table in blocks of eight bits, matrices in blocks of
    four, heads with pairs side by side; the model with the same numbers."""
    own, writer, kinds = gpt2_tokenizer(), gguf.GGUFWriter(path, "llama"), gguf.GGMLQuantizationType
    pieces = sorted(own.get_vocab(), key=own.get_vocab().get)
    torch.manual_seed(5)
    config = transformers.LlamaConfig(vocab_size=len(pieces), tie_word_embeddings=True, **SIZES)
    model = transformers.LlamaForCausalLM(config).eval()
    for name, theirs in ours.SIZES.items():
        value = getattr(config, name, None) or config.rope_parameters[name]
        is_real = isinstance(value, float)
        (writer.add_float32 if is_real else writer.add_uint32)(f"llama.{theirs}", value)
    writer.add_license("mit")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(pieces)
    writer.add_token_types([3] + [1] * (len(pieces) - 1))
    writer.add_token_merges([" ".join(p) for p in json.loads(own.to_str())["model"]["merges"]])
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config.num_hidden_layers)
    for name, tensor in model.named_parameters():
        kind = kinds.F32 if tensor.dim() == 1 else kinds.Q8_0 if "embed" in name else kinds.Q4_1
        heads, rows = 4 if "q_proj" in name else 2 if "k_proj" in name else 0, tensor.detach()
        if heads:
            rows = rows.unflatten(0, (heads, 2, -1)).transpose(1, 2).flatten(0, 2)
        blocks = gguf.quantize(rows.numpy(), kind)
        writer.add_tensor(names.get_name(name, (".weight",)), blocks, raw_dtype=kind)
        numbers = torch.tensor(gguf.dequantize(blocks, kind))
        if heads:
            numbers = numbers.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)
        tensor.data.copy_(numbers)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return model


@torch.no_grad()
def test_its_numbers_are_the_files(models):  # noqa: F811
    """The logits of the folder are those of the library's model with the same numbers; its digits
    are pieces one by one."""
    model = write(models.parent / "small.gguf")
    for _ in range(2):  # once more, over files that are protected
        ours.unpack(models.parent / "small.gguf", models / "small")
    setup = Setup(text="the naïve cat 12", init="real", model="small")
    assert setup.real.licence == "mit" and "".join(setup.tokens) == "the naïve cat 12"
    assert [piece.strip() for piece in setup.tokens[-2:]] == ["1", "2"]
    ids = setup.real.tokenizer.ids(setup.tokens)[None]
    assert apart(next_word.predict(setup).value("logits"), model(ids).logits[0, -1]) < 1e-4


def test_what_it_is_not_made_for_is_refused(tmp_path):
    """Another tokenizer: a sentence, and no folder."""
    write(tmp_path / "other.gguf", pre="qwen2")
    with pytest.raises(Unreadable, match="gguf is llama with qwen2"):
        ours.unpack(tmp_path / "other.gguf", tmp_path / "small")
    assert not (tmp_path / "small").exists()


def test_the_readme_has_the_command():
    """What brings a model without a hub stands in the README as on the page."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8").replace(".venv/bin/", "")
    assert ours.INSTALL in readme
