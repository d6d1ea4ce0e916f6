"""“Predict, then see”: before a reader sees what a step makes, the page asks what they expect of it.

Python sends the question, what can be answered, the truth and a sentence for each answer. The browser asks, veils what would tell,
and keeps what was answered: a guess never leaves it.
"""

import json
from contextlib import AbstractContextManager, nullcontext

from core import tally
from core.trace import Trace
from pages.shared.frame import lecture
from pages.shared.frame.questions.posed import prediction
from pages.shared.link.focus import Focus
from pages.shared.said import elements

_question = elements.component("attention_prediction", "attentionPrediction")


def show(name: str, trace: Trace, focus: Focus) -> None:
    """Draw the question of this name, over what it asks of; none in a lecture.

    Where there is nothing to ask its place stays, so that no board below moves: where a teacher sets exercises, and where results
    stand above it, beside those of a held setup.
    """
    if lecture.on():
        return
    is_told = bool(focus.do) or focus.held is not None
    asked = None if is_told else prediction(name, trace, focus)
    data = {"name": name}
    if asked:
        says = [slip.says for slip in asked.slips]
        data |= {"kind": asked.kind, "asks": asked.asks, "options": asked.options, "right": asked.answers, "says": says}
        data["bars"] = tally.bars(asked)
    _question(key=f"predict_{name}", data=json.dumps(data).encode())


def answer(name: str) -> AbstractContextManager:
    """Return where words stand that would tell the answer: questions.css blurs them, by this name, while the question is open."""
    return nullcontext() if lecture.on() else elements.container(key=f"answer_{name}")
