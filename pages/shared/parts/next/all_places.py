"""What is said of every place of a sentence at once: eight lessons in one, and how near to the
least possible they are."""

import math
from html import escape
from urllib.parse import urlencode

import torch

from core import classes, language, next_word
from core.attention import softmax
from core.setup import Setup
from core.text import isolated, labels
from core.trace import Trace
from core.written import count, number
from pages.shared import board
from pages.shared.frame import lecture, show
from pages.shared.link import DEFAULTS, parse_link
from pages.shared.said import elements, words
from pages.shared.said.claims import next_word as claims
from pages.shared.server import computed, run

MOST_COLUMNS = 40
# A small stack that learns the next word in seconds, and the question that its language answers
# best.
TRAINED = {
    "init": "trained",
    "task": "next",
    "heads": "2",
    "d_model": "16",
    "d_k": "8",
    "d_v": "8",
    "d_ff": str(DEFAULTS["d_ff"]),
    "layers": "1",
    "text": "the milk",
    "sizes": "free",
    "column": "1",
    "query": "1",
    "key": "1",
    "head": "1",
    "kv_heads": "0",
    "layer": "1",
}
NUMBERS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def way_to_a_trained_one() -> None:
    """Draw a link that trains a small stack on what comes next, and asks it; the reader's other
    choices stay."""
    href = escape(urlencode(parse_link(run.now().link) | TRAINED))
    elements.html(
        f'<p class="ab-way"><a href="?{href}" data-sets="{escape(urlencode(TRAINED))}">Train a'
        " small stack to say the next word, and ask it: what comes after <i>the milk</i>?</a></p>"
    )


def title(setup: Setup) -> str:
    """Return how many lessons the sentence is."""
    lessons = len(setup.tokens) - 1
    if not lessons:
        return "One word alone is no lesson"
    return (
        f"One sentence, {NUMBERS[lessons] if lessons < len(NUMBERS) else lessons}"
        f" lesson{'s' if lessons > 1 else ''}"
    )


def lessons(setup: Setup, trace: Trace) -> None:
    """Draw each place's shares, what came there, and how surprising it was."""
    if len(setup.tokens) < 2:
        show.plain("A lesson needs a word and the word that comes after it: type one more.")
        return
    logits, came = computed.at_every_place(setup)[:-1], next_word.what_came(trace)
    surprises = classes.cross_entropy(logits, came)
    shares = softmax(logits)
    given = shares.gather(-1, came[:, None])[:, 0]
    names = [isolated(name) for name in labels(setup.tokens)]
    if not lecture.on():
        elements.markdown(
            "In training all places are asked at once, each for its next word. The causal mask"
            " makes that honest: no place sees what comes after it. So each row below is what the"
            " model would say if the sentence ended there."
        )
    _every_share(shares, came, trace, names)
    _surprises(setup, given, surprises, names)
    mean, told = surprises.mean().item(), claims.came(setup.tokens[1:], given.tolist())
    show.plain(
        f"{told} The cross-entropy is the mean of all surprises, {number(mean)} nats. e to it, the"
        f" perplexity, is {number(classes.perplexity(surprises).item())}: among so many words, all"
        " alike, one would have to guess as often."
    )


def _every_share(shares: torch.Tensor, came: torch.Tensor, trace: Trace, names: list[str]) -> None:
    """Draw a row for each place; of a large vocabulary the words that came."""
    columns = (
        list(range(shares.shape[1]))
        if shares.shape[1] <= MOST_COLUMNS
        else sorted(set(came.tolist()))
    )
    flags = torch.zeros(len(came), len(columns), dtype=torch.bool)
    flags[torch.arange(len(came)), [columns.index(place) for place in came.tolist()]] = True
    board.matrices(
        board.Matrix(
            "at_every_place",
            shares[:, columns],
            [f"{name} →" for name in names[:-1]],
            list(labels(tuple(trace.vocabulary[place] for place in columns))),
            ("token", "word"),
            "none",
            "shares at every place; the corner marks the word that came",
            scale="plain",
            top=1,
            marks=flags,
            marked="the word that came",
            symbol="p",
            made=words.made(next_word.at_every_place, "encoded", "unembedding"),
        ),
        key="board_every_place",
        max_width=60,
        of_screen=0.5,
        alt=(
            f"For each of {count(len(came), 'place')} the share of {count(len(columns), 'word')},"
            " the one that came marked."
        ),
    )


def _surprises(
    setup: Setup, given: torch.Tensor, surprises: torch.Tensor, names: list[str]
) -> None:
    """Draw what each word that came had, and how surprising that is; beside it, how surprised the
    language itself would be."""
    rows, values = ["its share p", "surprise −ln p, nats"], [given.double(), surprises.double()]
    if setup.learns_words and setup.task == "next" and setup.tokens in language.ROWS:
        rows.append("the language's own")
        values.append(torch.tensor(language.surprise(setup.tokens), dtype=torch.float64))
    board.matrices(
        board.Matrix(
            "surprises",
            torch.stack(values).float(),
            rows,
            names[1:],
            ("what", "token"),
            "none",
            "the word that came at each place",
            scale="plain",
            symbol="",
            made=words.made(classes.cross_entropy, "logits", "answers"),
        ),
        key="board_surprises",
        max_width=72,
        of_screen=0.25,
        alt="The share and the surprise of each word that came: "
        + "; ".join(
            f"{name} {words.percent(p, 1)}"
            for name, p in zip(names[1:], given.tolist(), strict=True)
        ),
    )


def floor(setup: Setup) -> None:
    """Draw the least that is possible at each place of the language's sentences, and what the model
    has."""
    elements.markdown(
        "A sentence of the small language is not decided by its beginning. After *the milk* only"
        " *warmed* and *saved* can come, each in half of the sentences that begin so. Whoever gives"
        " both one half is surprised by −ln ½ = 0.6931 nats each time. Whoever gives one of them"
        " more is surprised more by the other, and more on average. That least, place by place, is"
        " the language's own entropy."
    )
    least = language.floor()
    example = language.EXAMPLES[0].tokens
    columns = [f"{k}: {word}" for k, word in enumerate(example[1:], start=2)]
    rows, values = ["the least possible"], [torch.tensor(least)]
    ours = None
    if setup.learns_words and setup.task == "next":
        ours = computed.surprises(setup).double()
        rows = ["the model", *rows, "left to learn"]
        values = [ours.float(), *values, (ours - torch.tensor(least, dtype=torch.float64)).float()]
    board.matrices(
        board.Matrix(
            "floor",
            torch.stack(values),
            rows,
            columns,
            ("what", "place"),
            "none",
            f"mean surprise at each place of all {len(language.EXAMPLES):,} sentences, in nats",
            scale="plain",
            symbol="nats",
            made=words.made(language.floor),
        ),
        key="board_floor",
        max_width=80,
        of_screen=0.4,
        alt="The least mean surprise at each place: " + ", ".join(number(each) for each in least),
    )
    if ours is None:
        mean = math.fsum(least) / len(least)
        show.plain(
            f"On average that is {number(mean)} nats. Train a stack on the next word, and its own"
            " stands beside it."
        )
    else:
        show.plain(claims.floor(ours.tolist(), least))
