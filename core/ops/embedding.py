"""From ids to vectors: token embeddings and positions."""

import math

import torch
from torch import Tensor


def embed(table: Tensor, ids: Tensor) -> Tensor:
    """Look up each id's row in the table: (word, d_model), (token,) → (token, d_model).

    >>> embed(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1, 0, 1])).tolist()
    [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]
    """
    return table[ids]


def sinusoidal(tokens: int, d_model: int) -> Tensor:
    """Sines and cosines of falling frequency: (token, d_model). Vaswani et al. 2017, section 3.5.

    Column 2i is sin(position / 10000^(2i/d_model)), column 2i+1 its cosine; positions from 0.

    >>> sinusoidal(1, 4).tolist()
    [[0.0, 1.0, 0.0, 1.0]]
    """
    position = torch.arange(tokens, dtype=torch.float64)[:, None]
    column = torch.arange(d_model)
    exponent = (2 * (column // 2)).double() / d_model
    angle = position / 10000**exponent
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).to(torch.float32)


def rotary_angles(
    tokens: int, size: int, base: float = 10000, stretch: tuple[float, ...] | None = None
) -> Tensor:
    """Return the rotation angle of each pair of `size` numbers at each position, in radians:
    (token, pair). Su et al. 2021, section 3.2.2.

    Pair i, the numbers 2i and 2i+1, turns by position / base^(2i/size); positions from 0. With odd
    size, the last number is in no pair and is not counted in the size. `stretch`: see `slow_down`.

    >>> rotary_angles(3, 5).double().round(decimals=2).tolist()
    [[0.0, 0.0], [1.0, 0.01], [2.0, 0.02]]
    """
    pairs = size // 2
    position = torch.arange(tokens, dtype=torch.float64)[:, None]
    exponent = torch.arange(pairs, dtype=torch.float64) / pairs
    angles = position / base**exponent
    return (angles if stretch is None else angles * slow_down(size, base, *stretch)).float()


def slow_down(
    size: int, base: float, factor: float, low: float, high: float, places: float
) -> Tensor:
    """Return the share of its speed that each pair keeps in a model stretched to longer texts:
    (pair,). Grattafiori et al. 2024 (Llama 3), section 3.4.

    In the `places` of the shorter texts, a pair that turns more than `high` times keeps its speed,
    and one that turns less than `low` times has it divided by the factor; others are in between.

    >>> slow_down(4, 10000, factor=8, low=1, high=4, places=200).tolist()
    [1.0, 0.125]
    """
    speeds = base ** -(torch.arange(size // 2, dtype=torch.float64) / (size // 2))
    turns = places * speeds / (2 * torch.pi)
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    return kept + (1 - kept) / factor


def alibi_slopes(heads: int) -> Tensor:
    """Return how much each head lowers a score for each position of distance: (head,). Press et al.
    2022, section 3.

    The slopes are 2^(−8h/n) for head h = 1 … n if n is a power of 2. Otherwise the largest power of
    2 below n gives the first slopes, and every other slope of twice as many heads the rest.

    >>> alibi_slopes(2).tolist(), alibi_slopes(3).tolist()
    ([0.0625, 0.00390625], [0.0625, 0.00390625, 0.25])
    """
    power = 2 ** (int.bit_length(heads) - 1)
    first = [2 ** (-8 * h / power) for h in range(1, power + 1)]
    between = [2 ** (-8 * h / (2 * power)) for h in range(1, 2 * power, 2)]
    return torch.tensor([*first, *between][:heads])


def alibi_bias(heads: int, tokens: int) -> Tensor:
    """Return the bias of each score, which is −slope of the head · distance between query and key:
    (head, query, key).

    >>> alibi_bias(1, 3)[0].mul(256).tolist()
    [[0.0, -1.0, -2.0], [-1.0, 0.0, -1.0], [-2.0, -1.0, 0.0]]
    """
    place = torch.arange(tokens)
    return alibi_slopes(heads)[:, None, None] * -(place[:, None] - place).abs()


def relative_bias(distances: Tensor, tokens: int) -> Tensor:
    """Look up the bias of each score by how far its key is before or behind its query: (distance,
    head) → (head, query, key). Raffel et al. 2020, section 2.1.

    Half of the rows are for keys before, half for keys behind. Of each half, the first half is for
    one distance each, and the rest share longer ones up to 128, each some more than the one before.

    >>> relative_bias(torch.arange(32.0)[:, None], 10)[0, [0, 0, 9], [0, 3, 0]].tolist()
    [0.0, 19.0, 8.0]
    """
    place, half = torch.arange(tokens), len(distances) // 2
    ahead, single = place - place[:, None], half // 2
    apart = ahead.abs()
    growth = torch.log(apart / single) / math.log(128 / single)
    shared = (single + growth * (half - single)).clamp(single, half - 1).long()
    row = torch.where(apart < single, apart, shared) + half * (ahead > 0)
    return distances[row].movedim(-1, 0)


def subtract_first_angle(angles: Tensor, is_word: Tensor) -> Tensor:
    """Return the angles (token, pair) relative to each sentence's first word, after any padding:
    (sentence, token, pair).

    `is_word` is (sentence, token), True = a word.

    >>> subtract_first_angle(
    ...     torch.tensor([[0.0], [1.0], [2.0]]), torch.tensor([[False, True, True]])
    ... ).tolist()
    [[[-1.0], [0.0], [1.0]]]
    """
    first = is_word.int().argmax(dim=1)
    return angles - angles[first].unsqueeze(1)


def place(positions: Tensor, is_word: Tensor) -> Tensor:
    """Return each word's row of positions, counted within its own sentence, and 0 for padding:
    (sentence, token, d_model).

    `positions` is (token, d_model); `is_word` (sentence, token), True = a word.

    >>> place(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([[False, True]])).tolist()
    [[[0.0, 0.0], [1.0, 2.0]]]
    """
    places = (is_word.cumsum(dim=1) - 1).clamp(min=0)
    return torch.where(is_word[..., None], positions[places], 0.0)


def add_positions(embedded: Tensor, positions: Tensor) -> Tensor:
    """Add the positions to the token embeddings: (token, d_model) both.

    >>> add_positions(torch.tensor([[1., 2.]]), torch.tensor([[10., 20.]])).tolist()
    [[11.0, 22.0]]
    """
    return embedded + positions


def add_part(*rows: Tensor) -> Tensor:
    """Add token, position (unless off) and segment embeddings: (token, d_model) each. Devlin et al.
    2019, figure 2.

    >>> add_part(
    ...     torch.tensor([[1.0, 2.0]]), torch.tensor([[10.0, 20.0]]), torch.tensor([[100.0, 100.0]])
    ... ).tolist()
    [[111.0, 122.0]]
    """
    return torch.stack(rows).sum(dim=0)
