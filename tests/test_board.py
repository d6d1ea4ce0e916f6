"""The boards' scripts by themselves: one empty page with all of them and the theme, no server."""

import math
import re

import pytest
import torch

from core.setup import Setup
from core.trace import run as run_trace
from pages.shared import board
from pages.shared.board.packed import pack, pack_shares
from pages.shared.browser.scripts import script, styles
from pages.shared.parts.overview import machine
from tests.colours import colours

pytestmark = pytest.mark.browser

TESTED = """
palette, colourOf, read, cellUnder, neighbour, pointing, stepping, node, measureAsIn, textWidth, fitted, turns, ticks,
vocabularyLayout, matricesFrame, cellSizes, matrixSpots, saidSum, saidCell, saidOfLook, namedByTitle, sheet, drawFilm, filmTimes,
covers, wholeOnes, titleOf, machinePlan, towerLayout
"""
BACKGROUND, GRAY = "#fdfdfd", "#6f7b86"
ROOM = {"h": 1000, "fit": False, "scale": 1}


def rgb(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


def halfway(one: str, other: str, share: float = 0.5) -> list[int]:
    """The colour between two, rounded as in the browser: halves up."""
    return [math.floor(a + (b - a) * share + 0.5) for a, b in zip(rgb(one), rgb(other), strict=True)]


@pytest.fixture(scope="module")
def run(browser_of):
    """A body of JavaScript, evaluated among the boards' functions with `x` given to it."""
    page = browser_of().new_page()
    theme = {
        "--st-chart-diverging-colors": ",".join(colours("light", "diverging")),
        "--st-chart-sequential-colors": ",".join(colours("light", "sequential")),
        "--st-background-color": BACKGROUND, "--st-gray-color": GRAY, "--st-font": "serif",
    }  # fmt: skip
    declared = ";".join(f"{name}: {value}" for name, value in theme.items())
    page.set_content(f'<style>:root {{ {declared} }}</style><svg id="svg" width="600" height="400" viewBox="0 0 600 400"></svg>')
    page.add_script_tag(type="module", content=f"{script('board/mount')}\nwindow.tested = {{ {TESTED} }};")
    page.wait_for_function("() => window.tested")
    page.evaluate("() => tested.measureAsIn(document.body)")
    yield lambda body, x=None: page.evaluate(f"(x) => {{ const {{ {TESTED} }} = tested; {body} }}", x)
    page.close()


def matrix(rows: int, columns: int, words: str = "word", **more) -> dict:
    return board.Matrix("m", torch.ones(rows, columns), [words] * rows, [words] * columns, ("a", "b"), **more).packed()


def place(name: str, n: int, m: int, x: float, y: float, uw: float = 10, uh: float = 10, **more) -> dict:
    """Where a matrix of n rows and m columns stands."""
    labels = {"rows": ["r"] * n, "columns": ["c"] * m}
    return {"matrix": {"name": name, "n": n, "m": m, **labels, **more}, "x": x, "y": y, "uw": uw, "uh": uh}


def test_no_style_asks_what_is_anywhere_on_the_page():
    """Beside `:root:has(…)` a browser goes over the styles of the whole page with whatever comes or goes on it, and beside a
    part of a class that decides on what stands within, with each class that changes: hundreds do at a click."""
    assert ":root:has(" not in styles()
    assert re.search(r"\[class\*=[^\]]*\][^{},;]* > ", styles()) is None


def test_what_python_packs_is_read(run):
    """Numbers arrive to the last bit, shares to a 65,535th; what is not finite does not stretch the scale."""
    values = torch.tensor([[0.1, -3.0, math.inf], [math.nan, 2.5, -0.0]])
    made = board.Matrix("m", values, ["a", "b"], ["1", "2", "3"], ("row", "column")).packed()
    found = run("const m = read(x); return [m.top, m.at(0, 0), m.at(0, 1), m.at(0, 2), m.at(1, 1)]", made)
    assert found == [3, values[0, 0].item(), -3, math.inf, 2.5]
    shares = {"shares": True, "values": pack_shares(torch.zeros(1, 3), torch.tensor([[0.0, 1 / 3, 1.0]]))[1], "n": 1, "m": 3}
    assert run("return [...read(x).values]", shares) == pytest.approx([0, 1 / 3, 1], abs=0.5 / 65535 + 1e-7)
    assert run("return read(x).top", {"values": pack(torch.zeros(1, 2)), "n": 1, "m": 2}) == 1


def test_colours_at_the_ends_and_in_the_middle(run):
    """Zero is the scale's beginning and the largest number its end, on each side of zero; beyond it nothing changes."""
    colour = "const [matrix, values] = x; return values.map((v) => colourOf(v, matrix, palette(document.body)))"
    shares, signed = colours("light", "sequential"), colours("light", "diverging")
    found = run(colour, [{"scale": "sequential", "top": 1}, [0, 0.5, 1, 2, -1]])
    assert found == [rgb(shares[0]), halfway(shares[4], shares[5]), rgb(shares[9]), rgb(shares[9]), rgb(shares[0])]
    found = run(colour, [{"scale": "plain", "top": 4}, [0, 2, 4]])
    assert found == [rgb(BACKGROUND), halfway(BACKGROUND, GRAY), rgb(GRAY)]
    along = 4 * 0.5**0.7  # of the four steps from zero on
    assert 2 < along < 3
    found = run(colour, [{"top": 2}, [-2, -1, 0, 1, 2]])
    assert found == [
        rgb(signed[0]), halfway(signed[2], signed[1], along - 2), rgb(signed[5]),
        halfway(signed[7], signed[8], along - 2), rgb(signed[9]),
    ]  # fmt: skip
    found = run("return [NaN, Infinity, -Infinity].map((v) => colourOf(v, { top: 1 }, palette(document.body)))")
    assert found == [rgb(BACKGROUND)] * 3


def test_a_sum_is_written_with_its_signs(run):
    """Parts below zero are taken away, and past eight the rest is dots."""

    def said(parts: list[float], total: float) -> str:
        columns = (torch.tensor(parts)[:, None], torch.tensor([[total]]))
        given = [{"values": pack(values), "n": len(values), "m": 1, "columns": ["3"]} for values in columns]
        return run("return saidSum(x.map(read), 0)", given)

    assert said([1.0, -2.5], -1.5) == "1.0000 − 2.5000 = −1.5000   (column 3)"
    assert said([1.0] * 9, 9.0) == " + ".join(["1.0000"] * 8) + " + … = 9.0000   (column 3)"


def test_which_edit_a_cell_shows(run):
    """An edit is about a cell if name, head, row and column are among what it changes; what it leaves out is all."""
    about = ["w_q", "w_q.1", "w_q.1.13", "w_q.*.13", "w_q.1.*.5", "w_q.1.9-13.5", "w_q.1.13.5"]
    others = ["w_q.1.9-12.5", "w_q.2", "w_q.1.1", "w_q.1.13.50", "w_k.1.13.5", "layer2.w_q.1.13.5"]
    assert run('return x.filter((target) => covers(target, "w_q.1.13.5"))', about + others) == about


def test_the_line_of_a_matrix_that_is_shown_in_part(run):
    """A head's rows of W_o are rows 6 to 10 of the whole: so they are called, and its columns end where it ends."""
    editable = board.Editable("w_o", "W_o", first=5, rows="6-10")
    part = matrix(5, 5, editable=editable, edited=torch.eye(5) > 0)
    asked = "const m = read(x); return [titleOf(m, 1, 2), wholeOnes(m, 1, 2), saidCell(m, 1, 1), saidCell(m, 1, 2)]"
    title, buttons, edited, not_edited = run(asked, part)
    assert title == "W_o[7, word]"
    assert buttons == [
        ["row = 0", "w_o.7", "0"], ["column = 0", "w_o.6-10.3", "0"], ["all = 0", "w_o.6-10", "0"],
        ["identity", "w_o.6-10", "identity"],
    ]  # fmt: skip
    assert (edited, not_edited) == ("m[word, word] = 1.0000, edited", "m[word, word] = 1.0000")
    title, buttons, *_ = run(asked, matrix(2, 3, editable=board.Editable("w_q.1", "W_q", ", head 1")))
    assert title == "W_q[word, word], head 1"
    assert buttons == [["row = 0", "w_q.1.2", "0"], ["column = 0", "w_q.1.*.3", "0"], ["all = 0", "w_q.1", "0"]]


# A product: the result at the crossing, the left matrix beside it, the right one above it, gaps of 14 between.
PRODUCT = [place("result", 3, 4, 100, 100, 20, 15), place("left", 3, 5, 36, 100, 10, 15), place("right", 5, 4, 100, 56, 20, 6)]


def test_the_cell_under_a_point(run):
    """A cell has its left and upper edge, not its right and lower one; between matrices and outside there is none."""
    points = [
        (100, 100),
        (119.9, 114.9),
        (120, 115),
        (179.9, 144.9),
        (180, 120),
        (93, 120),
        (85.9, 100),
        (101, 85.9),
        (99.9, 99.9),
    ]
    found = run(
        """
        const [places, points] = x;
        const cells = points.map(([px, py]) => cellUnder(places, px, py));
        return cells.map((cell) => cell && [cell.place.matrix.name, cell.i, cell.j]);
        """,
        [PRODUCT, points],
    )
    assert found == [
        ["result", 0, 0], ["result", 0, 0], ["result", 1, 1], ["result", 2, 3], None, None, ["left", 0, 4], ["right", 4, 0], None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "steps", "end"),
    [
        ((0, 1, 1), [(0, 1)], ("result", 1, 2)),
        ((0, 2, 0), [(0, -1)], ("left", 2, 4)),  # past the edge, along the same row
        ((1, 2, 4), [(0, 1)], ("result", 2, 0)),
        ((0, 0, 3), [(-1, 0)], ("right", 4, 3)),  # along the same column
        ((2, 4, 2), [(1, 0)], ("result", 0, 2)),
        ((0, 2, 3), [(0, 1), (1, 0)], ("result", 2, 3)),  # nothing that way
        ((1, 0, 4), [(-1, 0)], ("right", 4, 0)),  # not above it, but the nearest that is higher
    ],
)
def test_keys_go_past_an_edge_into_the_next_matrix(run, start, steps, end):
    """One cell a step; at the edge on to the nearest cell that way, and where there is none the cell stays."""
    found = run(
        """
        const [places, [k, i, j], steps] = x;
        const cell = steps.reduce((at, step) => neighbour(places, at, step), { place: places[k], i, j });
        return [cell.place.matrix.name, cell.i, cell.j];
        """,
        [PRODUCT, start, steps],
    )
    assert found == list(end)


