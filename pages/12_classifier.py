"""A sentence classifier from ids to log-probabilities, with random or trained weights."""

import html

from core.forward import classifier
from core.ops import attention, classes
from core.reference import checks
from core.text.text import labels
from core.training import training_store
from core.weights import weights
from pages.shared import board, lecture, link
from pages.shared.board import entries
from pages.shared.captions import classifier as claims
from pages.shared.captions import edits
from pages.shared.layout import show
from pages.shared.layout.page import Drawn, Parts
from pages.shared.page_components.classifier import real_model
from pages.shared.page_components.overview import pipeline
from pages.shared.server import computed, run
from pages.shared.text import elements, words

setup, focus = run.setup(), run.focus()
if setup.real:  # pretrained models have no classes
    real_model.draw()
    raise Drawn
is_trained = setup.init == "trained"
answer = computed.classified(setup)
kinds = weights.class_names(setup)
count, longest = answer.batch.is_word.shape
sentence, d_model = focus.sentence - 1, setup.d_model
names = labels(answer.batch.tokens[sentence])
column = focus.column_of(len(kinds))
followed = answer.sentence(sentence)
trace = answer.trace.also(
    "probabilities", "sentence class", classes.probabilities, "log_probabilities"
)
logits, shares = trace.value("logits"), trace.value("probabilities")
biased = "b_c" in trace


page = Parts()


@page.figure("way")
def draw_whole_way():
    is_word = answer.batch.is_word[sentence].tolist()
    row = [
        f"{words.quote(name)} is row {k} of X and of Out." for k, name in enumerate(names, start=1)
    ]
    board.pipeline(
        stations=pipeline.classifier_stations(
            answer,
            sentence,
            entries.matrix(trace, "probabilities", rows=slice(sentence, sentence + 1)),
        ),
        says=[
            row[k] + ("" if is_word[k] else " It is padding: the mean leaves it out.")
            for k in range(longest)
        ],
        key="board_way",
        chosen=(min(focus.query, longest) - 1, 0),
        chooses=board.choice(),
        of_screen=0.5,
        max_zoom=1.4,
        alt=(
            f"Sentence {sentence + 1} on its way: its rows of the table, the encoder, the mean of"
            " the rows, logits, probabilities."
        ),
    )


@page.part("question")
def explain_whether_it_is_trained():
    if is_trained:
        elements.markdown(
            "**It is trained.** Table, blocks and W_c began random and learned from 128 labelled"
            " sentences, such as *the soup was not bad*: good. "
            + claims.labels_learned(setup, training_store.get(setup, "labelled"))
        )
        if not lecture.is_on():
            elements.markdown(claims.accuracy(computed.judged(setup)))
        return
    elements.markdown(
        "**It is not trained.** Its matrices are drawn, so what it says means nothing. What is real"
        " is the way from words to probabilities." + edits.describe_edits(setup, but=("w_o", "b_o"))
    )
    if not lecture.is_on():
        own = link.parse_link(run.view().link) | {"init": "trained"}
        own.pop("given", None)  # given matrices are not trained
        to_training = link.write_link(own)
        elements.html(
            f'<p class="ab-way"><a href="?{html.escape(to_training)}">Train it on labelled'
            " sentences</a></p>"
        )


@page.closer("formula")
def draw_formula():
    mean, out, log_p = r"\mathrm{mean}", r"\mathrm{Out}", r"\log p"
    bias = f" + {words.write_with_shape('v', 'b_c', (len(kinds),))}" if biased else ""
    show.formula_and_code(
        words.lines(
            rf"{words.write_with_shape('x', mean, (count, d_model))} = \text{{mean over the words"
            r" of } "
            rf"{words.write_with_shape('x', out, (count, longest, d_model))}",
            rf"{words.write_with_shape('output', log_p, (count, len(kinds)))} ="
            r" \mathrm{log\,softmax}\big(\mathrm{mean}\,"
            rf"{words.write_with_shape('v', 'W_c', (d_model, len(kinds)))}{bias}\big)",
        ),
        classes.mean_over_words,
        attention.project,
        classes.log_softmax,
        symbols=(
            "Out is what the last layer hands on, mean the mean of a sentence's rows. W_c has a"
            " column for each class, p is its probability."
        ),
    )


@page.closer("full", "logits")
def draw_from_the_mean_to_the_logits():
    show.heading("From the mean to the logits")
    draw_logits()
    if not lecture.is_on():
        draw_chosen_class()


def draw_logits():
    """Draw the mean rows times W_c."""
    board.product(
        entries.matrix(trace, "pooled"),
        entries.matrix(trace, "w_c", column_labels=kinds),
        entries.matrix(trace, "logits", column_labels=kinds, clickable=True),
        bias=trace.value("b_c") if biased else None,
        key="board_logits",
        chosen=(sentence, column),
        chooses=board.choice(sentence="row", column="column"),
        alt=(
            f"The means, {count} by {d_model}, times W_c, {d_model} by {len(kinds)}, give the"
            f" logits. For sentence {sentence + 1} and {kinds[column]} it is"
            f" {words.number(logits[sentence, column].item())}."
        ),
    )


