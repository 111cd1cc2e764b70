"""The commands `agls changes …`, `agls undo` and `agls rewind`: the agent's changes, and the way back."""

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping

from agls.config import ConfigInputs, read
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.open_session import folder, latest, opened
from agls.doors.headless.streams import write
from agls.doors.messages import JsonObject
from agls.doors.rewind import Back, Gone, go_back
from agls.engine.actions import ActionError
from agls.engine.admission import Refused
from agls.engine.ports import JournalError
from agls.engine.run_action import invoke
from agls.engine.session import Session
from agls.views.escape import escape_controls
from agls.workspace.editor import NoEditor
from agls.workspace.redact import harden
from agls.world import open_world

Work = Callable[[Session, argparse.Namespace], Awaitable[tuple[str, JsonObject]]]
POINT = "{:<20}  {:<18}  {}\n"
NOWHERE = "Nothing was said in this session yet.\n"
HOW = "\nGo back to before one of them: agls rewind {} --before ITEM (agls undo: to before the last)\n"


def follow(arguments: argparse.Namespace) -> int:
    """Follow the command, in the session that was named or the latest of the folder.

    **Returns** the exit code.
    """
    harden()
    text, data = asyncio.run(_follow(arguments, WORK[arguments.command]))
    write(f"{json.dumps(data, indent=2)}\n" if arguments.json else escape_controls(text))
    return Exit.DONE


async def _follow(arguments: argparse.Namespace, work: Work) -> tuple[str, JsonObject]:
    here = folder(arguments.cwd or ".")
    try:
        setup = read(ConfigInputs(), here, lambda _: False)
        async with open_world(setup, editor=NoEditor(), headless=True) as world:
            session = await opened(world, arguments.session or await latest(world, here))
            return await work(session, arguments)
    except (JournalError, Refused, ActionError) as problem:
        raise CannotBegin(str(problem), "refused") from problem


async def changes(session: Session, arguments: argparse.Namespace) -> tuple[str, JsonObject]:
    """Show the net changes of the last run, or of the session."""
    return await _invoked(session, "changes", {"scope": "session" if arguments.all else "run"})


async def waiting(session: Session, arguments: argparse.Namespace) -> tuple[str, JsonObject]:
    """List the single changes that are neither kept nor undone."""
    return await _invoked(session, "changes.list", {})


async def review(session: Session, arguments: argparse.Namespace) -> tuple[str, JsonObject]:
    """Keep, undo or redo single changes: the command is called like the action."""
    if arguments.all is bool(arguments.change):
        raise CannotBegin("Say which: FILE or FILE:NUMBER, as agls changes list shows, or --all.", "usage")
    chosen: JsonObject = {"change": arguments.change, "all": arguments.all}
    return await _invoked(session, arguments.command.replace(" ", "."), chosen)


async def _invoked(session: Session, name: str, arguments: JsonObject) -> tuple[str, JsonObject]:
    outcome = await invoke(session, name, arguments)
    await session.log.sync()
    return f"{outcome.text.rstrip()}\n", {"sessionId": session.session_id, **(outcome.data or {})}


async def undo(session: Session, arguments: argparse.Namespace) -> tuple[str, JsonObject]:
    """Go back to before the last prompt that the model still sees."""
    last = next((message for message in reversed(await _points(session))), None)
    if last is None:
        raise CannotBegin("There is nothing to undo: nothing was said in this session.", "nothingToUndo")
    back = Back(last["beforeItemId"], what=_what(arguments), dry_run=arguments.dry_run)
    return await _back(session, back)


async def rewind(session: Session, arguments: argparse.Namespace) -> tuple[str, JsonObject]:
    """Go back to before a prompt or before a rewind, or list the points there are."""
    if arguments.undo:
        back = Back(undo=arguments.undo, what=_what(arguments), dry_run=arguments.dry_run)
        return await _back(session, back)
    points = await _points(session)
    if arguments.before is None:
        lines = [
            POINT.format(one["itemId"], f"{len(one['files'])} files after", one["title"]) for one in points
        ]
        text = "".join([*lines, HOW.format(session.session_id)] if lines else [NOWHERE])
        return text, {"sessionId": session.session_id, "points": points}
    found = next((one for one in points if one["itemId"] == arguments.before), None)
    if found is None:
        raise CannotBegin(f"There is no prompt {arguments.before[:100]!r}. See: agls rewind", "noSuchItem")
    return await _back(session, Back(found["beforeItemId"], what=_what(arguments), dry_run=arguments.dry_run))


async def _points(session: Session) -> list[JsonObject]:
    """Return the prompts that the session can go back to, the oldest first."""
    seen = {getattr(message, "item_id", "") for message in session.state.context.messages}
    outcome = await invoke(session, "checkpoint.list", {})
    return [point for point in (outcome.data or {})["checkpoints"] if point["itemId"] in seen]


async def _back(session: Session, back: Back) -> tuple[str, JsonObject]:
    gone = await go_back(session, back)
    return _told(session, back, gone), {
        "sessionId": session.session_id,
        "checkpointId": "" if back.dry_run else gone.fact.checkpoint_id,
        "droppedItemIds": list(gone.dropped),
        "files": gone.restored.get("files", []),
        "conflicts": gone.restored.get("conflicts", []),
    }


def _told(session: Session, back: Back, gone: Gone) -> str:
    would = "would go" if back.dry_run else "went"
    lines = [f"{file['change']:<9} {file['uri']}" for file in gone.restored.get("files", [])]
    lines += [f"left alone {left['uri']}: {left['reason']}" for left in gone.restored.get("conflicts", [])]
    if back.what != "conversation" and not lines:
        lines = ["No file is changed."]
    if back.what != "files":
        lines.append(f"{len(gone.dropped)} messages of the conversation {would} as well.")
    else:
        lines.append("The conversation stays as it is.")
    if gone.restored.get("commandsRan"):
        lines.append("Commands ran as well: what they changed in other files is not known.")
    if not back.dry_run:
        lines.append(f"Take it back: agls rewind {session.session_id} --undo {gone.fact.checkpoint_id}")
    return "\n".join(lines) + "\n"


def _what(arguments: argparse.Namespace) -> str:
    return "files" if arguments.files else "conversation" if arguments.conversation else "both"


WORK: Mapping[str, Work] = {
    "changes show": changes,
    "changes list": waiting,
    **dict.fromkeys(("changes keep", "changes undo", "changes redo"), review),
    "undo": undo,
    "rewind": rewind,
}
REWINDS = dict.fromkeys(WORK, follow)
