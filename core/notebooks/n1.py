"""N1: wide heads, and √d_k split between queries and keys."""

from functools import cache

import torch

from ..setup import presets
from ..setup.setup import Setup
from ..training import init
from . import prose
from .figure import Figure, System
from .inputs import attend_to, letters

PROSE = prose.read("N1")


@cache
def _heads_figures() -> tuple[Figure, ...]:
    x = torch.rand(8, 5, 10, generator=init.generator(0))
    trace = attend_to(Setup(text=letters(5), **presets.N1), x)
    return (Figure("output", trace["output"].value, (8, 5, 10)),)


SYSTEMS = (System(**PROSE.systems["heads"], page="heads", link=presets.N1, figures=_heads_figures),)
