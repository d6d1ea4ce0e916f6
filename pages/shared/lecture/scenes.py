"""The story's scenes: for each of its beats a figure about one pair of words, computed from the
trace."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from core.forward.trace import Trace
from core.ops import attention
from core.quiz import predictions
from core.setup.presets import SENTENCE
from core.text import language
from core.text.text import labels
from core.text.written import brief, count
from pages.shared import board
from pages.shared.board import entries
from pages.shared.server import computed
from pages.shared.text import words

MAX_ENTRIES = 40  # of the vocabulary; of a longer one those nearest to the pair
MAX_ROWS = 9  # of a weighted sum: the largest weights


@dataclass(frozen=True)
class Pair:
    """The story's pair: a head, a query word and a key word, from 0."""

    trace: Trace
    head: int
    query: int
    key: int

    @property
    def asks(self) -> str:
        """Return the query word."""
        return labels(self.trace.tokens)[self.query]

    @property
    def asked(self) -> str:
        """Return the key word."""
        return labels(self.trace.key_tokens)[self.key]

    @property
    def ids(self) -> tuple[int, int]:
        """Return both words' ids."""
        of_keys = "memory_ids" if self.trace.setup.memory else "ids"
        ids, key_ids = self.trace.value("ids"), self.trace.value(of_keys)
        return int(ids[self.query]), int(key_ids[self.key])

    def row(self, name: str, place: int, title: str = "") -> board.Matrix:
        """Return one row of an entry."""
        at = self.head if len(self.trace[name].dims) > 2 else None
        return entries.matrix(self.trace, name, at, title, rows=slice(place, place + 1), wide=True)

    def select_query_row(self, name: str) -> Tensor:
        """Return the query's row of an entry with heads (key,)."""
        return self.trace.value(name)[self.head, self.query]


def scene(pair: Pair, view: str, said: str, before: str = "", **more: object) -> dict:
    """Return the fields of every scene: view, text and words; `before` is read first by screen
    readers."""
    names, keys = labels(pair.trace.tokens), labels(pair.trace.key_tokens)
    chosen, alt = (pair.query, pair.key), f"{before} {said}".strip()
    told = {"scene": view, "names": names, "keys": keys, "chosen": chosen, "said": said, "alt": alt}
    return told | more


def find_prediction(pair: Pair, name: str, kind: str = "") -> dict:
    """Return a prediction about the pair for the figure; {} if there is none of this kind."""
    question = predictions.ask(name, pair.trace, pair.head, pair.query)
    if question is None or kind not in ("", question.kind):
        return {}
    return {"asked": board.Asked(right=question.answers)}


# ---------- words and rows ----------


def make_arc(pair: Pair) -> dict:
    """Draw the last word's arc. In the overview's sentence, with another last word."""
    setup, known = pair.trace.setup, ""
    before, _, last = setup.text.rpartition(" ")
    if before == SENTENCE and pair.query == len(pair.trace.tokens) - 1:
        known = f" With {words.quote(last)} it was {words.quote(pair.asked)}."
        foods, animals = language.FITS_FOODS, language.FITS_ANIMALS
        other = foods[2] if last in animals else animals[0]
        trace = computed.traced(replace(setup, text=f"{SENTENCE} {other}"))
        pair = replace(pair, trace=trace)
        pair = replace(pair, key=int(pair.select_query_row("weights").argmax()))
    shares, keys = pair.select_query_row("weights"), labels(pair.trace.key_tokens)
    said = words.attention(pair.asks, shares.tolist(), keys, most=1) + known
    alt = f"The sentence, and an arc that begins at {words.quote(pair.asks)}."
    more = {"asks": pair.asks, "bars": shares[None], "alt": alt}
    return scene(pair, "arc", said, **more, **find_prediction(pair, "weights"))


