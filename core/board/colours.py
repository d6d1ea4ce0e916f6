"""The roles: a colour's meaning on boards, in formulas, code and text. No Streamlit here.

Only this file maps roles to the theme's colours, and tensors to roles.
"""

from collections.abc import Iterator

# The theme's colour by its name in Streamlit's text (":violet[α]"), and the one written in
# LaTeX, which `styles` replaces by the theme's.
COLOURS = {
    "x": ("gray", "#6f7b86"),
    "q": ("blue", "#3d7fd6"),
    "k": ("red", "#cf4a8e"),
    "v": ("green", "#4f8f33"),
    "scores": ("yellow", "#a9761a"),
    "weights": ("violet", "#8a63d2"),
    "output": ("orange", "#b8453a"),
}
NONE = "none"  # text colour, for a gradient or a difference

# The role of each tensor; default: output.
OF_THE_STREAM = (
    "ids x embedding_table embedded positions angles part summed narrow out pooled resid_mid"
    " resid_post normed_1 normed_2 ffn_hidden ffn_activated ffn_gate ffn_opened memory_ids"
    " memory_embedded memory_positions memory_x memory_angles"
)
OF_SCORES = "scores scaled alibi distances relative biased masked shifted exp"
OF = (
    dict.fromkeys(OF_THE_STREAM.split(), "x")
    | {f"{kind}{name}": name for name in ("q", "k", "v") for kind in ("", "w_", "b_", "gain_")}
    | dict.fromkeys(OF_SCORES.split(), "scores")
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
    """Return each role's colour as style rules: a class, and its LaTeX colour in formulas."""
    return "\n".join((*classes(), *_in_formulas()))


def classes() -> Iterator[str]:
    """Yield each role's class."""
    yield f".ab-{NONE} {{ --role: var(--ab-text); }}"
    for role, (colour, _) in COLOURS.items():
        yield f".ab-{role} {{ --role: var(--ab-{colour}-text); }}"


def _in_formulas() -> Iterator[str]:
    for colour, latex in COLOURS.values():
        parts = ", ".join(str(int(latex[k : k + 2], 16)) for k in (1, 3, 5))
        yield f'.katex [style*="rgb({parts})"] {{ color: var(--ab-{colour}-text) !important; }}'
