"""What a notebook shows of an entry or a trace: the board on which its cells open."""

from html import escape
from math import prod
from typing import Any, Literal

from ..ops.attention import exponentials
from ..text.text import quote
from ..trace.origin import Product, Softmax
from ..trace.record import Entry, Picture, Trace
from . import views
from .entries import HEADS, SHARES_IN_GREY, matrix
from .html import render_html
from .long_axes import SHOWN
from .packed import OF_WORDS, SEEN_WHOLE, Matrix

MOST = 20_000  # numbers of an output


def describe(shown: Entry | Trace) -> str:
    """Return an entry's name, axes and sizes, or a trace's entries, in a line."""
    if isinstance(shown, Trace):
        entries = ", ".join(map(describe, shown.values()))
        return f"Trace of {quote(' '.join(shown.tokens))}: {entries}"
    sizes = zip(shown.dims, shown.stored.shape, strict=True)
    return f"{shown.name} ({', '.join(f'{axis} {size}' for axis, size in sizes)})"


def draw(shown: Entry | Trace, head: int = 0) -> Picture:
    """Return the board of an entry and a head (from 0), or of a trace's weights; a sentence if
    there is none. Raises ValueError for a head that is not there."""
    text = describe(shown)
    if isinstance(shown, Trace):
        board = shown.show(head=head).html if "weights" in shown else ""
        return Picture(f"{board}<p>{escape(text)}</p>", text)
    if reason := _explain_no_board(shown):
        text = f"{text}. {reason}"
        return Picture(f"<p>{escape(text)}</p>", text)
    trace = shown.around
    heads = dict(zip(shown.dims, shown.stored.shape, strict=True)).get("head", trace.setup.heads)
    if not 0 <= head < heads:
        raise ValueError(f"head={head}: {shown.name} has heads from 0 to {heads - 1}")
    if shown.name == "weights":
        return Picture(_draw_weights(trace, shown, head, heads, text), text)
    return Picture(render_html(_choose_view(trace, shown, head, text), text=text), text)


def _explain_no_board(entry: Entry) -> str:
    """Return why a notebook cannot show an entry, in a sentence; "" if it can."""
    if entry.whose is None:
        return "It belongs to no trace, so it has no words and no cells to open."
    axes = [axis for axis in entry.dims if axis not in HEADS]
    if more := axes[:-2]:
        at = "{" + ", ".join(f"{axis!r}: 0" for axis in more) + "}"
        return f"Choose one {' and '.join(more)} first: trace.at({at}, {entry.name!r})."
    if not _fits(entry):
        return "These are too many numbers for a board; its value and its frame have them."
    return ""


def _fits(*entries: Entry) -> bool:
    """Return whether a board has room for a matrix of each, with long axes shortened."""
    shown = (
        prod(
            SHOWN if size > SEEN_WHOLE and axis not in OF_WORDS else size
            for axis, size in zip(entry.dims, entry.stored.shape, strict=True)
            if axis not in HEADS
        )
        for entry in entries
    )
    return sum(shown) <= MOST


def _choose_view(trace: Trace, entry: Entry, head: int, alt: str) -> views.Product | views.Matrices:
    """Return the product that an entry is, else the entry beside those of its size that it was
    computed from, or alone."""
    made, origin = _matrix(trace, entry, head), entry.origin
    if isinstance(origin, Product) and (origin.divisor, origin.temperature) == (1, 1):
        factors = [trace[name] for name in (origin.left, origin.right) if name in trace]
        if len(factors) == 2 and _fits(*factors, entry):
            left, right = (_matrix(trace, factor, head) for factor in factors)
            bias = trace.select_head(origin.bias, head) if origin.bias else None
            product = left, right, made
            return views.Product(matrices=product, bias=bias, chosen=_largest(made), alt=alt)
    inputs = [trace[name] for name in entry.inputs if name in trace]
    beside = [each for each in inputs if each.stored.shape == entry.stored.shape]
    matrices = [_matrix(trace, each, head) for each in beside if _fits(*beside, entry)] + [made]
    main, chosen = len(matrices) - 1, _largest(made)
    linked: Literal["values", False] = "values" if main else False
    return views.Matrices(
        matrices=matrices, linked=linked, across=2, main=main, chosen=chosen, alt=alt
    )


def _draw_weights(trace: Trace, entry: Entry, head: int, heads: int, alt: str) -> str:
    """Return the HTML of all heads' weights, or of one head's if those are too many. A row opens as
    its scores, their exponentials, and their shares of the row's sum, if the scores are known."""
    shown, opened = [], {}
    for k in range(heads) if _fits(*[entry] * 3 * heads) else [head]:
        named, symbol = f"head {k + 1}", f"α_{k + 1}"
        title = f"α, {named}"
        shown.append(
            matrix(trace, "weights", k, title, called=named, symbol=symbol, clickable=True)
        )
        if isinstance(entry.origin, Softmax) and entry.origin.source in trace:
            opened[named] = _open_softmax(trace, entry.origin.source, k)
    main = head if len(shown) > 1 else 0
    chosen = _largest(shown[main])
    board = views.Matrices(matrices=shown, across=3, main=main, chosen=chosen, alt=alt)
    return render_html(board, text=alt, opens=opened or None)


def _open_softmax(trace: Trace, source: str, head: int) -> list[Matrix]:
    """Return one head's scores, their exponentials and the weights, each row with its sum."""
    steps = trace.at(trace.places(head), source)
    steps = steps.also("exp", "query key", exponentials, source)
    title = f"exp({trace[source].symbol} − m)"
    power = matrix(steps, "exp", None, title, symbol=title, sums=True, **SHARES_IN_GREY)
    weights = _matrix(trace, trace["weights"], head, sums=True)
    return [_matrix(trace, trace[source], head), power, weights]


def _matrix(trace: Trace, entry: Entry, head: int, **look: Any) -> Matrix:
    whole = not entry.stored.is_floating_point()
    return matrix(trace, entry.name, head, clickable=True, whole=whole, **look)


def _largest(shown: Matrix) -> tuple[int, int]:
    """Return the last row's largest cell."""
    return len(shown.values) - 1, int(shown.values[-1].argmax())
