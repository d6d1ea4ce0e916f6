"""N4: the derivation of the seven steps, with one head, then three. Its digits are reproduced here,
including the wrong ones."""

from dataclasses import dataclass, replace
from functools import cache

import torch
from torch import Tensor

from ..forward.trace import run
from ..layers import block
from ..ops import attention, heads
from ..setup.presets import N4
from ..setup.setup import Setup
from ..text.text import token_ids, vocabulary, words
from ..text.written import number, short
from ..training import init
from .figure import Figure, read_printed
from .mistake import Outcome, attempt, describe_range
from .notebook import Notebook

NOTEBOOK = Notebook("N4")
SETUP = Setup(**N4)
SEEDS = 40  # for averaging a correlation

# Printed results: the ids, then “Life” and the second word's ω, α and z.
PRINTED_IDS = torch.tensor([0, 4, 5, 2, 1, 3])
PRINTED_X = torch.tensor([0.3374, -0.1778, -0.3035, -0.5880])
PRINTED_SCORES = torch.tensor([8.5808, -7.6597, 3.2558, 1.0395, 11.1466, -0.4800])
PRINTED_WEIGHTS = torch.tensor([0.2912, 0.0106, 0.0982, 0.0625, 0.4917, 0.0458])
PRINTED_CONTEXT = read_printed("""
    -1.5993 0.0156 1.2670 0.0032 -0.6460 -1.1407 -0.4908
    -1.4632 0.4747 1.1926 0.4506 -0.7110 0.0602 0.7125
    -0.1628 -2.0184 0.3838 -2.1188 -0.8136 -1.5694 0.7934
    -0.2911 -1.3640 -0.2366 -0.9564 -0.5265 0.0624 1.7084
""")
# Each word's first number from the three heads. They are wrong: `n4_weights` reproduces them.
PRINTED_OUTPUT = torch.tensor(
    [4.0896e-02, -3.4264e-04, -1.9216e02, -4.2820e-02, -3.3769e-02, 1.1699e02]
)


@NOTEBOOK.system("single", page="weights", link=N4)
def _single_figures() -> tuple[Figure, ...]:
    trace = run(SETUP)
    return (
        Figure("ids", trace.value("ids"), PRINTED_IDS),
        Figure("x of “Life”, first four", trace.value("x")[0, :4], PRINTED_X),
        Figure("ω₂, second word", trace.value("scores")[0, 1], PRINTED_SCORES),
        Figure("α₂", trace.value("weights")[0, 1], PRINTED_WEIGHTS),
        Figure("z₂", trace.value("context")[0, 1], PRINTED_CONTEXT),
    )


@dataclass(frozen=True, eq=False)
class Start:
    """The start of N4's three heads: x (token, d_model), weights by head, W_o, sampled after the
    single head's."""

    x: Tensor
    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    w_o: Tensor


@cache
def start_of_heads() -> Start:
    """Sample with the notebook's own generator: one head's weights, then three heads', then W_o."""
    source = init.generator(123)
    for size in (24, 24, 28):
        init.uniform(source, size, 16)
    w_q, w_k, w_v = (torch.rand(3, size, 16, generator=source).mT for size in (24, 24, 28))
    return Start(run(SETUP).value("x"), w_q, w_k, w_v, torch.rand(84, 28, generator=source))


@NOTEBOOK.system("heads", page="heads", link=N4)
def _heads_figures() -> tuple[Figure, ...]:
    start = start_of_heads()
    q, k, v = (attention.project(start.x, w) for w in (start.w_q, start.w_k, start.w_v))
    weights = attention.softmax(
        attention.scale(attention.scores(q, attention.transpose(k)), d_k=24)
    )
    context = attention.mix(weights, v)
    return (
        Figure("queries, laid on their side", q.mT, (3, 24, 6)),
        Figure("scores", weights, (3, 6, 6)),
        Figure("context, laid on its side", context.mT, (3, 28, 6)),
        Figure("W_o", start.w_o, (84, 28)),
        Figure(
            "output, on its side; numbers: see its mistakes",
            heads.combine(heads.concatenate(context), start.w_o).T,
            (28, 6),
        ),
    )


