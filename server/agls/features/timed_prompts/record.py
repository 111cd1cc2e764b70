"""What is noted of the runs of timed prompts, and how it is shown."""

from collections.abc import Mapping, Sequence

from agls.engine.actions import ActionContext, ActionError
from agls.engine.note_items import NoteItem, NoteRow, Remark
from agls.engine.ports import JournalError, new_id
from agls.engine.vocabulary import JsonObject
from agls.room.session_ports import SessionControl

ROOM = "timed_prompts"
TYPED = "typed"
TITLE = "Timed prompt"


class MarkedPrompts:
    """Sends a prompt again and again, each time behind a mark in the history: nobody typed it just then."""

    def __init__(self, control: SessionControl, context: ActionContext, title: str) -> None:
        self._control, self._context = control, context
        self._title, self._runs = title, 0

    async def type(self, text: str) -> str:
        """Mark the run and begin it. **Returns** its id. **Raises** `ActionError`."""
        self._runs += 1
        try:
            self._context.note(TYPED, {"itemId": new_id("item"), "title": self._title, "run": self._runs})
        except JournalError as problem:
            raise ActionError(str(problem)) from None
        return await self._control.type(text)


def _typed(data: JsonObject) -> Sequence[NoteItem]:
    match data:
        case {"itemId": str(item_id), "title": str(title), "run": int(number)}:
            return (Remark(item_id, TITLE, f"Run {number} of {title}"),)
        case _:
            return ()


NOTES: Mapping[str, NoteRow] = {TYPED: _typed}
