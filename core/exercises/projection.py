"""Exercises of step 3: queries, keys and values."""

import math

from ..answers import worked
from ..question import Opens, Question, Slip, Unposed
from ..text import cell as named
from ..written import behind_a_sign, count, number
from . import sums
from .draft import Draft

KINDS = {"q": "queries", "k": "keys", "v": "values"}
NO_WEIGHTS = "Without projections nothing is multiplied here: choose Projections: learned."


def a_product(draft: Draft) -> Question | Unposed:
    """Ask for one term of a sum: a number of the word times a number of the matrix."""
    if "w_q" not in draft.trace:
        return Unposed(draft.name, NO_WEIGHTS)
    kind, (head, place, column), inner = *_somewhere(draft), draft.pick(draft.setup.d_model)
    taken = draft.trace.made_of(kind)
    given_as = {"x": "X", "memory_x": "M"}.get(taken, "norm(X)")
    x, w = draft.value(taken)[place], draft.of_head(f"w_{kind}", head)
    rows, columns = w.shape
    shown = [
        (inner, column),
        *((r, c) for r, c in ((inner + 1, column), (column, inner)) if r < rows and c < columns),
    ]
    given = [x[inner].item(), w[inner, column].item()]
    slips = [
        Slip("the two are added instead of multiplied", worked(lambda a, b: a + b, *given)),
        Slip("the sign is lost", worked(lambda a, b: -a * b, *given)),
    ]
    if (column, inner) in shown and column != inner:
        exchanged = worked(lambda a, b: a * b, given[0], w[column, inner].item())
        slips.append(Slip(f"row and column of W_{kind} are exchanged", exchanged))
    if inner + 1 < rows:
        next_one = worked(lambda a, b: a * b, x[inner + 1].item(), w[inner + 1, column].item())
        slips.append(Slip("the terms are counted from 0: the first term is number 1", next_one))
    lines = [
        f"{draft.cell(taken, place, r)} = {number(x[r].item())}"
        for r in sorted({inner, min(inner + 1, rows - 1)})
    ]
    lines += [
        f"{named(f'W_{kind}', r + 1, c + 1)} = {number(w[r, c].item())}"
        for r, c in sorted(set(shown))
    ]
    cell = draft.cell(kind, place, column)
    return draft.exercise(
        f"{cell} of head {head + 1} is the row of {_word(draft, kind, place)} in {given_as} times"
        f" column {column + 1} of W_{kind}.\n"
        + "\n".join(lines)
        + f"\nWhat is term {inner + 1} of that sum?",
        "number",
        worked(lambda a, b: a * b, *given),
        slips,
        (
            f"Term {inner + 1} takes number {inner + 1} of the row.",
            f"It meets row {inner + 1} of W_{kind}, column {column + 1}.",
        ),
        f"{number(given[0])} · {behind_a_sign(given[1])} = {number(given[0] * given[1])}.",
        _opens(draft, kind, head, place, column),
    )


