"""A page as parts in their order. In a lecture those of the beat on screen are drawn, otherwise all of them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pages.shared import compare, lecture, runtime

Draw = Callable[[], None]


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
            runtime.end_if_overtaken()
            if part.is_due():
                part.draw()
