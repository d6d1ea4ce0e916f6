"""The section of an exported script on the piece at [MASK], of a model that looks both ways."""

from dataclasses import replace

from .. import next_word
from ..attention import softmax
from . import shown
from .derived import NamedTrace
from .expressions import Made
from .literals import literal, unpacked, unpacked_floats

ABOUT = (
    "What would stand at the first [MASK]: its row goes through one more layer, an activation and a"
    " norm, and times a column for each piece. The model's table is too large to stand here: of it"
    " there are the columns of the likeliest pieces, and the logits of all."
)


def to_the_logits(named: NamedTrace) -> NamedTrace:
    """Return the same trace as far as every number of it can be written out: up to the row that the
    pieces' columns are times."""
    names = list(named.trace)
    kept = [name for name in names[: names.index("normed_top") + 1] if name != "b_word"]
    return replace(
        named, trace=replace(named.trace, _entries={name: named.trace[name] for name in kept})
    )


def made(named: NamedTrace) -> Made:
    """Return the lines that make the likeliest pieces' logits and shares, and hold them against the
    page."""
    trace = named.trace
    places, temperature = next_word.likeliest(trace), trace.setup.word_temperature
    logits = trace.value("logits")
    shares = softmax(next_word.temper(logits, temperature))[places]
    lines = [
        f"mask.pieces = {[trace.vocabulary[place] for place in places]!r}",
        f"mask.unembedding = {literal(trace.value('unembedding')[:, places].float())}",
        f"mask.b_word = {literal(trace.value('b_word')[places])}",
        "mask.logits = logits(mask.normed_top, mask.unembedding) + mask.b_word",
        f'check("mask.logits", mask.logits, "word", """\n{shown.table(logits[places])}""")',
        f"mask.of_all = {literal(logits)}",
        f'assert (mask.of_all[{places}] - mask.logits).abs().max() < 1e-3, "the logits are others"',
        (
            f"mask.shares = softmax(temper(mask.of_all, temperature={temperature}))[{places}]  #"
            " before top-k and top-p"
        ),
        f'check("mask.shares", mask.shares, "word", """\n{shown.table(shares)}""")',
    ]
    return Made(
        "\n".join(lines), (unpacked, unpacked_floats, next_word.logits, next_word.temper, softmax)
    )
