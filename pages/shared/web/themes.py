"""Both configured themes, so that a dark page can be printed in the light one."""

import re
from typing import Any

from streamlit import config

MODES = ("light", "dark")


def themes() -> dict[str, dict[str, Any]]:
    """Return each theme's colours by their style sheet names: `--st-text-color`."""
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
