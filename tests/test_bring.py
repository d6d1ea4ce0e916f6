"""Bring your own: what is pasted is read, asked about and checked on its page, and goes on into the
seven."""

import io
import re
import tomllib
from html import unescape
from urllib.parse import parse_qs

import numpy as np
import pytest
import torch
from helpers import ANSWERED, ROOT, app, boards, change, elements, numbers, panel
from playwright.sync_api import expect

from core import Setup, run
from core.fields import files
from core.fields.matrices_field import to_field_value
from core.fields.user_matrices import UserMatrices
from core.grading.report import FOLLOWS, WRONG
from core.importing import archives
from core.importing.layer import read_file
from core.importing.parsing import parse
from core.text.written import escape_formula
from pages.shared.link.pasted_text import MAX_LETTERS
from pages.shared.page_components.bring import graded, solutions
from pages.shared.page_components.bring.result import look, parse_answers, write_answers
from pages.shared.page_components.bring.shelf import examples
from pages.shared.share.files import make_npz
from pages.shared.text import tables

PAGE = "pages/16_bring.py"
SLIP = examples()[0].text


def said(at) -> str:
    """All text of the page."""
    return "\n".join(
        e.value for e in elements(at.main) if e.type in ("text", "markdown", "caption", "header")
    )


def links(at) -> dict[str, dict[str, list[str]]]:
    """What each link on the page sets, by its text."""
    found = re.findall(r'<a href="[^"]*" data-sets="([^"]*)"[^>]*>(?:<b>)?(.*?)<', markup(at))
    return {
        unescape(text): parse_qs(unescape(sets), keep_blank_values=True) for sets, text in found
    }


def options(at) -> dict[str, dict[str, list[str]]]:
    """What each option of a select on the page sets, by its text."""
    found = re.findall(r'<option value="([^"]*)"[^>]*>(.*?)<', markup(at))
    return {unescape(text): parse_qs(unescape(sets)) for sets, text in found}


def markup(at) -> str:
    """What of the page is HTML."""
    return "\n".join(e.proto.body for e in elements(at.main) if e.type == "html")


def opened(at) -> tuple[Setup, dict[str, str]]:
    """The setup that the seven pages are opened with, and all that the link sets."""
    sets = {name: values[0] for name, values in links(at)["Open in the seven pages"].items()}
    given = {name: value for name, value in sets.items() if name != "pasted"}
    setup, messages = Setup.nearest(given)
    assert not messages
    return setup, sets


def drawn(at, key: str) -> list[dict]:
    """The matrices whose name begins so."""
    every = (matrix for board in boards(at) for matrix in board.get("matrices", []))
    return [matrix for matrix in every if matrix["name"].startswith(key)]


# ---------- the shelf ----------


def by_hand(reading) -> dict[str, np.ndarray]:
    """Every step in double precision, by NumPy alone, of what was read as given."""
    given = reading.given()
    has = {name: given.tensor(name).double().numpy() for name in given.names}
    of = {n: has[n] if n in has else has["x"] @ has[f"w_{n}"] for n in "qkv"}
    scores = of["q"] @ of["k"].transpose(0, 2, 1)
    scaled = scores / (1 if given.scale == "none" else of["q"].shape[-1] ** 0.5)
    e = np.exp(scaled - scaled.max(-1, keepdims=True)) * (np.array(given.mask) if given.mask else 1)
    weights = e / e.sum(-1, keepdims=True)
    context = weights @ of["v"]
    made = {"scores": scores, "scaled": scaled, "weights": weights, "context": context}
    return of | made | {"output": context[0], "concat": context[0]}


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_an_example_is_checked_as_numpy_checks_it(example):
    """Each example needs no answer; what comes out is NumPy's; the steps that are called wrong are
    those named on the shelf."""
    looked = look(example.text, "", Setup())
    report = looked.report
    assert not looked.reading.open and report is not None and not looked.of_panel
    assert len(example.text) <= MAX_LETTERS
    assert bool(example.url) != example.source.startswith(("found", "made"))
    right = by_hand(looked.reading)
    for name, values in report.right.items():
        assert np.allclose(values, right[name], atol=1e-9), name
    wrong = tuple(name for name in report.verdicts if report.count(name, WRONG))
    assert wrong == example.wrong
    for name in set(report.verdicts) - set(wrong):
        for place, typed in report.pasted[name].cells.items():
            if graded.verdict(report, name, place) != FOLLOWS:
                value = right[name][place]
                assert abs(float(typed) - value) <= 0.006 * max(1, abs(value)), (name, place)


