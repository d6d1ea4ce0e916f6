"""What the block's page says of lengths and of the two norms. No Streamlit here."""

import itertools
from collections.abc import Mapping, Sequence

from torch import Tensor

from core.setup import Setup
from core.written import count, short
from pages.shared.said.claims.common import MOST_LAYERS

# A sum that is exactly 0 comes out up to this large in float32, as a share of what was added up.
ROUNDING = 1e-6


def _times_as_long(part: Tensor, base: Tensor, source: Tensor) -> float | None:
    """Return how many times as long `part` is as `base`; None where `base` is 0, or no more than
    rounding of its `source`."""
    length = base.norm().item()
    if length <= ROUNDING * source.norm().item():
        return None
    return part.norm().item() / length


def what_a_norm_does(setup: Setup) -> str:
    """Say what the formula's norm stands for."""
    if setup.norm_kind == "rms":
        after = (
            "then takes it times a gain, which was trained. "
            if setup.real
            else "with gain 1, and leaves its mean where it is. "
        )
        return f"norm divides each row by the root of its mean square, {after}"
    after = (
        "then takes it times a gain and adds a shift, which were trained. "
        if setup.real
        else "with gain 1 and shift 0. "
    )
    return f"norm brings each row to mean 0 and standard deviation 1, {after}"


def lengths(rows: Mapping[str, Tensor], norm: str, norm_kind: str = "layer") -> str:
    """Say how long attention's part and the feed-forward part are beside what they are added to;
    rows of one token by stage."""
    attended = _times_as_long(rows["output"], rows["x"], rows["x"])
    if norm == "pre":
        before = rows["x"].abs() + rows["output"].abs()
        ffn = _times_as_long(rows["ffn_out"], rows["resid_mid"], before)
    else:
        # A norm turns a row of equal numbers into zeros, or into rounding errors made large.
        resid_mid = rows["resid_mid"]
        left = resid_mid - resid_mid.mean() if norm_kind == "layer" else resid_mid
        size = resid_mid if norm_kind == "layer" else rows["x"].abs() + rows["output"].abs()
        even = left.norm() <= ROUNDING * size.norm()
        ffn = None if even else _times_as_long(rows["ffn_out"], rows["normed_1"], rows["normed_1"])
    told = [
        (
            f"{begin} a vector {short(times)} times as long as {to}."
            if times is not None
            else f"{begin} a vector to zeros: there is nothing to compare its length with."
        )
        for begin, to, times in (
            ("Attention adds", "X", attended),
            ("The feed-forward part adds", "A" if norm == "pre" else "N", ffn),
        )
    ]
    return " ".join(told)


def back_to_d_model(setup: Setup) -> str:
    """Say why a block's W_o makes d_model numbers, whatever the output size chosen."""
    d_model = count(setup.d_model, "number")
    here = ""
    if setup.out == "d_v" and setup.projections == "learned" and setup.d_v != setup.d_model:
        here = f" So the **Output size** of {setup.d_v} that you chose is not used on this page."
        if setup.layer == 1:
            here += (
                " Y is not that of Heads either: W_o has another shape here, so it has other"
                " numbers."
            )
    return (
        f"A sum needs as many numbers on both sides, and X has {d_model} a row: so W_o leads back"
        f" to d_model.{here}"
    )


def another_y(setup: Setup) -> str:
    """Say below Y's numbers that they are not those of Heads, where they are not."""
    is_another = (
        setup.out == "d_v"
        and setup.projections == "learned"
        and setup.d_v != setup.d_model
        and setup.layer == 1
    )
    return (
        f" Y is not that of Heads: here W_o leads to d_model = {setup.d_model}."
        if is_another
        else ""
    )


def _post_norm(outs: Sequence[Tensor]) -> str:
    """Say what the layers of a stack with post-norm hand on; `outs` holds the result of each
    (token, d_model)."""
    spreads = [out.std(dim=-1, correction=0) for out in outs]
    least = min(each.min().item() for each in spreads)
    if least > 0.99:
        return "every layer hands on rows of standard deviation 1"
    if all(not each.any() for each in spreads) and outs[0].shape[-1] == 1:
        return "here every layer hands on zeros, since a row of a single number has no spread"
    return (
        "layers hand on rows of standard deviation 1, less where the numbers of a row were nearly"
        f" equal ({short(least, 2)} here)"
    )


def _post_norm_rms(outs: Sequence[Tensor]) -> str:
    """Say the same where norms divide by the root of the mean square."""
    least = min(out.square().mean(dim=-1).sqrt().min().item() for out in outs)
    if least > 0.99:
        return "every layer hands on rows with a mean square of 1"
    nearly = f"less where the numbers of a row were nearly 0 (its root is {short(least, 2)} there)"
    return f"layers hand on rows with a mean square of 1, {nearly}"


def _pre_norm(standard_deviations: Sequence[float]) -> str:
    """Return whether a stack with pre-norm grows: the standard deviation after each layer."""
    first, last = standard_deviations[0], standard_deviations[-1]
    if len(standard_deviations) == 1:
        return "so that as a rule it grows from layer to layer"
    steps = f"from {short(first)} after the first layer to {short(last)} after the last"
    if all(after > before for before, after in itertools.pairwise(standard_deviations)):
        return f"so it grows: {steps}"
    if last > first:
        return f"so it grows, if not in every layer: {steps}"
    return f"so that as a rule it grows; here it does not: {steps}"


def norms(
    outs: Sequence[Tensor], standard_deviations: Sequence[float], norm_kind: str = "layer"
) -> str:
    """Compare post-norm with pre-norm: results of the first, standard deviations after each layer
    of the second."""
    post = _post_norm(outs) if norm_kind == "layer" else _post_norm_rms(outs)
    more = " More **Layers** show it better." if len(outs) < MOST_LAYERS else ""
    return (
        f"**Post-norm** (the paper, and the notebooks) norms the stream itself: {post}."
        " **Pre-norm** norms only what goes into each part; the stream is added to and never"
        f" touched, {_pre_norm(standard_deviations)}. A number that came in at the bottom is still"
        " a summand at the top. Deep models are easier to train that way (Xiong et al."
        f" 2020).{more}"
    )


def negatives_become(activation: str) -> str:
    """Say what the feed-forward part's activation does to negative numbers."""
    if activation == "swiglu":
        return (
            "multiplies them by a gate, which a second matrix makes of the same row and silu bends"
        )
    return (
        "sets the negative ones to 0"
        if activation == "relu"
        else "presses the negative ones towards 0"
    )
