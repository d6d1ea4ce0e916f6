"""Training: how weights come to mean something, on a small language."""

from dataclasses import replace

from core import adam, film, gradient, language, lessons, training, training_store, weights
from core.cell import Cell, Ref, Term
from core.presets import EXAMPLE, whose_training
from core.text import labels
from core.written import count
from pages.shared import board
from pages.shared.board import entries
from pages.shared.frame import lecture, show
from pages.shared.frame.page import Drawn, Parts
from pages.shared.parts.masks import dropout
from pages.shared.parts.training import of_words, studies
from pages.shared.said import elements, roles, words
from pages.shared.said.claims import common
from pages.shared.said.claims import training as claims
from pages.shared.server import computed, run

given, focus = run.setup(), run.focus()
if given.learns_words:
    of_words.draw(given, focus)
    raise Drawn
is_readers, setup = given.init == "trained", whose_training(given)
result = training_store.get(setup, "attention")
trace = computed.traced(setup)
names = labels(trace.tokens)
n, heads = len(names), setup.heads
# In the preset's sentence, which is not the reader's, the last word is followed and the one that it
# gives most.
most = int(trace.value("weights")[0, -1].argmax())
i, j, head = (focus.query - 1, focus.key - 1, focus.head - 1) if is_readers else (n - 1, most, 0)
seen = replace(focus, query=i + 1, key=j + 1, head=head + 1)  # the pair that is followed here
learned, unseen = lessons.learned_and_unseen(setup.seed)
after = [moment.step for moment in result.moments]
say = common.in_tokens(setup)

lecture.question(names, i)

# What every setup has, what only one has whose step was opened, what stands in its place, and what
# comes after.
page, with_w_q, without_w_q, rest = Parts(), Parts(), Parts(), Parts()


@page.part("film")
def the_film():
    moments = computed.filmed(setup)
    shown = range(heads) if heads * n <= 40 else range(head, head + 1)
    said = claims.film(moments[:, head], after, names, i)
    board.film(
        *(looks(moments[-1], k, f"after {count(after[-1], 'step')}") for k in shown),
        before=[looks(moments[0], k, "before the first step") for k in shown],
        moments=moments[:, shown.start : shown.stop],
        steps=after,
        says=studies.moments_in_words(setup),
        found=claims.found(setup, moments[:, head], after, i),
        key="board_film",
        chosen=(i, j),
        chooses=board.choice(
            {f"head {k + 1}": {"head": k + 1} for k in shown}, query="row", key="column"
        ),
        main=head - shown.start,
        of_screen=0.78,
        alt=(
            f"{count(len(after), 'moment')} of training, with the weights at each."
            f" Head {head + 1}: {said}"
        ),
    )
    if not lecture.on():
        ends = words.attention(names[i], moments[-1, head, i].tolist(), names)
        show.plain(
            f"Head {head + 1}. {claims.looks_right(setup, moments[:, head], after, i) or ends}"
        )


def looks(weights_then, k: int, when: str) -> board.Matrix:
    """Return one head's weights (from 0) at one moment, known by the head."""
    return board.Matrix(
        f"head {k + 1}",
        weights_then[k],
        names,
        names,
        ("query", "key"),
        "weights",
        f"α, head {k + 1}, {when}",
        **entries.SHARES,
        clickable=is_readers,
        symbol="α",
        made=words.made(film.film, "setup", "result"),
    )


@page.figure(in_lecture=False)
def whose_weights_these_are():
    if len(result.losses) < result.wanted:
        elements.markdown(f":material/info: {claims.steps(result)}")
    if given.real:
        elements.markdown(
            ":material/info: A model that was read brings no training with it: this is that of the"
            " preset **Trained**."
        )
    elif not is_readers:
        elements.markdown(
            ":material/info: Your weights are drawn, not trained: this is the training of the"
            " preset **Trained**. [Train your own"
            f" sizes]({studies.link(replace(given, init='trained'))})."
        )
    elif given.edits:
        elements.markdown(
            ":material/info: Here the weights stand as training leaves them, without your edits."
        )
    studies.other_trainings(given)


@page.part("loss")
def the_losses():
    show.heading("How it went")
    elements.markdown(
        f"{claims.steps(result)} {claims.loss(result.losses)}"
        f" {claims.answers(setup, computed.answered(setup))}"
    )
    first, last = words.number(result.losses[0]), words.number(result.losses[-1])
    asked = min(training.MOST_ASKED, result.asked)
    said = claims.moment(after[-1], result.losses[-1], result.moments[-1].accuracy, asked)
    studies.curves(
        result,
        studies.right_answers(result),
        (f"The loss goes from {first} to {last}.", said),
        f"right, of {asked} asked",
    )


