"""The setups to start from, each as its differences from the default. Most are named after
notebooks.

The notebooks' systems use the same dictionaries, so that presets and notebooks cannot diverge.
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
SENTENCE = "the cat drank the milk because it was"  # the last word decides which noun is meant
# The story's setup, and the default of pages without own steps: few training steps, so that in
# one of two heads the last word clearly attends most to its noun, but not entirely.
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
# The same weights in cross-attention: the clause with `it` is separate from the nouns.
ACROSS: dict[str, Any] = TRAINED | {"text": "it was thirsty", "memory": "the cat drank the milk"}
# For beginners: few numbers, and different sizes except for the words and d_v.
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

# Historical models, all in one small size: they differ only in their kinds of parts.
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
    "No matrices · N0": N0,
    "Wide · N1": N1,
    "Narrow · N2": N2,
    "Biases · N3": N3,
    "Who looks across": ACROSS,
    "As in the paper": PAPER,
    "As in BERT": BERT,
    "As in GPT-2": GPT_2,
    "As in Llama": LLAMA,
}
# Each preset's initial selection, if not the default: here the last word and its noun.
FOLLOWED: dict[str, dict[str, Any]] = {
    "Trained": {"query": 9, "key": 2, "head": 2, "ending": "thirsty"},
    "Who looks across": {"query": 3, "key": 2, "head": 2},
}
# For attribution: a real model should predict Paris, not London; the small language an animal
# rather than soup, since the milk warmed it.
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
STORY = Setup(**TRAINED)  # the story's setup
EXAMPLE = STORY.to_the_end  # its training
STORY_HEAD = 1  # the head that attends to the noun, from 0


def whose_training(setup: Setup) -> Setup:
    """Return the setup whose training on questions is shown: this one if its weights are trained,
    else the preset, which is trained once for everyone.

    Edits are removed, since they apply after training. The training is complete and of the first
    layer, whose attention learns by itself.
    """
    if setup.init != "trained":
        return EXAMPLE
    setup = setup.to_the_end
    asked_otherwise = setup.edits or setup.layer > 1 or setup.task != "questions" or setup.memory
    return (
        replace(setup, edits="", layer=1, task="questions", memory="") if asked_otherwise else setup
    )
