"""Deltas that a slow reader is spared, and what makes up for them; the same in every door (protocol#flow)."""

from collections.abc import Callable, Mapping, Sequence

from agls.doors.agent.flow.sizes import made_up
from agls.doors.messages import JsonObject

CaughtUp = Callable[[Mapping[str, int], float], list[JsonObject]]


class LeftOutDeltas:
    """The open items whose deltas were left out. It is true while there are any.

    `largest` is how many bytes one event may have, 0 for any number; `caught_up` returns the events that
    bring such items up to date, given the facts behind which the first of their deltas was left out.
    """

    def __init__(self, caught_up: CaughtUp, largest: int = 0) -> None:
        self._caught_up = caught_up
        self._largest = largest
        self._behind: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._behind)

    def add(self, items: Mapping[str, int]) -> None:
        """Note that deltas of these items, which come before all others, are left out too."""
        self._behind = {**items, **self._behind}

    def spare(self, events: Sequence[JsonObject]) -> list[JsonObject]:
        """Return the events without deltas: those are made up for when their item is caught up with, or ends.

        What makes up for them stands before all events of the fact that completes their item.
        """
        made: list[JsonObject] = []
        rest: list[JsonObject] = []
        for event in events:
            if event["type"] == "itemDelta":
                self._behind.setdefault(event["itemId"], event["after"])
                continue
            if event["type"] == "itemCompleted" and event["itemId"] in self._behind:
                since = self._behind.pop(event["itemId"])
                made += made_up(event, self._largest, since) if self._largest else ()
            rest.append(event)
        return made + rest

    def catch_up(self, at: float) -> list[JsonObject]:
        """Return what makes up for all that was left out; `at` is the Unix time."""
        behind, self._behind = self._behind, {}
        return self._caught_up(behind, at)