@page.part()
def the_formula():
    show.formula_and_code(
        words.lines(
            rf"L = -\frac{{1}}{{{training.BATCH}}} \sum_{{s=1}}^{{{training.BATCH}}} "
            r"\big( \log p_s^{\text{adjective}} + \log p_s^{\text{verb}} \big)",
            *studies.ADAM,
        ),
        training.take_step,
        adam.adam_step,
        symbols=(
            f"$L$, the loss, is small where the right words got large shares $p$. {studies.OF_ADAM}"
        ),
    )


@page.part("task")
def the_task():
    show.heading("What is to be learned")
    chosen = [
        "the cat drank the milk because it was thirsty",
        "the cat drank the milk because it was fresh",
        "the milk warmed the cat because it was tired",
        "the cat warmed the milk because it was sour",
    ]
    rows = {sentence: language.row_of(sentence) for sentence in chosen}
    examples = [language.EXAMPLES[row] for row in rows.values()]
    seen = set(rows.values()) & set(learned.tolist())
    columns = {
        "sentence": chosen,
        "adjective: what was it?": [example.noun for example in examples],
        "verb: who does it?": [example.subject for example in examples],
        "seen in training": [
            "possibly" if rows[sentence] in seen else "never" for sentence in chosen
        ],
    }
    with show.beside("wide_task"):
        with elements.container(key="task"):
            elements.plain_table(columns)
        elements.markdown(
            f"A small language has {len(language.EXAMPLES):,} such sentences: training may see"
            f" {len(learned):,}, the other {len(unseen):,} are only asked."
            + (f" {claims.sentence(setup)}" if is_readers else "")
        )


@page.before_exercises(in_lecture=False)
def words_that_it_never_saw():
    if never := claims.unseen_words(weights.unseen(setup)):
        show.plain(say(never))
        elements.markdown(
            "[Watch a sentence of the"
            f" language]({studies.link(replace(setup, text=EXAMPLE.text, split='words'))})."
        )


opens = setup.projections == "learned" and result.opened is not None
if opens:
    opened, row, column = (
        result.opened,
        min(focus.row, setup.d_model) - 1,
        focus.column_of(setup.d_k),
    )
    slopes, autograd = computed.gradient_of(setup)
    slope = slopes.value[head, row, column].item()
    moved = computed.step_of_queries(setup)
    moves = moved.after[head] - moved.before[head]
    change = moves[row, column].item()
    weight = f"W_q[{row + 1}, {column + 1}]"


@with_w_q.part("gradient")
def every_weights_gradient():
    show.heading(f"One weight, one step: step {training.OPENED}, head {head + 1}", "full")
    elements.markdown(
        "How much the loss grows if a weight of W_q does, and how far this step moves it, both"
        " **times 1000**. Click one."
        + (f" {claims.directions(slopes.value[head], moves)}" if lecture.on() else "")
    )
    edges = (board.numbered(setup.d_model), board.numbered(setup.d_k), ("d_model", "d_k"))
    look = {"wide": True, "clickable": True}
    gradients, changes = ((1000 * of).float() for of in (slopes.value[head], moves))
    slope_made, step_made = (
        words.made(gradient.of_queries, "setup", "weights", "examples"),
        words.made(adam.adam_step),
    )
    w_q = opened.weights["w_q"][head].float()
    before = (
        []
        if lecture.on()
        else [board.Matrix("W_q", w_q, *edges, "q", made=words.made(training.take_step), **look)]
    )
    board.matrices(
        *before,
        board.Matrix("1000 · ∂L/∂W_q", gradients, *edges, roles.NONE, made=slope_made, **look),
        board.Matrix(
            "1000 · change", changes, *edges, roles.NONE, arrows=True, made=step_made, **look
        ),
        key="board_gradient",
        across=3,
        linked="values",
        main=len(before),
        chosen=(row, column),
        chooses=board.choice(row="row", column="column"),
        max_height=15,
        of_screen=0.6,
        alt=(
            f"W_q of head {head + 1} before step {training.OPENED}, {setup.d_model} by {setup.d_k},"
            f" its gradient and its change by this step, both times 1000. At row {row + 1}, column"
            f" {column + 1} the gradient is {words.number(1000 * slope)} and the change"
            f" {words.number(1000 * change)}."
        ),
    )


