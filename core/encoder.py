"""A stack of blocks: what one hands on, the next takes in."""

from torch import Tensor

from core import block, masks
from core.parameters import draw_layer
from core.setup import Setup
from core.trace import Entry, Trace, keeper, run


def encode(setup: Setup, x: Tensor | None = None, allowed: Tensor | None = None) -> tuple[Trace, ...]:
    """Every layer's tensors, by name: one trace a layer, its input `x`, its result `out`.

    Without `x` the setup's own sentence goes in, (token, d_model). A batch (sentence, token, d_model)
    comes with its mask, (sentence, query, key).
    """
    if x is None:
        x = run(setup).value("x")
    if allowed is None:
        allowed = masks.MASKS[setup.mask](x.shape[-2])
    layers = []
    for layer in range(1, setup.layers + 1):
        made: dict[str, Entry] = {}
        x = block.run(setup, draw_layer(setup, layer), x, allowed, keeper(made))
        layers.append(Trace(setup, made))
    return tuple(layers)
