"""Masks: causal, window and padding masks for a batch of sentences."""

from typing import Any

from core.export import sections
from core.forward.batch import apart_from_alone, combine_masks
from core.forward.trace import Trace
from core.ops import attention, masks
from core.reference import checks
from core.text.text import labels
from core.text.written import count
from core.weights.weights import get_source as source_of
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import masks as claims
from pages.shared.layout import show
from pages.shared.layout.page import Parts
from pages.shared.page_components.masks import dropout, whole_batch
from pages.shared.server import computed, run
from pages.shared.text import elements, words

setup, focus = run.setup(), run.focus()
trace, batch = computed.compute_weights(setup), computed.batch_weighed(setup)
many, longest = batch.is_word.shape
sentence, head = focus.sentence - 1, focus.head - 1
i, j = focus.query - 1, focus.key - 1
names = [labels(tokens) for tokens in batch.tokens]
lengths = [len(tokens) for tokens in setup.sentences]
weights = batch.trace.value("weights")[:, head]

shape = (many, setup.heads, longest, longest)
(open_to_all,) = batch.trace["masked"].inputs  # the mask's input
condition = r"\text{if } i \text{ may look at } j"

page = Parts()
PADDING = "Padding: sentences of one batch"


# In a lecture, larger numbers take the place of row sums.
ROWS = entries.SHARES | {"sums": not lecture.is_on()}
# One sentence is shown from scores to weights: the chosen one. If nothing is masked there, a
# lecture shows the first with a mask, and the page says which that is.
closed = (~batch.may_attend).flatten(1).any(dim=1).tolist()
with_mask = closed.index(True) if any(closed) and not closed[sentence] else sentence
in_full = with_mask if lecture.is_on() else sentence
followed = batch.sentence(in_full)
# Above this many words, rows are numbered instead of labelled.
FINE = 16
# This many small pictures of the other sentences fit on a line.
MAX_FINE = 4


