"""Exercises of step 2: rows of a table, and where a word stands."""

import math

from ..answers import fixed, worked
from ..question import Question, Slip, Unposed
from ..text import labels
from ..written import count, number
from .draft import Draft


def a_row(draft: Draft) -> Question:
    """Ask for an entry of a row that is looked up."""
    table, ids = draft.value("embedding_table"), draft.value("ids").tolist()
    place, column = draft.pick(len(ids), "query"), draft.pick(table.shape[1], "column")
    row, of_column = ids[place], table[:, column].tolist()
    listed = sorted(
        {k for k in (row - 1, row, row + 1, place, place + 1) if 0 <= k < len(of_column)}
    )
    others = [
        (row - 1, "rows are counted from 1: the code counts from 0"),
        (place, "the word's place in the sentence is taken, from 0: its id picks the row"),
        (place + 1, "the word's place in the sentence is taken, from 1: its id picks the row"),
    ]
    slips = [
        Slip(
            says,
            fixed(of_column[k]),
            draft.at(query=ids.index(k), column=column) if k in ids else None,
        )
        for k, says in others
        if k in listed
    ]
    lines = "\n".join(f"row {k}: {number(of_column[k])}" for k in listed)
    return draft.exercise(
        f"{draft.word(place)} is token {place + 1} of the sentence and has id {row}. These rows of"
        f" the table, counted from 0, have in column {column + 1}:\n{lines}\nWhat is"
        f" {draft.cell('embedded', place, column)}?",
        "number",
        fixed(of_column[row]),
        slips,
        ("The id says which row is copied.", "Rows are counted from 0, as ids are."),
        f"Row {row} is copied as it is.",
        draft.at(query=place, column=column),
    )


def a_wave(draft: Draft) -> Question | Unposed:
    """Ask what the paper's positions add."""
    if "summed" in draft.trace:
        return Unposed(
            draft.name, "This model norms what it adds up, at once: choose weights that are drawn."
        )
    embedded = draft.value("embedded")
    tokens, d_model = embedded.shape
    place = 1 + draft.pick(tokens - 1) if tokens > 1 else 0
    column = draft.pick(min(d_model, 2))
    wave, other = (math.sin, math.cos) if column == 0 else (math.cos, math.sin)
    names = ("sin", "cos") if column == 0 else ("cos", "sin")
    looked_up = embedded[place, column].item()
    row = draft.cell("embedded", place, column)
    slips = [
        Slip(
            "places are counted from 1: the first word stands at 0",
            worked(lambda e: e + wave(place + 1), looked_up),
        ),
        Slip(
            "the angle is taken in degrees: set the calculator to radians",
            worked(lambda e: e + wave(math.radians(place)), looked_up),
        ),
        Slip(
            f"{names[1]} is taken: odd columns have sin, even ones cos",
            worked(lambda e: e + other(place), looked_up),
        ),
        Slip("the wave is not added to the word's row", fixed(wave(place))),
        Slip(
            "the wave takes the row's place: it is added to it",
            worked(lambda e: e * wave(place), looked_up),
        ),
        Slip("nothing is added", fixed(looked_up), draft.at(query=place, column=column)),
    ]
    return draft.exercise(
        f"With Positions: sinusoidal, column {column + 1} of place p gets {names[0]}(p), p counted"
        f" from 0. {draft.word(place)} is token {place + 1}, and {row} = {number(looked_up)}. What"
        f" is {draft.cell('x', place, column)} then?",
        "number",
        worked(lambda e: e + wave(place), looked_up),
        slips,
        (
            f"Counted from 0 it stands at p = {place}.",
            f"{names[0]}({place}), in radians, is {number(wave(place))}.",
            "Add it to the row.",
        ),
        f"{number(looked_up)} + {names[0]}({place}) = {number(looked_up + wave(place))}.",
        draft.changed(draft.at(query=place, column=column), positions="sinusoidal"),
    )


def parameters(draft: Draft) -> Question:
    """Ask how many numbers the table holds."""
    size, d_model = draft.value("embedding_table").shape
    tokens = len(draft.labels)
    slips = [
        Slip(
            "the table has a row for each word of the sentence: it has one for each different word",
            tokens * d_model,
        ),
        Slip("rows and columns are added up: a table has rows times columns", size + d_model),
        Slip("the table is taken to be square, d_model by d_model", d_model * d_model),
        Slip("every word is paired with every word: that comes with the scores", size * size),
        Slip("one row is counted: each different word has its own", d_model),
    ]
    first, last = labels(draft.trace.vocabulary)[0], labels(draft.trace.vocabulary)[-1]
    return draft.exercise(
        f"The vocabulary's last id is {size - 1}; the sentence has {count(tokens, 'token')}, and"
        f" d_model is {d_model}. How many numbers does the embedding table hold?",
        "whole",
        size * d_model,
        slips,
        (
            f"Ids begin at 0: from {first} to {last} there are {count(size, 'different word')}.",
            "Each entry has a row of d_model numbers.",
        ),
        f"{size} · {d_model} = {size * d_model:,}.",
        draft.at(query=0),
    )
