"""The board: every matrix in the explorer, packed by Python and drawn in the reader's browser.

Python: `views` has a function for each way to show matrices, `packed` makes what a board is given, `mount` sends it, `scripts`
joins the files below into what a browser loads.

Scripts, lower ones use higher ones: `dom` (new elements), `numbers`, `text`, `colours`, `matrix` (its cells), `labels` (at its
edges), `picture` (a board to keep), `sheet` (what a view draws on), `editing` (a weight changed by hand, and the list of such
changes), `pointing` (mouse, finger, keys), `motion` (a board performs what it computes), `player` (its controls), `blend`
(colours go from old to new), `motion/` (a file for each thing that is performed), `views/` (a file for each way to show
matrices), `bar` (the way from page to page), `print` (on paper), `mount` (what begins when). Styles: `page`, `bar`, `sheet`,
`motion`, `picture`, `editing`, `views`, `print`.
"""

from pages.shared.board.mount import bar, library
from pages.shared.board.packed import Editable, Matrix, choice, numbered
from pages.shared.board.views import (
    Stage,
    Step,
    WordList,
    film,
    flow,
    matrices,
    nothing,
    overview,
    pictures,
    product,
    stream,
    terms,
    vocabulary,
    words,
    worksheet,
)

__all__ = [
    "Editable",
    "Matrix",
    "Stage",
    "Step",
    "WordList",
    "bar",
    "choice",
    "film",
    "flow",
    "library",
    "matrices",
    "nothing",
    "numbered",
    "overview",
    "pictures",
    "product",
    "stream",
    "terms",
    "vocabulary",
    "words",
    "worksheet",
]
