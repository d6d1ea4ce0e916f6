"""Tables and pictures of the notebooks' page."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from urllib.parse import urlencode

import torch

from core import Setup
from core.board import colours
from core.notebooks import ABOUT, MISTAKES, SYSTEMS, list_mistakes
from core.notebooks.figure import ROUNDING, Figure
from core.notebooks.mistake import Mistake, Outcome
from core.reference.checks import largest
from core.text.text import labels
from pages.shared import board, lecture, panel
from pages.shared.board import entries
from pages.shared.layout import show
from pages.shared.text import elements, words
from pages.shared.text.tables import Columns

DIFFERS = 1e-4  # a smaller difference is invisible

WITHOUT_SEED = "This notebook draws without a seed: only its shapes can be compared."
AGREE_TO = {  # how far published and computed numbers can agree; N4 has a seed
    "N0": (
        f"N0 prints its input with four decimals: a difference of up to {words.number(ROUNDING)}"
        " counts as agreement."
    ),
    **dict.fromkeys(("N1", "N2", "N3"), WITHOUT_SEED),
}


def forms(mistake: Mistake) -> list[str]:
    """Return the forms of a mistake; one with two faults also has each alone."""
    alone = ["first fault alone", "second fault alone"] if len(mistake.faults) > 1 else []
    return ["as written", *alone, "repaired"]


def faults(form: str, mistake: Mistake) -> frozenset[str]:
    """Return the faults in this form."""
    of_form = {
        "repaired": (),
        "first fault alone": mistake.faults[:1],
        "second fault alone": mistake.faults[1:2],
        "as written": mistake.faults,
    }
    return frozenset(of_form[form])


@cache
def outcome(mistake: Mistake, on: frozenset[str]) -> Outcome:
    """Return the result of a mistake with these faults, cached since it depends on no setup."""
    return mistake.run(on)


def explain_unnoticed(mistake: Mistake, form: str) -> str:
    """Return why the faults of this form went unnoticed, "" if repaired."""
    return mistake.explain_unnoticed(faults(form, mistake))


def tabs(current: str) -> None:
    """Draw links to each notebook's first mistake, or to the notebook if it has none."""
    first = {name: next((mistake.key for mistake in list_mistakes(name)), name) for name in ABOUT}
    panel.tabs("Notebooks", {name: {"mistake": key} for name, key in first.items()}, current)


def draw(mistake: Mistake, form: str) -> None:
    """Draw the results with this form's faults and repaired, with differences marked."""
    faulty = "as written" if form == "repaired" else form
    sides = {
        faulty: outcome(mistake, faults(faulty, mistake)),
        "repaired": outcome(mistake, frozenset()),
    }
    drawn = {
        name: _matrix(mistake, name, found)
        for name, found in sides.items()
        if found.matrix is not None
    }
    if len(drawn) == 2 and sides[faulty].matrix.shape == sides["repaired"].matrix.shape:
        _both(mistake, form, list(drawn.values()))
        return
    for column, (name, found), key in zip(
        elements.columns(2), sides.items(), ("board_mistake", "board_repaired"), strict=True
    ):
        with column:
            if name in drawn:
                alt = (
                    f"{mistake.title}, {name}: a matrix of {words.times(found.matrix.shape)}."
                    f" {found.sentence}"
                )
                board.matrices(
                    drawn[name], key=key, max_width=56, min_height=10, of_screen=0.32, alt=alt
                )
            else:
                elements.caption(name)
                board.nothing(
                    nothing=found.sentence,
                    key=key,
                    alt=f"{mistake.title}, {name}: {found.sentence}",
                )


