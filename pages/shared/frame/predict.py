"""A guess before a step is seen: a quiet line below the figure, for whoever wants to guess.

Python sends the question, what can be answered, the truth and a sentence for each answer. The
browser asks, in the figure's own row: a guess never leaves it.
"""

import json
from dataclasses import replace
from typing import Any

from core import tally
from core.trace import Trace
from pages.shared.frame import lecture
from pages.shared.frame.questions.posed import prediction
from pages.shared.link.focus import Focus
from pages.shared.said import elements

_question = elements.component("attention_prediction", "attentionPrediction")


def show(name: str, trace: Trace, focus: Focus, of: str = "") -> None:
    """Draw the line of the question of this name; none in a lecture.

    It is asked of the whole figure; `of` "row" of the followed query, of "another" of one that is
    not followed. Where there is nothing to ask its place stays, so that nothing below moves: where
    a teacher sets exercises, and where results stand beside those of a held setup.
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
            "bars": tally.bars(asked),
        }
    _question(key=f"predict_{name}", data=json.dumps(data).encode())
