"""Exercises of step 7: heads side by side, and what they cost."""

from .. import counts
from .. import heads as side_by_side
from ..answers import fixed
from ..question import Opens, Question, Slip, Unposed
from ..written import count, number
from . import sums
from .draft import MOST_HEADS, Draft


def the_shape_of_concat(draft: Draft) -> Question:
    """Ask for the shape of what stands side by side."""
    setup, tokens = draft.setup, len(draft.labels)
    h, d_k, d_v = setup.heads, setup.d_k, setup.d_v
    slips = [
        Slip("the heads are added up: they stand side by side", (tokens, d_v)),
        Slip(
            "d_k is taken: what a head finds is a mixture of values, of d_v numbers",
            (tokens, h * d_k),
        ),
        Slip("rows and columns are exchanged: each token is a row", (h * d_v, tokens)),
        Slip("W_o has been applied already: it comes after concat", (tokens, setup.out_size)),
        Slip("d_model is taken: only narrow heads add up to it", (tokens, setup.d_model)),
        Slip("the heads keep an axis of their own: concat has none", (h, tokens, d_v)),
    ]
    return draft.exercise(
        f"The sentence has {count(tokens, 'token')}; heads = {h}, d_model = {setup.d_model}, d_k ="
        f" {d_k}, d_v = {d_v}. Which shape has concat, all heads side by side?",
        "shape",
        (tokens, h * d_v),
        slips,
        ("A token is still a row.", "Each head adds its d_v numbers to that row."),
        f"{h} · {count(d_v, 'number')} in each row: {tokens} × {h * d_v}.",
        draft.at(head=0, query=0, column=0),
    )


def a_column_of_concat(draft: Draft) -> Question:
    """Ask where a head's number stands in concat."""
    setup = draft.setup
    h, d_v = setup.heads, setup.d_v
    head = draft.random.randrange(1, h) if h > 1 else 0
    inner, place = draft.pick(d_v), draft.pick(len(draft.labels))
    answer = head * d_v + inner + 1
    slips = [
        Slip("columns are counted from 0: here they count from 1", answer - 1),
        Slip(
            "the head's own block is passed over too: before it stand the heads before it",
            (head + 1) * d_v + inner + 1,
        ),
        Slip("a head is taken to have d_k columns: it has d_v", head * setup.d_k + inner + 1),
        Slip(
            "the heads' first numbers come first, then their second: each head stays in one piece",
            inner * h + head + 1,
        ),
        Slip("the column is counted within its head", inner + 1),
    ]
    return draft.exercise(
        f"heads = {h}, and each gives d_v = {d_v} numbers. In which column of concat stands number"
        f" {inner + 1} of head {head + 1}? Everything counts from 1.",
        "whole",
        answer,
        slips,
        (
            f"Before head {head + 1} there are {count(head, 'other head')}.",
            f"They take {head} · {d_v} = {head * d_v} columns.",
        ),
        f"{head} · {d_v} + {inner + 1} = {answer}.",
        draft.at(head=head, query=place, column=inner),
    )


def an_output(draft: Draft) -> Question | Unposed:
    """Ask for one number of Y, of a cell that is chosen: what all heads found, mixed by W_o."""
    if "w_o" not in draft.trace:
        return Unposed(
            draft.name, "Without projections nothing mixes the heads: choose Projections: learned."
        )
    place, column = draft.pick_of("output", "query", "column")
    cell = draft.opened("output", (place, column))
    shown = (
        cell.terms[-2:] if draft.setup.bias == "on" else cell.terms[-1:]
    )  # a bias is the last term
    parts = side_by_side.contributions(draft.value("context"), draft.value("w_o"))[
        :, place, column
    ].tolist()
    slips = sums.slips(cell, shown)
    if len(parts) > 1:
        slips += [
            Slip(f"head {k} alone is counted: all heads add to it", fixed(part))
            for k, part in enumerate(parts[:MOST_HEADS], start=1)
        ]
    concat = draft.value("concat")[place].tolist()
    if column < len(concat):
        slips.append(Slip("concat is given: W_o has not mixed it yet", fixed(concat[column])))
    return draft.exercise(
        sums.question(draft, draft.cell("output", place, column), cell, shown),
        "number",
        sums.answer(cell, shown),
        slips,
        ("Multiply the two factors first, and mind their signs.", "Then add all that there is."),
        f"Added up it is {number(cell.value)}.",
        Opens(draft.path, {"query": place + 1, "column": column + 1, "part": "mixed by W_o"}),
    )


