"""What a text leaves open: questions with the answers that fit, and what was answered."""

from collections.abc import Sequence
from dataclasses import dataclass


class Unfit(ValueError):
    """What was read cannot be put together. The message is for the reader."""


@dataclass(frozen=True)
class Question:
    """What is open: the answers that fit (none: numbers are typed), the one that is taken if nobody
    says otherwise, where there is one, and else a first guess.

    `needed` says that nothing can be computed before it is answered.
    """

    name: str
    says: str
    answers: tuple[str, ...] = ()
    default: str | None = None
    guess: str = ""
    needed: bool = True


class Asked:
    """The questions about a text, the answers to them, and what is to be said."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers
        self.questions: dict[str, Question] = {}
        self.messages: list[str] = []

    def ask(
        self,
        name: str,
        says: str,
        answers: Sequence[str],
        default: str | None = None,
        guess: str = "",
        needed: bool = True,
    ) -> str | None:
        """Put a question, and return what was answered, else its default. Raises ValueError for an
        answer that is none."""
        self.questions[name] = Question(name, says, tuple(answers), default, guess, needed)
        answer = self.answers.get(name)
        if answer is not None and answers and answer not in answers:
            raise ValueError(f"“{answer[:40]}” is no answer to {name}: {' or '.join(answers)} is.")
        return default if answer is None else answer
