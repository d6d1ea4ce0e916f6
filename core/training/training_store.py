"""A cache of trainings by what determines them, so that users of the same link train once.

`weights` uses it. To avoid waiting for a whole training, call `find_missing` first, take the steps
of `begin` one by one, and pass the result to `keep`, or an unfinished training to `put_aside`.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import torch

from ..setup.choices import MAX_STEPS
from ..setup.presets import EXAMPLE
from ..setup.setup import DEFAULTS, FIELDS, Setup
from . import classification, objectives, tasks
from .training import Objective, Trained, Training

MAX_BYTES = 48_000_000  # of all results
MAX_UNFINISHED_BYTES = 110_000_000  # of unfinished trainings: two of the largest
Key = tuple[
    str, Setup
]  # a training's name, and its setup with default values in the fields it does not depend on
_results: OrderedDict[Key, Trained] = OrderedDict()
_unfinished: OrderedDict[Key, Training] = OrderedDict()
_lock = threading.Lock()


def key(setup: Setup, name: str) -> Key:
    """Return only what determines a training. If a whole stack predicts the next word, the seven
    steps and the stack share one training, that of the setup's task."""
    name = lesson_name(setup, name)
    lesson = "words" if name in tasks.TASKS else name
    ignored = {field: told.default for field, told in FIELDS.items() if lesson not in told.lessons}
    ignored |= {"d_ff": min(ignored.get("d_ff", setup.d_ff), setup.most_d_ff)}
    return name, replace(
        setup, **(ignored | {"steps": MAX_STEPS, "trained_for": setup.steps_taken})
    )


def lesson_name(setup: Setup, name: str) -> str:
    """Return the name of the training: the setup's task replaces attention alone and the stack on
    it."""
    return setup.task if setup.learns_words and name in ("attention", "stack") else name


@torch.inference_mode(False)  # training needs gradients, even if the caller does not
def get(setup: Setup, name: str) -> Trained:
    """Return a training's result; unless it is cached, this trains now, which takes seconds."""
    ours = key(setup, name)
    kept = _find(ours)
    if kept is None:
        training = begin(setup, name)
        while not training.over:
            training.step()
        kept = keep(setup, name, training.result())
    return kept


def find_missing(setup: Setup, name: str) -> str | None:
    """Return the next training needed for this one; None if it is cached."""
    if _find(key(setup, name)) is not None:
        return None
    name = lesson_name(setup, name)
    return (name == "stack" and find_missing(setup, "attention")) or name


def begin(setup: Setup, name: str) -> Training:
    """Return its training: an unfinished one, unless it already has more steps than needed, or a
    new one."""
    lesson = lesson_of(replace(setup, layer=1), name)
    with _lock:
        unfinished = _unfinished.pop(_ignore_steps(setup, name), None)
    if unfinished is None or len(unfinished.losses) > lesson.steps:
        return Training(lesson, setup.steps_taken)
    unfinished.go_on(lesson, setup.steps_taken)
    return unfinished


def put_aside(setup: Setup, name: str, training: Training) -> None:
    """Cache an unfinished training for the next request, with the same number of steps or
    another."""
    with _lock:
        ours = _ignore_steps(setup, name)
        _unfinished[ours] = training
        _let_go(_unfinished, MAX_UNFINISHED_BYTES, (ours,))


def keep(setup: Setup, name: str, result: Trained) -> Trained:
    """Cache a result, and evict the least recently used ones if there are too many.

    The overview's example is never evicted, since every visitor needs it.
    """
    with _lock:
        ours = key(setup, name)
        _results[ours] = result
        _let_go(_results, MAX_BYTES, (ours, key(EXAMPLE, "attention")))
    return result


def _let_go(kept: OrderedDict[Key, Any], most: int, stay: Collection[Key]) -> None:
    """Evict the first entries until the rest take at most this many bytes, except those in
    `stay`."""
    for oldest in [one for one in kept if one not in stay]:
        if sum(each.bytes for each in kept.values()) > most:
            del kept[oldest]


def _ignore_steps(setup: Setup, name: str) -> Key:
    return key(replace(setup, steps=MAX_STEPS, trained_for=MAX_STEPS), name)


def _find(ours: Key) -> Trained | None:
    """Return a cached result, or the equivalent moment of a longer training."""
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
    """Return the numbers of steps for which this training's weights are cached, including its end;
    empty if it is not cached."""
    whole = _find(key(setup.to_the_end, name))
    return (
        ()
        if whole is None
        else tuple(sorted({*(moment.step for moment in whole.whole_moments), len(whole.losses)}))
    )


def multiplications(setup: Setup, name: str) -> int:
    """Return the approximate multiplications of a whole training, without training."""
    name = lesson_name(setup, name)
    if name in tasks.TASKS:
        each = tasks.multiplications(setup)
    elif name == "labelled":
        each = classification.multiplications_of_a_step(setup)
    else:
        each = objectives.multiplications(setup, setup.layers if name == "stack" else None)
    return min(setup.steps_taken * each, objectives.BUDGET)


def lesson_of(setup: Setup, name: str) -> Objective:
    """Return the training of this name."""
    name = lesson_name(setup, name)
    if name in tasks.TASKS:
        return tasks.lesson(setup)
    if name == "labelled":
        return classification.lesson(setup)
    if name == "attention":
        return objectives.attention(setup)
    return objectives.stack(setup, get(setup, "attention").weights)
