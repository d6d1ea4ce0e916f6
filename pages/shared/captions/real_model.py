"""Sentences about a pretrained model: the measured role of each head."""

from collections.abc import Sequence

from torch import Tensor

from core import Setup
from core.analysis.head_roles import JOBS, PLACES, RELATIONS, Jobs
from core.setup.setup import DEFAULTS, FIELDS
from core.text.text import VISIBLE_SPACE
from core.text.written import join_words
from pages.shared.text import words

# A role in words: "it …".
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
JUDGED = 1  # the half of the sentences used to test the roles
FEW = 0.05  # a smaller share of a length counts as little
# The fields that can differ from the model's.
WHAT_IFS = tuple(name for name, field in FIELDS.items() if field.what_if)
FINDS, NAMELESS = "a word that belongs to it", "no name"
SIGNS_OF_KINDS = {
    "the word before": "←",
    "the word after": "→",
    "itself": "=",
    FINDS: "◆",
    "the first piece": "«",
    "the last piece": "»",
    NAMELESS: "",
}


def does(jobs: Jobs, layer: int, head: int) -> str:
    """Describe one head's roles with their frequency (layer and head from 0)."""
    told = [right(jobs, name, layer, head) for name in jobs.names(layer, head)]
    if not told:
        return "It has no name: nothing of what was asked does it often enough."
    return f"It {'; it '.join(told)}."


def right(jobs: Jobs, job: str, layer: int, head: int) -> str:
    """State a role's frequency, and for relations that of the best fixed distance."""
    said = f"{DOES[job]} in {words.percent(get_score(jobs, job, layer, head))} of the cases"
    if job in PLACES:
        return said
    return f"{said} ({words.percent(get_fixed_score(jobs, job))} at a fixed distance)"


def explain_unmeasured(jobs: Jobs) -> str:
    """Explain which roles could not be measured, "" if all were."""
    if not (left := [name for name in JOBS if name not in jobs.asked]):
        return ""
    return (
        f"Its heads are not asked for {join_words(left)}: no word of it may look there, or its"
        " pieces do not spell the words of these sentences."
    )


def get_score(jobs: Jobs, job: str, layer: int, head: int) -> float:
    """Return a head's frequency for a role on the test half."""
    return jobs.shares[JUDGED, JOBS.index(job), layer, head].item()


def get_fixed_score(jobs: Jobs, job: str) -> float:
    """Return the frequency of the best fixed distance on the test half."""
    return jobs.fixed[JUDGED, JOBS.index(job)].item()


def found(jobs: Jobs) -> list[tuple[str, int, int]]:
    """Return the heads that find a relation, each's best first: relation, layer, head (from 0)."""
    named = [
        (job, *head) for head in heads_of(jobs) for job in jobs.names(*head) if job in RELATIONS
    ]
    return sorted(named, key=lambda each: (RELATIONS.index(each[0]), -get_score(jobs, *each)))


def heads_of(jobs: Jobs) -> list[tuple[int, int]]:
    """Return all heads (layer, head) from 0."""
    layers, heads = jobs.shares.shape[2:]
    return [(layer, head) for layer in range(layers) for head in range(heads)]


def matter(moved: Tensor, what: str) -> str:
    """Name the head with the largest ablation effect: `moved` (layer, head), relative to the
    output's length."""
    layer, head = divmod(int(moved.argmax()), moved.shape[1])
    return (
        f"Most hangs on head {layer + 1} · {head + 1}: without it {what} moves by"
        f" {words.percent(moved.max().item(), 1)} of its length. {int((moved < FEW).sum())} of"
        f" {moved.numel()} heads move it by less than {words.percent(FEW)} each."
    )


def source(setup: Setup) -> str:
    """Describe the model, its size and licence."""
    model = setup.real
    assert model is not None
    return (
        f"{model.name}: {setup.layers} layers of {setup.heads} heads, d_model {setup.d_model}, d_k"
        f" {setup.d_k}, {model.sizes.words:,} pieces in its vocabulary; its licence:"
        f" {model.licence or 'not named in its folder'}."
        + (
            f" {VISIBLE_SPACE} is a space, part of the piece after it."
            if any(token.startswith(" ") for token in setup.tokens)
            else ""
        )
    )


def list_changes(setup: Setup) -> list[str]:
    """List the user's differences from the pretrained model, [] if there are none."""
    own = {name: setup.usual.get(name, DEFAULTS[name]) for name in WHAT_IFS} if setup.real else {}
    return [
        f"{FIELDS[name].label}: {getattr(setup, name)}, where the model itself has {value}"
        for name, value in own.items()
        if getattr(setup, name) != value
    ]


def kinds(jobs: Jobs, layer: int, head: int) -> list[str]:
    """Return a head's kinds in the order of `SIGNS_OF_KINDS`; its picture shows the first."""
    names = {FINDS if name in RELATIONS else name for name in jobs.names(layer, head)}
    return [each for each in SIGNS_OF_KINDS if each in names] or [NAMELESS]


def count_kinds(jobs: Jobs) -> dict[str, int]:
    """Count the heads of each kind; one with several counts for each."""
    done = [kind for head in heads_of(jobs) for kind in kinds(jobs, *head)]
    return {kind: done.count(kind) for kind in SIGNS_OF_KINDS}


def sinks(name: str, weight: float, brought: float, heads: int) -> str:
    """State a token's mean weight and contribution over all heads. Clark et al. 2019, section 3.2;
    Kobayashi et al. 2020, section 4.2."""
    return (
        f"In this sentence, over all {heads} heads, {words.quote(name)} gets"
        f" {words.percent(weight)} of the weight and brings {words.percent(brought)} of all that"
        " comes of it. A piece at an end that gets much and brings little is a sink: attention must"
        " go somewhere, and goes there when a head finds nothing."
    )


def nameless(jobs: Jobs) -> str:
    """State how many heads have no known role, and the limits of this."""
    heads = heads_of(jobs)
    return (
        f"Without a name: {sum(not jobs.names(*head) for head in heads)} of {len(heads)} heads. A"
        " head is named only if it passes twice, on two halves of 200 sentences: for a place, its"
        " largest weight must fall there more often than not; for finding a word, it must be right"
        " 10 points more often than a head that always looks the same distance away."
        f" {len(jobs.asked)} questions were asked: a head without a name may do something else."
    )


def describe_left_out(
    special: Sequence[str], name: str, share: float, mean: float, at: tuple[int, int]
) -> str:
    """State how much of one word's row, and of all rows on average, goes to the hidden special
    pieces in one head (layer and head from 0).

    >>> describe_left_out(("[CLS]", "[SEP]"), "it", 0.75, 0.5, (1, 2)).partition(". ")[0]
    'Left out: “[CLS]” and “[SEP]”'
    """
    return (
        f"Left out: {join_words(list(map(words.quote, special)))}. In layer {at[0] + 1}, head"
        f" {at[1] + 1}, {words.percent(share)} of what {words.quote(name)} gives goes there, and"
        f" {words.percent(mean)} of a row on average: what each row lacks to 1."
    )
