"""The one forward path from the words to the output: what the pages explain is what ran here.

Each step is a function of entries by name (`Record.apply`), so a trace knows of every tensor what made it.
"""

from torch import Tensor

from . import attention, embedding, heads, norms
from .block_origin import Normalise, RootMeanSquare
from .names import Weights
from .origin import (
    Angle,
    Concat,
    Copy,
    Dropout,
    Lookup,
    Mask,
    Place,
    Product,
    Rotation,
    Scale,
    Sinusoid,
    Softmax,
    Sum,
    Transpose,
)  # fmt: skip
from .record import Record
from .setup import Setup

PAIRS = "head query key"


def embed(
    setup: Setup, weights: Weights, record: Record, ids: Tensor, is_word: Tensor | None = None, memory_ids: Tensor | None = None
) -> Tensor:
    """From ids (token,) to X (token, d_model): rows of the table, and positions. The one path of every page.

    For a batch ids are (sentence, token), X is (sentence, token, d_model), and `is_word` (sentence, token) says where
    words stand and where padding does. Padding has a row of the table like any word, and no position.
    `memory_ids` (memory,) are those of a sentence that is asked: it goes the same way, to memory_x (memory, d_model).
    """
    record.keep("ids", "i", ids, "token", Place() if is_word is None else None)
    if memory_ids is not None:
        record.keep("memory_ids", "i_M", memory_ids, "memory", Place(of_memory=True))
    record.keep("embedding_table", "E", weights["embedding_table"], "word d_model")
    x = _embed_tokens(setup, weights, record, is_word)
    if memory_ids is not None:
        _embed_memory(setup, weights, record)
    return x


def _embed_memory(setup: Setup, weights: Weights, record: Record) -> None:
    """The sentence that is asked: rows of the same table, and places counted from its own first word."""
    rows, lookup = "memory d_model", Lookup("embedding_table", "memory_ids")
    embedded = record.apply("memory_embedded", "E[i_M]", rows, lookup, embedding.embed, "embedding_table", "memory_ids")
    if setup.positions in ("none", "rotary"):
        record.keep("memory_x", "M", embedded, rows, Copy("memory_embedded"))
        return
    if setup.positions == "sinusoidal":
        _waves(setup, record, "memory_", "P_M", rows)
    else:
        record.keep("memory_positions", "P_M", weights["memory_positions"], rows)
    parts = ("memory_embedded", "memory_positions")
    record.apply("memory_x", "M", rows, Sum(parts), embedding.add_positions, *parts)


def _waves(setup: Setup, record: Record, of: str, symbol: str, rows: str) -> None:
    """Keep the paper's waves for as many places as there are ids."""
    size = {"tokens": record.value(f"{of}ids").shape[-1], "d_model": setup.d_model}
    record.apply(f"{of}positions", symbol, rows, Sinusoid(setup.d_model), embedding.sinusoidal, **size)


def _embed_tokens(setup: Setup, weights: Weights, record: Record, is_word: Tensor | None) -> Tensor:
    """The sentence, or all of a batch."""
    rows, lookup = "token d_model", Lookup("embedding_table", "ids")
    embedded = record.apply("embedded", "E[ids]", rows, lookup, embedding.embed, "embedding_table", "ids")
    parts: tuple[str, ...] = ("embedded",)
    if setup.turns and is_word is not None:  # each sentence counts from its own first word
        record.keep("angles", "θ", embedding.from_first_word(_angles(setup, record), is_word), "token pair")
    if setup.positions not in ("none", "rotary"):
        _keep_positions(setup, weights, record, is_word)
        parts = ("embedded", "positions")
    if "part" in weights:
        record.keep("part", "S", weights["part"].expand_as(embedded), rows)
        parts = (*parts, "part")
    if len(parts) == 1:
        return record.keep("x", "X", embedded, rows, Copy("embedded"))
    if "part" not in parts:
        return record.apply("x", "X", rows, Sum(parts), embedding.add_positions, *parts)
    symbol = "E[ids] + S" if setup.positions == "none" else "E[ids] + P + S"
    record.apply("summed", symbol, rows, Sum(parts), embedding.add_part, *parts)
    return normalise(setup, weights, record, "x", "summed", "0")


