"""A pretrained model: every layer and head on the user's sentence, and each head's role."""

from dataclasses import replace
from html import escape

from core import pretrained
from core.analysis import ablation, head_roles
from core.forward import next_word
from core.text.text import labels
from pages.shared import board, lecture, panel
from pages.shared.board import entries
from pages.shared.captions import real_model as claims
from pages.shared.captions.encoder import describe_pictured
from pages.shared.layout import contribution, show
from pages.shared.layout.page import Drawn, Parts
from pages.shared.link import parse_link, write_link
from pages.shared.link.model_link import select_model
from pages.shared.page_components.model import (
    all_heads,
    fetching,
    head_list,
    induction,
    map_units,
    models,
)
from pages.shared.server import background, computed, run
from pages.shared.text import elements, words

setup, focus = run.setup(), run.focus()
link = select_model(run.now().link)  # with the model, and words among its pieces
news = fetching.follow(focus.fetch, focus.attempt)
page = Parts()


def link_to(title: str, path: str = "", kind: str = "", **changes: object) -> str:
    """Return a link to another state, of this page or another, as HTML, with the model selected, if
    one is shown; None removes a field."""
    chosen = {"init": "real"} if setup.real else {}
    fields = parse_link(link) | {"fetch": None, "attempt": None} | chosen | changes
    query = write_link({name: str(value) for name, value in fields.items() if value})
    href = f"{f'./{path}' if path else ''}?{escape(query)}"
    return f'<a class="{kind}" href="{href}" target="_self">{escape(title)}</a>'


if setup.real is None:
    models.draw_without_one(news or pretrained.explain_refusal(setup.model), link_to)
    raise Drawn
names = labels(setup.tokens)
n, layer, head = len(names), focus.layer - 1, focus.head - 1
i, j = focus.query - 1, focus.key - 1
whole = replace(setup, layer=1)  # the same for every selected layer
_, layers = computed.compute_stack(whole)
opened = computed.layer(whole, layer + 1)
weights = opened.value("weights")[head]
looked = words.attention(names[i], weights[i].tolist(), names)
kept, units = map_units.list_kept(setup, focus), map_units.list_units(setup, focus)
unit_names = map_units.name_units(setup, units)
followed = map_units.place_among(units, i), map_units.place_among(units, j)
# A click on a picture opens its head over the map; the link says so beside the open tabs.
tabs = [name for name in focus.open if name != "head"]
is_open_over_map = "head" in focus.open and not lecture.is_on()


@page.part("jobs")
def explain_what_signs_mean():
    if found := find_head_roles():
        head_list.legend(found)
    else:  # as high as the legend, so that the map stays where it is
        elements.caption(head_list.describe_progress(setup.real))


