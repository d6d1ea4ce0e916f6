"""Folders as people have them: read as their own library reads them, or refused with a sentence
that is true; what is not read is told."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import tokenizers
import torch
from helpers import app, boards, elements
from safetensors.torch import load_file, save_file

from core import Setup, pretrained
from core.analysis import head_roles
from core.forward import batch, masked_lm, next_word
from core.forward.encoder import encode
from core.forward.trace import run
from core.pretrained import Pretrained, Unreadable
from core.pretrained.families import FAMILIES
from core.reference import reference
from core.weights import weights
from tests.test_pretrained import (
    adds_up,
    apart,
    checkpoint,
    has,
    kind,
    models,  # noqa: F401
    tensors_of,
    without_json,
)

transformers = pytest.importorskip("transformers", reason="what models are held against")

CAT = "the cat sat on the mat"


def is_the_librarys(folder: Path, family: str, what: str = "", text: str = CAT) -> Setup:
    """The tokenizer's ids, hidden states, weights of all heads and, if there is a head, logits are
    those of the library in 64 bits; return the setup."""
    setup, _ = Setup.nearest({"text": text, "others": "", "init": "real", "model": folder.name})
    ids = transformers.AutoTokenizer.from_pretrained(folder)(text)["input_ids"]
    assert setup.real.tokenizer.ids(setup.tokens).tolist() == ids
    model = kind(family, what).from_pretrained(
        folder, attn_implementation="eager", dtype=torch.float64
    )
    told = {"output_hidden_states": True, "output_attentions": True}
    with torch.no_grad():
        expected = model.eval()(input_ids=torch.tensor([ids]), **told)
    layers = encode(setup)
    states = [layers[0].value("x"), *(layer.value("out") for layer in layers)]
    states[-1] = setup.real.top(states[-1])
    pairs = [*zip(states, expected.hidden_states, strict=True)]
    pairs += zip([layer.value("weights") for layer in layers], expected.attentions, strict=True)
    assert max(apart(ours, reference[0]) for ours, reference in pairs) < 1e-5
    if not masked_lm.explain_no_word(setup):
        place = -1 if setup.real.says_next else setup.tokens.index(setup.real.tokenizer.mask)
        answer = masked_lm.say(setup)
        assert apart(answer.value("logits"), expected.logits[0, place]) < 1e-4
    return setup


def wraps(prefix: str):
    """Each tensor with something before its name, as a compiled or a wrapped model has them."""

    def change(folder: Path) -> None:
        tensors = load_file(folder / "model.safetensors")
        renamed = {f"{prefix}{name}": tensor for name, tensor in tensors.items()}
        save_file(renamed, folder / "model.safetensors")

    return change


def says(file: str = "config.json", without: tuple[str, ...] = (), **changes):
    """A JSON file with other values, without some names; perhaps a new one."""

    def change(folder: Path) -> None:
        there = json.loads((folder / file).read_text()) if (folder / file).exists() else {}
        kept = {name: value for name, value in there.items() if name not in without}
        (folder / file).write_text(json.dumps(kept | changes))

    return change


def is_cased(folder: Path) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["normalizer"]["lowercase"] = False
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


def as_old(**config):
    """Files as before there was tokenizer.json, and a tokenizer_config.json."""
    return lambda folder: (without_json(folder), says("tokenizer_config.json", **config)(folder))


def with_marks(folder: Path) -> None:
    """`<s>` and `</s>` among GPT-2's pieces, which it does not put around a sentence."""
    own = json.loads((folder / "vocab.json").read_text())
    names = {0: "<s>", 1: "</s>"}
    renamed = {names.get(place, piece): place for piece, place in own.items()}
    (folder / "vocab.json").write_text(json.dumps(renamed))


def as_unigram(folder: Path) -> None:
    """XLM-R's kind of tokenizer, without most letters."""
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁the", "▁cat", "▁sat", "▁", *"aehmnost", "<mask>"]
    own = tokenizers.Tokenizer(tokenizers.models.Unigram([(p, -1.0) for p in pieces], unk_id=3))
    split = tokenizers.pre_tokenizers
    own.pre_tokenizer = split.Sequence([split.WhitespaceSplit(), split.Metaspace()])
    own.decoder = tokenizers.decoders.Metaspace()
    own.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    own.add_special_tokens([*pieces[:4], "<mask>"])
    own.save(str(folder / "tokenizer.json"))


def shown_alike(folder: Path) -> None:
    """Pieces that somebody added, spelled as others are shown."""
    own = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    own.add_tokens([" cat", "<C3>", "é"])
    own.save(str(folder / "tokenizer.json"))


def both(*changes):
    return lambda folder: [change(folder) for change in changes]


def head_of(size: int, name: str = "lm_head.weight"):
    return has(name, torch.randn(size, 14, generator=torch.Generator().manual_seed(3)))


