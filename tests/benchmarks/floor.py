"""What the largest setup's numbers cost by themselves: no page can give new ones for less.

    python -m tests.benchmarks.floor

As many random numbers as the setup has weights, drawn by one call of torch, and the products of its stack, each as one call on
matrices that lie ready, into memory that lies ready. Nothing else is done: no softmax, no norm, no bias, nothing is kept or
shown. In this process, on one thread.
"""

import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor

from core import weights
from core.setup import Setup
from core.shuffle import KINDS
from tests.benchmarks.pages import LARGEST

# How many sentences a page puts through the whole stack: those of the batch; the sentence itself, and the shuffle's.
SENTENCES: dict[str, Callable[[Setup], int]] = {
    "classifier": lambda setup: len(setup.sentences),
    "encoder": lambda setup: 2 * len(KINDS),
}


def milliseconds(act: Callable[[], object], times: int = 15) -> float:
    """The median of the thread's processor time."""
    spent = []
    for _ in range(times):
        start = time.thread_time()
        act()
        spent.append((time.thread_time() - start) * 1e3)
    return statistics.median(spent)


def drawn(setup: Setup) -> int:
    """How many random numbers the stack's weights and the table are."""
    return sum(weight.numel() for weight in weights.named(setup).values())


def factors(setup: Setup, sentences: int) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Both factors of each product of one layer, and a place for the result: queries, keys and values, scores, context, output,
    and the two of the feed-forward part."""
    tokens, heads = len(setup.tokens), setup.heads
    rows, pairs = sentences * tokens, sentences * heads
    shapes = (
        ((rows, setup.d_model), (setup.d_model, heads * (2 * setup.d_k + setup.d_v))),
        ((pairs, tokens, setup.d_k), (pairs, setup.d_k, tokens)),
        ((pairs, tokens, tokens), (pairs, tokens, setup.d_v)),
        ((rows, heads * setup.d_v), (heads * setup.d_v, setup.d_model)),
        ((rows, setup.d_model), (setup.d_model, setup.d_ff)),
        ((rows, setup.d_ff), (setup.d_ff, setup.d_model)),
    )
    pairs_of = [(torch.rand(left), torch.rand(right)) for left, right in shapes]
    return [(left, right, left @ right) for left, right in pairs_of]


def measure(page: str) -> tuple[float, float]:
    """Milliseconds for the draws, and for the products of all layers."""
    torch.set_num_threads(1)
    setup, _ = Setup.nearest({name: str(value) for name, value in LARGEST.items()})
    numbers, pairs = torch.empty(drawn(setup)), factors(setup, SENTENCES[page](setup))
    with torch.inference_mode():
        draws = milliseconds(numbers.uniform_)
        products = milliseconds(
            lambda: [torch.matmul(left, right, out=out) for _ in range(setup.layers) for left, right, out in pairs]
        )
    return draws, products


if __name__ == "__main__":
    for name in SENTENCES:
        print("{}: draws {:.1f} ms, products {:.1f} ms".format(name, *measure(name)))
