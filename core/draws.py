"""Random numbers from seeded generators, in the order in which a notebook would draw them.

One generator gives the embedding table. A second one gives W_q, W_k, W_v of head 1, then of head 2
and so on, then W_o: one more head leaves the earlier ones as they were. Where heads share keys and
values, those of each group's first head are taken, so that nothing else changes. Biases and
positions have generators of their own, so switching them on changes no other weight. Nothing here
touches torch's global generator: two readers cannot disturb each other.

With `uniform` the second generator starts from the same seed as the first, as N4's does: that gives
its digits. Table and weights are then made of the same random numbers and are not independent:
torch makes each normal number from two uniform ones, and a table and a W_q of the same shape have a
correlation of about −0.35. With `normal` W_q of head 1 would begin with the very numbers of the
table, so that a query held its word's own squared length, and `xavier`, which only stretches the
uniform numbers, would be tied to the table as they are. Both start from a seed of their own.
"""

import random

import torch
from torch import Generator, Tensor

from .setup import Setup


def draw_embedding_table(setup: Setup) -> Tensor:
    """Draw a row for each word of the vocabulary: (word, d_model). What a memory alone has is drawn
    apart from the sentence's own."""
    further = torch.tensor(setup.only_in_memory)
    table = torch.empty(len(further), setup.d_model)
    table[~further] = normal(generator(setup.seed), int((~further).sum()), setup.d_model)
    if further.any():
        table[further] = rows_apart(setup.seed, "memory words", int(further.sum()), setup.d_model)
    return table


def rows_apart(seed: int, words: str, count: int, d_model: int) -> Tensor:
    """Return so many rows for words of a kind that has a seed of its own, "memory words", so that
    the others keep theirs: (word, d_model)."""
    return normal(generator(own_seed(seed, words)), count, d_model)


def positions(setup: Setup, tokens: int) -> Tensor:
    """Draw a row for each place, learned positions before they have learned anything: (token,
    d_model).

    Each row is a draw of its own, so that a longer sentence leaves the earlier places as they were.
    """
    source = generator(2**32 - 1 - setup.seed)
    return torch.cat([normal(source, 1, setup.d_model) for _ in range(tokens)])


def projections(setup: Setup, n: int = 0) -> dict[str, Tensor]:
    """Return `matrices`, and where biases are on `biases`: of layer n of a stack, or without one of
    the seven steps. Empty for a setup without projections."""
    if setup.projections == "none":
        return {}
    return matrices(setup, n) | (biases(setup, n) if setup.bias == "on" else {})


def layer(setup: Setup, n: int) -> dict[str, Tensor]:
    """Draw one block of a stack, counted from 1: attention back to d_model, and `feed_forward`.

    The first attends with the setup's own seed, each further one is drawn in the same way from a
    seed of its own.
    """
    return projections(setup, n) | feed_forward(setup, n)


def layer_seed(setup: Setup, n: int) -> int:
    """Return the seed that layer n of a stack is drawn from."""
    return setup.seed if n <= 1 else own_seed(setup.seed, f"layer {n}")


def all_weights(setup: Setup, places: int, further: int) -> dict[str, Tensor]:
    """Draw every weight by its name: of the seven steps, of each layer, and of what stands on top,
    with positions for so many places and rows for so many further words."""
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
    """Draw W_q (head, d_model, d_k), W_k (kv_head, d_model, d_k), W_v (kv_head, d_model, d_v), W_o
    (head·d_v, out), in a stack (head·d_v, d_model).

    The first three are drawn lying on their side, (size, d_model), and turned: that is how the
    notebook holds them, so its generator gives its numbers. W_o it draws as it stands.
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
    """Draw W_q and W_k (head, d_k, d_model) and W_v (head, d_v, d_model), head by head.

    Uniform numbers are drawn one after the other: one drawing of all heads gives the same as one of
    each, in less time. Of normal ones torch makes groups within a drawing.
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
    """Return what W_q, W_k, W_v and W_o are drawn from: N4's seed for `uniform`, apart from the
    table for the others."""
    return generator(seed if init == "uniform" else own_seed(seed, "weights"))


