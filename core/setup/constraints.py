"""Dependencies between fields: values that a choice determines, and conflicts."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from .. import pretrained
from ..fields import matrices_field as given
from ..fields.fields import DefaultOption
from ..fields.sentences import MAX_PIECES, MAX_TOKENS, read_ids, write_ids
from ..text import text

DRAWN_INSTEAD = " Drawn matrices are shown instead."
MAX_GIVEN = dict.fromkeys(("token", "memory", "key"), MAX_TOKENS) | {
    "d_model": 64,
    "d_k": 64,
    "d_v": 64,
    "head": 20,
    "out": 64,
}
MAX_LAYERS = 48  # of a real model
NOT_OF_A_MODEL = {"memory": ""}  # fields real models do not support, and their value


class Clash(NamedTuple):
    """A field that is in range but conflicts with others: what was expected, and the message about
    its change."""

    name: str
    expected: str
    message: str


def resolve(values: dict[str, Any], usual: Mapping[str, Any]) -> list[Clash]:
    """Change the fields that conflict with others, return these unless they are as usual, and set
    tied fields; each is in range by itself."""
    clashes = _settle_model(values, usual) if values["init"] == "real" else []
    clashes += _settle_given(values) if values["init"] == "given" else []
    if values["init"] != "real":
        values["pieces"] = ""
    if values["init"] != "real" and values["layer"] > values["layers"]:
        clashes.append(_no_such_layer(values, values["layers"], "the setup"))
    d_model, heads, d_ff = values["d_model"], values["heads"], values["d_ff"]
    if values["sizes"] == "narrow" and values["projections"] == "learned" and d_model % heads:
        why = f"d_model, and {heads} does not divide {d_model}"
        message = (
            f"narrow heads need a number of heads that divides {why}; the sizes are free instead."
        )
        clashes.append(Clash("sizes", f"heads that divide {why}", message))
        values["sizes"] = "free"
    most = 4 * d_model
    if d_ff > most and d_ff != usual["d_ff"]:
        message = (
            f"{d_ff} became {most}, since the feed-forward part has at most 4 · d_model = {most}"
            " numbers."
        )
        clashes.append(Clash("d_ff", f"a whole number from 1 to {most}", message))
    values["d_ff"] = min(d_ff, most)
    values |= list_ties(values)
    heads, wished = values["heads"], values["kv_heads"]
    if wished and heads % wished:
        values["kv_heads"] = min(
            (k for k in range(1, heads + 1) if heads % k == 0), key=lambda k: abs(k - wished)
        )
        why = f"{wished} became {values['kv_heads']}, {explain_tie('kv_heads', values)}."
        clashes.append(Clash("kv_heads", f"0 or a number that divides heads, {heads}", why))
    return clashes


def _settle_model(values: dict[str, Any], usual: Mapping[str, Any]) -> list[Clash]:
    """Fit the sentences to the model; if there is no model, use trained weights instead."""
    try:
        model = pretrained.find(values["model"])
        model.check_numbers()
    except pretrained.Unreadable as error:
        values["init"] = "trained"
        return [
            Clash(
                "init", f"another, since: {error}", f"{error} Trained matrices are shown instead."
            )
        ]
    values |= {
        name: DefaultOption(own)
        for name, own in model.usual.items()
        if isinstance(values[name], DefaultOption)
    }
    clashes = _settle_pieces(values, model, usual)
    if values["positions"] == "learned" and model.usual["positions"] != "learned":
        values["positions"] = DefaultOption(model.usual["positions"])
        why = f"{model.name} has learned no rows for places"
        clashes.append(
            Clash(
                "positions",
                f"another, since {why}",
                f"learned became {values['positions']}, since {why}.",
            )
        )
    if values["layer"] > model.sizes.layers:
        clashes.append(_no_such_layer(values, model.sizes.layers, model.name))
    return clashes


def _settle_pieces(
    values: dict[str, Any], model: pretrained.Pretrained, usual: Mapping[str, Any]
) -> list[Clash]:
    """Shorten the text and the further sentences to the model's maximum of pieces, the usual ones
    without a word. `pieces` is left where the text spells these ids and has others of its own: else
    the text has changed since."""
    own, clashes = model.tokenizer, []
    most = min(MAX_PIECES, model.sizes.places)
    room = most - len(own.before) - len(own.after)
    why = f"up to {most} tokens of {model.name} a sentence, with what it puts around it"
    if model.unplaced:
        why += f", and without {model.unplaced}, which has no place"
    ids, typed = read_ids(values["pieces"]), _take_out_unplaced(values["text"], model)
    is_spelled = max(ids, default=0) < model.sizes.words and own.decode(ids) == typed
    text = own.decode(ids[:room]) if is_spelled else own.truncate(typed, room)
    text = text if text.strip() else "a"
    ids = ids[:room] if is_spelled else own.encode(text)
    others = _take_out_unplaced(values["others"], model).split("\n")
    fitted = "\n".join(filter(None, (own.truncate(line, room) for line in others)))
    for name, fits in (("text", text), ("others", fitted)):
        if fits != values[name] != usual[name]:
            clashes.append(Clash(name, why, f"only the beginning is used; {why}."))
        values[name] = fits
    values["pieces"] = "" if own.encode(text) == ids else write_ids(ids)
    return clashes


def _take_out_unplaced(lines: str, model: pretrained.Pretrained) -> str:
    """Return the lines without the words whose pieces have no place of their own."""
    pad, cut = model.unplaced, model.tokenizer
    if not pad or pad not in cut.pieces(lines):
        return lines
    words = [line.split() for line in lines.split("\n")]
    return "\n".join(" ".join(w for w in line if pad not in cut.pieces(w)) for line in words)


def _settle_given(values: dict[str, Any]) -> list[Clash]:
    """Fit the sentence to the given numbers; if they are too many or missing, sample weights
    instead."""
    why = _explain_refusal(values["given"])
    if why:
        values["init"], values["given"] = "uniform", ""
        return [
            Clash("init", f"another, since {why}", f"{why[0].upper()}{why[1:]}.{DRAWN_INSTEAD}")
        ]
    numbers, rows = given.read(values["given"]), dict[str, tuple[str, ...]]()
    clashes = []
    for name, matrix, axis, kind in (
        ("text", "x", "token", "word"),
        ("memory", "memory_x", "memory", "other"),
    ):
        if not values[name]:
            continue
        tokens, size = list(text.words(values[name])), numbers.sizes.get(axis, 0)
        if numbers.table:
            fitted = (
                tokens if set(tokens) <= set(numbers.words) else list(numbers.words[:MAX_TOKENS])
            )
            why = "words that the given table has a row for"
        else:
            fitted = [*tokens[:size], *(f"{kind}{k}" for k in range(len(tokens) + 1, size + 1))]
            fitted = numbers.told_apart(matrix, fitted, rows)
            why = (
                f"a sentence of {size} {'word' if size == 1 else 'words'}, one for each given row,"
                " and another one for another row"
            )
        if fitted != tokens:
            values[name] = " ".join(fitted)
            clashes.append(Clash(name, why, f"it became “{values[name]}”; expected {why}."))
    values |= _tie_to_given(values)  # sizes that others depend on
    return clashes


def _explain_refusal(value: str) -> str:
    """Return why numbers cannot be used, in words; "" if they can."""
    if not value:
        return "no numbers are given"
    try:
        numbers = given.read(value)
    except ValueError as error:
        return str(error).rstrip(".")
    sizes = numbers.sizes
    for axis, most in MAX_GIVEN.items():
        if sizes.get(axis, 0) > most:
            return f"the given {axis} is {sizes[axis]}, and at most {most} fit"
    return ""


def _tie_to_given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that given numbers tie: their sizes, and options they exclude."""
    numbers = given.read(values["given"])
    sizes = numbers.sizes
    heads, kv_heads = sizes["head"], sizes["kv_head"]
    tied = {name: sizes[name] for name in ("d_model", "d_k", "d_v") if name in sizes} | {
        "heads": heads,
        "kv_heads": 0 if kv_heads == heads else kv_heads,
        "sizes": "free",
        "projections": "learned" if numbers.w_q or numbers.projected else "none",
        "bias": "on" if any(name[0] == "b" for name in numbers.names) else "off",
        "out": "d_model" if sizes["out"] == sizes.get("d_model") else "d_v",
        "others": "",
    }
    if not numbers.table:
        tied["positions"] = "none"
    if (
        numbers.projected and numbers.asks_another and not values["memory"] and values["layer"] == 1
    ):  # its keys are the memory's
        tied["memory"] = " ".join(f"key{k}" for k in range(1, sizes["memory"] + 1))
    if not numbers.asks_another and not numbers.table:
        tied["memory"] = ""
    if numbers.mask:
        tied["mask"] = "given"
    elif values["mask"] == "given":
        tied["mask"] = "none"
    return tied


