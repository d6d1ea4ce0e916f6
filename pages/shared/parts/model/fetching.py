"""A model from the hub, where a reader asks for it: once for all visitors, with how far it is."""

from core import pretrained
from core.pretrained import hub
from pages.shared import panel
from pages.shared.link import read_link
from pages.shared.server import background, run

MB = 1_000_000
_come: dict[str, tuple[int, int]] = {}  # bytes that have come, and of how many, by model


def fetch(name: str) -> bool:
    """Put it where models are looked for. True; raises Unreadable where that cannot be done."""
    hub.download(name, lambda come, of: _come.update({name: (come, of)}))
    read_link.cache_clear()  # links that named a model were read without one
    panel.said.cache_clear()
    return True


def news() -> str:
    """Return how far the model has come that a reader asked for, the first of the host's list where
    the link names none, or why it did not come; nothing where it is here, or nobody asked."""
    here, named = pretrained.names(), run.setup().model
    name = named if named or here else next(iter(hub.list_offered()), "")
    if run.focus().fetch != "on" or not name or name in here:
        return ""
    try:
        if background.ask(fetch, name, again_in=1):
            if name in pretrained.names():
                return ""
            background.forget(fetch, name)  # it was here, and somebody took it away
            background.ask(fetch, name, again_in=1)
        return describe_progress(name)
    except pretrained.Unreadable as why:
        return str(why)


def others() -> dict[str, str]:
    """Return what is known of each model of the host's list that is not here."""
    return {
        name: told(one)
        for name, one in hub.list_offered().items()
        if name not in pretrained.names()
    }


def describe_progress(name: str) -> str:
    """Return how far it is, as a reader reads it."""
    come, of = _come.get(name, (0, 0))
    return (
        f"{name} is being fetched: {come / MB:.0f} of {of / MB:.0f} MB have come."
        if of
        else f"{name} is being asked for."
    )


def told(one: hub.Offered) -> str:
    """Return what is known of a model before it is fetched: its megabytes and its licence, after a
    colon; nothing where nothing is.

    >>> told(hub.KNOWN["distilgpt2"]), told(hub.Offered("owner/name"))
    (': 353 MB, Apache-2.0', '')
    """
    known = [f"{one.megabytes} MB"] * bool(one.megabytes) + [one.licence] * bool(one.licence)
    return f": {', '.join(known)}" if known else ""
