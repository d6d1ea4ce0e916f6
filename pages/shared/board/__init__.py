"""The board: every matrix in the explorer, packed by Python and drawn in the reader's browser.

Python: `views` has a function for each way to show matrices, `packed` makes what a board is given, and `stations` what a
machine is; `mount` sends it, `scripts` joins the files below into what a browser loads.

Scripts, lower ones use higher ones: `dom` (new elements), `numbers`, `text`, `colours`, `matrix` (its cells), `labels` (at its
edges), `picture` (a board to keep), `sheet` (what a view draws on), `editing` (a weight changed by hand, and the list of such
changes), `pointing` (mouse, finger, keys), `views/` (a file for each way to show matrices), `bar` (the way from page to page),
`print` (on paper), `mount` (what begins when). Styles: `page`, `bar`, `sheet`, `picture`, `editing`, `views`, `print`.
"""

from pages.shared.board.mount import bar, library
from pages.shared.board.packed import Editable, Matrix, choice, numbered
from pages.shared.board.stations import OtherHead, Station, Words
from pages.shared.board.views import (
    Stage,
    film,
    flow,
    machine,
    matrices,
    nothing,
    pictures,
    product,
    stream,
    terms,
    tower,
    vocabulary,
    words,
    worksheet,
)

__all__ = [
    "Editable",
    "Matrix",
    "OtherHead",
    "Stage",
    "Station",
    "Words",
    "bar",
    "choice",
    "film",
    "flow",
    "library",
    "machine",
    "matrices",
    "nothing",
    "numbered",
    "pictures",
    "product",
    "stream",
    "terms",
    "tower",
    "vocabulary",
    "words",
    "worksheet",
]
