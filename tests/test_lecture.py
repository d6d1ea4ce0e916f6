"""In front of a class: beats, notes, what is hidden, links to hand on; a whole walk by keyboard in
a real Chromium."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
import segno
from helpers import ANSWERED, app, change, components, elements, panel, ready, unfold
from playwright.sync_api import expect

from core import Setup
from pages.shared import share
from pages.shared.link import parse_link, read_link, write_link
from pages.shared.link.beats import BEATS, read
from pages.shared.link.pages import PAGES
from pages.shared.link.pinned import write
from pages.shared.panel import describe_field
from tests.test_browser import cell
from tests.test_pages import said

ALL_BEATS = [(step, place) for step in PAGES for place in range(1, len(BEATS[step.path]) + 1)]


def content(at) -> list[str]:
    """What is on the page beside its title, its heading and the buttons at its foot."""
    frame = ("title", "header", "html")
    return [
        str(e.proto)
        for e in elements(at.main)
        if e.type not in frame and "attention_lecture" not in str(e.proto)
    ]


@pytest.mark.parametrize(
    "step",
    [step for step in PAGES if step.path != "model"],
    ids=lambda step: step.path or "overview",
)
def test_every_beat_shows_one_thing(step):
    """Each beat has its heading, its notes with a question, and something of its own to show; two
    beats of a page never show the same."""
    seen = []
    for place, beat in enumerate(BEATS[step.path], start=1):
        at = app(step.file, lecture="on", beat=place)
        assert not at.exception
        assert [e.value for e in at.header] == [beat.title]
        assert len(content(at)) > 1  # more than the count at the foot
        assert "?" in beat.ask and all(20 < len(text) < 420 for text in (beat.say, beat.wrong))
        assert "\n" not in beat.title + beat.say + beat.ask + beat.wrong + beat.story
        seen.append(content(at))
    assert all(one != other for k, one in enumerate(seen) for other in seen[:k])


WHOLE = {"name": "row", "title": "The row", "say": "Look at it.", "ask": "Why?", "wrong": "“No.”"}


def written(**beat: str) -> str:
    """A beat as it stands in a file."""
    return "[[beat]]\n" + "".join(f'{key} = """\n{text}"""\n' for key, text in beat.items())


FIRST = written(**WHOLE)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            FIRST + written(**WHOLE | {"name": "sum"}).replace("wrong", "worng"),
            "page.toml: beat sum: Beat.__init__() got an unexpected keyword argument 'worng'",
        ),
        (FIRST + "[[beat]\n", "page.toml: "),
    ],
)
def test_a_slip_in_a_file_of_beats_is_told(tmp_path, text, told):
    """What is missing, unknown or broken is refused when the file is read, with the file, the beat
    and the reason."""
    file = tmp_path / "page.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="^" + re.escape(told)):
        read(file)


def test_notes_are_for_the_speaker_alone():
    """The notes stand in the speaker's window, and not on the projected page."""
    beat = BEATS["scores"][2]
    projected, own = (
        app("pages/4_scores.py", beat=3, **{window: "on"}) for window in ("lecture", "notes")
    )
    assert beat.say not in said(projected)
    assert all(text in said(own) for text in (beat.say, beat.ask, beat.wrong))
    assert f"Next: {BEATS['scores'][3].title}" in said(own)


@pytest.mark.parametrize("asked", ["0", "21", "x", "３"])
def test_a_beat_out_of_range(asked):
    """A beat that is no number in range is told and becomes the nearest; one past this page's last
    becomes the last."""
    at = app("pages/4_scores.py", lecture="on", beat=asked)
    assert not at.exception
    nearest = {"21": BEATS["scores"][-1], "３": BEATS["scores"][2]}
    assert at.header[0].value == nearest.get(asked, BEATS["scores"][0]).title
    assert ("beat: " in said(at)) == (asked != "３")


