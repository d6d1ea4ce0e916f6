"""The one crawl: every page with the usual links and with drawn ones, in which all fields meet, and
what every page promises, each promise a plain function.

A failure prints the link cut down to what it needs, and the seed. `SEED=7` draws those links again,
`FUZZ=10` ten times as many new ones.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from random import Random
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest
from helpers import ROOT, app, boards, components, elements, numbers, panel
from streamlit.testing.v1 import AppTest

from core import Setup, run
from core.fields.fields import Choice, Field, ModelName, Name, Number, select_kind
from core.fields.matrices_field import GivenNumbers
from core.fields.sentences import Asked, Lines, PieceIds, Sentence, Word
from core.forward.trace import Trace
from core.setup import setup as core_setup
from core.setup.edits import Edits
from core.setup.presets import EXAMPLE
from core.text.text import SYMBOLS, labels
from core.text.written import number
from core.training import training_store
from pages.shared.link import PRESETS, LinkState, focus, parse_link, read_link
from pages.shared.link.fields import FIELDS
from pages.shared.link.focus import NAMED
from pages.shared.link.pages import PAGES, SEVEN, Page, find
from pages.shared.link.pasted_text import PastedText
from pages.shared.link.pinned import Held, write
from tests.strategies import FUZZ, LARGEST, WORDS, given_numbers
from tests.test_glossary import NAMES, symbols
from tests.test_link import HOSTILE_TEXTS
from tests.test_pages import said
from tests.test_sentences import ONE_OF_MANY

Link = dict[str, str]
RUNS, PARTS = 72 * FUZZ, 8

NASTY = "a`b $x^2$ <b>c</b> |d| ~~e~~"
HEBREW = {"text": "כלב רץ אל הבית", "others": "חתול ישן\nsome words", "query": "2", "key": "3"}
OTHER_SENTENCE = {"text": "the cat sat", "memory": "a quick dog saw it", "query": 3, "key": 5}
NUMBERS: dict[str, Number] = select_kind(Number, FIELDS)
LOWER = {name: field.type(field.low) for name, field in NUMBERS.items()}
UPPER = {name: field.type(field.high) for name, field in NUMBERS.items()}
USUAL: dict[str, Mapping[str, object]] = {
    "default": {},
    "prime sizes": {"text": "the cat the mat", "d_model": 5, "d_k": 7, "d_v": 11, "heads": 2},
    "no matrices": PRESETS["No matrices · N0"] | OTHER_SENTENCE,
    "another sentence": OTHER_SENTENCE
    | {"positions": "rotary", "heads": 2, "kv_heads": 1, "matrix": "values"},
    "trained": PRESETS["Trained"],
    "llama": PRESETS["As in Llama"],
    "alibi": {"text": "the cat the mat", "d_k": 7, "heads": 3, "positions": "alibi", "key": 3}
    | {"mask": "causal", "padding": "left"},
    "largest": LARGEST
    | {"mask": "causal", "padding": "left", "norm": "pre", "activation": "gelu"}
    | {"head": 20, "query": 32, "key": 32, "sentence": 8, "layer": 6},
    "smallest": dict.fromkeys(("d_model", "d_k", "d_v", "heads", "layers", "d_ff"), 1)
    | {"text": "a", "others": "", "dropout": 0.3},
    "right to left": HEBREW | {"mask": "causal"},
    "markup": {"text": NASTY, "others": f"{NASTY}\n{NASTY}", "sentence": 2, "key": 3},
}
# All numbers at one end; sizes at their upper ends are in "largest", since training takes long.
SMALL = {"d_model": 5, "d_k": 3, "d_v": 7, "heads": 2, "d_ff": 6, "layers": 2, "steps": 2}
ENDS: dict[str, Mapping[str, object]] = {
    "lower": LOWER | {"text": "a", "others": "", "task": "repeat"},
    "zero": SMALL | {name: low for name, low in LOWER.items() if low == 0},
    "upper": UPPER | SMALL | {"layer": 2, "task": "next"},
}


@dataclass(frozen=True)
class Seen:
    """A page that was drawn from a link: what it shows, and what the link amounts to."""

    page: Page
    link: Link
    at: AppTest

    @cached_property
    def view(self) -> LinkState:
        return read_link(urlencode(self.link))

    @cached_property
    def text(self) -> str:
        """All that is written on the page, without the marks that set words from right to left
        apart."""
        return said(self.at).replace("\u2068", "").replace("\u2069", "")

    @cached_property
    def matrices(self) -> list[dict]:
        return [matrix for board in boards(self.at) for matrix in board.get("matrices", [])]

    @cached_property
    def trace(self) -> Trace | None:
        """The seven steps of this setup, where the page is one of them."""
        setup = self.view.setup
        return run(setup) if self.page in SEVEN and not setup.real else None


# ---------- what every page promises ----------


def raises_nothing(seen: Seen) -> None:
    """No exception, one title, and boards that are described."""
    assert not seen.at.exception, "the page raised what is printed below"
    assert len(seen.at.title) == 1
    assert all(board["alt"] for board in boards(seen.at))


def has_finite_numbers(seen: Seen) -> None:
    """No cell is infinite, but for the −∞ of masks and of what may not be drawn; NaN, which is
    drawn as an empty cell, stands for no number of the seven steps."""
    for matrix in seen.matrices:
        values = numbers(matrix)
        if matrix["name"].startswith(("mask", "shifted", "top_")):
            values = values[~np.isneginf(values)]
        assert not np.isinf(values).any(), matrix["title"]
        if matrix["name"] in (seen.trace or {}) and not seen.view.focus.vs:
            assert not np.isnan(values).any(), matrix["title"]


def draws_the_traces_numbers(seen: Seen) -> None:
    """A matrix that is called as an entry of the trace has the entry's numbers, to the last bit: of
    a head, or the rows of it that are shown. (A held setup has its own, and so has the route
    that asks why.)"""
    focus = seen.view.focus
    entries = {} if focus.vs or focus.route == "why" else seen.trace or {}
    for matrix in seen.matrices:
        entry = entries.get(matrix["name"])
        if entry is None or matrix.get("long") or matrix.get("beside") or len(entry.dims) > 3:
            continue
        drawn, value = numbers(matrix), entry.value.float()
        sheets = value.reshape(-1, *value.shape[-2:]) if value.ndim > 1 else value.view(1, 1, -1)
        if sheets.shape[2] != drawn.shape[1]:
            continue
        rows = {row.tobytes() for row in sheets.reshape(-1, sheets.shape[2]).numpy()}
        if matrix.get("shares"):
            continue
        assert {row.astype(np.float32).tobytes() for row in drawn} <= rows, matrix["name"]


def writes_the_traces_numbers(seen: Seen) -> None:
    """A number in a sentence, as in ω[is, dessert] = 11.1466, is the trace's, of the head that is
    looked at."""
    if seen.trace is None:
        return
    head = seen.view.focus.head - 1
    entries = {sign: name for name, sign in reversed(SYMBOLS.items())}  # the first of a sign
    for sign, row, column, told in CELL.findall(seen.text):
        entry = seen.trace.get(entries.get(sign, sign))
        if entry is None or entry.dims[-2:] not in (("query", "key"), ("query", "d_v")):
            continue
        value = (
            entry.value[min(head, len(entry.value) - 1)] if entry.value.ndim == 3 else entry.value
        )
        keys = labels(seen.trace.key_tokens)
        i = labels(seen.trace.tokens).index(row)
        j = keys.index(column) if entry.dims[-1] == "key" else int(column) - 1
        assert told == number(value[i, j].item()), (sign, row, column)


CELL = re.compile(
    r"(?<!\S)([^\s\[\]]+)\[([^\s,\]]+), ([^\s,\]]+)\] = (?:[\d.,e− /]+ = )?"
    r"(−?\d[\d,]*(?:\.\d+)?(?:e−?\d+)?)(?![\w])"
)


def has_weights_that_add_up(seen: Seen) -> None:
    """Each row of attention weights adds up to 1, or to 0 where it may look nowhere, but for the
    notebooks' mistakes."""
    for matrix in seen.matrices:
        if matrix["name"] == "weights" and seen.page.path != "notebooks" and not matrix.get("long"):
            sums = numbers(matrix).sum(axis=1)
            assert (np.isclose(sums, 1, atol=1e-3) | (sums == 0)).all(), matrix["title"]


