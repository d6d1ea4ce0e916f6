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

from core import batch, classifier
from core.cell import Cell, Ref, Term
from core.encoder import encode
from core.origin import Mean, Product, Sum
from core.setup import Setup
from core.trace import run
from core.written import brief, number, read, short
from pages.shared.board.packed import pack, pack_shares
from pages.shared.frame import show
from pages.shared.said import tables
from pages.shared.said.words import printed
from tests.modules import evaluate

# A number, how it is written in full, and how in a matrix's cell.
CASES = [
    (0.0, "0.0000", "0.00"),
    (-0.0, "0.0000", "0.00"),
    (1.0, "1.0000", "1.00"),
    (-1.23456, "−1.2346", "−1.23"),
    (1 / 32, "0.0313", "0.03"),
    (-1 / 32, "−0.0313", "−0.03"),
    (3 / 32, "0.0938", "0.09"),
    (5 / 32, "0.1563", "0.16"),
    (0.125, "0.1250", "0.13"),
    (-0.125, "−0.1250", "−0.13"),
    (0.375, "0.3750", "0.38"),
    (2.5, "2.5000", "2.50"),
    (12.25, "12.2500", "12.3"),
    (100.5, "100.5000", "101"),
    (-101.5, "−101.5000", "−102"),
    (2.00005, "2.0000", "2.00"),  # held as a little less
    (0.00025, "0.0003", "0.00"),  # held as a little more
    (0.00005, "5.0e−5", "0.00"),
    (-0.00005, "−5.0e−5", "0.00"),
    (0.0001, "0.0001", "0.00"),
    (0.00009999, "1.0e−4", "0.00"),
    (-0.004, "−0.0040", "0.00"),
    (0.0000123, "1.2e−5", "0.00"),
    (-0.0000123, "−1.2e−5", "0.00"),
    (1.5e-12, "1.5e−12", "0.00"),
    (2.0**-149, "1.4e−45", "0.00"),
    (0.99996, "1.0000", "1.00"),
    (-9.99996, "−10.0000", "−10.0"),
    (9.994, "9.9940", "9.99"),
    (9.996, "9.9960", "10.0"),
    (99.94, "99.9400", "99.9"),
    (99.96, "99.9600", "100"),
    (9999.9999, "9999.9999", "10000"),
    (9999.99999, "10,000.0000", "10000"),
    (-12345.5, "−12,345.5000", "−12346"),
    (1116219.25, "1,116,219.2500", "1116219"),
    (16777216.0, "16,777,216.0000", "16777216"),
    (1.25e15, "1.3e15", "1.3e15"),
    (-(2.0**127), "−1.7e38", "−1.7e38"),
    (math.inf, "∞", "∞"),
    (-math.inf, "−∞", "−∞"),
    (math.nan, "–", "–"),
]


def float32s(count: int) -> list[float]:
    """Numbers as tensors hold them: any, of everyday size, and halves of the fourth and of the
    second decimal."""
    pick = random.Random(0)
    any_bits = [struct.unpack("f", struct.pack("I", pick.getrandbits(32)))[0] for _ in range(count)]
    everyday = torch.randn(count, generator=torch.Generator().manual_seed(0)) * 10
    halves = [(2 * k + 1) / 2**power for power in (1, 2, 3, 4, 5, 6) for k in range(-200, 200)]
    return [v for v in any_bits if not math.isnan(v)] + everyday.tolist() + halves


@pytest.mark.parametrize(("value", "exact", "in_a_cell"), CASES)
def test_a_number_is_written_by_the_rule(value, exact, in_a_cell):
    """In Python: decimals, halves, powers of ten, signs, and what is no number."""
    assert (number(value), brief(value)) == (exact, in_a_cell)


@pytest.mark.parametrize(
    ("value", "digits", "said"),
    [
        (-23.5934, 5, "−23.593"),
        (1.0, 3, "1"),
        (0.0, 3, "0"),
        (-0.0, 3, "0"),
        (0.0000123456, 2, "1.2e−5"),
        (1 / 32, 2, "0.031"),
        (-0.000034264, 3, "−3.43e−5"),
        (123456.0, 3, "123,000"),
        (0.125, 2, "0.13"),
        (999.6, 3, "1000"),
        (-math.inf, 3, "−∞"),
        (1116219.4, 7, "1,116,219"),
        (9999.0, 4, "9999"),
    ],
)
def test_a_short_number_has_the_same_signs(value, digits, said):
    """So many digits, and nowhere a hyphen or a zero before the exponent."""
    assert short(value, digits) == said


