"""Self-attention, step by step, with every intermediate tensor available by name.

In a notebook, what it returns shows itself as in the app:

    import attention_explorer as ae

    trace = ae.run(ae.Setup(text="the cat drank the milk", d_k=3, heads=2))
    trace["weights"]  # the board; a cell opens with its terms
    trace.show("scores")  # the product q · kᵀ with its motion
    trace["weights"].frame(head=0)  # pandas; chart() is Altair
    ae.read(model, tokenizer, "some text")  # every layer and head of a real model
    ae.attention(weights, tokens)  # bare tensors of whatever model
    ae.link(trace)  # the same in the app

It needs torch and numpy; a real model also safetensors and tokenizers, a frame pandas, a chart
Altair. It never changes torch's global settings, such as the number of threads.
"""

from .board.shown import draw
from .forward.trace import run
from .library.chart import plot
from .library.layers import attention
from .library.link import link
from .library.read import read
from .setup.setup import Setup
from .trace.record import Shown

__version__ = "0.1.0"
__all__ = ["Setup", "__version__", "attention", "link", "read", "run"]

Shown.draw, Shown.plot = staticmethod(draw), staticmethod(plot)


def __dir__() -> list[str]:
    return __all__
