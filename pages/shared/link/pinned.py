"""The pinned setup beside the present one: the link's parameter `vs`. No Streamlit here.

`vs=seed:2,scale:none` are its differences from the defaults, `vs=default` is the default setup.
As differences from the present setup, each change of that would change the pinned one too.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from core import Setup
from core.fields.fields import Field, last, quote
from core.setup.setup import DEFAULTS

NOTHING, AS_DEFAULT = "", "default"
MAX_LETTERS = 8000


@dataclass(frozen=True)
class Held(Field):
    """A setup in one parameter; empty by default."""

    expected: ClassVar[str] = "the fields of a setup with commas between, like seed:2,scale:none"

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the nearest setup as a parameter, or NOTHING if it names no field, and
        messages."""
        value = last(value)
        wishes = _parse(value[:MAX_LETTERS]) if isinstance(value, str) else {}
        if value in (NOTHING, AS_DEFAULT):
            return value, ()
        if not wishes.keys() & DEFAULTS.keys():
            return NOTHING, (
                (
                    f"{quote(value)} names no field of a setup; nothing is held. Expected"
                    f" {self.expected}."
                ),
            )
        setup, messages = Setup.nearest(wishes)
        return write(setup), tuple(messages)


def write(setup: Setup) -> str:
    """Return a setup as the parameter. A comma in a text is ~1, and ~ is ~0; `held` in
    navigation.js does the same.

    >>> write(Setup(seed=2, text="a, b"))
    'text:a~1 b,seed:2'
    """
    escaped = (
        f"{name}:{value.replace('~', '~0').replace(',', '~1')}"
        for name, value in setup.as_link().items()
    )
    return ",".join(escaped) or AS_DEFAULT


@lru_cache(maxsize=64)
def read(parameter: str) -> Setup | None:
    """Return the setup of a parameter, None if empty."""
    return None if parameter == NOTHING else Setup.nearest(_parse(parameter))[0]


def _parse(parameter: str) -> dict[str, str]:
    if parameter == AS_DEFAULT:
        return {}
    pairs = (pair.partition(":") for pair in parameter.split(",") if pair)
    return {name: value.replace("~1", ",").replace("~0", "~") for name, _, value in pairs}
