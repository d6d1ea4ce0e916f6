"""The systems of the five notebooks (N0 to N4) with their own settings, and what they printed beside what comes out here.

Nothing here depends on a reader's setup, so each is computed once. A notebook that prints numbers without a seed can
only be compared by shape; where one prints nothing, or does not run, that is said.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from core import attention, heads, masks, parameters, presets
from core.classifier import classify
from core.encoder import draw_stack, encode, stack
from core.setup import Setup
from core.trace import Entry, attend, keeper, run


@dataclass(frozen=True, eq=False)
class Figure:
    """One thing a notebook printed, and ours. `published` is a shape, numbers, or None where nothing was printed."""

    what: str
    ours: Tensor
    published: tuple[int, ...] | Tensor | None = None

    @property
    def difference(self) -> float | None:
        """The largest absolute difference from the printed numbers; None for a shape."""
        if not isinstance(self.published, Tensor):
            return None
        return (self.ours.flatten()[: self.published.numel()] - self.published.flatten()).abs().max().item()

    @property
    def agrees(self) -> bool:
        """The printed shape exactly, or the printed numbers but for the rounding of what was printed."""
        if isinstance(self.published, Tensor):
            return self.difference <= ROUNDING
        return self.published is None or tuple(self.ours.shape) == self.published


# N0's own input is only known as printed, four decimals; its products inherit that.
ROUNDING = 2e-4


@dataclass(frozen=True)
class System:
    """One system of a notebook: what it is, with which sizes, and where the explorer shows it on any sentence."""

    notebook: str
    title: str
    builds: str
    page: str
    link: dict[str, object]
    figures: Callable[[], tuple[Figure, ...]]


N0_X = torch.tensor(
    [
        [[-0.6576, -0.0910, 0.6779, 1.7254], [0.7237, -0.8033, 0.9599, -1.4178], [-0.3415, -0.3925, -0.8440, 0.2096]],
        [[-0.7420, -1.5567, -2.0906, -0.9844], [1.1749, 0.9946, -0.6373, 0.4512], [0.5579, 0.8278, 1.4489, -0.2451]],
    ]
)
N0_SCORES = torch.tensor(
    [
        [[3.8774, -2.1985, 0.0499], [-2.1985, 4.1004, -1.0393], [0.0499, -1.0393, 1.0270]],
        [[8.3136, -1.5319, -4.4904], [-1.5319, 2.9795, 0.4448], [-4.4904, 0.4448, 3.1559]],
    ]
)
N0_WEIGHTS = torch.tensor([0.97650, 0.0022437, 0.021252, 0.0018242, 0.99236, 0.0058146, 0.25041])
N4_X = torch.tensor([0.3374, -0.1778, -0.3035, -0.5880])
N4_SCORES = torch.tensor([8.5808, -7.6597, 3.2558, 1.0395, 11.1466, -0.4800])
N4_WEIGHTS = torch.tensor([0.2912, 0.0106, 0.0982, 0.0625, 0.4917, 0.0458])
N4_CONTEXT = torch.tensor(
    [-1.5993, 0.0156, 1.2670, 0.0032, -0.6460, -1.1407, -0.4908, -1.4632, 0.4747, 1.1926, 0.4506, -0.7110, 0.0602, 0.7125,
     -0.1628, -2.0184, 0.3838, -2.1188, -0.8136, -1.5694, 0.7934, -0.2911, -1.3640, -0.2366, -0.9564, -0.5265, 0.0624, 1.7084]
)  # fmt: skip
# The published result of its heads is wrong: see core.mistakes, which makes it again.
N4_OUTPUT = torch.tensor([4.0896e-02, -3.4264e-04, -1.9216e02, -4.2820e-02, -3.3769e-02, 1.1699e02])


def letters(count: int) -> str:
    """A text of so many tokens, for systems whose input is not words."""
    return " ".join("abcdefghijklmnopqrstuvwxyz"[:count])


def attend_to(setup: Setup, x: Tensor) -> dict[str, Entry]:
    """Multi-head attention on an input that is not words: x (batch, token, d_model)."""
    made: dict[str, Entry] = {}
    allowed = masks.everyone(x.shape[1]).expand(len(x), -1, -1)
    attend(setup, parameters.draw(setup), x, keeper(made), allowed)
    return made


@cache
def _n0_attention() -> tuple[Figure, ...]:
    scores = attention.scores(N0_X, attention.transpose(N0_X))
    weights = attention.softmax(scores)
    return (
        Figure("X Xᵀ, both of the batch", scores, N0_SCORES),
        Figure("softmax(X Xᵀ), as far as it is printed", weights, N0_WEIGHTS),
        Figure("softmax(X Xᵀ) X", attention.mix(weights, N0_X), tuple(N0_X.shape)),
    )


N0_MODULE = {"d_model": 8, "heads": 2, "sizes": "narrow", "out": "d_model", "init": "xavier"}


@cache
def _n0_heads() -> tuple[Figure, ...]:
    made = attend_to(Setup(text=letters(3), **N0_MODULE), parameters.normal(parameters.stream(0), 6, 8).view(2, 3, 8))
    return (Figure("multi-head attention, k = 8, h = 2", made["output"].value),)


@cache
def _n0_block() -> tuple[Figure, ...]:
    layer = encode(Setup(**N0_MODULE, bias="on", layers=1, d_ff=32))[0]
    return (Figure("transformer block, feed-forward 4 · k = 32", layer.value("out")),)


@cache
def _n0_classifier() -> tuple[Figure, ...]:
    made = classify(Setup(**N0_MODULE, bias="on", positions="learned", layers=2, d_ff=32))
    return (Figure("log-probabilities, 3 sentences, 2 classes", made.trace.value("log_probabilities")),)


@cache
def _n1_wide() -> tuple[Figure, ...]:
    x = torch.rand(8, 5, 10, generator=parameters.stream(0))
    made = attend_to(Setup(text=letters(5), **presets.N1), x)
    return (Figure("output", made["output"].value, (8, 5, 10)),)


N2_SETUP = presets.N2 | {"heads": 1, "d_ff": 10}


@cache
def _n2_attention() -> tuple[Figure, ...]:
    q, k, v = torch.rand(3, 1, 2, 10, 10, generator=parameters.stream(0))
    scores = attention.scale(attention.scores(q, attention.transpose(k)), d_k=10)
    weights = attention.softmax(scores)
    return (
        Figure("scores", scores, (1, 2, 10, 10)),
        Figure("weights", weights, (1, 2, 10, 10)),
        Figure("output", attention.mix(weights, v), (1, 2, 10, 10)),
    )


@cache
def _n2_heads() -> tuple[Figure, ...]:
    x = torch.rand(1, 10, 10, generator=parameters.stream(0))
    made = attend_to(Setup(text=letters(10), **(N2_SETUP | {"heads": 2})), x)
    return (
        Figure("output, given (1, 10, 10) as the module expects", made["output"].value),
        Figure("weights", made["weights"].value),
    )


@cache
def _n2_encoder() -> tuple[Figure, ...]:
    x = torch.rand(1, 10, 10, generator=parameters.stream(0))
    setup = Setup(text=letters(10), layers=1, **N2_SETUP)
    out = stack(setup, draw_stack(setup), x, masks.everyone(10)[None])[0].value("out")
    # It hands over a head's axis of 1: the same numbers, one axis more.
    return (Figure("encoder, with the axis of 1 that it carries along", out[:, None], (1, 1, 10, 10)),)


@cache
def _n2_classifier() -> tuple[Figure, ...]:
    made = classify(Setup(text=letters(10), others="", layers=1, **N2_SETUP))
    return (Figure("one prediction a token", made.trace.value("token_logits"), (1, 10, 2)),)


@cache
def n3_ways() -> tuple[Tensor, Tensor, Tensor]:
    """N3's layer all at once and token by token: the two outputs, (10, 20, 4), and the weights."""
    x = torch.randn(10, 20, 4, generator=parameters.stream(0))
    setup = Setup(text=letters(20), **presets.N3)
    made = attend_to(setup, x)
    drawn = parameters.draw(setup)
    w_q, w_k, w_v = (drawn[f"w_{name}"][0] for name in "qkv")
    b_q, b_k, b_v = (drawn[f"b_{name}"][0] for name in "qkv")
    rows = []
    for sentence in x:
        keys, values = attention.project(sentence, w_k, b_k), attention.project(sentence, w_v, b_v)
        for token in sentence:
            query = attention.project(token[None], w_q, b_q)
            scores = attention.scale(attention.scores(query, attention.transpose(keys)), d_k=2)
            rows.append(attention.mix(attention.softmax(scores), values))
    one_by_one = heads.combine(torch.cat(rows), drawn["w_o"], drawn["b_o"]).view(10, 20, 4)
    return made["output"].value, one_by_one, made["weights"].value[:, 0]