def restores_its_link(seen: Seen) -> None:
    """What the page hands on as its link is read to the same setup and view (the route that asks
    why adds the head that it follows); each link to a page that it writes is read in silence."""
    again = read_link(panel(seen.at)["link"])
    if seen.view.focus.route != "why":
        assert (again.setup, again.focus) == (seen.view.setup, seen.view.focus)
    if seen.view.messages:
        return
    markup = written_as_markup(seen.at)
    for sets in set(map(unescape, re.findall('data-sets="([^"]*)"', markup))):
        query = urlencode(parse_link(panel(seen.at)["link"]) | parse_link(sets))
        assert not read_link(query).messages, (sets, read_link(query).messages)
    for address in {*map(unescape, ADDRESS.findall(markup)), *sent_as_links(seen.at)}:
        path, query = urlsplit(address).path, urlsplit(address).query
        assert not urlsplit(address).netloc, address
        if not path.startswith("/app/") and "fetch=" not in query:
            find(path.removeprefix("./").strip("/") or seen.page.path)
            assert not read_link(query).messages, (address, read_link(query).messages)


ADDRESS = re.compile(r'(?:href="|\]\()((?!http|#|mailto)[^"#) ]+)')


def written_as_markup(at: AppTest) -> str:
    """All that the page hands to the browser as markup."""
    return "\n".join(
        e.proto.body if e.type == "html" else e.value
        for e in elements(at.main)
        if e.type in ("html", "markdown", "caption")
    )


