"""The notebook of the seven steps: `python -m tests.seven_steps` writes it to assets."""

import nbformat
from nbclient import NotebookClient

from tests.modules import ROOT

FILE = ROOT / "assets/seven_steps.ipynb"
CELLS = (
    "# Self-attention in seven steps\n\nEach output is a board of numbers computed here: point at a"
    " cell to read it, click it for its terms, *Play* shows how it is made. They need no kernel:"
    " where they are missing, trust the notebook.",
    "import attention_explorer as ae\n\n"
    'setup = ae.Setup(text="the cat drank the milk", d_model=4, d_k=3, d_v=3, heads=2)\n'
    "trace = ae.run(setup)",
    "1. **Vocabulary.** Each word has a number: its place in the sorted vocabulary.",
    'trace["ids"]',
    "2. **Embedding.** That row of a table is the word's vector. The same word has the same row.",
    'trace["x"]',
    "3. **Queries, keys and values** are products of X with three matrices. The queries:",
    'trace["q"]',
    "4. **Scores.** Every query times every key.",
    'trace["scores"]',
    "5. **Weights.** Scores divided by √d_k, and each row's softmax. Click a weight for its row.",
    'trace["weights"]',
    "6. **Context.** Each word's weights times the values.",
    'trace["context"]',
    "7. **Output.** The heads side by side, times W_o.",
    'trace["output"]',
    "The same in the app, and as a table:",
    "ae.link(trace)",
    'trace["weights"].frame(head=1).round(2)',
)


def make_notebook() -> nbformat.NotebookNode:
    """Return the notebook, not run yet."""
    book = nbformat.v4.new_notebook()
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    for number, text in enumerate(CELLS):
        is_code = text.startswith(("import ", "trace", "ae."))
        cell = nbformat.v4.new_code_cell if is_code else nbformat.v4.new_markdown_cell
        book.cells.append(cell(text, id=f"cell-{number}"))
    return book


if __name__ == "__main__":
    made = make_notebook()
    NotebookClient(made, timeout=300).execute()
    nbformat.write(made, FILE)
