"""The stack: layers × heads, and whether it knows the order of the words."""

import streamlit as st
import torch

from core import embedding, encoder, masks
from core.encoder import draw_stack, result, stack
from core.parameters import draw_positions
from core.text import labels
from pages.shared import board, lecture, show, state, words

bottom = state.trace()
setup = bottom.setup
names = labels(setup.tokens)
n, h, d_model = len(names), setup.heads, setup.d_model
i, j, head = setup.query - 1, setup.key - 1, setup.head - 1
x = bottom.value("x")
drawn, allowed = draw_stack(setup), masks.MASKS[setup.mask](n)
layers = stack(setup, drawn, x, allowed)
layer = layers[setup.layer - 1]
weights = layer.value("weights")[head]
looks = words.attention(names[i], weights[i].tolist(), names)

show.header("encoder")
show.formula_and_code(
    words.lines(
        r"X^{(0)} = X \qquad X^{(l)} = \mathrm{block}_l\big(X^{(l-1)}\big)",
        rf"{words.sized('x', rf'X^{{({setup.layers})}}', (n, d_model))} \quad l = 1 \dots {setup.layers}",
    ),
    encoder.stack,
    symbols="$X^{(l)}$ is what layer $l$ hands on: a row for each token. $X^{(0)}$ is the embedded sentence, and each layer is a "
    "block with weights of its own.",
)

lecture.question(names, i)

if lecture.shows("stack"):
    show.heading(f"Who looks at whom: {setup.layers} × {h} pictures")
    crowded = setup.layers * h > 12 or n > 12
    board.show(
        {
            "view": "matrices",
            "across": h,
            "chosen": [i, j],
            "main": (setup.layer - 1) * h + head,
            "cell": max(2, (90 if crowded else 150) // n),
            "part": 0.7,
            "alt": f"Weights of {setup.layers} layers with {h} heads each. Layer {setup.layer}, head {setup.head} is chosen; "
            f"there {looks}",
            "matrices": [
                board.matrix(
                    f"{below + 1}·{k + 1}", trace.value("weights")[k], names, names, ("query", "key"), "weights",
                    f"{below + 1}·{k + 1}", scale="sequential", top=1, clickable=True, shares=True, bare=True, hideColumns=True,
                    marks=[[0, n, 0, n]] if (below, k) == (setup.layer - 1, head) else [],
                )
                for below, trace in enumerate(layers)
                for k in range(h)
            ],
        },
        "board_stack",
        state.on_choice(
            "board_stack",
            {f"{below + 1}·{k + 1}": {"layer": below + 1, "head": k + 1} for below in range(setup.layers) for k in range(h)},
            query="row",
            key="column",
        ),
    )  # fmt: skip
    st.caption("Layer · head. Click a picture: it opens below, and its layer, head and pair are followed on every page.")

if lecture.shows("large"):
    show.heading(f"Layer {setup.layer}, head {setup.head}")
    show.plain(looks)
    board.show(
        {
            "view": "matrices",
            "chosen": [i, j],
            "largest": 64,
            "high": 30,
            "part": 0.55,
            "alt": f"Weights of layer {setup.layer}, head {setup.head}. {looks}",
            "matrices": [
                board.matrix(
                    "weights", weights, names, names, ("query", "key"), "weights", f"α, layer {setup.layer}, head {setup.head}",
                    scale="sequential", top=1, clickable=True, sums=board.pack(weights.sum(dim=-1)), marks=[[i, i + 1, 0, n]],
                )
            ],
        },
        "board_stack_large",
        state.on_choice("board_stack_large", query="row", key="column"),
    )  # fmt: skip
    cell = layer["weights"].origin.open(layer, (head, i, j))
    show.share(cell, f"weights[{names[i]}, {names[j]}]", j)
    if setup.layer > 1:
        st.caption(
            f"In layer {setup.layer} a row stands for a word and for what it has taken over from others below: looking at “a word” "
            "here means looking at a mixture."
        )

def shuffle():
    show.heading("Shuffle the words: does the stack notice?")
    order = list(range(n)) if setup.shuffle == 0 else torch.randperm(
        n, generator=torch.Generator().manual_seed(setup.shuffle)
    ).tolist()  # fmt: skip
    kinds = ("none", "sinusoidal", "learned")
    positions = torch.stack([torch.zeros(n, d_model), embedding.sinusoidal(n, d_model), draw_positions(setup, n)])
    embedded = bottom.value("embedded")
    # Five sentences as one batch: the words in the other order with each kind of positions, and in their own with the two kinds
    # that are not in use; with the third, the result is known.
    mine = kinds.index(setup.positions)
    unused = [k for k in range(len(kinds)) if k != mine]
    both = torch.cat([embedded[order] + positions, embedded + positions[unused]])
    other, known = result(setup, drawn, both, allowed.expand(len(both), -1, -1)).split((3, 2))
    typed = torch.empty_like(other)
    typed[mine], typed[unused] = layers[-1].value("out"), known
    back = torch.empty_like(other)
    back[:, order] = other  # each word's result, put back to where it was typed
    apart = (typed - back).abs().amax(dim=-1)
    show.plain("The order now:  " + "  ".join(names[k] for k in order))
    board.show(
        {
            "view": "matrices",
            "layout": "stack",
            "largest": 90,
            "chosen": [mine, i],
            "alt": "How far each word's result moves when the words are shuffled. "
            + "; ".join(f"positions {kind}: at most {row.max():.3g}" for kind, row in zip(kinds, apart, strict=True)),
            "matrices": [
                board.matrix(
                    "moved", apart, [f"positions {kind}" for kind in kinds], names, ("positions", "token"), "result",
                    "largest change of each word's result", scale="plain", marks=[[mine, mine + 1, 0, n]],
                )
            ],
        },
        "board_shuffle",
        state.nothing,
    )  # fmt: skip
    still = apart[0].max().item()
    st.markdown(
    
            "Nothing is shuffled: the order is the one that was typed. Move **Shuffle** in the sidebar."
            if order == list(range(n))
            else f"Without positions, a word's result moves by at most **{still:.1e}**: "
            + (
                "rounding. The words carry their results with them; to the stack, a sentence is a bag of words."
                if still < 1e-3
                else "here the **causal mask** gives the order away, since it decides who is before whom."
            )
            + f" With sinusoidal positions it moves by up to **{apart[1].max():.2g}**, with learned ones by up to "
            f"**{apart[2].max():.2g}**. That is what positions are for."
    
    )


if lecture.shows("shuffle"):
    shuffle()
show.why(
    "Why several layers?",
    "One layer lets each word take something over from the others, by what the words are. The next layer works with the "
    "result: it can look for a word by what that word has just learned about its own neighbours.",
)
show.table(layer, ["weights", "out"], "encoder")
show.check_layer(layer)
show.footer("encoder")
