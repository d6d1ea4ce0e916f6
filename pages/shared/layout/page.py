"""A page: header, parts in order, footer. A lecture draws only the parts of its beat."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType

from core.forward.trace import Trace
from pages.shared import lecture
from pages.shared.layout import chrome, compare, drawer, exercises, figure, show
from pages.shared.link.pages import Page
from pages.shared.server import run

Draw = Callable[[], None]
Register = Callable[[Draw], Draw]
ROOT = Path(__file__).parents[3]


class Drawn(Exception):
    """Raised by a page's file to end early."""


def run_page(page: Page) -> None:
    """Draw a page. Its file is executed like a Streamlit script; the address selects it, not
    Streamlit."""
    chrome.header(page)
    if lecture.tells():
        lecture.tell()
        chrome.footer(page)
        return
    with suppress(Drawn):
        exec(
            _code(page.file),
            {"__name__": page.path or "overview", "__file__": str(ROOT / page.file)},
        )
    chrome.footer(page)


@cache
def _code(file: str) -> CodeType:
    return compile((ROOT / file).read_text(encoding="utf-8"), str(ROOT / file), "exec")


@dataclass(frozen=True)
class Part:
    """One part of a page.

    `beats` are the lecture beats that draw it, all if empty. `in_lecture`: True for lectures only,
    False for outside only, None for both. Outside a lecture a part with a `tab` is drawn in "Look
    closer"; a page's own tab has a `title`.
    """

    draw: Draw
    beats: tuple[str, ...] = ()
    in_lecture: bool | None = None
    tab: str = ""
    title: str = ""

    def is_due(self) -> bool:
        """Return whether the part is drawn now."""
        on = lecture.is_on()
        return self.in_lecture in (None, on) and (
            not on or not self.beats or lecture.current_beat() in self.beats
        )


@dataclass
class Parts:
    """The parts of one page, drawn in the order of registration."""

    parts: list[Part] = field(default_factory=list)

    def part(self, *beats: str, in_lecture: bool | None = None) -> Register:
        """Register the function below as a part; a lecture draws it in these beats."""
        return self._register(beats, in_lecture)

    def figure(self, *beats: str, in_lecture: bool | None = None, asks: str = "") -> Register:
        """Register the page's figure, or its last part, with its frame. `asks` is the beat whose
        question is shown below, if not the page's own."""
        self.parts.append(Part(figure.draw_above))
        return self._register(beats, in_lecture, below=lambda: figure.draw_below(asks))

    def closer(
        self, tab: str, *beats: str, title: str = "", in_lecture: bool | None = None
    ) -> Register:
        """Register a part of the drawer "Look closer" under a common `tab` (`drawer.py`), or the
        page's own with a `title`; a lecture draws it in these beats."""
        return self._register(beats, in_lecture, tab, title)

    def tables(self, trace: Trace, names: Sequence[str]) -> None:
        """Register these entries as the drawer's tables."""
        self.closer("tables", in_lecture=False)(lambda: show.table(trace, names))

    def check(self, trace: Trace, *names: str) -> None:
        """Register the comparison of these entries with PyTorch."""
        self.closer("check", in_lecture=False)(lambda: show.check(trace, *names))

    def _register(
        self,
        beats: tuple[str, ...],
        in_lecture: bool | None,
        tab: str = "",
        title: str = "",
        below: Draw | None = None,
    ) -> Register:
        def register(draw: Draw) -> Draw:
            self.parts.append(Part(draw, beats, in_lecture, tab, title))
            if below:
                self.parts.append(Part(below))
            return draw

        return register

    def draw(self) -> None:
        """Draw the parts that are due, then the drawer. With a pinned setup, the main beat shows
        both setups."""
        if compare.halves():
            return
        due = [part for part in self.parts if part.is_due()]
        for part in due:
            if lecture.is_on() or not part.tab:
                run.end_if_overtaken()
                part.draw()
        if lecture.is_on():
            exercises.show()
        else:
            drawer.show([(part.tab, part.title, part.draw) for part in due if part.tab])
