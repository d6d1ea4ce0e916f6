"""What somebody brings in place of drawn weights: matrices as they were typed, in decimals, and
whether they fit together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import unquote

import torch
from torch import Tensor

from ..text.exact_decimals import normalize_number
from .nested import flat, is_even, shape

Row = tuple[str, ...]
Matrix = tuple[Row, ...]
Heads = tuple[Matrix, ...]

MAX_LETTERS = 4000  # of a link
AXES: dict[str, tuple[str, ...]] = {
    "x": ("token", "d_model"),
    "memory_x": ("memory", "d_model"),
    "table": ("word", "d_model"),
    "w_q": ("head", "d_model", "d_k"),
    "w_k": ("kv_head", "d_model", "d_k"),
    "w_v": ("kv_head", "d_model", "d_v"),
    "b_q": ("head", "d_k"),
    "b_k": ("kv_head", "d_k"),
    "b_v": ("kv_head", "d_v"),
    "q": ("head", "token", "d_k"),
    "k": ("kv_head", "key", "d_k"),
    "v": ("kv_head", "key", "d_v"),
    "w_o": ("head·d_v", "out"),
    "b_o": ("out",),
}
SCALES = ("sqrt", "none")
_SAFE = str.maketrans({"%": "%25", ",": "%2C", " ": "%20"})


@dataclass(frozen=True)
class UserMatrices:
    """What somebody brings: X (or a table of words) with its projections, or Q, K and V at once;
    all numbers as they were typed.

    Nested sequences of numbers or of their texts are taken, and kept as tuples of texts; one head's
    matrix stands for that one head. A word is a row, and X W is meant. Raises ValueError with a
    sentence where shapes do not fit. Shapes are those of `AXES`; without w_q, w_k and w_v the input
    is all three. `mask` is (token, key), True where a query may look; empty: all may. Scores are
    divided by √d_k ("sqrt"), by nothing ("none"), or by the number that `scale` is.

    >>> UserMatrices(x=[[1, 0], [0, "2.50"]]).x
    (('1', '0'), ('0', '2.50'))
    """

    x: Matrix = ()
    memory_x: Matrix = ()
    table: Matrix = ()
    words: tuple[str, ...] = ()
    w_q: Heads = ()
    w_k: Heads = ()
    w_v: Heads = ()
    b_q: Matrix = ()
    b_k: Matrix = ()
    b_v: Matrix = ()
    w_o: Matrix = ()
    b_o: Row = ()
    q: Heads = ()
    k: Heads = ()
    v: Heads = ()
    mask: tuple[tuple[bool, ...], ...] = ()
    scale: str = "sqrt"

    def __post_init__(self) -> None:
        for name, axes in AXES.items():
            object.__setattr__(self, name, _keep(name, getattr(self, name), len(axes)))
        object.__setattr__(self, "words", tuple(self.words))
        object.__setattr__(self, "mask", tuple(tuple(map(bool, row)) for row in self.mask))
        if self.scale not in SCALES:
            object.__setattr__(self, "scale", normalize_number(self.scale))
            if Decimal(self.scale) <= 0:
                raise ValueError(
                    f"Scores are divided by a number above 0, and {self.scale} is none."
                )
        self._check_parts()
        self._sizes()

    # ---------- what there is ----------

    @property
    def names(self) -> tuple[str, ...]:
        """The matrices that are given, by name."""
        return tuple(name for name in AXES if getattr(self, name))

    @property
    def projected(self) -> bool:
        """Whether Q, K and V themselves are given, so that nothing says what they were made of."""
        return bool(self.q)

    @property
    def asks_another(self) -> bool:
        """Whether keys and values are another sentence's: its rows are given, or Q, K and V where K
        has not as many rows as Q."""
        return bool(self.memory_x) or "memory" in self.sizes

    @property
    def sizes(self) -> dict[str, int]:
        """How long each axis is, by its name in `AXES`: what is given says it. `head·d_v` and `out`
        also where there is no W_o."""
        return self._sizes()

    @property
    def divisor(self) -> float:
        """What scores are divided by."""
        known = {"sqrt": self.sizes["d_k"] ** 0.5, "none": 1.0}
        return known.get(self.scale) or float(self.scale)

    def tensor(self, name: str, dtype: torch.dtype = torch.float32) -> Tensor:
        """Return a matrix that is given, of the axes in `AXES`; the mask is (token, key), True
        where a query may look."""
        if name == "mask":
            return torch.tensor(self.mask)
        kept = getattr(self, name)
        return torch.tensor(list(map(float, flat(kept))), dtype=dtype).reshape(shape(kept))

    def told_apart(self, matrix: str, tokens: Sequence[str], rows: dict[str, Row]) -> list[str]:
        """Return tokens for the rows of `x` or `memory_x`, so that equal ones have equal rows: one
        that would not gets its place as a number behind it. `rows` are those of the tokens so far,
        and take in these.

        >>> UserMatrices(x=[[1], [2], [1]]).told_apart("x", ["the", "the", "the"], {})
        ['the', 'the2', 'the']
        """
        told = []
        for place, (token, row) in enumerate(
            zip(tokens, getattr(self, matrix) or [()] * len(tokens), strict=True), start=1
        ):
            name, number = token, place
            while rows.setdefault(name, row) != row:
                name, number = f"{token}{number}", number + 1
            told.append(name)
        return told

    # ---------- as text ----------

    def to_text(self) -> str:
        """Return all of it in one line, for a link: each name and its numbers; `_` ends a row, `~`
        a head.

        >>> UserMatrices(x=[[1, 0], [0, "0.80"]], w_o=[[1], [2]], scale=3).to_text()
        'x 1,0_0,0.80 w_o 1_2 scale 3'
        """
        parts = [f"{name} {_join(getattr(self, name), len(AXES[name]))}" for name in self.names]
        if self.words:
            parts.append("words " + ",".join(word.translate(_SAFE) for word in self.words))
        if self.mask:
            parts.append("mask " + "_".join("".join("01"[may] for may in row) for row in self.mask))
        return " ".join(parts if self.scale == "sqrt" else [*parts, f"scale {self.scale}"])

    @classmethod
    def from_text(cls, text: str) -> "UserMatrices":
        """Return what a line says that `to_text` wrote. Raises ValueError with a sentence.

        >>> UserMatrices.from_text("x 1,0_0,0.80 scale 3").x
        (('1', '0'), ('0', '0.80'))
        """
        parts = text.split(" ")
        if len(parts) % 2:
            raise ValueError(
                "What is given is a name, then its numbers, with one space between: one of them is"
                " missing."
            )
        values: dict[str, Any] = {}
        for name, value in zip(parts[::2], parts[1::2], strict=True):
            if name in values:
                raise ValueError(f"{name} is given twice.")
            values[name] = numbers_of(name, value)
        return cls(**values)

    # ---------- whether it fits ----------

    def _check_parts(self) -> None:
        self._together("q", "k", "v")
        self._together("w_q", "w_k", "w_v")
        sources = [name for name in ("x", "table", "q") if getattr(self, name)]
        if not sources:
            raise ValueError("Nothing to start from: X is missing, or Q, K and V.")
        if len(sources) > 1:
            names = " and ".join(
                {"x": "X", "table": "a table", "q": "Q, K and V"}[name] for name in sources
            )
            raise ValueError(
                f"{names} are given: one of them has to go, since either alone says what the words'"
                " numbers are."
            )
        if self.projected and (self.w_q or self.memory_x):
            raise ValueError(
                "Q, K and V are given, and beside them what makes them: W_q, W_k, W_v or another"
                " sentence."
            )
        if len(self.words) != len(self.table):
            raise ValueError(
                f"The table has {len(self.table)} rows, and {len(self.words)} words are named for"
                " them."
            )
        if (
            len(set(self.words)) < len(self.words)
            or not all(self.words)
            or any(any(c.isspace() for c in w) for w in self.words)
        ):
            raise ValueError("The words of a table are single words, each named once.")
        for name in ("b_q", "b_k", "b_v", "b_o"):
            weight = name.replace("b", "w")
            if getattr(self, name) and not getattr(self, weight):
                raise ValueError(f"{name} is given without its {weight}.")

    def _together(self, *names: str) -> None:
        missing = [name for name in names if not getattr(self, name)]
        if 0 < len(missing) < len(names):
            there = [name for name in names if name not in missing]
            raise ValueError(
                f"{' and '.join(there)} {'is' if len(there) == 1 else 'are'} given, and"
                f" {' and '.join(missing)} missing."
            )

    def _sizes(self) -> dict[str, int]:
        sizes: dict[str, int] = {}
        said: dict[str, str] = {}

        def meet(axis: str, size: int, name: str) -> None:
            other = said.get(axis, self.names[0])
            if sizes.setdefault(axis, size) != size:
                raise ValueError(
                    f"{name} does not fit {other}: its {axis} is {size}, and {other} has"
                    f" {sizes[axis]}. {name} is ({', '.join(AXES.get(name, ('token', 'key')))})."
                )
            said.setdefault(axis, name)

        for name in self.names:
            if name == "w_o":
                self._derive(sizes)
                said.setdefault("head·d_v", "the heads side by side")
            for axis, size in zip(AXES[name], shape(getattr(self, name)), strict=True):
                meet(axis, size, name)
        self._derive(sizes)
        if sizes["head"] % sizes["kv_head"]:
            raise ValueError(
                f"{sizes['head']} heads of queries cannot share {sizes['kv_head']} heads of keys:"
                " it does not divide them."
            )
        sizes.setdefault("out", sizes["head·d_v"])
        if self.mask:
            if len({len(row) for row in self.mask}) > 1:
                raise ValueError("The rows of the mask are not of one length.")
            if "token" in sizes:  # of a table no sentence is known yet
                meet("token", len(self.mask), "mask")
                meet("key", len(self.mask[0]), "mask")
        return sizes

    def _derive(self, sizes: dict[str, int]) -> None:
        """Add the sizes that follow: without projections the input is Q, K and V; without a memory
        it is asked itself; other keys than queries are a memory's."""
        if not self.projected and not self.w_q:
            sizes |= {"head": 1, "kv_head": 1, "d_k": sizes["d_model"], "d_v": sizes["d_model"]}
        if not self.projected and "token" in sizes:
            sizes["key"] = sizes.get("memory", sizes["token"])
        if self.projected and sizes["key"] != sizes["token"]:
            sizes["memory"] = sizes["key"]
        sizes.setdefault("head·d_v", sizes["head"] * sizes["d_v"])


