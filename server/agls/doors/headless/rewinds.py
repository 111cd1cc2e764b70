"""The commands `agls changes …`, `agls undo` and `agls rewind`: the agent's changes, and the way back."""

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from agls.assembly.rewind import Back, Gone, go_back
from agls.config import ConfigInputs, read
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.open_session import folder, latest, opened
from agls.doors.headless.streams import write, write_stderr
from agls.doors.messages import JsonObject
from agls.engine.actions import ActionError
from agls.engine.admission import Refused
from agls.engine.ports import JournalError
from agls.engine.run_action import invoke
from agls.engine.session import Session
from agls.views.escape import escape_controls
from agls.workspace.editor import NoEditor
from agls.workspace.redact import harden
from agls.workspace.uris import to_path
from agls.world import open_world

Work = Callable[[Session, argparse.Namespace], Awaitable[tuple[str, JsonObject]]]
POINT = "{:<20}  {:<18}  {}\n"
DONE = {"modified": "restored", "added": "brought back", "deleted": "removed"}  # by how the file changes
NOTHING_DONE = "No file can go back, so nothing was done. To rewind the conversation alone: --conversation."
UNDONE = "This session is rewound to before its first prompt.\n"
NOWHERE = "This session has no prompts yet.\n"
COMMANDS_RAN = "Commands ran as well: what they changed in other files is not known.\n"
HOW = "\nRewind to before one of them: agls rewind {} --before ITEM (agls undo: to before the last)\n"


def follow(arguments: argparse.Namespace) -> int:
    """Follow the command, in the session that was named or the latest of the folder.

    **Returns** the exit code.
    """
    harden()
    text, data = asyncio.run(_follow(arguments, WORK[arguments.command]))
    is_patch = arguments.command == "changes show" and not sys.stdout.isatty()
    shown = text if is_patch else escape_controls(text)
    write(f"{json.dumps(data, indent=2)}\n" if arguments.json else shown)
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
    """Show the net changes of the last run, or of the session: to a program, as a patch."""
    scope: JsonObject = {"scope": "session" if arguments.all else "run"}
    if arguments.json or sys.stdout.isatty():
        return await _invoked(session, "changes", scope)
    outcome = await invoke(session, "changes", {**scope, "patch": True})
    data = outcome.data or {}
    for left in data["leftOut"]:
        write_stderr(f"left out: {_path(session, left['uri'])}: {left['reason']}\n")
    if data["commandsRan"]:
        write_stderr(COMMANDS_RAN)
    if not (outcome.text or data["leftOut"]):
        write_stderr("No file was changed.\n")
    return outcome.text, data


async def waiting(session: Session, arguments: argparse.Namespace) -> tuple[str, JsonObject]:
    """List the single changes that are neither kept nor undone."""
    text, data = await _invoked(session, "changes.list", {})
    return "\n".join(_change(session, row) for row in data["changes"]) or text, data


def _change(session: Session, row: JsonObject) -> str:
    """One change for a terminal: its name as the other commands take it, and its lines."""
    moved = "" if row["stands"] else f"  ({MOVED})"
    signed = [f"    {sign}{line}\n" for sign in "-+" for line in row[SIGNS[sign]].splitlines()]
    return f"{_path(session, row['uri'])}:{row['number']}  line {row['line'] + 1}{moved}\n{''.join(signed)}"


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
        nothing = UNDONE if session.state.rewinds else NOWHERE
        raise CannotBegin(
            f"There is nothing to undo: {nothing[0].lower()}{nothing[1:].strip()}", "nothingToUndo"
        )
    back = Back(last["beforeItemId"], what=_what(arguments), dry_run=arguments.dry_run)
    return await _back(session, back)


async def rewind(session: Session, arguments: argparse.Namespace) -> tuple[str, JsonObject]:
    """Go back to before a prompt or before a rewind, or list the points there are."""
    if arguments.undo:
        back = Back(undo=arguments.undo, what=_what(arguments), dry_run=arguments.dry_run)
        return await _back(session, back)
    points = await _points(session)
    if arguments.before is None:
        text = "".join((*_listed(points, session), *_way_forth(session)))
        return text, {"sessionId": session.session_id, "points": points}
    found = next((one for one in points if one["itemId"] == arguments.before), None)
    if found is None:
        raise CannotBegin(f"There is no prompt {arguments.before[:100]!r}. See: agls rewind", "noSuchItem")
    return await _back(session, Back(found["beforeItemId"], what=_what(arguments), dry_run=arguments.dry_run))


