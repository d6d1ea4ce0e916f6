"""What the pages say of angles, planes, likeness, and of the products that a score adds up. No
Streamlit here."""

from collections.abc import Sequence

from core.cell import Cell
from core.geometry import Plane
from core.sampled import DRAWS, SCORES, Sample
from core.setup import Setup
from core.written import short
from pages.shared.said.claims.weights import drawn_by, left_out
from pages.shared.said.words import number, percent, quoted

# What a fan shows, in Markdown.
SHADOW = (
    "ω = |q| |k| cos θ: the length of the query, times the gold bar, which is the key's shadow on"
    " the line of the query."
)
# So near to 1 counts as what the argument of √d_k expects: 2,000 scores leave that much to chance.
NEAR = 1.5
# A share nearer to 1 than this is all of it, but for rounding.
ROUNDED = 1e-9


def largest_product(cell: Cell) -> str:
    """Say which product of a score is the largest either way, of how many."""
    place, term = max(enumerate(cell.terms, start=1), key=lambda each: abs(each[1].value))
    q, k = (number(factor.value) for factor in term.factors)
    return f"The largest of {len(cell.terms)} is number {place}: {q} × {k} = {number(term.value)}."


def no_direction(name: str) -> str:
    """Say why there is no fan around a query that is zero."""
    return (
        f"The query of {quoted(name)} is zero in every place. It has no direction and no angle to a"
        " key: all its scores are 0."
    )


def in_one_plane(d_k: int) -> str:
    """Say which angles of a fan are true."""
    if d_k == 1:
        return "Yes. With d_k = 1 there are two directions only, so every angle is 0° or 180°."
    return (
        "Those to the query are, and so are all lengths. But every key is turned around the query"
        " to the same side: the angle between two keys cannot be read here."
    )


def fan(query: str, key: str, length: float, row: Sequence[float]) -> str:
    """Describe the query and one of its keys; `row` is that key's of a fan."""
    of_key, degrees, cosine, _, score = row
    if not of_key:
        return f"The key of {key} is zero: no angle, score {number(score)}."
    return (
        f"The query of {query} has length {number(length)}, the key of {key} {number(of_key)}, the"
        f" angle between them is {degrees:.1f} degrees, its cosine {number(cosine)}, the score"
        f" {number(score)}."
    )


def components(plane: Plane) -> list[str]:
    """Return the names of a plane's axes, with their shares of the variance."""
    names = ("1st principal component", "2nd")
    shares = (
        f"{_share(share)} of the variance" if sum(plane.shares) else "" for share in plane.shares
    )
    return [", ".join(filter(None, part)) for part in zip(names, shares, strict=True)]


def _share(share: float) -> str:
    return "all" if share > 1 - ROUNDED else percent(share) if share else "none"


def flattened(plane: Plane, size: int, what: str) -> str:
    """Say how much of so many numbers a row is to be seen in a plane; `what` the rows are
    called."""
    share = sum(plane.shares)
    if share == 0:
        return f"All {what} are equal: they are one point."
    if share > 1 - ROUNDED:
        return (
            f"The plane holds all of the variance of the {what}: they lie exactly as far apart in"
            f" {_dimensions(size)}."
        )
    return (
        f"The plane holds {percent(share)} of the variance of the {what}. The rest is out of sight:"
        f" two points can look closer than they are in {_dimensions(size)}."
    )


def among_the_values(values: int) -> str:
    """Say what the picture of a mixture shows, in Markdown. x lives in a space of its own; its
    value is what W_v makes of it."""
    if values == 1:
        return (
            "With one word there is nothing to mix: its weight is 1, so :orange[**z**] is that"
            " word's :green[value]."
        )
    return (
        ":green[The chain] adds up each value times its weight, and ends at :orange[**z**]. No"
        " mixture leaves the green shape."
    )


def among_the_values_in_full(plane: Plane, setup: Setup) -> str:
    """Say what else that picture has, in Markdown, and how much of the values is to be seen."""
    if setup.memory:
        return (
            "Each :green[green] point is a value of the sentence that is asked, the larger the"
            " more weight it gets. The small points of the colour of z are the other words' z."
            f" {flattened(plane, setup.d_v, 'values')}"
        )
    own = (
        "x, which is the word's value here,"
        if setup.projections == "none"
        else "v, which is what W_v makes of the word's x,"
    )
    return (
        "Each :green[green] point is a word's value, the larger the more weight it gets. The"
        f" dashed arrow goes from {own} to z. Small points of its colour are the other words' z."
        f" {flattened(plane, setup.d_v, 'values')}"
    )


def _dimensions(size: int) -> str:
    """Say how many numbers a row has."""
    return f"{size} dimension{'s' if size > 1 else ''}"


def variances(sample: Sample) -> str:
    """Say what was measured of 2,000 scores, beside what the argument for √d_k expects."""
    expected = sample.d_k * sample.of_product
    if sample.d_k == 1:
        return (
            f"Measured on {SCORES:,} scores: the variance is {_digits(sample.of_score)}. With d_k ="
            " 1 there is one product only."
        )
    return (
        f"Measured on {SCORES:,} scores: one product has variance {_digits(sample.of_product)}, so"
        f" a sum of {sample.d_k} independent ones would have {_digits(expected)}. The scores have"
        f" {_digits(sample.of_score)}, {short(sample.times_expected)} × as much."
    )


def independence(sample: Sample, kind: str) -> str:
    """Return whether the argument for √d_k holds for weights drawn like this (`spread.kind`),
    decided from what was measured."""
    near = 1 / NEAR <= sample.times_expected <= NEAR
    if sample.d_k == 1:
        return "√1 is 1: the division changes nothing."
    if kind == "uniform":
        return (
            f"These weights have mean {number(sample.weight_mean)}, not 0, so all parts of a query"
            " lean the same way: "
            + (
                "the products are not independent, which the argument assumes. In this setup it"
                " shows little."
                if near
                else (
                    "the products are not independent, and **the argument does not hold here**."
                    " They add up instead of cancelling; dividing by √d_k helps, but not enough."
                )
            )
        )
    if near:
        holds = (
            "So the argument holds here: dividing by √d_k brings the variance back to about that of"
            " one product."
        )
        if kind == "xavier":
            holds += (
                " But that is for one d_k. Xavier's bound shrinks as d_k grows, and each product"
                " with it: whether scores spread further for large d_k is shown by the curves over"
                " d_k."
            )
        return holds
    return (
        "So the argument does not hold for these scores: their products are not independent of one"
        " another."
    )


def sampled(setup: Setup) -> str:
    """Say how the 2,000 scores were drawn, and what they leave out of this setup."""
    pairs = f"{SCORES:,} pairs of words, drawn as the table's rows"
    drawn = f"{DRAWS} pairs of W_q and W_k and {pairs}" if setup.projections == "learned" else pairs
    without = left_out(setup, draws_words=True)
    return (
        f"{drawn}; {drawn_by(setup)}. {without}The outermost bars hold all that lies further out."
    )


def _digits(value: float) -> str:
    """Write a number with three digits, and all those before the point."""
    return short(value, max(3, len(str(int(value)))))
