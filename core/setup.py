"""Every choice that decides the numbers, in one frozen object. The fields are declared in
`choices`.

One set of rules holds for both ways in: `Setup.nearest` changes what it must and tells it, and the
constructor refuses what would have to be changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from . import language, norms, pretrained
from . import text as _text
from .choices import ADDED, MAX_STEPS, Choices
from .edits import Edit, read
from .fields import Choice, Number, describe_changes, last, list_fields, nearest, quote, select_kind
from .importing.field import read as read_given
from .importing.values import UserMatrices
from .ties import explain_tie, list_ties, settle


@dataclass(frozen=True)
class Setup(Choices):
    """All that decides a number. What is looked at is no part of it.

    `layer` says which layer's attention the seven steps are: from the second on X is what the
    layers below hand on, and the output has d_model numbers.

    Two choices tie other fields, whatever those were set to: `sizes` narrow or wide sets d_k and
    d_v from d_model, and `projections="none"` leaves one head whose sizes are d_model. A default
    d_ff is clamped to 4 · d_model, the most that it may be. With `init="real"` weights are read,
    and all that the model decides is tied: `model` names it, the first that there is where it names
    none. Mask, scale and positions are the model's own unless they are given: then they are a
    what-if. With `init="trained"`, `task` says what was learned: `next` and `repeat` are learned by
    the whole stack, under a causal mask and with attention that leads back to d_model, so both are
    tied.

    `memory` is a second sentence: queries are made of the first, keys and values of it, in the
    seven steps alone. What stands around attention, and every stack, shows the first by itself. It
    ties the mask to none, and is tied itself to nothing in a further layer, where a model is read,
    and where weights learned what comes next.

    `others` holds further sentences, one a line: with the first they are a batch.

    Raises:
        ValueError: a field has a wrong type or is out of range; names field, value and range. A
        model cannot be read; says why.
    """

    def __post_init__(self) -> None:
        arguments = _not_of_a_model(vars(self))
        values, changed = nearest(FIELDS, arguments)
        for name, value in values.items():
            argument = arguments.get(name, value)
            if name in changed or (value is not argument and _differs(value, argument)):
                raise ValueError(f"{name}={quote(argument)}: expected {FIELDS[name].expected}")
        for clash in settle(values, DEFAULTS["d_ff"]):
            raise ValueError(
                f"{clash.name}={quote(arguments[clash.name])}: expected {clash.expected}"
            )
        vars(self).update(values)  # frozen for everybody else

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The sentence, cut up."""
        return self._cut(self.text)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Each different token once, sorted, those of a memory too. With trained weights it holds
        the words too that they were trained on."""
        return _text.vocabulary((*self.tokens, *self.memory_tokens, *self.known))

    @cached_property
    def memory_tokens(self) -> tuple[str, ...]:
        """The sentence that is asked, cut up; none where the sentence asks itself."""
        return self._cut(self.memory) if self.memory else ()

    @property
    def alone(self) -> "Setup":
        """The same setup without the sentence that is asked; with it where given keys and values
        are of that one."""
        return replace(self, memory="")

    @property
    def most_places(self) -> int:
        """How many places the longer of the sentence and its memory has."""
        return max(len(self.tokens), len(self.memory_tokens))

    @cached_property
    def only_in_memory(self) -> tuple[bool, ...]:
        """For each word of the vocabulary, whether the memory alone has it. Their rows are drawn
        apart, so that a memory leaves the sentence's own as they are."""
        return tuple(word not in self.tokens and word not in self.known for word in self.vocabulary)

    @property
    def known(self) -> tuple[str, ...]:
        """The words that training saw, sorted; none where nothing was trained."""
        return language.WORDS_OF[self.task] if self.init == "trained" else ()

    @property
    def learns_words(self) -> bool:
        """Whether the whole stack learned to say what comes next, `task="next"` or "repeat"."""
        return self.init == "trained" and self.task != "questions"

    @property
    def steps_taken(self) -> int:
        """How many steps of training the weights have behind them: those that it has, or fewer
        where they are looked at before."""
        return min(self.steps, self.trained_for)

    @property
    def to_the_end(self) -> "Setup":
        """The same with all its steps of training taken."""
        return self if self.trained_for >= self.steps else replace(self, trained_for=MAX_STEPS)

    @cached_property
    def sentences(self) -> tuple[tuple[str, ...], ...]:
        """The batch: the sentence and the further ones, each cut up."""
        further = self.others.split("\n") if self.others else []
        return (self.tokens, *map(self._cut, further))

    def _cut(self, line: str) -> tuple[str, ...]:
        cut = _text.remembered_words if self.real is None else self.real.tokenizer.pieces
        return cut(line)

    @cached_property
    def real(self) -> pretrained.Pretrained | None:
        """The model whose weights are read, with `init="real"`."""
        return pretrained.find(self.model) if self.init == "real" else None

    @cached_property
    def numbers(self) -> UserMatrices | None:
        """The numbers that a reader gave, with `init="given"`."""
        return read_given(self.given) if self.init == "given" else None

    @property
    def epsilon(self) -> float:
        """What keeps a norm from dividing by 0."""
        return norms.EPSILON if self.real is None else self.real.sizes.epsilon

    @property
    def rotary_base(self) -> int:
        """What rotary positions count with: pair i of d_k numbers turns by place /
        base^(2i/d_k)."""
        return 10000 if self.real is None else self.real.sizes.base

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

    @cached_property
    def group(self) -> int:
        """How many heads share keys and values: 1 where each has its own."""
        return self.heads // (self.kv_heads or self.heads)

    @property
    def adds_positions(self) -> bool:
        """Whether positions are rows that are added to the words'."""
        return self.positions in ADDED

    @cached_property
    def turns(self) -> bool:
        """Whether positions turn queries and keys: they need a pair of numbers for that."""
        return self.positions == "rotary" and self.d_k > 1

    @property
    def lowers_scores(self) -> bool:
        """Whether positions are a bias that lowers scores by the distance of two places."""
        return self.positions == "alibi"

    @property
    def compared(self) -> tuple[str, str]:
        """The names of the queries and the keys that scores are made of: as they are, normed or
        turned."""
        end = "_rotated" if self.turns else "_normed" if self.norms_heads else ""
        return f"q{end}", f"k{end}"

    @property
    def norms_heads(self) -> bool:
        """Whether each head's queries and keys are normed before they are turned, as a model that
        is read may have it."""
        return self.real is not None and self.real.sizes.norms_heads

    @property
    def out_size(self) -> int:
        """How many numbers the output has for each token: in a further layer as many as X, whatever
        `out` says."""
        if self.numbers is not None and self.layer == 1:
            return self.numbers.sizes["out"]
        return self.d_v if self.out == "d_v" and self.layer == 1 else self.d_model

    @property
    def has_w_o(self) -> bool:
        """Whether W_o mixes what the heads of the seven steps found."""
        return self.projections == "learned" and (
            self.numbers is None or bool(self.numbers.w_o) or self.layer > 1
        )

    @property
    def most_d_ff(self) -> int:
        """The most numbers that the feed-forward part may have in between."""
        return 4 * self.d_model

    @property
    def tied(self) -> dict[str, Any]:
        """The fields that a choice sets, and to what: their own controls and links say nothing."""
        return list_ties(vars(self))

    @property
    def usual(self) -> dict[str, str]:
        """What takes the place of defaults where a model is read: what that has itself."""
        return {} if self.real is None else self.real.usual

    def as_link(self) -> dict[str, str]:
        """Return what differs from the default, as a link carries it; `Setup.nearest` reads it
        back."""
        tied = self.tied
        usual = DEFAULTS | {"d_ff": min(DEFAULTS["d_ff"], self.most_d_ff)} | self.usual
        return {
            name: str(getattr(self, name))
            for name in DEFAULTS
            if getattr(self, name) != usual[name] and name not in tied
        }

    @classmethod
    def nearest(cls, wishes: Mapping[str, Any]) -> tuple["Setup", list[str]]:
        """Return the honest setup nearest to any mapping, and what had to be changed, in words.

        Never raises: a link or a widget may hold anything.
        """
        values, changed = nearest(FIELDS, _not_of_a_model(wishes))
        asked = dict(values)
        clashes = settle(values, DEFAULTS["d_ff"])
        for name in changed:  # a message names what is in force, whatever decides it
            if name in RANGES and values[name] != asked[name]:
                why = f"{name} is {values[name]}, {explain_tie(name, values)}"
                changed[name] = (f"{quote(last(wishes[name]))} is not used: {why}.",)
                clashes = [clash for clash in clashes if clash.name != name]
        messages = describe_changes(changed)
        messages += [f"{clash.name}: {clash.message}" for clash in clashes]
        messages += [
            f"{quote(name)} is not a setting and was left out."
            for name in wishes
            if name not in DEFAULTS
        ][:5]
        setup = object.__new__(cls)  # of what was fitted there is nothing left to refuse
        vars(setup).update(values)
        return setup, messages


FIELDS = list_fields(Setup)
OF_A_MODEL = {name for name, field in FIELDS.items() if field.of_model}
DEFAULTS: dict[str, Any] = {name: field.default for name, field in FIELDS.items()}
CHOICES: dict[str, tuple[str, ...]] = {
    name: field.options for name, field in select_kind(Choice, FIELDS).items()
}
RANGES: dict[str, tuple[float, float]] = {
    name: (field.low, field.high) for name, field in select_kind(Number, FIELDS).items()
}


def _not_of_a_model(wishes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what is left to a reader of a setup's fields: where a model is to be read, all that it
    does not decide."""
    if last(wishes.get("init")) != "real":
        return wishes
    return {name: wish for name, wish in wishes.items() if name not in OF_A_MODEL}


def _differs(value: Any, argument: Any) -> bool:
    """Return whether a value had to be changed, be it in silence: "5" and 5.0 are no whole
    number."""
    return value != argument or (isinstance(argument, float) and isinstance(value, int))
