"""What a folder has that nothing reads, numbers that are none, files that change while they are
read, a model with few places: each is told in a sentence."""

import subprocess
import sys

import pytest
import torch
from helpers import app, boards, elements

from core import Setup, pretrained
from core.analysis import head_roles
from core.forward.encoder import encode
from core.pretrained import Pretrained, Unreadable
from tests.test_model_folders import CAT, LLAMA_3, says
from tests.test_pretrained import (
    apart,
    as_bin,
    checkpoint,
    has,
    models,  # noqa: F401
    tensors_of,
    without_json,
)


def test_what_nothing_reads_is_told(models):  # noqa: F811
    """A LoRA beside its matrix, norms of queries that a Llama has not, a layer more than
    config.json says: their names stand above the figure, a hostile one as text. Parts on top are no
    news."""
    checkpoint(models / "plain", "bert", what="ForPreTraining")
    lora = "model.layers.0.self_attn.q_proj.lora_A.weight"
    has(lora, torch.zeros(2, 18))(checkpoint(models / "lora", "llama"))
    checkpoint(models / "norms", "qwen3", hidden_size=18)
    says(model_type="llama")(models / "norms")
    says(n_layer=2)(checkpoint(models / "layers", "gpt2"))
    has("<b>x", torch.zeros(1))(checkpoint(models / "hostile", "bert"))
    unread = {name: pretrained.find(name).unread for name in pretrained.names()}
    assert unread["plain"] == () and unread["lora"] == (lora,) and unread["hostile"] == ("<b>x",)
    assert len(unread["norms"]) == 6 and all("_norm.weight" in name for name in unread["norms"])
    assert len(unread["layers"]) == 12 and all(".h.2." in name for name in unread["layers"])
    for name, told in {"layers": "transformer.h.2.ln_1.weight and 6 more.", "lora": lora}.items():
        at = app("pages/4_scores.py", init="real", model=name, text="the cat")
        assert any(told in each.value for each in elements(at.main) if each.type == "html"), name
    at = app("pages/15_model.py", model="hostile")
    assert any("&lt;b&gt;x" in each.value for each in elements(at.main) if each.type == "html")


def test_numbers_that_are_none_are_a_sentence(models):  # noqa: F811
    """NaN or ∞ in what is read: which tensor holds them is said, and nothing is computed with it;
    in what nothing reads they do no harm."""
    shapes = {"transformer.h.1.mlp.c_fc.weight": (14, 56), "lm_head.weight": (280, 14)}
    for name, (tensor, shape) in zip(("layer", "head"), shapes.items(), strict=True):
        has(tensor, torch.full(shape, torch.inf))(checkpoint(models / name, "gpt2"))
        setup, (message,) = Setup.nearest({"init": "real", "model": name, "text": "the cat"})
        assert setup.init == "trained" and f"{tensor} holds NaN or ∞" in message
        at = app("pages/15_model.py", model=name)
        said = [each.get("nothing", "") for each in boards(at)]
        assert not at.exception and any("NaN or ∞" in each for each in said)
    has("aside", torch.full((3,), torch.nan))(checkpoint(models / "aside", "gpt2"))
    assert Setup(text="the cat", init="real", model="aside").real


def test_weights_that_change_under_a_reader(models):  # noqa: F811
    """A file that is overwritten in place while it is read: who still reads the old one gets a
    sentence; the next reads the new numbers, and is told. Meanwhile a
    broken file is a sentence."""
    folder = checkpoint(models / "small", "bert")
    old, whole = Setup(text="the cat", init="real"), (folder / "model.safetensors").read_bytes()
    before = encode(old)[-1].value("out")
    (folder / "model.safetensors").write_bytes(b"")
    for read in (lambda: encode(old), lambda: old.real.unembedding, old.real.padding):
        with pytest.raises(Unreadable, match="was saved anew while it was read"):
            read()
    assert "is no safetensors file" in Setup.nearest({"init": "real", "text": "the cat"})[1][0]
    (folder / "model.safetensors").write_bytes(whole)
    tensors_of(folder, lambda of: of["embeddings.LayerNorm.weight"].mul_(2))
    new = Setup(text="the cat", init="real")
    assert new != old and apart(encode(new)[-1].value("out"), before) > 1e-3
    assert new.real.notes == ("small was saved anew, and is read anew.",)


