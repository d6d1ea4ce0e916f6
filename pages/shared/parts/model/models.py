"""The models here, in a table: one click chooses another, or fetches one that is not here."""

from collections.abc import Callable
from html import escape

from core import pretrained
from core.pretrained import summary
from core.pretrained.summary import Summary
from pages.shared.parts.model import fetching
from pages.shared.said import elements
from pages.shared.server import background

LinkTo = Callable[..., str]  # a title, and fields of the link: HTML
FAMILIES = {
    "bert": "BERT",
    "roberta": "RoBERTa",
    "distilbert": "DistilBERT",
    "electra": "ELECTRA",
    "gpt2": "GPT-2",
}
HEADINGS = ("Model", "Family", "Heads", "Size", "Predicts")


def draw(current: str, link_to: LinkTo) -> None:
    """Draw each model here, the current one marked; of one that cannot be read, why."""
    if not (names := pretrained.names()):
        return
    listed = background.ask(_summarize, summary.list_files())
    rows = "".join(_row(one, one.name == current, link_to) for one in listed or map(Summary, names))
    head = "".join(f"<th>{each}</th>" for each in HEADINGS)
    elements.html(
        f'<table class="ab-models"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


def draw_offers(link_to: LinkTo) -> None:
    """Offer the models on the host's list that are not here; of one on its way, its progress."""
    offered = [
        escape(fetching.describe_progress(name).rstrip("."))
        or f"{link_to(f'Fetch {name}', fetch=name, attempt=fetching.next_attempt(name))}"
        f"{escape(told)}"
        for name, told in fetching.offers().items()
    ]
    if offered:
        elements.html(f'<p class="ab-way">{"; ".join(offered)}.</p>')


def write_size(size: int) -> str:
    """Return a number of bytes as megabytes, or gigabytes from a thousand on.

    >>> write_size(90_868_376), write_size(1_503_300_328)
    ('90.9 MB', '1.5 GB')
    """
    megabytes = size / fetching.MB
    return f"{megabytes / 1000:.1f} GB" if megabytes >= 1000 else f"{megabytes:.1f} MB"


def _row(one: Summary, is_current: bool, link_to: LinkTo) -> str:
    if one.refused:
        return f'<tr><td>{escape(one.name)}</td><td colspan="4">{escape(one.refused)}</td></tr>'
    sizes = (
        (
            FAMILIES.get(one.family, one.family.capitalize()),
            f"{one.layers} layers × {one.heads} heads",
            write_size(one.size),
            one.predicts,
        )
        if one.family
        else ("", "", "", "is being read")
    )
    cells = "".join(f"<td>{escape(each)}</td>" for each in sizes)
    name = link_to(one.name, model=one.name, layer=None, head=None)
    marked = ' aria-current="true"' if is_current else ""
    return f"<tr{marked}><td>{name}</td>{cells}</tr>"


def _summarize(_: summary.Files) -> tuple[Summary, ...]:
    return summary.summarize_all()
