"""A classifier on the reader's own sentences, from ids to log-probabilities."""

import pyarrow as pa

from core import attention, classifier, reference
from core.text import labels
from pages.shared import board, claims, computed, elements, entries, lecture, show, state, words
from pages.shared.page import Page

setup, focus = state.trace().setup, state.focus()
answer = computed.classified(setup)
count, longest = answer.batch.is_word.shape
place, classes, d_model = focus.sentence - 1, setup.classes, setup.d_model
names = labels(answer.batch.tokens[place])
column = focus.column_of(classes)
trace, own = answer.trace, answer.sentence(place)
logits, shares = trace.value("logits"), classifier.probabilities(trace.value("log_probabilities"))
biased = "b_c" in trace
say = claims.in_tokens(setup)

show.header("classifier", claims.headline("classifier", setup))
mean, log_p = r"\bar z", r"\log p"
bias = f" + {words.sized('v', 'b_c', (classes,))}" if biased else ""
show.formula_and_code(
    words.lines(
        rf"{words.sized('x', mean, (count, d_model))} = \text{{mean over the {say('words')} of }} "
        rf"{words.sized('x', 'Z', (count, longest, d_model))}",
        rf"{words.sized('result', log_p, (count, classes))} = \mathrm{{log\,softmax}}\big(\bar z\,"
        rf"{words.sized('v', 'W_c', (d_model, classes))}{bias}\big)",
    ),
    classifier.mean_over_words,
    attention.project,
    classifier.log_softmax,
    symbols="Z is what the last layer hands on; $\\bar z$ the mean of a sentence's rows. W_c has a column for each class, p is "
    "the probability of each class, and log p its logarithm.",
)
lecture.question(labels(setup.sentences[0]), focus.query - 1)

page = Page()


@page.part("question")
def it_is_not_trained():
    elements.markdown(
        "**It is not trained.** Its weights are drawn like all others in this explorer, so what it says about a sentence means "
        "nothing: another seed may say something else. What is real is the way from words to probabilities."
    )


@page.part("says")
def what_it_says():
    show.heading("What it says")
    for k, tokens in enumerate(setup.sentences):
        show.plain(f"{k + 1}:  {' '.join(map(words.isolated, tokens))}   →   {claims.answer(shares[k].tolist())}")
    logs = entries.matrix(trace, "log_probabilities", clickable=True)
    board.show(
        {
            "view": "matrices",
            "across": 2,
            "linked": True,
            "chosen": [place, column],
            "main": 1,
            "largest": 84,
            "alt": "Log-probabilities and probabilities of each class for each sentence. "
            + "; ".join(f"sentence {k + 1}: {claims.answer(row)}" for k, row in enumerate(shares.tolist())),
            "matrices": [
                logs,
                board.matrix(
                    "probabilities", shares, logs["rows"], logs["cols"], ("sentence", "class"), "weights", "p, e to the power of it",
                    scale="sequential", top=1, clickable=True, sums=board.pack(attention.row_sums(shares)),
                ),
            ],
        },
        "board_classes",
        board.choice(sentence="row", column="column"),
    )  # fmt: skip


def what_it_is(name):
    """A tensor of the way, in a few words."""
    if name.startswith("layer"):
        post = setup.norm == "post"
        return "attention, add, norm, feed-forward, add, norm" if post else "norm, attention, add, norm, feed-forward, add"
    return {
        "sentences": "what you typed",
        "ids": say("each word's place in the vocabulary, short sentences filled up"),
        "x": "rows of the table" + ("" if setup.positions == "none" else ", plus positions"),
        "pooled": say("the mean of each sentence's words; padding does not count"),
        "logits": "a score for each class, any number: pooled times W_c",
        "log_probabilities": "less the logarithm of the sum of e to the power of them",
    }[name]


@page.part("way")
def the_whole_way():
    show.heading("The whole way, and its shapes")
    shapes = {"sentences": f"{count}"}
    shapes |= {name: words.times(shape) for name, shape in classifier.shapes(answer).items()}
    elements.table(
        pa.table({"tensor": list(shapes), "shape": list(shapes.values()), "what it is": [what_it_is(name) for name in shapes]}),
        {},
        alt="Every tensor from the sentences to the log-probabilities, with its shape.",
    )


@page.part("logits")
def from_the_mean_to_the_logits():
    show.heading("From the mean to the logits")
    board.show(
        {
            "view": "product",
            "axes": ["words", "dims", "dims"],
            "chosen": [place, column],
            "bias": board.pack(trace.value("b_c")) if biased else None,
            "alt": f"The means, {count} by {d_model}, times W_c, {d_model} by {classes}, give the logits. For "
            f"sentence {place + 1} and class {column + 1} it is {words.number(logits[place, column].item())}.",
            "matrices": [
                entries.matrix(trace, "pooled"),
                entries.matrix(trace, "w_c"),
                entries.matrix(trace, "logits", clickable=True),
            ],
        },
        "board_logits",
        board.choice(sentence="row", column="column"),
    )


@page.part(in_lecture=False)
def the_chosen_class():
    chosen = f"[sentence {place + 1}, class {column + 1}]"
    cell = own["logits"].origin.open(own, (0, column))
    show.cell_sum(cell, f"logits{chosen}", "d_model", board.numbered(d_model), "terms_logits")
    cell = own["log_probabilities"].origin.open(own, (0, column))
    show.plain(
        f"log_probabilities{chosen} = {words.number(cell.terms[0].value)} {cell.rule} = "
        f"{words.number(cell.value)}; e to the power of it is {words.percent(shares[place, column].item(), 1)}."
    )


@page.part("each")
def each_words_own_logits():
    show.heading(say("A prediction for each word, as one of the notebooks has it"))
    of_sentence = entries.matrix(trace, "logits", title="logits of the sentence", rows=slice(place, place + 1), hideColumns=True)
    board.show(
        {
            "view": "matrices",
            "layout": "stack",
            "largest": 84,
            "chosen": [min(focus.query, len(names)) - 1, column],
            "alt": say(f"Logits of every place of sentence {place + 1}, and their mean over its words, which is the sentence's own ")
            + f"logits: {words.number(logits[place, column].item())} for class {column + 1}.",
            "matrices": [
                # Not drawn by the entry itself: the words along its rows are those of the chosen sentence.
                board.matrix(
                    "token_logits", own.value("token_logits"), names, of_sentence["cols"], ("token", "class"), "result",
                    say("logits of each word"),
                ),
                of_sentence | {"rows": [say("mean of the words")]},
            ],
        },
        "board_token_logits",
    )  # fmt: skip


@page.part(in_lecture=False)
def before_or_after_the_mean():
    elements.markdown(
        "N2's classifier stops here: one prediction a token, no mean. The matrix is the same for both, and a mean may be taken "
        f"before or after it: :material/check: the {say('words')}' logits averaged, and the sentence's logits, "
        f"{show.difference(classifier.apart_by_order(answer, place))}. For a text as a whole, the mean comes first (N0)."
    )


page.draw()
show.why(
    "Why the logarithm?",
    "Training adds up how surprised the model was by each right answer: minus the logarithm of the probability that it gave to it. "
    "Taken from the logits directly, the logarithm never meets a probability that was rounded to 0.",
)
show.table(own, ["pooled", "logits", "log_probabilities", "token_logits"], "classifier")
check = reference.check_classes(answer, place)
show.checked(
    f"`log_probabilities` of sentence {place + 1} and {check.function} on it alone, without padding, "
    f"{show.difference(check.largest)}"
    + (" (padding is not masked, so they need not agree)" if setup.padding == "unmasked" else "")
)
show.footer("classifier")