def a_sum(draft: Draft) -> Question | Unposed:
    """Ask for a number of a query, a key or a value; of a query or key that positions turn, after
    that."""
    if "w_q" not in draft.trace:
        return Unposed(draft.name, NO_WEIGHTS)
    kind, index = _somewhere(draft)
    head, place, column = index
    if draft.setup.turns and kind != "v" and place > 0 and column < 2 * (draft.setup.d_k // 2):
        return _turned(draft, kind, head, place, column)
    cell = draft.opened(kind, (*draft.trace.head_index(kind, head), place, column))
    shown = (
        cell.terms[-2:] if draft.setup.bias == "on" else cell.terms[-1:]
    )  # a bias is the last term
    name = draft.cell(kind, place, column)
    return draft.exercise(
        f"Head {head + 1}. " + sums.question(draft, name, cell, shown),
        "number",
        sums.answer(cell, shown),
        sums.slips(cell, shown),
        ("Multiply the two factors first, and mind their signs.", "Then add all that there is."),
        f"Added up it is {number(cell.value)}.",
        _opens(draft, kind, head, place, column),
    )


def _turned(draft: Draft, kind: str, head: int, place: int, column: int) -> Question:
    """Ask for a number of a query or key after rotary positions: which two terms. Su et al. 2021,
    equation 34."""
    pair, is_second = divmod(column, 2)
    is_of_memory = kind == "k" and bool(draft.setup.memory)
    angle = draft.value("memory_angles" if is_of_memory else "angles")[place, pair].item()
    word = draft.key_word(place) if kind == "k" else draft.word(place)
    before = draft.trace.made_of(f"{kind}_rotated")
    numbers = draft.of_head(before, head)[place, 2 * pair : 2 * pair + 2].tolist()
    given = (*numbers, math.cos(angle), math.sin(angle))
    ways = [lambda a, b, cos, sin: a * cos - b * sin, lambda a, b, cos, sin: a * sin + b * cos]
    way, other = ways[is_second], ways[1 - is_second]
    slips = [
        Slip(
            "it is turned the other way round: mind the sign",
            worked(lambda a, b, cos, sin: way(a, b, cos, -sin), *given),
        ),
        Slip(
            "cosine and sine are exchanged",
            worked(lambda a, b, cos, sin: way(a, b, sin, cos), *given),
        ),
        Slip(
            "the two numbers of the pair are exchanged",
            worked(lambda a, b, cos, sin: way(b, a, cos, sin), *given),
        ),
        Slip("it is the other number of the pair", worked(other, *given)),
        Slip("it is not turned at all", worked(lambda *of: of[is_second], *given)),
    ]
    name, terms = (
        draft.cell(f"{kind}_rotated", place, column),
        ("cos", "−", "sin") if not is_second else ("sin", "+", "cos"),
    )
    lines = [
        f"{draft.cell(before, place, 2 * pair + k)} = {number(value)}"
        for k, value in enumerate(numbers)
    ]
    return draft.exercise(
        f"Head {head + 1}. {word} stands at place {place} (from 0), which turns pair {pair + 1} by"
        f" an angle whose cosine is {number(given[2])}, and whose sine is {number(given[3])}.\n"
        + "\n".join(lines)
        + f"\nWhat is {name}, turned?",
        "number",
        worked(way, *given),
        slips,
        (
            f"It is the {'second' if is_second else 'first'} number of its pair.",
            f"The first times {terms[0]} {terms[1]} the second times {terms[2]}.",
        ),
        f"Turned it is {number(way(*given))}.",
        _opens(draft, kind, head, place, column),
    )


def a_shape(draft: Draft) -> Question:
    """Ask for rows and columns of one head's queries, keys or values."""
    setup, kind = draft.setup, draft.random.choice(list(KINDS))
    tokens, size = (
        len(draft.labels if kind == "q" else draft.asked),
        setup.d_v if kind == "v" else setup.d_k,
    )
    whose = "sentence that is asked" if kind != "q" and setup.memory else "sentence"
    other = setup.d_k if kind == "v" else setup.d_v
    slips = [
        Slip("rows and columns are exchanged: each token is a row", (size, tokens)),
        Slip(
            f"the shape of W_{kind} is given: a row of {kind.upper()} is a token's",
            (setup.d_model, size),
        ),
        Slip(
            "d_k and d_v are taken for each other: keys fit queries, values have a size of"
            " their own",
            (tokens, other),
        ),
        Slip(
            "the shape of X is given: the projection changes how many numbers a row has",
            (tokens, setup.d_model),
        ),
        Slip(
            "all heads are put side by side: each has a matrix of its own",
            (tokens, setup.heads * size),
        ),
    ]
    return draft.exercise(
        f"The {whose} has {count(tokens, 'token')}; d_model = {setup.d_model}, d_k = {setup.d_k},"
        f" d_v = {setup.d_v}, heads = {setup.heads}. Which shape has {kind.upper()}, the"
        f" {KINDS[kind]} of one head?",
        "shape",
        (tokens, size),
        slips,
        (
            "A token is a row, everywhere.",
            f"A row of {kind.upper()} has {'d_v' if kind == 'v' else 'd_k'} numbers.",
        ),
        f"A row for each token, {count(size, 'number')} in each: {tokens} × {size}.",
        _opens(draft, kind, 0, 0, 0),
    )


def _word(draft: Draft, kind: str, place: int) -> str:
    return draft.word(place) if kind == "q" else draft.key_word(place)


def _somewhere(draft: Draft) -> tuple[str, tuple[int, int, int]]:
    """Pick one cell of Q, K or V: which of them, and head, token, column."""
    chosen = [kind for kind, matrix in KINDS.items() if matrix == draft.chosen.get("matrix")]
    kind = draft.random.choice(chosen or list(KINDS))
    _, tokens, size = draft.value(kind).shape
    token = (
        draft.pick(draft.setup.heads, "head"),
        draft.pick(tokens, "query" if kind == "q" else "key"),
    )
    return kind, (*token, draft.pick(size, "column"))


def _opens(draft: Draft, kind: str, head: int, place: int, column: int) -> Opens:
    of_token = {"query": place} if kind == "q" else {"key": place}
    opens = draft.at(head=head, column=column, **of_token)
    return Opens(opens.path, {**opens.fields, "matrix": KINDS[kind]})
