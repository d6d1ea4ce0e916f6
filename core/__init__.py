"""Self-attention, step by step, with every intermediate tensor available by name.

This package does no display: it needs torch and the standard library only, unless a real model is
read. It never changes torch's global settings, such as the number of threads.
"""

from .forward.trace import run
from .setup.setup import Setup

__all__ = ["Setup", "run"]
