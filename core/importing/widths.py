"""How wide the matrices of a layer are: what words they are made of, and how many heads stand side
by side in them."""

from collections.abc import Mapping

from torch import Tensor
from torch.nn.functional import pad

from ..ties import MOST_GIVEN
from .layout import MOST_HEADS
from .questions import Unfit
from .values import Matrix


def evened_out(
    widths: tuple[int, ...], weights: Mapping[str, list[Tensor]], rows: Mapping[str, Matrix]
) -> tuple[dict[str, list[Tensor]], dict[str, Matrix], str]:
    """Return W_q, W_k and W_v, and X and the other sentence, for words of one length, and what was
    done in words. Raises Unfit where the other sentence is missing.

    `widths` are how many numbers of a word queries, keys and values are made of. Zeros stand behind
    the shorter words; where keys and values are made of different numbers, both stand side by side
    in the other sentence. No result changes by that.
    """
    q, k, v = widths
    other = k if k == v else k + v
    wide = max(q, other)
    beside = "" if k == v else f", in each row those {k} for keys, then those {v} for values"
    if not rows["memory_x"] or len(rows["memory_x"][0]) != other:
        raise Unfit(
            f"Queries are made of {q} numbers a word, keys of {k}, values of {v} (kdim, vdim):"
            f" bring the sentence that is asked as memory, {other} numbers a word{beside}."
        )
    above = {"w_q": 0, "w_k": 0, "w_v": other - v}
    made = {
        name: [pad(w, (0, 0, above[name], wide - above[name] - len(w))) for w in heads]
        for name, heads in weights.items()
    }
    evened = {
        name: tuple((*row, *("0",) * (wide - len(row))) for row in matrix)
        for name, matrix in rows.items()
    }
    return (
        made,
        evened,
        (
            f"Words of {q} and of {other} numbers are made {wide} long by zeros, which change"
            f" nothing{beside}."
        ),
    )


def ways_to_split(q: int, k: int, v: int, inner: int) -> dict[str, dict[str, int]]:
    """Return in which ways matrices so wide may hold heads side by side: by their number, how many
    are in each. `inner` is how many rows W_o has; 0 where there is none.

    >>> ways_to_split(6, 3, 2, 4)
    {'2': {'w_q': 2, 'w_k': 1, 'w_v': 1}}
    """
    ways = {}
    for heads in (n for n in range(1, MOST_HEADS + 1) if q % n == 0 and k % (q // n) == 0):
        shared = k * heads // q
        if (
            heads % shared == 0
            and v % shared == 0
            and inner in (0, heads * v // shared)
            and q // heads <= MOST_GIVEN["d_k"]
        ):
            ways[str(heads)] = {"w_q": heads, "w_k": shared, "w_v": shared}
    return ways
