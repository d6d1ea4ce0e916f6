"""How numbers, shapes, names and formulas are written on every page. No Streamlit here.

`core.text.written` has the rule for numbers, `core.text.text` for quoted words; both are
re-exported here.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from itertools import groupby

from core import Setup
from core.board import colours
from core.board.entries import HEADS, axis_labels  # noqa: F401 (handed on)
from core.export import sections
from core.export.code_listing import places
from core.forward.batch import PAD
from core.forward.producers import maker
from core.forward.trace import Entry, Trace
from core.ops.attention import scale  # noqa: F401 (the worked examples use it)
from core.text.text import cell, isolate, labels, quote  # noqa: F401 (two are handed on)
from core.text.written import equals, number, percent, read, short  # noqa: F401 (handed on)


def round_as_printed(value: float) -> Decimal:
    """Return the exact value of the printed number."""
    return read(number(value))


def unit(setup: Setup) -> str:
    """Return the name of a token: "piece" for a pretrained model.

    >>> unit(Setup())
    'word'
    """
    return "piece" if setup.real else "word"


def short_percent(share: float, decimals: int = 0) -> str:
    """Return a share like `percent`, with signs for words, for a table's cell.

    >>> short_percent(0.9996), short_percent(1e-9), short_percent(0.5, decimals=1)
    ('>99%', '<1%', '50.0%')
    """
    return percent(share, decimals).replace("more than ", ">").replace("less than ", "<")


def attention(name: str, shares: Sequence[float], names: Sequence[str], most: int = 2) -> str:
    """State the largest weights of one word's row.

    >>> attention("is", [0.29, 0.0, 0.71], ["Life", "is", "short"])
    '“is” gives 71% of its attention to “short” and 29% to “Life”.'
    >>> attention("please", [1.0, 0.0], ["man", "please"])
    '“please” gives 100% of its attention to “man”.'
    """
    ranked = sorted(zip(shares, names, strict=True), key=lambda pair: -pair[0])[:most]
    told = [f"{percent(share)} to {quote(other)}" for share, other in ranked if share]
    if not told:
        return f"{quote(name)} gives nothing to anyone."
    told[0] = told[0].replace("% ", "% of its attention ", 1)
    return f"{quote(name)} gives {' and '.join(told)}."


def write_padded(tokens: Sequence[str]) -> str:
    """Return a padded sentence of a batch; much padding is counted.

    >>> write_padded(("eat", "[pad]", "[pad]")), write_padded(("eat", *5 * ["[pad]"]))
    ('eat  [pad]  [pad]', 'eat  [pad] × 5')
    """
    shown = []
    for token, equal in groupby(tokens):
        many = len(list(equal))
        shown += [f"{PAD} × {many}"] if token == PAD and many > 4 else [isolate(token)] * many
    return "  ".join(shown)


def role(name: str, latex: str) -> str:
    """Return a symbol in its role's colour, as LaTeX."""
    return rf"\textcolor{{{colours.COLOURS[name][1]}}}{{{latex}}}"


def write_with_shape(name: str, latex: str, shape: Sequence[int]) -> str:
    """Return a symbol in its colour with its shape below, as LaTeX."""
    return rf"\underset{{\scriptstyle {times(shape, latex=True)}}}{{{role(name, latex)}}}"


def symbol(entry: Entry) -> str:
    """Return an entry's symbol in its role's colour, as LaTeX."""
    return role(colours.get_role(entry.name), sections.latex(entry))


def formula(trace: Trace, name: str, shape: Sequence[int]) -> str:
    """Return the formula of one step with its shape, as LaTeX; a copy has the symbol of its
    source."""

    def write(entry: Entry) -> str:
        is_copy = entry.call is None and entry.inputs
        return write(trace[entry.inputs[0]]) if is_copy else symbol(entry)

    entry = trace[name]
    left = write_with_shape(colours.get_role(name), sections.latex(entry), shape)
    return f"{left} = {sections.right_side(trace, entry, write)}"


def nested(trace: Trace, name: str, symbols: Mapping[str, str]) -> str:
    """Return all steps from the entries with these symbols to this one as a single formula, as
    LaTeX."""

    def write(entry: Entry) -> str:
        made = entry.inputs and entry.dims == trace["scores"].dims
        return symbols.get(entry.name) or (
            nested(trace, entry.name, symbols) if made else sections.latex(entry)
        )

    return sections.right_side(trace, trace[name], write) or ""


def lines(*formulas: str) -> str:
    """Return formulas below each other, to fit on a phone, as LaTeX."""
    return r"\begin{gathered} " + r" \\[1em] ".join(formulas) + r" \end{gathered}"


def times(shape: Sequence[int], latex: bool = False) -> str:
    """Return sizes as 6 × 24."""
    return (r"{\times}" if latex else " × ").join(str(size) for size in shape)


def shape(entry: Entry) -> str:
    """Return axes with their sizes: (query 6, key 6)."""
    return (
        "("
        + ", ".join(f"{d} {s}" for d, s in zip(entry.dims, entry.value.shape, strict=True))
        + ")"
    )


@cache
def list_files(*functions: Callable) -> str:
    """Return the functions' files and lines, as markdown.

    >>> list_files(scale)  # doctest: +ELLIPSIS
    '`core/ops/attention.py`, line ...'
    """
    files = ((file, [str(line) for line in lines]) for file, lines in places(*functions).items())
    return "; ".join(
        f"`{file}`, line{'s' if len(lines) > 1 else ''} {', '.join(lines)}" for file, lines in files
    )


def made_by(trace: Trace, name: str, layer: int | None = None) -> str:
    """Return the function that computed an entry with its location, as markdown; with a `layer`
    (from 1), for that layer's weights."""
    by = maker(trace, name, layer)
    if by is None:
        return "what the block is given: X of the page Embedding, or what the layer below hands on"
    return made(by.function, *by.arguments)


def made(function: Callable, *arguments: str) -> str:
    """Return a function's call with its location, as markdown.

    >>> made(scale, "scores", "d_k")  # doctest: +ELLIPSIS
    'made by `attention.scale(scores, d_k)`: `core/ops/attention.py`, line ...'
    """
    module = function.__module__.split(".")[-1]
    return f"made by `{module}.{function.__name__}({', '.join(arguments)})`: {list_files(function)}"