# ---------- the page ----------


def test_a_sheet_is_read_and_its_slip_is_named():
    """One paste: the matrices with words and line, their names at the text's lines, the verdict
    in words, the wrong cells marked, the first one opened."""
    at = app(PAGE, pasted=SLIP)
    assert not at.exception
    assert '<li data-line="4"><span><b class="ab-q">W_q</b>' in markup(at)
    assert 'data-line="4"><p><small>line 4 “W_q”' in markup(at)
    assert "α: your softmax runs down the columns. Z follows from your α." in said(at)
    (x,) = drawn(at, "x.")
    assert x["rows"] == ["cats", "drink", "milk"]
    assert numbers(x).tolist() == [[1, 0], [0, 2], [1, 1]]
    yours, right = drawn(at, "weights.")
    assert (yours["texts"][0], yours["marked"]) == ("0.07 ✗", "wrong")
    assert "marks" in yours and "marks" not in right
    followed, _ = drawn(at, "context.")
    assert all(text.endswith("↳") for text in followed["texts"]) and "marks" not in followed
    weights = run(parse(SLIP).setup()).value("weights")[0]
    assert np.allclose(numbers(right), weights.numpy(), atol=1e-6)
    assert "α[cats, cats]: 0.07 stands there, and 0.4011 comes out. It is wrong." in said(at)


def test_another_cell_is_opened_by_its_link():
    """The cell that the link names stands below with its terms; one that was not written gives way
    to the first wrong one."""
    at = app(PAGE, pasted=SLIP, checked="context.1", row=2, column=3)
    assert "z[drink, 3]: 8.40 stands there, and 3.8364 comes out. It follows from an" in said(at)
    assert "the sum of the products: 3 terms" in said(at)
    for bad in ("weights.9", "nothing.1", "masked.1"):
        assert "α[cats, cats]" in said(change(at, checked=bad, row=64, column=99))
    assert not at.exception


def test_what_is_open_is_answered_by_a_choice():
    """Each question stands with its answers in a select; an answer is in force with the next
    run, one that fits nothing is left alone."""
    text = (
        "X = [[1, 2], [3, 4]]\nWq = [[1, 1], [0, 1]]\nWk = [[1, 0], [2, 1]]\nWv = [[1, 0], [0, 2]]"
    )
    at = app(PAGE, pasted=text)
    (way,) = (sets for name, sets in options(at).items() if name.endswith("W X"))
    assert parse_answers(way["answers"][0]) == {"orientation": "W X"}
    given = ("", "orientation:W X", "bogus:1;heads:99")
    setups = [look(text, answers, Setup()).setup for answers in given]
    assert setups[0] != setups[1] and setups[0] == setups[2]
    assert (
        write_answers(parse_answers("heads:2;scale:none")) == "heads:2;scale:none"
        and parse_answers("no answer") == {}
    )
    assert options(at)["nothing"]["answers"] == ["scale:none"]
    assert look(text, "scale:none", Setup()).setup.scale == "none"


def test_what_has_no_name_is_asked_and_a_grid_takes_numbers():
    """A board with its question; what is typed into a grid stands in the link, with a text or
    without."""
    text = "Q = [[1, 0], [0, 1]]\nK = [[1, 0], [0, 1]]\nthe last one\n[[1, 2], [3, 4]]"
    at = app(PAGE, pasted=text)
    assert drawn(at, "line 4.") and "Open in the seven pages" not in links(at)
    assert "line_4:v" in options(at)["V"]["answers"]
    assert links(at)["Yes, V"]["answers"] == ["line_4:v"]
    assert "Open in the seven pages" in links(change(at, answers="line_4:v"))
    at = app(PAGE, open="grid")
    assert [each.label for each in at.number_input] == ["words", "d_model", "d_k", "d_v"]
    answers = links(at)["Take these numbers"]["answers"][0]
    assert parse_answers(answers)["cells_w_q"] == "0,0_0,0_0,0_0,0"
    at = app(PAGE, pasted=text.replace("[0, 1]", "[0, ?]", 1), answers="line_4:v", open="grid")
    assert not at.exception and "Line 1: Q has a cell that is no number: fill it in." in said(at)
    change(at, answers="line_4:v;cells_q:1,0_0,5")
    assert numbers(drawn(at, "q.")[0]).tolist() == [[1, 0], [0, 5]]
    assert not change(at, answers="cells_q:1,x_0").exception