def test_hidden_controls_keep_their_values():
    """What a link hides is off the screen by our own names alone; its value still counts, on other
    pages too."""
    hidden = "seed,d_k,query,key,head,column,<b>,body"
    at = app("pages/4_scores.py", hide=hidden, seed=7, d_k=5, open="full")
    styles = [
        e.proto.body for e in elements(at._tree) if e.type == "html" and "<style>" in e.proto.body
    ]
    assert len(styles) == 1
    left = "seed,d_k,query,key,head,column"
    assert ",".join(re.findall(r"\.st-key-(\w+)", styles[0])) == left
    assert "hide: expected names" in said(at)
    assert "5 terms" in said(at)
    mended = parse_link(panel(at)["link"])
    assert mended.pop("open") == "full"
    assert mended == {"hide": left, "seed": "7", "d_k": "5"}
    at.switch_page("pages/5_weights.py").run()
    assert panel(change(at, heads=2, **mended))["link"].count(f"hide={left}") == 1


def test_a_lecturer_chooses_by_name():
    """Controls to hide and exercises to do are listed by their labels and questions, each once, and
    by no name of the program."""
    for name in ("hide", "do"):
        names = describe_field(name)["names"]
        assert len({*names.values()}) == len(names) > 10
        symbols = {"d_model", "d_k", "d_v", "d_ff", "d_q"}
        for label in names.values():
            assert label[0].isupper() or label[0] in "dt", label  # d_k, top-p
            assert {*re.findall(r"\w+[_.]\w+", label)} <= symbols, label


ROOT = "https://example.org"
HERE = f"{ROOT}/scores"


def test_links_to_hand_on():
    """This view as it stands, the lecture and its notes from their first beat, a worksheet of a
    step only."""
    links = share.links(ROOT, "scores", {"d_k": "5", "lecture": "on", "beat": "4"})
    parameters = {name: dict(parse_qsl(urlsplit(link).query)) for name, link in links.items()}
    assert parameters["This view"] == {"d_k": "5", "lecture": "on", "beat": "4"}
    assert parameters["For a class, beat by beat"] == {"d_k": "5", "lecture": "on"}
    assert parameters["The speaker's notes to it"] == {"d_k": "5", "notes": "on"}
    assert parameters["A worksheet, to print"] == {"d_k": "5", "sheet": "on"}
    assert "A worksheet, to print" not in share.links(ROOT, "training", {})
    for page in PAGES:
        for link in share.links(ROOT, page.path, {"d_k": "5"}).values():
            assert link.startswith(f"{ROOT}/") and not read_link(urlsplit(link).query).messages
            assert urlsplit(link).path.strip("/") in (page.path, "next")


def test_in_a_class_its_windows_are_handed_on():
    """Share's first link, whose code is on screen, is the class's; the window with the notes is in
    the class, so it leads it too. Who gets this view alone is in none."""
    links = share.links(ROOT, "scores", {"d_k": "5", "lecture": "on"}, "KQZT")
    assert next(iter(links.items())) == ("This class", "https://example.org/?room=KQZT")
    inside = {name for name, link in links.items() if "room=KQZT" in link}
    assert {"This class", "The speaker's notes to it", "For a class, beat by beat"} <= inside
    assert "This view" not in inside
    at = app("pages/4_scores.py", share="on", room="KQZT-3f9a1c2b4d5e")
    (drawn,) = components(at.main, "attention_links")
    assert drawn["links"][0]["link"].endswith("/?room=KQZT-3f9a1c2b4d5e")


def test_the_code_is_the_links_code():
    """The path drawn holds the modules that the library made, and a link too long for any code has
    none."""
    link = HERE + "?d_k=5&text=ein%20Satz"
    matrix = segno.make_qr(link, error="l", boost_error=False).matrix
    dark = {(x, y) for y, row in enumerate(matrix) for x, m in enumerate(row) if m}
    assert {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)", share.code(link))} == dark
    assert share.code(HERE + "x" * 3000) is None


SMALLEST = """() => {
  let least = Infinity;
  for (const e of document.querySelectorAll("[data-testid=stMain] *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || e.closest(".katex, pre, [data-testid=stHeader]") || !e.checkVisibility()) continue;
    const svg = e.closest("svg.ab-svg");
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    least = Math.min(least, parseFloat(getComputedStyle(e).fontSize) * scale);
  }
  return least;
}"""
SCROLLS = (
    "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollHeight -"
    " m.clientHeight; }"
)


