"""What the training's page says of steps, answers, heads and studies. No Streamlit here."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from core import language, lessons
from core.adam import AdamStep
from core.roles import ASKED, Look
from core.setup import Setup
from core.study import Right
from core.training import BATCH, OPENED, Trained
from core.written import count, listed, short
from pages.shared.said import words

MOST_TOLD = 10  # losses that are averaged at the beginning and at the end
HABIT = 0.9  # of the sentences: what a head does less often is no habit


def steps(result: Trained) -> str:
    """Say how many steps were made, and why not all of them where some are missing."""
    made, wanted = len(result.losses), result.wanted
    if made == wanted:
        return (
            f"**{count(made, 'step')}** of training {'was' if made == 1 else 'were'} made, as asked"
            " for."
        )
    return (
        f"**{made} of {wanted} steps** of training were made: at these sizes a step takes so many"
        " multiplications that the rest would take too long."
    )


def loss(losses: Sequence[float]) -> str:
    """Say where the loss began and where it ended; a mean of several steps where there are
    enough."""
    if len(losses) == 1:
        return f"The loss of the only step is {short(losses[0])}."
    told = MOST_TOLD if len(losses) >= 2 * MOST_TOLD else 1
    first, last = sum(losses[:told]) / told, sum(losses[-told:]) / told
    where = (f"first {told} steps", f"last {told}") if told > 1 else ("first step", "last")
    verb = "fell" if last < first else "did not fall"
    return (
        f"The loss {verb}: {short(first)} in the {where[0]}, {short(last)} in the"
        f" {where[1]}{', on average' * (told > 1)}."
    )


def directions(gradients: Tensor, changes: Tensor) -> str:
    """Say how many weights a step moves against their own gradient; both of one shape, of as many
    weights.

    Adam goes by the mean of the gradients so far, so a weight can still go its old way.
    """
    moving = changes != 0
    against, still = int((gradients.sign() == -changes.sign())[moving].sum()), int((~moving).sum())
    without = int((gradients == 0)[moving].sum())
    others = changes.numel() - against - still - without
    told = (
        f"Of {count(changes.numel(), 'weight')}, {against:,} {_go(against)} against this gradient,"
        " as a plain step would."
    )
    told += (
        f" {others:,} {_go(others)} the other way: the gradients of the steps before still count."
        if others
        else ""
    )
    told += f" {without:,} {_go(without)} on although this gradient is 0 there." if without else ""
    return told + (
        f" {still:,} {'stays as it is' if still == 1 else 'stay as they are'}." if still else ""
    )


def _go(many: int) -> str:
    return "goes" if many == 1 else "go"


def plain_step(step: AdamStep[float], rate: float) -> str:
    """Say how far a plain gradient step of the same rate would move one weight, beside Adam's."""
    plain, adams = -rate * step.gradient, step.after - step.before
    begin = (
        f"A plain step, −{rate:g} · g, would change it by {words.number(plain)}, Adam's by"
        f" {words.number(adams)}"
    )
    if plain == 0 or adams == 0:
        return f"{begin}."
    times, way = (
        abs(adams / plain),
        "the same way" if (adams > 0) == (plain > 0) else "the other way",
    )
    if times >= 1:
        return f"{begin}: {short(times)} times as far, {way}."
    return f"{begin}: {words.percent(times)} as far, {way}."


def right(answers: Right) -> str:
    """Say how many of how many are right.

    >>> right(Right(997, 1000))
    '997 of 1,000'
    """
    return f"{answers.right:,} of {answers.of:,}"


def answers(setup: Setup, found: Mapping[str, Right]) -> str:
    """Say what attention alone answers right of the sentences that it never saw, and what it lacks
    where it cannot."""
    few = [
        question
        for question in lessons.OF_ATTENTION
        if found[question].right < HABIT * found[question].of
    ]
    end = ""
    if few:
        where = " and ".join(f"at the {question}" for question in few)
        end = f" **It has not learned the language**: {where} less than nine in ten are right."
    if "verb" in few and setup.positions == "none" and setup.mask == "none":
        end += (
            " Without positions it cannot: “the milk warmed the cat” and “the cat warmed the milk”"
            " are the same words. Choose **Positions** in the sidebar."
        )
    return (
        f"Of sentences that it never saw it answers **{right(found['adjective'])}** right at the"
        f" adjective and **{right(found['verb'])}** at the verb.{end}"
    )


def sentence(setup: Setup) -> str:
    """Return whether training saw the setup's sentence."""
    row = language.ROWS.get(setup.tokens)
    if row is None:
        return "Your own sentence is none of them."
    unseen = row in lessons.learned_and_unseen(setup.seed)[1].tolist()
    return f"Your own sentence is one that training {'never sees' if unseen else 'may see'}."


