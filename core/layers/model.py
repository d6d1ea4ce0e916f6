"""The one forward path from the words to the output, used by every page.

Each step is a function of entries by name (`TraceBuilder.apply` with a `Step` of `steps`), so a
trace knows how every tensor was computed.
"""

from torch import Tensor

from ..ops import embedding, norms
from ..ops.weight_names import Weights
from ..setup.setup import Setup
from ..trace.origin import Copy, PlaceInVocabulary
from ..trace.record import TraceBuilder
from . import steps

ROWS = steps.ROWS


def embed(
    setup: Setup,
    weights: Weights,
    record: TraceBuilder,
    ids: Tensor,
    is_word: Tensor | None = None,
    memory_ids: Tensor | None = None,
) -> Tensor:
    """Compute X (token, d_model) from ids (token,): rows of the table, and positions.

    For a batch, ids are (sentence, token), X is (sentence, token, d_model), and `is_word`
    (sentence, token) is False for padding, which has a row of the table but no position.
    `memory_ids` (memory,) are those of the second sentence in cross-attention, which becomes
    memory_x (memory, d_model). If the weights contain x or memory_x, these are used directly.
    """
    record.keep("ids", "i", ids, "token", PlaceInVocabulary() if is_word is None else None)
    if memory_ids is not None:
        record.keep("memory_ids", "i_M", memory_ids, "memory", PlaceInVocabulary(of_memory=True))
    if "x" in weights:
        if "memory_x" in weights:
            record.keep("memory_x", "M", weights["memory_x"], "memory d_model")
        return record.keep("x", "X", weights["x"], ROWS)
    record.keep("embedding_table", "E", weights["embedding_table"], "word d_model")
    x = _embed_tokens(setup, weights, record, is_word)
    if memory_ids is not None:
        _embed_memory(setup, weights, record)
    return x


def _embed_memory(setup: Setup, weights: Weights, record: TraceBuilder) -> None:
    """Embed the memory with the same table, its positions counted from its own first word."""
    rows = "memory d_model"
    embedded = record.apply(
        steps.EMBEDDED.named("memory_embedded", "E[i_M]", rows), "embedding_table", "memory_ids"
    )
    if not setup.adds_positions:
        record.keep("memory_x", "M", embedded, rows, Copy("memory_embedded"))
        return
    if setup.positions == "sinusoidal":
        size = {"tokens": len(embedded), "d_model": setup.d_model}
        record.apply(steps.POSITIONS.named("memory_positions", "P_M", rows), **size)
    else:
        record.keep("memory_positions", "P_M", weights["memory_positions"], rows)
    record.apply(steps.X.named("memory_x", "M", rows), "memory_embedded", "memory_positions")


def _embed_tokens(
    setup: Setup, weights: Weights, record: TraceBuilder, is_word: Tensor | None
) -> Tensor:
    """Embed the sentence, or all of a batch."""
    embedded = record.apply(steps.EMBEDDED, "embedding_table", "ids")
    parts: tuple[str, ...] = ("embedded",)
    if setup.turns and is_word is not None:  # each sentence counts from its own first word
        angles = record.apply(
            steps.ANGLES, tokens=embedded.shape[-2], size=setup.d_k, **setup.rotary
        )
        record.keep("angles", "θ", embedding.subtract_first_angle(angles, is_word), "token pair")
    if setup.adds_positions:
        _keep_positions(weights, record, is_word)
        parts = ("embedded", "positions")
    if "part" in weights:
        record.keep("part", "S", weights["part"].expand_as(embedded), ROWS)
        parts = (*parts, "part")
    if "gain_0" in weights:
        symbol = " + ".join(
            {"embedded": "E[ids]", "positions": "P", "part": "S"}[part] for part in parts
        )
        if len(parts) == 1:
            record.keep("summed", symbol, embedded, ROWS, Copy("embedded"))
        else:
            record.apply(steps.SUMMED.named("summed", symbol, ROWS), *parts)
        if "w_in" not in weights:
            return normalise(setup, weights, record, "x", "summed", "0")
        normalise(
            setup, weights, record, "narrow", "summed", "0"
        )  # the table is narrower than the model
        record.keep("w_in", "W_in", weights["w_in"], "width d_model")
        record.keep("b_in", "b_in", weights["b_in"], "d_model")
        return record.apply(steps.ENTERED, "narrow", "w_in", "b_in")
    return (
        record.keep("x", "X", embedded, ROWS, Copy("embedded"))
        if len(parts) == 1
        else record.apply(steps.X, *parts)
    )


