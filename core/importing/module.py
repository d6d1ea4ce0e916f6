"""A layer that sits in a notebook: as a setup, and as the link that opens it."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .. import export, files
from ..setup import Setup
from .archives import Stored
from .layer import Brought, Laid
from .values import MOST_LETTERS

_COUNTS_HEADS = ("num_heads", "n_heads", "n_head", "heads", "nhead", "num_attention_heads", "h")


def of_module(
    module: nn.Module,
    x: Tensor,
    tokens: Sequence[str] = (),
    heads: int = 0,
    scale: str | float = "sqrt",
    mask: str | None = None,
    memory: Tensor | None = None,
) -> Setup:
    """Return the setup of a layer: nn.MultiheadAttention, or any with Linears for q, k, v, and o if
    there is one, under usual names.

    `x` is (token, d_model), or a batch of one. `heads` is needed where the module does not say how
    many it has. `memory` is the sentence that is asked, where it is another one: (memory, d_model);
    with kdim and vdim, which differ, their numbers side by side, (memory, kdim + vdim). Dropout is
    off. `mask` ("none", "causal") has to be said where the module holds a triangle. Raises
    ValueError with a sentence where something is missing or has no place in the steps.
    """
    if any(getattr(part, "add_zero_attn", False) for part in module.modules()):
        raise ValueError(
            "add_zero_attn adds a key that belongs to no word; the steps have no place for it."
        )
    triangles = [name for name, buffer in module.named_buffers() if _is_triangle(buffer)]
    if triangles and mask is None:
        raise ValueError(
            f"{triangles[0]} is a triangle, as of a causal mask: say mask='causal' or mask='none'."
        )
    rows, asked = _sentence("x", x), () if memory is None else _sentence("memory", memory)
    stored = {
        name: Stored(tuple(value.shape), value.cpu)
        for name, value in module.state_dict().items()
        if value.numel()
    }
    counts = (getattr(part, name, None) for part in module.modules() for name in _COUNTS_HEADS)
    counted = heads or next((count for count in counts if type(count) is int), 0)
    answers = {"scale": str(scale), "mask": mask or "none"} | (
        {"heads": str(counted)} if counted else {}
    )
    layer = Laid(
        Brought(type(module).__name__, stored, {}, rows, tuple(tokens), asked), answers
    ).layer()
    if any(question.name == "layer" for question in layer.questions):
        raise ValueError(
            f"{layer.brought.name} has several attentions: give one of them, such as its self_attn."
        )
    return layer.setup()


def _is_triangle(buffer: Tensor) -> bool:
    """Return whether a square matrix says of each word alike what is before it, and not behind."""
    square = buffer.squeeze()
    if square.dim() != 2 or len(square) != square.shape[1] or len(square) < 2:
        return False
    there = square != 0
    is_one = torch.equal(there, there.tril()) != torch.equal(there, there.triu())
    return is_one and int(there.any(dim=0).sum()) >= len(square) - 1


def _sentence(name: str, rows: Tensor) -> Tensor:
    if not isinstance(rows, Tensor):
        raise ValueError(
            f"{name} has to be a tensor (token, d_model): what goes into the layer, not its"
            " weights, which may be None."
        )
    of_one = rows.detach().squeeze(0) if rows.dim() == 3 and len(rows) == 1 else rows.detach()
    if of_one.dim() != 2:
        raise ValueError(
            f"{name} is ({', '.join(map(str, rows.shape))}); one sentence is (token, d_model), or"
            " (1, token, d_model)."
        )
    return of_one


def link(setup: Setup, address: str = "") -> str:
    """Return the link that opens this setup where the explorer stands. Raises ValueError where its
    numbers are too long for one."""
    if files.REFERENCE.fullmatch(setup.given):
        raise ValueError(
            f"These numbers are longer than the {MOST_LETTERS:,} letters of a link: save them with"
            " np.savez('layer.npz', x=…, w_q=…, w_k=…, w_v=…), and open that file there."
        )
    return export.link(setup, "", address)
