"""A page as parts in their order. In a lecture those of the beat on screen are drawn, otherwise all of them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pages.shared import lecture

Draw = Callable[[], None]


@dataclass(frozen=True)
class Part:
    """Something a page draws: in which beats, and whether in a lecture alone (True) or outside of one alone (False)."""

    draw: Draw
    beats: tuple[str, ...]
    in_lecture: bool | None

    def is_due(self) -> bool:
        """Whether it belongs on the screen now. Without beats it does in all of them."""
        on = lecture.on()
        return self.in_lecture in (None, on) and (not on or not self.beats or lecture.shown() in self.beats)


@dataclass
class Page:
    """The parts of one page, registered in the order in which a reader meets them."""

    parts: list[Part] = field(default_factory=list)

    def part(self, *beats: str, in_lecture: bool | None = None) -> Callable[[Draw], Draw]:
        """Register the function below as a part; a lecture draws it in these beats."""

        def register(draw: Draw) -> Draw:
            self.parts.append(Part(draw, beats, in_lecture))
            return draw

        return register

    def draw(self) -> None:
        """Draw what is due. Last on a page."""
        for part in self.parts:
            if part.is_due():
                part.draw()
