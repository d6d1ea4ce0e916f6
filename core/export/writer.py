"""Write the derivation as alternating text and code: each entry of a trace is one line, the call
that computes it (`Entry.call`)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256

import torch
from torch import Tensor

from ..forward import batch
from ..ops import embedding, masks, norms
from ..setup.setup import FIELDS, Setup
from ..text import text
from ..trace.origin import Copy
from ..trace.record import Entry, Trace
from ..training import init
from ..weights import weights
from . import sections
from .code_listing import list_assignments, source
from .functions import add_helpers, check, first, get_code, get_name
from .traces import NamedTrace, list_traces

IMPORTS = """import random
from collections.abc import Sequence
from types import SimpleNamespace

import torch
from torch import Generator, Tensor

Setup = SimpleNamespace  # the choices that decide the drawn weights
torch.set_num_threads(1)  # as the pages count: several threads may add up in another order"""
FILE = "attention.safetensors"  # next to the script
READ = f'from safetensors.torch import load_file\n\nfile = load_file("{FILE}")'
DRAWS = (init.uniform, init.normal, init.xavier)
# The fields that the sampling functions read.
LOOKED_AT = (
    *(name for name, field in FIELDS.items() if field.draws),
    *("group", "out_size", "only_in_memory"),
)


@dataclass(frozen=True)
class Part:
    """A piece of the script: text and the code below it."""

    text: str
    code: str


