"""Every choice that affects the numbers, in one frozen object. The fields are declared in
`choices`.

Both constructors share one set of rules: `Setup.nearest` corrects values and reports the changes,
and `Setup()` raises an error instead.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from torch import Tensor

from .. import pretrained
from ..fields.fields import (
    Choice,
    Number,
    describe_changes,
    last,
    list_fields,
    nearest,
    quote,
    select_kind,
)
from ..fields.matrices_field import read as read_given
from ..fields.user_matrices import UserMatrices
from ..ops import masks, norms
from ..text import language
from ..text import text as _text
from .choices import ADDED, MAX_STEPS, Choices
from .constraints import explain_tie, list_ties, resolve
from .edits import Edit, read


@dataclass(frozen=True)
class Setup(Choices):  # noqa: PLW1641 (its hash is that of the fields)
    """All choices that affect a number; selections in the interface are not part of it.

    `layer` is the layer that the seven steps show: from the second on, X is the output of the
    layers below, and the output has d_model numbers.

    Some choices tie (determine) other fields, whatever their values: `sizes` narrow or wide sets
    d_k and d_v from d_model, and `projections="none"` leaves one head of size d_model. The default
    d_ff is clamped to its maximum, 4 · d_model. `init="real"` reads the weights of `model` (by
    default the first found) and ties all fields that the model determines; mask, scale and
    positions are the model's unless set, as a what-if. With `init="trained"`, `task` is what was
    learned: `next` and `repeat` train the whole stack, so they tie a causal mask and out=d_model.

    `memory` is a second sentence for cross-attention: queries come from the first, keys and values
    from the memory, in the seven steps only. The rest of the model uses the first sentence alone.
    It ties the mask to none, and is itself tied to empty in further layers, with a real model, and
    with weights trained on the next word.

    `others` are further sentences, one a line, which form a batch with the first.

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
        for clash in resolve(values, DEFAULTS):
            raise ValueError(
                f"{clash.name}={quote(arguments[clash.name])}: expected {clash.expected}"
            )
        vars(self).update(values)  # bypasses frozen

    def __eq__(self, other: object) -> bool:
        """Two setups are equal if all fields are, and a real model's files have not changed."""
        return super().__eq__(other) is True and self.real is getattr(other, "real", None)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The sentence's tokens."""
        return self._cut(self.text)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Each different token once, sorted, including the memory's, and for trained weights the
        training words."""
        return _text.vocabulary((*self.tokens, *self.memory_tokens, *self.known))

    @cached_property
    def memory_tokens(self) -> tuple[str, ...]:
        """The memory's tokens; empty in self-attention."""
        return self._cut(self.memory) if self.memory else ()

    @property
    def alone(self) -> "Setup":
        """The setup without its memory; with it if given keys and values are the memory's."""
        return replace(self, memory="")

    @property
    def most_places(self) -> int:
        """The length of the longer of sentence and memory."""
        return max(len(self.tokens), len(self.memory_tokens))

    @cached_property
    def only_in_memory(self) -> tuple[bool, ...]:
        """For each word of the vocabulary, whether only the memory has it. Its row has a separate
        seed, so that a memory does not change the sentence's rows."""
        return tuple(word not in self.tokens and word not in self.known for word in self.vocabulary)

    @property
    def known(self) -> tuple[str, ...]:
        """The words in the training set, sorted; empty if nothing was trained."""
        return language.WORDS_OF[self.task] if self.init == "trained" else ()

    @property
    def learns_words(self) -> bool:
        """Whether the whole stack learned to predict the next word, `task="next"` or "repeat"."""
        return self.init == "trained" and self.task != "questions"

    @property
    def steps_taken(self) -> int:
        """The number of training steps of the weights, which may be fewer than the training has."""
        return min(self.steps, self.trained_for)

    @property
    def to_the_end(self) -> "Setup":
        """The setup with all its training steps completed."""
        return self if self.trained_for >= self.steps else replace(self, trained_for=MAX_STEPS)

    @cached_property
    def sentences(self) -> tuple[tuple[str, ...], ...]:
        """The batch: the tokens of the sentence and of the further ones."""
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
        """The numbers that the user gave, with `init="given"`."""
        return read_given(self.given) if self.init == "given" else None

    @property
    def epsilon(self) -> float:
        """The ε that prevents division by 0 in a norm."""
        return norms.EPSILON if self.real is None else self.real.sizes.epsilon

    @property
    def rotary(self) -> dict[str, Any]:
        """The settings of `embedding.rotary_angles`, of which the base is 10000 unless a real model
        has another."""
        return {"base": 10000} | ({} if self.real is None else self.real.sizes.rotary)

    @cached_property
    def changes(self) -> tuple[Edit, ...]:
        """The edits of weights, in the order in which they apply."""
        return read(self.edits)

    @property
    def is_causal(self) -> bool:
        """Whether the mask hides later tokens."""
        return self.mask in ("causal", "causal-window")

    @property
    def has_window(self) -> bool:
        """Whether the mask hides tokens more than `window` positions away."""
        return self.mask in ("window", "causal-window")

    @property
    def mask_function(self) -> partial[Tensor]:
        """The mask's function, given all but how many tokens there are. A source of weights may
        know better: `weights.may_attend`."""
        return masks.function(self.mask, self.window, self.numbers.mask if self.numbers else None)

    @cached_property
    def group(self) -> int:
        """How many heads share keys and values: 1 if each has its own."""
        return self.heads // (self.kv_heads or self.heads)

    @property
    def adds_positions(self) -> bool:
        """Whether positions are added to the embeddings."""
        return self.positions in ADDED

    @cached_property
    def turns(self) -> bool:
        """Whether positions rotate queries and keys, which needs at least one pair of numbers."""
        return self.positions == "rotary" and self.d_k > 1

    @property
    def lowers_scores(self) -> bool:
        """Whether positions are a bias that lowers scores by distance."""
        return self.positions == "alibi"

    @property
    def compared(self) -> tuple[str, str]:
        """The names of the queries and keys used in the scores: plain, normed or rotated."""
        end = "_rotated" if self.turns else "_normed" if self.norms_heads else ""
        return f"q{end}", f"k{end}"

    @property
    def norms_heads(self) -> bool:
        """Whether each head's queries and keys are normed before rotation, as in some real
        models."""
        return self.real is not None and "q" in self.real.family.norms

    @property
    def out_size(self) -> int:
        """The length of each token's output; d_model in a further layer, whatever `out` is."""
        if self.numbers is not None and self.layer == 1:
            return self.numbers.sizes["out"]
        return self.d_v if self.out == "d_v" and self.layer == 1 else self.d_model

    @property
    def has_w_o(self) -> bool:
        """Whether the seven steps use W_o."""
        return self.projections == "learned" and (
            self.numbers is None or bool(self.numbers.w_o) or self.layer > 1
        )

    @property
    def most_d_ff(self) -> int:
        """The maximum of d_ff."""
        return 4 * self.d_model

    @property
    def tied(self) -> dict[str, Any]:
        """The fields that another choice determines, with their values."""
        return list_ties(vars(self))

    @property
    def usual(self) -> dict[str, str]:
        """A real model's own values, which replace the defaults."""
        return {} if self.real is None else self.real.usual

    def as_link(self) -> dict[str, str]:
        """Return the fields that differ from the default, as link parameters; `Setup.nearest` reads
        them."""
        tied = self.tied
        usual = DEFAULTS | {"d_ff": min(DEFAULTS["d_ff"], self.most_d_ff)} | self.usual
        return {
            name: str(getattr(self, name))
            for name in DEFAULTS
            if getattr(self, name) != usual[name] and name not in tied
        }

    @classmethod
    def nearest(cls, wishes: Mapping[str, Any]) -> tuple["Setup", list[str]]:
        """Return the valid setup nearest to any mapping, and messages about what was changed.

        Never raises: a link or a widget may contain anything.
        """
        values, changed = nearest(FIELDS, _not_of_a_model(wishes))
        asked = dict(values)
        clashes = resolve(values, DEFAULTS)
        for name in changed:  # messages name the final value and what determined it
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
        setup = object.__new__(cls)  # already validated
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
    """Return the fields without those that a real model determines, if one is requested."""
    if last(wishes.get("init")) != "real":
        return wishes
    return {name: wish for name, wish in wishes.items() if name not in OF_A_MODEL}


def _differs(value: Any, argument: Any) -> bool:
    """Return whether a value was changed, even silently: "5" and 5.0 are not whole numbers."""
    return value != argument or (isinstance(argument, float) and isinstance(value, int))
