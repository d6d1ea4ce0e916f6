"""Every choice that decides the numbers, in one frozen object. Each field is declared here, once.

The fields are a public contract: each name is also that of its parameter in a link, and their order is that of a link. One set of
rules holds for both ways in: `Setup.nearest` changes what it must and tells it, and the
constructor refuses what would have to be changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from . import language, norms, pretrained
from . import text as _text
from .edits import Edit, Edits, read
from .edits import edits as declare_edits
from .fields import (
    Choice,
    Control,
    Name,
    Number,
    choice,
    declared,
    fraction,
    in_words,
    last,
    named,
    nearest,
    of_kind,
    quote,
    whole,
)
from .labelled import Labelled, labelled
from .sentences import Lines, Sentence, lines, sentence
from .ties import MOST_LAYERS, settle, tied, why_settled


@dataclass(frozen=True)
class Setup:
    """All that decides a number. What is looked at is no part of it.

    Two choices tie other fields, whatever those were set to: `sizes` narrow or wide sets d_k
    and d_v from d_model, and `projections="none"` leaves one head whose sizes are d_model.
    A default d_ff is clamped to 4 · d_model, the most that it may be. With `init="real"` weights are read, and all that the
    model decides is tied: `model` names it, the first that there is where it names none, and `layer` says whose attention the seven
    steps are. All others have that of the first.

    `others` holds further sentences, one a line: with the first they are a batch. `labelled` holds those that the classifier
    learns from while weights are trained, or names a file that does; `core.labelled` reads it.

    Raises:
        ValueError: a field has a wrong type or is out of range; names field, value and range. A model cannot be read; says why.
    """

    text: str = sentence("Life is short, eat dessert first", Control("Sentence"))
    split: str = choice("words", "characters", control=Control("Tokens are"))
    d_model: int = whole(16, 1, 64, Control("d_model", "How many numbers stand for one word."))
    d_k: int = whole(24, 1, 64, Control(
        "d_k", "How many numbers a query and a key have. They are multiplied with each other, so both have the same.",
    ))  # fmt: skip
    d_v: int = whole(28, 1, 64, Control(
        "d_v", "How many numbers a value has. Values are only added up, so this is free of d_k.",
    ))  # fmt: skip
    heads: int = whole(3, 1, 20, Control(
        "heads", "How many times attention runs beside itself, each with weights of its own.",
    ))  # fmt: skip
    sizes: str = choice("free", "narrow", "wide", control=Control(
        "Head sizes",
        "narrow: d_k = d_v = d_model / heads, where that is whole. wide: d_k = d_v = d_model. free: as you like.",
    ))  # fmt: skip
    projections: str = choice("learned", "none", control=Control(
        "Projections", "none: queries, keys and values are the embeddings themselves; there is nothing to learn.",
    ))  # fmt: skip
    out: str = choice("d_v", "d_model", control=Control(
        "Output size",
        "What W_o maps back to: d_v, as the notebook does, or d_model, as the paper does, so that it can be added to the input.",
    ))  # fmt: skip
    init: str = choice("uniform", "normal", "xavier", "trained", unlisted=("real",), control=Control(
        "Weights",
        "Drawn at random: between 0 and 1, from a normal distribution, or as Glorot (Xavier) does, small and around 0. Or trained "
        "on a small language, so that they mean something.",
    ))  # fmt: skip
    bias: str = choice("off", "on", control=Control(
        "Biases", "A number added to every column of the projections and of the output.",
    ))  # fmt: skip
    positions: str = choice("none", "sinusoidal", "learned", "rotary", control=Control(
        "Positions",
        "A row of numbers for each place in the sentence, added to the word's: waves as in the paper, or learned, which are random "
        "unless the weights are trained. rotary: nothing is added; queries and keys are turned, pair by "
        "pair, by an angle that grows with the place.",
    ))  # fmt: skip
    scale: str = choice("sqrt", "fourth-root", "none", control=Control(
        "Scale by √d_k",
        "√d_k once on the scores; ⁴√d_k on queries and on keys before they meet, which keeps the numbers in between smaller; "
        "or not at all.",
    ))  # fmt: skip
    temperature: float = fraction(1.0, 0.1, 10.0, Control(
        "Temperature", "The scaled scores are divided by it: small is sharp, large is even.",
    ))  # fmt: skip
    mask: str = choice("none", "causal", "window", "causal-window", control=Control(
        "Mask",
        "causal: a word may look only at itself and at what came before it. window: only at what is at most so many places away. "
        "causal-window: both.",
    ))  # fmt: skip
    seed: int = whole(123, 0, 2**31 - 1, Control(
        "Seed",
        "Where the random numbers start. The same seed gives the same weights, always and everywhere. Training starts from it, and "
        "learns from the sentences that it picks.",
    ))  # fmt: skip
    others: str = lines("Life is short\neat dessert", Control(
        "Further sentences", "Further sentences, one a line, up to seven. With the first they are a batch.",
    ))  # fmt: skip
    padding: str = choice("right", "left", "unmasked", control=Control(
        "Padding", "Where short sentences are filled up, and whether a mask hides that.",
    ))  # fmt: skip
    dropout: float = fraction(0.0, 0.0, 0.9, Control(
        "Dropout", "The share of weights struck out at random while a model is trained.",
    ))  # fmt: skip
    dropout_seed: int = whole(1, 0, 2**31 - 1, Control(
        "Dropout seed", "Which weights dropout strikes out: another number, others.",
    ))  # fmt: skip
    layers: int = whole(2, 1, 6, Control(
        "Layers", "How many blocks stand on top of one another.",
    ))  # fmt: skip
    norm: str = choice("post", "pre", control=Control(
        "Norm",
        "post: add, then bring to mean 0 and spread 1, as in the paper. pre: bring to mean 0 and spread 1 on the way in.",
    ))  # fmt: skip
    activation: str = choice("relu", "gelu", "swiglu", control=Control(
        "Activation",
        "relu keeps what is positive; gelu lets go of the rest gradually; swiglu multiplies by a gate, which has a matrix of its own.",
    ))  # fmt: skip
    d_ff: int = whole(64, 1, 4 * 64, Control(
        "d_ff", "How many numbers the feed-forward part has for each word in between; up to 4 · d_model.",
    ))  # fmt: skip
    classes: int = whole(2, 2, 10, Control(
        "Classes", "How many classes the classifier tells apart.",
    ))  # fmt: skip
    shuffle: int = whole(1, 0, 999, Control(
        "Shuffle", "Which order the words are put into; 0 leaves them as they are.",
    ))  # fmt: skip
    steps: int = whole(300, 1, 600, Control(
        "Steps", "How many steps training takes; each learns from 32 sentences.",
    ))  # fmt: skip
    labelled: str = labelled(Control(
        "Labelled sentences",
        "What the classifier learns from while weights are trained: a label, a colon and a sentence, one a line. Empty: the "
        "built-in ones.",
    ))  # fmt: skip

    edits: str = declare_edits()
    model: str = named()
    layer: int = whole(1, 1, MOST_LAYERS)
    window: int = whole(2, 1, 31, Control(
        "Window", "How many places away a word may look, under a mask with a window.",
    ))  # fmt: skip
    kv_heads: int = whole(0, 0, 20, Control(
        "kv_heads", "How many heads keys and values have; queries share them in groups. It divides heads; 0: as many as heads.",
    ))  # fmt: skip
    norm_kind: str = choice("layer", "rms", control=Control(
        "Norm's kind",
        "What a norm does, wherever it stands. layer: to mean 0 and spread 1. rms: divide by the root of the mean square, no more.",
    ))  # fmt: skip

    def __post_init__(self) -> None:
        arguments = pretrained.free(vars(self))
        values, changed = nearest(_IN_TURN, arguments)
        for name, value in values.items():
            argument = arguments.get(name, value)
            if name in changed or (value is not argument and _differs(value, argument)):
                raise ValueError(f"{name}={quote(argument)}: expected {FIELDS[name].expected}")
        for clash in settle(values, DEFAULTS["d_ff"]):
            raise ValueError(f"{clash.name}={quote(arguments[clash.name])}: expected {clash.expected}")
        vars(self).update(values)  # frozen for everybody else

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The sentence, cut up."""
        return self._cut(self.text)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Each different token once, sorted. With trained weights it holds the words of the language too that they were trained on."""
        return _text.vocabulary((*self.tokens, *language.WORDS) if self.init == "trained" else self.tokens)

    @cached_property
    def sentences(self) -> tuple[tuple[str, ...], ...]:
        """The batch: the sentence and the further ones, each cut up."""
        further = self.others.split("\n") if self.others else []
        return (self.tokens, *map(self._cut, further))

    def _cut(self, line: str) -> tuple[str, ...]:
        return _text.SPLITTERS[self.split](line) if self.real is None else self.real.tokenizer.pieces(line)

    @cached_property
    def real(self) -> pretrained.Pretrained | None:
        """The model whose weights are read, with `init="real"`."""
        return pretrained.find(self.model) if self.init == "real" else None

    @property
    def epsilon(self) -> float:
        """What keeps a norm from dividing by 0."""
        return norms.EPSILON if self.real is None else self.real.sizes.epsilon

    @cached_property
    def changes(self) -> tuple[Edit, ...]:
        """The edits of weights, one by one, in the order in which they are put in."""
        return read(self.edits)

    @property
    def is_causal(self) -> bool:
        """Whether the mask closes what comes later."""
        return self.mask in ("causal", "causal-window")

    @property
    def has_window(self) -> bool:
        """Whether the mask closes what is more than `window` places away."""
        return self.mask in ("window", "causal-window")

    @property
    def group(self) -> int:
        """How many heads share keys and values: 1 where each has its own."""
        return self.heads // (self.kv_heads or self.heads)

    @property
    def turns(self) -> bool:
        """Whether positions turn queries and keys: they need a pair of numbers for that."""
        return self.positions == "rotary" and self.d_k > 1

    @property
    def out_size(self) -> int:
        """How many numbers the output has for each token."""
        return self.d_v if self.out == "d_v" else self.d_model

    @property
    def most_d_ff(self) -> int:
        """The most numbers that the feed-forward part may have in between."""
        return 4 * self.d_model

    @property
    def tied(self) -> dict[str, Any]:
        """The fields that a choice sets, and to what: their own controls and links say nothing."""
        return tied(vars(self))

    def as_link(self) -> dict[str, str]:
        """What differs from the default, as a link carries it; `Setup.nearest` reads it back."""
        tied = self.tied
        usual = DEFAULTS | {"d_ff": min(DEFAULTS["d_ff"], self.most_d_ff)}
        return {name: str(getattr(self, name)) for name in DEFAULTS if getattr(self, name) != usual[name] and name not in tied}

    @classmethod
    def nearest(cls, wishes: Mapping[str, Any]) -> tuple["Setup", list[str]]:
        """The honest setup nearest to any mapping, and what had to be changed, in words.

        Never raises: a link or a widget may hold anything.
        """
        values, changed = nearest(_IN_TURN, pretrained.free(wishes))
        asked = dict(values)
        clashes = settle(values, DEFAULTS["d_ff"])
        for name in changed:  # a message names what is in force, also where another choice decides it
            if name in RANGES and values[name] != asked[name]:
                why = f"{name} is {values[name]}, {why_settled(name, values)}"
                changed[name] = (f"{quote(last(wishes[name]))} is not used: {why}.",)
                clashes = [clash for clash in clashes if clash.name != name]
        messages = in_words(changed)
        messages += [f"{clash.name}: {clash.message}" for clash in clashes]
        messages += [f"{quote(name)} is not a setting and was left out." for name in wishes if name not in DEFAULTS][:5]
        return cls(**values), messages


FIELDS = declared(Setup)
DEFAULTS: dict[str, Any] = {name: field.default for name, field in FIELDS.items()}
CHOICES: dict[str, tuple[str, ...]] = {name: field.options for name, field in of_kind(Choice, FIELDS).items()}
RANGES: dict[str, tuple[float, float]] = {name: (field.low, field.high) for name, field in of_kind(Number, FIELDS).items()}
# How a text is cut up is a choice, so choices are fitted before texts; messages come in this order.
_IN_TURN = {
    name: field
    for kind in (Choice, Name, Sentence, Lines, Labelled, Number, Edits)
    for name, field in of_kind(kind, FIELDS).items()
}


def _differs(value: Any, argument: Any) -> bool:
    """Whether a value had to be changed, be it in silence: "5" and 5.0 are no whole number."""
    return value != argument or (isinstance(argument, float) and isinstance(value, int))
