"""What is said of a model that was read: what each of its heads does, as it was measured."""

from collections.abc import Sequence

from torch import Tensor

from core.jobs import JOBS, PLACES, RELATIONS, Jobs
from core.setup import DEFAULTS, FIELDS, Setup
from core.written import listed
from pages.shared.said import words

# What a head does whose largest weight is there, or finds that word: "it …".
DOES = {
    "the word before": "looks at the word before",
    "the word after": "looks at the word after",
    "itself": "looks at the word itself",
    "the first piece": "looks at the first piece",
    "the last piece": "looks at the last piece",
    "determiner → noun": "leads from “the” or “my” to its noun",
    "adjective → noun": "leads from an adjective to its noun",
    "verb → object": "leads from a verb to its object",
    "object → verb": "leads from an object to its verb",
    "pronoun → who is meant": "leads from a pronoun to the one who is meant",
}
JUDGED = 1  # the half of the sentences that names are judged on


def does(jobs: Jobs, layer: int, head: int) -> str:
    """Say what one head does, both from 0, in one or two sentences; "" in no case: a head without a
    name is told so."""
    names = jobs.names(layer, head)
    if not names and not jobs.asked:
        return asked(jobs)
    if not names:
        return (
            "It has no name: no place gets its largest weight often enough, and it finds no word"
            " often enough."
        )
    said = [
        f"It {DOES[name]}: its largest weight lies there in"
        f" {words.percent(of(jobs, name, layer, head))} of the cases."
        for name in names
        if name in PLACES
    ]
    found = [
        f"{DOES[name].removeprefix('leads ')}, right in"
        f" {words.percent(of(jobs, name, layer, head))} of the cases"
        f" ({words.percent(fixed_of(jobs, name))} at a fixed distance)"
        for name in names
        if name in RELATIONS
    ]
    among = "all but the first piece" if looks_back(jobs) else "the words alone"
    return " ".join(said + ([f"Among {among} it leads {'; '.join(found)}."] if found else []))


def looks_back(jobs: Jobs) -> bool:
    """Return whether the model was not asked for what comes later."""
    return "the word before" in jobs.asked and "the word after" not in jobs.asked


def asked(jobs: Jobs) -> str:
    """Say what was not asked of the model's heads, and why; nothing where all was."""
    if not jobs.asked:
        return (
            "Nothing could be asked: the model's pieces do not spell the words of these sentences."
        )
    if not looks_back(jobs):
        return ""
    later = listed([name for name in JOBS if name not in (*jobs.asked, "the last piece")])
    return (
        f"A word of this model looks at nothing that comes later, so it is not asked for {later}."
        " The first piece, to which every word may look, counts as a place and not as a word to be"
        " found."
    )


def of(jobs: Jobs, job: str, layer: int, head: int) -> float:
    """Return how often a head does a job, on the sentences that did not name it."""
    return jobs.shares[JUDGED, JOBS.index(job), layer, head].item()


def fixed_of(jobs: Jobs, job: str) -> float:
    """Return how often the best fixed distance is right, on the same sentences."""
    return jobs.fixed[JUDGED, JOBS.index(job)].item()


def found(jobs: Jobs) -> list[tuple[str, int, int]]:
    """Return the heads that find a word, the surest of each relation first: relation, layer, head,
    both from 0."""
    named = [
        (job, *head) for head in heads_of(jobs) for job in jobs.names(*head) if job in RELATIONS
    ]
    return sorted(named, key=lambda each: (RELATIONS.index(each[0]), -of(jobs, *each)))


def _without_a_name(jobs: Jobs) -> int:
    """Count the heads that do nothing of what was measured often enough."""
    return sum(not jobs.names(*head) for head in heads_of(jobs))


def heads_of(jobs: Jobs) -> list[tuple[int, int]]:
    """Return all heads: layer, head, both from 0."""
    layers, heads = jobs.shares.shape[2:]
    return [(layer, head) for layer in range(layers) for head in range(heads)]


def matter(moved: Tensor, what: str) -> str:
    """Say which heads an answer hangs on: `moved` (layer, head) is how far it moves without each,
    as a share of its length."""
    ranked = sorted(
        ((share, place) for place, share in enumerate(moved.flatten().tolist())), reverse=True
    )
    heads = moved.shape[1]
    first, *_ = ((share, f"{place // heads + 1} · {place % heads + 1}") for share, place in ranked)
    few = sum(share < FEW for share, _ in ranked)
    return (
        f"Most hangs on head {first[1]}: without it {what} moves by {words.percent(first[0], 1)} of"
        f" its length. {few} of {len(ranked)} heads move it by less than {words.percent(FEW)} each."
    )


FEW = 0.05  # so small a share of a length is told as little


def source(setup: Setup) -> str:
    """Say which model this is, how large, and under which licence."""
    model = setup.real
    assert model is not None
    licence = f"its licence: {model.licence}" if model.licence else "its folder names no licence"
    return (
        f"{model.name}: {setup.layers} layers of {setup.heads} heads, d_model {setup.d_model}, d_k"
        f" {setup.d_k}, {model.sizes.words:,} pieces in its vocabulary; {licence}."
    )


