"""What the heads' page says of the way from Z to Y. No Streamlit here."""

from core.setup import Setup


def way_back(setup: Setup) -> str:
    """What goes wrong where concat is cut into heads the wrong way."""
    if setup.heads == 1 or len(setup.tokens) == 1:
        return ""
    return (
        " Heads are rows of their own before they stand side by side: viewing (token, head · d_v) directly as (head, token, d_v) "
        "would mix words with heads."
    )


def specialised(setup: Setup) -> str:
    """How far it holds of the heads on screen that trained heads specialise: the end of that sentence."""
    if setup.projections == "none":
        return "."
    if setup.init == "trained":
        return " in large models; these are trained on a small language, and the pictures above show whether they did."
    return "; these are drawn at random."


def one_line(setup: Setup) -> str:
    """What the formula of all seven steps in one line contains."""
    inside = ["scores"]
    if setup.scale != "none" or setup.temperature != 1:
        inside.append("scaling")
    if setup.mask != "none":
        inside.append("mask")
    inside = f"{', '.join([*inside, 'softmax'])} and mixture".capitalize()
    if setup.projections == "none":
        return f"{inside}: every page so far has taken a part of it."
    each = "inside the brackets, once for each head; side by side; " if setup.heads > 1 else "inside the brackets; "
    after = "through W_o, and b_o added." if setup.bias == "on" else "through W_o."
    many = "multi-head attention" if setup.heads > 1 else "multi-head attention, here with one head"
    return f"{inside} {each}{after} That is what the paper calls {many}, and what every page so far has taken apart."