AS_IT_IS = says("tokenizer_config.json", tokenizer_class="PreTrainedTokenizerFast")
CASED, FILLS = "The CAT sat [MASK] on thé mat", {"what": "ForMaskedLM"}
LLAMA_3 = {"rope_type": "llama3", "rope_theta": 500.0, "factor": 8.0, "low_freq_factor": 1.0}
LLAMA_3 |= {"high_freq_factor": 4.0, "original_max_position_embeddings": 20}
# Family, how it is made, how it is changed, and what is read.
RIGHT = {
    "looks both ways": ("qwen2", {"is_causal": False}, None, CAT),
    "looks both ways, GPT-2": ("gpt2", {"is_causal": False}, None, CAT),
    "tied, and another head": ("gpt2", {}, head_of(280), CAT),
    "tied, and another head at [MASK]": (
        "bert",
        FILLS,
        head_of(17, "cls.predictions.decoder.weight"),
        "the [MASK]",
    ),
    "old files": ("gpt2", {}, both(without_json, with_marks), "the <s> cat"),
    "old files, a space first": ("gpt2", {}, as_old(add_prefix_space=True), CAT),
    "old files, a mark first": ("gpt2", {}, as_old(add_bos_token=True), CAT),
    "a space first": ("gpt2", {}, says("tokenizer_config.json", add_prefix_space=True), CAT),
    "Qwen's words": ("qwen2", {}, None, "the cat's 3.14 mats"),
    "Qwen's words, old files": ("qwen2", {}, without_json, "the cat's 3.14 mats, nai\u0308ve"),
    "shown alike": ("gpt2", {"vocab_size": 290}, shown_alike, "the cat ï <C3> cat é 日"),
    "cased": ("bert", {}, says("tokenizer_config.json", do_lower_case=False), CASED),
    "lower": ("bert", {}, both(is_cased, says("tokenizer_config.json", do_lower_case=True)), CASED),
    "accents": ("bert", {}, says("tokenizer_config.json", strip_accents=False), CASED),
    "cased, old files": ("bert", {}, as_old(do_lower_case=False), CASED),
    "an unknown letter": ("bert", {}, both(as_unigram, AS_IT_IS), "the cat 日 q"),
    "no epsilon": ("llama", {}, says(without=("rms_norm_eps",)), CAT),
    "no parts, no activation": ("bert", {}, says(without=("type_vocab_size", "hidden_act")), CAT),
    "padding is row 0": ("roberta", {"pad_token_id": 0} | FILLS, AS_IT_IS, "the [MASK]"),
    "a bias that Qwen2 has not": ("qwen2", {}, says(attention_bias=True), CAT),
    "a bias that Mistral has not": ("mistral", {}, says(attention_bias=True), CAT),
    "trained in parts": ("llama", {}, says(pretraining_tp=2), CAT),
    "half a theta": ("llama", {"rope_parameters": {"rope_theta": 500.5}}, None, CAT),
    "an old theta": ("llama", {}, says(without=("rope_parameters",), rope_theta=9.0), CAT),
    "a window that is off": ("qwen2", {}, says(sliding_window=8, use_sliding_window=False), CAT),
    "sizes by other names": ("gpt2", {}, says(without=("n_embd",), hidden_size=14), CAT),
    "stretched": ("llama", {"rope_parameters": LLAMA_3, "head_dim": 10}, None, f"{CAT} the dog"),
    "MPNet": ("mpnet", FILLS, AS_IT_IS, f"{CAT} [MASK] the cats sat on the dog"),
    "XLM-R": ("xlm-roberta", FILLS, as_unigram, "the <mask> sat 日"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_folder_is_read_as_its_library_reads_it(name, models):  # noqa: F811
    """Pieces, hidden states, weights and logits, whatever the folder is like; PyTorch's functions
    agree, and every cell adds up."""
    family, config, change, text = RIGHT[name]
    folder = checkpoint(models / "small", family, **config)
    if change:
        change(folder)
    setup = is_the_librarys(folder, family, config.get("what", ""), text)
    for n, layer in enumerate(encode(setup), start=1):
        adds_up(layer, n)
        may_attend = weights.may_attend(setup, len(setup.tokens))
        assert reference.check_layer(layer, may_attend).relative < 1e-5
        assert all(reference.check(layer, name).relative < 1e-5 for name in ("weights", "output"))
    of_batch = batch.run(replace(setup, others="the dog", padding="left"))
    assert apart(of_batch.sentence(0).value("output"), run(setup).value("output")) < 1e-5


@pytest.mark.parametrize("prefix", ["_orig_mod.", "module.", "base_model.model."])
@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_a_wrapped_model_is_the_same(family, prefix, models):  # noqa: F811
    """Whatever stands before all names, the head is found, also where config.json needs it."""
    plain = checkpoint(models / "plain", family, tie_word_embeddings=False)
    wraps(prefix)(checkpoint(models / "wrapped", family, tie_word_embeddings=False))
    found, usual = (
        next_word.predict(Setup(text=CAT, init="real", model=name)).value("logits")
        for name in ("wrapped", plain.name)
    )
    assert torch.equal(found, usual) and not Pretrained(models / "wrapped").notes


@pytest.mark.parametrize("family", FAMILIES)
def test_what_config_json_does_not_say_is_the_librarys_default(family):
    """Each value of the table of families is what the family's config class takes."""
    theirs = transformers.CONFIG_MAPPING[family]().to_dict()
    usual = FAMILIES[family].usual
    assert {name: theirs[name] for name in usual} == usual


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
    """A file that is overwritten in place while it is mapped: who still reads the old one gets a
    sentence, where the process was ended; the next reads the new numbers, and is told. Meanwhile a
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
