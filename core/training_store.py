"""What was trained, kept for a while by what decides it: a hundred readers of one link train once.

`weights` asks here. Who cannot wait for a whole training asks `missing` first, takes the steps of `begin` one by one,
and hands the result in with `keep`.
"""

import threading
from collections import OrderedDict
from dataclasses import replace

import torch

from . import classification, labelled, lessons
from .setup import DEFAULTS, Setup
from .training import Lesson, Trained, Training

MOST_BYTES = 48_000_000
# What no training looks at, and what attention alone does not look at either.
OF_NO_LESSON = ("text", "split", "others", "padding", "dropout", "dropout_seed", "classes", "shuffle", "labelled", "edits")
OF_STACKS = ("layers", "norm", "activation", "d_ff")
PARTS = ("attention", "stack", "it 0", "it 1", "it 2", "labelled")

Key = tuple[str, Setup]
_results: OrderedDict[Key, Trained] = OrderedDict()
_lock = threading.Lock()


def key(setup: Setup, part: str) -> Key:
    """What decides a training, and nothing that does not."""
    ignored = {name: DEFAULTS[name] for name in OF_NO_LESSON}
    if part == "labelled":
        source = labelled.in_force(setup.labelled, setup.split)
        ignored |= {"split": setup.split, "labelled": source, "out": DEFAULTS["out"]}
    elif part == "attention":
        ignored |= {name: DEFAULTS[name] for name in OF_STACKS}
    elif part != "stack":
        ignored["layers"] = DEFAULTS["layers"]
    return part, replace(setup, **(ignored | {"d_ff": min(ignored.get("d_ff", setup.d_ff), setup.most_d_ff)}))


@torch.inference_mode(False)  # training needs gradients, also where whoever asks does not
def get(setup: Setup, part: str) -> Trained:
    """What a part of the model became; it is trained now if that was not done lately, for seconds."""
    ours = key(setup, part)
    kept = _find(ours)
    if kept is None:
        training = begin(setup, part)
        while not training.over:
            training.step()
        kept = keep(setup, part, training.result())
    return kept


def missing(setup: Setup, part: str) -> str | None:
    """The part that has to be trained next so that this one can be had; None where it is there."""
    if _find(key(setup, part)) is not None:
        return None
    return (part == "stack" and missing(setup, "attention")) or part


def begin(setup: Setup, part: str, begun: Training | None = None) -> Training:
    """Its training, before the first step; or one that was `begun` with another number of steps, if it is not past this one's."""
    lesson = lesson_of(setup, part)
    if begun is None or len(begun.losses) > lesson.steps:
        return Training(lesson, setup.steps)
    begun.go_on(lesson, setup.steps)
    return begun


def keep(setup: Setup, part: str, result: Trained) -> Trained:
    """Keep a result for the next who asks, and let go of those that nobody asked for longest, where it is too much."""
    with _lock:
        _results[key(setup, part)] = result
        while len(_results) > 1 and sum(each.bytes for each in _results.values()) > MOST_BYTES:
            _results.popitem(last=False)
    return result


def _find(ours: Key) -> Trained | None:
    with _lock:
        if ours in _results:
            _results.move_to_end(ours)
        return _results.get(ours)


def lesson_of(setup: Setup, part: str) -> Lesson:
    """What is to be learned by this part of the model."""
    if part == "labelled":
        return classification.lesson(setup)
    if part == "attention":
        return lessons.attention(setup)
    if part == "stack":
        below = get(setup, "attention").weights
        return lessons.stack(setup, below)
    return lessons.from_nothing(setup, int(part.removeprefix("it ")))
