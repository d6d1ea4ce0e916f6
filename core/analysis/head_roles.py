"""Measure what a real model's heads do, by where their largest weights are, compared with attending
at a fixed distance.

A head gets a job's name only if it does the job in both halves of the sentences. The pieces of a
word are merged. Clark et al. 2019, "What Does BERT Look At?", sections 3 and 4.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, compress, pairwise

import torch
from torch import Tensor

from ..forward.trace import compute_embedding
from ..layers import block
from ..ops.weight_names import full
from ..setup.setup import Setup
from ..text import annotated
from ..text.annotated import RELATIONS, Marked
from ..trace.record import TraceBuilder
from ..weights import weights

PLACES = ("the word before", "the word after", "itself", "the first piece", "the last piece")
JOBS = (*PLACES, *RELATIONS)
AT_ONCE = 32  # sentences of equal length
MAXLY = 0.5  # for a position: more often than not
MARGIN = 0.1  # for a relation: this far above the best fixed distance


@dataclass(frozen=True, eq=False)
class Jobs:
    """How often each head's largest weight is on a job's key: `shares` (half, job, layer, head),
    from 0 to 1.

    `fixed` (half, job) is how often the first half's best fixed distance is right, 0 for jobs that
    are positions. `counts` (half, job) is the number of cases.
    """

    shares: Tensor
    fixed: Tensor
    counts: Tensor

    def names(self, layer: int, head: int) -> tuple[str, ...]:
        """Return this head's jobs (layer and head from 0), done often enough in both halves,
        positions first."""
        return self._names[layer][head]

    @cached_property
    def _names(self) -> list[list[tuple[str, ...]]]:
        does = (self.shares >= self.least[..., None, None]).all(dim=0).movedim(0, -1).tolist()
        return [[tuple(compress(JOBS, of_head)) for of_head in of_layer] for of_layer in does]

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """The jobs with cases in both halves; a causal model has none about later words."""
        return tuple(compress(JOBS, (self.counts > 0).all(dim=0).tolist()))

    @property
    def least(self) -> Tensor:
        """The share needed for a name: (half, job)."""
        is_place = torch.arange(len(JOBS)) < len(PLACES)
        return torch.where(is_place, torch.full_like(self.fixed, MAXLY), self.fixed + MARGIN)


@dataclass(frozen=True)
class Case:
    """A query and the key that a head with this job attends to: indices into a sentence's
    `units`."""

    job: str
    query: int
    key: int


def spans(words: Sequence[str], pieces: Sequence[str]) -> list[range]:
    """Return the pieces of each word. Empty if the pieces do not spell the words, because one is
    unknown or truncated.

    >>> spans(("a", "thirsty", "cat"), ["[CLS]", "a", "thirst", "##y", "cat", "[SEP]"])
    [range(1, 2), range(2, 4), range(4, 5)]
    """
    spoken = [piece.strip().removeprefix("##") for piece in pieces]
    ends = [*accumulate(map(len, words), initial=0)]
    for front in (0, 1):  # a special piece may come first
        before = [*accumulate(map(len, spoken[front:]), initial=0)]  # letters before each piece
        if "".join(spoken[front:]).startswith("".join(words)) and {*ends} <= {*before}:
            return [range(*each) for each in pairwise(front + before.index(end) for end in ends)]
    return []


def units(words: Sequence[str], pieces: Sequence[str]) -> list[range]:
    """Return the pieces of each word, and each piece before or after them, such as [CLS].

    >>> units(("thirsty", "cat"), ["[CLS]", "thirst", "##y", "cat", "[SEP]"])
    [range(0, 1), range(1, 3), range(3, 4), range(4, 5)]
    """
    found = spans(words, pieces)
    if not found:
        return []
    around = [*range(found[0].start), *range(found[-1].stop, len(pieces))]
    return sorted([*found, *(range(k, k + 1) for k in around)], key=lambda each: each.start)


def add_up_pieces(looks: Tensor, of_words: Sequence[Sequence[int]]) -> Tensor:
    """Return attention among words (word, word) from attention among pieces (query, key), with
    further leading axes. Sum over a key word's pieces, mean over a query word's pieces. Clark et
    al. 2019, section 4.1.

    >>> add_up_pieces(
    ...     torch.tensor([[0.0, 0.5, 0.5], [0.25, 0.25, 0.5], [0.75, 0.0, 0.25]]),
    ...     [range(1), range(1, 3)],
    ... ).tolist()
    [[0.0, 1.0], [0.5, 0.5]]
    """
    belongs = torch.zeros(len(of_words), looks.shape[-1])
    for word, its_pieces in enumerate(of_words):
        belongs[word, list(its_pieces)] = 1
    return belongs @ looks @ belongs.T / belongs.sum(dim=1, keepdim=True)


def cases(sentence: Marked, pieces: Sequence[str], is_causal: bool = False) -> list[Case]:
    """Return all cases in a sentence cut into these pieces; none if they do not spell its words.
    With `is_causal`, cases about later words are left out, and the first piece is treated like
    [CLS], not as a word.

    >>> [
    ...     (case.job, case.key)
    ...     for case in cases(Marked(("one", "two"), ()), ["[CLS]", "one", "two", "[SEP]"])
    ...     if case.query == 1
    ... ]
    [('the word after', 2), ('itself', 1), ('the first piece', 0), ('the last piece', 3)]
    """
    of_words = spans(sentence.words, pieces)
    if not of_words:
        return []
    first, last = of_words[0].start, len(units(sentence.words, pieces)) - 1
    words = range(first, first + len(sentence.words))
    steps = {"the word before": -1, "the word after": 1, "itself": 0}
    found = [
        Case(name, query, query + step)
        for query in words
        for name, step in steps.items()
        if query + step in words
    ]
    found += [Case("the first piece", query, 0) for query in words if query]
    found += [Case("the last piece", query, last) for query in words if last not in words]
    found += [Case(name, query + first, key + first) for name, query, key in sentence.marks]
    if is_causal:
        return [
            case for case in found if case.job == "the first piece" or 0 < case.key <= case.query
        ]
    return found


def measure(setup: Setup, report: Callable[[int, int], None] = lambda done, of: None) -> Jobs:
    """Measure every head of the setup's stack on the marked sentences, in batches of equal length;
    `report` receives the number of layers done and the total."""
    sentences = annotated.sentences()
    here = setup.as_link() | {"edits": ""}
    # A sentence truncated for the model has no cases.
    setups = [Setup.nearest(here | {"text": sentence.text})[0] for sentence in sentences]
    of_length: dict[int, list[int]] = defaultdict(list)
    for k, one in enumerate(setups):
        of_length[len(one.tokens)].append(k)
    together = [
        places[k : k + AT_ONCE]
        for places in of_length.values()
        for k in range(0, len(places), AT_ONCE)
    ]
    batches = [
        torch.stack([compute_embedding(setups[k]).value("x") for k in places])
        for places in together
    ]
    of_words: list[Sequence[Sequence[int]]] = [
        units(sentence.words, one.tokens) or [[place] for place in range(len(one.tokens))]
        for sentence, one in zip(sentences, setups, strict=True)
    ]
    # (layer, head, word, word) of each sentence: among its pieces they would take far more memory
    looks = [torch.empty(setup.layers, setup.heads, len(words), len(words)) for words in of_words]
    for n in range(1, setup.layers + 1):
        # copies, once for all sentences: it takes long, and a model's file may change meanwhile
        used = {name: full(weight).clone() for name, weight in weights.layer(setup, n).items()}
        for at, x in enumerate(batches):
            record = TraceBuilder(values_only=True)
            batches[at] = block.run(
                setup, used, x, weights.may_attend(setup, x.shape[1]).expand(len(x), -1, -1), record
            )
            for k, weight in zip(together[at], record.value("weights"), strict=True):
                looks[k][n - 1] = add_up_pieces(weight, of_words[k])
        report(n, setup.layers)
    asked = [
        cases(sentence, one.tokens, setup.is_causal)
        for sentence, one in zip(sentences, setups, strict=True)
    ]
    return judge(asked, looks)


def judge(asked: Sequence[Sequence[Case]], looks: Sequence[Tensor]) -> Jobs:
    """Measure the heads, given each sentence's cases and its attention among words (layer, head,
    word, word)."""
    layers, heads = looks[0].shape[:2]
    right, counts = torch.zeros(2, len(JOBS), layers, heads), torch.zeros(2, len(JOBS))
    for k, (of_sentence, of_heads) in enumerate(zip(asked, looks, strict=True)):
        for case, is_right in _judge_sentence(of_heads, of_sentence):
            job = JOBS.index(case.job)
            right[half_of(k), job] += is_right
            counts[half_of(k), job] += 1
    return Jobs(right / counts.clamp(min=1)[..., None, None], _score_fixed_distance(asked), counts)


def half_of(sentence: int) -> int:
    """Return a sentence's half: 0 to name heads, 1 to confirm. Both mix people and food equally."""
    return sentence // 2 % 2


