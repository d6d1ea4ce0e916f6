"""Attribution of a word's logit: its direct contributions from each head, source word and other
part.

With each norm's standard deviation treated as a constant, the last row is a sum of what each part
adds to the residual stream, so the logit is the sum of their products with the word's unembedding
column: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ..forward import encoder, next_word
from ..forward.trace import Trace, compute_embedding
from ..ops import heads
from ..ops.attention import softmax
from ..ops.weight_names import Weights
from ..setup.setup import Setup
from ..weights import weights
from . import ablation

ROWS = ("x", "embedded", "positions", "part")  # the parts of x; x itself if they are not known
ROWS_AT_ONCE = 64  # rows whose logits are computed at once
TOP = "shift_top"  # the shift of the norm after the last layer

# The entries of a layer that are used: attention and feed-forward, biases, the norms' input rows,
# gains and shifts.
USED: tuple[str, ...] = ("weights", "v", "w_o", "ffn_activated", "w_2", "b_o", "b_2", "resid_mid")
USED += ("resid_post", "gain_1", "shift_1", "gain_2", "shift_2")


class Summand(NamedTuple):
    """One term of a logit. `name` is "head", "feed_forward" or a name in `others`; layer, head and
    token count from 0, -1 if not applicable."""

    value: float
    name: str
    layer: int = -1
    head: int = -1
    token: int = -1


@dataclass(frozen=True, eq=False)
class Attribution:
    """A logit, or the difference of two, split into its summands.

    `total` is the model's logit. `heads` (layer, head, token) is each head's contribution from each
    word it attends to, α · v · W_o; `feed_forward` (layer,) is each feed-forward part without its
    last bias; `others` is everything else by entry name: the word's embedding `embedded`,
    `positions`, `layer1.b_o`, `layer1.shift_2` …
    """

    total: float
    heads: Tensor
    feed_forward: Tensor
    others: Mapping[str, float]

    @property
    def added_up(self) -> float:
        """The sum of all summands, equal to the total except for rounding."""
        return self.heads.sum().item() + self.feed_forward.sum().item() + sum(self.others.values())

    def sum_by_layer(self) -> tuple[float, Tensor, float]:
        """Return three parts of the total: all below the first layer; each layer's attention and
        feed-forward part, with its bias and the norm after it, (layer, 2); the top norm."""
        parts = torch.stack([self.heads.sum(dim=(1, 2)), self.feed_forward], dim=-1)
        for name, value in self.others.items():
            layer, _, what = name.removeprefix("layer").partition(".")
            if what:
                parts[int(layer) - 1, int(what in ("b_2", "shift_2"))] += value
        below = sum(value for name, value in self.others.items() if "." not in name and name != TOP)
        return below, parts, self.others.get(TOP, 0.0)

    def ranked(self) -> list[Summand]:
        """Return all summands by absolute value, largest first."""
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
        """Return the largest summand by absolute value among the heads."""
        return next(each for each in self.ranked() if each.name == "head")


def take_apart(setup: Setup, word: int, instead: int | None = None) -> Attribution:
    """Split a word's logit, or its difference from the logit of `instead`, into its summands.

    Words are indices into the vocabulary of `next_word.predict`, and the setup is resolved as
    there.

    Raises:
        ValueError: the setup cannot predict a next word; says why.

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
    """Return the index of the word to compare the word at `place` with: the requested one, else the
    most likely other. None if there is no other or the request is the word itself.

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
    """Return the unembedding column of a word, or the difference of two columns: (d_model,),
    float64."""
    unembedding = _unembedding(setup)
    own = unembedding[:, word].double()
    return own if instead is None else own - unembedding[:, instead].double()


def _unembedding(setup: Setup) -> Tensor:
    """Return the unembedding as stored: (d_model, word)."""
    if setup.real is not None:
        return setup.real.unembedding
    return (
        weights.get_embedding_table(setup).T
        if setup.unembedding == "tied"
        else weights.get_unembedding(setup)
    )


def attribute_run(bottom: Trace, layers: Sequence[Trace], column: Tensor) -> Attribution:
    """Return the attribution for existing traces: `bottom` up to x, one of `layers` for each block;
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
        if setup.norm == "post":  # pre-norm does not norm the stream itself
            down.through("2", layer, layer["resid_post"][-1], f"layer{n}.")
        down.bring(layer, ["b_2"], f"layer{n}.")
        fed.append(layer["ffn_activated"][-1] @ (layer["w_2"] @ down.counts))
        if setup.norm == "post":
            down.through("1", layer, layer["resid_mid"][-1], f"layer{n}.")
        down.bring(layer, ["b_o"], f"layer{n}.")
        back = (
            layer["w_o"] @ down.counts if "w_o" in layer else down.counts
        )  # without W_o, the head's context is the output
        of_heads.append(read_by_heads(layer["weights"][:, -1], layer["v"], back))
    rows = {name: entry.value[-1] for name, entry in bottom.items() if name in ("summed", *ROWS)}
    if "summed" in rows:
        down.through("0", around, rows["summed"].double())
    down.bring(rows, ROWS[1:] if "embedded" in rows else ROWS)  # a user's own X has no known parts
    return Attribution(
        total.item(),
        torch.stack(of_heads[::-1]),
        torch.stack(fed[::-1]),
        dict(reversed(down.contributions.items())),
    )


