"""The boards' scripts by themselves: one empty page with all of them and the theme, no server."""

import re

import pytest
import torch

from core.board.packed import pack
from pages.shared import board
from pages.shared.web.scripts import script, styles
from tests.colours import colours

TESTED = (
    "readPalette, addPointing, addStepping, node, measureInFont, textWidth, fitText, makeCanvas,"
    " drawTrainingHistory"
)


@pytest.fixture(scope="module")
def run(browser):
    """A body of JavaScript, evaluated among the boards' functions with `x` given to it."""
    page = browser.new_page()
    theme = {
        "--st-chart-diverging-colors": ",".join(colours("light", "diverging")),
        "--st-chart-sequential-colors": ",".join(colours("light", "sequential")),
        "--st-background-color": "#fdfdfd",
        "--st-gray-color": "#6f7b86",
        "--st-font": "serif",
    }
    declared = ";".join(f"{name}: {value}" for name, value in theme.items())
    page.set_content(
        f'<style>:root {{ {declared} }}</style><svg id="svg" width="600" height="400" viewBox="0 0'
        ' 600 400"></svg>'
    )
    boards = script("web/main", with_views=True)
    page.add_script_tag(
        type="module",
        content=f"{boards}\nwindow.tested = {{ {TESTED} }};",
    )
    page.wait_for_function("() => window.tested")
    page.evaluate("() => tested.measureInFont(document.body)")
    yield lambda body, x=None: page.evaluate(
        f"(x) => {{ const {{ {TESTED} }} = tested; {body} }}", x
    )
    page.close()


def place(name: str, n: int, m: int, x: float, y: float, **more) -> dict:
    """Where a matrix of n rows and m columns stands, each cell ten pixels wide and high."""
    labels = {"rows": ["r"] * n, "columns": ["c"] * m}
    matrix = {"name": name, "n": n, "m": m, **labels, **more}
    return {"matrix": matrix, "x": x, "y": y, "uw": 10, "uh": 10}


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


BEGIN = """
const svg = document.getElementById("svg").cloneNode();
document.body.append(svg);
const [shown, sent] = [[], []];
const show = (cell) => shown.push(cell && [cell.place.matrix.name, cell.i, cell.j]);
const send = (cell) => sent.push(cell);
// Whether the page may still use the key.
const press = (key) => svg.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
"""


@pytest.mark.browser
def test_keys_and_clicks_show_and_choose(run):
    """Arrow keys begin at the first cell or at the one that is followed, show each on the way and
    keep the key; Enter sends what can be chosen only. In a drawing that is zoomed, as in a lecture,
    a click meets the cell under it. Words in a line are stepped through, not past the ends. A
    drawing made anew never loses the focus, and what was drawn before hears no key any more."""
    places = [place("a", 1, 2, 0, 0), place("b", 1, 1, 40, 0, clickable=True)]
    keys = """
        addPointing(svg, x, x[0], null, show, send);
        const left = ["Enter", "ArrowRight", "Enter", "ArrowRight", " ", "a"].map(press);
        svg.remove();
        return { shown, sent, left };"""
    assert run(BEGIN + keys, places) == {
        "shown": [None, ["a", 0, 1], ["b", 0, 0]],
        "sent": [{"matrix": "b", "row": 0, "column": 0}],
        "left": [True, False, True, False, False, True],
    }
    followed = """
        const follow = addPointing(svg, x, x[0], [0, 0], show, send);
        follow([1, 2]);
        ["ArrowLeft", "Enter"].map(press);
        svg.setAttribute("width", 1200);
        svg.setAttribute("height", 800);
        const { left, top } = svg.getBoundingClientRect();
        svg.dispatchEvent(new MouseEvent("click", { clientX: left + 65, clientY: top + 5 }));
        svg.remove();
        return { shown, sent };"""
    assert run(BEGIN + followed, [place("a", 2, 4, 0, 0, clickable=True)]) == {
        "shown": [["a", 0, 0], ["a", 1, 2], ["a", 1, 1]],
        "sent": [{"matrix": "a", "row": 1, "column": 1}, {"matrix": "a", "row": 0, "column": 3}],
    }
    words = """
        addStepping(svg, ["ArrowUp", "ArrowDown"], 3, 1, (at) => shown.push(at), send);
        const left = ["ArrowDown", "ArrowDown", "Enter", "ArrowRight", "ArrowUp"].map(press);
        svg.remove();
        return { shown, sent, left };"""
    left = [False, False, False, True, False]
    assert run(BEGIN + words) == {"shown": [2, 2, 1], "sent": [2], "left": left}
    anew = """
        const host = document.body.appendChild(document.createElement("div"));
        const [sent, lost] = [[], []];
        const draw = (name) => {
          const [svg] = makeCanvas(host, 100, 100, { alt: name }, null, { scale: 1 });
          node("g", {}, svg);
          addPointing(svg, x, x[0], [0, 0], () => {}, () => sent.push(name));
          return svg;
        };
        const svg = draw("first");
        svg.focus();
        svg.addEventListener("blur", () => lost.push("focus"));
        draw("second");
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
        const found = [sent, [...lost], svg.getAttribute("aria-label"), svg.children.length];
        host.remove();
        return found;"""
    assert run(anew, [place("a", 1, 1, 0, 0, clickable=True)]) == [["second"], [], "second", 2]


