"""Next-word prediction: from the stack's last row to a probability for each word, and to one word.

Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training", section 3.1.
After the last row, each step is a vector with one number for each word of the vocabulary.
"""

import re
from dataclasses import replace

import torch
from torch import Tensor

from ..fields.sentences import write_ids
from ..layers.model import normalise
from ..layers.steps import describe_division
from ..ops import attention
from ..ops.attention import softmax
from ..ops.weight_names import Weights
from ..pretrained import Pretrained
from ..setup.setup import Setup
from ..trace.origin import Copy, Product, Softmax, Transpose
from ..trace.record import Trace, TraceBuilder
from ..trace.step import Step
from ..training.init import next_number
from ..weights import weights
from . import encoder
from .trace import compute_embedding
from .word_origins import Ends, Fallen, Largest, LastRow, TopK, TopP

MAX_SHOWN, MAX_OF_A_MODEL = 12, 20


def last_row(encoded: Tensor) -> Tensor:
    """Return the stack's output for the last word, which has attended to all others: (token,
    d_model) → (d_model,).

    >>> last_row(torch.tensor([[1., 2.], [3., 4.]])).tolist()
    [3.0, 4.0]
    """
    return encoded[-1]


def logits(last: Tensor, unembedding: Tensor) -> Tensor:
    """Return each word's logit: (d_model,) · (d_model, word) → (word,). Press and Wolf 2017.

    >>> logits(torch.tensor([1., 2.]), torch.tensor([[1., 0., 3.], [0., 1., 4.]])).tolist()
    [1.0, 2.0, 11.0]
    """
    return last @ unembedding


def divide_by_temperature(logits: Tensor, temperature: float) -> Tensor:
    """Divide the logits by the temperature: below 1 differences grow, above 1 they shrink: (word,).
    Hinton et al. 2015, section 2.

    >>> divide_by_temperature(torch.tensor([1., 3.]), temperature=0.5).tolist()
    [2.0, 6.0]
    """
    return logits / temperature


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    """Keep the k largest logits and set the others to −∞: (word,). Ties keep the earlier word. Fan
    et al. 2018.

    >>> keep_top_k(torch.tensor([1., 3., 2., 3.]), k=2).tolist()
    [-inf, 3.0, -inf, 3.0]
    """
    order = logits.argsort(descending=True, stable=True)
    return logits.index_fill(-1, order[k:], -torch.inf)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    """Keep the fewest most likely words whose total probability reaches p, and set the others to
    −∞: (word,). Ties keep the earlier word. Holtzman et al. 2020, section 3.1.

    >>> keep_top_p(torch.tensor([0.25, 0.5, 0.125, 0.125]).log(), p=0.7).exp().tolist()
    [0.25, 0.5, 0.0, 0.0]
    """
    order = logits.argsort(descending=True, stable=True)
    shares = softmax(logits.double())[order]
    likelier = shares.cumsum(-1) - shares  # the total of the words before
    return logits.index_fill(-1, order[likelier >= p], -torch.inf)


def ends(probabilities: Tensor) -> Tensor:
    """Return the cumulative probability of each word, most likely first: (word,).

    >>> ends(torch.tensor([0.25, 0.5, 0.25])).tolist()
    [0.75, 0.5, 1.0]
    """
    order = probabilities.argsort(descending=True, stable=True)
    return torch.empty_like(probabilities).index_copy(-1, order, probabilities[order].cumsum(-1))


def draw(probabilities: Tensor, u: Tensor) -> Tensor:
    """Sample a word's index by inverse transform for each uniform number in [0, 1): (word,),
    (draw,) → (draw,), int64.

    >>> draw(torch.tensor([0.25, 0.5, 0.25]), torch.tensor([0.0, 0.49, 0.5, 0.99])).tolist()
    [1, 1, 0, 2]
    """
    order = probabilities.argsort(descending=True, stable=True)
    ends = probabilities[order].cumsum(-1)
    return order[
        torch.searchsorted(ends, u * ends[-1], right=True)
    ]  # rounding may leave the last end unequal to 1


def largest(probabilities: Tensor) -> Tensor:
    """Return the most likely word's index, the earlier one for ties: (word,) → (draw,), one int64.

    >>> largest(torch.tensor([0.25, 0.5, 0.25])).tolist()
    [1]
    """
    return probabilities.argsort(descending=True, stable=True)[:1]


