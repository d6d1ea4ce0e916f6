"""A layer of one's own: from a file of tensors, or from a module in a notebook. Every float32 comes
back to the bit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ..ties import MOST_GIVEN
from .archives import Stored, contents
from .exact import LARGEST, as_texts
from .keys import Named, layers_of
from .layout import ORIENTATIONS, ROWS, STORED
from .names import BIASES, QKV, WEIGHTS, symbol
from .nested import shape
from .parsing import ANY_TIME, MASKS, Found, Reading
from .questions import Question, Unfit
from .shared import as_share_writes
from .values import AXES, SCALES, Given
from .widths import evened_out, ways_to_split


@dataclass(frozen=True)
class Brought:
    """The tensors of a file or a module by name, what it says of itself, and what stands beside
    it."""

    name: str = ""
    stored: Mapping[str, Stored] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    x: Any = ()
    tokens: tuple[str, ...] = ()
    memory_x: Any = ()


@dataclass(frozen=True)
class Layer(Reading):
    """What was read of a layer: a reading like that of a text, with the same questions and
    answers."""

    brought: Brought = field(repr=False, default_factory=Brought)

    def answered(self, **answers: object) -> "Layer":
        """Return the reading of the same layer with these questions answered by name. Raises
        ValueError for an answer that is none."""
        if not self.brought.name:  # no such file was read
            return self
        return Laid(
            self.brought, {name: str(value) for name, value in (self.answers | answers).items()}
        ).layer()


def of_file(
    name: str,
    data: bytes,
    x: Any = (),
    tokens: Sequence[str] = (),
    memory: Any = (),
    **answers: object,
) -> Layer:
    """Return the attention that a file holds: `.npz` and `.safetensors` as Share writes them or
    with a layer's names, `.pt`, `.pth`.

    `x` (token, d_model) stands for the sentence where the file holds none, as numbers, their texts
    or a tensor; `memory` for another one that is asked, its rows as `module.of_module` has them.
    What cannot be read is a sentence in `messages` and `left_out`, never an exception; an answer
    that fits no question raises ValueError.
    """
    try:
        return Layer(
            brought=Brought(name, *contents(name, data), x, tuple(tokens), memory)
        ).answered(**answers)
    except Unfit as unfit:
        return Layer(messages=(str(unfit),), left_out=(str(unfit),))


class _NoAnswer(ValueError):
    """An answer that does not fit its question."""


class Laid:
    """Lays one attention of what was brought as `values.AXES` has it."""

    def __init__(self, brought: Brought, answers: dict[str, str]) -> None:
        self.brought, self.answers, self.tokens = brought, answers, brought.tokens
        self.questions: dict[str, Question] = {}
        self.messages: list[str] = []
        self.settings: dict[str, str] = {
            name: answers[name] for name in ("scale", "mask") if name in answers
        }
        self.parts: dict[str, Tensor] = {}
        self.said: dict[str, str] = {}  # what the file calls each of them
        self.matrices: dict[str, Any] = {}

    def layer(self) -> Layer:
        """Return the reading. Raises ValueError for an answer that is none."""
        self._settle()
        left_out = []
        try:
            self._lay()
        except _NoAnswer:
            raise
        except Unfit as unfit:
            left_out.append(str(unfit))
        except (RuntimeError, LookupError, ValueError):  # of torch, about matrices that are none
            left_out.append("The matrices have not the shapes of an attention.")
        unknown = sorted(set(self.answers) - set(self.questions) - set(ANY_TIME))
        if unknown and not left_out:
            raise ValueError(
                f"“{unknown[0][:40]}” is no question of this file. Open are:"
                f" {', '.join(self.questions) or 'none'}."
            )
        found = (
            {}
            if left_out
            else {name: self._found(name, kept) for name, kept in self.matrices.items()}
        )
        return Layer(
            matrices=found,
            tokens=self.tokens,
            questions=tuple(self.questions.values()),
            messages=(*left_out, *self.messages),
            left_out=tuple(left_out),
            settings=self.settings,
            answers=self.answers,
            brought=self.brought,
        )

    def _settle(self) -> None:
        if self.settings.get("mask", "none") not in MASKS:
            raise ValueError(f"“{self.settings['mask'][:40]}” is no mask: none or causal is.")
        if self.settings.get("scale", "sqrt") not in SCALES:
            self.settings["scale"] = Given(x=(("1",),), scale=self.settings["scale"]).scale

    def _lay(self) -> None:
        for name, rows in {"x": self.brought.x, "memory_x": self.brought.memory_x}.items():
            if len(rows):
                self.matrices[name] = (
                    self._texts(name, rows) if isinstance(rows, Tensor) else _fitting(x=rows).x
                )
        if "link" in self.brought.about:
            shared = as_share_writes(self.brought.stored, self.brought.about["link"])
            self.parts, self.said, self.matrices = (
                shared.parts,
                shared.said,
                self.matrices | shared.mask,
            )
            self.messages += shared.messages
            self.tokens = self.tokens or shared.tokens
            self.settings.setdefault("scale", shared.scale)
        else:
            self._take_layer()
        if "x" in self.parts or "q" in self.parts:
            self.matrices = {name: kept for name, kept in self.matrices.items() if name == "mask"}
        self.matrices |= {name: self._texts(name, part) for name, part in self.parts.items()}
        if "x" not in self.matrices and "q" not in self.matrices:
            width = self.parts["w_q"].shape[1]
            self.messages.append(
                f"The layer is there, and no sentence: bring X, a row of {width} numbers for each"
                " word."
            )
            return
        tokens = _fitting(
            **{name: kept for name, kept in self.matrices.items() if name != "mask"}
        ).sizes["token"]
        if self.tokens and len(self.tokens) != tokens:
            self.messages.append(
                f"{len(self.tokens)} words are named for {tokens} rows: the rows are numbered"
                " instead."
            )
            self.tokens = ()

    def _found(self, name: str, kept: Any) -> Found:
        file = self.brought.name[:40]
        why = (
            f"{file} calls it “{self.said[name][:60]}”"
            if name in self.said
            else f"it stands beside {file}"
        )
        return Found(name, shape(kept), kept, 0, why)

    def _texts(self, name: str, part: Tensor) -> Any:
        """Return a matrix's numbers as texts. Raises Unfit where one has no place, or the matrix is
        too large."""
        for axis, size in zip(AXES[name], part.shape, strict=True):
            most = MOST_GIVEN.get("head" if axis == "kv_head" else axis, size)
            if size > most:
                raise Unfit(
                    f"{symbol(name)} is {' × '.join(map(str, part.shape))}: its {axis} is {size},"
                    f" and at most {most} fit."
                )
        single = part.float()
        if not single.isfinite().all() or single.abs().max() > float(LARGEST):
            raise Unfit(f"{symbol(name)} holds ∞, what is no number, or one above a billion.")
        if (single.double() != part.double()).any():
            self.messages.append(
                f"{symbol(name)} is rounded to float32, in which the steps are computed."
            )
        return as_texts(single.tolist())

    # ---------- as libraries and notebooks name it ----------

    def _take_layer(self) -> None:
        layers, others = layers_of(self.brought.stored)
        if not layers:
            names = (
                ", ".join(
                    name[:40] or "one without a name" for name in list(self.brought.stored)[:4]
                )
                or "none"
            )
            raise Unfit(
                "No attention is in it: in_proj_weight is looked for, or query, key and value. Its"
                f" tensors: {names}."
            )
        chosen = next(iter(layers))
        if len(layers) > 1:
            says = f"There are {len(layers)} attentions: which one is it?"
            chosen = self._ask(
                "layer",
                says,
                [prefix.rstrip(".") or "the first" for prefix in layers],
                0,
                list(layers),
            )
        layer = layers[chosen]
        self.said = {name: heads[0].key for name, heads in layer.items()}
        parts = {name: [_as_read(one) for one in heads] for name, heads in layer.items()}
        lying = {name for name, heads in layer.items() if heads[0].is_linear}  # as (out, in)
        if others := list(dict.fromkeys(name.split(".")[-2:][0][:40] for name in others)):
            self.messages.append(
                "The attention alone is read. Left out:"
                f" {', '.join(others[:6])}{' …' * (len(others) > 6)}."
            )
        if "bias_k" in parts or "bias_v" in parts:
            raise Unfit(
                "bias_k and bias_v (add_bias_kv) add a key that belongs to no word; the steps have"
                " no place for it."
            )
        self._split_joint(parts, lying)
        self._turn(parts, lying)
        self._split_heads(parts)

    def _ask(
        self,
        name: str,
        says: str,
        answers: Sequence[str],
        default: int | None,
        means: Sequence[str],
    ) -> str:
        """Put a question, and return what its answer means. Raises ValueError for an answer that is
        none."""
        self.questions[name] = Question(
            name, says, tuple(answers), None if default is None else answers[default]
        )
        answer = self.answers.get(name, answers[default or 0])
        if answer not in answers:
            raise _NoAnswer(f"“{answer[:40]}” is no answer to {name}: {' or '.join(answers)} is.")
        return means[list(answers).index(answer)]

    def _split_joint(self, parts: dict[str, list[Tensor]], lying: set[str]) -> None:
        """Cut W_q, W_k and W_v out of the one matrix that they are stored in, and their biases
        likewise."""
        for bias in parts.pop("b_qkv", []):
            parts |= {name: [part] for name, part in zip(BIASES, bias.chunk(3), strict=False)}
            self.said |= dict.fromkeys(BIASES[:3], self.said["b_qkv"])
        if "w_qkv" not in parts:
            return
        (joint,) = parts.pop("w_qkv")
        rows, columns = joint.shape
        if (
            rows != 3 * columns and columns == 3 * rows
        ):  # a Conv1D of GPT-2, whose other matrix lies likewise
            joint = joint.T
            lying.discard("w_o")
        if len(joint) % 3:
            raise Unfit(
                f"{self.said['w_qkv'][:60]} is {rows} × {columns}, and three equal parts were"
                " expected."
            )
        parts |= {name: [part] for name, part in zip(WEIGHTS, joint.chunk(3), strict=True)}
        self.said |= dict.fromkeys(WEIGHTS, self.said["w_qkv"])
        lying |= set(WEIGHTS)

    def _turn(self, parts: dict[str, list[Tensor]], lying: set[str]) -> None:
        """Lay matrices as X W has them: a Linear's are (out, in), others as they fit, and asked
        where both ways do."""
        bare = [
            name
            for name in WEIGHTS
            if name in parts and name not in lying and parts[name][0].dim() == 2
        ]
        if bare:
            sides = [parts[name][0].shape for name in bare]
            width = self._width(parts)
            ways = {ROWS: [side[0] for side in sides], STORED: [side[1] for side in sides]}
            fit = [how for how, inner in ways.items() if set(inner) == {width or inner[0]}] or [
                ROWS
            ]
            how = fit[0]
            if len(fit) > 1:
                says = (
                    "Which way do the matrices lie? Either"
                    f" {'; or '.join(ORIENTATIONS[way] for way in fit)}."
                )
                how = self._ask("orientation", says, fit, 0, fit)
            if how == STORED:
                self.messages.append(f"Which way they lie: {ORIENTATIONS[STORED]}.")
                lying |= {*bare, "w_o"}
        for name in lying & {*WEIGHTS, "w_o"} & set(parts):
            parts[name] = [weight.T if weight.dim() == 2 else weight for weight in parts[name]]

    def _width(self, parts: Mapping[str, list[Tensor]]) -> int:
        """Return how many numbers a word has in X; 0 where no X is there."""
        return parts["x"][0].shape[-1] if "x" in parts else shape(self.matrices.get("x", ((),)))[-1]

    def _split_heads(self, parts: dict[str, list[Tensor]]) -> None:
        """Put a matrix for each head in place of those in which heads stand side by side; how many
        they are is known, or asked."""
        names = [name for name in (WEIGHTS if "w_q" in parts else QKV) if name in parts]
        heads = dict.fromkeys(names, 1)
        if names == list(WEIGHTS) and all(
            len(parts[name]) == 1 and parts[name][0].dim() == 2 for name in names
        ):
            self._even_out(parts)
            heads = self._heads({name: parts[name][0].shape[1] for name in names}, parts.get("w_o"))
        for name in names:
            of_heads = torch.stack(parts[name]).flatten(0, -3)
            self.parts[name] = (
                of_heads
                if heads[name] == 1
                else of_heads[0].unflatten(1, (heads[name], -1)).transpose(0, 1)
            )
            bias = name.replace("w", "b")
            if bias in parts and name in WEIGHTS:
                self.parts[bias] = torch.cat([part.flatten() for part in parts[bias]]).view(
                    len(self.parts[name]), -1
                )
        self.parts |= {name: parts[name][0] for name in ("x", "w_o", "b_o") if name in parts}
        if "x" in self.parts and self.parts["x"].dim() == 3:
            self.parts["x"] = self.parts["x"].squeeze(0)
        if "w_o" in self.parts and self.parts["w_o"].dim() == 3:  # (head, d_v, out)
            self.parts["w_o"] = self.parts["w_o"].flatten(0, 1)

    def _even_out(self, parts: dict[str, list[Tensor]]) -> None:
        """Make words of one length of those that queries, keys and values are made of."""
        widths = tuple(parts[name][0].shape[0] for name in WEIGHTS)
        if len(set(widths)) > 1:
            if "x" in parts:
                raise Unfit(
                    "The layer is made of words of two lengths, and one X stands in its file: bring"
                    " the words beside it."
                )
            rows = {name: self.matrices.get(name, ()) for name in ("x", "memory_x")}
            made, evened, says = evened_out(widths, {name: parts[name] for name in WEIGHTS}, rows)
            parts |= made
            self.matrices |= evened
            self.messages.append(says)

    def _heads(self, widths: Mapping[str, int], w_o: Sequence[Tensor] | None) -> dict[str, int]:
        """Return how many heads stand side by side in each: those of keys and values may be
        fewer."""
        ways = ways_to_split(
            widths["w_q"], widths["w_k"], widths["w_v"], w_o[0].shape[0] if w_o else 0
        )
        if not ways:
            return dict.fromkeys(widths, 1)
        if len(ways) == 1 and "heads" not in self.answers:
            return next(iter(ways.values()))
        answer = self._ask(
            "heads",
            "How many heads stand side by side?",
            list(ways),
            None if w_o else 0,
            list(ways),
        )
        return ways[answer]


def _as_read(one: Named) -> Tensor:
    """Return a tensor of the file; a kernel of Keras and Flax, (d_model, head, d_k), by its
    heads."""
    tensor = one.stored.tensor()
    is_kernel = one.key.endswith("kernel") and tensor.dim() == 3
    return tensor.transpose(0, 1) if is_kernel and "out" not in one.key.lower() else tensor


def _fitting(**numbers: Any) -> Given:
    """Return given numbers. Raises Unfit where they do not fit together."""
    try:
        return Given(**numbers)
    except ValueError as error:
        raise Unfit(str(error)) from None
