"""Your own matrices: pasted text on the left, parsed matrices and a checked solution on the
right."""

from pages.shared import lecture
from pages.shared.layout import show
from pages.shared.layout.page import Parts
from pages.shared.page_components.bring import (
    alone,
    graded,
    grid,
    matrix_list,
    shelf,
    solutions,
    upload,
)
from pages.shared.page_components.bring.result import IN_A_NOTEBOOK, look, look_at_layer
from pages.shared.server import run
from pages.shared.text import elements

setup, focus = run.setup(), run.focus()
page = Parts()


@page.part("read", in_lecture=True)
def a_text_and_what_it_holds():
    """Draw the pasted text, or else the example, beside its parsed matrices, for a lecture."""
    text = upload.text_of(focus.pasted) or shelf.examples()[0].text
    looked = look(text, focus.answers, setup)
    left, right = elements.columns([2, 3])
    with left:
        matrix_list.draw_text(text, looked)
    with right:
        matrix_list.draw(looked)


@page.part("slip", "cell", in_lecture=True)
def a_slip():
    """Draw the check of the pasted solution, or else of the example."""
    text = upload.text_of(focus.pasted) or shelf.examples()[0].text
    looked = look(text, focus.answers, setup)
    if looked.report and looked.report.verdicts:
        graded.draw(looked, focus, text, lecture.current_beat())


@page.part(in_lecture=False)
def paste_read_and_check():
    with show.beside("bring"):
        left = elements.container(key="bring_paste")
        with left:
            edited = elements.container(key="bring_text")
            with edited:
                upload.edit_text()
            brought = upload.bring()
        text, several = brought.text, solutions.read(brought.files)
        looked = look(text, focus.answers, setup)
        if brought.layer:
            looked = look_at_layer(*brought.layer, looked, focus.answers)
        elif text:
            with edited if brought.is_edited else left:
                (matrix_list.draw_names if brought.is_edited else matrix_list.draw_text)(
                    text, looked
                )
        if not several and not brought.layer:
            with left:
                grid.draw(looked)
        with elements.container(key="bring_read"):
            if not (text or brought.layer or looked.reading.matrices):
                draw_nothing_yet()
            elif several or not draw_alone(looked):
                if not several:
                    verdict(looked)
                show.heading("What was read")
                way_on(looked, text)
                matrix_list.draw(looked)
    if several:
        solutions.draw(several, looked, setup)
    elif looked.report and looked.report.verdicts:
        show.heading("Your solution, cell by cell")
        graded.draw(looked, focus, text)


def draw_alone(looked):
    """Draw attention weights that stand alone; return whether they do."""
    try:
        layers = alone.read(looked)
    except ValueError as error:
        show.plain(str(error))
        return False
    if layers:
        show.heading("Attention weights")
        alone.draw(layers, focus.answers)
        if looked.report and not looked.reading.tokens:  # it may be the panel's step
            show.plain(str(looked.report))
    return bool(layers)


def draw_nothing_yet():
    """Explain the empty parser panel and show the checked example."""
    elements.markdown(
        "What is read of the text stands here: each matrix with its line, and one question where"
        " something is not sure. The example, as it is checked:"
    )
    graded.preview(shelf.examples()[0].text, "weights")


def verdict(looked):
    """Show the result of the check at the top of the page."""
    if looked.report:
        show.heading("Your solution")
        show.plain(str(looked.report))
        if looked.of_panel:
            elements.caption(
                "Only steps stand there, so they are checked against the setup in the panel."
            )


def way_on(looked, text):
    if looked.setup is not None:
        way = upload.link_to_page(looked.setup, "projection", "Open in the seven pages", text)
        elements.html(f'<p class="ab-way">{way}</p>')
    elif (
        looked.why_not and looked.why_not not in looked.reading.messages and not looked.reading.open
    ):  # open questions are shown below
        show.plain(looked.why_not)


@page.part(in_lecture=False)
def explain_what_to_paste():
    show.heading("What can be pasted")
    elements.markdown(
        "**What is given**: X (a row for each word) with W_q, W_k, W_v, or Q, K and V themselves."
        " As it stands: Python, NumPy, PyTorch, LaTeX, MATLAB, R, Markdown, a spreadsheet, or bare"
        " rows. The name beside a matrix says what it is; what has none is asked. A line"
        " `scale: 8`, `mask: causal` or `heads: 2` sets these.\n\n**Your solution** below it,"
        " any step of it: `scores =`, `alpha =`, `Z =`. It is"
        " checked cell by cell, at the decimals that you wrote, and a usual slip is named. A"
        " solution alone is checked against the setup in the panel.\n\n**Attention weights** of"
        " whatever model, alone: `attention = tensor(…)`, one matrix, heads, or layers of heads,"
        " with `tokens = […]`. They are drawn as a map, lines and numbers.\n\n**A layer** as a"
        " file: `.npz`, `.safetensors` or PyTorch's `.pt`, with X pasted where the file has no"
        " sentence.\n\n**Several solutions** as files, or as one CSV with the columns `name` and"
        " `text`: a table of who made which slip."
    )


@page.part(in_lecture=False)
def draw_shelf():
    show.heading("Published examples")
    shelf.draw_all()
    if in_code := elements.fold("The same in a notebook of yours", "in_code"):
        with in_code:
            elements.code(IN_A_NOTEBOOK)
    elements.caption(
        "Nothing is run. What is pasted stands in the link, and whoever has that can read it. A"
        " file is read for you alone; once its numbers are opened in the seven pages, the server"
        " keeps it for a while, and the link names it."
    )


page.draw()
