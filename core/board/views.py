"""The views of matrices: one dataclass each, whose fields its script in `views/` reads in the
browser."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from torch import Tensor

from .long_axes import cut_long_axes, cut_pictures, largest
from .packed import OF_WORDS, Matrix
from .stations import Station
from .view import View

Cell = tuple[int, int]
# pixels of the window around the drawing: bar and header above, line and legend below
UNDER = 250


@dataclass(kw_only=True)
class Matrices(View):
    """Matrices below each other (`stacked`) or side by side. Widths and heights are of a cell, in
    pixels."""

    chosen: Cell | None = None  # a cell of the matrix at `main`
    stacked: bool | None = None
    across: int = 1  # most matrices on a line
    main: int = 0
    linked: bool | Literal["column", "values"] = (
        False  # highlight the same cell in all, or its column; "values": describe each
    )
    add_up: bool = (
        False  # the first matrix's rows add up to the second's only row, with a sum in numbers
    )
    plays: Mapping[str, Any] | None = (
        None  # its animation ("as": the name in `views/matrices.js`) and the animation's data
    )
    of_screen: float | None = None
    max_zoom: float | None = None
    min_width: float | None = None
    max_width: float | None = None
    min_height: float | None = None
    max_height: float | None = None
    matrices: Sequence[Matrix]

    def __post_init__(self) -> None:
        """Shorten long axes."""
        self.matrices, chosen = cut_long_axes(self.matrices, self.main, self.chosen or (0, 0), {})
        self.chosen = self.chosen and chosen


@dataclass(kw_only=True)
class Pictures(View, script="matrices"):
    """Bare matrices as a grid of small pictures."""

    max_cell: int  # a cell's largest size, in pixels
    across: int
    main: int | None = None
    chosen: Cell
    linked: bool | None = None
    of_screen: float
    matrices: Sequence[Matrix]

    def __post_init__(self) -> None:
        """Shorten a long sentence."""
        self.matrices, self.chosen = cut_pictures(self.matrices, self.chosen)


@dataclass(kw_only=True)
class Nothing(View, script="matrices"):
    """No matrix; `nothing` explains why."""

    nothing: str


@dataclass(kw_only=True)
class LayerStack(View):
    """Layers on top of each other, lowest first; each bare matrix is named "layer·head", from 1."""

    matrices: Sequence[Matrix]
    chosen: Cell
    across: int  # heads in a layer
    main: int
    layer: int  # the layer of the matrix at `main`, from 0
    size: str  # the input's shape
    rows: Matrix  # the selected word's rows: the input, then each layer's output
    max_cell: int
    of_screen: float
    max_zoom: float = 1.4

    def __post_init__(self) -> None:
        """Shorten a long sentence."""
        self.matrices, self.chosen = cut_pictures(self.matrices, self.chosen)


@dataclass(kw_only=True)
class Product(View):
    """left · right = result, with the chosen cell's terms beside them.

    A long sum shows its 40 largest terms and one number for the others, and has no animation.
    """

    axes: Sequence[str] = field(init=False)  # the axes of rows, terms and columns
    others: int | None = field(init=False, default=None)  # the count of hidden terms
    chosen: Cell
    only: str | None = None  # a lecture's beat: "row" veils the result's other rows
    under: int = UNDER  # this many pixels of the window stay free above and below it
    one_row: bool | None = (
        None  # rows other than the chosen cell's are faded until one is pointed at
    )
    bias: Tensor | None = None  # (column), the last term of every sum
    matrices: tuple[Matrix, Matrix, Matrix]

    def __post_init__(self) -> None:
        """Find the axes that have words, and shorten long ones."""
        left, right, _ = self.matrices
        self.axes = [
            "words" if axis in OF_WORDS else "dims" for axis in (*left.axes, right.axes[1])
        ]
        row, column = self.chosen
        inner, size = left.long[1], left.values.shape[1]
        terms = {inner: largest(left.values[row] * right.values[:, column])} if inner else {}
        (left, right, result), self.chosen = cut_long_axes(self.matrices, 2, self.chosen, terms)
        self.matrices = left, right, result
        self.others = size - len(terms[inner]) if inner else None


@dataclass(kw_only=True)
class Terms(View):
    """The terms of one cell in up to three one-row matrices: factor, × factor, = product."""

    of: int  # room for this many rows
    total: str  # the sum as text, empty until it is shown
    matrices: Sequence[Any]

    def __post_init__(self) -> None:
        """Give each row its sign."""
        self.matrices = [
            row.packed() | {"sign": sign}
            for sign, row in zip(("", "× ", "= "), self.matrices, strict=False)
        ]


@dataclass(frozen=True)
class Stage:
    """One row of a block with a note, on the residual stream or on a branch.

    A branch "leaves" the stream, "joins" it, or does "both"; "" is the stream itself. In between, a
    row "goes on" from the one above, or "goes past" it from the one before. `inside` marks the
    feed-forward part, whose columns are not those of the word's row.
    """

    row: Matrix
    note: str
    branch: Literal["", "leaves", "goes on", "goes past", "joins", "both"]
    inside: bool = False

    def packed(self) -> dict[str, Any]:
        """Return the row as the browser's scripts read it; `onward` counts the rows up to its
        input."""
        return self.row.packed() | {
            "note": self.note,
            "branch": bool(self.branch),
            "onward": {"goes on": 1, "joins": 1, "goes past": 2}.get(self.branch, 0),
            "joins": self.branch in ("both", "joins"),
            "inside": self.inside,
        }


@dataclass(kw_only=True)
class ResidualStream(View):
    """One word's row through the stages of a block, from top to bottom."""

    chosen: Cell  # of the row at `main`
    main: int
    under: int = UNDER
    of_screen: float = 0.7
    matrices: Sequence[Stage]

    def __post_init__(self) -> None:
        """Shorten long rows."""
        rows, self.chosen = cut_long_axes(
            [stage.row for stage in self.matrices], self.main, self.chosen, {}
        )
        self.matrices = [
            replace(stage, row=row) for stage, row in zip(self.matrices, rows, strict=True)
        ]


