"""Why this word: its logit, or by how much it is larger than another's, as a sum over all heads and the words that they read."""

from dataclasses import replace
from html import escape

import pyarrow as pa
import torch

from core import attribution, next_word
from core.text import labels
from core.trace import Trace
from pages.shared import board
from pages.shared.frame import show
from pages.shared.link import parse_link, write_link
from pages.shared.link.focus import Focus
from pages.shared.parts.next import stage
from pages.shared.said import elements, words
from pages.shared.said.claims import attribution as claims
from pages.shared.server import computed, run

MOST_ROWS = 10


def draw(trace: Trace, place: int, focus: Focus) -> None:
    """Draw why the word at a place of the vocabulary, rather than the likeliest other one; `focus` says which head is followed."""
    setup = replace(trace.setup, layer=1)  # the whole stack, whichever layer's steps the seven pages show
    instead = next((other for other in next_word.likeliest(trace) if other != place), None)
    apart = computed.taken_apart(setup, place, instead)
    layer, head = focus.layer - 1, focus.head - 1
    names = list(labels(setup.tokens))
    said = claims.of(*stage.named(trace, [place, *([] if instead is None else [instead])]))
    show.plain(f"{claims.largest(apart, names, said)}\n{claims.by_kind(apart)}")
    _heads(apart, layer, head, names, said)
    _words(apart, layer, head, names)
    show.plain(claims.really(apart, layer, head, computed.without_head(setup, layer, head, place, instead)))
    elements.html(_way(trace, apart.heads[layer, head], layer, head, names))
    ranked = apart.ranked()[:MOST_ROWS]
    elements.plain_table(
        pa.table({
            f"the {len(ranked)} largest": [claims.named(each, names) for each in ranked],
            "brings": [words.number(each.value) for each in ranked],
        })
    )  # fmt: skip


def _heads(apart: attribution.Attribution, layer: int, head: int, names: list[str], said: str) -> None:
    """Draw what each head brings by all words together; a click opens it on the seven pages too, at the last word."""
    opens = {"init": "real"} if run.setup().real else {"seven": "chosen"}
    of_heads = apart.heads.sum(dim=-1).float()
    board.matrices(
        board.Matrix(
            "brings", of_heads, [f"layer {n}" for n in range(1, len(of_heads) + 1)], board.numbered(of_heads.shape[1]),
            ("layer", "head"), "output", "what each head brings", clickable=True, symbol="brings", made=MADE,
        ),
        key="board_why", chosen=(layer, head), chooses=board.choice(layer="row", head="column", query=len(names), **opens),
        max_width=66, of_screen=0.5, alt=f"What each of {of_heads.numel()} heads brings. {claims.largest(apart, names, said)}",
    )  # fmt: skip


def _words(apart: attribution.Attribution, layer: int, head: int, names: list[str]) -> None:
    """Draw what each word brings, read by all heads, and by the one that is followed."""
    of_words = torch.stack([apart.heads.sum(dim=(0, 1)), apart.heads[layer, head]]).float()
    most = int(of_words[1].abs().argmax())
    board.matrices(
        board.Matrix(
            "by_word", of_words, ["all heads", f"layer {layer + 1}, head {head + 1}"], names, ("read by", "token"), "output",
            "what each word brings, read by heads", symbol="brings", made=MADE,
        ),
        key="board_why_words", chosen=(1, most), max_width=66, of_screen=0.3,
        alt=f"What each word brings, read by all heads and by the one that is followed: most there by {words.quoted(names[most])}.",
    )  # fmt: skip


MADE = words.made(attribution.take_apart, "setup", "word", "instead")


def _way(trace: Trace, by_word: torch.Tensor, layer: int, head: int, names: list[str]) -> str:
    """Return links to this head on the seven pages, at the word by which it brings most, as HTML. None looks ahead there, too, no
    other sentence is asked, and W_o is the stack's."""
    setup, most = trace.setup, int(by_word.abs().argmax())
    sets = {"mask": setup.mask, "memory": "", "seven": "chosen", "layer": layer + 1, "head": head + 1}
    sets |= {"query": len(names), "key": most + 1} | ({} if setup.real else {"out": "d_model"})
    here = escape(write_link(parse_link(run.now().link) | sets))
    steps = (("weights", "α"), ("context", "α · v"), ("heads", "W_o"), ("scores", "the products of q and k"))
    ways = ", ".join(f'<a href="./{path}?{here}" target="_self">{text}</a>' for path, text in steps)
    normed = setup.norm == "pre" and layer == 0 and not setup.real
    but = (
        " There the first layer takes X in without the norm that the stack has before it, so its numbers are others."
        if normed
        else ""
    )
    return (
        f'<p class="ab-way">Open “{escape(names[-1])}” → “{escape(names[most])}” in layer {layer + 1}, head {head + 1}: '
        f"{ways}.{but}</p>"
    )
