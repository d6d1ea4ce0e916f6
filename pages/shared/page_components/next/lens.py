"""The logit lens: each layer's most probable word, as if the stack ended there."""

from dataclasses import replace

from core.analysis import attribution
from core.forward.trace import Trace
from core.text.text import labels
from core.text.written import count
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import attribution as claims
from pages.shared.layout import show
from pages.shared.link.focus import Focus
from pages.shared.page_components.next import candidates
from pages.shared.page_components.next.why import opens
from pages.shared.server import background, computed
from pages.shared.text import words

TITLE = "What would each layer say?"
CAVEAT = (
    "An early row was made for the layers above it, not for this table: what it says is how near it"
    " already is to a word."
)
LETTERS = 8  # of a word in its cell
MAX_HEIGHTS = 10  # layers in a lecture, and described layers


def draw(trace: Trace, focus: Focus) -> None:
    """Draw the most probable word at each layer and position, coloured by probability, with a mark
    where the answer first appears."""
    setup = replace(trace.setup, layer=1)
    found = background.ask(computed.lens, setup) if setup.real else computed.lens(setup)
    if found is None:
        show.plain("Each layer is being asked.")
        return
    names, layers = list(labels(setup.tokens)), setup.layers
    said = {
        place: candidates.name_pieces(trace, [place])[0]
        for place in set(found.words.flatten().tolist())
    }
    first = found.first.tolist()
    every = max(1, layers // MAX_HEIGHTS) if lecture.is_on() else 1  # readable from the last row
    heights = [n for n in range(layers + 1) if n in (first[-1], layers) or n % every == 0]
    cells = [[said[place] for place in row] for row in found.words[heights].tolist()]
    rows = [f"after layer {n}" if n else "before layer 1" for n in heights]
    shares, of_answer = found.shares[heights], found.of_answer[heights]
    told = [
        f"{row}, {words.quote(name)}: {words.quote(cell)} with {words.percent(share, 1)};"
        f" {words.quote(answer)} has {words.percent(own, 1)}"
        for row, texts, *of in zip(rows, cells, shares.tolist(), of_answer.tolist(), strict=True)
        for name, cell, answer, share, own in zip(names, texts, cells[-1], *of, strict=True)
    ]
    short = [
        cell if len(cell) <= LETTERS else f"{cell[: LETTERS - 1]}…" for row in cells for cell in row
    ]
    marks = (
        (found.words == found.words[-1]).cumsum(dim=0).eq(1) & (found.words == found.words[-1])
    )[heights]
    ending = claims.first_said(
        cells[-1][-1], first[-1], layers, *(found.of_answer[n, -1].item() for n in (first[-1], -1))
    )
    with lecture.large():
        show.plain(ending if lecture.is_on() else f"{ending} {CAVEAT}")
    board.matrices(
        board.Matrix(
            "lens",
            shares,
            rows,
            names,
            ("layer", "token"),
            "output",
            "the likeliest next word after each",
            clickable=True,
            texts=short,
            told=told,
            marks=marks,
            marked="here the answer first comes",
            symbol="p",
            made=words.made(attribution.lens, "setup"),
            **entries.SHARES_IN_GREY,
        ),
        key="board_lens",
        chosen=(max(k for k, n in enumerate(heights) if n <= focus.layer), len(names) - 1),
        min_width=52,
        min_height=17,
        max_width=76,
        of_screen=0.7,
        chooses=board.choice(
            layer=("cell", [[max(n, 1)] * len(names) for n in heights]), query="column", **opens()
        ),
        alt=f"The likeliest next word at {len(heights)} heights and {count(len(names), 'place')}."
        f" {ending}",
    )