LAST = Step(last_row, LastRow, "last", "Out_n", "d_model")
TURNED = Step(attention.transpose, Transpose, "unembedding", "E^⊤", "d_model word")
LOGITS = Step(logits, Product, "logits", "l", "word")
TEMPERED = Step(divide_by_temperature, describe_division, "tempered", "l / T", "word")
TOP_K, TOP_P = (
    Step(keep_top_k, TopK, "top_k", "top k", "word"),
    Step(keep_top_p, TopP, "top_p", "top p", "word"),
)
PROBABILITIES = Step(softmax, Softmax, "probabilities", "p", "word")
ENDS = Step(ends, Ends, "ends", "ends", "word")
LARGEST = Step(largest, Largest, "chosen", "next", "draw")
FALLEN = Step(draw, Fallen, "chosen", "next", "draw")


def explain_refusal(setup: Setup) -> str:
    """Return why no next word can be predicted, in a sentence; "" if one can."""
    if setup.real is not None and setup.real.looks_ahead:
        return f"{setup.real.name} looks ahead: it was not made to say what comes next."
    if setup.real is not None and setup.real.is_of_sentences:
        return f"{setup.real.name}'s folder has no part that says which word comes next."
    if setup.numbers is not None and (setup.numbers.projected or setup.numbers.mask):
        what = "Q, K and V are" if setup.numbers.projected else "Who may look at whom is"
        return (
            f"{what} given for these words alone: what a word that comes next would have there,"
            " nobody knows."
        )
    return ""


def resolve_setup(setup: Setup) -> Setup:
    """Return the setup used for next-word prediction: with a causal mask, and without
    cross-attention.

    Raises:
        ValueError: it cannot predict a next word; says why.
    """
    if reason := explain_refusal(setup):
        raise ValueError(reason)
    if setup.is_causal and not setup.memory:
        return setup
    return replace(setup, memory="", mask="causal-window" if setup.has_window else "causal")


def predict(setup: Setup, layers: tuple[Weights, ...] | None = None) -> Trace:
    """Compute every step from the stack's output (`encoded`) to one word (`chosen`, its index in
    `trace.vocabulary`): `last`, `unembedding`, `logits`, `tempered`, `top_k`, `top_p`,
    `probabilities`, `ends`, and the sampled `number`.

    `trace.setup` is the resolved setup, with a causal mask; `layers` are weights other than its
    own.

    Raises:
        ValueError: the setup cannot predict a next word; says why.

    >>> trace = predict(Setup(text="the cat the mat", choose="greedy"))
    >>> trace.vocabulary, trace["probabilities"].dims, next_of(trace) in trace.vocabulary
    (('cat', 'mat', 'the'), ('word',), True)
    """
    causal, record = resolve_setup(setup), TraceBuilder()
    x = compute_embedding(causal).value("x")
    layers, may_attend = layers or weights.layers(causal), weights.may_attend(causal, len(x))
    out = encoder.result(causal, layers, x, may_attend)
    record.keep("encoded", "Out", out, "token d_model")
    record.apply(LAST, "encoded")
    if causal.real is not None:
        _unembed_with(causal.real, causal, record)
    else:
        _unembed(causal, record)
    choose(causal, record)
    return Trace(
        causal, record.entries, _words=None if causal.real is None else causal.real.tokenizer.every
    )


def _unembed(setup: Setup, record: TraceBuilder) -> None:
    """Compute the logits from the last row, with the transposed table or a separate unembedding."""
    if setup.unembedding == "tied":
        record.keep("embedding_table", "E", weights.get_embedding_table(setup), "word d_model")
        record.apply(TURNED, "embedding_table")
    else:
        record.keep("unembedding", "U", weights.get_unembedding(setup), "d_model word")
    record.apply(LOGITS, "last", "unembedding")


def _unembed_with(model: Pretrained, setup: Setup, record: TraceBuilder) -> None:
    """Compute a real model's logits: its top norm, and its table for all its pieces, without a
    copy."""
    top = "last"
    if "gain_top" in model.around:
        top = "normed_top"
        normalise(setup, model.around, record, top, "last", "top", "d_model")
    record.keep(
        "unembedding",
        "U" if setup.unembedding == "own" else "E^⊤",
        model.unembedding,
        "d_model word",
    )
    unembed = replace(
        LOGITS, function=model.unembed, origin=lambda top: Product(top, "unembedding")
    )
    record.apply(unembed, top)