def make_heads(pair: Pair) -> dict:
    """Draw the word's arc in the head that is followed, and in another, if possible to another
    word."""
    weights, keys = pair.trace.value("weights")[:, pair.query], labels(pair.trace.key_tokens)
    largest = weights.argmax(dim=-1).tolist()
    others = [k for k in range(len(largest)) if k != pair.head]
    others.sort(key=lambda k: largest[k] == largest[pair.head])
    heads = [pair.head, *others[:1]]
    said = " ".join(
        f"In head {k + 1} {words.attention(pair.asks, weights[k].tolist(), keys, most=1)}"
        for k in heads
    )
    if not others:
        said += " This setup has no other head."
    titles = [f"head {k + 1}" for k in heads]
    return scene(pair, "arc", said, "An arc for each head.", bars=weights[heads], titles=titles)


def make_whole(pair: Pair) -> dict:
    """Draw the word's arc once more."""
    shares, keys = pair.select_query_row("weights"), labels(pair.trace.key_tokens)
    said = words.attention(pair.asks, shares.tolist(), keys, most=1)
    return scene(pair, "arc", said, "The sentence, and its arc.", bars=shares[None])


def make_ids(pair: Pair) -> dict:
    """Show both ids in the sorted list."""
    i, j = pair.ids
    names = labels(pair.trace.vocabulary)
    said = (
        f"{words.quote(pair.asks)} is {i}, {words.quote(pair.asked)} is {j}, counted from 0."
        f" {count(len(names), 'word')}: {describe_vocabulary(pair.trace)}."
    )
    listed = [(k, names[k]) for k in shown(pair.trace, pair.ids)]
    bars = torch.tensor([pair.ids])
    return scene(pair, "ids", said, "The vocabulary as a list.", entries=listed, bars=bars)


def describe_vocabulary(trace: Trace) -> str:
    """Say where the words of the list come from."""
    setup = trace.setup
    own = "of both sentences" if setup.memory else "of this sentence"
    if not setup.known:
        return f"those {own}"
    learned = "those of the sentences that it was trained on"
    return learned if set(trace.vocabulary) <= set(setup.known) else f"{learned}, and {own}"


def shown(trace: Trace, both: Sequence[int]) -> list[int]:
    """Return the shown ids of the vocabulary: all, or those nearest to the pair."""
    every = range(len(trace.vocabulary))
    nearest = sorted(every, key=lambda k: min(abs(k - each) for each in both))
    return sorted(nearest[:MAX_ENTRIES])


def make_lookup(pair: Pair) -> dict:
    """Look up two rows of the table."""
    trace, (i, j) = pair.trace, pair.ids
    rows = shown(trace, pair.ids)
    size = trace.value("embedding_table").shape[1]
    said = (
        f"Row {i} is {words.quote(pair.asks)}, row {j} is {words.quote(pair.asked)}:"
        f" {count(size, 'number')} each."
    )
    table = entries.matrix(trace, "embedding_table", title="E, the table", rows=rows, wide=True)
    key_rows = "memory_embedded" if trace.setup.memory else "embedded"
    both = pair.row("embedded", pair.query, pair.asks), pair.row(key_rows, pair.key, pair.asked)
    bars = torch.tensor([[rows.index(i), rows.index(j)]])
    before = f"A table of {count(size, 'column')}."
    return scene(pair, "lookup", said, before, matrices=(table, *both), bars=bars)


def make_positions(pair: Pair) -> dict:
    """Add the row of its place to the query word's row."""
    trace, place = pair.trace, pair.query + 1
    rows = [("embedded", pair.asks), ("positions", f"position {place}"), ("x", f"x, {pair.asks}")]
    rows = [pair.row(name, pair.query, title) for name, title in rows if name in trace]
    said = f"{words.quote(pair.asks)} at position {place}: its row, and that of the position."
    if "positions" not in trace:
        said = "In this setup nothing is added here."
    return scene(pair, "added", said, "Rows of numbers.", role="x", matrices=rows)


