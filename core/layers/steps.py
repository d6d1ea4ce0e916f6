"""The steps from the words to the output, each defined once: its function, its entry, the origin of
its cells, its formula, and PyTorch's reference. `model` uses them."""

from collections.abc import Callable

from torch import Tensor

from ..ops import attention, embedding, heads, norms
from ..ops.norms import EPSILON
from ..reference import reference
from ..trace.block_origin import Normalise, RootMeanSquare
from ..trace.cell import Origin
from ..trace.origin import (
    Angle,
    Concat,
    Copy,
    Distance,
    Dropout,
    Lookup,
    Mask,
    Product,
    Relative,
    Rotation,
    Scale,
    Sinusoid,
    Softmax,
    Sum,
    Transpose,
)
from ..trace.step import Step

ROWS, PAIRS = "token d_model", "head query key"


def describe_sum(*parts: str) -> Origin:
    """Return the origin of a sum of entries."""
    return Sum(parts)


def describe_division(source: str, temperature: float, d_k: int = 1) -> Origin:
    """Return the origin of scores divided by √d_k and the temperature."""
    return Scale(source, d_k**0.5 * temperature)


def over(product: str, root: str = "") -> Callable[..., str]:
    """Return a function that writes a product divided by a root and the temperature, as LaTeX."""

    def formula(temperature: float, **_: int) -> str:
        by = r" \cdot ".join(filter(None, (root, f"{temperature:g}" if temperature != 1 else "")))
        return rf"\frac{{{product}}}{{{by}}}" if by else product

    return formula


def write_angle(size: int, base: float, stretch: tuple[float, ...] | None = None, **_: int) -> str:
    """Return the rotary angle as LaTeX."""
    slower = "" if stretch is None else r" \cdot s_i"
    return rf"p / {base}^{{2i / {size}}}{slower} \text{{ for pair }} i \text{{ at place }} p"


EMBEDDED = Step(
    embedding.embed,
    Lookup,
    "embedded",
    "E[ids]",
    ROWS,
    r"\text{row } i \text{ of } $a",
    reference.look_up,
)
POSITIONS = Step(
    embedding.sinusoidal,
    lambda tokens, d_model: Sinusoid(d_model),
    "positions",
    "P",
    ROWS,
    r"\sin(p / 10000^{c / d_\text{model}}) \text{ in even columns } c, "
    r"\ \cos(p / 10000^{(c-1) / d_\text{model}}) \text{ in odd ones, at place } p",
)
X = Step(embedding.add_positions, describe_sum, "x", "X", ROWS, "$a + $b")
SUMMED = Step(embedding.add_part, describe_sum, "summed", "E[ids] + P + S", ROWS)
ENTERED = Step(attention.project, Product, "x", "X", ROWS, "$a $b")


def norm(function: Callable[..., Tensor], origin: Callable[..., Origin]) -> Step:
    """Return the step of one kind of norm."""
    return Step(function, origin, "normed_1", "norm", ROWS)