def _keep(name: str, value: Any, axes: int) -> Any:
    """Return nested tuples of texts, so many axes deep, every row of one length."""
    value = value.tolist() if isinstance(value, Tensor) else value
    depth = len(shape(value))
    if depth and depth == axes - 1 and AXES[name][0] in ("head", "kv_head"):
        value, depth = (value,), axes
    if depth not in (0, axes):
        raise ValueError(f"{name} has {depth} axes; it is ({', '.join(AXES[name])}).")
    kept = _normalize(name, value, axes)
    if kept and not is_even(kept):
        raise ValueError(f"The rows of {name} are not of one length.")
    return kept


def _normalize(name: str, value: Any, axes: int) -> Any:
    if not axes:
        return normalize_number(value)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{name} is ragged: a number stands where a row should.")
    return tuple(_normalize(name, part, axes - 1) for part in value)


def _join(kept: Any, axes: int) -> str:
    separator = {1: ",", 2: "_", 3: "~"}[axes]
    return separator.join(kept if axes == 1 else (_join(part, axes - 1) for part in kept))


def numbers_of(name: str, value: str) -> Any:
    """Return the numbers that a link holds of one name, as nested lists. Raises ValueError."""
    if name == "scale":
        return value
    if name == "words":
        return tuple(map(unquote, value.split(",")))
    if name == "mask":
        if set(value) - set("01_"):
            raise ValueError(
                "A mask in a link is rows of 1, where a query may look, and 0, with _ between."
            )
        return tuple(tuple(may == "1" for may in row) for row in value.split("_"))
    if name not in AXES:
        raise ValueError(f"“{name[:20]}” is none of {', '.join(AXES)}, words, mask, scale.")
    rows: list[Any] = [[row.split(",") for row in head.split("_")] for head in value.split("~")]
    for _ in range(3 - len(AXES[name])):
        if len(rows) > 1:
            raise ValueError(f"{name} has too many axes; it is ({', '.join(AXES[name])}).")
        rows = rows[0]
    return rows
