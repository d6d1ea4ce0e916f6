"""The next word's figure: the sentence, the candidate words, and the random number that samples
one."""

from itertools import pairwise
from urllib.parse import urlencode

from core import Setup
from core.board.next_word import Act, Part, Row
from core.forward import next_word
from core.forward.trace import Trace
from core.forward.word_origins import TopK, TopP
from core.text import language
from core.text.text import isolate, labels
from core.text.written import count, equals, number
from core.training import tasks
from pages.shared import board, lecture
from pages.shared.captions import next_word as claims
from pages.shared.layout import show
from pages.shared.link import DEFAULTS, parse_link
from pages.shared.server import background, computed, run
from pages.shared.text import elements, words

ROUNDING = 1e-6  # of probabilities that add up to 1
NARROW = 0.003  # of the strip: narrower parts are joined into the rest
MAX_IN_A_LECTURE = 9  # words, readable from the last row
MORE, OF_A_MODEL = (
    8,
    20,
)  # words (or a model's tokens) added at once without an end of sentence
MAX_WRITTEN = 1000  # largest vocabulary whose order is written out
SLOW = 24  # heads in all layers; from here on several words are computed in the background
# A small stack that learns the next word in seconds, with a good question.
TRAINED = {
    "init": "trained",
    "task": "next",
    "heads": "2",
    "d_model": "16",
    "d_k": "8",
    "d_v": "8",
    "d_ff": str(DEFAULTS["d_ff"]),
    "layers": "1",
    "text": "the milk",
    "sizes": "free",
    "column": "1",
    "query": "1",
    "key": "1",
    "head": "1",
    "kv_heads": "0",
    "layer": "1",
}


def draw(setup: Setup, trace: Trace, shown: list[int], opened: int, at: int | None = None) -> None:
    """Draw the figure with the words at these vocabulary places; `opened` (from 0) is the one
    written out below. `at` is the place of [MASK] from 0, if the word is predicted there and not at
    the end."""
    shares, chosen = trace.value("probabilities"), int(trace.value("chosen")[0])
    most = max(MAX_IN_A_LECTURE, opened + 1) if lecture.is_on() else len(shown)
    columns = [k for k, each in enumerate(shown, start=1) if k <= most or each == chosen]
    shown = [shown[k - 1] for k in columns]
    known = claims.list_possible_words(setup)
    names = dict(zip(shown, name_pieces(trace, shown), strict=True))
    said = [known.get(trace.vocabulary[place], 0.0) for place in shown]  # true probabilities
    rows = [
        _row(names[k], shares[k].item(), own, known, drawn=k == chosen)
        for k, own in zip(shown, said, strict=True)
    ]
    others = len(shares) - len(shown)
    if others:
        rest = sum(share for place, share in enumerate(shares.tolist()) if place not in names)
        left = 1 - sum(row.language or 0 for row in rows)
        left = left if left > ROUNDING else 0.0
        rows.append(_row(f"{others:,} more", rest, left, known, rest=True))
    number_drawn = trace.value("number")[0].item() if "number" in trace else None
    tokens = [isolate(token.replace("\n", "↵\n")) for token in setup.tokens]
    board.next_word(
        tokens=tokens if at is None else tokens[:at],
        after=[] if at is None else tokens[at + 1 :],
        rows=rows,
        parts=_parts(trace, names, chosen),
        acts=acts(setup, trace) if at is None else [Act("")] * 3,
        joint=" " if at is not None or not setup.real else "",
        drawn=names[chosen],
        number=number_drawn,
        number_said="" if number_drawn is None else f"drawn: {number(number_drawn)}",
        said=claims.describe_choice(trace),
        heads=("the model", "the language"),
        opens="How this logit is made",
        key="board_next_word",
        chosen=(opened, 0),
        chooses=board.choice(column=("cell", [columns])),
        compared=bool(known),
        of_screen=0.8 if lecture.is_brief() else 0.62,
        alt=f"{'After' if at is None else 'At the mask of'} “{setup.text}”: "
        + ", ".join(f"{row.word} {row.said}" for row in rows)
        + f". {claims.describe_choice(trace)}",
    )


def name_pieces(trace: Trace, places: list[int]) -> list[str]:
    """Return the words at these vocabulary places, with visible spaces and line breaks."""
    return list(labels(tuple(trace.vocabulary[place] for place in places)))


def _row(name: str, share: float, own: float, known: dict[str, float], **kind: bool) -> Row:
    return Row(
        name, share, _percent(share), own if known else None, language_said=_percent(own), **kind
    )


def _percent(share: float) -> str:
    """Return a probability for a narrow column.

    >>> _percent(0.5), _percent(0.0001), _percent(0.0)
    ('50.0%', '<0.1%', '–')
    """
    return words.short_percent(share, 1) if share else "–"


