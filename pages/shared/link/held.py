"""The setup that is held beside the present one, as the link's parameter `vs` holds it. No
Streamlit here.

`vs=seed:2,scale:none` says in which fields the held setup differs from the defaults; `vs=default`
says that it is the default setup. It does not say how the held setup differs from the present one:
then every change of the present setup would change the held one too, unless `vs` were rewritten
each time.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from core.fields import Field, last, quote
from core.setup import DEFAULTS, Setup

NOTHING, AS_DEFAULT = "", "default"
MAX_LETTERS = 8000


@dataclass(frozen=True)
class Held(Field):
    """A setup in one parameter; none by default."""

    expected: ClassVar[str] = "the fields of a setup with commas between, like seed:2,scale:none"

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the nearest setup, written anew, or nothing where no field is named, and what had
        to be changed, in words."""
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
    """Write a setup as the parameter holds it. A comma in a text is ~1, and ~ is ~0; `held` in
    address.js does the same.

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
    """Return the setup that a fitted parameter holds; None where nothing is held."""
    return None if parameter == NOTHING else Setup.nearest(_parse(parameter))[0]


def _parse(parameter: str) -> dict[str, str]:
    if parameter == AS_DEFAULT:
        return {}
    pairs = (pair.partition(":") for pair in parameter.split(",") if pair)
    return {name: value.replace("~1", ",").replace("~0", "~") for name, _, value in pairs}