def made(pair: Pair, role: str, said: str, before: board.Matrix, after: board.Matrix) -> dict:
    """Show a row, a matrix, and their product."""
    trace, name = pair.trace, "w_o" if role == "output" else f"w_{role}"
    learned = ", learned in training" if trace.setup.init in ("trained", "real") else ""
    title, head = f"{name.capitalize()}{learned}", None if role == "output" else pair.head
    weights = [entries.matrix(trace, name, head, title, wide=True)] if name in trace else []
    return scene(pair, "made", said, role=role, matrices=(before, *weights, after))


def make_projection(pair: Pair, symbol: str) -> dict:
    """Multiply the query word's row by W_q, or the key word's by W_k or W_v."""
    kind = {"q": "query", "k": "key", "v": "value"}[symbol]
    place, word = (pair.query, pair.asks) if symbol == "q" else (pair.key, pair.asked)
    source = pair.trace.made_of(symbol)
    before, after = (
        pair.row(source, place, f"x, {word}"),
        pair.row(symbol, place, f"{symbol}, {word}"),
    )
    sizes = f"From {count(before.values.shape[-1], 'number')} to {after.values.shape[-1]}"
    return made(pair, symbol, f"{sizes}: the {kind} of {words.quote(word)}.", before, after)


def make_output(pair: Pair) -> dict:
    """Multiply the concatenated heads by W_o."""
    heads = pair.trace.setup.heads
    row = pair.row("concat", pair.query, "z" if heads == 1 else f"z of {heads} heads")
    result = pair.row("output", pair.query, f"y, {pair.asks}")
    said = f"What attention found for {words.quote(pair.asks)}: its row of Y."
    return made(pair, "output", said, row, result)


# ---------- scores and weights ----------


def make_score(pair: Pair) -> dict:
    """Multiply query and key, number by number."""
    asks, keys = pair.trace.compared
    query = pair.row(asks, pair.query, f"q, {pair.asks}")
    key = pair.row(keys, pair.key, f"k, {pair.asked}")
    look = {"name": "product", "title": "product", "role": "scores", "symbol": "product"}
    product = replace(query, values=query.values * key.values, **look)
    said = f"q · k = {brief(pair.select_query_row('scores')[pair.key].item())}"
    alt = f"Two rows, their products, and the sum. {said}."
    return scene(pair, "fits", said, alt=alt, matrices=(query, key, product))


def bars(
    pair: Pair, role: str, before: Tensor, after: Tensor, said: str, alt: str, **more: object
) -> dict:
    """Show one bar for each word, before and after a step."""
    more |= {"role": role, "shares": role == "weights"}
    return scene(pair, "bars", said, alt, bars=torch.stack([before, after]), **more)


def make_row(pair: Pair) -> dict:
    """Show the query's score with every key."""
    scores = pair.select_query_row("scores")
    said = f"{words.quote(pair.asked)} scores {brief(scores[pair.key].item())}."
    return bars(pair, "scores", torch.zeros_like(scores), scores, said, "A bar for each word.")


def make_scaled_row(pair: Pair) -> dict:
    """Show the scaled scores, with any other step before the mask."""
    (last,) = pair.trace["masked"].inputs
    before, after = pair.select_query_row("scores"), pair.select_query_row(last)
    told = [brief(pair.select_query_row(name)[pair.key].item()) for name in ("scores", "scaled")]
    root = f"divided by √{pair.trace.setup.d_k}"
    said = f"{words.quote(pair.asked)}: {' becomes '.join(told)}, {root}."
    if pair.trace.setup.scale == "none":
        said = "Here nothing is divided."
    later = after_division(pair.trace)
    for name in later:
        said += (
            f" {pair.trace[name].symbol}: {brief(pair.select_query_row(name)[pair.key].item())}."
        )
    alt = "A bar for each word." if later else "Each bar shrinks."
    return bars(pair, "scores", before, after, said, alt)


def after_division(trace: Trace) -> list[str]:
    """Return the stages between the scaled scores and the mask."""
    stages = trace.stages(trace["masked"].inputs[0])
    return list(stages[stages.index("scaled") + 1 :])


