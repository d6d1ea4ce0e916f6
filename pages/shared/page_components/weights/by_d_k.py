"""How scores and weights change as d_k grows: three charts, with and without the division."""

from collections.abc import Sequence

from core import Setup
from pages.shared import lecture
from pages.shared.captions import weights as claims
from pages.shared.page_components.weights.sampled_scores import KINDS
from pages.shared.server import computed
from pages.shared.text import elements
from pages.shared.text.words import short

# Each chart's title, scale, and function of one d_k with a number for each kind.
CURVES = (
    (
        "spread of the scores",
        "log",
        lambda s: (s.standard_deviation, s.standard_deviation / s.d_k**0.5),
    ),
    ("largest weight", "share", lambda s: s.largest_weight),
    ("largest slope", "slope", lambda s: s.slope),
)


def show(setup: Setup) -> None:
    """Draw the three charts and describe them; a lecture has no small print."""
    spreads = computed.spreads(setup)
    if spreads[-1].standard_deviation == 0:
        elements.caption(
            "With these words all scores are equal, so there is no spread to draw. Type a"
            " sentence with different words."
        )
        return
    for column, (title, scale, both) in zip(elements.columns(3), CURVES, strict=True):
        with column:
            _curve(title, scale, setup.d_k, [s.d_k for s in spreads], [both(s) for s in spreads])
    said = f"{claims.explain_growth(spreads)} {claims.slopes(spreads)}"
    if lecture.is_on():
        elements.markdown(said)
        return
    elements.caption(
        "For d_k from 1 to 512: the spread of all scores; then, as means over the rows, a row's"
        f" largest weight and its largest slope w(1 − w). Your words, {claims.drawn_by(setup)},"
        f" without mask, temperature, biases and edits. {said}"
    )


def _curve(
    title: str, scale: str, d_k: int, sizes: Sequence[int], values: Sequence[tuple[float, float]]
) -> None:
    """Draw one chart over d_k: a line for each kind, and a vertical one at this setup's d_k."""
    from pages.shared.text import charts

    (first, first_scaled), (largest, largest_scaled) = values[0], values[-1]
    elements.chart(
        {
            "d_k": list(sizes) * len(KINDS),
            "kind": [kind for kind in KINDS for _ in sizes],
            "value": [both[k] for k in range(len(KINDS)) for both in values],
            "mine": [d_k] * len(KINDS) * len(sizes),
        },
        charts.make_d_k_chart(title, scale, large=lecture.is_on()),
        key=f"spread_{scale}",
        alt=(
            f"The {title} over d_k from 1 to 512. Not scaled it goes from {short(first)} to"
            f" {short(largest)}, divided by √d_k from {short(first_scaled)} to"
            f" {short(largest_scaled)}. A line stands at your d_k, {d_k}."
        ),
    )
