"""What the overview says of the sentence's attention. No Streamlit here."""

from torch import Tensor

from core.setup import Setup


def sure(weights: Tensor, masked: Tensor) -> int:
    """How many rows give nearly all to one key though they may attend to more; `weights`, `masked` are (query, key)."""
    had_a_choice = masked.isfinite().sum(dim=-1) > 1
    return int(((weights.amax(dim=-1) > 0.99) & had_a_choice).sum())


def heads_and_output(setup: Setup) -> str:
    """The last step in a few words."""
    if setup.projections == "none":
        return "One head, no W_o."
    return "One head, and W_o." if setup.heads == 1 else f"{setup.heads} side by side. W_o mixes the heads."