def test_straight_on_comes_before_near(run):
    """Of two matrices in the direction of a step, the one in line is next though the other is nearer."""
    places = [place("here", 1, 1, 0, 0), place("ahead", 1, 1, 90, 0), place("oblique", 1, 1, 20, 30)]
    assert run("return neighbour(x, { place: x[0], i: 0, j: 0 }, [0, 1]).place.matrix.name", places) == "ahead"


KEYS = """
const svg = document.getElementById("svg").cloneNode();
document.body.append(svg);
const [shown, sent] = [[], []];
const send = (cell) => sent.push(cell);
// Whether the page may still use the key.
const press = (key) => svg.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
"""


def test_keys_show_and_choose(run):
    """Arrow keys begin at the first cell, show each cell on the way and keep the key; Enter sends what can be chosen only."""
    found = run(
        KEYS
        + """
        pointing(svg, x, x[0], null, (cell) => shown.push(cell && [cell.place.matrix.name, cell.i, cell.j]), send);
        const left = ["Enter", "ArrowRight", "Enter", "ArrowRight", " ", "a"].map(press);
        svg.remove();
        return { shown, sent, left };
        """,
        [place("a", 1, 2, 0, 0), place("b", 1, 1, 40, 0, clickable=True)],
    )
    assert found["shown"] == [None, ["a", 0, 1], ["b", 0, 0]]
    assert found["sent"] == [{"matrix": "b", "row": 0, "column": 0}]
    assert found["left"] == [True, False, True, False, False, True]


