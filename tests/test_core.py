"""The small functions, where no other test holds them: positions, heads, spread, and the layers of
the code."""

import ast
import graphlib
import itertools
import math
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
import torch

import core
from core import Setup, run
from core.analysis import std
from core.export import code_listing
from core.notebooks import MISTAKES
from core.ops import embedding, heads
from core.training import init
from core.weights import weights
from pages.shared.link.pages import PAGES

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("d_model", [3, 6, 64])
def test_sinusoidal_positions_are_exact(d_model):
    """Every cell is the paper's formula in double precision, rounded once: no exponent in single
    precision."""
    waves = embedding.sinusoidal(32, d_model)
    for position, column in itertools.product(range(32), range(d_model)):
        angle = position / 10000 ** (2 * (column // 2) / d_model)
        exact = math.sin(angle) if column % 2 == 0 else math.cos(angle)
        assert abs(waves[position, column].item() - exact) <= 2**-25, (position, column)


def test_split_undoes_concatenate():
    """Cutting what was put side by side gives the heads back, with prime sizes and a batch axis
    too."""
    context = torch.arange(2 * 3 * 5 * 7.0).reshape(2, 3, 5, 7)
    wide = heads.concatenate(context)
    assert wide.shape == (2, 5, 21)
    assert wide[1, 4, 2 * 7 + 6] == context[1, 2, 4, 6]
    assert torch.equal(heads.split(wide, 3), context)


def test_contributions_add_up_to_the_output():
    """The sum over heads of context_h times its rows of W_o is the output."""
    trace = run(Setup(d_model=5, d_k=3, d_v=7, heads=11))
    parts = heads.contributions(trace.value("context"), trace.value("w_o"))
    assert torch.allclose(parts.sum(dim=0), trace.value("output"), rtol=1e-4, atol=1e-4)


def test_xavier_keeps_its_bound():
    """Glorot's bound is reached and not passed."""
    matrix = init.xavier(init.generator(1), 37, 41)
    bound = math.sqrt(6 / 78)
    assert 0.98 * bound < matrix.abs().max() <= bound


@pytest.mark.parametrize("initialisation", init.WEIGHTS)
def test_all_heads_at_once_are_drawn_as_one_by_one(initialisation):
    """Each head's matrices have the numbers that a notebook draws for it, which draws one matrix
    after the other."""
    setup = Setup(init=initialisation, heads=3, d_model=5, d_k=7, d_v=11, seed=13)
    drawn, source, weight = (
        init.matrices(setup),
        init.generator_of_weights(setup.seed, initialisation),
        init.WEIGHTS[initialisation],
    )
    for head in range(3):
        for name, size in (("w_q", 7), ("w_k", 7), ("w_v", 11)):
            assert torch.equal(drawn[name][head], weight(source, size, 5).T)
    assert torch.equal(drawn["w_o"], weight(source, 33, setup.out_size))
    assert all(
        matrix.is_contiguous() for matrix in drawn.values()
    )  # as a product is fastest, and always rounded alike


def likeness(initialisation: str) -> float:
    """The mean correlation of the embedding table with as many rows of W_q as drawn, over forty
    seeds."""
    found = []
    for seed in range(40):
        trace = run(Setup(init=initialisation, seed=seed))
        table, w_q = (
            trace.value("embedding_table"),
            trace.value("w_q")[0].T[: len(trace.vocabulary)],
        )
        found.append(torch.corrcoef(torch.stack([table.flatten(), w_q.flatten()]))[0, 1].item())
    return sum(found) / len(found)


@pytest.mark.parametrize("initialisation", ["normal", "xavier"])
def test_weights_have_nothing_to_do_with_the_table(initialisation):
    """A query must not hold its word's own vector: W_q and the embedding table are drawn apart."""
    assert abs(likeness(initialisation)) < 0.05


def test_uniform_weights_start_from_n4s_seed():
    """N4 sets one seed before the table and again before the weights: its digits need that, though
    it ties the two."""
    own = weights.attention(Setup())
    assert torch.equal(own["w_q"][0].T, torch.rand(24, 16, generator=init.generator(123)))
    assert likeness("uniform") < -0.3


@pytest.mark.parametrize("initialisation", ["uniform", "normal", "xavier"])
def test_the_spread_is_drawn_as_the_weights_are(initialisation, monkeypatch):
    """Where the long draw is as long as the pages' own, its scores are the pages' scores."""
    monkeypatch.setattr(std, "LARGEST", 8)
    monkeypatch.setattr(std, "SIZES", (8,))
    setup = Setup(d_k=8, heads=1, init=initialisation)
    trace = run(setup)
    (measured,) = std.measure(setup, trace.value("x"))
    assert math.isclose(
        measured.standard_deviation, trace.value("scores").std(correction=0), rel_tol=1e-5
    )


@pytest.mark.parametrize("projections", ["learned", "none"])
def test_equal_words_have_no_spread(projections):
    """The same word five times, or one word: all scores are equal, and what rounding leaves is not
    reported as a law."""
    for text, has_none in (("a a a a a", True), ("Hi", True), ("a a a a b", False)):
        setup = Setup(text=text, projections=projections)
        measured = std.measure(setup, run(setup).value("x"))
        assert {each.standard_deviation == 0.0 for each in measured} == {has_none}
        assert math.isnan(std.fit_exponent(measured)) == has_none


@pytest.mark.parametrize(
    ("initialisation", "low", "high"), [("normal", 0.45, 0.55), ("uniform", 0.85, 1.05)]
)
def test_spread_grows_as_the_page_says(initialisation, low, high):
    """About √d_k for weights of mean 0, nearly d_k for weights between 0 and 1, over several
    seeds."""
    powers = []
    for seed in range(8):
        setup = Setup(init=initialisation, seed=seed)
        powers.append(std.fit_exponent(std.measure(setup, run(setup).value("x"))))
    assert low < sum(powers) / len(powers) < high


# Of core, from below to above.
PACKAGES = [
    "text",
    "ops",
    "fields",
    "pretrained",
    "setup",
    "trace",
    "reference",
    "layers",
    "training",
    "weights",
    "forward",
    "analysis",
    "export",
    "importing",
    "grading",
    "quiz",
    "board",
    "library",
    "notebooks",
]


@cache
def parsed(path: Path) -> ast.Module:
    """A file's syntax."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> set[str]:
    """The modules that a file imports and the names it takes from them, with their full names."""
    found, package = set(), path.relative_to(ROOT).parent.parts
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*above, *filter(None, [node.module])))
            found |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return found


def test_dependencies_go_one_way():
    """core knows nothing of how it is shown, and no page imports a page."""
    for path in (ROOT / "core").rglob("*.py"):
        names = imports(path)
        others = {"streamlit", "altair", "pandas", "numpy", "pages"}
        if path.name in ("record.py", "chart.py"):  # they import these where they hand them out
            others -= {"pandas", "altair"}
        if path.name == "archives.py":  # which reads NumPy's files
            others -= {"numpy"}
        assert not others & {n.split(".")[0] for n in names}, path
    for path in (ROOT / "pages").glob("*.py"):
        assert not any(
            n.startswith("pages.") and not n.startswith("pages.shared") for n in imports(path)
        ), path
    shared = ROOT / "pages" / "shared"
    said = (
        *(shared / "text" / f"{name}.py" for name in ("words", "tables", "charts", "edits")),
        *(shared / "captions").glob("*.py"),
    )
    for path in (*said, *(shared / "link").glob("*.py")):
        assert "streamlit" not in imports(path), path
    for path in (ROOT / "pages").rglob("*.py"):
        if path != shared / "server" / "run.py":
            text = path.read_text(encoding="utf-8")
            assert "session_state" not in text, path
            assert "st.query_params" not in text, path
            assert "unsafe_allow_html" not in text, path


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


# Of pages/shared, from below to above.
FOLDERS = [
    "link",
    "server",
    "text",
    "captions",
    "board",
    "panel",
    "web",
    "lecture",
    "layout",
    "share",
    "page_components",
    "classroom",
]


def test_arrows_point_down():
    """What core and pages/shared are made of can be read from below to above: no folder needs one
    above it, no two files need each other, and no import hides inside a function but of pandas and
    Altair, and of the charts, which import it: they wait until they are needed."""
    files = {
        module_of(path): path
        for path in (*(ROOT / "core").rglob("*.py"), *(ROOT / "pages/shared").rglob("*.py"))
    }
    below: dict[str, set[str]] = {}
    for module, path in files.items():
        below[module] = {
            name
            for name in imports(path)
            if name in files and name != module and not module.startswith(name)
        }
        for top, folders in (("core.", PACKAGES), ("pages.shared.", FOLDERS)):
            places = [
                folders.index(name.removeprefix(top).split(".")[0])
                for name in (module, *below[module])
                if name.startswith(top)
            ]
            assert not module.startswith(top) or places[0] == max(places), path
        functions = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.FunctionDef)]
        inner = [
            n
            for function in functions
            for n in ast.walk(function)
            if isinstance(n, ast.Import | ast.ImportFrom)
            and [alias.name for alias in n.names] not in (["pandas"], ["altair"], ["charts"])
        ]
        assert not inner, (path, inner[0].lineno)
    list(
        graphlib.TopologicalSorter(below).static_order()
    )  # raises where there is a circle, and names it


# The folders of scripts, from below to above; main.js begins them all.
SCRIPTS = [
    "core/board/web",
    *(
        f"pages/shared/web{folder}"
        for folder in ("/base", "/questions", "", "/panel", "/share", "/lecture", "/classroom")
    ),
]


def test_arrows_of_scripts_point_down():
    """A script needs none of a folder above its own."""

    def place(path: Path) -> int:
        folder = path.parent.relative_to(ROOT).as_posix()
        inside = [each for each in SCRIPTS if f"{folder}/".startswith(f"{each}/")]
        return SCRIPTS.index(max(inside, key=len))

    scripts = {file for folder in ("core", "pages") for file in (ROOT / folder).rglob("*.js")}
    for path in scripts - {ROOT / "pages/shared/web/main.js"}:
        for other in re.findall(r'from "(\..*?)"', path.read_text(encoding="utf-8")):
            assert place((path.parent / other).resolve()) <= place(path), (path, other)


def test_the_inside_of_streamlit_is_in_one_file():
    """What Streamlit does not document is used in one file, and nothing of another library is
    assigned."""
    inside = ROOT / "pages/shared/server/streamlit_internals.py"
    for path in (*(ROOT / "pages").rglob("*.py"), ROOT / "streamlit_app.py"):
        text = path.read_text(encoding="utf-8")
        private = re.findall(
            r"(?:from|import)"
            r" streamlit\.(?!testing)|get_script_run_ctx|\bst\._|_active_dg|\._enqueue",
            text,
        )
        assert (path == inside) or not private, (path, private)
    for path in (*(ROOT / "core").rglob("*.js"), *(ROOT / "pages").rglob("*.js")):
        assert not re.search(
            r"history\.(push|replace)State *=", path.read_text(encoding="utf-8")
        ), path


def test_the_readmes_trees_are_true():
    """CONTRIBUTING names every folder of pages/shared, core's README every package and its files,
    and neither what is not there."""
    (tree,) = re.findall(
        r"  shared/\n(.*?)\ntests/",
        (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert re.findall(r"^    (\w+)/", tree, re.MULTILINE) == list(FOLDERS)
    assert {path.name for path in (ROOT / "pages/shared").iterdir() if path.is_dir()} - {
        "__pycache__"
    } == set(FOLDERS)
    (tree,) = re.findall(
        r"## Packages.*?```\n(.*?)```",
        (ROOT / "core/README.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert re.findall(r"^(\w+)/", tree, re.MULTILINE) == PACKAGES
    assert {path.parent.name for path in (ROOT / "core").glob("*/__init__.py")} == {*PACKAGES}
    for package in PACKAGES:
        (named,) = re.findall(rf"^{package}/.*\n((?:    .*\n)*)", tree, re.MULTILINE)
        found = {
            path.name + "/" if path.is_dir() else path.stem
            for path in (ROOT / "core" / package).iterdir()
            if path.is_dir() or path.suffix == ".py"
        }
        assert {*named.split()} == found - {"__init__", "__pycache__/"}, package


def test_the_readme_is_short():
    """A newcomer reads it in one sitting, and what the READMEs link to is there."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) < 1000
    folders = (".", "core", "pages", "tests", "pages/shared/lecture")
    for file in ("CONTRIBUTING.md", *(f"{folder}/README.md" for folder in folders)):
        text = (ROOT / file).read_text(encoding="utf-8")
        for link in re.findall(r"\]\((?!http)([^)#]+)\)", text):
            assert (ROOT / file).parent.joinpath(link).exists(), (file, link)


def test_what_the_readmes_name_is_there():
    """Files that a README names exist; each page has its nearest tests, and what chooses among them
    is part of a test's name."""
    folders = (".", "core", "pages", "tests", "pages/shared/lecture")
    for named in ("CONTRIBUTING.md", *(f"{folder}/README.md" for folder in folders)):
        folder, text = Path(named).parent, (ROOT / named).read_text(encoding="utf-8")
        for file in re.findall(r"`([\w./]*/\w+\.(?:py|js|css|toml|md))`", text):
            beside = (ROOT / folder / file, ROOT / file, ROOT / "pages/shared" / file)
            assert any(path.exists() for path in beside), (folder, file)
    text = (ROOT / "tests/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z][\w ]+) \| (.*) \|$", text, re.MULTILINE)
    assert [title for title, _ in rows] == [page.title for page in PAGES]
    for file, words in re.findall(r"`(tests/test_\w+\.py)(?: -k (\S+|\".*?\"))?`", text):
        tests = re.findall(r"def test_(\w+)", (ROOT / file).read_text(encoding="utf-8"))
        for word in re.findall(r"\w+", words.replace(" or ", " ")):
            assert any(word in name for name in tests), (file, word)


# Of a wheel, beside torch and numpy alone.
ALONE = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in {"streamlit", "pandas", "altair", "redis", "segno", "safetensors", "tokenizers"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
sys.path.insert(0, sys.argv[1])
import attention_explorer as ae
from attention_explorer import notebooks

assert ae.__file__.startswith(sys.argv[1]), ae.__file__
trace = ae.run(ae.Setup(d_model=5, d_k=3))
assert "<script>" in trace["scores"]._repr_html_()
assert "<script>" in ae.attention(trace.value("weights"), trace.tokens)._repr_html_()
print(trace.value("scores").sum().item(), len(notebooks.MISTAKES), *dir(ae))
"""


def test_core_is_a_library_too(tmp_path):
    """A wheel gives it to any program under the project's name, with its boards, without a checkout
    or Streamlit, and nothing but torch and numpy beside it."""
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "core", tmp_path / "core", ignore=ignored)
    build = "from setuptools import build_meta; print(build_meta.build_wheel('.'))"
    own = {"cwd": tmp_path, "capture_output": True, "text": True}
    wheel = subprocess.run([sys.executable, "-c", build], check=True, **own).stdout.split()[-1]
    with zipfile.ZipFile(tmp_path / wheel) as file:
        file.extractall(tmp_path / "site")
    command = [sys.executable, "-I", "-c", ALONE, str(tmp_path / "site")]
    scores, mistakes, *names = subprocess.run(command, check=True, **own).stdout.split()
    assert float(scores) == run(Setup(d_model=5, d_k=3)).value("scores").sum().item()
    assert (int(mistakes), names) == (len(MISTAKES), core.__all__)
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"-{core.__version__}-" in wheel and f"\nversion: {core.__version__}\n" in cited


def test_top_level_is_fixed():
    """Nothing but what is agreed stands at the top."""
    agreed = {
        *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff"),
        *("CONTRIBUTING.md", "streamlit_app.py", "pages", "core", "tests", "assets"),
        *("environment.yml", "Dockerfile", "compose.yaml"),  # what hosts read
    }
    found = {
        p.name
        for p in ROOT.iterdir()
        if not p.name.startswith(".") and not p.name.endswith(".egg-info")
    }
    assert found - {"build", "__pycache__"} == agreed


def test_the_readmes_snippets_run():
    """What core's README shows is code that runs, and its comments are true."""
    text = (ROOT / "core" / "README.md").read_text(encoding="utf-8")
    named: dict[str, object] = {}
    for snippet in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(snippet, named)
    made = named["trace"]
    assert made["weights"].dims == ("head", "query", "key")
    terms = made["scores"].origin.open(made, (0, 1, 2)).terms
    assert math.isclose(
        sum(term.value for term in terms), made["scores"].value[0, 1, 2].item(), rel_tol=1e-5
    )
    assert named["encode"](Setup(layers=3))[2].value("weights").shape == (3, 6, 6)
    assert named["classify"](Setup(others="eat dessert")).trace.value(
        "log_probabilities"
    ).shape == (2, 2)


def test_code_is_parsed_by_one_thread_at_a_time(monkeypatch):
    """Whoever parses holds the others back: Python's parser has failed where two threads used it at
    once."""
    inside, most = [], []

    def slow(text):
        inside.append(text)
        most.append(len(inside))
        threading.Event().wait(0.01)  # another thread's turn
        inside.remove(text)

    with monkeypatch.context() as patched, ThreadPoolExecutor(max_workers=4) as threads:
        patched.setattr(code_listing.ast, "parse", slow)
        list(threads.map(code_listing.parse, "abcd"))
    assert most == [1, 1, 1, 1]
