"""Several sentences as one batch: padding, masks, dropout."""

import pyarrow as pa
import streamlit as st

from core import attention, masks
from core.batch import apart_from_alone
from core.text import labels
from pages.shared import board, claims, computed, elements, entries, exercises, lecture, show, state, words
from pages.shared.page import Page

trace, focus = state.trace(), state.focus()
setup = trace.setup
batch = computed.batched(setup)
count, longest = batch.is_word.shape
place, head = focus.sentence - 1, focus.head - 1
i, j = focus.query - 1, focus.key - 1
names = [labels(tokens) for tokens in batch.tokens]
lengths = [len(tokens) for tokens in setup.sentences]
weights = batch.trace.value("weights")[:, head]
own = batch.sentence(place)
say = claims.in_tokens(setup)

show.header("masks", claims.headline("masks", setup))
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
    batch.trace["weights"].call.function,
    symbols="ω′ are the scaled scores and ω″ the masked ones, as before, with one more axis in front: s counts the sentences, h "
    "the heads, i the queries, j the keys. −∞ is what the softmax turns into 0.",
)
lecture.question(names[0], i)

page = Page()


@page.part(in_lecture=False)
def the_new_axis():
    elements.markdown(
        say(claims.batch(lengths)) + " Nothing in the step functions changed: the batch is one more axis in front, "
        "(sentence s, head h, query i, key j)."
    )


@page.part("batch")
def the_ids():
    show.heading("The batch: ids, short sentences filled up")
    last_id = len(batch.words) - 1
    board.matrices(
        # In each place stand other words, so that a column is only numbered.
        entries.matrix(
            batch.trace, "ids", column_labels=board.numbered(longest), whole=True, clickable=True, scale="plain",
            top=max(3 * batch.trace.value("ids").max().item(), 1),
        ),
        key="board_batch",
        stacked=True,
        chosen=(place, i),
        chooses=board.choice(sentence="row"),
        max_width=60,
        alt=f"Ids of {claims.count(count, 'sentence')}, {claims.count(longest, 'place')} each; padding has id {last_id}.",
    )  # fmt: skip


@page.part("batch")
def the_sentences_filled_up():
    show.plain("\n".join(f"{k + 1}:  " + "  ".join(map(words.isolated, tokens)) for k, tokens in enumerate(batch.tokens)))
    elements.caption(
        say("Padding is a word like any other to the computer: ")
        + f"id {len(batch.words) - 1}, a row of the table, scores with everything. Only a mask keeps it out."
        + (" Here all sentences are equally long and there is none." if batch.is_word.all() else "")
    )


def frame(k: int) -> tuple[int, int, int, int] | None:
    """The chosen sentence's matrix is framed, where there are others."""
    return (0, longest, 0, longest) if k == place and count > 1 else None


def choice_of_pair(name):
    """A click chooses the sentence and the pair. Query and key are places of the first sentence on the other pages: beyond
    its end there is nothing to follow."""
    sentences = {f"{name} {k + 1}": {"sentence": k + 1} for k in range(count)}
    return board.choice(sentences, {"query": lengths[0], "key": lengths[0]}, query="row", key="column")


@page.part("allowed")
def the_masks():
    show.heading("Who may look at whom")
    board.matrices(
        *map(the_mask, range(count)),
        key="board_allowed",
        across=3 if longest <= 8 else 2,
        main=place,
        chosen=(i, j),
        chooses=choice_of_pair("allowed"),
        max_width=34,
        part=0.6,
        alt="The mask of each sentence: 1 where the query may look at the key, 0 where not. In sentence "
        f"{place + 1}, {words.isolated(names[place][i])} may look at {attention.row_sums(batch.may_attend)[place, i].item()} of "
        f"{claims.count(longest, 'place')}.",
    )
    elements.markdown(
        say(claims.padding(setup, batch.is_word)) + " 1 = True = may attend. PyTorch's own masks are often the other way round."
    )
    if empty := claims.empty_rows(batch.may_attend):
        elements.markdown(say(empty))


def the_mask(k: int) -> board.Matrix:
    """Who may look at whom in one sentence (from 0)."""
    return board.Matrix(
        f"allowed {k + 1}", batch.may_attend[k], names[k], names[k], ("query", "key"), "x", f"mask, sentence {k + 1}",
        scale="plain", top=1, whole=True, clickable=True, frame=frame(k),
    )  # fmt: skip


