"""Share: links to copy or scan, and files to download."""

import ipaddress
import json
from functools import partial
from html import escape
from urllib.parse import urlsplit

import segno
import streamlit as st

from core import Setup, pretrained
from core.fields.files import REFERENCE
from core.forward import next_word
from core.pretrained import summary
from core.setup.presets import CAPITAL, WARMED
from pages.shared.link import beats, parse_link, read_link, write_link
from pages.shared.server import run
from pages.shared.share import worksheet
from pages.shared.share.files import FILES, File
from pages.shared.text import elements
from pages.shared.web.scripts import script, style

WHY = "For a class, from a word to one product"
_links = elements.component(
    "attention_links",
    js=script("web/share/share"),
    css=style("web/share/share"),
)


def find_root(address: str, path: str) -> str:
    """Return the address of the app, without the page's path and without a slash at the end.

    >>> find_root("https://example.org", ""), find_root("https://example.org/app/scores", "scores")
    ('https://example.org', 'https://example.org/app')
    """
    return address.removesuffix(path).rstrip("/")


def links(root: str, path: str, parameters: dict[str, str], room: str = "") -> dict[str, str]:
    """Return the links to share for the page at this path below the app's root: this view, lecture
    windows, worksheet. In a class (`room`) its link is first, and the windows belong to it."""
    plain = {
        name: value
        for name, value in parameters.items()
        if name not in ("lecture", "notes", "beat", "route")
    }
    this, of_class = {"This view": parameters}, {"room": room} if room else {}
    story = f"For a class, the story in {len(beats.STORY)} beats"
    views = {
        "For a class, beat by beat": plain | {"lecture": "on"} | of_class,
        story: plain | {"lecture": "on", "route": "story"} | of_class,
        WHY: (
            _resolve_setup_for_why(plain)
            | {"lecture": "on", "route": "why", "beat": beats.WHY[0][1]}
            | of_class
        ),
        "The speaker's notes to it": plain | {"notes": "on"} | of_class,
    }
    at = {WHY: beats.WHY[0][0]}  # the same for every page
    if worksheet.section_of(path):
        views["A worksheet, to print"] = plain | {"sheet": "on"}
    views = views | this if room else this | views
    own = {"This class": f"{root}/?{write_link(of_class)}"} if room else {}
    return own | {
        name: f"{root}/{at.get(name, path)}" + (f"?{write_link(view)}" if view else "")
        for name, view in views.items()
    }


def _resolve_setup_for_why(plain: dict[str, str]) -> dict[str, str]:
    """Return a setup for the route "why": this one if it predicts the next word, or else a
    pretrained or trained one. The route selects the head."""
    setup = read_link(write_link(plain)).setup
    if not next_word.explain_refusal(setup) and (setup.real or setup.learns_words):
        return {
            name: value
            for name, value in plain.items()
            if name not in ("layer", "head", "query", "key", "seven")
        }
    for name in pretrained.names():
        if summary.summarize(name).predicts == summary.NEXT:
            return CAPITAL | {"model": name, "instead": "London"}
    return WARMED | {"instead": "soup"}


def group_of(name: str) -> str:
    """Return the heading of this link."""
    return "Link" if name == "This view" else "Class"


def code(link: str) -> str | None:
    """Return a QR code as an SVG path in units of one module, None if the link is too long."""
    try:
        qr = segno.make_qr(link, error="l", boost_error=False)
    except segno.DataOverflowError:
        return None
    rows = enumerate(qr.matrix)
    return "".join(f"M{x} {y}h1v1h-1z" for y, row in rows for x, dark in enumerate(row) if dark)


def only_near(address: str) -> str:
    """Return a warning for an address that only this machine or network can open, or else "".

    >>> only_near("http://localhost:8501/")
    'This address is of this machine only: on another device neither link nor code opens.'
    >>> only_near("https://attention.example/")
    ''
    """
    host = urlsplit(address).hostname or ""
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        here, near = (
            host == "localhost" or host.endswith(".localhost"),
            host.endswith(".local") or (host != "" and "." not in host),
        )
    else:
        here, near = (
            number.is_loopback or number.is_unspecified,
            number.is_private or number.is_link_local,
        )
    if here:
        return (
            "This address is of this machine only: on another device neither link nor code opens."
        )
    return (
        "This address is of this network only: elsewhere neither link nor code opens."
        if near
        else ""
    )


def show(path: str) -> None:
    """Draw links and files above the page if the link has `share=on`."""
    if run.focus().share == "on":
        with elements.container(border=True, key="sharing"):
            _show(path)


def _show(path: str) -> None:
    """Draw the page's links with copy buttons, the chosen link's QR code, and the files."""
    shown = run.now()
    root = find_root(st.context.url or "", path)
    parameters = {
        name: value
        for name, value in parse_link(shown.link).items()
        if name not in ("share", *shown.view.foreign)
    }
    drawn = [
        {"name": name, "link": link, "code": code(link), "group": group_of(name)}
        for name, link in links(root, path, parameters, run.room()).items()
    ]
    elements.html(
        f'<h2>Share</h2><a class="ab-stop" href="?{escape(write_link(parameters))}"'
        ' data-sets="share=off">Close</a>'
    )
    _links(key="links", data=json.dumps({"links": drawn, "note": only_near(root)}).encode())
    with elements.container(border=True, key="files"):
        _take_home(shown.view.setup, f"{root}/")


def _take_home(setup: Setup, address: str) -> None:
    """Draw a download button for each file; `address` is the app's root."""
    st.markdown("#### Files")
    st.caption(
        "The seven steps, masks, block, encoder, next word and classifier with the numbers of this"
        " setup. Notebook and script derive them in plain PyTorch and need nothing of this"
        " explorer; each step is held against its page, and links back to it. Matrices that are not"
        " drawn come in a file beside them. NumPy's file holds every tensor by its name: scores,"
        " batch.scores, layer2.scores, classifier.logits …"
        + (
            " Stack and classifier are trained first where no page has done so: that takes seconds."
            if setup.init == "trained"
            else ""
        )
    )
    if REFERENCE.fullmatch(setup.given):
        st.caption(
            "These numbers are longer than a link: it only names them, and this server keeps them"
            " for a while. Hand on NumPy's file with it; **Bring your own** opens that again."
        )
    failed = run.get_failed_files()
    with st.container(horizontal=True):
        for file in (each.of(setup) for each in FILES):
            made = partial(_made, file, setup, address, failed)
            key = f"take {file.label}"
            st.download_button(file.label, made, file.name, file.mime, key=key, on_click="ignore")
    for label, why in failed.items():
        st.warning(f"{label} could not be made: {why}")
    # Streamlit says that a file failed, not why: the script then presses this hidden button.
    st.button("Say why", key="say_why")


def _made(file: File, setup: Setup, address: str, failed: dict[str, str]) -> bytes:
    """Make a requested file in its own thread, without blocking pages. If it fails, note why in
    `failed`, by label."""
    run.one_thread_for_torch()
    failed.pop(file.label, None)
    try:
        return file.make(setup, address)
    except Exception as error:
        failed[file.label] = explain_failure(error)
        raise


def explain_failure(error: Exception) -> str:
    """Return why a file could not be made, without a path or a trace.

    >>> explain_failure(RuntimeError("DefaultCPUAllocator: can't allocate memory"))
    'this server has too little memory for it at the moment.'
    """
    if isinstance(error, pretrained.Unreadable):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.strerror or 'a file could not be read'}."
    if isinstance(error, MemoryError) or "allocate memory" in str(error):
        return "this server has too little memory for it at the moment."
    return "the fault is the explorer’s; the server’s log has it."