def test_weights_that_shrink_while_they_are_used(models):  # noqa: F811
    """Of a file that may be written to there is a copy: it is emptied between the check and the
    product, and the process lives."""
    checkpoint(models / "safetensors", "bert")
    as_bin(checkpoint(models / "torch", "bert"))
    code = """if True:
        import os, sys
        from pathlib import Path
        from core.pretrained import find
        for name, file in (("safetensors", "model.safetensors"), ("torch", "pytorch_model.bin")):
            layer, whole = find(name).layer(1), Path(os.environ["ATTENTION_MODELS"], name, file)
            os.truncate(whole, 0)
            print(sum(tensor.double().sum() for tensor in layer.values()))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("family", ["bert", "gpt2"])
@pytest.mark.parametrize("places", [1, 2, 3, 8])
def test_a_model_with_few_places(family, places, models):  # noqa: F811
    """Two of them for [CLS] and [SEP]: what fits is shown, default sentences without a message; a
    model without a place for a word is refused."""
    checkpoint(models / "small", family, max_position_embeddings=places)
    setup, messages = Setup.nearest({"init": "real"})
    if family == "bert" and places < 3:
        assert "there is none for a word" in messages[0]
        return
    assert not messages and 0 < len(setup.tokens) <= places
    assert Setup(init="real") == setup == Setup.nearest(setup.as_link())[0]
    assert head_roles.measure(Setup(text="a", init="real")).counts.sum() == 0
    assert not app("pages/9_block.py", init="real").exception


def test_padding_has_no_place(models):  # noqa: F811
    """RoBERTa counts places of other pieces alone: its padding is taken out of a sentence, and
    where the tokenizer puts it around each, the model is refused."""
    checkpoint(models / "small", "roberta", pad_token_id=0)
    setup, (message,) = Setup.nearest({"init": "real", "text": "the [PAD] cat", "others": ""})
    assert "[PAD]" not in setup.tokens and "without [PAD], which has no place" in message
    checkpoint(models / "around", "roberta", pad_token_id=2)
    with pytest.raises(Unreadable, match=r"\[CLS\] is what around pads sentences with"):
        pretrained.find("around")


def test_shards_without_an_index(models):  # noqa: F811
    """Their own names say what they are; if one is missing, that is said, and which are there."""
    folder = checkpoint(models / "small", "llama", shard="3KB")
    whole = encode(Setup(text=CAT, init="real"))[-1].value("out")
    (folder / "model.safetensors.index.json").unlink()
    assert torch.equal(encode(Setup(text=CAT, init="real"))[-1].value("out"), whole)
    next(folder.glob("model-00002-of-*")).unlink()
    with pytest.raises(Unreadable, match="are not complete: 10 of 11 are there"):
        Pretrained(folder)


REFUSED = {
    "small is quantized (gptq): its matrices are packed": says(
        quantization_config={"quant_method": "gptq", "bits": 4}
    ),
    "There is no tokenizer.json in small.": without_json,
    "only pairs of numbers can be turned": says(head_dim=3),
    "high_freq_factor: 1, where a number above low_freq_factor, 1, belongs": says(
        rope_parameters=LLAMA_3 | {"high_freq_factor": 1.0}
    ),
    "no pytorch_model.bin in small, only adapter_model.safetensors": lambda folder: (
        folder / "model.safetensors"
    ).rename(folder / "adapter_model.safetensors"),
}


def test_what_is_refused_is_said_truly(tmp_path):
    """Quantized, with another family's tokenizer, with angles that are not computed, an adapter."""
    for k, (sentence, change) in enumerate(REFUSED.items()):
        change(folder := checkpoint(tmp_path / str(k) / "small", "llama"))
        with pytest.raises(Unreadable) as refused:
            Pretrained(folder)
        assert sentence in str(refused.value)
