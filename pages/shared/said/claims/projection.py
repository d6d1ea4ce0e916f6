"""What the projection page says of sizes that fit and sizes that do not. No Streamlit here."""

from collections.abc import Mapping

from core.setup import Setup
from core.written import count
from pages.shared.said.words import number, quoted


def fit(setup: Setup, d_q: int) -> str:
    """Return whether queries of d_q numbers can be multiplied with this setup's keys, and what
    would have to change."""
    n, m, d_k = len(setup.tokens), len(setup.memory_tokens or setup.tokens), setup.d_k
    if d_q == d_k:
        numbers = "The one number" if d_k == 1 else f"Each of the {d_k} numbers"
        return (
            f"**It fits.** {numbers} of a query has a number of a key to be multiplied with, and"
            f" the scores are {n} × {m}. Move d_q by one, and there are no scores."
        )
    return (
        f"**It does not fit.** The two sizes that meet must be equal, and {d_q} is not {d_k}: "
        + (f"{d_q - d_k} of a query's numbers" if d_q > d_k else f"{d_k - d_q} of a key's numbers")
        + f" would be left over. With d_q = {d_k} or d_k = {d_q} the scores would be {n} × {m}."
        " That is why one slider sets the size of both, d_k."
    )


def across(setup: Setup) -> str:
    """Say whose words the keys are, where another sentence is asked."""
    if not setup.memory:
        return ""
    return (
        " Rows are the words of the first sentence, columns those of the one that is asked:"
        " cross-attention (Vaswani et al. 2017, section 3.2.3)."
    )


def why_three(setup: Setup) -> str:
    """Say why queries, keys and values have a matrix each."""
    if setup.memory:
        return (
            "With one matrix for queries and keys, a word would look for its like in the other"
            " sentence. With two, it can look for what it lacks. And what a word is found by (its"
            " key) can differ from what it passes on (its value): that needs the third."
        )
    return (
        "With one matrix for all three, the score of word i with word j would equal the score of j"
        " with i, and words with long vectors would tend to get the most attention. With two, one"
        " word can look for another without being looked for in return. And what a word is found by"
        " (its key) can differ from what it passes on (its value): that needs the third."
    )


def given_at_once() -> str:
    """Say that queries, keys and values are given, and that nothing made them."""
    return (
        "**Q, K and V are given.** No X and no W_q, W_k, W_v are known that would make them, so the"
        " words' rows on the pages before are drawn at random, and nothing here follows from those."
        " From the scores on, every number follows from Q, K and V."
    )


def table_given(setup: Setup) -> str:
    """Say where the table comes from, where numbers are given."""
    if setup.numbers is not None and setup.numbers.projected:
        return (
            "Q, K and V are given, and no X. This table is drawn: nothing after **Projection**"
            " follows from it."
        )
    return (
        "These rows were given: a word's row of the table is its row of X. Equal words have equal"
        " rows."
    )


def taken_as_it_is(setup: Setup, taken: str) -> str:
    """Say what queries, keys and values are where nothing is projected; `taken` is how it is
    called: X, or X normed."""
    what = (
        "the embedded sentence itself"
        if setup.layer == 1
        else f"what layer {setup.layer - 1} hands on"
    )
    return f"{what}{'' if taken == 'X' else ', normed'}: Q = K = V = {taken}"


def nothing_projected(setup: Setup, is_normed: bool = False) -> str:
    """Say what a score is where nothing is projected, of rows that are normed or not."""
    if setup.memory:
        return (
            " A score is then the product of a word's vector with that of a word of the other"
            " sentence. "
        )
    long = (
        ""
        if is_normed
        else (
            ", so words with long vectors tend to get much attention, from themselves and from"
            " others"
        )
    )
    return (
        f" The score of a word with itself is its own squared length{long}, and the score of i with"
        " j is that of j with i. "
    )


