"""Step 1: sentence, tokens, sorted vocabulary, ids."""

from core.reference import checks
from core.text import text
from core.text.text import labels
from core.text.written import count
from core.weights import weights
from pages.shared import board
from pages.shared.captions import training
from pages.shared.layout import show
from pages.shared.layout.page import Parts
from pages.shared.server import run
from pages.shared.text import elements, words

trace, focus = run.trace(), run.focus()
setup, names, ids = trace.setup, labels(trace.tokens), trace.value("ids").tolist()
n, size = len(names), len(trace.vocabulary)
i = focus.query - 1
trained = setup.init == "trained"
asked_ids = trace.value("memory_ids").tolist() if setup.memory else []
used, unseen = set(ids), {trace.vocabulary.index(word) for word in weights.list_unseen_words(setup)}
sorted_are = "in the vocabulary" if trained else "different"


page = Parts()


@page.part("words")
def draw_lines():
    board.vocabulary(
        tokens=[text.shorten(token) for token in trace.tokens],
        entries=labels(trace.vocabulary),
        ids=ids,
        unseen=sorted(unseen),
        key="board_vocabulary",
        chosen=i,
        chooses=board.choice(query="row"),
        of_screen=0.6,
        alt=f"{count(n, 'token')} above, joined by lines to {describe_vocabulary_size()} below. "
        + ", ".join(f"{name} has id {place}" for name, place in zip(names, ids, strict=True)),
    )
    elements.caption(below_the_lines())
    if said := its_places():
        show.plain(said)
    if never := training.unseen_words(weights.list_unseen_words(setup)):
        show.plain(never)


def below_the_lines() -> str:
    """Describe the two rows of the figure."""
    ids_are = (
        f"the rows of the table that are read, of {setup.real.sizes.words:,}."
        if setup.real
        else "ids, from 0, capitals first."
    )
    return f"Above: positions. Below: {ids_are} A dashed frame: not in your sentence."


def its_places() -> str:
    """Describe the selected token's other places: here, in the second sentence, among a model's."""
    places = [str(k) for k, other in enumerate(ids, start=1) if other == ids[i]]
    said = []
    if len(places) > 1:
        said.append(
            f"{words.quote(names[i])} stands at positions {', '.join(places)}: one id,"
            f" {len(places)} tokens."
        )
    if ids[i] in asked_ids:
        said.append("The sentence of the keys has it too, by the same id.")
    if setup.real:
        own = setup.real.tokenizer.ids((trace.tokens[i],)).item()
        said.append(
            f"Among all {setup.real.sizes.words:,} pieces of {setup.real.name} it is number"
            f" {own:,}."
        )
    return " ".join(said)


def describe_vocabulary_size() -> str:
    """Return the vocabulary's size in words."""
    return f"the vocabulary of {size:,}"


@page.figure("words")
def draw_lines_of_the_memory():
    if not setup.memory:
        return
    asked, j = labels(trace.key_tokens), focus.key - 1
    board.vocabulary(
        tokens=[text.shorten(token) for token in trace.key_tokens],
        entries=labels(trace.vocabulary),
        ids=asked_ids,
        unseen=sorted(unseen),
        key="board_vocabulary_memory",
        chosen=j,
        chooses=board.choice(key="row"),
        of_screen=0.6,
        alt=(
            f"{count(len(asked), 'token')} of the keys' sentence above, joined by lines to"
            f" {describe_vocabulary_size()} below. "
        )
        + ", ".join(f"{name} has id {place}" for name, place in zip(asked, asked_ids, strict=True)),
    )
    elements.caption("The sentence of the keys, in the same vocabulary.")


@page.closer("formula")
def draw_formula():
    show.formula_and_code(
        words.lines(
            rf"\text{{sentence}} \;\to\; {n}\ \text{{{'token' if n == 1 else 'tokens'}}}"
            + count_memory("token"),
            rf"\to\; {size}\ \text{{{sorted_are}, sorted}} \;\to\;"
            rf" {n}\ \text{{{'id' if n == 1 else 'ids'}}}" + count_memory("id"),
        ),
        type(setup.real.tokenizer).pieces if setup.real else text.words,
        text.vocabulary,
        text.token_ids,
        symbols="A token is a piece of the sentence, here a word. Its id stands for it from here.",
    )


def count_memory(thing: str) -> str:
    """Return the count of `thing` in the second sentence (cross-attention), as LaTeX."""
    return rf"\ \text{{and {count(len(asked_ids), thing)} of the other}}" if setup.memory else ""


@page.part("why")
def explain_why():
    show.why(
        "Where do real vocabularies come from?",
        "This one has the tokens of your text, as in the notebook behind this page, and with"
        " trained matrices the words that they learned. A real model has a fixed list of 30,000 to"
        " 250,000 pieces of words, made once from a large text: a word that is not on it is cut"
        " into pieces that are. The rest of the computation is the same.",
    )


@page.closer("tables", in_lecture=False)
def draw_tables():
    elements.table(
        {"position": range(1, n + 1), "token": list(names), "id": ids},
        alt="Position, token and id of every token",
    )
    if setup.memory:
        asked = list(labels(trace.key_tokens))
        elements.table(
            {"position": range(1, len(asked) + 1), "token of the keys": asked, "id": asked_ids},
            alt="Position, token and id of every token of the keys' sentence",
        )
    elements.table(
        {"id": range(size), "word": list(labels(trace.vocabulary))} | seen_in_training(),
        alt="The vocabulary: id and word",
    )


def seen_in_training() -> dict[str, list[str]]:
    """Return a column with the words that were in the training data, {} for untrained weights."""
    return (
        {"seen in training": ["no" if k in unseen else "yes" for k in range(size)]}
        if trained
        else {}
    )


@page.closer("check", in_lecture=False)
def draw_check():
    agree = checks.check_ids_give_tokens(trace.tokens, trace.vocabulary, trace.value("ids"))
    if setup.memory:
        agree = agree and checks.check_ids_give_tokens(
            trace.memory_tokens, trace.vocabulary, trace.value("memory_ids")
        )
    show.checked(
        ": the ids, looked up again,"
        f" {'give back the same tokens' if agree else '**do not give back the tokens**'}."
    )


page.draw()
