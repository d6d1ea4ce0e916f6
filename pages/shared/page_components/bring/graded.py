"""A checked solution: a summary, the typed numbers beside the right ones, and one cell with its
terms."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from core import Setup
from core.board import colours
from core.forward.trace import Trace
from core.grading.report import FOLLOWS, RIGHT, ROUNDED, WRONG, Report
from core.importing.names import symbol
from core.importing.solution import STEPS, Place
from core.text.text import SYMBOLS as SYMBOLS_OF_CELLS
from core.text.text import labels
from core.trace.origin import Mean, Product, Softmax, Sum
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.layout import show
from pages.shared.link.focus import Focus
from pages.shared.page_components.bring import upload
from pages.shared.page_components.bring.result import Looked, look
from pages.shared.server import computed, run
from pages.shared.text import elements, words

SIGNS = {RIGHT: "", WRONG: " ✗", FOLLOWS: " ↳", ROUNDED: " ≈"}
LEGEND = {
    WRONG: "✗ wrong",
    FOLLOWS: "↳ follows from an earlier step of yours",
    ROUNDED: "≈ right but for rounding on the way",
}
PAGES = {
    "q": "projection",
    "k": "projection",
    "v": "projection",
    "scores": "scores",
    "scaled": "weights",
    "masked": "weights",
    "weights": "weights",
    "context": "context",
    "concat": "heads",
    "output": "heads",
}
LONGEST = 8  # letters of a typed number; a longer one is rounded
LARGEST_SIDE = 32


@dataclass(frozen=True)
class Opened:
    """The opened cell: its step and its index (head, row, column) from 0, without head if there is
    none."""

    step: str
    place: Place

    @property
    def name(self) -> str:
        """Return the step and head as named in the link."""
        return f"{self.step}.{self.place[0] + 1 if len(self.place) == 3 else 1}"


def opened(report: Report, focus: Focus) -> Opened | None:
    """Return the clicked cell if it has a number, or else the first wrong one, or else the
    first."""
    step, _, head = focus.checked.partition(".")
    if step in report.pasted:
        place = (focus.row - 1, focus.column - 1)
        place = (
            (int(head) - 1, *place)
            if "head" in STEPS[step][0] and STEPS[step][0] != "head·d_v" and head.isdigit()
            else place
        )
        if place in report.pasted[step].cells:
            return Opened(step, place)
    for wanted in (WRONG, FOLLOWS, ROUNDED, RIGHT):
        for name, one in report.pasted.items():
            for place in one.cells:
                if verdict(report, name, place) == wanted:
                    return Opened(name, place)
    return None


def verdict(report: Report, name: str, place: Place) -> str:
    """Return the verdict on one cell."""
    nested = report.verdicts[name]
    for k in place:
        nested = nested[k]
    return nested


def draw(looked: Looked, focus: Focus, text: str, beat: str = "") -> None:
    """Draw the check: steps with mistakes, then the opened cell. A lecture adds a summary and has
    the beats "slip" and "cell"."""
    report = looked.report
    assert report is not None
    if lecture.is_on():
        show.plain(str(report))
    chosen = opened(report, focus)
    if chosen is None:
        return
    setup = run.setup() if looked.of_panel else looked.setup
    astray = [
        name for name in report.pasted if report.count(name, RIGHT) < len(report.pasted[name].cells)
    ]
    tokens = setup.tokens if setup else looked.reading.tokens
    shown = [name for name in report.pasted if name in astray or name == chosen.step]
    with show.beside("checked"):
        with elements.container(key="checked_steps"):
            _steps(
                report,
                chosen,
                tokens,
                [chosen.step] if beat == "cell" else shown[:2] if beat else shown,
            )
        if beat != "slip":
            with elements.container(key="checked_cell"):
                cell(report, chosen, setup, tokens, text)
    if setup is not None:
        show.check(computed.traced(setup), "output")
    rest = [name for name in report.pasted if name not in shown]
    if rest and not lecture.is_on():
        names = ", ".join(symbol(name) for name in rest)
        show.folded(
            f"{names}: all of it is right",
            "right_steps",
            lambda: [_step(report, name, chosen, tokens) for name in rest],
        )


def _steps(report: Report, chosen: Opened, tokens: Sequence[str], names: Sequence[str]) -> None:
    """Draw these steps with a legend."""
    for name in names:
        _step(report, name, chosen, tokens)
    kinds = [kind for kind in LEGEND if any(report.count(name, kind) for name in report.pasted)]
    elements.caption(" · ".join([*(LEGEND[kind] for kind in kinds), "Click a cell to open it."]))


def preview(text: str, step: str) -> None:
    """Draw one step of a checked example before anything is pasted."""
    looked = look(text, "", Setup())
    if looked.report and looked.setup:
        show.plain(str(looked.report))
        _step(looked.report, step, Opened(step, (-1, 0, 0)), looked.setup.tokens, opens=False)


def _step(
    report: Report, name: str, chosen: Opened, tokens: Sequence[str], opens: bool = True
) -> None:
    """Draw one step, for each head the typed numbers beside the right ones. Wrong cells are
    marked."""
    one, right = report.pasted[name], torch.tensor(report.right[name])
    lead = right if right.ndim == 3 else right[None]
    if max(lead.shape[1:]) > LARGEST_SIDE:
        show.plain(f"{symbol(name)} is too large to be drawn here.")
        return
    rows, columns = (
        _labels(axis, size, tokens)
        for axis, size in zip(STEPS[name][-2:], lead.shape[-2:], strict=True)
    )
    matrices = []
    for head in range(len(lead)):
        of_head = {
            place[-2:]: number
            for place, number in one.cells.items()
            if right.ndim == 2 or place[0] == head
        }
        if not of_head:
            continue
        codes = {
            place: verdict(report, name, (head, *place) if right.ndim == 3 else place)
            for place in of_head
        }
        behind = f", head {head + 1}" if len(lead) > 1 else ""
        matrices += _pair(name, behind, head, lead[head], of_head, codes, (rows, columns))
    places = [matrix.name for matrix in matrices[::2]]
    longest = max(len(text) for matrix in matrices for text in matrix.texts)
    wrong = report.count(name, WRONG)
    board.matrices(
        *matrices,
        key=f"board_checked_{name}",
        across=2,
        linked=True,
        main=2 * places.index(chosen.name) if chosen.name in places else 0,
        chosen=chosen.place[-2:] if opens and chosen.step == name else None,
        chooses=(
            board.choice(
                {
                    f"{place}{side}": {"checked": place}
                    for place in places
                    for side in ("", ".right")
                },
                row="row",
                column="column",
            )
            if opens
            else board.choice()
        ),
        min_width=max(30, 7 * longest + 8),
        max_width=max(84, 7 * longest + 8),
        of_screen=0.33,
        alt=(
            f"{symbol(name)} as it was written, beside what is right: {wrong} of"
            f" {len(one.cells)} cells are wrong."
        ),
    )


def _pair(
    name: str,
    behind: str,
    head: int,
    right: torch.Tensor,
    cells: dict[Place, str],
    codes: dict[Place, str],
    names: tuple[Sequence[str], Sequence[str]],
) -> tuple[board.Matrix, board.Matrix]:
    """Return one head's typed matrix and the right one, with the typed decimals."""
    title = symbol(name) + behind
    places = [(i, j) for i in range(right.shape[0]) for j in range(right.shape[1])]
    typed = torch.tensor([_value(cells.get(place, "0")) for place in places]).reshape(right.shape)
    marks = torch.tensor([codes.get(place) == WRONG for place in places]).reshape(right.shape)
    axes = tuple("query" if axis == "token" else axis for axis in STEPS[name][-2:])
    look = (
        entries.SHARES if name == "weights" else {"top": float(right[right.isfinite()].abs().max())}
    )
    role = colours.get_role(name)
    written = [
        _short(cells[place]) + SIGNS[codes[place]] if place in cells else "·" for place in places
    ]
    true = [_at(float(right[place]), cells.get(place, "0.00")) for place in places]
    called = f"{name}.{head + 1}"
    shared = {
        "axes": axes,
        "role": role,
        "clickable": True,
        "symbol": SYMBOLS_OF_CELLS.get(name, name),
        **look,
    }
    return (
        board.Matrix(
            called,
            typed,
            *names,
            title=f"{title}: yours",
            marks=marks,
            marked="wrong",
            texts=written,
            **shared,
        ),
        board.Matrix(
            f"{called}.right", right.float(), *names, title=f"{title}: right", texts=true, **shared
        ),
    )


