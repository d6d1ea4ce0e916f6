"""What an exported script is given: words, choices and weights.

Drawn weights are drawn again there, and edited again; trained ones are written out as they are,
edits and all.
"""

import re
from collections.abc import Callable

from .. import draws, text, weights
from ..edits import Edit, why_not
from ..setup import Setup
from ..source import assigned
from . import derived
from .functions import called, defined

# What the draws, the batch and dropout look at.
FIELDS = (
    "seed",
    "init",
    "bias",
    "projections",
    "d_model",
    "d_k",
    "d_v",
    "heads",
    "out",
    "layers",
    "d_ff",
    "classes",
    "padding",
    "dropout",
    "dropout_seed",
    "kv_heads",
    "activation",
    "norm",
    "norm_kind",
    "epsilon",
    "draw_seed",
)
DRAWS: tuple[Callable, ...] = (
    draws.generator,
    draws.own_seed,
    draws.uniform,
    draws.normal,
    draws.xavier,
    draws.rows_apart,
    draws.embedding_table,
    draws.positions,
    draws.generator_of_weights,
    draws.matrices,
    draws.lying_down,
    draws.biases,
    draws.projections,
    draws.linear,
    draws.feed_forward,
    draws.layer,
    draws.classifier,
    draws.unembedding,
)
TABLE, LAYER = called(draws.embedding_table), called(draws.layer)
DRAWN = f"""drawn = {{"embedding_table": {TABLE}(setup)}} | projections(setup)
for n in range(1, setup.layers + 1):
    drawn |= {{f"layer{{n}}.{{name}}": weight for name, weight in {LAYER}(setup, n).items()}}
drawn |= {called(draws.classifier)}(setup)"""


def words(setup: Setup) -> str:
    """Return the tokens, the vocabulary and every choice that the functions look at, as code."""
    memory = f"memory = {list(setup.memory_tokens)!r}\n" if setup.memory else ""
    known = "[*tokens, *memory]" if memory else "tokens"
    has_no_others = text.vocabulary((*setup.tokens, *setup.memory_tokens)) == setup.vocabulary
    vocabulary = f"sorted(set({known}))" if has_no_others else repr(list(setup.vocabulary))
    only_in_memory = "word not in tokens" if has_no_others and memory else "False"
    further = "".join(f",\n    {list(tokens)!r}" for tokens in setup.sentences[1:])
    fields = ", ".join(f"{name}={getattr(setup, name)!r}" for name in FIELDS)
    return (
        f"tokens = {list(setup.tokens)!r}\n{memory}vocabulary = {vocabulary}\nsentences = [\n   "
        f" tokens{further},\n]\nsetup = Setup({fields}, vocabulary=vocabulary, sentences=sentences,"
        f" only_in_memory=[{only_in_memory} for word in vocabulary])"
    )


def drawn(setup: Setup) -> str | None:
    """Return how the weights are drawn and edited, as code; None where they were trained or read,
    and stand where they are used."""
    if not weights.is_drawn(setup):
        return None
    functions = [*map(defined, DRAWS), assigned(draws, "WEIGHTS", "BIASES")]
    positions = (
        [drawn_positions("max(len(tokens), len(memory))" if setup.memory else "len(tokens)")]
        if setup.positions == "learned"
        else []
    )
    own = (
        ['drawn["unembedding"] = draw_unembedding(setup, len(vocabulary))']
        if _has_unembedding(setup)
        else []
    )
    return "\n\n\n".join([*functions, "\n".join([DRAWN, *positions, *own, *edited(setup)])])


def _has_unembedding(setup: Setup) -> bool:
    return setup.unembedding == "own" and not derived.has_steps_alone(setup)


def drawn_positions(tokens: str) -> str:
    """Return the line that draws a row for each of so many places, an expression."""
    return f'drawn["positions"] = {called(draws.positions)}(setup, {tokens})'


def edited(setup: Setup) -> list[str]:
    """Return a line for each edit that counts."""
    if not setup.changes:
        return []
    named = weights.named(setup)
    if not _has_unembedding(setup):
        named.pop("unembedding", None)  # what is taken home ends before the next word
    return [
        _edit(edit) for edit in setup.changes if edit.name in named and why_not(edit, named) is None
    ]


def edited_positions(setup: Setup, tokens: int) -> list[str]:
    """Return the same for learned positions of so many places: the batch has more than the sentence
    where it is not the longest."""
    named = {"positions": draws.positions(setup, tokens)}
    return [
        _edit(edit) for edit in setup.changes if edit.name in named and why_not(edit, named) is None
    ]


def _edit(edit: Edit) -> str:
    """Return one edit as a line of code.

    >>> _edit(Edit("w_q.1.*.5", "0.7")), _edit(Edit("layer2.w_o", "0"))
    ('drawn["w_q"][0, :, 4] = 0.7', 'drawn["layer2.w_o"][:] = 0')
    """
    cells = _cells(edit.target)
    if edit.value == "identity":
        return f"{cells} = torch.eye({cells}.shape[-1])"
    return (
        f"{cells} = {_cells(edit.value)}.clone()"
        if edit.value[0].isalpha()
        else f"{cells} = {edit.value}"
    )


def _cells(target: str) -> str:
    """Return the cells that an edit names, as Python does."""
    name, written = re.fullmatch(r"((?:layer\d\.)?\w+)((?:\.[\d*-]+)*)", target).groups()  # type: ignore[union-attr]
    return f'drawn["{name}"][{", ".join(map(_index, written.split(".")[1:])) or ":"}]'


def _index(written: str) -> str:
    """Return a place as Python counts it: edits count from 1, mean both ends, and have * for all.

    >>> _index("4"), _index("4-6"), _index("4-4"), _index("*")
    ('3', '3:6', '3', ':')
    """
    if written == "*":
        return ":"
    first, _, end = written.partition("-")
    return str(int(first) - 1) if end in ("", first) else f"{int(first) - 1}:{int(end)}"