def test_keys_go_on_from_the_cell_that_is_followed(run):
    """Another chosen cell, in the same drawing, is shown, and the keys begin there."""
    found = run(
        KEYS
        + """
        const follow = pointing(svg, x, x[0], [0, 0], (cell) => shown.push([cell.i, cell.j]), send);
        follow([1, 2]);
        ["ArrowLeft", "Enter"].map(press);
        svg.remove();
        return { shown, sent };
        """,
        [place("a", 2, 3, 0, 0, clickable=True)],
    )
    assert found["shown"] == [[0, 0], [1, 2], [1, 1]]
    assert found["sent"] == [{"matrix": "a", "row": 1, "column": 1}]


def test_a_drawing_made_anew_keeps_the_focus_and_acts_once(run):
    """The same drawing is emptied and filled: it never loses the focus, and what was drawn before hears no key any more."""
    found = run(
        """
        const host = document.body.appendChild(document.createElement("div"));
        const [sent, lost] = [[], []];
        const draw = (name) => {
          const [svg] = sheet(host, 100, 100, { alt: name }, null, { scale: 1 });
          node("g", {}, svg);
          pointing(svg, x, x[0], [0, 0], () => {}, () => sent.push(name));
          return svg;
        };
        const svg = draw("first");
        svg.focus();
        svg.addEventListener("blur", () => lost.push("focus"));
        draw("second");
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
        const found = { sent, lost: [...lost], label: svg.getAttribute("aria-label"), drawn: svg.children.length };
        host.remove();
        return found;
        """,
        [place("a", 1, 1, 0, 0, clickable=True)],
    )
    assert found == {"sent": ["second"], "lost": [], "label": "second", "drawn": 1}


