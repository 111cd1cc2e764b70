"""`agls memory`: what models remember in every session, shown and changed by the action of this name."""

import argparse
import asyncio
from pathlib import Path

from agls.config import ConfigInputs, read
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.open_session import folder
from agls.doors.headless.sketch_action import invoke_in_sketch
from agls.doors.headless.streams import write, write_json
from agls.engine.admission import Refused
from agls.engine.vocabulary import JsonObject
from agls.views.escape import escape_controls
from agls.workspace.redact import harden

OFF = "The memory is switched off. To use it: agls config set memory.enabled true"


def memory(arguments: argparse.Namespace) -> int:
    """Follow `agls memory`, `agls memory add`, `edit` and `forget`."""
    harden()
    here = folder(arguments.cwd or ".")
    setup = read(ConfigInputs(remembered=True), here, lambda root: arguments.trust and root == Path(here))
    try:
        outcome = asyncio.run(invoke_in_sketch(setup, here, "memory", _input(arguments)))
    except Refused as problem:
        raise CannotBegin(OFF, problem.kind, Exit.FAILED) from problem
    if arguments.json:
        write_json(outcome.data)
    else:
        write(escape_controls(f"{outcome.text.rstrip()}\n"))
    return Exit.DONE


def _input(arguments: argparse.Namespace) -> JsonObject:
    match arguments.command.split():
        case ["memory", "add"]:
            about = "user" if arguments.everywhere else "project"
            return {"do": "add", "text": " ".join(arguments.text), "about": about}
        case ["memory", "edit"]:
            return {"do": "edit", "text": " ".join([arguments.number, *arguments.text])}
        case ["memory", "forget"]:
            return {"do": "forget", "text": " ".join(arguments.numbers)}
        case _:
            return {}


MEMORY = dict.fromkeys(("memory show", "memory add", "memory edit", "memory forget"), memory)
