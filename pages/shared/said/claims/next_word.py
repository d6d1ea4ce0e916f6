"""What is said of the next word: how it was chosen, what the shares mean, what the language itself
would say. No Streamlit here."""

from collections.abc import Mapping, Sequence

from core import language, next_word
from core.setup import Setup
from core.text import quoted, shorten
from core.trace import Trace
from core.written import count
from pages.shared.said.words import percent


def of_the_language(setup: Setup) -> dict[str, float]:
    """Return the words that can come next in the language that was learned, with their shares; none
    where nobody can know."""
    if not setup.learns_words:
        return {}
    return (
        language.going_on(setup.tokens)
        if setup.task == "next"
        else language.going_on_again(setup.tokens)
    )


def chosen(trace: Trace) -> str:
    """Say which word was chosen, and how."""
    origin, word = trace["chosen"].origin, quoted(shorten(next_word.next_of(trace)))
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
    """Say that the word at a place of the vocabulary, which is explained, is not the one that was
    chosen; nothing where it is."""
    chosen, shares = int(trace.value("chosen")[0]), trace.value("probabilities")
    if chosen == place:
        return ""
    drawn, word = (quoted(shorten(trace.vocabulary[each])) for each in (chosen, place))
    had, has = (percent(shares[each].item(), 1) for each in (chosen, place))
    return f"{drawn} was chosen, with {had}. Explained is {word}, with {has}."


def meaning(setup: Setup) -> str:
    """Say what these shares are worth, as markdown."""
    if setup.real:
        return ""
    if setup.init != "trained":
        begin = (
            "Only attention is given, and the rest of the stack is"
            if setup.numbers is not None
            else "These weights are"
        )
        return f"{begin} drawn: the way to the shares is real, what they say means nothing."
    if setup.task == "questions":
        return (
            "These weights learned which noun is meant, and who does it, but never what comes next:"
            " these shares mean nothing."
        )
    known = of_the_language(setup)
    if setup.task == "repeat":
        begins = (
            "The row has begun again"
            if known
            else "The row has not begun again yet, so nobody can know what comes next"
        )
        return f"{begins}{f': after it comes {quoted(next(iter(known)))}' if known else ''}."
    if len(setup.tokens) >= language.LENGTH:
        return (
            f"Sentences of the small language have {language.LENGTH} words: what comes after those,"
            " no training has shown."
        )
    return _after(setup.tokens, known)


def _after(tokens: Sequence[str], known: Mapping[str, float]) -> str:
    """Say with which words the language goes on after a beginning, and what that means for whoever
    is to say the next."""
    beginning = quoted(" ".join(tokens))
    if not known:
        return f"No sentence of the small language begins with {beginning}: training never met it."
    if len(known) == 1:
        return (
            f"After {beginning} only {quoted(next(iter(known)))} can come: whoever knows the"
            " language is sure."
        )
    ranked = sorted(known, key=lambda word: -known[word])
    if len(ranked) > 4:
        return (
            f"After {beginning} {len(ranked)} words can come: not even the language itself knows"
            " which."
        )
    names = f"{', '.join(map(quoted, ranked[:-1]))} and {quoted(ranked[-1])}"
    return f"After {beginning} only {names} can come: not even the language itself knows which."


def cut(trace: Trace) -> str:
    """Say how many words top-k and top-p leave; nothing where they leave all."""
    left = int(trace.value("top_p").isfinite().sum())
    every = len(trace.value("top_p"))
    return (
        ""
        if left == every
        else f"{count(left, 'word')} of {every:,} may come; the others have no share."
    )
