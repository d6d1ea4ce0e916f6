"""Cells keep their order and their sign for every eye, and the numbers on them can be read."""

import itertools
import re
import tomllib

import pytest
from helpers import ROOT, app
from playwright.sync_api import expect

from core.board import colours
from core.board.themes import CONFIGURED
from tests.colours import KINDS, MODES, apart, contrast, lightness
from tests.colours import colours as scale_of

every_eye = pytest.mark.parametrize(("mode", "kind"), list(itertools.product(MODES, KINDS)))


@every_eye
def test_a_range_keeps_its_order(mode, kind):
    """Larger shares and larger sizes are ever further from the background in lightness, with any
    colour deficiency."""
    away = 1 if mode == "dark" else -1
    diverging = scale_of(mode, "diverging")
    for side in (scale_of(mode, "sequential"), diverging[:5][::-1], diverging[5:]):
        steps = [away * lightness(colour, kind) for colour in side]
        assert all(after - before > 1.5 for before, after in itertools.pairwise(steps)), steps


@every_eye
def test_the_sign_is_seen(mode, kind):
    """The same size below and above zero does not look the same, from the second step on, with any
    colour deficiency."""
    diverging = scale_of(mode, "diverging")
    for below, above in list(zip(diverging[:5][::-1], diverging[5:], strict=True))[1:]:
        assert apart(below, above, kind) > 9, (below, above)


THEMES = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]


def test_an_installed_board_has_the_apps_colours():
    """The package has a copy of the theme, since the app's own file is not installed."""
    assert {mode: THEMES[mode] for mode in MODES} == CONFIGURED


@every_eye
def test_scores_and_outputs_differ(mode, kind):
    """Nobody takes the colour of outputs for that of another role or of the text, with any colour
    deficiency."""
    theme = THEMES[mode]
    others = [theme["textColor"]] + [
        theme[f"{name}TextColor"] for role, (name, _) in colours.COLOURS.items() if role != "output"
    ]
    output = theme[f"{colours.COLOURS['output'][0]}TextColor"]
    assert min(apart(output, other, kind) for other in others) > 10


@pytest.mark.parametrize("mode", MODES)
def test_a_roles_colour_can_be_read(mode):
    """Each role's colour has a contrast of at least 4.5 with a page's ground and with the
    panel's."""
    theme = THEMES[mode]
    for name, _ in colours.COLOURS.values():
        for ground in ("backgroundColor", "secondaryBackgroundColor"):
            assert contrast(theme[f"{name}TextColor"], theme[ground]) >= 4.5, (name, ground)


@pytest.mark.parametrize("mode", MODES)
def test_curves_have_neither_a_signs_colour_nor_attentions(mode):
    """With and without something, and whatever else a chart holds side by side, is neither teal,
    rust nor violet."""
    theme = THEMES[mode]
    signs, attention = theme["chartDivergingColors"], theme["violetColor"]
    taken = [signs[1], signs[2], signs[7], signs[8], attention]
    assert all(
        apart(curve, other, "usual") > 10
        for curve in theme["chartCategoricalColors"]
        for other in taken
    )


# Colours on the screen: the ground, the title, a symbol's role, every text of the page, and the
# cells of all boards.
LOOKS_LIKE = """() => {
  const hex = (colour) => '#' + colour.match(/[\\d.]+/g).slice(0, 3).map((v) =>
    (+v).toString(16).padStart(2, '0')).join('');
  const of = (element, name = 'color') => hex(getComputedStyle(element).getPropertyValue(name));
  const all = (selector) => [...document.querySelectorAll('.stMain ' + selector)];
  return {
    ground: of(document.querySelector('.stApp'), 'background-color'),
    title: of(document.querySelector('.stMain h1')),
    role: of(document.querySelector('.stMain .stMarkdownColoredText')),
    inks: [...new Set(all(':is(h1, h2, h3, p, li, code)').map((e) => of(e)))],
    cells: all('.ab-matrix image').map((e) => e.getAttribute('href')),
  };
}"""


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["weights?init=normal"])
def test_numbers_on_cells_can_be_read(window_of, scheme, path):
    """Every number that stands on a cell has a contrast of at least 4.5 with the cell's colour, in
    both modes."""
    page = window_of(path, scheme=scheme)
    expect(page.locator(".ab-numbers text").first).to_be_visible()
    lowest = page.evaluate("""async () => {
          const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
            .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
            .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
          let lowest = 21;
          for (const group of document.querySelectorAll(".ab-matrix")) {
            const texts = [...group.querySelectorAll(".ab-numbers text")];
            const image = group.querySelector("image");
            const [n, m] = [image.dataset.rows, image.dataset.columns].map(Number);
            const picture = new Image();
            picture.src = image.getAttribute("href");
            await picture.decode();
            const canvas = Object.assign(document.createElement("canvas"), { width: m, height: n });
            const context = canvas.getContext("2d");
            context.drawImage(picture, 0, 0);
            const pixels = context.getImageData(0, 0, m, n).data;
            texts.forEach((text, k) => {
              const cell = light(pixels.slice(4 * k, 4 * k + 3));
              const ink = light(text.getAttribute("fill").match(/\\w\\w/g).map((h) => parseInt(h,
                16)));
              lowest = Math.min(lowest, (Math.max(cell, ink) + 0.05) / (Math.min(cell,
                ink) + 0.05));
            });
          }
          return lowest;
        }""")
    assert 4.5 <= lowest < 21


