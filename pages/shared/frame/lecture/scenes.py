"""The story's scenes: of each of its beats, what there is to see of a pair of words, as a board
draws it; made of the trace."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from core import attention, language, predictions
from core.presets import SENTENCE
from core.question import Question
from core.text import labels
from core.trace import Trace
from core.weights import may_attend_in_steps
from core.written import brief
from pages.shared import board
from pages.shared.board import entries
from pages.shared.said import words
from pages.shared.server import computed

MOST_ENTRIES, MOST_ROWS = (
    40,
    9,
    # of a vocabulary and of a mixture that are shown; of more, those nearest to the pair, and the
    # largest
)


@dataclass(frozen=True)
class Pair:
    """What the story is of: a head, a word that asks and one that is asked, from 0."""

    trace: Trace
    head: int
    query: int
    key: int

    @property
    def asks(self) -> str:
        """Return the word that asks."""
        return labels(self.trace.tokens)[self.query]

    @property
    def asked(self) -> str:
        """Return the word that is asked."""
        return labels(self.trace.key_tokens)[self.key]

    def row(self, name: str, place: int, title: str = "") -> board.Matrix:
        """Return one row of an entry."""
        at = self.head if len(self.trace[name].dims) > 2 else None
        return entries.matrix(self.trace, name, at, title, rows=slice(place, place + 1), wide=True)

    def of_query(self, name: str) -> Tensor:
        """Return the query's row of an entry with heads (key,)."""
        return self.trace.value(name)[self.head, self.query]

    def question(self, name: str) -> Question | None:
        """Return a prediction about this pair; None where there is nothing to choose."""
        return predictions.ask(name, self.trace, self.head, self.query)


def plain(pair: Pair, scene: str, said: str, alt: str, **more: object) -> dict:
    """Return what every scene is given."""
    names, keys = labels(pair.trace.tokens), labels(pair.trace.key_tokens)
    return {
        "scene": scene,
        "names": names,
        "keys": keys,
        "chosen": (pair.query, pair.key),
        "said": said,
        "alt": alt,
        **more,
    }


def answered(question: Question | None) -> dict:
    """Return a question as the figure asks it; nothing where there is none."""
    says = question and [slip.says for slip in question.slips]
    return {"asked": board.Asked(right=question.answers, says=says)} if question else {}


def the_arc(pair: Pair) -> dict:
    """Where the last word's arc goes. In the sentence that everybody knows by now another last word
    asks."""
    setup = pair.trace.setup
    before, _, last = setup.text.rpartition(" ")
    if before == SENTENCE and pair.query == len(pair.trace.tokens) - 1:
        other = (
            language.FITS_FOODS[2] if last in language.FITS_ANIMALS else language.FITS_ANIMALS[0]
        )
        trace = computed.traced(replace(setup, text=f"{SENTENCE} {other}"))
        key = int(trace.value("weights")[pair.head, pair.query].argmax())
        pair, known_arc = (
            Pair(trace, pair.head, pair.query, key),
            f" With {words.quoted(last)} it was {words.quoted(pair.asked)}.",
        )
    else:
        known_arc = ""
    shares = pair.of_query("weights")
    said = (
        words.attention(pair.asks, shares.tolist(), labels(pair.trace.key_tokens), most=1)
        + known_arc
    )
    alt = f"The sentence, and an arc that begins at {words.quoted(pair.asks)}."
    question = answered(pair.question("weights"))
    return plain(pair, "arc", said, alt, asks=pair.asks, bars=shares[None], shares=True, **question)


def the_ids(pair: Pair) -> dict:
    """Two places in a sorted list."""
    trace = pair.trace
    i = trace.value("ids")[pair.query].item()
    j = trace.value("memory_ids" if trace.setup.memory else "ids")[pair.key].item()
    said = f"{words.quoted(pair.asks)} is {i}, {words.quoted(pair.asked)} is {j}, counted from 0."
    listed = [
        (k, word) for k, word in enumerate(labels(trace.vocabulary)) if k in shown(trace, (i, j))
    ]
    return plain(
        pair,
        "ids",
        said,
        f"The vocabulary as a list. {said}",
        entries=listed,
        bars=torch.tensor([[i, j]]),
    )


