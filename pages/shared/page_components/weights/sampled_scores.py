"""Why √d_k: the argument in three lines, and 2,000 sampled scores with and without the division."""

import torch

from core import Setup
from core.analysis.sampled_scores import Sample
from pages.shared import lecture
from pages.shared.captions import geometry as claims
from pages.shared.captions.weights import drawn_by
from pages.shared.server import computed
from pages.shared.text import elements, words
from pages.shared.text.tables import Columns

KINDS = ("not scaled", "divided by √d_k")
BARS, REACH = 48, 3  # bars, and standard deviations of the unscaled scores on each side


def show(setup: Setup) -> None:
    """Draw the argument beside the measurement; a lecture has no small print."""
    from pages.shared.text import charts

    sample, large = computed.sampled_scores(setup), lecture.is_on()
    with elements.container(key="argument"):
        elements.latex(_argument(sample.d_k))
        elements.markdown(
            "Dividing by c divides a variance by c², hence the root. The second line is true of"
            f" independent products. {claims.variances(sample)}"
        )
        elements.chart(
            _bars(sample),
            charts.histogram(*KINDS, large=large),
            key="drawn_scores",
            alt=_alt(sample),
        )
    if not large:
        elements.caption(
            f"Of drawn words, {drawn_by(setup)}, without positions, mask, temperature, biases and"
            " edits. The outermost bars hold all that lies further out."
        )


def _argument(d_k: int) -> str:
    """Return the variance of a sum of independent products, as LaTeX."""
    product = rf"{words.role('q', 'q_p')}\,{words.role('k', 'k_p')}"
    score = words.role("scores", "ω")
    return words.lines(
        rf"{score} = \sum_{{p=1}}^{{{d_k}}} {product}",
        rf"\mathrm{{Var}}({score}) = {d_k} \cdot \mathrm{{Var}}({product})",
        rf"\mathrm{{Var}}\Big(\frac{{{score}}}{{\sqrt{{{d_k}}}}}\Big) ="
        rf" \frac{{\mathrm{{Var}}({score})}}{{{d_k}}} = "
        rf"\mathrm{{Var}}({product})",
    )


def _bars(sample: Sample) -> Columns:
    """Return a histogram of the scores; the outermost bars include all beyond."""
    reach = REACH * sample.of_score**0.5
    edges = torch.linspace(-reach, reach, BARS + 1, dtype=torch.float64)
    counts = [
        torch.histogram(scores.clamp(-reach, reach), edges).hist.int().tolist()
        for scores in _both(sample)
    ]
    low, high = edges[:-1].tolist(), edges[1:].tolist()
    kinds = [kind for kind in KINDS for _ in low]
    return {"from": low * 2, "to": high * 2, "count": counts[0] + counts[1], "kind": kinds}


def _both(sample: Sample) -> tuple[torch.Tensor, torch.Tensor]:
    return sample.scores, sample.scores / sample.d_k**0.5


def _alt(sample: Sample) -> str:
    raw, divided = (words.number(scores.std().item()) for scores in _both(sample))
    return (
        f"How {len(sample.scores):,} scores are spread: standard deviation {raw} not scaled,"
        f" {divided} divided by √{sample.d_k}."
    )
