"""The helpers of calls: items that are open as long as a child works, and never longer than its call."""

from agls.engine.note_items import ChildEnd, ChildStart, NoteTable
from agls.engine.state import State
from agls.views.events import EventWriter
from agls.views.items import OpenItems
from agls.views.wire_json import compact, filled
from agls_protocol.items import SubagentItem


class RunningHelpers:
    """The helpers of the calls that are open; those of `state` were shown before."""

    def __init__(self, out: EventWriter, items: OpenItems, notes: NoteTable, state: State) -> None:
        self._out = out
        self._items = items
        self._of: dict[str, list[str]] = {}  # the items of a call
        for start in _at_work(notes, state) if state.calls else ():
            self._items.adopt(_item(start, "running"), "text")
            self._of.setdefault(start.call_id, []).append(start.item_id)

    def begin(self, start: ChildStart, state: State) -> None:
        """Write that a child began."""
        if start.call_id in state.calls and start.item_id not in self._items:
            self._items.start(_item(start, "running"), "text")
            self._of.setdefault(start.call_id, []).append(start.item_id)

    def end(self, end: ChildEnd, state: State) -> None:
        """Write how a child ended. One whose call is over was completed with it: nothing is written."""
        if end.item_id in self._items:
            self._items.complete(end.item_id, {"status": end.status, **filled(text=end.text)})
        elif end.call_id in state.calls:
            self._out.write_item(_item(end, end.status, end.text))

    def close(self, call_id: str, why: str = "") -> None:
        """Complete the helpers of a call that ends before them, as it does when it is cut off."""
        for item_id in self._of.pop(call_id, ()):
            if item_id in self._items:
                self._items.complete(item_id, {"status": "cancelled", **filled(text=why)})


def _at_work(notes: NoteTable, state: State) -> list[ChildStart]:
    """Return the children that began and did not end, of the calls that are open."""
    known: dict[str, ChildStart] = {}
    for room, noted in state.notes.items():
        for note in noted:
            row = notes.rows.get((room, note.kind))
            for item in row(note.data) if row else ():
                if isinstance(item, ChildStart) and item.call_id in state.calls:
                    known[item.item_id] = item
                elif isinstance(item, ChildEnd):
                    known.pop(item.item_id, None)
    return list(known.values())


def _item(child: ChildStart | ChildEnd, status: str, text: str = "") -> SubagentItem:
    item: SubagentItem = {
        "itemId": child.item_id,
        "kind": "subagent",
        "status": status,
        "title": child.title,
        "childSessionId": child.session_id,
        "text": text,
    }
    return compact(SubagentItem, item)
