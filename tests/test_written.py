"""How numbers are written: one rule in Python and in the browser, one number for one cell, and what
is said about rounding."""

import base64
import itertools
import math
import random
import re
import struct
from decimal import ROUND_HALF_UP, Decimal

import pytest
import torch
from hypothesis import given, settings
from strategies import setups

from core import Setup, run
from core.board.packed import pack, pack_shares
from core.forward import batch, classifier
from core.forward.encoder import encode
from core.text.written import brief, number, read, short
from core.trace.cell import Cell, Ref, Term
from core.trace.origin import Mean, Product, Sum
from pages.shared.layout import show
from pages.shared.text import tables
from pages.shared.text.words import round_as_printed
from tests.modules import evaluate

# A number, how it is written in full, and how in a matrix's cell.
CASES = [
    (-0.0, "0.0000", "0.00"),
    (-1.23456, "−1.2346", "−1.23"),
    (1 / 32, "0.0313", "0.03"),
    (5 / 32, "0.1563", "0.16"),
    (-0.125, "−0.1250", "−0.13"),
    (12.25, "12.2500", "12.3"),
    (-101.5, "−101.5000", "−102"),
    (2.00005, "2.0000", "2.00"),  # held as a little less
    (0.00025, "0.0003", "0.00"),  # held as a little more
    (0.00005, "0.0001", "0.00"),
    (0.0001, "0.0001", "0.00"),
    (0.00009999, "0.0001", "0.00"),
    (-0.004, "−0.0040", "0.00"),
    (-0.0000123, "≈ 0", "0.00"),
    (2.0**-149, "≈ 0", "0.00"),
    (-9.99996, "−10.0000", "−10.0"),
    (9.996, "9.9960", "10.0"),
    (99.96, "99.9600", "100"),
    (9999.99999, "10,000.0000", "10000"),
    (1116219.25, "1,116,219.2500", "1116219"),
    (1.25e15, "1.3e15", "1.3e15"),
    (-(2.0**127), "−1.7e38", "−1.7e38"),
    (-math.inf, "−∞", "−∞"),
    (math.nan, "–", "–"),
]
# A number, how many digits, and how it is written with so many.
SHORT = [
    (-23.5934, 5, "−23.593"),
    (-0.0, 3, "0"),
    (1 / 32, 2, "0.031"),
    (-0.000034264, 3, "≈ 0"),
    (123456.0, 3, "123,000"),
    (0.125, 2, "0.13"),
    (999.6, 3, "1000"),
    (9999.0, 4, "9999"),
    (-math.inf, 3, "−∞"),
]


def float32s(count: int) -> list[float]:
    """Numbers as tensors hold them: any, of everyday size, and halves of the fourth and of the
    second decimal."""
    pick = random.Random(0)
    any_bits = [struct.unpack("f", struct.pack("I", pick.getrandbits(32)))[0] for _ in range(count)]
    everyday = torch.randn(count, generator=torch.Generator().manual_seed(0)) * 10
    halves = [(2 * k + 1) / 2**power for power in (1, 2, 3, 4, 5, 6) for k in range(-200, 200)]
    return [v for v in any_bits if not math.isnan(v)] + everyday.tolist() + halves


def test_a_number_is_written_by_the_rule_on_both_sides():
    """Decimals, halves, powers of ten, signs, what is no number: in Python, in the browser the
    same, on thousands of other numbers too; and what is written can be counted with."""
    assert [(number(value), brief(value)) for value, *_ in CASES] == [case[1:] for case in CASES]
    assert [short(value, digits) for value, digits, _ in SHORT] == [said for *_, said in SHORT]
    values = [value for value, *_ in CASES] + float32s(5000)
    sent = base64.b64encode(struct.pack(f"{len(values)}d", *values)).decode()
    decoded = "[...new Float64Array(Uint8Array.from(atob(x), (c) => c.charCodeAt(0)).buffer)]"
    body = f"return {decoded}.map((v) => [module.writeExact(v), module.writeBrief(v)])"
    written = evaluate("core/board/web/numbers.js", body, sent)
    assert written[: len(CASES)] == [[exact, brief] for _, exact, brief in CASES]
    apart = [v for v, (exact, _) in zip(values, written, strict=True) if number(v) != exact]
    assert apart == []
    assert not any("e−" in text for texts in written for text in texts)
    for value in filter(math.isfinite, values):
        allowed = Decimal("0.00005") if abs(value) < 1e15 else Decimal(abs(value)) / 20
        assert abs(read(number(value)) - Decimal(value)) <= allowed


def test_what_python_packs_is_read():
    """Numbers arrive in the browser to the last bit, shares to a 65,535th, and none
    becomes 0 or 1 that is not."""
    numbers = torch.tensor([0.1, -3.0, 2.5e-9])
    shares = torch.tensor([0.0, 1e-9, 1 / 3, 0.77, 1 - 1e-7, 1.0])
    body = "return [[...module.decode(x[0])], [...module.decodeShares(x[1])]]"
    there, of_one = evaluate(
        "core/board/web/numbers.js", body, [pack(numbers), pack_shares(shares[None])]
    )
    assert there == numbers.tolist()
    assert of_one == pytest.approx(shares.tolist(), abs=1 / 65535)
    assert [each in (0, 1) for each in of_one] == [True, *[False] * 4, True]