def test_the_browser_writes_the_same():
    """The same table by the browser's rule, in full and in a matrix's cell; and both sides agree on
    thousands of other numbers."""
    values = [value for value, *_ in CASES] + float32s(5000)
    sent = base64.b64encode(struct.pack(f"{len(values)}d", *values)).decode()
    decoded = "[...new Float64Array(Uint8Array.from(atob(x), (c) => c.charCodeAt(0)).buffer)]"
    written = evaluate(
        "board/numbers.js", f"return {decoded}.map((v) => [module.exact(v), module.brief(v)])", sent
    )
    assert written[: len(CASES)] == [[exact, brief] for _, exact, brief in CASES]
    assert [
        pair for pair in zip(values, written, strict=True) if number(pair[0]) != pair[1][0]
    ] == []


def test_what_python_packs_is_read():
    """Numbers arrive in the browser to the last bit, shares to a 65,535th."""
    numbers, shares = torch.tensor([0.1, -3.0, 2.5e-9]), torch.tensor([0.0, 1 / 3, 0.77, 1.0])
    body = "return [[...module.decode(x[0])], [...module.decodeShares(x[1])]]"
    there, of_one = evaluate("board/numbers.js", body, [pack(numbers), pack_shares(shares)])
    assert there == numbers.tolist()
    assert of_one == pytest.approx(shares.tolist(), abs=0.5 / 65535 + 1e-7)


def test_what_is_written_can_be_read():
    """What a reader counts with is the number, to half of its last digit."""
    for value in float32s(2000):
        if math.isfinite(value):
            allowed = (
                Decimal("0.00005")
                if 1e-4 <= abs(value) < 1e15 or not value
                else Decimal(abs(value)) / 20
            )
            assert abs(read(number(value)) - Decimal(value)) <= allowed


def traces(setup: Setup):
    """Every trace that pages open cells of: the seven steps', each layer's, each sentence's of the
    batch and of the classifier."""
    yield run(setup)
    yield from encode(setup)
    made, classified = batch.run(setup), classifier.classify(setup)
    for place in range(len(setup.sentences)):
        yield made.sentence(place)
        yield classified.sentence(place)


def some_cells(trace, pick: random.Random, most: int):
    """Opened cells of every entry: its name, the origin, the index and the cell."""
    for name, entry in trace.items():
        if entry.origin is not None:
            for _ in range(most):
                index = tuple(pick.randrange(size) for size in entry.value.shape)
                yield name, entry, index, entry.origin.open(trace, index)


@settings(max_examples=40)
@given(setups() | setups(projections="none"))
def test_one_cell_is_one_number(setup):
    """Opened on any page, a cell is the number that stands in the tensor, to the last bit: what the
    pictures show."""
    for trace in traces(setup):
        for name, entry, index, cell in some_cells(trace, random.Random(setup.seed), 4):
            assert cell.value == entry.value[index].item(), (name, index)


def test_one_term_is_one_number():
    """A product in a cell's list is the one in the picture of weighted values, which torch
    multiplied."""
    trace = run(Setup(d_v=64))
    weights, v = trace.value("weights"), trace.value("v")
    for i in range(6):
        for column in range(64):
            cell = trace["context"].origin.open(trace, (0, i, column))
            assert [term.value for term in cell.terms] == (weights[0, i] * v[0, :, column]).tolist()


@settings(max_examples=40)
@given(setups() | setups(projections="none"))
def test_what_is_said_about_rounding_is_true(setup):
    """For every kind of sum that pages open: the printed terms, added up by hand, are off by what
    the note says."""
    for trace in traces(setup):
        for name, entry, index, cell in some_cells(trace, random.Random(setup.seed), 3):
            origin = entry.origin
            if not isinstance(origin, Product | Sum | Mean) or (
                isinstance(origin, Product) and origin.temperature != 1
            ):
                continue
            result = read(number(cell.value))
            off = (
                sum(read(number(term.value)) for term in cell.terms).quantize(
                    result, rounding=ROUND_HALF_UP
                )
                - result
            )
            said = show.rounding_note(cell)
            if off == 0:
                assert said == "", (name, index)
            else:
                size, way = (
                    said.removeprefix("As printed, they add up to ")
                    .removesuffix(": rounding.")
                    .split()
                )
                told = read(size) * (1 if way == "more" else -1)
                assert told == read(number(float(off))), (name, index)