FITS = f"""([title, count, least]) => {{
  const says = (selector, text) => document.querySelector(selector)?.textContent.includes(text);
  return says(".st-key-beat h2", title) && says(".st-key-lecture_foot", count)
    && [...document.querySelectorAll('.ab-host')].every((host) => host.children.length)
    && [...document.querySelectorAll('pre')].every((code) => code.scrollWidth <= code.clientWidth)
    && ({SMALLEST})() >= least && ({SCROLLS})() <= 0;
}}"""


def on_beat(page, path: str, place: int) -> None:
    """This beat is on screen, complete, and stands in the link."""
    expect(page.locator(".st-key-beat h2")).to_have_text(BEATS[path][place - 1].title)
    expect(
        page.locator(".st-key-lecture_foot p").get_by_text(f"{place} / {len(BEATS[path])}")
    ).to_be_visible()
    expect(page).to_have_url(
        re.compile(
            rf"/{path}\?(?=.*lecture=on)"
            + (rf"(?=.*beat={place}\b)" if place > 1 else "(?!.*beat=)")
        )
    )
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState ==="
        " 'notRunning'"
    )


WALKED = ("scores", "weights", "context")


@pytest.mark.browser
def test_a_whole_walk_by_keyboard(window_of):
    """From the scores to the context's end with →, Space and a remote's key alone: each beat fits
    on the screen in type that reads from the last row."""
    page = window_of("scores?lecture=on", 1280, 720)
    walk = [(step.path, place) for step, place in ALL_BEATS if step.path in WALKED]
    walk.append(("heads", 1))
    for k, (path, place) in enumerate(walk):
        if k:
            page.keyboard.press(("ArrowRight", " ", "PageDown")[k % 3])
        title, count = BEATS[path][place - 1].title, f"{place} / {len(BEATS[path])}"
        page.wait_for_function(FITS, arg=[title, count, 16.5])
        on_beat(page, path, place)
    page.keyboard.press("Home")
    on_beat(page, "heads", 1)
    page.keyboard.press("ArrowLeft")
    on_beat(page, "context", len(BEATS["context"]))
    page.keyboard.press("PageUp")
    on_beat(page, "context", len(BEATS["context"]) - 1)
    page.go_back()
    on_beat(page, "context", len(BEATS["context"]))
    page.keyboard.press("Escape")
    expect(page.locator(".ab-closer")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/context\?(?!.*lecture)(?=.*beat=)"))


@pytest.mark.browser
@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("embedding", 3),
        ("block", 3),
        ("next", 6),
        ("notebooks", 3),
        *(("bring", k) for k in (1, 2)),
    ],
)
def test_tables_pairs_and_code_end_above_the_foot(window_of, path, place):
    """A beat of a table, of several boards or of several functions fits on the screen too."""
    page = window_of(f"{path}?lecture=on&beat={place}", 1366, 768)
    count = f"{place} / {len(BEATS[path])}"
    page.wait_for_function(FITS, arg=[BEATS[path][place - 1].title, count, 16.5])
    for code in page.locator("pre").all():
        assert code.evaluate("(code) => code.scrollHeight <= code.clientHeight + 1")


@pytest.mark.browser
def test_any_beat_is_one_choice_away(window_of):
    """The count of beats is a list of this page's by their titles and of the other pages; after a
    choice the arrows go on from there. Share opens within the lecture, and Esc closes it alone."""
    page = window_of("scores?lecture=on&beat=4", 1280, 720)
    beats = page.get_by_role("combobox", name="Go to a beat")
    expect(page.locator(".ab-beats option:checked")).to_have_text("4 · The sum: one score")
    beats.select_option("8 · Why a dot product?")
    on_beat(page, "scores", 8)
    page.keyboard.press("ArrowRight")
    on_beat(page, "scores", 9)
    page.wait_for_function(
        ANSWERED
    )  # before it, the list may be drawn anew under the key, and Esc would leave the lecture
    ready(page)
    page.keyboard.press("g")
    expect(beats).to_be_focused()
    page.keyboard.press("Escape")
    beats.select_option("7 Heads")
    on_beat(page, "heads", 1)
    page.get_by_role("link", name="Share").click()
    expect(page.get_by_role("img", name="A QR code")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("img", name="A QR code")).to_have_count(0)
    on_beat(page, "heads", 1)
    beats.select_option("Encoder")
    for place in range(1, 4):
        on_beat(page, "encoder", place)
        page.keyboard.press("ArrowRight" if place < 3 else "Shift")
    expect(page.locator(".ab-numbers text")).to_have_count(6 * 6)  # smaller type, with numbers


