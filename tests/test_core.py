"""The small functions, where no other test holds them: positions, heads, spread, and the layers of
the code."""

import ast
import graphlib
import itertools
import math
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
import torch

from core import draws, embedding, heads, source, spread, weights
from core.notebooks import MISTAKES
from core.setup import Setup
from core.trace import run

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
    matrix = draws.xavier(draws.generator(1), 37, 41)
    bound = math.sqrt(6 / 78)
    assert 0.98 * bound < matrix.abs().max() <= bound


@pytest.mark.parametrize("init", draws.WEIGHTS)
def test_all_heads_at_once_are_drawn_as_one_by_one(init):
    """Each head's matrices have the numbers that a notebook draws for it, which draws one matrix
    after the other."""
    setup = Setup(init=init, heads=3, d_model=5, d_k=7, d_v=11, seed=13)
    drawn, source, weight = (
        draws.matrices(setup),
        draws.generator_of_weights(setup.seed, init),
        draws.WEIGHTS[init],
    )
    for head in range(3):
        for name, size in (("w_q", 7), ("w_k", 7), ("w_v", 11)):
            assert torch.equal(drawn[name][head], weight(source, size, 5).T)
    assert torch.equal(drawn["w_o"], weight(source, 33, setup.out_size))
    assert all(
        matrix.is_contiguous() for matrix in drawn.values()
    )  # as a product is fastest, and always rounded alike


def likeness(init: str) -> float:
    """The mean correlation of the embedding table with as many rows of W_q as drawn, over forty
    seeds."""
    found = []
    for seed in range(40):
        trace = run(Setup(init=init, seed=seed))
        table, w_q = (
            trace.value("embedding_table"),
            trace.value("w_q")[0].T[: len(trace.vocabulary)],
        )
        found.append(torch.corrcoef(torch.stack([table.flatten(), w_q.flatten()]))[0, 1].item())
    return sum(found) / len(found)


@pytest.mark.parametrize("init", ["normal", "xavier"])
def test_weights_have_nothing_to_do_with_the_table(init):
    """A query must not hold its word's own vector: W_q and the embedding table are drawn apart."""
    assert abs(likeness(init)) < 0.05


def test_uniform_weights_start_from_n4s_seed():
    """N4 sets one seed before the table and again before the weights: its digits need that, though
    it ties the two."""
    own = weights.attention(Setup())
    assert torch.equal(own["w_q"][0].T, torch.rand(24, 16, generator=draws.generator(123)))
    assert likeness("uniform") < -0.3


@pytest.mark.parametrize("init", ["uniform", "normal", "xavier"])
def test_the_spread_is_drawn_as_the_weights_are(init, monkeypatch):
    """Where the long draw is as long as the pages' own, its scores are the pages' scores."""
    monkeypatch.setattr(spread, "LARGEST", 8)
    monkeypatch.setattr(spread, "SIZES", (8,))
    setup = Setup(d_k=8, heads=1, init=init)
    trace = run(setup)
    (measured,) = spread.measure(setup, trace.value("x"))
    assert math.isclose(
        measured.standard_deviation, trace.value("scores").std(correction=0), rel_tol=1e-5
    )


@pytest.mark.parametrize("projections", ["learned", "none"])
def test_equal_words_have_no_spread(projections):
    """The same word five times, or one word: all scores are equal, and what rounding leaves is not
    reported as a law."""
    for text, has_none in (("a a a a a", True), ("Hi", True), ("a a a a b", False)):
        setup = Setup(text=text, projections=projections)
        measured = spread.measure(setup, run(setup).value("x"))
        assert {each.standard_deviation == 0.0 for each in measured} == {has_none}
        assert math.isnan(spread.growth(measured)) == has_none


@pytest.mark.parametrize(("init", "low", "high"), [("normal", 0.45, 0.55), ("uniform", 0.85, 1.05)])
def test_spread_grows_as_the_page_says(init, low, high):
    """About √d_k for weights of mean 0, nearly d_k for weights between 0 and 1, over several
    seeds."""
    powers = []
    for seed in range(8):
        setup = Setup(init=init, seed=seed)
        powers.append(spread.growth(spread.measure(setup, run(setup).value("x"))))
    assert low < sum(powers) / len(powers) < high


