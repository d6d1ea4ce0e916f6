"""What the pages say of their numbers: each claim is decided from the tensors. One file a page. No Streamlit here."""

from core.written import count
from pages.shared.said.claims.block import ROUNDING, lengths, negatives_become, norms, post_norm, pre_norm, times_as_long
from pages.shared.said.claims.classifier import accuracy, answer, labels_learned, never_seen, not_gets
from pages.shared.said.claims.common import MOST_LAYERS, followed, headline, in_tokens, vocabulary
from pages.shared.said.claims.compare import fields_apart, no_difference, numbers_apart
from pages.shared.said.claims.context import contribution, mixture
from pages.shared.said.claims.edits import alike, edited, edited_matrix, even, head_off, of_embeddings
from pages.shared.said.claims.encoder import shuffled
from pages.shared.said.claims.geometry import (
    among_the_values,
    components,
    fan,
    flattened,
    in_one_plane,
    independence,
    likeness,
    no_direction,
    sampled,
    variances,
)
from pages.shared.said.claims.heads import one_head_fewer, one_line, parameters, specialised, way_back, what_a_head_changes
from pages.shared.said.claims.masks import batch, causal, dropout, empty_rows, leak, padding, why_causal
from pages.shared.said.claims.overview import far_apart, mean_something, other_rows, sure
from pages.shared.said.claims.projection import fit, largest_terms, picked, stretched
from pages.shared.said.claims.trained import attention_learned, how_made, nearest_row, stack_learned
from pages.shared.said.claims.training import unseen_words
from pages.shared.said.claims.weights import (
    division,
    drawn_by,
    growth,
    largest_weight,
    left_out,
    root,
    row_sums,
    slopes,
    temperature,
    why_it_grows,
)

__all__ = [
    "MOST_LAYERS",
    "ROUNDING",
    "accuracy",
    "alike",
    "among_the_values",
    "answer",
    "attention_learned",
    "batch",
    "causal",
    "components",
    "contribution",
    "count",
    "division",
    "drawn_by",
    "dropout",
    "edited",
    "edited_matrix",
    "empty_rows",
    "even",
    "fan",
    "far_apart",
    "fields_apart",
    "fit",
    "flattened",
    "followed",
    "growth",
    "head_off",
    "headline",
    "how_made",
    "in_one_plane",
    "in_tokens",
    "independence",
    "labels_learned",
    "largest_terms",
    "largest_weight",
    "leak",
    "left_out",
    "lengths",
    "likeness",
    "mean_something",
    "mixture",
    "nearest_row",
    "negatives_become",
    "never_seen",
    "no_difference",
    "no_direction",
    "norms",
    "not_gets",
    "numbers_apart",
    "of_embeddings",
    "one_head_fewer",
    "one_line",
    "other_rows",
    "padding",
    "parameters",
    "picked",
    "post_norm",
    "pre_norm",
    "root",
    "row_sums",
    "sampled",
    "shuffled",
    "slopes",
    "specialised",
    "stack_learned",
    "stretched",
    "sure",
    "temperature",
    "times_as_long",
    "unseen_words",
    "variances",
    "vocabulary",
    "way_back",
    "what_a_head_changes",
    "why_causal",
    "why_it_grows",
]
