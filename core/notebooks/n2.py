"""N2: the paper's parts one by one, with dropout, an encoder and a classifier."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor, nn

from ..forward.classifier import classify
from ..forward.encoder import stack
from ..layers import block
from ..ops import attention, masks
from ..setup import presets
from ..setup.setup import Setup
from ..training import init
from ..weights.weights import layers
from .figure import Figure
from .inputs import attend_to, letters
from .mistake import Outcome, attempt, describe_range
from .notebook import Notebook

NOTEBOOK = Notebook("N2")
SETUP = presets.N2 | {"heads": 1, "d_ff": 10}


@NOTEBOOK.system("attention", page="weights", link=SETUP | {"heads": 2, "sizes": "wide"})
def _attention_figures() -> tuple[Figure, ...]:
    q, k, v = torch.rand(3, 1, 2, 10, 10, generator=init.generator(0))
    scores = attention.scale(attention.scores(q, attention.transpose(k)), d_k=10)
    weights = attention.softmax(scores)
    return (
        Figure("scores", scores, (1, 2, 10, 10)),
        Figure("weights", weights, (1, 2, 10, 10)),
        Figure("output", attention.mix(weights, v), (1, 2, 10, 10)),
    )


@NOTEBOOK.system("heads", page="heads", link=SETUP | {"heads": 2})
def _heads_figures() -> tuple[Figure, ...]:
    x = torch.rand(1, 10, 10, generator=init.generator(0))
    trace = attend_to(Setup(text=letters(10), **(SETUP | {"heads": 2})), x)
    return (
        Figure("output, given (1, 10, 10) as the module expects", trace["output"].value),
        Figure("weights", trace["weights"].value),
    )


@NOTEBOOK.system("encoder", page="encoder", link=SETUP | {"layers": 1})
def _encoder_figures() -> tuple[Figure, ...]:
    x = torch.rand(1, 10, 10, generator=init.generator(0))
    setup = Setup(text=letters(10), layers=1, **SETUP)
    out = stack(setup, layers(setup), x, masks.everyone(10)[None])[0].value("out")
    # It passes a head axis of size 1: the same numbers, one more axis.
    return (
        Figure("encoder, with the axis of 1 that it carries along", out[:, None], (1, 1, 10, 10)),
    )


@NOTEBOOK.system("classifier", page="classifier", link=SETUP | {"layers": 1})
def _classifier_figures() -> tuple[Figure, ...]:
    answer = classify(Setup(text=letters(10), others="", layers=1, **SETUP))
    return (Figure("one prediction a token", answer.trace.value("token_logits"), (1, 10, 2)),)


# ---------- mistakes ----------


def fold_heads(x: Tensor) -> Tensor:
    """Flatten all axes but the first and last, as a module for (batch, token, d_model) does with
    four axes."""
    return x.reshape(x.shape[0], -1, x.shape[-1])


def one_axis_less(x: Tensor) -> Tensor:
    """Pass (batch, token, d_model), and let the module split the heads."""
    return x[:, 0]


@NOTEBOOK.mistake("N2 folded heads", fold_heads, one_axis_less)
def _describe_folded(faults: frozenset[str]) -> Outcome:
    module_input = torch.rand(1, 2, 10, 10, generator=init.generator(0))
    x = (fold_heads if faults else one_axis_less)(module_input)
    trace = attend_to(Setup(text=letters(x.shape[1]), **(SETUP | {"heads": 2})), x)
    weights, output = trace["weights"].value, trace["output"].value
    across = weights[0, 0, :10, 10:].sum(dim=-1)
    measured = f"weights {tuple(weights.shape)}, output {tuple(output.shape)}"
    if faults:
        measured += (
            f"; {describe_range(across)} of a word's attention goes to the other “head”, which is"
            " no part of its sentence"
        )
    return Outcome(x.shape[1] == 10, measured, weights[0, 0], ("query", "key"))


def weights_while_training(weights: Tensor, dropout_mask: Tensor) -> Tensor:
    """Leave dropout on, at a rate of a tenth."""
    return attention.dropout(weights, dropout_mask, rate=0.1)


def weights_as_used(weights: Tensor, dropout_mask: Tensor) -> Tensor:
    """Disable dropout before looking: all weights as they are."""
    return weights


@NOTEBOOK.mistake("N2 dropout", weights_while_training, weights_as_used)
def _dropout_outcome(faults: frozenset[str]) -> Outcome:
    q, k = torch.rand(2, 10, 10, generator=init.generator(0))
    weights = attention.softmax(
        attention.scale(attention.scores(q, attention.transpose(k)), d_k=10)
    )
    dropout_mask = init.dropout_mask(Setup(dropout=0.1), 10, 10)
    shown = (weights_while_training if faults else weights_as_used)(weights, dropout_mask)
    sums = shown.sum(dim=-1)
    said = ", ".join(f"{value:.2f}" for value in sums[:4].tolist())
    return Outcome(
        bool(torch.allclose(sums, torch.ones(10))),
        f"the rows sum to {said} …",
        shown,
        ("query", "key"),
    )


def predict_each_token(setup: Setup) -> Tensor:
    """Pass vectors to the stack and classify every token: (token, class)."""
    answer = classify(setup)
    return answer.trace.value("token_logits")[0]


def predict_the_sentence(setup: Setup) -> Tensor:
    """Embed words and positions, and classify the mean of the words: (1, class)."""
    answer = classify(replace(setup, positions="sinusoidal"))
    return answer.trace.value("logits")[:1]


@NOTEBOOK.mistake("N2 classifier", predict_each_token, predict_the_sentence)
def _classifier_outcome(faults: frozenset[str]) -> Outcome:
    predict = predict_each_token if faults else predict_the_sentence
    sentence, the_other_way = "man bites dog", "dog bites man"
    predicted, other = (
        predict(Setup(text=text, others="", **(SETUP | {"layers": 1})))
        for text in (sentence, the_other_way)
    )
    by_size = [values[values[:, 0].argsort()] for values in (predicted, other)]
    same = bool(torch.allclose(*by_size, atol=1e-5))
    measured = (
        f"{len(predicted)} prediction{'s' if len(predicted) > 1 else ''} for “{sentence}”;"
        f" “{the_other_way}” gives "
        + (
            "the same ones in another order"
            if same and len(predicted) > 1
            else "the same"
            if same
            else "another"
        )
    )
    return Outcome(
        len(predicted) == 1 and not same,
        measured,
        predicted,
        ("token" if faults else "sentence", "class"),
    )


class DropoutForgotten(nn.Module):
    """Build a dropout for the output, but do not use it in the forward pass."""

    def __init__(self, rate: float):
        super().__init__()
        self.dropout = nn.Dropout(rate)

    def forward(self, output: Tensor) -> Tensor:
        """Return the output unchanged."""
        return output


class DropoutInPlace(nn.Module):
    """Build a dropout, and apply it to the output."""

    def __init__(self, rate: float):
        super().__init__()
        self.dropout = nn.Dropout(rate)

    def forward(self, output: Tensor) -> Tensor:
        """Apply dropout while training."""
        return self.dropout(output)


@NOTEBOOK.mistake("N2 forgotten dropout", DropoutForgotten, DropoutInPlace)
def _describe_forgotten(faults: frozenset[str]) -> Outcome:
    output = torch.rand(10, 10, generator=init.generator(0))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = (DropoutForgotten if faults else DropoutInPlace)(0.5)(output)
    struck = int((made == 0).sum())
    measured = (
        f"with a rate of 0.5, {struck} of {made.numel()} numbers are struck out while training"
    )
    return Outcome(struck > 0, measured, made, ("token", "d_model"))


def add_with_a_heads_axis(x: Tensor, attend_in: Callable[[Tensor], Tensor]) -> Tensor:
    """Pass four axes, (batch, head, token, d_model), to the stack; attention flattens heads into
    tokens before the sum."""
    return block.add(x, attend_in(fold_heads(x)))


def add_without_it(x: Tensor, attend_in: Callable[[Tensor], Tensor]) -> Tensor:
    """Pass three axes, (batch, token, d_model), for any number of heads."""
    x = one_axis_less(x)
    return block.add(x, attend_in(x))


@NOTEBOOK.mistake("N2 four axes", add_with_a_heads_axis, add_without_it)
def _four_axes_outcome(faults: frozenset[str]) -> Outcome:
    x = torch.rand(1, 2, 10, 10, generator=init.generator(0))

    def attend_in(x: Tensor) -> Tensor:
        return attend_to(Setup(text=letters(x.shape[1]), **(SETUP | {"heads": 2})), x)[
            "output"
        ].value

    def work() -> Outcome:
        added = (add_with_a_heads_axis if faults else add_without_it)(x, attend_in)
        return Outcome(
            True, f"with 2 heads the sum is {tuple(added.shape)}", added[0], ("token", "d_model")
        )

    return attempt(work)
