"""The pages in their order: this one table drives navigation, previous and next, and the tests."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A page. `path` is its place in the URL, and the file's name without its number.

    `sentence` says what happens there and why, `act` what a reader can do. A word for a role (query, key …) has the colour of
    that role, as everywhere.
    """

    file: str
    title: str
    path: str
    sentence: str
    act: str = ""

    @property
    def menu(self) -> str:
        """Its name in the menu; only the seven steps have a number."""
        return f"{number(self)} {self.title}" if 1 <= number(self) <= SEVEN else self.title

    @property
    def heading(self) -> str:
        """The same over the page."""
        return f"{number(self)} · {self.title}" if 1 <= number(self) <= SEVEN else self.title


SEVEN = 7


STEPS = (
    Step("pages/0_overview.py", "Overview", "", "Follow any number in self-attention back to the word it came from."),
    Step(
        "pages/1_vocabulary.py",
        "Vocabulary",
        "vocabulary",
        "A network cannot multiply words, so each gets a number: its place in a sorted list.",
        "Click one, or press **Play**.",
    ),
    Step(
        "pages/2_embedding.py",
        "Embedding",
        "embedding",
        "The id picks a row of a table. From here on these numbers stand for the word.",
        "Click one, or press **Play**.",
    ),
    Step(
        "pages/3_projection.py",
        "Projection",
        "projection",
        "Three matrices make three vectors of each word: a :blue[query] to ask with, a :red[key] to be asked by, a :green[value] to "
        "hand on.",
        "Click a number, or press **Play**.",
    ),
    Step(
        "pages/4_scores.py",
        "Scores",
        "scores",
        "How well does a :blue[query] fit a :red[key]? Multiply them number by number, and add up.",
        "Click a score, or press **Play**.",
    ),
    Step(
        "pages/5_weights.py",
        "Weights",
        "weights",
        "One query's :yellow[scores] become :violet[shares of 1]: how much of its attention each word gets.",
        "Click one, or press **Play**.",
    ),
    Step(
        "pages/6_context.py",
        "Context",
        "context",
        "Each word's new vector is a mixture of all :green[values], each taken by its :violet[weight].",
        "Click a number, or press **Play**.",
    ),
    Step(
        "pages/7_heads.py",
        "Heads",
        "heads",
        "Several heads look at the sentence, each in its own way. W_o mixes what they found into one vector for each word.",
        "Choose a part, and click a number.",
    ),
    Step(
        "pages/8_masks.py",
        "Masks",
        "masks",
        "Sentences are filled up to one length, and a mask says who may look at whom.",
        "Click a cell, or try another **Padding**.",
    ),
    Step(
        "pages/9_block.py",
        "Block",
        "block",
        "Attention's output is added to each word's vector, normed, and put through a small network.",
        "Click a number, or press **Play**.",
    ),
    Step(
        "pages/10_encoder.py",
        "Encoder",
        "encoder",
        "Blocks on top of one another, each with its own weights. Do they know the order of the words?",
        "Click a picture.",
    ),
    Step(
        "pages/15_next.py",
        "Next word",
        "next",
        "The last word's row becomes a share for each word, and one is drawn. That is how a language model writes.",
        "Press **One word**, or move **Temperature of words**.",
    ),
    Step(
        "pages/11_classifier.py",
        "Classifier",
        "classifier",
        "From your sentences to probabilities of classes: everything so far, a mean, and one more matrix.",
        "Press **Play**.",
    ),
    Step(
        "pages/12_training.py",
        "Training",
        "training",
        "Nobody writes these matrices: training moves every weight, step by small step, towards right answers.",
        "Press **Play**.",
    ),
    Step(
        "pages/13_notebooks.py",
        "Notebooks",
        "notebooks",
        "Five notebooks are behind this explorer: what each printed, and its mistakes beside their repair.",
        "Choose one.",
    ),
    Step(
        "pages/14_model.py",
        "Real model",
        "model",
        "A model that people use reads your sentence. What each of its heads does is measured: click a picture to open that head.",
    ),
)


def number(step: Step) -> int:
    """A page's place: 0 for the overview, 1 to 7 for the seven steps, 8 and more for the pages after them."""
    return STEPS.index(step)


def find(path: str) -> Step:
    """The page with this path."""
    return next(step for step in STEPS if step.path == path)
