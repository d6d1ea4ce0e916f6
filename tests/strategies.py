"""What the property tests draw: setups of every kind, with sizes that are distinct primes, and what is looked at in them."""

from hypothesis import strategies as st

from core.setup import CHOICES, Setup
from pages.shared.link.focus import CHOICES as CHOICES_OF_FOCUS
from pages.shared.link.focus import HIDEABLE, RANGES, Focus, most_of

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23)
HEADS = (1, 2, 3, 5, 7, 20)
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
        if name not in ("sizes", "split", "projections"):
            # Trained weights take seconds each and have tests of their own.
            values[name] = draw(st.sampled_from([option for option in options if option != "trained"]))
    lines = draw(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), max_size=7))
    values["others"] = "\n".join(" ".join(line) for line in lines)
    values["d_ff"] = draw(st.integers(1, 4 * values["d_model"]))
    values |= {"word_temperature": draw(st.sampled_from((0.1, 1.0, 10.0))), "top_k": draw(st.sampled_from((0, 1, 3)))}
    values |= {"top_p": draw(st.sampled_from((1.0, 0.5))), "draw_seed": draw(st.integers(0, 2**31 - 1))}
    values |= {"layers": draw(st.integers(1, 6)), "dropout": draw(st.sampled_from((0.0, 0.3)))}
    values["layer"] = draw(st.sampled_from((1, 1, values["layers"])))
    heads = fixed.get("heads", heads)
    values["kv_heads"] = draw(st.sampled_from([0, *(k for k in range(1, heads + 1) if heads % k == 0)]))
    values["window"] = draw(st.integers(1, 9))
    values["trained_for"] = draw(st.sampled_from((0, 1, 120, 600)))
    if fixed.get("mask", "none") == "none" and draw(st.integers(0, 2)) == 2:  # a sentence that is asked ties the mask to none
        values["memory"] = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8)))
    return Setup(**(values | fixed))


@st.composite
def focuses(draw, setup: Setup) -> Focus:
    """Something to look at in this setup: every place there is, every choice."""
    places = {name: draw(st.integers(1, most)) for name, most in most_of(setup).items()}
    places |= {name: draw(st.integers(*RANGES[name])) for name in ("column", "beat")}
    chosen = {name: draw(st.sampled_from(options)) for name, options in CHOICES_OF_FOCUS.items()}
    places["layer"], chosen["seven"] = (setup.layer, "chosen") if setup.layer > 1 else (places["layer"], "first")
    hide = draw(st.lists(st.sampled_from(HIDEABLE), unique=True, max_size=3))
    return Focus(**places, **chosen, hide=tuple(hide))
