"""The boards' scripts by themselves: one empty page with all of them and the theme, no server."""

import json
import re

import pytest
import torch

from core.setup import Setup
from core.trace import run as run_trace
from pages.shared import board
from pages.shared.board.packed import pack, written
from pages.shared.browser.scripts import script, styles
from pages.shared.parts.overview import machine
from tests.colours import colours

pytestmark = pytest.mark.browser

TESTED = (
    "palette, read, pointing, stepping, node, measureAsIn, textWidth, fitted, sheet, drawFilm,"
    " machinePlan"
)
BACKGROUND, GRAY = "#fdfdfd", "#6f7b86"
ROOM = {"h": 1000, "fit": False, "scale": 1}


@pytest.fixture(scope="module")
def run(browser):
    """A body of JavaScript, evaluated among the boards' functions with `x` given to it."""
    page = browser.new_page()
    theme = {
        "--st-chart-diverging-colors": ",".join(colours("light", "diverging")),
        "--st-chart-sequential-colors": ",".join(colours("light", "sequential")),
        "--st-background-color": BACKGROUND,
        "--st-gray-color": GRAY,
        "--st-font": "serif",
    }
    declared = ";".join(f"{name}: {value}" for name, value in theme.items())
    page.set_content(
        f'<style>:root {{ {declared} }}</style><svg id="svg" width="600" height="400" viewBox="0 0'
        ' 600 400"></svg>'
    )
    page.add_script_tag(
        type="module", content=f"{script('board/mount')}\nwindow.tested = {{ {TESTED} }};"
    )
    page.wait_for_function("() => window.tested")
    page.evaluate("() => tested.measureAsIn(document.body)")
    yield lambda body, x=None: page.evaluate(
        f"(x) => {{ const {{ {TESTED} }} = tested; {body} }}", x
    )
    page.close()


def place(
    name: str, n: int, m: int, x: float, y: float, uw: float = 10, uh: float = 10, **more
) -> dict:
    """Where a matrix of n rows and m columns stands."""
    labels = {"rows": ["r"] * n, "columns": ["c"] * m}
    return {
        "matrix": {"name": name, "n": n, "m": m, **labels, **more},
        "x": x,
        "y": y,
        "uw": uw,
        "uh": uh,
    }


def test_no_style_asks_what_is_anywhere_on_the_page():
    """Beside `:root:has(…)` a browser goes over the styles of the whole page with whatever comes or
    goes on it, and beside a part of a class that decides on what stands within, with each class
    that changes: hundreds do at a click."""
    assert (
        re.search(
            r":root:(has|not\(:has)\(|> :has\(",
            re.sub(r"@media print \{.*?\n\}", "", styles(), flags=re.S),
        )
        is None
    )
    assert re.search(r"\[class\*=[^\]]*\][^{},;]* > ", styles()) is None


KEYS = """
const svg = document.getElementById("svg").cloneNode();
document.body.append(svg);
const [shown, sent] = [[], []];
const send = (cell) => sent.push(cell);
// Whether the page may still use the key.
const press = (key) => svg.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
"""


def test_keys_show_and_choose(run):
    """Arrow keys begin at the first cell, show each cell on the way and keep the key; Enter sends
    what can be chosen only."""
    found = run(
        KEYS
        + """
        pointing(svg, x, x[0], null, (cell) => shown.push(cell && [cell.place.matrix.name, cell.i,
          cell.j]), send);
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
    """The same drawing is emptied and filled: it never loses the focus, and what was drawn before
    hears no key any more."""
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
        const found = { sent, lost: [...lost], label: svg.getAttribute("aria-label"),
          drawn: svg.children.length };
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
        for (const at of [45, 85]) svg.dispatchEvent(new MouseEvent("click", { clientX: left + at,
          clientY: top + 25 }));
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
          const text = node("text", { style: `font: ${weight} ${size}px serif` },
            document.getElementById("svg"), word);
          const widths = [textWidth(word, size, weight), text.getComputedTextLength()];
          text.remove();
          return widths;
        });
        """,
        [size, weight],
    )
    assert all(measured > 3 and abs(measured - seen) < 0.6 for measured, seen in drawn), drawn


