"""A classifier on the reader's own sentences, from ids to log-probabilities."""

import pyarrow as pa

from core import attention, classifier, reference
from core.text import labels
from pages.shared import board, claims, computed, elements, lecture, show, state, words

setup = state.trace().setup
focus = state.focus()
made = computed.classified(setup)
count, longest = made.batch.real.shape
place, classes = focus.sentence - 1, setup.classes
names = labels(made.batch.tokens[place])
sentences = [f"sentence {k + 1}" for k in range(count)]
kinds = [f"class {k + 1}" for k in range(classes)]
column = focus.column_of(classes)
d_model = setup.d_model
trace, own = made.trace, made.sentence(place)
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
shares = trace.value("log_probabilities").exp()
lecture.question(labels(setup.sentences[0]), focus.query - 1)
if lecture.shows("question"):
    elements.markdown(
        "**It is not trained.** Its weights are drawn like all others in this explorer, so what it says about a sentence means "
        "nothing: another seed may say something else. What is real is the way from words to probabilities."
    )

if lecture.shows("says"):
    show.heading("What it says")
    for k, tokens in enumerate(setup.sentences):
        show.plain(f"{k + 1}:  {' '.join(map(words.isolated, tokens))}   →   {claims.answer(shares[k].tolist())}")
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
                board.matrix(
                    "log_probabilities", trace.value("log_probabilities"), sentences, kinds, ("sentence", "class"), "result",
                    "log p", clickable=True,
                ),
                board.matrix(
                    "probabilities", shares, sentences, kinds, ("sentence", "class"), "weights", "p, e to the power of it",
                    scale="sequential", top=1, clickable=True, sums=board.pack(shares.sum(dim=-1)),
                ),
            ],
        },
        "board_classes",
        board.choice(sentence="row", column="column"),
    )  # fmt: skip

if lecture.shows("way"):
    show.heading("The whole way, and its shapes")
    rows = [
        ("sentences", f"{count}", "what you typed"),
        ("ids", (count, longest), say("each word's place in the vocabulary, short sentences filled up")),
        ("x", (count, longest, d_model), "rows of the table" + ("" if setup.positions == "none" else ", plus positions")),
        *(
            (f"layer {k}", (count, longest, d_model), "attention, add, norm, feed-forward, add, norm" if setup.norm == "post" else
         "norm, attention, add, norm, feed-forward, add")
            for k in range(1, setup.layers + 1)
        ),
        ("pooled", (count, d_model), say("the mean of each sentence's words; padding does not count")),
        ("logits", (count, classes), "a score for each class, any number: pooled times W_c"),
        ("log_probabilities", (count, classes), "less the logarithm of the sum of e to the power of them"),
    ]
    elements.table(
        pa.table(
            {
                "tensor": [name for name, *_ in rows],
                "shape": [shape if isinstance(shape, str) else words.times(shape) for _, shape, _ in rows],
                "what it is": [what for *_, what in rows],
            }
        ),
        {},
        alt="Every tensor from the sentences to the log-probabilities, with its shape.",
    )

if lecture.shows("logits"):
    show.heading("From the mean to the logits")
    board.show(
        {
            "view": "product",
            "axes": ["words", "dims", "dims"],
            "chosen": [place, column],
            "bias": board.pack(trace.value("b_c")) if biased else None,
            "alt": f"The means, {count} by {d_model}, times W_c, {d_model} by {classes}, give the logits. For "
            f"sentence {place + 1} and class {column + 1} it is {words.number(trace.value('logits')[place, column].item())}.",
            "matrices": [
                board.matrix("pooled", trace.value("pooled"), sentences, board.numbered(d_model), ("sentence", "d_model"), "x", "z̄"),
                board.matrix("w_c", trace.value("w_c"), board.numbered(d_model), kinds, ("d_model", "class"), "v", "W_c"),
                board.matrix(
                    "logits", trace.value("logits"), sentences, kinds, ("sentence", "class"), "result", "logits", clickable=True
                ),
            ],
        },
        "board_logits",
        board.choice(sentence="row", column="column"),
    )  # fmt: skip
    if not lecture.on():
        cell = own["logits"].origin.open(own, (0, column))
        show.cell_sum(
            cell, f"logits[sentence {place + 1}, class {column + 1}]", "d_model", board.numbered(d_model), "terms_logits"
        )
        cell = own["log_probabilities"].origin.open(own, (0, column))
        show.plain(
            f"log_probabilities[sentence {place + 1}, class {column + 1}] = {words.number(cell.terms[0].value)} {cell.rule} = "
            f"{words.number(cell.value)}; e to the power of it is {words.percent(shares[place, column].item(), 1)}."
        )

if lecture.shows("each"):
    show.heading(say("A prediction for each word, as one of the notebooks has it"))
    each = own.value("token_logits")
    board.show(
        {
            "view": "matrices",
            "layout": "stack",
            "largest": 84,
            "chosen": [min(focus.query, len(names)) - 1, column],
            "alt": say(f"Logits of every place of sentence {place + 1}, and their mean over its words, which is the sentence's own ")
            + f"logits: {words.number(trace.value('logits')[place, column].item())} for class {column + 1}.",
            "matrices": [
                board.matrix("token_logits", each, names, kinds, ("token", "class"), "result", say("logits of each word")),
                board.matrix(
                    "logits", trace.value("logits")[place : place + 1], [say("mean of the words")], kinds, ("sentence", "class"),
                    "result", "logits of the sentence", hideColumns=True,
                ),
            ],
        },
        "board_token_logits",
    )  # fmt: skip
    if not lecture.on():
        ours = each[made.batch.real[place]].mean(dim=0)
        apart = (ours - trace.value("logits")[place]).abs().max().item()
        elements.markdown(
            "N2's classifier stops here: one prediction a token, no mean. The matrix is the same for both, and a mean may be taken "
            f"before or after it: :material/check: the {say('words')}' logits averaged, and the sentence's logits, "
            f"{show.difference(apart)}. For a text as a whole, the mean comes first (N0)."
        )

show.why(
    "Why the logarithm?",
    "Training adds up how surprised the model was by each right answer: minus the logarithm of the probability that it gave to it. "
    "Taken from the logits directly, the logarithm never meets a probability that was rounded to 0.",
)
show.table(own, ["pooled", "logits", "log_probabilities", "token_logits"], "classifier")
found = reference.check_classes(made, place)
show.checked(
    f"`log_probabilities` of sentence {place + 1} and {found.function} on it alone, without padding, "
    f"{show.difference(found.largest)}"
    + (" (padding is not masked, so they need not agree)" if setup.padding == "unmasked" else "")
)
show.footer("classifier")