# ---------- mistakes ----------


def n4_weights(q: Tensor, k: Tensor, over_queries: bool, wrong_size: bool) -> Tensor:
    """Return the weights (head, query, key) of N4's heads, with either of its two faults."""
    d_k = q.shape[-2] if wrong_size else q.shape[-1]
    scores = attention.scale(attention.scores(q, attention.transpose(k)), d_k)
    if over_queries:
        return attention.softmax(scores.mT).mT  # columns sum to 1, not rows
    return attention.softmax(scores)


def output_of_heads(faults: frozenset[str]) -> tuple[Tensor, Tensor, Tensor]:
    """Return weights (head, query, key), values (head, key, d_v) and output (query, d_v) of N4's
    heads."""
    start = start_of_heads()
    q, k, v = (attention.project(start.x, w) for w in (start.w_q, start.w_k, start.w_v))
    weights = n4_weights(q, k, over_queries="axis" in faults, wrong_size="size" in faults)
    output = heads.combine(heads.concatenate(attention.mix(weights, v)), start.w_o)
    return weights, v, output


@cache
def row_sums(faults: frozenset[str]) -> str:
    """Return the smallest and largest sum of a query's weights in N4's heads, with these faults."""
    return describe_range(output_of_heads(faults)[0].sum(dim=-1))


@NOTEBOOK.mistake("N4 softmax and size", n4_weights, faults=("axis", "size"))
def _softmax_outcome(faults: frozenset[str]) -> Outcome:
    weights, _, output = output_of_heads(faults)
    sums = weights.sum(dim=-1)
    first = ", ".join(short(value, 5) for value in output[:, 0].tolist())
    published = (output[:, 0] - PRINTED_OUTPUT).abs().max().item()
    measured = (
        f"in all three heads, the rows sum to {row_sums(faults)}. First number of each word's"
        f" output: {first}. "
    )
    if published < 0.01:
        measured += "These are the digits that the notebook printed. "
    holds = bool(torch.allclose(sums, torch.ones_like(sums)))
    if holds and "size" in faults:
        measured += (
            "Rows that sum to 1 do not show that √6 stands where √24 should: the weights are too"
            " sharp. "
        )
    return Outcome(
        holds and not faults,
        measured + f"Largest output {output.abs().max():.1f}.",
        weights[0],
        ("query", "key"),
    )


@NOTEBOOK.mistake("N4 output size", block.add)
def _residual_outcome(faults: frozenset[str]) -> Outcome:
    trace = run(Setup(out="d_v" if faults else "d_model"))

    def work() -> Outcome:
        added = block.add(trace.value("x"), trace.value("output"))
        return Outcome(
            True,
            f"X {tuple(added.shape)} + Y {tuple(added.shape)} works",
            added,
            ("token", "d_model"),
        )

    return attempt(work)


def score_by_code(scores: Tensor, query: int, key: int) -> Tensor:
    """Index from 0, as code does."""
    return scores[query, key]


def score_by_reader(scores: Tensor, query: int, key: int) -> Tensor:
    """Index from 1, as the formula does."""
    return scores[query - 1, key - 1]


@NOTEBOOK.mistake("N4 counting", score_by_code, score_by_reader)
def _describe_counting(faults: frozenset[str]) -> Outcome:
    scores = run(SETUP).value("scores")[0]
    value = (score_by_code if faults else score_by_reader)(scores, 2, 5).item()
    printed = PRINTED_SCORES[4].item()
    right = abs(value - printed) < 1e-4
    measured = f"ω₂₅ = {number(value)}; " + (
        "what the notebook printed" if right else f"the notebook printed {number(printed)}"
    )
    if faults:
        measured += ". And an index from 0 to T names 7 elements of a sentence of 6: " + _seventh(
            scores
        )
    return Outcome(right, measured, scores, ("query", "key"))