def test_text_is_narrowed_only_where_it_must_be(run):
    """Every letter stays: a word that is too wide is drawn as wide as the room, another as it
    is."""
    found = run("""
        return ["a", "incomprehensibilities"].map((word) => {
          const text = node("text", { style: "font: 12px serif" }, document.getElementById("svg"),
            word);
          fitted(text, textWidth(word), 40);
          const width = text.getComputedTextLength();
          text.remove();
          return [width, text.textContent];
        });
        """)
    assert found[0][0] < 12
    assert found[1] == [pytest.approx(40, abs=0.1), "incomprehensibilities"]


def stations(tokens: int, d_model: int, d_k: int, d_v: int, heads: int) -> list[dict]:
    """A machine of these sizes, as the browser is given it."""
    setup = Setup(
        text=" ".join(f"word{k}" for k in range(tokens)),
        d_model=d_model,
        d_k=d_k,
        d_v=d_v,
        heads=heads,
        positions="sinusoidal",
    )
    return json.loads(written(machine.stations(run_trace(setup), heads - 1)))


def apart(one: dict, other: dict) -> bool:
    """Whether two spots, each with its captions over it, share no point."""
    return (
        one["right"] <= other["x"]
        or other["right"] <= one["x"]
        or one["bottom"] <= other["top"]
        or other["bottom"] <= one["top"]
    )


