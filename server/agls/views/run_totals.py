"""What one run used and changed, added up for its `runEnded`."""

from collections.abc import Mapping
from dataclasses import fields

from agls.engine.facts import Replied
from agls.engine.vocabulary import FileChange, JsonObject, Usage
from agls.views.net_lines import NetLines
from agls.views.wire_json import camel, filled

MERGED = {  # what two changes of one file in a row come to; "" is nothing at all
    ("added", "modified"): "added",
    ("added", "deleted"): "",
    ("deleted", "added"): "modified",
}
_COUNTS = [(count.name, camel(count.name)) for count in fields(Usage)]


class Tally:
    """Sums over one run. What no provider reported is left out: a zero would be a lie."""

    def __init__(self) -> None:
        self.unanswered = 0
        self._usage: dict[str, int] = {}
        self._cost: float | None = None
        self._unpriced = 0
        self._files: dict[str, JsonObject] = {}
        self._net: dict[str, NetLines] = {}
        self._output: JsonObject = {}

    def spend(self, counts: Mapping[str, int], cost: float | None) -> None:
        """One more model call: `counts_of` its usage; `cost` in US dollars."""
        for name, count in counts.items():
            self._usage[name] = self._usage.get(name, 0) + count
        if cost is None:
            self._unpriced += 1
        else:
            self._cost = (self._cost or 0.0) + cost

    def change(self, done: FileChange) -> None:
        """One more change of a file: what counts is what became of it in the run, not each step."""
        before = self._files.pop(done.uri, None)
        net = self._net.pop(done.uri, None) or NetLines()
        kind = MERGED.get((before["change"], done.change), done.change) if before else done.change
        if not kind:
            return
        net.apply(done.patch, done.insertions, done.deletions)
        came, went = done.insertions, done.deletions
        if before:
            summed = came + before["insertions"], went + before["deletions"]
            came, went = net.counts() if net.is_known else summed
            if kind == "modified" and not (came or went):
                return  # it is as it was
        self._net[done.uri] = net
        self._files[done.uri] = {"uri": done.uri, "change": kind, "insertions": came, "deletions": went}

    def note(self, feature: str, kind: str, data: JsonObject) -> None:
        """What a room noted: the answer of a run that has a schema."""
        if (feature, kind) == ("output_schema", "result"):
            self._output = {"output": data["output"]}

    def members(self) -> JsonObject:
        """`filesChanged`; `usage`, `cost` and `unanswered` where known, `unpriced` calls beside a cost.

        `output` is the answer that fits the schema of the run, when it has one.
        """
        members: JsonObject = {"filesChanged": list(self._files.values()), **self._output}
        if self._usage:
            members["usage"] = dict(self._usage)
        if self._cost is not None:
            members["cost"] = self._cost
            members |= {"unpriced": self._unpriced} if self._unpriced else {}
        if self.unanswered:
            members["unanswered"] = self.unanswered
        return members


class Meter:
    """How full the context of the model is; `window` is how many tokens it holds. `cost` is the session's."""

    def __init__(self, cost: float) -> None:
        self.window: int | None = None
        self._cost = cost

    def spend(self, cost: float | None) -> None:
        """One more model call; `cost` in US dollars."""
        self._cost += cost or 0.0

    def read(self, usage: Usage, other: str) -> JsonObject | None:
        """The data of `contextUsage` after an answer with this usage; `None` when nobody counted.

        `other` names the model that answered in place of the one that was asked; its window is not known.
        """
        if usage.input_tokens is None:
            return None
        used = usage.input_tokens + (usage.output_tokens or 0)
        size = None if other else self.window
        return {"used": used, "sure": "told", **filled(size=size, cost=self._cost or None)}


def counts_of(usage: Usage) -> dict[str, int]:
    """What is known of a usage, by its names on the wire."""
    return {told: count for name, told in _COUNTS if (count := getattr(usage, name)) is not None}


def spent(counts: dict[str, int], cost: float | None) -> JsonObject:
    """`usage` and `cost` of one model call, where known."""
    members: JsonObject = {"usage": counts} if counts else {}
    return members if cost is None else {**members, "cost": cost}


def answered(fact: Replied, counts: dict[str, int]) -> JsonObject:
    """What `turnEnded` says of a turn with this answer; `counts` are those of its usage."""
    return {**spent(counts, fact.cost), "finish": camel(fact.finish), **filled(model=fact.model)}