def test_a_click_is_where_it_is_drawn(run):
    """In a drawing that is zoomed, as in a lecture, a click still meets the cell under it."""
    found = run(
        KEYS
        + """
        svg.setAttribute("width", 1200);
        svg.setAttribute("height", 800);
        pointing(svg, x, x[0], [0, 1], (cell) => shown.push(cell.j), send);
        const { left, top } = svg.getBoundingClientRect();
        for (const at of [45, 85]) svg.dispatchEvent(new MouseEvent("click", { clientX: left + at, clientY: top + 25 }));
        svg.remove();
        return { shown, sent };
        """,
        [place("a", 2, 4, 0, 0, clickable=True)],
    )
    assert found == {"shown": [1], "sent": [{"matrix": "a", "row": 1, "column": 2}]}


def test_words_in_a_line_are_stepped_through(run):
    """From word to word and not past the ends; keys across the line go on to the page."""
    found = run(
        KEYS
        + """
        stepping(svg, ["ArrowUp", "ArrowDown"], 3, 1, (at) => shown.push(at), send);
        const left = ["ArrowDown", "ArrowDown", "Enter", "ArrowRight", "ArrowUp"].map(press);
        svg.remove();
        return { shown, sent, left };
        """
    )
    assert found == {"shown": [2, 2, 1], "sent": [2], "left": [False, False, False, True, False]}


@pytest.mark.parametrize(("size", "weight"), [(12, 400), (13, 700)])
def test_text_is_as_wide_as_measured(run, size, weight):
    """What is measured is what is drawn, in the theme's font, by size and weight."""
    drawn = run(
        """
        const [size, weight] = x;
        return ["i", "Wm", "naïve", "−0.0123", "קלב"].map((word) => {
          const text = node("text", { style: `font: ${weight} ${size}px serif` }, document.getElementById("svg"), word);
          const widths = [textWidth(word, size, weight), text.getComputedTextLength()];
          text.remove();
          return widths;
        });
        """,
        [size, weight],
    )
    assert all(measured > 3 and abs(measured - seen) < 0.6 for measured, seen in drawn), drawn


