"""The roles: what a colour means, the same on boards, in formulas, in code and in text. No
Streamlit here.

Here alone it is said which of the theme's colours a role has, and which role a tensor has.
"""

from collections.abc import Iterator

# The theme's colour, by the name that it has in Streamlit's text (":violet[α]"), and the one in
# formulas: LaTeX has one for light and dark, which gives way to the theme's own.
COLOURS = {
    "x": ("gray", "#6f7b86"),
    "q": ("blue", "#3d7fd6"),
    "k": ("red", "#cf4a8e"),
    "v": ("green", "#4f8f33"),
    "scores": ("yellow", "#a9761a"),
    "weights": ("violet", "#8a63d2"),
    "output": ("orange", "#b8453a"),
}
NONE = "none"  # what is in none of them, as a gradient or a difference, has the colour of text

# What a head of a real model does, by kind: the theme's colour of its picture's frame. A sign
# beside it says the same.
KINDS = {"neighbour": "blue-text", "finds": "yellow-text", "end": "gray-text", "nameless": "border"}

# The role of a tensor; what is named by nobody is an output.
OF_THE_STREAM = (
    "ids x embedding_table embedded positions angles part summed narrow out pooled resid_mid"
    " resid_post normed_1 normed_2 ffn_hidden ffn_activated ffn_gate ffn_opened memory_ids"
    " memory_embedded memory_positions memory_x memory_angles"
)
OF = (
    dict.fromkeys(OF_THE_STREAM.split(), "x")
    | {f"{kind}{name}": name for name in ("q", "k", "v") for kind in ("", "w_", "b_", "gain_")}
    | dict.fromkeys(("scores", "scaled", "alibi", "biased", "masked", "shifted", "exp"), "scores")
    | {f"{name}_{became}": name for name in ("q", "k") for became in ("normed", "rotated")}
    | {"k_t": "k", "weights": "weights", "dropped": "weights", "w_c": "v"}
)


def get_role(name: str) -> str:
    """Return the role of a tensor.

    >>> get_role("k_t"), get_role("concat")
    ('k', 'output')
    """
    return OF.get(name, "output")


def styles() -> str:
    """Return each role's colour as a style sheet: by a class for what is drawn, by its own colour
    in a formula."""
    return "\n".join((*_classes(), *_in_formulas()))


def _classes() -> Iterator[str]:
    """Yield each role's class."""
    yield f".ab-{NONE} {{ --role: var(--ab-text); }}"
    for role, (colour, _) in COLOURS.items():
        yield f".ab-{role} {{ --role: var(--ab-{colour}-text); }}"
    for kind, colour in KINDS.items():
        yield f".ab-is-{kind} {{ --role: var(--ab-{colour}); }}"


def _in_formulas() -> Iterator[str]:
    for colour, latex in COLOURS.values():
        parts = ", ".join(str(int(latex[k : k + 2], 16)) for k in (1, 3, 5))
        yield f'.katex [style*="rgb({parts})"] {{ color: var(--ab-{colour}-text) !important; }}'
