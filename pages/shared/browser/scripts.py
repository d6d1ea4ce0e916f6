"""The files that a browser loads: styles joined in the order below, and scripts joined in the order
that their imports ask for.

A script is a module, `export` before what others use and `import { a, b } from "./file.js";` at its
head. Streamlit loads a component's script as one module, so what a component's module imports is
put above it, and the words of import and export go.
"""

import re
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from pages.shared.said import roles

SHARED = Path(__file__).parents[1]
STYLES = (
    *(f"browser/{name}" for name in ("base", "page", "bar", "glossary", "code")),
    *(f"board/{name}" for name in ("marks", "sheet", "motion", "editing", "views", "next", "told")),
    *("browser/streamlit_page", "panel/panel", "frame/questions/questions", "room/room"),
    "browser/print",
)
_IMPORT = re.compile(r'^import \{([\w\s,]+)\} from "(\.[^"\n]+)";$', re.MULTILINE)
_DECLARED = re.compile(r"^(export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class _Module:
    imports: dict[tuple[Path, str], str]  # which name of which file, and where that is said
    declared: dict[str, str]  # each name at the top level, and where
    exported: set[str]
    body: str  # without the words of import and export


def script(name: str) -> str:
    """Return the script of a module, named by its path here without the suffix, with all that it
    imports."""
    return join_modules(SHARED / f"{name}.js")


def join_modules(entry: Path) -> str:
    """Return one script of a module and of all that it imports, each file below those that it
    needs.

    What cannot be joined raises a ValueError with its place: a circle, a name that is not there,
    one that is declared twice.
    """
    modules: dict[Path, _Module] = {}
    waiting = [(entry.resolve(), entry.name)]
    while waiting:
        file, place = waiting.pop()
        if not file.is_file():
            raise ValueError(f"{place}: there is no {file.name}")
        if file not in modules:
            modules[file] = _read(file, is_entry=not modules)
            waiting += [(other, place) for (other, _), place in modules[file].imports.items()]
    declared: dict[str, str] = {}
    for module in modules.values():
        for (other, name), place in module.imports.items():
            if name not in modules[other].exported:
                raise ValueError(f"{place}: {other.name} exports no {name}")
        for name, place in module.declared.items():
            if name in declared:
                raise ValueError(f"{place}: {name} is declared at {declared[name]} too")
            declared[name] = place
    try:
        order = [
            *TopologicalSorter(
                {file: [other for other, _ in modules[file].imports] for file in modules}
            ).static_order()
        ]
    except CycleError as circle:
        lower, upper, *_ = files = circle.args[1]
        place = next(
            place for (other, _), place in modules[upper].imports.items() if other == lower
        )
        raise ValueError(
            f"{place}: files need each other, {' < '.join(file.name for file in files)}"
        ) from None
    return "\n".join(modules[file].body for file in order)


def _read(file: Path, is_entry: bool) -> _Module:
    """Return a file as a module. The one that a component begins with may have a default export,
    which stays."""
    text = file.read_text(encoding="utf-8")

    def place(match: re.Match[str]) -> str:
        return f"{file.name}:{text.count(chr(10), 0, match.start()) + 1}"

    found = [*_IMPORT.finditer(text)]
    imports = {
        ((file.parent / match[2]).resolve(), name): place(match)
        for match in found
        for name in re.findall(r"\w+", match[1])
    }
    declared = [*_DECLARED.finditer(text)]
    exported = {match[2] for match in declared if match[1]}
    body = re.sub(
        r"^export (?=(async )?(function|class|const|let) )",
        "",
        _IMPORT.sub("", text),
        flags=re.MULTILINE,
    )
    known = {match.start() for match in (*found, *declared)}
    for match in re.finditer(r"^(?:import|export)\b( default\b)?", text, re.MULTILINE):
        if match.start() not in known and not (is_entry and match[1]):
            raise ValueError(
                f'{place(match)}: write import {{ a, b }} from "./file.js"; or export before what'
                " is declared"
            )
    return _Module(imports, {match[2]: place(match) for match in declared}, exported, body)


def styles() -> str:
    """Return all styles, for the whole page."""
    return "\n".join(
        (*((SHARED / f"{name}.css").read_text(encoding="utf-8") for name in STYLES), roles.styles())
    )