def summed(*values: float, result: float) -> Cell:
    """A cell made of these terms."""
    return Cell(
        tuple(Term((Ref("part", (k,), v),), v) for k, v in enumerate(values)), result, "their sum"
    )


def test_rounding_counts_in_decimals():
    """By hand: nothing, one unit of the last digit, many of them, and units far below four
    decimals."""
    assert tables.rounding(summed(0.1, 0.2, result=0.3)) == 0
    assert (
        tables.rounding(summed(0.00014, 0.00014, result=0.00028)) == -0.0001
    )  # 0.0001 + 0.0001, and 0.0003
    assert tables.rounding(summed(*[1.00004] * 10, result=10.0004)) == -0.0004
    assert tables.rounding(summed(0.5, 5e-9, result=0.5)) == 0
    assert tables.rounding(summed(1.24e-5, 3.34e-5, result=4.58e-5)) == pytest.approx(
        -1e-6
    )  # 1.2e−5 + 3.3e−5, 4.6e−5
    assert tables.rounding(summed(1.0, -1.0, result=0.0)) == 0
    assert tables.rounding(summed(-0.25, result=-0.25)) == 0


def test_the_note_names_the_difference():
    """Nothing where the sum is exact; else by how much it is off, and which way."""
    assert show.rounding_note(summed(0.1, 0.2, result=0.3)) == ""
    less, more = summed(0.00014, 0.00014, result=0.00028), summed(*[0.00016] * 5, result=0.0008)
    assert show.rounding_note(less) == "As printed, they add up to 0.0001 less: rounding."
    assert show.rounding_note(more) == "As printed, they add up to 0.0002 more: rounding."


def test_the_last_sum_is_the_cell():
    """The sum so far ends at the number that is printed for the cell, in every output of the
    default and at d = 64."""
    for setup in (Setup(), Setup(d_model=64, d_k=64, d_v=64)):
        trace = run(setup)
        for i in range(6):
            for column in range(trace.value("output").shape[1]):
                cell = trace["output"].origin.open(trace, (i, column))
                made = tables.terms(cell, [str(k) for k in range(len(cell.terms))])
                assert printed(made["sum so far"][-1]) == printed(
                    trace.value("output")[i, column].item()
                )


RULES = (
    Setup(layers=2, norm="post"),
    Setup(norm="pre", activation="gelu"),
    Setup(others="dessert first", classes=3),
    Setup(positions="sinusoidal", mask="causal", dropout=0.3),
)


@pytest.mark.parametrize("setup", RULES)
def test_numbers_in_a_rule_have_real_minus_signs(setup):
    """A row's mean, a logarithm, a divisor: what stands in a rule is written as numbers are
    elsewhere."""
    for trace in traces(setup):
        for name, _, index, cell in some_cells(trace, random.Random(1), 8):
            assert "-" not in cell.rule, (name, index, cell.rule)


@pytest.mark.parametrize("norm_kind", ["layer", "rms"])
@pytest.mark.parametrize("size", ["0.001", "1"])
def test_a_norms_rule_is_what_was_divided_by(norm_kind, size):
    """√(variance + ε) is no standard deviation where ε shows; a reader who counts with the printed
    numbers gets what is printed, or is told what else."""
    trace = encode(
        Setup(norm="pre", norm_kind=norm_kind, positions="none", edits=f"embedding_table.1={size}")
    )[0]
    for index in itertools.product(range(6), range(16)):
        cell = trace["normed_1"].origin.open(trace, index)
        row = trace.value("x")[index[0]].double()
        bare = row.std(correction=0) if norm_kind == "layer" else row.square().mean().sqrt()
        divisor = re.search(r"([\d.,]+)(?: \(with|$)", cell.rule)[1]
        assert ("ε" in cell.rule) == (number(bare.item()) != divisor)
        mean = read(re.search(r"mean (−?[\d.,]+),", cell.rule)[1]) if norm_kind == "layer" else 0
        again = number(float((read(number(cell.terms[0].value)) - mean) / read(divisor)))
        assert (again == number(cell.value)) != ("rounding" in cell.rule), (index, cell, again)
