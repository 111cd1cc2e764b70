"""`agls sessions show`: one session in a few lines."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from agls.doors.headless.listing import local, standing
from agls.doors.headless.streams import write, write_json
from agls.engine.facts import Entry, Noted
from agls.engine.history import name_of
from agls.engine.note_items import SideAnswer
from agls.engine.state import State, fold_all
from agls.engine.vocabulary import AssistantMessage, JsonObject, Message, UserMessage
from agls.order import NOTES
from agls.short_text import brief, number_of
from agls.stores.rows import at_rest, summarise
from agls.toolkit import used_json
from agls.views.escape import escape_controls
from agls.views.values import plain_text
from agls.views.wire_json import timestamp

SHOWN, WIDTH = 4, 400  # messages, characters of one
BESIDE = " (beside the work)"


def write_session(session_id: str, entries: Sequence[Entry], *, as_json: bool) -> None:
    """Write what the journal says of the session to standard output."""
    row = at_rest(summarise(session_id, entries)[0])
    asides: defaultdict[int, list[JsonObject]] = defaultdict(list)  # by the messages that stood before them

    def look(entry: Entry, now: Callable[[], State]) -> None:
        if isinstance(entry.fact, Noted) and (said := _said_beside(entry.fact)):
            asides[len(now().transcript)] += said

    state = fold_all(entries, look)
    stands = {name_of(message) for message in state.context.messages}
    undone = {name_of(message) for gone in state.rewinds.values() for message in gone} - stands
    said = list(asides[0])
    for count, message in enumerate(state.transcript, 1):
        said += _said(message) if name_of(message) not in undone else []
        said += asides[count]
    last = said[-SHOWN:]
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
        *(
            f"{each['who']}{BESIDE * each.get('beside', False)}: {brief(each['text'], WIDTH)}"
            for each in last
        ),
    ]
    write("".join(f"{escape_controls(line)}\n" for line in lines))


def _said(message: Message) -> list[JsonObject]:
    match message:
        case UserMessage(_, content, "user"):
            return [{"who": "you", "text": plain_text(content)}]
        case AssistantMessage(_, text) if text:
            return [{"who": "agls", "text": text}]
        case _:
            return []


def _said_beside(note: Noted) -> list[JsonObject]:
    """**Returns** the question and the answer of a note that shows them; the conversation has neither."""
    row = NOTES.rows.get((note.feature, note.kind))
    said: list[JsonObject] = []
    for item in row(note.data) if row else ():
        if isinstance(item, SideAnswer):
            said.append({"who": "you", "text": item.question, "beside": True})
            said.append({"who": "agls", "text": item.text, "beside": True})
    return said
