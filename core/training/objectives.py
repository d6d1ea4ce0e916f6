"""Training tasks on the small language: for attention alone, and for a stack on top of it.

Attention alone learns what the seven steps show. Two questions are asked of each sentence: at the
adjective which noun is meant, at the verb which noun is the subject. `w_u` (out, word) maps the
output there to a score for each word. A stack keeps the table and layer 1's W_q, W_k and W_v from
the seven steps and learns everything else. Its question is at the word `it`, which alone says
nothing. Labelled sentences are in `classification`.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import torch
import torch.nn.functional as F
from torch import Tensor

from ..layers import block
from ..layers.model import attend, embed
from ..ops.weight_names import OF_THE_STEPS, Weights, layer_of
from ..setup.setup import Setup
from ..text import language
from ..text.text import token_ids
from ..trace.record import TraceBuilder
from . import init
from .training import BATCH, Objective

OF_ATTENTION, OF_STACK = ("adjective", "verb"), ("it",)
UNSEEN = 1000
# The multiplications in one training. A slow core does some three billion a second: attention and a
# stack take ten seconds at most. Evaluation on test examples may add a tenth.
BUDGET = 16_000_000_000
MAX_NUMBERS = 4_000_000  # kept in memory for a part of a batch: thirty megabytes
# small initial scores: a saturated softmax has no gradient
SMALLER = 0.5

# The weights that attention depends on: the moments of large stacks keep only these.
WATCHED = ("embedding_table", "positions", "w_q", "w_k", "b_q", "b_k")

IDS = torch.stack([token_ids(example.tokens, language.WORDS) for example in language.EXAMPLES])
ANSWERS = {
    question: token_ids(
        tuple(example.answer(question) for example in language.EXAMPLES), language.WORDS
    )
    for question in language.PLACES
}


def attention(setup: Setup) -> Objective:
    """Return the training of embedding, attention and W_o of the seven steps, with the setup's
    choices."""
    own = start_on_language(setup)
    start = table(own) | init.projections(own)
    for name in {"w_q", "w_k"} & start.keys():
        start[name] = SMALLER * start[name]
    out = own.out_size if own.projections == "learned" else own.d_model
    start["w_u"] = readout(own.seed, len(own.vocabulary), out)
    return _lesson(own, start, OF_ATTENTION, None, watched=tuple(start))


def stack(setup: Setup, below: Mapping[str, Tensor]) -> Objective:
    """Return the training of a stack on what attention alone has learned, `below` by name: the
    table, positions, and layer 1's W_q, W_k and W_v with their biases."""
    own = start_on_language(setup)
    held = {name: below[name] for name in ("embedding_table", "positions") if name in below}
    held |= {f"layer1.{name}": below[name] for name in OF_THE_STEPS if name in below}
    start = {name: weight for name, weight in layers(own, own.layers).items() if name not in held}
    return _lesson(
        own,
        start | {"w_u": readout(own.seed, len(own.vocabulary), own.d_model)},
        OF_STACK,
        own.layers,
        held,
    )


def start_on_language(setup: Setup) -> Setup:
    """Return the setup at the start of training: Xavier initialisation, on the language's words."""
    return drawn_on(setup, language.WORDS)


def drawn_on(setup: Setup, words: tuple[str, ...]) -> Setup:
    """Return the setup with Xavier initialisation on these words."""
    return replace(setup, text=" ".join(words), others="", memory="", init="xavier")


def forward(
    setup: Setup, weights: Mapping[str, Tensor], ids: Tensor, depth: int | None, keep: bool = True
) -> tuple[Tensor, list[TraceBuilder]]:
    """Return a model's output for sentences (sentence, token), and a record of every tensor for
    each layer.

    `depth` is the number of blocks, or None for attention alone: (sentence, token, out). Without
    `keep`, blocks leave no records.
    """
    records = [TraceBuilder()]
    x = embed(setup, dict(weights), records[0], ids)
    may_attend = setup.mask_function(ids.shape[-1])
    if depth is None:
        return attend(setup, dict(weights), records[0], may_attend), records
    return blocks(setup, weights, depth, x, may_attend, keep)


def blocks(
    setup: Setup,
    weights: Mapping[str, Tensor],
    depth: int,
    x: Tensor,
    may_attend: Tensor,
    keep: bool,
) -> tuple[Tensor, list[TraceBuilder]]:
    """Return the output of `depth` blocks on x, (sentence, token, d_model), and with `keep` a
    record for each."""
    records = []
    for n in range(1, depth + 1):
        record = TraceBuilder(values_only=not keep)
        x = block.run(replace(setup, out="d_model"), layer_of(weights, n), x, may_attend, record)
        records += [record] if keep else []
    return x, records


