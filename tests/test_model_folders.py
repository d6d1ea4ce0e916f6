"""Folders as people have them: read as their own library reads them, or refused with a sentence
that is true; what is not read is told."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import tokenizers
import torch
from safetensors.torch import load_file, save_file

from core import Setup
from core.forward import batch, masked_lm, next_word
from core.forward.encoder import encode
from core.forward.trace import run
from core.pretrained import Pretrained
from core.pretrained.families import FAMILIES
from core.reference import reference
from core.weights import weights
from tests.oracles import at_every_place
from tests.test_pretrained import (
    adds_up,
    apart,
    checkpoint,
    has,
    kind,
    largest_difference,
    models,  # noqa: F401
    theirs,
    without_json,
)

transformers = pytest.importorskip("transformers", reason="what models are held against")

CAT = "the cat sat on the mat"
CHECKED = ("q", "k", "v", "scores", "weights", "context", "output")


def is_the_librarys(folder: Path, family: str, what: str = "", text: str = CAT) -> Setup:
    """The tokenizer's ids, hidden states, weights of all heads and, if there is a head, logits are
    those of the library in 64 bits; return the setup."""
    chosen = {"choose": "greedy", "word_temperature": "0.5", "top_k": "3"}
    setup, _ = Setup.nearest(
        {"text": text, "others": "", "init": "real", "model": folder.name} | chosen
    )
    ids = transformers.AutoTokenizer.from_pretrained(folder)(text)["input_ids"]
    assert setup.real.tokenizer.ids(setup.tokens).tolist() == ids
    told = {"output_hidden_states": True, "output_attentions": True}
    with torch.no_grad():
        model = theirs(folder, kind(family, what), torch.float64)
        expected = model(input_ids=torch.tensor([ids]), **told)
    assert largest_difference(setup, expected) < 1e-5
    if not masked_lm.explain_no_word(setup):
        answer, logits = masked_lm.say(setup), expected.logits[0]
        place = -1 if setup.is_causal else setup.tokens.index(setup.real.tokenizer.mask)
        assert apart(answer.value("logits"), logits[place]) < 1e-4
        assert len(answer.vocabulary) == logits.shape[-1]
        assert answer.vocabulary.index(next_word.next_of(answer)) == logits[place].argmax()
        assert not setup.is_causal or apart(at_every_place(answer), logits) < 1e-4
        check = reference.check_next_word if setup.is_causal else reference.check_filled
        assert check(answer).relative < 1e-5
        adds_up(answer)
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


def as_spaces(folder: Path) -> None:
    """The first Llama's kind of tokenizer: pairs put together, `▁` for a space."""
    names = ["<unk>", "<s>", "</s>", *"▁thecas", "he", "▁t", "▁the", "▁c", "at", "▁cat"]
    pairs = [("h", "e"), ("▁", "t"), ("▁t", "he"), ("▁", "c"), ("a", "t"), ("▁c", "at")]
    places = {name: place for place, name in enumerate(names)}
    model = tokenizers.models.BPE(places, pairs, unk_token="<unk>", fuse_unk=True)
    own, change = tokenizers.Tokenizer(model), tokenizers.normalizers
    own.normalizer = change.Sequence([change.Prepend("▁"), change.Replace(" ", "▁")])
    own.decoder = tokenizers.decoders.Replace("▁", " ")
    own.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    own.add_special_tokens(names[:3])
    own.save(str(folder / "tokenizer.json"))


