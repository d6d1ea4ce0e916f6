"""Sentences about the next word: how it is chosen, and what the probabilities mean. No Streamlit
here."""

from core import Setup
from core.forward import next_word
from core.forward.trace import Trace
from core.text import language
from core.text.text import quote, shorten
from core.text.written import count, join_words
from pages.shared.text.words import percent

MAX_NAMED = 4  # listed words


def list_possible_words(setup: Setup) -> dict[str, float]:
    """Return the language's true probabilities of the next word, {} if unknown."""
    if not setup.learns_words:
        return {}
    return (
        language.list_next_words(setup.tokens)
        if setup.task == "next"
        else language.predict_repeated_letter(setup.tokens)
    )


def describe_choice(trace: Trace) -> str:
    """Name the chosen word and the rule that chose it."""
    origin, word = trace["chosen"].origin, quote(shorten(next_word.next_of(trace)))
    assert origin is not None
    if trace.setup.choose == "greedy":
        return (
            f"Greedy: {word} has the largest share and is taken. The same sentence always goes on"
            " in the same way."
        )
    rule = origin.open(trace, (0,)).rule.replace(
        "falls into its bar", f"falls into the bar of {word}"
    )
    return f"The number {rule}."


def another(trace: Trace, place: int) -> str:
    """State that the explained word differs from the chosen one, "" if it does not."""
    chosen, shares = int(trace.value("chosen")[0]), trace.value("probabilities")
    if chosen == place:
        return ""
    drawn, word = (quote(shorten(trace.vocabulary[each])) for each in (chosen, place))
    had, has = (percent(shares[each].item(), 1) for each in (chosen, place))
    return f"{drawn} was chosen, with {had}. Explained is {word}, with {has}."


def explain_shares(setup: Setup) -> str:
    """Explain the meaning of the probabilities, as markdown."""
    if setup.real:
        return ""
    if not setup.learns_words:
        return (
            "These matrices never learned what comes next: the way to the shares is real, what they"
            " say means nothing."
        )
    known = list_possible_words(setup)
    if not known:
        return "Training has shown nothing that tells what comes next here."
    named = sorted(known, key=lambda word: -known[word])[:MAX_NAMED]
    return (
        f"In what was learned, {count(len(known), 'word')} can come next. Likeliest:"
        f" {join_words(list(map(quote, named)))}."
    )


def cut(trace: Trace) -> str:
    """State how many words top-k and top-p keep, "" if all."""
    left = int(trace.value("top_p").isfinite().sum())
    every = len(trace.value("top_p"))
    if left == every:
        return ""
    return f"{count(left, 'word')} of {every:,} may come; the others have no share."
