"""The table of pages, one row each, for frame, panel, navigation bar, class and tests.

Rows are data, without functions of the frame or Streamlit. A page's beats are in
`beats/<path>.toml`.
"""

from dataclasses import dataclass, field

ATTENTION, STACK = (
    ("attention",),
    ("attention", "stack"),
)  # parts of a trained model: for the seven steps, and for blocks


@dataclass(frozen=True)
class Glyph:
    """A page's icon in the bar, 30 × 22: `boxes` (left, top, width, height, role) and a `line`, an
    SVG path.

    The first `rows` boxes have one row for each word; the selected word's is highlighted.
    """

    boxes: tuple[tuple[float, float, float, float, str], ...] = ((8, 4, 14, 14, "x"),)
    line: str = ""
    rows: int = 0


@dataclass(frozen=True)
class Predicted:
    """A prediction in `core.quiz.predictions`: name, colour role, and the board and entry with the
    answer."""

    name: str
    role: str
    board: str
    entry: str = ""


@dataclass(frozen=True, eq=False)
class Page:
    """One page. Words for roles (query, key …) have the role's colour.

    path: the URL and the file's name without number. title: its name. sentence: what happens and
    why. act: possible actions. across: addition to `sentence` for cross-attention. group: heading
    in the bar, if any. in_row: shown in the bar. glyph: its icon. wire: the values' line in the bar
    runs `from` this page, `past` it or `to` it. asks: the beat whose question is below the figure,
    if any. follows: the `query` or `pair` in a lecture's question; "" if the page draws it. cell:
    the selected entry with the fields of row and column, or a word's field. controls: at the
    figure, or in the tab `controls_in`; the first three are visible. main: entries compared with a
    pinned setup, if any. main_beat: the beat of the last of these. main_of: their source:
    `sentence` (seven steps), `batch`, `stack` or next `word`. trains: the parts of a trained model
    that must be ready, if any. predictions: questions before a step. mistake: the notebook mistake
    about this step (`core.notebooks`). Exercises are found by path (`core.quiz.exercises`).
    """

    path: str
    title: str
    sentence: str
    act: str = ""
    across: str = ""
    group: str = ""
    in_row: bool = True
    glyph: Glyph = field(default_factory=Glyph)
    wire: str = ""
    asks: str = ""
    follows: str = "query"
    cell: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    controls_in: str = ""
    main: tuple[str, ...] = ()
    main_beat: str = ""
    main_of: str = "sentence"
    trains: tuple[str, ...] = ATTENTION
    predictions: tuple[Predicted, ...] = ()
    mistake: str = ""

    @property
    def file(self) -> str:
        """Return the page's file, relative to the project."""
        return f"pages/{number(self)}_{self.path or 'overview'}.py"

    @property
    def is_numbered(self) -> bool:
        """Return whether it is one of the seven steps."""
        return self in SEVEN

    @property
    def menu(self) -> str:
        """Return its name in the menu; the seven steps are numbered."""
        return f"{number(self)} {self.title}" if self.is_numbered else self.title

    @property
    def heading(self) -> str:
        """Return its heading; the seven steps are numbered."""
        return f"{number(self)} · {self.title}" if self.is_numbered else self.title


def number(page: Page) -> int:
    """Return a page's position: 0 for the overview, 1 to 7 for the steps, 8 and more after them."""
    return PAGES.index(page)


def find(path: str) -> Page:
    """Return the page with this path."""
    return next(page for page in PAGES if page.path == path)


COLUMN = Glyph(((10, 3, 10, 16, "x"),), "M10 7h10M10 11h10M10 15h10", rows=1)
GRID = "M12.5 3.5v15M17.5 3.5v15M7.5 8.5h15M7.5 13.5h15"
INSIDE, AT_WORK = "Inside a transformer", "At work"
OF_BLOCKS = ("layers", "layer", "norm", "d_ff", "norm_kind", "activation")

