"""A session as a file for others: JSON lines (which can be imported again), Markdown, or one HTML page."""

from collections.abc import Callable, Mapping, Sequence
from uuid import uuid4

from agls.engine.facts import Entry
from agls.engine.vocabulary import JsonObject
from agls.order import NOTES
from agls.stores.codec import Header, encode
from agls.stores.rows import summarise
from agls.views.render.html import html_page
from agls.views.render.markdown import heading, markdown
from agls.views.replay import Replay


def exported(session_id: str, entries: Sequence[Entry], format: str) -> bytes:
    """Return the session in one of `FORMATS`; there is at least one entry."""
    return FORMATS[format](session_id, entries)


def _lines(session_id: str, entries: Sequence[Entry]) -> bytes:
    """Return the journal itself, every line with its checksum."""
    first, *others = entries
    begin = encode(Header(session_id, uuid4().hex, first.at)) + encode(first)
    return b"".join((begin, *(encode(entry, first.at) for entry in others)))


def _markdown(session_id: str, entries: Sequence[Entry]) -> bytes:
    replay = Replay(NOTES, session_id, entries)
    page = heading(session_id, _info(session_id, replay, entries)) + markdown(_events(replay))
    return page.encode("utf-8", "replace")


def _html(session_id: str, entries: Sequence[Entry]) -> bytes:
    replay = Replay(NOTES, session_id, entries)
    page = html_page(session_id, _info(session_id, replay, entries), _events(replay))
    return page.encode("utf-8", "replace")


def _info(session_id: str, replay: Replay, entries: Sequence[Entry]) -> JsonObject:
    """Return the header of the session; its title is the one that the list of sessions shows."""
    return {**replay.transcript.info, "title": summarise(session_id, entries)[0].title}


def _events(replay: Replay) -> list[JsonObject]:
    """Return all events, and the present one of a session that works."""
    items = replay.transcript.items.values()
    open_now = [item for item in items if item.get("status") in {"pending", "running"}]
    return [*replay.events, *({"type": "itemCompleted", "data": {"item": item}} for item in open_now)]


FORMATS: Mapping[str, Callable[[str, Sequence[Entry]], bytes]] = {
    "jsonl": _lines,
    "md": _markdown,
    "html": _html,
}