def shown(trace: Trace, both: Sequence[int]) -> list[int]:
    """Return the ids that a picture of the vocabulary has: all, or of a long one those around a
    pair."""
    every = range(len(trace.vocabulary))
    nearest = sorted(every, key=lambda k: min(abs(k - each) for each in both))
    return sorted(nearest[:MOST_ENTRIES])


def the_lookup(pair: Pair) -> dict:
    """Two rows come out of the table."""
    trace = pair.trace
    key_rows = "memory_embedded" if trace.setup.memory else "embedded"
    i = trace.value("ids")[pair.query].item()
    j = trace.value("memory_ids" if trace.setup.memory else "ids")[pair.key].item()
    rows = shown(trace, (i, j))
    table = entries.matrix(trace, "embedding_table", title="E, the table", rows=rows, wide=True)
    size = trace.value("embedding_table").shape[1]
    said = (
        f"Row {i} is {words.quoted(pair.asks)}, row {j} is {words.quoted(pair.asked)}: {size}"
        " numbers each." + (" What tells their places is added." if "positions" in trace else "")
    )
    both = pair.row("embedded", pair.query, pair.asks), pair.row(key_rows, pair.key, pair.asked)
    places = torch.tensor([[rows.index(i), rows.index(j)]])
    return plain(
        pair,
        "lookup",
        said,
        f"A table of {size} columns. {said}",
        matrices=(table, *both),
        bars=places,
    )


def the_query(pair: Pair) -> dict:
    """The row of the word that asks, times W_q."""
    return made(pair, "q", pair.query, pair.asks)


def the_key(pair: Pair) -> dict:
    """The row of the word that is asked, times W_k."""
    return made(pair, "k", pair.key, pair.asked)


def learned(trace: Trace) -> str:
    """Return what stands behind the name of a matrix of weights: where they come from, if a
    training made them."""
    return ", learned in training" if trace.setup.init in ("trained", "real") else ""


def made(pair: Pair, symbol: str, place: int, word: str) -> dict:
    """A row, a matrix, and the row that they make."""
    trace, source = pair.trace, pair.trace.made_of(symbol)
    row, result = (
        pair.row(source, place, f"x, {word}"),
        pair.row(symbol, place, f"{symbol}, {word}"),
    )
    weights = (
        [entries.matrix(trace, f"w_{symbol}", pair.head, f"W_{symbol}{learned(trace)}", wide=True)]
        if f"w_{symbol}" in trace
        else []
    )
    kind = {"q": "query", "k": "key"}[symbol]
    sizes = f"{trace.value(source).shape[-1]} numbers become {trace.value(symbol).shape[-1]}"
    said = f"{sizes}: the {kind} of {words.quoted(word)}."
    return plain(pair, "made", said, said, role=symbol, matrices=(row, *weights, result))


def the_fit(pair: Pair) -> dict:
    """Query times key, number by number."""
    asks, asked = pair.trace.compared
    query, key = (
        pair.row(asks, pair.query, f"q, {pair.asks}"),
        pair.row(asked, pair.key, f"k, {pair.asked}"),
    )
    score = pair.of_query("scores")[pair.key].item()
    product = replace(
        query,
        name="product",
        values=query.values * key.values,
        title="product",
        role="scores",
        symbol="product",
    )
    said = f"q · k = {brief(score)}"
    return plain(
        pair,
        "fits",
        said,
        f"Two rows, their products, and the sum. {said}.",
        matrices=(query, key, product),
    )


def the_row(pair: Pair) -> dict:
    """The query against every key."""
    scores = pair.of_query("scores")
    said = f"{words.quoted(pair.asked)} scores {brief(scores[pair.key].item())}."
    bars = torch.stack([torch.zeros_like(scores), scores])
    return plain(pair, "bars", said, f"A bar for each word. {said}", role="scores", bars=bars)


def the_scaled_row(pair: Pair) -> dict:
    """The same, divided."""
    bars = torch.stack([pair.of_query("scores"), pair.of_query("scaled")])
    before, after = (brief(each) for each in bars[:, pair.key].tolist())
    said = (
        f"{words.quoted(pair.asked)}: {before} becomes {after}, divided by √{pair.trace.setup.d_k}."
    )
    if pair.trace.setup.scale == "none":
        said = "Here nothing is divided."
    return plain(pair, "bars", said, f"Each bar shrinks. {said}", role="scores", bars=bars)


