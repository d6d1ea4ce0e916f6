"""Exercises of step 5: scaled, masked, shares of 1."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from .. import attention
from ..answers import Span, fixed, worked
from ..question import Opens, Question, Slip, Unposed
from ..weights import may_attend_in_steps
from ..written import number
from .draft import CLEAR, MOST_LISTED, Draft
from .scores import exchanged

SCALES = {
    "sqrt": "√d_k",
    "fourth-root": "⁴√d_k on queries and on keys, which is √d_k in all",
    "none": "not divided by √d_k",
}
RULES = {
    "sqrt": "it is √d_k",
    "fourth-root": "it is √d_k in all",
    "none": "scaling is off",
}  # beside a wrong divisor
NO_MIDDLING = (
    "In every row one word has all the weight, or all have the same: try another sentence, or"
    " another temperature."
)


def a_scaled_score(draft: Draft) -> Question:
    """Ask for one score, scaled as this setup says."""
    setup, scores, scaled = draft.setup, draft.value("scores"), draft.value("scaled")
    head, i, j = (draft.pick(size) for size in scores.shape)
    raw, t = scores[head, i, j].item(), setup.temperature
    root, rule = 1.0 if setup.scale == "none" else math.sqrt(setup.d_k), RULES[setup.scale]
    at_scores = Opens("scores", draft.at(head=head, query=i, key=j).fields)
    ways: list[tuple[str, Callable[[float], float]]] = [
        (f"it is divided by d_k: {rule}", lambda s: s / (setup.d_k * t)),
        (f"it is divided by √d_v: {rule}", lambda s: s / (math.sqrt(setup.d_v) * t)),
        (f"it is divided by √d_model: {rule}", lambda s: s / (math.sqrt(setup.d_model) * t)),
        (f"it is divided by √d_k: {rule}", lambda s: s / (math.sqrt(setup.d_k) * t)),
        ("the temperature is left out", lambda s: s / root),
        ("it is multiplied by the temperature instead of divided", lambda s: s / root * t),
        ("it is multiplied by √d_k instead of divided", lambda s: s * root / t),
    ]
    slips = [Slip("it is not scaled at all", fixed(raw), at_scores)]
    slips += [Slip(says, worked(way, raw)) for says, way in ways]
    slips += draft.of_other_heads("scaled", head, (i, j), query=i, key=j)
    return draft.exercise(
        f"{draft.cell('scores', i, j)} of head {head + 1} is {number(raw)}. d_k = {setup.d_k}, d_v"
        f" = {setup.d_v}; scaling: {SCALES[setup.scale]}; temperature {t:g}. What is ω′ there?",
        "number",
        worked(lambda s: s / (root * t), raw, exact=scaled[head, i, j].item()),
        slips,
        (
            (
                "Scaling off means division by the temperature alone."
                if setup.scale == "none"
                else f"√d_k is {number(root)}."
            ),
            "Divide by the temperature too.",
        ),
        f"{number(raw)} / {number(root * t)} = {number(scaled[head, i, j].item())}.",
        draft.at(head=head, query=i, key=j),
    )


def a_weight(draft: Draft) -> Question:
    """Ask for one weight of a row."""
    head, i, j = a_middling_weight(draft)
    masked, weights = draft.value("masked")[head], draft.value("weights")[head]
    row = masked[i].tolist()
    answer = worked(lambda *r: share(list(r), j), *row, exact=weights[i, j].item())
    if len(row) <= MOST_LISTED:
        lines = draft.words([number(value) for value in row])
        given = f"The row of {draft.word(i)} that goes into the softmax: {lines}."
    else:
        largest = max(row)
        total = sum(math.exp(value - largest) for value in row)
        given = (
            f"In the row of {draft.word(i)}, the largest number m that goes into the softmax is"
            f" {number(largest)}, that of {draft.key_word(j)} is {number(row[j])}, and all"
            f" e^(number − m) add up to {number(total)}."
        )
        by_sum = worked(lambda value, m, s: math.exp(value - m) / s, row[j], largest, total)
        answer = Span(min(answer.low, by_sum.low), max(answer.high, by_sum.high), answer.value)
    return draft.exercise(
        f"Head {head + 1}. {given}\nWhat is {draft.cell('weights', i, j)}?",
        "number",
        answer,
        _slips_of_a_weight(draft, head, i, j),
        (
            "Raise e to each number of the row; e to −∞ is 0.",
            "Add them up along the row.",
            "The weight is its own share of that sum.",
        ),
        f"It is {number(weights[i, j].item())}: its own exponential divided by the row's sum.",
        draft.at(head=head, query=i, key=j),
    )


def _slips_of_a_weight(draft: Draft, head: int, i: int, j: int) -> list[Slip]:
    setup = draft.setup
    scores, scaled, masked, weights = (
        draft.value(name)[head] for name in ("scores", "scaled", "masked", "weights")
    )
    may_attend = may_attend_in_steps(setup)
    softmax = attention.softmax

    def other_divisor(divisor: float) -> Tensor:
        return softmax(attention.mask(scores / (divisor * setup.temperature), may_attend))

    rule = RULES[setup.scale]
    finite = torch.where(may_attend, masked, 0.0)
    tensors = [
        ("the scores are not scaled", other_divisor(1.0)),
        (f"the scores are divided by √d_k: {rule}", other_divisor(setup.d_k**0.5)),
        (f"the scores are divided by d_k: {rule}", other_divisor(setup.d_k)),
        (f"the scores are divided by √d_v: {rule}", other_divisor(setup.d_v**0.5)),
        ("the softmax runs down the column: it runs along the row", softmax(masked.T).T),
        ("the scores before the mask go into the softmax", softmax(scaled)),
        (
            "the numbers themselves are divided by their sum, without e",
            finite / finite.sum(dim=-1, keepdim=True),
        ),
        (
            "e is raised to the number less the largest, and not yet divided by the row's sum",
            attention.exponentials(masked),
        ),
        ("e is raised to the number, and not yet divided by the row's sum", torch.exp(masked)),
        ("2 is raised to the numbers instead of e", softmax(masked * math.log(2))),
    ]
    slips = [Slip(says, fixed(tensor[i, j].item())) for says, tensor in tensors]
    slips += exchanged(draft, "row and column are exchanged", "weights", (head, i, j))
    slips += draft.of_other_heads("weights", head, (i, j), query=i, key=j)
    if j + 1 < len(scores[i]):
        neighbour = draft.at(head=head, query=i, key=j + 1)
        slips.append(
            Slip(
                "the word after it is taken: places count from 1 on the pages",
                fixed(weights[i, j + 1].item()),
                neighbour,
            )
        )
    return slips


def what_leaves_weights_alone(draft: Draft) -> Question | Unposed:
    """Ask what leaves weights alone: a softmax sees differences within a row, and nothing else."""
    places = [place for place in _rows(draft) if _shows(draft, *place)]
    if not places:
        return Unposed(draft.name, NO_MIDDLING)
    head, i, j = draft.random.choice(places)
    return draft.choice(
        f"Head {head + 1}. Which of these three changes leaves every weight in the row of"
        f" {draft.word(i)} alone?",
        "5 is added to every number of the row before the softmax.",
        [
            (
                f"5 is added to the number of {draft.key_word(j)} alone.",
                (
                    f"That makes the exponential of {draft.key_word(j)} e⁵ = 148 times as large,"
                    " and its share grows at the others' cost."
                ),
            ),
            (
                "Every number of the row is doubled.",
                (
                    "That doubles the differences too: what stands above the others gets more of"
                    " the weight."
                ),
            ),
        ],
        (
            "e^(a + 5) is e^a · e⁵.",
            "Which change makes every exponential of the row larger by the same factor?",
        ),
        "Each exponential becomes e⁵ times as large, and so does their sum: the shares stay.",
        draft.at(head=head, query=i, key=j),
    )


def what_moves_weights(draft: Draft) -> Question | Unposed:
    """Ask in one of two forms, which take turns from variation to variation."""
    return who_gets_more(draft) if draft.variation % 2 == 0 else what_leaves_weights_alone(draft)


def who_gets_more(draft: Draft) -> Question | Unposed:
    """Ask what a higher temperature does to a row, before it is computed."""
    if draft.setup.layer > 1:
        return Unposed(
            draft.name, "In a further layer the temperature changes X, too: choose the first layer."
        )
    masked, weights = draft.value("masked"), draft.value("weights")
    change = attention.softmax(masked / 2) - weights
    places = [
        place
        for place in (change > CLEAR).nonzero().tolist()
        if change[place[0], place[1]].min() < -CLEAR
    ]
    if not places:
        return Unposed(draft.name, NO_MIDDLING)
    head, i, j = draft.random.choice(places)
    loses = int(change[head, i].argmin())
    warmer = 2 * draft.setup.temperature
    opens = draft.at(head=head, query=i, key=j)
    before, after = weights[head, i], (weights + change)[head, i]
    return draft.choice(
        f"Head {head + 1}. The temperature is doubled. Which word gets more of {draft.word(i)}'s"
        " attention then?",
        draft.key_word(j),
        [
            (
                draft.key_word(loses),
                (
                    f"It has the most to lose: its weight falls from {number(before[loses].item())}"
                    f" to {number(after[loses].item())}."
                ),
            ),
            (
                "None: each row still sums to 1.",
                "The sum stays 1, but it is shared out in another way.",
            ),
        ],
        (
            "Divided by 2, the scores lie closer together.",
            "Shares of scores that lie closer together are more even.",
        ),
        f"A row becomes more even: {draft.key_word(j)} rises from {number(before[j].item())} to"
        f" {number(after[j].item())}.",
        draft.changed(opens, temperature=f"{warmer:g}") if warmer <= 10 else opens,
    )


def a_middling_weight(draft: Draft, off_diagonal: bool = False) -> tuple[int, int, int]:
    """Pick head, query and key of the weight that is chosen. Where none is: of one that is neither
    0 nor 1 if there is one, else of any that the mask lets through."""
    if draft.chosen:
        head, i, j = draft.pick_of("weights", "head", "query", "key")
        return head, i, j
    weights, masked = draft.value("weights"), draft.value("masked")
    middling = ((weights > 0.01) & (weights < 0.99)).nonzero().tolist()
    if off_diagonal:
        middling = [place for place in middling if place[1] != place[2] or draft.setup.memory]
    head, i, j = draft.random.choice(middling or masked.isfinite().nonzero().tolist())
    return head, i, j


def _rows(draft: Draft) -> list[tuple[int, int, int]]:
    """Return every row, with the first key in it that may be looked at."""
    heads, tokens, keys = draft.value("weights").shape
    return [
        (head, i, j)
        for head in range(heads)
        for i in range(tokens)
        for j in range(keys if draft.setup.memory else i + 1)
    ]


def _shows(draft: Draft, head: int, i: int, j: int) -> bool:
    """Return whether both changes that do count can be seen in this row."""
    row = draft.value("masked")[head, i]
    one_more = row.clone()
    one_more[j] += 5
    before = attention.softmax(row)
    return all(
        bool((attention.softmax(after) - before).abs().max() > CLEAR)
        for after in (one_more, 2 * row)
    )


def share(row: list[float], j: int) -> float:
    """Return what the softmax makes of one number of a row."""
    largest = max(row)
    return math.exp(row[j] - largest) / sum(math.exp(value - largest) for value in row)