class _Descent:
    """Propagate the logit's gradient by the last word's row (d_model,) down the residual stream and
    its norms alone, to the embedding, keeping the contributions of single rows by name."""

    def __init__(self, setup: Setup, counts: Tensor) -> None:
        self.setup, self.counts = setup, counts
        self.contributions: dict[str, float] = {}

    def bring(self, rows: Weights, names: Sequence[str], prefix: str = "") -> None:
        """Record the contribution of each of these rows (d_model,) that exists."""
        self.contributions |= {
            f"{prefix}{name}": (rows[name].double() @ self.counts).item()
            for name in names
            if name in rows
        }

    def through(self, which: str, weights: Weights, row: Tensor, prefix: str = "") -> None:
        """Propagate through a norm of this row (d_model,), with its shift and gain if any."""
        self.bring(weights, [f"shift_{which}"], prefix)
        if f"gain_{which}" in weights:
            self.counts = self.counts * weights[f"gain_{which}"].double()
        self.counts = through_norm(self.counts, row, self.setup)


def through_norm(counts: Tensor, row: Tensor, setup: Setup) -> Tensor:
    """Propagate a gradient (d_model,) from a norm's output to its input row (d_model,), with the
    row's standard deviation treated as a constant; for layer norm, less the gradient's mean.

    >>> through_norm(
    ...     torch.tensor([1.0, 0.0]), torch.tensor([-2.0, 2.0]), Setup(norm_kind="layer")
    ... ).round(decimals=3).tolist()
    [0.25, -0.25]
    """
    if setup.norm_kind == "rms":
        return counts / torch.sqrt(row.square().mean() + setup.epsilon)
    return (counts - counts.mean()) / torch.sqrt(row.var(correction=0) + setup.epsilon)


def read_by_heads(weights: Tensor, v: Tensor, back: Tensor) -> Tensor:
    """Return each head's contribution from each word that one query attends to, α · v · `back`,
    which is W_o · gradient: (head, token), (kv_head, token, d_v), (head·d_v,) → (head, token).

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
    """The prediction after the embedding and after each layer, for each token: the most likely
    word, its probability, and the probability of the last layer's prediction: (layer + 1, token)
    each."""

    words: Tensor
    shares: Tensor
    of_answer: Tensor

    @property
    def first(self) -> Tensor:
        """After how many layers each token's last prediction is first the most likely: (token,)."""
        return (self.words == self.words[-1]).int().argmax(dim=0)


def lens(setup: Setup) -> Lens:
    """Return the prediction after each layer, through the top norm if there is one: nostalgebraist
    2020, "interpreting GPT: the logit lens".

    Raises:
        ValueError: the setup cannot predict a next word; says why.

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
    """Return the logits after each word, (token, word), treating a layer's output (token, d_model)
    as the last layer's."""
    if setup.real is not None:
        return setup.real.unembed(setup.real.top(out))
    return next_word.logits(out, _unembedding(setup))


def ablate_head(setup: Setup, layer: int, head: int) -> Trace:
    """Return the next word's trace with one head ablated (layer and head from 0) and all layers
    computed again. Unlike the summands, its logits include the head's effect through later parts.
    Michel, Levy and Neubig 2019, section 3.

    Raises:
        ValueError: the setup cannot predict a next word; says why.
    """
    layers = [*weights.layers(next_word.resolve_setup(setup))]
    layers[layer] = ablation.zero_head_rows(layers[layer], head, setup)
    return next_word.predict(setup, tuple(layers))