def _parts(trace: Trace, names: dict[int, str], chosen: int) -> list[Part]:
    """Return the strip's segments from 0 to 1: the shown words, and the rest between them."""
    shares, ends = trace.value("probabilities"), trace.value("ends")
    wide = [
        place
        for place in names
        if shares[place] > NARROW or (place == chosen and shares[place] > 0)
    ]
    bars = sorted(
        (ends[place].item() - shares[place].item(), ends[place].item(), place) for place in wide
    )
    parts: list[Part] = []
    for (_, before, _), (start, end, place) in pairwise([(0.0, 0.0, -1), *bars]):
        if start - before > ROUNDING:
            parts.append(Part("", start - before, rest=True))
        parts.append(Part(names[place], end - start, place == chosen))
    if 1 - bars[-1][1] > ROUNDING:
        parts.append(Part("", 1 - bars[-1][1], rest=True))
    return parts


def acts(setup: Setup, trace: Trace) -> list[Act]:
    """Return the links that add one or several words or remove one, within the limits."""
    longer, told = next_word.append_next(setup, trace)
    whole = setup if told else _go_on(setup)
    further = len(whole.tokens) - len(setup.tokens)
    ends = setup.learns_words and setup.task == "next"
    unit = words.unit(setup)
    return [
        _act(f"One {unit}", None if told else longer, "first"),
        _act(
            "To the end" if ends else f"{count(further, unit)} more", whole if further > 1 else None
        ),
        _act("Take one back", _shorter(setup)),
    ]


def _go_on(setup: Setup) -> Setup:
    """Return the setup with the words to add at once, with none while they are being computed."""
    most = OF_A_MODEL if setup.real else MORE
    if setup.learns_words:
        most = min(
            MORE, (language.LENGTH if setup.task == "next" else tasks.LENGTH) - len(setup.tokens)
        )
    if setup.real or setup.layers * setup.heads > SLOW:
        return background.ask(computed.gone_on, setup, most) or setup
    return computed.gone_on(setup, most)


def _shorter(setup: Setup) -> Setup | None:
    """Return the setup without its last word, None if nothing or other words would remain."""
    if setup.real is not None:
        shorter, told = next_word.write_pieces(setup, setup.piece_ids[:-1])
        return None if told or len(setup.piece_ids) < 2 else shorter
    text = setup.text.rstrip()
    at = text.rfind(setup.tokens[-1])
    if len(setup.tokens) < 2 or at < 1:
        return None
    shorter, told = Setup.nearest(setup.as_link() | {"text": text[:at].rstrip()})
    return None if told or shorter.tokens != setup.tokens[:-1] else shorter


def _act(label: str, to: Setup | None, kind: str = "") -> Act:
    if to is None:
        return Act(label)
    sets = {"text": to.text} | ({"pieces": to.pieces} if to.real else {})
    return Act(label, urlencode(sets), f"?{urlencode(parse_link(run.now().link) | sets)}", kind)


# ---------- from the logits to the probabilities ----------

TITLES = {
    "logits": "logits",
    "tempered": "divided by the temperature",
    "top_k": "top-k",
    "top_p": "top-p",
    "probabilities": "shares p",
    "ends": "where its bar ends",
}
SYMBOLS = {
    "logits": "l",
    "tempered": "l/T",
    "top_k": "top-k",
    "top_p": "top-p",
    "probabilities": "p",
    "ends": "end",
}


def title(setup: Setup, name: str) -> str:
    """Return a step's name with its parameter."""
    of = {
        "tempered": f"T = {setup.word_temperature:g}",
        "top_k": f"k = {setup.top_k}",
        "top_p": f"p = {setup.top_p:g}",
    }
    return f"{TITLES[name]}, {of[name]}" if name in of else TITLES[name]


def cuts(trace: Trace, kind: type) -> bool:
    """Return whether this step (top-k or top-p, by `kind`) was made; a copy otherwise."""
    return isinstance(trace["top_k" if kind is TopK else "top_p"].origin, kind)


def write_out_share(setup: Setup, trace: Trace, place: int, word: str) -> str:
    """Return one word's computation from logit to probability, with all numbers, as plain text."""
    logit, tempered, share = (
        trace.value(name)[place].item() for name in ("logits", "tempered", "probabilities")
    )
    lines = [f"{isolate(word)}: {number(logit)} / {setup.word_temperature:g} {equals(tempered)}."]
    for name, kind in (("top_k", TopK), ("top_p", TopP)):
        origin = trace[name].origin
        if cuts(trace, kind) and origin is not None and len(trace.value(name)) <= MAX_WRITTEN:
            lines.append(f"{TITLES[name]}: {origin.open(trace, (place,)).rule}.")
    ready = trace.value("top_p")
    if share:
        exponentials = (ready - ready.max()).double().exp()
        own, total = exponentials[place].item(), exponentials.sum().item()
        lines.append(
            f"Less the largest, {number(ready.max().item())}, and as a power of e: {number(own)}."
            f" Divided by the sum over all, {number(total)}: {number(share)}."
        )
    return "\n".join(lines)


def way_to_a_trained_one() -> None:
    """Draw a link that trains a small stack on the next word; other choices stay."""
    said = "Train a small stack to say the next word, and ask it: what comes after <i>the milk</i>?"
    sets = TRAINED | {"model": "", "pieces": ""} if run.setup().real else TRAINED
    elements.html(f'<p class="ab-way">{show.link_here(said, sets)}</p>')
