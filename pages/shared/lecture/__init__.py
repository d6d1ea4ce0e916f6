"""Lecture mode: one idea at a time, in large type, by keyboard; otherwise a page shows everything.

`screen` finds the current beat, `parts` draws what only a lecture has, `frame` is around a beat,
`story` and `scenes` are the beats for newcomers. `pages/shared/link/beats` has the texts.
"""

from pages.shared.lecture.frame import begin, footer, header
from pages.shared.lecture.parts import draw_terms, large, question, terms
from pages.shared.lecture.screen import current_beat, is_brief, is_on, shows
from pages.shared.lecture.story import show as tell
from pages.shared.lecture.story import tells

__all__ = [
    "begin",
    "current_beat",
    "draw_terms",
    "footer",
    "header",
    "is_brief",
    "is_on",
    "large",
    "question",
    "shows",
    "tell",
    "tells",
    "terms",
]