@dataclass
class Writer:
    """Writes a setup's script; collects the functions it needs, each once, and the tensors that the
    script cannot compute, for a file."""

    setup: Setup
    file: dict[str, Tensor] = field(default_factory=dict)
    _defined: set[Callable] = field(default_factory=set)
    _needed: list[Callable] = field(default_factory=list)
    _made: dict[tuple, str] = field(default_factory=dict)  # by last name and values

    def parts(self, address: str) -> Iterator[Part]:
        """Yield all parts; `address` is the explorer's URL, without a page."""
        yield Part(_about(self.setup, address), _tools())
        title = (
            "The words, and weights from their seeds"
            if weights.is_drawn(self.setup)
            else "The words"
        )
        yield Part(f"## {title}", self._words())
        found: dict[str, list[str]] = {}
        for named in list_traces(self.setup):
            if named.prefix:
                found.setdefault(named.path, []).append(self._lines_of(named))
                continue
            for section in sections.SECTIONS:
                entries = section.entries(named.trace)
                code = self._with_functions(self._line(named, entry) for entry in entries)
                yield Part(sections.introduce(self.setup, section, address, named.trace), code)
        for section in sections.LATER:
            if section.path in found:
                code = "\n\n".join(found[section.path])
                yield Part(sections.introduce(self.setup, section, address), code)

    def _words(self) -> str:
        """Return the code for the tokens, and for sampling the weights if they are sampled."""
        setup = self.setup
        lines = [f"tokens = {list(setup.tokens)!r}", f"vocabulary = {list(setup.vocabulary)!r}"]
        self._keep("ids", text.token_ids(setup.tokens, setup.vocabulary), _ids("tokens"))
        if setup.memory:
            memory = setup.memory_tokens
            lines.append(f"memory = {list(memory)!r}")
            self._keep("memory_ids", text.token_ids(memory, setup.vocabulary), _ids("memory"))
        self._needed.append(text.token_ids)
        if not weights.is_drawn(setup):
            return self._with_functions(lines)
        further = {word for tokens in setup.sentences for word in tokens} - {*setup.vocabulary}
        places = max(setup.most_places, *map(len, setup.sentences))
        sizes = {"places": places, "further": len(further) + 1}  # one for padding
        of_steps = replace(setup, layer=1)
        drawn = init.all_weights(of_steps, **sizes)
        for name, weight in drawn.items():
            self._keep(name, weight, f'drawn["{name}"]')
        for count in range(1, places + 1):
            for name in ("positions", "memory_positions"):
                self._keep(name, drawn["positions"][:count], f'drawn["positions"][:{count}]')
        fields = ", ".join(f"{name}={getattr(of_steps, name)!r}" for name in LOOKED_AT)
        arguments = ", ".join(f"{name}={size}" for name, size in sizes.items())
        lines += [f"setup = Setup({fields})", f"drawn = all_weights(setup, {arguments})"]
        self._needed += [*DRAWS, init.all_weights]
        maps = list_assignments(init, "WEIGHTS", "BIASES")
        return self._with_functions([maps, *lines])

    def _lines_of(self, named: NamedTrace) -> str:
        """Return the lines of a trace that has its own namespace."""
        space = named.prefix[:-1]
        opening = (
            []
            if "encoded" in named.trace and space == "classifier"
            else [f"{space} = SimpleNamespace()"]
        )
        if named.prefix == "batch.":
            opening += self._batch(named.trace)
        return self._with_functions(
            [*opening, *(self._line(named, entry) for entry in named.trace.values())]
        )

    def _batch(self, trace: Trace) -> list[str]:
        """Return the lines for the word positions and the mask, and register the batch's inputs."""
        setup, is_word = self.setup, batch.word_places(self.setup)
        tokens, mask = is_word.shape[1], weights.get_source(self.setup).mask()
        self._needed += [masks.make_padding_mask, mask.func]
        words = "torch.ones_like(batch.is_word)" if setup.padding == "unmasked" else "batch.is_word"
        lines = [
            f"batch.is_word = {_literal(is_word)}",
            f"batch.may_attend = make_padding_mask({words}) & {_mask(mask, tokens)}",
        ]
        if setup.dropout > 0:
            self._needed.append(init.generator)
            shape = ", ".join(map(str, (len(is_word), setup.heads, tokens, tokens)))
            lines.append(
                f"batch.dropout_mask = torch.rand({shape},"
                f" generator=generator({setup.dropout_seed})) >= {setup.dropout}"
            )
        if "embedding_table" in trace and weights.is_drawn(setup):
            self._keep(
                "embedding_table",
                trace.value("embedding_table"),
                'torch.cat([embedding_table, drawn["further_words"]])',
            )
        if setup.turns:
            self._needed += [embedding.rotary_angles, embedding.subtract_first_angle]
            settings = {"tokens": tokens, "size": setup.d_k} | setup.rotary
            given = ", ".join(f"{name}={value!r}" for name, value in settings.items())
            angles = f"rotary_angles({given})"
            self._keep(
                "angles", trace.value("angles"), f"subtract_first_angle({angles}, batch.is_word)"
            )
        rows = None
        if setup.positions == "sinusoidal":
            self._needed.append(embedding.sinusoidal)
            rows = embedding.sinusoidal(tokens, setup.d_model)
            made = f"sinusoidal({tokens}, {setup.d_model})"
        elif setup.positions == "learned" and weights.is_drawn(setup):
            rows, made = init.positions(setup, tokens), f'drawn["positions"][:{tokens}]'
        if rows is not None:
            self._needed.append(embedding.place)
            placed = embedding.place(rows, is_word)
            self._keep("positions", placed, f"place({made}, batch.is_word)")
        return lines

    def _line(self, named: NamedTrace, entry: Entry) -> str:
        """Return the line that computes an entry, checked against the page's numbers unless it only
        renames another entry."""
        name = named.prefix + entry.name
        made = self._expression(named, entry)
        line = f"{name} = {made}"
        is_again = made.replace(".", "").isidentifier()
        self._keep(entry.name, entry.value, made if is_again else name)
        if is_again:
            return line
        if not named.is_told and entry.name != "out":
            return line
        return f'{line}\ncheck("{name}", {name}, {_page(entry.value)})'

    def _expression(self, named: NamedTrace, entry: Entry) -> str:
        if entry.call is not None:
            self._needed.append(entry.call.function)
            arguments = [named.prefix + name for name in entry.call.inputs]
            arguments += [
                f"{key}={self._setting(named, key) if isinstance(value, Tensor) else repr(value)}"
                for key, value in entry.call.settings.items()
            ]
            return f"{get_name(entry.call.function)}({', '.join(arguments)})"
        if isinstance(entry.origin, Copy):
            return named.prefix + entry.origin.source
        if made := self._made.get(_key(entry.name, entry.value)):
            return made
        if not entry.value.is_floating_point() or entry.value.numel() == 1:
            return _literal(entry.value)
        name = named.prefix + entry.name
        self.file[name] = entry.value.clone().contiguous()
        return f'file["{name}"]'

    def _setting(self, named: NamedTrace, name: str) -> str:
        """Return the expression for a step's tensor argument: the mask, the word positions, or the
        dropout mask."""
        if name != "may_attend":
            return f"batch.{name}"
        if named.prefix.startswith(("batch.", "classifier.")):
            return "batch.may_attend[:, None]"
        mask = weights.get_source(named.trace.setup).mask_in_steps()
        self._needed.append(mask.func)
        return _mask(mask, len(named.trace.tokens))

    def _keep(self, name: str, value: Tensor, made: str) -> None:
        self._made[_key(name, value)] = made

    def _with_functions(self, lines: Iterable[str]) -> str:
        """Return these lines after the functions that they are the first to need."""
        code = "\n".join(lines)
        needed = dict.fromkeys(add_helpers(self._needed))
        new = [each for each in needed if each not in self._defined]
        self._defined.update(new)
        self._needed.clear()
        return "\n\n\n".join([*map(get_code, new), code])


