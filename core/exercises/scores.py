"""Exercises of step 4: every query against every key."""

from ..written import behind_a_sign, number
from . import sums
from .exercise import Exercise, Opens, Slip, Unposed, fixed, worked
from .ground import CLEAR, Ground


def a_score(ground: Ground) -> Exercise:
    """The sum that makes one score."""
    scores, scaled = ground.value("scores"), ground.value("scaled")
    head, i, j = (ground.pick(size) for size in scores.shape)
    cell = ground.opened("scores", (head, i, j))
    shown = cell.terms[-2:]
    exchanged, divided = scores[head, j, i].item(), scaled[head, i, j].item()
    slips = [
        *sums.slips(cell, shown),
        Slip("query and key are exchanged", fixed(exchanged), ground.at(head=head, query=j, key=i)),
        Slip(
            "the score is scaled already: that is the next step",
            fixed(divided),
            Opens("weights", ground.at(head=head, query=i, key=j).fields),
        ),
        *ground.of_other_heads("scores", head, (i, j), query=i, key=j),
    ]
    return ground.exercise(
        f"Head {head + 1}. {ground.word(i)} asks, {ground.word(j)} is asked. "
        + sums.told(ground, ground.cell("scores", i, j), cell, shown),
        "number",
        sums.answer(cell, shown),
        slips,
        ("Multiply the numbers in each line with each other.", "Add the products to what the others add up to."),
        f"Added up it is {number(cell.value)}.",
        ground.at(head=head, query=i, key=j),
    )


def rows_and_columns(ground: Ground) -> Exercise | Unposed:
    """Who asks and who is asked."""
    scores = ground.value("scores")
    heads, tokens, _ = scores.shape
    if tokens < 2:
        return Unposed(ground.name, "It compares two words: type a sentence with more than one.")
    head, (i, j) = ground.pick(heads), ground.random.sample(range(tokens), 2)
    square = scores[head][[i, j]][:, [i, j]].tolist()
    asks, asked = ground.word(i), ground.word(j)
    slips = [
        Slip("row and column are exchanged: whoever asks is a row", fixed(square[1][0]), ground.at(head=head, query=j, key=i)),
        Slip(f"{asks} asks itself", fixed(square[0][0]), ground.at(head=head, query=i, key=i)),
        Slip(f"{asked} asks itself", fixed(square[1][1]), ground.at(head=head, query=j, key=j)),
        *ground.of_other_heads("scores", head, (i, j), query=i, key=j),
    ]
    labels = ground.labels
    lines = [f"row {labels[r]}: " + ground_row(ground, (i, j), row) for r, row in zip((i, j), square, strict=True)]
    return ground.exercise(
        f"Of head {head + 1}'s ω, two rows and two columns:\n"
        + "\n".join(lines)
        + f"\nHow well does {asked}'s key fit {asks}'s query?",
        "number",
        fixed(square[0][1]),
        slips,
        ("The query is the one who asks.", "A query is a row of ω, a key is a column."),
        f"Row {labels[i]}, column {labels[j]}: {number(square[0][1])}.",
        ground.at(head=head, query=i, key=j),
    )


def ground_row(ground: Ground, columns: tuple[int, int], row: list[float]) -> str:
    """A part of a row of ω: each column with its number."""
    return ", ".join(f"column {ground.labels[c]} {number(value)}" for c, value in zip(columns, row, strict=True))


def a_longer_key(ground: Ground) -> Exercise | Unposed:
    """What a key's length does to its scores: ask first, compute after."""
    scores = ground.value("scores")
    places = [tuple(place) for place in (scores.abs() > CLEAR).nonzero().tolist()]
    if not places:
        return Unposed(ground.name, "Here all scores are 0.")
    head, i, j = ground.random.choice(places)
    score = scores[head, i, j].item()
    slips = [
        Slip("only the direction counts: a dot product measures length too", fixed(score)),
        Slip("it is doubled twice: the query stays as it is", worked(lambda s: 4 * s, score)),
        Slip("2 is added: each product is doubled, and so is their sum", worked(lambda s: s + 2, score)),
        Slip("it is halved", worked(lambda s: s / 2, score)),
        Slip("it is squared", worked(lambda s: s * s, score)),
    ]
    return ground.exercise(
        f"{ground.cell('scores', i, j)} of head {head + 1} is {number(score)}. Every number of {ground.word(j)}'s key is doubled, the "
        "query stays. What is the score then?",
        "number",
        worked(lambda s: 2 * s, score),
        slips,
        ("Each product has one factor of the key.", "What does the sum do if each of its terms is doubled?"),
        f"Each product doubles, and so does their sum: 2 · {behind_a_sign(score)}.",
        ground.at(head=head, query=i, key=j),
    )
