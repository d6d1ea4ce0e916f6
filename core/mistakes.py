"""The mistakes in the notebooks, each written anew in a faulty and a repaired form, and what breaks.

Each form is a short function that a page prints; `Mistake.run` calls it and measures one invariant: something
that must hold whatever the numbers are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core import attention, block, heads, masks, parameters, presets
from core.classifier import classify
from core.notebooks import N2_SETUP, N4_OUTPUT, attend_to, letters, n4_heads
from core.setup import Setup
from core.text import token_ids, vocabulary, words
from core.trace import run
from core.written import number, short


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came out: whether the invariant holds, what was measured, and a matrix to look at.

    `error` is what Python says where the form cannot run; then there is no matrix.
    """

    holds: bool
    measured: str
    matrix: Tensor | None = None
    axes: tuple[str, str] = ("", "")
    error: str = ""

    @property
    def sentence(self) -> str:
        """What came out, as a sentence begins; a symbol stays as it is, for Ω is not ω."""
        said = self.error or self.measured
        return said[0].upper() + said[1:] if said[0].isascii() else said


@dataclass(frozen=True)
class Mistake:
    """One mistake: where it stands, what is written there, why nobody noticed, how it is repaired.

    `key` is its name in links. `faults` names its switches; `run` takes those that are on. `forms` are the
    functions to print, the faulty ones first. `alone` says why nobody would notice a fault by itself, where
    that is another reason.
    """

    key: str
    notebook: str
    title: str
    written: str
    invariant: str
    unnoticed: str
    repair: str
    run: Callable[[frozenset[str]], Outcome]
    forms: tuple[Callable, ...]
    faults: tuple[str, ...] = ("fault",)
    alone: Mapping[str, str] = field(default_factory=dict, hash=False)

    def why_unnoticed(self, on: frozenset[str]) -> str:
        """Why nobody noticed these faults; nothing where none is on."""
        if len(on) == 1:
            return self.alone.get(*on, self.unnoticed)
        return self.unnoticed if on else ""


def attempt(work: Callable[[], Outcome]) -> Outcome:
    """Run it; where it cannot run, the outcome is what Python says."""
    try:
        return work()
    except (RuntimeError, NameError, TypeError, SyntaxError, IndexError, ValueError) as error:
        said = f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"
        return Outcome(False, "it does not run", error=said)


def between(values: Tensor) -> str:
    """The smallest and the largest, as a reader would write them."""
    low, high = short(values.min().item(), 4), short(values.max().item(), 4)
    return low if low == high else f"{low} to {high}"


# ---------- N4: the softmax and the size ----------


def n4_weights(q: Tensor, k: Tensor, over_queries: bool, wrong_size: bool) -> Tensor:
    """Weights (head, query, key) of N4's heads, with either of its two faults."""
    d_k = q.shape[-2] if wrong_size else q.shape[-1]
    scores = attention.scale(attention.scores(q, attention.transpose(k)), d_k)
    if over_queries:
        return attention.softmax(scores.mT).mT  # each key's column sums to 1, no query's row
    return attention.softmax(scores)


def n4_output(faults: frozenset[str]) -> tuple[Tensor, Tensor, Tensor]:
    """Weights (head, query, key), values (head, key, d_v) and output (query, d_v) of N4's heads."""
    made = n4_heads()
    q, k, v = (attention.project(made.x, w) for w in (made.w_q, made.w_k, made.w_v))
    weights = n4_weights(q, k, over_queries="axis" in faults, wrong_size="size" in faults)
    output = heads.combine(heads.concatenate(attention.mix(weights, v)), made.w_o)
    return weights, v, output


@cache
def n4_row_sums(faults: frozenset[str]) -> str:
    """The smallest and the largest sum of a query's weights in N4's heads, with these of its faults."""
    return between(n4_output(faults)[0].sum(dim=-1))


