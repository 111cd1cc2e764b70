"""What the user may ask of the session and do with its work: its status, the others, stop, leave."""

from collections.abc import Sequence
from datetime import UTC, datetime

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, SessionRow
from agls.features.conversation.transcript import OPEN
from agls.frozen import frozen
from agls.room.folder_ports import Surroundings
from agls.room.run_ports import RunInfo
from agls.room.session_ports import SessionControl
from agls.short_text import number_of
from agls.toolkit import Arguments, TypedAction

LISTED = 20
LEAVE = "leave"  # in the data of an outcome: the client shows this session no more
RUNS_ON = "Its run goes on: /stop ends it."
UNUSED = "Nothing was said in this session."


class Status(Arguments):
    """Show this session: its folder, model and mode, and what it is doing now."""


class Resume(Arguments):
    """Show the other sessions of this folder, the latest first, and how to continue them."""

    search: str = Field(
        default="", description="only those that contain this text, or whose id begins with it"
    )


class StopRun(Arguments):
    """Stop the active run. What it has done stays."""


class Leave(Arguments):
    """Leave this session. It is kept, and can be continued."""


def report_actions(control: SessionControl, run: RunInfo, place: Surroundings) -> tuple[Action, ...]:
    """Return the actions on how the session stands."""
    handlers = ReportActions(control, run, place)
    group = "Conversation"
    return (
        TypedAction("status", "Show the session", Status, handlers.status, aliases=("session",), group=group),
        TypedAction(
            "resume",
            "Show other sessions",
            Resume,
            handlers.resume,
            aliases=("continue", "sessions"),
            group=group,
            choices={"search": handlers.ids},
            outside=True,
        ),
        TypedAction(
            "stop", "Stop the run", StopRun, handlers.stop, when="running", aliases=("cancel",), group="Work"
        ),
        TypedAction("exit", "Leave", Leave, leave, aliases=("quit",), group=group),
    )


@frozen
class ReportActions:
    """Do the actions on how the session stands."""

    control: SessionControl
    run: RunInfo
    place: Surroundings

    async def status(self, arguments: Status, context: ActionContext) -> ActionOutcome:
        """Describe the session."""
        state = context.state
        model = str(state.options.get("model", "")) or self.run.model
        data: JsonObject = {
            "sessionId": context.session_id,
            "title": state.title,
            "state": state.status,
            "cwd": state.cwd,
            "roots": list(state.roots),
            "trusted": self.place.trusted,
            "model": model,
            "mode": self.place.mode_of(state),
            "options": dict(state.options),
            "turns": state.total.turns,
            "waiting": len(state.queue),
        }
        turns = number_of(state.total.turns, "turn")
        words = {
            "Session": f"{context.session_id}{f' ({state.title})' if state.title else ''}",
            "Folder": f"{state.cwd}{'' if self.place.trusted else ' (not trusted: agls trust)'}",
            **({"More folders": ", ".join(state.roots)} if state.roots else {}),
            "Model": model or "none is configured",
            "Mode": data["mode"],
            "Now": f"{state.status}, prompts that wait: {len(state.queue)}" if state.queue else state.status,
            "So far": f"{turns}, {number_of(state.total.tool_calls, 'tool call')}",
        }
        return ActionOutcome("\n".join(f"- {name}: {value}" for name, value in words.items()), data)

    async def resume(self, arguments: Resume, context: ActionContext) -> ActionOutcome:
        """List the other sessions. **Raises** `ActionError`."""
        rows = await self._rows(arguments.search)
        chosen = {OPEN: rows[0].session_id} if [row.session_id for row in rows] == [arguments.search] else {}
        if not rows:
            raise ActionError('No other session of this folder matches. Start one: agls run "…"')
        lines = [f"- `{row.session_id}` {_when(row)} {row.title or '(no title)'}" for row in rows]
        text = [*lines, "", f"To go on with one: agls resume {rows[0].session_id}"]
        data = [{"sessionId": row.session_id, "title": row.title, "state": row.state} for row in rows]
        return ActionOutcome("\n".join(text), {"sessions": data, **chosen})

    async def ids(self, context: ActionContext) -> Sequence[ActionValue]:
        """Return the ids of the other sessions."""
        return [ActionValue(row.session_id, row.title) for row in await self._rows("")]

    async def stop(self, arguments: StopRun, context: ActionContext) -> ActionOutcome:
        """Cancel the run."""
        run_id = self.control.stop()
        said = "The run is being stopped." if run_id else "The run ended already."
        return ActionOutcome(said, {"runId": run_id})

    async def _rows(self, search: str) -> Sequence[SessionRow]:
        everything = await self.control.others()
        known = [row for row in everything if not row.archived]
        by_id = [row for row in everything if search and row.session_id.startswith(search)]
        return (by_id or (await self.control.others(search) if search else known))[:LISTED]


async def leave(arguments: Leave, context: ActionContext) -> ActionOutcome:
    """Say how to come back; the client closes its view."""
    if not (context.state.transcript or _works(context.state)):
        return ActionOutcome(UNUSED, {LEAVE: True, "sessionId": context.session_id})
    back = f"The session is kept. To go on with it: agls resume {context.session_id}"
    said = back if not _works(context.state) else f"{back} {RUNS_ON}"
    return ActionOutcome(said, {LEAVE: True, "sessionId": context.session_id})


def _works(state: State) -> bool:
    return state.running or bool(state.queue)


def _when(row: SessionRow) -> str:
    return datetime.fromtimestamp(row.updated_at, UTC).strftime("%Y-%m-%d %H:%M")