def sent_as_links(at: AppTest) -> set[str]:
    """All links that boards and Share are given; AppTest has no address, so theirs have no host."""
    drawn = json.dumps([boards(at), components(at.main, "attention_links")])
    found = {json.loads(link) for link in re.findall(r'"(?:link|href)": ("[^"]*")', drawn)}
    return {link if link[:1] in "?./" else f"?{link}" for link in found}


def names_nothing_by_its_code(seen: Seen) -> None:
    """No name of the program, no value as Python prints it stands on the screen."""
    own = "\n".join(
        e.value
        for e in elements(seen.at.main)
        if e.type in ("markdown", "text", "caption", "title", "header")
    )
    own = re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|“[^”]*”|'[^']*'", " ", own)
    found = re.findall(r"\b(?:None\b(?!:| of)|nan\b|tensor\(|Setup\(|<function|dict_keys)", own)
    setup = seen.view.setup
    typed = (*setup.tokens, *setup.memory_tokens, *setup.others.split())  # which may be “nan”
    assert not [each for each in found if each not in typed], found


def says_where_its_numbers_are_made(seen: Seen) -> None:
    """Of each matrix the page says in which line of which file the function stands that made it."""
    focus = seen.view.focus
    for matrix in seen.matrices:
        made = matrix.get("made", "")
        if made.startswith("what the block is given"):
            continue
        if not made:  # a reader's own numbers, terms beside a held setup's, a beat's close look
            is_known = seen.page.path == "bring" or matrix["name"] == "terms"
            assert is_known or "on" in (focus.lecture, focus.notes), matrix["title"]
            continue
        function, file, line = re.search(
            r"made by \w+\.(\w+)\([^:]*\): (\S+), line (\d+)$", made
        ).groups()
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        around = lines[int(line) - 1 : int(line) + 2]
        assert any(each.lstrip().startswith(f"def {function}(") for each in around), made


def has_its_symbols_in_the_glossary(seen: Seen) -> None:
    """A letter that a formula writes is explained in the glossary, by itself or with its
    subscript."""
    for formula in seen.at.latex:
        for base, index in symbols(formula.value):
            assert base in NAMES or f"{base}_{index}" in NAMES, (base, index, formula.value)


def has_violet_for_attention_alone(seen: Seen) -> None:
    """Of all matrices those in violet are attention weights: by their name, symbol or title."""
    stations = [
        station.get("matrix") or {}
        for board in boards(seen.at)
        for station in board.get("stations", ())
    ]
    for each in (*seen.matrices, *stations):
        if each.get("scale") == "sequential" or each.get("role") == "weights":
            assert (
                each["name"] == "weights"
                or each.get("symbol") == "α"
                or each["title"].startswith(("α", "softmax(ω"))
            ), each


def has_a_users_text_as_text(seen: Seen) -> None:
    """Words with markup in them reach only what shows plain text, and a Hebrew word stands between
    the characters that isolate it."""
    for e in elements(seen.at.main):
        if NASTY in seen.link.get("text", "") and e.type in (
            *("markdown", "latex", "caption", "title", "header"),
        ):
            assert "x^2" not in e.value and "<b" not in e.value
        if e.type == "text" and seen.link.get("text") == HEBREW["text"]:
            apart = re.sub("\u2068[^\u2069]*\u2069", "", e.value)
            assert not re.search("[א-ת]", apart), e.value


def has_one_of_a_thing_in_the_singular(seen: Seen) -> None:
    """One token, one head, one number: nowhere “1 tokens”, in no sentence and no picture's alt."""
    for text in (seen.text, *(board["alt"] for board in boards(seen.at))):
        assert not (found := ONE_OF_MANY.search(text)), found