def _listed(points: Sequence[JsonObject], session: Session) -> Iterator[str]:
    """Yield the lines of the prompts that the session can go back to."""
    for one in points:
        count = len(one["files"])
        yield POINT.format(one["itemId"], f"{count} file{'s' * (count != 1)} after", one["title"])
    if points:
        yield HOW.format(session.session_id)
    else:
        yield UNDONE if session.state.rewinds else NOWHERE


def _way_forth(session: Session) -> Iterator[str]:
    """Yield the command that takes back the last rewind of the conversation, if there was one."""
    if last := next(reversed([*session.state.rewinds]), ""):
        yield f"Undo the last rewind: agls rewind {session.session_id} --undo {last}\n"


async def _points(session: Session) -> list[JsonObject]:
    """Return the prompts that the session can go back to, the oldest first."""
    seen = {getattr(message, "item_id", "") for message in session.state.context.messages}
    outcome = await invoke(session, "checkpoint.list", {})
    return [point for point in (outcome.data or {})["checkpoints"] if point["itemId"] in seen]


async def _back(session: Session, back: Back) -> tuple[str, JsonObject]:
    """Go back. **Raises** `CannotBegin`, doing nothing, where the files were to go back and none can."""
    if back.what != "conversation" and not back.dry_run:
        restored = (await go_back(session, replace(back, dry_run=True))).restored
        if restored.get("conflicts") and not restored.get("files"):
            lines = [*_left_alone(session, restored), NOTHING_DONE]
            raise CannotBegin("\n".join(lines), "conflict", Exit.FAILED)
    gone = await go_back(session, back)
    return _report(session, back, gone), {
        "sessionId": session.session_id,
        "checkpointId": "" if back.dry_run else gone.fact.checkpoint_id,
        "droppedItemIds": list(gone.dropped),
        "returnedItemIds": list(gone.returned),
        "files": gone.restored.get("files", []),
        "conflicts": gone.restored.get("conflicts", []),
    }


def _report(session: Session, back: Back, gone: Gone) -> str:
    would = "would be " if back.dry_run else ""
    files = gone.restored.get("files", [])
    lines = [f"{would}{DONE[file['change']]}: {_path(session, file['uri'])}" for file in files]
    lines += _left_alone(session, gone.restored)
    if back.what != "conversation" and not lines:
        lines = [f"No file {would or 'was '}changed."]
    if back.what != "files":
        lines += _messages(gone, dry_run=back.dry_run)
    else:
        lines.append("The conversation stays as it is.")
    if gone.restored.get("commandsRan"):
        lines.append(COMMANDS_RAN.rstrip())
    if not back.dry_run:
        lines.append(f"Undo this rewind: agls rewind {session.session_id} --undo {gone.fact.checkpoint_id}")
    return "\n".join(lines) + "\n"


def _messages(gone: Gone, *, dry_run: bool) -> list[str]:
    """How many messages of the conversation went, or came back."""
    ways = ("would be removed", "would come back") if dry_run else ("removed", "came back")
    counts = zip(ways, (len(gone.dropped), len(gone.returned)), strict=True)
    said = [
        f"{count} message{'s' * (count != 1)} of the conversation {way}." for way, count in counts if count
    ]
    return said or ["The conversation is as it was."]


def _left_alone(session: Session, restored: JsonObject) -> list[str]:
    return [
        f"left alone: {_path(session, left['uri'])}: {left['reason']}"
        for left in restored.get("conflicts", [])
    ]


def _path(session: Session, uri: str) -> str:
    """The file as people name it: relative to the folder of the session where it is in there."""
    path = Path(to_path(uri))
    return str(path.relative_to(session.state.cwd) if path.is_relative_to(session.state.cwd) else path)


def _what(arguments: argparse.Namespace) -> str:
    return "files" if arguments.files else "conversation" if arguments.conversation else "both"


SIGNS = {"-": "old", "+": "new"}
MOVED = "changed since: it can be kept, not undone"

WORK: Mapping[str, Work] = {
    "changes show": changes,
    "changes list": waiting,
    **dict.fromkeys(("changes keep", "changes undo", "changes redo"), review),
    "undo": undo,
    "rewind": rewind,
}
REWINDS = dict.fromkeys(WORK, follow)
