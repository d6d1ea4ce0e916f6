"""The browser's modules: what joins them, what TypeScript's checker and linter say of them, and their pure functions."""

import pytest

from pages.shared.browser.scripts import joined


def write(folder, **files: str):
    """Files of these texts, by their names without the suffix. Returns the one called `entry`."""
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder / "entry.js"


def test_files_are_joined_below_what_they_need(tmp_path):
    """A name is declared above its use, whatever the order of the imports, and the words of import and export are gone."""
    entry = write(
        tmp_path,
        entry='// Begins.\n\nimport { high } from "./high.js";\nimport { low } from "./low.js";\n\nexport default () => high(low);\n',
        high='import {\n  low,\n} from "./low.js";\nexport async function high(x) { return x + low; }\n',
        low="export const low = 1;\nlet own = 2;\n",
    )
    text = joined(entry)
    assert text.index("const low") < text.index("async function high") < text.index("export default")
    assert "import" not in text and text.count("export") == 1


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"entry": 'import { a } from "./a.js";', "a": '\nimport { b } from "./b.js";\nexport const a = 1;', "b": 'import { a } from "./a.js";\nexport const b = 1;'}, r"[ab]\.js:[12]: files need each other, .*a\.js"),
        ({"entry": '// Begins.\nimport { a, c } from "./a.js";', "a": "export const a = 1;\nconst c = 2;"}, r"entry\.js:2: a\.js exports no c"),
        ({"entry": 'import { a } from "./gone.js";'}, r"entry\.js:1: there is no gone\.js"),
        ({"entry": 'import { a } from "./a.js";\nfunction b() {}', "a": "export const a = 1;\nconst b = 2;"}, r"a\.js:2: b is declared at entry\.js:2 too"),
        ({"entry": '\nimport a from "./a.js";', "a": "export const a = 1;"}, r"entry\.js:2: write import"),
        ({"entry": 'import { a } from "./a.js";', "a": "export const a = 1;\nexport default a;"}, r"a\.js:2: write import"),
    ],
    ids=["a circle", "a name that is not exported", "a file that is not there", "a name declared twice", "another import", "a second default"],
)  # fmt: skip
def test_what_cannot_be_joined_is_told_with_its_place(tmp_path, files, told):
    """The app does not start with scripts that would not run: it says which line is to be mended."""
    with pytest.raises(ValueError, match=told):
        joined(write(tmp_path, **files))
