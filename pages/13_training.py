"""Training: how attention weights are learned on a small language."""

from dataclasses import replace

from torch import Tensor

from core.setup.presets import EXAMPLE, STORY_HEAD, whose_training
from core.text import language
from core.text.text import labels
from core.text.written import count
from core.training import adam, objectives, training, training_store
from core.weights import weights
from pages.shared import board, lecture
from pages.shared.captions import training as claims
from pages.shared.layout import show
from pages.shared.layout.page import Drawn, Parts
from pages.shared.page_components.masks import dropout
from pages.shared.page_components.training import curves, next_word_task
from pages.shared.server import computed, run
from pages.shared.text import elements, words

given, focus = run.setup(), run.focus()
if given.learns_words:
    next_word_task.draw(given, focus)
    raise Drawn
is_readers, setup = given.init == "trained", whose_training(given)
result = training_store.get(setup, "attention")
trace = computed.traced(setup)
names = labels(trace.tokens)
n, heads = len(names), setup.heads
# In the preset's sentence: the last word and the key with its largest weight in the story's head.
most = int(trace.value("weights")[STORY_HEAD, -1].argmax()) if not is_readers else 0
i, j, head = (
    (focus.query - 1, focus.key - 1, focus.head - 1) if is_readers else (n - 1, most, STORY_HEAD)
)
seen = replace(focus, query=i + 1, key=j + 1, head=head + 1)  # the selected pair
learned, unseen = objectives.split_examples(setup.seed)
after = [moment.step for moment in result.moments]
shown = range(heads) if heads * n <= 40 else range(head, head + 1)
page = Parts()

lecture.question(names, i)


@page.figure("film")
def draw_film():
    moments = computed.filmed(setup)
    of_head, asked = moments[:, head], claims.right_since(setup, moments[:, head], i)
    said = (
        claims.looks_right(asked, after)
        if asked
        else words.attention(names[i], of_head[-1, i].tolist(), names)
    )
    found = asked and asked[1] and (asked[1], f"{asked[0]} found at step {after[asked[1]]}")
    board.training_history(
        *looks(moments[-1], f"after {count(after[-1], 'step')}"),
        before=looks(moments[0], "before the first step"),
        moments=moments[:, shown.start : shown.stop],
        steps=after,
        says=curves.moments_in_words(setup),
        found=found or None,
        key="board_film",
        chosen=(i, j),
        chooses=board.choice(
            {f"head {k + 1}": {"head": k + 1} for k in shown}, query="row", key="column"
        ),
        main=head - shown.start,
        of_screen=0.78,
        alt=(
            f"{count(len(after), 'moment')} of training, with the attention weights at each."
            f" Head {head + 1}: {said}"
        ),
    )
    if not lecture.is_on():
        show.plain(f"Head {head + 1}. {said}")


def looks(moment: Tensor, when: str) -> list[board.Matrix]:
    """Return the shown heads' weights at one moment."""
    return [
        curves.looks(moment[k], names, f"head {k + 1}", when, clickable=is_readers) for k in shown
    ]


@page.part(in_lecture=False)
def whose_weights_these_are():
    if len(result.losses) < result.wanted:
        elements.markdown(f":material/info: {claims.steps(result)}")
    if given.real:
        elements.markdown(
            ":material/info: A model that was read brings no training with it: this is that of the"
            " preset **Trained**."
        )
    elif not is_readers and not run.now().is_meanwhile:
        elements.markdown(
            ":material/info: Your matrices are drawn, not trained: this is the training of the"
            " preset **Trained**. [Train your own"
            f" sizes]({curves.link(replace(given, init='trained'))})."
        )
    elif given.edits:
        elements.markdown(
            ":material/info: Here the matrices stand as training leaves them, without your edits."
        )
    if is_readers and given.steps_taken < len(result.losses):
        elements.markdown(
            f":material/info: The other pages show these matrices after {given.steps_taken} of"
            f" {len(result.losses)} steps."
        )
    if never := claims.unseen_words(weights.list_unseen_words(setup)):
        show.plain(never)
        elements.markdown(
            f"[Watch a sentence of the language]({curves.link(replace(setup, text=EXAMPLE.text))})."
        )
    curves.other_trainings(given)


@page.part("loss")
def draw_losses():
    show.heading("How it went")
    lost = claims.loss(result)
    elements.markdown(f"{claims.steps(result)} {lost} {claims.answers(result)}")
    asked = min(training.MAX_ASKED, result.asked)
    said = claims.moment(after[-1], result.losses[-1], result.moments[-1].accuracy, asked)
    curves.curves(
        result,
        curves.right_answers(result),
        (lost, said),
        f"share right, of {asked} asked",
    )


@page.closer("formula", "code")
def draw_formula():
    show.formula_and_code(
        words.lines(
            rf"L = -\frac{{1}}{{{training.BATCH}}} \sum_{{s=1}}^{{{training.BATCH}}} "
            r"\big( \log p_s^{\text{adjective}} + \log p_s^{\text{verb}} \big)",
            *curves.ADAM,
        ),
        *([] if lecture.is_on() else [training.take_step]),
        adam.adam_step,
        symbols=(
            f"$L$, the loss, is small where the right words got large shares $p$. {curves.OF_ADAM}"
        ),
    )


@page.closer("task", "task", title="What is to be learned")
def draw_task():
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
        )


@page.closer("roles", "roles", title="What each head came to do")
def explain_what_each_head_came_to_do():
    """Describe which of the language's two relations each head has learned."""
    at = computed.roles_of(setup)
    each = [{question: of_heads[k] for question, of_heads in at.items()} for k in range(heads)]
    with lecture.large():
        elements.markdown(
            "  \n".join(claims.role(k, of_head) for k, of_head in enumerate(each, start=1))
        )
    if heads > 1 or lecture.is_on():
        curves.table_of_looks(each, {"adjective": "noun", "verb": "subject"})


@page.closer("dropout", title="What dropout does to the rows", in_lecture=False)
def explain_what_a_step_strikes_out():
    own = replace(setup, dropout=given.dropout, dropout_seed=given.dropout_seed, others="")
    dropout.draw(own, 1, seen)


@page.closer("tables", in_lecture=False)
def every_moment():
    shares = {
        f"right at the {q}": [m.accuracy[q] for m in result.moments]
        for q in objectives.OF_ATTENTION
    }
    columns = {
        "steps made": list(after),
        "loss": curves.losses_then(result),
        **shares,
    }
    elements.table(
        columns,
        alt="Loss and right answers at every moment.",
    )


@page.part("why")
def explain_why_it_finds_out():
    show.why(
        "Why does it find out where to look?",
        "The loss knows only the right words. But its gradient goes back through the softmax:"
        " where looking at a word helps more than the row does *on average*, its score is pushed"
        " up, and where it helps less, down. That turns query and key towards each other, and next"
        " time a little more is taken from that word.",
    )


page.check(trace, "weights")
page.draw()