def normalise(setup: Setup, weights: Weights, record: Record, name: str, source: str, which: str) -> Tensor:
    """The setup's norm of an entry, (token, d_model), kept as `name`; with gain and shift where the weights have these."""
    settings = {} if setup.epsilon == norms.EPSILON else {"epsilon": setup.epsilon}
    if setup.norm_kind == "rms":
        divided = RootMeanSquare(source, setup.epsilon)
        return record.apply(name, "norm", "token d_model", divided, norms.rms_norm, source, **settings)
    of_norm = tuple(f"{kind}_{which}" for kind in ("gain", "shift") if f"{kind}_{which}" in weights)
    for kind, symbol in zip(of_norm, ("γ", "β"), strict=False):
        record.keep(kind, f"{symbol}_{which}", weights[kind], "d_model")
    function = norms.layer_norm_with_gain if of_norm else norms.layer_norm
    origin = Normalise(source, setup.epsilon, *of_norm)
    return record.apply(name, "norm", "token d_model", origin, function, source, *of_norm, **settings)


def _keep_positions(setup: Setup, weights: Weights, record: Record, is_word: Tensor | None) -> None:
    """Keep the row that says where each token stands: (token, d_model), for a batch (sentence, token, d_model)."""
    rows = "token d_model"
    if setup.positions == "sinusoidal":
        _waves(setup, record, "", "P", rows)
    else:
        record.keep("positions", "P", weights["positions"], rows)
    if is_word is not None:  # each sentence counts from its own first word
        record.keep("positions", "P", embedding.place(record.value("positions"), is_word), rows)


def _angles(setup: Setup, record: Record, source: str = "ids") -> Tensor:
    """Keep by how much each place turns each pair of a query and a key: (token, pair). `source` has a row for each place."""
    tokens = record.value(source).shape[-1 if source == "ids" else -2]
    return record.apply("angles", "θ", "token pair", Angle(setup.d_k), embedding.rotary_angles, tokens=tokens, size=setup.d_k)


def turn(setup: Setup, record: Record, name: str) -> None:
    """Queries or keys after rotary positions, kept as q_rotated or k_rotated. A batch that came without angles has each sentence
    count from the first place: only the distance of two places counts. A memory counts from its own first place."""
    axis = "token" if name == "q" else asked(record)
    angles = "memory_angles" if axis == "memory" else "angles"
    if axis == "memory":
        size = {"tokens": record.value("memory_ids").shape[-1], "size": setup.d_k}
        record.apply(angles, "θ_M", "memory pair", Angle(setup.d_k), embedding.rotary_angles, **size)
    elif not record.has(angles):
        _angles(setup, record, source=name)
    origin, axes = Rotation(name, angles), f"{'head' if name == 'q' else kv_head(setup)} {axis} d_k"
    record.apply(f"{name}_rotated", f"{name.upper()}_r", axes, origin, attention.rotate, name, angles)


def attend(
    setup: Setup, weights: Weights, record: Record, may_attend: Tensor, dropout_mask: Tensor | None = None, source: str = "x"
) -> Tensor:
    """Multi-head attention from the input to the output, each step kept: the one path of every page.

    `source` names the entry that goes in, (token, d_model), or (sentence, token, d_model) for a batch; `may_attend` is
    (query, key), for a batch (sentence, query, key). A `dropout_mask` switches dropout on: which weights it keeps, (head,
    query, key), for a batch (sentence, head, query, key).
    """
    project(setup, weights, record, source)
    weigh(setup, record, may_attend, dropout_mask)
    return mix_values(setup, weights, record, "weights" if dropout_mask is None else "dropped")


def enter(setup: Setup, weights: Weights, record: Record) -> str:
    """The name of what the seven steps take in: X, or X normed where a layer of a stack has a norm there. Those of the first layer
    begin without one, but for a model that was read."""
    if setup.norm == "post" or (setup.layer == 1 and "gain_1" not in weights):
        return "x"
    normalise(setup, weights, record, "normed_1", "x", "1")
    return "normed_1"


def project(setup: Setup, weights: Weights, record: Record, source: str = "x", names: str = "qkv") -> None:
    """The first step of `attend`: queries, keys and values, or those of them that are named. Keys and values are made of the memory
    where the record has one: Vaswani et al. 2017, section 3.2.3."""
    sizes = {name: "d_v" if name == "v" else "d_k" for name in names}
    kind = {name: "head" if name == "q" else kv_head(setup) for name in names}
    of = {name: source if name == "q" or asked(record) == "token" else "memory_x" for name in names}
    axis = {name: "token" if name == "q" else asked(record) for name in names}
    if setup.projections == "none":
        for name, size in sizes.items():
            record.apply(name, name.upper(), f"head {axis[name]} {size}", Copy(of[name]), heads.as_one_head, of[name])
            if setup.turns and name != "v":
                turn(setup, record, name)
        return
    biased = setup.bias == "on"
    for name, size in sizes.items():
        record.keep(f"w_{name}", f"W_{name}", weights[f"w_{name}"], f"{kind[name]} d_model {size}")
    for name, size in sizes.items() if biased else ():
        record.keep(f"b_{name}", f"b_{name}", weights[f"b_{name}"], f"{kind[name]} {size}")
    by_head = heads.project if record.value(source).ndim == 3 else attention.project
    for name, size in sizes.items():
        bias = (f"b_{name}",) if biased else ()
        origin, axes = Product(of[name], f"w_{name}", *bias), f"{kind[name]} {axis[name]} {size}"
        record.apply(name, name.upper(), axes, origin, by_head, of[name], f"w_{name}", *bias)
        if setup.turns and name != "v":
            turn(setup, record, name)


