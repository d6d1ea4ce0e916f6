"""A bound on how often something is done."""

import asyncio
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

    def take(self, many: float = 1) -> bool:
        """Take so many, if they are there."""
        if not self.has(many):
            return False
        self.left -= many
        return True

    async def wait(self, many: float = 1) -> None:
        """Take so many, once they are there."""
        while not self.take(many):
            await asyncio.sleep((many - self.left) / self.a_second)

    def give_back(self, many: float = 1) -> None:
        """Undo that so many were taken."""
        self.left += many

    def has(self, many: float = 1) -> bool:
        """Return whether so many are there."""
        now = time.monotonic()
        self.left, self.at = min(self.most, self.left + (now - self.at) * self.a_second), now
        return self.left >= many