@pytest.mark.browser
def test_text_is_as_wide_as_measured(run):
    """What is measured is what is drawn, in the theme's font, by size and weight. Every letter
    stays: a word that is too wide is drawn as wide as the room, another as it is."""
    drawn, fitted = run("""
        const widths = ([size, weight, word, room]) => {
          const style = `font: ${weight} ${{ label: 12, small: 14 }[size]}px serif`;
          const text = node("text", { style }, document.getElementById("svg"), word);
          if (room) fitText(text, textWidth(word), room);
          const found = [textWidth(word, size, weight), text.getComputedTextLength()];
          text.remove();
          return room ? [found[1], text.textContent] : found;
        };
        const words = ["i", "Wm", "naïve", "−0.0123", "קלב"];
        const fonts = [["label", 400], ["small", 700]];
        return [fonts.flatMap((font) => words.map((word) => widths([...font, word]))),
          ["a", "incomprehensibilities"].map((word) => widths(["label", 400, word, 40]))];
        """)
    assert all(measured > 3 and abs(measured - seen) < 0.6 for measured, seen in drawn), drawn
    assert fitted[0][0] < 12
    assert fitted[1] == [pytest.approx(40, abs=0.1), "incomprehensibilities"]


FILM = """
const host = document.createElement("div");
document.body.append(host);
const sent = [];
drawTrainingHistory(host, x, (what) => sent.push(what), readPalette(document.body), {
  w: 700, h: Infinity, fit: false, scale: 1 });
const slider = host.querySelector("input");
const to = (moment) => { slider.value = moment; slider.dispatchEvent(new Event("input")); };
const found = host.querySelector(".ab-training-history-found")?.textContent;
const look = () => ({
  numbers: [...host.querySelectorAll(".ab-numbers text")].map((text) => text.textContent),
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
        labels = (["it"], ["cat", "milk"], ("query", "key"), "weights")
        made = [
            board.Matrix(f"head {k + 1}", values[k], *labels, clickable=True, symbol="α")
            for k in range(2)
        ]
        return [matrix.packed() for matrix in made]

    return {
        **{"view": "training_history", "alt": "film", "chosen": [0, 1], "main": 1, "across": 2},
        **{"matrices": heads(moments[2]), "before": heads(moments[0]), "moments": pack(moments)},
        **{"steps": [0, 2, 4], "says": ["at 0", "at 2", "at 4"]},
        "found": [1, "cat found at step 2"],
    }


@pytest.mark.browser
def test_the_slider_moves_the_film(run):
    """Numbers, line and what is spoken are those of the slider's moment, and nothing is
    sent; a click is. Below the slider a mark stands at the moment, with what happened there. Play
    goes on to the last moment and stops there; for who asked for less motion each press shows the
    next; a board that is drawn anew stays at its moment."""
    moves = """
        const opens = look().says, looks = [];
        for (const moment of [0, 1, 2, 0]) { to(moment); looks.push(look()); }
        const before = sent.length;
        to(1);
        const box = host.querySelector(".ab-cells").getBoundingClientRect();
        host.querySelector("svg").dispatchEvent(new MouseEvent("click", { clientX: box.left + 3,
          clientY: box.top + 3, bubbles: true }));
        const made = host.querySelector(".ab-training-history-found");
        const mark = made.style.getPropertyValue("--share");
        host.remove();
        return [opens, looks, before, sent, [found, mark]];"""
    opens, looks, before, sent, (found, share) = run(FILM + moves, film())
    assert (opens, found, float(share)) == ("at 4", "cat found at step 2", 0.5)
    first = ["0.50", "0.50", "0.25", "0.75"]
    second, third = ["0.13", "0.88", "0.00", "1.00"], ["1.00", "0.00", "0.50", "0.50"]
    assert [each["numbers"] for each in looks] == [first, second, third, first]
    for name in ("says", "spoken"):
        assert [each[name] for each in looks] == ["at 0", "at 2", "at 4", "at 0"]
    assert looks[1]["said"] == "α[it, milk], head 2 = 1.0000"
    assert (before, sent) == (0, [{"matrix": "head 1", "row": 0, "column": 0}])
    plays = """
        const still = look().button, play = host.querySelector("button");
        to(1);
        play.click();
        const playing = look().button;
        const again = () => drawTrainingHistory(host, x, () => {}, readPalette(document.body), {
          w: 500, h: Infinity, fit: false, scale: 1 });
        return new Promise((done) => new MutationObserver((_, watch) => {
          if (look().button === "Pause") return;
          watch.disconnect();
          const ended = look().says;
          to(1);
          again();
          const anew = host.querySelector("output").textContent;
          window.matchMedia = () => ({ matches: true });
          again();
          const calm = [1, 2].map(() => (host.querySelector("button").click(), look().says));
          delete window.matchMedia;
          host.remove();
          done([still, playing, ended, anew, calm]);
        }).observe(play, { childList: true, characterData: true, attributes: true,
          subtree: true }));"""
    assert run(FILM + plays, film()) == ["Play", "Pause", "at 4", "at 2", ["at 4", "at 0"]]