def cells_of(length: int, largest: int = 44, fine: int = 192) -> dict[str, int]:
    """Return the allowed cell sizes for this many words; unreadably small cells share `fine` pixels
    a row, and a lecture uses its screen's height."""
    if length > FINE:
        size = (5, 10) if lecture.is_on() else (min(10, fine // length),) * 2
        return dict(
            zip(("min_width", "max_width", "min_height", "max_height"), size * 2, strict=True)
        )
    width = {"min_width": 9 if length <= 10 else 5, "max_width": largest}
    return (
        width
        if lecture.is_on()
        else width | {"min_height": 12, "max_height": min(30, 300 // length)}
    )


@page.figure("causal")
def draw_causal_mask():
    n, alone = lengths[0], labels(trace.tokens)
    pairs, shares = "query key", ROWS | {"symbol": "α", "role": "weights"}
    study = trace.at({"head": head}, open_to_all)
    study = study.also("before", pairs, attention.softmax, open_to_all)
    study = study.also("mask", pairs, masks.causal, tokens=n)
    study = study.also("causally_masked", pairs, attention.mask, open_to_all, "mask")
    study = study.also("after", pairs, attention.softmax, "causally_masked")
    before, after = study.value("before"), study.value("after")
    board.matrices(
        entries.matrix(study, "before", title="α, without a mask", clickable=True, **shares),
        entries.matrix(
            study,
            "mask",
            title="may look",
            role="x",
            scale="plain",
            top=1,
            whole=True,
            clickable=True,
        ),
        entries.matrix(study, "after", title="α, with it", clickable=True, **shares),
        key="board_causal",
        across=3,
        linked="values",
        chosen=(i, j),
        chooses=board.choice(query="row", key="column"),
        **cells_of(n, 44),
        of_screen=0.66,
        max_zoom=1.4,
        alt=(
            "The first sentence's weights without a mask, the causal mask, and the weights with"
            f" it, {n} by {n}. With it, "
        )
        + words.attention(alone[i], after[i].tolist(), alone),
    )
    show.plain(claims.causal(before, alone, i))


@page.closer("formula")
def draw_formula():
    omega, taken = (sections.latex(batch.trace[name]) for name in ("masked", open_to_all))
    show.formula_and_code(
        words.lines(
            rf"{words.write_with_shape('scores', omega, shape)}"
            rf"= \begin{{cases}} {taken}_{{shij}} & {condition} \\ -\infty & \text{{otherwise}}"
            r" \end{cases}",
            rf"{words.write_with_shape('weights', 'α', shape)} ="
            rf" \mathrm{{softmax}}_{{\text{{row}}}}({omega})",
        ),
        masks.make_padding_mask,
        *([source_of(setup).mask().func] if setup.mask != "none" else []),
        attention.mask,
        batch.trace["weights"].call.function,
        symbols=(
            f"{batch.trace[open_to_all].symbol} are the {open_to_all} scores, ω″ the masked ones."
            " s counts the sentences, h the heads. Adding 0 or −∞ to the scores does"
            " the same. The softmax makes 0 of −∞; a score of 0 would get a share, since e⁰ = 1."
        )
        + (
            f" Under the window $i$ may look at $j$ where $|i − j| ≤ {setup.window}$."
            if setup.has_window
            else ""
        ),
    )


@page.closer("full", in_lecture=False)
def draw_chosen_cell():
    """Write out one weight from its masked score."""
    cell, masked = (
        followed[name].origin.open(followed, (head, i, j)) for name in ("weights", "masked")
    )
    show.plain(f"In sentence {in_full + 1}, head {focus.head}, {masked.rule}.")
    show.share(cell, words.cell("weights", names[in_full][i], names[in_full][j]), j)


@page.closer("padding", "allowed", "masked", "weights", title=PADDING)
def draw_before_and_after():
    beat = lecture.current_beat()
    in_lecture = {
        "allowed": ("allowed",),
        "masked": (open_to_all, "masked"),
        "weights": ("weights",),
    }
    stages = in_lecture.get(beat or "", (open_to_all, "mask", "weights"))
    of = range(many) if beat in ("allowed", "weights") else [in_full]
    shown = {f"{name} {k + 1}": one_stage(name, k) for k in of for name in stages}
    seen = sentence if beat in ("allowed", "weights") else in_full
    board.matrices(
        *shown.values(),
        key="board_masks",
        across=2 if beat == "masked" else 3,
        linked="values",
        main=list(shown).index(f"{stages[-1]} {seen + 1}"),
        chosen=(i, j),
        chooses=choice_of_pair(shown),
        **cells_of(longest, fine=288),
        of_screen=0.6,
        alt=(
            f"{open_to_all.capitalize()} scores, {'masked scores' if beat else 'mask'} and weights"
            f" of head {focus.head}, {longest} by {longest}, {count(many, 'sentence')}. In sentence"
            f" {seen + 1}, {words.isolate(names[seen][i])} may look at"
            f" {attention.row_sums(batch.may_attend)[seen, i].item()} of"
            f" {count(longest, 'place')}. "
        )
        + words.attention(names[seen][i], weights[seen, i].tolist(), names[seen]),
    )
    if in_full != with_mask:
        elements.caption(claims.point_to_another_sentence(sentence, with_mask))


def one_stage(name: str, k: int) -> board.Matrix:
    """Return one sentence's (from 0) scores, mask, masked scores or weights, coloured as on
    Weights."""
    if name in ("allowed", "mask"):
        study = batch.trace.also(
            "may_attend", "query key", combine_masks, setup=setup, is_word=batch.is_word
        )
        look = {"role": "x", "scale": "plain", "top": 1, "whole": True, "symbol": "mask"}
        if name == "mask":
            study = study.also("may_attend", "query key", masks.summand, "may_attend")
            look["symbol"] = "added"
        return select_sentence(
            study,
            "may_attend",
            k,
            f"{look['symbol']}, sentence {k + 1}",
            called=f"{name} {k + 1}",
            **look,
        )
    top = checks.largest(
        batch.trace.value("scores")[k, head][batch.is_word[k]][:, batch.is_word[k]]
    )
    look = ROWS if name == "weights" else {"top": max(top, 1e-12)}
    title = entries.TITLES[name]
    return select_sentence(
        batch.trace,
        name,
        k,
        f"{title}, sentence {k + 1}",
        called=f"{name} {k + 1}",
        symbol=title,
        **look,
    )


def select_sentence(of_all: Trace, name: str, k: int, title: str, **look: Any) -> board.Matrix:
    """Return an entry of one sentence (from 0); the chosen one of several is framed."""
    frame = (0, longest, 0, longest) if lecture.is_on() and k == sentence and many > 1 else None
    return entries.matrix(
        of_all,
        name,
        head,
        title,
        at={"sentence": k},
        row_labels=names[k],
        column_labels=names[k],
        clickable=True,
        frame=frame,
        family=k + 1,
        **look,
    )


def choice_of_pair(called):
    """Return what a click sets: sentence and pair, capped at the first sentence's length, which
    other pages show."""
    sentences = {name: {"sentence": int(name.split()[1])} for name in called}
    return board.choice(
        sentences, {"query": lengths[0], "key": lengths[0]}, query="row", key="column"
    )


@page.closer("padding", "allowed", "masked")
def explain_what_is_closed():
    empty = claims.empty_rows(batch.may_attend)
    elements.markdown(claims.describe_padding(setup) + (f"\n\n{empty}" if empty else ""))


@page.closer("padding", "weights")
def explain_what_padding_gets():
    elements.markdown(describe_padding_share())


def describe_padding_share() -> str:
    """Describe the weight on padding, and whether the first sentence's weights change in the
    batch."""
    return (
        claims.leak(weights, batch.is_word)
        + " :material/check: The weights of the first sentence alone and in the batch "
        + show.difference(apart_from_alone(batch, trace), checks.largest(trace.value("weights")))
        + "."
    )


@page.closer("padding", in_lecture=False)
def draw_other_sentences():
    """Show the other sentences' weights; a click selects a pair there."""
    if many == 1:
        return
    show.heading("The other sentences’ weights")
    shown = {f"weights {k + 1}": one_stage("weights", k) for k in range(many) if k != in_full}
    board.matrices(
        *shown.values(),
        key="board_others",
        across=min(len(shown), MAX_FINE),
        linked="values",
        chosen=(i, j),
        chooses=choice_of_pair(shown),
        **cells_of(longest, 30, 160),
        alt=f"The weights of head {focus.head} in {count(len(shown), 'further sentence')}.",
    )


@page.closer("padding", "batch")
def draw_batch():
    show.heading("The batch: ids, short sentences filled up")
    with show.beside("batch"):
        draw_ids()
        with elements.container(key="batch_words"):
            draw_padded_sentences()


def draw_ids():
    """Draw the batch's ids, one row for each sentence."""
    last_id = len(batch.words) - 1
    board.matrices(
        # Words differ by row, so columns are only numbered.
        entries.matrix(
            batch.trace,
            "ids",
            column_labels=board.number_labels(longest),
            whole=True,
            clickable=True,
            scale="plain",
            top=max(3 * batch.trace.value("ids").max().item(), 1),
        ),
        key="board_batch",
        stacked=True,
        chosen=(sentence, i),
        chooses=board.choice(sentence="row"),
        max_width=60,
        of_screen=0.5,
        alt=(
            f"Ids of {count(many, 'sentence')}, {count(longest, 'place')} each; padding has id"
            f" {last_id}."
        ),
    )


def draw_padded_sentences():
    """Show the padded sentences and the padding id."""
    show.plain(
        "\n".join(
            f"{k}:  {words.write_padded(tokens)}" for k, tokens in enumerate(batch.tokens, start=1)
        )
    )
    elements.markdown(
        f"{claims.batch(lengths)} To the computer padding is a word like any other, "
        + f"id {len(batch.words) - 1}."
    )


@page.closer("dropout", "dropout", title="Dropout: what training strikes out")
def explain_what_training_strikes_out():
    dropout.draw(setup, focus.sentence, focus)


@page.closer("tables", in_lecture=False)
def every_tensor_of_the_batch():
    whole_batch.tables(setup)


@page.closer("check", in_lecture=False)
def draw_batch_against_pytorch():
    show.check_batch(setup)


@page.part()
def draw_questions():
    if not lecture.is_on():  # in a lecture, the class answers these
        show.why("Why a causal mask?", claims.WHY_CAUSAL)
        show.why(
            "What does True mean in a mask?",
            "May attend; the open places of a row share all of its attention. PyTorch's own masks"
            " are often the other way round.",
        )
    show.why("What is dropout for?", claims.WHY_DROPOUT, "dropout")
    show.why(
        "Why batch at all?",
        "Hardware multiplies large matrices best. Ten sentences one by one are ten small products a"
        " step; as a batch they are one. A tensor must be rectangular, so short sentences are"
        " filled up, and the mask makes sure that nobody can tell.",
    )


page.draw()
