"""The last section of the next word in an exported script: the logit of a word taken apart, and
what the page shows of it."""

from dataclasses import replace
from types import SimpleNamespace

import torch
from torch import Tensor

from .. import attribution, encoder, next_word
from ..attention import softmax
from ..attribution import Attribution, read_by_heads, through_norm
from ..record import Trace
from ..setup import Setup
from ..trace import embedded
from . import shown
from .derived import NamedTrace
from .expressions import Made
from .literals import literal, unpacked, unpacked_floats

ABOUT = (
    "### Why this word\n\nWith the spread of every norm as it was, the last row is a sum: of what"
    " each head brings by each word that it read, of each feed-forward part, and of the word's own"
    " row. So a word's logit is a sum too, and so is by how much it is larger than another's: from"
    " the top of the stack down, `counts` says how much each number of a row counts."
)
OF_A_MODEL = (
    " The model's matrices are too large to stand here: W_o times `counts` is written out for each"
    " layer, what each feed-forward part adds, and the logits of all pieces."
)
STRONGEST = 3  # heads, each with the word it read, that are named


def taken_apart(
    counts: Tensor, layers: list[SimpleNamespace], rows: dict[str, Tensor], setup: Setup
) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
    """From the top of the stack down: what each head brings by each word (layer, head, token), each
    feed-forward part (layer,), and all else by its name. `counts` is how much each number of the
    last row counts, `rows` what x is made of."""
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
    """Return the places of the word that is asked about and of the one it is compared with, as the
    page has them: the likeliest where the first is not known."""
    place = next_word.place_of(trace, word) if word else None
    place = next_word.likeliest(trace)[0] if place is None else place
    return place, attribution.other_word(trace, place, instead)


def title(trace: Trace, place: int, other: int | None) -> str:
    """Return what is taken apart, as code that a reader's word stays data in."""
    words = [trace.vocabulary[each] for each in (place, other) if each is not None]
    return " rather than ".join(map(repr, words))


def made(named: NamedTrace, word: str, instead: str) -> Made:
    """Return the lines that take the logit apart and hold it against the page."""
    trace, setup = named.trace, named.trace.setup
    place, other = asked(trace, word, instead)
    apart = attribution.take_apart(setup, place, other)
    less = "" if other is None else f" - next_word.unembedding[:, {other}].double()"
    layers = ", ".join(f"{named.layers}{n}" for n in range(1, setup.layers + 1))
    rows = ", ".join(f'"{name}": {name}' for name in attribution.ROWS if name in apart.others)
    lines = [
        f"# {title(trace, place, other)}",
        "why = SimpleNamespace()",
        f"why.counts = next_word.unembedding[:, {place}].double(){less}",
        "why.total = next_word.last.double() @ why.counts",
        f"why.heads, why.fed, why.others = taken_apart(why.counts, [{layers}], {{{rows}}}, setup)",
        *_held(apart),
    ]
    return Made("\n".join(lines), (through_norm, read_by_heads, taken_apart))


def made_of_a_model(setup: Setup, word: str, instead: str) -> Made:
    """Return the same of a model that was read, whose norms stand before each part: its matrices
    are too large to write out, so that W_o times counts is, for each layer, and what each
    feed-forward part adds."""
    setup = replace(next_word.in_force(setup), layer=1)
    bottom, model = embedded(setup), setup.real
    assert model is not None
    layers = encoder.encode(setup, bottom.value("x"))
    trace = next_word.said_after(setup, layers[-1].value("out"))
    place, other = asked(trace, word, instead)
    apart, column = (
        attribution.take_apart(setup, place, other),
        attribution.column(setup, place, other),
    )
    last, gain = layers[-1].value("out")[-1], model.around.get("gain_top")
    counts = column if gain is None else through_norm(column * gain.double(), last.double(), setup)
    written = _written(apart, column, counts, bottom, layers)
    of_top = ["why.total = why.last.double() @ why.counts", "why.others = {}"]
    if gain is not None:
        of_top.insert(
            0,
            "why.counts = through_norm(why.counts * why.gain_top.double(), why.last.double(),"
            " setup)",
        )
    if "shift_top" in written:
        of_top += [
            'why.others["shift_top"] = why.shift_top.double() @ why.column.double()',
            'why.total = why.total + why.others["shift_top"]',
        ]
    rows = [
        f'why.others["{name}"] = why.{name}.double() @ why.counts'
        for name in attribution.ROWS
        if name in written
    ]
    biases = [
        f'why.others |= {{f"layer{{n}}.{name}": row.double() @ why.counts for n, row in'
        f" enumerate(why.{name}, start=1)}}"
        for name in ("b_o", "b_2")
        if name in written
    ]
    lines = [
        f"# {title(trace, place, other)}",
        "why = SimpleNamespace()",
        *(f"why.{name} = {literal(value)}" for name, value in written.items()),
        "why.counts = why.column.double()",
        *of_top,
        "of_layers = zip(why.weights.double(), why.v.double(), why.back.double(), strict=True)",
        "why.heads = torch.stack([read_by_heads(*of_layer) for of_layer in of_layers])",
        "why.fed = why.feed_forward.double() @ why.counts",
        *rows,
        *biases,
        *_held(apart),
        *_shares(trace, [each for each in (place, other) if each is not None]),
    ]
    return Made(
        "\n".join(lines),
        (unpacked, unpacked_floats, through_norm, read_by_heads, softmax, next_word.temper),
    )


