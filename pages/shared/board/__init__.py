"""The board: matrices packed by Python and drawn in the browser.

Python: `views`, `planes` and `next_word` declare the views; `packed` serialises matrices, `entries`
makes one from a trace's entry, `long` shortens long axes, `stations` describes the overview
diagram, `mount` sends it all.

Scripts, from low level to high: `dom` (elements), `numbers`, `text`, `colours`, `matrix` (cells),
`labels`, `picture` (export), `menu`, `sheet` (drawing area), `editing` (changed weights), `tip`
(tooltips), `pointing` (mouse, touch, keys), `clock` (time), `primitives` (animations), `player` and
`controls` (playback), `scripts/` (each view's animation as data), `blend` (colour transitions),
`views/` (one file each), `table`, `mount` (start). `browser/scripts.py` joins them with the page's
scripts.
"""

from pages.shared.board import planes, views
from pages.shared.board.long import largest, select_pictured
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
    "select_pictured",
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
