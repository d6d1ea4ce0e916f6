"""The board: every matrix in the explorer, packed by Python and drawn in the reader's browser.

Python: `views` has a function for each way to show matrices, `planes` for arrows and points, `packed` makes what a board is
given, `stations` what a machine is, `entries` a picture of a trace's entry; `mount` sends it.

Scripts, lower ones use higher ones: `dom` (new elements), `numbers`, `text`, `colours`, `matrix` (its cells), `labels` (at its
edges), `picture` (a board to keep), `menu` (in its corner), `sheet` (what a view draws on), `editing` (a weight changed by
hand, and the list of such changes), `tip` (what a mouse points at, said there), `pointing` (mouse, finger, keys), `windowed` (of a
long axis a part at a time, and a strip to move it by), `motion` (a board performs what it computes), `player` (its controls),
`blend` (colours go from old to new), `motion/` (a file for each thing that is performed), `views/` (a file for each way to show
something), `table` (numbers as they are written), `running_sum` (one cell's terms, as bars and as a table), `mount` (what begins
when). They are joined with those of the whole page in `browser/scripts.py`.
"""

from pages.shared.board.mount import running_sum, show
from pages.shared.board.packed import SEEN_WHOLE, Editable, Matrix, choice, numbered
from pages.shared.board.planes import OF_A_KEY, fan, mixtures, points, stretch, turn
from pages.shared.board.stations import OtherHead, Station, Words
from pages.shared.board.views import (
    Stage,
    film,
    flow,
    machine,
    matrices,
    nothing,
    opening,
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
    "OF_A_KEY",
    "SEEN_WHOLE",
    "Editable",
    "Matrix",
    "OtherHead",
    "Stage",
    "Station",
    "Words",
    "choice",
    "fan",
    "film",
    "flow",
    "machine",
    "matrices",
    "mixtures",
    "nothing",
    "numbered",
    "opening",
    "pictures",
    "points",
    "product",
    "running_sum",
    "show",
    "stream",
    "stretch",
    "terms",
    "tower",
    "turn",
    "vocabulary",
    "words",
    "worksheet",
]
