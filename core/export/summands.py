"""The last section of the next word in an exported script: the logit of a word taken apart, and what the page shows of it."""

from types import SimpleNamespace

import torch
from torch import Tensor

from .. import attribution, next_word
from ..attribution import read_by_heads, through_norm
from ..record import Trace
from ..setup import Setup
from . import shown
from .derived import NamedTrace
from .expressions import Made

ABOUT = (
    "### Why this word\n\nWith the spread of every norm as it was, the last row is a sum: of what each head brings by each word that "
    "it read, of each feed-forward part, and of the word's own row. So a word's logit is a sum too, and so is by how much it is "
    "larger than another's: from the top of the stack down, `counts` says how much each number of a row counts."
)
STRONGEST = 3  # heads, each with the word it read, that are named


def taken_apart(
    counts: Tensor, layers: list[SimpleNamespace], rows: dict[str, Tensor], setup: Setup
) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
    """From the top of the stack down: what each head brings by each word (layer, head, token), each feed-forward part (layer,), and
    all else by its name. `counts` is how much each number of the last row counts, `rows` what x is made of."""
    of_heads, fed, others = [], [], {}
    for n in range(len(layers), 0, -1):
        layer = {name: value.double() for name, value in vars(layers[n - 1]).items()}
        if setup.norm == "post":  # with the spread that it had, a norm only divides
            counts = through_norm(counts, layer["resid_post"][-1], setup)
        if "b_2" in layer:
            others[f"layer{n}.b_2"] = layer["b_2"] @ counts
        fed.append(layer["ffn_activated"][-1] @ (layer["w_2"] @ counts))
        if setup.norm == "post":
            counts = through_norm(counts, layer["resid_mid"][-1], setup)
        if "b_o" in layer:
            others[f"layer{n}.b_o"] = layer["b_o"] @ counts
        back = layer["w_o"] @ counts if "w_o" in layer else counts
        of_heads.append(read_by_heads(layer["weights"][:, -1], layer["v"], back))
    others |= {name: of_each[-1].double() @ counts for name, of_each in rows.items()}
    return torch.stack(of_heads[::-1]), torch.stack(fed[::-1]), others


def asked(trace: Trace, word: str, instead: str) -> tuple[int, int | None]:
    """Return the places of the word that is asked about and of the one it is compared with, as the page has them: the likeliest where
    the first is not known."""
    place = next_word.place_of(trace, word) if word else None
    place = next_word.likeliest(trace)[0] if place is None else place
    return place, next_word.other_word(trace, place, instead)


def title(trace: Trace, place: int, other: int | None) -> str:
    """Return what is taken apart, as code that a reader's word stays data in."""
    words = [trace.vocabulary[each] for each in (place, other) if each is not None]
    return " rather than ".join(map(repr, words))


def made(named: NamedTrace, word: str, instead: str) -> Made:
    """Return the lines that take the logit apart and hold it against the page."""
    trace, setup = named.trace, named.trace.setup
    place, other = asked(trace, word, instead)
    apart = attribution.take_apart(setup, place, other)
    strongest = [each for each in apart.ranked() if each.name == "head"][:STRONGEST]
    less = "" if other is None else f" - next_word.unembedding[:, {other}].double()"
    layers = ", ".join(f"{named.layers}{n}" for n in range(1, setup.layers + 1))
    rows = ", ".join(f'"{name}": {name}' for name in attribution.ROWS if name in apart.others)
    picked = ", ".join(f"why.heads[{each.layer}, {each.head}, {each.token}]" for each in strongest)
    places = "; ".join(f"layer {each.layer + 1}, head {each.head + 1}, word {each.token + 1}" for each in strongest)
    page = [
        ("total", torch.tensor([apart.total]), "why.total.reshape(1)", "logit"),
        ("by_head", apart.heads.sum(dim=-1), "why.heads.sum(dim=-1)", "layer head"),
        ("strongest", torch.tensor([each.value for each in strongest]), f"torch.stack([{picked}])", "summand"),
        ("feed_forward", apart.feed_forward, "why.fed", "layer"),
    ]
    lines = [
        f"# {title(trace, place, other)}",
        "why = SimpleNamespace()",
        f"why.counts = next_word.unembedding[:, {place}].double(){less}",
        "why.total = next_word.last.double() @ why.counts",
        f"why.heads, why.fed, why.others = taken_apart(why.counts, [{layers}], {{{rows}}}, setup)",
        f"# strongest: {places}",
        *(f'check("why.{name}", {code}, "{axes}", """\n{shown.table(value)}""")' for name, value, code, axes in page),
        "why.every = torch.cat([why.heads.flatten(), why.fed, torch.stack(list(why.others.values()))])",
        'print(f"{len(why.every)} summands add up to {why.every.sum():.4f}, the logit is {why.total:.4f}")',
        'assert abs(why.every.sum() - why.total) < 1e-5 * (1 + why.every.abs().sum()), "the summands do not add up"',
    ]
    return Made("\n".join(lines), (through_norm, read_by_heads, taken_apart))