def _labels(axis: str, size: int, tokens: Sequence[str]) -> Sequence[str]:
    return (
        list(labels(tuple(tokens)))
        if axis in ("token", "key") and len(tokens) == size
        else board.number_labels(size)
    )


def _value(typed: str) -> float:
    return float(typed.replace("−", "-").replace("∞", "inf"))


def _short(typed: str) -> str:
    """Return a typed number with a real minus sign, a long one with four decimals."""
    value = _value(typed)
    text = (
        typed if len(typed) <= LONGEST or value in (float("inf"), -float("inf")) else f"{value:.4f}"
    )
    return text.replace("-inf", "−∞").replace("-", "−")


def _at(value: float, typed: str) -> str:
    """Return the right number with the typed number of decimals, 2 to 6."""
    decimals = len(typed.partition(".")[2]) if "e" not in typed.lower() else 4
    return _short(f"{value:.{min(max(decimals, 2), 6)}f}")


# ---------- one cell ----------


def cell(
    report: Report, chosen: Opened, setup: Setup | None, tokens: Sequence[str], text: str
) -> None:
    """Draw one cell: the typed number beside the sum of its terms, then the terms."""
    step, place = chosen.step, chosen.place
    typed, right = report.pasted[step].cells[place], report.right[step]
    for k in place:
        right = right[k]
    axes = STEPS[step]
    names = [
        _labels(axis, size, tokens)[k]
        for axis, size, k in zip(axes, _shape(report.right[step]), place, strict=True)
    ][-2:]
    name = words.cell(step, *names)
    code = verdict(report, step, place)
    said = {
        RIGHT: "right",
        ROUNDED: "right but for rounding on the way",
        WRONG: "wrong",
        FOLLOWS: "follows from an earlier step of yours",
    }[code]
    show.plain(
        f"{name}: {_short(typed)} stands there, and {_at(right, typed + '00')} comes out. It is"
        f" {said}.".replace("It is follows", "It follows")
    )
    if setup is None:
        return
    trace = computed.traced(setup)
    _terms(trace, step, place, name, tokens)
    looked_at = {"query": place[-2] + 1, "head": place[0] + 1 if len(place) == 3 else 1}
    looked_at |= {"key": place[-1] + 1} if axes[-1] == "key" else {"column": place[-1] + 1}
    page = PAGES[step]
    if not lecture.is_on():
        way = upload.link_to_page(setup, page, "Open this cell in its page", text, **looked_at)
        elements.html(f'<p class="ab-way">{way}</p>')


def _shape(nested: Sequence) -> tuple[int, ...]:
    return (len(nested), *_shape(nested[0])) if isinstance(nested, list) else ()


def _terms(trace: Trace, step: str, place: Place, name: str, tokens: Sequence[str]) -> None:
    """Draw how a cell's right number is computed."""
    origin = trace[step].origin if step in trace else None
    if origin is None:
        return
    opened_cell = origin.open(trace, place)
    if isinstance(origin, Product | Sum | Mean):
        count = len(opened_cell.terms)
        axis = "key" if step == "context" else "term"
        show.cell_sum(opened_cell, name, axis, _labels(axis, count, tokens), "terms_checked")
    elif isinstance(origin, Softmax):
        show.share(opened_cell, name, place[-1])
        numbers = " + ".join(words.number(term.value) for term in opened_cell.terms)
        show.plain(
            f"The row's exponentials, each beside the largest: {numbers} ="
            f" {words.number(sum(t.value for t in opened_cell.terms))}."
        )
    else:
        show.cell_of(origin, opened_cell, name, (), "", "terms_checked")