def unseen_words(names: Sequence[str]) -> str:
    """List the words of the sentence that are not in the language, as plain text; nothing where
    there are none."""
    if not names:
        return ""
    quoted = ", ".join(words.quoted(name) for name in names)
    rows, it = ("its row was", "it") if len(names) == 1 else ("their rows were", "them")
    return f"Training never saw {quoted}: {rows} only drawn, so attention to {it} means nothing."


def film(moments: Tensor, after: Sequence[int], names: Sequence[str], query: int) -> str:
    """Say what changed for one word (from 0) between the first and the last moment, and which
    weight changed most.

    `moments` are one head's weights (moment, query, key), `after` how many steps were made at each.
    """
    first, last = moments[0], moments[-1]
    looks = [
        words.attention(names[query], matrix[query].tolist(), names) for matrix in (first, last)
    ]
    change = (last - first).abs()
    if change.max() == 0:
        return f"Before the first step: {looks[0]} No weight changed."
    i, j = divmod(int(change.argmax()), len(names))
    return (
        f"Before the first step: {looks[0]} After {count(after[-1], 'step')}: {looks[1]} The weight"
        f" that changed most is {words.cell('weights', names[i], names[j])}, from"
        f" {words.number(first[i, j].item())} to {words.number(last[i, j].item())}."
    )


def looks_right(setup: Setup, moments: Tensor, after: Sequence[int], query: int) -> str:
    """Say since when the film's own sentence has its largest weight on the right word; `moments`
    are one head's weights.

    Nothing where the sentence is not of the language, or where nothing is asked at this word (from
    0).
    """
    if (asked := _right_since(setup, moments, query)) is None:
        return ""
    _, meant, since = asked
    begin = f"The right word is {words.quoted(meant)}: "
    if since is None:
        return f"{begin}the largest weight does not end there."
    if since == 0:
        return f"{begin}the largest weight was there before the first step, and stayed."
    return f"{begin}the largest weight is there since step {after[since]}, at the latest."


def found(
    setup: Setup, moments: Tensor, after: Sequence[int], query: int
) -> tuple[int, str] | None:
    """Return the moment since when the largest weight is on the right word, and the film's mark
    there; None where there is none."""
    asked = _right_since(setup, moments, query)
    if asked is None or not asked[2]:
        return None
    _, meant, since = asked
    return since, f"{words.isolated(meant)} found at step {after[since]}"


def _right_since(setup: Setup, moments: Tensor, query: int) -> tuple[str, str, int | None] | None:
    """Return what is asked at this word, the right word, and since which moment it has the largest
    weight (None: not at the end)."""
    row = language.ROWS.get(setup.tokens)
    question = next((name for name in lessons.OF_ATTENTION if language.PLACES[name] == query), None)
    if row is None or question is None:
        return None
    meant = language.EXAMPLES[row].answer(question)
    right = [setup.tokens[int(looks)] == meant for looks in moments[:, query].argmax(dim=-1)]
    since = len(right) - next(
        (k for k, is_right in enumerate(reversed(right)) if not is_right), len(right)
    )
    return question, meant, since if right[-1] else None


def moment(step: int, loss: float, accuracy: Mapping[str, float], of: int) -> str:
    """Say how things stood after so many steps; `loss` is that of the last of them."""
    began = (
        f"After {count(step, 'step')}: loss {words.number(loss)}"
        if step
        else "Before the first step"
    )
    shares = ", ".join(
        f"{round(share * of)} at the {question}" for question, share in accuracy.items()
    )
    return f"{began}. Right of {of} unseen sentences: {shares}."


def too_few_steps() -> str:
    """Say why no step can be opened."""
    return (
        f"The step that is opened is step {OPENED}, and there are fewer. Choose more **Steps**"
        " below the figure."
    )


def no_queries() -> str:
    """Say why there is no weight of W_q."""
    return (
        "**This setup has no W_q.** Without projections the queries are the words' own vectors, so"
        " what attention learns are the rows of the table alone. Choose **Projections: learned** in"
        " the sidebar to follow a weight of W_q."
    )


def word_by_word() -> str:
    """Say what the terms of one weight's gradient are."""
    return (
        "A weight of W_q takes part in every query. At each word where something is asked, it is"
        " multiplied by that word's own number x; and the loss says how it wants the query's"
        f" number to change, added up over the {BATCH} sentences. Their products, word by word, add"
        " up to the gradient:"
    )


def role(head: int, looks: Mapping[str, Look]) -> str:
    """Say what one head (from 1) came to do; looks at the adjective and at the verb."""
    told = {"adjective": "the adjective to its noun", "verb": "the verb to its subject"}
    habits = [
        f"{told[question]} in {look.times} of {ASKED} sentences"
        for question, look in looks.items()
        if look.times >= HABIT * ASKED
    ]
    if habits:
        return f"**Head {head}** takes {' and '.join(habits)}."
    return (
        f"**Head {head}** does neither as a rule: the adjective's largest weight is on its noun in"
        f" {looks['adjective'].times} of {ASKED} sentences, the verb's on its subject in"
        f" {looks['verb'].times}."
    )


