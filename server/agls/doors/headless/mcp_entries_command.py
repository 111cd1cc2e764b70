"""`agls mcp add` and `agls mcp remove`: servers written into the user's config file, or the folder's."""

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from agls.config import (
    ConfigInputs,
    GuardedFiles,
    SettingsEditor,
    read,
)
from agls.config.server_entries import ServerEntries, entry_from
from agls.disk_space import why_unwritten
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.open_session import folder
from agls.doors.headless.streams import write_json, write_stderr
from agls.engine.vocabulary import JsonObject
from agls.views.escape import escape_controls

NOTHING = (
    "Say what it is: an address (agls mcp add NAME https://…), or a program (agls mcp add NAME -- PROGRAM …)."
)
TWO = "An address stands alone: {!r} is one word too many."
PAIR = "{} needs {}, not {!r}."
SENT_TO = "--header is for an address; a program has --env."
PROGRAM_ONLY = "--env is for a program; an address has --header."
ADDED = "{} was changed. See what it offers: agls mcp tools {}\n"
ADDED_THERE = "{} was changed. You are asked for consent when it is used first: agls mcp list names it.\n"
REMOVED = "{} was changed: {} is not in it any more.\n"
PROJECT = "project"
ADDRESSES = ("http://", "https://", "${")


def change_entries(arguments: argparse.Namespace) -> int:
    """Follow the command. **Raises** `CannotBegin` and `ConfigError`."""
    here = folder(arguments.cwd or ".")
    setup = read(ConfigInputs(remembered=True), here, lambda root: arguments.trust and root == Path(here))
    editor = SettingsEditor(setup, here, GuardedFiles(setup.state_folder, setup.config_file))
    entries = ServerEntries(setup, here, editor)
    name, scope = arguments.name, arguments.scope
    is_new = arguments.command == "mcp add"
    try:
        if is_new:
            done = entries.add(name, _entry(arguments), project=scope == PROJECT)
        else:
            done = entries.remove(name, scope)
    except OSError as problem:
        reason = f"The file cannot be written: {why_unwritten(problem)}"
        raise CannotBegin(reason, "configInvalid", Exit.FAILED) from problem
    told = REMOVED if not is_new else ADDED_THERE if scope == PROJECT else ADDED
    if arguments.json:
        write_json({"name": name, "file": str(done.file), "remark": done.remark})
        return Exit.DONE
    write_stderr(escape_controls(told.format(done.file, shlex.quote(name) if is_new else name)))
    if done.remark:
        write_stderr(f"{escape_controls(done.remark)}\n")
    return Exit.DONE


def _entry(arguments: argparse.Namespace) -> JsonObject:
    """**Returns** the server as a file says it. **Raises** `CannotBegin` and `ConfigError`."""
    words: Sequence[str] = [*arguments.words, *shlex.split(arguments.program)]
    env = dict(_pair(each, "=", "--env", "NAME=VALUE") for each in arguments.env)
    headers = dict(_pair(each, ":", "--header", "'NAME: VALUE'") for each in arguments.header)
    if not words:
        raise CannotBegin(NOTHING, "usage")
    if words[0].lstrip().startswith("{"):
        return entry_from(" ".join(words))
    kind = {"type": arguments.transport} if arguments.transport else {}
    if not words[0].startswith(ADDRESSES):
        if headers:
            raise CannotBegin(SENT_TO, "usage")
        said: JsonObject = {"command": words[0], "args": [*words[1:]], "env": env}
        return {**kind, **{name: value for name, value in said.items() if value}}
    if words[1:]:
        raise CannotBegin(TWO.format(words[1]), "usage")
    if env:
        raise CannotBegin(PROGRAM_ONLY, "usage")
    return {"type": "http", **kind, "url": words[0], **({"headers": headers} if headers else {})}


def _pair(text: str, between: str, option: str, form: str) -> tuple[str, str]:
    name, found, value = text.partition(between)
    if not found or not name.strip():
        raise CannotBegin(PAIR.format(option, form, text[:100]), "usage")
    return name.strip(), value.strip()


ENTRIES = dict.fromkeys(("mcp add", "mcp remove"), change_entries)
