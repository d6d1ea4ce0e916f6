"""A bound on how often something is done."""

import time
from dataclasses import dataclass, field


@dataclass
class Bucket:
    """So many at once, and so many more each second."""

    most: float
    a_second: float
    left: float = field(init=False)
    at: float = field(init=False)

    def __post_init__(self) -> None:
        self.left, self.at = self.most, time.monotonic()

    def take(self) -> bool:
        """Take one, if there is one."""
        if not self.has():
            return False
        self.left -= 1
        return True

    def has(self) -> bool:
        """Whether there is one."""
        now = time.monotonic()
        self.left, self.at = min(self.most, self.left + (now - self.at) * self.a_second), now
        return self.left >= 1