def _written(
    apart: Attribution, column: Tensor, counts: Tensor, bottom: Trace, layers: tuple[Trace, ...]
) -> dict[str, Tensor]:
    """Return by name what stands in the script of a model that was read, that of all layers as one
    tensor."""
    assert bottom.setup.real is not None
    around = bottom.setup.real.around
    return {
        "column": column.float(),
        "last": layers[-1].value("out")[-1],
        **{name: around[name] for name in ("gain_top", "shift_top") if name in around},
        **{name: bottom.value(name)[-1] for name in attribution.ROWS if name in apart.others},
        "weights": torch.stack([layer.value("weights")[:, -1] for layer in layers]),
        "v": torch.stack([layer.value("v") for layer in layers]),
        "back": torch.stack([(layer.value("w_o").double() @ counts).float() for layer in layers]),
        "feed_forward": torch.stack(
            [layer.value("ffn_activated")[-1] @ layer.value("w_2") for layer in layers]
        ),
        **{
            name: torch.stack([layer.value(name) for layer in layers])
            for name in ("b_o", "b_2")
            if name in layers[0]
        },
    }


def _shares(trace: Trace, places: list[int]) -> list[str]:
    """Return the lines that make shares of the logits of all pieces, and hold those of these
    against the page; cut none off."""
    logits, temperature = trace.value("logits"), trace.setup.word_temperature
    shares = softmax(next_word.temper(logits, temperature))[places]
    less = f" - next_word.logits[{places[1]}]" if places[1:] else ""
    return [
        "next_word = SimpleNamespace()",
        f"next_word.logits = {literal(logits)}",
        (
            f'assert abs(next_word.logits[{places[0]}]{less} - why.total) < 1e-3, "the logits are'
            ' others"'
        ),
        (
            f"next_word.shares = softmax(temper(next_word.logits, temperature={temperature}))  #"
            " before top-k and top-p"
        ),
        (
            f'check("next_word.shares", next_word.shares[{places}], "word",'
            f' """\n{shown.table(shares)}""")'
        ),
    ]


def _held(apart: Attribution) -> list[str]:
    """Return the lines that hold what was taken apart against the page, and add it up."""
    strongest = [each for each in apart.ranked() if each.name == "head"][:STRONGEST]
    picked = ", ".join(f"why.heads[{each.layer}, {each.head}, {each.token}]" for each in strongest)
    places = "; ".join(
        f"layer {each.layer + 1}, head {each.head + 1}, word {each.token + 1}" for each in strongest
    )
    page = [
        ("total", torch.tensor([apart.total]), "why.total.reshape(1)", "logit"),
        ("by_head", apart.heads.sum(dim=-1), "why.heads.sum(dim=-1)", "layer head"),
        (
            "strongest",
            torch.tensor([each.value for each in strongest]),
            f"torch.stack([{picked}])",
            "summand",
        ),
        ("feed_forward", apart.feed_forward, "why.fed", "layer"),
    ]
    return [
        f"# strongest: {places}",
        *(
            f'check("why.{name}", {code}, "{axes}", """\n{shown.table(value)}""")'
            for name, value, code, axes in page
        ),
        (
            "why.every = torch.cat([why.heads.flatten(), why.fed,"
            " torch.stack(list(why.others.values()))])"
        ),
        (
            'print(f"{len(why.every)} summands add up to {why.every.sum():.4f}, the logit is'
            ' {why.total:.4f}")'
        ),
        (
            'assert abs(why.every.sum() - why.total) < 1e-5 * (1 + why.every.abs().sum()), "the'
            ' summands do not add up"'
        ),
    ]
