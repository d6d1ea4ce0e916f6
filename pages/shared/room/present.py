"""Who follows in each room on each server, as the servers say now and then: no names, but marks
that tell one browser from another."""

import time

HEARTBEAT = 10.0  # seconds
GONE = 3 * HEARTBEAT  # a server that says nothing for so long serves nobody


class Present:
    """What servers said last, by room."""

    def __init__(self) -> None:
        self.said: dict[
            str, dict[str, tuple[list[str], float]]
        ] = {}  # by room and server: followers, and when that was said

    def says(self, code: str, server: str, followers: list[str] | None) -> None:
        """Note that these follow on a server; None where nobody is in the room there."""
        servers = self.said.setdefault(code, {})
        if followers is None:
            servers.pop(server, None)
        else:
            servers[server] = followers, time.monotonic()
        if not servers:
            del self.said[code]

    def forget(self, code: str) -> None:
        """Forget a room that nobody here asks about any more."""
        self.said.pop(code, None)

    def anybody(self, code: str) -> bool:
        """Return whether somebody is in the room, on any server."""
        return bool(self._lately(code))

    def followers(self, code: str) -> int:
        """Return how many follow, on all servers. Who came over from a server that died counts
        once: it is the same browser."""
        return len(set().union(*self._lately(code)))

    def _lately(self, code: str) -> list[list[str]]:
        now = time.monotonic()
        return [followers for followers, at in self.said.get(code, {}).values() if now - at < GONE]
