"""What all views share."""

import re
from dataclasses import dataclass
from typing import ClassVar


@dataclass(kw_only=True)
class View:
    """A view of matrices. Its fields are set by a page and read by its script, in this order, as
    `data`.

    The script is the file in `views/` with the class's name in snake case, or `script`. Common
    fields: `chosen` is the selected cell (row, column), from 0; `of_screen` the fraction of a
    lecture screen's height; `max_zoom` the largest zoom in a lecture.
    """

    alt: str  # a description for screen readers
    script: ClassVar[str]

    def __init_subclass__(cls, script: str = "") -> None:
        """Set the script that draws the view."""
        cls.script = script or re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
