"""A trace's link in the app."""

from urllib.parse import urlencode

from ..pretrained.folders import GIVEN
from ..trace.record import Trace


def link(trace: Trace, app: str = "http://localhost:8501") -> str:
    """Return the link that shows the same numbers in the app at this address. Raises ValueError for
    numbers that no setup gives; says why.

    >>> from ..forward.trace import run
    >>> from ..setup.setup import Setup
    >>> link(run(Setup(text="a cat", heads=2)))
    'http://localhost:8501/weights?text=a+cat&heads=2'
    """
    setup = trace.setup
    if "weights" in trace and trace["weights"].origin is None:
        raise ValueError("Bare attention weights come from no setup, and a link has only a setup.")
    if setup.model in GIVEN:
        raise ValueError(
            f"{setup.model} is not in a folder of the app: save it where ATTENTION_MODELS leads,"
            " and read it by its name there."
        )
    return f"{app}/weights?{urlencode({'text': setup.text} | setup.as_link(), safe=',')}"
