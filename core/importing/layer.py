"""A layer of one's own: from a file of tensors, or from a module in a notebook. Every float32 comes
back to the bit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from ..fields.nested import shape
from ..fields.user_matrices import AXES, UserMatrices
from ..setup.constraints import MAX_GIVEN
from ..text.exact_decimals import LARGEST, to_texts
from .archives import Stored, contents
from .keys import find_layers
from .names import symbol
from .parsing import ANY_TIME, Found, Reading, settings_of
from .projections import Projections
from .questions import InvalidAnswer, InvalidInput, Question, Questions
from .shared import read_shared
from .variants import check_scale, check_variants


@dataclass(frozen=True)
class LayerInput:
    """The tensors of a file or a module by name, what it says of itself, and what stands beside it.

    `attributes` are a module's that are no weights; `compared` says that what it computes was
    compared, so that nothing else of it can change the numbers.
    """

    name: str = ""
    stored: Mapping[str, Stored] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    x: Any = ()
    tokens: tuple[str, ...] = ()
    memory_x: Any = ()
    attributes: Mapping[str, Stored] = field(default_factory=dict)
    compared: bool = False


@dataclass(frozen=True)
class Layer(Reading):
    """What was read of a layer: a reading like that of a text, with the same questions and
    answers."""

    brought: LayerInput = field(repr=False, default_factory=LayerInput)

    def answered(self, **answers: object) -> "Layer":
        """Return the reading of the same layer with these questions answered by name. Raises
        ValueError for an answer that is none."""
        if not self.brought.name:  # no such file was read
            return self
        return LayerParser(
            self.brought, {name: str(value) for name, value in (self.answers | answers).items()}
        ).layer()


def read_file(
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
    or a tensor; `memory` for another one that is asked, its rows as `module.read_module` has them.
    What cannot be read is a sentence in `messages` and `left_out`, never an exception; an answer
    that fits no question raises ValueError.
    """
    try:
        return Layer(
            brought=LayerInput(name, *contents(name, data), x, tuple(tokens), memory)
        ).answered(**answers)
    except InvalidInput as unfit:
        return Layer(messages=(str(unfit),), left_out=(str(unfit),))


