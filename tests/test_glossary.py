"""The glossary: it explains every symbol of the formulas, and opens from every page without a
message to the server."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import torch
from helpers import address, app
from playwright.sync_api import expect

from pages.shared.layout.chrome import QUESTIONS
from pages.shared.link.pages import PAGES
from pages.shared.text.glossary import ENTRIES

NAMES = [name for entry in ENTRIES for name in entry["name"].split(", ")]
# What LaTeX writes in another way than the glossary.
WRITTEN = (
    (r"d_\\text\{model\}", " "),
    (r"\\textcolor\{[^}]*\}|\\text\{[^{}]*\}|\\scriptstyle[^}]*", " "),
    (r"\\log\s*p", "log p"),
    (r"log\\,softmax", "log softmax"),
    (r"\\hat\s*m", "m̂"),
    (r"\\hat\s*v", "v̂"),
    (r"K(_h)?\s*\^⊤", "Kᵀ"),
    (r"ω''", "ω″"),
    (r"ω\^\+", "ω⁺"),
    (r"ω'", "ω′"),
)
OF_LATEX = {"begin", "end", "gathered", "cases", "array", "max", "min", "sum", "ids"}
SYMBOL = re.compile(r"(?<!\\)\b(log p|log softmax|[^\W\d_]+[̄̂]?[′″⁺]?)(_(?:\w|\{[^{}]*\}))?")


def symbols(latex: str) -> set[tuple[str, str]]:
    """The symbols of a formula, each with its subscript, and the words that it writes upright."""
    for pattern, plain in WRITTEN:
        latex = re.sub(pattern, plain, latex)
    upright = {(word, "") for word in re.findall(r"\\mathrm\{(?:\\?,?)([a-z ]+)\}", latex)}
    latex = re.sub(r"\\mathrm\{[^{}]*\}", " ", latex)
    latex = re.sub(r"\\[a-zA-Z]+", " ", latex)
    found = {
        (base, (index or "").strip("_{}"))
        for base, index in SYMBOL.findall(latex)
        if base not in OF_LATEX
    }
    return upright | found


def test_weights_are_attention_weights_and_a_pair_is_query_and_key():
    """No sentence calls a matrix or its numbers weights, the pair by other words, or z and y alike
    a new vector. That a query asks is told once, where the three vectors are explained."""
    root = Path(__file__).parents[1]
    files = [*root.glob("pages/**/*.py"), *root.glob("pages/**/*.toml")]
    files += [root / "core/setup/choices.py", root / "core/setup/presets.py"]
    no_text = r'(?m)#.*$|(?s:^ *r?""".*?""")|"\n\s*f?"|\\\n'  # comments, docstrings, line ends
    written = "\n".join(re.sub(no_text, "", path.read_text()) for path in files)
    other = r"\b(?:trained|drawn|learned|[Tt]hese|own|No|Your) weights\b|[Aa] learned weight|"
    other += r"\b(?:words?|sentence|one) (?:that asks|that is asked|asks)\b|new vector"
    assert re.findall(other, written) == ["word asks"]  # the first beat of Projection


def test_a_name_is_explained_once():
    """No symbol or word has two entries, and each is one sentence of 25 words at most."""
    assert [name for name, count in Counter(NAMES).items() if count > 1] == []
    for entry in ENTRIES:
        says = entry["says"]
        assert len(says.split()) <= 25 and not re.search(r"[.?!] [A-Z]", says), entry


def test_the_glossary_opens_without_a_message(window_of):
    """From a page's end, where it stands once; it finds, keeps the arrow keys to itself, and leads
    to a page."""
    page = window_of("scores?d_k=2")
    acts = page.evaluate("document.documentElement.dataset.lastAct")
    link = page.locator("a[href$='#glossary']")
    expect(link).to_have_count(1)
    link.click()
    dialog = page.get_by_role("dialog", name="Words and symbols")
    expect(dialog.locator("dt")).to_have_count(len(ENTRIES))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert page.evaluate("document.documentElement.dataset.lastAct") == acts
    link.click()
    dialog.get_by_role("searchbox").fill("SHARE of its")
    expect(dialog.locator("dt:visible")).to_have_text(["α"])
    dialog.locator("div:visible").get_by_role("link", name="5 Weights").click()
    expect(page.locator("h1")).to_have_text(["5 · Weights"])
    expect(dialog).to_have_count(0)
    assert address(page).endswith("/weights?d_k=2")


def test_every_page_has_its_questions_once_in_one_place():
    """What learners ask at a step whatever the setup stands below the page's own questions, in one
    tab."""
    asked = tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))
    assert set(asked) <= {page.path for page in PAGES}
    for page in PAGES:
        text = "".join(each.value for each in app(page.file, open="questions").main.markdown)
        assert all(text.count(each["asks"]) == 1 for each in asked.get(page.path, ())), page.path


def test_what_is_said_of_view_and_transpose_holds():
    """With the heads first at once no error tells, and the first head is the first words' whole
    rows."""
    answers = [
        each["answer"]
        for each in tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))["heads"]
        if "view" in each["asks"]
    ]
    assert len(answers) == 1 and all(f"{name}(" in answers[0] for name in ("view", "transpose"))
    n, heads, d_k = 4, 2, 3
    rows = torch.arange(n * heads * d_k).view(n, heads * d_k)
    apart, at_once = rows.view(n, heads, d_k).transpose(0, 1), rows.view(heads, n, d_k)
    assert apart.equal(torch.stack(rows.split(d_k, 1))) and at_once.shape == apart.shape
    assert at_once[0].flatten().equal(rows[: n // heads].flatten())
    assert apart.transpose(0, 1).reshape(n, heads * d_k).equal(rows)
