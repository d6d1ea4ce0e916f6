"""What a classifier learned from labelled sentences: the sentences, how well it does, and how it
looks at one of them."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from core import classification, labelled
from core.classification import Judged
from core.labelled import MOST_BYTES, MOST_LABELS, MOST_LETTERS, MOST_ROWS
from core.setup import Setup
from core.text import VISIBLE_SPACE, labels, shorten
from core.trace import Trace
from core.written import count
from pages.shared import board, link, panel
from pages.shared.board import entries
from pages.shared.frame import show
from pages.shared.frame.upload import upload
from pages.shared.link.focus import MOST_EXAMPLES, Focus
from pages.shared.said import elements, roles, words
from pages.shared.said.claims import classifier as claims
from pages.shared.server import computed, run

FEWEST_EXAMPLES = 8  # shown, where fewer are wrong
PLACEHOLDER = "good: the soup was not bad\nbad: the soup was not good\n…"


def way(said: str, parameters: Mapping[str, str]) -> None:
    """Draw a link to this page with other parameters."""
    elements.html(
        f'<p class="ab-way"><a href="?{html.escape(link.write_link(parameters))}">{said}</a></p>'
    )


def what_it_has_learned(setup: Setup, focus: Focus) -> None:
    """Draw which answers are right, and how it looks at one sentence. `setup` is the one in
    force."""
    judged = computed.judged(setup)
    part = _part(judged)
    if not judged.right(part).all():  # else it would say no more than the sentence on the page
        _confusion(judged, part)
    rows = judged.listed(part, MOST_EXAMPLES, FEWEST_EXAMPLES)
    chosen = min(focus.example, len(rows)) - 1
    with show.beside("learned"):
        with elements.container(key="learned_list"):
            _list(judged, part, rows, chosen)
        with elements.container(key="learned_looks"):
            show.heading(f"How it looks at sentence {chosen + 1}")
            _attention(
                setup, focus, judged.reading.sentences[int(judged.places(part)[rows[chosen]])]
            )


def does_not_turn(setup: Setup) -> None:
    """Put among the page's questions whether *not* is looked at, of the built-in sentences."""
    if not setup.labelled and (said := claims.not_gets(*computed.looks_at_not(setup), setup)):
        show.why("Does the word after *not* look at it?", said)


def _part(judged: Judged) -> str:
    """Return which sentences it is asked about: those that are held out, where there are any."""
    return "held out" if len(judged.held_out) else "learned"


def what_it_learns_from(setup: Setup) -> None:
    """Draw where labelled sentences are typed or uploaded."""
    if _read().built_in:
        elements.markdown(
            "**The built-in sentences** say of four things whether they are good or bad. *Not*"
            " turns what they say: no single word decides the label. A fifth of the sentences is"
            " held out."
        )
    elements.markdown(
        "Type labelled sentences, a label, a colon and a sentence in each line: they are in the"
        f" link, up to {MOST_LETTERS:,} letters. A file may hold up to {MOST_ROWS:,} sentences and"
        f" {MOST_BYTES // 2**20} MB: such lines, or a CSV table with the columns `label` and"
        f" `text`. Two to {MOST_LABELS} labels. A fifth of the sentences is held out."
    )
    typed, uploaded = elements.columns([3, 2], gap="large")
    with typed:
        panel.control("labelled", rows=6, hint=PLACEHOLDER)
    with uploaded:
        _file(setup)


def _file(setup: Setup) -> None:
    """Draw the uploader. A file counts once its link is followed: the link is the state."""
    file = upload("Or a file", "labelled_file", ("txt", "csv"), MOST_BYTES)
    if file is None:
        return
    reading, name = labelled.read_file(file.getvalue(), setup.split)
    if name and name == run.setup().labelled and setup.labelled != name:
        st.rerun()  # the link named it before it was here
    if name and name != setup.labelled:
        elements.markdown(
            f"The file has {count(len(reading.sentences), 'sentence')} and {len(reading.labels)}"
            " labels."
        )
        way("Learn from this file", link.parse_link(run.view().link) | {"labelled": name})
    if name:
        elements.caption(
            "The link can only name a file. The server keeps it in memory for a while, and whoever"
            " has the link can read it."
        )
    _messages(reading)


def how_well(setup: Setup) -> None:
    """Say how many of its answers are right, and what could not be used of the sentences that a
    link asks for."""
    elements.markdown(claims.accuracy(computed.judged(setup)))
    _messages(_read())


def _read() -> labelled.Reading:
    asked = run.setup()
    return labelled.read(asked.labelled, asked.split)


def _messages(reading: labelled.Reading) -> None:
    """Draw what could not be used, as plain text: it may quote what a visitor typed."""
    for message in reading.messages:
        show.plain(message)


