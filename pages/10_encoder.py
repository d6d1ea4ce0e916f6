"""The stack: layers × heads, and whether it depends on word order."""

from dataclasses import replace

import torch

from core.analysis import shuffle
from core.board import colours
from core.forward import encoder
from core.text.text import labels
from core.text.written import count
from core.training import training_store
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import encoder as claims
from pages.shared.captions import trained
from pages.shared.layout import show
from pages.shared.layout.page import Parts
from pages.shared.server import background, computed, run
from pages.shared.text import elements, words

setup, focus = run.setup(), run.focus()
names = labels(setup.tokens)
n, h, d_model = len(names), setup.heads, setup.d_model
i, j, head = focus.query - 1, focus.key - 1, focus.head - 1
whole = replace(setup, layer=1)  # the same for every selected layer
_, layers = computed.compute_stack(whole)
layer = computed.layer(whole, focus.layer)
weights = layer.value("weights")[head]
looks = words.attention(names[i], weights[i].tolist(), names)


page = Parts()


def small(below: int, k: int) -> board.Matrix:
    """Return one head's weights (layer and head from 0) without numbers, named "layer·head"."""
    name = f"{below + 1}·{k + 1}"
    frame = (0, n, 0, n) if (below, k) == (focus.layer - 1, head) else None
    return entries.matrix(
        layers[below],
        "weights",
        k,
        name,
        called=name,
        bare=True,
        clickable=True,
        frame=frame,
        symbol="α",
    )


# The selected head stands beside the stack if its numbers fit in half the width.
is_beside = h * n <= 24 and n <= 9


@page.figure(in_lecture=False)
def draw_stack_and_one_of_it():
    if not is_beside:
        draw_stack()
        one_head()
        return
    with elements.container(key="beside_stack"):
        with elements.container(key="stack"):
            draw_stack()
        with elements.container(key="large_look"):
            one_head()


@page.part("stack", in_lecture=True)
def draw_stack():
    """Draw every layer and head as small pictures."""
    crowded = setup.layers * h > 12 or n > 12
    places = [(below, k) for below in range(setup.layers) for k in range(h)]
    board.layer_stack(
        *(small(below, k) for below, k in places),
        key="board_stack",
        across=h,
        size=words.times((n, d_model)),
        rows=board.Matrix(
            "rows",
            torch.stack([layers[0].value("x")[i], *(each.value("out")[i] for each in layers)]),
            board.number_labels(setup.layers + 1),
            board.number_labels(d_model),
            ("layer", "d_model"),
            "x",
        ),
        main=(focus.layer - 1) * h + head,
        layer=focus.layer - 1,
        chosen=(i, j),
        chooses=board.choice(
            {f"{below + 1}·{k + 1}": {"layer": below + 1, "head": k + 1} for below, k in places},
            query="row",
            key="column",
        ),
        max_cell=max(2, (90 if crowded else 150) // n),
        of_screen=0.78,
        alt=(
            f"Weights of {count(setup.layers, 'layer')} with {count(h, 'head')} each. Layer"
            f" {focus.layer}, head {focus.head} is chosen; there {looks}"
        ),
    )
    shown = board.select_pictured(n, (i, j))
    elements.caption(
        "A picture's name is layer · head. Between layers stands the row of the followed word."
        f" {claims.describe_pictured(n, shown)}"
    )


@page.part("large", in_lecture=True)
def one_head():
    """Draw one layer and head with its numbers."""
    show.heading(f"Layer {focus.layer}, head {focus.head}")
    show.plain(looks)
    title = f"α, layer {focus.layer}, head {focus.head}"
    board.matrices(
        entries.matrix(
            layer,
            "weights",
            head,
            title,
            beside=entries.layer_held(focus.layer),
            sums=True,
            clickable=True,
            frame=(i, i + 1, 0, n),
        ),
        key="board_stack_large",
        chosen=(i, j),
        chooses=board.choice(query="row", key="column"),
        max_width=64,
        max_height=30,
        of_screen=0.55,
        alt=f"Weights of layer {focus.layer}, head {focus.head}. {looks}",
    )


@page.part("shuffle")
def draw_words_shuffled():
    show.heading("Shuffle the words: does the stack notice?")
    result = find_shuffle()
    if result is None:
        show.plain("The stack is being computed on the words in another order.")
        return
    said = claims.describe_shuffle(result)
    kinds = [f"positions {kind}" for kind in result.kinds]
    mine = result.kinds.index(setup.positions) if setup.positions in result.kinds else None
    show.plain("The order now:  " + "  ".join(words.isolate(names[k]) for k in result.order))
    board.matrices(
        board.Matrix(
            "moved",
            result.moved,
            kinds,
            names,
            ("positions", "token"),
            colours.NONE,
            "largest change of each word's result",
            scale="plain",
            frame=None if mine is None else (mine, mine + 1, 0, n),
            symbol="largest change",
            top=max(*map(result.largest, result.kinds), 0.01),
            made=words.made(shuffle.shuffle, "setup", "layers", "embedded", "out"),
        ),
        key="board_shuffle",
        stacked=True,
        chosen=(mine or 0, i),
        min_width=5,
        max_width=90,
        of_screen=0.5,
        alt=f"How far each word's result moves when the words are shuffled. {said}",
    )
    elements.markdown(said)


def find_shuffle() -> shuffle.Shuffled | None:
    """Return the result of the shuffle; None while a pretrained model's many layers are computed
    behind the page."""
    if setup.real is None:
        return computed.compute_shuffle(setup)
    return background.ask(computed.compute_shuffle, whole)


@page.closer("formula")
def draw_formula():
    show.formula_and_code(
        words.lines(
            r"X^{(0)} = X \qquad X^{(l)} = \mathrm{block}_l\big(X^{(l-1)}\big)",
            rf"{words.write_with_shape('x', rf'X^{{({setup.layers})}}', (n, d_model))} \quad l = 1"
            r" \dots"
            rf" {setup.layers}",
        ),
        encoder.stack,
        weights=layer["weights"].call.function,
        symbols="$X^{(l)}$ is what layer $l$ hands on, $X^{(0)}$ the embedded sentence.",
    )


@page.part()
def draw_questions():
    if setup.init == "trained" and not lecture.is_on():
        show.why(
            "What have these matrices learned?",
            trained.describe_learning(setup, training_store.get(setup, "stack"), "stack"),
        )
    show.why(
        "Why several layers?",
        "One layer lets each word take something over from the others, by what the words are."
        " From layer 2 on, a row stands for a word and for what it has taken over below:"
        " looking at “a word” there means looking at a mixture. So it can be found by what it"
        " has just learned about its neighbours.",
    )


page.tables(layer, ["weights", "out"])


@page.closer("check", in_lecture=False)
def draw_layer_against_pytorch():
    show.check_layer(whole, focus.layer)


page.draw()
