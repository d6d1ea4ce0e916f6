"""The link of the page Real model, which reads it with a model. No Streamlit here."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from core import Setup, pretrained
from core.pretrained.folders import match
from pages.shared.link import parse_link, read_link, write_link

OF_OTHER_WEIGHTS = ("edits", "labelled")


def select_model(link: str) -> str:
    """Return the link with a model's weights: of the model that was fetched for it, or its own, or
    the first. Its words are found again among the model's pieces; with none selected, a causal
    model's query is the later one. Unchanged if it has a model, or there is none."""
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
    setup = read_link(write_link(selected)).setup
    pieces = _list_pieces(setup)
    words = (view.focus.query, view.focus.key)
    if setup.is_causal and not {"query", "key"} & parameters.keys():
        words = (max(words), min(words))  # a query sees no later key
    places = {
        field: str(find_place(view.setup.tokens, word, pieces))
        for field, word in zip(("query", "key"), words, strict=True)
    }
    return write_link({field: value for field, value in (selected | places).items() if value})


def find_place(words: Sequence[str], place: int, pieces: Sequence[str]) -> int:
    """Return the place of a word among a model's pieces, both from 1: of the piece that is this
    word, or else of the one that its letters begin in. `first` pieces stand before the sentence.

    >>> find_place("the cat the mat".split(), 3, ["", *"the cat the mat".split()])
    4
    >>> find_place(["the", "unbelievable", "cat"], 2, ["the", " un", "believ", "able", " cat"])
    2
    """
    own, spoken = ([each.strip().lower() for each in some] for some in (words, pieces))
    place = min(place, len(own))
    found = [k for k, piece in enumerate(spoken, start=1) if piece == own[place - 1]]
    before = own[: place - 1]
    if (same := before.count(own[place - 1])) < len(found):
        return found[same]
    ends = list(accumulate(map(_count_letters, spoken)))
    return min(bisect_right(ends, sum(map(_count_letters, before))) + 1, len(pieces))


def _list_pieces(setup: Setup) -> list[str]:
    """Return a model's pieces of a sentence, "" for special ones such as [CLS]."""
    special = setup.real.tokenizer.find_special(setup.token_ids) if setup.real else []
    return ["" if k in special else piece for k, piece in enumerate(setup.tokens)]


def _count_letters(text: str) -> int:
    return sum(map(str.isalnum, text))
