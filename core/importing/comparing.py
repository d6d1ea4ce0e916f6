"""What a layer itself gives for X, and which way of reading it makes the steps give the same."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from ..forward.trace import attend_with
from ..ops import masks
from ..setup.choices import MAX_DIVISOR
from .layer import Layer, LayerInput, LayerParser
from .questions import InvalidInput
from .variants import SCALE

MAX_WAYS = 200  # in which a layer is tried
FEWEST_ROWS = 4  # of X: of fewer, layers that differ give the same


@dataclass(frozen=True)
class Run:
    """What a layer was run on, and what it gave: its results, and what its W_o gave; `near` is how
    far another result may be off, as a part of the largest number."""

    x: Tensor
    memory: Tensor
    outputs: tuple[Tensor, ...]
    near: float

    def distance(self, made: Tensor) -> float:
        """Return how far a result is from the nearest output, in units of `near`."""
        return min(
            (
                float((one - made).abs().max()) / (self.near * (float(one.abs().max()) or 1.0))
                for one in self.outputs
                if one.shape == made.shape
            ),
            default=float("inf"),
        )


def run_layer(
    module: nn.Module, prefix: str, w_o: str, x: Tensor, memory: Tensor | None = None
) -> tuple[Run, Run]:
    """Run the attention at `prefix` in evaluation mode, and leave all as it was: on X, and on small
    numbers, of which softmax makes no ones and zeros. `w_o` is the key of its last matrix. Raises
    what the module raises."""
    part = module.get_submodule(prefix.rstrip("."))
    like = next(module.parameters())
    if len(x) < FEWEST_ROWS:
        x = torch.cat((x, torch.ones(FEWEST_ROWS, x.shape[1]).cumsum(0).cos()))

    def run(small: float) -> Run:
        rows = x * small
        asked = rows if memory is None else memory * small
        outputs: list[Tensor] = []
        ways = list(_inputs(part, rows.to(like), asked.to(like), is_self=memory is None))
        with _evaluation_mode(module), _record_output(module, w_o, outputs):
            for place, inputs in enumerate(ways, start=1):
                try:
                    outputs += _tensors_of(part(*inputs))
                except Exception:
                    if place == len(ways) and not outputs:
                        raise
        flat = tuple(one.squeeze(0).float().cpu() for one in outputs)
        return Run(rows, asked, flat, min(1e-2, 100 * torch.finfo(like.dtype).eps))

    return run(1.0), run(0.1 / (float(x.abs().max()) or 1.0))


def find_reading(
    brought: LayerInput, told: Mapping[str, str], runs: Sequence[Run]
) -> Layer | float:
    """Return the reading by which the steps give what the layer gave, of all that answer the open
    questions, the scale and the mask; where there is none, how far off the nearest is, as a part of
    the largest number."""
    is_self = len(runs[0].x) == len(runs[0].memory)
    nearest = float("inf")
    for laid in islice(_ways(brought, dict(told)), MAX_WAYS):
        for scale, mask in product(_scales(laid), ("none", "causal")[: 1 + is_self]):
            divisor = _divisor(scale, laid)
            off = max(
                run.distance(_attend(laid.parts, run, divisor, mask == "causal")) for run in runs
            )
            if off <= 1:
                return LayerParser(
                    brought, {"scale": scale, "mask": mask} | laid.questions.answers
                ).layer()
            nearest = min(nearest, off)
    return nearest * runs[0].near


# ---------- the layer's own way ----------


def _inputs(part: nn.Module, x: Tensor, memory: Tensor, is_self: bool) -> Iterator[tuple[Any, ...]]:
    """Yield what such a layer may be called with: X alone, queries with keys and values, and a mask
    that is none; as a batch of one, and without a batch."""
    k, v = (
        memory[:, : getattr(part, "kdim", None)],
        memory[:, -(getattr(part, "vdim", None) or 0) :],
    )
    for inputs in ((x,),) * is_self + ((x, k, v), (x, k)):
        of_batch = tuple(one[None] for one in inputs)
        for each in (inputs,) if isinstance(part, nn.MultiheadAttention) else (of_batch, inputs):
            yield each
            yield (*each, None)


@contextmanager
def _evaluation_mode(module: nn.Module) -> Iterator[None]:
    """Run what stands inside without dropout and gradients; then all is as it was."""
    modes = {part: part.training for part in module.modules()}
    module.eval()
    try:
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            yield
    finally:
        for part, training in modes.items():
            part.training = training


@contextmanager
def _record_output(module: nn.Module, w_o: str, outputs: list[Tensor]) -> Iterator[None]:
    """Keep what the Linear of W_o gives, since a layer may add and norm behind it."""
    linear = module.get_submodule(w_o.rpartition(".")[0])
    if not isinstance(linear, nn.Linear):
        yield
        return
    hook = linear.register_forward_hook(lambda _, __, output: outputs.append(output))
    try:
        yield
    finally:
        hook.remove()


def _tensors_of(result: Any) -> list[Tensor]:
    parts = result if isinstance(result, tuple | list) else [result]
    return [one for one in parts if isinstance(one, Tensor)]


# ---------- the steps' way ----------


def _ways(brought: LayerInput, told: dict[str, str]) -> Iterator[LayerParser]:
    """Yield the layer laid in each way that answers its open questions and fits."""
    laid = LayerParser(brought, told)
    try:
        laid.parts = laid.lay()
    except (InvalidInput, RuntimeError, LookupError, ValueError):
        return
    question = next((one for name, one in laid.questions.asked.items() if name not in told), None)
    if question is None:
        yield laid
        return
    for answer in question.answers:
        yield from _ways(brought, told | {question.name: answer})


def _scales(laid: LayerParser) -> list[str]:
    """Return what scores may be divided by: what is said, else the usual ones and the numbers that
    the layer holds."""
    if "scale" in laid.settings:
        return [laid.settings["scale"]]
    d_model = laid.parts["w_q"].shape[1]
    others = [float(d_model) ** 0.5]
    for key, one in {**laid.brought.attributes, **laid.brought.stored}.items():
        if SCALE.search(key.rpartition(".")[2]) and max(one.shape, default=1) == 1:
            number = float(one.tensor())
            others += [number, 1 / number] if number > 0 else []
    return ["sqrt", "none", *(f"{one:.6g}" for one in others if 0.1 <= one <= MAX_DIVISOR)]


def _divisor(scale: str, laid: LayerParser) -> float:
    return {"sqrt": laid.parts["w_q"].shape[-1] ** 0.5, "none": 1.0}.get(scale) or float(scale)


def _attend(parts: Mapping[str, Tensor], run: Run, divisor: float, causal: bool) -> Tensor:
    """Return what the steps make of X with these matrices."""
    wide = parts["w_q"].shape[1]
    x, memory = (pad(rows.float(), (0, wide - rows.shape[1])) for rows in (run.x, run.memory))
    weights = {name: part.float() for name, part in parts.items()} | {"x": x, "memory_x": memory}
    may_attend = torch.ones(len(x), len(memory), dtype=torch.bool)
    trace = attend_with(weights, masks.causal(len(x)) if causal else may_attend, divisor)
    return trace.value("output")