def turned(setup: Setup) -> str:
    """Say that positions turn queries and keys before they meet, where they do."""
    then = " first" if setup.turns else ", which makes $Q_n$ and $K_n$"
    normed = f" The model norms each row of Q and K{then}: on Projection stands how."
    if setup.positions != "rotary":
        return normed if setup.norms_heads else ""
    if not setup.turns:
        return (
            " Rotary positions turn pairs of numbers; with d_k = 1 there is no pair, and nothing is"
            " turned."
        )
    return (
        " $Q_r$ and $K_r$ are Q and K after they were turned, as **Positions: rotary** has it: on"
        " Projection stands how." + (normed if setup.norms_heads else "")
    )


def heads_normed(symbol: str) -> str:
    """Say what the norm of queries and keys does, and why a model has one."""
    if symbol == "v":
        return "The model norms queries and keys before they meet. **Values stay as they are.**"
    what, other = ("query", "key") if symbol == "q" else ("key", "query")
    return (
        f"The model has one more norm here: each {what} is divided by the root of its mean square,"
        f" and column by column taken times a gain γ_{symbol}, which was trained and is the same"
        f" for every head. So a score hangs on where {what} and {other} point and on the two gains,"
        " not on how long the projections made them."
    )


def pairs_turned(setup: Setup, symbol: str) -> str:
    """Say how rotary positions turn queries and keys, and what stays."""
    if symbol == "v":
        return "Rotary positions turn queries and keys. **Values stay as they are.**"
    odd = (
        f" d_k = {setup.d_k} is odd: the last number is in no pair and stays."
        if setup.d_k % 2
        else ""
    )
    last = (
        f" The slowest of {setup.d_k // 2} pairs takes {number(_slowest(setup))} a word."
        if setup.d_k > 3
        else ""
    )
    return (
        "Nothing was added for the place. Instead numbers 1 and 2 are an arrow, 3 and 4 the next,"
        " and each arrow is turned by an angle that grows with the place: not at all for the first"
        f" word, then the first pair by 1 radian (57°) a word.{last}{odd}"
        + (APART if setup.real and setup.real.usual["positions"] == "rotary" else "")
    )


APART = (
    " In the model's folder the two of a pair stand half of d_k apart; here they stand together."
)


def _slowest(setup: Setup) -> float:
    """Return by how many radians a place turns the last pair."""
    paired = setup.d_k - setup.d_k % 2
    return setup.rotary_base ** (-(paired - 2) / paired)


def one_turned(name: str, place: int, symbol: str, pair: int, angle: float) -> str:
    """Say by how much one pair of a word is turned, both counted from 0: the first word is not
    turned at all."""
    whose = "query" if symbol == "q" else "key"
    stands = (
        f"stands {count(place, 'place')} after the first word" if place else "is the first word"
    )
    return (
        f"{quoted(name)} {stands}: pair {pair + 1} of its {whose} is turned by {number(angle)}"
        " radians and keeps its length."
    )


def only_distance(apart: Mapping[int, float], largest: float, across: bool = False) -> str:
    """Say how far scores are apart where the sentence begins later: the largest difference by the
    number of places. `across`: two sentences are moved together."""
    told = ", ".join(
        f"{number(each)} ({by} place{'' if by == 1 else 's'} later)" for by, each in apart.items()
    )
    moved = (
        "Both sentences later by as many places have"
        if across
        else "The same sentence later in a text has"
    )
    return (
        "Both words of a pair are turned on by the same angle, so what is between their arrows"
        f" stays. {moved} the same scores but for rounding. Largest difference: {told}; the largest"
        f" score is {number(largest)} in size."
    )


def nothing_added(setup: Setup) -> str:
    """Say where rotary positions come in, since not here."""
    if not setup.turns:
        return (
            "Rotary positions turn pairs of numbers of queries and keys. With d_k = 1 there is no"
            " pair: nothing tells the order."
        )
    return (
        "Nothing is added here, so X is just the rows that were looked up. With **Positions:"
        " rotary** queries and keys are turned by their places instead (Su et al. 2021): the page"
        " Projection shows it."
    )
