"""The first figure: for each ending of the trained sentence, where its last word attends. No
Streamlit here."""

from dataclasses import dataclass, replace
from typing import Any

from core import Setup
from core.forward import trace
from core.setup import setup as core_setup
from core.setup.presets import SENTENCE, STORY, STORY_HEAD
from core.text.text import labels
from pages.shared.link import DEFAULT_PARAMETERS, PLACES, as_parameter, write_link
from pages.shared.link.beats import STORY as BEATS
from pages.shared.link.focus import CHOICES
from pages.shared.server import computed
from pages.shared.text import words

WORDS = SENTENCE.split()
BREAKS = WORDS.index("because")  # the first word of a narrow screen's second line
ENDINGS = CHOICES["ending"]
STARTS = {
    "route": "story",
    "beat": str(BEATS[0][1]),
}  # starts the story


@dataclass(frozen=True)
class Looks:
    """The last word's largest weight: the key's place from 0, the weight, and the setup."""

    ending: str
    setup: Setup
    key: int
    share: float
    said: str

    @property
    def follows(self) -> dict[str, str]:
        """Return the pair as link fields, with the ending for the way back."""
        return {
            "query": str(len(self.setup.tokens)),
            "key": str(self.key + 1),
            "head": str(STORY_HEAD + 1),
            "ending": self.ending,
        }

    @property
    def link(self) -> str:
        """Return the link to this setup and pair."""
        followed = {
            name: value for name, value in self.follows.items() if value != DEFAULT_PARAMETERS[name]
        }
        return write_link(self.setup.as_link() | followed)

    def packed(self) -> dict[str, Any]:
        """Return the fields that the board reads."""
        noun = labels(self.setup.tokens)[self.key]
        return {
            "word": self.ending,
            "key": self.key,
            "share": self.share,
            "said": self.said,
            "link": f"{self.link}&{write_link(STARTS)}",
            "alt": (
                f"An arc from {words.quote(self.ending)} to {words.quote(noun)}:"
                f" {words.percent(self.share)}."
            ),
            "sets": self.follows | {"text": self.setup.text},
        }


@computed.cache_results(1)
def looks() -> tuple[Looks, ...]:
    """Return the last word's largest weight for each ending."""
    return tuple(_looks(ending) for ending in ENDINGS)


def _looks(ending: str) -> Looks:
    setup = replace(STORY, text=f"{SENTENCE} {ending}")
    row, names = trace.run(setup).value("weights")[STORY_HEAD, -1], labels(setup.tokens)
    key = int(row.argmax())
    return Looks(
        ending, setup, key, row[key].item(), words.attention(names[-1], row.tolist(), names, most=1)
    )


def sets() -> dict[str, str]:
    """Return the fields of the link to the next page: the setup, and default places."""
    choices = {
        name: as_parameter(getattr(STORY, name))
        for name in core_setup.DEFAULTS
        if name != "others"  # they change no number of the seven steps
    }
    return choices | {name: DEFAULT_PARAMETERS[name] for name in PLACES} | STARTS
