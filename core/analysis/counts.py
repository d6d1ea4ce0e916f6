"""Parameter counts of a setup's heads, and of narrow or wide heads in their place."""

from dataclasses import dataclass

from ..setup.setup import Setup


@dataclass(frozen=True)
class HeadSizes:
    """The sizes of the heads: d_k, d_v, the length of a concatenated row, and the parameters
    without biases."""

    d_k: int
    d_v: int
    concat: int
    parameters: int


def with_sizes(setup: Setup, d_k: int, d_v: int) -> HeadSizes:
    """Return the sizes and parameters of this setup's heads with other d_k and d_v. An output of
    size d_v changes with them.

    W_q, W_k and W_v of each head and W_o of all: Vaswani et al. 2017, section 3.2.2.

    >>> with_sizes(Setup(d_model=8, heads=2, out="d_model"), d_k=3, d_v=5)
    HeadSizes(d_k=3, d_v=5, concat=10, parameters=256)
    """
    concat = setup.heads * d_v
    out = d_v if setup.out == "d_v" and setup.layer == 1 else setup.d_model
    kv_heads = setup.heads // setup.group
    of_input = setup.d_model * (setup.heads * d_k + kv_heads * (d_k + d_v))
    return HeadSizes(d_k, d_v, concat, of_input + concat * out)


def count_by_matrix(setup: Setup) -> dict[str, int]:
    """Return the number of parameters of each matrix over all heads, without biases; empty without
    projections.

    >>> count_by_matrix(Setup(d_model=8, heads=2, d_k=3, d_v=5, out="d_model"))
    {'W_q': 48, 'W_k': 48, 'W_v': 80, 'W_o': 80}
    """
    if setup.projections == "none":
        return {}
    of_a_query, of_a_value = (setup.d_model * size for size in (setup.d_k, setup.d_v))
    kv_heads = setup.heads // setup.group
    return {
        "W_q": setup.heads * of_a_query,
        "W_k": kv_heads * of_a_query,
        "W_v": kv_heads * of_a_value,
        "W_o": setup.heads * setup.d_v * setup.out_size,
    }


def biases(setup: Setup) -> int:
    """Return the number of parameters of the biases of the heads and of W_o, if they are on.

    >>> biases(Setup(heads=4, kv_heads=2, d_k=3, d_v=5))
    33
    """
    kv_heads = setup.heads // setup.group
    return setup.heads * setup.d_k + kv_heads * (setup.d_k + setup.d_v) + setup.out_size


def count_saved(setup: Setup) -> int:
    """Return how many parameters grouped heads save in W_k and W_v, without biases. Ainslie et al.
    2023.

    >>> count_saved(Setup(d_model=8, heads=4, kv_heads=1, d_k=3, d_v=5))
    192
    """
    kv_heads = setup.heads // setup.group
    return (
        0
        if setup.projections == "none"
        else (setup.heads - kv_heads) * setup.d_model * (setup.d_k + setup.d_v)
    )


def narrow(setup: Setup) -> HeadSizes | None:
    """Return heads of size d_model / heads; None if the division is not exact.

    >>> narrow(Setup(d_model=8, heads=3)) is None
    True
    """
    size, rest = divmod(setup.d_model, setup.heads)
    return None if rest else with_sizes(setup, size, size)


def wide(setup: Setup) -> HeadSizes:
    """Return heads of size d_model each."""
    return with_sizes(setup, setup.d_model, setup.d_model)


def get_heads(setup: Setup) -> HeadSizes:
    """Return the sizes of the setup's own heads."""
    return with_sizes(setup, setup.d_k, setup.d_v)
