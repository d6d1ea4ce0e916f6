"""Why this word: its logit as a sum over all heads and the words they read, and over all else that
adds to the last row.

With the spread of every norm as it was in this run, the last row is a sum of what each part added
to it, and its product with a word's column of the unembedding is the sum of their products: Elhage
et al. 2021, "A Mathematical Framework for Transformer Circuits".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from . import encoder, heads, next_word, switched_off, weights
from .attention import softmax
from .names import Weights
from .setup import Setup
from .trace import Trace, compute_embedding

ROWS = (
    "x",
    "embedded",
    "positions",
    "part",
)  # what the last word's row is made of below the first layer: x, or those of it

ROWS_AT_ONCE = 64  # for which all words of a wide vocabulary have a number
TOP = "shift_top"  # of the norm above the last layer

# What is asked of a layer: what reads and feeds, what is added as it is, the rows that norms take
# in, and what norms add.
USED = (
    "weights",
    "v",
    "w_o",
    "ffn_activated",
    "w_2",
    "b_o",
    "b_2",
    "resid_mid",
    "resid_post",
    "gain_1",
    "shift_1",
    "gain_2",
    "shift_2",
)


class Summand(NamedTuple):
    """One part of a logit. `name` is "head", "feed_forward" or its name among `others`; layer, head
    and token are from 0, -1 where it has none."""

    value: float
    name: str
    layer: int = -1
    head: int = -1
    token: int = -1


@dataclass(frozen=True, eq=False)
class Attribution:
    """A logit, or the difference of two, and what it is the sum of.

    `total` is what the stack says. `heads` (layer, head, token) is what each head brings by each
    word that it reads, α · v · W_o; `feed_forward` (layer,) what each feed-forward part brings
    without its last bias; `others` all else by the names of its entries: the word's own row
    `compute_embedding`, its place `positions`, `layer1.b_o`, `layer1.shift_2` …
    """

    total: float
    heads: Tensor
    feed_forward: Tensor
    others: Mapping[str, float]

    @property
    def added_up(self) -> float:
        """The sum of all: the total, but for rounding."""
        return self.heads.sum().item() + self.feed_forward.sum().item() + sum(self.others.values())

    def sum_by_layer(self) -> tuple[float, Tensor, float]:
        """Return the same sum on its way up: what there is below the first layer, what each layer's
        attention and its feed-forward part bring, each with its bias and the norm that follows it,
        (layer, 2), and the norm at the top."""
        parts = torch.stack([self.heads.sum(dim=(1, 2)), self.feed_forward], dim=-1)
        for name, value in self.others.items():
            layer, _, what = name.removeprefix("layer").partition(".")
            if what:
                parts[int(layer) - 1, int(what in ("b_2", "shift_2"))] += value
        below = sum(value for name, value in self.others.items() if "." not in name and name != TOP)
        return below, parts, self.others.get(TOP, 0.0)

    def ranked(self) -> list[Summand]:
        """Return every summand, the one that brings most either way first."""
        _, of_layer, tokens = self.heads.shape
        found = [
            Summand(value, "head", k // (of_layer * tokens), k // tokens % of_layer, k % tokens)
            for k, value in enumerate(self.heads.flatten().tolist())
        ]
        found += [
            Summand(value, "feed_forward", n) for n, value in enumerate(self.feed_forward.tolist())
        ]
        found += [Summand(value, name) for name, value in self.others.items()]
        return sorted(found, key=lambda each: -abs(each.value))

    def by_a_head(self) -> Summand:
        """Return what brings most either way of what heads bring by one word each."""
        return next(each for each in self.ranked() if each.name == "head")


def take_apart(setup: Setup, word: int, instead: int | None = None) -> Attribution:
    """Return what the logit of a word is the sum of, or the difference of two words' logits: of the
    word less `instead`.

    Words are places in the vocabulary of `next_word.predict`, whose setup in force this is, too.

    Raises:
        ValueError: no next word is said with the setup; says why.

    >>> apart = take_apart(Setup(text="the cat the mat", heads=2, layers=1), word=0, instead=2)
    >>> apart.heads.shape, [*apart.others], abs(apart.total - apart.added_up) < 1e-3
    (torch.Size([1, 2, 4]), ['embedded'], True)
    """
    causal = next_word.resolve_setup(setup)
    bottom = compute_embedding(causal)
    return attribute_run(
        bottom, encoder.encode(causal, bottom.value("x")), column(causal, word, instead)
    )


def other_word(trace: Trace, place: int, wish: str) -> int | None:
    """Return the word, by its place, that the one at `place` is compared with: the one that was
    asked for, or else the likeliest other. None where that is the word itself, or there is no
    other.

    >>> trace = next_word.predict(Setup(text="the cat the mat"))
    >>> other_word(trace, 0, "mat"), other_word(trace, 0, "cat"), other_word(trace, 0, "dog") in (
    ...     1,
    ...     2,
    ... )
    (1, None, True)
    """
    asked = next_word.place_of(trace, wish) if wish else None
    if asked is not None:
        return None if asked == place else asked
    return next((other for other in next_word.likeliest(trace) if other != place), None)


def column(setup: Setup, word: int, instead: int | None = None) -> Tensor:
    """Return what the last row is multiplied with for a word's logit, or for one word's less
    another's: (d_model,), float64."""
    unembedding = _unembedding(setup)
    own = unembedding[:, word].double()
    return own if instead is None else own - unembedding[:, instead].double()