# What is built from whole traces; the steps below know nothing of them.
ABOVE_THE_TRACE = """
record model trace reference block encoder batch classifier notebooks shuffle compare training
lessons classification trained weights film roles export exercises makers predictions jobs purpose
switched_off tasks next_word filling attribution induction cache question slips laid_out grading
comparing
"""


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
    """core knows nothing of how it is shown; the steps know nothing of the trace; no page imports a
    page."""
    for path in (ROOT / "core").rglob("*.py"):
        names = imports(path)
        part = path.relative_to(ROOT / "core").with_suffix("").parts[0]
        others = {"streamlit", "altair", "pandas", "numpy", "pages"}
        if path.name == "record.py":  # it hands out frames, and imports pandas where it does
            others -= {"pandas"}
        assert not others & {n.split(".")[0] for n in names}, path
        if not {part, path.stem} & set(ABOVE_THE_TRACE.split()):
            assert not any(
                n.startswith(("core.trace", "core.record", "core.model")) for n in names
            ), path
        if part != "notebooks":  # they stand on top of all else
            assert not any(n.startswith("core.notebooks") for n in names), path
    for path in (ROOT / "pages").glob("*.py"):
        assert not any(
            n.startswith("pages.") and not n.startswith("pages.shared") for n in imports(path)
        ), path
    shared = ROOT / "pages" / "shared"
    said = (
        *(shared / "said" / f"{name}.py" for name in ("words", "tables", "charts", "edits")),
        *(shared / "said/claims").glob("*.py"),
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
FOLDERS = ["link", "server", "said", "board", "panel", "browser", "frame", "parts", "room"]


def test_arrows_point_down():
    """What core and pages/shared are made of can be read from below to above: no folder needs one
    above it, no two files need each other, and no import hides inside a function but of pandas, and
    of the charts, which import Altair: both wait until they are needed."""
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
        folder = module.split(".")[2:3]
        used = {name.split(".")[2] for name in below[module] if name.startswith("pages.shared.")}
        assert all(FOLDERS.index(other) <= FOLDERS.index(*folder) for other in used), path
        functions = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.FunctionDef)]
        inner = [
            n
            for function in functions
            for n in ast.walk(function)
            if isinstance(n, ast.Import | ast.ImportFrom)
            and [alias.name for alias in n.names] not in (["pandas"], ["charts"])
        ]
        assert not inner, (path, inner[0].lineno)
    list(
        graphlib.TopologicalSorter(below).static_order()
    )  # raises where there is a circle, and names it


def test_the_inside_of_streamlit_is_in_one_file():
    """What Streamlit does not document is used in one file, and nothing of another library is
    assigned."""
    inside = ROOT / "pages/shared/server/inside.py"
    for path in (*(ROOT / "pages").rglob("*.py"), ROOT / "streamlit_app.py"):
        text = path.read_text(encoding="utf-8")
        private = re.findall(
            r"(?:from|import)"
            r" streamlit\.(?!testing)|get_script_run_ctx|\bst\._|_active_dg|\._enqueue",
            text,
        )
        assert (path == inside) or not private, (path, private)
    for path in (ROOT / "pages").rglob("*.js"):
        assert not re.search(
            r"history\.(push|replace)State *=", path.read_text(encoding="utf-8")
        ), path


def test_the_readmes_trees_are_true():
    """README names every folder of pages/shared, core's every file and folder of core, and neither
    what is not there."""
    (tree,) = re.findall(
        r"  shared/\n(.*?)\ntests/", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert re.findall(r"^    (\w+)/", tree, re.MULTILINE) == list(FOLDERS)
    assert {path.name for path in (ROOT / "pages/shared").iterdir() if path.is_dir()} - {
        "__pycache__"
    } == set(FOLDERS)
    (tree,) = re.findall(
        r"## Files.*?```\n(.*?)```",
        (ROOT / "core/README.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    found = {
        path.name + "/" * path.is_dir()
        for path in (ROOT / "core").iterdir()
        if path.is_dir() or path.suffix == ".py"
    }
    assert set(re.findall(r"\w+(?:\.py\b|/)", tree)) == found - {"__init__.py", "__pycache__/"}


def test_the_readme_is_short():
    """A newcomer reads it in one sitting, and what the READMEs link to is there."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) < 1000
    folders = (".", "core", "pages", "tests", "pages/shared/frame/lecture")
    for file in (f"{folder}/README.md" for folder in folders):
        text = (ROOT / file).read_text(encoding="utf-8")
        for link in re.findall(r"\]\((?!http)([^)#]+)\)", text):
            assert (ROOT / file).parent.joinpath(link).exists(), (file, link)


def test_core_is_a_library_too(tmp_path):
    """Installed, it can be imported from any folder under the project's name, with torch alone
    beside it."""
    code = (
        "import sys; from attention_explorer import notebooks; from attention_explorer.setup import"
        " Setup; from attention_explorer.trace import run; trace = run(Setup(d_model=5, d_k=3));"
        " print(trace.value('scores').sum().item(), len(notebooks.MISTAKES), 'streamlit' in"
        " sys.modules)"
    )
    command = [sys.executable, "-I", "-c", code]
    said = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout.split()
    assert said == [
        str(run(Setup(d_model=5, d_k=3)).value("scores").sum().item()),
        str(len(MISTAKES)),
        "False",
    ]


def test_top_level_is_fixed():
    """Nothing but what is agreed stands at the top."""
    agreed = {
        *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff"),
        *("streamlit_app.py", "pages", "core", "tests", "assets"),
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
        patched.setattr(source.ast, "parse", slow)
        list(threads.map(source.parse, "abcd"))
    assert most == [1, 1, 1, 1]