@pytest.mark.browser
def test_the_speakers_window_goes_along(window_of, server):
    """Two windows of one browser show the same beat and pair, whichever of them moves."""
    projected = window_of("scores?lecture=on&d_k=3", 1280, 720)
    with projected.context.new_page() as own:
        open_lecture(own, server, "scores?notes=on&d_k=3")
        projected.keyboard.press("ArrowRight")
        expect(own.locator(".st-key-beat h2")).to_have_text(BEATS["scores"][1].title)
        expect(own.get_by_text(BEATS["scores"][1].ask)).to_be_visible()
        for place in range(3, 7):
            own.keyboard.press("PageDown")
            expect(own.locator(".st-key-beat h2")).to_have_text(BEATS["scores"][place - 1].title)
        on_beat(projected, "scores", 6)
        projected.mouse.click(*cell(projected, "scores", 5, 0))
        expect(own).to_have_url(re.compile("(?=.*notes=on)(?=.*query=6)(?=.*key=1)"))
    opens = projected.locator(".st-key-notes a")  # never in the projected window itself
    expect(opens).to_have_attribute("target", "_blank")
    expect(opens).to_have_attribute("href", re.compile(r"/scores\?(?!.*lecture=on).*notes=on"))


def open_lecture(page, server, path: str) -> None:
    """Open a page in a lecture, and wait until it is drawn in its colours and heeds its keys."""
    page.goto(f"{server.url}/{path}")
    page.wait_for_selector(".st-key-lecture_foot p")
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState ==="
        " 'notRunning' && document.documentElement.dataset.lecture &&"
        " document.documentElement.style.getPropertyValue('--ab-gray-text')"
    )


@pytest.mark.browser
def test_keys_in_a_field_or_a_matrix_do_not_turn_the_page(visit):
    """Whoever types a sentence or walks through a matrix stays on the beat; after a click the keys
    are the lecture's."""
    page = visit("scores?lecture=on&beat=6")
    page.mouse.click(*cell(page, "scores", 1, 2))
    expect(page).to_have_url(re.compile("key=3"))
    page.mouse.move(5, 700)
    expect(page.locator(".ab-readout")).to_contain_text("ω[is, short]")
    page.keyboard.press("ArrowLeft")
    on_beat(page, "scores", 5)
    page.locator(".ab-svg").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".ab-readout")).to_contain_text("ω[is, is]")
    page.get_by_role("button", name="Setup", exact=True).click()
    slider = page.locator(".st-key-head").get_by_role("slider")
    assert slider.bounding_box()["width"] > 90  # in large type, too
    sentence = page.get_by_role("textbox", name="Sentence", exact=True)
    sentence.fill("")
    sentence.press_sequentially("one two three")
    sentence.press("Enter")
    expect(page.locator(".ab-readout")).to_contain_text("ω[two, three]")
    on_beat(page, "scores", 5)
    expect(page).to_have_url(re.compile("text=one(\\+|%20)two(\\+|%20)three"))


