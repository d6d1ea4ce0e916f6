"""The panel's groups, and what each preset teaches. No Streamlit here.

A field declares its group and position. A figure's controls are named in its page's row
(`pages.py`); a page's own controls are drawn by the page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pages.shared.link.fields import FIELDS


@dataclass(frozen=True)
class Group:
    """A group of controls: fields, and `parts` drawn by `panel.js`, with positions. With a title it
    is folded, and opens by itself on the pages `opens_on`."""

    name: str
    title: str = ""
    key: str = ""
    opens_on: tuple[str, ...] = ()
    parts: Mapping[str, int] = field(default_factory=dict)

    @property
    def fields(self) -> dict[str, int]:
        """Return the group's fields and positions."""
        placed = {name: each.panel for name, each in FIELDS.items() if each.panel}
        return {name: place for name, (group, place) in placed.items() if group == self.name}

    @property
    def names(self) -> list[str]:
        """Return the names in order of position, then of declaration."""
        places = {**self.fields, **self.parts}
        return sorted(places, key=places.__getitem__)


GROUPS = (
    Group("sentence", parts={"words": 2, "layer": 3}),
    Group("setups", "Setups", "preset", parts={"setups": 1}),
    Group("share", parts={"share": 1}),
    Group("sizes", "Sizes", "sizes_panel", opens_on=("embedding", "projection", "heads")),
    Group("edits", parts={"edits": 1}),
    Group("hold", "Hold", "hold_panel", parts={"hold": 1}),
    Group("more", "More", "more", parts={"reset": 99}),
    Group("lecture", "Lecture and class", "lecture_panel", parts={"teaching": 1}),
)
CONTROLS = tuple(name for group in GROUPS for name in group.fields)
OF_A_LECTURE = (*GROUPS[-1].fields, "beat")  # shown to a class, or assigned to it
FOR_TEACHERS = {"notebooks": "Notebooks", "bring": "Bring your own"}  # pages outside the row

TEACHES = {
    "Trained": "the story's sentence: who is thirsty?",
    "Three words": "by hand",
    "Small · class": "every number, from the last row",
    "Notebook N4": "the seven steps of the notebook",
    "No matrices · N0": "nothing to learn",
    "Wide · N1": "20 heads, each of full width",
    "Narrow · N2": "heads share d_model",
    "Biases · N3": "a number for each column",
    "Who looks across": "keys of another sentence",
    "As in the paper": "the Transformer of 2017",
    "As in BERT": "both ways, learned places",
    "As in GPT-2": "back only, norms first",
    "As in Llama": "turned, shared, gated",
}