@page.figure("all", "jobs")
def every_head():
    """Draw every layer and head as small pictures, first layer on top; signs show measured
    roles. Over them stands the head that was opened by a click."""
    if is_open_over_map:
        elements.html(link_to("All heads", kind="ab-stop", open=",".join(tabs)))
        draw_head()
        return
    if not lecture.is_on():
        draw_switches()
    found = None if lecture.current_beat() == "all" else find_head_roles()
    shown = all_heads.list_shown(setup.layers, layer)
    high = 0.65 if lecture.current_beat() == "jobs" else 0.78
    if len(shown) < setup.layers:
        show.plain(f"{len(shown)} of {setup.layers} layers.")
        high -= 0.1
    draw_pictures(
        [(below, k) for below in shown for k in range(setup.heads)],
        found,
        {"open": ",".join([*tabs, "head"])},
        key="board_model",
        main=shown.index(layer) * setup.heads + head,
        max_cell=max(2, 66 // len(units)),
        of_screen=high,
        alt=(
            f"Weights of {len(shown)} layers with {setup.heads} heads each. Layer {layer + 1},"
            f" head {head + 1} is chosen. {looked}"
        ),
    )
    if cut := describe_pictured(len(units), board.select_pictured(len(units), followed)):
        elements.caption(cut)
    if len(kept) < n:
        show.plain(describe_left_out())


def draw_pictures(
    places: list[tuple[int, int]], found: head_roles.Jobs | None, sets: dict[str, str], **look
):
    """Draw these heads (layer and head from 0) as small pictures; a click selects one, and sets
    further fields."""
    pictures = [map_units.regroup(picture(*at, found), units, unit_names) for at in places]
    meant = {
        each.name: {"layer": at[0] + 1, "head": at[1] + 1}
        for each, at in zip(pictures, places, strict=True)
    }
    board.pictures(
        *pictures,
        across=min(len(places), setup.heads),
        chosen=followed,
        chooses=board.choice(meant, init="real", **sets),
        linked=True,
        **look,
    )


def draw_switches():
    """Draw the switches of the map that this text has a use for."""
    if map_units.list_special(setup):
        panel.control("special")
    if len(map_units.list_words(setup)) < n:
        panel.control("units")


def describe_left_out() -> str:
    """State which special pieces are left out, and what they hold."""
    hidden = [place for place in range(n) if place not in kept]
    held = weights[:, hidden].sum(dim=-1)
    special = [names[place] for place in hidden]
    return claims.describe_left_out(
        special, names[i], held[i].item(), held.mean().item(), (layer, head)
    )


def picture(below: int, k: int, found: head_roles.Jobs | None) -> board.Matrix:
    """Return one head's weights (layer and head from 0) without numbers, with the sign of its role
    if measured."""
    name, kind = f"{below + 1}·{k + 1}", claims.kinds(found, below, k)[0] if found else None
    frame = (0, n, 0, n) if (below, k) == (layer, head) else None
    title = f"{name} {claims.SIGNS_OF_KINDS[kind]}".rstrip() if kind else name
    return entries.matrix(
        layers[below],
        "weights",
        k,
        title,
        called=name,
        bare=True,
        clickable=True,
        frame=frame,
        symbol="α",
    )


@page.part(in_lecture=False)
def explain_where_it_is_from():
    elements.html(f'<p class="ab-small">{escape(claims.source(setup))}</p>')
    if not next_word.explain_refusal(setup):
        way = link_to("What comes next, and which head says it?", "next", open="why")
        elements.html(f'<p class="ab-way">{way}</p>')
    elif setup.real.fills:
        way = link_to("What would stand at a covered word?", "next")
        elements.html(f'<p class="ab-way">{way}</p>')


@page.part(in_lecture=False)
def choose_another_model():
    """List the models here and those that can be fetched."""
    models.draw(setup.real.name, link_to)
    models.draw_offers(link_to, news)


@page.closer("fold_row", "row", title=f"What does {words.quote(names[i])} look at, in every head?")
def one_word_in_every_head():
    all_heads.row_in_all(layers, i, j, names, (layer, head))


@page.part("one")
def one_head():
    """Draw one layer and head below the map, unless it stands over it."""
    if not is_open_over_map:
        draw_head()


def draw_head():
    """Draw one layer and head with its numbers, beside its role."""
    show.heading(f"Layer {layer + 1}, head {head + 1}")
    with show.beside("model"):
        with elements.container(key="model_large"):
            draw_weights()
        with elements.container(key="model_does"):
            draw_head_role()


def draw_weights():
    show.plain(looked)
    title = f"α, layer {layer + 1}, head {head + 1}"
    frame = (i, i + 1, 0, n)
    large = entries.matrix(opened, "weights", head, title, sums=True, clickable=True, frame=frame)
    board.matrices(
        large.part(kept, kept) if len(kept) < n else large,
        key="board_model_large",
        chosen=tuple(kept.index(place) if place in kept else 0 for place in (i, j)),
        chooses=board.choice(query="row", key="column", init="real"),
        max_width=46,
        max_height=30,
        of_screen=0.43,
        alt=f"Weights of layer {layer + 1}, head {head + 1}. {looked}",
    )


def draw_head_role():
    found = find_head_roles()
    show.plain(
        claims.does(found, layer, head) if found else head_list.describe_progress(setup.real)
    )
    show.plain(all_heads.brings(opened, head, names))
    elements.html(ways_into())
    if found and found.asked and not lecture.is_on():
        head_list.draw_head_roles(found, layer, head)


def find_head_roles() -> head_roles.Jobs | None:
    """Return the roles of the model's heads without the user's edits; None while they are being
    measured."""
    return head_list.found(setup.real, setup.model)


def ways_into() -> str:
    """Return links to this head's pages with the selected cell, as HTML."""
    here = {"layer": layer + 1, "head": head + 1, "query": i + 1, "key": j + 1}
    steps = {
        "scores": f"{setup.d_k} products of its score",
        "weights": "softmax",
        "context": "what it takes over",
    }
    ways = (link_to(text, path, **here) for path, text in steps.items())
    return (
        f'<p class="ab-way">Open “{escape(names[i])}” → “{escape(names[j])}”:'
        f" {', '.join(ways)}.</p>"
    )


@page.part("scores", in_lecture=True)
def draw_score():
    all_heads.score(opened, head, i, j, names)


@page.part("weights", in_lecture=True)
def draw_softmax():
    all_heads.softmax(opened, head, i, j, names)


@page.closer("fold_brought", "brought", title="Which word brings most?")
def draw_looked_at_and_brought():
    contribution.draw_weights_and_norms(opened, head, i, names)


@page.closer("fold_sinks", "sinks", title="Where does a head look when it finds nothing?")
def explain_where_heads_sink():
    all_heads.sinks(layers, names, (layer, head))


@page.closer("fold_jobs", "fixed", "nameless", title="Which heads find a word?")
def heads_at_work():
    """Draw the heads that find a word, and say how many have no name."""
    found = find_head_roles()
    if found is None:
        show.plain(head_list.describe_progress(setup.real))
        return
    if not lecture.is_on() and (told := claims.explain_unmeasured(found)):
        elements.caption(told)
    if lecture.shows("fixed") and found.asked:
        head_list.relations(found, link_to)
    if lecture.shows("nameless"):
        with lecture.large():
            show.plain(claims.nameless(found))
    places = [each for each in claims.heads_of(found) if not found.names(*each)]
    if lecture.is_on() and lecture.shows("nameless") and places:
        draw_pictures(
            places,
            None,
            {},
            key="board_nameless",
            max_cell=max(2, 132 // len(units)),
            of_screen=0.5,
            alt=claims.nameless(found),
        )


@page.closer(
    "pair",
    "pair",
    title=f"Which heads lead from {words.quote(names[i])} to {words.quote(names[j])}?",
)
def draw_from_word_to_word():
    """Show which heads give the most weight from one word to the other."""
    all_heads.draw_pair(layers, i, j, names, (layer, head))


@page.closer("fold_off", "off", title="Which heads matter for this sentence?")
def draw_heads_that_matter():
    """Show the ablation of each head: the change when it is switched off."""
    moved = background.ask(ablation.measure_ablations, replace(setup, layer=1))
    if moved is None:
        show.plain(
            f"{setup.layers * setup.heads} heads are being switched off, one after the other."
        )
        return
    all_heads.draw_ablations(
        moved,
        "the sentence's vector" if setup.real.is_of_sentences else "the last word's row",
        (layer, head),
    )


if not next_word.explain_refusal(setup):

    @page.closer(
        "fold_repeated", in_lecture=False, title="Which heads go on with what has begun again?"
    )
    def what_has_begun_again():
        induction.draw(setup, (layer, head))


@page.closer("check", in_lecture=False)
def draw_layer_against_pytorch():
    show.check_layer(replace(setup, layer=1), layer + 1)


page.draw()