def the_shares(pair: Pair) -> dict:
    """How the word that asks shares out 1; guessed by a press on a word."""
    weights = pair.of_query("weights")
    question = pair.question("weights")
    says = answered(question) if question and question.kind == "shares" else {}
    said = words.attention(pair.asks, weights.tolist(), labels(pair.trace.key_tokens), most=2)
    bars = torch.stack([torch.full_like(weights, 1 / len(weights)), weights])
    alt = f"A bar for each word, together 1. {said}"
    return plain(pair, "bars", said, alt, role="weights", shares=True, bars=bars, **says)


def without_the_root(pair: Pair) -> dict:
    """What the shares would be, had nothing been divided; guessed by an arrow up or down."""
    weights = pair.of_query("weights")
    setup, scores = pair.trace.setup, pair.of_query("scores")
    seen = attention.mask(scores, may_attend_in_steps(setup)[pair.query])
    undivided = attention.softmax(attention.temper(seen, setup.temperature))
    question = pair.question("root")
    said = question.solution if question else "There is one word only."
    bars = torch.stack([weights, undivided])
    return plain(
        pair,
        "bars",
        said,
        f"A bar for each word. {said}",
        role="weights",
        shares=True,
        bars=bars,
        **answered(question),
    )


def the_mixture(pair: Pair) -> dict:
    """Each value times its weight, and their sum."""
    trace, names = pair.trace, labels(pair.trace.key_tokens)
    weights, values = pair.of_query("weights"), trace.of_head("v", pair.head)
    largest = sorted(weights.argsort(descending=True, stable=True)[:MOST_ROWS].tolist())
    study = trace.at({**trace.places(pair.head), "query": pair.query}, "weights", "v")
    study = study.also("share", "query key d_v", attention.weighted_values, "weights", "v")
    top = values.abs().max().item()
    rows = [f"{words.percent(weights[k].item())} {names[k]}" for k in largest]
    look = {"rows": largest, "row_labels": rows, "wide": True, "top": top}
    before = entries.matrix(trace, "v", pair.head, "values", **look)
    parts = entries.matrix(
        study, "share", title="weight × value", at={"query": 0}, role="v", **look
    )
    z = replace(pair.row("context", pair.query, "z"), top=top)
    left_out = len(names) - len(largest)
    said = (
        f"The new vector of {words.quoted(pair.asks)}: {words.percent(weights[pair.key].item())} of"
        " it is the value of "
        + (
            f"{words.quoted(pair.asked)}."
            + (f" {left_out} smaller parts are not shown." if left_out else "")
        )
    )
    return plain(pair, "mixed", said, said, matrices=(before, parts, z))


def the_heads(pair: Pair) -> dict:
    """What the heads found, mixed by W_o."""
    trace = pair.trace
    weights = (
        [entries.matrix(trace, "w_o", title=f"W_o{learned(trace)}", wide=True)]
        if "w_o" in trace
        else []
    )
    heads = trace.setup.heads
    row = pair.row("concat", pair.query, "z" if heads == 1 else f"z of {heads} heads")
    result = pair.row("output", pair.query, f"y, {pair.asks}")
    said = f"What attention found for {words.quoted(pair.asks)}: its new vector."
    return plain(pair, "made", said, said, role="output", matrices=(row, *weights, result))


# By a page's path and the name of the beat there.
SCENES: dict[tuple[str, str], Callable[[Pair], dict]] = {
    ("", "meaning"): the_arc,
    ("vocabulary", "words"): the_ids,
    ("embedding", "lookup"): the_lookup,
    ("projection", "row"): the_query,
    ("projection", "all"): the_key,
    ("scores", "sum"): the_fit,
    ("scores", "row"): the_row,
    ("weights", "scaled"): the_scaled_row,
    ("weights", "shares"): the_shares,
    ("weights", "root"): without_the_root,
    ("context", "mixture"): the_mixture,
    ("heads", "parts"): the_heads,
}