def calls_nothing_drawn_that_was_trained(seen: Seen) -> None:
    """Nothing is called random or untrained that was trained."""
    may = {"", "classifier", "training", "notebooks", "bring"}
    if seen.view.setup.init == "trained" and seen.page.path not in may and not seen.view.focus.vs:
        drawn = r"drawn at random, not|these are drawn|training would change"
        assert not (found := re.search(drawn, seen.text)), found


# What holds of every page with every link.
INVARIANTS: list[Callable[[Seen], None]] = [
    raises_nothing,
    has_finite_numbers,
    draws_the_traces_numbers,
    writes_the_traces_numbers,
    has_weights_that_add_up,
    restores_its_link,
    names_nothing_by_its_code,
    says_where_its_numbers_are_made,
    has_its_symbols_in_the_glossary,
    has_violet_for_attention_alone,
    has_a_users_text_as_text,
    has_one_of_a_thing_in_the_singular,
    calls_nothing_drawn_that_was_trained,
]


@pytest.mark.parametrize("setup", USUAL)
def test_every_page_with_a_usual_link(setup):
    """Each page, with each of its tabs open, keeps its promises in the setups that people use, and
    says nothing of the link."""
    for page in PAGES:
        at = look_at(page, {name: str(value) for name, value in USUAL[setup].items()}, True)
        assert "Not everything in the link" not in said(at)