@cache
def _n3_layer() -> tuple[Figure, ...]:
    at_once, one_by_one, weights = n3_ways()
    return (
        Figure("output, all at once", at_once, (10, 20, 4)),
        Figure("output, token by token", one_by_one, (10, 20, 4)),
        Figure("weights", weights, (10, 20, 20)),
    )


@cache
def _n4_single() -> tuple[Figure, ...]:
    trace = run(Setup())
    return (
        Figure("ids", trace.value("ids"), torch.tensor([0, 4, 5, 2, 1, 3])),
        Figure("x of “Life”, first four", trace.value("x")[0, :4], N4_X),
        Figure("ω₂, second word", trace.value("scores")[0, 1], N4_SCORES),
        Figure("α₂", trace.value("weights")[0, 1], N4_WEIGHTS),
        Figure("z₂", trace.value("context")[0, 1], N4_CONTEXT),
    )


@dataclass(frozen=True, eq=False)
class N4Heads:
    """What N4's three heads start from: x (token, d_model), weights by head, W_o. It draws them after the single head's."""

    x: Tensor
    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    w_o: Tensor


@cache
def n4_heads() -> N4Heads:
    """From the notebook's own stream: one head's weights, then three heads', then W_o."""
    source = parameters.stream(123)
    for size in (24, 24, 28):
        parameters.uniform(source, size, 16)
    w_q, w_k, w_v = (torch.rand(3, size, 16, generator=source).mT for size in (24, 24, 28))
    return N4Heads(run(Setup()).value("x"), w_q, w_k, w_v, torch.rand(84, 28, generator=source))


