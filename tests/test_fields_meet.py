"""Where fields meet: pages of links that draw all fields of setup and focus at once, as they are
declared."""

import re
from collections.abc import Callable, Mapping
from random import Random
from urllib.parse import parse_qsl, urlencode

import pytest
from streamlit.testing.v1 import AppTest

from core import setup as core_setup
from core.edits import Edits
from core.fields import Choice, Field, Name, Number
from core.given.field import GivenNumbers
from core.labelled import Labelled
from core.sentences import Asked, Lines, Sentence, Word
from core.setup import Setup
from pages.shared.link import focus
from pages.shared.link.brought import Brought
from pages.shared.link.fields import FIELDS
from pages.shared.link.focus import NAMED
from pages.shared.link.held import Held, write
from pages.shared.link.pages import PAGES, Page, find
from tests.helpers import app, change, elements
from tests.strategies import FUZZ, WORDS, given_numbers

Link = dict[str, str]
RUNS, PARTS = 150 * FUZZ, 10


def no_exception(page: Page, link: Link, at: AppTest) -> None:
    """Nothing was raised."""
    assert not at.exception, "the page raised what is printed below"


# What holds of every page with every link: functions of page, link and what was drawn.
INVARIANTS: list[Callable[[Page, Link, AppTest], None]] = [no_exception]


@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_stands_with_all_fields_at_once(part):
    """Whatever fields meet in a link, its page is drawn and keeps what every page promises, folded
    and with all parts open."""
    random = Random() if FUZZ > 1 else Random(part)
    for _ in range(RUNS // PARTS):
        page, link, unfolds = random.choice(PAGES), a_link(random), random.random() < 0.5
        try:
            look_at(page, link, unfolds)
        except Exception as error:
            raise AssertionError(
                f"/{page.path}?{urlencode(shortest(page, link, unfolds))}{' unfolded' * unfolds}"
            ) from error


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
    """Pages on which two fields met that nobody had brought together: each stands."""
    path, _, fields = link.partition("?")
    look_at(find(path), dict(parse_qsl(fields)), unfolds=True)


def look_at(page: Page, link: Link, unfolds: bool) -> None:
    """Draw the page, with all its parts open if it `unfolds`, and ask for what every page
    promises."""
    at = app(page.file, **link)
    if unfolds and not at.exception:
        keys = [
            key
            for e in elements(at.main)
            if e.type == "html"
            for key in re.findall('data-fold="([^"]+)"', e.proto.body)
        ]
        at = change(at, open=",".join(keys))
    for holds in INVARIANTS:
        holds(page, link, at)


def shortest(page: Page, link: Link, unfolds: bool) -> Link:
    """The link without all that its failure does not need."""
    for name in list(link):
        fewer = {other: value for other, value in link.items() if other != name}
        try:
            look_at(page, fewer, unfolds)
        except Exception:
            link = fewer
    return link


# ---------- links ----------

A_PLACE = ("1", "2", "3", "1-2", "*")
WEIGHTS = (
    "w_q",
    "w_k",
    "w_v",
    "w_o",
    "b_q",
    "b_o",
    "embedding_table",
    "positions",
    "w_c",
    "unembedding",
    "layer2.w_q",
)
WHOLE, FRACTIONS = (
    (2, 3, 4, 5, 7),
    (0.3, 0.7, 1.0),
)  # sizes are small: 20 heads of 64 numbers take long and meet nothing new
RARE = {
    "share": "on",
    "init": "trained",
}  # a link's picture, and learning, take longer than all else on a page
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
TAUGHT = (
    "",
    "a: the cat sat\nb: a mat",
    "good: the cat was good\nbad: the mat was bad\nc: it was",
    "no label",
    "a:\nb: x",
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
    Labelled: lambda random, _: random.choice(TAUGHT),
    Edits: lambda random, _: ",".join(an_edit(random) for _ in range(random.randint(1, 4))),
    GivenNumbers: lambda random, _: given_numbers(random),
    Held: a_setup,
    Name: lambda random, field: (
        random.choice(("", "weights.1", "output.2", "q.7")) if field is FIELDS["checked"] else ""
    ),
    Brought: lambda random, _: random.choice(BROUGHT),
    Word: lambda random, _: random.choice((*WORDS, "nowhere")),
    Field: lambda random, _: "",
}
