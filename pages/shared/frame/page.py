"""A page as parts in their order. In a lecture those of the beat on screen are drawn, otherwise all of them."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType

from pages.shared.frame import compare, lecture
from pages.shared.link.steps import Step
from pages.shared.server.inside import end_if_overtaken

Draw = Callable[[], None]
ROOT = Path(__file__).parents[3]


class Drawn(Exception):
    """What a page's file raises that is done before its end."""


def run_page(step: Step) -> None:
    """Run a page's file from above, as Streamlit runs a script: which page it is, is said by the address and not by Streamlit."""
    with suppress(Drawn):
        exec(_code(step.file), {"__name__": step.path or "overview", "__file__": str(ROOT / step.file)})


@cache
def _code(file: str) -> CodeType:
    return compile((ROOT / file).read_text(encoding="utf-8"), str(ROOT / file), "exec")


@dataclass(frozen=True)
class Part:
    """Something that a page draws.

    `beats` are those of a lecture in which it is drawn; none means all. `in_lecture`: True is drawn in a lecture only, False only
    outside of one, None in both.
    """

    draw: Draw
    beats: tuple[str, ...]
    in_lecture: bool | None

    def is_due(self) -> bool:
        """Whether it belongs on the screen now."""
        on = lecture.on()
        return self.in_lecture in (None, on) and (not on or not self.beats or lecture.current_beat() in self.beats)


@dataclass
class Page:
    """The parts of one page, in the order in which they are registered and drawn."""

    parts: list[Part] = field(default_factory=list)

    def part(self, *beats: str, in_lecture: bool | None = None) -> Callable[[Draw], Draw]:
        """Register the function below as a part; a lecture draws it in these beats."""

        def register(draw: Draw) -> Draw:
            self.parts.append(Part(draw, beats, in_lecture))
            return draw

        return register

    def draw(self) -> None:
        """Draw what is due. Last on a page. A class that holds a setup sees both in place of the main board's beat."""
        if compare.halves():
            return
        for part in self.parts:
            end_if_overtaken()
            if part.is_due():
                part.draw()
