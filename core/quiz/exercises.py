"""An exercise for each page: compute a cell of the user's own setup, with the numbers it needs, its
answer and the results of usual mistakes; for some pages also a multiple-choice question."""

import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import torch
from torch import Tensor

from ..forward import batch, encoder, masked_lm, next_word, trace
from ..forward.batch import Batch
from ..forward.trace import Trace
from ..grading import misconceptions
from ..grading.derivation import derive
from ..importing.solution import STEPS
from ..setup.presets import whose_training
from ..setup.setup import Setup
from ..text.written import number
from ..training import training_store
from .answers import make_exact, print_answer, work_out
from .cell_exercise import OF_HEADS, CellExercise, Place, is_made, lay_out
from .question import Opens, Question, Unavailable, WrongResult, told_apart

# By page: the entries that variations ask for in turn.
ENTRIES: Mapping[str, tuple[str, ...]] = {
    "vocabulary": ("ids",),
    "embedding": ("x",),
    "projection": ("q", "k", "v"),
    "scores": ("scores",),
    "weights": ("weights",),
    "context": ("context",),
    "heads": ("output",),
    "masks": ("weights",),
    "block": ("resid_mid", "normed_1", "ffn_activated"),
    "next": ("logits", "probabilities"),
    "training": ("share",),
}
CHOICES: Mapping[str, Mapping] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
# The entries of each step shown in the question.
SHOWN = {
    "scores": ("q", "k"),
    "weights": ("scores",),
    "context": ("weights", "v"),
    "output": ("concat",),
}
MATRICES = {"q": "queries", "k": "keys", "v": "values"}
MAX_HEADS = 3  # other heads whose numbers are recognised
MAX_VARIATIONS = 99
SEEN = 0.01  # weights nearer to 0 or 1 are asked for only if there are no others
AS_IT_IS = "Here this number is taken over as it is: there is nothing to work out."
NO_CELL = "No exercise asks for a cell of this figure: open a cell of another one."


@dataclass(frozen=True)
class Sources:
    """The functions that compute traces, so that a page can pass cached ones."""

    trace: Callable[[Setup], Trace] = trace.run
    batch: Callable[[Setup], Batch] = batch.run
    stack: Callable[[Setup], tuple[Trace, ...]] = encoder.encode
    said: Callable[[Setup], Trace] = masked_lm.say  # up to the predicted word


def list_names(path: str) -> tuple[str, ...]:
    """Return the names of a page's exercises: the number, and the multiple-choice question.

    >>> list_names("scores"), list_names("training"), list_names("overview")
    (('scores.1', 'scores.choice'), ('training.1',), ())
    """
    kinds = ("1", "choice") if path in CHOICES else ("1",)
    return tuple(f"{path}.{kind}" for kind in kinds) if path in ENTRIES else ()


NAMES = tuple(name for path in ENTRIES for name in list_names(path))


def make(
    name: str, setup: Setup, variation: int = 1, sources: Sources | None = None
) -> Question | Unavailable:
    """Return the exercise of this name for a setup; each variation asks for another cell. Raises
    KeyError for an unknown name.

    With `trained` weights, this trains unless the result is cached.
    """
    path, _, kind = name.partition(".")
    if name not in list_names(path):
        raise KeyError(name)
    if kind == "choice":
        return _choice(name, variation)
    random = Random(f"{name} {sorted(setup.as_link().items())}")
    if path == "training":
        return _share_of_a_loss(name, setup, random, variation)
    found = _traces(path, setup, sources or Sources())
    if isinstance(found, str):
        return Unavailable(name, found)
    entries = [each for each in ENTRIES[path] if is_made(found[0], each)]
    if not entries:
        return Unavailable(name, AS_IT_IS)
    turn, which = divmod(variation - 1, len(entries))
    places = _worth_asking(found, entries[which]).nonzero()
    drawn = random.sample(range(len(places)), min(len(places), MAX_VARIATIONS))
    k, *index = places[drawn[turn % len(drawn)]].tolist()
    return _Asked(path, Place(found[k], entries[which], tuple(index)), k).question()


