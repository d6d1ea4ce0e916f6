"""What the property tests draw: setups of every kind, with sizes that are distinct primes, and what
is looked at in them."""

import os
from random import Random

from hypothesis import strategies as st

from core import Setup
from core.fields.user_matrices import UserMatrices
from core.setup.setup import CHOICES
from pages.shared.link.focus import CHOICES as CHOICES_OF_FOCUS
from pages.shared.link.focus import HIDEABLE, RANGES, Focus, most_of

FUZZ = int(os.environ.get("FUZZ", "1"))  # how many times as much is drawn
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23)
HEADS = (1, 2, 3, 5, 7, 20)
LARGEST = {
    "text": " ".join(f"word{k}" for k in range(32)),
    "others": "\n".join([" ".join(f"w{k}" for k in range(32))] * 7),
    **{"d_model": 64, "d_k": 64, "d_v": 64, "heads": 20, "layers": 6, "d_ff": 256, "classes": 10},
    **{"out": "d_model", "bias": "on", "positions": "sinusoidal", "dropout": 0.5},
}
WORDS = ("the", "cat", "sat", "on", "a", "mat", "Life", "naïve", "日本", "قلب", "👩‍👩‍👧", "x²")


@st.composite
def setups(draw, **fixed) -> Setup:
    """A free-sized setup: distinct primes for d_model, d_k, d_v, any choice, a pair that exists."""
    d_model, d_k, d_v = draw(st.permutations(PRIMES))[:3]
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9))
    heads = draw(st.sampled_from(HEADS))
    values = {
        "text": " ".join(words),
        "d_model": d_model,
        "d_k": d_k,
        "d_v": d_v,
        "heads": heads,
        "temperature": draw(st.sampled_from((0.1, 0.7, 1.0, 10.0))),
        "seed": draw(st.integers(0, 2**31 - 1)),
    }
    for name, options in CHOICES.items():
        if name not in ("sizes", "projections"):
            # Trained weights take seconds each and have tests of their own.
            values[name] = draw(
                st.sampled_from([option for option in options if option != "trained"])
            )
    lines = draw(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), max_size=7))
    values["others"] = "\n".join(" ".join(line) for line in lines)
    values["d_ff"] = draw(st.integers(1, 4 * values["d_model"]))
    values |= {
        "word_temperature": draw(st.sampled_from((0.1, 1.0, 10.0))),
        "top_k": draw(st.sampled_from((0, 1, 3))),
    }
    values |= {
        "top_p": draw(st.sampled_from((1.0, 0.5))),
        "draw_seed": draw(st.integers(0, 2**31 - 1)),
    }
    values |= {"layers": draw(st.integers(1, 6)), "dropout": draw(st.sampled_from((0.0, 0.3)))}
    values["layer"] = draw(st.sampled_from((1, 1, values["layers"])))
    heads = fixed.get("heads", heads)
    values["kv_heads"] = draw(
        st.sampled_from([0, *(k for k in range(1, heads + 1) if heads % k == 0)])
    )
    values["window"] = draw(st.integers(1, 9))
    values["trained_for"] = draw(st.sampled_from((0, 1, 120, 600)))
    if (
        fixed.get("mask", "none") == "none" and draw(st.integers(0, 2)) == 2
    ):  # a sentence that is asked ties the mask to none
        values["memory"] = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8)))
    return Setup(**(values | fixed))


@st.composite
def focuses(draw, setup: Setup) -> Focus:
    """Something to look at in this setup: every place there is, every choice."""
    places = {name: draw(st.integers(1, most)) for name, most in most_of(setup).items()}
    places |= {name: draw(st.integers(*RANGES[name])) for name in ("column", "beat")}
    chosen = {name: draw(st.sampled_from(options)) for name, options in CHOICES_OF_FOCUS.items()}
    places["layer"], chosen["seven"] = (
        (setup.layer, "chosen") if setup.layer > 1 else (places["layer"], "first")
    )
    hide = draw(st.lists(st.sampled_from(HIDEABLE), unique=True, max_size=3))
    return Focus(**places, **chosen, hide=tuple(hide))


def given_numbers(random: Random) -> str:
    """Matrices of a reader's own that fit each other: X or a table with projections, or Q, K, V at
    once."""
    tokens, d_model, d_k, d_v, heads = (random.choice((1, 2, 3, 5)) for _ in range(5))
    keys = random.choice((tokens, 4))
    kv_heads = random.choice([k for k in (1, heads) if heads % k == 0])
    shapes = {"q": (heads, tokens, d_k), "k": (kv_heads, keys, d_k), "v": (kv_heads, keys, d_v)}
    if random.random() < 0.7:
        shapes = {
            random.choice(("x", "table")): (tokens, d_model),
            "w_q": (heads, d_model, d_k),
            "w_k": (kv_heads, d_model, d_k),
            "w_v": (kv_heads, d_model, d_v),
            "b_q": (heads, d_k),
        }
        if "x" in shapes and keys != tokens:
            shapes["memory_x"] = (keys, d_model)
        keys = keys if "x" in shapes else tokens
    if random.random() < 0.5:
        shapes["w_o"] = (heads * d_v, random.choice((d_model, 7)))
    numbers = {name: _nested(random, shape) for name, shape in shapes.items()}
    words = {"words": WORDS[:tokens]} if "table" in shapes else {}
    mask = (
        {"mask": [[i >= j or random.random() < 0.5 for j in range(keys)] for i in range(tokens)]}
        if random.random() < 0.3
        else {}
    )
    return UserMatrices(
        **numbers, **words, **mask, scale=random.choice(("sqrt", "none", "3"))
    ).to_text()


def _nested(random: Random, shape: tuple[int, ...]) -> list | str:
    return (
        [_nested(random, shape[1:]) for _ in range(shape[0])]
        if shape
        else f"{random.randint(-30, 30) / 10}"
    )
