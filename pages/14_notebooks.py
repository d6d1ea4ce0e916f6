"""The five notebooks: their printed results beside this app's, and their mistakes."""

import torch

from core.notebooks import ABOUT, MISTAKES, SYSTEMS, WITHOUT_MISTAKES, find, list_mistakes
from core.text.written import count
from pages.shared import lecture, panel
from pages.shared.layout import show
from pages.shared.page_components.notebooks import notebooks
from pages.shared.server import run
from pages.shared.text import elements, words

setup, focus = run.setup(), run.focus()
notebook = focus.mistake if focus.mistake in WITHOUT_MISTAKES else find(focus.mistake).notebook

if lecture.current_beat() == "question":
    elements.markdown(
        "N0 to N4 teach attention and transformers in PyTorch. They are real teaching material:"
        " they differ in what they call things, and they contain mistakes. Each system runs here"
        " with its notebook's own sizes."
    )


def draw_figure():
    elements.markdown(notebooks.about(notebook))


def one_mistake():
    """Show a mistake's effect and its fix, both run by the notebook's file in `core/notebooks`."""
    if notebook in WITHOUT_MISTAKES:
        others = len(ABOUT) - len(WITHOUT_MISTAKES)
        elements.markdown(
            f"In {notebook} no mistake was found. The other {others} notebooks have {len(MISTAKES)}"
            " between them."
        )
        return
    which, how = elements.columns([2, 3])
    with which:
        mistake = find(panel.control("mistake", [each.key for each in list_mistakes(notebook)]))
    with how:
        form = panel.control("form", notebooks.forms(mistake))
    if not lecture.is_on():
        elements.markdown(f"**{mistake.notebook}: {mistake.title}.**")
    notebooks.draw(mistake, form)
    outcome = notebooks.outcome(mistake, notebooks.faults(form, mistake))
    verdict = ":material/check: It holds" if outcome.holds else ":material/close: It does not hold"
    left, right = elements.columns(2, gap="large")
    with left:
        elements.markdown(f"**What is written.** {mistake.written}")
        if not lecture.is_on() and (why := notebooks.explain_unnoticed(mistake, form)):
            elements.draw_question("Why did nobody notice?", why)
    with right:
        elements.markdown(f"**What must hold.** {mistake.invariant} **{verdict}**, {form}.")
        if not lecture.is_on():
            show.plain(outcome.sentence)
            elements.draw_question("What is the repair?", mistake.repair)
    if not lecture.is_on():
        elements.code("\n\n".join(notebooks.source(form) for form in mistake.forms))


def draw_published_output():
    show.heading(f"{notebook}: published, and here")
    with elements.container(key="published"):
        elements.plain_table(notebooks.figures(notebook))
    made_in = words.list_files(
        *(system.figures for system in SYSTEMS if system.notebook == notebook)
    )
    elements.caption(
        f"“Here” is computed in {made_in}, with nothing to install. To run the seven steps"
        " yourself, take the notebook or the script under **Share**: they need only PyTorch."
        f" {notebooks.AGREE_TO.get(notebook, '')}".rstrip()
    )


def all_of_them():
    if at_a_glance := elements.fold("All mistakes at a glance", "every_mistake"):
        with at_a_glance:
            elements.plain_table(notebooks.every_mistake())
    if vocabularies := elements.fold("Five vocabularies, and the paper's", "vocabularies"):
        with vocabularies:
            elements.plain_table(notebooks.vocabulary(setup))
            elements.caption(
                f"Live: {count(len(setup.tokens), 'token')}, d_model = {setup.d_model}, d_k ="
                f" {setup.d_k}, d_v = {setup.d_v}, {count(setup.heads, 'head')}. ω and α are N4's"
                " letters; here they are called scores and attention weights."
            )


def describe_agreement():
    figures = [figure for system in SYSTEMS for figure in system.figures()]
    numbers = [figure for figure in figures if isinstance(figure.published, torch.Tensor)]
    shapes = [figure for figure in figures if isinstance(figure.published, tuple)]
    show.checked(
        f", all five notebooks: {sum(figure.agrees for figure in numbers)} of {len(numbers)}"
        f" published sets of numbers agree, and {sum(figure.agrees for figure in shapes)} of"
        f" {len(shapes)} published shapes."
    )


if not lecture.is_on():
    notebooks.tabs(notebook)
if lecture.shows("mistake"):
    one_mistake()
if lecture.is_on() and lecture.shows("all"):
    for column, half in zip(elements.columns(2), notebooks.split_in_halves(), strict=True):
        with column:
            elements.plain_table(half)
if not lecture.is_on():
    draw_figure()
    draw_published_output()
    all_of_them()
    describe_agreement()
