"""N0: attention without weights, a multi-head module, a block and a text classifier. Little of it
runs as written."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..forward.classifier import classify
from ..forward.encoder import encode
from ..forward.trace import run
from ..ops import attention, heads, masks, norms
from ..setup import presets
from ..setup.setup import Setup
from ..text.written import short
from ..training import init
from .figure import Figure, read_printed
from .inputs import attend_to, letters
from .mistake import Outcome, attempt, describe_range
from .notebook import Notebook

NOTEBOOK = Notebook("N0")
MODULE = {"d_model": 8, "heads": 2, "sizes": "narrow", "out": "d_model", "init": "xavier"}

# Its printed input, to four decimals; the rest is computed from it.
PRINTED_X = read_printed("""
    -0.6576 -0.0910 0.6779 1.7254
    0.7237 -0.8033 0.9599 -1.4178
    -0.3415 -0.3925 -0.8440 0.2096
    -0.7420 -1.5567 -2.0906 -0.9844
    1.1749 0.9946 -0.6373 0.4512
    0.5579 0.8278 1.4489 -0.2451
""").view(2, 3, 4)
PRINTED_SCORES = read_printed("""
    3.8774 -2.1985 0.0499
    -2.1985 4.1004 -1.0393
    0.0499 -1.0393 1.0270
    8.3136 -1.5319 -4.4904
    -1.5319 2.9795 0.4448
    -4.4904 0.4448 3.1559
