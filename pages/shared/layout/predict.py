"""A prediction before a step is shown: an optional question below the figure.

Python sends the question, the choices, the answer and an explanation for each choice; the browser
asks it within the figure, and a guess never leaves it.
"""

import json
from dataclasses import replace
from typing import Any

from core.forward.trace import Trace
from core.quiz import results
from pages.shared import lecture
from pages.shared.layout.questions.posed import prediction
from pages.shared.link.focus import Focus
from pages.shared.text import elements

_question = elements.component("attention_prediction", "attentionPrediction")


def show(name: str, trace: Trace, focus: Focus, of: str = "") -> None:
    """Draw the question of this name; none in a lecture.

    `of` is "row" for the selected query, "another" for a different one, "" for the whole figure.
    Without a question (assigned exercises, a pinned setup) its place stays, so that nothing below
    moves.
    """
    if lecture.is_on():
        return
    queries = len(trace.tokens)
    further = (focus.query + min(queries, 3) - 2) % queries
    row = {"row": focus.query - 1, "another": further}.get(of)
    is_told = bool(focus.do) or focus.held is not None or (of == "another" and queries == 1)
    asked = (
        None
        if is_told
        else prediction(name, trace, focus if row is None else replace(focus, query=row + 1))
    )
    data: dict[str, Any] = {"name": name, "row": row}
    if asked:
        data |= {
            "kind": asked.kind,
            "asks": asked.asks,
            "options": asked.options,
            "right": asked.answers,
            "says": [slip.says for slip in asked.slips],
            "bars": results.bars(asked),
        }
    _question(key=f"predict_{name}", data=json.dumps(data).encode())
