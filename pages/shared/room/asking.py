"""What a lecturer's act or a follower's answer does in a class."""

import json
from dataclasses import replace
from typing import Any

from core import tally
from pages.shared.room import questions
from pages.shared.room.members import Member, RefusedError
from pages.shared.room.rooms import Asked, Change, Place, Room, Store


class Asking:
    """Rooms of which something is asked, and what is done with them."""

    store: Store
    rooms: dict[str, Room]

    def _know(self, room: Room) -> Room:
        raise NotImplementedError

    # ---------- a lecturer's acts ----------

    async def _change(self, code: str, change: Change, kind: str) -> None:
        """Change a room, and tell all in it."""

        def counted(room: Room) -> Room:
            changed = change(room)
            return room if changed == room else replace(changed, acts=room.acts + 1)

        self._know(await self.store.change(code, counted, kind))

    async def move(self, code: str, at: Place) -> None:
        """Go where the lecturer went."""
        await self._change(code, lambda room: replace(room, at=at), "at")

    async def ask(self, code: str, what: str, at: Place) -> None:
        """Ask the class something of this page."""
        await self._keep(code)
        try:
            question, given = await questions.composed(what, at)
        except ValueError as error:
            raise RefusedError(str(error)) from error

        def with_it(room: Room) -> Room:
            number = room.questions + 1
            asked = Asked(
                number, what, at, question.asks, question.kind, question.options, given=given
            )
            return replace(room, asked=asked, before=None, questions=number)

        await self._change(code, with_it, "asked")

    async def ask_on(self, code: str, **changes: Any) -> None:
        """Change the question: put it to the vote again, close the vote or open it, or show the
        answer; or put it away."""
        if not changes:
            await self._keep(code)

        def another(room: Room) -> Room:
            asked = room.asked
            if asked is None or (asked.shown and changes and "shown" not in changes):
                return room
            return (
                replace(room, asked=replace(asked, **changes))
                if changes
                else replace(room, asked=None, before=asked)
            )

        await self._change(code, another, "asked")

    async def undo(self, code: str, vote: Any, shown: Any) -> None:
        """Take the last of this back: the answer is hidden, the first vote goes on, or what was put
        away is there with its votes. Nothing is done where the question is another by now than this
        `vote`, or `shown` otherwise: a press counts once."""

        def as_it_was(room: Room) -> Room:
            asked = room.asked
            if (vote, shown) != ((asked.vote(), asked.shown) if asked else ("", False)):
                return room
            if asked is None:
                return replace(room, asked=room.before, before=None)
            return replace(
                room, asked=replace(asked, shown=False) if asked.shown else replace(asked, votes=1)
            )

        await self._change(code, as_it_was, "asked")

    async def end(self, code: str) -> None:
        """End the class."""
        await self.store.drop(code)
        await self.store.tell(code, {"is": "end"})

    async def result(self, code: str) -> dict[str, Any] | None:
        """Return how the votes on the present question went; None where there is none."""
        room = self.rooms[code]
        asked = room.asked
        if asked is None:
            return None
        votes = [tuple(await self.store.answers(room, vote)) for vote in room.votes]
        return {"is": "result"} | await questions.result(asked, votes)

    async def _keep(self, code: str) -> None:
        """Keep how the votes on the present question went: their answers go with it."""
        result = await self.result(code)
        if result and any(each["of"] for each in result["tallies"]):
            await self.store.keep(self.rooms[code], result["number"], questions.to_keep(result))

    async def results(self, code: str) -> dict[str, Any]:
        """Return the results of all questions of which the answer was shown or that were put away,
        and one table of them."""
        room = self.rooms[code]
        if room.asked and room.asked.shown:
            await self._keep(code)
        kept = sorted(
            map(json.loads, await self.store.kept(room)), key=lambda result: result["number"]
        )
        return {"is": "results", "results": kept, "csv": tally.as_csv(kept)}

    # ---------- a follower's answer ----------

    async def answer(self, member: Member, vote: str, text: Any) -> dict[str, Any]:
        """Count an answer, in place of one's former one, and return what is to be said of it."""
        room = self.rooms[member.room]
        asked = room.asked
        if asked is None or not asked.is_open or vote != asked.vote():
            closed = (
                "Voting is closed."
                if asked and not asked.shown and vote == asked.vote()
                else "This question is closed."
            )
            return {"is": "answered", "vote": vote, "counted": False, "says": closed}
        try:
            read = questions.read(asked, text)
        except ValueError as error:
            return {"is": "answered", "vote": vote, "counted": False, "says": str(error)}
        if not await self.store.vote(room, vote, member.who, read):
            return {
                "is": "answered",
                "vote": vote,
                "counted": False,
                "says": "There are as many answers as this class can hold.",
            }
        return {"is": "answered", "vote": vote, "counted": True, "answer": read}

    async def verdict(self, member: Member) -> dict[str, Any] | None:
        """Return what is to be said of one's own answer, once the answer is shown."""
        room = self.rooms[member.room]
        asked = room.asked
        if asked is None:
            return None
        mine = await self.store.answer_of(room, asked.vote(), member.who)
        if mine is None:
            return None
        if not asked.shown:
            return {"is": "answered", "vote": asked.vote(), "counted": True, "answer": mine}
        return {"is": "verdict", "vote": asked.vote(), "answer": mine} | await questions.verdict(
            asked, mine
        )