def test_text_is_narrowed_only_where_it_must_be(run):
    """Every letter stays: a word that is too wide is drawn as wide as the room, another as it is."""
    found = run(
        """
        return ["a", "incomprehensibilities"].map((word) => {
          const text = node("text", { style: "font: 12px serif" }, document.getElementById("svg"), word);
          fitted(text, textWidth(word), 40);
          const width = text.getComputedTextLength();
          text.remove();
          return [width, text.textContent];
        });
        """
    )
    assert found[0][0] < 12
    assert found[1] == [pytest.approx(40, abs=0.1), "incomprehensibilities"]


def test_labels_are_turned_or_left_out(run):
    """Words turn where they are wider than their column and have room to; numbers do not, and only some are written."""
    words, numbers = matrix(1, 3, "a longer word"), matrix(1, 3, "1024")
    assert run("return [10, 20, 200].map((uw) => turns(x, uw))", words) == [False, True, False]
    assert run("return [10, 20, 200].map((uw) => turns(x, uw))", numbers) == [False, False, False]
    written = """
    const group = node("g", {});
    ticks(group, x, (k) => [30 * k, 0], "middle");
    return [...group.children].map((made) => Number(made.textContent));
    """
    assert run(written, [str(k) for k in range(1, 21)]) == [1, 8, 20]  # 16 would stand too near to the last
    assert run(written, [str(k) for k in range(3, 8)]) == [3, 7]
    assert run(written, ["a", "b", "c"]) == [1, 3]  # what is no number is counted
    assert run(written.replace("30 * k", "2 * k"), [str(k) for k in range(1, 41)]) == [1, 16, 40]


@pytest.mark.parametrize(("width", "lines"), [(1400, 1), (400, 2), (290, 3)])
def test_matrices_wrap(run, width, lines):
    """Matrices that do not fit beside each other begin a new line at the left; none stands out, and none on another."""
    found = run(
        """
        const [given, data, room] = x;
        const matrices = given.map(read);
        const frame = matricesFrame(matrices, data, room);
        const sizes = cellSizes(matrices, data, frame, room);
        return { sizes, frame, ...matrixSpots(matrices, data, frame, sizes) };
        """,
        [[matrix(4, 6)] * 3, {"across": 3}, {"w": width, **ROOM}],
    )
    tops = [spot["top"] for spot in found["spots"]]
    assert len(set(tops)) == lines
    assert found["width"] <= width
    for before, after, size in zip(found["spots"], found["spots"][1:], found["sizes"], strict=False):
        assert after["x"] >= before["x"] + 6 * size["uw"] or after["top"] >= before["y"] + 4 * size["uh"]
        assert after["top"] == before["top"] or after["x"] == found["frame"]["labelWidth"]


@pytest.mark.parametrize(("width", "single"), [(1000, True), (260, False)])
def test_chips_wrap(run, width, single):
    """In one line where they fit, else in as many as it takes: each within the drawing, none on another."""
    tokens = [f"token{k}" for k in range(7)]
    found = run(
        """
        const [data, room] = x;
        const layout = vocabularyLayout(data, room);
        return { ...layout, chips: [data.tokens, data.entries].flatMap((words, row) => words.map((_, k) => layout.spot(row, k))) };
        """,
        [{"tokens": tokens, "entries": tokens[:4]}, {"w": width, **ROOM}],
    )
    assert found["single"] is single
    boxes = [(chip["x"] - chip["w"] / 2, chip["x"] + chip["w"] / 2, chip["y"]) for chip in found["chips"]]
    assert (len({y for *_, y in boxes}) == 2) is single
    assert all(left >= 0 and right <= found["width"] and 17 < y < found["height"] - 17 for left, right, y in boxes)
    for k, (left, right, y) in enumerate(boxes):
        assert all(y != other_y or right <= other_left for other_left, _, other_y in boxes[k + 1 :]), (left, right, y)


