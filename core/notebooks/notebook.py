"""One notebook: its prose, from a TOML file, and the systems and mistakes that its module declares
beside it."""

import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from .figure import Figure, System
from .mistake import Mistake, Outcome

Figures = Callable[[], tuple[Figure, ...]]
Run = Callable[[frozenset[str]], Outcome]


class Notebook:
    """A notebook by its name, such as N4: `told` holds its texts. Each text has the name of a field
    of `System` or `Mistake`: TypeError where one is missing or unknown."""

    def __init__(self, name: str) -> None:
        path = Path(__file__).with_name(f"{name.lower()}.toml")
        self.name, self.told = name, tomllib.loads(path.read_text(encoding="utf-8"))
        self.systems: list[System] = []
        self.mistakes: list[Mistake] = []

    def system(self, key: str, page: str, link: dict[str, Any]) -> Callable[[Figures], Figures]:
        """Return the decorator of the function that returns a system's figures."""

        def declare(figures: Figures) -> Figures:
            texts = self.told["systems"][key]
            self.systems.append(System(self.name, **texts, page=page, link=link, figures=figures))
            return figures

        return lambda figures: declare(cache(figures))

    def mistake(
        self, key: str, *forms: Callable, faults: tuple[str, ...] = ("fault",)
    ) -> Callable[[Run], Run]:
        """Return the decorator of the function that runs a mistake."""

        def declare(run: Run) -> Run:
            texts = self.told["mistakes"][key]
            made = Mistake(key, self.name, **texts, run=run, forms=forms, faults=faults)
            self.mistakes.append(made)
            return run

        return declare
