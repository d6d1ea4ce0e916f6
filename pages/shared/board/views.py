"""The ways to show matrices: a function each, which mounts a board. A file of `views/` draws it in the browser.

What all of them take: `key`, by which the browser knows the board again; `alt`, what there is to see, in words; `chosen`,
the cell that is followed (row, column), from 0; `chooses`, what a click sets (see `choice`); `part`, in a lecture, the share
of the screen's height.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from pages.shared.board.mount import show
from pages.shared.board.packed import OF_WORDS, Matrix, pack, pictures_packed
from pages.shared.board.paper import Table
from pages.shared.board.stations import Station

Chooses = Mapping[str, Any]
Cell = tuple[int, int]
UNDER = 250  # pixels of a window: the bar and a page's header above its figure, the line and the legend below the drawing


def matrices(
    *shown: Matrix,
    key: str,
    alt: str,
    chosen: Cell | None = None,
    chooses: Chooses | None = None,
    stacked: bool = False,
    across: int = 1,
    main: int = 0,
    linked: bool | Literal["column", "values"] = False,
    add_up: bool = False,
    plays: Mapping[str, Any] | None = None,
    part: float | None = None,
    max_zoom: float | None = None,
    min_width: float | None = None,
    max_width: float | None = None,
    min_height: float | None = None,
    max_height: float | None = None,
) -> None:
    """Matrices one under the other (`stacked`), or side by side, at most `across` in a line.

    `chosen` is a cell of the one at `main`, from 0. Where they are `linked`, the same cell lights up in all of them, or its
    whole column; with "values" the line below says what stands in each. `add_up`: the first one's rows add up to the
    second's only one, and that is said in numbers. `plays` is what the board can perform: by which name of `views/matrices.js`
    ("as"), and what that needs. Widths and heights are those of a cell, in pixels; `max_zoom` is how
    much larger a lecture may draw it all.
    """
    _mount(
        "matrices", key, alt, shown, chosen=chosen, chooses=chooses, stacked=stacked or None, across=across, main=main,
        linked=linked, addUp=add_up, plays=plays, part=part, maxZoom=max_zoom, minWidth=min_width, maxWidth=max_width,
        minHeight=min_height, maxHeight=max_height,
    )  # fmt: skip


def pictures(*shown: Matrix, key: str, alt: str, max_cell: int, **look: Any) -> None:
    """Bare matrices as a grid of small pictures; `max_cell` is a cell's largest size, in pixels. `look` is as for `matrices`: chosen,
    chooses, across, main, linked, part."""
    _mount("matrices", key, alt, shown, maxCell=max_cell, **look)


def tower(
    *shown: Matrix,
    key: str,
    alt: str,
    chosen: Cell,
    chooses: Chooses,
    heads: int,
    main: int,
    size: str,
    rows: Matrix,
    max_cell: int,
    part: float,
) -> None:
    """Layers on top of each other, the lowest first among the bare matrices, `heads` of each; `size` is that of what goes in.

    A matrix is called layer·head, both from 1. `rows` are the followed word's: what goes into the lowest layer, and what each
    hands on.
    """
    _mount(
        "tower", key, alt, matrices=pictures_packed(shown), chosen=chosen, chooses=chooses, across=heads, main=main,
        layer=main // heads, size=size, rows=rows.packed(), maxCell=max_cell, part=part, maxZoom=1.4,
    )  # fmt: skip


def nothing(why: str, key: str, alt: str) -> None:
    """There is no matrix, and why is what there is to see."""
    _mount("matrices", key, alt, nothing=why)


def product(
    left: Matrix,
    right: Matrix,
    result: Matrix,
    *,
    key: str,
    alt: str,
    chosen: Cell,
    chooses: Chooses,
    bias: Tensor | None = None,
    only: str | None = None,
    one_row: bool = False,
    under: int | None = UNDER,
) -> None:
    """left · right = result, each cell of the result where its row and its column cross; the chosen one's terms beside them.

    `bias` (column) is the last term of every sum. Where there are too many terms to be shown, what the others add up to is said
    in one number, and nothing plays. `only` is a lecture's beat: "row" veils the result's other rows.
    `one_row`: the chosen cell's row is the subject, and the others have a third of their ink until they are pointed at.
    As a page's figure it is no higher than a window is that has `under` pixels above and below it.
    """
    axes = ["words" if axis in OF_WORDS else "dims" for axis in (*left.axes, right.axes[1])]
    _mount(
        "product", key, alt, (left, right, result), axes=axes, chosen=chosen, chooses=chooses, only=only, under=under,
        oneRow=one_row or None, bias=None if bias is None else pack(bias),
    )  # fmt: skip


def terms(*rows: Matrix, of: int, total: str, key: str, alt: str, part: float | None = None) -> None:
    """The terms of one cell, written out as up to three rows: factor, × factor, = product. Each is a matrix of one row.

    There is room for `of` rows. `total` is the sum in words, empty where it is still to come.
    """
    signs = ("", "× ", "= ")
    packed = [row.packed() | {"sign": sign} for sign, row in zip(signs, rows, strict=False)]
    _mount("terms", key, alt, of=of, total=total, matrices=packed, part=part)


def worksheet(given: Sequence[Table], asked: Sequence[Table], *, key: str, alt: str) -> None:
    """Tables for paper: those that are given, and those to fill in, whose cells within the `frame` are blank. A second sheet has
    the answers."""
    _mount("worksheet", key, alt, given=[table.packed() for table in given], asked=[table.packed() for table in asked])


@dataclass(frozen=True)
class Stage:
    """One row on its way through a block: a note on it, and whether it stands on a branch.

    A branch "leaves" the stream, "joins" it again, or does "both"; "" is the stream itself.
    """

    row: Matrix
    note: str
    branch: Literal["", "leaves", "joins", "both"]

    def packed(self) -> dict[str, Any]:
        """The row as the browser's scripts read it."""
        onward, joins = self.branch == "joins", self.branch in ("both", "joins")
        return self.row.packed() | {"note": self.note, "branch": bool(self.branch), "onward": onward, "joins": joins}


