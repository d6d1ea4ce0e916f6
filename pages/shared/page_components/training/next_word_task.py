"""The training page for a whole stack: the next-word task, and the parts common to both tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape

from core import Setup
from core.text import language
from core.text.text import labels
from core.text.written import count
from core.training import adam, objectives, training, training_store
from core.training.training import Trained
from pages.shared import board, lecture
from pages.shared.captions import induction as claims
from pages.shared.captions import training as of_training
from pages.shared.layout import show
from pages.shared.layout.page import Parts
from pages.shared.link import write_link
from pages.shared.link.focus import Focus
from pages.shared.page_components.training import curves, repeat_task
from pages.shared.server import computed
from pages.shared.text import elements, words

# Beats about the questions task only.
OF_QUESTIONS = ("roles", "why", "ask", "answer")


def draw(given: Setup, focus: Focus) -> None:
    """Draw the whole page, with the trained weights without the user's edits."""
    setup = replace(given.to_the_end, edits="", layer=1)
    result = training_store.get(setup, "stack")
    page = Parts()
    if setup.task == "repeat":
        repeat_task.parts(page, given, setup, focus, result)
    else:
        _parts(page, setup, focus, result)
    page.part(in_lecture=False)(lambda: _draw_rest(given, result))
    page.closer("formula", "code")(lambda: _formula(setup))
    page.closer("check", in_lecture=False)(lambda: show.check_layer(setup, setup.layers))
    page.draw()


def _draw_rest(given: Setup, result: Trained) -> None:
    """Describe missing steps and edits, and link to the other tasks."""
    if len(result.losses) < result.wanted:
        elements.markdown(f":material/info: {of_training.steps(result)}")
    if given.edits and given.task == "next":
        elements.markdown(
            ":material/info: Here the matrices stand as training leaves them, without your edits."
        )
    curves.other_trainings(given)


def _formula(setup: Setup) -> None:
    word, where = "word", ", at all B places of a batch"
    if setup.task == "repeat":
        word, where = "letter", ", at the B places of a batch whose letter has come before"
    show.formula_and_code(
        words.lines(
            r"L = -\frac{1}{B} \sum_{t=1}^{B} \log p_t",
            *curves.ADAM,
        ),
        training.take_step,
        adam.adam_step,
        symbols=(
            f"$L$, the loss, is small where the next {word} got a large share $p_t${where}."
            f" {curves.OF_ADAM}"
        ),
    )


def _parts(page: Parts, setup: Setup, focus: Focus, result: Trained) -> None:
    """Register the parts of the next-word task."""
    names, last = labels(setup.tokens), len(setup.tokens) - 1
    page.part("question", in_lecture=True)(lambda: lecture.question(names, last))
    page.figure("film")(lambda: _film(setup, focus, result, names))
    page.part("loss")(lambda: _losses(setup, result))
    page.closer("task", "task", title="What is to be learned")(lambda: _task(setup))
    page.closer("places", title="Word by word", in_lecture=False)(lambda: _draw_by_place(setup))
    page.closer("tables", in_lecture=False)(lambda: _every_moment(result))
    page.part(*OF_QUESTIONS, in_lecture=True)(curves.explain_questions)


def _task(setup: Setup) -> None:
    learned, unseen = (len(part) for part in objectives.split_examples(setup.seed))
    with lecture.large():
        elements.markdown(
            "*the cat drank the milk because it was …* A small language has"
            f" {len(language.EXAMPLES):,} such sentences: training may see {learned:,}, the other"
            f" {unseen:,} are only asked. Each is {language.LENGTH - 1} lessons at once, one at"
            " each word."
        )


def _losses(setup: Setup, result: Trained) -> None:
    show.heading("How it went")
    nats = claims.next_word(computed.surprises(setup))
    with lecture.large():
        elements.markdown(f"{of_training.steps(result)} {nats}")
    if not lecture.is_on():
        link = escape(write_link(setup.as_link()))
        elements.html(
            f'<p class="ab-way">What it says now: <a href="./next?{link}" target="_self">the next'
            " word</a>.</p>"
        )
    last = _moment(result.moments[-1].step, result.losses[-1], result.moments[-1].accuracy)
    curves.curves(
        result,
        {"the next word": [moment.accuracy["next"] for moment in result.moments]},
        (nats, last),
        floor=sum(language.floor()) / (language.LENGTH - 1),
    )


def _film(setup: Setup, focus: Focus, result: Trained, names: Sequence[str]) -> None:
    """Draw the weights of layer 1, and the loss above its lower bound."""
    moments, k = computed.filmed(setup), focus.head - 1
    after = [moment.step for moment in result.moments]
    shown = range(setup.heads) if setup.heads * len(names) <= 40 else range(k, k + 1)
    ends = words.attention(names[focus.query - 1], moments[-1, k, focus.query - 1].tolist(), names)
    kinds = [
        [curves.looks(moments[at][k], names, f"layer 1, head {k + 1}", when) for k in shown]
        for at, when in ((-1, f"after {count(after[-1], 'step')}"), (0, "before the first step"))
    ]
    losses = curves.losses_then(result)
    board.training_history(
        *kinds[0],
        before=kinds[1],
        moments=moments[:, shown.start : shown.stop],
        steps=after,
        says=[
            _moment(moment.step, loss, moment.accuracy)
            for moment, loss in zip(result.moments, losses, strict=True)
        ],
        found=None,
        key="board_film",
        chosen=(focus.query - 1, focus.key - 1),
        main=k - shown.start,
        of_screen=0.78,
        chooses=board.choice(
            {f"layer 1, head {head + 1}": {"head": head + 1} for head in shown},
            query="row",
            key="column",
        ),
        alt=(
            f"{count(len(after), 'moment')} of training, with layer 1's attention weights. Head"
            f" {k + 1}, at the end: {ends}"
        ),
    )
    if not lecture.is_on():
        show.plain(f"Layer 1, head {k + 1}, after training. {ends}")


def _moment(step: int, loss: float, accuracy: Mapping[str, float]) -> str:
    return (
        f"After {count(step, 'step')}: loss {words.number(loss)}. The next word was right in"
        f" {words.percent(accuracy['next'])}; many cannot be known."
    )


def _draw_by_place(setup: Setup) -> None:
    """Draw each word's loss beside its lower bound."""
    each, least = computed.surprises(setup).tolist(), language.floor()
    sentence = language.EXAMPLES[0].tokens
    elements.plain_table(
        {
            "after": [f"{' '.join(sentence[:k])} …" for k in range(1, len(sentence))],
            "loss, nats": [words.number(nats) for nats in each],
            "the least": [words.number(nats) for nats in least],
        }
    )
    elements.markdown(
        "Mean over all sentences, one of which stands here. Where the least is 0, the language"
        " leaves no choice."
    )


def _every_moment(result: Trained) -> None:
    """Draw the numbers of every moment."""
    columns = {
        "steps made": [moment.step for moment in result.moments],
        "loss": curves.losses_then(result),
        "right": [moment.accuracy["next"] for moment in result.moments],
    }
    elements.table(
        columns,
        alt="Loss and right words at every moment.",
    )
