"""Induction heads of a pretrained model: those that continue a repeated sequence, as in
Training."""

from core import Setup
from core.analysis import model_induction as induction
from core.analysis.induction import thresholds
from pages.shared import board
from pages.shared.board import entries
from pages.shared.captions import induction as claims
from pages.shared.layout import show
from pages.shared.server import background
from pages.shared.text import elements, words

TITLES = ("mean α on the place before", "mean α on the place after the last time")
MADE = words.made(induction.measure_model, "setup", "without")
EXPLAINED = (
    "A head that gives much to the place before lets each piece know what stood before it. A head"
    " above it can then look for the place that had the present piece before it: what stands there"
    " comes next. **Training** grows such a pair from nothing."
)


def draw(setup: Setup, chosen: tuple[int, int]) -> None:
    """Draw both scores of every head beside their baseline, and the accuracy without induction
    heads."""
    alone = Setup(text="a", init="real", model=setup.model)
    found = background.ask(induction.off_together, alone)
    if found is None:
        show.plain("Rows of random pieces are being read.")
        return
    whole = found[0]
    least = thresholds(induction.rows_of_pieces(alone))
    finding = induction.select_heads(whole, least)
    show.plain(claims.describe_model(setup.real.name, found, len(finding), induction.OF_PIECES))
    elements.markdown(f"{EXPLAINED}\n\n" + "\n\n".join(claims.names(whole, least)))
    board.matrices(
        *(
            entries.by_head(
                f"job{k}",
                score,
                TITLES[k],
                "weights",
                "head",
                symbol="α",
                clickable=True,
                marks=(score >= least[k]).T,
                marked="enough for the name",
                made=MADE,
                **entries.SHARES,
            )
            for k, score in enumerate(whole.scores)
        ),
        key="board_repeated",
        stacked=True,
        linked="values",
        chosen=(chosen[1], chosen[0]),
        max_width=44,
        of_screen=0.6,
        chooses=board.choice(layer="column", head="row", init="real"),
        alt=" ".join(claims.names(whole, least)).replace("**", ""),
    )
