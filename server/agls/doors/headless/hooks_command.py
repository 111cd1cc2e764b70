"""`agls hooks list` and `agls hooks test`: the hooks of a folder, and what they say of events and calls."""

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from agls.config import ConfigInputs, Setup, read
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.open_session import folder, latest
from agls.doors.headless.sketch_action import NEW, Sketch, invoke_in_sketch
from agls.doors.headless.streams import write, write_json
from agls.engine.facts import Entry
from agls.engine.ports import JournalError
from agls.engine.state import fold_all
from agls.engine.vocabulary import JsonObject
from agls.json_values import is_object
from agls.views.escape import escape_controls
from agls.workspace.editor import NoEditor
from agls.workspace.redact import harden
from agls.world import open_world

MOST = 50  # recorded calls, unless the user says another number


def hooks(arguments: argparse.Namespace) -> int:
    """Follow `agls hooks list` and `agls hooks test`. **Returns** the exit code."""
    harden()
    here = folder(arguments.cwd or ".")
    setup = _setup(here, trust=arguments.trust)
    if arguments.command == "hooks list":
        outcome = asyncio.run(invoke_in_sketch(setup, here, "hooks", {}))
    else:
        name, given = _asked(arguments)
        sketch = NEW
        if name == "hooks.test" or arguments.session:
            session_id, entries = asyncio.run(_recorded(setup, here, arguments.session))
            if (place := fold_all(entries).cwd) not in {"", here}:
                here, setup = place, _setup(place, trust=False)
            sketch = Sketch(session_id, entries)
        outcome = asyncio.run(invoke_in_sketch(setup, here, name, given, sketch))
    if arguments.json:
        write_json(outcome.data)
    else:
        write(escape_controls(f"{outcome.text.rstrip()}\n"))
    return Exit.DONE


def _asked(arguments: argparse.Namespace) -> tuple[str, JsonObject]:
    """Return the action that does the test, with its arguments. **Raises** `CannotBegin`."""
    if not arguments.event:
        if arguments.given:
            raise CannotBegin("--with is for the test of an event: name one.", "usage")
        return "hooks.test", {"most": MOST if arguments.last is None else arguments.last}
    if arguments.last is not None:
        raise CannotBegin("--last is for recorded calls: leave it or the event out.", "usage")
    try:
        members = json.loads(arguments.given or "{}")
    except (ValueError, RecursionError) as problem:
        raise CannotBegin(f"--with is no JSON: {problem}", "usage") from None
    if not is_object(members):
        raise CannotBegin('--with is no JSON object, such as {"prompt": "hello"}.', "usage")
    return "hooks.try", {"event": arguments.event, "about": arguments.about or "", "members": members}


def _setup(here: str, *, trust: bool) -> Setup:
    return read(ConfigInputs(remembered=True), here, lambda root: trust and root == Path(here))


async def _recorded(setup: Setup, here: str, session_id: str) -> tuple[str, Sequence[Entry]]:
    """Return the session that was named, or the latest of the folder. **Raises** `CannotBegin`."""
    async with open_world(setup, editor=NoEditor(), headless=True) as world:
        session_id = session_id or await latest(world, here)
        try:
            return session_id, await world.sessions.peek(session_id)
        except JournalError as problem:
            raise CannotBegin(str(problem), "sessionNotFound") from problem


HOOKS = dict.fromkeys(("hooks list", "hooks test"), hooks)