@pytest.mark.parametrize("end", ENDS)
def test_every_page_after_a_training_at_the_ends(end):
    """Each number that a link can have at its lower end, at zero, at its upper end: each page makes
    the training that it needs, none of which was made before, and keeps its promises."""
    for page in PAGES:
        for kept in (training_store._results, training_store._unfinished):
            for key in [key for key in kept if key[1] != EXAMPLE]:
                del kept[key]
        link = {name: str(value) for name, value in ENDS[end].items()}
        look_at(page, link | {"init": "trained"}, False)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_with_drawn_links(part):
    """Whatever fields meet in a link, hostile values too, its page is drawn and keeps its
    promises."""
    seed = int(os.environ.get("SEED", part if FUZZ == 1 else Random().randrange(2**32)))
    random = Random(seed)
    for _ in range(RUNS // PARTS):
        page, link, unfolds = random.choice(PAGES), a_link(random), random.random() < 0.5
        look_at(page, link, unfolds, f"SEED={seed}")


@pytest.mark.parametrize(
    "link",
    [
        "weights?heads=2&kv_heads=1&scale=fourth-root",
        "heads?heads=2&kv_heads=1&scale=fourth-root&part=mixed by W_o",
        "projection?heads=2&kv_heads=1&head=2&matrix=keys",
        "projection?projections=none&layers=2&layer=2&seven=chosen&norm=pre",
        "projection?bias=on&head=2&sheet=on",
        "projection?text=cat&layer=2&seven=chosen&memory=the dog saw",
    ],
)
def test_links_that_once_failed(link):
    """Pages on which two fields met that nobody had brought together keep their promises."""
    path, _, fields = link.partition("?")
    look_at(find(path), dict(parse_qsl(fields)), True)


class Broken(AssertionError):
    """A promise that a page does not keep."""


def look_at(page: Page, link: Link, unfolds: bool, drawn: str = "") -> AppTest:
    """Draw the page, with each of its tabs open if it `unfolds`, and ask for what every page
    promises. Returns what was drawn."""
    try:
        return keep_promises(page, link, unfolds)
    except Broken as broken:
        least = urlencode(shorten(page, link, unfolds, str(broken)))
        raise AssertionError(
            f"{broken}: /{page.path}?{least}{' unfolded' * unfolds} {drawn}"
        ) from broken.__cause__


def keep_promises(page: Page, link: Link, unfolds: bool) -> AppTest:
    at = app(page.file, **link)
    drawn = [(link, at)]
    if unfolds and not at.exception:
        folded = re.findall('data-fold="([^"]+)"', written_as_markup(at))
        arrived = parse_link(panel(at)["link"])
        opened = [arrived | {"open": name} for name in folded]
        drawn = [(each, app(page.file, **each)) for each in opened] or drawn
    for seen in (Seen(page, *each) for each in drawn):
        for promise in INVARIANTS:
            try:
                promise(seen)
            except Exception as error:
                raise Broken(promise.__name__) from error
    return drawn[-1][1]


def shorten(page: Page, link: Link, unfolds: bool, promise: str) -> Link:
    """Return the link without all that the broken promise does not need."""
    for name in list(link):
        fewer = {other: value for other, value in link.items() if other != name}
        try:
            keep_promises(page, fewer, unfolds)
        except Broken as broken:
            link = fewer if str(broken) == promise else link
    return link


# ---------- links ----------

A_PLACE = ("1", "2", "3", "1-2", "*")
WEIGHTS = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_o", "positions", "w_c", "layer2.w_q")
# Sizes are small: 20 heads of 64 numbers take long and meet nothing new.
WHOLE, FRACTIONS = (2, 3, 4, 5, 7), (0.3, 0.7, 1.0)
# A link's picture, and learning, take longer than all else on a page.
RARE = {"share": "on", "init": "trained"}
BROUGHT = (
    "",
    (
        "please → [1, 0]\nstudy → [0, 2]\nW_q = [[1, 0], [0, 1]]\nW_k = [[1, 1], [0, 1]]\nW_v ="
        " [[1, 0], [0, 1]]\nalpha: 0.4 0.6; 1 0"
    ),
    "Q = [[1, 0]]\nK = [[0, 1], [1, 0]]\nV = [[1, 2], [3, 4]]\nscores = [[1, 0]]",
    "alpha = [[0.5, 0.5], [1, 2",
    "heads:2;orientation:W X",
    "no matrix",
    "\\begin{bmatrix} 1 & 2 \\\\ 3 \\end{bmatrix}",
)


def a_link(random: Random, fields: Mapping[str, Field] = FIELDS) -> Link:
    """Some of these fields, few or all, each as a link may hold it. What is trained takes few
    steps; no other host is asked."""
    often = random.choice((0.1, 0.3, 0.6, 0.9))
    link = {
        name: DRAWS[type(field)](random, field)
        for name, field in fields.items()
        if random.random() < often
    }
    link |= {
        name: ",".join(random.choices(names, k=random.randint(1, 3)))
        for name, names in NAMED.items()
        if name in link and names
    }
    for name in link:
        if random.random() < 0.04:
            link[name] = random.choice(HOSTILE_TEXTS)
    for name, value in RARE.items():
        if link.get(name) == value and random.random() < 0.8:
            del link[name]
    link.pop("fetch", None)
    if link.get("given") and random.random() < 0.8:
        link["init"] = "given"
    if link.get("init") == "trained":
        link["steps"] = str(random.randint(1, 3))
    return link


def a_number(random: Random, field: Number) -> str:
    """The smallest, one in between, or of a place the last that there can be."""
    between = [
        each
        for each in (WHOLE if field.type is int else FRACTIONS)
        if field.low < each < field.high
    ]
    last = [field.high] if field in focus.FIELDS.values() else []
    return str(random.choice([field.type(field.low), *between, *last]))


def words(random: Random) -> str:
    """A short sentence."""
    return " ".join(
        random.choices((*WORDS, "drank", "it", "was", "thirsty"), k=random.randint(1, 9))
    )


def an_edit(random: Random) -> str:
    """A change of one weight, which may have such a place or not."""
    target, source = (
        ".".join((random.choice(WEIGHTS), *random.choices(A_PLACE, k=random.randint(0, 3))))
        for _ in range(2)
    )
    return f"{target}={random.choice(('0', '0.5', '-1000', 'identity', source))}"


def a_setup(random: Random, _: Field) -> str:
    """A setup that is held."""
    return random.choice(("default", write(Setup.nearest(a_link(random, core_setup.FIELDS))[0])))


# What a link may hold of one field, by its kind; of a name nothing, since no model is read here.
DRAWS: dict[type[Field], Callable[[Random, Field], str]] = {
    Choice: lambda random, field: random.choice(field.options),
    Number: a_number,
    Sentence: lambda random, _: words(random),
    Asked: lambda random, _: words(random),
    Lines: lambda random, _: "\n".join(words(random) for _ in range(random.randint(0, 4))),
    Edits: lambda random, _: ",".join(an_edit(random) for _ in range(random.randint(1, 4))),
    GivenNumbers: lambda random, _: given_numbers(random),
    ModelName: lambda random, _: "",
    PieceIds: lambda random, _: random.choice(("", "17", "504-3139-260")),
    Held: a_setup,
    Name: lambda random, field: (
        random.choice(("", "weights.1", "output.2", "q.7")) if field is FIELDS["checked"] else ""
    ),
    PastedText: lambda random, _: random.choice(BROUGHT),
    Word: lambda random, _: random.choice((*WORDS, "nowhere")),
    Field: lambda random, _: "",
}