def _seventh(scores: Tensor) -> str:
    try:
        return str(scores[scores.shape[0]])
    except IndexError as error:
        return f"IndexError: {error}"


def ids_by_sorting(tokens: tuple[str, ...]) -> Tensor:
    """Number the sorted words including repetitions: a later number overwrites the earlier one."""
    place = {word: number for number, word in enumerate(sorted(tokens))}
    return torch.tensor([place[token] for token in tokens])


def ids_by_vocabulary(tokens: tuple[str, ...]) -> Tensor:
    """Number each different word once."""
    return token_ids(tokens, vocabulary(tokens))


@NOTEBOOK.mistake("N4 vocabulary", ids_by_sorting, ids_by_vocabulary)
def _vocabulary_outcome(faults: frozenset[str]) -> Outcome:
    tokens = words("the cat saw the dog and the mat")
    ids = (ids_by_sorting if faults else ids_by_vocabulary)(tokens)
    rows = len(vocabulary(tokens))
    measured = f"{rows} different words; the ids are {', '.join(map(str, ids.tolist()))}. "

    def work() -> Outcome:
        table = init.normal(init.generator(123), rows, 4)
        return Outcome(
            True, measured + "Each names a row of the table.", table[ids], ("token", "d_model")
        )

    outcome = attempt(work)
    return (
        replace(outcome, measured=measured + "They point past the table's last row.")
        if outcome.error
        else outcome
    )


def lengths_by_letter(q: Tensor, k: Tensor, v: Tensor) -> dict[str, int]:
    """Store the vectors' lengths, all three under the letter q."""
    return {letter: vector.shape[-1] for letter, vector in zip("qqq", (q, k, v), strict=True)}


def lengths_by_name(q: Tensor, k: Tensor, v: Tensor) -> dict[str, int]:
    """Store each vector's length under its own letter."""
    return {letter: vector.shape[-1] for letter, vector in zip("qkv", (q, k, v), strict=True)}


@NOTEBOOK.mistake("N4 letters", lengths_by_letter, lengths_by_name)
def _letters_outcome(faults: frozenset[str]) -> Outcome:
    trace = run(SETUP)
    lengths = (lengths_by_letter if faults else lengths_by_name)(
        *(trace.value(name)[0] for name in "qkv")
    )
    said = ", ".join(f"{letter} has {size} numbers" for letter, size in lengths.items())
    return Outcome(
        len(lengths) == 3,
        f"as it is written, {said};"
        f" {'nothing is said of k and v' if faults else 'each has a length'}",
    )


def weights_from_the_same_seed(seed: int) -> tuple[Tensor, Tensor]:
    """Sample the table, then W_q from a generator with the same seed."""
    table = init.normal(init.generator(seed), 6, 16)
    return table, init.uniform(init.generator(seed), 24, 16)


def weights_from_the_same_stream(seed: int) -> tuple[Tensor, Tensor]:
    """Sample the table, then W_q from the same generator."""
    source = init.generator(seed)
    return init.normal(source, 6, 16), init.uniform(source, 24, 16)


@NOTEBOOK.mistake("N4 seed", weights_from_the_same_seed, weights_from_the_same_stream)
def _seed_outcome(faults: frozenset[str]) -> Outcome:
    draw = weights_from_the_same_seed if faults else weights_from_the_same_stream
    found = []
    for seed in range(SEEDS):
        table, w_q = (drawn.flatten()[: 6 * 16] for drawn in draw(seed))
        found.append(torch.corrcoef(torch.stack([table, w_q]))[0, 1].item())
    mean = sum(found) / SEEDS
    pairs = f"the numbers of the table and the first {6 * 16} of W_q"
    measured = f"{pairs} have a correlation of {number(mean)}, on average over {SEEDS} seeds"
    return Outcome(abs(mean) < 0.1, measured)
