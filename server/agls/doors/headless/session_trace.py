"""`agls sessions trace`: the facts of a session, and beside each the wire events that it is for clients."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from agls.doors.headless.streams import write
from agls.engine.facts import Entry
from agls.engine.vocabulary import JsonObject
from agls.order import NOTES
from agls.short_text import brief, cut
from agls.stores.codec import unstructure
from agls.views.escape import escape_controls
from agls.views.project import Projection
from agls.views.wire_json import timestamp

VALUE = 32  # characters of one value of a fact
FACT, SPENT = 64, 9  # columns of the fact, and of the seconds since the one before
SAID = (
    "kind",
    "status",
    "effects",
    "state",
    "stopReason",
    "title",
)  # members that distinguish an event from others


class Filter(NamedTuple):
    """Which rows are wanted: of these `types` (of facts or events), of this run, of this item. "" is all."""

    types: frozenset[str] = frozenset()
    run_id: str = ""
    item_id: str = ""

    def fits(self, row: "TracedFact") -> bool:
        """Return whether this row is wanted."""
        names = {row.kind, *(event["type"] for event in row.events)}
        if self.types and not self.types & names:
            return False
        held = frozenset(_texts([row.fields, *row.events]))
        return {self.run_id, self.item_id} - {""} <= held


class TracedFact(NamedTuple):
    """One fact as the journal has it, its events, and the seconds since the fact before."""

    seq: int
    at: float
    since: float
    kind: str
    fields: JsonObject
    events: Sequence[JsonObject]


def rows_of(session_id: str, entries: Iterable[Entry]) -> Iterator[TracedFact]:
    """Return all facts with their events, in order."""
    projection = Projection(NOTES, session_id, "")
    before = 0.0
    for entry in entries:
        kind, fields = unstructure(entry.fact)
        since = entry.at - before if before else 0.0
        yield TracedFact(entry.seq, entry.at, since, kind, fields, projection.events(entry))
        before = entry.at


def write_trace(session_id: str, entries: Iterable[Entry], wanted: Filter, *, as_json: bool) -> int:
    """Write the rows that are wanted to standard output. **Returns** how many there are."""
    rows = [row for row in rows_of(session_id, entries) if wanted.fits(row)]
    lines = map(_as_json, rows) if as_json else (line for row in rows for line in _as_text(row))
    write("".join(f"{line}\n" for line in lines))
    return len(rows)


def _as_json(row: TracedFact) -> str:
    fact = {"type": row.kind, "data": row.fields}
    head = {"seq": row.seq, "at": timestamp(row.at), "since": round(row.since, 3), "fact": fact}
    return json.dumps({**head, "events": row.events})


def _as_text(row: TracedFact) -> Iterator[str]:
    """Yield lines: number, time, seconds since the fact before, the fact, and in the last column events."""
    fact = escape_controls(" ".join((row.kind, *_values(row.fields))))
    times = f"{timestamp(row.at)[11:-1]}  {f'+{row.since:.3f}':>{SPENT}}"
    left = f"{row.seq:>6}  {times}  {cut(fact, FACT):<{FACT}}"
    events = [escape_controls(_event(event)) for event in row.events] or ["-"]
    yield f"{left}  {events[0]}"
    for event in events[1:]:
        yield f"{'':{len(left)}}  {event}"


def _values(fields: JsonObject) -> Iterator[str]:
    """Return the plain members of a fact, ids first."""
    plain = {
        name: value for name, value in fields.items() if isinstance(value, str | int | float) and value != ""
    }
    for name in sorted(plain, key=lambda name: not name.endswith("_id")):
        yield f"{name}={brief(str(plain[name]), VALUE)}"


def _event(event: JsonObject) -> str:
    data: JsonObject = event["data"]
    item: JsonObject = data.get("item") or {}
    described = {**data, **item}
    said = [f"{name}={cut(str(described[name]), VALUE)}" for name in SAID if described.get(name)]
    return " ".join((event["type"], *([event["itemId"]] if "itemId" in event else []), *said))


def _texts(value: Any) -> Iterator[str]:
    """Return every string that stands anywhere in the value, but for the names of members."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts(list(cast(JsonObject, value).values()))
    elif isinstance(value, list | tuple):
        for inner in cast(Sequence[Any], value):
            yield from _texts(inner)
