"""Self-attention, step by step, with every intermediate tensor available by name.

It needs torch and numpy; a real model also safetensors and tokenizers, a frame pandas, a chart
Altair. It never changes torch's global settings, such as the number of threads.
"""

from .board.shown import draw
from .forward.trace import run
from .setup.setup import Setup
from .trace.record import Shown

Shown.draw = staticmethod(draw)
__all__ = ["Setup", "run"]