def _key(name: str, value: Tensor) -> tuple:
    """Return a key that equal tensors share; one layer's output is the next one's x and the last
    one's is `encoded`."""
    last = name.rpartition(".")[2]
    numbers = sha256(value.contiguous().numpy().tobytes()).digest()
    return "out" if last in ("x", "encoded") else last, value.shape, value.dtype, numbers


def _ids(tokens: str) -> str:
    return f"token_ids({tokens}, vocabulary)"


def _literal(value: Tensor) -> str:
    """Return a small tensor as an expression."""
    if value.dtype == torch.bool:
        return f"torch.tensor({value.int().tolist()}).bool()"
    return f"torch.tensor({value.tolist()})"


def _page(value: Tensor) -> str:
    """Return a tensor's printed numbers, one row on each line.

    >>> print(_page(torch.tensor([[0.5, -torch.inf], [1 / 3, 2.0]])))
    [
        [0.5, -torch.inf],
        [0.3333, 2.0],
    ]
    """
    rows = [[round(number, 4) for number in row] for row in first(value).tolist()]
    return "[\n" + "".join(f"    {row},\n" for row in rows).replace("inf", "torch.inf") + "]"


def _mask(mask: partial[Tensor], tokens: int) -> str:
    """Return the call that computes a mask for this many tokens."""
    named = (f"{key}={value}" for key, value in mask.keywords.items())
    return f"{mask.func.__name__}({', '.join([str(tokens), *named])})"


def _about(setup: Setup, address: str) -> str:
    kind = "Cross-attention" if setup.memory else "Self-attention"
    whose = f" of {setup.real.name}" if setup.real else ""
    return (
        f"# {kind}, step by step\n\nThe steps{whose} in plain PyTorch, with the numbers of"
        f" [this setup]({sections.link(setup, '', address)}). Each prints its numbers, of several"
        " heads the first's and of a large matrix the first eight rows and columns, and holds them"
        " against what its page showed. Afterwards a variable of each name holds its tensor:"
        " `scores` of the seven steps, `batch.scores` of all sentences, `layer2.scores` of the"
        " second block."
        f" What is not drawn from a seed is read from `{FILE}`, which then stands beside this."
    )


def _tools() -> str:
    """Return the code for printing and checking the steps."""
    constant = list_assignments(norms, "EPSILON")
    return "\n\n\n".join([f"{IMPORTS}\n\n{constant}", source(first), source(check)])
