"""The scripts of a board, joined in the order of their imports.

A script is a module with `export` and `import { a, b } from "./file.js";`. What loads it loads one
module, so its imports are put above it and the import and export keywords are removed.
"""

import re
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

WEB = Path(__file__).with_name("web")
VIEWS = sorted((WEB / "views").glob("*.js"))  # they register themselves
_IMPORT = re.compile(r'^import \{([\w\s,]+)\} from "(\.[^"\n]+)";$', re.MULTILINE)
_DECLARED = re.compile(r"^(export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class _Module:
    imports: dict[tuple[Path, str], str]  # (file, name) → where it is imported
    declared: dict[str, str]  # each top-level name → where it is declared
    exported: set[str]
    body: str  # without import and export keywords


def join_modules(entry: Path, *others: Path, without: tuple[str, ...] = ()) -> str:
    """Return modules and everything they import as one script, each file after its imports, `entry`
    last. Of the files `without`, by the ends of their paths, each export is a function that does
    nothing.

    Raises ValueError with the location for a circular import, a missing name or a duplicate
    declaration.
    """
    modules: dict[Path, _Module] = {}
    waiting = [(file.resolve(), entry.name) for file in (*others, entry)]
    while waiting:
        file, place = waiting.pop()
        if not file.is_file():
            raise ValueError(f"{place}: there is no {file.name}")
        if file not in modules:
            modules[file] = _read(file, is_entry=not modules)
            if file.as_posix().endswith(without):
                modules[file] = _leave_out(modules[file])
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
                {file: [other for other, _ in module.imports] for file, module in modules.items()}
                | {entry.resolve(): [file for file in modules if file != entry.resolve()]}
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


def _leave_out(module: _Module) -> _Module:
    """Return a module whose exports do nothing."""
    empty = "\n".join(f"const {name} = () => null;" for name in sorted(module.exported))
    declared = {name: place for name, place in module.declared.items() if name in module.exported}
    return _Module({}, declared, module.exported, empty)


def _read(file: Path, is_entry: bool) -> _Module:
    """Return a parsed file. A component's entry module may have a default export, which stays."""
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