# By page, and by what it shows if it shows several things: a chosen cell's page and entry.
CELLS: Mapping[str, tuple[str, str]] = {
    "embedding": ("embedding", "x"),
    "projection queries": ("projection", "q"),
    "projection keys": ("projection", "k"),
    "projection values": ("projection", "v"),
    "scores": ("scores", "scores"),
    "weights": ("weights", "weights"),
    "context": ("context", "context"),
    "heads each head": ("weights", "weights"),
    "heads side by side": ("context", "context"),
    "heads mixed by W_o": ("heads", "output"),
    "block resid_mid": ("block", "resid_mid"),
    "block normed_1": ("block", "normed_1"),
    "block ffn_activated": ("block", "ffn_activated"),
}
SHOWS = {"projection": "matrix", "heads": "part", "block": "stage"}


def make_for_cell(
    path: str, setup: Setup, places: Mapping[str, str | int], sources: Sources | None = None
) -> Question | Unavailable:
    """Return the exercise for one cell of a page, selected by a link's fields.

    Args:
        path: the page. setup: the cell's. places: a link's fields by name: head, query, key, column
        and layer from 1; matrix, part and stage by word. Indices are clamped to the last one.
        sources: the functions that compute traces.
    """
    what = f"{path} {places.get(SHOWS[path], 'queries')}" if path in SHOWS else path
    if what not in CELLS:
        return Unavailable(path, NO_CELL)
    page, name = CELLS[what]
    found = _traces(page, setup, sources or Sources())
    if isinstance(found, str) or not is_made(found[0], name):
        return Unavailable(path, AS_IT_IS)

    def place(field: str, most: int) -> int:
        return min(max(int(places.get(field, 1)), 1), most) - 1

    k = place("layer", len(found)) if page == "block" else 0
    entry, head = found[k][name], place("head", setup.heads)
    index = [
        found[k].places(head).get(dim, place(_field(name, dim), size))
        for dim, size in zip(entry.dims, entry.value.shape, strict=True)
    ]
    return _Asked(page, Place(found[k], name, tuple(index)), k, head).question()


def _field(name: str, dim: str) -> str:
    """Return the link field that selects an index along this axis of an entry."""
    if dim in OF_HEADS:
        return "head"
    of_key = dim in ("key", "memory") or (dim == "token" and name in ("k", "v"))
    return "key" if of_key else "query" if dim in ("token", "query") else "column"


def _traces(path: str, setup: Setup, sources: Sources) -> tuple[Trace, ...] | str:
    """Return a page's traces: each layer of a stack, each sentence of a batch; or why there are
    none."""
    match path:
        case "block":
            return sources.stack(setup)
        case "masks":
            made = sources.batch(setup)
            return tuple(made.sentence(k) for k in range(len(made.tokens)))
        case "next":
            return masked_lm.explain_no_word(setup) or (sources.said(setup),)
        case "vocabulary" | "embedding":  # independent of the layer
            return (sources.trace(replace(setup, layer=1)),)
    return (sources.trace(setup),)


def _worth_asking(found: Sequence[Trace], name: str) -> Tensor:
    """Return which cells may be asked for: weights and probabilities clearly between 0 and 1 if
    there are any, preferably in rows with masked cells; for words, those shown on the page."""
    value = torch.stack([each.value(name) for each in found])
    clear, every = (value > SEEN) & (value < 1 - SEEN), torch.ones_like(value, dtype=torch.bool)
    best = [every]
    if name in ("logits", "probabilities"):
        words = torch.tensor(next_word.likeliest(found[0]))
        shown = torch.zeros_like(every).index_fill(-1, words, True)
        best = [shown] if name == "logits" else [clear & shown, shown]
    if name == "weights":
        masked = torch.stack([each.value("masked") for each in found])
        hides = masked.isinf().any(dim=-1, keepdim=True)
        best = [clear & hides, clear, masked.isfinite(), every]
    return next(each for each in best if each.any())


# ---------- a question about one cell ----------