class LayerParser:
    """Lays one attention of what was brought as `AXES` has it."""

    def __init__(self, brought: LayerInput, answers: dict[str, str]) -> None:
        self.brought, self.tokens = brought, brought.tokens
        self.settings = settings_of(answers)
        self.questions = Questions(answers | self.settings)
        self.prefix = ""  # of the attention that was chosen
        self.rows: dict[str, Any] = {"x": (), "memory_x": ()}  # beside the tensors, as texts
        self.parts: dict[str, Tensor] = {}
        self.said: dict[str, str] = {}  # what the file calls each of them
        self.matrices: dict[str, Any] = {}

    def layer(self) -> Layer:
        """Return the reading. Raises ValueError for an answer that is none."""
        left_out: tuple[str, ...] = ()
        try:
            self.parts = self.lay()
            self._write(self.parts)
            self.questions.refuse_unknown(ANY_TIME)
        except InvalidAnswer:
            raise
        except InvalidInput as unfit:
            left_out = (str(unfit),)
        except (RuntimeError, LookupError, ValueError):  # of torch, about matrices that are none
            left_out = ("The matrices have not the shapes of an attention.",)
        found = {} if left_out else self.matrices
        return Layer(
            matrices={name: self._found(name, kept) for name, kept in found.items()},
            tokens=self.tokens,
            questions=tuple(self.questions.asked.values()),
            messages=(*left_out, *self.questions.messages),
            left_out=left_out,
            settings=self.settings,
            answers=self.questions.answers,
            brought=self.brought,
        )

    def lay(self) -> dict[str, Tensor]:
        """Return the matrices of the file or module by name, as they are stored, laid. Raises
        InvalidInput."""
        for name, rows in {"x": self.brought.x, "memory_x": self.brought.memory_x}.items():
            if len(rows):
                is_tensor = isinstance(rows, Tensor)
                self.rows[name] = self._texts(name, rows) if is_tensor else _check_sizes(x=rows).x
        if "link" in self.brought.about:
            return self._lay_shared(self.brought.about["link"])
        return self._lay_attention()

    def ask(self, name: str, says: str, answers: Sequence[str], default: str | None = None) -> str:
        """Put a question where there is a choice, and return its answer, else the first."""
        if told := self.settings.get(name):
            answers, default = tuple(dict.fromkeys((*answers, told))), None
        answer = default
        if len(answers) > 1 or default is None or name in self.questions.answers:
            answer = self.questions.ask(Question(name, says, tuple(answers), default))
        return answer or answers[0]

    # ---------- as Share, libraries and notebooks write it ----------

    def _lay_shared(self, link: str) -> dict[str, Tensor]:
        shared = read_shared(self.brought.stored, link)
        self.said, self.matrices = shared.said, dict(shared.mask)
        self.questions.messages += shared.messages
        self.tokens = self.tokens or shared.tokens
        self.settings.setdefault("scale", shared.scale)
        return shared.parts

    def _lay_attention(self) -> dict[str, Tensor]:
        layers, others = find_layers(self.brought.stored)
        if not layers:
            keys = [key[:40] or "one without a name" for key in list(self.brought.stored)[:4]]
            raise InvalidInput(
                "No attention is in it: in_proj_weight is looked for, or query, key and value. Its"
                f" tensors: {', '.join(keys) or 'none'}."
            )
        prefixes = {prefix.rstrip(".") or "the first": prefix for prefix in layers}
        says = f"There are {len(layers)} attentions: which one is it?"
        chosen = self.ask("layer", says, list(prefixes), next(iter(prefixes)))
        self.prefix = prefixes[chosen]
        projections = Projections(layers[self.prefix], self.rows, self.ask)
        parts = projections.lay()
        self.said = projections.said
        self.questions.messages += projections.messages
        if not self.brought.compared:
            self._tell_the_rest(others, parts)
        return parts

    def _tell_the_rest(self, others: Mapping[str, Stored], parts: Mapping[str, Tensor]) -> None:
        """Ask or say what else the layer does than the steps do, as far as names tell it."""
        attributes = self.brought.attributes
        check_variants(self.prefix, others, attributes, self.ask)
        d_k = parts["w_q" if "w_q" in parts else "q"].shape[-1]
        check_scale(self.prefix, {**others, **attributes}, d_k, self.ask)
        if names := list(dict.fromkeys(name.split(".")[-2:][0][:40] for name in others)):
            self.questions.messages.append(
                "The attention alone is read: X is what its projections take in, and W_o's result"
                " is its last. Left out:"
                f" {', '.join(names[:6])}{' …' * (len(names) > 6)}."
            )
        if not attributes:
            self.questions.messages.append(
                "A file does not hold what a layer does between its matrices. Scores are divided by"
                " √d_k, no word is hidden, nothing is turned by its place (RoPE): what is otherwise"
                " in yours has to be said."
            )

    # ---------- as texts ----------

    def _write(self, parts: Mapping[str, Tensor]) -> None:
        """Write all matrices as texts, and see whether they fit together. Raises InvalidInput."""
        if not parts.keys() & {"x", "q"}:
            self.matrices |= {name: rows for name, rows in self.rows.items() if rows}
        self.matrices |= {name: self._texts(name, part) for name, part in parts.items()}
        if not self.matrices.keys() & {"x", "q"}:
            self.questions.messages.append(
                "The layer is there, and no sentence: bring X, a row of"
                f" {parts['w_q'].shape[1]} numbers for each word."
            )
            return
        given = {name: kept for name, kept in self.matrices.items() if name != "mask"}
        tokens = _check_sizes(**given).sizes["token"]
        if self.tokens and len(self.tokens) != tokens:
            self.questions.messages.append(
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
        """Return a matrix's numbers as texts. Raises InvalidInput for one without a place, or too
        large a matrix."""
        for axis, size in zip(AXES[name], part.shape, strict=True):
            most = MAX_GIVEN.get("head" if axis == "kv_head" else axis, size)
            if size > most:
                raise InvalidInput(
                    f"{symbol(name)} is {' × '.join(map(str, part.shape))}: its {axis} is {size},"
                    f" and at most {most} fit."
                )
        single = part.float()
        if not single.isfinite().all() or single.abs().max() > float(LARGEST):
            raise InvalidInput(
                f"{symbol(name)} holds ∞, what is no number, or one above a billion."
            )
        if (single.double() != part.double()).any():
            self.questions.messages.append(
                f"{symbol(name)} is rounded to float32, in which the steps are computed."
            )
        return to_texts(single.tolist())


def _check_sizes(**numbers: Any) -> UserMatrices:
    """Return given numbers. Raises InvalidInput where they do not fit together."""
    try:
        return UserMatrices(**numbers)
    except ValueError as error:
        raise InvalidInput(str(error)) from None