def _matrix(mistake: Mistake, title: str, found: Outcome) -> board.Matrix:
    rows, columns = (
        _edge(mistake, axis, size)
        for axis, size in zip(found.axes, found.matrix.shape, strict=True)
    )
    of_pairs = found.axes == ("query", "key")
    are_weights = of_pairs and found.matrix.min() >= 0
    name, role, look = ("values", "scores" if of_pairs else colours.NONE, {})
    if are_weights:
        name, role, look = ("weights", "weights", entries.SHARES | {"sums": True})
    made = words.made(mistake.run, "faults")
    return board.Matrix(
        name, found.matrix, rows, columns, found.axes, role, title, made=made, **look
    )


def _edge(mistake: Mistake, axis: str, size: int) -> Sequence[str]:
    """Return the labels of an axis: N4's words, or else numbers."""
    its_words = labels(Setup().tokens)
    has_words = (
        mistake.notebook == "N4" and axis in ("token", "query", "key") and size == len(its_words)
    )
    return its_words if has_words else board.number_labels(size)


def _both(mistake: Mistake, form: str, pair: list[board.Matrix]) -> None:
    """Draw both results of one shape; the selected form is framed."""
    faulty, repaired = (matrix.values for matrix in pair)
    differ = (faulty - repaired).abs() > DIFFERS
    main, (rows, columns) = int(form == "repaired"), faulty.shape
    top = largest(faulty, repaired)
    look = {"marks": differ, "marked": "differs"} | (
        {"top": top} if pair[0].role != "weights" else {}
    )
    pair = [
        replace(matrix, **look, frame=(0, rows, 0, columns) if k == main else None)
        for k, matrix in enumerate(pair)
    ]
    count = f"{int(differ.sum())} of {differ.numel()} cells"
    says = f"{count} differ by more than {words.number(DIFFERS)}."
    board.matrices(
        *pair,
        key="board_mistake",
        across=2,
        linked="values",
        main=main,
        max_width=56,
        of_screen=0.38,
        alt=f"{mistake.title}: {says}",
    )
    if not lecture.is_on():
        elements.caption(says)


def source(form: Callable) -> str:
    """Return a form's source code, of a module all of it."""
    return inspect.getsource(form).rstrip() if inspect.isclass(form) else show.source(form)


@cache
def every_mistake() -> Columns:
    """Return one row for each mistake: whether its invariant holds as written and repaired, or the
    error."""
    return {
        "notebook": [mistake.notebook for mistake in MISTAKES],
        "mistake": [mistake.title for mistake in MISTAKES],
        "what must hold": [mistake.invariant for mistake in MISTAKES],
        "as written": [
            _verdict(outcome(mistake, frozenset(mistake.faults))) for mistake in MISTAKES
        ],
        "repaired": [_verdict(outcome(mistake, frozenset())) for mistake in MISTAKES],
    }


@cache
def split_in_halves() -> tuple[Columns, Columns]:
    """Return the table of mistakes as written in two halves, for a lecture's screen."""
    table = {name: every_mistake()[name] for name in ("notebook", "mistake", "as written")}
    middle = (len(MISTAKES) + 1) // 2
    first, last = slice(middle), slice(middle, None)
    return tuple({name: each[half] for name, each in table.items()} for half in (first, last))


def _verdict(result: Outcome) -> str:
    return result.error.split(":")[0] or ("holds" if result.holds else "does\u00a0not\u00a0hold")


@cache
def about(notebook: str) -> str:
    """Return what a notebook builds, each system with a link to its page, as markdown."""
    lines = [f"**{notebook}** builds {ABOUT[notebook]}"]
    for system in SYSTEMS:
        if system.notebook == notebook:
            link = urlencode(system.link)
            lines.append(
                f"- **{system.title}.** {system.builds} [Open"
                f" it]({system.page}{'?' + link if link else ''})"
            )
    return "\n".join(lines)


@cache
def figures(notebook: str) -> Columns:
    """Return one row for each published figure: printed, computed here, largest difference."""
    each = [(system.title, system.figures()) for system in SYSTEMS if system.notebook == notebook]
    rows = [
        ("" if k else f"**{title}:** ", figure)
        for title, figures in each
        for k, figure in enumerate(figures)
    ]
    return {
        "what": [named + figure.what for named, figure in rows],
        "published": [_published(figure) for _, figure in rows],
        "here": [_here(figure) for _, figure in rows],
        "largest difference": [_difference(figure) for _, figure in rows],
    }


