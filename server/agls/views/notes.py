"""Facts that have no event of their own: notes of rooms, and facts with nothing to show."""

from agls.engine import background
from agls.engine.context import ENVIRONMENT
from agls.engine.facts import Fact, Injected, LimitsChanged, Noted, PhaseStarted, Steered, Used
from agls.engine.note_items import (
    ChildEnd,
    ChildStart,
    FileEdit,
    FilesKept,
    NoteItem,
    PlanEntry,
    PlanShown,
    Remark,
    RunOutput,
    SideAnswer,
)
from agls.engine.state import State
from agls.views.events import EventWriter
from agls.views.helpers import RunningHelpers
from agls.views.items import OpenItems
from agls.views.values import change, content_blocks, limits, usage
from agls.views.wire_json import compact
from agls_protocol.events import RecordedData
from agls_protocol.items import FileEditItem, NoticeItem, PlanItem, PlanItemEntry

NOT_SHOWN = frozenset({ENVIRONMENT, background.ROOM})  # whose messages are for the model only


def write_note_item(
    item: NoteItem, out: EventWriter, items: OpenItems, helpers: RunningHelpers, state: State
) -> None:
    """Write what a note shows; `state` is that after it."""
    match item:
        case FileEdit():
            out.write_item(_file_edit(item))
        case ChildStart():
            helpers.begin(item, state)
        case ChildEnd():
            helpers.end(item, state)
        case FilesKept(checkpoint_id, reason, files):
            out.write("checkpoint", {"checkpointId": checkpoint_id, "reason": reason, "files": list(files)})
        case PlanShown():
            out.write_item(_plan(item))
        case Remark():
            out.write_item(_remark(item))
        case SideAnswer():
            items.start_aside(item.item_id, item.question)
            items.complete(item.item_id, {"status": item.status, "text": item.text})
        case RunOutput():  # the end of the run has it (`run_totals.py`)
            pass


def _file_edit(edit: FileEdit) -> FileEditItem:
    return {
        "itemId": edit.item_id,
        "kind": "fileEdit",
        "status": "completed",
        "title": edit.title,
        "changes": [change(edit.change)],
    }


def _remark(remark: Remark) -> NoticeItem:
    return {
        "itemId": remark.item_id,
        "kind": "notice",
        "status": "completed",
        "title": remark.title,
        "text": remark.text,
    }


def _plan(plan: PlanShown) -> PlanItem:
    return {
        "itemId": plan.item_id,
        "kind": "plan",
        "status": "completed",
        "title": plan.title,
        "text": plan.text,
        "entries": [_entry(entry) for entry in plan.entries],
    }


def _entry(entry: PlanEntry) -> PlanItemEntry:
    members: PlanItemEntry = {"id": entry.id, "text": entry.text, "state": entry.state}
    return {**members, "after": list(entry.after)} if entry.after else members


def recorded(fact: Fact) -> RecordedData:
    """Return the data of `recorded`, which keeps `seq` free of holes."""
    name = type(fact).__name__
    return compact(RecordedData, _members(name[0].lower() + name[1:], fact))


def _members(name: str, fact: Fact) -> RecordedData:
    match fact:
        case Noted(feature, kind):
            return {"fact": name, "feature": feature, "kind": kind}
        case PhaseStarted(phase):
            return {"fact": name, "name": phase}
        case Steered(item_id, run_id, content):
            return {"fact": name, "itemId": item_id, "runId": run_id, "content": content_blocks(content)}
        case Injected(messages) if messages:
            last = messages[-1]
            content = [block for message in messages for block in content_blocks(message.content)]
            return {"fact": name, "itemId": last.item_id, "by": last.origin, "content": content}
        case LimitsChanged(values):
            return {"fact": name, "limits": limits(values)}
        case Used(by, used, cost):
            return {"fact": name, "by": by, "usage": usage(used), "cost": cost}
        case _:
            return {"fact": name}