def what_ifs(setup: Setup) -> list[str]:
    """List what a reader has set otherwise than the model that was read has it, in words; none
    where nothing was read or changed."""
    own = {name: setup.usual.get(name, DEFAULTS[name]) for name in FREE} if setup.real else {}
    return [
        f"{FIELDS[name].control.label}: {getattr(setup, name)}, where the model itself has {value}"
        for name, value in own.items()
        if getattr(setup, name) != value
    ]


FREE = (
    "positions",
    "mask",
    "scale",
    "temperature",
)  # what can be set otherwise than a model has it


SIGNS = {
    "the word before": "←",
    "the word after": "→",
    "itself": "=",
    "the first piece": "«",
    "the last piece": "»",
}
FINDS, NAMELESS = "a word that belongs to it", "no name"
SIGNS_OF_KINDS = (
    {name: SIGNS[name] for name in PLACES[:3]}
    | {FINDS: "◆"}
    | {name: SIGNS[name] for name in PLACES[3:]}
    | {NAMELESS: ""}
)


def kind(jobs: Jobs, layer: int, head: int) -> str:
    """Return what a head's picture is marked with: of all that it does, the first in
    `SIGNS_OF_KINDS`."""
    names = {FINDS if name in RELATIONS else name for name in jobs.names(layer, head)}
    return next((each for each in SIGNS_OF_KINDS if each in names), NAMELESS)


def of_kinds(jobs: Jobs) -> dict[str, int]:
    """Count the heads that do each kind of thing; one that does several counts for each."""
    does = [
        {FINDS if name in RELATIONS else name for name in jobs.names(*head)} or {NAMELESS}
        for head in heads_of(jobs)
    ]
    return {kind: sum(kind in of_head for of_head in does) for kind in SIGNS_OF_KINDS}


def colour(kind: str) -> str:
    """Return whose colour a kind has, by its name in `roles.KINDS`."""
    if kind in (FINDS, NAMELESS):
        return "finds" if kind == FINDS else "nameless"
    return "neighbour" if kind in PLACES[:3] else "end"


def sink(names: Sequence[str], weights: Sequence[float], brought: Sequence[float]) -> str:
    """Say where a head looks most of all, how much that brings, and whether it is a sink: of each
    piece, its share of all the head's weights and of all that they bring. Clark et al. 2019,
    section 3.2; Kobayashi et al. 2020, section 4.2.

    >>> shares, brought = [0.1, 0.2, 0.7], [0.3, 0.6, 0.1]
    >>> print(sink(["[CLS]", "cat", "[SEP]"], shares, brought).replace(": ", ":\\n"))
    “[SEP]” gets 70% of this head’s weight and brings 10% of all that comes of it:
    a sink, where a head looks when it finds nothing.
    >>> sink(["[CLS]", "cat", "[SEP]"], [0.2, 0.6, 0.2], [0.1, 0.8, 0.1])
    '“cat” gets 60% of this head’s weight and brings 80% of all that comes of it.'
    """
    most = max(range(len(names)), key=weights.__getitem__)
    told = (
        f"{words.quoted(names[most])} gets {words.percent(weights[most])} of this head’s weight and"
        " brings "
    )
    told += f"{words.percent(brought[most])} of all that comes of it"
    if _is_sink(most, len(names), weights[most], brought[most]):
        return f"{told}: a sink, where a head looks when it finds nothing."
    return f"{told}."


def _is_sink(place: int, count: int, weight: float, brought: float) -> bool:
    """Return whether the first or the last of so many pieces gets much of the weight and brings
    little of it."""
    return place in (0, count - 1) and weight >= MUCH and brought <= LITTLE * weight


MUCH, LITTLE = 0.25, 0.5  # of all weight; of what it would bring, if all values were equally long


def sinks(name: str, weight: float, brought: float, heads: int) -> str:
    """Say the same of all heads on the mean."""
    told = (
        f"In this sentence, over all {heads} heads, {words.quoted(name)} gets"
        f" {words.percent(weight)} of the weight and brings "
    )
    return f"{told}{words.percent(brought)} of all that comes of it."


def nameless(jobs: Jobs) -> str:
    """Say how many heads have no name, and what that does not say."""
    if not jobs.asked:
        return asked(jobs)
    count, heads = _without_a_name(jobs), len(heads_of(jobs))
    few = (
        f"{count} of {heads} heads {'has' if count == 1 else 'have'} no name"
        if count
        else f"All {heads} heads have a name"
    )
    return (
        f"{few}. A head is named only if it passes twice, on two halves of 200 sentences. To be"
        " named for a place, its largest weight must fall there more often than not. To be named"
        " for finding a word, it must be right 10 points more often than a head that always looks"
        f" the same distance away. Only {len(jobs.asked)} questions were asked: a head without a"
        " name may do something else."
    )
