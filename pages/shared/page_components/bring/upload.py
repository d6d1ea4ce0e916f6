"""The user's text or files, and the links that open their numbers in the pages."""

import codecs
import html
from dataclasses import dataclass

from core import Setup
from core.fields import files
from core.importing import archives
from core.importing.matrices import MAX_BYTES
from core.setup import setup as core_setup
from pages.shared import panel
from pages.shared.layout import show
from pages.shared.layout.upload import uploads
from pages.shared.link import as_parameter, write_link
from pages.shared.link.pasted_text import MAX_LETTERS
from pages.shared.page_components.bring import shelf, solutions
from pages.shared.page_components.bring.matrix_list import FEWEST_LINES
from pages.shared.page_components.bring.result import text_of
from pages.shared.server import run

TYPES = ("txt", "csv", "tsv", "md", "tex", "py", "m", "r", "json")
HINT = "please → [1, 0]\nstudy → [0, 2]\nW_q = [[1, 0], [0, 1]]\nW_k = …\n\nalpha = [[0.4, 0.6], …]"
LAYERS = ("npz", "safetensors", "pt", "pth")
TOO_LONG = "pasted.txt"  # the name in drop.js of a text too long for a link


@dataclass(frozen=True)
class Upload:
    """The current text, the text files by name, and a layer's file if there is one."""

    text: str
    files: tuple[tuple[str, str], ...] = ()
    layer: tuple[str, bytes] | None = None

    @property
    def is_edited(self) -> bool:
        """Return whether the text is editable, not from a file."""
        return self.text == run.focus().pasted


def edit_text() -> None:
    """Draw the text field."""
    panel.control("pasted", rows=FEWEST_LINES, hint=HINT)


def bring() -> Upload:
    """Draw the upload and return its files."""
    shelf.try_one("Try an example with a slip in it")
    given = uploads(
        "Or drop a file anywhere: a text, a layer, several solutions",
        "pasted_files",
        (*TYPES, *LAYERS),
        archives.MAX_BYTES,
    )
    layers = [(name, content) for name, content in given if name.lower().endswith(LAYERS)]
    layer = layers[-1] if layers else None
    texts = []
    for name, content in given:
        if name.lower().endswith(LAYERS):
            continue
        text = decode(content)
        if len(content) > MAX_BYTES:
            show.plain(f"{name} is larger than {MAX_BYTES // 1000} kB, and is not read.")
        elif "\0" in text:
            show.plain(f"{name} is no text in UTF-8: save it as UTF-8.")
        else:
            texts.append((name, text.replace("\r\n", "\n")))
    pasted = run.focus().pasted
    long = [text for name, text in texts if name == TOO_LONG]  # all versions of it
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
        return Upload(alone[1], tuple(texts), layer)
    if pasted and not text_of(pasted):
        show.plain("This text is kept here no longer: paste it again, or give its file.")
    return Upload(text_of(pasted), tuple(texts), layer)


def decode(content: bytes) -> str:
    """Return a file's text: UTF-8, or UTF-16 where its first bytes say so."""
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if is_utf16 else "utf-8-sig", errors="replace")


def link_to_page(setup: Setup, path: str, said: str, text: str, **looked_at: int) -> str:
    """Return a link to a page with these numbers, as HTML; a text too long for a link is stored
    under a name."""
    pasted = text if len(text) <= MAX_LETTERS else files.keep(text)
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
