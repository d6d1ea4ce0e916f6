"""Downloading a model from the hub at a user's request, once for all visitors, with its
progress."""

from core import pretrained
from core.pretrained import hub
from pages.shared import panel
from pages.shared.link import read_link
from pages.shared.server import background, run

MB = 1_000_000
_come: dict[str, tuple[int, int]] = {}  # bytes received, and all bytes, by model


def fetch(name: str) -> bool:
    """Download the model and return True. Raises Unreadable if that fails."""
    hub.download(name, lambda come, of: _come.update({name: (come, of)}))
    read_link.cache_clear()  # clear the caches of links read without the model
    panel.said.cache_clear()
    return True


def news() -> str:
    """Return the progress of the requested model (by default the first on the host's list) or its
    error, "" if it is available or not requested."""
    here, named = pretrained.names(), run.setup().model
    name = named if named or here else next(iter(hub.list_offered()), "")
    if run.focus().fetch != "on" or not name or name in here:
        return ""
    try:
        if background.ask(fetch, name, again_in=1):
            if name in pretrained.names():
                return ""
            background.forget(fetch, name)  # it was removed from the server
            background.ask(fetch, name, again_in=1)
        return describe_progress(name)
    except pretrained.Unreadable as why:
        return str(why)


def others() -> dict[str, str]:
    """Return a description of each model on the host's list that is not downloaded."""
    return {
        name: told(one)
        for name, one in hub.list_offered().items()
        if name not in pretrained.names()
    }


def describe_progress(name: str) -> str:
    """Describe the progress of the download."""
    come, of = _come.get(name, (0, 0))
    return (
        f"{name} is being fetched: {come / MB:.0f} of {of / MB:.0f} MB have come."
        if of
        else f"{name} is being asked for."
    )


def told(one: hub.Offered) -> str:
    """Return a model's size in megabytes and its licence after a colon, "" if unknown.

    >>> told(hub.KNOWN["distilgpt2"]), told(hub.Offered("owner/name"))
    (': 353 MB, Apache-2.0', '')
    """
    known = [f"{one.megabytes} MB"] * bool(one.megabytes) + [one.licence] * bool(one.licence)
    return f": {', '.join(known)}" if known else ""
