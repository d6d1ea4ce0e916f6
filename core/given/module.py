"""A layer that sits in a notebook: as a setup, and as the link that opens it."""

from collections.abc import Sequence

from torch import Tensor, nn

from .. import export, files
from ..setup import Setup
from .archives import Stored
from .layer import Brought, Laid
from .opening import opened
from .values import MOST_LETTERS

_COUNTS_HEADS = ("num_heads", "n_heads", "n_head", "heads", "nhead", "num_attention_heads", "h")


def of_module(
    module: nn.Module, x: Tensor, tokens: Sequence[str] = (), heads: int = 0, scale: str | float = "sqrt", mask: str = "none"
) -> Setup:
    """Return the setup of a layer: nn.MultiheadAttention, or any with Linears for q, k, v, and o if there is one, under usual names.

    `x` is (token, d_model), or a batch of one. `heads` is needed where the module does not say how many it has. Dropout is off.
    Raises ValueError with a sentence where something is missing or has no place in the seven steps.
    """
    if not isinstance(x, Tensor):
        raise ValueError("x has to be a tensor (token, d_model): what goes into the layer, not its weights, which may be None.")
    rows = x.detach().squeeze(0) if x.dim() == 3 and len(x) == 1 else x.detach()
    if rows.dim() != 2:
        raise ValueError(f"x is ({', '.join(map(str, x.shape))}); one sentence is (token, d_model), or (1, token, d_model).")
    stored = {name: Stored(tuple(value.shape), value.cpu) for name, value in module.state_dict().items() if value.numel()}
    counts = (getattr(part, name, None) for part in module.modules() for name in _COUNTS_HEADS)
    counted = heads or next((count for count in counts if type(count) is int), 0)
    answers = {"scale": str(scale), "mask": mask} | ({"heads": str(counted)} if counted else {})
    layer = Laid(Brought(type(module).__name__, stored, {}, rows, tuple(tokens)), answers).layer()
    if any(question.name == "layer" for question in layer.questions):
        raise ValueError(f"{layer.brought.name} has several attentions: give one of them, such as its self_attn.")
    return opened(layer)[0]


def link(setup: Setup, address: str = "") -> str:
    """Return the link that opens this setup where the explorer stands. Raises ValueError where its numbers are too long for one."""
    if files.REFERENCE.fullmatch(setup.given):
        raise ValueError(
            f"These numbers are longer than the {MOST_LETTERS:,} letters of a link: save them with np.savez('layer.npz', x=…, w_q=…, "
            "w_k=…, w_v=…), and open that file there."
        )
    return export.link(setup, "", address)
