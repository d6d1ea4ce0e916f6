"""What a text leaves open: questions with the answers that fit, and what was answered."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass


class InvalidInput(ValueError):
    """What was read cannot be put together. The message is for the reader."""


class InvalidAnswer(ValueError):
    """An answer does not fit its question, or has none."""


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


class Questions:
    """The questions about a text by name, the answers to them, and messages to the reader."""

    def __init__(self, answers: Mapping[str, str]) -> None:
        self.answers = dict(answers)
        self.asked: dict[str, Question] = {}
        self.messages: list[str] = []

    def ask(self, question: Question) -> str | None:
        """Put a question, and return what was answered, else its default. Raises
        InvalidAnswer."""
        self.asked[question.name] = question
        answer = self.answers.get(question.name)
        if answer is not None and question.answers and answer not in question.answers:
            fitting = " or ".join(question.answers)
            raise InvalidAnswer(f"“{answer[:40]}” is no answer to {question.name}: {fitting} is.")
        return question.default if answer is None else answer

    def refuse_unknown(self, others: Collection[str]) -> None:
        """Raise InvalidAnswer where one belongs to no question, and is none of the others."""
        for name in sorted(self.answers.keys() - {*self.asked, *others}):
            listed = ", ".join(self.asked) or "none"
            raise InvalidAnswer(f"“{name[:40]}” is no question here. Open are: {listed}.")
