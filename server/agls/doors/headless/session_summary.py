"""`agls sessions show`: one session in a few lines."""

from collections.abc import Sequence

from agls.doors.headless.listing import local, standing
from agls.doors.headless.streams import write, write_json
from agls.engine.facts import Entry
from agls.engine.history import name_of
from agls.engine.state import fold_all
from agls.engine.vocabulary import AssistantMessage, JsonObject, Message, UserMessage
from agls.short_text import brief, number_of
from agls.stores.rows import at_rest, summarise
from agls.toolkit import used_json
from agls.views.escape import escape_controls
from agls.views.values import plain_text
from agls.views.wire_json import timestamp

SHOWN, WIDTH = 4, 400  # messages, characters of one


def write_session(session_id: str, entries: Sequence[Entry], *, as_json: bool) -> None:
    """Write what the journal says of the session to standard output."""
    row, state = at_rest(summarise(session_id, entries)[0]), fold_all(entries)
    stands = {name_of(message) for message in state.context.messages}
    undone = {name_of(message) for gone in state.rewinds.values() for message in gone} - stands
    messages = (message for message in state.transcript if name_of(message) not in undone)
    last = [said for message in messages if (said := _said(message))][-SHOWN:]
    summary: JsonObject = {
        "sessionId": session_id,
        "title": row.title,
        "cwd": row.cwd,
        "createdAt": timestamp(row.created_at),
        "updatedAt": timestamp(row.updated_at),
        "tags": list(row.tags),
        "archived": row.archived,
        "interrupted": row.interrupted,
        "parentSessionId": row.parent,
        "facts": state.seq,
        "messages": len(state.transcript),
        "usage": used_json(state.total),
        "last": last,
    }
    if as_json:
        write_json(summary)
        return
    lines = [
        row.title or "(no title)",
        f"{session_id}  {standing(row)}  {local(row.created_at)} to {local(row.updated_at)}",
        f"in {row.cwd}" + (f", a fork or child of {row.parent}" if row.parent else ""),
        f"{number_of(state.total.turns, 'turn')}, {number_of(state.total.tool_calls, 'tool call')}, "
        f"{number_of(state.total.total_tokens, 'token')}",
        *([f"tags: {', '.join(row.tags)}"] if row.tags else []),
        "",
        *(f"{said['who']}: {brief(said['text'], WIDTH)}" for said in last),
    ]
    write("".join(f"{escape_controls(line)}\n" for line in lines))


def _said(message: Message) -> JsonObject | None:
    match message:
        case UserMessage(_, content, "user"):
            return {"who": "you", "text": plain_text(content)}
        case AssistantMessage(_, text) if text:
            return {"who": "agls", "text": text}
        case _:
            return None