def _n4_heads(faults: frozenset[str]) -> Outcome:
    weights, _, output = n4_output(faults)
    sums = weights.sum(dim=-1)
    first = ", ".join(short(value, 5) for value in output[:, 0].tolist())
    published = (output[:, 0] - N4_OUTPUT).abs().max().item()
    measured = f"in all three heads, the rows sum to {n4_row_sums(faults)}. First number of each word's output: {first}. "
    if published < 0.01:
        measured += "These are the digits that the notebook printed. "
    holds = bool(torch.allclose(sums, torch.ones_like(sums)))
    if holds and "size" in faults:
        measured += "Rows that sum to 1 do not show that √6 stands where √24 should: the weights are too sharp. "
    return Outcome(
        holds and not faults, measured + f"Largest output {output.abs().max():.1f}.", weights[0], ("query", "key")
    )


# ---------- N4: W_o, counting, vocabulary ----------


def _n4_residual(faults: frozenset[str]) -> Outcome:
    trace = run(Setup(out="d_v" if faults else "d_model"))

    def work() -> Outcome:
        added = block.add(trace.value("x"), trace.value("output"))
        return Outcome(True, f"X {tuple(added.shape)} + Y {tuple(added.shape)} works", added, ("token", "d_model"))

    return attempt(work)


def score_by_code(scores: Tensor, query: int, key: int) -> Tensor:
    """Take the indices as code counts, from 0."""
    return scores[query, key]


def score_by_reader(scores: Tensor, query: int, key: int) -> Tensor:
    """Take the indices as the formula counts, from 1."""
    return scores[query - 1, key - 1]


def _n4_counting(faults: frozenset[str]) -> Outcome:
    scores = run(Setup()).value("scores")[0]
    value = (score_by_code if faults else score_by_reader)(scores, 2, 5).item()
    right = abs(value - 11.1466) < 1e-4
    measured = f"ω₂₅ = {number(value)}; " + ("what the notebook printed" if right else "the notebook printed 11.1466")
    if faults:
        measured += ". And an index from 0 to T names 7 elements of a sentence of 6: " + _seventh(scores)
    return Outcome(right, measured, scores, ("query", "key"))


def _seventh(scores: Tensor) -> str:
    try:
        return str(scores[scores.shape[0]])
    except IndexError as error:
        return f"IndexError: {error}"


def ids_by_sorting(tokens: tuple[str, ...]) -> Tensor:
    """Number the sorted words, repeated ones included: the later number overwrites the earlier."""
    place = {word: number for number, word in enumerate(sorted(tokens))}
    return torch.tensor([place[token] for token in tokens])


def ids_by_vocabulary(tokens: tuple[str, ...]) -> Tensor:
    """Number each different word once."""
    return token_ids(tokens, vocabulary(tokens))


def _n4_vocabulary(faults: frozenset[str]) -> Outcome:
    tokens = words("the cat saw the dog and the mat")
    ids = (ids_by_sorting if faults else ids_by_vocabulary)(tokens)
    rows = len(vocabulary(tokens))
    measured = f"{rows} different words; the ids are {', '.join(map(str, ids.tolist()))}. "

    def work() -> Outcome:
        table = parameters.normal(parameters.stream(123), rows, 4)
        return Outcome(True, measured + "Each names a row of the table.", table[ids], ("token", "d_model"))

    found = attempt(work)
    return replace(found, measured=measured + "They point past the table's last row.") if found.error else found


# ---------- N0 ----------