def traces(setup: Setup):
    """Every trace that pages open cells of: the seven steps', each layer's, each sentence's of the
    batch and of the classifier."""
    yield run(setup)
    yield from encode(setup)
    made, classified = batch.run(setup), classifier.classify(setup)
    for place in range(len(setup.sentences)):
        yield made.sentence(place)
        yield classified.sentence(place)


@settings(max_examples=15)
@given(setups() | setups(projections="none"))
def test_an_opened_cell_is_its_number_and_its_note_is_true(setup):
    """On any page a cell is the number in the tensor, to the last bit, and so is the last sum; the
    printed terms, added up by hand, are off by what the note says; a rule has real minus signs."""
    pick = random.Random(setup.seed)
    for trace in traces(setup):
        for name, entry in trace.items():
            for _ in range(4 if entry.origin else 0):
                index = tuple(pick.randrange(size) for size in entry.value.shape)
                cell = entry.origin.open(trace, index)
                assert cell.value == entry.value[index].item(), (name, index)
                assert "-" not in cell.rule, (name, index, cell.rule)
                is_sum = isinstance(entry.origin, Product | Sum | Mean)
                if is_sum and getattr(entry.origin, "temperature", 1) == 1:
                    check_note(cell, (name, index))


def check_note(cell: Cell, where: tuple) -> None:
    """The printed terms of a cell, added up, against what the note under them says."""
    result = read(number(cell.value))
    made = sum(read(number(term.value)) for term in cell.terms)
    off = made.quantize(result, rounding=ROUND_HALF_UP) - result
    said = show.rounding_note(cell)
    told = re.fullmatch(r"As printed, they add up to (\S+) (more|less): rounding\.|", said)
    assert bool(said) == (off != 0), where
    if said:
        size = read(told[1]) * (1 if told[2] == "more" else -1)
        assert size == read(number(float(off))), where


def test_sums_are_torchs():
    """A product in a cell's list is the one that torch multiplied, and the sum so far ends at the
    number that is printed for the cell."""
    trace = run(Setup(d_model=64, d_k=64, d_v=64))
    weights, v, output = (trace.value(name) for name in ("weights", "v", "output"))
    for i, column in itertools.product(range(6), range(0, 64, 3)):
        cell = trace["context"].origin.open(trace, (0, i, column))
        assert [term.value for term in cell.terms] == (weights[0, i] * v[0, :, column]).tolist()
        cell = trace["output"].origin.open(trace, (i, column))
        made = tables.terms(cell, [str(k) for k in range(len(cell.terms))])
        assert round_as_printed(made["sum so far"][-1]) == round_as_printed(
            output[i, column].item()
        )


def summed(*values: float, result: float) -> Cell:
    """A cell made of these terms."""
    terms = tuple(Term((Ref("part", (k,), v),), v) for k, v in enumerate(values))
    return Cell(terms, result, "their sum")


def test_rounding_counts_in_decimals():
    """By hand: nothing, one unit of the last digit, many of them, and units far below four
    decimals; the note says how many, and which way."""
    for cell, off in (
        (summed(0.1, 0.2, result=0.3), 0),
        (summed(0.00014, 0.00014, result=0.00028), -0.0001),  # 0.0001 + 0.0001, and 0.0003
        (summed(*[1.00004] * 10, result=10.0004), -0.0004),
        (summed(0.5, 5e-9, result=0.5), 0),
        (summed(1.24e-5, 3.34e-5, result=4.58e-5), 0),  # all ≈ 0
        (summed(-0.25, result=-0.25), 0),
    ):
        assert tables.find_rounding(cell) == pytest.approx(off)
    more = summed(*[0.00016] * 5, result=0.0008)
    assert show.rounding_note(more) == "As printed, they add up to 0.0002 more: rounding."
    assert show.rounding_note(summed(0.1, 0.2, result=0.3)) == ""


@pytest.mark.parametrize("norm_kind", ["layer", "rms"])
@pytest.mark.parametrize("size", ["0.001", "1"])
def test_a_norms_rule_is_what_was_divided_by(norm_kind, size):
    """√(variance + ε) is no standard deviation where ε shows; a reader who counts with the printed
    numbers gets what is printed, or is told what else."""
    edits = f"embedding_table.1={size}"
    trace = encode(Setup(norm="pre", norm_kind=norm_kind, positions="none", edits=edits))[0]
    for index in itertools.product(range(6), range(16)):
        cell = trace["normed_1"].origin.open(trace, index)
        row = trace.value("x")[index[0]].double()
        bare = row.std(correction=0) if norm_kind == "layer" else row.square().mean().sqrt()
        divisor = re.search(r"([\d.,]+)(?: \(with|$)", cell.rule)[1]
        assert ("ε" in cell.rule) == (number(bare.item()) != divisor)
        mean = read(re.search(r"mean (−?[\d.,]+),", cell.rule)[1]) if norm_kind == "layer" else 0
        again = number(float((read(number(cell.terms[0].value)) - mean) / read(divisor)))
        assert (again == number(cell.value)) != ("rounding" in cell.rule), (index, cell, again)
