"""What is pasted at the left, and what was read of it at the right: small boards, where they stand,
and what is still open."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from core import files
from core import setup as core_setup
from core.importing import archives
from core.importing.names import SYMBOLS
from core.importing.nested import flat
from core.importing.parsing import Found
from core.setup import Setup
from core.text import labels
from pages.shared import board, panel
from pages.shared.frame import show
from pages.shared.frame.upload import uploads
from pages.shared.link import as_parameter, write_link
from pages.shared.link.brought import MOST_LETTERS
from pages.shared.parts.bring import shelf, solutions
from pages.shared.parts.bring.looked import ANSWERS, MOST_BYTES, Looked, text_of, written
from pages.shared.said import roles, words
from pages.shared.server import run

TYPES = ("txt", "csv", "tsv", "md", "tex", "py", "m", "r", "json")
HINT = "please → [1, 0]\nstudy → [0, 2]\nW_q = [[1, 0], [0, 1]]\nW_k = …\n\nalpha = [[0.4, 0.6], …]"
LAYERS = ("npz", "safetensors", "pt", "pth")
TOO_LONG = "pasted.txt"  # what bringing.js calls a text that is too long for a link
LARGEST_SIDE = 32  # of a matrix that is drawn
ROWS, COLUMNS = {"token": "token", "key": "token", "memory": "token"}, {"key": "token"}


@dataclass(frozen=True)
class Brought:
    """The text in force; the files of text by name; and the file of a layer with its name, where
    there is one."""

    text: str
    files: tuple[tuple[str, str], ...] = ()
    layer: tuple[str, bytes] | None = None


def bring() -> Brought:
    """Draw where a text is pasted and files are given, and return what is there."""
    panel.control("pasted", rows=15, hint=HINT)
    shelf.try_one("Try an example with a slip in it")
    given = uploads(
        "Or drop a file anywhere: a text, a layer, several solutions",
        "pasted_files",
        (*TYPES, *LAYERS),
        archives.MOST_BYTES,
    )
    layers = [(name, content) for name, content in given if name.lower().endswith(LAYERS)]
    layer = layers[-1] if layers else None
    texts = []
    for name, content in given:
        if name.lower().endswith(LAYERS):
            continue
        if len(content) > MOST_BYTES:
            show.plain(f"{name} is larger than 200 kB, and is not read.")
        else:
            texts.append(
                (name, content.decode("utf-8-sig", errors="replace").replace("\r\n", "\n"))
            )
    pasted = run.focus().pasted
    long = [text for name, text in texts if name == TOO_LONG]  # each as it stood then
    texts = [(name, text) for name, text in texts if name != TOO_LONG]
    alone = (
        texts[0]
        if len(texts) == 1 and not solutions.read(texts)
        else (TOO_LONG, long[-1])
        if long and not pasted
        else None
    )
    if alone:
        show.plain(f"{alone[0]} is read.")
        return Brought(alone[1], tuple(texts), layer)
    if pasted and not text_of(pasted):
        show.plain("This text is kept here no longer: paste it again, or give its file.")
    return Brought(text_of(pasted), tuple(texts), layer)


# ---------- what was read ----------


def what_was_read(looked: Looked) -> None:
    """Say what was left out; then draw the matrices that are given as small boards, each with why
    it was taken for that, what is open, and messages."""
    if looked.reading.left_out:
        show.plain("\n".join(looked.reading.left_out))
    found = {name: looked.reading.matrices[name] for name in looked.given}
    found |= {
        f"line {one.line}": Found("", one.shape, one.numbers, one.line, "what is this?")
        for one in looked.reading.entries
        if len(one.shape) == 2 and all(map(all, one.numbers))
    }
    drawn = {
        name: one
        for name, one in found.items()
        if all(size <= LARGEST_SIDE for size in one.shape) and "" not in flat(one.numbers)
    }
    if drawn:
        matrices = [
            matrix
            for name, one in drawn.items()
            for matrix in _matrices(name, one, looked.reading.tokens)
        ]
        board.matrices(
            *matrices,
            key="board_read",
            across=4,
            main=0,
            chooses=board.choice(),
            min_width=22,
            max_width=44,
            max_height=20,
            alt="What was read: "
            + "; ".join(
                f"{SYMBOLS.get(name, name)}, {words.times(one.shape)}"
                for name, one in drawn.items()
            )
            + ".",
        )
    large = {
        name: f", {words.times(one.shape)}, too large to be drawn here"
        for name, one in found.items()
        if name not in drawn
    }
    whys = [
        f"{SYMBOLS.get(name, name)}{large.get(name, '')}: {one.why.partition('; a word')[0]}."
        for name, one in found.items()
        if one.name
    ]
    if whys:
        show.plain("\n".join(whys))
    for question in looked.questions:
        if not question.answers:
            show.plain(question.says)
            continue
        sets = {
            _called(question.name, answer): {
                "answers": written({**looked.reading.answers, question.name: answer})
            }
            for answer in question.answers
        }
        current = looked.answer(question)
        guess = f" Most likely {_called(question.name, question.guess)}." if question.guess else ""
        label = html.escape(
            question.says + guess if current is None else SAID.get(question.name, question.says)
        )
        panel.tabs(label, sets, _called(question.name, current or ""), visible=True)
    messages = dict.fromkeys((*looked.reading.messages, *looked.told))
    if left := [message for message in messages if message not in looked.reading.left_out]:
        show.plain("\n".join(left))


def _called(question: str, answer: str) -> str:
    return "nothing" if (question, answer) == ("scale", "none") else ANSWERS.get(answer, answer)


SAID = {"orientation": "Which way do they lie?", "heads": "Heads side by side"}


def _matrices(name: str, found: Found, tokens: Sequence[str]) -> list[board.Matrix]:
    """Return a found matrix as a board has it, one for each head; a vector is one row."""
    value = torch.tensor(_numbers(found.numbers))
    value = value[None] if value.ndim == 1 else value
    lead = value if value.ndim == 3 else value[None]
    title = SYMBOLS.get(name, name)
    rows = lead.shape[1]
    of_words = name in ("x", "q", "k", "v", "mask") and len(tokens) == rows
    names = list(labels(tuple(tokens))) if of_words else board.numbered(rows)
    axes = ("token" if of_words else "row", "column")
    return [
        board.Matrix(
            f"{name}.{head}",
            part,
            names,
            board.numbered(part.shape[1]),
            axes,
            roles.of(name),
            f"{title}, head {head}" if len(lead) > 1 else title,
            symbol=title,
            whole=name == "mask",
            scale="plain" if name == "mask" else "diverging",
        )
        for head, part in enumerate(lead, start=1)
    ]


def _numbers(kept: Sequence) -> list:
    return [_numbers(part) if isinstance(part, tuple | list) else float(part) for part in kept]


# ---------- on ----------


def to_the_pages(setup: Setup, path: str, said: str, text: str, **looked_at: int) -> str:
    """Return a link to a page with these numbers, as HTML; a text that is too long for a link is
    named there."""
    pasted = text if len(text) <= MOST_LETTERS else files.keep(text)
    fields = (
        {name: as_parameter(getattr(setup, name)) for name in core_setup.DEFAULTS}
        | {"pasted": pasted}
        | looked_at
    )
    sets, usual = fields, core_setup.DEFAULTS
    href = write_link(
        {
            name: value
            for name, value in fields.items()
            if value != as_parameter(usual.get(name, ""))
        }
    )
    return (
        f'<a href="./{path}?{html.escape(href)}"'
        f' data-sets="{html.escape(write_link(sets))}">{html.escape(said)}</a>'
    )
