"""A page: its head, its parts in their order, and the ways on. In a lecture the parts of the beat
on screen are drawn, else all."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType

from core.trace import Trace
from pages.shared.frame import around, closer, compare, exercises, figure, lecture, show
from pages.shared.link.pages import Page
from pages.shared.server import run

Draw = Callable[[], None]
Register = Callable[[Draw], Draw]
ROOT = Path(__file__).parents[3]


class Drawn(Exception):
    """What a page's file raises that is done before its end."""


def run_page(page: Page) -> None:
    """Draw a page. Its file is run from above, as Streamlit runs a script: which page it is, is
    said by the address and not by Streamlit."""
    around.header(page)
    if lecture.tells():
        lecture.tell()
        around.footer(page)
        return
    with suppress(Drawn):
        exec(
            _code(page.file),
            {"__name__": page.path or "overview", "__file__": str(ROOT / page.file)},
        )
    around.footer(page)


@cache
def _code(file: str) -> CodeType:
    return compile((ROOT / file).read_text(encoding="utf-8"), str(ROOT / file), "exec")


@dataclass(frozen=True)
class Part:
    """Something that a page draws.

    `beats` are those of a lecture in which it is drawn; none means all. `in_lecture`: True is drawn
    in a lecture only, False only outside of one, None in both. Outside a lecture one with a `tab`
    stands in the drawer "Look closer"; a tab of the page's own has a `title`.
    """

    draw: Draw
    beats: tuple[str, ...] = ()
    in_lecture: bool | None = None
    tab: str = ""
    title: str = ""

    def is_due(self) -> bool:
        """Return whether it belongs on the screen now."""
        on = lecture.is_on()
        return self.in_lecture in (None, on) and (
            not on or not self.beats or lecture.current_beat() in self.beats
        )


@dataclass
class Parts:
    """The parts of one page, in the order in which they are registered and drawn."""

    parts: list[Part] = field(default_factory=list)

    def part(self, *beats: str, in_lecture: bool | None = None) -> Register:
        """Register the function below as a part; a lecture draws it in these beats."""
        return self._register(beats, in_lecture)

    def figure(self, *beats: str, in_lecture: bool | None = None, asks: str = "") -> Register:
        """Register the page's figure, or the last part of it: around it stands what stands around
        every figure. `asks` is the beat whose question stands below it, where that is not the one
        of the page's row."""
        self.parts.append(Part(figure.draw_above))
        return self._register(beats, in_lecture, below=lambda: figure.draw_below(asks))

    def closer(
        self, tab: str, *beats: str, title: str = "", in_lecture: bool | None = None
    ) -> Register:
        """Register a part of the drawer "Look closer", under a `tab` of all pages (`closer.py`) or
        one of this page's own, which has a `title`; a lecture draws it in these beats."""
        return self._register(beats, in_lecture, tab, title)

    def tables(self, trace: Trace, names: Sequence[str]) -> None:
        """Register these entries as the drawer's tables."""
        self.closer("tables", in_lecture=False)(lambda: show.table(trace, names))

    def check(self, trace: Trace, *names: str) -> None:
        """Register how far these entries are from PyTorch's, for the drawer."""
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
        """Draw what is due, and below it the drawer. A class that holds a setup sees both in place
        of the main board's beat."""
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
            closer.show([(part.tab, part.title, part.draw) for part in due if part.tab])
