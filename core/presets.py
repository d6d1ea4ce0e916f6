"""The setups to start from, each as what it changes in the default. Most are those of the notebooks
that they are named after.

The notebooks' systems are built from the same dictionaries, so that a preset and its notebook
cannot come to differ.
"""

from dataclasses import replace
from typing import Any

from .setup import Setup

N0: dict[str, Any] = {"projections": "none", "scale": "none", "d_model": 4}
N1: dict[str, Any] = {
    "d_model": 10,
    "heads": 20,
    "sizes": "wide",
    "scale": "fourth-root",
    "out": "d_model",
    "init": "xavier",
}
N2: dict[str, Any] = {
    "d_model": 10,
    "heads": 2,
    "sizes": "narrow",
    "out": "d_model",
    "bias": "on",
    "init": "xavier",
}
N3: dict[str, Any] = {
    "d_model": 4,
    "d_k": 2,
    "d_v": 2,
    "heads": 1,
    "out": "d_model",
    "bias": "on",
    "init": "xavier",
}
SENTENCE = "the cat drank the milk because it was"  # its last word decides which noun is meant
# What a newcomer is told, and what every page without steps of its own shows: trained for so few
# steps that the last word gives plainly most to its noun, and not all, in one of its two heads.
TRAINED: dict[str, Any] = {
    "text": f"{SENTENCE} thirsty",
    "init": "trained",
    "positions": "learned",
    "heads": 2,
    "d_k": 8,
    "d_v": 12,
    "out": "d_model",
    "seed": 1,
    "trained_for": 40,
}
# The same weights, learned within sentences, across two of them: what is said of `it` stands apart
# from the nouns.
ACROSS: dict[str, Any] = TRAINED | {"text": "it was thirsty", "memory": "the cat drank the milk"}
# Where a beginner starts: few enough numbers to read each of them, and no two sizes alike but the
# words' and d_v's.
SMALL: dict[str, Any] = {
    "text": "dogs chase cats",
    "d_model": 4,
    "d_k": 2,
    "d_v": 3,
    "heads": 1,
    "out": "d_model",
    "init": "xavier",
}
N4: dict[str, Any] = {
    "text": "Life is short, eat dessert first",
    "d_model": 16,
    "d_k": 24,
    "d_v": 28,
    "heads": 3,
    "init": "uniform",
    "seed": 123,
}

# Models of four years, all of one small size: only what kind each part is differs.
OF_ONE_SIZE: dict[str, Any] = {
    "d_model": 24,
    "heads": 6,
    "sizes": "narrow",
    "out": "d_model",
    "init": "xavier",
}
PAPER: dict[str, Any] = OF_ONE_SIZE | {"positions": "sinusoidal"}  # Vaswani et al. 2017
BERT: dict[str, Any] = OF_ONE_SIZE | {
    "positions": "learned",
    "bias": "on",
    "activation": "gelu",
}  # Devlin et al. 2019
GPT_2: dict[str, Any] = BERT | {"mask": "causal", "norm": "pre"}  # Radford et al. 2019
LLAMA: dict[str, Any] = (
    OF_ONE_SIZE
    | {  # Touvron et al. 2023; heads share keys and values from Llama 2 on
        "positions": "rotary",
        "kv_heads": 2,
        "mask": "causal",
        "norm": "pre",
        "norm_kind": "rms",
        "activation": "swiglu",
    }
)

PRESETS: dict[str, dict[str, Any]] = {
    "Trained": TRAINED,
    "Three words": SMALL,
    "Small · class": {
        "d_model": 6,
        "d_k": 4,
        "d_v": 5,
        "heads": 2,
        "out": "d_model",
        "init": "xavier",
    },
    "Notebook N4": N4,
    "No weights · N0": N0,
    "Wide · N1": N1,
    "Narrow · N2": N2,
    "Biases · N3": N3,
    "Who looks across": ACROSS,
    "As in the paper": PAPER,
    "As in BERT": BERT,
    "As in GPT-2": GPT_2,
    "As in Llama": LLAMA,
}
# The places that a preset goes to, by name; without a row here the usual ones. Here the last word,
# and the noun that it looks at.
FOLLOWED: dict[str, dict[str, Any]] = {
    "Trained": {"query": 9, "key": 2, "head": 2, "ending": "thirsty"},
    "Who looks across": {"query": 3, "key": 2, "head": 2},
}
# Of which is asked why a word comes next: of a model that people use Paris, not London; of the
# small language an animal, and not soup, since it was the milk that warmed it.
CAPITAL: dict[str, Any] = {"init": "real", "text": "The capital of France is"}
WARMED: dict[str, Any] = {
    "init": "trained",
    "task": "next",
    "text": "the milk warmed the",
    "layers": 1,
    "heads": 2,
    "d_model": 16,
    "d_k": 8,
    "d_v": 8,
}
STORY = Setup(**TRAINED)  # what the story tells
EXAMPLE = STORY.to_the_end  # its training
STORY_HEAD = 1  # which of its heads looks at the noun, from 0


def whose_training(setup: Setup) -> Setup:
    """Return the setup whose training on questions is shown: this one where its weights are
    trained, else the preset, which trains once for everybody.

    Without edits: they are made in what training leaves. To its end, and of its first layer, whose
    attention learns by itself.
    """
    if setup.init != "trained":
        return EXAMPLE
    setup = setup.to_the_end
    asked_otherwise = setup.edits or setup.layer > 1 or setup.task != "questions" or setup.memory
    return (
        replace(setup, edits="", layer=1, task="questions", memory="") if asked_otherwise else setup
    )