def stations(tokens: int, d_model: int, d_k: int, d_v: int, heads: int) -> list[dict]:
    """A machine of these sizes, as the browser is given it."""
    setup = Setup(
        text=" ".join(f"word{k}" for k in range(tokens)), d_model=d_model, d_k=d_k, d_v=d_v, heads=heads, positions="sinusoidal"
    )
    return [station.packed() for station in machine.stations(run_trace(setup), heads - 1)]


def apart(one: dict, other: dict) -> bool:
    """Whether two spots, each with its captions over it, share no point."""
    return (
        one["right"] <= other["x"] or other["right"] <= one["x"] or one["bottom"] <= other["top"] or other["bottom"] <= one["top"]
    )


@pytest.mark.parametrize("sizes", [(6, 16, 24, 28, 3), (1, 1, 1, 1, 1), (32, 64, 64, 64, 20), (5, 3, 2, 64, 7)])
def test_the_machine_stands_within_its_drawing(run, sizes):
    """On a desktop, a phone and a projector no station lies on another, none leaves the drawing, and all rows are of one height;
    where it runs from left to right, each row is at one height in all of the line."""
    for width, fit in ((1100, False), (350, False), (850, True)):
        found = run(
            """
            const [given, room] = x;
            return machinePlan(given.map((s) => (s.words ? s : { ...s, matrix: read(s.matrix) })), room, true);
            """,
            [stations(*sizes), {**ROOM, "w": width, "fit": fit, "h": 370}],
        )
        spots = found["spots"]
        assert len(spots) == 9 + (sizes[-1] > 1)
        assert found["across"] or width == 350 or sizes[1] == 64
        assert found["width"] <= width or fit
        for k, spot in enumerate(spots):
            assert spot["x"] >= 0
            assert spot["right"] <= found["width"]
            assert spot["bottom"] <= found["height"]
            assert all(apart(spot, other) for other in spots[k + 1 :]), (width, spot["station"]["name"])
            assert spot["h"] == pytest.approx(sizes[0] * found["uh"])
        line = {round(spot["y"], 6) for spot in spots if "beside" not in spot["station"]}
        assert (len(line) == 1) is found["across"]
        after = found["after"]
        assert after["x"] + after["w"] <= found["width"]
        assert after["y"] + 93 <= found["height"]  # three lines of links


