"""“Predict, then see”: before a reader sees what a step makes, the page asks what they expect of it.

Python sends the question, what can be answered, the truth and a sentence for each answer. The browser asks, veils what would tell,
and keeps what was answered: a guess never leaves it.
"""

import json
from pathlib import Path

from core import predictions
from core.trace import Trace
from core.written import number
from pages.shared.browser.scripts import script
from pages.shared.frame import lecture
from pages.shared.link.focus import Focus
from pages.shared.said import claims, elements

HERE = Path(__file__).parent
_question = elements.component(
    "attention_prediction",
    js=script("board/dom") + (HERE / "predict.js").read_text(encoding="utf-8"),
    css=(HERE / "predict.css").read_text(encoding="utf-8"),
)


def show(name: str, trace: Trace, focus: Focus) -> None:
    """The question of this name, over what it asks of. None in a lecture, none where a teacher sets exercises, none where results
    stand above it beside a held setup."""
    if lecture.on() or focus.do or focus.held is not None:
        return
    asked = predictions.ask(name, trace, focus.head - 1, focus.query - 1)
    if asked is None:
        return
    say = claims.in_tokens(trace.setup)
    data = {
        "name": name,
        "kind": asked.kind,
        "asks": say(asked.asks),
        "choices": asked.choices,
        "right": asked.right,
        "says": [say(each) for each in asked.says],
        "bars": [(label, value, number(value)) for label, value in asked.bars],
    }
    _question(key=f"predict_{name}", data=json.dumps(data).encode())