@page.part("weights")
def the_weights():
    show.heading(f"The weights of every sentence, head {focus.head}")
    board.matrices(
        *map(weights_of, range(count)),
        key="board_batch_weights",
        across=3 if longest <= 8 else 2,
        main=place,
        chosen=(i, j),
        chooses=choice_of_pair("weights"),
        max_width=44,
        part=0.6,
        alt=f"Weights of head {focus.head} for {claims.count(count, 'sentence')}, {longest} by {longest}. In sentence {place + 1} "
        + words.attention(names[place][i], weights[place, i].tolist(), names[place]),
    )


def weights_of(k: int) -> board.Matrix:
    """Who looks at whom in one sentence (from 0)."""
    title, called = f"α, sentence {k + 1}", f"weights {k + 1}"
    one = batch.sentence(k)
    return entries.matrix(one, "weights", head, title, called=called, sums=True, clickable=True, frame=frame(k))


@page.part("weights")
def what_padding_gets():
    is_longest = lengths[0] == longest
    elements.markdown(
        say(claims.leak(weights, batch.is_word))
        + " :material/check: Checked just now: the weights of the first sentence by itself and in the batch "
        + show.difference(apart_from_alone(batch, trace))
        + (", but it is the longest and has no padding." if is_longest and setup.padding == "unmasked" else ".")
    )


@page.part(in_lecture=False)
def the_chosen_cell():
    show.heading("The chosen cell in full")
    show.plain(f"Sentence {place + 1}, head {focus.head}:")
    cell = own["weights"].origin.open(own, (head, i, j))
    show.share(cell, words.cell("weights", names[place][i], names[place][j]), j)
    masked = own["masked"].origin.open(own, (head, i, j))
    show.plain(f"Before the softmax, at this place: {masked.rule}.")


@page.part("dropout")
def dropout():
    show.heading("Dropout: what training does to the rows")
    if setup.dropout == 0:
        elements.markdown(
            "Off. While a model is trained, a share of the weights is struck out at random and the rest is enlarged to make up for "
            + say("it, so that no word relies on a single other. ")
            + "Move **Dropout** in the sidebar to see what that does to the row sums."
        )
    else:
        with_and_without_dropout(own.value("weights")[head], own.value("dropped")[head])


def with_and_without_dropout(weights_used, dropped):
    """The chosen sentence's weights (query, key) as they are used, and while training."""
    sums = attention.row_sums(dropped)
    board.matrices(
        entries.matrix(own, "weights", head, "α, as used", sums=True),
        entries.matrix(own, "dropped", head, "α, while training", sums=True),
        key="board_dropout",
        across=2,
        linked=True,
        main=1,
        chosen=(i, j),
        max_width=52,
        part=0.5,
        alt=f"Weights of sentence {place + 1} without and with dropout. Row sums with dropout lie between "
        f"{sums.min():.2f} and {sums.max():.2f}.",
    )
    elements.markdown(claims.dropout(weights_used, dropped, setup.dropout))


@page.part(in_lecture=False)
def the_code_of_dropout():
    if setup.dropout > 0:
        elements.code(show.source(attention.dropout), language="python", wrap_lines=True)


def the_tables():
    """What the batch holds, by name, once it is unfolded."""
    place_for_tables = show.folded_tables("masks")
    if place_for_tables:
        of_all = [entry for entry in batch.trace.values() if entry.dims[0] == "sentence"]
        columns = {
            "name": [entry.name for entry in of_all],
            "axes": [", ".join(entry.dims) for entry in of_all],
            "shape": [words.times(entry.value.shape) for entry in of_all],
        }
        with place_for_tables:
            st.dataframe(pa.table(columns), hide_index=True, alt="Every tensor of the batch with its axes and shape.")


page.draw()
show.why(
    "Why batch at all?",
    "Hardware multiplies large matrices best. Ten sentences one by one are ten small products a step; as a batch they are one. "
    "A tensor must be rectangular, so short sentences are filled up, and the mask makes sure that nobody can tell.",
)
exercises.show("masks")
if not lecture.on():
    the_tables()
    show.check_batch(setup)
show.footer("masks")