@with_w_q.part(in_lecture=False)
def the_step_and_what_came_of_it():
    show.why(
        "Does every weight move against its gradient?", claims.directions(slopes.value[head], moves)
    )
    with show.beside("adam"):
        with elements.container(key="adam"):
            adams_step()
        with elements.container(key="after_adam"):
            if folded := elements.fold("Where does its gradient come from?", "gradient_words"):
                with folded:
                    elements.markdown(claims.word_by_word())
                    the_terms_of_a_gradient()
            what_each_head_came_to_do()


@with_w_q.part("word", in_lecture=True)
def the_terms_of_a_gradient():
    """Write the opened weight's gradient out as a sum over words."""
    parts = slopes.parts(head, row, column)
    terms = [
        Term(
            (Ref("x", (row,), part.x), Ref("∂L/∂q", (column,), 1000 * part.above)),
            1000 * part.product,
        )
        for part in parts
    ]
    cell = Cell(tuple(terms), 1000 * slope, "in thousandths, the sum over words of x · ∂L/∂q")
    show.cell_sum(cell, f"∂L/∂{weight}", "word", [part.word for part in parts], "terms_gradient")


@with_w_q.part("adam", in_lecture=True)
def adams_step():
    """Write the opened weight's step out, line by line."""
    step = adam.AdamStep(*(of_all[head, row, column].item() for of_all in vars(moved).values()))
    was, becomes = words.number(step.before), words.number(step.after)
    whose = (
        f" of head {head + 1}, step {opened.step}" if lecture.on() else ""
    )  # which the heading above says
    show.plain(f"Adam's step for {weight}{whose}: {was} becomes {becomes}.")
    means = (of_all["w_q"][head, row, column].item() for of_all in (opened.first, opened.second))
    elements.plain_table(studies.adams_rule(step, *means, opened.step))
    show.plain(claims.plain_step(step, adam.RATE))


@without_w_q.part("gradient", "word", "adam")
def no_step_to_open():
    show.heading("One weight, one step", "full")
    elements.markdown(
        claims.no_queries() if setup.projections == "none" else claims.too_few_steps()
    )


@without_w_q.part(in_lecture=False)
@rest.part("roles", in_lecture=True)
def what_each_head_came_to_do():
    """Say whether a head took up one of the two questions."""
    show.heading("What each head came to do")
    at = computed.roles_of(setup)
    each = [{question: of_heads[k] for question, of_heads in at.items()} for k in range(heads)]
    with lecture.large():
        elements.markdown(
            "  \n".join(claims.role(k, of_head) for k, of_head in enumerate(each, start=1))
        )
    if heads > 1 or lecture.on():
        studies.table_of_looks(each, {"adjective": "noun", "verb": "subject"})


@rest.part(in_lecture=False)
def something_to_try():
    """Offer models more to train and to ask: `core/study.py` and `core/roles.py` count, `studies`
    shows it."""
    show.heading("Try: how deep, and what breaks it")
    studies.chosen(setup, focus.study)


@rest.part(in_lecture=False)
def what_a_step_strikes_out():
    own = replace(setup, dropout=given.dropout, dropout_seed=given.dropout_seed, others="")
    show.folded(
        "Dropout: what training does to the rows", "dropout", lambda: dropout.draw(own, 1, seen)
    )


def every_moment():
    """Print the numbers of every moment, once they are unfolded."""
    folded = show.folded_tables("training")
    if folded:
        shares = {
            f"right at the {q}": [words.number(m.accuracy[q]) for m in result.moments]
            for q in lessons.OF_ATTENTION
        }
        columns = {
            "steps made": [str(step) for step in after],
            "loss": show.as_text(studies.losses_then(result)),
            **shares,
        }
        with folded:
            elements.table(
                columns,
                dict.fromkeys(columns, show.RIGHT),
                alt="Loss and right answers at every moment.",
            )


page.draw()
(with_w_q if opens else without_w_q).draw()
rest.draw()
show.why(
    "Why does it find out where to look?",
    "The loss knows only the right words. But its gradient goes back through the softmax: where"
    " looking at a word helps more than the row does *on average*, its score is pushed up, and"
    " where it helps less, down. That turns query and key towards each other, and next time a"
    " little more is taken from that word.",
)
if not lecture.on():
    every_moment()
    if opens:
        difference = show.difference(autograd.largest, autograd.size)
        show.check_line(
            f"the gradients of all weights of W_q at step {training.OPENED} and"
            f" `{autograd.function}` {difference}"
        )
    else:
        show.check(trace, "weights")