NORMS = {  # by norm_kind and whether it has a gain
    ("layer", False): norm(norms.layer_norm, lambda x, epsilon=EPSILON: Normalise(x, epsilon)),
    ("layer", True): norm(
        norms.layer_norm_with_gain,
        lambda x, gain, shift, epsilon=EPSILON: Normalise(x, epsilon, gain, shift),
    ),
    ("rms", False): norm(norms.rms_norm, lambda x, epsilon=EPSILON: RootMeanSquare(x, epsilon)),
    ("rms", True): norm(
        norms.rms_norm_with_gain,
        lambda x, gain, epsilon=EPSILON: RootMeanSquare(x, epsilon, gain),
    ),
}
# Queries; keys and values are analogous.
AS_IT_IS = Step(
    heads.add_head_axis, Copy, "q", "Q", f"head {ROWS}", "$a", reference.project_with_torch
)
PROJECTED = Step(
    attention.project, Product, "q", "Q", "head token d_k", "$a $b", reference.project_with_torch
)
PROJECTED_BATCH = Step(heads.project, Product, "q", "Q", "head token d_k")
NORMED_HEADS = Step(
    norms.rms_norm_with_gain,
    lambda q, gain, epsilon: RootMeanSquare(q, epsilon, gain),
    "q_normed",
    "Q_n",
    "head token d_k",
    r"$b \cdot $a \text{, each row of $a divided by the root of its mean square}",
    reference.norm_with_torch,
)
ANGLES = Step(
    embedding.rotary_angles,
    lambda tokens, size, **rotary: Angle(size, **rotary),
    "angles",
    "θ",
    "token pair",
    write_angle,
)
ROTATED = Step(
    attention.rotate,
    Rotation,
    "q_rotated",
    "Q_r",
    "head token d_k",
    r"$a \text{, each pair turned by its } $b",
)
K_T = Step(
    attention.transpose, Transpose, "k_t", "K^⊤", "head d_k token", r"\text{$a, each key a column}"
)
SCORES = Step(
    attention.scores,
    Product,
    "scores",
    "ω",
    PAIRS,
    "$a $b",
    reference.scores,
    heads.scores_in_groups,
)
SCALED = {
    "sqrt": Step(
        attention.scale,
        describe_division,
        "scaled",
        "ω′",
        PAIRS,
        over("$a", r"\sqrt{$d_k}"),
    ),
    "none": Step(
        attention.divide_by_temperature, describe_division, "scaled", "ω′", PAIRS, over("$a")
    ),
    "fourth-root": Step(
        attention.scale_both_sides,
        lambda q, k_t, d_k, temperature: Product(q, k_t, None, d_k**0.25, temperature),
        "scaled",
        "ω′",
        PAIRS,
        over(r"\frac{$a}{\sqrt[4]{$d_k}} \frac{$b}{\sqrt[4]{$d_k}}"),
        in_groups=heads.scale_both_sides_in_groups,
    ),
}
ALIBI = Step(
    embedding.alibi_bias,
    lambda heads, tokens: Distance(tuple(embedding.alibi_slopes(heads).tolist())),
    "alibi",
    "B",
    PAIRS,
    r"-\text{slope}_h \, |i - j|",
)
RELATIVE = Step(
    embedding.relative_bias,
    lambda distances, tokens: Relative(distances),
    "relative",
    "B_r",
    PAIRS,
    r"\text{the row of } $a \text{ for } j - i, \text{ head } h",
)
BIASED = Step(attention.add_bias, describe_sum, "biased", "ω⁺", PAIRS, "$a + $b")
MASKED = Step(
    attention.mask,
    lambda scaled, may_attend: Mask(scaled, may_attend.squeeze(-3)),
    "masked",
    "ω″",
    PAIRS,
    r"$a + \text{mask}",
)
WEIGHTS = Step(
    attention.softmax,
    Softmax,
    "weights",
    "α",
    PAIRS,
    r"\mathrm{softmax}_\text{row}\left($a\right)",
    reference.weights,
)
WEIGHTS_OR_ZEROS = Step(
    attention.softmax_or_zeros, Softmax, "weights", "α", PAIRS, reference=reference.weights
)
DROPPED = Step(attention.dropout, Dropout, "dropped", "α, dropout", PAIRS)
CONTEXT = Step(
    attention.mix,
    Product,
    "context",
    "Z",
    "head query d_v",
    "$a $b",
    reference.context,
    heads.mix_in_groups,
)
CONCAT = Step(
    heads.concatenate,
    Concat,
    "concat",
    "[Z_1…Z_h]",
    "query head·d_v",
    r"\text{the heads of } $a \text{ side by side}",
    reference.concat,
)
OUTPUT = Step(heads.combine, Product, "output", "Y", "query out", "$a $b", reference.output)
