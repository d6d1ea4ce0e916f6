"""Exercises of step 6: values, mixed by weights."""

from torch import Tensor

from .. import heads
from ..answers import fixed, worked
from ..question import Opens, Question, Slip, Unposed
from ..written import behind_a_sign, number
from . import sums
from .draft import CLEAR, Draft
from .scores import exchanged
from .weights import a_middling_weight


def an_entry(draft: Draft) -> Question:
    """Ask for one number of a new vector."""
    head, i, _ = a_middling_weight(draft)
    weights, scaled, v = (draft.of_head(name, head) for name in ("weights", "scaled", "v"))
    column = draft.pick(v.shape[1], "column")
    cell = draft.opened("context", (head, i, column))
    shown = sorted(cell.terms, key=lambda term: -term.factors[0].value)[:2]
    opens = draft.at(head=head, query=i, column=column)
    of_column = v[:, column]
    slips = [
        *sums.slips(cell, shown),
        Slip(
            "all words count alike: each counts by its weight",
            fixed(of_column.mean().item()),
            opens,
        ),
        Slip("the values are added up without their weights", fixed(of_column.sum().item()), opens),
        *_of_a_column(draft, weights, of_column, i, opens),
        Slip(
            "the scores are taken before the softmax", fixed((scaled[i] @ of_column).item()), opens
        ),
        *draft.of_other_heads("context", head, (i, column), query=i, column=column),
    ]
    return draft.exercise(
        f"Head {head + 1}. " + sums.question(draft, draft.cell("context", i, column), cell, shown),
        "number",
        sums.answer(cell, shown),
        slips,
        (
            "Each value is taken by its weight: multiply the two.",
            "Add the products to what the other words give.",
        ),
        f"Added up it is {number(cell.value)}.",
        opens,
    )


def _of_a_column(
    draft: Draft, weights: Tensor, of_column: Tensor, i: int, opens: Opens
) -> list[Slip]:
    """Return what a column of the weights would give, where the same words ask and are asked."""
    if draft.setup.memory:
        return []
    says = "a column of the weights is taken: the row belongs to the word that asks"
    return [Slip(says, fixed((weights[:, i] @ of_column).item()), opens)]


def who_gives_most(draft: Draft) -> Question | Unposed:
    """Ask whose part is largest: a large weight is not yet a large part."""
    weights, v = draft.value("weights"), heads.share(draft.value("v"), draft.setup.heads)
    parts = (weights.unsqueeze(-1) * v.unsqueeze(1)).abs()  # head, query, key, column
    if len(draft.asked) < 2:
        return Unposed(draft.name, "It compares words: type a sentence with more than one.")
    top = parts.topk(2, dim=2).values
    clear = ((top[:, :, 0] - top[:, :, 1]) > CLEAR).nonzero().tolist()
    if not clear:
        return Unposed(
            draft.name,
            "Here no word gives more than the others: type a sentence with different words.",
        )
    head, i, column = draft.random.choice(clear)
    ranked = parts[head, i, :, column].argsort(descending=True).tolist()
    right, others = ranked[0], ranked[1:]
    wrong = {others[0], max(others, key=lambda k: weights[head, i, k].item()), others[-1]}

    def told(k: int) -> str:
        weight, value = weights[head, i, k].item(), v[head, k, column].item()
        return f"{number(weight)} · {behind_a_sign(value)} = {number(weight * value)}"

    return draft.choice(
        f"Head {head + 1}. Which word gives the largest part, in size, of"
        f" {draft.cell('context', i, column)}?",
        draft.key_word(right),
        [
            (
                draft.key_word(k),
                f"{draft.key_word(k)} gives {told(k)}, and another gives more in size.",
            )
            for k in sorted(wrong)[:2]
        ],
        (
            "A word's part is its weight times its value.",
            f"Take row {draft.labels[i]} of α and column {column + 1} of V.",
        ),
        f"{draft.key_word(right)} gives {told(right)}.",
        draft.at(head=head, query=i, column=column),
    )


def a_larger_value(draft: Draft) -> Question:
    """Ask how far a value reaches, before it is computed."""
    head, i, j = a_middling_weight(draft, off_diagonal=True)
    weights, v, context = (draft.of_head(name, head) for name in ("weights", "v", "context"))
    column = draft.pick(v.shape[1])
    weight, z = weights[i, j].item(), context[i, column].item()
    others = exchanged(
        draft, "the weight is taken from the other word's row", "weights", (head, i, j)
    )
    beside = f"{draft.cell('weights', j, i)} = {number(weights[j, i].item())}, " if others else ""
    here = draft.at(head=head, query=i, key=j, column=column)
    slips = [
        Slip("the value counts in full: it counts by its weight", fixed(1.0), here),
        *others,
        Slip(
            "the new number is given instead of how much larger it is",
            worked(lambda z, w: z + w, z, weight),
            here,
        ),
        Slip("all words are taken to count alike", fixed(1 / len(v)), here),
        Slip("nothing reaches that word", fixed(0.0), here),
    ]
    return draft.exercise(
        f"Head {head + 1}. {draft.cell('weights', i, j)} = {number(weight)},"
        f" {beside}{draft.cell('context', i, column)} = {number(z)}.\nNumber {column + 1} of"
        f" {draft.key_word(j)}'s value grows by 1. By how much does"
        f" {draft.cell('context', i, column)} grow?",
        "number",
        fixed(weight),
        slips,
        (
            "One term of the sum changes.",
            "In that term the value is multiplied by one weight: whose row is it in?",
        ),
        f"By the weight that {draft.word(i)} gives to {draft.key_word(j)}: {number(weight)}.",
        here,
    )
