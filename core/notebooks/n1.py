"""N1: wide heads, and √d_k split between queries and keys."""

import torch

from ..setup import presets
from ..setup.setup import Setup
from ..training import init
from .figure import Figure
from .inputs import attend_to, letters
from .notebook import Notebook

NOTEBOOK = Notebook("N1")


@NOTEBOOK.system("heads", page="heads", link=presets.N1)
def _heads_figures() -> tuple[Figure, ...]:
    x = torch.rand(8, 5, 10, generator=init.generator(0))
    trace = attend_to(Setup(text=letters(5), **presets.N1), x)
    return (Figure("output", trace["output"].value, (8, 5, 10)),)