def test_a_matrix_is_turned_by_itself_and_several_of_a_line_are_told_apart():
    """The link of a card turns its matrix and turns it back; two without a name in one line are two
    cards, and one press says yes to all guesses."""
    at = app(PAGE, pasted=SLIP)
    assert links(at)["transpose"]["answers"][0].startswith("turn_")
    turned = app(PAGE, pasted=SLIP, answers="turn_w_q:yes")
    assert numbers(drawn(turned, "w_q.")[0]).tolist() == [[1, 1], [0, 1]]
    assert links(turned)["transpose back"]["answers"] == [""]
    at = app(PAGE, pasted="[[1, 0], [0, 2]], then [[1, 2], [3, 4]], then [[0, 1], [1, 0]]")
    assert not at.exception
    (yes,) = (sets for name, sets in links(at).items() if name.startswith("Yes to all"))
    assert list(parse_answers(yes["answers"][0]).values())[:3] == ["x", "w_q", "w_k"]
    answered = change(at, answers="line_1:nothing;line_1.1:nothing")
    assert not answered.exception


def test_the_numbers_open_in_the_seven_pages():
    """The link sets the whole setup: its page has these numbers, with what was pasted still in the
    link."""
    setup, sets = opened(app(PAGE, pasted=SLIP, seed=7, mask="causal"))
    assert setup == parse(SLIP).setup() and setup.tokens == ("cats", "drink", "milk")
    at = app("pages/5_weights.py", **sets)
    assert not at.exception and panel(at)["says"]["words"] == ["cats", "drink", "milk"]
    assert look("scale: 8\n" + SLIP, "", Setup()).setup.temperature == 8


def test_a_solution_alone_is_checked_against_the_panel():
    """Only steps, nothing given: they are held against the setup that the panel shows, and what
    does not fit is told."""
    weights = run(Setup(heads=1)).value("weights")[0].tolist()
    rounded = [[round(share, 2) for share in row] for row in weights]
    at = app(PAGE, heads=1, pasted=f"alpha = {rounded}")
    assert "α is right." in said(at) and "against the setup in the panel" in said(at)
    assert "its own exponential divided by the row's sum" in said(at)
    assert "was expected; it is not checked" in said(app(PAGE, pasted="alpha = [[1, 0], [0, 1]]"))


GARBAGE = (
    "",
    "[[1, 2], [3]]",
    "<b>W_q</b> = [[1]]",
    "X = [[1, …, 2]]",
    "=" * 2000,
    "Q = 1 0\nK = 0 1; 1 0\nV = 1; 2\nα = 1 0",
    "x = [[1e308, 1]]\nalpha = [[nan]]",
    "* [link](x) **bold** = [[1]]",
    "file 0123456789abcdef",
    "Q = [[1, 0]]\nK = [[1, 0]]\nV = [[1]]\nα = [[-inf]]\nω = [[99999999]]",
    "X = " + str([[1] * 40] * 40)[:2400],
)


def test_any_text_gets_sentences_and_no_exception():
    """Garbage, markup and what is kept no longer: the page stands, in a lecture too."""
    for k, text in enumerate(GARBAGE):
        more = {"lecture": "on", "beat": 2} if k % 2 else {}
        at = app(PAGE, pasted=text, checked="weights.1", **more)
        assert not at.exception, (text, at.exception)


def test_a_text_that_is_too_long_for_a_link_is_not_read_half():
    """A link with too much says so; a file may hold more, and the way on only names it."""
    long = SLIP + "\n#" + " comment" * MAX_LETTERS
    assert "too long for a link" in said(app(PAGE, pasted=long))
    at = app(PAGE)
    at.file_uploader[0].upload("sheet.txt", long.encode(), "text/plain").run()
    (name,) = links(at)["Open in the seven pages"]["pasted"]
    assert files.find(name) == long
    assert "α: your softmax runs down the columns" in said(app(PAGE, pasted=name))
    at.file_uploader[0].upload("large.txt", b"1 " * 120_000, "text/plain").run()
    assert "larger than 200 kB" in said(at) and not at.exception


