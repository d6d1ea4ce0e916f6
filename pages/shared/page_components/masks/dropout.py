"""Dropout: a head's weights in use, and in one training step."""

from core import Setup
from core.export.code_listing import source
from core.ops import attention
from core.training.init import dropout_mask
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import masks as claims
from pages.shared.layout import show
from pages.shared.link.focus import Focus
from pages.shared.server import computed
from pages.shared.text import elements

EXAMPLE_RATE = 0.5  # if the setup's is 0


def draw(setup: Setup, sentence: int, focus: Focus) -> None:
    """Draw one sentence's weights (from 1) with and without dropout, and describe the row sums."""
    batch, head = computed.batch_weighed(setup), focus.head - 1
    study, rate = batch.sentence(sentence - 1), setup.dropout or EXAMPLE_RATE
    if setup.dropout == 0:
        many, longest = batch.is_word.shape
        kept = dropout_mask(setup, many, setup.heads, longest, longest, rate=rate)[
            sentence - 1, head
        ]
        study = study.at({"head": head}, "weights")
        study = study.also(
            "dropped", "query key", attention.dropout, "weights", dropout_mask=kept, rate=rate
        )
    used, dropped = (study[name].matrix({"head": head})[0] for name in ("weights", "dropped"))
    sums = attention.row_sums(dropped)
    with show.beside("dropout"):
        board.matrices(
            entries.matrix(study, "weights", head, "α, as used", sums=True),
            entries.matrix(study, "dropped", head, f"α, dropout {rate:g}", sums=True),
            key="board_dropout",
            across=2,
            linked="values",
            main=1,
            chosen=(focus.query - 1, focus.key - 1),
            max_width=52,
            of_screen=0.44,
            alt=(
                f"Weights of sentence {sentence} without and with dropout. Row sums with dropout"
                f" lie between {sums.min():.2f} and {sums.max():.2f}."
            ),
        )
        with elements.container(key="struck_out"):
            elements.markdown(claims.dropout(used, dropped, rate, example=setup.dropout == 0))
            if not lecture.is_on():
                elements.code(source(attention.dropout))
