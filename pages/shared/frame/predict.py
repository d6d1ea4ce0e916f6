"""“Predict, then see”: before a reader sees what a step makes, the page asks what they expect of
it.

Python sends the question, what can be answered, the truth and a sentence for each answer. The
browser asks, in the figure's own row, covers what would tell, and keeps what was answered: a guess
never leaves it.
"""

import json
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from core import tally
from core.text import labels
from core.trace import Trace
from pages.shared.frame import lecture
from pages.shared.frame.questions.posed import prediction
from pages.shared.link.focus import Focus
from pages.shared.said import elements

_question = elements.component("attention_prediction", "attentionPrediction")


def show(name: str, trace: Trace, focus: Focus, of: str = "", given: str = "") -> None:
    """Draw the question of this name, over what it asks of; none in a lecture.

    Without more all of the figure is covered. `of` "row" only the followed query's is; of "another"
    it is asked of one that is not followed, since what is said and played tells of that one; on a
    phone the row of the entry that is `given` stands over it. Where there is nothing to ask its
    place stays, so that no board below moves: where a teacher sets exercises, and where results
    stand beside those of a held setup.
    """
    if lecture.on():
        return
    queries = len(trace.tokens)
    further = (
        focus.query + min(queries, 3) - 2
    ) % queries  # two rows on: what frames the followed one stays whole
    row = {"row": focus.query - 1, "another": further}.get(of)
    is_told = bool(focus.do) or focus.held is not None or (of == "another" and queries == 1)
    asked = (
        None
        if is_told
        else prediction(name, trace, focus if row is None else replace(focus, query=row + 1))
    )
    # What is said of a figure tells of the followed row.
    data: dict[str, Any] = {"name": name, "row": row, "tells": of != "another"}
    if asked:
        says = [slip.says for slip in asked.slips]
        data |= {
            "kind": asked.kind,
            "asks": asked.asks,
            "options": asked.options,
            "right": asked.answers,
            "says": says,
        }
        data["bars"] = tally.bars(asked)
        if given and row is not None:
            values = trace.value(given)[focus.head - 1, row].tolist()
            shown = [
                value
                for value, name in zip(values, labels(trace.key_tokens), strict=True)
                if name in asked.options
            ]
            data["given"] = {"symbol": trace[given].symbol, "numbers": shown}
    _question(key=f"predict_{name}", data=json.dumps(data).encode())


def answer(name: str) -> AbstractContextManager:
    """Return where words stand that would tell the answer: questions.css hides them, by this name,
    while the question is open."""
    return nullcontext() if lecture.on() else elements.container(key=f"answer_{name}")
