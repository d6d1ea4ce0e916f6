"""The ways to show matrices: a dataclass each. A file of `views/` draws it in the browser, and what
it reads are these fields."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from torch import Tensor

from pages.shared.board.long import cut_long_axes, largest
from pages.shared.board.mount import View
from pages.shared.board.packed import OF_WORDS, Matrix
from pages.shared.board.stations import Station

Cell = tuple[int, int]
# pixels of a window: the bar and a page's header above its figure, the line and the legend below
# the drawing
UNDER = 250


@dataclass(kw_only=True)
class Matrices(View):
    """Matrices one under the other (`stacked`), or side by side. Widths and heights are those of a
    cell, in pixels."""

    chosen: Cell | None = None  # a cell of the one at `main`
    stacked: bool | None = None
    across: int = 1  # so many at most in a line
    main: int = 0
    linked: bool | Literal["column", "values"] = (
        False  # the same cell of all lights up, or its column; "values": each is said
    )
    add_up: bool = (
        False  # the first one's rows add up to the second's only one, and that is said in numbers
    )
    plays: Mapping[str, Any] | None = (
        None  # what it can perform ("as": its name in `views/matrices.js`), and what that needs
    )
    of_screen: float | None = None
    max_zoom: float | None = None
    min_width: float | None = None
    max_width: float | None = None
    min_height: float | None = None
    max_height: float | None = None
    matrices: Sequence[Matrix]

    def __post_init__(self) -> None:
        """Show long axes in part."""
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


@dataclass(kw_only=True)
class Nothing(View, script="matrices"):
    """There is no matrix, and why is what there is to see."""

    nothing: str


@dataclass(kw_only=True)
class Tower(View):
    """Layers on top of each other, the lowest first among the bare matrices, each of which is
    called layer·head, both from 1."""

    matrices: Sequence[Matrix]
    chosen: Cell
    across: int  # heads of a layer
    main: int
    layer: int  # that of the one at `main`, from 0
    size: str  # that of what goes in
    rows: Matrix  # the followed word's: what goes into the lowest layer, and what each hands on
    max_cell: int
    of_screen: float
    max_zoom: float = 1.4


@dataclass(kw_only=True)
class Product(View):
    """left · right = result, each cell of the result where its row and its column cross; the chosen
    one's terms beside them.

    Of a long sum its 40 largest terms are shown; what the others add up to is said in one number,
    and nothing plays.
    """

    axes: Sequence[str] = field(init=False)  # what stands along rows, terms and columns
    others: int | None = field(init=False, default=None)  # terms that are not shown
    chosen: Cell
    only: str | None = None  # a lecture's beat: "row" veils the result's other rows
    under: int = (
        UNDER  # it is no higher than a window is that has so many pixels above and below it
    )
    one_row: bool | None = (
        None  # until another is pointed at, all but the chosen cell's row have a third of their ink
    )
    bias: Tensor | None = None  # (column), the last term of every sum
    matrices: tuple[Matrix, Matrix, Matrix]

    def __post_init__(self) -> None:
        """Say along which axes words stand, and show long ones in part."""
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
    """The terms of one cell, written out as up to three rows: factor, × factor, = product. Each is
    a matrix of one row."""

    of: int  # rows there is room for
    total: str  # the sum in words, empty where it is still to come
    matrices: Sequence[Any]

    def __post_init__(self) -> None:
        """Give each row its sign."""
        self.matrices = [
            row.packed() | {"sign": sign}
            for sign, row in zip(("", "× ", "= "), self.matrices, strict=False)
        ]


@dataclass(frozen=True)
class Stage:
    """One row on its way through a block: a note on it, and whether it stands on a branch.

    A branch "leaves" the stream, "joins" it again, or does "both"; "" is the stream itself. Between
    the two one "goes on" from the row above it, or "goes past" that from the one before. `inside`
    are those of the feed-forward part, whose numbers are no columns of the word's row.
    """

    row: Matrix
    note: str
    branch: Literal["", "leaves", "goes on", "goes past", "joins", "both"]
    inside: bool = False

    def packed(self) -> dict[str, Any]:
        """Return the row as the browser's scripts read it; `onward` is how many rows above it the
        one stands that it goes on from."""
        return self.row.packed() | {
            "note": self.note,
            "branch": bool(self.branch),
            "onward": {"goes on": 1, "joins": 1, "goes past": 2}.get(self.branch, 0),
            "joins": self.branch in ("both", "joins"),
            "inside": self.inside,
        }


@dataclass(kw_only=True)
class Stream(View):
    """One word's row from stage to stage of a block, from above."""

    chosen: Cell  # of the one at `main`
    main: int
    under: int = UNDER
    of_screen: float = 0.7
    matrices: Sequence[Stage]

    def __post_init__(self) -> None:
        """Show long rows in part."""
        rows, self.chosen = cut_long_axes(
            [stage.row for stage in self.matrices], self.main, self.chosen, {}
        )
        self.matrices = [
            replace(stage, row=row) for stage, row in zip(self.matrices, rows, strict=True)
        ]


