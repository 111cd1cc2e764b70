"""`agls skills list` and `agls skills test`: the skills of a folder, and how often the model chooses one."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from agls.config import ConfigInputs, read
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.open_session import folder
from agls.doors.headless.settings import settings
from agls.doors.headless.sketch_action import invoke_in_sketch
from agls.doors.headless.streams import write, write_json
from agls.engine.vocabulary import JsonObject
from agls.views.escape import escape_controls
from agls.workspace.redact import harden

NO_PROMPTS = "{} has no prompts: write one per line. Lines that begin with # are ignored."
UNREADABLE = "{} cannot be read: {}."
STANDARD_INPUT = "/dev/stdin"


def skills(arguments: argparse.Namespace) -> int:
    """Follow `agls skills list` and `agls skills test`. **Returns** the exit code."""
    harden()
    here = folder(arguments.cwd or ".")
    name: str = arguments.command.replace(" list", "").replace(" ", ".")
    given: JsonObject = {}
    said: dict[str, str] = {}
    if name == "skills.test":
        said = settings(arguments)
        given = {"name": arguments.name, "prompts": _prompts(arguments.prompts)}
    inputs = ConfigInputs(arguments=said, remembered=True)
    setup = read(inputs, here, lambda root: arguments.trust and root == Path(here))
    outcome = asyncio.run(invoke_in_sketch(setup, here, name, given))
    if arguments.json:
        write_json(outcome.data)
    else:
        write(escape_controls(f"{outcome.text.rstrip()}\n"))
    return Exit.DONE


def _prompts(file: str) -> Sequence[str]:
    """Return the prompts of a file, one on each line. **Raises** `CannotBegin`."""
    try:
        text = Path(STANDARD_INPUT if file == "-" else file).read_text("utf-8", "replace")
    except OSError as problem:
        raise CannotBegin(UNREADABLE.format(file, problem.strerror), "usage") from problem
    lines = [line.strip() for line in text.splitlines()]
    if prompts := [line for line in lines if line and not line.startswith("#")]:
        return prompts
    raise CannotBegin(NO_PROMPTS.format(file), "usage")


SKILLS = dict.fromkeys(("skills list", "skills test"), skills)