def _no_such_layer(values: dict[str, Any], layers: int, whose: str) -> Clash:
    """Set the highest existing layer."""
    wished, values["layer"] = values["layer"], layers
    return Clash(
        "layer", f"1 to {layers}", f"{wished} became {layers}, since {whose} has {_layers(layers)}."
    )


def _layers(many: int) -> str:
    return "1 layer" if many == 1 else f"{many} layers"


def explain_tie(name: str, values: Mapping[str, Any]) -> str:
    """Return what determines a number, if not its own field."""
    if values["init"] == "real":
        return f"as {pretrained.find(values['model']).name} has it"
    if name == "layer":
        return f"since the setup has {_layers(values['layers'])}"
    if name == "d_ff":
        return f"since it is at most 4 · d_model = {4 * values['d_model']}"
    if name == "kv_heads" and values["projections"] == "learned":
        return f"since it has to divide the number of heads, {values['heads']}"
    if values["projections"] == "none":
        return "since without projections there is " + (
            "one head" if name in ("heads", "kv_heads") else "d_model alone"
        )
    return f"as {values['sizes']} head sizes have it"


def list_ties(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that other choices determine, with their values."""
    if values["init"] == "real":
        return NOT_OF_A_MODEL | pretrained.find(values["model"]).decides
    ties = _tie_to_sizes(values)
    if values["init"] != "given" and values["mask"] == "given":
        ties["mask"] = "none"
    if values["init"] == "trained" and values["task"] != "questions":
        ties |= _tie_to_words(values["mask"]) | {"memory": ""}
    elif values["layer"] > 1 or values["positions"] == "alibi":
        ties["memory"] = ""  # only self-attention, or no distance between positions
    elif values["memory"]:
        ties["mask"] = "none"  # positions in two sentences have no order
    return ties | (_tie_to_given(values) if values["init"] == "given" else {})


def _tie_to_words(mask: str) -> dict[str, Any]:
    """Return the fields tied by next-word training: a causal mask, and an output as large as the
    input."""
    causal = {"window": "causal-window", "causal-window": None}.get(mask, "causal")
    return ({"mask": causal} if causal else {}) | {"out": "d_model"}


def _tie_to_sizes(values: Mapping[str, Any]) -> dict[str, Any]:
    d_model = values["d_model"]
    if values["projections"] == "none":
        return {"heads": 1, "d_k": d_model, "d_v": d_model, "kv_heads": 0}
    if values["sizes"] == "wide":
        return {"d_k": d_model, "d_v": d_model}
    if values["sizes"] == "narrow":
        return dict.fromkeys(("d_k", "d_v"), d_model // values["heads"])
    return {}