@pytest.mark.browser
def test_a_lecture_begins_and_ends_by_its_switch(visit):
    """The switch in the menu folds the setup away and back, and stands in the link; End, which
    stays in its place, leaves the lecture where it can go on."""
    page = visit("scores")
    unfold(page)
    page.locator(".st-key-lecture").get_by_role("radio", name="on").check()
    on_beat(page, "scores", 1)
    page.wait_for_selector("html[data-lecture]", state="attached")
    expect(page.get_by_test_id("stSidebar")).not_to_be_in_viewport()
    end = page.locator(".st-key-lecture_foot").get_by_role("link", name="End", exact=True)
    box = end.bounding_box()
    page.keyboard.press("ArrowRight")
    on_beat(page, "scores", 2)
    assert end.bounding_box() == box
    end.click()
    expect(page.locator(".ab-closer")).to_be_visible()
    page.locator(".st-key-lecture").get_by_role("radio", name="on").check()
    on_beat(page, "scores", 2)
    page.get_by_role("button", name="Setup", exact=True).click()
    page.locator(".st-key-lecture").get_by_role("radio", name="off").check()
    expect(page.locator(".ab-closer")).to_be_visible()
    expect(page.get_by_role("button", name="Setup", exact=True)).to_have_count(0)


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("http://localhost:8501/scores", "machine"),
        ("http://[::1]:8501", "machine"),
        ("http://192.168.3.5:8501/", "network"),
        ("https://attention.example/scores", ""),
    ],
)
def test_an_address_that_others_cannot_open_says_so(address, word):
    """Beside the code of a link to this machine, or into this network, stands that it opens nowhere
    else; of others nothing."""
    told = share.only_near(address)
    assert f"of this {word} only" in told if word else told == ""


@pytest.mark.browser
def test_a_link_is_copied_with_one_click(visit, server):
    """Share, pressed from a page's end too, shows the link as text and as a code, and puts it on
    the clipboard; the lecture's too. One that is long says so. The keyboard reaches all of it."""
    edits = ",".join(
        f"w_k.1.{row}.{column}=-0.1234" for row in range(1, 9) for column in range(1, 9)
    )
    both = {"d_k": "8", "edits": edits, "vs": write(Setup(d_k=8, edits=edits))}
    page = visit(f"vocabulary?{write_link(both)}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("[data-testid=stMain]").evaluate("(main) => main.scrollTo(0, main.scrollHeight)")
    stood = page.locator("h1").bounding_box()
    page.get_by_role("button", name="Share or download").click()
    expect(page.get_by_role("heading", name="Share", exact=True)).to_be_in_viewport()
    expect(page.get_by_role("link", name="Close")).to_be_in_viewport()
    long = page.get_by_text("Some programs for mail and chat cut a link")
    expect(long).to_contain_text(
        f"This link has {len(share.links(server.url, 'vocabulary', both)['This view'])} characters."
    )
    page.get_by_role("button", name="This view", exact=True).focus()
    for _ in ("its link", "its button"):
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Copy link: This view")).to_be_focused()
    for name in ("This view", "The speaker's notes to it"):
        page.get_by_role("button", name=f"Copy link: {name}").click()
        expect(page.get_by_text("Copied.")).to_be_visible()
        copied = page.evaluate("() => navigator.clipboard.readText()")
        assert copied == share.links(server.url, "vocabulary", both)[name]
    expect(page.get_by_text(share.only_near(server.url))).to_be_visible()
    page.locator(".st-key-sharing").get_by_role(
        "button", name="The speaker's notes to it", exact=True
    ).click()
    drawn = page.get_by_role(
        "img", name="A QR code of the link: The speaker's notes to it"
    ).locator("path")
    expect(drawn).to_have_attribute("d", share.code(copied))
    assert page.locator("h1").bounding_box() == stood  # nothing below it moved
    dialog = page.get_by_role("dialog", name="Share")
    for closes in (
        page.get_by_role("link", name="Close").click,
        lambda: page.keyboard.press("Escape"),
    ):
        expect(dialog).to_be_visible()
        closes()
        expect(page.locator(".st-key-sharing")).to_have_count(0)
        page.get_by_role("button", name="Share or download").click()
    expect(dialog.get_by_role("button", name="This view", exact=True)).to_be_focused()
    for _ in ("its top", "from the first to the last: the keys stay within"):
        page.keyboard.press("Shift+Tab")
    expect(dialog.locator("[data-testid=stDownloadButton] button").last).to_be_focused()
