"""The fields of a setup: every choice that decides the numbers, each declared here, once, with its
control.

They are a public contract: each name is also that of its parameter in a link, and their order is
that of a link. `Setup` has what follows from them.
"""

from dataclasses import dataclass

from .edits import edits as declare_edits
from .fields import Control, choice, fraction, named, whole
from .importing.field import given_numbers
from .sentences import asked, lines, sentence
from .ties import MOST_LAYERS

MOST_DIVISOR = 1000.0  # what scores may be divided by, beside √d_k
ADDED = ("sinusoidal", "learned")  # the kinds of positions that are rows, added to the words'
MOST_STEPS = 600  # of one training


@dataclass(frozen=True)
class Choices:
    """What is declared of each field; a value is checked by `Setup` alone."""

    text: str = sentence("Life is short, eat dessert first", Control("Sentence"))
    d_model: int = whole(16, 1, 64, Control("d_model", "How many numbers stand for one word."))
    d_k: int = whole(
        24,
        1,
        64,
        Control(
            "d_k",
            "How many numbers a query and a key have. They are multiplied with each other, so both"
            " have the same.",
        ),
    )
    d_v: int = whole(
        28,
        1,
        64,
        Control(
            "d_v",
            "How many numbers a value has. Values are only added up, so this is free of d_k.",
        ),
    )
    heads: int = whole(
        3,
        1,
        20,
        Control(
            "Number of heads",
            "How many times attention runs beside itself, each with weights of its own.",
        ),
    )
    sizes: str = choice(
        "free",
        "narrow",
        "wide",
        control=Control(
            "Head sizes",
            "narrow: d_k = d_v = d_model / heads, where that is whole. wide: d_k = d_v = d_model."
            " free: as you like.",
        ),
    )
    projections: str = choice(
        "learned",
        "none",
        control=Control(
            "Projections",
            "none: queries, keys and values are the embeddings themselves; there is nothing to"
            " learn.",
        ),
    )
    out: str = choice(
        "d_v",
        "d_model",
        control=Control(
            "Output size",
            "What W_o maps back to: d_v, as the notebook does, or d_model, as the paper does, so"
            " that it can be added to the input.",
        ),
    )
    init: str = choice(
        "uniform",
        "normal",
        "xavier",
        "trained",
        unlisted=("real", "given"),
        control=Control(
            "Weights",
            "Drawn at random: between 0 and 1, from a normal distribution, or as Glorot (Xavier)"
            " does, small and around 0. Or trained on a small language, so that they mean"
            " something.",
        ),
    )
    bias: str = choice(
        "off",
        "on",
        control=Control(
            "Biases",
            "A number added to every column of the projections and of the output.",
        ),
    )
    positions: str = choice(
        "none",
        *ADDED,
        "rotary",
        "alibi",
        control=Control(
            "Positions",
            "A row of numbers for each place in the sentence, added to the word's: waves as in the"
            " paper, or learned, which are random unless the weights are trained. rotary: nothing"
            " is added; queries and keys are turned, pair by pair, by an angle that grows with the"
            " place. alibi: scores are lowered the more, the further apart two words stand.",
        ),
    )
    scale: str = choice(
        "sqrt",
        "fourth-root",
        "none",
        control=Control(
            "Scale by √d_k",
            "√d_k once on the scores; ⁴√d_k on queries and on keys before they meet, which keeps"
            " the numbers in between smaller; or not at all.",
        ),
    )
    temperature: float = fraction(
        1.0,
        0.1,
        MOST_DIVISOR,
        Control(
            "Scores' temperature",
            "The scaled scores are divided by it: small is sharp, large is even.",
        ),
    )
    mask: str = choice(
        "none",
        "causal",
        "window",
        "causal-window",
        unlisted=("given",),
        control=Control(
            "Mask",
            "causal: a word may look only at itself and at what came before it. window: only at"
            " what is at most so many places away. causal-window: both.",
        ),
    )
    seed: int = whole(
        123,
        0,
        2**31 - 1,
        Control(
            "Seed",
            "Where the random numbers start. The same seed gives the same weights, always and"
            " everywhere. Training starts from it, and learns from the sentences that it picks.",
        ),
    )
    others: str = lines(
        "Life is short\neat dessert",
        Control(
            "Further sentences",
            "Further sentences, one a line, up to seven. With the first they are a batch.",
        ),
    )
    padding: str = choice(
        "right",
        "left",
        "unmasked",
        control=Control(
            "Padding",
            "Where short sentences are filled up, and whether a mask hides that.",
        ),
    )
    dropout: float = fraction(
        0.0,
        0.0,
        0.9,
        Control(
            "Dropout",
            "The share of weights struck out at random while a model is trained.",
        ),
    )
    dropout_seed: int = whole(
        1,
        0,
        2**31 - 1,
        Control(
            "Dropout seed",
            "Which weights dropout strikes out: another number, others.",
        ),
    )
    layers: int = whole(
        2,
        1,
        6,
        Control(
            "Layers",
            "How many blocks stand on top of one another.",
        ),
    )
    norm: str = choice(
        "post",
        "pre",
        control=Control(
            "Norm",
            "post: add, then bring to mean 0 and spread 1, as in the paper. pre: bring to mean 0"
            " and spread 1 on the way in.",
        ),
    )
    activation: str = choice(
        "relu",
        "gelu",
        "swiglu",
        control=Control(
            "Activation",
            "relu keeps what is positive; gelu lets go of the rest gradually; swiglu multiplies by"
            " a gate, which has a matrix of its own.",
        ),
    )
    d_ff: int = whole(
        64,
        1,
        4 * 64,
        Control(
            "d_ff",
            "How many numbers the feed-forward part has for each word in between; up to 4 ·"
            " d_model.",
        ),
    )
    classes: int = whole(
        2,
        2,
        10,
        Control(
            "Classes",
            "How many classes the classifier tells apart.",
        ),
    )
    shuffle: int = whole(
        1,
        0,
        999,
        Control(
            "Shuffle",
            "Which order the words are put into; 0 leaves them as they are.",
        ),
    )
    steps: int = whole(
        300,
        1,
        MOST_STEPS,
        Control(
            "Steps",
            "How many steps training takes; each learns from 32 sentences.",
        ),
    )
    edits: str = declare_edits()
    model: str = named()
    layer: int = whole(1, 1, MOST_LAYERS)
    task: str = choice(
        "questions",
        "next",
        "repeat",
        control=Control(
            "Learned",
            "What trained weights have learned. questions: which noun is meant, and who does it."
            " next: the next word of the small language. repeat: the next letter of a row of"
            " letters that begins again.",
        ),
    )
    unembedding: str = choice(
        "tied",
        "own",
        control=Control(
            "Unembedding",
            "What turns the last row into a number for each word. tied: the embedding table once"
            " more. own: a matrix of its own.",
        ),
    )
    choose: str = choice(
        "drawn",
        "greedy",
        control=Control(
            "Choice of the word",
            "drawn: by a random number, each word as often as its share says. greedy: always the"
            " word with the largest share.",
        ),
    )
    word_temperature: float = fraction(
        1.0,
        0.1,
        10.0,
        Control(
            "Words' temperature",
            "The words' logits are divided by it: small prefers the likeliest words, large makes"
            " all alike. The other temperature divides the scores of attention.",
        ),
    )
    top_k: int = whole(
        0,
        0,
        64,
        Control(
            "top-k",
            "Only so many words may come, those with the largest logits; 0 allows all.",
        ),
    )
    top_p: float = fraction(
        1.0,
        0.01,
        1.0,
        Control(
            "top-p",
            "Only the likeliest words may come, as few as have this share together; 1 allows all.",
        ),
    )
    draw_seed: int = whole(
        1,
        0,
        2**31 - 1,
        Control(
            "Draw seed",
            "Where the numbers start that draw the words: another number, other words.",
        ),
    )
    window: int = whole(
        2,
        1,
        31,
        Control(
            "Window",
            "How many places away a word may look, under a mask with a window.",
        ),
    )
    kv_heads: int = whole(
        0,
        0,
        20,
        Control(
            "kv_heads",
            "How many heads keys and values have; queries share them in groups. It divides heads;"
            " 0: as many as heads.",
        ),
    )
    norm_kind: str = choice(
        "layer",
        "rms",
        control=Control(
            "Norm's kind",
            "What a norm does, wherever it stands. layer: to mean 0 and spread 1. rms: divide by"
            " the root of the mean square, no more.",
        ),
    )
    memory: str = asked(
        Control(
            "Sentence that is asked",
            "Empty: the sentence asks itself. Else each word of the first sentence asks the words"
            " of this one: cross-attention.",
        )
    )
    given: str = given_numbers()
    trained_for: int = whole(
        MOST_STEPS,
        0,
        MOST_STEPS,
        Control(
            "Trained for",
            "How many of the steps of training were taken. 0: the weights as they were drawn; at"
            " the end, as training leaves them.",
        ),
    )