def test_a_file_in_utf16_is_read():
    """Windows' Notepad writes it; without the mark at its start, it is said how to save it."""
    at = app(PAGE)
    at.file_uploader[0].upload("marked.txt", SLIP.encode("utf-16"), "text/plain").run()
    assert "marked.txt is read." in said(at)
    at = app(PAGE)
    at.file_uploader[0].upload("bare.txt", SLIP.encode("utf-16-le"), "text/plain").run()
    assert "save it as UTF-8" in said(at) and not at.exception


def test_the_server_lets_the_largest_file_pass_that_is_read():
    """The number in the configuration leaves room for the largest file of tensors, and no more."""
    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
    assert config["server"]["maxUploadSize"] == archives.MAX_BYTES // 2**20 + 1


def test_share_offers_the_file_of_numbers_that_no_link_holds():
    """It says that the link only names them, and the file comes back as the same numbers; short
    ones are in the link."""
    random = np.random.default_rng(1)
    many = UserMatrices(**{name: random.normal(size=(30, 20)).round(6).tolist() for name in "qkv"})
    for given, offers in ((UserMatrices(q=[[1]], k=[[1]], v=[[1]]), False), (many, True)):
        setup, _ = Setup.nearest({"init": "given", "given": to_field_value(given)})
        at = app("pages/4_scores.py", init="given", given=setup.given, text=setup.text, share="on")
        assert not at.exception
        assert any("longer than a link" in each.value for each in at.caption) == offers
    back = read_file("attention.npz", make_npz(setup, "")).given()
    assert all(torch.equal(back.tensor(name), many.tensor(name)) for name in "qkv")


# ---------- several solutions ----------


def test_many_solutions_are_a_table_of_steps():
    """A table or several files: who made which slip, how many, nothing of a name outside the table,
    no formula in the export."""
    names = ["=cmd|' /C calc'!A0", "Ann", "-2+3", "<b>Ben</b>"]
    texts = [SLIP, SLIP.split("α")[0], "α = [[1, 2", "nothing"]
    own = [*zip(names, texts, strict=True)]
    table = "name,text\n" + "\n".join(f'"{name}","{text}"' for name, text in own)
    for given in ([("all.csv", table)], [(f"{name}.txt", text) for name, text in own]):
        assert [(one.name, one.text) for one in solutions.read(given)] == own
    too_long = 'name,text\n"' + "x" * 200_000
    assert solutions.read([("one.txt", SLIP)]) == solutions.read([("bad.csv", too_long)]) == []
    at = app(PAGE, pasted=SLIP)
    at.file_uploader[0].upload("all.csv", table.encode(), "text/csv").run()
    assert not at.exception
    assert "1 × α: your softmax runs down the columns" in said(at)
    assert not any("Ann" in str(value) for value in at.query_params.values())
    table = tables.frame({"name": [*names, "\t=1", " @x"], "α": ["right"] * 6})
    csv = tables.to_csv(table.map(escape_formula), index=False).decode()
    assert re.findall(r'^"?(?!name)(.)', csv, re.MULTILINE) == ["'", "A", "'", "<", "'", "'"]


def test_a_layer_from_a_file_opens_with_the_sentence_beside_it():
    """Tensors of a file and X from the text make one setup; a file that holds no tensors is a
    sentence."""
    file, w_k = io.BytesIO(), np.arange(6.0, dtype="float32").reshape(2, 3)
    np.savez(file, w_q=w_k - 1, w_k=w_k, w_v=w_k + 1)
    at = app(PAGE)
    at.file_uploader[0].upload("layer.npz", file.getvalue(), "application/octet-stream").run()
    assert not at.exception and "no sentence: bring X" in said(at)
    change(at, pasted="cat 1 0\ndog 0 2\nsat 3 1")
    setup, _ = opened(at)
    assert setup.tokens == ("cat", "dog", "sat")
    assert run(setup).value("w_k")[0].tolist() == w_k.tolist()
    np.savez(file := io.BytesIO(), w_q=w_k, w_k=w_k, w_v=w_k, scale=np.float32(4))
    at.file_uploader[0].upload("layer.npz", file.getvalue(), "application/octet-stream").run()
    change(at, answers="scale:4")
    assert opened(at)[0].numbers.divisor == 4
    at.file_uploader[0].upload("layer.pt", b"no tensors", "application/octet-stream").run()
    assert not at.exception and "no archive" in said(at)