def parameters(draft: Draft) -> Question | Unposed:
    """Ask how many numbers all heads and W_o hold."""
    setup = draft.setup
    if setup.projections == "none":
        return Unposed(
            draft.name,
            "Without projections there is nothing to count: choose Projections: learned.",
        )
    h, d_model, d_k, d_v, out = setup.heads, setup.d_model, setup.d_k, setup.d_v, setup.out_size
    if setup.group > 1:
        return shared_parameters(draft)
    of_a_head, w_o = d_model * (2 * d_k + d_v), h * d_v * out
    answer = counts.as_set(setup).parameters
    slips = [
        Slip("one head is counted", of_a_head + w_o),
        Slip("W_o is left out", h * of_a_head),
        Slip(
            "W_o is counted with one head's rows: it has d_v rows for each",
            h * of_a_head + d_v * out,
        ),
        Slip("W_v is taken to be as large as W_q: it has d_v columns", h * d_model * 3 * d_k + w_o),
        Slip("W_k is left out", h * d_model * (d_k + d_v) + w_o),
        Slip("everything is taken to be d_model by d_model", 4 * d_model * d_model),
        Slip("the biases are counted too", answer + h * (2 * d_k + d_v) + out),
    ]
    return draft.exercise(
        f"d_model = {d_model}, heads = {h}, d_k = {d_k}, d_v = {d_v}; W_o leads to {out} numbers."
        " How many numbers do W_q, W_k and W_v of all heads and W_o hold, biases apart?",
        "whole",
        answer,
        slips,
        (
            f"One head: d_model · (d_k + d_k + d_v) = {of_a_head:,}.",
            f"W_o has heads · d_v = {h * d_v} rows of {out}.",
        ),
        f"{h} · {of_a_head:,} + {w_o:,} = {answer:,}.",
        draft.at(head=0, query=0),
    )


def shared_parameters(draft: Draft) -> Question:
    """Ask the same where heads share keys and values."""
    setup = draft.setup
    h, d_model, d_k, d_v, out = setup.heads, setup.d_model, setup.d_k, setup.d_v, setup.out_size
    kv, of_a_pair, w_o = h // setup.group, d_model * (d_k + d_v), h * d_v * out
    w_q, answer = h * d_model * d_k, counts.as_set(setup).parameters
    slips = [
        Slip(
            "each head is given keys and values of its own: here they are shared",
            w_q + h * of_a_pair + w_o,
        ),
        Slip(
            "queries are taken to be shared too: each head has its own",
            kv * d_model * d_k + kv * of_a_pair + w_o,
        ),
        Slip("W_o is left out", answer - w_o),
        Slip(
            "values are taken to have a matrix for each head: they are shared as keys are",
            answer + (h - kv) * d_model * d_v,
        ),
        Slip(
            "keys are taken to have a matrix for each head: they are shared as values are",
            answer + (h - kv) * d_model * d_k,
        ),
        Slip("the biases are counted too", answer + counts.biases(setup)),
    ]
    return draft.exercise(
        f"d_model = {d_model}, heads = {h}, kv_heads = {kv}, d_k = {d_k}, d_v = {d_v}; W_o leads to"
        f" {out} numbers. How many numbers do W_q, W_k and W_v of all heads and W_o hold, biases"
        " apart?",
        "whole",
        answer,
        slips,
        (
            f"W_q has {count(h, 'head')}, W_k and W_v have {count(kv, 'head')}.",
            f"One W_k and one W_v: d_model · (d_k + d_v) = {of_a_pair:,}.",
        ),
        f"{w_q:,} + {kv} · {of_a_pair:,} + {w_o:,} = {answer:,}.",
        draft.at(head=0, query=0),
    )
