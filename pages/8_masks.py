"""Several sentences as one batch: padding, masks, dropout."""

import pyarrow as pa
import streamlit as st

from core import attention, batch, masks
from core.text import labels
from pages.shared import board, lecture, show, state, words

trace = state.trace()
setup = trace.setup
made = batch.run(setup)
count, longest = made.real.shape
place, head = setup.sentence - 1, setup.head - 1
names = [labels(tokens) for tokens in made.tokens]
i, j = setup.query - 1, setup.key - 1
weights = made.trace.value("weights")
own = made.sentence(place)
lengths = [len(tokens) for tokens in setup.sentences]

show.header("masks")
shape = (count, setup.heads, longest, longest)
omega = "ω''"
condition = r"\text{if } i \text{ may look at } j"
show.formula_and_code(
    words.lines(
        rf"{words.sized('result', omega, shape)}"
        rf"= \begin{{cases}} ω'_{{shij}} & {condition} \\ -\infty & \text{{otherwise}} \end{{cases}}",
        rf"{words.sized('weights', 'α', shape)} = \mathrm{{softmax}}_{{\text{{row}}}}(ω'')",
    ),
    masks.padding,
    *([masks.causal] if setup.mask == "causal" else []),
    attention.mask,
    attention.softmax,
    symbols="ω′ are the scaled scores and ω″ the masked ones, as before, with one more axis in front: s counts the sentences, h "
    "the heads, i the queries, j the keys. −∞ is what the softmax turns into 0.",
)
if not lecture.on():
    st.markdown(
        f"One row a sentence, {count} in all, each as long as the longest: {longest} places, sentences of "
        f"{', '.join(map(str, lengths))} words. Nothing in the step functions changed: the batch is one more axis in front, "
        "(sentence s, head h, query i, key j)."
    )


def of_each(name, values, role, title, scale="sequential", **more):
    """A picture for each sentence, the chosen one marked."""
    return [
        board.matrix(
            f"{name} {k + 1}", values[k], names[k], names[k], ("query", "key"), role, f"{title}, sentence {k + 1}",
            scale=scale, top=1, clickable=True, marks=[[0, longest, 0, longest]] if k == place and count > 1 else [], **more,
        )
        for k in range(count)
    ]  # fmt: skip


def chosen(key, name):
    """A click chooses the sentence and the pair. Query and key are places of the first sentence on the other pages: beyond
    its end there is nothing to follow."""
    sentences = {f"{name} {k + 1}": {"sentence": k + 1} for k in range(count)}
    return state.on_choice(key, sentences, {"query": lengths[0], "key": lengths[0]}, query="row", key="column")


lecture.question(names[0], i)

if lecture.shows("batch"):
    show.heading("The batch: ids, short sentences filled up")
    ids = made.trace.value("ids").float()
    board.show(
        {
            "view": "matrices",
            "layout": "stack",
            "largest": 60,
            "chosen": [place, i],
            "alt": f"Ids of {count} sentences, {longest} places each; padding has id {len(made.words) - 1}.",
            "matrices": [
                board.matrix(
                    "ids", ids, [f"sentence {k + 1}" for k in range(count)], board.numbered(longest), ("sentence", "token"), "x",
                    "ids", whole=True, clickable=True, scale="plain", top=max(3 * ids.max().item(), 1),
                )
            ],
        },
        "board_batch",
        state.on_choice("board_batch", sentence="row"),
    )  # fmt: skip
    show.plain("\n".join(f"{k + 1}:  " + "  ".join(tokens) for k, tokens in enumerate(made.tokens)))
    st.caption(
        f"Padding is a word like any other to the computer: id {len(made.words) - 1}, a row of the table, scores with everything. "
        "Only a mask keeps it out."
    )

if lecture.shows("allowed"):
    show.heading("Who may look at whom")
    board.show(
        {
            "view": "matrices",
            "across": 3 if longest <= 8 else 2,
            "chosen": [i, j],
            "main": place,
            "largest": 34,
            "part": 0.6,
            "alt": "The mask of each sentence: 1 where the query may look at the key, 0 where not. In sentence "
            f"{place + 1}, {names[place][i]} may look at {int(made.allowed[place, i].sum())} of {longest} places.",
            "matrices": of_each("allowed", made.allowed.float(), "x", "mask", "plain", whole=True),
        },
        "board_allowed",
        chosen("board_allowed", "allowed"),
    )
    RULES = {
        "right": "Padding stands at the end, and its columns are closed: no word looks at it. Its own rows are computed too, but "
    "nobody reads them.",
        "left": "Padding stands at the beginning, as models that write text need it, and its columns are closed.",
        "unmasked": "Padding stands at the end and nothing hides it: every column is open.",
    }
    causal = " The causal mask closes everything to the right of the diagonal." if setup.mask == "causal" else ""
    st.markdown(
        RULES[setup.padding] + causal + " 1 = True = may attend. PyTorch's own masks are often the other way round."
    )
    empty = ~made.allowed.any(dim=-1)
    if empty.any():
        st.markdown(
            f"**{int(empty.sum())} rows may look nowhere** (padding before a sentence's first word, under a causal mask). The "
            "softmax of nothing would be 0 / 0; here such a row is defined as zeros, and nothing flows into it. PyTorch's "
            "`nn.MultiheadAttention` gives NaN there."
        )

