"""The sections of an exported derivation, one for each page: its link, a description, its tensors
and their formulas."""

from collections.abc import Callable
from dataclasses import dataclass
from string import Template
from urllib.parse import quote, urlencode

from ..setup.setup import Setup
from ..trace.record import Entry, Trace


@dataclass(frozen=True)
class Section:
    """One page: its path, its menu title, a sentence, and the last entry computed there."""

    path: str
    title: str
    sentence: str
    last: str

    def entries(self, trace: Trace) -> list[Entry]:
        """Return the entries computed on this page: those after the previous page's last one, up to
        its own."""
        names = list(trace)
        before = SECTIONS.index(self) - 1
        first = names.index(SECTIONS[before]._end(trace)) + 1 if before >= 0 else 0
        return [trace[name] for name in names[first : names.index(self._end(trace)) + 1]]

    def _end(self, trace: Trace) -> str:
        """Return the name of the page's last entry: the memory's, in cross-attention, else the
        sentence's."""
        return f"memory_{self.last}" if f"memory_{self.last}" in trace else self.last


SECTIONS = (
    Section(
        "vocabulary",
        "1 Vocabulary",
        "Each different word gets a number: its place in a sorted list.",
        "ids",
    ),
    Section(
        "embedding",
        "2 Embedding",
        "The id picks a row of a table. From here on that row of numbers stands for the word.",
        "x",
    ),
    Section(
        "projection",
        "3 Projection",
        "Of each word there are three vectors: a query to ask others with, a key to be asked by,"
        " and a value to hand on.",
        "v",
    ),
    Section(
        "scores", "4 Scores", "How well does one word's query fit another word's key?", "scores"
    ),
    Section("weights", "5 Weights", "The scores of one query become shares of 1.", "weights"),
    Section(
        "context",
        "6 Context",
        "Each word's context, z, is a mixture of all values, each taken by its weight.",
        "context",
    ),
    Section(
        "heads",
        "7 Heads",
        "What the heads found stands side by side; W_o mixes it into one vector for each word.",
        "output",
    ),
)

# The pages after the seven steps; their entries are in `traces`.
LATER = (
    Section(
        "masks",
        "Masks",
        "Several sentences at once, padded to one length, and who may look at whom.",
        "",
    ),
    Section(
        "block",
        "Block",
        "Attention's output is added to each word's vector, normed, and passed through a small"
        " network.",
        "",
    ),
    Section(
        "encoder", "Encoder", "Blocks on top of one another, each with weights of its own.", ""
    ),
    Section(
        "next",
        "Next word",
        "The last row of a stack in which none looks ahead says how well each word goes on.",
        "",
    ),
    Section(
        "classifier",
        "Classifier",
        "From all sentences to probabilities of classes: the stack, a mean, one more matrix.",
        "",
    ),
)


def link(setup: Setup, path: str, address: str) -> str:
    """Return the link to a page with this setup; relative if the address is empty.

    >>> link(Setup(d_k=5), "scores", "https://example.org/app/")
    'https://example.org/app/scores?d_k=5'
    """
    base = quote(address.rstrip("/"), safe=":/[]%") or "."
    parameters = urlencode(setup.as_link(), safe=",")
    return f"{base}/{path}" + (f"?{parameters}" if parameters else "")


def introduce(setup: Setup, section: Section, address: str, trace: Trace | None = None) -> str:
    """Return a section's title, sentence, formulas and page link."""
    entries = [] if trace is None else section.entries(trace)
    made_of = [made for entry in entries if trace and (made := formula(trace, entry))]
    lines = [f"## {section.title}", section.sentence, *(f"$${latex}$$" for latex in made_of)]
    return "\n\n".join([*lines, f"[This page]({link(setup, section.path, address)})"])


def formula(trace: Trace, entry: Entry) -> str | None:
    """Return an entry's formula as LaTeX; None for weights and ids."""
    made = right_side(trace, entry)
    return f"{latex(entry)} = {made}" if made else None


def latex(entry: Entry) -> str:
    """Return an entry's symbol as LaTeX."""
    return (
        entry.symbol.replace("⁺", "^+").replace("′", "'").replace("″", "''").replace("⊤", r"\top")
    )


def right_side(trace: Trace, entry: Entry, write: Callable[[Entry], str] = latex) -> str | None:
    """Return the right side of an entry's formula; `write` gives the symbol of each input."""
    inputs, call = [write(trace[name]) for name in entry.inputs], entry.call
    if call is None:
        return inputs[0] if inputs else None
    told = call.step.formula if call.step else ""
    if not told:
        name = call.function.__name__.replace("_", r"\_")
        return rf"\mathrm{{{name}}}({', '.join(inputs)})"
    template = told if isinstance(told, str) else told(**call.settings)
    made = Template(template).substitute(call.settings, **dict(zip("ab", inputs, strict=False)))
    return made + "".join(f" + {bias}" for bias in inputs[2:])