def stream(
    *stages: Stage, hidden: Tensor, activation: str, key: str, alt: str, chosen: Cell, chooses: Chooses, main: int
) -> None:
    """One word's row from stage to stage of a block, from above; `chosen` is a cell of the one at `main`.

    `hidden` (d_ff) are the numbers inside the feed-forward part, after the `activation`: they show when the board plays.
    """
    _mount(
        "stream",
        key,
        alt,
        stages,
        chosen=chosen,
        chooses=chooses,
        main=main,
        hidden=pack(hidden),
        activation=activation,
        under=UNDER,
        part=0.7,
    )


def flow(
    weights: Matrix, *, says: Sequence[str], key: str, alt: str, chosen: Cell, chooses: Chooses, part: float | None = None
) -> None:
    """A line from each word to each, as thick as its weight; `says` holds a sentence on each query."""
    _mount("flow", key, alt, (weights,), chosen=chosen, chooses=chooses, says=says, part=part)


def film(
    *last: Matrix,
    before: Sequence[Matrix],
    moments: Tensor,
    losses: Sequence[float],
    right: Mapping[str, Sequence[float]],
    steps: Sequence[int],
    says: Sequence[str],
    found: tuple[int, str] | None,
    key: str,
    alt: str,
    chosen: Cell,
    chooses: Chooses,
    main: int,
    part: float,
    floor: float | None = None,
) -> None:
    """Matrices as training changes them: `moments` (moment, matrix, row, column), beside the curve of all `losses`.

    `right` are the shares of right answers at each moment, by the question, or other shares; their curves stand below the losses'.
    `floor` is the least that the loss can be, on average.
    `before` and `last` are the same matrices at the first moment and at the last, to be read as tables. `steps` are how many
    were made at each moment, `says` a line on each. `found` is a moment (from 0) with a mark of its own, and what that says.
    `chosen` is a cell of the matrix at `main`.
    """
    _mount(
        "film", key, alt, last, before=[matrix.packed() for matrix in before], moments=pack(moments), steps=steps, says=says,
        losses=pack(torch.tensor(losses)), right=[{"name": name, "shares": list(shares)} for name, shares in right.items()],
        found=found, chosen=chosen, chooses=chooses, across=len(last), main=main, part=part, maxWidth=46, floor=floor,
        maxHeight=20 if len(last) > 1 else None,
    )  # fmt: skip


def words(names: Sequence[str], said: str, *, query: int, asked: int | None, key: str, alt: str) -> None:
    """The sentence in large type, the words in focus in the colours of query and key, and a line on them."""
    _mount("words", key, alt, names=names, query=query, asked=asked, said=said)


def opening(
    sentence: Sequence[str],
    endings: Sequence[Mapping[str, Any]],
    *,
    breaks: int,
    sets: Mapping[str, str],
    way: str | None,
    fixed: bool,
    label: str,
    key: str,
    alt: str,
    chosen: int,
    part: float,
) -> None:
    """A sentence in large type without its last word, and of each of its `endings` what the arc from there shows.

    Each has its "word"; the "key" that its arc leads to, from 0, with the "share" that it gives; what is "said" of it, and "alt";
    the "link" to the next page, and what that "sets" beside `sets`, which all have in common. `way` is the link's text, None for
    no link. Where two lines are needed, the second begins at the word `breaks`. `fixed`: another cannot be chosen.
    """
    _mount(
        "opening", key, alt, words=list(sentence), endings=list(endings), breaks=breaks, sets=sets, way=way, fixed=fixed, label=label,
        chosen=[chosen], part=part,
    )  # fmt: skip


def vocabulary(
    tokens: Sequence[str],
    entries: Sequence[str],
    ids: Sequence[int],
    *,
    unseen: Sequence[int],
    key: str,
    alt: str,
    chosen: int,
    chooses: Chooses,
    part: float,
) -> None:
    """Tokens above, the vocabulary's entries below, a line from each token to its own; `chosen` is a token, from 0.

    `unseen` are the ids of the entries that training never saw.
    """
    _mount(
        "vocabulary", key, alt, tokens=tokens, entries=entries, ids=ids, unseen=unseen, chosen=chosen, chooses=chooses, part=part
    )


def machine(
    *stations: Station,
    says: Sequence[str],
    key: str,
    alt: str,
    chosen: Cell,
    chooses: Chooses,
    after: tuple[str, Mapping[str, str]] | None = None,
    part: float | None = None,
    max_zoom: float | None = None,
) -> None:
    """A whole computation as one drawing. The first station has the words; `says` holds a sentence on each word.

    `after` is a line, and the titles of the pages that go on from here, by path.
    """
    text, pages = after or ("", {})
    _mount(
        "machine", key, alt, stations=[station.packed() for station in stations], says=list(says), chosen=chosen, chooses=chooses,
        part=part, maxZoom=max_zoom,
        after={"text": text, "pages": [{"path": path, "title": title} for path, title in pages.items()]} if after else None,
    )  # fmt: skip


def _mount(
    view: str, key: str, alt: str, shown: Sequence[Matrix | Stage] = (), /, chooses: Chooses | None = None, **more: Any
) -> None:
    """One board, drawn as `view`; what is None is not sent."""
    data = {"view": view, "alt": alt, **more} | ({"matrices": [matrix.packed() for matrix in shown]} if shown else {})
    show({name: value for name, value in data.items() if value is not None}, key, chooses)
