"""“Predict, then see”: before a reader sees what a step makes, the page asks what they expect of it.

Python sends the question, what can be answered, the truth and a sentence for each answer. The browser asks, veils what would tell,
and keeps what was answered: a guess never leaves it.
"""

import json
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from core import predictions
from core.predictions import Prediction
from core.trace import Trace
from core.written import number
from pages.shared.browser.scripts import script
from pages.shared.frame import lecture
from pages.shared.link.focus import Focus
from pages.shared.said import claims, elements

HERE = Path(__file__).parent
_question = elements.component(
    "attention_prediction",
    js=script("frame/predict/predict"),
    css=(HERE / "predict.css").read_text(encoding="utf-8"),
)


def show(name: str, trace: Trace, focus: Focus) -> None:
    """The question of this name, over what it asks of; none in a lecture.

    Where there is nothing to ask its place stays, so that no board below moves: where a teacher sets exercises, and where results
    stand above it, beside those of a held setup.
    """
    if lecture.on():
        return
    is_told = bool(focus.do) or focus.held is not None
    asked = None if is_told else predictions.ask(name, trace, focus.head - 1, focus.query - 1)
    data = {"name": name} | (_for_the_browser(asked, trace) if asked else {})
    _question(key=f"predict_{name}", data=json.dumps(data).encode())


def answer(name: str) -> AbstractContextManager:
    """Return where words stand that would tell the answer: predict.css blurs them, by this name, while the question is open."""
    return nullcontext() if lecture.on() else elements.container(key=f"answer_{name}")


def _for_the_browser(asked: Prediction, trace: Trace) -> dict[str, Any]:
    say = claims.in_tokens(trace.setup)
    return {
        "kind": asked.kind,
        "asks": say(asked.asks),
        "choices": asked.choices,
        "right": asked.right,
        "says": [say(each) for each in asked.says],
        "bars": [(label, value, number(value)) for label, value in asked.bars],
    }