@cache
def _n4_multi() -> tuple[Figure, ...]:
    made = n4_heads()
    q, k, v = (attention.project(made.x, w) for w in (made.w_q, made.w_k, made.w_v))
    weights = attention.softmax(attention.scale(attention.scores(q, attention.transpose(k)), d_k=24))
    context = attention.mix(weights, v)
    return (
        Figure("queries, laid on their side", q.mT, (3, 24, 6)),
        Figure("scores", weights, (3, 6, 6)),
        Figure("context, laid on its side", context.mT, (3, 28, 6)),
        Figure("W_o", made.w_o, (84, 28)),
        Figure("output, on its side; numbers: see its mistakes", heads.combine(heads.concatenate(context), made.w_o).T, (28, 6)),
    )  # fmt: skip


SYSTEMS = (
    System("N0", "Attention without weights", "softmax(X Xᵀ) X on a batch of 2 × 3 × 4 whose numbers it prints.",
           "scores", presets.N0, _n0_attention),
    System("N0", "Multi-head attention", "Narrow heads, k / h numbers each. As written it cannot run; this is the repaired one.",
           "heads", N0_MODULE, _n0_heads),
    System("N0", "Transformer block", "Attention, add, norm, feed-forward, add, norm. It prints nothing here.",
           "block", N0_MODULE | {"bias": "on", "layers": 1, "d_ff": 32}, _n0_block),
    System("N0", "Text classifier", "Words and positions embedded, blocks, the mean of the words, log-softmax. It does not run as "
           "written and prints nothing.",
           "classifier", N0_MODULE | {"bias": "on", "positions": "learned", "d_ff": 32}, _n0_classifier),
    System("N1", "Wide multi-head attention", "20 heads with all 10 dimensions each; queries and keys divided by 10^¼ each. A batch "
           "of 8 × 5 × 10 drawn without a seed: only its shape can be compared.",
           "heads", presets.N1, _n1_wide),
    System("N2", "Scaled dot-product attention", "Queries, keys and values of two heads drawn directly, without a seed.",
           "weights", N2_SETUP | {"heads": 2}, _n2_attention),
    System("N2", "Narrow multi-head attention", "Two heads of 5 that share d_model = 10, with biases. It prints the shapes of the "
           "folded call: see the mistakes.",
           "heads", N2_SETUP | {"heads": 2}, _n2_heads),
    System("N2", "Encoder layer and stack", "Post-norm, feed-forward of 10, one layer.",
           "encoder", N2_SETUP | {"layers": 1}, _n2_encoder),
    System("N2", "Classifier a token", "The stack and one linear map: a prediction for each token.",
           "classifier", N2_SETUP | {"layers": 1}, _n2_classifier),
    System("N3", "One layer, two ways", "Token by token, then all at once: embedding 4, keys 2, biases, back to 4. A batch of "
           "10 × 20 × 4 drawn without a seed.",
           "projection", presets.N3 | {"way": "one token"}, _n3_layer),
    System("N4", "The seven steps", "The sentence that this explorer starts with, its second word in full. Seeded: to the last "
           "printed digit.",
           "weights", {}, _n4_single),
    System("N4", "Three heads and W_o", "Drawn after the single head's weights from the same stream, so these are not the seven "
           "pages' heads.",
           "heads", {}, _n4_multi),
)  # fmt: skip