def asked(record: Record) -> str:
    """The axis of the tokens that keys and values belong to: memory, where the record has a sentence that is asked."""
    return "memory" if record.has("memory_x") else "token"


def kv_head(setup: Setup) -> str:
    """What the first axis of keys and values counts: heads, or those that several share."""
    return "head" if setup.group == 1 else "kv_head"


def weigh(setup: Setup, record: Record, may_attend: Tensor, dropout_mask: Tensor | None = None) -> None:
    """From queries and keys to the weights, and through dropout."""
    q, k, k_t = ("q_rotated", "k_rotated", "K_r^⊤") if setup.turns else ("q", "k", "K^⊤")
    record.apply("k_t", k_t, f"{kv_head(setup)} d_k {asked(record)}", Transpose(k), attention.transpose, k)
    multiply = attention.scores if setup.group == 1 else heads.scores_in_groups
    record.apply("scores", "ω", PAIRS, Product(q, "k_t", group=setup.group), multiply, q, "k_t")
    scaled = _scale(setup, record, q)
    is_open = bool(may_attend.all())
    if is_open:
        record.keep("masked", "ω″", scaled, PAIRS, Copy("scaled"))
    else:
        origin = Mask("scaled", may_attend)
        record.apply("masked", "ω″", PAIRS, origin, attention.mask, "scaled", may_attend=may_attend.unsqueeze(-3))
    everyone_looks = is_open or bool(may_attend.any(dim=-1).all())
    softmax = attention.softmax if everyone_looks else attention.softmax_or_zeros
    record.apply("weights", "α", PAIRS, Softmax("masked"), softmax, "masked")
    if dropout_mask is not None:
        _drop(setup, record, dropout_mask)


def mix_values(setup: Setup, weights: Weights, record: Record, used: str) -> Tensor:
    """The rest of attention, from the weights to the output: each query mixes the values by the weights that are `used`."""
    mix = attention.mix if setup.group == 1 else heads.mix_in_groups
    record.apply("context", "Z", "head query d_v", Product(used, "v", group=setup.group), mix, used, "v")
    return _combine(setup, weights, record)


def _scale(setup: Setup, record: Record, q: str) -> Tensor:
    d_k, temperature = setup.d_k, setup.temperature
    entry = ("scaled", "ω′", PAIRS)
    if setup.scale == "fourth-root":
        both = Product(q, "k_t", divisor=d_k**0.25, temperature=temperature, group=setup.group)
        divide = attention.scale_both_sides if setup.group == 1 else heads.scale_both_sides_in_groups
        return record.apply(*entry, both, divide, q, "k_t", d_k=d_k, temperature=temperature)
    if setup.scale == "none":
        return record.apply(*entry, Scale("scores", temperature), attention.temper, "scores", temperature=temperature)
    root = Scale("scores", d_k**0.5 * temperature)
    return record.apply(*entry, root, attention.scale, "scores", d_k=d_k, temperature=temperature)


def _drop(setup: Setup, record: Record, dropout_mask: Tensor) -> None:
    rate = setup.dropout
    origin = Dropout("weights", dropout_mask, rate)
    record.apply("dropped", "α, dropout", PAIRS, origin, attention.dropout, "weights", dropout_mask=dropout_mask, rate=rate)


def _combine(setup: Setup, weights: Weights, record: Record) -> Tensor:
    concat = record.apply("concat", "[Z_1…Z_h]", "query head·d_v", Concat("context", setup.d_v), heads.concatenate, "context")
    if setup.projections == "none":
        return record.keep("output", "Y", concat, "query out", Copy("concat"))
    record.keep("w_o", "W_o", weights["w_o"], "head·d_v out")
    bias = ("b_o",) if setup.bias == "on" else ()
    for name in bias:
        record.keep(name, name, weights[name], "out")
    origin = Product("concat", "w_o", *bias)
    return record.apply("output", "Y", "query out", origin, heads.combine, "concat", "w_o", *bias)


def as_tuples(flags: Tensor) -> tuple:
    """A tensor of True and False as nested tuples, which cannot be changed."""

    def frozen(nested: list, axes: int) -> tuple:
        return tuple(nested) if axes == 1 else tuple(frozen(part, axes - 1) for part in nested)

    return frozen(flags.tolist(), flags.ndim)