def make_weights(pair: Pair) -> dict:
    """Show the query's weights; a click on a word predicts the largest."""
    weights = pair.select_query_row("weights")
    said = words.attention(pair.asks, weights.tolist(), labels(pair.trace.key_tokens), most=2)
    even, alt = torch.full_like(weights, 1 / len(weights)), "A bar for each word, together 1."
    (ready,) = pair.trace["weights"].call.inputs
    under = [brief(score) for score in pair.select_query_row(ready).tolist()]
    more = find_prediction(pair, "weights", "shares")
    return bars(pair, "weights", even, weights, said, alt, under=under, **more)


def make_unscaled(pair: Pair) -> dict:
    """Show the weights without the division by √d_k; up or down is predicted."""
    after, before = (
        replace(pair, trace=trace).select_query_row("weights")
        for trace in predictions.without_and_with_root(pair.trace)
    )
    said, alt = describe_root(after.max().item(), before.max().item()), "A bar for each word."
    return bars(pair, "weights", before, after, said, alt, **find_prediction(pair, "root"))


def describe_root(without: float, divided: float) -> str:
    """Compare a row's largest weight without √d_k and with it, in as many digits as that takes."""
    both = ([words.percent(share, k) for share in (without, divided)] for k in (0, 2))
    apart = next((each for each in both if each[0] != each[1]), None)
    if apart is None:
        return "The largest share is the same without √d_k and with it, to a hundredth of 1%."
    said = f"The largest share is {apart[0]} without √d_k, {apart[1]} with it."
    if without > divided:
        said += (
            " Undivided, the scores lie further apart, and the softmax gives more to the largest."
        )
    return said


def make_context(pair: Pair) -> dict:
    """Show each value times its weight, and their sum."""
    trace, names = pair.trace, labels(pair.trace.key_tokens)
    weights, values = pair.select_query_row("weights"), trace.select_head("v", pair.head)
    largest = sorted(weights.argsort(descending=True, stable=True)[:MAX_ROWS].tolist())
    study = trace.at({**trace.places(pair.head), "query": pair.query}, "weights", "v")
    study = study.also("share", "query key d_v", attention.weighted_values, "weights", "v")
    top = values.abs().max().item()
    rows = [f"{words.percent(weights[k].item())} {names[k]}" for k in largest]
    look = {"rows": largest, "row_labels": rows, "wide": True, "top": top}
    before = entries.matrix(trace, "v", pair.head, "values", **look)
    at = {"query": 0}
    parts = entries.matrix(study, "share", title="weight × value", at=at, role="v", **look)
    z = replace(pair.row("context", pair.query, "z"), top=top)
    share = words.percent(weights[pair.key].item())
    said = (
        f"z of {words.quote(pair.asks)}: {share} of it is the value of {words.quote(pair.asked)}."
    )
    if left_out := len(names) - len(largest):
        said += f" {left_out} smaller parts are not shown."
    return scene(pair, "mixed", said, matrices=(before, parts, z))


# By page path and beat name.
SCENES: dict[tuple[str, str], Callable[[Pair], dict]] = {
    ("", "meaning"): make_arc,
    ("vocabulary", "words"): make_ids,
    ("embedding", "lookup"): make_lookup,
    ("embedding", "positions"): make_positions,
    ("projection", "row"): partial(make_projection, symbol="q"),
    ("projection", "all"): partial(make_projection, symbol="k"),
    ("scores", "sum"): make_score,
    ("scores", "row"): make_row,
    ("weights", "scaled"): make_scaled_row,
    ("weights", "shares"): make_weights,
    ("weights", "root"): make_unscaled,
    ("context", "question"): partial(make_projection, symbol="v"),
    ("context", "mixture"): make_context,
    ("heads", "heads"): make_heads,
    ("heads", "parts"): make_output,
    ("heads", "line"): make_whole,
}
