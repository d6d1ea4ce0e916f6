"""The prose about the notebooks: one TOML file for each notebook, loaded once and validated."""

import tomllib
from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OF_A_SYSTEM = {"title", "builds"}
OF_A_MISTAKE = {"title", "written", "invariant", "unnoticed", "repair"}


@dataclass(frozen=True)
class Prose:
    """One notebook's prose: what it builds, and by key the texts of its systems and mistakes.

    The texts have the names of the fields, so that `System(**texts, …)` accepts them.
    """

    notebook: str
    builds: str
    systems: Mapping[str, Mapping[str, Any]]
    mistakes: Mapping[str, Mapping[str, Any]]


def read(notebook: str) -> Prose:
    """Return the prose of one notebook, such as N4, from its file. Raises ValueError as `parse`
    does."""
    path = Path(__file__).with_name(f"{notebook.lower()}.toml")
    return parse(notebook, path.read_text(encoding="utf-8"))


def parse(notebook: str, toml: str) -> Prose:
    """Return the prose in a TOML file's text.

    Raises:
        ValueError: it is not TOML, or a text is missing, unknown or empty; names the notebook or
        mistake, and the text.
    """
    document = tomllib.loads(toml)
    _require_texts(notebook, document)
    _require_names(notebook, document, {"builds", "systems"}, {"mistakes"})
    systems, mistakes = document["systems"], document.get("mistakes", {})
    for key, texts in systems.items():
        _require_names(f"{notebook}, {key}", texts, OF_A_SYSTEM)
    for key, texts in mistakes.items():
        _require_names(key, texts, OF_A_MISTAKE, {"alone"})
    return Prose(
        notebook,
        document["builds"],
        {key: {"notebook": notebook} | texts for key, texts in systems.items()},
        {key: {"key": key, "notebook": notebook} | texts for key, texts in mistakes.items()},
    )


def _require_texts(where: str, texts: Mapping[str, Any]) -> None:
    for name, value in texts.items():
        if isinstance(value, dict):
            _require_texts(f"{where}, {name}", value)
        elif not isinstance(value, str) or not value.strip():
            raise ValueError(f"{where}, {name}: expected a text, found {value!r}")


def _require_names(
    where: str, texts: Mapping[str, Any], needed: set[str], optional: Set[str] = frozenset()
) -> None:
    if missing := needed - texts.keys():
        raise ValueError(f"{where}: {', '.join(sorted(missing))} is missing")
    if unknown := texts.keys() - needed - optional:
        raise ValueError(f"{where}: {', '.join(sorted(unknown))} is unknown")