def _unembedding(setup: Setup) -> Tensor:
    """Return the unembedding as it is stored: (d_model, word)."""
    if setup.real is not None:
        return setup.real.unembedding
    return (
        weights.get_embedding_table(setup).T
        if setup.unembedding == "tied"
        else weights.get_unembedding(setup)
    )


def attribute_run(bottom: Trace, layers: Sequence[Trace], column: Tensor) -> Attribution:
    """Return the same of a run that was made: `bottom` has the steps up to x, `layers` each block;
    `column` is (d_model,)."""
    setup, last = bottom.setup, layers[-1].value("out")[-1].double()
    down = _Descent(setup, column.double())
    around = setup.real.around if setup.real else {}
    total = (setup.real.top(last) if setup.real else last) @ down.counts
    if "gain_top" in around:
        down.through("top", around, last)
    of_heads, fed = [], []
    for n in range(len(layers), 0, -1):
        layer = {name: layers[n - 1].value(name).double() for name in USED if name in layers[n - 1]}
        if setup.norm == "post":  # with pre-norm the stream itself is only added to
            down.through("2", layer, layer["resid_post"][-1], f"layer{n}.")
        down.bring(layer, ["b_2"], f"layer{n}.")
        fed.append(layer["ffn_activated"][-1] @ (layer["w_2"] @ down.counts))
        if setup.norm == "post":
            down.through("1", layer, layer["resid_mid"][-1], f"layer{n}.")
        down.bring(layer, ["b_o"], f"layer{n}.")
        back = (
            layer["w_o"] @ down.counts if "w_o" in layer else down.counts
        )  # without W_o the one head's context is the output
        of_heads.append(read_by_heads(layer["weights"][:, -1], layer["v"], back))
    rows = {name: entry.value[-1] for name, entry in bottom.items() if name in ("summed", *ROWS)}
    if "summed" in rows:
        down.through("0", around, rows["summed"].double())
    down.bring(
        rows, ROWS[1:] if "embedded" in rows else ROWS
    )  # of a reader's own X nothing more is known
    return Attribution(
        total.item(),
        torch.stack(of_heads[::-1]),
        torch.stack(fed[::-1]),
        dict(reversed(down.brought.items())),
    )


class _Descent:
    """The way from the top of the stack down, with one row (d_model,): how much each number of the
    last word's row, at that height, counts for the logit. What single rows bring is kept by
    name."""

    def __init__(self, setup: Setup, counts: Tensor) -> None:
        self.setup, self.counts = setup, counts
        self.brought: dict[str, float] = {}

    def bring(self, rows: Weights, names: Sequence[str], prefix: str = "") -> None:
        """Keep what each of these rows (d_model,) brings that is added to the stream here; one that
        is not there brings nothing."""
        self.brought |= {
            f"{prefix}{name}": (rows[name].double() @ self.counts).item()
            for name in names
            if name in rows
        }

    def through(self, which: str, weights: Weights, row: Tensor, prefix: str = "") -> None:
        """Go below a norm of this row (d_model,), past its shift and its gain where it has
        these."""
        self.bring(weights, [f"shift_{which}"], prefix)
        if f"gain_{which}" in weights:
            self.counts = self.counts * weights[f"gain_{which}"].double()
        self.counts = through_norm(self.counts, row, self.setup)


def through_norm(counts: Tensor, row: Tensor, setup: Setup) -> Tensor:
    """Return how much each number of a row (d_model,) counts below its norm, of how much each
    counts above it, (d_model,): divided by the row's own spread, which is taken as it is, and for a
    layer norm less their mean.

    >>> through_norm(
    ...     torch.tensor([1.0, 0.0]), torch.tensor([-2.0, 2.0]), Setup(norm_kind="layer")
    ... ).round(decimals=3).tolist()
    [0.25, -0.25]
    """
    if setup.norm_kind == "rms":
        return counts / torch.sqrt(row.square().mean() + setup.epsilon)
    return (counts - counts.mean()) / torch.sqrt(row.var(correction=0) + setup.epsilon)


