"""Both themes, so that a dark page can be printed in the light one, and a board stands in either
without a server."""

import re
import tomllib

from .scripts import WEB

CONFIGURED: dict[str, dict[str, str | list[str]]] = tomllib.loads(
    (WEB / "themes.toml").read_text(encoding="utf-8")
)


def themes() -> dict[str, dict[str, str | list[str]]]:
    """Return each theme's colours by their style sheet names: `--st-text-color`."""
    return {
        mode: {_variable(name): value for name, value in colours.items()}
        for mode, colours in CONFIGURED.items()
    }


def _variable(name: str) -> str:
    """
    >>> _variable("chartDivergingColors")
    '--st-chart-diverging-colors'
    """
    return "--st-" + re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", name)