def normalise(
    setup: Setup,
    weights: Weights,
    record: TraceBuilder,
    name: str,
    source: str,
    which: str,
    axes: str = steps.ROWS,
) -> Tensor:
    """Apply the setup's norm to an entry, (token, d_model), and record it as `name`; with gain and
    shift if the weights have them."""
    settings = {} if setup.epsilon == norms.EPSILON else {"epsilon": setup.epsilon}
    of_norm = tuple(f"{kind}_{which}" for kind in ("gain", "shift") if f"{kind}_{which}" in weights)
    for kind, symbol in zip(of_norm, ("γ", "β"), strict=False):
        record.keep(kind, f"{symbol}_{which}", weights[kind], "d_model")
    norm = steps.NORMS[setup.norm_kind, bool(of_norm)]
    return record.apply(norm.named(name, "norm", axes), source, *of_norm, **settings)


def _keep_positions(weights: Weights, record: TraceBuilder, is_word: Tensor | None) -> None:
    """Record the positions: (token, d_model), for a batch (sentence, token, d_model)."""
    if "positions" in weights:
        record.keep("positions", "P", weights["positions"], ROWS)
    else:
        tokens, d_model = record.value("embedded").shape[-2:]
        record.apply(steps.POSITIONS, tokens=tokens, d_model=d_model)
    if is_word is not None:  # each sentence counts from its own first word
        record.keep("positions", "P", embedding.place(record.value("positions"), is_word), ROWS)


def turn(setup: Setup, record: TraceBuilder, name: str, axes: str) -> None:
    """Apply rotary positions to queries or keys and record q_rotated or k_rotated. A batch without
    angles counts from the first position, padding included, since only distances matter. A memory
    counts from its own first word."""
    of_memory, source = "memory" in axes, f"{name}_normed" if record.has(f"{name}_normed") else name
    angles = "memory_angles" if of_memory else "angles"
    if not record.has(angles):
        tokens, size = record.value(source).shape[-2:]
        step = steps.ANGLES.named(angles, "θ_M", "memory pair") if of_memory else steps.ANGLES
        record.apply(step, tokens=tokens, size=size, **setup.rotary)
    record.apply(steps.ROTATED.named(f"{name}_rotated", f"{name.upper()}_r", axes), source, angles)


def attend(
    setup: Setup,
    weights: Weights,
    record: TraceBuilder,
    may_attend: Tensor,
    dropout_mask: Tensor | None = None,
    source: str = "x",
) -> Tensor:
    """Compute multi-head attention from the input to the output, recording each step.

    `source` names the input entry, (token, d_model), or (sentence, token, d_model) for a batch;
    `may_attend` is (query, key), for a batch (sentence, query, key). A `dropout_mask` enables
    dropout: the weights to keep, (head, query, key), for a batch (sentence, head, query, key).
    """
    project(setup, weights, record, source)
    weigh(setup, record, may_attend, dropout_mask)
    return mix_values(
        weights, record, "weights" if dropout_mask is None else "dropped", setup.group
    )


def enter(setup: Setup, weights: Weights, record: TraceBuilder) -> str:
    """Return the entry that is the seven steps' input: x, or normed_1 with pre-norm in a stack's
    layer. Layer 1 has no norm unless a real model does."""
    if setup.norm == "post" or (setup.layer == 1 and "gain_1" not in weights):
        return "x"
    normalise(setup, weights, record, "normed_1", "x", "1")
    return "normed_1"


def project(
    setup: Setup, weights: Weights, record: TraceBuilder, source: str = "x", names: str = "qkv"
) -> None:
    """Compute queries, keys and values, or those in `names`. If the weights contain q, k or v,
    these are used directly; without W_q, all three are the input. Keys and values come from the
    memory if there is one: Vaswani et al. 2017, section 3.2.3. Queries and keys are normed before
    rotation if the weights have gains for them."""
    learned, size = (
        {name: (f"w_{name}", f"b_{name}") for name in names if f"w_{name}" in weights},
        {"v": "d_v"},
    )
    head = {name: "head" if name == "q" else kv_head(setup.group) for name in names}
    for name, (w, _) in learned.items():
        record.keep(w, f"W_{name}", weights[w], f"{head[name]} d_model {size.get(name, 'd_k')}")
    if "distances" in weights:
        record.keep("distances", "D", weights["distances"], "distance head")
    for name, (_, b) in learned.items():
        if b in weights:
            record.keep(b, b, weights[b], f"{head[name]} {size.get(name, 'd_k')}")
    batch = record.value(source).shape[:-2]
    projected = steps.PROJECTED_BATCH if batch else steps.PROJECTED
    for name in names:
        asks = name == "q" or key_axis(record) == "token"
        step = projected if name in learned else steps.AS_IT_IS
        axes = f"{head[name]} {'token' if asks else 'memory'} {size.get(name, 'd_k')}"
        of = [each for each in learned.get(name, ()) if each in weights]
        if name in weights:
            record.keep(
                name, name.upper(), weights[name].expand(*batch, *weights[name].shape), axes
            )
        else:
            record.apply(step.named(name, name.upper(), axes), source if asks else "memory_x", *of)
        if f"gain_{name}" in weights:
            record.keep(f"gain_{name}", f"γ_{name}", weights[f"gain_{name}"], "d_k")
            norm = steps.NORMED_HEADS.named(f"{name}_normed", f"{name.upper()}_n", axes)
            record.apply(norm, name, f"gain_{name}", epsilon=setup.epsilon)
        if setup.turns and name != "v":
            turn(setup, record, name, axes)


