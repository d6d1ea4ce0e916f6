"""Sentences about angles, planes, and the products in a score. No Streamlit here."""

from collections.abc import Sequence

from core.analysis.geometry import Plane
from core.analysis.sampled_scores import SCORES, Sample
from core.text.written import equals
from core.trace.cell import Cell
from pages.shared.text.words import number, percent, quote, short

# How to read a fan and its angles, as Markdown.
SHADOW = (
    "ω = |q| |k| cos θ: the length of the query, times the gold bar, which is the key's shadow on"
    " the line of the query."
)
IN_ONE_PLANE = (
    "Those to the query are, and so are all lengths. But every key is turned around the query to"
    " the same side: the angle between two keys is not to be read here."
)
# How to read the picture of the context, as Markdown.
AMONG_THE_VALUES = (
    ":green[The chain] adds up each value times its weight, and ends at :orange[**z**]. No mixture"
    " leaves the green shape."
)
POINTS = (
    "Each :green[green] point is a value, the larger the more weight it gets. Small points of z's"
    " colour are the other words' z. A dashed arrow goes from a word's own value to its z."
)


def largest_product(cell: Cell) -> str:
    """Name the product of a score with the largest absolute value."""
    place, term = max(enumerate(cell.terms, start=1), key=lambda each: abs(each[1].value))
    q, k = (number(factor.value) for factor in term.factors)
    return f"The largest of {len(cell.terms)} is number {place}: {q} × {k} {equals(term.value)}."


def no_direction(name: str) -> str:
    """Explain why a zero query has no fan."""
    return (
        f"The query of {quote(name)} is zero in every place. It has no direction and no angle to a"
        " key: all its scores are 0."
    )


def fan(query: str, key: str, length: float, row: Sequence[float]) -> str:
    """Describe the query and one of its keys; `row` is that key's row of a fan."""
    of_key, degrees, cosine, _, score = row
    if not of_key:
        return f"The key of {key} is zero: no angle, score {number(score)}."
    return (
        f"The query of {query} has length {number(length)}, the key of {key} {number(of_key)}, the"
        f" angle between them is {degrees:.1f} degrees, its cosine {number(cosine)}, the score"
        f" {number(score)}."
    )


def components(plane: Plane) -> list[str]:
    """Return the names of a plane's axes with their shares of the variance."""
    first, second = map(_share, plane.shares)
    return [f"1st principal component, {first} of the variance", f"2nd, {second}"]


def describe_flattening(plane: Plane, what: str) -> str:
    """State the plane's share of the variance of the rows, called `what`."""
    return (
        f"The plane holds {_share(sum(plane.shares))} of the variance of the {what}. What it does"
        " not hold is out of sight: two points can look closer than they are."
    )


def _share(share: float) -> str:
    return percent(round(min(share, 1), 9))


def variances(sample: Sample) -> str:
    """Compare the measured variance of 2,000 scores with the argument for √d_k."""
    expected = sample.d_k * sample.of_product
    return (
        f"Measured on {SCORES:,} scores: one product has variance {_digits(sample.of_product)};"
        f" were all {sample.d_k} of a score independent, it would have {_digits(expected)}. The"
        f" scores have {_digits(sample.of_score)}, {short(sample.times_expected)} × as much. Near 1"
        " the argument holds. Far above it the products lean the same way and add up, as with"
        " uniform matrices, whose mean is not 0: dividing by √d_k helps, but not enough."
    )


def _digits(value: float) -> str:
    """Return a number with three significant digits, or all before the point if these are more."""
    return short(value, max(3, len(str(int(value)))))
