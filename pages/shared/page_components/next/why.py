"""Logit attribution: a word's logit, or its difference to another's, as a sum over heads and
words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from itertools import accumulate

import torch

from core import Setup
from core.analysis import attribution
from core.analysis.attribution import Attribution, Summand
from core.forward import next_word
from core.forward.trace import Trace
from core.reference import reference
from core.text.text import labels
from pages.shared import board, lecture, panel
from pages.shared.board import entries
from pages.shared.captions import attribution as claims
from pages.shared.captions import next_word as of_next_word
from pages.shared.layout import show
from pages.shared.link import at_head, in_the_stack, parse_link, write_link
from pages.shared.link.focus import Focus
from pages.shared.page_components.next import candidates
from pages.shared.server import computed, run
from pages.shared.text import elements, words

MAX_ROWS, IN_A_LECTURE, OFFERED = 10, 7, 5
MADE = words.made(attribution.take_apart, "setup", "word", "instead")
DIRECT = (
    "These are direct effects: each norm keeps its spread, and what a head does through parts above"
    " it counts as theirs."
)
PARTS = "attention", "feed-forward part"
ALONE = "no other: its logit alone"


def title(trace: Trace, place: int, other: int | None) -> str:
    """Return the question."""
    word, *instead = candidates.name_pieces(trace, [place, *([] if other is None else [other])])
    return (
        f"Why {words.quote(word)}"
        + "".join(f" rather than {words.quote(each)}" for each in instead)
        + "?"
    )


def draw(trace: Trace, place: int, other: int | None, focus: Focus) -> None:
    """Draw why the word at a vocabulary place is predicted, rather than another; `focus` selects
    the head."""
    setup = replace(trace.setup, layer=1)  # the whole stack, for every selected layer
    apart = computed.compute_attribution(setup, place, other)
    layer, head = focus.layer - 1, focus.head - 1
    names = list(labels(setup.tokens))
    asked = [place, *([] if other is None else [other])]
    pair = candidates.name_pieces(trace, asked)
    said = claims.describe_logit(*pair)
    most = apart.by_a_head()
    first = most.layer, most.head
    if lecture.is_on() and focus.route != "why":  # the route keeps its own head
        layer, head = first
    if not lecture.is_on():
        _question(trace, place, other, focus)
    if lecture.shows("rather"):
        told = [claims.largest(apart, names, said), claims.describe_kinds(apart)]
        told = [claims.is_total(apart, said)] if lecture.is_on() else told
        _layers(apart, said)
        with lecture.large():
            between = " " if lecture.is_on() else "\n"
            show.plain(between.join(filter(None, (of_next_word.another(trace, place), *told))))
    if lecture.shows("brings"):
        _heads(apart, layer, head, names, said)
    if lecture.shows("by_word"):
        _words(apart, layer, head, names)
    shares = [trace.value("probabilities")[each].item() for each in asked]
    if lecture.is_on():
        _draw_beat(setup, apart, (layer, head), pair, names, shares, (place, other))
        return
    if focus.held is not None:
        _held(focus.held, trace, place, other, apart)
    really = [DIRECT]
    for each in dict.fromkeys([first, (layer, head)]):
        without, left = computed.compute_without_head(setup, *each, place, other)
        really += [f"{claims.really(apart, *each, without)} {claims.becomes(pair, shares, left)}"]
    show.plain("\n".join(really))
    key = (
        focus.key - 1 if focus.query == len(names) else int(apart.heads[layer, head].abs().argmax())
    )
    elements.html(_way(setup, layer, head, key, names))
    _largest(setup, apart, names)
    check = reference.check_summands(trace, apart.added_up, place, other)
    show.check_line(
        f"the sum of all summands and `F.linear`, {show.difference(check.largest, check.size)}"
    )


def _draw_beat(
    setup: Setup,
    apart: Attribution,
    at: tuple[int, int],
    pair: list[str],
    names: list[str],
    shares: list[float],
    asked: tuple[int, int | None],
) -> None:
    """Draw the beats "largest" (summands) and "off" (probabilities without the head `at` this
    place)."""
    if lecture.shows("largest"):
        with lecture.large():
            show.plain(claims.describe_largest_head(apart, names))
        _largest(setup, apart, names)
    if lecture.shows("off"):
        _, left = computed.compute_without_head(setup, *at, *asked)
        with lecture.large():
            show.plain(claims.becomes(pair, shares, left))
        board.matrices(
            board.Matrix(
                "off",
                torch.tensor([shares, left]),
                ["the whole stack", f"{claims.head(*at)} off"],
                pair,
                ("what", "word"),
                "output",
                "their shares",
                symbol="p",
                texts=[words.percent(each, 1) for each in (*shares, *left)],
                **entries.SHARES_IN_GREY,
                made=words.made(attribution.ablate_head, "setup", "layer", "head"),
            ),
            key="board_why_off",
            max_width=200,
            of_screen=0.5,
            alt=claims.becomes(pair, shares, left),
        )


def _question(trace: Trace, place: int, other: int | None, focus: Focus) -> None:
    """Draw a choice of the other word: probable ones, none, or a typed one."""
    offered = [each for each in next_word.likeliest(trace) if each != place][:OFFERED]
    if other is not None and other not in offered:
        offered.append(other)
    names = [*candidates.name_pieces(trace, offered), ALONE]
    sets = {
        name: {"instead": f"id:{each}" if trace.setup.real else trace.vocabulary[each]}
        for name, each in zip(names, [*offered, place], strict=True)
    }
    current = ALONE if other is None else names[offered.index(other)]
    word = candidates.name_pieces(trace, [place])[0]
    offers, typed = elements.columns([5, 1])
    with offers:
        panel.tabs(f"Why {escape(words.quote(word))} rather than", sets, current, visible=True)
    with typed:
        panel.control("instead")
    if focus.instead and next_word.place_of(trace, focus.instead) is None:
        show.plain(
            f"The vocabulary has no {words.quote(focus.instead)}; the likeliest other word stands"
            " in for it."
        )


def _layers(apart: Attribution, said: str) -> None:
    """Draw the sum layer by layer."""
    from pages.shared.text import charts

    below, of_layers, top = apart.sum_by_layer()
    parts = [
        ("own row", below),
        *(
            (f"layer {k // 2 + 1} {PARTS[k % 2]}", each)
            for k, each in enumerate(of_layers.flatten().tolist())
        ),
    ]
    if attribution.TOP in apart.others:
        parts.append(("norm at the top", top))
    names, brings = zip(*parts, strict=True)
    sums = list(accumulate(brings))
    told = [claims.describe_running_sum(*each) for each in zip(names, brings, sums, strict=True)]
    elements.chart(
        {
            "place": range(len(parts)),
            "part": names,
            "from": [0.0, *sums[:-1]],
            "to": sums,
            "brings": brings,
            "told": told,
        },
        charts.waterfall(large=lecture.is_on()),
        key="why_layers",
        alt=f"From 0 to {said}, {words.number(apart.total)}. {' '.join(told)}",
    )


def opens() -> dict[str, str]:
    """Return the link fields that show this layer on the seven pages."""
    return {"init": "real"} if run.setup().real else {"seven": "chosen"}


def _heads(apart: Attribution, layer: int, head: int, names: list[str], said: str) -> None:
    """Draw each head's contribution over all words; a click selects the head, from the last word to
    the word with its largest contribution."""
    by_head = apart.heads.transpose(0, 1)  # (head, layer, token)
    of_heads, most = by_head.sum(dim=-1).float(), by_head.abs().argmax(dim=-1)
    heads, layers = of_heads.shape
    told = [
        f"layer {n + 1}, head {k + 1} brings {words.number(of_heads[k, n].item())}, most by reading"
        f" {words.quote(names[most[k, n]])}: {words.number(by_head[k, n, most[k, n]].item())}"
        for k in range(heads)
        for n in range(layers)
    ]
    board.matrices(
        entries.by_head(
            "brings",
            apart.heads.sum(dim=-1),
            "what each head brings",
            "output",
            "head",
            scale="for",
            clickable=True,
            symbol="brings",
            told=told,
            made=MADE,
        ),
        key="board_why",
        chosen=(head, layer),
        max_width=132 if lecture.is_on() else 66,
        of_screen=0.66 if lecture.is_on() else 0.5,
        chooses=board.choice(
            layer="column",
            head="row",
            query=len(names),
            key=("cell", (most + 1).tolist()),
            **opens(),
        ),
        alt=f"What each head brings. {claims.largest(apart, names, said)}",
    )


def _held(held: Setup, trace: Trace, place: int, other: int | None, apart: Attribution) -> None:
    """Draw each head's contribution in the pinned setup, if it has both words and as many heads."""
    pair = [trace.vocabulary[each] for each in (place, other) if each is not None]
    if next_word.explain_refusal(held):
        return
    there = computed.predicted(held)
    if not all(word in there.vocabulary for word in pair):
        show.plain(f"The held setup does not know {' and '.join(map(words.quote, pair))} both.")
        return
    places = [there.vocabulary.index(word) for word in pair]
    of_held = computed.compute_attribution(
        replace(there.setup, layer=1), places[0], places[1] if other is not None else None
    )
    here, held_heads = apart.heads.sum(dim=-1), of_held.heads.sum(dim=-1)
    said = claims.explain_held(of_held.total, apart.total)
    if here.shape != held_heads.shape:
        show.plain(said)
        return
    layer, head = divmod(int((here - held_heads).abs().argmax()), here.shape[1])
    there, now = held_heads[layer, head].item(), here[layer, head].item()
    show.plain(said := f"{said} {claims.describe_difference(layer, head, there, now)}")
    board.matrices(
        entries.by_head(
            "held",
            held_heads,
            "what each head brings, held",
            "output",
            "head",
            scale="for",
            symbol="brings",
            made=MADE,
        ),
        key="board_why_held",
        chosen=(head, layer),
        max_width=66,
        of_screen=0.5,
        alt=said,
    )


