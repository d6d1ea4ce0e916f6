"""The five notebooks: what they print beside what comes out here, and their mistakes."""

import torch

from core.notebooks import SYSTEMS, find
from pages.shared import claims, controls, elements, lecture, notebooks, show, state, words

setup = state.begin()

show.header("notebooks")
if lecture.shows("question"):
    elements.markdown(
        "N0 to N4 teach attention and transformers in PyTorch. They are real teaching material: they differ in what they call "
        "things, and they contain mistakes. Each system below runs here with its notebook's own sizes."
    )


def one_mistake():
    show.heading("A mistake, switched on and off")
    mistake = find(controls.choose("mistake"))
    form = controls.choice("form", notebooks.forms(mistake))
    elements.markdown(f"**{mistake.notebook}: {mistake.title}.**")
    outcome = notebooks.outcome(mistake, notebooks.faults(form, mistake))
    prose, picture = elements.columns([2, 3], gap="large")
    with prose:
        elements.markdown(f"**What is written.** {mistake.written}")
        elements.markdown(f"**What must hold.** {mistake.invariant}")
        verdict = ":material/check: It holds" if outcome.holds else ":material/close: It does not hold"
        elements.markdown(f"**{verdict}**")
        show.plain(outcome.sentence)
        if not lecture.on():
            if why := notebooks.unnoticed(mistake, form):
                elements.markdown(f"**Why nobody noticed.** {why}")
            elements.markdown(f"**The repair.** {mistake.repair}")
    with picture:
        notebooks.draw(mistake, outcome)
        if not lecture.on():
            elements.code("\n\n".join(notebooks.source(form) for form in mistake.forms), language="python", wrap_lines=True)


def systems():
    show.heading("What each notebook builds: published, and here")
    for notebook in dict.fromkeys(system.notebook for system in SYSTEMS):
        elements.markdown(notebooks.about(notebook))
        elements.plain_table(notebooks.figures(notebook))
    elements.caption(
        "N0's input is only known as printed, four decimals, so its products agree to 2e-4. N1, N2 and N3 draw without a seed: "
        "their numbers cannot come again, only their shapes. “Open it” shows the same system on the example sentence."
    )

    show.heading("Five vocabularies, and the paper's")
    elements.plain_table(notebooks.vocabulary(setup))
    elements.caption(
        f"Live: {claims.count(len(setup.tokens), 'token')}, d_model = {setup.d_model}, d_k = {setup.d_k}, d_v = {setup.d_v}, "
        f"{claims.count(setup.heads, 'head')}. ω and α are N4's letters; here they are called scores and weights."
    )
    figures = [figure for system in SYSTEMS for figure in system.figures()]
    numbers = [figure for figure in figures if isinstance(figure.published, torch.Tensor)]
    shapes = [figure for figure in figures if isinstance(figure.published, tuple)]
    elements.markdown(
        ":material/check: Checked just now: "
        f"{sum(figure.agrees for figure in numbers)} of {len(numbers)} published sets of numbers and "
        f"{sum(figure.agrees for figure in shapes)} of {len(shapes)} published shapes agree; for "
        f"{len(figures) - len(numbers + shapes)} nothing was published. {words.number(0.0002)} is allowed for N0's rounded input."
    )


if lecture.shows("mistake"):
    one_mistake()
if lecture.shows("all"):
    show.heading("All mistakes at a glance")
    elements.plain_table(notebooks.every_mistake())
if not lecture.on():
    systems()
show.footer("notebooks")
