"""Values that a link or a widget may hold: the nearest that is allowed, and what had to be changed, in words."""

import math
from collections.abc import Sequence
from typing import Any

from core import text as _text


def last(value: Any) -> Any:
    """A parameter that stands in a link more than once counts as its last."""
    return value[-1] if isinstance(value, list | tuple) and value else value


def quote(value: Any) -> str:
    """A value as a message can carry it: short, and without what cannot be shown."""
    shown = _text.clean(value if isinstance(value, str) else repr(value)[:200])
    return repr(_text.shorten(shown, 40)) if isinstance(value, str) else _text.shorten(shown, 40)


def nearest_choice(name: str, value: Any, options: Sequence[str], default: str, told: list[str]) -> str:
    """The option that was asked for, or the default; a change is told."""
    value = last(value)
    if isinstance(value, str) and value in options:
        return value
    told.append(f"{name}: {quote(value)} is not one of {', '.join(options)}; it became {default}.")
    return default


def nearest_number(
    name: str, value: Any, limits: tuple[float, float], default: float, told: list[str], fraction: bool = False
) -> int | float:
    """The nearest number within the limits, whole unless it is a fraction; a change is told."""
    value, (low, high) = last(value), limits
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or isinstance(value, bool):
        told.append(f"{name}: {quote(value)} is not a number; it became {default}.")
        return default
    fitted = min(max(number, low), high)
    result = fitted if fraction else round(fitted)
    if result != number:
        kind = "numbers" if fraction else "whole numbers"
        told.append(f"{name}: {quote(value)} became {result}; it takes {kind} from {low} to {high}.")
    return result
