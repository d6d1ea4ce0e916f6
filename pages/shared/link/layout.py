"""Where each control stands in the panel, and what each preset teaches. No Streamlit here.

A field's label and help are declared with the field. What stands at one page's figure is named in
that page's row (`pages.py`), a page's own controls where that page draws them.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """Controls that stand together: fields by their names, and parts that `panel.js` draws. With a
    title they are folded, and open by themselves on the pages of these paths."""

    names: tuple[str, ...]
    title: str = ""
    key: str = ""
    opens_on: tuple[str, ...] = ()


GROUPS = (
    Group(("text", "words", "layer", "head")),
    Group(("setups",), "Setups", "preset"),
    Group(("share",)),
    Group(
        ("heads", "d_model", "d_k", "d_v"),
        "Sizes",
        "sizes_panel",
        opens_on=("embedding", "projection", "heads"),
    ),
    Group(("edits",)),
    Group(("hold",), "Hold", "hold_panel"),
    Group(
        (
            *("memory", "init", "seed", "positions", "mask", "window", "sizes"),
            *("projections", "kv_heads", "scale", "temperature", "bias", "out", "column", "reset"),
        ),
        "More",
        "more",
    ),
    Group(
        ("teaching", "lecture", "route", "notes", "hide", "do"),
        "Lecture and class",
        "lecture_panel",
    ),
)
PARTS = ("words", "layer", "share", "setups", "edits", "hold", "reset", "teaching")
CONTROLS = tuple(name for group in GROUPS for name in group.names if name not in PARTS)
SLIDES_TO = {"temperature": 10.0}  # what a slider reaches where more may be typed
FOR_TEACHERS = {"notebooks": "Notebooks", "bring": "Bring your own"}  # pages beside the row

TEACHES = {
    "Trained": "the story's sentence: who is thirsty?",
    "Three words": "by hand",
    "Small · class": "every number, from the last row",
    "Notebook N4": "the seven steps of the notebook",
    "No weights · N0": "nothing to learn",
    "Wide · N1": "20 heads, each of full width",
    "Narrow · N2": "heads share d_model",
    "Biases · N3": "a number for each column",
    "Who looks across": "one sentence asks another",
    "As in the paper": "the Transformer of 2017",
    "As in BERT": "both ways, learned places",
    "As in GPT-2": "back only, norms first",
    "As in Llama": "turned, shared, gated",
}
