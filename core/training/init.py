"""Random weights from seeded generators, in a notebook's order.

One generator gives the embedding table. A second one gives W_q, W_k, W_v of head 1, then of head 2
and so on, then W_o, so adding a head leaves the earlier ones unchanged. If heads share keys and
values, each group's first head is used, for the same reason. Biases and positions have their own
generators, so enabling them changes no other weight. torch's global generator is never used, so two
users cannot affect each other.

With `uniform` the second generator has the same seed as the first, to reproduce N4's digits. Table
and weights then use the same random numbers and are not independent: torch makes each normal number
from two uniform ones, and a table and a W_q of the same shape have a correlation of about −0.35.
With `normal`, W_q of head 1 would begin with the table's own numbers, so that a query would contain
its word's squared length, and `xavier`, which only scales the uniform numbers, would be correlated
with the table in the same way. These two therefore use their own seed.
"""

import random

import torch
from torch import Generator, Tensor

from ..setup.setup import Setup


def draw_embedding_table(setup: Setup) -> Tensor:
    """Sample a row for each word of the vocabulary: (word, d_model). Words only in the memory have
    their own seed."""
    further = torch.tensor(setup.only_in_memory)
    table = torch.empty(len(further), setup.d_model)
    table[~further] = normal(generator(setup.seed), int((~further).sum()), setup.d_model)
    if further.any():
        table[further] = rows_apart(setup.seed, "memory words", int(further.sum()), setup.d_model)
    return table


def rows_apart(seed: int, words: str, count: int, d_model: int) -> Tensor:
    """Sample this many rows from the seed named `words`, such as "memory words", independent of the
    others: (word, d_model)."""
    return normal(generator(own_seed(seed, words)), count, d_model)


def positions(setup: Setup, tokens: int) -> Tensor:
    """Initialise learned positions: (token, d_model).

    Rows are sampled one by one, so that a longer sentence leaves earlier positions unchanged.
    """
    source = generator(2**32 - 1 - setup.seed)
    return torch.cat([normal(source, 1, setup.d_model) for _ in range(tokens)])


def projections(setup: Setup, n: int = 0) -> dict[str, Tensor]:
    """Return `matrices`, and `biases` if they are on, for layer n of a stack, or for the seven
    steps if n is 0. Empty for a setup without projections."""
    if setup.projections == "none":
        return {}
    return matrices(setup, n) | (biases(setup, n) if setup.bias == "on" else {})


def layer(setup: Setup, n: int) -> dict[str, Tensor]:
    """Sample one block of a stack, counted from 1: attention back to d_model, and `feed_forward`.

    The first layer uses the setup's seed, each further layer its own.
    """
    return projections(setup, n) | feed_forward(setup, n)


def layer_seed(setup: Setup, n: int) -> int:
    """Return the seed of layer n of a stack."""
    return setup.seed if n <= 1 else own_seed(setup.seed, f"layer {n}")


def all_weights(setup: Setup, places: int, further: int) -> dict[str, Tensor]:
    """Sample all weights by name: of the seven steps, of each layer and on top, with positions for
    `places` tokens and rows for `further` more words."""
    drawn = {
        "embedding_table": draw_embedding_table(setup),
        "further_words": rows_apart(setup.seed, "further words", further, setup.d_model),
        "positions": positions(setup, places),
        "unembedding": draw_unembedding(setup, len(setup.only_in_memory)),
    }
    for n in range(1, setup.layers + 1):
        drawn |= {f"layer{n}.{name}": weight for name, weight in layer(setup, n).items()}
    return drawn | projections(setup) | classifier(setup)


def matrices(setup: Setup, n: int = 0) -> dict[str, Tensor]:
    """Sample W_q (head, d_model, d_k), W_k (kv_head, d_model, d_k), W_v (kv_head, d_model, d_v),
    W_o (head·d_v, out), in a stack (head·d_v, d_model).

    The first three are sampled as (size, d_model) and transposed, as in the notebook, to give its
    numbers. W_o is sampled in its own shape.
    """
    source = generator_of_weights(layer_seed(setup, n), setup.init)
    out_size = setup.d_model if n else setup.out_size
    w_q, w_k, w_v = (
        lying.transpose(1, 2).clone(memory_format=torch.contiguous_format)
        for lying in draw_stored_projections(setup, source)
    )
    w_o = WEIGHTS[setup.init](source, setup.heads * setup.d_v, out_size)
    return {"w_q": w_q, "w_k": w_k[:: setup.group], "w_v": w_v[:: setup.group], "w_o": w_o}


def draw_stored_projections(setup: Setup, source: Generator) -> tuple[Tensor, ...]:
    """Sample W_q and W_k (head, d_k, d_model) and W_v (head, d_v, d_model), head by head.

    Uniform numbers are sampled in sequence, so sampling all heads at once gives the same numbers
    faster. Torch makes normal numbers in groups within a call, so these are sampled by head.
    """
    sizes, weight = (setup.d_k, setup.d_k, setup.d_v), WEIGHTS[setup.init]
    if setup.init == "uniform":
        return (
            weight(source, setup.heads * sum(sizes), setup.d_model)
            .unflatten(0, (setup.heads, -1))
            .split(sizes, dim=1)
        )
    heads = [[weight(source, size, setup.d_model) for size in sizes] for _ in range(setup.heads)]
    return tuple(torch.stack(one_kind) for one_kind in zip(*heads, strict=True))