def choose(setup: Setup, record: TraceBuilder) -> None:
    """Compute one word from the logits: `tempered`, `top_k`, `top_p`, `probabilities`, `ends`,
    `number`, `chosen`."""
    temperature, k, p = setup.word_temperature, setup.top_k, setup.top_p
    tempered = record.apply(TEMPERED, "logits", temperature=temperature)
    if 0 < k < len(tempered):
        record.apply(TOP_K, "tempered", k=k)
    else:
        record.keep("top_k", "top k", tempered, "word", Copy("tempered"))
    if p < 1:
        record.apply(TOP_P, "top_k", p=p)
    else:
        record.keep("top_p", "top p", record.value("top_k"), "word", Copy("top_k"))
    record.apply(PROBABILITIES, "top_p")
    record.apply(ENDS, "probabilities")
    if setup.choose == "greedy":
        record.apply(LARGEST, "probabilities")
        return
    record.keep("number", "u", next_number(setup), "draw")
    record.apply(FALLEN, "probabilities", "number")


def next_of(trace: Trace) -> str:
    """Return the chosen word."""
    return trace.vocabulary[int(trace.value("chosen")[0])]


def place_of(trace: Trace, word: str) -> int | None:
    """Return a word's index in the vocabulary, None if it is not there: `id:260` is the piece with
    this id, a word is preferred in small letters if it is not there otherwise, and of a real
    model's pieces the one that begins with a space.

    >>> trace = predict(Setup(text="the cat the mat"))
    >>> place_of(trace, "mat"), place_of(trace, "id:1"), place_of(trace, "dog")
    (1, 1, None)
    """
    by_id = re.fullmatch(r"id:([0-9]{1,7})", word)
    if by_id:
        return int(by_id[1]) if int(by_id[1]) < len(trace.vocabulary) else None
    spelled = (f" {word}", word, word.lower()) if trace.setup.real else (word, word.lower())
    return next(
        (trace.vocabulary.index(each) for each in spelled if each in trace.vocabulary), None
    )


def likeliest(trace: Trace) -> list[int]:
    """Return the indices of the words with the largest logits, largest first."""
    most = MAX_SHOWN if trace.setup.real is None else MAX_OF_A_MODEL
    return trace.value("logits").argsort(descending=True, stable=True)[:most].tolist()


def shown(trace: Trace) -> list[int]:
    """Return the indices of the words shown by name: the most likely, and last the chosen one if it
    is not among them."""
    places, chosen = likeliest(trace), int(trace.value("chosen")[0])
    return places if chosen in places else [*places, chosen]


def append_word(setup: Setup, word: str) -> tuple[Setup, list[str]]:
    """Return the setup with one more word at the end of its sentence; if it does not fit, the same
    setup and messages that say why.

    >>> append_word(Setup(text="the cat"), "sat")[0].text
    'the cat sat'
    """
    return _with_text(setup, text=f"{setup.text} {word}")


def append_next(setup: Setup, trace: Trace) -> tuple[Setup, list[str]]:
    """Return the setup with the word that its trace chose, and messages as `append_word`; to a real
    model's ids the chosen one is appended, whatever it spells."""
    if setup.real is None:
        return append_word(setup, next_of(trace))
    return write_pieces(setup, (*setup.piece_ids, int(trace.value("chosen")[0])))


def write_pieces(setup: Setup, ids: tuple[int, ...]) -> tuple[Setup, list[str]]:
    """Return a real model's setup with exactly these pieces for its text, and messages as
    `append_word`."""
    assert setup.real is not None
    return _with_text(setup, text=setup.real.tokenizer.decode(ids), pieces=write_ids(ids))


def _with_text(setup: Setup, **text: str) -> tuple[Setup, list[str]]:
    other, told = Setup.nearest(setup.as_link() | text)
    return (setup, told) if told else (other, [])


def go_on(setup: Setup, most: int) -> Setup:
    """Return the setup with up to `most` further words, each the next after all before it, until
    the sentence is full.

    >>> go_on(Setup(text="the cat the mat", choose="greedy"), most=2).text
    'the cat the mat mat mat'
    """
    layers = weights.layers(resolve_setup(setup))
    for _ in range(most):
        setup, told = append_next(setup, predict(setup, layers))
        if told:
            break
    return setup
