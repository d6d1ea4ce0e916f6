"""What the heads' page says of the way from Z to Y. No Streamlit here."""

from dataclasses import replace

from core.agreement import largest_difference
from core.setup import Setup
from core.trace import Trace
from core.written import number


def way_back(setup: Setup) -> str:
    """What goes wrong where concat is cut into heads the wrong way."""
    if setup.heads == 1 or len(setup.tokens) == 1:
        return ""
    return (
        " First each row is cut into heads, then the axes change places. To read the same numbers directly as (head, token, d_v) "
        "would mix words with heads: each row would be filled with the next numbers, whosever they are."
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


def one_head_fewer(setup: Setup) -> Setup | None:
    """The same setup with one head fewer; None where there is none, or where that would change every head."""
    if setup.heads == 1 or setup.sizes == "narrow" or setup.init == "trained":
        return None
    return replace(setup, heads=setup.heads - 1)


def what_a_head_changes(trace: Trace, fewer: Trace | None) -> str:
    """What one head more leaves as it was, and what it changes; `fewer` is the trace of `one_head_fewer`. Nothing for one head."""
    setup = trace.setup
    h = setup.heads
    if h == 1:
        return ""
    if setup.init == "trained":
        return "Heads are trained together: with another number of heads training begins anew, and **every head changes**."
    if fewer is None:
        return (
            f"Narrow heads share d_model = {setup.d_model} out among themselves: with another number of them each has another "
            "size, and **every head changes**. With free or wide sizes the earlier heads stay."
        )
    earlier = {2: "head 1", 3: "heads 1 and 2"}.get(h, f"heads 1 to {h - 1}")
    apart = max(largest_difference(trace.value(name)[: h - 1], fewer.value(name)) for name in ("weights", "context"))
    stay = "to the last bit" if apart == 0 else f"but for rounding, which is {number(apart)} at most"
    output = largest_difference(trace.value("output"), fewer.value("output"))
    return (
        f"From {h - 1} to {h} heads, **α and Z of {earlier} stay as they were**, {stay}: the matrices of each head are drawn after "
        f"those of the heads before it. Head {h} is new. **W_o is drawn anew**, since it has {h * setup.d_v} rows in place of "
        f"{(h - 1) * setup.d_v}"
        + (", and b_o after it" if setup.bias == "on" else "")
        + ". "
        + (f"So the output Y is another one: its numbers differ by up to {number(output)}." if output else "Y stays as it was.")
    )
