"""Exercises of the page on training: the loss, and one weight's step."""

import math

from .. import gradient, training_store
from ..adam import AdamStep, adam_step
from ..answers import fixed, worked
from ..presets import whose_training
from ..question import Opens, Question, Slip, Unposed
from ..text import cell as named
from ..written import behind_a_sign, number
from .draft import Draft

THOUSAND = 1000  # gradients are small: they are written in thousandths
NO_STEP = (
    "It opens a step of W_q: it needs Projections: learned, and a training of ten steps or more."
)


def a_loss(draft: Draft) -> Question:
    """Ask for the share that the right word got, from its loss."""
    losses = training_store.get(whose_training(draft.setup), "attention").losses
    step = draft.pick(len(losses))
    loss = losses[step]
    slips = [
        Slip(
            "the loss is not halved: two questions share it", worked(lambda x: math.exp(-x), loss)
        ),
        Slip("the sign is lost: a loss is −ln of a share", worked(lambda x: math.exp(x / 2), loss)),
        Slip("10 is raised instead of e", worked(lambda x: 10 ** (-x / 2), loss)),
        Slip("2 is raised instead of e", worked(lambda x: 2 ** (-x / 2), loss)),
        Slip("the loss of one question is given, not the share", worked(lambda x: x / 2, loss)),
        Slip("the loss is taken away from 1", worked(lambda x: 1 - x / 2, loss)),
        Slip("1 is divided by the loss", worked(lambda x: 2 / x, loss)),
    ]
    return draft.exercise(
        f"A right word that gets the share p costs −ln p. In step {step + 1} the loss of both"
        f" questions together is {number(loss)}. If the right word got the same share each time,"
        " which one was it?",
        "number",
        worked(lambda x: math.exp(-x / 2), loss),
        slips,
        ("Half of the loss belongs to each question.", "−ln p = x means p = e^(−x)."),
        f"e^(−{number(loss)} / 2) = {number(math.exp(-loss / 2))}.",
        Opens(draft.path, {}),
    )


def a_running_mean(draft: Draft) -> Question | Unposed:
    """Ask for Adam's first mean after one more gradient."""
    found = _a_step(draft)
    if found is None:
        return Unposed(draft.name, NO_STEP)
    weight, opens, slope, mean, step = found
    g, m, after = THOUSAND * slope, THOUSAND * mean, THOUSAND * step.first
    slips = [
        Slip(
            "0.9 and 0.1 are exchanged: the past counts nine tenths",
            worked(lambda m, g: 0.1 * m + 0.9 * g, m, g),
            opens,
        ),
        Slip("the gradient counts in full", worked(lambda m, g: 0.9 * m + g, m, g), opens),
        Slip("the gradient alone is taken", fixed(g), opens),
        Slip("the mean stays as it was", fixed(m), opens),
        Slip("both count alike", worked(lambda m, g: (m + g) / 2, m, g), opens),
        Slip(
            "the gradient's part is taken away", worked(lambda m, g: 0.9 * m - 0.1 * g, m, g), opens
        ),
        Slip("the gradient is left out", worked(lambda m, g: 0.9 * m, m, g), opens),
    ]
    return draft.exercise(
        f"{weight}. Adam's running mean m is {number(m)} thousandths before a step, the gradient g"
        f" {number(g)} thousandths. The new mean is 0.9 · m + 0.1 · g. What is it, in thousandths?",
        "number",
        worked(lambda m, g: 0.9 * m + 0.1 * g, m, g, exact=after),
        slips,
        (f"0.9 · m is {number(0.9 * m)}.", f"0.1 · g is {number(0.1 * g)}."),
        f"{number(0.9 * m)} + {behind_a_sign(0.1 * g)} = {number(after)} thousandths.",
        opens,
    )


def which_way(draft: Draft) -> Question | Unposed:
    """Ask which way a weight goes, before it is computed: against its gradient."""
    found = _a_step(draft)
    if found is None or found[4].after == found[4].before:
        return Unposed(draft.name, NO_STEP)
    weight, opens, _, _, step = found
    up = step.after > step.before
    right, other = (
        ("It becomes larger.", "It becomes smaller.")
        if up
        else ("It becomes smaller.", "It becomes larger.")
    )
    sign = "negative" if up else "positive"
    return draft.choice(
        f"{weight} is {number(step.before)}. After the last gradient, Adam's running mean of"
        f" gradients is {sign}: {number(THOUSAND * step.first)} thousandths. Which way does the"
        " step move the weight?",
        right,
        [
            (
                other,
                (
                    "That would make the loss larger: a gradient says how the loss grows, and the"
                    " step goes against it."
                ),
            ),
            (
                "Towards 0, wherever it stands.",
                "The weight's own sign has no part in it: only the mean of its gradients has.",
            ),
        ],
        (
            "A gradient says how much the loss grows if the weight does.",
            "The loss is to become less.",
        ),
        f"The step goes against the mean: {number(step.before)} becomes {number(step.after)}.",
        opens,
    )


def _a_step(draft: Draft) -> tuple[str, Opens, float, float, AdamStep] | None:
    """Pick one weight of W_q at the step that training opened: its name and place, gradient, mean
    before, and Adam's step."""
    setup = whose_training(draft.setup)
    opened = training_store.get(setup, "attention").opened
    if opened is None or "w_q" not in opened.first:
        return None
    first, second = opened.first["w_q"], opened.second["w_q"]
    head, row, column = (draft.pick(size) for size in first.shape)
    slopes = gradient.of_queries(setup, opened.weights, opened.examples)
    slope, mean = (tensor[head, row, column].item() for tensor in (slopes.value, first))
    before, square = (
        tensor[head, row, column].item() for tensor in (opened.weights["w_q"], second)
    )
    step = adam_step(before, slope, mean, square, opened.step)
    name = f"{named('W_q', row + 1, column + 1)} of head {head + 1} in step {opened.step}"
    return name, draft.at(head=head, row=row, column=column), slope, mean, step