def layers(setup: Setup, depth: int) -> Weights:
    """Initialise this many blocks, from the lowest: layer1.w_q and so on."""
    return {
        f"layer{n}.{name}": weight
        for n in range(1, depth + 1)
        for name, weight in init.layer(setup, n).items()
    }


def double(weights: Mapping[str, Tensor]) -> Weights:
    """Return the weights in float64, as training uses them."""
    return {name: weight.double() for name, weight in weights.items()}


def multiplications(
    setup: Setup, depth: int | None, tokens: int = language.LENGTH, sentences: int = BATCH
) -> int:
    """Return the approximate multiplications of one training step: one forward pass, and twice that
    for the gradients."""
    heads, d_model = setup.heads, setup.d_model
    kv_heads = heads // setup.group
    looking = tokens * heads * (setup.d_k + setup.d_v)
    if setup.projections == "learned":
        out = setup.out_size if depth is None else d_model
        looking += (
            d_model * (heads * setup.d_k + kv_heads * (setup.d_k + setup.d_v))
            + heads * setup.d_v * out
        )
    each_word = (
        looking
        if depth is None
        else depth * (looking + (3 if setup.activation == "swiglu" else 2) * d_model * setup.d_ff)
    )
    return 3 * sentences * tokens * (each_word + d_model)


def numbers(setup: Setup, depth: int, tokens: int) -> int:
    """Return approximately how many numbers one sentence of this many tokens keeps in memory in a
    forward pass through `depth` blocks."""
    looking = setup.heads * (2 * setup.d_k + 3 * setup.d_v + 4 * tokens)
    return (
        depth
        * tokens
        * (looking + (5 if setup.activation == "swiglu" else 2) * setup.d_ff + 8 * setup.d_model)
    )


def fit_batch_size(setup: Setup, depth: int, tokens: int = language.LENGTH) -> int:
    """Return how many sentences may go through a stack of this depth together."""
    return max(1, min(BATCH, MAX_NUMBERS // numbers(setup, max(depth, 1), tokens)))


def split_examples(seed: int) -> tuple[Tensor, Tensor]:
    """Return the indices of the language's training examples, and of the 1,000 test examples."""
    order = torch.randperm(len(IDS), generator=init.generator(init.own_seed(seed, "sentences")))
    return order[UNSEEN:], order[:UNSEEN]


def _lesson(
    setup: Setup,
    start: Weights,
    questions: tuple[str, ...],
    depth: int | None,
    held: Mapping[str, Tensor] = MappingProxyType({}),
    watched: tuple[str, ...] = (),
) -> Objective:
    learned, unseen = split_examples(setup.seed)

    def scores(weights: Mapping[str, Tensor], examples: Tensor) -> dict[str, Tensor]:
        """Return a score for each word at each question's position: (example, word)."""
        out, _ = forward(setup, weights, IDS[examples], depth, keep=False)
        return {
            question: out[:, language.PLACES[question]] @ weights["w_u"] for question in questions
        }

    def loss(weights: Mapping[str, Tensor], some: Tensor, batch: Tensor | None = None) -> Tensor:
        given, count = scores(weights, some), len(some if batch is None else batch)
        each = [
            F.cross_entropy(given[name], ANSWERS[name][some], reduction="sum") / count
            for name in questions
        ]
        return torch.stack(each).sum()

    def accuracy(weights: Mapping[str, Tensor], examples: Tensor) -> dict[str, float]:
        each = [
            torch.stack(
                [
                    given.argmax(dim=-1) == ANSWERS[question][some]
                    for question, given in scores(weights, some).items()
                ]
            )
            for some in examples.split(BATCH)  # all together take half a gigabyte
        ]
        return dict(
            zip(questions, torch.cat(each, dim=1).double().mean(dim=1).tolist(), strict=True)
        )

    size = multiplications(setup, depth)
    steps = min(setup.steps_taken, max(1, BUDGET // size))
    asked = unseen[: max(1, min(UNSEEN, BUDGET // 10 // (size // (3 * BATCH))))]
    seed = init.own_seed(setup.seed, "batches")
    return Objective(
        double(start),
        double(held),
        learned,
        asked,
        loss,
        accuracy,
        seed,
        steps,
        watched,
        at_once=fit_batch_size(setup, depth or 1),
    )


def table(setup: Setup, places: int = language.LENGTH) -> Weights:
    """Return the initial table and, if positions are learned, this many initial rows of them."""
    weights = {"embedding_table": SMALLER * init.draw_embedding_table(setup)}
    if setup.positions == "learned":
        weights["positions"] = SMALLER * init.positions(setup, places)
    return weights


def readout(seed: int, words: int, size: int) -> Tensor:
    """Initialise the projection from this many numbers to a score for each word: (size, word)."""
    return init.xavier(init.generator(init.own_seed(seed, "readout")), words, size).T