def biases(setup: Setup, n: int = 0) -> dict[str, Tensor]:
    """Draw b_q (head, d_k), b_k (kv_head, d_k), b_v (kv_head, d_v), b_o (out), in a stack
    (d_model)."""
    source, bias = generator(2**31 + layer_seed(setup, n)), BIASES[setup.init]
    sizes = (setup.d_k, setup.d_k, setup.d_v)
    if (
        setup.init == "normal"
    ):  # of which torch makes groups within a drawing, as in `draw_stored_projections`
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
    """Draw w_1 (d_model, d_ff) and w_2 (d_ff, d_model), with b_1 (d_ff) and b_2 (d_model) where
    biases are on. With swiglu after these w_gate and b_gate, as w_1 and b_1."""
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
    """Draw w_c (d_model, classes), and b_c (classes) where biases are on."""
    return linear(
        setup, generator(own_seed(setup.seed, "classifier")), "c", setup.d_model, setup.classes
    )


def draw_unembedding(setup: Setup, words: int) -> Tensor:
    """Draw a column for each of so many words, which turns a row of d_model numbers into one for
    each word: (d_model, word)."""
    source = generator(own_seed(setup.seed, "unembedding"))
    return WEIGHTS.get(setup.init, xavier)(source, words, setup.d_model).T


def linear(
    setup: Setup, source: Generator, name: str, size: int, out_size: int
) -> dict[str, Tensor]:
    """Return one linear map by name: w_… (size, out_size), and b_… (out_size) where biases are
    on."""
    drawn = {f"w_{name}": WEIGHTS[setup.init](source, out_size, size).T}
    if setup.bias == "on":
        drawn[f"b_{name}"] = BIASES[setup.init](source, out_size, size)
    return drawn


def dropout_mask(setup: Setup, *shape: int, rate: float | None = None) -> Tensor:
    """Draw which attention weights dropout keeps, from a seed of its own: True with probability 1 −
    rate, the setup's unless given."""
    return torch.rand(*shape, generator=generator(setup.dropout_seed)) >= (
        setup.dropout if rate is None else rate
    )


def next_number(setup: Setup) -> Tensor:
    """Draw the number from 0 to below 1 that draws the word after the sentence's: (draw,), of
    length 1.

    It hangs on how many words there are: one word more has another, one taken away has its own
    again.
    """
    return torch.rand(
        1, generator=generator(own_seed(setup.draw_seed, f"word {len(setup.tokens) + 1}"))
    )


def own_seed(seed: int, name: str) -> int:
    """Return a seed for a generator by name. Python's own generator makes it, since it is defined
    to stay as it is."""
    return random.Random(f"{seed} {name}").getrandbits(31)


def generator(seed: int) -> Generator:
    """Return a new random generator. Torch uses the lower 32 bits of a seed: a setup's seeds fill
    the lower half, biases and learned positions the upper one."""
    return Generator().manual_seed(seed)


def uniform(source: Generator, rows: int, columns: int) -> Tensor:
    """Draw every number between 0 and 1, as N4 draws them: (rows, columns)."""
    return torch.rand(rows, columns, generator=source)


def normal(source: Generator, rows: int, columns: int) -> Tensor:
    """Draw with mean 0, standard deviation 1: (rows, columns)."""
    return torch.randn(rows, columns, generator=source)


def xavier(source: Generator, rows: int, columns: int) -> Tensor:
    """Draw between ±√(6 / (rows + columns)), so that size leaves the spread alone: (rows, columns).

    Glorot and Bengio 2010, section 4.2.1.
    """
    return (2 * uniform(source, rows, columns) - 1) * (6 / (rows + columns)) ** 0.5


WEIGHTS = {"uniform": uniform, "normal": normal, "xavier": xavier}

BIASES = {
    "uniform": lambda source, size, fan_in: torch.rand(size, generator=source),
    "normal": lambda source, size, fan_in: torch.randn(size, generator=source),
    # What torch.nn.Linear does: within ±1/√fan_in.
    "xavier": lambda source, size, fan_in: (
        (2 * torch.rand(size, generator=source) - 1) / fan_in**0.5
    ),
}