def _judge_sentence(of_sentence: Tensor, asked: Sequence[Case]) -> Iterator[tuple[Case, Tensor]]:
    """Yield each case with the heads that do it (layer, head). For relations, only weights on words
    are compared, since most heads attend strongly to special pieces."""
    if not asked:
        return
    words = sorted({case.query for case in asked})
    anywhere = of_sentence.argmax(dim=-1)
    among_words = of_sentence[..., words[0] : words[-1] + 1].argmax(dim=-1) + words[0]
    for case in asked:
        largest = among_words if case.job in RELATIONS else anywhere
        yield case, largest[:, :, case.query] == case.key


def _score_fixed_distance(asked: Sequence[Sequence[Case]]) -> Tensor:
    """Return how often the best fixed distance, found on the first half, is right: (half, job)."""
    distances: dict[tuple[int, str], Counter[int]] = defaultdict(Counter)
    for k, of_sentence in enumerate(asked):
        for case in of_sentence:
            distances[half_of(k), case.job][case.key - case.query] += 1
    fixed = torch.zeros(2, len(JOBS))
    for name in RELATIONS:
        for best, _ in distances[0, name].most_common(1):
            for half in (0, 1):
                of_half = distances[half, name]
                fixed[half, JOBS.index(name)] = of_half[best] / max(of_half.total(), 1)
    return fixed
