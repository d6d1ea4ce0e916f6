"""What only a model has that looks both ways: its words on the page of the next word, which says
what would stand at [MASK]."""

from html import escape
from urllib.parse import urlencode

from core import filling, next_word
from core.attention import softmax
from core.setup import Setup
from core.text import quoted
from pages.shared import board
from pages.shared.frame import show
from pages.shared.link import parse_link
from pages.shared.said import elements, words
from pages.shared.server import run

LEARNED = (
    "In training some words of a sentence were covered, and its row had to say which they were,"
    " from the words on both sides. A model of GPT-2's or Llama's family learned what comes next."
)
NOT_A_SUM = (
    "Why this word? After the last layer each row goes through one more layer with an activation: a"
    " logit here is no sum of what heads bring, so it is not taken apart."
)


def what_to_do(setup: Setup, why: str) -> None:
    """Draw this in place of the page where no word is said: why; and of a model that looks both
    ways, what to do."""
    board.nothing(nothing=why, key="board_next_word", alt=why)
    if not filling.looks_ahead(setup):
        return
    covered = filling.covered(setup) if setup.real is not None and setup.real.fills else None
    if covered is not None:
        sets = {"text": covered.text}
        href = f"?{urlencode(parse_link(run.now().link) | sets)}"
        elements.html(
            f'<p class="ab-way"><a href="{escape(href)}"'
            f' data-sets="{escape(urlencode(sets))}">Cover the last word:'
            f" {escape(quoted(covered.text))}</a></p>"
        )
    elif setup.real is not None and not setup.real.fills:
        elements.markdown(
            "That part is `cls.predictions` in BERT's folders, `lm_head` in RoBERTa's,"
            " `vocab_projector` in DistilBERT's: models made for vectors of sentences leave it out."
            " Take one that has it, such as bert-base-uncased, and write [MASK] for a word."
        )
    elements.markdown(LEARNED)


def formula(setup: Setup, size: int) -> None:
    """Draw how the row at [MASK] becomes shares, and the code that ran."""
    d_model, own = setup.d_model, setup.unembedding == "own"
    u = "U" if own else r"E^\top"
    show.formula_and_code(
        words.lines(
            rf"{words.sized('output', 't', (d_model,))} = "
            r"\mathrm{norm}\big(\mathrm{act}(z_m W_\text{fill} + b_\text{fill})\big)",
            rf"{words.sized('output', 'logits', (size,))} ="
            rf" {words.role('x', 't')}\,{words.sized('x', u, (d_model, size))} + b",
            rf"{words.sized('output', 'p', (size,))} ="
            rf" \mathrm{{softmax}}\big(\tfrac{{logits}}{{{setup.word_temperature:g}}}\big)",
        ),
        filling.row_at,
        filling.dense,
        next_word.logits,
        softmax,
        symbols=(
            "$z_m$ is what the stack hands on at [MASK], $p$ the share of each piece, $b$ a number"
            " of each piece's own. "
        )
        + ("$U$ is a matrix of its own." if own else "$E$ is the embedding table once more."),
    )
