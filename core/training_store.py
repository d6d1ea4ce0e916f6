"""What was trained, kept for a while by what decides it: a hundred readers of one link train once.

`weights` asks here. Who cannot wait for a whole training asks `find_missing` first, takes the
steps of `begin` one by one, and hands the result in with `keep`, or with `put_aside` what there is
of it.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import torch

from . import classification, lessons, tasks
from .choices import MAX_STEPS
from .presets import EXAMPLE
from .setup import DEFAULTS, FIELDS, Setup
from .training import Lesson, Trained, Training

MAX_BYTES = 48_000_000  # of all results together
MAX_UNFINISHED_BYTES = 110_000_000  # of those before their end: two of the largest
Key = tuple[
    str, Setup
]  # a lesson's name, and the setup with all that it does not look at as it is by default
_results: OrderedDict[Key, Trained] = OrderedDict()
_unfinished: OrderedDict[Key, Training] = OrderedDict()
_lock = threading.Lock()


def key(setup: Setup, name: str) -> Key:
    """Return what decides a training, and nothing that does not. Where a whole stack learned what
    comes next, the seven steps' and the stack's are one training, that of the setup's task."""
    name = lesson_name(setup, name)
    lesson = "words" if name in tasks.TASKS else name
    ignored = {field: told.default for field, told in FIELDS.items() if lesson not in told.lessons}
    ignored |= {"d_ff": min(ignored.get("d_ff", setup.d_ff), setup.most_d_ff)}
    return name, replace(
        setup, **(ignored | {"steps": MAX_STEPS, "trained_for": setup.steps_taken})
    )


def lesson_name(setup: Setup, name: str) -> str:
    """Return the lesson that is learned: the setup's task in place of attention alone and of the
    stack on it."""
    return setup.task if setup.learns_words and name in ("attention", "stack") else name


@torch.inference_mode(False)  # training needs gradients, also where whoever asks does not
def get(setup: Setup, name: str) -> Trained:
    """Return what came of a lesson; it is trained now if that was not done lately, for seconds."""
    ours = key(setup, name)
    kept = _find(ours)
    if kept is None:
        training = begin(setup, name)
        while not training.over:
            training.step()
        kept = keep(setup, name, training.result())
    return kept


def find_missing(setup: Setup, name: str) -> str | None:
    """Return the lesson that has to be learned next so that this one can be had; None where it is
    there."""
    if _find(key(setup, name)) is not None:
        return None
    name = lesson_name(setup, name)
    return (name == "stack" and find_missing(setup, "attention")) or name


def begin(setup: Setup, name: str) -> Training:
    """Return its training: one that was put aside, where it has not made more steps than this one
    is to make, or else from the start."""
    lesson = lesson_of(replace(setup, layer=1), name)
    with _lock:
        unfinished = _unfinished.pop(_ignore_steps(setup, name), None)
    if unfinished is None or len(unfinished.losses) > lesson.steps:
        return Training(lesson, setup.steps_taken)
    unfinished.go_on(lesson, setup.steps_taken)
    return unfinished


def put_aside(setup: Setup, name: str, training: Training) -> None:
    """Keep a training that is not over for whoever asks for the same next, with as many steps or
    others."""
    with _lock:
        ours = _ignore_steps(setup, name)
        _unfinished[ours] = training
        _let_go(_unfinished, MAX_UNFINISHED_BYTES, (ours,))


def keep(setup: Setup, name: str, result: Trained) -> Trained:
    """Keep a result for the next who asks, and let go of those that nobody asked for longest, where
    it is too much.

    The overview's example stays: every visitor begins with it.
    """
    with _lock:
        ours = key(setup, name)
        _results[ours] = result
        _let_go(_results, MAX_BYTES, (ours, key(EXAMPLE, "attention")))
    return result


def _let_go(kept: OrderedDict[Key, Any], most: int, stay: Collection[Key]) -> None:
    """Let go of the first ones until the rest take no more than so many bytes; of those that are to
    stay, never."""
    for oldest in [one for one in kept if one not in stay]:
        if sum(each.bytes for each in kept.values()) > most:
            del kept[oldest]


def _ignore_steps(setup: Setup, name: str) -> Key:
    return key(replace(setup, steps=MAX_STEPS, trained_for=MAX_STEPS), name)


def _find(ours: Key) -> Trained | None:
    """Return a result, or the moment of a longer training that is the same."""
    with _lock:
        for kept in (ours, *reversed(_results)):
            if kept in _results and _differ_in_steps_alone(kept, ours):
                result = (
                    _results[kept] if kept == ours else _results[kept].after(ours[1].trained_for)
                )
                if result is not None:
                    _results.move_to_end(kept)
                    return result
        return None


def _differ_in_steps_alone(one: Key, other: Key) -> bool:
    return one[0] == other[0] and all(
        getattr(one[1], field) == getattr(other[1], field)
        for field in DEFAULTS
        if field != "trained_for"
    )


def moments(setup: Setup, name: str) -> tuple[int, ...]:
    """Return after how many steps the weights of this training are there at once, its end among
    them; none where it is not there."""
    whole = _find(key(setup.to_the_end, name))
    return (
        ()
        if whole is None
        else tuple(sorted({*(moment.step for moment in whole.whole_moments), len(whole.losses)}))
    )


def multiplications(setup: Setup, name: str) -> int:
    """Return how many numbers a whole training multiplies, about; nothing is drawn or trained for
    it."""
    name = lesson_name(setup, name)
    if name in tasks.TASKS:
        each = tasks.multiplications(setup)
    elif name == "labelled":
        each = classification.multiplications_of_a_step(setup)
    else:
        each = lessons.multiplications(setup, setup.layers if name == "stack" else None)
    return min(setup.steps_taken * each, lessons.BUDGET)


def lesson_of(setup: Setup, name: str) -> Lesson:
    """Return what is to be learned in the lesson of this name."""
    name = lesson_name(setup, name)
    if name in tasks.TASKS:
        return tasks.lesson(setup)
    if name == "labelled":
        return classification.lesson(setup)
    if name == "attention":
        return lessons.attention(setup)
    return lessons.stack(setup, get(setup, "attention").weights)