if lecture.shows("weights"):
    show.heading(f"The weights of every sentence, head {setup.head}")
    board.show(
        {
            "view": "matrices",
            "across": 3 if longest <= 8 else 2,
            "chosen": [i, j],
            "main": place,
            "largest": 44,
            "part": 0.6,
            "alt": f"Weights of head {setup.head} for {count} sentences, each {longest} by {longest}. In sentence {place + 1} "
            + words.attention(names[place][i], weights[place, head, i].tolist(), names[place]),
            "matrices": [
                picture | {"sums": board.pack(weights[k, head].sum(dim=-1))}
                for k, picture in enumerate(of_each("weights", weights[:, head], "weights", "α"))
            ],
        },
        "board_batch_weights",
        chosen("board_batch_weights", "weights"),
    )
    to_padding = weights[:, head].masked_fill(made.real[:, None, :], 0).sum(dim=-1)[made.real]
    first = made.trace.value("weights")[0][:, made.real[0]][..., made.real[0]]
    apart = (first - trace.value("weights")).abs().max().item()
    longest_first = lengths[0] == longest
    st.markdown(
        (
            "**No word gives anything to padding.** "
            if not to_padding.any()
            else f"**Words give up to {to_padding.max():.0%} of their attention to padding**, and the longer the longest sentence, "
            "the more: a sentence's numbers now depend on its neighbours in the batch. "
        )
        + f":material/check: Checked just now: the weights of the first sentence by itself and in the batch {show.difference(apart)}"
        + (", but it is the longest and has no padding." if longest_first and setup.padding == "unmasked" else ".")
    )

if not lecture.on():
    show.heading("The chosen cell in full")
    name = f"weights[{names[place][i]}, {names[place][j]}]"
    show.plain(f"Sentence {place + 1}, head {setup.head}:")
    cell = own["weights"].origin.open(own, (head, i, j))
    show.share(cell, name, j)
    reading = own["masked"].origin.open(own, (head, i, j))
    show.plain(f"Before the softmax, at this place: {reading.rule}.")

if lecture.shows("dropout"):
    show.heading("Dropout: what training does to the rows")
    if setup.dropout == 0:
        st.markdown(
            "Off. While a model is trained, a share of the weights is struck out at random and the rest is enlarged to make up for "
            "it, so that no word relies on a single other. Move **Dropout** in the sidebar to see what that does to the row sums."
        )
    else:
        kept, dropped = own.value("weights")[head], own.value("dropped")[head]
        board.show(
            {
                "view": "matrices",
                "across": 2,
                "linked": True,
                "chosen": [i, j],
                "main": 1,
                "largest": 52,
                "part": 0.5,
                "alt": f"Weights of sentence {place + 1} without and with dropout. Row sums with dropout lie between "
                f"{dropped.sum(dim=-1).min():.2f} and {dropped.sum(dim=-1).max():.2f}.",
                "matrices": [
                    board.matrix(
                        what, values, names[place], names[place], ("query", "key"), "weights", title,
                        scale="sequential", top=1, sums=board.pack(values.sum(dim=-1)),
                    )
                    for what, title, values in (("weights", "α, as used", kept), ("dropped", "α, while training", dropped))
                ],
            },
            "board_dropout",
            state.nothing,
        )  # fmt: skip
        struck = (dropped == 0) & (kept > 0)
        st.markdown(
            f"{int(struck.sum())} of {int((kept > 0).sum())} weights are struck out, the others divided by 1 − {setup.dropout:g}. A "
            "row no longer sums to 1; it does so on average over many draws. That is why weights are shown with training switched "
            "off. The pages after this one run without dropout."
        )
        if not lecture.on():
            st.code(show.source(attention.dropout), language="python", wrap_lines=True)

show.why(
    "Why batch at all?",
    "Hardware multiplies large matrices best. Ten sentences one by one are ten small products a step; as a batch they are one. "
    "A tensor must be rectangular, so short sentences are filled up, and the mask makes sure that nobody can tell.",
)

if not lecture.on():
    folded = show.folded_tables("masks")
    if folded.open:
        with folded:
            entries = [entry for entry in made.trace.values() if entry.dims[0] == "sentence"]
            st.dataframe(
                pa.table(
                    {
                        "name": [entry.name for entry in entries],
                        "axes": [", ".join(entry.dims) for entry in entries],
                        "shape": [words.times(entry.value.shape) for entry in entries],
                    }
                ),
                hide_index=True,
                alt="Every tensor of the batch with its axes and shape.",
            )
    show.check_batch(made)

show.footer("masks")
