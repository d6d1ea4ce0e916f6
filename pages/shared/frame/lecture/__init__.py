"""In front of a class: one idea at a time, larger, by keyboard; outside a lecture everything is on
the page.

`screen` says which beat is shown, `parts` draws what only a lecture has, `frame` what stands around
a beat, `story` twelve of them as a newcomer is told them, with `scenes`. The beats are texts, read
and kept by `pages/shared/link/beats`.
"""

from pages.shared.frame.lecture.frame import begin, footer, header
from pages.shared.frame.lecture.parts import draw_terms, large, question, terms
from pages.shared.frame.lecture.screen import current_beat, is_brief, is_on, shows
from pages.shared.frame.lecture.story import show as tell
from pages.shared.frame.lecture.story import tells

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
