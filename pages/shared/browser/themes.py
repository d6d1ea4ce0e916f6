"""Both themes of the configuration, so that a browser can print in the light one what it shows in
the dark one."""

import re
from typing import Any

from streamlit import config

MODES = ("light", "dark")


def themes() -> dict[str, dict[str, Any]]:
    """Return each colour, or list of colours, for light and for dark by the name that it has in a
    style sheet: `--st-text-color`."""
    return {mode: _colours(mode) for mode in MODES}


def _colours(mode: str) -> dict[str, Any]:
    section = f"theme.{mode}."
    options = {
        name.removeprefix(section): option.value
        for name, option in config.get_config_options().items()
        if name.startswith(section)
    }
    return {
        _variable(name): value
        for name, value in options.items()
        if value and re.search("Colors?$", name)
    }


def _variable(name: str) -> str:
    """
    >>> _variable("chartDivergingColors")
    '--st-chart-diverging-colors'
    """
    return "--st-" + re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", name)
