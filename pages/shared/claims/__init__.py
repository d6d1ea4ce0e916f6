"""What the pages say of their numbers: each claim is decided from the tensors. One file a page. No Streamlit here."""

from core.written import count
from pages.shared.claims.block import ROUNDING, bend, lengths, norms, post_norm, pre_norm, times_as_long
from pages.shared.claims.classifier import answer
from pages.shared.claims.common import MOST_LAYERS, headline, in_tokens
from pages.shared.claims.context import mixture
from pages.shared.claims.encoder import shuffled
from pages.shared.claims.heads import one_line, way_back
from pages.shared.claims.masks import batch, dropout, empty_rows, leak, padding
from pages.shared.claims.overview import heads_and_output, sure
from pages.shared.claims.weights import division, growth, largest_weight, left_out, row_sums, temperature, why_it_grows

__all__ = [
    "MOST_LAYERS",
    "ROUNDING",
    "answer",
    "batch",
    "bend",
    "count",
    "division",
    "dropout",
    "empty_rows",
    "growth",
    "headline",
    "heads_and_output",
    "in_tokens",
    "largest_weight",
    "leak",
    "left_out",
    "lengths",
    "mixture",
    "norms",
    "one_line",
    "padding",
    "post_norm",
    "pre_norm",
    "row_sums",
    "shuffled",
    "sure",
    "temperature",
    "times_as_long",
    "way_back",
    "why_it_grows",
]
