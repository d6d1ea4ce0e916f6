"""Attention weights that were brought alone, of whatever model: the map of their heads, and one
head as lines between the words and as numbers."""

from core.board.entries import matrix
from core.fields.nested import flat
from core.library.layers import Layers, attention, make_map
from pages.shared import board
from pages.shared.board.mount import show as show_board
from pages.shared.layout import show
from pages.shared.page_components.bring.matrix_list import to_floats
from pages.shared.page_components.bring.result import Looked, parse_answers
from pages.shared.text import words

SHOWN = "head"  # what the chosen head is called among the answers


def read(looked: Looked) -> Layers | None:
    """Return the weights of a text that holds nothing else; None if it does, or if they were
    checked. Raises ValueError if they are no weights of its words; says why."""
    reading, checked = looked.reading, looked.report and looked.report.verdicts
    if [entry.name for entry in reading.named] != ["weights"] or reading.entries or checked:
        return None
    (found,) = reading.named
    if "" in flat(found.numbers) or len(found.shape) < 2:
        return None
    rows, columns = map(board.number_labels, found.shape[-2:])
    tokens = reading.tokens or rows
    return attention(to_floats(found.numbers), tokens, () if len(rows) == len(columns) else columns)


def draw(layers: Layers, answers: str) -> None:
    """Draw the map, where a click chooses a head, and below it that head."""
    shown = make_map(layers)
    names = [picture.name for picture in shown.matrices]
    asked = parse_answers(answers).get(SHOWN, "")
    chosen = shown.main = names.index(asked) if asked in names else 0
    layer, head = (int(place) - 1 for place in names[chosen].split("·"))
    weights = matrix(layers[layer], "weights", head, f"α, layer {layer + 1}, head {head + 1}")
    says = [
        words.attention(word, row.tolist(), weights.columns)
        for word, row in zip(weights.rows, weights.values, strict=True)
    ]
    show.plain(layers.note)
    if len(names) > 1:
        sets = {name: {"answers": f"{SHOWN}:{name}"} for name in names}
        show_board(shown, "board_alone", board.choice(sets))
    at = (len(says) - 1, 0)
    alt = f"{weights.title}. {says[-1]}"
    board.flow(weights, key="board_alone_lines", says=says, chosen=at, alt=alt)
    board.matrices(weights, key="board_alone_weights", chosen=at, alt=alt)
