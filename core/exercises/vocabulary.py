"""Exercises of step 1: from words to ids."""

from ..question import Opens, Question, Slip, Unposed
from ..text import quoted, vocabulary
from .draft import Draft

# What may be added to the sentence.
FURTHER = ("Ants", "and", "bread", "five", "milk", "now", "often", "slow", "today", "water", "yes")
MOST_TOKENS, MOST_LETTERS = 32, 400


def an_id(draft: Draft) -> Question:
    """Ask for the id of one word."""
    words, tokens = draft.trace.vocabulary, draft.setup.tokens
    place = draft.pick(len(tokens))
    token, answer = tokens[place], words.index(tokens[place])
    others = (
        "of the sentence that is asked"
        if draft.setup.memory and not draft.setup.known
        else "of training"
    )
    every = sorted(
        [*tokens, *(word for word in words if word not in tokens)]
    )  # trained weights know more than the sentence
    slips = [
        Slip("ids are counted from 1: the code counts from 0", answer + 1),
        Slip(
            "places in the sentence are counted, from 0: an id is a place in the sorted vocabulary",
            place,
        ),
        Slip(
            "places in the sentence are counted, from 1: an id is a place in the sorted vocabulary,"
            " from 0",
            place + 1,
        ),
        Slip(
            "capitals and small letters are sorted together: A to Z come before a to z",
            _without_case(words).index(token),
        ),
        Slip(
            "a word that occurs twice is listed twice: the vocabulary has each word once",
            every.index(token),
        ),
        Slip(
            f"the words {others} are left out: the vocabulary has them too",
            vocabulary(tokens).index(token),
        ),
    ]
    return draft.exercise(
        "The vocabulary holds each different word once, sorted, A to Z before a to z. Which id has"
        f" {draft.word(place)}?",
        "whole",
        answer,
        slips,
        (
            "Write every word down once, in the order of the alphabet, capitals first.",
            "Count from 0: the first has id 0.",
        ),
        f"{draft.word(place)} stands at place {answer} of the vocabulary, counted from 0.",
        draft.at(query=place),
    )


def a_new_word(draft: Draft) -> Question | Unposed:
    """Ask what a word more does to another's id."""
    tokens, words = draft.setup.tokens, draft.trace.vocabulary
    others = [word for word in FURTHER if word not in words]
    if not others:
        return Unposed(
            draft.name,
            "This sentence has every word already that is added here: type another sentence.",
        )
    new = draft.random.choice(others)
    place = draft.pick(len(tokens))
    token, before = tokens[place], words.index(tokens[place])
    answer = vocabulary((*words, new)).index(token)
    slips = [
        Slip("the new word gets the last id: the vocabulary is sorted anew", before),
        Slip("every id moves: only those behind the new word do", before + 1),
        Slip("ids are counted from 1: the code counts from 0", answer + 1),
    ]
    return draft.exercise(
        f"{quoted(new)} is added at the end of the sentence. Which id has {draft.word(place)} then?"
        f" Now it has {before}.",
        "whole",
        answer,
        slips,
        (
            (
                f"The vocabulary is sorted anew: does {quoted(new)} come before {draft.word(place)}"
                " or behind it?"
            ),
            "What stands behind the new word moves by one.",
        ),
        f"{quoted(new)} comes {'before' if answer > before else 'behind'} {draft.word(place)},"
        f" whose id is {answer} then.",
        _with_another(draft, new, place),
    )


def what_leaves_ids_alone(draft: Draft) -> Question | Unposed:
    """Ask what leaves ids alone: an id depends on the sorted vocabulary, not on the sentence's
    order."""
    if len(draft.trace.vocabulary) < 2:
        return Unposed(
            draft.name,
            "It compares words, and this sentence has one only: type one with two different words.",
        )
    return draft.choice(
        "Which of these three changes leaves the id of every word alone?",
        "The sentence is written backwards, word by word.",
        [
            (
                "The vocabulary is sorted from Z to A.",
                "Sorted the other way round, the first word becomes the last: its id changes.",
            ),
            (
                "A new word that sorts before all others is added at the end.",
                (
                    "It gets id 0 wherever in the sentence it stands, and every other id becomes"
                    " larger by one."
                ),
            ),
        ],
        (
            "An id is a place in the sorted list of different words.",
            "Does the list change if the order of the sentence does?",
        ),
        "The same words make the same sorted list, in whatever order they come.",
        draft.at(query=0),
    )


def _without_case(words: tuple[str, ...]) -> list[str]:
    return sorted(words, key=str.casefold)


def _with_another(draft: Draft, new: str, place: int) -> Opens:
    """Return the page with the longer sentence, where there is room for it."""
    text = f"{draft.setup.text} {new}"
    has_room = len(draft.setup.tokens) < MOST_TOKENS and len(text) <= MOST_LETTERS
    opens = draft.at(query=place)
    return draft.changed(opens, text=text) if has_room else opens