""").view(2, 3, 3)
PRINTED_WEIGHTS = torch.tensor(
    [0.97650, 0.0022437, 0.021252, 0.0018242, 0.99236, 0.0058146, 0.25041]
)


@NOTEBOOK.system("attention", page="scores", link=presets.N0)
def _attention_figures() -> tuple[Figure, ...]:
    scores = attention.scores(PRINTED_X, attention.transpose(PRINTED_X))
    weights = attention.softmax(scores)
    return (
        Figure("X Xᵀ, both of the batch", scores, PRINTED_SCORES),
        Figure("softmax(X Xᵀ), as far as it is printed", weights, PRINTED_WEIGHTS),
        Figure("y = softmax(X Xᵀ) X", attention.mix(weights, PRINTED_X)),  # y was not printed
    )


@NOTEBOOK.system("heads", page="heads", link=MODULE)
def _heads_figures() -> tuple[Figure, ...]:
    trace = attend_to(
        Setup(text=letters(3), **MODULE), init.normal(init.generator(0), 6, 8).view(2, 3, 8)
    )
    return (Figure("multi-head attention, k = 8, h = 2", trace["output"].value),)


@NOTEBOOK.system("block", page="block", link=MODULE | {"bias": "on", "layers": 1, "d_ff": 32})
def _block_figures() -> tuple[Figure, ...]:
    layer = encode(Setup(**MODULE, bias="on", layers=1, d_ff=32))[0]
    return (Figure("transformer block, feed-forward 4 · k = 32", layer.value("out")),)


@NOTEBOOK.system(
    "classifier",
    page="classifier",
    link=MODULE | {"bias": "on", "positions": "learned", "d_ff": 32},
)
def _classifier_figures() -> tuple[Figure, ...]:
    answer = classify(Setup(**MODULE, bias="on", positions="learned", layers=2, d_ff=32))
    return (
        Figure(
            "log-probabilities, 3 sentences, 2 classes", answer.trace.value("log_probabilities")
        ),
    )


# ---------- mistakes ----------


def split_by_view(x: Tensor, w: Tensor, count: int) -> Tensor:
    """Project to k·h numbers for each token, w (k, k·h), and view them as h heads of k / h: the
    sizes do not match."""
    batch, tokens, k = x.shape
    return attention.project(x, w).view(batch, tokens, count, k // count)


def split_in_heads(x: Tensor, w: Tensor, count: int) -> Tensor:
    """Project to k numbers for each token, w (k, k), and split them into h heads of k / h."""
    return heads.split(attention.project(x, w), count)


@NOTEBOOK.mistake("N0 view", split_by_view, split_in_heads)
def _view_outcome(faults: frozenset[str]) -> Outcome:
    source = init.generator(0)
    x = init.normal(source, 2 * 3, 8).view(2, 3, 8)
    w = init.normal(source, 8, 8 * 2 if faults else 8)

    def work() -> Outcome:
        split = (split_by_view if faults else split_in_heads)(x, w, 2)
        return Outcome(
            True,
            f"(2, 3, 8) becomes {tuple(split.shape)}: 2 heads of 4",
            split[0, 0],
            ("token", "k / h"),
        )

    return attempt(work)


def scale_by_embedding(scores: Tensor, k: int, count: int) -> Tensor:
    """Divide by √k of the whole embedding."""
    return attention.scale(scores, k)


def scale_by_head(scores: Tensor, k: int, count: int) -> Tensor:
    """Divide by √(k / h), the length of this head's queries and keys."""
    return attention.scale(scores, k // count)


@NOTEBOOK.mistake("N0 scale", scale_by_embedding, scale_by_head)
def _scale_outcome(faults: frozenset[str]) -> Outcome:
    k, count = 64, 4
    q, key = torch.randn(2, 200, k // count, generator=init.generator(0))
    scaled = (scale_by_embedding if faults else scale_by_head)(
        attention.scores(q, attention.transpose(key)), k, count
    )
    spread = scaled.std().item()
    largest = attention.softmax(scaled[:, :8]).amax(dim=-1).mean().item()
    measured = (
        f"queries and keys of standard deviation 1 give scaled scores of {spread:.3f}, for k = {k}"
        f" and h = {count}; among 8 words the largest weight is {largest:.1%} on average"
    )
    return Outcome(
        abs(spread - 1) < 0.1, measured, attention.softmax(scaled[:8, :8]), ("query", "key")
    )


class UnifyByGlobal(nn.Module):
    """Build the output layer from a name that is only defined elsewhere."""

    def __init__(self, k_dimensions: int):
        super().__init__()
        self.unify = nn.Linear(k, k)  # noqa: F821 (this is the fault)


class UnifyByArgument(nn.Module):
    """Build the output layer from the argument."""

    def __init__(self, k_dimensions: int):
        super().__init__()
        self.unify = nn.Linear(k_dimensions, k_dimensions)


@NOTEBOOK.mistake("N0 name", UnifyByGlobal, UnifyByArgument)
def _name_outcome(faults: frozenset[str]) -> Outcome:
    def work() -> Outcome:
        module = (UnifyByGlobal if faults else UnifyByArgument)(8)
        return Outcome(
            True, f"an output layer of {module.unify.in_features} × {module.unify.out_features}"
        )

    return attempt(work)


def attend_and_forget(scores: Tensor, mask: bool) -> Tensor:
    """Ignore the mask argument."""
    return attention.softmax(scores)


def attend_and_mask(scores: Tensor, mask: bool) -> Tensor:
    """With `mask`, put −∞ above the diagonal before the softmax."""
    may_attend = masks.causal(scores.shape[-1]) if mask else masks.everyone(scores.shape[-1])
    return attention.softmax(attention.mask(scores, may_attend))


@NOTEBOOK.mistake("N0 mask", attend_and_forget, attend_and_mask)
def _mask_outcome(faults: frozenset[str]) -> Outcome:
    scaled = run(Setup()).value("scaled")[0]
    weights = (attend_and_forget if faults else attend_and_mask)(scaled, mask=True)
    leaked = weights.triu(1).sum(dim=-1)
    measured = (
        f"with the mask asked for, {leaked.max():.1%} of a row's attention still goes to later"
        " words at most"
    )
    return Outcome(bool((leaked == 0).all()), measured, weights, ("query", "key"))


class Block(nn.Module):
    """A block whose size parameter is called `k_dimensions`."""

    def __init__(self, k_dimensions: int, heads: int):
        super().__init__()
        self.sizes = (k_dimensions, heads)


def build_by_other_name() -> nn.Module:
    """Call the block with a keyword that it does not have."""
    return Block(k=8, heads=2)


def build_by_its_name() -> nn.Module:
    """Call the block with its own keyword."""
    return Block(k_dimensions=8, heads=2)


HALF_OUTSIDE = """
def forward(self, x):
    tokens = self.embedding(x)
positions = self.positions(tokens.shape[1])
return self.blocks(tokens + positions)
"""
ALL_INSIDE = """
def forward(self, x):
    tokens = self.embedding(x)
    positions = self.positions(tokens.shape[1])
    return self.blocks(tokens + positions)
"""


@NOTEBOOK.mistake(
    "N0 classifier", build_by_other_name, build_by_its_name, faults=("keyword", "indent")
)
def _classifier_outcome(faults: frozenset[str]) -> Outcome:
    def work() -> Outcome:
        compile(HALF_OUTSIDE if "indent" in faults else ALL_INSIDE, "classifier", "exec")
        (build_by_other_name if "keyword" in faults else build_by_its_name)()
        answer = classify(
            Setup(
                d_model=8,
                heads=2,
                sizes="narrow",
                init="xavier",
                bias="on",
                positions="learned",
                d_ff=32,
            )
        )
        return Outcome(
            True,
            "the classifier is built and runs",
            answer.trace.value("log_probabilities"),
            ("sentence", "class"),
        )

    return attempt(work)


def mix_by_sentence(weights: Tensor, x: Tensor) -> Tensor:
    """Sum the x_ij, as the sentence says: number j of word i, times w_ij."""
    return (weights * x).sum(dim=-1)


def mix_by_formula(weights: Tensor, x: Tensor) -> Tensor:
    """Sum the x_j, as the formula beside it says: all of word j, times w_ij."""
    return attention.mix(weights, x)


@NOTEBOOK.mistake("N0 index", mix_by_sentence, mix_by_formula)
def _index_outcome(faults: frozenset[str]) -> Outcome:
    x = PRINTED_X[0]
    weights = attention.softmax(attention.scores(x, attention.transpose(x)))

    def work() -> Outcome:
        y = (mix_by_sentence if faults else mix_by_formula)(weights, x)
        return Outcome(
            True,
            f"from {len(x)} words of {x.shape[1]} numbers, y is {tuple(y.shape)}",
            y,
            ("token", "k"),
        )

    return attempt(work)


def norm_by_comment(x: Tensor, attended: Tensor) -> Tensor:
    """Norm the attention output, then add the input to it."""
    return x + norms.layer_norm(attended)


def norm_by_code(x: Tensor, attended: Tensor) -> Tensor:
    """Add the input, then norm the sum."""
    return norms.layer_norm(x + attended)


@NOTEBOOK.mistake("N0 norm", norm_by_comment, norm_by_code)
def _norm_outcome(faults: frozenset[str]) -> Outcome:
    x, attended = torch.randn(2, 3, 8, generator=init.generator(0))
    made = (norm_by_comment if faults else norm_by_code)(x, attended)
    apart = (made - F.layer_norm(x + attended, (8,))).abs().max().item()
    spreads = describe_range(made.std(dim=-1, correction=0))
    measured = (
        f"what is said and what the code does differ by at most {short(apart, 4)}; the rows have"
        f" spreads of {spreads}"
    )
    return Outcome(apart < 1e-4, measured, made, ("token", "k"))
