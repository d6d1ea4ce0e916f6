"""A layer that sits in a notebook: as a setup, and as the link that opens it."""

import inspect
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor, nn

from .. import export
from ..fields import files
from ..fields.user_matrices import MAX_LETTERS
from ..setup.setup import Setup
from .archives import Stored
from .comparing import find_reading, run_layer
from .layer import Layer, LayerInput, LayerParser
from .variants import SCALE

_COUNTS_HEADS = ("num_heads", "n_heads", "n_head", "heads", "nhead", "num_attention_heads", "h")


def read_module(
    module: nn.Module,
    x: Tensor,
    tokens: Sequence[str] = (),
    heads: int = 0,
    scale: str | float | None = None,
    mask: str | None = None,
    memory: Tensor | None = None,
    compare: bool = True,
    **answers: object,
) -> Setup:
    """Return the setup of a layer: nn.MultiheadAttention, or any with Linears for q, k, v, and o if
    there is one, under usual names.

    `x` is (token, d_model), or a batch of one. `memory` is the sentence that is asked, where it is
    another one: (memory, d_model); with kdim and vdim, which differ, their numbers side by side,
    (memory, kdim + vdim). Dropout is off.

    The layer is run on `x`, and what nobody says (`heads`, `scale`, `mask`, other questions by
    name) is chosen so that the steps give what it gives. Raises ValueError with a sentence where
    they cannot, or something is missing. A warning says where it could not be run; `compare=False`
    does without.
    """
    rows, asked = _sentence("x", x), None if memory is None else _sentence("memory", memory)
    told = {name: str(answer) for name, answer in answers.items()}
    told |= {"scale": str(scale)} if scale is not None else {}
    told |= {"mask": mask} if mask is not None else {}
    told |= {"heads": str(counted)} if (counted := heads or _count_heads(module)) else {}
    brought = LayerInput(
        type(module).__name__,
        {key: _store(value) for key, value in module.state_dict().items() if value.numel()},
        x=rows,
        tokens=tuple(tokens),
        memory_x=() if asked is None else asked,
        attributes=dict(_attributes(module)),
    )
    laid = LayerParser(replace(brought, compared=True), told)
    laid.layer()
    if "layer" in laid.questions.asked:
        raise ValueError(
            f"{brought.name} has several attentions: give one of them, such as its self_attn."
        )
    as_told = LayerParser(brought, told).layer()
    return (_compare(module, laid, as_told) if compare else as_told).setup()


def _compare(module: nn.Module, laid: LayerParser, as_told: Layer) -> Layer:
    """Return the reading whose results are those of the module itself; where it could not be run,
    the one of what names and attributes tell. Raises ValueError where there is none."""
    brought, name = laid.brought, laid.brought.name
    if "w_q" not in laid.parts:
        return as_told
    memory = brought.memory_x if len(brought.memory_x) else None
    try:
        runs = run_layer(module, laid.prefix, laid.said.get("w_o", ""), brought.x, memory)
    except Exception as error:  # a stranger's code raises anything
        as_told.given()
        warnings.warn(
            f"{name} could not be run on x ({str(error)[:200]}): what it does beside its matrices,"
            " such as positions, a mask or a scale, is not known.",
            stacklevel=3,
        )
        return as_told
    found = find_reading(brought, laid.questions.answers, runs)
    if isinstance(found, Layer):
        return found
    raise ValueError(
        as_told.left_out[0]
        if as_told.left_out
        else f"{name} gives other numbers than the steps do: they differ by {found:.2g} times its"
        " largest number at least. Something that it does is not read, such as positions, a mask, a"
        " norm or a scale: say it (scale=…, mask=…), or take the matrices alone, compare=False."
    )


def link(setup: Setup, address: str = "") -> str:
    """Return the link that opens this setup where the explorer stands. Raises ValueError where its
    numbers are too long for one."""
    if files.REFERENCE.fullmatch(setup.given):
        raise ValueError(
            f"These numbers are longer than the {MAX_LETTERS:,} letters of a link: save them with"
            " np.savez('layer.npz', x=…, w_q=…, w_k=…, w_v=…), and open that file there."
        )
    return export.link(setup, "", address)


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


def _count_heads(module: nn.Module) -> int:
    """Return how many heads a module says that it has; 0 where it says nothing."""
    counts = (getattr(part, name, None) for part in module.modules() for name in _COUNTS_HEADS)
    return next((count for count in counts if type(count) is int), 0)


def _store(value: Tensor) -> Stored:
    return Stored(tuple(value.shape), value.cpu)


def _attributes(module: nn.Module) -> Iterator[tuple[str, Stored]]:
    """Yield what a module says of itself beside its weights: its parts, the inputs that they need,
    tensors, numbers, and what is switched on."""
    weights = module.state_dict().keys()
    for name, value in module.named_buffers():
        if name not in weights:
            yield name, _store(value)
    for path, part in module.named_modules():
        before = f"{path}." if path else ""
        yield f"{before}forward", Stored((), partial(torch.tensor, 0.0))
        for parameter in inspect.signature(part.forward).parameters.values():
            if parameter.default is parameter.empty:
                yield f"{before}forward {parameter.name}", Stored((), partial(torch.tensor, 0.0))
        for name, value in vars(part).items():
            if isinstance(value, Tensor):
                yield before + name, _store(value)
            elif value is True or (type(value) in (int, float) and SCALE.search(name)):
                yield before + name, Stored((), partial(torch.tensor, float(value)))