@dataclass(frozen=True)
class _Asked:
    """A cell to ask for: `number` is its layer or sentence, `head` the selected head if several
    share the cell."""

    path: str
    place: Place
    number: int
    head: int | None = None

    def question(self) -> Question:
        """Return the question."""
        laid, value = lay_out(self.place), self.place.value
        is_id = self.place.name == "ids"
        answer = int(value) if is_id else work_out(laid.rule, *laid.given, exact=value)
        lead = {"block": f"Layer {self.number + 1}. ", "masks": f"Sentence {self.number + 1}. "}
        fields = self._fields()
        head = f"Head {fields['head']}. " if "head" in fields else ""
        lines = "\n".join(laid.lines)
        ask = f"Which id has {self.place.token}?" if is_id else f"What is {self.place.called}?"
        return Question(
            f"{self.path}.1",
            "whole" if is_id else "number",
            f"{lead.get(self.path, '')}{head}{lines}\n{ask}",
            (answer,),
            told_apart(answer, tuple(self._slips(laid))),
            f"{laid.how}: {print_answer(answer)}.",
            opens=Opens(self.path, fields),
        )

    def _fields(self) -> Mapping[str, str | int]:
        """Return the link fields of the answer's cell."""
        trace, name, index = self.place.trace, self.place.name, self.place.index
        if self.path == "next":
            return {"column": next_word.likeliest(trace).index(index[0]) + 1}
        dims = trace[name].dims
        fields = {_field(name, dim): at + 1 for dim, at in zip(dims, index, strict=True)}
        if "head" in fields:
            shared = trace.setup.group if name in ("k", "v") else 1
            fields["head"] = (index[0] * shared if self.head is None else self.head) + 1
        if self.path == "masks":  # query and key index the first sentence
            most = len(trace.setup.tokens)
            inside = {each: at for each, at in fields.items() if each == "head" or at <= most}
            return {**inside, "sentence": self.number + 1}
        match self.path:
            case "block":
                return {**fields, "layer": self.number + 1, "stage": name}
            case "projection":
                return {**fields, "matrix": MATRICES[name]}
            case "heads":
                return {**fields, "part": "mixed by W_o"}
        return fields

    def _slips(self, laid: CellExercise) -> Iterator[WrongResult]:
        """Yield the results of usual mistakes: those of the catalogue, of a sum's last terms, and
        the values in other heads."""
        trace, name, index = self.place.trace, self.place.name, self.place.index
        tensor = trace.value(name)
        for says, rule in laid.of_a_sum:
            yield WrongResult(says, work_out(rule, *laid.given))
        for slip, made in self._of_the_catalogue(laid):
            value = made[index].item()
            earlier = slip.step in STEPS and slip.step != name
            says = f"in {trace[slip.step].symbol} {slip.says}" if earlier else slip.says
            if math.isfinite(value):
                yield WrongResult(says, int(value) if name == "ids" else make_exact(value))
        if trace[name].dims[0] == "head":
            head, *rest = index
            for other in [each for each in range(len(tensor)) if each != head][:MAX_HEADS]:
                says = f"head {other + 1} is taken: head {head + 1} is asked"
                yield WrongResult(says, make_exact(tensor[(other, *rest)].item()))

    def _of_the_catalogue(
        self, laid: CellExercise
    ) -> Iterable[tuple[misconceptions.Misconception, Tensor]]:
        trace, name = self.place.trace, self.place.name
        if name in STEPS:
            right = derive(trace)
            return misconceptions.ways(right, right.values, name, SHOWN.get(name, ()))
        of = {each: trace.value(each).double() for each in trace if each != "unembedding"}
        return misconceptions.find_other_slips(laid.step, {**of, **laid.added})


# ---------- other questions ----------


def _share_of_a_loss(name: str, setup: Setup, random: Random, variation: int) -> Question:
    """Ask for the probability of the right word, given a training loss."""
    losses = training_store.get(whose_training(setup), "attention").losses
    drawn = random.sample(range(len(losses)), min(len(losses), MAX_VARIATIONS))
    step = drawn[(variation - 1) % len(drawn)]
    loss = losses[step]
    answer = work_out(lambda x: math.exp(-x / 2), loss)
    made = misconceptions.find_other_slips(
        "share", {"loss": torch.tensor(loss, dtype=torch.float64)}
    )
    return Question(
        name,
        "number",
        f"A right word that gets the share p costs −ln p. In step {step + 1} the loss of both"
        f" questions together is {number(loss)}.\nIf the right word got the same share each time,"
        " which one was it?",
        (answer,),
        told_apart(
            answer,
            tuple(WrongResult(slip.says, make_exact(value.item())) for slip, value in made),
        ),
        f"e^(−{number(loss)} / 2) = {print_answer(answer)}.",
        opens=Opens("training", {}),
    )


def _choice(name: str, variation: int) -> Question:
    """Return the page's multiple-choice question, with the options in the variation's order."""
    told = CHOICES[name.partition(".")[0]]
    options = [told["right"], *told["wrong"]]
    Random(f"{name} {variation}").shuffle(options)
    right = (options.index(told["right"]),)
    return Question(name, "choice", told["asks"], right, (), told["because"], tuple(options))