def says_llama(first: bool | None = None):
    return says("tokenizer_config.json", tokenizer_class="LlamaTokenizer", add_prefix_space=first)


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
HALF, WHOLE = {"dtype": torch.float16, "shard": "3KB"}, {"dtype": torch.bfloat16}
MASKED, NAIVE = "the cats sat [MASK] the unbelievable [MASK]", "the naïve cat sat 日"
LLAMA_3 = {"rope_type": "llama3", "rope_theta": 500.0, "factor": 8.0, "low_freq_factor": 1.0}
LLAMA_3 |= {"high_freq_factor": 4.0, "original_max_position_embeddings": 20}
# Family, how it is made, how it is changed, and what is read.
RIGHT = {
    "BERT": ("bert", FILLS, None, MASKED),
    "BERT in halves": (
        "bert",
        FILLS | HALF | {"tie_word_embeddings": False, "hidden_act": "relu"},
        None,
        MASKED,
    ),
    "BERT in 16 bits": ("bert", WHOLE, None, MASKED),
    "RoBERTa": ("roberta", FILLS, AS_IT_IS, MASKED),
    "DistilBERT": ("distilbert", FILLS, None, MASKED),
    "ELECTRA": ("electra", FILLS | {"tie_word_embeddings": True}, None, MASKED),
    "ELECTRA, wide": ("electra", {"embedding_size": 14}, None, MASKED),
    "GPT-2": ("gpt2", {}, None, NAIVE),
    "GPT-2 in halves": ("gpt2", HALF | {"tie_word_embeddings": False}, None, NAIVE),
    "Llama": ("llama", {}, None, NAIVE),
    "Llama in halves": ("llama", HALF | {"attention_bias": True, "mlp_bias": True}, None, NAIVE),
    "Llama in 16 bits": (
        "llama",
        WHOLE | {"tie_word_embeddings": True, "num_key_value_heads": 1},
        None,
        NAIVE,
    ),
    "Mistral": ("mistral", {}, None, NAIVE),
    "Qwen2": ("qwen2", {}, None, NAIVE),
    "Qwen3": ("qwen3", {}, None, NAIVE),
    "Qwen3 in halves": ("qwen3", HALF | {"attention_bias": True}, None, NAIVE),
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
    "Qwen's words, whatever is said": ("qwen2", {}, AS_IT_IS, "the cat's 3.14 mats"),
    "as Mistral's are": ("mistral", {}, both(as_spaces, says_llama(False)), "the cat"),
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
    "a window that Llama has not": ("llama", {}, says(sliding_window=8), CAT),
    "spaces as Llama's": ("llama", {}, both(as_spaces, says_llama()), "the  cat</s> the"),
    "spaces, and none first": ("llama", {}, both(as_spaces, says_llama(False)), "the cat"),
    "sizes by other names": ("gpt2", {}, says(without=("n_embd",), hidden_size=14), CAT),
    "stretched": ("llama", {"rope_parameters": LLAMA_3, "head_dim": 10}, None, f"{CAT} the dog"),
    "MPNet": ("mpnet", FILLS, AS_IT_IS, f"{CAT} [MASK] the cats sat on the dog"),
    "XLM-R": ("xlm-roberta", FILLS, as_unigram, "the <mask> sat 日"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_folder_is_read_as_its_library_reads_it(name, models):  # noqa: F811
    """Pieces, hidden states, weights and logits, whatever the folder is like: sizes far from the
    usual, halves of numbers, several files. The seven steps are the first layer, alone and in a
    batch; PyTorch's functions agree, whatever a reader sets, and every cell adds up."""
    family, config, change, text = RIGHT[name]
    folder = checkpoint(models / "small", family, **config)
    if change:
        change(folder)
    setup = is_the_librarys(folder, family, config.get("what", ""), text)
    trace, layers, n = run(setup), encode(setup), len(setup.tokens)
    of_batch = batch.run(replace(setup, others=f"{text} the", padding="left"))
    for step in ("x", "q", "scores", "weights", "output"):
        ours, together = trace.value(step), of_batch.sentence(0).value(step)
        assert torch.equal(ours, layers[0].value(step)), step
        assert apart(together[..., -n:, -ours.shape[-1] :], ours) < 1e-5, step
    each = zip(layers, (1, 2, 3), strict=True)
    for made, layer in ((trace, None), (of_batch.sentence(1), None), *each):
        adds_up(made, layer)
    assert reference.check(trace, "embedded").largest == 0
    for changes in ({}, {"positions": "none"}, {"temperature": 2.0}):
        for layer in encode(replace(setup, **changes)):
            assert reference.check_layer(layer, weights.may_attend(setup, n)).relative < 1e-5
            assert all(reference.check(layer, step).relative < 1e-5 for step in CHECKED), changes


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
    usual = FAMILIES[family].usual | dict(FAMILIES[family].config.values())
    assert all(theirs[name] == value for name, value in usual.items() if value is not None)