def generator_of_weights(seed: int, init: str) -> Generator:
    """Return the generator of W_q, W_k, W_v and W_o: N4's seed for `uniform`, a separate one
    otherwise."""
    return generator(seed if init == "uniform" else own_seed(seed, "weights"))


def biases(setup: Setup, n: int = 0) -> dict[str, Tensor]:
    """Sample b_q (head, d_k), b_k (kv_head, d_k), b_v (kv_head, d_v), b_o (out), in a stack
    (d_model)."""
    source, bias = generator(2**31 + layer_seed(setup, n)), BIASES[setup.init]
    sizes = (setup.d_k, setup.d_k, setup.d_v)
    if setup.init == "normal":  # in groups, see `draw_stored_projections`
        heads = [
            torch.cat([bias(source, size, setup.d_model) for size in sizes])
            for _ in range(setup.heads)
        ]
        of_each = torch.stack(heads)
    else:
        of_each = bias(source, setup.heads * sum(sizes), setup.d_model).unflatten(
            0, (setup.heads, -1)
        )
    b_q, b_k, b_v = of_each.split(sizes, dim=1)
    b_o = bias(source, setup.d_model if n else setup.out_size, setup.heads * setup.d_v)
    return {"b_q": b_q, "b_k": b_k[:: setup.group], "b_v": b_v[:: setup.group], "b_o": b_o}


def feed_forward(setup: Setup, n: int = 1) -> dict[str, Tensor]:
    """Sample w_1 (d_model, d_ff) and w_2 (d_ff, d_model), with b_1 (d_ff) and b_2 (d_model) if
    biases are on; with swiglu then w_gate and b_gate, shaped as w_1 and b_1."""
    source = generator(own_seed(layer_seed(setup, n), "feed-forward"))
    up = linear(setup, source, "1", setup.d_model, setup.d_ff)
    down = linear(setup, source, "2", setup.d_ff, setup.d_model)
    gate = (
        linear(setup, source, "gate", setup.d_model, setup.d_ff)
        if setup.activation == "swiglu"
        else {}
    )
    return up | down | gate


def classifier(setup: Setup) -> dict[str, Tensor]:
    """Sample w_c (d_model, classes), and b_c (classes) if biases are on."""
    return linear(
        setup, generator(own_seed(setup.seed, "classifier")), "c", setup.d_model, setup.classes
    )


def draw_unembedding(setup: Setup, words: int) -> Tensor:
    """Sample an unembedding column for each of this many words: (d_model, word)."""
    source = generator(own_seed(setup.seed, "unembedding"))
    return WEIGHTS.get(setup.init, xavier)(source, words, setup.d_model).T


def linear(
    setup: Setup, source: Generator, name: str, size: int, out_size: int
) -> dict[str, Tensor]:
    """Sample one linear layer by name: w_… (size, out_size), and b_… (out_size) if biases are
    on."""
    drawn = {f"w_{name}": WEIGHTS[setup.init](source, out_size, size).T}
    if setup.bias == "on":
        drawn[f"b_{name}"] = BIASES[setup.init](source, out_size, size)
    return drawn


def dropout_mask(setup: Setup, *shape: int, rate: float | None = None) -> Tensor:
    """Sample which attention weights dropout keeps, from its own seed: True with probability 1 −
    rate, by default the setup's."""
    return torch.rand(*shape, generator=generator(setup.dropout_seed)) >= (
        setup.dropout if rate is None else rate
    )


def next_number(setup: Setup) -> Tensor:
    """Sample the uniform number in [0, 1) that selects the next word: (draw,), of length 1.

    It depends on the number of words, so removing an added word restores the earlier number.
    """
    return torch.rand(
        1, generator=generator(own_seed(setup.draw_seed, f"word {len(setup.tokens) + 1}"))
    )


def own_seed(seed: int, name: str) -> int:
    """Return a seed derived from a name, by Python's own generator, whose results are stable by
    definition."""
    return random.Random(f"{seed} {name}").getrandbits(31)


def generator(seed: int) -> Generator:
    """Return a new random generator. Torch uses the lower 32 bits of a seed: a setup's seeds use
    the lower half of that range, biases and learned positions the upper half."""
    return Generator().manual_seed(seed)


def uniform(source: Generator, rows: int, columns: int) -> Tensor:
    """Sample uniformly between 0 and 1, as in N4: (rows, columns)."""
    return torch.rand(rows, columns, generator=source)


def normal(source: Generator, rows: int, columns: int) -> Tensor:
    """Sample with mean 0, standard deviation 1: (rows, columns)."""
    return torch.randn(rows, columns, generator=source)


def xavier(source: Generator, rows: int, columns: int) -> Tensor:
    """Sample uniformly between ±√(6 / (rows + columns)): (rows, columns).

    Glorot and Bengio 2010, section 4.2.1.
    """
    return (2 * uniform(source, rows, columns) - 1) * (6 / (rows + columns)) ** 0.5


WEIGHTS = {"uniform": uniform, "normal": normal, "xavier": xavier}

BIASES = {
    "uniform": lambda source, size, fan_in: torch.rand(size, generator=source),
    "normal": lambda source, size, fan_in: torch.randn(size, generator=source),
    # As torch.nn.Linear: within ±1/√fan_in.
    "xavier": lambda source, size, fan_in: (
        (2 * torch.rand(size, generator=source) - 1) / fan_in**0.5
    ),
}