def every_sentence(setup: Setup) -> None:
    """Draw all sentences that it learns from or is asked about."""
    elements.code(labelled.as_lines(computed.judged(setup).reading), language=None, height=250)


def _confusion(judged: Judged, part: str) -> None:
    counts, names = judged.confusion(part), judged.reading.labels
    told = "; ".join(
        f"{int(counts[k, j])} of {name} got {other}"
        for k, name in enumerate(names)
        for j, other in enumerate(names)
        if counts[k, j]
    )
    board.matrices(
        board.Matrix(
            "confusion",
            counts,
            names,
            names,
            ("label", "answer"),
            roles.NONE,
            f"{part}: label and answer",
            scale="plain",
            whole=True,
            symbol="sentences",
            made=words.made(type(judged).confusion, "part"),
        ),
        key="board_confusion",
        max_width=84,
        alt=f"How many sentences {part} of each label, a row, got which answer, a column: {told}.",
    )


def _list(judged: Judged, part: str, rows: Sequence[int], chosen: int) -> None:
    """Draw sentences with the probability of each label, those with a wrong answer first; a click
    chooses one."""
    reading, shares, right = judged.reading, judged.shares[part], judged.right(part)
    texts = [reading.sentences[place] for place in judged.places(part)[rows].tolist()]
    wrong = int((~right).sum())
    show.heading(
        f"Sentences {part}: "
        + (f"{wrong} of {len(right)} wrong" if wrong else "none of them wrong")
    )
    for number, (row, text) in enumerate(zip(rows, texts, strict=True), start=1):
        if not right[row]:
            label = words.isolated(reading.labels[reading.answers[int(judged.places(part)[row])]])
            show.plain(
                f"{number}:  {words.isolated(text)}   →  "
                f" {claims.answer(shares[row].tolist(), reading.labels)}; it is {label}"
            )
    names = [
        f"{number}: {words.isolated(shorten(text, 28).replace(VISIBLE_SPACE, ' '))}"
        for number, text in enumerate(texts, start=1)
    ]
    board.matrices(
        board.Matrix(
            "examples",
            shares[rows],
            names,
            reading.labels,
            ("sentence", "class"),
            "output",
            "p of each label",
            **entries.SHARES_IN_GREY,
            sums=True,
            clickable=True,
            frame=(chosen, chosen + 1, 0, len(reading.labels)),
            symbol="p",
            made=words.made(classification.judge, "setup", "weights"),
        ),
        key="board_examples",
        chosen=(chosen, 0),
        chooses=board.choice(example="row"),
        max_width=84,
        max_height=18,
        alt=(
            f"Probabilities of each label for {count(len(rows), 'sentence')}. {wrong} of"
            f" {len(right)} have a wrong answer."
        ),
    )


def _attention(setup: Setup, focus: Focus, sentence: str) -> None:
    """Draw who looks at whom in one labelled sentence: every layer and head small, the chosen one
    large."""
    one = replace(setup, text=sentence, others="")
    layers, names = computed.classifier_layers(one), labels(one.tokens)
    layer, head, n = focus.layer, focus.head, len(names)
    places = [(below, k) for below in range(setup.layers) for k in range(setup.heads)]
    if len(places) > 1:
        board.pictures(
            *(_small(layers[below], below, k) for below, k in places),
            key="board_learned_stack",
            across=max(
                setup.heads, 4 // setup.heads * setup.heads
            ),  # as many layers in a line as four pictures hold
            main=(layer - 1) * setup.heads + head - 1,
            chosen=(0, 0),
            chooses=board.choice(
                {f"{below + 1}·{k + 1}": {"layer": below + 1, "head": k + 1} for below, k in places}
            ),
            max_cell=max(2, 72 // n),
            of_screen=0.7,
            alt=(
                f"Weights of {count(setup.layers, 'layer')} with {count(setup.heads, 'head')} each."
            ),
        )
    opens = (
        "Layer · head. Click a picture to open it, another" if len(places) > 1 else "Click another"
    )
    elements.caption(f"{opens} sentence to look into that one.")
    weights = layers[layer - 1].value("weights")[head - 1]
    at, most = divmod(int(weights.argmax()), n)
    board.matrices(
        entries.matrix(
            layers[layer - 1], "weights", head - 1, f"α, layer {layer}, head {head}", sums=True
        ),
        key="board_learned_weights",
        chosen=(at, most),
        max_width=64,
        max_height=18,
        alt=(
            f"Weights of layer {layer}, head {head}."
            f" {words.attention(names[at], weights[at].tolist(), names)}"
        ),
    )


def _small(layer: Trace, below: int, head: int) -> board.Matrix:
    """Return one layer and head (from 0), without numbers; it is chosen by its name, layer ·
    head."""
    name = f"{below + 1}·{head + 1}"
    return entries.matrix(
        layer, "weights", head, name, called=name, bare=True, clickable=True, symbol="α"
    )