OVERVIEW = Page(
    "",
    "Overview",
    "Follow any number in self-attention back to the word it came from.",
    glyph=Glyph(
        (
            (2, 8, 5, 6, "x"),
            (10, 2, 5, 5, "q"),
            (10, 8.5, 5, 5, "k"),
            (10, 15, 5, 5, "v"),
            (18, 8, 5, 6, "weights"),
            (25, 8, 4, 6, "output"),
        )
    ),
    follows="",
    main=("weights",),
)
SEVEN = (
    Page(
        "vocabulary",
        "Vocabulary",
        "A network cannot multiply words, so each gets a number: its place in a sorted list.",
        "Click one.",
        across="Two sentences share one list.",
        glyph=Glyph(((6, 4, 11, 3, "x"), (6, 9.5, 18, 3, "x"), (6, 15, 14, 3, "x"))),
        asks="words",
        cell=("query",),
        main=("ids",),
        main_beat="words",
        mistake="N4 vocabulary",
    ),
    Page(
        "embedding",
        "Embedding",
        "The id picks a row of a table. From here on these numbers stand for the word.",
        "Click one, or press **Play**.",
        across="Both sentences share one table.",
        glyph=COLUMN,
        asks="lookup",
        cell=("query",),
        main=("x",),
        main_beat="lookup",
        mistake="N4 seed",
    ),
    Page(
        "projection",
        "Projection",
        "Three matrices make three vectors of each word: a :blue[query] to ask with, a :red[key] to"
        " be asked by, a :green[value] to hand on.",
        "Click a number, or press **Play**.",
        across="Queries are those of the first sentence, keys and values those of the other.",
        glyph=Glyph(((11, 1, 8, 6, "q"), (11, 8, 8, 6, "k"), (11, 15, 8, 6, "v")), rows=1),
        wire="from",
        asks="row",
        main=("q", "k", "v"),
        main_beat="matrix",
        mistake="N3 values",
    ),
    Page(
        "scores",
        "Scores",
        "How well does a :blue[query] fit a :red[key]? Multiply them number by number, and add up.",
        "Click a score, or press **Play**.",
        across="Queries are those of the first sentence, keys those of the other.",
        glyph=Glyph(((7.5, 3.5, 15, 15, "scores"),), GRID, rows=1),
        wire="past",
        follows="pair",
        cell=("scores", "query", "key"),
        main=("scores",),
        main_beat="matrix",
        predictions=(Predicted("scores", "scores", "board_scores", "scores"),),
        mistake="N4 counting",
    ),
    Page(
        "weights",
        "Weights",
        "One query's :yellow[scores] become :violet[shares of 1]: how much of its attention each"
        " word gets.",
        "Click one, or press **Play**.",
        glyph=Glyph(((7.5, 3.5, 15, 15, "weights"),), GRID, rows=1),
        wire="past",
        cell=("weights", "query", "key"),
        main=("weights",),
        main_beat="shares",
        predictions=(
            Predicted("weights", "weights", "board_weights_row", "weights"),
            Predicted("root", "weights", "board_unscaled"),
        ),
        mistake="N4 softmax and size",
    ),
    Page(
        "context",
        "Context",
        "Each word's context is a mixture of all :green[values], each taken by its"
        " :violet[weight].",
        "Click a number, or press **Play**.",
        across="Values are those of the sentence of the keys.",
        glyph=Glyph(((10, 3, 10, 16, "output"),), COLUMN.line, rows=1),
        wire="to",
        cell=("context", "query", "column"),
        main=("context",),
        main_beat="matrix",
        predictions=(Predicted("context", "v", "board_context", "context"),),
        mistake="N0 index",
    ),
    Page(
        "heads",
        "Heads",
        "Heads look at the sentence, each in its own way. W_o mixes what they found into one"
        " vector for each word.",
        "Choose a part, and click a number.",
        glyph=Glyph(
            ((4, 3, 6, 16, "output"), (12, 3, 6, 16, "output"), (20, 3, 6, 16, "output")), rows=3
        ),
        main=("output",),
        main_beat="output",
        predictions=(Predicted("heads", "output", "board_contributions"),),
        mistake="N4 output size",
    ),
)
LATER = (
    Page(
        "masks",
        "Masks",
        "A mask says who may look at whom. Under the causal one no word looks at what comes later.",
        "Click a cell.",
        group=INSIDE,
        glyph=Glyph(
            ((7.5, 3.5, 15, 15, "weights"),),
            "M7.5 3.5L22.5 18.5M12.5 3.5l10 10M17.5 3.5l5 5",
            rows=1,
        ),
        asks="causal",
        controls=("padding", "sentence", "others"),
        controls_in="padding",
        main=("weights",),
        main_beat="weights",
        main_of="batch",
        mistake="N0 mask",
    ),
    Page(
        "block",
        "Block",
        "Attention's output is added to each word's vector, normed, and put through a small"
        " network.",
        "Click a number, or press **Play**.",
        group=INSIDE,
        glyph=Glyph(((12, 2, 12, 7, "x"), (12, 13, 12, 7, "x")), "M6 0v22M6 5.5h6M6 16.5h6"),
        asks="stream",
        controls=OF_BLOCKS,
        main=("out",),
        main_beat="stream",
        main_of="stack",
        trains=STACK,
        mistake="N0 norm",
    ),
    Page(
        "encoder",
        "Encoder",
        "Blocks on top of one another, each with its own matrices. Do they know the order of the"
        " words?",
        "Click a picture.",
        group=INSIDE,
        glyph=Glyph(((7, 1.5, 16, 5, "x"), (7, 8.5, 16, 5, "x"), (7, 15.5, 16, 5, "x"))),
        asks="stack",
        controls=(*OF_BLOCKS, "shuffle"),
        main=("weights", "out"),
        main_beat="large",
        main_of="stack",
        trains=STACK,
        mistake="N2 four axes",
    ),
    Page(
        "next",
        "Next word",
        "The last word's row becomes a share for each word, and one is drawn. That is how a"
        " language model writes.",
        "Press **One word**, or move **Words' temperature**.",
        group=AT_WORK,
        glyph=Glyph(
            ((3, 12, 4, 7, "output"), (9, 3, 4, 16, "output"), (15, 9, 4, 10, "output")),
            "M22 11h6M25.5 8.5L28 11l-2.5 2.5",
        ),
        asks="shares",
        follows="",
        controls=(
            "word_temperature",
            "top_k",
            "top_p",
            "choose",
            "draw_seed",
            "task",
            "unembedding",
        ),
        main=("probabilities",),
        main_beat="shares",
        main_of="word",
        trains=STACK,
    ),
    Page(
        "classifier",
        "Classifier",
        "From your sentences to probabilities of classes: everything so far, a mean, and one more"
        " matrix.",
        "Press **Play**.",
        group=AT_WORK,
        glyph=Glyph(
            ((5, 12, 5, 7, "output"), (12.5, 3, 5, 16, "output"), (20, 9, 5, 10, "output"))
        ),
        asks="way",
        controls=(
            "sentence",
            "padding",
            "layers",
            "classes",
            "others",
            "norm",
            "norm_kind",
            "activation",
            "d_ff",
        ),
        trains=("labelled",),
        mistake="N2 classifier",
    ),
    Page(
        "training",
        "Training",
        "Nobody writes these matrices: training moves every number, step by small step, towards"
        " right answers.",
        "Press **Play**.",
        group=AT_WORK,
        glyph=Glyph((), "M5 3C8 17 13 17 26 18M5 3v16h21"),
        asks="film",
        follows="",
        controls=("task", "layers", "dropout", "dropout_seed", "steps"),
    ),
    Page(
        "notebooks",
        "Notebooks",
        "Five notebooks are behind this explorer: what each printed, and its mistakes with their"
        " repair.",
        "Choose one.",
        in_row=False,
        glyph=Glyph(((8, 2, 14, 18, "x"),), "M11 7h8M11 11h8M11 15h5"),
        follows="",
        trains=(),
    ),
    Page(
        "model",
        "Real model",
        "A model that people use reads your sentence. What each of its heads does is measured:"
        " click a picture to open that head.",
        glyph=Glyph(
            tuple((left, top, 6, 5, "weights") for top in (2, 8.5, 15) for left in (4, 12, 20))
        ),
        follows="",
    ),
    Page(
        "bring",
        "Bring your own",
        "Your own numbers in place of the explorer's, and your solution checked as a teacher does"
        " it, cell by cell.",
        "Paste.",
        in_row=False,
        glyph=Glyph(
            ((4, 3, 9, 16, "x"), (17, 3, 9, 16, "output")), "M6 8h5M6 12h5M6 16h5M19 11l2 3 4-6"
        ),
        follows="",
    ),
)
PAGES = (OVERVIEW, *SEVEN, *LATER)
ROW = tuple(page for page in PAGES if page.in_row)  # in the order of the arrow keys
