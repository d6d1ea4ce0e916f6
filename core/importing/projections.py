"""The tensors of one attention, laid as X W has them, a matrix for each head. What their shapes
leave open is asked."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad

from ..fields.user_matrices import Matrix
from ..setup.constraints import MAX_GIVEN
from .keys import Tensors, heads_of
from .layout import MAX_HEADS, ORIENTATIONS, ROWS, STORED
from .names import QKV, WEIGHTS
from .questions import InvalidInput

IN_BLOCKS, BY_HEADS = "in blocks", "by heads"
NOT_THERE = "none of them"
_IN_BLOCKS_FOR_SURE = ("in_proj", "c_attn")  # PyTorch's and GPT-2's
_PARTS = {"qkv": WEIGHTS, "kv": WEIGHTS[1:]}
Ask = Callable[[str, str, Sequence[str], str | None], str]  # name, sentence, answers, default


class Projections:
    """Lays W_q, W_k, W_v and W_o with their biases, X, and Q, K and V as `AXES` has them.

    `rows` are X and the other sentence that stand beside the tensors, which may have to grow too;
    `ask` puts a question, and returns its answer, else the first that fits.
    """

    def __init__(self, tensors: Tensors, rows: dict[str, Matrix], ask: Ask) -> None:
        self.tensors, self.rows, self.ask = tensors, rows, ask
        self.parts: dict[str, Tensor] = {}
        self.said: dict[str, str] = {}  # what the file calls each of them
        self.messages: list[str] = []

    def lay(self) -> dict[str, Tensor]:
        """Return them by name. Raises InvalidInput with a sentence."""
        self._choose_output()
        for name in self.tensors:
            self._read(name)
        self._turn_conv1d()
        for letters in _PARTS:
            self._cut_joint(letters)
        self._turn_bare()
        self._split_heads()
        return self.parts

    # ---------- as they are stored ----------

    def _choose_output(self) -> None:
        """Decide which matrix is W_o; ask where several may be, or the name does not say it."""
        sure, maybe = self.tensors.get("w_o", []), self.tensors.get("maybe_w_o", [])
        paths = list(dict.fromkeys(one.path for one in sure or maybe))
        chosen = None  # all of them, which is one with its bias
        if len(paths) > 1 or (maybe and not sure):
            says = "Which matrix leads from the heads back (W_o)?"
            chosen = self.ask("w_o", says, [*paths, NOT_THERE], None)
        for name in ("w_o", "b_o"):
            unsure = self.tensors.pop(f"maybe_{name}", [])
            both = self.tensors.pop(name, []) + (unsure if chosen else [])
            if kept := [one for one in both if chosen in (None, one.path)]:
                self.tensors[name] = kept

    def _read(self, name: str) -> None:
        """Read the tensors of one name, those of a Linear, (out, in), turned; kernels of Keras are
        (in, head, size), and (head, size, out) on the way back."""
        heads = heads_of(self.tensors, name)
        self.said[name] = heads[0].key
        read = [one.stored.tensor() for one in heads]
        if name[0] == "b":
            self.parts[name] = torch.cat([one.flatten() for one in read])
            return
        if heads[0].kind == "weight":
            read = [one.mT for one in read]
        if name == "w_o":
            self.parts[name] = torch.cat([one.reshape(-1, one.shape[-1]) for one in read])
        elif heads[0].kind == "kernel" and read[0].dim() == 3:
            self.parts[name] = read[0].transpose(0, 1)
        elif len(read) == 1:
            self.parts[name] = read[0].squeeze(0) if read[0].dim() == 3 else read[0]
        else:
            self.parts[name] = torch.stack(read).flatten(0, -3)

    def _turn_conv1d(self) -> None:
        """Turn GPT-2's matrices, which its Conv1D stores as (in, out)."""
        joint = self.parts.get("w_qkv")
        if joint is not None and joint.shape[0] == 3 * joint.shape[1]:
            there = {"w_qkv", "w_o"} & self.parts.keys()
            self.parts |= {name: self.parts[name].T for name in there}

    # ---------- several in one matrix ----------

    def _cut_joint(self, letters: str) -> None:
        """Cut queries, keys and values out of the one matrix in which they stand, and their biases
        likewise."""
        joint, bias = self.parts.pop(f"w_{letters}", None), self.parts.pop(f"b_{letters}", None)
        biases = [name.replace("w", "b") for name in _PARTS[letters]]
        if joint is None:
            if bias is not None:  # PyTorch's, beside keys of another width
                self._keep(letters, biases, bias.chunk(3))
            return
        widths = self._widths(letters, joint)
        heads = self._heads(*widths)
        groups = heads["w_k"] if heads["w_q"] > 1 and self._stand_by_heads(letters) else 1
        for names, whole in ((_PARTS[letters], joint), (biases, bias)):
            if whole is not None:
                self._keep(letters, names, _cut(whole, widths[-len(names) :], groups))

    def _widths(self, letters: str, joint: Tensor) -> tuple[int, int, int]:
        """Return how many columns are queries, keys and values: those of W_q or as many as W_o has
        rows, else a third of all."""
        columns, w_q = joint.shape[-1], self.parts.get("w_q")
        q = self._rows_of_output() or columns // 3 if w_q is None else w_q.shape[-1]
        k = (columns if letters == "kv" else columns - q) // 2
        if k <= 0 or columns != 2 * k + (q if letters == "qkv" else 0):
            raise InvalidInput(
                f"{self.said[f'w_{letters}'][:60]} is {' × '.join(map(str, joint.shape))}, and"
                " queries, keys and values side by side were expected."
            )
        return q, k, k

    def _stand_by_heads(self, letters: str) -> bool:
        (joint,) = self.tensors[f"w_{letters}"]
        says = (
            f"How do they stand in {joint.key[:60]}: all queries, then all keys, then all values"
            " (in blocks); or those of the first head, then those of the next (by heads)?"
        )
        return (
            joint.path not in _IN_BLOCKS_FOR_SURE
            and self.ask("order", says, (IN_BLOCKS, BY_HEADS), None) == BY_HEADS
        )

    def _keep(self, letters: str, names: Sequence[str], parts: Sequence[Tensor]) -> None:
        self.parts |= dict(zip(names, parts, strict=True))
        self.said |= {name: self.said[f"{name[0]}_{letters}"] for name in names}

    # ---------- which way they lie ----------

    def _turn_bare(self) -> None:
        """Turn matrices whose names do not say which way they lie, where they fit so alone; where
        both ways fit it is asked."""
        bare = [name for name in (*WEIGHTS, "w_o") if name in self.parts and self._is_bare(name)]
        sides = [self.parts[name].shape for name in bare if name != "w_o"]
        if not sides:
            return
        width = self._width()
        ways = {how: {side[axis] for side in sides} for axis, how in enumerate((ROWS, STORED))}
        fit = [how for how, inner in ways.items() if inner == {width or min(inner)}] or [ROWS]
        how = fit[0]
        if len(fit) > 1:
            either = "; or ".join(ORIENTATIONS[way] for way in fit)
            says = f"Which way do the matrices lie? Either {either}."
            how = self.ask("orientation", says, fit, fit[0])
        if how == STORED:
            self.messages.append(f"Which way they lie: {ORIENTATIONS[STORED]}.")
            self.parts |= {name: self.parts[name].T for name in bare}

    def _is_bare(self, name: str) -> bool:
        """Return whether a matrix stands alone, neither a Linear's nor a kernel."""
        stored = self.tensors.get(name, [])
        return bool(stored) and not stored[0].kind and len(self.parts[name].shape) == 2

    def _width(self) -> int:
        """Return how many numbers a word has in X; 0 where there is none."""
        x = self.parts.get("x", self.rows["x"])
        return len(next(iter(x), ()))

    # ---------- heads ----------

    def _split_heads(self) -> None:
        """Put a matrix for each head in place of those in which heads stand side by side."""
        names = WEIGHTS if "w_q" in self.parts else QKV
        heads = dict.fromkeys(names, 1)
        if names == WEIGHTS and all(self.parts[name].dim() == 2 for name in names):
            self._even_out()
            heads = self._heads(*(self.parts[name].shape[1] for name in names))
        for name in names:
            part = self.parts[name]
            if part.dim() == 2:
                self.parts[name] = part.unflatten(1, (heads[name], -1)).transpose(0, 1)
            bias = name.replace("w", "b")
            if bias in self.parts and bias != name:
                self.parts[bias] = self.parts[bias].view(len(self.parts[name]), -1)

    def _rows_of_output(self) -> int:
        return self.parts["w_o"].shape[0] if "w_o" in self.parts else 0

    def _heads(self, q: int, k: int, v: int) -> dict[str, int]:
        """Return how many heads stand side by side in matrices so wide; keys and values may have
        fewer. It is asked wherever several numbers fit."""
        ways = ways_to_split(q, k, v, self._rows_of_output())
        if not ways:
            return dict.fromkeys(WEIGHTS, 1)
        alone = "w_o" not in self.parts and all(map(self._is_bare, WEIGHTS))
        default = next(iter(ways)) if alone or len(ways) == 1 else None
        return ways[self.ask("heads", "How many heads stand side by side?", list(ways), default)]

    def _even_out(self) -> None:
        """Make words of one length of those that queries, keys and values are made of."""
        widths = tuple(self.parts[name].shape[0] for name in WEIGHTS)
        if len(set(widths)) == 1:
            return
        if "x" in self.parts:
            raise InvalidInput(
                "The layer is made of words of two lengths, and one X stands in its file: bring"
                " the words beside it."
            )
        self.parts |= self._evened(*widths)

    def _evened(self, q: int, k: int, v: int) -> Mapping[str, Tensor]:
        """Return W_q, W_k and W_v for words as long as the longest, zeros behind the shorter ones;
        keys' and values' numbers stand side by side in the other sentence where they differ. No
        result changes by that."""
        other = k if k == v else k + v
        beside = "" if k == v else f", in each row those {k} for keys, then those {v} for values"
        memory = self.rows["memory_x"]
        if not memory or len(memory[0]) != other:
            raise InvalidInput(
                f"Queries are made of {q} numbers a word, keys of {k}, values of {v} (kdim, vdim):"
                f" bring the sentence that is asked as memory, {other} numbers a word{beside}."
            )
        wide = max(q, other)
        for name, rows in self.rows.items():
            self.rows[name] = tuple((*row, *("0",) * (wide - len(row))) for row in rows)
        self.messages.append(
            f"Words of {q} and of {other} numbers are made {wide} long by zeros, which change"
            f" nothing{beside}."
        )
        above = {"w_q": 0, "w_k": 0, "w_v": other - v}
        weights = {name: self.parts[name] for name in above}
        return {
            name: pad(w, (0, 0, above[name], wide - above[name] - len(w)))
            for name, w in weights.items()
        }


