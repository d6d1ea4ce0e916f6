"""Exercises of the page on batches: padding, the causal mask, shapes."""

from torch import Tensor

from .. import attention, masks
from ..answers import fixed, worked
from ..batch import PAD
from ..question import Opens, Question, Slip
from ..setup import Setup
from ..text import isolated, labels, quoted
from ..written import count, number
from .draft import MOST_LISTED, Draft
from .weights import share


def how_many_keys(draft: Draft) -> Question:
    """Ask how many keys one word of the batch may look at."""
    setup, batch = draft.setup, draft.sources.batch(draft.setup)
    sentence = draft.pick(len(batch.tokens))
    tokens = batch.tokens[sentence]
    place = draft.random.choice(
        [k for k, word in enumerate(batch.is_word[sentence].tolist()) if word]
    )
    answer = int(attention.row_sums(batch.may_attend)[sentence, place])
    slips = _slips_of_a_row(setup, batch.is_word[sentence].tolist(), place)
    shown = "  ".join(
        isolated(label) if token != PAD else PAD
        for label, token in zip(labels(tokens), tokens, strict=True)
    )
    return draft.exercise(
        f"Sentence {sentence + 1} of the batch:\n{shown}\nMask: {setup.mask}; padding:"
        f" {setup.padding}. At how many places may {quoted(labels(tokens)[place])}, at place"
        f" {place + 1}, look?",
        "whole",
        answer,
        slips,
        (
            (
                "Padding: unmasked means that nothing hides it."
                if setup.padding == "unmasked"
                else "No word may look at padding."
            ),
            (
                "A causal mask hides what comes later."
                if setup.is_causal
                else "Without a causal mask, later words may be looked at."
            ),
            *(
                [f"The window hides what is more than {count(setup.window, 'place')} away."]
                if setup.has_window
                else []
            ),
        ),
        f"Row {place + 1} of its mask has {answer} times 1.",
        _at_a_place(draft, sentence, place),
    )


def _slips_of_a_row(setup: Setup, is_word: list[bool], place: int) -> list[Slip]:
    """Return what goes wrong in counting the keys of the word at this place, under the masks that
    this setup has."""
    if setup.has_window:
        return _slips_of_a_window(setup, is_word, place)
    hidden, causal = setup.padding != "unmasked", setup.is_causal
    shown = [word or not hidden for word in is_word]  # what padding's mask leaves
    earlier, later = sum(shown[: place + 1]), sum(shown[place:])
    slips = [
        Slip(
            "the word itself is left out: it may look at itself",
            (earlier if causal else sum(shown)) - 1,
        )
    ]
    if causal:
        slips += [
            Slip(
                "the causal mask is left out: a word may look at itself and what came before",
                sum(shown),
            ),
            Slip("later words are counted instead of earlier ones", later),
        ]
    else:
        slips.append(
            Slip(
                "a causal mask is taken: here there is none, and later places may be looked at",
                earlier,
            )
        )
    if hidden and causal:
        slips += [
            Slip(
                "the causal mask alone is counted: padding before the word is hidden too", place + 1
            ),
            Slip(
                "both masks are left out: one hides padding, the other what comes later",
                len(is_word),
            ),
        ]
    elif hidden:
        slips.append(Slip("padding is counted: a mask hides it", len(is_word)))
    else:
        of_words = sum(is_word[: place + 1] if causal else is_word)
        slips.append(Slip("padding is left out: with padding unmasked, nothing hides it", of_words))
    return slips


def _slips_of_a_window(setup: Setup, is_word: list[bool], place: int) -> list[Slip]:
    """Return the same under a mask with a window."""
    hidden, most = setup.padding != "unmasked", setup.window

    def seen(back: int, ahead: int, hides: bool = hidden) -> int:
        return sum(word or not hides for word in is_word[max(place - back, 0) : place + ahead + 1])

    ahead, whole = (0 if setup.is_causal else most), len(is_word)
    return [
        Slip("the word itself is left out: it may look at itself", seen(most, ahead) - 1),
        Slip(
            "the window is left out: what is farther away is hidden",
            seen(whole, 0 if setup.is_causal else whole),
        ),
        Slip(
            "the window's last place is left out: so many places away is still near enough",
            seen(most - 1, min(ahead, most - 1)),
        ),
        Slip(
            (
                "the causal mask is left out: nothing later may be looked at"
                if setup.is_causal
                else "a causal mask is taken: here there is none, and later places may be looked at"
            ),
            seen(most, most if setup.is_causal else 0),
        ),
        Slip(
            (
                "padding is counted: a mask hides it"
                if hidden
                else "padding is left out: with padding unmasked, nothing hides it"
            ),
            seen(most, ahead, not hidden),
        ),
    ]