@dataclass(kw_only=True)
class Flow(View):
    """A line from each word to each, as wide as its weight in the only matrix."""

    chosen: Cell
    says: Sequence[str]  # a sentence about each query
    of_screen: float | None = None
    matrices: tuple[Matrix]


@dataclass(kw_only=True)
class TrainingHistory(View):
    """Matrices during training. `matrices` are those at the last moment."""

    before: Sequence[Matrix]  # the same at the first moment; both can be shown as tables
    moments: Tensor  # (moment, matrix, row, column)
    steps: Sequence[int]  # the training steps at each moment
    says: Sequence[str]  # a line about each moment
    found: tuple[int, str] | None = None  # a marked moment (from 0) and its description
    chosen: Cell  # of the matrix at `main`
    across: int = field(init=False)
    main: int
    of_screen: float
    max_width: int = 46
    max_height: int | None = field(init=False, default=None)
    matrices: Sequence[Matrix]

    def __post_init__(self) -> None:
        """Put several matrices on one line."""
        self.across = len(self.matrices)
        if self.across > 1:
            self.max_height = 20


@dataclass(kw_only=True)
class Words(View):
    """The sentence in large type, with query and key words coloured, and a line about them."""

    names: Sequence[str]
    query: int
    asked: int | None = None
    said: str


@dataclass(kw_only=True)
class Opening(View):
    """A sentence without its last word, and for each ending the attention arc from it.

    Each ending has its "word"; the "key" (from 0) of its arc and the arc's "share"; "said" and
    "alt" texts; the "link" to the next page and its "sets", beside the common `sets`.
    """

    words: Sequence[str]
    endings: Sequence[Any]
    breaks: int  # the first word of the second line, if there are two
    sets: Mapping[str, str]
    way: str | None = None  # the link's text, if any
    fixed: bool  # the ending cannot be changed
    label: str
    chosen: tuple[int]
    of_screen: float


@dataclass(kw_only=True)
class Vocabulary(View):
    """Tokens on top, vocabulary entries below, a line from each token to its entry."""

    tokens: Sequence[str]
    entries: Sequence[str]
    ids: Sequence[int]
    unseen: Sequence[int]  # ids of the entries that are not in the training data
    chosen: int  # a token, from 0
    of_screen: float


@dataclass(kw_only=True)
class Pipeline(View):
    """A whole computation as one diagram. The first station has the words."""

    stations: Sequence[Station]
    says: Sequence[str]  # a sentence about each word
    chosen: Cell
    of_screen: float | None = None
    max_zoom: float | None = None
    after: Mapping[str, Any] | None = (
        None  # a line ("text"), and path and title of the "pages" that follow
    )


@dataclass(kw_only=True)
class Asked:
    """A question answered on the figure: the right places."""

    right: Sequence[int]


@dataclass(kw_only=True)
class StoryScene(View):
    """One scene of the story: one animation, and perhaps a question answered by a click on it.

    `arc`: from one word to another, for each row of `bars`, each with a title. `ids`: two `entries`
    of a list. `lookup`: two rows of a table. `added`: row + row = row. `made`: row × matrix = row.
    `fits`: two rows, their products, the sum. `bars`: one for each word, from the first row of
    `bars` to the second; a question asks which will be largest or how the largest changes. `mixed`:
    rows are weighted and added.
    """

    scene: Literal["arc", "ids", "lookup", "added", "made", "fits", "bars", "mixed"]
    names: Sequence[str]
    keys: Sequence[str]  # the words of the keys
    chosen: Cell
    role: str = ""
    entries: Sequence[tuple[int, str]] = ()
    shares: bool = False
    asked: Asked | None = None
    bars: Tensor | None = None  # (before and after, key)
    titles: Sequence[str] = ()
    under: Sequence[str] = ()  # below each word's bar
    said: str
    of_screen: float
    max_zoom: float
    matrices: Sequence[Matrix] = ()


@dataclass(kw_only=True)
class Bead:
    """A fact about the pair, known from one step on: coloured text in `shown`, or small `rows`.
    Until then only its label."""

    label: str
    page: str
    beat: int
    known: bool
    shown: Sequence[tuple[str, str]] = ()
    rows: Sequence[Matrix] = ()


@dataclass(kw_only=True)
class StoryNumbers(View):
    """The strip above the story: the sentence, and the facts known so far on the pair's arc."""

    names: Sequence[str]
    keys: Sequence[str]
    chosen: Cell
    beads: Sequence[Bead]