def _words(apart: Attribution, layer: int, head: int, names: list[str]) -> None:
    """Draw each word's contribution, through all heads and through the selected one."""
    of_words = torch.stack([apart.heads.sum(dim=(0, 1)), apart.heads[layer, head]]).float()
    most = int(of_words[1].abs().argmax())
    board.matrices(
        board.Matrix(
            "by_word",
            of_words,
            ["all heads", f"layer {layer + 1}, head {head + 1}"],
            names,
            ("read by", "token"),
            "output",
            "what each word brings, read by heads",
            scale="for",
            clickable=True,
            symbol="brings",
            made=MADE,
        ),
        key="board_why_words",
        chosen=(1, most),
        max_width=132 if lecture.is_on() else 66,
        of_screen=0.5 if lecture.is_on() else 0.3,
        chooses=board.choice(key="column", query=len(names), **opens()),
        alt=(
            "What each word brings, read by all heads and by the one that is followed: most there"
            f" by {words.quote(names[most])}."
        ),
    )


def _link_to(path: str, text: str, sets: Mapping[str, object]) -> str:
    """Return a link to the same stack on another page, as HTML."""
    return (
        f'<a href="./{path}?{escape(write_link(parse_link(run.now().link) | sets))}"'
        f' target="_self">{escape(text)}</a>'
    )