def of_seeds(found: Mapping[int, Mapping[str, Sequence[Look]]]) -> str:
    """Say which heads take the adjective to its noun and the verb to its subject, seed by seed;
    `found` has a look for each head."""
    told = []
    for question, job in (
        ("adjective", "takes the adjective to its noun"),
        ("verb", "takes the verb to its subject"),
    ):
        each = listed(
            [f"{_who(looks[question])} with seed {seed}" for seed, looks in found.items()]
        )
        told.append(f"Which head {job}? {each[0].upper()}{each[1:]}.")
    return " ".join(told)


def _who(looks: Sequence[Look]) -> str:
    heads = [str(k) for k, look in enumerate(looks, start=1) if look.times >= HABIT * ASKED]
    return f"head{'s' if len(heads) > 1 else ''} {listed(heads)}" if heads else "no head"


def depth(setup: Setup, found: Sequence[Right]) -> str:
    """Say what none, one and two layers make of the word `it`."""
    none, one, two = map(right, found)
    unseen = (
        " Under the causal mask *it* sees only what stands before it, and not the adjective: nobody"
        " could know."
    )
    causal = unseen if setup.is_causal else ""
    enough = found[1].right >= HABIT * found[1].of
    surprise = (
        " One layer is enough here: *it* can look at both nouns and at the adjective at once, and"
        " the feed-forward part puts together what was found."
        if enough and not causal
        else ""
    )
    return (
        "These three models are not the Encoder page's stack, which stands on the seven steps:"
        " here everything was trained from nothing. **Without a layer** the word *it* has the same"
        f" vector in every sentence, and so the same answer: {none} unseen sentences are right."
        f" **One layer** answers {one}, **two layers** {two}.{surprise}{causal}"
    )


AT_IT = {
    "noun": "the noun that is meant",
    "animal": "the animal",
    "food": "the food",
    "adjective": "the adjective",
}


def role_of_it(head: int, looks: Mapping[str, Look]) -> str:
    """Say what one head (from 1) of the second layer does at the word `it`; a look for each word
    that it may look at."""
    for word, told in AT_IT.items():
        if looks[word].times >= HABIT * ASKED:
            return (
                f"**Head {head}** takes *it* to {told} in {looks[word].times} of {ASKED} sentences,"
                f" with {words.percent(looks[word].mean)} of its attention on average."
            )
    counts = ", ".join(
        f"{AT_IT[word]} in {looks[word].times}" for word in ("animal", "food", "adjective")
    )
    return (
        f"**Head {head}** has no single favourite at *it*: of {ASKED} sentences, its largest weight"
        f" falls on {counts}."
    )


def broken(name: str, setup: Setup, found: Mapping[str, Right], usual: Mapping[str, Right]) -> str:
    """Say what comes of one thing taken away, beside what the setup as it is answers right."""
    more = {
        question: found[question].right - usual[question].right for question in lessons.OF_ATTENTION
    }
    beside = (
        " and ".join(_beside(each, question) for question, each in more.items())
        if any(more.values())
        else "as many right"
    )
    return f"{beside.capitalize()}. {_why(name, setup, found)}"


def _beside(more: int, question: str) -> str:
    if more == 0:
        return f"as many right at the {question}"
    return f"{abs(more):,} {'more' if more > 0 else 'fewer'} right at the {question}"


def _why(name: str, setup: Setup, found: Mapping[str, Right]) -> str:
    either, animal = right(found["either first"]), right(found["animal first"])
    if name == "causal mask" and setup.has_window:
        return "A word may look only back, and no farther than the window."
    if name == "without positions" and setup.has_window:
        return "The window still tells who stands near whom."
    if name == "without positions" and setup.is_causal:
        return (
            "The causal mask still tells the order: at the verb, only the noun before it can be"
            " seen."
        )
    if name == "without positions":
        return (
            "The two orders of a sentence are then the same words, and get the same answer at the"
            f" verb. Where the verb takes either noun first, {either} are right; where only the"
            f" animal comes first, {animal}."
        )
    if name == "without scaling" and setup.d_k == 1:
        return "√1 is 1: there was nothing to divide by."
    return {
        "d_k = 1": (
            "A score is then one product of two numbers: a query can rank the keys in one order, or"
            " in its reverse, and in no other."
        ),
        "without scaling": (
            "Scores lie further apart from the beginning, by the factor that would have divided"
            " them; training can make up for that by smaller weights."
        ),
        "causal mask": (
            "A word may look only back. That takes nothing away here: the adjective stands last,"
            " and who does it stands before the verb."
        ),
    }[name]