@pytest.mark.browser
def test_dark_is_printed_light(window_of):
    """For paper, ground, text, symbols and the boards' cells take the light theme's colours; after
    printing the page is as it was."""
    page = window_of("weights?init=normal", scheme="dark")
    expect(page.locator(".ab-numbers text").first).to_be_visible()
    light, dark = (THEMES[mode] for mode in ("light", "dark"))
    before = page.evaluate(LOOKS_LIKE)
    assert [before["ground"], before["title"]] == [dark["backgroundColor"], dark["textColor"]]
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    try:
        on_paper = page.evaluate(LOOKS_LIKE)
        assert [on_paper["ground"], on_paper["title"]] == [
            light["backgroundColor"],
            light["textColor"],
        ]
        assert on_paper["role"] == light["yellowTextColor"] != before["role"]
        assert on_paper["cells"] != before["cells"]
        assert not [
            colour
            for colour in on_paper["inks"]
            if min(int(colour[k : k + 2], 16) for k in (1, 3, 5)) > 128
        ]
    finally:
        page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    after = page.evaluate(LOOKS_LIKE)
    assert {name: after[name] for name in ("ground", "title", "role")} == {
        name: before[name] for name in ("ground", "title", "role")
    }


@pytest.mark.browser
def test_no_link_has_the_browsers_blue(window_of):
    """Also where a link stands in a text of ours that no rule names."""
    page = window_of("weights?open=check", scheme="dark")
    colours = page.locator("a").evaluate_all("(all) => all.map((a) => getComputedStyle(a).color)")
    assert len(colours) > 20 and "rgb(158, 158, 255)" not in colours


def test_the_pages_name_no_colour_alone():
    """What the overview says in colours it also says in words: below, above, zero."""
    said = " ".join(caption.value for caption in app().caption)
    assert "below zero" in said
    assert "above" in said


def test_text_has_five_sizes_and_play_the_colour_of_the_main_buttons():
    """No sheet or script sets a size but the five of base.css, which the scripts measure with and
    Streamlit's headings have; a lecture scales all by one factor. Play is not coloured as what is
    played."""
    files = {
        path.relative_to(ROOT).as_posix(): path.read_text()
        for part in ("core/board/web", "pages/shared/web")
        for path in (ROOT / part).rglob("*.*s")
    }
    base, text = (files[f"core/board/web/{name}"] for name in ("base.css", "text.js"))
    sizes = dict(re.findall(r"--ab-(\w+): calc\((\d+) \* var\(--ab-px\)\)", base))
    assert len(sizes) == 5 and "16" in sizes.values()  # iOS zooms into fields with less
    measured = re.search(r"SIZES = {(.*)}", text)[1]
    assert dict(re.findall(r"(\w+): (\d+)", measured)) == sizes
    headings = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())["theme"]
    written = {f"{float(size[:-3]) * 16:g}" for size in headings["headingFontSizes"]}
    assert written <= set(sizes.values())
    others = [
        (path, size)
        for path, file in files.items()
        for size in re.findall(r"""font(?:-size|Size)?['"]?: (?:\d00 )?([^\s"',;]+)""", file)
        if not re.match(rf"`?(inherit|SIZES|var\(--ab-({'|'.join(sizes)}|\$.*)\))", size)
    ]
    # a lecture's factor, and its code, which shrinks until its longest line fits
    assert [path for path, _ in others] == ["pages/shared/web/lecture/lecture.css"] * 2, others
    play = (ROOT / "core/board/web/motion.css").read_text()
    assert "--role" not in play.partition(".ab-host .ab-play {")[2].partition("}")[0]