@pytest.mark.parametrize(
    "sizes", [(6, 16, 24, 28, 3), (1, 1, 1, 1, 1), (32, 64, 64, 64, 20), (5, 3, 2, 64, 7)]
)
def test_the_machine_stands_within_its_drawing(run, sizes):
    """On a desktop, a phone and a projector no station lies on another, none leaves the drawing,
    and all rows are of one height; where it runs from left to right, each row is at one height in
    all of the line."""
    for width, fit in ((1100, False), (350, False), (850, True)):
        found = run(
            """
            const [given, room] = x;
            return machinePlan(given.map((s) => (s.words ? s : { ...s, matrix: read(s.matrix) })),
              room, true);
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
            assert all(apart(spot, other) for other in spots[k + 1 :]), (
                width,
                spot["station"]["name"],
            )
            assert spot["h"] == pytest.approx(sizes[0] * found["uh"])
        line = {round(spot["y"], 6) for spot in spots if "beside" not in spot["station"]}
        assert (len(line) == 1) is found["across"]
        after = found["after"]
        assert after["x"] + after["w"] <= found["width"]
        assert after["y"] + 93 <= found["height"]  # three lines of links


FILM = """
const host = document.createElement("div");
document.body.append(host);
const sent = [];
drawFilm(host, x, (what) => sent.push(what), palette(document.body), { w: 700, h: Infinity,
  fit: false, scale: 1 });
const slider = host.querySelector("input");
const to = (moment) => { slider.value = moment; slider.dispatchEvent(new Event("input")); };
const found = host.querySelector(".ab-film-found")?.textContent;
const look = () => ({
  numbers: [...host.querySelectorAll(".ab-numbers text")].map((text) => text.textContent),
  mark: Number(host.querySelector(".ab-film-mark").getAttribute("cx")),
  right: Number([...host.querySelectorAll(".ab-film-mark")].at(-1).getAttribute("cy")),
  says: host.querySelector("output").textContent, spoken: slider.getAttribute("aria-valuetext"),
  said: host.querySelector(".ab-readout").textContent,
    button: host.querySelector("button")?.textContent,
});
"""


def film() -> dict:
    """Two heads over three moments, as the browser is given them."""
    moments = torch.tensor(
        [
            [[[0.5, 0.5]], [[0.25, 0.75]]],
            [[[0.125, 0.875]], [[0.0, 1.0]]],
            [[[1.0, 0.0]], [[0.5, 0.5]]],
        ]
    )

    def heads(values):
        return [
            board.Matrix(
                f"head {k + 1}",
                values[k],
                ["it"],
                ["cat", "milk"],
                ("query", "key"),
                "weights",
                clickable=True,
                symbol="α",
            ).packed()
            for k in range(2)
        ]

    return {
        "view": "film",
        "alt": "film",
        "matrices": heads(moments[2]),
        "before": heads(moments[0]),
        "moments": pack(moments),
        "losses": pack(torch.tensor([4.0, 2.0, 1.0, 0.5])),
        "steps": [0, 2, 4],
        "says": ["at 0", "at 2", "at 4"],
        "right": [{"name": "at the verb", "shares": [0.0, 0.25, 1.0]}],
        "chosen": [0, 1],
        "main": 1,
        "across": 2,
        "found": [1, "cat found at step 2"],
    }


def test_the_slider_moves_the_film(run):
    """Numbers, marks, line and what is spoken are those of the slider's moment, and nothing is
    sent; a click is."""
    found = run(
        FILM
        + """
        const opens = look().says;
        const looks = [];
        for (const moment of [0, 1, 2, 0]) { to(moment); looks.push(look()); }
        const before = sent.length;
        to(1);
        const svg = host.querySelector("svg"),
          box = host.querySelector(".ab-cells").getBoundingClientRect();
        svg.dispatchEvent(new MouseEvent("click", { clientX: box.left + 3, clientY: box.top + 3,
          bubbles: true }));
        host.remove();
        return [opens, looks, before, sent];
        """,
        film(),
    )
    opens, looks, before, sent = found
    assert opens == "at 4"
    assert [each["numbers"] for each in looks] == [
        ["0.50", "0.50", "0.25", "0.75"],
        ["0.13", "0.88", "0.00", "1.00"],
        ["1.00", "0.00", "0.50", "0.50"],
        ["0.50", "0.50", "0.25", "0.75"],
    ]
    assert (
        [each["says"] for each in looks]
        == [each["spoken"] for each in looks]
        == ["at 0", "at 2", "at 4", "at 0"]
    )
    assert [each["said"] for each in looks][1] == "α[it, milk], head 2 = 1.0000"
    marks = [each["mark"] for each in looks]
    assert marks[0] < marks[1] < marks[2]
    assert marks[0] == marks[3]
    nothing, a_quarter, all_right, _ = (each["right"] for each in looks)
    assert nothing - a_quarter == pytest.approx((nothing - all_right) / 4)
    assert before == 0
    assert sent == [{"matrix": "head 1", "row": 0, "column": 0}]


def test_the_film_marks_what_was_found(run):
    """Below the slider a mark stands at the moment, with what happened there."""
    mark = (
        'const mark = host.querySelector(".ab-film-found"); host.remove(); return [found,'
        ' mark.style.getPropertyValue("--share")]'
    )
    text, share = run(FILM + mark, film())
    assert (text, float(share)) == ("cat found at step 2", 0.5)


def test_a_film_never_plays_by_itself(run):
    """Play goes on to the last moment and stops there; who asked for less motion has the slider
    alone; a board that is drawn anew stays at its moment."""
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
            drawFilm(host, x, () => {}, palette(document.body), { w: 500, h: Infinity, fit: false,
              scale: 1 });
            const again = [host.querySelector("output").textContent,
              host.querySelector("input").value];
            window.matchMedia = () => ({ matches: true });
            drawFilm(host, x, () => {}, palette(document.body), { w: 500, h: Infinity, fit: false,
              scale: 1 });
            delete window.matchMedia;
            const calm = [Boolean(host.querySelector("button")),
              Boolean(host.querySelector("input"))];
            host.remove();
            done({ still, playing, ended, again, calm });
          }, 20);
        });
        """,
        film(),
    )
    assert found == {
        "still": ["at 4", "Play"],
        "playing": "Pause",
        "ended": "at 4",
        "again": ["at 2", "1"],
        "calm": [False, True],
    }