@pytest.mark.parametrize(("layers", "heads", "words"), [(2, 3, 6), (6, 20, 3), (6, 1, 1), (1, 20, 32)])
def test_the_layers_pictures_stand_within_their_drawing(run, layers, heads, words):
    """The first layer is the lowest, nothing leaves the drawing, and words are told only where they fit."""
    given = [matrix(words, words) for _ in range(layers * heads)]
    found = run(
        """
        const [given, across, room] = x;
        const layout = towerLayout(given.map(read), { across, maxCell: 25 }, room);
        return { ...layout, spots: given.map((_, k) => layout.spot(k)) };
        """,
        [given, heads, {"w": 980, **ROOM}],
    )
    spots, high, of_one = found["spots"], found["high"], words * found["cell"]
    tops = [spots[layer * heads]["y"] for layer in range(layers)]
    assert tops == sorted(tops, reverse=True)
    assert tops[-1] + high / 2 - found["tall"] / 2 - 30 >= 0
    assert tops[0] + high / 2 + found["tall"] / 2 <= found["height"]
    assert all(spot["x"] + of_one <= found["width"] and spot["y"] + of_one <= found["height"] for spot in spots)
    assert {spot["y"] for spot in spots[:heads]} == {
        tops[0] + line * (of_one + 22) for line in range(-(-heads // found["perLine"]))
    }
    assert found["words"] <= 4 or found["cell"] >= 11


def test_a_projector_shows_many_heads_in_lines(run):
    """Twenty heads in two layers stand in as many lines as make their pictures largest, and all of it fits the screen's share."""
    given = [matrix(6, 6) for _ in range(40)]
    room = {**ROOM, "w": 846, "h": 350, "fit": True}
    found = run("return towerLayout(x[0].map(read), { across: 20, maxCell: 25 }, x[1]);", [given, room])
    assert found["perLine"] == 10
    assert found["cell"] == 7  # in one line, 3
    assert found["height"] <= room["h"]


def test_one_of_several_is_called_by_its_symbol_and_by_which_it_is(run):
    """What stands in a cell is told by the symbol, its row and column, and behind a comma which of them it is, as titles have it."""
    titles = {"α, with it": "α", "mask": "mask", "present − held": "difference"}
    given = [matrix(1, 1, title=title, symbol=symbol) for title, symbol in titles.items()]
    named = run("return x.map(read).map((given) => namedByTitle(given, 0, 0));", given)
    assert named == ["α[word, word], with it", "mask[word, word]", "present − held: difference[word, word]"]


def test_a_small_share_is_not_told_as_none(run):
    """A share of attention under half a percent is not 0%, and one that is nearly all is not 100%."""
    shares = torch.tensor([[0.0, 0.004, 0.494, 0.9996, 1.0]])
    given = board.Matrix("2·3", shares, ["a"], ["b"] * 5, ("query", "key"), bare=True).packed()
    told = run("const matrix = read(x); return [0, 1, 2, 3, 4].map((j) => saidOfLook({ place: { matrix }, i: 0, j }));", given)
    shares_told = [re.fullmatch("layer 2, head 3: “a” gives (.*) of its attention to “b”", line)[1] for line in told]
    assert shares_told == ["0%", "less than 1%", "49%", "more than 99%", "100%"]


FILM = """
const host = document.createElement("div");
document.body.append(host);
const sent = [];
drawFilm(host, x, (what) => sent.push(what), palette(document.body), { w: 700, h: Infinity, fit: false, scale: 1 });
const slider = host.querySelector("input");
const to = (moment) => { slider.value = moment; slider.dispatchEvent(new Event("input")); };
const found = host.querySelector(".ab-film-found")?.textContent;
const look = () => ({
  numbers: [...host.querySelectorAll(".ab-numbers text")].map((text) => text.textContent),
  mark: Number(host.querySelector(".ab-film-mark").getAttribute("cx")),
  right: Number([...host.querySelectorAll(".ab-film-mark")].at(-1).getAttribute("cy")),
  says: host.querySelector("output").textContent, spoken: slider.getAttribute("aria-valuetext"),
  said: host.querySelector(".ab-readout").textContent, button: host.querySelector("button")?.textContent,
});
"""


def film() -> dict:
    """Two heads over three moments, as the browser is given them."""
    moments = torch.tensor([[[[0.5, 0.5]], [[0.25, 0.75]]], [[[0.125, 0.875]], [[0.0, 1.0]]], [[[1.0, 0.0]], [[0.5, 0.5]]]])

    def heads(values):
        return [
            board.Matrix(
                f"head {k + 1}", values[k], ["it"], ["cat", "milk"], ("query", "key"), "weights", clickable=True, symbol="α"
            ).packed()
            for k in range(2)
        ]

    return {
        "view": "film", "alt": "film", "matrices": heads(moments[2]), "before": heads(moments[0]), "moments": pack(moments),
        "losses": pack(torch.tensor([4.0, 2.0, 1.0, 0.5])), "steps": [0, 2, 4], "says": ["at 0", "at 2", "at 4"],
        "right": [{"name": "at the verb", "shares": [0.0, 0.25, 1.0]}],
        "chosen": [0, 1], "main": 1, "across": 2, "found": [1, "cat found at step 2"],
    }  # fmt: skip


def test_the_slider_moves_the_film(run):
    """Numbers, marks, line and what is spoken are those of the slider's moment, and nothing is sent; a click is."""
    found = run(
        FILM
        + """
        const opens = look().says;
        const looks = [];
        for (const moment of [0, 1, 2, 0]) { to(moment); looks.push(look()); }
        const before = sent.length;
        to(1);
        const svg = host.querySelector("svg"), box = host.querySelector(".ab-cells").getBoundingClientRect();
        svg.dispatchEvent(new MouseEvent("click", { clientX: box.left + 3, clientY: box.top + 3, bubbles: true }));
        host.remove();
        return [opens, looks, before, sent];
        """,
        film(),
    )
    opens, looks, before, sent = found
    assert opens == "at 4"
    assert [each["numbers"] for each in looks] == [
        ["0.50", "0.50", "0.25", "0.75"], ["0.13", "0.88", "0.00", "1.00"], ["1.00", "0.00", "0.50", "0.50"],
        ["0.50", "0.50", "0.25", "0.75"],
    ]  # fmt: skip
    assert [each["says"] for each in looks] == [each["spoken"] for each in looks] == ["at 0", "at 2", "at 4", "at 0"]
    assert [each["said"] for each in looks][1] == "α[it, milk], head 2 = 1.0000"
    marks = [each["mark"] for each in looks]
    assert marks[0] < marks[1] < marks[2]
    assert marks[0] == marks[3]
    nothing, a_quarter, all_right, _ = (each["right"] for each in looks)
    assert nothing - a_quarter == pytest.approx((nothing - all_right) / 4)
    assert before == 0
    assert sent == [{"matrix": "head 1", "row": 0, "column": 0}]


def test_the_film_stays_where_something_happens(run):
    """A moment stands the longer the more the weights change to the next, all together as long as at an even pace; and there is a
    mark where the right word is found."""
    first, second, last = run("return filmTimes(x)", film())
    changes = (2 * 0.375 + 2 * 0.25, 2 * 0.875 + 2 * 0.5)  # of both heads, between the three moments
    assert first + second == pytest.approx(2 * 250)
    assert (first - 60) / (second - 60) == pytest.approx(changes[0] / changes[1])
    assert last == 250
    still = film() | {"moments": pack(torch.ones(3, 2, 1, 2))}
    assert run("return filmTimes(x)", still) == [250, 250, 250]
    mark = (
        'const mark = host.querySelector(".ab-film-found"); host.remove(); return [found, mark.style.getPropertyValue("--share")]'
    )
    text, share = run(FILM + mark, film())
    assert (text, float(share)) == ("cat found at step 2", 0.5)


def test_a_film_never_plays_by_itself(run):
    """Play goes on to the last moment and stops there; who asked for less motion has the slider alone; a board that is drawn
    anew stays at its moment."""
    found = run(
        FILM
        + """
        const still = [look().says, look().button];
        const button = host.querySelector("button");
        to(1);
        button.click();
        const playing = look().button;
        return new Promise((done) => {
          const wait = setInterval(() => {
            if (look().button === "Pause") return;
            clearInterval(wait);
            const ended = look().says;
            to(1);
            drawFilm(host, x, () => {}, palette(document.body), { w: 500, h: Infinity, fit: false, scale: 1 });
            const again = [host.querySelector("output").textContent, host.querySelector("input").value];
            window.matchMedia = () => ({ matches: true });
            drawFilm(host, x, () => {}, palette(document.body), { w: 500, h: Infinity, fit: false, scale: 1 });
            delete window.matchMedia;
            const calm = [Boolean(host.querySelector("button")), Boolean(host.querySelector("input"))];
            host.remove();
            done({ still, playing, ended, again, calm });
          }, 20);
        });
        """,
        film(),
    )
    assert found == {
        "still": ["at 4", "Play"], "playing": "Pause", "ended": "at 4", "again": ["at 2", "1"], "calm": [False, True],
    }  # fmt: skip
