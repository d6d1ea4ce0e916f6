"""The board: matrices packed by Python and drawn in the browser.

Python: `views`, `planes` and `next_word` declare the views; `packed` serialises matrices, `entries`
makes one from a trace's entry, `long_axes` shortens long axes, `stations` describes the overview
diagram, `mount` sends it all.

Scripts in `web/`, from low level to high: `dom` (elements), `numbers`, `text`, `colours`, `decode`
(data from Python), `matrix` (cells), `labels`, `table`, `picture` (export), `menu`, `canvas`
(drawing area), `editing` (changed weights), `tooltip`, `pointing` (mouse, touch, keys), `clock`
(time), `primitives` (animations), `player` and `controls` (playback), `scripts/` (each view's
animation as data), `transition` (colours after a change), `views/` (one file each), `board`
(start). `pages/shared/web/scripts.py` joins them with the page's scripts.
"""

from pages.shared.board import planes, views
from pages.shared.board.long_axes import largest
from pages.shared.board.mount import view_function
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

matrices, pictures, nothing = (
    view_function(views.Matrices),
    view_function(views.Pictures),
    view_function(views.Nothing),
)
product, terms = view_function(views.Product), view_function(views.Terms)
residual_stream, flow, training_history, layer_stack = (
    view_function(views.ResidualStream),
    view_function(views.Flow),
    view_function(views.TrainingHistory),
    view_function(views.LayerStack),
)
words, opening, vocabulary, pipeline = (
    view_function(views.Words),
    view_function(views.Opening),
    view_function(views.Vocabulary),
    view_function(views.Pipeline),
)
story_scene, story_numbers = view_function(views.StoryScene), view_function(views.StoryNumbers)
key_arrows, points, mixtures = (
    view_function(planes.KeyArrows),
    view_function(planes.Points),
    view_function(planes.Mixtures),
)
rotation = view_function(planes.Rotation)
