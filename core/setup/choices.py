"""The fields of a setup: each choice that affects the numbers, declared once.

Names and order are a public contract: they are the parameters of a link. `Setup` derives the rest.
"""

from dataclasses import dataclass

from ..fields.fields import OF_STACKS, ModelName, choice, declare, fraction, whole
from ..fields.matrices_field import GivenNumbers
from ..fields.sentences import Asked, Lines, PieceIds, Sentence
from .constraints import MAX_LAYERS
from .edits import Edits

MAX_DIVISOR = 1000.0  # the largest temperature
ADDED = ("sinusoidal", "learned")  # positions added to the embeddings
MAX_STEPS = 600  # for one training


@dataclass(frozen=True)
class Choices:
    """The declaration of each field; `Setup` validates the values."""

    text: str = declare(
        Sentence(
            "Life is short, eat dessert first",
            "Sentence",
            panel=("sentence", 1),
            is_readers_own=True,
            lessons=(),
        )
    )
    d_model: int = whole(
        16,
        (1, 64),
        "d_model",
        "How many numbers stand for one word.",
        panel=("sizes", 2),
        draws=True,
        of_model=True,
    )
    d_k: int = whole(
        24,
        (1, 64),
        "d_k",
        "How many numbers a query and a key have. They are multiplied with each other, so both"
        " have the same.",
        panel=("sizes", 3),
        draws=True,
        of_model=True,
    )
    d_v: int = whole(
        28,
        (1, 64),
        "d_v",
        "How many numbers a value has. Values are only added up, so this is free of d_k.",
        panel=("sizes", 4),
        draws=True,
        of_model=True,
    )
    heads: int = whole(
        3,
        (1, 20),
        "Number of heads",
        "How many times attention runs beside itself, each with matrices of its own.",
        panel=("sizes", 1),
        draws=True,
        of_model=True,
    )
    sizes: str = choice(
        ("free", "narrow", "wide"),
        "Head sizes",
        "narrow: d_k = d_v = d_model / heads, where that is whole. wide: d_k = d_v = d_model."
        " free: as you like.",
        panel=("more", 7),
        of_model=True,
    )
    projections: str = choice(
        ("learned", "none"),
        "Projections",
        "none: queries, keys and values are the embeddings themselves; there is nothing to learn.",
        panel=("more", 8),
        draws=True,
        of_model=True,
    )
    out: str = choice(
        ("d_v", "d_model"),
        "Output size",
        "What W_o maps back to: d_v, as the notebook does, or d_model, as the paper does, so"
        " that it can be added to the input.",
        panel=("more", 13),
        of_model=True,
        lessons=("attention", "stack", "words"),
    )
    init: str = choice(
        ("uniform", "normal", "xavier", "trained"),
        "Matrices",
        "Drawn at random: between 0 and 1, from a normal distribution, or as Glorot (Xavier)"
        " does, small and around 0. Or trained on a small language, so that they mean"
        " something.",
        unlisted=("real", "given"),
        panel=("more", 2),
        draws=True,
    )
    bias: str = choice(
        ("off", "on"),
        "Biases",
        "A number added to every column of the projections and of the output.",
        panel=("more", 12),
        draws=True,
        of_model=True,
    )
    positions: str = choice(
        ("none", *ADDED, "rotary", "alibi"),
        "Positions",
        "A row of numbers for each place in the sentence, added to the word's: waves as in the"
        " paper, or learned, which are random unless they are trained. rotary: nothing"
        " is added; queries and keys are turned, pair by pair, by an angle that grows with the"
        " place. alibi: scores are lowered the more, the further apart two words stand.",
        panel=("more", 4),
        what_if=True,
    )
    scale: str = choice(
        ("sqrt", "fourth-root", "none"),
        "Scale by √d_k",
        "√d_k once on the scores; ⁴√d_k on queries and on keys before they meet, which keeps"
        " the numbers in between smaller; or not at all.",
        panel=("more", 10),
        what_if=True,
    )
    temperature: float = fraction(
        1.0,
        (0.1, MAX_DIVISOR),
        "Scores' temperature",
        "The scaled scores are divided by it: small is sharp, large is even.",
        panel=("more", 11),
        slides_to=10.0,
        what_if=True,
    )
    mask: str = choice(
        ("none", "causal", "window", "causal-window"),
        "Mask",
        "causal: a word may look only at itself and at what came before it. window: only at"
        " what is at most so many places away. causal-window: both.",
        unlisted=("given",),
        panel=("more", 5),
        what_if=True,
    )
    seed: int = whole(
        123,
        (0, 2**31 - 1),
        "Seed",
        "Where the random numbers start. The same seed gives the same matrices, always and"
        " everywhere. Training starts from it, and learns from the sentences that it picks.",
        panel=("more", 3),
        is_readers_own=True,
        draws=True,
    )
    others: str = declare(
        Lines(
            "Life is short\neat dessert",
            "Further sentences",
            "Further sentences, one a line, up to seven. With the first they are a batch.",
            is_readers_own=True,
            lessons=(),
        )
    )
    padding: str = choice(
        ("right", "left", "unmasked"),
        "Padding",
        "Where short sentences are filled up, and whether a mask hides that.",
        lessons=(),
    )
    dropout: float = fraction(
        0.0,
        (0.0, 0.9),
        "Dropout",
        "The share of attention weights struck out at random while a model is trained.",
        lessons=(),
    )
    dropout_seed: int = whole(
        1,
        (0, 2**31 - 1),
        "Dropout seed",
        "Which attention weights dropout strikes out: another number, others.",
        lessons=(),
    )
    layers: int = whole(
        2,
        (1, 6),
        "Layers",
        "How many blocks stand on top of one another.",
        draws=True,
        of_model=True,
        lessons=OF_STACKS,
    )
    norm: str = choice(
        ("post", "pre"),
        "Norm",
        "post: add, then bring to mean 0 and spread 1, as in the paper. pre: bring to mean 0"
        " and spread 1 on the way in.",
        of_model=True,
        lessons=OF_STACKS,
    )
    activation: str = choice(
        ("relu", "gelu", "swiglu"),
        "Activation",
        "relu keeps what is positive; gelu lets go of the rest gradually; swiglu multiplies by"
        " a gate, which has a matrix of its own.",
        draws=True,
        of_model=True,
        lessons=OF_STACKS,
    )
    d_ff: int = whole(
        64,
        (1, 4 * 64),
        "d_ff",
        "How many numbers the feed-forward part has for each word in between; up to 4 · d_model.",
        draws=True,
        of_model=True,
        lessons=OF_STACKS,
    )
    classes: int = whole(
        2,
        (2, 10),
        "Classes",
        "How many classes the classifier tells apart.",
        draws=True,
        lessons=(),
    )
    shuffle: int = whole(
        1,
        (0, 999),
        "Shuffle",
        "Which order the words are put into; 0 leaves them as they are.",
        lessons=(),
    )
    steps: int = whole(
        300,
        (1, MAX_STEPS),
        "Steps",
        "How many steps training takes; each learns from 32 sentences.",
    )
    edits: str = declare(Edits("", lessons=()))
    model: str = declare(ModelName("", lessons=()))
    layer: int = whole(1, (1, MAX_LAYERS), lessons=())
    task: str = choice(
        ("questions", "next", "repeat"),
        "Learned",
        "What the trained matrices have learned. questions: which noun is meant, and who does it."
        " next: the next word of the small language. repeat: the next letter of a row of"
        " letters that begins again.",
        lessons=("words",),
    )
    unembedding: str = choice(
        ("tied", "own"),
        "Unembedding",
        "What turns the last row into a number for each word. tied: the embedding table once"
        " more. own: a matrix of its own.",
        of_model=True,
        lessons=("words",),
    )
    choose: str = choice(
        ("drawn", "greedy"),
        "Choice of the word",
        "drawn: by a random number, each word as often as its share says. greedy: always the"
        " word with the largest share.",
        lessons=(),
    )
    word_temperature: float = fraction(
        1.0,
        (0.1, 10.0),
        "Words' temperature",
        "The words' logits are divided by it: small prefers the likeliest words, large makes"
        " all alike. The other temperature divides the scores of attention.",
        lessons=(),
    )
    top_k: int = whole(
        0,
        (0, 64),
        "top-k",
        "Only so many words may come, those with the largest logits; 0 allows all.",
        lessons=(),
    )
    top_p: float = fraction(
        1.0,
        (0.01, 1.0),
        "top-p",
        "Only the likeliest words may come, as few as have this share together; 1 allows all.",
        lessons=(),
    )
    draw_seed: int = whole(
        1,
        (0, 2**31 - 1),
        "Draw seed",
        "Where the numbers start that draw the words: another number, other words.",
        lessons=(),
    )
    window: int = whole(
        2,
        (1, 31),
        "Window",
        "How many places away a word may look, under a mask with a window.",
        panel=("more", 6),
    )
    kv_heads: int = whole(
        0,
        (0, 20),
        "Heads of keys and values",
        "How many heads keys and values have; queries share them in groups. It divides heads;"
        " 0: as many as heads.",
        panel=("more", 9),
        of_model=True,
    )
    norm_kind: str = choice(
        ("layer", "rms"),
        "Norm's kind",
        "What a norm does, wherever it stands. layer: to mean 0 and spread 1. rms: divide by"
        " the root of the mean square, no more.",
        of_model=True,
    )
    memory: str = declare(
        Asked(
            "",
            "Sentence of the keys",
            "Empty: the first sentence itself. Else queries are the first sentence's, keys and"
            " values this one's: cross-attention.",
            panel=("more", 1),
            lessons=(),
        )
    )
    given: str = declare(GivenNumbers(""))
    trained_for: int = whole(
        MAX_STEPS,
        (0, MAX_STEPS),
        "Trained for",
        "How many of the steps of training were taken. 0: the matrices as they were drawn; at"
        " the end, as training leaves them.",
    )
    pieces: str = declare(PieceIds("", lessons=()))