def draw_chosen_class():
    """Write out the chosen class from logit to probability."""
    cell_name = f"[sentence {sentence + 1}, {words.isolate(kinds[column])}]"
    cell = followed["log_probabilities"].origin.open(followed, (0, column))
    show.plain(
        f"log p{cell_name} {words.equals(cell.terms[0].value)} {cell.rule}"
        f" {words.equals(cell.value)}. e to the power of it is"
        f" {words.percent(shares[sentence, column].item(), 1)}."
    )


@page.closer("says", "says", title="What it says of each sentence")
def explain_what_it_says():
    """Describe the classifier's answers in words and numbers."""
    says = [claims.answer(row, kinds if is_trained else None) for row in shares.tolist()]
    lines = (
        f"{k + 1}:  {' '.join(map(words.isolate, tokens))}   →   {says[k]}"
        for k, tokens in enumerate(setup.sentences)
    )
    unseen = words_never_seen() if is_trained else ""
    show.plain("\n".join(lines) + (f"\n\n{unseen}" if unseen else ""))
    board_of_classes(says)


def board_of_classes(says: list[str]) -> None:
    """Draw log-probabilities and probabilities; `says` describes each sentence's answer."""
    board.matrices(
        entries.matrix(trace, "log_probabilities", column_labels=kinds, clickable=True),
        entries.matrix(trace, "probabilities", column_labels=kinds, sums=True, clickable=True),
        key="board_classes",
        across=2,
        linked=True,
        main=1,
        chosen=(sentence, column),
        chooses=board.choice(sentence="row", column="column"),
        max_width=84,
        alt="Log-probabilities and probabilities of each class for each sentence. "
        + "; ".join(f"sentence {k}: {said}" for k, said in enumerate(says, start=1)),
    )


def words_never_seen() -> str:
    """Return a sentence on the user's words that are not in the training data, "" if there are
    none."""
    known = weights.below_classifier(setup).words
    typed = dict.fromkeys(token for tokens in setup.sentences for token in tokens)
    return claims.never_seen([token for token in typed if token not in known], "words")


@page.closer("fold_each", "each", title="A prediction for each word")
def logits_of_words():
    """Draw each word's logits and their mean."""
    board.matrices(
        entries.matrix(followed, "token_logits", title="logits of each word", column_labels=kinds),
        entries.matrix(
            followed,
            "logits",
            column_labels=kinds,
            title="logits of the sentence",
            row_labels=["mean of the words"],
            hide_columns=True,
        ),
        key="board_token_logits",
        stacked=True,
        chosen=(min(focus.query, len(names)) - 1, column),
        max_width=84,
        alt=(
            f"Logits of every place of sentence {sentence + 1}, and their mean over its words,"
            " which is the sentence's own "
        )
        + f"logits: {words.number(logits[sentence, column].item())} for {kinds[column]}.",
    )
    if not lecture.is_on():
        explain_order_of_mean()


def explain_order_of_mean():
    """Show that averaging logits and averaging rows give the same result."""
    elements.markdown(
        "The classifier of notebook N2 stops here: one prediction for each token, no mean. The"
        " matrix is the same for both, and the mean may be taken before or after it:"
        " :material/check: the words' logits averaged, and the sentence's logits, "
        + show.difference(
            classifier.apart_by_order(answer, sentence), checks.largest(logits[sentence])
        )
        + ". Notebook N0 takes the mean first."
    )


def describe_tensor(name):
    """Return a short description of one tensor of the forward pass."""
    if name.startswith("layer"):
        post = setup.norm == "post"
        return (
            "attention, add, norm, feed-forward, add, norm"
            if post
            else "norm, attention, add, norm, feed-forward, add"
        )
    return {
        "sentences": "what you typed",
        "ids": "each word's place in the vocabulary, short sentences filled up",
        "x": "rows of the table" + (", plus positions" if setup.adds_positions else ""),
        "pooled": "the mean of each sentence's words; padding does not count",
        "logits": "a score for each class, any number: pooled times W_c",
        "log_probabilities": "the logits minus the logarithm of the sum of their exponentials",
    }[name]


@page.closer("tables", in_lecture=False)
def draw_shapes():
    """List every tensor of the forward pass with its shape."""
    shapes = {"sentences": f"{count}"}
    shapes |= {name: words.times(shape) for name, shape in classifier.shapes(answer).items()}
    columns = {
        "tensor": list(shapes),
        "shape": list(shapes.values()),
        "what it is": [describe_tensor(name) for name in shapes],
    }
    elements.plain_table(columns)


page.tables(followed, ["pooled", "logits", "log_probabilities", "token_logits"])


@page.closer("check", in_lecture=False)
def draw_answer_against_pytorch():
    check = computed.classes_checked(setup, sentence)
    show.check_line(
        f"`log_probabilities` of sentence {sentence + 1} and {check.function} on it alone, without"
        f" padding, {show.difference(check.largest, check.size)}"
        + (
            " (padding is not masked, so they need not agree)"
            if setup.padding == "unmasked"
            else ""
        )
    )


@page.part()
def draw_questions():
    if is_trained and not lecture.is_on():
        show.why(
            "Does the word after *not* look at it?",
            claims.not_gets(*computed.looks_at_not(setup), setup),
        )
    show.why(
        "Why the logarithm?",
        "The loss is the mean of minus log p over the right answers: the smaller the probability of"
        " a right answer, the larger the loss. Computed from the logits directly, the logarithm is"
        " never taken of a probability that was rounded to 0.",
    )


page.draw()