def a_shape(draft: Draft) -> Question:
    """Ask for the axes of a batch's weights."""
    setup = draft.setup
    lengths = [len(tokens) for tokens in setup.sentences]
    count, longest, h = len(lengths), max(lengths), setup.heads
    slips = [
        Slip("the sentence's axis is left out", (h, longest, longest)),
        Slip("the heads' axis is left out", (count, longest, longest)),
        Slip(
            "heads and sentences are exchanged: the new axis stands in front",
            (h, count, longest, longest),
        ),
        Slip(
            "the first sentence's length is taken: all are filled up to the longest",
            (count, h, lengths[0], lengths[0]),
        ),
        Slip(
            "the shape of the queries is given: a weight has a query and a key",
            (count, h, longest, setup.d_k),
        ),
        Slip("sentences are put one behind the other", (h, sum(lengths), sum(lengths))),
    ]
    return draft.exercise(
        f"The batch has {count} {'sentence' if count == 1 else 'sentences'}, of"
        f" {', '.join(map(str, lengths))} tokens; heads = {h}. Which shape have the weights of the"
        " whole batch?",
        "shape",
        (count, h, longest, longest),
        slips,
        (
            "The axes are sentence, head, query, key.",
            "Short sentences are filled up to the longest.",
        ),
        f"{count} × {h} × {longest} × {longest}: sentence, head, query, key.",
        draft.at(sentence=0),
    )


def a_causal_weight(draft: Draft) -> Question:
    """Ask what a causal mask makes of a row, before it is computed."""
    scaled = _scaled(draft)
    heads, tokens, _ = scaled.shape
    rows = max(1, min(tokens, MOST_LISTED) - 1)  # the last row sees everything
    causal = attention.softmax(attention.mask(scaled, masks.causal(tokens)))[:, :rows]
    middling = ((causal > 0.01) & (causal < 0.99)).nonzero().tolist()
    head, i, j = draft.random.choice(middling or [[draft.pick(heads), 0, 0]])
    row = scaled[head, i].tolist()
    listed = min(tokens, MOST_LISTED)
    more = "" if listed == tokens else f" (and {tokens - listed} more, further right)"
    lines = draft.words([number(value) for value in row[:listed]])
    slips = [
        Slip("nothing is masked", fixed(share(row, j))),
        Slip(
            "the mask comes after the softmax: then the row no longer sums to 1",
            fixed(share(row, j)),
        ),
        Slip(
            "a masked score becomes 0: e⁰ is 1, and takes a share",
            fixed(share([*row[: i + 1], *[0.0] * (tokens - i - 1)], j)),
        ),
        Slip("the word itself is masked too", fixed(share(row[:i], j) if j < i else 0.0)),
        Slip("the word after it is not masked", fixed(share(row[: i + 2], j))),
        Slip(
            "earlier words are masked instead of later ones",
            fixed(share(row[i:], j - i) if j == i else 0.0),
        ),
    ]
    return draft.exercise(
        f"Head {head + 1}. The row of {draft.word(i)} before the mask: {lines}{more}.\n"
        f"With a causal mask, what is {draft.cell('weights', i, j)}?",
        "number",
        worked(lambda *r: share(list(r), j), *row[: i + 1]),
        slips,
        (
            f"{draft.word(i)} stands at place {i + 1}: what comes later gets −∞, and e to −∞ is 0.",
            "The softmax shares out among those that are left.",
        ),
        (
            f"Among the first {i + 1}, its share is {number(share(row[: i + 1], j))}."
            if i
            else "It may look at itself alone: 1."
        ),
        draft.changed(
            Opens("weights", draft.at(head=head, query=i, key=j).fields),
            mask="causal",
            **({"memory": ""} if draft.setup.memory else {}),
        ),
    )


def _scaled(draft: Draft) -> Tensor:
    """Return the sentence's own scaled scores (head, query, key): by itself, also where it asks
    another one in the seven steps."""
    if not draft.setup.memory:
        return draft.value("scaled")
    batch = draft.sources.batch(draft.setup)
    is_word = batch.is_word[0]
    return batch.trace.value("scaled")[0][:, is_word][..., is_word]


def _at_a_place(draft: Draft, sentence: int, place: int) -> Opens:
    """Query and key are places of the first sentence: past its end the sentence alone is shown."""
    has_place = place < len(draft.labels)
    return draft.at(sentence=sentence, **({"query": place} if has_place else {}))
