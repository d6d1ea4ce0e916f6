"""The pages in their order: this one table drives navigation, previous and next, and the tests."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A page. `path` is its place in the URL, and the file's name without its number.

    In `sentence`, a word for a role (query, key …) has the colour of that role, as everywhere.
    """

    file: str
    title: str
    path: str
    sentence: str

    @property
    def menu(self) -> str:
        """Its name in the menu; only the seven steps have a number."""
        return f"{number(self)} {self.title}" if 1 <= number(self) <= SEVEN else self.title


SEVEN = 7


STEPS = (
    Step("pages/0_overview.py", "Overview", "", "Follow any number in self-attention back to the word it came from."),
    Step(
        "pages/1_vocabulary.py",
        "Vocabulary",
        "vocabulary",
        "A network cannot multiply words, so each different word gets a number: its place in a sorted list.",
    ),
    Step(
        "pages/2_embedding.py",
        "Embedding",
        "embedding",
        "The id picks a row of a table. From here on that row of numbers stands for the word.",
    ),
    Step(
        "pages/3_projection.py",
        "Projection",
        "projection",
        "Three matrices make three vectors of each word: a :blue[query] to ask others with, a :red[key] to be asked by, and a "
        ":green[value] to hand on.",
    ),
    Step(
        "pages/4_scores.py",
        "Scores",
        "scores",
        "How well does one word's :blue[query] fit another word's :red[key]? Multiply them number by number and add up.",
    ),
    Step(
        "pages/5_weights.py",
        "Weights",
        "weights",
        "The :yellow[scores] of one query become :violet[shares of 1]: how much of its attention each word gets.",
    ),
    Step(
        "pages/6_context.py",
        "Context",
        "context",
        "Each word's new vector is a mixture of all :green[values], each taken by its :violet[weight].",
    ),
    Step(
        "pages/7_heads.py",
        "Heads",
        "heads",
        "Several heads can look at the sentence in different ways; W_o mixes what they found into one vector for each word.",
    ),
    Step(
        "pages/8_masks.py",
        "Masks",
        "masks",
        "Several sentences at once, padded to one length: who may look at whom, and what must not be looked at.",
    ),
    Step(
        "pages/9_block.py",
        "Block",
        "block",
        "In a block, attention's output is added to each word's vector, normed, and passed through a small network.",
    ),
    Step(
        "pages/10_encoder.py",
        "Encoder",
        "encoder",
        "Blocks on top of one another, each with weights of its own. Does a stack know the order of the words?",
    ),
    Step(
        "pages/11_classifier.py",
        "Classifier",
        "classifier",
        "From your sentences to probabilities of classes: everything so far, a mean, and one more matrix.",
    ),
    Step(
        "pages/12_training.py",
        "Training",
        "training",
        "Nobody writes these matrices by hand: every weight moves a small step at a time, against its own part in the loss.",
    ),
    Step(
        "pages/13_notebooks.py",
        "Notebooks",
        "notebooks",
        "The five notebooks behind this explorer: what each builds, what it printed beside what comes out here, and its "
        "mistakes.",
    ),
)


def number(step: Step) -> int:
    """A page's place: 0 for the overview, 1 to 7 for the seven steps, 8 and more for the pages after them."""
    return STEPS.index(step)


def find(path: str) -> Step:
    """The page with this path."""
    return next(step for step in STEPS if step.path == path)
