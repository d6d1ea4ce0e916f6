"""The board: every matrix in the explorer, packed by Python and drawn in the reader's browser.

Python: `packed` makes what a board is given, `mount` sends it, `scripts` joins the files below into what a browser loads.

Scripts, lower ones use higher ones: `dom` (new elements), `numbers`, `text`, `colours`, `matrix` (its cells), `labels` (at its
edges), `sheet` (what a view draws on), `pointing` (mouse, finger, keys), `views/` (a file for each way to show matrices), `bar`
(the way from page to page), `mount` (what begins when). Styles: `page`, `bar`, `sheet`, `views`.
"""

from pages.shared.board.mount import bar, library, show
from pages.shared.board.packed import choice, matrix, numbered, pack

__all__ = ["bar", "choice", "library", "matrix", "numbered", "pack", "show"]
