"""Where each control stands in the panel, and what each preset teaches. No Streamlit here.

A field's label and help are declared with the field. What stands at one page's figure is named in
that page's row (`pages.py`), a page's own controls where that page draws them.
"""

SENTENCE = ("text",)
SLIDES_TO = {"temperature": 10.0}  # what a slider reaches where more may be typed
SIZES = ("heads", "d_model", "d_k", "d_v")
CHOICES = (  # folded
    "memory",
    "init",
    "seed",
    "positions",
    "mask",
    "window",
    "sizes",
    "projections",
    "kv_heads",
    "scale",
    "temperature",
    "bias",
    "out",
)
FOLLOWED = ("column",)
LECTURE = ("lecture", "route", "notes", "hide", "do")
DERIVED = ("embedding", "projection", "heads")  # the pages on which the sizes stand open
FOR_TEACHERS = {"notebooks": "Notebooks", "bring": "Bring your own"}  # pages beside the row

TEACHES = {
    "Trained": "the story's sentence: who is thirsty?",
    "Three words": "by hand",
    "Small · class": "every number, from the last row",
    "Notebook N4": "the seven steps of the notebook",
    "No weights · N0": "nothing to learn",
    "Wide · N1": "20 heads, each of full width",
    "Narrow · N2": "heads share d_model",
    "Biases · N3": "a number for each column",
    "Who looks across": "one sentence asks another",
    "As in the paper": "the Transformer of 2017",
    "As in BERT": "both ways, learned places",
    "As in GPT-2": "back only, norms first",
    "As in Llama": "turned, shared, gated",
}