def key_axis(record: TraceBuilder) -> str:
    """Return the token axis of keys and values: memory in cross-attention, else token."""
    return "memory" if record.has("memory_x") else "token"


def kv_head(group: int) -> str:
    """Return the first axis of keys and values: head, or kv_head if several heads share them."""
    return "head" if group == 1 else "kv_head"


def weigh(
    setup: Setup, record: TraceBuilder, may_attend: Tensor, dropout_mask: Tensor | None = None
) -> None:
    """Compute the weights from queries and keys, with dropout if there is a mask."""
    q, k = setup.compared
    symbol = {"k": "K", "k_normed": "K_n", "k_rotated": "K_r"}[k]
    record.apply(
        steps.K_T.named("k_t", f"{symbol}^⊤", f"{kv_head(setup.group)} d_k {key_axis(record)}"), k
    )
    record.apply(steps.SCORES.share_among(setup.group), q, "k_t")
    _scale(setup, record, q)
    seen = before_mask(setup, record)
    is_open = bool(may_attend.all())
    if is_open:
        record.keep("masked", "ω″", record.value(seen), steps.PAIRS, Copy(seen))
    else:
        record.apply(steps.MASKED, seen, may_attend=may_attend.unsqueeze(-3))
    everyone_looks = is_open or bool(may_attend.any(dim=-1).all())
    record.apply(steps.WEIGHTS if everyone_looks else steps.WEIGHTS_OR_ZEROS, "masked")
    if dropout_mask is not None:
        record.apply(steps.DROPPED, "weights", dropout_mask=dropout_mask, rate=setup.dropout)


def before_mask(setup: Setup, record: TraceBuilder) -> str:
    """Return the name of the entry to mask: the scaled scores, or the biased ones, with ALiBi or a
    real model's biases for distances."""
    biases, tokens = [], record.value("scaled").shape[-1]
    if setup.lowers_scores:
        biases.append("alibi")
        record.apply(steps.ALIBI, heads=setup.heads, tokens=tokens)
    if record.has("distances"):
        biases.append("relative")
        record.apply(steps.RELATIVE, "distances", tokens=tokens)
    if not biases:
        return "scaled"
    record.apply(steps.BIASED, "scaled", *biases)
    return "biased"


def _scale(setup: Setup, record: TraceBuilder, q: str) -> None:
    inputs = (q, "k_t") if setup.scale == "fourth-root" else ("scores",)
    size = {} if setup.scale == "none" else {"d_k": setup.d_k}
    record.apply(
        steps.SCALED[setup.scale].share_among(setup.group),
        *inputs,
        **size,
        temperature=setup.temperature,
    )


def mix_values(weights: Weights, record: TraceBuilder, used: str, group: int) -> Tensor:
    """Compute contexts and output: each query's sum of values weighted by the entry `used`."""
    record.apply(steps.CONTEXT.share_among(group), used, "v")
    concat = record.apply(steps.CONCAT, "context")
    if "w_o" not in weights:
        return record.keep("output", "Y", concat, "query out", Copy("concat"))
    record.keep("w_o", "W_o", weights["w_o"], "head·d_v out")
    if "b_o" not in weights:
        return record.apply(steps.OUTPUT, "concat", "w_o")
    record.keep("b_o", "b_o", weights["b_o"], "out")
    return record.apply(steps.OUTPUT, "concat", "w_o", "b_o")


def to_tuples(flags: Tensor) -> tuple:
    """Return a boolean tensor as nested, immutable tuples."""

    def frozen(nested: list, axes: int) -> tuple:
        return tuple(nested) if axes == 1 else tuple(frozen(part, axes - 1) for part in nested)

    return frozen(flags.tolist(), flags.ndim)