def split_by_view(x: Tensor, w: Tensor, count: int) -> Tensor:
    """Project to k·h numbers a token, w (k, k·h), and view them as h heads of k / h: the sizes do not match."""
    batch, tokens, k = x.shape
    return attention.project(x, w).view(batch, tokens, count, k // count)


def split_in_heads(x: Tensor, w: Tensor, count: int) -> Tensor:
    """Project to k numbers a token, w (k, k), and cut them into h heads of k / h."""
    return heads.split(attention.project(x, w), count)


def _n0_view(faults: frozenset[str]) -> Outcome:
    source = parameters.stream(0)
    x = parameters.normal(source, 2 * 3, 8).view(2, 3, 8)
    w = parameters.normal(source, 8, 8 * 2 if faults else 8)

    def work() -> Outcome:
        made = (split_by_view if faults else split_in_heads)(x, w, 2)
        return Outcome(True, f"(2, 3, 8) becomes {tuple(made.shape)}: 2 heads of 4", made[0, 0], ("token", "k / h"))

    return attempt(work)


def scale_by_embedding(scores: Tensor, k: int, count: int) -> Tensor:
    """Divide by √k of the whole embedding."""
    return attention.scale(scores, k)


def scale_by_head(scores: Tensor, k: int, count: int) -> Tensor:
    """Divide by √(k / h), the length of this head's queries and keys."""
    return attention.scale(scores, k // count)


def _n0_scale(faults: frozenset[str]) -> Outcome:
    k, count = 64, 4
    q, key = torch.randn(2, 200, k // count, generator=parameters.stream(0))
    scaled = (scale_by_embedding if faults else scale_by_head)(attention.scores(q, attention.transpose(key)), k, count)
    spread = scaled.std().item()
    largest = attention.softmax(scaled[:, :8]).amax(dim=-1).mean().item()
    measured = (
        f"queries and keys of standard deviation 1 give scaled scores of {spread:.3f}, for k = {k} and h = {count}; among 8 words "
        f"the largest weight is {largest:.1%} on average"
    )
    return Outcome(abs(spread - 1) < 0.1, measured, attention.softmax(scaled[:8, :8]), ("query", "key"))


class UnifyByGlobal(nn.Module):
    """Build the output layer from a name that is only known elsewhere."""

    def __init__(self, k_dimensions: int):
        super().__init__()
        self.unify = nn.Linear(k, k)  # noqa: F821 (this is the fault)


class UnifyByArgument(nn.Module):
    """Build it from what was handed in."""

    def __init__(self, k_dimensions: int):
        super().__init__()
        self.unify = nn.Linear(k_dimensions, k_dimensions)


def _n0_name(faults: frozenset[str]) -> Outcome:
    def work() -> Outcome:
        made = (UnifyByGlobal if faults else UnifyByArgument)(8)
        return Outcome(True, f"an output layer of {made.unify.in_features} × {made.unify.out_features}")

    return attempt(work)


def attend_and_forget(scores: Tensor, mask: bool) -> Tensor:
    """Take the argument, and never look at it again."""
    return attention.softmax(scores)


def attend_and_mask(scores: Tensor, mask: bool) -> Tensor:
    """Put −∞ above the diagonal before the softmax, if asked."""
    allowed = masks.causal(scores.shape[-1]) if mask else masks.everyone(scores.shape[-1])
    return attention.softmax(attention.mask(scores, allowed))


def _n0_mask(faults: frozenset[str]) -> Outcome:
    scaled = run(Setup()).value("scaled")[0]
    weights = (attend_and_forget if faults else attend_and_mask)(scaled, mask=True)
    leaked = weights.triu(1).sum(dim=-1)
    measured = f"with the mask asked for, {leaked.max():.1%} of a row's attention still goes to later words at most"
    return Outcome(bool((leaked == 0).all()), measured, weights, ("query", "key"))


class Block(nn.Module):
    """A block that takes its size as `k_dimensions`."""

    def __init__(self, k_dimensions: int, heads: int):
        super().__init__()
        self.sizes = (k_dimensions, heads)


def build_by_other_name() -> nn.Module:
    """Call the block with a keyword that it does not have."""
    return Block(k=8, heads=2)


def build_by_its_name() -> nn.Module:
    """Call it by its own."""
    return Block(k_dimensions=8, heads=2)


HALF_OUTSIDE = """
def forward(self, x):
    tokens = self.embedding(x)
positions = self.positions(tokens.shape[1])
return self.blocks(tokens + positions)
"""
ALL_INSIDE = """
def forward(self, x):
    tokens = self.embedding(x)
    positions = self.positions(tokens.shape[1])
    return self.blocks(tokens + positions)
"""


def _n0_classifier(faults: frozenset[str]) -> Outcome:
    def work() -> Outcome:
        compile(HALF_OUTSIDE if "indent" in faults else ALL_INSIDE, "classifier", "exec")
        (build_by_other_name if "keyword" in faults else build_by_its_name)()
        made = classify(
            Setup(d_model=8, heads=2, sizes="narrow", init="xavier", bias="on", positions="learned", d_ff=32)
        )
        return Outcome(
            True, "the classifier is built and runs", made.trace.value("log_probabilities"), ("sentence", "class")
        )

    return attempt(work)


# ---------- N2 ----------


def fold_heads(x: Tensor) -> Tensor:
    """Flatten every axis but the first and the last: what a module for (batch, token, d_model) makes of four axes."""
    return x.reshape(x.shape[0], -1, x.shape[-1])


def one_axis_less(x: Tensor) -> Tensor:
    """Hand over (batch, token, d_model), and let the module make the heads."""
    return x[:, 0]


def _n2_folded(faults: frozenset[str]) -> Outcome:
    given = torch.rand(1, 2, 10, 10, generator=parameters.stream(0))
    x = (fold_heads if faults else one_axis_less)(given)
    made = attend_to(Setup(text=letters(x.shape[1]), **(N2_SETUP | {"heads": 2})), x)
    weights, output = made["weights"].value, made["output"].value
    across = weights[0, 0, :10, 10:].sum(dim=-1)
    measured = f"weights {tuple(weights.shape)}, output {tuple(output.shape)}"
    if faults:
        measured += (
            f"; {between(across)} of a word's attention goes to the other “head”, which is no part of its sentence"
        )
    return Outcome(x.shape[1] == 10, measured, weights[0, 0], ("query", "key"))


def weights_while_training(weights: Tensor, kept: Tensor) -> Tensor:
    """Leave dropout on, a tenth of the weights."""
    return attention.dropout(weights, kept, rate=0.1)


def weights_as_used(weights: Tensor, kept: Tensor) -> Tensor:
    """Switch training off before looking: all weights as they are."""
    return weights


def _n2_dropout(faults: frozenset[str]) -> Outcome:
    q, k = torch.rand(2, 10, 10, generator=parameters.stream(0))
    weights = attention.softmax(attention.scale(attention.scores(q, attention.transpose(k)), d_k=10))
    kept = parameters.draw_kept(Setup(dropout=0.1), 10, 10)
    shown = (weights_while_training if faults else weights_as_used)(weights, kept)
    sums = shown.sum(dim=-1)
    said = ", ".join(f"{value:.2f}" for value in sums[:4].tolist())
    return Outcome(bool(torch.allclose(sums, torch.ones(10))), f"the rows sum to {said} …", shown, ("query", "key"))


def predict_each_token(setup: Setup) -> Tensor:
    """Hand vectors to the stack and classify every token: (token, class)."""
    made = classify(setup)
    return made.trace.value("token_logits")[0]


def predict_the_sentence(setup: Setup) -> Tensor:
    """Embed words and positions, and classify the mean of the words: (1, class)."""
    made = classify(replace(setup, positions="sinusoidal"))
    return made.trace.value("logits")[:1]


def _n2_classifier(faults: frozenset[str]) -> Outcome:
    predict = predict_each_token if faults else predict_the_sentence
    told, turned = "man bites dog", "dog bites man"
    made, other = (predict(Setup(text=text, others="", **(N2_SETUP | {"layers": 1}))) for text in (told, turned))
    by_size = [values[values[:, 0].argsort()] for values in (made, other)]
    same = bool(torch.allclose(*by_size, atol=1e-5))
    measured = f"{len(made)} prediction{'s' if len(made) > 1 else ''} for “{told}”; “{turned}” gives " + (
        "the same ones in another order" if same and len(made) > 1 else "the same" if same else "another"
    )
    return Outcome(len(made) == 1 and not same, measured, made, ("token" if faults else "sentence", "class"))


# ---------- N3 ----------


def values_from_queries(x: Tensor, w_q: Tensor, w_v: Tensor) -> Tensor:
    """V = X W_q, as the formula has it."""
    return attention.project(x, w_q)


def values_from_values(x: Tensor, w_q: Tensor, w_v: Tensor) -> Tensor:
    """V = X W_v, as the code beside it does."""
    return attention.project(x, w_v)


@cache
def _n3() -> tuple[Tensor, dict[str, Tensor]]:
    """N3's layer on five words: x (token, 4) and its weights."""
    setup = Setup(text=letters(5), **presets.N3)
    return run(setup).value("x"), parameters.draw(setup)


def _n3_values(faults: frozenset[str]) -> Outcome:
    x, drawn = _n3()
    w_q, w_v = drawn["w_q"][0], drawn["w_v"][0]
    v = (values_from_queries if faults else values_from_values)(x, w_q, w_v)
    apart = (v - attention.project(x, w_q)).abs().max().item()
    return Outcome(apart > 0, f"values and queries differ by at most {short(apart, 4)}", v, ("token", "d_v"))


def query_by_formula(x: Tensor, w_q: Tensor, b_q: Tensor) -> Tensor:
    """Q = X W_q: the formula says nothing of a bias."""
    return attention.project(x, w_q)


def query_with_bias(x: Tensor, w_q: Tensor, b_q: Tensor) -> Tensor:
    """Q = X W_q + b_q: what the layer in the code computes."""
    return attention.project(x, w_q, b_q)


def _n3_bias(faults: frozenset[str]) -> Outcome:
    x, drawn = _n3()
    w_q, b_q = drawn["w_q"][0], drawn["b_q"][0]
    q = (query_by_formula if faults else query_with_bias)(x, w_q, b_q)
    apart = (q - F.linear(x, w_q.T, b_q)).abs().max().item()
    return Outcome(apart < 1e-6, f"formula and layer differ by at most {short(apart, 4)}", q, ("token", "d_k"))


def value_weights_of_keys(d_model: int, d_k: int, d_v: int) -> Tensor:
    """Give the values the keys' size, whatever was asked for."""
    return parameters.xavier(parameters.stream(3), d_model, d_k)


def value_weights_of_their_own(d_model: int, d_k: int, d_v: int) -> Tensor:
    """Give them a size of their own: they are only ever added up."""
    return parameters.xavier(parameters.stream(3), d_model, d_v)


def _n3_size(faults: frozenset[str]) -> Outcome:
    x, drawn = _n3()
    w_v = (value_weights_of_keys if faults else value_weights_of_their_own)(4, 2, 7)
    q, k = (attention.project(x, drawn[f"w_{name}"][0]) for name in "qk")
    weights = attention.softmax(attention.scale(attention.scores(q, attention.transpose(k)), d_k=2))
    context = attention.mix(weights, attention.project(x, w_v))
    measured = f"asked for d_k = 2 and d_v = 7, the context has {context.shape[1]} numbers a word"
    return Outcome(context.shape[1] == 7, measured, context, ("query", "d_v"))


MISTAKES = (
    Mistake(
        "N4 softmax and size", "N4", "Softmax along the wrong axis, and √ of the wrong size",
        "First: scores are laid out with keys as rows and queries as columns, then the softmax runs along the last axis, over the "
        "queries. Second: d_k is read from an axis that holds words, so it is 6, not 24.",
        "Each query's weights sum to 1, and scores are divided by √24.",
        "Every column still looks like probabilities, every shape fits, and the output has no scale that anybody would know.",
        "Normalise over the keys of each query, and take d_k from the axis that the product sums over.",
        _n4_heads, (n4_weights,), ("axis", "size"),
        {"size": "Every row sums to 1 and every shape fits; the weights are only sharper than they should be."},
    ),
    Mistake(
        "N4 output size", "N4", "W_o leads to d_v, not back to d_model",
        "The output matrix is made (heads · d_v) × d_v.",
        "The output can be added to the input.",
        "The notebook ends there: nothing adds the result to anything.",
        "Make it (heads · d_v) × d_model, as the paper does.",
        _n4_residual, (block.add,),
    ),
    Mistake(
        "N4 counting", "N4", "Counting from one and from zero",
        "The formulas count the sentence's words from 0 to T, the score ω₂₅ counts from one, the code beside it from zero.",
        "ω₂₅ is the score of the second word with the fifth, 11.1466.",
        "The code is right; only who types the formula's numbers into it gets another score.",
        "Say once where counting starts. This explorer counts from one, its code from zero.",
        _n4_counting, (score_by_code, score_by_reader),
    ),
    Mistake(
        "N4 vocabulary", "N4", "A vocabulary that counts repeated words",
        "The sorted list of all words is numbered, not the list of different words.",
        "Each id is a row of a table with one row a word.",
        "No word of the example sentence occurs twice.",
        "Number the different words.",
        _n4_vocabulary, (ids_by_sorting, ids_by_vocabulary),
    ),
    Mistake(
        "N0 view", "N0", "More numbers than places",
        "Each projection makes k · h numbers for a word, which are then viewed as h heads of k / h.",
        "A view keeps the count of numbers.",
        "The cell was never run with more than one head; with one, k · 1 numbers are 1 head of k.",
        "Project to k numbers in all (narrow heads), or view them as h heads of k (wide heads).",
        _n0_view, (split_by_view, split_in_heads),
    ),
    Mistake(
        "N0 scale", "N0", "√k of the embedding, not of the head",
        "Scores of a head, sums of k / h products, are divided by √k.",
        "Scaled scores of independent queries and keys have a standard deviation of 1.",
        "Attention only becomes flatter, by √h; it runs, and trains.",
        "Divide by √(k / h).",
        _n0_scale, (scale_by_embedding, scale_by_head),
    ),
    Mistake(
        "N0 name", "N0", "A name from another cell",
        "The output layer's size is a name that the class never gets; it lives in the notebook's memory, or not at all.",
        "The module can be built from its own arguments.",
        "In a notebook, a variable of an earlier cell makes it work.",
        "Use the argument.",
        _n0_name, (UnifyByGlobal, UnifyByArgument),
    ),
    Mistake(
        "N0 mask", "N0", "A mask that is accepted and never used",
        "The module takes a mask argument and does nothing with it.",
        "With a causal mask, no attention goes to later words.",
        "Nothing fails: the output has the right shape with and without.",
        "Put −∞ where a query may not look, before the softmax.",
        _n0_mask, (attend_and_forget, attend_and_mask),
    ),
    Mistake(
        "N0 classifier", "N0", "A classifier that was pasted, not run",
        "First: the blocks are built with a keyword that they do not have. Second: half of the forward pass stands outside its "
        "function.",
        "It can be read by Python and built.",
        "The cell has no number beside it: it was never run.",
        "Use the block's own keyword; indent the rest of the function.",
        _n0_classifier, (build_by_other_name, build_by_its_name), ("keyword", "indent"),
    ),
    Mistake(
        "N2 folded heads", "N2", "Heads folded into the sentence",
        "Tensors that already have a heads' axis, (1, 2, 10, 10), go to a module that expects (batch, token, d_model). "
        "A view with a free axis swallows it.",
        "Ten words stay ten words.",
        "Only shapes are printed, and (1, 20, 10) looks reasonable.",
        "Hand over (batch, token, d_model).",
        _n2_folded, (fold_heads, one_axis_less),
    ),
    Mistake(
        "N2 dropout", "N2", "Weights shown while dropout is on",
        "The module is in training mode, as every module is at first, when its weights are returned.",
        "The rows sum to 1.",
        "Only the shape of the weights is printed.",
        "Call eval() before looking, or return the weights from before dropout.",
        _n2_dropout, (weights_while_training, weights_as_used),
    ),
    Mistake(
        "N2 classifier", "N2", "A classifier without words, order or sentence",
        "Random vectors go in, no positions are added, and every token gets a prediction of its own.",
        "One sentence gets one prediction, and the order of its words can change it.",
        "(1, 10, 2) has the two classes in it.",
        "Embed words and positions, and classify the mean of the words.",
        _n2_classifier, (predict_each_token, predict_the_sentence),
    ),
    Mistake(
        "N3 values", "N3", "Values made with the queries' matrix",
        "The formula for all values at once reads X W_q where W_v is meant.",
        "Values differ from queries.",
        "The code below uses a matrix of its own and is right.",
        "V = X W_v.",
        _n3_values, (values_from_queries, values_from_values),
    ),
    Mistake(
        "N3 bias", "N3", "A bias that the formula does not have",
        "The formulas multiply with a matrix; the layers in the code also add a bias, which is their default.",
        "Formula and code give the same numbers.",
        "No number is printed, only shapes.",
        "Write the bias, or switch it off in the code.",
        _n3_bias, (query_by_formula, query_with_bias),
    ),
    Mistake(
        "N3 size", "N3", "One size for keys and values",
        "All three matrices are d × d_k.",
        "d_v can be chosen apart from d_k.",
        "It works; it only hides that values need not be as long as keys.",
        "Give the values' matrix a size of its own.",
        _n3_size, (value_weights_of_keys, value_weights_of_their_own),
    ),
)  # fmt: skip


def find(key: str) -> Mistake:
    """The mistake with this key. Raises KeyError where there is none."""
    return {mistake.key: mistake for mistake in MISTAKES}[key]
