"""What the overview says of the sentence's attention. No Streamlit here."""

from torch import Tensor

from core.setup import Setup
from core.training import Trained
from core.written import count
from pages.shared.said.claims.trained import attention_learned, stack_learned


def sure(weights: Tensor, masked: Tensor) -> int:
    """Count the rows that give nearly all to one key though they may attend to more; `weights`,
    `masked` are (query, key)."""
    had_a_choice = masked.isfinite().sum(dim=-1) > 1
    return int(((weights.amax(dim=-1) > 0.99) & had_a_choice).sum())


def mean_something(setup: Setup, result: Trained | None) -> str:
    """Return whether who looks at whom means anything; `result` is the training behind it, None
    where there was none."""
    if setup.learns_words and result is not None:
        return attention_learned(setup, result)
    if result is not None and setup.layer > 1:
        return (
            f"The matrices here are those of layer {setup.layer} of a trained stack."
            f" {stack_learned(setup, result)}"
        )
    if result is not None:
        return (
            f"The matrices here are trained on a small language. {attention_learned(setup, result)}"
        )
    if setup.real:
        return (
            f"The matrices here are those of {setup.real.name}. What its heads look at was"
            " measured: see **Real model**."
        )
    if setup.numbers is not None:
        return "The matrices here are those that were given."
    return (
        "The matrices here are drawn at random: *who* looks at whom means nothing yet, but *how* it"
        " is computed is real."
    )


def far_apart(setup: Setup, sure: int) -> str:
    """Say why many words give nearly all to one with weights between 0 and 1: `sure` words do."""
    if sure < 2 or setup.projections == "none" or setup.init != "uniform":
        return ""
    return (
        f"Their scores lie far apart, here those of {sure} of {len(setup.tokens)} words. The page"
        " **Weights** says why."
    )


def who_is_asked(setup: Setup) -> str:
    """Say whom each word asks, under the setup's mask."""
    if setup.memory:
        return "all words of the sentence that is asked"
    if setup.mask == "none":
        return "all words, itself included,"
    asked = (
        "itself and the words before it" if setup.is_causal else "itself and the words around it"
    )
    return f"{asked}, up to {count(setup.window, 'place')} away," if setup.has_window else asked
