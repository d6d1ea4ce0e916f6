"""What can be learned of the language: by attention alone, and by a stack that stands on it.

Attention alone learns what the seven steps show. Two questions are asked of each sentence: at the
adjective which noun is meant, at the verb who does it. `w_u` (out, word) turns what attention gives
there into a score for each word. A stack keeps the table and what layer 1 looks with (W_q, W_k,
W_v), as the seven steps have them, and learns all else. It is asked at the word `it`, which says
nothing by itself. What is learned of labelled sentences stands in `classification`.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import torch
import torch.nn.functional as F
from torch import Tensor

from . import block, draws, language, masks
from .model import attend, embed
from .names import OF_THE_STEPS, Weights, layer_of
from .record import Numbers, Record
from .setup import Setup
from .text import token_ids
from .training import BATCH, Lesson

OF_ATTENTION, OF_STACK = ("adjective", "verb"), ("it",)
UNSEEN = 1000
# For the steps of one lesson. A slow core makes some three billion such multiplications a second:
# attention and a stack take ten seconds at most. A tenth as many may go into asking about sentences
# that were not seen.
BUDGET = 16_000_000_000
MAX_NUMBERS = 4_000_000  # that a part of a batch leaves in memory on its way: thirty megabytes
# small scores at first: a query that already looks at one word only has nothing to learn from
SMALLER = 0.5

# What decides whom the words look at: of a stack that is too large to be kept whole, the moments of
# training keep these.
WATCHED = ("embedding_table", "positions", "w_q", "w_k", "b_q", "b_k")

IDS = torch.stack([token_ids(example.tokens, language.WORDS) for example in language.EXAMPLES])
ANSWERS = {
    question: token_ids(
        tuple(example.answer(question) for example in language.EXAMPLES), language.WORDS
    )
    for question in language.PLACES
}


def attention(setup: Setup) -> Lesson:
    """Return the lesson of embedding, attention and W_o of the seven steps, with the setup's
    choices in force."""
    own = start_on_language(setup)
    start = table(own) | draws.projections(own)
    for name in {"w_q", "w_k"} & start.keys():
        start[name] = SMALLER * start[name]
    out = own.out_size if own.projections == "learned" else own.d_model
    start["w_u"] = readout(own.seed, len(own.vocabulary), out)
    return _lesson(own, start, OF_ATTENTION, None, watched=tuple(start))


def stack(setup: Setup, below: Mapping[str, Tensor]) -> Lesson:
    """Return the lesson of a stack of blocks on the table and the first look that attention alone
    has learned: `below`, its weights by name."""
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
    """Return the setup that training starts from: drawn as Glorot and Bengio do, on the language's
    own words."""
    return drawn_on(setup, language.WORDS)


def drawn_on(setup: Setup, words: tuple[str, ...]) -> Setup:
    """Return the same on other words."""
    return replace(setup, text=" ".join(words), others="", memory="", init="xavier")


def forward(
    setup: Setup, weights: Mapping[str, Tensor], ids: Tensor, depth: int | None, keep: bool = True
) -> tuple[Tensor, list[Record]]:
    """Return what a model makes of sentences (sentence, token), and every tensor on the way, a
    record for each layer.

    So many blocks, or attention alone where `depth` is None: (sentence, token, out). Without `keep`
    blocks leave no records.
    """
    records = [Record()]
    x = embed(setup, dict(weights), records[0], ids)
    may_attend = masks.make_mask(setup, ids.shape[-1])
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
) -> tuple[Tensor, list[Record]]:
    """Return what so many blocks make of x, (sentence, token, d_model), and a record for each, if
    they are to keep one."""
    records = []
    for n in range(1, depth + 1):
        record = Record() if keep else Numbers()
        x = block.run(replace(setup, out="d_model"), layer_of(weights, n), x, may_attend, record)
        records += [record] if keep else []
    return x, records


def layers(setup: Setup, depth: int) -> Weights:
    """Draw so many blocks, from the lowest: layer1.w_q and so on."""
    return {
        f"layer{n}.{name}": weight
        for n in range(1, depth + 1)
        for name, weight in draws.layer(setup, n).items()
    }


def double(weights: Mapping[str, Tensor]) -> Weights:
    """Return the same weights as training computes with them, float64."""
    return {name: weight.double() for name, weight in weights.items()}


def multiplications(
    setup: Setup, depth: int | None, tokens: int = language.LENGTH, sentences: int = BATCH
) -> int:
    """Return how many numbers one step of training multiplies, about: forward once, and twice that
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
    """Return how many numbers a sentence of so many tokens leaves in memory on its way through so
    many blocks, about."""
    looking = setup.heads * (2 * setup.d_k + 3 * setup.d_v + 4 * tokens)
    return (
        depth
        * tokens
        * (looking + (5 if setup.activation == "swiglu" else 2) * setup.d_ff + 8 * setup.d_model)
    )


def fit_batch_size(setup: Setup, depth: int, tokens: int = language.LENGTH) -> int:
    """Return how many sentences may go through so many blocks together."""
    return max(1, min(BATCH, MAX_NUMBERS // numbers(setup, max(depth, 1), tokens)))


def split_examples(seed: int) -> tuple[Tensor, Tensor]:
    """Return places in the language's examples that training may see, and the 1,000 that it never
    sees."""
    order = torch.randperm(len(IDS), generator=draws.generator(draws.own_seed(seed, "sentences")))
    return order[UNSEEN:], order[:UNSEEN]


def _lesson(
    setup: Setup,
    start: Weights,
    questions: tuple[str, ...],
    depth: int | None,
    held: Mapping[str, Tensor] = MappingProxyType({}),
    watched: tuple[str, ...] = (),
) -> Lesson:
    learned, unseen = split_examples(setup.seed)

    def scores(weights: Mapping[str, Tensor], examples: Tensor) -> dict[str, Tensor]:
        """A score for each word at the place of each question: (example, word)."""
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
            for some in examples.split(BATCH)  # all at once take half a gigabyte
        ]
        return dict(
            zip(questions, torch.cat(each, dim=1).double().mean(dim=1).tolist(), strict=True)
        )

    size = multiplications(setup, depth)
    steps = min(setup.steps_taken, max(1, BUDGET // size))
    asked = unseen[: max(1, min(UNSEEN, BUDGET // 10 // (size // (3 * BATCH))))]
    seed = draws.own_seed(setup.seed, "batches")
    return Lesson(
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
    """Return the table and, where positions are learned, as many rows of them as there are places,
    as they begin."""
    weights = {"embedding_table": SMALLER * draws.draw_embedding_table(setup)}
    if setup.positions == "learned":
        weights["positions"] = SMALLER * draws.positions(setup, places)
    return weights


def readout(seed: int, words: int, size: int) -> Tensor:
    """Return what turns so many numbers into a score for each word, as it begins: (size, word)."""
    return draws.xavier(draws.generator(draws.own_seed(seed, "readout")), words, size).T
