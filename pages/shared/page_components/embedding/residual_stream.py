"""One word's row through the layers: each layer's output is the next layer's input."""

from collections.abc import Sequence

import torch

from core import Setup
from core.analysis import geometry
from core.board import colours
from core.forward import encoder
from pages.shared import board
from pages.shared.captions import encoder as claims
from pages.shared.layout import show
from pages.shared.link.focus import Focus
from pages.shared.server import computed
from pages.shared.text import words


def layer_by_layer(setup: Setup, names: Sequence[str], focus: Focus) -> None:
    """Draw the selected word's row at each layer's input, and its cosine with the first one."""
    i, given = focus.query - 1, setup.layer - 1
    _, layers = computed.compute_stack(setup)
    rows = torch.stack([layers[0].value("x")[i], *(each.value("out")[i] for each in layers)])
    kept = geometry.cosines(rows)[:, :1]
    stages = ["X", *(f"after layer {n}" for n in range(1, len(rows)))]
    said = claims.describe_input(names[i], given, kept[given].item())
    show.plain(said)
    board.matrices(
        board.Matrix(
            "rows",
            rows,
            stages,
            board.number_labels(setup.d_model),
            ("layer", "d_model"),
            "x",
            f"the row of {words.quote(names[i])}",
            wide=True,
            clickable=True,
            frame=(given, given + 1, 0, setup.d_model),
            symbol="x",
            made=words.made(encoder.compute_outputs, "setup", "weights", "x", "may_attend"),
        ),
        board.Matrix(
            "kept",
            kept,
            stages,
            ["X"],
            ("layer", "cosine with"),
            colours.NONE,
            "cosine with X",
            symbol="cosine",
            made=words.made(geometry.cosines, "rows"),
        ),
        key="board_stream",
        across=2,
        linked="values",
        chosen=(given, focus.column_of(setup.d_model)),
        chooses=board.choice(
            layer="row", column="column", **({} if setup.real else {"seven": "chosen"})
        ),
        alt=f"A row for each layer's input: {len(rows)} by {setup.d_model}. {said}",
    )