def read_by_heads(weights: Tensor, v: Tensor, back: Tensor) -> Tensor:
    """Return what each head brings by each word that one word reads, α · v · W_o · counts, where
    `back` is W_o · counts: (head, token), (kv_head, token, d_v), (head·d_v,) → (head, token).

    >>> read_by_heads(
    ...     torch.tensor([[0.25, 0.75]]),
    ...     torch.tensor([[[4.0, 0.0], [0.0, 4.0]]]),
    ...     torch.tensor([1.0, 10.0]),
    ... ).tolist()
    [[1.0, 30.0]]
    """
    of_heads = heads.share(v, len(weights)) @ back.view(len(weights), -1, 1)
    return weights * of_heads.squeeze(-1)


@dataclass(frozen=True, eq=False)
class Lens:
    """What the stack would say if it ended below the first layer, after it, and so on to the last:
    after each token of the sentence the likeliest word, its share, and the share of the answer, the
    word that the last layer says there: (layer + 1, token) each."""

    words: Tensor
    shares: Tensor
    of_answer: Tensor

    @property
    def first(self) -> Tensor:
        """After how many layers each token's answer first is the likeliest: (token,)."""
        return (self.words == self.words[-1]).int().argmax(dim=0)


def lens(setup: Setup) -> Lens:
    """Return what each layer would say, through the norm at the top where there is one:
    nostalgebraist 2020, "interpreting GPT: the logit lens".

    Raises:
        ValueError: no next word is said with the setup; says why.

    >>> lens(Setup(text="the cat the mat", layers=3)).words.shape
    torch.Size([4, 4])
    """
    causal = next_word.resolve_setup(setup)
    x, layers = compute_embedding(causal).value("x"), weights.layers(causal)
    outs = torch.stack(
        [x, *encoder.compute_outputs(causal, layers, x, weights.may_attend(causal, len(x)))]
    )
    answer = compute_logits(causal, outs[-1]).argmax(dim=-1).repeat(len(outs))
    found = []
    for rows, answers in zip(
        outs.flatten(0, 1).split(ROWS_AT_ONCE), answer.split(ROWS_AT_ONCE), strict=True
    ):
        shares = softmax(compute_logits(causal, rows))
        found.append((*shares.max(dim=-1)[::-1], shares.gather(-1, answers[:, None])[:, 0]))
    return Lens(*(torch.cat(parts).view(outs.shape[:2]) for parts in zip(*found, strict=True)))


def compute_logits(setup: Setup, out: Tensor) -> Tensor:
    """Return the logits after each word, (token, word), as if a layer's out, (token, d_model), were
    the last one's."""
    if setup.real is not None:
        return setup.real.unembed(setup.real.top(out))
    return next_word.logits(out, _unembedding(setup))


def ablate_head(
    setup: Setup, layer: int, head: int, word: int, instead: int | None = None
) -> float:
    """Return the same logit, or difference of two, with one head off, layer and head from 0, and
    all above it computed again: unlike its summands, that has what the head does through later
    parts. Michel, Levy and Neubig 2019, section 3.

    Raises:
        ValueError: no next word is said with the setup; says why.
    """
    causal = next_word.resolve_setup(setup)
    x, layers, may_attend = (
        compute_embedding(causal).value("x"),
        weights.layers(causal),
        weights.may_attend(causal, len(causal.tokens)),
    )
    x = [x, *encoder.compute_outputs(causal, layers[:layer], x, may_attend)][-1]
    return said_of(
        causal, out_without(causal, layers[layer:], x, head), column(causal, word, instead)
    )


def out_without(setup: Setup, layers: tuple[Weights, ...], x: Tensor, head: int) -> Tensor:
    """Return what the stack hands on, (token, d_model), with one head, from 0, off: `layers` are
    its own and those above it, x (token, d_model) is what comes in there."""
    changed = (_off(setup, layers[0], head), *layers[1:])
    return encoder.result(setup, changed, x, weights.may_attend(setup, len(x)))


def said_of(setup: Setup, out: Tensor, column: Tensor) -> float:
    """Return the logit, or difference of two, of what a stack hands on, (token, d_model); `column`
    is (d_model,)."""
    top = setup.real.top(out[-1]) if setup.real else out[-1]
    return (top.double() @ column).item()


def _off(setup: Setup, of_layer: Weights, head: int) -> Weights:
    """Return a layer's weights with one head, from 0, at 0 on the way back."""
    if "w_o" in of_layer:
        return switched_off.zero_head_rows(of_layer, head, setup.heads)
    return of_layer | {
        "w_o": torch.zeros(setup.d_model, setup.d_model)
    }  # the only head has no W_o: now it has one that says nothing
