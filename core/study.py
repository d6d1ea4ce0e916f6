"""What to try on training: how deep a stack the word `it` needs, and what breaks attention
alone."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from . import language, lessons, training_store
from .setup import Setup
from .training import Lesson, Trained

DEPTHS = (0, 1, 2)
# Found by trying two hundred seeds: the heads of the second layer share the two nouns out between
# them.
TWO_JOBS = Setup(
    text="the cat drank the milk because it was thirsty",
    init="trained",
    positions="sinusoidal",
    heads=2,
    d_k=8,
    d_v=8,
    seed=174,
)


def jobs(setup: Setup, study: str) -> list[tuple[Setup, str]]:
    """Return what has to be trained for attention alone and for a study ("none", "it", "breaks",
    "seeds"): setups, a part of each."""
    alone = [(setup, "attention")]
    if study == "it":
        return alone + [(setup, f"it {depth}") for depth in DEPTHS]
    if study == "breaks":
        return [(broken, "attention") for broken in variants(setup).values()]
    if study == "seeds":
        return [(other, "attention") for other in of_seeds(setup)]
    return alone


def variants(setup: Setup) -> dict[str, Setup]:
    """Return the setup as it is, and with one thing taken away, where it is there."""
    narrow = replace(setup, sizes="free", d_k=1)
    without = {
        "without positions": replace(setup, positions="none"),
        # Without projections d_k is d_model, whatever is asked for.
        "d_k = 1": narrow if narrow.d_k < setup.d_k else setup,
        "without scaling": replace(setup, scale="none"),
        "causal mask": replace(setup, mask="causal-window" if setup.has_window else "causal"),
    }
    return {"as it is": setup} | {
        name: broken for name, broken in without.items() if broken != setup
    }


def of_seeds(setup: Setup) -> list[Setup]:
    """Return the setup, and the same with the two seeds that follow: other weights are drawn before
    the first step."""
    return [replace(setup, seed=(setup.seed + more) % 2**31) for more in range(3)]


@dataclass(frozen=True)
class Right:
    """How many of so many sentences were answered right."""

    right: int
    of: int


def answers(setup: Setup, result: Trained) -> dict[str, Right]:
    """Return what attention alone answers right of the unseen sentences, by question; at the verb
    also by kind of verb.

    "either first" are the verbs that take an animal or a food first, "animal first" those that take
    animals only.
    """
    lesson = lessons.attention(setup)
    used = {name: weight.double() for name, weight in result.weights.items()}
    takes_both = torch.tensor(
        [example.tokens[2] in language.VERBS_OF_FOODS for example in language.EXAMPLES]
    )[lesson.unseen]
    kinds = {"either first": lesson.unseen[takes_both], "animal first": lesson.unseen[~takes_both]}
    found = {question: _counted(share, result.asked) for question, share in result.accuracy.items()}
    return found | {
        kind: _counted(_share(lesson, used, examples), len(examples))
        for kind, examples in kinds.items()
    }


def _share(lesson: Lesson, used: Mapping[str, Tensor], examples: Tensor) -> float:
    """Return the share of right answers at the verb; 0 of no examples."""
    return lesson.accuracy(used, examples)["verb"] if len(examples) else 0.0


def _counted(share: float, of: int) -> Right:
    return Right(round(share * of), of)


def by_depth(setup: Setup) -> list[Right]:
    """Return what no layer, one and two, trained from nothing, answer right of the unseen sentences
    at the word `it`."""
    results = [training_store.get(setup, f"it {depth}") for depth in DEPTHS]
    return [_counted(result.accuracy["it"], result.asked) for result in results]
