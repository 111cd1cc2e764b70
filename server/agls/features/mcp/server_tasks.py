"""Tasks that calls became: their ids are facts, and the run after a crash waits for them again.

The ids are noted before the server is asked for a task the first time. A task is left over when the process
ended with its call: that it goes on, or how it ended, is found out instead of calling again.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from agls.engine.context import OpenCall, closing_text
from agls.engine.facts import GateFact, Injected, Notice
from agls.engine.feature import RunView
from agls.engine.ports import new_id
from agls.engine.state import Note, State
from agls.engine.vocabulary import Stop, StopReason, Text, ToolCall, ToolResult, UserMessage
from agls.json_values import object_in, text_in

ROOM = "mcp"
BEGAN, SETTLED = "taskBegan", "taskSettled"
CUT_OFF = Stop(StopReason.INTERRUPTED)
WAITING = "A task of an MCP server is waited for"
ABOUT = (
    "{0} ({1}) was waited for when agls ended. The task that it began is asked for; it is not called again."
)
CONSENT = "The task that an earlier call began"
RESULT = (
    "[The call of {} whose outcome was unknown had become a task of the MCP server {}. The call was not made "
    "again: the task was asked for. {}]\n"
)
ENDS = {"completed": "It is completed. Its result:", "cancelled": "It was not waited for to the end:"}
FAILED = "It gave no result:"


class ServerTasks:
    """The tasks of the servers of one run, and those that are left over from before."""

    def __init__(self) -> None:
        self._view: RunView | None = None
        self._taken_up: dict[str, str] = {}

    @contextmanager
    def noted_in(self, view: RunView) -> Generator[None]:
        """Note tasks in this run for the block."""
        self._view = view
        try:
            yield
        finally:
            self._view = None

    def keep(self, call: ToolCall, server: str, task_id: str) -> None:
        """Note that a call became a task. One that is taken up is known."""
        if self._view and not self.task_of(call.call_id):
            said = {"callId": call.call_id, "tool": call.name, "arguments": call.arguments}
            about = {"taskId": task_id, "server": server, "parent": self._view.state.parent}
            self._view.note(ROOM, BEGAN, said | about)

    def task_of(self, call_id: str) -> str:
        """**Returns** the task that this call stands for, "" for a new call."""
        return self._taken_up.get(call_id, "")

    async def take_up(self, view: RunView) -> Sequence[GateFact]:
        """Wait for the tasks that are left over. **Returns** what became of them, for the model."""
        return [await self._take_up(note, view) for note in left_over(view.state)]

    async def _take_up(self, note: Note, view: RunView) -> GateFact:
        tool, server = text_in(note.data.get("tool")), text_in(note.data.get("server"))
        call = ToolCall(new_id("call"), tool, object_in(note.data, "arguments"))
        self._taken_up[call.call_id] = text_in(note.data.get("taskId"))
        view.show(Notice("info", WAITING, ABOUT.format(tool, server)))
        try:
            outcome = await view.pass_call(call, CONSENT)
        finally:  # also when the user cancels: then the server was told
            view.note(ROOM, SETTLED, {"callId": note.data.get("callId")})
        text = RESULT.format(tool, server, ENDS.get(outcome.status, FAILED)) + outcome.text
        return Injected((UserMessage(new_id("item"), (Text(text), *outcome.images), ROOM),))


def left_over(state: State) -> Sequence[Note]:
    """**Returns** the notes of tasks whose calls the end of a process cut off, and which are not settled.

    Those of a session that this one was forked from are that session's.
    """
    notes = state.notes.get(ROOM, ())
    settled = {note.data.get("callId") for note in notes if note.kind == SETTLED}
    began = [note for note in notes if note.kind == BEGAN and note.data.get("parent") == state.parent]
    open_ones = [note for note in began if note.data.get("callId") not in settled]
    cut_off = _cut_off(state) if open_ones else ()
    return [note for note in open_ones if note.data.get("callId") in cut_off]


def _cut_off(state: State) -> set[str]:
    """**Returns** the calls that were running when their process ended, as far as the model sees them."""
    results = [each for each in state.context.messages if isinstance(each, ToolResult)]
    return {each.call_id for each in results if each.text == _closed(each)}


def _closed(result: ToolResult) -> str:
    return closing_text(OpenCall(ToolCall(result.call_id, result.name, {}), started=True), CUT_OFF)
