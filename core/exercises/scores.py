"""Exercises of step 4: every query against every key."""

from ..answers import fixed, worked
from ..question import Opens, Question, Slip, Unposed
from ..written import behind_a_sign, number
from . import sums
from .draft import CLEAR, Draft


def a_score(draft: Draft) -> Question:
    """Ask for the sum that makes one score."""
    scaled = draft.value("scaled")
    head, i, j = draft.pick_of("scores", "head", "query", "key")
    cell = draft.opened("scores", (head, i, j))
    shown = cell.terms[-2:]
    divided = scaled[head, i, j].item()
    slips = [
        *sums.slips(cell, shown),
        *exchanged(draft, "query and key are exchanged", "scores", (head, i, j)),
        Slip(
            "the score is scaled already: that is the next step",
            fixed(divided),
            Opens("weights", draft.at(head=head, query=i, key=j).fields),
        ),
        *draft.of_other_heads("scores", head, (i, j), query=i, key=j),
    ]
    return draft.exercise(
        f"Head {head + 1}. {draft.word(i)} asks, {draft.key_word(j)} is asked. "
        + sums.question(draft, draft.cell("scores", i, j), cell, shown),
        "number",
        sums.answer(cell, shown),
        slips,
        (
            "Multiply the numbers in each line with each other.",
            "Add the products to what the others add up to.",
        ),
        f"Added up it is {number(cell.value)}.",
        draft.at(head=head, query=i, key=j),
    )


def rows_and_columns(draft: Draft) -> Question | Unposed:
    """Ask who asks and who is asked."""
    scores = draft.value("scores")
    heads, tokens, asked_tokens = scores.shape
    both = min(tokens, asked_tokens)
    if both < 2:
        return Unposed(draft.name, "It compares two words: type a sentence with more than one.")
    head, (i, j) = draft.pick(heads), draft.random.sample(range(both), 2)
    square = scores[head][[i, j]][:, [i, j]].tolist()
    asks, asked = draft.word(i), draft.key_word(j)
    across = bool(draft.setup.memory)  # another sentence's words are the columns: none asks itself
    columns, rows = (
        f"another {line} is taken: it belongs to another word" for line in ("column", "row")
    )
    slips = [
        Slip(
            "row and column are exchanged: whoever asks is a row",
            fixed(square[1][0]),
            draft.at(head=head, query=j, key=i),
        ),
        Slip(
            columns if across else f"{asks} asks itself",
            fixed(square[0][0]),
            draft.at(head=head, query=i, key=i),
        ),
        Slip(
            rows if across else f"{asked} asks itself",
            fixed(square[1][1]),
            draft.at(head=head, query=j, key=j),
        ),
        *draft.of_other_heads("scores", head, (i, j), query=i, key=j),
    ]
    lines = [
        f"row {draft.labels[r]}: " + written_row(draft, (i, j), row)
        for r, row in zip((i, j), square, strict=True)
    ]
    return draft.exercise(
        ("The first sentence asks, the other is asked. " if across else "")
        + f"Of head {head + 1}'s ω, two rows and two columns:\n"
        + "\n".join(lines)
        + f"\nHow well does {asked}'s key fit {asks}'s query?",
        "number",
        fixed(square[0][1]),
        slips,
        ("The query is the one who asks.", "A query is a row of ω, a key is a column."),
        f"Row {draft.labels[i]}, column {draft.asked[j]}: {number(square[0][1])}.",
        draft.at(head=head, query=i, key=j),
    )


def exchanged(draft: Draft, says: str, name: str, index: tuple[int, int, int]) -> list[Slip]:
    """Return the cell on the other side of the diagonal, where there is one."""
    head, i, j = index
    _, rows, columns = draft.value(name).shape
    if j >= rows or i >= columns:
        return []
    return [
        Slip(says, fixed(draft.value(name)[head, j, i].item()), draft.at(head=head, query=j, key=i))
    ]


def written_row(draft: Draft, columns: tuple[int, int], row: list[float]) -> str:
    """Write a part of a row of ω: each column with its number."""
    return ", ".join(
        f"column {draft.asked[c]} {number(value)}" for c, value in zip(columns, row, strict=True)
    )


def a_longer_key(draft: Draft) -> Question | Unposed:
    """Ask what a key's length does to its scores, before it is computed."""
    scores = draft.value("scores")
    places = [tuple(place) for place in (scores.abs() > CLEAR).nonzero().tolist()]
    if not places:
        return Unposed(draft.name, "Here all scores are 0.")
    head, i, j = draft.random.choice(places)
    score = scores[head, i, j].item()
    slips = [
        Slip("only the direction counts: a dot product measures length too", fixed(score)),
        Slip("it is doubled twice: the query stays as it is", worked(lambda s: 4 * s, score)),
        Slip(
            "2 is added: each product is doubled, and so is their sum",
            worked(lambda s: s + 2, score),
        ),
        Slip("it is halved", worked(lambda s: s / 2, score)),
        Slip("it is squared", worked(lambda s: s * s, score)),
    ]
    return draft.exercise(
        f"{draft.cell('scores', i, j)} of head {head + 1} is {number(score)}. Every number of"
        f" {draft.key_word(j)}'s key is doubled, the query stays. What is the score then?",
        "number",
        worked(lambda s: 2 * s, score),
        slips,
        (
            "Each product has one factor of the key.",
            "What does the sum do if each of its terms is doubled?",
        ),
        f"Each product doubles, and so does their sum: 2 · {behind_a_sign(score)}.",
        draft.at(head=head, query=i, key=j),
    )
