"""What the property tests draw: setups of every kind, with sizes that are distinct primes."""

from hypothesis import strategies as st

from core.setup import CHOICES, Setup

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
        "query": draw(st.integers(1, len(words))),
        "key": draw(st.integers(1, len(words))),
        "head": draw(st.integers(1, heads)),
    }
    for name, options in CHOICES.items():
        if name not in ("sizes", "split", "projections"):
            values[name] = draw(st.sampled_from(options))
    lines = draw(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), max_size=7))
    values["others"] = "\n".join(" ".join(line) for line in lines)
    values |= {"sentence": draw(st.integers(1, 1 + len(lines))), "d_ff": draw(st.integers(1, 4 * values["d_model"]))}
    values |= {"layers": draw(st.integers(1, 6)), "dropout": draw(st.sampled_from((0.0, 0.3)))}
    values["layer"] = draw(st.integers(1, values["layers"]))
    values |= fixed
    if values.get("projections") == "none":
        values["head"] = 1
    return Setup(**values)