def _difference(figure: Figure) -> str:
    if figure.published is None:
        return "–"
    if figure.difference is None:
        return "same shape" if figure.agrees else "another shape"
    return words.number(figure.difference) if figure.difference else "0"


def _published(figure: Figure) -> str:
    if figure.published is None:
        return "nothing"
    return (
        _written(figure.published)
        if isinstance(figure.published, torch.Tensor)
        else _sizes(figure.published)
    )


def _here(figure: Figure) -> str:
    if isinstance(figure.published, torch.Tensor):
        return _written(figure.ours.flatten()[: figure.published.numel()])
    return _sizes(figure.ours.shape)


def _written(values: torch.Tensor) -> str:
    flat = values.flatten().tolist()
    first = [str(v) if isinstance(v, int) else words.number(v) for v in flat[:6]]
    return " ".join(first) + (" …" if len(flat) > len(first) else "")


def _sizes(shape: tuple[int, ...]) -> str:
    return f"shape {words.times(shape)}"


# What sizes and tensors are called here, in the notebooks, and in the paper.
NAMES = """
here|N0|N1|N2|N3|N4|Vaswani et al. 2017
d_model|k|k|d_model|d, embed_dim|d|d_model
d_k|s = k / h|k|d_model / h|d_k, key_dim|d_q, d_k = 24|d_k = d_model / h
d_v|s = k / h|k|d_model / h|d_k|d_v = 28|d_v = d_model / h
heads|h_heads|h|num_heads|one|h = 3|h = 8
x|x|x|query, key, value|X|embedded_sentence|–
q = x W_q|query_vectors|queries|W_q x + b|q = W_qᵀ x, Q = X W_q|q = W_q x, W_q is d_k × d|Q Wᵢ^Q
scores|raw weights, dot_products|weights|scores|–|ω, unnormalized attention weights|–
scaling|none; 1/√k|1/k^¼, twice|1/√d_k|1/√d_k|1/√d_k|1/√d_k
weights|weights|soft_weights|attention_weights|A, a|α, attention weights|–
context|y, weighted_sum|output|output|z, Z|z, context vector|headᵢ
concat|weighted_sum|output|output|–|stacked z|Concat(head₁ … head_h)
W_o|unify: k × k|dimension_reduce: h·k × k|W_o: d_model × d_model|W_c: d_k × d|W^o: h·d_v × d_v\
|W^O: h·d_v × d_model
"""


def vocabulary(setup: Setup) -> Columns:
    """Return the names of sizes and tensors in this app, the five notebooks and the paper, with
    present sizes."""
    n, h, d_k, d_v = len(setup.tokens), setup.heads, setup.d_k, setup.d_v
    scaling = {"sqrt": f"1/√{d_k}", "fourth-root": f"1/{d_k}^¼, twice", "none": "none"}
    sizes = {
        "d_model": f"{setup.d_model}",
        "d_k": f"{d_k}",
        "d_v": f"{d_v}",
        "heads": f"{h}",
        "x": f"{n} × {setup.d_model}",
        "q = x W_q": f"{n} × {d_k}",
        "scores": f"{n} × {n}",
        "scaling": scaling[setup.scale],
        "weights": f"{n} × {n}",
        "context": f"{n} × {d_v}",
        "concat": f"{n} × {h * d_v}",
        "W_o": f"{h * d_v} × {setup.out_size}" if setup.projections == "learned" else "none",
    }
    titles, *rows = (line.split("|") for line in NAMES.strip().split("\n"))
    here, *others = zip(*rows, strict=True)
    return {
        titles[0]: list(here),
        "size now": [sizes[name] for name in here],
        **{title: list(column) for title, column in zip(titles[1:], others, strict=True)},
    }
