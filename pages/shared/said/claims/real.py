"""What is said of a model that was read: what each of its heads does, as it was measured."""

from torch import Tensor

from core.jobs import JOBS, PLACES, RELATIONS, Jobs
from core.setup import DEFAULTS, FIELDS, Setup
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
    """What one head does, both from 0, in one or two sentences; "" in no case: a head without a name is told so."""
    names, said = jobs.names(layer, head), []
    for name in names:
        share = words.percent(of(jobs, name, layer, head))
        if name in PLACES:
            said.append(f"It {DOES[name]}: its largest weight lies there in {share} of the cases.")
        else:
            fixed = words.percent(fixed_of(jobs, name))
            said.append(
                f"Among the words alone it {DOES[name]}: right in {share} of the cases. At a fixed distance it would be {fixed}."
            )
    return " ".join(said) or "It has no name: no place gets its largest weight often enough, and it finds no word often enough."


def of(jobs: Jobs, job: str, layer: int, head: int) -> float:
    """How often a head does a job, on the sentences that did not name it."""
    return jobs.shares[JUDGED, JOBS.index(job), layer, head].item()


def fixed_of(jobs: Jobs, job: str) -> float:
    """How often the best fixed distance is right, on the same sentences."""
    return jobs.fixed[JUDGED, JOBS.index(job)].item()


def found(jobs: Jobs) -> list[tuple[str, int, int]]:
    """The heads that find a word, the surest of each relation first: relation, layer, head, both from 0."""
    named = [(job, *head) for head in heads_of(jobs) for job in jobs.names(*head) if job in RELATIONS]
    return sorted(named, key=lambda each: (RELATIONS.index(each[0]), -of(jobs, *each)))


def at_places(jobs: Jobs) -> dict[str, list[tuple[int, int]]]:
    """The heads that look at a place, by place: layer, head, both from 0."""
    return {place: [head for head in heads_of(jobs) if place in jobs.names(*head)] for place in PLACES}


def without_a_name(jobs: Jobs) -> int:
    """How many heads do nothing of what was measured often enough."""
    return sum(not jobs.names(*head) for head in heads_of(jobs))


def heads_of(jobs: Jobs) -> list[tuple[int, int]]:
    """All of them: layer, head, both from 0."""
    layers, heads = jobs.shares.shape[2:]
    return [(layer, head) for layer in range(layers) for head in range(heads)]


def matter(moved: Tensor, what: str) -> str:
    """Which heads an answer hangs on: `moved` (layer, head) is how far it moves without each, as a share of its length."""
    ranked = sorted(((share, place) for place, share in enumerate(moved.flatten().tolist())), reverse=True)
    heads = moved.shape[1]
    first, *_ = ((share, f"{place // heads + 1} · {place % heads + 1}") for share, place in ranked)
    few = sum(share < FEW for share, _ in ranked)
    return (
        f"Most hangs on head {first[1]}: without it {what} moves by {words.percent(first[0], 1)} of its length. {few} of "
        f"{len(ranked)} heads move it by less than {words.percent(FEW)} each."
    )


FEW = 0.05  # so small a share of a length is told as little


def source(setup: Setup) -> str:
    """Which model this is, how large, and under which licence."""
    model = setup.real
    assert model is not None
    licence = f"its licence: {model.licence}" if model.licence else "its folder names no licence"
    return (
        f"{model.name}: {setup.layers} layers of {setup.heads} heads, d_model {setup.d_model}, d_k {setup.d_k}, "
        f"{model.sizes.words:,} pieces in its vocabulary; {licence}."
    )


def what_ifs(setup: Setup) -> list[str]:
    """What a reader has set otherwise than the model that was read has it, in words; none where nothing was read or changed."""
    own = {name: setup.usual.get(name, DEFAULTS[name]) for name in FREE} if setup.real else {}
    return [
        f"{FIELDS[name].control.label}: {getattr(setup, name)}, where the model itself has {value}"
        for name, value in own.items()
        if getattr(setup, name) != value
    ]


FREE = ("positions", "mask", "scale", "temperature")  # what can be set otherwise than a model has it
