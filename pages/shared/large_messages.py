"""Which large messages a visitor's browser still has, so that their hash is enough. No Streamlit run here."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

RUNS = 3  # .streamlit/config.toml lets a browser keep a message for more runs than that


@dataclass
class LargeMessages:
    """In which of a visitor's runs each large message was last sent, by its hash.

    Of such a message, Streamlit sends the hash alone where the browser says that it has it. But the browser drops what it has
    not used for so many runs, and the last one of these may end after it said so: it then finds nothing by the hash, and
    hears no other message any more. So only what was sent a few runs ago is left to its hash, and the settings let the
    browser keep it longer. Noticed by `test_back_to_a_page_while_an_answer_is_on_its_way`.
    """

    run: int = 0
    last: dict[str, int] = field(default_factory=dict)

    def still_there(self, hashes: Iterable[str]) -> frozenset[str]:
        """Another run begins: which of these the browser will have when it is answered."""
        self.run += 1
        self.last = {name: run for name, run in self.last.items() if self.run - run <= RUNS}
        return frozenset(name for name in hashes if name in self.last)

    def note(self, messages: Iterable[ForwardMsg]) -> None:
        """These were sent in this run."""
        for message in messages:
            if message.metadata.cacheable:
                self.last[message.hash] = self.run
            elif message.WhichOneof("type") == "ref_hash":
                self.last[message.ref_hash] = self.run
