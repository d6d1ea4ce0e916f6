"""What stands in an exported script for the explorer's own setup: just the fields that the copied
functions look at."""

from types import SimpleNamespace
from typing import Any


class Setup(SimpleNamespace):
    """The choices that decide the numbers."""

    @property
    def tokens(self) -> list[str]:
        """The words of the sentence."""
        return self.sentences[0]

    @property
    def group(self) -> int:
        """How many heads share keys and values."""
        return self.heads // (self.kv_heads or self.heads)

    @property
    def out_size(self) -> int:
        """How many numbers the output has for each token."""
        return self.d_v if self.out == "d_v" else self.d_model


def replace(setup: Setup, **changes: Any) -> Setup:
    """Return the same choices, but for these."""
    return Setup(**(vars(setup) | changes))