def _cut(whole: Tensor, widths: Sequence[int], groups: int) -> list[Tensor]:
    """Return the columns of each part, which stand in turn in each of so many groups.

    >>> [part.tolist() for part in _cut(torch.arange(6), (2, 2, 2), groups=2)]
    [[0, 3], [1, 4], [2, 5]]
    """
    in_turn = whole.unflatten(-1, (groups, -1)).split([width // groups for width in widths], dim=-1)
    return [part.flatten(-2) for part in in_turn]


def ways_to_split(q: int, k: int, v: int, inner: int) -> dict[str, dict[str, int]]:
    """Return in which ways matrices so wide may hold heads side by side: by their number, how many
    are in each. `inner` is how many rows W_o has; 0 where there is none.

    >>> ways_to_split(6, 3, 2, 4)
    {'2': {'w_q': 2, 'w_k': 1, 'w_v': 1}}
    """
    ways = {}
    for heads in (n for n in range(1, MAX_HEADS + 1) if q % n == 0 and k % (q // n) == 0):
        shared = k * heads // q
        if (
            heads % shared == 0
            and v % shared == 0
            and inner in (0, heads * v // shared)
            and q // heads <= MAX_GIVEN["d_k"]
        ):
            ways[str(heads)] = {"w_q": heads, "w_k": shared, "w_v": shared}
    return ways
