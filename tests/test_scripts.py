"""The browser's modules: what joins them, what TypeScript's checker and linter say of them, and
their pure functions."""

import re
from pathlib import Path

import pytest

from core.board.scripts import join_modules
from pages.shared.panel import constants
from pages.shared.web.scripts import SHARED
from tests.modules import deno


def write(folder, **files: str):
    """Files of these texts, by their names without the suffix. Returns the one called `entry`."""
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder / "entry.js"


def test_files_are_joined_below_what_they_need(tmp_path):
    """A name is declared above its use, whatever the order of the imports, and the words of import
    and export are gone."""
    entry = write(
        tmp_path,
        entry=(
            '// Begins.\n\nimport { high } from "./high.js";\nimport { low } from'
            ' "./low.js";\n\nexport default () => high(low);\n'
        ),
        high=(
            'import {\n  low,\n} from "./low.js";\nexport async function high(x) { return x +'
            " low; }\n"
        ),
        low="export const low = 1;\nlet own = 2;\n",
    )
    text = join_modules(entry)
    assert (
        text.index("const low") < text.index("async function high") < text.index("export default")
    )
    assert "import" not in text and text.count("export") == 1


LOW = "export const a = 1;\nconst b = 2;\n"
CANNOT = {
    "a circle": (
        'import { c } from "./low.js";\nexport const b = 1;',
        'import { b } from "./entry.js";\nexport const c = b;',
        r"\.js:1: files need each other",
    ),
    "a name that is not exported": (
        '// Begins.\nimport { a, b } from "./low.js";',
        LOW,
        r"entry\.js:2: low\.js exports no b",
    ),
    "a file that is not there": (
        'import { a } from "./gone.js";',
        LOW,
        r"entry\.js:1: there is no gone\.js",
    ),
    "a name declared twice": (
        'import { a } from "./low.js";\nfunction b() {}',
        LOW,
        r"low\.js:2: b is declared at entry\.js:2 too",
    ),
    "an import of another kind": ('\nimport a from "./low.js";', LOW, r"entry\.js:2: write import"),
    "a second default": (
        'import { a } from "./low.js";',
        f"{LOW}export default a;",
        r"low\.js:3: write import",
    ),
}


@pytest.mark.parametrize(("entry", "low", "told"), CANNOT.values(), ids=CANNOT.keys())
def test_what_cannot_be_joined_is_told_with_its_place(tmp_path, entry, low, told):
    """The app does not start with scripts that would not run: it says which line is to be
    mended."""
    with pytest.raises(ValueError, match=told):
        join_modules(write(tmp_path, entry=entry, low=low))


def test_the_modules_pass_checker_and_linter():
    """Every name is imported and used, and what crosses files has the type that is said of it.
    (Parameters without one are any.)"""
    folders = "pages/shared", "core/board"
    deno("check", "--config", "pages/shared/web/deno.json", "--no-remote", "--no-npm", *folders)
    deno("lint", "--rules-exclude=no-window,no-window-prefix,no-explicit-any", *folders)


def test_pure_functions_of_the_modules():
    """What needs no page is tested by `browser/*.test.js`, each with a sentence on what it
    protects."""
    deno("test", "--no-remote", "--no-npm", "--no-check", "browser", cwd=Path(__file__).parent)


def test_scripts_know_the_constants_by_the_names_that_are_sent():
    """What all visitors are sent has one name in Python and in JavaScript: of one that was not
    sent, a script would know nothing."""
    asked = {
        name
        for file in SHARED.rglob("*.js")
        for name in re.findall(r"\bconstants\.(\w+)", file.read_text("utf-8"))
    }
    assert {"defaults", "fields", "pages"} <= asked <= {*constants()}