# ---------- in a browser ----------


@pytest.mark.browser
def test_paste_read_open_and_cell(visit, tmp_path):
    """A student pastes a sheet: it is read at once, a wrong cell is opened by the keyboard, a
    dropped file counts, and the numbers open in the seven pages. That a file is too large is
    shown, and the others stay."""
    page = visit("bring")
    area = page.get_by_role("textbox", name="Matrices, and your solution")
    area.fill(SLIP)
    expect(page.get_by_text("α: your softmax runs down the columns")).to_be_visible()
    expect(page).to_have_url(re.compile("pasted="))
    page.wait_for_function(ANSWERED)
    board = page.locator(".st-key-board_checked_weights")
    expect(board.locator(".ab-wrong")).to_have_count(9)
    board.get_by_role("application").focus()
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    opened_cell = page.get_by_text("α[drink, drink]: 0.77 stands there")
    expect(opened_cell).to_be_visible()
    page.get_by_role("link", name="Open in the seven pages").click()
    expect(page.locator(".stMain h1").first).to_contain_text("Projection")
    page.go_back()
    expect(opened_cell).to_be_visible()
    area.evaluate(
        """(area) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text", "1 ".repeat(300_000));
            const of = { clipboardData, bubbles: true, cancelable: true };
            area.dispatchEvent(new ClipboardEvent("paste", of));
        }"""
    )
    expect(page.get_by_text("This text has 600 kB, and at most 200 kB are read")).to_be_visible()
    area.fill("# " + "long " * 1000 + "\n" + SLIP.replace("Z =", "output ="))
    area.blur()
    expect(page.get_by_text("pasted.txt is read.")).to_be_visible()
    sheet = tmp_path / "sheet.txt"
    sheet.write_text(SLIP, encoding="utf-8")
    client = page.context.new_cdp_session(page)
    place = page.locator(".stMain h1").first.bounding_box()
    at = {"x": place["x"] + 9, "y": place["y"] + 9}
    for kind in ("dragEnter", "dragOver", "drop"):
        dragged = {"items": [], "files": [str(sheet)], "dragOperationsMask": 1}
        client.send("Input.dispatchDragEvent", {"type": kind, **at, "data": dragged})
    expect(page.get_by_text("sheet.txt is read.")).to_be_visible()
    with (large := tmp_path / "large.npz").open("wb") as file:
        file.truncate(300 * 2**20)
    page.locator(".st-key-pasted_files input").set_input_files(large)
    why = page.get_by_text("File must be 8.0MB or smaller.")
    expect(why).to_be_visible()
    assert why.bounding_box()["width"] > 100  # for eyes too
    expect(page.get_by_text("sheet.txt is read.")).to_be_visible()


def test_attention_weights_alone_are_drawn():
    """One matrix, heads, or layers of heads that no panel's setup has are drawn with their words,
    with a map where there are several, in which a click chooses one; others are told."""
    weights = torch.softmax(torch.arange(54.0).sin().reshape(2, 3, 3, 3), dim=-1)
    for given, answers, title in (
        (weights[0, 0], "", "α, layer 1, head 1"),
        (weights[0], "head:1·3", "α, layer 1, head 3"),
        (weights, "head:2·2", "α, layer 2, head 2"),
    ):
        text = f'tokens = ["a", "cat", "sat"]\nattention = {given}'
        at = app(PAGE, pasted=text, answers=answers)
        assert not at.exception
        *maps, lines, matrix = boards(at)
        assert [len(each["matrices"]) for each in maps] == [given.numel() // 9] * (given.ndim > 2)
        assert lines["matrices"][0]["rows"] == ["a", "cat", "sat"]
        assert matrix["matrices"][0]["title"] == title
        assert "no numbers beneath" in said(at) and "expected" not in said(at)
    sets = maps[0]["chooses"]["by_matrix"]["2·3"]
    assert sets == {"answers": "head:2·3"}
    at = app(PAGE, pasted=f'tokens = ["a", "cat", "sat"]\nattention = {9 * weights[0]}')
    assert "shares from 0 to 1" in said(at) and "3 × 6 × 6 was expected" in said(at)