@dataclass(kw_only=True)
class Flow(View):
    """A line from each word to each, as thick as its weight in the only matrix."""

    chosen: Cell
    says: Sequence[str]  # a sentence on each query
    of_screen: float | None = None
    matrices: tuple[Matrix]


@dataclass(kw_only=True)
class Film(View):
    """Matrices as training changes them. `matrices` are those at the last moment."""

    before: Sequence[Matrix]  # the same at the first moment: these two can be read as tables
    moments: Tensor  # (moment, matrix, row, column)
    steps: Sequence[int]  # how many were made at each moment
    says: Sequence[str]  # a line on each
    found: tuple[int, str] | None = (
        None  # a moment (from 0) with a mark of its own, and what that says
    )
    chosen: Cell  # of the one at `main`
    across: int = field(init=False)
    main: int
    of_screen: float
    max_width: int = 46
    max_height: int | None = field(init=False, default=None)
    matrices: Sequence[Matrix]

    def __post_init__(self) -> None:
        """Give several matrices one line."""
        self.across = len(self.matrices)
        if self.across > 1:
            self.max_height = 20


@dataclass(kw_only=True)
class Words(View):
    """The sentence in large type, the words in focus in the colours of query and key, and a line on
    them."""

    names: Sequence[str]
    query: int
    asked: int | None = None
    said: str


@dataclass(kw_only=True)
class Opening(View):
    """A sentence in large type without its last word, and of each of its endings what the arc from
    there shows.

    Each has its "word"; the "key" that its arc leads to, from 0, with the "share" that it gives;
    what is "said" of it, and "alt"; the "link" to the next page, and what that "sets" beside
    `sets`, which all have in common.
    """

    words: Sequence[str]
    endings: Sequence[Any]
    breaks: int  # where two lines are needed, the second begins at this word
    sets: Mapping[str, str]
    way: str | None = None  # the text of the link, None for none
    fixed: bool  # another ending cannot be chosen
    label: str
    chosen: tuple[int]
    of_screen: float


@dataclass(kw_only=True)
class Vocabulary(View):
    """Tokens above, the vocabulary's entries below, a line from each token to its own."""

    tokens: Sequence[str]
    entries: Sequence[str]
    ids: Sequence[int]
    unseen: Sequence[int]  # the ids of the entries that training never saw
    chosen: int  # a token, from 0
    of_screen: float


@dataclass(kw_only=True)
class Machine(View):
    """A whole computation as one drawing. The first station has the words."""

    stations: Sequence[Station]
    says: Sequence[str]  # a sentence on each word
    chosen: Cell
    of_screen: float | None = None
    max_zoom: float | None = None
    after: Mapping[str, Any] | None = (
        None  # a line ("text"), and path and title of the "pages" that go on from here
    )


@dataclass(kw_only=True)
class Asked:
    """A question that is answered on the figure itself: which places are right, and what is said of
    each."""

    right: Sequence[int]
    says: Sequence[str]


@dataclass(kw_only=True)
class Told(View):
    """One scene of the story: one thing that moves, and perhaps a question that is answered by a
    press on it.

    `arc`: from one word to another. `ids`: two of the `entries` of a list. `lookup`: two rows come
    out of a table. `made`: a row, times a matrix, is a row. `fits`: two rows, their products, the
    sum. `bars`: one for each word, which go from the first row of `bars` to the second; a question
    asks which will be the largest, or which way the largest goes. `mixed`: rows fade to their
    share, and add up.
    """

    scene: Literal["arc", "ids", "lookup", "made", "fits", "bars", "mixed"]
    names: Sequence[str]
    keys: Sequence[str]  # the words that are asked
    chosen: Cell
    role: str = ""
    entries: Sequence[tuple[int, str]] = ()
    shares: bool = False
    asked: Asked | None = None
    bars: Tensor | None = None  # (before and after, key)
    said: str
    of_screen: float
    max_zoom: float
    matrices: Sequence[Matrix] = ()


@dataclass(kw_only=True)
class Bead:
    """What is known of a pair from one step on: `shown` in the colours of roles, or as small
    `rows`. Before that, its label alone."""

    label: str
    page: str
    beat: int
    known: bool
    shown: Sequence[tuple[str, str]] = ()
    rows: Sequence[Matrix] = ()


@dataclass(kw_only=True)
class Known(View):
    """The strip above the story: the sentence, and on the arc between its pair of words what is
    known so far."""

    names: Sequence[str]
    keys: Sequence[str]
    chosen: Cell
    beads: Sequence[Bead]
