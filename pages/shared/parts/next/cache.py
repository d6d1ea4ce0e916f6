"""What a new word costs: which rows are new, which are kept, and how the saving grows with the
sentence."""

from collections.abc import Mapping, Sequence

import torch

from core import cache, grown, next_word
from core.setup import Setup
from core.source import source
from core.written import count
from pages.shared import board
from pages.shared.board import entries
from pages.shared.frame import lecture, show
from pages.shared.said import elements
from pages.shared.said.claims import cache as said
from pages.shared.said.claims import common
from pages.shared.server import computed

POINTS = 60  # of a curve


def the_cache(setup: Setup, word: str, layer: int, head: int) -> None:
    """Draw the whole section. `word`, of the vocabulary, is the one that is added; `layer` and
    `head`, from 1, are those followed."""
    say = common.in_tokens(setup)
    looks_both_ways = setup.real is not None and setup.real.is_of_sentences
    used = setup if looks_both_ways else next_word.in_force(setup)
    gone = int(not grown.has_room(used))
    show.heading("What a new word costs", anchor="cache")
    if gone == len(setup.tokens):
        return
    found = computed.one_more(used, word, gone)
    show.plain(say(said.one_more(found)))
    _rows(found, layer - 1, head - 1)
    if looks_both_ways:
        elements.markdown(say(said.ahead(found)))
        return
    elements.markdown(say(said.saving(used)))
    _curves(used)
    if lecture.on():
        return
    elements.caption(say(said.kept(used)))
    if not gone:
        show.folded("The code that keeps keys and values", "cache_code", lambda: _code(used, word))
    show.folded("When can nothing be kept?", "cache_not", lambda: _not(setup, used, word))


def _rows(found: grown.Grown, layer: int, head: int) -> None:
    """Draw Q, K, V and ω of one head: what is new in a frame, what is old with less ink, or marked
    where it changes."""
    trace, old = found.after[layer], found.old[layer]
    q, k = trace.compared
    n, held = found.words, cache.looks_at(found.setup, found.words + 1) - 1
    kept = f"{held} kept, 1 new" if found.is_rounding and not found.gone else "1 new"
    looks, compared = (
        ("masked", "scores") if found.is_rounding else ("weights", "weights")
    )  # scores stay longer than weights do
    titles = {
        q: "Q: 1 new",
        looks: f"{entries.TITLES[compared]}: 1 new",
        k: f"K: {kept}",
        "v": f"V: {kept}",
    }
    matrices = []
    for name, title in titles.items():
        moved = torch.tensor([*old[compared if name == looks else name].moved, False])
        columns = trace.of_head(name, head).shape[1]
        matrices.append(
            entries.matrix(
                trace,
                name,
                head,
                title,
                frame=(n, n + 1, 0, columns),
                dim=0 if moved.any() else n,
                marks=moved[:, None].expand(-1, columns),
                marked="changed",
                axes=("token", "key") if name == looks else None,
            )
        )
    board.matrices(
        *matrices,
        key="board_cache",
        across=2,
        max_height=22,
        of_screen=0.5,
        alt=(
            f"Queries, {compared}, keys and values of layer {layer + 1}, head {head + 1}, with one"
            f" word more. {said.one_more(found)}"
        ),
    )


def _curves(setup: Setup) -> None:
    """Draw what the last of so many words costs, and how many numbers are kept, over the length of
    the sentence."""
    most = said.far(setup)
    lengths = sorted({max(1, round(most ** (k / (POINTS - 1)))) for k in range(POINTS)})
    costs = {
        "without the cache": [cache.without_cache(setup, n) for n in lengths],
        "with the cache": [cache.with_cache(setup, n) for n in lengths],
    }
    numbers = _numbers_kept(setup, lengths)
    for column, title, curves in zip(
        elements.columns(2),
        ("multiplications for one word", "numbers kept"),
        (costs, numbers),
        strict=True,
    ):
        with column:
            _curve(title, curves, lengths, len(setup.tokens))


def _numbers_kept(setup: Setup, lengths: Sequence[int]) -> dict[str, list[int]]:
    """Return the setup's own cache, and those of as many kv heads as heads and of one; without the
    window, where there is one."""
    own = setup.heads // setup.group
    window = f", window {setup.window}" if setup.has_window else ""
    curves = {
        f"{count(own, 'kv head')}{window}, as set": [cache.numbers_kept(setup, n) for n in lengths]
    }
    for kv_heads in sorted({setup.heads, own, 1}, reverse=True):
        if kv_heads != own or window:
            of_a_word = cache.numbers_of_a_word(setup, kv_heads)
            curves[f"{count(kv_heads, 'kv head')}{', no window' if window else ''}"] = [
                of_a_word * n for n in lengths
            ]
    return curves


def _curve(
    title: str, curves: Mapping[str, Sequence[int]], lengths: Sequence[int], mine: int
) -> None:
    """Draw one chart: a line for each kind, and one that stands at the sentence's own length."""
    from pages.shared.said import charts

    rows = [
        (n, kind, value)
        for kind, values in curves.items()
        for n, value in zip(lengths, values, strict=True)
    ]
    words, kinds, values = zip(*rows, strict=True)
    ends = "; ".join(f"{kind}: {of_kind[-1]:,}" for kind, of_kind in curves.items())
    elements.chart(
        {"words": words, "kind": kinds, "value": values, "mine": [mine] * len(rows)},
        charts.over_length(title, large=lecture.on()),
        key=f"cache_{title.split(maxsplit=1)[0]}",
        alt=(
            f"{title.capitalize()} over the length of a sentence. At {lengths[-1]:,} words: {ends}."
            f" A line stands at your sentence, {mine}."
        ),
    )


def _code(setup: Setup, word: str) -> None:
    """Draw the functions of the cache as they ran, and how far their result is from the whole
    sentence's way."""
    functions = (
        cache.remember,
        *((cache.forget,) if setup.has_window else ()),
        cache.Remembering.keep,
        cache.step,
    )
    elements.code("\n\n".join(source(function) for function in functions))
    apart, numbers = computed.stepped(setup, word)
    elements.markdown(f"{said.by_itself(apart)} {numbers:,} numbers are kept then.")


def _not(setup: Setup, used: Setup, word: str) -> None:
    """Return what would change old rows: a mask that looks ahead, and words that move up. A norm
    does not."""
    say = common.in_tokens(setup)
    elements.markdown(
        say("A norm works on each row by itself, so it changes no old one. What does:")
    )
    if not setup.is_causal and grown.has_room(setup):
        elements.markdown(
            say(f"- **A word that looks ahead.** {said.ahead(computed.one_more(setup, word))}")
        )
    if len(used.tokens) > 1:
        elements.markdown(
            say(f"- **A sentence that is full.** {said.full(computed.one_more(used, word, 1))}")
        )
