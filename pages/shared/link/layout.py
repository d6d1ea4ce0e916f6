"""Where each control stands in the panel, and what each preset teaches. No Streamlit here.

A field's label and help are declared with the field; a page's own controls stand where that page draws them.
"""

SENTENCE = ("text", "split")
SIZES = ("heads", "d_model", "d_k", "d_v", "sizes", "projections")
CHOICES = ("init", "seed", "positions", "mask", "scale", "temperature", "bias", "out")
FOLLOWED = ("query", "key", "column")
LECTURE = ("lecture", "route", "notes", "hide", "do")

# By a page's path: the controls that stand in the panel while that page is open.
ON_PAGE: dict[str, tuple[str, ...]] = {
    "masks": ("others", "sentence", "padding", "dropout", "dropout_seed"),
    "block": ("layers", "layer", "norm", "activation", "d_ff"),
    "encoder": ("layers", "layer", "norm", "activation", "d_ff", "shuffle"),
    "next": ("choose", "word_temperature", "top_k", "top_p", "draw_seed", "task", "unembedding"),
    "classifier": ("others", "sentence", "padding", "layers", "norm", "activation", "d_ff", "classes"),
    "training": ("steps", "row"),
}

TEACHES = {
    "Three words": "by hand",
    "Small · class": "every number, from the last row",
    "Trained": "who is thirsty?",
    "Sentence · N4": "the seven steps",
    "No weights · N0": "nothing to learn",
    "Wide · N1": "20 heads, each of full width",
    "Narrow · N2": "heads share d_model",
    "Biases · N3": "a number for each column",
}
