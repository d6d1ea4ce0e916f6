"""The exercise of the page on training: from a loss to a share."""

import math

from .. import training_store
from ..answers import worked
from ..presets import whose_training
from ..question import Opens, Question, Slip
from ..written import number
from .draft import Draft


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
