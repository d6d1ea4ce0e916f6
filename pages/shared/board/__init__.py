"""A page's boards: one function for each view of `core.board`.

`entries` makes a matrix from a trace's entry; `mount` sends a view to the browser.
"""

from core.board import next_word as next_words
from core.board import planes, views
from core.board.long_axes import largest, select_pictured
from core.board.packed import SEEN_WHOLE, Editable, Matrix, choice, number_labels
from core.board.planes import OF_A_KEY
from core.board.stations import OtherHead, Station, Words
from core.board.views import Asked, Bead, Stage
from pages.shared.board.mount import view_function

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
rotation, next_word = view_function(planes.Rotation), view_function(next_words.NextWord)
