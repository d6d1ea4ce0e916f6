"""What depends on how many heads there are and how large: what one more changes, and what they
cost."""

from core import counts
from core.setup import Setup
from core.trace import Trace
from core.written import count
from pages.shared.frame import show
from pages.shared.said import elements
from pages.shared.said.claims import heads as claims
from pages.shared.server import computed


def one_head_more(trace: Trace) -> None:
    """Draw what the last head left as it was, and what was drawn anew for it, once it is unfolded;
    nothing where there is one head."""
    if trace.setup.heads == 1:
        return
    if place := elements.fold("What changes with one head more?", "one_head_more"):
        fewer = claims.one_head_fewer(trace.setup)
        with place:
            elements.markdown(
                claims.what_a_head_changes(trace, computed.traced(fewer) if fewer else None)
            )


def table(setup: Setup) -> None:
    """Return narrow, wide and free heads side by side, counted for the setup's own sizes."""
    show.heading("Narrow, wide and free heads, on these sizes")
    narrow, d_model, heads = counts.narrow(setup), setup.d_model, setup.heads
    rule = "d_k = d_v = d_model / heads" + (
        "" if narrow else f": {heads} does not divide {d_model}"
    )
    rows = [
        ("narrow", rule, *_in_cells(narrow)),
        ("wide", "d_k = d_v = d_model", *_in_cells(counts.wide(setup))),
        ("as set now", setup.sizes, *_in_cells(counts.as_set(setup))),
    ]
    columns = ("heads are", "rule", "d_k", "d_v", "concat", "weights in all")
    counted = dict(zip(columns, zip(*rows, strict=True), strict=True))
    elements.plain_table(counted)
    elements.markdown(claims.parameters(setup))
    if beside := claims.one_big_head(setup):
        elements.markdown(beside)
    if setup.group > 1:
        elements.markdown(claims.shared(setup))
    elements.caption(
        f"Counted for d_model = {d_model}, {count(heads, 'head')} and the output size {setup.out},"
        " without biases."
    )
    show.why(
        "Do more heads cost more?",
        "Narrow heads share d_model out among themselves. Where W_o maps back to d_model, they cost"
        " the same whatever their number: the paper uses 8 heads of 64 for d_model = 512. Each wide"
        " head has all of d_model, so h of them cost h times as much. The mathematics needs neither"
        " rule: W_o takes any d_v, and d_k only has to be the same for queries and keys.",
    )


def _in_cells(sizes: counts.HeadSizes | None) -> list[str]:
    """Return a kind of heads in a row of the table; dashes where there is none."""
    return (
        [str(sizes.d_k), str(sizes.d_v), str(sizes.concat), f"{sizes.parameters:,}"]
        if sizes
        else ["–"] * 4
    )
