"""The link of the page Real model, which reads it with a model. No Streamlit here."""

from collections.abc import Sequence

from core import pretrained
from core.pretrained.folders import match
from pages.shared.link import parse_link, read_link, write_link

OF_OTHER_WEIGHTS = ("edits", "labelled")


def select_model(link: str) -> str:
    """Return the link with a model's weights: of the model that was fetched for it, or its own, or
    the first. Its words are found again among the model's pieces. Unchanged if it has a model, or
    there is none."""
    view, parameters = read_link(link), parse_link(link)
    fetched = match(view.focus.fetch, pretrained.names()) if view.focus.fetch else None
    name = fetched or view.setup.model
    if pretrained.explain_refusal(name):
        name = ""  # while it is fetched, another one is shown
        if not view.focus.fetch or pretrained.explain_refusal():
            return link
    if view.setup.real and view.setup.model == name:
        return link
    kept = {
        field: value
        for field, value in parameters.items()
        if view.setup.real or field not in OF_OTHER_WEIGHTS
    }
    selected = kept | {"init": "real", "model": name}
    pieces = read_link(write_link(selected)).setup.tokens
    places = {
        field: str(find_place(view.setup.tokens, getattr(view.focus, field), pieces))
        for field in ("query", "key")
    }
    return write_link({field: value for field, value in (selected | places).items() if value})


def find_place(words: Sequence[str], place: int, pieces: Sequence[str]) -> int:
    """Return the place of a word among a model's pieces, both from 1; its own place if it is in
    several pieces.

    >>> find_place("the cat the mat".split(), 3, "[CLS] the cat the mat [SEP]".split())
    4
    >>> find_place(["the", "unbelievable"], 2, [" the", " un", "believable"])
    2
    """
    own, spoken = ([each.strip().lower() for each in some] for some in (words, pieces))
    place = min(place, len(own))
    word = own[place - 1]
    found = [k for k, piece in enumerate(spoken, start=1) if piece == word]
    before = own[: place - 1].count(word)
    return found[before] if before < len(found) else min(place, len(pieces))
