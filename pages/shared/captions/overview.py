"""Sentences about the sentence's attention on the overview. No Streamlit here."""

from core import Setup
from core.training.training import Trained
from pages.shared.captions.trained import describe_learning

MEANS = {
    "real": (
        "The matrices here are the model's own. What its heads look at was measured: see **Real"
        " model**."
    ),
    "given": "The matrices here are those that were given.",
}
DRAWN = (
    "The matrices here are drawn at random: *who* looks at whom means nothing yet, but *how* it is"
    " computed is real."
)


def mean_something(setup: Setup, result: Trained | None) -> str:
    """Describe whether the weights are meaningful; `result` is their training, None if
    untrained."""
    if result is None:
        return MEANS.get(setup.init, DRAWN)
    part = "attention" if setup.layer == 1 else "stack"
    return (
        "The matrices here are trained on a small language."
        f" {describe_learning(setup, result, part)}"
    )