def _way(setup: Setup, layer: int, head: int, key: int, names: list[str]) -> str:
    """Return links to this head on the seven pages, from the last word to this key, as HTML."""
    at = at_head(setup, layer, head, key)
    steps = (
        ("weights", "α"),
        ("context", "α · v"),
        ("heads", "W_o"),
        ("scores", "the products of q and k"),
    )
    ways = ", ".join(_link_to(path, text, at) for path, text in steps)
    normed = setup.norm == "pre" and layer == 0 and not setup.real
    but = (
        " There the first layer takes X in without the norm that the stack has before it, so its"
        " numbers are others."
        if normed
        else ""
    )
    return (
        f'<p class="ab-way">Open “{escape(names[-1])}” → “{escape(names[key])}” in layer'
        f" {layer + 1}, head {head + 1}: {ways}.{but}</p>"
    )


def _largest(setup: Setup, apart: Attribution, names: Sequence[str]) -> None:
    """Draw the largest summands as a table with links: a head's weights at that pair, or a
    feed-forward part's block."""
    most, followed = IN_A_LECTURE if lecture.is_on() else MAX_ROWS, apart.by_a_head()
    ranked = apart.ranked()[:most]

    def opened(each: Summand) -> str:
        text = claims.name_summand(each, names)
        if each.name == "head":
            return _link_to("weights", text, at_head(setup, each.layer, each.head, each.token))
        return (
            _link_to("block", text, in_the_stack(setup) | {"layer": each.layer + 1})
            if each.layer >= 0
            else escape(text)
        )

    rows = "".join(
        f"<tr{' class=ab-why-most' if each == followed else ''}>"
        f"<td>{opened(each)}</td><td>{words.number(each.value)}</td></tr>"
        for each in ranked
    )
    head = f"<tr><th>the {len(ranked)} largest</th><th>brings</th></tr>"
    elements.html(
        f'<table class="ab-why-largest"><thead>{head}</thead><tbody>{rows}</tbody></table>'
    )
