"""The diagram of the whole computation, and the classifier's, from the setup's own tensors."""

from core import Setup
from core.forward.classifier import Classified
from core.forward.trace import Trace
from core.text.text import labels
from core.text.written import count
from pages.shared import board
from pages.shared.board import entries
from pages.shared.link.pages import LATER, find
from pages.shared.text import words

# The most numbers in a row of heads side by side, and the most heads.
MAX_NUMBERS, MAX_HEADS = 128, 4


def stations(trace: Trace, head: int) -> list[board.Station]:
    """Return the stations from words to output, for one `head` (from 0)."""
    setup, asked = trace.setup, len(trace.key_tokens)
    return [
        draw_words(trace),
        draw_lookup(trace),
        *draw_projections(trace, head),
        station(
            trace,
            "scores",
            "scores",
            head,
            over="· Kᵀ",
            under=words.times((setup.d_k, asked)),
            sign="×",
            square=True,
        ),
        station(
            trace,
            "weights",
            "weights",
            head,
            over="softmax",
            under=draw_before_softmax(trace),
            square=True,
            others=other_heads(trace, head),
            more=other_heads_in_words(setup, head),
        ),
        station(
            trace,
            "context",
            "context",
            head,
            over="· V",
            under=words.times((asked, setup.d_v)),
            sign="×",
        ),
        *side_by_side(trace, head),
        station(trace, "output", "heads", **onto_output(trace)),
    ]


def station(
    trace: Trace, name: str, path: str, head: int | None = None, title: str | None = None, **more
) -> board.Station:
    """Return an entry as a station that opens the page at `path`."""
    shown = entries.matrix(trace, name, head, title)
    says = f"{shown.title}, {words.times(shown.values.shape)}: opens {find(path).menu}"
    return board.Station(shown, path, says=says, **more)


def classifier_stations(
    answer: Classified, sentence: int, probabilities: board.Matrix
) -> list[board.Station]:
    """Return the stations from one sentence of the batch (from 0) through encoder and mean to its
    `probabilities`."""
    embedded, classified = answer.batch.sentence(sentence), answer.sentence(sentence)
    bias = " + b_c" if "b_c" in classified else ""
    return [
        draw_words(embedded),
        draw_lookup(embedded),
        station(
            classified,
            "encoded",
            "encoder",
            title="Out",
            over="encoder",
            under=count(len(answer.weights), "layer"),
        ),
        board.Station(entries.matrix(classified, "pooled"), over="mean", under="of the rows"),
        board.Station(
            entries.matrix(classified, "logits"),
            title="logits",
            over=f"· W_c{bias}",
            under=words.times(classified["w_c"].value.shape),
            square=True,
        ),
        board.Station(probabilities, over="softmax", square=True),
    ]


def draw_words(trace: Trace) -> board.Station:
    """Return the sentence's words with their ids."""
    names = labels(trace.tokens)
    ids = [str(k) for k in trace.value("ids").tolist()]
    shown = board.Words(list(map(words.isolate, names)), ids, count(len(names), "token"))
    what = f"{count(len(names), 'word')} and their ids: opens {find('vocabulary').menu}"
    return board.Station(shown, "vocabulary", says=what, title="words")


def draw_lookup(trace: Trace) -> board.Station:
    """Return X: rows of the table, with positions if there are any."""
    more = {"over": "E, + P", "sign": "+"} if "positions" in trace else {"over": "E"}
    return station(
        trace, "x", "embedding", under=words.times(trace["embedding_table"].value.shape), **more
    )


def draw_projections(trace: Trace, head: int) -> list[board.Station]:
    """Return Q, K and V as three branches; without projections each equals X."""
    meets = {"q": "", "k": "scores", "v": "context"}
    made = []
    for name, into in meets.items():
        w = trace.select_head(f"w_{name}", head) if f"w_{name}" in trace else None
        letter = "M" if trace.made_of(name) == "memory_x" else ""
        over, under = (
            (f"= {letter or 'X'}", "as it is")
            if w is None
            else (f"{letter} · W_{name}".strip(), words.times(w.shape))
        )
        beside = "q" if into else ""
        made.append(
            station(
                trace,
                name,
                "projection",
                head,
                over=over,
                under=under,
                beside=beside,
                into=into,
                other=bool(letter),
            )
        )
    return made


def draw_before_softmax(trace: Trace) -> str:
    """Return the operations between scores and softmax."""
    setup, told = trace.setup, []
    divisors = [f"√{setup.d_k}"] * (setup.scale != "none") + [f"{setup.temperature:g}"] * (
        setup.temperature != 1
    )
    product = " · ".join(divisors)
    divided = f"÷ ({product})" if len(divisors) > 1 else f"÷ {product}" if divisors else ""
    done = {"scores": "", "scaled": divided, "masked": "mask"}
    for name in trace.stages("weights")[:-1]:
        more = " + ".join(trace[each].symbol for each in trace[name].inputs[1:])
        told.append(done.get(name, f"+ {more}" if more else trace[name].symbol))
    return ", ".join(filter(None, told))


def drawn_heads(setup: Setup, head: int) -> range:
    """Return the drawn heads (from 0), including `head`."""
    most = min(setup.heads, MAX_HEADS, max(1, MAX_NUMBERS // setup.d_v))
    first = min(max(0, head - most // 2), setup.heads - most)
    return range(first, first + most)


def other_heads(trace: Trace, head: int) -> list[board.OtherHead]:
    """Return the other heads' weights as small pictures."""
    return [
        board.OtherHead(k + 1, entries.matrix(trace, "weights", k, bare=True), f"Show head {k + 1}")
        for k in drawn_heads(trace.setup, head)
        if k != head
    ]


def other_heads_in_words(setup: Setup, head: int) -> str:
    """Return the line above these pictures."""
    drawn, others = len(drawn_heads(setup, head)) - 1, setup.heads - 1
    return (
        ""
        if not drawn
        else "other heads"
        if drawn == others
        else f"{drawn} of {others} other heads"
    )


def side_by_side(trace: Trace, head: int) -> list[board.Station]:
    """Return the drawn heads' contexts in one row, [] for a single head."""
    setup, n = trace.setup, len(trace.tokens)
    if setup.heads == 1:
        return []
    drawn, size = drawn_heads(setup, head), setup.d_v
    first = (head - drawn.start) * size
    shown = entries.matrix(
        trace,
        "concat",
        title=f"Z_1 … Z_{setup.heads}",
        columns=slice(drawn.start * size, drawn.stop * size),
        blocks=[k * size for k in range(1, len(drawn))],
        frame=(0, n, first, first + size),
    )
    shape = words.times((n, setup.heads * size))
    some = "" if len(drawn) == setup.heads else f"shown: {drawn.start + 1}–{drawn.stop}"
    says = f"The contexts of {setup.heads} heads side by side, {shape}: opens {find('heads').menu}"
    return [
        board.Station(
            shown, "heads", says, over="concat", under=some or f"{setup.heads} heads", shape=shape
        )
    ]


def onto_output(trace: Trace) -> dict[str, str]:
    """Return the labels of the arrow to the output."""
    if "w_o" not in trace:
        return {"over": "= Z", "under": "no W_o"}
    return {"over": "· W_o", "under": words.times(trace["w_o"].value.shape)}


def list_later_pages() -> dict[str, object]:
    """Return the pages after the output."""
    pages = [{"path": page.path, "title": page.title} for page in LATER if page.in_row]
    return {"text": "Y goes on:", "pages": pages}
