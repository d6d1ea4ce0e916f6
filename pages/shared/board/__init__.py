"""The board: every matrix in the explorer, packed by Python and drawn in the reader's browser.

Python: `views` declares each way to show matrices, `planes` those with arrows and points,
`next_word` that of the next word; `packed` makes what a board is given, `long` shows a part of what
is long, `stations` says what a machine is, `entries` is a picture of a trace's entry; `mount` sends
it.

Scripts, lower ones use higher ones: `dom` (new elements), `numbers`, `text`, `colours`, `matrix`
(its cells), `labels` (at its edges), `picture` (a board to keep), `menu` (in its corner), `sheet`
(what a view draws on), `editing` (a weight changed by hand, and the list of such changes), `tip`
(what a mouse points at, said there), `pointing` (mouse, finger, keys), `clock` (time),
`primitives` (what all that moves is made of), `player` (a board performs its script), `controls`
(its buttons), `scripts/` (what each view performs, as data), `blend` (colours go from old to
new), `views/` (a file for each way to show something), `table` (a matrix as a table), `mount`
(what begins when). They are joined with those of the whole page in `browser/scripts.py`.
"""

from pages.shared.board import planes, views
from pages.shared.board.long import largest
from pages.shared.board.mount import door
from pages.shared.board.packed import SEEN_WHOLE, Editable, Matrix, choice, number_labels
from pages.shared.board.planes import OF_A_KEY
from pages.shared.board.stations import OtherHead, Station, Words
from pages.shared.board.views import Asked, Bead, Stage

__all__ = [
    "OF_A_KEY",
    "SEEN_WHOLE",
    "Asked",
    "Bead",
    "Editable",
    "Matrix",
    "OtherHead",
    "Stage",
    "Station",
    "Words",
    "choice",
    "largest",
    "number_labels",
]

matrices, pictures, nothing = door(views.Matrices), door(views.Pictures), door(views.Nothing)
product, terms = door(views.Product), door(views.Terms)
stream, flow, film, tower = (
    door(views.Stream),
    door(views.Flow),
    door(views.Film),
    door(views.Tower),
)
words, opening, vocabulary, machine = (
    door(views.Words),
    door(views.Opening),
    door(views.Vocabulary),
    door(views.Machine),
)
told, known = door(views.Told), door(views.Known)
fan, points, mixtures = door(planes.Fan), door(planes.Points), door(planes.Mixtures)
turn = door(planes.Turn)
